//! A museum of mistakes: MariaDB's page cleaner as it was before public fixes, beside the present one.
//!
//! Each is the present machinery with one thing put back. What each did is taken from the public report of its fix; the
//! code around it differs between the releases, and the present one is used here.

use super::adaptive::AdaptiveConfig;

/// A mistake that was made and mended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mistake {
    /// Adaptive flushing does not begin at `innodb_adaptive_flushing_lwm`: while few pages are dirty the page cleaner
    /// thinks that it has nothing to do, and the age runs up to its limit.
    Mdev25093,
    /// The recommendation ignores the share of dirty pages and the age: its share of `innodb_io_capacity` is always the
    /// whole, even where `innodb_max_dirty_pages_pct_lwm` asks for more.
    Mdev31939,
}

impl Mistake {
    /// All of them.
    pub const ALL: [Mistake; 2] = [Mistake::Mdev25093, Mistake::Mdev31939];

    /// Name: that of the public report.
    pub const fn name(self) -> &'static str {
        match self {
            Mistake::Mdev25093 => "mdev-25093",
            Mistake::Mdev31939 => "mdev-31939",
        }
    }

    /// What it does, in a line.
    pub const fn about(self) -> &'static str {
        match self {
            Mistake::Mdev25093 => "MariaDB before the fix: adaptive flushing does not begin at its low-water mark",
            Mistake::Mdev31939 => "MariaDB before the fix: the recommendation ignores dirty pages and age",
        }
    }

    /// The mistake of this name.
    pub fn parse(name: &str) -> Option<Mistake> {
        Mistake::ALL.into_iter().find(|mistake| mistake.name() == name)
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
