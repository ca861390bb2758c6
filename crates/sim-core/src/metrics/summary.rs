//! A run in some forty numbers: what is printed after it, written to `summary.json`, and compared between runs.
//!
//! Everything is over the time after warm-up. The names of the fields are promises to scripts; they stand once, in the
//! table below, in the order in which they are written.
//!
//! Conventions:
//! - Quantiles are by nearest rank, so each is a value that occurred.
//! - A mean over no seconds, or a ratio to no transactions, is 0, never NaN: JSON has no NaN, and an idle run is a
//!   legitimate one.
//! - Latencies come from the run's histograms, which cover ten seconds each. A histogram that straddles the end of the
//!   warm-up is left out, unless nothing else is there.
//! - Every field is an `f64`, counts too: the mean of a count over replications is not whole. Writers print whole
//!   values as whole numbers; counts are exact up to 2^53.

mod order;
pub mod regime;
pub mod warmup;

use crate::kernel::histogram::Histogram;
use crate::metrics::{RecoverySpeed, RunOutput, SecondSample};
use order::{mean, median, quantile, standard_deviation};
use regime::{Regime, RegimeInput, block_medians};
use serde::Serialize;

/// One value of a [`Summary`] with its name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SummaryValue {
    /// Name of the field, as in `summary.json`.
    pub name: &'static str,
    /// Its value, in the field's unit.
    pub value: f64,
}

/// Declares [`Summary`] from one list of fields, with the ways to walk it. `regime` stands between `head` and `tail`.
macro_rules! summary_fields {
    (
        head { $($(#[$head_doc:meta])+ $head:ident,)+ }
        tail { $($(#[$tail_doc:meta])+ $tail:ident,)+ }
    ) => {
        /// Summary of a run over the time after warm-up. See the [module page](self) for the conventions.
        #[derive(Debug, Clone, PartialEq, Default, Serialize)]
        pub struct Summary {
            $($(#[$head_doc])+ pub $head: f64,)+
            /// What kind of run it was; see [its page](regime) for the rule.
            pub regime: Regime,
            $($(#[$tail_doc])+ pub $tail: f64,)+
        }

        impl Summary {
            /// Names of all numeric fields, in the order of [`Summary::values`].
            pub const NAMES: &'static [&'static str] =
                &[$(stringify!($head),)+ $(stringify!($tail),)+];

            /// All numeric fields, in the order in which they are written; `regime` is not among them.
            pub fn values(&self) -> impl Iterator<Item = SummaryValue> {
                [
                    $(SummaryValue { name: stringify!($head), value: self.$head },)+
                    $(SummaryValue { name: stringify!($tail), value: self.$tail },)+
                ]
                .into_iter()
            }

            /// The numeric field called `name`; `None` if there is none.
            pub fn value(&self, name: &str) -> Option<f64> {
                self.values().find(|value| value.name == name).map(|value| value.value)
            }

            /// A summary whose every numeric field is `value(name)`: how means over replications are made.
            pub fn from_fn(regime: Regime, mut value: impl FnMut(&'static str) -> f64) -> Summary {
                Summary {
                    $($head: value(stringify!($head)),)+
                    regime,
                    $($tail: value(stringify!($tail)),)+
                }
            }
        }
    };
}

summary_fields! {
    head {
        /// Transactions a second, mean.
        tps_mean,
        /// Coefficient of variation of the transactions of each second.
        tps_cv,
        /// Transactions of a second: 1 % of the seconds have this many or fewer.
        tps_p01,
        /// Transactions of the worst second.
        tps_min,
        /// Mean over consecutive 10-second blocks of the block's median transactions a second.
        tps_10s_median_mean,
        /// Smallest 10-second median, transactions a second.
        tps_10s_median_min,
        /// Largest 10-second median, transactions a second.
        tps_10s_median_max,
        /// Seconds with fewer transactions than half the median second, but for those that a stop of the drive reached
        /// into.
        stall_seconds,
        /// Latency of a transaction, mean, ms.
        latency_ms_mean,
        /// Latency of a transaction, 95th percentile, ms.
        latency_ms_p95,
        /// Latency of a transaction, 99th percentile, ms.
        latency_ms_p99,
        /// Latency of a transaction, largest, ms.
        latency_ms_max,
        /// LSN advance, bytes a second.
        redo_bytes_per_s,
        /// LSN advance, bytes a transaction.
        redo_bytes_per_trx,
        /// Checkpoint age, mean, bytes.
        checkpoint_age_mean,
        /// Checkpoint age, largest, bytes.
        checkpoint_age_max,
        /// Limit against which monitoring draws the checkpoint age, bytes: `log_max_modified_age_async`.
        checkpoint_age_limit,
        /// `log_max_modified_age_async`, bytes.
        age_async_limit,
        /// `log_max_modified_age_sync`, bytes.
        age_sync_limit,
        /// Dirty pages, mean.
        dirty_pages_mean,
        /// Pages flushed, all kinds, mean, pages a second.
        pages_flushed_per_s_mean,
        /// Pages flushed in a second, 95th percentile.
        pages_flushed_per_s_p95,
        /// Pages flushed by adaptive flushing.
        pages_flushed_adaptive,
        /// Pages flushed while idle.
        pages_flushed_background,
        /// Pages flushed by sync flushing.
        pages_flushed_sync,
        /// Pages flushed by LRU batches.
        pages_flushed_lru,
        /// Pages flushed by user threads that found no free page.
        pages_flushed_single,
        /// Pages flushed as neighbours of another.
        pages_flushed_neighbor,
        /// Pages flushed, all kinds, a transaction.
        flushes_per_trx,
        /// Pages written to the doublewrite files.
        doublewrite_pages,
        /// Batches written to the doublewrite files.
        doublewrite_writes,
        /// Syncs of data files.
        data_fsyncs,
        /// Syncs of the redo log.
        redo_fsyncs,
        /// Waits for space in the log buffer (`Innodb_log_waits`).
        redo_waits,
        /// Waits for a free page (`Innodb_buffer_pool_wait_free`).
        free_page_waits,
        /// Pages read into the buffer pool (`Innodb_buffer_pool_reads`).
        buffer_pool_reads,
        /// Busy share of the data device, mean, 0..=1.
        device_utilization,
        /// Bytes written to the data device, a second.
        device_write_bytes_per_s,
    }
    tail {
        /// Seconds in which sync flushing ran.
        sync_flush_seconds,
        /// Times that a user thread had to wait because the checkpoint was too old.
        free_check_waits,
        /// Checkpoint age at which user threads stop, bytes.
        age_stop_limit,
        /// Operations in the data device's queue and service, mean.
        device_queue_mean,
        /// Syncs of the binary log.
        binlog_fsyncs,
        /// Undo logs in the history list, mean.
        history_list_mean,
        /// Undo logs in the history list at the end of a second, most.
        history_list_max,
        /// Undo logs in the history list at the end.
        history_list_end,
        /// Delay of a changed row because purge lags, mean, us.
        purge_dml_delay_usec_mean,
        /// Undo tablespaces truncated.
        undo_truncations,
        /// Redo that recovery would scan after a crash, mean over its moments, bytes.
        recovery_redo_bytes,
        /// Pages that it would read, mean.
        recovery_pages,
        /// How long the server would take for that before it answers again, an estimate, s.
        recovery_s,
    }
}

impl Summary {
    /// Summary of `output` without its first `warmup_s` seconds.
    pub fn of(output: &RunOutput, warmup_s: u64) -> Summary {
        let kept = after_warmup(&output.series, warmup_s);
        let tps: Vec<f64> = kept.iter().map(|s| s.transactions as f64).collect();
        let mut summary = Summary {
            regime: RegimeInput::of_samples(kept, &output.age_limits).regime(),
            checkpoint_age_limit: output.age_limits.async_bytes as f64,
            age_async_limit: output.age_limits.async_bytes as f64,
            age_sync_limit: output.age_limits.sync_bytes as f64,
            age_stop_limit: output.age_limits.stop_bytes as f64,
            ..Summary::default()
        };
        summary.set_throughput(&tps);
        summary.set_stalls(kept, &tps);
        summary.set_latency(&latencies_after(&output.latency_by_10s, warmup_s));
        summary.set_redo_and_ages(kept);
        summary.set_flushing(kept);
        summary.set_device(kept);
        summary.set_purge(kept);
        summary.set_recovery(kept, &output.recovery_speed);
        summary
    }

    /// Whether the seconds after warm-up held at least one transaction.
    pub fn has_transactions(&self) -> bool {
        self.tps_mean > 0.0
    }

    fn set_throughput(&mut self, tps: &[f64]) {
        self.tps_mean = mean(tps);
        self.tps_cv = ratio(standard_deviation(tps), self.tps_mean);
        self.tps_p01 = quantile(tps, 0.01);
        self.tps_min = quantile(tps, 0.0);
        let blocks = block_medians(tps);
        self.tps_10s_median_mean = mean(&blocks);
        self.tps_10s_median_min = quantile(&blocks, 0.0);
        self.tps_10s_median_max = quantile(&blocks, 1.0);
    }

    fn set_stalls(&mut self, kept: &[SecondSample], tps: &[f64]) {
        // Where most seconds have none, any second without a transaction is a stall, if there are some at all.
        let typical = median(tps);
        let half = if typical > 0.0 { typical / 2.0 } else { self.tps_mean.min(0.5) };
        self.stall_seconds = kept.iter().filter(|s| (s.transactions as f64) < half && !s.stopped).count() as f64;
    }

    fn set_latency(&mut self, latencies: &Histogram) {
        self.latency_ms_mean = latencies.mean().as_millis_f64();
        self.latency_ms_p95 = latencies.quantile(0.95).as_millis_f64();
        self.latency_ms_p99 = latencies.quantile(0.99).as_millis_f64();
        self.latency_ms_max = latencies.max().as_millis_f64();
    }

    fn set_redo_and_ages(&mut self, kept: &[SecondSample]) {
        let redo = total(kept, |s| s.redo_generated_bytes);
        self.redo_bytes_per_s = ratio(redo, kept.len() as f64);
        self.redo_bytes_per_trx = ratio(redo, total(kept, |s| s.transactions));
        self.checkpoint_age_mean = ratio(total(kept, |s| s.checkpoint_age_bytes), kept.len() as f64);
        self.checkpoint_age_max = kept.iter().map(|s| s.checkpoint_age_bytes).max().unwrap_or(0) as f64;
        self.redo_fsyncs = total(kept, |s| s.redo_fsyncs);
        self.redo_waits = total(kept, |s| s.log_waits);
        self.free_check_waits = total(kept, |s| s.free_check_waits);
    }

    fn set_flushing(&mut self, kept: &[SecondSample]) {
        let flushed: Vec<f64> = kept.iter().map(|s| s.pages_flushed as f64).collect();
        self.dirty_pages_mean = ratio(total(kept, |s| s.dirty_pages), kept.len() as f64);
        self.pages_flushed_per_s_mean = mean(&flushed);
        self.pages_flushed_per_s_p95 = quantile(&flushed, 0.95);
        self.pages_flushed_adaptive = total(kept, |s| s.adaptive_pages);
        self.pages_flushed_background = total(kept, |s| s.background_pages);
        self.pages_flushed_sync = total(kept, |s| s.sync_pages);
        self.pages_flushed_lru = total(kept, |s| s.lru_pages);
        self.pages_flushed_single = total(kept, |s| s.single_pages);
        self.pages_flushed_neighbor = total(kept, |s| s.neighbor_pages);
        self.flushes_per_trx = ratio(total(kept, |s| s.pages_flushed), total(kept, |s| s.transactions));
        self.sync_flush_seconds = kept.iter().filter(|s| s.sync_flushing).count() as f64;
    }

    fn set_device(&mut self, kept: &[SecondSample]) {
        let seconds = kept.len() as f64;
        self.doublewrite_pages = total(kept, |s| s.dblwr_pages);
        self.doublewrite_writes = total(kept, |s| s.dblwr_writes);
        self.data_fsyncs = total(kept, |s| s.data_fsyncs);
        self.binlog_fsyncs = total(kept, |s| s.binlog_fsyncs);
        self.free_page_waits = total(kept, |s| s.wait_free);
        self.buffer_pool_reads = total(kept, |s| s.pool_reads);
        self.device_utilization = ratio(kept.iter().map(|s| s.device_utilization).sum(), seconds);
        self.device_queue_mean = ratio(kept.iter().map(|s| s.device_queue_mean).sum(), seconds);
        self.device_write_bytes_per_s = ratio(total(kept, |s| s.device_write_bytes), seconds);
    }

    fn set_purge(&mut self, kept: &[SecondSample]) {
        let seconds = kept.len() as f64;
        self.history_list_mean = ratio(total(kept, |s| s.history_list_length), seconds);
        self.history_list_max = kept.iter().map(|s| s.history_list_length).max().unwrap_or(0) as f64;
        self.history_list_end = kept.last().map_or(0, |s| s.history_list_length) as f64;
        self.purge_dml_delay_usec_mean = ratio(total(kept, |s| s.dml_delay_us), seconds);
        self.undo_truncations = total(kept, |s| s.undo_truncations);
    }

    fn set_recovery(&mut self, kept: &[SecondSample], speed: &RecoverySpeed) {
        let seconds = kept.len() as f64;
        self.recovery_redo_bytes = ratio(total(kept, |s| s.recovery_redo_bytes), seconds);
        self.recovery_pages = ratio(total(kept, |s| s.recovery_pages), seconds);
        self.recovery_s = speed.seconds(self.recovery_redo_bytes, self.recovery_pages);
    }
}

/// The rows that lie wholly after the first `warmup_s` seconds.
fn after_warmup(series: &[SecondSample], warmup_s: u64) -> &[SecondSample] {
    let first = series.partition_point(|s| s.second <= warmup_s);
    &series[first..]
}

/// All latencies after the warm-up in one histogram.
fn latencies_after(by_10s: &[Histogram], warmup_s: u64) -> Histogram {
    let whole = by_10s.get(warmup_s.div_ceil(10) as usize..).unwrap_or_default();
    let straddling = by_10s.get((warmup_s / 10) as usize..).unwrap_or_default();
    let mut merged = Histogram::new();
    for block in if whole.is_empty() { straddling } else { whole } {
        merged.merge(block);
    }
    merged
}

/// Sum of a field over all rows, exact while it fits 64 bits.
fn total(samples: &[SecondSample], field: impl Fn(&SecondSample) -> u64) -> f64 {
    samples.iter().map(|s| u128::from(field(s))).sum::<u128>() as f64
}

/// `part / whole`, and 0 of nothing.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests;
