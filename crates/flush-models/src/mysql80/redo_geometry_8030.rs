//! Redo geometry of 8.0.30 and later: what `innodb_redo_log_capacity` leaves to use (spec 8.0.30, section 1).
//!
//! Redo lives in 32 files, two of which are kept for the file being filled and the next; what remains, less headers and
//! the margin for opening the next file early, is the hard logical capacity at which the log writer stops. 95 % of it
//! is the soft capacity, and all other limits follow from that. The concurrency margin is fixed at start.

use super::limits::{RedoLimits, positive};
use super::lsn::{align_down, align_up, lsn, sn};

/// Files of the redo log.
pub const LOG_N_FILES: u64 = 32;
/// Bytes that each redo file loses to its header.
pub const LOG_FILE_HEADER_BYTES: u64 = 2048;
/// Bytes of headers and of the writer's rounding that never hold redo.
const OVERHEAD_BYTES: u64 = (LOG_N_FILES - 1) * LOG_FILE_HEADER_BYTES + 131_072;
/// Share of the soft capacity in the hard one.
const SOFT_SHARE: f64 = 1.0 - 5.0 / 100.0;
/// Share of `adaptive_flush_max_age` in the soft capacity.
const SYNC_FLUSH_SHARE: f64 = 1.0 - 1.0 / 16.0;

/// The fixed limits of a redo capacity, bytes: `Log_files_capacity`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilesCapacity {
    /// Bytes of one redo file.
    pub file_size: u64,
    /// The next file is wanted when this much of the current one is left, bytes.
    pub next_file_earlier_margin: u64,
    /// The log writer stops here.
    pub hard_logical_capacity: u64,
    /// The writer's extra margin begins here.
    pub soft_logical_capacity: u64,
    /// Sync flushing starts a free-check margin before this.
    pub adaptive_flush_max_age: u64,
    /// The "Max Checkpoint Age" of monitoring.
    pub adaptive_flush_min_age: u64,
    /// Checkpoints are written at once from a free-check margin before this.
    pub aggressive_checkpoint_min_age: u64,
}

impl FilesCapacity {
    /// Limits of a redo log of `physical_capacity` bytes.
    pub fn new(physical_capacity: u64, page_size: u64) -> Self {
        let file_size = physical_capacity / LOG_N_FILES / page_size * page_size;
        let next_file_earlier_margin = align_up((10.0 / 100.0 * file_size as f64).ceil() as u64);
        let usable = physical_capacity as f64 * ((LOG_N_FILES - 2) as f64 / LOG_N_FILES as f64) - OVERHEAD_BYTES as f64;
        let hard_logical_capacity = align_down((usable as u64).saturating_sub(next_file_earlier_margin));
        let soft = align_down((hard_logical_capacity as f64 * SOFT_SHARE).floor() as u64);
        FilesCapacity {
            file_size,
            next_file_earlier_margin,
            hard_logical_capacity,
            soft_logical_capacity: soft,
            adaptive_flush_max_age: align_down((soft as f64 * SYNC_FLUSH_SHARE).floor() as u64),
            adaptive_flush_min_age: align_down(soft - soft / 8),
            aggressive_checkpoint_min_age: align_down(soft - soft / 32),
        }
    }

    /// The concurrency margin, sn bytes, and whether it is the wanted one (`false`: cut, "unsafe").
    pub fn concurrency_margin(&self, thread_concurrency: u64, page_size: u64) -> (u64, bool) {
        let soft = self.soft_logical_capacity as f64;
        let wanted = 4 * page_size * (thread_concurrency + 10) + 4096 + align_down((5.0 / 100.0 * soft) as u64);
        let max = sn(align_down((soft * (50.0 + 5.0) / 100.0) as u64));
        if wanted > max { (max, false) } else { (wanted, true) }
    }

    /// The limits in force with these margins (both in sn bytes); `None` if the margin leaves nothing to use.
    pub fn limits(&self, concurrency_margin: u64, dict_persist_margin: u64) -> Option<RedoLimits> {
        let free_check_margin = lsn(concurrency_margin + dict_persist_margin);
        Some(RedoLimits {
            hard: self.hard_logical_capacity,
            soft: self.soft_logical_capacity,
            age_async: self.adaptive_flush_min_age,
            age_sync: self.adaptive_flush_max_age,
            age_checkpoint: self.aggressive_checkpoint_min_age,
            free_check_margin,
            free_check_capacity: positive(self.soft_logical_capacity, free_check_margin)?,
            limit_for_age: positive(self.adaptive_flush_min_age, free_check_margin)?,
        })
    }

    /// Redo that a file holds, bytes.
    pub fn file_redo_bytes(&self) -> u64 {
        self.file_size - LOG_FILE_HEADER_BYTES
    }

    /// End of the redo file that holds `lsn`, for a log whose first file begins at `first_lsn`.
    pub fn file_end_lsn(&self, lsn: u64, first_lsn: u64) -> u64 {
        let redo_bytes = self.file_redo_bytes();
        first_lsn + (lsn.saturating_sub(first_lsn) / redo_bytes + 1) * redo_bytes
    }
}
