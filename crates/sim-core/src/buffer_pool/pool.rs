//! The buffer pool proper: what concerns its frames, its dirty pages and the states of its pages together ([`super`] has sources and
//! simplifications).

use super::dirty_pages::{DirtyPages, TailPage};
use super::frames::Frames;
use super::linked::Linked;
use super::page_space::{PageRun, PageSpace};
use super::page_states::{PageState, PageStates};
use crate::config::{BufferPoolConfig, FlushNeighbors, LeavesFlushList};
use crate::kernel::time::SimTime;

/// What a modification met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Modification {
    /// Done: the page is dirty.
    Done,
    /// The page is not in the pool.
    Miss,
    /// The page is under write.
    Blocked,
}

/// The buffer pool.
#[derive(Debug, Clone)]
pub struct BufferPool {
    /// Which pages are resident, dirty, under write.
    pub(crate) pages: PageStates,
    /// Frames and LRU lists.
    pub(crate) frames: Frames,
    /// Flush lists and batches under write.
    pub(crate) dirty: DirtyPages,
}

impl BufferPool {
    /// A pool for the pages of `space`, of which none is there. With neighbour flushing, pages may leave the flush lists before
    /// their turn.
    pub(crate) fn new(config: &BufferPoolConfig, neighbors: FlushNeighbors, space: &PageSpace) -> Self {
        let pages = space.pages();
        let linked = (config.leaves_flush_list == LeavesFlushList::AtNextLook).then(|| Linked::new(pages));
        let mut pool = BufferPool {
            pages: PageStates::with_len(pages),
            frames: Frames::new(config),
            dirty: DirtyPages::new(config.instances, linked),
        };
        if neighbors != FlushNeighbors::None {
            pool.dirty.may_leave_early(pages);
        }
        if pool.frames.could_overflow(space) {
            pool.start_lru(space, SimTime::ZERO);
        }
        pool
    }

    fn start_lru(&mut self, space: &PageSpace, now: SimTime) {
        self.dirty.may_leave_early(space.pages());
        self.frames.start_lru(&self.pages, space, now);
    }

    /// Makes room for pages added to `space`; starts the LRU if they might no longer fit.
    pub(crate) fn grow(&mut self, space: &PageSpace, now: SimTime) {
        let pages = space.pages();
        self.pages.grow(pages);
        self.dirty.grow(pages);
        self.frames.grow(pages);
        if self.frames.needs_lru() {
            self.start_lru(space, now);
        }
    }

    /// Whether all pages of a range, and those that share a word with its ends, are resident for good: reads there
    /// leave no trace whatever page they draw.
    #[inline]
    pub(crate) fn range_resident(&self, range: PageRun) -> bool {
        !self.frames.evicts() && self.pages.range_resident(range)
    }

    /// Reads a page: whether it was resident.
    #[inline]
    pub(crate) fn read(&mut self, page: u32, space: &PageSpace, now: SimTime) -> bool {
        let hit = self.pages.is_resident(page);
        if hit {
            self.frames.access(page, space, now);
        }
        hit
    }

    /// Whether an access to a page moves it to the head of its LRU list.
    pub(crate) fn moves_to_head(&self, page: u32, space: &PageSpace, now: SimTime) -> bool {
        self.pages.is_resident(page) && self.frames.is_too_old(page, space, now)
    }

    /// How many of `pages`, up to the first for which that does not hold, change nothing in the pool whether they are
    /// read or modified: they are dirty already, and no LRU order is kept.
    #[inline]
    pub(crate) fn leading_already_dirty(&self, pages: &[u32]) -> usize {
        if self.frames.evicts() { 0 } else { self.pages.leading_dirty_idle(pages) }
    }

    /// A page is dirty once a mini-transaction that latched it ends, though nothing on it changed. One under write, or not in
    /// memory, is taken for clean: it would be waited for, or read.
    #[cold]
    pub(crate) fn latched(&mut self, page: u32, lsn: u64, space: &PageSpace, now: SimTime) {
        let _ = self.modify(page, lsn, space, now);
    }

    /// Modifies a page by redo that begins at `lsn`.
    pub(crate) fn modify(&mut self, page: u32, lsn: u64, space: &PageSpace, now: SimTime) -> Modification {
        let state = self.pages.state(page);
        match state {
            PageState::Missing => return Modification::Miss,
            PageState::UnderWrite => return Modification::Blocked,
            PageState::DirtyIdle | PageState::Clean => {}
        }
        self.frames.access(page, space, now);
        if state == PageState::Clean {
            self.pages.becomes_dirty_idle(page);
            self.dirty.enters(page, lsn, space.instance_of(page));
        }
        Modification::Done
    }

    /// The page for which a frame was taken is now in it.
    pub(crate) fn page_arrived(&mut self, page: u32, space: &PageSpace, now: SimTime) {
        self.pages.becomes_resident(page);
        self.frames.page_arrived(page, space, now);
    }

    /// As many pages of a run as find free frames are put there, before the run starts.
    pub(crate) fn run_arrives(&mut self, run: PageRun, space: &PageSpace) {
        for first in (run.first..run.first + run.pages).step_by(super::EXTENT_PAGES as usize) {
            let instance = space.instance_of(first);
            let room = self.frames.free_of(instance).min(u64::from(super::EXTENT_PAGES)) as u32;
            let pages = room.min(run.first + run.pages - first);
            self.frames.instances[instance].used += u64::from(pages);
            self.pages.range_becomes_resident(first, first + pages);
            (first..first + pages).for_each(|page| self.frames.page_arrived(page, space, SimTime::ZERO));
        }
    }

    /// Frees a clean page that is not under write. Returns whether it could be freed.
    pub(crate) fn evict_if_clean(&mut self, page: u32, instance: usize) -> bool {
        let clean = !self.pages.is_dirty(page);
        if clean {
            self.frames.page_left(page, instance);
            self.pages.evicted(page);
            self.dirty.leaves_linked(page);
        }
        clean
    }

    /// Takes the page at the tail of the flush list of `instance` for writing if its oldest modification is below
    /// `lsn_limit`. The page is under write from now on.
    pub(crate) fn take_tail(&mut self, instance: usize, lsn_limit: u64) -> Option<TailPage> {
        self.dirty.take_tail(instance, lsn_limit, &mut self.pages)
    }

    /// Asks the processor for what taking a page near the tail of the flush list of `instance` will look at; the page, which is
    /// taken soon if others are.
    #[inline]
    pub(crate) fn prefetch_near_tail(&self, instance: usize) -> Option<u32> {
        let page = self.dirty.page_near_tail(instance)?;
        self.pages.prefetch_write(page);
        Some(page)
    }

    /// Drops a page that was taken for writing if it is freed by now: it is clean without a write. Returns whether it is.
    #[inline]
    pub(crate) fn drop_freed(&mut self, page: u32) -> bool {
        self.dirty.drop_freed(page, &mut self.pages)
    }

    /// Whether the flush list of `instance` may hold a page whose oldest modification is below `lsn_limit`; false if it
    /// does not.
    pub(crate) fn tail_below(&mut self, instance: usize, lsn_limit: u64) -> bool {
        self.dirty.tail_below(instance, lsn_limit, &self.pages)
    }

    /// Takes a given dirty page for writing, out of turn. False if it is not dirty or is under write.
    pub(crate) fn take_page(&mut self, page: u32) -> bool {
        self.dirty.take_page(page, &mut self.pages)
    }

    /// The write of a page is done: it is clean.
    #[inline]
    pub(crate) fn page_written(&mut self, page: u32) {
        self.dirty.page_written(page, &mut self.pages);
    }

    /// Smallest oldest modification over all instances; 0 if nothing is dirty.
    pub(crate) fn oldest_modification_lsn(&mut self) -> u64 {
        self.dirty.oldest_modification_lsn(&self.pages)
    }

    /// Bytes of page state.
    pub(crate) fn bytes(&self) -> u64 {
        self.pages.bytes() + self.dirty.bytes() + self.frames.bytes()
    }

    /// Walks everything and says what is wrong, if anything: dirty pages = flush lists + pages under write, frames used
    /// never exceed the capacity.
    pub(crate) fn check(&self) -> Result<(), String> {
        let (dirty_idle, writing) = self.pages.count_dirty();
        let unwritten = self.dirty.unwritten();
        if dirty_idle + writing != unwritten {
            return Err(format!("{unwritten} dirty pages, but {dirty_idle} idle and {writing} under write"));
        }
        let listed = self.dirty.listed();
        if self.dirty.leave_in_turn() && listed != dirty_idle {
            return Err(format!("flush lists hold {listed} pages, {dirty_idle} are dirty"));
        }
        match self.frames.overfull() {
            Some(i) => Err(format!("instance {i} uses more frames than it has")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
