//! The table of a comparison: means with intervals, and under each variant its differences to the first.

use super::{Compared, remarks};
use crate::header::load_and_device;
use crate::outcome::{VERSION, settings_line, too_short_to_tell};
use crate::output::wrapped;
use crate::text_table::TextTable;
use innosim_experiments::compare::{Difference, VariantFigures};
use innosim_report::numbers::{ByteUnit, count, decimal, percent, rate};

/// A column: its head, the figure, and the unit of one that is in bytes.
struct Column {
    head: String,
    metric: &'static str,
    unit: Option<ByteUnit>,
}

impl Column {
    fn new(head: &str, metric: &'static str) -> Column {
        Column { head: format!(">{head}"), metric, unit: None }
    }

    fn format(&self, value: f64) -> String {
        self.unit.map_or_else(|| rate(value), |unit| unit.format(value))
    }
}

fn speed() -> [Column; 4] {
    [
        Column::new("tps", "tps_mean"),
        Column::new("95 %, ms", "latency_ms_p95"),
        Column::new("99 %, ms", "latency_ms_p99"),
        Column::new("stalls, s", "stall_seconds"),
    ]
}

fn pages(compared: &Compared) -> [Column; 4] {
    const AGE: &str = "checkpoint_age_mean";
    let largest = compared.comparison.variants.iter().map(|figures| figures.estimate(AGE).mean).fold(0.0, f64::max);
    let unit = ByteUnit::for_size(largest);
    [
        Column { unit: Some(unit), ..Column::new(&format!("age, {}", unit.name), AGE) },
        Column::new("dirty pages", "dirty_pages_mean"),
        Column::new("pages/s", "pages_flushed_per_s_mean"),
        Column::new("pages/trx", "flushes_per_trx"),
    ]
}

/// The comparison for people.
pub(super) fn render(compared: &Compared) -> String {
    let mut text = head(compared);
    for (variant, outputs) in compared.shown().iter().zip(&compared.outputs) {
        if let Some(why) = too_short_to_tell(&variant.scenario, outputs) {
            text.push_str(&wrapped(&format!("{}: {why}", variant.label), 0));
            text.push('\n');
        }
    }
    text.push_str(&removed(compared));
    text.push_str(&silent_changes(compared));
    text.push_str(&table(compared, &speed(), "regime", regime));
    text.push('\n');
    text.push_str(&table(compared, &pages(compared), ">of limit", of_limit));
    text.push('\n');
    text.push_str(&wrapped(&remark(compared), 0));
    text.push('\n');
    for variant in compared.shown() {
        let model = variant.scenario.model.to_string();
        let model = if variant.label == model { String::new() } else { format!("{model}, ") };
        let line = format!("{}: {model}{}", variant.label, settings_line(&variant.scenario));
        text.push_str(&wrapped(&line, 0));
    }
    // They are those of the first variant; what sets others apart stands in their lines.
    for line in load_and_device(&compared.first().scenario) {
        text.push_str(&wrapped(&line, 0));
    }
    let twins = compared.twins();
    let twins = twins.iter().map(|(variant, earlier)| format!("{variant} ran exactly as {earlier}, event by event."));
    let notes: Vec<String> = if compared.changes.is_empty() {
        twins.chain(remarks(&compared.variants)).collect()
    } else {
        remarks(compared.shown())
    };
    if !notes.is_empty() {
        text.push_str("\nNotes:\n");
        notes.iter().for_each(|note| text.push_str(&wrapped(note, 2)));
    }
    text
}

fn head(compared: &Compared) -> String {
    let scenario = &compared.first().scenario;
    let replications = match compared.replications() {
        1 => String::new(),
        n => format!("{n} replications of "),
    };
    let warmup = compared.comparison.warmup_s as f64;
    let mut text = format!(
        "{}\n{}, seed {}, {replications}{} s in {} s, innosim {VERSION}\nOver the last {} s, after {} s of warm-up:\n\n",
        scenario.title,
        scenario.name,
        scenario.run.seed,
        count(compared.simulated_s()),
        rate(compared.wall_s),
        count(compared.simulated_s() - warmup),
        count(warmup),
    );
    if !compared.comparison.warmup_converged {
        let insert = "The runs were too short to see the warm-up end: the numbers may still hold a trend. A longer \
                      --duration would tell.";
        text.push_str(&wrapped(insert, 0));
        text.push('\n');
    }
    text
}

/// The lines of an option file with which a version does not start.
fn removed(compared: &Compared) -> String {
    let mut rows = compared.removed().into_iter().peekable();
    let mut text = String::new();
    while let Some((model, _)) = rows.peek().copied() {
        let mut table = TextTable::new(&["line", "setting", "value", "why"]);
        while let Some((_, row)) = rows.next_if(|(of, _)| *of == model) {
            table.row(vec![row.line.to_string(), row.name.clone(), row.value.clone(), row.remark.clone()]);
        }
        let head = format!("{model} does not start with these lines of the option file; they are left out here:\n\n");
        text.push_str(&format!("{head}{}\n", table.render()));
    }
    text
}

/// What an upgrade changes without a word in the option file, with what each change does alone.
fn silent_changes(compared: &Compared) -> String {
    if compared.changes.is_empty() {
        return String::new();
    }
    let [old, new] = [0, 1].map(|i| compared.variants.get(i).map_or("", |variant| variant.label.as_str()));
    let heads = ["changes silently", old, new, ">tps", ">95 %", ">99 %", ">written"];
    let mut table = TextTable::new(&heads);
    for change in &compared.changes {
        let shown = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
        let mut row = vec![change.setting.to_owned(), shown(&change.before), shown(&change.after)];
        row.extend(change.alone.as_deref().map_or_else(|| vec![String::new(); 4], |label| alone(compared, label)));
        table.row(row);
    }
    let all = alone(compared, new);
    table.row([vec!["the whole upgrade".to_owned(), String::new(), String::new()], all].concat());
    let legend = "-: that version has no such setting. The last columns (95 % and 99 %: latency; written: bytes to the device): what \
                  the change does alone on the old version; empty where that has no such value; 0 % where it changes nothing under \
                  this load. The whole upgrade: these, and what the new version does differently in itself.";
    format!("{}{}\n", table.render(), wrapped(legend, 0))
}

/// How a variant differs from the first: throughput, latencies, bytes written.
fn alone(compared: &Compared, label: &str) -> Vec<String> {
    let place = compared.variants.iter().position(|variant| variant.label == label);
    let Some(figures) = place.map(|place| &compared.comparison.variants[place]) else { return Vec::new() };
    let of = |figures: &VariantFigures, metric: &str| figures.estimate(metric).mean;
    ["tps_mean", "latency_ms_p95", "latency_ms_p99", "device_write_bytes_per_s"]
        .map(|metric| {
            let before = of(&compared.comparison.variants[0], metric);
            if before == 0.0 {
                String::new()
            } else {
                format!("{:+.1} %", (of(figures, metric) / before - 1.0) * 100.0 + 0.0)
            }
        })
        .to_vec()
}

/// A table with one more column at its right.
fn table(compared: &Compared, columns: &[Column], last: &str, field: fn(&VariantFigures) -> String) -> String {
    let mut heads = vec!["variant"];
    heads.extend(columns.iter().map(|column| column.head.as_str()));
    heads.push(last);
    let mut table = TextTable::new(&heads);
    for (variant, figures) in compared.shown().iter().zip(&compared.comparison.variants) {
        let mut row = vec![variant.label.clone()];
        row.extend(columns.iter().map(|column| mean(column, figures)));
        row.push(field(figures));
        table.row(row);
        if !figures.differences.is_empty() {
            let mut row = vec!["  difference".to_owned()];
            let change = |column: &Column| figures.difference(column.metric).map(|d| change(column, d));
            row.extend(columns.iter().map(|column| change(column).unwrap_or_default()));
            row.push(String::new());
            table.row(row);
        }
    }
    table.render()
}

fn mean(column: &Column, figures: &VariantFigures) -> String {
    let estimate = figures.estimate(column.metric);
    // Room for the mark of the row below.
    match estimate.half_width {
        Some(half) => format!("{} \u{b1}{}  ", column.format(estimate.mean), column.format(half)),
        None => format!("{}  ", column.format(estimate.mean)),
    }
}

/// A difference in percent; in its own unit where the first variant has nothing to take percent of.
fn change(column: &Column, difference: &Difference) -> String {
    let mark = if difference.significant { " *" } else { "  " };
    let sign = if difference.mean >= 0.0 { "+" } else { "-" };
    let scale = difference.relative.filter(|_| difference.mean != 0.0).map(|relative| relative / difference.mean);
    let Some(scale) = scale.map(|scale| scale.abs() * 100.0) else {
        let interval = difference.ci95.map_or(String::new(), |half| format!(" \u{b1}{}", column.format(half)));
        return format!("{sign}{}{interval}{mark}", column.format(difference.mean.abs()));
    };
    let share = |value: f64| decimal(value * scale, 1);
    let interval = difference.ci95.map_or(String::new(), |half| format!(" \u{b1}{}", share(half)));
    format!("{sign}{}{interval} %{mark}", share(difference.mean.abs()))
}

fn regime(figures: &VariantFigures) -> String {
    figures.regime.name().to_owned()
}

fn of_limit(figures: &VariantFigures) -> String {
    let limit = figures.estimate("checkpoint_age_limit").mean;
    if limit > 0.0 { percent(figures.estimate("checkpoint_age_mean").mean / limit) } else { String::new() }
}

fn remark(compared: &Compared) -> String {
    if compared.replications() < 2 {
        return "One run of each variant: nothing is known of how far chance made the differences. --replications 3 or \
                more gives them intervals."
            .to_owned();
    }
    let tests: usize = compared.comparison.variants.iter().map(|figures| figures.differences.len()).sum();
    format!(
        "95 %, 99 %: latency. Age: of the checkpoint, and as a share of its async limit. Pages: flushed. \u{b1} is half of a \
         95 % interval. Differences are to `{}`, replication by replication under the same random \
         numbers; * stands where chance alone is unlikely (under 5 % for all {tests} differences together, by Holm's \
         rule).",
        compared.first().label
    )
}
