//! A recommendation for people: a row a setting, what it depends on, and the statements.

use super::why::sentences;
use crate::outcome::VERSION;
use crate::output::wrapped;
use crate::text_table::TextTable;
use innosim_experiments::recommend::{Answer, Change, Goal, Input, Row};
use innosim_report::numbers::{bytes, count, decimal, percent, rate, seconds};
use std::time::Duration;

/// The recommendation.
pub(super) fn render(answer: &Answer, goal: Goal, wall: Duration) -> String {
    let mut text = head(answer, goal, wall);
    text.push_str(&candidates(answer));
    text.push('\n');
    text.push_str(&wrapped(
        "Differences are to the present setting, under the same random numbers; \u{b1} is half of a 95 % interval. \
         Settings with one run had lost by then. Sync: seconds with sync flushing. Headroom: share of the age limit that was never used. No setting that \
         stalls, runs in waves or lives by sync flushing is an answer.",
        0,
    ));
    if !answer.sensitivity.is_empty() {
        text.push_str("\nIf an input is off\n");
        text.push_str(&sensitivity(answer));
    }
    text.push('\n');
    text.push_str(&verdict(answer, goal));
    text
}

fn head(answer: &Answer, goal: Goal, wall: Duration) -> String {
    let scenario = &answer.scenario;
    let length = match answer.plan.turn_s {
        Some(turn) => format!(
            "{} s each, at least two and a half turns of the redo log ({} s), of which the last {} s count{}",
            count(answer.plan.duration_s as f64),
            count(turn),
            count(answer.plan.window_s(1.0) as f64),
            if answer.plan.warm_start { "; all pages in the buffer pool from the start" } else { "" }
        ),
        None => format!("{} s each, as given", count(answer.plan.duration_s as f64)),
    };
    let runs = format!(
        "{} runs in {} s, of {length}{}; seed {}, innosim {VERSION}",
        answer.runs,
        rate(wall.as_secs_f64()),
        ended_early(answer),
        scenario.run.seed
    );
    let goal = match goal {
        Goal::Throughput => "most throughput without stalls",
        Goal::Latency => "lowest 99 % latency without stalls",
        Goal::Writes => "fewest bytes written at no loss",
    };
    format!("{}\n{} on {}: {goal}\n{}\n", scenario.title, scenario.name, scenario.model, wrapped(&runs, 0))
}

/// Which runs did not take their planned length.
fn ended_early(answer: &Answer) -> String {
    let early = answer.ended_early;
    let at_rest = (early.at_rest > 0).then(|| format!("{} at rest", early.at_rest));
    let no_answer = (early.no_answer > 0).then(|| format!("{} that lived by sync flushing", early.no_answer));
    let which: Vec<String> = at_rest.into_iter().chain(no_answer).collect();
    if which.is_empty() {
        return String::new();
    }
    format!(
        "; ended early, with figures of the last turn of the checkpoint age (half a turn where no answer): {} ({} s saved of {} s)",
        which.join(", "),
        count(early.saved_s as f64),
        count(answer.simulated_s + early.saved_s as f64)
    )
}

fn candidates(answer: &Answer) -> String {
    let redo = answer.candidates.iter().any(|row| row.point.redo_bytes != answer.current.point.redo_bytes);
    let mut table = TextTable::new(&[
        if redo { ">I/O capacity, redo" } else { ">I/O capacity" },
        "",
        ">tps",
        ">difference",
        ">95 % latency",
        ">99 % latency",
        ">stalls, s",
        ">sync, s",
        ">headroom",
        ">writes a day",
        ">recovery",
        "regime",
        ">runs",
    ]);
    for row in &answer.candidates {
        let point = row.point;
        let name = if redo {
            format!("{}, {}", point.io_capacity_max, bytes(point.redo_bytes as f64))
        } else {
            point.io_capacity_max.to_string()
        };
        let mark = match (row.point == answer.current.point, row.point == answer.best.point) {
            (true, true) => "now, best",
            (true, false) => "now",
            (false, true) => "best",
            _ if answer.safer.as_ref().is_some_and(|safer| safer.point == point) => "safer",
            _ => "",
        };
        let now = row.point == answer.current.point;
        let change =
            |metric: &str| if now { "-".to_owned() } else { row.change(metric).map(relative).unwrap_or_default() };
        table.row(vec![
            name,
            mark.to_owned(),
            rate(row.mean("tps_mean")),
            change("tps_mean"),
            change("latency_ms_p95"),
            change("latency_ms_p99"),
            rate(row.mean("stall_seconds")),
            rate(row.mean("sync_flush_seconds")),
            percent(row.mean("checkpoint_age_headroom").max(0.0)),
            change("write_bytes_per_day"),
            seconds(row.mean("recovery_s")),
            row.regime.name().to_owned(),
            row.replications.to_string(),
        ]);
    }
    let now = figures(&answer.current);
    format!("{}\n{}", table.render(), wrapped(&format!("Present setting: {now}"), 0))
}

/// The present figures that the differences are to.
fn figures(row: &Row) -> String {
    format!(
        "{} tps, latency {} ms (95 %) and {} ms (99 %), {} written a day, {} to recover from a crash ({} of redo, {} pages)",
        rate(row.mean("tps_mean")),
        rate(row.mean("latency_ms_p95")),
        rate(row.mean("latency_ms_p99")),
        bytes(row.mean("write_bytes_per_day")),
        seconds(row.mean("recovery_s")),
        bytes(row.mean("recovery_redo_bytes")),
        count(row.mean("recovery_pages"))
    )
}

/// A change in percent, with its interval.
fn relative(change: &Change) -> String {
    let Some(share) = change.relative else { return String::new() };
    let sign = if share >= 0.0 { "+" } else { "" };
    let interval = change.relative_ci95.map_or(String::new(), |half| format!(" \u{b1}{}", decimal(half * 100.0, 1)));
    format!("{sign}{}{interval} %", decimal(share * 100.0, 1))
}

fn sensitivity(answer: &Answer) -> String {
    let mut table = TextTable::new(&["input", ">off by", ">tps", "runs", ">best there", ">loss"]);
    for s in &answer.sensitivity {
        let input = match s.input {
            Input::WorkingSet => "write working set",
            Input::DeviceSpeed => "speed of the device",
        };
        table.row(vec![
            input.to_owned(),
            format!("{}{} %", if s.change > 0.0 { "+" } else { "" }, decimal(s.change * 100.0, 0)),
            rate(s.tps),
            if s.sound { "smoothly" } else { "with stalls or sync flushing" }.to_owned(),
            s.best_there.io_capacity_max.to_string(),
            percent(s.loss),
        ]);
    }
    table.render()
}

fn verdict(answer: &Answer, goal: Goal) -> String {
    let best = answer.best.point;
    let name = answer.space.searched();
    if let Some(reason) = &answer.refused {
        let first = if answer.measure_first.is_empty() { "" } else { " Measure first:" };
        let mut text = wrapped(&format!("No recommendation yet: {reason}.{first}"), 0);
        for input in &answer.measure_first {
            text.push_str(&wrapped(&format!("- {}", input.how_to_measure()), 2));
        }
        text.push_str(&wrapped(&format!("The best as the scenario stands is {name} = {}.", best.io_capacity_max), 0));
        text.push_str(&wrapped(&sentences(answer, goal), 0));
        return text;
    }
    let gain = match goal {
        Goal::Throughput => answer.best.change("tps_mean"),
        Goal::Latency => answer.best.change("latency_ms_p99"),
        Goal::Writes => answer.best.change("flushes_per_trx"),
    };
    let what = match goal {
        Goal::Throughput => "throughput",
        Goal::Latency => "99 % latency",
        Goal::Writes => "flushes a transaction",
    };
    let mut text = if best == answer.current.point {
        wrapped(&format!("The present setting, {name} = {}, is the best found.", best.io_capacity_max), 0)
    } else {
        let gain = gain.map(relative).unwrap_or_default();
        wrapped(&format!("Try {name} = {} first: {what} {gain}.", best.io_capacity_max), 0)
    };
    text.push_str(&wrapped(&sentences(answer, goal), 0));
    if answer.plateau.len() > 1 {
        let as_good: Vec<String> = answer.plateau.iter().map(|point| point.io_capacity_max.to_string()).collect();
        text.push_str(&wrapped(&format!("As good within the grain of the goal: {}.", as_good.join(", ")), 0));
    }
    if let Some(safer) = &answer.safer {
        let price = safer.change("tps_mean").map(relative).unwrap_or_default();
        text.push_str(&wrapped(
            &format!(
                "It stands near an edge: where an input is off as above it stalls. {} holds in every case (throughput \
                 {price} against now): take it if you are not sure of the inputs.",
                safer.point.io_capacity_max
            ),
            0,
        ));
    }
    text.push('\n');
    for statement in answer.space.statements(best) {
        text.push_str(&format!("{statement}\n"));
    }
    text
}
