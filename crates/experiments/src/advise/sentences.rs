//! Why a setting is advised, in sentences: what is wrong with the present one, what is gained, what it costs.

use crate::recommend::{Answer, Goal, Row};
use innosim_core::metrics::Regime;

/// Changes below this share are no change.
const WORTH_NAMING: f64 = 0.005;

/// The sentences.
pub fn why(answer: &Answer, goal: Goal) -> String {
    let (now, best) = (&answer.current, &answer.best);
    let name = answer.space.searched();
    let mut sentences = Vec::new();
    if now.point == best.point {
        let how =
            if now.sound { "runs without stalls and sync flushing" } else { "stalls least of all that were tried" };
        sentences.push(format!("The present {name} = {} {how}, and nothing that was tried is better", value(now)));
    } else if !now.sound && best.sound {
        sentences.push(format!(
            "With the present {name} = {} {}; {} is the lowest of the best that were tried, and has none of that",
            value(now),
            trouble(now),
            value(best)
        ));
    } else {
        let of_goal = match goal {
            Goal::Throughput => "no setting that was tried has a higher throughput, and this is the lowest of those",
            Goal::Latency => "its 99th percentile of latency is the lowest at nearly the best throughput",
            Goal::Writes => "it writes fewest bytes for a unit of work at the present throughput",
        };
        sentences.push(format!(
            "Of the settings that were tried, {} to {}, {of_goal}",
            lowest(answer),
            highest(answer)
        ));
    }
    sentences.extend(changes(now, best));
    let largest = best.change("checkpoint_age_headroom").map(|headroom| 1.0 - headroom.value.mean);
    match largest {
        Some(used) if used > 1.0 => sentences.push(format!(
            "The checkpoint age passes the limit from which on the server hurries, by {:.0} % at most, without sync flushing:              there is little room, and a higher setting leaves more",
            100.0 * (used - 1.0)
        )),
        Some(used) => {
            sentences.push(format!("The checkpoint age uses at most {:.0} % of its limit then", 100.0 * used));
        }
        None => {}
    }
    sentences.join(". ") + "."
}

fn value(row: &Row) -> u64 {
    row.point.io_capacity_max
}

fn lowest(answer: &Answer) -> u64 {
    answer.candidates.iter().map(value).min().unwrap_or_default()
}

fn highest(answer: &Answer) -> u64 {
    answer.candidates.iter().map(value).max().unwrap_or_default()
}

/// What is wrong with a setting that is not sound.
fn trouble(row: &Row) -> String {
    let stalls = row.mean("stall_seconds");
    let used = row.change("checkpoint_age_headroom").map_or(0.0, |headroom| 1.0 - headroom.value.mean);
    let of_regime = match row.regime {
        Regime::Waves => "throughput swings in waves".to_owned(),
        Regime::Overloaded => "the server can't keep up with the load".to_owned(),
        _ => format!(
            "the server lives by sync flushing ({:.0} s of the time that counts)",
            row.mean("sync_flush_seconds")
        ),
    };
    let stalled =
        if stalls >= 1.0 { format!(", stalls for {stalls:.0} s of the time that counts") } else { String::new() };
    format!("{of_regime}{stalled}, as the checkpoint age comes to {:.0} % of its limit", 100.0 * used)
}

/// What changes between two settings.
fn changes(now: &Row, best: &Row) -> Option<String> {
    if now.point == best.point {
        return None;
    }
    let names = [
        ("tps_mean", "throughput"),
        ("latency_ms_p95", "95th percentile of latency"),
        ("latency_ms_p99", "99th percentile of latency"),
        ("write_bytes_per_day", "bytes written to the device"),
    ];
    let change = |(metric, words): &(&str, &str)| {
        let change = best.change(metric)?.relative?;
        (change.abs() >= WORTH_NAMING).then(|| format!("{words} {:+.1} %", 100.0 * change))
    };
    let told: Vec<String> = names.iter().filter_map(change).collect();
    (!told.is_empty()).then(|| format!("Against the present setting: {}", told.join(", ")))
}
