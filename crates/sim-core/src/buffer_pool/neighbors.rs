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
