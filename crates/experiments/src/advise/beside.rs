//! Runs that are made beside the one that tells whether they are wanted.

use crate::recommend::TrialRunner;
use crate::runner::{IsEnough, Job};
use innosim_core::kernel::time::SimTime;
use innosim_core::metrics::RunOutput;
use innosim_core::server::RunError;
use std::sync::atomic::{AtomicBool, Ordering};

/// Makes runs as another does, and stops once they are not wanted.
pub(super) struct WhileWanted<'a> {
    runner: &'a dyn TrialRunner,
    wanted: AtomicBool,
}

impl<'a> WhileWanted<'a> {
    pub(super) fn new(runner: &'a dyn TrialRunner) -> Self {
        WhileWanted { runner, wanted: AtomicBool::new(true) }
    }

    /// Ends the run in progress, and begins no other.
    pub(super) fn stop(&self) {
        self.wanted.store(false, Ordering::Relaxed);
    }

    fn is_wanted(&self) -> bool {
        self.wanted.load(Ordering::Relaxed)
    }
}

impl TrialRunner for WhileWanted<'_> {
    fn execute(&self, job: Job<'_>) -> Result<RunOutput, RunError> {
        self.execute_until(job, &mut |_, _| false)
    }

    fn execute_until(&self, job: Job<'_>, is_enough: &mut IsEnough<'_>) -> Result<RunOutput, RunError> {
        if !self.is_wanted() {
            return Err(RunError::Stopped { at: SimTime::ZERO });
        }
        self.runner.execute_until(job, &mut |series, limits| !self.is_wanted() || is_enough(series, limits))
    }

    fn time_is_up(&self) -> bool {
        self.runner.time_is_up()
    }

    fn stage(&self, name: &str, runs: usize, seconds: u64) {
        self.runner.stage(name, runs, seconds);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::run_of;
    use innosim_core::metrics::SecondSample;
    use innosim_core::seam::AgeLimits;
    use innosim_scenario::{Overrides, Source, load};

    /// A run whose seconds are looked at one after the other.
    struct EachSecond;

    impl TrialRunner for EachSecond {
        fn execute(&self, job: Job<'_>) -> Result<RunOutput, RunError> {
            self.execute_until(job, &mut |_, _| false)
        }

        fn execute_until(&self, job: Job<'_>, is_enough: &mut IsEnough<'_>) -> Result<RunOutput, RunError> {
            let mut output = run_of(job, |second| SecondSample { second, ..SecondSample::default() });
            let enough = (1..output.series.len()).find(|&n| is_enough(&output.series[..n], &AgeLimits::default()));
            output.series.truncate(enough.unwrap_or(output.series.len()));
            Ok(output)
        }
    }

    #[test]
    fn a_run_that_is_not_wanted_ends_and_no_other_begins() {
        let scenario = load(Source::Shipped("teaching/redo-too-small"), &Overrides::default()).unwrap();
        let job = Job { scenario: &scenario, replication: 0 };
        let runner = WhileWanted::new(&EachSecond);
        assert_eq!(runner.execute(job).unwrap().series.len() as u64, job.seconds());
        let mut stop_in_the_third = |series: &[SecondSample], _: &AgeLimits| {
            if series.len() == 3 {
                runner.stop();
            }
            false
        };
        assert_eq!(runner.execute_until(job, &mut stop_in_the_third).unwrap().series.len(), 4);
        assert!(matches!(runner.execute(job), Err(RunError::Stopped { .. })));
    }
}
