//! What a transaction will touch: its pages, drawn all together as it begins.
//!
//! A client's draws therefore do not depend on what it meets. Reads draw from a stream of their own: where all pages
//! that a class can draw are resident for good, reading them leaves no trace, and they are not drawn.
//!
//! Inserts, visits and entries of indexes that split draw places. Their pages are found when the transaction's CPU work
//! is done, just before it touches the first page. That is also why all is drawn earlier: what a transaction will look
//! at lies anywhere in megabytes, the processor is asked for it as it is drawn, and has it by then.
//!
//! A page that an insert begins takes a frame as it is found, if there is a free one, so that others who insert there
//! find it. Simplifications: insert and visit points move on when the pages are found, a little before they are touched
//! if the transaction has to wait on the way (no effect on how many pages are touched); pages that splits begin are
//! touched after all others.

use crate::buffer_pool::{BufferPool, PageSpace};
use crate::kernel::time::SimTime;
use crate::redo::RedoLog;
use crate::server::base::Base;
use crate::server::clients::{Client, Clients};
use crate::server::engine::Engine;
use crate::server::machine::Machine;
use crate::server::machine::ids::ClientId;
use crate::workload::homes::Drawer;
use crate::workload::program::{Program, Touch, TransactionKind};

/// The pages of one touch; they follow those of the run before.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    /// Place behind the last of them.
    end: u32,
    /// Number of the touch among those of the transaction.
    pub(in crate::server) touch: u32,
    /// Whether the pages are modified.
    pub(in crate::server) modify: bool,
    /// Whether pages were drawn, not places.
    draws_pages: bool,
    /// Redo of modifying each of them, and of the transaction up to the last of them.
    pub(in crate::server) redo_fixed: u64,
    redo_up_to: u64,
}

/// The pages of a transaction, and how far it is with them.
#[derive(Debug, Clone, Default)]
pub(super) struct Plan {
    /// Whether all places that were drawn have become pages.
    found: bool,
    /// Room for the pages of any transaction, and how many are drawn.
    pages: Box<[u32]>,
    len: usize,
    runs: Vec<Run>,
    /// How many of the runs were drawn; pages that splits begin follow them.
    drawn: usize,
    /// Redo of all runs.
    redo: u64,
    /// Whether some pages are read only.
    reads: bool,
    /// The pages that no file holds yet: they need no read.
    fresh: Vec<u32>,
    /// Those that splits of the touch in hand have begun.
    begun_by_splits: Vec<u32>,
    /// The next page, and the run that it belongs to.
    place: usize,
    run: usize,
}

impl Plan {
    /// A plan with room for the pages of any transaction of the program.
    pub(in crate::server) fn new(program: &Program) -> Self {
        let of_touch = |touch: &Touch| touch.max as usize * if touch.split.is_some() { 2 } else { 1 };
        let pages = |kind: &TransactionKind| kind.touches.iter().map(of_touch).sum();
        let most = program.kinds.iter().map(pages).max().unwrap_or(0);
        Plan { pages: vec![0; most].into(), ..Plan::default() }
    }

    /// A new transaction begins.
    pub(in crate::server) fn clear(&mut self) {
        (self.found, self.len, self.drawn, self.redo) = (false, 0, 0, 0);
        (self.reads, self.place, self.run) = (false, 0, 0);
        self.runs.clear();
        self.fresh.clear();
    }

    /// The next page, if any is left.
    pub(super) fn next_page(&self) -> Option<u32> {
        self.rest().first().copied()
    }

    /// The pages that are left.
    #[inline]
    pub(in crate::server) fn rest(&self) -> &[u32] {
        &self.pages[self.place..self.len]
    }

    /// What is done with the next page; `None` at the end.
    #[inline]
    pub(super) fn next_run(&self) -> Option<Run> {
        self.runs.get(self.run).copied()
    }

    /// Place of the next page.
    #[inline]
    pub(in crate::server) fn place(&self) -> usize {
        self.place
    }

    /// Redo of the transaction's modifications before the next page.
    #[inline]
    pub(in crate::server) fn redo_fixed(&self) -> u64 {
        match self.runs.get(self.run) {
            Some(run) => run.redo_up_to - run.redo_fixed * (run.end as usize - self.place) as u64,
            None => self.redo,
        }
    }

    /// So many pages are touched.
    #[inline]
    pub(in crate::server) fn pass(&mut self, pages: usize) {
        self.place += pages;
        while self.runs.get(self.run).is_some_and(|run| run.end as usize <= self.place) {
            self.run += 1;
        }
    }

    /// Whether a page was begun by this transaction.
    pub(super) fn is_fresh(&self, page: u32) -> bool {
        self.fresh.contains(&page)
    }

    /// The pages of each touch.
    pub(in crate::server) fn runs(&self) -> impl Iterator<Item = (&[u32], Run)> {
        let starts = std::iter::once(0).chain(self.runs.iter().map(|run| run.end));
        starts.zip(&self.runs).map(|(start, run)| (&self.pages[start as usize..run.end as usize], *run))
    }

    /// Calls `note` with the pages modified since the transaction was at place `from`, some at a time.
    #[inline]
    pub(super) fn modified_since(&self, from: usize, mut note: impl FnMut(&[u32])) {
        if !self.reads {
            return note(&self.pages[from..self.place]);
        }
        let mut start = 0;
        for run in &self.runs {
            let end = (run.end as usize).min(self.place);
            if run.modify && start.max(from) < end {
                note(&self.pages[start.max(from)..end]);
            }
            start = end;
        }
    }

    /// The pages modified since the transaction was at place `from`, and whether that took redo of its own.
    pub(super) fn changes_since(&self, from: usize) -> impl Iterator<Item = (u32, bool)> {
        let places = self.runs().flat_map(|(pages, run)| pages.iter().map(move |&page| (page, run)));
        let passed = places.take(self.place).skip(from).filter(|(_, run)| run.modify);
        passed.map(|(page, run)| (page, run.redo_fixed >= RedoLog::fixed(1.0)))
    }

    /// Room for `count` more pages.
    #[inline]
    fn room(&mut self, count: u32) -> &mut [u32] {
        let from = self.len;
        self.len += count as usize;
        &mut self.pages[from..self.len]
    }

    /// The pages drawn since there were `start` are those of a touch.
    #[inline]
    fn end_run(&mut self, start: usize, touch: &Touch, number: usize) {
        let pages = self.len - start;
        if pages > 0 {
            self.reads |= !touch.modify;
            self.redo += touch.redo_fixed * pages as u64;
            self.runs.push(Run {
                end: self.len as u32,
                touch: number as u32,
                modify: touch.modify,
                draws_pages: touch.draws_pages,
                redo_fixed: touch.redo_fixed,
                redo_up_to: self.redo,
            });
        }
    }

    /// The pages that splits have begun are created, so they are not read.
    #[inline]
    fn add_split_pages(&mut self, pool: &BufferPool) {
        for nth in 0..self.begun_by_splits.len() {
            let page = self.begun_by_splits[nth];
            self.room(1)[0] = page;
            if !pool.pages.is_resident(page) {
                self.fresh.push(page);
            }
        }
        self.begun_by_splits.clear();
    }
}

impl Clients {
    /// Draws the pages of a client's transaction, or the places where they will be found.
    #[inline]
    pub(super) fn draw_plan(&mut self, client_id: ClientId, engine: &mut Engine) {
        let Engine { base: Base { machine: Machine { pool, .. }, .. }, program, .. } = engine;
        let Clients { list, touches: touches_so_far, .. } = self;
        let Client { plan, rng, read_rng, kind, home, .. } = &mut list[client_id];
        plan.clear();
        let Program { kinds, classes, places, .. } = program;
        let who = Drawer { client: client_id.0, home: *home };
        let (evicts, mut drawn) = (pool.frames.evicts(), 0);
        for (number, touch) in kinds[*kind as usize].touches.iter().enumerate() {
            let &Touch { min, max, threshold, recent, draws_pages, .. } = touch;
            if threshold.is_some_and(|t| !rng.bernoulli(t)) {
                continue;
            }
            let mut count = if min == max { min } else { rng.range_inclusive(min, max) };
            drawn += u64::from(count);
            if let Some(recent) = recent
                && !evicts
            {
                count = classes[recent.class as usize].older_of(who, recent.rows, count);
            }
            let class = &mut classes[touch.class as usize];
            let reads_pages = draws_pages && !touch.modify;
            if reads_pages && class.is_resident_for(who, pool) {
                continue;
            }
            let start = plan.len;
            class.draw(who, if reads_pages { read_rng } else { rng }, plan.room(count), places, pool);
            plan.end_run(start, touch, number);
        }
        *touches_so_far += drawn;
    }

    /// Finds the pages of the places that were drawn for a client's transaction, if that is not yet done. The pages that
    /// splits begin come last.
    #[inline]
    pub(super) fn find_pages(&mut self, client_id: ClientId, engine: &mut Engine) {
        let Engine { base: Base { machine, .. }, changes, program, .. } = engine;
        let Machine { pool, space, model, now, redo, .. } = machine;
        let Client { plan, kind, home, .. } = &mut self.list[client_id];
        if std::mem::replace(&mut plan.found, true) {
            return;
        }
        let Program { kinds, classes, places, .. } = program;
        let instance_of = |space: u32, page: u32| model.instance_of(space, page);
        let touches = &kinds[*kind as usize].touches;
        plan.drawn = plan.runs.len();
        let mut start = 0;
        for run in 0..plan.drawn {
            let Run { end, touch, draws_pages, .. } = plan.runs[run];
            let from = std::mem::replace(&mut start, end);
            if draws_pages {
                continue;
            }
            let touch = &touches[touch as usize];
            let Plan { pages, fresh, begun_by_splits, .. } = &mut *plan;
            let drawn = &mut pages[from as usize..end as usize];
            let class = &mut classes[touch.class as usize];
            if class.draws_entries() {
                let inserts = touch.split.is_some();
                let buffer = changes.as_ref().filter(|_| touch.bufferable.is_some());
                for (nth, place) in (from..).zip(drawn) {
                    // A home's leading digits are in use; the others are as random.
                    let upper = *home >> (nth % u32::BITS) & 1 != 0;
                    let found = class.find_entry(*place, upper, inserts, places);
                    if let Some(begun) = found.split {
                        let latched = class.latched_to_split(*place, begun, places).into_iter().flatten();
                        latched.for_each(|page| pool.latched(page, redo.current_lsn(), space, *now));
                    }
                    *place = found.page;
                    pool.pages.prefetch(found.page);
                    if let Some(buffer) = buffer {
                        buffer.prefetch(found.page);
                    }
                    begun_by_splits.extend(found.split);
                }
            } else {
                class.move_on(drawn, places, space, &instance_of, |found, space| {
                    pool.pages.prefetch(found.page);
                    if found.fresh {
                        fresh.push(found.page);
                        begin_page(found.page, pool, space, *now);
                    }
                });
            }
            if let Some(split) = touch.split {
                let start = plan.len;
                plan.add_split_pages(pool);
                plan.end_run(start, &touches[usize::from(split)], usize::from(split));
            }
        }
    }
}

/// A page that no file holds yet is drawn.
#[cold]
fn begin_page(page: u32, pool: &mut BufferPool, space: &PageSpace, now: SimTime) {
    pool.grow(space, now);
    if !pool.frames.evicts() && pool.frames.take(space.instance_of(page)) {
        pool.page_arrived(page, space, now);
    }
}
