//! What is asked of the counts beside draws: redo that batches wait for, pages that recovery would read, checks.
//!
//! Simplification: how long ago a page under write was last modified is drawn by its rate, for the write-ahead rule.

use super::{CountedPages, Counts, Homes, Part, Use, bin_of, is_counted};

impl CountedPages {
    /// The end of the newest modification of those among `pages` that are counted, as far as it lies above `durable_lsn`, in
    /// a log that ends at `current_lsn`; 0 if there is none.
    pub(crate) fn newest_above(&mut self, pages: &[u32], durable_lsn: u64, current_lsn: u64) -> u64 {
        let window = (current_lsn - durable_lsn) as f64;
        if window == 0.0 {
            return 0;
        }
        let mut newest = 0;
        for &page in pages.iter().filter(|&&page| is_counted(page)) {
            let back = self.exponential.sample(&mut self.rng) * self.bytes_between[usize::from(bin_of(page))];
            if back < window {
                newest = newest.max(current_lsn - back as u64);
            }
        }
        newest
    }

    /// Clean pages that redo of `window_bytes` up to now touches, in the mean: they have been written since.
    ///
    /// Where pages are written as they have been dirty for as long as that redo, a page that is clean was last modified some
    /// time before its write, and has not been since, both exponential: their sum is shorter than the window with the chance
    /// of an Erlang distribution of two stages. There are no more of them than writes were made.
    pub(crate) fn clean_but_touched(&self, window_bytes: u64) -> u64 {
        let of_bin = |(counts, between): (&Counts, &f64)| {
            let modifications = window_bytes as f64 / between;
            let touched = 1.0 - libm::exp(-modifications) * (1.0 + modifications);
            (counts.clean as f64 * touched).min(counts.writes as f64)
        };
        self.counts.iter().zip(&self.bytes_between).map(of_bin).sum::<f64>() as u64
    }

    /// Pages of each bin that are resident, and those that are dirty, under write or not.
    pub(crate) fn counts_by_bin(&self) -> impl Iterator<Item = (u64, u64)> {
        self.counts.iter().map(|c| (c.clean + c.hot + c.under_write, c.hot + c.under_write))
    }

    /// Pages that are hot and pages that are under write.
    pub(crate) fn count_dirty(&self) -> (u64, u64) {
        self.counts.iter().fold((0, 0), |(hot, writing), c| (hot + c.hot, writing + c.under_write))
    }

    /// Adds everything up anew and says what is wrong, if anything.
    pub(crate) fn check(&self) -> Result<(), String> {
        let reading: u64 = self.counts.iter().map(|c| c.reading).sum();
        if reading != self.reading.len() as u64 {
            return Err(format!("{reading} counted pages are being read, {} are listed", self.reading.len()));
        }
        for (bin, counts) in self.counts.iter().enumerate() {
            let sum = |pages: &[u32]| pages[self.places(bin as u16)].iter().map(|&pages| u64::from(pages)).sum::<u64>();
            if (sum(&self.clean), sum(&self.missing)) != (counts.clean, counts.missing) {
                return Err(format!("bin {bin}: {counts:?}, but the instances hold others"));
            }
        }
        for (number, class) in self.classes.iter().enumerate() {
            let sum = |of: fn(&Counts) -> u64| -> u64 {
                class.parts.iter().map(|part| part.weight * of(&self.counts[usize::from(part.bin)])).sum()
            };
            let cold = sum(|c| c.missing + c.reading + c.clean + c.under_write);
            let missing = sum(|c| c.missing + c.reading);
            for (what, weights, counted) in [("not hot", &class.cold, cold), ("missing", &class.missing, missing)] {
                if weights.all != counted || weights.of_blocks() != counted {
                    return Err(format!("class {number}: pages that are {what} weigh {counted}, not {}", weights.all));
                }
            }
        }
        Ok(())
    }

    /// Bytes held, but for what is small beside these.
    pub(crate) fn bytes(&self) -> u64 {
        let parts: usize = self.classes.iter().map(|class| class.parts.len()).sum();
        let homes: u64 = self.classes.iter().filter_map(|class| class.homes.as_ref()).map(Homes::bytes).sum();
        let by_instance = (self.clean.len() + self.missing.len()) * size_of::<u32>();
        let by_bin = self.counts.len() * (size_of::<Counts>() + size_of::<f64>());
        (parts * (size_of::<Part>() + size_of::<Use>()) + by_instance + by_bin + self.waits.bytes()) as u64 + homes
    }
}
