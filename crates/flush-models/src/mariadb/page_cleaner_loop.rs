//! The page cleaner's loop, step by step (`mariadb-10.11` section 5): what it asks of the machine and what it
//! remembers.
//!
//! ```text
//!   top ── furious target ──> LRU batch if needed, list batch, wait for all writes, checkpoint ──> top
//!    │
//!    └─> wait ──> nothing to do ──────────────────────────────────────────────── checkpoint ──> top
//!            └──> wait for all writes ── LRU batch (somebody needs free pages) ── checkpoint ──> top
//!            └──> list batch ── LRU batch ────────────────────────────────────── checkpoint ──> top
//! ```
//!
//! What wakes it from a wait while it is idle, where there is a low-water mark of dirty pages, is each page that becomes dirty, and
//! then it is idle no longer: so it flushes as an idle server only after a second in which no page became dirty, and sees at
//! once that the age or the share of dirty pages calls for work. The server signals at each such page; here the wait ends at
//! what it would see, and a wait that ends by time counts as woken if pages became dirty in it (errs by up to a second in
//! when an idle server begins to flush).
//!
//! Pages wake it unless there was activity since it last flushed while idle. Activity is index pages built in bulk
//! (`innodb_activity_count` of INNODB_METRICS; commits don't count), of which no run has any: a run may begin with some
//! unseen ([`WorkBefore::activity_unseen`]). Then only the low-water mark wakes it, until it flushes while idle.

use super::adaptive::dirty_pct;
use super::mistakes::Mistake;
use super::options::Options;
use super::page_cleaner::{BUF_LRU_MIN_LEN, Branch, PassState, lru_quota, need_lru, pass_late};
use super::{SPIN_PAUSE, Targets};
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::seam::{
    AdaptiveFlushing, CleanerAction, CleanerInput, FlushKind, FlushRequest, LruWork, PassReport, RuleInput, View,
    WorkBefore,
};

/// Longest sleep of a page cleaner that is not idle.
const LOOP: SimDuration = SimDuration::from_secs(1);

/// Rounds of the loop in one instant: more of them would be a spin.
const ROUNDS_IN_AN_INSTANT: u32 = 2;

/// What the cleaner is in the middle of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Phase {
    /// Before the first step.
    #[default]
    Begin,
    /// In the wait at the top.
    Waiting,
    /// In a pause instead of spinning.
    Pausing,
    /// The LRU batch of a furious step.
    FuriousLru,
    /// The list batch of a furious step.
    FuriousList,
    /// Waiting for the writes of a furious step.
    FuriousDrain,
    /// The checkpoint of a furious step.
    FuriousCheckpoint,
    /// The list batch of a pass.
    List { adaptive: bool },
    /// Waiting for all writes before the LRU batch.
    Drain { quota: u64 },
    /// The LRU batch of a pass.
    Lru,
    /// The checkpoint that ends a pass.
    Checkpoint,
    /// The checkpoint of a pass that found the flush list empty.
    EmptyCheckpoint,
}

/// State of the page cleaner.
#[derive(Debug, Default)]
pub(super) struct PageCleaner {
    phase: Phase,
    /// `page_cleaner_idle`: it found nothing to do, and sleeps without end if it may.
    idle: bool,
    /// End of the sleep while it is not idle.
    deadline: SimTime,
    /// Pages of the last passes, for the recommendation's averages.
    last_pages: u64,
    /// Dirty pages as the present sleep began.
    dirty_before: u64,
    /// Whether it has not flushed while idle since there was activity.
    activity_unseen: bool,
    /// What it does wrong, of what was mended.
    pub(super) mistake: Option<Mistake>,
    /// Instant of the last time it came round to the top, and how often it did in that instant.
    top_at: SimTime,
    rounds: u32,
}

/// What a step works with.
struct Step<'a, 'v> {
    options: &'a Options,
    targets: &'a mut Targets,
    rule: &'a mut dyn AdaptiveFlushing,
    view: &'a View<'v>,
    mistake: Option<Mistake>,
}

impl Step<'_, '_> {
    fn need_lru(&self) -> bool {
        if self.mistake == Some(Mistake::Mdev33053) {
            return self.view.free_page_wanted;
        }
        let depth = u64::from(self.options.lru_scan_depth);
        need_lru(self.view.free_page_wanted, self.view.lru_pages, self.view.free_pages, depth)
    }

    fn dirty_pct(&self) -> f64 {
        dirty_pct(self.view.dirty_pages, self.view.lru_pages, self.view.free_pages)
    }

    /// Whether each page that becomes dirty wakes an idle cleaner.
    fn pages_wake(&self, activity_unseen: bool) -> bool {
        self.options.adaptive.max_dirty_pages_pct_lwm != 0.0 && !activity_unseen
    }

    /// Dirty pages that wake an idle cleaner: the first one, where each does, and those at which it finds something to do.
    fn dirty_pages_to_wake(&self, activity_unseen: bool) -> u64 {
        let config = &self.options.adaptive;
        let lwm = config.max_dirty_pages_pct_lwm;
        if self.pages_wake(activity_unseen) && self.view.dirty_pages == 0 {
            return 1;
        }
        let pct = if lwm == 0.0 { config.max_dirty_pages_pct } else { lwm };
        // One more than the share, so that rounding can't put it below the share again.
        ((self.view.lru_pages + self.view.free_pages) as f64 * pct / 100.0) as u64 + 1
    }

    /// Current LSN that wakes an idle cleaner: the age is past the first limit, or, where each page wakes it, so large that
    /// it finds something to do.
    fn lsn_to_wake(&self, activity_unseen: bool) -> u64 {
        let limit = self.view.last_checkpoint_lsn + self.options.log_limits.max_modified_age_async + 1;
        if self.pages_wake(activity_unseen) && self.view.oldest_modification_lsn != 0 {
            let mark = Mistake::when_idle(self.mistake, &self.options.adaptive).low_water_mark();
            return limit.min(self.view.oldest_modification_lsn.saturating_add(mark).saturating_add(1));
        }
        limit
    }
}

/// Pages from the flush list, whether or not earlier writes are in flight.
fn list_batch(kind: FlushKind, pages: u64, lsn_limit: u64) -> CleanerAction {
    let request = FlushRequest::list(kind, vec![pages]);
    CleanerAction::Flush(FlushRequest { lsn_limit, over_writes: true, ..request })
}

/// Pages from the LRU list alone.
fn lru_batch(pages: u64) -> CleanerAction {
    let request = FlushRequest::list(FlushKind::LruOnly, vec![0]);
    CleanerAction::Flush(FlushRequest { lru: LruWork::Batch(pages), over_writes: true, ..request })
}

impl PageCleaner {
    /// The run starts in the middle of the work.
    pub(super) fn starts_after(&mut self, before: WorkBefore) {
        self.activity_unseen = before.activity_unseen;
    }

    /// The cleaner's next step after `input`.
    pub(super) fn step(
        &mut self,
        options: &Options,
        targets: &mut Targets,
        rule: &mut dyn AdaptiveFlushing,
        view: &View<'_>,
        input: CleanerInput,
    ) -> CleanerAction {
        let mut step = Step { options, targets, rule, view, mistake: self.mistake };
        let report = if let CleanerInput::Done(report) = input { report } else { PassReport::default() };
        match self.phase {
            Phase::Begin => {
                self.deadline = view.now + LOOP;
                // A server that is up and has nothing to flush has found that out.
                self.idle = view.dirty_pages == 0;
                step.rule.begins(view);
                self.top(&mut step)
            }
            Phase::Pausing => self.top(&mut step),
            Phase::Waiting => {
                self.idle = self.idle && !self.was_woken(&step, input);
                self.pass(&mut step)
            }
            Phase::FuriousLru => self.furious_list(&step),
            Phase::FuriousList => self.go(Phase::FuriousDrain, CleanerAction::WaitForBatches),
            Phase::FuriousDrain => self.go(Phase::FuriousCheckpoint, CleanerAction::Checkpoint { wait: true }),
            Phase::FuriousCheckpoint => self.furious_end(&mut step),
            Phase::List { adaptive } => {
                if adaptive {
                    self.last_pages = report.list_pages;
                }
                self.lru_after_list(&mut step, report.list_pages)
            }
            Phase::Drain { quota } => self.lru(&mut step, quota),
            Phase::Lru => {
                self.last_pages += report.lru_pages;
                self.end_pass(&mut step)
            }
            Phase::Checkpoint => self.top(&mut step),
            Phase::EmptyCheckpoint if step.need_lru() => self.work(&mut step),
            Phase::EmptyCheckpoint => self.top(&mut step),
        }
    }

    fn go(&mut self, phase: Phase, action: CleanerAction) -> CleanerAction {
        self.phase = phase;
        action
    }

    /// The top of the loop: furious flushing, or a wait, or on at once if free pages are needed.
    fn top(&mut self, s: &mut Step<'_, '_>) -> CleanerAction {
        s.targets.raise(s.view, s.options);
        let furious = s.targets.sync_lsn != 0 && s.options.flush_sync;
        self.rounds = if self.top_at == s.view.now { self.rounds + 1 } else { 1 };
        self.top_at = s.view.now;
        if self.rounds > ROUNDS_IN_AN_INSTANT {
            let until = s.view.now + SPIN_PAUSE;
            return self.go(Phase::Pausing, CleanerAction::Wait { until, wake_on_event: false });
        }
        if furious {
            return self.furious(s);
        }
        if s.need_lru() {
            return self.pass(s);
        }
        let untimed = s.view.dirty_pages == 0 || s.options.adaptive.max_dirty_pages_pct_lwm == 0.0;
        let until = if self.idle && untimed { SimTime::NEVER } else { self.deadline };
        self.dirty_before = s.view.dirty_pages;
        let unseen = self.activity_unseen;
        let (dirty_pages, lsn) =
            if self.idle { (s.dirty_pages_to_wake(unseen), s.lsn_to_wake(unseen)) } else { (u64::MAX, u64::MAX) };
        self.go(Phase::Waiting, CleanerAction::WaitForWork { until, dirty_pages, lsn })
    }

    /// Whether anything woke it from its sleep, if only to find nothing to do and sleep on.
    fn was_woken(&self, s: &Step<'_, '_>, input: CleanerInput) -> bool {
        let pages = s.pages_wake(self.activity_unseen) && s.view.dirty_pages > self.dirty_before;
        pages || input == CleanerInput::Event
    }

    /// A pass after its wait.
    fn pass(&mut self, s: &mut Step<'_, '_>) -> CleanerAction {
        self.deadline = s.view.now + LOOP;
        s.targets.raise(s.view, s.options);
        if s.view.oldest_modification_lsn == 0 {
            s.targets.sync_lsn = 0;
            self.idle = true;
            return self.go(Phase::EmptyCheckpoint, CleanerAction::Checkpoint { wait: true });
        }
        self.work(s)
    }

    fn work(&mut self, s: &mut Step<'_, '_>) -> CleanerAction {
        let view = s.view;
        let state = PassState {
            sync_lsn: s.targets.sync_lsn,
            async_lsn: s.targets.async_lsn,
            flush_sync: s.options.flush_sync,
            adaptive_flushing: s.options.adaptive_flushing,
            oldest_lsn: view.oldest_modification_lsn,
            cur_lsn: view.current_lsn,
            dirty_pct: s.dirty_pct(),
            // Without idle flushing a pause is as good as work.
            activity_changed: self.mistake == Some(Mistake::Mdev24949),
            cleaner_idle: self.idle,
            pending_reads: view.pending_reads,
            need_lru: s.need_lru(),
        };
        let branch = pass_late(&Mistake::when_idle(self.mistake, &s.options.adaptive), &state);
        if !matches!(branch, Branch::Furious | Branch::LruOnly) {
            // With `innodb_flush_sync` there is no furious target here; without it [`PassState`] knows that it is passed.
            if view.oldest_modification_lsn >= s.targets.async_lsn {
                s.targets.async_lsn = 0;
            }
        }
        let io_max = s.options.adaptive.io_capacity_max;
        match branch {
            Branch::Furious => self.furious(s),
            Branch::LruOnly => self.go(Phase::Drain { quota: io_max }, CleanerAction::WaitForBatches),
            Branch::Unemployed => {
                self.idle = true;
                self.go(Phase::Checkpoint, CleanerAction::Checkpoint { wait: true })
            }
            Branch::Limit { n_pages, lsn_limit } => {
                self.go(Phase::List { adaptive: false }, list_batch(FlushKind::Background, n_pages, lsn_limit))
            }
            Branch::Background { n_pages } => {
                // It flushes so while idle only where there is a low-water mark.
                self.activity_unseen &= !self.idle;
                self.go(Phase::List { adaptive: false }, list_batch(FlushKind::Background, n_pages, u64::MAX))
            }
            Branch::Adaptive => self.adaptive(s),
        }
    }

    fn adaptive(&mut self, s: &mut Step<'_, '_>) -> CleanerAction {
        let input = RuleInput {
            sync_limit_lsn: None,
            last_pages: self.last_pages,
            limit_for_age_bytes: s.options.log_limits.max_modified_age_async,
            free_check_capacity_bytes: s.options.log_limits.log_capacity,
        };
        let n_pages = s.rule.recommend(s.view, input).n_pages;
        if let Some(pause) = s.rule.next_pass_in() {
            self.deadline = s.view.now + pause;
        }
        if n_pages > 0 {
            return self.go(Phase::List { adaptive: true }, list_batch(FlushKind::Adaptive, n_pages, u64::MAX));
        }
        if s.need_lru() {
            let quota = s.options.adaptive.io_capacity_max;
            return self.go(Phase::Drain { quota }, CleanerAction::WaitForBatches);
        }
        self.end_pass(s)
    }

    fn lru_after_list(&mut self, s: &mut Step<'_, '_>, n_flushed: u64) -> CleanerAction {
        let io_max = s.options.adaptive.io_capacity_max;
        if self.mistake == Some(Mistake::Mdev36226) {
            return match io_max.saturating_sub(n_flushed) {
                0 => self.end_pass(s),
                quota => self.lru(s, quota),
            };
        }
        self.lru(s, lru_quota(io_max, n_flushed, u64::from(s.options.lru_scan_depth)))
    }

    /// An LRU batch, where it has anything to do.
    fn lru(&mut self, s: &mut Step<'_, '_>, quota: u64) -> CleanerAction {
        let enough = s.view.free_pages >= u64::from(s.options.lru_scan_depth) || s.view.lru_pages <= BUF_LRU_MIN_LEN;
        if enough && !s.view.free_page_wanted {
            return self.end_pass(s);
        }
        self.go(Phase::Lru, lru_batch(quota))
    }

    /// The end of a pass that did something: a checkpoint.
    fn end_pass(&mut self, s: &mut Step<'_, '_>) -> CleanerAction {
        let oldest = s.view.oldest_modification_lsn;
        self.idle = oldest == 0;
        if oldest == 0 {
            s.targets.sync_lsn = 0;
        } else if oldest >= s.targets.async_lsn {
            s.targets.async_lsn = 0;
        }
        self.go(Phase::Checkpoint, CleanerAction::Checkpoint { wait: true })
    }

    /// A furious step: free pages first if they are needed, then the flush list.
    fn furious(&mut self, s: &Step<'_, '_>) -> CleanerAction {
        if s.need_lru() && self.mistake != Some(Mistake::Mdev34265) {
            self.idle = false;
            return self.go(Phase::FuriousLru, lru_batch(s.options.adaptive.io_capacity));
        }
        self.furious_list(s)
    }

    fn furious_list(&mut self, s: &Step<'_, '_>) -> CleanerAction {
        let io_max = s.options.adaptive.io_capacity_max;
        self.go(Phase::FuriousList, list_batch(FlushKind::Sync, io_max, s.targets.sync_lsn))
    }

    /// After the checkpoint of a furious step: targets reached are cleared.
    fn furious_end(&mut self, s: &mut Step<'_, '_>) -> CleanerAction {
        let oldest = match s.view.oldest_modification_lsn {
            0 => u64::MAX,
            oldest => oldest,
        };
        if oldest >= s.targets.sync_lsn {
            s.targets.sync_lsn = 0;
        } else if oldest >= s.targets.async_lsn {
            s.targets.async_lsn = 0;
        }
        self.last_pages = 0;
        self.deadline = s.view.now + LOOP;
        self.top(s)
    }
}
