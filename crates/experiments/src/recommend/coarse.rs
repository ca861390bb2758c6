//! Runs of a search in the coarse tier, each with some exact seconds.
//!
//! ```text
//!   flow until it is at rest, or no answer --state--> exact machine, some seconds: latencies, and throughput
//!                 |
//!                 +--> checkpoint age, its rise, seconds of sync flushing
//! ```
//!
//! A flow ends by the rule by which an exact run does ([`until_known`]): its age is that of the same moment. Which seconds are exact depends on what
//! the flow can't tell ([`Part`]):
//!
//! * Throughput does not depend on flushing ([`EVEN`]), as the processors or the clients are the limit: half a minute at its end tells it.
//! * It depends on it: it swings slowly by a percent or two, and no single half minute tells its mean. In the first replication the flow does,
//!   whose error is that of all settings alike; further replications are exact for two minutes each, from states spread over its last turn. So what the flow is off
//!   shows in the interval of the difference to the present setting.
//! * The reserve is near that of an answer, or none is left, within what a flow's age is off: the last turn is exact, from the state at its beginning.
//!
//! A run is made exactly, from its start, if the tier refuses it, if it comes to no rest and meets no limit, or if the exact seconds have another throughput.
//!
//! Runs of one load on one machine share the flow's first seconds and what its windows have told ([`Basis`]), whatever their settings of
//! flushing and the size of their redo log.
//!
//! Simplifications: latencies and device are means over some seconds, not over a turn of the redo log. Pages that recovery
//! would read are those dirty at the end; those written since the checkpoint are left out (errs towards a sixth fewer). What an exact turn begins with is the
//! flow's, so half of what its age is off stays.

use super::case::Case;
use super::settled::Rise;
use super::trial::{Run, Trial};
use super::trial_runner::TrialRunner;
use crate::rest::{Ended, STILL, stayed, until_known};
use crate::runner::{IsEnough, in_parallel};
use crate::stable::{RESERVE, headroom};
use crate::tiers::ScenarioServers;
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::metrics::{Regime, RunOutput, SecondSample, Summary};
use innosim_core::run_spec::RunSpec;
use innosim_core::seam::AgeLimits;
use innosim_core::server::RunError;
use innosim_flow::{Basis, EVEN, EXACT_S, FlowError, FlowOutput, Middle};
use std::collections::BTreeMap;

/// Exact seconds that figures leave out.
const LEFT_OUT_S: u64 = 10;
/// Seconds that they are taken over: where throughput is even; where latencies alone are told; and of each part where throughput swings.
const COUNTED_S: u64 = 30;
const LATENCIES_S: u64 = 10;
const SWINGS_S: u64 = 120;
/// Share by which the throughput of flow and exact seconds may differ: where it is even, and where it swings.
const MOST_OFF: f64 = 0.01;
const MOST_OFF_SWINGING: f64 = 0.03;
/// Share by which the age of a flow near its limit is off at most.
const AGE_OFF: f64 = 0.02;

/// Why a run is made exactly.
#[derive(Debug, thiserror::Error)]
enum Exactly {
    #[error(transparent)]
    Flow(#[from] FlowError),
    #[error("a run comes to no rest")]
    NotAtRest,
    #[error("throughput of a run and of its exact seconds differ by {:+.1} %", 100.0 * .share)]
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
    /// Its seconds, and how many of them count.
    seconds: u64,
    counted_s: u64,
    ended: Option<Ended>,
    /// Whether throughput depends on what is flushed.
    depends: bool,
}

/// The exact seconds of a run.
struct Part {
    /// The second of the flow after which they begin.
    from_s: u64,
    counted_s: u64,
    /// What they tell besides latencies and the device: throughput; how long sync flushing and stalls took; the age.
    throughput: bool,
    stalls: bool,
    age: bool,
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
        let mut basis = Basis::new(&ScenarioServers(&run.scenario), &spec_of(run, run.planned_s()))?.for_rest();
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
        for run in &self.runs {
            match made.course(&mut basis, run, execute) {
                Ok(course) => courses.push((*run, course)),
                Err(error) => made.fails(run, &error),
            }
        }
        let ends = in_parallel(&courses, |(run, course)| course.end(&basis, run, execute));
        for ((run, _), trial) in courses.iter().zip(ends) {
            match trial {
                Ok(trial) => made.trials.push((run, Some(Ok(trial)))),
                Err(error) => made.fails(run, &error),
            }
        }
        made.basis = Some(basis);
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
        let mut end = None;
        let (output, early) = until_known(
            run.planned_s(),
            0,
            true,
            STILL,
            |_| true,
            |is_enough| {
                let flow = flow_until(basis, run, execute, is_enough)?;
                self.simulated_s += flow.window_seconds;
                end = Some(flow.end);
                let (age_limits, series) = (flow.age_limits, flow.seconds);
                Ok::<_, FlowError>(RunOutput { age_limits, series, ..RunOutput::default() })
            },
        )?;
        let (summary, rise) = run.figures(&output, early);
        let seconds = output.series.len() as u64;
        let counted_s = early.map_or(run.window_s as u64, |early| early.counted_s).min(seconds);
        let counted = &output.series[(seconds - counted_s) as usize..];
        let moves = stayed(counted, |row| row.dirty_pages, |row| row.pages_flushed).abs() > STILL;
        let depends = basis.spread(summary.pages_flushed_per_s_mean) > EVEN;
        let end = end.ok_or(Exactly::NotAtRest)?;
        let ended = early.map(|early| early.why);
        let course = Course { end, summary, rise, seconds, counted_s, ended, depends };
        if early.is_none() && moves && !course.has_met_a_limit() { Err(Exactly::NotAtRest) } else { Ok(course) }
    }
}

/// Runs a flow until `is_enough` of it.
fn flow_until(
    basis: &mut Basis,
    run: &Run,
    execute: &dyn TrialRunner,
    is_enough: &mut IsEnough<'_>,
) -> Result<FlowOutput, FlowError> {
    let spec = spec_of(run, run.planned_s());
    let stop = || execute.time_is_up() || execute.watch().go_on().is_break();
    basis.run_until(execute.flow_factor(), &ScenarioServers(&run.scenario), &spec, &stop, is_enough)
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
    /// The exact seconds of a run, and what is kept of both.
    fn end(&self, basis: &Basis, run: &Run, execute: &dyn TrialRunner) -> Result<Trial, Exactly> {
        let part = self.part(run);
        let earlier = if part.from_s < self.seconds {
            let mut reaches = |seconds: &[SecondSample], _: &AgeLimits| seconds.len() as u64 >= part.from_s;
            Some(flow_until(&mut basis.clone(), run, execute, &mut reaches)?.end)
        } else {
            None
        };
        let spec = spec_of(run, LEFT_OUT_S + part.counted_s);
        let mut machine = earlier.as_ref().unwrap_or(&self.end).go_on(run.scenario.build_model(), &spec);
        let watch = execute.watch();
        while let Some(row) = machine.second()? {
            if execute.time_is_up() || watch.second(row).is_break() {
                return Err(RunError::Stopped { at: SimTime::ZERO }.into());
            }
        }
        let exact = run.of_the_last(&machine.into_output(), part.counted_s);
        let share = self.summary.tps_mean / exact.tps_mean.max(1.0) - 1.0;
        let most = if self.depends { MOST_OFF_SWINGING } else { MOST_OFF };
        if share.abs() > most && !self.has_met_a_limit() {
            return Err(Exactly::Differs { share });
        }
        let summary = self.with(exact, &part);
        let (rise, ended, simulated_s) = (self.rise, self.ended, LEFT_OUT_S + part.counted_s);
        Ok(Trial { summary, rise, simulated_s, ended, begun_warm: false, is_flow: true })
    }

    /// Which of its seconds are exact.
    fn part(&self, run: &Run) -> Part {
        let (from_s, throughput) = (self.seconds, !self.depends && !self.has_met_a_limit());
        let counted_s = if throughput { COUNTED_S } else { LATENCIES_S };
        let moment = Part { from_s, counted_s, throughput, stalls: false, age: false };
        if self.ended != Some(Ended::AtRest) {
            return moment;
        }
        let turn_s = self.counted_s;
        let begins = |back_s: u64| from_s.saturating_sub(back_s).max(EXACT_S + 1);
        let left = headroom(&self.summary);
        let is_near = |border: f64| (left - border).abs() < AGE_OFF * (1.0 - left);
        if self.depends && run.replication > 0 {
            let parts = u64::from(run.replications.max(2) - 1);
            let back_s = turn_s - turn_s * (u64::from(run.replication - 1) % parts) / parts;
            let counted_s = SWINGS_S.min(back_s);
            Part { from_s: begins(back_s), counted_s, throughput: true, stalls: true, age: false }
        } else if is_near(RESERVE) || is_near(0.0) {
            Part { from_s: begins(turn_s), counted_s: turn_s, throughput, stalls: true, age: true }
        } else {
            moment
        }
    }

    /// Whether the flow flushed in sync or stalled, or waves went through it: seconds at its end stand for nothing but themselves.
    fn has_met_a_limit(&self) -> bool {
        let s = &self.summary;
        s.sync_flush_seconds + s.stall_seconds > 0.0 || matches!(s.regime, Regime::Waves | Regime::Overloaded)
    }

    /// The figures of a run with these `exact` seconds.
    fn with(&self, exact: Summary, part: &Part) -> Summary {
        let course = &self.summary;
        let told = |by_exact: bool| if by_exact { &exact } else { course };
        let (throughput, stalls, age) = (told(part.throughput), told(part.stalls), told(part.age));
        Summary {
            tps_mean: throughput.tps_mean,
            pages_flushed_per_s_mean: throughput.pages_flushed_per_s_mean,
            stall_seconds: stalls.stall_seconds,
            sync_flush_seconds: stalls.sync_flush_seconds,
            checkpoint_age_mean: age.checkpoint_age_mean,
            checkpoint_age_max: age.checkpoint_age_max.max(exact.checkpoint_age_max),
            dirty_pages_mean: age.dirty_pages_mean,
            regime: told(!self.has_met_a_limit()).regime,
            ..exact.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recommend::space::Point;
    use crate::runner::{Job, run_one, run_until};
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
            replications: 3,
            window_s: 300.0,
            may_end_early: true,
            may_flow: true,
            base: None,
        }
    }

    fn made<'a>(runs: &'a [Run], factor: f64) -> FlowsMade<'a> {
        FlowGroup::all(runs.iter().collect())[0].make(&Flows::default(), &OffBy(factor))
    }

    /// What an exact run from a clean start comes to that ends at rest too.
    fn exactly(run: &Run) -> Summary {
        let mut scenario = run.scenario.clone();
        scenario.run = spec_of(run, run.planned_s());
        let job = Job { scenario: &scenario, replication: run.replication };
        let execute = |is_enough: &mut IsEnough<'_>| run_until(job, false, &mut Silent, is_enough);
        let (output, early) = until_known(run.planned_s(), 0, true, STILL, |_| true, execute).unwrap();
        run.figures(&output, early).0
    }

    /// Of each run the trial, with shares by which throughput, 95 % latency, largest age and pages flushed are off an exact run.
    fn off(runs: &[Run]) -> Vec<(Trial, [f64; 4])> {
        let made = made(runs, 1.0);
        assert_eq!(made.refused, None);
        let exact = exactly(&runs[0]);
        let of = |trial: Trial| {
            assert!(trial.is_flow);
            let off = |of: fn(&Summary) -> f64| of(&trial.summary) / of(&exact) - 1.0;
            let flushing = [off(|s| s.checkpoint_age_max), off(|s| s.pages_flushed_per_s_mean)];
            let figures = [off(|s| s.tps_mean), off(|s| s.latency_ms_p95), flushing[0], flushing[1]];
            (trial, figures)
        };
        made.trials.into_iter().map(|(_, trial)| of(trial.unwrap().unwrap())).collect()
    }

    #[test]
    fn a_flow_ends_where_the_exact_run_does() {
        let scenario = scenario(&[]);
        for (trial, [tps, p95, age, flushed]) in off(&[run(&scenario, 0), run(&scenario, 1)]) {
            assert_eq!(trial.simulated_s, LEFT_OUT_S + COUNTED_S);
            assert!(
                tps.abs() < 0.01 && p95.abs() < 0.01 && age.abs() < 0.03 && flushed.abs() < 0.03,
                "{tps} {p95} {age} {flushed}"
            );
        }
    }

    /// A load as `advise` measures it, with a redo log of three minutes and a device that is its limit.
    #[test]
    fn where_throughput_depends_on_flushing_further_replications_tell_it() {
        let text = "model = \"mysql-8.4\"\nduration = \"600s\"\nwarmup = \"400s\"\n\
                    [server]\ninnodb_buffer_pool_size = \"3328M\"\ninnodb_buffer_pool_instances = 1\n\
                    innodb_redo_log_capacity = \"1G\"\ninnodb_io_capacity = 1000\ninnodb_io_capacity_max = 2000\n\
                    [host]\ncores = 8\n[device]\nprofile = \"sata-ssd-s4510\"\n\
                    [workload]\nkind = \"spectrum\"\nredo_bytes_per_transaction = 1732\n\
                    cpu = { kind = \"lognormal\", mean_us = 2000, cv = 0.5 }\n\
                    [[workload.bin]]\nrate = 1.6148e-5\npages = 89279\n[[workload.bin]]\nrate = 2.8794e-4\npages = 56416\n\
                    [drive]\nkind = \"closed\"\nclients = 8\n";
        let scenario = load(Source::Text { name: "measured", text }, &Overrides::default()).unwrap();
        let runs = [0, 1, 2].map(|replication| Run { window_s: 200.0, ..run(&scenario, replication) });
        let off = off(&runs);
        let exact_s: Vec<u64> = off.iter().map(|(trial, _)| trial.simulated_s - LEFT_OUT_S).collect();
        assert!(exact_s[0] == LATENCIES_S && exact_s[1] > COUNTED_S && exact_s[2] > COUNTED_S, "{exact_s:?}");
        for (_, [tps, _, age, _]) in off {
            assert!(tps.abs() < 0.02 && age.abs() < 0.05, "{tps} {age}");
        }
    }

    /// The exact seconds show it, and the run is made exactly.
    #[test]
    fn a_closure_that_is_off_is_noticed() {
        let scenario = scenario(&[]);
        let runs = [run(&scenario, 0), run(&scenario, 1)];
        for factor in [0.98, 1.02] {
            let made = made(&runs, factor);
            let why = made.refused.unwrap();
            assert!(why.contains("throughput of a run and of its exact seconds differ by"), "{factor}: {why}");
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
        let short = refused(&scenario(&["innodb_redo_log_capacity=256M"]));
        assert!(short.contains("redo log fills up"), "{short}");
    }
}
