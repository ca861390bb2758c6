//! Bins together, and what follows from them.

use crate::bin::Bin;
use crate::outgrown::Beyond;
use crate::residence::Residence;
use serde::{Deserialize, Serialize};

/// How many pages are modified at which rates.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Spectrum {
    /// By rising rate.
    pub bins: Vec<Bin>,
    /// Pages that are freed by the time that their turn to be flushed comes: they are dirty like others and leave unwritten
    /// (undo segments of MariaDB). They are in no bin.
    #[serde(default)]
    pub freed: Option<Bin>,
    /// Where the data outgrow the buffer pool: pages that are only read, and how long pages stay. Then pages leave the pool before
    /// they are as old as others.
    #[serde(default)]
    pub beyond: Option<Beyond>,
}

impl Spectrum {
    /// A spectrum of these bins, in order, without empty ones.
    pub fn new(mut bins: Vec<Bin>) -> Self {
        bins.retain(|bin| bin.pages > 0.0 && bin.rate > 0.0);
        bins.sort_by(|a, b| a.rate.total_cmp(&b.rate));
        Spectrum { bins, freed: None, beyond: None }
    }

    /// The same, with pages of these bins that are freed before their turn: as one bin, with their pages and modifications.
    pub fn with_freed(self, bins: &[Bin]) -> Self {
        let pages: f64 = bins.iter().map(|bin| bin.pages).sum();
        let modifications: f64 = bins.iter().map(|bin| bin.pages * bin.rate).sum();
        let freed = (pages > 0.0).then(|| Bin { rate: modifications / pages, pages });
        Spectrum { freed, ..self }
    }

    /// All pages that are ever modified, but for those that are freed before their turn.
    pub fn pages(&self) -> f64 {
        self.bins.iter().map(|bin| bin.pages).sum()
    }

    /// Modifications of a page a unit of work, pages that are modified twice counted twice.
    pub fn modifications(&self) -> f64 {
        self.bins.iter().chain(&self.freed).map(|bin| bin.pages * bin.rate).sum()
    }

    /// Distinct pages that are modified in `work`, but for those that are freed before their turn: no file shows them.
    pub fn distinct(&self, work: f64) -> f64 {
        self.bins.iter().map(|bin| bin.pages * -libm::expm1(-bin.rate * work)).sum()
    }

    /// Pages that are dirty while each is flushed `age` of work after it became dirty.
    pub fn dirty(&self, age: f64) -> f64 {
        self.bins.iter().chain(&self.freed).map(|bin| bin.pages * self.steady_share(bin.rate, age)).sum()
    }

    /// Pages written a unit of work while each is flushed `age` of work after it became dirty.
    pub fn flushed(&self, age: f64) -> f64 {
        self.bins.iter().map(|bin| bin.pages * bin.rate * (1.0 - self.steady_share(bin.rate, age))).sum()
    }

    /// How long pages stay in a pool that is smaller than the data.
    pub(crate) fn residence(&self) -> Option<&Residence> {
        self.beyond.as_ref().map(|beyond| &beyond.residence)
    }

    /// Share of its pages that are dirty at one rate, each flushed `age` after it became dirty, or evicted before.
    fn steady_share(&self, rate: f64, age: f64) -> f64 {
        self.residence().map_or_else(|| steady_share(rate, age), |residence| residence.dirty_share(rate, age))
    }

    /// The same spectrum in at most `most` bins: neighbours whose union loses least are put together, with their pages and
    /// their modifications kept.
    pub fn in_bins(&self, most: usize) -> Spectrum {
        let mut bins = self.bins.clone();
        while bins.len() > most.max(1) {
            let loss = |pair: &[Bin]| {
                let ratio = libm::log(pair[1].rate / pair[0].rate);
                pair[0].pages.min(pair[1].pages) * ratio * ratio
            };
            let at = (0..bins.len() - 1)
                .min_by(|&a, &b| loss(&bins[a..a + 2]).total_cmp(&loss(&bins[b..b + 2])))
                .unwrap_or_default();
            let (low, high) = (bins[at], bins.remove(at + 1));
            let pages = low.pages + high.pages;
            bins[at] = Bin { rate: (low.pages * low.rate + high.pages * high.rate) / pages, pages };
        }
        Spectrum { bins, ..self.clone() }
    }
}

/// Share of its pages that are dirty at one rate, each flushed `age` after it became dirty.
pub(crate) fn steady_share(rate: f64, age: f64) -> f64 {
    let turns = (rate * age).max(0.0);
    turns / (1.0 + turns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Spectrum {
        Spectrum::new(vec![Bin { rate: 0.1, pages: 50.0 }, Bin { rate: 0.001, pages: 1000.0 }])
    }

    #[test]
    fn figures_by_hand() {
        let spectrum = two();
        assert_eq!(spectrum.bins[0].rate, 0.001, "by rising rate");
        assert_eq!((spectrum.pages(), spectrum.modifications()), (1050.0, 6.0));
        assert!((spectrum.dirty(1000.0) - (500.0 + 50.0 * 100.0 / 101.0)).abs() < 1e-9);
        assert!((spectrum.flushed(1000.0) - spectrum.dirty(1000.0) / 1000.0).abs() < 1e-12);
        assert!((spectrum.distinct(1e9) - 1050.0).abs() < 1e-6);
        assert!((spectrum.distinct(1e-6) - 6e-6).abs() < 1e-9);
    }

    #[test]
    fn bins_are_put_together_without_losing_pages_or_modifications() {
        let fine: Vec<Bin> = (1..=20).map(|i| Bin { rate: 1e-3 * f64::from(i), pages: f64::from(i) }).collect();
        let fine = Spectrum::new(fine);
        let few = fine.in_bins(5);
        assert_eq!(few.bins.len(), 5);
        assert!((few.pages() - fine.pages()).abs() < 1e-9);
        assert!((few.modifications() - fine.modifications()).abs() < 1e-12);
        assert!((few.dirty(100.0) / fine.dirty(100.0) - 1.0).abs() < 0.02);
        assert_eq!(fine.in_bins(100), fine);
    }

    #[test]
    fn freed_pages_are_dirty_and_never_written() {
        let freed = [Bin { rate: 0.01, pages: 100.0 }, Bin { rate: 0.03, pages: 300.0 }];
        let spectrum = two().with_freed(&freed);
        assert_eq!(spectrum.freed, Some(Bin { rate: 0.025, pages: 400.0 }));
        assert!((spectrum.dirty(1000.0) - two().dirty(1000.0) - 400.0 * 25.0 / 26.0).abs() < 1e-9);
        assert_eq!(
            [spectrum.flushed(1000.0), spectrum.distinct(1e9), spectrum.pages()].map(f64::to_bits),
            [two().flushed(1000.0), two().distinct(1e9), two().pages()].map(f64::to_bits)
        );
        assert_eq!(spectrum.in_bins(1).freed, spectrum.freed);
        assert_eq!(two().with_freed(&[]), two());
    }
}
