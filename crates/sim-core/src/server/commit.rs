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

use super::Server;
use super::events::Event;
use super::inodes::Synced;
use crate::config::{CommitDurability, RedoIo, RedoPipeline};
use crate::kernel::time::{SimDuration, SimTime};
use crate::storage::Op;
use std::collections::VecDeque;

/// A background thread that has nothing else to wait for looks once a second.
const BACKGROUND_PERIOD: SimDuration = SimDuration::from_secs(1);

/// State of the writer's and flusher's customers.
#[derive(Debug, Clone)]
pub(super) struct Commit {
    wake_up: SimDuration,
    /// Committing clients in order of their LSN.
    waiters: VecDeque<(u64, u32)>,
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
    /// Largest LSN whose transaction was acknowledged.
    pub(super) acknowledged_lsn: u64,
}

impl Commit {
    pub(super) fn new(wake_up: SimDuration) -> Self {
        Commit {
            wake_up,
            waiters: VecDeque::new(),
            durable_waiters: Vec::new(),
            syncing: None,
            wanted_lsn: 0,
            written_event: None,
            leader_wrote: false,
            last_sync_began: SimTime::ZERO,
            in_extra_margin: false,
            soft_limit_lsn: u64::MAX,
            acknowledged_lsn: 0,
        }
    }

    /// Whether a sync is in progress.
    pub(super) fn sync_in_progress(&self) -> bool {
        self.syncing.is_some()
    }

    /// Whether somebody waits for redo beyond what is durable.
    pub(super) fn somebody_waits(&self, durable_lsn: u64) -> bool {
        !self.waiters.is_empty() || self.wanted_lsn > durable_lsn
    }

    /// Clients that wait for redo.
    pub(super) fn waiting(&self) -> usize {
        let flushing = self.durable_waiters.iter().filter(|(_, event)| matches!(event, Event::SinglePage(_))).count();
        self.waiters.len() + flushing
    }
}

impl Server {
    pub(super) fn start_flusher_timer(&mut self) {
        let threads = self.config.redo.pipeline == RedoPipeline::DedicatedThreads;
        if self.config.redo.commit != CommitDurability::Sync && !(threads && self.flusher_never_rests()) {
            self.calendar.schedule(self.now + self.flusher_period(), Event::FlusherTimer);
        }
    }

    pub(super) fn flusher_timer(&mut self) {
        // A flusher thread counts from its last sync, whoever wanted that.
        let due = self.commit.last_sync_began + self.flusher_period();
        if self.config.redo.pipeline == RedoPipeline::DedicatedThreads && due > self.now {
            return self.calendar.schedule(due, Event::FlusherTimer);
        }
        self.redo.advance_writer(self.now);
        let position = self.redo.position();
        let reached = if self.redo.writes_on_demand() { position.current_lsn } else { position.written_lsn };
        self.commit.wanted_lsn = self.commit.wanted_lsn.max(reached);
        self.start_sync_if_wanted();
        self.start_flusher_timer();
    }

    /// Time between two syncs that nobody asked for: a background thread comes by once a second at most.
    fn flusher_period(&self) -> SimDuration {
        let timeout = self.config.redo.flush_timeout;
        if timeout == SimDuration::ZERO { BACKGROUND_PERIOD } else { timeout }
    }

    /// A client's transaction is through with its pages.
    pub(super) fn commit(&mut self, client_number: u32) {
        let client = &mut self.clients.list[client_number as usize];
        if !client.wrote {
            self.finish(client_number, self.now);
            return;
        }
        let lsn = self.redo.current_lsn();
        client.commit_lsn = lsn;
        if self.leader_asks_for_redo() {
            self.stand_in_binlog_queue(client_number);
            return self.after_append();
        }
        let position = self.redo.position();
        // Redo that the transaction appended before its last reads may be where it must be by now.
        let done = match self.config.redo.commit {
            CommitDurability::Lazy => true,
            CommitDurability::Write => position.written_lsn >= lsn,
            CommitDurability::Sync => position.durable_lsn >= lsn,
        };
        if done {
            self.prepared(client_number, self.now);
            self.after_append();
            return;
        }
        self.redo_requested();
        self.commit.waiters.push_back((lsn, client_number));
        self.after_append();
    }

    /// A group of redo is closed: its writer, the margin and who waits for work look at it.
    #[inline]
    pub(super) fn redo_appended(&mut self) {
        self.watch_redo_files();
        self.redo.appended(self.now);
        self.watch_writer_margin();
        self.look_for_work();
    }

    /// Redo was appended: gets the flusher or the watcher of the writer going.
    pub(super) fn after_append(&mut self) {
        self.start_sync_if_wanted();
        if self.config.redo.commit == CommitDurability::Write || self.redo.buffer_half_full() {
            self.request_redo_write();
        }
    }

    /// Redo was appended in the background: nobody waits for it, but a flusher thread syncs it as it does all redo, and a
    /// buffer that fills up is written.
    pub(super) fn after_background_append(&mut self) {
        if self.config.redo.pipeline == RedoPipeline::DedicatedThreads {
            self.start_sync_if_wanted();
        }
        if self.redo.buffer_half_full() {
            self.request_redo_write();
        }
    }

    /// Gets the redo appended so far written; who waits for it sees [`Event::RedoWritten`].
    pub(super) fn request_redo_write(&mut self) {
        self.redo.request_write(self.now);
        self.watch_redo_written();
    }

    /// Whether somebody wants a sync: a flusher thread whenever there is something to sync, without one only who waits
    /// for it.
    fn sync_wanted(&self) -> bool {
        let position = self.redo.position();
        let by_commit = match self.config.redo.pipeline {
            RedoPipeline::DedicatedThreads => self.flusher_never_rests() && position.current_lsn > position.durable_lsn,
            RedoPipeline::CommittingThread | RedoPipeline::LogMutex => {
                self.config.redo.commit == CommitDurability::Sync && !self.commit.waiters.is_empty()
            }
        };
        by_commit || self.commit.wanted_lsn > position.durable_lsn
    }

    /// Whether a flusher thread syncs again as soon as there is something to sync.
    fn flusher_never_rests(&self) -> bool {
        self.config.redo.commit == CommitDurability::Sync || self.config.redo.flush_timeout == SimDuration::ZERO
    }

    /// Whether who syncs next, where nobody else writes, has to write first.
    fn must_write_before_sync(&self) -> bool {
        match self.config.redo.commit {
            CommitDurability::Sync => !self.commit.leader_wrote,
            CommitDurability::Lazy | CommitDurability::Write => {
                self.redo.position().written_lsn < self.commit.wanted_lsn
            }
        }
    }

    /// Starts a sync if there is something written to sync and somebody wants it; otherwise waits for the writer.
    fn start_sync_if_wanted(&mut self) {
        if self.commit.syncing.is_some() || !self.sync_wanted() {
            return;
        }
        if self.redo.writes_on_demand() && self.must_write_before_sync() {
            self.redo.request_write(self.now);
            if self.redo.write_in_progress_until().is_some() {
                return self.watch_redo_written();
            }
        }
        let position = self.redo.position();
        // The flusher thread needs nothing that the writer of a checkpoint block holds.
        let held = self.checkpointer.holds_writer() && self.config.redo.pipeline != RedoPipeline::DedicatedThreads;
        if position.written_lsn <= position.durable_lsn || held {
            self.watch_redo_written();
            return;
        }
        if self.flusher_is_awake() {
            self.begin_sync();
        }
    }

    /// Begins a sync of all that is written.
    pub(super) fn begin_sync(&mut self) {
        self.flusher_begins();
        let position = self.redo.position();
        self.commit.leader_wrote = false;
        self.commit.last_sync_began = self.now;
        self.commit.syncing = Some(position.written_lsn);
        self.hold_redo_writes();
        match self.config.redo.io {
            RedoIo::NoSync => self.calendar.schedule(self.now, Event::RedoSynced),
            RedoIo::Buffered => {
                let written = self.write_redo(position.durable_lsn, position.written_lsn);
                self.calendar.schedule(written, Event::RedoOnDevice);
            }
        }
    }

    /// Flushes the cache of the redo device.
    pub(super) fn flush_redo_device(&mut self) -> SimTime {
        let now = self.now;
        self.recorder.counts.redo_fsyncs += 1;
        self.redo_device().submit(now, Op::Sync, 0)
    }

    /// The redo of a sync is on the device, or the inode that follows it: the cache flush comes when both are.
    pub(super) fn redo_on_device(&mut self) {
        if let Some(written) = self.write_inode(Synced::Redo) {
            return self.calendar.schedule(written, Event::RedoOnDevice);
        }
        let durable = self.flush_redo_device();
        self.redo_sync_ends(durable);
    }

    /// Makes sure that [`Event::RedoWritten`] comes when the write in progress ends.
    pub(super) fn watch_redo_written(&mut self) {
        if self.commit.written_event.is_some() {
            return;
        }
        if let Some(at) = self.redo.write_in_progress_until() {
            self.commit.written_event = Some(at);
            self.calendar.schedule(at, Event::RedoWritten);
        }
    }

    pub(super) fn redo_written(&mut self) {
        self.commit.written_event = None;
        self.redo.advance_writer(self.now);
        self.watch_redo_files();
        self.commit.leader_wrote = true;
        if self.config.redo.commit == CommitDurability::Write {
            self.acknowledge(self.redo.position().written_lsn);
        }
        self.start_sync_if_wanted();
        if self.config.redo.pipeline != RedoPipeline::LogMutex {
            self.admit_to_log_buffer();
        }
        if self.config.redo.commit == CommitDurability::Write && !self.commit.waiters.is_empty() {
            self.request_redo_write();
        }
    }

    pub(super) fn redo_synced(&mut self) {
        let Some(lsn) = self.commit.syncing.take() else { return };
        self.hold_redo_writes();
        self.redo.synced(lsn);
        if self.config.redo.commit == CommitDurability::Sync {
            self.acknowledge(lsn);
        }
        let at = self.now + self.commit.wake_up;
        for (_, event) in self.commit.durable_waiters.extract_if(.., |(wanted, _)| *wanted <= lsn) {
            self.calendar.schedule(at, event);
        }
        self.start_sync_if_wanted();
        self.flusher_looks_on();
        if self.config.redo.pipeline == RedoPipeline::LogMutex {
            self.admit_to_log_buffer();
        }
    }

    /// Keeps redo writes from starting while somebody holds what they need: before 5.7 the thread that syncs (a write
    /// ends with its sync), in 8.0 and MariaDB the one that writes a checkpoint block.
    pub(super) fn hold_redo_writes(&mut self) {
        let by_sync = self.config.redo.pipeline == RedoPipeline::LogMutex && self.commit.syncing.is_some();
        let by_checkpoint = self.config.redo.checkpoint_holds_writes && self.checkpointer.holds_writer();
        self.redo.hold_writes(by_sync || by_checkpoint, self.now);
        if self.config.redo.commit == CommitDurability::Write || !self.clients.log_buffer.is_empty() {
            self.watch_redo_written();
        }
    }

    /// Acknowledges all commits up to `lsn`.
    fn acknowledge(&mut self, lsn: u64) {
        let at = self.now + self.commit.wake_up;
        while let Some(&(wanted, client)) = self.commit.waiters.front() {
            if wanted > lsn {
                break;
            }
            self.commit.waiters.pop_front();
            self.commit.acknowledged_lsn = wanted;
            self.prepared(client, at);
        }
    }

    /// Lets `event` happen when redo is durable up to `lsn`, and asks for that.
    pub(super) fn when_durable(&mut self, lsn: u64, event: Event) {
        self.redo_requested();
        self.commit.durable_waiters.push((lsn, event));
        self.want_durable(lsn);
    }

    /// Asks for durable redo up to `lsn`.
    pub(super) fn want_durable(&mut self, lsn: u64) {
        self.commit.wanted_lsn = self.commit.wanted_lsn.max(lsn);
        self.redo.advance_writer(self.now);
        self.start_sync_if_wanted();
    }

    /// The checkpoint moved, or the writer's limits did.
    pub(super) fn publish_limits(&mut self) {
        let limits = self.model.writer_limits();
        let checkpoint = crate::redo::lsn::block_start(self.checkpointer.last_lsn());
        self.redo.set_writer_limit(checkpoint + limits.hard_bytes, self.now);
        self.watch_redo_files();
        self.commit.soft_limit_lsn = checkpoint + limits.soft_bytes;
        self.watch_writer_margin();
        self.clients.free_check_limit_lsn = self.model.free_check_limit_lsn();
        if !self.clients.log_buffer.is_empty() || self.sync_wanted() {
            self.watch_redo_written();
        }
        self.wake_record_waiters();
    }

    /// Tells the model when the writer enters or leaves its extra margin; a writer that stands at its limit asks for a
    /// checkpoint.
    pub(super) fn watch_writer_margin(&mut self) {
        let inside = self.redo.current_lsn() > self.commit.soft_limit_lsn;
        if inside != self.commit.in_extra_margin {
            self.commit.in_extra_margin = inside;
            self.ask(|model, view| model.writer_in_extra_margin(view, inside));
            if !(inside && self.expect_governor()) {
                self.clients.free_check_limit_lsn = self.model.free_check_limit_lsn();
            }
            if inside {
                self.wake_checkpointer();
            }
        }
        if inside && self.redo.writer_blocked() {
            self.wake_checkpointer();
        }
    }
}
