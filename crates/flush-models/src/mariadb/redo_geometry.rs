//! Limits that follow from the size of the redo log (`mariadb-10.11` section 1).

/// Header of the redo file from 10.8 on, bytes.
pub const LOG_HEADER_BYTES: u64 = 12_288;
/// Header of the redo file before, bytes.
pub const LOG_HEADER_BYTES_106: u64 = 2048;
/// Pages of redo kept free: 4 for each of 10 threads, and 8.
const FREE_PAGES: u64 = 48;

/// `log_t::set_capacity`: limits of the checkpoint age, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogCapacity {
    /// `log_capacity`: beyond it crash recovery may be lost; base of the low-water mark of adaptive flushing.
    pub log_capacity: u64,
    /// `max_modified_age_async`: beyond it the page cleaner flushes for the age alone; 100 % of the age factor.
    pub max_modified_age_async: u64,
    /// `max_checkpoint_age` (status `Innodb_checkpoint_max_age`): beyond it flushing is furious and user threads wait.
    pub max_checkpoint_age: u64,
}

impl LogCapacity {
    /// Limits for a log of `file_size` bytes; `None` if the server would refuse to start with it.
    pub fn new(file_size: u64, page_size: u64) -> Option<Self> {
        LogCapacity::with_header(file_size, page_size, LOG_HEADER_BYTES)
    }

    /// The same for a file whose header has this many bytes.
    pub fn with_header(file_size: u64, page_size: u64, header_bytes: u64) -> Option<Self> {
        let cap = file_size.checked_sub(header_bytes)?;
        let cap = cap - cap / 10;
        let free = FREE_PAGES * page_size;
        if free >= cap / 2 {
            return None;
        }
        let margin = cap - free;
        let margin = margin - margin / 10;
        Some(LogCapacity { log_capacity: cap, max_modified_age_async: margin - margin / 8, max_checkpoint_age: margin })
    }
}
