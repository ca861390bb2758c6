//! Runs that are made beside the one that tells whether they are wanted.

use super::plan::Plan;
use super::trial_runner::TrialRunner;
use crate::runner::{IsEnough, Job, Watch};
use crate::warm_start::WarmStart;
use innosim_core::kernel::time::SimTime;
use innosim_core::metrics::{RunOutput, SecondSample};
use innosim_core::server::{RunError, Warm};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

/// Does both at the same time, where there are two threads; `beside`, whose runs it makes with what it is given, is stopped if what
/// comes of `first` does not want it.
pub(crate) fn with_beside<T: Send, R: Send>(
    runner: &dyn TrialRunner,
    first: impl FnOnce() -> T + Send,
    is_wanted: impl FnOnce(&T) -> bool + Send,
    beside: impl FnOnce(&dyn TrialRunner) -> R + Send,
) -> (T, R) {
    let while_wanted = WhileWanted::new(runner);
    rayon::join(
        || {
            let made = first();
            if !is_wanted(&made) {
                while_wanted.stop();
            }
            made
        },
        || beside(&while_wanted),
    )
}

/// Makes runs as another does, and stops once they are not wanted.
struct WhileWanted<'a> {
    runner: &'a dyn TrialRunner,
    wanted: AtomicBool,
}

impl<'a> WhileWanted<'a> {
    fn new(runner: &'a dyn TrialRunner) -> Self {
        WhileWanted { runner, wanted: AtomicBool::new(true) }
    }

    /// Ends the run in progress, and begins no other.
    fn stop(&self) {
        self.wanted.store(false, Ordering::Relaxed);
    }

    fn is_wanted(&self) -> bool {
        self.wanted.load(Ordering::Relaxed)
    }

    /// A run that others want no more is none.
    fn if_wanted<T>(&self, run: impl FnOnce() -> Result<T, RunError>) -> Result<T, RunError> {
        let stopped = Err(RunError::Stopped { at: SimTime::ZERO });
        if !self.is_wanted() {
            return stopped;
        }
        let made = run();
        if self.is_wanted() { made } else { stopped }
    }
}

impl TrialRunner for WhileWanted<'_> {
    fn execute(&self, job: Job<'_>) -> Result<RunOutput, RunError> {
        self.execute_until(job, &mut |_, _| false)
    }

    fn execute_until(&self, job: Job<'_>, is_enough: &mut IsEnough<'_>) -> Result<RunOutput, RunError> {
        let mut is_enough = |series: &[_], limits: &_| !self.is_wanted() || is_enough(series, limits);
        self.if_wanted(|| self.runner.execute_until(job, &mut is_enough))
    }

    fn warm_up(&self, job: Job<'_>, seconds: u64) -> Result<Option<WarmStart>, RunError> {
        self.if_wanted(|| self.runner.warm_up(job, seconds))
    }

    fn go_on(&self, from: Warm, job: Job<'_>, is_enough: &mut IsEnough<'_>) -> Result<RunOutput, RunError> {
        let mut is_enough = |series: &[_], limits: &_| !self.is_wanted() || is_enough(series, limits);
        self.if_wanted(|| self.runner.go_on(from, job, &mut is_enough))
    }

    fn may_flow(&self) -> bool {
        self.runner.may_flow()
    }

    fn flow_factor(&self) -> f64 {
        self.runner.flow_factor()
    }

    fn watch(&self) -> Box<dyn Watch + '_> {
        Box::new(WatchWhileWanted { watch: self.runner.watch(), runner: self })
    }

    fn time_is_up(&self) -> bool {
        self.runner.time_is_up()
    }

    fn stage(&self, name: &str, runs: usize, seconds: u64) {
        self.runner.stage(name, runs, seconds);
    }

    fn planned(&self, plan: &Plan) {
        self.runner.planned(plan);
    }
}

/// Watches a run, and ends it once it is not wanted.
struct WatchWhileWanted<'a> {
    watch: Box<dyn Watch + 'a>,
    runner: &'a WhileWanted<'a>,
}

impl WatchWhileWanted<'_> {
    fn goes_on(&self, on: ControlFlow<()>) -> ControlFlow<()> {
        if self.runner.is_wanted() { on } else { ControlFlow::Break(()) }
    }
}

impl Watch for WatchWhileWanted<'_> {
    fn second(&self, sample: &SecondSample) -> ControlFlow<()> {
        self.goes_on(self.watch.second(sample))
    }

    fn go_on(&self) -> ControlFlow<()> {
        self.goes_on(self.watch.go_on())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::run_of;
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
        assert!(runner.watch().go_on().is_continue());
        let is_stopped = |run: Result<RunOutput, RunError>| matches!(run, Err(RunError::Stopped { .. }));
        assert!(is_stopped(runner.execute_until(job, &mut stop_in_the_third)), "half a run is none");
        assert!(is_stopped(runner.execute(job)) && runner.watch().go_on().is_break());
    }

    #[test]
    fn what_is_done_beside_is_stopped_only_if_it_is_not_wanted() {
        let scenario = load(Source::Shipped("teaching/redo-too-small"), &Overrides::default()).unwrap();
        let job = Job { scenario: &scenario, replication: 0 };
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let made =
            |wanted| one.install(|| with_beside(&EachSecond, || 7, |_| wanted, |runner| runner.execute(job).is_ok()));
        assert_eq!((made(true), made(false)), ((7, true), (7, false)));
    }
}
