//! Runs settings and remembers what came out: no run is made twice.

use super::Question;
use super::case::Case;
use super::coarse::{FlowGroup, Flows};
use super::goal::Goal;
use super::plan::{Plan, fits_pool};
use super::settled::Rise;
use super::space::{Point, Space};
use super::stress::{Stress, Stressed};
use super::trial::{Base, Group, Run, Starts, Trial};
use super::trial_runner::TrialRunner;
use crate::rest::{Ended, is_even, turn_at};
use crate::runner::in_parallel;
use crate::stable::{comes_through, is_stable};
use crate::warm_start::can_fork;
use innosim_core::metrics::Summary;
use innosim_core::server::RunError;
use innosim_core::workload::DriveSpec;
use innosim_scenario::{Diagnostics, Overrides, Scenario, Source, load};
use std::collections::BTreeMap;

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
    /// The time was over before the present setting was run.
    #[error("the time limit was over before the present setting was run")]
    OutOfTime,
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

/// Runs that will be asked for, or are likely to be: the first so many replications of a point in a case.
pub(super) type Ahead = (Case, Point, u32);

/// Runs settings of one scenario.
pub(super) struct Bench<'a> {
    execute: &'a dyn TrialRunner,
    source: Source<'a>,
    common: Overrides,
    scenario: Scenario,
    space: Space,
    plan: Plan,
    goal: Goal,
    needs_reserve: bool,
    pub(super) redo: bool,
    pub(super) far: bool,
    pub(super) replications: u32,
    /// Runs that were made, replication by replication, and how many of them were asked for: those that were made ahead,
    /// to keep all processors at work, must not decide anything.
    trials: BTreeMap<(Case, Point), Vec<Summary>>,
    asked: BTreeMap<(Case, Point), usize>,
    /// Points of which a run ended while its age was rising.
    rising: BTreeMap<(Case, Point), Rise>,
    runs: usize,
    early: EndedEarly,
    /// Stages of which runs were left out because the time was over, in order.
    left_out: Vec<String>,
    simulated_s: u64,
    /// What the runs would have taken whole, each from its own start.
    planned_s: u64,
    starts: Starts,
    flows: Flows,
}

/// Runs that ended before their planned length.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EndedEarly {
    /// Because they were at rest.
    pub at_rest: usize,
    /// Because they lived by sync flushing.
    pub no_answer: usize,
    /// Runs, ended early or not, that began from a server already at work.
    pub begun_warm: usize,
    /// Runs that were flows of the coarse tier with exact seconds.
    pub flows: usize,
    /// Simulated seconds that runs did not take for these reasons.
    pub saved_s: u64,
}

impl std::fmt::Debug for Bench<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bench").field("plan", &self.plan).field("trials", &self.trials.len()).finish_non_exhaustive()
    }
}

/// The mean of runs, if there are any.
fn mean_of(trials: &[Summary]) -> Option<Summary> {
    // The worst regime that was seen: an answer must not be a matter of luck.
    let regime = trials.iter().map(|trial| trial.regime).max()?;
    let value = |name| trials.iter().filter_map(move |trial| trial.value(name));
    let mean = |name| value(name).sum::<f64>() / trials.len() as f64;
    Some(Summary::from_fn(regime, mean))
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
        let failed = |error| match error {
            RunError::Stopped { .. } if execute.time_is_up() => RecommendError::OutOfTime,
            error => RecommendError::Run { setting: "pilot run".to_owned(), replication: 0, error },
        };
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
            needs_reserve: question.goal != Goal::Writes,
            redo: question.redo,
            far: question.far,
            replications: question.replications.max(1),
            trials: BTreeMap::new(),
            asked: BTreeMap::new(),
            rising: BTreeMap::new(),
            runs: usize::from(pilot_s > 0),
            early: EndedEarly::default(),
            left_out: Vec::new(),
            planned_s: pilot_s,
            starts: Starts::default(),
            flows: Flows::default(),
            simulated_s: pilot_s,
        })
    }

    /// Makes the runs that are missing of these points in their cases, all at once, and with them, if there are any, those `ahead` that
    /// will be asked for, or are likely to be: the first so many replications of a point.
    pub(super) fn ensure(
        &mut self,
        stage: &str,
        points: &[(Case, Point)],
        replications: u32,
        ahead: &[Ahead],
    ) -> Result<(), RecommendError> {
        let missing = |(case, point, replications): Ahead| {
            let have = self.trials.get(&(case, point)).map_or(0, Vec::len) as u32;
            (have..replications).map(move |replication| (case, point, replication))
        };
        let asked = points.iter().map(|&(case, point)| (case, point, replications));
        let mut wanted: Vec<Ahead> = asked.flat_map(missing).collect();
        if !wanted.is_empty() {
            wanted.extend(ahead.iter().copied().flat_map(missing));
        }
        wanted.sort();
        wanted.dedup();
        if !wanted.is_empty() && self.execute.time_is_up() {
            self.leave_out(stage);
        } else if !wanted.is_empty() {
            self.make(stage, wanted)?;
        }
        for &at in points.iter().filter(|at| self.trials.contains_key(at)) {
            let asked = self.asked.entry(at).or_default();
            *asked = (replications as usize).max(*asked);
        }
        Ok(())
    }

    /// Makes runs. Those that the end of the time stops are left out.
    fn make(&mut self, stage: &str, wanted: Vec<Ahead>) -> Result<(), RecommendError> {
        let runs: Result<Vec<Run>, RecommendError> = wanted.into_iter().map(|at| self.run_at(at)).collect();
        let runs = runs?;
        self.execute.stage(stage, runs.len(), runs.iter().map(Run::planned_s).sum());
        let (flows, mut exact): (Vec<&Run>, Vec<&Run>) = runs.iter().partition(|run| run.may_flow);
        let mut trials = Vec::new();
        for mut made in in_parallel(&FlowGroup::all(flows), |group| group.make(&self.flows, self.execute)) {
            self.simulated_s += made.simulated_s;
            self.flows.keep(&mut made);
            for (run, trial) in made.trials {
                match trial {
                    Some(trial) => trials.push((run, trial)),
                    None => exact.push(run),
                }
            }
        }
        let groups = Group::all(exact.into_iter(), &self.starts);
        let outcomes = in_parallel(&groups, |group| group.make(&self.starts, self.execute));
        for (made, of_the_group) in outcomes {
            if let Some(made) = made.filter(|made| made.as_ref().err().is_none_or(|error| self.in_time(error))) {
                let made = made.map_err(|error| self.failed(self.current(), 0, error))?;
                self.simulated_s += made.simulated_s;
                self.starts.keep(made);
            }
            trials.extend(of_the_group);
        }
        trials.sort_by_key(|(run, _)| (run.case, run.point, run.replication));
        for (run, trial) in trials {
            let at = (run.case, run.point);
            // Only whole replications from the first on: settings are compared replication by replication.
            let is_next = self.trials.get(&at).map_or(0, Vec::len) == run.replication as usize;
            if !is_next || trial.as_ref().err().is_some_and(|error| !self.in_time(error)) {
                self.leave_out(stage);
                continue;
            }
            let trial = trial.map_err(|error| self.failed(run.point, run.replication, error))?;
            self.count(&trial, run.planned_s());
            self.rising.extend(trial.rise.map(|rise| (at, rise)));
            self.trials.entry(at).or_default().push(trial.summary);
        }
        Ok(())
    }

    /// Whether a run that ended so was not stopped by the end of the time.
    fn in_time(&self, error: &RunError) -> bool {
        !(matches!(error, RunError::Stopped { .. }) && self.execute.time_is_up())
    }

    /// Says that runs of a stage were left out because the time was over.
    pub(super) fn leave_out(&mut self, stage: &str) {
        if !self.left_out.iter().any(|other| other == stage) {
            self.left_out.push(stage.to_owned());
        }
    }

    /// Why the coarse tier refused some of the runs, or all.
    pub(super) fn coarse_refused(&self) -> Option<&str> {
        self.flows.refused.as_deref()
    }

    /// Stages of which runs were left out because the time was over.
    pub(super) fn left_out(&self) -> &[String] {
        &self.left_out
    }

    fn run_at(&self, (case, point, replication): (Case, Point, u32)) -> Result<Run, RecommendError> {
        let scenario = self.scenario_of(case, point)?;
        let may_end_early = case.stress.is_none() && self.plan.may_end_early(&scenario);
        // One that begins at work already has nothing to share.
        let begins_warm = may_end_early && replication == 0 && scenario.run.dirty_start.is_none();
        // The fewest writes are looked for at the edge of stability itself, where a flow's age decides too little.
        let may_flow =
            may_end_early && self.goal != Goal::Writes && self.execute.may_flow() && !self.flows.are_refused();
        let base = if begins_warm { self.base_of(case, point.redo_bytes)? } else { None };
        let window_s = self.window_of(case, point);
        let replications = self.replications;
        Ok(Run { scenario, case, point, replication, replications, window_s, may_end_early, may_flow, base })
    }

    /// What a run can begin from: the present capacities, and the device as it stands.
    fn base_of(&self, case: Case, redo_bytes: u64) -> Result<Option<Base>, RecommendError> {
        let case = case.of_the_load();
        let point = Point { redo_bytes, ..self.current() };
        let scenario = self.scenario_of(case, point)?;
        let seconds = self.plan.shared_s(self.redo_ratio(point));
        Ok(can_fork(&scenario).then_some(Base { key: (case, redo_bytes), scenario, seconds }))
    }

    fn failed(&self, point: Point, replication: u32, error: RunError) -> RecommendError {
        RecommendError::Run { setting: self.space.overrides(point).join(", "), replication, error }
    }

    fn count(&mut self, trial: &Trial, planned_s: u64) {
        self.runs += 1;
        self.simulated_s += trial.simulated_s;
        match trial.ended {
            Some(Ended::AtRest) => self.early.at_rest += 1,
            Some(Ended::SyncFlushing) => self.early.no_answer += 1,
            None => {}
        }
        self.early.begun_warm += usize::from(trial.begun_warm);
        self.early.flows += usize::from(trial.is_flow);
        self.planned_s += planned_s;
    }

    /// So many replications of points as the scenario stands, to be made ahead, and no more than are asked for in the end.
    pub(super) fn ahead(&self, points: &[Point], at_most: u32) -> Vec<Ahead> {
        let replications = self.replications.min(at_most);
        points.iter().map(|&point| (Case::AS_IS, point, replications)).collect()
    }

    /// Whether all these runs were made.
    pub(super) fn has(&self, runs: &[Ahead]) -> bool {
        let made = |case, point| self.trials.get(&(case, point)).map_or(0, Vec::len);
        runs.iter().all(|&(case, point, replications)| made(case, point) >= replications as usize)
    }

    /// Puts points that were run as the scenario stands under every stress, if all pages fit the buffer pool.
    pub(super) fn stress(&mut self, points: &[Point]) -> Result<(), RecommendError> {
        if !fits_pool(&self.scenario) {
            return Ok(());
        }
        let at = |stress: Stress| points.iter().map(move |&point| (Case::under(stress), point));
        let wanted: Vec<(Case, Point)> = Stress::ALL.into_iter().flat_map(at).collect();
        self.ensure("stress", &wanted, 1, &[])
    }

    /// What came out of that.
    pub(super) fn stressed(&self, points: &[Point]) -> Vec<Stressed> {
        let all = points.iter().flat_map(|&point| Stress::ALL.map(|stress| (stress, point)));
        all.filter_map(|(stress, point)| {
            let case = Case::under(stress);
            let figures = self.mean(case, point)?;
            Some(Stressed { stress, point, comes_through: self.comes_through(case, point), figures })
        })
        .collect()
    }

    /// The same for points as the scenario stands.
    pub(super) fn ensure_as_is(
        &mut self,
        stage: &str,
        points: &[Point],
        replications: u32,
        ahead: &[Ahead],
    ) -> Result<(), RecommendError> {
        let points: Vec<(Case, Point)> = points.iter().map(|&point| (Case::AS_IS, point)).collect();
        self.ensure(stage, &points, replications, ahead)
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
        if let (Some(stress), Some(at_rest)) = (case.stress, self.mean(Case::AS_IS, point)) {
            stress.apply(&mut scenario, &at_rest);
        }
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
        if self.execute.time_is_up() {
            return false;
        }
        // The plan is that of the present redo size.
        let ratio = self.redo_ratio(point);
        let longer = self.rise(point).and_then(|_| self.plan.longer(self.turn_s(point) / ratio));
        let Some(plan) = longer else { return false };
        self.execute.planned(&plan);
        self.plan = plan;
        self.trials.clear();
        self.asked.clear();
        self.starts.forget();
        self.rising.clear();
        true
    }

    /// What came out of a point in a case, replication by replication.
    pub(super) fn trials(&self, case: Case, point: Point) -> &[Summary] {
        let asked = self.asked.get(&(case, point)).copied().unwrap_or(0);
        self.trials.get(&(case, point)).map_or(&[], |trials| &trials[..asked.min(trials.len())])
    }

    /// The mean over the replications of a point in a case.
    pub(super) fn mean(&self, case: Case, point: Point) -> Option<Summary> {
        mean_of(self.trials(case, point))
    }

    /// What a point is worth in a case, in the mean; higher is better.
    pub(super) fn score(&self, case: Case, point: Point) -> Option<f64> {
        self.mean(case, point).map(|mean| self.goal.score(&mean))
    }

    /// What two points are worth in a case, in the mean over the replications that both have: what random numbers do is the same then.
    pub(super) fn scores(&self, case: Case, points: [Point; 2]) -> Option<[f64; 2]> {
        let [one, other] = points.map(|point| self.trials(case, point));
        let common = one.len().min(other.len());
        let score = |trials: &[Summary]| mean_of(&trials[..common]).map(|mean| self.goal.score(&mean));
        Some([score(one)?, score(other)?])
    }

    /// Whether every run of a point in a case can be left to itself.
    pub(super) fn is_stable(&self, case: Case, point: Point) -> bool {
        let seconds = self.window_of(case, point);
        self.all(case, point, |trial| is_stable(trial, seconds))
    }

    /// Whether no run of a point in a case stalled or went in waves, whoever did the flushing.
    pub(super) fn comes_through(&self, case: Case, point: Point) -> bool {
        let seconds = self.window_of(case, point);
        self.all(case, point, |trial| comes_through(trial, seconds))
    }

    fn all(&self, case: Case, point: Point, is_so: impl Fn(&Summary) -> bool) -> bool {
        let trials = self.trials(case, point);
        !trials.is_empty() && trials.iter().all(is_so)
    }

    /// Share of the time in which a point as the scenario stands stalled or depended on sync flushing.
    pub(super) fn stall_share(&self, point: Point) -> f64 {
        let seconds = |mean: Summary| mean.stall_seconds + mean.sync_flush_seconds;
        self.mean(Case::AS_IS, point).map_or(f64::INFINITY, seconds) / self.window_s(point).max(1.0)
    }

    /// Seconds that figures of a point in a case are taken over.
    pub(super) fn window_of(&self, case: Case, point: Point) -> f64 {
        case.stress.map_or_else(|| self.window_s(point), |stress| stress.seconds() as f64)
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
        self.asked.keys().filter(|(case, _)| *case == Case::AS_IS).map(|(_, point)| *point).collect()
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

    /// Whether an answer must leave a tenth of the async limit in reserve.
    pub(super) fn needs_reserve(&self) -> bool {
        self.needs_reserve
    }

    /// From now on an answer must leave a reserve, or need not.
    pub(super) fn ask_for_reserve(&mut self, is_needed: bool) {
        self.needs_reserve = is_needed;
    }

    pub(super) fn runs(&self) -> usize {
        self.runs
    }

    pub(super) fn ended_early(&self) -> EndedEarly {
        EndedEarly { saved_s: self.planned_s.saturating_sub(self.simulated_s), ..self.early }
    }

    pub(super) fn simulated_s(&self) -> f64 {
        self.simulated_s as f64
    }

    pub(super) fn into_scenario(self) -> Scenario {
        self.scenario
    }
}
