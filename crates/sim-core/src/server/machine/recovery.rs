//! What a crash at this moment would leave for recovery: redo to scan from the last checkpoint on, and the distinct
//! pages that it touches, each of which is read.
//!
//! Source: the servers' recovery as their documentation has it: redo is scanned from the last checkpoint to its end, and
//! every page that it names is read, one that had been written already too, whose LSN then says that nothing is left to
//! do. So the pages are all dirty ones, and those that were written since but last modified after the checkpoint.
//!
//! The dirty pages are known. The others are counted on a sample of pages: one of each run of `2^shift`, at the same place
//! in each, at least [`SAMPLE_PAGES`] / 2 of them where the data set has so many, all pages of a small one. That costs a
//! comparison a modification. Standard error, in pages: the root of `2^shift` times what is counted, under 1 % where a
//! million pages of seven are counted.
//!
//! Simplifications: redo that is written counts, synced or not, as a crash of the server alone leaves it (a loss of power
//! may leave less); the count is renewed each second for ten seconds and every ten seconds after that, and holds between.

use crate::buffer_pool::BufferPool;
use crate::server::machine::Machine;

/// Most pages of the sample at the start.
const SAMPLE_PAGES: u32 = 16 * 1024;
/// Pages compared at a time.
const LANES: usize = 8;
/// Seconds from one count to the next, after as many counts of a second each.
const COUNT_EVERY_S: u64 = 10;

/// The sample.
#[derive(Debug, Clone)]
pub(in crate::server) struct TouchedPages {
    shift: u32,
    /// Page modulo `2^shift` that belongs to the sample.
    place: u32,
    /// LSN at the end of the newest modification of each page of the sample; 0 if there was none.
    newest: Vec<u64>,
    /// Pages that redo since the last checkpoint touches, as counted last.
    counted: u64,
}

impl TouchedPages {
    /// A sample of so many pages, none of them touched.
    pub(in crate::server) fn of(pages: u32) -> Self {
        let shift = pages.div_ceil(SAMPLE_PAGES).next_power_of_two().trailing_zeros();
        // Off the middle, so that it is no page in which runs begin.
        let place = (1 << shift) * 5 / 8;
        TouchedPages { shift, place, newest: vec![0; (pages >> shift) as usize + 1], counted: 0 }
    }

    /// Pages were modified by redo that ends at `lsn`.
    #[inline]
    pub(in crate::server) fn note(&mut self, pages: &[u32], lsn: u64) {
        let (mask, place) = ((1 << self.shift) - 1, self.place);
        for few in pages.chunks(LANES) {
            if few.iter().fold(false, |any, page| any | (page & mask == place)) {
                let sampled = few.iter().filter(|&page| page & mask == place);
                sampled.for_each(|page| self.note_one(page >> self.shift, lsn));
            }
        }
    }

    fn note_one(&mut self, place: u32, lsn: u64) {
        let place = place as usize;
        if place >= self.newest.len() {
            self.newest.resize(place + 1, 0);
        }
        self.newest[place] = lsn;
    }

    /// Counts the pages that redo from `checkpoint_lsn` on touches.
    fn count(&mut self, checkpoint_lsn: u64, pool: &BufferPool) {
        let touched = self.newest.iter().enumerate().filter(|&(_, &lsn)| lsn > checkpoint_lsn);
        let pages = touched.map(|(number, _)| (number as u32) << self.shift | self.place);
        let written = pages.filter(|&page| !pool.pages.is_dirty(page)).count() as u64;
        self.counted = pool.dirty.unwritten() + (written << self.shift);
    }
}

impl Machine {
    /// Redo and pages that recovery would find after a crash at the end of this second.
    pub(in crate::server) fn left_for_recovery(&mut self) -> (u64, u64) {
        let checkpoint_lsn = self.last_checkpoint_lsn;
        let second = self.now.whole_seconds();
        if second <= COUNT_EVERY_S || second.is_multiple_of(COUNT_EVERY_S) {
            self.observers.touched_pages.count(checkpoint_lsn, &self.pool);
        }
        let written_lsn = self.redo.position().written_lsn;
        (written_lsn.saturating_sub(checkpoint_lsn), self.observers.touched_pages.counted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer_pool::{PageSpace, with_64_pages};
    use crate::kernel::time::SimTime;

    #[test]
    fn a_small_data_set_is_its_own_sample() {
        let touched = TouchedPages::of(SAMPLE_PAGES);
        assert_eq!((touched.shift, touched.place), (0, 0));
        for pages in [SAMPLE_PAGES + 1, 100_000, 6_500_000, 1 << 31] {
            let touched = TouchedPages::of(pages);
            let sampled = pages >> touched.shift;
            assert!((SAMPLE_PAGES / 2..=SAMPLE_PAGES).contains(&sampled), "{pages}: {sampled}");
        }
    }

    #[test]
    fn the_newest_modification_of_a_page_of_the_sample_is_kept() {
        let mut touched = TouchedPages::of(4 * SAMPLE_PAGES);
        assert_eq!((touched.shift, touched.place), (2, 2));
        touched.note(&(0..40).collect::<Vec<u32>>(), 100);
        touched.note(&[3, 6, 7], 200);
        assert_eq!(touched.newest[..11], [100, 200, 100, 100, 100, 100, 100, 100, 100, 100, 0]);
    }

    /// Four pages are modified, one of them is written, one written and modified again.
    #[test]
    fn pages_that_were_written_since_the_checkpoint_count_too() {
        let mut space = PageSpace::default();
        space.add(0, 64, &|_, _| 0);
        let mut pool = with_64_pages(1000, 0, 0, &space);
        let mut touched = TouchedPages::of(64);
        for page in 0..4 {
            pool.modify(page, 100, &space, SimTime::ZERO);
        }
        touched.note(&[0, 1, 2, 3], 110);
        for _ in 0..2 {
            let taken = pool.take_tail(0, 1000).unwrap();
            pool.page_written(taken.page);
        }
        pool.modify(1, 200, &space, SimTime::ZERO);
        touched.note(&[1], 210);
        touched.count(50, &pool);
        assert_eq!((pool.dirty.count(), touched.counted), (3, 4));
        touched.count(150, &pool);
        assert_eq!(touched.counted, 3, "what was written before the checkpoint is not read again");
    }
}
