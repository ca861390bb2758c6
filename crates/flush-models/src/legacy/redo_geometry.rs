//! Redo geometry: what `innodb_log_file_size` x `innodb_log_files_in_group` leaves to use (`innodb-5.5` to
//! `innodb-5.7`, section 1).
//!
//! A tenth of the files is never used; of the rest, a reserve for threads that are past their check and another tenth
//! go off; the limits are fractions of what remains, all fixed at start-up.

/// Bytes that each redo file loses to its header.
const LOG_FILE_HEADER_BYTES: u64 = 2048;

/// The limits of a group of redo files, bytes: `log_calc_max_ages`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogAges {
    /// The files without their headers.
    pub group_bytes: u64,
    /// Kept free for threads between their check and their append.
    pub reserve: u64,
    /// `log_group_capacity`: base of the low-water mark of adaptive flushing.
    pub log_group_capacity: u64,
    /// `max_modified_age_async`: the age at which adaptive flushing is at 100 %.
    pub max_modified_age_async: u64,
    /// `max_modified_age_sync`: age of the oldest page at which user threads stop for flushing.
    pub max_modified_age_sync: u64,
    /// `max_checkpoint_age_async`: checkpoint age at which a user thread starts a checkpoint.
    pub max_checkpoint_age_async: u64,
    /// `max_checkpoint_age`: checkpoint age at which user threads wait for a checkpoint.
    pub max_checkpoint_age: u64,
}

/// Why a server refuses to start: the reserve would take half of the redo log or more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReserveTooLarge {
    /// The files without their headers, bytes.
    pub group_bytes: u64,
    /// What would have to be kept free, bytes.
    pub reserve: u64,
}

impl LogAges {
    /// Limits of `n_files` files of `file_size` bytes each; `thread_concurrency` is `innodb_thread_concurrency`.
    ///
    /// # Errors
    /// [`ReserveTooLarge`] if the server would refuse to start.
    pub fn new(file_size: u64, n_files: u64, page_size: u64, thread_concurrency: u64) -> Result<Self, ReserveTooLarge> {
        let group_bytes = file_size.saturating_sub(LOG_FILE_HEADER_BYTES) * n_files;
        let log_group_capacity = group_bytes - group_bytes / 10;
        let reserve = 4 * page_size * (10 + thread_concurrency) + 8 * page_size;
        if reserve >= log_group_capacity / 2 {
            return Err(ReserveTooLarge { group_bytes, reserve });
        }
        let rest = log_group_capacity - reserve;
        let m = rest - rest / 10;
        Ok(LogAges {
            group_bytes,
            reserve,
            log_group_capacity,
            max_modified_age_async: m - m / 8,
            max_modified_age_sync: m - m / 16,
            max_checkpoint_age_async: m - m / 32,
            max_checkpoint_age: m,
        })
    }
}
