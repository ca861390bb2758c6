//! MySQL 5.6: one page cleaner thread, user threads that flush at the sync limit, checkpoints by the master thread.
//!
//! ```text
//!   Mysql56 ── PageCleanerLoop   sleep | LRU tails, then adaptive flushing | idle batches
//!      ├────── AdaptiveState     pages and LSN limit of adaptive flushing
//!      ├────── CheckFlag         what a user thread does at the margins: flush by itself, wait, checkpoint
//!      └────── MasterThread      a checkpoint in every 7th second, in each second of an idle server
//! ```
//!
//! The formulas are pure functions in the modules below and in [`crate::legacy`], each checked against vectors.
//!
//! Specification: `innodb-5.6`. What is simplified is said in the modules and in the fidelity table of the
//! documentation.

pub mod adaptive;
pub(crate) mod at_start;
pub(crate) mod machine;
pub(crate) mod model;
pub(crate) mod options;
pub mod page_cleaner;
mod replay;

use crate::legacy::check_flag::CheckFlag;
use crate::legacy::instance::buf_pool_get;
use crate::legacy::io::{ListLengths, min_n_per_instance, pct_io};
use crate::legacy::log_margin::{MARGIN_56, MarginCheckpoint, log_checkpoint_margin};
use crate::legacy::margin_steps::{Stage, lsns, place, set_place};
use crate::legacy::master_thread::MasterThread;
use crate::settings::{Settings, SettingsError};
use adaptive::{AdaptiveState, Request, Seen};
use innosim_core::config::MachineConfig;
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::seam::{
    AdaptiveFlushing, AgeLimits, CheckpointerAction, CheckpointerInput, CleanerAction, CleanerInput, FlushGauges,
    FlushKind, FlushRequest, FreeCheck, FreeCheckWait, LruWork, PassReport, Recommendation, RuleInput, ServerModel,
    View, WorkBefore, WriterLimits,
};
use options::Options;
use page_cleaner::{Branch, PageCleanerLoop};

/// Pages of one chunk of the LRU tail flush (section 4.2).
const LRU_CHUNK_PAGES: u32 = 100;
const OUT_OF_REACH: u64 = u64::MAX / 4;
/// Redo capacity of a server that nothing keeps from overwriting old redo.
pub(crate) const UNGUARDED: WriterLimits = WriterLimits { hard_bytes: OUT_OF_REACH, soft_bytes: OUT_OF_REACH };

/// Where the page cleaner stands between two calls of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Sleeping,
    /// The LRU part of an active turn.
    LruTails,
    /// Its adaptive part.
    Adaptive,
    /// An idle turn.
    Idle,
}

/// A server of MySQL 5.6.
pub(crate) struct Mysql56 {
    machine: MachineConfig,
    options: Options,
    flag: CheckFlag,
    master: MasterThread,
    cleaner: PageCleanerLoop,
    phase: Phase,
    /// Activity counter at the last active turn.
    last_activity: u64,
    adaptive: AdaptiveState,
    requested: Option<Request>,
    /// A rule in place of adaptive flushing, and the pages that it was last given.
    rule: Option<Box<dyn AdaptiveFlushing>>,
    last_pages: u64,
    last_checkpoint_lsn: u64,
}

impl Mysql56 {
    /// The server of these settings; `rule`, if there is one, stands in place of its adaptive flushing and is asked in each turn
    /// of an active server.
    ///
    /// # Errors
    /// [`SettingsError`] if the server would not start.
    pub(crate) fn build(settings: &Settings, rule: Option<Box<dyn AdaptiveFlushing>>) -> Result<Self, SettingsError> {
        let options = Options::new(settings)?;
        let machine = machine::machine_56(&options);
        Ok(Mysql56 {
            flag: CheckFlag::default(),
            master: MasterThread::default(),
            cleaner: PageCleanerLoop::new(SimTime::ZERO),
            phase: Phase::Sleeping,
            last_activity: 0,
            adaptive: AdaptiveState::default(),
            requested: None,
            rule,
            last_pages: 0,
            last_checkpoint_lsn: machine.redo.start_lsn,
            machine,
            options,
        })
    }

    /// The next turn: its sleep, or its work if it doesn't sleep.
    fn next_turn(&mut self, view: &View<'_>) -> CleanerAction {
        let activity = view.activity != self.last_activity;
        let sleep = self.cleaner.sleep(view.now, activity, view.pending_reads > 0);
        if sleep != SimDuration::ZERO {
            self.phase = Phase::Sleeping;
            return CleanerAction::Wait { until: view.now + sleep, wake_on_event: false };
        }
        self.work(view)
    }

    /// A turn after its sleep.
    fn work(&mut self, view: &View<'_>) -> CleanerAction {
        let activity = view.activity != self.last_activity;
        match self.cleaner.begin_turn(view.now, activity) {
            Branch::Active => {
                self.last_activity = view.activity;
                self.phase = Phase::LruTails;
                let slots = vec![0; self.options.instances()];
                let lru = LruWork::Chunks(LRU_CHUNK_PAGES);
                CleanerAction::Flush(FlushRequest { lru, ..FlushRequest::list(FlushKind::LruOnly, slots) })
            }
            Branch::Idle => {
                self.phase = Phase::Idle;
                let pages = pct_io(self.options.adaptive.io_capacity, 100);
                CleanerAction::Flush(self.buf_flush_list(FlushKind::Background, pages, u64::MAX))
            }
        }
    }

    /// The request of a turn by a rule that is not the server's own; without limit of LSN.
    fn flush_by_rule(&mut self, view: &View<'_>) -> Option<CleanerAction> {
        let input = RuleInput {
            sync_limit_lsn: None,
            last_pages: self.last_pages,
            limit_for_age_bytes: self.options.ages.max_modified_age_async,
            free_check_capacity_bytes: self.options.ages.max_checkpoint_age,
        };
        let rule = self.rule.as_mut()?;
        let Recommendation { n_pages, slots } = rule.recommend(view, input);
        if let Some(pause) = rule.next_pass_in() {
            self.cleaner.next_loop_time = view.now + pause;
        }
        self.last_pages = 0;
        if n_pages == 0 {
            return Some(self.next_turn(view));
        }
        self.phase = Phase::Adaptive;
        let request = self.buf_flush_list(FlushKind::Adaptive, n_pages, u64::MAX);
        let slots = if slots.len() == self.options.instances() { slots } else { request.slots };
        Some(CleanerAction::Flush(FlushRequest { slots, ..FlushRequest::list(FlushKind::Adaptive, Vec::new()) }))
    }

    /// Adaptive flushing, after the LRU tails; LSN and dirty pages are looked at only now.
    fn adaptive_flush(&mut self, view: &View<'_>) -> CleanerAction {
        if let Some(action) = self.flush_by_rule(view) {
            return action;
        }
        let lists = ListLengths { lru: view.lru_pages, free: view.free_pages, flush_list: view.dirty_pages };
        let seen = Seen {
            cur_lsn: view.current_lsn,
            oldest_lsn: view.oldest_modification_lsn,
            dirty_pct: lists.modified_ratio_pct(),
        };
        let Some(request) = self.adaptive.request(&self.options.adaptive, seen) else { return self.next_turn(view) };
        self.requested = Some(request);
        self.phase = Phase::Adaptive;
        CleanerAction::Flush(self.buf_flush_list(FlushKind::Adaptive, request.n_pages, request.lsn_limit))
    }

    /// Books what was flushed and goes on.
    fn flushed(&mut self, view: &View<'_>, report: PassReport) -> CleanerAction {
        match self.phase {
            Phase::LruTails => {
                self.cleaner.n_flushed = report.lru_pages;
                return self.adaptive_flush(view);
            }
            Phase::Adaptive => {
                self.adaptive.flushed(report.list_pages);
                self.last_pages = report.list_pages;
                self.cleaner.n_flushed += report.list_pages;
            }
            Phase::Idle | Phase::Sleeping => self.cleaner.n_flushed = report.list_pages,
        }
        self.next_turn(view)
    }

    /// `buf_flush_list`: an equal share for each instance, one after the other.
    fn buf_flush_list(&self, kind: FlushKind, min_n: u64, lsn_limit: u64) -> FlushRequest {
        let instances = self.options.instances();
        let slots = vec![min_n_per_instance(min_n, instances as u64); instances];
        FlushRequest { lsn_limit, ..FlushRequest::list(kind, slots) }
    }

    /// `log_check_margins` from the top: once more round if the flag is raised.
    fn check_margins(&mut self, view: &View<'_>, wait: &mut FreeCheckWait) -> FreeCheck {
        let lsns = lsns(view);
        if !self.flag.is_raised(&lsns, &self.options.ages) {
            *wait = FreeCheckWait::default();
            return FreeCheck::Proceed;
        }
        let margin = log_checkpoint_margin(&lsns, &self.options.ages, MARGIN_56);
        if !margin.flag_stays {
            self.flag.clear(view.current_lsn);
        }
        let Some(new_oldest) = margin.new_oldest else { return self.checkpoint(view, wait, margin.checkpoint) };
        set_place(wait, Stage::Flushed, margin.checkpoint);
        FreeCheck::Flush(self.buf_flush_list(FlushKind::Sync, u64::MAX, new_oldest))
    }

    /// The checkpoint that the margin calls for.
    fn checkpoint(&mut self, view: &View<'_>, wait: &mut FreeCheckWait, kind: MarginCheckpoint) -> FreeCheck {
        if kind == MarginCheckpoint::None {
            return self.check_margins(view, wait);
        }
        set_place(wait, Stage::Checkpointed, kind);
        FreeCheck::Checkpoint { wait: kind == MarginCheckpoint::Sync }
    }
}

impl ServerModel for Mysql56 {
    fn config(&self) -> &MachineConfig {
        &self.machine
    }

    fn instance_of(&self, space_id: u32, page_no: u32) -> u32 {
        buf_pool_get(space_id, page_no, self.options.buffer_pool_instances)
    }

    fn age_limits(&self) -> AgeLimits {
        age_limits(&self.options)
    }

    fn writer_limits(&self) -> WriterLimits {
        UNGUARDED
    }

    fn free_check_limit_lsn(&self) -> u64 {
        self.last_checkpoint_lsn + self.options.ages.max_modified_age_sync
    }

    fn free_check(&mut self, view: &View<'_>, wait: &mut FreeCheckWait) -> FreeCheck {
        let (stage, checkpoint) = place(wait);
        match stage {
            Stage::Begin | Stage::Checkpointed => self.check_margins(view, wait),
            Stage::Flushed => {
                set_place(wait, Stage::Waited, checkpoint);
                FreeCheck::WaitForBatches
            }
            Stage::Waited if wait.report.busy_instances > 0 => {
                self.flag.raise();
                self.check_margins(view, wait)
            }
            Stage::Waited => self.checkpoint(view, wait, checkpoint),
        }
    }

    fn checkpoint_published(&mut self, view: &View<'_>) {
        self.last_checkpoint_lsn = view.last_checkpoint_lsn;
    }

    fn cleaner(&mut self, view: &View<'_>, input: CleanerInput) -> CleanerAction {
        match input {
            CleanerInput::Start => {
                self.cleaner = PageCleanerLoop::new(view.now);
                self.next_turn(view)
            }
            CleanerInput::Done(report) => self.flushed(view, report),
            CleanerInput::Timeout
            | CleanerInput::Event
            | CleanerInput::BatchesOver
            | CleanerInput::CheckpointTaken
            | CleanerInput::Purged
            | CleanerInput::Merging { .. }
            | CleanerInput::RedoSynced => self.work(view),
        }
    }

    fn checkpointer(&mut self, view: &View<'_>, input: CheckpointerInput) -> CheckpointerAction {
        self.master.next(view, input)
    }

    fn starts_after(&mut self, before: WorkBefore) {
        if let Some(rule) = &mut self.rule {
            rule.starts_after(before);
        }
        (self.adaptive.lsn_avg_rate, self.adaptive.avg_page_rate) =
            (before.redo_bytes_per_s, before.pages_flushed_per_s);
    }

    fn gauges(&self) -> FlushGauges {
        if let Some(rule) = &self.rule {
            return rule.gauges();
        }
        self.adaptive.gauges(self.requested.as_ref())
    }

    fn failure(&self) -> Option<&str> {
        self.rule.as_ref().and_then(|rule| rule.failure())
    }
}

/// The limits as monitoring shows them, of 5.6 and 5.7.
pub(crate) fn age_limits(options: &Options) -> AgeLimits {
    AgeLimits {
        async_bytes: options.ages.max_modified_age_async,
        sync_bytes: options.ages.max_modified_age_sync,
        stop_bytes: options.ages.max_checkpoint_age,
        adaptive_full_bytes: options.ages.max_modified_age_async,
        sync_flush_start_bytes: options.ages.max_modified_age_sync,
        adaptive_low_water_bytes: options.adaptive.low_water_mark(),
    }
}
