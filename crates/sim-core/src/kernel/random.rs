//! Random numbers: the xoshiro256++ generator of Blackman and Vigna, in streams that are known by name.
//!
//! Each purpose (the pages of transactions, the service times of a device, ...) draws from a stream of its own, which
//! is a function of the seed, the number of the replication and the name of the stream. Two settings compared under
//! the same seed therefore meet the same chances, and a stream that is added later disturbs no other. Streams are
//! separated by a 64-bit hash (FNV-1a over the three, mixed by the finalizer of SplitMix64) that seeds SplitMix64,
//! which fills the state of the generator as its authors recommend. With 2^64 possible keys a collision of two streams
//! is out of reach.
//!
//! The hash and the generator are part of the results' identity: tests pin both to known answers.
//!
//! Source: D. Blackman, S. Vigna, "Scrambled linear pseudorandom number generators", 2021; D. Lemire, "Fast random
//! integer generation in an interval", 2019, for [`Rng::below`].

/// 2^-53: the weight of the last bit of a 53-bit fraction.
const ULP_53: f64 = 1.0 / (1u64 << 53) as f64;

/// A stream of random numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rng {
    state: [u64; 4],
}

impl Rng {
    /// The stream `name` of replication `replication` under `seed`.
    pub fn stream(seed: u64, replication: u32, name: &str) -> Self {
        let mut hash = FNV_OFFSET;
        hash = fnv1a(hash, &seed.to_le_bytes());
        hash = fnv1a(hash, &replication.to_le_bytes());
        hash = fnv1a(hash, name.as_bytes());
        Self::from_key(mix(hash))
    }

    /// The stream of a 64-bit key.
    pub fn from_key(key: u64) -> Self {
        let mut sequence = key;
        let mut state = [0; 4];
        for word in &mut state {
            sequence = sequence.wrapping_add(0x9e37_79b9_7f4a_7c15);
            *word = mix(sequence);
        }
        Rng { state }
    }

    /// 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// Uniform in [0, 1), a multiple of 2^-53.
    #[inline]
    pub fn uniform_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * ULP_53
    }

    /// Uniform in `0..n`, without bias. `n` must be positive.
    #[inline]
    pub fn below(&mut self, n: u32) -> u32 {
        debug_assert!(n > 0, "a draw from nothing");
        let mut product = (self.next_u64() >> 32) * u64::from(n);
        if (product as u32) < n {
            let threshold = n.wrapping_neg() % n;
            while (product as u32) < threshold {
                product = (self.next_u64() >> 32) * u64::from(n);
            }
        }
        (product >> 32) as u32
    }

    /// Independent draws from one word: uniform in `0..bounds[i]` each, without bias.
    ///
    /// Multiplying out one bound after the other and taking the upper half is the multiplication by the product of all
    /// bounds, digit by digit; `reject_below` must be [`Rng::reject_below`] of the same bounds.
    #[inline]
    pub fn below_each<const N: usize>(&mut self, bounds: [u32; N], reject_below: u64) -> [u32; N] {
        loop {
            let mut rest = self.next_u64();
            let drawn = bounds.map(|bound| {
                let product = u128::from(rest) * u128::from(bound);
                rest = product as u64;
                (product >> 64) as u32
            });
            if rest >= reject_below {
                return drawn;
            }
        }
    }

    /// The bound that [`Rng::below_each`] needs: 2^64 modulo the product of the bounds.
    ///
    /// # Panics
    /// If the product does not fit 64 bits or is zero.
    pub fn reject_below(bounds: &[u32]) -> u64 {
        let product = bounds.iter().try_fold(1u64, |product, &bound| product.checked_mul(u64::from(bound)));
        let product = product.filter(|&p| p > 0).expect("bounds are positive and their product fits 64 bits");
        product.wrapping_neg() % product
    }

    /// Uniform in `0..n`, without bias. `n` must be positive.
    #[inline]
    pub fn below_u64(&mut self, n: u64) -> u64 {
        debug_assert!(n > 0, "a draw from nothing");
        let mut product = u128::from(self.next_u64()) * u128::from(n);
        if (product as u64) < n {
            let threshold = n.wrapping_neg() % n;
            while (product as u64) < threshold {
                product = u128::from(self.next_u64()) * u128::from(n);
            }
        }
        (product >> 64) as u64
    }

    /// Uniform in `min..=max`, without bias. `min` must not exceed `max`.
    #[inline]
    pub fn range_inclusive(&mut self, min: u32, max: u32) -> u32 {
        debug_assert!(min <= max, "an empty range");
        min + self.below_u64(u64::from(max - min) + 1) as u32
    }

    /// True with the probability that [`Rng::threshold_of`] made into `p_threshold`.
    #[inline]
    pub fn bernoulli(&mut self, p_threshold: u64) -> bool {
        (self.next_u64() >> 11) < p_threshold
    }

    /// The threshold for [`Rng::bernoulli`] of probability `p`, exact to 2^-53; 0 and 1 are exact.
    ///
    /// Below 0 (and NaN) counts as 0, above 1 as 1.
    pub fn threshold_of(p: f64) -> u64 {
        (p.clamp(0.0, 1.0) / ULP_53 + 0.5) as u64
    }
}

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

/// Continues the FNV-1a hash `hash` with `bytes`.
fn fnv1a(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |h, &byte| (h ^ u64::from(byte)).wrapping_mul(FNV_PRIME))
}

/// The finalizer of SplitMix64: a bijection in which every input bit reaches every output bit.
pub(crate) const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::sampler::testing::chi_square_uniform;

    #[test]
    fn matches_the_reference_generator() {
        let mut rng = Rng { state: [1, 2, 3, 4] };
        let expected: [u64; 10] = [
            41943041,
            58720359,
            3588806011781223,
            3591011842654386,
            9228616714210784205,
            9973669472204895162,
            14011001112246962877,
            12406186145184390807,
            15849039046786891736,
            10450023813501588000,
        ];
        assert_eq!(expected.map(|_| rng.next_u64()), expected);
    }

    #[test]
    fn matches_the_reference_seeding() {
        let mut rng = Rng::from_key(42);
        let expected: [u64; 6] = [
            15021278609987233951,
            5881210131331364753,
            18149643915985481100,
            12933668939759105464,
            14637574242682825331,
            10848501901068131965,
        ];
        assert_eq!(expected.map(|_| rng.next_u64()), expected);
    }

    #[test]
    fn streams_are_pinned_and_apart() {
        assert_eq!(fnv1a(FNV_OFFSET, b"foobar"), 0x85944171f73967e8);
        let mut first = Rng::stream(1, 0, "device");
        assert_eq!(first.next_u64(), PINNED_FIRST_DRAW);
        let others = [Rng::stream(2, 0, "device"), Rng::stream(1, 1, "device"), Rng::stream(1, 0, "pages")];
        for other in others {
            assert_ne!(other, Rng::stream(1, 0, "device"));
        }
    }

    /// First draw of the stream (1, 0, "device"). A change here changes the result of every run.
    const PINNED_FIRST_DRAW: u64 = 12660199509608575841;

    #[test]
    fn fractions_are_uniform() {
        let mut rng = Rng::stream(7, 0, "uniform");
        let mut counts = vec![0u64; 256];
        let mut sum = 0.0;
        for _ in 0..1_000_000 {
            let u = rng.uniform_f64();
            assert!((0.0..1.0).contains(&u));
            sum += u;
            counts[(u * 256.0) as usize] += 1;
        }
        chi_square_uniform(&counts);
        assert!((sum / 1e6 - 0.5).abs() < 3.0 * (1.0f64 / 12.0 / 1e6).sqrt());
    }

    #[test]
    fn integers_are_uniform() {
        let mut rng = Rng::stream(8, 0, "below");
        for n in [1u32, 2, 3, 10, 100, 1000] {
            let mut narrow = vec![0u64; n as usize];
            let mut wide = vec![0u64; n as usize];
            let mut range = vec![0u64; n as usize];
            for _ in 0..200_000 {
                narrow[rng.below(n) as usize] += 1;
                wide[rng.below_u64(u64::from(n)) as usize] += 1;
                range[rng.range_inclusive(5, n + 4) as usize - 5] += 1;
            }
            chi_square_uniform(&narrow);
            chi_square_uniform(&wide);
            chi_square_uniform(&range);
        }
    }

    #[test]
    fn a_range_that_divides_badly_has_no_bias() {
        // Three quarters of the range of a word: without rejection, the lower half would come twice as often.
        let n = 3u32 << 30;
        let mut rng = Rng::stream(9, 0, "bias");
        let mut counts = vec![0u64; 3];
        for _ in 0..300_000 {
            counts[(rng.below(n) >> 30) as usize] += 1;
        }
        chi_square_uniform(&counts);
        assert_eq!(rng.range_inclusive(u32::MAX, u32::MAX), u32::MAX);
        rng.range_inclusive(0, u32::MAX);
    }

    #[test]
    fn bernoulli_keeps_its_probability() {
        let mut rng = Rng::stream(10, 0, "bernoulli");
        for p in [0.0, 0.001, 0.3, 0.5, 0.999, 1.0] {
            let threshold = Rng::threshold_of(p);
            let n = 400_000;
            let hits = (0..n).filter(|_| rng.bernoulli(threshold)).count() as f64;
            let sigma = (p * (1.0 - p) / f64::from(n)).sqrt();
            assert!((hits / f64::from(n) - p).abs() <= 3.5 * sigma, "p = {p}: {hits}");
        }
        assert_eq!(Rng::threshold_of(f64::NAN), 0);
        assert_eq!(Rng::threshold_of(2.0), 1 << 53);
    }
}
