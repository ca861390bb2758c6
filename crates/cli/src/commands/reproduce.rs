//! `innosim reproduce`: runs every shipped scenario of a folder that carries published figures, and lays the two beside
//! each other.
//!
//! `table` and `json` print what [`innosim_experiments::reproduce`] finds.

mod json;
mod table;

use crate::args::{Format, ReproduceArgs};
use crate::exit::{Done, Failure};
use crate::interrupt;
use crate::out_dir::OutDir;
use crate::outcome::Outcome;
use crate::output::{note, print, print_json};
use crate::progress::Progress;
use crate::runner::{pool, refuse_too_short, run_all};
use innosim_experiments::reproduce::{Order, Row, short};
use innosim_experiments::runner::{Job, in_parallel};
use innosim_report::numbers::rate;
use innosim_report::write_file;
use innosim_scenario::{Overrides, Scenario, Source, load, shipped};
use std::path::Path;
use std::time::Instant;

/// What is left beside the folders of the runs.
const RESULT: &str = "reproduce.json";

/// All rows of a reproduction, in the order of the shipped scenarios.
#[derive(Debug)]
struct Comparison {
    folder: String,
    rows: Vec<Row>,
    order: Order,
    /// Whether runs were shorter than published.
    shortened: bool,
    simulated_s: f64,
    wall_s: f64,
    jobs: usize,
}

impl Comparison {
    fn misses(&self) -> Vec<&str> {
        self.rows.iter().filter(|row| !row.misses.is_empty()).map(|row| row.name.as_str()).collect()
    }
}

/// Runs the published scenarios.
pub(crate) fn run(args: &ReproduceArgs) -> Done {
    let (scenarios, shortened) = published(args)?;
    scenarios.iter().try_for_each(refuse_too_short)?;
    let out = args.out.as_deref().map(|dir| folders(dir, &scenarios)).transpose()?;
    if let Some((_, dir)) = &out {
        // One of an earlier reproduction must not stand beside the runs of this one.
        let _ = std::fs::remove_file(dir.path().join(RESULT));
    }
    interrupt::listen();
    let pool = pool(args.common.jobs)?;
    let jobs = pool.current_num_threads();
    if !args.common.quiet {
        note(&format!("{} runs, {} at a time", scenarios.len(), jobs.min(scenarios.len())));
    }
    let seconds: u64 = scenarios.iter().flat_map(Job::all).map(|job| job.seconds()).sum();
    let progress = Progress::new(&args.folder, seconds, args.common.quiet);
    let began = Instant::now();
    let dirs = |i: usize| out.as_ref().map(|(dirs, _)| &dirs[i]);
    let work: Vec<(&Scenario, Option<&OutDir>)> = scenarios.iter().enumerate().map(|(i, s)| (s, dirs(i))).collect();
    let rows = pool.install(|| in_parallel(&work, |(scenario, out)| run_row(scenario, *out, &progress)));
    progress.finish();
    let rows: Vec<Row> = rows.into_iter().collect::<Result<_, _>>()?;
    let comparison = Comparison {
        folder: args.folder.clone(),
        order: Order::of(&rows),
        shortened,
        simulated_s: seconds as f64,
        wall_s: began.elapsed().as_secs_f64(),
        jobs,
        rows,
    };
    conclude(args, &comparison, out.as_ref().map(|(_, dir)| dir.path()))
}

/// Writes and prints the comparison.
fn conclude(args: &ReproduceArgs, comparison: &Comparison, out: Option<&Path>) -> Done {
    let document = json::document(comparison);
    if let Some(dir) = out {
        write_file(&dir.join(RESULT), (serde_json::to_string_pretty(&document)? + "\n").as_bytes())?;
    }
    match args.format {
        Format::Json => print_json(&document)?,
        Format::Human => print(&table::render(comparison))?,
    }
    if let Some(dir) = out.filter(|_| !args.common.quiet) {
        note(&format!("\nIn {}: reproduce.json, and a folder with pictures for each run", dir.display()));
    }
    let misses = comparison.misses();
    if args.strict && !misses.is_empty() {
        return Err(Failure::Check(format!(
            "{} of {} runs miss: {}",
            misses.len(),
            comparison.rows.len(),
            misses.join(", ")
        )));
    }
    Ok(())
}

/// The scenarios of the folder, or whose names begin so, that carry published figures; and whether any is to run for
/// another time than the published run.
fn published(args: &ReproduceArgs) -> Result<(Vec<Scenario>, bool), Failure> {
    let overrides = Overrides {
        set: args.engine.and(&[]),
        duration: args.duration.clone(),
        seed: args.common.seed,
        ..Overrides::default()
    };
    let (mut scenarios, mut shortened) = (Vec::new(), false);
    for one in shipped().iter().filter(|one| one.name.starts_with(&args.folder)) {
        let plain = load(Source::Shipped(one.name), &Overrides::default())?;
        if plain.published.is_some() {
            let scenario = load(Source::Shipped(one.name), &overrides)?;
            shortened |= scenario.run.duration != plain.run.duration;
            scenarios.push(scenario);
        }
    }
    if scenarios.is_empty() {
        let mut folders: Vec<&str> = Vec::new();
        for one in shipped() {
            let folder = one.name.split('/').next().unwrap_or_default();
            if load(Source::Shipped(one.name), &Overrides::default())?.published.is_some() && !folders.contains(&folder)
            {
                folders.push(folder);
            }
        }
        return Err(Failure::Input(format!(
            "no shipped scenario with published figures begins with `{}`\n  = help: there are some in {}",
            args.folder,
            folders.join(", ")
        )));
    }
    Ok((scenarios, shortened))
}

/// A folder for each run, and the one of all results around them. They go in this order, if nothing came into them.
fn folders(dir: &Path, scenarios: &[Scenario]) -> Result<(Vec<OutDir>, OutDir), Failure> {
    let all = OutDir::prepare(dir)?;
    let each: Result<Vec<OutDir>, Failure> =
        scenarios.iter().map(|scenario| OutDir::prepare(&dir.join(short(&scenario.name)))).collect();
    Ok((each?, all))
}

fn run_row(scenario: &Scenario, out: Option<&OutDir>, progress: &Progress) -> Result<Row, Failure> {
    let began = Instant::now();
    let outputs = run_all(&Job::all(scenario).collect::<Vec<Job<'_>>>(), false, progress)?;
    let outcome = Outcome::of(scenario.clone(), outputs, began.elapsed());
    let Some(outcome) = outcome else { return Err(Failure::Input("a scenario without replications".to_owned())) };
    if let Some(out) = out {
        out.write(&outcome)?;
    }
    let Some(published) = &outcome.scenario.published else {
        return Err(Failure::Input(format!("{}: a scenario without published figures", scenario.name)));
    };
    let (summary, warmup_s) = (&outcome.replications.summary, outcome.identity.warmup_s);
    let row = Row::of(&outcome.scenario, published, summary, warmup_s, &outcome.output.series);
    progress.note(&format!(
        "{}: {} s in {} s, {} tps",
        row.name,
        rate(outcome.identity.simulated_s),
        rate(outcome.identity.wall_s),
        rate(row.simulated.tps_10s_median_mean)
    ));
    Ok(row)
}
