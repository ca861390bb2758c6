//! The checkpointer thread of 8.0.22 and later (spec 8.0.21, section 2.4; 8.0.30, section 2.2): it waits up to a second,
//! on a busy server leaves out passes that only its timer woke unless somebody asks or 7 seconds are over, and lets the
//! page cleaner finish a pass after it woke it.
//!
//! Simplification: with `innodb_flush_sync = OFF` and a request that can't be met yet, the checkpointer of a server
//! spins; here it looks again every [`SPIN_PAUSE`].

use super::SPIN_PAUSE;
use super::checkpoint::log_checkpointer_runs;
use super::log_state::LogState;
use super::redo_files::RedoFiles;
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::seam::{CheckpointerAction, CheckpointerInput, CheckpointerNext, View};

/// Wait of the checkpointer between two passes.
const CHECKPOINTER_WAIT: SimDuration = SimDuration::from_millis(1000);

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

/// The thread.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Checkpointer {
    phase: Phase,
    /// Its event was set while it waited for something else.
    event_is_set: bool,
    /// Activity counter at its last timeout.
    last_activity: u64,
}

impl Checkpointer {
    pub(super) const fn new() -> Self {
        Checkpointer { phase: Phase::Waiting, event_is_set: false, last_activity: 0 }
    }

    /// See [`innosim_core::seam::ServerModel::checkpointer`].
    pub(super) fn step(
        &mut self,
        files: &mut dyn RedoFiles,
        log: &mut LogState,
        view: &View<'_>,
        input: CheckpointerInput,
    ) -> CheckpointerAction {
        match (self.phase, input) {
            (_, CheckpointerInput::Start) => {
                log.last_checkpoint_time = view.now;
                self.last_activity = view.activity;
                files.update_limits(view.last_checkpoint_lsn);
                self.wait(log, view)
            }
            (_, CheckpointerInput::Written) => {
                files.update_limits(view.last_checkpoint_lsn);
                self.pass_done(files, log, view)
            }
            (Phase::AwaitingTick { until }, CheckpointerInput::Event) if view.now < until => {
                self.event_is_set = true;
                let timeout = until.since(view.now);
                sleepless(CheckpointerNext::Wait { timeout, on_cleaner_tick: true })
            }
            (Phase::AwaitingTick { .. }, _) => {
                self.consider_checkpoint(files, log, view).unwrap_or_else(|| self.pass_done(files, log, view))
            }
            (Phase::Waiting, CheckpointerInput::Timeout) => self.timed_out(files, log, view),
            _ => self.pass(files, log, view),
        }
    }

    /// A pass: first sync flushing, then the checkpoint.
    fn pass(&mut self, files: &dyn RedoFiles, log: &mut LogState, view: &View<'_>) -> CheckpointerAction {
        self.event_is_set = false;
        if log.flush_sync && files.sync_target(log, view) != 0 {
            let timeout = files.tick_wait();
            self.phase = Phase::AwaitingTick { until: view.now + timeout };
            let next = CheckpointerNext::Wait { timeout, on_cleaner_tick: true };
            return CheckpointerAction { wake_cleaner: true, next };
        }
        self.consider_checkpoint(files, log, view).unwrap_or_else(|| self.wait(log, view))
    }

    fn consider_checkpoint(
        &mut self,
        files: &dyn RedoFiles,
        log: &mut LogState,
        view: &View<'_>,
    ) -> Option<CheckpointerAction> {
        log.update_available(view);
        let state = log.checkpoint_state(view, &files.limits());
        files.should_checkpoint(&state, log.elapsed_us(view)).then(|| {
            self.phase = Phase::Writing;
            sleepless(CheckpointerNext::Write { lsn: state.available_for_checkpoint_lsn })
        })
    }

    /// The end of a pass: another one at once if there is reason, else a wait.
    fn pass_done(&mut self, files: &dyn RedoFiles, log: &mut LogState, view: &View<'_>) -> CheckpointerAction {
        let goes_on = self.event_is_set || log.request_is_open(view);
        if goes_on { self.pass(files, log, view) } else { self.wait(log, view) }
    }

    fn wait(&mut self, log: &LogState, view: &View<'_>) -> CheckpointerAction {
        let spins = log.request_is_open(view);
        self.phase = if spins { Phase::Spinning } else { Phase::Waiting };
        let timeout = if spins { SPIN_PAUSE } else { CHECKPOINTER_WAIT };
        sleepless(CheckpointerNext::Wait { timeout, on_cleaner_tick: false })
    }

    /// Its timer woke it: on a busy server the pass is left out.
    fn timed_out(&mut self, files: &dyn RedoFiles, log: &mut LogState, view: &View<'_>) -> CheckpointerAction {
        let activity_changed = view.activity != self.last_activity;
        self.last_activity = view.activity;
        let requested = log.requested_checkpoint_lsn;
        if log_checkpointer_runs(true, activity_changed, requested, view.last_checkpoint_lsn, log.elapsed_us(view)) {
            self.pass(files, log, view)
        } else {
            self.wait(log, view)
        }
    }
}

/// An action that leaves the cleaner asleep.
fn sleepless(next: CheckpointerNext) -> CheckpointerAction {
    CheckpointerAction { wake_cleaner: false, next }
}
