//! What "best" means.
//!
//! A setting under which the server runs in waves, stalls, or lives by sync flushing is no answer to any goal, however good
//! its mean: waves at 4000 pages a second can have a higher mean than a smooth run at 6500.

use innosim_core::metrics::{Regime, Summary};

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

/// Share of the seconds that may be stalled in a setting that is an answer.
const STALLED: f64 = 0.002;
/// Share of the seconds in which sync flushing may run.
const SYNC: f64 = 0.01;

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

    /// Among settings of equal merit the higher of these is taken.
    pub(super) fn second_score(self, summary: &Summary) -> f64 {
        match self {
            Goal::Throughput => -summary.latency_ms_p99,
            Goal::Latency | Goal::Writes => summary.tps_mean,
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

/// Whether a server that runs like this over `seconds` can be left to itself.
pub(super) fn is_sound(summary: &Summary, seconds: f64) -> bool {
    !matches!(summary.regime, Regime::Waves | Regime::Overloaded)
        && summary.stall_seconds <= (STALLED * seconds).max(1.0)
        && summary.sync_flush_seconds <= SYNC * seconds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_higher_mean_with_waves_is_no_answer() {
        let smooth = Summary { tps_mean: 8361.0, regime: Regime::Rippled, ..Summary::default() };
        let waves = Summary { tps_mean: 8429.0, regime: Regime::Waves, ..Summary::default() };
        assert!(is_sound(&smooth, 600.0) && !is_sound(&waves, 600.0));
        assert!(Goal::Throughput.score(&waves) > Goal::Throughput.score(&smooth));
        assert!(!is_sound(&Summary { sync_flush_seconds: 30.0, ..smooth.clone() }, 600.0));
        assert!(!is_sound(&Summary { stall_seconds: 5.0, ..smooth }, 600.0));
    }

    #[test]
    fn goals_by_hand() {
        let s =
            Summary { tps_mean: 100.0, latency_ms_p99: 20.0, device_write_bytes_per_s: 500.0, ..Summary::default() };
        assert_eq!([Goal::Throughput, Goal::Latency, Goal::Writes].map(|goal| goal.score(&s)), [100.0, -20.0, -5.0]);
        assert_eq!(Goal::Writes.least_tps(Some(100.0), 120.0), 99.0);
        assert_eq!(Goal::Writes.least_tps(None, 120.0), 114.0);
    }
}
