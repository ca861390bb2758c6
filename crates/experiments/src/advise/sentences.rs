//! Why a setting is advised, in sentences: what is wrong with the present one, what is gained, what it costs.

use super::backtest::{Backtest, Reproduced};
use crate::recommend::{Answer, Goal, RESERVE, Row, Verdict};
use innosim_core::metrics::Regime;

/// Seconds of a day.
const DAY_S: f64 = 86_400.0;

/// Changes below this share are no change.
const WORTH_NAMING: f64 = 0.005;

/// The sentences; nothing is told of latency and bytes written that the back-test did not reproduce.
pub fn why(answer: &Answer, goal: Goal, test: &Backtest) -> String {
    let (now, best) = (&answer.current, &answer.best);
    let name = answer.space.searched();
    let mut sentences = Vec::new();
    if now.point == best.point {
        sentences.push(match &answer.verdict {
            Verdict::Keep(why) if !why.is_empty() => {
                format!("The present {name} = {} stays. {}", value(now), capitalized(why))
            }
            _ => format!("Nothing that was tried is better than the present {name} = {}", value(now)),
        });
    } else if !now.sound && best.sound {
        sentences.push(format!(
            "With the present {name} = {} {}; {} has none of that",
            value(now),
            trouble(now),
            value(best)
        ));
    } else {
        sentences.push(match goal {
            Goal::Throughput => why_its_throughput(answer),
            Goal::Latency if test.latency() != Reproduced::Yes => {
                "Its simulated latency is the lowest at nearly the best throughput, and the back-test does not show that \
                 simulated latencies hold here"
                    .to_owned()
            }
            Goal::Latency => "Its 99th percentile of latency is the lowest at nearly the best throughput".to_owned(),
            Goal::Writes => "It writes fewest bytes per unit of work at the present throughput".to_owned(),
        });
    }
    sentences.extend(changes(now, best, test));
    let reserve = best.mean("checkpoint_age_headroom");
    sentences.push(if reserve >= RESERVE {
        format!("It leaves {:.0} % of the async limit of the checkpoint age in reserve", 100.0 * reserve)
    } else if reserve >= WORTH_NAMING {
        format!("It leaves no more than {:.0} % of the async limit of the checkpoint age in reserve", 100.0 * reserve)
    } else {
        "The checkpoint age comes to its async limit: nothing is left in reserve".to_owned()
    });
    sentences.join(". ") + "."
}

/// With a capital first letter.
fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn value(row: &Row) -> u64 {
    row.point.io_capacity_max
}

/// Which settings have the same throughput, and which of them this is.
fn why_its_throughput(answer: &Answer) -> String {
    let best = answer.best.mean("tps_mean");
    let is_equal = |row: &&Row| row.sound && (row.mean("tps_mean") - best).abs() <= WORTH_NAMING * best;
    let values = || answer.candidates.iter().filter(is_equal).map(value);
    let (low, high) = (values().min().unwrap_or_default(), values().max().unwrap_or_default());
    if let Some(other) = &answer.with_reserve {
        return format!(
            "{} has more than a tenth more throughput than {}, the best that keeps a reserve",
            value(&answer.best),
            value(other)
        );
    }
    if low == high {
        return format!("{low} has the highest throughput of the settings that were tried");
    }
    format!(
        "{low} to {high} give equal throughput; {} is the lowest of them that keeps a reserve with an input off, or the lowest that \
         has one",
        value(&answer.best)
    )
}

/// What is wrong with a setting that is not sound.
fn trouble(row: &Row) -> String {
    let stalls = row.mean("stall_seconds");
    let used = row.change("checkpoint_age_headroom").map_or(0.0, |headroom| 1.0 - headroom.value.mean);
    let of_regime = match row.regime {
        Regime::Waves => "throughput swings in waves".to_owned(),
        Regime::Overloaded => "the server can't keep up with the load".to_owned(),
        _ => format!(
            "the server depends on sync flushing ({:.0} s of the time that counts)",
            row.mean("sync_flush_seconds")
        ),
    };
    let stalled =
        if stalls >= 1.0 { format!(", stalls for {stalls:.0} s of the time that counts") } else { String::new() };
    format!("{of_regime}{stalled}, as the checkpoint age comes to {:.0} % of its limit", 100.0 * used)
}

/// What changes between two settings.
fn changes(now: &Row, best: &Row, test: &Backtest) -> Option<String> {
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
        let is_off = |reproduced| matches!(reproduced, Reproduced::Off(..));
        if metric.starts_with("latency") && test.latency() != Reproduced::Yes
            || *metric == "write_bytes_per_day" && is_off(test.written())
        {
            return None;
        }
        let change = best.change(metric)?.relative?;
        (change.abs() >= WORTH_NAMING).then(|| format!("{words} {:+.1} %", 100.0 * change))
    };
    let told: Vec<String> = names.iter().filter_map(change).collect();
    (!told.is_empty()).then(|| format!("Against the present setting: {}", told.join(", ")))
}

/// What the answer can't tell because the back-test does not show that it is predicted, a sentence each.
pub fn not_known(answer: &Answer, test: &Backtest) -> Vec<String> {
    let latency = match test.latency() {
        Reproduced::Yes => None,
        Reproduced::NotRecorded => Some(
            "Latency is not predicted: none of this load's transactions was recorded, so nothing shows that the simulated one \
             holds. sysbench's log in the folder, or another client's, tells it"
                .to_owned(),
        ),
        Reproduced::Off(observed, predicted) => Some(format!(
            "Latency is not predicted: its {} percentile was {observed:.1} ms where it was recorded, and the back-test has \
             {predicted:.1} ms",
            test.percentile().ordinal()
        )),
    };
    let (now, best) = (answer.current.mean("write_bytes_per_day"), answer.best.mean("write_bytes_per_day"));
    let written = match test.written() {
        Reproduced::Off(observed, predicted) => {
            let change = (best - now) / DAY_S;
            let other = if predicted < observed {
                "the rest is not simulated: perhaps the binary log, other programs, redo that is written more than once"
            } else {
                "the disk merges or leaves out some of it"
            };
            Some(format!(
                "The disk wrote {:.0} MB a second, and the back-test has {:.0}: {other}. So bytes are told as a difference: \
                 {:+.0} MB a second, {:+.1} % of what the disk wrote",
                observed / 1e6,
                predicted / 1e6,
                change / 1e6,
                100.0 * change / observed.max(1.0)
            ))
        }
        _ => None,
    };
    latency.into_iter().chain(written).collect()
}
