//! A second of a run as a row of numbers: what the page draws.
//!
//! LSNs are told as they are: below 2^53 a number of a browser holds them exactly, and no run here writes so much redo.

use innosim_core::metrics::SecondSample;
use innosim_core::server::{RedoRing, Stepping};
use innosim_core::workload::RATE_BANDS;

/// Spans of age by which dirty pages are counted, from the newest redo to the log's capacity.
pub const AGES: usize = 72;
/// Numbers about rates: for each band the pages in the buffer pool, then those of them that are dirty.
pub const RATES: usize = 2 * RATE_BANDS;

/// The redo log at the end of a second.
#[derive(Debug, Clone, Copy)]
pub struct Ring {
    redo: RedoRing,
    /// Size of the log's files, bytes.
    log_bytes: u64,
}

/// A field's name, and how it is read.
type Field = (&'static str, fn(&SecondSample, &Ring) -> f64);

/// The fields before the counts by age and by rate, in order.
pub const FIELDS: [Field; 30] = [
    ("second", |s, _| s.second as f64),
    ("tps", |s, _| s.transactions as f64),
    ("latency_ms_p95", |s, _| s.latency_ms_p95),
    ("latency_ms_max", |s, _| s.latency_ms_max),
    ("checkpoint_age", |s, _| s.checkpoint_age_bytes as f64),
    ("oldest_page_age", |s, _| s.oldest_page_age_bytes as f64),
    ("dirty_pages", |s, _| s.dirty_pages as f64),
    ("free_pages", |s, _| s.free_pages as f64),
    ("pages_flushed", |s, _| s.pages_flushed as f64),
    ("adaptive_pages", |s, _| s.adaptive_pages as f64),
    ("background_pages", |s, _| s.background_pages as f64),
    ("sync_pages", |s, _| s.sync_pages as f64),
    ("lru_pages", |s, _| (s.lru_pages + s.single_pages) as f64),
    ("requested_pages", |s, _| s.n_to_flush_requested as f64),
    ("redo_generated", |s, _| s.redo_generated_bytes as f64),
    ("redo_fsyncs", |s, _| s.redo_fsyncs as f64),
    ("free_check_waits", |s, _| s.free_check_waits as f64),
    ("log_waits", |s, _| s.log_waits as f64),
    ("device_utilization", |s, _| s.device_utilization),
    ("device_queue", |s, _| s.device_queue_mean),
    ("device_write_bytes", |s, _| s.device_write_bytes as f64),
    ("arrivals_waiting", |s, _| s.arrivals_waiting as f64),
    ("current_lsn", |_, ring| ring.redo.current_lsn as f64),
    ("durable_lsn", |_, ring| ring.redo.durable_lsn as f64),
    ("checkpoint_lsn", |_, ring| ring.redo.checkpoint_lsn as f64),
    ("capacity", |_, ring| ring.log_bytes as f64),
    ("async_age", |_, ring| ring.redo.limits.async_bytes as f64),
    ("sync_age", |_, ring| ring.redo.limits.sync_bytes as f64),
    ("stop_age", |_, ring| ring.redo.limits.stop_bytes as f64),
    ("age_step", |_, ring| age_step(ring) as f64),
];

/// Bytes of redo of a span of age.
fn age_step(ring: &Ring) -> u64 {
    (ring.log_bytes / AGES as u64).max(1)
}

/// Appends the row of the second that has just ended. `log_bytes`: size of the redo log's files.
pub(crate) fn append(row: &SecondSample, stepping: &Stepping, log_bytes: u64, out: &mut Vec<f64>) {
    let ring = Ring { redo: stepping.redo_ring(), log_bytes };
    out.extend(FIELDS.iter().map(|(_, value)| value(row, &ring)));
    out.extend(stepping.dirty_by_age(age_step(&ring), AGES).into_iter().map(|pages| pages as f64));
    let bands = stepping.dirty_by_rate();
    out.extend(bands.iter().map(|band| band.pages as f64).chain(bands.iter().map(|band| band.dirty as f64)));
}
