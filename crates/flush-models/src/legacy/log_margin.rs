//! The margins of the redo log: when an append raises the flag `check_flush_or_checkpoint`, and what a user thread that
//! finds it raised must do (`innodb-5.5` to `innodb-5.7`, sections 2.1 and 2.3).

use super::redo_geometry::LogAges;

/// LSNs at one instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogLsns {
    /// End of the redo.
    pub lsn: u64,
    /// Smallest oldest modification; 0 if nothing is dirty.
    pub oldest_modification: u64,
    /// Last checkpoint.
    pub last_checkpoint_lsn: u64,
}

impl LogLsns {
    /// The oldest modification, or the end of the redo if nothing is dirty.
    pub fn oldest(&self) -> u64 {
        if self.oldest_modification == 0 { self.lsn } else { self.oldest_modification }
    }

    /// Age of the oldest page, bytes.
    pub fn modified_age(&self) -> u64 {
        self.lsn.saturating_sub(self.oldest())
    }

    /// Age of the last checkpoint, bytes.
    pub fn checkpoint_age(&self) -> u64 {
        self.lsn.saturating_sub(self.last_checkpoint_lsn)
    }
}

/// Whether `log_close` raises the flag for the sake of the ages: both are above `modified_limit`
/// (`max_modified_age_async` in 5.5, `max_modified_age_sync` in 5.6 and 5.7), or the checkpoint is very old.
pub fn log_close_flag(lsns: &LogLsns, ages: &LogAges, modified_limit: u64) -> bool {
    lsns.checkpoint_age() > modified_limit
        && (lsns.oldest_modification == 0
            || lsns.modified_age() > modified_limit
            || lsns.checkpoint_age() > ages.max_checkpoint_age_async)
}

/// What a user thread flushes before it goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preflush {
    /// Nothing.
    None,
    /// Pages up to the new oldest LSN, without waiting for other threads' batches (5.5 only).
    Async,
    /// The same, and it waits for everybody's batches.
    Sync,
}

/// What checkpoint a user thread makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarginCheckpoint {
    /// None.
    None,
    /// It starts one.
    Async,
    /// It waits for one, and looks again.
    Sync,
}

/// In what the versions of the margin differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarginRule {
    /// Whether user threads flush between the async and the sync limit.
    pub async_preflush: bool,
    /// By how many times the excess over the sync limit the oldest LSN is moved.
    pub sync_factor: u64,
}

/// MySQL 5.5.
pub const MARGIN_55: MarginRule = MarginRule { async_preflush: true, sync_factor: 2 };
/// MySQL 5.6.
pub const MARGIN_56: MarginRule = MarginRule { async_preflush: false, sync_factor: 2 };
/// MySQL 5.7.
pub const MARGIN_57: MarginRule = MarginRule { async_preflush: false, sync_factor: 1 };

/// One pass of `log_checkpoint_margin` with the flag raised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Margin {
    /// What to flush.
    pub preflush: Preflush,
    /// By how many bytes the oldest LSN shall rise.
    pub advance: u64,
    /// Flush up to this LSN (exclusive); `None` if there is nothing to flush.
    pub new_oldest: Option<u64>,
    /// What checkpoint to make.
    pub checkpoint: MarginCheckpoint,
    /// Whether the flag stays raised.
    pub flag_stays: bool,
}

/// What a user thread that finds the flag raised does.
pub fn log_checkpoint_margin(lsns: &LogLsns, ages: &LogAges, rule: MarginRule) -> Margin {
    let age = lsns.modified_age();
    let (preflush, advance) = if age > ages.max_modified_age_sync {
        (Preflush::Sync, rule.sync_factor * (age - ages.max_modified_age_sync))
    } else if rule.async_preflush && age > ages.max_modified_age_async {
        (Preflush::Async, age - ages.max_modified_age_async)
    } else {
        (Preflush::None, 0)
    };
    let checkpoint = match lsns.checkpoint_age() {
        age if age > ages.max_checkpoint_age => MarginCheckpoint::Sync,
        age if age > ages.max_checkpoint_age_async => MarginCheckpoint::Async,
        _ => MarginCheckpoint::None,
    };
    Margin {
        preflush,
        advance,
        new_oldest: (advance > 0).then(|| lsns.oldest() + advance),
        checkpoint,
        flag_stays: checkpoint == MarginCheckpoint::Sync,
    }
}
