//! Inodes: what a file system writes for a sync besides the data.
//!
//! A write changes the file's time of modification, which has the grain of the kernel's clock tick. A sync of a file whose time
//! has changed since the last one writes the block with its inode, waits for it, and flushes the device's cache only then: one more
//! operation, at most once a tick (ext4 without a journal, for `fsync` and `fdatasync` alike; measured on Linux 6.18 with a program
//! that writes and syncs, and found again in the counters of our recordings). A block holds the inodes of 16 files of a
//! folder, and one that another file's sync has written is not written again.
//!
//! Redo files that were allocated but never written (`innodb-8.0.30` section 1.2: new ones, until the redo in them has reached the
//! capacity once) are mapped as two pieces where a sync covers the end of an area that is written and the beginning of the next: the
//! block layer gets two writes. An area is what the server fills up with zeros when it enters it, `innodb_log_write_ahead_size`.
//!
//! Simplifications: inodes of data files lie in the order of the tablespaces from the beginning of a block (errs towards fewer
//! writes); all doublewrite files have one (the same); turning a new area into a written one
//! takes no time of its own.

use super::Server;
use crate::kernel::time::SimTime;
use crate::storage::{DeviceSpec, Op};

/// Inodes in a block.
const INODES_A_BLOCK: usize = 16;
/// A block of the file system.
const BLOCK_BYTES: u64 = 4096;

#[derive(Debug, Clone, Copy, Default)]
struct Inode {
    /// Tick of the last change, counted from 1; 0 for none.
    tick: u64,
    changed: bool,
}

impl Inode {
    /// The file is being written; whether its time of modification changes with that.
    #[inline]
    fn changes(&mut self, now: SimTime, tick_ns: u64) -> bool {
        if tick_ns == 0 {
            return false;
        }
        let tick = now.0 / tick_ns + 1;
        let new = self.tick != tick;
        if new {
            *self = Inode { tick, changed: true };
        }
        new
    }
}

/// A file that is synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Synced {
    Redo,
    Doublewrite,
    /// By its number among the data files.
    Data(u16),
}

/// Inodes of the files that are synced.
#[derive(Debug)]
pub(super) struct Inodes {
    /// Length of a tick; 0 if syncs write no inodes.
    data_tick_ns: u64,
    redo_tick_ns: u64,
    data: Vec<Inode>,
    /// Whether the block with these inodes differs from what is on disk.
    data_blocks: Vec<bool>,
    doublewrite: Inode,
    redo: Inode,
    /// Up to this LSN redo goes to files never written.
    new_redo_up_to: u64,
}

impl Inodes {
    pub(super) fn new(data: &DeviceSpec, redo: &DeviceSpec, files: usize, start_lsn: u64) -> Self {
        Inodes {
            data_tick_ns: data.inode_tick_ns,
            redo_tick_ns: redo.inode_tick_ns,
            data: vec![Inode::default(); files],
            data_blocks: vec![false; files.div_ceil(INODES_A_BLOCK)],
            doublewrite: Inode::default(),
            redo: Inode::default(),
            new_redo_up_to: start_lsn + redo.unwritten_redo_bytes,
        }
    }

    /// A page of a data file is being written.
    #[inline]
    pub(super) fn data_changes(&mut self, file: u16, now: SimTime) {
        let file = usize::from(file);
        if self.data[file].changes(now, self.data_tick_ns) {
            self.data_blocks[file / INODES_A_BLOCK] = true;
        }
    }

    /// Whether the sync of a data file that begins must write a block of inodes.
    fn data_sync_writes(&mut self, file: u16) -> bool {
        let file = usize::from(file);
        std::mem::take(&mut self.data[file].changed) && std::mem::take(&mut self.data_blocks[file / INODES_A_BLOCK])
    }

    /// Bytes of a redo write from `from` on that fill up an area already written, if others beyond it go to a new one.
    fn redo_in_old_area(&self, from: u64, bytes: u64, area: u64) -> u64 {
        let rest = area - from % area;
        if from >= self.new_redo_up_to || rest == area || rest >= bytes { 0 } else { rest }
    }
}

impl Server {
    /// Sends `bytes` of redo from `from` on to the device; returns when they are there.
    pub(super) fn write_redo(&mut self, from: u64, bytes: u64) -> SimTime {
        let now = self.now;
        self.inodes.redo.changes(now, self.inodes.redo_tick_ns);
        let area = self.config.redo.write_ahead_bytes.max(BLOCK_BYTES);
        let old = self.inodes.redo_in_old_area(from, bytes, area);
        let device = self.redo_device();
        let mut written = now;
        if old > 0 {
            written = device.submit(now, Op::SequentialWrite, old);
        }
        device.submit(now, Op::SequentialWrite, bytes - old).max(written)
    }

    /// A doublewrite file that is synced is being written.
    pub(super) fn doublewrite_changes(&mut self) {
        self.inodes.doublewrite.changes(self.now, self.inodes.data_tick_ns);
    }

    /// Writes an inode if the sync of its file must; returns when it is there.
    pub(super) fn write_inode(&mut self, of: Synced) -> Option<SimTime> {
        let now = self.now;
        let (changed, device) = match of {
            Synced::Redo => (std::mem::take(&mut self.inodes.redo.changed), self.redo_device()),
            Synced::Doublewrite => (std::mem::take(&mut self.inodes.doublewrite.changed), &mut self.data_device),
            Synced::Data(file) => (self.inodes.data_sync_writes(file), &mut self.data_device),
        };
        changed.then(|| device.submit(now, Op::SequentialWrite, BLOCK_BYTES))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn inodes(files: usize) -> Inodes {
        let device = DeviceSpec { inode_tick_ns: 4 * MS, unwritten_redo_bytes: 100_000, ..DeviceSpec::instant("d") };
        Inodes::new(&device, &device, files, 8_192)
    }

    #[test]
    fn an_inode_is_written_once_a_tick_at_most() {
        let mut inodes = inodes(1);
        inodes.data_changes(0, SimTime(0));
        assert!(inodes.data_sync_writes(0));
        inodes.data_changes(0, SimTime(3 * MS));
        assert!(!inodes.data_sync_writes(0), "the same tick");
        inodes.data_changes(0, SimTime(4 * MS));
        assert!(inodes.data_sync_writes(0));
        assert!(!inodes.data_sync_writes(0), "not changed since");
    }

    #[test]
    fn files_of_a_block_share_its_write() {
        let mut inodes = inodes(17);
        for file in [0, 1, 16] {
            inodes.data_changes(file, SimTime(MS));
        }
        assert!(inodes.data_sync_writes(0));
        assert!(!inodes.data_sync_writes(1), "written with the first");
        assert!(inodes.data_sync_writes(16), "in the next block");
    }

    #[test]
    fn redo_from_a_written_area_into_a_new_one_is_two_writes() {
        let inodes = inodes(1);
        assert_eq!(inodes.redo_in_old_area(8_192, 20_000, 8_192), 0, "from the beginning of an area");
        assert_eq!(inodes.redo_in_old_area(9_216, 7_168, 8_192), 0, "to its end");
        assert_eq!(inodes.redo_in_old_area(9_216, 20_000, 8_192), 7_168);
        assert_eq!(inodes.redo_in_old_area(200_704, 20_000, 8_192), 0, "where all has been written before");
    }

    #[test]
    fn a_device_without_ticks_writes_none() {
        let device = DeviceSpec::instant("d");
        let mut inodes = Inodes::new(&device, &device, 1, 0);
        inodes.data_changes(0, SimTime(9 * MS));
        assert!(!inodes.data_sync_writes(0));
    }
}
