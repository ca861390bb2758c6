//! A recommendation for people, in 100 columns: the verdict, the few rows that matter, what it depends on.

use super::why::sentences;
use crate::header::load_and_device;
use crate::outcome::VERSION;
use crate::output::{shell_line, wrapped};
use crate::text_table::TextTable;
use innosim_experiments::recommend::{Answer, Change, Goal, Input, Limit, Row, Stress, Verdict};
use innosim_report::numbers::{bytes, count, decimal, percent, rate, seconds};
use std::time::Duration;

/// Settings within this share of the best throughput are called equal.
const EQUAL: f64 = 0.005;

/// The recommendation; with a row for every setting if `all`.
pub(super) fn render(answer: &Answer, goal: Goal, wall: Duration, all: bool, asked: &str) -> String {
    let mut text = head(answer, goal);
    text.push_str(&verdict(answer, goal, asked));
    text.push('\n');
    text.push_str(&candidates(answer, all));
    text.push_str(&wrapped(&figures(&answer.current, answer), 0));
    if !answer.sensitivity.is_empty() || !answer.stressed.is_empty() {
        text.push_str("\nIf an input is off, and what the server must survive\n");
        text.push_str(&what_if(answer));
    }
    text.push('\n');
    text.push_str(&wrapped(&runs(answer, wall), 0));
    text
}

fn head(answer: &Answer, goal: Goal) -> String {
    let scenario = &answer.scenario;
    let goal = match goal {
        Goal::Throughput => "most throughput without stalls",
        Goal::Latency => "lowest 99 % latency without stalls",
        Goal::Writes => "fewest bytes written at no loss",
    };
    let mut text = format!("{}\n{} on {}: {goal}\n", scenario.title, scenario.name, scenario.model);
    load_and_device(scenario).iter().for_each(|line| text.push_str(&wrapped(line, 0)));
    text.push('\n');
    text
}

fn verdict(answer: &Answer, goal: Goal, asked: &str) -> String {
    let (name, best, now) = (answer.space.searched(), answer.best.point, answer.current.point);
    let mut text = match &answer.verdict {
        Verdict::Refused(_) => wrapped("No recommendation.", 0),
        Verdict::Keep(_) => wrapped(&format!("Leave {name} = {} as it is.", now.io_capacity_max), 0),
        Verdict::Try if best.io_capacity_max == now.io_capacity_max => {
            wrapped(&format!("Try a redo log of {}, and {name} as it is.", bytes(best.redo_bytes as f64)), 0)
        }
        Verdict::Try => {
            let redo = if best.redo_bytes == now.redo_bytes {
                String::new()
            } else {
                format!(" with a redo log of {}", bytes(best.redo_bytes as f64))
            };
            let set = format!("{} instead of {}{redo}", best.io_capacity_max, now.io_capacity_max);
            wrapped(&format!("Try {name} = {set} first.{}", second_setting(answer)), 0)
        }
    };
    text.push_str(&wrapped(&sentences(answer, goal), 0));
    if let Some(left_out) = answer.left_out_in_words() {
        text.push_str(&wrapped(&format!("{left_out} (--time-limit)."), 0));
    }
    if let Some(gain) = answer.redo_gains_at_most {
        let size = bytes(answer.best.point.redo_bytes as f64);
        text.push_str(&wrapped(
            &format!(
                "A redo log larger than {size} is not worth trying: writing half the pages would gain {}.",
                percent(gain)
            ),
            0,
        ));
    }
    text.push_str(&limits(answer, asked));
    if answer.refused().is_some() {
        return text;
    }
    if let Some(safer) = answer.safer.as_ref().filter(|safer| safer.point != now) {
        let price = safer.change("tps_mean").map(relative).unwrap_or_default();
        text.push_str(&wrapped(
            &format!(
                "It stands near an edge: with an input off as below it fails. {} holds in every case (throughput {price} against \
                 now): take it if you are not sure of the inputs.",
                safer.point.io_capacity_max
            ),
            0,
        ));
    }
    if let Some(fewest) = &answer.fewest_writes {
        text.push_str(&wrapped(&fewest_writes(fewest), 0));
    }
    if let Some(other) = &answer.with_reserve {
        text.push_str(&wrapped(&with_reserve(other), 0));
    }
    text.push_str(&statements(answer));
    text
}

/// That a second setting changes with the one that was searched.
fn second_setting(answer: &Answer) -> String {
    let (best, now) = (answer.best.point, answer.current.point);
    if best.io_capacity == now.io_capacity || answer.space.searched() == "innodb_io_capacity" {
        return String::new();
    }
    format!(
        " innodb_io_capacity changes with it, from {} to {}, so that the whole multiple of the two stays as it is.",
        now.io_capacity, best.io_capacity
    )
}

/// What shows the limit, and how twice the redo log does.
fn limits(answer: &Answer, asked: &str) -> String {
    let command = |words: &[&str]| shell_line(words.iter().map(|word| (*word).to_owned()));
    let mut text = String::new();
    if let Some(larger) = &answer.larger_redo {
        let change = |metric: &str| larger.change(metric).map(relative).unwrap_or_default();
        text.push_str(&wrapped(
            &format!(
                "With a redo log of {} and the present capacities: throughput {}, 95 % latency {}, 99 % latency {}, writes per \
                 day {}, {} of the async limit in reserve, {} s of stalls.",
                bytes(larger.point.redo_bytes as f64),
                change("tps_mean"),
                change("latency_ms_p95"),
                change("latency_ms_p99"),
                change("write_bytes_per_day"),
                percent(larger.mean("checkpoint_age_headroom").max(0.0)),
                rate(larger.mean("stall_seconds")),
            ),
            0,
        ));
        text.push_str(&format!("Next: {}\n", command(&["innosim", "recommend", asked, "--redo"])));
    }
    if answer.limit().is_some_and(|limit| limit != Limit::Redo) {
        text.push_str(&format!("What shows it: {}\n", command(&["innosim", "explain", asked])));
    }
    if answer.refused().is_some() && !answer.measure_first.is_empty() {
        text.push_str("Measure first:\n");
        let all = answer.measure_first.iter();
        all.for_each(|input| text.push_str(&wrapped(&format!("- {}", input.how_to_measure()), 2)));
    }
    text
}

/// The setting with the fewest writes, which leaves no reserve.
pub(crate) fn fewest_writes(row: &Row) -> String {
    let change = row.change("write_bytes_per_day").map(relative).unwrap_or_default();
    let other = row.change("tps_mean").filter(|change| change.relative.is_some_and(|share| share.abs() > EQUAL));
    let throughput = other.map(|change| format!("throughput {}, ", relative(change))).unwrap_or_default();
    format!(
        "Fewest writes, no reserve: {} ({throughput}writes per day {change}; it leaves {} of the async limit).",
        row.point.io_capacity_max,
        percent(row.mean("checkpoint_age_headroom").max(0.0))
    )
}

/// The best setting that leaves a reserve, where the answer leaves none.
pub(crate) fn with_reserve(row: &Row) -> String {
    format!(
        "With {} of the async limit in reserve: {} (throughput {} against now). Take it if seconds of stall hurt: a real server at its \
         age limit has more of them than are simulated.",
        percent(row.mean("checkpoint_age_headroom")),
        row.point.io_capacity_max,
        row.change("tps_mean").map(relative).unwrap_or_default()
    )
}

/// What to type, how to keep it and how to go back; nothing where nothing changes.
fn statements(answer: &Answer) -> String {
    let statements = answer.statements();
    if statements.is_empty() {
        return String::new();
    }
    let mut text = String::from("\n");
    statements.iter().for_each(|statement| text.push_str(&format!("{statement}\n")));
    text.push_str(&keep_and_go_back(answer));
    text
}

/// One line how settings are kept over a restart, and one how to go back.
pub(crate) fn keep_and_go_back(answer: &Answer) -> String {
    let keep =
        if answer.scenario.model.name().starts_with("mysql-8") || answer.scenario.model.name().starts_with("mysql-9") {
            "To keep it: SET PERSIST instead of SET GLOBAL."
        } else {
            "To keep it: the same lines in my.cnf, without SET GLOBAL."
        };
    let back = answer.space.back(answer.best.point).join(" ");
    wrapped(&format!("{keep} To go back: {back}"), 0)
}

/// The rows to show: now, best, safer, fewest writes and one neighbour on each side, or all.
pub(crate) fn shown(answer: &Answer, all: bool) -> Vec<&Row> {
    let best = answer.candidates.iter().position(|row| row.point == answer.best.point).unwrap_or(0);
    let named = |row: &Row| {
        let is = |other: &Option<Row>| other.as_ref().is_some_and(|other| other.point == row.point);
        row.point == answer.current.point || is(&answer.safer) || is(&answer.fewest_writes) || is(&answer.with_reserve)
    };
    let keep = |(at, row): (usize, &'_ Row)| all || at.abs_diff(best) <= 1 || named(row);
    let mut rows: Vec<&Row> = Vec::new();
    for (at, row) in answer.candidates.iter().enumerate() {
        if keep((at, row)) {
            rows.push(row);
        }
    }
    rows.extend(&answer.larger_redo);
    rows
}

fn candidates(answer: &Answer, all: bool) -> String {
    let rows = shown(answer, all);
    let redo = rows.iter().any(|row| row.point.redo_bytes != answer.current.point.redo_bytes);
    let first = if redo { ">pages/s, redo" } else { ">pages/s" };
    let heads = [first, "", ">tps", ">change", ">95 %", ">99 %", ">stall s", ">sync s", ">reserve", ">writes"];
    let mut table = TextTable::new(&heads);
    for row in rows {
        let point = row.point;
        let name = if redo {
            format!("{}, {}M", point.io_capacity_max, point.redo_bytes >> 20)
        } else {
            point.io_capacity_max.to_string()
        };
        let now = point == answer.current.point;
        let short = |metric: &str| match row.change(metric).and_then(|change| change.relative) {
            Some(share) if !now => signed(share),
            _ => "-".to_owned(),
        };
        table.row(vec![
            name,
            mark(answer, row).to_owned(),
            rate(row.mean("tps_mean")),
            if now { "-".to_owned() } else { row.change("tps_mean").map(relative).unwrap_or_default() },
            short("latency_ms_p95"),
            short("latency_ms_p99"),
            rate(row.mean("stall_seconds")),
            rate(row.mean("sync_flush_seconds")),
            percent(row.mean("checkpoint_age_headroom").max(0.0)),
            short("write_bytes_per_day"),
        ]);
    }
    let mut text = table.render();
    text.push_str(&wrapped(&equals(answer), 0));
    text.push_str(&wrapped(
        &format!(
            "pages/s: {}. Changes are to now, under the same random numbers; \u{b1}: half of a 95 % interval over seeds, the \
             model's own error apart. 95 %, 99 %: latency. \
             Reserve: share of the async limit of the checkpoint age that was never used. Writes: bytes per day, extrapolated from \
             {} s.",
            answer.space.searched(),
            count(answer.plan.window_s(1.0) as f64)
        ),
        0,
    ));
    text
}

fn mark(answer: &Answer, row: &Row) -> &'static str {
    let is = |other: &Option<Row>| other.as_ref().is_some_and(|other| other.point == row.point);
    let best = row.point == answer.best.point && answer.refused().is_none();
    match (row.point == answer.current.point, best) {
        (true, true) => "now, best",
        (true, false) => "now",
        (false, true) => "best",
        _ if is(&answer.safer) && answer.refused().is_none() => "safer",
        _ if is(&answer.fewest_writes) => "no reserve",
        _ if is(&answer.with_reserve) => "reserve",
        _ => "",
    }
}

/// The settings whose throughput equals that of the best, on one line.
fn equals(answer: &Answer) -> String {
    let best = answer.best.mean("tps_mean");
    let equal = |row: &&Row| {
        row.point.redo_bytes == answer.best.point.redo_bytes && (row.mean("tps_mean") - best).abs() <= EQUAL * best
    };
    let values: Vec<u64> = answer.candidates.iter().filter(equal).map(|row| row.point.io_capacity_max).collect();
    let tried = answer.candidates.len();
    match (values.first(), values.last()) {
        (Some(low), Some(high)) if low < high => {
            format!("Equal throughput within 0.5 %: {low} to {high}. {tried} settings were tried; --all prints each.")
        }
        _ => format!("{tried} settings were tried; --all prints each."),
    }
}

/// The present figures that the differences are to.
fn figures(row: &Row, answer: &Answer) -> String {
    format!(
        "Now: {} tps, latency {} ms (95 %) and {} ms (99 %), {} written per day ({}-s window), {} to recover from a crash ({} of \
         redo, {} pages).",
        rate(row.mean("tps_mean")),
        rate(row.mean("latency_ms_p95")),
        rate(row.mean("latency_ms_p99")),
        bytes(row.mean("write_bytes_per_day")),
        count(answer.plan.window_s(1.0) as f64),
        seconds(row.mean("recovery_s")),
        bytes(row.mean("recovery_redo_bytes")),
        count(row.mean("recovery_pages"))
    )
}

/// A change in percent, with its interval.
fn relative(change: &Change) -> String {
    let Some(share) = change.relative else { return "-".to_owned() };
    let interval = change.relative_ci95.map_or(String::new(), |half| format!(" \u{b1}{}", decimal(half * 100.0, 1)));
    format!("{}{}{interval} %", if share >= 0.0 { "+" } else { "" }, decimal(share * 100.0, 1))
}

/// A change in percent, short.
fn signed(share: f64) -> String {
    let decimals = usize::from(share.abs() < 0.995);
    format!("{}{} %", if share >= 0.0 { "+" } else { "" }, decimal(share * 100.0, decimals))
}

fn what_if(answer: &Answer) -> String {
    let mut table = TextTable::new(&["case", ">pages/s", ">tps", "runs", ">best there", ">loss"]);
    for s in &answer.sensitivity {
        let input = match s.input {
            Input::WorkingSet => "write working set",
            Input::DeviceSpeed => "speed of the device",
        };
        table.row(vec![
            format!("{input} {}{} %", if s.change > 0.0 { "+" } else { "" }, decimal(s.change * 100.0, 0)),
            answer.best.point.io_capacity_max.to_string(),
            rate(s.tps),
            if s.sound { "smoothly" } else { "with stalls or sync flushing" }.to_owned(),
            s.best_there.io_capacity_max.to_string(),
            percent(s.loss),
        ]);
    }
    for one in &answer.stressed {
        let case = match one.stress {
            Stress::Surge => "load 25 % higher for 30 s",
            Stress::AgeAtLimit => "age starts at its limit, 60 s",
        };
        let stalled = format!("{} s of stalls", count(one.figures.stall_seconds));
        table.row(vec![
            case.to_owned(),
            one.point.io_capacity_max.to_string(),
            rate(one.figures.tps_mean),
            if one.comes_through { "without a stall".to_owned() } else { stalled },
            String::new(),
            String::new(),
        ]);
    }
    table.render()
}

/// How many runs, of what length, and which ended before it.
fn runs(answer: &Answer, wall: Duration) -> String {
    let plan = &answer.plan;
    let length = match plan.turn_s {
        Some(turn) => format!(
            "{} s each (two and a half turns of the redo log of {} s, or more), of which the last {} s count{}",
            count(plan.duration_s as f64),
            count(turn),
            count(plan.window_s(1.0) as f64),
            if plan.warm_start { "; all pages in the buffer pool from the start" } else { "" }
        ),
        None => format!("{} s each, as given", count(plan.duration_s as f64)),
    };
    let early = answer.ended_early;
    let saved = match early.at_rest + early.no_answer {
        0 => String::new(),
        some => format!("; {some} ended early, which saved {} s", count(early.saved_s as f64)),
    };
    let flows = match early.flows {
        0 => String::new(),
        some => format!("; {some} as flows with exact seconds"),
    };
    let wall = rate(wall.as_secs_f64());
    let seed = answer.scenario.run.seed;
    format!("{} runs in {wall} s, of {length}{saved}{flows}; seed {seed}, innosim {VERSION}", answer.runs)
}
