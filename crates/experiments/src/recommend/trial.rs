//! One run of a search, and the runs that several of them begin from.
//!
//! Runs of one load and redo size can begin from one [`WarmStart`]: a server with the present capacities that worked for part
//! of a turn of the redo log. It serves if nothing pressed it until then, so that all that follows is the work of the capacity
//! that is tried. Only first replications begin so. A server can hold where it would not have come to from a cold start; the
//! others, which what could be the answer must hold in too, show that.

use super::case::Case;
use super::settled::{Rise, rise_of};
use super::space::Point;
use super::trial_runner::TrialRunner;
use crate::rest::{Early, Ended, STILL, until_known};
use crate::runner::{Job, in_parallel, warmup_of};
use crate::warm_start::WarmStart;
use innosim_core::metrics::{RunOutput, Summary};
use innosim_core::server::{RunError, Warm};
use innosim_scenario::Scenario;
use std::collections::BTreeMap;

/// What runs that begin from the same run have in common: load, redo size in bytes.
pub(super) type Key = (Case, u64);

/// A run that others begin from, to be made.
#[derive(Debug, Clone)]
pub(super) struct Base {
    pub(super) key: Key,
    pub(super) scenario: Scenario,
    pub(super) seconds: u64,
}

/// It, made. `None` if it can't serve.
pub(super) struct Made {
    pub(super) key: Key,
    start: Option<WarmStart>,
    pub(super) simulated_s: u64,
}

impl Base {
    pub(super) fn make(&self, execute: &dyn TrialRunner) -> Result<Made, RunError> {
        let job = Job { scenario: &self.scenario, replication: 0 };
        let start = execute.warm_up(job, self.seconds)?;
        let simulated_s = start.as_ref().map_or(0, WarmStart::seconds);
        Ok(Made { key: self.key, start: start.filter(WarmStart::serves), simulated_s })
    }
}

/// Runs that others begin from.
#[derive(Default)]
pub(super) struct Starts(BTreeMap<Key, Option<WarmStart>>);

impl Starts {
    pub(super) fn has(&self, key: Key) -> bool {
        self.0.contains_key(&key)
    }

    pub(super) fn keep(&mut self, made: Made) {
        self.0.insert(made.key, made.start);
    }

    pub(super) fn forget(&mut self) {
        self.0.clear();
    }
}

/// Runs that begin from one that is not there yet, or a single run.
pub(super) struct Group<'a> {
    missing: Option<&'a Base>,
    runs: Vec<&'a Run>,
}

/// What becomes of a group.
pub(super) type Outcome<'a> = (Option<Result<Made, RunError>>, Vec<(&'a Run, Result<Trial, RunError>)>);

impl<'a> Group<'a> {
    /// All of `runs`, in groups.
    pub(super) fn all(runs: impl Iterator<Item = &'a Run>, starts: &Starts) -> Vec<Group<'a>> {
        let mut groups: Vec<Group<'a>> = Vec::new();
        for run in runs {
            let missing = run.base.as_ref().filter(|base| !starts.has(base.key));
            let same =
                |group: &&mut Group<'_>| missing.is_some() && group.missing.map(|b| b.key) == missing.map(|b| b.key);
            match groups.iter_mut().find(same) {
                Some(group) => group.runs.push(run),
                None => groups.push(Group { missing, runs: vec![run] }),
            }
        }
        groups
    }

    /// Makes what they begin from, and then them, all at once.
    pub(super) fn make(&self, starts: &Starts, execute: &dyn TrialRunner) -> Outcome<'a> {
        let made = self.missing.map(|base| base.make(execute));
        let fresh = made.as_ref().and_then(|made| made.as_ref().ok()).and_then(|made| made.start.as_ref());
        let trials = in_parallel(&self.runs, |run| {
            let kept = run.base.as_ref().and_then(|base| starts.0.get(&base.key)).and_then(Option::as_ref);
            run.make(fresh.or(kept).and_then(|start| start.fork(run.job())), execute)
        });
        (made, self.runs.iter().copied().zip(trials).collect())
    }
}

/// A run to be made.
pub(super) struct Run {
    pub(super) scenario: Scenario,
    pub(super) case: Case,
    pub(super) point: Point,
    pub(super) replication: u32,
    /// Replications of what could be the answer.
    pub(super) replications: u32,
    /// Seconds that are planned to count.
    pub(super) window_s: f64,
    pub(super) may_end_early: bool,
    /// Whether it may be a flow with exact seconds.
    pub(super) may_flow: bool,
    pub(super) base: Option<Base>,
}

/// What is kept of it.
pub(super) struct Trial {
    pub(super) summary: Summary,
    pub(super) rise: Option<Rise>,
    /// Without what it shares with others.
    pub(super) simulated_s: u64,
    pub(super) ended: Option<Ended>,
    pub(super) begun_warm: bool,
    /// Whether it was a flow with exact seconds.
    pub(super) is_flow: bool,
}

impl Run {
    fn make(&self, from: Option<Warm>, execute: &dyn TrialRunner) -> Result<Trial, RunError> {
        let shared_s = from.as_ref().map_or(0, |from| from.seconds().len() as u64);
        let any_reason = |_| true;
        let (output, early) =
            until_known(self.planned_s(), shared_s, self.may_end_early, STILL, any_reason, |is_enough| match from {
                Some(from) => execute.go_on(from, self.job(), is_enough),
                None if self.may_end_early => execute.execute_until(self.job(), is_enough),
                None => execute.execute(self.job()),
            })?;
        let simulated_s = output.series.len() as u64 - shared_s;
        let (summary, rise) = self.figures(&output, early);
        let ended = early.map(|early| early.why);
        Ok(Trial { summary, rise, simulated_s, ended, begun_warm: shared_s > 0, is_flow: false })
    }

    /// Figures of its seconds that count, and how the age was rising if it did not end `early`.
    pub(super) fn figures(&self, output: &RunOutput, early: Option<Early>) -> (Summary, Option<Rise>) {
        if let Some(early) = early {
            return (self.of_the_last(output, early.counted_s), None);
        }
        let warmup_s = warmup_of(&self.scenario, output).seconds;
        (Summary::of(output, warmup_s), rise_of(output, warmup_s))
    }

    /// Figures of the last seconds. What is counted in seconds is of the planned window, so that figures of all runs are alike.
    pub(super) fn of_the_last(&self, output: &RunOutput, counted_s: u64) -> Summary {
        let mut summary = Summary::of(output, output.series.len() as u64 - counted_s);
        let scale = self.window_s / counted_s as f64;
        summary.stall_seconds *= scale;
        summary.sync_flush_seconds *= scale;
        summary
    }

    fn job(&self) -> Job<'_> {
        Job { scenario: &self.scenario, replication: self.replication }
    }

    /// Its planned length.
    pub(super) fn planned_s(&self) -> u64 {
        self.job().seconds()
    }
}
