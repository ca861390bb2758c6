//! The pool at its thresholds, where whole runs do not tell one side from the other.

use super::*;
use crate::config::{FreePagePolicy, LeavesFlushList, LruWritten, SyncHolds};
use crate::kernel::random::Rng;
use crate::kernel::time::SimDuration;

fn config(pages: u64, instances: u32, lru_scan_depth: u32, lru_min_len: u32) -> BufferPoolConfig {
    BufferPoolConfig {
        pages,
        instances,
        lru_scan_depth,
        lru_min_len,
        old_blocks_pct: 37,
        old_blocks_time: SimDuration::ZERO,
        free_pages: FreePagePolicy::Pause,
        lru_written: LruWritten::Stays,
        leaves_flush_list: LeavesFlushList::WhenWritten,
        sync_holds: SyncHolds::Nothing,
        flush_area_pages: 64,
    }
}

/// A pool of so many frames for the pages of `space`, with its first 64 in it, all in its LRU list.
pub(crate) fn with_64_pages(pages: u64, lru_scan_depth: u32, lru_min_len: u32, space: &PageSpace) -> BufferPool {
    in_instances(1, pages, lru_scan_depth, lru_min_len, space)
}

fn in_instances(instances: u32, pages: u64, lru_scan_depth: u32, lru_min_len: u32, space: &PageSpace) -> BufferPool {
    let config = config(pages, instances, lru_scan_depth, lru_min_len);
    let none = CountedPages::new(&[], Vec::new(), instances, Rng::stream(1, 0, "none"));
    let mut pool = BufferPool::new(&config, FlushNeighbors::None, space, none);
    pool.run_arrives(PageRun { first: 0, pages: 64 }, space);
    pool
}

/// A pool of 74 frames with the first 64 of 128 pages in it.
fn ten_frames_are_free(lru_scan_depth: u32, lru_min_len: u32) -> BufferPool {
    let mut space = PageSpace::default();
    space.add(0, 128, &|_, _| 0);
    with_64_pages(74, lru_scan_depth, lru_min_len, &space)
}

/// As many free pages as the scan depth are enough, and a list of the least length is left alone.
#[test]
fn an_lru_batch_is_wanted_below_the_scan_depth_in_a_long_list() {
    assert_eq!(ten_frames_are_free(11, 0).free_of(0), 10);
    let wanted = |scan_depth, min_len| ten_frames_are_free(scan_depth, min_len).lru_batch_wanted(0);
    assert_eq!([wanted(10, 0), wanted(11, 0)], [false, true]);
    assert_eq!([wanted(11, 63), wanted(11, 64)], [true, false]);
}

/// As many frames as pages and the scan depth together are enough: no page ever has to leave.
#[test]
fn lru_order_is_kept_where_free_pages_could_run_short() {
    let mut space = PageSpace::default();
    space.add(0, 128, &|_, _| 0);
    let evicts = |pages| with_64_pages(pages, 10, 0, &space).evicts();
    assert_eq!([137, 138].map(evicts), [true, false]);
}

/// Where pages are added, order is kept from when fewer frames than twice the scan depth are free.
#[test]
fn a_growing_pool_begins_to_keep_lru_order() {
    let begins = |pages| {
        let mut space = PageSpace::default();
        space.add(0, 64, &|_, _| 0);
        let mut pool = with_64_pages(pages, 10, 0, &space);
        assert!(!pool.evicts());
        space.add(0, 64, &|_, _| 0);
        pool.grow(&space, SimTime::ZERO);
        pool.lru().map(|lru| lru.len(0))
    };
    assert_eq!([83, 84].map(begins), [Some(64), None]);
}

/// A full instance looks for pages to free in its own list: one of several is enough to keep LRU order.
#[test]
fn one_instance_short_of_frames_keeps_lru_order() {
    // Two extents in the first instance, one in the second.
    let mut space = PageSpace::default();
    space.add(0, 192, &|_, page_no| page_no / 64 % 2);
    let evicts = |frames| in_instances(2, frames, 10, 0, &space).evicts();
    assert_eq!([2 * 137, 2 * 138].map(evicts), [true, false]);
    // The first 64 pages are in the first instance, and nothing is in the second.
    let begins = |frames| {
        let mut space = PageSpace::default();
        space.add(0, 64, &|_, _| 0);
        let mut pool = in_instances(2, frames, 10, 0, &space);
        assert!(!pool.evicts());
        space.add(0, 64, &|_, _| 1);
        pool.grow(&space, SimTime::ZERO);
        pool.evicts()
    };
    assert_eq!([2 * 83, 2 * 84].map(begins), [true, false]);
}

/// Frames are given out until none is left, an extent of a run at a time.
#[test]
fn frames_are_used_up_to_the_capacity() {
    let mut space = PageSpace::default();
    space.add(0, 192, &|_, _| 0);
    let mut pool = with_64_pages(165, 1, 0, &space);
    pool.run_arrives(PageRun { first: 64, pages: 100 }, &space);
    assert_eq!((pool.used_pages(), pool.free_pages(), pool.used_of(0)), (164, 1, 164));
    assert_eq!([163, 164].map(|page| pool.is_resident(page)), [true, false]);
    assert_eq!([pool.take_frame(0), pool.take_frame(0), pool.take_frame(0)], [true, false, false]);
    assert_eq!((pool.free_of(0), pool.check()), (0, Ok(())));
    let mut short = with_64_pages(70, 1, 0, &space);
    short.run_arrives(PageRun { first: 64, pages: 100 }, &space);
    assert_eq!([69, 70, 128].map(|page| short.is_resident(page)), [true, false, false]);
}

/// A page of the naive pool: what it is, and its oldest modification.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Naive {
    Missing,
    Clean,
    Hot(u64),
    /// Under write; with the number of its batch if it was taken from the tail.
    Written(u64, Option<u32>),
}

/// A pool and, beside it, what each page is: every answer of the pool is worked out from that.
struct Twin {
    pool: BufferPool,
    space: PageSpace,
    pages: Vec<Naive>,
    lsn: u64,
    batches: u32,
}

impl Twin {
    /// 256 pages in two instances, 160 of them in the pool.
    fn new(frames: u64, neighbors: FlushNeighbors) -> Self {
        let mut space = PageSpace::default();
        space.add(0, 256, &|_, page_no| page_no / 64 % 2);
        let config = config(frames, 2, 4, 0);
        let none = CountedPages::new(&[], Vec::new(), 2, Rng::stream(1, 0, "none"));
        let mut pool = BufferPool::new(&config, neighbors, &space, none);
        pool.run_arrives(PageRun { first: 0, pages: 160 }, &space);
        let pages = (0..256).map(|page| if page < 160 { Naive::Clean } else { Naive::Missing }).collect();
        // LSNs beyond 4 GiB, of which a multiple lies among them.
        Twin { pool, space, pages, lsn: (7 << 32) - 2_000, batches: 0 }
    }

    fn modify(&mut self, page: u32) {
        let now = self.pages[page as usize];
        let (expected, then) = match now {
            Naive::Missing => (Modification::Miss, now),
            Naive::Written(..) => (Modification::Blocked, now),
            Naive::Hot(_) => (Modification::Done, now),
            Naive::Clean => (Modification::Done, Naive::Hot(self.lsn)),
        };
        assert_eq!(self.pool.modify(page, self.lsn, &self.space, SimTime::ZERO), expected);
        self.pages[page as usize] = then;
        self.lsn += 3;
    }

    fn of(&self, instance: usize) -> impl Iterator<Item = (u32, Naive)> + '_ {
        (0..256)
            .filter(move |&page| self.space.instance_of(page) == instance)
            .map(|page| (page, self.pages[page as usize]))
    }

    fn hot(&self, instance: usize) -> impl Iterator<Item = (u64, u32)> + '_ {
        self.of(instance).filter_map(|(page, naive)| if let Naive::Hot(lsn) = naive { Some((lsn, page)) } else { None })
    }

    fn take_tail(&mut self, instance: usize, limit: u64) {
        let oldest = self.hot(instance).min().filter(|&(lsn, _)| lsn < limit);
        let taken = self.pool.take_tail(instance, limit);
        assert_eq!(taken.map(|t| (t.lsn, t.page)), oldest);
        let Some((lsn, page)) = oldest else { return };
        self.batches += 1;
        self.pool.begin_batch(instance, self.batches, Some(lsn), 1);
        self.pages[page as usize] = Naive::Written(lsn, Some(self.batches));
    }

    fn take_page(&mut self, page: u32) {
        let hot = matches!(self.pages[page as usize], Naive::Hot(_));
        assert_eq!(self.pool.take_page(page), hot);
        if let Naive::Hot(lsn) = self.pages[page as usize] {
            self.pages[page as usize] = Naive::Written(lsn, None);
        }
    }

    fn written(&mut self, page: u32) {
        let Naive::Written(_, batch) = self.pages[page as usize] else { return };
        self.pool.page_written(page, batch.is_some());
        if let Some(batch) = batch {
            self.pool.end_batch(self.space.instance_of(page), batch);
        }
        self.pages[page as usize] = Naive::Clean;
    }

    /// A clean page leaves, a missing one comes.
    fn exchange(&mut self, page: u32) {
        let instance = self.space.instance_of(page);
        match self.pages[page as usize] {
            Naive::Missing => {
                if self.pool.take_frame(instance) {
                    self.pool.page_arrived(page, &self.space, SimTime::ZERO);
                    self.pages[page as usize] = Naive::Clean;
                }
            }
            Naive::Clean => {
                assert!(self.pool.evict_if_clean(page, instance));
                self.pages[page as usize] = Naive::Missing;
            }
            Naive::Hot(_) | Naive::Written(..) => assert!(!self.pool.evict_if_clean(page, instance)),
        }
    }

    fn assert_alike(&mut self) {
        let dirty = |naive: Naive| match naive {
            Naive::Hot(lsn) | Naive::Written(lsn, _) => Some(lsn),
            Naive::Missing | Naive::Clean => None,
        };
        let oldest = self.pages.iter().filter_map(|&naive| dirty(naive)).min();
        assert_eq!(self.pool.oldest_modification_lsn(), oldest.unwrap_or(0));
        let count = |f: &dyn Fn(Naive) -> bool| self.pages.iter().filter(|&&naive| f(naive)).count() as u64;
        assert_eq!(self.pool.dirty_pages(), count(&|naive| dirty(naive).is_some()));
        assert_eq!(self.pool.pages_under_write(), count(&|naive| matches!(naive, Naive::Written(..))));
        let used = count(&|naive| naive != Naive::Missing);
        assert_eq!(self.pool.used_pages(), used);
        for instance in 0..2u32 {
            let hot: Vec<u64> = self.hot(instance as usize).map(|(lsn, _)| lsn).collect();
            let lists: &dyn FlushLists = &self.pool;
            assert_eq!(
                (lists.listed(instance), lists.sum_of_oldest(instance)),
                (hot.len() as u64, hot.iter().map(|&l| u128::from(l)).sum())
            );
            assert_eq!(lists.oldest(instance), self.of(instance as usize).filter_map(|(_, naive)| dirty(naive)).min());
            // Batches count with the list, pages taken out of turn don't.
            let in_batch = |naive| if let Naive::Written(lsn, Some(_)) = naive { Some(lsn) } else { None };
            let batches: Vec<u64> = self.of(instance as usize).filter_map(|(_, naive)| in_batch(naive)).collect();
            assert_eq!(lists.batch_in_flight(instance), !batches.is_empty());
            for lsn in [self.lsn - 300, self.lsn - 3, hot.first().copied().unwrap_or(0)] {
                let counted = hot.iter().chain(&batches).filter(|&&l| l <= lsn).count() as u64;
                assert_eq!(
                    [5, 1_000].map(|cap| lists.pages_up_to(instance, lsn, cap)),
                    [5, 1_000].map(|cap| counted.min(cap))
                );
            }
        }
        assert_eq!(self.pool.check(), Ok(()));
    }
}

/// Pages are modified, taken from the tail and out of turn, written, thrown out and read again, in any order.
fn any_order(frames: u64, neighbors: FlushNeighbors, leave_early: bool) -> BufferPool {
    let (mut twin, mut random) = (Twin::new(frames, neighbors), Rng::stream(9, 0, "steps"));
    for _ in 0..3_000 {
        let page = random.below(256);
        match random.below(if leave_early { 10 } else { 7 }) {
            0..=2 => twin.modify(page),
            3 => twin.take_tail(page as usize % 2, twin.lsn - 3 * u64::from(page)),
            4..=6 => twin.written(page),
            7 => twin.take_page(page),
            _ => twin.exchange(page),
        }
        twin.assert_alike();
    }
    twin.pool
}

#[test]
fn flush_lists_are_in_order_whoever_leaves_them() {
    assert!(!any_order(600, FlushNeighbors::None, false).evicts());
    assert!(!any_order(600, FlushNeighbors::Area, true).evicts());
    assert!(any_order(200, FlushNeighbors::None, true).evicts());
}

/// With its entries all current, a list is counted up to an LSN, and looked at for what lies below one.
#[test]
fn lists_are_counted_up_to_an_lsn() {
    let mut twin = Twin::new(600, FlushNeighbors::None);
    (0..10).for_each(|page| twin.modify(page));
    let first = (7u64 << 32) - 2_000;
    assert_eq!([0, 2, 3, 27, 999].map(|more| twin.pool.listed_up_to(first + more)), [1, 1, 2, 10, 10]);
    assert_eq!([0, 1].map(|more| twin.pool.tail_below(0, first + more)), [false, true]);
    assert!(!twin.pool.tail_below(1, u64::MAX), "nothing is dirty in the other");
    let taken = twin.pool.take_tail(0, u64::MAX).unwrap();
    twin.pool.park(0, taken);
    assert_eq!((twin.pool.oldest_modification_lsn(), twin.pool.listed_up_to(u64::MAX)), (first, 9));
}

/// What changes nothing needs no look at the pool, unless it keeps LRU order.
#[test]
fn only_modifications_of_dirty_pages_cost_nothing_but_redo() {
    let cost = |frames| {
        let mut twin = Twin::new(frames, FlushNeighbors::None);
        [3, 4, 6].iter().for_each(|&page| twin.modify(page));
        twin.pool.costing_only_redo(&[4, 3, 5, 6])
    };
    assert_eq!([cost(600), cost(200)], [2, 0]);
}
