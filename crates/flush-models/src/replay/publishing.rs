//! When a server publishes what a pass decided: what a reader of its counters must know to put them together again.
//!
//! Sources: the order of `page_cleaner_flush_pages_if_needed` of 5.6 as recordings of 5.6.24 show it (under long
//! batches `n_to_flush_requested` runs one pass ahead of the other four), `innodb-5.6` section 3.3 for the LRU work
//! before the decision, `mariadb-10.11` sections 4.1 and 9 for passes that ask no rule.

/// How the counters of a model's server relate to its passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Publishing {
    /// Only the pages requested are published when the pass decides, percentages and averages when its batch has ended.
    pub after_batch: bool,
    /// The pass flushes the tails of the LRU lists before it decides.
    pub lru_first: bool,
    /// Only passes that count as adaptive ask the rule; the page cleaner has others.
    pub adaptive_only: bool,
    /// Whether each instance's share of the pages requested is rounded up; otherwise few pages are none.
    pub rounds_slots_up: bool,
    /// Wishes of which the pages requested are the mean.
    pub wishes: u32,
}

impl Publishing {
    /// Of most servers: a pass publishes as it decides.
    pub const AT_ONCE: Publishing =
        Publishing { after_batch: false, lru_first: false, adaptive_only: false, rounds_slots_up: false, wishes: 3 };
}
