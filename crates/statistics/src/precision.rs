//! How many replications: until the interval is narrow enough, or a limit.
//!
//! After the first replications the spread is known roughly, and the half-width falls with the square root of their
//! number; all that this needs are asked for at once (Stein, 1945), and if the interval is still too wide, more in the
//! same way. Each request depends on the values so far alone, in the order of replications: a sweep ends with the same
//! runs for any number of threads and after any interruption.
//!
//! Looking often and stopping when the interval happens to be narrow would make it cover less than it says. The few
//! looks of this rule cost under a percentage point; a test counts it.

use super::estimate::Estimate;
use serde::{Deserialize, Serialize};

/// When a point of an experiment has been run often enough.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Precision {
    /// Wanted half-width of the 95 % interval as a share of the mean.
    pub relative: f64,
    /// Replications before the first look.
    pub first: u32,
    /// Most replications.
    pub limit: u32,
}

impl Precision {
    /// Replications before the first look that keep the interval honest: with five, the lucky few that look narrow at
    /// once bring coverage under 93 %.
    pub const FIRST: u32 = 10;

    /// Replications wanted in all after those with `values`; as many as there are if they suffice.
    pub fn wanted(&self, values: &[f64]) -> u32 {
        let have = u32::try_from(values.len()).unwrap_or(u32::MAX);
        let first = self.first.max(2).min(self.limit);
        if have < first {
            return first;
        }
        if have >= self.limit || self.reached(values) {
            return have;
        }
        let ratio = Estimate::of(values).relative_half_width().unwrap_or(f64::INFINITY) / self.relative;
        let estimated = (f64::from(have) * ratio * ratio).ceil().min(f64::from(u32::MAX)) as u32;
        // A little more than estimated, so that a second look is seldom needed.
        estimated.saturating_add(estimated / 8).clamp(have + 1, self.limit)
    }

    /// Whether the interval of `values` is narrow enough.
    pub fn reached(&self, values: &[f64]) -> bool {
        Estimate::of(values).relative_half_width().is_some_and(|half| half <= self.relative)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE_PERCENT: Precision = Precision { relative: 0.01, first: 5, limit: 40 };

    #[test]
    fn stops_when_narrow_or_at_the_limit() {
        assert_eq!(ONE_PERCENT.wanted(&[]), 5);
        assert_eq!(ONE_PERCENT.wanted(&[100.0; 5]), 5);
        let wild: Vec<f64> = (0..40).map(|i| if i % 2 == 0 { 1.0 } else { 100.0 }).collect();
        assert_eq!(ONE_PERCENT.wanted(&wild[..5]), 40);
        assert_eq!(ONE_PERCENT.wanted(&wild), 40);
        assert_eq!(ONE_PERCENT.wanted(&[0.0; 5]), 5);
    }

    #[test]
    fn asks_for_what_the_spread_needs() {
        // Deviation 1 about 100 with 5 values: half-width 2.776 / sqrt(5) = 1.24 %, so 5 * 1.24^2 = 7.7, and an eighth more.
        let values = [100.0 - 1.0, 100.0 + 1.0, 100.0, 100.0 - 1.0, 100.0 + 1.0];
        assert_eq!(ONE_PERCENT.wanted(&values), 9);
        assert!(!ONE_PERCENT.reached(&values));
    }
}
