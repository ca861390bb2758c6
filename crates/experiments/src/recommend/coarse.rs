//! Runs of a search in the coarse tier, each of which ends exactly.
//!
//! ```text
//!   flow to the end of the planned time --state--> exact machine, some seconds: throughput and latencies
//!                 |
//!                 +--> checkpoint age, its rise, seconds of sync flushing
//! ```
//!
//! Only where throughput does not depend on flushing ([`EVEN`]): the processors or the clients are the limit, not the device. The flow is
//! right there to a percent of the age. Elsewhere throughput swings by a percent or two, slowly, with the age of the pages that are
//! written, and neither a few windows nor a short end can tell its mean: as the age follows it twofold, and settings differ by
//! no more than that, runs are exact. So are those that come to no rest, and those whose end has another throughput than the flow.
//!
//! Runs of one load on one machine share the flow's first seconds and what its windows have told ([`Basis`]), whatever their settings of
//! flushing and the size of their redo log.
//!
//! Simplifications: throughput, latencies and device are means over [`COUNTED_S`] seconds, not over a turn of the redo log; other
//! replications go on from the same state with other random numbers, so that their spread is that of the end alone. Pages that recovery
//! would read are those dirty at the end; those written since the checkpoint are left out (errs towards a sixth fewer).

use super::case::Case;
use super::settled::{Rise, rise_of};
use super::trial::{Run, Trial};
use super::trial_runner::TrialRunner;
use crate::rest::{Ended, STILL, stayed};
use crate::runner::in_parallel;
use crate::tiers::ScenarioServers;
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::metrics::{Regime, RunOutput, SecondSample, Summary};
use innosim_core::run_spec::RunSpec;
use innosim_core::server::RunError;
use innosim_flow::{Basis, EVEN, FlowError, Middle};
use std::collections::BTreeMap;

/// Seconds of the exact end that figures leave out (latencies are kept by tens of seconds), and those that they are taken over.
const LEFT_OUT_S: u64 = 10;
const COUNTED_S: u64 = 30;
/// Share by which the throughput of flow and exact end may differ.
const MOST_OFF: f64 = 0.01;

/// Why a run is made exactly.
#[derive(Debug, thiserror::Error)]
enum Exactly {
    #[error(transparent)]
    Flow(#[from] FlowError),
    #[error("throughput depends on what is flushed ({:.0} % between few and many pages)", 100.0 * .share)]
    Depends { share: f64 },
    #[error("a run comes to no rest")]
    NotAtRest,
    #[error("throughput of a run and of its exact end differ by {:+.1} %", 100.0 * .share)]
    Differs { share: f64 },
}

impl From<RunError> for Exactly {
    fn from(error: RunError) -> Self {
        Exactly::Flow(error.into())
    }
}

/// What a flow came to.
struct Course {
    end: Middle,
    /// The time that counts.
    summary: Summary,
    rise: Option<Rise>,
}

/// Flows of a search so far.
#[derive(Default)]
pub(super) struct Flows {
    bases: BTreeMap<Case, Basis>,
    /// Why there is none, or why there was none of some runs.
    pub(super) refused: Option<String>,
}

/// Runs of one case.
pub(super) struct FlowGroup<'a> {
    case: Case,
    runs: Vec<&'a Run>,
}

/// What became of a group: how much more is known, and the runs; those without a trial must be made exactly.
pub(super) struct FlowsMade<'a> {
    case: Case,
    basis: Option<Basis>,
    refused: Option<String>,
    pub(super) simulated_s: u64,
    pub(super) trials: Vec<(&'a Run, Option<Result<Trial, RunError>>)>,
}

impl Flows {
    /// Keeps what became of a group.
    pub(super) fn keep(&mut self, made: &mut FlowsMade<'_>) {
        self.bases.extend(made.basis.take().map(|basis| (made.case, basis)));
        self.refused = self.refused.take().or(made.refused.take());
    }

    /// Whether no run can be a flow.
    pub(super) fn are_refused(&self) -> bool {
        self.refused.is_some() && self.bases.is_empty()
    }

    /// What a case begins from.
    fn basis(&self, run: &Run) -> Result<Basis, FlowError> {
        let as_is = self.bases.get(&Case::AS_IS);
        if let Some(basis) = self.bases.get(&run.case) {
            return Ok(basis.clone());
        }
        if let Some(as_is) = as_is.filter(|_| run.case.of_the_load() == Case::AS_IS) {
            return Ok(as_is.on_another_device());
        }
        let mut basis = Basis::new(&ScenarioServers(&run.scenario), &spec_of(run, run.planned_s()))?;
        as_is.into_iter().for_each(|as_is| basis.take_over(as_is));
        Ok(basis)
    }
}

impl<'a> FlowGroup<'a> {
    /// All of `runs`, in groups; the largest capacities first, so that fewer windows are needed.
    pub(super) fn all(runs: Vec<&'a Run>) -> Vec<FlowGroup<'a>> {
        let mut groups: Vec<FlowGroup<'a>> = Vec::new();
        for run in runs {
            match groups.iter_mut().find(|group| group.case == run.case) {
                Some(group) => group.runs.push(run),
                None => groups.push(FlowGroup { case: run.case, runs: vec![run] }),
            }
        }
        groups.iter_mut().for_each(|group| group.runs.sort_by_key(|run| std::cmp::Reverse(run.point.io_capacity_max)));
        groups
    }

    /// Makes them.
    pub(super) fn make(&self, flows: &Flows, execute: &dyn TrialRunner) -> FlowsMade<'a> {
        let mut made = FlowsMade { case: self.case, basis: None, refused: None, simulated_s: 0, trials: Vec::new() };
        let mut basis = match flows.basis(self.runs[0]) {
            Ok(basis) => basis,
            Err(error) => {
                let error = Exactly::Flow(error);
                self.runs.iter().for_each(|run| made.fails(run, &error));
                return made;
            }
        };
        let mut courses = Vec::new();
        let mut depends = false;
        for run in &self.runs {
            match made.course(&mut basis, run, execute) {
                Ok(course) => courses.push((*run, course)),
                Err(error) => {
                    depends |= matches!(error, Exactly::Depends { .. });
                    made.fails(run, &error);
                }
            }
        }
        for ((run, _), trial) in courses.iter().zip(in_parallel(&courses, |(run, course)| course.end(run, execute))) {
            made.simulated_s += LEFT_OUT_S + COUNTED_S;
            match trial {
                Ok(trial) => made.trials.push((run, Some(Ok(trial)))),
                Err(error) => made.fails(run, &error),
            }
        }
        made.basis = (!depends).then_some(basis);
        made
    }
}

impl<'a> FlowsMade<'a> {
    /// Takes a run for one that must be made exactly, or that failed.
    fn fails(&mut self, run: &'a Run, error: &Exactly) {
        let failed = match error {
            Exactly::Flow(FlowError::Run(error)) => Some(Err(error.clone())),
            why => {
                self.refused.get_or_insert(why.to_string());
                None
            }
        };
        self.trials.push((run, failed));
    }

    /// Runs a flow, and says what it came to.
    fn course(&mut self, basis: &mut Basis, run: &Run, execute: &dyn TrialRunner) -> Result<Course, Exactly> {
        let spec = spec_of(run, run.planned_s());
        let stop = || execute.time_is_up() || execute.watch().go_on().is_break();
        let flow = basis.run(execute.flow_factor(), &ScenarioServers(&run.scenario), &spec, &stop)?;
        self.simulated_s += flow.window_seconds;
        let warmup_s = run.planned_s() - run.window_s as u64;
        let output = RunOutput { age_limits: flow.age_limits, series: flow.seconds, ..RunOutput::default() };
        let counted = &output.series[(warmup_s as usize).min(output.series.len())..];
        let summary = Summary::of(&output, warmup_s);
        let share = basis.spread(summary.pages_flushed_per_s_mean);
        if share > EVEN {
            return Err(Exactly::Depends { share });
        }
        let moves =
            |level: fn(&SecondSample) -> u64, by: fn(&SecondSample) -> u64| stayed(counted, level, by).abs() > STILL;
        if moves(|row| row.dirty_pages, |row| row.pages_flushed) {
            return Err(Exactly::NotAtRest);
        }
        // As of exact runs that end at rest: the age still creeps up, for turns on end.
        let rises = moves(|row| row.checkpoint_age_bytes, |row| row.redo_generated_bytes);
        let rise = if rises { rise_of(&output, warmup_s) } else { None };
        Ok(Course { end: flow.end, summary, rise })
    }
}

/// What is run of a run that is a flow: from a clean start.
fn spec_of(run: &Run, seconds: u64) -> RunSpec {
    RunSpec {
        dirty_start: None,
        replication: run.replication,
        duration: SimDuration::from_secs(seconds),
        ..run.scenario.run.clone()
    }
}

impl Course {
    /// The exact end of a run, and what is kept of both.
    fn end(&self, run: &Run, execute: &dyn TrialRunner) -> Result<Trial, Exactly> {
        let spec = spec_of(run, LEFT_OUT_S + COUNTED_S);
        let mut machine = self.end.go_on(run.scenario.build_model(), &spec);
        let watch = execute.watch();
        while let Some(row) = machine.second()? {
            if execute.time_is_up() || watch.second(row).is_break() {
                return Err(RunError::Stopped { at: SimTime::ZERO }.into());
            }
        }
        let end = Summary::of(&machine.into_output(), LEFT_OUT_S);
        let share = self.summary.tps_mean / end.tps_mean.max(1.0) - 1.0;
        if share.abs() > MOST_OFF && !self.has_met_a_limit() {
            return Err(Exactly::Differs { share });
        }
        let summary = self.and_its_end(end);
        let (rise, ended) = (self.rise, Some(Ended::AtRest));
        Ok(Trial { summary, rise, simulated_s: 0, ended, begun_warm: false, is_flow: true })
    }

    /// Whether the flow flushed in sync or stalled, or waves went through it: seconds at its end stand for nothing but themselves.
    fn has_met_a_limit(&self) -> bool {
        let s = &self.summary;
        s.sync_flush_seconds + s.stall_seconds > 0.0 || matches!(s.regime, Regime::Waves | Regime::Overloaded)
    }

    /// The figures of a run with this `end`.
    fn and_its_end(&self, end: Summary) -> Summary {
        let course = &self.summary;
        let met = self.has_met_a_limit();
        let of = |end: f64, course: f64| if met { course } else { end };
        Summary {
            tps_mean: of(end.tps_mean, course.tps_mean),
            stall_seconds: course.stall_seconds,
            sync_flush_seconds: course.sync_flush_seconds,
            checkpoint_age_mean: course.checkpoint_age_mean,
            checkpoint_age_max: course.checkpoint_age_max.max(end.checkpoint_age_max),
            dirty_pages_mean: course.dirty_pages_mean,
            pages_flushed_per_s_mean: of(end.pages_flushed_per_s_mean, course.pages_flushed_per_s_mean),
            regime: if met { course.regime } else { end.regime },
            ..end
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recommend::space::Point;
    use crate::runner::{Job, run_one};
    use innosim_core::server::Silent;
    use innosim_scenario::{Overrides, Scenario, Source, load};

    /// Makes flows whose throughput is off by a factor.
    struct OffBy(f64);

    impl TrialRunner for OffBy {
        fn execute(&self, job: Job<'_>) -> Result<RunOutput, RunError> {
            run_one(job, false, &mut Silent)
        }

        fn flow_factor(&self) -> f64 {
            self.0
        }
    }

    /// The documented server, whose processors are its limit.
    fn scenario(set: &[&str]) -> Scenario {
        let text = include_str!("../../../../docs/my-server.toml");
        let short =
            ["duration=900s", "workload.resident_share=1", "innodb_io_capacity=1800", "innodb_io_capacity_max=3600"];
        let set = short.iter().chain(set).map(|set| (*set).to_owned()).collect();
        load(Source::Text { name: "my server", text }, &Overrides { set, ..Overrides::default() }).unwrap()
    }

    fn run(scenario: &Scenario, replication: u32) -> Run {
        Run {
            scenario: scenario.clone(),
            case: Case::AS_IS,
            point: Point { redo_bytes: 1, io_capacity_max: 3600, io_capacity: 1800 },
            replication,
            window_s: 300.0,
            may_end_early: true,
            may_flow: true,
            base: None,
        }
    }

    fn made<'a>(runs: &'a [Run], factor: f64) -> FlowsMade<'a> {
        FlowGroup::all(runs.iter().collect())[0].make(&Flows::default(), &OffBy(factor))
    }

    #[test]
    fn a_flow_ends_where_the_exact_run_does() {
        let scenario = scenario(&[]);
        let runs = [run(&scenario, 0), run(&scenario, 1)];
        let made = made(&runs, 1.0);
        assert_eq!(made.refused, None);
        let exact = run_one(Job { scenario: &scenario, replication: 0 }, false, &mut Silent).unwrap();
        let exact = Summary::of(&exact, 600);
        for (run, trial) in made.trials {
            let trial = trial.unwrap().unwrap();
            assert!(trial.is_flow && trial.ended == Some(Ended::AtRest));
            let off = |of: fn(&Summary) -> f64| of(&trial.summary) / of(&exact) - 1.0;
            let throughput = [off(|s| s.tps_mean), off(|s| s.latency_ms_p95)];
            let flushing = [off(|s| s.checkpoint_age_max), off(|s| s.pages_flushed_per_s_mean)];
            let within = |most: f64, off: [f64; 2]| off.iter().all(|off| off.abs() < most);
            assert!(
                within(0.01, throughput) && within(0.03, flushing),
                "{}: {throughput:?} {flushing:?}",
                run.replication
            );
        }
    }

    /// The exact end shows it, and the run is made exactly.
    #[test]
    fn a_closure_that_is_off_is_noticed() {
        let scenario = scenario(&[]);
        let runs = [run(&scenario, 0), run(&scenario, 1)];
        for factor in [0.98, 1.02] {
            let made = made(&runs, factor);
            let why = made.refused.unwrap();
            assert!(why.contains("throughput of a run and of its exact end differ by"), "{factor}: {why}");
            assert!(made.trials.len() == 2 && made.trials.iter().all(|(_, trial)| trial.is_none()));
        }
    }

    fn refused(scenario: &Scenario) -> String {
        let runs = [run(scenario, 0)];
        let made = made(&runs, 1.0);
        assert!(made.trials.iter().all(|(_, trial)| trial.is_none()));
        made.refused.unwrap()
    }

    #[test]
    fn what_the_coarse_tier_refuses_is_made_exactly() {
        let short = refused(&scenario(&["innodb_redo_log_capacity=1G"]));
        assert!(short.contains("redo log fills up"), "{short}");
        // The published server, whose device is the limit.
        let set = ["workload.resident_share=1", "duration=700s"].map(str::to_owned).to_vec();
        let slow = load(Source::Shipped("7000-bpi32"), &Overrides { set, ..Overrides::default() }).unwrap();
        let slow = refused(&slow);
        assert!(slow.contains("throughput depends on what is flushed"), "{slow}");
    }
}
