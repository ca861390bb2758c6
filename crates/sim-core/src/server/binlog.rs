//! The binary log: group commit between the prepare and the commit of the storage engine.
//!
//! Source: `innodb-5.5` section 7.3 and `innodb-5.6` section 7.3 for the order of syncs, `redo-threads` section 1.7 for 8.0; the
//! server's documentation of `sync_binlog` for the rest. A transaction is prepared first: its redo is made durable as
//! `innodb_flush_log_at_trx_commit` says. Then it queues for the binary log. From 5.6 the first in the queue leads a
//! group: it writes the events of all that are queued, syncs the file if it is the turn of this group, and commits them
//! all, in order. In 5.5 a mutex is held from the prepare to the commit, so that a group is one transaction, and its
//! commit is flushed once more.
//!
//! Where the binary log is kept in the engine (MariaDB from 12.3, by choice), the events are redo of the transaction: its commit
//! waits for that alone, and the file's pages are written as they fill up, for which nobody waits.
//!
//! From 8.0 there are stages, and nobody waits at the prepare: the leader of the first stage takes the whole queue, has all redo
//! so far made durable, and writes the events; the next group may begin then. The sync stage takes all groups that wait for it, and
//! the last stage commits them.
//!
//! The file lies on the redo log's device. Simplifications: the leader's redo flush for its whole group (5.7) is
//! the group commit of the redo log; so it is in 8.0 where commits do not wait for a sync; before 8.0 writing to the page cache
//! takes the time of a redo write; a new file every `max_binlog_size` is left out (errs towards fewer pauses).

use super::Server;
use super::costs;
use super::events::Event;
use super::file_system::AfterSync;
use super::inodes::Synced;
use crate::config::{BinaryLogConfig, CommitDurability, PAGE_BYTES};
use crate::kernel::time::{SimDuration, SimTime};
use crate::storage::Op;
use std::collections::VecDeque;

/// A transaction in the binary log.
#[derive(Debug, Clone, Copy)]
struct Member {
    client: u32,
    /// Where its redo ended as it was prepared.
    lsn: u64,
}

/// State of the binary log.
#[derive(Debug, Clone)]
pub(super) struct BinaryLog {
    config: BinaryLogConfig,
    /// Prepared transactions in order of arrival.
    queue: VecDeque<Member>,
    /// The group being written and, before 8.0, synced.
    group: Vec<Member>,
    in_progress: bool,
    /// Groups that wait for the sync stage, and those in it.
    written: Vec<Member>,
    syncing: Vec<Member>,
    /// Clients of 5.5 that are through it and wait for their commit to be durable.
    commits_flushed: Vec<u32>,
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
            written: Vec::new(),
            syncing: Vec::new(),
            commits_flushed: Vec::new(),
            groups_unsynced: 0,
            bytes_unsynced: 0.0,
        }
    }

    /// Clients that wait for it.
    pub(super) fn waiting(&self) -> usize {
        self.queue.len() + self.group.len() + self.written.len() + self.syncing.len()
    }

    /// Whether the sync of the next group is due.
    fn sync_is_due(&self) -> bool {
        self.config.sync_every > 0 && self.groups_unsynced >= self.config.sync_every
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

    /// A transaction is prepared and as durable as commits are: whether it ends. If not, it goes through the binary log.
    #[must_use]
    pub(super) fn ends_without_binlog(&mut self, client: u32) -> bool {
        let Some(log) = self.binary_log.as_mut().filter(|log| !log.config.in_redo) else { return true };
        if let Some(place) = log.commits_flushed.iter().position(|&flushed| flushed == client) {
            log.commits_flushed.swap_remove(place);
            return true;
        }
        self.stand_in_binlog_queue(client);
        false
    }

    pub(super) fn start_binlog_group(&mut self) {
        let Some(log) = &mut self.binary_log else { return };
        if log.in_progress || log.queue.is_empty() {
            return;
        }
        let members = if log.config.grouped { log.queue.len() } else { 1 };
        log.group.extend(log.queue.drain(..members));
        log.in_progress = true;
        log.groups_unsynced += 1;
        log.bytes_unsynced += log.config.bytes_per_transaction * members as f64;
        if self.leader_asks_for_redo() {
            self.ask_for_redo_of_group();
        } else {
            self.machine.calendar.schedule(self.machine.now + costs::REDO_WRITE, Event::BinlogWritten);
        }
    }

    /// Whether the leader of a group has its redo made durable.
    pub(super) fn leader_asks_for_redo(&self) -> bool {
        self.machine.config.redo.commit == CommitDurability::Sync
            && self.binary_log.as_ref().is_some_and(|log| log.config.leader_asks_for_redo)
    }

    /// A prepared transaction stands in the queue.
    pub(super) fn stand_in_binlog_queue(&mut self, client: u32) {
        if let Some(log) = &mut self.binary_log {
            log.queue.push_back(Member { client, lsn: self.machine.redo.current_lsn() });
        }
        self.start_binlog_group();
    }

    /// The leader of a group asks for all redo so far.
    fn ask_for_redo_of_group(&mut self) {
        let position = self.machine.redo.position();
        if position.current_lsn > position.durable_lsn {
            self.when_durable(position.current_lsn, Event::BinlogRedoDurable);
        } else {
            self.binlog_redo_durable();
        }
    }

    /// The redo of a group is durable: its leader writes the events.
    pub(super) fn binlog_redo_durable(&mut self) {
        let members = self.binary_log.as_ref().map_or(0, |log| log.group.len() as u64);
        let demand = costs::BINLOG_GROUP + costs::BINLOG_TRANSACTION * members;
        self.machine.compute(demand, SimDuration::ZERO, Event::BinlogWritten);
    }

    /// All who wait for the sync stage enter it, if it is free; whether they commit at once.
    #[must_use]
    pub(super) fn start_binlog_sync(&mut self) -> bool {
        let Some(log) = &mut self.binary_log else { return false };
        if !log.syncing.is_empty() || log.written.is_empty() {
            return false;
        }
        let BinaryLog { written, syncing, .. } = log;
        syncing.append(written);
        let commits = !log.sync_is_due();
        if !commits {
            self.send_binlog();
        }
        commits
    }

    /// The events that are not yet on the device go there; the sync follows.
    fn send_binlog(&mut self) {
        let Some(log) = &mut self.binary_log else { return };
        let bytes = std::mem::take(&mut log.bytes_unsynced) as u64;
        log.groups_unsynced = 0;
        let now = self.machine.now;
        self.machine.inodes.binary_log_grows(bytes, now);
        let written = self.machine.redo_device().submit(now, Op::SequentialWrite, bytes.max(1));
        self.machine.calendar.schedule(written, Event::BinlogOnDevice);
    }

    /// The groups in the sync stage commit, one transaction after the other: the clients, and when each ends.
    pub(super) fn take_synced_groups(&mut self) -> Vec<(u32, SimTime)> {
        let Some(log) = &mut self.binary_log else { return Vec::new() };
        let groups = std::mem::take(&mut log.syncing);
        let each = self.machine.processors.slowed(self.machine.now, costs::BINLOG_TRANSACTION);
        let newest = groups.iter().map(|member| member.lsn).max().unwrap_or(0);
        self.machine.acknowledged_lsn = self.machine.acknowledged_lsn.max(newest);
        (1..).zip(groups).map(|(nth, member)| (member.client, self.machine.now + each * nth)).collect()
    }

    /// The events of a group are in the page cache: they are sent to the device and synced if it is the group's turn. Whether
    /// some transactions commit without a sync.
    #[must_use]
    pub(super) fn binlog_is_written(&mut self) -> bool {
        let stages = self.leader_asks_for_redo();
        let Some(log) = &mut self.binary_log else { return false };
        if stages {
            // The next group may begin, and this one goes on to the sync stage.
            log.in_progress = false;
            let BinaryLog { group, written, .. } = log;
            written.append(group);
            return self.start_binlog_sync();
        }
        let syncs = log.sync_is_due();
        if syncs {
            self.send_binlog();
        }
        !syncs
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

    /// The group without stages commits: its clients.
    pub(super) fn take_group(&mut self) -> Vec<u32> {
        let Some(log) = &mut self.binary_log else { return Vec::new() };
        log.in_progress = false;
        log.group.drain(..).map(|member| member.client).collect()
    }

    /// Whether the commit record of a transaction is flushed once more; if so, it is appended.
    #[must_use]
    pub(super) fn flushes_commit_record(&mut self, client: u32) -> bool {
        let Some(log) = &mut self.binary_log else { return false };
        let again = !log.config.grouped && self.machine.config.redo.commit == CommitDurability::Sync;
        if again {
            log.commits_flushed.push(client);
            self.machine.redo.append_record(crate::redo::RedoLog::fixed(costs::COMMIT_RECORD_BYTES), self.machine.now);
        }
        again
    }
}
