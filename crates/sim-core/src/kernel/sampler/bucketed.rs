//! Skewed ranks: Zipf's law and the Pareto draw of sysbench, by rejection from geometric buckets.
//!
//! Both laws give the ranks 0, 1, 2, ... probabilities that change monotonically and ever more slowly. The ranks are
//! cut into buckets, each at most 1/32 as long as its distance from rank 0: the first ranks are alone, a bucket around
//! rank 10^6 has 30 000. Within a bucket the largest probability is at most a few percent above the smallest. A draw
//!
//! 1. picks a bucket with probability proportional to its length times its largest probability (Walker's alias method),
//! 2. picks a rank within it uniformly,
//! 3. accepts it with probability (probability of the rank) / (largest in the bucket). Below (smallest) / (largest)
//!    that is sure without looking (the squeeze); only in the thin rest is the probability computed.
//!
//! This is exact rejection sampling: the buckets need only bounds, never the sum over all ranks, and nothing is
//! approximated beyond the rounding of doubles. The table has some 500 entries of 40 bytes for nine million ranks and
//! stays in the nearest caches, where a full alias table would miss them with every draw. A draw takes two random
//! words.

use crate::kernel::random::Rng;

/// A bucket is at most `1 / SHARPNESS` as long as its first rank is large.
const SHARPNESS: u64 = 32;

/// A law over ranks, up to a constant factor.
trait RankLaw {
    /// Weight of `rank`, counted from 0; monotonic in the rank.
    fn weight(&self, rank: u64) -> f64;
}

/// Ranks `first..first + len`, and the alias method's column of the same number.
#[derive(Debug, Clone, Copy)]
struct Bucket {
    first: u64,
    len: u64,
    /// Largest weight in the bucket.
    most: f64,
    /// Smallest over largest weight, as a 64-bit fraction: below it, a draw is accepted unseen.
    sure: u64,
    /// Share of this column that belongs to the bucket itself, as a 64-bit fraction.
    keep: u64,
    /// Bucket to which the rest of the column belongs.
    alias: u32,
}

/// Ranks of a law in buckets.
#[derive(Debug, Clone)]
struct Bucketed<L> {
    law: L,
    buckets: Box<[Bucket]>,
}

/// `x` in 0..=1 as a fraction of 2^64.
fn fraction(x: f64) -> u64 {
    (x * 18_446_744_073_709_551_616.0) as u64
}

impl<L: RankLaw> Bucketed<L> {
    /// Buckets for `n` ranks, at least one.
    fn new(law: L, n: u64) -> Self {
        assert!(n > 0 && n <= 1 << 48, "ranks from 1 to 2^48");
        let mut buckets = Vec::new();
        let mut envelope = Vec::new();
        let mut first = 0;
        while first < n {
            let len = (first / SHARPNESS).max(1).min(n - first);
            let (a, b) = (law.weight(first), law.weight(first + len - 1));
            let (least, most) = (a.min(b), a.max(b));
            let sure = if least < most { fraction(least / most) } else { u64::MAX };
            envelope.push(len as f64 * most);
            buckets.push(Bucket { first, len, most, sure, keep: u64::MAX, alias: buckets.len() as u32 });
            first += len;
        }
        fill_alias(&mut buckets, &envelope);
        Bucketed { law, buckets: buckets.into_boxed_slice() }
    }

    #[inline]
    fn sample(&self, rng: &mut Rng) -> u64 {
        loop {
            let column = u128::from(rng.next_u64()) * self.buckets.len() as u128;
            let mut bucket = &self.buckets[(column >> 64) as usize];
            if column as u64 >= bucket.keep {
                bucket = &self.buckets[bucket.alias as usize];
            }
            let place = u128::from(rng.next_u64()) * u128::from(bucket.len);
            let rank = bucket.first + (place >> 64) as u64;
            // What is left of the word is uniform given the place: it decides on acceptance.
            if place as u64 <= bucket.sure || self.accepts(bucket, rank, place as u64) {
                return rank;
            }
        }
    }

    /// Neighbouring ranks of about one probability: how many, and the probability of each.
    fn spectrum(&self) -> Vec<(u64, f64)> {
        let mean = |first: u64, len: u64| {
            if len <= 64 {
                return (first..first + len).map(|rank| self.law.weight(rank)).sum::<f64>() / len as f64;
            }
            // Simpson's rule: the law is smooth far from rank 0.
            let [a, b, c] = [first, first + len / 2, first + len - 1].map(|rank| self.law.weight(rank));
            (a + 4.0 * b + c) / 6.0
        };
        // A single rank each at first, then three buckets at a time, as long as a tenth of their distance from rank 0.
        let alone = self.buckets.partition_point(|bucket| bucket.first < 16);
        let joined = self.buckets[alone..].chunks(3).map(|some| {
            let len = some.iter().map(|bucket| bucket.len).sum();
            (len, mean(some[0].first, len))
        });
        let mut ranks: Vec<(u64, f64)> = self.buckets[..alone]
            .iter()
            .map(|bucket| (bucket.len, mean(bucket.first, bucket.len)))
            .chain(joined)
            .collect();
        let all: f64 = ranks.iter().map(|&(len, weight)| len as f64 * weight).sum();
        ranks.iter_mut().for_each(|(_, weight)| *weight /= all);
        ranks
    }

    #[cold]
    fn accepts(&self, bucket: &Bucket, rank: u64, chance: u64) -> bool {
        let share = self.law.weight(rank) / bucket.most;
        (chance as f64) < share * 18_446_744_073_709_551_616.0
    }
}

/// Fills the columns of the alias method (M. Vose, 1991) for weights `envelope`, one a bucket.
fn fill_alias(buckets: &mut [Bucket], envelope: &[f64]) {
    let scale = envelope.len() as f64 / envelope.iter().sum::<f64>();
    let mut share: Vec<f64> = envelope.iter().map(|&w| w * scale).collect();
    let (mut small, mut large): (Vec<usize>, Vec<usize>) = (0..share.len()).partition(|&i| share[i] < 1.0);
    while let (Some(&poor), Some(&rich)) = (small.last(), large.last()) {
        small.pop();
        buckets[poor].keep = fraction(share[poor]);
        buckets[poor].alias = rich as u32;
        share[rich] -= 1.0 - share[poor];
        if share[rich] < 1.0 {
            large.pop();
            small.push(rich);
        }
    }
    // What is left has a share of 1 up to rounding and keeps its column.
}

/// Zipf's law: rank `r` of 0..n has probability proportional to `(r + 1)^-theta`.
#[derive(Debug, Clone)]
pub struct Zipf {
    ranks: Bucketed<ZipfLaw>,
}

#[derive(Debug, Clone, Copy)]
struct ZipfLaw {
    theta: f64,
}

impl RankLaw for ZipfLaw {
    fn weight(&self, rank: u64) -> f64 {
        libm::pow((rank + 1) as f64, -self.theta)
    }
}

impl Zipf {
    /// Zipf's law over `n` ranks, 1 to 2^48, with exponent `theta`, any number from 0 (uniform) up, 1 included.
    ///
    /// # Panics
    /// If `n` or `theta` is out of range.
    pub fn new(n: u64, theta: f64) -> Self {
        assert!(theta >= 0.0 && theta.is_finite(), "an exponent from 0 up");
        Zipf { ranks: Bucketed::new(ZipfLaw { theta }, n) }
    }

    /// A rank from 0 (the most frequent) to n - 1.
    #[inline]
    pub fn sample(&self, rng: &mut Rng) -> u64 {
        self.ranks.sample(rng)
    }

    /// Neighbours of about one probability, the differences of which are under a tenth: how many, and the probability of
    /// each.
    pub fn spectrum(&self) -> Vec<(u64, f64)> {
        self.ranks.spectrum()
    }
}

/// sysbench's `--rand-type=pareto`: page `floor(n * u^p)` with `u` uniform in [0, 1) and `p = ln(h) / ln(1 - h)`.
///
/// A share `h` of the pages thus takes a share `1 - h` of the draws (20 % take 80 % for the default h = 0.2), and
/// pages keep their order: the first are the most frequent. Page `k` has probability `((k + 1)^a - k^a) / n^a` with `a
/// = 1 / p`, which is what is sampled here; no power is computed in most draws.
///
/// Source: `sb_rand_pareto()` in sysbench 1.0, `src/sb_rand.c`. Simplification: sysbench draws rows; rows in order fill
/// pages in order, so drawing pages by the same law is the same up to the rows of a page.
#[derive(Debug, Clone)]
pub struct SysbenchPareto {
    pages: Bucketed<ParetoLaw>,
}

#[derive(Debug, Clone, Copy)]
struct ParetoLaw {
    /// 1 / p.
    a: f64,
}

impl RankLaw for ParetoLaw {
    fn weight(&self, rank: u64) -> f64 {
        if rank == 0 {
            return 1.0;
        }
        // (k + 1)^a - k^a without cancellation.
        let k = rank as f64;
        libm::pow(k, self.a) * libm::expm1(self.a * libm::log1p(1.0 / k))
    }
}

impl SysbenchPareto {
    /// The law over `n` pages, 1 to 2^48, with sysbench's parameter `h`, between 0 and 1 (both excluded).
    ///
    /// # Panics
    /// If `n` or `h` is out of range.
    pub fn new(n: u64, h: f64) -> Self {
        assert!(h > 0.0 && h < 1.0, "a share between 0 and 1");
        SysbenchPareto { pages: Bucketed::new(ParetoLaw { a: libm::log1p(-h) / libm::log(h) }, n) }
    }

    /// A page from 0 to n - 1.
    #[inline]
    pub fn sample(&self, rng: &mut Rng) -> u64 {
        self.pages.sample(rng)
    }

    /// Neighbours of about one probability, the differences of which are under a tenth: how many, and the probability of
    /// each.
    pub fn spectrum(&self) -> Vec<(u64, f64)> {
        self.pages.spectrum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::chi_square;
    use super::*;

    /// Ranks at which cells start: the first 64 alone, then ten to a doubling.
    fn cells(n: u64) -> Vec<u64> {
        let mut starts: Vec<u64> = (0..n.min(64)).collect();
        while let Some(&last) = starts.last().filter(|&&last| last + 1 < n) {
            starts.push((last + (last / 14).max(1)).min(n - 1));
        }
        starts
    }

    /// Chi-square of `draws` of `sample` against the law `weight` over `n` ranks; also the first rank, the first
    /// hundred and the first million against their probabilities, each within 3.5 standard errors.
    fn check(n: u64, draws: u64, mut sample: impl FnMut() -> u64, weight: impl Fn(u64) -> f64) {
        let starts = cells(n);
        let mut expected = vec![0.0; starts.len()];
        let heads = [1, 100, 1_000_000].map(|head: u64| head.min(n));
        let mut head_mass = [0.0; 3];
        let mut cell = 0;
        for rank in 0..n {
            while cell + 1 < starts.len() && starts[cell + 1] <= rank {
                cell += 1;
            }
            let w = weight(rank);
            expected[cell] += w;
            for (mass, head) in head_mass.iter_mut().zip(heads) {
                *mass += if rank < head { w } else { 0.0 };
            }
        }
        let total: f64 = expected.iter().sum();
        expected.iter_mut().for_each(|p| *p /= total);
        let mut counts = vec![0u64; starts.len()];
        let mut head_counts = [0u64; 3];
        for _ in 0..draws {
            let rank = sample();
            assert!(rank < n);
            counts[starts.partition_point(|&start| start <= rank) - 1] += 1;
            for (count, head) in head_counts.iter_mut().zip(heads) {
                *count += u64::from(rank < head);
            }
        }
        for (count, mass) in head_counts.into_iter().zip(head_mass) {
            let p = (mass / total).min(1.0);
            let error = (p * (1.0 - p) / draws as f64).sqrt();
            assert!((count as f64 / draws as f64 - p).abs() <= 3.5 * error, "{count} of {draws} for {p}");
        }
        chi_square(&counts, &expected);
    }

    #[test]
    fn zipf_has_its_law() {
        let mut rng = Rng::stream(14, 0, "zipf");
        for (theta, n) in
            [(0.6, 9_000_000), (0.8, 9_000_000), (0.99, 1_000_000), (1.0, 9_000_000), (1.2, 9_000_000), (2.5, 10_000)]
        {
            let zipf = Zipf::new(n, theta);
            check(n, 1_000_000, || zipf.sample(&mut rng), |rank| libm::pow((rank + 1) as f64, -theta));
        }
    }

    #[test]
    fn small_zipf_has_its_law() {
        let mut rng = Rng::stream(15, 0, "small zipf");
        for (theta, n) in [(0.0, 1_000), (0.0, 1), (0.99, 1), (1.0, 2), (0.99, 70), (3.0, 1_000), (60.0, 1_000_000)] {
            let zipf = Zipf::new(n, theta);
            check(n, 200_000, || zipf.sample(&mut rng), |rank| libm::pow((rank + 1) as f64, -theta));
        }
    }

    #[test]
    fn zipf_has_its_mean() {
        // E[rank + 1] = H(n, theta - 1) / H(n, theta).
        let (n, theta) = (100_000u64, 0.8);
        let moment = |k: f64| (1..=n).map(|r| libm::pow(r as f64, k - theta)).sum::<f64>();
        let mean = moment(1.0) / moment(0.0);
        let variance = moment(2.0) / moment(0.0) - mean * mean;
        let zipf = Zipf::new(n, theta);
        let mut rng = Rng::stream(16, 0, "zipf mean");
        let draws = 1_000_000;
        let got = (0..draws).map(|_| (zipf.sample(&mut rng) + 1) as f64).sum::<f64>() / f64::from(draws);
        assert!((got - mean).abs() < 3.0 * (variance / f64::from(draws)).sqrt(), "{got} for {mean}");
    }

    #[test]
    fn pareto_has_the_law_of_sysbench() {
        let mut rng = Rng::stream(17, 0, "pareto");
        for (h, n) in [(0.2, 6_500_000u64), (0.2, 100), (0.05, 100_000), (0.5, 1_000), (0.7, 1_000)] {
            let pareto = SysbenchPareto::new(n, h);
            let a = 1.0 / (libm::log(h) / libm::log(1.0 - h));
            let cdf = |k: u64| libm::pow(k as f64 / n as f64, a);
            check(n, 500_000, || pareto.sample(&mut rng), |k| cdf(k + 1) - cdf(k));
        }
    }

    #[test]
    fn pareto_agrees_with_the_formula_of_sysbench() {
        let (n, h) = (50_000u64, 0.2);
        let power = libm::log(h) / libm::log(1.0 - h);
        let mut rng = Rng::stream(18, 0, "pareto formula");
        let pareto = SysbenchPareto::new(n, h);
        let starts = cells(n);
        let mut counts = [vec![0u64; starts.len()], vec![0u64; starts.len()]];
        let draws = 1_000_000;
        for _ in 0..draws {
            let formula = (n as f64 * libm::pow(rng.uniform_f64(), power)) as u64;
            for (counts, rank) in counts.iter_mut().zip([formula, pareto.sample(&mut rng)]) {
                counts[starts.partition_point(|&start| start <= rank) - 1] += 1;
            }
        }
        for (&a, &b) in counts[0].iter().zip(&counts[1]) {
            let error = ((a + b) as f64).sqrt();
            assert!((a as f64 - b as f64).abs() <= 4.5 * error.max(1.0), "{a} and {b}");
        }
        let hot = counts[0].iter().zip(&starts).filter(|&(_, &s)| s < n / 5).map(|(&c, _)| c).sum::<u64>();
        assert!((hot as f64 / f64::from(draws) - 0.8).abs() < 0.01, "{hot}");
    }
}
