//! The margin check of every mini-transaction that writes log (`innodb-5.7` section 2.5): the last guard of the redo
//! log.

use crate::legacy::log_margin::LogLsns;
use innosim_core::kernel::time::SimDuration;

/// Sleep of a mini-transaction that no checkpoint would help at once.
const SLEEP: SimDuration = SimDuration::from_millis(100);

/// What a mini-transaction does before it reserves space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitMargin {
    /// It goes on.
    GoOn,
    /// It goes on, with a line in the error log: its log is larger than the redo log's capacity.
    TooLarge,
    /// It raises the flag, sleeps, makes a checkpoint, and goes on without a second look.
    Checkpoint {
        /// The sleep; zero if a checkpoint makes room enough.
        sleep: SimDuration,
    },
}

/// `log_margin_checkpoint_age` for a mini-transaction of `actual_len` bytes of LSN.
pub fn log_margin_checkpoint_age(lsns: &LogLsns, actual_len: u64, log_group_capacity: u64) -> CommitMargin {
    if actual_len > log_group_capacity {
        CommitMargin::TooLarge
    } else if lsns.checkpoint_age() + actual_len > log_group_capacity {
        let enough = lsns.modified_age() + actual_len <= log_group_capacity;
        CommitMargin::Checkpoint { sleep: if enough { SimDuration(0) } else { SLEEP } }
    } else {
        CommitMargin::GoOn
    }
}
