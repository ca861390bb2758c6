//! Adaptive flushing of 5.7: pages of one timed pass, by instance (`page_cleaner_flush_pages_recommendation`;
//! `innodb-5.7` section 3.5).
//!
//! The mean of three wishes: the percentages, the recent average, and a third of the pages that three seconds of redo
//! make due. With an age that asks for more than 30 % the slots follow the pages due by instance; below, they are
//! equal.

use super::request::SYNC_REACH;
use crate::legacy::adaptive::AdaptiveConfig;
use crate::legacy::io::pct_io;
use innosim_core::seam::FlushLists;

/// Slots follow the pages due by instance when `pct_for_lsn` is above this.
const PCT_FOR_UNEVEN_SLOTS: u64 = 30;

/// `af_get_pct_for_dirty`: percent of `io_capacity` that `dirty_pct` percent of dirty pages call for.
pub fn af_get_pct_for_dirty(dirty_pct: f64, max_dirty_pages_pct: f64, max_dirty_pages_pct_lwm: f64) -> u64 {
    if dirty_pct == 0.0 {
        0
    } else if max_dirty_pages_pct_lwm == 0.0 {
        if dirty_pct >= max_dirty_pages_pct { 100 } else { 0 }
    } else if dirty_pct >= max_dirty_pages_pct_lwm {
        (dirty_pct * 100.0 / (max_dirty_pages_pct + 1.0)) as u64
    } else {
        0
    }
}

/// What a pass sees.
#[derive(Clone, Copy)]
pub struct Seen<'a> {
    /// End of the redo.
    pub cur_lsn: u64,
    /// Oldest modification; 0 if nothing is dirty.
    pub oldest_lsn: u64,
    /// Whole seconds of a steady clock.
    pub time_s: u64,
    /// Dirty pages, percent.
    pub dirty_pct: f64,
    /// Pages that the timed pass before took from the flush lists.
    pub last_pages: u64,
    /// The flush lists.
    pub lists: &'a dyn FlushLists,
}

impl std::fmt::Debug for Seen<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seen").field("cur_lsn", &self.cur_lsn).field("time_s", &self.time_s).finish_non_exhaustive()
    }
}

/// A recommendation, and how it came about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recommended {
    /// `buffer_flush_n_to_flush_requested`.
    pub n_pages: u64,
    /// The same by instance.
    pub slots: Vec<u64>,
    /// Age of the oldest page; the whole LSN if nothing is dirty.
    pub age: u64,
    /// `buffer_flush_pct_for_dirty`.
    pub pct_for_dirty: u64,
    /// `buffer_flush_pct_for_lsn`.
    pub pct_for_lsn: u64,
    /// Pages up to this LSN are due.
    pub target_lsn: u64,
    /// `buffer_flush_n_to_flush_by_age`: a third of the pages due, at least 1.
    pub n_by_age: u64,
    /// The same as it enters the mean.
    pub n_by_age_capped: u64,
    /// Pages by age and instance.
    pub slots_by_age: Vec<u64>,
}

/// What the passes remember from each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RecommendationState {
    /// LSN at the last averaging point.
    pub prev_lsn: u64,
    /// Time of it, whole seconds.
    pub prev_time_s: u64,
    /// Pages since then.
    pub sum_pages: u64,
    /// `buffer_flush_avg_page_rate`, pages a second.
    pub avg_page_rate: u64,
    /// Passes since then.
    pub n_iterations: u64,
    /// `buffer_flush_lsn_avg_rate`, bytes a second.
    pub lsn_avg_rate: u64,
}

impl RecommendationState {
    /// What a timed pass flushes; `None` on the first and while no redo is written (`last_pages` is lost then).
    pub fn recommend(&mut self, config: &AdaptiveConfig, seen: Seen<'_>) -> Option<Recommended> {
        if self.prev_lsn == 0 {
            (self.prev_lsn, self.prev_time_s) = (seen.cur_lsn, seen.time_s);
            return None;
        }
        if self.prev_lsn == seen.cur_lsn {
            return None;
        }
        self.average(config.flushing_avg_loops, &seen);
        let age = seen.cur_lsn.saturating_sub(seen.oldest_lsn);
        let pct_for_dirty =
            af_get_pct_for_dirty(seen.dirty_pct, config.max_dirty_pages_pct, config.max_dirty_pages_pct_lwm);
        let pct_for_lsn = config.pct_for_lsn(age);
        let target_lsn = seen.oldest_lsn + SYNC_REACH * self.lsn_avg_rate;
        let instances = u64::from(seen.lists.instances());
        let due = |i: u64| seen.lists.pages_up_to(i as u32, target_lsn, u64::MAX);
        let due: Vec<u64> = (0..instances).map(due).collect();
        let n_by_age = (due.iter().sum::<u64>() / SYNC_REACH).max(1);
        let n_by_age_capped = n_by_age.min(config.io_capacity_max.saturating_mul(2));
        let wanted = pct_io(config.io_capacity, pct_for_dirty.max(pct_for_lsn));
        let n_pages = if config.percentages_alone_past_async && age >= config.max_modified_age_async {
            wanted
        } else {
            wanted.saturating_add(self.avg_page_rate).saturating_add(n_by_age_capped) / 3
        };
        let n_pages = n_pages.min(config.io_capacity_max);
        let slots_by_age: Vec<u64> = due.iter().map(|k| k / SYNC_REACH + 1).collect();
        let slot = |&by_age: &u64| {
            if pct_for_lsn > PCT_FOR_UNEVEN_SLOTS {
                by_age.saturating_mul(n_pages) / n_by_age + 1
            } else {
                n_pages / instances
            }
        };
        let slots = slots_by_age.iter().map(slot).collect();
        Some(Recommended {
            n_pages,
            slots,
            age,
            pct_for_dirty,
            pct_for_lsn,
            target_lsn,
            n_by_age,
            n_by_age_capped,
            slots_by_age,
        })
    }

    /// Counts a pass; every `loops` passes or seconds both averages go half of the way to what was seen meanwhile.
    fn average(&mut self, loops: u64, seen: &Seen<'_>) {
        self.sum_pages += seen.last_pages;
        self.n_iterations += 1;
        let elapsed = seen.time_s.saturating_sub(self.prev_time_s);
        if self.n_iterations < loops && elapsed < loops {
            return;
        }
        let seconds = elapsed.max(1) as f64;
        self.avg_page_rate = ((self.sum_pages as f64 / seconds + self.avg_page_rate as f64) / 2.0) as u64;
        let lsn_rate = (seen.cur_lsn.saturating_sub(self.prev_lsn) as f64 / seconds) as u64;
        self.lsn_avg_rate = self.lsn_avg_rate.midpoint(lsn_rate);
        (self.prev_lsn, self.prev_time_s) = (seen.cur_lsn, seen.time_s);
        (self.n_iterations, self.sum_pages) = (0, 0);
    }
}
