//! Checkpoints: data files synced, the checkpoint block written and published.
//!
//! Source: `innodb-8.0.21` section 2.4; `innodb-5.6` section 2.4 and `mariadb-10.11` section 2.3 for checkpoints that
//! user threads, the master thread and the page cleaner take. From 8.0 a thread of its own decides; what to do and when
//! is the version's. Writing a checkpoint: a round of data-file syncs for files with unsynced writes; then one 512-byte
//! block and a sync of the redo file, during which nobody can start a redo sync, in 8.0 and MariaDB nor a write; then
//! the new checkpoint is published.
//!
//! A checkpoint at the oldest modification looks at the flush lists after the data files are synced, and makes redo
//! durable up to there first. One checkpoint is taken at a time: who asks for another meanwhile joins it.

use super::Server;
use super::crashes::BrokenRule;
use super::events::Event;
use super::file_system::AfterSync;
use super::ids::{Requester, RoundOwner, RoundStep};
use super::inodes::Synced;
use super::wake_ups::Thread;
use crate::config::RedoIo;
use crate::redo::RedoLog;
use crate::seam::{CheckpointerInput, CheckpointerNext};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Waiting {
        on_tick: bool,
    },
    /// `lsn` is known from the start, or found after the syncs.
    Syncing {
        lsn: Option<u64>,
    },
    WaitingForRedo {
        lsn: u64,
    },
    Writing {
        lsn: u64,
    },
}

/// State of the checkpointer.
#[derive(Debug, Clone)]
pub(super) struct Checkpointer {
    state: State,
    /// Where the version's own thread stood when others asked for a checkpoint, and whether its wait is over since.
    own_wait: Option<bool>,
    wait_over: bool,
    /// Those who wait for the checkpoint in progress, and whether for its block too.
    waiters: Vec<(Requester, bool)>,
    /// End of the redo that the last checkpoint appended itself.
    own_record_lsn: u64,
}

impl Checkpointer {
    pub(super) fn new() -> Self {
        Checkpointer {
            state: State::Waiting { on_tick: false },
            own_wait: None,
            wait_over: false,
            waiters: Vec::new(),
            own_record_lsn: 0,
        }
    }

    /// Clients that wait for a checkpoint.
    pub(super) fn waiting_clients(&self) -> usize {
        self.waiters.iter().filter(|(actor, _)| matches!(actor, Requester::Client(_))).count()
    }
}

impl Server {
    pub(super) fn start_checkpointer(&mut self) {
        self.checkpointer_step(CheckpointerInput::Start);
    }

    pub(super) fn checkpointer_timer(&mut self, number: u32) {
        if number != self.machine.checkpointer_event.timer {
            return;
        }
        if matches!(self.checkpointer.state, State::Waiting { .. }) {
            self.checkpointer_step(CheckpointerInput::Timeout);
        } else {
            self.checkpointer.wait_over = true;
        }
    }

    fn set_state(&mut self, state: State) {
        self.checkpointer.state = state;
        self.machine.checkpointer_event.is_waited_for = matches!(state, State::Waiting { .. });
    }

    /// The page cleaner finished a pass.
    pub(super) fn cleaner_tick(&mut self) {
        self.machine.wake_watchers();
        if self.checkpointer.state == (State::Waiting { on_tick: true }) {
            self.checkpointer_step(CheckpointerInput::CleanerTick);
        }
    }

    fn checkpointer_step(&mut self, input: CheckpointerInput) {
        let woken = std::mem::take(&mut self.machine.checkpointer_event.is_set) && input == CheckpointerInput::Timeout;
        let input = if woken { CheckpointerInput::Event } else { input };
        let action = self.machine.ask(|model, view| model.checkpointer(view, input));
        if action.wake_cleaner {
            self.machine.set_flush_event();
        }
        match action.next {
            CheckpointerNext::Wait { timeout, on_cleaner_tick } => {
                self.set_state(State::Waiting { on_tick: on_cleaner_tick });
                let at =
                    if self.machine.checkpointer_event.is_set { self.machine.now } else { self.machine.now + timeout };
                self.machine.arm_timer(Thread::Checkpointer, at);
            }
            CheckpointerNext::Write { lsn } => self.begin_checkpoint(Some(lsn)),
            CheckpointerNext::WriteOldest => self.begin_checkpoint(None),
        }
    }

    fn begin_checkpoint(&mut self, lsn: Option<u64>) {
        self.set_state(State::Syncing { lsn });
        if lsn.is_none() {
            self.machine.crash_sees_checkpoint_begin();
        }
        if !self.machine.config.data_sync.precedes_checkpoints()
            || self.machine.breaks(BrokenRule::CheckpointBeforeSync)
            || self.begin_round(RoundOwner::Checkpoint) == RoundStep::Over(RoundOwner::Checkpoint)
        {
            self.checkpoint_data_synced();
        }
    }

    /// Takes a checkpoint at the oldest modification on behalf of `actor`, or joins the one in progress.
    pub(super) fn request_checkpoint(&mut self, actor: Requester, wait: bool) {
        match self.checkpointer.state {
            State::Writing { .. } if !wait => self.let_go_on(actor),
            State::Waiting { on_tick } => {
                self.checkpointer.own_wait = Some(on_tick);
                self.checkpointer.waiters.push((actor, wait));
                self.begin_checkpoint(None);
            }
            _ => self.checkpointer.waiters.push((actor, wait)),
        }
    }

    fn let_go_on(&mut self, actor: Requester) {
        self.machine.calendar.schedule(self.machine.now, actor.goes_on(Event::CheckpointTaken));
    }

    fn release_checkpoint_waiters(&mut self, all: bool) {
        for (actor, _) in self.checkpointer.waiters.extract_if(.., |(_, for_block)| all || !*for_block) {
            self.machine.calendar.schedule(self.machine.now, actor.goes_on(Event::CheckpointTaken));
        }
    }

    /// The data files are synced: the block goes out, once redo is durable up to the checkpoint.
    pub(super) fn checkpoint_data_synced(&mut self) {
        match self.checkpointer.state {
            State::Syncing { lsn: Some(lsn) } => self.write_checkpoint(lsn),
            State::Syncing { lsn: None } => self.checkpoint_at_oldest(),
            _ => {}
        }
    }

    fn checkpoint_at_oldest(&mut self) {
        let current = self.machine.redo.current_lsn();
        self.machine.pool.prune_written_from_flush_list();
        let oldest = match self.machine.pool.oldest_modification_lsn() {
            0 => current,
            lsn => lsn,
        };
        self.machine.crash_sees_look(oldest);
        // Nothing but the last checkpoint's own record may have been written since.
        let last = self.machine.last_checkpoint_lsn.max(self.checkpointer.own_record_lsn);
        if oldest <= last {
            return self.end_checkpoint(false);
        }
        let record = self.machine.config.redo.checkpoint_record_bytes;
        if record > 0 {
            self.machine.redo.append_record(RedoLog::fixed(record as f64), self.machine.now);
            if oldest == current {
                self.checkpointer.own_record_lsn = self.machine.redo.current_lsn();
            }
        }
        self.set_state(State::WaitingForRedo { lsn: oldest });
        let wanted = if record > 0 { self.machine.redo.current_lsn() } else { oldest };
        if wanted > self.machine.redo.position().durable_lsn {
            self.when_durable(wanted, Event::CheckpointRedoDurable);
        } else {
            self.write_checkpoint(oldest);
        }
    }

    /// Redo is durable up to the checkpoint.
    pub(super) fn checkpoint_redo_durable(&mut self) {
        if let State::WaitingForRedo { lsn } = self.checkpointer.state {
            self.write_checkpoint(lsn);
        }
    }

    /// The block goes out, once the redo sync in progress has let go of the file.
    fn write_checkpoint(&mut self, lsn: u64) {
        self.set_state(State::Writing { lsn });
        self.machine.checkpoint_on_its_way = Some(lsn);
        self.hold_redo_writes();
        self.release_checkpoint_waiters(false);
        let written = self.machine.write_redo_header();
        self.machine.calendar.schedule(written, Event::CheckpointOnDevice);
    }

    pub(super) fn checkpoint_on_device(&mut self) {
        if self.machine.config.redo.io == RedoIo::Buffered
            && self.machine.sync_through_journal(Synced::Redo, AfterSync::Event(Event::CheckpointDurable))
        {
            self.machine.recorder.counts.redo_fsyncs += 1;
            return;
        }
        if let Some(written) = self.machine.write_inode(Synced::Redo) {
            return self.machine.calendar.schedule(written, Event::CheckpointOnDevice);
        }
        let durable = match self.machine.config.redo.io {
            RedoIo::Buffered => self.flush_redo_device(),
            RedoIo::NoSync => self.machine.now,
        };
        self.machine.calendar.schedule(durable, Event::CheckpointDurable);
    }

    /// The block is synced: the checkpoint is published. Whether there was one; then redo that waited for room is to be looked
    /// at.
    #[must_use]
    pub(super) fn checkpoint_published(&mut self) -> bool {
        let State::Writing { lsn } = self.checkpointer.state else { return false };
        self.machine.last_checkpoint_lsn = lsn;
        self.machine.checkpoints += 1;
        self.end_checkpoint(true);
        self.publish_limits();
        true
    }

    /// A checkpoint is published, or there was nothing to write: all go on.
    fn end_checkpoint(&mut self, published: bool) {
        let own_wait = self.checkpointer.own_wait.take();
        self.set_state(State::Waiting { on_tick: own_wait.unwrap_or(false) });
        self.machine.checkpoint_on_its_way = None;
        self.hold_redo_writes();
        if published {
            self.machine.ask(|model, view| model.checkpoint_published(view));
        }
        self.release_checkpoint_waiters(true);
        let wait_over = std::mem::take(&mut self.checkpointer.wait_over) || self.machine.checkpointer_event.is_set;
        match own_wait {
            None => self.checkpointer_step(CheckpointerInput::Written),
            Some(_) if wait_over => self.machine.arm_timer(Thread::Checkpointer, self.machine.now),
            Some(_) => {}
        }
        self.machine.wake_watchers();
    }
}
