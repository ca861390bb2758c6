//! Truncation of an undo tablespace that has grown too large, by the purge coordinator.
//!
//! Known of the servers' sources and documentation, not in the specifications. Once all undo logs of a closed
//! tablespace are purged the coordinator truncates it, and purges nothing meanwhile:
//!
//! * 5.7: a checkpoint at the current LSN, which flushes every dirty page, before and after the file is cut;
//! * 8.0.21 and later: the file is replaced by a new one under redo, without a checkpoint; the first releases hold the
//!   lock that a transaction needs to get a rollback segment;
//! * MariaDB: the mini-transaction that trims the file is made durable, then the file is cut.
//!
//! Simplifications: the flush of 5.7 is a pass of the coordinator's own beside the page cleaner; creating or cutting
//! the file is one write of its new size, where it is created, and a sync; dirty pages of the old file are still
//! flushed as others are, where 8.0 drops them (errs towards more page writes).

use super::Server;
use super::events::Event;
use super::ids::Requester;
use crate::config::{PAGE_BYTES, UndoTruncation};
use crate::kernel::time::SimTime;
use crate::seam::{FlushKind, FlushRequest};
use crate::storage::Op;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Begin,
    /// Everything older than `target` is flushed; batches of others may be in flight.
    Flush {
        target: u64,
        again: bool,
    },
    Wait {
        target: u64,
        again: bool,
    },
    Checkpoint {
        again: bool,
    },
    Durable,
    File,
}

/// A truncation on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Truncation {
    space: usize,
    step: Step,
}

impl Truncation {
    pub(super) fn new(space: usize) -> Self {
        Truncation { space, step: Step::Begin }
    }
}

impl Server {
    /// The truncation takes its next step.
    pub(super) fn truncate_undo_tablespace(&mut self) {
        let Some(purge) = &self.purge else { return };
        let Some(truncation) = purge.truncation else { return };
        let kind = purge.config.undo.truncation;
        match (truncation.step, kind) {
            (Step::Begin, UndoTruncation::Checkpoints) => self.flush_for_truncation(false),
            (Step::Begin, UndoTruncation::Replacement { blocks }) => {
                let done = self.renew_undo_file(true);
                if let Some(purge) = self.purge.as_mut().filter(|_| blocks) {
                    purge.undo_locked_until = done;
                }
            }
            (Step::Begin, UndoTruncation::Shrinking) => {
                self.set_truncation(Step::Durable);
                let lsn = self.machine.redo.current_lsn();
                if lsn > self.machine.redo.position().durable_lsn {
                    self.when_durable(lsn, Event::UndoTruncation);
                } else {
                    self.machine.calendar.schedule(self.machine.now, Event::UndoTruncation);
                }
            }
            (Step::Durable, _) => drop(self.renew_undo_file(false)),
            (Step::Flush { target, again }, _) => {
                self.set_truncation(Step::Wait { target, again });
                self.wait_for_batches(Requester::Purge);
            }
            (Step::Wait { target, again }, _) => self.batches_before_truncation_over(target, again),
            (Step::Checkpoint { again: false }, _) => drop(self.renew_undo_file(false)),
            (Step::File, UndoTruncation::Checkpoints) => self.flush_for_truncation(true),
            (Step::Checkpoint { again: true } | Step::File, _) => self.undo_tablespace_truncated(),
        }
    }

    fn set_truncation(&mut self, step: Step) {
        if let Some(truncation) = self.purge.as_mut().and_then(|purge| purge.truncation.as_mut()) {
            truncation.step = step;
        }
    }

    /// Flushes all that is dirty now.
    fn flush_for_truncation(&mut self, again: bool) {
        self.flush_up_to(self.machine.redo.current_lsn(), again);
    }

    fn flush_up_to(&mut self, target: u64, again: bool) {
        self.set_truncation(Step::Flush { target, again });
        let slots = vec![u64::from(u32::MAX); self.machine.config.buffer_pool.instances as usize];
        self.start_pass(
            Requester::Purge,
            FlushRequest { lsn_limit: target, ..FlushRequest::list(FlushKind::Sync, slots) },
        );
    }

    fn batches_before_truncation_over(&mut self, target: u64, again: bool) {
        let oldest = self.machine.pool.oldest_modification_lsn();
        if oldest > 0 && oldest < target {
            return self.flush_up_to(target, again);
        }
        self.set_truncation(Step::Checkpoint { again });
        self.request_checkpoint(Requester::Purge, true);
    }

    /// The file gets its first size again, and is synced; returns when that is done.
    fn renew_undo_file(&mut self, created: bool) -> SimTime {
        self.set_truncation(Step::File);
        let mut at = self.machine.now;
        if let Some(purge) = self.purge.as_ref().filter(|_| created) {
            let bytes = u64::from(purge.config.undo.initial_pages) * PAGE_BYTES;
            at = self.machine.data_device.submit(self.machine.now, Op::SequentialWrite, bytes);
        }
        self.machine.recorder.counts.data_fsyncs += 1;
        let done = self.machine.data_device.submit(self.machine.now, Op::Sync, 0).max(at);
        self.machine.calendar.schedule(done, Event::UndoTruncation);
        done
    }

    fn undo_tablespace_truncated(&mut self) {
        let Some(purge) = &mut self.purge else { return };
        if let Some(truncation) = purge.truncation.take() {
            purge.undo.truncated(truncation.space);
            self.machine.recorder.counts.undo_truncations += 1;
        }
        self.next_purge_batch();
    }
}
