//! The machine that all actors stand on: time and the calendar, the buffer pool, the redo log, devices, processors, the
//! version's settings, and those who look on. It knows no actor: whoever has it as a parameter may use all of it.
//!
//! Its methods are in the files of its parts. What computes is asked of [`Machine::cpu`], what writes and syncs of
//! [`Machine::disks`], who waits for the mutex of an LRU list of [`Machine::lru_visits`], and who looks on is told by [`Machine::observers`].

pub(super) mod checker;
pub(super) mod costs;
pub(super) mod cpu_costs;
pub(super) mod disk_events;
pub(super) mod events;
pub(super) mod file_system;
pub(super) mod ids;
pub(super) mod inodes;
pub(super) mod lru_contention;
pub(super) mod lru_list_mutexes;
pub(super) mod lru_scan;
pub(super) mod other_programs;
pub(super) mod owners;
pub(super) mod pool_mutex;
pub(super) mod processors;
pub(super) mod record;
pub(super) mod recovery;
pub(super) mod slowdown;
pub(super) mod wake_ups;

use crate::buffer_pool::{BufferPool, PageHasher, PageSpace};
use crate::config::{BufferPoolConfig, MachineConfig, SyncHolds};
use crate::kernel::calendar::Calendar;
use crate::kernel::random::Rng;
use crate::kernel::time::{SimDuration, SimTime};
use crate::metrics::RecoverySpeed;
use crate::redo::RedoLog;
use crate::run_spec::{OtherPrograms, RunSpec};
use crate::seam::{ServerModel, View};
use crate::server::machine::events::Event;
use crate::storage::{Device, DeviceSpec};
use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasherDefault;

/// Modifications that count as one activity of the server.
const MODIFICATIONS_AN_ACTIVITY: u64 = 32;

/// What clients have done so far.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Activity {
    /// Transactions that wrote.
    pub(super) transactions: u64,
    /// Pages modified.
    pub(super) modifications: u64,
}

impl Activity {
    /// Moves with each transaction that wrote, and with every 32nd modification.
    pub(super) fn count(self) -> u64 {
        self.transactions + self.modifications / MODIFICATIONS_AN_ACTIVITY
    }

    /// Records of redo that clients have written: of each page that they modified, and of each commit.
    pub(super) fn redo_records(self) -> u64 {
        self.modifications + self.transactions
    }
}

/// See the module.
pub(super) struct Machine {
    pub(super) model: Box<dyn ServerModel>,
    pub(super) config: MachineConfig,
    /// Time that the server has been up before the run.
    pub(super) up_before: SimDuration,
    pub(super) now: SimTime,
    pub(super) calendar: Calendar<Event>,
    pub(super) space: PageSpace,
    pub(super) pool: BufferPool,
    pub(super) redo: RedoLog,
    /// Data device, and the redo device if it is another.
    pub(super) data_device: Device,
    pub(super) redo_device: Option<Device>,
    pub(super) inodes: inodes::Inodes,
    pub(super) file_system: Option<Box<file_system::FileSystem>>,
    pub(super) processors: processors::Processors,
    pub(super) other_programs: Vec<OtherPrograms>,
    pub(super) lru_list_mutexes: lru_list_mutexes::LruListMutexes,
    pub(super) recorder: record::Recorder,
    /// The last checkpoint, how many there were, and the one whose block is on its way to the device.
    pub(super) last_checkpoint_lsn: u64,
    pub(super) checkpoints: u64,
    pub(super) checkpoint_on_its_way: Option<u64>,
    /// Largest LSN whose transaction was acknowledged.
    pub(super) acknowledged_lsn: u64,
    pub(super) redo_sync_in_progress: bool,
    /// LSN above which a thread must pass the free check.
    pub(super) free_check_limit_lsn: u64,
    /// Pages being read, with the time they arrive.
    pub(super) page_reads: HashMap<u32, SimTime, BuildHasherDefault<PageHasher>>,
    pub(super) activity: Activity,
    pub(super) free_pages: lru_scan::FreePages,
    pub(super) cleaner_event: wake_ups::OsEvent,
    /// Dirty pages and current LSN at which user threads set the page cleaner's event.
    pub(super) cleaner_works_at: (u64, u64),
    pub(super) checkpointer_event: wake_ups::OsEvent,
    /// What goes on at the end of a pass of the page cleaner or of a checkpoint.
    pub(super) watchers: Vec<Event>,
    /// Page writes that threads which sync files have not looked at, and their files: when each is over.
    pub(super) page_writes: VecDeque<(SimTime, u16)>,
    /// What has just ended, if anything that an actor above waits for.
    pub(super) signal: Option<owners::Signal>,
    pub(super) observers: Observers,
}

impl Machine {
    /// The machine of a run that is about to begin, with the pages and the redo that are there; the last checkpoint is at
    /// `checkpoint_lsn`.
    pub(super) fn new(
        model: Box<dyn ServerModel>,
        spec: &RunSpec,
        space: PageSpace,
        pool: BufferPool,
        redo: RedoLog,
        checkpoint_lsn: u64,
    ) -> Self {
        let config = model.config().clone();
        let stream = |name: &str| Rng::stream(spec.seed, spec.replication, name);
        let start_lsn = redo.current_lsn();
        let storage = &spec.storage;
        Machine {
            up_before: spec.server_up,
            now: SimTime::ZERO,
            calendar: Calendar::new(),
            processors: processors::Processors::new(spec, crate::server::threads_of(&spec.workload.drive)),
            other_programs: spec.other_programs.clone(),
            lru_list_mutexes: lru_list_mutexes::LruListMutexes::new(
                config.buffer_pool.sync_holds,
                config.buffer_pool.instances,
                contention(&config, spec, stream("lru list mutexes")),
            ),
            file_system: file_system::FileSystem::new(&spec.file_system),
            inodes: inodes::Inodes::new(
                &spec.file_system,
                &storage.data,
                storage.redo.as_ref().unwrap_or(&storage.data),
                space.spaces(),
                start_lsn,
            ),
            recorder: record::Recorder::new(start_lsn),
            last_checkpoint_lsn: checkpoint_lsn,
            checkpoints: 0,
            checkpoint_on_its_way: None,
            acknowledged_lsn: 0,
            redo_sync_in_progress: false,
            free_check_limit_lsn: 0,
            page_reads: HashMap::default(),
            activity: Activity::default(),
            free_pages: lru_scan::FreePages::new(config.buffer_pool.instances),
            cleaner_event: wake_ups::OsEvent::default(),
            cleaner_works_at: wake_ups::NO_WORK,
            checkpointer_event: wake_ups::OsEvent { is_waited_for: true, ..wake_ups::OsEvent::default() },
            watchers: Vec::new(),
            page_writes: VecDeque::new(),
            signal: None,
            observers: Observers::new(spec, space.pages(), start_lsn, checkpoint_lsn),
            data_device: Device::new(&bounded(&storage.data, &config), stream("data device")),
            redo_device: storage.redo.as_ref().map(|device| Device::new(device, stream("redo device"))),
            model,
            config,
            space,
            pool,
            redo,
        }
    }

    /// The same machine with another model. Crashes are looked at in runs in one piece only.
    pub(super) fn with_model(&self, model: Box<dyn ServerModel>) -> Self {
        Machine {
            config: model.config().clone(),
            model,
            up_before: self.up_before,
            now: self.now,
            calendar: self.calendar.clone(),
            space: self.space.clone(),
            pool: self.pool.clone(),
            redo: self.redo.clone(),
            data_device: self.data_device.clone(),
            redo_device: self.redo_device.clone(),
            inodes: self.inodes.clone(),
            file_system: self.file_system.clone(),
            processors: self.processors.clone(),
            other_programs: self.other_programs.clone(),
            lru_list_mutexes: self.lru_list_mutexes.clone(),
            recorder: self.recorder.clone(),
            last_checkpoint_lsn: self.last_checkpoint_lsn,
            checkpoints: self.checkpoints,
            checkpoint_on_its_way: self.checkpoint_on_its_way,
            acknowledged_lsn: self.acknowledged_lsn,
            redo_sync_in_progress: self.redo_sync_in_progress,
            free_check_limit_lsn: self.free_check_limit_lsn,
            page_reads: self.page_reads.clone(),
            activity: self.activity,
            free_pages: self.free_pages.clone(),
            cleaner_event: self.cleaner_event,
            cleaner_works_at: self.cleaner_works_at,
            checkpointer_event: self.checkpointer_event,
            watchers: self.watchers.clone(),
            page_writes: self.page_writes.clone(),
            signal: self.signal,
            observers: self.observers.of_copy(),
        }
    }

    /// Asks the model something, with a view of this instant.
    pub(super) fn ask<R>(&mut self, question: impl FnOnce(&mut dyn ServerModel, &View<'_>) -> R) -> R {
        let position = self.redo.position();
        let totals = self.recorder.totals();
        let view = View {
            now: self.now,
            up_before: self.up_before,
            current_lsn: position.current_lsn,
            written_lsn: position.written_lsn,
            durable_lsn: position.durable_lsn,
            last_checkpoint_lsn: self.last_checkpoint_lsn,
            oldest_modification_lsn: self.pool.oldest_modification_lsn(),
            dirty_pages: self.pool.dirty.count(),
            lru_pages: self.pool.frames.used(),
            free_pages: self.pool.frames.free(),
            activity: self.activity.count(),
            pending_reads: self.page_reads.len() as u64,
            pending_writes: self.pool.dirty.under_write(),
            page_reads: totals.page_reads,
            page_writes: totals.page_writes,
            lru_pages_flushed: totals.lru_pages,
            redo_writes: self.redo.written().writes + self.checkpoints,
            redo_sync_in_progress: self.redo_sync_in_progress,
            free_page_wanted: self.free_pages.wanted(),
            lists: &self.pool,
        };
        question(self.model.as_mut(), &view)
    }

    /// The device of the redo log.
    pub(super) fn redo_device(&mut self) -> &mut Device {
        self.redo_device.as_mut().unwrap_or(&mut self.data_device)
    }
}

/// The devices with the files on them, and the calendar that what follows goes into. What a write or a sync needs besides its data is in
/// `inodes` and `file_system`.
pub(super) struct Disks<'a> {
    data_device: &'a mut Device,
    redo_device: &'a mut Option<Device>,
    inodes: &'a mut inodes::Inodes,
    file_system: &'a mut Option<Box<file_system::FileSystem>>,
    calendar: &'a mut Calendar<Event>,
    now: SimTime,
    config: &'a MachineConfig,
}

impl Machine {
    /// Devices and files.
    pub(super) fn disks(&mut self) -> Disks<'_> {
        let Machine { data_device, redo_device, inodes, file_system, calendar, now, config, .. } = self;
        Disks { data_device, redo_device, inodes, file_system, calendar, now: *now, config }
    }
}

impl Disks<'_> {
    /// The device of the redo log.
    fn redo_device(&mut self) -> &mut Device {
        self.redo_device.as_mut().unwrap_or(self.data_device)
    }
}

/// Those who look on and never change the run: what a crash would leave, and whether the invariants hold. The actors tell them what they
/// write and sync (`disk_events`).
pub(super) struct Observers {
    pub(super) touched_pages: recovery::TouchedPages,
    pub(super) recovery_speed: RecoverySpeed,
    pub(super) checker: Option<checker::Checker>,
    pub(super) disk: Option<Box<dyn disk_events::DiskObserver>>,
    /// The rule that the server is made to break, if any.
    pub(super) broken: Option<disk_events::BrokenRule>,
}

impl Observers {
    /// Those of a run that begins with so many pages, with redo up to `start_lsn`.
    fn new(spec: &RunSpec, pages: u32, start_lsn: u64, checkpoint_lsn: u64) -> Self {
        Observers {
            touched_pages: recovery::TouchedPages::of(pages),
            recovery_speed: RecoverySpeed::of(&spec.storage, spec.workload.cores),
            checker: spec.check.then(|| checker::Checker::new(start_lsn, checkpoint_lsn)),
            disk: None,
            broken: None,
        }
    }

    /// The same, but for who is told of the disk: only runs in one piece are watched.
    fn of_copy(&self) -> Self {
        Observers {
            touched_pages: self.touched_pages.clone(),
            recovery_speed: self.recovery_speed,
            checker: self.checker.clone(),
            disk: None,
            broken: None,
        }
    }
}

/// Who competes for the mutexes of the LRU lists, in a server that has some.
fn contention(config: &MachineConfig, spec: &RunSpec, rng: Rng) -> Option<Box<lru_contention::Contention>> {
    let BufferPoolConfig { sync_holds, instances, .. } = config.buffer_pool;
    if sync_holds == SyncHolds::Nothing && config.lru_managers.is_none() {
        return None;
    }
    lru_contention::Contention::new(spec.cpu.lru_mutex, sync_holds, instances, rng)
}

/// The data device with its queue no deeper than the server's places for asynchronous writes: a poster waits for
/// either.
pub(super) fn bounded(device: &DeviceSpec, config: &MachineConfig) -> DeviceSpec {
    DeviceSpec { queue_depth: device.queue_depth.min(config.aio_write_slots).max(1), ..device.clone() }
}
