//! LRU manager threads of Percona Server 8.0, one an instance, and their sleep (`percona` section 4.2).
//!
//! Each sleeps, does one LRU batch of its instance and waits for its writes; page cleaner slots then do flush-list batches
//! only. The sleep shrinks to nothing while the free list runs dry and grows by a millisecond at a time while it is full.

/// Longest sleep, milliseconds; also the first.
pub const LONGEST_SLEEP_MS: u64 = 1000;
/// What a sleep loses at a time, milliseconds.
const STEP_DOWN_MS: u64 = 50;

/// `buf_lru_manager_adapt_sleep_time`: the next sleep, milliseconds. `flushed`: pages of the last batch.
pub fn adapt_sleep_ms(sleep_ms: u64, free_len: u64, lru_len: u64, lru_scan_depth: u64, flushed: u64) -> u64 {
    let most = lru_len.min(lru_scan_depth);
    let starved = free_len < most / 100;
    if starved && flushed > 0 {
        0
    } else if starved || free_len > most / 5 {
        (sleep_ms + 1).min(LONGEST_SLEEP_MS)
    } else if free_len < most / 20 && sleep_ms >= STEP_DOWN_MS {
        sleep_ms - STEP_DOWN_MS
    } else {
        sleep_ms
    }
}
