//! Passes: flush requests carried out, slot by slot, by threads.
//!
//! Source: `innodb-8.0.21` sections 4.1, 5.2, 6.1; `innodb-5.5` and `innodb-5.6` section 5 for passes by user threads.
//! The page cleaner has one pass at a time, taken by its threads; a user thread that must flush has a pass and a thread
//! of its own. A request sets one slot for each buffer pool instance; each thread takes one slot after the other and
//! does the LRU work, then a flush-list batch (`collect`, `lru_batches`). Pages are collected into batches of the doublewrite's size,
//! which `posting` takes to the device.

use crate::kernel::time::SimTime;
use crate::seam::{FlushRequest, LruWork, PassReport};
use crate::server::base::Base;
use crate::server::flush::Flush;
use crate::server::machine::Machine;
use crate::server::machine::costs;
use crate::server::machine::events::Event;
use crate::server::machine::ids::{BatchId, PassId, ThreadId};
use crate::server::machine::owners::{ListKind, Requester, Signal};

/// What a thread does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum Phase {
    Idle,
    TakeSlot,
    CollectLru { scanned: u64 },
    LruTurn { scanned: u64, evicted: u64, taken: u64 },
    WaitLru { scanned: u64 },
    StartList,
    CollectList { left: u64 },
    Prepare,
    WaitRedo,
    WaitDoublewrite,
    WaitSegment,
    WriteDoublewrite { written: u64 },
    SyncDoublewrite,
    Post { next: usize },
    WaitBatch,
}

/// Whether a thread goes on after a phase.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// With its next phase, now.
    Continue,
    /// When what it waits for happens, or with its next pass.
    Blocked,
}

/// A thread that flushes: of the page cleaner, lent to a user thread, or carrying one batch.
#[derive(Debug, Clone)]
pub(in crate::server) struct Thread {
    pub(in crate::server) phase: Phase,
    /// Where to go on once the batch is posted.
    pub(super) resume: Phase,
    pub(in crate::server) instance: usize,
    pub(in crate::server) batch: BatchId,
    /// What that is of; the batch itself is gone when the thread has waited for it.
    pub(in crate::server) kind: ListKind,
    /// Its pass; `None` for a thread that carries one batch and is done.
    pub(in crate::server) pass: Option<PassId>,
    /// Pages taken that did not fit into the batch: the first of the next.
    pub(in crate::server) carry: Vec<u32>,
    /// Until when the device is busy with what it has posted in this slot and not waited for.
    pub(super) posted_until: Option<SimTime>,
    /// The scan of an LRU list that it is at, between two turns.
    pub(super) lru_scan: Option<LruScan>,
}

/// How far a thread has come in an LRU list.
#[derive(Debug, Clone, Copy)]
pub(in crate::server) struct LruScan {
    pub(super) batch: BatchId,
    /// Pages that the batch began with.
    pub(super) carried: u64,
    /// The page that is next; the tail, if there is none.
    pub(super) at: Option<u32>,
}

impl Thread {
    fn idle(pass: Option<PassId>) -> Self {
        let (phase, resume, kind) = (Phase::Idle, Phase::Idle, ListKind::FlushList);
        let (batch, carry) = (BatchId(0), Vec::new());
        Thread { phase, resume, instance: 0, batch, kind, pass, carry, posted_until: None, lru_scan: None }
    }
}

/// The pass of the page cleaner.
const PAGE_CLEANER: PassId = PassId(0);

/// A request on its way.
#[derive(Debug, Clone, Default)]
pub(super) struct Pass {
    requester: Requester,
    pub(in crate::server) request: Option<FlushRequest>,
    next_slot: usize,
    /// Threads at work.
    running: u32,
    pub(in crate::server) report: PassReport,
}

/// Passes and their threads.
#[derive(Debug, Clone, Default)]
pub(super) struct Passes {
    /// The page cleaner's threads come first.
    pub(in crate::server) threads: Vec<Thread>,
    cleaner_threads: usize,
    unused_threads: Vec<ThreadId>,
    /// The page cleaner's pass comes first.
    passes: Vec<Pass>,
    unused_passes: Vec<PassId>,
    /// Instances whose flush-list batch is being collected.
    building: Vec<bool>,
    /// Instances of which a thread does an LRU batch, from its claim to its last page posted.
    lru_building: Vec<bool>,
    /// LRU batches in flight, by instance.
    lru_in_flight: Vec<u32>,
    /// What goes on when the LRU batches of an instance are over.
    lru_waiters: Vec<(usize, Event)>,
    /// Who waits for the batches of all instances, and the instance that it has come to.
    batch_waiters: Vec<(Requester, usize)>,
}

impl Passes {
    pub(in crate::server) fn new(cleaner_threads: u32, instances: u32) -> Self {
        let cleaner_threads = cleaner_threads.max(1) as usize;
        Passes {
            threads: vec![Thread::idle(Some(PAGE_CLEANER)); cleaner_threads],
            cleaner_threads,
            passes: vec![Pass::default()],
            building: vec![false; instances as usize],
            lru_building: vec![false; instances as usize],
            lru_in_flight: vec![0; instances as usize],
            ..Passes::default()
        }
    }

    /// The page cleaner's request.
    pub(in crate::server) fn of_cleaner(&self) -> Option<&FlushRequest> {
        self.passes[PAGE_CLEANER].request.as_ref()
    }

    /// The pass of a thread.
    pub(in crate::server) fn of_thread(&mut self, thread_id: ThreadId) -> Option<&mut Pass> {
        let pass = self.threads[thread_id].pass?;
        Some(&mut self.passes[pass])
    }

    /// Clients that flush or wait for batches.
    pub(in crate::server) fn clients(&self) -> usize {
        let client = |requester: Requester| matches!(requester, Requester::Client(_));
        let flushing = self.passes[1..].iter().filter(|p| p.request.is_some() && client(p.requester)).count();
        flushing + self.batch_waiters.iter().filter(|(requester, _)| client(*requester)).count()
    }

    /// Clients that wait for LRU batches.
    pub(super) fn lru_waiting_clients(&self) -> usize {
        self.lru_waiters.iter().filter(|(_, event)| event.client().is_some()).count()
    }

    /// Whether a thread flushes for a client.
    pub(super) fn works_for_client(&self, thread: ThreadId) -> bool {
        let pass = self.threads[thread].pass;
        pass.is_some_and(|pass| matches!(self.passes[pass].requester, Requester::Client(_)))
    }

    /// A thread for one job beside the page cleaner's.
    pub(super) fn acquire_thread(&mut self, pass: Option<PassId>) -> ThreadId {
        let thread = Thread::idle(pass);
        match self.unused_threads.pop() {
            Some(thread_id) => {
                self.threads[thread_id] = thread;
                thread_id
            }
            None => {
                let thread_id = ThreadId::at(self.threads.len());
                self.threads.push(thread);
                thread_id
            }
        }
    }

    fn open(&mut self, requester: Requester) -> PassId {
        if requester == Requester::PageCleaner {
            return PAGE_CLEANER;
        }
        let pass = Pass { requester, request: None, next_slot: 0, running: 0, report: PassReport::default() };
        match self.unused_passes.pop() {
            Some(pass_id) => {
                self.passes[pass_id] = pass;
                pass_id
            }
            None => {
                let pass_id = PassId::at(self.passes.len());
                self.passes.push(pass);
                pass_id
            }
        }
    }
}

impl Flush {
    /// Begins to carry out a request.
    pub(in crate::server) fn start_pass(&mut self, requester: Requester, request: FlushRequest, machine: &mut Machine) {
        let pass_id = self.passes.open(requester);
        let (threads, starts) = match requester {
            Requester::PageCleaner if request.parallel => (0..self.passes.cleaner_threads, Event::PassStarts),
            Requester::PageCleaner => (0..1, Event::FlushThread(ThreadId(0))),
            Requester::Client(_) | Requester::LruManager(_) | Requester::Purge | Requester::PurgeThread(_) => {
                let thread = self.passes.acquire_thread(Some(pass_id));
                machine.processors.flush_thread_acquired(thread, matches!(requester, Requester::Client(_)));
                (thread.index()..thread.index() + 1, Event::FlushThread(thread))
            }
        };
        if request.reset_event {
            machine.cleaner_event.reset();
        }
        machine.recorder.sync_flushing |= request.kind == crate::seam::FlushKind::Sync;
        let counting = costs::LIST_PAGE * request.pages_counted;
        machine.cpu().redo_waits_for_count(counting);
        let pass = &mut self.passes.passes[pass_id];
        pass.report = PassReport::default();
        pass.next_slot = request.only_instance.unwrap_or(0) as usize;
        pass.running = threads.len() as u32;
        pass.request = Some(request);
        for thread in threads {
            self.passes.threads[thread].phase = Phase::TakeSlot;
        }
        machine.calendar.schedule(machine.now + counting + costs::SLOT_OVERHEAD, starts);
    }

    /// The page cleaner's threads take their first slots.
    pub(in crate::server) fn pass_starts(&mut self, base: &mut Base) {
        for thread in 0..self.passes.cleaner_threads as u32 {
            self.thread_step(ThreadId(thread), base);
        }
    }

    /// A thread goes on until it must wait for something.
    pub(in crate::server) fn thread_step(&mut self, thread_id: ThreadId, base: &mut Base) {
        loop {
            let phase = self.passes.threads[thread_id].phase;
            let step = match phase {
                Phase::Idle | Phase::WaitBatch => Step::Blocked,
                Phase::TakeSlot => self.take_slot(thread_id, &mut base.machine),
                Phase::CollectLru { scanned } => self.collect_lru(thread_id, scanned, &mut base.machine),
                Phase::LruTurn { scanned, evicted, taken } => {
                    let goes_on = Phase::CollectLru { scanned };
                    self.go_on_after_lru_scan(thread_id, goes_on, (evicted, taken), &mut base.machine)
                }
                Phase::WaitLru { scanned } => self.wait_lru(thread_id, scanned, &mut base.machine),
                Phase::StartList => self.start_list(thread_id, &mut base.machine),
                Phase::CollectList { left } => self.collect_list(thread_id, left, &mut base.machine),
                Phase::Prepare => self.prepare_pages(thread_id, &mut base.machine),
                Phase::WaitRedo => self.wait_redo(thread_id, base),
                Phase::WaitDoublewrite => self.wait_doublewrite(thread_id, &mut base.machine),
                Phase::WaitSegment => self.wait_segment(thread_id),
                Phase::WriteDoublewrite { written } => self.write_doublewrite(thread_id, written, &mut base.machine),
                Phase::SyncDoublewrite => self.sync_doublewrite(thread_id, base),
                Phase::Post { next } => self.post(thread_id, next, &mut base.machine),
            };
            if step == Step::Blocked {
                return;
            }
        }
    }

    pub(super) fn set_phase(&mut self, thread_id: ThreadId, phase: Phase) -> Step {
        self.passes.threads[thread_id].phase = phase;
        Step::Continue
    }

    /// Sleeps until `at`, then goes on in `phase`.
    pub(super) fn sleep(&mut self, thread_id: ThreadId, at: SimTime, phase: Phase, machine: &mut Machine) -> Step {
        self.passes.threads[thread_id].phase = phase;
        machine.calendar.schedule(at, Event::FlushThread(thread_id));
        Step::Blocked
    }

    fn take_slot(&mut self, thread_id: ThreadId, machine: &mut Machine) -> Step {
        let Some(pass) = self.passes.of_thread(thread_id) else { return Step::Blocked };
        let Some(request) = &pass.request else { return Step::Blocked };
        let (first, lru) = (pass.next_slot, request.lru);
        let end = request.only_instance.map_or(request.slots.len(), |only| only as usize + 1);
        if first >= end {
            self.thread_out_of_slots(thread_id, machine);
            return Step::Blocked;
        }
        let instance = self.pass_over_slots(thread_id, first, end, machine);
        if instance > first {
            return self.pay_for_slots(thread_id, instance - first, machine);
        }
        if let Some(pass) = self.passes.of_thread(thread_id) {
            pass.next_slot += 1;
        }
        self.passes.threads[thread_id].instance = instance;
        if self.lru_wanted(lru, instance, machine) {
            return self.set_phase(thread_id, Phase::CollectLru { scanned: 0 });
        }
        self.start_list(thread_id, machine)
    }

    /// Whether a slot begins with LRU work.
    fn lru_wanted(&self, work: LruWork, instance: usize, machine: &Machine) -> bool {
        match work {
            LruWork::None => false,
            LruWork::Batch(_) => machine.pool.frames.lru_batch_wanted(instance),
            // None is begun while the last one of the instance is not over.
            LruWork::ScanDepth | LruWork::Chunks(_) => {
                self.passes.lru_in_flight[instance] == 0 && machine.pool.frames.lru_batch_wanted(instance)
            }
            LruWork::Flush(pages) => pages > 0 && machine.pool.frames.evicts(),
        }
    }

    /// The first slot from `first` on, up to `end`, in which there is something to do. A page cleaner that flushes
    /// synchronously makes pass after pass without a pause, and finds nearly all slots of nearly all of them as they
    /// were. Not so a client: many flush at once, and each instance is as the others have left it when the client comes
    /// there.
    fn pass_over_slots(&mut self, thread_id: ThreadId, first: usize, end: usize, machine: &mut Machine) -> usize {
        let Some(pass_id) = self.passes.threads[thread_id].pass else { return first };
        if self.passes.works_for_client(thread_id) {
            return first;
        }
        let Some(request) = self.passes.passes[pass_id].request.take() else { return first };
        let mut busy_instances = 0;
        let found = (first..end).find(|&instance| {
            let (left, busy) = self.list_work(&request, instance, machine);
            let nothing = left == 0 || busy || !machine.pool.tail_below(instance, request.lsn_limit);
            let stops = !nothing || self.lru_wanted(request.lru, instance, machine);
            busy_instances += u64::from(!stops && left > 0 && busy);
            stops
        });
        let pass = &mut self.passes.passes[pass_id];
        pass.report.busy_instances += busy_instances;
        pass.request = Some(request);
        found.unwrap_or(end)
    }

    /// Slots were passed over, each of which takes its time; the threads of the pass share them.
    fn pay_for_slots(&mut self, thread_id: ThreadId, slots: usize, machine: &mut Machine) -> Step {
        let Some(pass) = self.passes.of_thread(thread_id) else { return Step::Blocked };
        pass.next_slot += slots;
        let own = (slots as u64).div_ceil(u64::from(pass.running.max(1)));
        self.sleep(thread_id, machine.now + costs::SLOT_OVERHEAD * own, Phase::TakeSlot, machine)
    }

    /// Pages that a request wants from the flush list of an instance, and whether an earlier batch there is not over.
    fn list_work(&self, request: &FlushRequest, instance: usize, machine: &Machine) -> (u64, bool) {
        let in_flight = machine.pool.dirty.has_batch_in_flight(instance) && !request.over_writes;
        (request.slots.get(instance).copied().unwrap_or(0), self.passes.building[instance] || in_flight)
    }

    /// Begins the flush-list batch of a slot; it is skipped while an earlier one of the instance is not over.
    pub(super) fn start_list(&mut self, thread_id: ThreadId, machine: &mut Machine) -> Step {
        let Thread { instance, pass: Some(pass_id), .. } = self.passes.threads[thread_id] else {
            return Step::Blocked;
        };
        let Some(request) = &self.passes.passes[pass_id].request else { return Step::Blocked };
        let (left, busy) = self.list_work(request, instance, machine);
        if left == 0 || busy {
            self.passes.passes[pass_id].report.busy_instances += u64::from(left > 0);
            return self.sleep(thread_id, machine.now + costs::SLOT_OVERHEAD, Phase::TakeSlot, machine);
        }
        self.passes.building[instance] = true;
        self.set_phase(thread_id, Phase::CollectList { left })
    }

    /// The flush-list batch of a slot is collected and posted.
    pub(super) fn end_list(&mut self, thread_id: ThreadId, machine: &mut Machine) {
        let instance = self.passes.threads[thread_id].instance;
        self.passes.building[instance] = false;
        machine.free_pages.batch_ended(instance);
        self.instance_maybe_over(instance, machine);
    }

    fn list_busy(&self, instance: usize, machine: &Machine) -> bool {
        self.passes.building[instance] || machine.pool.dirty.has_batch_in_flight(instance)
    }

    fn thread_out_of_slots(&mut self, thread_id: ThreadId, machine: &mut Machine) {
        self.passes.threads[thread_id].phase = Phase::Idle;
        let Some(pass_id) = self.passes.threads[thread_id].pass else { return };
        if thread_id.index() >= self.passes.cleaner_threads {
            self.passes.unused_threads.push(thread_id);
        }
        let pass = &mut self.passes.passes[pass_id];
        pass.running -= 1;
        if pass.running > 0 {
            return;
        }
        pass.request = None;
        let signal = Signal::PassDone { requester: pass.requester, report: pass.report };
        if pass.requester != Requester::PageCleaner {
            self.passes.unused_passes.push(pass_id);
        }
        debug_assert!(machine.signal.is_none(), "two passes end in one event");
        machine.signal = Some(signal);
    }

    /// A thread that carried one batch is done with it.
    pub(super) fn release_thread(&mut self, thread_id: ThreadId) {
        self.passes.threads[thread_id].phase = Phase::Idle;
        self.passes.unused_threads.push(thread_id);
    }

    /// Lets `requester` go on when the batches of every instance, one instance after the other, are over.
    pub(in crate::server) fn wait_for_batches(&mut self, requester: Requester, machine: &mut Machine) {
        self.go_on_waiting(requester, 0, machine);
    }

    fn go_on_waiting(&mut self, requester: Requester, from: usize, machine: &mut Machine) {
        let instances = self.passes.building.len();
        match (from..instances).find(|&i| self.waits_for(i, machine)) {
            Some(instance) => self.passes.batch_waiters.push((requester, instance)),
            None => machine.calendar.schedule(machine.now, requester.goes_on(Event::BatchesOver)),
        }
    }

    /// Whether who waits for the batches of an instance still has to.
    fn waits_for(&self, instance: usize, machine: &Machine) -> bool {
        self.list_busy(instance, machine) || (machine.config.waits_for_all_writes && self.lru_batch_runs(instance))
    }

    /// The batches of an instance may be over: those who wait for it look.
    pub(super) fn instance_maybe_over(&mut self, instance: usize, machine: &mut Machine) {
        if self.passes.batch_waiters.is_empty() || self.waits_for(instance, machine) {
            return;
        }
        let ready: Vec<_> = self.passes.batch_waiters.extract_if(.., |(_, i)| *i == instance).collect();
        for (requester, _) in ready {
            self.go_on_waiting(requester, instance + 1, machine);
        }
    }

    /// A thread does an LRU batch of `instance`.
    pub(in crate::server) fn claim_lru_batch(&mut self, instance: usize) {
        self.passes.lru_building[instance] = true;
    }

    /// Pages of an LRU batch of `instance` are on their way.
    pub(super) fn lru_batch_started(&mut self, instance: usize) {
        self.passes.lru_in_flight[instance] += 1;
    }

    /// The pages of an LRU batch of `instance` are collected to the last: the tail is worth searching again.
    pub(super) fn lru_batch_built(&mut self, instance: usize, machine: &mut Machine) {
        self.passes.lru_building[instance] = false;
        machine.free_pages.batch_ended(instance);
        self.wake_lru_waiters(instance, machine);
    }

    /// The writes of an LRU batch of `instance` are complete.
    pub(super) fn lru_batch_over(&mut self, instance: usize, machine: &mut Machine) {
        self.passes.lru_in_flight[instance] -= 1;
        self.wake_lru_waiters(instance, machine);
    }

    fn wake_lru_waiters(&mut self, instance: usize, machine: &mut Machine) {
        if self.lru_batch_runs(instance) {
            return;
        }
        self.instance_maybe_over(instance, machine);
        for (_, event) in self.passes.lru_waiters.extract_if(.., |(i, _)| *i == instance) {
            machine.calendar.schedule(machine.now, event);
        }
    }

    /// Whether an LRU batch of `instance` is being collected or written.
    fn lru_batch_runs(&self, instance: usize) -> bool {
        self.passes.lru_building[instance] || self.passes.lru_in_flight[instance] > 0
    }

    /// `goes_on` comes when the LRU batches of an instance are over; false if there are none.
    pub(in crate::server) fn wait_for_lru_batch(&mut self, goes_on: Event, instance: usize) -> bool {
        let waits = self.lru_batch_runs(instance);
        if waits {
            self.passes.lru_waiters.push((instance, goes_on));
        }
        waits
    }

    /// The same, if a thread is at collecting one.
    pub(in crate::server) fn wait_for_lru_batch_in_the_making(&mut self, goes_on: Event, instance: usize) -> bool {
        self.passes.lru_building[instance] && self.wait_for_lru_batch(goes_on, instance)
    }

    /// Waits for the LRU batches of the slot's instance, then collects the next chunk.
    fn wait_lru(&mut self, thread_id: ThreadId, scanned: u64, machine: &mut Machine) -> Step {
        let instance = self.passes.threads[thread_id].instance;
        if self.wait_for_lru_batch(Event::FlushThread(thread_id), instance) {
            return Step::Blocked;
        }
        if scanned >= machine.pool.frames.scan_depth() {
            return self.start_list(thread_id, machine);
        }
        self.set_phase(thread_id, Phase::CollectLru { scanned })
    }
}
