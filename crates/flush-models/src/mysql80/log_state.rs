//! What all threads of the redo log share, in every release: the LSN available for a checkpoint, the one asked for, and
//! when the last one was written.

use super::checkpoint::{CheckpointMarks, CheckpointState, available_for_checkpoint_lsn};
use super::limits::RedoLimits;
use super::lsn::ORDER_LAG;
use innosim_core::kernel::time::SimTime;
use innosim_core::seam::View;

/// Shared state of the redo log.
#[derive(Debug, Clone)]
pub(crate) struct LogState {
    /// LSN at which a checkpoint could be written; never falls.
    pub(crate) available_for_checkpoint_lsn: u64,
    /// Highest LSN at which a checkpoint was asked for.
    pub(crate) requested_checkpoint_lsn: u64,
    /// When the data files were synced for the last checkpoint; in 8.0.21, when that was written.
    pub(crate) last_checkpoint_time: SimTime,
    /// `innodb_flush_sync`.
    pub(crate) flush_sync: bool,
}

impl LogState {
    /// State of a server whose redo begins at `start_lsn`.
    pub(crate) fn new(start_lsn: u64, flush_sync: bool) -> Self {
        LogState {
            available_for_checkpoint_lsn: start_lsn,
            requested_checkpoint_lsn: 0,
            last_checkpoint_time: SimTime::ZERO,
            flush_sync,
        }
    }

    /// Looks again how far a checkpoint could go.
    pub(crate) fn update_available(&mut self, view: &View<'_>) {
        let marks = CheckpointMarks {
            dirty_pages_added_up_to_lsn: view.current_lsn,
            oldest_modification_approx: view.oldest_modification_lsn,
            order_lag: ORDER_LAG,
            last_checkpoint_lsn: view.last_checkpoint_lsn,
            flushed_to_disk_lsn: view.durable_lsn,
        };
        self.available_for_checkpoint_lsn = available_for_checkpoint_lsn(&marks, self.available_for_checkpoint_lsn);
    }

    /// Asks for a checkpoint at `lsn`; `true` if nobody had asked for one as high.
    pub(crate) fn request_checkpoint(&mut self, lsn: u64) -> bool {
        let raised = lsn > self.requested_checkpoint_lsn;
        self.requested_checkpoint_lsn = self.requested_checkpoint_lsn.max(lsn);
        raised
    }

    /// Whether somebody waits for a checkpoint that is not written yet.
    pub(crate) fn request_is_open(&self, view: &View<'_>) -> bool {
        self.requested_checkpoint_lsn > view.last_checkpoint_lsn
    }

    /// What the checkpoint decisions read.
    pub(crate) fn checkpoint_state(&self, view: &View<'_>, limits: &RedoLimits) -> CheckpointState {
        CheckpointState {
            available_for_checkpoint_lsn: self.available_for_checkpoint_lsn,
            requested_checkpoint_lsn: self.requested_checkpoint_lsn,
            last_checkpoint_lsn: view.last_checkpoint_lsn,
            current_lsn: view.current_lsn,
            free_check_margin: limits.free_check_margin,
        }
    }

    /// Microseconds since the data files were synced for the last checkpoint.
    pub(crate) fn elapsed_us(&self, view: &View<'_>) -> u64 {
        view.now.since(self.last_checkpoint_time).0 / 1000
    }
}
