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

use crate::config::{PAGE_BYTES, UndoTruncation};
use crate::kernel::time::SimTime;
use crate::seam::{FlushKind, FlushRequest};
use crate::server::engine::Engine;
use crate::server::machine::Machine;
use crate::server::machine::events::Event;
use crate::server::machine::owners::Requester;
use crate::server::purge::Purge;
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
    pub(in crate::server) fn new(space: usize) -> Self {
        Truncation { space, step: Step::Begin }
    }
}

impl Purge {
    /// The truncation takes its next step.
    pub(super) fn truncate_undo_tablespace(&mut self, engine: &mut Engine) {
        let Some(truncation) = self.truncation else { return };
        let kind = self.config.undo.truncation;
        match (truncation.step, kind) {
            (Step::Begin, UndoTruncation::Checkpoints) => self.flush_for_truncation(false, engine),
            (Step::Begin, UndoTruncation::Replacement { blocks }) => {
                let done = self.renew_undo_file(true, &mut engine.base.machine);
                if blocks {
                    self.undo_locked_until = done;
                }
            }
            (Step::Begin, UndoTruncation::Shrinking) => {
                self.set_truncation(Step::Durable);
                let lsn = engine.base.machine.redo.current_lsn();
                if lsn > engine.base.machine.redo.position().durable_lsn {
                    engine.base.log.when_durable(lsn, Event::UndoTruncation, &mut engine.base.machine);
                } else {
                    engine.base.machine.calendar.schedule(engine.base.machine.now, Event::UndoTruncation);
                }
            }
            (Step::Durable, _) => drop(self.renew_undo_file(false, &mut engine.base.machine)),
            (Step::Flush { target, again }, _) => {
                self.set_truncation(Step::Wait { target, again });
                engine.flush.wait_for_batches(Requester::Purge, &mut engine.base.machine);
            }
            (Step::Wait { target, again }, _) => self.batches_before_truncation_over(target, again, engine),
            (Step::Checkpoint { again: false }, _) => drop(self.renew_undo_file(false, &mut engine.base.machine)),
            (Step::File, UndoTruncation::Checkpoints) => self.flush_for_truncation(true, engine),
            (Step::Checkpoint { again: true } | Step::File, _) => self.undo_tablespace_truncated(engine),
        }
    }

    fn set_truncation(&mut self, step: Step) {
        if let Some(truncation) = &mut self.truncation {
            truncation.step = step;
        }
    }

    /// Flushes all that is dirty now.
    fn flush_for_truncation(&mut self, again: bool, engine: &mut Engine) {
        self.flush_up_to(engine.base.machine.redo.current_lsn(), again, engine);
    }

    fn flush_up_to(&mut self, target: u64, again: bool, engine: &mut Engine) {
        self.set_truncation(Step::Flush { target, again });
        let slots = vec![u64::from(u32::MAX); engine.base.machine.config.buffer_pool.instances as usize];
        engine.flush.start_pass(
            Requester::Purge,
            FlushRequest { lsn_limit: target, ..FlushRequest::list(FlushKind::Sync, slots) },
            &mut engine.base.machine,
        );
    }

    fn batches_before_truncation_over(&mut self, target: u64, again: bool, engine: &mut Engine) {
        let oldest = engine.base.machine.pool.oldest_modification_lsn();
        if oldest > 0 && oldest < target {
            return self.flush_up_to(target, again, engine);
        }
        self.set_truncation(Step::Checkpoint { again });
        engine.checkpointer.request_checkpoint(Requester::Purge, true, &mut engine.base);
    }

    /// The file gets its first size again, and is synced; returns when that is done.
    fn renew_undo_file(&mut self, created: bool, machine: &mut Machine) -> SimTime {
        self.set_truncation(Step::File);
        let mut at = machine.now;
        if created {
            let bytes = u64::from(self.config.undo.initial_pages) * PAGE_BYTES;
            at = machine.data_device.submit(machine.now, Op::SequentialWrite, bytes);
        }
        machine.recorder.counts.data_fsyncs += 1;
        let done = machine.data_device.submit(machine.now, Op::Sync, 0).max(at);
        machine.calendar.schedule(done, Event::UndoTruncation);
        done
    }

    fn undo_tablespace_truncated(&mut self, engine: &mut Engine) {
        if let Some(truncation) = self.truncation.take() {
            self.undo.truncated(truncation.space);
            engine.base.machine.recorder.counts.undo_truncations += 1;
        }
        self.next_purge_batch(engine);
    }
}
