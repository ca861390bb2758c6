//! Invariants, verified under `--check`.
//!
//! At every event: LSNs never fall; checkpoint <= oldest modification <= current; written >= durable; redo in use never
//! exceeds the capacity; no page is written before its redo; and "crash now" is recoverable: what a crash would lose
//! was not acknowledged (commit mode 1). Once a simulated second, as they walk over everything: dirty pages = the flush
//! lists; every page under write is written by somebody; every client is in exactly one place.

use super::RunError;
use super::Server;
use super::events::Event;
use super::machine::Machine;
use super::passes::Phase;
use super::single_page::SinglePage;
use crate::config::CommitDurability;
use crate::redo::RedoPosition;

/// What the checks remember.
#[derive(Debug, Clone)]
pub(super) struct Checker {
    position: RedoPosition,
    checkpoint_lsn: u64,
    /// LSN at the end of the newest modification, by page.
    newest: Vec<u64>,
    /// The first violation found inside an event.
    violation: Option<String>,
    event_kinds: u64,
}

impl Checker {
    pub(super) fn new(start_lsn: u64, checkpoint_lsn: u64) -> Self {
        Checker {
            position: RedoPosition { current_lsn: start_lsn, written_lsn: start_lsn, durable_lsn: start_lsn },
            checkpoint_lsn,
            newest: Vec::new(),
            violation: None,
            event_kinds: 0,
        }
    }

    /// Kinds of events that happened, a bit each.
    pub(super) fn event_kinds(&self) -> u64 {
        self.event_kinds
    }

    /// `page` was modified by redo that ends at `lsn`.
    pub(super) fn note_newest(&mut self, page: u32, lsn: u64) {
        let page = page as usize;
        if self.newest.len() <= page {
            self.newest.resize(page + 1, 0);
        }
        self.newest[page] = lsn;
    }
}

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
        let alone =
            self.clients.list.iter().filter(|client| client.single.is_some_and(SinglePage::has_page)).count() as u64;
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
            + self.clients.log_buffer.waiting()
            + self.batches.waiting_clients()
            + self.machine.lru_list_mutexes.waiting_clients()
            + self.syncs.waiting_clients();
        let found = scheduled + waiting + self.clients.idle_count();
        let clients = self.clients.list.len();
        if found == clients { Ok(()) } else { Err(format!("{clients} clients, but {found} places hold one")) }
    }
}

impl Machine {
    fn check_redo(&mut self) -> Result<(), String> {
        let position = self.redo.position();
        let checkpoint = self.last_checkpoint_lsn;
        let oldest = self.pool.oldest_modification_lsn();
        let limit = self.model.writer_limits().hard_bytes;
        let acknowledged = self.acknowledged_lsn;
        let sync_commits = self.config.redo.commit == CommitDurability::Sync;
        let Some(checker) = &mut self.check else { return Ok(()) };
        let before = std::mem::replace(&mut checker.position, position);
        let checkpoint_before = std::mem::replace(&mut checker.checkpoint_lsn, checkpoint);
        if let Some(what) = checker.violation.take() {
            return Err(what);
        }
        let rules = [
            (position.current_lsn >= before.current_lsn, "the current LSN fell"),
            (position.written_lsn >= before.written_lsn, "the written LSN fell"),
            (position.durable_lsn >= before.durable_lsn, "the durable LSN fell"),
            (checkpoint >= checkpoint_before, "the checkpoint fell"),
            (position.written_lsn <= position.current_lsn, "more redo is written than was reserved"),
            (position.durable_lsn <= position.written_lsn, "more redo is durable than was written"),
            (checkpoint <= position.durable_lsn, "the checkpoint lies above the durable redo"),
            (oldest == 0 || checkpoint <= oldest, "the checkpoint lies above the oldest modification"),
            (oldest <= position.current_lsn, "a page was modified in the future"),
            (position.written_lsn <= checkpoint + limit, "redo in use exceeds its capacity"),
            (!sync_commits || acknowledged <= position.durable_lsn, "a commit was acknowledged before it was durable"),
        ];
        match rules.iter().find(|(holds, _)| !holds) {
            None => Ok(()),
            Some((_, what)) => Err(format!(
                "{what}: {position:?}, checkpoint {checkpoint}, oldest modification {oldest}, capacity {limit}, \
                 acknowledged {acknowledged}"
            )),
        }
    }

    /// A page goes to the device: its redo must be durable.
    #[inline]
    pub(super) fn check_page_write(&mut self, page: u32) {
        let durable = self.redo.position().durable_lsn;
        if let Some(checker) = &mut self.check {
            let newest = checker.newest.get(page as usize).copied().unwrap_or(0);
            if newest > durable {
                let what = format!("page {page} is written at LSN {newest} with redo durable only to {durable}");
                checker.violation.get_or_insert(what);
            }
        }
    }
}
