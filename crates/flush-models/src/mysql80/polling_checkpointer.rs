//! The checkpointer thread before 8.0.22 (spec 8.0.21, sections 2.2 and 2.4): it looks every 10 ms, and hands the target of sync
//! flushing to the page cleaner.
//!
//! Simplification: the checkpointer of a server looks again at once after it raised the sync target; here it does so
//! after [`SPIN_PAUSE`].

use super::SPIN_PAUSE;
use super::checkpoint::{buf_flush_request_force, sync_flush_up_to};
use super::coordinator::is_sync_flush_8021;
use super::log_state::LogState;
use super::lsn::ORDER_LAG;
use super::redo_files::RedoFiles;
use innosim_core::kernel::time::SimDuration;
use innosim_core::seam::{CheckpointerAction, CheckpointerInput, CheckpointerNext, View};

/// Wait of the checkpointer between two looks.
const CHECKPOINTER_WAIT: SimDuration = SimDuration::from_millis(10);

/// The thread.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PollingCheckpointer {
    /// Target of sync flushing; never falls, unless it is served once.
    buf_flush_sync_lsn: u64,
    /// Before 8.0.18: whether a pass that takes the target leaves none behind.
    serves_once: bool,
}

impl PollingCheckpointer {
    pub(super) const fn new(serves_once: bool) -> Self {
        PollingCheckpointer { buf_flush_sync_lsn: 0, serves_once }
    }

    /// LSN up to which the page cleaner flushes synchronously in this pass.
    pub(super) fn sync_limit(&mut self, log: &LogState, view: &View<'_>) -> Option<u64> {
        if self.serves_once {
            let target = if log.flush_sync { std::mem::take(&mut self.buf_flush_sync_lsn) } else { 0 };
            return (target > 0).then_some(target);
        }
        let target = self.buf_flush_sync_lsn;
        is_sync_flush_8021(log.flush_sync, target, view.last_checkpoint_lsn, ORDER_LAG).then_some(target)
    }

    /// Raises the sync target if dirty pages hold the checkpoint back: whether the cleaner must be woken, and whether
    /// the target rose.
    fn consider_sync_flush(
        &mut self,
        files: &dyn RedoFiles,
        log: &LogState,
        view: &View<'_>,
        lsn_avg_rate: u64,
    ) -> (bool, bool) {
        let limits = files.limits();
        let state = log.checkpoint_state(view, &limits);
        let Some(up_to) = sync_flush_up_to(&state, limits.age_sync).filter(|_| log.flush_sync) else {
            return (false, false);
        };
        let target = buf_flush_request_force(up_to, ORDER_LAG, lsn_avg_rate);
        let raised = target > self.buf_flush_sync_lsn;
        self.buf_flush_sync_lsn = self.buf_flush_sync_lsn.max(target);
        (true, raised)
    }

    /// See [`innosim_core::seam::ServerModel::checkpointer`]; `lsn_avg_rate` in bytes a second.
    pub(super) fn step(
        &mut self,
        files: &mut dyn RedoFiles,
        log: &mut LogState,
        view: &View<'_>,
        lsn_avg_rate: u64,
        input: CheckpointerInput,
    ) -> CheckpointerAction {
        if matches!(input, CheckpointerInput::Start | CheckpointerInput::Written) {
            log.last_checkpoint_time = view.now;
            files.update_limits(view.last_checkpoint_lsn);
        }
        log.update_available(view);
        let (wake_cleaner, raised) = self.consider_sync_flush(files, log, view, lsn_avg_rate);
        let state = log.checkpoint_state(view, &files.limits());
        let next = if files.should_checkpoint(&state, log.elapsed_us(view)) {
            CheckpointerNext::Write { lsn: state.available_for_checkpoint_lsn }
        } else {
            let timeout = if raised { SPIN_PAUSE } else { CHECKPOINTER_WAIT };
            CheckpointerNext::Wait { timeout, on_cleaner_tick: false }
        };
        CheckpointerAction { wake_cleaner, next }
    }
}
