//! One chunk of the LRU tail flush of 5.6: which pages it frees and which it posts (`innodb-5.6` section 4.2).
//!
//! This is the reference for what the machine does page by page: no neighbours, and no write completes during the scan.
//! After each page that it frees, the scan begins at the tail again; only posted pages count against the chunk.

/// Pages of one chunk.
pub const CHUNK_PAGES: u64 = 100;
/// LRU lists of this many pages or fewer are left alone.
pub const LRU_MIN_LEN: u64 = 256;

/// A page at the tail of an LRU list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LruPage {
    /// Can be freed.
    Clean,
    /// Can be posted.
    Dirty,
    /// In use or under write.
    Pinned,
}

/// An LRU list of one instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LruList<'a> {
    /// Pages on it.
    pub len: u64,
    /// The pages at its tail, tail first; all others are pinned.
    pub tail_first: &'a [LruPage],
    /// Pages on the free list.
    pub free_len: u64,
    /// `innodb_lru_scan_depth`.
    pub scan_depth: u64,
}

/// What a batch did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LruOutcome {
    /// Places (from the tail) of the pages that were freed, in order.
    pub evicted: Vec<usize>,
    /// Places of the pages that were posted, in order.
    pub flushed: Vec<usize>,
    /// Pages looked at.
    pub scanned: u64,
    /// Pages on the free list afterwards.
    pub free_len: u64,
}

/// One chunk of at most `max` posted pages.
pub fn lru_list_batch(list: LruList<'_>, max: u64) -> LruOutcome {
    let mut left: Vec<(usize, LruPage)> = list.tail_first.iter().copied().enumerate().collect();
    let mut out = LruOutcome { free_len: list.free_len, ..LruOutcome::default() };
    let mut len = list.len;
    let mut at = 0;
    while at < left.len() && (out.flushed.len() as u64) < max && out.free_len < list.scan_depth && len > LRU_MIN_LEN {
        let (place, page) = left[at];
        out.scanned += 1;
        match page {
            LruPage::Clean => {
                left.remove(at);
                out.evicted.push(place);
                out.free_len += 1;
                len -= 1;
                at = 0;
            }
            LruPage::Dirty => {
                left[at].1 = LruPage::Pinned;
                out.flushed.push(place);
                at += 1;
            }
            LruPage::Pinned => at += 1,
        }
    }
    out
}
