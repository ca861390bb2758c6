//! What comes of a search: another setting to try, the present one to keep, or nothing.
//!
//! Where no setting may be recommended ([`judge`](super::judge)), the present one is put under what it must survive. If its
//! users feel no stall there, it stays, whoever does the flushing. If they do, something else than the I/O capacity is the
//! limit, and nothing is recommended. One redo log of twice the size tells whether that is the redo log.

use super::bench::{Bench, RecommendError};
use super::case::Case;
use super::judge::{is_answer, is_worse};
use super::reserve;
use super::room;
use super::search::REDO_SIZES;
use super::sensitivity::{self, WhatIf};
use super::space::Point;
use super::stress::Stress;
use innosim_core::metrics::Regime;

/// Twice the redo log must gain this share of the throughput, where it does not end the stalls, to be called the limit.
const REDO_GAIN: f64 = 0.03;
/// A device that is busy for this share of the time is the limit.
const BUSY: f64 = 0.95;
/// Present settings times these are run where something else is the limit, and the name of that stage: what a person would try.
const FAR_FACTORS: [f64; 8] = [0.15, 0.25, 0.4, 0.6, 0.8, 1.0, 1.3, 1.75];
pub(super) const FAR: &str = "far";
/// Settings that are looked at between one that does not come through what the present one does, and that: each is half of the way, on a
/// scale of ratios.
const ON_THE_WAY: usize = 2;
/// Share of a stress in which a setting may stall that does no worse there than the present one.
const FEW_STALLS: f64 = 0.1;
/// Most by which its 99th percentile of latency may then be that of the present one.
const HARDLY_LONGER: f64 = 1.1;
/// Stages that look for better settings, and test none.
const SEARCHES: [&str; 4] = ["coarse", "fine", LARGER_REDO, REDO_SIZES];
/// The stage that tells whether the redo log is the limit.
pub(super) const LARGER_REDO: &str = "larger redo log";
/// Waits for a free page a second from which on free pages are the limit.
const WAITS_PER_S: f64 = 1.0;

/// What comes of a search.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Another setting is better.
    Try,
    /// The present setting stays, for this reason.
    Keep(String),
    /// Nothing is recommended.
    Refused(Refusal),
}

/// Why nothing is recommended.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// What kind of reason it is.
    pub cause: Cause,
    /// The reason in words.
    pub why: String,
}

/// Kinds of reasons for which nothing is recommended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Runs were too short to tell.
    TooShort,
    /// An input that is known roughly would turn the answer.
    Uncertain,
    /// The time was over before a setting was found, or the limit.
    OutOfTime,
    /// Something else than the I/O capacity is the limit.
    Limit(Limit),
}

/// What no I/O capacity helps against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The redo log is too small.
    Redo,
    /// The device does no more.
    Device,
    /// Clients wait for free pages.
    FreePages,
    /// More work arrives than the server does.
    Load,
}

impl Limit {
    /// Name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Limit::Redo => "redo_log",
            Limit::Device => "device",
            Limit::FreePages => "free_pages",
            Limit::Load => "load",
        }
    }

    pub(crate) const fn in_words(self) -> &'static str {
        match self {
            Limit::Redo => "the redo log is the limit",
            Limit::Device => "the device is the limit",
            Limit::FreePages => "free pages are the limit",
            Limit::Load => "the load is more than the server does",
        }
    }
}

/// What is decided.
pub(super) struct Decision {
    pub(super) best: Point,
    pub(super) verdict: Verdict,
    pub(super) what_if: WhatIf,
    /// The present capacities with a larger redo log, if that was tried.
    pub(super) larger_redo: Option<Point>,
}

/// Decides on what a search found, and where that leaves no reserve and fails, on the best that does.
pub(super) fn decide(
    bench: &mut Bench<'_>,
    found: Point,
    with_reserve: Option<Point>,
) -> Result<Decision, RecommendError> {
    if bench.far {
        let now = bench.current();
        let at = |factor: &f64| bench.space().point(now.io_capacity_max as f64 * factor, now.redo_bytes);
        let far: Vec<Point> = FAR_FACTORS.iter().map(at).collect();
        bench.ensure_as_is(FAR, &far, 1, &[])?;
    }
    if let Some(why) = sensitivity::too_short(bench, found) {
        let verdict = Verdict::Refused(Refusal { cause: Cause::TooShort, why });
        return Ok(Decision { best: found, verdict, what_if: WhatIf::default(), larger_redo: None });
    }
    if !is_answer(bench, found) {
        return without_answer(bench);
    }
    if let Some(with_reserve) = with_reserve {
        if let Some(decision) = without_reserve(bench, found, with_reserve)? {
            return Ok(decision);
        }
        bench.ask_for_reserve(true);
        return decide(bench, with_reserve, None);
    }
    let best = room::with_room(bench, found)?;
    let now = bench.current();
    bench.stress(&[now, best])?;
    if !falls_short(bench, best) {
        return examined(bench, best);
    }
    if let Some(on_the_way) = on_the_way(bench, best)? {
        return examined(bench, on_the_way);
    }
    let why =
        format!("{} does not come through what the present setting does: {}", best.io_capacity_max, fails(bench, best));
    Ok(Decision { best: now, verdict: Verdict::Keep(why), what_if: WhatIf::default(), larger_redo: None })
}

/// What comes of a setting without a reserve, or of one above it that is sound with every input off and still gains enough. `None` if it
/// fails.
fn without_reserve(
    bench: &mut Bench<'_>,
    found: Point,
    with_reserve: Point,
) -> Result<Option<Decision>, RecommendError> {
    bench.stress(&[bench.current(), found])?;
    let mut decision = examined(bench, found)?;
    let is_worth_it = |safer: &Point| reserve::is_dear(bench, *safer, with_reserve);
    if let Some(safer) = decision.what_if.safer.filter(is_worth_it) {
        let replications = bench.replications;
        bench.ensure_as_is("replicate", &[safer], replications, &[])?;
        bench.stress(&[safer])?;
        decision = examined(bench, safer)?;
    }
    let holds = decision.verdict == Verdict::Try && !falls_short(bench, decision.best);
    Ok(holds.then_some(decision))
}

/// Whether a setting does not come through what the present one does.
fn falls_short(bench: &Bench<'_>, point: Point) -> bool {
    point != bench.current() && survives(bench, bench.current()) && !does_no_worse(bench, point)
}

/// What comes of a setting that does: whether it holds with an input off.
fn examined(bench: &mut Bench<'_>, best: Point) -> Result<Decision, RecommendError> {
    let what_if = sensitivity::examine(bench, best)?;
    let verdict = match &what_if.refused {
        Some(why) => Verdict::Refused(Refusal { cause: Cause::Uncertain, why: why.clone() }),
        None if best == bench.current() => Verdict::Keep(String::new()),
        None => Verdict::Try,
    };
    Ok(Decision { best, verdict, what_if, larger_redo: None })
}

/// Between `best`, which does not come through what the present setting does, and that one: the first of a few settings that does, and is
/// better than it.
fn on_the_way(bench: &mut Bench<'_>, best: Point) -> Result<Option<Point>, RecommendError> {
    let now = bench.current();
    let mut fails = best;
    for _ in 0..ON_THE_WAY {
        let middle = (fails.io_capacity_max as f64 * now.io_capacity_max as f64).sqrt();
        let point = bench.space().point(middle, best.redo_bytes);
        if point == fails || point == now {
            break;
        }
        let replications = bench.replications;
        bench.ensure_as_is("replicate", &[point], replications, &[])?;
        bench.stress(&[point])?;
        let [score, present] = bench.scores(Case::AS_IS, [point, now]).unwrap_or_default();
        let is_better = score > present + bench.goal().grain() * present.abs();
        if is_better && is_answer(bench, point) && does_no_worse(bench, point) {
            return Ok(Some(point));
        }
        fails = point;
    }
    Ok(None)
}

/// No setting may be recommended: the present one stays if it comes through, and else what the limit is is said.
fn without_answer(bench: &mut Bench<'_>) -> Result<Decision, RecommendError> {
    let now = bench.current();
    bench.ensure("what if", &[(Case::SLOWER_DEVICE, now)], 1, &[])?;
    bench.stress(&[now])?;
    let larger = if bench.redo { None } else { bench.space().redo_times(2.0) };
    let larger = larger.map(|redo_bytes| Point { redo_bytes, ..now });
    if let Some(larger) = larger {
        let replications = bench.replications;
        bench.ensure_as_is(LARGER_REDO, &[larger], replications, &[])?;
    }
    if !bench.left_out().is_empty() {
        let why = format!("the time was over: {}", none_will_do(bench));
        let verdict = Verdict::Refused(Refusal { cause: Cause::OutOfTime, why });
        let larger_redo = larger.filter(|&point| bench.mean(Case::AS_IS, point).is_some());
        return Ok(Decision { best: now, verdict, what_if: WhatIf::default(), larger_redo });
    }
    let comes_through = [Case::AS_IS, Case::SLOWER_DEVICE].iter().all(|&case| bench.comes_through(case, now));
    let verdict = if comes_through && survives(bench, now) {
        Verdict::Keep(keep_in_words(bench))
    } else {
        let limit = limit(bench, larger);
        let why = format!(
            "{}, and no {} helps: {}. The present setting {}",
            limit.in_words(),
            bench.space().searched(),
            none_will_do(bench),
            fails(bench, now)
        );
        Verdict::Refused(Refusal { cause: Cause::Limit(limit), why })
    };
    Ok(Decision { best: now, verdict, what_if: WhatIf::default(), larger_redo: larger })
}

/// What is left of a verdict where the time was over: another setting is only recommended once it has gone through all
/// checks, and the present one only stays once the search for a better one has ended.
pub(super) fn in_time(bench: &Bench<'_>, verdict: Verdict, best: Point) -> Verdict {
    let is_open = |stage: &str| match verdict {
        Verdict::Refused(_) => false,
        Verdict::Try => !SEARCHES.contains(&stage),
        Verdict::Keep(_) => stage != LARGER_REDO,
    };
    if !bench.left_out().iter().any(|stage| is_open(stage)) {
        return verdict;
    }
    let (name, value) = (bench.space().searched(), best.io_capacity_max);
    let why = if best == bench.current() {
        format!("the time was over, and so far no setting is better than the present {name} = {value}")
    } else {
        format!("the time was over before {name} = {value}, the best so far, had gone through all checks")
    };
    Verdict::Refused(Refusal { cause: Cause::OutOfTime, why })
}

fn survives(bench: &Bench<'_>, point: Point) -> bool {
    Stress::ALL.iter().all(|&stress| {
        let case = Case::under(stress);
        bench.trials(case, point).is_empty() || bench.comes_through(case, point)
    })
}

/// Whether users of a setting feel no stall when it is stressed, or do no worse then than those of the present one: with as much throughput, a
/// 99th percentile of latency that is hardly longer, and few seconds of stall.
fn does_no_worse(bench: &Bench<'_>, point: Point) -> bool {
    Stress::ALL.iter().all(|&stress| {
        let case = Case::under(stress);
        let figures = bench.mean(case, point).zip(bench.mean(case, bench.current()));
        figures.is_none_or(|(then, now)| {
            let few = then.stall_seconds <= FEW_STALLS * bench.window_of(case, point);
            let no_worse = then.tps_mean >= now.tps_mean && then.latency_ms_p99 <= HARDLY_LONGER * now.latency_ms_p99;
            bench.comes_through(case, point) || few && no_worse
        })
    })
}

/// What is the limit, by figures of the present setting, and of twice the redo log.
fn limit(bench: &Bench<'_>, larger: Option<Point>) -> Limit {
    let Some(mean) = bench.mean(Case::AS_IS, bench.current()) else { return Limit::Redo };
    let then = larger.and_then(|point| Some((point, bench.mean(Case::AS_IS, point)?)));
    let redo_helps = then.is_some_and(|(point, then)| {
        bench.comes_through(Case::AS_IS, point) || then.tps_mean > (1.0 + REDO_GAIN) * mean.tps_mean
    });
    let seconds = bench.window_of(Case::AS_IS, bench.current()).max(1.0);
    if redo_helps {
        Limit::Redo
    } else if mean.device_utilization >= BUSY {
        Limit::Device
    } else if mean.free_page_waits > WAITS_PER_S * seconds {
        Limit::FreePages
    } else if mean.regime == Regime::Overloaded {
        Limit::Load
    } else {
        Limit::Redo
    }
}

/// Why none of the settings that were tried may be recommended.
fn none_will_do(bench: &Bench<'_>) -> String {
    let points: Vec<Point> = bench.points().into_iter().filter(|&point| point != bench.current()).collect();
    let sound: Vec<Point> = points.iter().copied().filter(|&point| bench.is_stable(Case::AS_IS, point)).collect();
    let largest = points.iter().map(|point| point.redo_bytes).max().unwrap_or(0);
    let up_to = if bench.redo && largest > bench.current().redo_bytes {
        format!(", with redo logs of up to {} MiB,", largest >> 20)
    } else {
        String::new()
    };
    if sound.is_empty() {
        format!("no setting that was tried{up_to} runs without stalls or sync flushing")
    } else if bench.needs_reserve() && sound.iter().any(|&point| !is_worse(bench, point)) {
        format!("no setting that was tried{up_to} leaves 10 % of the async limit in reserve at no loss")
    } else {
        format!(
            "no setting that was tried{up_to} runs without stalls and sync flushing and is at least as good as the present one in \
             throughput and latency"
        )
    }
}

fn keep_in_words(bench: &Bench<'_>) -> String {
    let now = bench.current();
    let synced = bench.mean(Case::AS_IS, now).map_or(0.0, |mean| mean.sync_flush_seconds);
    let seconds = bench.window_of(Case::AS_IS, now);
    format!(
        "It depends on sync flushing ({synced:.0} of {seconds:.0} s), and its users feel no stall of it: not as it is, nor on a \
         device 15 % slower{}. And {}",
        if bench.trials(Case::under(Stress::Surge), now).is_empty() {
            ""
        } else {
            ", nor with the load a quarter higher for half a minute, nor from a checkpoint age at its limit"
        },
        none_will_do(bench)
    )
}

/// How a setting fails, in figures.
fn fails(bench: &Bench<'_>, point: Point) -> String {
    let cases = [
        (Case::AS_IS, "as it is"),
        (Case::SLOWER_DEVICE, "on a device 15 % slower"),
        (Case::under(Stress::Surge), "with the load a quarter higher for half a minute"),
        (Case::under(Stress::AgeAtLimit), "from a checkpoint age at its limit"),
    ];
    let one = |&(case, name): &(Case, &str)| {
        let mean = bench.mean(case, point).filter(|_| !bench.comes_through(case, point))?;
        let how = match mean.regime {
            Regime::Waves => "runs in waves",
            Regime::Overloaded => "can't keep up with the load",
            _ => "stalls",
        };
        let stalled = format!("{:.0} of {:.0} s stalled", mean.stall_seconds, bench.window_of(case, point));
        Some(format!("{how} {name} ({stalled})"))
    };
    cases.iter().filter_map(one).collect::<Vec<String>>().join(", ")
}
