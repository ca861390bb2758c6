//! What the servers before 5.7 leave of the purged history in each rollback segment.
//!
//! Known of the servers' sources, not in the specifications, and seen in the recordings (`docs/fidelity.md`): cutting
//! off walks the history of a rollback segment from its oldest undo log on and counts. What it has counted goes once it
//! meets an undo log that is not purged, or the last log of an undo segment that will not be used again; where it meets
//! neither, all stays. An undo segment of one page is used by the next transaction of its rollback segment until three
//! quarters of the page are used. So with a purge that keeps up the history breathes: it grows by every transaction
//! until the pages of all rollback segments are used up, and with no load what is left stays in the list for good.
//!
//! Transactions take the rollback segments in turn.
//!
//! Simplifications: undo segments are empty at the start and there is one at a time in a rollback segment, so that all
//! are used up at about the same time (errs towards a saw-tooth that falls more steeply; with more clients than
//! rollback segments towards a shorter one); logs count as they commit, not as their transactions began.

use crate::server::purge::undo::PAGE_USED_BYTES;

/// A rollback segment. Its undo logs are counted from the first on.
#[derive(Debug, Clone, Copy, Default)]
struct Segment {
    /// Bytes used on the page of the undo segment that takes the next log.
    used: u32,
    /// Logs up to the end of the last undo segment that is not used again.
    closed: u64,
    /// Logs cut off.
    cut_off: u64,
}

/// The rollback segments.
#[derive(Debug, Clone)]
pub(super) struct RollbackSegments {
    segments: Vec<Segment>,
}

impl RollbackSegments {
    pub(in crate::server) fn new(number: u32) -> Self {
        RollbackSegments { segments: vec![Segment::default(); number.max(1) as usize] }
    }

    /// A log of so many bytes is added after `before` others.
    #[inline]
    pub(in crate::server) fn add(&mut self, before: u64, bytes: u32) {
        let number = self.segments.len() as u64;
        let segment = &mut self.segments[(before % number) as usize];
        segment.used = segment.used.saturating_add(bytes);
        if segment.used > PAGE_USED_BYTES {
            (segment.used, segment.closed) = (0, before / number + 1);
        }
    }

    /// Cuts off what may go once `purged` of `committed` logs are purged; returns how many logs.
    pub(super) fn cut_off(&mut self, committed: u64, purged: u64) -> u64 {
        let number = self.segments.len() as u64;
        let mut sum = 0;
        for (place, segment) in self.segments.iter_mut().enumerate() {
            let of_all = |logs: u64| (logs + number - 1 - place as u64) / number;
            let purged = of_all(purged);
            let until = if of_all(committed) > purged { purged } else { segment.closed.min(purged) };
            sum += until.saturating_sub(segment.cut_off);
            segment.cut_off = segment.cut_off.max(until);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_is_cut_behind_a_log_to_purge_or_at_its_end() {
        let mut segments = RollbackSegments::new(4);
        (0..8).for_each(|before| segments.add(before, 300));
        assert_eq!(segments.cut_off(8, 8), 0, "all are purged, and the segments go on");
        (8..10).for_each(|before| segments.add(before, 300));
        assert_eq!(segments.cut_off(10, 8), 4, "two segments have a log to purge behind two purged ones");
        assert_eq!(segments.cut_off(10, 9), 0, "its own log was the last of the first");
        segments.add(10, PAGE_USED_BYTES);
        assert_eq!(segments.cut_off(11, 11), 3, "the third is used up");
        assert_eq!(segments.cut_off(11, 11), 0);
        assert_eq!(11 - 7, 4, "a log each in two segments, two in the fourth");
    }
}
