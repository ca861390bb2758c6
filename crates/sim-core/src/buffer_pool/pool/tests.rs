//! The pool at its thresholds, where whole runs do not tell one side from the other.

use super::*;
use crate::config::{FreePagePolicy, LruWritten, SyncHolds};
use crate::kernel::random::Rng;
use crate::kernel::time::SimDuration;

/// A pool of so many frames for the pages of `space`, with its first 64 in it, all in its LRU list.
pub(crate) fn with_64_pages(pages: u64, lru_scan_depth: u32, lru_min_len: u32, space: &PageSpace) -> BufferPool {
    let config = BufferPoolConfig {
        pages,
        instances: 1,
        lru_scan_depth,
        lru_min_len,
        old_blocks_pct: 37,
        old_blocks_time: SimDuration::ZERO,
        free_pages: FreePagePolicy::Pause,
        lru_written: LruWritten::Stays,
        sync_holds: SyncHolds::Nothing,
        flush_area_pages: 64,
    };
    let none = CountedPages::new(&[], Vec::new(), 1, Rng::stream(1, 0, "none"));
    let mut pool = BufferPool::new(&config, FlushNeighbors::None, space, none);
    pool.run_arrives(PageRun { first: 0, pages: 64 }, space);
    pool
}

/// A pool of 74 frames with the first 64 of 128 pages in it.
fn ten_frames_are_free(lru_scan_depth: u32, lru_min_len: u32) -> BufferPool {
    let mut space = PageSpace::default();
    space.add(0, 128, &|_, _| 0);
    with_64_pages(74, lru_scan_depth, lru_min_len, &space)
}

/// As many free pages as the scan depth are enough, and a list of the least length is left alone.
#[test]
fn an_lru_batch_is_wanted_below_the_scan_depth_in_a_long_list() {
    assert_eq!(ten_frames_are_free(11, 0).free_of(0), 10);
    let wanted = |scan_depth, min_len| ten_frames_are_free(scan_depth, min_len).lru_batch_wanted(0);
    assert_eq!([wanted(10, 0), wanted(11, 0)], [false, true]);
    assert_eq!([wanted(11, 63), wanted(11, 64)], [true, false]);
}
