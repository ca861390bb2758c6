//! How finely runs are simulated.

use serde::{Deserialize, Serialize};

/// How finely the runs of a sweep are simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SweepTier {
    /// Page by page.
    #[default]
    Exact,
    /// In the coarse tier, where it does not refuse.
    Flow,
    /// In the coarse tier, and page by page too.
    Both,
}

impl SweepTier {
    /// Whether all runs are exact.
    pub fn is_exact(&self) -> bool {
        *self == SweepTier::Exact
    }

    /// Name for scripts and the command line.
    pub fn name(self) -> &'static str {
        match self {
            SweepTier::Exact => "exact",
            SweepTier::Flow => "flow",
            SweepTier::Both => "both",
        }
    }
}

/// How a run was made.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MadeAs {
    /// Page by page.
    #[default]
    Exact,
    /// In the coarse tier.
    Flow {
        /// Windows of its own, beyond those of the references.
        own_windows: usize,
    },
    /// Page by page, as the coarse tier refuses it.
    Refused {
        /// Why.
        why: String,
    },
}

impl MadeAs {
    /// Whether it is as a plain sweep makes runs.
    pub fn is_exact(&self) -> bool {
        *self == MadeAs::Exact
    }
}
