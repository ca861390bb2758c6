//! The best of settings that were tried.

use super::bench::Bench;
use super::case::Case;
use super::judge::{has_reserve, is_answer};
use super::space::Point;
use innosim_core::metrics::Summary;

/// The best of `points` in a case: sound and fit to be recommended, which with an input off is to keep the reserve; not too slow for the goal, and
/// first by score. Of points of equal merit it is the lowest with a reserve, as more capacity buys nothing there. If none may be
/// recommended, the best that is sound; if none is, the one that stalls least.
pub(super) fn best_of(bench: &Bench<'_>, case: Case, points: &[Point]) -> Point {
    let means: Vec<(Point, Summary)> = points.iter().filter_map(|&p| Some((p, bench.mean(case, p)?))).collect();
    let mut sound: Vec<&(Point, Summary)> = means.iter().filter(|(p, _)| bench.is_stable(case, *p)).collect();
    let may_be = |p: Point| match case {
        Case::AS_IS => is_answer(bench, p),
        _ => !bench.needs_reserve() || has_reserve(bench, case, p),
    };
    if sound.iter().any(|(p, _)| may_be(*p)) {
        sound.retain(|(p, _)| may_be(*p));
    }
    if sound.is_empty() {
        let stalled_s = |s: &Summary| s.stall_seconds + s.sync_flush_seconds;
        let least = means
            .iter()
            .min_by(|(_, a), (_, b)| stalled_s(a).total_cmp(&stalled_s(b)).then(b.tps_mean.total_cmp(&a.tps_mean)));
        return least.map_or(bench.current(), |(point, _)| *point);
    }
    let goal = bench.goal();
    let now = sound.iter().find(|(p, _)| *p == bench.current()).map(|(_, s)| s.tps_mean);
    let most = sound.iter().map(|(_, s)| s.tps_mean).fold(0.0, f64::max);
    let least = goal.least_tps(now, most);
    let fast: Vec<&&(Point, Summary)> = sound.iter().filter(|(_, s)| s.tps_mean >= least).collect();
    let top = fast.iter().map(|(_, s)| goal.score(s)).fold(f64::MIN, f64::max);
    let equal = fast.iter().filter(|(_, s)| goal.score(s) >= top - goal.grain() * top.abs()).map(|(point, _)| *point);
    // False, which is to have room, comes first.
    equal.min_by_key(|&p| (bench.needs_reserve() && !has_reserve(bench, case, p), p)).unwrap_or(bench.current())
}

/// Points of `points` as good as `best` within the goal's grain.
pub(super) fn equals(bench: &Bench<'_>, case: Case, points: &[Point], best: Point) -> Vec<Point> {
    if bench.trials(case, best).is_empty() {
        return vec![best];
    }
    let equal = |point: &&Point| {
        let scores = bench.scores(case, [**point, best]);
        scores.is_some_and(|[score, top]| score >= top - bench.goal().grain() * top.abs())
    };
    points.iter().filter(equal).copied().collect()
}
