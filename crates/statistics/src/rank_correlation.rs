//! Whether two orders agree.

/// Spearman's rank correlation of pairs: 1 for the same order, 0 for none, -1 for the reverse; equal values share the mean of
/// their ranks.
pub fn rank_correlation(pairs: &[(f64, f64)]) -> f64 {
    let rank = |value: f64, of: fn(&(f64, f64)) -> f64| {
        let below = pairs.iter().filter(|pair| of(pair) < value).count() as f64;
        let equal = pairs.iter().filter(|pair| of(pair) == value).count() as f64;
        below + (equal - 1.0) / 2.0
    };
    let middle = (pairs.len() as f64 - 1.0) / 2.0;
    let (mut both, mut left, mut right) = (0.0, 0.0, 0.0);
    for pair in pairs {
        let (a, b) = (rank(pair.0, |pair| pair.0) - middle, rank(pair.1, |pair| pair.1) - middle);
        both += a * b;
        left += a * a;
        right += b * b;
    }
    if left * right == 0.0 { 0.0 } else { both / (left * right).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_correlate_as_in_the_textbook() {
        let same = [(1.0, 10.0), (2.0, 20.0), (3.0, 21.0)];
        assert!((rank_correlation(&same) - 1.0).abs() < 1e-12);
        let turned = [(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)];
        assert!((rank_correlation(&turned) + 1.0).abs() < 1e-12);
        // Two neighbours of five swapped: 1 - 6 * 2 / (5 * 24).
        let swapped = [(1.0, 2.0), (2.0, 1.0), (3.0, 3.0), (4.0, 4.0), (5.0, 5.0)];
        assert!((rank_correlation(&swapped) - 0.9).abs() < 1e-12);
        assert_eq!(rank_correlation(&[(1.0, 1.0), (1.0, 2.0), (1.0, 3.0)]), 0.0, "no order was published");
    }
}
