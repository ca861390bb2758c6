//! Page touches: what a transaction reads and modifies, in order. The hot loop of the simulator.
//!
//! Source: `innodb-8.0.21` sections 2.3 and 8. A read needs the page in the pool; a modification needs it there and not under
//! write, makes a clean page dirty and appends redo. Nearly all touches meet a resident page that is dirty already; they
//! are made in runs, without leaving the loop. What meets something else ([`Met`]) takes the slow path and may have to wait.
//!
//! Pages are drawn some at a time. Pages behind one that must wait are kept, so that a client's draws do not depend on what
//! it meets. Reads draw from a stream of their own: where all pages that a class can draw are resident for good, they leave no
//! trace and are not drawn.

use super::Server;
use super::events::Event;
use crate::buffer_pool::Modification;
use crate::kernel::random::Rng;
use crate::workload::access::{Drawer, Drawn};
use crate::workload::program::{Touch, TransactionKind};

/// Pages drawn at once.
const AHEAD: usize = 16;

/// A page that could not be touched as nearly all can: new, missing or under write.
#[derive(Debug, Clone, Copy)]
pub(super) struct Met {
    /// The page.
    pub(super) page: u32,
    fresh: bool,
    touch: Touch,
}

/// How far a client is with the touches of its transaction.
#[derive(Debug, Clone, Default)]
pub(super) struct Progress {
    /// Position in the transaction's touches, and touches left of the one before it.
    next: u32,
    left: u32,
    /// Pages drawn: those from `taken` to `drawn` are not touched yet, and among those that are left.
    taken: u32,
    drawn: u32,
    pages: [u32; AHEAD],
    /// The touch that waits.
    pending: Option<Met>,
}

impl Progress {
    /// A new transaction begins.
    pub(super) fn restart(&mut self) {
        (self.next, self.left) = (0, 0);
    }

    /// The touch that waits.
    pub(super) fn pending(&self) -> Option<Met> {
        self.pending
    }

    /// The touch to go on with: the one in progress, or the next that happens; `None` at the end.
    #[inline]
    fn touch<'a>(&mut self, kind: &'a TransactionKind, rng: &mut Rng) -> Option<&'a Touch> {
        while self.left == 0 {
            let touch = kind.touches.get(self.next as usize)?;
            self.next += 1;
            if touch.threshold.is_some_and(|t| !rng.bernoulli(t)) {
                continue;
            }
            self.left = if touch.min == touch.max { touch.min } else { rng.range_inclusive(touch.min, touch.max) };
        }
        kind.touches.get(self.next as usize - 1)
    }

    /// Pages drawn and not touched yet.
    #[inline]
    fn ahead(&self) -> &[u32] {
        &self.pages[self.taken as usize..self.drawn as usize]
    }

    /// `count` of the pages drawn are touched.
    #[inline]
    fn take(&mut self, count: usize) {
        self.taken += count as u32;
        self.left -= count as u32;
    }
}

/// What became of one touch.
enum Touched {
    Done,
    Wait,
}

impl Server {
    /// Touches pages until the transaction has no more; false if the client must wait for a page.
    pub(super) fn touch_pages(&mut self, index: u32) -> bool {
        if let Some(pending) = self.clients.list[index as usize].progress.pending.take()
            && matches!(self.touch_one(index, pending), Touched::Wait)
        {
            return false;
        }
        while let Some(met) = self.touch_on(index) {
            if matches!(self.touch_one(index, met), Touched::Wait) {
                return false;
            }
        }
        true
    }

    /// Touches pages until one needs the slow path; `None` at the end of the transaction.
    fn touch_on(&mut self, index: u32) -> Option<Met> {
        let kind = self.clients.list[index as usize].kind;
        loop {
            let client = &mut self.clients.list[index as usize];
            let &touch = client.progress.touch(&self.program.kinds[kind as usize], &mut client.rng)?;
            let met = match touch {
                Touch { draws_ahead: false, .. } => self.touch_next(index, &touch),
                Touch { modify: true, .. } => self.modify_drawn(index, &touch),
                _ => self.read_drawn(index, &touch),
            };
            if let Some(Drawn { page, fresh }) = met {
                return Some(Met { page, fresh, touch });
            }
        }
    }

    /// Touches pages of a class that does not draw ahead; returns the first that needs the slow path.
    #[inline]
    fn touch_next(&mut self, index: u32, touch: &Touch) -> Option<Drawn> {
        let model = &self.model;
        let instance_of = |space: u32, page: u32| model.instance_of(space, page);
        let client = &mut self.clients.list[index as usize];
        let who = Drawer { client: index, home: client.home };
        let class = &mut self.program.classes[touch.class as usize];
        while client.progress.left > 0 {
            client.progress.left -= 1;
            self.clients.touches += 1;
            let nth = client.progress.left;
            let points = &mut self.program.points;
            let drawn = class.advance(who, nth, &mut client.rng, points, &mut self.space, &instance_of);
            if drawn.fresh {
                self.pool.grow(&self.space, self.now);
                return Some(drawn);
            }
            if touch.modify {
                let redo = &self.redo;
                let lsn = |_| redo.current_lsn();
                if self.pool.modify_run(&[drawn.page], lsn, &self.space, self.now) == 0 {
                    return Some(drawn);
                }
                client.wrote = true;
                self.redo.append(touch.redo_fixed);
                self.redo.note_modified(&[drawn.page]);
                if let Some(checker) = &mut self.check {
                    checker.note_newest(drawn.page, self.redo.current_lsn());
                }
            } else if !self.pool.read(drawn.page, &self.space, self.now) {
                return Some(drawn);
            }
        }
        None
    }

    /// Modifies pages of a class that draws ahead; returns the first that needs the slow path.
    #[inline]
    fn modify_drawn(&mut self, index: u32, touch: &Touch) -> Option<Drawn> {
        let client = &mut self.clients.list[index as usize];
        let progress = &mut client.progress;
        if progress.ahead().is_empty() {
            let count = progress.left.min(AHEAD as u32);
            let who = Drawer { client: index, home: client.home };
            let class = &self.program.classes[touch.class as usize];
            class.fill(who, &mut client.rng, &mut progress.pages[..count as usize]);
            (progress.taken, progress.drawn) = (0, count);
        }
        let pages = progress.ahead();
        let redo = &self.redo;
        let lsn = |place| redo.lsn_after(touch.redo_fixed * place as u64);
        let done = self.pool.modify_run(pages, lsn, &self.space, self.now);
        let met = pages.get(done).map(|&page| Drawn { page, fresh: false });
        if done > 0 {
            client.wrote = true;
            self.redo.append(touch.redo_fixed * done as u64);
            self.redo.note_modified(&pages[..done]);
            if let Some(checker) = &mut self.check {
                let lsn = self.redo.current_lsn();
                pages[..done].iter().for_each(|&page| checker.note_newest(page, lsn));
            }
        }
        let touched = done + usize::from(met.is_some());
        progress.take(touched);
        self.clients.touches += touched as u64;
        met
    }

    /// Reads pages of a class that draws ahead; returns the first that needs the slow path.
    #[inline]
    fn read_drawn(&mut self, index: u32, touch: &Touch) -> Option<Drawn> {
        let client = &mut self.clients.list[index as usize];
        let progress = &mut client.progress;
        let class = &mut self.program.classes[touch.class as usize];
        if progress.ahead().is_empty() {
            let who = Drawer { client: index, home: client.home };
            if class.is_resident_for(who, &self.pool) {
                self.clients.touches += u64::from(std::mem::take(&mut progress.left));
                return None;
            }
            let count = progress.left.min(AHEAD as u32);
            class.fill(who, &mut client.read_rng, &mut progress.pages[..count as usize]);
            (progress.taken, progress.drawn) = (0, count);
        }
        let pages = progress.ahead();
        let missing = if self.pool.all_resident(pages) {
            None
        } else {
            pages.iter().position(|&page| !self.pool.read(page, &self.space, self.now))
        };
        let met = missing.map(|place| Drawn { page: pages[place], fresh: false });
        let touched = missing.map_or(pages.len(), |place| place + 1);
        progress.take(touched);
        self.clients.touches += touched as u64;
        met
    }

    /// Touches one page on the slow path: it may be new, missing or under write.
    fn touch_one(&mut self, index: u32, met: Met) -> Touched {
        let Met { page, fresh, touch } = met;
        if fresh && !self.pool.is_resident(page) {
            // While its creator waited for a frame, another client may have met the page and begun to read it.
            if let Some(&arrives) = self.clients.reads.get(&page) {
                self.calendar.schedule(arrives, Event::Body(index));
                return self.wait_with(index, met);
            }
            if !self.find_frame(index, page) {
                return self.wait_with(index, met);
            }
            self.pool.page_arrived(page, &self.space, self.now);
        }
        if !touch.modify {
            if self.pool.read(page, &self.space, self.now) {
                return Touched::Done;
            }
            self.read_page(index, page);
            return self.wait_with(index, met);
        }
        match self.pool.modify(page, self.redo.current_lsn(), &self.space, self.now) {
            Modification::Done => {
                self.redo.append(touch.redo_fixed);
                self.redo.note_modified(&[page]);
                if let Some(checker) = &mut self.check {
                    checker.note_newest(page, self.redo.current_lsn());
                }
                self.clients.list[index as usize].wrote = true;
                Touched::Done
            }
            Modification::Miss => {
                self.read_page(index, page);
                self.wait_with(index, met)
            }
            Modification::Blocked if self.page_write_over(index, page) => self.touch_one(index, met),
            Modification::Blocked => self.wait_with(index, met),
        }
    }

    fn wait_with(&mut self, index: u32, met: Met) -> Touched {
        self.clients.list[index as usize].progress.pending = Some(met);
        Touched::Wait
    }
}
