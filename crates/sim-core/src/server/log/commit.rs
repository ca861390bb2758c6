//! Commits: the redo writer, the flusher, group commit.
//!
//! Source: `innodb-8.0.21` sections 3.1 - 3.3. A sync covers everything written before it starts; commits that arrive
//! during a sync are served by the next, which starts at once. With commit modes 0 and 2 the flusher runs once in
//! `innodb_flush_log_at_timeout`, or when a page write or a checkpoint needs durable redo.
//!
//! Before 8.0, in MariaDB and with the writer threads off there is no writer thread: the first commit that finds no
//! sync running writes all that was appended, then syncs it; before 5.7 nobody can append while it writes, nor write
//! while it syncs (`innodb-5.6` section 7.2).
//!
//! A sync of buffered redo sends the bytes written since the last one to the device; when they are there, it flushes
//! the device's cache, as fsync does. Simplification: `O_DSYNC` is taken as that too, a write with its flush for each
//! group instead of one for each write (errs towards fewer, larger writes).

use crate::config::{CommitDurability, RedoIo, RedoPipeline};
use crate::kernel::time::{SimDuration, SimTime};
use crate::redo::WriterLimit;
use crate::server::log::Log;
use crate::server::machine::Machine;
use crate::server::machine::events::Event;
use crate::server::machine::file_system::AfterSync;
use crate::server::machine::ids::ClientId;
use crate::server::machine::inodes::Synced;
use crate::server::machine::wake_ups::Thread;
use crate::storage::Op;
use std::collections::VecDeque;

/// A background thread that has nothing else to wait for looks once a second.
const BACKGROUND_PERIOD: SimDuration = SimDuration::from_secs(1);

/// State of the writer's and flusher's customers.
#[derive(Debug, Clone, Default)]
pub(in crate::server) struct Commit {
    wake_up: SimDuration,
    /// Committing clients in order of their LSN.
    waiters: VecDeque<(u64, ClientId)>,
    /// What happens when redo is durable up to an LSN.
    durable_waiters: Vec<(u64, Event)>,
    /// LSN that the sync in progress makes durable.
    syncing: Option<u64>,
    /// Somebody other than a committing client wants redo durable up to here.
    wanted_lsn: u64,
    /// When the next [`Event::RedoWritten`] is due.
    written_event: Option<SimTime>,
    /// The leader of the next group has written: its sync is due.
    leader_wrote: bool,
    last_sync_began: SimTime,
    in_extra_margin: bool,
    /// LSN above which the writer is inside its extra margin.
    soft_limit_lsn: u64,
}

impl Commit {
    pub(in crate::server) fn new(wake_up: SimDuration) -> Self {
        Commit { wake_up, soft_limit_lsn: u64::MAX, ..Commit::default() }
    }

    /// Whether somebody waits for redo beyond what is durable.
    pub(super) fn somebody_waits(&self, durable_lsn: u64) -> bool {
        !self.waiters.is_empty() || self.wanted_lsn > durable_lsn
    }

    /// Clients that wait for redo.
    pub(in crate::server) fn waiting(&self) -> usize {
        let flushing = self.durable_waiters.iter().filter(|(_, event)| event.client().is_some()).count();
        self.waiters.len() + flushing
    }
}

impl Log {
    pub(in crate::server) fn start_flusher_timer(&mut self, machine: &mut Machine) {
        let threads = machine.config.redo.pipeline == RedoPipeline::DedicatedThreads;
        if machine.config.redo.commit != CommitDurability::Sync && !(threads && machine.flusher_never_rests()) {
            machine.calendar.schedule(machine.now + machine.flusher_period(), Event::FlusherTimer);
        }
    }

    pub(super) fn flusher_timer(&mut self, machine: &mut Machine) {
        // A flusher thread counts from its last sync, whoever wanted that.
        let due = self.commit.last_sync_began + machine.flusher_period();
        if machine.config.redo.pipeline == RedoPipeline::DedicatedThreads && due > machine.now {
            return machine.calendar.schedule(due, Event::FlusherTimer);
        }
        machine.redo.advance_writer(machine.now);
        let position = machine.redo.position();
        let reached = if machine.redo.writes_on_demand() { position.current_lsn } else { position.written_lsn };
        self.commit.wanted_lsn = self.commit.wanted_lsn.max(reached);
        self.start_sync_if_wanted(machine);
        self.start_flusher_timer(machine);
    }

    /// A client's transaction, whose redo ends here, is to be as durable as commits are; whether it already is. If not, the
    /// client has been put to wait.
    #[must_use]
    pub(in crate::server) fn is_durable_or_waits(&mut self, client_id: ClientId, machine: &mut Machine) -> bool {
        let lsn = machine.redo.current_lsn();
        let position = machine.redo.position();
        // Redo that the transaction appended before its last reads may be where it must be by now.
        let done = match machine.config.redo.commit {
            CommitDurability::Lazy => true,
            CommitDurability::Write => position.written_lsn >= lsn,
            CommitDurability::Sync => position.durable_lsn >= lsn,
        };
        if !done {
            self.redo_requested(machine);
            self.commit.waiters.push_back((lsn, client_id));
        }
        done
    }

    /// A group of redo is closed: its writer, the margin and who waits for work look at it.
    #[inline]
    pub(in crate::server) fn redo_appended(&mut self, machine: &mut Machine) {
        self.watch_redo_files(machine);
        machine.redo.appended(machine.now);
        self.watch_writer_margin(machine);
        machine.set_flush_event_if_due();
    }

    /// Redo was appended: gets the flusher or the watcher of the writer going.
    pub(in crate::server) fn after_append(&mut self, machine: &mut Machine) {
        self.start_sync_if_wanted(machine);
        if machine.config.redo.commit == CommitDurability::Write || machine.log_buffer_fills_up() {
            self.request_redo_write(machine);
        }
    }

    /// Redo was appended in the background: nobody waits for it, but a flusher thread syncs it as it does all redo, and a
    /// buffer that fills up is written.
    pub(in crate::server) fn after_background_append(&mut self, machine: &mut Machine) {
        if machine.config.redo.pipeline == RedoPipeline::DedicatedThreads {
            self.start_sync_if_wanted(machine);
        }
        if machine.log_buffer_fills_up() {
            self.request_redo_write(machine);
        }
    }

    /// Gets the redo appended so far written; who waits for it sees [`Event::RedoWritten`].
    pub(super) fn request_redo_write(&mut self, machine: &mut Machine) {
        machine.redo.request_write(machine.now);
        self.watch_redo_written(machine);
    }

    /// Whether somebody wants a sync: a flusher thread whenever there is something to sync, without one only who waits
    /// for it.
    fn sync_wanted(&self, machine: &Machine) -> bool {
        let position = machine.redo.position();
        let by_commit = match machine.config.redo.pipeline {
            RedoPipeline::DedicatedThreads => {
                machine.flusher_never_rests() && position.current_lsn > position.durable_lsn
            }
            RedoPipeline::CommittingThread | RedoPipeline::LogMutex => {
                machine.config.redo.commit == CommitDurability::Sync && !self.commit.waiters.is_empty()
            }
        };
        by_commit || self.commit.wanted_lsn > position.durable_lsn
    }

    /// Whether who syncs next, where nobody else writes, has to write first.
    fn must_write_before_sync(&self, machine: &Machine) -> bool {
        match machine.config.redo.commit {
            CommitDurability::Sync => !self.commit.leader_wrote,
            CommitDurability::Lazy | CommitDurability::Write => {
                machine.redo.position().written_lsn < self.commit.wanted_lsn
            }
        }
    }

    /// Starts a sync if there is something written to sync and somebody wants it; otherwise waits for the writer.
    fn start_sync_if_wanted(&mut self, machine: &mut Machine) {
        if self.commit.syncing.is_some() || !self.sync_wanted(machine) {
            return;
        }
        if machine.redo.writes_on_demand() && self.must_write_before_sync(machine) {
            machine.redo.request_write(machine.now);
            if machine.redo.write_in_progress_until().is_some() {
                return self.watch_redo_written(machine);
            }
        }
        let position = machine.redo.position();
        // The flusher thread needs nothing that the writer of a checkpoint block holds.
        let held =
            machine.checkpoint_on_its_way.is_some() && machine.config.redo.pipeline != RedoPipeline::DedicatedThreads;
        if position.written_lsn <= position.durable_lsn || held {
            self.watch_redo_written(machine);
            return;
        }
        if self.flusher_is_awake(machine) {
            self.begin_sync(machine);
        }
    }

    /// Begins a sync of all that is written.
    pub(super) fn begin_sync(&mut self, machine: &mut Machine) {
        self.flusher_begins(machine);
        let position = machine.redo.position();
        self.commit.leader_wrote = false;
        self.commit.last_sync_began = machine.now;
        self.commit.syncing = Some(position.written_lsn);
        machine.redo_sync_in_progress = true;
        self.hold_redo_writes(machine);
        match machine.config.redo.io {
            RedoIo::NoSync => machine.calendar.schedule(machine.now, Event::RedoSynced),
            RedoIo::Buffered => {
                let written = machine.disks().write_redo(position.durable_lsn, position.written_lsn);
                machine.calendar.schedule(written, Event::RedoOnDevice);
            }
        }
    }

    /// The redo of a sync is on the device, or the inode that follows it: the cache flush comes when both are.
    pub(super) fn redo_on_device(&mut self, machine: &mut Machine) {
        if machine.disks().sync_through_journal(Synced::Redo, AfterSync::Redo) {
            machine.recorder.counts.redo_fsyncs += 1;
            return;
        }
        if let Some(written) = machine.disks().write_inode(Synced::Redo) {
            return machine.calendar.schedule(written, Event::RedoOnDevice);
        }
        let durable = machine.flush_redo_device();
        machine.cpu().redo_sync_ends(durable);
    }

    /// Makes sure that [`Event::RedoWritten`] comes when the write in progress ends.
    pub(super) fn watch_redo_written(&mut self, machine: &mut Machine) {
        if self.commit.written_event.is_some() {
            return;
        }
        if let Some(at) = machine.redo.write_in_progress_until() {
            self.commit.written_event = Some(at);
            machine.calendar.schedule(at, Event::RedoWritten);
        }
    }

    /// The write in progress is over: LSN up to which commits may be acknowledged, after which comes [`Log::after_write`].
    pub(in crate::server) fn write_ended(&mut self, machine: &mut Machine) -> Option<u64> {
        self.commit.written_event = None;
        machine.redo.advance_writer(machine.now);
        self.watch_redo_files(machine);
        self.commit.leader_wrote = true;
        let commits_wait = machine.config.redo.commit == CommitDurability::Write;
        commits_wait.then(|| machine.redo.position().written_lsn)
    }

    /// What a write allows is acknowledged: the log goes on.
    pub(in crate::server) fn after_write(&mut self, machine: &mut Machine) {
        self.start_sync_if_wanted(machine);
        if machine.config.redo.pipeline != RedoPipeline::LogMutex {
            self.admit_to_log_buffer(machine);
        }
        if machine.config.redo.commit == CommitDurability::Write && !self.commit.waiters.is_empty() {
            self.request_redo_write(machine);
        }
    }

    /// The sync in progress is over; LSN up to which redo is durable. Once commits are acknowledged ([`Log::next_acknowledged`])
    /// comes [`Log::after_sync`].
    pub(in crate::server) fn sync_ended(&mut self, machine: &mut Machine) -> Option<u64> {
        let lsn = self.commit.syncing.take()?;
        machine.redo_sync_in_progress = false;
        self.hold_redo_writes(machine);
        machine.redo.synced(lsn);
        Some(lsn)
    }

    /// Redo is durable up to `lsn`, and commits are acknowledged: the log goes on.
    pub(in crate::server) fn after_sync(&mut self, lsn: u64, machine: &mut Machine) {
        let at = self.woken_at(machine);
        for (_, event) in self.commit.durable_waiters.extract_if(.., |(wanted, _)| *wanted <= lsn) {
            machine.calendar.schedule(at, event);
        }
        self.start_sync_if_wanted(machine);
        self.flusher_looks_on(machine);
        if machine.config.redo.pipeline == RedoPipeline::LogMutex {
            self.admit_to_log_buffer(machine);
        }
    }

    /// Keeps redo writes from starting while somebody holds what they need: before 5.7 the thread that syncs (a write
    /// ends with its sync), in 8.0 and MariaDB the one that writes a checkpoint block.
    pub(in crate::server) fn hold_redo_writes(&mut self, machine: &mut Machine) {
        let by_sync = machine.config.redo.pipeline == RedoPipeline::LogMutex && self.commit.syncing.is_some();
        let by_checkpoint = machine.config.redo.checkpoint_holds_writes && machine.checkpoint_on_its_way.is_some();
        machine.redo.hold_writes(by_sync || by_checkpoint, machine.now);
        if machine.config.redo.commit == CommitDurability::Write || !self.buffer.is_empty() {
            self.watch_redo_written(machine);
        }
    }

    /// When a thread that waited for redo goes on.
    pub(in crate::server) fn woken_at(&self, machine: &Machine) -> SimTime {
        machine.now + self.commit.wake_up
    }

    /// The next client whose redo ends at `lsn` or before.
    pub(in crate::server) fn next_acknowledged(&mut self, lsn: u64, machine: &mut Machine) -> Option<ClientId> {
        let &(wanted, client) = self.commit.waiters.front().filter(|(wanted, _)| *wanted <= lsn)?;
        self.commit.waiters.pop_front();
        machine.acknowledged_lsn = wanted;
        Some(client)
    }

    /// Lets `event` happen when redo is durable up to `lsn`, and asks for that.
    pub(in crate::server) fn when_durable(&mut self, lsn: u64, event: Event, machine: &mut Machine) {
        self.redo_requested(machine);
        self.commit.durable_waiters.push((lsn, event));
        self.want_durable(lsn, machine);
    }

    /// Asks for durable redo up to `lsn`.
    pub(in crate::server) fn want_durable(&mut self, lsn: u64, machine: &mut Machine) {
        self.commit.wanted_lsn = self.commit.wanted_lsn.max(lsn);
        machine.redo.advance_writer(machine.now);
        self.start_sync_if_wanted(machine);
    }

    /// The checkpoint moved, or the writer's limits did.
    pub(in crate::server) fn publish_limits(&mut self, machine: &mut Machine) {
        let limits = machine.model.writer_limits();
        let checkpoint = crate::redo::lsn::block_start(machine.last_checkpoint_lsn);
        machine.redo.set_limit(WriterLimit::Checkpoint, checkpoint + limits.hard_bytes, machine.now);
        self.watch_redo_files(machine);
        self.commit.soft_limit_lsn = checkpoint + limits.soft_bytes;
        self.watch_writer_margin(machine);
        machine.free_check_limit_lsn = machine.model.free_check_limit_lsn();
        if !self.buffer.is_empty() || self.sync_wanted(machine) {
            self.watch_redo_written(machine);
        }
    }

    /// Tells the model when the writer enters or leaves its extra margin; a writer that stands at its limit asks for a
    /// checkpoint.
    pub(super) fn watch_writer_margin(&mut self, machine: &mut Machine) {
        let inside = machine.redo.current_lsn() > self.commit.soft_limit_lsn;
        if inside != self.commit.in_extra_margin {
            self.commit.in_extra_margin = inside;
            machine.ask(|model, view| model.writer_in_extra_margin(view, inside));
            if !(inside && self.expect_governor(machine)) {
                machine.free_check_limit_lsn = machine.model.free_check_limit_lsn();
            }
            if inside {
                machine.set_event(Thread::Checkpointer);
            }
        }
        if inside && machine.redo.stands_at(WriterLimit::Checkpoint) {
            machine.set_event(Thread::Checkpointer);
        }
    }
}

impl Machine {
    /// Time between two syncs that nobody asked for: a background thread comes by once a second at most.
    fn flusher_period(&self) -> SimDuration {
        let timeout = self.config.redo.flush_timeout;
        if timeout == SimDuration::ZERO { BACKGROUND_PERIOD } else { timeout }
    }

    /// Whether a flusher thread syncs again as soon as there is something to sync.
    fn flusher_never_rests(&self) -> bool {
        self.config.redo.commit == CommitDurability::Sync || self.config.redo.flush_timeout == SimDuration::ZERO
    }

    /// Whether the log buffer is to be written now where no thread does it unasked.
    fn log_buffer_fills_up(&self) -> bool {
        self.redo.writes_on_demand() && self.redo.buffer().is_more_than_half_full()
    }

    /// Flushes the cache of the redo device.
    pub(in crate::server) fn flush_redo_device(&mut self) -> SimTime {
        let now = self.now;
        self.recorder.counts.redo_fsyncs += 1;
        self.redo_device().submit(now, Op::Sync, 0)
    }
}
