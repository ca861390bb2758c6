//! `report.html` of a sweep: choose a figure and see it over the settings, choose points and see the course of their
//! runs.
//!
//! All figures of all points are in the page; courses are those of each point's first run, thinned where points are
//! many.

use crate::dashboard::sweep::{Course, SweepView, places};
use crate::files::{ReportError, write_file};
use crate::page::{Page, Recipe, short};
use crate::replications::Replications;
use crate::sweep::{PointRows, SweepTable};
use innosim_core::metrics::Summary;
use innosim_html_assets::escaped;
use serde_json::{Map, Value, json};
use std::path::Path;

const BODY: &str = include_str!("page/sweep.html");
const SCRIPT: &str = include_str!("page/sweep.js");
/// Most courses that are drawn over each other.
const MOST: usize = 8;
/// Points that are ticked at first, if there are more.
const TICKED: usize = 4;
/// Numbers of all courses together, about: some megabytes.
const NUMBERS: usize = 600_000;
/// Fewest spans of a course.
const FEWEST_SPANS: usize = 25;

/// A metric of a course: key, name, unit, values.
type Metric = (&'static str, &'static str, &'static str, fn(&Course) -> Vec<f64>);

const METRICS: [Metric; 3] = [
    ("tps", "Transactions per second", "tps", |c| c.tps.clone()),
    ("age", "Checkpoint age", "% of its limit", |c| c.age.iter().map(|share| share * 100.0).collect()),
    ("flushed", "Pages flushed", "pages/s", |c| c.flushed.clone()),
];

/// A sweep to explore.
#[derive(Debug, Clone)]
pub struct SweepPage<'a> {
    /// What its pictures show.
    pub view: &'a SweepView,
    /// All runs.
    pub table: &'a SweepTable<'a>,
    /// How it was made.
    pub recipe: Recipe,
    /// What is best, in words.
    pub verdict: String,
    /// Heads of the table's figures.
    pub heads: Vec<String>,
    /// For each point its figures; none if no run is there.
    pub rows: Vec<Option<Vec<String>>>,
    /// What to beware of.
    pub warnings: Vec<String>,
}

impl SweepPage<'_> {
    /// The page.
    pub fn html(&self) -> Result<String, ReportError> {
        let warnings: Vec<String> = self.warnings.iter().map(|text| escaped(text)).collect();
        let page = Page {
            title: &self.view.title,
            subtitle: &self.view.subtitle,
            body: BODY,
            parts: &[
                ("VERDICT", escaped(&self.verdict)),
                ("TABLE", self.table()),
                ("REMARK", warnings.join("</p>\n<p class=\"muted\">")),
                ("MOST", MOST.to_string()),
            ],
            script: SCRIPT,
            data: &self.data(),
            recipe: &self.recipe,
        };
        page.html()
    }

    fn is_best(&self, point: usize) -> bool {
        self.view.curves.iter().any(|curve| curve.best == Some(point))
    }

    fn table(&self) -> String {
        let axes = self.view.axes.iter().map(|axis| &axis.name);
        let heads: String = axes.chain(&self.heads).map(|head| format!("<th>{}</th>", escaped(head))).collect();
        let ticked = self.ticked();
        let row = |(point, figures): (usize, &Option<Vec<String>>)| {
            let figures = figures.as_ref()?;
            let values = self.view.values(point).map(|(axis, at)| axis.labels[at].clone());
            let fields: Vec<String> = values.chain(figures.iter().cloned()).map(|text| escaped(&text)).collect();
            let (first, rest) = fields.split_first()?;
            let class = match self.is_best(point) {
                true => " class=\"best\"",
                false if self.view.curves.iter().any(|curve| curve.plateau.contains(&point)) => " class=\"plateau\"",
                false => "",
            };
            let checked = if ticked.contains(&point) { " checked" } else { "" };
            Some(format!(
                "<tr{class}><td><label><input type=\"checkbox\" data-point=\"{point}\"{checked}> <span \
                 class=\"swatch\"></span>{first}</label></td>{}</tr>\n",
                rest.iter().map(|field| format!("<td>{field}</td>")).collect::<String>()
            ))
        };
        let rows: String = self.rows.iter().enumerate().filter_map(row).collect();
        format!("<table><thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody></table>")
    }

    /// Points that are ticked at first: all if they are few, else the best of each curve and both ends of the first.
    fn ticked(&self) -> Vec<usize> {
        let points = &self.view.points;
        let with_runs = |point: &usize| points[*point].figures.is_some();
        if points.len() <= MOST {
            return (0..points.len()).filter(with_runs).collect();
        }
        let best = self.view.curves.iter().filter_map(|curve| curve.best).take(TICKED);
        let ends = self.view.curves.first().and_then(|curve| Some([*curve.points.first()?, *curve.points.last()?]));
        let mut ticked: Vec<usize> = best.chain(ends.into_iter().flatten()).filter(with_runs).collect();
        ticked.sort_unstable();
        ticked.dedup();
        ticked
    }

    fn data(&self) -> Value {
        let view = self.view;
        let along = &view.axes[view.along];
        let courses: Vec<Option<&Course>> =
            view.points.iter().map(|point| point.figures.as_ref().map(|figures| &figures.course)).collect();
        let longest = |value: fn(&Course) -> f64| courses.iter().flatten().map(|c| value(c)).fold(0.0, f64::max);
        let spans = (NUMBERS / METRICS.len() / courses.len().max(1)).max(FEWEST_SPANS);
        let curves = view.curves.iter().map(|curve| {
            json!({ "label": curve.label, "points": curve.points, "best": curve.best.into_iter().collect::<Vec<usize>>() })
        });
        json!({
            "axis": along.name,
            "values": along.labels,
            "places": places(along),
            "at": view.points.iter().map(|point| point.at[view.along]).collect::<Vec<usize>>(),
            "labels": (0..view.points.len()).map(|point| view.label(point)).collect::<Vec<String>>(),
            "curves": curves.collect::<Vec<Value>>(),
            "figure_names": Summary::NAMES.iter().map(|name| figure_name(name)).collect::<Vec<Value>>(),
            "figures": self.figures(),
            "metrics": METRICS.iter().map(|(key, name, unit, _)| {
                json!({ "key": key, "name": name, "unit": unit, "kind": "number" })
            }).collect::<Vec<Value>>(),
            "courses": courses.iter().map(|c| c.map(|c| thinned(c, spans))).collect::<Vec<Option<Value>>>(),
            "seconds": longest(|c| c.seconds).max(1.0),
            "warmup_s": longest(|c| c.warmup_s),
            "most": MOST,
        })
    }

    /// For each figure a list with `[mean, half-width]` of each point, null where there is no run.
    fn figures(&self) -> Value {
        let together = |point: &PointRows<'_>| {
            let summaries: Vec<Summary> = point.runs.iter().map(|run| run.summary.clone()).collect();
            (!summaries.is_empty()).then(|| Replications::of(&summaries))
        };
        let points: Vec<Option<Replications>> = self.table.points.iter().map(together).collect();
        let values: Vec<Vec<f64>> = points
            .iter()
            .map(|point| point.iter().flat_map(|p| p.summary.values().map(|v| v.value)).collect())
            .collect();
        let of = |i: usize, name: &'static str| {
            let one = |(number, point): (usize, &Option<Replications>)| {
                let half = match name {
                    // From batches inside the run where there is but one.
                    "tps_mean" => self.view.points[number].figures.as_ref().and_then(|f| f.tps.half_width),
                    _ => point.as_ref()?.half_width(name),
                };
                Some(json!([short(*values[number].get(i)?), half.map(short)]))
            };
            points.iter().enumerate().map(one).collect::<Vec<Option<Value>>>()
        };
        let all = Summary::NAMES.iter().enumerate().map(|(i, name)| ((*name).to_owned(), json!(of(i, name))));
        Value::Object(all.collect::<Map<String, Value>>())
    }
}

/// A field of the summary as the page shows it.
fn figure_name(name: &str) -> Value {
    let is_bytes = name.contains("bytes") || name.contains("_age") || name.starts_with("age_");
    let unit = match name {
        _ if name.starts_with("latency_ms") => "ms",
        _ if name.ends_with("_seconds") || name == "recovery_s" => "s",
        _ => "",
    };
    json!({ "key": name, "name": name, "unit": unit, "kind": if is_bytes { "bytes" } else { "number" } })
}

/// A course in at most `spans` means.
fn thinned(course: &Course, spans: usize) -> Value {
    let width = course.tps.len().div_ceil(spans).max(1);
    let mean = |span: &[f64]| short(span.iter().sum::<f64>() / span.len() as f64);
    let series = METRICS.iter().map(|(key, .., values)| {
        let values: Vec<Value> = values(course).chunks(width).map(mean).collect();
        ((*key).to_owned(), json!(values))
    });
    json!({ "step": course.step_s * width as f64, "series": Value::Object(series.collect::<Map<String, Value>>()) })
}

/// Writes the page to `path`.
pub fn write_sweep_page(path: &Path, page: &SweepPage<'_>) -> Result<(), ReportError> {
    write_file(path, page.html()?.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_courses_are_thinned_to_means() {
        let course = Course { step_s: 2.0, tps: (1..=100).map(f64::from).collect(), ..Course::default() };
        let thin = thinned(&course, 25);
        assert_eq!((&thin["step"], &thin["series"]["tps"][0]), (&json!(8.0), &json!(2.5)));
        assert_eq!(thin["series"]["tps"].as_array().unwrap().len(), 25);
    }

    #[test]
    fn figures_know_their_units() {
        assert_eq!(figure_name("checkpoint_age_mean")["kind"], "bytes");
        assert_eq!(figure_name("latency_ms_p99")["unit"], "ms");
        assert_eq!(figure_name("stall_seconds")["unit"], "s");
        assert_eq!(figure_name("pages_flushed_lru")["kind"], "number");
    }
}
