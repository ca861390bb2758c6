//! What all peers read: `parameters.toml`.

use serde::{Deserialize, Serialize};
use std::path::Path;

/// The whole file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Parameters {
    /// The queueing model.
    pub(crate) model: Model,
    /// How often and how long.
    pub(crate) runs: Runs,
    /// What counts as agreement, and the marks.
    pub(crate) check: Check,
}

/// The queueing model. Means of service times in microseconds.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Model {
    pub(crate) clients: u32,
    pub(crate) cores: u32,
    pub(crate) cpu_us: f64,
    /// Probability of a read, 0..1.
    pub(crate) read_share: f64,
    pub(crate) channels: u32,
    pub(crate) read_us: f64,
    pub(crate) sync_us: f64,
}

/// How often and how long; simulated seconds.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Runs {
    pub(crate) replications: u32,
    pub(crate) warmup_s: f64,
    pub(crate) seconds: Seconds,
}

/// Length of a replication after its warm-up, by peer, simulated seconds.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Seconds {
    /// For the Python program, which reads it by itself.
    #[serde(rename = "simpy")]
    _simpy: f64,
    pub(crate) nexosim: f64,
    pub(crate) bare: f64,
    pub(crate) innosim: f64,
}

/// What counts as agreement, and the marks.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Check {
    /// Significance level.
    pub(crate) level: f64,
    /// Difference that must be detectable, as a share.
    pub(crate) resolution: f64,
    pub(crate) times_simpy: f64,
    pub(crate) times_library: f64,
    pub(crate) share_of_bare: f64,
}

impl Parameters {
    /// Reads the file.
    pub(crate) fn read(path: &Path) -> Result<Parameters, String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
    }
}
