//! Runs (scenario, replication) pairs on all cores, with results in order that don't depend on the number of cores.
//!
//! Each run is single-threaded and shares nothing with another; parallelism is over runs. The threads are those of the
//! rayon pool around the call.

use innosim_core::metrics::{RunOutput, SecondSample, WarmupEstimate, detect_warmup};
use innosim_core::run_spec::RunSpec;
use innosim_core::seam::AgeLimits;
use innosim_core::server::{Observer, RunError, Server};
use innosim_scenario::Scenario;
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A run to be made.
#[derive(Debug, Clone, Copy)]
pub struct Job<'a> {
    /// What to run.
    pub scenario: &'a Scenario,
    /// Which replication of it; the same number meets the same random draws in every scenario.
    pub replication: u32,
}

impl Job<'_> {
    /// All replications of `scenario`.
    pub fn all(scenario: &Scenario) -> impl Iterator<Item = Job<'_>> {
        (0..scenario.replications).map(move |replication| Job { scenario, replication })
    }

    /// Simulated time of the run, whole seconds.
    pub fn seconds(&self) -> u64 {
        self.scenario.run.duration.whole_seconds()
    }
}

/// Sees every run as it goes, from any thread; `Break` ends the run it belongs to.
pub trait Watch: Sync {
    /// A simulated second is over.
    fn second(&self, sample: &SecondSample) -> ControlFlow<()>;

    /// Asked many times a simulated second.
    fn go_on(&self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl<F: Fn(&SecondSample) -> ControlFlow<()> + Sync> Watch for F {
    fn second(&self, sample: &SecondSample) -> ControlFlow<()> {
        self(sample)
    }
}

/// A watch over one run.
#[derive(Debug)]
pub struct Watched<'a, W>(pub &'a W);

impl<W: Watch> Observer for Watched<'_, W> {
    fn second(&mut self, sample: &SecondSample) -> ControlFlow<()> {
        self.0.second(sample)
    }

    fn go_on(&mut self) -> ControlFlow<()> {
        self.0.go_on()
    }
}

/// Makes one run. `check` verifies the invariants at every event.
///
/// # Errors
/// [`RunError`] if an invariant breaks or `observer` ended the run.
pub fn run_one(job: Job<'_>, check: bool, observer: &mut dyn Observer) -> Result<RunOutput, RunError> {
    let spec = RunSpec { replication: job.replication, check, ..job.scenario.run.clone() };
    Server::new(job.scenario.build_model(), &spec).run(observer)
}

/// Asked after each simulated second, with all seconds so far and the age limits: whether a run has shown what it is made
/// for, and may end.
pub type IsEnough<'a> = dyn FnMut(&[SecondSample], &AgeLimits) -> bool + 'a;

/// Makes one run, which ends as soon as `is_enough` says so. `check` verifies the invariants at every event.
///
/// # Errors
/// As [`run_one`].
pub fn run_until(
    job: Job<'_>,
    check: bool,
    observer: &mut dyn Observer,
    is_enough: &mut IsEnough<'_>,
) -> Result<RunOutput, RunError> {
    let spec = RunSpec { replication: job.replication, check, ..job.scenario.run.clone() };
    Server::new(job.scenario.build_model(), &spec).run_until(observer, is_enough)
}

/// Makes all runs and hands each to `finish` on the thread that made it, as soon as it is over; what that makes of them
/// comes back in the order of `jobs`. A run's series need not outlive it: keep what is needed.
pub fn run_many<T: Send>(
    jobs: &[Job<'_>],
    check: bool,
    watch: &impl Watch,
    finish: impl Fn(Job<'_>, Result<RunOutput, RunError>) -> T + Sync,
) -> Vec<T> {
    in_parallel(jobs, |&job| finish(job, run_one(job, check, &mut Watched(watch))))
}

/// Does `one` for each task on the threads of the pool, and gives what came of them in the order of the tasks. Tasks are
/// begun in that order too, each as soon as a thread has nothing to do: who puts the longest first is done soonest.
pub fn in_parallel<T: Sync, R: Send>(tasks: &[T], one: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let threads = rayon::current_num_threads().min(tasks.len());
    let work = |_| {
        let mut done = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = tasks.get(place) else { return done };
            done.push((place, one(task)));
        }
    };
    let done: Vec<Vec<(usize, R)>> = (0..threads).into_par_iter().with_max_len(1).map(work).collect();
    let mut all: Vec<(usize, R)> = done.into_iter().flatten().collect();
    all.sort_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, result)| result).collect()
}

/// The warm-up of a run: as its scenario says, or as it is detected.
pub fn warmup_of(scenario: &Scenario, output: &RunOutput) -> WarmupEstimate {
    match scenario.warmup.fixed_seconds() {
        Some(seconds) => WarmupEstimate { seconds, converged: true },
        None => detect_warmup(&output.series),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use innosim_core::kernel::time::SimDuration;
    use innosim_scenario::Warmup;
    use innosim_scenario::{Overrides, Source, load};

    /// A run of a moment.
    pub(crate) fn small() -> Scenario {
        let overrides = Overrides { duration: Some("10s".to_owned()), ..Overrides::default() };
        load(Source::Shipped("teaching/redo-too-small"), &overrides).unwrap()
    }

    fn hashes(threads: usize) -> Vec<(u32, u64)> {
        let mut scenario = small();
        scenario.replications = 4;
        let jobs: Vec<Job<'_>> = Job::all(&scenario).collect();
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
        let mut stop_at_3 =
            |s: &SecondSample| if s.second >= 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let ended = run_one(Job { scenario: &scenario, replication: 0 }, false, &mut stop_at_3);
        assert!(matches!(ended, Err(RunError::Stopped { .. })), "{ended:?}");
    }

    #[test]
    fn a_run_that_ends_early_is_the_beginning_of_the_whole_one() {
        let scenario = small();
        let job = Job { scenario: &scenario, replication: 0 };
        let silent = || |_: &SecondSample| ControlFlow::Continue(());
        let whole = run_one(job, false, &mut silent()).unwrap();
        let early = run_until(job, false, &mut silent(), &mut |seconds, _| seconds.len() == 4).unwrap();
        assert_eq!((early.series.len(), &early.series[..]), (4, &whole.series[..4]));
        let never = run_until(job, false, &mut silent(), &mut |_, _| false).unwrap();
        assert_eq!((never.event_hash, never.series), (whole.event_hash, whole.series));
    }

    #[test]
    fn a_watch_is_asked_within_a_second_too() {
        struct Impatient(std::sync::atomic::AtomicU32);
        impl Watch for Impatient {
            fn second(&self, _: &SecondSample) -> ControlFlow<()> {
                ControlFlow::Continue(())
            }
            fn go_on(&self) -> ControlFlow<()> {
                let asked = self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                if asked < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            }
        }
        let scenario = small();
        let job = Job { scenario: &scenario, replication: 0 };
        let ended = run_one(job, false, &mut Watched(&Impatient(0.into())));
        let Err(RunError::Stopped { at }) = ended else { panic!("{ended:?}") };
        assert!(at.0 < 1_000_000_000, "{at}");
    }

    #[test]
    fn a_warmup_that_is_given_is_not_detected() {
        let mut scenario = small();
        scenario.warmup = Warmup::Fixed(SimDuration::from_secs(4));
        let mut silent = |_: &SecondSample| ControlFlow::Continue(());
        let output = run_one(Job { scenario: &scenario, replication: 0 }, false, &mut silent).unwrap();
        assert_eq!(warmup_of(&scenario, &output), WarmupEstimate { seconds: 4, converged: true });
        scenario.warmup = Warmup::Auto;
        assert_eq!(warmup_of(&scenario, &output), detect_warmup(&output.series));
    }
}
