//! Adaptive flushing: how many pages a pass of the page cleaner flushes (`mariadb-10.11` sections 4.2 and 5.1).
//!
//! The mean of a share of `innodb_io_capacity`, the average of recent flushing, and the pages that three seconds of redo make
//! due. The share grows with the age of the oldest page only while the share of dirty pages is above a low-water mark that is
//! not 0 - with the default mark it is the whole of `innodb_io_capacity`, whatever the age.
//!
//! The page cleaner of the model is of the late generation ([`recommendation_late`]); the early one grew its share in any
//! case.

use crate::averages::Averages;
use innosim_core::kernel::time::SimTime;
use innosim_core::seam::{AdaptiveFlushing, FlushGauges, FlushLists, Recommendation, RuleInput, View, WorkBefore};

/// `buf_flush_lsn_scan_factor`: seconds of redo looked ahead, and the passes they are spread over.
const SCAN_FACTOR: u64 = 3;

/// The settings that the recommendation reads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdaptiveConfig {
    /// `innodb_flushing_avg_loops`, passes or seconds.
    pub flushing_avg_loops: u64,
    /// `innodb_io_capacity`, pages a second.
    pub io_capacity: u64,
    /// `innodb_io_capacity_max`, pages a second.
    pub io_capacity_max: u64,
    /// `innodb_max_dirty_pages_pct`, percent.
    pub max_dirty_pages_pct: f64,
    /// `innodb_max_dirty_pages_pct_lwm`, percent; 0 switches it off.
    pub max_dirty_pages_pct_lwm: f64,
    /// `innodb_adaptive_flushing_lwm`, percent of `log_capacity`.
    pub adaptive_flushing_lwm: f64,
    /// See [`super::redo_geometry::LogCapacity`], bytes.
    pub log_capacity: u64,
    /// See [`super::redo_geometry::LogCapacity`], bytes.
    pub max_modified_age_async: u64,
}

/// Dirty pages in percent of all pages in use or free.
pub fn dirty_pct(dirty_pages: u64, lru_pages: u64, free_pages: u64) -> f64 {
    dirty_pages as f64 * 100.0 / (lru_pages + free_pages).max(1) as f64
}

impl AdaptiveConfig {
    /// Age (bytes) up to which the age calls for no flushing.
    pub fn low_water_mark(&self) -> u64 {
        (self.adaptive_flushing_lwm * self.log_capacity as f64 / 100.0) as u64
    }

    /// `innodb_max_dirty_pages_pct_lwm`, or 0 while the share of dirty pages is below it.
    pub fn low_water_mark_that_counts(&self, dirty_pct: f64) -> f64 {
        if dirty_pct < self.max_dirty_pages_pct_lwm { 0.0 } else { self.max_dirty_pages_pct_lwm }
    }

    /// `af_needed_for_redo`: whether an age of `age` bytes keeps the page cleaner at work.
    pub fn needed_for_redo(&self, age: u64) -> bool {
        age > self.low_water_mark()
    }

    /// `af_get_pct_for_lsn`: percent of `io_capacity` that an age of `age` bytes calls for.
    pub fn pct_for_lsn(&self, age: u64) -> u64 {
        if age < self.low_water_mark() {
            return 0;
        }
        let factor = age * 100 / self.max_modified_age_async;
        ((self.io_capacity_max / self.io_capacity * factor) as f64 * (factor as f64).sqrt() / 7.5) as u64
    }
}

/// Takes a pass into account.
fn update(averages: &mut Averages, input: &PassInput<'_>, loops: u64) {
    averages.sum_pages += input.last_pages;
    averages.n_iterations += 1;
    let elapsed_s = input.now.whole_seconds().saturating_sub(averages.prev_time.whole_seconds());
    if averages.n_iterations < loops && elapsed_s < loops {
        return;
    }
    let elapsed_s = elapsed_s.max(1);
    let redo = input.cur_lsn.saturating_sub(averages.prev_lsn);
    let avg_page_rate = (averages.sum_pages / elapsed_s).midpoint(averages.avg_page_rate);
    averages.adopt(avg_page_rate, averages.lsn_avg_rate.midpoint(redo / elapsed_s), input.cur_lsn, input.now);
}

/// What one recommendation reads of the machine.
#[derive(Debug)]
pub struct PassInput<'a> {
    /// Current LSN.
    pub cur_lsn: u64,
    /// Wall clock, of which whole seconds count.
    pub now: SimTime,
    /// Oldest modification on the flush list.
    pub oldest_lsn: u64,
    /// Pages on the flush list.
    pub dirty_pages: u64,
    /// See [`dirty_pct`].
    pub dirty_pct: f64,
    /// Pages that the last pass flushed.
    pub last_pages: u64,
    /// The flush list.
    pub lists: &'a dyn FlushLists,
}

/// A recommendation with what led to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pass {
    /// Pages to flush.
    pub n_pages: u64,
    /// `buffer_flush_pct_for_lsn`.
    pub pct_for_lsn: u64,
    /// What the second branch adds; `None` in the first, where only the number of dirty pages counts.
    pub adaptive: Option<AdaptivePart>,
}

impl Pass {
    /// The counters that the server sets; `None` in the first branch, which leaves all of them as they are.
    pub fn gauges(&self, averages: &Averages) -> Option<FlushGauges> {
        let part = self.adaptive?;
        Some(FlushGauges {
            n_to_flush_requested: self.n_pages,
            n_to_flush_by_age: part.pages_for_lsn,
            avg_page_rate: averages.avg_page_rate,
            lsn_avg_rate: averages.lsn_avg_rate,
            pct_for_dirty: part.pct_for_dirty,
            pct_for_lsn: self.pct_for_lsn,
        })
    }
}

/// The second branch of a recommendation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdaptivePart {
    /// `buffer_flush_pct_for_dirty`: percent of `io_capacity` that counts, of whatever cause.
    pub pct_for_dirty: u64,
    /// Pages with an oldest modification up to this LSN are due.
    pub target_lsn: u64,
    /// `buffer_flush_n_to_flush_by_age`.
    pub pages_for_lsn: u64,
}

/// Pages due up to `target_lsn`, a share of them for this pass; the scan stops at `io_capacity_max` pages.
fn pages_due(lists: &dyn FlushLists, target_lsn: u64, io_capacity_max: u64) -> u64 {
    (lists.pages_up_to(0, target_lsn, io_capacity_max) / SCAN_FACTOR).max(1)
}

/// The late generation (10.11.19 and its neighbours). `pct_lwm` is `innodb_max_dirty_pages_pct_lwm`, or 0 while the
/// share of dirty pages is below it.
pub fn recommendation_late(c: &AdaptiveConfig, averages: &mut Averages, input: &PassInput<'_>, pct_lwm: f64) -> Pass {
    let pct_for_lsn = c.pct_for_lsn(input.cur_lsn.saturating_sub(input.oldest_lsn));
    if averages.prev_lsn == 0 || pct_for_lsn == 0 {
        (averages.prev_lsn, averages.prev_time) = (input.cur_lsn, input.now);
        return Pass { n_pages: by_dirty_pages_late(c, input), pct_for_lsn, adaptive: None };
    }
    update(averages, input, c.flushing_avg_loops);
    let ratio = if pct_lwm == 0.0 || c.max_dirty_pages_pct == 0.0 {
        1.0
    } else {
        (pct_for_lsn as f64 / 100.0).max(input.dirty_pct / c.max_dirty_pages_pct)
    };
    let capacity = (c.io_capacity as f64 * ratio) as u64;
    adaptive_part(c, averages, input, capacity, pct_for_lsn, (ratio * 100.0) as u64)
}

/// Pages while the age calls for nothing.
fn by_dirty_pages_late(c: &AdaptiveConfig, input: &PassInput<'_>) -> u64 {
    if c.io_capacity >= input.dirty_pages {
        return input.dirty_pages;
    }
    let share = if c.max_dirty_pages_pct > 1.0 { input.dirty_pct / c.max_dirty_pages_pct } else { input.dirty_pct };
    let n = (share * c.io_capacity as f64) as u64;
    if n < input.dirty_pages { c.io_capacity } else { c.io_capacity_max.min(input.dirty_pages) }
}

/// The mean of three wishes, `capacity` being the first.
fn adaptive_part(
    c: &AdaptiveConfig,
    averages: &Averages,
    input: &PassInput<'_>,
    capacity: u64,
    pct_for_lsn: u64,
    pct_for_dirty: u64,
) -> Pass {
    let target_lsn = input.oldest_lsn + averages.lsn_avg_rate * SCAN_FACTOR;
    let pages_for_lsn = pages_due(input.lists, target_lsn, c.io_capacity_max);
    let n = (capacity + averages.avg_page_rate + pages_for_lsn) / 3;
    Pass {
        n_pages: n.min(c.io_capacity_max),
        pct_for_lsn,
        adaptive: Some(AdaptivePart { pct_for_dirty, target_lsn, pages_for_lsn }),
    }
}

/// The server's own rule, of the late generation.
#[derive(Debug, Clone)]
pub struct AdaptiveRule {
    config: AdaptiveConfig,
    /// Whether its share of `io_capacity` is always the whole (see [`super::mistakes`]).
    without_ratio: bool,
    pub(super) averages: Averages,
    pub(super) gauges: FlushGauges,
    /// Whether it recommended before the run began.
    resumes: bool,
}

impl AdaptiveRule {
    /// The rule with these settings.
    pub fn new(config: AdaptiveConfig) -> Self {
        let (averages, gauges) = (Averages::default(), FlushGauges::default());
        AdaptiveRule { config, without_ratio: false, averages, gauges, resumes: false }
    }

    /// The rule as it was while it never looked at the share of dirty pages and the age.
    pub(super) fn without_ratio(config: AdaptiveConfig) -> Self {
        AdaptiveRule { without_ratio: true, ..Self::new(config) }
    }

    /// The pages of a pass.
    pub(super) fn pass(&mut self, input: &PassInput<'_>) -> u64 {
        let pct_lwm = if self.without_ratio { 0.0 } else { self.config.low_water_mark_that_counts(input.dirty_pct) };
        let pass = recommendation_late(&self.config, &mut self.averages, input, pct_lwm);
        self.gauges = pass.gauges(&self.averages).unwrap_or(self.gauges);
        pass.n_pages
    }
}

impl AdaptiveFlushing for AdaptiveRule {
    fn recommend(&mut self, view: &View<'_>, input: RuleInput) -> Recommendation {
        let n_pages = self.pass(&PassInput {
            cur_lsn: view.current_lsn,
            now: view.now,
            oldest_lsn: view.oldest_modification_lsn,
            dirty_pages: view.dirty_pages,
            dirty_pct: dirty_pct(view.dirty_pages, view.lru_pages, view.free_pages),
            last_pages: input.last_pages,
            lists: view.lists,
        });
        Recommendation { n_pages, slots: vec![n_pages] }
    }

    fn starts_after(&mut self, before: WorkBefore) {
        self.averages.starts_after(before);
        let Averages { lsn_avg_rate, avg_page_rate, .. } = self.averages;
        self.gauges = FlushGauges { lsn_avg_rate, avg_page_rate, ..self.gauges };
        self.resumes = true;
    }

    /// Who recommended before goes on with its averages at once, be they 0. When it did last is not known: the beginning of the run
    /// is taken.
    fn begins(&mut self, view: &View<'_>) {
        if self.resumes {
            (self.averages.prev_lsn, self.averages.prev_time) = (view.current_lsn, view.now);
        }
    }

    fn gauges(&self) -> FlushGauges {
        self.gauges
    }
}
