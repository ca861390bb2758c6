//! A museum of mistakes: MariaDB's page cleaner as it was before public fixes, beside the present one.
//!
//! Each is the present machinery with one thing put back. What each did is taken from the public report of its fix; the
//! code around it differs between the releases, and the present one is used here. Where a mistake bites only together with
//! something else of its time, that is put back too, and said. The two that keep the redo's end as their target also let threads
//! that wait for the checkpoint go on at the end of a pass alone, as those releases did, and share the syncs of data files.

use super::adaptive::AdaptiveConfig;

/// A mistake that was made and mended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mistake {
    /// No idle flushing: a server without work leaves its dirty pages where they are, however long it has nothing to do, and
    /// a crash then still finds them to recover.
    Mdev24949,
    /// Adaptive flushing does not begin at `innodb_adaptive_flushing_lwm`: while few pages are dirty the page cleaner
    /// thinks that it has nothing to do, and the age runs up to its limit.
    Mdev25093,
    /// The recommendation ignores the share of dirty pages and the age: its share of `innodb_io_capacity` is always the
    /// whole, even where `innodb_max_dirty_pages_pct_lwm` asks for more.
    Mdev31939,
    /// The page cleaner makes free pages only when somebody has found none, not while some are left: each time the free list
    /// runs out, user threads wait.
    Mdev33053,
    /// Furious flushing leaves the LRU list alone until its target is reached, while user threads wait for free pages. Its
    /// target is the redo's end, as it was in those releases, so that nearly the whole flush list goes first.
    Mdev34265,
    /// A batch from the flush list for the first age limit takes all of `innodb_io_capacity_max`, and what is left of that is all
    /// that the LRU batch after it may write: nothing. Pass after pass no page is freed, until the age is below its limit. The
    /// target of those batches is the redo's end, as it was in those releases.
    Mdev36226,
}

/// Each with its name, that of the public report, and what it does.
const MISTAKES: [(Mistake, &str, &str); 6] = [
    (Mistake::Mdev24949, "mdev-24949", "MariaDB before the fix: a server without work does not flush"),
    (
        Mistake::Mdev25093,
        "mdev-25093",
        "MariaDB before the fix: adaptive flushing does not begin at its low-water mark",
    ),
    (Mistake::Mdev31939, "mdev-31939", "MariaDB before the fix: the recommendation ignores dirty pages and age"),
    (Mistake::Mdev33053, "mdev-33053", "MariaDB before the fix: free pages are made only when there are none"),
    (Mistake::Mdev34265, "mdev-34265", "MariaDB before the fix: furious flushing makes no free pages"),
    (Mistake::Mdev36226, "mdev-36226", "MariaDB before the fix: flushing for the age leaves free pages no bandwidth"),
];

impl Mistake {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Mistake> {
        MISTAKES.into_iter().map(|(mistake, _, _)| mistake)
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        MISTAKES[self as usize].1
    }

    /// What it does, in a line.
    pub const fn about(self) -> &'static str {
        MISTAKES[self as usize].2
    }

    /// The mistake of this name.
    pub fn parse(name: &str) -> Option<Mistake> {
        Mistake::all().find(|mistake| mistake.name() == name)
    }

    /// The settings with which the page cleaner asks whether it has anything to do.
    pub(super) fn when_idle(mistake: Option<Mistake>, config: &AdaptiveConfig) -> AdaptiveConfig {
        match mistake {
            // No age is above the mark.
            Some(Mistake::Mdev25093) => AdaptiveConfig { adaptive_flushing_lwm: f64::MAX, ..*config },
            _ => *config,
        }
    }
}
