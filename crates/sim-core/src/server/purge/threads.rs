//! Purge threads: the pages of a batch are visited, row by row.
//!
//! As [`mod@crate::server::purge`] says, a thread looks rows up in their clustered index and removes records marked as deleted, as
//! any thread modifies pages: missing pages are read, redo is written, pages become dirty. The coordinator is the first
//! of the threads; it reads missing undo pages before the others begin.
//!
//! While redo is short of room a purge thread passes the version's free check as any thread that writes does, and may
//! have to flush or take a checkpoint itself. Simplification: it works off its CPU time first, then its pages.

use crate::buffer_pool::Modification;
use crate::config::RedoPipeline;
use crate::kernel::time::{SimDuration, SimTime};
use crate::seam::{FreeCheckWait, PassReport};
use crate::server::engine::Engine;
use crate::server::machine::Machine;
use crate::server::machine::costs;
use crate::server::machine::events::Event;
use crate::server::machine::owners::Requester;
use crate::server::purge::Purge;
use crate::server::purge::State;
use crate::server::purge::history::Visit;

/// Pages visited between two looks at the room that redo has.
const VISITS_AT_ONCE: usize = 64;

/// A purge thread.
#[derive(Debug, Clone, Default)]
pub(in crate::server) struct Thread {
    visits: Vec<Visit>,
    next: usize,
    /// The page that it reads.
    reading: Option<u32>,
    /// Where it stands at the free check.
    free_check: Option<FreeCheckWait>,
}

impl Thread {
    /// Work for a thread that has none left.
    pub(super) fn take_up(&mut self, visits: impl Iterator<Item = Visit>) {
        self.visits.clear();
        self.visits.extend(visits);
        self.next = 0;
    }
}

/// How far a thread came.
enum Visited {
    All,
    Some,
    /// It must wait until then.
    Waits(SimTime),
}

impl Purge {
    /// The undo records are fetched: the threads begin.
    fn start_purge_threads(&mut self, engine: &mut Engine) {
        let cpu = engine.base.machine.processors.spec();
        let mut demands = Vec::new();
        for (number, (thread, share)) in self.threads.iter_mut().zip(&mut self.shares).enumerate() {
            thread.take_up(share.drain(..));
            if thread.visits.is_empty() {
                continue;
            }
            let cost = |visit: &Visit| engine.program.purge_visits[usize::from(visit.what) - 1].cpu(&cpu).0;
            let demand = SimDuration(thread.visits.iter().map(cost).sum());
            demands.push((number as u32, demand));
        }
        self.state = State::Working(demands.len() as u32);
        if demands.is_empty() {
            return self.purge_batch_over(engine);
        }
        for (number, demand) in demands {
            engine.base.machine.cpu().compute(demand, SimDuration::ZERO, Event::PurgeThread(number));
        }
    }

    /// A purge thread goes on with its pages until it is done or must wait.
    pub(super) fn purge_thread(&mut self, number: u32, engine: &mut Engine) {
        if matches!(self.state, State::Cutting | State::Cut) {
            return self.purge_cuts(engine);
        }
        if let Some(page) = self.threads[number as usize].reading.take() {
            engine.page_was_read(page);
        }
        let wait = loop {
            // Who has passed the free check goes on with its pages, not to the next check.
            if let Some(at) = self.purge_waits_for_redo(engine) {
                break Some(at);
            }
            if !self.purge_passes_free_check(number, engine) {
                return;
            }
            match self.visit_some(number, engine) {
                Visited::All => break None,
                Visited::Some => {}
                Visited::Waits(at) => break Some(at),
            }
        };
        if let Some(at) = wait {
            engine.base.machine.calendar.schedule(at, Event::PurgeThread(number));
            return;
        }
        match &mut self.state {
            State::Fetching => self.start_purge_threads(engine),
            State::Working(running) if *running > 1 => *running -= 1,
            _ => self.purge_batch_over(engine),
        }
    }

    /// Whether a purge thread may write redo as far as the age of the redo is concerned; if not, it goes on by itself.
    fn purge_passes_free_check(&mut self, number: u32, engine: &mut Engine) -> bool {
        let waited = self.threads[number as usize].free_check.take();
        if waited.is_none() && engine.base.machine.redo.current_lsn() <= engine.base.machine.free_check_limit_lsn {
            return true;
        }
        let wait = engine.ask_for_room(Requester::PurgeThread(number), waited);
        self.threads[number as usize].free_check = wait;
        wait.is_none()
    }

    /// The flush that a purge thread did itself is over.
    pub(in crate::server) fn flushed_by_purge_thread(
        &mut self,
        number: u32,
        report: PassReport,
        machine: &mut Machine,
    ) {
        if let Some(wait) = &mut self.threads[number as usize].free_check {
            wait.report = report;
        }
        machine.calendar.schedule(machine.now, Event::PurgeThread(number));
    }

    /// When purge may write redo, if not now.
    fn purge_waits_for_redo(&mut self, engine: &mut Engine) -> Option<SimTime> {
        engine.base.machine.redo.advance_writer(engine.base.machine.now);
        let largest = engine.program.purge_visits.iter().map(|visit| visit.redo_fixed + visit.merge_fixed).max();
        let most = (largest.unwrap_or(0).div_ceil(crate::redo::RedoLog::fixed(1.0)) + 1) * VISITS_AT_ONCE as u64;
        if engine.base.log.log_buffer_lacks_room(most, &engine.base.machine) {
            engine.base.log.empty_log_buffer(&mut engine.base.machine);
            return Some(engine.base.machine.now + costs::PURGE_RETRY);
        }
        let until = engine.base.machine.redo.write_in_progress_until();
        until.filter(|_| engine.base.machine.config.redo.pipeline == RedoPipeline::LogMutex)
    }

    fn visit_some(&mut self, number: u32, engine: &mut Engine) -> Visited {
        let mut wrote = 0;
        let mut visited = Visited::Some;
        for _ in 0..VISITS_AT_ONCE {
            let thread = &self.threads[number as usize];
            let Some(&visit) = thread.visits.get(thread.next) else {
                visited = Visited::All;
                break;
            };
            match self.visit(number, visit, &mut wrote, engine) {
                Some(at) => {
                    visited = Visited::Waits(at);
                    break;
                }
                None => {
                    self.threads[number as usize].next += 1;
                }
            }
        }
        if wrote > 0 {
            engine.base.log.mini_transactions_end(wrote, &mut engine.base.machine);
            engine.base.log.redo_appended(&mut engine.base.machine);
            engine.base.log.after_background_append(&mut engine.base.machine);
        }
        visited
    }

    /// Visits a page; returns until when the thread must wait, if it must.
    fn visit(&mut self, number: u32, visit: Visit, wrote: &mut u64, engine: &mut Engine) -> Option<SimTime> {
        let what = usize::from(visit.what).checked_sub(1).map(|place| engine.program.purge_visits[place]);
        let Some(what) = what.filter(|what| what.modify) else {
            let resident =
                engine.base.machine.pool.read(visit.page, &engine.base.machine.space, engine.base.machine.now);
            return if resident { None } else { self.read_for_purge(number, visit.page, &mut engine.base.machine) };
        };
        match engine.base.machine.pool.modify(
            visit.page,
            engine.base.machine.redo.current_lsn(),
            &engine.base.machine.space,
            engine.base.machine.now,
        ) {
            Modification::Done => {
                engine.base.machine.append_change(visit.page, what.redo_fixed);
                self.index_entry_removed(visit.page, what.merge_fixed, engine);
                *wrote += 1;
                None
            }
            Modification::Miss
                if what.bufferable
                    && let Engine { base, changes: Some(changes), .. } = &mut *engine
                    && changes.buffer_removal(visit.page, what.redo_fixed, &mut base.machine) =>
            {
                engine.program.places.entry_gone(visit.page);
                *wrote += 1;
                None
            }
            Modification::Miss => self.read_for_purge(number, visit.page, &mut engine.base.machine),
            Modification::Blocked => Some(engine.base.machine.now + costs::PURGE_RETRY),
        }
    }

    /// An entry is gone from an index page; that half of its entries merge with another page would take `half_fixed` of redo. The
    /// page that they move to becomes dirty, if it is there and not under write.
    fn index_entry_removed(&mut self, page: u32, half_fixed: u64, engine: &mut Engine) {
        if half_fixed == 0 {
            return;
        }
        let removal = engine.program.places.entry_removed(page);
        let machine = &mut engine.base.machine;
        for latched in removal.latched.into_iter().flatten() {
            machine.pool.latched(latched, machine.redo.current_lsn(), &machine.space, machine.now);
        }
        let Some(merge) = removal.merge else { return };
        let merge_fixed = half_fixed * u64::from(merge.moved) / u64::from(merge.half);
        match machine.pool.modify(merge.into, machine.redo.current_lsn(), &machine.space, machine.now) {
            Modification::Done => machine.append_change(merge.into, merge_fixed),
            Modification::Miss | Modification::Blocked => machine.redo.append(merge_fixed),
        }
    }

    /// Reads a page for a purge thread, or waits for somebody's read or for a frame.
    fn read_for_purge(&mut self, number: u32, page: u32, machine: &mut Machine) -> Option<SimTime> {
        if let Some(&arrives) = machine.page_reads.get(&page) {
            // Past where the whole server stood still.
            return Some(arrives.max(machine.now));
        }
        let instance = machine.space.instance_of(page);
        if !machine.take_or_free_frame(instance) {
            machine.set_flush_event();
            return Some(machine.now + costs::PURGE_RETRY);
        }
        let arrives = machine.begin_read(page);
        self.threads[number as usize].reading = Some(page);
        Some(arrives)
    }
}
