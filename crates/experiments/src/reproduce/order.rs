//! Whether the runs stand in the published order of throughput.
//!
//! Each two runs are a pair; a pair agrees if the same one of them is faster in both worlds. Kendall's rank correlation is
//! (pairs that agree - pairs that don't) / pairs: 1 for the same order, 0 for chance, -1 for the reverse.

use super::Row;

/// Two runs that are the other way round in the simulation: the published faster one first.
#[derive(Debug, Clone, PartialEq)]
pub struct Swapped {
    /// Faster as published.
    pub faster: String,
    /// Slower as published.
    pub slower: String,
    /// How far they are apart as published, as a share of the slower one.
    pub published_gap: f64,
}

/// Agreement of the order of all runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Order {
    /// Number of pairs.
    pub pairs: usize,
    /// Pairs out of order.
    pub swapped: Vec<Swapped>,
}

impl Order {
    /// The order of `rows`.
    pub fn of(rows: &[Row]) -> Order {
        let points: Vec<(&str, f64, f64)> = rows
            .iter()
            .map(|row| (row.name.as_str(), row.published.tps_10s_median_mean, row.simulated.tps_10s_median_mean))
            .collect();
        Order::of_points(&points)
    }

    /// The order of (name, published, simulated).
    fn of_points(points: &[(&str, f64, f64)]) -> Order {
        let mut sorted = points.to_vec();
        sorted.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut order = Order::default();
        for (i, faster) in sorted.iter().enumerate() {
            for slower in &sorted[i + 1..] {
                order.pairs += 1;
                if faster.1 > slower.1 && faster.2 <= slower.2 {
                    order.swapped.push(Swapped {
                        faster: faster.0.to_owned(),
                        slower: slower.0.to_owned(),
                        published_gap: (faster.1 - slower.1) / slower.1.max(1.0),
                    });
                }
            }
        }
        order
    }

    /// Kendall's rank correlation; `None` for fewer than two runs.
    pub fn rank_correlation(&self) -> Option<f64> {
        (self.pairs > 0).then(|| 1.0 - 2.0 * self.swapped.len() as f64 / self.pairs as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let order = Order::of_points(&[("a", 1.0, 10.0), ("c", 3.0, 25.0), ("b", 2.0, 30.0)]);
        assert_eq!(order.pairs, 3);
        assert_eq!(order.swapped, [Swapped { faster: "c".into(), slower: "b".into(), published_gap: 0.5 }]);
        assert!((order.rank_correlation().unwrap() - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(Order::of_points(&[("a", 1.0, 1.0)]).rank_correlation(), None);
    }
}
