//! From coarse to fine.
//!
//! The coarse stage tries factors of about 1.4 about the present I/O capacity, and goes on past an end, two settings at a
//! time, while that end is the best. Then comes the edge between the lowest setting that runs soundly and the next lower
//! one, with the reserve that an answer needs: flushing that is just enough is often best, and a narrow hill there hides from a coarse look. The gap is halved, or
//! cut in three if it is wide, until it is one step wide; then the gaps beside the best, if they still are wider and something better could lie there. Of
//! settings that are as good, the one with [`room`](super::room) is taken. Then what could still be the answer, and the present setting, are run again with
//! other random numbers; the rest has lost with one run.
//!
//! Runs go to all processors at once. Where a stage has fewer runs than that, runs that later stages ask for (or most likely
//! will) are made ahead, and decide nothing before they are asked for. Which they are does not depend on the number of
//! processors, and so no result does.
//!
//! With the redo log to be chosen too, each size gets a search of its own, from small to large, as long as doubling it
//! still gains something worth a longer recovery; and as long as no size was sound, since before that there is nothing
//! to gain. Where writing fewer pages hardly gains anything, the runs of one size tell that no larger one will.

use super::bench::{Ahead, Bench, RecommendError};
use super::best::{best_of, equals};
use super::case::Case;
use super::judge::{has_reserve, is_answer};
use super::room::{self, next_below, reserve_ends};
use super::sensitivity;
use super::space::{Point, step_at};

/// Factors of the coarse stage.
const COARSE: [f64; 3] = [0.71, 1.0, 1.41];
/// Factors by which an end is passed.
const ONWARD: [f64; 2] = [1.41, 2.0];
/// Most rounds past an end, and most of cutting gaps.
const ROUNDS: usize = 6;
/// Settings that are no answer are alike if one is in trouble for no more than this many times the seconds of the other.
const ALIKE: f64 = 1.1;
/// The edge is looked at if the lowest sound setting is within this share of the best.
const EDGE: f64 = 0.10;
/// Candidates are within this share of the best.
const CLOSE: f64 = 0.03;
/// Most candidates.
const FINALISTS: usize = 4;
/// Doubling the redo log must gain this share of the goal.
const REDO_GAIN: f64 = 0.03;
/// Most pages flushed of the sound settings by fewest from which on they tell what a page costs.
const SPAN: f64 = 1.15;
/// The stage of larger redo logs.
pub(super) const REDO_SIZES: &str = "redo sizes";
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
    let present_again = bench.ahead(&[current], 2);
    bench.ensure_as_is("coarse", &coarse, 1, &present_again)?;
    let first = best_of(bench, Case::AS_IS, &coarse);
    if bench.lengthen(first) {
        return Ok(None);
    }
    let mut best = at_redo(bench, current.redo_bytes, current.io_capacity_max as f64)?;
    if bench.redo {
        best = at_larger_redo(bench, best)?;
    }
    let mut found = finals(bench, best)?;
    for _ in 0..ROUNDS {
        let is_answer = |point: &Point| is_answer(bench, *point);
        let redo = found.best.redo_bytes;
        if is_answer(&found.best) || !bench.points().iter().any(|point| point.redo_bytes == redo && is_answer(point)) {
            break;
        }
        // Replications have shown that what looked like an answer is none, and with it that the edge lies elsewhere.
        let next = at_redo(bench, redo, current.io_capacity_max as f64)?;
        found = finals(bench, next)?;
    }
    Ok(Some(found))
}

/// The best over the present redo size, whose best is `best`, and larger ones.
fn at_larger_redo(bench: &mut Bench<'_>, mut best: Point) -> Result<Point, RecommendError> {
    let (if_it_gains, if_none_is_stable) = MOST_REDO;
    let mut factor = 2.0;
    loop {
        let is_stable = is_answer(bench, best);
        if is_stable && redo_gains_at_most(bench, best).is_some() {
            return Ok(best);
        }
        if !bench.left_out().is_empty() {
            bench.leave_out(REDO_SIZES);
            return Ok(best);
        }
        let within =
            factor <= if_it_gains || (!is_stable && factor <= if_none_is_stable && bench.plan().has_room(factor));
        let Some(redo) = bench.space().redo_times(factor).filter(|_| within) else { return Ok(best) };
        // What stalls least says nothing of where to look on.
        let start = if is_stable { best } else { bench.current() };
        let next = at_redo(bench, redo, start.io_capacity_max as f64)?;
        if is_stable && !gains(bench, next, best) {
            return Ok(best);
        }
        if is_stable || is_answer(bench, next) || bench.stall_share(next) < bench.stall_share(best) {
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
    bench.ensure_as_is("coarse", &tried, 1, &[])?;
    tried.extend(bench.points().into_iter().filter(|point| point.redo_bytes == redo));
    tidy(&mut tried);
    for round in 0..ROUNDS {
        let onward = past_the_end(bench, &tried, round == 0);
        if onward.is_empty() {
            break;
        }
        let ahead = beside(bench, &tried, &onward);
        bench.ensure_as_is("coarse", &onward, 1, &ahead)?;
        tried.extend(onward);
        tidy(&mut tried);
    }
    for _ in 0..ROUNDS {
        let cuts = cuts(bench, &tried);
        if cuts.is_empty() {
            break;
        }
        let ahead = beside(bench, &tried, &cuts);
        bench.ensure_as_is("fine", &cuts, 1, &ahead)?;
        tried.extend(cuts);
        tidy(&mut tried);
    }
    Ok(best_of(bench, Case::AS_IS, &tried))
}

/// The next points beyond the end at which the best lies, if there are any. Where all are in trouble, the way goes on while
/// the end has clearly less of it; the `first` time also, upwards, if all have as much: more capacity is the way out.
fn past_the_end(bench: &Bench<'_>, tried: &[Point], first: bool) -> Vec<Point> {
    let (Some(&low), Some(&high)) = (tried.first(), tried.last()) else { return Vec::new() };
    let best = best_of(bench, Case::AS_IS, tried);
    let is_stable = bench.is_stable(Case::AS_IS, best);
    let is_best = |end: Point| {
        let others = tried.iter().filter(|point| **point != end).map(|&point| bench.stall_share(point));
        let least = others.fold(f64::INFINITY, f64::min);
        if is_stable { end == best } else { leads_out(bench.stall_share(end), least, first && end == high) }
    };
    let onward: Vec<f64> = if is_best(high) {
        ONWARD.iter().map(|factor| high.io_capacity_max as f64 * factor).collect()
    } else if is_best(low) {
        downwards(bench, tried, low)
    } else {
        Vec::new()
    };
    let mut points: Vec<Point> = onward.into_iter().map(|value| bench.space().point(value, low.redo_bytes)).collect();
    points.retain(|point| !tried.contains(point));
    tidy(&mut points);
    points
}

/// The next capacities below the lowest that was tried. Where the reserve would end among them, none is tried beyond that but the first: it
/// shows where the edge is.
fn downwards(bench: &Bench<'_>, tried: &[Point], low: Point) -> Vec<f64> {
    let [first, second] = ONWARD.map(|factor| low.io_capacity_max as f64 / factor);
    let ends = tried.get(1).filter(|_| bench.needs_reserve()).and_then(|&next| reserve_ends(bench, low, next));
    match ends {
        Some(ends) if ends > first => vec![next_below(low, ends)],
        Some(ends) if ends > second => vec![first],
        _ => vec![first, second],
    }
}

/// Whether the way out of trouble may lie past an end that has `stall_share`, with `least` at the other points: it has clearly
/// less of it, or, `upwards`, no more.
fn leads_out(stall_share: f64, least: f64, upwards: bool) -> bool {
    stall_share * ALIKE < least || (upwards && stall_share <= least * ALIKE)
}

/// Points inside the gap at the edge if that is wider than a step; if not, inside the gaps beside the best.
fn cuts(bench: &Bench<'_>, tried: &[Point]) -> Vec<Point> {
    let best = best_of(bench, Case::AS_IS, tried);
    let inside = |below: usize| match (tried.get(below), tried.get(below + 1)) {
        (Some(&low), Some(&high)) => bench.space().between(low, high),
        _ => Vec::new(),
    };
    let where_reserve_ends = |below: usize| at_the_crossing(bench, tried, below).unwrap_or_else(|| inside(below));
    let at_the_edge = edge(bench, tried, best).map(where_reserve_ends).unwrap_or_default();
    if !at_the_edge.is_empty() {
        return at_the_edge;
    }
    let at = tried.iter().position(|point| *point == best);
    let above = at.filter(|_| !is_on_a_slope(bench, tried, best));
    let mut beside: Vec<Point> =
        [at.and_then(|at| at.checked_sub(1)), above].into_iter().flatten().flat_map(inside).collect();
    tidy(&mut beside);
    beside
}

/// Whether the best is all that the reserve leaves of a slope: the next lower setting, which is no answer, is as good or better, and the next higher one no
/// better. Then nothing better hides above.
fn is_on_a_slope(bench: &Bench<'_>, tried: &[Point], best: Point) -> bool {
    let below = tried.iter().copied().rfind(|point| *point < best && !is_answer(bench, *point));
    is_answer(bench, best) && below.is_some_and(|below| equals(bench, Case::AS_IS, &[below], best) == [below])
}

/// In the gap at the edge: the two points next above where the reserve ends, or else the one next below the upper end. `None` if the reserve does not end
/// there, or nothing lies between.
fn at_the_crossing(bench: &Bench<'_>, tried: &[Point], below: usize) -> Option<Vec<Point>> {
    let &[low, high, next] = tried.get(below..below + 3)? else { return None };
    let ends = reserve_ends(bench, high, next).filter(|&at| (low.io_capacity_max as f64) < at)?;
    let step = step_at(high.io_capacity_max as f64) as f64;
    let first = (ends / step).ceil();
    let above = [first, first + 1.0].map(|steps| steps * step);
    let under = [next_below(high, high.io_capacity_max as f64)];
    let inside = |values: &[f64]| -> Vec<Point> {
        let points = values.iter().map(|&value| bench.space().point(value, low.redo_bytes));
        points.filter(|&point| low < point && point < high).collect()
    };
    [inside(&above), inside(&under)].into_iter().find(|points| !points.is_empty())
}

/// What to run ahead beside a single setting: the present one again, which the end asks for; or, once that is done, what is cut next if the best stays
/// the best, and if nothing will be, what tells whether it keeps its reserve with more pages to write.
fn beside(bench: &Bench<'_>, tried: &[Point], next: &[Point]) -> Vec<Ahead> {
    let &[one] = next else { return Vec::new() };
    let present = bench.ahead(&[bench.current()], u32::MAX);
    if !bench.has(&present) {
        return present;
    }
    let best = best_of(bench, Case::AS_IS, tried);
    let between = bench.space().between(best.min(one), best.max(one));
    if between.is_empty() {
        room::first_asked(bench, best)
    } else if tried.first().is_some_and(|&low| one < low) {
        // Below an end the line of the reserve tells where to look, and the next run moves it.
        Vec::new()
    } else {
        bench.ahead(&between, 1)
    }
}

/// The point below the lowest that is sound and leaves the reserve of an answer, if that one could come near the best. Where
/// none leaves it, the lowest that is sound counts.
fn edge(bench: &Bench<'_>, tried: &[Point], best: Point) -> Option<usize> {
    let is_stable = |point: &Point| bench.is_stable(Case::AS_IS, *point);
    let has_reserve = |point: &Point| !bench.needs_reserve() || has_reserve(bench, Case::AS_IS, *point);
    let lowest = tried.iter().position(|point| is_stable(point) && has_reserve(point));
    let lowest = lowest.or_else(|| tried.iter().position(is_stable))?;
    let (here, top) = (bench.score(Case::AS_IS, tried[lowest])?, bench.score(Case::AS_IS, best)?);
    if here < top - EDGE * top.abs() { None } else { lowest.checked_sub(1) }
}

/// Replicates what could be the answer, and decides. Of settings as good as the best one alone is run again, as which of them
/// is the answer is not a matter of chance: the lowest that leaves a reserve, with more pages too. Of the others the next lower one is, which would be
/// chosen if it were as good; where the best turns out to be another, it goes on with that.
fn finals(bench: &mut Bench<'_>, mut best: Point) -> Result<Found, RecommendError> {
    let mut lowest = best;
    if is_answer(bench, lowest) {
        best = room::with_room_for_pages(bench, lowest)?;
    }
    let mut close = close_to(bench, lowest);
    close.push(best);
    tidy(&mut close);
    loop {
        let equal = equals(bench, Case::AS_IS, &close, lowest);
        let rival = close.iter().copied().rfind(|point| *point < best && !equal.contains(point));
        let mut again: Vec<Point> = [best].into_iter().chain(rival).collect();
        // What is asked for next: how the one that is left does with an input off.
        let what_if = if again == [best] { sensitivity::first_runs(bench, best) } else { Vec::new() };
        again.push(bench.current());
        tidy(&mut again);
        let replications = bench.replications;
        bench.ensure_as_is("replicate", &again, replications, &what_if)?;
        let next = best_of(bench, Case::AS_IS, &close);
        if next == best || equal.contains(&next) && is_answer(bench, best) {
            let mut plateau = [equal, vec![best]].concat();
            tidy(&mut plateau);
            return Ok(Found { best, plateau });
        }
        (best, lowest) = (next, next);
    }
}

/// Those of the redo size of `best` that are close to it by their first runs, in rising order.
fn close_to(bench: &Bench<'_>, best: Point) -> Vec<Point> {
    let top = score(bench, best);
    let is_close = |p: &Point| {
        p.redo_bytes == best.redo_bytes
            && is_answer(bench, *p) == is_answer(bench, best)
            && score(bench, *p) >= top - CLOSE * top.abs()
    };
    let mut close: Vec<Point> = bench.points().into_iter().filter(is_close).collect();
    close.sort_by(|&a, &b| score(bench, b).total_cmp(&score(bench, a)));
    close.truncate(FINALISTS);
    // Where many are equal but for chance, the lowest of them need not be among the first.
    close.push(best);
    tidy(&mut close);
    close
}

/// A point's score as the scenario stands, the least there is if it was not run.
fn score(bench: &Bench<'_>, point: Point) -> f64 {
    bench.score(Case::AS_IS, point).unwrap_or(f64::MIN)
}

fn tidy(points: &mut Vec<Point>) {
    points.sort();
    points.dedup();
}

/// Most that twice the redo log of `best` can gain, as a share of its score, if that is not worth it. No fewer pages are dirty at twice the age, so no less than
/// half as many are written; what a page less gains, the sound settings of this size tell, if they don't flush too much alike for
/// that.
pub(super) fn redo_gains_at_most(bench: &Bench<'_>, best: Point) -> Option<f64> {
    let of_size = |point: &Point| point.redo_bytes == best.redo_bytes && bench.is_stable(Case::AS_IS, *point);
    let figures =
        |point| Some((bench.mean(Case::AS_IS, point)?.pages_flushed_per_s_mean, bench.score(Case::AS_IS, point)?));
    let mut sound: Vec<(f64, f64)> = bench.points().into_iter().filter(of_size).filter_map(figures).collect();
    sound.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (&(fewest, with_fewest), &(most, with_most)) = (sound.first()?, sound.last()?);
    let (pages, score) = figures(best)?;
    let gain_a_page = (with_fewest - with_most) / (most - fewest);
    let gain = (gain_a_page * pages / 2.0 / score.abs().max(1e-9)).max(0.0);
    (most > SPAN * fewest && gain <= REDO_GAIN).then_some(gain)
}

/// Whether `larger` is worth its larger redo log, with a sound `best` so far.
fn gains(bench: &Bench<'_>, larger: Point, best: Point) -> bool {
    let score = |point| bench.score(Case::AS_IS, point);
    match (score(larger), score(best)) {
        (Some(more), Some(less)) if is_answer(bench, larger) => more - less > REDO_GAIN * less.abs(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_goes_on_upwards_where_all_have_as_much_trouble() {
        assert!(leads_out(0.0, 0.0, true), "none of it anywhere, and still not sound");
        assert!(leads_out(0.3, 0.3, true) && leads_out(0.32, 0.3, true) && !leads_out(0.34, 0.3, true));
        assert!(leads_out(0.2, 0.3, false) && !leads_out(0.3, 0.3, false) && !leads_out(0.0, 0.0, false));
    }
}
