//! Decisions of the master thread of 5.5 (`innodb-5.5` section 3.2), as pure functions.
//!
//! The thread works in rounds: ten passes of a second each, then the 10-second part; without activity it goes to its
//! idle loop. Which step follows which is the machinery's; here is what each step asks for.

use crate::legacy::io::pct_io;

/// Share of dirty pages, in percent, above which the 10-second part flushes a full `innodb_io_capacity`.
const MANY_DIRTY_PCT: u64 = 70;

/// Why a 1-second pass flushes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlushReason {
    /// Nothing to flush.
    None,
    /// More than `innodb_max_dirty_pages_pct` of the pool is dirty.
    DirtyPct,
    /// Adaptive flushing.
    Adaptive,
}

/// What a 1-second pass sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OneSecondInput {
    /// Dirty pages, whole percent of the pool.
    pub dirty_pct: u64,
    /// `innodb_max_dirty_pages_pct`.
    pub max_dirty_pages_pct: u64,
    /// `innodb_adaptive_flushing`.
    pub adaptive_flushing: bool,
    /// Pages that the adaptive method asks for.
    pub desired_rate: u64,
    /// Reads and writes in flight.
    pub pending_ios: u64,
    /// Reads and writes since the pass began.
    pub ios: u64,
    /// `innodb_io_capacity`.
    pub io_capacity: u64,
}

/// What a 1-second pass does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OneSecond {
    /// Change-buffer pages to merge; 0 unless I/O was low.
    pub ibuf_merge_pages: u64,
    /// Why it flushes.
    pub flush_reason: FlushReason,
    /// Pages to flush, without LSN limit.
    pub flush_pages: u64,
}

/// The decisions of a 1-second pass.
pub fn srv_master_one_second(input: &OneSecondInput) -> OneSecond {
    let io = input.io_capacity;
    let low_io = input.pending_ios < pct_io(io, 3) && input.ios < pct_io(io, 5);
    let (flush_reason, flush_pages) = if input.dirty_pct > input.max_dirty_pages_pct {
        (FlushReason::DirtyPct, pct_io(io, 100))
    } else if input.adaptive_flushing && input.desired_rate > 0 {
        (FlushReason::Adaptive, pct_io(io, 100).min(input.desired_rate))
    } else {
        (FlushReason::None, 0)
    };
    OneSecond { ibuf_merge_pages: if low_io { pct_io(io, 5) } else { 0 }, flush_reason, flush_pages }
}

/// The first half of the 10-second part: `innodb_io_capacity` pages if I/O was low. `ios`: reads and writes since the
/// round began.
pub fn low_io_flush_pages(pending_ios: u64, ios: u64, io_capacity: u64) -> u64 {
    let low_io = pending_ios < pct_io(io_capacity, 3) && ios < pct_io(io_capacity, 200);
    if low_io { pct_io(io_capacity, 100) } else { 0 }
}

/// Change-buffer pages that the 10-second part merges, whatever else is read and written.
pub fn round_merge_pages(io_capacity: u64) -> u64 {
    pct_io(io_capacity, 5)
}

/// The second half: all of `innodb_io_capacity` if more than 70 % is dirty, a tenth of it otherwise.
pub fn final_flush_pages(dirty_pct: u64, io_capacity: u64) -> u64 {
    pct_io(io_capacity, if dirty_pct > MANY_DIRTY_PCT { 100 } else { 10 })
}
