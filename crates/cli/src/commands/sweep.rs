//! `innosim sweep`: every combination of some settings, each run once, saved as it ends.
//!
//! `layout` decides what runs along a curve, `folder` writes the results, `table` and `json` print them.

pub(super) mod folder;
mod json;
mod layout;
mod table;
mod view;

use crate::args::{Format, SweepArgs, Tier};
use crate::exit::{Done, Failure};
use crate::interrupt;
use crate::out_dir::OutDir;
use crate::output::{hanging, note, note_error, note_warnings, print, print_json, shell_line, wrapped};
use crate::progress::Progress;
use crate::runner::pool;
use crate::show::show;
use innosim_core::metrics::RunOutput;
use innosim_core::seam::LiveSettings;
use innosim_core::server::{RunError, Warm};
use innosim_experiments::rest::why_whole;
use innosim_experiments::runner::{IsEnough, Job, Watched, run_one, run_until};
use innosim_experiments::sweep::{
    Advice, Made, Opened, Plan, Prepared, Request, Results, Store, SweepFile, SweepRunner, SweepTier, find,
    run as run_missing, shipped,
};
use innosim_experiments::tiers::why_refused;
use innosim_experiments::warm_start::{WarmStart, why_cold};
use innosim_flow::Refused;
use innosim_scenario::Overrides;
use innosim_statistics::Precision;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Runs a sweep, or continues one.
pub(crate) fn run(args: &SweepArgs) -> Done {
    let (Some(name), Some(out)) = (&args.scenario, &args.out) else { return list(args.form.format) };
    let prepared = request(args, name)?.prepare()?;
    let quiet = args.common.quiet;
    note_warnings(&prepared.notes, quiet);
    for (first, again) in prepared.twins().iter().filter(|_| !quiet) {
        note(&format!("{again} is the same run as {first}"));
    }
    tell_whole_runs(&prepared, quiet);
    tell_cold_runs(&prepared, quiet);
    tell_refused_runs(&prepared, quiet);
    let out = OutDir::prepare(out)?;
    let dir = out.path();
    let (store, mut opened) = Store::open(dir)?;
    if !args.fresh {
        folder::refuse_to_replace(dir, &store, &prepared.plan, &opened.runs)?;
    }
    start(args, &prepared.plan, &store, &mut opened)?;
    let reused = Results::of(&prepared.plan, &opened.runs).count();
    folder::remove_results(dir, &prepared.plan, &opened.runs);
    interrupt::listen();
    let began = Instant::now();
    let runner = Runner::new(&prepared, args);
    let pool = pool(args.common.jobs)?;
    let made = pool.install(|| run_missing(&prepared, args.shard, &store, &mut opened.runs, &runner));
    runner.progress.finish();
    let made = made?;
    let results = Results::of(&prepared.plan, &opened.runs);
    if made.stopped {
        let saved = format!("{} runs are saved in {}; the same command continues", results.count(), dir.display());
        note(&saved);
        return Err(Failure::Interrupted);
    }
    let effort =
        Effort { made: made.runs, twins: made.twins, reused, simulated_s: made.simulated_s, wall: began.elapsed() };
    let whole = args.shard.is_all();
    let written = folder::write(dir, &store, &results, &opened.runs, whole, &folder::scenario(&prepared));
    // What was found is told even where it can't be written.
    print_results(args.form.format, &results, Some(&effort), dir)?;
    written.map_err(|failure| kept(failure, dir))?;
    conclude(args, &results, &made, dir)
}

/// Says which runs can't end early, and why, where somebody asked for it.
fn tell_whole_runs(prepared: &Prepared, quiet: bool) {
    if prepared.plan.until_rest.is_none() || quiet {
        return;
    }
    let reasons: Vec<&str> = prepared.scenarios.iter().filter_map(why_whole).collect();
    if let Some(first) = reasons.first() {
        note(&format!(
            "--until-rest: runs of {} of {} points take their length all the same: {first}",
            reasons.len(),
            prepared.scenarios.len()
        ));
    }
}

/// Says which runs can't go on from a warm server, and why, where somebody asked for it.
fn tell_cold_runs(prepared: &Prepared, quiet: bool) {
    let cold = || prepared.scenarios.iter().zip(&prepared.base_of).filter(|(_, base)| base.is_none());
    if !prepared.plan.warm_copies || quiet || cold().count() == 0 {
        return;
    }
    let why = cold().find_map(|(scenario, _)| why_cold(scenario));
    let why = why.unwrap_or_else(|| "no setting that a server at work takes varies".to_owned());
    note(&format!(
        "--warm-copies: runs of {} of {} points begin cold all the same: {why}",
        cold().count(),
        prepared.scenarios.len()
    ));
}

/// Says which runs the coarse tier refuses as far as that is known before, and why.
fn tell_refused_runs(prepared: &Prepared, quiet: bool) {
    if prepared.plan.tier.is_exact() || quiet {
        return;
    }
    let refused: Vec<Refused> = prepared.scenarios.iter().filter_map(why_refused).collect();
    if let Some(first) = refused.first() {
        note(&format!(
            "--tier: runs of {} of {} points are exact all the same: {first}",
            refused.len(),
            prepared.scenarios.len()
        ));
    }
}

/// A failure to write results, with what became of the runs.
fn kept(failure: Failure, dir: &Path) -> Failure {
    match failure {
        Failure::Input(text) if text.contains("can't write") => Failure::Input(format!(
            "{}\n  = help: all runs are kept in {}, but tables and pictures are missing; make room, and the same command \
             makes them without running anything again",
            text.lines().next().unwrap_or_default(),
            dir.display()
        )),
        other => other,
    }
}

/// What it took to get the results.
pub(super) struct Effort {
    pub(super) made: usize,
    /// Those of them that are the same as another, and were not simulated.
    pub(super) twins: usize,
    pub(super) reused: usize,
    pub(super) simulated_s: f64,
    pub(super) wall: Duration,
}

/// What is asked for: by a file with a sweep, changed by the command line; or by the command line alone.
fn request(args: &SweepArgs, name: &str) -> Result<Request, Failure> {
    let file = find(name)?;
    let from_file = file.is_some();
    if let Some(sweep) = &file {
        refuse_sweep(&sweep.scenario)?;
    }
    let file = file.unwrap_or_else(|| SweepFile { scenario: name.to_owned(), ..SweepFile::default() });
    let written = file.precision.as_deref().map(crate::args::share).transpose().map_err(|help| {
        Failure::Input(format!("{name}: precision = {:?}\n  = help: {help}", file.precision.unwrap_or_default()))
    })?;
    let until_rest = file.until_rest.as_deref().map(crate::args::share).transpose().map_err(|help| {
        Failure::Input(format!("{name}: until_rest = {:?}\n  = help: {help}", file.until_rest.unwrap_or_default()))
    })?;
    let until_rest = args.until_rest.or(until_rest);
    let warm_copies = args.warm_copies || file.warm_copies;
    if warm_copies && until_rest.is_none() {
        let help = "add --until-rest: what goes on from a warm server shows what it comes to when it is at rest again";
        return Err(Failure::Input(format!("--warm-copies without --until-rest\n  = help: {help}")));
    }
    let replications = args.replications.or(file.replications);
    let fixed = args.replications.is_some() && args.precision.is_none();
    let precision = args.precision.or(written.filter(|_| !fixed)).map(|relative| Precision {
        relative,
        first: replications.unwrap_or(Precision::FIRST),
        limit: args.max_replications,
    });
    Ok(Request {
        scenario: file.scenario,
        title: if from_file { file.title } else { String::new() },
        overrides: Overrides {
            set: file.set.iter().chain(&args.server.changes.set).cloned().collect(),
            duration: args.length.duration.clone().or(file.duration),
            replications,
            ..args.server.overrides(&args.common)
        },
        hosted: None,
        vary: if args.vary.is_empty() { file.vary } else { args.vary.clone() },
        precision,
        check: args.check,
        until_rest,
        warm_copies,
        tier: match args.tier {
            Tier::Exact => SweepTier::Exact,
            Tier::Flow => SweepTier::Flow,
            Tier::Both => SweepTier::Both,
        },
    })
}

/// Refuses the name of a sweep where a scenario is wanted.
pub(super) fn refuse_sweep(name: &str) -> Done {
    // A sweep that is wrong is one all the same.
    let scenario = match find(name) {
        Ok(None) => return Ok(()),
        Ok(Some(sweep)) => format!(", or name its scenario, {}", sweep.scenario),
        Err(_) => String::new(),
    };
    let help = format!("run it with `innosim sweep {} -o DIR`{scenario}", shell_line([name.to_owned()]));
    Err(Failure::Input(format!("`{name}` is a sweep, not a scenario\n  = help: {help}")))
}

/// Saves the plan, and says what is there already.
fn start(args: &SweepArgs, plan: &Plan, store: &Store, opened: &mut Opened) -> Done {
    if args.fresh {
        opened.runs.clear();
        store.settle(&[], &opened.runs)?;
    }
    store.save_plan(plan)?;
    if opened.damaged > 0 && !args.common.quiet {
        note_error(&format!(
            "warning: {} damaged lines of the journal are left out; their runs are made again",
            opened.damaged
        ));
    }
    Ok(())
}

/// Makes runs, and shows how far they have come.
struct Runner {
    progress: Progress,
    check: bool,
    done: AtomicUsize,
    expected: AtomicUsize,
}

impl Runner {
    fn new(prepared: &Prepared, args: &SweepArgs) -> Runner {
        Runner {
            progress: Progress::over_runs(&prepared.plan.scenario, args.common.quiet),
            check: args.check,
            done: AtomicUsize::new(0),
            expected: AtomicUsize::new(0),
        }
    }

    fn tell(&self) {
        let (done, expected) = (self.done.load(Ordering::Relaxed), self.expected.load(Ordering::Relaxed));
        self.progress.message(format!("{done}/{expected} runs"));
    }
}

impl SweepRunner for Runner {
    fn execute(&self, job: Job<'_>) -> Result<RunOutput, RunError> {
        run_one(job, self.check, &mut Watched(&self.progress))
    }

    fn execute_until(&self, job: Job<'_>, is_enough: &mut IsEnough<'_>) -> Result<RunOutput, RunError> {
        let output = run_until(job, self.check, &mut Watched(&self.progress), is_enough)?;
        self.progress.forgo(job.seconds().saturating_sub(output.series.len() as u64));
        Ok(output)
    }

    fn warm_up(&self, job: Job<'_>) -> Result<Option<WarmStart>, RunError> {
        let start = WarmStart::until_warm(job, self.check, &mut Watched(&self.progress))?;
        self.progress.expect(start.seconds());
        Ok(Some(start))
    }

    fn go_on(
        &self,
        from: Warm,
        job: Job<'_>,
        others: &[LiveSettings],
        is_enough: &mut IsEnough<'_>,
    ) -> Result<(RunOutput, Vec<bool>), RunError> {
        let shared = from.seconds().len();
        let (output, same) = from.run_beside(others, &mut Watched(&self.progress), is_enough)?;
        self.progress.forgo(job.seconds().saturating_sub((output.series.len() - shared) as u64));
        Ok((output, same))
    }

    fn forgone(&self, job: Job<'_>) {
        self.progress.forgo(job.seconds());
    }

    fn round(&self, runs: usize, seconds: f64) {
        self.expected.fetch_add(runs, Ordering::Relaxed);
        self.progress.expect(seconds as u64);
        self.tell();
    }

    fn finished(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
        self.tell();
    }

    fn stop(&self) -> bool {
        interrupt::asked()
    }
}

/// Prints what came out.
pub(super) fn print_results(format: Format, results: &Results<'_>, effort: Option<&Effort>, dir: &Path) -> Done {
    show(format, &json::document(results, effort, dir), &table::render(results, effort))
}

/// Says what to beware of and where everything is; a run that failed makes it a failure.
fn conclude(args: &SweepArgs, results: &Results<'_>, made: &Made, dir: &Path) -> Done {
    if !args.common.quiet {
        warn(results);
        if args.shard.is_all() {
            note(&format!("\nIn {}: {}", dir.display(), folder::FILES));
        } else {
            note(&format!("\nPart {} is done. Join the parts: innosim merge {} ... -o DIR", args.shard, dir.display()));
        }
    }
    if made.failures.is_empty() {
        return Ok(());
    }
    let by_rule = |f: &innosim_experiments::sweep::Failure| matches!(f.error, RunError::Rule { .. });
    let told: Vec<String> = made
        .failures
        .iter()
        .take(5)
        .map(|f| format!("  {}, replication {}: {}", results.plan.label(f.point), f.replication, f.error))
        .collect();
    let (failed, all) = (made.failures.len(), made.failures.len() + results.count());
    let text = format!("{failed} of {all} runs failed, the others are kept:\n{}", told.join("\n"));
    if made.failures.iter().all(by_rule) {
        let help = "mend the rule; the same command makes what is missing";
        return Err(Failure::Input(format!("{text}\n  = help: {help}")));
    }
    Err(Failure::Check(format!(
        "{text}\n  = help: this is a defect of the simulator or of a policy, not of the scenario; the same command tries \
         the failed runs again"
    )))
}

/// Writes what to beware of to standard error.
pub(super) fn warn(results: &Results<'_>) {
    for advice in Advice::of(results) {
        note_error(wrapped(&format!("warning: {}", advice.text), 0).trim_end());
    }
}

fn list(format: Format) -> Done {
    match format {
        Format::Json => {
            let one = |s: &innosim_experiments::sweep::ShippedSweep| serde_json::json!({ "name": s.name, "title": s.title, "story": s.story });
            print_json(&serde_json::Value::Array(shipped().iter().map(one).collect()))
        }
        Format::Human => {
            let width = shipped().iter().map(|one| one.name.len()).max().unwrap_or(0);
            let line = |one: &innosim_experiments::sweep::ShippedSweep| {
                hanging(&one.title, &format!("  {:<width$}  ", one.name))
            };
            let lines: Vec<String> = shipped().iter().map(line).collect();
            print(&format!("sweeps\n{}\n`innosim sweep NAME -o DIR` runs one.\n", lines.concat()))
        }
    }
}
