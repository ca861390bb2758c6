//! MySQL 8.0.30 and later, 8.4 and 9.7 included.
//!
//! 32 redo files of one capacity; a free check that stops everybody while the log writer is inside its extra margin; a
//! coordinator that asks for the sync target itself; a checkpointer that on a busy server writes every 7 seconds unless
//! somebody asks, and that lets the page cleaner finish a pass before it looks again (spec 8.0.30, sections 1, 2 and
//! 4).
//!
//! The free check compares LSNs, as from 8.0.32; 8.0.30 and 8.0.31 compared sn, which stops the same positions but for
//! the few bytes of a block's header and trailer.
//!
//! Simplification: with `innodb_flush_sync = OFF` and a request that can't be met yet, the checkpointer of a server
//! spins; here it looks again every [`SPIN_PAUSE`].

use super::checkpoint::{log_checkpointer_runs, log_should_checkpoint_8030, log_sync_flush_lsn};
use super::coordinator::sync_limit_8030;
use super::free_check::{FREE_CHECK_FIRST_SLEEP, backoff, checkpoint_to_request};
use super::instance::buf_pool_get_8030;
use super::limits::{RedoLimits, dict_persist_margin};
use super::log_state::LogState;
use super::lsn::{LOG_START_LSN, ORDER_LAG};
use super::options::{Options, margin_error};
use super::redo_geometry_8030::FilesCapacity;
use super::release::{LastPages, Release};
use super::{SPIN_PAUSE, options};
use crate::registry::SettingsError;
use innosim_core::config::PAGE_BYTES;
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::seam::{CheckpointerAction, CheckpointerInput, CheckpointerNext, FreeCheck, FreeCheckWait, View};

/// Wait of the checkpointer between two passes.
const CHECKPOINTER_WAIT: SimDuration = SimDuration::from_millis(1000);
/// Longest wait for the end of a cleaner pass.
const TICK_WAIT: SimDuration = SimDuration::from_millis(1000);
/// The same while the log writer is inside its extra margin.
const TICK_WAIT_IN_EXTRA_MARGIN: SimDuration = SimDuration::from_millis(1);

/// Where the checkpointer stands between two calls of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Between two passes.
    Waiting,
    /// In a pass, after it woke the cleaner, until a cleaner pass ends or this instant.
    AwaitingTick {
        /// End of the wait.
        until: SimTime,
    },
    /// A checkpoint is being written.
    Writing,
    /// A request can't be met yet and nothing can be waited for.
    Spinning,
}

/// The release's own state.
#[derive(Debug)]
pub(crate) struct Mysql8030 {
    capacity: FilesCapacity,
    limits: RedoLimits,
    /// 0 while the writer is inside its extra margin; else never falls.
    free_check_limit_lsn: u64,
    writer_inside_extra_margin: bool,
    phase: Phase,
    /// The checkpointer's event was set while it waited for something else.
    event_is_set: bool,
    /// Activity counter at the checkpointer's last timeout.
    last_activity: u64,
}

impl Mysql8030 {
    /// The release with these options, for a redo log that begins at `start_lsn`.
    pub(crate) fn new(options: &Options, start_lsn: u64) -> Result<Self, SettingsError> {
        let capacity = FilesCapacity::new(options.redo_log_capacity, PAGE_BYTES);
        let (concurrency_margin, _) = capacity.concurrency_margin(options.thread_concurrency, PAGE_BYTES);
        let limits = capacity
            .limits(concurrency_margin, dict_persist_margin(options::DIRTY_TABLES, PAGE_BYTES))
            .ok_or_else(|| margin_error("innodb_redo_log_capacity", options))?;
        Ok(Mysql8030 {
            capacity,
            limits,
            free_check_limit_lsn: start_lsn + limits.free_check_capacity,
            writer_inside_extra_margin: false,
            phase: Phase::Waiting,
            event_is_set: false,
            last_activity: 0,
        })
    }

    fn update_limits(&mut self, last_checkpoint_lsn: u64) {
        let limit = last_checkpoint_lsn + self.limits.free_check_capacity;
        self.free_check_limit_lsn =
            if self.writer_inside_extra_margin { 0 } else { self.free_check_limit_lsn.max(limit) };
    }

    /// The sync target, 0 for none.
    fn sync_target(&self, log: &mut LogState, view: &View<'_>) -> u64 {
        log.update_available(view);
        log_sync_flush_lsn(&log.checkpoint_state(view, &self.limits), self.limits.age_sync, ORDER_LAG)
    }

    /// A pass of the checkpointer: first sync flushing, then the checkpoint.
    fn pass(&mut self, log: &mut LogState, view: &View<'_>) -> CheckpointerAction {
        self.event_is_set = false;
        if log.flush_sync && self.sync_target(log, view) != 0 {
            let timeout = if self.writer_inside_extra_margin { TICK_WAIT_IN_EXTRA_MARGIN } else { TICK_WAIT };
            self.phase = Phase::AwaitingTick { until: view.now + timeout };
            let next = CheckpointerNext::Wait { timeout, on_cleaner_tick: true };
            return CheckpointerAction { wake_cleaner: true, next };
        }
        self.consider_checkpoint(log, view).unwrap_or_else(|| self.wait(log, view))
    }

    fn consider_checkpoint(&mut self, log: &mut LogState, view: &View<'_>) -> Option<CheckpointerAction> {
        log.update_available(view);
        let state = log.checkpoint_state(view, &self.limits);
        let file_end = self.capacity.file_end_lsn(view.last_checkpoint_lsn, LOG_START_LSN);
        let elapsed = log.elapsed_us(view);
        log_should_checkpoint_8030(&state, self.limits.age_checkpoint, elapsed, file_end).then(|| {
            self.phase = Phase::Writing;
            sleepless(CheckpointerNext::Write { lsn: state.available_for_checkpoint_lsn })
        })
    }

    /// The end of a pass: another one at once if there is reason, else a wait.
    fn pass_done(&mut self, log: &mut LogState, view: &View<'_>) -> CheckpointerAction {
        if self.event_is_set || log.request_is_open(view) { self.pass(log, view) } else { self.wait(log, view) }
    }

    fn wait(&mut self, log: &LogState, view: &View<'_>) -> CheckpointerAction {
        let spins = log.request_is_open(view);
        self.phase = if spins { Phase::Spinning } else { Phase::Waiting };
        let timeout = if spins { SPIN_PAUSE } else { CHECKPOINTER_WAIT };
        sleepless(CheckpointerNext::Wait { timeout, on_cleaner_tick: false })
    }

    /// The checkpointer's timer woke it: on a busy server the pass is left out.
    fn timed_out(&mut self, log: &mut LogState, view: &View<'_>) -> CheckpointerAction {
        let activity_changed = view.activity != self.last_activity;
        self.last_activity = view.activity;
        let requested = log.requested_checkpoint_lsn;
        if log_checkpointer_runs(true, activity_changed, requested, view.last_checkpoint_lsn, log.elapsed_us(view)) {
            self.pass(log, view)
        } else {
            self.wait(log, view)
        }
    }
}

/// An action that leaves the cleaner asleep.
fn sleepless(next: CheckpointerNext) -> CheckpointerAction {
    CheckpointerAction { wake_cleaner: false, next }
}

impl Release for Mysql8030 {
    fn limits(&self) -> RedoLimits {
        self.limits
    }

    fn instance_of(&self, space_id: u32, page_no: u32, instances: u32) -> u32 {
        buf_pool_get_8030(space_id, page_no, instances)
    }

    fn writer_in_extra_margin(&mut self, view: &View<'_>, inside: bool) {
        self.writer_inside_extra_margin = inside;
        self.update_limits(view.last_checkpoint_lsn);
    }

    fn free_check_limit_lsn(&self) -> u64 {
        self.free_check_limit_lsn
    }

    fn free_check(&mut self, log: &mut LogState, view: &View<'_>, wait: &mut FreeCheckWait) -> FreeCheck {
        self.update_limits(view.last_checkpoint_lsn);
        if wait.sleeps == 0 {
            wait.lsn = view.current_lsn;
        }
        if wait.lsn <= self.free_check_limit_lsn {
            *wait = FreeCheckWait::default();
            return FreeCheck::Proceed;
        }
        let mut wake_checkpointer = false;
        if wait.sleeps == 0 {
            let lsn = checkpoint_to_request(wait.lsn, self.limits.free_check_capacity);
            wake_checkpointer = lsn.is_some_and(|lsn| log.request_checkpoint(lsn));
        }
        wait.sleeps += 1;
        FreeCheck::Sleep { duration: backoff(FREE_CHECK_FIRST_SLEEP, wait.sleeps), wake_checkpointer }
    }

    fn sync_limit(&mut self, log: &mut LogState, view: &View<'_>, lsn_avg_rate: u64) -> Option<u64> {
        let target = self.sync_target(log, view);
        sync_limit_8030(log.flush_sync, target, lsn_avg_rate, true)
    }

    fn checkpointer(
        &mut self,
        log: &mut LogState,
        view: &View<'_>,
        _lsn_avg_rate: u64,
        input: CheckpointerInput,
    ) -> CheckpointerAction {
        match (self.phase, input) {
            (_, CheckpointerInput::Start) => {
                log.last_checkpoint_time = view.now;
                self.last_activity = view.activity;
                self.update_limits(view.last_checkpoint_lsn);
                self.wait(log, view)
            }
            (_, CheckpointerInput::Written) => {
                log.last_checkpoint_time = view.now;
                self.update_limits(view.last_checkpoint_lsn);
                self.pass_done(log, view)
            }
            (Phase::AwaitingTick { until }, CheckpointerInput::Event) if view.now < until => {
                self.event_is_set = true;
                let timeout = until.since(view.now);
                sleepless(CheckpointerNext::Wait { timeout, on_cleaner_tick: true })
            }
            (Phase::AwaitingTick { .. }, _) => {
                self.consider_checkpoint(log, view).unwrap_or_else(|| self.pass_done(log, view))
            }
            (Phase::Waiting, CheckpointerInput::Timeout) => self.timed_out(log, view),
            _ => self.pass(log, view),
        }
    }

    fn last_pages(&self) -> LastPages {
        LastPages::Flushed
    }

    fn syncs_redo_on_timeout(&self) -> bool {
        true
    }

    fn second_ends_inclusively(&self) -> bool {
        true
    }
}
