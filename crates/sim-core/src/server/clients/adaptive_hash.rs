//! The adaptive hash index as a cost: CPU time, and latches that transactions wait for, both as the scenario states
//! them.
//!
//! Simplification: a transaction takes its latch once, for all its look-ups and changes together, of a part drawn by
//! whichever is free first (errs towards less waiting).

use crate::config::AdaptiveHashCost;
use crate::kernel::station::Station;
use crate::kernel::time::{SimDuration, SimTime};

/// The index.
#[derive(Debug, Clone)]
pub(super) struct AdaptiveHash {
    cost: AdaptiveHashCost,
    latches: Station,
}

impl AdaptiveHash {
    pub(in crate::server) fn new(cost: AdaptiveHashCost) -> Self {
        AdaptiveHash { cost, latches: Station::new("adaptive hash index", cost.parts.max(1)) }
    }

    /// CPU demand with the index's own share, and the wait for a latch.
    pub(super) fn charge(&mut self, now: SimTime, demand: SimDuration) -> (SimDuration, SimDuration) {
        let own = (demand.0 as f64 * (1.0 + self.cost.cpu_share).max(0.0)) as u64 + self.cost.latch.0;
        let done = self.latches.submit(now, self.cost.latch);
        (SimDuration(own), SimDuration(done.since(now).0.saturating_sub(self.cost.latch.0)))
    }
}
