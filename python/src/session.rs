//! A run that waits for somebody's decision in each pass of the page cleaner.
//!
//! The run is on a thread of its own. Its rule hands each pass over and waits for the pages; whoever holds the session takes the
//! passes one by one. A session that is closed or dropped ends its run.

use crate::case::{Case, Given};
use crate::error::{of_run, refused};
use crate::pass::Pass;
use crate::rule::Raised;
use crate::simulate::BETWEEN_LOOKS;
use innosim_core::metrics::{RunOutput, SecondSample};
use innosim_core::server::{Observer, RunError};
use innosim_experiments::runner::{Job, run_one};
use innosim_rules::{Counted, EmbeddedRule, Fault, FlushDecision, HostedRule, Rule, RuleContext, See};
use innosim_scenario::{Overrides, Scenario};
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// What happened between two passes.
#[derive(Debug, Default, Clone, Copy)]
struct Between {
    seconds: u64,
    transactions: u64,
    pages_flushed: u64,
    redo_bytes: u64,
    free_check_waits: u64,
    latency_ms_max: f64,
}

impl Between {
    fn add(&mut self, sample: &SecondSample) {
        self.seconds += 1;
        self.transactions += sample.transactions;
        self.pages_flushed += sample.pages_flushed;
        self.redo_bytes += sample.redo_generated_bytes;
        self.free_check_waits += sample.free_check_waits;
        self.latency_ms_max = self.latency_ms_max.max(sample.latency_ms_max);
    }
}

/// The ends of the channels that the run has: passes go out, pages come in. The run takes them at its start.
type RunEnds = Arc<Mutex<Option<(Sender<Pass>, Receiver<f64>)>>>;

/// The rule that asks somebody else.
struct Asks {
    ends: RunEnds,
    mine: Option<(Sender<Pass>, Receiver<f64>)>,
}

impl EmbeddedRule for Asks {
    fn counted(&self) -> Counted {
        Counted { due: true, mean_age: false }
    }

    fn look_ahead(&mut self, _: &See) -> Result<Option<Vec<f64>>, Fault> {
        Ok(None)
    }

    fn pass(&mut self, see: &See) -> Result<FlushDecision, Fault> {
        if self.mine.is_none() {
            self.mine = self.ends.lock().unwrap_or_else(PoisonError::into_inner).take();
        }
        let decided = self.mine.as_ref().and_then(|(passes, pages)| {
            passes.send(Pass::of(see, false)).ok()?;
            pages.recv().ok()
        });
        decided.map(FlushDecision::pages).ok_or_else(|| Fault::new("nobody decides any more"))
    }
}

/// Sums up the seconds, and ends a run that was closed.
struct Seconds {
    between: Arc<Mutex<Between>>,
    over: Arc<AtomicBool>,
}

impl Observer for Seconds {
    fn second(&mut self, sample: &SecondSample) -> ControlFlow<()> {
        self.between.lock().unwrap_or_else(PoisonError::into_inner).add(sample);
        self.go_on()
    }

    fn go_on(&mut self) -> ControlFlow<()> {
        if self.over.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The ends of the channels that the holder has.
struct Ends {
    passes: Receiver<Pass>,
    pages: Sender<f64>,
    run: JoinHandle<Result<RunOutput, RunError>>,
}

/// A run that waits for decisions.
#[pyclass(frozen, module = "innosim._innosim")]
pub(crate) struct Session {
    ends: Mutex<Option<Ends>>,
    between: Arc<Mutex<Between>>,
    over: Arc<AtomicBool>,
    scenario: Arc<Scenario>,
    event_hash: Mutex<Option<u64>>,
    #[pyo3(get)]
    io_capacity_max: Option<u64>,
}

#[pymethods]
impl Session {
    /// Starts the run; nothing is decided yet.
    #[new]
    fn new(
        py: Python<'_>,
        scenario: &str,
        model: Option<String>,
        set: Vec<String>,
        duration: Option<String>,
        seed: Option<u64>,
    ) -> PyResult<Self> {
        let overrides = Overrides { model, set, duration, seed, ..Overrides::default() };
        let ((passes_out, passes), (pages, pages_in)) = (channel(), channel());
        let run_ends: RunEnds = Arc::new(Mutex::new(Some((passes_out, pages_in))));
        let start = Box::new(move |_: &RuleContext<'_>| -> Box<dyn EmbeddedRule> {
            Box::new(Asks { ends: run_ends.clone(), mine: None })
        });
        let rule = HostedRule { about: "asks an agent".to_owned(), parameters: Vec::new(), start };
        let hosted = Some(Rule::hosted("agent", rule).map_err(refused)?);
        let given = Given { hosted, ..Given::default() };
        let scenario = Arc::new(Case::load(py, scenario, overrides, &given)?.scenario);
        let (over, between) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Between::default())));
        let io_capacity_max = scenario.settings.integer("innodb_io_capacity_max").ok();
        let mut seconds = Seconds { between: between.clone(), over: over.clone() };
        let of_run = scenario.clone();
        let run = std::thread::Builder::new()
            .name("innosim session".to_owned())
            .spawn(move || run_one(Job { scenario: &of_run, replication: 0 }, false, &mut seconds))
            .map_err(refused)?;
        let ends = Mutex::new(Some(Ends { passes, pages, run }));
        Ok(Session { ends, between, over, scenario, event_hash: Mutex::new(None), io_capacity_max })
    }

    /// The next pass, after the pages of the one before were decided; `None` when the run is over.
    #[pyo3(signature = (pages=None))]
    fn step(&self, py: Python<'_>, pages: Option<f64>) -> PyResult<Option<Pass>> {
        // Taken out while somebody waits: the lock must not be held without Python's.
        let Some(mut open) = self.ends().take() else { return Ok(None) };
        if let Some(pages) = pages {
            // A run that is over is noticed below.
            let _ = open.pages.send(pages);
        }
        loop {
            let (back, received) = py.detach(move || {
                let received = open.passes.recv_timeout(BETWEEN_LOOKS);
                (open, received)
            });
            open = back;
            match received {
                Ok(pass) => {
                    *self.ends() = Some(open);
                    return Ok(Some(pass));
                }
                // A run that never came to a pass still has its ends.
                Err(RecvTimeoutError::Timeout) if open.run.is_finished() => return self.ended(py, open),
                Err(RecvTimeoutError::Timeout) => py.check_signals().inspect_err(|_| self.stop())?,
                Err(RecvTimeoutError::Disconnected) => return self.ended(py, open),
            }
        }
    }

    /// What happened since this was asked last: whole seconds, transactions, pages flushed, redo in bytes, waits of user
    /// threads, and the longest latency in ms.
    fn take_between(&self) -> (u64, u64, u64, u64, u64, f64) {
        let between = std::mem::take(&mut *self.between.lock().unwrap_or_else(PoisonError::into_inner));
        let Between { seconds, transactions, pages_flushed, redo_bytes, free_check_waits, latency_ms_max } = between;
        (seconds, transactions, pages_flushed, redo_bytes, free_check_waits, latency_ms_max)
    }

    /// Hash of the events of a run that came to its end.
    #[getter]
    fn event_hash(&self) -> Option<u64> {
        *self.event_hash.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the run, and waits until it has ended.
    fn close(&self, py: Python<'_>) {
        self.stop();
        let ends = self.ends().take();
        if let Some(Ends { passes, pages, run }) = ends {
            drop((passes, pages));
            // It was asked to stop, which is no failure.
            py.detach(|| drop(run.join()));
        }
    }
}

impl Session {
    fn ends(&self) -> MutexGuard<'_, Option<Ends>> {
        self.ends.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stop(&self) {
        self.over.store(true, Ordering::Relaxed);
    }

    /// How the run ended.
    fn ended(&self, py: Python<'_>, open: Ends) -> PyResult<Option<Pass>> {
        match py.detach(|| open.run.join()) {
            Ok(Ok(output)) => {
                *self.event_hash.lock().unwrap_or_else(PoisonError::into_inner) = Some(output.event_hash);
                Ok(None)
            }
            Ok(Err(error)) => Err(of_run(py, &self.scenario, 0, &error, Raised::default().take())),
            Err(_) => Err(refused("the run ended in a panic; this is a defect of innosim")),
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.stop();
    }
}
