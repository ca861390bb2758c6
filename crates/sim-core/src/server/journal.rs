//! Commits of the journal and cache flushes, as they end ([`super::file_system`]): who waited for them goes on, the syncs of data
//! files among them.

use super::Server;
use super::events::Event;
use super::file_system::{AfterSync, BLOCK_BYTES, FlushOwner, PagesFile, Phase, WAKE_UP};
use super::inodes::Synced;
use crate::kernel::time::{SimDuration, SimTime};
use crate::run_spec::FileSystemKind;

impl Server {
    /// The commit of a journal goes on.
    pub(super) fn journal_commit_step(&mut self, number: u32) {
        let volume = number as usize;
        let Some(fs) = &mut self.machine.file_system else { return };
        let kind = fs.kind;
        let journal = &mut fs.journals[volume];
        let Some(commit) = &mut journal.commit else { return };
        match commit.phase {
            Phase::Starting if kind == FileSystemKind::Ext4Ordered => {
                commit.phase = Phase::Blocks;
                let bytes = commit.bytes;
                self.machine.write_journal(volume, bytes);
            }
            Phase::Starting | Phase::Blocks => {
                commit.phase = Phase::FlushBefore;
                self.machine.wait_for_flush(volume, FlushOwner::CommitBlock);
            }
            Phase::FlushBefore => {
                commit.phase = Phase::CommitBlock;
                let bytes = if kind == FileSystemKind::Xfs { commit.bytes } else { BLOCK_BYTES };
                journal.flushes.commit_block_in_flight = true;
                self.machine.write_journal(volume, bytes);
            }
            Phase::CommitBlock => {
                commit.phase = Phase::FlushBehind;
                journal.flushes.commit_block_in_flight = false;
                if self.machine.volume_device(volume).flush_is_barrier() {
                    self.machine.wait_for_flush(volume, FlushOwner::CommitEnd);
                } else {
                    self.end_commit(volume);
                    self.machine.begin_flush(volume);
                }
            }
            Phase::FlushBehind => self.end_commit(volume),
        }
    }

    /// A commit is over: who waited goes on, and the next begins if it is wanted.
    fn end_commit(&mut self, volume: usize) {
        let Some(fs) = &mut self.machine.file_system else { return };
        let journal = &mut fs.journals[volume];
        let Some(commit) = journal.commit.take() else { return };
        journal.committed = Some(commit.began);
        let next = !journal.next.is_empty();
        for (then, flush) in commit.waiters {
            if flush {
                self.machine.wait_for_flush(volume, FlushOwner::Sync(then));
            } else {
                self.sync_is_over(then, WAKE_UP);
            }
        }
        if next {
            self.machine.begin_commit(volume, SimDuration::ZERO);
        }
    }

    /// The cache flush on its way to a device is over.
    pub(super) fn flush_is_over(&mut self, number: u32) {
        let volume = number as usize;
        let Some(fs) = &mut self.machine.file_system else { return };
        let owners = std::mem::take(&mut fs.journals[volume].flushes.running);
        for owner in owners {
            match owner {
                FlushOwner::Sync(then) => self.sync_is_over(then, SimDuration::ZERO),
                FlushOwner::CommitBlock | FlushOwner::CommitEnd => self.journal_commit_step(number),
            }
        }
        self.machine.begin_flush(volume);
    }

    /// A sync is over, and who waited for it runs `after` from now.
    fn sync_is_over(&mut self, then: AfterSync, after: SimDuration) {
        let at = self.machine.now + after;
        match then {
            AfterSync::Redo => self.machine.redo_sync_ends(at),
            AfterSync::Event(event) => self.machine.calendar.schedule(at, event),
            AfterSync::Pages { file, began, thread, event } => {
                match (file, thread) {
                    (PagesFile::Data(file), _) => {
                        self.machine.crash_sees_sync_since(file, began);
                        for waiting in self.syncs.sync_ends(file, self.machine.now) {
                            self.machine.calendar.schedule(at, waiting);
                        }
                    }
                    (PagesFile::Doublewrite, Event::FlushThread(thread)) => {
                        self.machine.crash_sees_copies_synced(thread, self.machine.now);
                    }
                    (PagesFile::Doublewrite, _) => {}
                    (PagesFile::DoublewriteOf(page), _) => {
                        self.machine.crash_sees_copy_alone_synced(page, self.machine.now);
                    }
                }
                self.machine.data_sync_computes(at, thread, event);
            }
        }
    }

    /// Syncs a file of pages through a file system with a journal; false if there is none.
    pub(super) fn sync_pages_through_journal(&mut self, file: PagesFile, thread: Event, event: Event) -> bool {
        if self.machine.file_system.is_none() {
            return false;
        }
        self.machine.recorder.counts.data_fsyncs += 1;
        let synced = match file {
            PagesFile::Data(file) => {
                self.syncs.sync_until(file, SimTime::NEVER);
                Synced::Data(file)
            }
            PagesFile::Doublewrite | PagesFile::DoublewriteOf(_) => Synced::Doublewrite,
        };
        self.machine.sync_through_journal(synced, AfterSync::Pages { file, began: self.machine.now, thread, event })
    }
}
