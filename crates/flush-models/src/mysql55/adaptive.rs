//! Adaptive flushing of a pass of the master thread: the method in force and what it remembers (`innodb-5.5` section
//! 3.3; `percona` sections 1, 2.1 and 2.2).

use super::flush_rate::FlushStat;
use super::options::{Method, Options};
use crate::legacy::redo_geometry::LogAges;
use crate::percona55::methods::{FlushUpTo, ListLevel, ListTurnover, Reflex, estimate, keep_average, reflex};
use innosim_core::seam::View;

/// A flush list at the last round of `keep_average`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Remembered {
    /// LSN at that time: pages on the newer side were modified later.
    lsn: u64,
    /// Pages in the list.
    count: u64,
}

/// The method and its memory.
#[derive(Debug)]
pub(crate) struct Adaptive {
    pub(crate) method: Method,
    ages: LogAges,
    io_capacity: u64,
    doublewrite: bool,
    pub(crate) stat: FlushStat,
    /// LSN at the previous pass.
    lsn_old: u64,
    /// Of `keep_average`, by instance; empty before its first round.
    lists: Vec<Remembered>,
    /// Pages that the last round of `keep_average` flushed.
    flushed_prev: u64,
}

impl Adaptive {
    pub(crate) fn new(options: &Options) -> Self {
        Adaptive {
            method: options.method,
            ages: options.ages,
            io_capacity: options.io_capacity,
            doublewrite: options.doublewrite,
            stat: FlushStat::default(),
            lsn_old: 0,
            lists: Vec::new(),
            flushed_prev: 0,
        }
    }

    /// A pass flushes for another reason than the method's, or not at all: the methods forget.
    pub(crate) fn passed_over(&mut self, view: &View<'_>) {
        self.lists.clear();
        self.lsn_old = view.current_lsn;
    }

    /// Pages that a flush of `keep_average` posted.
    pub(crate) fn flushed(&mut self, pages: u64) {
        self.flushed_prev = pages;
    }

    /// What this pass flushes; [`u64::MAX`] as limit for none.
    pub(crate) fn wanted(&mut self, view: &View<'_>) -> FlushUpTo {
        let max_age = self.ages.max_checkpoint_age;
        let lsn_old = std::mem::replace(&mut self.lsn_old, view.current_lsn);
        let lsn_old = if lsn_old == 0 { view.current_lsn } else { lsn_old };
        let unlimited = |pages| FlushUpTo { pages, lsn_limit: u64::MAX };
        match self.method {
            Method::Off => FlushUpTo::default(),
            Method::Native => unlimited(self.native_rate(view)),
            Method::Estimate => {
                let levels = (0..view.lists.instances()).map(|instance| ListLevel {
                    n_pages: view.lists.listed(instance),
                    sum_oldest_modification: view.lists.sum_of_oldest(instance),
                });
                let (lsn, oldest) = (view.current_lsn, view.oldest_modification_lsn);
                estimate(lsn, lsn_old, oldest, max_age, self.doublewrite, levels)
            }
            Method::KeepAverage => self.keep_average(view, lsn_old),
            Method::Reflex => match reflex(modified_age(view), max_age, self.io_capacity) {
                Reflex::Flush { pages } => unlimited(pages),
                Reflex::Nothing | Reflex::SyncElsewhere => FlushUpTo::default(),
            },
        }
    }

    fn native_rate(&self, view: &View<'_>) -> u64 {
        let capacity = self.ages.log_group_capacity;
        self.stat.desired(view.current_lsn, view.lru_pages_flushed, view.dirty_pages, capacity).rate
    }

    fn keep_average(&mut self, view: &View<'_>, lsn_old: u64) -> FlushUpTo {
        let instances = view.lists.instances();
        // Pages stay in a server's list until they are written.
        let length = |instance| view.lists.pages_up_to(instance, u64::MAX, u64::MAX);
        let now = |instance| Remembered { lsn: view.current_lsn, count: length(instance) };
        let before = std::mem::replace(&mut self.lists, (0..instances).map(now).collect());
        if before.is_empty() {
            self.flushed_prev = 0;
            return FlushUpTo::default();
        }
        let turnover = before.iter().zip(0..).map(|(list, instance)| {
            let blocks = length(instance);
            let older = view.lists.pages_up_to(instance, list.lsn, u64::MAX);
            ListTurnover { new_blocks: blocks - older, prev_count: list.count, blocks }
        });
        let async_age = self.ages.max_modified_age_async;
        let found = keep_average(view.current_lsn, lsn_old, async_age, self.flushed_prev, turnover);
        self.flushed_prev = 0;
        FlushUpTo { pages: found.n_flush, lsn_limit: view.oldest_modification_lsn + (view.current_lsn - lsn_old) }
    }
}

/// Age of the oldest page, bytes.
fn modified_age(view: &View<'_>) -> u64 {
    view.current_lsn.saturating_sub(view.oldest_or_current_lsn())
}
