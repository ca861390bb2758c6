//! What a transaction will touch: its pages, drawn all together before the first of them is touched.
//!
//! A client's draws therefore do not depend on what it meets. Reads draw from a stream of their own: where all pages
//! that a class can draw are resident for good, reading them leaves no trace, and they are not drawn.
//!
//! A page that an insert begins takes a frame as it is drawn, if there is a free one, so that others who insert there
//! find it. Simplification: insert and visit points move on when a transaction is drawn, a little before it touches
//! their pages if it has to wait on the way (no effect on how many pages are touched).

use super::Server;
use super::clients::Clients;
use crate::buffer_pool::{BufferPool, PageSpace};
use crate::kernel::time::SimTime;
use crate::workload::access::Drawer;
use crate::workload::program::{Program, Touch, TransactionKind};

/// The pages of one touch; they follow those of the run before.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    /// Place behind the last of them.
    end: u32,
    /// Number of the touch among those of the transaction.
    pub(super) touch: u32,
    /// Whether the pages are modified.
    pub(super) modify: bool,
    /// Redo of modifying each of them, and of the transaction up to the last of them.
    pub(super) redo_fixed: u64,
    redo_up_to: u64,
}

/// The pages of a transaction, and how far it is with them.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    drawn: bool,
    /// Room for the pages of any transaction, and how many are drawn.
    pages: Box<[u32]>,
    len: usize,
    runs: Vec<Run>,
    /// Whether some pages are read only.
    reads: bool,
    /// The pages that no file holds yet: they need no read.
    fresh: Vec<u32>,
    /// Pages that splits of the touch being drawn have begun.
    split: Vec<u32>,
    /// The next page, and the run that it belongs to.
    place: usize,
    run: usize,
}

impl Plan {
    /// A plan with room for the pages of any transaction of the program.
    pub(super) fn new(program: &Program) -> Self {
        let of_touch = |touch: &Touch| touch.max as usize * if touch.split.is_some() { 2 } else { 1 };
        let pages = |kind: &TransactionKind| kind.touches.iter().map(of_touch).sum();
        let most = program.kinds.iter().map(pages).max().unwrap_or(0);
        Plan {
            drawn: false,
            pages: vec![0; most].into(),
            len: 0,
            runs: Vec::new(),
            reads: false,
            fresh: Vec::new(),
            split: Vec::new(),
            place: 0,
            run: 0,
        }
    }

    /// A new transaction begins.
    pub(super) fn clear(&mut self) {
        (self.drawn, self.len, self.reads, self.place, self.run) = (false, 0, false, 0, 0);
        self.runs.clear();
        self.fresh.clear();
    }

    /// The next page, if any is left.
    pub(super) fn next_page(&self) -> Option<u32> {
        self.rest().first().copied()
    }

    /// The pages that are left.
    #[inline]
    pub(super) fn rest(&self) -> &[u32] {
        &self.pages[self.place..self.len]
    }

    /// What is done with the next page; `None` at the end.
    #[inline]
    pub(super) fn next_run(&self) -> Option<Run> {
        self.runs.get(self.run).copied()
    }

    /// Place of the next page.
    #[inline]
    pub(super) fn place(&self) -> usize {
        self.place
    }

    /// Redo of the transaction's modifications before the next page.
    #[inline]
    pub(super) fn redo_fixed(&self) -> u64 {
        match self.runs.get(self.run) {
            Some(run) => run.redo_up_to - run.redo_fixed * (run.end as usize - self.place) as u64,
            None => self.runs.last().map_or(0, |run| run.redo_up_to),
        }
    }

    /// So many pages are touched.
    #[inline]
    pub(super) fn pass(&mut self, pages: usize) {
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
    pub(super) fn runs(&self) -> impl Iterator<Item = (&[u32], Run)> {
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

    /// Room for `count` more pages.
    #[inline]
    fn room(&mut self, count: u32) -> &mut [u32] {
        let from = self.len;
        self.len += count as usize;
        &mut self.pages[from..self.len]
    }

    /// The same, and where to put the pages that splits begin meanwhile.
    #[inline]
    fn room_and_splits(&mut self, count: u32) -> (&mut [u32], &mut Vec<u32>) {
        let from = self.len;
        self.len += count as usize;
        (&mut self.pages[from..self.len], &mut self.split)
    }

    /// The pages drawn last are those of a touch.
    #[inline]
    fn end_run(&mut self, touch: &Touch, number: usize) {
        let (start, redo) = self.runs.last().map_or((0, 0), |run| (run.end as usize, run.redo_up_to));
        let pages = self.len - start;
        if pages > 0 {
            self.reads |= !touch.modify;
            self.runs.push(Run {
                end: self.len as u32,
                touch: number as u32,
                modify: touch.modify,
                redo_fixed: touch.redo_fixed,
                redo_up_to: redo + touch.redo_fixed * pages as u64,
            });
        }
    }

    /// The pages that were split on the way of a touch follow it. They are created, so none is read.
    fn add_split_pages(&mut self, touch: &Touch, number: u16, pool: &BufferPool) {
        for place in 0..self.split.len() {
            let page = self.split[place];
            self.room(1)[0] = page;
            if !pool.is_resident(page) {
                self.fresh.push(page);
            }
        }
        self.split.clear();
        self.end_run(touch, usize::from(number));
    }

    /// A page that no file holds yet is drawn.
    #[cold]
    fn begin_page(&mut self, page: u32, pool: &mut BufferPool, space: &PageSpace, now: SimTime) {
        self.fresh.push(page);
        pool.grow(space, now);
        if !pool.evicts() && pool.take_frame(space.instance_of(page)) {
            pool.page_arrived(page, space, now);
        }
    }
}

impl Server {
    /// Draws the pages of a client's transaction, if that is not yet done.
    #[inline]
    pub(super) fn draw_plan(&mut self, client_number: u32) {
        let Server { clients, program, pool, space, model, now, .. } = self;
        let Clients { list, touches: touches_so_far, .. } = clients;
        let client = &mut list[client_number as usize];
        let plan = &mut client.plan;
        if std::mem::replace(&mut plan.drawn, true) {
            return;
        }
        let Program { kinds, classes, points, index_pages, .. } = program;
        let who = Drawer { client: client_number, home: client.home };
        for (number, touch) in kinds[client.kind as usize].touches.iter().enumerate() {
            let &Touch { min, max, threshold, recent, .. } = touch;
            if threshold.is_some_and(|t| !client.rng.bernoulli(t)) {
                continue;
            }
            let mut count = if min == max { min } else { client.rng.range_inclusive(min, max) };
            *touches_so_far += u64::from(count);
            if let Some(recent) = recent
                && !pool.evicts()
            {
                count = classes[recent.class as usize].older_of(who, recent.rows, count);
            }
            let class = &mut classes[touch.class as usize];
            if class.split_redo_bytes().is_some() {
                let (pages, split) = plan.room_and_splits(count);
                class.draw_entries(who, touch.split.is_some(), &mut client.rng, index_pages, pages, split);
            } else if !touch.draws_ahead {
                for left in (0..count).rev() {
                    let instance_of = |space: u32, page: u32| model.instance_of(space, page);
                    let drawn = class.advance(who, left, &mut client.rng, points, space, &instance_of);
                    plan.room(1)[0] = drawn.page;
                    if drawn.fresh {
                        plan.begin_page(drawn.page, pool, space, *now);
                    }
                }
            } else if touch.modify {
                class.fill(who, &mut client.rng, plan.room(count));
            } else if !class.is_resident_for(who, pool) {
                class.fill(who, &mut client.read_rng, plan.room(count));
            }
            plan.end_run(touch, number);
            if let Some(split) = touch.split {
                plan.add_split_pages(&kinds[client.kind as usize].touches[usize::from(split)], split, pool);
            }
        }
    }
}
