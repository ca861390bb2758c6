//! Makes the runs that are missing, each saved as soon as it is over.

use super::SweepError;
use super::plan::{Plan, Prepared, RunId};
use super::record::Record;
use super::shard::Shard;
use super::store::Store;
use super::warm::Work;
use crate::rest::{self, STILL, may_end_early, until_known};
use crate::runner::{IsEnough, Job, in_parallel};
use crate::warm_start::WarmStart;
use innosim_core::metrics::RunOutput;
use innosim_core::seam::LiveSettings;
use innosim_core::server::{RunError, Silent, Warm};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How a run is made: [`run_one`](crate::runner::run_one) with a watch, as a rule.
pub trait SweepRunner: Sync {
    /// Makes the run.
    ///
    /// # Errors
    /// As the run ends.
    fn execute(&self, job: Job<'_>) -> Result<RunOutput, RunError>;

    /// Makes a run that may end as soon as `is_enough` says so. Here: a whole one, as who does not know better makes it.
    ///
    /// # Errors
    /// As the run ends.
    fn execute_until(&self, job: Job<'_>, is_enough: &mut IsEnough<'_>) -> Result<RunOutput, RunError> {
        let _ = is_enough;
        self.execute(job)
    }

    /// Runs a job until it is warm, for others to go on from there (see [`WarmStart::until_warm`]). Here: not at all, so that
    /// each run begins for itself.
    ///
    /// # Errors
    /// As the run ends.
    fn warm_up(&self, job: Job<'_>) -> Result<Option<WarmStart>, RunError> {
        let _ = job;
        Ok(None)
    }

    /// Goes on from there as `job` says, until `is_enough` says so; and says which of `others` would have made the very same
    /// run (see [`Warm::run_beside`]).
    ///
    /// # Errors
    /// As the run ends.
    fn go_on(
        &self,
        from: Warm,
        job: Job<'_>,
        others: &[LiveSettings],
        is_enough: &mut IsEnough<'_>,
    ) -> Result<(RunOutput, Vec<bool>), RunError> {
        let _ = job;
        from.run_beside(others, &mut Silent, is_enough)
    }

    /// Told of a run that need not be made, as it is known to be the same as another.
    fn forgone(&self, _job: Job<'_>) {}

    /// Told before a round: runs to be made and their simulated seconds, at most.
    fn round(&self, _runs: usize, _seconds: f64) {}

    /// Told after each run that was made and saved, or failed.
    fn finished(&self) {}

    /// Whether no more runs are wanted.
    fn stop(&self) -> bool {
        false
    }
}

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

/// A run to be made.
#[derive(Debug, Clone)]
pub(super) struct Task {
    pub(super) point: usize,
    pub(super) replication: u32,
    pub(super) id: RunId,
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
                let id = self.run_id(point, replication);
                let mine = self.precision.is_some() || shard.holds(place);
                // Points that are the same after all share their runs.
                if mine && !runs.contains_key(&id) && !failed.contains(&id) && seen.insert(id.clone()) {
                    missing.push(Task { point, replication, id });
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
        let ended = round.make(&tasks)?;
        made.simulated_s += round.simulated_s.into_inner() as f64;
        made.twins += round.twins.into_inner();
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

/// How a task ended; `None` if it was not begun.
pub(super) type Ended = Option<Result<Record, RunError>>;

/// Runs that are made together.
pub(super) struct Round<'a> {
    pub(super) prepared: &'a Prepared,
    pub(super) execute: &'a dyn SweepRunner,
    store: &'a Store,
    unsaved: Mutex<Option<SweepError>>,
    simulated_s: AtomicU64,
    twins: AtomicUsize,
}

impl<'a> Round<'a> {
    fn new(prepared: &'a Prepared, store: &'a Store, execute: &'a dyn SweepRunner) -> Self {
        let (unsaved, simulated_s, twins) = (Mutex::new(None), AtomicU64::new(0), AtomicUsize::new(0));
        Round { prepared, execute, store, unsaved, simulated_s, twins }
    }

    /// Makes all tasks, and says in their order how they ended.
    fn make(&self, tasks: &[Task]) -> Result<Vec<Ended>, SweepError> {
        let work = Work::all(tasks, |point| self.prepared.base_of[point]);
        let mut ended: Vec<(usize, Ended)> = in_parallel(&work, |work| work.make(self)).into_iter().flatten().collect();
        ended.sort_by_key(|(place, _)| *place);
        match self.first_error().take() {
            Some(error) => Err(error),
            None => Ok(ended.into_iter().map(|(_, ended)| ended).collect()),
        }
    }

    fn first_error(&self) -> MutexGuard<'_, Option<SweepError>> {
        self.unsaved.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether no more runs are to be begun.
    pub(super) fn is_over(&self) -> bool {
        self.execute.stop() || self.first_error().is_some()
    }

    /// Makes a run from its own beginning.
    pub(super) fn one(&self, task: &Task) -> Ended {
        if self.is_over() {
            return None;
        }
        let record = make(self.prepared, task, self.execute);
        if let Ok(record) = &record {
            self.simulated(record.simulated_s(&self.prepared.plan.points[task.point]) as u64);
        }
        self.save(task, record)
    }

    /// Saves what a run came to.
    pub(super) fn save(&self, task: &Task, record: Result<Record, RunError>) -> Ended {
        debug_assert!(record.as_ref().map_or(true, |record| record.id == task.id));
        if let Ok(record) = &record
            && let Err(error) = self.store.append(record)
        {
            self.first_error().get_or_insert(error);
            return None;
        }
        self.execute.finished();
        Some(record)
    }

    /// Counts seconds that were simulated.
    pub(super) fn simulated(&self, seconds: u64) {
        self.simulated_s.fetch_add(seconds, Ordering::Relaxed);
    }

    /// Counts a run that was not, as it is the same as another.
    pub(super) fn forgone(&self, task: &Task) {
        self.twins.fetch_add(1, Ordering::Relaxed);
        let scenario = &self.prepared.scenarios[task.point];
        self.execute.forgone(Job { scenario, replication: task.replication });
    }
}

fn make(prepared: &Prepared, task: &Task, execute: &dyn SweepRunner) -> Result<Record, RunError> {
    let scenario = &prepared.scenarios[task.point];
    let job = Job { scenario, replication: task.replication };
    let still = prepared.plan.until_rest;
    let may = still.is_some() && may_end_early(scenario);
    let execute = |is_enough: &mut IsEnough<'_>| {
        if may { execute.execute_until(job, is_enough) } else { execute.execute(job) }
    };
    // The throughput of one that lives by sync flushing is still that of its first collapse.
    let at_rest = |why| why == rest::Ended::AtRest;
    let (output, early) = until_known(job.seconds(), 0, may, still.unwrap_or(STILL), at_rest, execute)?;
    Ok(Record::of(task.id.clone(), scenario, &output, early))
}
