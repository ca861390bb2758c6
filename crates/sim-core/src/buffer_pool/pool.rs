//! The buffer pool proper: flush lists, frames and counts by instance ([`super`] has sources and simplifications).

use super::flush_list::FlushList;
use super::linked::Linked;
use super::lru::{LruConfig, LruLists};
use super::page_space::{PageRun, PageSpace};
use super::page_states::{PageState, PageStates};
use crate::config::{BufferPoolConfig, FlushNeighbors, LeavesFlushList};
use crate::kernel::time::SimTime;
use crate::seam::FlushLists;

/// Pages between the one that is taken from a flush list and the one for which the processor is asked.
const PAGES_AHEAD: usize = 12;

/// What a modification met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Modification {
    /// Done: the page is dirty.
    Done,
    /// The page is not in the pool.
    Miss,
    /// The page is under write.
    Blocked,
}

/// A page at the tail of a flush list, as a flush meets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TailPage {
    /// The page.
    pub page: u32,
    /// LSN of its oldest modification.
    pub lsn: u64,
}

/// A batch of pages of a flush list under write.
#[derive(Debug, Clone, Copy)]
struct Writing {
    batch: u32,
    /// Smallest oldest modification in it, LSN.
    lsn: Option<u64>,
    pages: u64,
}

/// One buffer pool instance.
#[derive(Debug, Clone)]
struct Instance {
    list: FlushList,
    writing: Vec<Writing>,
    /// Entries met at the tail while a write taken out of turn was in flight: they still count for the oldest
    /// modification, but no longer stand in the way.
    parked: Vec<TailPage>,
    capacity: u64,
    /// Pages resident or being read into a frame.
    used: u64,
}

/// The buffer pool.
#[derive(Debug, Clone)]
pub struct BufferPool {
    states: PageStates,
    instances: Vec<Instance>,
    lru: Option<LruLists>,
    lru_config: LruConfig,
    /// Low half of the oldest modification LSN by page, of those that are dirty; kept only where pages can leave the flush
    /// list early.
    oldest_low: Option<Vec<u32>>,
    /// Pages that are freed by the time that a flush comes to them.
    freed: Vec<PageRun>,
    /// Pages that are written and still in the flush list, where they stay there for a while.
    linked: Option<Linked>,
    scan_depth: u64,
    lru_min_len: u64,
    dirty_pages: u64,
    pages_under_write: u64,
    /// Smallest oldest modification over all instances, if nothing has left the lists since it was looked for.
    oldest: Option<u64>,
    /// Changes of the flush lists and of the batches under write so far.
    changes: u64,
}

impl BufferPool {
    /// A pool for the pages of `space`, of which none is there. With neighbour flushing, pages may leave the flush lists before
    /// their turn.
    pub(crate) fn new(config: &BufferPoolConfig, neighbors: FlushNeighbors, space: &PageSpace) -> Self {
        let pages = space.pages();
        let instances = u64::from(config.instances);
        let lru_config = LruConfig {
            old_blocks_pct: config.old_blocks_pct,
            old_blocks_time: config.old_blocks_time,
            instance_pages: config.pages / instances,
        };
        let mut pool = BufferPool {
            states: PageStates::with_len(pages),
            instances: (0..instances)
                .map(|_| Instance {
                    list: FlushList::default(),
                    writing: Vec::new(),
                    parked: Vec::new(),
                    capacity: config.pages / instances,
                    used: 0,
                })
                .collect(),
            linked: (config.leaves_flush_list == LeavesFlushList::AtNextLook).then(|| Linked::new(pages)),
            lru: None,
            lru_config,
            oldest_low: None,
            freed: Vec::new(),
            scan_depth: u64::from(config.lru_scan_depth),
            lru_min_len: u64::from(config.lru_min_len),
            dirty_pages: 0,
            pages_under_write: 0,
            oldest: None,
            changes: 0,
        };
        if neighbors != FlushNeighbors::None {
            pool.keep_oldest_by_page(pages);
        }
        if pool.could_overflow(space) {
            pool.start_lru(space, SimTime::ZERO);
        }
        pool
    }

    /// Whether some instance could come down to its scan depth of free pages if every page were resident.
    fn could_overflow(&self, space: &PageSpace) -> bool {
        let mut wanted = vec![0; self.instances.len()];
        for extent in 0..space.pages() / super::EXTENT_PAGES {
            wanted[space.instance_of(extent * super::EXTENT_PAGES)] += u64::from(super::EXTENT_PAGES);
        }
        wanted.iter().zip(&self.instances).any(|(&w, i)| w + self.scan_depth > i.capacity)
    }

    fn keep_oldest_by_page(&mut self, pages: u32) {
        self.oldest = None;
        let mut low = vec![0; pages as usize];
        for instance in &self.instances {
            for entry in instance.list.iter() {
                low[entry.page as usize] = low_half(entry.lsn);
            }
        }
        self.oldest_low = Some(low);
    }

    /// Begins to keep LRU order: resident pages enter in page order, which stands for the unknown order so far.
    fn start_lru(&mut self, space: &PageSpace, now: SimTime) {
        if self.oldest_low.is_none() {
            self.keep_oldest_by_page(space.pages());
        }
        let mut lru = LruLists::new(self.lru_config, space.pages(), self.instances.len());
        for page in 0..space.pages() {
            if self.states.is_resident(page) {
                lru.insert(space.instance_of(page), page, now);
            }
        }
        self.lru = Some(lru);
    }

    /// Makes room for pages added to `space`; starts the LRU if they might no longer fit.
    pub fn grow(&mut self, space: &PageSpace, now: SimTime) {
        let pages = space.pages();
        self.states.grow(pages);
        if let Some(low) = &mut self.oldest_low {
            low.resize(pages as usize, 0);
        }
        if let Some(linked) = &mut self.linked {
            linked.grow(pages);
        }
        match &mut self.lru {
            Some(lru) => lru.grow(pages),
            None if self.instances.iter().any(|i| i.capacity - i.used.min(i.capacity) < 2 * self.scan_depth) => {
                self.start_lru(space, now);
            }
            None => {}
        }
    }

    /// Whether the pool keeps LRU order.
    pub fn evicts(&self) -> bool {
        self.lru.is_some()
    }

    /// Whether all pages of a range, and those that share a word with its ends, are resident for good: reads there
    /// leave no trace whatever page they draw.
    #[inline]
    pub fn range_resident(&self, range: PageRun) -> bool {
        self.lru.is_none() && self.states.range_resident(range)
    }

    /// How far the pages from `from` on, up to `end`, are resident: the first that is not, or `end`.
    pub fn resident_up_to(&self, from: u32, end: u32) -> u32 {
        self.states.resident_up_to(from, end)
    }

    /// Reads a page: whether it was resident.
    #[inline]
    pub fn read(&mut self, page: u32, space: &PageSpace, now: SimTime) -> bool {
        let hit = self.states.is_resident(page);
        if hit && let Some(lru) = &mut self.lru {
            lru.access(space.instance_of(page), page, now);
        }
        hit
    }

    /// Whether an access to a page moves it to the head of its LRU list.
    pub fn moves_to_head(&self, page: u32, space: &PageSpace, now: SimTime) -> bool {
        let Some(lru) = &self.lru else { return false };
        self.states.is_resident(page) && lru.is_too_old(space.instance_of(page), page, now)
    }

    /// How many of `pages`, up to the first for which that does not hold, change nothing in the pool whether they are
    /// read or modified: they are dirty already, and no LRU order is kept.
    #[inline]
    pub fn leading_already_dirty(&self, pages: &[u32]) -> usize {
        if self.lru.is_some() { 0 } else { self.states.leading_dirty_idle(pages) }
    }

    /// Asks the processor for what [`BufferPool::leading_already_dirty`] will look at.
    #[inline]
    pub fn prefetch(&self, page: u32) {
        self.states.prefetch(page);
    }

    /// Modifies a page by redo that begins at `lsn`.
    pub fn modify(&mut self, page: u32, lsn: u64, space: &PageSpace, now: SimTime) -> Modification {
        let state = self.states.state(page);
        match state {
            PageState::Missing => return Modification::Miss,
            PageState::UnderWrite => return Modification::Blocked,
            PageState::DirtyIdle | PageState::Clean => {}
        }
        let instance = space.instance_of(page);
        if let Some(lru) = &mut self.lru {
            lru.access(instance, page, now);
        }
        if state == PageState::Clean {
            self.becomes_dirty(page, lsn, instance);
        }
        Modification::Done
    }

    fn becomes_dirty(&mut self, page: u32, lsn: u64, instance: usize) {
        self.states.becomes_dirty_idle(page);
        if let Some(linked) = &mut self.linked {
            linked.leaves(page);
        }
        self.enters_flush_list(page, lsn, instance);
    }

    #[inline]
    fn enters_flush_list(&mut self, page: u32, lsn: u64, instance: usize) {
        if self.dirty_pages == 0 {
            self.oldest = None;
        }
        self.changes += 1;
        self.instances[instance].list.push(page, lsn);
        if let Some(low) = &mut self.oldest_low {
            low[page as usize] = low_half(lsn);
        }
        self.dirty_pages += 1;
    }

    /// Whether accesses have moved pages to the head of an LRU list since [`BufferPool::take_moved`].
    pub fn has_moved(&self) -> bool {
        self.lru.as_ref().is_some_and(LruLists::has_moved)
    }

    /// How many pages accesses have moved to the head of an LRU list since this was asked.
    pub fn take_moved(&mut self) -> u32 {
        self.lru.as_mut().map_or(0, LruLists::take_moved)
    }

    /// A frame that was taken is not needed.
    pub fn give_frame_back(&mut self, instance: usize) {
        self.instances[instance].used -= 1;
    }

    /// Takes a free frame of `instance` for a page about to be read or created; false if there is none.
    pub fn take_frame(&mut self, instance: usize) -> bool {
        let instance = &mut self.instances[instance];
        let free = instance.used < instance.capacity;
        instance.used += u64::from(free);
        free
    }

    /// The page for which a frame was taken is now in it.
    pub fn page_arrived(&mut self, page: u32, space: &PageSpace, now: SimTime) {
        self.states.becomes_resident(page);
        if let Some(lru) = &mut self.lru {
            lru.insert(space.instance_of(page), page, now);
        }
    }

    /// As many pages of a run as find free frames are put there, before the run starts.
    pub fn run_arrives(&mut self, run: PageRun, space: &PageSpace) {
        for first in (run.first..run.first + run.pages).step_by(super::EXTENT_PAGES as usize) {
            let instance = space.instance_of(first);
            let room = self.free_of(instance).min(u64::from(super::EXTENT_PAGES)) as u32;
            let pages = room.min(run.first + run.pages - first);
            self.instances[instance].used += u64::from(pages);
            (first..first + pages).for_each(|page| self.page_arrived(page, space, SimTime::ZERO));
        }
    }

    /// Frees a clean page that is not under write. Returns whether it could be freed.
    pub fn evict_if_clean(&mut self, page: u32, instance: usize) -> bool {
        if self.states.is_dirty(page) {
            return false;
        }
        if let Some(lru) = &mut self.lru {
            lru.evict(instance, page);
        }
        self.states.evicted(page);
        if let Some(linked) = &mut self.linked {
            linked.leaves(page);
        }
        self.instances[instance].used -= 1;
        true
    }

    /// Moves a page to the tail of its LRU list, if the pool keeps LRU order.
    pub fn move_to_tail(&mut self, page: u32, instance: usize) {
        if let Some(lru) = &mut self.lru {
            lru.move_to_tail(instance, page);
        }
    }

    /// Something leaves a flush list, or a batch begins or ends: what was found there has to be looked for again.
    #[inline]
    fn lists_change(&mut self) {
        self.oldest = None;
        self.changes += 1;
    }

    /// Takes the page at the tail of the flush list of `instance` for writing if its oldest modification is below
    /// `lsn_limit`. The page is under write from now on.
    pub fn take_tail(&mut self, instance: usize, lsn_limit: u64) -> Option<TailPage> {
        self.lists_change();
        let entry = loop {
            self.drop_stale_tail(instance);
            let entry = self.instances[instance].list.tail().filter(|e| e.lsn < lsn_limit)?;
            self.instances[instance].list.pop();
            if self.is_dirty_idle(entry.page) {
                break entry;
            }
            self.instances[instance].parked.push(TailPage { page: entry.page, lsn: entry.lsn });
        };
        self.begin_write(entry.page);
        Some(TailPage { page: entry.page, lsn: entry.lsn })
    }

    /// Asks the processor for what taking a page near the tail of the flush list of `instance` will look at; the page, which is
    /// taken soon if others are.
    #[inline]
    pub fn prefetch_near_tail(&self, instance: usize) -> Option<u32> {
        let page = self.instances[instance].list.page_at(PAGES_AHEAD)?;
        self.states.prefetch_write(page);
        Some(page)
    }

    /// The pages of a run are freed by the time that a flush comes to them.
    pub(crate) fn frees(&mut self, run: PageRun) {
        self.freed.push(run);
    }

    /// Whether a page is freed by the time that a flush comes to it.
    #[inline]
    fn is_freed(&self, page: u32) -> bool {
        self.freed.iter().any(|run| (run.first..run.first + run.pages).contains(&page))
    }

    /// Drops a page that was taken for writing if it is freed by now: it is clean without a write. Returns whether it is.
    #[inline]
    pub fn drop_freed(&mut self, page: u32) -> bool {
        let freed = self.is_freed(page);
        if freed {
            self.becomes_clean(page);
        }
        freed
    }

    /// A page taken from the tail is not yet in a registered batch: its oldest modification counts until it is written.
    pub fn park(&mut self, instance: usize, taken: TailPage) {
        self.lists_change();
        self.instances[instance].parked.push(taken);
    }

    /// Entries of all flush lists with oldest modification <= `lsn`, holes included.
    pub fn listed_up_to(&self, lsn: u64) -> u64 {
        self.instances.iter().map(|instance| instance.list.count_up_to(lsn, u64::MAX)).sum()
    }

    /// Whether the flush list of `instance` may hold a page whose oldest modification is below `lsn_limit`; false if it
    /// does not.
    pub fn tail_below(&mut self, instance: usize, lsn_limit: u64) -> bool {
        self.drop_stale_tail(instance);
        self.instances[instance].list.oldest_lsn().is_some_and(|lsn| lsn < lsn_limit)
    }

    /// Takes a given dirty page for writing, out of turn. False if it is not dirty or is under write.
    pub fn take_page(&mut self, page: u32) -> bool {
        let taken = self.states.is_dirty_idle(page);
        if taken {
            self.begin_write(page);
            if let Some(linked) = &mut self.linked {
                linked.taken_early(page);
            }
        }
        taken
    }

    fn begin_write(&mut self, page: u32) {
        self.states.begin_write(page);
        self.pages_under_write += 1;
    }

    /// A batch of so many pages taken from `instance` is under write; `lsn` is the smallest oldest modification of those
    /// that were at the tail, if any was. Batches taken out of turn ([`BufferPool::take_page`]) stay in the flush list and
    /// need no registration.
    pub fn begin_batch(&mut self, instance: usize, batch: u32, lsn: Option<u64>, pages: u64) {
        self.lists_change();
        self.instances[instance].writing.push(Writing { batch, lsn, pages });
    }

    /// The batch is written: forget its LSN.
    pub fn end_batch(&mut self, instance: usize, batch: u32) {
        self.lists_change();
        self.instances[instance].writing.retain(|writing| writing.batch != batch);
    }

    /// The write of a page is done: it is clean.
    #[inline]
    pub fn page_written(&mut self, page: u32) {
        self.becomes_clean(page);
        if let Some(linked) = &mut self.linked {
            linked.written(page);
        }
    }

    /// Somebody looks for the oldest modification, which takes written pages out of the flush lists that are still there.
    #[inline]
    pub fn prune_written_from_flush_list(&mut self) {
        if let Some(linked) = &mut self.linked {
            linked.look();
        }
    }

    #[inline]
    fn becomes_clean(&mut self, page: u32) {
        self.pages_under_write -= 1;
        self.dirty_pages -= 1;
        self.states.written(page);
    }

    /// Entries of a flush list that stand for a dirty page, pages under write left out.
    fn current_entries(&self, instance: u32) -> impl Iterator<Item = super::flush_list::Entry> + '_ {
        let listed = self.instances[instance as usize].list.iter();
        listed.filter(|entry| self.is_dirty_idle(entry.page) && is_newest(&self.oldest_low, entry.page, entry.lsn))
    }

    fn drop_stale_tail(&mut self, instance: usize) {
        if self.oldest_low.is_none() {
            return;
        }
        while let Some(entry) = self.instances[instance].list.tail() {
            let is_current = is_newest(&self.oldest_low, entry.page, entry.lsn);
            if is_current && self.states.is_dirty(entry.page) {
                return;
            }
            self.instances[instance].list.pop();
            if !self.states.is_dirty(entry.page)
                && let Some(linked) = &mut self.linked
            {
                linked.leaves(entry.page);
            }
        }
    }

    fn drop_stale_parked(&mut self, instance: usize) {
        if self.oldest_low.is_some() {
            let (low, states) = (&self.oldest_low, &self.states);
            let current = |p: &TailPage| states.is_under_write(p.page) && is_newest(low, p.page, p.lsn);
            self.instances[instance].parked.retain(current);
        }
    }

    /// Smallest oldest modification in `instance`, pages under write included.
    fn oldest_of(&mut self, instance: usize) -> Option<u64> {
        self.drop_stale_tail(instance);
        self.drop_stale_parked(instance);
        let instance = &self.instances[instance];
        let parked = instance.parked.iter().map(|p| p.lsn).min();
        let writing = instance.writing.iter().filter_map(|batch| batch.lsn).min();
        let listed = instance.list.tail().map(|e| e.lsn);
        [writing, listed, parked].into_iter().flatten().min()
    }

    /// Smallest oldest modification over all instances; 0 if nothing is dirty.
    pub fn oldest_modification_lsn(&mut self) -> u64 {
        if let Some(oldest) = self.oldest {
            return oldest;
        }
        let oldest = (0..self.instances.len()).filter_map(|i| self.oldest_of(i)).min().unwrap_or(0);
        // Where pages can leave early, any write may change it.
        self.oldest = self.oldest_low.is_none().then_some(oldest);
        oldest
    }

    /// Dirty pages as the server counts them: the length of its flush lists, pages under write included.
    pub fn dirty_pages(&self) -> u64 {
        self.dirty_pages + self.linked.as_ref().map_or(0, Linked::len)
    }

    /// Pages that are not written, or being written.
    pub fn unwritten_pages(&self) -> u64 {
        self.dirty_pages
    }

    /// Pages in frames, over all instances.
    pub fn used_pages(&self) -> u64 {
        self.instances.iter().map(|i| i.used).sum()
    }

    /// Free frames, over all instances.
    pub fn free_pages(&self) -> u64 {
        self.instances.iter().map(|i| i.capacity - i.used).sum()
    }

    /// Free frames of one instance.
    pub fn free_of(&self, instance: usize) -> u64 {
        self.instances[instance].capacity - self.instances[instance].used
    }

    /// Whether a list batch of this instance still has writes in flight.
    pub fn has_batch_in_flight(&self, instance: usize) -> bool {
        !self.instances[instance].writing.is_empty()
    }

    /// LRU lists, where kept.
    pub fn lru(&self) -> Option<&LruLists> {
        self.lru.as_ref()
    }

    /// Whether an LRU batch of this instance should go on: too few free pages, and a list long enough.
    pub fn lru_batch_wanted(&self, instance: usize) -> bool {
        let Some(lru) = &self.lru else { return false };
        self.free_of(instance) < self.scan_depth && lru.len(instance) > self.lru_min_len
    }

    /// `innodb_lru_scan_depth`.
    pub fn scan_depth(&self) -> u64 {
        self.scan_depth
    }

    /// Frames in use of one instance.
    pub fn used_of(&self, instance: usize) -> u64 {
        self.instances[instance].used
    }

    /// Dirty pages under write.
    pub fn pages_under_write(&self) -> u64 {
        self.pages_under_write
    }

    /// Whether a page is in the old part of its LRU list; without LRU lists every page counts as old.
    pub fn is_old(&self, page: u32) -> bool {
        self.lru.as_ref().is_none_or(|lru| lru.is_old(page))
    }

    /// Whether a page is dirty and not under write.
    #[inline]
    pub fn is_dirty_idle(&self, page: u32) -> bool {
        self.states.is_dirty_idle(page)
    }

    /// Whether a page is dirty, under write or not.
    pub fn is_dirty(&self, page: u32) -> bool {
        self.states.is_dirty(page)
    }

    /// Whether a page is under write.
    pub fn is_under_write(&self, page: u32) -> bool {
        self.states.is_under_write(page)
    }

    /// Whether a page is resident.
    pub fn is_resident(&self, page: u32) -> bool {
        self.states.is_resident(page)
    }

    /// Pages from `first` up to, not including, `end` that are resident, and those that are dirty.
    pub(crate) fn count_in(&self, first: u32, end: u32) -> (u64, u64) {
        self.states.count_in(first, end)
    }

    /// Bytes of page state.
    pub fn bytes(&self) -> u64 {
        let lists: u64 = self.instances.iter().map(|i| i.list.bytes()).sum();
        let low = self.oldest_low.as_ref().map_or(0, |l| l.capacity() as u64 * 4);
        let lru = self.lru.as_ref().map_or(0, LruLists::bytes);
        let linked = self.linked.as_ref().map_or(0, Linked::bytes);
        self.states.bytes() + lists + low + lru + linked
    }

    /// Walks everything and says what is wrong, if anything: dirty pages = flush lists + pages under write, frames used
    /// never exceed the capacity.
    pub fn check(&self) -> Result<(), String> {
        let (dirty_idle, writing) = self.states.count_dirty();
        if dirty_idle + writing != self.dirty_pages {
            return Err(format!("{} dirty pages, but {dirty_idle} idle and {writing} under write", self.dirty_pages));
        }
        let listed: u64 = self.instances.iter().map(|i| i.list.len() as u64).sum();
        if self.oldest_low.is_none() && listed != dirty_idle {
            return Err(format!("flush lists hold {listed} pages, {dirty_idle} are dirty"));
        }
        match self.instances.iter().position(|i| i.used > i.capacity) {
            Some(i) => Err(format!("instance {i} uses more frames than it has")),
            None => Ok(()),
        }
    }
}

impl FlushLists for BufferPool {
    fn instances(&self) -> u32 {
        self.instances.len() as u32
    }

    fn listed(&self, instance: u32) -> u64 {
        self.current_entries(instance).count() as u64
    }

    fn sum_of_oldest(&self, instance: u32) -> u128 {
        self.current_entries(instance).map(|entry| u128::from(entry.lsn)).sum()
    }

    fn oldest(&self, instance: u32) -> Option<u64> {
        let own = &self.instances[instance as usize];
        let current = |page: u32, lsn: u64| is_newest(&self.oldest_low, page, lsn) && self.states.is_dirty(page);
        let listed = own.list.iter().find(|e| current(e.page, e.lsn)).map(|e| e.lsn);
        let parked = own.parked.iter().filter(|p| current(p.page, p.lsn)).map(|p| p.lsn).min();
        let writing = own.writing.iter().filter_map(|batch| batch.lsn).min();
        [listed, parked, writing].into_iter().flatten().min()
    }

    fn batch_in_flight(&self, instance: u32) -> bool {
        self.has_batch_in_flight(instance as usize)
    }

    fn pages_up_to(&self, number: u32, lsn: u64, cap: u64) -> u64 {
        // Pages under write leave the servers' flush lists when they are written; a batch counts by its oldest page.
        // Those of LRU batches are left out, for they are few.
        let instance = &self.instances[number as usize];
        let writing = instance
            .writing
            .iter()
            .filter(|batch| batch.lsn.is_some_and(|first| first <= lsn))
            .map(|batch| batch.pages)
            .sum::<u64>();
        let listed = if self.oldest_low.is_none() {
            instance.list.count_up_to(lsn, cap)
        } else {
            // Entries of pages that were written out of turn are no longer in a server's list.
            let most = usize::try_from(cap).unwrap_or(usize::MAX);
            self.current_entries(number).take_while(|entry| entry.lsn <= lsn).take(most).count() as u64
        };
        (listed + writing).min(cap)
    }

    fn changes(&self) -> Option<u64> {
        // Where pages can leave early, any write may be of one of them.
        self.oldest_low.is_none().then_some(self.changes)
    }
}

/// Whether an entry of a flush list, of a page that is dirty, is the newest of it: older ones are left behind where pages leave
/// early. Of a clean page nothing is said.
fn is_newest(oldest_low: &Option<Vec<u32>>, page: u32, lsn: u64) -> bool {
    oldest_low.as_ref().is_none_or(|low| low[page as usize] == low_half(lsn))
}

/// Low half of an LSN: LSNs that differ by a multiple of 4 GiB are taken for each other, which needs a stale entry of exactly
/// that distance for the same page.
fn low_half(lsn: u64) -> u32 {
    lsn as u32
}

#[cfg(test)]
pub(crate) mod tests;
