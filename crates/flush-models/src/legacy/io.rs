//! Shares of the I/O capacity, of the buffer pool and of a second (`innodb-5.5` to `innodb-5.7`, sections 3.1, 3.3, 5.1
//! and 8).

/// `PCT_IO`: `pct` percent of `io_capacity` pages; the product is a double, cut to whole pages.
pub fn pct_io(io_capacity: u64, pct: u64) -> u64 {
    (io_capacity as f64 * (pct as f64 / 100.0)) as u64
}

/// Pages of the lists, summed over the buffer pool instances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ListLengths {
    /// LRU lists.
    pub lru: u64,
    /// Free lists.
    pub free: u64,
    /// Flush lists.
    pub flush_list: u64,
}

impl ListLengths {
    /// `buf_get_modified_ratio_pct` of 5.5 and 5.6: dirty pages in whole percent.
    pub fn modified_ratio_pct(&self) -> u64 {
        100 * self.flush_list / (1 + self.lru + self.free)
    }

    /// `buf_get_modified_ratio_pct` of 5.7: with its fraction.
    pub fn modified_ratio_pct_real(&self) -> f64 {
        (100 * self.flush_list) as f64 / (1 + self.lru + self.free) as f64
    }
}

/// Pages of a batch of `min_n` that each of `instances` is asked for: rounded up; [`u64::MAX`] stays without limit.
pub fn min_n_per_instance(min_n: u64, instances: u64) -> u64 {
    if min_n == u64::MAX { u64::MAX } else { min_n.div_ceil(instances) }
}

/// Sleep (µs) of a loop that wants to begin its next turn at `next_loop_time_ms`: a second at most.
pub fn loop_sleep_us(now_ms: u64, next_loop_time_ms: u64) -> u64 {
    next_loop_time_ms.saturating_sub(now_ms).saturating_mul(1000).min(1_000_000)
}

/// `innodb_io_capacity_max` of a server that was told none.
const IO_CAPACITY_MAX_AT_LEAST: u64 = 2000;

/// `innodb_io_capacity` and `innodb_io_capacity_max` in force after start-up (5.6, 5.7). `configured_max` is `None` if
/// the maximum was not set.
pub fn io_capacity_at_startup(io_capacity: u64, configured_max: Option<u64>) -> (u64, u64) {
    match configured_max {
        None if io_capacity >= u64::MAX / 2 => (io_capacity, u64::MAX),
        None => (io_capacity, (2 * io_capacity).max(IO_CAPACITY_MAX_AT_LEAST)),
        Some(max) => (io_capacity.min(max), max),
    }
}

/// `af_get_pct_for_dirty` of 5.7 and later: percent of `io_capacity` that `dirty_pct` percent of dirty pages call for.
pub fn af_get_pct_for_dirty(dirty_pct: f64, max_dirty_pages_pct: f64, max_dirty_pages_pct_lwm: f64) -> u64 {
    if dirty_pct == 0.0 {
        0
    } else if max_dirty_pages_pct_lwm == 0.0 {
        if dirty_pct >= max_dirty_pages_pct { 100 } else { 0 }
    } else if dirty_pct >= max_dirty_pages_pct_lwm {
        (dirty_pct * 100.0 / (max_dirty_pages_pct + 1.0)) as u64
    } else {
        0
    }
}
