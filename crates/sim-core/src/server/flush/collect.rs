//! Collecting pages: from the tail of a flush list or an LRU list into a batch, neighbours included.
//!
//! Source: `innodb-8.0.21` sections 5.2 and 6.1; `innodb-5.5` and `innodb-5.6` sections 4 and 5. With a doublewrite
//! buffer for the whole server the thread takes the buffer before it collects, as pages are under write from then on.
//!
//! Without a doublewrite a page is under write when it is about to be posted, and who posts waits for a place among the
//! asynchronous writes: no more pages are taken at a time than there are places for all who post.
//!
//! A page that is freed by the time that its turn comes is dropped: it is clean, and counts as none of the pages that were asked
//! for (MariaDB: [`crate::workload::PageSetSpec::freed`]).
//!
//! Simplifications: a dropped page keeps its frame, and an LRU batch or a neighbour's flush writes it; preparing pages takes its time after a batch is collected, not page by page.

use crate::buffer_pool::{LruLists, flush_area_range};
use crate::config::{BatchEnd, DoublewriteConfig, FlushNeighbors, LruWritten};
use crate::seam::{FlushKind, LruWork};
use crate::server::flush::Flush;
use crate::server::flush::passes::{Phase, Step};
use crate::server::machine::Machine;
use crate::server::machine::costs;
use crate::server::machine::disk_events::DiskEvent;
use crate::server::machine::events::Event;
use crate::server::machine::ids::{BatchId, ThreadId};
use crate::server::machine::owners::ListKind;
use std::iter::successors;

/// Pages that a batch without doublewrite collects before they are posted.
const DIRECT_BATCH: u32 = 64;
/// Pages that those who wait for their writes collect at least before they are posted, all of them together, however few are
/// in flight at a time.
const LEAST_POSTERS_PAGES: u32 = 1024;
/// Pools with fewer pages in use than this flush no neighbours (`innodb-5.5` section 5.3).
const LEAST_FOR_NEIGHBORS: u64 = 512;

impl Flush {
    /// Pages that a batch can take.
    fn batch_size(&self, machine: &Machine) -> u32 {
        if let Some(room) = self.doublewrite.room() {
            return room;
        }
        match machine.config.doublewrite {
            DoublewriteConfig::Off if machine.config.batch_end == BatchEnd::Poster => {
                let managers = machine.config.lru_managers.map(|_| machine.config.buffer_pool.instances);
                posters_share(machine.config.aio_write_slots, machine.config.cleaner_threads, managers)
            }
            DoublewriteConfig::Off => DIRECT_BATCH,
            DoublewriteConfig::PerInstance { batch_pages, .. } | DoublewriteConfig::Shared { batch_pages, .. } => {
                batch_pages
            }
        }
    }

    /// Collects a batch from the tail of the flush list.
    pub(super) fn collect_list(&mut self, thread_id: ThreadId, left: u64, machine: &mut Machine) -> Step {
        if !self.buffer_for_collecting(thread_id, machine) {
            return Step::Blocked;
        }
        let instance = self.passes.threads[thread_id].instance;
        let Some(request) = self.passes.of_thread(thread_id).and_then(|p| p.request.as_ref()) else {
            return Step::Blocked;
        };
        let (mut limit, kind, tail_only) = (request.lsn_limit, request.kind, request.limit_on_tail_only);
        let size = left.min(u64::from(self.batch_size(machine))) as usize;
        let batch = self.batches.create(ListKind::FlushList, instance);
        self.batches.get(batch).pages.append(&mut self.passes.threads[thread_id].carry);
        let (mut first_lsn, mut last) = (None, None);
        while self.batches.get(batch).pages.len() < size
            && let Some(taken) = machine.pool.take_tail(instance, limit)
        {
            if tail_only {
                limit = u64::MAX;
            }
            if machine.pool.drop_freed(taken.page) {
                machine.observers.tell(DiskEvent::PageDropped { page: taken.page });
                continue;
            }
            first_lsn = Some(first_lsn.map_or(taken.lsn, |first: u64| first.min(taken.lsn)));
            last = Some(taken);
            if let Some(page) = machine.pool.prefetch_near_tail(instance) {
                machine.space.prefetch(page);
            }
            self.add_with_neighbors(batch, taken.page, left, machine);
        }
        let count = self.carry_rest(thread_id, batch, machine);
        let carry = &self.passes.threads[thread_id].carry;
        let carried = carry.len() as u64;
        if let Some(last) = last.filter(|last| carry.contains(&last.page)) {
            machine.pool.dirty.park(instance, last);
        }
        if count == 0 {
            if self.waits_for_posted(thread_id, batch, Phase::TakeSlot, machine) {
                return Step::Blocked;
            }
            self.found_nothing(thread_id, batch, machine);
            self.end_list(thread_id, machine);
            return self.sleep(thread_id, machine.now + costs::SLOT_OVERHEAD, Phase::TakeSlot, machine);
        }
        machine.pool.dirty.begin_batch(instance, batch.0, first_lsn, count);
        machine.cpu().accesses_wait_for_search(count);
        if let Some(pass) = self.passes.of_thread(thread_id) {
            pass.report.list_pages += count;
        }
        machine.recorder.flushed(kind, count);
        // What was taken is written in this slot, also where a page's neighbours went over its number.
        let exhausted = carried == 0 && (count < size as u64 || count >= left);
        let rest = left.saturating_sub(count).max(carried);
        let resume = if exhausted { Phase::TakeSlot } else { Phase::CollectList { left: rest } };
        self.batch_collected(thread_id, batch, resume, machine)
    }

    /// Keeps what is beyond the batch's size for the next one; the pages that stay.
    fn carry_rest(&mut self, thread_id: ThreadId, batch: BatchId, machine: &mut Machine) -> u64 {
        let size = self.batch_size(machine) as usize;
        let pages = &mut self.batches.get(batch).pages;
        if let Some(rest) = split_rest(pages, size) {
            self.passes.threads[thread_id].carry = rest;
        }
        pages.len() as u64
    }

    /// Adds a page that was taken to its batch, with its neighbours as `innodb_flush_neighbors` says: dirty pages of
    /// its area of the tablespace, in page order, until the batch of its slot holds `most` pages. In an LRU batch only
    /// old pages are taken.
    fn add_with_neighbors(&mut self, batch: BatchId, page: u32, most: u64, machine: &mut Machine) {
        let entry = self.batches.get(batch);
        let (instance, old_only) = (entry.instance, entry.kind == ListKind::Lru);
        if machine.config.flush_neighbors == FlushNeighbors::None
            || machine.pool.frames.used_of(instance) < LEAST_FOR_NEIGHBORS
        {
            return entry.pages.push(page);
        }
        let pool = &machine.pool;
        let ready = |p: u64| pool.pages.is_dirty_idle(p as u32) && (!old_only || pool.frames.is_old(p as u32));
        let area = u64::from(machine.config.buffer_pool.flush_area_pages);
        for other in flush_area_range(u64::from(page), area, machine.config.flush_neighbors, ready) {
            let other = other as u32;
            let full = self.batches.get(batch).pages.len() as u64 >= most;
            if full && other > page {
                return;
            }
            if other == page {
                self.batches.get(batch).pages.push(page);
            } else if !full && (!old_only || machine.pool.frames.is_old(other)) && machine.pool.take_page(other) {
                self.batches.get(batch).pages.push(other);
                machine.recorder.counts.neighbor_pages += 1;
            }
        }
    }

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
        let size = self.batch_size(machine) as usize;
        let batch = self.batches.create(ListKind::Lru, instance);
        self.batches.get(batch).pages.append(&mut self.passes.threads[thread_id].carry);
        let carried = self.batches.get(batch).pages.len() as u64;
        let goal = lru_goal(work, scanned, carried, machine.pool.frames.scan_depth());
        let frees = !matches!(work, LruWork::Flush(_));
        let mut seen = scanned;
        let mut evicted = 0;
        let flushed = self.passes.of_thread(thread_id).map_or(0, |pass| pass.report.lru_pages);
        let behind = behind_the_scan(work, machine.config.buffer_pool.lru_written, carried + flushed);
        let from_the_tail =
            |lru: &LruLists| successors(lru.tail(instance), |&page| lru.before(page)).nth(behind as usize);
        let mut next = machine.pool.frames.lru().and_then(from_the_tail);
        // Pages of an earlier batch of this slot are still at the tail, under write: they were counted then.
        while let Some(page) = next {
            let full = self.batches.get(batch).pages.len() >= size;
            if seen >= goal || full || (frees && !machine.pool.frames.lru_batch_wanted(instance)) {
                break;
            }
            next = machine.pool.frames.lru().and_then(|l| l.before(page));
            if machine.pool.pages.is_under_write(page) {
                continue;
            }
            let before = self.batches.get(batch).pages.len() as u64;
            if machine.pool.take_page(page) {
                self.add_with_neighbors(batch, page, before + goal - seen, machine);
            } else if frees && machine.pool.evict_if_clean(page, instance) {
                evicted += 1;
            }
            let taken = self.batches.get(batch).pages.len() as u64 - before;
            seen += if work == LruWork::ScanDepth { taken.max(1) } else { taken };
        }
        // The page that neighbours bring beyond it is no part of the next chunk.
        let seen = seen.min(goal);
        let count = self.carry_rest(thread_id, batch, machine);
        if let Some(pass) = self.passes.of_thread(thread_id) {
            pass.report.evicted_pages += evicted;
            pass.report.lru_pages += count;
        }
        if count == 0 {
            return self.lru_batch_is_empty(thread_id, batch, (work, seen), evicted, machine);
        }
        self.lru_batch_started(instance);
        let request = self.passes.of_thread(thread_id).and_then(|pass| pass.request.as_ref());
        let in_sync_pass = request.is_some_and(|request| request.kind == FlushKind::Sync);
        machine.recorder.flushed_lru(count, in_sync_pass);
        let list_left = count >= size as u64 || goal == scanned;
        let resume = after_lru_batch(work, seen, list_left, self.carries(thread_id));
        if matches!(resume, Phase::WaitLru { .. }) {
            self.lru_batch_built(instance, machine);
        }
        self.batch_taken(thread_id, batch, resume);
        self.go_on_after_lru_scan(thread_id, Phase::Prepare, evicted, count, machine)
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
        self.go_on_after_lru_scan(thread_id, next, evicted, 0, machine)
    }

    /// A thread has scanned the tail of an LRU list, for whose mutex it competes for each page that it evicted or took; then it
    /// goes on in `phase`.
    fn go_on_after_lru_scan(
        &mut self,
        thread_id: ThreadId,
        phase: Phase,
        evicted: u64,
        taken: u64,
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

    /// A thread found no page: it gives back what it took for them.
    fn found_nothing(&mut self, thread_id: ThreadId, batch: BatchId, machine: &mut Machine) {
        self.batches.discard(batch);
        self.doublewrite.release_unused_buffer(thread_id);
        self.wake_next_poster(machine);
    }

    fn batch_collected(&mut self, thread_id: ThreadId, batch: BatchId, resume: Phase, machine: &mut Machine) -> Step {
        self.batch_taken(thread_id, batch, resume);
        self.prepare_pages(thread_id, machine)
    }

    /// A thread has the pages of its batch.
    fn batch_taken(&mut self, thread_id: ThreadId, batch: BatchId, resume: Phase) {
        let collected = self.batches.get(batch);
        let (kind, pages) = (collected.kind, collected.pages.len() as u64);
        let thread = &mut self.passes.threads[thread_id];
        (thread.batch, thread.kind, thread.resume) = (batch, kind, resume);
        self.doublewrite.filled(pages);
    }

    /// A thread gets the pages of its batch ready for writing.
    pub(super) fn prepare_pages(&mut self, thread_id: ThreadId, machine: &mut Machine) -> Step {
        let batch = self.passes.threads[thread_id].batch;
        let pages = self.batches.get(batch).pages.len() as u64;
        let (pool, entry) = (&machine.pool, self.batches.get(batch));
        let in_batch = |page| pool.pages.is_under_write(page) && entry.pages.contains(&page);
        entry.wanted_lsn = machine.redo.wanted_before_writing(in_batch);
        self.passes.threads[thread_id].phase = Phase::WaitRedo;
        machine.cpu().page_preparation_computes(pages, Event::FlushThread(thread_id));
        Step::Blocked
    }
}

/// Pages that each of those who post takes at a time, so that all together have places for their writes: cleaner threads and
/// managers of LRU lists, where a server has them.
fn posters_share(aio_write_slots: u32, cleaner_threads: u32, managers: Option<u32>) -> u32 {
    let posters = cleaner_threads.max(1) + managers.unwrap_or(0);
    (aio_write_slots.max(LEAST_POSTERS_PAGES) / posters).max(costs::POST_CHUNK as u32)
}

/// Cuts a batch to its size; what goes beyond it.
fn split_rest(pages: &mut Vec<u32>, size: usize) -> Option<Vec<u32>> {
    (pages.len() > size).then(|| pages.split_off(size))
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

    /// As many places as all may wait for, in equal parts, and no fewer than what is posted at a time.
    #[test]
    fn places_for_writes_are_shared_by_those_who_post() {
        assert_eq!([768, 1_024, 4_096].map(|slots| posters_share(slots, 4, None)), [256, 256, 1_024]);
        assert_eq!([0, 1, 2].map(|cleaners| posters_share(1_024, cleaners, None)), [1_024, 1_024, 512]);
        assert_eq!(posters_share(1_000, 1, None), 1_024);
        assert_eq!([posters_share(1_024, 4, Some(8)), posters_share(2_000, 4, Some(3))], [85, 285]);
        assert_eq!([64, 128, 200].map(|managers| posters_share(1_024, 0, Some(managers))), [15, 8, 8]);
    }

    #[test]
    fn a_batch_keeps_as_many_pages_as_it_holds() {
        let rest = |size| {
            let mut pages = vec![7, 8, 9];
            let rest = split_rest(&mut pages, size);
            (pages.len(), rest)
        };
        assert_eq!([2, 3, 4].map(rest), [(2, Some(vec![9])), (3, None), (3, None)]);
        assert_eq!(rest(1), (1, Some(vec![8, 9])));
    }

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
