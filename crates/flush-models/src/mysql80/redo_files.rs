//! The redo files of a release: the limits in force, how far user threads may go, and what the checkpointer asks of them.

use super::checkpoint::{CheckpointState, log_sync_flush_lsn};
use super::limits::RedoLimits;
use super::log_state::LogState;
use super::lsn::ORDER_LAG;
use innosim_core::config::RedoFilesConfig;
use innosim_core::kernel::time::SimDuration;
use innosim_core::seam::{FreeCheck, FreeCheckWait, View};

/// Longest wait of the checkpointer for the end of a cleaner pass.
pub(super) const TICK_WAIT: SimDuration = SimDuration::from_millis(1000);

/// Redo files, with their margins as they move during a run.
pub(crate) trait RedoFiles: Send + std::fmt::Debug {
    /// The files as they are at this instant.
    fn copied(&self) -> Box<dyn RedoFiles>;

    /// The limits in force now.
    fn limits(&self) -> RedoLimits;

    /// Looks again how far user threads may go: a checkpoint is written, or a governor that looks after the files goes round.
    fn update_limits(&mut self, last_checkpoint_lsn: u64);

    /// The log writer entered (`inside`) or left its extra margin.
    fn writer_in_extra_margin(&mut self, view: &View<'_>, inside: bool);

    /// LSN above which user threads wait.
    fn free_check_limit_lsn(&self) -> u64;

    /// See [`innosim_core::seam::ServerModel::free_check`].
    fn free_check(&mut self, log: &mut LogState, view: &View<'_>, wait: &mut FreeCheckWait) -> FreeCheck;

    /// Whether a checkpoint is due; `elapsed_us` since the last one, microseconds.
    fn should_checkpoint(&self, state: &CheckpointState, elapsed_us: u64) -> bool;

    /// The files, where a governor looks after them.
    fn governed(&self) -> Option<RedoFilesConfig> {
        None
    }

    /// Longest wait of the checkpointer for the end of a cleaner pass.
    fn tick_wait(&self) -> SimDuration {
        TICK_WAIT
    }

    /// The sync target, 0 for none.
    fn sync_target(&self, log: &mut LogState, view: &View<'_>) -> u64 {
        log.update_available(view);
        let limits = self.limits();
        log_sync_flush_lsn(&log.checkpoint_state(view, &limits), limits.age_sync, ORDER_LAG)
    }
}
