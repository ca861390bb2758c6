//! Weights of the parts of a class, summed up so that the part at a place among them is found in a few steps. No
//! simplification: whole numbers.

/// Parts of a class whose weights are summed up together, and sums that are.
const BLOCK: usize = 16;

/// Weights of the parts of a class summed up: all, in blocks, and in blocks of blocks.
#[derive(Debug, Clone)]
pub(super) struct Weights {
    /// Of all parts.
    pub(super) all: u64,
    blocks: Vec<u64>,
    upper: Vec<u64>,
}

impl Weights {
    /// For so many parts, which weigh nothing yet.
    pub(super) fn none(parts: usize) -> Self {
        let blocks = parts.div_ceil(BLOCK);
        Weights { all: 0, blocks: vec![0; blocks], upper: vec![0; blocks.div_ceil(BLOCK)] }
    }

    /// A part weighs so much more.
    #[inline]
    pub(super) fn add(&mut self, part: u32, weight: u64) {
        self.all += weight;
        self.blocks[part as usize / BLOCK] += weight;
        self.upper[part as usize / BLOCK / BLOCK] += weight;
    }

    /// A part weighs so much less.
    #[inline]
    pub(super) fn remove(&mut self, part: u32, weight: u64) {
        self.all -= weight;
        self.blocks[part as usize / BLOCK] -= weight;
        self.upper[part as usize / BLOCK / BLOCK] -= weight;
    }

    /// The first part of the block in which a place below `all` lies, and the place within the block.
    #[inline]
    pub(super) fn block_of(&self, mut at: u64) -> (usize, u64) {
        let mut passed = |sums: &[u64]| {
            let mut number = 0;
            while at >= sums[number] {
                at -= sums[number];
                number += 1;
            }
            number
        };
        let upper = passed(&self.upper);
        let block = upper * BLOCK + passed(&self.blocks[upper * BLOCK..]);
        (block * BLOCK, at)
    }
}

impl Weights {
    /// The sum over all blocks.
    pub(super) fn of_blocks(&self) -> u64 {
        self.blocks.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 600 parts in 38 blocks in three blocks of blocks, some without weight: each place is found in the block that a walk over
    /// all parts finds.
    #[test]
    fn a_place_is_found_in_its_block() {
        let mut weights = Weights::none(600);
        let of = |part: u32| u64::from(part * 7 % 5) * u64::from(!(32..80).contains(&part));
        (0..600).for_each(|part| weights.add(part, of(part) + 3));
        (0..600).for_each(|part| weights.remove(part, 3));
        let all: u64 = (0..600).map(of).sum();
        assert_eq!((weights.all, weights.of_blocks()), (all, all));
        let mut at = 0;
        for block in 0..38 {
            let weight: u64 = (block * 16..600.min(block * 16 + 16)).map(of).sum();
            for within in 0..weight {
                assert_eq!(weights.block_of(at + within), (block as usize * 16, within));
            }
            at += weight;
        }
        assert_eq!(at, all);
    }
}
