//! The row cache: hot records of pages that are cold (TNT's MMS).
//!
//! A record enters when its page had to be read for it. A record that is there needs its page neither to be read nor to
//! be changed by the purge pass, which only marks it as changed; changed records are written back to their pages in
//! batches ([`crate::server::records::tnt_merge`]). Room is made by a clock over the records; changed ones stay.
//!
//! Source: what is known of TNT, see `docs/fidelity.md`. Simplifications: the engine replaces records by the pages of
//! memory that they lie on, here one by one; all records of its tables that the engine reads may enter, here only those
//! of pages that were not in memory (the others would save no read).

use crate::server::records::{Changed, RecordKeys};
use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasherDefault;

#[derive(Debug, Clone, Copy)]
struct Slot {
    record: Changed,
    referenced: bool,
    changed: bool,
    /// LSN at which it was changed first since it was written back.
    lsn: u64,
}

/// The cached records.
#[derive(Debug, Clone, Default)]
pub(super) struct RowCache {
    capacity: u64,
    used: u64,
    places: HashMap<u64, u32, BuildHasherDefault<RecordKeys>>,
    slots: Vec<Slot>,
    hand: usize,
    /// Keys of changed records, in the order in which they became so.
    changed: VecDeque<u64>,
    /// LSN of the first change of the batch that is being written back; 0 if none is.
    writing_back_from: u64,
    /// Redo of writing all changed records back, in the redo log's fixed-point form.
    pub(in crate::server) redo_fixed: u64,
}

impl RowCache {
    pub(in crate::server) fn new(capacity: u64) -> Self {
        RowCache { capacity, ..RowCache::default() }
    }

    /// Whether a record is there; it then stays longer.
    pub(in crate::server) fn hit(&mut self, key: u64) -> bool {
        let place = self.places.get(&key);
        if let Some(&place) = place {
            self.slots[place as usize].referenced = true;
        }
        place.is_some()
    }

    /// A record was read from a page that was cold. It enters, if changed records leave room for it.
    pub(in crate::server) fn enter(&mut self, record: Changed) {
        let bytes = u64::from(record.bytes);
        if self.places.contains_key(&record.key()) || bytes > self.capacity {
            return;
        }
        while self.used + bytes > self.capacity {
            if !self.evict_one() {
                return;
            }
        }
        self.used += bytes;
        self.places.insert(record.key(), self.slots.len() as u32);
        self.slots.push(Slot { record, referenced: false, changed: false, lsn: 0 });
    }

    /// Drops the next record of the clock that nobody has asked for since it came by last; false if there is none.
    fn evict_one(&mut self) -> bool {
        for _ in 0..2 * self.slots.len() {
            if self.hand >= self.slots.len() {
                self.hand = 0;
            }
            let slot = &mut self.slots[self.hand];
            if slot.changed || std::mem::take(&mut slot.referenced) {
                self.hand += 1;
                continue;
            }
            let gone = self.slots.swap_remove(self.hand).record;
            self.places.remove(&gone.key());
            self.used -= u64::from(gone.bytes);
            if let Some(moved) = self.slots.get(self.hand) {
                self.places.insert(moved.record.key(), self.hand as u32);
            }
            return true;
        }
        false
    }

    /// A pass merges a record at `lsn`: whether it is here and only marked.
    pub(in crate::server) fn merge(&mut self, record: Changed, lsn: u64) -> bool {
        let Some(&place) = self.places.get(&record.key()) else { return false };
        let slot = &mut self.slots[place as usize];
        slot.referenced = true;
        if !std::mem::replace(&mut slot.changed, true) {
            slot.lsn = lsn;
            slot.record.redo_fixed = record.redo_fixed;
            self.changed.push_back(record.key());
            self.redo_fixed += record.redo_fixed;
        }
        true
    }

    /// The records to be written back next, `most` of those that have been changed longest, in page order.
    pub(in crate::server) fn batch(&mut self, most: u64) -> Vec<Changed> {
        let count = usize::try_from(most).unwrap_or(usize::MAX).min(self.changed.len());
        let slots: Vec<Slot> = self.changed.drain(..count).map(|key| self.slots[self.places[&key] as usize]).collect();
        self.writing_back_from = slots.first().map_or(0, |slot| slot.lsn);
        let mut batch: Vec<Changed> = slots.into_iter().map(|slot| slot.record).collect();
        batch.sort_unstable_by_key(Changed::key);
        batch
    }

    /// A record of the batch is on its page.
    pub(super) fn written_back(&mut self, record: Changed) {
        if let Some(&place) = self.places.get(&record.key()) {
            self.slots[place as usize].changed = false;
            self.redo_fixed -= record.redo_fixed;
        }
    }

    /// All records of the batch are on their pages.
    pub(super) fn batch_over(&mut self) {
        self.writing_back_from = 0;
    }

    /// LSN of the oldest change that is on no page; `None` if there is none.
    pub(super) fn oldest_lsn(&self) -> Option<u64> {
        let waiting = self.changed.front().map(|key| self.slots[self.places[key] as usize].lsn);
        if self.writing_back_from > 0 { Some(self.writing_back_from) } else { waiting }
    }

    /// Whether it takes no more memory than it has, counted anew.
    pub(super) fn within_bound(&self) -> bool {
        let used: u64 = self.slots.iter().map(|slot| u64::from(slot.record.bytes)).sum();
        used == self.used && used <= self.capacity && self.places.len() == self.slots.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(page: u32) -> Changed {
        Changed { page, slot: 1, redo_fixed: 100, bytes: 100 }
    }

    #[test]
    fn the_clock_keeps_what_is_asked_for() {
        let mut cache = RowCache::new(300);
        (0..3).for_each(|page| cache.enter(record(page)));
        assert!(cache.hit(record(0).key()));
        cache.enter(record(3));
        let there: Vec<bool> = (0..4).map(|page| cache.hit(record(page).key())).collect();
        assert_eq!(there, [true, false, true, true]);
        assert!(cache.within_bound());
    }

    #[test]
    fn changed_records_stay_until_they_are_written_back() {
        let mut cache = RowCache::new(200);
        (0..2).for_each(|page| cache.enter(record(page)));
        assert!(cache.merge(record(1), 50) && cache.merge(record(0), 60) && cache.merge(record(1), 70));
        assert!(!cache.merge(record(7), 80));
        cache.enter(record(3));
        assert!(!cache.hit(record(3).key()), "no room among changed records");
        assert_eq!((cache.oldest_lsn(), cache.redo_fixed), (Some(50), 200));
        let batch = cache.batch(1);
        assert_eq!(batch.iter().map(|r| r.page).collect::<Vec<_>>(), [1]);
        assert_eq!(cache.oldest_lsn(), Some(50), "it is not on its page yet");
        batch.into_iter().for_each(|record| cache.written_back(record));
        cache.batch_over();
        assert_eq!((cache.oldest_lsn(), cache.redo_fixed), (Some(60), 100));
        cache.enter(record(3));
        assert!(cache.hit(record(3).key()) && cache.within_bound());
    }
}
