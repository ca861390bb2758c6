//! What "best" means, among settings under which the server runs soundly (`sound`).

use innosim_core::metrics::Summary;

/// What somebody wants of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// Most transactions a second, without stalls.
    Throughput,
    /// Lowest 99th percentile of latency, at no more than 5 % less throughput than the best.
    Latency,
    /// Fewest bytes written to the device a transaction, at no more than 1 % less throughput than now.
    Writes,
}

impl Goal {
    /// Name on the command line and in results.
    pub const fn name(self) -> &'static str {
        match self {
            Goal::Throughput => "throughput",
            Goal::Latency => "latency",
            Goal::Writes => "writes",
        }
    }

    /// Higher is better.
    pub fn score(self, summary: &Summary) -> f64 {
        match self {
            Goal::Throughput => summary.tps_mean,
            Goal::Latency => -summary.latency_ms_p99,
            Goal::Writes => -summary.device_write_bytes_per_s / summary.tps_mean.max(1e-9),
        }
    }

    /// Settings whose scores differ by less than this share are of equal merit.
    pub(super) const fn grain(self) -> f64 {
        match self {
            Goal::Throughput | Goal::Writes => 0.005,
            Goal::Latency => 0.02,
        }
    }

    /// Fewest transactions a second of an answer, with `now` of the present setting (if that is itself an answer) and
    /// `most` of any.
    pub(super) fn least_tps(self, now: Option<f64>, most: f64) -> f64 {
        match self {
            Goal::Throughput => 0.0,
            Goal::Latency => 0.95 * most,
            Goal::Writes => now.map_or(0.95 * most, |now| 0.99 * now),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_by_hand() {
        let s =
            Summary { tps_mean: 100.0, latency_ms_p99: 20.0, device_write_bytes_per_s: 500.0, ..Summary::default() };
        assert_eq!([Goal::Throughput, Goal::Latency, Goal::Writes].map(|goal| goal.score(&s)), [100.0, -20.0, -5.0]);
        assert_eq!(Goal::Writes.least_tps(Some(100.0), 120.0), 99.0);
        assert_eq!(Goal::Writes.least_tps(None, 120.0), 114.0);
    }
}
