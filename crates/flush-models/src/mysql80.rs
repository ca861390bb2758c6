//! MySQL 8.0 and later, and Percona Server 8.0: the machinery that all their releases share.
//!
//! The page cleaner's coordinator, the bookkeeping of checkpoint requests and the glue to the seam are the same in
//! every release and live here. What a release does its own way (redo geometry, free check, sync flushing,
//! checkpointer) are its `Parts`: `mysql8021` and the later ones name them. What Percona Server changed
//! stands in [`crate::percona80`]. The formulas are pure functions in the modules below, under the names of the servers'
//! documentation, and each is checked against vectors.
//!
//! ```text
//!   Mysql80 ── coordinator ── Box<dyn AdaptiveFlushing>   pages of a pass (AdaptiveRule, or a rule of your own)
//!      │
//!      ├── Box<dyn RedoFiles>                             limits, free check
//!      └── LogState ── CheckpointerThread                 sync limit, checkpoints
//! ```
//!
//! Specification: `innodb-8.0.21` and `innodb-8.0.30`, sections 1, 2 and 4.
//!
//! Simplifications:
//! * Redo logging is always on, and there is no resizing of the redo log during a run.
//! * No table has unpersisted auto-increment metadata: the dictionary margin is 0.
//! * A pass of the coordinator that finds nothing to do takes no time in this machine, while in a server it takes some
//!   ten microseconds. A coordinator that spins (sync flushing with nothing below its limit) therefore pauses for
//!   [`SPIN_PAUSE`] after two such passes in one instant.
//! * The order lag is the constant 2 MiB, as in a server with its default buffers.

pub mod adaptive;
mod at_start;
pub mod checkpoint;
mod checkpointer;
pub mod coordinator;
pub mod doublewrite_layout;
mod fixed_files;
pub mod free_check;
pub mod instance;
pub mod limits;
mod log_state;
pub mod lsn;
mod machine;
pub(crate) mod mysql8016;
pub(crate) mod mysql8021;
pub(crate) mod mysql8027;
pub(crate) mod mysql8030;
mod options;
mod others;
mod polling_checkpointer;
mod redo_files;
pub mod redo_geometry_8021;
pub mod redo_geometry_8030;
mod release;
mod replay;

#[cfg(test)]
mod tests;

pub use crate::coordinator::SPIN_PAUSE;

use crate::legacy::io::pct_io;
use crate::percona80::free_list::backoff_sleep_us;
use crate::percona80::lru_manager::LruManagers;
use crate::settings::{Settings, SettingsError};
use adaptive::{AdaptiveConfig, AdaptiveRule, AgeFactor, Form};
use coordinator::{Branch, CoordinatorState, Top, WaitResult};
use innosim_core::config::{MachineConfig, PAGE_BYTES};
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::seam::{
    AdaptiveFlushing, AgeLimits, CheckpointerAction, CheckpointerInput, CleanerAction, CleanerInput, FlushGauges,
    FlushKind, FlushRequest, FreeCheck, FreeCheckWait, LiveSettings, LruManagerInput, LruWork, PassReport,
    Recommendation, RuleInput, ServerModel, View, WorkBefore, WriterLimits,
};
use log_state::LogState;
use options::Options;
use others::Others;
use redo_files::RedoFiles;
use redo_geometry_8021::MaxAges;
use redo_geometry_8030::FilesCapacity;
use release::{CheckpointerThread, Parts};

/// Where the coordinator stands between two calls of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// In the wait at the top of a pass.
    Waiting {
        /// Whether the server counted as active when the wait began.
        active: bool,
    },
    /// The redo of a pass that begins a second is being made durable.
    SyncingRedo {
        /// Whether the server counted as active at the top of the pass.
        active: bool,
        /// Up to where the pass flushes synchronously, if it does: read before the redo is synced.
        sync_limit: Option<u64>,
    },
    /// The request of a pass is under way.
    Flushing {
        /// What was asked for.
        kind: FlushKind,
        /// When.
        since: SimTime,
    },
    /// Between two passes that follow each other at once.
    Pausing,
}

/// The coordinator's memory.
#[derive(Debug, Clone)]
struct Coordinator {
    phase: Phase,
    state: CoordinatorState,
    /// Activity counter at the last timeout.
    last_activity: u64,
    /// Pages really flushed since the last recommendation, for the next one's average.
    last_pages: u64,
    /// Instant of the last pass that flushed nothing and took no time.
    empty_at: Option<SimTime>,
}

/// A server of MySQL 8.0 or later.
pub(crate) struct Mysql80 {
    machine: MachineConfig,
    options: Options,
    parts: Parts,
    files: Box<dyn RedoFiles>,
    checkpointer: CheckpointerThread,
    log: LogState,
    coordinator: Coordinator,
    rule: Box<dyn AdaptiveFlushing>,
    /// Percona Server.
    lru_managers: LruManagers,
    others: Others,
}

impl Mysql80 {
    /// The adaptive flushing of these settings, without the machinery around it.
    pub(crate) fn adaptive_rule(settings: &Settings, parts: &Parts) -> Result<AdaptiveRule, SettingsError> {
        let options = Options::new(settings)?;
        Ok(AdaptiveRule::new(form(parts, &options), options.adaptive))
    }

    /// The server of these settings, in a release of these parts; `rule`, if there is one, stands in place of its adaptive
    /// flushing. A rule may leave [`Recommendation::slots`] empty: its pages are then spread evenly over the instances.
    pub(crate) fn build(
        settings: &Settings,
        parts: &Parts,
        rule: Option<Box<dyn AdaptiveFlushing>>,
    ) -> Result<Self, SettingsError> {
        let options = Options::new(settings)?;
        let mut machine = machine::machine_config(&options);
        let start_lsn = machine.redo.start_lsn;
        let files = (parts.redo_files)(&options, start_lsn)?;
        machine.redo.files = files.governed();
        if let Some(threads) = &mut machine.redo.log_threads {
            threads.checkpoint_takes_writer_mutex = machine.redo.files.is_some();
        }
        let state = CoordinatorState::new(SimTime::ZERO);
        Ok(Mysql80 {
            log: LogState::new(start_lsn, options.flush_sync),
            coordinator: Coordinator { phase: Phase::Pausing, state, last_activity: 0, last_pages: 0, empty_at: None },
            lru_managers: LruManagers::new(options.buffer_pool_instances, u64::from(options.lru_scan_depth)),
            machine,
            options,
            parts: *parts,
            files,
            checkpointer: parts.checkpointer,
            rule: match rule {
                Some(rule) => rule,
                None => Box::new(Self::adaptive_rule(settings, parts)?),
            },
            others: Others::default(),
        })
    }

    /// What the server would warn of: a redo log that is too small for its threads.
    pub(crate) fn margin_warning(settings: &Settings) -> Result<Option<String>, SettingsError> {
        let options = Options::new(settings)?;
        let (_, safe) = if settings.model.has_files_in_group() {
            MaxAges::new(options.log_file_size, options.log_files_in_group, PAGE_BYTES)
                .concurrency_margin(options.thread_concurrency, PAGE_BYTES)
        } else {
            FilesCapacity::new(options.redo_log_capacity, PAGE_BYTES)
                .concurrency_margin(options.thread_concurrency, PAGE_BYTES)
        };
        Ok((!safe).then(|| {
            format!(
                "the redo log is too small for innodb_thread_concurrency = {}: the server would warn that it is unsafe",
                options.thread_concurrency
            )
        }))
    }

    /// Passes until one of them has something to wait for. A pass that does nothing leaves `n_flushed` at 0 and, if it
    /// timed out, a second ahead, so that the next or the one after it waits.
    fn next_step(&mut self, view: &View<'_>) -> CleanerAction {
        loop {
            let activity = view.activity != self.coordinator.last_activity;
            let active =
                if self.parts.coordinator_of_57 { activity } else { self.coordinator.state.is_active(activity) };
            match self.coordinator.state.top(view.now, active, view.pending_reads > 0) {
                Top::WaitUntil(until) => {
                    self.coordinator.phase = Phase::Waiting { active };
                    return CleanerAction::Wait { until, wake_on_event: true };
                }
                Top::GoOn(result) => {
                    if let Some(action) = self.after_wait(view, active, result) {
                        return action;
                    }
                }
            }
        }
    }

    /// The pass after its wait; `None` if it does nothing. Where redo is made durable first, the pass has read its sync
    /// limit before that, and decides the rest after it (spec 8.0.30, section 3).
    fn after_wait(&mut self, view: &View<'_>, active: bool, result: WaitResult) -> Option<CleanerAction> {
        let activity = view.activity != self.coordinator.last_activity;
        let lsn_avg_rate = self.rule.gauges().lsn_avg_rate;
        // A pass of 5.7 looks again whether the server is active, and takes a sync target only if the event woke it.
        let active = if self.parts.coordinator_of_57 { activity } else { active };
        let sync_limit = if self.parts.coordinator_of_57 && result == WaitResult::Timeout {
            None
        } else {
            self.checkpointer.sync_limit(&*self.files, &mut self.log, view, lsn_avg_rate)
        };
        if self.coordinator.state.after_wait(view.now, result, activity) {
            self.coordinator.last_activity = view.activity;
            if self.parts.syncs_redo_on_timeout {
                self.coordinator.phase = Phase::SyncingRedo { active, sync_limit };
                return Some(CleanerAction::SyncRedo);
            }
        }
        self.decide(view, active, result, sync_limit)
    }

    /// What a pass does; `None` if nothing.
    fn decide(
        &mut self,
        view: &View<'_>,
        active: bool,
        result: WaitResult,
        sync_limit: Option<u64>,
    ) -> Option<CleanerAction> {
        let branch = self.coordinator.state.branch(active, result, sync_limit.is_some(), self.options.idle_flush_pct);
        let request = match branch {
            Branch::Sync if self.parts.coordinator_of_57 => {
                // The next pass waits or not by what this one flushes.
                self.coordinator.state.is_sync_flush = false;
                self.request(FlushKind::Sync, vec![u64::MAX; self.instances()], sync_limit)
            }
            Branch::Sync => self.recommended(view, FlushKind::Sync, sync_limit),
            Branch::Adaptive => self.recommended(view, FlushKind::Adaptive, None),
            Branch::LruOnly if !self.options.has_lru_managers() => self.request(FlushKind::LruOnly, Vec::new(), None),
            Branch::Idle => self.idle_request(),
            Branch::LruOnly | Branch::Nothing => {
                self.coordinator.state.n_flushed = 0;
                return None;
            }
        };
        self.coordinator.phase = Phase::Flushing { kind: request.kind, since: view.now };
        Some(CleanerAction::Flush(request))
    }

    /// Asks the rule and turns its answer into a request.
    fn recommended(&mut self, view: &View<'_>, kind: FlushKind, sync_limit: Option<u64>) -> FlushRequest {
        let limits = self.files.limits();
        let input = RuleInput {
            sync_limit_lsn: sync_limit,
            last_pages: self.coordinator.last_pages,
            limit_for_age_bytes: limits.limit_for_age,
            free_check_capacity_bytes: limits.free_check_capacity,
        };
        let Recommendation { n_pages, slots } = self.rule.recommend(view, input);
        self.others.decided(|other| self.rule.same_with(other));
        if let (Some(pause), None) = (self.rule.next_pass_in(), sync_limit) {
            self.coordinator.state.next_loop_time = view.now + pause;
        }
        self.coordinator.last_pages = 0;
        let instances = self.instances();
        let slots = match (n_pages, slots.len() == instances) {
            (0, _) => Vec::new(),
            (_, true) => slots,
            (_, false) => vec![n_pages.div_ceil(instances as u64); instances],
        };
        let pages_counted = self.rule.pages_counted();
        FlushRequest { pages_counted, ..self.request(kind, slots, sync_limit) }
    }

    /// `innodb_idle_flush_pct` of the I/O capacity, instance after instance.
    fn idle_request(&mut self) -> FlushRequest {
        let pages = pct_io(self.options.adaptive.io_capacity, self.options.idle_flush_pct);
        self.others.decided(|other| pct_io(other.io_capacity, other.idle_flush_pct) == pages);
        let instances = self.instances();
        let slots = vec![pages.div_ceil(instances as u64); instances];
        FlushRequest { reset_event: true, ..FlushRequest::list(FlushKind::Background, slots) }
    }

    /// A request to all slots; no `slots` stand for LRU batches only.
    fn request(&self, kind: FlushKind, slots: Vec<u64>, lsn_limit: Option<u64>) -> FlushRequest {
        let slots = if slots.is_empty() { vec![0; self.instances()] } else { slots };
        FlushRequest {
            lsn_limit: lsn_limit.unwrap_or(u64::MAX),
            reset_event: true,
            lru: if self.options.has_lru_managers() { LruWork::None } else { LruWork::ScanDepth },
            parallel: true,
            ..FlushRequest::list(kind, slots)
        }
    }

    fn instances(&self) -> usize {
        self.machine.buffer_pool.instances as usize
    }

    /// Books a finished pass; the next one begins at once unless the coordinator spins.
    fn pass_done(&mut self, view: &View<'_>, kind: FlushKind, since: SimTime, report: PassReport) -> CleanerAction {
        let c = &mut self.coordinator;
        c.state.n_flushed = report.list_pages + report.lru_pages;
        match kind {
            // 5.7 averages what its timed passes flush.
            FlushKind::Sync if self.parts.coordinator_of_57 => {}
            FlushKind::Background => {}
            _ => c.last_pages += report.list_pages,
        }
        let nothing = report == PassReport::default() && since == view.now;
        let spins = nothing && c.empty_at == Some(view.now);
        c.empty_at = nothing.then_some(view.now);
        if spins {
            c.phase = Phase::Pausing;
            return CleanerAction::Wait { until: view.now + SPIN_PAUSE, wake_on_event: false };
        }
        self.next_step(view)
    }
}

/// The form of adaptive flushing that a server uses.
fn form(parts: &Parts, options: &Options) -> Form {
    if options.percona.is_some_and(|percona| percona.high_checkpoint) {
        return Form { age_factor: AgeFactor::HighCheckpoint, ..parts.form };
    }
    parts.form
}

impl ServerModel for Mysql80 {
    fn config(&self) -> &MachineConfig {
        &self.machine
    }

    fn instance_of(&self, space_id: u32, page_no: u32) -> u32 {
        (self.parts.instance_of)(space_id, page_no, self.machine.buffer_pool.instances)
    }

    fn age_limits(&self) -> AgeLimits {
        let limits = self.files.limits();
        AgeLimits {
            async_bytes: limits.age_async,
            sync_bytes: limits.age_sync,
            stop_bytes: limits.free_check_capacity,
            adaptive_full_bytes: limits.limit_for_age,
            sync_flush_start_bytes: limits.sync_flush_start(),
            adaptive_low_water_bytes: self.options.adaptive.low_water_mark(limits.free_check_capacity),
        }
    }

    fn writer_limits(&self) -> WriterLimits {
        let limits = self.files.limits();
        WriterLimits { hard_bytes: limits.hard, soft_bytes: limits.soft }
    }

    fn writer_in_extra_margin(&mut self, view: &View<'_>, inside: bool) {
        self.log.update_available(view);
        if inside {
            self.log.request_checkpoint(self.log.available_for_checkpoint_lsn);
        }
        self.files.writer_in_extra_margin(view, inside);
    }

    fn update_limits(&mut self, view: &View<'_>) {
        self.files.update_limits(view.last_checkpoint_lsn);
    }

    fn free_check_limit_lsn(&self) -> u64 {
        self.files.free_check_limit_lsn()
    }

    fn free_check(&mut self, view: &View<'_>, wait: &mut FreeCheckWait) -> FreeCheck {
        self.files.free_check(&mut self.log, view, wait)
    }

    fn cleaner(&mut self, view: &View<'_>, input: CleanerInput) -> CleanerAction {
        match (self.coordinator.phase, input) {
            (_, CleanerInput::Start) => {
                self.coordinator.state = CoordinatorState::new(view.now);
                // A server that was up without load is idle in the second in which the load begins.
                self.coordinator.state.was_server_active &= view.up_before == SimDuration::ZERO;
                self.coordinator.last_activity = view.activity;
                self.next_step(view)
            }
            (Phase::Waiting { active }, CleanerInput::Timeout | CleanerInput::Event) => {
                let timeout = input == CleanerInput::Timeout;
                let result = if timeout { WaitResult::Timeout } else { WaitResult::Event };
                self.after_wait(view, active, result).unwrap_or_else(|| self.next_step(view))
            }
            (Phase::SyncingRedo { active, sync_limit }, CleanerInput::RedoSynced) => {
                self.decide(view, active, WaitResult::Timeout, sync_limit).unwrap_or_else(|| self.next_step(view))
            }
            (Phase::Flushing { kind, since }, CleanerInput::Done(report)) => self.pass_done(view, kind, since, report),
            _ => self.next_step(view),
        }
    }

    fn checkpoint_data_synced(&mut self, view: &View<'_>) {
        self.log.last_checkpoint_time = view.now;
    }

    fn checkpointer(&mut self, view: &View<'_>, input: CheckpointerInput) -> CheckpointerAction {
        let lsn_avg_rate = self.rule.gauges().lsn_avg_rate;
        self.checkpointer.step(&mut *self.files, &mut self.log, view, lsn_avg_rate, input)
    }

    fn free_page_pause(&self, tries: u32) -> SimDuration {
        SimDuration::from_micros(backoff_sleep_us(u64::from(tries), false))
    }

    fn lru_manager(&mut self, seen: LruManagerInput) -> SimDuration {
        self.lru_managers.next_sleep(seen)
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

    fn live_settings(&self) -> Option<LiveSettings> {
        let Options { adaptive, flush_sync, idle_flush_pct, .. } = self.options;
        let live = LiveSettings {
            io_capacity: adaptive.io_capacity,
            io_capacity_max: adaptive.io_capacity_max,
            flushing_avg_loops: adaptive.flushing_avg_loops,
            max_dirty_pages_pct: adaptive.max_dirty_pages_pct,
            max_dirty_pages_pct_lwm: adaptive.max_dirty_pages_pct_lwm,
            adaptive_flushing: adaptive.adaptive_flushing,
            adaptive_flushing_lwm: adaptive.adaptive_flushing_lwm,
            flush_sync,
            idle_flush_pct,
        };
        self.rule.with_live(live).map(|_| live)
    }

    fn with_live(&self, settings: LiveSettings) -> Option<Box<dyn ServerModel>> {
        let LiveSettings { flush_sync, idle_flush_pct, .. } = settings;
        let adaptive = AdaptiveConfig::of_live(settings);
        Some(Box::new(Mysql80 {
            parts: self.parts,
            machine: self.machine.clone(),
            options: Options { adaptive, flush_sync, idle_flush_pct, ..self.options.clone() },
            files: self.files.copied(),
            checkpointer: self.checkpointer,
            log: LogState { flush_sync, ..self.log.clone() },
            coordinator: self.coordinator.clone(),
            rule: self.rule.with_live(settings)?,
            lru_managers: self.lru_managers.clone(),
            others: Others::default(),
        }))
    }

    fn compare_with(&mut self, others: &[LiveSettings]) {
        self.others = self.live_settings().map_or_else(Others::default, |own| Others::beside(own, others));
    }

    fn agreeing(&self) -> Vec<bool> {
        self.others.agreeing()
    }
}
