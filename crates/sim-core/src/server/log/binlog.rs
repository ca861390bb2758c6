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

use crate::config::{BinaryLogConfig, CommitDurability, PAGE_BYTES};
use crate::kernel::time::SimTime;
use crate::server::log::Log;
use crate::server::machine::Machine;
use crate::server::machine::costs;
use crate::server::machine::events::Event;
use crate::server::machine::file_system::AfterSync;
use crate::server::machine::ids::ClientId;
use crate::server::machine::inodes::Synced;
use crate::storage::Op;
use std::collections::VecDeque;

/// A transaction in the binary log.
#[derive(Debug, Clone, Copy)]
struct Member {
    client: ClientId,
    /// Where its redo ended as it was prepared.
    lsn: u64,
}

/// State of the binary log.
#[derive(Debug, Clone, Default)]
pub(in crate::server) struct BinaryLog {
    config: BinaryLogConfig,
    /// Whether the leader of a group has its redo made durable, and groups go through stages.
    in_stages: bool,
    /// Prepared transactions in order of arrival.
    queue: VecDeque<Member>,
    /// The group being written and, before 8.0, synced.
    group: Vec<Member>,
    in_progress: bool,
    /// Groups that wait for the sync stage, and those in it.
    written: Vec<Member>,
    syncing: Vec<Member>,
    /// Clients of 5.5 that are through it and wait for their commit to be durable.
    commits_flushed: Vec<ClientId>,
    /// Groups, and bytes of events, since the last sync.
    groups_unsynced: u32,
    bytes_unsynced: f64,
}

impl BinaryLog {
    pub(in crate::server) fn new(config: BinaryLogConfig, commit: CommitDurability) -> Self {
        BinaryLog {
            in_stages: config.leader_asks_for_redo && commit == CommitDurability::Sync,
            config,
            ..BinaryLog::default()
        }
    }

    /// Clients that wait for it.
    pub(in crate::server) fn waiting(&self) -> usize {
        self.queue.len() + self.group.len() + self.written.len() + self.syncing.len()
    }

    /// Whether the sync of the next group is due.
    fn sync_is_due(&self) -> bool {
        self.config.sync_every > 0 && self.groups_unsynced >= self.config.sync_every
    }
}

impl BinaryLog {
    /// An event of the binary log that no transaction ends with.
    pub(in crate::server) fn handle(&mut self, event: Event, machine: &mut Machine) {
        match event {
            Event::BinlogRedoDurable => self.redo_durable(machine),
            Event::BinlogOnDevice => self.on_device(machine),
            _ => debug_assert!(false, "{event:?} is not of the binary log"),
        }
    }

    /// The events of a transaction that is about to commit, where they are redo.
    pub(in crate::server) fn events_to_redo(&mut self, machine: &mut Machine) {
        if !self.config.in_redo {
            return;
        }
        let bytes = self.config.bytes_per_transaction;
        self.bytes_unsynced += bytes;
        let full = (self.bytes_unsynced / PAGE_BYTES as f64) as u64 * PAGE_BYTES;
        self.bytes_unsynced -= full as f64;
        machine.redo.append_record(crate::redo::RedoLog::fixed(bytes), machine.now);
        if full > 0 {
            let now = machine.now;
            machine.redo_device().submit(now, Op::SequentialWrite, full);
        }
    }

    /// A transaction is prepared and as durable as commits are: whether it ends. If not, it goes through the binary self.
    #[must_use]
    pub(in crate::server) fn ends_without_binlog(
        &mut self,
        client: ClientId,
        log: &mut Log,
        machine: &mut Machine,
    ) -> bool {
        if self.config.in_redo {
            return true;
        }
        if let Some(place) = self.commits_flushed.iter().position(|&flushed| flushed == client) {
            self.commits_flushed.swap_remove(place);
            return true;
        }
        self.stand_in_queue(client, log, machine);
        false
    }

    pub(in crate::server) fn start_group(&mut self, log: &mut Log, machine: &mut Machine) {
        if self.in_progress || self.queue.is_empty() {
            return;
        }
        let members = if self.config.grouped { self.queue.len() } else { 1 };
        self.group.extend(self.queue.drain(..members));
        self.in_progress = true;
        self.groups_unsynced += 1;
        self.bytes_unsynced += self.config.bytes_per_transaction * members as f64;
        if self.in_stages {
            self.ask_for_redo_of_group(log, machine);
        } else {
            machine.calendar.schedule(machine.now + costs::REDO_WRITE, Event::BinlogWritten);
        }
    }

    /// Whether commits go through the stages, the leader of the first of which has the redo of its group made durable.
    pub(in crate::server) fn in_stages(&self) -> bool {
        self.in_stages
    }

    /// A prepared transaction stands in the queue.
    pub(in crate::server) fn stand_in_queue(&mut self, client: ClientId, log: &mut Log, machine: &mut Machine) {
        self.queue.push_back(Member { client, lsn: machine.redo.current_lsn() });
        self.start_group(log, machine);
    }

    /// The leader of a group asks for all redo so far.
    fn ask_for_redo_of_group(&mut self, log: &mut Log, machine: &mut Machine) {
        let position = machine.redo.position();
        if position.current_lsn > position.durable_lsn {
            log.when_durable(position.current_lsn, Event::BinlogRedoDurable, machine);
        } else {
            self.redo_durable(machine);
        }
    }

    /// The redo of a group is durable: its leader writes the events.
    pub(in crate::server) fn redo_durable(&mut self, machine: &mut Machine) {
        let members = self.group.len() as u64;
        let demand = costs::BINLOG_GROUP + costs::BINLOG_TRANSACTION * members;
        machine.cpu().compute_promptly(demand, Event::BinlogWritten);
    }

    /// All who wait for the sync stage enter it, if it is free; whether they commit at once.
    #[must_use]
    pub(in crate::server) fn start_sync(&mut self, machine: &mut Machine) -> bool {
        if !self.syncing.is_empty() || self.written.is_empty() {
            return false;
        }
        self.syncing.append(&mut self.written);
        let commits = !self.sync_is_due();
        if !commits {
            self.send(machine);
        }
        commits
    }

    /// The events that are not yet on the device go there; the sync follows.
    fn send(&mut self, machine: &mut Machine) {
        let bytes = std::mem::take(&mut self.bytes_unsynced) as u64;
        self.groups_unsynced = 0;
        let written = machine.disks().write_binary_log(bytes);
        machine.calendar.schedule(written, Event::BinlogOnDevice);
    }

    /// The groups in the sync stage commit, one transaction after the other: the clients, and when each ends.
    pub(in crate::server) fn take_synced_groups(&mut self, machine: &mut Machine) -> Vec<(ClientId, SimTime)> {
        let groups = std::mem::take(&mut self.syncing);
        let each = machine.processors.slowed(machine.now, costs::BINLOG_TRANSACTION);
        let newest = groups.iter().map(|member| member.lsn).max().unwrap_or(0);
        machine.acknowledged_lsn = machine.acknowledged_lsn.max(newest);
        (1..).zip(groups).map(|(nth, member)| (member.client, machine.now + each * nth)).collect()
    }

    /// The events of a group are in the page cache: they are sent to the device and synced if it is the group's turn. Whether
    /// some transactions commit without a sync.
    #[must_use]
    pub(in crate::server) fn is_written(&mut self, machine: &mut Machine) -> bool {
        if self.in_stages {
            // The next group may begin, and this one goes on to the sync stage.
            self.in_progress = false;
            self.written.append(&mut self.group);
            return self.start_sync(machine);
        }
        let syncs = self.sync_is_due();
        if syncs {
            self.send(machine);
        }
        !syncs
    }

    pub(super) fn on_device(&mut self, machine: &mut Machine) {
        let now = machine.now;
        machine.recorder.counts.binlog_fsyncs += 1;
        if machine.disks().sync_through_journal(Synced::BinaryLog, AfterSync::Event(Event::BinlogSynced)) {
            return;
        }
        let synced = machine.redo_device().submit(now, Op::Sync, 0);
        machine.calendar.schedule(synced, Event::BinlogSynced);
    }

    /// The group without stages commits: its clients.
    pub(in crate::server) fn take_group(&mut self) -> Vec<ClientId> {
        self.in_progress = false;
        self.group.drain(..).map(|member| member.client).collect()
    }

    /// Whether the commit record of a transaction is flushed once more; if so, it is appended.
    #[must_use]
    pub(in crate::server) fn flushes_commit_record(&mut self, client: ClientId, machine: &mut Machine) -> bool {
        let again = !self.config.grouped && machine.config.redo.commit == CommitDurability::Sync;
        if again {
            self.commits_flushed.push(client);
            machine.redo.append_record(crate::redo::RedoLog::fixed(costs::COMMIT_RECORD_BYTES), machine.now);
        }
        again
    }
}
