//! Runs beside published figures: a [`Row`] for each, and where the two are further apart than they may be.
//!
//! [`Order`] asks whether the runs stand in the same order as published, [`Waves`] when throughput collapses. A
//! [`Series`] states as data what was published and what is compared.

mod course;
mod order;
mod series;
mod waves;

pub use course::{Course, rank_correlations};
pub use order::{Order, Swapped};
pub use series::{Figure, SERIES, Series, SeriesRow, SeriesRun, Tolerance, error_sizes};
pub use waves::Waves;

use innosim_core::metrics::{Regime, SecondSample, Summary};
use innosim_scenario::{Published, Scenario};

/// Largest error of throughput, as a share, of a run that agrees.
pub const TPS_TOLERANCE: f64 = 0.05;
/// Largest error of the checkpoint age, as a share, of a run that agrees.
pub const AGE_TOLERANCE: f64 = 0.08;

const GIB: f64 = (1u64 << 30) as f64;

/// One run of a reproduction.
#[derive(Debug)]
pub struct Row {
    /// Name without its folder.
    pub name: String,
    /// Name with its folder.
    pub scenario: String,
    /// Length of the run, seconds.
    pub simulated_s: f64,
    /// Whether it ended before the published run, at rest.
    pub at_rest: bool,
    /// Seconds left out at the start.
    pub warmup_s: f64,
    /// Seed.
    pub seed: u64,
    /// What was measured on a real server.
    pub published: Published,
    /// What came out here.
    pub simulated: Summary,
    /// Waves of the simulated throughput.
    pub waves: Waves,
    /// What is off, in words.
    pub misses: Vec<String>,
}

impl Row {
    /// Compares a run of `scenario`, whose summary leaves out the first `warmup_s` seconds of `series`, with the published
    /// figures.
    pub fn of(
        scenario: &Scenario,
        published: &Published,
        simulated: &Summary,
        warmup_s: f64,
        series: &[SecondSample],
    ) -> Row {
        let mut row = Row {
            name: short(&scenario.name).to_owned(),
            scenario: scenario.name.clone(),
            simulated_s: scenario.run.duration.as_secs_f64(),
            at_rest: false,
            warmup_s,
            seed: scenario.run.seed,
            published: published.clone(),
            simulated: simulated.clone(),
            waves: Waves::of(series),
            misses: Vec::new(),
        };
        row.misses = row.find_misses();
        row
    }

    /// (simulated - published) / published throughput.
    pub fn tps_error(&self) -> f64 {
        error(self.simulated.tps_10s_median_mean, self.published.tps_10s_median_mean)
    }

    /// Simulated checkpoint age, GiB.
    pub fn age_gib(&self) -> f64 {
        self.simulated.checkpoint_age_mean / GIB
    }

    /// (simulated - published) / published checkpoint age, where it was published.
    pub fn age_error(&self) -> Option<f64> {
        self.published.checkpoint_age_gib.map(|age| error(self.age_gib(), age))
    }

    /// Whether there are waves where there were, and none where there were none.
    pub fn regime_agrees(&self) -> bool {
        (self.simulated.regime == Regime::Waves) == self.published.has_waves()
    }

    fn find_misses(&self) -> Vec<String> {
        let mut misses = Vec::new();
        if self.tps_error().abs() > TPS_TOLERANCE {
            misses.push("throughput".to_owned());
        }
        if self.age_error().is_some_and(|error| error.abs() > AGE_TOLERANCE) {
            misses.push("checkpoint age".to_owned());
        }
        if !self.regime_agrees() {
            misses.push("regime".to_owned());
        }
        misses
    }
}

/// The last part of a name.
pub fn short(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

fn error(simulated: f64, published: f64) -> f64 {
    if published == 0.0 { 0.0 } else { (simulated - published) / published }
}
