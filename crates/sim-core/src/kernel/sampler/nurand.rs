//! TPC-C's non-uniform random.
//!
//! NURand(A, x, y) = (((rand(0, A) | rand(x, y)) + C) % (y - x + 1)) + x, where `|` is the bitwise or: ones are more
//! frequent in the result, so some keys are hotter than others. Here x = 1 and y = `range`, as for items and
//! customers, and keys count from 0.
//!
//! Source: TPC-C standard specification, clause 2.1.6. Simplification: the run-time constant C, which only turns the
//! keys in their circle, is 0.

use crate::kernel::random::Rng;

/// TPC-C's NURand(A, 1, range), counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NuRand {
    a: u32,
    range: u32,
    reject_below: u64,
}

impl NuRand {
    /// NURand with constant `a` (8191 for items, 1023 for customers) over `range` keys, at least one.
    ///
    /// # Panics
    /// If `range` is zero.
    pub fn new(a: u32, range: u32) -> Self {
        assert!(range > 0, "at least one key");
        NuRand { a, range, reject_below: Rng::reject_below(&[a + 1, range]) }
    }

    /// A key from 0 to range - 1.
    #[inline]
    pub fn sample(&self, rng: &mut Rng) -> u32 {
        let [mask, key] = rng.below_each([self.a + 1, self.range], self.reject_below);
        self.key(mask, key)
    }

    /// Bounds of the two draws that [`NuRand::key`] puts together.
    pub fn bounds(&self) -> [u32; 2] {
        [self.a + 1, self.range]
    }

    /// The key of two draws: `mask` from `0..=a` and `key` from `0..range`.
    #[inline]
    pub fn key(&self, mask: u32, key: u32) -> u32 {
        let drawn = mask | (key + 1);
        if self.a >= self.range {
            return drawn % self.range;
        }
        // At most one turn too much; without a branch that has to be guessed.
        drawn.min(drawn.wrapping_sub(self.range))
    }

    /// The probability of each key, exactly: pairs of draws are counted in integers. The bits of a pair are those of either
    /// draw, so pairs whose bits lie within a word's are products of such draws, and differences of these leave the word.
    pub fn law(&self) -> Vec<f64> {
        let words = (self.a | self.range).next_power_of_two().max(2) as usize * 2;
        let mut masks = vec![0i64; words];
        let mut keys = vec![0i64; words];
        masks[..=self.a as usize].fill(1);
        keys[1..=self.range as usize].fill(1);
        for numbers in [&mut masks, &mut keys] {
            over_bits(numbers, |with, without| with + without);
        }
        let mut pairs: Vec<i64> = masks.iter().zip(&keys).map(|(mask, key)| mask * key).collect();
        over_bits(&mut pairs, |with, without| with - without);
        let all = (f64::from(self.a) + 1.0) * f64::from(self.range);
        let mut law = vec![0.0; self.range as usize];
        for (drawn, &count) in pairs.iter().enumerate() {
            law[drawn % self.range as usize] += count as f64 / all;
        }
        law
    }
}

/// For each bit, changes the number of each word that has it by that of the same word without it.
fn over_bits(numbers: &mut [i64], change: impl Fn(i64, i64) -> i64) {
    let mut bit = 1;
    while bit < numbers.len() {
        for word in (0..numbers.len()).filter(|word| word & bit != 0) {
            numbers[word] = change(numbers[word], numbers[word ^ bit]);
        }
        bit *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::chi_square;
    use super::*;

    /// Probabilities of the keys, by enumeration of all pairs.
    fn law(a: u32, range: u32) -> Vec<f64> {
        let mut p = vec![0.0; range as usize];
        let weight = 1.0 / (f64::from(a) + 1.0) / f64::from(range);
        for mask in 0..=a {
            for key in 1..=range {
                p[((mask | key) % range) as usize] += weight;
            }
        }
        p
    }

    #[test]
    fn has_its_law() {
        let mut rng = Rng::stream(19, 0, "nurand");
        for (a, range) in [(0, 1), (0, 10), (255, 1000), (1023, 3000), (8191, 10_000), (100, 77)] {
            let expected = law(a, range);
            let sampler = NuRand::new(a, range);
            let counted = sampler.law();
            assert!(
                counted.iter().zip(&expected).all(|(counted, summed)| (counted - summed).abs() < 1e-12),
                "{a}, {range}"
            );
            let mut counts = vec![0u64; range as usize];
            let draws = 400_000;
            let mut sum = 0.0;
            for _ in 0..draws {
                let key = sampler.sample(&mut rng);
                counts[key as usize] += 1;
                sum += f64::from(key);
            }
            chi_square(&counts, &expected);
            let mean: f64 = expected.iter().enumerate().map(|(k, p)| k as f64 * p).sum();
            let variance: f64 =
                expected.iter().enumerate().map(|(k, p)| (k as f64 - mean) * (k as f64 - mean) * p).sum();
            assert!((sum / f64::from(draws) - mean).abs() <= 3.5 * (variance / f64::from(draws)).sqrt());
        }
    }
}
