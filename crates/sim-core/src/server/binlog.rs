//! The binary log: group commit between the prepare and the commit of the storage engine.
//!
//! Source: `innodb-5.5` section 7.3 and `innodb-5.6` section 7.3 for the order of syncs; the server's documentation of
//! `sync_binlog` for the rest. A transaction is prepared first: its redo is made durable as
//! `innodb_flush_log_at_trx_commit` says. Then it queues for the binary log. From 5.6 the first in the queue leads a
//! group: it writes the events of all that are queued, syncs the file if it is the turn of this group, and commits them
//! all, in order. In 5.5 a mutex is held from the prepare to the commit, so that a group is one transaction, and its
//! commit is flushed once more.
//!
//! Where the binary log is kept in the engine (MariaDB from 12.3, by choice), the events are redo of the transaction: its commit
//! waits for that alone, and the file's pages are written as they fill up, for which nobody waits.
//!
//! The file lies on the redo log's device. Simplifications: the leader's redo flush for its whole group (from 5.7) is
//! the group commit of the redo log; writing to the page cache takes the time of a redo write; a new file every
//! `max_binlog_size` is left out (errs towards fewer pauses).

use super::Server;
use super::costs;
use super::events::Event;
use super::file_system::AfterSync;
use super::inodes::Synced;
use crate::config::{BinaryLogConfig, CommitDurability, PAGE_BYTES};
use crate::kernel::time::SimTime;
use crate::storage::Op;
use std::collections::VecDeque;

/// State of the binary log.
#[derive(Debug, Clone)]
pub(super) struct BinaryLog {
    config: BinaryLogConfig,
    /// Prepared transactions in order of arrival.
    queue: VecDeque<u32>,
    /// The group being written and synced.
    group: Vec<u32>,
    in_progress: bool,
    /// Groups, and bytes of events, since the last sync.
    groups_unsynced: u32,
    bytes_unsynced: f64,
}

impl BinaryLog {
    pub(super) fn new(config: BinaryLogConfig) -> Self {
        BinaryLog {
            config,
            queue: VecDeque::new(),
            group: Vec::new(),
            in_progress: false,
            groups_unsynced: 0,
            bytes_unsynced: 0.0,
        }
    }

    /// Clients that wait for it.
    pub(super) fn waiting(&self) -> usize {
        self.queue.len() + self.group.len()
    }
}

impl Server {
    /// The events of a transaction that is about to commit, where they are redo.
    pub(super) fn events_to_redo(&mut self) {
        let Some(log) = &mut self.binary_log else { return };
        if !log.config.in_redo {
            return;
        }
        let bytes = log.config.bytes_per_transaction;
        log.bytes_unsynced += bytes;
        let full = (log.bytes_unsynced / PAGE_BYTES as f64) as u64 * PAGE_BYTES;
        log.bytes_unsynced -= full as f64;
        self.machine.redo.append_record(crate::redo::RedoLog::fixed(bytes), self.machine.now);
        if full > 0 {
            let now = self.machine.now;
            self.machine.redo_device().submit(now, Op::SequentialWrite, full);
        }
    }

    /// A prepared transaction goes on at `at`: through the binary log, where there is one, to its end.
    pub(super) fn prepared(&mut self, client: u32, at: SimTime) {
        let Some(log) = self.binary_log.as_mut().filter(|log| !log.config.in_redo) else {
            return self.finish(client, at);
        };
        if std::mem::take(&mut self.clients.list[client as usize].in_binary_log) {
            return self.finish(client, at);
        }
        log.queue.push_back(client);
        self.start_binlog_group();
    }

    fn start_binlog_group(&mut self) {
        let Some(log) = &mut self.binary_log else { return };
        if log.in_progress || log.queue.is_empty() {
            return;
        }
        let members = if log.config.grouped { log.queue.len() } else { 1 };
        log.group.extend(log.queue.drain(..members));
        log.in_progress = true;
        log.groups_unsynced += 1;
        log.bytes_unsynced += log.config.bytes_per_transaction * members as f64;
        self.machine.calendar.schedule(self.machine.now + costs::REDO_WRITE, Event::BinlogWritten);
    }

    /// The events of a group are in the page cache: they are sent to the device and synced if it is the group's turn.
    pub(super) fn binlog_written(&mut self) {
        let Some(log) = &mut self.binary_log else { return };
        if log.config.sync_every == 0 || log.groups_unsynced < log.config.sync_every {
            return self.binlog_synced();
        }
        let bytes = std::mem::take(&mut log.bytes_unsynced) as u64;
        log.groups_unsynced = 0;
        let now = self.machine.now;
        self.machine.inodes.binary_log_grows(bytes, now);
        let written = self.machine.redo_device().submit(now, Op::SequentialWrite, bytes.max(1));
        self.machine.calendar.schedule(written, Event::BinlogOnDevice);
    }

    pub(super) fn binlog_on_device(&mut self) {
        let now = self.machine.now;
        self.machine.recorder.counts.binlog_fsyncs += 1;
        if self.machine.sync_through_journal(Synced::BinaryLog, AfterSync::Event(Event::BinlogSynced)) {
            return;
        }
        let synced = self.machine.redo_device().submit(now, Op::Sync, 0);
        self.machine.calendar.schedule(synced, Event::BinlogSynced);
    }

    /// The group commits, and the next begins.
    pub(super) fn binlog_synced(&mut self) {
        let Some(log) = &mut self.binary_log else { return };
        log.in_progress = false;
        let group = std::mem::take(&mut log.group);
        let flushes_again = !log.config.grouped && self.machine.config.redo.commit == CommitDurability::Sync;
        for &client in &group {
            self.clients.list[client as usize].in_binary_log = flushes_again;
            if flushes_again {
                self.flush_commit_record(client);
            } else {
                self.finish(client, self.machine.now);
            }
        }
        self.start_binlog_group();
    }

    /// The commit record of a transaction is appended and made durable, after which the transaction ends.
    fn flush_commit_record(&mut self, client: u32) {
        self.machine.redo.append_record(crate::redo::RedoLog::fixed(costs::COMMIT_RECORD_BYTES), self.machine.now);
        self.commit(client);
    }
}
