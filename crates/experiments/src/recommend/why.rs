//! What an answer gains and what it costs, relative to the present setting: the reasons in figures.
//!
//! An answer can have a lower mean throughput than the present setting, where that lives by sync flushing, stalls or
//! runs in waves and so is none. Then what is gained is the end of that, and the throughput is a part of the price.

use super::rows::{Change, Row};
use innosim_core::metrics::Regime;

/// Relative changes below this share are called none.
const NONE: f64 = 0.002;
/// Seconds of sync flushing or stalls below which a difference is none.
const NO_SECONDS: f64 = 0.5;
/// Difference of the headroom, as a share of the limit, that is none.
const NO_HEADROOM: f64 = 0.01;

/// Figures that an answer is judged by, with whether more of it is better.
const JUDGED: [(&str, bool); 8] = [
    ("sync_flush_seconds", false),
    ("stall_seconds", false),
    ("tps_mean", true),
    ("latency_ms_p95", false),
    ("latency_ms_p99", false),
    ("checkpoint_age_headroom", true),
    ("flushes_per_trx", false),
    ("write_bytes_per_day", false),
];

/// A figure that changes for the better or the worse.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effect {
    /// The figure, with its difference to the present setting.
    pub change: Change,
    /// Its value at the present setting.
    pub now: f64,
}

/// The reasons for an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Why {
    /// Whether the answer is the present setting.
    pub stays: bool,
    /// Whether the present setting can't be left to itself: it stalls, runs in waves or lives by sync flushing.
    pub present_is_unsound: bool,
    /// Regimes now and then, if the regime changes.
    pub regime: Option<(Regime, Regime)>,
    /// What becomes better.
    pub gained: Vec<Effect>,
    /// What becomes worse.
    pub paid: Vec<Effect>,
}

impl Why {
    /// The reasons for `best` against `current`.
    pub(super) fn of(current: &Row, best: &Row) -> Why {
        let mut why = Why {
            stays: current.point == best.point,
            present_is_unsound: !current.sound,
            regime: (current.regime != best.regime).then_some((current.regime, best.regime)),
            gained: Vec::new(),
            paid: Vec::new(),
        };
        for (metric, more_is_better) in JUDGED {
            let (Some(now), Some(change)) = (current.change(metric), best.change(metric)) else { continue };
            if why.stays || !is_seen(change) {
                continue;
            }
            let effect = Effect { change: *change, now: now.value.mean };
            let better = (change.difference.mean > 0.0) == more_is_better;
            if better { why.gained.push(effect) } else { why.paid.push(effect) }
        }
        why
    }
}

/// Whether a difference is larger than its interval, and than what anybody would notice.
fn is_seen(change: &Change) -> bool {
    let difference = change.difference.mean.abs();
    let certain = change.difference.half_width.is_none_or(|half| difference > half);
    let enough = match change.metric {
        "sync_flush_seconds" | "stall_seconds" => difference >= NO_SECONDS,
        "checkpoint_age_headroom" => difference >= NO_HEADROOM,
        _ => change.relative.is_some_and(|share| share.abs() >= NONE),
    };
    certain && enough
}

#[cfg(test)]
mod tests {
    use super::super::space::Point;
    use super::*;
    use innosim_statistics::Estimate;

    fn change(metric: &'static str, now: f64, then: &[f64]) -> Change {
        let differences: Vec<f64> = then.iter().map(|value| value - now).collect();
        let difference = Estimate::of(&differences);
        Change {
            metric,
            value: Estimate::of(then),
            difference,
            relative: (now != 0.0).then(|| difference.mean / now),
            relative_ci95: None,
        }
    }

    fn row(io_capacity_max: u64, sound: bool, changes: Vec<Change>) -> Row {
        let point = Point { redo_bytes: 1, io_capacity_max, io_capacity: 1 };
        let regime = if sound { Regime::Steady } else { Regime::Waves };
        Row { point, replications: 3, sound, is_answer: sound, regime, changes }
    }

    #[test]
    fn the_end_of_sync_flushing_is_gained_and_throughput_paid() {
        let now = [("sync_flush_seconds", 40.0), ("tps_mean", 100.0), ("latency_ms_p99", 5.0)];
        let current = row(600, false, now.map(|(name, now)| change(name, now, &[now; 3])).to_vec());
        let then = vec![
            change("sync_flush_seconds", 40.0, &[0.0; 3]),
            change("tps_mean", 100.0, &[97.0, 97.1, 96.9]),
            change("latency_ms_p99", 5.0, &[4.0, 6.0, 5.1]),
        ];
        let why = Why::of(&current, &row(2800, true, then));
        let names = |effects: &[Effect]| effects.iter().map(|effect| effect.change.metric).collect::<Vec<_>>();
        assert_eq!((names(&why.gained), names(&why.paid)), (vec!["sync_flush_seconds"], vec!["tps_mean"]));
        assert!(why.present_is_unsound && !why.stays, "the latency is within its interval");
        assert_eq!(why.regime, Some((Regime::Waves, Regime::Steady)));
        assert_eq!(why.gained[0].now, 40.0);
    }

    #[test]
    fn what_stays_gains_and_costs_nothing() {
        let current = row(600, true, vec![change("tps_mean", 100.0, &[100.0; 3])]);
        let why = Why::of(&current, &current);
        assert!(why.stays && why.gained.is_empty() && why.paid.is_empty());
    }
}
