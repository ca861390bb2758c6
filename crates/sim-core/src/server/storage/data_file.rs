//! What a server knows of a data file: which of its writes a sync has covered.
//!
//! Source: `innodb-8.0.21` sections 2.4 and 6.1; the older servers and MariaDB count in the same way. Every completed write of
//! a file takes the next number. Who wants a file synced wants it up to the newest number at that moment. While another sync
//! of the file is in progress it waits, then looks again: that sync may have covered what it wants.
//!
//! A file stays in the list of those with unsynced writes until a sync that covers them is over, not until it begins. A
//! checkpoint that comes meanwhile waits for that sync: without it, what the sync is still bringing to the device would be
//! taken as durable.
//!
//! Simplification: a sync covers all that is written when it begins. The servers note only what the thread that begins it
//! wanted when it came, and which of those who waited begins is up to the operating system (errs towards fewer syncs where
//! several wait for one file).

use crate::kernel::time::SimTime;

/// A data file. Numbers of writes begin with 1.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct DataFile {
    /// The newest write.
    written: u64,
    /// The newest write that syncs which are over have covered.
    synced: u64,
    /// When the sync in progress is over, or the write of the inode before it.
    busy_until: SimTime,
    /// What that sync covers.
    covers: u64,
}

/// What stands between a file and its sync.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum Wanted {
    /// Nothing, it is synced that far.
    Synced,
    /// The sync of somebody else, until then.
    Wait(SimTime),
    /// Nothing, but a sync is needed.
    Sync,
}

impl DataFile {
    /// A write of the file was completed.
    pub(super) fn write(&mut self) {
        self.written += 1;
    }

    /// What a sync wants that is asked for now.
    pub(super) fn newest(&self) -> u64 {
        self.written
    }

    /// Whether it is in the list of files with unsynced writes.
    pub(super) fn is_unsynced(&mut self, now: SimTime) -> bool {
        self.settle(now);
        self.written > self.synced
    }

    /// What to do for a sync up to this write.
    pub(super) fn want(&mut self, write: u64, now: SimTime) -> Wanted {
        self.settle(now);
        if self.synced >= write {
            Wanted::Synced
        } else if self.busy_until > now {
            Wanted::Wait(self.busy_until)
        } else {
            Wanted::Sync
        }
    }

    /// The file's inode is on its way until then, and nobody else may begin a sync.
    pub(super) fn inode_until(&mut self, over: SimTime) {
        self.busy_until = over;
    }

    /// A sync that nobody else waited for is over: it covered the writes up to this one.
    pub(super) fn synced_up_to(&mut self, write: u64) {
        self.synced = self.synced.max(write);
    }

    /// A sync begins.
    pub(super) fn sync_until(&mut self, over: SimTime) {
        (self.busy_until, self.covers) = (over, self.written);
    }

    /// The sync in progress, whose end was not known beforehand, is over.
    pub(super) fn sync_ends(&mut self, now: SimTime) {
        self.busy_until = now;
        self.settle(now);
    }

    fn settle(&mut self, now: SimTime) {
        if self.busy_until <= now {
            self.synced = self.covers.max(self.synced);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_unsynced_until_its_sync_is_over() {
        let mut file = DataFile::default();
        assert!(!file.is_unsynced(SimTime(0)));
        file.write();
        assert!(file.is_unsynced(SimTime(5)));
        assert_eq!(file.want(1, SimTime(5)), Wanted::Sync);
        file.sync_until(SimTime(10));
        assert!(file.is_unsynced(SimTime(9)), "it is not on the device yet");
        assert_eq!(file.want(1, SimTime(9)), Wanted::Wait(SimTime(10)));
        assert!(!file.is_unsynced(SimTime(10)));
        assert_eq!(file.want(1, SimTime(10)), Wanted::Synced);
    }

    #[test]
    fn a_sync_covers_what_was_written_before_it_began() {
        let mut file = DataFile::default();
        file.write();
        file.sync_until(SimTime(10));
        file.write();
        assert_eq!(file.want(2, SimTime(10)), Wanted::Sync, "the second write came while the first was synced");
        file.sync_until(SimTime(20));
        assert_eq!(file.want(1, SimTime(15)), Wanted::Synced, "the first is safe all the while");
        assert_eq!(file.want(2, SimTime(20)), Wanted::Synced);
    }

    #[test]
    fn an_inode_on_its_way_covers_nothing() {
        let mut file = DataFile::default();
        file.write();
        file.inode_until(SimTime(3));
        assert_eq!(file.want(1, SimTime(2)), Wanted::Wait(SimTime(3)));
        assert_eq!(file.want(1, SimTime(3)), Wanted::Sync);
    }
}
