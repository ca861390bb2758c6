//! Pages of keys drawn by NURand ([`NuRand`] has the source).
//!
//! The keys of a page set belong to groups of equal size (the customers of a district, the stock of a warehouse). A
//! draw takes a page set and a group, those of the home or any, and a key of the group, turned by the client's run-time
//! constant C. Simplification: all page sets are as long as the shortest.

use super::homes::{Drawer, digit};
use super::page_law::KeyLaw;
use crate::buffer_pool::PageRun;
use crate::kernel::random::Rng;
use crate::kernel::sampler::NuRand;

/// NURand over the keys of groups, laid in order over pages.
#[derive(Debug, Clone)]
pub(super) struct NuRandPages {
    keys: NuRand,
    /// Page sets, groups, and the bounds of the two draws of a key.
    bounds: [u32; 4],
    reject_below: u64,
    /// The same for the draws of a key alone.
    key_reject_below: u64,
    constants: Vec<u32>,
    pages_per_key_fixed: u64,
    /// Whether the keys are those of the home group alone.
    pub(super) at_home: bool,
}

impl NuRandPages {
    /// Draws of `range` keys a group by NURand's `a`, of `groups` groups a page set, from `runs` (one a page set).
    /// `rng` draws the `constants` run-time constants.
    pub(super) fn new(
        a: u32,
        range: u32,
        groups: u32,
        constants: u32,
        at_home: bool,
        runs: &[PageRun],
        rng: &mut Rng,
    ) -> Self {
        let pages = runs.iter().map(|r| r.pages).min().unwrap_or(1).max(1);
        let bounds = [runs.len() as u32, groups, a + 1, range];
        NuRandPages {
            keys: NuRand::new(a, range),
            bounds,
            reject_below: Rng::reject_below(&bounds),
            key_reject_below: Rng::reject_below(&bounds[2..]),
            constants: (0..constants.max(1)).map(|_| rng.range_inclusive(0, a) % range).collect(),
            pages_per_key_fixed: (u64::from(pages) << 32) / (u64::from(range) * u64::from(groups)),
            at_home,
        }
    }

    /// How often its keys are drawn by clients who use the constants in turn, from fewest to most times a transaction.
    pub(super) fn law(&self, draws: (u32, u32)) -> KeyLaw {
        let law = self.keys.law();
        let summed_up = |constants: &[u32]| {
            let mut cumulative = vec![0.0; law.len() + 1];
            for (key, probability) in law.iter().enumerate() {
                for &constant in constants {
                    cumulative[1 + (key + constant as usize) % law.len()] += probability / constants.len() as f64;
                }
            }
            for key in 1..cumulative.len() {
                cumulative[key] += cumulative[key - 1];
            }
            cumulative
        };
        KeyLaw {
            cumulative: summed_up(&[0]),
            mean_cumulative: summed_up(&self.constants),
            constants: self.constants.clone(),
            groups: self.bounds[1],
            pages_per_key_fixed: self.pages_per_key_fixed,
            at_home: self.at_home.then_some(draws),
        }
    }

    /// Where the pages of `group` begin in their set, fixed-point.
    #[inline]
    fn group_start(&self, group: u32) -> u64 {
        u64::from(group) * u64::from(self.bounds[3]) * self.pages_per_key_fixed
    }

    /// Page within its set of a key drawn in a group.
    #[inline]
    fn page(&self, group_start: u64, mask: u32, key: u32, constant: u32) -> u32 {
        let shifted = self.keys.key(mask, key) + constant;
        // Less a full turn if it is one: without a branch, for it is a coin toss.
        let in_group = shifted.min(shifted.wrapping_sub(self.bounds[3]));
        ((group_start + u64::from(in_group) * self.pages_per_key_fixed) >> 32) as u32
    }

    /// The client's run-time constant C. Mostly there is one for each, and no division.
    #[inline]
    fn constant(&self, client: u32) -> u32 {
        let own = self.constants.get(client as usize);
        own.copied().unwrap_or_else(|| self.constants[client as usize % self.constants.len()])
    }

    /// Pages of the home group.
    pub(super) fn home_range(&self, who: Drawer, runs: &[PageRun]) -> PageRun {
        let (set, rest) = digit(who.home, self.bounds[0]);
        let (group, _) = digit(rest, self.bounds[1]);
        let keys = u64::from(self.bounds[3]);
        let page = |key: u64| ((key * self.pages_per_key_fixed) >> 32) as u32;
        let (first, last) = (page(u64::from(group) * keys), page((u64::from(group) + 1) * keys - 1));
        PageRun { first: runs[set as usize].first + first, pages: last - first + 1 }
    }

    /// Draws as many pages as `pages` holds, with a word to `ask` about each.
    #[inline]
    pub(super) fn fill(&self, who: Drawer, rng: &mut Rng, runs: &[PageRun], pages: &mut [u32], ask: impl Fn(u32)) {
        let constant = self.constant(who.client);
        let mut own = rng.clone();
        if self.at_home {
            let (set, rest) = digit(who.home, self.bounds[0]);
            let (group, _) = digit(rest, self.bounds[1]);
            let (first, start) = (runs[set as usize].first, self.group_start(group));
            for page in pages {
                let [mask, key] = own.below_each([self.bounds[2], self.bounds[3]], self.key_reject_below);
                *page = first + self.page(start, mask, key, constant);
                ask(*page);
            }
        } else {
            for page in pages {
                let [set, group, mask, key] = own.below_each(self.bounds, self.reject_below);
                *page = runs[set as usize].first + self.page(self.group_start(group), mask, key, constant);
                ask(*page);
            }
        }
        *rng = own;
    }
}
