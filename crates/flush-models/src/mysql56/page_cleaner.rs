//! The loop of the page cleaner thread: whether it sleeps, and what it does then (`innodb-5.6` section 3.3).

use crate::coordinator::LOOP_PERIOD;
use crate::legacy::io::loop_sleep_us;
use innosim_core::kernel::time::{SimDuration, SimTime};

/// What the loop remembers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageCleanerLoop {
    /// When the next turn shall begin.
    pub next_loop_time: SimTime,
    /// Pages that the last turn flushed.
    pub n_flushed: u64,
}

/// What a turn does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Branch {
    /// LRU tails of all instances, then adaptive flushing.
    Active,
    /// `PCT_IO(100)` pages of the flush lists.
    Idle,
}

impl PageCleanerLoop {
    /// The loop of a server that starts at `now`.
    pub fn new(now: SimTime) -> Self {
        PageCleanerLoop { next_loop_time: now + LOOP_PERIOD, n_flushed: 0 }
    }

    /// Sleep before the next turn. Without activity and with pages flushed by the last turn there is none.
    pub fn sleep(&self, now: SimTime, activity: bool, pending_reads: bool) -> SimDuration {
        if activity || pending_reads || self.n_flushed == 0 {
            SimDuration::from_micros(loop_sleep_us(now.whole_millis(), self.next_loop_time.whole_millis()))
        } else {
            SimDuration(0)
        }
    }

    /// After the sleep: what this turn does.
    pub fn begin_turn(&mut self, now: SimTime, activity: bool) -> Branch {
        self.next_loop_time = now + LOOP_PERIOD;
        if activity { Branch::Active } else { Branch::Idle }
    }
}
