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
//! were scheduled. Devices compute completion times at submission, so pages in flight cost no events. Each file of this
//! module is one actor, or what several of them share. They lie in layers, from the ground up:
//!
//! * machine: `machine` and its parts, which know no actor;
//! * storage: `syncs` (data-file syncs);
//! * log: `commit` (writer, flusher, group commit), `log_threads` (what the two do between commits), `log_buffer` (waits for room in it), `redo_files` (8.0.30 and later),
//!   `binlog`;
//! * `checkpointer`;
//! * flush: `passes` (requests, slots, threads), `collect` and `posting` (what a thread does), `batches` (page writes),
//!   `doublewrite` (its buffers and segments), `completions` (how batches end);
//! * frames: `free_pages`, `single_page`, `reads` (pages that are missing), `lru_managers`;
//! * change buffer: `change_buffer`, `pending_changes`;
//! * records over pages (TNT): `mvcc_buffer` (what is changed in memory), `tnt_merge` (passes of purge, write-back),
//!   `row_cache`, `record_waits` (who waits for room);
//! * purge: `purge` (coordinator), `purge_threads` (what they visit), `history` (what purge has before it),
//!   `rollback_segments` (what of it stays), `undo` (undo pages and tablespaces), `undo_truncation`;
//! * `cleaner` (the page cleaner's coordinator);
//! * clients: `clients`, `plan` and `touches` (the pages of a transaction), `adaptive_hash`;
//! * the run: `start` (what is there at the beginning), `second` (a row of the series), `check` (invariants), `stepping` (second
//!   by second), `fork` (runs that go on from another).

mod acknowledge;
mod adaptive_hash;
mod batches;
mod binlog;
mod change_buffer;
mod check;
mod checker;
mod checkpointer;
mod cleaner;
mod clients;
mod collect;
mod commit;
mod completions;
mod costs;
mod cpu_costs;
mod crashes;
mod doublewrite;
mod events;
mod file_system;
mod fork;
mod frames;
mod free_check;
mod free_pages;
mod history;
mod ids;
mod inodes;
mod io_threads;
mod journal;
mod log_buffer;
mod log_threads;
mod lru_list_mutexes;
mod lru_managers;
mod lru_scan;
mod machine;
mod mvcc_buffer;
mod observer;
mod other_programs;
mod passes;
mod pending_changes;
mod plan;
mod posting;
mod processors;
mod purge;
mod purge_threads;
mod reads;
mod record;
mod record_waits;
mod recovery;
mod redo_files;
mod rollback_segments;
mod row_cache;
mod second;
mod single_page;
mod slowdown;
mod start;
mod stepping;
mod syncs;
mod tnt_merge;
mod touch_records;
mod touches;
mod undo;
mod undo_truncation;
mod wake_ups;

pub use crashes::{BrokenRule, Crash, CrashPlan, DeviceCache};
pub use events::EVENT_KINDS;
pub use fork::Warm;
pub use observer::{Observer, RunError, Silent};
pub use stepping::{RedoRing, Stepping};

use crate::buffer_pool::PageSpace;
use crate::config::RedoPipeline;
use crate::kernel::random::Rng;
use crate::kernel::time::{SimDuration, SimTime};
use crate::metrics::{RunOutput, SecondSample};
use crate::run_spec::{DirtyStart, RunSpec};
use crate::seam::{AgeLimits, CleanerInput, PassReport, ServerModel};
use crate::workload::DriveSpec;
use crate::workload::program::Program;
use events::Event;
use ids::{Requester, RoundOwner, RoundStep};
use machine::Machine;
use passes::PassDone;

/// Events between two questions whether the run is to go on; a power of two.
const EVENTS_BETWEEN_QUESTIONS: u64 = 256;
/// Hash of the events so far: FNV-1a's start and prime, with a rotation so that the order counts.
const HASH_START: u64 = 0xcbf2_9ce4_8422_2325;
const HASH_PRIME: u64 = 0x0000_0100_0000_01b3;

/// A server in the middle of a run.
pub struct Server {
    machine: Machine,
    end: SimTime,
    engine_status_every: Option<SimDuration>,
    events: u64,
    hash: u64,
    redo_files: Option<redo_files::RedoFiles>,
    program: Program,
    clients: clients::Clients,
    commit: commit::Commit,
    log_buffer: log_buffer::LogBufferQueue,
    log_threads: Option<log_threads::LogThreads>,
    binary_log: Option<binlog::BinaryLog>,
    change_buffer: Option<change_buffer::ChangeBuffer>,
    purge: Option<purge::Purge>,
    records: Option<mvcc_buffer::MvccBuffer>,
    cleaner: cleaner::Cleaner,
    lru_managers: lru_managers::LruManagers,
    frames: frames::Frames,
    passes: passes::Passes,
    posting: posting::Posting,
    batches: batches::Batches,
    doublewrite: doublewrite::Doublewrite,
    io_threads: io_threads::IoThreads,
    syncs: syncs::Syncs,
    checkpointer: checkpointer::Checkpointer,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("now", &self.machine.now).field("events", &self.events).finish_non_exhaustive()
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
        let change_buffer = change_buffer(spec, &mut space, &instance_of, stream("change buffer"));
        let purge = purge(spec, &mut program, &mut space, &instance_of);
        let pool = start::buffer_pool(spec, &config, &program, &space);
        let mut redo = start::redo_log(&config.redo, spec.dirty_start.map_or(0, |dirty| dirty.checkpoint_age_bytes));
        let checkpoint_lsn = spec.dirty_start.map_or(redo.current_lsn(), |_| config.redo.start_lsn);
        let wake_up = match config.redo.pipeline {
            RedoPipeline::DedicatedThreads => costs::COMMIT_WAKE_UP,
            RedoPipeline::CommittingThread | RedoPipeline::LogMutex => costs::SELF_COMMIT_WAKE_UP,
        };
        let redo_files = redo_files::RedoFiles::of(&config.redo, checkpoint_lsn, &mut redo);
        Server {
            end: SimTime::ZERO + spec.duration,
            engine_status_every: spec.engine_status_every,
            events: 0,
            hash: HASH_START,
            clients: clients::Clients::new(&spec.workload, &program, spec.seed, spec.replication)
                .with_adaptive_hash(spec.adaptive_hash),
            commit: commit::Commit::new(wake_up),
            log_buffer: log_buffer::LogBufferQueue::default(),
            frames: frames::Frames::new(threads_of(&spec.workload.drive)),
            log_threads: config
                .redo
                .log_threads
                .map(|config| log_threads::LogThreads::new(config, stream("log threads"))),
            binary_log: spec.binary_log.map(binlog::BinaryLog::new),
            change_buffer,
            purge,
            records: config
                .records
                .map(|records| mvcc_buffer::MvccBuffer::new(records, &spec.workload, threads_of(&spec.workload.drive))),
            cleaner: cleaner::Cleaner::new(),
            lru_managers: lru_managers::LruManagers::new(config.lru_managers, config.buffer_pool.instances),
            passes: passes::Passes::new(config.cleaner_threads, config.buffer_pool.instances),
            posting: posting::Posting::default(),
            batches: batches::Batches::default(),
            doublewrite: doublewrite::Doublewrite::new(&config.doublewrite),
            io_threads: io_threads::IoThreads::new(config.write_io_threads),
            syncs: syncs::Syncs::new(space.spaces()),
            checkpointer: checkpointer::Checkpointer::new(),
            machine: Machine::new(model, spec, space, pool, redo, checkpoint_lsn),
            redo_files,
            program,
        }
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
            if is_enough(self.machine.recorder.seconds(), &self.machine.model.age_limits()) {
                self.end = self.machine.now;
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
        self.machine.redo.count_least_writes(self.machine.model.age_limits().stop_bytes);
        self.go(observer)?;
        let least = self.machine.redo.least_writes().unwrap_or_default();
        Ok((self.into_output(), least))
    }

    fn go(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        self.start();
        while self.next_second(observer)? {}
        Ok(())
    }

    /// Goes on until the next simulated second is over; false once the run is.
    fn next_second(&mut self, observer: &mut dyn Observer) -> Result<bool, RunError> {
        while let Some((at, event)) = self.machine.calendar.pop() {
            if at > self.end {
                return Ok(false);
            }
            if let Some(end) = self.clients.standstill(at, &self.machine.pool).filter(|_| event.is_of_the_server()) {
                self.machine.calendar.schedule(end, event);
                continue;
            }
            if self.machine.crashes.is_some() {
                self.machine.crashes_before(at)?;
            }
            self.machine.now = at;
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
            if self.machine.check.is_some() {
                self.check_invariants(event)?;
            }
            if event == Event::Second {
                observer.latencies(self.machine.recorder.latencies());
                if observer.second(self.machine.recorder.last()).is_break() {
                    return Err(RunError::Stopped { at });
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn start(&mut self) {
        self.schedule_second();
        self.publish_limits();
        self.start_clients();
        self.start_flusher_timer();
        self.start_cleaner();
        self.route();
        self.start_lru_managers();
        self.start_checkpointer();
        self.start_merging();
        self.machine.start_other_programs();
        self.begin_purge();
        self.start_records();
        if self.machine.config.monitor {
            self.machine.calendar.schedule(self.machine.now + SimDuration::from_millis(500), Event::Monitor);
        }
    }

    /// What a pass or purge has ended, if the event just dealt with has: whoever waited for that goes on.
    fn route(&mut self) {
        loop {
            if let Some(PassDone { requester, report }) = self.passes.done.take() {
                self.pass_done(requester, report);
            } else if self.purge.as_mut().is_some_and(|purge| std::mem::take(&mut purge.done_for_master)) {
                self.coordinator(CleanerInput::Purged);
            } else {
                return;
            }
        }
    }

    fn pass_done(&mut self, requester: Requester, report: PassReport) {
        match requester {
            Requester::PageCleaner => {
                self.cleaner_tick();
                self.coordinator(CleanerInput::Done(report));
            }
            Requester::Client(client) => self.flushed_by_client(client, report),
            Requester::LruManager(instance) => self.flushed_by_manager(instance, report),
            Requester::Purge => self.machine.calendar.schedule(self.machine.now, Event::UndoTruncation),
            Requester::PurgeThread(thread) => self.flushed_by_purge_thread(thread, report),
        }
    }

    /// A round of data-file syncs goes on.
    fn sync_round(&mut self, round: u32) {
        match self.resume_round(round) {
            RoundStep::Runs => {}
            RoundStep::Over(RoundOwner::Checkpoint) => self.checkpoint_data_synced(),
            RoundStep::Over(RoundOwner::Batch(ended)) => self.batch_synced(ended),
        }
    }

    /// The checkpoint block is synced.
    fn checkpoint_durable(&mut self) {
        if self.checkpoint_published() {
            self.wake_record_waiters();
            self.after_append();
        }
    }

    fn monitor(&mut self) {
        self.machine.ask(|model, view| model.monitor(view));
        self.machine.calendar.schedule(self.machine.now + SimDuration::from_secs(1), Event::Monitor);
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::ClientResumes(client) => self.resume_client(client),
            Event::Start(client) => self.start_transaction(client),
            Event::ReadDone(client) => self.read_done(client),
            Event::SinglePage(client) => self.single_page(client),
            Event::Arrival => self.arrival(),
            Event::RedoWritten => self.redo_written(),
            Event::RedoOnDevice => self.redo_on_device(),
            Event::RedoDurable => self.machine.redo_durable(),
            Event::RedoSynced => self.redo_synced(),
            Event::Computed => self.machine.computed(),
            Event::Wakes(number) => self.machine.wakes(number),
            Event::FlusherTimer => self.flusher_timer(),
            Event::FlusherLooks(number) => self.flusher_looks(number),
            Event::BinlogRedoDurable => self.binlog_redo_durable(),
            Event::RedoGovernor => self.redo_governor(),
            Event::RedoFileWaitOver => self.redo_file_wait_over(),
            Event::CleanerTimer(number) => self.cleaner_timer(number),
            Event::PassStarts => self.pass_starts(),
            Event::FlushThread(thread) => self.thread_step(thread),
            Event::BatchOnDevice(batch) => self.batch_on_device(batch),
            Event::ShareOnDevice { batch, thread } => self.share_on_device(batch, u32::from(thread)),
            Event::LruListMutex(instance) => self.machine.lru_list_mutex_passed_on(instance),
            Event::ShareCompletes { batch, thread } => self.share_completes(batch, u32::from(thread)),
            Event::SyncRound(round) => self.sync_round(round),
            Event::CheckpointerTimer(number) => self.checkpointer_timer(number),
            Event::CheckpointOnDevice => self.checkpoint_on_device(),
            Event::CheckpointDurable => self.checkpoint_durable(),
            Event::CheckpointRedoDurable => self.checkpoint_redo_durable(),
            Event::CheckpointTaken => self.coordinator(CleanerInput::CheckpointTaken),
            Event::BatchesOver => self.coordinator(CleanerInput::BatchesOver),
            Event::CleanerRedoDurable => self.coordinator(CleanerInput::RedoSynced),
            Event::Monitor => self.monitor(),
            Event::BinlogWritten => self.binlog_written(),
            Event::BinlogOnDevice => self.binlog_on_device(),
            Event::BinlogSynced => self.binlog_synced(),
            Event::Merge => self.merge_in_background(),
            Event::MergeRead(page) => self.page_was_read(page),
            Event::CleanerMerged(pages) => self.coordinator(CleanerInput::Merging { pages: pages.into() }),
            Event::LruManager(instance) => self.lru_manager(instance),
            Event::PurgeTimer(number) => self.purge_timer(number),
            Event::PurgeThread(thread) => self.purge_thread(thread),
            Event::UndoTruncation => self.truncate_undo_tablespace(),
            Event::ReadViewOpened(view) => self.read_view_opened(view),
            Event::ReadViewClosed(view) => self.read_view_closed(view),
            Event::RecordTimer(thread) => self.record_timer(thread),
            Event::RecordThread(thread) => self.record_thread(thread),
            Event::OtherPrograms => self.machine.other_programs_compute(),
            Event::EngineStatus => self.engine_status_asked(),
            Event::QueueRoom => {
                self.serve_poster();
                self.route();
                self.watch_posters();
            }
            Event::JournalCommit(volume) => self.journal_commit_step(volume),
            Event::FlushOver(volume) => self.flush_is_over(volume),
            Event::Second => self.second(),
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
        .then(|| purge::Purge::new(config, &spec.read_views, undo::UndoSpaces::new(config.undo, space, instance_of)))
}

/// Number of threads of a drive.
fn threads_of(drive: &DriveSpec) -> u32 {
    match drive {
        DriveSpec::Closed { clients, .. } | DriveSpec::Open { clients, .. } => *clients,
    }
}
