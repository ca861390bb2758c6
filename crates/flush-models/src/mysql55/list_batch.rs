//! One flush-list batch of 5.5, page by page (`innodb-5.5` sections 5.2 and 5.3).
//!
//! The machine flushes by the same rules on its own lists; here they stand alone, on a small list, so that the order of
//! pages can be checked: the scan restarts at the tail after each success, neighbours of an area go in page order and
//! count, and the LSN limit is tested on the tail page only, so that a batch runs past it while its tail is under
//! write.

use crate::legacy::neighbors::flush_area;
use std::ops::Range;

/// LRU lists shorter than this switch neighbour flushing off.
const LRU_MIN_LEN: u64 = 512;

/// A dirty page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirtyPage {
    /// Number in its tablespace.
    pub page: u64,
    /// LSN of its oldest modification.
    pub oldest_modification: u64,
    /// Being read or written.
    pub io_fixed: bool,
    /// In use by somebody.
    pub buffer_fixed: bool,
}

/// Surroundings of a batch: one instance, one tablespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Surroundings {
    /// Pages of the instance.
    pub curr_size: u64,
    /// Pages on its LRU list.
    pub lru_len: u64,
    /// Pages of the tablespace.
    pub space_size: u64,
    /// Pages that the doublewrite buffer holds; when it is full, all posted pages are written and become clean.
    pub doublewrite_pages: usize,
}

/// What a batch did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListBatch {
    /// Pages in the order in which they were posted.
    pub flushed: Vec<u64>,
    /// Times that the doublewrite buffer became full.
    pub doublewrite_drains: u64,
}

impl Surroundings {
    /// Pages of a flush area.
    pub fn area(&self) -> u64 {
        flush_area(self.curr_size)
    }

    /// Pages among which the neighbours of `page` are looked for, itself included.
    pub fn neighbors(&self, page: u64) -> Range<u64> {
        let area = self.area();
        if self.lru_len < LRU_MIN_LEN || area == 0 {
            return page..(page + 1).min(self.space_size);
        }
        let low = page / area * area;
        low..(low + area).min(self.space_size)
    }
}

/// A batch under way.
struct Run<'a> {
    surroundings: &'a Surroundings,
    /// The flush list, tail first.
    list: Vec<DirtyPage>,
    min_n: u64,
    result: ListBatch,
    /// Pages posted since the doublewrite buffer was empty.
    posted: usize,
}

/// `buf_flush_flush_list_batch`: flushes from the tail of `list` (tail first) until `min_n` pages are posted or the
/// tail page is not older than `lsn_limit`.
pub fn flush_list_batch(list: Vec<DirtyPage>, min_n: u64, lsn_limit: u64, surroundings: &Surroundings) -> ListBatch {
    let mut run = Run { surroundings, list, min_n, result: ListBatch::default(), posted: 0 };
    while run.list.first().is_some_and(|tail| tail.oldest_modification < lsn_limit) {
        let Some(victim) = run.list.iter().find(|p| !p.io_fixed).map(|p| p.page) else { break };
        run.flush_with_neighbors(victim);
        if run.result.flushed.len() as u64 >= min_n {
            break;
        }
    }
    run.result
}

impl Run<'_> {
    /// `buf_flush_try_neighbors`.
    fn flush_with_neighbors(&mut self, victim: u64) {
        let range = self.surroundings.neighbors(victim);
        let mut page = range.start;
        while page < range.end {
            if self.result.flushed.len() as u64 >= self.min_n {
                if page > victim {
                    break;
                }
                page = victim;
            }
            let ready = |p: &&mut DirtyPage| p.page == page && !p.io_fixed && (page == victim || !p.buffer_fixed);
            if let Some(found) = self.list.iter_mut().find(ready) {
                found.io_fixed = true;
                self.post(page);
            }
            page += 1;
        }
    }

    fn post(&mut self, page: u64) {
        self.result.flushed.push(page);
        self.posted += 1;
        if self.posted == self.surroundings.doublewrite_pages {
            let written = &self.result.flushed;
            self.list.retain(|p| !written.contains(&p.page));
            self.posted = 0;
            self.result.doublewrite_drains += 1;
        }
    }
}
