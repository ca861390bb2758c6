//! A start in the middle of the work, from cohorts of dirty pages: which pages are dirty is drawn, how many of each class of rate
//! in each stretch of redo is given. No source: nothing here is of a server.
//!
//! Simplifications: points stand where a run begins; pages that they have left lie anywhere among the pages that are modified least.

use super::engine::Engine;
use crate::buffer_pool::{BufferPool, PageRun, PageSpace};
use crate::kernel::random::Rng;
use crate::kernel::time::SimTime;
use crate::workload::PageClass;

/// Pages between the one that becomes dirty and the one for which the processor is asked.
const PAGES_AHEAD: usize = 12;

/// Dirty pages by stretch of redo and class.
#[derive(Debug, Clone, Default)]
pub struct DirtyCohorts {
    /// Transactions so far.
    pub transactions: f64,
    /// Stretches, oldest first.
    pub stretches: Vec<DirtyStretch>,
}

/// Pages that became dirty in a stretch of redo.
#[derive(Debug, Clone, Default)]
pub struct DirtyStretch {
    /// Redo from its beginning to the end of the log, bytes.
    pub begin_age: f64,
    /// The same from its end.
    pub end_age: f64,
    /// Pages of each class.
    pub by_class: Vec<f64>,
    /// Pages that insert points have left.
    pub left: f64,
}

/// Makes pages dirty before the run begins.
pub(super) fn make_dirty(engine: &mut Engine, classes: &[PageClass], cohorts: &DirtyCohorts, rng: &mut Rng) {
    let (program, machine) = (&mut engine.program, &mut engine.base.machine);
    let mut unmodified = Unmodified::of(classes, machine.space.pages());
    for class in &program.classes {
        class.inserts_go_on(&mut program.places, || unmodified.next(&machine.pool));
    }
    let room =
        |stretch: &DirtyStretch| Vec::with_capacity((1.1 * stretch.by_class.iter().sum::<f64>()).max(0.0) as usize);
    let mut pages: Vec<Vec<u32>> = cohorts.stretches.iter().map(room).collect();
    for (number, class) in classes.iter().enumerate() {
        let mut runs = class.runs.clone();
        runs.extend(class.halves_of.iter().filter_map(|run| program.places.index_pages.halves_of(*run)));
        runs.extend(class.points_of.into_iter().flat_map(|points| program.pages_of_points(points)));
        draw_class(number, &runs, cohorts, &mut pages, rng);
    }
    let left = cohorts.stretches.iter().map(|stretch| stretch.left.round() as usize);
    machine.pool.dirty.reserve(pages.iter().map(Vec::len).chain(left).sum());
    let current = machine.redo.current_lsn();
    for (stretch, mut own) in cohorts.stretches.iter().zip(pages) {
        own.extend((0..stretch.left.round() as u64).filter_map(|_| unmodified.next(&machine.pool)));
        modify(stretch, own, current, &machine.space, &mut machine.pool, rng);
    }
}

/// Draws the dirty pages of a class, and the stretch of each.
fn draw_class(number: usize, runs: &[PageRun], cohorts: &DirtyCohorts, pages: &mut [Vec<u32>], rng: &mut Rng) {
    let mut sum = 0.0;
    let up_to = |stretch: &DirtyStretch| {
        sum += stretch.by_class[number].max(0.0);
        sum
    };
    let cumulative: Vec<f64> = cohorts.stretches.iter().map(up_to).collect();
    let there: f64 = runs.iter().map(|run| f64::from(run.pages)).sum();
    if sum <= 0.0 || there <= 0.0 {
        return;
    }
    let threshold = Rng::threshold_of((sum / there).min(1.0));
    // Where the search for a stretch begins, by what is drawn.
    let share = |part: usize| part as f64 / cumulative.len() as f64 * sum;
    let begins = |part: usize| cumulative.partition_point(|up_to| *up_to <= share(part));
    let begins: Vec<usize> = (0..=cumulative.len()).map(|part| begins(part).saturating_sub(1)).collect();
    for page in runs.iter().flat_map(|run| run.first..run.first + run.pages) {
        if rng.bernoulli(threshold) {
            let draw = rng.uniform_f64();
            let mut stretch = begins[(draw * cumulative.len() as f64) as usize];
            while stretch + 1 < cumulative.len() && cumulative[stretch] <= draw * sum {
                stretch += 1;
            }
            pages[stretch].push(page);
        }
    }
}

/// Pages that no class has, one after the other: those that points have left are modified no more.
struct Unmodified {
    modified: Vec<PageRun>,
    next: u32,
    pages: u32,
}

impl Unmodified {
    fn of(classes: &[PageClass], pages: u32) -> Self {
        let mut modified: Vec<PageRun> = classes.iter().flat_map(|class| &class.runs).copied().collect();
        modified.sort_unstable_by_key(|run| std::cmp::Reverse(run.first));
        Unmodified { modified, next: 0, pages }
    }

    fn next(&mut self, pool: &BufferPool) -> Option<u32> {
        while self.next < self.pages {
            let page = self.next;
            match self.modified.last() {
                Some(run) if run.first + run.pages <= page => {
                    self.modified.pop();
                }
                Some(run) if run.first <= page => self.next = run.first + run.pages,
                _ => {
                    self.next += 1;
                    if pool.pages.is_resident(page) && !pool.pages.is_dirty(page) {
                        return Some(page);
                    }
                }
            }
        }
        None
    }
}

/// The pages of a stretch become dirty, in random order.
fn modify(
    stretch: &DirtyStretch,
    mut own: Vec<u32>,
    current: u64,
    space: &PageSpace,
    pool: &mut BufferPool,
    rng: &mut Rng,
) {
    for left in (1..own.len()).rev() {
        own.swap(left, rng.below(left as u32 + 1) as usize);
    }
    let step = (stretch.begin_age - stretch.end_age) / own.len().max(1) as f64;
    for (nth, &page) in own.iter().enumerate() {
        own.get(nth + PAGES_AHEAD).into_iter().for_each(|next| pool.pages.prefetch(*next));
        let age = stretch.begin_age - step * nth as f64;
        pool.modify(page, current.saturating_sub(age as u64), space, SimTime::ZERO);
    }
}
