//! The unknowns of a fit: pages of each rate, first of rarely touched ones where the data outgrow the pool.
//!
//! Then come those of the fast rates that are freed before their turn, then those that are written and have no age.

use crate::bin::Bin;
use crate::outgrown::Beyond;
use crate::residence::Residence;
use crate::spectrum::Spectrum;

/// Least distance from the rate of rarely touched pages to the next, and most by which those that are modified may be touched more often.
pub(crate) const APART: f64 = 2.0;

/// The unknowns.
pub(crate) struct Columns {
    pub(crate) rates: Vec<f64>,
    /// First of the fast rates, at which pages may be freed.
    fast: usize,
    /// Whether some may be written and have no age.
    ageless: bool,
    /// Rarely touched pages, modified or not.
    beyond: Option<Beyond>,
}

/// What a page of a rate adds to a row.
#[derive(Clone, Copy)]
pub(crate) struct Adds<'a> {
    pub(crate) to_written: &'a dyn Fn(usize) -> f64,
    pub(crate) to_freed: &'a dyn Fn(usize) -> f64,
    pub(crate) to_ageless: &'a dyn Fn(usize) -> f64,
}

impl Columns {
    /// Columns of these rates, of which those from `fast` on may be freed.
    pub(crate) fn new(rates: Vec<f64>, fast: usize, ageless: bool, beyond: Option<Beyond>) -> Columns {
        Columns { rates, fast, ageless, beyond }
    }

    /// How long pages stay, where the data outgrow the pool.
    pub(crate) fn residence(&self) -> Option<&Residence> {
        self.beyond.as_ref().map(|beyond| &beyond.residence)
    }

    /// The slowest rate besides that of rarely touched pages.
    pub(crate) fn slowest(&self) -> usize {
        usize::from(self.beyond.is_some()).min(self.rates.len() - 1)
    }

    fn fast_rates(&self) -> &[f64] {
        &self.rates[self.fast..]
    }

    pub(crate) fn len(&self) -> usize {
        self.rates.len() + self.fast_rates().len() * if self.ageless { 2 } else { 1 }
    }

    pub(crate) fn row(&self, adds: Adds<'_>) -> Vec<f64> {
        let (all, fast) = (0..self.rates.len(), self.fast..self.rates.len());
        let ageless = if self.ageless { fast.clone() } else { 0..0 };
        all.map(adds.to_written).chain(fast.map(adds.to_freed)).chain(ageless.map(adds.to_ageless)).collect()
    }

    pub(crate) fn spectrum(&self, pages: &[f64]) -> Spectrum {
        let (bins, fast) = pages.split_at(self.rates.len());
        let (freed, ageless) = fast.split_at(self.fast_rates().len());
        let bin = |(&rate, &pages): (&f64, &f64)| Bin { rate, pages };
        let freed: Vec<Bin> = self.fast_rates().iter().zip(freed).map(bin).collect();
        let mut bins: Vec<Bin> = self.rates.iter().zip(bins).map(bin).collect();
        bins[self.fast..].iter_mut().zip(ageless).for_each(|(bin, pages)| bin.pages += pages);
        let beyond = self.beyond.map(|Beyond { residence, read }| {
            // No more of them are modified than there are; those that are may be modified somewhat more often.
            let modified = bins[0].pages.min(read.pages);
            bins[0] = Bin { rate: read.rate * (bins[0].pages / read.pages).clamp(1.0, APART), pages: modified };
            Beyond { residence, read: Bin { pages: read.pages - modified, ..read } }
        });
        Spectrum { beyond, ..Spectrum::new(bins).with_freed(&freed) }
    }
}
