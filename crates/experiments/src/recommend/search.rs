//! From coarse to fine.
//!
//! The coarse stage tries factors of about 1.4 about the present I/O capacity, and goes on at an end while that end is
//! the best. The fine stage halves the gaps beside the best until they are a step wide, and so the gap at the edge,
//! between the lowest setting that runs soundly and the next lower one: flushing that is just enough is often best, and
//! a narrow hill there hides from a coarse look. Then the few that could still be the answer, and the present setting,
//! are run again with other random numbers; the rest has lost with one run.
//!
//! With the redo log to be chosen too, each size gets a search of its own, from small to large, as long as doubling it
//! still gains something worth a longer recovery; and as long as no size was sound, since before that there is nothing
//! to gain.

use super::bench::{Bench, RecommendError};
use super::case::Case;
use super::space::{Point, step_at};
use innosim_core::metrics::Summary;

/// Factors of the coarse stage.
const COARSE: [f64; 5] = [0.5, 0.71, 1.0, 1.41, 2.0];
/// Factor by which an end is passed.
const ONWARD: f64 = 1.41;
/// Most steps past an end, and most rounds of halving.
const ROUNDS: usize = 8;
/// The edge is looked at if the lowest sound setting is within this share of the best.
const EDGE: f64 = 0.10;
/// Candidates within this share of the best are replicated.
const CLOSE: f64 = 0.03;
/// Most candidates that are replicated.
const FINALISTS: usize = 4;
/// Doubling the redo log must gain this share of the goal.
const REDO_GAIN: f64 = 0.03;
/// Largest redo log that is tried, in present sizes: of those that gain, and as long as none is sound.
const MOST_REDO: (f64, f64) = (4.0, 64.0);

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    /// The best point.
    pub(super) best: Point,
    /// Points of equal merit, the best among them.
    pub(super) plateau: Vec<Point>,
}

/// Finds the best point. As long as its age is seen to rise to the end of its runs, and longer ones may be made, it
/// starts anew with those.
pub(super) fn search(bench: &mut Bench<'_>) -> Result<Found, RecommendError> {
    loop {
        if let Some(found) = search_at_this_length(bench)?
            && !bench.lengthen(found.best)
        {
            return Ok(found);
        }
    }
}

/// `None` if the best of the first stage showed that runs are too short, and they were made longer.
fn search_at_this_length(bench: &mut Bench<'_>) -> Result<Option<Found>, RecommendError> {
    let current = bench.current();
    let coarse = coarse(bench, current.redo_bytes, current.io_capacity_max as f64);
    bench.ensure_as_is("coarse", &coarse, 1)?;
    let first = best_of(bench, Case::AS_IS, &coarse);
    if bench.lengthen(first) {
        return Ok(None);
    }
    let mut best = at_redo(bench, current.redo_bytes, current.io_capacity_max as f64)?;
    if bench.redo {
        best = at_larger_redo(bench, best)?;
    }
    finals(bench, best).map(Some)
}

/// The best over the present redo size, whose best is `best`, and larger ones.
fn at_larger_redo(bench: &mut Bench<'_>, mut best: Point) -> Result<Point, RecommendError> {
    let (if_it_gains, if_none_is_sound) = MOST_REDO;
    let mut factor = 2.0;
    loop {
        let is_sound = bench.is_sound(Case::AS_IS, best);
        let within =
            factor <= if_it_gains || (!is_sound && factor <= if_none_is_sound && bench.plan().has_room(factor));
        let Some(redo) = bench.space().redo_times(factor).filter(|_| within) else { return Ok(best) };
        // What stalls least says nothing of where to look on.
        let start = if is_sound { best } else { bench.current() };
        let next = at_redo(bench, redo, start.io_capacity_max as f64)?;
        if is_sound && !gains(bench, next, best) {
            return Ok(best);
        }
        if is_sound || bench.is_sound(Case::AS_IS, next) || bench.trouble(next) < bench.trouble(best) {
            best = next;
        }
        factor *= 2.0;
    }
}

/// The points of the coarse stage about `start`.
fn coarse(bench: &Bench<'_>, redo: u64, start: f64) -> Vec<Point> {
    let mut points: Vec<Point> = COARSE.iter().map(|factor| bench.space().point(start * factor, redo)).collect();
    if redo == bench.current().redo_bytes {
        points.push(bench.current());
    }
    tidy(&mut points);
    points
}

/// The best I/O capacity at one redo size, near `start`.
fn at_redo(bench: &mut Bench<'_>, redo: u64, start: f64) -> Result<Point, RecommendError> {
    let mut tried = coarse(bench, redo, start);
    bench.ensure_as_is("coarse", &tried, 1)?;
    for _ in 0..ROUNDS {
        let best = best_of(bench, Case::AS_IS, &tried);
        let Some(onward) = past_the_end(bench, &tried, best) else { break };
        tried.push(onward);
        tidy(&mut tried);
        bench.ensure_as_is("coarse", &[onward], 1)?;
    }
    for _ in 0..ROUNDS {
        let middles = middles(bench, &tried);
        if middles.is_empty() {
            break;
        }
        bench.ensure_as_is("fine", &middles, 1)?;
        tried.extend(middles);
        tidy(&mut tried);
    }
    Ok(best_of(bench, Case::AS_IS, &tried))
}

/// The next point beyond the end at which the best lies, if there is one.
fn past_the_end(bench: &Bench<'_>, tried: &[Point], best: Point) -> Option<Point> {
    let value = best.io_capacity_max as f64;
    let onward = match tried.iter().position(|point| *point == best)? {
        last if last + 1 == tried.len() => bench.space().point(value * ONWARD, best.redo_bytes),
        0 => bench.space().point(value / ONWARD, best.redo_bytes),
        _ => return None,
    };
    (!tried.contains(&onward)).then_some(onward)
}

/// The middles of the gaps beside the best and below the edge that are wider than a step.
fn middles(bench: &Bench<'_>, tried: &[Point]) -> Vec<Point> {
    let best = best_of(bench, Case::AS_IS, tried);
    let at = tried.iter().position(|point| *point == best);
    let gaps = [at.and_then(|at| at.checked_sub(1)), at, edge(bench, tried, best)].into_iter().flatten();
    let mut middles: Vec<Point> =
        gaps.filter_map(|below| middle(bench, *tried.get(below)?, *tried.get(below + 1)?)).collect();
    middles.retain(|point| !tried.contains(point));
    tidy(&mut middles);
    middles
}

/// Between two points that are more than a step apart.
fn middle(bench: &Bench<'_>, low: Point, high: Point) -> Option<Point> {
    let middle = (low.io_capacity_max + high.io_capacity_max) as f64 / 2.0;
    let wide = high.io_capacity_max - low.io_capacity_max > step_at(middle);
    wide.then(|| bench.space().point(middle, low.redo_bytes))
}

/// The highest point that is not sound below the lowest that is, if that one could come near the best.
fn edge(bench: &Bench<'_>, tried: &[Point], best: Point) -> Option<usize> {
    let lowest = tried.iter().position(|&point| bench.is_sound(Case::AS_IS, point))?;
    let (here, top) = (bench.score(Case::AS_IS, tried[lowest])?, bench.score(Case::AS_IS, best)?);
    if here < top - EDGE * top.abs() { None } else { lowest.checked_sub(1) }
}

/// Replicates what could be the answer, and decides.
fn finals(bench: &mut Bench<'_>, best: Point) -> Result<Found, RecommendError> {
    let here: Vec<Point> = bench.points().into_iter().filter(|p| p.redo_bytes == best.redo_bytes).collect();
    let score = |bench: &Bench<'_>, point| bench.score(Case::AS_IS, point).unwrap_or(f64::MIN);
    let top = score(bench, best);
    let mut close: Vec<Point> = here
        .iter()
        .copied()
        .filter(|&p| bench.is_sound(Case::AS_IS, p) == bench.is_sound(Case::AS_IS, best))
        .filter(|&p| score(bench, p) >= top - CLOSE * top.abs())
        .collect();
    close.sort_by(|&a, &b| score(bench, b).total_cmp(&score(bench, a)));
    close.truncate(FINALISTS);
    let mut again = close.clone();
    again.push(best);
    again.push(bench.current());
    tidy(&mut again);
    let replications = bench.replications;
    bench.ensure_as_is("replicate", &again, replications)?;
    tidy(&mut close);
    let best = best_of(bench, Case::AS_IS, if close.is_empty() { &here } else { &close });
    let plateau = equals(bench, Case::AS_IS, &close, best);
    Ok(Found { best, plateau })
}

fn tidy(points: &mut Vec<Point>) {
    points.sort();
    points.dedup();
}

/// Whether `larger` is worth its larger redo log, with a sound `best` so far.
fn gains(bench: &Bench<'_>, larger: Point, best: Point) -> bool {
    let score = |point| bench.score(Case::AS_IS, point);
    match (score(larger), score(best)) {
        (Some(more), Some(less)) if bench.is_sound(Case::AS_IS, larger) => more - less > REDO_GAIN * less.abs(),
        _ => false,
    }
}

/// The best of `points` in a case: sound, not too slow for the goal, and first by score; of points of equal merit the
/// lowest, as more capacity buys nothing there. If none is sound, the one that stalls least.
pub(super) fn best_of(bench: &Bench<'_>, case: Case, points: &[Point]) -> Point {
    let means: Vec<(Point, Summary)> = points.iter().filter_map(|&p| Some((p, bench.mean(case, p)?))).collect();
    let sound: Vec<&(Point, Summary)> = means.iter().filter(|(p, _)| bench.is_sound(case, *p)).collect();
    if sound.is_empty() {
        let trouble = |s: &Summary| s.stall_seconds + s.sync_flush_seconds;
        let least = means
            .iter()
            .min_by(|(_, a), (_, b)| trouble(a).total_cmp(&trouble(b)).then(b.tps_mean.total_cmp(&a.tps_mean)));
        return least.map_or(bench.current(), |(point, _)| *point);
    }
    let goal = bench.goal();
    let now = sound.iter().find(|(p, _)| *p == bench.current()).map(|(_, s)| s.tps_mean);
    let most = sound.iter().map(|(_, s)| s.tps_mean).fold(0.0, f64::max);
    let least = goal.least_tps(now, most);
    let fast: Vec<&&(Point, Summary)> = sound.iter().filter(|(_, s)| s.tps_mean >= least).collect();
    let top = fast.iter().map(|(_, s)| goal.score(s)).fold(f64::MIN, f64::max);
    let equal = fast.iter().filter(|(_, s)| goal.score(s) >= top - goal.grain() * top.abs());
    equal.map(|(point, _)| *point).min().unwrap_or(bench.current())
}

/// Points of `points` as good as `best` within the goal's grain.
fn equals(bench: &Bench<'_>, case: Case, points: &[Point], best: Point) -> Vec<Point> {
    let Some(top) = bench.score(case, best) else { return vec![best] };
    let least = top - bench.goal().grain() * top.abs();
    let equal = |point: &&Point| bench.score(case, **point).is_some_and(|score| score >= least);
    points.iter().filter(equal).copied().collect()
}
