//! One flush-list batch: which pages it takes, in which order (`innodb-5.6` and `innodb-5.7`, sections 5.2 and 5.3).
//!
//! This is the reference for what the machine does page by page: one instance, one tablespace, nobody else at work, and
//! no write completes during the scan. The LSN limit is exclusive and tested on victims only; neighbours go with their
//! victim whatever their age, and count.

use super::neighbors::{Victim, flush_area_range};
use innosim_core::config::FlushNeighbors;
use std::collections::BTreeMap;

/// A page of a flush list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListPage {
    /// Page number.
    pub page_no: u64,
    /// LSN of its oldest modification.
    pub oldest_modification: u64,
    /// Under write already.
    pub io_fixed: bool,
    /// In use by somebody; written as a victim, but not as a neighbour.
    pub buffer_fixed: bool,
}

/// What a batch is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListBatch {
    /// Pages to take, at most but for a last victim and its neighbours.
    pub min_n: u64,
    /// Only victims with an oldest modification below this.
    pub lsn_limit: u64,
    /// `innodb_flush_neighbors`.
    pub mode: FlushNeighbors,
    /// Length of the LRU list of the instance.
    pub lru_len: u64,
    /// Pages of the instance.
    pub curr_size: u64,
    /// Pages of the tablespace.
    pub space_size: u64,
}

impl ListBatch {
    /// The pages that the batch takes from a list that is given tail first, in the order in which they are posted.
    pub fn run(&self, tail_first: &[ListPage]) -> Vec<u64> {
        let mut in_io: BTreeMap<u64, bool> = tail_first.iter().map(|p| (p.page_no, p.io_fixed)).collect();
        let fixed: BTreeMap<u64, bool> = tail_first.iter().map(|p| (p.page_no, p.buffer_fixed)).collect();
        let mut posted = Vec::new();
        for victim in tail_first {
            if posted.len() as u64 >= self.min_n || victim.oldest_modification >= self.lsn_limit {
                break;
            }
            if in_io.get(&victim.page_no) == Some(&false) {
                self.flush_with_neighbors(victim.page_no, &mut in_io, &fixed, &mut posted);
            }
        }
        posted
    }

    fn flush_with_neighbors(
        &self,
        page_no: u64,
        in_io: &mut BTreeMap<u64, bool>,
        fixed: &BTreeMap<u64, bool>,
        posted: &mut Vec<u64>,
    ) {
        let Self { lru_len, curr_size, space_size, .. } = *self;
        let victim = Victim { page_no, lru_len, curr_size, space_size };
        let (low, high) = flush_area_range(victim, self.mode, |p| in_io.get(&p) == Some(&false));
        let mut next = low;
        while next < high {
            if posted.len() as u64 >= self.min_n {
                // Enough: of what is left, only the victim itself is still written.
                if next > page_no {
                    break;
                }
                next = page_no;
            }
            let usable = next == page_no || fixed.get(&next) == Some(&false);
            if usable && in_io.get(&next) == Some(&false) {
                in_io.insert(next, true);
                posted.push(next);
            }
            next += 1;
        }
    }
}
