//! LRU flushing of 5.5: margins of free pages that user threads keep up (`innodb-5.5` sections 4.1 to 4.3).
//!
//! There is no background LRU flushing: who has read or created a page looks whether its instance has enough free and
//! replaceable pages, and if not flushes some from the LRU tail, in its own time.

use crate::legacy::neighbors::read_ahead_area;

/// Margins of one instance, pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LruMargins {
    /// [`read_ahead_area`].
    pub read_ahead_area: u64,
    /// `BUF_FLUSH_FREE_BLOCK_MARGIN`: with fewer free and replaceable pages a batch begins.
    pub free_block_margin: u64,
    /// `BUF_FLUSH_EXTRA_MARGIN`: how far beyond the margin a batch goes.
    pub extra_margin: u64,
    /// `BUF_LRU_FREE_SEARCH_LEN`: pages looked at from the LRU tail.
    pub search_len: u64,
}

impl LruMargins {
    /// Margins of an instance of `curr_size` pages in a pool of `instances`.
    pub fn new(curr_size: u64, instances: u64) -> Self {
        let read_ahead_area = read_ahead_area(curr_size);
        let free_block_margin = 5 + read_ahead_area;
        LruMargins {
            read_ahead_area,
            free_block_margin,
            extra_margin: (free_block_margin / 4 + 100) / instances,
            search_len: 5 + 2 * read_ahead_area,
        }
    }

    /// Free and replaceable pages after a batch.
    pub fn target(&self) -> u64 {
        self.free_block_margin + self.extra_margin
    }
}
