//! What waits in the change buffer, by index page: a few bytes for each page of the extents that have any.

use crate::buffer_pool::{BitSet, EXTENT_PAGES};
use crate::kernel::random::Rng;
use crate::workload::program::IndexChange;
use prefetch_index::prefetch_index;

/// Changes that wait for a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Waiting {
    changes: u16,
    /// Entries among them that are inserted, and as many entries as the page is sure to have.
    inserted: u8,
    entries: u8,
}

/// The changes of all pages.
#[derive(Debug, Clone, Default)]
pub(super) struct PendingChanges {
    /// Where the pages of an extent lie in the arrays, by extent, in extents from 1 on; 0 if it never had changes.
    places: Vec<u32>,
    /// The extents in the order of the arrays.
    extents: Vec<u32>,
    changes: Vec<Waiting>,
    /// The places that have changes, and the words of that set that are not empty.
    changed: BitSet,
    words: BitSet,
    pages: u64,
    total: u64,
}

impl PendingChanges {
    /// Pages that have changes.
    pub(in crate::server) fn pages(&self) -> u64 {
        self.pages
    }

    /// Whether a page ever had changes.
    pub(super) fn were_any(&self) -> bool {
        !self.extents.is_empty()
    }

    /// Changes of all pages.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    #[inline]
    fn place(&self, page: u32) -> Option<u32> {
        let extent = *self.places.get((page / EXTENT_PAGES) as usize)?;
        (extent > 0).then(|| (extent - 1) * EXTENT_PAGES + page % EXTENT_PAGES)
    }

    fn waiting(&self, page: u32) -> Waiting {
        self.place(page).map_or(Waiting::default(), |place| self.changes[place as usize])
    }

    /// Changes of a page.
    #[inline]
    pub(in crate::server) fn of(&self, page: u32) -> u32 {
        self.waiting(page).changes.into()
    }

    /// Entries that wait to be inserted into a page.
    pub(in crate::server) fn inserted(&self, page: u32) -> u32 {
        self.waiting(page).inserted.into()
    }

    /// Entries that a page is sure to have: those inserted or marked, less those removed.
    pub(in crate::server) fn entries(&self, page: u32) -> u32 {
        self.waiting(page).entries.into()
    }

    /// Asks the processor for what [`PendingChanges::of`] looks up.
    #[inline]
    pub(in crate::server) fn prefetch(&self, page: u32) {
        if let Some(place) = self.place(page) {
            prefetch_index(&self.changes, place as usize);
        }
    }

    /// One more change waits for a page, for which fewer than 255 entries wait.
    pub(in crate::server) fn add(&mut self, page: u32, change: IndexChange) {
        let place = self.place(page).unwrap_or_else(|| self.make_room(page));
        let waiting = &mut self.changes[place as usize];
        if waiting.changes == 0 {
            self.changed.insert(place);
            self.words.insert(place / 64);
            self.pages += 1;
        }
        let (inserted, entries) = match change {
            IndexChange::Inserts => (1, 1),
            IndexChange::Marks => (0, 1),
            IndexChange::Replaces => (1, 2),
            IndexChange::Removes => (0, -1),
        };
        waiting.changes = waiting.changes.saturating_add(1);
        waiting.inserted = waiting.inserted.saturating_add(inserted);
        waiting.entries = waiting.entries.saturating_add_signed(entries);
        self.total += 1;
    }

    #[cold]
    fn make_room(&mut self, page: u32) -> u32 {
        let extent = page / EXTENT_PAGES;
        if self.places.len() <= extent as usize {
            self.places.resize(extent as usize + 1, 0);
        }
        let first = self.extents.len() as u32 * EXTENT_PAGES;
        self.extents.push(extent);
        self.places[extent as usize] = self.extents.len() as u32;
        let end = (first + EXTENT_PAGES) as usize;
        self.changes.resize(end, Waiting::default());
        self.changed.grow(end);
        self.words.grow(end.div_ceil(64));
        first + page % EXTENT_PAGES
    }

    /// Takes out what waits for a page: how many changes, if there are any.
    #[inline]
    pub(in crate::server) fn take(&mut self, page: u32) -> Option<u32> {
        let place = self.place(page).filter(|&place| self.changes[place as usize].changes > 0)?;
        let changes = u32::from(std::mem::take(&mut self.changes[place as usize]).changes);
        self.changed.remove(place);
        if self.changed.word_empty(place) {
            self.words.remove(place / 64);
        }
        self.pages -= 1;
        self.total -= u64::from(changes);
        Some(changes)
    }

    /// A page that has changes: the first one from a random place on.
    pub(in crate::server) fn random(&self, rng: &mut Rng) -> Option<u32> {
        if self.pages == 0 {
            return None;
        }
        let from = rng.below(self.changes.len() as u32);
        let place = self.next_from(from).or_else(|| self.next_from(0))?;
        Some(self.extents[(place / EXTENT_PAGES) as usize] * EXTENT_PAGES + place % EXTENT_PAGES)
    }

    /// The first place from `place` on that has changes.
    fn next_from(&self, place: u32) -> Option<u32> {
        let in_word = self.words.contains(place / 64).then(|| self.changed.next_in_word(place)).flatten();
        in_word.or_else(|| self.changed.next_in_word(self.words.next_from(place / 64 + 1)? * 64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn keeps_what_a_map_would() {
        let mut rng = Rng::stream(1, 0, "pending");
        let (mut pending, mut map) = (PendingChanges::default(), BTreeMap::<u32, u32>::new());
        for _ in 0..20_000 {
            let page = rng.below(40) * 173 + rng.below(3);
            if rng.below(3) > 0 && pending.of(page) < 80 {
                pending.add(page, IndexChange::Marks);
                *map.entry(page).or_default() += 1;
            } else {
                assert_eq!(pending.take(page), map.remove(&page));
            }
            assert_eq!(pending.of(page), map.get(&page).copied().unwrap_or(0));
            match pending.random(&mut rng) {
                Some(page) => assert!(map.contains_key(&page), "{page}"),
                None => assert!(map.is_empty()),
            }
        }
        assert_eq!(pending.pages(), map.len() as u64);
        assert_eq!(pending.total(), map.values().map(|&changes| u64::from(changes)).sum::<u64>());
    }

    /// Only what is inserted takes room, and what is marked or inserted is sure to be there until it is removed.
    #[test]
    fn entries_of_a_page_are_known_from_its_changes() {
        use IndexChange::{Inserts, Marks, Removes, Replaces};
        let mut pending = PendingChanges::default();
        let after = [Marks, Removes, Replaces, Inserts, Removes, Removes, Removes, Removes].map(|change| {
            pending.add(7, change);
            (pending.inserted(7), pending.entries(7))
        });
        assert_eq!(after, [(0, 1), (0, 0), (1, 2), (2, 3), (2, 2), (2, 1), (2, 0), (2, 0)]);
        assert_eq!((pending.of(7), pending.take(7), pending.entries(7)), (8, Some(8), 0));
    }

    #[test]
    fn every_page_with_changes_is_found() {
        let mut rng = Rng::stream(2, 0, "pending");
        let mut pending = PendingChanges::default();
        let pages: Vec<u32> = (0..300).map(|page| page * 37).collect();
        pages.iter().for_each(|&page| pending.add(page, IndexChange::Marks));
        let mut found: Vec<u32> = (0..20_000).filter_map(|_| pending.random(&mut rng)).collect();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found, pages);
    }
}
