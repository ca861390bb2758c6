//! `[published]`: what was measured on a real server under this scenario, for comparison. It has no part in the
//! simulation.

use crate::diagnostic::Report;
use crate::key::{Key, Kind, positive, real};
use crate::node::Table;
use crate::resolved::Resolved;
use crate::section::Section;

const TPS: Kind = real(0.0, 1e9);
const SECONDS: Kind = positive(1e9);

/// Keys of `[published]`.
pub(crate) const PUBLISHED_KEYS: &[Key] = &[
    Key::required("source", Kind::Text, "Where the figures were published."),
    Key::required("tps_10s_median_mean", TPS, "Mean of the medians of 10 s, transactions a second."),
    Key::optional(
        "tps_10s_median_mean_interval",
        TPS,
        "unknown",
        "Half of the 95 % interval of that mean, from means of batches of 200 s, transactions a second.",
    ),
    Key::optional("tps_mean", TPS, "unknown", "Mean of all seconds, transactions a second."),
    Key::optional("tps_10s_median_min", TPS, "unknown", "Smallest median of 10 s, transactions a second."),
    Key::optional("tps_10s_median_max", TPS, "unknown", "Largest median of 10 s, transactions a second."),
    Key::optional("checkpoint_age_gib", positive(1e6), "unknown", "Mean checkpoint age, GiB."),
    Key::required(
        "regime",
        Kind::OneOf(&["steady", "waves"]),
        "Whether throughput collapses and recovers (\"waves\") or not (\"steady\").",
    ),
    Key::optional("first_collapse_s", SECONDS, "unknown", "Time of the first collapse of throughput, seconds."),
    Key::optional("wave_period_s", SECONDS, "unknown", "Time between two collapses, seconds."),
];

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
pub(crate) fn read_published(table: &Table, report: &Report) -> (Published, Resolved) {
    let mut section = Section::open(table, PUBLISHED_KEYS, "published", report);
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
