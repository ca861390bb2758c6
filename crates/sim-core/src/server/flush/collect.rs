//! Collecting pages: from the tail of a flush list into a batch, neighbours included; from that of an LRU list see
//! [`crate::server::flush::lru_batches`].
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

use crate::buffer_pool::flush_area_range;
use crate::config::{BatchEnd, DoublewriteConfig, FlushNeighbors};
use crate::server::flush::Flush;
use crate::server::flush::passes::{Phase, Step};
use crate::server::machine::Machine;
use crate::server::machine::costs;
use crate::server::machine::disk_events::DiskEvent;
use crate::server::machine::events::Event;
use crate::server::machine::ids::{BatchId, ThreadId};
use crate::server::machine::owners::ListKind;

/// Pages that a batch without doublewrite collects before they are posted.
const DIRECT_BATCH: u32 = 64;
/// Pages that those who wait for their writes collect at least before they are posted, all of them together, however few are
/// in flight at a time.
const LEAST_POSTERS_PAGES: u32 = 1024;
/// Pools with fewer pages in use than this flush no neighbours (`innodb-5.5` section 5.3).
const LEAST_FOR_NEIGHBORS: u64 = 512;

impl Flush {
    /// Pages that a batch can take.
    pub(super) fn batch_size(&self, machine: &Machine) -> u32 {
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

    /// Keeps what is beyond the batch's size for the next one, and clients that wait for a page of it look again; the pages that
    /// stay. (Clients come while an LRU batch is collected in turns.)
    pub(super) fn carry_rest(&mut self, thread_id: ThreadId, batch: BatchId, machine: &mut Machine) -> u64 {
        let size = self.batch_size(machine) as usize;
        let entry = self.batches.get(batch);
        if let Some(rest) = split_rest(&mut entry.pages, size) {
            for (client, _) in entry.waiters.extract_if(.., |(_, page)| rest.contains(page)) {
                machine.calendar.schedule(machine.now, Event::ClientResumes(client));
            }
            self.passes.threads[thread_id].carry = rest;
        }
        let kept = entry.pages.len() as u64;
        entry.prepared = entry.prepared.min(kept);
        kept
    }

    /// Adds a page that was taken to its batch, with its neighbours as `innodb_flush_neighbors` says: dirty pages of
    /// its area of the tablespace, in page order, until the batch of its slot holds `most` pages. In an LRU batch only
    /// old pages are taken.
    pub(super) fn add_with_neighbors(&mut self, batch: BatchId, page: u32, most: u64, machine: &mut Machine) {
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

    /// A thread found no page: it gives back what it took for them.
    pub(super) fn found_nothing(&mut self, thread_id: ThreadId, batch: BatchId, machine: &mut Machine) {
        self.batches.discard(batch);
        self.doublewrite.release_unused_buffer(thread_id);
        self.wake_next_poster(machine);
    }

    fn batch_collected(&mut self, thread_id: ThreadId, batch: BatchId, resume: Phase, machine: &mut Machine) -> Step {
        self.batch_taken(thread_id, batch, resume);
        self.prepare_pages(thread_id, machine)
    }

    /// A thread has the pages of its batch.
    pub(super) fn batch_taken(&mut self, thread_id: ThreadId, batch: BatchId, resume: Phase) {
        let collected = self.batches.get(batch);
        let (kind, pages) = (collected.kind, collected.pages.len() as u64);
        let thread = &mut self.passes.threads[thread_id];
        (thread.batch, thread.kind, thread.resume) = (batch, kind, resume);
        self.doublewrite.filled(pages);
    }

    /// A thread gets the pages of its batch ready for writing.
    pub(super) fn prepare_pages(&mut self, thread_id: ThreadId, machine: &mut Machine) -> Step {
        let batch = self.passes.threads[thread_id].batch;
        let (pool, entry) = (&machine.pool, self.batches.get(batch));
        let pages = entry.pages.len() as u64 - entry.prepared;
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
}
