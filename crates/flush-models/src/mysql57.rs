//! MySQL 5.7: a coordinator and page cleaner workers, sync flushing by the cleaners on request, checkpoints by the
//! master thread.
//!
//! ```text
//!   Mysql57 ── CoordinatorLoop        wait | sync flush | adaptive pass | LRU batches only | idle batch
//!      ├────── AdaptiveRule           pages of an adaptive pass, by instance
//!      ├────── sync_lsn               target of sync flushing, raised by user threads
//!      ├────── CheckFlag              what a user thread does at the margins: ask for flushing, poll, checkpoint
//!      └────── MasterThread           a checkpoint in every 7th second, in each second of an idle server
//! ```
//!
//! The formulas are pure functions in the modules below and in [`crate::legacy`], each checked against vectors.
//!
//! Specification: `innodb-5.7`. Simplifications: a user thread looks at the margins before each row that it changes,
//! not at each commit of a mini-transaction (errs towards ages beyond the limits by the redo of a row and client); the
//! log of a mini-transaction counts as one block there; a signal of the flush event that comes while the coordinator
//! finds nothing to do is not dropped (errs towards one pass more).

pub mod commit_margin;
pub mod coordinator;
pub(crate) mod model;
pub mod recommendation;
mod replay;
pub mod request;

use crate::legacy::check_flag::CheckFlag;
use crate::legacy::instance::buf_pool_get;
use crate::legacy::io::{min_n_per_instance, pct_io};
use crate::legacy::log_margin::{LogLsns, MARGIN_57, MarginCheckpoint, log_checkpoint_margin};
use crate::legacy::margin_steps::{Stage, lsns, place, set_place};
use crate::legacy::master_thread::MasterThread;
use crate::mysql56::machine::{machine_57, machine_percona57};
use crate::mysql56::options::Options;
use crate::mysql56::{UNGUARDED, age_limits};
use crate::percona80::free_list::backoff_sleep_us;
use crate::percona80::lru_manager::LruManagers;
use crate::settings::{Settings, SettingsError};
use commit_margin::{CommitMargin, log_margin_checkpoint_age};
use coordinator::{Branch, CoordinatorLoop, Top, WaitResult};
use innosim_core::config::MachineConfig;
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::seam::{
    AdaptiveFlushing, AgeLimits, CheckpointerAction, CheckpointerInput, CleanerAction, CleanerInput, FlushGauges,
    FlushKind, FlushRequest, FreeCheck, FreeCheckWait, LruManagerInput, LruWork, PassReport, Recommendation, RuleInput,
    ServerModel, View, WorkBefore, WriterLimits,
};
use recommendation::AdaptiveRule;

/// How often a user thread looks whether the pages it waits for are written.
const POLL: SimDuration = SimDuration::from_millis(10);
/// Log of a mini-transaction at its commit margin: one redo block.
const MTR_BYTES: u64 = 512;

/// Where the coordinator stands between two calls of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Waiting,
    /// A pass; whether it is the timed one.
    Flushing {
        timed: bool,
    },
}

/// A server of MySQL 5.7.
pub(crate) struct Mysql57 {
    machine: MachineConfig,
    options: Options,
    flag: CheckFlag,
    master: MasterThread,
    coordinator: CoordinatorLoop,
    phase: Phase,
    /// Activity counter at the last adaptive pass.
    last_activity: u64,
    /// Pages that the last timed pass took from the flush lists.
    last_pages: u64,
    rule: Box<dyn AdaptiveFlushing>,
    /// Target of sync flushing; 0 if none is asked for.
    sync_lsn: u64,
    /// Percona Server.
    lru_managers: LruManagers,
    last_checkpoint_lsn: u64,
}

impl Mysql57 {
    /// The server of these settings; `rule`, if there is one, stands in place of its adaptive flushing and is asked in each timed
    /// pass of an active server.
    ///
    /// # Errors
    /// [`SettingsError`] if the server would not start.
    pub(crate) fn build(settings: &Settings, rule: Option<Box<dyn AdaptiveFlushing>>) -> Result<Self, SettingsError> {
        let options = Options::new(settings)?;
        let machine = match options.percona {
            None => machine_57(&options),
            Some(percona) => machine_percona57(&options, percona),
        };
        let lru_managers = LruManagers::new(options.buffer_pool_instances, u64::from(options.lru_scan_depth));
        Ok(Mysql57 {
            flag: CheckFlag::default(),
            master: MasterThread::default(),
            coordinator: CoordinatorLoop::new(SimTime::ZERO),
            phase: Phase::Waiting,
            last_activity: 0,
            last_pages: 0,
            rule: rule.unwrap_or_else(|| Box::new(AdaptiveRule::new(options.adaptive))),
            sync_lsn: 0,
            lru_managers,
            last_checkpoint_lsn: machine.redo.start_lsn,
            machine,
            options,
        })
    }

    /// Passes until one of them has something to wait for. A pass that does nothing leaves `n_flushed` at 0, so that
    /// the next one waits, or times out and flushes.
    fn next_pass(&mut self, view: &View<'_>) -> CleanerAction {
        loop {
            let activity = view.activity != self.last_activity;
            match self.coordinator.top(view.now, activity, view.pending_reads > 0) {
                Top::WaitUntil(until) => {
                    self.phase = Phase::Waiting;
                    return CleanerAction::Wait { until, wake_on_event: true };
                }
                Top::GoOn(result) => {
                    if let Some(action) = self.after_wait(view, result) {
                        return action;
                    }
                }
            }
        }
    }

    /// The pass after its wait; `None` if it does nothing.
    fn after_wait(&mut self, view: &View<'_>, result: WaitResult) -> Option<CleanerAction> {
        let activity = view.activity != self.last_activity;
        let sync = self.options.flush_sync && self.sync_lsn != 0;
        let request = match self.coordinator.after_wait(view.now, result, sync, activity) {
            Branch::Sync => {
                let lsn_limit = std::mem::take(&mut self.sync_lsn);
                FlushRequest { lsn_limit, ..self.pc_request(FlushKind::Sync, u64::MAX, Vec::new()) }
            }
            Branch::Adaptive => {
                self.last_activity = view.activity;
                self.recommend(view)
            }
            Branch::LruOnly if !self.options.has_lru_managers() => self.pc_request(FlushKind::LruOnly, 0, Vec::new()),
            Branch::Idle => self.buf_flush_lists(pct_io(self.options.adaptive.io_capacity, 100)),
            Branch::LruOnly | Branch::Nothing => {
                self.coordinator.n_flushed = 0;
                return None;
            }
        };
        let timed = result == WaitResult::Timeout && request.kind == FlushKind::Adaptive;
        self.phase = Phase::Flushing { timed };
        Some(CleanerAction::Flush(FlushRequest { reset_event: true, ..request }))
    }

    /// An adaptive pass. Everything is sampled before its LRU work.
    fn recommend(&mut self, view: &View<'_>) -> FlushRequest {
        let input = RuleInput {
            sync_limit_lsn: None,
            last_pages: self.last_pages,
            limit_for_age_bytes: self.options.ages.max_modified_age_async,
            free_check_capacity_bytes: self.options.ages.max_checkpoint_age,
        };
        let Recommendation { n_pages, slots } = self.rule.recommend(view, input);
        if let Some(pause) = self.rule.next_pass_in() {
            self.coordinator.next_loop_time = view.now + pause;
        }
        let instances = self.options.instances();
        let even = || vec![n_pages.div_ceil(instances as u64); instances];
        let slots = if slots.len() == instances { slots } else { even() };
        self.pc_request(FlushKind::Adaptive, n_pages, slots)
    }

    /// A request to all slots, LRU batches first; no `slots` stand for no recommendation.
    fn pc_request(&self, kind: FlushKind, min_n: u64, slots: Vec<u64>) -> FlushRequest {
        let slots = if slots.is_empty() { vec![0; self.options.instances()] } else { slots };
        let slots = request::pc_request(min_n, slots).slots;
        let lru = if self.options.has_lru_managers() { LruWork::None } else { LruWork::ScanDepth };
        FlushRequest { lru, parallel: true, ..FlushRequest::list(kind, slots) }
    }

    /// An idle pass: an equal share for each instance, one after the other, by the coordinator alone.
    fn buf_flush_lists(&self, min_n: u64) -> FlushRequest {
        let instances = self.options.instances();
        FlushRequest::list(FlushKind::Background, vec![min_n_per_instance(min_n, instances as u64); instances])
    }

    fn pass_done(&mut self, view: &View<'_>, report: PassReport) -> CleanerAction {
        if self.phase == (Phase::Flushing { timed: true }) {
            self.last_pages = report.list_pages;
        }
        self.coordinator.n_flushed = report.list_pages + report.lru_pages;
        self.next_pass(view)
    }

    /// `log_check_margins` from the top: once more round if the flag is raised.
    fn check_margins(&mut self, view: &View<'_>, wait: &mut FreeCheckWait) -> FreeCheck {
        let lsns = lsns(view);
        if !self.flag.is_raised(&lsns, &self.options.ages) {
            *wait = FreeCheckWait::default();
            return FreeCheck::Proceed;
        }
        let margin = log_checkpoint_margin(&lsns, &self.options.ages, MARGIN_57);
        if !margin.flag_stays {
            self.flag.clear(view.current_lsn);
        }
        let Some(target) = margin.new_oldest else { return self.checkpoint(view, wait, margin.checkpoint) };
        wait.lsn = target;
        set_place(wait, Stage::Waited, margin.checkpoint);
        if self.options.flush_sync {
            let lsn_avg_rate = self.gauges().lsn_avg_rate;
            self.sync_lsn = request::buf_flush_request_force(self.sync_lsn, target, lsn_avg_rate);
            return FreeCheck::WakeCleaner { sleep: POLL };
        }
        FreeCheck::Sleep { duration: POLL, wake_checkpointer: false }
    }

    /// The checkpoint that the margin calls for.
    fn checkpoint(&mut self, view: &View<'_>, wait: &mut FreeCheckWait, kind: MarginCheckpoint) -> FreeCheck {
        if kind == MarginCheckpoint::None {
            return self.check_margins(view, wait);
        }
        set_place(wait, Stage::Checkpointed, kind);
        FreeCheck::Checkpoint { wait: kind == MarginCheckpoint::Sync }
    }

    /// What the commit of a mini-transaction would do.
    fn commit_margin(&mut self, lsns: &LogLsns, wait: &mut FreeCheckWait) -> Option<FreeCheck> {
        match log_margin_checkpoint_age(lsns, MTR_BYTES, self.options.ages.log_group_capacity) {
            CommitMargin::GoOn | CommitMargin::TooLarge => None,
            CommitMargin::Checkpoint { sleep } => {
                self.flag.raise();
                if sleep != SimDuration::ZERO && wait.sleeps == 0 {
                    wait.sleeps = 1;
                    return Some(FreeCheck::Sleep { duration: sleep, wake_checkpointer: false });
                }
                set_place(wait, Stage::Checkpointed, MarginCheckpoint::Async);
                Some(FreeCheck::Checkpoint { wait: true })
            }
        }
    }
}

impl ServerModel for Mysql57 {
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
            Stage::Begin => match self.commit_margin(&lsns(view), wait) {
                Some(answer) => answer,
                None => self.check_margins(view, wait),
            },
            Stage::Checkpointed => self.check_margins(view, wait),
            Stage::Flushed | Stage::Waited => {
                let oldest = view.oldest_modification_lsn;
                if oldest != 0 && oldest < wait.lsn {
                    return FreeCheck::Sleep { duration: POLL, wake_checkpointer: false };
                }
                self.checkpoint(view, wait, checkpoint)
            }
        }
    }

    fn free_page_pause(&self, tries: u32) -> SimDuration {
        SimDuration::from_micros(backoff_sleep_us(u64::from(tries), false))
    }

    fn lru_manager(&mut self, seen: LruManagerInput) -> SimDuration {
        self.lru_managers.next_sleep(seen)
    }

    fn checkpoint_published(&mut self, view: &View<'_>) {
        self.last_checkpoint_lsn = view.last_checkpoint_lsn;
    }

    fn cleaner(&mut self, view: &View<'_>, input: CleanerInput) -> CleanerAction {
        let result = match input {
            CleanerInput::Start => {
                self.coordinator = CoordinatorLoop::new(view.now);
                return self.next_pass(view);
            }
            CleanerInput::Done(report) => return self.pass_done(view, report),
            CleanerInput::Event => WaitResult::Event,
            CleanerInput::Timeout
            | CleanerInput::BatchesOver
            | CleanerInput::CheckpointTaken
            | CleanerInput::Purged
            | CleanerInput::Merging { .. }
            | CleanerInput::RedoSynced => WaitResult::Timeout,
        };
        match self.after_wait(view, result) {
            Some(action) => action,
            None => self.next_pass(view),
        }
    }

    fn checkpointer(&mut self, view: &View<'_>, input: CheckpointerInput) -> CheckpointerAction {
        self.master.next(view, input)
    }

    fn starts_after(&mut self, before: WorkBefore) {
        self.rule.starts_after(before);
    }

    fn gauges(&self) -> FlushGauges {
        self.rule.gauges()
    }

    fn failure(&self) -> Option<&str> {
        self.rule.failure()
    }
}
