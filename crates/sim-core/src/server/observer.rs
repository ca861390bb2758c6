//! The entry points of those who watch a run, and how one ends early. No source: nothing here is of a server.

use crate::kernel::histogram::Histogram;
use crate::kernel::time::SimTime;
use crate::metrics::SecondSample;
use std::ops::ControlFlow;

/// Watches a run as it goes.
pub trait Observer {
    /// Latencies of the transactions that ended since the last whole ten simulated seconds were over; comes each second,
    /// before [`Observer::second`].
    fn latencies(&mut self, _since_ten: &Histogram) {}

    /// A simulated second is over; `Break` ends the run early.
    fn second(&mut self, sample: &SecondSample) -> ControlFlow<()>;

    /// Asked every few hundred events, since a simulated second may take long; `Break` ends the run there.
    fn go_on(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl<F: FnMut(&SecondSample) -> ControlFlow<()>> Observer for F {
    fn second(&mut self, sample: &SecondSample) -> ControlFlow<()> {
        self(sample)
    }
}

/// Watches nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {
    fn second(&mut self, _: &SecondSample) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Why a run could not be finished.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunError {
    /// An invariant was found broken: a defect of the simulator or of a research policy.
    Invariant {
        /// When.
        at: SimTime,
        /// What does not hold.
        what: String,
    },
    /// The observer ended the run.
    Stopped {
        /// When.
        at: SimTime,
    },
    /// The flushing rule gave up: see [`crate::seam::ServerModel::failure`].
    Rule {
        /// When.
        at: SimTime,
        /// What is wrong, in the rule's own words.
        what: String,
    },
}

impl std::fmt::Display for RunError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RunError::Invariant { at, what } => write!(f, "invariant broken at {at}: {what}"),
            RunError::Stopped { at } => write!(f, "stopped at {at}"),
            RunError::Rule { at, what } => write!(f, "at {at} of the run: {what}"),
        }
    }
}

impl std::error::Error for RunError {}
