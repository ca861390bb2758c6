//! The free pages of a segment of a file, as InnoDB gives them out (`docs/spec/index-pages.md`): by extents of 64 pages.
//!
//! A page that splits hints at the page behind itself. Of these the first that is there is taken:
//! * the page hinted at;
//! * while less than an eighth of the segment's pages is free, the first page of an empty extent;
//! * the next free page of the extent hinted at;
//! * the lowest page of the extent that has had free pages for longest.
//!
//! A segment of 40 extents that needs one takes those behind it too, five in all. One whose pages are all free again goes back to the file.
//!
//! Simplification: pages of extents alone; the first 32 pages of a segment lie among those of others.

use crate::buffer_pool::EXTENT_PAGES;
use std::collections::VecDeque;

/// A segment takes an empty extent while less than one in so many of its pages is free.
const RESERVED_SHARE: u32 = 8;
/// Extents of a segment from which on it takes several at a time.
const LARGE_SEGMENT: u32 = 40;
/// Empty extents that it takes then, besides the one that it needs.
const TAKEN_AHEAD: u32 = 4;

/// Free pages of a segment, numbered from the first page of its file.
#[derive(Debug, Clone)]
pub(super) struct SegmentPages {
    /// Pages of the file.
    pages: u32,
    /// Free pages of the segment by extent, a bit each.
    free: Vec<u64>,
    /// Extents with used and free pages, the one that has had free ones for longest first.
    not_full: VecDeque<u32>,
    /// Extents of the segment without a used page.
    empty: VecDeque<u32>,
    /// Extents that belong to no segment.
    of_file: VecDeque<u32>,
    /// Pages of the segment's extents, and those of them that are used.
    reserved: u32,
    used: u32,
}

impl SegmentPages {
    /// A file of so many pages, whose first `used` are the segment's.
    pub(super) fn new(used: u32, pages: u32) -> Self {
        let (taken, extents) = (used.div_ceil(EXTENT_PAGES), pages.div_ceil(EXTENT_PAGES));
        let mut segment = SegmentPages {
            pages,
            free: vec![0; extents as usize],
            not_full: VecDeque::new(),
            empty: VecDeque::new(),
            of_file: (taken..extents).collect(),
            reserved: (taken * EXTENT_PAGES).min(pages),
            used,
        };
        if used < segment.reserved {
            let last = taken - 1;
            segment.free[last as usize] = segment.all_of(last) & !0 << (used % EXTENT_PAGES);
            segment.not_full.push_back(last);
        }
        segment
    }

    /// The pages of an extent, a bit each.
    fn all_of(&self, extent: u32) -> u64 {
        !0 >> (EXTENT_PAGES - (self.pages - extent * EXTENT_PAGES).min(EXTENT_PAGES))
    }

    /// Takes a page for one that splits, if one is left.
    pub(super) fn take_behind(&mut self, page: u32) -> Option<u32> {
        let (hint, bit) = ((page + 1) / EXTENT_PAGES, (page + 1) % EXTENT_PAGES);
        let free = self.free.get(hint as usize).copied().unwrap_or(0);
        let is_scarce = self.reserved - self.used < self.reserved / RESERVED_SHARE;
        if free >> bit & 1 == 0
            && is_scarce
            && let Some(extent) = self.empty_extent()
        {
            return Some(self.take(extent, 0));
        }
        if free != 0 {
            let behind = free >> bit << bit;
            return Some(self.take(hint, if behind != 0 { behind } else { free }.trailing_zeros()));
        }
        let extent = self.not_full.front().copied().or_else(|| self.empty_extent())?;
        Some(self.take(extent, self.free[extent as usize].trailing_zeros()))
    }

    /// An extent of the segment without a used page; if there is none, the file gives one.
    fn empty_extent(&mut self) -> Option<u32> {
        if self.empty.is_empty() {
            let first = self.of_file.pop_front()?;
            self.add(first);
            let ahead = if self.reserved / EXTENT_PAGES >= LARGE_SEGMENT { TAKEN_AHEAD } else { 0 };
            for extent in first + 1..=first + ahead {
                let Some(at) = self.of_file.iter().position(|&other| other == extent) else { break };
                self.of_file.remove(at);
                self.add(extent);
            }
        }
        self.empty.front().copied()
    }

    fn add(&mut self, extent: u32) {
        let all = self.all_of(extent);
        self.free[extent as usize] = all;
        self.reserved += all.count_ones();
        self.empty.push_back(extent);
    }

    fn take(&mut self, extent: u32, bit: u32) -> u32 {
        let all = self.all_of(extent);
        let free = &mut self.free[extent as usize];
        if *free == all {
            self.empty.retain(|&other| other != extent);
            self.not_full.push_back(extent);
        }
        *free &= !(1 << bit);
        if *free == 0 {
            self.not_full.retain(|&other| other != extent);
        }
        self.used += 1;
        extent * EXTENT_PAGES + bit
    }

    /// A page is free again.
    pub(super) fn give_back(&mut self, page: u32) {
        let extent = page / EXTENT_PAGES;
        let all = self.all_of(extent);
        let free = &mut self.free[extent as usize];
        if *free == 0 {
            self.not_full.push_back(extent);
        }
        *free |= 1 << (page % EXTENT_PAGES);
        self.used -= 1;
        if *free == all {
            *free = 0;
            self.not_full.retain(|&other| other != extent);
            self.of_file.push_back(extent);
            self.reserved -= all.count_ones();
        }
    }

    /// The pages of the file that are not used.
    #[cfg(test)]
    pub(super) fn unused(&self) -> impl Iterator<Item = u32> + use<'_> {
        let of_file = |page: &u32| self.of_file.contains(&(page / EXTENT_PAGES));
        let free = |page: &u32| self.free[(page / EXTENT_PAGES) as usize] >> (page % EXTENT_PAGES) & 1 != 0;
        (0..self.pages).filter(move |page| of_file(page) || free(page))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pages of ten extents, the first four of which are a segment's and full.
    fn full() -> SegmentPages {
        SegmentPages::new(4 * EXTENT_PAGES, 10 * EXTENT_PAGES)
    }

    #[test]
    fn an_empty_extent_is_taken_while_less_than_an_eighth_is_free() {
        let mut segment = full();
        // 256 used of 256, then of 320: 63 of 320 are free.
        assert_eq!(segment.take_behind(70), Some(4 * EXTENT_PAGES));
        assert_eq!((segment.reserved, segment.used), (320, 257));
        assert_eq!(segment.take_behind(70), Some(4 * EXTENT_PAGES + 1), "its own extent is full");
        assert_eq!(segment.take_behind(4 * EXTENT_PAGES), Some(4 * EXTENT_PAGES + 2), "the next free one");
        let more = (0..22).map(|_| segment.take_behind(70)).all(|page| page < Some(5 * EXTENT_PAGES));
        assert!(more, "40 of 320 are an eighth");
        assert_eq!(segment.take_behind(70), Some(5 * EXTENT_PAGES));
    }

    #[test]
    fn a_page_goes_to_the_extent_of_the_one_that_splits() {
        let mut segment = full();
        let last = segment.take_behind(0);
        for page in [71, 75, 130] {
            segment.give_back(page);
        }
        assert_eq!(segment.take_behind(74), Some(75), "the page hinted at");
        assert_eq!(segment.take_behind(80), Some(71), "after the end of the extent from its start");
        assert_eq!(
            segment.take_behind(80),
            last.map(|page| page + 1),
            "the extent that has had free pages for longest"
        );
        assert_eq!(segment.take_behind(128), Some(130));
    }

    #[test]
    fn an_extent_without_a_used_page_goes_back_to_the_file() {
        let mut segment = full();
        (64..128).for_each(|page| segment.give_back(page));
        assert_eq!((segment.reserved, segment.used), (192, 192));
        let pages: Vec<_> = std::iter::from_fn(|| segment.take_behind(0)).collect();
        assert_eq!(pages.len(), 7 * EXTENT_PAGES as usize, "all are given out");
        assert_eq!(segment.unused().count(), 0);
    }

    #[test]
    fn a_large_segment_takes_five_extents_at_a_time() {
        let mut segment = SegmentPages::new(41 * EXTENT_PAGES, 60 * EXTENT_PAGES + 7);
        assert_eq!(segment.take_behind(0), Some(41 * EXTENT_PAGES));
        assert_eq!(segment.reserved, 46 * EXTENT_PAGES);
        assert_eq!(segment.unused().count(), (19 * EXTENT_PAGES + 6) as usize);
        let smaller = SegmentPages::new(EXTENT_PAGES + 3, 2 * EXTENT_PAGES + 7);
        assert_eq!(smaller.unused().collect::<Vec<_>>(), (67..135).collect::<Vec<_>>());
    }
}
