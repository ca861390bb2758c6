//! Ways of drawing from bins, and when a draw meets something.
//!
//! A draw that meets something with the chance `p` has a hazard of `-ln(1 - p)`, and how much hazard goes by until the next
//! such draw is exponential, however `p` moves meanwhile. So a run of draws costs a product and a comparison, and a
//! logarithm only where the weight of what can be met has changed since. Exact up to the rounding of 53-bit fractions.

use super::weights::Weights;
use super::{Bin, Homes};

/// Weight of a draw: the sum over all pages of a class.
const WHOLE: f64 = (1u64 << 62) as f64;
/// Up to this chance, a series is as good as a logarithm.
const SMALL: f64 = 0.03;

/// A part of a class: a bin, and how often one of its pages is drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub(super) bin: u16,
    pub(super) weight: u64,
}

/// When the next draw meets something.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    /// Hazard that is left until then.
    left: f64,
    /// Hazard of a draw, and the weight for which it was worked out.
    each: f64,
    weight: u64,
}

impl Clock {
    /// A clock that must be wound up first.
    const STOPPED: Clock = Clock { left: 0.0, each: 0.0, weight: 0 };

    /// The next draw that meets something comes when so much hazard, exponential with mean 1, has gone by.
    #[inline]
    pub(super) fn wind_up(&mut self, hazard: f64) {
        self.left = hazard;
    }

    /// How many of `draws`, at least one, pass before one meets something; all of them, if none does. What can be met has
    /// this weight, and each draw comes to it `times` as often as any of the class.
    #[inline]
    fn pass(&mut self, draws: u32, weight: u64, times: f64) -> u32 {
        if weight != self.weight {
            (self.each, self.weight) = (hazard(weight as f64 / WHOLE), weight);
        }
        let each = if times == 1.0 { self.each } else { hazard(weight as f64 / WHOLE * times) };
        let all = each * f64::from(draws);
        if all < self.left {
            self.left -= all;
            return draws;
        }
        ((self.left / each) as u32).min(draws - 1)
    }
}

/// Minus the logarithm of the chance that a draw meets nothing, where it meets something with the chance `p`.
#[inline]
fn hazard(p: f64) -> f64 {
    if p < SMALL {
        let series = 1.0 / 5.0 + p * (1.0 / 6.0 + p * (1.0 / 7.0 + p * (1.0 / 8.0)));
        p * (1.0 + p * (1.0 / 2.0 + p * (1.0 / 3.0 + p * (1.0 / 4.0 + p * series))))
    } else {
        -libm::log1p(-p.min(1.0))
    }
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
}

impl BinClass {
    /// A class that draws one of the pages of each bin in the list with the given probability; they are made to sum up to
    /// `all`, from 0 to 1. A draw that comes to none of them meets nothing.
    pub fn new(list: &[(u16, f64)], all: f64, homes: Option<Homes>, bins: &[Bin]) -> Self {
        let listed: f64 = list.iter().map(|&(bin, probability)| bins[bin as usize].pages as f64 * probability).sum();
        let scale = all / listed * WHOLE;
        let part = |&(bin, probability): &(u16, f64)| Part { bin, weight: (probability * scale) as u64 };
        let parts: Vec<Part> = list.iter().map(part).filter(|part| part.weight > 0).collect();
        let none = Weights::none(parts.len());
        BinClass { parts, cold: none.clone(), missing: none, clocks: [Clock::STOPPED; 2], homes }
    }

    /// Probability that a draw comes to one of the pages of a bin.
    pub fn probability_of(&self, bin: u16) -> f64 {
        self.parts.iter().filter(|part| part.bin == bin).map(|part| part.weight as f64 / WHOLE).sum()
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
        if weight == 0 { draws } else { self.clocks[usize::from(!modify)].pass(draws, weight, times) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hazard_is_minus_the_logarithm_of_nothing_met() {
        for p in [1e-12, 1e-4, 0.01, 0.029_99, 0.030_01, 0.5, 0.999] {
            let exact = -libm::log1p(-p);
            assert!((hazard(p) / exact - 1.0).abs() < 1e-12, "{p}: {} for {exact}", hazard(p));
        }
        assert_eq!((hazard(0.0), hazard(1.0), hazard(1.5)), (0.0, f64::INFINITY, f64::INFINITY));
    }

    #[test]
    fn the_draw_with_which_the_hazard_is_used_up_meets_something() {
        let half = (WHOLE / 2.0) as u64;
        let each = core::f64::consts::LN_2;
        let mut clock = Clock::STOPPED;
        clock.wind_up(2.5 * each);
        assert_eq!([clock.pass(1, half, 1.0), clock.pass(5, half, 1.0)], [1, 1], "the third draw meets something");
        clock.wind_up(0.5 * each);
        assert_eq!([clock.pass(4, half, 2.0), clock.pass(1, half, 1.0)], [0, 0], "whatever is sure is met at once");
    }
}
