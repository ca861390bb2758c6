//! Words of the page cleaner's coordinator that MySQL 5.7 and 8.0 share: how a wait ends, what a pass does. The rules
//! that choose are each version's own.

use innosim_core::kernel::time::{SimDuration, SimTime};

/// Length of the cleaner's loop.
pub const LOOP_PERIOD: SimDuration = SimDuration::from_secs(1);

/// Pause of a thread that would spin: short against a page write, long against a pass.
pub const SPIN_PAUSE: SimDuration = SimDuration::from_millis(1);

/// How the wait at the top of a pass ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitResult {
    /// By time: the once-a-second pass.
    Timeout,
    /// Early, or there was no wait.
    Event,
}

/// What the top of a pass decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Top {
    /// Wait for the flush event, at most until then.
    WaitUntil(SimTime),
    /// Go on at once as if the wait had ended so.
    GoOn(WaitResult),
}

/// What a pass does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Branch {
    /// Sync flushing: what a limit of the redo log calls for.
    Sync,
    /// A recommendation and its request.
    Adaptive,
    /// A request of 0 pages: LRU batches only.
    LruOnly,
    /// A share of `innodb_io_capacity`, by the coordinator alone, instance after instance.
    Idle,
    /// Nothing.
    Nothing,
}
