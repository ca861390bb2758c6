//! Exact samplers: lengths of time, and the pages that a workload touches.
//!
//! What is drawn here feeds the hottest loops of a run, a page touch or a device operation each, so a draw costs some
//! nanoseconds; and it is exact: no table is truncated, no tail cut, no bucket treated as flat. "Exact" means up to the
//! rounding of 53-bit fractions and 64-bit products, orders of magnitude below what any run can resolve.
//!
//! - [`DurationSampler`]: service and think times. Exponential and lognormal by the ziggurat of Marsaglia and Tsang
//!   (2000) with 256 layers, empirical by the inverse of a piecewise linear quantile function.
//! - [`Zipf`] and [`SysbenchPareto`]: skewed ranks, by rejection from geometric buckets of ranks.
//! - [`NuRand`]: TPC-C's non-uniform random, by its definition.
//! - [`Scatter`]: a keyed permutation that spreads ranks over pages.
//!
//! All logarithms and powers are `libm`'s, so that a draw has the same bits on every platform. Every sampler is tested
//! for its distribution (chi-square) and its moments with fixed seeds.

mod bucketed;
mod nurand;
mod scatter;
#[cfg(test)]
pub(crate) mod testing;
mod ziggurat;

pub use bucketed::{SysbenchPareto, Zipf};
pub use nurand::NuRand;
pub use scatter::Scatter;
pub use ziggurat::{StandardExponential, StandardNormal};

use crate::kernel::random::Rng;
use crate::kernel::time::SimDuration;
use serde::{Deserialize, Serialize};

/// Distribution of a length of time. All lengths in microseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum DurationDist {
    /// Always the same.
    Fixed {
        /// Length, µs.
        us: f64,
    },
    /// Exponential.
    Exponential {
        /// Mean, µs.
        mean_us: f64,
    },
    /// Lognormal.
    Lognormal {
        /// Mean, µs.
        mean_us: f64,
        /// Coefficient of variation (standard deviation / mean).
        cv: f64,
    },
    /// Given by quantiles, linear between them.
    Empirical {
        /// (probability, µs), both rising; the first probability is 0, the last 1.
        quantiles: Vec<(f64, f64)>,
    },
}

/// Longest mean or quantile that a distribution may have, µs: a day.
const LONGEST_US: f64 = 86_400e6;

impl DurationDist {
    /// Mean, µs.
    pub fn mean_us(&self) -> f64 {
        match self {
            DurationDist::Fixed { us } => *us,
            DurationDist::Exponential { mean_us } | DurationDist::Lognormal { mean_us, .. } => *mean_us,
            DurationDist::Empirical { quantiles } => {
                quantiles.windows(2).map(|pair| (pair[1].0 - pair[0].0) * (pair[0].1 + pair[1].1) / 2.0).sum()
            }
        }
    }

    /// Makes all lengths shorter by `factor`.
    pub fn speed_up(&mut self, factor: f64) {
        match self {
            DurationDist::Fixed { us } => *us /= factor,
            DurationDist::Exponential { mean_us } | DurationDist::Lognormal { mean_us, cv: _ } => *mean_us /= factor,
            DurationDist::Empirical { quantiles } => quantiles.iter_mut().for_each(|(_, us)| *us /= factor),
        }
    }

    /// Checks that the numbers make a distribution: lengths at least 0 and finite (a mean of 0 is a length of 0),
    /// quantiles rising and covering the probabilities from 0 to 1. The message says what is wrong.
    pub fn validate(&self) -> Result<(), String> {
        match self {
            DurationDist::Fixed { us } => check_length("us", *us),
            DurationDist::Exponential { mean_us } => check_length("mean_us", *mean_us),
            DurationDist::Lognormal { mean_us, cv } => {
                check_length("mean_us", *mean_us)?;
                if cv.is_finite() && (0.0..=100.0).contains(cv) {
                    return Ok(());
                }
                Err(format!("cv must be a number from 0 to 100, not {cv}"))
            }
            DurationDist::Empirical { quantiles } => validate_quantiles(quantiles),
        }
    }
}

fn check_length(name: &str, us: f64) -> Result<(), String> {
    if (0.0..=LONGEST_US).contains(&us) {
        return Ok(());
    }
    Err(format!("{name} must be a length of time from 0 to a day in microseconds, not {us}"))
}

fn validate_quantiles(quantiles: &[(f64, f64)]) -> Result<(), String> {
    let (Some(first), Some(last)) = (quantiles.first(), quantiles.last()) else {
        return Err("quantiles must have at least the points for probabilities 0 and 1".to_owned());
    };
    if quantiles.len() < 2 || first.0 != 0.0 || last.0 != 1.0 {
        return Err(format!("quantiles must start at probability 0 and end at 1, not at {} and {}", first.0, last.0));
    }
    for &(_, us) in quantiles {
        check_length("a quantile", us)?;
    }
    for pair in quantiles.windows(2) {
        // Written so that a probability that is no number fails too.
        let rising = pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1;
        if !rising {
            return Err(format!(
                "quantiles must rise: ({}, {}) follows ({}, {})",
                pair[1].0, pair[1].1, pair[0].0, pair[0].1
            ));
        }
    }
    Ok(())
}

/// Draws lengths of time from a [`DurationDist`].
#[derive(Debug, Clone)]
pub struct DurationSampler {
    law: Law,
    mean: SimDuration,
}

/// A distribution prepared for drawing; lengths in ns.
#[derive(Debug, Clone)]
enum Law {
    Fixed(SimDuration),
    Exponential { standard: StandardExponential, mean: f64 },
    Lognormal { standard: StandardNormal, mu: f64, sigma: f64 },
    Empirical(Box<QuantileFunction>),
}

/// A linear piece of a quantile function: from probability `from` on, `start + (u - from) * slope`, ns.
#[derive(Debug, Clone, Copy)]
struct Piece {
    from: f64,
    start: f64,
    slope: f64,
}

/// Equal parts of the probabilities by which a piece is found.
const GUIDES: usize = 64;

/// A piecewise linear quantile function.
#[derive(Debug, Clone)]
pub(crate) struct QuantileFunction {
    pieces: Vec<Piece>,
    /// The piece in which each 64th of the probabilities begins.
    guide: [usize; GUIDES],
}

impl QuantileFunction {
    /// The function through these points, which must be valid (µs).
    pub(crate) fn new(quantiles: &[(f64, f64)]) -> Self {
        let piece = |pair: &[(f64, f64)]| Piece {
            from: pair[0].0,
            start: pair[0].1 * 1e3,
            slope: (pair[1].1 - pair[0].1) * 1e3 / (pair[1].0 - pair[0].0),
        };
        let pieces: Vec<Piece> = quantiles.windows(2).map(piece).collect();
        let guide = std::array::from_fn(|i| {
            let from = i as f64 / GUIDES as f64;
            pieces.partition_point(|piece| piece.from <= from) - 1
        });
        QuantileFunction { pieces, guide }
    }

    /// The quantile for probability `u` in [0, 1), ns.
    #[inline]
    pub(crate) fn at(&self, u: f64) -> f64 {
        let mut i = self.guide[(u * GUIDES as f64) as i64 as usize % GUIDES];
        while self.pieces.get(i + 1).is_some_and(|next| next.from <= u) {
            i += 1;
        }
        let piece = &self.pieces[i];
        piece.start + (u - piece.from) * piece.slope
    }
}

/// e^x for |x| <= 700, within a few units of the last place.
///
/// Only additions and multiplications, so the bits are the same everywhere, at a third of the cost of `libm::exp`: x is
/// split into k ln 2 + r with |r| <= 0.35, and e^r is its Taylor polynomial of degree 12.
#[inline]
fn exp(x: f64) -> f64 {
    // Adding 1.5 * 2^52 rounds to a whole number.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    let k = (x * std::f64::consts::LOG2_E + ROUND) - ROUND;
    let r = (x - k * LN_2_HIGH) - k * LN_2_LOW;
    let (r2, r4) = (r * r, (r * r) * (r * r));
    let low = (1.0 + r) + r2 * (1.0 / 2.0 + r * (1.0 / 6.0));
    let middle = (1.0 / 24.0 + r * (1.0 / 120.0)) + r2 * (1.0 / 720.0 + r * (1.0 / 5_040.0));
    let high = (1.0 / 40_320.0 + r * (1.0 / 362_880.0)) + r2 * (1.0 / 3_628_800.0 + r * (1.0 / 39_916_800.0));
    let polynomial = low + r4 * (middle + r4 * (high + r4 * (1.0 / 479_001_600.0)));
    polynomial * f64::from_bits(((k as i64 + 1_023) as u64) << 52)
}

impl DurationSampler {
    /// Prepares `dist`, which must be valid.
    pub fn new(dist: &DurationDist) -> Self {
        debug_assert_eq!(dist.validate(), Ok(()), "a distribution is checked before it is drawn from");
        let mean = SimDuration::from_secs_f64(dist.mean_us() / 1e6);
        let law = match dist {
            DurationDist::Fixed { .. } => Law::Fixed(mean),
            _ if mean == SimDuration::ZERO => Law::Fixed(mean),
            DurationDist::Exponential { mean_us } => {
                Law::Exponential { standard: StandardExponential::new(), mean: mean_us * 1e3 }
            }
            DurationDist::Lognormal { mean_us, cv } => {
                let variance = libm::log1p(cv * cv);
                Law::Lognormal {
                    standard: StandardNormal::new(),
                    mu: libm::log(mean_us * 1e3) - variance / 2.0,
                    sigma: variance.sqrt(),
                }
            }
            DurationDist::Empirical { quantiles } => Law::Empirical(Box::new(QuantileFunction::new(quantiles))),
        };
        DurationSampler { law, mean }
    }

    /// A length of time.
    #[inline]
    pub fn sample(&self, rng: &mut Rng) -> SimDuration {
        let ns = match &self.law {
            Law::Fixed(d) => return *d,
            Law::Exponential { standard, mean } => standard.sample(rng) * mean,
            Law::Lognormal { standard, mu, sigma } => exp(mu + sigma * standard.sample(rng)),
            Law::Empirical(function) => function.at(rng.uniform_f64()),
        };
        // By way of i64, for which processors have an instruction.
        SimDuration((ns + 0.5) as i64 as u64)
    }

    /// Mean of the distribution.
    pub fn mean(&self) -> SimDuration {
        self.mean
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{check_moments, chi_square_uniform};
    use super::*;

    const DRAWS: usize = 400_000;

    fn draws(dist: &DurationDist) -> Vec<f64> {
        let sampler = DurationSampler::new(dist);
        let mut rng = Rng::stream(11, 0, "durations");
        (0..DRAWS).map(|_| sampler.sample(&mut rng).0 as f64).collect()
    }

    /// Chi-square of `draws` mapped to what must be uniform by the distribution function `cdf` (of ns).
    fn check_cdf(draws: &[f64], cdf: impl Fn(f64) -> f64) {
        let mut counts = vec![0u64; 200];
        for &x in draws {
            counts[((cdf(x) * 200.0) as usize).min(199)] += 1;
        }
        chi_square_uniform(&counts);
    }

    #[test]
    fn fixed_is_fixed() {
        let sampler = DurationSampler::new(&DurationDist::Fixed { us: 12.5 });
        assert_eq!(sampler.sample(&mut Rng::from_key(0)), SimDuration(12_500));
        assert_eq!(sampler.mean(), SimDuration(12_500));
        let zero = DurationSampler::new(&DurationDist::Exponential { mean_us: 0.0 });
        assert_eq!(zero.sample(&mut Rng::from_key(0)), SimDuration::ZERO);
    }

    #[test]
    fn exponential_has_its_law() {
        // A mean of 10 s, so that whole nanoseconds don't show.
        let draws = draws(&DurationDist::Exponential { mean_us: 1e7 });
        check_cdf(&draws, |x| -libm::expm1(-x / 1e10));
        check_moments(&draws, 1e10, 1e20, 9.0);
    }

    #[test]
    fn lognormal_has_its_law() {
        let cv = 0.6;
        let draws = draws(&DurationDist::Lognormal { mean_us: 1e7, cv });
        let variance = libm::log1p(cv * cv);
        let mu = libm::log(1e10) - variance / 2.0;
        check_cdf(&draws, |x| 0.5 * libm::erfc(-(libm::log(x) - mu) / (2.0 * variance).sqrt()));
        let w = 1.0 + cv * cv;
        check_moments(&draws, 1e10, cv * cv * 1e20, w * w * w * w + 2.0 * w * w * w + 3.0 * w * w - 3.0);
    }

    #[test]
    fn empirical_has_its_law() {
        let quantiles = vec![(0.0, 1e6), (0.5, 2e6), (0.5001, 2e6), (0.9, 6e6), (1.0, 20e6)];
        let dist = DurationDist::Empirical { quantiles: quantiles.clone() };
        let draws = draws(&dist);
        check_cdf(&draws, |x| {
            let us = x / 1e3;
            let i = quantiles.iter().rposition(|q| q.1 <= us).unwrap().min(quantiles.len() - 2);
            let (a, b) = (quantiles[i], quantiles[i + 1]);
            (a.0 + (b.0 - a.0) * (us - a.1) / (b.1 - a.1)).min(1.0)
        });
        let mean = draws.iter().sum::<f64>() / draws.len() as f64 / 1e3;
        assert!((mean / dist.mean_us() - 1.0).abs() < 0.006, "{mean} for {}", dist.mean_us());
        let shortest = draws.iter().copied().fold(f64::MAX, f64::min);
        assert!((1e9..1.001e9).contains(&shortest), "{shortest}");
    }

    #[test]
    fn exp_agrees_with_libm() {
        let mut worst = 0.0f64;
        for i in -70_000..=70_000 {
            let x = f64::from(i) * 0.009_999;
            worst = worst.max((exp(x) / libm::exp(x) - 1.0).abs());
        }
        assert!(worst < 1e-15, "{worst}");
    }

    #[test]
    fn validation_names_what_is_wrong() {
        let empirical = |quantiles: &[(f64, f64)]| DurationDist::Empirical { quantiles: quantiles.to_vec() };
        let bad = [
            (DurationDist::Fixed { us: -1.0 }, "us must be"),
            (DurationDist::Exponential { mean_us: f64::NAN }, "mean_us must be"),
            (DurationDist::Lognormal { mean_us: f64::INFINITY, cv: 1.0 }, "mean_us must be"),
            (DurationDist::Lognormal { mean_us: 1.0, cv: -1.0 }, "cv must be"),
            (empirical(&[]), "at least the points"),
            (empirical(&[(0.0, 1.0)]), "start at probability 0"),
            (empirical(&[(0.1, 1.0), (1.0, 2.0)]), "start at probability 0"),
            (empirical(&[(0.0, 1.0), (0.5, 0.5), (1.0, 2.0)]), "must rise"),
            (empirical(&[(0.0, 1.0), (f64::NAN, 1.5), (1.0, 2.0)]), "must rise"),
            (empirical(&[(0.0, 1.0), (1.0, f64::NAN)]), "a quantile"),
        ];
        for (dist, message) in bad {
            let error = dist.validate().unwrap_err();
            assert!(error.contains(message), "{error}");
        }
        assert_eq!(empirical(&[(0.0, 1.0), (1.0, 2.0)]).validate(), Ok(()));
        assert_eq!(DurationDist::Lognormal { mean_us: 80.0, cv: 0.0 }.validate(), Ok(()));
    }
}
