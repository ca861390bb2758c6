//! Where pages lie: tablespaces, extents, and the instance each extent hashes to.
//!
//! The simulator numbers pages densely from 0. Extents of 64 pages belong to one tablespace and one buffer pool
//! instance (all versions hash `page_no >> 6`), so two small tables by extent answer both questions. Page sets of one
//! tablespace follow each other in its file; pages that inserts add come in whole new extents at its end.

use crate::kernel::random::mix;
use prefetch_index::prefetch_index;
use std::hash::Hasher;

/// Pages in an extent of 16 KiB pages (1 MiB).
pub const EXTENT_PAGES: u32 = 64;

/// A run of pages of one page set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PageRun {
    /// First page.
    pub first: u32,
    /// Number of pages.
    pub pages: u32,
}

/// Hasher of page numbers for maps that are looked up in hot loops; no map is walked, so its order shows nowhere.
#[derive(Debug, Clone, Copy, Default)]
pub struct PageHasher(u64);

impl Hasher for PageHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = mix(self.0 ^ u64::from(byte)));
    }

    #[inline]
    fn write_u32(&mut self, page: u32) {
        self.0 = mix(self.0 ^ u64::from(page));
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

#[derive(Debug, Clone, Copy)]
struct Space {
    id: u32,
    next_page_no: u32,
}

/// Where an extent lies.
#[derive(Debug, Clone, Copy)]
struct Extent {
    /// Its number in its file.
    number: u32,
    space: u16,
}

/// The numbering of all pages.
#[derive(Debug, Clone, Default)]
pub struct PageSpace {
    /// File and buffer pool instance by extent; apart, as the instance is asked for far more often.
    extents: Vec<Extent>,
    instance_by_extent: Vec<u8>,
    spaces: Vec<Space>,
}

impl PageSpace {
    /// Adds `pages` pages to the end of tablespace `space_id`; `instance_of` is the version's hash.
    pub fn add(&mut self, space_id: u32, pages: u32, instance_of: &dyn Fn(u32, u32) -> u32) -> PageRun {
        let space = self.space_index(space_id);
        let first = self.pages();
        for _ in 0..pages.div_ceil(EXTENT_PAGES) {
            self.add_extent(space, instance_of);
        }
        PageRun { first, pages }
    }

    /// Number of the extent of `page` in its file.
    #[inline]
    pub fn extent_of(&self, page: u32) -> u32 {
        self.extents[(page / EXTENT_PAGES) as usize].number
    }

    /// Asks the processor for what says where a page lies in its file, if that is looked up.
    #[inline]
    pub fn prefetch(&self, page: u32) {
        prefetch_index(&self.extents, (page / EXTENT_PAGES) as usize);
    }

    /// Adds one extent to the tablespace of `page`, and gives its first page.
    pub fn extend_beside(&mut self, page: u32, instance_of: &dyn Fn(u32, u32) -> u32) -> u32 {
        let space = self.space_of(page);
        let first = self.pages();
        self.add_extent(space, instance_of);
        first
    }

    fn add_extent(&mut self, space: u16, instance_of: &dyn Fn(u32, u32) -> u32) {
        let entry = &mut self.spaces[usize::from(space)];
        let instance = instance_of(entry.id, entry.next_page_no) as u8;
        self.extents.push(Extent { number: entry.next_page_no / EXTENT_PAGES, space });
        entry.next_page_no += EXTENT_PAGES;
        self.instance_by_extent.push(instance);
    }

    fn space_index(&mut self, id: u32) -> u16 {
        let found = self.spaces.iter().position(|s| s.id == id);
        let index = found.unwrap_or_else(|| {
            self.spaces.push(Space { id, next_page_no: 0 });
            self.spaces.len() - 1
        });
        index as u16
    }

    /// Pages numbered so far: all extents, full or not.
    pub fn pages(&self) -> u32 {
        self.extents.len() as u32 * EXTENT_PAGES
    }

    /// Index of the tablespace of `page`, from 0.
    #[inline]
    pub fn space_of(&self, page: u32) -> u16 {
        self.extents[(page / EXTENT_PAGES) as usize].space
    }

    /// Buffer pool instance of `page`.
    #[inline]
    pub fn instance_of(&self, page: u32) -> usize {
        usize::from(self.instance_by_extent[(page / EXTENT_PAGES) as usize])
    }

    /// Number of tablespaces.
    pub fn spaces(&self) -> usize {
        self.spaces.len()
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        (self.extents.capacity() * size_of::<Extent>() + self.instance_by_extent.capacity()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_sets_of_a_space_follow_each_other_in_its_file() {
        let mut space = PageSpace::default();
        let hash = |id: u32, page_no: u32| (id + page_no / 64) % 4;
        let a = space.add(7, 100, &hash);
        let b = space.add(9, 10, &hash);
        let c = space.add(7, 64, &hash);
        assert_eq!((a.first, b.first, c.first), (0, 128, 192));
        assert_eq!(space.spaces(), 2);
        assert_eq!((space.instance_of(0), space.instance_of(64)), (3, 0));
        assert_eq!(space.instance_of(128), 1);
        assert_eq!(space.instance_of(192), (7 + 2) % 4);
        let grown = space.extend_beside(200, &hash);
        assert_eq!((grown, space.space_of(grown), space.instance_of(grown)), (256, 0, (7 + 3) % 4));
    }

    /// Files are whole extents; each has its own numbers. The version's hash is asked for the first page of each.
    #[test]
    fn extents_are_numbered_file_by_file() {
        let mut space = PageSpace::default();
        let hash = |_: u32, page_no: u32| page_no / 64 + page_no % 64;
        let runs = [(7, 64), (9, 65), (7, 1)].map(|(id, pages)| space.add(id, pages, &hash));
        assert_eq!(runs.map(|run| (run.first, run.pages)), [(0, 64), (64, 65), (192, 1)]);
        assert_eq!(space.pages(), 256);
        let places =
            [0, 63, 64, 127, 128, 191, 192, 255].map(|p| (space.space_of(p), space.extent_of(p), space.instance_of(p)));
        let expected = [(0, 0), (0, 0), (1, 0), (1, 0), (1, 1), (1, 1), (0, 1), (0, 1)];
        assert_eq!(places, expected.map(|(file, extent)| (file, extent, extent as usize)));
        let (least, bytes) = (4 * 9, space.bytes());
        assert!((least..=2 * least).contains(&bytes), "{bytes} bytes, of 9 an extent");
    }
}
