//! Those who look on and never change the run: what a crash would leave, and whether the invariants hold. The actors tell them what they
//! write and sync ([`crate::server::machine::crashes`]).

use crate::metrics::RecoverySpeed;
use crate::run_spec::RunSpec;
use crate::server::machine::checker::Checker;
use crate::server::machine::crashes::Crashes;
use crate::server::machine::recovery::TouchedPages;

/// See the module.
pub(in crate::server) struct Observers {
    pub(in crate::server) touched_pages: TouchedPages,
    pub(in crate::server) recovery_speed: RecoverySpeed,
    pub(in crate::server) checker: Option<Checker>,
    pub(in crate::server) crashes: Option<Box<Crashes>>,
}

impl Observers {
    /// Those of a run that begins with so many pages, with redo up to `start_lsn`.
    pub(super) fn new(spec: &RunSpec, pages: u32, start_lsn: u64, checkpoint_lsn: u64) -> Self {
        Observers {
            touched_pages: TouchedPages::of(pages),
            recovery_speed: RecoverySpeed::of(&spec.storage, spec.workload.cores),
            checker: spec.check.then(|| Checker::new(start_lsn, checkpoint_lsn)),
            crashes: None,
        }
    }

    /// The same, but for crashes: they are looked at in runs in one piece only.
    pub(super) fn of_copy(&self) -> Self {
        Observers {
            touched_pages: self.touched_pages.clone(),
            recovery_speed: self.recovery_speed,
            checker: self.checker.clone(),
            crashes: None,
        }
    }
}
