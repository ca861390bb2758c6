//! Waits for one counted page: several clients may have met the same page while it was read or written.
//!
//! The first of them who modifies it makes it dirty; the others find it dirty, and leave all clean pages as they are.
//! Simplification: they pass it even where it has been taken for another write by then.

use crate::buffer_pool::PageHasher;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// Who waits for a page.
#[derive(Debug, Clone, Copy, Default)]
struct Waited {
    /// Touches that wait.
    by: u32,
    /// Whether one of those that waited has modified it.
    modified: bool,
}

/// The pages that somebody waits for, by their handles.
#[derive(Debug, Clone, Default)]
pub(super) struct Waits {
    pages: HashMap<u32, Waited, BuildHasherDefault<PageHasher>>,
}

impl Waits {
    /// A touch waits for a page from now on.
    pub(super) fn begin(&mut self, page: u32) {
        self.pages.entry(page).or_default().by += 1;
    }

    /// A touch has waited for a page: whether it is the first of those to `modify` it.
    pub(super) fn end(&mut self, page: u32, modify: bool) -> bool {
        let Some(waited) = self.pages.get_mut(&page) else { return modify };
        let first = modify && !waited.modified;
        waited.modified |= modify;
        waited.by -= 1;
        if waited.by == 0 {
            self.pages.remove(&page);
        }
        first
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.pages.capacity() * size_of::<(u32, Waited)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_who_modifies_a_page_makes_it_dirty() {
        let mut waits = Waits::default();
        for page in [7, 7, 7, 9] {
            waits.begin(page);
        }
        assert!(!waits.end(7, false), "who reads changes nothing");
        assert_eq!([waits.end(7, true), waits.end(9, true), waits.end(7, true)], [true, true, false]);
        // Nobody waits any longer: what is known of both pages is over.
        assert!(waits.pages.is_empty());
        waits.begin(7);
        assert!(waits.end(7, true));
    }
}
