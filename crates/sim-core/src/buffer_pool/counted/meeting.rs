//! Draws from bins: how many go by, and what the next one meets; and what somebody meets who comes back to a page.
//!
//! Pages that a transaction draws at its home lie near each other, some in one extent and so in one instance, whose batches write
//! them together. Simplification: only two that follow each other are looked at.
//!
//! Simplifications, of who comes back: writes of the meantime are shared out among bins as all writes so far, and none of
//! their pages has become dirty and been written again since.

use super::class::WHOLE;
use super::{CountedPages, File, bin_of, limit};

/// What a draw meets that is not just a dirty page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MetPage {
    /// A clean page of a bin, by its place among those that are clean.
    Clean {
        /// The bin.
        bin: u16,
        /// Which of them, from 0.
        nth: u64,
        /// Its file.
        file: File,
    },
    /// A page that is missing; somebody is reading it, or is about to from now on.
    Missing(u32),
    /// A page under write, one of so many of its bin.
    UnderWrite {
        /// The bin.
        bin: u16,
        /// Which of those that are under write, from 0.
        nth: u64,
    },
}

/// What somebody meets who comes back to a page that he modified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MetAgain {
    /// It is dirty still.
    Hot,
    /// It has been written: one of the clean pages of a bin, by its place among them.
    Clean {
        /// The bin.
        bin: u16,
        /// Which of them, from 0.
        nth: u64,
    },
    /// It is being written.
    UnderWrite,
}

impl CountedPages {
    /// How many of `draws` pass before one meets something other than a hot page (`modify`), or a page in the pool (reads);
    /// all of them, if none does. It meets one `times` as often as any draw of the class.
    #[inline]
    pub(crate) fn pass(&mut self, class: u16, modify: bool, draws: u32, times: f64) -> u32 {
        self.classes[usize::from(class)].pass(modify, draws, times)
    }

    /// What the draw of a transaction at a `home` meets at which [`CountedPages::pass`] stopped.
    pub(crate) fn meet(&mut self, class: u16, modify: bool, home: u64) -> MetPage {
        let number = usize::from(class);
        let limit = limit(&mut self.rng);
        self.classes[number].clocks[usize::from(!modify)].wind_up(limit);
        let all = self.classes[number].weights(modify).all;
        let at = self.rng.below_u64(all);
        let (bin, nth) = self.find(number, modify, at);
        let file = self.classes[number].file_at(home);
        match self.met(bin, nth, file) {
            MetPage::Clean { bin, nth, file } => {
                MetPage::Clean { bin, nth: self.near_the_last(class, home, bin, nth), file }
            }
            met => met,
        }
    }

    /// The clean page of a number of its bin; or one of the instance in which the transaction's last page of the class lies, as
    /// often as two of them lie in one extent.
    fn near_the_last(&mut self, class: u16, home: u64, bin: u16, nth: u64) -> u64 {
        let Some(same_extent) = self.classes[usize::from(class)].at_home else { return nth };
        let places = self.places(bin);
        if let Some((last_class, last_home, instance)) = self.last_at_home
            && (last_class, last_home) == (class, home)
            && self.happens(same_extent)
        {
            let (before, from_here) = self.clean[places.clone()].split_at(instance);
            let (before, here) = (before.iter().map(|&pages| u64::from(pages)).sum::<u64>(), u64::from(from_here[0]));
            if here > 0 {
                return before + self.rng.below_u64(here);
            }
        }
        self.last_at_home = Some((class, home, Self::instance_at(&self.clean[places], nth)));
        nth
    }

    /// What somebody meets who comes back to a page that was modified in a class, `written` writes of counted pages ago, and has
    /// been in the pool since.
    pub(crate) fn meet_again(&mut self, class: u16, written: f64) -> MetAgain {
        let number = usize::from(class);
        let at = self.rng.below_u64(WHOLE);
        if at >= self.classes[number].weights(true).all {
            return MetAgain::Hot;
        }
        let (bin, nth) = self.find(number, true, at);
        let counts = self.counts[usize::from(bin)];
        // A page that is missing is another one.
        let Some(nth) = nth.checked_sub(counts.missing + counts.reading) else { return MetAgain::Hot };
        if nth >= counts.clean {
            return MetAgain::UnderWrite;
        }
        let of_bin = written * counts.writes as f64 / self.writes.max(1) as f64;
        if self.happens(of_bin / counts.clean as f64) { MetAgain::Clean { bin, nth } } else { MetAgain::Hot }
    }

    /// The bin at a place among the weights of a class, and the number of the page there among those that count.
    pub(super) fn find(&self, class: usize, modify: bool, at: u64) -> (u16, u64) {
        let (first, mut at) = self.classes[class].weights(modify).block_of(at);
        for part in &self.classes[class].parts[first..] {
            let counts = &self.counts[usize::from(part.bin)];
            let absent = counts.missing + counts.reading;
            let weight = part.weight * if modify { absent + counts.clean + counts.under_write } else { absent };
            if at < weight {
                return (part.bin, at / part.weight);
            }
            at -= weight;
        }
        unreachable!("the weights of the blocks are those of their parts")
    }

    /// The page of a number among those of a bin that are not hot.
    pub(super) fn met(&mut self, bin: u16, nth: u64, file: File) -> MetPage {
        let counts = self.counts[usize::from(bin)];
        let mut nth = nth;
        if nth < counts.missing {
            return MetPage::Missing(self.begin_reading(bin, nth, file));
        }
        nth -= counts.missing;
        if nth < counts.reading {
            let read = self.reading.iter().filter(|&&page| bin_of(page) == bin).nth(nth as usize);
            return MetPage::Missing(*read.expect("as many pages are being read as are counted"));
        }
        nth -= counts.reading;
        if nth < counts.clean {
            MetPage::Clean { bin, nth, file }
        } else {
            MetPage::UnderWrite { bin, nth: nth - counts.clean }
        }
    }
}
