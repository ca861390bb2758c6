//! The devices with the files on them: what a write or a sync needs besides its data is in `inodes` and `file_system`.

use crate::config::MachineConfig;
use crate::kernel::calendar::Calendar;
use crate::kernel::time::SimTime;
use crate::server::machine::Machine;
use crate::server::machine::events::Event;
use crate::server::machine::file_system::FileSystem;
use crate::server::machine::inodes::Inodes;
use crate::storage::Device;

/// See the module; and the calendar that what follows goes into.
pub(in crate::server) struct Disks<'a> {
    pub(super) data_device: &'a mut Device,
    pub(super) redo_device: &'a mut Option<Device>,
    pub(super) inodes: &'a mut Inodes,
    pub(super) file_system: &'a mut Option<Box<FileSystem>>,
    pub(super) calendar: &'a mut Calendar<Event>,
    pub(super) now: SimTime,
    pub(super) config: &'a MachineConfig,
}

impl Machine {
    /// Devices and files.
    pub(in crate::server) fn disks(&mut self) -> Disks<'_> {
        let Machine { data_device, redo_device, inodes, file_system, calendar, now, config, .. } = self;
        Disks { data_device, redo_device, inodes, file_system, calendar, now: *now, config }
    }
}

impl Disks<'_> {
    /// The device of the redo log.
    pub(super) fn redo_device(&mut self) -> &mut Device {
        self.redo_device.as_mut().unwrap_or(self.data_device)
    }
}
