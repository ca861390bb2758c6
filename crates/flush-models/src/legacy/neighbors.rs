//! Neighbour flushing: which range of pages around a victim is looked at (`innodb-5.5` to `innodb-5.7`, section 5.3).

use innosim_core::buffer_pool as neighbors;
use innosim_core::config::FlushNeighbors;

/// Longest read-ahead area, pages.
const MAX_AREA: u64 = 64;
/// LRU lists shorter than this flush no neighbours.
const MIN_LRU_LEN: u64 = 512;

/// Where a victim is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Victim {
    /// Page number in its tablespace.
    pub page_no: u64,
    /// Length of the LRU list of its instance.
    pub lru_len: u64,
    /// Pages of its instance.
    pub curr_size: u64,
    /// Pages of its tablespace.
    pub space_size: u64,
}

/// Read-ahead area of an instance of `curr_size` pages: a power of two, 64 at most.
pub fn read_ahead_area(curr_size: u64) -> u64 {
    (curr_size / 32).next_power_of_two().min(MAX_AREA)
}

/// The aligned area that neighbours of a page come from, pages.
pub fn flush_area(curr_size: u64) -> u64 {
    read_ahead_area(curr_size).min(curr_size / 16)
}

/// The range of pages (from, to exclusive) that is written with a victim. `ready` tells whether a page is in the pool,
/// dirty and not under write.
pub fn flush_area_range(victim: Victim, mode: FlushNeighbors, ready: impl Fn(u64) -> bool) -> (u64, u64) {
    let mode = if victim.lru_len < MIN_LRU_LEN { FlushNeighbors::None } else { mode };
    let range = neighbors::flush_area_range(victim.page_no, flush_area(victim.curr_size), mode, ready);
    (range.start, range.end.min(victim.space_size))
}
