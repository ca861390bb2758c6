//! The LRU batch of one cleaner slot of 5.7: which pages it frees and which it posts (`innodb-5.7` section 4.2).
//!
//! This is the reference for what the machine does page by page: no neighbours, and no write completes during the scan.
//! The scan goes on after a page that it freed, and freed pages count against the batch, unlike in 5.6.

use crate::mysql56::lru_batch::{LRU_MIN_LEN, LruList, LruOutcome, LruPage};

/// One batch of at most `max` pages, posted and freed together.
pub fn lru_list_batch(list: LruList<'_>, max: u64) -> LruOutcome {
    let mut out = LruOutcome { free_len: list.free_len, ..LruOutcome::default() };
    let mut len = list.len;
    for (place, page) in list.tail_first.iter().enumerate() {
        let taken = (out.flushed.len() + out.evicted.len()) as u64;
        if taken >= max || out.free_len >= list.scan_depth || len <= LRU_MIN_LEN {
            break;
        }
        match page {
            LruPage::Clean => {
                out.evicted.push(place);
                out.free_len += 1;
                len -= 1;
            }
            LruPage::Dirty => out.flushed.push(place),
            LruPage::Pinned => {}
        }
        out.scanned += 1;
    }
    out
}
