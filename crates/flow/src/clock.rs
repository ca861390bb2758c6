//! The clock: transactions and pages flow, and the version decides as it does over single pages.

use crate::closure::Closure;
use crate::cohorts::Cohorts;
use crate::lists::Lists;
use crate::refused::{FlowError, Refused};
use crate::state::{LATE_S, Middle, Mode, State};
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::metrics::SecondSample;
use innosim_core::seam::{
    CheckpointerInput, CheckpointerNext, CleanerAction, CleanerInput, FlushKind, FlushRequest, FreeCheck,
    FreeCheckWait, PassReport, ServerModel, View, WorkBefore,
};

use innosim_core::server::RunError;
use std::cell::Cell;

/// Longest step: between it and a tenth of it results hardly differ (0.1 % of the checkpoint age).
const STEP: SimDuration = SimDuration(500_000_000);
/// The same while the cleaner flushes without a pause, or user threads are about to stop.
const SHORT_STEP: SimDuration = SimDuration(50_000_000);
/// A pass that finds nothing.
const EMPTY_PASS: SimDuration = SimDuration(500_000);
/// Share of its second over which the pages of an adaptive pass are spread.
const SPREAD_S: f64 = 0.95;
/// From the decision to the published checkpoint.
const CHECKPOINT: SimDuration = SimDuration(3_000_000);
/// Until user threads look again that found the log full by a hair.
const SHORTEST_STOP: SimDuration = SimDuration(1_000_000);
/// Most seconds on end in which the redo log may be full without sync flushing by the cleaner: beyond, user threads wait for something
/// that is not simulated here.
const LONGEST_FULL_S: u32 = 10;

/// A second.
const SECOND: SimDuration = SimDuration(1_000_000_000);

/// What a second comes to, until it is over.
#[derive(Debug, Clone, Copy, Default)]
struct Amounts {
    transactions: f64,
    flushed: f64,
    sync_flushed: f64,
    stopped: bool,
}

/// What the page cleaner does.
#[derive(Debug)]
enum Cleaner {
    Sleeps { until: SimTime, wakes: bool, dirty: u64, lsn: u64 },
    Flushes(Pass),
}

#[derive(Debug)]
struct Pass {
    kind: FlushKind,
    pages: f64,
    left: f64,
    /// When it ends if it has nothing to do.
    ends: SimTime,
}

/// A run as a flow.
pub(crate) struct Flow<'a> {
    model: Box<dyn ServerModel>,
    instances: u32,
    cohorts: Cohorts,
    now: SimTime,
    end: SimTime,
    transactions: f64,
    checkpoint_lsn: f64,
    cleaner: Cleaner,
    flush_event: bool,
    checkpointer_at: SimTime,
    checkpointer_on_tick: bool,
    writes_checkpoint: Option<u64>,
    checkpointer_event: bool,
    stopped: Option<(SimTime, FreeCheckWait)>,
    closure: Closure<'a>,
    /// Transactions a second, of late.
    tps: f64,
    /// Pages a second for which throughput was last asked while the cleaner flushed: between its passes it is the same.
    rate: f64,
    page_writes: f64,
    second: Amounts,
    seconds: Vec<SecondSample>,
    /// Seconds on end in which the redo log was full and the cleaner did not flush without a pause.
    full_s: u32,
    refused: Option<Refused>,
}

/// Where a flow begins.
#[derive(Debug, Clone)]
pub(crate) struct Begin {
    pub(crate) cohorts: Cohorts,
    pub(crate) transactions: f64,
    pub(crate) checkpoint_lsn: f64,
    pub(crate) before: WorkBefore,
    /// Seconds that are over.
    pub(crate) seconds: Vec<SecondSample>,
}

/// What it comes to.
pub(crate) struct Ended<'a> {
    pub(crate) seconds: Vec<SecondSample>,
    pub(crate) closure: Closure<'a>,
    pub(crate) middle: Middle,
}

impl<'a> Flow<'a> {
    /// A server that goes on from here until `end`.
    pub(crate) fn new(mut model: Box<dyn ServerModel>, begin: Begin, end: SimTime, closure: Closure<'a>) -> Self {
        model.starts_after(begin.before);
        let now = SimTime(begin.seconds.len() as u64 * SECOND.0);
        Flow {
            instances: model.config().buffer_pool.instances,
            model,
            cohorts: begin.cohorts,
            now,
            end,
            transactions: begin.transactions,
            checkpoint_lsn: begin.checkpoint_lsn,
            cleaner: Cleaner::Sleeps { until: now, wakes: false, dirty: u64::MAX, lsn: u64::MAX },
            flush_event: false,
            checkpointer_at: now,
            checkpointer_on_tick: false,
            writes_checkpoint: None,
            checkpointer_event: false,
            stopped: None,
            closure,
            tps: 0.0,
            rate: 0.0,
            page_writes: 0.0,
            second: Amounts::default(),
            seconds: begin.seconds,
            full_s: 0,
            refused: None,
        }
    }

    /// Runs to the end, or until `is_enough` of its seconds says so; fails if `stop` does.
    pub(crate) fn run(
        mut self,
        stop: &dyn Fn() -> bool,
        is_enough: &mut dyn FnMut(&[SecondSample]) -> bool,
    ) -> Result<Ended<'a>, FlowError> {
        self.look()?;
        self.clean(CleanerInput::Start);
        self.check(CheckpointerInput::Start);
        while self.now < self.end {
            let seconds = self.seconds.len();
            self.step();
            if let Some(refused) = self.refused.take() {
                return Err(FlowError::Refused(refused));
            }
            if self.seconds.len() > seconds {
                if stop() {
                    return Err(RunError::Stopped { at: self.now }.into());
                }
                if is_enough(&self.seconds) {
                    break;
                }
                self.look()?;
            }
        }
        let (cohorts, transactions, checkpoint_lsn) = (&self.cohorts, self.transactions, self.checkpoint_lsn);
        let state = State { cohorts, transactions, checkpoint_lsn, before: self.before() };
        let middle = state.to_middle(self.closure.classes());
        Ok(Ended { seconds: self.seconds, closure: self.closure, middle })
    }

    /// Measures what is not known here.
    fn look(&mut self) -> Result<(), FlowError> {
        let (cohorts, transactions, checkpoint_lsn) = (&self.cohorts, self.transactions, self.checkpoint_lsn);
        let state = State { cohorts, transactions, checkpoint_lsn, before: self.before() };
        let last = self.seconds.last().cloned().unwrap_or_default();
        self.closure.look(&state, &last)
    }

    /// What went on of late.
    fn before(&self) -> WorkBefore {
        let late = &self.seconds[self.seconds.len().saturating_sub(LATE_S)..];
        let mean = |of: fn(&SecondSample) -> u64| late.iter().map(of).sum::<u64>() as f64 / late.len().max(1) as f64;
        WorkBefore {
            redo_bytes_per_s: (mean(|second| second.transactions) * self.closure.redo_bytes()) as u64,
            pages_flushed_per_s: mean(|second| second.pages_flushed) as u64,
            activity_unseen: false,
        }
    }

    fn ask<R>(&mut self, question: impl FnOnce(&mut dyn ServerModel, &View<'_>) -> R) -> R {
        let lists = Lists { cohorts: &self.cohorts, instances: self.instances, known: Cell::new((0, 0)) };
        let current = self.cohorts.lsn() as u64;
        let view = View {
            now: self.now,
            current_lsn: current,
            written_lsn: current,
            durable_lsn: current,
            last_checkpoint_lsn: self.checkpoint_lsn as u64,
            oldest_modification_lsn: if self.cohorts.total() >= 1.0 { self.cohorts.oldest() as u64 } else { 0 },
            dirty_pages: self.cohorts.total() as u64,
            lru_pages: self.model.config().buffer_pool.pages,
            activity: self.transactions as u64,
            page_writes: self.page_writes as u64,
            ..View::at_rest(&lists)
        };
        question(self.model.as_mut(), &view)
    }

    /// Time goes on by one step, and whoever is due goes on.
    fn step(&mut self) {
        let whole = SimTime((self.now.0 / SECOND.0 + 1) * SECOND.0);
        let mut until = whole.min(self.checkpointer_at);
        if let Some((at, _)) = self.stopped {
            until = until.min(at);
        }
        let busy = matches!(&self.cleaner, Cleaner::Flushes(pass) if pass.kind == FlushKind::Sync);
        let room = self.room_bytes();
        let near = room < self.tps * self.closure.redo_bytes() * 0.2;
        let longest = if busy || near || self.stopped.is_some() { SHORT_STEP } else { STEP };
        match &self.cleaner {
            Cleaner::Sleeps { until: at, .. } => until = until.min(*at),
            Cleaner::Flushes(pass) if pass.pages <= 0.0 => until = until.min(pass.ends),
            Cleaner::Flushes(_) => {}
        }
        let until = until.min(self.now + longest).max(self.now + SimDuration(1));
        self.flow_until(until);
        self.wake_by_work();
        if self.now == whole {
            self.end_second();
        }
        self.go_on();
    }

    fn flow_until(&mut self, until: SimTime) {
        let mut seconds = (until.0 - self.now.0) as f64 / 1e9;
        let density = self.cohorts.density(self.closure.redo_bytes());
        let mut flushed = 0.0;
        let mut rate = 0.0;
        let mut mode = Mode::Adaptive;
        if let Cleaner::Flushes(pass) = &mut self.cleaner
            && pass.left > 0.0
        {
            let sync = pass.kind == FlushKind::Sync;
            mode = if sync { Mode::Sync } else { Mode::Adaptive };
            let busy = self.closure.busy(mode, self.tps, density);
            let speed = if sync { busy } else { (pass.pages / SPREAD_S).min(busy) };
            if pass.left < speed * seconds {
                seconds = (pass.left / speed).max(1e-6);
            }
            flushed = (speed * seconds).min(pass.left);
            pass.left -= flushed;
            if pass.left < 0.5 {
                flushed += pass.left;
                pass.left = 0.0;
            }
            rate = if sync { speed } else { pass.pages.min(busy) };
        } else if let Cleaner::Flushes(pass) = &self.cleaner {
            mode = if pass.kind == FlushKind::Sync { Mode::Sync } else { Mode::Adaptive };
        } else {
            rate = self.rate;
        }
        self.now = SimTime(self.now.0 + (seconds * 1e9) as u64).min(until).max(self.now + SimDuration(1));
        let redo = self.closure.redo_bytes();
        let mut done = 0.0;
        if self.stopped.is_none() {
            self.rate = rate;
            done = self.closure.tps(mode, rate) * seconds;
            let room = (self.room_bytes() / redo).max(0.0);
            if done > room {
                done = room;
            }
        } else {
            self.second.stopped = true;
        }
        self.tps += (done / seconds - self.tps) * seconds.min(1.0);
        self.transactions += done;
        self.page_writes += flushed;
        self.second.transactions += done;
        self.cohorts.modify(done, redo);
        self.cohorts.flush(flushed);
        self.second.flushed += flushed;
        if mode == Mode::Sync {
            self.second.sync_flushed += flushed;
        }
        if self.stopped.is_none() && self.room_bytes() < redo {
            self.free_check(FreeCheckWait::default());
        }
    }

    /// Redo up to the LSN at which user threads look whether they may go on, bytes.
    fn room_bytes(&self) -> f64 {
        self.model.free_check_limit_lsn() as f64 - self.cohorts.lsn()
    }

    /// User threads set the flush event where the cleaner waits for work.
    fn wake_by_work(&mut self) {
        if let Cleaner::Sleeps { dirty, lsn, .. } = self.cleaner
            && (self.cohorts.total() >= dirty as f64 || self.cohorts.lsn() >= lsn as f64)
        {
            self.flush_event = true;
        }
    }

    fn go_on(&mut self) {
        match &self.cleaner {
            Cleaner::Sleeps { until, wakes, .. } => {
                if *wakes && self.flush_event {
                    self.flush_event = false;
                    self.clean(CleanerInput::Event);
                } else if self.now >= *until {
                    self.clean(CleanerInput::Timeout);
                }
            }
            Cleaner::Flushes(pass) if pass.left <= 0.0 && self.now >= pass.ends => {
                let report = PassReport { list_pages: pass.pages as u64, ..PassReport::default() };
                if self.checkpointer_on_tick && self.writes_checkpoint.is_none() {
                    self.check(CheckpointerInput::CleanerTick);
                }
                self.clean(CleanerInput::Done(report));
            }
            Cleaner::Flushes(_) => {}
        }
        if self.now >= self.checkpointer_at {
            match self.writes_checkpoint.take() {
                Some(lsn) => {
                    self.checkpoint_lsn = self.checkpoint_lsn.max(lsn as f64);
                    self.ask(|model, view| model.checkpoint_published(view));
                    self.check(CheckpointerInput::Written);
                }
                None if std::mem::take(&mut self.checkpointer_event) => self.check(CheckpointerInput::Event),
                None => self.check(CheckpointerInput::Timeout),
            }
        }
        if let Some((at, wait)) = self.stopped
            && self.now >= at
        {
            self.stopped = None;
            self.free_check(wait);
        }
    }

    fn clean(&mut self, mut input: CleanerInput) {
        loop {
            let action = self.ask(|model, view| model.cleaner(view, input));
            match action {
                CleanerAction::Wait { until, wake_on_event } => {
                    self.cleaner = Cleaner::Sleeps { until, wakes: wake_on_event, dirty: u64::MAX, lsn: u64::MAX };
                    return;
                }
                CleanerAction::WaitForWork { until, dirty_pages, lsn } => {
                    self.flush_event = false;
                    self.cleaner = Cleaner::Sleeps { until, wakes: true, dirty: dirty_pages, lsn };
                    return;
                }
                CleanerAction::Flush(request) => return self.begin_pass(&request),
                CleanerAction::WaitForBatches => input = CleanerInput::BatchesOver,
                CleanerAction::SyncRedo => input = CleanerInput::RedoSynced,
                CleanerAction::Purge | CleanerAction::MergeChanges { .. } | CleanerAction::Checkpoint { .. } => {
                    self.refused = Some(Refused::Cleaner);
                    return;
                }
            }
        }
    }

    fn begin_pass(&mut self, request: &FlushRequest) {
        if request.reset_event {
            self.flush_event = false;
        }
        let below = if request.lsn_limit == u64::MAX {
            self.cohorts.total()
        } else {
            self.cohorts.pages_up_to(request.lsn_limit as f64)
        };
        let each = below / f64::from(self.instances);
        let pages: f64 = request.slots.iter().map(|slot| (*slot as f64).min(each)).sum();
        let pages = if pages < 0.5 { 0.0 } else { pages };
        self.cleaner = Cleaner::Flushes(Pass { kind: request.kind, pages, left: pages, ends: self.now + EMPTY_PASS });
    }

    fn check(&mut self, input: CheckpointerInput) {
        let action = self.ask(|model, view| model.checkpointer(view, input));
        self.flush_event |= action.wake_cleaner;
        self.checkpointer_on_tick = false;
        match action.next {
            CheckpointerNext::Wait { timeout, on_cleaner_tick } => {
                self.checkpointer_on_tick = on_cleaner_tick;
                self.checkpointer_at = if self.checkpointer_event { self.now } else { self.now + timeout };
            }
            CheckpointerNext::Write { lsn } => {
                // The sync of the data files takes most of `CHECKPOINT`; the version counts from its end, or from what follows.
                self.ask(|model, view| model.checkpoint_data_synced(view));
                self.writes_checkpoint = Some(lsn);
                self.checkpointer_at = self.now + CHECKPOINT;
            }
            CheckpointerNext::WriteOldest => {
                self.writes_checkpoint = Some(self.cohorts.oldest() as u64);
                self.checkpointer_at = self.now + CHECKPOINT;
            }
        }
    }

    /// The first user thread that finds the log full; all others do as it does.
    fn free_check(&mut self, mut wait: FreeCheckWait) {
        let next = self.ask(|model, view| model.free_check(view, &mut wait));
        match next {
            // The limit is that of all threads, which the version may let pass by a hair.
            FreeCheck::Proceed if self.room_bytes() < self.closure.redo_bytes() => {
                self.stopped = Some((self.now + SHORTEST_STOP, FreeCheckWait::default()));
            }
            FreeCheck::Proceed => {}
            FreeCheck::Sleep { duration, wake_checkpointer } => {
                wait.sleeps += 1;
                if wake_checkpointer {
                    self.checkpointer_event = true;
                    if self.writes_checkpoint.is_none() {
                        self.checkpointer_at = self.now;
                    }
                }
                self.stopped = Some((self.now + duration, wait));
            }
            FreeCheck::WakeCleaner { sleep } => {
                self.flush_event = true;
                self.stopped = Some((self.now + sleep, wait));
            }
            FreeCheck::Flush(_)
            | FreeCheck::WaitForBatches
            | FreeCheck::WaitForCleaner
            | FreeCheck::Checkpoint { .. } => {
                self.refused = Some(Refused::UserThreads);
            }
        }
    }

    fn end_second(&mut self) {
        let current = self.cohorts.lsn();
        let Amounts { transactions, flushed, sync_flushed, stopped } = std::mem::take(&mut self.second);
        self.cohorts.split_indexes();
        self.seconds.push(SecondSample {
            second: self.seconds.len() as u64 + 1,
            transactions: transactions as u64,
            redo_generated_bytes: (transactions * self.closure.redo_bytes()) as u64,
            pages_flushed: flushed as u64,
            adaptive_pages: (flushed - sync_flushed) as u64,
            sync_pages: sync_flushed as u64,
            sync_flushing: sync_flushed > 0.0,
            checkpoint_age_bytes: (current - self.checkpoint_lsn) as u64,
            oldest_page_age_bytes: (current - self.cohorts.oldest()) as u64,
            dirty_pages: self.cohorts.total() as u64,
            free_check_waits: u64::from(stopped),
            ..SecondSample::default()
        });
        self.full_s = if stopped && sync_flushed == 0.0 { self.full_s + 1 } else { 0 };
        if self.full_s > LONGEST_FULL_S {
            self.refused = Some(Refused::UserThreads);
        }
    }
}
