//! From what state a window begins, and what it tells.

use crate::cohorts::Cohorts;
use innosim_core::seam::WorkBefore;

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
