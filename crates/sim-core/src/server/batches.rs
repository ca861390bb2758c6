//! Batches of page writes, and what of the doublewrite each of them holds until its data files are synced.
//!
//! Source: `innodb-8.0.21` sections 4.5 and 6.1. Pages of a batch are under write from the moment they are collected (the wait for the
//! doublewrite included) until their batch is finished ([`super::completions`]).

use super::Server;
use super::events::Event;
use crate::config::{DoublewriteConfig, MachineConfig, SharedCollecting};
use crate::kernel::time::SimTime;
use std::collections::VecDeque;

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
    pub(super) done: Vec<SimTime>,
    /// Redo that must be durable before the batch may be written.
    pub(super) wanted_lsn: u64,
    /// Clients that wait for a page of this batch that is not posted yet.
    pub(super) waiters: Vec<(u32, u32)>,
    /// I/O threads that have not yet completed their share.
    pub(super) threads_left: u32,
    /// The thread that waits for the end of the batch.
    pub(super) poster: Option<u32>,
    pub(super) held: Held,
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
    pub(super) fn last_of_buffer(&mut self) -> bool {
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

    /// The batch in which a page is under write, and its place there.
    pub(super) fn with_page(&mut self, page: u32) -> Option<(&mut Batch, usize)> {
        self.slab.iter_mut().find_map(|batch| {
            let place = batch.pages.iter().position(|&p| p == page)?;
            Some((batch, place))
        })
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
    /// The batch is written: its doublewrite instance may start the next.
    pub(super) fn release_doublewrite(&mut self, kind: ListKind, instance: usize, held: Held) {
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
