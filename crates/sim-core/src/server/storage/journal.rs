//! Commits of the journal and cache flushes, as they end ([`crate::server::machine::file_system`]): who waited for them goes on, the syncs of data
//! files among them.

use crate::kernel::time::SimDuration;
use crate::run_spec::FileSystemKind;
use crate::server::machine::Machine;
use crate::server::machine::disk_events::DiskEvent;
use crate::server::machine::events::Event;
use crate::server::machine::file_system::{AfterSync, BLOCK_BYTES, FlushOwner, PagesFile, Phase, WAKE_UP};
use crate::server::machine::inodes::Synced;
use crate::server::storage::DataFiles;

impl DataFiles {
    /// The commit of a journal goes on.
    pub(in crate::server) fn journal_commit_step(&mut self, number: u32, machine: &mut Machine) {
        let volume = number as usize;
        let Some(fs) = &mut machine.file_system else { return };
        let kind = fs.kind;
        let journal = &mut fs.journals[volume];
        let Some(commit) = &mut journal.commit else { return };
        match commit.phase {
            Phase::Starting if kind == FileSystemKind::Ext4Ordered => {
                commit.phase = Phase::Blocks;
                let bytes = commit.bytes;
                machine.disks().write_journal_blocks(volume, bytes);
            }
            Phase::Starting | Phase::Blocks => {
                commit.phase = Phase::FlushBefore;
                machine.disks().wait_for_flush(volume, FlushOwner::CommitBlock);
            }
            Phase::FlushBefore => {
                commit.phase = Phase::CommitBlock;
                let bytes = if kind == FileSystemKind::Xfs { commit.bytes } else { BLOCK_BYTES };
                journal.flushes.commit_block_in_flight = true;
                machine.disks().write_commit_block(volume, bytes);
            }
            Phase::CommitBlock => {
                commit.phase = Phase::FlushBehind;
                journal.flushes.commit_block_in_flight = false;
                if machine.disks().volume_device(volume).flush_is_barrier() {
                    machine.disks().wait_for_flush(volume, FlushOwner::CommitEnd);
                } else {
                    self.end_commit(volume, machine);
                    machine.disks().begin_flush(volume);
                }
            }
            Phase::FlushBehind => self.end_commit(volume, machine),
        }
    }

    /// A commit is over: who waited goes on, and the next begins if it is wanted.
    fn end_commit(&mut self, volume: usize, machine: &mut Machine) {
        let Some(fs) = &mut machine.file_system else { return };
        let journal = &mut fs.journals[volume];
        let Some(mut commit) = journal.commit.take() else { return };
        journal.committed = Some(commit.began);
        let next = !journal.next.is_empty();
        for (then, flush) in commit.waiters.drain(..) {
            if flush {
                machine.disks().wait_for_flush(volume, FlushOwner::Sync(then));
            } else {
                self.sync_is_over(then, WAKE_UP, machine);
            }
        }
        if let Some(fs) = &mut machine.file_system {
            fs.journals[volume].spare = commit.waiters;
        }
        if next {
            machine.disks().begin_commit(volume, SimDuration::ZERO);
        }
    }

    /// The cache flush on its way to a device is over.
    pub(in crate::server) fn flush_is_over(&mut self, number: u32, machine: &mut Machine) {
        let volume = number as usize;
        let Some(fs) = &mut machine.file_system else { return };
        let owners = std::mem::take(&mut fs.journals[volume].flushes.running);
        for &owner in &owners {
            match owner {
                FlushOwner::Sync(then) => self.sync_is_over(then, SimDuration::ZERO, machine),
                FlushOwner::CommitBlock | FlushOwner::CommitEnd => self.journal_commit_step(number, machine),
            }
        }
        if let Some(fs) = &mut machine.file_system {
            fs.journals[volume].flushes.reuse(owners);
        }
        machine.disks().begin_flush(volume);
    }

    /// A sync is over, and who waited for it runs `after` from now.
    fn sync_is_over(&mut self, then: AfterSync, after: SimDuration, machine: &mut Machine) {
        let at = machine.now + after;
        match then {
            AfterSync::Redo => machine.cpu().redo_sync_ends(at),
            AfterSync::Event(event) => machine.calendar.schedule(at, event),
            AfterSync::Pages { file, began, thread, event } => {
                match (file, thread) {
                    (PagesFile::Data(file), _) => {
                        machine.observers.tell(DiskEvent::FileSynced { file, began, done: machine.now });
                        for waiting in self.sync_ends(file, machine.now) {
                            machine.calendar.schedule(at, waiting);
                        }
                    }
                    (PagesFile::Doublewrite, Event::FlushThread(thread)) => {
                        let done = machine.now;
                        machine.observers.tell(DiskEvent::DoublewriteSynced { thread: thread.0, done });
                    }
                    (PagesFile::Doublewrite, _) => {}
                    (PagesFile::DoublewriteOf(page), _) => {
                        machine.observers.tell(DiskEvent::SinglePageCopySynced { page, done: machine.now });
                    }
                }
                machine.cpu().data_sync_computes(at, thread, event);
            }
        }
    }

    /// Syncs a file of pages through a file system with a journal; false if there is none.
    pub(in crate::server) fn sync_pages_through_journal(
        &self,
        file: PagesFile,
        thread: Event,
        event: Event,
        machine: &mut Machine,
    ) -> bool {
        if machine.file_system.is_none() {
            return false;
        }
        machine.recorder.counts.data_fsyncs += 1;
        let synced = match file {
            PagesFile::Data(file) => Synced::Data(file),
            PagesFile::Doublewrite | PagesFile::DoublewriteOf(_) => Synced::Doublewrite,
        };
        let then = AfterSync::Pages { file, began: machine.now, thread, event };
        machine.disks().sync_through_journal(synced, then)
    }
}
