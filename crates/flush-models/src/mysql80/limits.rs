//! The redo limits in force, in the form that both geometries of 8.0 give them.
//!
//! 8.0.21 and 8.0.30 name and compute their limits differently (`redo_geometry_8021`, `redo_geometry_8030`) but use
//! them in the same places; this is the common denominator that the rest of the machinery reads.

use super::lsn::align_down;

/// Limits of the redo log, bytes of LSN, measured from the last checkpoint unless said otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RedoLimits {
    /// The log writer stops here: `lsn_capacity_for_writer`, `hard_logical_capacity`.
    pub hard: u64,
    /// The extra margin begins here: `lsn_capacity_for_free_check`, `soft_logical_capacity`.
    pub soft: u64,
    /// `max_modified_age_async`, `adaptive_flush_min_age`.
    pub age_async: u64,
    /// `max_modified_age_sync`, `adaptive_flush_max_age`.
    pub age_sync: u64,
    /// Checkpoint age from which checkpoints are written at once: `max_checkpoint_age_async`,
    /// `aggressive_checkpoint_min_age`.
    pub age_checkpoint: u64,
    /// Redo kept free for threads that are past their free check.
    pub free_check_margin: u64,
    /// Checkpoint age at which user threads stop.
    pub free_check_capacity: u64,
    /// Age of the oldest page at which the age factor of adaptive flushing is 100 %.
    pub limit_for_age: u64,
}

impl RedoLimits {
    /// Age of the oldest page from which sync flushing is asked for, bytes.
    pub fn sync_flush_start(&self) -> u64 {
        self.age_sync.saturating_sub(self.free_check_margin)
    }
}

/// `align_down(limit - margin)` if that is above zero.
pub(super) fn positive(limit: u64, margin: u64) -> Option<u64> {
    let rest = align_down(limit.checked_sub(margin)?);
    (rest != 0).then_some(rest)
}

/// Redo reserve for persisting dynamic table metadata, in sn bytes: `dict_persist_margin` for `num_dirty_tables` tables
/// with unpersisted auto-increment or corruption metadata. Same in all of 8.0 (spec 8.0.21, section 1).
pub fn dict_persist_margin(num_dirty_tables: u64, page_size: u64) -> u64 {
    if num_dirty_tables == 0 {
        return 0;
    }
    let tables_per_split = (page_size - 120) / 50 / 2;
    let mut splits = 0;
    let mut level = num_dirty_tables;
    while level > 0 {
        splits += level / tables_per_split + 1;
        level /= tables_per_split;
    }
    80 * num_dirty_tables + 500 * splits + page_size / 2 * 3
}
