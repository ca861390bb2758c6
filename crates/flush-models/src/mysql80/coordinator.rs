//! The page cleaner's coordinator, pass by pass (spec 8.0.21, section 4.2; 8.0.30, section 4.1).
//!
//! A pass waits (or not), looks whether a sync flush is wanted, and takes one of five branches. What the passes
//! remember from each other is [`CoordinatorState`]; its two steps are pure and checked against vectors. What each
//! branch asks of the machine is decided in `mysql80`.

pub use crate::coordinator::{Branch, LOOP_PERIOD, Top, WaitResult};

use innosim_core::kernel::time::SimTime;

/// What the coordinator remembers between passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CoordinatorState {
    /// When the present second of the loop ends.
    pub next_loop_time: SimTime,
    /// Whether there was activity in the second before.
    pub was_server_active: bool,
    /// Pages that the previous pass flushed.
    pub n_flushed: u64,
    /// Whether the previous pass was a sync one.
    pub is_sync_flush: bool,
}

impl CoordinatorState {
    /// State of a server that starts at `now`.
    pub fn new(now: SimTime) -> Self {
        CoordinatorState {
            next_loop_time: now + LOOP_PERIOD,
            was_server_active: true,
            n_flushed: 0,
            is_sync_flush: false,
        }
    }

    /// Whether the server counts as active in a pass that sees `activity`.
    pub fn is_active(&self, activity: bool) -> bool {
        self.was_server_active || activity
    }

    /// The top of a pass: whether and how long to wait.
    pub fn top(&self, now: SimTime, active: bool, pending_reads: bool) -> Top {
        if (active || pending_reads || self.n_flushed == 0) && !self.is_sync_flush {
            if self.next_loop_time > now {
                return Top::WaitUntil(self.next_loop_time.min(now + LOOP_PERIOD));
            }
            return Top::GoOn(WaitResult::Timeout);
        }
        Top::GoOn(if now > self.next_loop_time { WaitResult::Timeout } else { WaitResult::Event })
    }

    /// After the wait: begins the next second if this one is over; `true` if so, and the caller then remembers the
    /// activity counter.
    pub fn after_wait(&mut self, now: SimTime, result: WaitResult, activity: bool) -> bool {
        let timed_out = result == WaitResult::Timeout;
        if timed_out {
            self.next_loop_time = now + LOOP_PERIOD;
            self.was_server_active = activity;
        }
        timed_out
    }

    /// The branch of this pass. `active` is what the top of the pass saw, `sync` whether a sync flush is wanted.
    pub fn branch(&mut self, active: bool, result: WaitResult, sync: bool, idle_flush_pct: u64) -> Branch {
        self.is_sync_flush = sync;
        match (sync, active, result) {
            (true, _, _) => Branch::Sync,
            (false, true, WaitResult::Timeout) => Branch::Adaptive,
            (false, true, WaitResult::Event) => Branch::LruOnly,
            (false, false, WaitResult::Timeout) if idle_flush_pct > 0 => Branch::Idle,
            _ => Branch::Nothing,
        }
    }
}

/// Whether a coordinator of 8.0.18 to 8.0.22 flushes synchronously, up to `buf_flush_sync_lsn`.
pub fn is_sync_flush_8021(flush_sync: bool, buf_flush_sync_lsn: u64, last_checkpoint_lsn: u64, order_lag: u64) -> bool {
    flush_sync && buf_flush_sync_lsn > last_checkpoint_lsn + order_lag
}

/// The limit of a sync flush of 8.0.23 and later: 3 seconds of redo beyond the sync target (0: none); `None` if there
/// is nothing to flush synchronously. `lsn_avg_rate` in bytes a second.
pub fn sync_limit_8030(
    flush_sync: bool,
    log_sync_flush_lsn: u64,
    lsn_avg_rate: u64,
    redo_enabled: bool,
) -> Option<u64> {
    let reach = if redo_enabled { 3 * lsn_avg_rate } else { 0 };
    (flush_sync && log_sync_flush_lsn != 0).then_some(log_sync_flush_lsn + reach)
}
