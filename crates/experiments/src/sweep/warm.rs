//! Runs of a sweep that go on from copies of one warm server.
//!
//! Points that differ in nothing but settings that a server at work takes ([`is_taken`]) are a group. For each replication, its
//! base (all that the points share, with these settings as the scenario has them) runs until it is warm ([`WarmStart`]), and
//! each point goes on from a copy. A copy is made as its run begins, so that there are no more of them than jobs. If the base
//! can't serve, the runs of the group begin cold, as all others do.
//!
//! *Twins*: a run watches which of the other points of the group would have made the same decisions in every pass up to its end.
//! Their runs are the same, byte by byte, and are not made again. Which of them is run is a matter of time; what is kept of them
//! is not.

use super::flows::Flows;
use super::record::Record;
use super::round::{Ended, Round, Task};
use crate::rest::{self, STILL, until_known};
use crate::runner::{Job, in_parallel};
use crate::warm_start::{WarmStart, live_settings};
use innosim_core::seam::LiveSettings;
use innosim_core::server::{RunError, Warm};
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What runs share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shares {
    /// Nothing.
    Nothing,
    /// A base, by its place.
    Base(usize),
    /// What exact windows tell: a group of flows, by its place.
    Windows(usize),
}

/// Runs that share something and have a replication in common, or a run by itself.
pub(super) struct Work<'a> {
    shares: Shares,
    replication: u32,
    runs: Vec<(usize, &'a Task)>,
}

impl<'a> Work<'a> {
    /// All `tasks`, each with its place among them.
    pub(super) fn all(tasks: &'a [Task], shares: impl Fn(&Task) -> Shares) -> Vec<Work<'a>> {
        let mut all: Vec<Work<'a>> = Vec::new();
        for (place, task) in tasks.iter().enumerate() {
            let (shares, replication) = (shares(task), task.replication);
            let is_same = |work: &&mut Work<'a>| (work.shares, work.replication) == (shares, replication);
            match all.iter_mut().filter(|_| shares != Shares::Nothing).find(is_same) {
                Some(work) => work.runs.push((place, task)),
                None => all.push(Work { shares, replication, runs: vec![(place, task)] }),
            }
        }
        all
    }

    /// Makes the runs, and says how each ended, by its place.
    pub(super) fn make(&self, round: &Round<'_>) -> Vec<(usize, Ended)> {
        match self.shares {
            Shares::Nothing => self.runs.iter().map(|(place, task)| (*place, round.one(task))).collect(),
            Shares::Windows(group) => Flows { round, group, replication: self.replication }.make(&self.runs),
            Shares::Base(base) => self.make_from(base, round),
        }
    }

    fn make_from(&self, base: usize, round: &Round<'_>) -> Vec<(usize, Ended)> {
        let job = Job { scenario: &round.prepared.bases[base], replication: self.replication };
        match if round.is_over() { Ok(None) } else { round.execute.warm_up(job) } {
            Ok(start) => {
                round.simulated(start.as_ref().map_or(0, WarmStart::seconds));
                let start = start.filter(WarmStart::serves);
                Group::new(round, &self.runs, start.as_ref()).make()
            }
            Err(RunError::Stopped { .. }) => self.runs.iter().map(|(place, _)| (*place, None)).collect(),
            // What is wrong with it may be wrong with them: each tells for itself.
            Err(_) => Group::new(round, &self.runs, None).make(),
        }
    }
}

/// A run of a group that is not made yet.
struct Waiting<'a> {
    place: usize,
    task: &'a Task,
    live: Option<LiveSettings>,
}

/// A group at work.
struct Group<'a> {
    round: &'a Round<'a>,
    start: Option<&'a WarmStart>,
    waiting: Mutex<VecDeque<Waiting<'a>>>,
}

impl<'a> Group<'a> {
    fn new(round: &'a Round<'a>, runs: &[(usize, &'a Task)], start: Option<&'a WarmStart>) -> Self {
        let live = |task: &Task| start.and_then(|_| live_settings(&round.prepared.scenarios[task.point]));
        let waiting = runs.iter().map(|&(place, task)| Waiting { place, task, live: live(task) }).collect();
        Group { round, start, waiting: Mutex::new(waiting) }
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<Waiting<'a>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn make(&self) -> Vec<(usize, Ended)> {
        // Neighbours are often twins: who takes from the other end is not likely to make a run that is being made.
        let workers: Vec<usize> = (0..rayon::current_num_threads()).collect();
        let made = in_parallel(&workers, |worker| {
            let mut made = Vec::new();
            let next = || if worker % 2 == 0 { self.waiting().pop_front() } else { self.waiting().pop_back() };
            while let Some(run) = next() {
                made.extend(self.one(&run));
            }
            made
        });
        made.into_iter().flatten().collect()
    }

    /// Makes a run, and with it those that turn out to be the same.
    fn one(&self, run: &Waiting<'a>) -> Vec<(usize, Ended)> {
        if self.round.is_over() {
            return vec![(run.place, None)];
        }
        let job = Job { scenario: &self.round.prepared.scenarios[run.task.point], replication: run.task.replication };
        let Some(from) = self.start.and_then(|start| start.fork(job)) else {
            return vec![(run.place, self.round.one(run.task))];
        };
        let others: Vec<(usize, LiveSettings)> =
            self.waiting().iter().filter_map(|other| Some((other.place, other.live?))).collect();
        let settings: Vec<LiveSettings> = others.iter().map(|(_, live)| *live).collect();
        match self.go_on(from, job, run.task, &settings) {
            Err(error) => vec![(run.place, self.round.save(run.task, Err(error)))],
            Ok((record, same)) => {
                let twins: Vec<usize> =
                    others.iter().zip(same).filter(|(_, same)| *same).map(|((place, _), _)| *place).collect();
                let mut made = vec![(run.place, self.round.save(run.task, Ok(record.clone())))];
                for twin in self.take(&twins) {
                    let record = Record { id: twin.task.id.clone(), ..record.clone() };
                    self.round.forgone(twin.task);
                    made.push((twin.place, self.round.save(twin.task, Ok(record))));
                }
                made
            }
        }
    }

    /// Those of the places that still wait, which they do no more.
    fn take(&self, places: &[usize]) -> Vec<Waiting<'a>> {
        let mut waiting = self.waiting();
        let (taken, left): (Vec<Waiting<'a>>, Vec<Waiting<'a>>) =
            waiting.drain(..).partition(|run| places.contains(&run.place));
        *waiting = left.into();
        taken
    }

    fn go_on(
        &self,
        from: Warm,
        job: Job<'_>,
        task: &Task,
        others: &[LiveSettings],
    ) -> Result<(Record, Vec<bool>), RunError> {
        let shared_s = from.seconds().len() as u64;
        let still = self.round.prepared.plan.until_rest.unwrap_or(STILL);
        let at_rest = |why| why == rest::Ended::AtRest;
        let mut same = Vec::new();
        let (output, early) = until_known(job.seconds(), shared_s, true, still, at_rest, |is_enough| {
            let (output, others) = self.round.execute.go_on(from, job, others, is_enough)?;
            same = others;
            Ok(output)
        })?;
        self.round.simulated(output.series.len() as u64 - shared_s);
        Ok((Record::begun_warm(task.id.clone(), job.scenario, &output, early, shared_s), same))
    }
}
