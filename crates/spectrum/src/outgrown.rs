//! Data that outgrow the buffer pool, and the pages among them that are touched too rarely to stay there.
//!
//! How rarely a page is touched that leaves the pool between two touches, dirty and flushed pages don't tell: each touch makes it dirty, and
//! it is evicted before the next. Misses do, where the number of pages is known: pages beyond those that the evidence shows are
//! one class, and as many touches of it miss as were recorded. The touches that modify follow from dirty and flushed pages; the others only read.
//! When all modified pages are found, those that are only read are touched as often as the recorded misses leave.
//!
//! Simplification: rarely touched pages are of one rate, and either modified by each touch or only read.

use crate::bin::Bin;
use crate::residence::{Pool, Residence, bisect};
use serde::{Deserialize, Serialize};

/// Least share of the data that is touched rarely.
const LEAST_SHARE: f64 = 0.05;
/// Most by which pages that are only read may be touched more often than those that are modified: others would stay in the pool.
const MOST_TOUCHED: f64 = 2.0;

/// What is known of data larger than the pool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outgrown {
    /// Pages of the data.
    pub data_pages: f64,
    /// The pool.
    pub pool: Pool,
    /// Pages read in a unit of work.
    pub misses: f64,
}

/// Pages beyond a spectrum's that are read and never modified, and how long pages stay in the pool.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Beyond {
    /// How long pages stay.
    pub residence: Residence,
    /// Pages that are only read.
    pub read: Bin,
}

impl Outgrown {
    /// Rarely touched pages beside `others`, modified or not, and how long pages stay then.
    pub(crate) fn rare(&self, others: &[Bin]) -> Option<Beyond> {
        let pages = self.data_pages - others.iter().map(|bin| bin.pages).sum::<f64>();
        self.beside(others, pages.max(LEAST_SHARE * self.data_pages))
    }

    /// The same pages that are only read, touched as often as it takes for the recorded misses beside the `modified` ones, as far as they can
    /// make up for what those miss.
    pub(crate) fn with_all_misses(&self, modified: &[Bin], beyond: Beyond) -> Beyond {
        let matching = self.beside(modified, beyond.read.pages);
        matching.filter(|matching| matching.read.rate < MOST_TOUCHED * beyond.read.rate).unwrap_or(beyond)
    }

    /// So many pages beside `others`, and how long pages stay then.
    fn beside(&self, others: &[Bin], pages: f64) -> Option<Beyond> {
        let all = |rate: f64| -> Vec<Bin> { others.iter().copied().chain([Bin { rate, pages }]).collect() };
        let misses = |bins: Vec<Bin>| {
            let residence = Residence::of(&bins, self.pool);
            let of = |residence: Residence| bins.iter().map(|b| b.pages * b.rate * residence.miss_ratio(b.rate)).sum();
            residence.map_or(0.0, of)
        };
        let rate = bisect(|rate| misses(all(rate)) >= self.misses);
        let residence = Residence::of(&all(rate), self.pool)?;
        Some(Beyond { residence, read: Bin { rate, pages } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_of_rare_pages_follows_from_misses() {
        let others = [Bin { rate: 1e-3, pages: 4000.0 }, Bin { rate: 0.1, pages: 100.0 }];
        let pool = Pool { pages: 20_000.0, old_share: 0.37 };
        let rare = Bin { rate: 5e-5, pages: 50_000.0 };
        let classes = [others[0], others[1], rare];
        let residence = Residence::of(&classes, pool).unwrap();
        let misses = classes.iter().map(|bin| bin.pages * bin.rate * residence.miss_ratio(bin.rate)).sum();
        let found = Outgrown { data_pages: 54_100.0, pool, misses }.rare(&others).unwrap();
        assert!((found.read.rate / rare.rate - 1.0).abs() < 1e-3 && found.read.pages == rare.pages, "{found:?}");
        assert_eq!(Outgrown { data_pages: 15_000.0, pool, misses }.rare(&others), None, "all of it fits");
    }
}
