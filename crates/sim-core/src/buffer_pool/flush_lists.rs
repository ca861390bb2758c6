//! What a version may ask of the flush lists, answered from the dirty pages and the states of all pages.

use super::pool::BufferPool;
use crate::seam::FlushLists;

impl FlushLists for BufferPool {
    fn instances(&self) -> u32 {
        self.dirty.instances.len() as u32
    }

    fn listed(&self, instance: u32) -> u64 {
        self.dirty.current_entries(instance, &self.pages).count() as u64
    }

    fn sum_of_oldest(&self, instance: u32) -> u128 {
        self.dirty.current_entries(instance, &self.pages).map(|entry| u128::from(entry.lsn)).sum()
    }

    fn oldest(&self, instance: u32) -> Option<u64> {
        let own = &self.dirty.instances[instance as usize];
        let current = |page: u32, lsn: u64| self.dirty.is_current(page, lsn, &self.pages);
        let listed = own.list.iter().find(|e| current(e.page, e.lsn)).map(|e| e.lsn);
        let parked = own.parked.iter().filter(|p| current(p.page, p.lsn)).map(|p| p.lsn).min();
        let writing = own.writing.iter().filter_map(|batch| batch.lsn).min();
        [listed, parked, writing].into_iter().flatten().min()
    }

    fn pages_up_to(&self, number: u32, lsn: u64, cap: u64) -> u64 {
        // Pages under write leave the servers' flush lists when they are written; a batch counts by its oldest page.
        // Those of LRU batches are left out, for they are few.
        let instance = &self.dirty.instances[number as usize];
        let writing = instance
            .writing
            .iter()
            .filter(|batch| batch.lsn.is_some_and(|first| first <= lsn))
            .map(|batch| batch.pages)
            .sum::<u64>();
        let listed = if self.dirty.leave_in_turn() {
            instance.list.count_up_to(lsn, cap)
        } else {
            let most = usize::try_from(cap).unwrap_or(usize::MAX);
            self.dirty.entries_up_to(number, lsn, &self.pages).take(most).count() as u64
        };
        (listed + writing).min(cap)
    }

    fn changes(&self) -> Option<u64> {
        // Where pages can leave early, any write may be of one of them.
        self.dirty.leave_in_turn().then_some(self.dirty.changes)
    }
}
