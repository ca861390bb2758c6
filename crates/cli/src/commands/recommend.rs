//! `innosim recommend`: the I/O capacity (and redo size) to try first, and how sure that is.
//!
//! The search is in `innosim_experiments::recommend`. Here: `table` for people, `json` for
//! scripts, `why` the sentences of both.

mod json;
mod settings_alone;
pub(crate) mod table;
mod why;

use super::sweep::refuse_sweep;
use crate::args::{GoalName, RecommendArgs, SearchTier};
use crate::exit::{Done, Failure};
use crate::interrupt;
use crate::out_dir::{OutDir, fill};
use crate::outcome::VERSION;
use crate::output::note_warnings;
use crate::progress::Progress;
use crate::runner::{pool, refuse_too_short};
use crate::show::show;
use innosim_core::metrics::{RunOutput, SecondSample};
use innosim_core::server::{RunError, Warm};
use innosim_experiments::recommend::{Goal, Plan, Question, RecommendError, TrialRunner, recommend};
use innosim_experiments::runner::{IsEnough, Job, Watch, Watched, run_one, run_until};
use innosim_experiments::warm_start::WarmStart;
use innosim_report::numbers::count;
use innosim_report::{write_file, write_json};
use innosim_scenario::{Overrides, Source, load};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What is left last.
const LAST: &str = "recommendation.json";
/// Runs that a search takes, about.
const RUNS: [u32; 2] = [20, 40];
/// Share of their planned length that they take, about: many begin warm, and end at rest; under waves none does.
const SHARE_RUN: [f64; 2] = [0.4, 1.0];
/// The least of it where the coarse tier may take them.
const SHARE_OF_FLOWS: f64 = 0.05;

impl GoalName {
    pub(crate) fn goal(self) -> Goal {
        match self {
            GoalName::Throughput => Goal::Throughput,
            GoalName::Latency => Goal::Latency,
            GoalName::Writes => Goal::Writes,
        }
    }
}

/// Makes runs under a line of progress for each stage.
pub(crate) struct Staged {
    quiet: bool,
    whole_runs: bool,
    flows: bool,
    /// Most time that all of it may take.
    limit: Duration,
    began: Instant,
    progress: Mutex<Progress>,
    speed: Speed,
    /// Most seconds that the search takes, once that is known.
    expected_s: AtomicU64,
}

/// Simulated seconds so far, and what they took of processors' time.
#[derive(Debug, Default)]
struct Speed {
    simulated_s: AtomicU64,
    busy_ms: AtomicU64,
}

impl Speed {
    /// Adds what `run` takes.
    fn of<T>(&self, run: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let made = run();
        self.busy_ms.fetch_add(began.elapsed().as_millis() as u64, Ordering::Relaxed);
        made
    }

    /// Simulated seconds in a second of a processor.
    fn get(&self) -> f64 {
        let of = |number: &AtomicU64| number.load(Ordering::Relaxed).max(1) as f64;
        of(&self.simulated_s) / (of(&self.busy_ms) / 1e3)
    }
}

impl Staged {
    /// Nothing runs yet, and all of it may take no longer than `limit`.
    pub(crate) fn new(quiet: bool, limit: Duration) -> Self {
        let progress = Mutex::new(Progress::new("pilot", 1, quiet));
        let (speed, expected_s) = (Speed::default(), AtomicU64::new(0));
        Staged { quiet, whole_runs: false, flows: false, limit, began: Instant::now(), progress, speed, expected_s }
    }

    /// Makes whole runs, if that was asked for: flows are none.
    fn whole(self, whole_runs: bool) -> Self {
        Staged { whole_runs, flows: self.flows && !whole_runs, ..self }
    }

    /// Makes runs in a tier: in the coarse one flows with exact seconds.
    pub(crate) fn in_tier(self, tier: SearchTier) -> Self {
        Staged { flows: tier == SearchTier::Flow, ..self }
    }

    /// No run is left.
    pub(crate) fn finish(&self) {
        self.progress().progress.finish();
    }

    fn progress(&self) -> InTime<'_> {
        let progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner).clone();
        InTime { progress, began: self.began, limit: self.limit, speed: &self.speed }
    }

    /// A time limit that lets the search end, in whole minutes.
    fn enough(&self) -> String {
        let longer = (2 * self.limit.as_secs()).max(self.expected_s.load(Ordering::Relaxed));
        format!("{}m", longer.div_ceil(60))
    }
}

/// Progress of a run that ends when the time is over.
struct InTime<'a> {
    progress: Progress,
    began: Instant,
    limit: Duration,
    speed: &'a Speed,
}

impl InTime<'_> {
    fn goes_on(&self, on: ControlFlow<()>) -> ControlFlow<()> {
        if self.began.elapsed() >= self.limit { ControlFlow::Break(()) } else { on }
    }
}

impl Watch for InTime<'_> {
    fn second(&self, sample: &SecondSample) -> ControlFlow<()> {
        self.speed.simulated_s.fetch_add(1, Ordering::Relaxed);
        self.goes_on(self.progress.second(sample))
    }

    fn go_on(&self) -> ControlFlow<()> {
        self.goes_on(self.progress.go_on())
    }
}

impl TrialRunner for Staged {
    fn execute(&self, job: Job<'_>) -> Result<RunOutput, RunError> {
        let progress = self.progress();
        self.speed.of(|| run_one(job, false, &mut Watched(&progress)))
    }

    fn execute_until(&self, job: Job<'_>, is_enough: &mut IsEnough<'_>) -> Result<RunOutput, RunError> {
        if self.whole_runs {
            return self.execute(job);
        }
        let progress = self.progress();
        let output = self.speed.of(|| run_until(job, false, &mut Watched(&progress), is_enough))?;
        progress.progress.forgo(job.seconds().saturating_sub(output.series.len() as u64));
        Ok(output)
    }

    fn warm_up(&self, job: Job<'_>, seconds: u64) -> Result<Option<WarmStart>, RunError> {
        if self.whole_runs {
            return Ok(None);
        }
        self.speed.of(|| WarmStart::of(job, false, seconds, &mut Watched(&self.progress()))).map(Some)
    }

    fn go_on(&self, from: Warm, job: Job<'_>, is_enough: &mut IsEnough<'_>) -> Result<RunOutput, RunError> {
        let (progress, before) = (self.progress(), from.seconds().len());
        let output = self.speed.of(|| from.run_until(&mut Watched(&progress), is_enough))?;
        progress.progress.forgo(job.seconds().saturating_sub((output.series.len() - before) as u64));
        Ok(output)
    }

    fn may_flow(&self) -> bool {
        self.flows
    }

    fn watch(&self) -> Box<dyn Watch + '_> {
        Box::new(self.progress())
    }

    fn time_is_up(&self) -> bool {
        self.began.elapsed() >= self.limit
    }

    fn stage(&self, name: &str, runs: usize, seconds: u64) {
        let runs = if runs == 1 { "1 run".to_owned() } else { format!("{runs} runs") };
        let next = Progress::new(&format!("{name}, {runs}"), seconds, self.quiet);
        let mut current = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        current.finish();
        *current = next;
    }

    fn planned(&self, plan: &Plan) {
        let [least, most] = RUNS;
        let runs = format!("some {least} to {most} runs of {} simulated s at most", count(plan.duration_s as f64));
        if plan.turn_s.is_none() {
            return self.progress().progress.note(&runs);
        }
        // Few runs take their whole length.
        let processors = rayon::current_num_threads() as f64;
        let whole_s = |runs: u32| f64::from(runs) * plan.duration_s as f64 / self.speed.get() / processors;
        let least_share = if self.flows { SHARE_OF_FLOWS } else { SHARE_RUN[0] };
        let (least_s, most_s) = (least_share * whole_s(least), SHARE_RUN[1] * whole_s(most));
        self.expected_s.store(most_s as u64, Ordering::Relaxed);
        let mut note = format!("{runs}, about {}", span_of_time(least_s, most_s));
        if most_s > self.limit.as_secs_f64() {
            note.push_str(&format!(
                "\nthe time limit of {} {} cut it short: what is known by then is shown; --time-limit {} lets it end",
                in_words(self.limit.as_secs_f64()),
                if least_s > self.limit.as_secs_f64() { "will" } else { "may" },
                self.enough()
            ));
        }
        self.progress().progress.note(&note);
    }
}

/// From one time to another: `10 to 30 s`, `50 s to 4 minutes`, `3 to 13 minutes`.
fn span_of_time(from_s: f64, to_s: f64) -> String {
    let (from, to) = (in_words(from_s), in_words(to_s));
    match (from.split_once(' '), to.split_once(' ')) {
        _ if from == to => to,
        (Some((number, unit)), Some((_, other))) if unit == other => format!("{number} to {to}"),
        _ => format!("{from} to {to}"),
    }
}

/// A time of which more than one digit or two would be false: seconds up to two minutes, then minutes.
fn in_words(seconds: f64) -> String {
    if seconds < 120.0 {
        format!("{} s", count(seconds.max(1.0)))
    } else {
        format!("{} minutes", count(seconds / 60.0))
    }
}

impl From<RecommendError> for Failure {
    fn from(error: RecommendError) -> Failure {
        match error {
            RecommendError::Scenario(errors) => Failure::Scenario(errors),
            RecommendError::OutOfTime => Failure::Check(format!("{error}\n  = help: give a longer --time-limit")),
            RecommendError::Run { error: RunError::Stopped { .. }, .. } => Failure::Interrupted,
            RecommendError::Run { error: RunError::Rule { .. }, .. } => Failure::Input(error.to_string()),
            RecommendError::Run { .. } => Failure::Check(error.to_string()),
            RecommendError::Nothing { problem } => Failure::Input(format!(
                "{problem}\n  = help: give a scenario with transactions, on a model with innodb_io_capacity"
            )),
        }
    }
}

/// Searches and answers.
pub(crate) fn run(args: &RecommendArgs) -> Done {
    let Some(named) = &args.scenario else { return settings_alone::run(args) };
    let common = Overrides { duration: args.duration.clone(), ..args.server.overrides(&args.common) };
    let source = Source::Named(named);
    refuse_sweep(named)?;
    let scenario = load(source, &common)?;
    refuse_too_short(&scenario)?;
    note_warnings(&scenario.notes, args.common.quiet);
    let out = args.out.as_deref().map(OutDir::prepare).transpose()?;
    interrupt::listen();
    let began = Instant::now();
    let staged = Staged::new(args.common.quiet, args.time_limit).in_tier(args.tier).whole(args.whole_runs);
    let question = Question {
        source,
        common,
        goal: args.goal.goal(),
        redo: args.redo,
        replications: args.replications,
        far: false,
    };
    let answer = pool(args.common.jobs)?.install(|| recommend(&question, &staged));
    staged.finish();
    let answer = answer.map_err(|error| match error {
        RecommendError::OutOfTime => Failure::Check(format!("{error}\n  = help: --time-limit {}", staged.enough())),
        error => error.into(),
    })?;
    let (goal, wall) = (question.goal, began.elapsed());
    let (document, text) = (json::document(&answer, goal, wall), table::render(&answer, goal, wall, args.all, named));
    show(args.form.format, &document, &text)?;
    if let Some(out) = &out {
        leave(args, out, &document, &text, Some(&answer.scenario.to_resolved_toml(VERSION)))?;
    }
    match answer.refused() {
        Some(_) => Err(Failure::Check("nothing is recommended".to_owned())),
        None => Ok(()),
    }
}

/// Leaves the answer in a folder, with the settings and the load that it is for.
fn leave(args: &RecommendArgs, out: &OutDir, document: &serde_json::Value, text: &str, resolved: Option<&str>) -> Done {
    fill(out.path(), LAST, |dir| {
        write_file(&dir.join("recommendation.txt"), text.as_bytes())?;
        if let Some(resolved) = resolved {
            write_file(&dir.join("scenario.resolved.toml"), resolved.as_bytes())?;
        }
        write_json(&dir.join(LAST), document)
    })?;
    let scenario = if resolved.is_some() { ", scenario.resolved.toml" } else { "" };
    out.tell(args.common.quiet, &format!("recommendation.txt, recommendation.json{scenario}"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_unit_that_fits() {
        assert_eq!(span_of_time(6.6, 33.0), "7 to 33 s");
        assert_eq!(span_of_time(50.0, 240.0), "50 s to 4 minutes");
        assert_eq!(span_of_time(156.0, 780.0), "3 to 13 minutes");
        assert_eq!(in_words(0.1), "1 s");
    }
}
