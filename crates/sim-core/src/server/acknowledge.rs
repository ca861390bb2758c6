//! Transactions commit: what becomes durable is acknowledged, and their clients go on.
//!
//! Source: `innodb-8.0.21` section 3.3 and, for the binary log, what [`super::binlog`] names. A transaction that ends leaves its
//! history, and its client begins the next, all before the log looks for its next sync.

use super::Server;
use crate::config::CommitDurability;
use crate::kernel::time::SimTime;

impl Server {
    /// A client's transaction is through with its pages.
    pub(super) fn commit(&mut self, client: u32) {
        if !self.clients.list[client as usize].wrote {
            return self.finish(client, self.machine.now);
        }
        self.events_to_redo();
        if self.leader_asks_for_redo() {
            self.stand_in_binlog_queue(client);
        } else if self.is_durable_or_waits(client) {
            self.prepared(client, self.machine.now);
        }
        self.after_append();
    }

    /// A prepared transaction goes on at `at`: through the binary log, where there is one, to its end.
    fn prepared(&mut self, client: u32, at: SimTime) {
        if self.ends_without_binlog(client) {
            self.finish(client, at);
        }
    }

    /// Acknowledges all commits up to `lsn`.
    fn acknowledge(&mut self, lsn: u64) {
        let at = self.woken_at();
        while let Some(client) = self.next_acknowledged(lsn) {
            self.prepared(client, at);
        }
    }

    /// The redo write in progress is over.
    pub(super) fn redo_written(&mut self) {
        if let Some(lsn) = self.write_ended() {
            self.acknowledge(lsn);
        }
        self.after_write();
    }

    /// The redo sync in progress is over.
    pub(super) fn redo_synced(&mut self) {
        let Some(lsn) = self.sync_ended() else { return };
        if self.machine.config.redo.commit == CommitDurability::Sync {
            self.acknowledge(lsn);
        }
        self.after_sync(lsn);
    }

    /// The events of a group are in the binary log's page cache.
    pub(super) fn binlog_written(&mut self) {
        if self.binlog_is_written() {
            self.commit_groups();
        }
        self.start_binlog_group();
    }

    /// The binary log is synced.
    pub(super) fn binlog_synced(&mut self) {
        self.commit_groups();
        self.start_binlog_group();
    }

    /// The groups that are through the binary log commit.
    fn commit_groups(&mut self) {
        if self.leader_asks_for_redo() {
            return self.commit_synced_groups();
        }
        for client in self.take_group() {
            if self.flushes_commit_record(client) {
                self.commit(client);
            } else {
                self.finish(client, self.machine.now);
            }
        }
    }

    fn commit_synced_groups(&mut self) {
        loop {
            for (client, at) in self.take_synced_groups() {
                self.finish(client, at);
            }
            if !self.start_binlog_sync() {
                return;
            }
        }
    }
}
