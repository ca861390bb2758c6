//! `[published]`: what was measured on a real server under this scenario, for comparison. It has no part in the
//! simulation.

use crate::resolved::Resolved;
use crate::section::Section;

/// What was measured on a real server, over the time after warm-up.
#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    /// Where it was published.
    pub source: String,
    /// Mean of the medians of 10 s, transactions a second.
    pub tps_10s_median_mean: f64,
    /// Half of its 95 % interval, from means of batches of 200 s, transactions a second.
    pub tps_10s_median_mean_interval: Option<f64>,
    /// Mean of all seconds, transactions a second; stops by monitoring are in it.
    pub tps_mean: Option<f64>,
    /// Smallest median of 10 s, transactions a second.
    pub tps_10s_median_min: Option<f64>,
    /// Largest median of 10 s, transactions a second.
    pub tps_10s_median_max: Option<f64>,
    /// Mean checkpoint age, GiB.
    pub checkpoint_age_gib: Option<f64>,
    /// `waves` or `steady`; `steady` says no more than that there are no waves.
    pub regime: &'static str,
    /// Time of the first collapse, seconds.
    pub first_collapse_s: Option<f64>,
    /// Time between two collapses, seconds.
    pub wave_period_s: Option<f64>,
}

impl Published {
    /// Whether throughput collapsed and recovered.
    pub fn has_waves(&self) -> bool {
        self.regime == "waves"
    }
}

/// Reads `[published]`.
pub(crate) fn read_published(mut section: Section<'_>) -> (Published, Resolved) {
    let published = Published {
        source: section.text("source").unwrap_or_default(),
        tps_10s_median_mean: section.real("tps_10s_median_mean"),
        tps_10s_median_mean_interval: section.optional_real("tps_10s_median_mean_interval"),
        tps_mean: section.optional_real("tps_mean"),
        tps_10s_median_min: section.optional_real("tps_10s_median_min"),
        tps_10s_median_max: section.optional_real("tps_10s_median_max"),
        checkpoint_age_gib: section.optional_real("checkpoint_age_gib"),
        regime: section.choice("regime"),
        first_collapse_s: section.optional_real("first_collapse_s"),
        wave_period_s: section.optional_real("wave_period_s"),
    };
    (published, section.resolved)
}
