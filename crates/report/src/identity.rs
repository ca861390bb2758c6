//! Which run it was: what stands at the head of every result, so that a result is its own recipe.

use serde::Serialize;

/// Which run a summary belongs to; the first fields of `summary.json`, in this order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunIdentity {
    /// Version of the program.
    pub innosim_version: String,
    /// Name of the server model: `mysql-8.0.21`.
    pub model: String,
    /// Name of the scenario.
    pub scenario: String,
    /// Seed.
    pub seed: u64,
    /// Replications behind the numbers; 1 is a single run.
    pub replications: u32,
    /// Simulated time of a replication, seconds.
    pub simulated_s: f64,
    /// Seconds left out at the start.
    pub warmup_s: f64,
    /// Wall time of all replications, seconds.
    pub wall_s: f64,
    /// Simulated seconds a wall second.
    pub speed: f64,
}
