//! The machine that all actors stand on: time and the calendar, the buffer pool, the redo log, devices, processors, the
//! version's settings, and those who look on. It knows no actor: whoever has it as a parameter may use all of it.
//!
//! Its methods are in the files of its parts: `processors`, `cpu_costs`, `other_programs`, `lru_list_mutexes`, `inodes`,
//! `file_system`, and `crashes::watch`.

use super::events::Event;
use super::{check, crashes, file_system, inodes, lru_list_mutexes, processors, record, recovery};
use crate::buffer_pool::{BufferPool, PageSpace};
use crate::config::MachineConfig;
use crate::kernel::calendar::Calendar;
use crate::kernel::random::Rng;
use crate::kernel::time::{SimDuration, SimTime};
use crate::metrics::RecoverySpeed;
use crate::redo::RedoLog;
use crate::run_spec::{OtherPrograms, RunSpec};
use crate::seam::ServerModel;
use crate::storage::{Device, DeviceSpec};

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
    pub(super) touched_pages: recovery::TouchedPages,
    pub(super) recovery_speed: RecoverySpeed,
    pub(super) check: Option<check::Checker>,
    pub(super) crashes: Option<Box<crashes::Crashes>>,
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
            processors: processors::Processors::new(spec, super::threads_of(&spec.workload.drive)),
            other_programs: spec.other_programs.clone(),
            lru_list_mutexes: lru_list_mutexes::LruListMutexes::new(
                config.buffer_pool.sync_holds,
                config.buffer_pool.instances,
            ),
            file_system: file_system::FileSystem::new(&spec.file_system),
            inodes: inodes::Inodes::new(
                &spec.file_system,
                &storage.data,
                storage.redo.as_ref().unwrap_or(&storage.data),
                space.spaces(),
                start_lsn,
            ),
            touched_pages: recovery::TouchedPages::of(space.pages()),
            recovery_speed: RecoverySpeed::of(storage, spec.workload.cores),
            recorder: record::Recorder::new(start_lsn),
            check: spec.check.then(|| check::Checker::new(start_lsn, checkpoint_lsn)),
            crashes: None,
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
            touched_pages: self.touched_pages.clone(),
            recovery_speed: self.recovery_speed,
            check: self.check.clone(),
            crashes: None,
        }
    }

    /// The device of the redo log.
    pub(super) fn redo_device(&mut self) -> &mut Device {
        self.redo_device.as_mut().unwrap_or(&mut self.data_device)
    }
}

/// The data device with its queue no deeper than the server's places for asynchronous writes: a poster waits for
/// either.
pub(super) fn bounded(device: &DeviceSpec, config: &MachineConfig) -> DeviceSpec {
    DeviceSpec { queue_depth: device.queue_depth.min(config.aio_write_slots).max(1), ..device.clone() }
}
