//! When a decision of the rule counts as the server's.

use super::inputs::Known;
use innosim_core::seam::FlushGauges;
use innosim_flush_models::registry::{Settings, SettingsError};
use innosim_flush_models::replay::Publishing;

/// The compared counters, under the server's names.
pub const COUNTERS: [&str; 5] = [
    "buffer_flush_n_to_flush_requested",
    "buffer_flush_pct_for_lsn",
    "buffer_flush_pct_for_dirty",
    "buffer_flush_avg_page_rate",
    "buffer_flush_lsn_avg_rate",
];

/// Largest difference that rounding and sampling explain.
///
/// * Percentages are whole numbers made of an age and a number of dirty pages that are interpolated: 1.
/// * Pages requested: what 1 percent point of `innodb_io_capacity` is worth in the mean of the server's wishes, and a
///   page for its rounding.
/// * Averages: the interval that they cover is known to a tenth of a second in 30: 1 % of the server's value, and 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// Percent points.
    pub percent: f64,
    /// Pages.
    pub pages: f64,
    /// Share of an average.
    pub average_share: f64,
}

impl Tolerance {
    /// The tolerance for a server with these settings.
    pub(super) fn of(settings: &Settings, publishing: Publishing) -> Result<Self, SettingsError> {
        let io_capacity = settings.integer("innodb_io_capacity")? as f64;
        Ok(Tolerance {
            percent: 1.0,
            pages: (io_capacity / 100.0 / f64::from(publishing.wishes)).ceil() + 1.0,
            average_share: 0.01,
        })
    }

    /// Allowed difference of each of [`COUNTERS`] from `recorded`.
    pub(super) fn allowed(&self, recorded: &FlushGauges) -> [f64; 5] {
        let average = |value: u64| value as f64 * self.average_share + 1.0;
        let averages = [average(recorded.avg_page_rate), average(recorded.lsn_avg_rate)];
        [self.pages, self.percent, self.percent, averages[0], averages[1]]
    }

    /// How far a decision is from the recorded one, in tolerances, in each of [`COUNTERS`]; 0 where the server does not
    /// publish it.
    pub(super) fn distances(&self, gauges: &FlushGauges, recorded: &FlushGauges, known: &Known) -> [f64; 5] {
        let allowed = self.allowed(recorded);
        let (ours, theirs, known) = (values(gauges), values(recorded), known.flags());
        std::array::from_fn(|c| if known[c] { (ours[c] - theirs[c]).abs() / allowed[c] } else { 0.0 })
    }
}

impl Known {
    /// In the order of [`COUNTERS`].
    pub(super) fn flags(&self) -> [bool; 5] {
        [self.n_to_flush_requested, self.pct_for_lsn, self.pct_for_dirty, self.avg_page_rate, self.lsn_avg_rate]
    }
}

/// In the order of [`COUNTERS`].
pub(super) fn values(gauges: &FlushGauges) -> [f64; 5] {
    [
        gauges.n_to_flush_requested as f64,
        gauges.pct_for_lsn as f64,
        gauges.pct_for_dirty as f64,
        gauges.avg_page_rate as f64,
        gauges.lsn_avg_rate as f64,
    ]
}
