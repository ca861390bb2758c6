//! Taking a batch to the device: redo first, the doublewrite, then the page writes as the device's queue has room.
//!
//! Source: `innodb-8.0.21` section 6.1; `innodb-5.5` and `innodb-5.6` section 6, `mariadb-10.11` section 7 for the one
//! buffer of the whole server. Where threads fill that buffer together, the last one that is ready writes it for all,
//! and each then posts its own pages. For each batch the thread waits until the pages' redo is durable and until the
//! doublewrite buffer is its own (with a buffer for each instance: and for a segment); it writes the batch there, then
//! posts the page writes.
//!
//! On a device that seeks, the pages of a batch are posted in the order of their addresses, as the block layer's
//! scheduler hands them on, and a page near the one before it costs no seek (see [`crate::storage`]).
//!
//! Where threads simulate asynchronous writes (5.5 without libaio) each takes the pages of its extents in order and
//! writes adjacent ones at once, which a cap counts as one operation: recorded with neighbours, 7 to 10 pages a write.
//!
//! Simplifications: the whole batch waits for redo before it goes on, where the servers wait page by page; the
//! scheduler orders within a batch, not over all that waits (errs towards more seeks).

use crate::buffer_pool::EXTENT_PAGES;
use crate::config::{BatchEnd, DoublewriteConfig, PAGE_BYTES, SharedCollecting};
use crate::server::base::Base;
use crate::server::flush::Flush;
use crate::server::flush::batches::Batch;
use crate::server::flush::passes::{Phase, Step};
use crate::server::machine::Machine;
use crate::server::machine::costs;
use crate::server::machine::disk_events::{BrokenRule, DiskEvent};
use crate::server::machine::events::Event;
use crate::server::machine::file_system::PagesFile;
use crate::server::machine::ids::{BatchId, ThreadId};
use crate::server::machine::inodes::Synced;
use crate::server::machine::owners::{Held, ListKind};
use crate::storage::Op;
use std::collections::VecDeque;

/// Pages between the one that is posted and the one for whose place the processor is asked.
const PAGES_AHEAD: usize = 8;

/// Threads in line for the device.
#[derive(Debug, Clone, Default)]
pub(super) struct Posting {
    /// Threads that stand in line for room in the data device's queue, and the one that is being served.
    posters: VecDeque<ThreadId>,
    served: Option<ThreadId>,
    watching_room: bool,
}

impl Flush {
    /// Where one buffer serves the whole server and holds one batch: takes it, or stands in line for it.
    pub(super) fn buffer_for_collecting(&mut self, thread_id: ThreadId, machine: &mut Machine) -> bool {
        match machine.config.doublewrite {
            DoublewriteConfig::Shared { collecting: SharedCollecting::OneThread, .. } => {
                self.doublewrite.claim_buffer(thread_id)
            }
            DoublewriteConfig::Shared { collecting: SharedCollecting::Together, .. } => {
                self.doublewrite.may_fill(thread_id)
            }
            _ => true,
        }
    }

    pub(super) fn wait_redo(&mut self, thread_id: ThreadId, base: &mut Base) -> Step {
        let batch = self.passes.threads[thread_id].batch;
        let wanted = self.batches.get(batch).wanted_lsn;
        if wanted > base.machine.redo.position().durable_lsn
            && base.machine.observers.broken != Some(BrokenRule::PageBeforeRedo)
        {
            base.machine.recorder.writes_that_waited_for_redo += 1;
            base.log.when_durable(wanted, Event::FlushThread(thread_id), &mut base.machine);
            return Step::Blocked;
        }
        let next = match base.machine.config.doublewrite {
            _ if base.machine.observers.broken == Some(BrokenRule::PageBeforeDoublewrite) => Phase::Post { next: 0 },
            DoublewriteConfig::Off => Phase::Post { next: 0 },
            DoublewriteConfig::Shared { collecting: SharedCollecting::OneThread, .. } => {
                self.doublewrite.buffer_in_flight();
                self.batches.get(batch).held = Held::Buffer;
                Phase::WriteDoublewrite { written: 0 }
            }
            DoublewriteConfig::PerInstance { .. } | DoublewriteConfig::Shared { .. } => Phase::WaitDoublewrite,
        };
        self.set_phase(thread_id, next)
    }

    pub(super) fn wait_doublewrite(&mut self, thread_id: ThreadId, machine: &mut Machine) -> Step {
        let batch = self.passes.threads[thread_id].batch;
        match machine.config.doublewrite {
            DoublewriteConfig::Shared { collecting: SharedCollecting::Together, .. } => {
                if !self.doublewrite.prepared(thread_id) {
                    return Step::Blocked;
                }
                return self.set_phase(thread_id, Phase::WriteDoublewrite { written: 0 });
            }
            DoublewriteConfig::Shared { .. } => {}
            _ => {
                let &mut Batch { kind, instance, .. } = self.batches.get(batch);
                if !self.doublewrite.claim(kind, instance, thread_id) {
                    return Step::Blocked;
                }
                return self.set_phase(thread_id, Phase::WaitSegment);
            }
        }
        if !self.doublewrite.claim_buffer(thread_id) {
            return Step::Blocked;
        }
        // The batch goes its way; the thread collects the next.
        self.doublewrite.buffer_in_flight();
        self.batches.get(batch).held = Held::Buffer;
        let carrier = self.passes.acquire_thread(None);
        machine.processors.flush_thread_acquired(carrier, false);
        let thread = &mut self.passes.threads[carrier];
        (thread.batch, thread.phase) = (batch, Phase::WriteDoublewrite { written: 0 });
        machine.calendar.schedule(machine.now, Event::FlushThread(carrier));
        self.go_on_after_batch(thread_id, machine)
    }

    pub(super) fn wait_segment(&mut self, thread_id: ThreadId) -> Step {
        let batch = self.passes.threads[thread_id].batch;
        let kind = self.batches.get(batch).kind;
        if !self.doublewrite.claim_segment(kind, thread_id) {
            return Step::Blocked;
        }
        self.batches.get(batch).held = Held::Segment(kind);
        self.set_phase(thread_id, Phase::WriteDoublewrite { written: 0 })
    }

    /// Writes a batch, or the next area of it, to the doublewrite buffer's place on disk.
    pub(super) fn write_doublewrite(&mut self, thread_id: ThreadId, written: u64, machine: &mut Machine) -> Step {
        if !self.queue_admits(thread_id, machine) {
            return Step::Blocked;
        }
        let batch = self.passes.threads[thread_id].batch;
        let own = self.batches.get(batch).pages.len() as u64;
        let pages = self.doublewrite.pages_filled().unwrap_or(own);
        let (part, bytes, sync_file) = match machine.config.doublewrite {
            DoublewriteConfig::Off => return self.set_phase(thread_id, Phase::Post { next: 0 }),
            DoublewriteConfig::PerInstance { sync_file, fixed_bytes, .. } => {
                (pages, fixed_bytes.unwrap_or(pages * PAGE_BYTES), sync_file)
            }
            DoublewriteConfig::Shared { area_pages, sync_file, .. } => {
                let part = (pages - written).min(u64::from(area_pages));
                (part, part * PAGE_BYTES, sync_file)
            }
        };
        if sync_file {
            machine.disks().doublewrite_changes();
        }
        let done = machine.data_device.submit(machine.now, Op::SequentialWrite, bytes);
        let batches = self.batches_written_with(thread_id, machine);
        let (thread, batches) = (thread_id.0, &batches[..]);
        machine.observers.tell(DiskEvent::DoublewriteWritten { thread, batches, done, sync_follows: sync_file });
        machine.recorder.counts.dblwr_pages += part;
        machine.recorder.counts.dblwr_writes += u64::from(written == 0);
        let next = match written + part {
            written if written < pages => Phase::WriteDoublewrite { written },
            _ if sync_file => Phase::SyncDoublewrite,
            _ => Phase::Post { next: 0 },
        };
        self.sleep(thread_id, done, next, machine)
    }

    /// The batches that go to the doublewrite in one with that of a thread, where somebody wants to know.
    fn batches_written_with(&self, thread_id: ThreadId, machine: &Machine) -> Vec<u32> {
        let threads = machine.observers.disk.iter().flat_map(|_| self.doublewrite.written_with(thread_id));
        threads.map(|thread| self.passes.threads[thread].batch.0).collect()
    }

    pub(super) fn sync_doublewrite(&mut self, thread_id: ThreadId, base: &mut Base) -> Step {
        let thread = Event::FlushThread(thread_id);
        if base.machine.file_system.is_some() {
            self.passes.threads[thread_id].phase = Phase::Post { next: 0 };
            base.storage.sync_pages_through_journal(PagesFile::Doublewrite, thread, thread, &mut base.machine);
            return Step::Blocked;
        }
        if let Some(written) = base.machine.disks().write_inode(Synced::Doublewrite) {
            return self.sleep(thread_id, written, Phase::SyncDoublewrite, &mut base.machine);
        }
        self.passes.threads[thread_id].phase = Phase::Post { next: 0 };
        let over = base.machine.sync_data_file(thread, thread);
        base.machine.observers.tell(DiskEvent::DoublewriteSynced { thread: thread_id.0, done: over });
        Step::Blocked
    }

    /// Whether the data device's queue has room for a thread that wants to submit; if not, the thread stands in line.
    fn queue_admits(&mut self, thread_id: ThreadId, machine: &mut Machine) -> bool {
        if self.posting.served == Some(thread_id) {
            self.posting.served = None;
            return true;
        }
        let now = machine.now;
        if self.posting.posters.is_empty() && machine.data_device.admission_time(now, costs::POST_CHUNK as u32) <= now {
            return true;
        }
        self.posting.posters.push_back(thread_id);
        self.watch_queue_room(machine);
        false
    }

    fn watch_queue_room(&mut self, machine: &mut Machine) {
        if std::mem::replace(&mut self.posting.watching_room, true) {
            return;
        }
        let at = machine.data_device.admission_time(machine.now, costs::POST_CHUNK as u32);
        machine.calendar.schedule(at, Event::QueueRoom);
    }

    /// The queue has room: the thread that has stood in line longest submits, unless others were faster. Once what it brings about
    /// is dealt with, [`Flush::watch_posters`] follows.
    pub(in crate::server) fn serve_poster(&mut self, base: &mut Base) {
        self.posting.watching_room = false;
        if base.machine.data_device.admission_time(base.machine.now, costs::POST_CHUNK as u32) > base.machine.now {
            return self.watch_queue_room(&mut base.machine);
        }
        if let Some(thread) = self.posting.posters.pop_front() {
            self.posting.served = Some(thread);
            self.thread_step(thread, base);
        }
    }

    /// The next thread in line waits for room.
    pub(in crate::server) fn watch_posters(&mut self, machine: &mut Machine) {
        if !self.posting.posters.is_empty() {
            self.watch_queue_room(machine);
        }
    }

    /// Posts page writes, a few at a time, as the device's queue has room.
    pub(super) fn post(&mut self, thread_id: ThreadId, next: usize, machine: &mut Machine) -> Step {
        let batch = self.passes.threads[thread_id].batch;
        if next == 0 {
            self.others_post(thread_id, machine);
            if machine.data_device.seek_free_bytes() > 0 || machine.config.merges_adjacent_writes {
                self.batches.get(batch).pages.sort_unstable();
            }
        }
        let pages = self.batches.get(batch).pages.len();
        let mut next = next;
        while next < pages {
            if !self.queue_admits(thread_id, machine) {
                self.passes.threads[thread_id].phase = Phase::Post { next };
                return Step::Blocked;
            }
            let mut writes = 0u64;
            while writes < costs::POST_CHUNK as u64 && next < pages {
                next = self.post_write(batch, next, machine);
                writes += 1;
            }
            let aside = if machine.io_threads_compute() { 0 } else { writes - u64::from(next == pages) };
            if machine.cpu().page_writes_compute(writes, aside, Event::FlushThread(thread_id)) {
                self.passes.threads[thread_id].phase = Phase::Post { next };
                return Step::Blocked;
            }
        }
        if machine.config.batch_end == BatchEnd::Poster && !self.posts_on(thread_id, machine) {
            self.batches.get(batch).poster = Some(thread_id);
            self.passes.threads[thread_id].phase = Phase::WaitBatch;
            self.batch_posted(batch, machine);
            return Step::Blocked;
        }
        self.batch_posted(batch, machine);
        self.go_on_after_batch(thread_id, machine)
    }

    /// Without a doublewrite a thread that waits for its writes does so at the end of its slot: whether it goes on before
    /// that, its batch posted.
    fn posts_on(&mut self, thread_id: ThreadId, machine: &mut Machine) -> bool {
        let thread = &mut self.passes.threads[thread_id];
        let in_slot = matches!(thread.resume, Phase::CollectLru { .. } | Phase::CollectList { .. });
        let goes_on = in_slot && machine.config.doublewrite == DoublewriteConfig::Off;
        if goes_on {
            let batch = self.batches.get(thread.batch);
            batch.waited_for_later = true;
            thread.posted_until = batch.done.iter().max().copied().max(thread.posted_until);
        }
        goes_on
    }

    /// A thread found no more pages in its slot. If it has posted some without waiting for them, it does so now, as if with
    /// the empty `batch`, and goes on in `resume`.
    pub(super) fn waits_for_posted(
        &mut self,
        thread_id: ThreadId,
        batch: BatchId,
        resume: Phase,
        machine: &mut Machine,
    ) -> bool {
        let &mut Batch { kind, instance, .. } = self.batches.get(batch);
        let thread = &mut self.passes.threads[thread_id];
        if thread.posted_until.is_none() {
            return false;
        }
        (thread.batch, thread.kind, thread.resume, thread.phase) = (batch, kind, resume, Phase::WaitBatch);
        if kind == ListKind::Lru {
            self.lru_batch_started(instance);
            self.lru_batch_built(instance, machine);
        }
        self.batches.get(batch).poster = Some(thread_id);
        self.batch_posted(batch, machine);
        true
    }

    /// Posts the write that begins with the page at `next`; returns the place of the page after it.
    fn post_write(&mut self, batch: BatchId, next: usize, machine: &mut Machine) -> usize {
        let end = if machine.config.merges_adjacent_writes { self.end_of_adjacent(batch, next) } else { next + 1 };
        let bytes = (end - next) as u64 * PAGE_BYTES;
        let done = match self.behind_the_last(batch, next, machine) {
            Some(distance) => machine.data_device.submit_near(machine.now, distance, bytes),
            None if end > next + 1 => machine.data_device.submit(machine.now, Op::SequentialWrite, bytes),
            None if self.follows_the_last(batch, next) => machine.data_device.submit_adjacent(machine.now, bytes),
            None => machine.data_device.submit(machine.now, Op::RandomWrite, bytes),
        };
        for place in next..end {
            let pages = &self.batches.get(batch).pages;
            let (page, later) = (pages[place], pages.get(place + PAGES_AHEAD));
            if let Some(&later) = later {
                machine.space.prefetch(later);
            }
            machine.check_page_write(page);
            let file = machine.space.space_of(page);
            machine.inodes.data_changes(file, machine.now);
            machine.observers.tell(DiskEvent::PageWritePosted { page, file, batch: Some(batch.0), done });
            machine.file_written_at(file, done);
            self.page_posted(batch, done, machine);
        }
        end
    }

    /// The place after the pages that follow each other in their extent, from the one at `start` on. All pages of an
    /// extent are written by the same thread, which looks for adjacent ones.
    fn end_of_adjacent(&mut self, batch: BatchId, start: usize) -> usize {
        let pages = &self.batches.get(batch).pages[start..];
        start + adjacent(pages)
    }

    /// Where threads fill the buffer of the whole server together: it is written, and each posts its own pages.
    fn others_post(&mut self, thread_id: ThreadId, machine: &mut Machine) {
        for thread in self.doublewrite.take_fillers() {
            let batch = self.passes.threads[thread].batch;
            self.batches.get(batch).held = Held::Buffer;
            if thread != thread_id {
                self.passes.threads[thread].phase = Phase::Post { next: 0 };
                machine.calendar.schedule(machine.now, Event::FlushThread(thread));
            }
        }
    }

    /// Whether a page of the batch lies behind the one before it, in the same extent.
    fn follows_the_last(&mut self, batch: BatchId, place: usize) -> bool {
        place > 0 && adjacent(&self.batches.get(batch).pages[place - 1..=place]) == 2
    }

    /// Bytes from the last page of the batch to this one, if that is so near that the device need not seek.
    #[inline]
    fn behind_the_last(&mut self, batch: BatchId, place: usize, machine: &mut Machine) -> Option<u64> {
        let near = machine.data_device.seek_free_bytes();
        if near == 0 || place == 0 {
            return None;
        }
        let pages = &self.batches.get(batch).pages;
        let (last, page) = (pages[place - 1], pages[place]);
        let distance = u64::from(page.checked_sub(last)?) * PAGE_BYTES;
        let strip = |page: u32| machine.data_device.strip_bytes().map(|strip| u64::from(page) * PAGE_BYTES / strip);
        let together = machine.space.space_of(last) == machine.space.space_of(page) && strip(last) == strip(page);
        (distance <= near && together).then_some(distance)
    }

    /// The thread's batch is on its way, or over: the thread goes on.
    fn go_on_after_batch(&mut self, thread_id: ThreadId, machine: &mut Machine) -> Step {
        let thread = &self.passes.threads[thread_id];
        let (kind, resume) = (thread.kind, thread.resume);
        if thread.pass.is_none() {
            self.release_thread(thread_id);
            return Step::Blocked;
        }
        if resume == Phase::TakeSlot && kind == ListKind::FlushList {
            self.end_list(thread_id, machine);
        }
        self.set_phase(thread_id, resume)
    }

    /// The batch that its poster waited for is written and synced.
    pub(super) fn poster_goes_on(&mut self, thread_id: ThreadId, base: &mut Base) {
        if self.go_on_after_batch(thread_id, &mut base.machine) == Step::Continue {
            self.thread_step(thread_id, base);
        }
    }
}

/// How many pages, from the first on, follow each other within an extent; `pages` is not empty.
fn adjacent(pages: &[u32]) -> usize {
    let same = |pair: &&[u32]| pair[1].checked_sub(1) == Some(pair[0]) && !pair[1].is_multiple_of(EXTENT_PAGES);
    1 + pages.windows(2).take_while(same).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_one_extent_that_follow_each_other_are_one_write() {
        assert_eq!(adjacent(&[5]), 1);
        assert_eq!(adjacent(&[5, 6, 7, 9]), 3);
        assert_eq!(adjacent(&[5, 4]), 1);
        assert_eq!(adjacent(&[62, 63, 64, 65]), 2, "up to the end of the extent");
    }
}
