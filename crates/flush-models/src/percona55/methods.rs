//! Adaptive flushing of Percona Server 5.5 and XtraDB 5.1 (`percona` sections 1, 2.1 and 2.2).
//!
//! Each method asks, once a second or ten times, for pages to flush and an LSN up to which to flush them. The limit is
//! one interval of redo above the oldest page and usually ends the batch before the number of pages does.

use crate::legacy::io::pct_io;

/// A number of pages and how far they may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FlushUpTo {
    /// Pages over all instances; 0 for no flushing.
    pub pages: u64,
    /// Only pages modified before this LSN.
    pub lsn_limit: u64,
}

/// Where the age of the oldest page stands for `estimate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EstimateZone {
    /// Nothing is dirty.
    NoDirtyPage,
    /// Up to a quarter of the maximal age: nothing to do yet.
    BelowQuarter,
    /// The method decides.
    Active,
    /// Above 7/8: left to the checks of user threads.
    AboveSevenEighths,
}

/// The zone of an age; `oldest_modification` 0: nothing is dirty.
pub fn estimate_zone(lsn: u64, oldest_modification: u64, max_checkpoint_age: u64) -> EstimateZone {
    let age = lsn.saturating_sub(oldest_modification);
    if oldest_modification == 0 {
        EstimateZone::NoDirtyPage
    } else if age > max_checkpoint_age - max_checkpoint_age / 8 {
        EstimateZone::AboveSevenEighths
    } else if age > max_checkpoint_age / 4 {
        EstimateZone::Active
    } else {
        EstimateZone::BelowQuarter
    }
}

/// What `estimate` sums up of one flush list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListLevel {
    /// Dirty pages.
    pub n_pages: u64,
    /// Sum of their oldest modifications.
    pub sum_oldest_modification: u128,
}

impl ListLevel {
    /// Sum over the pages of the redo that may still be written before each reaches the maximal age, bytes.
    fn level(&self, lsn: u64, max_checkpoint_age: u64) -> u128 {
        let room = i128::from(max_checkpoint_age) - i128::from(lsn);
        let sum = i128::from(self.n_pages) * room + self.sum_oldest_modification as i128;
        sum.max(0) as u128
    }
}

/// `innodb_adaptive_flushing_method = estimate`, within [`EstimateZone::Active`]: the pages of each list must leave
/// before they reach the maximal age, so a byte of redo calls for (pages / their mean distance) pages. `lsn_old`: LSN
/// at the previous pass.
pub fn estimate(
    lsn: u64,
    lsn_old: u64,
    oldest_modification: u64,
    max_checkpoint_age: u64,
    doublewrite: bool,
    lists: impl IntoIterator<Item = ListLevel>,
) -> FlushUpTo {
    if estimate_zone(lsn, oldest_modification, max_checkpoint_age) != EstimateZone::Active {
        return FlushUpTo::default();
    }
    let interval = lsn - lsn_old;
    let pages_of = |list: ListLevel| {
        let n = u128::from(list.n_pages);
        (n * n * u128::from(interval)).checked_div(list.level(lsn, max_checkpoint_age)).unwrap_or(0) as u64
    };
    let bpl: u64 = lists.into_iter().map(pages_of).sum();
    let pages = if doublewrite { bpl } else { bpl * 7 / 8 };
    if pages == 0 { FlushUpTo::default() } else { FlushUpTo { pages, lsn_limit: oldest_modification + interval } }
}

/// What `keep_average` knows of one flush list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListTurnover {
    /// Pages on the newer side of the page that was the newest in the last round.
    pub new_blocks: u64,
    /// Pages in the list in the last round.
    pub prev_count: u64,
    /// Pages in the list now.
    pub blocks: u64,
}

/// What a round of `keep_average` finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeepAverage {
    /// Pages to flush; 0 for none.
    pub n_flush: u64,
    /// Pages that left the lists since the last round.
    pub flushed_blocks_sum: u64,
    /// Pages that entered them.
    pub new_blocks_sum: u64,
}

/// `innodb_adaptive_flushing_method = keep_average`: flush in a round the dirty pages that the round's redo makes due,
/// less what others flushed. `n_pages_flushed_prev`: pages that the last round itself flushed.
pub fn keep_average(
    lsn: u64,
    lsn_old: u64,
    max_modified_age_async: u64,
    n_pages_flushed_prev: u64,
    lists: impl IntoIterator<Item = ListTurnover>,
) -> KeepAverage {
    let (mut new_blocks_sum, mut flushed_blocks_sum, mut blocks) = (0, 0, 0);
    for list in lists {
        new_blocks_sum += list.new_blocks;
        flushed_blocks_sum += (list.new_blocks + list.prev_count).saturating_sub(list.blocks);
        blocks += list.blocks;
    }
    let due = u128::from(blocks) * u128::from(lsn - lsn_old) / u128::from(max_modified_age_async);
    let by_others = flushed_blocks_sum.saturating_sub(n_pages_flushed_prev);
    let n = (due as u64).saturating_sub(by_others);
    KeepAverage { n_flush: if n > 0 { n + 1 } else { 0 }, flushed_blocks_sum, new_blocks_sum }
}

/// What `reflex` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reflex {
    /// Nothing.
    Nothing,
    /// Flushes pages, without LSN limit, and skips the next sleep.
    Flush {
        /// That many.
        pages: u64,
    },
    /// Nothing either: the checks of user threads flush at this age.
    SyncElsewhere,
}

/// `innodb_adaptive_checkpoint = reflex` of XtraDB 5.1: fixed steps by age.
pub fn reflex(age: u64, max_checkpoint_age: u64, io_capacity: u64) -> Reflex {
    if age > max_checkpoint_age - max_checkpoint_age / 8 {
        Reflex::SyncElsewhere
    } else if age > max_checkpoint_age - max_checkpoint_age / 4 {
        Reflex::Flush { pages: pct_io(io_capacity, 100) }
    } else if age > max_checkpoint_age / 2 {
        Reflex::Flush { pages: pct_io(io_capacity, 10) }
    } else {
        Reflex::Nothing
    }
}
