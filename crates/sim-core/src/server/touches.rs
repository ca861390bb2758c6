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
use super::change_buffer::Buffered;
use super::check::Checker;
use super::clients::{Client, Clients};
use super::events::Event;
use super::history::Undo;
use crate::buffer_pool::{BufferPool, Modification, PageSpace};
use crate::kernel::time::SimTime;
use crate::redo::RedoLog;
use crate::workload::Points;
use crate::workload::access::{AccessClass, Drawer, Drawn};
use crate::workload::program::{Program, Touch};

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

impl Met {
    fn new(drawn: Drawn, touch: &Touch) -> Self {
        Met { page: drawn.page, fresh: drawn.fresh, touch: *touch }
    }
}

/// How far a client is with the touches of its transaction.
#[derive(Debug, Clone, Default)]
pub(super) struct Progress {
    /// The next of the transaction's touches, and how many pages of the one before it are left.
    next: u32,
    left: u32,
    /// Pages drawn; where some are left, those from `taken` to `drawn` come first.
    pages: [u32; AHEAD],
    taken: u32,
    drawn: u32,
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

    /// Of `left` pages of a touch, `drawn` are drawn and all before `place` touched; the one there is met. What is behind it is
    /// kept for later.
    #[cold]
    fn stop(&mut self, left: u32, place: usize, drawn: u32) -> Drawn {
        (self.left, self.taken, self.drawn) = (left - 1, place as u32 + 1, drawn);
        Drawn { page: self.pages[place], fresh: false }
    }
}

/// What became of one touch.
enum Touched {
    Done,
    Wait,
}

/// The parts of the machine that touches need as long as nothing has to wait.
struct FastPath<'a> {
    index: u32,
    pool: &'a mut BufferPool,
    redo: &'a mut RedoLog,
    space: &'a mut PageSpace,
    check: Option<&'a mut Checker>,
    points: &'a mut Points,
    instance_of: &'a dyn Fn(u32, u32) -> u32,
    now: SimTime,
}

impl FastPath<'_> {
    /// Touches `left` pages of a class; returns the first that needs the slow path.
    #[inline]
    fn touch(&mut self, client: &mut Client, class: &mut AccessClass, touch: &Touch, left: u32) -> Option<Drawn> {
        match touch {
            Touch { draws_ahead: false, .. } => self.touch_next(client, class, touch, left),
            Touch { modify: true, .. } => self.modify_drawn(client, class, touch, left),
            _ => self.read_drawn(client, class, left),
        }
    }

    /// Goes on in the middle of a touch.
    #[cold]
    fn resume(&mut self, client: &mut Client, class: &mut AccessClass, touch: &Touch) -> Option<Drawn> {
        let Progress { left, taken, drawn, pages, .. } = client.progress;
        client.progress.left = 0;
        let ahead = if touch.draws_ahead { &pages[taken as usize..drawn as usize] } else { &[] };
        let done = match touch.modify {
            true => self.modify(&mut client.wrote, &mut client.undo, ahead, touch),
            false => self.read(ahead),
        };
        if done < ahead.len() {
            return Some(client.progress.stop(left - done as u32, taken as usize + done, drawn));
        }
        self.touch(client, class, touch, left - done as u32)
    }

    /// Touches pages of a class that does not draw ahead.
    #[inline]
    fn touch_next(
        &mut self,
        client: &mut Client,
        class: &mut AccessClass,
        touch: &Touch,
        mut left: u32,
    ) -> Option<Drawn> {
        let who = Drawer { client: self.index, home: client.home };
        while left > 0 {
            left -= 1;
            let drawn = class.advance(who, left, &mut client.rng, self.points, self.space, self.instance_of);
            if drawn.fresh {
                self.pool.grow(self.space, self.now);
            }
            let done = !drawn.fresh
                && match touch.modify {
                    true => self.modify(&mut client.wrote, &mut client.undo, &[drawn.page], touch) == 1,
                    false => self.pool.read(drawn.page, self.space, self.now),
                };
            if !done {
                client.progress.left = left;
                return Some(drawn);
            }
        }
        None
    }

    /// Modifies pages of a class that draws ahead.
    #[inline]
    fn modify_drawn(
        &mut self,
        client: &mut Client,
        class: &AccessClass,
        touch: &Touch,
        mut left: u32,
    ) -> Option<Drawn> {
        let who = Drawer { client: self.index, home: client.home };
        while left > 0 {
            let count = left.min(AHEAD as u32);
            let pages = &mut client.progress.pages[..count as usize];
            class.fill(who, &mut client.rng, pages);
            let done = self.modify(&mut client.wrote, &mut client.undo, pages, touch);
            if done < pages.len() {
                return Some(client.progress.stop(left - done as u32, done, count));
            }
            left -= count;
        }
        None
    }

    /// Reads pages of a class that draws ahead.
    #[inline]
    fn read_drawn(&mut self, client: &mut Client, class: &mut AccessClass, mut left: u32) -> Option<Drawn> {
        let who = Drawer { client: self.index, home: client.home };
        while left > 0 && !class.is_resident_for(who, self.pool) {
            let count = left.min(AHEAD as u32);
            let pages = &mut client.progress.pages[..count as usize];
            class.fill(who, &mut client.read_rng, pages);
            let done = self.read(pages);
            if done < pages.len() {
                return Some(client.progress.stop(left - done as u32, done, count));
            }
            left -= count;
        }
        None
    }

    /// Reads pages in order up to the first that needs the slow path; returns how many.
    #[inline]
    fn read(&mut self, pages: &[u32]) -> usize {
        if self.pool.all_resident(pages) {
            return pages.len();
        }
        let missing = pages.iter().position(|&page| !self.pool.read(page, self.space, self.now));
        missing.unwrap_or(pages.len())
    }

    /// Modifies pages in order, up to the first that needs the slow path; returns how many.
    #[inline(always)]
    fn modify(&mut self, wrote: &mut bool, undo: &mut Undo, pages: &[u32], touch: &Touch) -> usize {
        let (redo, redo_fixed) = (&self.redo, touch.redo_fixed);
        let lsn = |place| redo.lsn_after(redo_fixed * place as u64);
        let done = self.pool.modify_run(pages, lsn, self.space, self.now);
        if done > 0 {
            *wrote = true;
            if touch.purge_visit > 0 {
                undo.note(touch.purge_visit, &pages[..done]);
            }
            self.redo.append(redo_fixed * done as u64);
            self.redo.note_modified(&pages[..done]);
            if let Some(checker) = &mut self.check {
                let lsn = self.redo.current_lsn();
                pages[..done].iter().for_each(|&page| checker.note_newest(page, lsn));
            }
        }
        done
    }
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
        let Server { clients, program, pool, redo, space, model, check, now, .. } = self;
        let Clients { list, touches, .. } = clients;
        let Program { kinds, classes, points, .. } = program;
        let client = &mut list[index as usize];
        let kind = &kinds[client.kind as usize];
        let instance_of = |space: u32, page: u32| model.instance_of(space, page);
        let mut parts =
            FastPath { index, pool, redo, space, check: check.as_mut(), points, instance_of: &instance_of, now: *now };
        if client.progress.left > 0
            && let Some(touch) = kind.touches.get(client.progress.next as usize - 1)
            && let Some(drawn) = parts.resume(client, &mut classes[touch.class as usize], touch)
        {
            return Some(Met::new(drawn, touch));
        }
        while let Some(touch) = kind.touches.get(client.progress.next as usize) {
            client.progress.next += 1;
            if touch.threshold.is_some_and(|t| !client.rng.bernoulli(t)) {
                continue;
            }
            let span = touch.max - touch.min;
            let mut count = if span == 0 { touch.min } else { client.rng.range_inclusive(touch.min, touch.max) };
            *touches += u64::from(count);
            if let Some(recent) = touch.recent
                && !parts.pool.evicts()
            {
                let who = Drawer { client: index, home: client.home };
                count = classes[recent.class as usize].older_of(who, recent.rows, count);
            }
            if let Some(drawn) = parts.touch(client, &mut classes[touch.class as usize], touch, count) {
                return Some(Met::new(drawn, touch));
            }
        }
        None
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
            // Others may have met it meanwhile and left changes for it.
            self.merge_changes(page);
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
                self.clients.list[index as usize].wrote(page, touch.purge_visit);
                Touched::Done
            }
            Modification::Miss => {
                if touch.bufferable {
                    match self.buffer_change(index, page, touch.redo_fixed) {
                        Buffered::Done => {
                            self.clients.list[index as usize].wrote(page, touch.purge_visit);
                            return Touched::Done;
                        }
                        Buffered::Wait => return self.wait_with(index, met),
                        Buffered::No => {}
                    }
                }
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
