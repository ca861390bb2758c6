//! Neighbour flushing: which range of pages around a victim is looked at (`innodb-5.5` to `innodb-5.7`, section 5.3).

/// Longest read-ahead area, pages.
const MAX_AREA: u64 = 64;
/// LRU lists shorter than this flush no neighbours.
const MIN_LRU_LEN: u64 = 512;

/// `innodb_flush_neighbors`; 5.5 always takes the area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NeighborMode {
    /// The victim alone.
    Off,
    /// The contiguous run of pages ready for flushing around it.
    Contiguous,
    /// Its whole area.
    Area,
}

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

/// The range of pages (from, to exclusive) that is written with a victim. `ready` tells whether a page is in the pool, dirty
/// and not under write.
pub fn flush_area_range(victim: Victim, mode: NeighborMode, ready: impl Fn(u64) -> bool) -> (u64, u64) {
    let page = victim.page_no;
    if victim.lru_len < MIN_LRU_LEN || mode == NeighborMode::Off {
        return (page, (page + 1).min(victim.space_size));
    }
    let area = flush_area(victim.curr_size).max(1);
    let (mut low, mut high) = (page / area * area, (page / area + 1) * area);
    if mode == NeighborMode::Contiguous {
        low = (low..page).rev().find(|&p| !ready(p)).map_or(low, |p| p + 1);
        high = (page + 1..high).find(|&p| !ready(p)).unwrap_or(high);
    }
    (low, high.min(victim.space_size))
}
