//! The file system's journal and the block layer's cache flushes: what a sync costs besides its data.
//!
//! **Dirty inodes.** A write moves the file's modification time, at the grain of the kernel's clock tick, and a write that
//! makes the file longer changes its size. Both change the inode, which joins the journal's running transaction. A sync must
//! commit that transaction: `fsync` for either change, `fdatasync` for a new size alone. The binary log grows with each
//! write; redo, doublewrite and data files keep their size.
//!
//! **A commit of the journal.** ext4 writes the descriptor with the changed blocks, flushes the device's cache, writes the
//! commit block and flushes the cache again. XFS writes one log record between two cache flushes. A device whose
//! flush is a barrier (SATA) has no forced unit access, so that the second flush is one of the whole cache; the others write the
//! last block through their cache. The commit block is one request with both flushes: the block layer flushes, puts the block at the
//! head of its queue, and flushes again (`blk_flush_complete_seq`). A commit serves all syncs that asked for it. Syncs that need a later transaction wait for
//! the next commit, which starts when this one is over. A sync whose inode a commit has already taken along only
//! waits for that commit, or flushes the cache if the commit has begun its own flush before.
//!
//! **Cache flushes.** The block layer has one cache flush on its way to a device. Syncs that come meanwhile share the
//! next one. While a commit block is being written no flush starts: the flush behind that block serves them too.
//! `iostat` counts the flushes that the device executes. It also counts the request of each sync that has no data left to
//! write, as a write of no bytes, whether or not it shares its flush. The flushes of a commit belong to its commit block.
//!
//! Source: `machine-2026` section 1.1 (ext4's `fsync`, jbd2's commit, the block layer's flush machinery), whose counts of writes
//! and flushes a transaction are the analytic case in `tests/it/machine_file_system.rs`.
//!
//! Simplifications: metadata is never written to its place (errs towards fewer writes, by a few each five seconds); a commit
//! takes no handle's time (errs towards shorter commits); a transaction that nobody syncs is not committed after five
//! seconds; the XFS log has one record on its way instead of up to eight (errs towards larger groups).

use crate::kernel::time::{SimDuration, SimTime};
use crate::run_spec::{FileSystemKind, FileSystemSpec};
use crate::server::machine::Disks;
use crate::server::machine::events::Event;
use crate::server::machine::inodes::{Inodes, Synced};
use crate::storage::{Device, Op};

/// A block of the file system.
pub(in crate::server) const BLOCK_BYTES: u64 = 4096;
/// The log record of XFS for a few inodes.
const XFS_RECORD_BYTES: u64 = 2048;
/// Waking the thread that commits, and the one that waited for it.
pub(in crate::server) const WAKE_UP: SimDuration = SimDuration::from_micros(25);

/// What goes on when a sync is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum AfterSync {
    /// The redo log's group.
    Redo,
    /// An event.
    Event(Event),
    /// A thread that synced a file of pages does `thread` and then `event`.
    Pages {
        /// The file.
        file: PagesFile,
        /// When it began: what was written by then is synced.
        began: SimTime,
        /// What the thread does.
        thread: Event,
        /// What follows.
        event: Event,
    },
}

/// A file that holds pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum PagesFile {
    /// A data file.
    Data(u16),
    /// The doublewrite, for the batches that the thread wrote there.
    Doublewrite,
    /// The doublewrite, for a page that a client flushes alone.
    DoublewriteOf(u32),
}

/// Who waits for a cache flush.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum FlushOwner {
    Sync(AfterSync),
    /// The commit, before its commit block.
    CommitBlock,
    /// The commit, behind it.
    CommitEnd,
}

/// Cache flushes of a device: one on its way, the others gather for the next.
#[derive(Debug, Clone, Default)]
pub(in crate::server) struct Flushes {
    pub(in crate::server) running: Vec<FlushOwner>,
    waiting: Vec<FlushOwner>,
    /// No flush starts meanwhile.
    pub(in crate::server) commit_block_in_flight: bool,
}

impl Flushes {
    /// Whether a flush begins now; its owners are then those that waited.
    fn begin(&mut self) -> bool {
        if !self.running.is_empty() || self.waiting.is_empty() || self.commit_block_in_flight {
            return false;
        }
        std::mem::swap(&mut self.running, &mut self.waiting);
        true
    }

    /// Those whose flush is over leave their list, which is used again: a flush is too frequent for an allocation.
    pub(in crate::server) fn reuse(&mut self, mut over: Vec<FlushOwner>) {
        over.clear();
        if self.running.is_empty() {
            self.running = over;
        } else if self.waiting.is_empty() {
            self.waiting = over;
        }
    }
}

/// Where a commit stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum Phase {
    /// Its thread is being woken.
    Starting,
    /// Descriptor and changed blocks are being written (ext4).
    Blocks,
    /// The flush before the commit block is on its way or waits.
    FlushBefore,
    CommitBlock,
    FlushBehind,
}

/// A commit in progress.
#[derive(Debug, Clone)]
pub(in crate::server) struct Commit {
    /// Changes up to then are in it.
    pub(in crate::server) began: SimTime,
    pub(in crate::server) phase: Phase,
    pub(in crate::server) bytes: u64,
    /// Who waits for it, and whether a cache flush must follow.
    pub(in crate::server) waiters: Vec<(AfterSync, bool)>,
}

/// The journal of one file system.
#[derive(Debug, Clone, Default)]
pub(in crate::server) struct Journal {
    /// When the newest commit that is over began; changes up to then are safe.
    pub(in crate::server) committed: Option<SimTime>,
    pub(in crate::server) commit: Option<Commit>,
    /// Who waits for the next one; no flush must follow that.
    pub(in crate::server) next: Vec<(AfterSync, bool)>,
    /// An empty list, of a commit that is over.
    pub(in crate::server) spare: Vec<(AfterSync, bool)>,
    pub(in crate::server) flushes: Flushes,
}

/// What a sync does about an inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Nothing changed that is not committed: a cache flush is all.
    Flush,
    /// It is in the commit in progress; whether a flush must follow that.
    Join { flush: bool },
    /// It needs the next one.
    Next,
}

impl Journal {
    /// What a sync does about a change at `changed`.
    fn step(&self, changed: Option<SimTime>) -> Step {
        let Some(changed) = changed.filter(|at| self.committed.is_none_or(|committed| *at > committed)) else {
            return Step::Flush;
        };
        match &self.commit {
            Some(commit) if changed <= commit.began => {
                let flushed = matches!(commit.phase, Phase::FlushBefore | Phase::CommitBlock | Phase::FlushBehind);
                Step::Join { flush: flushed }
            }
            _ => Step::Next,
        }
    }
}

/// File systems with a journal: that of the data device, and that of the redo device if it is another.
#[derive(Debug, Clone)]
pub(in crate::server) struct FileSystem {
    pub(in crate::server) kind: FileSystemKind,
    /// Whether redo and data files are synced by `fdatasync`.
    fdatasync: bool,
    pub(in crate::server) journals: [Journal; 2],
    /// Requests for a cache flush without data since they were last taken.
    flush_requests: u64,
}

/// Number of the journal of the data device, and of the redo device.
const DATA: usize = 0;
const REDO: usize = 1;

impl FileSystem {
    /// The file systems that a run has; nothing where it has no journal.
    pub(in crate::server) fn new(spec: &FileSystemSpec) -> Option<Box<FileSystem>> {
        (spec.kind != FileSystemKind::None).then(|| {
            let (kind, fdatasync) = (spec.kind, spec.fdatasync);
            Box::new(FileSystem { kind, fdatasync, journals: Default::default(), flush_requests: 0 })
        })
    }

    /// Requests for a cache flush without data since the last call.
    pub(in crate::server) fn take_flush_requests(&mut self) -> u64 {
        std::mem::take(&mut self.flush_requests)
    }

    /// Clients that wait for a sync of a page that they flush alone.
    pub(in crate::server) fn waiting_clients(&self) -> usize {
        let of_client = |then: &AfterSync| matches!(then, AfterSync::Pages { event, .. } if event.client().is_some());
        let of_journal = |journal: &Journal| {
            let flushes = journal.flushes.running.iter().chain(&journal.flushes.waiting);
            let flushed = flushes.filter(|owner| matches!(owner, FlushOwner::Sync(then) if of_client(then))).count();
            let committed = journal.commit.iter().flat_map(|commit| &commit.waiters);
            flushed + committed.chain(&journal.next).filter(|(then, _)| of_client(then)).count()
        };
        self.journals.iter().map(of_journal).sum()
    }

    /// When the inode of a file last changed in a way that its syncs must commit.
    fn dirty_since(&self, inodes: &Inodes, file: Synced) -> Option<SimTime> {
        inodes.changed_at(file, !self.fdatasync)
    }

    /// Bytes of a commit that takes the changes after `after` along, but for its commit block.
    fn commit_bytes(&self, inodes: &Inodes, volume: usize, shared: bool, after: Option<SimTime>) -> u64 {
        match self.kind {
            FileSystemKind::Xfs | FileSystemKind::None => XFS_RECORD_BYTES,
            FileSystemKind::Ext4Ordered => {
                let data = if volume == DATA { inodes.data_blocks_changed(after) } else { 0 };
                let redo = if volume == REDO || shared { inodes.redo_blocks_changed(after) } else { 0 };
                (1 + data + redo).max(2) * BLOCK_BYTES
            }
        }
    }
}

impl Disks<'_> {
    pub(in crate::server) fn volume_device(&mut self, volume: usize) -> &mut Device {
        if volume == REDO { self.redo_device() } else { &mut *self.data_device }
    }

    /// Syncs a file, whose data is on the device, through a file system with a journal; false if there is none.
    pub(in crate::server) fn sync_through_journal(&mut self, file: Synced, then: AfterSync) -> bool {
        let volume = self.volume_of(file);
        let Some(fs) = &mut self.file_system else { return false };
        let step = fs.journals[volume].step(fs.dirty_since(self.inodes, file));
        let journal = &mut fs.journals[volume];
        match (step, &mut journal.commit) {
            (Step::Join { flush }, Some(commit)) => commit.waiters.push((then, flush)),
            (Step::Next, commit) => {
                let idle = commit.is_none();
                journal.next.push((then, false));
                if idle {
                    self.begin_commit(volume, WAKE_UP);
                }
            }
            _ => self.wait_for_flush(volume, FlushOwner::Sync(then)),
        }
        true
    }

    /// Writes descriptor and changed blocks.
    pub(in crate::server) fn write_journal_blocks(&mut self, volume: usize, bytes: u64) {
        let now = self.now;
        let written = self.volume_device(volume).submit(now, Op::SequentialWrite, bytes);
        self.calendar.schedule(written, Event::JournalCommit(volume as u32));
    }

    /// Writes the commit block, which the block layer sends between its two flushes.
    pub(in crate::server) fn write_commit_block(&mut self, volume: usize, bytes: u64) {
        let now = self.now;
        let written = self.volume_device(volume).submit_ahead(now, bytes);
        self.calendar.schedule(written, Event::JournalCommit(volume as u32));
    }

    pub(in crate::server) fn wait_for_flush(&mut self, volume: usize, owner: FlushOwner) {
        if let Some(fs) = &mut self.file_system {
            fs.flush_requests += u64::from(matches!(owner, FlushOwner::Sync(_)));
            fs.journals[volume].flushes.waiting.push(owner);
        }
        self.begin_flush(volume);
    }

    /// Sends a cache flush to the device if one is wanted and may start.
    pub(in crate::server) fn begin_flush(&mut self, volume: usize) {
        let Some(fs) = &mut self.file_system else { return };
        if fs.journals[volume].flushes.begin() {
            let now = self.now;
            let over = self.volume_device(volume).submit(now, Op::Sync, 0);
            self.calendar.schedule(over, Event::FlushOver(volume as u32));
        }
    }

    /// Number of the file system that a file lies on.
    fn volume_of(&self, file: Synced) -> usize {
        match file {
            Synced::Redo | Synced::BinaryLog if self.redo_device.is_some() => REDO,
            _ => DATA,
        }
    }

    /// Those who wait for the next commit get it; its thread runs `after` from now.
    pub(in crate::server) fn begin_commit(&mut self, volume: usize, after: SimDuration) {
        let shared = self.redo_device.is_none();
        let Some(fs) = &mut self.file_system else { return };
        let bytes = fs.commit_bytes(self.inodes, volume, shared, fs.journals[volume].committed);
        let journal = &mut fs.journals[volume];
        let waiters = std::mem::replace(&mut journal.next, std::mem::take(&mut journal.spare));
        journal.commit = Some(Commit { began: self.now, phase: Phase::Starting, bytes, waiters });
        self.calendar.schedule(self.now + after, Event::JournalCommit(volume as u32));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn journal(committed: Option<u64>, commit: Option<(u64, Phase)>) -> Journal {
        let commit =
            commit.map(|(began, phase)| Commit { began: SimTime(began), phase, bytes: 0, waiters: Vec::new() });
        Journal { committed: committed.map(SimTime), commit, ..Journal::default() }
    }

    #[test]
    fn a_clean_inode_needs_a_flush_alone() {
        assert_eq!(journal(None, None).step(None), Step::Flush);
        assert_eq!(journal(Some(5 * MS), None).step(Some(SimTime(5 * MS))), Step::Flush, "a commit took it along");
    }

    #[test]
    fn a_dirty_inode_joins_the_commit_that_has_it() {
        let dirty = Some(SimTime(2 * MS));
        assert_eq!(journal(Some(MS), None).step(dirty), Step::Next);
        assert_eq!(journal(Some(MS), Some((2 * MS, Phase::Blocks))).step(dirty), Step::Join { flush: false });
        assert_eq!(journal(Some(MS), Some((2 * MS, Phase::CommitBlock))).step(dirty), Step::Join { flush: true });
        assert_eq!(journal(None, Some((MS, Phase::Starting))).step(dirty), Step::Next, "changed since it began");
    }

    #[test]
    fn flushes_that_wait_together_are_one_and_none_starts_beside_a_commit_block() {
        let owner = FlushOwner::Sync(AfterSync::Redo);
        let mut flushes = Flushes::default();
        assert!(!flushes.begin(), "nobody wants one");
        flushes.waiting.push(owner);
        assert!(flushes.begin());
        flushes.waiting.extend([owner, FlushOwner::CommitEnd]);
        assert!(!flushes.begin(), "one at a time");
        flushes.running.clear();
        flushes.commit_block_in_flight = true;
        assert!(!flushes.begin());
        flushes.commit_block_in_flight = false;
        assert!(flushes.begin());
        assert_eq!((flushes.running.len(), flushes.waiting.len()), (2, 0));
    }
}
