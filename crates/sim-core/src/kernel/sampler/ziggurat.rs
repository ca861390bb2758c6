//! The ziggurat: exponential and normal draws without a logarithm.
//!
//! The area under a falling density is covered by 256 layers of equal area: 255 rectangles and a bottom layer of a
//! rectangle and the tail. A draw picks a layer and a place in it; in 98 to 99 of 100 cases the place is under the
//! curve for sure and the draw is one multiplication. The rest compares with the density itself or goes to the tail,
//! so the method is exact.
//!
//! Source: G. Marsaglia, W. W. Tsang, "The ziggurat method for generating random variables", 2000. As J. Doornik (2005)
//! advises, the layer and the place take different bits of the random word.

use crate::kernel::random::Rng;
use std::sync::LazyLock;

const LAYERS: usize = 256;

/// Edges and heights of the layers for one density.
#[derive(Debug)]
struct Layers {
    /// Right edges, falling, from the (virtual) width of the bottom layer to 0.
    x: [f64; LAYERS + 1],
    /// The density at the edges.
    f: [f64; LAYERS + 1],
}

impl Layers {
    /// Layers of area `area` for `density` with inverse `inverse`, the tail starting at `tail`.
    fn new(tail: f64, area: f64, density: fn(f64) -> f64, inverse: fn(f64) -> f64) -> Self {
        let mut x = [0.0; LAYERS + 1];
        x[0] = area / density(tail);
        x[1] = tail;
        for i in 2..LAYERS {
            x[i] = inverse(area / x[i - 1] + density(x[i - 1]));
        }
        Layers { x, f: x.map(density) }
    }
}

static EXPONENTIAL: LazyLock<Layers> =
    LazyLock::new(|| Layers::new(EXPONENTIAL_TAIL, 3.949_659_822_581_557e-3, |x| libm::exp(-x), |y| -libm::log(y)));

static NORMAL: LazyLock<Layers> = LazyLock::new(|| {
    Layers::new(NORMAL_TAIL, 4.928_673_233_99e-3, |x| libm::exp(-0.5 * x * x), |y| (-2.0 * libm::log(y)).sqrt())
});

/// Where the tail of the exponential starts.
const EXPONENTIAL_TAIL: f64 = 7.697_117_470_131_05;
/// Where the tail of the normal starts.
const NORMAL_TAIL: f64 = 3.654_152_885_361_009;

/// Minus the logarithm of a uniform number from (0, 1].
fn exact_exponential(rng: &mut Rng) -> f64 {
    -libm::log(1.0 - rng.uniform_f64())
}

/// Draws from the exponential distribution with mean 1.
#[derive(Debug, Clone, Copy)]
pub struct StandardExponential {
    layers: &'static Layers,
}

impl StandardExponential {
    /// The sampler; all share one table.
    pub fn new() -> Self {
        StandardExponential { layers: &EXPONENTIAL }
    }

    /// A number at least 0.
    #[inline]
    pub fn sample(&self, rng: &mut Rng) -> f64 {
        let bits = rng.next_u64();
        let layer = (bits & 0xff) as usize;
        let x = (bits >> 11) as f64 * (1.0 / (1u64 << 53) as f64) * self.layers.x[layer];
        if x < self.layers.x[layer + 1] { x } else { self.sample_edge(rng, layer, x) }
    }

    /// The cases in which a glance at the layer does not decide.
    #[cold]
    fn sample_edge(&self, rng: &mut Rng, layer: usize, x: f64) -> f64 {
        if layer == 0 {
            return EXPONENTIAL_TAIL + exact_exponential(rng);
        }
        let (low, high) = (self.layers.f[layer], self.layers.f[layer + 1]);
        if low + (high - low) * rng.uniform_f64() < libm::exp(-x) { x } else { self.sample(rng) }
    }
}

impl Default for StandardExponential {
    fn default() -> Self {
        Self::new()
    }
}

/// Draws from the normal distribution with mean 0 and standard deviation 1.
#[derive(Debug, Clone, Copy)]
pub struct StandardNormal {
    layers: &'static Layers,
}

impl StandardNormal {
    /// The sampler; all share one table.
    pub fn new() -> Self {
        StandardNormal { layers: &NORMAL }
    }

    /// A number.
    #[inline]
    pub fn sample(&self, rng: &mut Rng) -> f64 {
        let bits = rng.next_u64();
        let layer = (bits & 0xff) as usize;
        // The sign and 53 bits of place.
        let x = ((bits as i64) >> 10) as f64 * (1.0 / (1u64 << 53) as f64) * self.layers.x[layer];
        if x.abs() < self.layers.x[layer + 1] { x } else { self.sample_edge(rng, layer, x) }
    }

    /// The cases in which a glance at the layer does not decide.
    #[cold]
    fn sample_edge(&self, rng: &mut Rng, layer: usize, x: f64) -> f64 {
        if layer == 0 {
            return sample_normal_tail(rng).copysign(x);
        }
        let (low, high) = (self.layers.f[layer], self.layers.f[layer + 1]);
        if low + (high - low) * rng.uniform_f64() < libm::exp(-0.5 * x * x) { x } else { self.sample(rng) }
    }
}

impl Default for StandardNormal {
    fn default() -> Self {
        Self::new()
    }
}

/// A normal number given that it exceeds the start of the tail (Marsaglia 1964).
fn sample_normal_tail(rng: &mut Rng) -> f64 {
    loop {
        let beyond = exact_exponential(rng) / NORMAL_TAIL;
        if 2.0 * exact_exponential(rng) > beyond * beyond {
            return NORMAL_TAIL + beyond;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check_moments, chi_square};
    use super::*;

    #[test]
    fn the_layers_close_at_the_top() {
        for layers in [&*EXPONENTIAL, &*NORMAL] {
            let area = layers.x[0] * layers.f[1];
            let top = layers.x[LAYERS - 1] * (1.0 - layers.f[LAYERS - 1]);
            assert!((top / area - 1.0).abs() < 1e-6, "{top} for {area}");
            assert_eq!(layers.x[LAYERS], 0.0);
        }
    }

    /// Cells over the whole axis with some of them far out in the tail, and their probabilities.
    fn check_cells(draws: &[f64], low: f64, high: f64, upper_tail: impl Fn(f64) -> f64) {
        let cells = 150;
        let edge = |i: usize| low + (high - low) * i as f64 / cells as f64;
        let mut expected: Vec<f64> = (0..cells).map(|i| upper_tail(edge(i)) - upper_tail(edge(i + 1))).collect();
        expected[0] += 1.0 - upper_tail(low);
        expected[cells - 1] += upper_tail(high);
        let mut counts = vec![0u64; cells];
        for &x in draws {
            counts[(((x - low) / (high - low) * cells as f64).max(0.0) as usize).min(cells - 1)] += 1;
        }
        chi_square(&counts, &expected);
    }

    #[test]
    fn exponential_draws() {
        let mut rng = Rng::stream(12, 0, "exponential");
        let sampler = StandardExponential::new();
        let draws: Vec<f64> = (0..1_000_000).map(|_| sampler.sample(&mut rng)).collect();
        check_cells(&draws, 0.0, 12.0, |x| libm::exp(-x));
        check_moments(&draws, 1.0, 1.0, 9.0);
        let tail = draws.iter().filter(|&&x| x > EXPONENTIAL_TAIL).count() as f64;
        let expected = 1e6 * libm::exp(-EXPONENTIAL_TAIL);
        assert!((tail - expected).abs() < 3.5 * expected.sqrt(), "{tail} for {expected}");
    }

    #[test]
    fn normal_draws() {
        let mut rng = Rng::stream(13, 0, "normal");
        let sampler = StandardNormal::new();
        let draws: Vec<f64> = (0..1_000_000).map(|_| sampler.sample(&mut rng)).collect();
        check_cells(&draws, -4.2, 4.2, |x| 0.5 * libm::erfc(x / 2f64.sqrt()));
        check_moments(&draws, 0.0, 1.0, 3.0);
        let tail = draws.iter().filter(|x| x.abs() > NORMAL_TAIL).count() as f64;
        let expected = 1e6 * libm::erfc(NORMAL_TAIL / 2f64.sqrt());
        assert!((tail - expected).abs() < 3.5 * expected.sqrt(), "{tail} for {expected}");
    }
}
