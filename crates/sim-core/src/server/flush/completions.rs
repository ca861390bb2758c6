//! Batches completed: by the I/O threads, page by page in the servers, share by share here.
//!
//! Source: `innodb-8.0.21` sections 6.1 and 8, `innodb-5.6` section 5.4. A batch is finished when its last write is
//! completed; the thread that completes it lets the doublewrite instance start its next batch, then syncs every data
//! file with unsynced writes, and only then gives the doublewrite segment back.
//!
//! Asynchronous writes are spread over the I/O threads by extent, and a thread that is in the middle of its syncs
//! completes nothing: a batch over many extents is finished when every thread it needs has been free once. This is what
//! ties the page rate to the time of data-file syncs. Where completing takes CPU time, each of these threads must also
//! have come to a processor, and where syncs are done under a mutex that completing needs, have got that mutex
//! ([`crate::server::machine::lru_list_mutexes`]).
//!
//! The pages of a batch become clean together, at its end, unless somebody looks at one of them earlier: a client that
//! wants to modify a page whose write is done finds it completed. Simplifications: the age of the oldest page sees a
//! batch as a whole (errs upwards by the spread of one batch, milliseconds); of a thread's share of a batch only the
//! last page holds the thread up.

use crate::config::{BatchEnd, FreePagePolicy, LruWritten, SyncRound};
use crate::kernel::time::SimTime;
use crate::server::base::Base;
use crate::server::flush::Flush;
use crate::server::flush::batches::COMPLETED;
use crate::server::machine::Machine;
use crate::server::machine::costs;
use crate::server::machine::disk_events::DiskEvent;
use crate::server::machine::events::Event;
use crate::server::machine::ids::{BatchId, ClientId};
use crate::server::machine::owners::{EndedBatch, Held, ListKind, RoundOwner, RoundStep};

impl Flush {
    /// The device has accepted the next page of the batch and will be done with it at `done`.
    pub(super) fn page_posted(&mut self, batch: BatchId, done: SimTime, machine: &mut Machine) {
        let entry = self.batches.get(batch);
        let page = entry.pages[entry.done.len()];
        entry.done.push(done);
        if !entry.waiters.is_empty() {
            self.clients_see_completion(batch, page, done, machine);
        }
    }

    fn clients_see_completion(&mut self, batch: BatchId, page: u32, done: SimTime, machine: &mut Machine) {
        let entry = self.batches.get(batch);
        for (client, _) in entry.waiters.extract_if(.., |(_, p)| *p == page) {
            machine.calendar.schedule(done, Event::ClientResumes(client));
        }
    }

    /// All pages of the batch are posted; if that took CPU time, they may be written already.
    pub(super) fn batch_posted(&mut self, batch: BatchId, machine: &mut Machine) {
        if machine.io_threads_compute() {
            return self.io_threads_complete(batch, machine);
        }
        let entry = self.batches.get(batch);
        let (own, poster) = (entry.done.iter().max().copied(), entry.poster);
        // Who waits at the end of a slot waits for all that it has posted there.
        let earlier = poster.and_then(|poster| self.passes.threads[poster].posted_until.take());
        let last = own.max(earlier).map_or(machine.now, |last| last.max(machine.now));
        machine.cpu().last_write_completes(last, Event::BatchOnDevice(batch));
    }

    /// Each I/O thread that has pages of the batch completes them when the last of them is done on the device.
    fn io_threads_complete(&mut self, batch: BatchId, machine: &mut Machine) {
        let mut shares = vec![(0u64, machine.now); self.io_threads.count() as usize];
        let entry = self.batches.get(batch);
        for (&page, &done) in entry.pages.iter().zip(&entry.done) {
            // A page that a client completed is any thread's.
            let extent = if page == COMPLETED { batch.0 } else { machine.space.extent_of(page) };
            let (pages, last_done) = &mut shares[self.io_threads.thread_of(extent) as usize];
            (*pages, *last_done) = (*pages + 1, done.max(*last_done));
        }
        entry.threads_left = shares.iter().filter(|(pages, _)| *pages > 0).count() as u32;
        for (thread, (pages, last_done)) in shares.into_iter().enumerate().filter(|(_, (pages, _))| *pages > 0) {
            machine.cpu().completions_compute(pages - 1);
            machine.cpu().last_write_completes(last_done, Event::ShareOnDevice { batch, thread: thread as u8 });
        }
    }

    /// An I/O thread has its share of a batch: it completes it, unless it is busy with another.
    pub(in crate::server) fn share_on_device(&mut self, batch: BatchId, thread: u32, base: &mut Base) {
        if !self.io_threads.complete_later(thread, batch) {
            self.complete_share(batch, thread, base);
        }
    }

    /// A client met a page under write. If its write is done and its I/O thread is free, the page is completed here and
    /// now and true comes back; otherwise the client goes on when that may be so.
    pub(in crate::server) fn page_write_over(&mut self, client: ClientId, page: u32, base: &mut Base) -> bool {
        let (now, thread) = (base.machine.now, self.io_threads.thread_of(base.machine.space.extent_of(page)));
        match self.batches.with_page(page) {
            // A client flushes it alone.
            None => base.machine.calendar.schedule(now + costs::SINGLE_PAGE_POLL, Event::ClientResumes(client)),
            Some((batch, place)) => match batch.done.get(place) {
                None => batch.waiters.push((client, page)),
                Some(&done) if done > now => base.machine.calendar.schedule(done, Event::ClientResumes(client)),
                Some(_) if self.io_threads.wait_for(thread, client) => {}
                Some(_) => {
                    batch.pages[place] = COMPLETED;
                    page_is_written(page, base);
                    return true;
                }
            },
        }
        base.machine.recorder.blocked_modifications += 1;
        false
    }

    /// The device is done with the last page of a batch: the I/O threads complete it as they are free.
    pub(in crate::server) fn batch_on_device(&mut self, batch: BatchId, base: &mut Base) {
        let entry = self.batches.get(batch);
        if entry.poster.is_some() || entry.waited_for_later {
            return self.finish_batch(batch, 0, base);
        }
        let threads = self.io_threads.count();
        let mut needed = 0u64;
        for &page in self.batches.get(batch).pages.iter().filter(|&&p| p != COMPLETED) {
            needed |= 1 << self.io_threads.thread_of(base.machine.space.extent_of(page));
        }
        if needed == 0 {
            // Every page was completed by a client that looked; some thread must still end the batch.
            needed = 1 << (batch.0 % threads);
        }
        self.batches.get(batch).threads_left = needed.count_ones();
        for thread in (0..threads).filter(|t| needed >> t & 1 != 0) {
            self.share_on_device(batch, thread, base);
        }
    }

    /// An I/O thread completes its share of a batch, if nobody holds the mutex that it needs; the last one finishes the
    /// batch.
    pub(super) fn complete_share(&mut self, batch: BatchId, thread: u32, base: &mut Base) {
        let entry = self.batches.get(batch);
        let (kind, instance) = (entry.kind, entry.instance);
        let passes = Event::ShareCompletes { batch, thread: thread as u8 };
        if base.machine.lru_list_mutexes.held_by_sync(kind) {
            let waits = if base.machine.lru_list_mutexes.contention.is_some() {
                let pages = self.pages_of_share(batch, thread, &base.machine);
                base.machine.lru_visits().visit(instance, pages.max(1), passes, true)
            } else {
                base.machine.waits_for_lru_list(instance, passes)
            };
            if waits {
                return self.io_threads.set_busy(thread, true);
            }
        }
        let entry = self.batches.get(batch);
        entry.threads_left -= 1;
        if entry.threads_left == 0 {
            self.finish_batch(batch, thread, base);
        }
    }

    /// Pages of a batch that an I/O thread completes.
    fn pages_of_share(&mut self, batch: BatchId, thread: u32, machine: &Machine) -> u32 {
        let pages = &self.batches.get(batch).pages;
        let own =
            |page: &&u32| **page != COMPLETED && self.io_threads.thread_of(machine.space.extent_of(**page)) == thread;
        pages.iter().filter(own).count() as u32
    }

    /// An I/O thread has waited for the mutex, and has it if nobody was faster.
    pub(in crate::server) fn share_completes(&mut self, batch: BatchId, thread: u32, base: &mut Base) {
        self.io_threads.set_busy(thread, false);
        self.complete_share(batch, thread, base);
        self.io_thread_done(thread, base);
    }

    fn finish_batch(&mut self, batch_id: BatchId, thread: u32, base: &mut Base) {
        let batch = self.batches.get(batch_id);
        let (kind, instance) = (batch.kind, batch.instance);
        let pages = std::mem::take(&mut batch.pages);
        for &page in pages.iter().filter(|&&p| p != COMPLETED) {
            page_is_written(page, base);
            match base.machine.config.buffer_pool.lru_written {
                LruWritten::Freed if kind == ListKind::Lru => drop(base.machine.pool.evict_if_clean(page, instance)),
                LruWritten::MovedToTail if kind == ListKind::Lru => {
                    base.machine.pool.frames.move_to_tail(page, instance);
                    base.machine.free_pages.page_at_tail(instance);
                }
                _ => {}
            }
        }
        base.machine.pool.dirty.end_batch(instance, batch_id.0);
        // From 5.6 on MySQL looks at the tail again when a whole slot is posted.
        if !matches!(base.machine.config.buffer_pool.free_pages, FreePagePolicy::SinglePage { .. }) {
            base.machine.free_pages.batch_ended(instance);
        }
        let batch = self.batches.get(batch_id);
        batch.pages = pages;
        let (held, poster, waited_for_later) = (batch.held, batch.poster, batch.waited_for_later);
        self.batches.discard(batch_id);
        base.machine.observers.tell(DiskEvent::BatchEnded { batch: batch_id.0 });
        self.release_doublewrite(kind, instance, held, &mut base.machine);
        match kind {
            ListKind::Lru => self.lru_batch_over(instance, &mut base.machine),
            ListKind::FlushList => self.instance_maybe_over(instance, &mut base.machine),
        }
        if waited_for_later || (held == Held::Buffer && !self.doublewrite.last_of_buffer()) {
            return;
        }
        match (base.machine.config.data_sync.follows_batches(), poster) {
            (true, None) => {
                let mutex = base.machine.lru_list_mutexes.held_by_sync(kind).then_some(instance);
                self.io_threads.set_busy(thread, true);
                if let Some(instance) = mutex {
                    base.machine.lru_list_mutexes.hold(instance);
                }
                self.sync_data_files(EndedBatch::IoThread { thread, held, mutex }, base);
            }
            (true, Some(thread)) => self.sync_data_files(EndedBatch::Poster { thread, held }, base),
            (false, None) => {
                base.machine.observers.tell(DiskEvent::CopiesGivenBack);
                self.release_held(held, &mut base.machine);
            }
            (false, Some(poster)) => {
                base.machine.observers.tell(DiskEvent::CopiesGivenBack);
                self.release_held(held, &mut base.machine);
                self.poster_goes_on(poster, base);
            }
        }
    }

    /// A batch is over: its thread syncs the data files.
    fn sync_data_files(&mut self, ended: EndedBatch, base: &mut Base) {
        if let RoundStep::Over(_) = base.storage.begin_round(RoundOwner::Batch(ended), &mut base.machine) {
            self.batch_synced(ended, base);
        }
    }

    /// The data files are synced behind a batch: its thread goes on, and what the batch held is given back.
    ///
    /// Threads that wait for page writes look again, where they wait until none is in flight (MariaDB).
    pub(in crate::server) fn batch_synced(&mut self, ended: EndedBatch, base: &mut Base) {
        if base.machine.config.sync_round == SyncRound::UntilNoneLeft {
            base.machine.wake_watchers();
        }
        match ended {
            EndedBatch::IoThread { thread, held, mutex } => {
                self.release_held(held, &mut base.machine);
                if let Some(instance) = mutex {
                    base.machine.lru_visits().release(instance);
                }
                self.io_threads.set_busy(thread, false);
                self.io_thread_done(thread, base);
            }
            EndedBatch::Poster { thread, held } => {
                self.release_held(held, &mut base.machine);
                self.poster_goes_on(thread, base);
            }
        }
    }

    /// An I/O thread has ended a batch: unless that keeps it busy, it turns to what waits for it.
    fn io_thread_done(&mut self, thread: u32, base: &mut Base) {
        for client in self.io_threads.take_clients(thread) {
            base.machine.calendar.schedule(base.machine.now, Event::ClientResumes(client));
        }
        while let Some(batch) = self.io_threads.next_completion(thread) {
            self.complete_share(batch, thread, base);
        }
    }
}

/// The write of a page is completed; its file has an unsynced write, which threads that look again and again know already.
fn page_is_written(page: u32, base: &mut Base) {
    base.machine.pool.page_written(page);
    base.machine.observers.tell(DiskEvent::PageWriteEnded { page });
    if base.machine.config.sync_round == SyncRound::Listed {
        base.storage.mark_unsynced(base.machine.space.space_of(page));
    }
}

impl Machine {
    /// Whether I/O threads complete batches, each of which must get a processor for that.
    pub(super) fn io_threads_compute(&self) -> bool {
        self.config.batch_end == BatchEnd::IoThread && self.processors.completing_takes_time()
    }
}
