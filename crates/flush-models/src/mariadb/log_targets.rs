//! What the checkpoint age makes mini-transactions and waiting user threads do (`mariadb-10.11` sections 2.1 and 2.2).

use super::redo_geometry::LogCapacity;
use innosim_core::kernel::time::SimDuration;

/// Sleep of a user thread between two rounds of [`log_checkpoint_margin`].
pub const MARGIN_SLEEP: SimDuration = SimDuration::from_millis(10);

/// What the end of a mini-transaction asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogClose {
    /// Nothing.
    No,
    /// Raise the soft target of the page cleaner.
    Async,
    /// Set the check flag and raise the furious target.
    Sync,
    /// The same, with a warning in the error log: the redo log may be overwritten.
    SyncOverwriteWarning,
}

/// `log_close`: by checkpoint age (bytes) at the end of a mini-transaction.
pub fn log_close(age: u64, limits: &LogCapacity) -> LogClose {
    if age >= limits.log_capacity {
        LogClose::SyncOverwriteWarning
    } else if age <= limits.max_modified_age_async {
        LogClose::No
    } else if age <= limits.max_checkpoint_age {
        LogClose::Async
    } else {
        LogClose::Sync
    }
}

/// One round of a user thread that found the check flag set: the LSN up to which it waits for page writes, or `None`
/// if the flag can be cleared and the thread goes on. It waits until its own LSN is within the limit. Releases whose
/// mini-transactions set `lsn` itself as the target (see [`flush_ahead_target`]) let the checkpoint advance by 1 MiB.
pub fn log_checkpoint_margin(lsn: u64, last_checkpoint_lsn: u64, max_checkpoint_age: u64) -> Option<u64> {
    (lsn > last_checkpoint_lsn + max_checkpoint_age).then(|| lsn - max_checkpoint_age)
}

/// The target that a mini-transaction past a limit sets in 10.11.19 and its neighbours: with everything older flushed,
/// the age is back at `max_modified_age_async`. Earlier releases set `lsn` itself.
pub fn flush_ahead_target(lsn: u64, limits: &LogCapacity) -> u64 {
    lsn.saturating_sub(limits.max_modified_age_async)
}
