//! The checkpointer's hands: it waits, syncs data files, writes the checkpoint block, publishes it.
//!
//! Source: `innodb-8.0.21` section 2.4. What to do and when is the version's; here it is done. Writing a checkpoint: a
//! round of data-file syncs for files with unsynced writes; then one 512-byte block and a sync of the redo file, during
//! which the log writer cannot start a sync; then the new checkpoint is published.

use super::Server;
use super::events::Event;
use crate::kernel::time::SimTime;
use crate::redo::lsn::BLOCK_BYTES;
use crate::seam::{CheckpointerInput, CheckpointerNext};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Waiting { on_tick: bool },
    Syncing { lsn: u64 },
    Writing { lsn: u64 },
}

/// State of the checkpointer.
#[derive(Debug)]
pub(super) struct Checkpointer {
    state: State,
    last_lsn: u64,
    /// Number of the current timer; older timers are stale.
    timer: u32,
    event_set: bool,
    pub(super) checkpoints: u64,
}

impl Checkpointer {
    pub(super) fn new(start_lsn: u64) -> Self {
        Checkpointer {
            state: State::Waiting { on_tick: false },
            last_lsn: start_lsn,
            timer: 0,
            event_set: false,
            checkpoints: 0,
        }
    }

    /// LSN of the last checkpoint.
    pub(super) fn last_lsn(&self) -> u64 {
        self.last_lsn
    }

    /// Whether the checkpoint block is being written, which holds up the log writer.
    pub(super) fn holds_writer(&self) -> bool {
        matches!(self.state, State::Writing { .. })
    }
}

impl Server {
    pub(super) fn start_checkpointer(&mut self) {
        self.checkpointer_step(CheckpointerInput::Start);
    }

    pub(super) fn checkpointer_timer(&mut self, number: u32) {
        if number == self.checkpointer.timer && matches!(self.checkpointer.state, State::Waiting { .. }) {
            self.checkpointer_step(CheckpointerInput::Timeout);
        }
    }

    /// Sets the checkpointer's event.
    pub(super) fn wake_checkpointer(&mut self) {
        if self.checkpointer.event_set {
            return;
        }
        self.checkpointer.event_set = true;
        if matches!(self.checkpointer.state, State::Waiting { .. }) {
            self.arm_checkpointer_timer(self.now);
        }
    }

    fn arm_checkpointer_timer(&mut self, at: SimTime) {
        self.checkpointer.timer = self.checkpointer.timer.wrapping_add(1);
        self.calendar.schedule(at, Event::CheckpointerTimer(self.checkpointer.timer));
    }

    /// The page cleaner finished a pass.
    pub(super) fn cleaner_tick(&mut self) {
        if self.checkpointer.state == (State::Waiting { on_tick: true }) {
            self.checkpointer_step(CheckpointerInput::CleanerTick);
        }
    }

    fn checkpointer_step(&mut self, input: CheckpointerInput) {
        let woken = std::mem::take(&mut self.checkpointer.event_set) && input == CheckpointerInput::Timeout;
        let input = if woken { CheckpointerInput::Event } else { input };
        let action = self.ask(|model, view| model.checkpointer(view, input));
        if action.wake_cleaner {
            self.set_flush_event();
        }
        match action.next {
            CheckpointerNext::Wait { timeout, on_cleaner_tick } => {
                self.checkpointer.state = State::Waiting { on_tick: on_cleaner_tick };
                let at = if self.checkpointer.event_set { self.now } else { self.now + timeout };
                self.arm_checkpointer_timer(at);
            }
            CheckpointerNext::Write { lsn } => {
                self.checkpointer.state = State::Syncing { lsn };
                self.start_checkpoint_sync();
            }
        }
    }

    /// The data files are synced: the block goes out, once the redo sync in progress has let go of the file.
    pub(super) fn checkpoint_data_synced(&mut self) {
        if let State::Syncing { lsn } = self.checkpointer.state {
            self.checkpointer.state = State::Writing { lsn };
            let written = self.write_redo(BLOCK_BYTES);
            self.calendar.schedule(written, Event::CheckpointOnDevice);
        }
    }

    pub(super) fn checkpoint_on_device(&mut self) {
        let durable = self.flush_redo_device();
        self.calendar.schedule(durable, Event::CheckpointDurable);
    }

    pub(super) fn checkpoint_durable(&mut self) {
        let State::Writing { lsn } = self.checkpointer.state else { return };
        self.checkpointer.state = State::Waiting { on_tick: false };
        self.checkpointer.last_lsn = lsn;
        self.checkpointer.checkpoints += 1;
        self.checkpointer_step(CheckpointerInput::Written);
        self.publish_limits();
        self.after_append();
    }
}
