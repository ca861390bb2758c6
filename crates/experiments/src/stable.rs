//! Whether a server can be left to itself.
//!
//! A setting under which it runs in waves, stalls, or depends on sync flushing is rejected, however good its mean: waves
//! at 4000 pages a second can have a higher mean than a smooth run at 6500.

use innosim_core::metrics::{Regime, Summary};

/// Share of the seconds that may be stalled in an accepted setting.
const STALLED: f64 = 0.002;
/// Share of the seconds in which sync flushing may run.
const SYNC: f64 = 0.01;

/// Share of the async limit that an answer leaves in reserve.
pub const RESERVE: f64 = 0.10;

/// Share of the age limit that was never used.
pub(crate) fn headroom(s: &Summary) -> f64 {
    if s.checkpoint_age_limit > 0.0 { 1.0 - s.checkpoint_age_max / s.checkpoint_age_limit } else { 0.0 }
}

/// Whether a server that runs like this over `seconds` can be left to itself.
pub(crate) fn is_stable(summary: &Summary, seconds: f64) -> bool {
    comes_through(summary, seconds) && summary.sync_flush_seconds <= SYNC * seconds
}

/// Whether its users feel no stall and no wave over `seconds`, whoever does the flushing.
pub(crate) fn comes_through(summary: &Summary, seconds: f64) -> bool {
    !matches!(summary.regime, Regime::Waves | Regime::Overloaded)
        && summary.stall_seconds <= (STALLED * seconds).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_higher_mean_with_waves_is_no_answer() {
        let smooth = Summary { tps_mean: 8361.0, regime: Regime::Rippled, ..Summary::default() };
        let waves = Summary { tps_mean: 8429.0, regime: Regime::Waves, ..Summary::default() };
        assert!(is_stable(&smooth, 600.0) && !is_stable(&waves, 600.0));
        assert!(!is_stable(&Summary { sync_flush_seconds: 30.0, ..smooth.clone() }, 600.0));
        assert!(!is_stable(&Summary { stall_seconds: 5.0, ..smooth }, 600.0));
    }
}
