//! Why an answer is one, in sentences: what is paid first, then what is gained, relative to the present setting.

use innosim_experiments::recommend::{Answer, Effect, Goal, Verdict};
use innosim_report::numbers::{bytes, count, decimal, percent};

/// The sentences.
pub(super) fn sentences(answer: &Answer, goal: Goal) -> String {
    let window = count(answer.plan.window_s(1.0) as f64);
    match &answer.verdict {
        Verdict::Refused(refusal) => format!("{}.", capital(&refusal.why)),
        Verdict::Keep(why) if why.is_empty() => {
            let more = answer.candidates.len().saturating_sub(1);
            format!("None of the {more} other settings tried is better: it has {}.", what_is_best(goal))
        }
        Verdict::Keep(why) => format!("{}.", capital(why)),
        Verdict::Try => {
            let mut gained: Vec<String> = answer.why.gained.iter().map(|effect| in_words(effect, &window)).collect();
            if let Some((now, then)) = answer.why.regime {
                gained.push(format!("the regime is {} instead of {}", then.name(), now.name()));
            }
            let paid: Vec<String> = answer.why.paid.iter().map(|effect| in_words(effect, &window)).collect();
            let paid = if paid.is_empty() { "none measurable".to_owned() } else { paid.join(", ") };
            let room = match &answer.with_reserve {
                Some(_) => {
                    " It leaves less than 10 % of the async limit in reserve: to keep that would cost more than a tenth."
                }
                None if !answer.best.has_reserve() => " It leaves less than 10 % of the async limit in reserve.",
                None => "",
            };
            format!("Cost: {paid}. Gained: {}. It has {}.{room}", gained.join(", "), what_is_best(goal))
        }
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().collect::<String>() + chars.as_str())
}

fn what_is_best(goal: Goal) -> &'static str {
    match goal {
        Goal::Throughput => "the highest throughput; of equals within 0.5 %, the lowest setting with a reserve",
        Goal::Latency => "the lowest 99 % latency at no more than 5 % less throughput than the best",
        Goal::Writes => "the fewest bytes written per transaction at no loss of throughput",
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
            format!("{} of the async limit in reserve instead of {}", percent(then.max(0.0)), percent(now.max(0.0)))
        }
        "write_bytes_per_day" => format!("writes per day {relative} ({} for {})", bytes(then), bytes(now)),
        "tps_mean" => format!("throughput {relative}"),
        "latency_ms_p95" => format!("95 % latency {relative}"),
        "latency_ms_p99" => format!("99 % latency {relative}"),
        "flushes_per_trx" => format!("pages flushed per transaction {relative}"),
        other => format!("{other} {relative}"),
    }
}
