//! Inodes: what a file system writes for a sync besides the data.
//!
//! A write changes the file's time of modification, which has the grain of the kernel's clock tick. A sync of a file
//! whose time has changed since the last one writes the block with its inode, waits for it, and flushes the device's
//! cache only then: one more operation, at most once a tick (ext4 without a journal, for `fsync` and `fdatasync` alike;
//! measured on Linux 6.18 with a program that writes and syncs, and found again in the counters of our recordings). A
//! block holds the inodes of 16 files of a folder, and one that another file's sync has written is not written again;
//! while it is being written, a sync that needs it waits, and writes it once more if it has changed since
//! (`sync_dirty_buffer` locks the buffer).
//!
//! Redo goes to the device in whole blocks of the file system; a write that enters an area fills it up with zeros to
//! its end, where the server writes ahead (`innodb_log_write_ahead_size`). Redo files that were allocated but never
//! written (`innodb-8.0.30` section 1.2: new ones, until the redo in them has reached the capacity once; all of
//! MariaDB's) are mapped in pieces, written and not. A sync that enters a new area moves the border between two pieces:
//!
//! * what it rewrites of the old area and what is new are two writes to a cap, though the block layer merges them
//!   behind it;
//! * the inode has changed, whatever the tick, since it holds the map;
//! * where the map has more than four pieces it lies in a block of its own, which the sync writes before the inode.
//!
//! Counted with the same program on files of 8 and 256 MiB: writes and bytes a sync are within 2 % of these rules, and
//! in our recordings of MariaDB, at 700 bytes a sync and at 6400.
//!
//! Simplifications: inodes of data files lie in the order of the tablespaces from the beginning of a block (errs
//! towards fewer writes); all doublewrite files have one (the same); turning a new area into a written one takes no
//! time of its own. A device without a tick has no file system: redo goes there in blocks of 512 bytes.

use crate::kernel::time::SimTime;
use crate::redo::lsn;
use crate::run_spec::{FileSystemKind, FileSystemSpec};
use crate::server::machine::Disks;
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
    /// When it last changed.
    at: Option<SimTime>,
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
            *self = Inode { tick, changed: true, at: Some(now) };
        }
        new
    }
}

/// A block with inodes.
#[derive(Debug, Clone, Copy)]
struct Block {
    /// It differs from what is on disk, or on its way there.
    changed: bool,
    /// Until then it is being written.
    busy_until: SimTime,
}

/// What a sync of a file does about its inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InodeStep {
    Nothing,
    /// Another sync is writing its block.
    Wait(SimTime),
    Write,
}

/// A write of an inode's block.
#[derive(Debug, Clone, Copy)]
pub(in crate::server) struct InodeWrite {
    pub(in crate::server) over_at: SimTime,
    /// Whether it was begun for this sync; if not, the sync asks again when it is over.
    pub(in crate::server) own: bool,
}

/// A file that is synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum Synced {
    Redo,
    BinaryLog,
    Doublewrite,
    /// By its number among the data files.
    Data(u16),
}

/// Inodes of the files that are synced.
#[derive(Debug, Clone)]
pub(in crate::server) struct Inodes {
    /// Length of a tick; 0 if syncs write no inodes.
    data_tick_ns: u64,
    redo_tick_ns: u64,
    data: Vec<Inode>,
    data_blocks: Vec<Block>,
    doublewrite: Inode,
    redo: Inode,
    /// Up to this LSN redo goes to files never written.
    new_redo_up_to: u64,
    /// Whether the map of such a file lies in a block of its own, and whether that differs from what is on disk.
    redo_map_block: bool,
    redo_map_changed: bool,
    /// When the map of the redo file changed last, which syncs of every kind must write.
    redo_map_at: Option<SimTime>,
    /// When the last writes of the redo log and of the binary log are complete.
    redo_written: SimTime,
    binary_log_written: SimTime,
    /// When the binary log last grew, and when it last took a new block of the file system; its bytes since then.
    binary_log_at: Option<SimTime>,
    binary_log_block_at: Option<SimTime>,
    binary_log_bytes: u64,
}

/// What a sync of redo sends to the device, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RedoWrites {
    /// Blocks written before, where these are a write of their own.
    old: u64,
    /// The others.
    rest: u64,
    /// Whether the map of the file changes.
    new_area: bool,
}

impl Inodes {
    /// The ticks are those of a file system with a journal, or else the devices' own.
    pub(in crate::server) fn new(
        journaled: &FileSystemSpec,
        data: &DeviceSpec,
        redo: &DeviceSpec,
        files: usize,
        start_lsn: u64,
    ) -> Self {
        let tick_of = |device: &DeviceSpec| match journaled.kind {
            FileSystemKind::None => device.inode_tick_ns,
            FileSystemKind::Ext4Ordered | FileSystemKind::Xfs => journaled.tick.0,
        };
        Inodes {
            data_tick_ns: tick_of(data),
            redo_tick_ns: tick_of(redo),
            data: vec![Inode::default(); files],
            data_blocks: vec![Block { changed: false, busy_until: SimTime::ZERO }; files.div_ceil(INODES_A_BLOCK)],
            doublewrite: Inode::default(),
            redo: Inode::default(),
            new_redo_up_to: start_lsn + redo.unwritten_redo_bytes,
            redo_map_block: redo.redo_map_block,
            redo_map_changed: false,
            redo_map_at: None,
            redo_written: SimTime::ZERO,
            binary_log_written: SimTime::ZERO,
            binary_log_at: None,
            binary_log_block_at: None,
            binary_log_bytes: 0,
        }
    }

    /// The binary log grows.
    pub(in crate::server) fn binary_log_grows(&mut self, bytes: u64, now: SimTime) {
        self.binary_log_at = Some(now);
        self.binary_log_bytes += bytes;
        if self.binary_log_bytes >= BLOCK_BYTES {
            self.binary_log_bytes %= BLOCK_BYTES;
            self.binary_log_block_at = Some(now);
        }
    }

    /// When the inode of a file last changed in its size or map, or, with `times`, in its time of modification.
    pub(super) fn changed_at(&self, of: Synced, times: bool) -> Option<SimTime> {
        let (shape, time) = match of {
            Synced::Redo => (self.redo_map_at, self.redo.at),
            Synced::BinaryLog => (self.binary_log_at, None),
            Synced::Doublewrite => (None, self.doublewrite.at),
            Synced::Data(file) => (None, self.data[usize::from(file)].at),
        };
        if times { shape.max(time) } else { shape }
    }

    /// Blocks of inodes of data and doublewrite files that changed after `after`.
    pub(super) fn data_blocks_changed(&self, after: Option<SimTime>) -> u64 {
        let changed = |inodes: &[Inode]| inodes.iter().any(|inode| inode.at > after);
        let data = self.data.chunks(INODES_A_BLOCK).filter(|inodes| changed(inodes)).count() as u64;
        data + u64::from(self.doublewrite.at > after)
    }

    /// Blocks that changes of the redo and binary log after `after` take: the block with their inodes, and for a new block of
    /// the binary log its bitmap and the group's descriptor.
    pub(super) fn redo_blocks_changed(&self, after: Option<SimTime>) -> u64 {
        let inodes = self.redo.at.max(self.redo_map_at).max(self.binary_log_at) > after;
        u64::from(inodes) + 2 * u64::from(self.binary_log_block_at > after)
    }

    /// A page of a data file is being written.
    #[inline]
    pub(in crate::server) fn data_changes(&mut self, file: u16, now: SimTime) {
        let file = usize::from(file);
        if self.data[file].changes(now, self.data_tick_ns) {
            self.data_blocks[file / INODES_A_BLOCK].changed = true;
        }
    }

    /// What the sync of a data file does next about its inode.
    fn data_sync_step(&mut self, file: u16, now: SimTime) -> InodeStep {
        let inode = &mut self.data[usize::from(file)];
        let block = &mut self.data_blocks[usize::from(file) / INODES_A_BLOCK];
        if !inode.changed {
            return InodeStep::Nothing;
        }
        if block.busy_until > now {
            return InodeStep::Wait(block.busy_until);
        }
        inode.changed = false;
        if std::mem::take(&mut block.changed) { InodeStep::Write } else { InodeStep::Nothing }
    }

    /// What a sync of the redo from LSN `from` up to `to` sends, in areas of `area` bytes.
    fn redo_writes(&self, from: u64, to: u64, area: u64) -> RedoWrites {
        if self.redo_tick_ns == 0 {
            let bytes = lsn::block_start(to) + lsn::BLOCK_BYTES - lsn::block_start(from);
            return RedoWrites { old: 0, rest: bytes, new_area: false };
        }
        let first = from - from % BLOCK_BYTES;
        let old_end = from.next_multiple_of(area);
        if to <= old_end {
            return RedoWrites { old: 0, rest: to.next_multiple_of(BLOCK_BYTES) - first, new_area: false };
        }
        let bytes = to.next_multiple_of(area) - first;
        if from >= self.new_redo_up_to {
            return RedoWrites { old: 0, rest: bytes, new_area: false };
        }
        RedoWrites { old: old_end - first, rest: bytes - (old_end - first), new_area: true }
    }
}

impl Disks<'_> {
    /// Sends the redo from LSN `from` up to `to` on to the device; returns when it is there.
    pub(in crate::server) fn write_redo(&mut self, from: u64, to: u64) -> SimTime {
        let now = self.now;
        let area = self.config.redo.write_ahead_bytes.max(BLOCK_BYTES);
        let inodes = &mut self.inodes;
        let writes = inodes.redo_writes(from, to, area);
        inodes.redo.changes(now, inodes.redo_tick_ns);
        inodes.redo.changed |= writes.new_area;
        inodes.redo_map_changed |= writes.new_area && inodes.redo_map_block;
        if writes.new_area {
            inodes.redo_map_at = Some(now);
        }
        let mut before = (!from.is_multiple_of(BLOCK_BYTES)).then_some(inodes.redo_written);
        let device = self.redo_device();
        let mut written = now;
        if writes.old > 0 {
            written = device.submit_to_log(now, writes.old, before.take());
        }
        written = device.submit_to_log(now, writes.rest, before).max(written);
        self.inodes.redo_written = written;
        written
    }

    /// Sends the events of groups to the binary log; returns when they are on the device.
    pub(in crate::server) fn write_binary_log(&mut self, bytes: u64) -> SimTime {
        let now = self.now;
        let before = (self.inodes.binary_log_bytes > 0).then_some(self.inodes.binary_log_written);
        self.inodes.binary_log_grows(bytes, now);
        let written = self.redo_device().submit_to_log(now, bytes.max(1), before);
        self.inodes.binary_log_written = written;
        written
    }

    /// Sends a block of the redo file's header to the device; returns when it is there.
    pub(in crate::server) fn write_redo_header(&mut self) -> SimTime {
        let now = self.now;
        let tick = self.inodes.redo_tick_ns;
        self.inodes.redo.changes(now, tick);
        let bytes = if tick == 0 { lsn::BLOCK_BYTES } else { BLOCK_BYTES };
        self.redo_device().submit(now, Op::SequentialWrite, bytes)
    }

    /// Writes an inode if the sync of its file must, or the block with its map before that; returns when it is there.
    /// To be called until there is nothing left to write.
    pub(in crate::server) fn write_inode(&mut self, of: Synced) -> Option<SimTime> {
        let now = self.now;
        let (changed, device) = match of {
            Synced::Redo if std::mem::take(&mut self.inodes.redo_map_changed) => (true, self.redo_device()),
            Synced::Redo => (std::mem::take(&mut self.inodes.redo.changed), self.redo_device()),
            Synced::BinaryLog => return None,
            Synced::Doublewrite => (std::mem::take(&mut self.inodes.doublewrite.changed), &mut *self.data_device),
            Synced::Data(file) => return self.write_data_inode(file).map(|write| write.over_at),
        };
        changed.then(|| device.submit(now, Op::SequentialWrite, BLOCK_BYTES))
    }

    /// A doublewrite file that is synced is being written.
    pub(in crate::server) fn doublewrite_changes(&mut self) {
        self.inodes.doublewrite.changes(self.now, self.inodes.data_tick_ns);
    }

    /// The same for a data file.
    pub(in crate::server) fn write_data_inode(&mut self, file: u16) -> Option<InodeWrite> {
        match self.inodes.data_sync_step(file, self.now) {
            InodeStep::Nothing => None,
            InodeStep::Wait(over_at) => Some(InodeWrite { over_at, own: false }),
            InodeStep::Write => {
                let over_at = self.data_device.submit(self.now, Op::SequentialWrite, BLOCK_BYTES);
                self.inodes.data_blocks[usize::from(file) / INODES_A_BLOCK].busy_until = over_at;
                Some(InodeWrite { over_at, own: true })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn inodes(files: usize) -> Inodes {
        let device = DeviceSpec { inode_tick_ns: 4 * MS, unwritten_redo_bytes: 100_000, ..DeviceSpec::instant("d") };
        Inodes::new(&FileSystemSpec::default(), &device, &device, files, 8_192)
    }

    #[test]
    fn an_inode_is_written_once_a_tick_at_most() {
        let mut inodes = inodes(1);
        inodes.data_changes(0, SimTime(0));
        assert_eq!(inodes.data_sync_step(0, SimTime(0)), InodeStep::Write);
        inodes.data_changes(0, SimTime(3 * MS));
        assert_eq!(inodes.data_sync_step(0, SimTime(3 * MS)), InodeStep::Nothing, "the same tick");
        inodes.data_changes(0, SimTime(4 * MS));
        assert_eq!(inodes.data_sync_step(0, SimTime(4 * MS)), InodeStep::Write);
        assert_eq!(inodes.data_sync_step(0, SimTime(5 * MS)), InodeStep::Nothing, "not changed since");
    }

    #[test]
    fn files_of_a_block_share_its_write_and_wait_for_it() {
        let mut inodes = inodes(17);
        for file in [0, 1, 2, 16] {
            inodes.data_changes(file, SimTime(MS));
        }
        assert_eq!(inodes.data_sync_step(0, SimTime(MS)), InodeStep::Write);
        inodes.data_blocks[0].busy_until = SimTime(3 * MS);
        assert_eq!(inodes.data_sync_step(1, SimTime(2 * MS)), InodeStep::Wait(SimTime(3 * MS)));
        assert_eq!(inodes.data_sync_step(16, SimTime(2 * MS)), InodeStep::Write, "in the next block");
        assert_eq!(inodes.data_sync_step(1, SimTime(3 * MS)), InodeStep::Nothing, "written with the first");
        inodes.data_changes(0, SimTime(5 * MS));
        assert_eq!(inodes.data_sync_step(2, SimTime(5 * MS)), InodeStep::Write, "changed since by another file");
    }

    #[test]
    fn redo_that_enters_a_new_area_is_two_writes_and_changes_the_map() {
        let inodes = inodes(1);
        let writes = |from, to| {
            let RedoWrites { old, rest, new_area } = inodes.redo_writes(from, to, 8_192);
            (old, rest, new_area)
        };
        assert_eq!(writes(8_192, 9_000), (0, 8_192, true), "from the beginning of an area");
        assert_eq!(writes(9_000, 12_000), (0, 4_096, false), "within what is there");
        assert_eq!(writes(9_000, 16_384), (0, 8_192, false), "to its end");
        assert_eq!(writes(13_000, 16_385), (4_096, 8_192, true), "the next area is filled up");
        assert_eq!(writes(200_000, 208_000), (0, 16_384, false), "where all has been written before");
    }

    #[test]
    fn without_a_file_system_redo_goes_in_its_own_blocks() {
        let device = DeviceSpec { unwritten_redo_bytes: 100_000, ..DeviceSpec::instant("d") };
        let inodes = Inodes::new(&FileSystemSpec::default(), &device, &device, 1, 0);
        assert_eq!(inodes.redo_writes(8_000, 9_000, 8_192), RedoWrites { old: 0, rest: 1_536, new_area: false });
    }

    #[test]
    fn a_device_without_ticks_writes_none() {
        let device = DeviceSpec::instant("d");
        let mut inodes = Inodes::new(&FileSystemSpec::default(), &device, &device, 1, 0);
        inodes.data_changes(0, SimTime(9 * MS));
        assert_eq!(inodes.data_sync_step(0, SimTime(9 * MS)), InodeStep::Nothing);
    }
}
