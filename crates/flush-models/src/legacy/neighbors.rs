//! Neighbour flushing: the area in which pages around a victim are looked at (`innodb-5.5` to `innodb-5.7`, section 5.3).

/// Longest read-ahead area, pages.
const MAX_AREA: u64 = 64;

/// Read-ahead area of an instance of `curr_size` pages: a power of two, 64 at most.
pub fn read_ahead_area(curr_size: u64) -> u64 {
    (curr_size / 32).next_power_of_two().min(MAX_AREA)
}

/// The aligned area that neighbours of a page come from, pages.
pub fn flush_area(curr_size: u64) -> u64 {
    read_ahead_area(curr_size).min(curr_size / 16)
}
