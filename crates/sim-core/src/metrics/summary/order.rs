//! Order statistics and moments of short series. The answer for an empty series is 0.

/// Arithmetic mean.
pub(super) fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// Standard deviation with divisor n: the spread of this very series, not an estimate for a larger one.
pub(super) fn standard_deviation(values: &[f64]) -> f64 {
    let centre = mean(values);
    let squares: Vec<f64> = values.iter().map(|v| (v - centre) * (v - centre)).collect();
    mean(&squares).sqrt()
}

/// Quantile by nearest rank: the smallest value with at least the share `p` of all values at or below it.
pub(super) fn quantile(values: &[f64], p: f64) -> f64 {
    let sorted = sorted(values);
    // The tolerance keeps 0.95 * 20 = 19.000000000000004 from becoming rank 20.
    let rank = (p * sorted.len() as f64 - 1e-9).ceil().max(1.0) as usize;
    sorted.get(rank - 1).copied().unwrap_or(0.0)
}

/// Median; of an even number of values the mean of the two in the middle.
pub(super) fn median(values: &[f64]) -> f64 {
    let sorted = sorted(values);
    let n = sorted.len();
    match n {
        0 => 0.0,
        _ if n % 2 == 1 => sorted[n / 2],
        _ => (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0,
    }
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let v = [4.0, 1.0, 3.0, 2.0];
        assert_eq!(mean(&v), 2.5);
        assert_eq!(median(&v), 2.5);
        assert_eq!(median(&v[..3]), 3.0);
        assert_eq!(standard_deviation(&[1.0, 3.0]), 1.0);
        assert_eq!(
            (quantile(&v, 0.0), quantile(&v, 0.25), quantile(&v, 0.26), quantile(&v, 1.0)),
            (1.0, 1.0, 2.0, 4.0)
        );
    }

    #[test]
    fn nothing_is_zero() {
        assert_eq!((mean(&[]), median(&[]), standard_deviation(&[]), quantile(&[], 0.5)), (0.0, 0.0, 0.0, 0.0));
    }

    #[test]
    fn rank_is_exact_where_the_product_is_whole() {
        let v: Vec<f64> = (1..=20).map(f64::from).collect();
        assert_eq!(quantile(&v, 0.95), 19.0);
        let v: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(quantile(&v, 0.07), 7.0);
    }
}
