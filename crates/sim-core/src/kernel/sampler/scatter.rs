//! A keyed permutation of 0..n: where the page of a rank lies.
//!
//! Frequent rows of a real table lie anywhere in it, so the ranks of a skewed law are spread over the pages. A stored
//! permutation would cost a cache miss for every draw; this one is computed. It is a Feistel network over a rectangle
//! of `rows * 2^bits >= n` places (after J. Black, P. Rogaway, 2002): a place is a pair (row, column), and each of
//! three rounds turns one of the two by an amount that depends on the other and on the key. A result outside 0..n is
//! permuted again ("cycle walking"), which happens to less than one draw in the square root of n.
//!
//! Simplification: three rounds with a weak mixer look random to eyes and to chi-square, not to a cryptographer.

use crate::kernel::random::mix;

/// A permutation of 0..n.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scatter {
    n: u64,
    rows: u64,
    /// The columns are the numbers of this many bits.
    bits: u32,
    keys: [u64; 3],
}

impl Scatter {
    /// The permutation of 0..n, n from 1 to 2^48, that belongs to `key`.
    ///
    /// # Panics
    /// If `n` is out of range.
    pub fn new(n: u64, key: u64) -> Self {
        assert!((1..=1 << 48).contains(&n), "a permutation of 1 to 2^48 things");
        // About as many columns as rows; at least two.
        let bits = (n.ilog2() / 2).max(1);
        let keys = [1, 2, 3].map(|round| mix(key.wrapping_add(mix(round))) | 1);
        Scatter { n, rows: n.div_ceil(1 << bits), bits, keys }
    }

    /// Number of things that are permuted.
    pub fn len(&self) -> u64 {
        self.n
    }

    /// Whether there is nothing to permute; never, as there is at least one thing.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Where `rank`, below n, lies: a number below n, another one for every rank.
    #[inline]
    pub fn apply(&self, rank: u64) -> u64 {
        debug_assert!(rank < self.n, "rank {rank} of {}", self.n);
        let mut place = self.permute(rank);
        while place >= self.n {
            place = self.permute(place);
        }
        place
    }

    /// Permutes the whole rectangle.
    #[inline]
    fn permute(&self, place: u64) -> u64 {
        let (row, column) = (place >> self.bits, place & ((1 << self.bits) - 1));
        // The row first: the frequent ranks share few rows, so a first turn of the column would leave their rows
        // together.
        let row = self.turn_row(row, column, self.keys[0]);
        let column = column ^ (hash(row, self.keys[1]) >> (64 - self.bits));
        let row = self.turn_row(row, column, self.keys[2]);
        (row << self.bits) | column
    }

    /// Turns `row` in the circle of rows by an amount that depends on `column` and `key`.
    #[inline]
    fn turn_row(&self, row: u64, column: u64, key: u64) -> u64 {
        let turned = row + ((u128::from(hash(column, key)) * u128::from(self.rows)) >> 64) as u64;
        if turned >= self.rows { turned - self.rows } else { turned }
    }
}

/// Mixes `value`, a small number, with `key`; the upper bits are good.
#[inline]
fn hash(value: u64, key: u64) -> u64 {
    let spread = value.wrapping_mul(key).wrapping_add(key.rotate_left(32));
    spread.wrapping_mul(spread)
}

#[cfg(test)]
mod tests {
    use super::super::testing::chi_square_uniform;
    use super::*;

    #[test]
    fn is_a_permutation() {
        for n in (1..130).chain([1_000, 4_095, 4_096, 4_097, 65_537, 1_000_003]) {
            let scatter = Scatter::new(n, 0xfeed + n);
            let mut seen = vec![false; n as usize];
            for rank in 0..n {
                let place = scatter.apply(rank) as usize;
                assert!(!std::mem::replace(&mut seen[place], true), "{n}: {rank}");
            }
        }
    }

    #[test]
    fn reaches_the_ends_of_the_largest_range() {
        let scatter = Scatter::new(1 << 32, 5);
        for rank in [0, 1, (1 << 32) - 1, 1 << 31] {
            assert!(scatter.apply(rank) < 1 << 32);
        }
        assert_eq!(Scatter::new(9_000_000, 1), Scatter::new(9_000_000, 1));
        assert_ne!(Scatter::new(9_000_000, 1), Scatter::new(9_000_000, 2));
    }

    #[test]
    fn spreads_the_first_ranks_evenly() {
        // The hottest ranks fall into 1000 stretches of pages, and onto the offsets within an extent, like any others.
        let n = 6_400_000u64;
        for (key, ranks) in [(1, 20_000), (2, 200_000), (3, 2_000)] {
            let scatter = Scatter::new(n, key);
            let (mut stretches, mut offsets) = (vec![0u64; (ranks / 20) as usize], vec![0u64; 64]);
            for rank in 0..ranks {
                let place = scatter.apply(rank);
                stretches[(place * (ranks / 20) / n) as usize] += 1;
                offsets[(place % 64) as usize] += 1;
            }
            chi_square_uniform(&stretches);
            chi_square_uniform(&offsets);
        }
    }

    #[test]
    fn neighbours_in_rank_are_no_neighbours_in_place() {
        let scatter = Scatter::new(1_000_000, 99);
        let near = (0..100_000).filter(|&r| scatter.apply(r).abs_diff(scatter.apply(r + 1)) < 64).count();
        // Chance brings 2 * 64 / 10^6 of them together: 13.
        assert!(near < 60, "{near}");
    }
}
