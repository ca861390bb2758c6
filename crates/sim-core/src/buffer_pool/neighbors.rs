//! Neighbours: which pages around one that is flushed may go with it.
//!
//! Source: `innodb-5.5` to `innodb-5.7` section 5.3, `innodb-8.0.21` section 8. No simplification of the range; vectors
//! are in `flush-models`, which knows the size of an area.

use crate::config::FlushNeighbors;
use std::ops::Range;

/// The range of pages that is written with `page`: its aligned area of `area` pages, or the contiguous run in it of
/// pages that are `ready` (in the pool, dirty and not under write).
pub fn flush_area_range(page: u64, area: u64, mode: FlushNeighbors, ready: impl Fn(u64) -> bool) -> Range<u64> {
    let area = area.max(1);
    let (low, high) = (page / area * area, (page / area + 1) * area);
    match mode {
        FlushNeighbors::None => page..page + 1,
        FlushNeighbors::Area => low..high,
        FlushNeighbors::Contiguous => {
            let first = (low..page).rev().find(|&p| !ready(p)).map_or(low, |p| p + 1);
            first..(page + 1..high).find(|&p| !ready(p)).unwrap_or(high)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An area of one page, and one of none, which is taken for that, is the page itself.
    #[test]
    fn the_smallest_area_is_a_page() {
        for mode in [FlushNeighbors::None, FlushNeighbors::Area, FlushNeighbors::Contiguous] {
            assert_eq!([0, 1].map(|area| flush_area_range(7, area, mode, |_| true)), [7..8, 7..8]);
        }
        assert_eq!(flush_area_range(7, 2, FlushNeighbors::Area, |_| true), 6..8);
    }

    /// Whatever pages of an area of six are ready: from the page on and back, one by one, as far as they are.
    #[test]
    fn the_run_around_a_page_ends_at_what_is_not_ready() {
        for (page, set) in (6..12_u64).flat_map(|page| (0..1_u64 << 6).map(move |set| (page, set))) {
            let ready = |p: u64| p == page || set >> (p % 6) & 1 == 1;
            let (mut first, mut end) = (page, page);
            while first > 6 && ready(first - 1) {
                first -= 1;
            }
            while end < 12 && ready(end) {
                end += 1;
            }
            assert_eq!(flush_area_range(page, 6, FlushNeighbors::Contiguous, ready), first..end);
            assert_eq!(flush_area_range(page, 6, FlushNeighbors::Area, ready), 6..12);
        }
    }
}
