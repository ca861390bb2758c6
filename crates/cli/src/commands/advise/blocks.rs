//! The advice for people: what was found, what is missing, how far to trust it, the answer. As parts of a page, which the
//! terminal shows as text.

use super::super::recommend::table::{fewest_writes, keep_and_go_back, shown, with_reserve};
use super::super::validate::error_text;
use super::folder::{Folder, Lack};
use super::json::{points, statements};
use crate::args::AdviseArgs;
use crate::header::load_and_device;
use crate::output::wrapped;
use crate::text_table::TextTable;
use innosim_experiments::advise::{Advice, DiskSeen, WithoutNeighbors, not_known, why};
use innosim_experiments::recommend::{Answer, Row};
use innosim_experiments::validate::Metric;
use innosim_report::Block;
use innosim_report::numbers::{bytes, count, decimal, percent, rate};

/// Files that are told one by one.
const MOST_FILES: usize = 20;
/// Heading of the part that a page has first.
pub(super) const ANSWER: &str = "The answer";

/// All of it.
pub(super) fn blocks(folder: &Folder, missing: &[Lack], advice: &Advice, args: &AdviseArgs) -> Vec<Block> {
    let mut blocks = answer(advice, args);
    blocks.extend(load(advice, args));
    blocks.extend(backtest(advice));
    blocks.extend(found(folder));
    blocks.extend(lacks(missing));
    blocks
}

/// The parts as text for a terminal.
pub(super) fn as_text(blocks: &[Block]) -> String {
    let mut text = String::new();
    for block in blocks {
        match block {
            Block::Heading(heading) if text.is_empty() => text.push_str(&format!("{heading}\n")),
            Block::Heading(heading) => text.push_str(&format!("\n{heading}\n")),
            Block::Text(paragraph) => text.push_str(&wrapped(paragraph, 0)),
            Block::Code(lines) => lines.lines().for_each(|line| text.push_str(&format!("  {line}\n"))),
            Block::Table { heads, rows } => {
                let mut table = TextTable::new(heads);
                rows.iter().for_each(|row| table.row(row.clone()));
                text.push_str(&table.render());
            }
            Block::Picture { .. } => {}
        }
    }
    text
}

fn heading(text: &str) -> Block {
    Block::Heading(text.to_owned())
}

fn table(heads: &[&str], rows: Vec<Vec<String>>) -> Block {
    Block::Table { heads: heads.iter().map(|head| (*head).to_owned()).collect(), rows }
}

fn found(folder: &Folder) -> Vec<Block> {
    if folder.files.is_empty() {
        return Vec::new();
    }
    let told = folder.files.iter().take(MOST_FILES);
    let rows = told.map(|file| vec![file.path.display().to_string(), file.holds.clone()]).collect();
    let mut blocks = vec![heading("Found"), table(&["file", "holds"], rows)];
    if folder.files.len() > MOST_FILES {
        blocks.push(Block::Text(format!("and {} more", folder.files.len() - MOST_FILES)));
    }
    blocks
}

fn lacks(missing: &[Lack]) -> Vec<Block> {
    if missing.is_empty() {
        return Vec::new();
    }
    let one = |lack: &Lack| {
        [Block::Text(format!("{}, for {}:", lack.what, lack.purpose)), Block::Code(lack.statement.clone())]
    };
    std::iter::once(heading("Missing, and what brings it")).chain(missing.iter().flat_map(one)).collect()
}

fn load(advice: &Advice, args: &AdviseArgs) -> Vec<Block> {
    let load = &advice.load;
    let driven = match load.clients {
        Some(clients) => format!("made by {clients} clients that are always busy"),
        None => "as it came".to_owned(),
    };
    let times = if args.load == 1.0 { String::new() } else { format!(", taken {} times", args.load) };
    let cpu = if load.cpu_us.1 { "" } else { " (not measured)" };
    let rows = load.bins.iter().map(|(rate, pages)| {
        let units = 1.0 / rate;
        vec![count(*pages), format!("{} units, {} of redo", count(units), bytes(units * load.redo_bytes))]
    });
    let dirty = load.dirty.into_iter().zip([1.0, 2.0]).map(|((value, low, high), turns)| {
        Block::Text(format!(
            "Dirty pages at an age of {}: {} (from {} to {} as far as the recording tells)",
            bytes(turns * load.largest_age),
            count(value),
            count(low),
            count(high)
        ))
    });
    let mut blocks = vec![
        heading("The load"),
        Block::Text(format!(
            "A unit of work is a {}: {} per second, {driven}{times}{}, {} us of CPU time each{cpu}",
            load.unit,
            rate(load.rate),
            if is_redo(advice) { String::new() } else { format!(", with {} bytes of redo", count(load.redo_bytes)) },
            count(load.cpu_us.0)
        )),
        table(&[">pages", "each modified once in"], rows.collect()),
    ];
    if load.freed_pages >= 1.0 {
        let pages = count(load.freed_pages);
        blocks.push(Block::Text(format!(
            "Besides, {pages} dirty pages of undo logs are freed before they would be flushed, and not written"
        )));
    }
    blocks.extend(dirty);
    blocks.extend(load.remarks.iter().map(|remark| Block::Text(format!("Note: {remark}"))));
    blocks
}

fn backtest(advice: &Advice) -> Vec<Block> {
    let number = |metric: &Metric, value: f64| {
        let is_bytes =
            ["checkpoint_age", "redo_bytes", "device_write_bytes"].iter().any(|name| metric.name.starts_with(name));
        if metric.name.starts_with("latency") {
            decimal(value, 2)
        } else if is_bytes {
            bytes(value)
        } else {
            count(value)
        }
    };
    let row = |metric: &Metric| {
        let [observed, predicted] = [metric.observed, metric.predicted].map(|value| number(metric, value));
        let name = if metric.name == "tps_mean" && is_redo(advice) { "redo_kib_per_s" } else { metric.name };
        vec![name.to_owned(), observed, predicted, error_text(metric)]
    };
    let Some(test) = &advice.backtest else {
        let why = "Not made: the answer says why. Where what was recorded rules an answer out, --anyway makes it.";
        return vec![heading("Back-test"), Block::Text(why.to_owned())];
    };
    let rows = test.validation.metrics.iter().map(row).collect();
    let driven = test.clients.map_or(String::new(), |clients| {
        format!(", made by {clients} clients whose CPU time is that of the first half's throughput")
    });
    let mut blocks = vec![
        heading("Back-test"),
        Block::Text(format!("The first half predicts the second{driven}, on the device: {}", test.device)),
        table(&["metric", ">observed", ">predicted", ">error"], rows),
    ];
    if test.falls_from_limit {
        blocks.push(Block::Text(
            "Recorded and predicted, the checkpoint age comes to its limit, and neighbours are flushed: then whole extents go and \
             the age falls, sooner or later. So its course in one half is not judged"
                .to_owned(),
        ));
    }
    blocks.extend(test.disk.as_ref().map(|seen| Block::Text(disk(seen))));
    let not_it = advice.not_the_device.iter();
    blocks.extend(not_it.map(|(name, why)| Block::Text(format!("The device is not {name}: {why}"))));
    blocks
}

/// Whether the unit of work is a KiB of redo, so that what others call throughput is redo.
fn is_redo(advice: &Advice) -> bool {
    advice.load.unit == "KiB of redo"
}

/// The disk as it was seen beside the device that stands for it.
fn disk(seen: &DiskSeen) -> String {
    let disk = &seen.disk;
    let each = disk.operation_ms().map_or(String::new(), |ms| format!(", {} ms each", decimal(ms, 2)));
    let mut text = format!(
        "The disk ({}, {}) wrote {} a second, at most {}, with {} operations in flight{each}, {} % of the time busy. \
         Predicted: {} a second with {} in flight",
        disk.source,
        disk.name,
        bytes(disk.mean(|report| report.write_bytes)),
        bytes(disk.most(|report| report.write_bytes)),
        decimal(disk.mean(|report| report.queue), 2),
        decimal(100.0 * disk.mean(|report| report.busy), 0),
        bytes(seen.write_bytes),
        decimal(seen.queue, 2)
    );
    if seen.is_other_device() {
        text.push_str(". So the disk is faster or slower than this device, or others use it too: measure it");
    }
    text
}

/// What the columns of the answer are.
const LEGEND: &str = "Stalls and sync: seconds at less than half of the usual throughput, and with sync flushing. Reserve: share of the async limit of \
     the checkpoint age that was never used. Written: extrapolated to a day.";

fn answer(advice: &Advice, args: &AdviseArgs) -> Vec<Block> {
    let refused = |why: &str| Block::Text(format!("Nothing is advised: {why}."));
    let mut blocks = vec![heading(ANSWER)];
    let (Some(answer), Some(test)) = (&advice.answer, &advice.backtest) else {
        blocks.push(refused(advice.refused.as_deref().unwrap_or_default()));
        return blocks;
    };
    let load_lines = load_and_device(&answer.scenario).into_iter().skip(1).map(Block::Text);
    blocks.extend(load_lines);
    if let Some(why) = &advice.refused {
        blocks.push(refused(why));
        blocks.extend(left_out(advice, answer).map(Block::Text));
        blocks.push(candidates(answer, args.all, advice));
        blocks.push(Block::Text(LEGEND.to_owned()));
        return blocks;
    }
    let (name, best, now) = (answer.space.searched(), answer.best.point, answer.current.point);
    let besides = advice.neighbors.map_or("", |_| ", and try innodb_flush_neighbors = 0");
    blocks.push(Block::Text(if best == now {
        format!("Leave {name} = {} as it is{besides}.", now.io_capacity_max)
    } else {
        format!("Try {name} = {} instead of {}.", best.io_capacity_max, now.io_capacity_max)
    }));
    blocks.push(Block::Text(why(answer, args.goal.goal(), test)));
    if let Some(found) = &advice.neighbors {
        blocks.push(Block::Text(found.sentence()));
        blocks.push(Block::Code(WithoutNeighbors::STATEMENT.to_owned()));
    }
    blocks.extend(left_out(advice, answer).map(Block::Text));
    blocks.extend(answer.fewest_writes.as_ref().map(|row| Block::Text(fewest_writes(row))));
    blocks.extend(answer.with_reserve.as_ref().map(|row| Block::Text(with_reserve(row))));
    if best != now {
        blocks.push(Block::Code(statements(answer).join("\n")));
        blocks.push(Block::Text(keep_and_go_back(answer)));
    }
    blocks.push(candidates(answer, args.all, advice));
    blocks.push(Block::Text(LEGEND.to_owned()));
    let not_told = advice.outside.iter().cloned().chain(not_known(answer, test));
    blocks.extend(not_told.map(|text| Block::Text(format!("{text}."))));
    blocks.extend(open_ends(advice, answer));
    if let Some(caution) = &advice.caution {
        blocks.push(Block::Text(format!("Caution: {caution}.")));
    }
    let hopeless = advice.worlds.iter().filter(|world| world.best.is_none());
    blocks.extend(hopeless.map(|world| Block::Text(format!("With {} no setting would be good.", world.name))));
    blocks
}

/// What the time limit left out, and what it would have told.
fn left_out(advice: &Advice, answer: &Answer) -> Option<String> {
    let worlds = (!advice.worlds_left_out.is_empty())
        .then(|| format!("Not searched, as the time was over: {}", advice.worlds_left_out.join(", ")));
    let all: Vec<String> = answer.left_out_in_words().into_iter().chain(worlds).collect();
    (!all.is_empty()).then(|| format!("{} (--time-limit).", all.join(". ")))
}

/// What the recording does not tell, as the range of the answer.
fn open_ends(advice: &Advice, answer: &Answer) -> Option<Block> {
    let points = points(advice, answer);
    let values = || points.iter().map(|point| point.io_capacity_max);
    let (low, high) = (values().min()?, values().max()?);
    let searched = answer.space.searched();
    let mut text =
        format!("What the recording leaves open (working set, device, load) puts {searched} between {low} and {high}");
    let redo: Vec<u64> = advice.worlds.iter().filter_map(|world| world.best).map(|point| point.redo_bytes).collect();
    let best = answer.best.point.redo_bytes;
    let (least, most) = (redo.iter().min().copied().unwrap_or(best), redo.iter().max().copied().unwrap_or(best));
    if least.min(best) < most.max(best) {
        text.push_str(&format!(
            ", and the redo log between {} and {}",
            bytes(least.min(best) as f64),
            bytes(most.max(best) as f64)
        ));
    }
    Some(Block::Text(format!("{text}.")))
}

fn candidates(answer: &Answer, all: bool, advice: &Advice) -> Block {
    let work = if is_redo(advice) { ">redo KiB/s" } else { ">units/s" };
    let heads =
        [">pages/s", ">redo log", "", work, ">99 % ms", ">stalls s", ">sync s", ">reserve", ">written/day", "regime"];
    let is_known = advice.latency_is_predicted();
    let latency = |row: &Row| if is_known { format!("{:.1}", row.mean("latency_ms_p99")) } else { "?".to_owned() };
    let row = |row: &&Row| {
        let mark = match row.point {
            point if point == answer.best.point && point == answer.current.point => "now, best",
            point if point == answer.best.point && advice.refused.is_none() => "best",
            point if point == answer.current.point => "now",
            point if answer.fewest_writes.as_ref().is_some_and(|row| row.point == point) => "no reserve",
            point if answer.with_reserve.as_ref().is_some_and(|row| row.point == point) => "reserve",
            _ => "",
        };
        vec![
            row.point.io_capacity_max.to_string(),
            bytes(row.point.redo_bytes as f64),
            mark.to_owned(),
            rate(row.mean("tps_mean")),
            latency(row),
            count(row.mean("stall_seconds")),
            count(row.mean("sync_flush_seconds")),
            percent(row.mean("checkpoint_age_headroom").max(0.0)),
            bytes(row.mean("write_bytes_per_day")),
            row.regime.name().to_owned(),
        ]
    };
    table(&heads, shown(answer, all).iter().map(row).collect())
}
