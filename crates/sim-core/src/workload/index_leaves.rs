//! Leaf pages of a secondary index in the order of their keys: full ones split, emptied ones merge with a neighbour.
//!
//! Source: InnoDB's rules (`docs/spec/index-pages.md`), counted in bytes there and in entries of one size here. An index that was
//! built in one go has full pages.
//! * An insertion takes the place of a removed entry while a 32nd of the page is free, or the unused end of the page. If
//!   neither is there, the upper half of the entries moves to a new page.
//! * A page whose last insertion lies next to the new entry, with no removal since, is taken for one that keys in order fill. It splits
//!   there, one entry further on, so that one part has nearly all entries and can't merge back for long. Where rows that change
//!   often have their entries of one value side by side, that is one split in 200, and leaves 5 % fewer splits in all.
//! * When purge removes an entry and the page is less than half full, all that is left moves to the neighbour on the left, or
//!   else on the right, if it fits. A neighbour whose unused end is too short is tidied up first.
//! * A page that splits or may merge is latched with both neighbours, and a mini-transaction leaves all pages that it latched for
//!   modification dirty, changed or not (MySQL; MariaDB since 10.6 those that it changed alone).
//! * So a change of an entry (one inserted next to the old one, which purge removes) splits and merges a full page each time.
//!   Where new keys follow the law of the old ones, pages wander away from exactly full. Where they follow another, pages in
//!   one part of the index drain and merge, and those in the other fill and split for good.
//! * The half of a page that has merged with another's neighbour is left alone between full pages. Once those and the half
//!   have drained to two thirds they merge too, all at about the same time.
//!
//! Simplifications: keys lie evenly in each half of a page's entries. Purge removes an entry without delay while the index ages before the run.
//! Four indexes are aged, the others are copies of these. Parents of a
//! page are not touched (errs towards fewer dirty pages). An insertion behind the last entry of a full page splits it, also if the next page
//! has room (one split in 1500). An entry whose page has merged meanwhile is removed
//! from the page that has its stretch of keys now.

use super::index_page::{FoundEntry, Limits, Merge, Removal};
use super::segment_pages::SegmentPages;
use super::spec::{IndexAge, KeyLaw, LeafDraw};
use crate::buffer_pool::PageRun;
use crate::kernel::random::Rng;

/// Indexes that are aged before a run; the others are copies.
const AGED: usize = 4;

/// A leaf page.
#[derive(Debug, Clone, Copy)]
struct Leaf {
    /// Its first key; its last is the one before the next page's first.
    low: u32,
    /// Half of its entries lie below this key, as far as is known: pages split there.
    middle: u32,
    page: u32,
    entries: u16,
    /// Places up to the end of the page's heap, those of removed entries included.
    heap: u16,
    /// The key that was inserted last, or [`NO_KEY`] if an entry was removed since, or the page made of others.
    last: u32,
}

/// Behind all keys.
const NO_KEY: u32 = u32::MAX;

/// How a page splits.
#[derive(Debug, Clone, Copy)]
struct Cut {
    /// Entries of the lower part.
    below: u16,
    /// First key of the upper part.
    low: u32,
    /// Whether the lower part moves to the new page, and not the upper one.
    moves_lower: bool,
}

/// One index.
#[derive(Debug, Clone)]
struct Index {
    run: PageRun,
    /// In the order of keys.
    leaves: Vec<Leaf>,
    /// Pages that hold nothing.
    spare: SegmentPages,
    /// The key that was last found on each page of the run: where its next entry to be removed is now.
    found: Vec<u32>,
}

/// What is known of the rows of an index while it ages.
struct Rows {
    /// Keys of the rows that `special` draws three times in four: few, so that they stay few on each page.
    hot: Vec<u32>,
    /// From one value of the indexed column to the next.
    next_key: u32,
}

/// All indexes of a workload.
#[derive(Debug, Clone, Default)]
pub struct IndexLeaves {
    indexes: Vec<Index>,
    limits: Limits,
    /// Keys of each index.
    span: u32,
    /// Whether pages that were latched become dirty.
    dirties_latched: bool,
}

impl IndexLeaves {
    /// Lays indexes out over `runs`, unless they are there; the first half of each run for the pages before any split.
    pub(super) fn place(&mut self, runs: &[PageRun], age: &IndexAge, dirties_latched: bool, rng: &mut Rng) {
        let Some(first) = runs.first().filter(|_| self.indexes.is_empty()) else { return };
        self.dirties_latched = dirties_latched;
        self.limits = Limits::of(age.entries_a_page);
        self.span = u32::MAX / runs.len() as u32;
        let pages = runs.iter().map(|run| run.pages).min().unwrap_or(first.pages);
        let aged: Vec<Index> =
            (0..AGED.min(runs.len())).map(|_| self.aged(PageRun { pages, ..*first }, age, rng)).collect();
        let copy = |(number, run): (usize, &PageRun)| Index {
            run: PageRun { first: run.first, pages },
            ..aged[number % AGED].clone()
        };
        self.indexes = runs.iter().enumerate().map(copy).collect();
    }

    /// An index that was built in one go and has been changed since.
    fn aged(&self, run: PageRun, age: &IndexAge, rng: &mut Rng) -> Index {
        let built = (run.pages / 2).max(1);
        let Limits { most, .. } = self.limits;
        let key_at = |page: f64| (age.prepared.quantile(page / f64::from(built)) * f64::from(self.span)) as u32;
        let leaf = |page| Leaf {
            low: if page == 0 { 0 } else { key_at(f64::from(page)) },
            middle: key_at(f64::from(page) + 0.5),
            page,
            entries: most,
            heap: most,
            last: NO_KEY,
        };
        let leaves: Vec<Leaf> = (0..built).map(leaf).collect();
        let mut found: Vec<u32> = leaves.iter().map(|leaf| leaf.low).collect();
        let fences: Vec<u32> = found.iter().copied().chain([self.span]).collect();
        found.resize(run.pages as usize, 0);
        let mut index = Index { run, leaves, spare: SegmentPages::new(built, run.pages), found };
        let mut rows = Rows { hot: Vec::new(), next_key: self.span / built.saturating_mul(u32::from(most)) };
        // Of a transaction of oltp_read_write a change of an entry goes with an insertion and a deletion.
        let transactions = |changes_a_page: f64| (changes_a_page * f64::from(built) / 2.0) as u64;
        if age.prepared == KeyLaw::Special {
            let hot = (SPECIAL.end - SPECIAL.start) * f64::from(built) * f64::from(most);
            let next_key = rows.next_key;
            rows.hot.extend((0..hot as u32).map(|_| of_hot_row(key_of_fences(&fences, rng), next_key)));
        }
        for _ in 0..transactions(age.changes_a_page) {
            let key = key_of_fences(&fences, rng);
            self.transaction(&mut index, &mut rows, key, rng);
        }
        rows.hot.clear();
        for _ in 0..transactions(age.changes_by_load) {
            let key = rng.below(self.span);
            self.transaction(&mut index, &mut rows, key, rng);
        }
        index
    }

    /// A transaction changes a row's key to the next one, and gives another row this `key`.
    fn transaction(&self, index: &mut Index, rows: &mut Rows, key: u32, rng: &mut Rng) {
        for new_key in [None, Some(key)] {
            let hot = !rows.hot.is_empty() && rng.uniform_f64() >= BELL_SHARE;
            let hot = hot.then(|| rng.below(rows.hot.len() as u32) as usize);
            let old = hot.map_or_else(|| index.any_entry(self.span, &self.limits, rng), |row| rows.hot[row]);
            let new = new_key.unwrap_or(old.saturating_add(rows.next_key).min(self.span - 1));
            let new = if hot.is_some() { of_hot_row(new, rows.next_key) } else { new };
            index.insert(new, self.span, &self.limits);
            index.remove_at(index.leaf_of(old), self.span, &self.limits);
            if let Some(row) = hot {
                rows.hot[row] = new;
            }
        }
    }

    /// Draws the place of an entry, or of a new one, in any index.
    #[inline]
    pub(super) fn draw(&self, what: LeafDraw, rng: &mut Rng) -> u32 {
        let number = rng.below(self.indexes.len() as u32);
        let key = match what {
            LeafDraw::Entries => self.indexes[number as usize].any_entry(self.span, &self.limits, rng),
            LeafDraw::NewKeys => rng.below(self.span),
        };
        number * self.span + key
    }

    /// Finds the page of a place; another entry is inserted there if `inserts`.
    #[inline]
    pub(super) fn find(&mut self, place: u32, inserts: bool) -> FoundEntry {
        let (number, key) = (place / self.span, place % self.span);
        let index = &mut self.indexes[number as usize];
        let page = index.leaves[index.leaf_of(key)].page;
        index.found[page as usize] = key;
        let page = index.run.first + page;
        let split = if inserts { index.insert(key, self.span, &self.limits) } else { None };
        FoundEntry { page, split: split.map(|page| index.run.first + page) }
    }

    /// The neighbours that were latched with a page that has split at this place.
    pub(super) fn latched_to_split(&self, place: u32, begun: u32) -> [Option<u32>; 2] {
        if !self.dirties_latched {
            return [None; 2];
        }
        let index = &self.indexes[(place / self.span) as usize];
        let at = index.leaf_of(place % self.span);
        // The page begun is the upper one, with the place or behind it, or the lower one before it.
        let begun = |at: usize| index.run.first + index.leaves[at].page == begun;
        let lower = at - usize::from(at > 0 && (begun(at) || begun(at - 1)));
        let page = |at: usize| Some(index.run.first + index.leaves.get(at)?.page);
        [lower.checked_sub(1).and_then(page), page(lower + 2)]
    }

    /// Purge has removed an entry from this page.
    pub(super) fn removed(&mut self, page: u32) -> Removal {
        let number = self.indexes.partition_point(|index| index.run.first <= page).checked_sub(1);
        let Some(index) = number.map(|number| &mut self.indexes[number]) else { return Removal::default() };
        let first = index.run.first;
        let Some(key) = index.found.get((page - first) as usize).copied() else { return Removal::default() };
        let at = index.leaf_of(key);
        let latched = if self.dirties_latched { index.latched_to_remove(at, &self.limits) } else { [None; 2] };
        let latched = latched.map(|page| page.map(|page| first + page));
        let half = u32::from(self.limits.most) / 2;
        let merge = index.remove_at(at, self.span, &self.limits);
        let merge = merge.map(|(into, moved)| Merge { into: first + into, moved: u32::from(moved), half });
        Removal { latched, merge }
    }

    /// An entry of this page is gone, and nobody looks whether the page could merge.
    pub(super) fn entry_gone(&mut self, page: u32) {
        let number = self.indexes.partition_point(|index| index.run.first <= page).checked_sub(1);
        let Some(index) = number.map(|number| &mut self.indexes[number]) else { return };
        let Some(key) = index.found.get((page - index.run.first) as usize).copied() else { return };
        let at = index.leaf_of(key);
        index.leaves[at].lose_entry();
    }

    /// Entries that this page has room for; `None` if it is of no index.
    pub(super) fn room_on(&self, page: u32) -> Option<u32> {
        let number = self.indexes.partition_point(|index| index.run.first <= page).checked_sub(1)?;
        let index = &self.indexes[number];
        let key = *index.found.get((page - index.run.first) as usize)?;
        Some(u32::from(self.limits.most - index.leaves[index.leaf_of(key)].entries.min(self.limits.most)))
    }

    /// The part of a run in which the pages of an index lie; all of it, if there is no index.
    pub(super) fn used(&self, run: PageRun) -> PageRun {
        let index = self.indexes.iter().find(|index| index.run.first == run.first);
        let last = index.and_then(|index| index.leaves.iter().map(|leaf| leaf.page).max());
        PageRun { pages: last.map_or(run.pages, |last| last + 1), ..run }
    }
}

impl Index {
    /// The page that has a key, by its position.
    #[inline]
    fn leaf_of(&self, key: u32) -> usize {
        self.leaves.partition_point(|leaf| leaf.low <= key).saturating_sub(1)
    }

    /// The key behind the last of a page.
    #[inline]
    fn end_of(&self, at: usize, span: u32) -> u32 {
        self.leaves.get(at + 1).map_or(span, |next| next.low)
    }

    /// A key next to an entry, each equally often.
    #[inline]
    fn any_entry(&self, span: u32, limits: &Limits, rng: &mut Rng) -> u32 {
        loop {
            let at = rng.below(self.leaves.len() as u32) as usize;
            let leaf = self.leaves[at];
            let drawn = rng.below(2 * u32::from(limits.most));
            if drawn < u32::from(leaf.entries) {
                return between(leaf.low, leaf.middle, rng);
            } else if drawn < 2 * u32::from(leaf.entries) {
                return between(leaf.middle, self.end_of(at, span), rng);
            }
        }
    }

    /// An entry is inserted: the page that a split begins, if there is one.
    #[inline]
    fn insert(&mut self, key: u32, span: u32, limits: &Limits) -> Option<u32> {
        let at = self.leaf_of(key);
        let leaf = &mut self.leaves[at];
        let free = limits.most - leaf.entries;
        let removed = leaf.heap > leaf.entries;
        let fits = leaf.heap < limits.most && free > 0 || removed && free >= limits.tidy_up;
        if fits {
            leaf.insert(key);
            return None;
        }
        self.split(at, key, span)
    }

    /// Splits a page before an entry is inserted. Without a page left the entry is not counted.
    #[cold]
    fn split(&mut self, at: usize, key: u32, span: u32) -> Option<u32> {
        let page = self.spare.take_behind(self.leaves[at].page)?;
        let end = self.end_of(at, span);
        let whole = self.leaves[at];
        let Cut { below, low, moves_lower } = whole.cut(key, end);
        let middle = |first: u16, entries: u16| whole.key_of(u32::from(first) * 2 + u32::from(entries), end);
        let above = whole.entries - below;
        let mut lower = Leaf { middle: middle(0, below), entries: below, last: NO_KEY, ..whole };
        let mut upper = Leaf { low, middle: middle(below, above), page, entries: above, heap: above, last: NO_KEY };
        if moves_lower {
            (lower.page, lower.heap, upper.page, upper.heap) = (page, below, whole.page, whole.heap);
        }
        let takes = if key < low { &mut lower } else { &mut upper };
        takes.insert(key);
        self.found[page as usize] = if moves_lower { lower.low } else { low };
        self.leaves[at] = lower;
        self.leaves.insert(at + 1, upper);
        Some(page)
    }

    /// The neighbours of the page from which an entry is to be removed, if that may make it merge.
    fn latched_to_remove(&self, at: usize, limits: &Limits) -> [Option<u32>; 2] {
        if self.leaves[at].entries.saturating_sub(1) > limits.merge_at {
            return [None; 2];
        }
        [at.checked_sub(1), Some(at + 1)].map(|beside| Some(self.leaves.get(beside?)?.page))
    }

    /// An entry of a page is removed: the page that this one merged with, and how many entries moved.
    fn remove_at(&mut self, at: usize, span: u32, limits: &Limits) -> Option<(u32, u16)> {
        let leaf = &mut self.leaves[at];
        leaf.lose_entry();
        if leaf.entries > limits.merge_at {
            return None;
        }
        let moved = leaf.entries;
        let fits = |beside: usize| self.leaves.get(beside).is_some_and(|other| other.entries + moved <= limits.most);
        let into = at.checked_sub(1).filter(|left| fits(*left)).or(Some(at + 1).filter(|right| fits(*right)))?;
        Some((self.merge(at, into, limits, span), moved))
    }

    /// The key below which half of the entries of a page and the next lie.
    fn middle_of_both(&self, at: usize, span: u32) -> u32 {
        let [left, right] = [self.leaves[at], self.leaves[at + 1]];
        // In half entries.
        let (before, of_left) = (u32::from(left.entries) + u32::from(right.entries), 2 * u32::from(left.entries));
        match before.checked_sub(of_left).filter(|before| *before > 0) {
            None => left.key_of(before, right.low),
            Some(before) => right.key_of(before, self.end_of(at + 1, span)),
        }
    }

    /// Moves all entries of a page to a neighbour: the neighbour's page.
    #[cold]
    fn merge(&mut self, at: usize, into: usize, limits: &Limits, span: u32) -> u32 {
        let middle = self.middle_of_both(at.min(into), span);
        let Leaf { low, page, entries: moved, .. } = self.leaves[at];
        let other = &mut self.leaves[into];
        if limits.most - other.heap.min(limits.most) < moved {
            other.heap = other.entries;
        }
        other.entries += moved;
        other.heap = other.heap.max(other.entries);
        (other.middle, other.last) = (middle, NO_KEY);
        let kept = other.page;
        if into > at {
            other.low = low;
        }
        self.spare.give_back(page);
        self.leaves.remove(at);
        kept
    }
}

impl Leaf {
    #[inline]
    fn insert(&mut self, key: u32) {
        self.entries += 1;
        self.heap = self.heap.max(self.entries);
        self.last = key;
    }

    fn lose_entry(&mut self) {
        self.entries = self.entries.saturating_sub(1);
        self.last = NO_KEY;
    }

    /// The key below which so many half entries lie.
    fn key_of(&self, half_entries: u32, end: u32) -> u32 {
        let entries = u32::from(self.entries);
        let (low, end, before) = match half_entries.checked_sub(entries).filter(|before| *before > 0) {
            None => (self.low, self.middle, half_entries),
            Some(before) => (self.middle, end, before),
        };
        low + (u64::from(end - low) * u64::from(before) / u64::from(entries.max(1))) as u32
    }

    /// Half entries below a key, and keys that an entry takes there.
    fn half_entries_below(&self, key: u32, end: u32) -> (u32, u32) {
        let entries = u32::from(self.entries);
        let (low, end, before) =
            if key < self.middle { (self.low, self.middle, 0) } else { (self.middle, end, entries) };
        let keys = (end - low).max(1);
        let below = u64::from(key - low) * u64::from(entries) / u64::from(keys);
        (before + below as u32, 2 * keys / entries.max(1))
    }

    /// How the page splits for a key: in the middle, or next to the last insertion if that lies beside.
    fn cut(&self, key: u32, end: u32) -> Cut {
        let middle = Cut { below: self.entries / 2, low: self.middle, moves_lower: false };
        let (below, keys) = self.half_entries_below(key, end);
        if self.last == NO_KEY || key.abs_diff(self.last) > keys {
            return middle;
        }
        // Of two entries of one value either may come first.
        let rises = if key == self.last { key.is_multiple_of(2) } else { key > self.last };
        // Upwards the entry behind the new one stays with it, downwards the one before.
        let below = if rises { below / 2 + 1 } else { (below / 2).saturating_sub(1) };
        let low = self.key_of(2 * below, end);
        let low = if rises { low.max(key + 1) } else { low.min(key) };
        if below == 0 || below >= u32::from(self.entries) || low <= self.low || low >= end {
            return middle;
        }
        Cut { below: below as u16, low, moves_lower: !rises }
    }
}

/// A key between any two neighbouring fences.
fn key_of_fences(fences: &[u32], rng: &mut Rng) -> u32 {
    let at = rng.below(fences.len() as u32 - 1) as usize;
    between(fences[at], fences[at + 1], rng)
}

/// The key of a row that changes often, near one of the same value: such rows lie in a hundredth of the table, so that their entries
/// of one value are neighbours.
fn of_hot_row(key: u32, keys_a_value: u32) -> u32 {
    key - key % keys_a_value.max(1) + keys_a_value / 2
}

/// A key from `low` on, before `end`.
#[inline]
fn between(low: u32, end: u32, rng: &mut Rng) -> u32 {
    low + rng.below((end - low).max(1))
}

/// Places of the keys of [`KeyLaw::Special`]: three quarters lie here, evenly.
const SPECIAL: std::ops::Range<f64> = 0.4975..0.505;
/// Share of the others, means of [`SUMMED`] even draws.
const BELL_SHARE: f64 = 0.25;
/// Draws of which the others are means.
const SUMMED: u32 = 12;

impl KeyLaw {
    /// Share of the keys below a place from 0 to 1.
    fn share_below(self, place: f64) -> f64 {
        match self {
            KeyLaw::Uniform => place,
            KeyLaw::Special => {
                let special = ((place - SPECIAL.start) / (SPECIAL.end - SPECIAL.start)).clamp(0.0, 1.0);
                BELL_SHARE * mean_of_even_draws_below(place) + (1.0 - BELL_SHARE) * special
            }
        }
    }

    /// The place below which this share of the keys lies.
    fn quantile(self, share: f64) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..48 {
            let middle = f64::midpoint(low, high);
            if self.share_below(middle) < share { low = middle } else { high = middle }
        }
        high
    }
}

/// Chance that the mean of [`SUMMED`] even draws is below `place` (the law of Irwin and Hall).
fn mean_of_even_draws_below(place: f64) -> f64 {
    if place > 0.5 {
        return 1.0 - mean_of_even_draws_below(1.0 - place);
    }
    let sum = place * f64::from(SUMMED);
    let (mut chance, mut binomial, mut sign) = (0.0, 1.0, 1.0);
    for drawn in 0..=SUMMED {
        let beyond = sum - f64::from(drawn);
        if beyond <= 0.0 {
            break;
        }
        let term = (1..=SUMMED).fold(1.0, |term, factor| term * beyond / f64::from(factor));
        chance += sign * binomial * term;
        binomial *= f64::from(SUMMED - drawn) / f64::from(drawn + 1);
        sign = -sign;
    }
    chance
}

#[cfg(test)]
mod tests;
