//! What 5.6 and 5.7 share of adaptive flushing: its settings and the share that the age calls for (`innodb-5.6` section
//! 3.4, `innodb-5.7` section 3.5).

use crate::percona80::age_factor::high_checkpoint_pct;

/// The settings that the rules read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdaptiveConfig {
    /// `innodb_flushing_avg_loops`.
    pub flushing_avg_loops: u64,
    /// `innodb_io_capacity`, pages a second.
    pub io_capacity: u64,
    /// `innodb_io_capacity_max`, pages a second.
    pub io_capacity_max: u64,
    /// `innodb_max_dirty_pages_pct`, percent; whole in 5.6.
    pub max_dirty_pages_pct: f64,
    /// `innodb_max_dirty_pages_pct_lwm`, percent; whole in 5.6.
    pub max_dirty_pages_pct_lwm: f64,
    /// `innodb_adaptive_flushing`.
    pub adaptive_flushing: bool,
    /// `innodb_adaptive_flushing_lwm`, percent of the log group capacity.
    pub adaptive_flushing_lwm: u64,
    /// `log_group_capacity`, bytes.
    pub log_group_capacity: u64,
    /// `max_modified_age_async`, bytes.
    pub max_modified_age_async: u64,
    /// Percona Server 5.7: `innodb_cleaner_lsn_age_factor = high_checkpoint`.
    pub high_checkpoint: bool,
    /// Percona Server 5.7: from `max_modified_age_async` on the percentages alone say how many pages, and neither the recent
    /// average nor the pages that are due.
    pub percentages_alone_past_async: bool,
}

impl AdaptiveConfig {
    /// Age (bytes) below which the age calls for nothing.
    pub fn low_water_mark(&self) -> u64 {
        self.adaptive_flushing_lwm.wrapping_mul(self.log_group_capacity) / 100
    }

    /// `af_get_pct_for_lsn`: percent of `io_capacity` that an age of `age` bytes calls for. Mind the integer division
    /// `io_capacity_max / io_capacity` and the whole percentage of the age.
    pub fn pct_for_lsn(&self, age: u64) -> u64 {
        if age < self.low_water_mark() || (age < self.max_modified_age_async && !self.adaptive_flushing) {
            return 0;
        }
        let f = (age.wrapping_mul(100) / self.max_modified_age_async) as f64;
        if self.high_checkpoint {
            return high_checkpoint_pct(self.io_capacity_max / self.io_capacity, f);
        }
        ((self.io_capacity_max / self.io_capacity) as f64 * (f * f.sqrt()) / 7.5) as u64
    }
}
