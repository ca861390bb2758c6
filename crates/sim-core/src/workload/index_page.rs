//! A leaf page of a secondary index: what it can hold, where its entries are found, what the removal of one leads to
//! (`docs/spec/index-pages.md`).

/// Bytes of a page for entries and their directory.
const ROOM_BYTES: u32 = 16_252;
/// Below this much a page merges, bytes of entries: `MERGE_THRESHOLD` of 50 % of the page.
const MERGE_BELOW_BYTES: u32 = 8_192;
/// This much must be free for the place of a removed entry to be used where the end of the page is taken, bytes.
const TIDY_UP_BYTES: u32 = 512;

/// What pages of the indexes can hold, entries.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Limits {
    pub(super) most: u16,
    /// A page with no more is offered to its neighbours after a removal.
    pub(super) merge_at: u16,
    pub(super) tidy_up: u16,
}

/// Where an entry lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundEntry {
    /// The page.
    pub page: u32,
    /// A page that a split has begun.
    pub split: Option<u32>,
}

/// What the removal of an entry leads to besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Removal {
    /// The neighbours that were latched with the page, as it might have merged: they become dirty without being changed.
    pub latched: [Option<u32>; 2],
    /// What the page merged with.
    pub merge: Option<Merge>,
}

/// Where the entries of a page went when it merged with a neighbour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Merge {
    /// The page that has them now.
    pub into: u32,
    /// How many moved.
    pub moved: u32,
    /// How many are half a page.
    pub half: u32,
}

impl Limits {
    pub(super) fn of(entries_a_page: u32) -> Self {
        let most = entries_a_page.clamp(2, 16_000);
        // In half bytes, as an entry takes half a byte of the page's directory: a slot of two bytes for each four.
        let with_directory = 2 * ROOM_BYTES / most;
        let entry = with_directory - 1;
        let at_most = |entries: u32| entries.min(most) as u16;
        Limits {
            most: most as u16,
            merge_at: at_most((2 * MERGE_BELOW_BYTES - 1) / entry),
            tidy_up: at_most((2 * TIDY_UP_BYTES).div_ceil(with_directory)),
        }
    }
}
