//! Adaptive flushing of 5.6: pages and LSN limit of one call of `page_cleaner_flush_pages_if_needed` (`innodb-5.6`
//! section 3.4).
//!
//! Half of what the percentages ask for plus half of the recent average, up to an LSN limit of one second of redo
//! beyond the oldest page, more if the call before fell short. The averages move only every `innodb_flushing_avg_loops`
//! calls; until they first do, the LSN limit is the oldest LSN itself and nothing is flushed.

use crate::legacy::adaptive::AdaptiveConfig;
use crate::legacy::io::pct_io;
use innosim_core::seam::FlushGauges;

/// `af_get_pct_for_dirty`: percent of `io_capacity` that `dirty_pct` whole percent of dirty pages call for.
pub fn af_get_pct_for_dirty(dirty_pct: u64, max_dirty_pages_pct: u64, max_dirty_pages_pct_lwm: u64) -> u64 {
    if dirty_pct > 0 && max_dirty_pages_pct == 0 {
        100
    } else if max_dirty_pages_pct_lwm == 0 {
        if dirty_pct > max_dirty_pages_pct { 100 } else { 0 }
    } else if dirty_pct > max_dirty_pages_pct_lwm {
        dirty_pct * 100 / (max_dirty_pages_pct + 1)
    } else {
        0
    }
}

/// What a call sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// End of the redo.
    pub cur_lsn: u64,
    /// Oldest modification; 0 if nothing is dirty.
    pub oldest_lsn: u64,
    /// Dirty pages, whole percent.
    pub dirty_pct: u64,
}

/// What a call asks `buf_flush_list` for, and how it came to that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// `buffer_flush_n_to_flush_requested`: pages, before they are divided by the instances.
    pub n_pages: u64,
    /// Only pages older than this.
    pub lsn_limit: u64,
    /// Age of the oldest page; the whole LSN if nothing is dirty.
    pub age: u64,
    /// `buffer_flush_pct_for_dirty`.
    pub pct_for_dirty: u64,
    /// `buffer_flush_pct_for_lsn`.
    pub pct_for_lsn: u64,
    /// How many seconds of redo the limit goes beyond the first.
    pub age_factor: u64,
}

/// What the calls remember from each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AdaptiveState {
    /// `buffer_flush_lsn_avg_rate`, bytes a call.
    pub lsn_avg_rate: u64,
    /// LSN at the last averaging point.
    pub prev_lsn: u64,
    /// LSN at the last call that flushed.
    pub last_lsn: u64,
    /// Pages since the last averaging point.
    pub sum_pages: u64,
    /// Pages that the last call wrote, plus 1; 0 before the first.
    pub last_pages: u64,
    /// Pages that the last call asked for.
    pub prev_pages: u64,
    /// `buffer_flush_avg_page_rate`, pages a call.
    pub avg_page_rate: u64,
    /// Calls since the last averaging point.
    pub n_iterations: u64,
}

impl AdaptiveState {
    /// What to flush now; `None` on the first call and while no redo is written. Whoever flushes then reports to
    /// [`AdaptiveState::flushed`].
    pub fn request(&mut self, config: &AdaptiveConfig, seen: Seen) -> Option<Request> {
        let cur = seen.cur_lsn;
        if self.prev_lsn == 0 || self.prev_lsn == cur {
            self.prev_lsn = cur;
            return None;
        }
        self.average(cur, config.flushing_avg_loops);
        let age = cur.saturating_sub(seen.oldest_lsn);
        let whole = |percent: f64| percent as u64;
        let pct_for_dirty = af_get_pct_for_dirty(
            seen.dirty_pct,
            whole(config.max_dirty_pages_pct),
            whole(config.max_dirty_pages_pct_lwm),
        );
        let pct_for_lsn = config.pct_for_lsn(age);
        let wanted = pct_io(config.io_capacity, pct_for_dirty.max(pct_for_lsn));
        let n_pages = (wanted.saturating_add(self.avg_page_rate) / 2).min(config.io_capacity_max);
        let progressed = cur.saturating_sub(self.last_lsn) > self.lsn_avg_rate / 2;
        let age_factor = if self.last_pages > 0 && progressed { self.prev_pages / self.last_pages } else { 0 };
        self.prev_pages = n_pages;
        self.last_lsn = cur;
        let lsn_limit = seen.oldest_lsn.saturating_add(self.lsn_avg_rate.saturating_mul(age_factor + 1));
        Some(Request { n_pages, lsn_limit, age, pct_for_dirty, pct_for_lsn, age_factor })
    }

    /// The gauges after `last`, the last request that there was.
    pub(super) fn gauges(&self, last: Option<&Request>) -> FlushGauges {
        FlushGauges {
            n_to_flush_requested: last.map_or(0, |r| r.n_pages),
            n_to_flush_by_age: 0,
            avg_page_rate: self.avg_page_rate,
            lsn_avg_rate: self.lsn_avg_rate,
            pct_for_dirty: last.map_or(0, |r| r.pct_for_dirty),
            pct_for_lsn: last.map_or(0, |r| r.pct_for_lsn),
        }
    }

    /// The pages that the flush asked for by [`AdaptiveState::request`] wrote.
    pub fn flushed(&mut self, pages: u64) {
        self.last_pages = pages + 1;
        self.sum_pages += pages;
    }

    /// Counts a call; at every `loops`th, both averages go half of the way to what was seen since the one before.
    fn average(&mut self, cur: u64, loops: u64) {
        self.n_iterations += 1;
        if self.n_iterations < loops {
            return;
        }
        self.avg_page_rate = (self.sum_pages / loops).midpoint(self.avg_page_rate);
        let lsn_rate = cur.saturating_sub(self.prev_lsn) / loops;
        self.lsn_avg_rate = self.lsn_avg_rate.midpoint(lsn_rate);
        self.prev_lsn = cur;
        self.n_iterations = 0;
        self.sum_pages = 0;
    }
}
