//! A keyed permutation of 0..n: where the page of a rank lies.
//!
//! Frequent rows of a real table lie anywhere in it, so the ranks of a skewed law are spread over the pages. A stored
//! permutation would cost a cache miss for every draw; this one is computed. It is a Feistel network over a rectangle of
//! `rows * columns >= n` places (J. Black, P. Rogaway, 2002): a place is a pair (row, column), and each of three rounds
//! turns one of the two by an amount that depends on the other and on the key. A result outside 0..n is permuted again
//! ("cycle walking"), which needs less than one extra walk in a thousand draws for a thousand pages and fewer for more.
//!
//! Simplification: three rounds with a weak mixer look random to eyes and to chi-square, not to a cryptographer.

use crate::kernel::random::mix;

/// A permutation of 0..n.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scatter {
    n: u64,
    rows: u64,
    columns: u64,
    /// `ceil(2^64 / columns)`: makes the division by `columns` a multiplication, exact below 2^32.
    reciprocal: u64,
    keys: [u64; 3],
}

impl Scatter {
    /// The permutation of 0..n, n from 1 to 2^32, that belongs to `key`.
    ///
    /// # Panics
    /// If `n` is out of range.
    pub fn new(n: u64, key: u64) -> Self {
        assert!((1..=1 << 32).contains(&n), "a permutation of 1 to 2^32 things");
        // At least two columns, so that the reciprocal fits into 64 bits.
        let columns = ((n as f64).sqrt() as u64).max(2);
        let rows = n.div_ceil(columns);
        let keys = [1, 2, 3].map(|round| mix(key.wrapping_add(mix(round))) | 1);
        Scatter { n, rows, columns, reciprocal: u64::MAX / columns + 1, keys }
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
        let row = ((u128::from(place) * u128::from(self.reciprocal)) >> 64) as u64;
        let column = place - row * self.columns;
        // The row first: the frequent ranks share few rows, so a first turn of the column would leave their rows together.
        let row = turn(row, column, self.keys[0], self.rows);
        let column = turn(column, row, self.keys[1], self.columns);
        let row = turn(row, column, self.keys[2], self.rows);
        row * self.columns + column
    }
}

/// Turns `value` in a circle of `size` by an amount that depends on `other` and `key`.
#[inline]
fn turn(value: u64, other: u64, key: u64, size: u64) -> u64 {
    let hash = (other.wrapping_add(key)).wrapping_mul(key);
    let hash = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let turned = value + ((u128::from(hash) * u128::from(size)) >> 64) as u64;
    if turned >= size { turned - size } else { turned }
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
