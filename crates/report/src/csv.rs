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

/// A column: its name and the text of its field.
type Column = (&'static str, fn(&SecondSample) -> String);

/// The columns, in order. Their names are promises to scripts.
const COLUMNS: &[Column] = &[
    ("second", |s| s.second.to_string()),
    ("tps", |s| s.transactions.to_string()),
    ("latency_ms_p95", |s| compact(s.latency_ms_p95)),
    ("latency_ms_max", |s| compact(s.latency_ms_max)),
    ("innodb_checkpoint_age", |s| s.checkpoint_age_bytes.to_string()),
    ("log_max_modified_age_async", |s| s.age_async_bytes.to_string()),
    ("log_max_modified_age_sync", |s| s.age_sync_bytes.to_string()),
    ("innodb_buffer_pool_pages_dirty", |s| s.dirty_pages.to_string()),
    ("innodb_buffer_pool_pages_free", |s| s.free_pages.to_string()),
    ("pages_flushed", |s| s.pages_flushed.to_string()),
    ("buffer_flush_adaptive_pages", |s| s.adaptive_pages.to_string()),
    ("buffer_flush_background_pages", |s| s.background_pages.to_string()),
    ("buffer_flush_sync_pages", |s| s.sync_pages.to_string()),
    ("buffer_LRU_batch_flush_pages", |s| s.lru_pages.to_string()),
    ("buffer_flush_n_to_flush_requested", |s| s.n_to_flush_requested.to_string()),
    ("buffer_flush_avg_page_rate", |s| s.avg_page_rate.to_string()),
    ("buffer_flush_lsn_avg_rate", |s| s.lsn_avg_rate.to_string()),
    ("buffer_flush_pct_for_lsn", |s| s.pct_for_lsn.to_string()),
    ("buffer_flush_pct_for_dirty", |s| s.pct_for_dirty.to_string()),
    ("innodb_os_log_written", |s| s.redo_written_bytes.to_string()),
    ("innodb_os_log_fsyncs", |s| s.redo_fsyncs.to_string()),
    ("innodb_log_waits", |s| s.log_waits.to_string()),
    ("innodb_buffer_pool_wait_free", |s| s.wait_free.to_string()),
    ("innodb_buffer_pool_reads", |s| s.pool_reads.to_string()),
    ("innodb_dblwr_pages_written", |s| s.dblwr_pages.to_string()),
    ("innodb_dblwr_writes", |s| s.dblwr_writes.to_string()),
    ("device_utilization", |s| compact(s.device_utilization)),
    ("device_queue_mean", |s| compact(s.device_queue_mean)),
    ("trx_rseg_history_len", |s| s.history_list_length.to_string()),
    ("purge_undo_log_pages", |s| s.purged_undo_pages.to_string()),
    ("purge_dml_delay_usec", |s| s.dml_delay_us.to_string()),
    ("undo_pages", |s| s.undo_pages.to_string()),
    ("undo_truncate_count", |s| s.undo_truncations.to_string()),
    ("redo_generated_bytes", |s| s.redo_generated_bytes.to_string()),
    ("oldest_page_age", |s| s.oldest_page_age_bytes.to_string()),
    ("free_check_waits", |s| s.free_check_waits.to_string()),
    ("buffer_LRU_single_flush_pages", |s| s.single_pages.to_string()),
    ("arrivals_waiting", |s| s.arrivals_waiting.to_string()),
    ("stopped", |s| u8::from(s.stopped).to_string()),
    ("recovery_redo_bytes", |s| s.recovery_redo_bytes.to_string()),
    ("recovery_pages", |s| s.recovery_pages.to_string()),
];

/// The series as the text of `series.csv`.
pub fn series_csv(output: &RunOutput) -> Result<Vec<u8>, ReportError> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS.iter().map(|(name, _)| name))?;
    for sample in &output.series {
        writer.write_record(COLUMNS.iter().map(|(_, field)| field(sample)))?;
    }
    writer.into_inner().map_err(|error| ReportError::Csv(error.into_error().into()))
}

/// Writes `series.csv` to `path`.
pub fn write_series_csv(path: &Path, output: &RunOutput) -> Result<(), ReportError> {
    write_file(path, &series_csv(output)?)
}
