//! The page cleaner's coordinator: its sleep, its event, and the steps that the version asks for.
//!
//! Source: `innodb-8.0.21` section 4.1; the same actor is the page cleaner thread of 5.6 and MariaDB and the master
//! thread of 5.5. What to do is the version's ([`crate::seam::ServerModel::cleaner`]); here it is done: a flush becomes
//! a pass (see [`super::passes`]).

use super::Server;
use super::events::Event;
use super::passes::Actor;
use crate::kernel::time::SimTime;
use crate::seam::{CleanerAction, CleanerInput, FlushKind};

/// Limits that are never reached.
const NO_WORK: (u64, u64) = (u64::MAX, u64::MAX);

/// State of the coordinator.
#[derive(Debug, Clone)]
pub(super) struct Cleaner {
    /// Number of the current timer; older timers are stale.
    timer: u32,
    waiting: bool,
    wake_on_event: bool,
    event_set: bool,
    /// Dirty pages and current LSN at which user threads set the flush event.
    work_at: (u64, u64),
    /// Why the flushing rule gave up, which ends the run.
    pub(super) failure: Option<String>,
    /// How those go on that wait for the end of a pass or a checkpoint.
    pub(super) watchers: Vec<Event>,
}

impl Cleaner {
    pub(super) fn new() -> Self {
        Cleaner {
            timer: 0,
            waiting: false,
            wake_on_event: false,
            event_set: false,
            work_at: NO_WORK,
            failure: None,
            watchers: Vec::new(),
        }
    }
}

impl Cleaner {
    /// Clients that wait for the end of a pass or a checkpoint.
    pub(super) fn watching_clients(&self) -> usize {
        self.watchers.iter().filter(|event| matches!(event, Event::ClientResumes(_))).count()
    }
}

impl Server {
    pub(super) fn start_cleaner(&mut self) {
        self.coordinator(CleanerInput::Start);
    }

    /// Whether the page cleaner is in a sync pass.
    pub(super) fn in_sync_pass(&self) -> bool {
        self.passes.of_cleaner().is_some_and(|request| request.kind == FlushKind::Sync)
    }

    /// Sets the flush event.
    pub(super) fn set_flush_event(&mut self) {
        if self.cleaner.waiting && self.cleaner.wake_on_event && !self.cleaner.event_set {
            self.arm_cleaner_timer(self.machine.now);
        }
        self.cleaner.event_set = true;
        self.cleaner.work_at = NO_WORK;
    }

    /// Redo was appended and pages became dirty: sets the flush event if the page cleaner waits for that.
    #[inline]
    pub(super) fn look_for_work(&mut self) {
        let (pages, lsn) = self.cleaner.work_at;
        if self.machine.pool.dirty_pages() >= pages || self.machine.redo.current_lsn() >= lsn {
            self.set_flush_event();
        }
    }

    /// Forgets a flush event.
    pub(super) fn reset_flush_event(&mut self) {
        self.cleaner.event_set = false;
    }

    fn arm_cleaner_timer(&mut self, at: SimTime) {
        self.cleaner.timer = self.cleaner.timer.wrapping_add(1);
        if at < SimTime::NEVER {
            self.machine.calendar.schedule(at, Event::CleanerTimer(self.cleaner.timer));
        }
    }

    pub(super) fn cleaner_timer(&mut self, number: u32) {
        if number != self.cleaner.timer || !self.cleaner.waiting {
            return;
        }
        self.cleaner.waiting = false;
        let by_event = self.cleaner.wake_on_event && std::mem::take(&mut self.cleaner.event_set);
        self.coordinator(if by_event { CleanerInput::Event } else { CleanerInput::Timeout });
    }

    fn sleep_cleaner(&mut self, until: SimTime, wake_on_event: bool, work_at: (u64, u64)) {
        self.cleaner.waiting = true;
        self.cleaner.wake_on_event = wake_on_event;
        self.cleaner.work_at = work_at;
        if wake_on_event && !self.cleaner.event_set {
            self.look_for_work();
        }
        let at = if wake_on_event && self.cleaner.event_set { self.machine.now } else { until.max(self.machine.now) };
        self.arm_cleaner_timer(at);
    }

    /// Asks the version for the coordinator's next step and takes it.
    pub(super) fn coordinator(&mut self, input: CleanerInput) {
        // A checkpoint has looked already, as it began.
        if input != CleanerInput::CheckpointTaken {
            self.machine.pool.prune_written_from_flush_list();
        }
        let action = self.ask(|model, view| model.cleaner(view, input));
        self.cleaner.failure = self.machine.model.failure().map(str::to_owned);
        match action {
            CleanerAction::Wait { until, wake_on_event } => self.sleep_cleaner(until, wake_on_event, NO_WORK),
            CleanerAction::WaitForWork { until, dirty_pages, lsn } => {
                // A condition variable: who signals while nobody waits is not heard.
                self.reset_flush_event();
                self.sleep_cleaner(until, true, (dirty_pages, lsn));
            }
            CleanerAction::Flush(request) => self.start_pass(Actor::PageCleaner, request),
            CleanerAction::WaitForBatches => self.wait_for_batches(Actor::PageCleaner),
            CleanerAction::Purge => self.purge_by_master(),
            CleanerAction::MergeChanges { pages, wait } => self.merge_by_cleaner(pages, wait),
            CleanerAction::Checkpoint { wait } => self.request_checkpoint(Actor::PageCleaner, wait),
            CleanerAction::SyncRedo => self.sync_redo_by_cleaner(),
        }
    }

    /// Makes all redo reserved so far durable for the coordinator, which goes on then.
    fn sync_redo_by_cleaner(&mut self) {
        let current = self.machine.redo.current_lsn();
        if current > self.machine.redo.position().durable_lsn {
            self.when_durable(current, Event::CleanerRedoDurable);
        } else {
            self.coordinator(CleanerInput::RedoSynced);
        }
    }

    /// Lets those go on that wait for the page cleaner.
    pub(super) fn wake_watchers(&mut self) {
        for goes_on in std::mem::take(&mut self.cleaner.watchers) {
            self.machine.calendar.schedule(self.machine.now, goes_on);
        }
    }
}
