//! What a reserve may cost.
//!
//! An answer leaves a tenth of the async limit in reserve, for the next peak of the load ([`judge`](super::judge)). Where flushing less gains much, as in a
//! closed loop whose commits wait behind page writes, that reserve is dear: settings are then searched anew without it, and
//! the best of them is the answer if it is more than a tenth better, and does no worse under stress than the present setting. The
//! one with a reserve is told beside it. With larger redo logs to choose from the reserve is always kept, as they give it for less.

use super::bench::{Bench, RecommendError};
use super::case::Case;
use super::judge::{is_answer, without_reserve};
use super::search::{self, Found};
use super::space::Point;

/// Share of the goal that a reserve may cost.
const PRICE: f64 = 0.1;
/// Gain of a setting without a reserve from which on others like it are looked for.
const WORTH_A_LOOK: f64 = 0.05;
/// Where settings below the best gain something, one lower by this factor tells whether that is worth it.
const LOWER: f64 = 1.41;

/// Finds the best setting, and if it leaves no reserve, the best that does.
pub(super) fn search(bench: &mut Bench<'_>) -> Result<(Found, Option<Point>), RecommendError> {
    let kept = search::search(bench)?;
    if bench.redo || !bench.needs_reserve() || !is_answer(bench, kept.best) || !looks_dear(bench, kept.best)? {
        return Ok((kept, None));
    }
    bench.ask_for_reserve(false);
    let found = search::search(bench)?;
    let may_be = is_answer(bench, found.best);
    bench.ask_for_reserve(true);
    // Where runs became longer meanwhile, those of the first search are gone.
    let was_run = bench.score(Case::AS_IS, kept.best).is_some();
    let kept = if was_run { kept } else { search::search(bench)? };
    if !may_be || !is_dear(bench, found.best, kept.best) {
        return Ok((kept, None));
    }
    bench.ask_for_reserve(false);
    Ok((found, Some(kept.best)))
}

/// Whether settings without a reserve gain so much that others may gain more than it may cost.
fn looks_dear(bench: &mut Bench<'_>, best: Point) -> Result<bool, RecommendError> {
    let gain = |bench: &Bench<'_>| {
        let without = without_reserve(bench, &bench.points(), best);
        without.into_iter().map(|point| gains(bench, point, best)).fold(0.0, f64::max)
    };
    if gain(bench) > 0.0 {
        let lower = bench.space().point(best.io_capacity_max as f64 / LOWER, best.redo_bytes);
        bench.ensure_as_is("fine", &[lower], 1, &[])?;
    }
    Ok(gain(bench) > WORTH_A_LOOK)
}

/// Whether a reserve costs more than it may: what the best setting with one loses against one without.
pub(super) fn is_dear(bench: &Bench<'_>, without: Point, with: Point) -> bool {
    gains(bench, without, with) > PRICE
}

/// How much better one setting is than another, as a share of the goal.
fn gains(bench: &Bench<'_>, point: Point, than: Point) -> f64 {
    let scores = [point, than].map(|point| bench.score(Case::AS_IS, point));
    let [Some(score), Some(other)] = scores else { return 0.0 };
    (score - other) / other.abs().max(1e-9)
}
