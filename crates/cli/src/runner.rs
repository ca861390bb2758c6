//! Runs a scenario's replications under a line of progress, and says what went wrong with one.

use crate::args::Common;
use crate::exit::Failure;
use crate::interrupt;
use crate::progress::Progress;
use innosim_core::kernel::time::SimDuration;
use innosim_core::metrics::RunOutput;
use innosim_core::server::RunError;
use innosim_experiments::runner::{Job, run_many};
use innosim_scenario::Scenario;

/// Refuses a run too short to leave a row of its series.
pub(crate) fn refuse_too_short(scenario: &Scenario) -> Result<(), Failure> {
    if scenario.run.duration >= SimDuration::from_secs(1) {
        return Ok(());
    }
    let help = "give a `duration` of 1s or more";
    Err(Failure::Input(format!("{}: a run is at least a second long\n  = help: {help}", scenario.name)))
}

/// Makes all `jobs` on the threads of the pool around it; results are in order.
pub(crate) fn run_all(jobs: &[Job<'_>], check: bool, progress: &Progress) -> Result<Vec<RunOutput>, Failure> {
    let ended = run_many(jobs, check, progress, |job, output| output.map_err(|error| failure(job, &error)));
    ended.into_iter().collect()
}

/// Makes all the runs, in parallel, with a bar that shows how far they are.
///
/// # Errors
/// The first run that failed.
pub(crate) fn run_with_bar(
    title: &str,
    jobs: &[Job<'_>],
    check: bool,
    common: &Common,
) -> Result<Vec<RunOutput>, Failure> {
    let progress = Progress::new(title, jobs.iter().map(Job::seconds).sum(), common.quiet);
    let outputs = pool(common.jobs)?.install(|| run_all(jobs, check, &progress));
    progress.finish();
    outputs
}

/// A pool of `jobs` threads, one a core if not said.
pub(crate) fn pool(jobs: Option<usize>) -> Result<rayon::ThreadPool, Failure> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(jobs.unwrap_or(0))
        .build()
        .map_err(|error| Failure::Input(format!("can't start {} threads: {error}", jobs.unwrap_or_default())))
}

/// Why a run did not come to its end, for people.
pub(crate) fn failure(job: Job<'_>, error: &RunError) -> Failure {
    match error {
        RunError::Stopped { .. } if interrupt::asked() => Failure::Interrupted,
        RunError::Stopped { .. } => Failure::NoReader,
        RunError::Rule { .. } => Failure::Input(format!(
            "{}, seed {}, replication {}: {error}",
            job.scenario.name, job.scenario.run.seed, job.replication
        )),
        RunError::Invariant { .. } => Failure::Check(format!(
            "{}, seed {}, replication {}: {error}\n  = help: this is a defect of the simulator or of a policy, not of \
             the scenario; the same command shows it again",
            job.scenario.name, job.scenario.run.seed, job.replication
        )),
    }
}
