//! The flag `check_flush_or_checkpoint`: user threads that find it raised look at the margins (`innodb-5.6` and
//! `innodb-5.7`, sections 2.1 to 2.3).
//!
//! In a server every append on the slow path raises it, and the thread that acts on it first clears it, so that others
//! slip through until the next such append. Here it counts as raised again as soon as a redo block has been filled
//! since it was cleared and the ages call for it.
//!
//! Simplification: the ages are those of the look, not those of the last append (errs by what was flushed in between).

use super::log_margin::{LogLsns, log_close_flag};
use super::redo_geometry::LogAges;

/// Bytes of a redo block.
const BLOCK_BYTES: u64 = 512;

/// The flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CheckFlag {
    /// Block in which redo ended when the flag was last cleared.
    cleared_in_block: u64,
    /// Raised by a thread that could not do all that it wanted.
    forced: bool,
}

impl CheckFlag {
    /// Whether the flag is raised: for the sake of both ages beyond `max_modified_age_sync`, or by
    /// [`CheckFlag::raise`].
    pub fn is_raised(&self, lsns: &LogLsns, ages: &LogAges) -> bool {
        let appended = lsns.lsn / BLOCK_BYTES > self.cleared_in_block;
        self.forced || (appended && log_close_flag(lsns, ages, ages.max_modified_age_sync))
    }

    /// Clears it; redo ends at `lsn`.
    pub fn clear(&mut self, lsn: u64) {
        *self = CheckFlag { cleared_in_block: lsn / BLOCK_BYTES, forced: false };
    }

    /// Raises it.
    pub fn raise(&mut self) {
        self.forced = true;
    }
}
