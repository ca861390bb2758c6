//! Adaptive flushing of 5.7: pages of one timed pass, by instance (`page_cleaner_flush_pages_recommendation`;
//! `innodb-5.7` section 3.5).
//!
//! The mean of three wishes: the percentages, the recent average, and a third of the pages that three seconds of redo
//! make due. With an age that asks for more than 30 % the slots follow the pages due by instance; below, they are
//! equal.

use super::request::SYNC_REACH;
use crate::averages::{AverageClock, Averages};
use crate::legacy::adaptive::AdaptiveConfig;
use crate::legacy::io::{ListLengths, af_get_pct_for_dirty, pct_io};
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::seam::{AdaptiveFlushing, FlushGauges, FlushLists, Recommendation, RuleInput, View, WorkBefore};

/// Slots follow the pages due by instance when `pct_for_lsn` is above this.
const PCT_FOR_UNEVEN_SLOTS: u64 = 30;

/// What a pass sees.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// End of the redo.
    pub cur_lsn: u64,
    /// Oldest modification; 0 if nothing is dirty.
    pub oldest_lsn: u64,
    /// A steady clock, of which whole seconds count.
    pub now: SimTime,
    /// Dirty pages, percent.
    pub dirty_pct: f64,
    /// Pages that the timed pass before took from the flush lists.
    pub last_pages: u64,
    /// The flush lists.
    pub lists: &'a dyn FlushLists,
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

/// The rule, with what its passes remember from each other.
#[derive(Debug, Clone)]
pub struct AdaptiveRule {
    config: AdaptiveConfig,
    /// The averages.
    pub averages: Averages,
    last: Option<Recommended>,
}

impl AdaptiveRule {
    /// The rule of these settings, before its first pass.
    pub fn new(config: AdaptiveConfig) -> Self {
        AdaptiveRule { config, averages: Averages::default(), last: None }
    }

    /// What a timed pass flushes; `None` on the first and while no redo is written (`last_pages` is lost then).
    pub fn pass(&mut self, seen: Seen<'_>) -> Option<&Recommended> {
        if self.averages.begins(seen.cur_lsn, seen.now) || self.averages.prev_lsn == seen.cur_lsn {
            return None;
        }
        let loops = self.config.flushing_avg_loops;
        self.averages.set_average(AverageClock::WholeSeconds, seen.last_pages, seen.cur_lsn, seen.now, loops);
        self.last = Some(self.recommended(seen));
        self.last.as_ref()
    }

    fn recommended(&self, seen: Seen<'_>) -> Recommended {
        let config = &self.config;
        let age = seen.cur_lsn.saturating_sub(seen.oldest_lsn);
        let pct_for_dirty =
            af_get_pct_for_dirty(seen.dirty_pct, config.max_dirty_pages_pct, config.max_dirty_pages_pct_lwm);
        let pct_for_lsn = config.pct_for_lsn(age);
        let target_lsn = seen.oldest_lsn + SYNC_REACH * self.averages.lsn_avg_rate;
        let instances = u64::from(seen.lists.instances());
        let due = |i: u64| seen.lists.pages_up_to(i as u32, target_lsn, u64::MAX);
        let due: Vec<u64> = (0..instances).map(due).collect();
        let n_by_age = (due.iter().sum::<u64>() / SYNC_REACH).max(1);
        let n_by_age_capped = n_by_age.min(config.io_capacity_max.saturating_mul(2));
        let wanted = pct_io(config.io_capacity, pct_for_dirty.max(pct_for_lsn));
        let n_pages = if config.percentages_alone_past_async && age >= config.max_modified_age_async {
            wanted
        } else {
            wanted.saturating_add(self.averages.avg_page_rate).saturating_add(n_by_age_capped) / 3
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
        Recommended {
            n_pages,
            slots,
            age,
            pct_for_dirty,
            pct_for_lsn,
            target_lsn,
            n_by_age,
            n_by_age_capped,
            slots_by_age,
        }
    }
}

impl AdaptiveFlushing for AdaptiveRule {
    fn recommend(&mut self, view: &View<'_>, input: RuleInput) -> Recommendation {
        let worked_before = self.averages.lsn_avg_rate != 0;
        if view.up_before != SimDuration::ZERO && !worked_before {
            // Idle passes before the load remembered where the redo log stood.
            self.averages.begins(view.last_checkpoint_lsn, SimTime::ZERO);
        }
        let lists = ListLengths { lru: view.lru_pages, free: view.free_pages, flush_list: view.dirty_pages };
        let seen = Seen {
            cur_lsn: view.current_lsn,
            oldest_lsn: view.oldest_modification_lsn,
            now: view.server_now(),
            dirty_pct: lists.modified_ratio_pct_real(),
            last_pages: input.last_pages,
            lists: view.lists,
        };
        let recommended = self.pass(seen);
        recommended
            .map_or_else(Recommendation::default, |r| Recommendation { n_pages: r.n_pages, slots: r.slots.clone() })
    }

    fn starts_after(&mut self, before: WorkBefore) {
        self.averages.starts_after(before);
    }

    fn gauges(&self) -> FlushGauges {
        let last = self.last.as_ref();
        FlushGauges {
            n_to_flush_requested: last.map_or(0, |r| r.n_pages),
            n_to_flush_by_age: last.map_or(0, |r| r.n_by_age),
            avg_page_rate: self.averages.avg_page_rate,
            lsn_avg_rate: self.averages.lsn_avg_rate,
            pct_for_dirty: last.map_or(0, |r| r.pct_for_dirty),
            pct_for_lsn: last.map_or(0, |r| r.pct_for_lsn),
        }
    }
}
