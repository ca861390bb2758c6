//! The page cleaner's hands: its coordinator's sleep and its threads, slot by slot.
//!
//! Source: `innodb-8.0.21` sections 4.1, 5.2, 6.1. What to flush is the version's ([`crate::seam::ServerModel::cleaner`]);
//! here it is done. A request sets one slot for each buffer pool instance; each thread takes one slot after the other and
//! does an LRU batch, then a flush-list batch. Pages are collected into batches of the doublewrite's size. For each batch
//! the thread waits until the pages' redo is durable, until the previous batch of its doublewrite instance is finished, and
//! for a segment; it writes the batch to the doublewrite file, then posts the page writes as the device's queue has room.
//!
//! Simplification: the whole batch waits for redo before it goes on, where the servers wait page by page.

use super::Server;
use super::batches::ListKind;
use super::costs;
use super::events::Event;
use crate::buffer_pool::EXTENT_PAGES;
use crate::config::{DoublewriteConfig, FlushNeighbors, PAGE_BYTES};
use crate::kernel::time::{SimDuration, SimTime};
use crate::seam::{CleanerAction, CleanerInput, FlushKind, FlushRequest, PassReport};
use crate::storage::Op;
use std::collections::VecDeque;

/// Pages that a batch without doublewrite collects before they are posted.
const DIRECT_BATCH: u32 = 64;

/// What a cleaner thread does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Idle,
    TakeSlot,
    CollectLru { scanned: u64 },
    CollectList { left: u64 },
    WaitRedo,
    WaitDoublewrite,
    WaitSegment,
    WriteDoublewrite,
    SyncDoublewrite,
    Post { next: usize },
}

#[derive(Debug, Clone)]
struct Thread {
    phase: Phase,
    /// Where to go on once the batch is posted.
    resume: Phase,
    instance: usize,
    batch: u32,
}

/// State of the page cleaner.
#[derive(Debug)]
pub(super) struct Cleaner {
    threads: Vec<Thread>,
    request: Option<FlushRequest>,
    next_slot: usize,
    report: PassReport,
    /// Number of the current timer; older timers are stale.
    timer: u32,
    waiting: bool,
    wake_on_event: bool,
    event_set: bool,
    /// Threads that stand in line for room in the data device's queue, and the one that is being served.
    posters: VecDeque<u32>,
    served: Option<u32>,
    watching_room: bool,
}

impl Cleaner {
    pub(super) fn new(threads: u32) -> Self {
        let idle = Thread { phase: Phase::Idle, resume: Phase::Idle, instance: 0, batch: 0 };
        Cleaner {
            threads: vec![idle; threads.max(1) as usize],
            request: None,
            next_slot: 0,
            report: PassReport::default(),
            timer: 0,
            waiting: false,
            wake_on_event: false,
            event_set: false,
            posters: VecDeque::new(),
            served: None,
            watching_room: false,
        }
    }

    /// Whether a sync pass is running.
    pub(super) fn in_sync_pass(&self) -> bool {
        self.request.as_ref().is_some_and(|r| r.kind == FlushKind::Sync)
    }
}

impl Server {
    pub(super) fn start_cleaner(&mut self) {
        self.coordinator(CleanerInput::Start);
    }

    /// Sets the flush event.
    pub(super) fn set_flush_event(&mut self) {
        if self.cleaner.waiting && self.cleaner.wake_on_event && !self.cleaner.event_set {
            self.arm_cleaner_timer(self.now);
        }
        self.cleaner.event_set = true;
    }

    fn arm_cleaner_timer(&mut self, at: SimTime) {
        self.cleaner.timer = self.cleaner.timer.wrapping_add(1);
        if at < SimTime::NEVER {
            self.calendar.schedule(at, Event::CleanerTimer(self.cleaner.timer));
        }
    }

    pub(super) fn cleaner_timer(&mut self, number: u32) {
        if number != self.cleaner.timer || !self.cleaner.waiting {
            return;
        }
        self.cleaner.waiting = false;
        let by_event = self.cleaner.wake_on_event && std::mem::take(&mut self.cleaner.event_set);
        self.coordinator(if by_event { CleanerInput::Event } else { CleanerInput::Timeout });
    }

    fn coordinator(&mut self, input: CleanerInput) {
        match self.ask(|model, view| model.cleaner(view, input)) {
            CleanerAction::Wait { until, wake_on_event } => {
                self.cleaner.waiting = true;
                self.cleaner.wake_on_event = wake_on_event;
                let at = if wake_on_event && self.cleaner.event_set { self.now } else { until.max(self.now) };
                self.arm_cleaner_timer(at);
            }
            CleanerAction::Flush(request) => self.start_pass(request),
        }
    }

    fn start_pass(&mut self, request: FlushRequest) {
        self.cleaner.report = PassReport::default();
        self.cleaner.next_slot = 0;
        let threads = if request.parallel { self.cleaner.threads.len() } else { 1 };
        let sync_first = request.sync_redo_first;
        self.recorder.sync_flushing |= request.kind == FlushKind::Sync;
        self.cleaner.request = Some(request);
        let current = self.redo.current_lsn();
        for thread in 0..threads {
            self.cleaner.threads[thread].phase = Phase::TakeSlot;
            if sync_first && current > self.redo.position().durable_lsn {
                self.wait_for_durable(current, thread as u32);
            } else {
                self.calendar.schedule(self.now + costs::SLOT_OVERHEAD, Event::CleanerThread(thread as u32));
            }
        }
    }

    /// A cleaner thread goes on until it must wait for something.
    pub(super) fn thread_step(&mut self, index: u32) {
        loop {
            let phase = self.cleaner.threads[index as usize].phase;
            let goes_on = match phase {
                Phase::Idle => false,
                Phase::TakeSlot => self.take_slot(index),
                Phase::CollectLru { scanned } => self.collect_lru(index, scanned),
                Phase::CollectList { left } => self.collect_list(index, left),
                Phase::WaitRedo => self.wait_redo(index),
                Phase::WaitDoublewrite => self.wait_doublewrite(index),
                Phase::WaitSegment => self.wait_segment(index),
                Phase::WriteDoublewrite => self.write_doublewrite(index),
                Phase::SyncDoublewrite => self.sync_doublewrite(index),
                Phase::Post { next } => self.post(index, next),
            };
            if !goes_on {
                return;
            }
        }
    }

    fn set_phase(&mut self, index: u32, phase: Phase) -> bool {
        self.cleaner.threads[index as usize].phase = phase;
        true
    }

    /// Sleeps until `at`, then goes on in `phase`.
    fn sleep(&mut self, index: u32, at: SimTime, phase: Phase) -> bool {
        self.cleaner.threads[index as usize].phase = phase;
        self.calendar.schedule(at, Event::CleanerThread(index));
        false
    }

    fn take_slot(&mut self, index: u32) -> bool {
        let Some(request) = &self.cleaner.request else { return false };
        let instance = self.cleaner.next_slot;
        if instance == request.slots.len() {
            self.cleaner.threads[index as usize].phase = Phase::Idle;
            self.end_pass_if_idle();
            return false;
        }
        let lru = request.lru;
        self.cleaner.next_slot += 1;
        self.cleaner.threads[index as usize].instance = instance;
        if lru && self.pool.lru_batch_wanted(instance) {
            return self.set_phase(index, Phase::CollectLru { scanned: 0 });
        }
        self.start_list(index)
    }

    /// Begins the flush-list batch of a slot; it is skipped while an earlier one of the instance has writes in flight.
    fn start_list(&mut self, index: u32) -> bool {
        let instance = self.cleaner.threads[index as usize].instance;
        let left = self.cleaner.request.as_ref().map_or(0, |r| r.slots[instance]);
        if left == 0 || self.pool.has_batch_in_flight(instance) {
            return self.sleep(index, self.now + costs::SLOT_OVERHEAD, Phase::TakeSlot);
        }
        self.set_phase(index, Phase::CollectList { left })
    }

    fn end_pass_if_idle(&mut self) {
        if self.cleaner.threads.iter().any(|t| t.phase != Phase::Idle) {
            return;
        }
        self.cleaner.request = None;
        let report = self.cleaner.report;
        self.cleaner_tick();
        self.coordinator(CleanerInput::Done(report));
    }

    fn batch_size(&self) -> u32 {
        match self.config.doublewrite {
            DoublewriteConfig::Off => DIRECT_BATCH,
            DoublewriteConfig::PerInstance { batch_pages, .. } => batch_pages,
        }
    }

    /// Collects a batch from the tail of the flush list.
    fn collect_list(&mut self, index: u32, left: u64) -> bool {
        let instance = self.cleaner.threads[index as usize].instance;
        let Some(request) = &self.cleaner.request else { return false };
        let (limit, kind) = (request.lsn_limit, request.kind);
        let size = left.min(u64::from(self.batch_size())) as usize;
        let batch = self.batches.create(ListKind::FlushList, instance);
        let mut first_lsn = u64::MAX;
        while self.batches.get(batch).pages.len() < size
            && let Some(taken) = self.pool.take_tail(instance, limit)
        {
            first_lsn = first_lsn.min(taken.lsn);
            self.batches.get(batch).pages.push(taken.page);
            self.collect_neighbors(batch, taken.page);
        }
        let count = self.batches.get(batch).pages.len() as u64;
        if count == 0 {
            self.batches.discard(batch);
            return self.sleep(index, self.now + costs::SLOT_OVERHEAD, Phase::TakeSlot);
        }
        self.pool.begin_batch(instance, batch, first_lsn);
        self.cleaner.report.list_pages += count;
        self.recorder.flushed(kind, count);
        let exhausted = count < size as u64 || count >= left;
        let resume = if exhausted { Phase::TakeSlot } else { Phase::CollectList { left: left - count } };
        self.batch_collected(index, batch, resume)
    }

    /// Adds the neighbours of a page to its batch, as `innodb_flush_neighbors` says: dirty pages of its area, an extent of the
    /// tablespace (less in a pool under 1024 pages). A batch may grow beyond its size by them.
    fn collect_neighbors(&mut self, batch: u32, page: u32) {
        if self.config.flush_neighbors == FlushNeighbors::None {
            return;
        }
        let pool_pages = (self.config.buffer_pool.pages / 16).max(1).next_power_of_two() as u32;
        let area = EXTENT_PAGES.min(pool_pages);
        let first = page / area * area;
        let below: Vec<u32> = (first..page).rev().collect();
        let above: Vec<u32> = (page + 1..first + area).collect();
        for side in [below, above] {
            for neighbor in side {
                if self.pool.take_page(neighbor) {
                    self.batches.get(batch).pages.push(neighbor);
                    self.recorder.counts.neighbor_pages += 1;
                } else if self.config.flush_neighbors == FlushNeighbors::Contiguous {
                    break;
                }
            }
        }
    }

    /// Collects a batch from the tail of the LRU list; clean pages are freed on the way.
    fn collect_lru(&mut self, index: u32, scanned: u64) -> bool {
        let instance = self.cleaner.threads[index as usize].instance;
        let size = self.batch_size() as usize;
        let batch = self.batches.create(ListKind::Lru, instance);
        let depth = self.pool.scan_depth();
        let mut seen = scanned;
        let mut next = self.pool.lru().and_then(|l| l.tail(instance));
        // Pages of an earlier batch of this slot are still at the tail, under write: they were counted then.
        while let Some(page) = next {
            if seen >= depth || self.batches.get(batch).pages.len() >= size || !self.pool.lru_batch_wanted(instance) {
                break;
            }
            next = self.pool.lru().and_then(|l| l.before(page));
            if self.pool.is_under_write(page) {
                continue;
            }
            seen += 1;
            if self.pool.take_page(page) {
                self.batches.get(batch).pages.push(page);
                self.collect_neighbors(batch, page);
            } else if self.pool.evict_if_clean(page, instance) {
                self.cleaner.report.evicted_pages += 1;
            }
        }
        let count = self.batches.get(batch).pages.len() as u64;
        if count == 0 {
            self.batches.discard(batch);
            self.free_pages.batch_ended(instance);
            return self.start_list(index);
        }
        self.cleaner.report.lru_pages += count;
        let in_sync = self.cleaner.in_sync_pass();
        self.recorder.flushed_lru(count, in_sync);
        self.batch_collected(index, batch, Phase::CollectLru { scanned: seen })
    }

    fn batch_collected(&mut self, index: u32, batch: u32, resume: Phase) -> bool {
        let thread = &mut self.cleaner.threads[index as usize];
        (thread.batch, thread.resume) = (batch, resume);
        let pool = &self.pool;
        let wanted = self.redo.wanted_before_writing(|page| pool.is_under_write(page));
        let entry = self.batches.get(batch);
        entry.wanted_lsn = wanted;
        let cost = SimDuration(costs::PAGE_PREPARE.0 * entry.pages.len() as u64);
        self.sleep(index, self.now + cost, Phase::WaitRedo)
    }

    fn wait_redo(&mut self, index: u32) -> bool {
        let batch = self.cleaner.threads[index as usize].batch;
        let wanted = self.batches.get(batch).wanted_lsn;
        if wanted > self.redo.position().durable_lsn {
            self.recorder.writes_that_waited_for_redo += 1;
            self.wait_for_durable(wanted, index);
            return false;
        }
        let next = match self.config.doublewrite {
            DoublewriteConfig::Off => Phase::Post { next: 0 },
            DoublewriteConfig::PerInstance { .. } => Phase::WaitDoublewrite,
        };
        self.set_phase(index, next)
    }

    fn wait_doublewrite(&mut self, index: u32) -> bool {
        let batch = self.cleaner.threads[index as usize].batch;
        self.batches.claim_doublewrite(batch, index) && self.set_phase(index, Phase::WaitSegment)
    }

    fn wait_segment(&mut self, index: u32) -> bool {
        let batch = self.cleaner.threads[index as usize].batch;
        self.batches.claim_segment(batch, index) && self.set_phase(index, Phase::WriteDoublewrite)
    }

    fn write_doublewrite(&mut self, index: u32) -> bool {
        if !self.queue_admits(index) {
            return false;
        }
        let DoublewriteConfig::PerInstance { sync_file, fixed_bytes, .. } = self.config.doublewrite else {
            return self.set_phase(index, Phase::Post { next: 0 });
        };
        let batch = self.cleaner.threads[index as usize].batch;
        let pages = self.batches.get(batch).pages.len() as u64;
        let bytes = fixed_bytes.unwrap_or(pages * PAGE_BYTES);
        let done = self.data_device.submit(self.now, Op::SequentialWrite, bytes);
        self.recorder.counts.dblwr_pages += pages;
        self.recorder.counts.dblwr_writes += 1;
        self.sleep(index, done, if sync_file { Phase::SyncDoublewrite } else { Phase::Post { next: 0 } })
    }

    fn sync_doublewrite(&mut self, index: u32) -> bool {
        let done = self.data_device.submit(self.now, Op::Sync, 0);
        self.recorder.counts.data_fsyncs += 1;
        self.sleep(index, done, Phase::Post { next: 0 })
    }

    /// Whether the data device's queue has room for a thread that wants to submit; if not, the thread stands in line.
    fn queue_admits(&mut self, index: u32) -> bool {
        if self.cleaner.served == Some(index) {
            self.cleaner.served = None;
            return true;
        }
        let now = self.now;
        if self.cleaner.posters.is_empty() && self.data_device.admission_time(now, costs::POST_CHUNK as u32) <= now {
            return true;
        }
        self.cleaner.posters.push_back(index);
        self.watch_queue_room();
        false
    }

    fn watch_queue_room(&mut self) {
        if std::mem::replace(&mut self.cleaner.watching_room, true) {
            return;
        }
        let at = self.data_device.admission_time(self.now, costs::POST_CHUNK as u32);
        self.calendar.schedule(at, Event::QueueRoom);
    }

    /// The queue has room: the thread that has stood in line longest submits, unless others were faster.
    pub(super) fn queue_room(&mut self) {
        self.cleaner.watching_room = false;
        if self.data_device.admission_time(self.now, costs::POST_CHUNK as u32) > self.now {
            return self.watch_queue_room();
        }
        if let Some(thread) = self.cleaner.posters.pop_front() {
            self.cleaner.served = Some(thread);
            self.thread_step(thread);
        }
        if !self.cleaner.posters.is_empty() {
            self.watch_queue_room();
        }
    }

    /// Posts page writes, a few at a time, as the device's queue has room.
    fn post(&mut self, index: u32, next: usize) -> bool {
        let batch = self.cleaner.threads[index as usize].batch;
        let pages = self.batches.get(batch).pages.len();
        let mut next = next;
        while next < pages {
            if !self.queue_admits(index) {
                self.cleaner.threads[index as usize].phase = Phase::Post { next };
                return false;
            }
            for _ in 0..costs::POST_CHUNK.min(pages - next) {
                let page = self.batches.get(batch).pages[next];
                self.check_page_write(page);
                let done = self.data_device.submit(self.now, Op::RandomWrite, PAGE_BYTES);
                self.page_posted(batch, done);
                next += 1;
            }
        }
        self.batch_posted(batch);
        let resume = self.cleaner.threads[index as usize].resume;
        self.set_phase(index, resume)
    }
}
