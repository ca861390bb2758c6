//! The bench for people: where each rule stands, and each case.

use super::{Shown, title};
use crate::output::{hanging, shell_line};
use crate::text_table::TextTable;
use innosim_experiments::rule_bench::{Figure, SUITE, Score, Standing, standings};
use innosim_report::numbers::{bytes, count, rate};
use innosim_report::{RulesPage, RulesTable};

/// Columns of the leaderboard.
const LEADERBOARD: [&str; 9] = [
    "rule",
    ">throughput",
    ">worst case",
    ">wins : losses",
    ">p99 latency",
    ">stalls s",
    ">page writes",
    ">x the bound",
    ">cases",
];
/// Columns of a case.
const CASE: [&str; 9] = [
    "rule",
    ">tps",
    ">to own rule",
    ">p99 ms",
    ">stalls s",
    ">writes/trx",
    ">x the bound",
    ">redo to recover",
    ">slower device",
];

/// What the columns mean.
const LEGEND: &str = "\
throughput, p99 latency, page writes: geometric mean over the cases, relative to the server's own rule under the same
random numbers (page writes a transaction). wins : losses: cases in which throughput differs by more than its paired 95 %
interval. x the bound: pages written over the whole run for each that no rule could have spared with this redo size.
redo to recover: mean checkpoint age, what a crash would leave to apply. slower device: share of the throughput left when
the device is 30 % slower.
";

/// The cases of the suite.
pub(super) fn list() -> String {
    let width = SUITE.iter().map(|case| case.name.len()).max().unwrap_or(0);
    let lines = SUITE.iter().map(|case| hanging(case.about, &format!("  {:<width$}  ", case.name)));
    let lines: Vec<String> = lines.collect();
    format!("{}\n{}", title(false), lines.concat())
}

/// All of it.
pub(super) fn render(shown: &Shown) -> String {
    let mut text = format!("{}, seed {}\n\n", title(shown.bench.quick), shown.bench.seed);
    for (i, part) in page(shown).tables.iter().enumerate() {
        if i > 0 {
            text.push_str(&format!("\n{}\n", part.title));
        }
        let mut table = TextTable::new(&part.heads);
        part.rows.iter().for_each(|row| table.row(row.clone()));
        text.push_str(&table.render());
        part.notes.iter().for_each(|note| text.push_str(&format!("{note}\n")));
    }
    text.push_str(&format!("\n{LEGEND}"));
    text
}

/// The same in Markdown, for documents: `level` is that of its headings.
pub(super) fn markdown(shown: &Shown, level: usize) -> String {
    let cells = |fields: Vec<String>| format!("| {} |\n", fields.join(" | ").replace(" +- ", " ± "));
    let mut text = String::new();
    for part in page(shown).tables {
        text.push_str(&format!("{} {}\n\n", "#".repeat(level), part.title));
        text.push_str(&cells(part.heads.iter().map(|head| head.trim_start_matches('>').to_owned()).collect()));
        let mark = |head: &String| if head.starts_with('>') { "---:" } else { "---" }.to_owned();
        text.push_str(&cells(part.heads.iter().map(mark).collect()));
        part.rows.into_iter().for_each(|row| text.push_str(&cells(row)));
        part.notes.iter().for_each(|note| text.push_str(&format!("\n```text\n{note}\n```\n")));
        text.push('\n');
    }
    text
}

/// The same as a page.
pub(super) fn page(shown: &Shown) -> RulesPage {
    let heads = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let mut tables = vec![RulesTable {
        title: "Where each rule stands".to_owned(),
        heads: heads(&LEADERBOARD),
        rows: standings(shown.bench.entrants.len(), &shown.scores).iter().map(|stand| stands(shown, stand)).collect(),
        notes: Vec::new(),
    }];
    for (number, case) in SUITE.iter().enumerate() {
        let scores: Vec<&Score> = shown.scores.iter().filter(|score| score.case == number).collect();
        tables.push(RulesTable {
            title: format!("{}: {}", case.name, case.about),
            heads: heads(&CASE),
            rows: scores.iter().map(|score| row(shown, score)).collect(),
            notes: scores
                .iter()
                .filter_map(|score| score.failure.clone())
                .map(|text| format!("failed: {text}"))
                .collect(),
        });
    }
    let words = ["innosim".to_owned(), "bench-rules".to_owned(), "--seed".to_owned(), shown.bench.seed.to_string()];
    let rules = shown.bench.entrants.iter().skip(1).flat_map(|entrant| ["--rule".to_owned(), entrant.rule.clone()]);
    RulesPage {
        title: title(shown.bench.quick),
        legend: LEGEND.replace('\n', " "),
        command: shell_line(
            words
                .into_iter()
                .chain(rules)
                .chain(["--only".to_owned()])
                .chain(shown.bench.quick.then(|| "--quick".to_owned())),
        ),
        version: crate::outcome::VERSION.to_owned(),
        tables,
    }
}

fn stands(shown: &Shown, stand: &Standing) -> Vec<String> {
    let name = shown.bench.entrants[stand.entrant].name.clone();
    if stand.cases == 0 {
        let mut row = vec![name];
        row.extend((0..7).map(|_| "-".to_owned()));
        row.push("0".to_owned());
        return row;
    }
    vec![
        name,
        percent(stand.tps - 1.0),
        stand.worst.map_or_else(String::new, |(case, relative)| format!("{} {}", percent(relative), SUITE[case].name)),
        format!("{} : {}", stand.wins, stand.losses),
        percent(stand.latency_p99 - 1.0),
        rate(stand.stall_seconds),
        percent(stand.page_writes - 1.0),
        stand.distance.map_or_else(|| "-".to_owned(), |distance| format!("{distance:.2}")),
        count(stand.cases as f64),
    ]
}

fn row(shown: &Shown, score: &Score) -> Vec<String> {
    let name = shown.bench.entrants[score.entrant].name.clone();
    let text = |name: &str, show: &dyn Fn(Figure) -> String| score.figure(name).map_or_else(|| "-".to_owned(), show);
    let versus = |figure: Figure| match (figure.relative, figure.half_width) {
        (Some(relative), Some(half)) if score.entrant > 0 => format!("{} +- {:.1}", percent(relative), 100.0 * half),
        _ => String::new(),
    };
    vec![
        name,
        text("tps", &|f| count(f.mean)),
        text("tps", &versus),
        text("latency_ms_p99", &|f| format!("{:.1}", f.mean)),
        text("stall_seconds", &|f| rate(f.mean)),
        text("page_writes_per_trx", &|f| format!("{:.3}", f.mean)),
        text("distance_to_bound", &|f| format!("{:.2}", f.mean)),
        text("recovery_redo_bytes", &|f| bytes(f.mean)),
        text("tps_kept_on_slower_device", &|f| format!("{:.0} %", 100.0 * f.mean)),
    ]
}

fn percent(share: f64) -> String {
    let text = format!("{:+.1} %", 100.0 * share);
    if text == "+0.0 %" || text == "-0.0 %" { "0.0 %".to_owned() } else { text }
}
