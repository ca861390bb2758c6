//! What a buffer of changed records over a page store is built with (TNT): its size, its passes, the row cache.

use crate::kernel::time::SimDuration;
use serde::{Deserialize, Serialize};

/// Redo kept free beyond what is reckoned with: headers of blocks, roundings.
const ROOM_TO_SPARE: u64 = 64 << 10;

/// Changes of records are kept in memory and merged into pages later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordsConfig {
    /// Memory for changed records, bytes; who changes a record while it is full waits.
    pub buffer_bytes: u64,
    /// How often the purge thread looks whether a pass is due.
    pub purge_poll: SimDuration,
    /// From the start of a pass to the next.
    pub purge_interval: SimDuration,
    /// Share of the buffer in use, percent, from which a pass is due before its time.
    pub purge_threshold_pct: u32,
    /// Passes after the last of which redo counts as merged.
    pub passes_a_release: u32,
    /// Memory for cached records, bytes; 0 for no row cache.
    pub row_cache_bytes: u64,
    /// How often changed records of the row cache are written back to their pages.
    pub write_back_every: SimDuration,
    /// Most records written back at a time.
    pub write_back_records: u64,
    /// Bytes of a record where the workload does not say how many rows a page holds.
    pub record_bytes: u32,
    /// Memory that a record takes beyond its own bytes: its hash entry, its header, its index entries.
    pub overhead_bytes: u32,
    /// Whether the redo log grows when it is full, so that nobody ever waits for room.
    pub redo_grows: bool,
}

impl RecordsConfig {
    /// Times that the redo of a change is written again: when it is merged, and if its record is written back from the row
    /// cache.
    pub fn merges(&self) -> u64 {
        if self.row_cache_bytes > 0 { 2 } else { 1 }
    }

    /// Bytes that the redo log must have free for so many bytes of redo.
    pub fn room_for(redo_bytes: u64) -> u64 {
        redo_bytes.saturating_mul(9) / 8 + ROOM_TO_SPARE
    }

    /// Bytes that the redo log must have for a transaction that writes `largest_redo` bytes at most: with less it would wait
    /// for ever.
    pub fn least_redo_log(&self, largest_redo: u64) -> u64 {
        Self::room_for(largest_redo.saturating_mul(1 + self.merges()))
    }
}
