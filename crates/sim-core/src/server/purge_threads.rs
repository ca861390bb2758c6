//! Purge threads: the pages of a batch are visited, row by row.
//!
//! As [`mod@super::purge`] says, a thread looks rows up in their clustered index and removes records marked as deleted, as
//! any thread modifies pages: missing pages are read, redo is written, pages become dirty. The coordinator is the first
//! of the threads; it reads missing undo pages before the others begin.
//!
//! While redo is short of room a purge thread passes the version's free check as any thread that writes does, and may
//! have to flush or take a checkpoint itself. Simplification: it works off its CPU time first, then its pages.

use super::Server;
use super::costs;
use super::events::Event;
use super::history::Visit;
use super::ids::Requester;
use super::purge::State;
use crate::buffer_pool::Modification;
use crate::config::RedoPipeline;
use crate::kernel::time::{SimDuration, SimTime};
use crate::seam::{FreeCheckWait, PassReport};

/// Pages visited between two looks at the room that redo has.
const VISITS_AT_ONCE: usize = 64;

/// A purge thread.
#[derive(Debug, Clone, Default)]
pub(super) struct Thread {
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

impl Server {
    /// The undo records are fetched: the threads begin.
    fn start_purge_threads(&mut self) {
        let cpu = self.machine.processors.spec();
        let Server { purge: Some(purge), program, .. } = self else { return };
        let mut demands = Vec::new();
        for (number, (thread, share)) in purge.threads.iter_mut().zip(&mut purge.shares).enumerate() {
            thread.take_up(share.drain(..));
            if thread.visits.is_empty() {
                continue;
            }
            let cost = |visit: &Visit| program.purge_visits[usize::from(visit.what) - 1].cpu(&cpu).0;
            let demand = SimDuration(thread.visits.iter().map(cost).sum());
            demands.push((number as u32, demand));
        }
        purge.state = State::Working(demands.len() as u32);
        if demands.is_empty() {
            return self.purge_batch_over();
        }
        for (number, demand) in demands {
            self.machine.compute(demand, SimDuration::ZERO, Event::PurgeThread(number));
        }
    }

    /// A purge thread goes on with its pages until it is done or must wait.
    pub(super) fn purge_thread(&mut self, number: u32) {
        let Some(purge) = &mut self.purge else { return };
        if matches!(purge.state, State::Cutting | State::Cut) {
            return self.purge_cuts();
        }
        if let Some(page) = purge.threads[number as usize].reading.take() {
            self.page_was_read(page);
        }
        let wait = loop {
            // Who has passed the free check goes on with its pages, not to the next check.
            if let Some(at) = self.purge_waits_for_redo() {
                break Some(at);
            }
            if !self.purge_passes_free_check(number) {
                return;
            }
            match self.visit_some(number) {
                Visited::All => break None,
                Visited::Some => {}
                Visited::Waits(at) => break Some(at),
            }
        };
        if let Some(at) = wait {
            self.machine.calendar.schedule(at, Event::PurgeThread(number));
            return;
        }
        match self.purge.as_mut().map(|purge| &mut purge.state) {
            Some(State::Fetching) => self.start_purge_threads(),
            Some(State::Working(running)) if *running > 1 => *running -= 1,
            _ => self.purge_batch_over(),
        }
    }

    /// Whether a purge thread may write redo as far as the age of the redo is concerned; if not, it goes on by itself.
    fn purge_passes_free_check(&mut self, number: u32) -> bool {
        let Some(purge) = &mut self.purge else { return true };
        let waited = purge.threads[number as usize].free_check.take();
        if waited.is_none() && self.machine.redo.current_lsn() <= self.machine.free_check_limit_lsn {
            return true;
        }
        let wait = self.ask_for_room(Requester::PurgeThread(number), waited);
        if let Some(purge) = &mut self.purge {
            purge.threads[number as usize].free_check = wait;
        }
        wait.is_none()
    }

    /// The flush that a purge thread did itself is over.
    pub(super) fn flushed_by_purge_thread(&mut self, number: u32, report: PassReport) {
        let thread = self.purge.as_mut().map(|purge| &mut purge.threads[number as usize]);
        if let Some(wait) = thread.and_then(|thread| thread.free_check.as_mut()) {
            wait.report = report;
        }
        self.machine.calendar.schedule(self.machine.now, Event::PurgeThread(number));
    }

    /// When purge may write redo, if not now.
    fn purge_waits_for_redo(&mut self) -> Option<SimTime> {
        self.machine.redo.advance_writer(self.machine.now);
        let largest = self.program.purge_visits.iter().map(|visit| visit.redo_fixed + visit.merge_fixed).max();
        let most = (largest.unwrap_or(0).div_ceil(crate::redo::RedoLog::fixed(1.0)) + 1) * VISITS_AT_ONCE as u64;
        if self.log_buffer_lacks_room(most) {
            self.empty_log_buffer();
            return Some(self.machine.now + costs::PURGE_RETRY);
        }
        let until = self.machine.redo.write_in_progress_until();
        until.filter(|_| self.machine.config.redo.pipeline == RedoPipeline::LogMutex)
    }

    fn visit_some(&mut self, number: u32) -> Visited {
        let mut wrote = 0;
        let mut visited = Visited::Some;
        for _ in 0..VISITS_AT_ONCE {
            let Some(purge) = &mut self.purge else { break };
            let thread = &purge.threads[number as usize];
            let Some(&visit) = thread.visits.get(thread.next) else {
                visited = Visited::All;
                break;
            };
            match self.visit(number, visit, &mut wrote) {
                Some(at) => {
                    visited = Visited::Waits(at);
                    break;
                }
                None => {
                    if let Some(purge) = &mut self.purge {
                        purge.threads[number as usize].next += 1;
                    }
                }
            }
        }
        if wrote > 0 {
            self.mini_transactions_end(wrote);
            self.redo_appended();
            self.after_background_append();
        }
        visited
    }

    /// Visits a page; returns until when the thread must wait, if it must.
    fn visit(&mut self, number: u32, visit: Visit, wrote: &mut u64) -> Option<SimTime> {
        let what = usize::from(visit.what).checked_sub(1).map(|place| self.program.purge_visits[place]);
        let Some(what) = what.filter(|what| what.modify) else {
            let resident = self.machine.pool.read(visit.page, &self.machine.space, self.machine.now);
            return if resident { None } else { self.read_for_purge(number, visit.page) };
        };
        match self.machine.pool.modify(
            visit.page,
            self.machine.redo.current_lsn(),
            &self.machine.space,
            self.machine.now,
        ) {
            Modification::Done => {
                self.machine.append_change(visit.page, what.redo_fixed);
                self.index_entry_removed(visit.page, what.merge_fixed);
                *wrote += 1;
                None
            }
            Modification::Miss if what.bufferable && self.buffer_removal(visit.page, what.redo_fixed) => {
                self.index_entry_removed(visit.page, what.merge_fixed);
                *wrote += 1;
                None
            }
            Modification::Miss => self.read_for_purge(number, visit.page),
            Modification::Blocked => Some(self.machine.now + costs::PURGE_RETRY),
        }
    }

    /// An entry is gone from an index page whose merging would take `merge_fixed` of redo: the page that takes both halves
    /// becomes dirty, if it is there and not under write.
    fn index_entry_removed(&mut self, page: u32, merge_fixed: u64) {
        if merge_fixed == 0 {
            return;
        }
        let Some(into) = self.program.places.index_pages.removed(page) else { return };
        match self.machine.pool.modify(into, self.machine.redo.current_lsn(), &self.machine.space, self.machine.now) {
            Modification::Done => self.machine.append_change(into, merge_fixed),
            Modification::Miss | Modification::Blocked => self.machine.redo.append(merge_fixed),
        }
    }

    /// Reads a page for a purge thread, or waits for somebody's read or for a frame.
    fn read_for_purge(&mut self, number: u32, page: u32) -> Option<SimTime> {
        if let Some(&arrives) = self.machine.page_reads.get(&page) {
            // Past where the whole server stood still.
            return Some(arrives.max(self.machine.now));
        }
        let instance = self.machine.space.instance_of(page);
        if !self.take_or_free_frame(instance) {
            self.machine.set_flush_event();
            return Some(self.machine.now + costs::PURGE_RETRY);
        }
        let arrives = self.machine.begin_read(page);
        if let Some(purge) = &mut self.purge {
            purge.threads[number as usize].reading = Some(page);
        }
        Some(arrives)
    }
}
