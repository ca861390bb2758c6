//! The table that a DBA reads after a run.
//!
//! First the verdict: regime, one sentence, and the figures that answer most questions. All figures, in three columns (name, value,
//! remark) and the blocks and words of monitoring, are [`render_all_figures`]. With several replications the remark
//! opens with the half-width of the 95 % confidence interval. No colours, no box characters: it goes into mails and
//! tickets as it is.

use crate::Report;
use crate::hints::{hint, regime_in_words};
use crate::lines::flowing;
use crate::numbers::{bytes, count, decimal, mean_count, milliseconds, percent, rate, seconds};
use innosim_core::metrics::Summary;
use std::fmt::Write;

/// Width at which sentences are broken, characters.
const WIDTH: usize = 100;

/// Runs below this length say little even of a tiny redo log, seconds.
const LEAST_S: f64 = 30.0;
/// Fillings of the redo log after which a run shows where it comes to rest.
const FILLINGS: f64 = 2.5;

/// The human summary of a run: the verdict, and ten lines.
pub fn render_summary(report: &Report<'_>) -> String {
    let mut table = Table { text: head(report), report };
    if let Some(why) = too_short(report) {
        table.sentence(&why);
        return table.text;
    }
    table.verdict();
    table.in_short();
    table.text
}

/// The verdict, and every figure.
pub fn render_all_figures(report: &Report<'_>) -> String {
    let mut table = Table { text: head(report), report };
    match too_short(report) {
        Some(why) => table.sentence(&why),
        None => table.verdict(),
    }
    table.throughput();
    table.ages();
    table.flushing();
    table.redo();
    table.device();
    table.text
}

/// What to say of a run that ended before the redo log was full once, with the age or the throughput still on the move.
pub fn too_short(report: &Report<'_>) -> Option<String> {
    let at_rest = report.warmup_converged && !report.age_rises;
    too_short_to_tell(report.identity.simulated_s, report.log_fill_s?, at_rest)
}

/// The same of a load that fills the redo log in `fill` seconds.
pub fn too_short_to_tell(simulated_s: f64, fill: f64, at_rest: bool) -> Option<String> {
    if simulated_s >= fill || (at_rest && simulated_s >= LEAST_S) {
        return None;
    }
    let enough = (FILLINGS * fill / LEAST_S).ceil() * LEAST_S;
    Some(format!(
        "Too short to tell: this load fills the redo log in {} s, and the run had {}. Give --duration {}s.",
        count(fill),
        count(simulated_s),
        enough.max(2.0 * LEAST_S)
    ))
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
    for line in std::iter::once(&report.settings_line).chain(&report.load_and_device).filter(|line| !line.is_empty()) {
        let _ = writeln!(text, "{line}");
    }
    let _ = writeln!(
        text,
        "Over the last {} s, after {} s of warm-up:\n",
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
        self.spread_row(name, field, show(value), show, remark);
    }

    fn spread_row(&mut self, name: &str, field: &str, shown: String, show: impl Fn(f64) -> String, remark: &str) {
        let spread = self.spread(field, show);
        let between = if spread.is_empty() || remark.is_empty() { "" } else { "; " };
        self.row(name, &shown, &format!("{}{between}{remark}", spread.trim_start()));
    }

    fn sentence(&mut self, sentence: &str) {
        self.text.push_str(&flowing(sentence, "", 0, WIDTH));
        self.text.push('\n');
    }

    /// Regime and the one sentence.
    fn verdict(&mut self) {
        let s = self.summary();
        let _ = writeln!(self.text, "Regime: {} ({})", s.regime, regime_in_words(s.regime));
        if !self.report.warmup_converged {
            self.sentence(
                "The run was too short to see its warm-up end: the numbers may still hold a trend. A longer \
                 duration would tell.",
            );
        }
        self.sentence(&hint(self.report));
        if let Some(interval_us) = self.report.output.undecided_log_threads_us(self.report.identity.warmup_s) {
            self.sentence(&format!(
                "Requests for redo come every {interval_us} us (median). It is open whether the log threads of a server would sleep \
                 or spin, and keep doing so: its redo syncs and writes may be several times those below, or a fraction."
            ));
        }
    }

    /// Half of a figure's 95 % interval, if there are replications.
    fn spread(&self, field: &str, show: impl Fn(f64) -> String) -> String {
        let half = self.report.replications.and_then(|spread| spread.half_width(field));
        half.map(|half| format!(" \u{b1} {}", show(half))).unwrap_or_default()
    }

    fn line(&mut self, name: &str, text: &str) {
        let _ = writeln!(self.text, "  {name:<16}{text}");
    }

    /// The figures that answer most questions.
    fn in_short(&mut self) {
        let s = self.summary();
        let seconds_measured = self.measured_s();
        self.text.push('\n');
        let tps = format!("{}{}", rate(s.tps_mean), self.spread("tps_mean", rate));
        self.line("throughput", &format!("{tps} transactions/s; 1 % of seconds at {} or less", rate(s.tps_p01)));
        let p95 = format!("{}{}", milliseconds(s.latency_ms_p95), self.spread("latency_ms_p95", milliseconds));
        let tail = format!("99 % {}, largest {}", milliseconds(s.latency_ms_p99), milliseconds(s.latency_ms_max));
        self.line("latency", &format!("95 % {p95}, {tail}"));
        if s.stall_seconds > 0.0 {
            let of = count(seconds_measured);
            self.line("stalls", &format!("{} of {of} s under half the median throughput", rate(s.stall_seconds)));
        }
        if s.checkpoint_age_limit > 0.0 {
            let limit = s.checkpoint_age_limit;
            let share = |age: f64| percent(age / limit);
            self.line(
                "checkpoint age",
                &format!(
                    "mean {}, {} of the async limit of {}; largest {}",
                    bytes(s.checkpoint_age_mean),
                    share(s.checkpoint_age_mean),
                    bytes(limit),
                    share(s.checkpoint_age_max)
                ),
            );
        }
        let sync = match s.sync_flush_seconds {
            none if none <= 0.0 => String::new(),
            some => format!("; sync flushing in {} s", mean_count(some)),
        };
        let flushed = format!("{}{}", rate(s.pages_flushed_per_s_mean), self.spread("pages_flushed_per_s_mean", rate));
        self.line("flushing", &format!("{flushed} pages/s, {} pages per transaction{sync}", rate(s.flushes_per_trx)));
        if let Some(fill) = self.report.log_fill_s {
            self.line(
                "redo log",
                &format!("{} per second: the log wraps in {} s", bytes(s.redo_bytes_per_s), count(fill)),
            );
        }
        let written = bytes(s.device_write_bytes_per_s);
        self.line("device", &format!("{} busy, {written} written per second", percent(s.device_utilization)));
        if s.recovery_redo_bytes > 0.0 {
            let work =
                format!("{} of redo to apply, {} pages to read", bytes(s.recovery_redo_bytes), count(s.recovery_pages));
            self.line("crash recovery", &format!("{} on this device: {work}", seconds(s.recovery_s)));
        }
        self.line("", "(all figures: --verbose)");
    }

    fn measured_s(&self) -> f64 {
        (self.report.identity.simulated_s - self.report.identity.warmup_s).max(1.0)
    }

    /// A row for a count, as a rate over the time after warm-up.
    fn per_second(&mut self, name: &str, field: &str, total: f64, remark: &str) {
        let measured = self.measured_s();
        let per_second = |total: f64| rate(total / measured);
        self.spread_row(name, field, per_second(total), per_second, remark);
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
            self.per_second(
                "checkpoint waits/s",
                "free_check_waits",
                s.free_check_waits,
                "user threads that waited for a checkpoint",
            );
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
            self.per_second(name, field, pages, &format!("pages/s; {}", percent(pages / all)));
        }
        self.mean("dirty pages, mean", "dirty_pages_mean", s.dirty_pages_mean, count, "");
        if s.free_page_waits > 0.0 {
            self.per_second("free page waits/s", "free_page_waits", s.free_page_waits, "");
        }
    }

    fn redo(&mut self) {
        let s = self.summary();
        self.block("Redo log");
        let by_trx = format!("{} per transaction", bytes(s.redo_bytes_per_trx));
        self.mean("bytes/s", "redo_bytes_per_s", s.redo_bytes_per_s, bytes, &by_trx);
        self.per_second("syncs/s", "redo_fsyncs", s.redo_fsyncs, "");
        self.per_second("log buffer waits/s", "redo_waits", s.redo_waits, "");
        if s.recovery_redo_bytes > 0.0 {
            let work = format!("{} to scan, {} pages to read", bytes(s.recovery_redo_bytes), count(s.recovery_pages));
            self.mean("recovery of a crash", "recovery_s", s.recovery_s, seconds, &work);
        }
    }

    fn device(&mut self) {
        let s = self.summary();
        self.block("Device");
        let queue = format!("{} requests queued in the mean", rate(s.device_queue_mean));
        self.mean("busy", "device_utilization", s.device_utilization, percent, &queue);
        self.mean("written/s", "device_write_bytes_per_s", s.device_write_bytes_per_s, bytes, "");
        if s.doublewrite_writes > 0.0 {
            let batch = format!("{} pages per batch", decimal(s.doublewrite_pages / s.doublewrite_writes, 1));
            self.per_second("doublewrite batches/s", "doublewrite_writes", s.doublewrite_writes, &batch);
        }
        self.per_second("pages read/s", "buffer_pool_reads", s.buffer_pool_reads, "");
    }
}
