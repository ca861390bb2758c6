//! Draws from the pages that are counted, as the rest of the server makes them of its buffer pool.

use super::BufferPool;
use crate::buffer_pool::counted::{CountedPages, File, MetAgain, MetPage, bin_of, instance_of};

impl BufferPool {
    /// The pages that are counted.
    pub(crate) fn counted(&self) -> &CountedPages {
        &self.counted
    }

    /// How many of `draws` from bins pass without meeting anything, see [`CountedPages::pass`].
    #[inline]
    pub(crate) fn pass_counted(&mut self, class: u16, modify: bool, draws: u32, times: f64) -> u32 {
        self.counted.pass(class, modify, draws, times)
    }

    /// Pages of a home are about to be read, see [`CountedPages::read_at_home`].
    #[inline]
    pub(crate) fn read_at_home(&mut self, class: u16, home: u64, draws: u32) -> (u32, f64) {
        self.counted.read_at_home(class, home, draws)
    }

    /// A handle that stands for a page of a way of drawing at a home, to say in which table it may lie.
    pub(crate) fn somewhere_in(&mut self, class: u16, home: u64) -> u32 {
        self.counted.somewhere_in(class, home)
    }

    /// What the draw of a transaction at a home meets that did not pass.
    pub(crate) fn meet_counted(&mut self, class: u16, modify: bool, home: u64) -> MetPage {
        self.counted.meet(class, modify, home)
    }

    /// What somebody meets who comes back to a page, see [`CountedPages::meet_again`].
    pub(crate) fn meet_counted_again(&mut self, class: u16, written: f64) -> MetAgain {
        self.counted.meet_again(class, written)
    }

    /// Redo that must be durable before the counted ones among these pages are written, see
    /// [`CountedPages::newest_above`].
    pub(crate) fn newest_of_counted(&mut self, pages: &[u32], durable_lsn: u64, current_lsn: u64) -> u64 {
        if self.counted.is_empty() { 0 } else { self.counted.newest_above(pages, durable_lsn, current_lsn) }
    }

    /// The clean page of a number of its bin is modified by redo that begins at `lsn`.
    #[inline]
    pub(crate) fn counted_becomes_dirty(&mut self, bin: u16, nth: u64, file: File, lsn: u64) {
        if let Some(linked) = &mut self.linked {
            linked.counted_leaves(bin, nth);
        }
        let page = self.counted.becomes_hot(bin, nth, file);
        self.enters_flush_list(page, lsn, instance_of(page));
    }

    /// A touch waits until a counted page is read, or written.
    pub(crate) fn wait_for_counted(&mut self, page: u32) {
        self.counted.wait_for(page);
    }

    /// A touch has waited for a page, which it modifies by redo that begins at `lsn` if that is what it does. Another who
    /// waited may have done so before, or others like it have become dirty first: then nothing changes.
    pub(crate) fn waited_for_counted(&mut self, page: u32, modify: bool, lsn: u64) {
        if !self.counted.waited_for(page, modify) {
            return;
        }
        if let Some(page) = self.counted.this_becomes_hot(page) {
            if let Some(linked) = &mut self.linked {
                // It was waited for until it was written, or read.
                linked.counted_leaves(bin_of(page), 0);
            }
            self.enters_flush_list(page, lsn, instance_of(page));
        }
    }
}
