//! Blocks of ten seconds and small statistics of them.

use crate::course::{Course, Track};

/// Length of a block, seconds: short against waves, long against single seconds.
pub(crate) const BLOCK_S: f64 = 10.0;

/// The steps of about ten seconds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Block {
    /// Its steps.
    pub(crate) at: std::ops::Range<usize>,
    /// Where it begins, seconds.
    pub(crate) from_s: f64,
    /// Where it ends, seconds.
    pub(crate) to_s: f64,
    /// Median of the series over its steps.
    pub(crate) median: f64,
    /// Spread of the steps within it, as a standard deviation, by the quartiles; `None` for fewer than four.
    pub(crate) scatter: Option<f64>,
}

/// The blocks of a series; those without a value are left out.
pub(crate) fn blocks(course: &Course, track: Track) -> Vec<Block> {
    let Some(values) = course.track(track) else { return Vec::new() };
    let mut blocks = Vec::new();
    let mut first = 0;
    while first < values.len() {
        let from_s = course.seconds[first] - course.steps[first];
        let end = course.seconds.partition_point(|s| *s <= from_s + BLOCK_S + 1e-9).max(first + 1);
        let to_s = course.seconds[end - 1];
        // A last block of a second or two is no block.
        let whole = to_s - from_s >= BLOCK_S / 2.0 || blocks.is_empty();
        let mut known: Vec<f64> = values[first..end].iter().copied().filter(|v| v.is_finite()).collect();
        if whole && !known.is_empty() {
            known.sort_by(f64::total_cmp);
            let scatter = (known.len() >= 4).then(|| (quantile(&known, 0.75) - quantile(&known, 0.25)) / 1.349);
            blocks.push(Block { at: first..end, from_s, to_s, median: quantile(&known, 0.5), scatter });
        }
        first = end;
    }
    blocks
}

/// A quantile by nearest rank of sorted values; NaN of none.
pub(crate) fn quantile(sorted: &[f64], share: f64) -> f64 {
    if sorted.is_empty() {
        return f64::NAN;
    }
    let rank = (share * (sorted.len() - 1) as f64).round() as usize;
    sorted[rank.min(sorted.len() - 1)]
}

/// The median of values in any order; NaN of none.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().filter(|v| v.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    quantile(&values, 0.5)
}

/// Standard error of a block's median, of the typical block.
pub(crate) fn median_noise(blocks: &[Block]) -> f64 {
    let scatter = median(blocks.iter().filter_map(|block| block.scatter));
    // 1.2533 = sqrt(pi / 2), the price of a median against a mean; a block has some ten steps.
    if scatter.is_finite() { 1.2533 * scatter / BLOCK_S.sqrt() } else { 0.0 }
}
