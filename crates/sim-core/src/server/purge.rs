//! Purge: what committed transactions left behind is removed in the background.
//!
//! Not in the specifications beyond settings and defaults; the sequence is known of the servers' sources and
//! documentation. The purge coordinator takes the oldest undo logs of the history list, up to `innodb_purge_batch_size`
//! undo log pages, reads those pages, and gives the records to `innodb_purge_threads` threads, itself among them
//! ([`crate::server::purge::threads`]). When all are done the next batch begins. Before each batch the delay of statements is
//! set from the length of the history list ([`crate::config::DmlDelay`]). After so many calls the purged part of the
//! history is cut off and its undo pages are free; until then it counts. 5.5 and 5.6 leave some of it
//! ([`crate::server::purge::rollback_segments`]).
//!
//! From 5.6 on a coordinator with nothing left waits for 10 ms, or until the history is longer than threads x batch
//! size: from then on each commit wakes it. Both calls of such a wake-up count, the one that purges and the one that
//! finds nothing more. The thread of 5.5 is woken each time that the history has grown to a multiple of its batch. It calls
//! until a call finds nothing, then looks whether to rest: if it has found something since the last look, it calls again. The
//! coordinator of MariaDB is woken by the master task once a second (half a second out of step with the series here; in a
//! server: any phase) and goes on until nothing is left. `SHOW ENGINE INNODB STATUS` wakes that of MariaDB too
//! (measured: `docs/fidelity.md`). In 5.5 without a purge thread the master thread does all this, at the end of its
//! rounds.
//!
//! Each call of 5.5 cuts, which takes time: it walks over all that is purged and still there. A transaction that commits between
//! the beginning of a call and the moment at which the walk comes to its rollback segment lets the logs before it go. So
//! how long the history is hangs on how many commit during the calls: with more transactions a second it is shorter, in
//! the servers (`docs/fidelity.md`) as here ([`crate::config::PurgeTimes`]).
//!
//! MariaDB frees an undo segment at the cut after which none of its logs is left, and the next transaction of that
//! rollback segment makes a new one. With few transactions between two purges that is most of them, and a fifth of the
//! redo.
//!
//! Simplification: from 5.6 on a small rest is left to the next wait instead of being purged in calls of one or two
//! undo logs each (errs towards a history longer by some 10 ms of commits).

pub(super) mod history;
pub(super) mod rollback_segments;
pub(super) mod threads;
pub(super) mod undo;
pub(super) mod undo_truncation;

use crate::config::{HistoryCut, PurgeConfig, PurgeShares, PurgeWake, ReadView, UndoSegments};
use crate::kernel::time::{SimDuration, SimTime};
use crate::redo::RedoLog;
use crate::run_spec::RunSpec;
use crate::server::engine::Engine;
use crate::server::machine::Machine;
use crate::server::machine::events::Event;
use crate::server::machine::owners::Signal;
use crate::server::purge::history::{History, Taken, Visit};
use crate::server::purge::threads::Thread;
use crate::server::purge::undo::UndoSpaces;
use crate::server::purge::undo_truncation::Truncation;
use crate::workload::program::TransactionKind;

/// Longest wait of an idle coordinator once something is to be purged.
const IDLE_WAIT: SimDuration = SimDuration::from_millis(10);
/// A history list that no commit makes longer.
const NEVER: u64 = u64::MAX;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Idle,
    /// The coordinator reads undo pages.
    Fetching,
    /// So many threads are at work.
    Working(u32),
    /// The history is being cut off; half of the walk over it is to come.
    Cutting,
    /// It is cut off, and the walk goes on.
    Cut,
    /// An undo tablespace is being truncated.
    Truncating,
}

/// State of purge.
#[derive(Debug, Clone)]
pub(super) struct Purge {
    config: PurgeConfig,
    history: History,
    undo: UndoSpaces,
    truncation: Option<Truncation>,
    read_views: Vec<ReadView>,
    /// How often somebody looks at the engine's status.
    status_every: Option<SimDuration>,
    /// Open read views: their numbers, and how many undo logs had been committed when they were opened.
    open_views: Vec<(u32, u64)>,
    state: State,
    threads: Vec<Thread>,
    shares: Vec<Vec<Visit>>,
    batch: Taken,
    threads_used: usize,
    last_history: u64,
    last_activity: u64,
    /// Calls since the history was cut off last.
    calls: u64,
    /// Whether the call under way is one more, that cuts.
    cutting: bool,
    /// Whether a call has found something since the thread looked whether to rest.
    found: bool,
    /// Number of the current timer; older timers are stale.
    timer: u32,
    armed: bool,
    /// History at which a commit wakes the coordinator, and the history when it became idle.
    wake_at: u64,
    idle_history: u64,
    /// Whether the master thread waits for it.
    for_master: bool,
    /// How long each changed row waits because purge lags.
    pub(super) dml_delay: SimDuration,
    /// Until when nobody gets a rollback segment.
    pub(super) undo_locked_until: SimTime,
}

/// What a committed transaction has left, besides its undo log.
#[derive(Debug)]
pub(super) struct HistoryLeft {
    /// Number of its undo log, and how many undo pages it begins.
    log: u64,
    pages: u32,
    /// The undo segment that it has made.
    new_segment: Option<UndoSegments>,
    wakes_coordinator: bool,
}

impl Purge {
    pub(super) fn new(spec: &RunSpec, config: PurgeConfig, undo: UndoSpaces) -> Self {
        let threads = config.threads.max(1) as usize;
        let mut purge = Purge {
            config,
            history: History::new(config.cut),
            undo,
            truncation: None,
            read_views: spec.read_views.clone(),
            status_every: spec.engine_status_every,
            open_views: Vec::new(),
            state: State::Idle,
            threads: vec![Thread::default(); threads],
            shares: vec![Vec::new(); threads],
            batch: Taken::default(),
            threads_used: threads,
            last_history: 0,
            last_activity: 0,
            calls: 0,
            cutting: false,
            found: false,
            timer: 0,
            armed: false,
            wake_at: NEVER,
            idle_history: 0,
            for_master: false,
            dml_delay: SimDuration::ZERO,
            undo_locked_until: SimTime::ZERO,
        };
        purge.become_idle();
        purge
    }

    pub(super) fn history_len(&self) -> u64 {
        self.history.len()
    }

    pub(super) fn undo_pages(&self) -> u64 {
        self.undo.pages()
    }

    /// History up to which an idle coordinator is not woken by commits.
    fn patience(&self) -> u64 {
        u64::from(self.config.threads) * u64::from(self.config.batch_pages)
    }

    /// Number of the last undo log that may be purged.
    fn limit(&self) -> u64 {
        self.open_views.iter().map(|&(_, committed)| committed).min().unwrap_or(self.history.committed)
    }

    fn left(&self) -> u64 {
        self.limit().saturating_sub(self.history.taken)
    }

    /// Threads for the next batch: one more while the history grows, one less once nothing happens.
    fn choose_threads(&mut self, history: u64, activity: u64) {
        let lag = self.config.delay.max_lag;
        if history > self.last_history || (lag > 0 && self.last_history > lag) {
            self.threads_used = (self.threads_used + 1).min(self.threads.len());
        } else if activity == self.last_activity && self.threads_used > 1 {
            self.threads_used -= 1;
        }
        (self.last_history, self.last_activity) = (history, activity);
    }

    fn shares_now(&self, history: u64) -> PurgeShares {
        let lag = self.config.delay.max_lag;
        match self.config.shares {
            PurgeShares::ByTableUnlessLagging if lag > 0 && history > lag => PurgeShares::InTurn,
            shares => shares,
        }
    }

    /// The coordinator has nothing to do.
    fn become_idle(&mut self) {
        let history = self.history.len();
        (self.state, self.armed, self.idle_history) = (State::Idle, false, history);
        self.wake_at = match self.config.wake {
            _ if self.config.threads == 0 => NEVER,
            PurgeWake::LongHistory => 0,
            PurgeWake::Multiple(of) => (history + 1).next_multiple_of(u64::from(of.max(1))),
            PurgeWake::Timer(_) => NEVER,
        };
    }

    /// Whether the next batch begins without waiting.
    fn goes_on(&mut self) -> bool {
        match self.config.wake {
            PurgeWake::LongHistory => self.left() >= u64::from(self.config.batch_pages),
            PurgeWake::Timer(_) => self.left() > 0,
            PurgeWake::Multiple(of) if self.batch.logs == 0 && !self.for_master => {
                std::mem::take(&mut self.found) && self.history.len() >= u64::from(of)
            }
            PurgeWake::Multiple(_) => {
                self.found = self.batch.logs > 0;
                self.found
            }
        }
    }

    /// The undo log of a transaction of this kind joins the history list; its touches are told by their pages and numbers.
    #[inline]
    pub(super) fn add_history<'a>(
        &mut self,
        kind: &TransactionKind,
        touches: impl Iterator<Item = (&'a [u32], u32)>,
    ) -> Option<HistoryLeft> {
        let bytes = kind.history_bytes;
        if bytes == 0 {
            return None;
        }
        let (committed, cut_off) = (self.history.committed, self.history.cut_off);
        let new_segment = self.config.undo_segments.filter(|segments| segments.next_is_new(committed, cut_off));
        if kind.visited_by_purge {
            let visits = touches.map(|(pages, touch)| (pages, kind.touches[touch as usize].purge_visit));
            let visits = visits.filter(|&(_, what)| what > 0);
            let visits = visits.flat_map(|(pages, what)| pages.iter().map(move |&page| Visit { page, what }));
            self.history.add(bytes, visits);
        } else {
            self.history.add(bytes, std::iter::empty());
        }
        let log = self.history.committed;
        let pages = self.undo.write(bytes, log);
        Some(HistoryLeft { log, pages, new_segment, wakes_coordinator: self.history.len() >= self.wake_at })
    }

    /// Whether the call that cuts is still to be made.
    fn makes_one_more_call(&mut self) -> bool {
        let own = matches!(self.config.cut, HistoryCut::BySegment { with_one_more_call: true, .. });
        self.cutting = own && !self.cutting;
        self.cutting
    }
}

impl Purge {
    /// An event of purge.
    pub(super) fn handle(&mut self, event: Event, engine: &mut Engine) {
        match event {
            Event::PurgeTimer(number) => self.purge_timer(number, engine),
            Event::PurgeThread(thread) => self.purge_thread(thread, engine),
            Event::UndoTruncation => self.truncate_undo_tablespace(engine),
            Event::ReadViewOpened(view) => self.read_view_opened(view),
            Event::ReadViewClosed(view) => self.read_view_closed(view, &mut engine.base.machine),
            Event::EngineStatus => self.engine_status_asked(engine),
            _ => debug_assert!(false, "{event:?} is not of purge"),
        }
    }

    /// Schedules the read views and the timer.
    pub(super) fn begin_purge(&mut self, machine: &mut Machine) {
        for (number, view) in (0..).zip(&self.read_views) {
            machine.calendar.schedule(view.from, Event::ReadViewOpened(number));
            machine.calendar.schedule(view.until, Event::ReadViewClosed(number));
        }
        if let PurgeWake::Timer(every) = self.config.wake {
            self.wake_purge_at(machine.now + SimDuration(every.0 / 2), machine);
            if let Some(asked) = self.status_every {
                machine.calendar.schedule(machine.now + SimDuration(asked.0 / 4), Event::EngineStatus);
            }
        }
    }

    pub(super) fn read_view_opened(&mut self, number: u32) {
        self.open_views.push((number, self.history.committed));
    }

    pub(super) fn read_view_closed(&mut self, number: u32, machine: &mut Machine) {
        self.open_views.retain(|(open, _)| *open != number);
        let waits = self.state == State::Idle && self.config.wake == PurgeWake::LongHistory;
        if waits && self.left() > 0 {
            self.wake_purge_at(machine.now, machine);
        }
    }

    /// A transaction has committed and its undo log is in the history list: what follows from that.
    #[inline]
    pub(super) fn history_was_left(&mut self, left: HistoryLeft, machine: &mut Machine) {
        if left.wakes_coordinator {
            self.commit_wakes_purge(machine);
        }
        if let Some(segments) = left.new_segment {
            machine.redo.append_record(RedoLog::fixed(f64::from(segments.redo_bytes)), machine.now);
        }
        if left.pages > 0 {
            self.begin_undo_pages(left.log, left.pages, machine);
        }
    }

    /// Somebody looks at the engine's status, which starts a purge where a timer does; it says what the oldest modification is.
    pub(super) fn engine_status_asked(&mut self, engine: &mut Engine) {
        engine.base.machine.pool.dirty.prune_written();
        if let Some(every) = self.status_every {
            engine.base.machine.calendar.schedule(engine.base.machine.now + every, Event::EngineStatus);
        }
        self.coordinator_wakes(engine);
    }

    /// The coordinator is idle: it looks in 10 ms, or at once if the history is long.
    fn commit_wakes_purge(&mut self, machine: &mut Machine) {
        if self.config.wake != PurgeWake::LongHistory {
            self.wake_at = NEVER;
            return self.wake_purge_at(machine.now, machine);
        }
        let until_cut = (u64::from(self.config.truncate_every).saturating_sub(self.calls) / 2).max(1);
        let wake_at = self.idle_history.max(self.patience()) + until_cut;
        if self.history.len() >= wake_at {
            self.wake_at = NEVER;
            return self.wake_purge_at(machine.now, machine);
        }
        self.wake_at = wake_at;
        if !self.armed {
            self.wake_purge_at(machine.now + IDLE_WAIT, machine);
        }
    }

    fn wake_purge_at(&mut self, at: SimTime, machine: &mut Machine) {
        self.timer = self.timer.wrapping_add(1);
        self.armed = true;
        machine.calendar.schedule(at, Event::PurgeTimer(self.timer));
    }

    pub(super) fn purge_timer(&mut self, number: u32, engine: &mut Engine) {
        if number != self.timer {
            return;
        }
        if let PurgeWake::Timer(every) = self.config.wake {
            self.wake_purge_at(engine.base.machine.now + every, &mut engine.base.machine);
        }
        self.coordinator_wakes(engine);
    }

    /// The coordinator is woken: it begins a batch if it is idle.
    fn coordinator_wakes(&mut self, engine: &mut Engine) {
        if self.state != State::Idle {
            return;
        }
        let woken = match self.config.wake {
            PurgeWake::LongHistory => self.history.len().saturating_sub(self.patience().max(self.idle_history)),
            PurgeWake::Multiple(_) | PurgeWake::Timer(_) => 1,
        };
        self.calls += 2 * woken.max(1);
        self.start_purge_batch(engine);
    }

    /// The master thread purges until nothing is left ([`Signal::PurgeDone`]); false if there is nothing to do.
    #[must_use]
    pub(super) fn purge_by_master(&mut self, engine: &mut Engine) -> bool {
        if self.state != State::Idle {
            return false;
        }
        self.for_master = true;
        self.calls += 2;
        self.start_purge_batch(engine);
        true
    }

    /// Takes batch after batch until one takes time.
    fn start_purge_batch(&mut self, engine: &mut Engine) {
        while self.begin_batch(engine) {}
    }

    /// Begins a batch; true if it is over at once and another begins.
    fn begin_batch(&mut self, engine: &mut Engine) -> bool {
        let activity = engine.base.machine.activity.count();
        let history = self.history.len();
        self.dml_delay = self.config.delay.at(history);
        self.choose_threads(history, activity);
        (self.state, self.wake_at) = (State::Fetching, NEVER);
        let (limit, shares) = (self.limit(), self.shares_now(history));
        let threads = &mut self.shares[..self.threads_used];
        let table_of = |page| engine.base.machine.space.space_of(page);
        self.batch = self.history.take(self.config.batch_pages, limit, shares, threads, table_of);
        let missing = self.undo.pages_of(self.history.taken);
        let missing = missing.filter(|&page| !engine.base.machine.pool.pages.is_resident(page));
        self.threads[0].take_up(missing.map(|page| Visit { page, what: 0 }));
        let demand = self.config.times.call(self.batch.logs, engine.base.machine.processors.spec().purge_change);
        if demand == SimDuration::ZERO {
            return self.end_batch(engine);
        }
        engine.base.machine.cpu().compute(demand, SimDuration::ZERO, Event::PurgeThread(0));
        false
    }

    /// All threads are done: the history may be cut off, then the next batch begins if there is enough for one.
    pub(super) fn purge_batch_over(&mut self, engine: &mut Engine) {
        if self.end_batch(engine) {
            self.start_purge_batch(engine);
        }
    }

    /// A batch is over; true if another begins now.
    fn end_batch(&mut self, engine: &mut Engine) -> bool {
        engine.base.machine.recorder.counts.purged_undo_pages += self.batch.pages;
        let every = u64::from(self.config.truncate_every.max(1));
        if self.calls >= every {
            if self.makes_one_more_call() {
                return true;
            }
            self.calls %= every;
            return self.walk_to_cut(State::Cutting, engine);
        }
        self.next_batch(engine)
    }

    /// The history is walked over to cut off what may go: what the middle of the walk finds is taken for the whole, half of
    /// the walk before it and half after it. True if that takes no time and another batch begins.
    fn walk_to_cut(&mut self, state: State, engine: &mut Engine) -> bool {
        self.state = state;
        let walked = (self.history.taken - self.history.cut_off).div_ceil(2);
        let demand = self.config.times.cut(walked, engine.base.machine.processors.spec().purge_change);
        if demand == SimDuration::ZERO {
            return self.end_half_of_walk(engine);
        }
        engine.base.machine.cpu().compute(demand, SimDuration::ZERO, Event::PurgeThread(0));
        false
    }

    /// A half of the walk is over.
    pub(super) fn purge_cuts(&mut self, engine: &mut Engine) {
        if self.end_half_of_walk(engine) {
            self.start_purge_batch(engine);
        }
    }

    /// The same; true if another batch begins now.
    fn end_half_of_walk(&mut self, engine: &mut Engine) -> bool {
        if self.state == State::Cutting {
            let purged = self.history.taken;
            self.history.cut_off_purged();
            self.undo.free_up_to(purged);
            return self.walk_to_cut(State::Cut, engine);
        }
        let purged = self.history.taken;
        if let Some(space) = self.undo.full_space(self.history.committed, purged) {
            self.state = State::Truncating;
            self.truncation = Some(Truncation::new(space));
            self.truncate_undo_tablespace(engine);
            return false;
        }
        self.next_batch(engine)
    }

    /// The next batch, or rest.
    pub(super) fn next_purge_batch(&mut self, engine: &mut Engine) {
        if self.next_batch(engine) {
            self.start_purge_batch(engine);
        }
    }

    /// Whether another batch begins; if not, the coordinator rests.
    fn next_batch(&mut self, engine: &mut Engine) -> bool {
        if self.goes_on() {
            self.calls += 1;
            return true;
        }
        let left = self.left();
        self.become_idle();
        if std::mem::take(&mut self.for_master) {
            engine.base.machine.signal = Some(Signal::PurgeDone);
            return false;
        }
        let waits = self.config.wake == PurgeWake::LongHistory;
        if waits && (left > 0 || self.dml_delay > SimDuration::ZERO) {
            self.commit_wakes_purge(&mut engine.base.machine);
        }
        false
    }
}
