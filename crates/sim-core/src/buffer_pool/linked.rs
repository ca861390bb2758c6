//! Written pages that are still in the flush list: MariaDB takes them out when somebody looks (`mariadb-10.11` section 8).
//!
//! The write of a page only marks it clean. Its entry goes when the oldest modification is looked for, from the tail of the list
//! up to the first page that is not written (a pass of the page cleaner as it begins, as it takes its batch and as it ends, a
//! checkpoint, `SHOW ENGINE INNODB STATUS`); when a batch comes by; when the page leaves memory. A page that is modified again
//! moves to the head. What the server counts as dirty is the length of the list.
//!
//! A look takes all written pages that a list batch took from the tail. Those that were written out of turn (neighbours, LRU
//! batches) lie somewhere in the list, until they are modified again, leave memory, or come to the tail. So where neighbours
//! are flushed the count hardly falls at first, however much is written, and all the faster in the end.
//!
//! Simplification: a look takes out all pages of list batches that are complete, though an earlier one may not be (errs
//! towards too few, by what is written out of order: there is one doublewrite batch at a time).

use super::bits::BitSet;

/// Written pages that are still in the flush list.
#[derive(Debug, Clone)]
pub(super) struct Linked {
    pages: BitSet,
    /// Pages under write that were taken out of turn.
    early: BitSet,
    /// Those of `pages` that a look takes out, and others that were modified again or left memory meanwhile.
    at_tail: Vec<u32>,
    all: u64,
}

impl Linked {
    /// None, of `pages` pages.
    pub(super) fn new(pages: u32) -> Self {
        Linked {
            pages: BitSet::with_len(pages as usize),
            early: BitSet::with_len(pages as usize),
            at_tail: Vec::new(),
            all: 0,
        }
    }

    /// Makes room for `pages` pages.
    pub(super) fn grow(&mut self, pages: u32) {
        self.pages.grow(pages as usize);
        self.early.grow(pages as usize);
    }

    /// Whether a page is written and still in the list.
    pub(super) fn contains(&self, page: u32) -> bool {
        self.all > 0 && self.pages.contains(page)
    }

    /// How many there are.
    pub(super) fn len(&self) -> u64 {
        self.all
    }

    /// A page is taken out of turn, to be written.
    pub(super) fn taken_early(&mut self, page: u32) {
        self.early.insert(page);
    }

    /// A page is written.
    pub(super) fn written(&mut self, page: u32) {
        self.pages.insert(page);
        if self.early.contains(page) {
            self.early.remove(page);
        } else {
            self.at_tail.push(page);
        }
        self.all += 1;
    }

    /// A clean page is modified, leaves memory, or its old entry came to the tail.
    #[inline]
    pub(super) fn leaves(&mut self, page: u32) {
        if self.contains(page) {
            self.pages.remove(page);
            self.all -= 1;
        }
    }

    /// Somebody looks for the oldest modification.
    pub(super) fn look(&mut self) {
        for page in std::mem::take(&mut self.at_tail) {
            self.leaves(page);
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        self.pages.bytes() + self.early.bytes() + self.at_tail.capacity() as u64 * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_takes_out_what_was_written_in_turn() {
        let mut linked = Linked::new(10);
        [4, 5, 6].into_iter().for_each(|page| linked.taken_early(page));
        (1..=6).for_each(|page| linked.written(page));
        assert_eq!(linked.len(), 6);
        [1, 4, 9].into_iter().for_each(|page| linked.leaves(page));
        assert_eq!(linked.len(), 4, "modified again; page 9 was not written");
        linked.taken_early(1);
        linked.written(1);
        linked.look();
        assert_eq!(linked.len(), 2, "written out of turn: 5, 6; page 1 was in turn first, and a look takes it");
        linked.leaves(6);
        linked.look();
        assert_eq!(linked.len(), 1);
        linked.grow(65);
        linked.written(64);
        linked.look();
        assert_eq!(linked.len(), 1, "in turn");
        assert_eq!(linked.bytes(), 32, "two bits a page; what the looks took is gone");
    }
}
