//! Transactions commit: what becomes durable is acknowledged, and their clients go on.
//!
//! Source: `innodb-8.0.21` section 3.3 and, for the binary log, what [`crate::server::log::binlog`] names. A transaction that ends leaves its
//! history, and its client begins the next, all before the log looks for its next sync.

use crate::config::CommitDurability;
use crate::kernel::time::SimTime;
use crate::server::base::Base;
use crate::server::clients::Clients;
use crate::server::innodb::Innodb;
use crate::server::machine::ids::ClientId;

impl Clients {
    /// A client's transaction is through with its pages.
    pub(in crate::server) fn commit(&mut self, client: ClientId, innodb: &mut Innodb) {
        let Base { machine, log, binary_log, .. } = &mut innodb.engine.base;
        let now = machine.now;
        if !self.list[client].wrote {
            return self.finish(client, now, innodb);
        }
        if let Some(binlog) = binary_log {
            binlog.events_to_redo(machine);
        }
        match binary_log {
            Some(binlog) if binlog.in_stages() => binlog.stand_in_queue(client, log, machine),
            _ if log.is_durable_or_waits(client, machine) => self.prepared(client, now, innodb),
            _ => {}
        }
        let Base { machine, log, .. } = &mut innodb.engine.base;
        log.after_append(machine);
    }

    /// A prepared transaction goes on at `at`: through the binary log, where there is one, to its end.
    fn prepared(&mut self, client: ClientId, at: SimTime, innodb: &mut Innodb) {
        let Base { machine, log, binary_log, .. } = &mut innodb.engine.base;
        if binary_log.as_mut().is_none_or(|binlog| binlog.ends_without_binlog(client, log, machine)) {
            self.finish(client, at, innodb);
        }
    }

    /// Acknowledges all commits up to `lsn`.
    fn acknowledge(&mut self, lsn: u64, innodb: &mut Innodb) {
        let Base { machine, log, .. } = &mut innodb.engine.base;
        let at = log.woken_at(machine);
        while let Base { machine, log, .. } = &mut innodb.engine.base
            && let Some(client) = log.next_acknowledged(lsn, machine)
        {
            self.prepared(client, at, innodb);
        }
    }

    /// The redo write in progress is over.
    pub(in crate::server) fn redo_written(&mut self, innodb: &mut Innodb) {
        let Base { machine, log, .. } = &mut innodb.engine.base;
        if let Some(lsn) = log.write_ended(machine) {
            self.acknowledge(lsn, innodb);
        }
        let Base { machine, log, .. } = &mut innodb.engine.base;
        log.after_write(machine);
    }

    /// The redo sync in progress is over.
    pub(in crate::server) fn redo_synced(&mut self, innodb: &mut Innodb) {
        let Base { machine, log, .. } = &mut innodb.engine.base;
        let Some(lsn) = log.sync_ended(machine) else { return };
        if machine.config.redo.commit == CommitDurability::Sync {
            self.acknowledge(lsn, innodb);
        }
        let Base { machine, log, .. } = &mut innodb.engine.base;
        log.after_sync(lsn, machine);
    }

    /// The events of a group are in the binary log's page cache.
    pub(in crate::server) fn binlog_written(&mut self, innodb: &mut Innodb) {
        let Base { machine, binary_log: Some(binlog), .. } = &mut innodb.engine.base else { return };
        if binlog.is_written(machine) {
            self.commit_groups(innodb);
        }
        start_binlog_group(innodb);
    }

    /// The binary log is synced.
    pub(in crate::server) fn binlog_synced(&mut self, innodb: &mut Innodb) {
        self.commit_groups(innodb);
        start_binlog_group(innodb);
    }

    /// The groups that are through the binary log commit.
    fn commit_groups(&mut self, innodb: &mut Innodb) {
        let Some(binlog) = &mut innodb.engine.base.binary_log else { return };
        if binlog.in_stages() {
            return self.commit_synced_groups(innodb);
        }
        for client in binlog.take_group() {
            let Base { machine, binary_log: Some(binlog), .. } = &mut innodb.engine.base else { return };
            let now = machine.now;
            if binlog.flushes_commit_record(client, machine) {
                self.commit(client, innodb);
            } else {
                self.finish(client, now, innodb);
            }
        }
    }

    fn commit_synced_groups(&mut self, innodb: &mut Innodb) {
        let mut commits = true;
        while commits {
            let Base { machine, binary_log: Some(binlog), .. } = &mut innodb.engine.base else { return };
            for (client, at) in binlog.take_synced_groups(machine) {
                self.finish(client, at, innodb);
            }
            let Base { machine, binary_log: Some(binlog), .. } = &mut innodb.engine.base else { return };
            commits = binlog.start_sync(machine);
        }
    }
}

/// The next group begins, if any transaction is in the queue.
fn start_binlog_group(innodb: &mut Innodb) {
    if let Base { machine, log, binary_log: Some(binlog), .. } = &mut innodb.engine.base {
        binlog.start_group(log, machine);
    }
}
