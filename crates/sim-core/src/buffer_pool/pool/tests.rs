//! The pool at its thresholds, where whole runs do not tell one side from the other.

use super::*;
use crate::config::{FreePagePolicy, LeavesFlushList, LruWritten, SyncHolds};
use crate::kernel::random::Rng;
use crate::kernel::time::SimDuration;
use crate::seam::FlushLists;

fn config(pages: u64, instances: u32, lru_scan_depth: u32, lru_min_len: u32) -> BufferPoolConfig {
    BufferPoolConfig {
        pages,
        instances,
        lru_scan_depth,
        lru_min_len,
        old_blocks_pct: 37,
        old_blocks_time: SimDuration::ZERO,
        free_pages: FreePagePolicy::Pause { wakes_cleaner: false },
        lru_written: LruWritten::Stays,
        leaves_flush_list: LeavesFlushList::WhenWritten,
        sync_holds: SyncHolds::Nothing,
        accesses_take_mutex: false,
        flush_area_pages: 64,
    }
}

/// A pool of so many frames for the pages of `space`, with its first 64 in it, all in its LRU list.
pub(crate) fn with_64_pages(pages: u64, lru_scan_depth: u32, lru_min_len: u32, space: &PageSpace) -> BufferPool {
    in_instances(1, pages, lru_scan_depth, lru_min_len, space)
}

fn in_instances(instances: u32, pages: u64, lru_scan_depth: u32, lru_min_len: u32, space: &PageSpace) -> BufferPool {
    let config = config(pages, instances, lru_scan_depth, lru_min_len);
    let mut pool = BufferPool::new(&config, FlushNeighbors::None, space);
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
    assert_eq!(ten_frames_are_free(11, 0).frames.free_of(0), 10);
    let wanted = |scan_depth, min_len| ten_frames_are_free(scan_depth, min_len).frames.lru_batch_wanted(0);
    assert_eq!([wanted(10, 0), wanted(11, 0)], [false, true]);
    assert_eq!([wanted(11, 63), wanted(11, 64)], [true, false]);
}

/// As many frames as pages and the scan depth together are enough: no page ever has to leave.
#[test]
fn lru_order_is_kept_where_free_pages_could_run_short() {
    let mut space = PageSpace::default();
    space.add(0, 128, &|_, _| 0);
    let evicts = |pages| with_64_pages(pages, 10, 0, &space).frames.evicts();
    assert_eq!([137, 138].map(evicts), [true, false]);
}

/// Where pages are added, order is kept from when fewer frames than twice the scan depth are free.
#[test]
fn a_growing_pool_begins_to_keep_lru_order() {
    let begins = |pages| {
        let mut space = PageSpace::default();
        space.add(0, 64, &|_, _| 0);
        let mut pool = with_64_pages(pages, 10, 0, &space);
        assert!(!pool.frames.evicts());
        space.add(0, 64, &|_, _| 0);
        pool.grow(&space, SimTime::ZERO);
        pool.frames.lru().map(|lru| lru.len(0))
    };
    assert_eq!([83, 84].map(begins), [Some(64), None]);
}

/// Pages that are dirty when order begins to be kept are flushed in their turn.
#[test]
fn a_growing_pool_keeps_its_flush_list() {
    let mut space = PageSpace::default();
    space.add(0, 64, &|_, _| 0);
    let mut pool = with_64_pages(83, 10, 0, &space);
    for (page, lsn) in [(5, 100), (3, 200)] {
        assert_eq!(pool.modify(page, lsn, &space, SimTime::ZERO), Modification::Done);
    }
    space.add(0, 64, &|_, _| 0);
    pool.grow(&space, SimTime::ZERO);
    assert!(pool.frames.evicts());
    assert_eq!((pool.oldest_modification_lsn(), FlushLists::listed(&pool, 0)), (100, 2));
    assert_eq!([(); 3].map(|()| pool.take_tail(0, u64::MAX).map(|tail| tail.page)), [Some(5), Some(3), None]);
}

/// Without LRU lists no access changes an order, every page counts as old and nothing is freed.
#[test]
fn a_pool_without_lru_lists_has_no_order() {
    let mut space = PageSpace::default();
    space.add(0, 192, &|_, _| 0);
    let mut pool = with_64_pages(600, 1_000, 0, &space);
    let range = |first| PageRun { first, pages: 2 };
    assert_eq!((pool.frames.evicts(), pool.frames.scan_depth()), (true, 1_000));
    assert!(!pool.range_resident(range(3)), "they may leave");
    assert_eq!((pool.frames.lru_batch_wanted(0), pool.frames.is_old(3)), (true, false), "a short list has no old part");
    assert_eq!(pool.frames.lru().and_then(|lru| lru.tail(0)), Some(0));
    pool.frames.move_to_tail(9, 0);
    assert_eq!(pool.frames.lru().and_then(|lru| lru.tail(0)), Some(9));
    let mut pool = with_64_pages(600, 1, 0, &space);
    assert!(!pool.frames.evicts());
    assert_eq!((pool.frames.lru_batch_wanted(0), pool.frames.is_old(3)), (false, true));
    assert_eq!([pool.range_resident(range(3)), pool.range_resident(range(70))], [true, false]);
    assert!(!pool.moves_to_head(3, &space, SimTime(5_000_000_000)));
    assert_eq!(
        [pool.pages.resident_up_to(2, 50), pool.pages.resident_up_to(2, 70), pool.pages.resident_up_to(64, 70)],
        [50, 64, 64]
    );
    pool.frames.move_to_tail(9, 0);
    assert_eq!(pool.check(), Ok(()));
}

/// A full instance looks for pages to free in its own list: one of several is enough to keep LRU order.
#[test]
fn one_instance_short_of_frames_keeps_lru_order() {
    // Two extents in the first instance, one in the second.
    let mut space = PageSpace::default();
    space.add(0, 192, &|_, page_no| page_no / 64 % 2);
    let evicts = |frames| in_instances(2, frames, 10, 0, &space).frames.evicts();
    assert_eq!([2 * 137, 2 * 138].map(evicts), [true, false]);
    // The first 64 pages are in the first instance, and nothing is in the second.
    let begins = |frames| {
        let mut space = PageSpace::default();
        space.add(0, 64, &|_, _| 0);
        let mut pool = in_instances(2, frames, 10, 0, &space);
        assert!(!pool.frames.evicts());
        space.add(0, 64, &|_, _| 1);
        pool.grow(&space, SimTime::ZERO);
        pool.frames.evicts()
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
    assert_eq!((pool.frames.used(), pool.frames.free(), pool.frames.used_of(0)), (164, 1, 164));
    assert_eq!([163, 164].map(|page| pool.pages.is_resident(page)), [true, false]);
    assert_eq!([pool.frames.take(0), pool.frames.take(0), pool.frames.take(0)], [true, false, false]);
    assert_eq!((pool.frames.free_of(0), pool.check()), (0, Ok(())));
    let mut short = with_64_pages(70, 1, 0, &space);
    short.run_arrives(PageRun { first: 64, pages: 100 }, &space);
    assert_eq!([69, 70, 128].map(|page| short.pages.is_resident(page)), [true, false, false]);
}

/// A page of the naive pool: what it is, and its oldest modification.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Naive {
    Missing,
    Clean,
    DirtyIdle(u64),
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
        let mut pool = BufferPool::new(&config, neighbors, &space);
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
            Naive::DirtyIdle(_) => (Modification::Done, now),
            Naive::Clean => (Modification::Done, Naive::DirtyIdle(self.lsn)),
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

    fn dirty_idle(&self, instance: usize) -> impl Iterator<Item = (u64, u32)> + '_ {
        self.of(instance)
            .filter_map(|(page, naive)| if let Naive::DirtyIdle(lsn) = naive { Some((lsn, page)) } else { None })
    }

    fn take_tail(&mut self, instance: usize, limit: u64) {
        let oldest = self.dirty_idle(instance).min().filter(|&(lsn, _)| lsn < limit);
        let taken = self.pool.take_tail(instance, limit);
        assert_eq!(taken.map(|t| (t.lsn, t.page)), oldest);
        let Some((lsn, page)) = oldest else { return };
        self.batches += 1;
        self.pool.dirty.begin_batch(instance, self.batches, Some(lsn), 1);
        self.pages[page as usize] = Naive::Written(lsn, Some(self.batches));
    }

    fn take_page(&mut self, page: u32) {
        let dirty_idle = matches!(self.pages[page as usize], Naive::DirtyIdle(_));
        assert_eq!(self.pool.take_page(page), dirty_idle);
        if let Naive::DirtyIdle(lsn) = self.pages[page as usize] {
            self.pages[page as usize] = Naive::Written(lsn, None);
        }
    }

    fn written(&mut self, page: u32) {
        let Naive::Written(_, batch) = self.pages[page as usize] else { return };
        self.pool.page_written(page);
        if let Some(batch) = batch {
            self.pool.dirty.end_batch(self.space.instance_of(page), batch);
        }
        self.pages[page as usize] = Naive::Clean;
    }

    /// A clean page leaves, a missing one comes.
    fn exchange(&mut self, page: u32) {
        let instance = self.space.instance_of(page);
        match self.pages[page as usize] {
            Naive::Missing => {
                if self.pool.frames.take(instance) {
                    self.pool.page_arrived(page, &self.space, SimTime::ZERO);
                    self.pages[page as usize] = Naive::Clean;
                }
            }
            Naive::Clean => {
                assert!(self.pool.evict_if_clean(page, instance));
                self.pages[page as usize] = Naive::Missing;
            }
            Naive::DirtyIdle(_) | Naive::Written(..) => assert!(!self.pool.evict_if_clean(page, instance)),
        }
    }

    fn assert_alike(&mut self) {
        let dirty = |naive: Naive| match naive {
            Naive::DirtyIdle(lsn) | Naive::Written(lsn, _) => Some(lsn),
            Naive::Missing | Naive::Clean => None,
        };
        let oldest = self.pages.iter().filter_map(|&naive| dirty(naive)).min();
        assert_eq!(self.pool.oldest_modification_lsn(), oldest.unwrap_or(0));
        let count = |f: &dyn Fn(Naive) -> bool| self.pages.iter().filter(|&&naive| f(naive)).count() as u64;
        assert_eq!(self.pool.dirty.count(), count(&|naive| dirty(naive).is_some()));
        assert_eq!(self.pool.dirty.under_write(), count(&|naive| matches!(naive, Naive::Written(..))));
        let used = count(&|naive| naive != Naive::Missing);
        assert_eq!(self.pool.frames.used(), used);
        for instance in 0..2u32 {
            let dirty_idle: Vec<u64> = self.dirty_idle(instance as usize).map(|(lsn, _)| lsn).collect();
            let lists: &dyn FlushLists = &self.pool;
            assert_eq!(lists.instances(), 2);
            assert_eq!(
                (lists.listed(instance), lists.sum_of_oldest(instance)),
                (dirty_idle.len() as u64, dirty_idle.iter().map(|&l| u128::from(l)).sum())
            );
            assert_eq!(lists.oldest(instance), self.of(instance as usize).filter_map(|(_, naive)| dirty(naive)).min());
            // Batches count with the list, pages taken out of turn don't.
            let in_batch = |naive| if let Naive::Written(lsn, Some(_)) = naive { Some(lsn) } else { None };
            let batches: Vec<u64> = self.of(instance as usize).filter_map(|(_, naive)| in_batch(naive)).collect();
            for lsn in [self.lsn - 300, self.lsn - 3, dirty_idle.first().copied().unwrap_or(0)] {
                let counted = dirty_idle.iter().chain(&batches).filter(|&&l| l <= lsn).count() as u64;
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
    assert!(!any_order(600, FlushNeighbors::None, false).frames.evicts());
    assert!(!any_order(600, FlushNeighbors::Area, true).frames.evicts());
    assert!(any_order(200, FlushNeighbors::None, true).frames.evicts());
}

/// Who counted pages may keep the count as long as the number of changes is the same, where there is one.
#[test]
fn a_count_of_pages_that_differs_comes_with_another_number_of_changes() {
    let counts = |pool: &BufferPool, lsns: [u64; 3]| -> Vec<u64> {
        let of = |instance| lsns.map(|lsn| pool.pages_up_to(instance, lsn, u64::MAX));
        [of(0), of(1)].concat()
    };
    let (mut twin, mut random) = (Twin::new(600, FlushNeighbors::None), Rng::stream(9, 0, "changes"));
    let (mut moved, mut kept) = (0, 0);
    for _ in 0..3_000 {
        let lsns = [twin.lsn - 300, twin.lsn - 3, u64::MAX];
        let before = (counts(&twin.pool, lsns), twin.pool.changes().unwrap());
        let page = random.below(256);
        match random.below(7) {
            0..=2 => twin.modify(page),
            3 => twin.take_tail(page as usize % 2, twin.lsn - 3 * u64::from(page)),
            _ => twin.written(page),
        }
        let after = (counts(&twin.pool, lsns), twin.pool.changes().unwrap());
        assert!(before.0 == after.0 || before.1 != after.1, "{before:?}, {after:?}");
        (moved, kept) = (moved + u32::from(before.1 != after.1), kept + u32::from(before.1 == after.1));
    }
    assert!(moved > 500 && kept > 500, "{moved} moved, {kept} did not");
    assert_eq!(any_order(600, FlushNeighbors::Area, true).changes(), None, "pages may leave early");
}

/// With its entries all current, a list is counted up to an LSN, and looked at for what lies below one.
#[test]
fn lists_are_counted_up_to_an_lsn() {
    let mut twin = Twin::new(600, FlushNeighbors::None);
    (0..10).for_each(|page| twin.modify(page));
    let first = (7u64 << 32) - 2_000;
    assert_eq!([0, 2, 3, 27, 999].map(|more| twin.pool.dirty.listed_up_to(first + more)), [1, 1, 2, 10, 10]);
    assert_eq!([0, 1].map(|more| twin.pool.tail_below(0, first + more)), [false, true]);
    assert_eq!(twin.pool.take_tail(0, first), None, "it is not below");
    assert!(!twin.pool.tail_below(1, u64::MAX), "nothing is dirty in the other");
    let taken = twin.pool.take_tail(0, u64::MAX).unwrap();
    twin.pool.dirty.park(0, taken);
    assert_eq!((twin.pool.oldest_modification_lsn(), twin.pool.dirty.listed_up_to(u64::MAX)), (first, 9));
}

/// What changes nothing needs no look at the pool, unless it keeps LRU order.
#[test]
fn only_modifications_of_dirty_pages_cost_nothing_but_redo() {
    let cost = |frames| {
        let mut twin = Twin::new(frames, FlushNeighbors::None);
        [3, 4, 6].iter().for_each(|&page| twin.modify(page));
        twin.pool.leading_already_dirty(&[4, 3, 5, 6])
    };
    assert_eq!([cost(600), cost(200)], [2, 0]);
}

/// What was looked for is looked for again once there is something else.
#[test]
fn the_oldest_modification_is_that_of_the_moment() {
    let mut twin = Twin::new(600, FlushNeighbors::None);
    let first = twin.lsn;
    for round in 0..3 {
        assert_eq!(twin.pool.oldest_modification_lsn(), 0);
        twin.modify(7);
        assert_eq!(twin.pool.oldest_modification_lsn(), first + 6 * round);
        twin.modify(8);
        assert_eq!(twin.pool.oldest_modification_lsn(), first + 6 * round);
        for page in [7, 8] {
            twin.take_tail(0, u64::MAX);
            twin.written(page);
        }
    }
}

/// A page is written out of turn, and dirty again, and written out of turn again, before anybody looks: its entries of before are
/// no longer its own, in the list as beside it.
#[test]
fn entries_of_before_are_left_behind() {
    let mut twin = Twin::new(600, FlushNeighbors::Area);
    let first = twin.lsn;
    twin.modify(7);
    twin.take_page(7);
    assert_eq!(twin.pool.take_tail(0, u64::MAX), None, "it waits beside the list");
    twin.written(7);
    twin.modify(7);
    twin.take_page(7);
    assert_eq!(twin.pool.oldest_modification_lsn(), first + 3);
    twin.modify(8);
    twin.take_page(8);
    twin.written(8);
    twin.modify(8);
    assert_eq!(FlushLists::oldest(&twin.pool, 0), Some(first + 3));
    twin.written(7);
    assert_eq!(FlushLists::oldest(&twin.pool, 0), Some(first + 9), "not what page 8 was before");
    assert_eq!(FlushLists::listed(&twin.pool, 0), 1);
    twin.assert_alike();
}

/// A pool whose written pages stay in the flush list, for the pages of `space`, 64 of them in it.
fn with_links(space: &PageSpace) -> BufferPool {
    let config = BufferPoolConfig { leaves_flush_list: LeavesFlushList::AtNextLook, ..config(600, 2, 4, 0) };
    let mut pool = BufferPool::new(&config, FlushNeighbors::Area, space);
    pool.run_arrives(PageRun { first: 0, pages: space.pages().min(64) }, space);
    pool
}

/// Written in turn, a page leaves with the next look; out of turn, as its entry comes to the tail, as it is modified again or
/// leaves memory.
#[test]
fn written_pages_stay_in_the_list_for_a_while() {
    let mut space = PageSpace::default();
    space.add(0, 64, &|_, _| 0);
    let mut pool = with_links(&space);
    for (page, lsn) in (0..6).zip((100..).step_by(10)) {
        assert_eq!(pool.modify(page, lsn, &space, SimTime::ZERO), Modification::Done);
    }
    for page in [0, 2, 3, 4] {
        assert!(pool.take_page(page));
        pool.page_written(page);
    }
    assert_eq!((pool.dirty.count(), pool.dirty.unwritten()), (6, 2));
    assert_eq!((pool.oldest_modification_lsn(), pool.dirty.count()), (110, 5), "page 0 came to the tail");
    assert!(pool.evict_if_clean(2, 0));
    assert_eq!((pool.dirty.count(), pool.dirty.unwritten()), (4, 2));
    assert_eq!(pool.modify(3, 160, &space, SimTime::ZERO), Modification::Done);
    assert_eq!((pool.dirty.count(), pool.dirty.unwritten()), (4, 3));
    let taken = pool.take_tail(0, u64::MAX).unwrap();
    assert_eq!(taken, TailPage { page: 1, lsn: 110 });
    pool.page_written(1);
    assert_eq!((pool.dirty.count(), pool.dirty.unwritten()), (4, 2));
    pool.dirty.prune_written();
    assert_eq!(pool.dirty.count(), 3, "page 4 is written, and 3 and 5 are dirty");
    assert_eq!(pool.check(), Ok(()));
}

/// The server counts entries up to the first whose oldest modification is past the target. Written pages have none any more, so
/// they count, and the count goes on past those that were young.
#[test]
fn written_pages_in_the_list_count_as_due() {
    let mut space = PageSpace::default();
    space.add(0, 64, &|_, _| 0);
    let mut pool = with_links(&space);
    for (page, lsn) in (0..8).zip((100..).step_by(10)) {
        assert_eq!(pool.modify(page, lsn, &space, SimTime::ZERO), Modification::Done);
    }
    let due = |pool: &BufferPool| [100, 110, 120, 150, 170].map(|lsn| pool.pages_up_to(0, lsn, 1_000));
    assert_eq!(due(&pool), [1, 2, 3, 6, 8]);
    for page in [1, 3, 4] {
        assert!(pool.take_page(page));
    }
    assert_eq!(due(&pool), [1, 1, 2, 3, 5], "pages under write are left out");
    [1, 3, 4].into_iter().for_each(|page| pool.page_written(page));
    assert_eq!(due(&pool), [2, 2, 5, 6, 8], "page 1 after page 0, pages 3 and 4 after page 2");
    assert_eq!(pool.pages_up_to(0, 170, 4), 4);
    assert_eq!(pool.modify(3, 180, &space, SimTime::ZERO), Modification::Done);
    assert_eq!(due(&pool), [2, 2, 4, 5, 7], "page 3 is at the head");
}

#[test]
fn counts_that_disagree_are_found_out() {
    let made = || {
        let mut twin = Twin::new(600, FlushNeighbors::None);
        (0..3).for_each(|page| twin.modify(page));
        twin.take_tail(0, u64::MAX);
        twin.pool
    };
    assert_eq!(made().check(), Ok(()));
    let broken: [fn(&mut BufferPool); 3] = [
        |pool| pool.dirty.unwritten += 1,
        |pool| pool.dirty.instances[1].list.push(9, u64::MAX),
        |pool| pool.frames.instances[0].used = 301,
    ];
    for breaks in broken {
        let mut pool = made();
        breaks(&mut pool);
        assert!(pool.check().is_err());
    }
}

/// 64 pages have three bits of state and two words more, the low half of an LSN, four numbers and a bit in the LRU
/// lists, a bit that says whether they are written and still listed, and one whether they were taken out of turn. An entry of a flush list takes 12 bytes, with room for 64.
#[test]
fn memory_is_that_of_its_parts() {
    let mut space = PageSpace::default();
    space.add(0, 64, &|_, _| 0);
    let mut pool = with_links(&space);
    let (states, low, linked) = (3 * 8 + 2 * 8, 64 * 4, 2 * 8);
    assert_eq!(pool.bytes(), states + low + linked);
    pool.modify(0, 5, &space, SimTime::ZERO);
    pool.start_lru(&space, SimTime::ZERO);
    let (list, lru) = (64 * 12, 64 * 16 + 8);
    assert_eq!(pool.bytes(), states + low + linked + list + lru);
    assert_eq!(with_64_pages(600, 1, 0, &space).bytes(), states, "where pages never leave early");
}
