//! The history list: undo logs of committed transactions in the order of their commits, until they are purged and cut
//! off.
//!
//! What purge finds in an undo log is kept as the pages that it visits for it. Undo logs on as many undo pages and with
//! as many visits, one after the other, are counted together.

use crate::config::{HistoryCut, PurgeShares};
use crate::server::purge::rollback_segments::RollbackSegments;
use std::collections::VecDeque;

/// A page that purge visits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Visit {
    pub(in crate::server) page: u32,
    /// What it does there: see [`crate::workload::program::Touch::purge_visit`]; 0 to read an undo page.
    pub(in crate::server) what: u16,
}

/// Undo logs alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Logs {
    count: u32,
    /// Undo pages that each of them counts for in a batch, and its visits.
    pages: u32,
    visits: u32,
}

/// Undo logs that a batch takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) logs: u64,
    pub(in crate::server) pages: u64,
}

/// The history list.
#[derive(Debug, Clone, Default)]
pub(super) struct History {
    /// Not yet taken by purge.
    logs: VecDeque<Logs>,
    visits: VecDeque<Visit>,
    /// Rollback segments, where it matters to the cut in which one an undo log lies.
    segments: Option<RollbackSegments>,
    /// Undo logs committed, taken by purge, and cut off, since the start.
    pub(in crate::server) committed: u64,
    pub(in crate::server) taken: u64,
    pub(super) cut_off: u64,
}

impl History {
    pub(in crate::server) fn new(cut: HistoryCut) -> Self {
        let segments = match cut {
            HistoryCut::All => None,
            HistoryCut::BySegment { rollback_segments, .. } => Some(RollbackSegments::new(rollback_segments)),
        };
        History { segments, ..History::default() }
    }

    /// Undo logs in the list, purged ones that are not cut off included.
    pub(in crate::server) fn len(&self) -> u64 {
        self.committed - self.cut_off
    }

    /// A transaction with `bytes` of undo log has committed and leaves these visits behind.
    #[inline]
    pub(in crate::server) fn add(&mut self, bytes: u32, visits: impl Iterator<Item = Visit>) {
        if let Some(segments) = &mut self.segments {
            segments.add(self.committed, bytes);
        }
        self.committed += 1;
        let before = self.visits.len();
        self.visits.extend(visits);
        let visits = (self.visits.len() - before) as u32;
        let pages = bytes.div_ceil(crate::server::purge::undo::PAGE_USED_BYTES);
        match self.logs.back_mut() {
            Some(last) if (last.pages, last.visits) == (pages, visits) && last.count < u32::MAX => last.count += 1,
            _ => self.logs.push_back(Logs { count: 1, pages, visits }),
        }
    }

    /// Takes the oldest undo logs, of `batch_pages` pages and no younger than number `limit`, and gives their visits to
    /// `threads`; a table is known by `table_of` a page.
    pub(in crate::server) fn take(
        &mut self,
        batch_pages: u32,
        limit: u64,
        shares: PurgeShares,
        threads: &mut [Vec<Visit>],
        table_of: impl Fn(u32) -> u16,
    ) -> Taken {
        let mut taken = Taken::default();
        while taken.pages < u64::from(batch_pages) && self.taken < limit {
            let Some(logs) = self.logs.front_mut() else { break };
            let Logs { count, pages, visits } = *logs;
            let pages = u64::from(pages);
            let wanted = (u64::from(batch_pages) - taken.pages).div_ceil(pages).min(limit - self.taken);
            let number = wanted.min(u64::from(count)) as u32;
            logs.count -= number;
            if logs.count == 0 {
                self.logs.pop_front();
            }
            for log in 0..if visits > 0 { number } else { 0 } {
                let in_turn = (self.taken + u64::from(log)) as usize;
                for visit in self.visits.drain(..visits as usize) {
                    let share = if shares == PurgeShares::InTurn { in_turn } else { usize::from(table_of(visit.page)) };
                    threads[share % threads.len()].push(visit);
                }
            }
            self.taken += u64::from(number);
            taken.logs += u64::from(number);
            taken.pages += u64::from(number) * pages;
        }
        taken
    }

    /// Cuts off what is purged, as far as the server does so.
    pub(super) fn cut_off_purged(&mut self) {
        match &mut self.segments {
            None => self.cut_off = self.taken,
            Some(segments) => self.cut_off += segments.cut_off(self.committed, self.taken),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(history: &mut History, bytes: u32, pages: &[u32]) {
        history.add(bytes, pages.iter().map(|&page| Visit { page, what: 1 }));
    }

    #[test]
    fn a_batch_takes_the_oldest_logs_up_to_its_pages() {
        let mut history = History::default();
        (0..5).for_each(|i| log(&mut history, 300, &[10 * i, 10 * i + 1]));
        log(&mut history, 30_000, &[]);
        (0..4).for_each(|_| log(&mut history, 300, &[]));
        assert_eq!(history.len(), 10);
        let mut threads = vec![Vec::new(), Vec::new()];
        let taken = history.take(3, u64::MAX, PurgeShares::InTurn, &mut threads, |_| 0);
        assert_eq!((taken, history.taken), (Taken { logs: 3, pages: 3 }, 3));
        let pages = |visits: &[Visit]| visits.iter().map(|visit| visit.page).collect::<Vec<_>>();
        assert_eq!((pages(&threads[0]), pages(&threads[1])), (vec![0, 1, 20, 21], vec![10, 11]));
        let mut threads = vec![Vec::new(), Vec::new()];
        let taken = history.take(5, u64::MAX, PurgeShares::ByTable, &mut threads, |page| (page % 2) as u16);
        assert_eq!(taken, Taken { logs: 3, pages: 5 }, "30 000 bytes lie on three pages");
        assert_eq!((pages(&threads[0]), pages(&threads[1])), (vec![30, 40], vec![31, 41]));
        let taken = history.take(100, 8, PurgeShares::InTurn, &mut threads, |_| 0);
        assert_eq!((taken.logs, history.len()), (2, 10), "a read view holds the others; nothing is cut off yet");
    }
}
