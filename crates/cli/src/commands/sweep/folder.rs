//! The folder of a sweep: tables and pictures, from what the journal holds.

use super::table::{HEADS, best, figures};
use super::view::view;
use crate::exit::{Done, Failure};
use crate::out_dir::fill;
use crate::outcome::VERSION;
use crate::output::shell_line;
use innosim_experiments::sweep::{Advice, MadeAs, Plan, PointResult, Prepared, Record, Results, RunId, Store};
use innosim_report::dashboard::sweep::{SweepView, write_sweep_pictures};
use innosim_report::sweep::{PointRows, RunRow, SweepTable, points_csv, runs_csv};
use innosim_report::{Recipe, SweepPage, write_file, write_sweep_page};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// What is in it, for people.
pub(in crate::commands) const FILES: &str =
    "report.html, runs.csv, points.csv, pictures (svg, png), scenario.resolved.toml";
/// The scenario without anything varied.
pub(in crate::commands) const SCENARIO: &str = "scenario.resolved.toml";
/// Results that must not stand beside a sweep that goes on.
const RESULTS: [&str; 11] = [
    "runs.csv",
    "points.csv",
    "runs.parquet",
    "points.parquet",
    "report.html",
    "curves.svg",
    "curves.png",
    "heatmap.svg",
    "heatmap.png",
    "series.svg",
    "series.png",
];

/// Refuses to put this plan's tables in place of a different sweep's.
pub(in crate::commands) fn refuse_to_replace(
    dir: &Path,
    store: &Store,
    plan: &Plan,
    runs: &BTreeMap<RunId, Record>,
) -> Done {
    let Some(earlier) = store.earlier()? else { return Ok(()) };
    let Some(difference) = plan.takes_away(&earlier, runs) else { return Ok(()) };
    Err(Failure::Input(format!(
        "{} holds a different sweep: {difference}\n  there: {}\n  = help: give another folder; a sweep goes on in its folder with the \
         same or more values and replications, not with fewer; `innosim sweep --fresh` replaces what is there",
        dir.display(),
        shell_line(earlier.command()),
    )))
}

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

/// Writes tables and, if this is the whole sweep, pictures and the page to explore; and puts the journal into the order of the
/// plan. `scenario` is the text of what was varied.
pub(in crate::commands) fn write(
    dir: &Path,
    store: &Store,
    results: &Results<'_>,
    runs: &BTreeMap<RunId, Record>,
    whole: bool,
    scenario: &str,
) -> Done {
    clear(dir);
    store.settle(&results.ids(), runs)?;
    let table = table(results);
    let view = (whole && results.count() > 0).then(|| view(results));
    fill(dir, "runs.csv", |staging| {
        write_file(&staging.join(SCENARIO), scenario.as_bytes())?;
        if let Some(view) = &view {
            write_sweep_pictures(staging, view)?;
            write_sweep_page(&staging.join("report.html"), &page(results, view, &table, scenario))?;
        }
        #[cfg(feature = "parquet")]
        innosim_report::parquet::write_parquet(staging, &table)?;
        write_file(&staging.join("points.csv"), &points_csv(&table)?)?;
        write_file(&staging.join("runs.csv"), &runs_csv(&table)?)
    })
}

/// The scenario that is varied, as text.
pub(super) fn scenario(prepared: &Prepared) -> String {
    prepared.base.to_resolved_toml(VERSION)
}

/// The page to explore.
fn page<'a>(results: &Results<'_>, view: &'a SweepView, table: &'a SweepTable<'a>, scenario: &str) -> SweepPage<'a> {
    let plan = results.plan;
    let with_runs = |result: &PointResult<'_>| (!result.runs.is_empty()).then(|| figures(result).to_vec());
    SweepPage {
        view,
        table,
        recipe: Recipe {
            command: shell_line(plan.command()),
            version: format!("{}, build {}", plan.innosim_version, plan.build),
            seed: plan.seed,
            scenarios: vec![(plan.scenario.clone(), scenario.to_owned())],
        },
        verdict: best(results).join(". ") + ".",
        heads: HEADS.iter().map(|head| head.trim_start_matches('>').to_owned()).collect(),
        rows: results.points.iter().map(with_runs).collect(),
        warnings: Advice::of(results).into_iter().map(|advice| advice.text).collect(),
    }
}

fn table<'a>(results: &'a Results<'a>) -> SweepTable<'a> {
    let plan = results.plan;
    let twins = results.twins();
    SweepTable {
        innosim_version: &plan.innosim_version,
        scenario: &plan.scenario,
        columns: &plan.columns,
        coarse: !plan.tier.is_exact(),
        points: results.points.iter().map(|result| rows(plan, result, &twins)).collect(),
    }
}

fn rows<'a>(plan: &'a Plan, result: &'a PointResult<'a>, twins: &BTreeMap<(usize, u32), usize>) -> PointRows<'a> {
    let point = &plan.points[result.point];
    PointRows {
        values: &point.values,
        model: &point.model,
        seed: point.seed,
        simulated_s: result.simulated_s(point),
        off_by: result.off_by().map(|off| [off.tps, off.checkpoint_age, off.pages_flushed]),
        runs: result
            .runs
            .iter()
            .map(|(replication, record)| RunRow {
                replication: *replication,
                simulated_s: record.simulated_s(point),
                warm_s: record.begun_warm.as_ref().map_or(0, |begun| begun.shared_s),
                same_as: twins.get(&(result.point, *replication)).map(|first| first + 1),
                ended: record.early.map_or("planned", |early| early.why.name()),
                warmup_s: record.warmup_s,
                warmup_converged: record.warmup_converged,
                summary: &record.summary,
                batches: record.batches.map(|b| (b.half_width, b.independent)),
                own_windows: match record.made_as {
                    MadeAs::Flow { own_windows } => Some(own_windows),
                    MadeAs::Exact | MadeAs::Refused { .. } => None,
                },
                why_exact: match &record.made_as {
                    MadeAs::Refused { why } => Some(why),
                    MadeAs::Exact | MadeAs::Flow { .. } => None,
                },
            })
            .collect(),
    }
}
