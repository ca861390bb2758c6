//! The regime in words, and one sentence that teaches: what was seen, why it matters, which setting to try.
//!
//! A hint is given only when the numbers show its cause. The first that applies is the one that is told: an overload
//! explains everything below it, a full device everything that flushing does, and so on down to praise.

use crate::Report;
use crate::numbers::{bytes, count, mean_count, percent, rate};
use innosim_core::metrics::Regime;

/// Busy share above which a device is called full.
const DEVICE_FULL: f64 = 0.95;
/// A capped flush rate lies this close to its cap.
const AT_CAP: f64 = 0.97;
/// Mean age below this share of the limit leaves room that could save writes.
const ROOMY: f64 = 0.6;
/// Mean age above this share of the limit leaves little room for a spike.
const TIGHT: f64 = 0.9;

/// The regime in words.
pub fn regime_in_words(regime: Regime) -> &'static str {
    match regime {
        Regime::Idle => "next to no transactions",
        Regime::Steady => "throughput holds its level",
        Regime::Rippled => "throughput varies, but not in waves that the checkpoint age drives",
        Regime::Waves => "throughput collapses and recovers as the checkpoint age meets its limit",
        Regime::Overloaded => "work arrives faster than it is done",
    }
}

/// The one thing worth saying about a run.
pub fn hint(report: &Report<'_>) -> String {
    let s = report.summary;
    if !s.has_transactions() {
        return "No transaction finished after the warm-up; check the workload and the duration.".to_owned();
    }
    trouble(report).or_else(|| waits(report)).unwrap_or_else(|| balance(report))
}

/// Hints about a run that is held back.
fn trouble(report: &Report<'_>) -> Option<String> {
    let s = report.summary;
    let age_share = s.checkpoint_age_mean / s.checkpoint_age_limit.max(1.0);
    let full = s.device_utilization >= DEVICE_FULL;
    let busy = percent(s.device_utilization);
    let capped = report.io_capacity_max.filter(|&cap| s.pages_flushed_per_s_mean >= AT_CAP * cap as f64);
    if s.regime == Regime::Overloaded {
        let waiting = report.output.series.last().map_or(0, |last| last.arrivals_waiting);
        return Some(format!(
            "{} transactions wait at the end and the queue does not drain: this server does {} per second at most.",
            count(waiting as f64),
            rate(s.tps_mean)
        ));
    }
    if s.regime == Regime::Waves || s.sync_flush_seconds > 0.0 {
        return Some(format!("{} {}", age_pressure(report), age_remedy(report)));
    }
    if full {
        return Some(format!(
            "The device is {busy} busy: flushing competes with redo syncs and reads; a lower {} or a larger redo \
             log writes fewer pages per transaction.",
            flushing_setting(report)
        ));
    }
    capped.filter(|_| age_share >= TIGHT).map(|cap| {
        format!(
            "innodb_io_capacity_max = {} caps flushing while the age stands at {} of its limit: the next spike meets \
             sync flushing.",
            count(cap as f64),
            percent(age_share)
        )
    })
}

/// How the age limit made itself felt.
fn age_pressure(report: &Report<'_>) -> String {
    let s = report.summary;
    let felt = if s.sync_flush_seconds > 0.0 {
        format!("Sync flushing ran in {} s", mean_count(s.sync_flush_seconds))
    } else if s.free_check_waits > 0.0 {
        format!("User threads waited {} times for a checkpoint", mean_count(s.free_check_waits))
    } else {
        "Throughput moves with the checkpoint age".to_owned()
    };
    let limit = bytes(s.checkpoint_age_limit);
    format!("{felt}: redo is made faster than its pages are flushed, until the age limit of {limit} stops it.")
}

/// What to try against it.
fn age_remedy(report: &Report<'_>) -> String {
    let busy = report.summary.device_utilization;
    if busy >= DEVICE_FULL {
        return format!(
            "The device is {} busy, so only a larger redo log (fewer flushes per transaction) can help.",
            percent(busy)
        );
    }
    format!("Raise {} so that flushing keeps up before the limit, or enlarge the redo log.", flushing_setting(report))
}

/// The setting that bounds background flushing in this model.
fn flushing_setting(report: &Report<'_>) -> &'static str {
    if report.io_capacity_max.is_some() { "innodb_io_capacity_max" } else { "innodb_io_capacity" }
}

/// Hints about waits that a setting cures.
fn waits(report: &Report<'_>) -> Option<String> {
    let s = report.summary;
    if s.free_page_waits > 0.0 {
        return Some(format!(
            "User threads waited {} times for a free page: LRU flushing falls behind; look at innodb_lru_scan_depth and \
             the size of the pool.",
            mean_count(s.free_page_waits)
        ));
    }
    (s.redo_waits > 0.0).then(|| {
        format!(
            "The log buffer was full {} times: a larger innodb_log_buffer_size takes the waits away.",
            mean_count(s.redo_waits)
        )
    })
}

/// What to say of a run without trouble.
fn balance(report: &Report<'_>) -> String {
    let s = report.summary;
    if s.checkpoint_age_limit <= 0.0 {
        return "This model has no limit on the checkpoint age.".to_owned();
    }
    let share = percent(s.checkpoint_age_mean / s.checkpoint_age_limit);
    match s.checkpoint_age_mean / s.checkpoint_age_limit {
        // What it comes to is not seen yet.
        used if used < ROOMY && report.age_rises => format!(
            "The checkpoint age is at {share} of its limit in the mean and was still rising when the run ended: a longer run \
             shows where it comes to rest."
        ),
        used if used < ROOMY && report.flushing_is_lowest => format!(
            "The checkpoint age uses {share} of its limit, with {} at its least value.",
            flushing_setting(report)
        ),
        used if used < ROOMY && s.flushes_per_trx > 0.0 => format!(
            "The checkpoint age uses {share} of its limit: pages are flushed earlier than the redo log demands; a lower {} \
             would write fewer pages per transaction.",
            flushing_setting(report)
        ),
        used if used > TIGHT => format!(
            "The checkpoint age stands at {share} of its limit without sync flushing: efficient, but with little room for \
             a spike."
        ),
        _ => format!("The checkpoint age holds at {share} of its limit without sync flushing: a balanced setting."),
    }
}
