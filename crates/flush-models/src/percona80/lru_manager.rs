//! LRU manager threads of Percona Server 5.7 and 8.0, one an instance, and their sleep (`percona` section 4.2).
//!
//! Each does one LRU batch of its instance, waits for its writes and sleeps for what is left of its sleep, which counts
//! from the beginning of the batch; page cleaner slots then do flush-list batches only. A thread that neither sleeps nor finds anything to do would spin; here it pauses for [`SPIN_PAUSE`].
//! The sleep shrinks to nothing while the free list runs dry and grows by a millisecond at a time while it is full.

use crate::coordinator::SPIN_PAUSE;
use innosim_core::kernel::time::SimDuration;
use innosim_core::seam::LruManagerInput;

/// Longest sleep, milliseconds; also the first.
pub const LONGEST_SLEEP_MS: u64 = 1000;
/// What a sleep loses at a time, milliseconds.
const STEP_DOWN_MS: u64 = 50;

/// Pages that a thread takes the batch before its first to have processed.
const PROCESSED_BEFORE_FIRST: u64 = 1;

/// `buf_lru_manager_adapt_sleep_time`: the next sleep, milliseconds. `processed`: pages of the last batch, flushed and
/// evicted.
pub fn adapt_sleep_ms(sleep_ms: u64, free_len: u64, lru_len: u64, lru_scan_depth: u64, processed: u64) -> u64 {
    let most = lru_len.min(lru_scan_depth);
    let starved = free_len < most / 100;
    if starved && processed > 0 {
        0
    } else if starved || free_len > most / 5 {
        (sleep_ms + 1).min(LONGEST_SLEEP_MS)
    } else if free_len < most / 20 && sleep_ms >= STEP_DOWN_MS {
        sleep_ms - STEP_DOWN_MS
    } else {
        sleep_ms
    }
}

/// The sleeps of all threads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LruManagers {
    /// By instance, milliseconds.
    sleep_ms: Vec<u64>,
    lru_scan_depth: u64,
}

impl LruManagers {
    /// Threads of a server that starts.
    pub fn new(instances: u32, lru_scan_depth: u64) -> Self {
        LruManagers { sleep_ms: vec![LONGEST_SLEEP_MS; instances as usize], lru_scan_depth }
    }

    /// Time from the batch that a thread begins now to its next.
    pub fn next_sleep(&mut self, seen: LruManagerInput) -> SimDuration {
        let sleep = &mut self.sleep_ms[seen.instance as usize];
        let processed = seen.last.map_or(PROCESSED_BEFORE_FIRST, |last| last.lru_pages + last.evicted_pages);
        *sleep = adapt_sleep_ms(*sleep, seen.free_pages, seen.lru_pages, self.lru_scan_depth, processed);
        SimDuration::from_millis(*sleep).max(if processed == 0 { SPIN_PAUSE } else { SimDuration::ZERO })
    }
}
