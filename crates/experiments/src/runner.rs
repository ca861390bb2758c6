//! Runs (scenario, replication) pairs on all cores, with results in order that don't depend on the number of cores.
//!
//! Each run is single-threaded and shares nothing with another; parallelism is over runs. The threads are those of the
//! rayon pool around the call.

use innosim_core::metrics::{RunOutput, SecondSample};
use innosim_core::run_spec::RunSpec;
use innosim_core::server::{Observer, RunError, Server};
use innosim_scenario::Scenario;
use rayon::prelude::*;
use std::ops::ControlFlow;

/// A run to be made.
#[derive(Debug, Clone, Copy)]
pub struct Job<'a> {
    /// What to run.
    pub scenario: &'a Scenario,
    /// Which replication of it; the same number meets the same random draws in every scenario.
    pub replication: u32,
}

/// Sees each simulated second of every run, from any thread; `Break` ends the run it belongs to.
pub trait Watch: Sync {
    /// A simulated second of some run is over.
    fn second(&self, sample: &SecondSample) -> ControlFlow<()>;
}

impl<F: Fn(&SecondSample) -> ControlFlow<()> + Sync> Watch for F {
    fn second(&self, sample: &SecondSample) -> ControlFlow<()> {
        self(sample)
    }
}

struct Watching<'a>(&'a dyn Watch);

impl Observer for Watching<'_> {
    fn second(&mut self, sample: &SecondSample) -> ControlFlow<()> {
        self.0.second(sample)
    }
}

/// Makes one run. `check` verifies the invariants at every event.
///
/// # Errors
/// [`RunError`] if an invariant breaks or `watch` ended the run.
pub fn run_one(job: Job<'_>, check: bool, watch: &dyn Watch) -> Result<RunOutput, RunError> {
    let spec = RunSpec { replication: job.replication, check, ..job.scenario.run.clone() };
    Server::new(job.scenario.build_model(), &spec).run(&mut Watching(watch))
}

/// Makes all runs and hands each to `finish` on the thread that made it, as soon as it is over; what that makes of them
/// comes back in the order of `jobs`. A run's series need not outlive it: keep what is needed.
pub fn run_many<T: Send>(
    jobs: &[Job<'_>],
    check: bool,
    watch: &dyn Watch,
    finish: impl Fn(Job<'_>, Result<RunOutput, RunError>) -> T + Sync,
) -> Vec<T> {
    // One at a time: a thread that takes several would leave others without work at the end.
    jobs.par_iter().with_max_len(1).map(|job| finish(*job, run_one(*job, check, watch))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use innosim_scenario::{Overrides, Source, load};

    fn small() -> Scenario {
        let overrides = Overrides { duration: Some("10s".to_owned()), ..Overrides::default() };
        load(Source::Shipped("teaching/redo-too-small"), &overrides).unwrap()
    }

    fn hashes(threads: usize) -> Vec<(u32, u64)> {
        let scenario = small();
        let jobs: Vec<Job<'_>> = (0..4).map(|replication| Job { scenario: &scenario, replication }).collect();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let watch = |_: &SecondSample| ControlFlow::Continue(());
        pool.install(|| {
            run_many(&jobs, false, &watch, |job, output| (job.replication, output.map_or(0, |o| o.event_hash)))
        })
    }

    #[test]
    fn in_order_and_the_same_for_any_number_of_threads() {
        let one = hashes(1);
        assert_eq!(one.iter().map(|run| run.0).collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert!(one.windows(2).all(|pair| pair[0].1 != pair[1].1), "replications differ");
        assert_eq!(one, hashes(3));
    }

    #[test]
    fn a_watch_can_end_a_run() {
        let scenario = small();
        let stop_at_3 =
            |s: &SecondSample| if s.second >= 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let ended = run_one(Job { scenario: &scenario, replication: 0 }, false, &stop_at_3);
        assert!(matches!(ended, Err(RunError::Stopped { .. })), "{ended:?}");
    }
}
