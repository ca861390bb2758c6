//! The master thread of 5.6 and 5.7 as far as it makes checkpoints (`innodb-5.6` and `innodb-5.7`, section 3.2).
//!
//! It sleeps a full second, then works. Seen active, it takes a checkpoint in seconds that are multiples of 7; seen
//! idle, in each pass. As its work comes on top of the second, it can miss such a second and then comes 7 seconds
//! later.
//!
//! Simplifications: its own look at the redo margins, purge, change buffer merges and dictionary eviction are left out
//! (errs towards slightly more flushing by user threads and fewer missed checkpoints); it writes redo as often as the
//! machine's flusher does.

use innosim_core::kernel::time::SimDuration;
use innosim_core::seam::{CheckpointerAction, CheckpointerInput, CheckpointerNext, View};

/// Sleep before each pass.
const SLEEP: SimDuration = SimDuration::from_secs(1);
/// Seconds between checkpoints of an active server.
const CHECKPOINT_SECONDS: u64 = 7;

/// What the master thread remembers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MasterThread {
    /// Activity counter at the last active pass.
    last_activity: u64,
}

impl MasterThread {
    /// Whether the pass that begins at second `now_s` takes a checkpoint, with the activity counter at `activity`.
    pub fn pass_takes_checkpoint(&mut self, now_s: u64, activity: u64) -> bool {
        let active = activity != self.last_activity;
        self.last_activity = activity;
        !active || now_s.is_multiple_of(CHECKPOINT_SECONDS)
    }

    /// Its next step.
    pub fn next(&mut self, view: &View<'_>, input: CheckpointerInput) -> CheckpointerAction {
        let passes = !matches!(input, CheckpointerInput::Start | CheckpointerInput::Written);
        let next = if passes && self.pass_takes_checkpoint(view.now.whole_seconds(), view.activity) {
            CheckpointerNext::WriteOldest
        } else {
            CheckpointerNext::Wait { timeout: SLEEP, on_cleaner_tick: false }
        };
        CheckpointerAction { wake_cleaner: false, next }
    }
}
