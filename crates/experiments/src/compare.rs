//! One scenario in several variants: other server models, other settings, same random numbers.
//!
//! Replication `i` of every variant draws from the same random streams, so that variants differ by what sets them apart
//! and not by luck; differences to the first variant are taken replication by replication. All figures are over the
//! same seconds: those after the longest warm-up that any run needed.
//!
//! [`variants`] reads what somebody wants compared and loads it; [`jobs`] lists the runs; [`Comparison::of`] makes
//! figures of them. [`upgrade`] makes variants of a change of version.

mod figures;
mod upgrade;
mod variant;

pub use figures::{Comparison, Difference, HEADLINE, VariantFigures};
pub use upgrade::{SilentChange, Upgrade, upgrade};
pub use variant::{Asked, CompareError, Variant, variants};

use crate::runner::Job;

/// All runs of a comparison: for each variant in its order, all replications.
pub fn jobs(variants: &[Variant]) -> Vec<Job<'_>> {
    variants.iter().flat_map(|variant| Job::all(&variant.scenario)).collect()
}
