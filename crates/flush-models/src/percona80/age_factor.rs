//! `innodb_cleaner_lsn_age_factor = high_checkpoint` of Percona Server 8.0, its default (`percona` section 4.1).
//!
//! Below an age of about 93 % of the limit it asks for less than MySQL's formula, above for more: the standing age is kept
//! higher and the response near the limit is steeper.

use crate::mysql80::adaptive::AdaptiveConfig;

/// Scales the curve so that it meets MySQL's near 93 %.
const DIVISOR: f64 = 700.5;

/// `get_pct_for_lsn` with the factor `high_checkpoint`; ages in bytes. Mind the integer divisions.
pub fn pct_for_lsn_high_checkpoint(
    config: &AdaptiveConfig,
    age: u64,
    free_check_capacity: u64,
    limit_for_age: u64,
) -> u64 {
    if age < config.low_water_mark(free_check_capacity) || (age < limit_for_age && !config.adaptive_flushing) {
        return 0;
    }
    let f = age * 100 / limit_for_age;
    let steps = config.io_capacity_max / config.io_capacity;
    (steps as f64 * ((f * f) as f64 * (f as f64).sqrt()) / DIVISOR) as u64
}
