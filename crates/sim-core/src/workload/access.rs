//! Which pages are touched: access classes, compiled for speed.
//!
//! An access class draws pages from one or more page sets of equal kind (the same index of each of sysbench's tables).
//! This decides everything else: the number of distinct pages in a window of redo is the write working set (design
//! section 2, point 3).
//!
//! * Key draws (NURand, Pareto) lay keys in order over the pages of the set, as a clustered index does.
//! * `Append` inserts at the end of growing runs. A full page is followed by a new one, allocated in whole extents shared
//!   by the runs of the class; a new page needs no read.
//! * `Walk` visits existing pages in order, from `points` places at once.
//!
//! Simplifications: the draws of one transaction are independent of each other; inserts into the middle of an index
//! (random secondary keys) do not split pages, so such an index keeps its number of pages (errs towards fewer distinct
//! pages, by under 1 % an hour in the shipped workloads).

use super::spec::DrawSpec;
use crate::buffer_pool::{PageRun, PageSpace};
use crate::kernel::random::Rng;
use crate::kernel::sampler::{NuRand, Scatter, SysbenchPareto, Zipf};

/// One draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drawn {
    /// The page.
    pub page: u32,
    /// The page was allocated just now: it is touched without being read.
    pub fresh: bool,
}

/// A place where rows are inserted or visited one after the other.
#[derive(Debug, Clone, Copy)]
struct Point {
    page: u32,
    rows: u32,
}

#[derive(Debug, Clone)]
enum Draw {
    Uniform,
    NuRand { keys: NuRand, range: u32, groups: u32, constants: Vec<u32>, pages_per_key_fp: u64 },
    Zipf { ranks: Zipf, scatter: Scatter },
    Pareto(SysbenchPareto),
    HotSpot { hot_pages: u32, hot_threshold: u64 },
    Append { points: Vec<Point>, rows_per_page: u32, spare: Vec<PageRun> },
    Walk { points: Vec<Point>, rows_per_page: u32 },
}

/// A compiled access class.
#[derive(Debug, Clone)]
pub struct AccessClass {
    runs: Vec<PageRun>,
    draw: Draw,
}

impl AccessClass {
    /// Compiles a class that draws from `runs` (one a page set). `rng` places insert points inside their pages.
    pub fn new(spec: &DrawSpec, runs: Vec<PageRun>, rng: &mut Rng) -> Self {
        let pages = runs.iter().map(|r| r.pages).min().unwrap_or(1).max(1);
        let draw = match *spec {
            DrawSpec::Uniform => Draw::Uniform,
            DrawSpec::NuRand { a, range, groups, constants } => Draw::NuRand {
                keys: NuRand::new(a, range),
                range,
                constants: (0..constants.max(1)).map(|_| rng.range_inclusive(0, a) % range).collect(),
                groups,
                pages_per_key_fp: (u64::from(pages) << 40) / (u64::from(range) * u64::from(groups)),
            },
            DrawSpec::Zipf { theta } => Draw::Zipf {
                ranks: Zipf::new(u64::from(pages), theta),
                scatter: Scatter::new(u64::from(pages), rng.next_u64()),
            },
            DrawSpec::Pareto { h } => Draw::Pareto(SysbenchPareto::new(u64::from(pages), h)),
            DrawSpec::HotSpot { hot_pages, hot_accesses } => Draw::HotSpot {
                hot_pages: ((f64::from(pages) * hot_pages) as u32).clamp(1, pages),
                hot_threshold: Rng::threshold_of(hot_accesses),
            },
            DrawSpec::Append { points, rows_per_page } => Draw::Append {
                points: place_points(&runs, points, rows_per_page, rng),
                rows_per_page,
                spare: vec![PageRun { first: 0, pages: 0 }; runs.len()],
            },
            DrawSpec::Walk { points, rows_per_page } => {
                Draw::Walk { points: place_points(&runs, points, rows_per_page, rng), rows_per_page }
            }
        };
        AccessClass { runs, draw }
    }

    /// Whether draws may allocate pages.
    pub fn grows(&self) -> bool {
        matches!(self.draw, Draw::Append { .. })
    }

    /// Draws a page for a client.
    #[inline]
    pub fn draw(
        &mut self,
        client: u32,
        rng: &mut Rng,
        space: &mut PageSpace,
        instance_of: &dyn Fn(u32, u32) -> u32,
    ) -> Drawn {
        let page = match &mut self.draw {
            Draw::Uniform => {
                let run = pick(&self.runs, rng);
                run.first + rng.below(run.pages)
            }
            Draw::NuRand { keys, range, groups, constants, pages_per_key_fp } => {
                let run = pick(&self.runs, rng);
                let shifted = keys.sample(rng) + constants[client as usize % constants.len()];
                let in_group = if shifted >= *range { shifted - *range } else { shifted };
                let key = u64::from(rng.below(*groups)) * u64::from(*range) + u64::from(in_group);
                run.first + ((key * *pages_per_key_fp) >> 40) as u32
            }
            Draw::Zipf { ranks, scatter } => pick(&self.runs, rng).first + scatter.apply(ranks.sample(rng)) as u32,
            Draw::Pareto(pareto) => pick(&self.runs, rng).first + pareto.sample(rng) as u32,
            Draw::HotSpot { hot_pages, hot_threshold } => {
                let run = pick(&self.runs, rng);
                let cold = run.pages - *hot_pages;
                if cold == 0 || rng.bernoulli(*hot_threshold) {
                    run.first + rng.below(*hot_pages)
                } else {
                    run.first + *hot_pages + rng.below(cold)
                }
            }
            Draw::Append { points, rows_per_page, spare } => {
                let index = rng.below(points.len() as u32) as usize;
                let spare = &mut spare[index % self.runs.len()];
                return append(&mut points[index], *rows_per_page, spare, space, instance_of);
            }
            Draw::Walk { points, rows_per_page } => {
                let index = rng.below(points.len() as u32) as usize;
                walk(&mut points[index], *rows_per_page, self.runs[index % self.runs.len()])
            }
        };
        Drawn { page, fresh: false }
    }
}

#[inline]
fn pick(runs: &[PageRun], rng: &mut Rng) -> PageRun {
    if runs.len() == 1 { runs[0] } else { runs[rng.below(runs.len() as u32) as usize] }
}

/// Spreads `points` evenly over the pages of the runs, point `i` in run `i mod runs`, each with its page filled to a random
/// degree.
fn place_points(runs: &[PageRun], points: u32, rows_per_page: u32, rng: &mut Rng) -> Vec<Point> {
    let runs_len = runs.len() as u32;
    let per_run = points.div_ceil(runs_len).max(1);
    (0..points)
        .map(|i| {
            let run = runs[(i % runs_len) as usize];
            let offset = u64::from(i / runs_len) * u64::from(run.pages) / u64::from(per_run);
            Point { page: run.first + offset as u32, rows: rng.below(rows_per_page.max(1)) }
        })
        .collect()
}

fn append(
    point: &mut Point,
    rows_per_page: u32,
    spare: &mut PageRun,
    space: &mut PageSpace,
    instance_of: &dyn Fn(u32, u32) -> u32,
) -> Drawn {
    if point.rows < rows_per_page {
        point.rows += 1;
        return Drawn { page: point.page, fresh: false };
    }
    if spare.pages == 0 {
        let first = space.extend_beside(point.page, instance_of);
        *spare = PageRun { first, pages: crate::buffer_pool::EXTENT_PAGES };
    }
    *point = Point { page: spare.first, rows: 1 };
    *spare = PageRun { first: spare.first + 1, pages: spare.pages - 1 };
    Drawn { page: point.page, fresh: true }
}

fn walk(point: &mut Point, rows_per_page: u32, run: PageRun) -> u32 {
    if point.rows >= rows_per_page {
        let next = point.page + 1;
        *point = Point { page: if next < run.first + run.pages { next } else { run.first }, rows: 0 };
    }
    point.rows += 1;
    point.page
}
