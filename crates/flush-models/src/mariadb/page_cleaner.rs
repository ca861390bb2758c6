//! What a pass of the page cleaner does (`mariadb-10.11` sections 4.1 and 5): pure decisions, made after the wait.
//!
//! [`pass_late`] is the generation that the model runs. Targets of 0 stand for none.

use super::adaptive::AdaptiveConfig;

/// LRU lists of this many pages or fewer are left alone.
pub const BUF_LRU_MIN_LEN: u64 = 256;

/// What a pass sees after its wait.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PassState {
    /// `buf_flush_sync_lsn`: the furious target.
    pub sync_lsn: u64,
    /// `buf_flush_async_lsn`: the soft target.
    pub async_lsn: u64,
    /// `innodb_flush_sync`.
    pub flush_sync: bool,
    /// `innodb_adaptive_flushing`.
    pub adaptive_flushing: bool,
    /// Oldest modification on the flush list; 0 if it is empty.
    pub oldest_lsn: u64,
    /// Current LSN.
    pub cur_lsn: u64,
    /// See [`super::adaptive::dirty_pct`].
    pub dirty_pct: f64,
    /// Whether transactions committed since the cleaner last looked.
    pub activity_changed: bool,
    /// Whether the cleaner had found nothing to do.
    pub cleaner_idle: bool,
    /// Page reads in flight.
    pub pending_reads: u64,
    /// See [`need_lru`].
    pub need_lru: bool,
}

impl PassState {
    fn age(&self) -> u64 {
        self.cur_lsn.saturating_sub(self.oldest_lsn)
    }

    /// A target that the oldest page has not passed.
    fn left(&self, target: u64) -> u64 {
        if self.oldest_lsn >= target { 0 } else { target }
    }

    fn idle_flush(&self) -> bool {
        !self.activity_changed && self.cleaner_idle && self.pending_reads == 0
    }
}

/// What a pass does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Branch {
    /// Flush up to the furious target, whatever it takes.
    Furious,
    /// A batch of pages up to an LSN, because a target is not reached.
    Limit {
        /// Pages of the batch, at most.
        n_pages: u64,
        /// Only pages with an oldest modification below this.
        lsn_limit: u64,
    },
    /// A batch of `innodb_io_capacity` pages: the server is idle, or adaptive flushing is off.
    Background {
        /// Pages of the batch.
        n_pages: u64,
    },
    /// Ask for a recommendation.
    Adaptive,
    /// LRU batch alone, after all writes in flight (late).
    LruOnly,
    /// Nothing to do: idle, and a checkpoint.
    Unemployed,
}

/// The late generation, with a flush list that is not empty or an LRU list that needs work. A target that is left makes
/// a list batch even of an empty list, so that the LRU batch after it runs.
pub fn pass_late(c: &AdaptiveConfig, s: &PassState) -> Branch {
    if s.sync_lsn != 0 && s.flush_sync {
        return Branch::Furious;
    }
    let target = s.async_lsn.max(s.left(s.sync_lsn));
    if target == 0 && s.need_lru {
        return Branch::LruOnly;
    }
    let lsn_limit = s.left(target);
    if s.oldest_lsn == 0 && lsn_limit == 0 {
        return Branch::Unemployed;
    }
    let lwm = c.max_dirty_pages_pct_lwm;
    if lwm != 0.0 && s.idle_flush() {
        return Branch::Background { n_pages: c.io_capacity };
    }
    let mark = if lwm == 0.0 { c.max_dirty_pages_pct } else { lwm };
    if s.dirty_pct < mark && lsn_limit == 0 && !c.needed_for_redo(s.age()) {
        return Branch::Unemployed;
    }
    if lsn_limit != 0 {
        Branch::Limit { n_pages: c.io_capacity_max, lsn_limit }
    } else if s.adaptive_flushing {
        Branch::Adaptive
    } else {
        Branch::Background { n_pages: c.io_capacity }
    }
}

/// Whether the cleaner must make free pages (late): somebody waits for one, or few are left.
pub fn need_lru(free_page_wanted: bool, lru_len: u64, free_len: u64, lru_scan_depth: u64) -> bool {
    free_page_wanted || (lru_len > BUF_LRU_MIN_LEN && free_len < lru_scan_depth / 2)
}

/// Pages of the LRU batch that follows a list batch of `n_flushed` pages (late).
pub fn lru_quota(io_capacity_max: u64, n_flushed: u64, lru_scan_depth: u64) -> u64 {
    io_capacity_max.saturating_sub(n_flushed).max(io_capacity_max.min(lru_scan_depth))
}
