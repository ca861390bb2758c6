//! How the runs of a sweep are made.

use crate::runner::{IsEnough, Job};
use crate::warm_start::WarmStart;
use innosim_core::metrics::RunOutput;
use innosim_core::seam::LiveSettings;
use innosim_core::server::{RunError, Silent, Warm};

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

    /// Told of a run that need not be made page by page: it is known to be the same as another, or was made in the coarse tier.
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
