//! Leaf pages of a secondary index: full ones split, and merge again.
//!
//! Source: measurement (`docs/validation/sysbench-tpcc.md`, "Other scripts, and indexes of different age"): page by page, an index
//! consists of ranges of entries, each of which was one page when the index was built in one go. A range lies on one page
//! while all its entries fit, on two halves when it has more. Where the index was filled in random order instead, a range
//! is a page as it is at the start, which holds n entries with a probability that goes as 1/n², from half a page to all
//! of it: what splits in halves tend to (A. Yao, "On Random 2-3 Trees", 1978), 69 % in the mean.
//!
//! What a range does:
//! * An insertion takes the unused end of the page, or the place of a removed entry as long as some of that end is left
//!   (`contiguous`) or much of the page is free. If neither is, the page splits, even if a place is free.
//! * When purge removes an entry of a split range whose entries fit on one page again, the halves merge, and all that
//!   is free is at the end of the page.
//! * So a change of an entry (one inserted beside the old one, which purge removes) splits and merges a full page each
//!   time; insertions and deletions make ranges fuller and emptier than full, and fewer are exactly full.
//!
//! * A page that splits, or has at most half of its entries left when one is removed, is latched with both neighbours in the order
//!   of keys, and all become dirty ([`super::IndexLeaves`] has the rule, where the server has it).
//!
//! Both halves of a split range are drawn equally, and ranges as the keys say, or equally, whatever they hold. The page
//! that a merge frees is the next that a split takes, as the segment's list of extents with free pages gives it out.
//!
//! Simplifications: halves do not fill up and split again, nor do half-empty neighbours merge (errs towards fewer
//! splits, where an index has grown or shrunk by a third); parents of a split page are not touched. Pages
//! that no range uses lie in a warm buffer pool too (errs towards a fuller pool). A removal from a page that has merged
//! meanwhile counts for the range that had it last.

use super::index_page::{FoundEntry, Limits, Merge, Removal};
use super::spec::IndexFill;
use crate::buffer_pool::PageRun;
use crate::kernel::random::Rng;
use prefetch_index::prefetch_index;

/// Entries that must be free for a page to be tidied up instead of split: a 32nd of the page by entries of 13 bytes.
const TIDY_UP: i16 = 38;
/// Changes of a page from which on their number is taken as it is.
const MANY: f64 = 100.0;
/// Entries a page after which it has long been split.
const MOST_ENTRIES: f64 = 600.0;
/// Ranges of a block, whose indexes are looked up together; a power of two.
const BLOCK: usize = 1024;
/// In place of free places: the range lies on two pages.
const SPLIT: i16 = -1;

/// Entries that were one page.
#[derive(Debug, Clone, Copy)]
struct Range {
    /// Entries beyond what fits on one page.
    surplus: i16,
    /// Free places at the end of the page that were never used; [`SPLIT`] if the range lies on two pages.
    contiguous: i16,
    /// The other half, if it is split.
    half: u32,
}

/// One index: its pages before any split, and as many for halves.
#[derive(Debug, Clone)]
struct Index {
    run: PageRun,
    /// Its first range; there are as many as pages before any split.
    first_range: u32,
    /// Pages that no range uses; the last is taken next.
    spare: Vec<u32>,
    /// The ranges that use the pages of the second half of the run, or did last.
    users: Vec<u32>,
    latching: Option<Latching>,
}

/// Which removals latch the neighbours of a page, where these become dirty by that: entries beyond what fits on one page up to
/// which they do.
#[derive(Debug, Clone, Copy)]
struct Latching {
    /// Of a range on one page.
    unsplit: i32,
    /// Of a range on two.
    split: i32,
}

/// How an index was laid out.
#[derive(Debug, Clone, Copy)]
pub(super) struct IndexLayout {
    pub(super) entries_a_page: u32,
    pub(super) filled: IndexFill,
    pub(super) dirties_latched: bool,
}

/// How the ranges of an index lie on pages.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct IndexRanges {
    /// Ranges of entries, each on one page or on two.
    pub(super) ranges: u32,
    /// Share of them that is on two.
    pub(super) split: f64,
    /// Shares of those on one, by the entries that they still take.
    pub(super) free: Vec<f64>,
}

/// The indexes of all classes.
#[derive(Debug, Clone, Default)]
pub struct IndexPages {
    indexes: Vec<Index>,
    /// The ranges of all indexes, one index after the other: small, for they are drawn anywhere among millions of bytes.
    ranges: Vec<Range>,
    /// The index of the first range of each block, and the last index behind them.
    blocks: Vec<u32>,
}

impl IndexPages {
    /// Lays indexes out over `runs`, the first half of each for the pages before any split, the second for halves: the
    /// numbers of each index's ranges.
    pub(super) fn place(&mut self, runs: &[PageRun], layout: IndexLayout, rng: &mut Rng) -> Vec<PageRun> {
        let IndexLayout { entries_a_page, filled, dirties_latched } = layout;
        let latching = dirties_latched.then(|| Latching::of(entries_a_page));
        let first = self.indexes.len();
        for run in runs {
            let unsplit = PageRun { first: run.first, pages: (run.pages / 2).max(1) };
            let halves = unsplit.first + unsplit.pages..run.first + run.pages;
            self.indexes.push(Index {
                run: unsplit,
                first_range: self.ranges.len() as u32,
                users: vec![0; halves.len()],
                spare: halves.rev().collect(),
                latching,
            });
            for _ in 0..unsplit.pages {
                let surplus = match filled {
                    IndexFill::InOneGo { changes_a_page } => walk(changes_a_page, rng),
                    IndexFill::InRandomOrder => -free_after_splits(entries_a_page, rng),
                };
                self.begin(surplus);
            }
        }
        let starts = (0..self.ranges.len() as u32).step_by(BLOCK);
        let number = |range: u32| self.indexes.partition_point(|index| index.first_range <= range) as u32 - 1;
        self.blocks = starts.map(number).chain([self.indexes.len() as u32 - 1]).collect();
        let ranges = |index: &Index| PageRun { first: index.first_range, pages: index.run.pages };
        self.indexes[first..].iter().map(ranges).collect()
    }

    /// How the ranges of the index that lies in `run` lie on pages now.
    pub(super) fn ranges_of(&self, run: PageRun) -> IndexRanges {
        let number = self.indexes.iter().find(|index| index.run.first == run.first);
        let Some(index) = number else { return IndexRanges { ranges: run.pages, split: 0.0, free: Vec::new() } };
        let ranges = &self.ranges[index.first_range as usize..][..index.run.pages as usize];
        let each = 1.0 / ranges.len() as f64;
        let mut free: Vec<f64> = Vec::new();
        let mut split = 0.0;
        for range in ranges {
            if range.contiguous == SPLIT {
                split += each;
                continue;
            }
            let room = usize::from((-range.surplus).max(0).unsigned_abs());
            if room >= free.len() {
                free.resize(room + 1, 0.0);
            }
            free[room] += each;
        }
        IndexRanges { ranges: index.run.pages, split, free }
    }

    /// Pages that halves took in the index that lies in `run`, in the order in which they are given out.
    pub(crate) fn halves_of(&self, run: PageRun) -> Option<PageRun> {
        let index = self.indexes.iter().find(|index| index.run.first == run.first)?;
        let taken = index.users.len() - index.spare.len();
        Some(PageRun { first: index.run.first + index.run.pages, pages: taken as u32 })
    }

    /// So many entries are inserted into the index that lies in `run`, anywhere.
    pub(super) fn age(&mut self, run: PageRun, entries: f64, rng: &mut Rng) {
        let Some(number) = self.indexes.iter().position(|index| index.run.first == run.first) else { return };
        let (first, ranges) = (self.indexes[number].first_range, self.indexes[number].run.pages);
        let cumulative = cumulative_poisson((entries / f64::from(ranges.max(1))).min(MOST_ENTRIES));
        for range in first..first + ranges {
            let draw = rng.uniform_f64();
            for _ in 0..cumulative.partition_point(|up_to| *up_to <= draw) {
                self.insert(number, range);
            }
        }
    }

    /// Asks the processor for the memory of a range.
    #[inline]
    pub(super) fn prefetch(&self, range: u32) {
        prefetch_index(&self.ranges, range as usize);
    }

    /// The index of a range: mostly its block has only one.
    #[inline]
    fn index_of(&self, range: u32) -> usize {
        let block = range as usize / BLOCK;
        let (low, high) = (self.blocks[block] as usize, self.blocks[block + 1] as usize);
        if low == high {
            return low;
        }
        low + self.indexes[low..=high].partition_point(|index| index.first_range <= range) - 1
    }

    /// Finds an entry of a range, on the second of two halves if it is `upper`; another is inserted beside it if
    /// `inserts`.
    #[inline]
    pub fn find(&mut self, range: u32, upper: bool, inserts: bool) -> FoundEntry {
        let number = self.index_of(range);
        let index = &self.indexes[number];
        let Range { contiguous, half, .. } = self.ranges[range as usize];
        // Which half is a coin toss: both are at hand, and no branch has to be guessed.
        let unsplit = index.run.first + range - index.first_range;
        let page = std::hint::select_unpredictable(upper & (contiguous == SPLIT), half, unsplit);
        FoundEntry { page, split: if inserts { self.insert(number, range) } else { None } }
    }

    /// Purge has removed an entry from this page; `None` if no range has it.
    pub(super) fn removed(&mut self, page: u32) -> Option<Removal> {
        let number = self.indexes.partition_point(|index| index.run.first <= page).checked_sub(1)?;
        let range = self.indexes[number].range_of(page)?;
        let latched = self.latched_to_remove(number, range, page);
        let merge = self.remove(number, range).map(|into| Merge { into, moved: 1, half: 1 });
        Some(Removal { latched, merge })
    }

    /// An entry of this page is gone, and nobody looks whether the page could merge; false if no range has the page.
    pub(super) fn entry_gone(&mut self, page: u32) -> bool {
        let number = self.indexes.partition_point(|index| index.run.first <= page).checked_sub(1);
        let Some(range) = number.and_then(|number| self.indexes[number].range_of(page)) else { return false };
        let range = &mut self.ranges[range as usize];
        range.surplus = range.surplus.saturating_sub(1);
        true
    }

    /// Entries that this page has room for; `None` if no range has it. Halves have room for many, but one entry too many has only just
    /// split the page.
    pub(super) fn room_on(&self, page: u32) -> Option<u32> {
        let number = self.indexes.partition_point(|index| index.run.first <= page).checked_sub(1)?;
        let range = self.ranges[self.indexes[number].range_of(page)? as usize];
        Some(if range.surplus > 1 { u32::MAX } else { (-i32::from(range.surplus)).max(0) as u32 })
    }

    /// The neighbours that were latched with the page of a range that has split, where they become dirty.
    pub(super) fn latched_to_split(&self, range: u32) -> [Option<u32>; 2] {
        let number = self.index_of(range);
        if self.indexes[number].latching.is_some() { self.beside(number, range) } else { [None; 2] }
    }

    /// The neighbours that are latched with `page` of a range as an entry is removed from it, where they become dirty.
    fn latched_to_remove(&self, number: usize, range: u32, page: u32) -> [Option<u32>; 2] {
        let Some(latching) = self.indexes[number].latching else { return [None; 2] };
        let Range { surplus, contiguous, half } = self.ranges[range as usize];
        let is_split = contiguous == SPLIT;
        if i32::from(surplus) - 1 > if is_split { latching.split } else { latching.unsplit } {
            return [None; 2];
        }
        let [left, right] = self.beside(number, range);
        match is_split {
            false => [left, right],
            true if page == half => [Some(self.first_page(number, range)), right],
            true => [left, Some(half)],
        }
    }

    /// The last page of the range before, and the first of the next.
    fn beside(&self, number: usize, range: u32) -> [Option<u32>; 2] {
        let index = &self.indexes[number];
        let last_page = |before: u32| match self.ranges[before as usize] {
            Range { contiguous: SPLIT, half, .. } => half,
            _ => self.first_page(number, before),
        };
        let before = range.checked_sub(1).filter(|before| *before >= index.first_range).map(last_page);
        let next = Some(range + 1).filter(|next| *next < index.first_range + index.run.pages);
        [before, next.map(|next| self.first_page(number, next))]
    }

    /// The page that a range has, split or not.
    #[inline]
    fn first_page(&self, number: usize, range: u32) -> u32 {
        let index = &self.indexes[number];
        index.run.first + range - index.first_range
    }

    /// Adds a range of the last index as it is at the start.
    fn begin(&mut self, surplus: i16) {
        let range = self.ranges.len() as u32;
        let half = if surplus > 0 { self.indexes.last_mut().and_then(|index| index.take(range)) } else { None };
        let contiguous = if half.is_some() { SPLIT } else { (-surplus).max(0) };
        self.ranges.push(Range { surplus, contiguous, half: half.unwrap_or_default() });
    }

    /// An entry is inserted: the page that a split begins, if there is one.
    #[inline]
    fn insert(&mut self, index: usize, number: u32) -> Option<u32> {
        let range = &mut self.ranges[number as usize];
        let free = -range.surplus;
        range.surplus = range.surplus.saturating_add(1);
        if range.contiguous == SPLIT {
            return None;
        }
        if free >= TIDY_UP && range.contiguous == 0 {
            range.contiguous = free;
        }
        if free > 0 && range.contiguous > 0 {
            // The place of a removed entry, if there is one, comes before the unused end.
            range.contiguous = range.contiguous.min(free - 1);
            return None;
        }
        let page = self.indexes[index].take(number)?;
        (range.contiguous, range.half) = (SPLIT, page);
        Some(page)
    }

    /// An entry is removed: the page that takes both halves, if they merge.
    fn remove(&mut self, index: usize, number: u32) -> Option<u32> {
        let range = &mut self.ranges[number as usize];
        range.surplus = range.surplus.saturating_sub(1);
        if range.contiguous != SPLIT || range.surplus > 0 {
            return None;
        }
        range.contiguous = -range.surplus;
        let index = &mut self.indexes[index];
        index.spare.push(range.half);
        Some(index.run.first + number - index.first_range)
    }
}

impl Latching {
    fn of(entries_a_page: u32) -> Self {
        let (most, to_merge) = (entries_a_page as i32, i32::from(Limits::of(entries_a_page).merge_at));
        Latching { unsplit: to_merge - most, split: 2 * to_merge - most }
    }
}

impl Index {
    /// A page for the half of a range; none if there is none left.
    fn take(&mut self, range: u32) -> Option<u32> {
        let page = self.spare.pop()?;
        self.users[(page - self.run.first - self.run.pages) as usize] = range;
        Some(page)
    }

    fn range_of(&self, page: u32) -> Option<u32> {
        let place = page - self.run.first;
        if place < self.run.pages {
            Some(self.first_range + place)
        } else {
            self.users.get((place - self.run.pages) as usize).copied()
        }
    }
}

/// Free places of a page that splits have filled, of `entries` in all.
fn free_after_splits(entries: u32, rng: &mut Rng) -> i16 {
    let held = f64::from(entries) / (2.0 - rng.uniform_f64());
    (entries - held as u32).min(i16::MAX as u32) as i16
}

/// Insertions less deletions after some changes of either kind: a Poisson number of them, `changes` in the mean; where
/// there are many, that number or one more.
fn walk(changes: f64, rng: &mut Rng) -> i16 {
    let number = if changes < MANY { poisson(changes, rng) } else { changes as u32 + rng.below(2) };
    let mut surplus = 0;
    for first in (0..number).step_by(64) {
        let steps = (number - first).min(64);
        let insertions = (rng.next_u64() >> (64 - steps)).count_ones();
        surplus += 2 * insertions as i32 - steps as i32;
    }
    surplus.clamp(i32::from(i16::MIN), i32::from(i16::MAX)) as i16
}

/// Chances of at most 0, 1, 2, ... in a Poisson law, up to where hardly any are left.
fn cumulative_poisson(mean: f64) -> Vec<f64> {
    let (mut chance, mut sum, mut number) = (libm::exp(-mean), 0.0, 0.0);
    let mut cumulative = Vec::new();
    while sum < 1.0 - 1e-12 && number <= 2.0 * mean + 50.0 {
        sum += chance;
        cumulative.push(sum);
        number += 1.0;
        chance *= mean / number;
    }
    cumulative
}

/// A Poisson number by counting exponential steps.
fn poisson(mean: f64, rng: &mut Rng) -> u32 {
    let (mut number, mut at) = (0, -libm::log(1.0 - rng.uniform_f64()));
    while at <= mean {
        number += 1;
        at -= libm::log(1.0 - rng.uniform_f64());
    }
    number
}

#[cfg(test)]
mod tests;
