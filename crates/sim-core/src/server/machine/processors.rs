//! The processors: who computes, and what happens when they are through.
//!
//! Two ways of sharing `cores` processors. In turns: first come, first served, a transaction's demand in one piece; it
//! costs no events, and where there are more processors than threads, nobody waits and it is all there is to say. Short
//! pieces of the log flusher and of the leaders of binary log groups go first.
//! Shared: each processor has a run queue, whose threads get the same share of it at any moment, which is what a fair
//! scheduler with short slices comes to ([`crate::kernel::run_queues`]). The difference matters where threads outnumber
//! processors and begin together, as after a redo sync that many waited for: sharing, they arrive at their commits
//! together again and share the next sync; in turns they would arrive one by one. It also matters to the one thread that
//! has much to do among many: a master thread that purges and flushes gets its share and no more, however far it falls behind.
//! Balanced: one queue for all processors, since a scheduler moves threads to processors that would idle. That is the limit
//! of many processors that share a cache; on two without one threads were traced to stay.
//!
//! Where each processor has its queue, a client, a cleaner, an LRU manager and a purge thread stay on their processor; a client of an open drive that had
//! nothing to do goes to the one with the fewest threads. What belongs to no such thread (completions, syncs of the
//! redo log, other programs) goes to the processors in turn. So a tenth of the CPU time is not used in a closed loop,
//! as measured.
//!
//! What takes how much is in [`crate::server::machine::cpu_costs`], and how much more on a busy machine in [`crate::server::machine::slowdown`].
//!
//! Simplifications: no priorities but that of page cleaners, no cost of switching; a wait follows from how many share
//! the queue, where measured ones are below 30 us half the time and above 1.5 ms one time in a hundred (errs towards
//! batches that end sooner).

use crate::config::MachineConfig;
use crate::kernel::calendar::Calendar;
use crate::kernel::run_queues::RunQueues;
use crate::kernel::station::{Station, StationReport};
use crate::kernel::time::{SimDuration, SimTime};
use crate::run_spec::{CpuScheduling, CpuSpec, OtherPrograms, RunSpec};
use crate::server::machine::Machine;
use crate::server::machine::events::Event;
use crate::server::machine::ids::{ClientId, ThreadId};
use crate::server::machine::slowdown::Slowdown;

/// What follows a piece of computing, and how long after it.
type Follows = Option<(Event, SimDuration)>;

#[derive(Debug, Clone)]
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
        Event::ClientResumes(client) | Event::SinglePage(client) => homes.get(client.index()).copied(),
        Event::FlushThread(thread) => Some(thread.index()),
        Event::LruManager(thread) | Event::PurgeThread(thread) => Some(thread as usize),
        _ => None,
    }
}

/// Takes turns.
fn next(turn: &mut usize) -> usize {
    *turn = turn.wrapping_add(1);
    *turn
}

/// Threads that wait for the device: what each computes when it wakes, and what follows.
#[derive(Debug, Clone, Default)]
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
#[derive(Debug, Clone)]
pub(in crate::server) struct Processors {
    cores: u32,
    sharing: Sharing,
    spec: CpuSpec,
    slowdown: Slowdown,
    sleepers: Sleepers,
    /// Flush threads that work for a client, by their numbers.
    for_client: Vec<bool>,
}

impl Processors {
    pub(in crate::server) fn new(run: &RunSpec, clients: u32) -> Self {
        let (cores, spec) = (run.workload.cores, run.cpu);
        let sharing = match spec.scheduling {
            CpuScheduling::InTurns => Sharing::InTurns(Station::new("CPU", cores)),
            CpuScheduling::Shared | CpuScheduling::Balanced => Sharing::Equal {
                queues: match spec.scheduling {
                    CpuScheduling::Balanced => RunQueues::balanced("CPU", cores),
                    _ => RunQueues::new("CPU", cores),
                },
                due: None,
                turn: 0,
                homes: (0..clients as usize).collect(),
            },
        };
        Processors {
            cores,
            sharing,
            spec,
            slowdown: Slowdown::new(&run.cpu_slowdown, cores),
            sleepers: Sleepers::default(),
            for_client: Vec::new(),
        }
    }

    /// A flush thread begins a job, maybe for a client: then it has no priority.
    pub(in crate::server) fn flush_thread_acquired(&mut self, thread: ThreadId, for_client: bool) {
        let thread = thread.index();
        if self.for_client.len() <= thread {
            self.for_client.resize(thread + 1, false);
        }
        self.for_client[thread] = for_client;
    }

    fn is_for_client(&self, thread: ThreadId) -> bool {
        self.for_client.get(thread.index()).is_some_and(|&for_client| for_client)
    }

    /// CPU time that `demand` takes if it begins now.
    #[inline(always)]
    pub(in crate::server) fn slowed(&mut self, now: SimTime, demand: SimDuration) -> SimDuration {
        if self.slowdown.is_none() {
            return demand;
        }
        let others = self.threads(now);
        self.slowdown.of(demand, others)
    }

    /// Threads that run or wait for a processor.
    #[inline(always)]
    pub(super) fn threads(&mut self, now: SimTime) -> u32 {
        match &mut self.sharing {
            Sharing::InTurns(station) => station.outstanding(now),
            Sharing::Equal { queues, .. } => queues.inside(),
        }
    }

    /// What takes time besides transactions.
    pub(in crate::server) fn spec(&self) -> CpuSpec {
        self.spec
    }

    /// CPU time given so far, ns.
    pub(in crate::server) fn busy_ns(&mut self, now: SimTime) -> f64 {
        let report = self.report(now);
        report.utilization * f64::from(report.servers) * report.observed_s * 1e9
    }

    /// Clients that compute, or will when the device is done.
    pub(in crate::server) fn computing_clients(&self) -> usize {
        let of_client = |event: &Event| event.client().is_some();
        let asleep = self.sleepers.slots.iter().flatten().filter(|(_, event)| of_client(event)).count();
        let computing = match &self.sharing {
            Sharing::InTurns(_) => 0,
            Sharing::Equal { queues, .. } => queues.jobs().flatten().filter(|(event, _)| of_client(event)).count(),
        };
        asleep + computing
    }

    /// CPU time of the thread that completes a page write.
    pub(super) fn completion(&self) -> SimDuration {
        SimDuration(self.spec.page_write.0 / 2)
    }

    /// Whether completing a page write takes CPU time.
    pub(in crate::server) fn completing_takes_time(&self) -> bool {
        self.completion().0 > 0
    }

    /// How many there are.
    pub(in crate::server) fn cores(&self) -> u32 {
        self.cores
    }

    pub(in crate::server) fn report(&mut self, now: SimTime) -> StationReport {
        match &mut self.sharing {
            Sharing::InTurns(station) => station.report(now),
            Sharing::Equal { queues, .. } => queues.report(now),
        }
    }
}

/// The processors, with the calendar that what follows goes into.
pub(in crate::server) struct Cpu<'a> {
    pub(super) processors: &'a mut Processors,
    pub(super) calendar: &'a mut Calendar<Event>,
    pub(super) now: SimTime,
    pub(super) config: &'a MachineConfig,
    pub(super) other_programs: &'a [OtherPrograms],
}

impl Machine {
    /// What computes.
    #[inline]
    pub(in crate::server) fn cpu(&mut self) -> Cpu<'_> {
        let Machine { processors, calendar, now, config, other_programs, .. } = self;
        Cpu { processors, calendar, now: *now, config, other_programs }
    }
}

impl Cpu<'_> {
    /// Whether what `event` goes on with is a thread of the page cleaner that runs before all others.
    fn has_priority(&self, event: Event) -> bool {
        let Event::FlushThread(thread) = event else { return false };
        self.processors.spec.cleaner_priority && !self.processors.is_for_client(thread)
    }

    /// Computes for `demand` as the thread that does `thread`, which nobody holds up if it has priority; `event`
    /// happens `pause` after that.
    pub(super) fn run_at_priority(&mut self, thread: Event, demand: SimDuration, pause: SimDuration, event: Event) {
        if demand.0 == 0 || self.has_priority(thread) {
            let demand = self.charge_cpu(demand);
            self.calendar.schedule(self.now + demand + pause, event);
        } else {
            self.compute_as(thread, demand, pause, event);
        }
    }

    /// The same for a thread that waits for the device until `at`.
    pub(super) fn wake_at_priority(&mut self, thread: Event, at: SimTime, demand: SimDuration, event: Event) {
        if self.has_priority(thread) {
            let demand = self.charge_cpu(demand);
            self.calendar.schedule(at + demand, event);
        } else {
            self.wake(at, demand, event);
        }
    }

    /// Computes for `demand`; `pause` after that, `event` happens.
    #[inline]
    pub(in crate::server) fn compute(&mut self, demand: SimDuration, pause: SimDuration, event: Event) {
        self.compute_as(event, demand, pause, event);
    }

    /// The same on the processor of the thread that does `thread`.
    #[inline]
    fn compute_as(&mut self, thread: Event, demand: SimDuration, pause: SimDuration, event: Event) {
        let demand = self.processors.slowed(self.now, demand);
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

    /// Computes for `demand`, a short piece after a sleep; `event` happens then. In turns, where a transaction is one piece, it does
    /// not queue behind transactions: a scheduler runs who has slept before who has computed, and lets it get done.
    pub(in crate::server) fn compute_promptly(&mut self, demand: SimDuration, event: Event) {
        match self.processors.sharing {
            Sharing::InTurns(_) => {
                let demand = self.charge_cpu(demand);
                self.calendar.schedule(self.now + demand, event);
            }
            Sharing::Equal { .. } => self.compute(demand, SimDuration::ZERO, event),
        }
    }

    /// A client that had nothing to do gets a transaction: it goes where least is to be done.
    pub(in crate::server) fn settle_client(&mut self, client_id: ClientId) {
        if let Sharing::Equal { queues, homes, .. } = &mut self.processors.sharing {
            homes[client_id] = queues.shortest();
        }
    }

    /// Computes for `demand`; `event` happens after that. Nobody is held up for a demand of no time.
    pub(super) fn compute_or_go_on(&mut self, demand: SimDuration, event: Event) {
        if demand.0 == 0 {
            self.calendar.schedule(self.now, event);
        } else {
            self.compute(demand, SimDuration::ZERO, event);
        }
    }

    /// Computes for `demand` while everything else goes on; the CPU time that this takes.
    pub(super) fn charge_cpu(&mut self, demand: SimDuration) -> SimDuration {
        if demand.0 == 0 {
            return demand;
        }
        let demand = self.processors.slowed(self.now, demand);
        self.occupy_processor(demand);
        demand
    }

    /// A processor is busy for `time`, as it was measured.
    pub(super) fn occupy_processor(&mut self, time: SimDuration) {
        match &mut self.processors.sharing {
            Sharing::InTurns(station) => {
                station.submit(self.now, time);
            }
            Sharing::Equal { queues, turn, .. } => {
                queues.submit(self.now, next(turn), time, None);
                self.watch_processors();
            }
        }
    }

    /// All threads that compute or wait for a processor lose what they get done in `time`. In turns, who comes next does.
    pub(super) fn threads_lose(&mut self, time: SimDuration) {
        let (now, cores) = (self.now, self.processors.cores);
        match &mut self.processors.sharing {
            Sharing::InTurns(station) => {
                for _ in 0..cores {
                    station.submit(now, time);
                }
            }
            Sharing::Equal { queues, .. } => {
                queues.set_back(now, time);
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
    pub(in crate::server) fn computed(&mut self) {
        let now = self.now;
        let Sharing::Equal { queues, due, .. } = &mut self.processors.sharing else { return };
        // Later than due where the whole server stood still.
        if due.is_some_and(|due| due <= now) {
            *due = None;
        }
        while let Some(follows) = queues.pop_completed(now) {
            if let Some((event, pause)) = follows {
                self.calendar.schedule(now + pause, event);
            }
        }
        self.watch_processors();
    }

    /// A thread waits for the device until `at`; `event` happens when it has got a processor and computed there for
    /// `demand`.
    pub(in crate::server) fn wake(&mut self, at: SimTime, demand: SimDuration, event: Event) {
        if demand.0 == 0 {
            return self.calendar.schedule(at, event);
        }
        let number = self.processors.sleepers.put(demand, event);
        self.calendar.schedule(at, Event::Wakes(number));
    }

    /// What a thread waited for is done.
    pub(in crate::server) fn wakes(&mut self, number: u32) {
        if let Some((demand, event)) = self.processors.sleepers.take(number) {
            self.compute(demand, SimDuration::ZERO, event);
        }
    }
}
