//! Which pages are modified how often: all pages in bands of redo between two modifications of one of them.
//!
//! In a log of `L` bytes a page that is modified once in much less is dirty nearly always, and one that is modified once in
//! much more nearly never, so the bands say at a glance where dirty pages come from and what a larger log would gain. No
//! source: nothing here is of a server.
//!
//! Simplifications: redo is the mean of the workload's transactions, payload alone, so bands of a mix that changes with time,
//! or of records that purge writes in other ways, are off by that; places that move on (ends of growing runs, undo pages
//! in turn, index pages that split) and pages that homes have scattered count as the mean of their set. Of large sets every
//! n-th page is looked at, and its neighbours up to the next are taken to be like it.

use super::access::AccessClass;
use super::program::Program;
use super::spec::{TouchSpec, TransactionSpec, WorkloadSpec};
use crate::buffer_pool::PageRun;
use std::collections::BTreeMap;

/// Number of bands.
pub const RATE_BANDS: usize = 24;
/// The first band is below twice this, bytes of redo; each of the others reaches twice as far as the one before, and the last
/// to infinity.
pub const FIRST_BAND_BYTES: f64 = 1024.0;
/// Most pages of a set that are looked at.
const MOST_LOOKED_AT: u32 = 1 << 16;

/// Neighbouring pages of one band.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BandRun {
    /// First page.
    pub(crate) first: u32,
    /// The page behind the last.
    pub(crate) end: u32,
    /// The band.
    pub(crate) band: usize,
}

/// The bands of all pages of a workload.
#[derive(Debug, Clone, Default)]
pub(crate) struct RateBands {
    /// Neighbouring pages of one band, in order.
    pub(crate) runs: Vec<BandRun>,
}

/// A way in which pages of a set are modified.
pub(super) struct Way<'a> {
    pub(super) class: &'a AccessClass,
    pub(super) touch: &'a TouchSpec,
    /// Modifications of the whole set a transaction.
    pub(super) modifications: f64,
}

impl RateBands {
    /// The bands of a workload that is laid out.
    pub(crate) fn of(spec: &WorkloadSpec, program: &Program) -> Self {
        let mut bands = RateBands::default();
        let mut known = KnownRates::default();
        for (number, run) in program.runs.iter().enumerate().filter(|(_, run)| run.pages > 0) {
            let ways = ways_to(number as u32, spec, &program.classes);
            for (PageRun { first, pages }, rate) in known.of(&ways, *run) {
                bands.add(BandRun { first, end: first + pages, band: band_of(program.redo_bytes / rate) });
            }
        }
        bands
    }

    fn add(&mut self, run: BandRun) {
        match self.runs.last_mut() {
            Some(last) if last.end == run.first && last.band == run.band => last.end = run.end,
            _ => self.runs.push(run),
        }
    }
}

/// The band of pages with so many bytes of redo between two modifications.
fn band_of(bytes_between: f64) -> usize {
    let bands = libm::log2(bytes_between / FIRST_BAND_BYTES);
    if bands.is_nan() { RATE_BANDS - 1 } else { bands.clamp(0.0, RATE_BANDS as f64 - 1.0) as usize }
}

/// The ways in which the pages of a set are modified.
pub(super) fn ways_to<'a>(set: u32, spec: &'a WorkloadSpec, classes: &'a [AccessClass]) -> Vec<Way<'a>> {
    let all: f64 = spec.transactions.iter().map(|transaction| transaction.weight).sum();
    let of = |transaction: &'a TransactionSpec| {
        let share = transaction.weight / all;
        transaction.touches.iter().filter(|touch| touch.modify).filter_map(move |touch| {
            let sets = &spec.access_classes[touch.class as usize].page_sets;
            let draws = share * touch.probability * f64::from(touch.min + touch.max) / 2.0;
            let modifications = draws / sets.len() as f64;
            let class = &classes[touch.class as usize];
            sets.contains(&set).then_some(Way { class, touch, modifications })
        })
    };
    spec.transactions.iter().flat_map(of).collect()
}

/// Rates of the pages of a set, by the touches that draw them and its size: tables of a kind have the same.
#[derive(Default)]
pub(super) struct KnownRates(BTreeMap<(Vec<Draws>, u32), Rates>);

/// An access class with the least and the most draws of a touch.
type Draws = (u32, u32, u32);
/// Stretches of pages, each with the modifications of a page a transaction.
type Rates = Vec<(PageRun, f64)>;

impl KnownRates {
    /// The pages of a set, in stretches, with the modifications of each page a transaction.
    pub(super) fn of(&mut self, ways: &[Way<'_>], run: PageRun) -> impl Iterator<Item = (PageRun, f64)> {
        let draws = ways.iter().map(|way| (way.touch.class, way.touch.min, way.touch.max)).collect();
        let known = self.0.entry((draws, run.pages)).or_insert_with(|| {
            let at_0 =
                |(stretch, rate): (PageRun, f64)| (PageRun { first: stretch.first - run.first, ..stretch }, rate);
            rates(ways, run).map(at_0).collect()
        });
        let stretches =
            known.iter().map(move |(stretch, rate)| (PageRun { first: run.first + stretch.first, ..*stretch }, *rate));
        stretches.collect::<Vec<_>>().into_iter()
    }
}

/// The pages of a set, in stretches, with the modifications of each page a transaction.
fn rates(ways: &[Way<'_>], run: PageRun) -> impl Iterator<Item = (PageRun, f64)> {
    let step = run.pages.div_ceil(MOST_LOOKED_AT);
    let mut rates = vec![0.0; run.pages.div_ceil(step) as usize];
    for way in ways {
        let each = way.modifications / f64::from(run.pages);
        match way.class.relative_rates((way.touch.min, way.touch.max), run.pages, step) {
            Some(relative) => rates.iter_mut().zip(relative).for_each(|(rate, relative)| *rate += each * relative),
            None => rates.iter_mut().for_each(|rate| *rate += each),
        }
    }
    let end = run.first + run.pages;
    (run.first..).step_by(step as usize).zip(rates).map(move |(first, rate)| {
        let pages = step.min(end - first);
        (PageRun { first, pages }, rate)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_double_and_reach_from_nought_to_never() {
        let bands = [0.0, 10.0, 2047.0, 2049.0, 1e7, 1e12, f64::INFINITY, f64::NAN].map(band_of);
        assert_eq!(bands, [0, 0, 0, 1, 13, RATE_BANDS - 1, RATE_BANDS - 1, RATE_BANDS - 1]);
    }

    #[test]
    fn neighbours_of_one_band_are_one_run() {
        let mut bands = RateBands::default();
        for (first, end, band) in [(0, 4, 2), (4, 8, 2), (8, 9, 3), (20, 21, 3)] {
            bands.add(BandRun { first, end, band });
        }
        let runs: Vec<_> = bands.runs.iter().map(|run| (run.first, run.end, run.band)).collect();
        assert_eq!(runs, [(0, 8, 2), (8, 9, 3), (20, 21, 3)]);
    }
}
