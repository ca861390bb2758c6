//! Warm-up detection by the marginal standard error rule, MSER-5.
//!
//! A simulated server starts with a clean pool, so its first seconds tell of the start and not of the server. MSER-5
//! (White, Cobb and Spratt, 2000) takes means over 5 seconds and drops the first `d` of them, with the `d` that makes
//! the standard error of what is left smallest:
//!
//! ```text
//!   d* = argmin  sum over i > d of (x_i - mean)^2  /  (n - d)^2
//!           d
//! ```
//!
//! Dropping a transient lowers the sum faster than the divisor; dropping good data only lowers the divisor.
//!
//! It is applied to the throughput and to the checkpoint age, and the later of the two counts: a closed loop can look
//! settled in throughput while the age still climbs towards the limit that will bring it down.
//!
//! At most half of the run is dropped. If the rule wants more, the run was too short to tell: the estimate is capped
//! and marked as not converged. The last few means are never the whole of what is kept, as the rule is known to fall
//! for a chance agreement of a handful. The answer is rounded up to whole 10 seconds, the grain of the latency
//! histograms.

use crate::metrics::SecondSample;
use serde::Serialize;

/// Seconds in one mean.
const BATCH: usize = 5;
/// Fewest means that are kept.
const FEWEST_KEPT: usize = 6;
/// The answer is a multiple of this many seconds, where the cap allows it.
const GRAIN_S: u64 = 10;

/// How long the warm-up took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct WarmupEstimate {
    /// Seconds to leave out at the start; at most half of the run.
    pub seconds: u64,
    /// Whether the series settled within the first half.
    pub converged: bool,
}

/// Finds the end of the warm-up from the throughput and the checkpoint age. See the [module page](self).
pub fn detect_warmup(series: &[SecondSample]) -> WarmupEstimate {
    let tps: Vec<f64> = series.iter().map(|s| s.transactions as f64).collect();
    let age: Vec<f64> = series.iter().map(|s| s.checkpoint_age_bytes as f64).collect();
    let wanted = truncation(&tps).max(truncation(&age)) as u64;
    let half = series.len() as u64 / 2;
    let cap = if half >= GRAIN_S { half / GRAIN_S * GRAIN_S } else { half };
    WarmupEstimate { seconds: wanted.next_multiple_of(GRAIN_S).min(cap), converged: wanted <= half }
}

/// Seconds that MSER-5 wants dropped.
fn truncation(values: &[f64]) -> usize {
    let means: Vec<f64> = values.chunks_exact(BATCH).map(|b| b.iter().sum::<f64>() / BATCH as f64).collect();
    let mut best = (f64::INFINITY, 0);
    // Welford's update from the end to the start: the sum of squares of every tail without cancellation.
    let (mut mean, mut squares) = (0.0, 0.0);
    for (dropped, &x) in means.iter().enumerate().rev() {
        let kept = means.len() - dropped;
        let delta = x - mean;
        mean += delta / kept as f64;
        squares += delta * (x - mean);
        let statistic = squares / (kept * kept) as f64;
        // At equal merit the longer tail wins, so that a constant series loses nothing.
        if kept >= FEWEST_KEPT && statistic <= best.0 {
            best = (statistic, dropped);
        }
    }
    best.1 * BATCH
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(tps: impl Fn(u64) -> u64, age: impl Fn(u64) -> u64, seconds: u64) -> Vec<SecondSample> {
        let row = |second| SecondSample {
            second,
            transactions: tps(second),
            checkpoint_age_bytes: age(second),
            ..SecondSample::default()
        };
        (1..=seconds).map(row).collect()
    }

    fn noise(s: u64) -> u64 {
        s * 7919 % 11
    }

    #[test]
    fn a_settled_series_loses_nothing() {
        let e = detect_warmup(&series(|_| 100, |_| 5000, 600));
        assert_eq!(e, WarmupEstimate { seconds: 0, converged: true });
    }

    #[test]
    fn a_step_is_cut_where_it_ends() {
        let e = detect_warmup(&series(|s| if s <= 95 { 10 } else { 1000 }, |_| 0, 600));
        assert_eq!(e, WarmupEstimate { seconds: 100, converged: true });
    }

    #[test]
    fn the_age_counts_too() {
        let e = detect_warmup(&series(|s| 1000 + noise(s), |s| 1_000_000 * s.min(200) + noise(s), 600));
        assert!(e.converged);
        assert!((190..=210).contains(&e.seconds), "{e:?}");
    }

    #[test]
    fn a_climb_to_the_end_is_capped_and_said() {
        let e = detect_warmup(&series(|_| 1000, |s| s * s, 605));
        assert_eq!(e, WarmupEstimate { seconds: 300, converged: false });
    }

    #[test]
    fn short_series_are_safe() {
        for n in [0, 1, 4, 5, 29, 30] {
            assert!(detect_warmup(&series(|s| s, |s| s, n)).seconds <= n / 2);
        }
    }
}
