//! What the answer depends on.
//!
//! The best setting is run again in every [`Case`], and so are its neighbours where they could turn the answer: the next lower one where
//! the best itself is sound, and not with a larger working set if it was not sound with the present one (it is
//! taken for granted that neither less capacity nor more pages to write make a server sound); and neither where the best is sound and the
//! neighbour, sound too as the scenario stands, is as good there. Where it is near what a neighbour may be better by, both are
//! run again with other random numbers. Where a neighbour is too much better, the present setting is run too. The answer stands if the best setting stays
//! sound and loses little to a neighbour, or is better than the present setting there too. If it does not, the nearest higher
//! setting that is sound in every case is offered as the safer one. If there is none near, or a neighbour gains much, the answer is refused: measuring that
//! input comes first.

use super::bench::{Ahead, Bench, RecommendError};
use super::best::{best_of, equals};
use super::case::{Case, Input};
use super::plan::lengths;
use super::room;
use super::settled::Rise;
use super::space::{Point, step_at};
use crate::rest::LEAST_WINDOW_S;

/// An answer that loses this share of its goal to a neighbour does not stand.
const TOO_MUCH: f64 = 0.05;
/// How far such a loss may be off that one run of each setting tells, a flow of the coarse tier above all.
const LOSS_OFF: f64 = 0.01;
/// Most steps above the best at which a safer setting is looked for.
const STEPS_UP: usize = 3;
/// Most that a safer setting may lose as the scenario stands.
const PRICE_OF_SAFETY: f64 = 0.10;

/// What became of the answer with one input moved.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensitivity {
    /// The input.
    pub input: Input,
    /// How far it was moved, a share of its value: -0.1 is 10 % less.
    pub change: f64,
    /// Whether the best setting runs without stalls and waves there.
    pub sound: bool,
    /// The best of the setting and its neighbours there.
    pub best_there: Point,
    /// What the setting loses to that, a share of its goal.
    pub loss: f64,
    /// Whether it is better than the present setting there.
    pub beats_present: bool,
    /// Transactions a second of the setting there.
    pub tps: f64,
}

/// What the cases say together.
#[derive(Debug, Default)]
pub(super) struct WhatIf {
    pub(super) cases: Vec<Sensitivity>,
    pub(super) safer: Option<Point>,
    pub(super) refused: Option<String>,
    pub(super) measure_first: Vec<Input>,
}

/// Says that runs were too short to tell, if they were.
pub(super) fn too_short(bench: &Bench<'_>, best: Point) -> Option<String> {
    bench.rise(best).map(|rise| still_rising(bench, best, rise)).or_else(|| too_short_to_tell(bench, best))
}

/// Runs `best` and its neighbours in every case.
pub(super) fn examine(bench: &mut Bench<'_>, best: Point) -> Result<WhatIf, RecommendError> {
    let around = around(bench, best);
    let itself: Vec<(Case, Point)> = Case::MOVED.iter().map(|&case| (case, best)).collect();
    bench.ensure("what if", &itself, 1, &[])?;
    let neighbours = neighbours(bench, best, &around);
    bench.ensure("what if", &neighbours, 1, &[])?;
    let is_near = |s: &Sensitivity| s.sound && (s.loss - TOO_MUCH).abs() < LOSS_OFF;
    let near =
        |case: Case| of(bench, case, best, &around).filter(is_near).map(|s| [(case, best), (case, s.best_there)]);
    let again: Vec<(Case, Point)> = Case::MOVED.into_iter().filter_map(near).flatten().collect();
    bench.ensure("what if", &again, bench.replications, &[])?;
    let loses = |case: &Case| of(bench, *case, best, &around).is_some_and(|s| s.sound && s.loss > TOO_MUCH);
    let present: Vec<(Case, Point)> =
        Case::MOVED.into_iter().filter(loses).map(|case| (case, bench.current())).collect();
    bench.ensure("what if", &present, 1, &[])?;
    let cases: Vec<Sensitivity> = Case::MOVED.iter().filter_map(|&case| of(bench, case, best, &around)).collect();
    let shaken = |s: &&Sensitivity| !s.sound || s.loss > TOO_MUCH;
    let mut measure_first: Vec<Input> = cases.iter().filter(shaken).map(|s| s.input).collect();
    measure_first.sort_by(|a, b| weight(&cases, *b).total_cmp(&weight(&cases, *a)));
    measure_first.dedup();
    let safer = if cases.iter().all(|s| s.sound) { None } else { safer(bench, best)? };
    // What is better than the present setting there too is worth trying, though another may be better still.
    let turns = |s: &&Sensitivity| if s.sound { !s.beats_present } else { safer.is_none() };
    let flips = cases.iter().filter(shaken).find(turns);
    let refused = flips.map(|s| reason(bench, s, best));
    Ok(WhatIf { cases, safer, refused, measure_first })
}

/// What is run of `best` in any case: itself, and the next higher setting if that is known to do otherwise.
pub(super) fn first_runs(bench: &Bench<'_>, best: Point) -> Vec<Ahead> {
    let does_otherwise = |p: Point| bench.score(Case::AS_IS, best).is_some() && !is_alike(bench, p, best);
    let upwards: Vec<Point> =
        around(bench, best).into_iter().filter(|&p| p == best || p > best && does_otherwise(p)).collect();
    Case::MOVED.iter().flat_map(|&case| upwards.iter().map(move |&point| (case, point, 1))).collect()
}

/// The neighbours in the cases that they could turn: neither where `best` is sound and they are alike, nor the lower one where it can't
/// be an answer, as where it lost its reserve with more pages.
fn neighbours(bench: &Bench<'_>, best: Point, around: &[Point]) -> Vec<(Case, Point)> {
    let was_seen_to_fail = |point| !bench.trials(Case::AS_IS, point).is_empty() && !bench.is_stable(Case::AS_IS, point);
    let lacks_room =
        |point| !bench.trials(Case::MORE_PAGES, point).is_empty() && !room::keeps(bench, Case::MORE_PAGES, point);
    let could_turn = |&(case, point): &(Case, Point)| {
        let holds = bench.is_stable(case, best);
        let could_be =
            point > best || holds && !lacks_room(point) && !(case.asks_for_more_writes() && was_seen_to_fail(point));
        could_be && !(holds && is_alike(bench, point, best))
    };
    let others = around.iter().filter(|point| **point != best);
    others.flat_map(|&point| Case::MOVED.map(|case| (case, point))).filter(could_turn).collect()
}

/// Whether a setting is sound and as good as `best` as the scenario stands; of one that was not run, whether the next beyond it that was is.
/// A small error of an input with which `best` is still sound then makes it no better.
fn is_alike(bench: &Bench<'_>, point: Point, best: Point) -> bool {
    let is_equal = |a, b| equals(bench, Case::AS_IS, &[a], b) == [a];
    let tried = bench.points();
    let mut of_size = tried.iter().copied().filter(|other| other.redo_bytes == point.redo_bytes);
    let seen =
        if point > best { of_size.find(|other| *other >= point) } else { of_size.rfind(|other| *other <= point) };
    let is_between = point > best && point <= room::as_good_up_to(bench, best);
    seen.is_some_and(|seen| {
        bench.is_stable(Case::AS_IS, seen) && (is_between || is_equal(seen, best) && is_equal(best, seen))
    })
}

/// Says that figures are taken over too short a time to tell whether the checkpoint age is at rest, if somebody asked for
/// runs of that length.
fn too_short_to_tell(bench: &Bench<'_>, best: Point) -> Option<String> {
    let (plan, turn_s) = (bench.plan(), bench.turn_s(best));
    let (window_s, least_s) = (plan.window_s(1.0), (LEAST_WINDOW_S as f64).min(turn_s));
    (plan.is_asked_for() && (window_s as f64) < least_s).then(|| {
        format!(
            "runs of {} s leave {window_s} s to take figures over, in which it can't be told whether the checkpoint age is at \
             rest: the redo log turns in {turn_s:.0} s. Give --duration {}s, or leave it out",
            plan.duration_s,
            lengths(turn_s).0
        )
    })
}

/// Says that runs were too short, and how long they should be.
fn still_rising(bench: &Bench<'_>, best: Point, rise: Rise) -> String {
    let mib = |bytes: f64| (bytes / 1_048_576.0).round();
    let plan = bench.plan();
    let enough_s = lengths(bench.turn_s(best)).0.max(2 * plan.duration_s);
    format!(
        "the checkpoint age of the best setting was still rising when its runs of {} s ended, from {} to {} MiB over the time \
         that counts. Until it is at rest, settings that flush too little look better than they are. Give --duration {enough_s}s, \
         which is about two and a half turns of the redo log or twice the present length",
        plan.duration_s,
        mib(rise.from_bytes),
        mib(rise.to_bytes)
    )
}

/// How much an input matters: the worst of its cases.
fn weight(cases: &[Sensitivity], input: Input) -> f64 {
    let of = |s: &Sensitivity| if s.sound { s.loss } else { 1.0 + s.loss };
    cases.iter().filter(|s| s.input == input).map(of).fold(0.0, f64::max)
}

/// The point and its neighbours a step away.
fn around(bench: &Bench<'_>, best: Point) -> Vec<Point> {
    let step = step_at(best.io_capacity_max as f64) as f64;
    let at = |steps: f64| bench.space().point(best.io_capacity_max as f64 + steps * step, best.redo_bytes);
    let mut points = vec![at(-1.0), best, at(1.0)];
    points.sort();
    points.dedup();
    points
}

fn of(bench: &Bench<'_>, case: Case, best: Point, around: &[Point]) -> Option<Sensitivity> {
    let mean = bench.mean(case, best)?;
    let best_there = best_of(bench, case, around);
    let there = bench.mean(case, best_there)?;
    let (score, top) = (bench.goal().score(&mean), bench.goal().score(&there));
    let present = bench.mean(case, bench.current()).filter(|_| best != bench.current());
    Some(Sensitivity {
        input: case.input?,
        change: f64::from(case.per_mille) / 1000.0,
        sound: bench.is_stable(case, best),
        best_there,
        loss: ((top - score) / top.abs().max(1e-9)).max(0.0),
        beats_present: present.is_some_and(|present| score > bench.goal().score(&present)),
        tps: mean.tps_mean,
    })
}

/// The nearest higher setting that is sound in every case, at a bearable price.
fn safer(bench: &mut Bench<'_>, best: Point) -> Result<Option<Point>, RecommendError> {
    let step = step_at(best.io_capacity_max as f64) as f64;
    for steps in 1..=STEPS_UP {
        let higher = bench.space().point(best.io_capacity_max as f64 + steps as f64 * step, best.redo_bytes);
        let cases = [&[Case::AS_IS], &Case::MOVED[..]].concat();
        let wanted: Vec<(Case, Point)> = cases.iter().map(|&case| (case, higher)).collect();
        bench.ensure("safer", &wanted, 1, &[])?;
        if cases.iter().all(|&case| bench.is_stable(case, higher)) {
            let score = |point| bench.score(Case::AS_IS, point).unwrap_or(f64::MIN);
            let price = score(best) - score(higher);
            return Ok((price <= PRICE_OF_SAFETY * score(best).abs()).then_some(higher));
        }
    }
    Ok(None)
}

fn reason(bench: &Bench<'_>, shaken: &Sensitivity, best: Point) -> String {
    let off = (shaken.change.abs() * 100.0).round();
    let what = match (shaken.input, shaken.change > 0.0) {
        (Input::WorkingSet, true) => format!("a working set {off} % larger"),
        (Input::WorkingSet, false) => format!("a working set {off} % smaller"),
        (Input::DeviceSpeed, true) => format!("a device {off} % faster"),
        (Input::DeviceSpeed, false) => format!("a device {off} % slower"),
    };
    let name = bench.space().searched();
    let value = best.io_capacity_max;
    if shaken.sound {
        let other = shaken.best_there.io_capacity_max;
        let percent = (shaken.loss * 100.0).round();
        return format!("with {what}, {name} = {other} is {percent} % better than {value}");
    }
    format!("with {what}, {name} = {value} runs into stalls or sync flushing, and so do the next higher settings")
}
