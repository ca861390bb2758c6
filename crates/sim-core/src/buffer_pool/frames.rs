//! The frames of a pool, and the LRU lists of the pages in them where pages may have to leave ([`super`] has sources and
//! simplifications).

use super::lru::{LruConfig, LruLists};
use super::page_space::PageSpace;
use super::page_states::PageStates;
use crate::config::BufferPoolConfig;
use crate::kernel::time::SimTime;

/// The frames of one instance.
#[derive(Debug, Clone)]
pub(super) struct InstanceFrames {
    capacity: u64,
    /// Frames with a page, or into which one is being read.
    pub(super) used: u64,
}

/// The frames of all instances, and what decides which pages leave them.
#[derive(Debug, Clone)]
pub(crate) struct Frames {
    pub(super) instances: Vec<InstanceFrames>,
    lru: Option<LruLists>,
    lru_config: LruConfig,
    scan_depth: u64,
    lru_min_len: u64,
}

impl Frames {
    /// The frames of a pool, all free.
    pub(super) fn new(config: &BufferPoolConfig) -> Self {
        let capacity = config.pages / u64::from(config.instances);
        Frames {
            instances: vec![InstanceFrames { capacity, used: 0 }; config.instances as usize],
            lru: None,
            lru_config: LruConfig {
                old_blocks_pct: config.old_blocks_pct,
                old_blocks_time: config.old_blocks_time,
                instance_pages: capacity,
            },
            scan_depth: u64::from(config.lru_scan_depth),
            lru_min_len: u64::from(config.lru_min_len),
        }
    }

    /// Whether some instance could come down to its scan depth of free pages if every page were resident.
    pub(super) fn could_overflow(&self, space: &PageSpace) -> bool {
        let mut wanted = vec![0; self.instances.len()];
        for extent in 0..space.pages() / super::EXTENT_PAGES {
            wanted[space.instance_of(extent * super::EXTENT_PAGES)] += u64::from(super::EXTENT_PAGES);
        }
        wanted.iter().zip(&self.instances).any(|(&w, i)| w + self.scan_depth > i.capacity)
    }

    /// Whether free frames could run short soon, and no LRU order is kept yet.
    pub(super) fn needs_lru(&self) -> bool {
        self.lru.is_none() && self.instances.iter().any(|i| i.capacity - i.used.min(i.capacity) < 2 * self.scan_depth)
    }

    /// Begins to keep LRU order: resident pages enter in page order, which stands for the unknown order so far.
    pub(super) fn start_lru(&mut self, pages: &PageStates, space: &PageSpace, now: SimTime) {
        let mut lru = LruLists::new(self.lru_config, space.pages(), self.instances.len());
        for page in (0..space.pages()).filter(|&page| pages.is_resident(page)) {
            lru.insert(space.instance_of(page), page, now);
        }
        self.lru = Some(lru);
    }

    /// Makes room for `pages` pages in the LRU lists.
    pub(super) fn grow(&mut self, pages: u32) {
        if let Some(lru) = &mut self.lru {
            lru.grow(pages);
        }
    }

    /// Whether the pool keeps LRU order.
    #[inline]
    pub(crate) fn evicts(&self) -> bool {
        self.lru.is_some()
    }

    /// LRU lists, where kept.
    pub(crate) fn lru(&self) -> Option<&LruLists> {
        self.lru.as_ref()
    }

    /// A resident page is read or modified.
    #[inline]
    pub(super) fn access(&mut self, page: u32, space: &PageSpace, now: SimTime) {
        if let Some(lru) = &mut self.lru {
            lru.access(space.instance_of(page), page, now);
        }
    }

    /// Whether an access to a resident page moves it to the head of its LRU list.
    pub(super) fn is_too_old(&self, page: u32, space: &PageSpace, now: SimTime) -> bool {
        self.lru.as_ref().is_some_and(|lru| lru.is_too_old(space.instance_of(page), page, now))
    }

    /// Whether accesses have moved pages to the head of an LRU list since [`Frames::take_moved`].
    pub(crate) fn has_moved(&self) -> bool {
        self.lru.as_ref().is_some_and(LruLists::has_moved)
    }

    /// How many pages accesses have moved to the head of an LRU list since this was asked.
    pub(crate) fn take_moved(&mut self) -> u32 {
        self.lru.as_mut().map_or(0, LruLists::take_moved)
    }

    /// Whether a page is in the old part of its LRU list; without LRU lists every page counts as old.
    pub(crate) fn is_old(&self, page: u32) -> bool {
        self.lru.as_ref().is_none_or(|lru| lru.is_old(page))
    }

    /// Moves a page to the tail of its LRU list, if the pool keeps LRU order.
    pub(crate) fn move_to_tail(&mut self, page: u32, instance: usize) {
        if let Some(lru) = &mut self.lru {
            lru.move_to_tail(instance, page);
        }
    }

    /// Takes a free frame of `instance` for a page about to be read or created; false if there is none.
    pub(crate) fn take(&mut self, instance: usize) -> bool {
        let instance = &mut self.instances[instance];
        let free = instance.used < instance.capacity;
        instance.used += u64::from(free);
        free
    }

    /// A frame that was taken is not needed.
    pub(crate) fn give_back(&mut self, instance: usize) {
        self.instances[instance].used -= 1;
    }

    /// A page is now in the frame that was taken for it.
    pub(super) fn page_arrived(&mut self, page: u32, space: &PageSpace, now: SimTime) {
        if let Some(lru) = &mut self.lru {
            lru.insert(space.instance_of(page), page, now);
        }
    }

    /// A page leaves its frame.
    pub(super) fn page_left(&mut self, page: u32, instance: usize) {
        if let Some(lru) = &mut self.lru {
            lru.evict(instance, page);
        }
        self.give_back(instance);
    }

    /// Pages in frames, over all instances.
    pub(crate) fn used(&self) -> u64 {
        self.instances.iter().map(|i| i.used).sum()
    }

    /// Frames in use of one instance.
    pub(crate) fn used_of(&self, instance: usize) -> u64 {
        self.instances[instance].used
    }

    /// Free frames, over all instances.
    pub(crate) fn free(&self) -> u64 {
        self.instances.iter().map(|i| i.capacity - i.used).sum()
    }

    /// Free frames of one instance.
    pub(crate) fn free_of(&self, instance: usize) -> u64 {
        self.instances[instance].capacity - self.instances[instance].used
    }

    /// Whether an LRU batch of this instance should go on: too few free pages, and a list long enough.
    pub(crate) fn lru_batch_wanted(&self, instance: usize) -> bool {
        let Some(lru) = &self.lru else { return false };
        self.free_of(instance) < self.scan_depth && lru.len(instance) > self.lru_min_len
    }

    /// `innodb_lru_scan_depth`.
    pub(crate) fn scan_depth(&self) -> u64 {
        self.scan_depth
    }

    /// An instance that uses more frames than it has, if there is one.
    pub(super) fn overfull(&self) -> Option<usize> {
        self.instances.iter().position(|i| i.used > i.capacity)
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        self.lru.as_ref().map_or(0, LruLists::bytes)
    }
}
