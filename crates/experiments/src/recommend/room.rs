//! Room for what is known roughly: where the reserve of the checkpoint age ends, and the lowest setting that keeps it with an input off.
//!
//! Between settings that are equally good only the reserve decides, so none of them is run as the scenario stands until it is chosen: the lowest that keeps its
//! reserve with more pages to write is looked for in that case alone. It is looked for first where the reserve as the scenario stands would end, and
//! higher by the share of pages that are added: so many more are to be written.

use super::bench::{Ahead, Bench, RecommendError};
use super::best::equals;
use super::case::Case;
use super::judge::{has_reserve, is_answer};
use super::space::{Point, step_at};
use super::stress::Stress;
use crate::stable::{RESERVE, headroom};

/// Most settings as good as the best that were run and are looked at for one that keeps its reserve.
const EQUALS_UP: usize = 4;

/// Of the settings as good as `best` from there up, run or not, the lowest that keeps its reserve with more pages to write, which most that lose it
/// with an input off do not; `best` if none of the first few does.
pub(super) fn with_room_for_pages(bench: &mut Bench<'_>, best: Point) -> Result<Point, RecommendError> {
    if !needs_room(bench, best) {
        return Ok(best);
    }
    let (alike, highest) = (as_good_from(bench, best), as_good_up_to(bench, best));
    let mut asked = vec![likely(bench, best).clamp(best, highest)];
    let mut next = asked.clone();
    while !next.is_empty() {
        let cases: Vec<(Case, Point)> = next.iter().map(|&point| (Case::MORE_PAGES, point)).collect();
        let kept = asked.iter().copied().filter(|&point| keeps(bench, Case::MORE_PAGES, point)).min();
        // What follows if nothing lower keeps it.
        let ahead = kept.map_or_else(Vec::new, |kept| bench.ahead(&[kept], u32::MAX));
        bench.ensure("what if", &cases, 1, &ahead)?;
        let (keep, fail): (Vec<Point>, Vec<Point>) =
            asked.iter().partition(|&&point| keeps(bench, Case::MORE_PAGES, point));
        next = match keep.iter().min() {
            Some(&lowest) => match fail.into_iter().filter(|point| *point < lowest).max() {
                Some(fails) => bench.space().between(fails, lowest),
                None => {
                    let below = bench.space().point(next_below(lowest, f64::MAX), best.redo_bytes);
                    // At the lowest allowed value there is none.
                    Some(below).filter(|&below| best <= below && below < lowest).into_iter().collect()
                }
            },
            None => {
                let higher = |point: &Point| asked.iter().all(|asked| asked < point);
                alike.iter().copied().chain([highest]).find(higher).into_iter().collect()
            }
        };
        asked.extend(&next);
    }
    let keeping = asked.into_iter().filter(|&point| keeps(bench, Case::MORE_PAGES, point));
    Ok(keeping.min().unwrap_or(best))
}

/// The highest setting that is as good as `best`, on a straight line from the highest of those that were run to the next one, if that is worse.
pub(super) fn as_good_up_to(bench: &Bench<'_>, best: Point) -> Point {
    let highest = as_good_from(bench, best).last().copied().unwrap_or(best);
    let end = next_above(bench, highest).and_then(|next| {
        let [here, there] = bench.scores(Case::AS_IS, [highest, next])?;
        let [_, top] = bench.scores(Case::AS_IS, [next, best])?;
        let share = (here - (top - bench.goal().grain() * top.abs())) / (here - there);
        let gap = (next.io_capacity_max - highest.io_capacity_max) as f64;
        let at = next_below(next, highest.io_capacity_max as f64 + share * gap);
        (there < here).then(|| bench.space().point(at, best.redo_bytes))
    });
    end.map_or(highest, |end| end.max(highest))
}

/// What [`with_room_for_pages`] is likely to ask for first.
pub(super) fn first_asked(bench: &Bench<'_>, best: Point) -> Vec<Ahead> {
    let likely = Some(best).filter(|&best| needs_room(bench, best)).map(|best| likely(bench, best));
    likely.into_iter().map(|point| (Case::MORE_PAGES, point, 1)).collect()
}

/// The setting that likely is the lowest to keep its reserve with more pages, by how the reserve of `best` and the next higher setting differ.
fn likely(bench: &Bench<'_>, best: Point) -> Point {
    let ends = next_above(bench, best).and_then(|above| reserve_ends(bench, best, above));
    let with_more = ends.map_or(0.0, |ends| ends * Case::MORE_PAGES.factor());
    let step = step_at(with_more) as f64;
    bench.space().point((with_more / step).ceil() * step, best.redo_bytes).max(best)
}

/// Of the settings as good as `best` from there up, the lowest that keeps its reserve with every input off and in a surge; `best` if none of
/// the first few does.
pub(super) fn with_room(bench: &mut Bench<'_>, best: Point) -> Result<Point, RecommendError> {
    let alike = if needs_room(bench, best) { as_good_from(bench, best) } else { Vec::new() };
    for point in alike {
        bench.ensure("what if", &[(Case::MORE_PAGES, point)], 1, &[])?;
        if !keeps(bench, Case::MORE_PAGES, point) {
            continue;
        }
        let cases = Case::MOVED.map(|case| (case, point));
        bench.ensure("what if", &cases, 1, &bench.ahead(&[point], u32::MAX))?;
        if !cases.iter().all(|&(case, _)| keeps(bench, case, point)) {
            continue;
        }
        let replications = bench.replications;
        bench.ensure_as_is("replicate", &[point], replications, &[])?;
        bench.stress(&[point])?;
        let surge = Case::under(Stress::Surge);
        if !is_answer(bench, point) {
            continue;
        }
        if bench.trials(surge, point).is_empty() || keeps(bench, surge, point) {
            return Ok(point);
        }
    }
    Ok(best)
}

/// Whether a setting runs soundly in a case, and leaves a reserve.
pub(super) fn keeps(bench: &Bench<'_>, case: Case, point: Point) -> bool {
    bench.is_stable(case, point) && has_reserve(bench, case, point)
}

/// Whether a setting that could be the answer must keep its reserve with an input off: not the present one, and not where none is asked for.
fn needs_room(bench: &Bench<'_>, best: Point) -> bool {
    bench.needs_reserve() && best != bench.current() && is_answer(bench, best)
}

/// The first few settings of its redo log that were tried and are as good as `best`, from it up. What lies before one that is as good
/// counts too: how far it is off is chance.
fn as_good_from(bench: &Bench<'_>, best: Point) -> Vec<Point> {
    let from = |point: &Point| point.redo_bytes == best.redo_bytes && *point >= best && is_answer(bench, *point);
    let mut points: Vec<Point> = bench.points().into_iter().filter(from).collect();
    let highest = equals(bench, Case::AS_IS, &points, best).last().copied();
    points.retain(|point| Some(*point) <= highest);
    points.truncate(EQUALS_UP);
    points
}

/// The next higher setting of its redo log that was tried.
fn next_above(bench: &Bench<'_>, best: Point) -> Option<Point> {
    bench.points().into_iter().find(|point| point.redo_bytes == best.redo_bytes && *point > best)
}

/// The capacity below `low` at which the reserve would end, on a line over its reciprocal through `low` and the `next` setting above: a page cleaner
/// that may write half as much needs twice the share of it. `None` if the reserve does not fall towards there, or `low` leaves none.
pub(super) fn reserve_ends(bench: &Bench<'_>, low: Point, next: Point) -> Option<f64> {
    let left = |point| bench.mean(Case::AS_IS, point).map(|mean| headroom(&mean) - RESERVE);
    let reciprocal = |point: Point| 1.0 / point.io_capacity_max as f64;
    let slope = (left(low)? - left(next)?) / (reciprocal(low) - reciprocal(next));
    let at = reciprocal(low) - left(low)? / slope;
    (slope < 0.0 && at > reciprocal(low)).then_some(1.0 / at)
}

/// The setting a step below `point` at most, and no higher than `at_most`.
pub(super) fn next_below(point: Point, at_most: f64) -> f64 {
    let step = step_at(point.io_capacity_max as f64);
    let highest = (point.io_capacity_max - 1) / step;
    step as f64 * (at_most / step as f64).floor().min(highest as f64)
}
