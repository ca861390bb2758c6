//! The free check: what a user thread does before a mini-transaction that modifies pages (spec 8.0.21, section 2.3;
//! 8.0.30, section 2.1).

use super::lsn::{LOG_START_LSN, lsn, sn};
use innosim_core::kernel::time::SimDuration;

/// `free_check_limit_sn`: user threads whose sn is above it wait. It never falls below `previous_sn`.
pub fn free_check_limit_sn(previous_sn: u64, last_checkpoint_lsn: u64, free_check_capacity: u64) -> u64 {
    previous_sn.max(sn(last_checkpoint_lsn + free_check_capacity))
}

/// The LSN that corresponds to a limit in sn: positions above the one are exactly those above the other.
pub fn limit_lsn(limit_sn: u64) -> u64 {
    lsn(limit_sn)
}

/// The checkpoint that a thread asks for when it begins to wait at `current_lsn`; `None` if none would help.
pub fn checkpoint_to_request(current_lsn: u64, free_check_capacity: u64) -> Option<u64> {
    (current_lsn > LOG_START_LSN + free_check_capacity).then(|| current_lsn - free_check_capacity)
}

/// Longest sleep of a waiting thread.
const MAX_SLEEP_US: u64 = 100_000;

/// Length of sleep number `n` (from 1) of a thread that begins with `initial`: doubled before sleeps 4, 8, 12, ..., at
/// most 100 ms.
pub fn backoff(initial: SimDuration, n: u32) -> SimDuration {
    let doublings = (n / 4).min(32);
    let max = SimDuration::from_micros(MAX_SLEEP_US);
    SimDuration(initial.0.saturating_mul(1 << doublings)).min(max)
}

/// First sleep of the free check.
pub const FREE_CHECK_FIRST_SLEEP: SimDuration = SimDuration::from_micros(100);
