//! A round of a sweep: runs that are made together, each saved as soon as it is over.

use super::SweepError;
use super::plan::{Prepared, RunId};
use super::record::Record;
use super::store::Store;
use super::sweep_runner::SweepRunner;
use super::tier::MadeAs;
use crate::rest::{self, STILL, may_end_early, until_known};
use crate::runner::{IsEnough, Job};
use innosim_core::server::RunError;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A run to be made.
#[derive(Debug, Clone)]
pub(super) struct Task {
    pub(super) point: usize,
    pub(super) replication: u32,
    pub(super) id: RunId,
    /// Whether it is to be made in the coarse tier.
    pub(super) in_flow: bool,
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
    pub(super) fn new(prepared: &'a Prepared, store: &'a Store, execute: &'a dyn SweepRunner) -> Self {
        let (unsaved, simulated_s, twins) = (Mutex::new(None), AtomicU64::new(0), AtomicUsize::new(0));
        Round { prepared, execute, store, unsaved, simulated_s, twins }
    }

    pub(super) fn first_error(&self) -> MutexGuard<'_, Option<SweepError>> {
        self.unsaved.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether no more runs are to be begun.
    pub(super) fn is_over(&self) -> bool {
        self.execute.stop() || self.first_error().is_some()
    }

    /// Makes a run from its own beginning.
    pub(super) fn one(&self, task: &Task) -> Ended {
        self.one_made_as(task, MadeAs::Exact)
    }

    /// The same; `made_as` says why it is exact.
    pub(super) fn one_made_as(&self, task: &Task, made_as: MadeAs) -> Ended {
        if self.is_over() {
            return None;
        }
        let record = make(self.prepared, task, self.execute).map(|record| Record { made_as, ..record });
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

    /// Seconds that were simulated, and runs that were not.
    pub(super) fn counts(&self) -> (u64, usize) {
        (self.simulated_s.load(Ordering::Relaxed), self.twins.load(Ordering::Relaxed))
    }

    /// Counts seconds that were simulated.
    pub(super) fn simulated(&self, seconds: u64) {
        self.simulated_s.fetch_add(seconds, Ordering::Relaxed);
    }

    /// Counts a run in the coarse tier.
    pub(super) fn flowed(&self, job: Job<'_>) {
        self.simulated(job.seconds());
        self.execute.forgone(job);
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
