//! Waits for room in the log buffer.
//!
//! Source: `innodb-8.0.21` section 3.1, `innodb-5.6` section 7.2. A transaction that finds no room gets the buffer written
//! and waits. Who waits goes on in the order of arrival, each when the buffer has room for it: that room is kept until it
//! takes it, and newcomers stand in line behind. Before 5.7 all wait for the sync that follows the write.
//!
//! Simplifications: before 8.0 a server's threads do not stand in line, but wake and try again (errs towards fairer waits);
//! purge and merging look again after a while and take room before who waits (errs towards longer waits of transactions).

use crate::config::RedoPipeline;
use crate::server::log::Log;
use crate::server::machine::Machine;
use crate::server::machine::events::Event;
use crate::server::machine::ids::ClientId;
use std::collections::VecDeque;

/// Clients that wait for room in the log buffer, and those that may go on.
#[derive(Debug, Clone, Default)]
pub(in crate::server) struct LogBufferQueue {
    /// Each with the most redo that its transaction writes, payload bytes.
    waiting: VecDeque<(ClientId, u64)>,
    /// Clients that are about to go on, and the bytes kept for each.
    admitted: Vec<(ClientId, u64)>,
}

impl LogBufferQueue {
    pub(in crate::server) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Clients that wait.
    pub(in crate::server) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Bytes kept for clients that are about to go on.
    fn kept_bytes(&self) -> u64 {
        self.admitted.iter().map(|&(_, bytes)| bytes).sum()
    }

    /// Whether this client has waited and may go on.
    pub(in crate::server) fn has_admitted(&self, client: ClientId) -> bool {
        self.admitted.iter().any(|&(admitted, _)| admitted == client)
    }

    /// This client takes the room that was kept for it, if any was.
    pub(in crate::server) fn takes_room(&mut self, client: ClientId) {
        self.admitted.retain(|&(admitted, _)| admitted != client);
    }
}

impl Log {
    /// Whether the log buffer lacks room for `payload_bytes` beside what is kept for others.
    #[inline]
    pub(in crate::server) fn log_buffer_lacks_room(&self, payload_bytes: u64, machine: &Machine) -> bool {
        let buffer = machine.redo.buffer();
        buffer.lacks(self.buffer.kept_bytes() + buffer.room_for(payload_bytes))
    }

    /// A client waits for room in the log buffer for a transaction of at most `payload_bytes` of redo.
    pub(in crate::server) fn wait_for_log_buffer(
        &mut self,
        client_id: ClientId,
        payload_bytes: u64,
        machine: &mut Machine,
    ) {
        machine.recorder.counts.log_waits += 1;
        self.buffer.waiting.push_back((client_id, payload_bytes));
        self.empty_log_buffer(machine);
    }

    /// Lets the clients that wait go on, in order, while there is room for the next; if any stay, gets the buffer written.
    pub(in crate::server) fn admit_to_log_buffer(&mut self, machine: &mut Machine) {
        while let Some(&(client, payload_bytes)) = self.buffer.waiting.front() {
            let buffer = machine.redo.buffer();
            let room = buffer.room_for(payload_bytes);
            if buffer.lacks(self.buffer.kept_bytes() + room) {
                return self.empty_log_buffer(machine);
            }
            self.buffer.waiting.pop_front();
            self.buffer.admitted.push((client, room));
            machine.calendar.schedule(machine.now, Event::ClientResumes(client));
        }
    }

    /// The log buffer is full: gets it written, before 5.7 synced too.
    pub(in crate::server) fn empty_log_buffer(&mut self, machine: &mut Machine) {
        match machine.config.redo.pipeline {
            RedoPipeline::LogMutex => self.want_durable(machine.redo.current_lsn(), machine),
            RedoPipeline::DedicatedThreads | RedoPipeline::CommittingThread => self.request_redo_write(machine),
        }
    }
}
