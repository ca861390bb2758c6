//! `innodb_cleaner_lsn_age_factor = high_checkpoint` of Percona Server 8.0, its default (`percona` section 4.1).
//!
//! Below an age of about 93 % of the limit it asks for less than MySQL's formula, above for more: the standing age is
//! kept higher and the response near the limit is steeper. From which age on it counts is decided as in MySQL
//! ([`AdaptiveConfig::pct_for_lsn`](crate::mysql80::adaptive::AdaptiveConfig::pct_for_lsn)).

/// Scales the curve so that it meets MySQL's near 93 %.
const DIVISOR: f64 = 700.5;

/// Percent of `innodb_io_capacity` that an age of `f` percent of its limit calls for, as from 8.0.30 on: with the fraction
/// of the percentage. `steps` is `innodb_io_capacity_max / innodb_io_capacity`, whole numbers divided.
pub fn high_checkpoint_pct(steps: u64, f: f64) -> u64 {
    (steps as f64 * (f * f * f.sqrt()) / DIVISOR) as u64
}
