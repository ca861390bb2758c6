//! Ways of drawing from bins, and when a draw meets something.
//!
//! The chance that none of the draws so far has met anything falls with each draw; when it falls below a uniform number, that
//! draw meets something, however its chance has moved meanwhile. Exact up to the rounding of 53-bit fractions.

use super::weights::Weights;
use super::{Bin, File, Homes};

/// Weight of a draw: the sum over all pages of a class.
pub(super) const WHOLE: u64 = 1 << 62;

/// A part of a class: a bin, and how often one of its pages is drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub(super) bin: u16,
    pub(super) weight: u64,
}

/// When the next draw meets something.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    /// Chance to have met nothing in all draws since the last that did.
    left: f64,
    /// It has fallen below this when a draw meets something.
    limit: f64,
}

impl Clock {
    /// A clock that must be wound up first.
    const STOPPED: Clock = Clock { left: 0.0, limit: 0.0 };

    /// Begins anew; `limit` is uniform in (0, 1].
    #[inline]
    pub(super) fn wind_up(&mut self, limit: f64) {
        *self = Clock { left: 1.0, limit };
    }

    /// How many of `draws` pass before one meets something, each with the chance `meets`; all of them, if none does.
    #[inline]
    fn pass(&mut self, draws: u32, meets: f64) -> u32 {
        let stays = (1.0 - meets).max(0.0);
        let left = self.left * power(stays, draws);
        if left > self.limit {
            self.left = left;
            return draws;
        }
        // One of them meets something: the first after which the chance has fallen far enough, at the latest the last.
        let meets = (0..draws).find(|_| {
            self.left *= stays;
            self.left <= self.limit
        });
        meets.unwrap_or(draws - 1)
    }
}

/// A number multiplied with itself so many times, by squares; the same bits everywhere.
#[inline]
fn power(number: f64, mut times: u32) -> f64 {
    let (mut product, mut square) = (1.0, number);
    while times > 0 {
        if times & 1 == 1 {
            product *= square;
        }
        square *= square;
        times >>= 1;
    }
    product
}

/// A way of drawing from bins.
#[derive(Debug, Clone)]
pub struct BinClass {
    pub(super) parts: Vec<Part>,
    /// Weight of the pages that are not hot, and of those that are missing, in all and by block.
    pub(super) cold: Weights,
    pub(super) missing: Weights,
    /// For modifications, which meet what is not hot, and for reads, which meet what is missing.
    pub(super) clocks: [Clock; 2],
    pub(super) homes: Option<Homes>,
    /// Where a transaction draws from the copy of the tables at its home: the chance that two of its pages lie in one extent.
    pub(super) at_home: Option<f64>,
}

impl BinClass {
    /// A class that draws one of the pages of each bin in the list with the given probability; they are made to sum up to
    /// `all`, from 0 to 1. A draw that comes to none of them meets nothing.
    pub fn new(list: &[(u16, f64)], all: f64, homes: Option<Homes>, bins: &[Bin]) -> Self {
        let listed: f64 = list.iter().map(|&(bin, probability)| bins[bin as usize].pages as f64 * probability).sum();
        let scale = all / listed * WHOLE as f64;
        let part = |&(bin, probability): &(u16, f64)| Part { bin, weight: (probability * scale) as u64 };
        let parts: Vec<Part> = list.iter().map(part).filter(|part| part.weight > 0).collect();
        let none = Weights::none(parts.len());
        BinClass { parts, cold: none.clone(), missing: none, clocks: [Clock::STOPPED; 2], homes, at_home: None }
    }

    /// The same, with all draws of a transaction from the copy of the tables at its home, if there is a chance that two of them lie in
    /// one extent.
    pub fn drawn_at_home(self, same_extent: Option<f64>) -> Self {
        BinClass { at_home: same_extent, ..self }
    }

    /// The file of what a transaction at a home draws.
    #[inline]
    pub(super) fn file_at(&self, home: u64) -> File {
        if self.at_home.is_some() { File::OfHome(home) } else { File::Any }
    }

    /// Probability that a draw comes to one of the pages of a bin.
    pub fn probability_of(&self, bin: u16) -> f64 {
        self.parts.iter().filter(|part| part.bin == bin).map(|part| part.weight as f64 / WHOLE as f64).sum()
    }

    /// Weight of what modifications, or reads, meet.
    #[inline]
    pub(super) fn weights(&self, modify: bool) -> &Weights {
        if modify { &self.cold } else { &self.missing }
    }

    /// See [`super::CountedPages::pass`].
    #[inline]
    pub(super) fn pass(&mut self, modify: bool, draws: u32, times: f64) -> u32 {
        let weight = self.weights(modify).all;
        if weight == 0 {
            return draws;
        }
        self.clocks[usize::from(!modify)].pass(draws, weight as f64 / WHOLE as f64 * times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_products() {
        for (number, times) in [(0.5, 0), (0.9, 1), (0.99, 13), (0.3, 64)] {
            assert!((power(number, times) / libm::pow(number, f64::from(times)) - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn the_draw_with_which_the_chance_falls_far_enough_meets_something() {
        let mut clock = Clock::STOPPED;
        clock.wind_up(0.2);
        assert_eq!(
            [clock.pass(1, 0.5), clock.pass(5, 0.5)],
            [1, 1],
            "0.5, 0.25, 0.125: the third draw meets something"
        );
        clock.wind_up(0.5);
        assert_eq!(clock.pass(4, 1.0), 0, "what is sure is met at once");
    }

    /// Many draws at once are as many single ones, also where the chance falls just to the limit.
    #[test]
    fn draws_pass_together_as_they_do_one_by_one() {
        for (meets, limit) in [(0.5, 0.25), (0.01, 0.3), (0.001, 0.9), (0.2, 1.0), (0.0, 0.5)] {
            let (mut together, mut single) = (Clock::STOPPED, Clock::STOPPED);
            [&mut together, &mut single].into_iter().for_each(|clock| clock.wind_up(limit));
            let one_by_one = (0..500).find(|_| single.pass(1, meets) == 0).unwrap_or(500);
            let (first, then) = (together.pass(3, meets), together.pass(497, meets));
            let passed = if first < 3 { first } else { 3 + then };
            assert_eq!(passed, one_by_one, "{meets} and {limit}");
        }
        let mut clock = Clock::STOPPED;
        clock.wind_up(0.25);
        assert_eq!(clock.pass(2, 0.5), 1, "0.25 is far enough");
    }

    /// Where squares round to less than products one by one, and the limit lies between, it is the last draw that meets something.
    #[test]
    fn one_of_the_draws_meets_something_however_it_is_rounded() {
        let mut met = 0;
        for (meets, draws) in (1..200).flat_map(|part| [5, 13, 100].map(|draws| (f64::from(part) / 1_000.0, draws))) {
            let limit = power(1.0 - meets, draws);
            if (0..draws).fold(1.0, |left, _| left * (1.0 - meets)) > limit {
                let mut clock = Clock::STOPPED;
                clock.wind_up(limit);
                assert_eq!(clock.pass(draws, meets), draws - 1);
                met += 1;
            }
        }
        assert!(met > 50, "{met} cases");
    }

    /// A bin that a class never draws is no part of it.
    #[test]
    fn what_is_never_drawn_is_left_out() {
        let bin = Bin { pages: 10, resident: 10, spaces: vec![0], bytes_between_modifications: 1.0, freed: false };
        let class = BinClass::new(&[(0, 0.0), (1, 0.1)], 1.0, None, &[bin.clone(), bin]);
        assert_eq!(class.parts.iter().map(|part| part.bin).collect::<Vec<_>>(), [1]);
    }

    /// Bins of 10 and 30 pages with 1 % and 2 % a page make 70 %: brought to 50 %, each page has 5/7 of that.
    #[test]
    fn probabilities_sum_up_to_what_is_wanted() {
        let bin =
            |pages| Bin { pages, resident: pages, spaces: vec![0], bytes_between_modifications: 1.0, freed: false };
        let mut class = BinClass::new(&[(0, 0.01), (1, 0.02)], 0.5, None, &[bin(10), bin(30), bin(5)]);
        for (number, expected) in [(0, 0.01 * 5.0 / 7.0), (1, 0.02 * 5.0 / 7.0), (2, 0.0)] {
            assert!((class.probability_of(number) - expected).abs() < 1e-12);
        }
        assert_eq!([true, false].map(|modify| class.pass(modify, 9, 1.0)), [9, 9], "nothing is cold or missing");
        class.cold.add(0, WHOLE / 4);
        class.clocks.iter_mut().for_each(|clock| clock.wind_up(0.4));
        assert_eq!(class.pass(false, 9, 1.0), 9);
        assert_eq!(class.pass(true, 9, 2.0), 1, "0.5, then 0.25");
    }
}
