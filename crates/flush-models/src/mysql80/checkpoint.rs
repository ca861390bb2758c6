//! Checkpoints: which LSN is available, when one is due, when dirty pages must be flushed for it (spec 8.0.21 and
//! 8.0.30, sections 2.2 to 2.4). Pure functions; the checkpointer thread that calls them is in `mysql8021` and
//! `mysql8030`.

use super::lsn::{LOG_BLOCK_BYTES, LOG_BLOCK_HEADER_BYTES};

/// Marks from which `available_for_checkpoint_lsn` follows, bytes of LSN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckpointMarks {
    /// `dirty_pages_added_up_to_lsn`.
    pub dirty_pages_added_up_to_lsn: u64,
    /// Smallest oldest modification over the flush lists, 0 if nothing is dirty.
    pub oldest_modification_approx: u64,
    /// How far flush lists may be out of order, bytes.
    pub order_lag: u64,
    /// Last checkpoint written.
    pub last_checkpoint_lsn: u64,
    /// Durable redo.
    pub flushed_to_disk_lsn: u64,
}

/// The LSN at which a checkpoint could be written now. It never falls below `previous`, the value known before.
pub fn available_for_checkpoint_lsn(marks: &CheckpointMarks, previous: u64) -> u64 {
    let oldest = marks.oldest_modification_approx;
    let lwm = if oldest == 0 {
        marks.dirty_pages_added_up_to_lsn
    } else {
        let behind_oldest = oldest.saturating_sub(marks.order_lag);
        marks.dirty_pages_added_up_to_lsn.min(marks.last_checkpoint_lsn.max(behind_oldest))
    };
    let mut lsn = lwm.min(marks.flushed_to_disk_lsn);
    if lsn.is_multiple_of(LOG_BLOCK_BYTES) {
        lsn = (lsn + LOG_BLOCK_HEADER_BYTES).saturating_sub(LOG_BLOCK_BYTES);
    }
    previous.max(lsn.max(marks.last_checkpoint_lsn))
}

/// What the checkpoint decisions read, bytes of LSN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckpointState {
    /// See [`available_for_checkpoint_lsn`].
    pub available_for_checkpoint_lsn: u64,
    /// Highest LSN at which somebody asked for a checkpoint.
    pub requested_checkpoint_lsn: u64,
    /// Last checkpoint written.
    pub last_checkpoint_lsn: u64,
    /// End of reserved redo.
    pub current_lsn: u64,
    /// Redo kept free for threads past their free check, bytes.
    pub free_check_margin: u64,
}

/// LSN up to which pages must be flushed synchronously, before any order lag is added; `None` if there is no need.
/// `age_sync` in bytes: `max_modified_age_sync`, `adaptive_flush_max_age`.
pub fn sync_flush_up_to(state: &CheckpointState, age_sync: u64) -> Option<u64> {
    let by_age = (state.current_lsn + state.free_check_margin).saturating_sub(age_sync);
    let up_to = by_age.max(state.requested_checkpoint_lsn).min(state.current_lsn);
    (up_to > state.available_for_checkpoint_lsn).then_some(up_to)
}

/// `log_sync_flush_lsn` of 8.0.23 and later: the target with the order lag (bytes) added, or 0.
pub fn log_sync_flush_lsn(state: &CheckpointState, age_sync: u64, order_lag: u64) -> u64 {
    sync_flush_up_to(state, age_sync).map_or(0, |up_to| up_to + order_lag)
}

/// How far a sync request of 8.0.18 to 8.0.22 reaches: three seconds of redo beyond what is needed.
/// `lsn_avg_rate` in bytes a second.
pub fn buf_flush_request_force(up_to: u64, order_lag: u64, lsn_avg_rate: u64) -> u64 {
    up_to + order_lag + lsn_avg_rate * 3
}

/// Whether somebody asked for a checkpoint that can be written now.
fn requested(state: &CheckpointState) -> bool {
    state.last_checkpoint_lsn < state.requested_checkpoint_lsn
        && state.requested_checkpoint_lsn <= state.available_for_checkpoint_lsn
}

/// Whether the checkpoint age calls for a checkpoint at once. `age_checkpoint` in bytes.
fn aggressive(state: &CheckpointState, age_checkpoint: u64) -> bool {
    (state.current_lsn + state.free_check_margin).saturating_sub(state.last_checkpoint_lsn) >= age_checkpoint
}

/// Period of checkpoints that nobody asked for, microseconds.
const CHECKPOINT_EVERY_US: u64 = 1_000_000;

/// `log_should_checkpoint` of 8.0.18 to 8.0.29; `elapsed_us` since the last checkpoint, microseconds.
pub fn log_should_checkpoint_8021(state: &CheckpointState, max_checkpoint_age_async: u64, elapsed_us: u64) -> bool {
    state.available_for_checkpoint_lsn > state.last_checkpoint_lsn
        && (elapsed_us >= CHECKPOINT_EVERY_US || aggressive(state, max_checkpoint_age_async) || requested(state))
}

/// `log_should_checkpoint` of 8.0.30 and later: also as soon as the checkpoint can leave its redo file, which ends at
/// `checkpoint_file_end_lsn`.
pub fn log_should_checkpoint_8030(
    state: &CheckpointState,
    aggressive_checkpoint_min_age: u64,
    elapsed_us: u64,
    checkpoint_file_end_lsn: u64,
) -> bool {
    state.available_for_checkpoint_lsn > state.last_checkpoint_lsn
        && (requested(state)
            || aggressive(state, aggressive_checkpoint_min_age)
            || elapsed_us >= CHECKPOINT_EVERY_US
            || checkpoint_file_end_lsn < state.available_for_checkpoint_lsn)
}

/// Whether the checkpointer of 8.0.22 and later does its work in this pass: a pass that only its timer woke is left out
/// on a busy server, for up to 7 seconds. `elapsed_us` since the last checkpoint, microseconds.
pub fn log_checkpointer_runs(
    woken_by_timeout: bool,
    activity_changed: bool,
    requested_checkpoint_lsn: u64,
    last_checkpoint_lsn: u64,
    elapsed_us: u64,
) -> bool {
    !(woken_by_timeout && activity_changed)
        || requested_checkpoint_lsn > last_checkpoint_lsn
        || elapsed_us >= 7 * CHECKPOINT_EVERY_US
}
