//! Batches of page writes, from collection to the end of their data-file sync.
//!
//! Source: `innodb-8.0.21` sections 4.5, 6.1 and 8. Pages of a batch are under write from the moment they are collected
//! (the wait for the doublewrite included) until their batch is finished by an I/O thread. A batch is finished when its last
//! write is completed; the thread that completes it lets the doublewrite instance start its next batch, then syncs every
//! data file with unsynced writes, and only then gives the doublewrite segment back.
//!
//! Asynchronous writes are spread over the I/O threads by extent, and a thread that is in the middle of its syncs completes
//! nothing: a batch over many extents is finished when every thread it needs has been free once. This is what ties the page
//! rate to the time of data-file syncs.
//!
//! The pages of a batch become clean together, at its end, unless somebody looks at one of them earlier: a client that wants
//! to modify a page whose write is done finds it completed. Simplification: the age of the oldest page sees a batch as a whole
//! (errs upwards by the spread of one batch, milliseconds).

use super::Server;
use super::events::Event;
use crate::buffer_pool::EXTENT_PAGES;
use crate::config::{DataSync, DoublewriteConfig, FreePagePolicy, MachineConfig, SharedCollecting};
use crate::kernel::time::SimTime;
use std::collections::VecDeque;

/// Stands for a page of a batch that was completed before the rest of its batch.
const COMPLETED: u32 = u32::MAX;

/// Which list a batch comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListKind {
    /// LRU batches.
    Lru,
    /// Flush list batches.
    FlushList,
}

/// Pages on their way to the data files.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) kind: ListKind,
    pub(super) instance: usize,
    pub(super) pages: Vec<u32>,
    /// Device completion of each page posted so far.
    done: Vec<SimTime>,
    /// Redo that must be durable before the batch may be written.
    pub(super) wanted_lsn: u64,
    /// Clients that wait for a page of this batch that is not posted yet.
    waiters: Vec<(u32, u32)>,
    /// I/O threads that have not yet completed their share.
    threads_left: u32,
    /// The thread that waits for the end of the batch.
    pub(super) poster: Option<u32>,
    held: Held,
}

/// What a batch holds of the doublewrite until its data files are synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    Nothing,
    /// A segment of this kind (a buffer for each instance).
    Segment(ListKind),
    /// The buffer of the whole server.
    Buffer,
}

/// The doublewrite buffer of the whole server.
#[derive(Debug, Default)]
struct SharedBuffer {
    taken: bool,
    /// The thread that may collect into it, or write it.
    holder: Option<u32>,
    waiting_threads: VecDeque<u32>,
    /// Batches that came out of it and are not over.
    in_flight: u32,
}

/// How far the buffer of the whole server is filled, where threads fill it together.
#[derive(Debug, Default)]
struct Filling {
    pages: u32,
    /// Threads that have added pages and not yet prepared them.
    preparing: u32,
    /// Threads that have.
    ready: Vec<u32>,
    /// Whether nobody may add pages any more: it is about to be written, or its pages are on their way.
    closed: bool,
}

/// One doublewrite instance of one kind: at most one batch in flight.
#[derive(Debug, Clone, Default)]
struct Doublewrite {
    in_flight: bool,
    waiting_threads: VecDeque<u32>,
}

/// Batches, doublewrite instances and segments.
#[derive(Debug)]
pub(super) struct Batches {
    slab: Vec<Batch>,
    unused: Vec<u32>,
    /// Indexed by kind, then instance.
    doublewrite: [Vec<Doublewrite>; 2],
    segments_free: [u32; 2],
    segment_waiters: [VecDeque<u32>; 2],
    buffer: SharedBuffer,
    /// Pages that the buffer holds and what is in it, where threads fill it together.
    filling: Option<(u32, Filling)>,
}

impl Batches {
    pub(super) fn new(config: &MachineConfig) -> Self {
        let (instances, segments) = match config.doublewrite {
            DoublewriteConfig::Off | DoublewriteConfig::Shared { .. } => (0, [0, 0]),
            DoublewriteConfig::PerInstance { instances, flush_list_segments, lru_segments, .. } => {
                (instances as usize, [lru_segments, flush_list_segments])
            }
        };
        Batches {
            slab: Vec::new(),
            unused: Vec::new(),
            doublewrite: [vec![Doublewrite::default(); instances], vec![Doublewrite::default(); instances]],
            segments_free: segments,
            segment_waiters: [VecDeque::new(), VecDeque::new()],
            buffer: SharedBuffer::default(),
            filling: match config.doublewrite {
                DoublewriteConfig::Shared { batch_pages, collecting: SharedCollecting::Together, .. } => {
                    Some((batch_pages, Filling::default()))
                }
                _ => None,
            },
        }
    }

    /// Room for pages in the buffer that threads fill together; `None` if there is no such buffer.
    pub(super) fn room(&self) -> Option<u32> {
        self.filling.as_ref().map(|(size, filling)| size - filling.pages)
    }

    /// Whether a thread may add pages to it; if not, the thread is woken when it is empty again.
    pub(super) fn may_fill(&mut self, thread: u32) -> bool {
        let Some((size, filling)) = &self.filling else { return true };
        let may = !filling.closed && filling.pages < *size;
        if !may {
            self.buffer.waiting_threads.push_back(thread);
        }
        may
    }

    /// A thread has added pages to it and now prepares them.
    pub(super) fn filled(&mut self, pages: u64) {
        if let Some((_, filling)) = &mut self.filling {
            filling.pages += pages as u32;
            filling.preparing += 1;
        }
    }

    /// The pages of a thread are prepared: the buffer is closed. Once those of every thread are, it holds so many batches that
    /// can be written, and true comes back.
    pub(super) fn prepared(&mut self, thread: u32) -> bool {
        let Some((_, filling)) = &mut self.filling else { return false };
        filling.closed = true;
        filling.preparing -= 1;
        filling.ready.push(thread);
        self.buffer.in_flight = filling.ready.len() as u32;
        filling.preparing == 0
    }

    /// Pages in the buffer that threads fill together.
    pub(super) fn pages_filled(&self) -> Option<u64> {
        self.filling.as_ref().map(|(_, filling)| u64::from(filling.pages))
    }

    /// The threads whose pages are in it; asked once, when it is written.
    pub(super) fn take_fillers(&mut self) -> Vec<u32> {
        self.filling.as_mut().map_or_else(Vec::new, |(_, filling)| std::mem::take(&mut filling.ready))
    }

    /// A batch out of the buffer of the whole server is over; whether it was the last one.
    fn last_of_buffer(&mut self) -> bool {
        self.buffer.in_flight -= 1;
        self.buffer.in_flight == 0
    }

    /// A new empty batch.
    pub(super) fn create(&mut self, kind: ListKind, instance: usize) -> u32 {
        let index = self.unused.pop().unwrap_or_else(|| {
            self.slab.push(Batch {
                kind,
                instance,
                pages: Vec::new(),
                done: Vec::new(),
                wanted_lsn: 0,
                waiters: Vec::new(),
                threads_left: 0,
                poster: None,
                held: Held::Nothing,
            });
            self.slab.len() as u32 - 1
        });
        let batch = &mut self.slab[index as usize];
        (batch.kind, batch.instance, batch.wanted_lsn) = (kind, instance, 0);
        (batch.poster, batch.held) = (None, Held::Nothing);
        index
    }

    /// Gives an empty batch back.
    pub(super) fn discard(&mut self, index: u32) {
        let batch = &mut self.slab[index as usize];
        batch.pages.clear();
        batch.done.clear();
        batch.waiters.clear();
        self.unused.push(index);
    }

    pub(super) fn get(&mut self, index: u32) -> &mut Batch {
        &mut self.slab[index as usize]
    }

    /// Claims the doublewrite instance of the batch; false if its previous batch is still in flight, in which case `thread`
    /// is woken when it is not.
    pub(super) fn claim_doublewrite(&mut self, index: u32, thread: u32) -> bool {
        let batch = &self.slab[index as usize];
        let side = &mut self.doublewrite[batch.kind as usize];
        let count = side.len();
        let doublewrite = &mut side[batch.instance % count];
        if doublewrite.in_flight {
            doublewrite.waiting_threads.push_back(thread);
            return false;
        }
        doublewrite.in_flight = true;
        true
    }

    /// Takes a segment for the batch; false if there is none, in which case `thread` is woken when there is.
    pub(super) fn claim_segment(&mut self, index: u32, thread: u32) -> bool {
        let side = self.slab[index as usize].kind as usize;
        if self.segments_free[side] == 0 {
            self.segment_waiters[side].push_back(thread);
            return false;
        }
        self.segments_free[side] -= 1;
        self.slab[index as usize].held = Held::Segment(self.slab[index as usize].kind);
        true
    }

    /// Takes the buffer of the whole server for a thread; false if another has it, in which case the thread is woken when it
    /// has become its own.
    pub(super) fn claim_buffer(&mut self, thread: u32) -> bool {
        if self.buffer.holder == Some(thread) {
            return true;
        }
        if self.buffer.taken {
            self.buffer.waiting_threads.push_back(thread);
            return false;
        }
        (self.buffer.taken, self.buffer.holder) = (true, Some(thread));
        true
    }

    /// The batch takes the buffer over from the thread that collected it.
    pub(super) fn buffer_in_flight(&mut self, batch: u32) {
        (self.buffer.holder, self.buffer.in_flight) = (None, 1);
        self.slab[batch as usize].held = Held::Buffer;
    }

    /// The batch is one of those in the buffer that threads fill together.
    pub(super) fn in_buffer(&mut self, batch: u32) {
        self.slab[batch as usize].held = Held::Buffer;
    }

    /// A thread that took the buffer and collected nothing gives it back.
    pub(super) fn release_unused_buffer(&mut self, thread: u32) {
        if self.buffer.holder == Some(thread) {
            (self.buffer.taken, self.buffer.holder) = (false, None);
        }
    }

    /// Gives a free buffer to the thread that has waited longest.
    fn next_buffer_holder(&mut self) -> Option<u32> {
        if self.buffer.taken || self.filling.is_some() {
            return None;
        }
        let next = self.buffer.waiting_threads.pop_front()?;
        (self.buffer.taken, self.buffer.holder) = (true, Some(next));
        Some(next)
    }

    /// Clients that wait for a page that is not posted yet.
    pub(super) fn waiting_clients(&self) -> usize {
        self.slab.iter().map(|b| b.waiters.len()).sum()
    }

    /// Gives a segment back; the thread to wake, if one waits.
    fn return_segment(&mut self, kind: ListKind) -> Option<u32> {
        self.segments_free[kind as usize] += 1;
        self.segment_waiters[kind as usize].pop_front()
    }
}

impl Server {
    /// The device has accepted the next page of the batch and will be done with it at `done`.
    pub(super) fn page_posted(&mut self, batch: u32, done: SimTime) {
        let entry = self.batches.get(batch);
        let page = entry.pages[entry.done.len()];
        entry.done.push(done);
        if !entry.waiters.is_empty() {
            self.clients_see_completion(batch, page, done);
        }
    }

    fn clients_see_completion(&mut self, batch: u32, page: u32, done: SimTime) {
        let entry = &mut self.batches.slab[batch as usize];
        for (client, _) in entry.waiters.extract_if(.., |(_, p)| *p == page) {
            self.calendar.schedule(done, Event::Body(client));
        }
    }

    /// All pages of the batch are posted; if that took CPU time, they may be written already.
    pub(super) fn batch_posted(&mut self, batch: u32) {
        let last = self.batches.get(batch).done.iter().max().copied();
        self.last_write_completes(last.unwrap_or(self.now).max(self.now), Event::BatchOnDevice(batch));
    }

    /// A client met a page under write. If its write is done and its I/O thread is free, the page is completed here and now
    /// and true comes back; otherwise the client goes on when that may be so.
    pub(super) fn page_write_over(&mut self, client: u32, page: u32) -> bool {
        let now = self.now;
        let thread = page / EXTENT_PAGES % self.syncs.threads();
        for entry in &mut self.batches.slab {
            let Some(place) = entry.pages.iter().position(|&p| p == page) else { continue };
            match entry.done.get(place) {
                None => entry.waiters.push((client, page)),
                Some(&done) if done > now => self.calendar.schedule(done, Event::Body(client)),
                Some(_) if self.syncs.wait_for_thread(thread, client) => {}
                Some(_) => {
                    entry.pages[place] = COMPLETED;
                    self.pool.page_written(page);
                    self.syncs.mark_unsynced(self.space.space_of(page));
                    return true;
                }
            }
            self.recorder.blocked_modifications += 1;
            return false;
        }
        self.recorder.blocked_modifications += 1;
        self.calendar.schedule(now + super::costs::SINGLE_PAGE_POLL, Event::Body(client));
        false
    }

    /// The device is done with the last page of a batch: the I/O threads complete it as they are free.
    pub(super) fn batch_on_device(&mut self, batch: u32) {
        if self.batches.get(batch).poster.is_some() {
            return self.finish_batch(batch, 0);
        }
        let threads = self.syncs.threads();
        let mut needed = 0u64;
        for &page in self.batches.get(batch).pages.iter().filter(|&&p| p != COMPLETED) {
            needed |= 1 << (page / EXTENT_PAGES % threads);
        }
        if needed == 0 {
            // Every page was completed by a client that looked; some thread must still end the batch.
            needed = 1 << (batch % threads);
        }
        let mut left = 0;
        let mut last = 0;
        for thread in (0..threads).filter(|t| needed >> t & 1 != 0) {
            last = thread;
            left += u32::from(self.syncs.complete_later(thread, batch));
        }
        self.batches.get(batch).threads_left = left;
        if left == 0 {
            self.finish_batch(batch, last);
        }
    }

    /// An I/O thread that was busy completes its share of a batch; the last one finishes the batch.
    pub(super) fn complete_share(&mut self, batch: u32, thread: u32) {
        let entry = self.batches.get(batch);
        entry.threads_left -= 1;
        if entry.threads_left == 0 {
            self.finish_batch(batch, thread);
        }
    }

    fn finish_batch(&mut self, index: u32, thread: u32) {
        let batch = self.batches.get(index);
        let (kind, instance) = (batch.kind, batch.instance);
        let pages = std::mem::take(&mut batch.pages);
        for &page in pages.iter().filter(|&&p| p != COMPLETED) {
            self.pool.page_written(page);
            self.syncs.mark_unsynced(self.space.space_of(page));
            if kind == ListKind::Lru && self.config.buffer_pool.lru_frees_written {
                self.pool.evict_if_clean(page, instance);
            }
        }
        self.pool.end_batch(instance, index);
        // From 5.6 on MySQL looks at the tail again when a whole slot is posted.
        if !matches!(self.config.buffer_pool.free_pages, FreePagePolicy::SinglePage { .. }) {
            self.free_pages.batch_ended(instance);
        }
        let batch = self.batches.get(index);
        batch.pages = pages;
        let (held, poster) = (batch.held, batch.poster);
        self.batches.discard(index);
        self.release_doublewrite(kind, instance, held);
        match kind {
            ListKind::Lru => self.lru_batch_over(instance),
            ListKind::FlushList => self.instance_maybe_over(instance),
        }
        if held == Held::Buffer && !self.batches.last_of_buffer() {
            return;
        }
        match (self.config.data_sync, poster) {
            (DataSync::EveryBatch, None) => self.start_batch_sync(thread, held),
            (DataSync::EveryBatch, Some(poster)) => self.start_poster_sync(poster, held),
            (DataSync::AtCheckpoint | DataSync::Never, None) => self.release_held(held),
            (DataSync::AtCheckpoint | DataSync::Never, Some(poster)) => {
                self.release_held(held);
                self.poster_goes_on(poster);
            }
        }
    }

    fn release_doublewrite(&mut self, kind: ListKind, instance: usize, held: Held) {
        let side = &mut self.batches.doublewrite[kind as usize];
        if side.is_empty() || held == Held::Nothing {
            return;
        }
        let count = side.len();
        let doublewrite = &mut side[instance % count];
        doublewrite.in_flight = false;
        if let Some(thread) = doublewrite.waiting_threads.pop_front() {
            self.calendar.schedule(self.now, Event::CleanerThread(thread));
        }
    }

    /// Gives back what a batch held.
    pub(super) fn release_held(&mut self, held: Held) {
        match held {
            Held::Nothing => {}
            Held::Segment(kind) => {
                if let Some(thread) = self.batches.return_segment(kind) {
                    self.calendar.schedule(self.now, Event::CleanerThread(thread));
                }
            }
            Held::Buffer => {
                self.batches.buffer.taken = false;
                self.wake_next_poster();
                self.empty_buffer();
            }
        }
    }

    /// The buffer that threads fill together is empty again: all who wait may add pages.
    fn empty_buffer(&mut self) {
        let Some((_, filling)) = &mut self.batches.filling else { return };
        (filling.pages, filling.closed) = (0, false);
        for thread in std::mem::take(&mut self.batches.buffer.waiting_threads) {
            self.calendar.schedule(self.now, Event::CleanerThread(thread));
        }
    }

    /// Lets the next thread have the buffer of the whole server, if it is free.
    pub(super) fn wake_next_poster(&mut self) {
        if let Some(thread) = self.batches.next_buffer_holder() {
            self.calendar.schedule(self.now, Event::CleanerThread(thread));
        }
    }
}
