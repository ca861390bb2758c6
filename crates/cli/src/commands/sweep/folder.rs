//! The folder of a sweep: tables and pictures, from what the journal holds.

use super::view::view;
use crate::exit::{Done, Failure};
use crate::outcome::VERSION;
use innosim_experiments::sweep::{Plan, PointResult, Prepared, Record, Results, RunId, Store};
use innosim_report::dashboard::sweep::write_sweep_pictures;
use innosim_report::sweep::{PointRows, RunRow, SweepTable, points_csv, runs_csv};
use innosim_report::write_file;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// What is in it, for people.
pub(in crate::commands) const FILES: &str = "runs.csv, points.csv, pictures (svg, png), scenario.resolved.toml";
/// The scenario without anything varied.
pub(in crate::commands) const SCENARIO: &str = "scenario.resolved.toml";
/// Results that must not stand beside a sweep that goes on.
const RESULTS: [&str; 8] =
    ["runs.csv", "points.csv", "curves.svg", "curves.png", "heatmap.svg", "heatmap.png", "series.svg", "series.png"];

/// Takes away results that will no longer be true, if runs are to come.
pub(super) fn remove_results(dir: &Path, plan: &Plan, runs: &BTreeMap<RunId, Record>) {
    if !Results::of(plan, runs).missing.is_empty() {
        clear(dir);
    }
}

fn clear(dir: &Path) {
    for name in RESULTS {
        // Most are not there.
        let _ = fs::remove_file(dir.join(name));
    }
}

/// Writes tables and, if this is the whole sweep, pictures; and puts the journal into the order of the plan.
pub(in crate::commands) fn write(
    dir: &Path,
    store: &Store,
    results: &Results<'_>,
    runs: &BTreeMap<RunId, Record>,
    whole: bool,
) -> Done {
    clear(dir);
    store.settle(&results.ids(), runs)?;
    if whole && results.count() > 0 {
        write_sweep_pictures(dir, &view(results))?;
    }
    let table = table(results);
    write_file(&dir.join("points.csv"), &points_csv(&table)?)?;
    // Last: where it is, the rest is there too.
    write_file(&dir.join("runs.csv"), &runs_csv(&table)?).map_err(Failure::from)
}

/// Writes the scenario that was varied.
pub(super) fn write_scenario(dir: &Path, prepared: &Prepared) -> Done {
    let text = prepared.base.to_resolved_toml(VERSION);
    write_file(&dir.join(SCENARIO), text.as_bytes()).map_err(Failure::from)
}

fn table<'a>(results: &'a Results<'a>) -> SweepTable<'a> {
    let plan = results.plan;
    SweepTable {
        innosim_version: &plan.innosim_version,
        scenario: &plan.scenario,
        columns: &plan.columns,
        points: results.points.iter().map(|result| rows(plan, result)).collect(),
    }
}

fn rows<'a>(plan: &'a Plan, result: &'a PointResult<'a>) -> PointRows<'a> {
    let point = &plan.points[result.point];
    PointRows {
        values: &point.values,
        model: &point.model,
        seed: point.seed,
        simulated_s: point.simulated_s,
        runs: result
            .runs
            .iter()
            .map(|(replication, record)| RunRow {
                replication: *replication,
                warmup_s: record.warmup_s,
                warmup_converged: record.warmup_converged,
                summary: &record.summary,
                batches: record.batches.map(|b| (b.half_width, b.independent)),
            })
            .collect(),
    }
}
