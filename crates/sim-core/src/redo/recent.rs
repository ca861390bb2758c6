//! Pages modified by redo that is not durable yet: a ring of pages, and marks that say up to which LSN they reach.
//!
//! A batch of pages asks it how much redo must be durable before they may be written.
//!
//! Simplification: where the ring is full, it forgets its pages and starts anew, and a batch waits for all the redo of
//! the forgotten ones, whether it has one of these pages or not (errs towards more redo syncs; only where 16,384
//! modifications come between two syncs).

use super::position::RedoPosition;
use std::collections::VecDeque;

/// Modifications that are remembered (a power of two).
const RECENT_LIMIT: usize = 16 * 1024;

/// See the module.
#[derive(Debug, Clone)]
pub(super) struct Recent {
    pages: Box<[u32; RECENT_LIMIT]>,
    /// Numbers of the first and one past the last page remembered; the ring holds number modulo its length.
    first: u64,
    end: u64,
    /// (number one past the last page, LSN at the end of their redo), in order.
    marks: VecDeque<(u64, u64)>,
    /// LSN up to which the pages of the redo are forgotten.
    forgotten_lsn: u64,
    /// Whether the redo that is being appended has forgotten pages too.
    forgetting: bool,
}

impl Recent {
    pub(super) fn new() -> Self {
        Recent {
            pages: Box::new([0; RECENT_LIMIT]),
            first: 0,
            end: 0,
            marks: VecDeque::new(),
            forgotten_lsn: 0,
            forgetting: false,
        }
    }

    #[inline]
    pub(super) fn push(&mut self, pages: &[u32]) {
        if self.end + pages.len() as u64 - self.first > RECENT_LIMIT as u64 {
            self.forgetting = true;
        }
        if self.forgetting {
            return;
        }
        let start = self.end as usize % RECENT_LIMIT;
        let (up_to_the_end, from_the_start) = pages.split_at(pages.len().min(RECENT_LIMIT - start));
        self.pages[start..start + up_to_the_end.len()].copy_from_slice(up_to_the_end);
        self.pages[..from_the_start.len()].copy_from_slice(from_the_start);
        self.end += pages.len() as u64;
    }

    pub(super) fn close(&mut self, lsn: u64) {
        if std::mem::take(&mut self.forgetting) {
            self.forgotten_lsn = lsn;
            self.first = self.end;
            self.marks.clear();
        } else if self.marks.back().is_none_or(|&(end, _)| end < self.end) {
            self.marks.push_back((self.end, lsn));
        }
    }

    pub(super) fn forget_up_to(&mut self, durable_lsn: u64) {
        while let Some(&(end, lsn)) = self.marks.front() {
            if lsn > durable_lsn {
                return;
            }
            self.first = end;
            self.marks.pop_front();
        }
    }

    /// LSN up to which redo must be durable for the newest modification of a page in the batch, in a log at `position`; 0
    /// if there is none.
    pub(super) fn newest(&self, position: RedoPosition, in_batch: impl Fn(u32) -> bool) -> u64 {
        if self.forgetting {
            return position.current_lsn;
        }
        let found = (self.first..self.end).rev().find(|&i| in_batch(self.pages[i as usize % RECENT_LIMIT]));
        let forgotten = if self.forgotten_lsn > position.durable_lsn { self.forgotten_lsn } else { 0 };
        let Some(number) = found else { return forgotten };
        let mark = self.marks.partition_point(|&(end, _)| end <= number);
        // Redo that is being appended has no mark yet.
        self.marks.get(mark).map_or(position.current_lsn, |&(_, lsn)| lsn)
    }
}
