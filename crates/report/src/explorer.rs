//! `report.html`: runs to explore in a browser, in one file that needs no network.
//!
//! Choose two metrics, tick runs, drag to zoom, hover for values. Long runs are thinned to means over equal spans, so
//! that the file stays small.

use crate::blocks::{self, Block};
use crate::explanation::Sentence;
use crate::files::{ReportError, write_file};
use crate::page::{Page, Recipe, short};
use innosim_core::metrics::{RunOutput, SecondSample};
use innosim_html_assets::{escaped, swatch};
use serde_json::{Map, Value, json};
use std::path::Path;

const BODY: &str = include_str!("page/explorer.html");
const SCRIPT: &str = include_str!("page/explorer.js");
/// Most points of a series.
const POINTS: usize = 1500;
/// A metric: key as in `series.csv`, name, unit, kind of number, value.
type Metric = (&'static str, &'static str, &'static str, &'static str, fn(&SecondSample) -> f64);

const METRICS: [Metric; 13] = [
    ("tps", "Transactions per second", "tps", "number", |s| s.transactions as f64),
    ("innodb_checkpoint_age", "InnoDB checkpoint age", "", "bytes", |s| s.checkpoint_age_bytes as f64),
    ("latency_ms_p95", "Latency, 95th percentile", "ms", "number", |s| s.latency_ms_p95),
    ("latency_ms_max", "Latency, largest", "ms", "number", |s| s.latency_ms_max),
    ("pages_flushed", "Pages flushed", "pages/s", "number", |s| s.pages_flushed as f64),
    ("buffer_flush_sync_pages", "Pages flushed by sync flushing", "pages/s", "number", |s| s.sync_pages as f64),
    ("innodb_buffer_pool_pages_dirty", "Dirty pages", "pages", "number", |s| s.dirty_pages as f64),
    ("recovery_pages", "Pages that recovery of a crash would read", "pages", "number", |s| s.recovery_pages as f64),
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
    /// What happened in it; nothing is shown of none.
    pub story: Vec<Sentence>,
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
    /// How it was made.
    pub recipe: Recipe,
    /// What is said before the figures and charts.
    pub intro: Vec<Block>,
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
        let page = Page {
            title: &self.title,
            subtitle: &self.subtitle,
            body: BODY,
            parts: &[
                ("INTRO", blocks::html(&self.intro)),
                ("TABLE", self.table()),
                ("REMARK", escaped(&self.remark)),
                ("STORY", self.stories()),
            ],
            script: SCRIPT,
            data: &self.data(),
            recipe: &self.recipe,
        };
        page.html()
    }

    fn table(&self) -> String {
        let heads: String = self.heads.iter().map(|head| format!("<th>{}</th>", escaped(head))).collect();
        let rows = self.runs.iter().enumerate().map(|(i, run)| {
            let figures: String = run.figures.iter().map(|figure| format!("<td>{}</td>", escaped(figure))).collect();
            format!(
                "<tr><td><label><input type=\"checkbox\" data-run=\"{i}\" checked> {}{}</label></td>{figures}</tr>\n",
                swatch(i),
                escaped(&run.label)
            )
        });
        let rows: String = rows.collect();
        format!("<table><thead><tr><th>run</th>{heads}</tr></thead>\n<tbody>\n{rows}</tbody></table>")
    }

    /// What happened, a part that opens for each run.
    fn stories(&self) -> String {
        let told = self.runs.iter().filter(|run| !run.story.is_empty());
        let stories: String = told
            .map(|run| {
                let lines = run.story.iter().map(|sentence| {
                    format!(
                        "<tr><td>{}</td><td class=\"prose\">{}</td></tr>\n",
                        escaped(&sentence.at),
                        escaped(&sentence.text)
                    )
                });
                let lines: String = lines.collect();
                format!("<details><summary>{}</summary>\n<table>{lines}</table></details>\n", escaped(&run.label))
            })
            .collect();
        if stories.is_empty() { stories } else { format!("<h2>What happened</h2>\n{stories}") }
    }

    fn data(&self) -> Value {
        let seconds = self.runs.iter().map(|run| run.output.series.len()).max().unwrap_or(0).max(1);
        let metric =
            |&(key, name, unit, kind, _): &Metric| json!({"key": key, "name": name, "unit": unit, "kind": kind});
        let runs: Vec<Value> = self
            .runs
            .iter()
            .map(|run| {
                let series = &run.output.series;
                let step = series.len().div_ceil(POINTS).max(1);
                let thin = |&(key, .., value): &Metric| (key.to_owned(), json!(thinned(series, step, value)));
                json!({
                    "label": run.label,
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

/// Means over spans of `step` seconds, with six digits.
fn thinned(series: &[SecondSample], step: usize, value: fn(&SecondSample) -> f64) -> Vec<Value> {
    let mean = |span: &[SecondSample]| span.iter().map(value).sum::<f64>() / span.len() as f64;
    series.chunks(step).map(|span| short(mean(span))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_can_be_ticked_and_metrics_chosen() {
        let output = RunOutput { series: vec![SecondSample::default(); 3], ..RunOutput::default() };
        let story = vec![Sentence { at: "3 s".to_owned(), text: "It <falls>.".to_owned() }];
        let run = ExplorerRun { label: "<one>".to_owned(), figures: vec!["7".to_owned()], story, output: &output };
        let recipe = Recipe { command: String::new(), version: String::new(), seed: 7, scenarios: Vec::new() };
        let explorer = Explorer {
            title: "title".to_owned(),
            subtitle: "sub".to_owned(),
            recipe,
            intro: vec![Block::Text("said <before>".to_owned())],
            heads: vec!["tps"],
            runs: vec![run],
            warmup_s: 0.0,
            remark: "remark".to_owned(),
        };
        let page = explorer.html().unwrap();
        assert!(page.contains("data-run=\"0\"") && page.contains("&lt;one&gt;") && page.contains("<td>7</td>"));
        assert!(page.contains("<p>said &lt;before&gt;</p>"));
        assert!(page.contains("<td>3 s</td>") && page.contains("It &lt;falls&gt;."));
        assert!(page.contains("\"innodb_checkpoint_age\"") && !page.contains("{{"));
    }

    #[test]
    fn long_runs_are_thinned_to_means() {
        let series: Vec<SecondSample> =
            (1..=6000).map(|second| SecondSample { second, transactions: second, ..SecondSample::default() }).collect();
        let thin = thinned(&series, 4, |s| s.transactions as f64);
        assert_eq!((thin.len(), &thin[0], &thin[1499]), (1500, &json!(2.5), &json!(5998.5)));
    }
}
