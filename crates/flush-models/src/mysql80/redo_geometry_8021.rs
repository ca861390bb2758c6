//! Redo geometry of 8.0.18 to 8.0.29: what `innodb_log_file_size` x `innodb_log_files_in_group` leaves to use
//! (spec 8.0.21, section 1).
//!
//! The file group loses headers and a safety margin that is never used; what remains is the writer's capacity. The last
//! 5 % of it are the writer's extra margin; user threads must stop a free-check margin before that. The margin can
//! only grow while the server runs: each visit of the writer to the extra margin raises it by 20 %.

use super::limits::{RedoLimits, positive};
use super::lsn::{align_down, align_up, lsn};

/// Bytes that each redo file loses to its header.
const LOG_FILE_HEADER_BYTES: u64 = 2048;

/// The fixed limits of a file group, bytes: `log_calc_max_ages`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaxAges {
    /// Bytes of the files without their headers.
    pub lsn_real_capacity: u64,
    /// Bytes that are never used.
    pub safety_margin: u64,
    /// The log writer stops here.
    pub lsn_capacity_for_writer: u64,
    /// The writer's last resort.
    pub extra_margin: u64,
    /// Writer capacity without the extra margin.
    pub lsn_capacity_for_free_check: u64,
    /// Upper limit of the concurrency margin.
    pub max_concurrency_margin: u64,
    /// The "Max Checkpoint Age" of monitoring.
    pub max_modified_age_async: u64,
    /// Sync flushing starts a free-check margin before this.
    pub max_modified_age_sync: u64,
    /// Checkpoints are written at once from a free-check margin before this.
    pub max_checkpoint_age_async: u64,
}

impl MaxAges {
    /// Limits of `n_files` files of `file_size` bytes each.
    pub fn new(file_size: u64, n_files: u64, page_size: u64) -> Self {
        let lsn_real_capacity = (file_size * n_files).saturating_sub(LOG_FILE_HEADER_BYTES * n_files);
        let safety_margin = ((0.1 * lsn_real_capacity as f64) as u64).min(256 * 4 * page_size);
        let lsn_capacity_for_writer = align_down(lsn_real_capacity - safety_margin);
        let extra_margin = align_down((lsn_capacity_for_writer as f64 * 0.05) as u64);
        let f = lsn_capacity_for_writer - extra_margin;
        MaxAges {
            lsn_real_capacity,
            safety_margin,
            lsn_capacity_for_writer,
            extra_margin,
            lsn_capacity_for_free_check: f,
            max_concurrency_margin: align_up(lsn_capacity_for_writer / 2),
            max_modified_age_async: align_up(f - f / 8),
            max_modified_age_sync: align_up(f - f / 16),
            max_checkpoint_age_async: align_up(f - f / 32),
        }
    }

    /// The concurrency margin at start, sn bytes, and whether it is the wanted one (`false`: cut, "unsafe").
    pub fn concurrency_margin(&self, thread_concurrency: u64, page_size: u64) -> (u64, bool) {
        let wanted = 4 * page_size * (10 + thread_concurrency)
            + 8 * page_size
            + align_down((0.05 * self.lsn_capacity_for_writer as f64) as u64);
        if wanted > self.max_concurrency_margin { (self.max_concurrency_margin, false) } else { (wanted, true) }
    }

    /// The limits in force with these margins (both in sn bytes); `None` if the margin leaves nothing to use.
    pub fn limits(&self, concurrency_margin: u64, dict_persist_margin: u64) -> Option<RedoLimits> {
        let free_check_margin = lsn(concurrency_margin + dict_persist_margin);
        Some(RedoLimits {
            hard: self.lsn_capacity_for_writer,
            soft: self.lsn_capacity_for_free_check,
            age_async: self.max_modified_age_async,
            age_sync: self.max_modified_age_sync,
            age_checkpoint: self.max_checkpoint_age_async,
            free_check_margin,
            free_check_capacity: positive(self.lsn_capacity_for_free_check, free_check_margin)?,
            limit_for_age: positive(self.max_modified_age_async, free_check_margin)?,
        })
    }
}

/// The concurrency margin (sn bytes) after the log writer entered the extra margin: 20 % more, within its maximum.
pub fn increase_concurrency_margin(concurrency_margin: u64, max_concurrency_margin: u64) -> u64 {
    align_up((concurrency_margin as f64 * 1.2) as u64).min(max_concurrency_margin)
}
