//! The doublewrite: whose turn it is to write pages there, and what of it a batch holds until its data files are
//! synced.
//!
//! Source: `innodb-8.0.21` section 6.1 (a buffer for each pool instance and kind, segments of its files); `innodb-5.5`
//! and `innodb-5.6` section 6, `mariadb-10.11` section 7 (one buffer for the whole server, filled by one thread at a
//! time or by all together). [`crate::server::flush::posting`] takes the batches through it.

use crate::config::{DoublewriteConfig, SharedCollecting};
use crate::server::flush::Flush;
use crate::server::machine::Machine;
use crate::server::machine::events::Event;
use crate::server::machine::ids::ThreadId;
use crate::server::machine::owners::{Held, ListKind};
use std::collections::VecDeque;

/// The doublewrite buffer of the whole server.
#[derive(Debug, Clone, Default)]
struct SharedBuffer {
    taken: bool,
    /// The thread that may collect into it, or write it.
    holder: Option<ThreadId>,
    waiting_threads: VecDeque<ThreadId>,
    /// Batches that came out of it and are not over.
    in_flight: u32,
}

/// How far the buffer of the whole server is filled, where threads fill it together.
#[derive(Debug, Clone, Default)]
struct Filling {
    pages: u32,
    /// Threads that have added pages and not yet prepared them.
    preparing: u32,
    /// Threads that have.
    ready: Vec<ThreadId>,
    /// Whether nobody may add pages any more: it is about to be written, or its pages are on their way.
    closed: bool,
}

/// The buffer of one doublewrite instance of one kind: at most one batch in flight.
#[derive(Debug, Clone, Default)]
struct OwnBuffer {
    in_flight: bool,
    waiting_threads: VecDeque<ThreadId>,
}

/// The doublewrite of the server.
#[derive(Debug, Clone)]
pub(in crate::server) struct Doublewrite {
    /// Indexed by kind, then instance.
    buffers: [Vec<OwnBuffer>; 2],
    segments_free: [u32; 2],
    segment_waiters: [VecDeque<ThreadId>; 2],
    shared: SharedBuffer,
    /// Pages that the shared buffer holds and what is in it, where threads fill it together.
    filling: Option<(u32, Filling)>,
}

impl Doublewrite {
    pub(in crate::server) fn new(config: &DoublewriteConfig) -> Self {
        let (instances, segments) = match *config {
            DoublewriteConfig::Off | DoublewriteConfig::Shared { .. } => (0, [0, 0]),
            DoublewriteConfig::PerInstance { instances, flush_list_segments, lru_segments, .. } => {
                (instances as usize, [lru_segments, flush_list_segments])
            }
        };
        Doublewrite {
            buffers: [vec![OwnBuffer::default(); instances], vec![OwnBuffer::default(); instances]],
            segments_free: segments,
            segment_waiters: [VecDeque::new(), VecDeque::new()],
            shared: SharedBuffer::default(),
            filling: match *config {
                DoublewriteConfig::Shared { batch_pages, collecting: SharedCollecting::Together, .. } => {
                    Some((batch_pages, Filling::default()))
                }
                _ => None,
            },
        }
    }

    /// Room for pages in the buffer that threads fill together; `None` if there is no such buffer.
    pub(in crate::server) fn room(&self) -> Option<u32> {
        self.filling.as_ref().map(|(size, filling)| size - filling.pages)
    }

    /// Whether a thread may add pages to it; if not, the thread is woken when it is empty again.
    pub(super) fn may_fill(&mut self, thread: ThreadId) -> bool {
        let Some((size, filling)) = &self.filling else { return true };
        let may = !filling.closed && filling.pages < *size;
        if !may {
            self.shared.waiting_threads.push_back(thread);
        }
        may
    }

    /// A thread has added pages to it and now prepares them.
    pub(in crate::server) fn filled(&mut self, pages: u64) {
        if let Some((_, filling)) = &mut self.filling {
            filling.pages += pages as u32;
            filling.preparing += 1;
        }
    }

    /// What is in it is written: it has room for all pages again. The threads that wait for that.
    fn emptied(&mut self) -> VecDeque<ThreadId> {
        let Some((_, filling)) = &mut self.filling else { return VecDeque::new() };
        (filling.pages, filling.closed) = (0, false);
        std::mem::take(&mut self.shared.waiting_threads)
    }

    /// The pages of a thread are prepared: the buffer is closed. Once those of every thread are, it holds so many
    /// batches that can be written, and true comes back.
    pub(in crate::server) fn prepared(&mut self, thread: ThreadId) -> bool {
        let Some((_, filling)) = &mut self.filling else { return false };
        filling.closed = true;
        filling.preparing -= 1;
        filling.ready.push(thread);
        self.shared.in_flight = filling.ready.len() as u32;
        filling.preparing == 0
    }

    /// Pages in the buffer that threads fill together.
    pub(super) fn pages_filled(&self) -> Option<u64> {
        self.filling.as_ref().map(|(_, filling)| u64::from(filling.pages))
    }

    /// The threads whose batches go to the doublewrite in one with that of `thread`, which is among them.
    pub(super) fn written_with(&self, thread: ThreadId) -> Vec<ThreadId> {
        match &self.filling {
            Some((_, filling)) => filling.ready.clone(),
            None => vec![thread],
        }
    }

    /// The threads whose pages are in it; asked once, when it is written.
    pub(super) fn take_fillers(&mut self) -> Vec<ThreadId> {
        self.filling.as_mut().map_or_else(Vec::new, |(_, filling)| std::mem::take(&mut filling.ready))
    }

    /// A batch out of the buffer of the whole server is over; whether it was the last one.
    pub(super) fn last_of_buffer(&mut self) -> bool {
        self.shared.in_flight -= 1;
        self.shared.in_flight == 0
    }

    /// Claims the buffer of an instance; false if its previous batch is still in flight, in which case `thread` is
    /// woken when it is not.
    pub(super) fn claim(&mut self, kind: ListKind, instance: usize, thread: ThreadId) -> bool {
        let side = &mut self.buffers[kind as usize];
        let count = side.len();
        let buffer = &mut side[instance % count];
        if buffer.in_flight {
            buffer.waiting_threads.push_back(thread);
            return false;
        }
        buffer.in_flight = true;
        true
    }

    /// Takes a segment; false if there is none, in which case `thread` is woken when there is.
    pub(super) fn claim_segment(&mut self, kind: ListKind, thread: ThreadId) -> bool {
        let side = kind as usize;
        if self.segments_free[side] == 0 {
            self.segment_waiters[side].push_back(thread);
            return false;
        }
        self.segments_free[side] -= 1;
        true
    }

    /// Takes the buffer of the whole server for a thread; false if another has it, in which case the thread is woken
    /// when it has become its own.
    pub(super) fn claim_buffer(&mut self, thread: ThreadId) -> bool {
        if self.shared.holder == Some(thread) {
            return true;
        }
        if self.shared.taken {
            self.shared.waiting_threads.push_back(thread);
            return false;
        }
        (self.shared.taken, self.shared.holder) = (true, Some(thread));
        true
    }

    /// A batch takes the buffer over from the thread that collected it.
    pub(super) fn buffer_in_flight(&mut self) {
        (self.shared.holder, self.shared.in_flight) = (None, 1);
    }

    /// A thread that took the buffer and collected nothing gives it back.
    pub(super) fn release_unused_buffer(&mut self, thread: ThreadId) {
        if self.shared.holder == Some(thread) {
            (self.shared.taken, self.shared.holder) = (false, None);
        }
    }

    /// Gives a free buffer to the thread that has waited longest.
    fn next_buffer_holder(&mut self) -> Option<ThreadId> {
        if self.shared.taken || self.filling.is_some() {
            return None;
        }
        let next = self.shared.waiting_threads.pop_front()?;
        (self.shared.taken, self.shared.holder) = (true, Some(next));
        Some(next)
    }

    /// Gives a segment back; the thread to wake, if one waits.
    fn return_segment(&mut self, kind: ListKind) -> Option<ThreadId> {
        self.segments_free[kind as usize] += 1;
        self.segment_waiters[kind as usize].pop_front()
    }
}

impl Flush {
    /// The batch is written: its doublewrite instance may start the next.
    pub(super) fn release_doublewrite(&mut self, kind: ListKind, instance: usize, held: Held, machine: &mut Machine) {
        let side = &mut self.doublewrite.buffers[kind as usize];
        if side.is_empty() || held == Held::Nothing {
            return;
        }
        let count = side.len();
        let doublewrite = &mut side[instance % count];
        doublewrite.in_flight = false;
        if let Some(thread) = doublewrite.waiting_threads.pop_front() {
            machine.calendar.schedule(machine.now, Event::FlushThread(thread));
        }
    }

    /// Gives back what a batch held.
    pub(super) fn release_held(&mut self, held: Held, machine: &mut Machine) {
        match held {
            Held::Nothing => {}
            Held::Segment(kind) => {
                if let Some(thread) = self.doublewrite.return_segment(kind) {
                    machine.calendar.schedule(machine.now, Event::FlushThread(thread));
                }
            }
            Held::Buffer => {
                self.doublewrite.shared.taken = false;
                self.wake_next_poster(machine);
                self.empty_buffer(machine);
            }
        }
    }

    /// The buffer that threads fill together is empty again: all who wait may add pages.
    fn empty_buffer(&mut self, machine: &mut Machine) {
        for thread in self.doublewrite.emptied() {
            machine.calendar.schedule(machine.now, Event::FlushThread(thread));
        }
    }

    /// Lets the next thread have the buffer of the whole server, if it is free.
    pub(super) fn wake_next_poster(&mut self, machine: &mut Machine) {
        if let Some(thread) = self.doublewrite.next_buffer_holder() {
            machine.calendar.schedule(machine.now, Event::FlushThread(thread));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A buffer of three pages that threads fill together.
    fn filled_together() -> Doublewrite {
        Doublewrite {
            buffers: [Vec::new(), Vec::new()],
            segments_free: [0, 0],
            segment_waiters: [VecDeque::new(), VecDeque::new()],
            shared: SharedBuffer::default(),
            filling: Some((3, Filling::default())),
        }
    }

    /// Who comes while its last pages are being prepared must not go on as if there were nothing to flush.
    #[test]
    fn nobody_adds_to_a_full_buffer() {
        let mut doublewrite = filled_together();
        doublewrite.filled(2);
        assert!(doublewrite.may_fill(ThreadId(1)) && doublewrite.room() == Some(1));
        doublewrite.filled(1);
        assert!(!doublewrite.may_fill(ThreadId(2)) && doublewrite.room() == Some(0));
        assert_eq!(doublewrite.shared.waiting_threads, [ThreadId(2)]);
    }

    /// The first that is ready closes it, and the last one has it written.
    #[test]
    fn the_buffer_is_closed_by_the_first_and_written_by_the_last() {
        let mut doublewrite = filled_together();
        doublewrite.filled(1);
        doublewrite.filled(1);
        assert!(!doublewrite.prepared(ThreadId(4)), "another still prepares its pages");
        assert!(!doublewrite.may_fill(ThreadId(6)), "there is room, but it is closed");
        assert!(doublewrite.prepared(ThreadId(5)));
        assert_eq!(doublewrite.take_fillers(), [4, 5].map(ThreadId));
        assert_eq!([doublewrite.last_of_buffer(), doublewrite.last_of_buffer()], [false, true]);
    }

    /// Once it is written it has room for all its pages, and who waited may add some.
    #[test]
    fn an_emptied_buffer_has_all_its_room() {
        let mut doublewrite = filled_together();
        doublewrite.filled(3);
        assert!(!doublewrite.may_fill(ThreadId(2)) && !doublewrite.may_fill(ThreadId(5)));
        doublewrite.prepared(ThreadId(1));
        assert_eq!(doublewrite.emptied(), [2, 5].map(ThreadId));
        assert!(doublewrite.may_fill(ThreadId(2)) && doublewrite.room() == Some(3));
        assert!(by_instance().emptied().is_empty(), "no buffer of the whole server");
    }

    /// Three instances of each kind, two segments for flush lists and one for LRU lists.
    fn by_instance() -> Doublewrite {
        Doublewrite::new(&DoublewriteConfig::PerInstance {
            batch_pages: 4,
            flush_list_segments: 2,
            lru_segments: 1,
            instances: 3,
            sync_file: true,
            fixed_bytes: None,
        })
    }

    /// Pool 3 shares the doublewrite instance of pool 0, and each kind has its own.
    #[test]
    fn a_doublewrite_instance_has_one_batch_in_flight() {
        let mut doublewrite = by_instance();
        let claims = [(ListKind::FlushList, 0), (ListKind::FlushList, 3), (ListKind::FlushList, 1), (ListKind::Lru, 3)];
        let got = claims.map(|(kind, pool)| doublewrite.claim(kind, pool, ThreadId(7)));
        assert_eq!(got, [true, false, true, true]);
        let waiting = |kind: ListKind| {
            doublewrite.buffers[kind as usize].iter().map(|b| b.waiting_threads.len()).collect::<Vec<_>>()
        };
        assert_eq!([waiting(ListKind::FlushList), waiting(ListKind::Lru)], [[1, 0, 0], [0, 0, 0]]);
    }

    #[test]
    fn segments_go_to_those_who_wait_in_turn() {
        let mut doublewrite = by_instance();
        let got = [4, 5, 6, 7].map(|thread| doublewrite.claim_segment(ListKind::FlushList, ThreadId(thread)));
        assert_eq!(got, [true, true, false, false]);
        assert_eq!([8, 9].map(|thread| doublewrite.claim_segment(ListKind::Lru, ThreadId(thread))), [true, false]);
        let returned = [ListKind::FlushList; 3].map(|kind| doublewrite.return_segment(kind));
        assert_eq!(returned, [Some(ThreadId(6)), Some(ThreadId(7)), None]);
        assert_eq!((doublewrite.segments_free, doublewrite.return_segment(ListKind::Lru)), ([0, 3], Some(ThreadId(9))));
    }

    fn of_the_server(collecting: SharedCollecting) -> Doublewrite {
        Doublewrite::new(&DoublewriteConfig::Shared { batch_pages: 120, area_pages: 64, collecting, sync_file: true })
    }

    /// One thread at a time has the buffer, from its collecting until its batch is over; who waits longest is the next.
    #[test]
    fn the_buffer_of_the_server_goes_from_thread_to_thread() {
        let mut doublewrite = of_the_server(SharedCollecting::OneThread);
        assert_eq!(
            (doublewrite.room(), doublewrite.pages_filled(), doublewrite.written_with(ThreadId(3))),
            (None, None, vec![ThreadId(3)])
        );
        assert_eq!((doublewrite.may_fill(ThreadId(3)), doublewrite.prepared(ThreadId(3))), (true, false));
        assert_eq!(doublewrite.take_fillers(), []);
        assert_eq!([3, 3, 4, 5].map(|thread| doublewrite.claim_buffer(ThreadId(thread))), [true, true, false, false]);
        assert_eq!(doublewrite.next_buffer_holder(), None, "it is taken");
        doublewrite.release_unused_buffer(ThreadId(4));
        assert!(doublewrite.shared.taken, "it is not that thread's");
        doublewrite.release_unused_buffer(ThreadId(3));
        assert_eq!(doublewrite.next_buffer_holder(), Some(ThreadId(4)));
        assert!(doublewrite.claim_buffer(ThreadId(4)) && !doublewrite.claim_buffer(ThreadId(3)));
        doublewrite.buffer_in_flight();
        assert!(!doublewrite.claim_buffer(ThreadId(4)), "the batch has it now");
        assert!(doublewrite.last_of_buffer());
        doublewrite.shared.taken = false;
        assert_eq!([doublewrite.next_buffer_holder(), doublewrite.next_buffer_holder()], [Some(ThreadId(5)), None]);
    }

    /// Threads that fill the buffer together don't take it one after the other.
    #[test]
    fn pages_of_a_buffer_filled_together_are_counted() {
        let mut doublewrite = of_the_server(SharedCollecting::Together);
        assert_eq!((doublewrite.room(), doublewrite.pages_filled()), (Some(120), Some(0)));
        doublewrite.filled(50);
        doublewrite.filled(30);
        assert_eq!((doublewrite.room(), doublewrite.pages_filled()), (Some(40), Some(80)));
        assert_eq!([doublewrite.prepared(ThreadId(2)), doublewrite.prepared(ThreadId(9))], [false, true]);
        assert_eq!(doublewrite.written_with(ThreadId(9)), [2, 9].map(ThreadId));
        assert!(!doublewrite.may_fill(ThreadId(4)));
        assert_eq!(doublewrite.next_buffer_holder(), None);
    }
}
