//! Holm's correction for many comparisons.
//!
//! Of twenty comparisons of equal things, one is "significant" at 5 % by chance. Holm (1979) multiplies the smallest
//! p-value by the number of comparisons, the next by one less, and so on, each at least as large as the one before.
//! Comparisons with an adjusted value under 0.05 then hold together, with 5 % for any error among them. It assumes
//! nothing about how the comparisons depend on each other, and is never weaker than Bonferroni's.

/// Adjusted p-values, in the order of `p_values`.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut floor: f64 = 0.0;
    for (rank, &i) in order.iter().enumerate() {
        floor = floor.max(p_values[i] * (p_values.len() - rank) as f64).min(1.0);
        adjusted[i] = floor;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Sorted 0.01, 0.02, 0.03, 0.04 times 4, 3, 2, 1: 0.04, 0.06, 0.06, 0.06.
        let adjusted = holm(&[0.04, 0.01, 0.03, 0.02]);
        let expected = [0.06, 0.04, 0.06, 0.06];
        assert!(adjusted.iter().zip(expected).all(|(a, e)| (a - e).abs() < 1e-12), "{adjusted:?}");
    }

    #[test]
    fn never_above_one_and_never_below_the_raw_value() {
        assert_eq!(holm(&[0.9, 0.8, 1.0]), [1.0, 1.0, 1.0]);
        assert_eq!(holm(&[0.03]), [0.03]);
        assert!(holm(&[]).is_empty());
    }
}
