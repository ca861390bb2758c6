//! What clients wait for where changes of records go into memory (TNT): memory, and room in the redo log.
//!
//! A client waits while the buffer of changed records is full, and before its transaction while the redo log has no room
//! for it, for its merge, and for the merge of all that is in the buffer: the redo of a merge is that of one change of
//! the record. So a pass of purge always finds room, and the log never runs full with records whose redo can't be reused.
//!
//! Whoever waits is not left to the intervals of the threads that make room, which may be hours: a pass of purge is due
//! at its next look, changed records of the row cache are written back at once, the version is told
//! ([`crate::seam::ServerModel::redo_is_full`]), and each pass of purge counts as the last before redo is released.
//! Assumed: a log that may not grow is not what the published source has.

use crate::config::RecordsConfig;
use crate::server::machine::Machine;
use crate::server::machine::events::Event;
use crate::server::machine::ids::ClientId;
use crate::server::records::MvccBuffer;

/// Who waits, and room that is kept.
#[derive(Debug, Clone, Default)]
pub(super) struct RecordWaits {
    /// Room in the redo log kept for the transaction of each client, and for all of them, bytes.
    reserved: Vec<u64>,
    reserved_total: u64,
    /// Clients that wait for memory.
    pub(in crate::server) for_memory: Vec<ClientId>,
    /// Clients that wait for room in the redo log.
    for_redo: Vec<ClientId>,
    /// Whether somebody waited for that since the last pass of purge ended.
    pub(super) redo_was_short: bool,
}

impl RecordWaits {
    pub(in crate::server) fn new(clients: u32) -> Self {
        RecordWaits { reserved: vec![0; clients as usize], ..RecordWaits::default() }
    }

    /// Clients that wait here.
    pub(in crate::server) fn waiting(&self) -> usize {
        self.for_memory.len() + self.for_redo.len()
    }

    /// Whether somebody waits, or waited for redo not long ago: a pass of purge has to make room.
    pub(super) fn want_room(&self) -> bool {
        self.waiting() > 0 || self.redo_was_short
    }
}

impl MvccBuffer {
    /// Whether the redo log has room for a client's transaction, of at most `payload_bytes`, and for merging what it changes and all that is changed;
    /// if not, the client has been put to wait.
    pub(in crate::server) fn redo_has_room_to_merge(
        &mut self,
        client_id: ClientId,
        payload_bytes: u64,
        machine: &mut Machine,
    ) -> bool {
        if self.config.redo_grows || self.waits.reserved[client_id] > 0 {
            return true;
        }
        let own = payload_bytes * (1 + self.config.merges());
        let wanted = self.merge_redo() + self.waits.reserved_total + own;
        let limit = machine.last_checkpoint_lsn + machine.model.writer_limits().hard_bytes;
        let fits = machine.redo.current_lsn() + RecordsConfig::room_for(wanted) <= limit;
        if fits {
            self.waits.reserved[client_id] = own;
            self.waits.reserved_total += own;
            return true;
        }
        self.waits.for_redo.push(client_id);
        self.waits.redo_was_short = true;
        machine.recorder.counts.free_check_waits += 1;
        self.write_back_if_idle(machine);
        machine.model.redo_is_full();
        false
    }

    /// A client's transaction is over: others may have the room that was kept for it.
    pub(in crate::server) fn redo_room_returned(&mut self, client_id: ClientId, machine: &mut Machine) {
        let own = std::mem::take(&mut self.waits.reserved[client_id]);
        self.waits.reserved_total -= own;
        if own > 0 && !self.waits.for_redo.is_empty() {
            let next = self.waits.for_redo.remove(0);
            machine.calendar.schedule(machine.now, Event::ClientResumes(next));
        }
    }

    /// Memory or redo became free: all who wait look again.
    pub(in crate::server) fn wake_record_waiters(&mut self, machine: &mut Machine) {
        let waits = &mut self.waits;
        for client in std::mem::take(&mut waits.for_memory).into_iter().chain(std::mem::take(&mut waits.for_redo)) {
            machine.calendar.schedule(machine.now, Event::ClientResumes(client));
        }
    }
}
