//! Two folders of one sweep, made in two ways, beside each other: the tables of docs/sweeps-cost.md.
//!
//! ```text
//! innosim sweep NAME --out whole
//! innosim sweep NAME --until-rest --warm-copies --out short
//! cargo run --release -p innosim-experiments --example sweeps_beside -- whole short
//! ```
//!
//! Points are matched by their values, runs by their replication; those of one folder alone are left out.

use innosim_core::metrics::Summary;
use innosim_experiments::sweep::{Metric, PointResult, Results, read_folder};
use innosim_statistics::mean;
use std::path::Path;
use std::process::ExitCode;

/// What is compared.
const FIGURES: [(&str, Metric); 4] = [
    ("tps", |s| s.tps_mean),
    ("writes/trx", |s| s.flushes_per_trx),
    ("age", |s| s.checkpoint_age_mean),
    ("p99", |s| s.latency_ms_p99),
];

fn main() -> ExitCode {
    let folders: Vec<String> = std::env::args().skip(1).collect();
    let [whole, short] = folders.as_slice() else {
        eprintln!("error: give two folders that `innosim sweep --out` left");
        return ExitCode::from(2);
    };
    match (read_folder(Path::new(whole)), read_folder(Path::new(short))) {
        (Ok((plan, whole)), Ok((other, short))) => {
            print!("{}", table(&Results::of(&plan, &whole.runs), &Results::of(&other, &short.runs)));
            ExitCode::SUCCESS
        }
        (Err(error), _) | (_, Err(error)) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn table(whole: &Results<'_>, short: &Results<'_>) -> String {
    let mut text = format!("{:<60}{:>6}", whole.plan.columns.join(", "), "runs");
    FIGURES.iter().for_each(|(name, _)| text.push_str(&format!("{name:>12}{:>9}", "beside")));
    text.push_str("  ended, of all; regimes\n");
    let (mut largest, mut alike) = ([0.0_f64; FIGURES.len()], 0);
    let mut places = (Vec::new(), Vec::new());
    for point in &whole.points {
        let values = &whole.plan.points[point.point].values;
        let same = |other: &&PointResult<'_>| short.plan.points[other.point].values == *values;
        let Some(other) = short.points.iter().find(same) else { continue };
        let runs = paired(point, other);
        if runs.is_empty() {
            continue;
        }
        places.0.push(point.point);
        places.1.push(other.point);
        text.push_str(&format!("{:<60}{:>6}", values.join(", "), runs.len()));
        for (place, (_, metric)) in FIGURES.iter().enumerate() {
            let of = |pick: fn(&(Summary, Summary)) -> &Summary| {
                mean(&runs.iter().map(|run| metric(pick(run))).collect::<Vec<f64>>()).unwrap_or(0.0)
            };
            let (all, one) = (of(|run| &run.0), of(|run| &run.1));
            let error = 100.0 * (one / all - 1.0);
            largest[place] = largest[place].max(error.abs());
            text.push_str(&format!("{all:>12.5}{error:>+7.2} %"));
        }
        let regimes = (point.regime(), other.regime());
        alike += usize::from(regimes.0 == regimes.1);
        let name = |regime: Option<innosim_core::metrics::Regime>| regime.map_or("-", |regime| regime.name());
        text.push_str(&format!(
            "  {} of {}; {}, {}\n",
            other.at_rest(),
            other.runs.len(),
            name(regimes.0),
            name(regimes.1)
        ));
    }
    let worst: Vec<String> =
        FIGURES.iter().zip(largest).map(|((name, _), error)| format!("{name} {error:.2} %")).collect();
    text.push_str(&format!("largest error: {}; regime of {alike} of {} points\n", worst.join(", "), places.0.len()));
    let best = |results: &Results<'_>, among: &[usize]| {
        results.verdict(among).map_or("-".to_owned(), |verdict| {
            let others = verdict.plateau.iter().filter(|point| **point != verdict.best);
            let labels: Vec<String> = others.map(|&point| results.plan.points[point].values.join(", ")).collect();
            let as_good = if labels.is_empty() { String::new() } else { format!("; as good: {}", labels.join(" | ")) };
            format!("{}{as_good}", results.plan.points[verdict.best].values.join(", "))
        })
    };
    text.push_str(&format!("best: {}\nbeside: {}\n", best(whole, &places.0), best(short, &places.1)));
    text
}

/// The replications that both have.
fn paired(one: &PointResult<'_>, other: &PointResult<'_>) -> Vec<(Summary, Summary)> {
    let find = |replication: u32| other.runs.iter().find(|(number, _)| *number == replication);
    one.runs
        .iter()
        .filter_map(|(replication, record)| Some((record.summary.clone(), find(*replication)?.1.summary.clone())))
        .collect()
}
