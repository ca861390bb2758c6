//! Settings that would change what happened, and what came of trying them.

use crate::numbers::{bytes, count, decimal, milliseconds, percent, rate};
use innosim_explain::{Reason, What};

/// A change smaller than this is called none.
const NONE: f64 = 0.005;

pub(super) fn text(what: &What) -> String {
    match what {
        What::WouldChange { setting, present, value, reason } => {
            let why = match reason {
                Reason::CeilingBeforeLimit => "flushing stood at it before the age met its limit",
                Reason::AgeAtLimit => {
                    "the age met its limit; a larger redo log puts that off and flushes fewer pages per transaction"
                }
                Reason::DoublewriteShort => "page writes fell short while the device was not full",
                Reason::FreePageWaits => "user threads waited for free pages",
                Reason::LogBufferFull => "the log buffer was full",
                Reason::RoomLeft => "the age never used its room; less flushing writes fewer pages a transaction",
            };
            format!(
                "To look at: {setting} ({} now, try {}): {why}.",
                amount(setting, *present),
                amount(setting, *value)
            )
        }
        What::Tried { .. } => tried(what),
        _ => String::new(),
    }
}

/// A setting's value: sizes in bytes are spelt as such.
fn amount(setting: &str, value: f64) -> String {
    if ["_size", "_capacity_bytes", "redo_log_capacity"].iter().any(|end| setting.ends_with(end)) {
        bytes(value)
    } else {
        count(value)
    }
}

fn tried(what: &What) -> String {
    let What::Tried {
        setting,
        present,
        value,
        tps,
        stall_seconds,
        sync_flush_seconds,
        latency_ms_p99,
        age_share_of_limit,
        flushes_per_trx,
        regime,
        age_was_rising,
    } = what
    else {
        return String::new();
    };
    let from_to =
        |name: &str, pair: &[f64; 2], show: fn(f64) -> String| format!("{name} {} to {}", show(pair[0]), show(pair[1]));
    let mut parts = vec![format!("throughput {} ({} to {} a second)", change(tps), rate(tps[0]), rate(tps[1]))];
    for (name, pair) in [("sync flushing", sync_flush_seconds), ("stalls", stall_seconds)] {
        if pair[0] > 0.0 || pair[1] > 0.0 {
            parts.push(format!("{} s", from_to(name, pair, count)));
        }
    }
    parts.push(from_to("99 % latency", latency_ms_p99, milliseconds));
    parts.push(format!("{} of its async limit", from_to("mean age", age_share_of_limit, percent)));
    parts.push(format!("pages flushed a transaction {}", change(flushes_per_trx)));
    if regime[0] != regime[1] {
        parts.push(format!("regime {} to {}", regime[0].name(), regime[1].name()));
    }
    let rising =
        if *age_was_rising { " Its age was still rising at the end: a longer run may say otherwise." } else { "" };
    format!(
        "Tried {setting} = {} instead of {}: {}.{rising}",
        amount(setting, *value),
        amount(setting, *present),
        parts.join(", ")
    )
}

/// A change in percent, in words.
fn change(pair: &[f64; 2]) -> String {
    let share = if pair[0] > 0.0 { pair[1] / pair[0] - 1.0 } else { 0.0 };
    let sign = if share > 0.0 { "+" } else { "" };
    if share.abs() < NONE { "as before".to_owned() } else { format!("{sign}{} %", decimal(share * 100.0, 1)) }
}
