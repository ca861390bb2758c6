//! The states of the pages of a buffer pool: three bits a page ([`super`] has source and simplifications).
//!
//! *Dirty and idle* means resident, dirty and not under write: a modification of such a page costs only redo, which is the path
//! that nearly all modifications of a busy server take. Two small tables, a bit for each word of 64 pages, answer most
//! questions from the processor's cache.

use super::bits::BitSet;
use super::page_space::PageRun;

/// What a modification of a page meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageState {
    /// Resident, dirty and not under write.
    DirtyIdle,
    /// Resident, not dirty.
    Clean,
    /// Under write, and dirty until it is written.
    UnderWrite,
    /// Not in the pool.
    Missing,
}

/// The states of all pages.
#[derive(Debug, Clone)]
pub(crate) struct PageStates {
    /// Resident, dirty and not under write.
    dirty_idle: BitSet,
    resident: BitSet,
    /// Words of `resident` that are full: it answers nearly all questions of a warm pool.
    resident_words: BitSet,
    under_write: BitSet,
    /// Words of `under_write` that are not empty: under write are some hundred pages out of millions.
    words_under_write: BitSet,
}

impl PageStates {
    /// Pages of which none is resident.
    pub(super) fn with_len(pages: u32) -> Self {
        let (pages, words) = (pages as usize, pages.div_ceil(64) as usize);
        PageStates {
            dirty_idle: BitSet::with_len(pages),
            resident: BitSet::with_len(pages),
            resident_words: BitSet::with_len(words),
            under_write: BitSet::with_len(pages),
            words_under_write: BitSet::with_len(words),
        }
    }

    /// Makes room for `pages` pages.
    pub(super) fn grow(&mut self, pages: u32) {
        for set in [&mut self.dirty_idle, &mut self.resident, &mut self.under_write] {
            set.grow(pages as usize);
        }
        for words in [&mut self.resident_words, &mut self.words_under_write] {
            words.grow(pages.div_ceil(64) as usize);
        }
    }

    /// The state of a page; asks the small tables first.
    #[inline]
    pub(super) fn state(&self, page: u32) -> PageState {
        if self.dirty_idle.contains(page) {
            PageState::DirtyIdle
        } else if !self.resident_words.contains(page / 64) && !self.resident.contains(page) {
            PageState::Missing
        } else if self.words_under_write.contains(page / 64) && self.under_write.contains(page) {
            PageState::UnderWrite
        } else {
            PageState::Clean
        }
    }

    /// Whether a page is dirty and not under write.
    #[inline]
    pub(crate) fn is_dirty_idle(&self, page: u32) -> bool {
        self.dirty_idle.contains(page)
    }

    /// Whether a page is resident.
    #[inline]
    pub(crate) fn is_resident(&self, page: u32) -> bool {
        self.resident.contains(page)
    }

    /// Whether a page is under write.
    #[inline]
    pub(crate) fn is_under_write(&self, page: u32) -> bool {
        self.words_under_write.contains(page / 64) && self.under_write.contains(page)
    }

    /// Whether a page is dirty, under write or not.
    #[inline]
    pub(crate) fn is_dirty(&self, page: u32) -> bool {
        self.dirty_idle.contains(page) || self.under_write.contains(page)
    }

    /// Whether all pages of a range, and those that share a word with its ends, are resident.
    #[inline]
    pub(super) fn range_resident(&self, range: PageRun) -> bool {
        let last = range.first + range.pages.max(1) - 1;
        self.resident_words.contains_all(range.first / 64, last / 64)
    }

    /// How far the pages from `from` on, up to `end`, are resident: the first that is not, or `end`.
    pub(crate) fn resident_up_to(&self, from: u32, end: u32) -> u32 {
        let mut page = from;
        while page < end {
            if page.is_multiple_of(64) && self.resident_words.contains(page / 64) {
                page += 64;
            } else if self.resident.contains(page) {
                page += 1;
            } else {
                return page;
            }
        }
        end
    }

    /// How many of `pages`, up to the first that is not, are dirty and idle.
    #[inline]
    pub(super) fn leading_dirty_idle(&self, pages: &[u32]) -> usize {
        pages.iter().position(|&page| !self.dirty_idle.contains(page)).unwrap_or(pages.len())
    }

    /// Asks the processor for what [`PageStates::leading_dirty_idle`] will look at.
    #[inline]
    pub(crate) fn prefetch(&self, page: u32) {
        self.dirty_idle.prefetch(page);
    }

    /// Asks the processor for what writing a page will look at and change.
    #[inline]
    pub(super) fn prefetch_write(&self, page: u32) {
        self.dirty_idle.prefetch(page);
        self.under_write.prefetch(page);
    }

    /// A page that was missing is in the pool, clean.
    #[inline]
    pub(super) fn becomes_resident(&mut self, page: u32) {
        debug_assert!(!self.resident.contains(page), "page read twice");
        self.resident.insert(page);
        if self.resident.word_full(page) {
            self.resident_words.insert(page / 64);
        }
    }

    /// Pages from `first` up to, not including, `end` that were missing are in the pool, clean.
    pub(super) fn range_becomes_resident(&mut self, first: u32, end: u32) {
        self.resident.insert_range(first, end);
        for word in (first / 64..end.div_ceil(64)).filter(|word| self.resident.word_full(word * 64)) {
            self.resident_words.insert(word);
        }
    }

    /// A clean page is dirty from now on.
    #[inline]
    pub(super) fn becomes_dirty_idle(&mut self, page: u32) {
        self.dirty_idle.insert(page);
    }

    /// A dirty page is under write.
    #[inline]
    pub(super) fn begin_write(&mut self, page: u32) {
        self.dirty_idle.remove(page);
        self.under_write.insert(page);
        self.words_under_write.insert(page / 64);
    }

    /// The write of a page is done: it is clean.
    #[inline]
    pub(super) fn written(&mut self, page: u32) {
        debug_assert!(self.under_write.contains(page), "page written that was not under write");
        self.under_write.remove(page);
        if self.under_write.word_empty(page) {
            self.words_under_write.remove(page / 64);
        }
    }

    /// A clean page is no longer in the pool.
    #[inline]
    pub(super) fn evicted(&mut self, page: u32) {
        self.resident.remove(page);
        self.resident_words.remove(page / 64);
    }

    /// Pages from `first` up to, not including, `end` that are resident, and those that are dirty, under write or not.
    pub(crate) fn count_in(&self, first: u32, end: u32) -> (u64, u64) {
        (
            self.resident.count_in(first, end),
            self.dirty_idle.count_in(first, end) + self.under_write.count_in(first, end),
        )
    }

    /// Pages that are dirty and idle, and pages that are under write; walks everything.
    pub(super) fn count_dirty(&self) -> (u64, u64) {
        (self.dirty_idle.count(), self.under_write.count())
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        let tables = self.resident_words.bytes() + self.words_under_write.bytes();
        self.dirty_idle.bytes() + self.resident.bytes() + self.under_write.bytes() + tables
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::random::Rng;

    const PAGES: u32 = 200;

    /// Every question about every page and run of pages, answered by looking at each page.
    fn assert_like(states: &PageStates, pages: &[PageState]) {
        use PageState::{DirtyIdle, Missing, UnderWrite};
        let resident = |page: u32| pages[page as usize] != Missing;
        for page in 0..PAGES {
            let state = pages[page as usize];
            assert_eq!(states.state(page), state);
            assert_eq!(
                (states.is_dirty_idle(page), states.is_under_write(page)),
                (state == DirtyIdle, state == UnderWrite)
            );
            assert_eq!(
                (states.is_resident(page), states.is_dirty(page)),
                (resident(page), [DirtyIdle, UnderWrite].contains(&state))
            );
            let first_missing = (page..PAGES).find(|&p| !resident(p)).unwrap_or(PAGES);
            assert_eq!(states.resident_up_to(page, PAGES), first_missing);
            let dirty = pages[page as usize..].iter().filter(|s| [DirtyIdle, UnderWrite].contains(s)).count() as u64;
            assert_eq!(states.count_in(page, PAGES), ((page..PAGES).filter(|&p| resident(p)).count() as u64, dirty));
            // Ranges of one page, of none, and to the end of the next word.
            for count in [0, 1, 128 - page % 64] {
                let (word, last) = (page / 64 * 64, (page + count.max(1) - 1) / 64 * 64 + 63);
                let all = last < PAGES && (word..=last).all(resident);
                if last < PAGES {
                    assert_eq!(states.range_resident(PageRun { first: page, pages: count }), all, "{page} and {count}");
                }
            }
        }
        let all: Vec<u32> = (0..PAGES).rev().collect();
        let leading = all.iter().take_while(|&&page| pages[page as usize] == DirtyIdle).count();
        assert_eq!(states.leading_dirty_idle(&all), leading);
        let count = |of| pages.iter().filter(|&&state| state == of).count() as u64;
        assert_eq!(states.count_dirty(), (count(DirtyIdle), count(UnderWrite)));
    }

    /// Pages go from one state to the next in any order; now and then all are read in.
    #[test]
    fn pages_are_in_the_state_that_they_were_brought_to() {
        let mut random = Rng::stream(6, 0, "states");
        let mut states = PageStates::with_len(70);
        states.grow(PAGES);
        let mut pages = vec![PageState::Missing; PAGES as usize];
        let mut step = |page: u32, pages: &mut Vec<PageState>, evict: bool| {
            let next = match pages[page as usize] {
                PageState::Missing => (states.becomes_resident(page), PageState::Clean).1,
                PageState::Clean if evict => (states.evicted(page), PageState::Missing).1,
                PageState::Clean => (states.becomes_dirty_idle(page), PageState::DirtyIdle).1,
                PageState::DirtyIdle => (states.begin_write(page), PageState::UnderWrite).1,
                PageState::UnderWrite => (states.written(page), PageState::Clean).1,
            };
            pages[page as usize] = next;
            states.clone()
        };
        for round in 0..4 {
            for _ in 0..100 {
                let states = step(random.below_u64(u64::from(PAGES)) as u32, &mut pages, random.below_u64(4) == 0);
                assert_like(&states, &pages);
            }
            for page in (0..PAGES).filter(|page| round % 2 == 0 || page % 64 != 5) {
                if pages[page as usize] == PageState::Missing {
                    step(page, &mut pages, false);
                }
            }
            assert_like(&step(199, &mut pages, false), &pages);
        }
    }

    #[test]
    fn a_range_comes_as_its_pages_do() {
        for (first, end) in [(0, 64), (5, 64), (63, 129), (64, 192), (7, 7), (60, PAGES)] {
            let mut states = PageStates::with_len(PAGES);
            states.range_becomes_resident(first, end);
            let state = |page| if (first..end).contains(&page) { PageState::Clean } else { PageState::Missing };
            assert_like(&states, &(0..PAGES).map(state).collect::<Vec<_>>());
        }
    }

    /// Three bits a page and two a word of 64 pages, in whole words of 8 bytes, however it came to its size.
    #[test]
    fn it_holds_three_bits_a_page() {
        for (pages, bytes) in [(64, 3 * 8 + 2 * 8), (64 * 64, 3 * 512 + 2 * 8), (64 * 64 + 1, 3 * 520 + 2 * 16)] {
            let mut grown = PageStates::with_len(0);
            grown.grow(pages);
            assert_eq!([PageStates::with_len(pages).bytes(), grown.bytes()], [bytes; 2], "{pages} pages");
        }
    }

    /// A word is known to be full when the last of its pages has come, whichever that is; and it is skipped from its beginning.
    #[test]
    fn only_full_words_are_skipped() {
        const MANY: u32 = 66 * 64;
        let with_hole = |hole: u32, last: u32| {
            let mut states = PageStates::with_len(MANY);
            (0..MANY).filter(|&page| page != hole && page != last).for_each(|page| states.becomes_resident(page));
            states.becomes_resident(last);
            states
        };
        // The first page of a word comes last, and none of its neighbours' holes is covered by that.
        for (hole, last) in [(5, 64), (70, 128), (64, 0), (63 * 64 + 5, 65 * 64)] {
            let states = with_hole(hole, last);
            assert_eq!((states.state(hole), states.state(last)), (PageState::Missing, PageState::Clean));
            for from in (0..=hole).rev().take(130) {
                assert_eq!(states.resident_up_to(from, MANY), hole, "from {from}, {hole} is missing");
            }
            assert_eq!(states.resident_up_to(hole + 1, MANY), MANY);
            let mut states = states;
            states.evicted(last);
            assert_eq!(states.state(last), PageState::Missing);
        }
    }
}
