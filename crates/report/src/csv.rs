//! `series.csv`: a row a simulated second, under the names that monitoring uses.
//!
//! Amounts are of the second, ages in bytes, latencies in ms, gauges at the end of the second. Numbers are written
//! compactly and the same on every machine.

mod read;

pub use read::{ReadSeries, SeriesError, read_series_csv};

use crate::files::{ReportError, write_file};
use crate::numbers::compact;
use innosim_core::metrics::{RunOutput, SecondSample};
use std::path::Path;

/// What a field holds.
enum Field {
    Whole(u64),
    Real(f64),
}

/// A column: its name and its field.
type Column = (&'static str, fn(&SecondSample) -> Field);

/// The columns, in order. Their names are promises to scripts.
const COLUMNS: &[Column] = &[
    ("second", |s| Field::Whole(s.second)),
    ("tps", |s| Field::Whole(s.transactions)),
    ("latency_ms_p95", |s| Field::Real(s.latency_ms_p95)),
    ("latency_ms_max", |s| Field::Real(s.latency_ms_max)),
    ("innodb_checkpoint_age", |s| Field::Whole(s.checkpoint_age_bytes)),
    ("log_max_modified_age_async", |s| Field::Whole(s.age_async_bytes)),
    ("log_max_modified_age_sync", |s| Field::Whole(s.age_sync_bytes)),
    ("innodb_buffer_pool_pages_dirty", |s| Field::Whole(s.dirty_pages)),
    ("innodb_buffer_pool_pages_free", |s| Field::Whole(s.free_pages)),
    ("pages_flushed", |s| Field::Whole(s.pages_flushed)),
    ("buffer_flush_adaptive_pages", |s| Field::Whole(s.adaptive_pages)),
    ("buffer_flush_background_pages", |s| Field::Whole(s.background_pages)),
    ("buffer_flush_sync_pages", |s| Field::Whole(s.sync_pages)),
    ("buffer_LRU_batch_flush_pages", |s| Field::Whole(s.lru_pages)),
    ("buffer_flush_n_to_flush_requested", |s| Field::Whole(s.n_to_flush_requested)),
    ("buffer_flush_avg_page_rate", |s| Field::Whole(s.avg_page_rate)),
    ("buffer_flush_lsn_avg_rate", |s| Field::Whole(s.lsn_avg_rate)),
    ("buffer_flush_pct_for_lsn", |s| Field::Whole(s.pct_for_lsn)),
    ("buffer_flush_pct_for_dirty", |s| Field::Whole(s.pct_for_dirty)),
    ("innodb_os_log_written", |s| Field::Whole(s.redo_written_bytes)),
    ("innodb_os_log_fsyncs", |s| Field::Whole(s.redo_fsyncs)),
    ("innodb_log_waits", |s| Field::Whole(s.log_waits)),
    ("innodb_buffer_pool_wait_free", |s| Field::Whole(s.wait_free)),
    ("innodb_buffer_pool_reads", |s| Field::Whole(s.pool_reads)),
    ("innodb_dblwr_pages_written", |s| Field::Whole(s.dblwr_pages)),
    ("innodb_dblwr_writes", |s| Field::Whole(s.dblwr_writes)),
    ("device_utilization", |s| Field::Real(s.device_utilization)),
    ("device_queue_mean", |s| Field::Real(s.device_queue_mean)),
    ("trx_rseg_history_len", |s| Field::Whole(s.history_list_length)),
    ("purge_undo_log_pages", |s| Field::Whole(s.purged_undo_pages)),
    ("purge_dml_delay_usec", |s| Field::Whole(s.dml_delay_us)),
    ("undo_pages", |s| Field::Whole(s.undo_pages)),
    ("undo_truncate_count", |s| Field::Whole(s.undo_truncations)),
    ("redo_generated_bytes", |s| Field::Whole(s.redo_generated_bytes)),
    ("oldest_page_age", |s| Field::Whole(s.oldest_page_age_bytes)),
    ("free_check_waits", |s| Field::Whole(s.free_check_waits)),
    ("buffer_LRU_single_flush_pages", |s| Field::Whole(s.single_pages)),
    ("arrivals_waiting", |s| Field::Whole(s.arrivals_waiting)),
    ("stopped", |s| Field::Whole(s.stopped.into())),
    ("recovery_redo_bytes", |s| Field::Whole(s.recovery_redo_bytes)),
    ("recovery_pages", |s| Field::Whole(s.recovery_pages)),
    ("log_write_requests", |s| Field::Whole(s.log_write_requests)),
    ("log_full_block_writes", |s| Field::Whole(s.log_full_block_writes)),
    ("log_partial_block_writes", |s| Field::Whole(s.log_partial_block_writes)),
    ("log_writer_waits", |s| Field::Whole(s.log_writer_waits)),
    ("log_write_to_file_requests_interval", |s| Field::Whole(s.log_requests_interval_us)),
    ("checkpointer_wait_ms", |s| Field::Whole(s.checkpointer_wait_ms)),
];

/// The values of a column, a second each.
#[derive(Debug, Clone, PartialEq)]
pub enum SeriesColumn {
    /// Counts, pages and bytes.
    Whole(Vec<u64>),
    /// Latencies and shares.
    Real(Vec<f64>),
}

/// The columns of `series.csv` with their values, as they were before they are written.
pub fn series_columns(output: &RunOutput) -> Vec<(&'static str, SeriesColumn)> {
    let values = |field: fn(&SecondSample) -> Field| {
        let (mut whole, mut real) = (Vec::new(), Vec::new());
        for sample in &output.series {
            match field(sample) {
                Field::Whole(value) => whole.push(value),
                Field::Real(value) => real.push(value),
            }
        }
        if real.is_empty() { SeriesColumn::Whole(whole) } else { SeriesColumn::Real(real) }
    };
    COLUMNS.iter().map(|&(name, field)| (name, values(field))).collect()
}

/// The series as the text of `series.csv`.
pub fn series_csv(output: &RunOutput) -> Result<Vec<u8>, ReportError> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS.iter().map(|(name, _)| name))?;
    for sample in &output.series {
        writer.write_record(COLUMNS.iter().map(|(_, field)| match field(sample) {
            Field::Whole(value) => value.to_string(),
            Field::Real(value) => compact(value),
        }))?;
    }
    writer.into_inner().map_err(|error| ReportError::Csv(error.into_error().into()))
}

/// Writes `series.csv` to `path`.
pub fn write_series_csv(path: &Path, output: &RunOutput) -> Result<(), ReportError> {
    write_file(path, &series_csv(output)?)
}
