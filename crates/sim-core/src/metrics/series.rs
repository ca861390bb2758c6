//! What a run leaves: one row a simulated second, totals, and latencies.

use crate::kernel::histogram::Histogram;
use crate::kernel::station::StationReport;
use crate::metrics::RecoverySpeed;
use crate::seam::AgeLimits;
use serde::Serialize;

/// One simulated second. Amounts are of that second, gauges are at its end; ages in bytes.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct SecondSample {
    /// Seconds since the start; the row covers the second that ends here.
    pub second: u64,
    /// Transactions finished.
    pub transactions: u64,
    /// 95th percentile of their latency, ms.
    pub latency_ms_p95: f64,
    /// 99th percentile, ms.
    pub latency_ms_p99: f64,
    /// Largest latency, ms.
    pub latency_ms_max: f64,
    /// Current LSN - last checkpoint LSN.
    pub checkpoint_age_bytes: u64,
    /// `log_max_modified_age_async` in force.
    pub age_async_bytes: u64,
    /// `log_max_modified_age_sync` in force.
    pub age_sync_bytes: u64,
    /// Current LSN - oldest modification of any dirty page.
    pub oldest_page_age_bytes: u64,
    /// Dirty pages as the server counts them: the length of its flush lists, pages under write included.
    pub dirty_pages: u64,
    /// Pages on the free lists.
    pub free_pages: u64,
    /// Pages posted for writing by any kind of flushing.
    pub pages_flushed: u64,
    /// Of these, by adaptive flushing.
    pub adaptive_pages: u64,
    /// Of these, by idle flushing.
    pub background_pages: u64,
    /// Of these, by sync flushing.
    pub sync_pages: u64,
    /// Of these, by LRU batches.
    pub lru_pages: u64,
    /// Of those by LRU batches, in sync passes: they are among `sync_pages` too.
    pub lru_sync_pages: u64,
    /// Of these, by single-page flushes of user threads.
    pub single_pages: u64,
    /// Of these, as neighbours.
    pub neighbor_pages: u64,
    /// `buffer_flush_n_to_flush_requested`.
    pub n_to_flush_requested: u64,
    /// `buffer_flush_avg_page_rate`.
    pub avg_page_rate: u64,
    /// `buffer_flush_lsn_avg_rate`.
    pub lsn_avg_rate: u64,
    /// `buffer_flush_pct_for_lsn`.
    pub pct_for_lsn: u64,
    /// `buffer_flush_pct_for_dirty`.
    pub pct_for_dirty: u64,
    /// Redo bytes written, in whole blocks where redo is framed: the last one of a write is written again by the next.
    pub redo_written_bytes: u64,
    /// LSN advance.
    pub redo_generated_bytes: u64,
    /// Redo syncs.
    pub redo_fsyncs: u64,
    /// Mini-transactions whose redo reached the log (`log_write_requests`), where log threads write it.
    pub log_write_requests: u64,
    /// Writes of the log writer, of whole blocks (`log_full_block_writes`), where there is one.
    pub log_full_block_writes: u64,
    /// The same of a part of a block (`log_partial_block_writes`).
    pub log_partial_block_writes: u64,
    /// Sleeps of the log writer (`log_writer_waits`).
    pub log_writer_waits: u64,
    /// Mean time between two requests for redo on disk, us (`log_write_to_file_requests_interval`).
    pub log_requests_interval_us: u64,
    /// How long the checkpointer waited for the mutex of the log writer, ms.
    pub checkpointer_wait_ms: u64,
    /// Binary log syncs.
    pub binlog_fsyncs: u64,
    /// Data-file syncs.
    pub data_fsyncs: u64,
    /// Waits for space in the log buffer (`Innodb_log_waits`).
    pub log_waits: u64,
    /// User threads that had to wait in the free check.
    pub free_check_waits: u64,
    /// Waits for a free page (`Innodb_buffer_pool_wait_free`).
    pub wait_free: u64,
    /// Changes of the change buffer merged into their pages.
    pub merged_changes: u64,
    /// Undo logs of committed transactions in the history list (`trx_rseg_history_len`).
    pub history_list_length: u64,
    /// Undo log pages that purge handled (`purge_undo_log_pages`).
    pub purged_undo_pages: u64,
    /// Delay of each changed row because purge lags, us (`purge_dml_delay_usec`).
    pub dml_delay_us: u64,
    /// Pages of undo tablespaces, or of undo logs in the system tablespace.
    pub undo_pages: u64,
    /// Undo tablespaces truncated (`undo_truncate_count`).
    pub undo_truncations: u64,
    /// Pages read (`Innodb_buffer_pool_reads`).
    pub pool_reads: u64,
    /// Pages written to the doublewrite files.
    pub dblwr_pages: u64,
    /// Batches written to the doublewrite files.
    pub dblwr_writes: u64,
    /// Bytes written to the data device.
    pub device_write_bytes: u64,
    /// Bytes read from the data device.
    pub device_read_bytes: u64,
    /// Busy share of the data device, 0..=1.
    pub device_utilization: f64,
    /// Mean number of operations in the data device's queue and service.
    pub device_queue_mean: f64,
    /// Transactions in the queue of an open drive, at the end of the second.
    pub arrivals_waiting: u64,
    /// Redo that recovery would scan after a crash at the end of the second: written since the last checkpoint, bytes.
    pub recovery_redo_bytes: u64,
    /// Pages that it would read: those which this redo touches, as counted last.
    pub recovery_pages: u64,
    /// Whether sync flushing ran in this second.
    pub sync_flushing: bool,
    /// Whether a stop of the drive reached into this second.
    pub stopped: bool,
}

/// A loop of the page cleaner that was so long that servers remark on it in their error logs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SlowLoop {
    /// When it ended, seconds.
    pub at_s: f64,
    /// Seconds that it took.
    pub seconds: f64,
    /// Pages that it flushed, from flush lists and LRU lists.
    pub flushed: u64,
    /// Clean pages that it evicted.
    pub evicted: u64,
}

/// What the disks did in a simulated second, those of data and redo together, as `iostat` counts it.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct DiskSecond {
    /// Writes, in the pieces that the block layer makes of them, and requests for a cache flush without data, which it
    /// counts as writes of no bytes.
    pub writes: u64,
    /// Bytes written.
    pub write_bytes: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Cache flushes that the devices executed: requests share them.
    pub cache_flushes: u64,
}

/// Everything a run leaves.
#[derive(Debug, Clone, Default)]
pub struct RunOutput {
    /// One row a simulated second, in order, from second 1.
    pub series: Vec<SecondSample>,
    /// What the disks did in these seconds.
    pub disk: Vec<DiskSecond>,
    /// Latencies of all transactions, by second, merged on demand: one histogram for each second would be large, so
    /// they are kept for each ten seconds; entry `i` covers seconds `10 i .. 10 (i + 1)`.
    pub latency_by_10s: Vec<Histogram>,
    /// Age limits in force at the end.
    pub age_limits: AgeLimits,
    /// How fast a crash would be recovered from.
    pub recovery_speed: RecoverySpeed,
    /// Loops of the page cleaner that took 4 s or more, in order; sync flushing is none.
    pub slow_loops: Vec<SlowLoop>,
    /// Queueing reports of every station, over the whole run.
    pub stations: Vec<StationReport>,
    /// Hash of everything that happened, for determinism tests.
    pub event_hash: u64,
    /// Events handled.
    pub events: u64,
    /// Kinds of events that happened, a bit each ([`crate::server::EVENT_KINDS`]); with `check` alone.
    pub event_kinds: u64,
    /// Page touches made.
    pub touches: u64,
    /// Approximate bytes of the page structures, for the memory mark.
    pub page_structure_bytes: u64,
    /// Pages in all page sets at the end.
    pub pages_total: u64,
}

/// Mean times between two requests for redo, us, at which log threads that sleep and log threads that spin both keep themselves
/// going: the servers' limit is 1 ms, and a group of commits that waits for sleeping threads takes up to 2.4 times as long (640 and
/// 1540 us at one load: `redo-threads` section 3.3).
const UNDECIDED_US: std::ops::RangeInclusive<u64> = 415..=2_400;

/// Sleeps of the log writer in a second in which it does not spin all the time.
const SLEEPS: u64 = 10;

impl RunOutput {
    /// Median time between two requests for redo in the seconds after `from_s`, us, where it is open whether the log threads of a
    /// server would sleep or spin: near a millisecond, or where they did now the one and now the other. Its redo syncs and writes
    /// may then be several times those of the run, or a fraction.
    pub fn undecided_log_threads_us(&self, from_s: f64) -> Option<u64> {
        let rows = || self.series.iter().filter(|row| row.second as f64 > from_s && row.log_write_requests > 0);
        let mut intervals: Vec<u64> = rows().map(|row| row.log_requests_interval_us).collect();
        intervals.sort_unstable();
        let few = (intervals.len() / 100).max(1);
        let slept = rows().filter(|row| row.log_writer_waits > SLEEPS).count();
        let spun = rows().filter(|row| row.log_writer_waits == 0).count();
        let both = slept > few && spun > few;
        intervals.get(intervals.len() / 2).copied().filter(|interval| both || UNDECIDED_US.contains(interval))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_threads_are_undecided_near_a_millisecond_between_requests() {
        let run = |interval, mini_transactions, sleeps: [u64; 2]| RunOutput {
            series: (1..=9)
                .map(|second| SecondSample {
                    second,
                    log_requests_interval_us: if second < 5 { 90 } else { interval },
                    log_write_requests: mini_transactions,
                    log_writer_waits: sleeps[second as usize % 2],
                    ..SecondSample::default()
                })
                .collect(),
            ..RunOutput::default()
        };
        for (interval, undecided) in [(1_000, true), (415, true), (2_400, true), (300, false), (5_000, false)] {
            let expected = undecided.then_some(interval);
            assert_eq!(run(interval, 7, [0, 0]).undecided_log_threads_us(4.0), expected, "{interval}");
        }
        assert_eq!(run(1_000, 0, [0, 0]).undecided_log_threads_us(4.0), None, "a server without log threads");
        assert_eq!(run(300, 7, [0, 900]).undecided_log_threads_us(4.0), Some(300), "now asleep, now awake");
        let mut stalls_once = run(20, 7, [0, 0]);
        stalls_once.series[6].log_writer_waits = 900;
        assert_eq!(stalls_once.undecided_log_threads_us(4.0), None, "a second in which all wait");
        assert_eq!(run(5_000, 7, [1_000, 900]).undecided_log_threads_us(4.0), None, "always asleep");
    }
}
