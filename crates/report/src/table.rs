//! The table that a DBA reads after a run.
//!
//! Three columns (name, value, remark), in the blocks and words of monitoring. With several replications the remark
//! opens with the half-width of the 95 % confidence interval. No colours, no box characters: it goes into mails and
//! tickets as it is.

use crate::Report;
use crate::hints::{hint, regime_in_words};
use crate::numbers::{bytes, count, decimal, milliseconds, percent, rate, seconds};
use innosim_core::metrics::Summary;
use std::fmt::Write;

/// Width at which sentences are broken, characters.
const WIDTH: usize = 100;

/// The human summary of a run.
pub fn render_summary(report: &Report<'_>) -> String {
    let mut table = Table { text: head(report), report };
    table.throughput();
    table.ages();
    table.flushing();
    table.redo();
    table.device();
    let s = report.summary;
    let _ = writeln!(table.text, "\nRegime: {} ({})", s.regime, regime_in_words(s.regime));
    if !report.warmup_converged {
        table.sentence(
            "The run was too short to see its warm-up end: the numbers may still hold a trend. A longer \
             duration would tell.",
        );
    }
    table.sentence(&hint(report));
    table.text
}

/// Which run it was.
fn head(report: &Report<'_>) -> String {
    let id = report.identity;
    let replications =
        if id.replications > 1 { format!(", {} replications of", id.replications) } else { ",".to_owned() };
    let mut text = format!("{}\n", report.title);
    let _ = writeln!(
        text,
        "{} on {}, seed {}{replications} {} s in {} s ({} times real time), innosim {}",
        id.scenario,
        id.model,
        id.seed,
        count(id.simulated_s),
        rate(id.wall_s),
        rate(id.speed),
        id.innosim_version
    );
    if !report.settings_line.is_empty() {
        let _ = writeln!(text, "{}", report.settings_line);
    }
    let _ = writeln!(
        text,
        "Over the last {} s, after {} s of warm-up:",
        count(id.simulated_s - id.warmup_s),
        count(id.warmup_s)
    );
    text
}

struct Table<'a> {
    text: String,
    report: &'a Report<'a>,
}

impl<'a> Table<'a> {
    fn summary(&self) -> &'a Summary {
        self.report.summary
    }

    fn block(&mut self, title: &str) {
        let _ = writeln!(self.text, "\n{title}");
    }

    fn row(&mut self, name: &str, value: &str, remark: &str) {
        let line = format!("  {name:<22}{value:>14}   {remark}");
        let _ = writeln!(self.text, "{}", line.trim_end());
    }

    /// A row for the summary field `field`, with its interval before the remark.
    fn mean(&mut self, name: &str, field: &str, value: f64, show: fn(f64) -> String, remark: &str) {
        let half = self.report.replications.and_then(|r| r.half_width(field));
        let parts = [half.map(|h| format!("\u{b1} {}", show(h))), Some(remark.to_owned())];
        let remark: Vec<String> = parts.into_iter().flatten().filter(|p| !p.is_empty()).collect();
        self.row(name, &show(value), &remark.join("; "));
    }

    fn sentence(&mut self, sentence: &str) {
        let mut column = 0;
        for word in sentence.split(' ') {
            let width = word.chars().count();
            if column > 0 && column + 1 + width > WIDTH {
                self.text.push('\n');
                column = 0;
            } else if column > 0 {
                self.text.push(' ');
                column += 1;
            }
            self.text.push_str(word);
            column += width;
        }
        self.text.push('\n');
    }

    fn throughput(&mut self) {
        let s = self.summary();
        self.block("Throughput and latency");
        let worst = format!(
            "varies by {}; 1 % of seconds at {} or less, worst {}",
            percent(s.tps_cv),
            rate(s.tps_p01),
            rate(s.tps_min)
        );
        self.mean("transactions/s", "tps_mean", s.tps_mean, rate, &worst);
        let range = format!("from {} to {}", rate(s.tps_10s_median_min), rate(s.tps_10s_median_max));
        self.mean("medians of 10 s", "tps_10s_median_mean", s.tps_10s_median_mean, rate, &range);
        if s.stall_seconds > 0.0 {
            self.mean("stalled seconds", "stall_seconds", s.stall_seconds, rate, "under half the median");
        }
        self.mean("latency, mean", "latency_ms_mean", s.latency_ms_mean, milliseconds, "");
        self.mean("95 %", "latency_ms_p95", s.latency_ms_p95, milliseconds, "");
        self.mean("99 %", "latency_ms_p99", s.latency_ms_p99, milliseconds, "");
        self.mean("largest", "latency_ms_max", s.latency_ms_max, milliseconds, "");
    }

    fn ages(&mut self) {
        let s = self.summary();
        self.block("Checkpoint age");
        let of_limit = |age: f64| match s.checkpoint_age_limit {
            limit if limit > 0.0 => format!("{} of the limit", percent(age / limit)),
            _ => String::new(),
        };
        self.mean("mean", "checkpoint_age_mean", s.checkpoint_age_mean, bytes, &of_limit(s.checkpoint_age_mean));
        self.mean("largest", "checkpoint_age_max", s.checkpoint_age_max, bytes, &of_limit(s.checkpoint_age_max));
        let others = format!("async; sync at {}, stop at {}", bytes(s.age_sync_limit), bytes(s.age_stop_limit));
        if s.checkpoint_age_limit > 0.0 {
            self.row("limit", &bytes(s.checkpoint_age_limit), &others);
        }
        if s.free_check_waits > 0.0 {
            self.mean("waits for a checkpoint", "free_check_waits", s.free_check_waits, count, "");
        }
    }

    fn flushing(&mut self) {
        let s = self.summary();
        self.block("Flushing");
        let p95 = format!("95 % of seconds at {} or less", rate(s.pages_flushed_per_s_p95));
        self.mean("pages/s", "pages_flushed_per_s_mean", s.pages_flushed_per_s_mean, rate, &p95);
        self.mean("pages/transaction", "flushes_per_trx", s.flushes_per_trx, rate, "");
        let kinds = [
            ("adaptive", "pages_flushed_adaptive", s.pages_flushed_adaptive),
            ("background", "pages_flushed_background", s.pages_flushed_background),
            ("sync", "pages_flushed_sync", s.pages_flushed_sync),
            ("LRU", "pages_flushed_lru", s.pages_flushed_lru),
            ("single page", "pages_flushed_single", s.pages_flushed_single),
        ];
        let all: f64 = kinds.iter().map(|(.., pages)| pages).sum();
        // Neighbours are flushed with a page of one of the kinds, and counted there.
        let neighbors = ("of these neighbours", "pages_flushed_neighbor", s.pages_flushed_neighbor);
        for (name, field, pages) in kinds.into_iter().chain([neighbors]).filter(|&(.., pages)| pages > 0.0) {
            self.mean(name, field, pages, count, &percent(pages / all));
        }
        self.mean("dirty pages", "dirty_pages_mean", s.dirty_pages_mean, count, "");
        if s.free_page_waits > 0.0 {
            self.mean("waits for a free page", "free_page_waits", s.free_page_waits, count, "");
        }
    }

    fn redo(&mut self) {
        let s = self.summary();
        self.block("Redo log");
        let by_trx = format!("{} a transaction", bytes(s.redo_bytes_per_trx));
        self.mean("bytes/s", "redo_bytes_per_s", s.redo_bytes_per_s, bytes, &by_trx);
        self.mean("syncs", "redo_fsyncs", s.redo_fsyncs, count, "");
        self.mean("log buffer waits", "redo_waits", s.redo_waits, count, "");
        if s.recovery_redo_bytes > 0.0 {
            let work = format!("{} to scan, {} pages to read", bytes(s.recovery_redo_bytes), count(s.recovery_pages));
            self.mean("recovery of a crash", "recovery_s", s.recovery_s, seconds, &work);
        }
    }

    fn device(&mut self) {
        let s = self.summary();
        self.block("Device");
        let queue = format!("mean queue {}", rate(s.device_queue_mean));
        self.mean("busy", "device_utilization", s.device_utilization, percent, &queue);
        self.mean("written/s", "device_write_bytes_per_s", s.device_write_bytes_per_s, bytes, "");
        if s.doublewrite_writes > 0.0 {
            let batch = format!("{} pages a batch", decimal(s.doublewrite_pages / s.doublewrite_writes, 1));
            self.mean("doublewrite batches", "doublewrite_writes", s.doublewrite_writes, count, &batch);
        }
        self.mean("pages read", "buffer_pool_reads", s.buffer_pool_reads, count, "");
    }
}
