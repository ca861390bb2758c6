//! Invariants, verified under `--check`.
//!
//! At every event: LSNs never fall; checkpoint <= oldest modification <= current; written >= durable; redo in use never
//! exceeds the capacity; no page is written before its redo; and "crash now" is recoverable: what a crash would lose
//! was not acknowledged (commit mode 1). Once a simulated second, as they walk over everything: dirty pages = the flush
//! lists; every page under write is written by somebody; every client is in exactly one place.

use crate::server::engine::Engine;
use crate::server::innodb::Innodb;
use crate::server::machine::events::Event;
use crate::server::{RunError, Server};

impl Server {
    /// Verifies everything; what walks over all pages and clients only if `walks_too`.
    pub(super) fn check_invariants(&mut self, after: Event) -> Result<(), RunError> {
        let walks_too = after == Event::Second;
        let Innodb { engine, records, .. } = &mut self.innodb;
        let machine = &mut engine.base.machine;
        if let Some(checker) = &mut machine.observers.checker {
            checker.event_kinds |= 1 << after.kind();
        }
        let at = machine.now;
        let broken = |what: String| RunError::Invariant { at, what };
        machine.check_redo().map_err(broken)?;
        if let Some(records) = records {
            records.check_records(walks_too, machine).map_err(broken)?;
        }
        if walks_too {
            machine.pool.check().map_err(broken)?;
            self.check_clients().map_err(broken)?;
            self.check_writes().map_err(broken)?;
        }
        Ok(())
    }

    /// Every page under write is in one batch, in the hands of a thread that is at work, or flushed alone by a client.
    fn check_writes(&self) -> Result<(), String> {
        let Engine { base, flush, frames, .. } = &self.innodb.engine;
        let (written, carried) = flush.pages_under_write()?;
        let alone = frames.pages_under_write();
        let under_write = base.machine.pool.dirty.under_write();
        if written + carried + alone == under_write {
            return Ok(());
        }
        Err(format!("{under_write} pages are under write: {written} in batches, {carried} carried, {alone} alone"))
    }

    /// Every client is in exactly one place: idle, waiting for something, flushing, or in one calendar event.
    fn check_clients(&self) -> Result<(), String> {
        let Innodb { engine: Engine { base, checkpointer, flush, .. }, records, .. } = &self.innodb;
        let machine = &base.machine;
        let holds_client =
            |event: &Event| event.client().is_some() || matches!(event, Event::Start(_) | Event::ReadDone(_));
        let scheduled = machine.calendar.iter().filter(holds_client).count();
        let waiting = machine.processors.computing_clients()
            + base.log.waiting_clients()
            + base.binary_log.as_ref().map_or(0, crate::server::log::binlog::BinaryLog::waiting)
            + records.as_ref().map_or(0, |records| records.waiting_clients())
            + flush.waiting_clients()
            + checkpointer.waiting_clients()
            + machine.watching_clients()
            + machine.lru_list_mutexes.waiting_clients()
            + base.storage.waiting_clients()
            + machine.file_system.as_ref().map_or(0, |file_system| file_system.waiting_clients());
        let found = scheduled + waiting + self.clients.idle_count();
        let clients = self.clients.count();
        if found == clients { Ok(()) } else { Err(format!("{clients} clients, but {found} places hold one")) }
    }
}
