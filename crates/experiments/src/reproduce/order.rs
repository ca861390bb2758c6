//! Whether the runs stand in the published order of throughput.
//!
//! Each two runs are a pair; a pair agrees if the same one of them is faster in both worlds. All of them together are summed up
//! by Spearman's rank correlation.
//!
//! A published mean has an interval of its own, and a wave that fits two and a half times into the time it is taken over
//! makes a wide one. A pair is told apart if the means differ by more than the root of the sum of the squared intervals.

use super::Row;
use innosim_statistics::rank_correlation;

/// A run's throughput in both worlds, transactions a second.
#[derive(Debug, Clone, Copy)]
struct Point<'a> {
    name: &'a str,
    published: f64,
    /// Half of the published mean's 95 % interval; 0 if none was published.
    interval: f64,
    simulated: f64,
}

/// Two runs that are the other way round in the simulation: the published faster one first.
#[derive(Debug, Clone, PartialEq)]
pub struct Swapped {
    /// Faster as published.
    pub faster: String,
    /// Slower as published.
    pub slower: String,
    /// How far they are apart as published, as a share of the slower one.
    pub published_gap: f64,
    /// Half of the 95 % interval of that gap, as a share of the slower one.
    pub gap_interval: f64,
}

impl Swapped {
    /// Whether what was published tells the two apart.
    pub fn is_told_apart(&self) -> bool {
        self.published_gap > self.gap_interval
    }
}

/// Agreement of the order of all runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Order {
    /// Number of pairs.
    pub pairs: usize,
    /// Pairs that what was published tells apart.
    pub told_apart: usize,
    /// Pairs out of order.
    pub swapped: Vec<Swapped>,
    /// Spearman's rank correlation; `None` for fewer than two runs.
    pub rank_correlation: Option<f64>,
}

impl Order {
    /// The order of `rows`.
    pub fn of(rows: &[Row]) -> Order {
        let point = |row| {
            let Row { name, published, simulated, .. }: &Row = row;
            Point {
                name,
                published: published.tps_10s_median_mean,
                interval: published.tps_10s_median_mean_interval.unwrap_or(0.0),
                simulated: simulated.tps_10s_median_mean,
            }
        };
        Order::of_points(rows.iter().map(point).collect())
    }

    fn of_points(mut points: Vec<Point<'_>>) -> Order {
        points.sort_by(|a, b| b.published.total_cmp(&a.published));
        let both: Vec<(f64, f64)> = points.iter().map(|point| (point.published, point.simulated)).collect();
        let mut order =
            Order { rank_correlation: (both.len() > 1).then(|| rank_correlation(&both)), ..Order::default() };
        for (i, faster) in points.iter().enumerate() {
            for slower in &points[i + 1..] {
                let (gap, interval) = (faster.published - slower.published, faster.interval.hypot(slower.interval));
                order.pairs += 1;
                order.told_apart += usize::from(gap > interval);
                if gap > 0.0 && faster.simulated <= slower.simulated {
                    order.swapped.push(Swapped {
                        faster: faster.name.to_owned(),
                        slower: slower.name.to_owned(),
                        published_gap: gap / slower.published.max(1.0),
                        gap_interval: interval / slower.published.max(1.0),
                    });
                }
            }
        }
        order
    }

    /// Pairs out of order that what was published tells apart.
    pub fn swapped_though_told_apart(&self) -> usize {
        self.swapped.iter().filter(|pair| pair.is_told_apart()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(points: &[(&'static str, f64, f64, f64)]) -> Order {
        let point = |&(name, published, interval, simulated)| Point { name, published, interval, simulated };
        Order::of_points(points.iter().map(point).collect())
    }

    #[test]
    fn by_hand() {
        let of_three = order(&[("a", 1.0, 0.0, 10.0), ("c", 3.0, 0.0, 25.0), ("b", 2.0, 0.0, 30.0)]);
        assert_eq!((of_three.pairs, of_three.told_apart), (3, 3));
        let swapped = Swapped { faster: "c".into(), slower: "b".into(), published_gap: 0.5, gap_interval: 0.0 };
        assert_eq!(of_three.swapped, [swapped]);
        assert!(
            (of_three.rank_correlation.unwrap() - 0.5).abs() < 1e-12,
            "two neighbours of three: 1 - 6 x 2 / (3 x 8)"
        );
        assert_eq!(order(&[("a", 1.0, 0.0, 1.0)]).rank_correlation, None);
    }

    /// Intervals of 3 and 4 make one of 5 for the gap.
    #[test]
    fn a_pair_within_its_interval_is_not_told_apart() {
        for (slower, told_apart) in [(96.0, 0), (94.0, 1)] {
            let pair = order(&[("a", 100.0, 3.0, 1.0), ("b", slower, 4.0, 2.0)]);
            assert_eq!(
                (pair.told_apart, pair.swapped_though_told_apart(), pair.swapped.len()),
                (told_apart, told_apart, 1)
            );
        }
    }
}
