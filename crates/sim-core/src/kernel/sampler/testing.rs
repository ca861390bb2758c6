//! Goodness of fit for the tests of samplers.

/// Upper point of the chi-square distribution with `df` degrees of freedom that chance exceeds once in 10 000 (the
/// approximation of Wilson and Hilferty, good from 3 degrees on; exact enough below).
fn critical(df: f64) -> f64 {
    let z = 3.719;
    let a = 2.0 / (9.0 * df);
    df * libm::pow(1.0 - a + z * a.sqrt(), 3.0)
}

/// Fails unless `counts` may come from the probabilities `expected`; cells that expect fewer than ten are pooled.
pub(crate) fn chi_square(counts: &[u64], expected: &[f64]) {
    assert_eq!(counts.len(), expected.len());
    let total = counts.iter().sum::<u64>() as f64;
    let mass: f64 = expected.iter().sum();
    assert!((mass - 1.0).abs() < 1e-6, "probabilities sum to {mass}");
    let (mut statistic, mut cells) = (0.0, 0);
    let (mut pooled_count, mut pooled_expected) = (0.0, 0.0);
    for (&n, &p) in counts.iter().zip(expected) {
        pooled_count += n as f64;
        pooled_expected += p * total;
        if pooled_expected >= 10.0 {
            statistic += (pooled_count - pooled_expected) * (pooled_count - pooled_expected) / pooled_expected;
            cells += 1;
            (pooled_count, pooled_expected) = (0.0, 0.0);
        }
    }
    assert!(pooled_expected > 0.0 || pooled_count == 0.0, "draws where there is no mass");
    if cells > 1 {
        let limit = critical(f64::from(cells - 1));
        assert!(statistic < limit, "chi-square {statistic} with {cells} cells exceeds {limit}");
    }
}

/// Fails unless `counts` may come from equally likely cells.
pub(crate) fn chi_square_uniform(counts: &[u64]) {
    chi_square(counts, &vec![1.0 / counts.len() as f64; counts.len()]);
}

/// Fails unless the mean and the variance of `draws` are within 3.5 standard errors of theirs; `kurtosis` is the fourth
/// central moment over the squared variance.
pub(crate) fn check_moments(draws: &[f64], mean: f64, variance: f64, kurtosis: f64) {
    let n = draws.len() as f64;
    let got = draws.iter().sum::<f64>() / n;
    assert!((got - mean).abs() < 3.5 * (variance / n).sqrt(), "mean {got} for {mean}");
    let got = draws.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
    let error = variance * ((kurtosis - 1.0) / n).sqrt();
    assert!((got - variance).abs() < 3.5 * error, "variance {got} for {variance}");
}
