//! Two variants under common random numbers.
//!
//! Replication `i` of either variant meets the same arrivals and keys, so that much of the luck of a run is common to
//! both and cancels in the difference. The interval of the mean difference is narrower than what the two intervals by
//! themselves would suggest; whether those overlap says nothing here.

use super::estimate::Estimate;
use super::student::student_t_two_sided_p;
use serde::Serialize;

/// Width of a class of a histogram of latencies, a share of its value, or a little more.
const CLASS: f64 = 0.02;

/// Differences of a variant to a baseline, replication by replication.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Paired {
    /// Mean of the baseline over the pairs.
    pub baseline_mean: f64,
    /// Variant - baseline: mean and interval.
    pub difference: Estimate,
    /// Probability of a mean difference this large, on either side, if there were none in truth. 1 for fewer than two
    /// pairs. Differences that are all equal (of small counts, or of classes of a histogram) scatter by less than their grain:
    /// they are taken to scatter as values do that were rounded to it.
    pub p_value: f64,
}

impl Paired {
    /// Pairs `variant[i]` with `baseline[i]`; values without a partner are left out.
    pub fn of(variant: &[f64], baseline: &[f64]) -> Paired {
        let differences: Vec<f64> = variant.iter().zip(baseline).map(|(v, b)| v - b).collect();
        let difference = Estimate::of(&differences);
        let baseline_mean = Estimate::of(&baseline[..differences.len()]).mean;
        let pairs = || variant.iter().zip(baseline).flat_map(|(v, b)| [*v, *b]);
        let largest = pairs().fold(0.0, |most: f64, value| most.max(value.abs()));
        let grain = if pairs().all(|value| value.fract() == 0.0) { 1.0 } else { CLASS * largest };
        Paired { baseline_mean, difference, p_value: p_value(&difference, grain) }
    }

    /// Mean difference as a share of the baseline; `None` if that is 0.
    pub fn relative(&self) -> Option<f64> {
        (self.baseline_mean != 0.0).then(|| self.difference.mean / self.baseline_mean.abs())
    }

    /// Half-width of [`Paired::relative`], with the baseline taken as known.
    pub fn relative_half_width(&self) -> Option<f64> {
        let half = self.difference.half_width?;
        (self.baseline_mean != 0.0).then(|| half / self.baseline_mean.abs())
    }
}

fn p_value(difference: &Estimate, grain: f64) -> f64 {
    if difference.count < 2 || difference.mean == 0.0 {
        return 1.0;
    }
    // The difference of two values rounded to the grain has a variance of a sixth of its square.
    let deviation = if difference.deviation == 0.0 { grain / 6f64.sqrt() } else { difference.deviation };
    let t = difference.mean / (deviation / (difference.count as f64).sqrt());
    student_t_two_sided_p(t, difference.count - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Differences 1, 2, 3: mean 2, standard error 1 / sqrt(3), t = 3.4641 with 2 degrees, p = 0.07418.
        let p = Paired::of(&[101.0, 202.0, 303.0, 7.0], &[100.0, 200.0, 300.0]);
        assert_eq!((p.baseline_mean, p.difference.mean), (200.0, 2.0));
        assert!((p.p_value - 0.074_18).abs() < 1e-5, "{}", p.p_value);
        assert!(p.p_value >= 0.05);
        assert_eq!(p.relative(), Some(0.01));
        assert!((p.relative_half_width().unwrap() - 2.484_17 / 200.0).abs() < 1e-6);
    }

    #[test]
    fn a_common_trend_cancels() {
        let p = Paired::of(&[11.0, 21.5, 31.0, 40.9], &[10.0, 20.0, 30.0, 40.0]);
        assert!(p.p_value < 0.01, "{}", p.p_value);
    }

    #[test]
    fn a_difference_without_any_spread_is_no_chance() {
        let p = Paired::of(&[1.06; 3], &[9.04; 3]);
        assert!(p.difference.half_width == Some(0.0) && p.p_value < 0.001, "{}", p.p_value);
        assert!(Paired::of(&[9.05; 3], &[9.04; 3]).p_value >= 0.05, "within a class of the histogram");
    }

    #[test]
    fn edges() {
        assert_eq!(Paired::of(&[1.0], &[2.0]).p_value, 1.0);
        assert_eq!(Paired::of(&[5.0, 6.0], &[5.0, 6.0]).p_value, 1.0);
        assert!(Paired::of(&[6.0, 7.0], &[5.0, 6.0]).p_value >= 0.05, "counts that differ by one, twice");
        assert!(Paired::of(&[2.0; 6], &[1.0; 6]).p_value < 0.05, "six times");
        assert_eq!(Paired::of(&[1.0, 2.0], &[0.0, 0.0]).relative(), None);
        assert_eq!(Paired::of(&[], &[]).difference.count, 0);
    }
}
