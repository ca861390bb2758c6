//! Makes the runs that are missing, each saved as soon as it is over.

use super::SweepError;
use super::plan::{Plan, Prepared, RunId};
use super::record::Record;
use super::round::{Ended, Round, Task};
use super::shard::Shard;
use super::store::Store;
use super::sweep_runner::SweepRunner;
use super::warm::{Shares, Work};
use crate::runner::in_parallel;
use innosim_core::server::RunError;
use std::collections::{BTreeMap, BTreeSet};

/// A run that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Its point.
    pub point: usize,
    /// Its replication.
    pub replication: u32,
    /// What happened.
    pub error: RunError,
}

/// What was made.
#[derive(Debug, Default)]
pub struct Made {
    /// Runs made and saved.
    pub runs: usize,
    /// How many of them were not simulated, as they are the same as another.
    pub twins: usize,
    /// Simulated seconds that they took; those that runs share, once.
    pub simulated_s: f64,
    /// Runs that failed, in the order of the plan.
    pub failures: Vec<Failure>,
    /// Whether it was stopped before its end.
    pub stopped: bool,
}

impl Plan {
    /// Replications of a point that count, given the throughput of those that are there: their number, and whether
    /// more are wanted.
    pub(super) fn replications_of(&self, throughput: impl Fn(u32) -> Option<f64>) -> (u32, bool) {
        let Some(precision) = self.precision else {
            return (self.replications, (0..self.replications).any(|r| throughput(r).is_none()));
        };
        let mut wanted = precision.wanted(&[]);
        loop {
            let values: Vec<f64> = (0..wanted).map_while(&throughput).collect();
            if values.len() < wanted as usize {
                return (wanted, true);
            }
            match precision.wanted(&values) {
                enough if enough == wanted => return (wanted, false),
                more => wanted = more,
            }
        }
    }

    /// Runs of `shard` that are wanted next and neither there nor failed.
    fn missing(&self, shard: Shard, runs: &BTreeMap<RunId, Record>, failed: &BTreeSet<RunId>) -> Vec<Task> {
        let mut seen = BTreeSet::new();
        let mut missing = Vec::new();
        for point in 0..self.points.len() {
            // Replications of a point that wait for each other stay together.
            if self.precision.is_some() && !shard.holds(point) {
                continue;
            }
            let throughput = |r| runs.get(&self.run_id(point, r)).map(|record| record.summary.tps_mean);
            let (wanted, _) = self.replications_of(throughput);
            for replication in 0..wanted {
                let place = point * self.replications as usize + replication as usize;
                if self.precision.is_none() && !shard.holds(place) {
                    continue;
                }
                for (id, in_flow) in self.run_ids(point, replication) {
                    // Points that are the same after all share their runs.
                    if !runs.contains_key(&id) && !failed.contains(&id) && seen.insert(id.clone()) {
                        missing.push(Task { point, replication, id, in_flow });
                    }
                }
            }
        }
        missing
    }
}

/// Makes all runs of `shard` that `runs` lacks, saves each in `store`, and adds it to `runs`. Runs that fail are
/// reported and the others still made.
///
/// # Errors
/// [`SweepError`] if a run can't be saved: no more are made then.
pub fn run(
    prepared: &Prepared,
    shard: Shard,
    store: &Store,
    runs: &mut BTreeMap<RunId, Record>,
    execute: &dyn SweepRunner,
) -> Result<Made, SweepError> {
    let mut made = Made::default();
    let mut failed = BTreeSet::new();
    loop {
        let tasks = prepared.plan.missing(shard, runs, &failed);
        if tasks.is_empty() || execute.stop() {
            made.stopped |= !tasks.is_empty();
            made.failures.sort_by_key(|failure| (failure.point, failure.replication));
            return Ok(made);
        }
        execute.round(tasks.len(), tasks.iter().map(|task| prepared.plan.points[task.point].simulated_s).sum());
        let round = Round::new(prepared, store, execute);
        let ended = make_all(&round, &tasks)?;
        let (simulated_s, twins) = round.counts();
        made.simulated_s += simulated_s as f64;
        made.twins += twins;
        for (task, ended) in tasks.iter().zip(ended) {
            match ended {
                Some(Ok(record)) => {
                    made.runs += 1;
                    runs.insert(record.id.clone(), record);
                }
                Some(Err(RunError::Stopped { .. })) | None => made.stopped = true,
                Some(Err(error)) => {
                    failed.insert(task.id.clone());
                    made.failures.push(Failure { point: task.point, replication: task.replication, error });
                }
            }
        }
        if made.stopped {
            return Ok(made);
        }
    }
}

/// Makes all tasks of a round, and says in their order how they ended.
fn make_all(round: &Round<'_>, tasks: &[Task]) -> Result<Vec<Ended>, SweepError> {
    let prepared = round.prepared;
    let work = Work::all(tasks, |task| match (task.in_flow, prepared.base_of[task.point]) {
        (true, _) => Shares::Windows(prepared.flow_groups.group_of[task.point]),
        (false, Some(base)) => Shares::Base(base),
        (false, None) => Shares::Nothing,
    });
    let mut ended: Vec<(usize, Ended)> = in_parallel(&work, |work| work.make(round)).into_iter().flatten().collect();
    ended.sort_by_key(|(place, _)| *place);
    match round.first_error().take() {
        Some(error) => Err(error),
        None => Ok(ended.into_iter().map(|(_, ended)| ended).collect()),
    }
}
