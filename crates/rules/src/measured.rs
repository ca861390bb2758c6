//! What every rule may want to know of the recent past: the averages of redo and of flushing, as the server keeps them.
//!
//! They are the averages of 8.0.30 (`innodb-8.0.30`, section 4.2), whatever machinery the rule runs in: they move every
//! `innodb_flushing_avg_loops` passes or seconds, by half of the way.

use innosim_core::kernel::time::SimTime;
use innosim_core::seam::{FlushGauges, RuleInput, View, WorkBefore};
use innosim_flush_models::averages::{AverageClock, Averages};

/// Averages of redo and flushing, and what passed since the pass before.
#[derive(Debug, Clone)]
pub struct Measured {
    averages: Averages,
    loops: u64,
    last: Option<(SimTime, u64)>,
    /// Seconds since the pass before; 0 at the first.
    pub elapsed_s: f64,
    /// Redo since the pass before, bytes; 0 at the first.
    pub redo_bytes: u64,
}

impl Measured {
    /// Averages over `loops` passes or seconds (`innodb_flushing_avg_loops`).
    pub fn new(loops: u64) -> Measured {
        Measured { averages: Averages::default(), loops, last: None, elapsed_s: 0.0, redo_bytes: 0 }
    }

    /// Takes the averages over from a run that begins in the middle of the work.
    pub fn starts_after(&mut self, before: WorkBefore) {
        (self.averages.lsn_avg_rate, self.averages.avg_page_rate) =
            (before.redo_bytes_per_s, before.pages_flushed_per_s);
    }

    /// Takes a pass into account; call it first in each.
    pub fn pass(&mut self, view: &View<'_>, input: RuleInput) {
        let (lsn, now) = (view.current_lsn, view.now);
        let (then, lsn_then) = self.last.unwrap_or((now, lsn));
        self.elapsed_s = now.since(then).0 as f64 / 1e9;
        self.redo_bytes = lsn.saturating_sub(lsn_then);
        self.last = Some((now, lsn));
        if !self.averages.begins(lsn, now) {
            self.averages.set_average(AverageClock::Exact, input.last_pages, lsn, now, self.loops);
        }
    }

    /// Average redo, bytes a second (`buffer_flush_lsn_avg_rate`).
    pub fn redo_rate(&self) -> u64 {
        self.averages.lsn_avg_rate
    }

    /// Average flushing, pages a second (`buffer_flush_avg_page_rate`).
    pub fn flush_rate(&self) -> u64 {
        self.averages.avg_page_rate
    }

    /// Gauges of a rule that asked for `pages`.
    pub fn gauges(&self, pages: u64) -> FlushGauges {
        FlushGauges {
            n_to_flush_requested: pages,
            avg_page_rate: self.flush_rate(),
            lsn_avg_rate: self.redo_rate(),
            ..FlushGauges::default()
        }
    }
}
