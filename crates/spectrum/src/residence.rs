//! How long a page stays in a buffer pool that is smaller than the data.
//!
//! An LRU list with a midpoint, by Che's approximation: with many pages the time from a page's last touch to its eviction is the
//! same for all. A page that is read in enters at the head of the old part and is evicted `old` of work later, unless it is touched before.
//! Then it moves to the head of the young part. It comes to the old part `young` of work after its last touch, and is evicted `old` later.
//! Both follow from the sizes of the two parts.
//!
//! Simplifications: pages are touched by Poisson processes, each touch by itself; a touch within `innodb_old_blocks_time` of the first moves a page
//! like any other (errs towards fewer misses of pages that are touched in bursts); pages that page cleaners evict ahead of need count as resident.

use crate::bin::Bin;
use serde::{Deserialize, Serialize};

/// Halvings of the logarithm of a time or a rate, and where they begin.
const HALVINGS: u32 = 40;
const LEAST: f64 = 1e-12;
const MOST: f64 = 1e15;

/// A buffer pool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pool {
    /// Pages on its LRU lists.
    pub pages: f64,
    /// Share of them in the old part: `innodb_old_blocks_pct` / 100.
    pub old_share: f64,
}

/// Times in the two parts of the LRU list, in units of work.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Residence {
    old: f64,
    young: f64,
}

impl Residence {
    /// That of pages touched at these rates; `None` if all of them fit into the pool.
    pub fn of(bins: &[Bin], pool: Pool) -> Option<Residence> {
        let total: f64 = bins.iter().map(|bin| bin.pages).sum();
        if total <= pool.pages {
            return None;
        }
        let sum = |figure: &dyn Fn(f64) -> f64| bins.iter().map(|bin| bin.pages * figure(bin.rate)).sum::<f64>();
        // The longer pages stay in the old part, the more of them are touched there and become young, and leave the young part sooner.
        let with_young = |old: f64| {
            let of = |young: f64| Residence { old, young };
            of(bisect(|young| sum(&|rate| of(young).young_share(rate)) >= (1.0 - pool.old_share) * pool.pages))
        };
        let is_filled = |old: f64| sum(&|rate| with_young(old).resident_share(rate)) >= pool.pages;
        Some(with_young(bisect(is_filled)))
    }

    /// Share of the touches of a page that read it in.
    pub fn miss_ratio(&self, rate: f64) -> f64 {
        let (stays, leaves) = (-libm::expm1(-rate * self.old), libm::exp(-rate * (self.old + self.young)));
        leaves / (leaves + stays).max(f64::MIN_POSITIVE)
    }

    /// Share of pages touched at this rate that is in the pool.
    pub fn resident_share(&self, rate: f64) -> f64 {
        let misses = self.miss_ratio(rate);
        misses * -libm::expm1(-rate * self.old) + (1.0 - misses) * -libm::expm1(-rate * (self.old + self.young))
    }

    /// Share of them that is in the young part.
    fn young_share(&self, rate: f64) -> f64 {
        (1.0 - self.miss_ratio(rate)) * -libm::expm1(-rate * self.young)
    }

    /// How long pages touched at this rate stay.
    pub(crate) fn stay(&self, rate: f64) -> Stay {
        let (read, again) = (self.old, self.old + self.young);
        let [of_read, of_again] = [read, again].map(|within| -libm::expm1(-rate * within));
        // The mean time to a gap that long between touches is `(exp(r t) - 1) / r`.
        let rest = ((libm::expm1(rate * again) / rate - again) / of_again).clamp(LEAST, MOST);
        Stay { resident: self.resident_share(rate), read, again, touched: [of_read, of_again], rest }
    }

    /// Share of pages modified at this rate that is dirty where each is flushed `age` after it became so, if it is still in the pool.
    pub(crate) fn dirty_share(&self, rate: f64, age: f64) -> f64 {
        let stay = self.stay(rate);
        let [read, again] = [true, false].map(|read| stay.within(age, read));
        // Touches of pages outside read them in; of those inside, touches of clean ones make them dirty.
        rate * ((1.0 - stay.resident) * read + stay.resident * again) / (1.0 + rate * again)
    }
}

/// How long pages of one rate stay in the pool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stay {
    /// Share that is in the pool.
    pub(crate) resident: f64,
    /// Time from when a page is read in to its eviction, if it is not touched again, and from a later touch.
    read: f64,
    again: f64,
    /// Shares that are touched within these two times.
    touched: [f64; 2],
    /// Mean time that a page stays beyond `again`, if it was touched in it.
    rest: f64,
}

impl Stay {
    /// Share that is still there so long after it was touched: read in by that, or touched again.
    pub(crate) fn survives(&self, age: f64, read: bool) -> f64 {
        match read {
            true if age < self.read => 1.0,
            // Touched in the middle of that time, in the mean.
            true => self.touched[0] * self.survives(age - self.read / 2.0, false),
            false if age < self.again => 1.0,
            false => self.touched[1] * libm::exp(-(age - self.again) / self.rest),
        }
    }

    /// Mean time that a page stays within the first `age` after a touch.
    fn within(&self, age: f64, read: bool) -> f64 {
        if read {
            let middle = self.read / 2.0;
            let later = (self.within(age - middle, false) - self.read.min(age) + middle).max(0.0);
            return age.min(self.read) + if age > self.read { self.touched[0] * later } else { 0.0 };
        }
        let beyond = (age - self.again).max(0.0);
        age.min(self.again) - self.touched[1] * self.rest * libm::expm1(-beyond / self.rest)
    }
}

/// The least number, within a factor of some 1e-10, for which a condition holds that holds from some number on.
pub(crate) fn bisect(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut least, mut most) = (LEAST, MOST);
    for _ in 0..HALVINGS {
        let middle = (least * most).sqrt();
        if holds(middle) { most = middle } else { least = middle }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    const POOL: Pool = Pool { pages: 1000.0, old_share: 0.37 };

    /// An LRU list with a midpoint of as many pages, touched at random.
    fn by_hand(bins: &[Bin], touches: u32) -> Vec<f64> {
        let owner: Vec<usize> = bins.iter().enumerate().flat_map(|(i, bin)| vec![i; bin.pages as usize]).collect();
        let total: f64 = bins.iter().map(|bin| bin.rate * bin.pages).sum();
        let mut state = 7_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let (mut young, mut old): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
        let old_pages = (POOL.pages * POOL.old_share) as usize;
        let (mut missed, mut all) = (vec![0.0; bins.len()], vec![0.0; bins.len()]);
        for n in 0..touches {
            let (mut bin, mut at) = (0, random() * total);
            while at >= bins[bin].rate * bins[bin].pages && bin + 1 < bins.len() {
                at -= bins[bin].rate * bins[bin].pages;
                bin += 1;
            }
            let first = owner.partition_point(|owner| *owner < bin);
            let page = first + ((at / bins[bin].rate) as usize).min(bins[bin].pages as usize - 1);
            let counts = if n > touches / 2 { 1.0 } else { 0.0 };
            all[bin] += counts;
            if let Some(place) = young.iter().position(|p| *p == page) {
                young.remove(place);
                young.insert(0, page);
            } else if let Some(place) = old.iter().position(|p| *p == page) {
                old.remove(place);
                young.insert(0, page);
            } else {
                missed[bin] += counts;
                old.insert(0, page);
            }
            while old.len() + young.len() > POOL.pages as usize {
                old.pop();
            }
            while old.len() < old_pages && !young.is_empty() {
                old.insert(0, young.pop().unwrap());
            }
        }
        missed.iter().zip(&all).map(|(missed, all)| missed / all).collect()
    }

    #[test]
    fn misses_are_those_of_a_list_with_a_midpoint() {
        let bins =
            [Bin { rate: 0.001, pages: 3000.0 }, Bin { rate: 0.01, pages: 300.0 }, Bin { rate: 0.1, pages: 20.0 }];
        let residence = Residence::of(&bins, POOL).unwrap();
        let listed = by_hand(&bins, 30_000);
        for (bin, listed) in bins.iter().zip(&listed) {
            let ratio = residence.miss_ratio(bin.rate);
            assert!((ratio - listed).abs() < 0.02, "{bin:?}: {ratio} for {listed}");
        }
    }

    #[test]
    fn the_pool_is_full_and_no_more() {
        let bins = [Bin { rate: 1e-5, pages: 5000.0 }, Bin { rate: 1e-3, pages: 400.0 }];
        let residence = Residence::of(&bins, POOL).unwrap();
        let resident: f64 = bins.iter().map(|bin| bin.pages * residence.resident_share(bin.rate)).sum();
        assert!((resident / POOL.pages - 1.0).abs() < 1e-6, "{resident}");
        assert!(residence.resident_share(1e-3) > 0.95 && residence.miss_ratio(1e-5) > 0.7);
        assert_eq!(Residence::of(&bins[1..], POOL), None, "all pages fit");
    }

    /// Without flushing all pages in the pool are dirty; with, those that were modified since; and no more than are there.
    #[test]
    fn dirty_pages_are_in_the_pool() {
        let bins = [Bin { rate: 5e-5, pages: 5000.0 }, Bin { rate: 1e-3, pages: 400.0 }];
        let residence = Residence::of(&bins, POOL).unwrap();
        for Bin { rate, .. } in bins {
            let (resident, all) = (residence.resident_share(rate), residence.dirty_share(rate, 1e12));
            assert!((all / resident - 1.0).abs() < 0.03, "{rate}: {all} of {resident}");
            let soon = residence.dirty_share(rate, 0.1 / rate.max(5e-4));
            assert!(soon < all && (soon / steady(rate, 0.1 / rate.max(5e-4)) - 1.0).abs() < 0.1, "{rate}: {soon}");
        }
    }

    fn steady(rate: f64, age: f64) -> f64 {
        rate * age / (1.0 + rate * age)
    }
}
