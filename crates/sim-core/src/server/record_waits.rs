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

use super::Server;
use super::events::Event;
use crate::config::RecordsConfig;

/// Who waits, and room that is kept.
#[derive(Debug, Clone)]
pub(super) struct RecordWaits {
    /// Room in the redo log kept for the transaction of each client, and for all of them, bytes.
    reserved: Vec<u64>,
    reserved_total: u64,
    /// Clients that wait for memory.
    pub(super) for_memory: Vec<u32>,
    /// Clients that wait for room in the redo log.
    for_redo: Vec<u32>,
    /// Whether somebody waited for that since the last pass of purge ended.
    pub(super) redo_was_short: bool,
}

impl RecordWaits {
    pub(super) fn new(clients: u32) -> Self {
        RecordWaits {
            reserved: vec![0; clients as usize],
            reserved_total: 0,
            for_memory: Vec::new(),
            for_redo: Vec::new(),
            redo_was_short: false,
        }
    }

    /// Clients that wait here.
    pub(super) fn waiting(&self) -> usize {
        self.for_memory.len() + self.for_redo.len()
    }

    /// Whether somebody waits, or waited for redo not long ago: a pass of purge has to make room.
    pub(super) fn want_room(&self) -> bool {
        self.waiting() > 0 || self.redo_was_short
    }
}

impl Server {
    /// Whether the redo log has room for a client's transaction, of at most `payload_bytes`, and for merging what it changes and all that is changed;
    /// if not, the client has been put to wait.
    pub(super) fn redo_has_room_to_merge(&mut self, client_number: u32, payload_bytes: u64) -> bool {
        let Some(records) = &self.records else { return true };
        if records.config.redo_grows || records.waits.reserved[client_number as usize] > 0 {
            return true;
        }
        let own = payload_bytes * (1 + records.config.merges());
        let wanted = records.merge_redo() + records.waits.reserved_total + own;
        let limit = self.machine.last_checkpoint_lsn + self.machine.model.writer_limits().hard_bytes;
        let fits = self.machine.redo.current_lsn() + RecordsConfig::room_for(wanted) <= limit;
        let Some(records) = &mut self.records else { return true };
        if fits {
            records.waits.reserved[client_number as usize] = own;
            records.waits.reserved_total += own;
            return true;
        }
        records.waits.for_redo.push(client_number);
        records.waits.redo_was_short = true;
        self.machine.recorder.counts.free_check_waits += 1;
        self.write_back_if_idle();
        self.machine.model.redo_is_full();
        false
    }

    /// A client's transaction is over: others may have the room that was kept for it.
    pub(super) fn redo_room_returned(&mut self, client_number: u32) {
        let Some(records) = &mut self.records else { return };
        let own = std::mem::take(&mut records.waits.reserved[client_number as usize]);
        records.waits.reserved_total -= own;
        if own > 0 && !records.waits.for_redo.is_empty() {
            let next = records.waits.for_redo.remove(0);
            self.machine.calendar.schedule(self.machine.now, Event::ClientResumes(next));
        }
    }

    /// Memory or redo became free: all who wait look again.
    pub(super) fn wake_record_waiters(&mut self) {
        let Some(records) = &mut self.records else { return };
        let waits = &mut records.waits;
        for client in std::mem::take(&mut waits.for_memory).into_iter().chain(std::mem::take(&mut waits.for_redo)) {
            self.machine.calendar.schedule(self.machine.now, Event::ClientResumes(client));
        }
    }
}
