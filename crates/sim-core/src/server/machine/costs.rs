//! Times of the server's own code that are not settings and not the device's.
//!
//! They are small against device times and enter as constants; `innodb-8.0.21` section 3 gives the ranges for the redo
//! pipeline. Typical values, not measurements of a given machine.

use crate::kernel::time::SimDuration;

/// One write of redo to the page cache (section 3.5: about 10-20 µs), of any size: up to 64 KiB that hardly shows, and larger
/// ones are rare (`docs/fidelity.md`).
pub(in crate::server) const REDO_WRITE: SimDuration = SimDuration::from_micros(15);
/// From the end of a redo sync to a committing thread running again: two thread wake-ups (sections 3.2, 3.5: 5-20 µs
/// each).
pub(in crate::server) const COMMIT_WAKE_UP: SimDuration = SimDuration::from_micros(25);
/// The same when the committing thread writes and syncs itself: no more than one wake-up (section 3.3).
pub(in crate::server) const SELF_COMMIT_WAKE_UP: SimDuration = SimDuration::from_micros(8);
/// Preparing one page for writing: list mutexes, latch, checksum over 16 KiB, copy to the doublewrite buffer.
pub(super) const PAGE_PREPARE: SimDuration = SimDuration::from_micros(6);
/// Taking a slot and looking at its lists.
pub(in crate::server) const SLOT_OVERHEAD: SimDuration = SimDuration::from_micros(10);
/// Going on to the next page of a flush list: its descriptor lies anywhere in memory, and says where the one after it is.
pub(in crate::server) const LIST_PAGE: SimDuration = SimDuration(100);
/// Page writes that a cleaner thread hands to the device at a time; each time it stands in line for room in the queue.
pub(in crate::server) const POST_CHUNK: usize = 8;
/// A client that waits for another client's single-page flush looks again after this.
pub(in crate::server) const SINGLE_PAGE_POLL: SimDuration = SimDuration::from_micros(200);
/// Redo of the commit of a prepared transaction: state and undo header, some small records (typical).
pub(in crate::server) const COMMIT_RECORD_BYTES: f64 = 100.0;
/// CPU time of the leader of a group of the binary log in its first stage, and of each of its transactions there and in the last
/// stage (`machine-2026` section 2: 30 and 27 us measured where CPU time was 2.2 times that of a thread alone).
pub(in crate::server) const BINLOG_GROUP: SimDuration = SimDuration::from_micros(14);
/// See [`BINLOG_GROUP`].
pub(in crate::server) const BINLOG_TRANSACTION: SimDuration = SimDuration(13_500);
/// Least CPU time of a transaction whose end waits for nothing.
pub(in crate::server) const SHORTEST_TRANSACTION: SimDuration = SimDuration::from_micros(1);
/// A purge thread that finds no free page, or a page under write, looks again after this.
pub(in crate::server) const PURGE_RETRY: SimDuration = SimDuration::from_millis(1);
