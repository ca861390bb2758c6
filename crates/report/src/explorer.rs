//! `report.html`: runs to explore in a browser, in one file that needs no network.
//!
//! Choose two metrics, tick runs, drag to zoom, hover for values. It reads on a phone and prints. The table and the recipe
//! (command, version, seed, resolved scenarios) are plain HTML; the charts are drawn from data in the page by a script in the
//! page (`explorer.html`). Long runs are thinned to means over equal spans, so that the file stays small.

use crate::files::{ReportError, write_file};
use crate::numbers::rounded;
use innosim_core::metrics::{RunOutput, SecondSample};
use serde_json::{Map, Value, json};
use std::path::Path;

const TEMPLATE: &str = include_str!("explorer.html");
/// Most points of a series.
const POINTS: usize = 1500;
/// Colours of runs, those of the pictures.
const COLORS: [&str; 10] =
    ["#0072b2", "#d55e00", "#008a65", "#a34882", "#d68e00", "#56b4e9", "#17202a", "#7a7a00", "#4a3aaa", "#546375"];

/// A metric: key as in `series.csv`, name, unit, kind of number, value.
type Metric = (&'static str, &'static str, &'static str, &'static str, fn(&SecondSample) -> f64);

const METRICS: [Metric; 12] = [
    ("tps", "Transactions per second", "tps", "number", |s| s.transactions as f64),
    ("innodb_checkpoint_age", "InnoDB checkpoint age", "", "bytes", |s| s.checkpoint_age_bytes as f64),
    ("latency_ms_p95", "Latency, 95th percentile", "ms", "number", |s| s.latency_ms_p95),
    ("latency_ms_max", "Latency, largest", "ms", "number", |s| s.latency_ms_max),
    ("pages_flushed", "Pages flushed", "pages/s", "number", |s| s.pages_flushed as f64),
    ("buffer_flush_sync_pages", "Pages flushed by sync flushing", "pages/s", "number", |s| s.sync_pages as f64),
    ("innodb_buffer_pool_pages_dirty", "Dirty pages", "pages", "number", |s| s.dirty_pages as f64),
    ("redo_generated", "Redo generated a second", "", "bytes", |s| s.redo_generated_bytes as f64),
    ("innodb_os_log_fsyncs", "Redo syncs", "a second", "number", |s| s.redo_fsyncs as f64),
    ("innodb_buffer_pool_reads", "Pages read", "pages/s", "number", |s| s.pool_reads as f64),
    ("device_utilization", "Device busy", "%", "number", |s| s.device_utilization * 100.0),
    ("device_queue_mean", "Device queue", "operations", "number", |s| s.device_queue_mean),
];

/// A run to explore.
#[derive(Debug, Clone)]
pub struct ExplorerRun<'a> {
    /// Its name, short.
    pub label: String,
    /// Its figures, one for each of [`Explorer::heads`].
    pub figures: Vec<String>,
    /// Its resolved scenario, TOML.
    pub scenario: String,
    /// Its series.
    pub output: &'a RunOutput,
}

/// Runs to explore.
#[derive(Debug, Clone)]
pub struct Explorer<'a> {
    /// Title of the page.
    pub title: String,
    /// What all runs share.
    pub subtitle: String,
    /// The command that made it.
    pub command: String,
    /// Version of the program.
    pub version: String,
    /// Seed.
    pub seed: u64,
    /// Heads of the figures.
    pub heads: Vec<&'static str>,
    /// The runs.
    pub runs: Vec<ExplorerRun<'a>>,
    /// Seconds that the figures leave out.
    pub warmup_s: f64,
    /// How the figures are to be read.
    pub remark: String,
}

impl Explorer<'_> {
    /// The page.
    pub fn html(&self) -> Result<String, ReportError> {
        let scenarios: String = self
            .runs
            .iter()
            .map(|run| {
                let (label, toml) = (escaped(&run.label), escaped(&run.scenario));
                format!("<details><summary>Resolved scenario: {label}</summary><pre>{toml}</pre></details>\n")
            })
            .collect();
        // In a script, only `<` could end the data early.
        let data = serde_json::to_string(&self.data())?.replace('<', "\\u003c");
        let parts = [
            ("TITLE", escaped(&self.title)),
            ("SUBTITLE", escaped(&self.subtitle)),
            ("TABLE", self.table()),
            ("REMARK", escaped(&self.remark)),
            ("VERSION", escaped(&self.version)),
            ("SEED", self.seed.to_string()),
            ("COMMAND", escaped(&self.command)),
            ("SCENARIOS", scenarios),
            ("DATA", data),
        ];
        Ok(filled(&parts))
    }

    fn table(&self) -> String {
        let heads: String = self.heads.iter().map(|head| format!("<th>{}</th>", escaped(head))).collect();
        let rows = self.runs.iter().enumerate().map(|(i, run)| {
            let figures: String = run.figures.iter().map(|figure| format!("<td>{}</td>", escaped(figure))).collect();
            format!(
                "<tr><td><label><input type=\"checkbox\" data-run=\"{i}\" checked> <span class=\"swatch\" \
                 style=\"background:{}\"></span>{}</label></td>{figures}</tr>\n",
                color(i),
                escaped(&run.label)
            )
        });
        let rows: String = rows.collect();
        format!("<table><thead><tr><th>run</th>{heads}</tr></thead>\n<tbody>\n{rows}</tbody></table>")
    }

    fn data(&self) -> Value {
        let seconds = self.runs.iter().map(|run| run.output.series.len()).max().unwrap_or(0).max(1);
        let metric =
            |&(key, name, unit, kind, _): &Metric| json!({"key": key, "name": name, "unit": unit, "kind": kind});
        let runs: Vec<Value> = self
            .runs
            .iter()
            .enumerate()
            .map(|(i, run)| {
                let series = &run.output.series;
                let step = series.len().div_ceil(POINTS).max(1);
                let thin = |&(key, .., value): &Metric| (key.to_owned(), json!(thinned(series, step, value)));
                json!({
                    "label": run.label,
                    "color": color(i),
                    "step": step,
                    "limit": series.last().map_or(0, |s| s.age_async_bytes),
                    "series": Value::Object(METRICS.iter().map(thin).collect::<Map<String, Value>>()),
                })
            })
            .collect();
        json!({
            "seconds": seconds,
            "warmup_s": self.warmup_s,
            "metrics": METRICS.iter().map(metric).collect::<Vec<Value>>(),
            "runs": runs,
        })
    }
}

/// Writes the page to `path`.
pub fn write_explorer(path: &Path, explorer: &Explorer<'_>) -> Result<(), ReportError> {
    write_file(path, explorer.html()?.as_bytes())
}

fn color(run: usize) -> &'static str {
    COLORS[run % COLORS.len()]
}

/// Means over spans of `step` seconds, with six digits.
fn thinned(series: &[SecondSample], step: usize, value: fn(&SecondSample) -> f64) -> Vec<Value> {
    let mean = |span: &[SecondSample]| span.iter().map(value).sum::<f64>() / span.len() as f64;
    let short = |mean: f64| rounded(format!("{mean:.5e}").parse().unwrap_or(mean));
    let number = |v: f64| if v.fract() == 0.0 && v.abs() < 9e15 { json!(v as i64) } else { json!(v) };
    series.chunks(step).map(|span| number(short(mean(span)))).collect()
}

/// The template with its places filled in one pass, so that nothing that is filled in can be taken for a place.
fn filled(parts: &[(&str, String)]) -> String {
    let mut pieces = TEMPLATE.split("{{");
    let mut page = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, rest) = piece.split_once("}}").unwrap_or((piece, ""));
        if let Some((_, text)) = parts.iter().find(|(known, _)| *known == name) {
            page.push_str(text);
        }
        page.push_str(rest);
    }
    page
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_of_the_template_is_filled() {
        let explorer = Explorer {
            title: "A & <b> {{DATA}}".to_owned(),
            subtitle: "sub".to_owned(),
            command: "innosim compare x --variant \"a:\"".to_owned(),
            version: "0.1.0".to_owned(),
            seed: 7,
            heads: vec!["tps"],
            runs: Vec::new(),
            warmup_s: 0.0,
            remark: "remark".to_owned(),
        };
        let page = explorer.html().unwrap();
        assert_eq!(page.matches("{{").count(), 2, "only those of the title");
        assert!(page.contains("<h1>A &amp; &lt;b&gt; {{DATA}}</h1>") && page.contains("--variant &quot;a:&quot;"));
        assert_eq!(page.matches("http").count(), 1, "the name space of SVG, and no address");
        let names: Vec<&str> = TEMPLATE.split("{{").skip(1).filter_map(|p| p.split_once("}}")).map(|p| p.0).collect();
        assert!(["TABLE", "DATA", "SCENARIOS", "SEED", "VERSION"].iter().all(|name| names.contains(name)));
    }

    #[test]
    fn long_runs_are_thinned_to_means() {
        let series: Vec<SecondSample> =
            (1..=6000).map(|second| SecondSample { second, transactions: second, ..SecondSample::default() }).collect();
        let thin = thinned(&series, 4, |s| s.transactions as f64);
        assert_eq!((thin.len(), &thin[0], &thin[1499]), (1500, &json!(2.5), &json!(5998.5)));
    }
}
