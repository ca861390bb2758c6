//! Checkpoints: data files synced, the checkpoint block written and published.
//!
//! Source: `innodb-8.0.21` section 2.4; `innodb-5.6` section 2.4 and `mariadb-10.11` section 2.3 for checkpoints that
//! user threads, the master thread and the page cleaner take. From 8.0 a thread of its own decides; what to do and when
//! is the version's. Writing a checkpoint: a round of data-file syncs for files with unsynced writes; then one 512-byte
//! block and a sync of the redo file, during which nobody can start a redo sync, in 8.0 and MariaDB nor a write; then
//! the new checkpoint is published. From 8.0.30 on the block has to wait for the log writer's mutex (`writer_mutex`).
//!
//! A checkpoint at the oldest modification looks at the flush lists after the data files are synced, and makes redo
//! durable up to there first. One checkpoint is taken at a time: who asks for another meanwhile joins it. A user thread of
//! MariaDB syncs the data files itself before it begins or joins one, whatever others are syncing.

mod writer_mutex;

use crate::config::{RedoIo, SyncRound};
use crate::kernel::random::Rng;
use crate::redo::RedoLog;
use crate::seam::{CheckpointerInput, CheckpointerNext};
use crate::server::base::Base;
use crate::server::checkpointer::writer_mutex::WriterMutexWait;
use crate::server::machine::Machine;
use crate::server::machine::disk_events::{BrokenRule, DiskEvent};
use crate::server::machine::events::Event;
use crate::server::machine::file_system::AfterSync;
use crate::server::machine::inodes::Synced;
use crate::server::machine::owners::{Requester, RoundOwner, RoundStep};
use crate::server::machine::wake_ups::Thread;

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
    /// The log writer has the mutex that writing takes.
    WaitingForWriter {
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
    writer_mutex: WriterMutexWait,
}

impl Checkpointer {
    pub(super) fn new(rng: Rng) -> Self {
        Checkpointer {
            state: State::Waiting { on_tick: false },
            own_wait: None,
            wait_over: false,
            waiters: Vec::new(),
            own_record_lsn: 0,
            writer_mutex: WriterMutexWait::new(rng),
        }
    }

    /// Clients that wait for a checkpoint.
    pub(super) fn waiting_clients(&self) -> usize {
        self.waiters.iter().filter(|(actor, _)| matches!(actor, Requester::Client(_))).count()
    }
}

impl Checkpointer {
    pub(super) fn start_checkpointer(&mut self, base: &mut Base) {
        self.checkpointer_step(CheckpointerInput::Start, base);
    }

    pub(super) fn checkpointer_timer(&mut self, number: u32, base: &mut Base) {
        if number != base.machine.checkpointer_event.timer {
            return;
        }
        if matches!(self.state, State::Waiting { .. }) {
            self.checkpointer_step(CheckpointerInput::Timeout, base);
        } else {
            self.wait_over = true;
        }
    }

    fn set_state(&mut self, state: State, machine: &mut Machine) {
        self.state = state;
        machine.checkpointer_event.is_waited_for = matches!(state, State::Waiting { .. });
    }

    /// The page cleaner finished a pass.
    pub(super) fn cleaner_tick(&mut self, base: &mut Base) {
        base.machine.wake_watchers();
        if self.state == (State::Waiting { on_tick: true }) {
            self.checkpointer_step(CheckpointerInput::CleanerTick, base);
        }
    }

    fn checkpointer_step(&mut self, input: CheckpointerInput, base: &mut Base) {
        let woken = std::mem::take(&mut base.machine.checkpointer_event.is_set) && input == CheckpointerInput::Timeout;
        let input = if woken { CheckpointerInput::Event } else { input };
        let action = base.machine.ask(|model, view| model.checkpointer(view, input));
        if action.wake_cleaner {
            base.machine.set_flush_event();
        }
        match action.next {
            CheckpointerNext::Wait { timeout, on_cleaner_tick } => {
                self.set_state(State::Waiting { on_tick: on_cleaner_tick }, &mut base.machine);
                let at =
                    if base.machine.checkpointer_event.is_set { base.machine.now } else { base.machine.now + timeout };
                base.machine.arm_timer(Thread::Checkpointer, at);
            }
            CheckpointerNext::Write { lsn } => self.begin_checkpoint(Some(lsn), base),
            CheckpointerNext::WriteOldest => self.begin_checkpoint(None, base),
        }
    }

    fn begin_checkpoint(&mut self, lsn: Option<u64>, base: &mut Base) {
        self.set_state(State::Syncing { lsn }, &mut base.machine);
        if lsn.is_none() {
            base.machine.observers.tell(DiskEvent::CheckpointBegins);
        }
        if !base.machine.config.data_sync.precedes_checkpoints()
            || base.machine.observers.broken == Some(BrokenRule::CheckpointBeforeSync)
            || base.storage.begin_round(RoundOwner::Checkpoint, &mut base.machine)
                == RoundStep::Over(RoundOwner::Checkpoint)
        {
            self.checkpoint_data_synced(base);
        }
    }

    /// Takes a checkpoint at the oldest modification on behalf of `actor`, or joins the one in progress.
    pub(super) fn request_checkpoint(&mut self, actor: Requester, wait: bool, base: &mut Base) {
        let config = &base.machine.config;
        let syncs_itself = matches!(actor, Requester::Client(_))
            && config.sync_round == SyncRound::UntilNoneLeft
            && config.data_sync.precedes_checkpoints();
        if syncs_itself {
            let owner = RoundOwner::Thread(actor, wait);
            if let RoundStep::Over(_) = base.storage.begin_round(owner, &mut base.machine) {
                self.synced_by(actor, wait, base);
            }
            return;
        }
        match self.state {
            State::Writing { .. } if !wait => base.machine.let_go_on(actor),
            State::Waiting { on_tick } => {
                self.own_wait = Some(on_tick);
                self.waiters.push((actor, wait));
                self.begin_checkpoint(None, base);
            }
            _ => self.waiters.push((actor, wait)),
        }
    }

    /// A thread that wants a checkpoint has synced the data files itself: no file has unsynced writes.
    pub(super) fn synced_by(&mut self, actor: Requester, wait: bool, base: &mut Base) {
        match self.state {
            State::Writing { .. } if !wait => return base.machine.let_go_on(actor),
            State::Waiting { on_tick } => self.own_wait = Some(on_tick),
            State::Syncing { lsn: None } => {}
            _ => return self.waiters.push((actor, wait)),
        }
        self.waiters.push((actor, wait));
        self.checkpoint_at_oldest(base);
    }

    fn release_checkpoint_waiters(&mut self, all: bool, machine: &mut Machine) {
        for (actor, _) in self.waiters.extract_if(.., |(_, for_block)| all || !*for_block) {
            machine.calendar.schedule(machine.now, actor.goes_on(Event::CheckpointTaken));
        }
    }

    /// The data files are synced: the block goes out, once redo is durable up to the checkpoint.
    pub(super) fn checkpoint_data_synced(&mut self, base: &mut Base) {
        match self.state {
            State::Syncing { lsn: Some(lsn) } => {
                base.machine.ask(|model, view| model.checkpoint_data_synced(view));
                if self.writer_mutex.is_taken(base) {
                    self.set_state(State::WaitingForWriter { lsn }, &mut base.machine);
                } else {
                    self.write_checkpoint(lsn, base);
                }
            }
            State::Syncing { lsn: None } => self.checkpoint_at_oldest(base),
            _ => {}
        }
    }

    /// The checkpointer waits for the log writer: the block goes out as soon as it has the mutex.
    pub(super) fn checkpointer_looks(&mut self, base: &mut Base) {
        let State::WaitingForWriter { lsn } = self.state else { return };
        if self.writer_mutex.is_got(base) {
            self.write_checkpoint(lsn, base);
        }
    }

    fn checkpoint_at_oldest(&mut self, base: &mut Base) {
        let current = base.machine.redo.current_lsn();
        base.machine.pool.dirty.prune_written();
        let oldest = match base.machine.pool.oldest_modification_lsn() {
            0 => current,
            lsn => lsn,
        };
        let now = base.machine.now;
        base.machine.observers.tell(DiskEvent::CheckpointLooks { oldest, now });
        // Nothing but the last checkpoint's own record may have been written since.
        let last = base.machine.last_checkpoint_lsn.max(self.own_record_lsn);
        if oldest <= last {
            return self.end_checkpoint(false, base);
        }
        let record = base.machine.config.redo.checkpoint_record_bytes;
        if record > 0 {
            base.machine.redo.append_record(RedoLog::fixed(record as f64), base.machine.now);
            if oldest == current {
                self.own_record_lsn = base.machine.redo.current_lsn();
            }
        }
        self.set_state(State::WaitingForRedo { lsn: oldest }, &mut base.machine);
        let wanted = if record > 0 { base.machine.redo.current_lsn() } else { oldest };
        if wanted > base.machine.redo.position().durable_lsn {
            base.log.when_durable(wanted, Event::CheckpointRedoDurable, &mut base.machine);
        } else {
            self.write_checkpoint(oldest, base);
        }
    }

    /// Redo is durable up to the checkpoint.
    pub(super) fn checkpoint_redo_durable(&mut self, base: &mut Base) {
        if let State::WaitingForRedo { lsn } = self.state {
            self.write_checkpoint(lsn, base);
        }
    }

    /// The block goes out, once the redo sync in progress has let go of the file.
    fn write_checkpoint(&mut self, lsn: u64, base: &mut Base) {
        self.set_state(State::Writing { lsn }, &mut base.machine);
        base.machine.checkpoint_on_its_way = Some(lsn);
        base.log.hold_redo_writes(&mut base.machine);
        self.release_checkpoint_waiters(false, &mut base.machine);
        let written = base.machine.disks().write_redo_header();
        base.machine.calendar.schedule(written, Event::CheckpointOnDevice);
    }

    pub(super) fn checkpoint_on_device(&mut self, machine: &mut Machine) {
        if machine.config.redo.io == RedoIo::Buffered
            && machine.disks().sync_through_journal(Synced::Redo, AfterSync::Event(Event::CheckpointDurable))
        {
            machine.recorder.counts.redo_fsyncs += 1;
            return;
        }
        if let Some(written) = machine.disks().write_inode(Synced::Redo) {
            return machine.calendar.schedule(written, Event::CheckpointOnDevice);
        }
        let durable = match machine.config.redo.io {
            RedoIo::Buffered => machine.flush_redo_device(),
            RedoIo::NoSync => machine.now,
        };
        machine.calendar.schedule(durable, Event::CheckpointDurable);
    }

    /// The block is synced: the checkpoint is published. Whether there was one; then redo that waited for room is to be looked
    /// at.
    #[must_use]
    pub(super) fn checkpoint_published(&mut self, base: &mut Base) -> bool {
        let State::Writing { lsn } = self.state else { return false };
        base.machine.last_checkpoint_lsn = lsn;
        base.machine.checkpoints += 1;
        self.end_checkpoint(true, base);
        base.log.publish_limits(&mut base.machine);
        true
    }

    /// A checkpoint is published, or there was nothing to write: all go on.
    fn end_checkpoint(&mut self, published: bool, base: &mut Base) {
        let own_wait = self.own_wait.take();
        self.set_state(State::Waiting { on_tick: own_wait.unwrap_or(false) }, &mut base.machine);
        base.machine.checkpoint_on_its_way = None;
        base.log.hold_redo_writes(&mut base.machine);
        if published {
            base.machine.ask(|model, view| model.checkpoint_published(view));
        }
        self.release_checkpoint_waiters(true, &mut base.machine);
        let wait_over = std::mem::take(&mut self.wait_over) || base.machine.checkpointer_event.is_set;
        match own_wait {
            None => self.checkpointer_step(CheckpointerInput::Written, base),
            Some(_) if wait_over => base.machine.arm_timer(Thread::Checkpointer, base.machine.now),
            Some(_) => {}
        }
        base.machine.wake_watchers();
    }
}

impl Machine {
    fn let_go_on(&mut self, actor: Requester) {
        self.calendar.schedule(self.now, actor.goes_on(Event::CheckpointTaken));
    }
}
