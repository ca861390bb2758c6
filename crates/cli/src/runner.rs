//! Runs a scenario's replications, on several cores, with the same results for any number of them.

use crate::exit::Failure;
use crate::interrupt;
use innosim_core::kernel::time::SimDuration;
use innosim_core::metrics::RunOutput;
use innosim_core::run_spec::RunSpec;
use innosim_core::server::{Observer, RunError, Server};
use innosim_scenario::Scenario;
use rayon::prelude::*;

/// Refuses a run too short to leave a row of its series.
pub(crate) fn refuse_too_short(scenario: &Scenario) -> Result<(), Failure> {
    if scenario.run.duration >= SimDuration::from_secs(1) {
        return Ok(());
    }
    let help = "give a `duration` of 1s or more";
    Err(Failure::Input(format!("{}: a run is at least a second long\n  = help: {help}", scenario.name)))
}

/// Runs one replication of `scenario`.
pub(crate) fn run_one(
    scenario: &Scenario,
    replication: u32,
    check: bool,
    observer: &mut dyn Observer,
) -> Result<RunOutput, Failure> {
    let spec = RunSpec { replication, check, ..scenario.run.clone() };
    Server::new(scenario.build_model(), &spec).run(observer).map_err(|error| failure(scenario, &spec, &error))
}

/// Runs all replications of `scenario` on the threads of the pool around it; results are in order.
pub(crate) fn run_all<O: Observer + Clone + Send + Sync>(
    scenario: &Scenario,
    check: bool,
    observer: &O,
) -> Result<Vec<RunOutput>, Failure> {
    let replications = 0..scenario.replications;
    let runs: Vec<Result<RunOutput, Failure>> = replications
        .into_par_iter()
        .map(|replication| run_one(scenario, replication, check, &mut observer.clone()))
        .collect();
    runs.into_iter().collect()
}

/// A pool of `jobs` threads, one a core if not said.
pub(crate) fn pool(jobs: Option<usize>) -> Result<rayon::ThreadPool, Failure> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(jobs.unwrap_or(0))
        .build()
        .map_err(|error| Failure::Input(format!("can't start {} threads: {error}", jobs.unwrap_or_default())))
}

fn failure(scenario: &Scenario, spec: &RunSpec, error: &RunError) -> Failure {
    match error {
        RunError::Stopped { .. } if interrupt::asked() => Failure::Interrupted,
        RunError::Stopped { .. } => Failure::NoReader,
        RunError::Invariant { .. } => Failure::Check(format!(
            "{}, seed {}, replication {}: {error}\n  = help: this is a defect of the simulator or of a policy, not of \
             the scenario; the same command shows it again",
            scenario.name, spec.seed, spec.replication
        )),
    }
}
