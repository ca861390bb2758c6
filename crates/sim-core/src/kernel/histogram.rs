//! Log-linear histogram of lengths of time.
//!
//! Latencies span seven decades and are asked for by quantile. The buckets are those of an HDR histogram: each
//! doubling is cut into 64 equal parts, so a bucket is at most 1/64 (1.6 %) wide relative to its values, from 1 µs to
//! 1 hour. What is shorter counts as 1 µs, what is longer as 1 hour; the maximum and the mean are kept exactly beside
//! the buckets.
//!
//! Simplification: within a bucket order is lost; a quantile is the largest length that its bucket holds.

use crate::kernel::time::SimDuration;

/// Parts of a doubling, as a power of two.
const SUB_BITS: u32 = 6;
/// Shortest length with a bucket of its own, ns.
const SHORTEST: u64 = 1_000;
/// Longest length with a bucket of its own, ns.
const LONGEST: u64 = 3_600 * 1_000_000_000;
/// Number of the bucket of `SHORTEST` before the buckets are counted from it.
const FIRST: usize = position(SHORTEST);
/// Number of buckets.
const BUCKETS: usize = position(LONGEST) - FIRST + 1;

/// Number of the bucket of `ns`, counted from that of 64 ns.
const fn position(ns: u64) -> usize {
    let doubling = 63 - ns.leading_zeros();
    let shift = doubling - SUB_BITS;
    ((shift as usize) << SUB_BITS) + (ns >> shift) as usize
}

/// Counts of lengths of time in log-linear buckets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Histogram {
    /// All buckets, or after [`Histogram::trimmed`] those from the first to the last that counted anything.
    buckets: Vec<u64>,
    /// Number of the first of them.
    first: usize,
    count: u64,
    /// Sum of all values, ns.
    sum: u128,
    max: SimDuration,
}

impl Histogram {
    /// An empty histogram. It takes 16 KiB and never grows.
    pub fn new() -> Self {
        Histogram { buckets: vec![0; BUCKETS], first: 0, count: 0, sum: 0, max: SimDuration::ZERO }
    }

    /// The same counts in as little memory as they take, for one that is kept and no longer counts.
    pub fn trimmed(self) -> Self {
        let used = |n: &u64| *n > 0;
        let first = self.buckets.iter().position(used).unwrap_or(self.buckets.len());
        let end = self.buckets.iter().rposition(used).map_or(first, |last| last + 1);
        Histogram { buckets: self.buckets[first..end].to_vec(), first: self.first + first, ..self }
    }

    /// Makes room for all buckets again.
    fn untrim(&mut self) {
        let mut all = vec![0; BUCKETS];
        all[self.first..self.first + self.buckets.len()].copy_from_slice(&self.buckets);
        (self.buckets, self.first) = (all, 0);
    }

    /// Counts one value.
    #[inline]
    pub fn record(&mut self, d: SimDuration) {
        let place = position(d.0.clamp(SHORTEST, LONGEST)) - FIRST;
        match self.buckets.get_mut(place.wrapping_sub(self.first)) {
            Some(bucket) => *bucket += 1,
            None => {
                self.untrim();
                self.buckets[place] += 1;
            }
        }
        self.count += 1;
        self.sum += u128::from(d.0);
        self.max = self.max.max(d);
    }

    /// Number of recorded values.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The `p`-quantile by nearest rank: the smallest bucket that has at least `p` of all values at or below it, given
    /// as its upper edge but not above the maximum. Zero if nothing was recorded.
    pub fn quantile(&self, p: f64) -> SimDuration {
        let wanted = (p.clamp(0.0, 1.0) * self.count as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (i, &n) in (self.first..).zip(&self.buckets) {
            seen += n;
            if seen >= wanted {
                // The last bucket holds everything beyond an hour too: only the maximum bounds it.
                return if i + 1 == BUCKETS { self.max } else { SimDuration(upper_edge(i)).min(self.max) };
            }
        }
        self.max
    }

    /// The longest recorded value, exactly.
    pub fn max(&self) -> SimDuration {
        self.max
    }

    /// Mean of the recorded values from exact sums, rounded down to whole nanoseconds; zero if there are none.
    pub fn mean(&self) -> SimDuration {
        SimDuration((self.sum / u128::from(self.count.max(1))) as u64)
    }

    /// Adds everything that `other` counted.
    pub fn merge(&mut self, other: &Histogram) {
        if self.buckets.len() < BUCKETS {
            self.untrim();
        }
        for (mine, theirs) in self.buckets[other.first..].iter_mut().zip(&other.buckets) {
            *mine += theirs;
        }
        self.count += other.count;
        self.sum += other.sum;
        self.max = self.max.max(other.max);
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.buckets.fill(0);
        self.count = 0;
        self.sum = 0;
        self.max = SimDuration::ZERO;
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

/// Largest length that bucket `i` holds, ns.
fn upper_edge(i: usize) -> u64 {
    let position = i + FIRST;
    let shift = (position >> SUB_BITS) - 1;
    let mantissa = (position & ((1 << SUB_BITS) - 1)) + (1 << SUB_BITS);
    (((mantissa + 1) as u64) << shift) - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::random::Rng;

    #[test]
    fn buckets_are_narrow_and_seamless() {
        for i in 0..BUCKETS - 1 {
            let (low, high) = (upper_edge(i) + 1, upper_edge(i + 1));
            assert_eq!(position(low) - FIRST, i + 1);
            assert_eq!(position(high) - FIRST, i + 1);
            assert!((high - low + 1) as f64 <= low as f64 / 64.0, "bucket {i}: {low}..={high}");
        }
    }

    #[test]
    fn quantiles_are_nearest_ranks() {
        let mut rng = Rng::stream(1, 0, "histogram");
        let mut histogram = Histogram::new();
        let mut values: Vec<u64> = (0..50_001)
            .map(|_| {
                let v = 1_000 << rng.below(20);
                v + rng.below_u64(v)
            })
            .collect();
        for &v in &values {
            histogram.record(SimDuration(v));
        }
        values.sort_unstable();
        for p in [0.0, 0.01, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0] {
            let exact = values[((p * values.len() as f64).ceil() as usize).max(1) - 1];
            let got = histogram.quantile(p).0;
            assert!(got >= exact && got as f64 <= exact as f64 * (1.0 + 1.0 / 64.0), "{p}: {got} for {exact}");
        }
        assert_eq!(histogram.max().0, *values.last().unwrap());
        assert_eq!(histogram.quantile(1.0), histogram.max());
        assert_eq!(histogram.mean().0, values.iter().sum::<u64>() / values.len() as u64);
        assert_eq!(histogram.count(), 50_001);
    }

    #[test]
    fn extremes_saturate() {
        let mut histogram = Histogram::new();
        assert_eq!(histogram.quantile(0.5), SimDuration::ZERO);
        assert_eq!(histogram.mean(), SimDuration::ZERO);
        histogram.record(SimDuration::ZERO);
        histogram.record(SimDuration(999));
        assert_eq!(histogram.quantile(0.5), SimDuration(999));
        histogram.record(SimDuration::from_secs(7_200));
        assert_eq!(histogram.quantile(1.0), SimDuration::from_secs(7_200));
        assert_eq!(histogram.mean().0, (999 + 7_200_000_000_000) / 3);
    }

    #[test]
    fn merging_is_recording_both() {
        let (mut a, mut b, mut both) = (Histogram::new(), Histogram::new(), Histogram::new());
        for i in 0..1_000u64 {
            let d = SimDuration(i * i * 1_000);
            if i % 3 == 0 { &mut a } else { &mut b }.record(d);
            both.record(d);
        }
        a.merge(&b);
        assert_eq!(a, both);
        a.clear();
        assert_eq!(a, Histogram::new());
    }

    #[test]
    fn a_trimmed_histogram_says_and_takes_the_same() {
        let mut full = Histogram::new();
        assert_eq!(full.clone().trimmed().quantile(0.5), SimDuration::ZERO);
        for us in [90, 100, 110] {
            full.record(SimDuration::from_micros(us));
        }
        let mut trimmed = full.clone().trimmed();
        assert!(trimmed.buckets.len() < 30, "{}", trimmed.buckets.len());
        for p in [0.0, 0.4, 0.6, 1.0] {
            assert_eq!(trimmed.quantile(p), full.quantile(p));
        }
        let mut merged = Histogram::new();
        merged.merge(&trimmed);
        assert_eq!(merged, full);
        trimmed.merge(&trimmed.clone().trimmed());
        full.merge(&full.clone());
        assert_eq!(trimmed, full);
        let mut again = full.clone().trimmed();
        again.record(SimDuration::from_secs(1));
        full.record(SimDuration::from_secs(1));
        assert_eq!(again, full);
    }
}
