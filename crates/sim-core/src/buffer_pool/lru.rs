//! LRU lists with a young and an old part, one an instance.
//!
//! Source: `innodb-8.0.21` section 5.3. New pages enter at the midpoint, at the head of the old part, which is
//! `old_blocks_pct` of the list (in 1/1024, tolerance 20 pages; lists under 512 pages have no old part). An accessed
//! page moves to the head only if it is "too old": in the old part and first accessed long enough ago, or in the young
//! part and far from the head by the count of evictions since it was put there; before the first eviction nothing
//! moves. No simplification of these rules; pages are linked by page number, 16 bytes a page of the data set.

use super::bits::BitSet;
use crate::kernel::time::{SimDuration, SimTime};

const NONE: u32 = u32::MAX;
const OLD_MIN_LEN: u64 = 512;
const OLD_TOLERANCE: u64 = 20;

/// Settings of the replacement.
#[derive(Debug, Clone, Copy)]
pub struct LruConfig {
    /// `innodb_old_blocks_pct`, from 5 to 95.
    pub old_blocks_pct: u32,
    /// `innodb_old_blocks_time`.
    pub old_blocks_time: SimDuration,
    /// Pages that an instance holds when it is full.
    pub instance_pages: u64,
}

#[derive(Debug, Clone, Copy)]
struct Links {
    prev: u32,
    next: u32,
    first_access_ms: u32,
    freed_clock: u32,
}

#[derive(Debug, Clone)]
struct List {
    head: u32,
    tail: u32,
    /// First page of the old part, [`NONE`] while there is none: in lists under [`OLD_MIN_LEN`], for the smallest share of a
    /// list of that length is more pages than the tolerance.
    old_head: u32,
    len: u64,
    old_len: u64,
    freed_clock: u32,
}

/// All LRU lists.
#[derive(Debug, Clone)]
pub struct LruLists {
    config: LruConfig,
    old_ratio_1024: u64,
    links: Vec<Links>,
    old: BitSet,
    lists: Vec<List>,
    /// Moves to a head that nobody has asked for.
    moved: u32,
}

impl LruLists {
    /// Empty lists for `pages` pages and `instances` instances.
    pub fn new(config: LruConfig, pages: u32, instances: usize) -> Self {
        let empty = List { head: NONE, tail: NONE, old_head: NONE, len: 0, old_len: 0, freed_clock: 0 };
        LruLists {
            config,
            old_ratio_1024: u64::from(config.old_blocks_pct) * 1024 / 100,
            links: vec![Links { prev: NONE, next: NONE, first_access_ms: 0, freed_clock: 0 }; pages as usize],
            old: BitSet::with_len(pages as usize),
            lists: vec![empty; instances],
            moved: 0,
        }
    }

    /// Makes room for `pages` pages.
    pub fn grow(&mut self, pages: u32) {
        let none = Links { prev: NONE, next: NONE, first_access_ms: 0, freed_clock: 0 };
        self.links.resize(pages as usize, none);
        self.old.grow(pages as usize);
    }

    /// Pages on the list of `instance`.
    pub fn len(&self, instance: usize) -> u64 {
        self.lists[instance].len
    }

    /// Page at the tail of the list of `instance`.
    pub fn tail(&self, instance: usize) -> Option<u32> {
        Some(self.lists[instance].tail).filter(|&p| p != NONE)
    }

    /// Page before `page`, towards the head.
    pub fn before(&self, page: u32) -> Option<u32> {
        Some(self.links[page as usize].prev).filter(|&p| p != NONE)
    }

    /// A page was read in or created: it enters at the midpoint.
    pub fn insert(&mut self, instance: usize, page: u32, now: SimTime) {
        self.links[page as usize].first_access_ms = now.whole_millis() as u32;
        let list = &self.lists[instance];
        if list.old_head == NONE {
            self.link_before(instance, page, list.head);
            self.lists[instance].len += 1;
            if self.lists[instance].len >= OLD_MIN_LEN {
                self.create_old_part(instance);
            }
            return;
        }
        let midpoint = list.old_head;
        self.link_before(instance, page, midpoint);
        self.old.insert(page);
        let list = &mut self.lists[instance];
        list.old_head = page;
        list.len += 1;
        list.old_len += 1;
        self.adjust_midpoint(instance);
    }

    /// Whether pages have moved to the head of a list since [`LruLists::take_moved`].
    pub fn has_moved(&self) -> bool {
        self.moved > 0
    }

    /// How many pages have moved to the head of a list since this was asked.
    pub fn take_moved(&mut self) -> u32 {
        std::mem::take(&mut self.moved)
    }

    /// Whether a page is in the old part of its list.
    pub fn is_old(&self, page: u32) -> bool {
        self.old.contains(page)
    }

    /// A resident page was accessed: it moves to the head if it is too old.
    #[inline]
    pub fn access(&mut self, instance: usize, page: u32, now: SimTime) {
        if self.is_too_old(instance, page, now) {
            self.make_young(instance, page);
        }
    }

    /// Whether a resident page that is accessed now moves to the head.
    #[inline]
    pub fn is_too_old(&self, instance: usize, page: u32, now: SimTime) -> bool {
        let links = self.links[page as usize];
        let list = &self.lists[instance];
        if list.freed_clock == 0 {
            return false;
        }
        if self.old.contains(page) {
            let age_ms = (now.whole_millis() as u32).wrapping_sub(links.first_access_ms);
            u64::from(age_ms) * 1_000_000 >= self.config.old_blocks_time.0
        } else {
            let distance = u64::from(list.freed_clock.wrapping_sub(links.freed_clock));
            distance >= self.config.instance_pages * (1024 - self.old_ratio_1024) / 4096
        }
    }

    fn make_young(&mut self, instance: usize, page: u32) {
        self.moved = self.moved.wrapping_add(1);
        self.unlink(instance, page);
        let head = self.lists[instance].head;
        self.link_before(instance, page, head);
        let list = &mut self.lists[instance];
        list.len += 1;
        self.links[page as usize].freed_clock = list.freed_clock;
        if list.old_head != NONE {
            self.adjust_midpoint(instance);
        }
    }

    /// A page moves to the tail, into the old part.
    pub fn move_to_tail(&mut self, instance: usize, page: u32) {
        self.unlink(instance, page);
        self.link_before(instance, page, NONE);
        let list = &mut self.lists[instance];
        list.len += 1;
        if list.old_head != NONE {
            list.old_len += 1;
            self.old.insert(page);
            self.adjust_midpoint(instance);
        }
    }

    /// A page was evicted.
    pub fn evict(&mut self, instance: usize, page: u32) {
        self.unlink(instance, page);
        let list = &mut self.lists[instance];
        list.freed_clock = list.freed_clock.wrapping_add(1);
        if list.len < OLD_MIN_LEN {
            self.drop_old_part(instance);
        } else {
            self.adjust_midpoint(instance);
        }
    }

    /// Links `page` before `at` (towards the head); `at` NONE appends to an empty list.
    fn link_before(&mut self, instance: usize, page: u32, at: u32) {
        let list = &mut self.lists[instance];
        let prev = if at == NONE { list.tail } else { self.links[at as usize].prev };
        let links = &mut self.links[page as usize];
        (links.prev, links.next) = (prev, at);
        if prev == NONE {
            list.head = page;
        } else {
            self.links[prev as usize].next = page;
        }
        if at == NONE {
            list.tail = page;
        } else {
            self.links[at as usize].prev = page;
        }
    }

    fn unlink(&mut self, instance: usize, page: u32) {
        let Links { prev, next, .. } = self.links[page as usize];
        let list = &mut self.lists[instance];
        if list.old_head == page {
            list.old_head = next;
        }
        if self.old.contains(page) {
            list.old_len -= 1;
            self.old.remove(page);
        }
        list.len -= 1;
        if prev == NONE {
            list.head = next;
        } else {
            self.links[prev as usize].next = next;
        }
        if next == NONE {
            list.tail = prev;
        } else {
            self.links[next as usize].prev = prev;
        }
    }

    fn create_old_part(&mut self, instance: usize) {
        let mut page = self.lists[instance].head;
        let mut count = 0;
        while page != NONE {
            self.old.insert(page);
            count += 1;
            page = self.links[page as usize].next;
        }
        let list = &mut self.lists[instance];
        (list.old_head, list.old_len) = (list.head, count);
        self.adjust_midpoint(instance);
    }

    fn drop_old_part(&mut self, instance: usize) {
        let mut page = self.lists[instance].old_head;
        while page != NONE {
            self.old.remove(page);
            page = self.links[page as usize].next;
        }
        let list = &mut self.lists[instance];
        (list.old_head, list.old_len) = (NONE, 0);
    }

    fn adjust_midpoint(&mut self, instance: usize) {
        loop {
            let list = &self.lists[instance];
            let wanted = list.len * self.old_ratio_1024 / 1024;
            if list.old_len + OLD_TOLERANCE < wanted {
                let page = self.links[list.old_head as usize].prev;
                self.old.insert(page);
                let list = &mut self.lists[instance];
                (list.old_head, list.old_len) = (page, list.old_len + 1);
            } else if list.old_len > wanted + OLD_TOLERANCE {
                let page = list.old_head;
                let next = self.links[page as usize].next;
                self.old.remove(page);
                let list = &mut self.lists[instance];
                (list.old_head, list.old_len) = (next, list.old_len - 1);
            } else {
                return;
            }
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        (self.links.capacity() * size_of::<Links>()) as u64 + self.old.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists() -> LruLists {
        let config =
            LruConfig { old_blocks_pct: 37, old_blocks_time: SimDuration::from_millis(1000), instance_pages: 2000 };
        LruLists::new(config, 4000, 1)
    }

    /// Lists that `pages` pages have entered, and another one that has left: accesses move pages from then on.
    fn filled(pages: u32) -> LruLists {
        let mut lru = lists();
        for page in 0..pages {
            lru.insert(0, page, SimTime::ZERO);
        }
        lru.insert(0, 3999, SimTime::ZERO);
        lru.evict(0, 3999);
        lru
    }

    fn order(lru: &LruLists) -> Vec<u32> {
        order_of(lru, 0)
    }

    fn order_of(lru: &LruLists, instance: usize) -> Vec<u32> {
        let mut pages = Vec::new();
        let mut page = lru.tail(instance);
        while let Some(p) = page {
            pages.push(p);
            page = lru.before(p);
        }
        pages
    }

    #[test]
    fn old_part_holds_its_share() {
        let mut lru = lists();
        for page in 0..2000 {
            lru.insert(0, page, SimTime::ZERO);
        }
        assert_eq!(lru.len(0), 2000);
        assert_eq!(order(&lru).len(), 2000);
        let old = lru.lists[0].old_len;
        assert!(old.abs_diff(2000 * 378 / 1024) <= OLD_TOLERANCE, "{old}");
        assert_eq!(lru.old.count(), old);
    }

    #[test]
    fn an_old_page_becomes_young_only_after_its_time() {
        let mut lru = filled(1000);
        let page = lru.tail(0).unwrap();
        lru.access(0, page, SimTime(999_000_000));
        assert_eq!(lru.tail(0), Some(page));
        lru.access(0, page, SimTime(1_000_000_000));
        assert_ne!(lru.tail(0), Some(page));
        assert_eq!(lru.lists[0].head, page);
    }

    #[test]
    fn eviction_takes_from_the_tail_and_keeps_the_list_whole() {
        let mut lru = lists();
        for page in 0..1000 {
            lru.insert(0, page, SimTime::ZERO);
        }
        for _ in 0..900 {
            let tail = lru.tail(0).unwrap();
            lru.evict(0, tail);
        }
        assert_eq!(lru.len(0), 100);
        assert_eq!(order(&lru).len(), 100);
        assert_eq!(lru.old.count(), 0);
    }

    #[test]
    fn before_the_first_eviction_nothing_moves() {
        let mut lru = lists();
        for page in 0..1000 {
            lru.insert(0, page, SimTime::ZERO);
        }
        let page = lru.tail(0).unwrap();
        lru.access(0, page, SimTime(5_000_000_000));
        assert_eq!(lru.tail(0), Some(page));
    }

    #[test]
    fn a_page_moved_to_the_tail_is_old_and_the_first_to_go() {
        let mut lru = filled(1000);
        let head = lru.lists[0].head;
        assert!(!lru.is_old(head));
        lru.move_to_tail(0, head);
        assert_eq!(lru.tail(0), Some(head));
        assert!(lru.is_old(head));
        assert_eq!((lru.len(0), order(&lru).len()), (1000, 1000));
        assert_eq!(lru.old.count(), lru.lists[0].old_len);
    }

    /// A young page is too old when a quarter of the young part's length has been evicted since it was put there: of 4096
    /// pages of which 378 / 1024 are old, 646.
    #[test]
    fn a_young_page_is_too_old_after_a_quarter_of_its_part() {
        let config = LruConfig { old_blocks_pct: 37, old_blocks_time: SimDuration::ZERO, instance_pages: 4096 };
        let mut lru = LruLists::new(config, 1, 1);
        lru.insert(0, 0, SimTime::ZERO);
        let after = [1, 645, 646].map(|evictions| {
            lru.lists[0].freed_clock = evictions;
            lru.is_too_old(0, 0, SimTime::ZERO)
        });
        assert_eq!(after, [false, false, true]);
    }

    /// 16 bytes a page, and a bit.
    #[test]
    fn it_holds_four_numbers_a_page() {
        assert_eq!(LruLists::new(lists().config, 100, 1).bytes(), 1_600 + 16);
    }

    /// The lists of `innodb-8.0.21` section 5.3 as its sentences say them: all pages in order, of which the last `old` are old.
    struct AsWritten {
        pct: u64,
        instance_pages: u64,
        /// From head to tail: page, when it was read, the count of evictions when it was put at the head.
        pages: Vec<(u32, u64, u64)>,
        old: Option<u64>,
        evictions: u64,
    }

    impl AsWritten {
        fn len(&self) -> u64 {
            self.pages.len() as u64
        }

        fn first_old(&self) -> usize {
            (self.len() - self.old.unwrap_or(0)) as usize
        }

        fn take(&mut self, page: u32) -> (u32, u64, u64) {
            let place = self.pages.iter().position(|p| p.0 == page).unwrap();
            if place >= self.first_old() {
                self.old = self.old.map(|old| old - 1);
            }
            self.pages.remove(place)
        }

        /// The old part is kept within 20 pages of its share, in 1024ths; a list under 512 pages has none.
        fn balance(&mut self) {
            if self.len() < 512 {
                self.old = None;
                return;
            }
            let share = self.len() * (self.pct * 1024 / 100) / 1024;
            self.old = Some(self.old.unwrap_or(self.len()).clamp(share - 20, share + 20));
        }

        fn insert(&mut self, page: u32, ms: u64) {
            let place = if self.old.is_some() { self.first_old() } else { 0 };
            self.pages.insert(place, (page, ms, 0));
            self.old = self.old.map(|old| old + 1);
            self.balance();
        }

        fn is_too_old(&self, page: u32, ms: u64) -> bool {
            let place = self.pages.iter().position(|p| p.0 == page).unwrap();
            let (_, read, put) = self.pages[place];
            let ratio = self.pct * 1024 / 100;
            self.evictions > 0
                && if place >= self.first_old() {
                    ms - read >= 1000
                } else {
                    self.evictions - put >= self.instance_pages * (1024 - ratio) / 4096
                }
        }

        fn access(&mut self, page: u32, ms: u64) {
            if self.is_too_old(page, ms) {
                let taken = self.take(page);
                self.pages.insert(0, (taken.0, taken.1, self.evictions));
                self.balance();
            }
        }

        fn move_to_tail(&mut self, page: u32) {
            let taken = self.take(page);
            self.pages.push(taken);
            self.old = self.old.map(|old| old + 1);
            self.balance();
        }

        fn evict(&mut self, page: u32) {
            self.take(page);
            self.evictions += 1;
            self.balance();
        }

        fn assert_like(&self, lru: &LruLists) {
            let pages: Vec<u32> = self.pages.iter().rev().map(|p| p.0).collect();
            assert_eq!((order_of(lru, 1), lru.len(1)), (pages.clone(), self.len()));
            let old = pages.iter().filter(|&&page| lru.is_old(page));
            assert!(old.eq(pages.iter().take(self.old.unwrap_or(0) as usize)), "the old part is the tail");
        }
    }

    /// Thousands of steps on a list that grows over 512 pages, shrinks below, and grows again, for three shares.
    #[test]
    fn the_lists_are_those_of_the_specification() {
        let mut random = crate::kernel::random::Rng::stream(5, 0, "steps");
        for pct in [5, 37, 95] {
            let config =
                LruConfig { old_blocks_pct: pct, old_blocks_time: SimDuration::from_millis(1000), instance_pages: 700 };
            let mut lru = LruLists::new(config, 100, 2);
            lru.grow(4000);
            let mut written =
                AsWritten { pct: u64::from(pct), instance_pages: 700, pages: Vec::new(), old: None, evictions: 0 };
            let mut growing = true;
            for step in 0..3_000u64 {
                growing = if growing { written.len() < 620 } else { written.len() < 490 };
                let any = written.pages.get(random.below_u64(written.len().max(1)) as usize).map(|p| p.0);
                match (if step < 450 { 9 } else { random.below_u64(10) }, any) {
                    (0, Some(page)) => {
                        lru.move_to_tail(1, page);
                        written.move_to_tail(page);
                    }
                    (1..=3, Some(page)) => {
                        let now = SimTime::ZERO + SimDuration::from_millis(step);
                        assert_eq!(lru.is_too_old(1, page, now), written.is_too_old(page, step), "page {page}");
                        lru.access(1, page, now);
                        written.access(page, step);
                    }
                    (4, Some(page)) => {
                        lru.evict(1, page);
                        written.evict(page);
                    }
                    (_, Some(_)) if !growing => {
                        let tail = lru.tail(1).unwrap();
                        lru.evict(1, tail);
                        written.evict(tail);
                    }
                    _ => {
                        lru.insert(1, step as u32, SimTime::ZERO + SimDuration::from_millis(step));
                        written.insert(step as u32, step);
                    }
                }
                written.assert_like(&lru);
            }
            assert!(written.evictions > 300, "{} evictions, so that young pages move too", written.evictions);
            assert_eq!((lru.len(0), lru.tail(0)), (0, None), "the other list is untouched");
        }
    }
}
