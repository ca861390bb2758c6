//! Adaptive flushing of 8.0: how many pages a pass of the page cleaner flushes (spec 8.0.21, section 4.4; 8.0.30,
//! section 4.3).
//!
//! A recommendation is the mean of three wishes: a share of `innodb_io_capacity` that grows with the age of the oldest
//! page or the share of dirty pages, the average of recent flushing, and the pages that three seconds of redo make due.
//! The forms differ in few places, each a field of [`Form`].
//!
//! Not modelled: the branch for disabled redo logging runs nowhere, but its formula is here
//! ([`set_flush_target_by_page`]).

use super::averages::{AverageClock, Averages};
use crate::legacy::io::{ListLengths, pct_io};
use crate::percona80::age_factor::high_checkpoint_pct;
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::seam::{
    AdaptiveFlushing, FlushGauges, FlushLists, IoCapacity, Recommendation, RuleInput, View, WorkBefore,
};

/// Seconds of redo that a recommendation looks ahead, and the passes it spreads them over.
const SCAN_FACTOR: u64 = 3;
/// Slots follow the pages due by instance when `pct_for_lsn` is above this.
const PCT_FOR_UNEVEN_SLOTS: u64 = 30;

/// What is asked of the flush lists and what becomes of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// 8.0.18 to 8.0.22: the whole list is counted; sync passes differ only by a floor.
    A,
    /// 8.0.23 and later: counting is capped; sync passes take everything that is due, without the cap of
    /// `innodb_io_capacity_max`.
    B,
}

/// How the age factor is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgeFactor {
    /// Before 8.0.30: a whole percentage.
    Integer,
    /// From 8.0.30: with its fraction.
    Real,
    /// A whole percentage, and the steeper curve of Percona Server (`high_checkpoint`).
    HighCheckpoint,
}

/// The form of the rule that a version uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    /// See [`Shape`].
    pub shape: Shape,
    /// See [`AgeFactor`].
    pub age_factor: AgeFactor,
    /// See [`AverageClock`].
    pub clock: AverageClock,
    /// Whether the averages take passes into account between which no redo was written.
    pub averages_idle_passes: bool,
}

/// 8.0.18 to 8.0.20.
pub const FORM_8018: Form = Form {
    shape: Shape::A,
    age_factor: AgeFactor::Integer,
    clock: AverageClock::WholeSeconds,
    averages_idle_passes: false,
};
/// 8.0.21 and 8.0.22: the shape of before, the averages of after.
pub const FORM_8021: Form = Form { shape: Shape::A, ..FORM_8027 };
/// 8.0.23 to 8.0.29.
pub const FORM_8027: Form = Form {
    shape: Shape::B,
    age_factor: AgeFactor::Integer,
    clock: AverageClock::Milliseconds,
    averages_idle_passes: true,
};
/// 8.0.30 and later.
pub const FORM_8030: Form = Form { age_factor: AgeFactor::Real, clock: AverageClock::Exact, ..FORM_8027 };

/// The settings that the rule reads.
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
    /// `innodb_max_dirty_pages_pct_lwm`, percent.
    pub max_dirty_pages_pct_lwm: f64,
    /// `innodb_adaptive_flushing`.
    pub adaptive_flushing: bool,
    /// `innodb_adaptive_flushing_lwm`, percent of the age at which user threads stop.
    pub adaptive_flushing_lwm: u64,
}

/// Dirty pages in percent of the pages in use or free, over all instances.
pub fn dirty_pct(dirty_pages: u64, lru_pages: u64, free_pages: u64) -> f64 {
    ListLengths { lru: lru_pages, free: free_pages, flush_list: dirty_pages }.modified_ratio_pct_real()
}

impl AdaptiveConfig {
    /// `get_pct_for_dirty`: percent of `io_capacity` that the share of dirty pages calls for.
    pub fn pct_for_dirty(&self, dirty_pct: f64) -> u64 {
        if dirty_pct == 0.0 {
            0
        } else if self.max_dirty_pages_pct_lwm == 0.0 {
            if dirty_pct >= self.max_dirty_pages_pct { 100 } else { 0 }
        } else if dirty_pct >= self.max_dirty_pages_pct_lwm {
            ((dirty_pct * 100.0) / (self.max_dirty_pages_pct + 1.0)) as u64
        } else {
            0
        }
    }

    /// `get_pct_for_lsn`: percent of `io_capacity` that an age of `age` bytes calls for. Mind the integer division
    /// `io_capacity_max / io_capacity`.
    pub fn pct_for_lsn(&self, factor: AgeFactor, age: u64, free_check_capacity: u64, limit_for_age: u64) -> u64 {
        if age < self.low_water_mark(free_check_capacity) || (age < limit_for_age && !self.adaptive_flushing) {
            return 0;
        }
        let steps = self.io_capacity_max / self.io_capacity;
        let f = match factor {
            AgeFactor::Integer => (age * 100 / limit_for_age) as f64,
            AgeFactor::Real => age as f64 * 100.0 / limit_for_age as f64,
            AgeFactor::HighCheckpoint => return high_checkpoint_pct(steps, age * 100 / limit_for_age),
        };
        (steps as f64 * (f * f.sqrt()) / 7.5) as u64
    }

    /// Age (bytes) below which the age calls for nothing.
    pub fn low_water_mark(&self, free_check_capacity: u64) -> u64 {
        self.adaptive_flushing_lwm * free_check_capacity / 100
    }
}

/// What one recommendation reads of the machine.
pub struct PassInput<'a> {
    /// `dirty_pages_added_up_to_lsn`.
    pub cur_lsn: u64,
    /// Now.
    pub now: SimTime,
    /// Smallest oldest modification, 0 if nothing is dirty.
    pub oldest_lsn: u64,
    /// Share of dirty pages, percent.
    pub dirty_pct: f64,
    /// The flush lists.
    pub lists: &'a dyn FlushLists,
    /// What the machinery says.
    pub rule: RuleInput,
}

impl std::fmt::Debug for PassInput<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PassInput").field("cur_lsn", &self.cur_lsn).field("rule", &self.rule).finish_non_exhaustive()
    }
}

/// A recommendation with everything that led to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassDetails {
    /// Pages to flush.
    pub n_pages: u64,
    /// The same by instance.
    pub slots: Vec<u64>,
    /// Smallest oldest modification, 0 if nothing is dirty.
    pub oldest_lsn: u64,
    /// Age of the oldest page, bytes.
    pub age: u64,
    /// `buffer_flush_pct_for_dirty`.
    pub pct_for_dirty: u64,
    /// `buffer_flush_pct_for_lsn`.
    pub pct_for_lsn: u64,
    /// Pages with an older oldest modification are due.
    pub target_lsn: u64,
    /// `buffer_flush_n_to_flush_by_age`.
    pub sum_pages_for_lsn: u64,
}

/// The servers' own rule.
#[derive(Debug, Clone)]
pub struct AdaptiveRule {
    form: Form,
    config: AdaptiveConfig,
    /// State of the averages; public for tests that step it.
    pub averages: Averages,
    last: Option<PassDetails>,
}

impl AdaptiveRule {
    /// The rule of one form with these settings.
    pub fn new(form: Form, config: AdaptiveConfig) -> Self {
        AdaptiveRule { form, config, averages: Averages::default(), last: None }
    }

    /// Whether its averages are over whole seconds of a finer clock.
    pub fn cuts_seconds_off(&self) -> bool {
        self.form.clock == AverageClock::Milliseconds
    }

    /// One recommendation. `None` stands for "nothing", in which case the request is for LRU batches only.
    pub fn pass(&mut self, input: &PassInput<'_>) -> Option<PassDetails> {
        self.last = self.next_pass(input);
        self.last.clone()
    }

    fn next_pass(&mut self, input: &PassInput<'_>) -> Option<PassDetails> {
        if self.averages.begins(input.cur_lsn, input.now) {
            return None;
        }
        let idle = self.averages.prev_lsn == input.cur_lsn && input.rule.sync_limit_lsn.is_none();
        if idle && !self.form.averages_idle_passes {
            return None;
        }
        let loops = self.config.flushing_avg_loops;
        self.averages.set_average(self.form.clock, input.rule.last_pages, input.cur_lsn, input.now, loops);
        (!idle).then(|| self.recommendation(input))
    }

    fn recommendation(&self, input: &PassInput<'_>) -> PassDetails {
        let c = &self.config;
        let age = input.cur_lsn.saturating_sub(input.oldest_lsn);
        let pct_for_dirty = c.pct_for_dirty(input.dirty_pct);
        let pct_for_lsn = c.pct_for_lsn(
            self.form.age_factor,
            age,
            input.rule.free_check_capacity_bytes,
            input.rule.limit_for_age_bytes,
        );
        let (target_lsn, due) = self.pages_due(input);
        let instances = due.by_instance.len() as u64;
        let lsn_pages = due.sum.min(2 * c.io_capacity_max);
        let mean =
            (pct_io(c.io_capacity, pct_for_dirty.max(pct_for_lsn)) + self.averages.avg_page_rate + lsn_pages) / 3;
        let sync = input.rule.sync_limit_lsn.is_some();
        let n_pages = match self.form.shape {
            Shape::A if sync => mean.min(c.io_capacity_max).max(c.io_capacity),
            Shape::B if sync => lsn_pages.max(c.io_capacity),
            Shape::A | Shape::B => mean.min(c.io_capacity_max),
        };
        let even = n_pages / instances + u64::from(self.form.shape == Shape::B);
        let slot =
            |required: &u64| if pct_for_lsn > PCT_FOR_UNEVEN_SLOTS { required * n_pages / due.sum + 1 } else { even };
        PassDetails {
            n_pages,
            slots: due.by_instance.iter().map(slot).collect(),
            oldest_lsn: input.oldest_lsn,
            age,
            pct_for_dirty,
            pct_for_lsn,
            target_lsn,
            sum_pages_for_lsn: due.sum,
        }
    }

    /// The target LSN and the pages below it, a share of them for this pass.
    fn pages_due(&self, input: &PassInput<'_>) -> (u64, PagesDue) {
        let ahead = input.oldest_lsn + self.averages.lsn_avg_rate * SCAN_FACTOR;
        let (target, factor) = match (self.form.shape, input.rule.sync_limit_lsn) {
            (Shape::B, Some(limit)) => (limit, 1),
            _ => (ahead, SCAN_FACTOR),
        };
        let instances = input.lists.instances();
        let cap = match self.form.shape {
            Shape::A => u64::MAX,
            Shape::B => 2 * self.config.io_capacity_max / u64::from(instances) * factor * 2,
        };
        let counts: Vec<u64> = (0..instances).map(|i| input.lists.pages_up_to(i, target, cap)).collect();
        let sum = (counts.iter().sum::<u64>() / factor).max(1);
        (target, PagesDue { by_instance: counts.iter().map(|count| count / factor + 1).collect(), sum })
    }
}

/// Pages that are due in a pass.
struct PagesDue {
    /// By instance, each with one to spare.
    by_instance: Vec<u64>,
    /// Over all instances, at least 1.
    sum: u64,
}

impl AdaptiveFlushing for AdaptiveRule {
    fn recommend(&mut self, view: &View<'_>, input: RuleInput) -> Recommendation {
        let worked_before = self.averages.lsn_avg_rate != 0;
        if view.up_before != SimDuration::ZERO && !worked_before {
            // The first recommendation was that of the server's start; without load none came since.
            self.averages.begins(view.last_checkpoint_lsn, SimTime::ZERO);
        }
        let pass = self.pass(&PassInput {
            cur_lsn: view.current_lsn,
            now: view.server_now(),
            oldest_lsn: view.oldest_modification_lsn,
            dirty_pct: dirty_pct(view.dirty_pages, view.lru_pages, view.free_pages),
            lists: view.lists,
            rule: input,
        });
        pass.map_or_else(Recommendation::default, |p| Recommendation { n_pages: p.n_pages, slots: p.slots })
    }

    fn starts_after(&mut self, before: WorkBefore) {
        (self.averages.lsn_avg_rate, self.averages.avg_page_rate) =
            (before.redo_bytes_per_s, before.pages_flushed_per_s);
    }

    fn gauges(&self) -> FlushGauges {
        let last = self.last.as_ref();
        FlushGauges {
            n_to_flush_requested: last.map_or(0, |p| p.n_pages),
            n_to_flush_by_age: last.map_or(0, |p| p.sum_pages_for_lsn),
            avg_page_rate: self.averages.avg_page_rate,
            lsn_avg_rate: self.averages.lsn_avg_rate,
            pct_for_dirty: last.map_or(0, |p| p.pct_for_dirty),
            pct_for_lsn: last.map_or(0, |p| p.pct_for_lsn),
        }
    }

    fn with_io_capacity(&self, capacity: IoCapacity) -> Option<Box<dyn AdaptiveFlushing>> {
        let IoCapacity { usual, most } = capacity;
        let config = AdaptiveConfig { io_capacity: usual, io_capacity_max: most, ..self.config };
        Some(Box::new(AdaptiveRule { config, ..self.clone() }))
    }
}

/// What `set_flush_target_by_page` reads; used by servers whose redo logging is disabled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PageTargetInput {
    /// See [`AdaptiveConfig::pct_for_dirty`].
    pub pct_for_dirty: u64,
    /// Pages flushed by the previous pass.
    pub prev_pages_flushed: u64,
    /// Dirty pages now.
    pub pages_dirty: u64,
    /// Dirty pages at the previous pass.
    pub prev_pages_dirty: u64,
    /// Time since the previous pass, seconds.
    pub delta_seconds: f64,
    /// Pages flushed a second.
    pub avg_page_rate: u64,
    /// Pages that the LSN calls for.
    pub n_pages_lsn: u64,
    /// `innodb_io_capacity_max`, pages a second.
    pub io_capacity_max: u64,
    /// Buffer pool instances.
    pub instances: u64,
}

/// A target by dirty pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageTarget {
    /// Pages to flush.
    pub n_pages: u64,
    /// `buffer_flush_n_to_flush_by_dirty_page`.
    pub from_pages: u64,
    /// Pages for each instance; `None` leaves them as set by LSN.
    pub slot: Option<u64>,
}

/// The target of a server whose redo logging is disabled: enough pages to hold the share of dirty pages.
pub fn set_flush_target_by_page(input: &PageTargetInput) -> PageTarget {
    if input.pct_for_dirty == 0 {
        return PageTarget { n_pages: input.n_pages_lsn, from_pages: 0, slot: None };
    }
    let dt = if input.delta_seconds > 0.0 { input.delta_seconds } else { 1.0 };
    let grown = input.pages_dirty as f64 - input.prev_pages_dirty as f64;
    let estimate = (input.prev_pages_flushed as f64 / dt + grown / dt) as u64;
    let scaled = ((input.pct_for_dirty as f64 / 90.0).sqrt() * estimate as f64) as u64;
    let from_pages = input.avg_page_rate.midpoint(scaled).min(input.io_capacity_max);
    if from_pages > input.n_pages_lsn {
        PageTarget { n_pages: from_pages, from_pages, slot: Some(from_pages / input.instances) }
    } else {
        PageTarget { n_pages: input.n_pages_lsn, from_pages, slot: None }
    }
}
