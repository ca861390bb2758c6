//! Why an answer is one, in sentences: what is gained and what it costs, relative to the present setting.

use innosim_experiments::recommend::{Answer, Effect, Goal};
use innosim_report::numbers::{bytes, count, decimal, percent};

/// The sentences.
pub(super) fn sentences(answer: &Answer, goal: Goal) -> String {
    let why = &answer.why;
    let window = count(answer.plan.window_s(1.0) as f64);
    if why.stays {
        let more = answer.candidates.len().saturating_sub(1);
        let unsound = if why.present_is_unsound {
            " It stalls, runs in waves or lives by sync flushing, as everything else that was tried does."
        } else {
            ""
        };
        return format!("None of the {more} other settings tried is better: {}.{unsound}", what_is_best(goal));
    }
    let mut gained: Vec<String> = why.gained.iter().map(|effect| in_words(effect, &window)).collect();
    if let Some((now, then)) = why.regime {
        gained.push(format!("the regime is {} instead of {}", then.name(), now.name()));
    }
    let paid: Vec<String> = why.paid.iter().map(|effect| in_words(effect, &window)).collect();
    let list = |list: &[String]| if list.is_empty() { "nothing that can be told".to_owned() } else { list.join(", ") };
    let verdict = if why.present_is_unsound && answer.best.sound {
        format!(
            " The present setting is no answer, whatever its mean: it stalls, runs in waves or lives by sync flushing. Of \
             those that do not, this has {}.",
            what_is_best(goal)
        )
    } else if why.present_is_unsound {
        " Neither is an answer: both stall, run in waves or live by sync flushing; this one least.".to_owned()
    } else {
        format!(" Of the settings that hold, it has {}.", what_is_best(goal))
    };
    format!("Gained against now: {}. Paid: {}.{verdict}", list(&gained), list(&paid))
}

fn what_is_best(goal: Goal) -> &'static str {
    match goal {
        Goal::Throughput => "the highest throughput (of equals, within 0.5 %, the lowest setting is taken)",
        Goal::Latency => "the lowest 99 % latency at no more than 5 % less throughput than the best",
        Goal::Writes => "the fewest bytes written a transaction at no more than 1 % less throughput than now",
    }
}

fn in_words(effect: &Effect, window: &str) -> String {
    let change = &effect.change;
    let (now, then) = (effect.now, change.value.mean);
    let interval = change.relative_ci95.map_or(String::new(), |half| format!(" \u{b1}{}", decimal(half * 100.0, 1)));
    let share = change.relative.unwrap_or(0.0);
    let relative = format!("{}{}{interval} %", if share >= 0.0 { "+" } else { "" }, decimal(share * 100.0, 1));
    match change.metric {
        "sync_flush_seconds" => format!("sync flushing in {} s instead of {} s of {window} s", count(then), count(now)),
        "stall_seconds" => format!("{} s of stalls instead of {} s", count(then), count(now)),
        "checkpoint_age_headroom" => {
            format!("headroom of {} instead of {}", percent(then.max(0.0)), percent(now.max(0.0)))
        }
        "write_bytes_per_day" => format!("writes a day {relative} ({} for {})", bytes(then), bytes(now)),
        "tps_mean" => format!("throughput {relative}"),
        "latency_ms_p95" => format!("95 % latency {relative}"),
        "latency_ms_p99" => format!("99 % latency {relative}"),
        "flushes_per_trx" => format!("pages flushed a transaction {relative}"),
        other => format!("{other} {relative}"),
    }
}
