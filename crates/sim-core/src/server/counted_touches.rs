//! Touches of pages that are counted by bin: only those are drawn that meet something other than a dirty page.
//!
//! Source: `innodb-8.0.21` sections 2.3 and 8, as for single pages ([`super::touches`]). A touch that meets a hot page costs
//! redo and nothing else, so a run of them is one step ([`crate::buffer_pool`] knows how many). What meets a clean page makes
//! it dirty; a page that is missing is read, and one under write is waited for, by the same actors as for single pages. What
//! was drawn when a client begins to wait is settled when it comes back; its later draws meet the states of then.

use super::Server;
use crate::buffer_pool::{BufferPool, MetPage};
use crate::workload::program::{Touch, Ways};

/// Draws of one touch that are left.
#[derive(Debug, Clone, Copy)]
struct CountedRun {
    way: u16,
    /// Number of the touch among those of the transaction.
    touch: u16,
    draws: u32,
    left: u32,
    /// How many times as often as any draw of its way each of them meets something.
    times: f64,
}

/// What a transaction draws from bins, and how far it is with that.
#[derive(Debug, Clone, Default)]
pub(super) struct CountedPlan {
    runs: Vec<CountedRun>,
    run: usize,
    /// The page that the next draw has met, and that it waits for.
    met: Option<Met>,
}

/// A page that a draw has met.
#[derive(Debug, Clone, Copy)]
struct Met {
    page: u32,
    /// It was under write; otherwise it was missing.
    under_write: bool,
}

impl CountedPlan {
    /// A new transaction begins.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.runs.clear();
        (self.run, self.met) = (0, None);
    }

    /// Adds so many draws of a touch; those that can't meet anything are left out. Where the pages of a home lie in layers,
    /// the first ones are drawn whole.
    #[inline]
    pub(super) fn add(
        &mut self,
        (number, touch, ways): (usize, &Touch, Ways),
        draws: u32,
        home: u64,
        pool: &mut BufferPool,
    ) {
        let of_layer = touch.max.div_ceil(u32::from(ways.layers));
        let mut left = draws;
        for way in ways.first..ways.first + ways.layers {
            let here = if ways.layers == 1 { left } else { left.min(of_layer) };
            if here > 0 && (touch.modify || !pool.counted().is_resident(way)) {
                let (new, times) = if touch.modify { (here, 1.0) } else { pool.read_at_home(way, home, here) };
                if new > 0 {
                    self.runs.push(CountedRun { way, touch: number as u16, draws: here, left: new, times });
                }
            }
            left -= here;
        }
    }

    /// The page that it waits for.
    #[inline]
    pub(super) fn met(&self) -> Option<u32> {
        self.met.map(|met| met.page)
    }

    /// All draws of the transaction: the way, the number of the touch, and how many.
    pub(super) fn draws(&self) -> impl Iterator<Item = (u16, usize, u32)> {
        self.runs.iter().map(|run| (run.way, usize::from(run.touch), run.draws))
    }

    fn next(&self) -> Option<CountedRun> {
        self.runs.get(self.run).copied()
    }

    /// The touch that the next draw belongs to.
    #[inline]
    pub(super) fn next_touch(&self) -> Option<u32> {
        self.next().map(|run| u32::from(run.touch))
    }

    #[inline]
    fn pass(&mut self, draws: u32) {
        let run = &mut self.runs[self.run];
        run.left -= draws;
        self.run += usize::from(run.left == 0);
    }
}

/// Why a transaction does not go on with its draws.
enum Stopped {
    /// It has no more of them, or a page comes before them.
    AtEnd,
    /// It has met a page that it must wait for.
    AtPage,
    /// The redo log is short of room: the free check comes before the next modification.
    ForRoom,
}

impl Server {
    /// Touches counted pages until the transaction has no more, or comes to one that is not counted; false if the client must
    /// wait.
    #[inline]
    pub(super) fn touch_counted(&mut self, client_number: u32, unchecked: &mut u64) -> bool {
        if self.pool.counted().is_empty() {
            return true;
        }
        loop {
            if !self.settle_met(client_number) {
                return false;
            }
            match self.draw_on(client_number, unchecked) {
                Stopped::AtEnd => return true,
                Stopped::AtPage => {}
                Stopped::ForRoom if !self.may_write(client_number) => return false,
                Stopped::ForRoom => {}
            }
        }
    }

    /// Draws until something stops it. As for single pages, it looks at the limits only where the redo of the transaction
    /// might reach them.
    fn draw_on(&mut self, client_number: u32, unchecked: &mut u64) -> Stopped {
        let Server { clients, program, pool, redo, batches, .. } = self;
        let client = &mut clients.list[client_number as usize];
        let kind = &program.kinds[client.kind as usize];
        let limit_lsn = clients.free_check_limit_lsn.min(redo.room_up_to(kind.max_redo_bytes));
        let near_limit = redo.current_lsn() + kind.max_redo_bytes * 9 / 8 > limit_lsn;
        let before = client.plan.before_pages();
        let plan = &mut client.plan.counted;
        let (mut redo_fixed, mut modified) = (0, 0);
        let stopped = loop {
            let Some(run) = plan.next().filter(|run| u32::from(run.touch) < before) else { break Stopped::AtEnd };
            let row_over = near_limit && *unchecked + redo_fixed >= kind.row_redo_fixed;
            if row_over && redo.lsn_after(redo_fixed) > limit_lsn {
                break Stopped::ForRoom;
            }
            let Touch { modify, redo_fixed: each, .. } = kind.touches[usize::from(run.touch)];
            let way = run.way;
            let draws = if near_limit { 1 } else { run.left };
            let mut passed = pool.pass_counted(way, modify, draws, run.times);
            if passed < draws {
                let lsn = redo.lsn_after(redo_fixed + each * u64::from(passed));
                match pool.meet_counted(way, modify, client.home) {
                    MetPage::Clean { bin, nth, file } => {
                        pool.counted_becomes_dirty(bin, nth, file, lsn);
                        passed += 1;
                    }
                    MetPage::Missing(page) => plan.met = Some(Met { page, under_write: false }),
                    // A page that is not yet in a batch is as good as written.
                    MetPage::UnderWrite { bin, nth } => {
                        let page = batches.counted_page(bin, nth);
                        plan.met = page.map(|page| Met { page, under_write: true });
                    }
                }
            }
            if modify {
                redo_fixed += each * u64::from(passed);
                modified += passed as usize;
            }
            if passed > 0 {
                plan.pass(passed);
            }
            if let Some(met) = plan.met {
                pool.wait_for_counted(met.page);
                break Stopped::AtPage;
            }
        };
        *unchecked = if matches!(stopped, Stopped::AtEnd) { *unchecked + redo_fixed } else { 0 };
        redo.append(redo_fixed);
        clients.modified(client_number, modified);
        stopped
    }

    /// Comes back to the page that the client waited for, if there is one; false if it must wait on.
    fn settle_met(&mut self, client_number: u32) -> bool {
        let met = self.clients.list[client_number as usize].plan.counted.met;
        let Some(Met { page, under_write }) = met else { return true };
        if !under_write && self.pool.counted().is_reading(page) {
            self.read_page(client_number, page);
            return false;
        }
        if under_write && self.batches.with_page(page).is_some() && !self.page_write_over(client_number, page) {
            return false;
        }
        let Server { clients, program, pool, redo, .. } = self;
        let client = &mut clients.list[client_number as usize];
        let plan = &mut client.plan.counted;
        plan.met = None;
        let Some(run) = plan.next() else { return true };
        plan.pass(1);
        let touch = program.kinds[client.kind as usize].touches[usize::from(run.touch)];
        pool.waited_for_counted(page, touch.modify, redo.current_lsn());
        if touch.modify {
            redo.append(touch.redo_fixed);
            clients.modified(client_number, 1);
        }
        true
    }
}
