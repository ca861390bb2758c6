//! The coordinator of the page cleaner, pass by pass (`innodb-5.7` section 3.4).
//!
//! A pass waits for the flush event or the end of its second, or doesn't wait, and takes one of five branches. A pass
//! that does not look at the event resets it all the same: that is how a sync request can be put off for as long as
//! passes overrun.

pub use crate::coordinator::{Branch, LOOP_PERIOD, Top, WaitResult};

use crate::legacy::io::loop_sleep_us;
use innosim_core::kernel::time::{SimDuration, SimTime};

/// What the coordinator remembers between passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CoordinatorLoop {
    /// When the present second of the loop ends.
    pub next_loop_time: SimTime,
    /// Pages that the previous pass flushed.
    pub n_flushed: u64,
}

impl CoordinatorLoop {
    /// The loop of a server that starts at `now`.
    pub fn new(now: SimTime) -> Self {
        CoordinatorLoop { next_loop_time: now + LOOP_PERIOD, n_flushed: 0 }
    }

    /// The top of a pass: whether and how long to wait.
    pub fn top(&self, now: SimTime, activity: bool, pending_reads: bool) -> Top {
        if activity || pending_reads || self.n_flushed == 0 {
            match loop_sleep_us(now.whole_millis(), self.next_loop_time.whole_millis()) {
                0 => Top::GoOn(WaitResult::Timeout),
                sleep => Top::WaitUntil(now + SimDuration::from_micros(sleep)),
            }
        } else if now > self.next_loop_time {
            Top::GoOn(WaitResult::Timeout)
        } else {
            Top::GoOn(WaitResult::Event)
        }
    }

    /// After the wait: begins the next second if it timed out, and chooses the branch. `sync_requested` is whether a
    /// sync flush is allowed and asked for.
    pub fn after_wait(&mut self, now: SimTime, result: WaitResult, sync_requested: bool, activity: bool) -> Branch {
        if result == WaitResult::Timeout {
            self.next_loop_time = now + LOOP_PERIOD;
        }
        match (result, activity) {
            (WaitResult::Event, _) if sync_requested => Branch::Sync,
            (WaitResult::Event, true) => Branch::LruOnly,
            (WaitResult::Timeout, true) => Branch::Adaptive,
            (WaitResult::Timeout, false) => Branch::Idle,
            (WaitResult::Event, false) => Branch::Nothing,
        }
    }
}
