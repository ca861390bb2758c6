//! A server's flushing rule alone, fed with what was recorded of its passes.
//!
//! A [`ReplayRule`] is the stateful rule of a model without machine, workload or device: each pass of the page cleaner
//! gets the inputs that a recording has for it and answers with the gauges that the server publishes. What a recording
//! does not have (the pages of the flush lists by age) the pass is told in the form in which the server publishes it.
//!
//! A rule can be cloned, so that a pass whose inputs are known only within bounds can be tried at several of them.

mod publishing;

pub use publishing::Publishing;

use crate::legacy::io::ListLengths;
use innosim_core::kernel::time::SimTime;
use innosim_core::seam::{FlushGauges, FlushLists};

/// Inputs of one pass of the page cleaner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReplayPass {
    /// When the pass ran, on any axis that goes on.
    pub now: SimTime,
    /// Log sequence number then, bytes.
    pub cur_lsn: u64,
    /// Oldest modification of a dirty page then, LSN; 0 if nothing is dirty.
    pub oldest_lsn: u64,
    /// Dirty pages then.
    pub dirty_pages: u64,
    /// Pages on the LRU lists then.
    pub lru_pages: u64,
    /// Pages on the free lists then.
    pub free_pages: u64,
    /// Pages of the flush lists that the pass found due, as published in `buffer_flush_n_to_flush_by_age`.
    pub n_to_flush_by_age: u64,
    /// Pages flushed since the pass before it.
    pub last_pages: u64,
}

/// The flushing rule of a model, with its memory.
#[derive(Debug)]
pub struct ReplayRule(Box<dyn PassRule>);

/// What each server's rule does in a replay.
pub(crate) trait PassRule: std::fmt::Debug + Send + Sync {
    /// The rule as it is now.
    fn copied(&self) -> Box<dyn PassRule>;

    /// See [`ReplayRule::pass`].
    fn replayed(&mut self, pass: &ReplayPass) -> Option<FlushGauges>;

    /// See [`ReplayRule::counts_whole_seconds`].
    fn counts_whole_seconds(&self) -> bool;

    /// Calls since the last update of the averages.
    fn n_iterations(&mut self) -> &mut u64;

    /// See [`ReplayRule::adopt_gauges`].
    fn adopt_gauges(&mut self, published: FlushGauges) {
        let _ = published;
    }

    /// See [`ReplayRule::adopt_averages`].
    fn adopt_averages(&mut self, avg_page_rate: u64, lsn_avg_rate: u64, cur_lsn: u64, now: SimTime);
}

impl Clone for ReplayRule {
    fn clone(&self) -> Self {
        ReplayRule(self.0.copied())
    }
}

impl ReplayRule {
    /// The rule of a server, before its first pass.
    pub(crate) fn new(rule: impl PassRule + 'static) -> Self {
        ReplayRule(Box::new(rule))
    }

    /// One pass; `None` if the rule asks for nothing and leaves the gauges as they were.
    pub fn pass(&mut self, pass: &ReplayPass) -> Option<FlushGauges> {
        self.0.replayed(pass)
    }

    /// Whether the averages are taken over whole seconds of a clock.
    pub fn counts_whole_seconds(&self) -> bool {
        self.0.counts_whole_seconds()
    }

    /// Counts `calls` more calls (fewer, if negative) since the last update of the averages: calls that left no trace,
    /// or were taken for calls.
    pub fn shift_calls(&mut self, calls: i64) {
        let counted = self.0.n_iterations();
        *counted = counted.saturating_add_signed(calls);
    }

    /// Takes what the server had published before the pass that comes next: a pass that decides nothing leaves it
    /// alone.
    pub fn adopt_gauges(&mut self, published: FlushGauges) {
        self.0.adopt_gauges(published);
    }

    /// Takes the averages from the server and begins to count from this pass, as after an update of the averages.
    pub fn adopt_averages(&mut self, avg_page_rate: u64, lsn_avg_rate: u64, cur_lsn: u64, now: SimTime) {
        self.0.adopt_averages(avg_page_rate, lsn_avg_rate, cur_lsn, now);
    }
}

/// The lengths of the lists at a pass.
pub(crate) fn lengths(pass: &ReplayPass) -> ListLengths {
    ListLengths { lru: pass.lru_pages, free: pass.free_pages, flush_list: pass.dirty_pages }
}

/// Flush lists of which only the published sum is known: one list, with so many pages due that the sum comes out.
pub(crate) struct Published {
    pub(crate) n_to_flush_by_age: u64,
}

impl FlushLists for Published {
    fn instances(&self) -> u32 {
        1
    }

    fn pages_up_to(&self, _instance: u32, _lsn: u64, cap: u64) -> u64 {
        self.n_to_flush_by_age.saturating_mul(SPREAD_OVER_PASSES).min(cap)
    }
}

/// The published sum is a share of the pages that three seconds of redo make due.
const SPREAD_OVER_PASSES: u64 = 3;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{ModelId, Settings, Value, replay_rule};
    use std::collections::BTreeMap;

    fn settings() -> Settings {
        let explicit = BTreeMap::from([
            ("innodb_io_capacity", Value::Integer(2000)),
            ("innodb_io_capacity_max", Value::Integer(4000)),
            ("innodb_redo_log_capacity", Value::Integer(256 << 20)),
        ]);
        Settings::resolve(ModelId::Mysql97, &explicit).expect("sound settings")
    }

    fn pass(second: u64) -> ReplayPass {
        ReplayPass {
            now: SimTime::ZERO + innosim_core::kernel::time::SimDuration::from_secs(second),
            cur_lsn: 3_600_000_000 + second * 2_000_000,
            oldest_lsn: 3_500_000_000,
            dirty_pages: 30_000,
            lru_pages: 143_000,
            free_pages: 119_000,
            n_to_flush_by_age: 900,
            last_pages: 500,
        }
    }

    #[test]
    fn the_published_sum_goes_in_and_comes_out() {
        let mut rule = replay_rule(&settings()).expect("sound settings").expect("a rule");
        assert_eq!(rule.pass(&pass(1)), None, "the first pass only remembers where it was");
        let gauges = rule.pass(&pass(2)).expect("a recommendation");
        assert_eq!((gauges.n_to_flush_by_age, gauges.avg_page_rate), (900, 0));
        let wanted = (2000 * gauges.pct_for_lsn.max(gauges.pct_for_dirty) / 100 + 900) / 3;
        assert_eq!(gauges.n_to_flush_requested, wanted);
    }

    #[test]
    fn adopted_averages_count_at_once_and_move_after_their_loops() {
        let mut rule = replay_rule(&settings()).expect("sound settings").expect("a rule");
        let first = pass(0);
        rule.adopt_averages(300, 1_000_000, first.cur_lsn, first.now);
        let gauges: Vec<FlushGauges> = (1..=30).filter_map(|second| rule.pass(&pass(second))).collect();
        assert_eq!((gauges[0].avg_page_rate, gauges[0].lsn_avg_rate), (300, 1_000_000));
        assert_eq!((gauges[29].avg_page_rate, gauges[29].lsn_avg_rate), (400, 1_500_000));
    }
}
