//! Invariants, verified under `--check`.
//!
//! At every event: LSNs never fall; checkpoint <= oldest modification <= current; written >= durable; redo in use never
//! exceeds the capacity; no page is written before its redo; and "crash now" is recoverable: what a crash would lose
//! was not acknowledged (commit mode 1). Once a simulated second, as they walk over everything: dirty pages = the flush
//! lists; every page under write is written by somebody; every client is in exactly one place.

use super::RunError;
use super::Server;
use super::events::Event;
use super::passes::Phase;

impl Server {
    /// Verifies everything; what walks over all pages and clients only if `walks_too`.
    pub(super) fn check_invariants(&mut self, after: Event) -> Result<(), RunError> {
        let walks_too = after == Event::Second;
        if let Some(checker) = &mut self.machine.check {
            checker.event_kinds |= 1 << after.kind();
        }
        let at = self.machine.now;
        let broken = |what: String| RunError::Invariant { at, what };
        self.machine.check_redo().map_err(broken)?;
        self.check_records(walks_too).map_err(broken)?;
        if walks_too {
            self.machine.pool.check().map_err(broken)?;
            self.check_clients().map_err(broken)?;
            self.check_writes().map_err(broken)?;
        }
        Ok(())
    }

    /// Every page under write is in one batch, in the hands of a thread that is at work, or flushed alone by a client.
    fn check_writes(&self) -> Result<(), String> {
        let threads = &self.passes.threads;
        if let Some(left) = threads.iter().find(|thread| thread.phase == Phase::Idle && !thread.carry.is_empty()) {
            return Err(format!("pages {:?} are under write, and nobody writes them", left.carry));
        }
        let carried: u64 = threads.iter().map(|thread| thread.carry.len() as u64).sum();
        let alone = self.frames.pages_under_write();
        let (written, under_write) = (self.batches.pages_under_write(), self.machine.pool.pages_under_write());
        if written + carried + alone == under_write {
            return Ok(());
        }
        Err(format!("{under_write} pages are under write: {written} in batches, {carried} carried, {alone} alone"))
    }

    /// Every client is in exactly one place: idle, waiting for something, flushing, or in one calendar event.
    fn check_clients(&self) -> Result<(), String> {
        let scheduled = self
            .machine
            .calendar
            .iter()
            .filter(|e| {
                matches!(e, Event::ClientResumes(_) | Event::Start(_) | Event::ReadDone(_) | Event::SinglePage(_))
            })
            .count();
        let waiting = self.machine.computing_clients()
            + self.commit.waiting()
            + self.binary_log.as_ref().map_or(0, super::binlog::BinaryLog::waiting)
            + self.records.as_ref().map_or(0, |records| records.waits.waiting())
            + self.passes.clients()
            + self.passes.lru_waiting_clients()
            + self.checkpointer.waiting_clients()
            + self.machine.watching_clients()
            + self.log_buffer.waiting()
            + self.batches.waiting_clients()
            + self.machine.lru_list_mutexes.waiting_clients()
            + self.syncs.waiting_clients()
            + self.io_threads.waiting_clients()
            + self.machine.file_system.as_ref().map_or(0, |file_system| file_system.waiting_clients());
        let found = scheduled + waiting + self.clients.idle_count();
        let clients = self.clients.list.len();
        if found == clients { Ok(()) } else { Err(format!("{clients} clients, but {found} places hold one")) }
    }
}
