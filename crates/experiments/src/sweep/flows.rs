//! Runs of a sweep in the coarse tier ([`innosim_flow`]), which share what exact windows tell.
//!
//! Points that differ in nothing but settings of flushing and the size of the redo log ([`references`](super::references)) are a group: one load on one
//! machine. For each replication, windows are made where its *references* need them, one reference after the other: the points with all
//! these settings at their largest, with each alone at its smallest, with all at their smallest, and some spread evenly over
//! the others. Then all points read throughput off what these windows told. A point that comes to something else makes windows for itself,
//! which no other point sees, and is marked. So a run depends on its scenario and the references of its group alone, which are part of its
//! identity: not on the number of threads, on interruptions or shards.
//!
//! A run that the tier refuses is made exactly, and says why.
//!
//! Simplification: the first seconds, which are exact, are those of the first reference (hardly a page is flushed in them).

use super::record::Record;
use super::round::{Ended, Round, Task};
use super::tier::MadeAs;
use crate::runner::{Job, in_parallel};
use crate::tiers::ScenarioServers;
use innosim_core::run_spec::RunSpec;
use innosim_core::server::RunError;
use innosim_flow::{Basis, FlowError, Refused};

/// References that may come to nothing, as their throughput does not settle.
const UNSETTLED: usize = 2;

/// Runs of a group that have a replication in common: each with its place among all tasks.
pub(super) struct Flows<'a> {
    pub(super) round: &'a Round<'a>,
    pub(super) group: usize,
    pub(super) replication: u32,
}

impl<'a> Flows<'a> {
    /// Makes them, and says how each ended, by its place.
    pub(super) fn make(&self, runs: &[(usize, &Task)]) -> Vec<(usize, Ended)> {
        let basis = self.basis();
        in_parallel(runs, |(place, task)| {
            let ended = match (self.round.is_over(), &basis) {
                (true, _) | (_, Err(FlowError::Run(RunError::Stopped { .. }))) => None,
                (_, Ok(basis)) => self.one(task, basis),
                (_, Err(FlowError::Refused(why))) => self.exactly(task, why.to_string()),
                // What is wrong with it may be wrong with them: each tells for itself.
                (_, Err(FlowError::Run(error))) => self.exactly(task, error.to_string()),
            };
            (*place, ended)
        })
    }

    fn job(&self, point: usize) -> Job<'a> {
        Job { scenario: &self.round.prepared.scenarios[point], replication: self.replication }
    }

    fn spec(&self, point: usize) -> RunSpec {
        RunSpec { replication: self.replication, ..self.job(point).scenario.run.clone() }
    }

    /// What the references need to know of throughput. Where it settles in none of the first [`UNSETTLED`], none of the group is asked.
    fn basis(&self) -> Result<Basis, FlowError> {
        let references = &self.round.prepared.flow_groups.references[self.group];
        let mut basis = Basis::new(&ScenarioServers(self.job(references[0]).scenario), &self.spec(references[0]))?;
        let mut settled = false;
        for (number, &reference) in references.iter().enumerate() {
            let servers = ScenarioServers(self.job(reference).scenario);
            match basis.run(1.0, &servers, &self.spec(reference), &|| self.round.is_over()) {
                Ok(_) => settled = true,
                Err(FlowError::Run(error)) => return Err(error.into()),
                Err(FlowError::Refused(why @ Refused::Unsettled { .. })) if !settled && number + 1 >= UNSETTLED => {
                    return Err(why.into());
                }
                // One that is refused on its way tells nothing.
                Err(FlowError::Refused(_)) => {}
            }
        }
        Ok(basis)
    }

    /// Makes a run that reads what the references told.
    fn one(&self, task: &Task, basis: &Basis) -> Ended {
        let job = self.job(task.point);
        let flow =
            basis.clone().run(1.0, &ScenarioServers(job.scenario), &self.spec(task.point), &|| self.round.is_over());
        match flow {
            Ok(flow) => {
                self.round.flowed(job);
                self.round.save(task, Ok(Record::of_flow(task.id.clone(), job.scenario, flow)))
            }
            Err(FlowError::Refused(why)) => self.exactly(task, why.to_string()),
            Err(FlowError::Run(RunError::Stopped { .. })) => None,
            Err(FlowError::Run(error)) => self.round.save(task, Err(error)),
        }
    }

    fn exactly(&self, task: &Task, why: String) -> Ended {
        self.round.one_made_as(task, MadeAs::Refused { why })
    }
}
