//! The pages of a workload in classes of equal rate: what is needed to know how many become dirty, page by page unknown.
//!
//! No source: nothing here is of a server. Pages of a set are modified as the laws of its access classes say (see
//! [`super::rates`]); pages at insert and visit points are a class for themselves, whose pages are left for the next ones;
//! pages of an index that splits lie on one page or on two halves, as they do at the start.
//!
//! Simplifications: pages that purge modifies, undo pages beyond the workload's own, and what splits on the way are left out:
//! they were dirtied a moment before by the transaction itself, or nearly so (errs towards fewer dirty pages).

use super::program::Program;
use super::rates::{KnownRates, Way, ways_to};
use super::spec::{Leaves, WorkloadSpec};
use crate::buffer_pool::PageRun;
use crate::kernel::random::Rng;
use std::collections::BTreeMap;

/// Classes of rates to a factor of two.
const CLASSES_A_DOUBLING: f64 = 4.0;

/// Pages that are modified equally often.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PageClass {
    /// Modifications of each page a transaction.
    pub rate: f64,
    /// How many pages.
    pub pages: f64,
    /// Share of the modifications that leave the page for the next one: rows of an insert point fill it, a visit goes on. 0 where
    /// pages stay what they are.
    pub leaves: f64,
    /// Whether its pages are those of another class until it leaves them: points of one page set begin at the same pages.
    pub begins_with_others: bool,
    /// How its pages split, where insertions make them.
    pub splits: Option<Splits>,
    /// Where they lie.
    pub runs: Vec<PageRun>,
    /// The indexes of which they are halves: they lie where these have them by then.
    pub halves_of: Vec<PageRun>,
    /// The access class at whose points they lie by then.
    pub points_of: Option<u32>,
}

/// How the pages of a class split as insertions fill them.
#[derive(Debug, Clone, PartialEq)]
pub struct Splits {
    /// Pages by the entries that they still take: entry `i` counts those with room for `i`.
    pub free: Vec<f64>,
    /// The class that the two halves go to.
    pub halves: usize,
}

/// Pages of rates to a factor of two, before they are classes.
#[derive(Default)]
struct Bin {
    /// Sum of the rates of all its pages.
    rates: f64,
    pages: f64,
    runs: Vec<PageRun>,
}

/// Bins by rate.
#[derive(Default)]
struct Bins(BTreeMap<i64, Bin>);

impl Bins {
    fn add(&mut self, run: PageRun, rate: f64) {
        if rate > 0.0 {
            let bin = self.0.entry((libm::log2(rate) * CLASSES_A_DOUBLING) as i64).or_default();
            bin.rates += rate * f64::from(run.pages);
            bin.pages += f64::from(run.pages);
            match bin.runs.last_mut() {
                Some(last) if last.first + last.pages == run.first => last.pages += run.pages,
                _ => bin.runs.push(run),
            }
        }
    }

    fn into_classes(self) -> impl Iterator<Item = PageClass> {
        self.0.into_values().map(|bin| PageClass {
            rate: bin.rates / bin.pages,
            pages: bin.pages,
            runs: bin.runs,
            ..PageClass::default()
        })
    }
}

impl PageClass {
    /// All pages that a workload modifies, by class.
    pub(crate) fn all_of(spec: &WorkloadSpec, program: &Program) -> Vec<PageClass> {
        let mut bins = Bins::default();
        let mut indexes: BTreeMap<u32, Index> = BTreeMap::new();
        let mut known = KnownRates::default();
        for (number, run) in program.runs.iter().enumerate().filter(|(_, run)| run.pages > 0) {
            let mut ways = ways_to(number as u32, spec, &program.classes);
            let splitting: Vec<_> = ways.extract_if(.., |way| way.class.draws_ranges()).collect();
            ways.retain(|way| way.class.moving_pages().is_none());
            match splitting.first() {
                Some(way) => indexes.entry(way.touch.class).or_default().add(&splitting, *run, program),
                None => {
                    let leaves = ways.iter().any(|way| way.class.draws_leaves());
                    let run = if leaves { program.places.index_leaves.used(*run) } else { *run };
                    known.of(&ways, run).for_each(|(run, rate)| bins.add(run, rate));
                }
            }
        }
        let mut all = Vec::new();
        indexes.into_values().for_each(|index| index.add_classes(&mut all));
        all.extend(bins.into_classes());
        all.extend(moving_classes(spec, program));
        all
    }
}

/// Indexes of one kind whose pages split, one a table.
#[derive(Default)]
struct Index {
    bins: Bins,
    runs: Vec<PageRun>,
    /// For each way how often the ranges of a table are drawn, relative to their mean; alike in all tables.
    relative: Vec<Vec<(PageRun, f64)>>,
    /// Ranges, those of them that are split, and the others by the entries that they still take.
    ranges: f64,
    split: f64,
    free: Vec<f64>,
    grows: bool,
}

impl Index {
    fn add(&mut self, ways: &[Way<'_>], run: PageRun, program: &Program) {
        let index = program.places.index_pages.ranges_of(run);
        let ranges = PageRun { first: run.first, pages: index.ranges };
        if self.relative.is_empty() {
            let of = |way: &Way<'_>| way.class.rates_of_ranges((way.touch.min, way.touch.max), ranges.pages);
            self.relative = ways.iter().map(of).collect();
        }
        for (way, relative) in ways.iter().zip(&self.relative) {
            let mean = way.modifications / f64::from(ranges.pages.max(1));
            for (stretch, relative) in relative {
                self.bins.add(PageRun { first: ranges.first + stretch.first, ..*stretch }, relative * mean);
            }
        }
        let pages = f64::from(index.ranges);
        self.runs.push(run);
        self.ranges += pages;
        self.split += index.split * pages;
        if index.free.len() > self.free.len() {
            self.free.resize(index.free.len(), 0.0);
        }
        self.free.iter_mut().zip(index.free).for_each(|(all, share)| *all += share * pages);
        self.grows = ways.iter().all(|way| way.touch.inserts && way.touch.leaves == Leaves::Nothing);
    }

    /// Adds its classes: of pages that have not split, and of halves.
    fn add_classes(self, all: &mut Vec<PageClass>) {
        let split = self.split / self.ranges;
        for class in self.bins.into_classes() {
            let halves = all.len() + 1;
            let free = self.free.iter().map(|pages| pages / self.ranges * class.pages).collect();
            let splits = self.grows.then_some(Splits { free, halves });
            let (rate, pages) = (class.rate, class.pages);
            all.push(PageClass { pages: pages * (1.0 - split), splits, ..class });
            all.push(PageClass {
                rate: rate / 2.0,
                pages: 2.0 * split * pages,
                halves_of: self.runs.clone(),
                ..PageClass::default()
            });
        }
    }
}

impl Program {
    /// The pages at the points of an access class, as they are now.
    pub(crate) fn pages_of_points(&self, class: u32) -> Vec<PageRun> {
        let pages = self.classes[class as usize].pages_of_points(&self.places);
        pages.map(|first| PageRun { first, pages: 1 }).collect()
    }

    /// Fills the pages of its indexes as so many transactions do.
    pub(crate) fn age(&mut self, spec: &WorkloadSpec, transactions: f64, rng: &mut Rng) {
        for (number, run) in self.runs.clone().into_iter().enumerate().filter(|(_, run)| run.pages > 0) {
            let ways = ways_to(number as u32, spec, &self.classes);
            let inserts: f64 = ways
                .iter()
                .filter(|way| way.class.draws_ranges() && way.touch.inserts && way.touch.leaves == Leaves::Nothing)
                .map(|way| way.modifications)
                .sum();
            if inserts > 0.0 {
                self.places.index_pages.age(run, inserts * transactions, rng);
            }
        }
    }
}

/// Classes of the pages at points.
fn moving_classes<'a>(spec: &'a WorkloadSpec, program: &'a Program) -> impl Iterator<Item = PageClass> + 'a {
    let all: f64 = spec.transactions.iter().map(|transaction| transaction.weight).sum();
    let mut begun = Vec::new();
    (0..).zip(&program.classes).filter_map(move |(number, class)| {
        let moving = class.moving_pages()?;
        let here = (&spec.access_classes[number as usize].page_sets, moving.points);
        // Rows of one transaction at one point are one visit.
        let (mut visits, mut rows) = (0.0, 0.0);
        for transaction in &spec.transactions {
            for touch in transaction.touches.iter().filter(|touch| touch.modify && touch.class == number) {
                let happens = transaction.weight / all * touch.probability;
                let draws = f64::from(touch.min + touch.max) / 2.0;
                rows += happens * draws;
                visits +=
                    happens * if moving.home_points == 0 { draws } else { draws.min(f64::from(moving.home_points)) };
            }
        }
        // Where points share their pages for good, none leaves its own.
        let shared = class.visited_pages().filter(|pages| *pages < moving.points);
        let pages = f64::from(shared.unwrap_or(moving.points));
        let begins_with_others = begun.contains(&here);
        begun.push(here);
        (visits > 0.0).then(|| PageClass {
            begins_with_others,
            points_of: Some(number),
            rate: visits / pages,
            pages,
            leaves: match shared {
                Some(_) => 0.0,
                None => (rows / visits / f64::from(moving.rows_per_page.max(1))).min(1.0),
            },
            ..PageClass::default()
        })
    })
}
