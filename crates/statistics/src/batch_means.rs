//! Batch means: the interval of a mean from one long run.
//!
//! The seconds of a run depend on each other, so that their own standard error is far too small. Means of long batches
//! nearly don't: with twenty of them Student's interval applies. Whether the batches are long enough is asked of them:
//! the correlation of neighbours must be near 0 (within 1.64 / sqrt(batches), what independent batches exceed once in
//! twenty times on the upper side).
//!
//! A run must hold many turns of whatever makes it vary; waves with a period as long as a batch defeat the method, and
//! the correlation then mostly shows it. Replications remain the surer way; this one says what a single run is worth.

use super::estimate::Estimate;
use serde::Serialize;

/// Number of batches: fewer waste degrees of freedom, more make the batches short.
const BATCHES: usize = 20;

/// Mean of one long run from means of its batches.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct BatchMeans {
    /// Mean and interval.
    pub estimate: Estimate,
    /// Values in a batch.
    pub batch_len: usize,
    /// Correlation of neighbouring batches, -1..1.
    pub lag1_correlation: f64,
    /// Whether the batches look independent, so that the interval can be believed.
    pub independent: bool,
}

/// Batch means of the `values` of one run after its warm-up, in order of time. Values that fill no batch are left out
/// at the start, where what is left of the warm-up is. `None` for fewer values than batches.
pub fn batch_means(values: &[f64]) -> Option<BatchMeans> {
    let batch_len = values.len() / BATCHES;
    if batch_len == 0 {
        return None;
    }
    let kept = &values[values.len() - batch_len * BATCHES..];
    let means: Vec<f64> = kept.chunks_exact(batch_len).map(|b| b.iter().sum::<f64>() / batch_len as f64).collect();
    let estimate = Estimate::of(&means);
    let lag1_correlation = lag1(&means, estimate.mean);
    let independent = lag1_correlation <= 1.645 / (BATCHES as f64).sqrt();
    Some(BatchMeans { estimate, batch_len, lag1_correlation, independent })
}

fn lag1(values: &[f64], mean: f64) -> f64 {
    let all: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    let neighbours: f64 = values.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    if all > 0.0 { neighbours / all } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Twenty batches of two: means 1, 3, 1, 3, ...
        let values: Vec<f64> = (0..40).map(|i| if i / 2 % 2 == 0 { 1.0 } else { 3.0 }).collect();
        let b = batch_means(&values).unwrap();
        assert_eq!((b.batch_len, b.estimate.mean, b.estimate.count), (2, 2.0, 20));
        assert!((b.lag1_correlation + 0.95).abs() < 1e-12);
        assert!(b.independent);
    }

    #[test]
    fn a_trend_is_noticed() {
        let values: Vec<f64> = (0..400).map(f64::from).collect();
        assert!(!batch_means(&values).unwrap().independent);
        assert!(batch_means(&[5.0; 200]).unwrap().independent);
    }

    #[test]
    fn a_rest_is_left_out_at_the_start() {
        let mut values = vec![1e9; 7];
        values.extend([2.0; 60]);
        assert_eq!(batch_means(&values).unwrap().estimate.mean, 2.0);
        assert_eq!(batch_means(&[1.0; 19]), None);
    }
}
