//! The dirty pages of a pool: the flush lists of its instances and the batches under write ([`super`] has sources and
//! simplifications).
//!
//! Where pages leave a list before their turn (neighbours, LRU batches), their entries stay until they come to the tail: an entry is
//! stale if its page is clean, or has become dirty anew since. The low half of a page's oldest modification tells.

use super::flush_list::{Entry, FlushList};
use super::linked::Linked;
use super::page_space::PageRun;
use super::page_states::PageStates;

/// Pages between the one that is taken from a flush list and the one for which the processor is asked.
const PAGES_AHEAD: usize = 12;

/// A page at the tail of a flush list, as a flush meets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TailPage {
    /// The page.
    pub(crate) page: u32,
    /// LSN of its oldest modification.
    pub(crate) lsn: u64,
}

/// A batch of pages of a flush list under write.
#[derive(Debug, Clone, Copy)]
pub(super) struct Writing {
    batch: u32,
    /// Smallest oldest modification in it, LSN.
    pub(super) lsn: Option<u64>,
    pub(super) pages: u64,
}

/// The dirty pages of one instance.
#[derive(Debug, Clone, Default)]
pub(super) struct InstanceLists {
    pub(super) list: FlushList,
    pub(super) writing: Vec<Writing>,
    /// Entries met at the tail while a write taken out of turn was in flight: they still count for the oldest
    /// modification, but no longer stand in the way.
    pub(super) parked: Vec<TailPage>,
}

/// The flush lists of all instances, and what of them is under write.
#[derive(Debug, Clone, Default)]
pub(crate) struct DirtyPages {
    pub(super) instances: Vec<InstanceLists>,
    /// Low half of the oldest modification LSN by page, of those that are dirty; kept only where pages can leave the flush
    /// list early.
    oldest_low: Option<Vec<u32>>,
    /// Pages that are freed by the time that a flush comes to them.
    freed: Vec<PageRun>,
    /// Pages that are written and still in the flush list, where they stay there for a while.
    linked: Option<Linked>,
    pub(super) unwritten: u64,
    under_write: u64,
    /// Smallest oldest modification over all instances, if nothing has left the lists since it was looked for.
    oldest: Option<u64>,
    /// Changes of the flush lists and of the batches under write so far.
    pub(super) changes: u64,
}

impl DirtyPages {
    /// No dirty pages in so many instances; written pages stay in the list for a while if there is `linked`.
    pub(super) fn new(instances: u32, linked: Option<Linked>) -> Self {
        DirtyPages { instances: vec![InstanceLists::default(); instances as usize], linked, ..DirtyPages::default() }
    }

    /// From now on pages may leave the flush lists early.
    pub(super) fn may_leave_early(&mut self, pages: u32) {
        if self.oldest_low.is_some() {
            return;
        }
        self.oldest = None;
        let mut low = vec![0; pages as usize];
        for entry in self.instances.iter().flat_map(|instance| instance.list.iter()) {
            low[entry.page as usize] = low_half(entry.lsn);
        }
        self.oldest_low = Some(low);
    }

    /// Whether every entry of a list is that of a dirty page.
    pub(super) fn leave_in_turn(&self) -> bool {
        self.oldest_low.is_none()
    }

    /// Makes room for `pages` pages.
    pub(super) fn grow(&mut self, pages: u32) {
        if let Some(low) = &mut self.oldest_low {
            low.resize(pages as usize, 0);
        }
        if let Some(linked) = &mut self.linked {
            linked.grow(pages);
        }
    }

    /// Makes room for so many more, spread over the instances; a bit more for those that have more than others.
    pub(crate) fn reserve(&mut self, pages: usize) {
        let each = pages * 17 / 16 / self.instances.len();
        self.instances.iter_mut().for_each(|instance| instance.list.reserve(each));
    }

    /// A clean page becomes dirty by redo that begins at `lsn`.
    #[inline]
    pub(super) fn enters(&mut self, page: u32, lsn: u64, instance: usize) {
        self.leaves_linked(page);
        if self.unwritten == 0 {
            self.oldest = None;
        }
        self.changes += 1;
        self.instances[instance].list.push(page, lsn);
        if let Some(low) = &mut self.oldest_low {
            low[page as usize] = low_half(lsn);
        }
        self.unwritten += 1;
    }

    /// A clean page is modified, or leaves memory: if it is written and still listed, not any more.
    #[inline]
    pub(super) fn leaves_linked(&mut self, page: u32) {
        if let Some(linked) = &mut self.linked {
            linked.leaves(page);
        }
    }

    /// Something leaves a flush list, or a batch begins or ends: what was found there has to be looked for again.
    #[inline]
    fn lists_change(&mut self) {
        self.oldest = None;
        self.changes += 1;
    }

    /// [`BufferPool::take_tail`](super::BufferPool::take_tail).
    #[inline]
    pub(super) fn take_tail(&mut self, instance: usize, lsn_limit: u64, pages: &mut PageStates) -> Option<TailPage> {
        self.lists_change();
        let entry = loop {
            self.drop_stale_tail(instance, pages);
            let entry = self.instances[instance].list.tail().filter(|e| e.lsn < lsn_limit)?;
            self.instances[instance].list.pop();
            if pages.is_dirty_idle(entry.page) {
                break entry;
            }
            self.instances[instance].parked.push(TailPage { page: entry.page, lsn: entry.lsn });
        };
        self.begin_write(entry.page, pages);
        Some(TailPage { page: entry.page, lsn: entry.lsn })
    }

    /// The page near the tail of a flush list that is taken soon if others are.
    #[inline]
    pub(super) fn page_near_tail(&self, instance: usize) -> Option<u32> {
        self.instances[instance].list.page_at(PAGES_AHEAD)
    }

    /// [`BufferPool::take_page`](super::BufferPool::take_page).
    #[inline]
    pub(super) fn take_page(&mut self, page: u32, pages: &mut PageStates) -> bool {
        let taken = pages.is_dirty_idle(page);
        if taken {
            self.begin_write(page, pages);
            if let Some(linked) = &mut self.linked {
                linked.taken_early(page);
            }
        }
        taken
    }

    #[inline]
    fn begin_write(&mut self, page: u32, pages: &mut PageStates) {
        pages.begin_write(page);
        self.under_write += 1;
    }

    /// The pages of a run are freed by the time that a flush comes to them.
    pub(crate) fn frees(&mut self, run: PageRun) {
        self.freed.push(run);
    }

    /// [`BufferPool::drop_freed`](super::BufferPool::drop_freed).
    #[inline]
    pub(super) fn drop_freed(&mut self, page: u32, pages: &mut PageStates) -> bool {
        let freed = self.freed.iter().any(|run| (run.first..run.first + run.pages).contains(&page));
        if freed {
            self.becomes_clean(page, pages);
        }
        freed
    }

    /// A page taken from the tail is not yet in a registered batch: its oldest modification counts until it is written.
    pub(crate) fn park(&mut self, instance: usize, taken: TailPage) {
        self.lists_change();
        self.instances[instance].parked.push(taken);
    }

    /// A batch of `pages` pages taken from `instance` is under write; `lsn` is the smallest oldest modification of those
    /// that were at the tail, if any was. Batches taken out of turn
    /// ([`BufferPool::take_page`](super::BufferPool::take_page)) stay in the flush list and need no registration.
    pub(crate) fn begin_batch(&mut self, instance: usize, batch: u32, lsn: Option<u64>, pages: u64) {
        self.lists_change();
        self.instances[instance].writing.push(Writing { batch, lsn, pages });
    }

    /// The batch is written: forget its LSN.
    pub(crate) fn end_batch(&mut self, instance: usize, batch: u32) {
        self.lists_change();
        self.instances[instance].writing.retain(|writing| writing.batch != batch);
    }

    /// Whether a list batch of this instance still has writes in flight.
    pub(crate) fn has_batch_in_flight(&self, instance: usize) -> bool {
        !self.instances[instance].writing.is_empty()
    }

    /// The write of a page is done: it is clean.
    #[inline]
    pub(super) fn page_written(&mut self, page: u32, pages: &mut PageStates) {
        self.becomes_clean(page, pages);
        if let Some(linked) = &mut self.linked {
            linked.written(page);
        }
    }

    #[inline]
    fn becomes_clean(&mut self, page: u32, pages: &mut PageStates) {
        self.under_write -= 1;
        self.unwritten -= 1;
        pages.written(page);
    }

    /// Somebody looks for the oldest modification, which takes written pages out of the flush lists that are still there.
    #[inline]
    pub(crate) fn prune_written(&mut self) {
        if let Some(linked) = &mut self.linked {
            linked.look();
        }
    }

    /// Dirty pages as the server counts them: the length of its flush lists, pages under write included.
    pub(crate) fn count(&self) -> u64 {
        self.unwritten + self.linked.as_ref().map_or(0, Linked::len)
    }

    /// Pages that are not written, or being written.
    pub(crate) fn unwritten(&self) -> u64 {
        self.unwritten
    }

    /// Dirty pages under write.
    pub(crate) fn under_write(&self) -> u64 {
        self.under_write
    }

    /// Entries of all flush lists with oldest modification <= `lsn`, stale ones included.
    pub(crate) fn listed_up_to(&self, lsn: u64) -> u64 {
        self.instances.iter().map(|instance| instance.list.count_up_to(lsn, u64::MAX)).sum()
    }

    /// Whether the flush list of `instance` may hold a page whose oldest modification is below `lsn_limit`.
    #[inline]
    pub(super) fn tail_below(&mut self, instance: usize, lsn_limit: u64, pages: &PageStates) -> bool {
        self.drop_stale_tail(instance, pages);
        self.instances[instance].list.oldest_lsn().is_some_and(|lsn| lsn < lsn_limit)
    }

    /// Entries of a flush list that stand for a dirty page, pages under write left out.
    pub(super) fn current_entries<'a>(
        &'a self,
        instance: u32,
        pages: &'a PageStates,
    ) -> impl Iterator<Item = Entry> + 'a {
        let listed = self.instances[instance as usize].list.iter();
        listed.filter(|entry| pages.is_dirty_idle(entry.page) && is_newest(&self.oldest_low, entry.page, entry.lsn))
    }

    /// Entries that the server's list holds, from the tail up to the first dirty page that is younger than `lsn`, pages under
    /// write left out. Written pages that are still linked have no oldest modification any more: they count, however young
    /// they were.
    pub(super) fn entries_up_to<'a>(
        &'a self,
        instance: u32,
        lsn: u64,
        pages: &'a PageStates,
    ) -> impl Iterator<Item = Entry> + 'a {
        let linked = |page| self.linked.as_ref().is_some_and(|linked| linked.contains(page));
        let entries = self.instances[instance as usize].list.iter();
        entries
            .filter(|entry| is_newest(&self.oldest_low, entry.page, entry.lsn))
            .filter(move |entry| pages.is_dirty_idle(entry.page) || linked(entry.page))
            .take_while(move |entry| entry.lsn <= lsn || !pages.is_dirty_idle(entry.page))
    }

    /// Whether an entry is that of a dirty page, and its newest.
    pub(super) fn is_current(&self, page: u32, lsn: u64, pages: &PageStates) -> bool {
        is_newest(&self.oldest_low, page, lsn) && pages.is_dirty(page)
    }

    fn drop_stale_tail(&mut self, instance: usize, pages: &PageStates) {
        if self.leave_in_turn() {
            return;
        }
        while let Some(entry) = self.instances[instance].list.tail() {
            if self.is_current(entry.page, entry.lsn, pages) {
                return;
            }
            self.instances[instance].list.pop();
            if !pages.is_dirty(entry.page) {
                self.leaves_linked(entry.page);
            }
        }
    }

    fn drop_stale_parked(&mut self, instance: usize, pages: &PageStates) {
        if !self.leave_in_turn() {
            let low = &self.oldest_low;
            let current = |p: &TailPage| pages.is_under_write(p.page) && is_newest(low, p.page, p.lsn);
            self.instances[instance].parked.retain(current);
        }
    }

    /// Smallest oldest modification in `instance`, pages under write included.
    fn oldest_of(&mut self, instance: usize, pages: &PageStates) -> Option<u64> {
        self.drop_stale_tail(instance, pages);
        self.drop_stale_parked(instance, pages);
        let instance = &self.instances[instance];
        let parked = instance.parked.iter().map(|p| p.lsn).min();
        let writing = instance.writing.iter().filter_map(|batch| batch.lsn).min();
        let listed = instance.list.tail().map(|e| e.lsn);
        [writing, listed, parked].into_iter().flatten().min()
    }

    /// Smallest oldest modification over all instances; 0 if nothing is dirty.
    #[inline]
    pub(super) fn oldest_modification_lsn(&mut self, pages: &PageStates) -> u64 {
        if let Some(oldest) = self.oldest {
            return oldest;
        }
        let oldest = (0..self.instances.len()).filter_map(|i| self.oldest_of(i, pages)).min().unwrap_or(0);
        // Where pages can leave early, any write may change it.
        self.oldest = self.leave_in_turn().then_some(oldest);
        oldest
    }

    /// Entries of all flush lists, stale ones included.
    pub(super) fn listed(&self) -> u64 {
        self.instances.iter().map(|i| i.list.len() as u64).sum()
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        let lists: u64 = self.instances.iter().map(|i| i.list.bytes()).sum();
        let low = self.oldest_low.as_ref().map_or(0, |l| l.capacity() as u64 * 4);
        lists + low + self.linked.as_ref().map_or(0, Linked::bytes)
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
