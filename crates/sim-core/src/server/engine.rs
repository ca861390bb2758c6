//! All that pages and redo need: what purge, and a client's thread below its transactions, stands on.

pub(super) mod free_check;

use crate::seam::ServerModel;
use crate::server::base::Base;
use crate::server::change_buffer::ChangeBuffer;
use crate::server::checkpointer::Checkpointer;
use crate::server::flush::Flush;
use crate::server::frames::Frames;
use crate::server::frames::lru_managers::LruManagers;
use crate::server::machine::events::Event;
use crate::server::machine::owners::{RoundOwner, RoundStep};
use crate::workload::program::Program;

/// See the module.
pub(super) struct Engine {
    pub(super) base: Base,
    pub(super) checkpointer: Checkpointer,
    pub(super) flush: Flush,
    pub(super) frames: Frames,
    pub(super) lru_managers: LruManagers,
    pub(super) changes: Option<ChangeBuffer>,
    pub(super) program: Program,
}

impl Engine {
    /// A copy whose machine has another model.
    pub(super) fn with_model(&self, model: Box<dyn ServerModel>) -> Self {
        Engine {
            base: self.base.with_model(model),
            checkpointer: self.checkpointer.clone(),
            flush: self.flush.clone(),
            frames: self.frames.clone(),
            lru_managers: self.lru_managers.clone(),
            changes: self.changes.clone(),
            program: self.program.clone(),
        }
    }

    /// An event of the machine, or of an actor up to the change buffer.
    pub(super) fn handle(&mut self, event: Event) {
        let Engine { base, checkpointer, flush, lru_managers, changes, .. } = self;
        let Base { machine, storage, log, binary_log } = base;
        match event {
            Event::RedoOnDevice
            | Event::FlusherTimer
            | Event::FlusherLooks(_)
            | Event::RedoGovernor
            | Event::RedoFileWaitOver => log.handle(event, machine),
            Event::BinlogRedoDurable | Event::BinlogOnDevice => {
                if let Some(binlog) = binary_log {
                    binlog.handle(event, machine);
                }
            }
            Event::JournalCommit(volume) => storage.journal_commit_step(volume, machine),
            Event::FlushOver(volume) => storage.flush_is_over(volume, machine),
            Event::SyncRound(round) => match storage.resume_round(round, machine) {
                RoundStep::Runs => {}
                RoundStep::Over(RoundOwner::Checkpoint) => checkpointer.checkpoint_data_synced(base),
                RoundStep::Over(RoundOwner::Batch(ended)) => flush.batch_synced(ended, base),
                RoundStep::Over(RoundOwner::Thread(actor, wait)) => checkpointer.synced_by(actor, wait, base),
            },
            Event::CheckpointerTimer(number) => checkpointer.checkpointer_timer(number, base),
            Event::CheckpointerLooks => checkpointer.checkpointer_looks(base),
            Event::CheckpointOnDevice => checkpointer.checkpoint_on_device(machine),
            Event::CheckpointRedoDurable => checkpointer.checkpoint_redo_durable(base),
            Event::PassStarts => flush.pass_starts(base),
            Event::FlushThread(thread) => flush.thread_step(thread, base),
            Event::BatchOnDevice(batch) => flush.batch_on_device(batch, base),
            Event::ShareOnDevice { batch, thread } => flush.share_on_device(batch, u32::from(thread), base),
            Event::ShareCompletes { batch, thread } => flush.share_completes(batch, u32::from(thread), base),
            Event::LruManager(instance) => lru_managers.lru_manager(instance, flush, machine),
            Event::Merge => {
                if let Some(changes) = changes {
                    changes.merge_in_background(machine);
                }
            }
            Event::MergeRead(page) => self.page_was_read(page),
            Event::Computed => machine.cpu().computed(),
            Event::Wakes(number) => machine.cpu().wakes(number),
            Event::RedoDurable => machine.cpu().redo_durable(),
            Event::LruListMutex(instance) => machine.lru_visits().passed_on(instance),
            Event::OtherPrograms => machine.cpu().other_programs_compute(),
            _ => debug_assert!(false, "{event:?} is of an actor above"),
        }
    }

    /// A page that was read is there; changes that waited for it are merged into it.
    #[inline]
    pub(super) fn page_was_read(&mut self, page: u32) {
        self.base.machine.page_reads.remove(&page);
        self.base.machine.pool.page_arrived(page, &self.base.machine.space, self.base.machine.now);
        if let Some(changes) = &mut self.changes {
            changes.merge_changes(page, &mut self.base);
        }
    }
}
