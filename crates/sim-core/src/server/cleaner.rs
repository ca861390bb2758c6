//! The page cleaner's coordinator: its sleep, its event, and the steps that the version asks for.
//!
//! Source: `innodb-8.0.21` section 4.1; the same actor is the page cleaner thread of 5.6 and MariaDB and the master
//! thread of 5.5. What to do is the version's ([`crate::seam::ServerModel::cleaner`]); here it is done: a flush becomes
//! a pass (see [`crate::server::flush::passes`]).

use crate::kernel::time::SimTime;
use crate::metrics::SlowLoop;
use crate::seam::{CleanerAction, CleanerInput, FlushKind, PassReport};
use crate::server::engine::Engine;
use crate::server::machine::Machine;
use crate::server::machine::events::Event;
use crate::server::machine::owners::Requester;
use crate::server::machine::wake_ups::{NO_WORK, Thread};
use crate::server::purge::Purge;

/// A loop that takes this long ends 3 s later than it should: servers write a line about it.
const SLOW_NS: u64 = 4_000_000_000;

/// State of the coordinator.
#[derive(Debug, Clone, Default)]
pub(super) struct Cleaner {
    waiting: bool,
    /// Why the flushing rule gave up, which ends the run.
    pub(super) failure: Option<String>,
    /// When the loop began that is under way, if it flushes, and what it did.
    loop_began: Option<SimTime>,
    loop_did: PassReport,
    /// Loops that took too long.
    pub(super) slow_loops: Vec<SlowLoop>,
}

impl Cleaner {
    /// The coordinator goes to sleep: its loop is over.
    fn end_loop(&mut self, now: SimTime) {
        let Some(began) = self.loop_began.take() else { return };
        let did = std::mem::take(&mut self.loop_did);
        let took = now.0 - began.0;
        if took >= SLOW_NS {
            let seconds = |nanos: u64| nanos as f64 / 1e9;
            let flushed = did.list_pages + did.lru_pages;
            self.slow_loops.push(SlowLoop {
                at_s: seconds(now.0),
                seconds: seconds(took),
                flushed,
                evicted: did.evicted_pages,
            });
        }
    }

    /// A pass begins, and with the first one the loop; what servers remark on is not sync flushing.
    fn begin_pass(&mut self, now: SimTime, kind: FlushKind) {
        if kind == FlushKind::Sync {
            self.loop_began = None;
        } else if self.loop_began.is_none() {
            self.loop_began = Some(now);
            self.loop_did = PassReport::default();
        }
    }

    /// A pass is over.
    fn count_pass(&mut self, report: &PassReport) {
        self.loop_did.list_pages += report.list_pages;
        self.loop_did.lru_pages += report.lru_pages;
        self.loop_did.evicted_pages += report.evicted_pages;
    }
}

impl Cleaner {
    pub(super) fn start_cleaner(&mut self, purge: &mut Option<Purge>, engine: &mut Engine) {
        self.coordinator(CleanerInput::Start, purge, engine);
    }

    /// Whether the page cleaner is in a sync pass.
    pub(super) fn in_sync_pass(&self, engine: &Engine) -> bool {
        engine.flush.cleaner_request().is_some_and(|request| request.kind == FlushKind::Sync)
    }

    pub(super) fn cleaner_timer(&mut self, number: u32, purge: &mut Option<Purge>, engine: &mut Engine) {
        let event = &mut engine.base.machine.cleaner_event;
        if number != event.timer || !self.waiting {
            return;
        }
        self.waiting = false;
        let by_event = std::mem::take(&mut event.is_waited_for) && std::mem::take(&mut event.is_set);
        self.coordinator(if by_event { CleanerInput::Event } else { CleanerInput::Timeout }, purge, engine);
    }

    fn sleep_cleaner(&mut self, until: SimTime, wake_on_event: bool, work_at: (u64, u64), machine: &mut Machine) {
        self.waiting = true;
        machine.cleaner_event.is_waited_for = wake_on_event;
        machine.cleaner_works_at = work_at;
        if wake_on_event && !machine.cleaner_event.is_set {
            machine.set_flush_event_if_due();
        }
        let by_event = wake_on_event && machine.cleaner_event.is_set;
        let at = if by_event { machine.now } else { until.max(machine.now) };
        machine.arm_timer(Thread::PageCleaner, at);
    }

    /// Asks the version for the coordinator's next step and takes it.
    pub(super) fn coordinator(&mut self, input: CleanerInput, purge: &mut Option<Purge>, engine: &mut Engine) {
        // A checkpoint has looked already, as it began.
        if input != CleanerInput::CheckpointTaken {
            engine.base.machine.pool.dirty.prune_written();
        }
        if let CleanerInput::Done(report) = &input {
            self.count_pass(report);
        }
        let action = engine.base.machine.ask(|model, view| model.cleaner(view, input));
        self.failure = engine.base.machine.model.failure().map(str::to_owned);
        let now = engine.base.machine.now;
        match &action {
            CleanerAction::Wait { .. } | CleanerAction::WaitForWork { .. } => self.end_loop(now),
            CleanerAction::Flush(request) => self.begin_pass(now, request.kind),
            _ => {}
        }
        match action {
            CleanerAction::Wait { until, wake_on_event } => {
                self.sleep_cleaner(until, wake_on_event, NO_WORK, &mut engine.base.machine)
            }
            CleanerAction::WaitForWork { until, dirty_pages, lsn } => {
                // A condition variable: who signals while nobody waits is not heard.
                engine.base.machine.cleaner_event.reset();
                self.sleep_cleaner(until, true, (dirty_pages, lsn), &mut engine.base.machine);
            }
            CleanerAction::Flush(request) => {
                engine.flush.start_pass(Requester::PageCleaner, request, &mut engine.base.machine)
            }
            CleanerAction::WaitForBatches => {
                engine.flush.wait_for_batches(Requester::PageCleaner, &mut engine.base.machine)
            }
            CleanerAction::Purge => {
                if !purge.as_mut().is_some_and(|purge| purge.purge_by_master(engine)) {
                    self.coordinator(CleanerInput::Purged, purge, engine);
                }
            }
            CleanerAction::MergeChanges { pages, wait } => {
                let Engine { base, changes, .. } = &mut *engine;
                let buffer = changes.as_mut();
                let merged = buffer.map_or(Some(0), |buffer| buffer.merge_by_cleaner(pages, wait, &mut base.machine));
                if let Some(pages) = merged {
                    self.coordinator(CleanerInput::Merging { pages }, purge, engine);
                }
            }
            CleanerAction::Checkpoint { wait } => {
                engine.checkpointer.request_checkpoint(Requester::PageCleaner, wait, &mut engine.base)
            }
            CleanerAction::SyncRedo => self.sync_redo_by_cleaner(purge, engine),
        }
    }

    /// Makes all redo reserved so far durable for the coordinator, which goes on then.
    fn sync_redo_by_cleaner(&mut self, purge: &mut Option<Purge>, engine: &mut Engine) {
        let current = engine.base.machine.redo.current_lsn();
        if current > engine.base.machine.redo.position().durable_lsn {
            engine.base.log.when_durable(current, Event::CleanerRedoDurable, &mut engine.base.machine);
        } else {
            self.coordinator(CleanerInput::RedoSynced, purge, engine);
        }
    }
}
