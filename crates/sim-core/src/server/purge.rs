//! Purge: what committed transactions left behind is removed in the background.
//!
//! Not in the specifications beyond settings and defaults; the sequence is known of the servers' sources and
//! documentation. The purge coordinator takes the oldest undo logs of the history list, up to `innodb_purge_batch_size`
//! undo log pages, reads those pages, and gives the records to `innodb_purge_threads` threads, itself among them
//! ([`super::purge_threads`]). When all are done the next batch begins. Before each batch the delay of statements is
//! set from the length of the history list ([`crate::config::DmlDelay`]). After so many calls the purged part of the
//! history is cut off and its undo pages are free; until then it counts. 5.5 and 5.6 leave some of it
//! ([`super::rollback_segments`]).
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

use super::Server;
use super::events::Event;
use super::history::{History, Taken, Visit};
use super::machine::Machine;
use super::purge_threads::Thread;
use super::undo::UndoSpaces;
use super::undo_truncation::Truncation;
use crate::config::{HistoryCut, PurgeConfig, PurgeShares, PurgeWake, ReadView, UndoSegments};
use crate::kernel::time::{SimDuration, SimTime};
use crate::redo::RedoLog;
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
    pub(super) config: PurgeConfig,
    pub(super) history: History,
    pub(super) undo: UndoSpaces,
    pub(super) truncation: Option<Truncation>,
    read_views: Vec<ReadView>,
    /// Open read views: their numbers, and how many undo logs had been committed when they were opened.
    open_views: Vec<(u32, u64)>,
    pub(super) state: State,
    pub(super) threads: Vec<Thread>,
    pub(super) shares: Vec<Vec<Visit>>,
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
    /// Whether the master thread waits for it; then, whether it is through.
    for_master: bool,
    pub(super) done_for_master: bool,
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
    pub(super) fn new(config: PurgeConfig, read_views: &[ReadView], undo: UndoSpaces) -> Self {
        let threads = config.threads.max(1) as usize;
        let mut purge = Purge {
            config,
            history: History::new(config.cut),
            undo,
            truncation: None,
            read_views: read_views.to_vec(),
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
            done_for_master: false,
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

impl Server {
    /// Schedules the read views and the timer.
    pub(super) fn begin_purge(&mut self) {
        let Some(purge) = &self.purge else { return };
        for (number, view) in (0..).zip(&purge.read_views) {
            self.machine.calendar.schedule(view.from, Event::ReadViewOpened(number));
            self.machine.calendar.schedule(view.until, Event::ReadViewClosed(number));
        }
        if let PurgeWake::Timer(every) = purge.config.wake {
            self.wake_purge_at(self.machine.now + SimDuration(every.0 / 2));
            if let Some(asked) = self.engine_status_every {
                self.machine.calendar.schedule(self.machine.now + SimDuration(asked.0 / 4), Event::EngineStatus);
            }
        }
    }

    pub(super) fn read_view_opened(&mut self, number: u32) {
        let Some(purge) = &mut self.purge else { return };
        purge.open_views.push((number, purge.history.committed));
    }

    pub(super) fn read_view_closed(&mut self, number: u32) {
        let Some(purge) = &mut self.purge else { return };
        purge.open_views.retain(|(open, _)| *open != number);
        let waits = purge.state == State::Idle && purge.config.wake == PurgeWake::LongHistory;
        if waits && purge.left() > 0 {
            self.wake_purge_at(self.machine.now);
        }
    }

    /// A transaction has committed and its undo log is in the history list: what follows from that.
    #[inline]
    pub(super) fn history_was_left(&mut self, left: HistoryLeft) {
        if left.wakes_coordinator {
            self.commit_wakes_purge();
        }
        if let Some(segments) = left.new_segment {
            self.machine.redo.append_record(RedoLog::fixed(f64::from(segments.redo_bytes)), self.machine.now);
        }
        if left.pages > 0 {
            self.begin_undo_pages(left.log, left.pages);
        }
    }

    /// Somebody looks at the engine's status, which starts a purge where a timer does; it says what the oldest modification is.
    pub(super) fn engine_status_asked(&mut self) {
        self.machine.pool.prune_written_from_flush_list();
        if let Some(every) = self.engine_status_every {
            self.machine.calendar.schedule(self.machine.now + every, Event::EngineStatus);
        }
        self.coordinator_wakes();
    }

    /// The coordinator is idle: it looks in 10 ms, or at once if the history is long.
    fn commit_wakes_purge(&mut self) {
        let Some(purge) = &mut self.purge else { return };
        if purge.config.wake != PurgeWake::LongHistory {
            purge.wake_at = NEVER;
            return self.wake_purge_at(self.machine.now);
        }
        let until_cut = (u64::from(purge.config.truncate_every).saturating_sub(purge.calls) / 2).max(1);
        let wake_at = purge.idle_history.max(purge.patience()) + until_cut;
        if purge.history.len() >= wake_at {
            purge.wake_at = NEVER;
            return self.wake_purge_at(self.machine.now);
        }
        purge.wake_at = wake_at;
        if !purge.armed {
            self.wake_purge_at(self.machine.now + IDLE_WAIT);
        }
    }

    fn wake_purge_at(&mut self, at: SimTime) {
        let Some(purge) = &mut self.purge else { return };
        purge.timer = purge.timer.wrapping_add(1);
        purge.armed = true;
        self.machine.calendar.schedule(at, Event::PurgeTimer(purge.timer));
    }

    pub(super) fn purge_timer(&mut self, number: u32) {
        let Some(purge) = &mut self.purge else { return };
        if number != purge.timer {
            return;
        }
        if let PurgeWake::Timer(every) = purge.config.wake {
            self.wake_purge_at(self.machine.now + every);
        }
        self.coordinator_wakes();
    }

    /// The coordinator is woken: it begins a batch if it is idle.
    fn coordinator_wakes(&mut self) {
        let Some(purge) = &mut self.purge else { return };
        if purge.state != State::Idle {
            return;
        }
        let woken = match purge.config.wake {
            PurgeWake::LongHistory => purge.history.len().saturating_sub(purge.patience().max(purge.idle_history)),
            PurgeWake::Multiple(_) | PurgeWake::Timer(_) => 1,
        };
        purge.calls += 2 * woken.max(1);
        self.start_purge_batch();
    }

    /// The master thread purges until nothing is left ([`Purge::done_for_master`]); false if there is nothing to do.
    #[must_use]
    pub(super) fn purge_by_master(&mut self) -> bool {
        let Some(purge) = self.purge.as_mut().filter(|purge| purge.state == State::Idle) else { return false };
        purge.for_master = true;
        purge.calls += 2;
        self.start_purge_batch();
        true
    }

    fn start_purge_batch(&mut self) {
        let activity = self.machine.activity();
        let Server { purge: Some(purge), machine: Machine { pool, space, .. }, .. } = self else { return };
        let history = purge.history.len();
        purge.dml_delay = purge.config.delay.at(history);
        purge.choose_threads(history, activity);
        (purge.state, purge.wake_at) = (State::Fetching, NEVER);
        let (limit, shares) = (purge.limit(), purge.shares_now(history));
        let threads = &mut purge.shares[..purge.threads_used];
        purge.batch = purge.history.take(purge.config.batch_pages, limit, shares, threads, |page| space.space_of(page));
        let missing = purge.undo.pages_of(purge.history.taken).filter(|&page| !pool.is_resident(page));
        purge.threads[0].take_up(missing.map(|page| Visit { page, what: 0 }));
        let demand = purge.config.times.call(purge.batch.logs, self.machine.processors.spec().purge_change);
        if demand == SimDuration::ZERO {
            return self.purge_batch_over();
        }
        self.machine.compute(demand, SimDuration::ZERO, Event::PurgeThread(0));
    }

    /// All threads are done: the history may be cut off, then the next batch begins if there is enough for one.
    pub(super) fn purge_batch_over(&mut self) {
        let Some(purge) = &mut self.purge else { return };
        self.machine.recorder.counts.purged_undo_pages += purge.batch.pages;
        let every = u64::from(purge.config.truncate_every.max(1));
        if purge.calls >= every {
            if purge.makes_one_more_call() {
                return self.start_purge_batch();
            }
            purge.calls %= every;
            return self.walk_to_cut(State::Cutting);
        }
        self.next_purge_batch();
    }

    /// The history is walked over to cut off what may go: what the middle of the walk finds is taken for the whole, half of
    /// the walk before it and half after it.
    fn walk_to_cut(&mut self, state: State) {
        let Some(purge) = &mut self.purge else { return };
        purge.state = state;
        let walked = (purge.history.taken - purge.history.cut_off).div_ceil(2);
        let demand = purge.config.times.cut(walked, self.machine.processors.spec().purge_change);
        if demand == SimDuration::ZERO {
            return self.purge_cuts();
        }
        self.machine.compute(demand, SimDuration::ZERO, Event::PurgeThread(0));
    }

    /// A half of the walk is over.
    pub(super) fn purge_cuts(&mut self) {
        let Some(purge) = &mut self.purge else { return };
        if purge.state == State::Cutting {
            let purged = purge.history.taken;
            purge.history.cut_off_purged();
            purge.undo.free_up_to(purged);
            return self.walk_to_cut(State::Cut);
        }
        let purged = purge.history.taken;
        if let Some(space) = purge.undo.full_space(purge.history.committed, purged) {
            purge.state = State::Truncating;
            purge.truncation = Some(Truncation::new(space));
            return self.truncate_undo_tablespace();
        }
        self.next_purge_batch();
    }

    /// The next batch, or rest.
    pub(super) fn next_purge_batch(&mut self) {
        let Some(purge) = &mut self.purge else { return };
        if purge.goes_on() {
            purge.calls += 1;
            return self.start_purge_batch();
        }
        let left = purge.left();
        purge.become_idle();
        if std::mem::take(&mut purge.for_master) {
            purge.done_for_master = true;
            return;
        }
        let waits = purge.config.wake == PurgeWake::LongHistory;
        if waits && (left > 0 || purge.dml_delay > SimDuration::ZERO) {
            self.commit_wakes_purge();
        }
    }
}
