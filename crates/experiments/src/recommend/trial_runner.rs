//! How the runs of a search are made, and who is told.

use super::plan::Plan;
use crate::runner::{IsEnough, Job, Watch};
use crate::warm_start::WarmStart;
use innosim_core::metrics::{RunOutput, SecondSample};
use innosim_core::server::{RunError, Silent, Warm};
use std::ops::ControlFlow;

/// How runs are made, and who is told.
pub trait TrialRunner: Sync {
    /// Makes a run.
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

    /// Runs the first `seconds` of a job, for others to go on from there. Here: not at all, so that each run begins for
    /// itself.
    ///
    /// # Errors
    /// As the run ends.
    fn warm_up(&self, job: Job<'_>, seconds: u64) -> Result<Option<WarmStart>, RunError> {
        let _ = (job, seconds);
        Ok(None)
    }

    /// Goes on from there as `job` says, until `is_enough` says so.
    ///
    /// # Errors
    /// As the run ends.
    fn go_on(&self, from: Warm, job: Job<'_>, is_enough: &mut IsEnough<'_>) -> Result<RunOutput, RunError> {
        let _ = job;
        from.run_until(&mut Silent, is_enough)
    }

    /// Whether runs may be flows that end page by page, where the coarse tier takes them. Here: no.
    fn may_flow(&self) -> bool {
        false
    }

    /// What throughput is multiplied by wherever a flow reads it: 1, but in tests that want an error to be seen.
    fn flow_factor(&self) -> f64 {
        1.0
    }

    /// Sees the seconds at a flow's end, from any thread; `Break` ends the run.
    fn watch(&self) -> Box<dyn Watch + '_> {
        Box::new(|_: &SecondSample| ControlFlow::Continue(()))
    }

    /// Whether the time that the search may take is over. From then on no run is begun, and those that go on end as if stopped.
    /// Here: never.
    fn time_is_up(&self) -> bool {
        false
    }

    /// Told before each stage: its name, its runs, the simulated seconds that they take at most.
    fn stage(&self, _name: &str, _runs: usize, _seconds: u64) {}

    /// Told when the length of runs is known.
    fn planned(&self, _plan: &Plan) {}
}
