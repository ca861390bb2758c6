//! From what state a window begins, and what it tells.

use crate::cohorts::Cohorts;
use innosim_core::run_spec::{DirtyStart, RunSpec};
use innosim_core::seam::{ServerModel, WorkBefore};
use innosim_core::server::{DirtyCohorts, Stepping};
use innosim_core::workload::PageClass;

/// Seconds that are "of late": from them a server knows what went on before.
pub(crate) const LATE_S: usize = 10;

/// How the cleaner flushes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// As much as its rule asks for, once a second.
    Adaptive,
    /// As fast as it can, up to an LSN.
    Sync,
}

/// What a second of a window tells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Point {
    /// Pages flushed.
    pub(crate) flushed: f64,
    /// Transactions.
    pub(crate) tps: f64,
    /// Whether that is all that a busy cleaner can flush.
    pub(crate) busy: bool,
    /// Whether user threads had to stop.
    pub(crate) stopped: bool,
    /// Logarithm of the pages that become dirty a transaction.
    pub(crate) ln_newly: f64,
    /// Logarithm of the density of the oldest stretch, pages a transaction.
    pub(crate) ln_density: f64,
    /// Most pages a second that were asked for where this was measured.
    pub(crate) up_to: f64,
}

/// The state of a flow from which a window begins.
pub(crate) struct State<'a> {
    pub(crate) cohorts: &'a Cohorts,
    /// Transactions so far.
    pub(crate) transactions: f64,
    pub(crate) checkpoint_lsn: f64,
    /// What went on of late.
    pub(crate) before: WorkBefore,
}

impl State<'_> {
    /// The same for the machine, which draws single pages of `classes` from it.
    pub(crate) fn to_middle(&self, classes: &[PageClass]) -> Middle {
        let checkpoint_age_bytes = (self.cohorts.lsn() - self.checkpoint_lsn) as u64;
        Middle {
            dirty: self.cohorts.to_dirty(self.transactions),
            start: DirtyStart { share: 0.0, checkpoint_age_bytes, before: self.before },
            classes: classes.to_vec(),
        }
    }
}

/// A state of a flow from which a server goes on page by page.
#[derive(Debug, Clone)]
pub struct Middle {
    dirty: DirtyCohorts,
    start: DirtyStart,
    classes: Vec<PageClass>,
}

impl Middle {
    /// The server that goes on from here as `spec` says.
    pub fn go_on(&self, model: Box<dyn ServerModel>, spec: &RunSpec) -> Stepping {
        let spec = RunSpec { dirty_start: Some(self.start), ..spec.clone() };
        Stepping::in_the_middle(model, &spec, &self.classes, &self.dirty)
    }
}
