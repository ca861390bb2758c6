//! Homes: where a transaction is, and the pages that belong to that place.
//!
//! A home (a warehouse or a district of tpcc) is one random word a transaction, which all its access classes share:
//! each splits the page sets into parts of its own, and more parts divide the home of fewer. `OfHome` reads the same
//! pages whenever it is at the same home.

use super::page_law::PageLaw;
use super::spec::HomePages;
use crate::buffer_pool::PageRun;
use crate::kernel::random::Rng;

/// Who draws.
#[derive(Debug, Clone, Copy)]
pub struct Drawer {
    /// The client.
    pub client: u32,
    /// Home of its transaction: a uniform random word, read as a fraction of 2^64 whose leading digits name the page
    /// set and the group.
    pub home: u64,
}

/// The leading digit of `fraction` / 2^64 in base `base`, and the rest.
#[inline]
pub(super) fn digit(fraction: u64, base: u32) -> (u32, u64) {
    let product = u128::from(fraction) * u128::from(base);
    ((product >> 64) as u32, product as u64)
}

/// The same pages whenever a transaction is at the same home.
#[derive(Debug, Clone)]
pub(super) struct PagesOfHomes {
    homes: u32,
    /// Parts of the sets among which a home's pages are scattered, and the key of where; `None` if they lie in order.
    scattered: Option<(u32, u64)>,
}

impl PagesOfHomes {
    /// Pages of `homes` homes, lying as `pages` says. `rng` draws where they are scattered.
    pub(super) fn new(homes: u32, pages: HomePages, rng: &mut Rng) -> Self {
        let scattered = match pages {
            HomePages::InOrder => None,
            HomePages::Scattered { groups } => Some((groups, rng.next_u64())),
        };
        PagesOfHomes { homes, scattered }
    }

    /// The pages among which those of a home lie.
    pub(super) fn range(&self, who: Drawer, runs: &[PageRun]) -> PageRun {
        let parts = self.scattered.map_or(self.homes, |(groups, _)| groups);
        let (set, rest) = digit(who.home, runs.len() as u32);
        let parts_a_set = (parts / runs.len() as u32).max(1);
        let (part, _) = digit(rest, parts_a_set);
        let run = runs[set as usize];
        let start = |part: u32| (u64::from(run.pages) * u64::from(part) / u64::from(parts_a_set)) as u32;
        PageRun { first: run.first + start(part), pages: (start(part + 1) - start(part)).max(1) }
    }

    /// How often its pages are drawn at random homes by a touch that draws so many at most.
    pub(super) fn law(&self, most_draws: u32, runs: &[PageRun]) -> PageLaw {
        match self.scattered {
            None => PageLaw::InParts { parts: (self.homes / runs.len() as u32).max(1), first: most_draws },
            Some(_) => PageLaw::Flat,
        }
    }

    /// As many of the home's pages as `pages` holds.
    pub(super) fn fill(&self, who: Drawer, runs: &[PageRun], pages: &mut [u32]) {
        let range = self.range(who, runs);
        match self.scattered {
            Some((_, key)) => {
                let (home, _) = digit(who.home, self.homes);
                let mut rng = Rng::from_key(key.wrapping_add(u64::from(home)));
                pages.fill_with(|| range.first + rng.below(range.pages));
            }
            None => pages.iter_mut().zip(0..).for_each(|(page, nth)| *page = range.first + nth % range.pages),
        }
    }
}
