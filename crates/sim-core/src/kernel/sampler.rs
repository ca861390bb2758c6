//! Exact samplers.

use serde::{Deserialize, Serialize};

/// Distribution of a length of time. All lengths in microseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum DurationDist {
    /// Always the same.
    Fixed {
        /// Length, µs.
        us: f64,
    },
    /// Exponential.
    Exponential {
        /// Mean, µs.
        mean_us: f64,
    },
    /// Lognormal.
    Lognormal {
        /// Mean, µs.
        mean_us: f64,
        /// Coefficient of variation (standard deviation / mean).
        cv: f64,
    },
    /// Given by quantiles, linear between them.
    Empirical {
        /// (probability, µs), both rising; the first probability is 0, the last 1.
        quantiles: Vec<(f64, f64)>,
    },
}
