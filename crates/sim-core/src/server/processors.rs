//! The processors: who computes, and what happens when they are through.
//!
//! Two ways of sharing `cores` processors. In turns: first come, first served, a transaction's demand in one piece; it costs no
//! events, and where there are more processors than threads, nobody waits and it is all there is to say. Shared: each processor has
//! a run queue, whose threads get the same share of it at any moment, which is what a fair scheduler with short slices comes to
//! ([`crate::kernel::run_queues`]). The difference matters where threads
//! outnumber processors and begin together, as after a redo sync that many waited for: sharing, they arrive at their commits
//! together again and share the next sync; in turns they would arrive one by one.
//!
//! A client, a cleaner and a purge thread stay on their processor; a client of an open drive that had nothing to do goes to the one with
//! the fewest threads. What belongs to no such thread (completions, syncs of the redo log,
//! other programs) goes to the processors in turn. So a tenth of the CPU time is not used in a closed loop, as measured.
//!
//! Besides transactions, syncs and page writes take CPU time where the scenario says so: system calls, the block layer, threads that
//! are woken. Half of a redo sync's time (before 5.7, where all who wait are woken and whoever runs first syncs) or three quarters of it
//! lies between its end on the device and the moment at which the next may begin: the thread that synced must run to say so, and the
//! one that syncs next must be woken. The rest is that of the threads that waited; with these round figures as many transactions share a
//! sync as in our recordings (`docs/validation.md`). A sync of a data file, for which no client waits, takes half as much, of which the
//! thread that syncs computes a quarter, after it, and the kernel's threads and interrupts the rest. Of a page write the thread that
//! posts it does half, the one that completes it the other.
//!
//! A page's checksum is computed before the page is copied to the doublewrite buffer, by the thread that flushes, which is held up as
//! others are (`innodb-5.6` section 5.4). That of a page that was read is part of the read's time.
//!
//! A client that read a page computes before it goes on, and so does one that flushed old pages itself (`innodb-5.6` sections 2.3 and
//! 5.1): it went through all instances, waited for the batches of others, was woken with all who waited for the same.
//!
//! Whoever waited for the device waits for a processor before it goes on: clients, cleaners, the I/O threads that complete writes
//! and sync data files. Measured by thread under 9.7 with 16 clients behind a cap, where all wake together when the next part of the
//! budget comes: clients wait 170 to 230 us each time, I/O threads 130 to 220, and compute 12 to 18. Cleaners of nice -20 wait 20 to
//! 27; one with priority (`innodb-5.7` section 3.3: if permitted) is held up by nobody here.
//!
//! Simplifications: no other priorities, no cost of switching; a wait follows from how many share the queue, where measured ones
//! are below 30 us half the time and above 1.5 ms one time in a hundred (errs towards batches that end sooner); of a thread's share of a
//! batch only the last completion holds it up (the same).

use super::Server;
use super::costs;
use super::events::Event;
use crate::config::RedoPipeline;
use crate::kernel::run_queues::RunQueues;
use crate::kernel::station::{Station, StationReport};
use crate::kernel::time::{SimDuration, SimTime};
use crate::run_spec::{CpuScheduling, CpuSpec};

/// What follows a piece of computing, and how long after it.
type Follows = Option<(Event, SimDuration)>;

#[derive(Debug)]
enum Sharing {
    InTurns(Station),
    Equal {
        queues: RunQueues<Follows>,
        /// When the earliest [`Event::Computed`] that is still to come is due.
        due: Option<SimTime>,
        /// Whose turn it is among the processors to do what belongs to no thread.
        turn: usize,
        /// The processors of the clients.
        homes: Vec<usize>,
    },
}

/// The processor of the thread whose piece of computing this follows, if it is a certain one.
fn processor_of(event: Event, homes: &[usize]) -> Option<usize> {
    match event {
        Event::Body(client) | Event::SinglePage(client) => homes.get(client as usize).copied(),
        Event::CleanerThread(thread) | Event::LruManager(thread) | Event::PurgeThread(thread) => Some(thread as usize),
        _ => None,
    }
}

/// Takes turns.
fn next(turn: &mut usize) -> usize {
    *turn = turn.wrapping_add(1);
    *turn
}

/// Threads that wait for the device: what each computes when it wakes, and what follows.
#[derive(Debug, Default)]
struct Sleepers {
    slots: Vec<Option<(SimDuration, Event)>>,
    free: Vec<u32>,
}

impl Sleepers {
    fn put(&mut self, demand: SimDuration, event: Event) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() as u32 - 1
        });
        self.slots[slot as usize] = Some((demand, event));
        slot
    }

    fn take(&mut self, slot: u32) -> Option<(SimDuration, Event)> {
        let taken = self.slots[slot as usize].take();
        self.free.extend(taken.map(|_| slot));
        taken
    }
}

/// The processors of the host.
#[derive(Debug)]
pub(super) struct Processors {
    sharing: Sharing,
    spec: CpuSpec,
    sleepers: Sleepers,
}

impl Processors {
    pub(super) fn new(cores: u32, spec: CpuSpec, clients: u32) -> Self {
        let sharing = match spec.scheduling {
            CpuScheduling::InTurns => Sharing::InTurns(Station::new("CPU", cores)),
            CpuScheduling::Shared => Sharing::Equal {
                queues: RunQueues::new("CPU", cores),
                due: None,
                turn: 0,
                homes: (0..clients as usize).collect(),
            },
        };
        Processors { sharing, spec, sleepers: Sleepers::default() }
    }

    /// What takes time besides transactions.
    pub(super) fn spec(&self) -> CpuSpec {
        self.spec
    }

    pub(super) fn report(&mut self, now: SimTime) -> StationReport {
        match &mut self.sharing {
            Sharing::InTurns(station) => station.report(now),
            Sharing::Equal { queues, .. } => queues.report(now),
        }
    }
}

impl Server {
    /// Computes for `demand`; `pause` after that, `event` happens.
    #[inline]
    pub(super) fn compute(&mut self, demand: SimDuration, pause: SimDuration, event: Event) {
        self.compute_as(event, demand, pause, event);
    }

    /// The same on the processor of the thread that does `thread`.
    #[inline]
    fn compute_as(&mut self, thread: Event, demand: SimDuration, pause: SimDuration, event: Event) {
        match &mut self.processors.sharing {
            Sharing::InTurns(station) => {
                let done = station.submit(self.now, demand);
                self.calendar.schedule(done + pause, event);
            }
            Sharing::Equal { queues, turn, homes, .. } => {
                let processor = processor_of(thread, homes).unwrap_or_else(|| next(turn));
                queues.submit(self.now, processor, demand, Some((event, pause)));
                self.watch_processors();
            }
        }
    }

    /// A client that had nothing to do gets a transaction: it goes where least is to be done.
    pub(super) fn settle_client(&mut self, index: u32) {
        if let Sharing::Equal { queues, homes, .. } = &mut self.processors.sharing {
            homes[index as usize] = queues.shortest();
        }
    }

    /// Computes for `demand`; `pause` after that, `event` happens. Nobody is held up for a demand of no time.
    fn compute_or_go_on(&mut self, demand: SimDuration, pause: SimDuration, event: Event) {
        if demand.0 == 0 {
            self.calendar.schedule(self.now + pause, event);
        } else {
            self.compute(demand, pause, event);
        }
    }

    /// Computes for `demand` while everything else goes on.
    pub(super) fn compute_aside(&mut self, demand: SimDuration) {
        if demand.0 == 0 {
            return;
        }
        match &mut self.processors.sharing {
            Sharing::InTurns(station) => {
                station.submit(self.now, demand);
            }
            Sharing::Equal { queues, turn, .. } => {
                queues.submit(self.now, next(turn), demand, None);
                self.watch_processors();
            }
        }
    }

    /// Makes sure that [`Event::Computed`] comes when the next piece of work is done.
    fn watch_processors(&mut self) {
        let Sharing::Equal { queues, due, .. } = &mut self.processors.sharing else { return };
        if let Some(next) = queues.next_completion()
            && due.is_none_or(|due| next < due)
        {
            *due = Some(next);
            self.calendar.schedule(next, Event::Computed);
        }
    }

    /// A piece of work may be done, unless somebody came since that was foreseen.
    pub(super) fn computed(&mut self) {
        let now = self.now;
        let Sharing::Equal { queues, due, .. } = &mut self.processors.sharing else { return };
        if *due == Some(now) {
            *due = None;
        }
        while let Some(follows) = queues.pop_completed(now) {
            if let Some((event, pause)) = follows {
                self.calendar.schedule(now + pause, event);
            }
        }
        self.watch_processors();
    }

    /// A redo sync is done on the device at `at`.
    pub(super) fn redo_sync_ends(&mut self, at: SimTime) {
        let computes = self.processors.spec.sync.0 > 0;
        self.calendar.schedule(at, if computes { Event::RedoDurable } else { Event::RedoSynced });
    }

    /// It is done there: now the threads that it concerns compute.
    pub(super) fn redo_durable(&mut self) {
        let all = self.processors.spec.sync.0;
        let until_the_next = match self.config.redo.pipeline {
            RedoPipeline::LogMutex => all / 2,
            RedoPipeline::CommittingThread | RedoPipeline::DedicatedThreads => all * 3 / 4,
        };
        self.compute_aside(SimDuration(all - until_the_next));
        self.compute(SimDuration(until_the_next), SimDuration::ZERO, Event::RedoSynced);
    }

    /// A client has flushed old pages itself: it computes, then goes on.
    pub(super) fn client_flush_computes(&mut self, index: u32) {
        self.compute_or_go_on(self.processors.spec.client_flush, SimDuration::ZERO, Event::Body(index));
    }

    /// A client has read a page: it computes, then goes on; false if that takes no time.
    pub(super) fn page_read_computes(&mut self, index: u32) -> bool {
        let demand = self.processors.spec.page_read;
        if demand.0 > 0 {
            self.compute(demand, SimDuration::ZERO, Event::Body(index));
        }
        demand.0 > 0
    }

    /// A thread waits for the device until `at`; `event` happens when it has got a processor and computed there for `demand`.
    fn wake(&mut self, at: SimTime, demand: SimDuration, event: Event) {
        if demand.0 == 0 {
            return self.calendar.schedule(at, event);
        }
        let number = self.processors.sleepers.put(demand, event);
        self.calendar.schedule(at, Event::Wakes(number));
    }

    /// A thread waits until `at` for the inode of a file that it syncs: `event` happens when it has got a processor after that.
    pub(super) fn wakes_after(&mut self, at: SimTime, event: Event) {
        self.wake(at, self.completion(), event);
    }

    /// What a thread waited for is done.
    pub(super) fn wakes(&mut self, number: u32) {
        if let Some((demand, event)) = self.processors.sleepers.take(number) {
            self.compute(demand, SimDuration::ZERO, event);
        }
    }

    /// A data file is being synced until `at`: `event` happens when the thread that syncs it is through, which nothing holds up if
    /// it has `priority`.
    pub(super) fn data_sync_computes(&mut self, at: SimTime, priority: bool, event: Event) {
        let all = self.processors.spec.sync.0 / 2;
        let own = SimDuration(all / 4);
        if priority && self.processors.spec.cleaner_priority {
            self.compute_aside(SimDuration(all));
            self.calendar.schedule(at + own, event);
        } else {
            self.compute_aside(SimDuration(all - own.0));
            self.wake(at, own, event);
        }
    }

    /// CPU time of the thread that completes a page write.
    fn completion(&self) -> SimDuration {
        SimDuration(self.processors.spec.page_write.0 / 2)
    }

    /// A thread that slept wakes, to do `thread`: `event` happens when it has got its processor.
    pub(super) fn sleeper_wakes(&mut self, thread: Event, event: Event) {
        let demand = self.completion();
        let with_priority = self.processors.spec.cleaner_priority && matches!(thread, Event::CleanerThread(_));
        if with_priority || demand.0 == 0 {
            self.compute_aside(demand);
            self.calendar.schedule(self.now + demand, event);
        } else {
            self.compute_as(thread, demand, SimDuration::ZERO, event);
        }
    }

    /// Whether completing a page write takes CPU time.
    pub(super) fn completing_takes_time(&self) -> bool {
        self.completion().0 > 0
    }

    /// I/O threads complete so many page writes that hold nobody up.
    pub(super) fn completions_compute(&mut self, writes: u64) {
        self.compute_aside(SimDuration(self.completion().0 * writes));
    }

    /// The last of an I/O thread's writes of a batch is done on the device at `at`: `event` happens when a thread has completed it.
    pub(super) fn last_write_completes(&mut self, at: SimTime, event: Event) {
        self.wake(at, self.completion(), event);
    }

    /// A write by a client that flushes a page alone is done on the device at `at`: `event` happens when the client has completed it.
    /// Posting counts once for the page, with the write to the data file.
    pub(super) fn single_write_completes(&mut self, at: SimTime, to_data_file: bool, event: Event) {
        if to_data_file {
            self.compute_aside(self.completion());
        }
        self.wake(at, self.completion(), event);
    }

    /// Clients that compute, or will when the device is done.
    pub(super) fn computing_clients(&self) -> usize {
        let of_client = |event: &Event| matches!(event, Event::Body(_) | Event::SinglePage(_));
        let asleep = self.processors.sleepers.slots.iter().flatten().filter(|(_, event)| of_client(event)).count();
        let computing = match &self.processors.sharing {
            Sharing::InTurns(_) => 0,
            Sharing::Equal { queues, .. } => queues.jobs().flatten().filter(|(event, _)| of_client(event)).count(),
        };
        asleep + computing
    }

    /// A client gets a page ready that it flushes alone: `event` happens `pause` after that.
    pub(super) fn single_page_computes(&mut self, pause: SimDuration, event: Event) {
        self.compute_or_go_on(self.processors.spec.page_checksum, pause, event);
    }

    /// A thread gets `pages` pages ready for writing: `event` happens when it is through.
    pub(super) fn page_preparation_computes(&mut self, pages: u64, event: Event) {
        let pause = SimDuration(costs::PAGE_PREPARE.0 * pages);
        let checksums = SimDuration(self.processors.spec.page_checksum.0 * pages);
        if checksums.0 > 0 && self.processors.spec.cleaner_priority {
            self.compute_aside(checksums);
            self.calendar.schedule(self.now + pause + checksums, event);
        } else {
            self.compute_or_go_on(checksums, pause, event);
        }
    }

    /// A thread has handed `writes` page writes to the device: `event` happens when it has done its half of the work, the other is
    /// that of the threads that complete them, for which `aside` of them hold nobody up; false if all that takes no time.
    pub(super) fn page_writes_compute(&mut self, writes: u64, aside: u64, event: Event) -> bool {
        let half = SimDuration(self.completion().0 * writes);
        if half.0 == 0 {
            return false;
        }
        self.compute_aside(SimDuration(self.completion().0 * aside));
        if self.processors.spec.cleaner_priority {
            self.compute_aside(half);
            self.calendar.schedule(self.now + half, event);
        } else {
            self.compute(half, SimDuration::ZERO, event);
        }
        true
    }
}
