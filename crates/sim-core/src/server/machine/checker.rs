//! What the invariants remember from event to event, and those that need nothing but the machine ([`crate::server::check`]).

use crate::config::CommitDurability;
use crate::redo::RedoPosition;
use crate::server::machine::Machine;

/// What the checks remember.
#[derive(Debug, Clone)]
pub(in crate::server) struct Checker {
    position: RedoPosition,
    checkpoint_lsn: u64,
    /// LSN at the end of the newest modification, by page.
    newest: Vec<u64>,
    /// The first violation found inside an event.
    violation: Option<String>,
    pub(in crate::server) event_kinds: u64,
}

impl Checker {
    pub(in crate::server) fn new(start_lsn: u64, checkpoint_lsn: u64) -> Self {
        Checker {
            position: RedoPosition { current_lsn: start_lsn, written_lsn: start_lsn, durable_lsn: start_lsn },
            checkpoint_lsn,
            newest: Vec::new(),
            violation: None,
            event_kinds: 0,
        }
    }

    /// Kinds of events that happened, a bit each.
    pub(in crate::server) fn event_kinds(&self) -> u64 {
        self.event_kinds
    }

    /// `page` was modified by redo that ends at `lsn`.
    pub(in crate::server) fn note_newest(&mut self, page: u32, lsn: u64) {
        let page = page as usize;
        if self.newest.len() <= page {
            self.newest.resize(page + 1, 0);
        }
        self.newest[page] = lsn;
    }
}

impl Machine {
    pub(in crate::server) fn check_redo(&mut self) -> Result<(), String> {
        let position = self.redo.position();
        let checkpoint = self.last_checkpoint_lsn;
        let oldest = self.pool.oldest_modification_lsn();
        let limit = self.model.writer_limits().hard_bytes;
        let acknowledged = self.acknowledged_lsn;
        let sync_commits = self.config.redo.commit == CommitDurability::Sync;
        let Some(checker) = &mut self.observers.checker else { return Ok(()) };
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
    pub(in crate::server) fn check_page_write(&mut self, page: u32) {
        let durable = self.redo.position().durable_lsn;
        if let Some(checker) = &mut self.observers.checker {
            let newest = checker.newest.get(page as usize).copied().unwrap_or(0);
            if newest > durable {
                let what = format!("page {page} is written at LSN {newest} with redo durable only to {durable}");
                checker.violation.get_or_insert(what);
            }
        }
    }
}
