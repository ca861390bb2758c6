//! Which pages are touched: access classes, compiled for speed.
//!
//! An access class draws pages from one or more page sets of equal kind (the same index of each of sysbench's tables).
//! This decides everything else: the number of distinct pages in a window of redo is the write working set, which
//! says how much flushing a redo capacity costs.
//!
//! * Key draws (NURand, Pareto) lay keys in order over the pages of the set, as a clustered index does.
//! * `Append` inserts at the end of growing runs. A full page is followed by a new one, allocated in whole extents
//!   shared by the runs of the class; a new page needs no read.
//! * Reads of rows that were inserted lately (`RecentRows`) find the pages in memory, for their inserts touched them:
//!   only the rows that are older than the run are drawn. In a pool that evicts, all are drawn (errs towards more
//!   reads).
//! * `Walk` visits existing pages in order, from `points` places at once, each going round in its own.
//!
//! Simplifications: the draws of one transaction are independent of each other; inserts into the middle of an index
//! (random secondary keys) split pages only in an `Index` ([`super::IndexPages`]) or its `Leaves`
//! ([`super::IndexLeaves`]); others keep their number of pages (errs
//! towards fewer distinct pages: by under 1 % an hour in sysbench's `oltp_*` once their indexes have aged, by much more on
//! an index that was built in one go, whose pages are full).

use super::homes::{Drawer, PagesOfHomes, digit};
use super::index_leaves::IndexLeaves;
use super::index_page::{FoundEntry, Removal};
use super::index_pages::{IndexLayout, IndexPages};
use super::nurand_pages::NuRandPages;
use super::page_law::{PageLaw, Stretch};
use super::points::{Column, Point, PointUse, Points, own_pages};
use super::spec::{DrawSpec, LeafDraw};
use crate::buffer_pool::{BufferPool, EXTENT_PAGES, PageRun, PageSpace};
use crate::kernel::random::Rng;
use crate::kernel::sampler::{Scatter, SysbenchPareto, Zipf};

/// Pages at insert or visit points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct MovingPages {
    /// Points.
    pub(super) points: u32,
    /// Rows, or visits, of a page until the next one is begun.
    pub(super) rows_per_page: u32,
    /// Points that the draws of a transaction go round; 0: each draw picks one.
    pub(super) home_points: u32,
}

/// The page of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// The page.
    pub page: u32,
    /// The page was allocated just now: it is touched without being read.
    pub fresh: bool,
}

/// What moves on as places are found: the state of the classes that do not draw pages outright.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// Insert and visit points.
    pub(super) points: Points,
    /// Index pages that split and merge.
    pub index_pages: IndexPages,
    /// The same, in the order of their keys.
    pub index_leaves: IndexLeaves,
}

impl Places {
    /// Purge has removed an entry from this page of an index.
    pub fn entry_removed(&mut self, page: u32) -> Removal {
        self.index_pages.removed(page).unwrap_or_else(|| self.index_leaves.removed(page))
    }

    /// The same where the removal waits in the change buffer: what is merged into a page later never makes it merge with another.
    pub fn entry_gone(&mut self, page: u32) {
        if !self.index_pages.entry_gone(page) {
            self.index_leaves.entry_gone(page);
        }
    }

    /// Entries that a page of an index has room for, if its layout is known.
    pub fn room_on(&self, page: u32) -> Option<u32> {
        self.index_pages.room_on(page).or_else(|| self.index_leaves.room_on(page))
    }
}

/// With a tag of its own, which is looked at several times a touch: one hidden in a field would have to be worked out.
#[derive(Debug, Clone)]
#[repr(u8)]
enum Draw {
    /// Runs of equal length: set and page from one random word, with these bounds and [`Rng::reject_below`] of them.
    UniformEqual([u32; 2], u64),
    Uniform,
    NuRand(NuRandPages),
    OfHome(PagesOfHomes),
    Zipf {
        ranks: Zipf,
        scatter: Scatter,
    },
    Pareto(SysbenchPareto),
    HotSpot {
        hot_pages: u32,
        hot_threshold: u64,
    },
    Append {
        points: Column,
        rows_per_page: u32,
        home_points: u32,
        spare: Vec<PageRun>,
    },
    Walk {
        points: Column,
        rows_per_page: u32,
        home_points: u32,
        stretch: f64,
    },
    Index {
        /// Draws the ranges of entries.
        keys: Box<AccessClass>,
        split_redo_bytes: f64,
    },
    Leaves {
        what: LeafDraw,
        split_redo_bytes: f64,
        merge_redo_bytes: f64,
    },
}

/// A compiled access class.
#[derive(Debug, Clone)]
pub struct AccessClass {
    runs: Vec<PageRun>,
    draw: Draw,
    resident: ResidentPart,
    inserts: Inserts,
}

/// How many rows of the latest were inserted in this run, point by point; counted up to a limit.
#[derive(Debug, Clone, Default)]
struct Inserts {
    limit: u8,
    counts: Vec<u8>,
    /// Points that have not reached the limit.
    counting: u32,
}

impl Inserts {
    #[cold]
    fn count(&mut self, point: u32) {
        let count = &mut self.counts[point as usize];
        if *count < self.limit {
            *count += 1;
            self.counting -= u32::from(*count == self.limit);
        }
    }
}

/// How much of the runs of a class was seen to be resident: whole runs, then pages of the next.
#[derive(Debug, Clone, Copy, Default)]
struct ResidentPart {
    runs: usize,
    pages: u32,
}

impl AccessClass {
    /// Compiles a class that draws from `runs` (one a page set). `rng` places insert points inside their pages; they
    /// are kept among `places`.
    pub fn new(spec: &DrawSpec, runs: Vec<PageRun>, places: &mut Places, rng: &mut Rng) -> Self {
        let pages = runs.iter().map(|r| r.pages).min().unwrap_or(1).max(1);
        let draw = match *spec {
            DrawSpec::Uniform if runs.iter().all(|run| run.pages == pages) => {
                let bounds = [runs.len() as u32, pages];
                Draw::UniformEqual(bounds, Rng::reject_below(&bounds))
            }
            DrawSpec::Uniform => Draw::Uniform,
            DrawSpec::NuRand { a, range, groups, constants, at_home } => {
                Draw::NuRand(NuRandPages::new(a, range, groups, constants, at_home, &runs, rng))
            }
            DrawSpec::OfHome { homes, pages } => Draw::OfHome(PagesOfHomes::new(homes, pages, rng)),
            DrawSpec::Zipf { theta } => Draw::Zipf {
                ranks: Zipf::new(u64::from(pages), theta),
                scatter: Scatter::new(u64::from(pages), rng.next_u64()),
            },
            DrawSpec::Pareto { h } => Draw::Pareto(SysbenchPareto::new(u64::from(pages), h)),
            DrawSpec::HotSpot { hot_pages, hot_accesses } => Draw::HotSpot {
                hot_pages: ((f64::from(pages) * hot_pages) as u32).clamp(1, pages),
                hot_threshold: Rng::threshold_of(hot_accesses),
            },
            DrawSpec::Append { points, rows_per_page, home_points } => Draw::Append {
                home_points: home_points.min(points),
                points: places.points.place(PointUse::Append, &runs, points, rows_per_page, rng),
                rows_per_page,
                spare: vec![PageRun { first: 0, pages: 0 }; runs.len()],
            },
            DrawSpec::Walk { points, rows_per_page, home_points, stretch } => {
                let home_points = home_points.min(points);
                let points = places.points.place(PointUse::Walk, &runs, points, rows_per_page, rng);
                Draw::Walk { points, rows_per_page, home_points, stretch }
            }
            DrawSpec::Index { entries_a_page, filled, dirties_latched, ref keys, split_redo_bytes } => {
                let layout = IndexLayout { entries_a_page, filled, dirties_latched };
                let ranges = places.index_pages.place(&runs, layout, rng);
                let keys = keys.as_deref().unwrap_or(&DrawSpec::Uniform);
                let keys = Box::new(AccessClass::new(keys, ranges, places, rng));
                Draw::Index { keys, split_redo_bytes }
            }
            DrawSpec::Leaves { ref age, what, split_redo_bytes, merge_redo_bytes, dirties_latched } => {
                places.index_leaves.place(&runs, age, dirties_latched, rng);
                Draw::Leaves { what, split_redo_bytes, merge_redo_bytes }
            }
        };
        AccessClass { runs, draw, resident: ResidentPart::default(), inserts: Inserts::default() }
    }

    /// Counts the inserts at each point of an `Append` class, up to `limit`, for [`AccessClass::older_of`].
    pub fn count_inserts(&mut self, limit: u8) {
        if let Draw::Append { points, .. } = &self.draw {
            let limit = limit.max(self.inserts.limit);
            self.inserts = Inserts { limit, counts: vec![0; points.len as usize], counting: points.len };
        }
    }

    /// Of `count` pages that belong to the last `rows` rows at the home's point, those that no insert of this run
    /// touched.
    #[inline]
    pub fn older_of(&self, who: Drawer, rows: u8, count: u32) -> u32 {
        if self.inserts.counting == 0 {
            return 0;
        }
        let (point, _) = digit(who.home, self.inserts.counts.len() as u32);
        count * u32::from(rows.saturating_sub(self.inserts.counts[point as usize])) / u32::from(rows.max(1))
    }

    /// Whether what is drawn are pages; otherwise they are places, for [`AccessClass::move_on`] or
    /// [`AccessClass::find_entry`].
    pub fn draws_pages(&self) -> bool {
        !matches!(self.draw, Draw::Append { .. } | Draw::Walk { .. }) && !self.draws_entries()
    }

    /// Whether all pages that it can draw for this home are resident for good, so that reading them leaves no trace.
    #[inline]
    pub fn is_resident_for(&mut self, who: Drawer, pool: &BufferPool) -> bool {
        if pool.frames.evicts() {
            return false;
        }
        while let Some(run) = self.runs.get(self.resident.runs) {
            let end = run.first + run.pages;
            let reached = pool.pages.resident_up_to(run.first + self.resident.pages, end);
            if reached < end {
                self.resident.pages = reached - run.first;
                return match &self.draw {
                    Draw::NuRand(nurand) if nurand.at_home => pool.range_resident(nurand.home_range(who, &self.runs)),
                    Draw::OfHome(homes) => pool.range_resident(homes.range(who, &self.runs)),
                    _ => false,
                };
            }
            self.resident = ResidentPart { runs: self.resident.runs + 1, pages: 0 };
        }
        true
    }

    /// Draws as many pages, or places, as `pages` holds, and asks the processor for what touching, or finding, them will look
    /// at.
    #[inline]
    pub fn draw(&self, who: Drawer, rng: &mut Rng, pages: &mut [u32], places: &Places, pool: &BufferPool) {
        match &self.draw {
            Draw::Append { points, home_points: 1, .. } | Draw::Walk { points, home_points: 1, .. } => {
                let (point, _) = digit(who.home, points.len);
                pages.fill(point);
                places.points.prefetch(*points, point);
            }
            Draw::Append { points, .. } | Draw::Walk { points, .. } => {
                self.fill_asking(who, rng, pages, |point| places.points.prefetch(*points, point));
            }
            Draw::Index { keys, .. } => keys.fill_asking(who, rng, pages, |range| places.index_pages.prefetch(range)),
            Draw::Leaves { what, .. } => pages.fill_with(|| places.index_leaves.draw(*what, rng)),
            _ => self.fill_asking(who, rng, pages, |page| pool.pages.prefetch(page)),
        }
    }

    /// Draws as many pages, or places, as `pages` holds; of entries of an index leaf by leaf, nothing.
    #[inline]
    pub fn fill(&self, who: Drawer, rng: &mut Rng, pages: &mut [u32]) {
        self.fill_asking(who, rng, pages, |_| ());
    }

    /// The same, with a word to `ask` about each as it is drawn.
    #[inline]
    fn fill_asking(&self, who: Drawer, rng: &mut Rng, pages: &mut [u32], ask: impl Fn(u32)) {
        match &self.draw {
            Draw::UniformEqual(bounds, reject_below) => {
                let mut own = rng.clone();
                for page in pages {
                    let [set, place] = own.below_each(*bounds, *reject_below);
                    *page = self.runs[set as usize].first + place;
                    ask(*page);
                }
                *rng = own;
            }
            Draw::NuRand(nurand) => nurand.fill(who, rng, &self.runs, pages, ask),
            Draw::Uniform => self.fill_with(rng, pages, ask, |run, rng| rng.below(run.pages)),
            Draw::Zipf { ranks, scatter } => {
                self.fill_with(rng, pages, ask, |_, rng| scatter.apply(ranks.sample(rng)) as u32);
            }
            Draw::Pareto(pareto) => self.fill_with(rng, pages, ask, |_, rng| pareto.sample(rng) as u32),
            Draw::HotSpot { hot_pages, hot_threshold } => self.fill_with(rng, pages, ask, |run, rng| {
                let cold = run.pages - *hot_pages;
                if cold == 0 || rng.bernoulli(*hot_threshold) {
                    rng.below(*hot_pages)
                } else {
                    *hot_pages + rng.below(cold)
                }
            }),
            Draw::OfHome(homes) => {
                homes.fill(who, &self.runs, pages);
                pages.iter().for_each(|&page| ask(page));
            }
            Draw::Index { keys, .. } => keys.fill_asking(who, rng, pages, ask),
            Draw::Leaves { .. } => {}
            Draw::Append { points, home_points, .. } | Draw::Walk { points, home_points, .. } => {
                match *home_points {
                    0 => pages.fill_with(|| rng.below(points.len)),
                    block => {
                        let first = digit(who.home, points.len / block).0 * block;
                        pages.iter_mut().zip(0..).for_each(|(page, nth)| *page = first + nth % block);
                    }
                }
                pages.iter().for_each(|&page| ask(page));
            }
        }
    }

    #[inline]
    fn fill_with(&self, rng: &mut Rng, pages: &mut [u32], ask: impl Fn(u32), draw: impl Fn(&PageRun, &mut Rng) -> u32) {
        for page in pages {
            let set = if self.runs.len() == 1 { 0 } else { rng.below(self.runs.len() as u32) };
            let run = &self.runs[set as usize];
            *page = run.first + draw(run, rng);
            ask(*page);
        }
    }

    /// How often its pages in a set of `pages` are drawn by a touch of `fewest` to `most` draws, where their place says so.
    fn page_law(&self, (fewest, most): (u32, u32), pages: u32) -> PageLaw {
        match &self.draw {
            Draw::UniformEqual(..)
            | Draw::Uniform
            | Draw::Append { .. }
            | Draw::Walk { .. }
            | Draw::Index { .. }
            | Draw::Leaves { .. }
            | Draw::Zipf { .. } => PageLaw::Flat,
            Draw::NuRand(nurand) => PageLaw::ByKey(nurand.law((fewest, most))),
            Draw::OfHome(homes) => homes.law(most, &self.runs),
            Draw::Pareto(pareto) => {
                let mut end = 0;
                let stretch = |(len, probability)| {
                    end += len as u32;
                    Stretch { end, rate: probability * f64::from(pages) }
                };
                PageLaw::ByPlace(pareto.spectrum().into_iter().map(stretch).collect())
            }
            Draw::HotSpot { hot_pages, hot_threshold } => {
                let hot = (*hot_pages).min(pages);
                let to_hot = if hot == pages { 1.0 } else { *hot_threshold as f64 / (1u64 << 53) as f64 };
                let rate = |share: f64, own: u32| share * f64::from(pages) / f64::from(own.max(1));
                PageLaw::ByPlace(vec![
                    Stretch { end: hot, rate: rate(to_hot, hot) },
                    Stretch { end: pages, rate: rate(1.0 - to_hot, pages - hot) },
                ])
            }
        }
    }

    /// How often every `step`-th page of a set of `pages` is drawn by a touch of `draws` (fewest, most), relative to the mean of
    /// the set; nothing where the place of a page does not say.
    pub(super) fn relative_rates(&self, draws: (u32, u32), pages: u32, step: u32) -> Option<Vec<f64>> {
        if let Draw::Zipf { ranks, scatter } = &self.draw {
            let mut all = vec![0.0; pages as usize];
            let mut rank = 0;
            for (len, probability) in ranks.spectrum() {
                for rank in rank..rank + len {
                    all[scatter.apply(rank) as usize] = probability * f64::from(pages);
                }
                rank += len;
            }
            return Some(all.into_iter().step_by(step as usize).collect());
        }
        match self.page_law(draws, pages) {
            PageLaw::Flat => None,
            law => Some((0..pages).step_by(step as usize).map(|page| law.at(page, pages)).collect()),
        }
    }

    /// The pages at its insert or visit points, if it has any.
    pub(super) fn moving_pages(&self) -> Option<MovingPages> {
        match self.draw {
            Draw::Append { points, rows_per_page, home_points, .. }
            | Draw::Walk { points, rows_per_page, home_points, .. } => {
                Some(MovingPages { points: points.len, rows_per_page, home_points })
            }
            _ => None,
        }
    }

    /// The pages at its insert or visit points.
    pub(super) fn pages_of_points<'a>(&self, places: &'a Places) -> impl Iterator<Item = u32> + use<'a> {
        let points = match self.draw {
            Draw::Append { points, .. } | Draw::Walk { points, .. } => Some(points),
            _ => None,
        };
        points.into_iter().flat_map(|points| places.points.pages(points))
    }

    /// Its insert points stand on these pages, one by one.
    pub(crate) fn inserts_go_on(&self, places: &mut Places, mut pages: impl FnMut() -> Option<u32>) {
        let Draw::Append { points, .. } = self.draw else { return };
        for number in 0..points.len {
            if let Some(page) = pages() {
                places.points.get(points, number).page = page;
            }
        }
    }

    /// Pages among which its visit points go round, at most one a point; none of its insert points, which go on to new ones.
    pub(super) fn visited_pages(&self) -> Option<u32> {
        let Draw::Walk { points, stretch, .. } = self.draw else { return None };
        let pages = |run: &PageRun| (f64::from(run.pages) * stretch) as u32;
        Some(self.runs.iter().map(pages).sum::<u32>().clamp(1, points.len))
    }

    /// The ranges of an index that it draws, so many and in stretches from 0 on, with how often each is drawn relative to their
    /// mean.
    pub(super) fn rates_of_ranges(&self, draws: (u32, u32), ranges: u32) -> Vec<(PageRun, f64)> {
        let law = match &self.draw {
            Draw::Index { keys, .. } => keys.relative_rates(draws, ranges, 1),
            _ => None,
        };
        match law {
            Some(relative) => (0..).map(|first| PageRun { first, pages: 1 }).zip(relative).collect(),
            None => vec![(PageRun { first: 0, pages: ranges }, 1.0)],
        }
    }

    /// Whether it draws ranges of entries of an index whose pages split.
    #[inline]
    pub fn draws_ranges(&self) -> bool {
        matches!(self.draw, Draw::Index { .. })
    }

    /// Whether it draws entries of an index whose pages split.
    #[inline]
    pub fn draws_entries(&self) -> bool {
        matches!(self.draw, Draw::Index { .. } | Draw::Leaves { .. })
    }

    /// Whether it draws entries of an index leaf by leaf.
    #[inline]
    pub(super) fn draws_leaves(&self) -> bool {
        matches!(self.draw, Draw::Leaves { .. })
    }

    /// Finds an entry that was drawn, on the second of two halves if it is `upper` and nothing else says so; another is
    /// inserted next to it if `inserts`.
    #[inline]
    pub fn find_entry(&self, place: u32, upper: bool, inserts: bool, places: &mut Places) -> FoundEntry {
        if self.draws_leaves() {
            places.index_leaves.find(place, inserts)
        } else {
            places.index_pages.find(place, upper, inserts)
        }
    }

    /// The neighbours that were latched with a page that has split at this place, where they become dirty.
    pub fn latched_to_split(&self, place: u32, begun: u32, places: &Places) -> [Option<u32>; 2] {
        if self.draws_leaves() {
            places.index_leaves.latched_to_split(place, begun)
        } else {
            places.index_pages.latched_to_split(place)
        }
    }

    /// Redo payload of a page that splits, and of half a page that merges, bytes, where pages do.
    pub fn split_and_merge_redo_bytes(&self) -> Option<[f64; 2]> {
        match self.draw {
            Draw::Index { split_redo_bytes, .. } => Some([split_redo_bytes; 2]),
            Draw::Leaves { split_redo_bytes, merge_redo_bytes, .. } => Some([split_redo_bytes, merge_redo_bytes]),
            _ => None,
        }
    }

    /// Finds the pages of insert or visit points that were drawn, in order, and puts them in place of the points: inserts a row at
    /// each, or moves on along existing pages. Calls `found` with each page as it is found.
    #[inline]
    pub fn move_on(
        &mut self,
        drawn: &mut [u32],
        places: &mut Places,
        space: &mut PageSpace,
        instance_of: &dyn Fn(u32, u32) -> u32,
        mut found: impl FnMut(Found, &mut PageSpace),
    ) {
        let (Draw::Append { points, rows_per_page, .. } | Draw::Walk { points, rows_per_page, .. }) = self.draw else {
            return;
        };
        for place in drawn {
            if self.inserts.counting > 0 {
                self.inserts.count(*place);
            }
            let point = places.points.get(points, *place);
            let mut fresh = false;
            if point.rows < rows_per_page {
                point.rows += 1;
            } else {
                let own = own_pages(*place as usize, points.len as usize, &self.runs);
                let page;
                (page, fresh) = self.page_after(own, point.page, space, instance_of);
                *point = Point { page, rows: 1 };
            }
            *place = point.page;
            found(Found { page: point.page, fresh }, space);
        }
    }

    /// The page of a point is full, or visited often enough: the page to which the point moves, and whether it is a new
    /// one.
    fn page_after(
        &mut self,
        (set, own): (usize, PageRun),
        page: u32,
        space: &mut PageSpace,
        instance_of: &dyn Fn(u32, u32) -> u32,
    ) -> (u32, bool) {
        match &mut self.draw {
            Draw::Append { spare, .. } => {
                let spare = &mut spare[set];
                if spare.pages == 0 {
                    *spare = PageRun { first: space.extend_beside(page, instance_of), pages: EXTENT_PAGES };
                }
                let next = spare.first;
                *spare = PageRun { first: next + 1, pages: spare.pages - 1 };
                (next, true)
            }
            Draw::Walk { stretch, .. } => {
                let pages = (f64::from(own.pages) * *stretch).ceil() as u32;
                (if page + 1 < own.first + pages { page + 1 } else { own.first }, false)
            }
            _ => (page, false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::HomePages;

    #[test]
    fn a_home_has_pages_of_its_own() {
        let mut space = PageSpace::default();
        let runs: Vec<_> = (0..2).map(|set| space.add(set, 120, &|_, _| 0)).collect();
        let class = |pages| {
            let mut rng = Rng::stream(7, 0, "homes");
            let spec = DrawSpec::OfHome { homes: 20, pages };
            AccessClass::new(&spec, runs.clone(), &mut Places::default(), &mut rng)
        };
        let at = |home: u32| Drawer { client: 0, home: (u64::MAX / 20 + 1) * u64::from(home) };
        let drawn = |class: &AccessClass, home: u32, count: usize| {
            let mut pages = vec![0; count];
            class.fill(at(home), &mut Rng::stream(1, 1, "unused"), &mut pages);
            pages
        };
        let in_order = class(HomePages::InOrder);
        let first = |home: u32| runs[home as usize / 10].first + home % 10 * 12;
        for home in 0..20 {
            assert_eq!(drawn(&in_order, home, 3), [first(home), first(home) + 1, first(home) + 2]);
        }
        assert_eq!(drawn(&in_order, 3, 14)[12..], [first(3), first(3) + 1], "round again");
        let scattered = class(HomePages::Scattered { groups: 4 });
        for home in 0..20 {
            let group = runs[home as usize / 10].first + home % 10 / 5 * 60;
            let pages = drawn(&scattered, home, 50);
            assert!(pages.iter().all(|page| (group..group + 60).contains(page)), "home {home}: {pages:?}");
            assert_eq!(drawn(&scattered, home, 20), pages[..20], "the same each time");
        }
        assert_ne!(drawn(&scattered, 0, 50), drawn(&scattered, 1, 50), "neighbours have others");
    }

    #[test]
    fn inserts_make_recent_rows_known() {
        let mut rng = Rng::stream(7, 0, "inserts");
        let mut space = PageSpace::default();
        let run = space.add(9, 64, &|_, _| 0);
        let mut places = Places::default();
        let spec = DrawSpec::Append { points: 2, rows_per_page: 8, home_points: 1 };
        let mut class = AccessClass::new(&spec, vec![run], &mut places, &mut rng);
        class.count_inserts(3);
        let [here, there] = [0, u64::MAX].map(|home| Drawer { client: 0, home });
        let mut insert = |class: &mut AccessClass, who| {
            let mut place = [0];
            class.fill(who, &mut rng, &mut place);
            class.move_on(&mut place, &mut places, &mut space, &|_, _| 0, |_, _| ());
        };
        assert_eq!(class.older_of(here, 3, 30), 30);
        insert(&mut class, here);
        assert_eq!([class.older_of(here, 3, 30), class.older_of(there, 3, 30)], [20, 30]);
        assert_eq!(class.older_of(here, 1, 30), 0, "fewer rows than were inserted");
        (0..5).for_each(|_| insert(&mut class, here));
        assert_eq!([class.older_of(here, 3, 30), class.older_of(there, 3, 30)], [0, 30]);
        (0..3).for_each(|_| insert(&mut class, there));
        assert_eq!(class.older_of(there, 3, 30), 0);
    }
}
