//! What may be recommended: by what users feel, and with something in reserve.
//!
//! A setting may be recommended if it runs without stalls, waves and sync flushing, leaves a tenth of the async limit in
//! reserve, and is not worse than the present setting in throughput or in the 95th percentile of latency, nor clearly in
//! the 99th. The goal of fewest writes needs no reserve, nor does one that gains much without ([`reserve`](super::reserve)); the answer says so. The
//! present setting may stay without one.

use super::bench::Bench;
use super::case::Case;
use super::goal::Goal;
use super::space::Point;
use crate::stable::{RESERVE, headroom};
use innosim_core::metrics::Summary;
use innosim_statistics::Paired;

/// A figure that users feel.
struct Felt {
    value: fn(&Summary) -> f64,
    more_is_better: bool,
    /// Least share that counts as worse.
    least: f64,
    /// The same where a setting was run once, so that its interval is not known.
    least_of_one_run: f64,
}

const FELT: [Felt; 3] = [
    Felt { value: |s| s.tps_mean, more_is_better: true, least: 0.002, least_of_one_run: 0.005 },
    Felt { value: |s| s.latency_ms_p95, more_is_better: false, least: 0.01, least_of_one_run: 0.05 },
    Felt { value: |s| s.latency_ms_p99, more_is_better: false, least: 0.10, least_of_one_run: 0.10 },
];

/// Whether a point in a case leaves the reserve.
pub(super) fn has_reserve(bench: &Bench<'_>, case: Case, point: Point) -> bool {
    bench.mean(case, point).is_some_and(|mean| mean.checkpoint_age_limit <= 0.0 || headroom(&mean) >= RESERVE)
}

/// Whether users feel a point as it stands as worse than the present setting, beyond the interval of the difference.
pub(super) fn is_worse(bench: &Bench<'_>, point: Point) -> bool {
    let (then, now) = (bench.trials(Case::AS_IS, point), bench.trials(Case::AS_IS, bench.current()));
    FELT.iter().any(|felt| is_worse_in(felt, then, now))
}

fn is_worse_in(felt: &Felt, then: &[Summary], now: &[Summary]) -> bool {
    let values = |trials: &[Summary]| trials.iter().map(felt.value).collect::<Vec<f64>>();
    let paired = Paired::of(&values(then), &values(now));
    let Some(change) = paired.relative() else { return false };
    let loss = if felt.more_is_better { -change } else { change };
    let (least, interval) = match paired.relative_half_width() {
        Some(half) => (felt.least, half),
        None => (felt.least_of_one_run, 0.0),
    };
    loss > least && loss > interval
}

/// Whether a point as it stands may be recommended, or stay.
pub(super) fn is_answer(bench: &Bench<'_>, point: Point) -> bool {
    bench.is_stable(Case::AS_IS, point)
        && (point == bench.current()
            || !is_worse(bench, point) && (!bench.needs_reserve() || has_reserve(bench, Case::AS_IS, point)))
}

/// Settings below `best` of those `tried` that are sound and no worse than the present one, and leave no reserve.
pub(super) fn without_reserve(bench: &Bench<'_>, tried: &[Point], best: Point) -> Vec<Point> {
    let leaves_none = |point: &&Point| {
        point.redo_bytes == best.redo_bytes
            && **point < best
            && bench.is_stable(Case::AS_IS, **point)
            && !is_worse(bench, **point)
            && !has_reserve(bench, Case::AS_IS, **point)
    };
    tried.iter().filter(leaves_none).copied().collect()
}

/// Of the settings without a reserve below `best` the one that writes least: who wants the fewest writes may want to know.
pub(super) fn fewest_writes(bench: &Bench<'_>, tried: &[Point], best: Point) -> Option<Point> {
    let written =
        |point: &Point| bench.mean(Case::AS_IS, *point).map_or(f64::INFINITY, |mean| -Goal::Writes.score(&mean));
    without_reserve(bench, tried, best).into_iter().min_by(|a, b| written(a).total_cmp(&written(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(p95: &[f64]) -> Vec<Summary> {
        p95.iter().map(|&ms| Summary { latency_ms_p95: ms, ..Summary::default() }).collect()
    }

    #[test]
    fn worse_is_what_leaves_its_interval() {
        let worse = |then: &[f64], now: &[f64]| is_worse_in(&FELT[1], &runs(then), &runs(now));
        assert!(worse(&[10.0, 10.1, 9.9], &[5.0; 3]));
        assert!(!worse(&[5.2, 4.9, 5.1], &[5.0; 3]), "within the interval");
        assert!(!worse(&[4.0; 3], &[5.0; 3]), "better");
        assert!(!worse(&[5.2], &[5.0]) && worse(&[5.3], &[5.0]), "one run");
        assert!(!worse(&[5.0; 3], &[0.0; 3]), "nothing to compare with");
    }
}
