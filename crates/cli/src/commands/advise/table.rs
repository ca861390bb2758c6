//! The advice for people: what was found, what is missing, how far to trust it, the answer.

use super::folder::{Folder, Lack, holds};
use super::json::points;
use crate::args::AdviseArgs;
use crate::output::wrapped;
use crate::text_table::TextTable;
use innosim_experiments::advise::{Advice, why};
use innosim_experiments::recommend::Answer;
use innosim_experiments::validate::Metric;
use innosim_report::numbers::{bytes, count, rate};

/// Files that are told one by one.
const MOST_FILES: usize = 20;

pub(super) fn render(folder: &Folder, missing: &[Lack], advice: &Advice, args: &AdviseArgs) -> String {
    let mut text = String::new();
    if !folder.files.is_empty() {
        text.push_str("Found\n");
        let mut files = TextTable::new(&["file", "holds"]);
        for file in folder.files.iter().take(MOST_FILES) {
            files.row(vec![file.path.display().to_string(), holds(file).to_owned()]);
        }
        text.push_str(&files.render());
        if folder.files.len() > MOST_FILES {
            text.push_str(&format!("and {} more\n", folder.files.len() - MOST_FILES));
        }
        text.push('\n');
    }
    if !missing.is_empty() {
        text.push_str("Missing, and what brings it\n");
        for lack in missing {
            text.push_str(&wrapped(&format!("{}, for {}:", lack.what, lack.purpose), 2));
            text.push_str(&wrapped(&lack.statement, 6));
        }
        text.push('\n');
    }
    text.push_str(&load(advice, args));
    text.push_str(&backtest(advice));
    text.push_str(&answer(advice, args));
    text
}

fn load(advice: &Advice, args: &AdviseArgs) -> String {
    let load = &advice.load;
    let driven = match load.clients {
        Some(clients) => format!("made by {clients} clients that are always busy"),
        None => "as it came".to_owned(),
    };
    let times = if args.load == 1.0 { String::new() } else { format!(", taken {} times", args.load) };
    let cpu = if load.cpu_us.1 { "" } else { " (not measured)" };
    let mut text = format!(
        "The load\nA unit of work is a {}: {} a second, {driven}{times}, each with {} bytes of redo and {} us of CPU time{cpu}\n",
        load.unit,
        rate(load.rate),
        count(load.redo_bytes),
        count(load.cpu_us.0)
    );
    let mut bins = TextTable::new(&[">pages", ">each modified once in"]);
    for (rate, pages) in &load.bins {
        let units = 1.0 / rate;
        bins.row(vec![count(*pages), format!("{} units, {} of redo", count(units), bytes(units * load.redo_bytes))]);
    }
    text.push_str(&bins.render());
    for ((value, low, high), turns) in load.dirty.into_iter().zip([1.0, 2.0]) {
        text.push_str(&format!(
            "Dirty pages at an age of {}: {} (from {} to {} as far as the recording tells)\n",
            bytes(turns * load.largest_age),
            count(value),
            count(low),
            count(high)
        ));
    }
    for remark in &load.remarks {
        text.push_str(&wrapped(&format!("Note: {remark}"), 0));
    }
    text.push('\n');
    text
}

fn backtest(advice: &Advice) -> String {
    let mut text = format!("Back-test: the first half predicts the second, on the device: {}\n", advice.device);
    let mut table = TextTable::new(&["metric", ">observed", ">predicted", ">error"]);
    for metric in &advice.backtest.validation.metrics {
        let number = |value: f64| {
            let is_bytes = metric.name.starts_with("checkpoint_age") || metric.name.starts_with("redo_bytes");
            if is_bytes { bytes(value) } else { count(value) }
        };
        table.row(vec![metric.name.into(), number(metric.observed), number(metric.predicted), error(metric)]);
    }
    text.push_str(&table.render());
    text.push('\n');
    text
}

fn error(metric: &Metric) -> String {
    metric.error().map_or_else(|| "-".to_owned(), |error| format!("{:+.1} %", 100.0 * error))
}

fn answer(advice: &Advice, args: &AdviseArgs) -> String {
    let Some(answer) = &advice.answer else {
        let why = advice.refused.as_deref().unwrap_or_default();
        return wrapped(&format!("Nothing is advised: {why}"), 0);
    };
    let mut text = candidates(answer);
    text.push('\n');
    text.push_str(&wrapped(&why(answer, args.goal.goal()), 0));
    if let Some(refused) = &advice.refused {
        text.push_str(&wrapped(&format!("Nothing is advised: {refused}."), 0));
        return text;
    }
    let values: Vec<u64> = points(advice, answer).iter().map(|point| point.io_capacity_max).collect();
    let (low, high) = (values.iter().min(), values.iter().max());
    if let (Some(low), Some(high)) = (low, high) {
        text.push_str(&wrapped(
            &format!(
                "What the recording leaves open (working set, device, load) puts {} between {low} and {high}.",
                answer.space.searched()
            ),
            0,
        ));
    }
    if let Some(caution) = &advice.caution {
        text.push_str(&wrapped(&format!("Caution: {caution}."), 0));
    }
    for world in advice.worlds.iter().filter(|world| world.best.is_none()) {
        text.push_str(&wrapped(&format!("With {} no setting would be good.", world.name), 0));
    }
    if answer.best.point == answer.current.point {
        text.push_str("\nLeave it as it is.\n");
        return text;
    }
    text.push_str("\nTry:\n");
    for statement in answer.space.statements(answer.best.point) {
        text.push_str(&format!("  {statement}\n"));
    }
    text
}

fn candidates(answer: &Answer) -> String {
    let mut table = TextTable::new(&[
        answer.space.searched(),
        ">redo",
        "",
        ">throughput",
        ">p99 ms",
        ">stalls s",
        ">age used",
        ">written a day",
        "regime",
    ]);
    for row in &answer.candidates {
        let mean = |name: &str| row.change(name).map_or(0.0, |change| change.value.mean);
        let mark = match row.point {
            point if point == answer.best.point => "best",
            point if point == answer.current.point => "now",
            _ => "",
        };
        table.row(vec![
            row.point.io_capacity_max.to_string(),
            bytes(row.point.redo_bytes as f64),
            mark.into(),
            rate(mean("tps_mean")),
            format!("{:.1}", mean("latency_ms_p99")),
            count(mean("stall_seconds")),
            format!("{:.0} %", 100.0 * (1.0 - mean("checkpoint_age_headroom"))),
            bytes(mean("write_bytes_per_day")),
            if row.sound { row.regime.name().to_owned() } else { format!("{}, not sound", row.regime.name()) },
        ]);
    }
    table.render()
}
