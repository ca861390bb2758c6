//! How many pages the checkpoint writes in the next second.
//!
//! Source: the engine's published source. The larger of two wishes counts: all of the I/O capacity while more than 75 % of
//! the page buffer is dirty; what was written in the last second and the growth of the dirty pages on top. It is averaged
//! with the mean rate of the seconds before, and kept between a tenth of the I/O capacity and all of it. Means are
//! renewed after 30 seconds of writing. Assumed, as the engine of the published source has its redo log grow instead: while
//! more than half of the redo log is in use, or user threads wait for it, all of the I/O capacity is used.

use innosim_core::seam::WorkBefore;

/// Share of dirty pages above which the whole I/O capacity is wanted, percent.
const MAX_DIRTY_PAGES_PCT: u64 = 75;
/// Seconds after which the means are renewed.
const ADJUST_LOOP: u64 = 30;

/// What the checkpoint sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// Dirty pages now.
    pub dirty_pages: u64,
    /// End of the redo now, LSN.
    pub current_lsn: u64,
    /// Whether more than half of the redo log waits for this checkpoint or for purge, or user threads for redo.
    pub short_of_redo: bool,
}

/// The pace of the checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pace {
    io_capacity: u64,
    buffer_pages: u64,
    /// Pages a second, mean of the last loops.
    pub avg_page_rate: u64,
    /// Redo a second, bytes, mean of the last loop; it is only shown.
    pub lsn_avg_rate: u64,
    /// Growth of the dirty pages a second, mean of the last loop.
    avg_growth: i64,
    seconds: u64,
    loop_pages: u64,
    loop_began: Seen,
    last_dirty: u64,
    last_pages: u64,
}

impl Pace {
    /// At the start: no page was written yet.
    pub fn new(io_capacity: u64, buffer_pages: u64) -> Self {
        Pace {
            io_capacity,
            buffer_pages,
            avg_page_rate: 0,
            lsn_avg_rate: 0,
            avg_growth: 0,
            seconds: 0,
            loop_pages: 0,
            loop_began: Seen { dirty_pages: 0, current_lsn: 0, short_of_redo: false },
            last_dirty: 0,
            last_pages: 0,
        }
    }

    /// The run starts in the middle of the work.
    pub fn starts_after(&mut self, before: WorkBefore) {
        self.avg_page_rate = before.pages_flushed_per_s;
        self.last_pages = before.pages_flushed_per_s;
        self.lsn_avg_rate = before.redo_bytes_per_s;
    }

    /// Pages to write in the next second.
    pub fn next(&mut self, seen: Seen) -> u64 {
        if self.seconds > ADJUST_LOOP {
            self.renew_means(seen);
        }
        let too_dirty = seen.dirty_pages * 100 / self.buffer_pages.max(1) > MAX_DIRTY_PAGES_PCT;
        let growth = (seen.dirty_pages as i64 - self.last_dirty as i64 + self.avg_growth) / 2;
        let by_growth = (self.last_pages as i64 + growth).max(0) as u64;
        let wished = if too_dirty { self.io_capacity.max(by_growth) } else { by_growth };
        let wanted = wished.midpoint(self.avg_page_rate);
        let least = if seen.short_of_redo { self.io_capacity } else { self.io_capacity / 10 };
        let pages = wanted.min(self.io_capacity).max(least);
        self.last_dirty = seen.dirty_pages;
        self.last_pages = pages;
        self.loop_pages += pages;
        self.seconds += 1;
        pages
    }

    fn renew_means(&mut self, seen: Seen) {
        let growth = seen.dirty_pages as i64 - self.loop_began.dirty_pages as i64;
        self.avg_page_rate = (self.loop_pages / ADJUST_LOOP).midpoint(self.avg_page_rate);
        self.avg_growth = growth / ADJUST_LOOP as i64;
        self.lsn_avg_rate = seen.current_lsn.saturating_sub(self.loop_began.current_lsn) / ADJUST_LOOP;
        (self.loop_pages, self.seconds, self.loop_began) = (0, 0, seen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(dirty_pages: u64) -> Seen {
        Seen { dirty_pages, current_lsn: 0, short_of_redo: false }
    }

    #[test]
    fn it_stays_between_a_tenth_of_the_capacity_and_all_of_it() {
        let mut pace = Pace::new(1000, 100_000);
        assert_eq!(pace.next(seen(0)), 100);
        assert_eq!(pace.next(seen(50_000)), 1000, "they grew by 50 000");
        assert_eq!(pace.next(seen(50_000)), 500, "half of what it was, as the mean of the loop is still 0");
        assert_eq!(pace.next(seen(76_000)), 1000);
        let mut full = Pace::new(1000, 100_000);
        full.last_dirty = 80_000;
        assert_eq!(full.next(seen(80_000)), 500, "75 % of the buffer want all, the mean halves it");
    }

    #[test]
    fn short_of_redo_it_takes_all_of_the_capacity() {
        let mut pace = Pace::new(1000, 100_000);
        assert_eq!(pace.next(Seen { short_of_redo: true, ..seen(0) }), 1000);
    }

    #[test]
    fn means_are_renewed_after_thirty_seconds() {
        let mut pace = Pace::new(1000, 100_000);
        let pages: u64 = (0..31).map(|second| pace.next(seen(1000 * second))).sum();
        assert_eq!(pace.avg_page_rate, 0);
        let growth_before = pace.avg_growth;
        pace.next(Seen { current_lsn: 30_000, ..seen(31_000) });
        assert_eq!((pace.avg_page_rate, pace.lsn_avg_rate), (pages / 30 / 2, 1000));
        assert!(pace.avg_growth > growth_before);
    }
}
