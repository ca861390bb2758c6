//! The two averages of adaptive flushing from 5.7 on: pages flushed a second and redo written a second (`set_average`;
//! `innodb-5.7` section 3.5; spec 8.0.21, section 4.3; 8.0.30, section 4.2). MariaDB keeps the same, and moves them its own way.
//!
//! Both move only every `innodb_flushing_avg_loops` passes or seconds, and then by half of the way. The versions differ
//! in the clock that they divide by.

use innosim_core::kernel::time::SimTime;
use innosim_core::seam::WorkBefore;

/// How the time since the last update is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AverageClock {
    /// 5.7, and 8.0 until 8.0.20: difference of two readings of a whole-second clock.
    WholeSeconds,
    /// 8.0.21 to 8.0.29: milliseconds, cut to whole seconds.
    Milliseconds,
    /// 8.0.30 and later: exact.
    Exact,
}

/// State of the averages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Averages {
    /// LSN at the last update; 0 before the first recommendation.
    pub prev_lsn: u64,
    /// Time of the last update.
    pub prev_time: SimTime,
    /// Pages since the last update.
    pub sum_pages: u64,
    /// `buffer_flush_avg_page_rate`, pages a second.
    pub avg_page_rate: u64,
    /// Recommendations since the last update.
    pub n_iterations: u64,
    /// `buffer_flush_lsn_avg_rate`, bytes a second.
    pub lsn_avg_rate: u64,
}

impl Averages {
    /// The first recommendation ever only remembers where it was: `true` if this is it.
    pub fn begins(&mut self, cur_lsn: u64, now: SimTime) -> bool {
        let first = self.prev_lsn == 0;
        if first {
            self.prev_lsn = cur_lsn;
            self.prev_time = now;
        }
        first
    }

    /// Begins with the averages of what was done before.
    pub(crate) fn starts_after(&mut self, before: WorkBefore) {
        (self.lsn_avg_rate, self.avg_page_rate) = (before.redo_bytes_per_s, before.pages_flushed_per_s);
    }

    /// Goes on from averages that somebody else kept.
    pub(crate) fn adopt(&mut self, avg_page_rate: u64, lsn_avg_rate: u64, cur_lsn: u64, now: SimTime) {
        *self =
            Averages { prev_lsn: cur_lsn, prev_time: now, sum_pages: 0, avg_page_rate, n_iterations: 0, lsn_avg_rate };
    }

    /// Takes `last_pages` into account; `true` if the averages moved.
    pub fn set_average(
        &mut self,
        clock: AverageClock,
        last_pages: u64,
        cur_lsn: u64,
        now: SimTime,
        loops: u64,
    ) -> bool {
        self.n_iterations += 1;
        self.sum_pages += last_pages;
        let (seconds, time_is_up) = self.elapsed(clock, now, loops);
        if self.n_iterations < loops && !time_is_up {
            return false;
        }
        self.avg_page_rate = ((self.sum_pages as f64 / seconds + self.avg_page_rate as f64) / 2.0) as u64;
        let lsn_rate = (cur_lsn.saturating_sub(self.prev_lsn) as f64 / seconds) as u64;
        self.lsn_avg_rate = self.lsn_avg_rate.midpoint(lsn_rate);
        self.prev_lsn = cur_lsn;
        self.prev_time = now;
        self.n_iterations = 0;
        self.sum_pages = 0;
        true
    }

    /// Seconds to divide by, and whether they reach `loops`.
    fn elapsed(&self, clock: AverageClock, now: SimTime, loops: u64) -> (f64, bool) {
        let whole = |seconds: u64| (seconds.max(1) as f64, seconds >= loops);
        match clock {
            AverageClock::WholeSeconds => whole(now.whole_seconds().saturating_sub(self.prev_time.whole_seconds())),
            AverageClock::Milliseconds => {
                whole(now.whole_millis().saturating_sub(self.prev_time.whole_millis()) / 1000)
            }
            AverageClock::Exact => {
                let elapsed = now.since(self.prev_time).0.max(1_000_000_000);
                (elapsed as f64 / 1e9, elapsed >= loops.saturating_mul(1_000_000_000))
            }
        }
    }
}
