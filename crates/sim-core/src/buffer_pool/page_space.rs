//! Where pages lie: tablespaces, extents, and the instance each extent hashes to.
//!
//! The simulator numbers pages densely from 0. Extents of 64 pages belong to one tablespace and one buffer pool
//! instance (all versions hash `page_no >> 6`), so two small tables by extent answer both questions. Page sets of one
//! tablespace follow each other in its file; pages that inserts add come in whole new extents at its end.

use super::counted::{self, Bin, bin_of, is_counted, place_of};
use crate::kernel::random::mix;
use prefetch_index::prefetch_index;
use std::hash::Hasher;

/// Pages in an extent of 16 KiB pages (1 MiB).
pub const EXTENT_PAGES: u32 = 64;

/// A run of pages of one page set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    /// Tablespaces of the counted pages by bin, and where the extents of a tablespace lie, as far as that repeats itself.
    spaces_by_bin: Vec<Vec<u16>>,
    patterns: Vec<Pattern>,
}

/// Extents of a tablespace after which its instances repeat, whatever their number is (at most 64).
const PATTERN_EXTENTS: u32 = 64;

/// Extents of a tablespace by their instance.
type Pattern = Vec<Vec<u8>>;

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

    /// Adds `pages` pages to the end of tablespace `space_id` that are counted: how many lie in each instance, up to the last that
    /// has some.
    pub fn add_counted_set(&mut self, space_id: u32, pages: u64, instance_of: &dyn Fn(u32, u32) -> u32) -> Vec<u64> {
        let space = self.space_index(space_id);
        let next_page_no = &mut self.spaces[usize::from(space)].next_page_no;
        let (extent, mut counted) = (u64::from(EXTENT_PAGES), Vec::new());
        for first in (0..pages).step_by(EXTENT_PAGES as usize) {
            let instance = instance_of(space_id, *next_page_no) as usize;
            counted.resize(counted.len().max(instance + 1), 0);
            counted[instance] += extent.min(pages - first);
            *next_page_no += EXTENT_PAGES;
        }
        counted
    }

    /// Adds pages that are counted by bin and instance. Each has a tablespace and an extent of it in its instance, which is
    /// drawn anew with each handle: the servers find instance and I/O thread by the extent.
    pub fn add_counted(&mut self, bins: &[Bin], instances: u32, instance_of: &dyn Fn(u32, u32) -> u32) {
        for bin in bins {
            let spaces = bin.spaces.iter().map(|&id| self.space_index(id)).collect();
            self.spaces_by_bin.push(spaces);
        }
        if bins.is_empty() {
            return;
        }
        let pattern = |space: &Space| -> Pattern {
            let mut extents = vec![Vec::new(); instances as usize];
            for extent in 0..PATTERN_EXTENTS {
                extents[instance_of(space.id, extent * EXTENT_PAGES) as usize].push(extent as u8);
            }
            extents
        };
        self.patterns = self.spaces.iter().map(pattern).collect();
    }

    /// Tablespace of a counted page, and its extent within the pattern.
    #[inline]
    fn place_of_counted(&self, page: u32) -> (u16, u32) {
        let place = place_of(page);
        let spaces = &self.spaces_by_bin[usize::from(bin_of(page))];
        let space = spaces[counted::file_of(page, spaces.len())];
        let extents = &self.patterns[usize::from(space)][counted::instance_of(page)];
        let extent = extents.get((place & 0xff) as usize % extents.len().max(1));
        (space, extent.map_or(0, |&extent| u32::from(extent)))
    }

    /// Number of the extent of `page` in its file.
    #[inline]
    pub fn extent_of(&self, page: u32) -> u32 {
        if is_counted(page) {
            return self.place_of_counted(page).1;
        }
        self.extents[(page / EXTENT_PAGES) as usize].number
    }

    /// Asks the processor for what says where a page lies in its file, if that is looked up.
    #[inline]
    pub fn prefetch(&self, page: u32) {
        if is_counted(page) {
            return;
        }
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
        if is_counted(page) {
            return self.place_of_counted(page).0;
        }
        self.extents[(page / EXTENT_PAGES) as usize].space
    }

    /// Buffer pool instance of `page`.
    #[inline]
    pub fn instance_of(&self, page: u32) -> usize {
        if is_counted(page) {
            return counted::instance_of(page);
        }
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

    /// Counted pages lie in the instances of their extents, the last of which may be cut short.
    #[test]
    fn counted_pages_have_the_instances_of_their_extents() {
        let mut space = PageSpace::default();
        let hash = |id: u32, page_no: u32| (id + page_no / 64) % 4;
        assert_eq!(space.add_counted_set(7, 100, &hash), [36, 0, 0, 64]);
        assert_eq!(space.add_counted_set(9, 64, &hash), [0, 64]);
        assert_eq!(space.add_counted_set(7, 200, &hash), [8, 64, 64, 64], "from the third extent on");
        assert_eq!(space.spaces(), 2);
        // What follows in the file comes after them.
        let own = space.add(7, 64, &hash);
        assert_eq!((own.first, space.extent_of(0), space.instance_of(0)), (0, 6, 1));
    }

    /// A counted page lies in an extent that the version's hash puts into its instance, of any of the files of its bin.
    #[test]
    fn counted_pages_lie_where_their_instance_has_extents() {
        let mut space = PageSpace::default();
        let hash = |id: u32, page_no: u32| (id + page_no / 64) % 6;
        space.add(3, 64, &hash);
        let bin = |spaces: &[u32]| Bin {
            pages: 9,
            resident: 9,
            spaces: spaces.to_vec(),
            bytes_between_modifications: 1.0,
            freed: false,
        };
        space.add_counted(&[bin(&[3]), bin(&[3, 5])], 6, &hash);
        assert_eq!(space.spaces(), 2);
        for (bin, files) in [(0, 1), (1, 2)] {
            let mut all = 0;
            for instance in 0..6 {
                let mut met = [[0; 64]; 2];
                for serial in 0..4_000 {
                    let page = counted::handle(bin, instance, serial);
                    let (file, extent) = (space.space_of(page), space.extent_of(page));
                    assert_eq!(hash([3, 5][usize::from(file)], extent * 64), instance as u32);
                    assert_eq!(space.instance_of(page), instance);
                    met[usize::from(file)][extent as usize] += 1;
                }
                // 10 or 11 of the 64 extents, as often as each other.
                let extents = met.iter().flatten().filter(|&&times| times > 0).count();
                let most = met.iter().flatten().max().unwrap();
                assert!((10 * files..=11 * files).contains(&extents), "{extents} extents");
                all += extents;
                assert!((4_000 / extents..4_000 / extents * 3 / 2).contains(most), "{most} times in one");
            }
            assert_eq!(all, 64 * files, "all extents of the pattern");
        }
    }

    /// Where a file has one extent in an instance, or none in what is looked at, pages lie in that, or in the first.
    #[test]
    fn an_instance_may_have_few_extents() {
        let mut space = PageSpace::default();
        let bin = Bin { pages: 9, resident: 9, spaces: vec![3], bytes_between_modifications: 1.0, freed: false };
        space.add_counted(&[bin], 3, &|_, page_no| u32::from(page_no / 64 == 63));
        for serial in 0..100 {
            assert_eq!([1, 2].map(|instance| space.extent_of(counted::handle(0, instance, serial))), [63, 0]);
        }
    }
}
