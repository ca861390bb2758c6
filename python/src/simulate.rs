//! Makes runs: without Python's lock, and so that Ctrl-C ends them.
//!
//! Runs without a Python rule are spread over the cores, while the caller's thread looks after signals. Runs with one are made
//! one after the other on the caller's thread: only there does Ctrl-C reach a rule that never comes back, and a function that
//! remembers something meets the same runs in the same order each time.

use crate::case::Case;
use crate::error::{of_run, refused};
use crate::rule::ends_the_program;
use innosim_core::metrics::{RunOutput, SecondSample};
use innosim_core::server::{Observer, RunError};
use innosim_experiments::runner::{Job, Watch, Watched, run_many, run_one};
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Time between two looks at Python's signals.
pub(crate) const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// What came of each replication of each case, in order.
pub(crate) type Ended = Vec<Vec<PyResult<RunOutput>>>;

/// All replications of all `cases`; `jobs` at a time, one a core if not said. An error of one run ends no other.
///
/// # Errors
/// What a signal raised.
pub(crate) fn all(py: Python<'_>, cases: &[Case], check: bool, jobs: Option<usize>) -> PyResult<Ended> {
    if cases.iter().any(|case| case.hosted) {
        return cases.iter().map(|case| one_by_one(py, case, check)).collect();
    }
    let tasks: Vec<Job<'_>> = cases.iter().flat_map(|case| Job::all(&case.scenario)).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs.unwrap_or(0)).build().map_err(refused)?;
    let stop = AtomicBool::new(false);
    let ran = waiting(py, &stop, || pool.install(|| run_many(&tasks, check, &UntilAsked(&stop), |_, ran| ran)))?;
    let mut ran = ran.into_iter();
    let of_case = |case: &Case| {
        let replications = ran.by_ref().take(case.scenario.replications as usize).zip(0..);
        replications
            .map(|(ran, number)| ran.map_err(|error| of_run(py, &case.scenario, number, &error, None)))
            .collect()
    };
    Ok(cases.iter().map(of_case).collect())
}

/// One replication of a case without a Python rule. It starts no pool of threads: the process may be a copy of one that had one.
///
/// # Errors
/// As the run ends, or what a signal raised.
pub(crate) fn one(py: Python<'_>, case: &Case, replication: u32) -> PyResult<RunOutput> {
    let stop = AtomicBool::new(false);
    let job = Job { scenario: &case.scenario, replication };
    let ran = waiting(py, &stop, || vec![run_one(job, false, &mut Watched(&UntilAsked(&stop)))])?.pop();
    let ran = ran.ok_or_else(|| refused("a run ended without a result"))?;
    ran.map_err(|error| of_run(py, &case.scenario, replication, &error, None))
}

/// All replications of a case whose rule is Python.
fn one_by_one(py: Python<'_>, case: &Case, check: bool) -> PyResult<Vec<PyResult<RunOutput>>> {
    Job::all(&case.scenario)
        .map(|job| {
            let mut signals = Signals::default();
            let ran = py.detach(|| run_one(job, check, &mut signals));
            if let Some(signal) = signals.raised {
                return Err(signal);
            }
            let raised = case.raised.take();
            match ran {
                Ok(output) => Ok(Ok(output)),
                Err(error) => {
                    let error = of_run(py, &case.scenario, job.replication, &error, raised);
                    if ends_the_program(py, &error) { Err(error) } else { Ok(Err(error)) }
                }
            }
        })
        .collect()
}

/// Ends what this thread does when a signal raises.
pub(crate) struct Signals {
    looked: Instant,
    pub(crate) raised: Option<PyErr>,
}

impl Default for Signals {
    fn default() -> Self {
        Signals { looked: Instant::now(), raised: None }
    }
}

impl Observer for Signals {
    fn second(&mut self, _: &SecondSample) -> ControlFlow<()> {
        self.go_on()
    }

    fn go_on(&mut self) -> ControlFlow<()> {
        if self.looked.elapsed() >= BETWEEN_LOOKS {
            self.raised = Python::attach(|py| py.check_signals()).err();
            self.looked = Instant::now();
        }
        if self.raised.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Ends runs that nobody waits for any more.
struct UntilAsked<'a>(&'a AtomicBool);

impl Watch for UntilAsked<'_> {
    fn second(&self, _: &SecondSample) -> ControlFlow<()> {
        self.go_on()
    }

    fn go_on(&self) -> ControlFlow<()> {
        if self.0.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Does `work` on a thread of its own, while Python's other threads run and its signals are seen.
fn waiting<T: Send>(
    py: Python<'_>,
    stop: &AtomicBool,
    work: impl FnOnce() -> Vec<Result<T, RunError>> + Send,
) -> PyResult<Vec<Result<T, RunError>>> {
    std::thread::scope(|scope| {
        let (done, wait) = channel();
        scope.spawn(move || {
            // Nobody waits any more if this fails.
            let _ = done.send(work());
        });
        let (mut wait, mut signal) = (wait, Ok(()));
        loop {
            let (back, received) = py.detach(move || {
                let received = wait.recv_timeout(BETWEEN_LOOKS);
                (wait, received)
            });
            wait = back;
            match received {
                Ok(result) => return signal.map(|()| result),
                Err(RecvTimeoutError::Disconnected) => return Err(refused("a run ended without a result")),
                Err(RecvTimeoutError::Timeout) if signal.is_ok() => {
                    signal = py.check_signals();
                    stop.store(signal.is_err(), Ordering::Relaxed);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    })
}
