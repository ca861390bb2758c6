//! The flush list of one buffer pool instance: dirty pages by oldest modification.
//!
//! Modifications come in LSN order, so the list is a FIFO: a page that becomes dirty is appended with the LSN of its
//! modification, flushing takes from the other end, the tail. Source: `innodb-8.0.21` section 0. The servers' lists are
//! ordered only roughly, by up to 2 MiB of LSN; ours are exact, and the versions subtract that lag where they compute
//! the checkpoint.
//!
//! A page that leaves early (an LRU flush, a neighbour flush) leaves a hole: its entry stays and is skipped when it
//! reaches the tail. Counting pages up to an LSN counts such holes too, so it errs upwards by the share of early
//! leavers.

use std::collections::VecDeque;

/// A dirty page in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Page number.
    pub page: u32,
    /// LSN of its oldest modification.
    pub lsn: u64,
}

/// Dirty pages of one instance in order of oldest modification.
#[derive(Debug, Clone, Default)]
pub struct FlushList {
    pages: VecDeque<u32>,
    lsns: VecDeque<u64>,
}

impl FlushList {
    /// Appends a page that has just become dirty.
    #[inline]
    pub fn push(&mut self, page: u32, lsn: u64) {
        debug_assert!(self.lsns.back().is_none_or(|&last| last <= lsn), "flush list out of order");
        if self.pages.len() == self.pages.capacity() {
            self.grow();
        }
        self.pages.push_back(page);
        self.lsns.push_back(lsn);
    }

    /// Makes room for `more` entries.
    pub fn reserve(&mut self, more: usize) {
        self.pages.reserve_exact(more);
        self.lsns.reserve_exact(more);
    }

    /// Makes room for a quarter more. By doubling, the lists of a large buffer pool would take up to twice the memory of their
    /// entries, which is more than all else about its pages.
    #[cold]
    fn grow(&mut self) {
        self.reserve((self.pages.len() / 4).max(64));
    }

    /// The entry at the tail: the oldest.
    #[inline]
    pub fn tail(&self) -> Option<Entry> {
        Some(Entry { page: *self.pages.front()?, lsn: *self.lsns.front()? })
    }

    /// LSN of the entry at the tail.
    #[inline]
    pub fn oldest_lsn(&self) -> Option<u64> {
        self.lsns.front().copied()
    }

    /// The page so many places from the tail.
    #[inline]
    pub fn page_at(&self, place: usize) -> Option<u32> {
        self.pages.get(place).copied()
    }

    /// Takes the entry at the tail off.
    #[inline]
    pub fn pop(&mut self) -> Option<Entry> {
        Some(Entry { page: self.pages.pop_front()?, lsn: self.lsns.pop_front()? })
    }

    /// Entries with oldest modification <= `lsn`, at most `cap`. Looks from the tail on in steps that double: what is
    /// asked for mostly lies near it.
    pub fn count_up_to(&self, lsn: u64, cap: u64) -> u64 {
        let most = usize::try_from(cap).unwrap_or(usize::MAX).min(self.lsns.len());
        let (mut low, mut high) = (0, most.min(4));
        while high < most && self.lsns[high] <= lsn {
            (low, high) = (high + 1, most.min(2 * high));
        }
        while low < high {
            let middle = low.midpoint(high);
            if self.lsns[middle] <= lsn {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low as u64
    }

    /// Entries, holes included.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// All entries from the tail on.
    pub fn iter(&self) -> impl Iterator<Item = Entry> + '_ {
        self.pages.iter().zip(&self.lsns).map(|(&page, &lsn)| Entry { page, lsn })
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        (self.pages.capacity() * 4 + self.lsns.capacity() * 8) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_in_first_out_with_counts() {
        let mut list = FlushList::default();
        assert!(list.is_empty());
        for i in 0..100u32 {
            list.push(i, 1000 + u64::from(i) * 10);
        }
        assert!(!list.is_empty());
        assert_eq!(list.count_up_to(1000, u64::MAX), 1);
        assert_eq!(list.count_up_to(1495, u64::MAX), 50);
        assert_eq!(list.count_up_to(1495, 7), 7);
        assert_eq!(list.pop(), Some(Entry { page: 0, lsn: 1000 }));
        assert_eq!(list.tail(), Some(Entry { page: 1, lsn: 1010 }));
        assert_eq!(list.len(), 99);
    }

    /// Room for a quarter more, and for 64 entries at least, where all is taken; 12 bytes an entry.
    #[test]
    fn memory_is_that_of_the_entries_and_a_quarter() {
        let (mut list, mut room) = (FlushList::default(), 0);
        for i in 0..150_000u32 {
            assert_eq!(list.bytes(), 12 * room);
            if u64::from(i) == room {
                room += (room / 4).max(64);
            }
            list.push(i, u64::from(i));
        }
        assert!((150_000..188_000).contains(&room), "{room}");
    }

    #[test]
    fn counts_as_one_who_looks_at_every_entry() {
        let mut list = FlushList::default();
        for i in 0..1000u32 {
            list.push(i, u64::from(i / 3));
        }
        for (lsn, cap) in (0..340).flat_map(|lsn| [0, 1, 63, 64, 65, 500, 999, 1000, u64::MAX].map(|cap| (lsn, cap))) {
            let all = list.iter().take_while(|entry| entry.lsn <= lsn).count() as u64;
            assert_eq!(list.count_up_to(lsn, cap), all.min(cap), "up to {lsn}, at most {cap}");
        }
        assert_eq!(FlushList::default().count_up_to(5, 5), 0);
    }
}
