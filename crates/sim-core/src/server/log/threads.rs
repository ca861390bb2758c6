//! The log writer and the log flusher of 8.0 and later between two commits: they write and sync whatever redo there is.
//!
//! Source: `redo-threads` sections 1 to 3. A transaction's redo reaches the log in some 15 mini-transactions, spread over its
//! time. While the two threads spin, each finished mini-transaction is worth a write of its own, and the flusher syncs what
//! is written, asked or not, one sync after the other. They spin as long as the server uses `innodb_log_spin_cpu_abs_lwm` of
//! CPU time or more, and somebody asks for redo more than once a millisecond. Otherwise they sleep: a request wakes the
//! writer, which wakes the flusher, each a thread switch later; without one the writer looks again after a timeout. Near one
//! request a millisecond both states hold themselves, since commits that wait longer form larger groups, which ask less often.
//!
//! The pages and the redo of a transaction are appended together, as it ends ([`crate::server::clients::touches`]). Its mini-transactions
//! before that are a Poisson process at the rate of the last [`WINDOW`], which decides when the flusher finds something; how
//! often the writer writes follows from that rate by a formula and costs no events.
//!
//! Calibrated on one recorded run, MySQL 9.7.0 with 64 clients and 32 GiB (`docs/series.md`): [`ALONE`], [`FULL_WRITES`] and
//! [`WRITE`]. Simplifications: spinning counts for the rule above, but keeps no processor from others (errs towards higher
//! throughput on few processors); a thread that finds nothing for the time of its spin, which takes a pause of all clients, goes
//! to sleep only where the rule says so (errs towards fewer sleeps); where commits wait for writes or for nothing the flusher
//! syncs once a period, and only the writes are counted here.

use crate::config::{CommitDurability, LogThreadsConfig, RedoIo};
use crate::kernel::random::Rng;
use crate::kernel::time::{SimDuration, SimTime};
use crate::metrics::SecondSample;
use crate::redo::lsn::BLOCK_BYTES;
use crate::server::log::Log;
use crate::server::machine::Machine;
use crate::server::machine::events::Event;

/// Over this time the rate of mini-transactions is taken.
const WINDOW: SimDuration = SimDuration::from_millis(20);
/// Over this time the server takes its own CPU time.
const CPU_WINDOW: SimDuration = SimDuration::from_millis(100);
/// One write of the log writer.
const WRITE: SimDuration = SimDuration(5_500);
/// Share of mini-transactions that do not end right behind another one of the same statement.
const ALONE: f64 = 0.77;
/// Writes of whole blocks for each block of redo.
pub(in crate::server) const FULL_WRITES: f64 = 0.89;
/// From setting an event to the thread that slept on it running again.
const WAKE_UP: SimDuration = SimDuration::from_micros(50);
/// What a sleep takes beyond its timeout.
const TIMER_SLACK: SimDuration = SimDuration::from_micros(55);
/// Requests at longer intervals than this let the threads sleep, and no sleep is longer.
const LONGEST_INTERVAL_US: u64 = 1_000;
/// The interval after a while without requests, and that while.
const IDLE_INTERVAL_US: u64 = 100_000;
/// Weight of the past in the mean interval, against 1 for what is new.
const PAST: u64 = 63;
/// A writer that never sleeps looks at the requests after this many writes.
const WRITES_BETWEEN_LOOKS: f64 = 1_024.0;
/// Most writes of a writer that was woken once.
const MOST_PICKUPS: f64 = 100.0;
/// Processors that writer and flusher keep busy while they spin.
const SPINNING_PROCESSORS: f64 = 1.3;

/// Counts of the second in progress.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    mini_transactions: u64,
    full_writes: f64,
    partial_writes: f64,
    writer_waits: u64,
    /// How long they have spun in it, s.
    spun_s: f64,
}

/// State of the two threads.
#[derive(Debug, Clone)]
pub(super) struct LogThreads {
    config: LogThreadsConfig,
    rng: Rng,
    /// Whether they spin.
    spin: bool,
    /// `log_write_to_file_requests_interval`, us.
    interval_us: u64,
    requests: u64,
    looked: SimTime,
    /// When the last mini-transactions ended.
    last_ended: SimTime,
    /// Mini-transactions of the window in progress, when that began, and the rate of the last, a second.
    in_window: u64,
    window_began: SimTime,
    rate: f64,
    /// CPU time of the server up to then, ns, and the processors that it used until then.
    cpu_until: SimTime,
    cpu_ns: f64,
    processors: f64,
    /// When somebody asked for redo that no sync since has been begun for.
    requested: Option<SimTime>,
    /// When the flusher begins, of what is scheduled, and the number of that event.
    begins_at: Option<SimTime>,
    number: u32,
    sync_began: SimTime,
    /// Whether a woken writer goes on while the flusher syncs, so that a second sync follows.
    goes_on: bool,
    counts: Counts,
}

/// A writer that spins.
#[derive(Debug, Clone, Copy)]
pub(in crate::server) struct BusyWriter {
    /// Writes a second, without those of whole blocks.
    pub(in crate::server) writes_per_s: f64,
    /// Processors that the server keeps busy.
    pub(in crate::server) processors: f64,
}

/// Writes by a writer that spins, for `mini_transactions` in `seconds`: each mini-transaction that it finds alone is one, and
/// while it is busy with one the next wait and go together.
fn pickups(mini_transactions: f64, seconds: f64) -> f64 {
    if seconds <= 0.0 {
        return 0.0;
    }
    let load = mini_transactions / seconds * WRITE.as_secs_f64();
    ALONE * mini_transactions / (load + libm::exp(-load))
}

/// The mean interval of requests after `requests` in `passed`.
fn next_interval(interval_us: u64, requests: u64, passed: SimDuration) -> u64 {
    let passed_us = passed.0 / 1_000;
    match requests {
        0 if passed_us < IDLE_INTERVAL_US => interval_us,
        0 | 1 if passed_us >= IDLE_INTERVAL_US => IDLE_INTERVAL_US,
        _ => (PAST * interval_us + passed_us / requests) / (PAST + 1),
    }
}

impl LogThreads {
    pub(in crate::server) fn new(config: LogThreadsConfig, rng: Rng) -> Self {
        LogThreads {
            config,
            rng,
            spin: false,
            interval_us: IDLE_INTERVAL_US,
            requests: 0,
            looked: SimTime::ZERO,
            last_ended: SimTime::ZERO,
            in_window: 0,
            window_began: SimTime::ZERO,
            rate: 0.0,
            cpu_until: SimTime::ZERO,
            cpu_ns: 0.0,
            processors: 0.0,
            requested: None,
            begins_at: None,
            number: 0,
            sync_began: SimTime::ZERO,
            goes_on: false,
            counts: Counts::default(),
        }
    }

    /// Writes a second of a writer that spins.
    fn writes_per_s(&self) -> f64 {
        pickups(self.rate, 1.0)
    }

    /// Mini-transactions end.
    pub(in crate::server) fn ended(&mut self, mini_transactions: u64, now: SimTime) {
        self.roll_window(now);
        self.in_window += mini_transactions;
        self.last_ended = now;
        self.counts.mini_transactions += mini_transactions;
    }

    /// Takes the rate of the window that is over, if it is.
    fn roll_window(&mut self, now: SimTime) {
        let passed = now.since(self.window_began);
        if passed >= WINDOW {
            self.rate = self.in_window as f64 / passed.as_secs_f64();
            self.close_window(now);
        }
    }

    /// Counts the writes of the window so far, and begins another.
    fn close_window(&mut self, now: SimTime) {
        let passed_s = now.since(self.window_began).as_secs_f64();
        if self.spin {
            self.counts.partial_writes += pickups(self.in_window as f64, passed_s);
            self.counts.spun_s += passed_s;
        }
        (self.in_window, self.window_began) = (0, now);
    }

    /// Mini-transactions a second that are worth a write.
    fn pieces_per_s(&mut self, now: SimTime) -> f64 {
        self.roll_window(now);
        ALONE * self.rate
    }

    /// Time until the next of them ends; `None` if nothing goes on.
    fn next_piece(&mut self, now: SimTime) -> Option<SimDuration> {
        let rate = self.pieces_per_s(now);
        (rate > 0.0).then(|| {
            let draw = 1.0 - self.rng.uniform_f64();
            SimDuration((-libm::log(draw) / rate * 1e9).min(1e18) as u64)
        })
    }

    /// Looks at the requests, as the writer does before it sleeps and now and then while it spins.
    fn look_at_requests(&mut self, now: SimTime) {
        let passed = now.since(self.looked);
        if self.requests == 0 && passed.0 / 1_000 < IDLE_INTERVAL_US {
            return;
        }
        self.interval_us = next_interval(self.interval_us, self.requests, passed);
        (self.requests, self.looked) = (0, now);
    }

    /// The longest sleep.
    fn timeout(&self) -> SimDuration {
        SimDuration(self.interval_us.min(LONGEST_INTERVAL_US) * 1_000) + TIMER_SLACK
    }

    /// A writer was woken, with so much redo since it was last: it writes until it finds nothing more.
    fn writer_woke(&mut self, redo_bytes: u64) {
        let load = self.rate * WRITE.as_secs_f64();
        let stops = libm::exp(-load);
        let mut pickups = 1.0;
        while pickups < MOST_PICKUPS && self.rng.uniform_f64() > stops {
            pickups += 1.0;
        }
        self.goes_on = pickups > 1.0;
        self.counts.writer_waits += 1;
        self.counts.partial_writes += pickups;
        self.counts.full_writes += (FULL_WRITES * redo_bytes as f64 / BLOCK_BYTES as f64).min(pickups);
    }

    /// Puts what the two threads did in the second that ends now into its row.
    pub(in crate::server) fn fill(&mut self, now: SimTime, row: &mut SecondSample) {
        self.close_window(now);
        let counts = std::mem::take(&mut self.counts);
        let full_blocks = FULL_WRITES * row.redo_generated_bytes as f64 / BLOCK_BYTES as f64;
        row.log_write_requests = counts.mini_transactions;
        row.log_full_block_writes = (counts.full_writes + full_blocks * counts.spun_s.min(1.0)) as u64;
        row.log_partial_block_writes = counts.partial_writes as u64;
        row.log_writer_waits = counts.writer_waits;
        row.log_requests_interval_us = self.interval_us;
        row.redo_written_bytes = row.log_partial_block_writes * BLOCK_BYTES + row.redo_generated_bytes;
    }
}

impl Log {
    /// Whether writer and flusher threads sync every commit's redo, or whatever else there is.
    fn log_threads_sync(&self, machine: &Machine) -> bool {
        let redo = &machine.config.redo;
        self.threads.is_some() && redo.commit == CommitDurability::Sync && redo.io == RedoIo::Buffered
    }

    /// Mini-transactions end.
    #[inline]
    pub(in crate::server) fn mini_transactions_end(&mut self, number: u64, machine: &mut Machine) {
        if let Some(threads) = &mut self.threads {
            threads.ended(number, machine.now);
        }
    }

    /// Somebody asks for redo on disk: a commit, a group of commits, a page write.
    pub(super) fn redo_requested(&mut self, machine: &mut Machine) {
        if let Some(threads) = &mut self.threads {
            threads.requests += 1;
            threads.requested.get_or_insert(machine.now);
        }
    }

    /// Takes the server's CPU time of the last while, and what follows for the two threads.
    fn decide_spinning(&mut self, machine: &mut Machine) {
        let now = machine.now;
        let Some(threads) = &mut self.threads else { return };
        let passed = now.since(threads.cpu_until);
        if passed >= CPU_WINDOW {
            let cpu_ns = machine.processors.busy_ns(now);
            let spinning = if threads.spin { SPINNING_PROCESSORS } else { 0.0 };
            threads.processors = (cpu_ns - threads.cpu_ns) / passed.0 as f64 + spinning;
            (threads.cpu_ns, threads.cpu_until) = (cpu_ns, now);
        }
        let busy = threads.processors * 100.0 >= threads.config.spin_cpu_abs_lwm as f64;
        let spin = busy && threads.interval_us < LONGEST_INTERVAL_US;
        if spin != threads.spin {
            threads.close_window(now);
            threads.spin = spin;
        }
    }

    /// The writer, if it keeps the mutex that a checkpoint's block is written under: it spins, and has not been without work for
    /// `spin`.
    pub(in crate::server) fn busy_writer(&mut self, spin: SimDuration, machine: &mut Machine) -> Option<BusyWriter> {
        self.decide_spinning(machine);
        let syncs = self.log_threads_sync(machine);
        let keeps = |threads: &&LogThreads| {
            let has_work = machine.now.since(threads.last_ended) < spin;
            threads.config.checkpoint_takes_writer_mutex && syncs && threads.spin && has_work
        };
        self.threads
            .as_ref()
            .filter(keeps)
            .map(|threads| BusyWriter { writes_per_s: threads.writes_per_s(), processors: threads.processors })
    }

    /// Whether the flusher may begin a sync of redo that is written; if not, it does so when it wakes.
    pub(super) fn flusher_is_awake(&mut self, machine: &mut Machine) -> bool {
        if !self.log_threads_sync(machine) {
            return true;
        }
        self.decide_spinning(machine);
        let now = machine.now;
        let was_asked = self.commit.somebody_waits(machine.redo.position().durable_lsn);
        let Some(threads) = &mut self.threads else { return true };
        // Who waits and has not asked since asked before the last sync, whose write had not ended then.
        if threads.spin || (was_asked && threads.requested.is_none()) {
            return true;
        }
        let asked = threads.requested.map(|at| at + WAKE_UP + WRITE + WAKE_UP);
        let timeout = threads.timeout();
        let at = asked.unwrap_or(now + timeout + WAKE_UP);
        if threads.begins_at.is_some_and(|begins| begins <= now) || at <= now {
            return true;
        }
        self.flusher_begins_at(at, machine);
        false
    }

    /// The flusher looks for something to sync at `at`, unless it does so sooner.
    fn flusher_begins_at(&mut self, at: SimTime, machine: &mut Machine) {
        let Some(threads) = &mut self.threads else { return };
        if threads.begins_at.is_none_or(|begins| at < begins) {
            threads.begins_at = Some(at);
            threads.number = threads.number.wrapping_add(1);
            machine.calendar.schedule(at, Event::FlusherLooks(threads.number));
        }
    }

    /// A sync of redo begins.
    pub(super) fn flusher_begins(&mut self, machine: &mut Machine) {
        let position = machine.redo.position();
        let Some(threads) = &mut self.threads else { return };
        if !threads.spin {
            threads.writer_woke(position.current_lsn - position.durable_lsn);
            threads.look_at_requests(machine.now);
        } else if now_and_then(threads, machine.now) {
            threads.look_at_requests(machine.now);
        }
        threads.begins_at = None;
        threads.number = threads.number.wrapping_add(1);
        threads.requested = None;
        threads.sync_began = machine.now;
    }

    /// A sync of redo is over and nothing that was appended waits for the next: the flusher finds what the writer has
    /// written of mini-transactions that ended meanwhile, or waits for the next one.
    pub(super) fn flusher_looks_on(&mut self, machine: &mut Machine) {
        if !self.log_threads_sync(machine) || machine.redo_sync_in_progress {
            return;
        }
        self.decide_spinning(machine);
        let now = machine.now;
        let Some(threads) = &mut self.threads else { return };
        if !threads.spin {
            if std::mem::take(&mut threads.goes_on) {
                return self.begin_sync(machine);
            }
            if threads.pieces_per_s(now) > 0.0 {
                let at = now + threads.timeout() + WAKE_UP;
                self.flusher_begins_at(at, machine);
            }
            return;
        }
        let since_it_began = now.since(threads.sync_began);
        match threads.next_piece(now) {
            Some(piece) if piece <= since_it_began => self.begin_sync(machine),
            Some(piece) => {
                let at = threads.sync_began + piece + WRITE;
                self.flusher_begins_at(at.max(now), machine);
            }
            None => {}
        }
    }

    /// The flusher looks.
    pub(super) fn flusher_looks(&mut self, number: u32, machine: &mut Machine) {
        let now = machine.now;
        let Some(threads) = self.threads.as_mut().filter(|threads| threads.number == number) else { return };
        threads.begins_at = None;
        let since = now.since(threads.sync_began);
        let found =
            threads.spin || threads.requested.is_some() || threads.next_piece(now).is_some_and(|piece| piece <= since);
        machine.redo.advance_writer(now);
        let position = machine.redo.position();
        if machine.redo_sync_in_progress {
            return;
        }
        if found || position.written_lsn > position.durable_lsn {
            self.begin_sync(machine);
        } else {
            self.flusher_looks_on(machine);
        }
    }
}

/// Whether a writer that spins has made so many writes that it looks at the requests.
fn now_and_then(threads: &LogThreads, now: SimTime) -> bool {
    now.since(threads.looked).as_secs_f64() * threads.writes_per_s() >= WRITES_BETWEEN_LOOKS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn threads() -> LogThreads {
        LogThreads::new(
            LogThreadsConfig { spin_cpu_abs_lwm: 80, checkpoint_takes_writer_mutex: true },
            Rng::from_key(7),
        )
    }

    #[test]
    fn writes_of_a_spinning_writer_are_those_recorded() {
        // Recorded of 9.7.0: (mini-transactions, writes of a part of a block) a second. The first is what was calibrated on.
        for (ended, recorded, most_off) in
            [(223_675.0, 113_345.0, 0.02), (108_742.0, 74_540.0, 0.08), (34_398.0, 28_397.0, 0.1)]
        {
            let error: f64 = pickups(ended, 1.0) / recorded - 1.0;
            assert!(error.abs() < most_off, "{ended}: {error}");
        }
        assert_eq!(pickups(5.0, 0.0), 0.0);
    }

    #[test]
    fn the_interval_of_requests_follows_slowly_and_rounds_down() {
        let ms = SimDuration::from_millis(1);
        assert_eq!(next_interval(1_000, 2, ms), (63_000 + 500) / 64);
        assert_eq!(next_interval(700, 0, ms), 700, "nobody asked");
        assert_eq!(
            next_interval(700, 1, SimDuration::from_millis(100)),
            IDLE_INTERVAL_US,
            "a writer that looked saw nobody"
        );
        // It settles up to 63 us below the true interval.
        let settled = (0..2_000).fold(5_000, |interval, _| next_interval(interval, 1, SimDuration::from_micros(544)));
        assert!((481..=544 + 63).contains(&settled), "{settled}");
    }

    #[test]
    fn pieces_come_at_the_rate_of_the_last_window_and_stop_with_it() {
        let mut threads = threads();
        assert!(threads.next_piece(SimTime::ZERO).is_none(), "nothing goes on");
        threads.ended(2_000, SimTime(1));
        let now = SimTime::ZERO + WINDOW;
        let mean = (0..20_000).map(|_| threads.next_piece(now).unwrap().as_secs_f64()).sum::<f64>() / 20_000.0;
        assert!((mean * ALONE * 100_000.0 - 1.0).abs() < 0.03, "{mean}");
        assert!(threads.next_piece(now + WINDOW).is_none(), "a window without any");
    }
}
