//! Runs settings and remembers what came out: no run is made twice.

use super::Question;
use super::case::Case;
use super::goal::Goal;
use super::plan::{Plan, is_even, turn_at};
use super::settled::{Rise, rise_of};
use super::space::{Point, Space};
use crate::runner::{Job, in_parallel, warmup_of};
use crate::sound::is_sound;
use innosim_core::metrics::{RunOutput, Summary};
use innosim_core::server::RunError;
use innosim_core::workload::DriveSpec;
use innosim_scenario::{Diagnostics, Overrides, Scenario, Source, load};
use std::collections::BTreeMap;

/// How runs are made, and who is told.
pub trait TrialRunner: Sync {
    /// Makes a run.
    ///
    /// # Errors
    /// As the run ends.
    fn execute(&self, job: Job<'_>) -> Result<RunOutput, RunError>;

    /// Told before each stage: its name, its runs, their simulated seconds.
    fn stage(&self, _name: &str, _runs: usize, _seconds: u64) {}

    /// Told when the length of runs is known.
    fn planned(&self, _plan: &Plan) {}
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum RecommendError {
    /// The scenario is wrong.
    #[error("{0}")]
    Scenario(#[from] Diagnostics),
    /// There is nothing to search.
    #[error("{problem}")]
    Nothing {
        /// Why.
        problem: String,
    },
    /// A run failed.
    #[error("{setting}, replication {replication}: {error}")]
    Run {
        /// The setting that was tried.
        setting: String,
        /// Its replication.
        replication: u32,
        /// What happened.
        error: RunError,
    },
}

/// Runs settings of one scenario.
pub(super) struct Bench<'a> {
    execute: &'a dyn TrialRunner,
    source: Source<'a>,
    common: Overrides,
    scenario: Scenario,
    space: Space,
    plan: Plan,
    goal: Goal,
    pub(super) redo: bool,
    pub(super) replications: u32,
    trials: BTreeMap<(Case, Point), Vec<Summary>>,
    /// Points of which a run ended while its age was rising.
    rising: BTreeMap<(Case, Point), Rise>,
    runs: usize,
    simulated_s: u64,
}

impl std::fmt::Debug for Bench<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bench").field("plan", &self.plan).field("trials", &self.trials.len()).finish_non_exhaustive()
    }
}

/// Whether no transaction ever runs.
fn is_idle(scenario: &Scenario) -> bool {
    let workload = &scenario.run.workload;
    let never = match &workload.drive {
        DriveSpec::Closed { clients, .. } => *clients == 0,
        DriveSpec::Open { rate, .. } => rate.iter().all(|r| r.from_per_s <= 0.0 && r.to_per_s <= 0.0),
    };
    never || workload.transactions.is_empty()
}

impl<'a> Bench<'a> {
    /// Loads the scenario and makes the pilot run.
    pub(super) fn open(question: &Question<'a>, execute: &'a dyn TrialRunner) -> Result<Bench<'a>, RecommendError> {
        let scenario = load(question.source, &question.common)?;
        let nothing = |problem: String| RecommendError::Nothing { problem };
        let space = Space::about(&scenario.settings)
            .ok_or_else(|| nothing(format!("{} has no I/O capacity or redo size to search", scenario.model)))?;
        if is_idle(&scenario) {
            return Err(nothing(format!("{} has no transactions: every setting is as good", scenario.name)));
        }
        let fixed = question.common.duration.is_some();
        let mut pilot_s = 0;
        let plan = Plan::of(&scenario, fixed, |job| {
            pilot_s = job.seconds();
            execute.stage("pilot", 1, pilot_s);
            execute.execute(job)
        });
        let failed = |error| RecommendError::Run { setting: "pilot run".to_owned(), replication: 0, error };
        let plan = plan.map_err(failed)?;
        execute.planned(&plan);
        Ok(Bench {
            execute,
            source: question.source,
            common: question.common.clone(),
            scenario,
            space,
            plan,
            goal: question.goal,
            redo: question.redo,
            replications: question.replications.max(1),
            trials: BTreeMap::new(),
            rising: BTreeMap::new(),
            runs: usize::from(pilot_s > 0),
            simulated_s: pilot_s,
        })
    }

    /// Makes the runs that are missing of these points in their cases, all at once.
    pub(super) fn ensure(
        &mut self,
        stage: &str,
        points: &[(Case, Point)],
        replications: u32,
    ) -> Result<(), RecommendError> {
        let mut wanted: Vec<(Case, Point, u32)> = Vec::new();
        for &(case, point) in points {
            let have = self.trials(case, point).len() as u32;
            wanted.extend((have..replications).map(|replication| (case, point, replication)));
        }
        wanted.sort();
        wanted.dedup();
        if wanted.is_empty() {
            return Ok(());
        }
        let scenarios: Result<Vec<Scenario>, RecommendError> =
            wanted.iter().map(|&(case, point, _)| self.scenario_of(case, point)).collect();
        let scenarios = scenarios?;
        let seconds: u64 = scenarios.iter().map(|s| s.run.duration.whole_seconds()).sum();
        self.execute.stage(stage, wanted.len(), seconds);
        let execute = self.execute;
        let jobs = scenarios.iter().zip(&wanted).map(|(scenario, &(.., replication))| Job { scenario, replication });
        let outputs = in_parallel(&jobs.collect::<Vec<Job<'_>>>(), |&job| {
            let output = execute.execute(job)?;
            let warmup_s = warmup_of(job.scenario, &output).seconds;
            Ok((Summary::of(&output, warmup_s), rise_of(&output, warmup_s)))
        });
        for ((case, point, replication), output) in wanted.into_iter().zip(outputs) {
            let setting = || self.space.overrides(point).join(", ");
            let failed = |error| RecommendError::Run { setting: setting(), replication, error };
            let (summary, rise) = output.map_err(failed)?;
            self.rising.extend(rise.map(|rise| ((case, point), rise)));
            self.trials.entry((case, point)).or_default().push(summary);
            self.runs += 1;
        }
        self.simulated_s += seconds;
        Ok(())
    }

    /// The same for points as the scenario stands.
    pub(super) fn ensure_as_is(
        &mut self,
        stage: &str,
        points: &[Point],
        replications: u32,
    ) -> Result<(), RecommendError> {
        let points: Vec<(Case, Point)> = points.iter().map(|&point| (Case::AS_IS, point)).collect();
        self.ensure(stage, &points, replications)
    }

    fn scenario_of(&self, case: Case, point: Point) -> Result<Scenario, RecommendError> {
        let mut scenario = self.scenario.clone();
        if point != self.current() {
            let mut overrides = self.common.clone();
            overrides.set.extend(self.space.overrides(point));
            scenario = load(self.source, &overrides)?;
        }
        self.plan.apply(&mut scenario, self.redo_ratio(point));
        case.apply(&mut scenario.run);
        Ok(scenario)
    }

    /// How the age of a point as the scenario stands was rising at the end of a run; `None` if it was at rest in all,
    /// or the load is no even one, so that there is no rest.
    pub(super) fn rise(&self, point: Point) -> Option<Rise> {
        self.rising.get(&(Case::AS_IS, point)).copied().filter(|_| is_even(&self.scenario))
    }

    /// Seconds that the redo log takes to turn at a point that was run.
    pub(super) fn turn_s(&self, point: Point) -> f64 {
        self.mean(Case::AS_IS, point).map_or(0.0, |mean| turn_at(mean.age_stop_limit, mean.redo_bytes_per_s))
    }

    /// Makes runs longer, and forgets those that were made, if the age at `point` was still rising and there is room.
    pub(super) fn lengthen(&mut self, point: Point) -> bool {
        // The plan is that of the present redo size.
        let ratio = self.redo_ratio(point);
        let longer = self.rise(point).and_then(|_| self.plan.longer(self.turn_s(point) / ratio));
        let Some(plan) = longer else { return false };
        self.execute.planned(&plan);
        self.plan = plan;
        self.trials.clear();
        self.rising.clear();
        true
    }

    /// What came out of a point in a case, replication by replication.
    pub(super) fn trials(&self, case: Case, point: Point) -> &[Summary] {
        self.trials.get(&(case, point)).map_or(&[], Vec::as_slice)
    }

    /// The mean over the replications of a point in a case.
    pub(super) fn mean(&self, case: Case, point: Point) -> Option<Summary> {
        let trials = self.trials(case, point);
        // The worst regime that was seen: an answer must not be a matter of luck.
        let regime = trials.iter().map(|trial| trial.regime).max()?;
        let value = |name| trials.iter().filter_map(move |trial| trial.value(name));
        let mean = |name| value(name).sum::<f64>() / trials.len() as f64;
        Some(Summary::from_fn(regime, mean))
    }

    /// What a point is worth in a case, in the mean; higher is better.
    pub(super) fn score(&self, case: Case, point: Point) -> Option<f64> {
        self.mean(case, point).map(|mean| self.goal.score(&mean))
    }

    /// Whether every run of a point in a case can be left to itself.
    pub(super) fn is_sound(&self, case: Case, point: Point) -> bool {
        let trials = self.trials(case, point);
        let seconds = self.window_s(point);
        !trials.is_empty() && trials.iter().all(|trial| is_sound(trial, seconds))
    }

    /// Share of the time in which a point as the scenario stands stalled or lived by sync flushing.
    pub(super) fn trouble(&self, point: Point) -> f64 {
        let seconds = |mean: Summary| mean.stall_seconds + mean.sync_flush_seconds;
        self.mean(Case::AS_IS, point).map_or(f64::INFINITY, seconds) / self.window_s(point).max(1.0)
    }

    fn window_s(&self, point: Point) -> f64 {
        self.plan.window_s(self.redo_ratio(point)) as f64
    }

    /// The redo log of a point, in present sizes.
    fn redo_ratio(&self, point: Point) -> f64 {
        point.redo_bytes as f64 / self.current().redo_bytes.max(1) as f64
    }

    /// All points that were run as the scenario stands, in rising order.
    pub(super) fn points(&self) -> Vec<Point> {
        self.trials.keys().filter(|(case, _)| *case == Case::AS_IS).map(|(_, point)| *point).collect()
    }

    /// The present setting.
    pub(super) fn current(&self) -> Point {
        self.space.current
    }

    pub(super) fn space(&self) -> &Space {
        &self.space
    }

    pub(super) fn plan(&self) -> &Plan {
        &self.plan
    }

    pub(super) fn goal(&self) -> Goal {
        self.goal
    }

    pub(super) fn runs(&self) -> usize {
        self.runs
    }

    pub(super) fn simulated_s(&self) -> f64 {
        self.simulated_s as f64
    }

    pub(super) fn into_scenario(self) -> Scenario {
        self.scenario
    }
}
