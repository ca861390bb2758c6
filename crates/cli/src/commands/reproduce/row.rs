//! One run: published figures, simulated figures, and where the two are further apart than they may be.

use crate::outcome::Outcome;
use crate::waves::Waves;
use innosim_core::metrics::{Regime, Summary};
use innosim_scenario::Published;

/// Largest error of throughput, as a share, under `--strict`.
pub(super) const TPS_TOLERANCE: f64 = 0.05;
/// Largest error of the checkpoint age, as a share, under `--strict`.
pub(super) const AGE_TOLERANCE: f64 = 0.08;

const GIB: f64 = (1u64 << 30) as f64;

/// One run of a reproduction.
#[derive(Debug)]
pub(super) struct Row {
    /// Name without its folder.
    pub(super) name: String,
    /// Name with its folder.
    pub(super) scenario: String,
    /// Length of the run, seconds.
    pub(super) simulated_s: f64,
    /// Seconds left out at the start.
    pub(super) warmup_s: f64,
    /// Seed.
    pub(super) seed: u64,
    /// What was measured on a real server.
    pub(super) published: Published,
    /// What came out here.
    pub(super) simulated: Summary,
    /// Waves of the simulated throughput.
    pub(super) waves: Waves,
    /// What is off, in words.
    pub(super) misses: Vec<String>,
}

impl Row {
    /// Compares a run of a scenario that has published figures.
    pub(super) fn of(outcome: &Outcome) -> Row {
        let published = outcome.scenario.published.clone().unwrap_or_else(|| unreachable!("chosen for its figures"));
        let mut row = Row {
            name: short(&outcome.scenario.name).to_owned(),
            scenario: outcome.scenario.name.clone(),
            simulated_s: outcome.identity.simulated_s,
            warmup_s: outcome.identity.warmup_s,
            seed: outcome.identity.seed,
            published,
            simulated: outcome.replications.summary.clone(),
            waves: Waves::of(&outcome.output.series),
            misses: Vec::new(),
        };
        row.misses = row.find_misses();
        row
    }

    /// (simulated - published) / published throughput.
    pub(super) fn tps_error(&self) -> f64 {
        error(self.simulated.tps_10s_median_mean, self.published.tps_10s_median_mean)
    }

    /// Simulated checkpoint age, GiB.
    pub(super) fn age_gib(&self) -> f64 {
        self.simulated.checkpoint_age_mean / GIB
    }

    /// (simulated - published) / published checkpoint age, where it was published.
    pub(super) fn age_error(&self) -> Option<f64> {
        self.published.checkpoint_age_gib.map(|age| error(self.age_gib(), age))
    }

    /// Whether there are waves where there were, and none where there were none.
    pub(super) fn regime_agrees(&self) -> bool {
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
pub(super) fn short(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

fn error(simulated: f64, published: f64) -> f64 {
    if published == 0.0 { 0.0 } else { (simulated - published) / published }
}
