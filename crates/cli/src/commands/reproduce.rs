//! `innosim reproduce`: runs every shipped scenario of a folder that carries published figures, and lays the two beside
//! each other.
//!
//! `series` runs a series that is described as data. `table` and `json` print what [`innosim_experiments::reproduce`] finds.

mod json;
mod picture;
mod series;
mod table;

use crate::args::ReproduceArgs;
use crate::exit::{Done, Failure};
use crate::interrupt;
use crate::out_dir::OutDir;
use crate::outcome::Outcome;
use crate::output::note;
use crate::progress::Progress;
use crate::runner::{failure, pool, refuse_too_short, run_all};
use crate::show::show;
use innosim_core::metrics::RunOutput;
use innosim_experiments::reproduce::{Order, Row, short};
use innosim_experiments::rest::{Early, Ended, may_end_early, until_known};
use innosim_experiments::runner::{IsEnough, Job, Watched, in_parallel, run_until};
use innosim_report::numbers::rate;
use innosim_report::write_json;
use innosim_scenario::{Overrides, Published, Scenario, Source, load, shipped};
use std::path::Path;
use std::time::Instant;

/// What is left beside the folders of the runs.
const RESULT: &str = "reproduce.json";

/// Share of the redo that may stay in the age of a run at rest: the age is among the published figures, and creeps up for long.
const STILL: f64 = 0.03;

/// All rows of a reproduction, in the order of the shipped scenarios.
#[derive(Debug)]
struct Comparison {
    folder: String,
    rows: Vec<Row>,
    order: Order,
    /// Whether runs were shorter than published.
    shortened: bool,
    /// Whether runs that were at rest ended there.
    until_rest: bool,
    /// Simulated by the runs that were made: rows whose runs are the same share one.
    simulated_s: f64,
    made: usize,
    wall_s: f64,
    jobs: usize,
}

impl Comparison {
    fn misses(&self) -> Vec<&str> {
        self.rows.iter().filter(|row| !row.misses.is_empty()).map(|row| row.name.as_str()).collect()
    }
}

/// A run to be made.
struct Run {
    scenario: Scenario,
    /// What was changed of the shipped scenario.
    overrides: Overrides,
}

/// Runs the published scenarios.
pub(crate) fn run(args: &ReproduceArgs) -> Done {
    match &args.series {
        _ if args.list => series::list(),
        Some(name) if name != series::FOLDER_SERIES.0 => series::run(args, name),
        // The default of the folder.
        _ => run_folder(args),
    }
}

/// Runs the scenarios of a folder, or whose names begin so.
fn run_folder(args: &ReproduceArgs) -> Done {
    let (runs, shortened) = published(args)?;
    runs.iter().try_for_each(|run| refuse_too_short(&run.scenario))?;
    let out = args.out.as_deref().map(|dir| folders(dir, &runs)).transpose()?;
    if let Some((_, dir)) = &out {
        // One of an earlier reproduction must not stand beside the runs of this one.
        let _ = std::fs::remove_file(dir.path().join(RESULT));
    }
    interrupt::listen();
    let pool = pool(args.common.jobs)?;
    let jobs = pool.current_num_threads();
    let groups = alike(&runs, longest_first(&runs));
    let first = |group: &Vec<usize>| &runs[group[0]].scenario;
    let seconds: u64 = groups.iter().map(first).flat_map(Job::all).map(|job| job.seconds()).sum();
    if !args.common.quiet {
        note(&format!("{}, {} at a time", table::runs(groups.len(), runs.len()), jobs.min(groups.len())));
    }
    let progress = Progress::new(&args.folder, seconds, args.common.quiet);
    let began = Instant::now();
    let made: Vec<Result<Vec<(usize, Row)>, Failure>> = pool.install(|| {
        in_parallel(&groups, |group| {
            let rows = group.iter().map(|&i| (i, &runs[i], out.as_ref().map(|(dirs, _)| &dirs[i])));
            rows_of(rows.collect(), args.until_rest, &progress)
        })
    });
    progress.finish();
    let made: Vec<Vec<(usize, Row)>> = made.into_iter().collect::<Result<_, _>>()?;
    let simulated_s = made.iter().flat_map(|rows| rows.first()).map(|(_, row)| row.simulated_s).sum();
    let mut rows: Vec<(usize, Row)> = made.into_iter().flatten().collect();
    rows.sort_by_key(|(i, _)| *i);
    let rows: Vec<Row> = rows.into_iter().map(|(_, row)| row).collect();
    let comparison = Comparison {
        folder: args.folder.clone(),
        order: Order::of(&rows),
        shortened,
        until_rest: args.until_rest,
        simulated_s,
        made: groups.len(),
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
        write_json(&dir.join(RESULT), &document)?;
    }
    show(args.form.format, &document, &table::render(comparison))?;
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
fn published(args: &ReproduceArgs) -> Result<(Vec<Run>, bool), Failure> {
    let overrides = Overrides { duration: args.duration.clone(), seed: args.common.seed, ..Overrides::default() };
    let (mut runs, mut shortened) = (Vec::new(), false);
    for one in shipped().iter().filter(|one| one.name.starts_with(&args.folder)) {
        let plain = load(Source::Shipped(one.name), &Overrides::default())?;
        if let Some(published) = &plain.published {
            let overrides = if args.until_rest { begin_to_rest(&overrides, published) } else { overrides.clone() };
            let scenario = load(Source::Shipped(one.name), &overrides)?;
            shortened |= scenario.run.duration != plain.run.duration;
            runs.push(Run { scenario, overrides });
        }
    }
    if runs.is_empty() {
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
    Ok((runs, shortened))
}

/// How a run begins that may end at rest.
///
/// What was published of a smooth run are means at its end, so that it may begin with its pages in the buffer pool: reading them in
/// takes longer than anything else, and a run looks at rest meanwhile. Where the first collapse was published, the course from a
/// cold start is what is compared, to its end.
fn begin_to_rest(common: &Overrides, published: &Published) -> Overrides {
    let mut overrides = common.clone();
    if published.first_collapse_s.is_none() {
        overrides.set.push("workload.resident_share=1".to_owned());
    }
    overrides
}

/// A folder for each run, and the one of all results around them. They go in this order, if nothing came into them.
fn folders(dir: &Path, runs: &[Run]) -> Result<(Vec<OutDir>, OutDir), Failure> {
    let all = OutDir::prepare(dir)?;
    let each: Result<Vec<OutDir>, Failure> =
        runs.iter().map(|run| OutDir::prepare(&dir.join(short(&run.scenario.name)))).collect();
    Ok((each?, all))
}

/// Places of the runs, in the order in which they are best begun: none of those that take longest is left for the end. Waves run
/// whole, and what is at rest is so after a number of turns of the redo log.
fn longest_first(runs: &[Run]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..runs.len()).collect();
    let length = |&i: &usize| {
        let Scenario { published, settings, run, .. } = &runs[i].scenario;
        let waves = published.as_ref().is_some_and(Published::has_waves);
        let redo = ["innodb_log_file_size", "innodb_redo_log_capacity"].map(|name| settings.integer(name).unwrap_or(0));
        (run.duration, waves, redo)
    };
    places.sort_by_key(|i| std::cmp::Reverse(length(i)));
    places
}

/// The places in groups whose scenarios run the same, in the order of the first of each.
fn alike(runs: &[Run], places: Vec<usize>) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for place in places {
        match groups.iter_mut().find(|group| runs[group[0]].scenario.runs_like(&runs[place].scenario)) {
            Some(group) => group.push(place),
            None => groups.push(vec![place]),
        }
    }
    groups
}

/// Makes the run that all of a group share, and lays it beside what was published of each.
fn rows_of(
    group: Vec<(usize, &Run, Option<&OutDir>)>,
    until_rest: bool,
    progress: &Progress,
) -> Result<Vec<(usize, Row)>, Failure> {
    let began = Instant::now();
    let Some((_, first, _)) = group.first() else { return Ok(Vec::new()) };
    let (outputs, early) = made(&first.scenario, until_rest, progress)?;
    let wall = began.elapsed();
    let row = |(place, run, out): (usize, &Run, Option<&OutDir>)| {
        let outcome = Outcome::of(as_it_ended(run, early)?, outputs.clone(), wall);
        let Some(outcome) = outcome else { return Err(Failure::Input("a scenario without replications".to_owned())) };
        if let Some(out) = out {
            out.write(&outcome)?;
        }
        let row = row(&outcome, early.is_some())?;
        progress.note(&format!(
            "{}: {} s in {} s, {} tps",
            row.name,
            rate(outcome.identity.simulated_s),
            rate(outcome.identity.wall_s),
            rate(row.simulated.tps_10s_median_mean)
        ));
        Ok((place, row))
    };
    group.into_iter().map(row).collect()
}

fn row(outcome: &Outcome, at_rest: bool) -> Result<Row, Failure> {
    let Some(published) = &outcome.scenario.published else {
        return Err(Failure::Input(format!("{}: a scenario without published figures", outcome.scenario.name)));
    };
    let (summary, warmup_s) = (&outcome.replications.summary, outcome.identity.warmup_s);
    Ok(Row { at_rest, ..Row::of(&outcome.scenario, published, summary, warmup_s, &outcome.output.series) })
}

/// The runs of a scenario, up to their end or to rest; and how it ended, if that was early.
fn made(
    scenario: &Scenario,
    until_rest: bool,
    progress: &Progress,
) -> Result<(Vec<RunOutput>, Option<Early>), Failure> {
    if !until_rest || scenario.replications != 1 {
        let outputs = run_all(&Job::all(scenario).collect::<Vec<Job<'_>>>(), false, progress)?;
        return Ok((outputs, None));
    }
    let job = Job { scenario, replication: 0 };
    let execute = |is_enough: &mut IsEnough<'_>| run_until(job, false, &mut Watched(progress), is_enough);
    // Who lives by sync flushing goes on: how waves come and go is to be seen.
    let (output, early) =
        until_known(job.seconds(), 0, may_end_early(scenario), STILL, |why| why == Ended::AtRest, execute)
            .map_err(|error| failure(job, &error))?;
    if let Some(early) = early {
        progress.forgo(job.seconds() - early.simulated_s);
    }
    Ok((vec![output], early))
}

/// The scenario of just what was run.
fn as_it_ended(run: &Run, early: Option<Early>) -> Result<Scenario, Failure> {
    let Some(early) = early else { return Ok(run.scenario.clone()) };
    let mut overrides = run.overrides.clone();
    overrides.duration = Some(format!("{}s", early.simulated_s));
    overrides.set.push(format!("warmup={}s", early.simulated_s - early.counted_s));
    Ok(load(Source::Shipped(&run.scenario.name), &overrides)?)
}
