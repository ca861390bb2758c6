//! The doublewrite buffer of the system tablespace: the writes of its drains (`innodb-5.5` to `innodb-5.7`, section 6).

/// Pages of one doublewrite block: the longest single write.
pub const BLOCK_PAGES: u64 = 64;

/// Pages that 5.5 collects.
pub const CAPACITY_55: u64 = 128;
/// Pages that 5.6 and 5.7 collect; their other 8 places are for single-page flushes.
pub const CAPACITY_56: u64 = 120;

/// One drain of the doublewrite buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drain {
    /// Pages of the batch; each is written to its data file afterwards.
    pub pages: u64,
    /// Pages of each write to the doublewrite area; one sync of the system tablespace follows them.
    pub writes: Vec<u64>,
}

/// Drains of a batch of `n_pages` that ends with a drain, with a buffer of `capacity` pages.
pub fn doublewrite_batches(n_pages: u64, capacity: u64) -> Vec<Drain> {
    let (full, rest) = (n_pages / capacity, n_pages % capacity);
    let sizes = std::iter::repeat_n(capacity, full as usize).chain((rest > 0).then_some(rest));
    sizes.map(|pages| Drain { pages, writes: writes(pages) }).collect()
}

fn writes(pages: u64) -> Vec<u64> {
    let first = pages.min(BLOCK_PAGES);
    [first, pages - first].into_iter().filter(|&n| n > 0).collect()
}
