//! What a version sees of flush lists that are cohorts: instances that are alike.

use crate::cohorts::Cohorts;
use innosim_core::seam::FlushLists;
use std::cell::Cell;

/// Flush lists of so many instances.
pub(crate) struct Lists<'a> {
    pub(crate) cohorts: &'a Cohorts,
    pub(crate) instances: u32,
    /// The last LSN that was asked for, and the pages of an instance up to there: all instances are asked, one after the other.
    pub(crate) known: Cell<(u64, u64)>,
}

impl FlushLists for Lists<'_> {
    fn instances(&self) -> u32 {
        self.instances
    }

    fn listed(&self, _instance: u32) -> u64 {
        (self.cohorts.total() / f64::from(self.instances)) as u64
    }

    fn oldest(&self, _instance: u32) -> Option<u64> {
        (self.cohorts.total() >= 1.0).then(|| self.cohorts.oldest() as u64)
    }

    fn pages_up_to(&self, _instance: u32, lsn: u64, cap: u64) -> u64 {
        if lsn as f64 >= self.cohorts.lsn() {
            return self.listed(0).min(cap);
        }
        if self.known.get().0 != lsn {
            self.known.set((lsn, (self.cohorts.pages_up_to(lsn as f64) / f64::from(self.instances)) as u64));
        }
        self.known.get().1.min(cap)
    }
}
