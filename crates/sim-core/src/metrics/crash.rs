//! A crash that recovery came through.

use crate::kernel::time::SimTime;

/// A crash that recovery came through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crash {
    /// When.
    pub at: SimTime,
    /// Where recovery begins, LSN.
    pub checkpoint_lsn: u64,
    /// Where it ends: the end of the durable redo, LSN.
    pub end_lsn: u64,
    /// Pages that this redo touches, each of which is read.
    pub pages: u64,
    /// Pages that may be torn and are mended from their copies.
    pub mended: u64,
    /// Pages that may be torn and have no copy: found by their checksums, and lost.
    pub torn: u64,
    /// Pages that may lack changes which no redo brings back, because a write slipped past the checkpoint: lost, and not found.
    pub slipped: u64,
}
