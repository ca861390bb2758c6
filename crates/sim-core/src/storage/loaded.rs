//! Times of operations by what is in flight: a device as a benchmark measured it at several depths.
//!
//! A device that does `X(q)` operations a second at `q` in flight, each taking `R(q)` on average, obeys `q = X(q)
//! R(q)`. Few devices are `c` equal channels, for which `R` would be constant up to `c` and proportional to `q` from
//! there on; most get slower with each operation beside. Measured at some depths, the distribution of `R(q)` says all:
//! an operation that is submitted as the `q`-th in flight takes a time from that distribution. A closed loop at a
//! measured depth then has the measured throughput and the measured quantiles, by construction.
//!
//! Between two depths the quantiles are interpolated; beyond the deepest, times grow in proportion to the depth, so
//! that throughput stays as it was there. Between two sizes the quantiles are interpolated as well; beyond the largest,
//! each further byte costs as much as between the two largest sizes.
//!
//! Simplifications: an operation's time is fixed at its submission, whatever comes or goes afterwards; reads and random
//! writes count as each other's load, sequential writes only as that of sequential ones.

use super::spec::DepthTimes;
use crate::kernel::random::Rng;
use crate::kernel::sampler::QuantileFunction;
use crate::kernel::time::SimDuration;

/// Times of one kind of operation over sizes and depths.
#[derive(Debug, Clone)]
pub(crate) struct LoadedTimes {
    sizes: Vec<f64>,
    depths: Vec<f64>,
    /// Size by size, each with all depths.
    quantiles: Vec<QuantileFunction>,
}

impl LoadedTimes {
    /// The times that `points` give; nothing if there are none. The points must be valid.
    pub(crate) fn new<'a>(points: impl Iterator<Item = &'a DepthTimes>) -> Option<LoadedTimes> {
        let mut points: Vec<&DepthTimes> = points.collect();
        points.sort_by(|a, b| a.bytes.cmp(&b.bytes).then(a.depth.total_cmp(&b.depth)));
        let mut sizes: Vec<f64> = points.iter().map(|point| point.bytes as f64).collect();
        sizes.dedup();
        let first = points.first()?.bytes;
        let depths = points.iter().take_while(|point| point.bytes == first).map(|point| point.depth).collect();
        let quantiles = points.iter().map(|point| QuantileFunction::new(&point.quantiles)).collect();
        Some(LoadedTimes { sizes, depths, quantiles })
    }

    /// Time of an operation of `bytes` bytes that is the `depth`-th in flight.
    #[inline]
    pub(crate) fn sample(&self, rng: &mut Rng, depth: u32, bytes: u64) -> SimDuration {
        let u = rng.uniform_f64();
        let depth = f64::from(depth.max(1));
        let deepest = self.depths[self.depths.len() - 1];
        let beyond = if depth > deepest { depth / deepest } else { 1.0 };
        let (column, share) = position(&self.depths, depth);
        let at_size = |row: usize| {
            let line = &self.quantiles[row * self.depths.len()..];
            let below = line[column].at(u);
            if share == 0.0 { below } else { below + (line[column + 1].at(u) - below) * share }
        };
        let ns = if self.sizes.len() == 1 {
            at_size(0)
        } else {
            let bytes = bytes as f64;
            let (row, share) = position(&self.sizes, bytes);
            if row + 1 < self.sizes.len() {
                let below = at_size(row);
                below + (at_size(row + 1) - below) * share
            } else {
                let largest = at_size(row);
                let further = (bytes - self.sizes[row]) / (self.sizes[row] - self.sizes[row - 1]);
                // The measured distributions may cross, but no byte takes less than no time.
                largest + (largest - at_size(row - 1)).max(0.0) * further
            }
        };
        SimDuration((ns * beyond + 0.5) as i64 as u64)
    }
}

/// The last of `points` at or below `x` (or the first), and the share of the way to the next; 0 at the last.
#[inline]
fn position(points: &[f64], x: f64) -> (usize, f64) {
    let mut index = 0;
    while index + 1 < points.len() && points[index + 1] <= x {
        index += 1;
    }
    if index + 1 == points.len() || x <= points[index] {
        return (index, 0.0);
    }
    (index, (x - points[index]) / (points[index + 1] - points[index]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::TimedOp;

    fn point(bytes: u64, depth: f64, us: f64) -> DepthTimes {
        DepthTimes { op: TimedOp::SequentialWrite, bytes, depth, quantiles: vec![(0.0, us), (1.0, us)] }
    }

    #[test]
    fn depths_and_sizes_are_interpolated() {
        let points =
            [point(4_096, 1.0, 100.0), point(4_096, 4.0, 160.0), point(12_288, 1.0, 200.0), point(12_288, 4.0, 360.0)];
        let times = LoadedTimes::new(points.iter()).unwrap();
        let mut rng = Rng::stream(1, 0, "loaded");
        for (depth, bytes, us) in [
            (1, 4_096, 100),
            (2, 4_096, 120),
            (4, 8_192, 260),
            (8, 4_096, 320),
            (1, 512, 100),
            (1, 20_480, 300),
            (0, 4_096, 100),
        ] {
            assert_eq!(times.sample(&mut rng, depth, bytes).0, us * 1_000, "{depth} in flight, {bytes} bytes");
        }
        assert!(LoadedTimes::new([].into_iter()).is_none());
    }

    /// Some large writes were faster than any small one: their distributions cross.
    #[test]
    fn a_larger_write_is_no_faster_than_the_largest_measured() {
        let of = |bytes, quantiles| DepthTimes { op: TimedOp::SequentialWrite, bytes, depth: 1.0, quantiles };
        let points = [of(4_096, vec![(0.0, 80.0), (1.0, 100.0)]), of(1 << 20, vec![(0.0, 2.0), (1.0, 600.0)])];
        let times = LoadedTimes::new(points.iter()).unwrap();
        let sampled = |bytes| {
            let mut rng = Rng::stream(1, 0, "crossing");
            (0..1_000).map(|_| times.sample(&mut rng, 1, bytes).0).collect::<Vec<_>>()
        };
        let (largest, beyond) = (sampled(1 << 20), sampled(4 << 20));
        assert!(largest.iter().zip(&beyond).all(|(largest, beyond)| largest <= beyond && *beyond < 3_000_000));
    }
}
