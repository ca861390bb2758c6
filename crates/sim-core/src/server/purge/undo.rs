//! Undo pages: where undo logs lie, and when their pages are free again.
//!
//! An undo log of a small transaction shares its page with others: a page takes logs until three quarters of it are
//! used, then the next one is begun, in the undo tablespaces in turn. Pages are freed when the last log in them is cut
//! off from the history; the page freed last is used first. A new page is dirty from the start and needs no read. What
//! lies in it until purge comes may be flushed and evicted meanwhile; then purge reads it back.
//!
//! Simplifications: pages are filled one after the other, not 128 rollback segments at once (their current pages and
//! headers are the workload's hot undo pages); a new page that finds no free frame at once gets one later, and nobody
//! waits for it.

use crate::buffer_pool::{EXTENT_PAGES, Modification, PageRun, PageSpace};
use crate::config::UndoConfig;
use crate::server::machine::Machine;
use crate::server::purge::Purge;
use std::collections::VecDeque;

/// Bytes of undo logs on a page before the next is begun.
pub(super) const PAGE_USED_BYTES: u32 = 12 * 1024;

/// A page with undo logs.
#[derive(Debug, Clone, Copy)]
struct UndoPage {
    page: u32,
    space: usize,
    /// Numbers of the first and of the last undo log in it.
    from: u64,
    until: u64,
}

/// An undo tablespace, or the undo logs of the system tablespace.
#[derive(Debug, Clone, Default)]
struct UndoSpace {
    /// Pages to be used, the one freed last at the end.
    free: Vec<u32>,
    /// Pages of the file before its last truncation that are not part of it any more.
    cut_off: Vec<u32>,
    /// The last extent, from its first unused page on.
    extent: PageRun,
    /// Pages used since the last truncation, and those of them that hold undo logs.
    pages: u32,
    held: u32,
    /// Number of the last undo log that may lie in it, once it is to be truncated.
    closed_after: Option<u64>,
}

/// The undo tablespaces.
#[derive(Debug, Clone)]
pub(in crate::server) struct UndoSpaces {
    config: UndoConfig,
    spaces: Vec<UndoSpace>,
    /// Pages that hold undo logs, oldest first.
    held: VecDeque<UndoPage>,
    /// How many of them purge has read.
    read: usize,
    next_space: usize,
    /// Bytes left on the last page.
    left: u32,
    /// New pages that found no frame yet.
    homeless: VecDeque<u32>,
}

impl UndoSpaces {
    pub(in crate::server) fn new(
        config: UndoConfig,
        space: &mut PageSpace,
        instance_of: &dyn Fn(u32, u32) -> u32,
    ) -> Self {
        let undo_space =
            |id: u32| UndoSpace { extent: space.add(id, EXTENT_PAGES, instance_of), ..UndoSpace::default() };
        UndoSpaces {
            config,
            spaces: config.spaces().map(undo_space).collect(),
            held: VecDeque::new(),
            read: 0,
            next_space: 0,
            left: 0,
            homeless: VecDeque::new(),
        }
    }

    fn size(&self, space: &UndoSpace) -> u64 {
        let least = if self.config.tablespaces == 0 { 0 } else { self.config.initial_pages };
        u64::from(space.pages.max(least))
    }

    /// Pages of all undo tablespaces, or of the undo logs in the system tablespace.
    pub(in crate::server) fn pages(&self) -> u64 {
        self.spaces.iter().map(|space| self.size(space)).sum()
    }

    /// Undo log number `log`, of so many bytes, is written; returns how many pages it begins.
    #[inline]
    pub(in crate::server) fn write(&mut self, bytes: u32, log: u64) -> u32 {
        if bytes <= self.left {
            self.left -= bytes;
            return 0;
        }
        if let Some(last) = self.held.back_mut() {
            last.until = last.until.min(log);
        }
        let begun = (bytes - self.left).div_ceil(PAGE_USED_BYTES);
        self.left = self.left + begun * PAGE_USED_BYTES - bytes;
        begun
    }

    /// A page for undo log number `log` and those after it, and whether a new extent was added for it.
    fn begin(
        &mut self,
        log: u64,
        last: bool,
        space: &mut PageSpace,
        instance_of: &dyn Fn(u32, u32) -> u32,
    ) -> (u32, bool) {
        let spaces = self.spaces.len();
        let open = (0..spaces).map(|i| (self.next_space + i) % spaces).find(|&i| self.spaces[i].closed_after.is_none());
        let number = open.unwrap_or(self.next_space);
        self.next_space = (number + 1) % spaces;
        let one = &mut self.spaces[number];
        one.held += 1;
        let mut added = false;
        let page = one.free.pop().unwrap_or_else(|| {
            one.pages += 1;
            one.cut_off.pop().unwrap_or_else(|| {
                if one.extent.pages == 0 {
                    one.extent =
                        PageRun { first: space.extend_beside(one.extent.first - 1, instance_of), pages: EXTENT_PAGES };
                    added = true;
                }
                let page = one.extent.first;
                one.extent = PageRun { first: page + 1, pages: one.extent.pages - 1 };
                page
            })
        });
        self.held.push_back(UndoPage { page, space: number, from: log, until: if last { u64::MAX } else { log } });
        (page, added)
    }

    /// Pages that hold undo logs up to number `log` and that purge has not read yet.
    pub(super) fn pages_of(&mut self, log: u64) -> impl Iterator<Item = u32> {
        let from = self.read;
        while self.held.get(self.read).is_some_and(|page| page.from <= log) {
            self.read += 1;
        }
        self.held.range(from..self.read).map(|page| page.page)
    }

    /// The history up to undo log number `log` is cut off: pages without others are free.
    pub(super) fn free_up_to(&mut self, log: u64) {
        while let Some(&UndoPage { page, space, until, .. }) = self.held.front() {
            if until > log {
                break;
            }
            self.held.pop_front();
            self.read = self.read.saturating_sub(1);
            self.spaces[space].held -= 1;
            self.spaces[space].free.push(page);
        }
    }

    /// Closes a tablespace that has grown too large, so that no further undo log goes there, `committed` being the
    /// number of the last one written; returns a closed one that holds none up to `cut_off` any more.
    pub(super) fn full_space(&mut self, committed: u64, cut_off: u64) -> Option<usize> {
        let limit = self.config.truncate_above_pages?.max(u64::from(self.config.initial_pages));
        if !self.spaces.iter().any(|space| space.closed_after.is_some()) {
            let spaces = self.spaces.len();
            let large = (0..spaces)
                .map(|i| (self.next_space + i) % spaces)
                .find(|&i| u64::from(self.spaces[i].pages) > limit)?;
            self.spaces[large].closed_after = Some(committed);
            if let Some(last) = self.held.back_mut().filter(|page| page.space == large) {
                last.until = last.until.min(committed);
                self.left = 0;
            }
            self.free_up_to(cut_off);
        }
        self.spaces.iter().position(|s| s.held == 0 && s.closed_after.is_some_and(|log| log <= cut_off))
    }

    /// A tablespace is truncated and open again.
    pub(super) fn truncated(&mut self, number: usize) {
        let space = &mut self.spaces[number];
        space.cut_off.append(&mut space.free);
        (space.pages, space.closed_after) = (0, None);
    }
}

impl Purge {
    /// Begins the pages that undo log number `log` needs.
    #[cold]
    pub(super) fn begin_undo_pages(&mut self, log: u64, number: u32, machine: &mut Machine) {
        for nth in 1..=number {
            let instance_of = |space, page| machine.model.instance_of(space, page);
            let (page, added) = self.undo.begin(log, nth == number, &mut machine.space, &instance_of);
            self.undo.homeless.push_back(page);
            if added {
                machine.pool.grow(&machine.space, machine.now);
            }
        }
        for _ in 0..2 * number {
            let Some(page) = self.undo.homeless.pop_front().filter(|&page| !machine.place_undo_page(page)) else {
                continue;
            };
            self.undo.homeless.push_back(page);
        }
        machine.redo.appended(machine.now);
        machine.set_flush_event_if_due();
    }
}

impl Machine {
    /// Makes a new undo page dirty, in a frame of its own; false if there is no frame, or the page is under write.
    fn place_undo_page(&mut self, page: u32) -> bool {
        let instance = self.space.instance_of(page);
        if self.page_reads.contains_key(&page) {
            return false;
        }
        if !self.pool.pages.is_resident(page) {
            if !self.take_or_free_frame(instance) {
                return false;
            }
            self.pool.page_arrived(page, &self.space, self.now);
        }
        let placed = self.pool.modify(page, self.redo.current_lsn(), &self.space, self.now) == Modification::Done;
        if placed {
            self.append_change(page, 0);
        }
        placed
    }
}
