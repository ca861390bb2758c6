//! LRU batches: the tail of an LRU list is scanned, clean pages are evicted and dirty ones collected for writing.
//!
//! Source: `innodb-8.0.21` section 5.2, `innodb-5.6` section 4, `lru-list-mutex` section 3.2. What a scan meets first it deals with
//! first: behind a shortage of free pages lie the dirty pages that clients passed over when they took the clean ones, and until these
//! are prepared for writing the scan frees none. So a thread that competes for the mutex of the list scans a few pages at a time,
//! prepares those that it takes, and competes for the next turn. It goes on where it stopped, as the servers' hazard pointers have it.
//!
//! Simplifications: where the host doesn't say what the mutex costs, a batch is scanned at once and prepared after that; neighbours for which the batch
//! had no room are prepared once more with the next one (errs towards slower batches where neighbours are flushed).

use crate::buffer_pool::LruLists;
use crate::config::LruWritten;
use crate::seam::{FlushKind, LruWork};
use crate::server::flush::Flush;
use crate::server::flush::passes::{LruScan, Phase, Step};
use crate::server::machine::Machine;
use crate::server::machine::events::Event;
use crate::server::machine::ids::{BatchId, ThreadId};
use crate::server::machine::owners::ListKind;
use std::iter::successors;

/// What a thread has done at the tail of a list in one go.
#[derive(Debug, Clone, Copy)]
struct Turn {
    /// Pages that count towards the goal of its slot so far.
    seen: u64,
    evicted: u64,
    /// Pages taken into the batch.
    taken: u64,
    /// Whether it goes on in its next turn.
    goes_on: bool,
}

impl Flush {
    /// Collects a batch from the tail of the LRU list; clean pages are freed on the way, where the work says so.
    pub(super) fn collect_lru(&mut self, thread_id: ThreadId, scanned: u64, machine: &mut Machine) -> Step {
        let instance = self.passes.threads[thread_id].instance;
        self.claim_lru_batch(instance);
        let contended = machine.lru_list_mutexes.contention.is_some();
        if (!contended && machine.waits_for_lru_list(instance, Event::FlushThread(thread_id)))
            || !self.buffer_for_collecting(thread_id, machine)
        {
            return Step::Blocked;
        }
        let Some(request) = self.passes.of_thread(thread_id).and_then(|p| p.request.as_ref()) else {
            return Step::Blocked;
        };
        let work = request.lru;
        let mut scan = self.lru_scan(thread_id, machine);
        let goal = lru_goal(work, scanned, scan.carried, machine.pool.frames.scan_depth());
        let turn = self.scan_tail(thread_id, &mut scan, work, (scanned, goal), machine);
        if let Some(pass) = self.passes.of_thread(thread_id) {
            pass.report.evicted_pages += turn.evicted;
        }
        if turn.goes_on {
            return self.turn_over(thread_id, scan, turn, machine);
        }
        // The page that neighbours bring beyond it is no part of the next chunk.
        let (batch, seen) = (scan.batch, turn.seen.min(goal));
        let count = self.carry_rest(thread_id, batch, machine);
        if let Some(pass) = self.passes.of_thread(thread_id) {
            pass.report.lru_pages += count;
        }
        if count == 0 {
            return self.lru_batch_is_empty(thread_id, batch, (work, seen), turn.evicted, machine);
        }
        self.lru_batch_started(instance);
        let request = self.passes.of_thread(thread_id).and_then(|pass| pass.request.as_ref());
        let in_sync_pass = request.is_some_and(|request| request.kind == FlushKind::Sync);
        machine.recorder.flushed_lru(count, in_sync_pass);
        let list_left = count >= self.batch_size(machine).into() || goal == scanned;
        let resume = after_lru_batch(work, seen, list_left, self.carries(thread_id));
        if matches!(resume, Phase::WaitLru { .. }) {
            self.lru_batch_built(instance, machine);
        }
        self.batch_taken(thread_id, batch, resume);
        self.go_on_after_lru_scan(thread_id, Phase::Prepare, (turn.evicted, turn.taken), machine)
    }

    /// The scan that a thread is at, or a new one.
    fn lru_scan(&mut self, thread_id: ThreadId, machine: &mut Machine) -> LruScan {
        let thread = &mut self.passes.threads[thread_id];
        let instance = thread.instance;
        if let Some(scan) = thread.lru_scan.take() {
            machine.lru_visits().turn_is_over(instance, Event::FlushThread(thread_id));
            // A page that has left the old part is no longer at its place.
            return LruScan { at: scan.at.filter(|&page| machine.pool.frames.is_old(page)), ..scan };
        }
        let batch = self.batches.create(ListKind::Lru, instance);
        self.batches.get(batch).pages.append(&mut self.passes.threads[thread_id].carry);
        LruScan { batch, carried: self.batches.get(batch).pages.len() as u64, at: None }
    }

    /// Scans the list, of whose goal so many pages were seen before, to the end of the batch or of the turn.
    fn scan_tail(
        &mut self,
        thread_id: ThreadId,
        scan: &mut LruScan,
        work: LruWork,
        (seen, goal): (u64, u64),
        machine: &mut Machine,
    ) -> Turn {
        let LruScan { batch, carried, .. } = *scan;
        let instance = self.passes.threads[thread_id].instance;
        let size = self.batch_size(machine) as usize;
        let frees = !matches!(work, LruWork::Flush(_));
        let flushed = self.passes.of_thread(thread_id).map_or(0, |pass| pass.report.lru_pages);
        let behind = behind_the_scan(work, machine.config.buffer_pool.lru_written, carried + flushed);
        let from_the_tail =
            |lru: &LruLists| successors(lru.tail(instance), |&page| lru.before(page)).nth(behind as usize);
        let mut next = scan.at.or_else(|| machine.pool.frames.lru().and_then(from_the_tail));
        let most =
            machine.lru_list_mutexes.contention.as_ref().map_or(u64::MAX, |contention| contention.pages_a_turn());
        let mut turn = Turn { seen, evicted: 0, taken: 0, goes_on: false };
        // Pages of an earlier batch of this slot are still at the tail, under write: they were counted then.
        while let Some(page) = next {
            let full = self.batches.get(batch).pages.len() >= size;
            if turn.seen >= goal || full || (frees && !machine.pool.frames.lru_batch_wanted(instance)) {
                break;
            }
            if turn.evicted + turn.taken >= most {
                (scan.at, turn.goes_on) = (next, true);
                break;
            }
            next = machine.pool.frames.lru().and_then(|l| l.before(page));
            if machine.pool.pages.is_under_write(page) {
                continue;
            }
            let before = self.batches.get(batch).pages.len() as u64;
            if machine.pool.take_page(page) {
                self.add_with_neighbors(batch, page, before + goal - turn.seen, machine);
            } else if frees && machine.pool.evict_if_clean(page, instance) {
                turn.evicted += 1;
            }
            let taken = self.batches.get(batch).pages.len() as u64 - before;
            turn.taken += taken;
            turn.seen += if work == LruWork::ScanDepth { taken.max(1) } else { taken };
        }
        turn
    }

    /// A thread has had a turn and goes on with its batch in the next: it prepares the pages that it took, and competes.
    fn turn_over(&mut self, thread_id: ThreadId, scan: LruScan, turn: Turn, machine: &mut Machine) -> Step {
        let Turn { seen: scanned, evicted, taken, .. } = turn;
        self.batches.get(scan.batch).prepared += taken;
        self.passes.threads[thread_id].lru_scan = Some(scan);
        let step = self.set_phase(thread_id, Phase::LruTurn { scanned, evicted, taken });
        if taken == 0 {
            return step;
        }
        machine.cpu().page_preparation_computes(taken, Event::FlushThread(thread_id));
        Step::Blocked
    }

    /// An LRU batch has found no page to flush in `seen` pages of the tail.
    fn lru_batch_is_empty(
        &mut self,
        thread_id: ThreadId,
        batch: BatchId,
        (work, seen): (LruWork, u64),
        evicted: u64,
        machine: &mut Machine,
    ) -> Step {
        let next = match after_lru_batch(work, seen, false, self.carries(thread_id)) {
            Phase::WaitLru { scanned } if scanned > seen => Phase::WaitLru { scanned },
            _ => Phase::StartList,
        };
        if self.waits_for_posted(thread_id, batch, next, machine) {
            return Step::Blocked;
        }
        let instance = self.passes.threads[thread_id].instance;
        self.found_nothing(thread_id, batch, machine);
        self.lru_batch_built(instance, machine);
        self.go_on_after_lru_scan(thread_id, next, (evicted, 0), machine)
    }

    /// A thread has scanned the tail of an LRU list, for whose mutex it competes for each page that it evicted or took; then it
    /// goes on in `phase`.
    pub(super) fn go_on_after_lru_scan(
        &mut self,
        thread_id: ThreadId,
        phase: Phase,
        (evicted, taken): (u64, u64),
        machine: &mut Machine,
    ) -> Step {
        let goes_on = self.set_phase(thread_id, phase);
        let Some(contention) = &machine.lru_list_mutexes.contention else { return goes_on };
        let acquisitions = evicted as u32 * contention.an_eviction + taken as u32;
        let instance = self.passes.threads[thread_id].instance;
        let waits = machine.lru_visits().visit(instance, acquisitions, Event::FlushThread(thread_id), true);
        if waits { Step::Blocked } else { goes_on }
    }

    /// Whether pages of the slot wait for their batch.
    fn carries(&self, thread_id: ThreadId) -> bool {
        !self.passes.threads[thread_id].carry.is_empty()
    }
}

/// Pages at the tail that the scan of this pass has left behind: those that it took so far, where they stay in the list when they
/// are written. They are free only for the next pass.
fn behind_the_scan(work: LruWork, written: LruWritten, taken: u64) -> u64 {
    if !matches!(work, LruWork::Batch(_)) || written == LruWritten::Freed {
        return 0;
    }
    taken
}

/// Pages of its slot after which an LRU batch stops, which may begin with what the batch before it had no room for.
fn lru_goal(work: LruWork, scanned: u64, carried: u64, scan_depth: u64) -> u64 {
    match work {
        LruWork::None => 0,
        LruWork::ScanDepth => scan_depth,
        // The rest of a chunk is written before the list is looked at again.
        LruWork::Chunks(_) if carried > 0 => scanned,
        LruWork::Chunks(pages) => (scanned + 1).next_multiple_of(u64::from(pages)),
        LruWork::Flush(pages) | LruWork::Batch(pages) => pages,
    }
}

/// What a slot does after an LRU batch. It waits for a chunk when all its pages are posted, which may take several batches.
fn after_lru_batch(work: LruWork, seen: u64, list_left: bool, carries: bool) -> Phase {
    let LruWork::Chunks(pages) = work else { return Phase::CollectLru { scanned: seen } };
    let end = seen.next_multiple_of(u64::from(pages));
    if carries || (list_left && seen < end) {
        Phase::CollectLru { scanned: seen }
    } else {
        Phase::WaitLru { scanned: end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written pages of MariaDB stay at the tail until the next pass, unless they are freed when written; other servers look at
    /// them anew (`mariadb-10.11` section 5, `innodb-5.6` section 4.2).
    #[test]
    fn a_batch_goes_on_behind_what_it_flushed() {
        let behind = |work| [LruWritten::Stays, LruWritten::Freed].map(|written| behind_the_scan(work, written, 40));
        assert_eq!(behind(LruWork::Batch(100)), [40, 0]);
        for work in [LruWork::None, LruWork::ScanDepth, LruWork::Chunks(100), LruWork::Flush(100)] {
            assert_eq!(behind(work), [0, 0], "{work:?}");
        }
    }

    /// 5.6 flushes 100 pages of the tail at a time and waits for them (`innodb-5.6` section 4.2): from any page on to the end of the
    /// hundred it lies in, but no further than what is carried.
    #[test]
    fn lru_batches_end_at_their_goal() {
        let goal = |work, scanned, carried| lru_goal(work, scanned, carried, 1_024);
        assert_eq!(goal(LruWork::None, 3, 0), 0);
        assert_eq!(goal(LruWork::ScanDepth, 3, 0), 1_024);
        assert_eq!([LruWork::Flush(50), LruWork::Batch(50)].map(|work| goal(work, 3, 2)), [50, 50]);
        assert_eq!(
            [0, 1, 99, 100, 101, 199].map(|scanned| goal(LruWork::Chunks(100), scanned, 0)),
            [100, 100, 100, 200, 200, 200]
        );
        assert_eq!([1, 2].map(|carried| goal(LruWork::Chunks(100), 60, carried)), [60, 60]);
    }

    #[test]
    fn a_chunk_is_waited_for_when_it_is_posted() {
        let (collects, waits) = (|scanned| Phase::CollectLru { scanned }, |scanned| Phase::WaitLru { scanned });
        let after = |seen, list_left, carries| after_lru_batch(LruWork::Chunks(100), seen, list_left, carries);
        assert_eq!([60, 99].map(|seen| after(seen, true, false)), [60, 99].map(collects));
        assert_eq!([100, 200].map(|seen| after(seen, true, false)), [100, 200].map(waits));
        assert_eq!([60, 160].map(|seen| after(seen, false, false)), [100, 200].map(waits), "the list ends there");
        assert_eq!([60, 100].map(|seen| after(seen, false, true)), [60, 100].map(collects), "pages are left to post");
        for work in [LruWork::ScanDepth, LruWork::Flush(100), LruWork::Batch(100)] {
            assert_eq!(after_lru_batch(work, 100, false, false), Phase::CollectLru { scanned: 100 }, "{work:?}");
        }
    }
}
