//! The log writer's threads of 8.0 and later that spin (`innodb_log_writer_threads = ON`).
//!
//! Source: `innodb-8.0.21` sections 3.1 and 3.2, and measurement. While nothing is to be written or synced, the writer
//! and the flusher sleep for some ten microseconds at a time. If the server takes more user time than
//! `innodb_log_spin_cpu_abs_lwm` and the redo log is asked for more than once a millisecond, they spin instead, and
//! take their shares of processors that others could use: with 16 clients on two processors 8.0.31 does 2950
//! transactions a second of `oltp_update_non_index` so, and 5160 without these threads. User time is looked at once a
//! second, the threads' own included; so they go on when they have begun, until the load falls.
//!
//! Simplifications: only where processors are shared; elsewhere there are enough of them, and nobody is held up. User
//! time is taken as a share of the transactions' CPU time ([`SERVER_USER_PERCENT`]). A thread that spins goes to the
//! processor with the fewest threads after each redo sync (errs towards less hold-up). The writer spins while it writes
//! too. Threads of users that spin in short waits and the notifiers' take no time.

use super::Server;
use super::events::Event;
use crate::config::{CommitDurability, RedoPipeline};
use crate::kernel::time::SimDuration;
use crate::run_spec::SERVER_USER_PERCENT;

/// Redo must be asked for so many times a second.
const FREQUENT: u64 = 1_000;
/// From one look at the user time to the next.
const PERIOD: SimDuration = SimDuration::from_secs(1);

/// The writer and the flusher.
#[derive(Debug, Default)]
pub(super) struct LogThreads {
    spin: bool,
    /// The processors on which they spin now.
    writer: Option<usize>,
    flusher: Option<usize>,
    /// CPU time of transactions, ns.
    pub(super) transactions_cpu: u64,
    /// That of the last look, transactions until then, and what the threads had got by spinning.
    last_cpu: u64,
    last_activity: u64,
    last_spun: SimDuration,
}

impl Server {
    pub(super) fn start_log_threads(&mut self) {
        let dedicated = self.config.redo.pipeline == RedoPipeline::DedicatedThreads;
        if dedicated && self.processors.are_shared() {
            self.calendar.schedule(self.now + PERIOD, Event::LogThreads);
        }
    }

    /// The server looks at its user time of the last second.
    pub(super) fn log_threads_look(&mut self) {
        let spun = self.processors.spun(self.now);
        let activity = self.clients.activity();
        let threads = &mut self.log_threads;
        let user_ns = (threads.transactions_cpu - threads.last_cpu) / 100 * SERVER_USER_PERCENT
            + (spun.0 - threads.last_spun.0);
        let frequent = activity - threads.last_activity >= FREQUENT;
        (threads.last_cpu, threads.last_activity, threads.last_spun) = (threads.transactions_cpu, activity, spun);
        let above = u128::from(user_ns) * 100 / u128::from(PERIOD.0) >= self.threads_spin_above();
        self.log_threads.spin = above && frequent;
        self.log_threads_spin();
        self.calendar.schedule(self.now + PERIOD, Event::LogThreads);
    }

    fn threads_spin_above(&self) -> u128 {
        u128::from(self.config.redo.threads_spin_above_percent)
    }

    /// Whether the log writer's threads spin.
    pub(super) fn log_threads_are_spinning(&self) -> bool {
        self.log_threads.spin
    }

    /// A sync begins or ends, or the threads begin or stop to spin: the writer spins all the time, the flusher between
    /// two syncs.
    pub(super) fn log_threads_spin(&mut self) {
        let LogThreads { spin, writer, flusher, .. } = &mut self.log_threads;
        if !*spin && writer.is_none() && flusher.is_none() {
            return;
        }
        for processor in [writer.take(), flusher.take()].into_iter().flatten() {
            self.processors.end_spinning(self.now, processor);
        }
        let syncs = self.config.redo.commit == CommitDurability::Sync;
        if *spin {
            *writer = self.processors.begin_to_spin(self.now);
        }
        if *spin && syncs && !self.commit.sync_in_progress() {
            *flusher = self.processors.begin_to_spin(self.now);
        }
        self.watch_processors();
    }
}
