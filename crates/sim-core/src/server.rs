//! The server: wires the parts together and owns the event loop.
//!
//! ```text
//!  clients --CPU--> page touches --(miss)--> device read --+
//!     ^                 | redo, dirty pages                |
//!     |                 v                                  |
//!     +--- commit <- redo sync <--------- device <---------+
//!                                           ^
//!  page cleaner threads -> doublewrite -> page writes -> data-file syncs
//!  checkpointer ----------------------------> checkpoint block
//! ```
//!
//! One calendar ([`crate::kernel::calendar`]) orders everything; equal times are handled in the order in which they
//! were scheduled. Devices compute completion times at submission, so pages in flight cost no events. Each module
//! is one actor, with a folder for its parts. They lie in layers, from the ground up, and an actor's methods take what they may touch
//! as parameters:
//!
//! * `machine`: what all stand on, and what knows no actor;
//! * `storage` (data files and their syncs) and `log` (redo and the binary log), with the machine in `base`;
//! * `checkpointer`, `flush`, `frames`, `change_buffer`, all together in `engine`;
//! * `purge` and, for TNT, `records`, with the engine in `innodb`;
//! * `cleaner` (the page cleaner's coordinator) and `clients`;
//! * the run: `start` (what is there at the beginning), `second` (a row of the series), `check` (invariants), `stepping` (second
//!   by second), `fork` (runs that go on from another).

mod base;
mod change_buffer;
mod check;
mod checkpointer;
mod cleaner;
mod clients;
mod engine;
mod flush;
mod fork;
mod frames;
mod innodb;
mod log;
mod machine;
mod middle;
mod observer;
mod purge;
mod records;
mod second;
mod start;
mod stepping;
mod storage;

pub use fork::Warm;
pub use machine::disk_events::{BrokenRule, DiskEvent, DiskObserver, LogProgress};
pub use machine::events::EVENT_KINDS;
pub use middle::{DirtyCohorts, DirtyStretch};
pub use observer::{Observer, RunError, Silent};
pub use stepping::{RedoRing, Stepping};

use crate::buffer_pool::PageSpace;
use crate::kernel::random::Rng;
use crate::kernel::time::{SimDuration, SimTime};
use crate::metrics::{RunOutput, SecondSample};
use crate::run_spec::{DirtyStart, RunSpec};
use crate::seam::{AgeLimits, CleanerInput, PassReport, ServerModel};
use crate::workload::DriveSpec;
use crate::workload::program::Program;
use base::Base;
use engine::Engine;
use flush::Flush;
use innodb::Innodb;
use log::Log;
use machine::Machine;
use machine::events::Event;
use machine::owners::{Requester, Signal};

/// Events between two questions whether the run is to go on; a power of two.
const EVENTS_BETWEEN_QUESTIONS: u64 = 256;
/// Hash of the events so far: FNV-1a's start and prime, with a rotation so that the order counts.
const HASH_START: u64 = 0xcbf2_9ce4_8422_2325;
const HASH_PRIME: u64 = 0x0000_0100_0000_01b3;

/// A server in the middle of a run.
pub struct Server {
    innodb: Innodb,
    cleaner: cleaner::Cleaner,
    clients: clients::Clients,
    end: SimTime,
    events: u64,
    hash: u64,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("now", &self.machine().now).field("events", &self.events).finish_non_exhaustive()
    }
}

impl Server {
    /// A server of the given version, about to run `spec`.
    pub fn new(mut model: Box<dyn ServerModel>, spec: &RunSpec) -> Self {
        if let Some(DirtyStart { before, .. }) = spec.dirty_start {
            model.starts_after(before);
        }
        let config = model.config().clone();
        let stream = |name: &str| Rng::stream(spec.seed, spec.replication, name);
        let mut space = PageSpace::default();
        let instance_of = |space_id: u32, page_no: u32| model.instance_of(space_id, page_no);
        let mut program = Program::new(&spec.workload, &mut space, &instance_of, &mut stream("layout"));
        let changes = change_buffer(spec, &mut space, &instance_of, stream("change buffer"));
        let purge = purge(spec, &mut program, &mut space, &instance_of);
        let pool = start::buffer_pool(spec, &config, &program, &space);
        let mut redo = start::redo_log(&config.redo, spec.dirty_start.map_or(0, |dirty| dirty.checkpoint_age_bytes));
        let checkpoint_lsn = spec.dirty_start.map_or(redo.current_lsn(), |_| config.redo.start_lsn);
        let threads = threads_of(&spec.workload.drive);
        let clients = clients::Clients::new(&spec.workload, &program, spec.seed, spec.replication);
        let log = Log::new(&config.redo, checkpoint_lsn, &mut redo, stream("log threads"));
        let base = Base {
            storage: storage::DataFiles::new(space.spaces()),
            log,
            binary_log: spec.binary_log.map(|log| log::binlog::BinaryLog::new(log, config.redo.commit)),
            machine: Machine::new(model, spec, space, pool, redo, checkpoint_lsn),
        };
        let engine = Engine {
            base,
            checkpointer: checkpointer::Checkpointer::new(stream("log writer's mutex")),
            flush: Flush::new(&config),
            frames: frames::Frames::new(threads),
            lru_managers: frames::lru_managers::LruManagers::new(config.lru_managers, config.buffer_pool.instances),
            changes,
            program,
        };
        let records = config.records.map(|records| records::MvccBuffer::new(records, &spec.workload, threads));
        Server {
            innodb: Innodb { engine, purge, records },
            cleaner: cleaner::Cleaner::default(),
            clients: clients.with_latches(spec.adaptive_hash, spec.cpu.statement_latch),
            end: SimTime::ZERO + spec.duration,
            events: 0,
            hash: HASH_START,
        }
    }

    fn machine(&self) -> &Machine {
        &self.innodb.engine.base.machine
    }

    fn machine_mut(&mut self) -> &mut Machine {
        &mut self.innodb.engine.base.machine
    }

    /// The same server, with somebody who is told what it writes and syncs. The run itself is the same, unless it is made to break
    /// a rule.
    pub fn with_disk_observer(mut self, disk: Box<dyn DiskObserver>, broken: Option<BrokenRule>) -> Self {
        self.machine_mut().tell_disk_events(disk);
        self.machine_mut().observers.broken = broken;
        self
    }

    /// Runs to the end.
    ///
    /// # Errors
    /// [`RunError`] if an invariant breaks (with `check`), the observer stops the run or the flushing rule gives up.
    pub fn run(mut self, observer: &mut dyn Observer) -> Result<RunOutput, RunError> {
        self.go(observer)?;
        Ok(self.into_output())
    }

    /// Runs until `is_enough` says so of the seconds so far and the age limits, or to the end: the output is then that of
    /// a run of this length.
    ///
    /// # Errors
    /// As [`Server::run`].
    pub fn run_until(
        mut self,
        observer: &mut dyn Observer,
        is_enough: &mut dyn FnMut(&[SecondSample], &AgeLimits) -> bool,
    ) -> Result<RunOutput, RunError> {
        self.start();
        self.go_until(observer, is_enough)?;
        Ok(self.into_output())
    }

    fn go_until(
        &mut self,
        observer: &mut dyn Observer,
        is_enough: &mut dyn FnMut(&[SecondSample], &AgeLimits) -> bool,
    ) -> Result<(), RunError> {
        while self.next_second(observer)? {
            let machine = self.machine();
            if is_enough(machine.recorder.seconds(), &machine.model.age_limits()) {
                self.end = machine.now;
                break;
            }
        }
        Ok(())
    }

    /// Runs to the end, and counts the fewest page writes that the run's modifications allow a flushing rule whose pages
    /// may stay dirty up to the age at which user threads stop (see [`crate::redo::LeastWrites`]).
    ///
    /// # Errors
    /// As [`Server::run`].
    pub fn run_with_least_writes(mut self, observer: &mut dyn Observer) -> Result<(RunOutput, u64), RunError> {
        let machine = self.machine_mut();
        machine.redo.count_least_writes(machine.model.age_limits().stop_bytes);
        self.go(observer)?;
        let least = self.machine().redo.least_writes().unwrap_or_default();
        Ok((self.into_output(), least))
    }

    fn go(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        self.start();
        while self.next_second(observer)? {}
        Ok(())
    }

    /// Goes on until the next simulated second is over; false once the run is.
    fn next_second(&mut self, observer: &mut dyn Observer) -> Result<bool, RunError> {
        while let Some((at, event)) = self.machine_mut().calendar.pop() {
            if at > self.end {
                return Ok(false);
            }
            let machine = &mut self.innodb.engine.base.machine;
            if let Some(end) = self.clients.standstill(at, &machine.pool).filter(|_| event.is_of_the_server()) {
                machine.calendar.schedule(end, event);
                continue;
            }
            if machine.observers.disk.is_some() {
                machine.nothing_before(at)?;
            }
            machine.now = at;
            self.events += 1;
            self.hash = (self.hash ^ at.0 ^ event.code() << 40).wrapping_mul(HASH_PRIME).rotate_left(23);
            self.handle(event);
            self.route();
            if self.events.is_multiple_of(EVENTS_BETWEEN_QUESTIONS) && observer.go_on().is_break() {
                return Err(RunError::Stopped { at });
            }
            if let Some(what) = self.cleaner.failure.take() {
                return Err(RunError::Rule { at, what });
            }
            if self.machine().observers.checker.is_some() {
                self.check_invariants(event)?;
            }
            if event == Event::Second {
                let recorder = &self.machine().recorder;
                observer.latencies(recorder.latencies());
                if observer.second(recorder.last()).is_break() {
                    return Err(RunError::Stopped { at });
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn start(&mut self) {
        self.schedule_second();
        let Base { machine, log, .. } = &mut self.innodb.engine.base;
        log.publish_limits(machine);
        self.clients.start_clients(machine);
        log.start_flusher_timer(machine);
        self.cleaner.start_cleaner(&mut self.innodb.purge, &mut self.innodb.engine);
        self.route();
        let Innodb { engine: Engine { base, checkpointer, lru_managers, changes, .. }, purge, records } =
            &mut self.innodb;
        lru_managers.start_lru_managers(&mut base.machine);
        checkpointer.start_checkpointer(base);
        let machine = &mut base.machine;
        if let Some(changes) = changes {
            changes.start_merging(machine);
        }
        machine.cpu().start_other_programs();
        if let Some(purge) = purge {
            purge.begin_purge(machine);
        }
        if let Some(records) = records {
            records.start_records(machine);
        }
        if machine.config.monitor {
            machine.calendar.schedule(machine.now + SimDuration::from_millis(500), Event::Monitor);
        }
    }

    /// What the event just dealt with has ended: whoever waited for that goes on.
    #[inline]
    fn route(&mut self) {
        while let Some(signal) = self.machine().signal {
            self.machine_mut().signal = None;
            match signal {
                Signal::PassDone { requester, report } => self.pass_done(requester, report),
                Signal::PurgeDone => self.coordinator(CleanerInput::Purged),
            }
        }
    }

    #[cold]
    fn pass_done(&mut self, requester: Requester, report: PassReport) {
        let Innodb { engine, purge, .. } = &mut self.innodb;
        match requester {
            Requester::PageCleaner => {
                engine.checkpointer.cleaner_tick(&mut engine.base);
                self.cleaner.coordinator(CleanerInput::Done(report), purge, engine);
            }
            Requester::Client(client) => self.clients.flushed_by_client(client, report, &mut engine.base.machine),
            Requester::LruManager(instance) => {
                let Engine { lru_managers, flush, base, .. } = engine;
                lru_managers.flushed_by_manager(instance, report, flush, &mut base.machine);
            }
            Requester::Purge => {
                let machine = &mut engine.base.machine;
                machine.calendar.schedule(machine.now, Event::UndoTruncation);
            }
            Requester::PurgeThread(thread) => {
                if let Some(purge) = purge {
                    purge.flushed_by_purge_thread(thread, report, &mut engine.base.machine);
                }
            }
        }
    }

    fn monitor(&mut self) {
        let machine = self.machine_mut();
        machine.ask(|model, view| model.monitor(view));
        machine.calendar.schedule(machine.now + SimDuration::from_secs(1), Event::Monitor);
    }

    fn handle(&mut self, event: Event) {
        let Server { innodb, clients, cleaner, .. } = self;
        match event {
            Event::ClientResumes(client) => clients.resume_client(client, innodb),
            Event::Start(client) => clients.start_transaction(client, innodb),
            Event::ReadDone(client) => clients.read_done(client, innodb),
            Event::SinglePage(client) => clients.single_page(client, innodb),
            Event::Arrival => clients.arrival(innodb),
            Event::RedoWritten => clients.redo_written(innodb),
            Event::RedoSynced => clients.redo_synced(innodb),
            Event::BinlogWritten => clients.binlog_written(innodb),
            Event::BinlogSynced => clients.binlog_synced(innodb),
            Event::CleanerTimer(number) => cleaner.cleaner_timer(number, &mut innodb.purge, &mut innodb.engine),
            Event::CheckpointTaken => self.coordinator(CleanerInput::CheckpointTaken),
            Event::BatchesOver => self.coordinator(CleanerInput::BatchesOver),
            Event::CleanerRedoDurable => self.coordinator(CleanerInput::RedoSynced),
            Event::CleanerMerged(pages) => self.coordinator(CleanerInput::Merging { pages: pages.into() }),
            Event::PurgeTimer(_)
            | Event::PurgeThread(_)
            | Event::UndoTruncation
            | Event::ReadViewOpened(_)
            | Event::ReadViewClosed(_)
            | Event::EngineStatus => {
                if let Some(purge) = &mut innodb.purge {
                    purge.handle(event, &mut innodb.engine);
                }
            }
            Event::RecordTimer(_) | Event::RecordThread(_) => {
                if let Some(records) = &mut innodb.records {
                    records.handle(event, &mut innodb.engine);
                }
            }
            Event::CheckpointDurable => self.checkpoint_durable(),
            Event::QueueRoom => {
                innodb.engine.flush.serve_poster(&mut innodb.engine.base);
                self.route();
                let Engine { flush, base, .. } = &mut self.innodb.engine;
                flush.watch_posters(&mut base.machine);
            }
            Event::Monitor => self.monitor(),
            Event::Second => self.second(),
            _ => innodb.engine.handle(event),
        }
    }

    fn coordinator(&mut self, input: CleanerInput) {
        self.cleaner.coordinator(input, &mut self.innodb.purge, &mut self.innodb.engine);
    }

    /// The checkpoint block is synced.
    fn checkpoint_durable(&mut self) {
        let Innodb { engine: Engine { base, checkpointer, .. }, records, .. } = &mut self.innodb;
        if checkpointer.checkpoint_published(base) {
            if let Some(records) = records {
                records.wake_record_waiters(&mut base.machine);
            }
            base.log.after_append(&mut base.machine);
        }
    }
}

/// The change buffer with its tree in the system tablespace, if the workload changes anything that can be buffered.
fn change_buffer(
    spec: &RunSpec,
    space: &mut PageSpace,
    instance_of: &dyn Fn(u32, u32) -> u32,
    rng: Rng,
) -> Option<change_buffer::ChangeBuffer> {
    let config = spec.change_buffer?;
    let workload = &spec.workload;
    let touches = workload.transactions.iter().flat_map(|t| &t.touches).filter(|t| t.bufferable);
    let mut sets: Vec<u32> =
        touches.flat_map(|t| &workload.access_classes[t.class as usize].page_sets).copied().collect();
    sets.sort_unstable();
    sets.dedup();
    let pages: u64 = sets.iter().map(|&set| workload.page_sets[set as usize].pages).sum();
    if pages == 0 {
        return None;
    }
    let tree = space.add(0, (pages as u32).div_ceil(change_buffer::PAGES_A_LEAF), instance_of);
    Some(change_buffer::ChangeBuffer::new(config, tree, rng))
}

/// Purge with its undo tablespaces, if the workload leaves it anything to do.
fn purge(
    spec: &RunSpec,
    program: &mut Program,
    space: &mut PageSpace,
    instance_of: &dyn Fn(u32, u32) -> u32,
) -> Option<purge::Purge> {
    let config = spec.purge?;
    program.leave_to_purge(&spec.workload, &config);
    let leaves_history = program.kinds.iter().any(|kind| kind.history_bytes > 0);
    leaves_history
        .then(|| purge::Purge::new(spec, config, purge::undo::UndoSpaces::new(config.undo, space, instance_of)))
}

/// Number of threads of a drive.
fn threads_of(drive: &DriveSpec) -> u32 {
    match drive {
        DriveSpec::Closed { clients, .. } | DriveSpec::Open { clients, .. } => *clients,
    }
}
