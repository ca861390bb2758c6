//! What waits in the change buffer, by index page: a few bytes for each page of the extents that have any.

use crate::buffer_pool::{BitSet, EXTENT_PAGES};
use prefetch_index::prefetch_index;

/// The changes of all pages.
#[derive(Debug, Default)]
pub(super) struct PendingChanges {
    /// Where the pages of an extent lie in the arrays, by extent, in extents from 1 on; 0 if it never had changes.
    places: Vec<u32>,
    changes: Vec<u8>,
    /// The pages that have changes, and the words of that set that are not empty.
    changed: BitSet,
    words: BitSet,
    pages: u64,
    total: u64,
}

impl PendingChanges {
    /// Pages that have changes.
    pub(super) fn pages(&self) -> u64 {
        self.pages
    }

    /// Changes of all pages.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    #[inline]
    fn place(&self, page: u32) -> Option<usize> {
        let extent = *self.places.get((page / EXTENT_PAGES) as usize)?;
        (extent > 0).then(|| ((extent - 1) * EXTENT_PAGES + page % EXTENT_PAGES) as usize)
    }

    /// Changes of a page.
    #[inline]
    pub(super) fn of(&self, page: u32) -> u32 {
        self.place(page).map_or(0, |place| u32::from(self.changes[place]))
    }

    /// Asks the processor for what [`PendingChanges::of`] looks up.
    #[inline]
    pub(super) fn prefetch(&self, page: u32) {
        if let Some(place) = self.place(page) {
            prefetch_index(&self.changes, place);
        }
    }

    /// One more change waits for a page, which has fewer than 255.
    pub(super) fn add(&mut self, page: u32) {
        let place = self.place(page).unwrap_or_else(|| self.make_room(page));
        if self.changes[place] == 0 {
            self.changed.insert(page);
            self.words.insert(page / 64);
            self.pages += 1;
        }
        self.changes[place] += 1;
        self.total += 1;
    }

    #[cold]
    fn make_room(&mut self, page: u32) -> usize {
        let extent = (page / EXTENT_PAGES) as usize;
        if self.places.len() <= extent {
            self.places.resize(extent + 1, 0);
        }
        let end = (extent + 1) * EXTENT_PAGES as usize;
        self.changed.grow(end);
        self.words.grow(end.div_ceil(64));
        let first = self.changes.len();
        self.changes.resize(first + EXTENT_PAGES as usize, 0);
        self.places[extent] = (first / EXTENT_PAGES as usize) as u32 + 1;
        first + (page % EXTENT_PAGES) as usize
    }

    /// Takes out what waits for a page: how many changes, if there are any.
    #[inline]
    pub(super) fn take(&mut self, page: u32) -> Option<u32> {
        let place = self.place(page).filter(|&place| self.changes[place] > 0)?;
        let changes = u32::from(std::mem::take(&mut self.changes[place]));
        self.changed.remove(page);
        if self.changed.word_empty(page) {
            self.words.remove(page / 64);
        }
        self.pages -= 1;
        self.total -= u64::from(changes);
        Some(changes)
    }

    /// The first page from `page` on that has changes.
    pub(super) fn next_from(&self, page: u32) -> Option<u32> {
        let in_word = self.words.contains_if_in_range(page / 64).then(|| self.changed.next_in_word(page)).flatten();
        in_word.or_else(|| self.changed.next_in_word(self.words.next_from(page / 64 + 1)? * 64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::random::Rng;
    use std::collections::BTreeMap;

    #[test]
    fn keeps_what_a_map_would() {
        let mut rng = Rng::stream(1, 0, "pending");
        let (mut pending, mut map) = (PendingChanges::default(), BTreeMap::<u32, u32>::new());
        for _ in 0..20_000 {
            let page = rng.below(40) * 173 + rng.below(3);
            if rng.below(3) > 0 && pending.of(page) < 80 {
                pending.add(page);
                *map.entry(page).or_default() += 1;
            } else {
                assert_eq!(pending.take(page), map.remove(&page));
            }
            let from = rng.below(8_000);
            assert_eq!(pending.next_from(from), map.range(from..).next().map(|(&page, _)| page), "from {from}");
            assert_eq!(pending.of(page), map.get(&page).copied().unwrap_or(0));
        }
        assert_eq!(pending.pages(), map.len() as u64);
        assert_eq!(pending.total(), map.values().map(|&changes| u64::from(changes)).sum::<u64>());
    }
}
