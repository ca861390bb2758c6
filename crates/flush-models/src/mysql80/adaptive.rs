//! Adaptive flushing of 8.0: how many pages a pass of the page cleaner flushes (spec 8.0.21, section 4.4; 8.0.30,
//! section 4.3).
//!
//! A recommendation is the mean of three wishes: a share of `innodb_io_capacity` that grows with the age of the oldest
//! page or the share of dirty pages, the average of recent flushing, and the pages that three seconds of redo make due.
//! The forms differ in few places, each a field of [`Form`].
//!
//! Not modelled: the branch for disabled redo logging.

use crate::averages::{AverageClock, Averages};
use crate::legacy::io::{ListLengths, af_get_pct_for_dirty, pct_io};
use crate::percona80::age_factor::high_checkpoint_pct;
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::seam::{
    AdaptiveFlushing, FlushGauges, FlushLists, LiveSettings, Recommendation, RuleInput, View, WorkBefore,
};

/// Seconds of redo that a recommendation looks ahead, and the passes it spreads them over.
const SCAN_FACTOR: u64 = 3;
/// Slots follow the pages due by instance when `pct_for_lsn` is above this.
const PCT_FOR_UNEVEN_SLOTS: u64 = 30;

/// What is asked of the flush lists and what becomes of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scan {
    /// 8.0.18 to 8.0.22: the whole list is counted; sync passes differ only by a floor.
    WholeList,
    /// 8.0.23 and later: counting is capped; sync passes take everything that is due, without the cap of
    /// `innodb_io_capacity_max`.
    Capped,
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
    /// See [`Scan`].
    pub scan: Scan,
    /// See [`AgeFactor`].
    pub age_factor: AgeFactor,
    /// See [`AverageClock`].
    pub clock: AverageClock,
    /// Whether the averages take passes into account between which no redo was written.
    pub averages_idle_passes: bool,
}

/// 8.0.18 to 8.0.20.
pub const FORM_8018: Form = Form {
    scan: Scan::WholeList,
    age_factor: AgeFactor::Integer,
    clock: AverageClock::WholeSeconds,
    averages_idle_passes: false,
};
/// 8.0.21 and 8.0.22: the scan of before, the averages of after.
pub const FORM_8021: Form = Form { scan: Scan::WholeList, ..FORM_8027 };
/// 8.0.23 to 8.0.29.
pub const FORM_8027: Form = Form {
    scan: Scan::Capped,
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
    /// The part of the settings of a server at work that the rule reads: all that it reads.
    pub fn of_live(live: LiveSettings) -> Self {
        AdaptiveConfig {
            flushing_avg_loops: live.flushing_avg_loops,
            io_capacity: live.io_capacity,
            io_capacity_max: live.io_capacity_max,
            max_dirty_pages_pct: live.max_dirty_pages_pct,
            max_dirty_pages_pct_lwm: live.max_dirty_pages_pct_lwm,
            adaptive_flushing: live.adaptive_flushing,
            adaptive_flushing_lwm: live.adaptive_flushing_lwm,
        }
    }

    /// `get_pct_for_dirty`: percent of `io_capacity` that the share of dirty pages calls for.
    pub fn pct_for_dirty(&self, dirty_pct: f64) -> u64 {
        af_get_pct_for_dirty(dirty_pct, self.max_dirty_pages_pct, self.max_dirty_pages_pct_lwm)
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
            AgeFactor::HighCheckpoint => {
                return high_checkpoint_pct(steps, age as f64 * 100.0 / limit_for_age as f64);
            }
        };
        (steps as f64 * (f * f.sqrt()) / 7.5) as u64
    }

    /// Age (bytes) below which the age calls for nothing.
    pub fn low_water_mark(&self, free_check_capacity: u64) -> u64 {
        self.adaptive_flushing_lwm * free_check_capacity / 100
    }
}

/// What one recommendation reads of the machine.
#[derive(Debug)]
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
    due: PagesDue,
    last: Option<LastPass>,
}

/// The last recommendation.
#[derive(Debug, Clone, Copy)]
struct LastPass {
    facts: PassFacts,
    wanted: Wanted,
    instances: u64,
}

/// What a recommendation follows from, besides the settings and the averages.
#[derive(Debug, Clone, Copy)]
struct PassFacts {
    age: u64,
    dirty_pct: f64,
    rule: RuleInput,
    /// Pages due, over all instances.
    due: u64,
    /// The instance with most of them: how many were counted.
    most_counted: u64,
    /// How many would have been counted at most.
    cap: u64,
}

/// What settings make of the facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Wanted {
    pages: u64,
    pct_for_dirty: u64,
    pct_for_lsn: u64,
}

impl Wanted {
    /// Whether the instances with more pages due get more.
    fn is_uneven(self) -> bool {
        self.pct_for_lsn > PCT_FOR_UNEVEN_SLOTS
    }
}

impl AdaptiveRule {
    /// The rule of one form with these settings.
    pub fn new(form: Form, config: AdaptiveConfig) -> Self {
        AdaptiveRule { form, config, averages: Averages::default(), due: PagesDue::default(), last: None }
    }

    /// Whether its averages are over whole seconds of a finer clock.
    pub fn cuts_seconds_off(&self) -> bool {
        self.form.clock == AverageClock::Milliseconds
    }

    /// One recommendation. `None` stands for "nothing", in which case the request is for LRU batches only.
    pub fn pass(&mut self, input: &PassInput<'_>) -> Option<PassDetails> {
        self.last = None;
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

    fn recommendation(&mut self, input: &PassInput<'_>) -> PassDetails {
        self.count_pages_due(input);
        let due = &self.due;
        let facts = PassFacts {
            age: input.cur_lsn.saturating_sub(input.oldest_lsn),
            dirty_pct: input.dirty_pct,
            rule: input.rule,
            due: due.sum,
            most_counted: due.most_counted,
            cap: due.cap,
        };
        let wanted = self.wanted(&self.config, &facts);
        let n_pages = wanted.pages;
        let even = n_pages / due.by_instance.len() as u64 + u64::from(self.form.scan == Scan::Capped);
        let slot = |required: &u64| if wanted.is_uneven() { required * n_pages / due.sum + 1 } else { even };
        let details = PassDetails {
            n_pages,
            slots: due.by_instance.iter().map(slot).collect(),
            oldest_lsn: input.oldest_lsn,
            age: facts.age,
            pct_for_dirty: wanted.pct_for_dirty,
            pct_for_lsn: wanted.pct_for_lsn,
            target_lsn: due.target_lsn,
            sum_pages_for_lsn: due.sum,
        };
        self.last = Some(LastPass { facts, wanted, instances: due.by_instance.len() as u64 });
        details
    }

    /// Pages of a pass, with the settings `c`.
    fn wanted(&self, c: &AdaptiveConfig, facts: &PassFacts) -> Wanted {
        let pct_for_dirty = c.pct_for_dirty(facts.dirty_pct);
        let pct_for_lsn = c.pct_for_lsn(
            self.form.age_factor,
            facts.age,
            facts.rule.free_check_capacity_bytes,
            facts.rule.limit_for_age_bytes,
        );
        let lsn_pages = facts.due.min(2 * c.io_capacity_max);
        let mean =
            (pct_io(c.io_capacity, pct_for_dirty.max(pct_for_lsn)) + self.averages.avg_page_rate + lsn_pages) / 3;
        let sync = facts.rule.sync_limit_lsn.is_some();
        let pages = match self.form.scan {
            Scan::WholeList if sync => mean.min(c.io_capacity_max).max(c.io_capacity),
            Scan::Capped if sync => lsn_pages.max(c.io_capacity),
            Scan::WholeList | Scan::Capped => mean.min(c.io_capacity_max),
        };
        Wanted { pages, pct_for_dirty, pct_for_lsn }
    }

    /// Pages of an instance that are counted at most, with `factor` for those of so many passes.
    fn cap(&self, io_capacity_max: u64, instances: u64, factor: u64) -> u64 {
        match self.form.scan {
            Scan::WholeList => u64::MAX,
            Scan::Capped => 2 * io_capacity_max / instances * factor * 2,
        }
    }

    /// Passes whose pages are counted at once: one, where the limit of sync flushing says how far to look.
    fn factor(&self, sync: bool) -> u64 {
        if self.form.scan == Scan::Capped && sync { 1 } else { SCAN_FACTOR }
    }

    /// The target LSN and the pages below it, a share of them for this pass. A page cleaner that flushes synchronously asks
    /// again and again; most of the time the lists are as they were.
    fn count_pages_due(&mut self, input: &PassInput<'_>) {
        let ahead = input.oldest_lsn + self.averages.lsn_avg_rate * SCAN_FACTOR;
        let target_lsn = match (self.form.scan, input.rule.sync_limit_lsn) {
            (Scan::Capped, Some(limit)) => limit,
            _ => ahead,
        };
        let factor = self.factor(input.rule.sync_limit_lsn.is_some());
        let instances = input.lists.instances();
        let cap = self.cap(self.config.io_capacity_max, u64::from(instances), factor);
        let asked = input.lists.changes().map(|changes| (changes, target_lsn, factor, cap));
        if asked.is_some() && self.due.asked == asked {
            return;
        }
        let due = &mut self.due;
        (due.asked, due.target_lsn, due.cap) = (asked, target_lsn, cap);
        (due.sum, due.most_counted) = (0, 0);
        due.by_instance.clear();
        for instance in 0..instances {
            let count = input.lists.pages_up_to(instance, target_lsn, cap);
            (due.sum, due.most_counted) = (due.sum + count, due.most_counted.max(count));
            due.by_instance.push(count / factor + 1);
        }
        due.sum = (due.sum / factor).max(1);
    }
}

/// Pages that are due in a pass.
#[derive(Debug, Clone, Default)]
struct PagesDue {
    /// What they follow from, where the lists count their changes: the count, the target, the passes at once, the cap.
    asked: Option<(u64, u64, u64, u64)>,
    target_lsn: u64,
    /// By instance, each with one to spare.
    by_instance: Vec<u64>,
    /// Over all instances, at least 1.
    sum: u64,
    most_counted: u64,
    cap: u64,
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
        self.averages.starts_after(before);
    }

    fn gauges(&self) -> FlushGauges {
        let last = self.last.as_ref();
        FlushGauges {
            n_to_flush_requested: last.map_or(0, |p| p.wanted.pages),
            n_to_flush_by_age: last.map_or(0, |p| p.facts.due),
            avg_page_rate: self.averages.avg_page_rate,
            lsn_avg_rate: self.averages.lsn_avg_rate,
            pct_for_dirty: last.map_or(0, |p| p.wanted.pct_for_dirty),
            pct_for_lsn: last.map_or(0, |p| p.wanted.pct_for_lsn),
        }
    }

    /// A timed pass has a second, which the count does not fill. Sync passes follow each other without a pause, and while all
    /// instances are busy the count is all that they do: each `innodb_flushing_avg_loops` of them move the averages.
    /// Simplification: before 8.0.23 it takes no time (errs towards shorter sync passes).
    fn pages_counted(&self) -> u64 {
        let counts = |last: &&LastPass| self.form.scan == Scan::Capped && last.facts.rule.sync_limit_lsn.is_some();
        self.last.as_ref().filter(counts).map_or(0, |last| last.facts.due)
    }

    fn with_live(&self, settings: LiveSettings) -> Option<Box<dyn AdaptiveFlushing>> {
        Some(Box::new(AdaptiveRule { config: AdaptiveConfig::of_live(settings), ..self.clone() }))
    }

    fn same_with(&self, settings: LiveSettings) -> bool {
        let other = AdaptiveConfig::of_live(settings);
        if other.flushing_avg_loops != self.config.flushing_avg_loops {
            return false;
        }
        // Without a recommendation nothing but the averages moved.
        let Some(LastPass { facts, wanted: own, instances }) = &self.last else { return true };
        let cap = self.cap(other.io_capacity_max, *instances, self.factor(facts.rule.sync_limit_lsn.is_some()));
        // Where a count ended at its cap, another cap would have given another count.
        let counts_alike = cap == facts.cap || facts.most_counted < cap.min(facts.cap);
        let others = self.wanted(&other, facts);
        counts_alike && own.pages == others.pages && own.is_uneven() == others.is_uneven()
    }
}
