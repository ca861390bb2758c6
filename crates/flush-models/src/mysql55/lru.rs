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

    /// `buf_flush_LRU_recommendation`. `tail_replaceable`: pages from the LRU tail on, whether each is clean and
    /// unused.
    pub fn recommendation(&self, free_len: u64, tail_replaceable: impl IntoIterator<Item = bool>) -> LruRecommendation {
        let mut found = LruRecommendation { n_replaceable: free_len, distance: 0, n_to_flush: 0 };
        for replaceable in tail_replaceable {
            if found.n_replaceable >= self.target() || found.distance >= self.search_len {
                break;
            }
            found.n_replaceable += u64::from(replaceable);
            found.distance += 1;
        }
        if found.n_replaceable < self.free_block_margin {
            found.n_to_flush = self.target() - found.n_replaceable;
        }
        found
    }
}

/// What a look at the LRU tail finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LruRecommendation {
    /// Free pages and replaceable ones near the tail.
    pub n_replaceable: u64,
    /// Pages looked at.
    pub distance: u64,
    /// Pages that the LRU batch is to flush; 0 for no batch.
    pub n_to_flush: u64,
}

/// One round of `buf_LRU_get_free_block` for a thread that wants a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FreeBlockRound {
    /// Pages searched from the LRU tail for a clean, unused one.
    pub distance: u64,
    /// Sleep after a round without success, microseconds.
    pub sleep_us: u64,
    /// Whether the error log warns.
    pub log_warning: bool,
}

/// The `n`-th round (from 1) in an instance of `curr_size` pages.
pub fn lru_search_distance(n: u64, curr_size: u64) -> FreeBlockRound {
    FreeBlockRound {
        distance: 100 + n * curr_size / 10,
        sleep_us: if n > 10 { 500_000 } else { 0 },
        log_warning: n > 30,
    }
}
