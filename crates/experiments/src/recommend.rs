//! Which `innodb_io_capacity_max` to try first, and how sure that is.
//!
//! ```text
//!   pilot        a short run of the present setting: how long does the redo log last?   plan
//!   coarse       factors of 1.4 about the present setting, one run each                 search
//!   fine         the gap at the edge, then those beside the best, cut to a step         search
//!   replicate    the best few and the present setting again, with other random numbers  search
//!   (coarse and fine again without a reserve, where that gains much)                    reserve
//!   what if      working set and device a little off: does the answer stand?            case, room, sensitivity
//! ```
//!
//! Losers are told by one run and never run again; only what could be the answer is replicated. All runs of a
//! replication meet the same random numbers, and differences to the present setting are taken pair by pair.
//!
//! A run ends when what it is made for is known ([`rest`](crate::rest)), and most begin from a server already at work (`trial`).
//!
//! Runs must be long enough for the checkpoint age to come to rest; if it was rising to their end, they are made
//! longer, and where somebody asked for their length, the answer is refused.
//!
//! Where the time for it is over ([`TrialRunner::time_is_up`]), the search ends with what it has, and says what it left out.
//!
//! The answer is refused too if an error of the inputs within their usual uncertainty would turn it: then measuring is
//! worth more than setting.

mod bench;
mod beside;
mod best;
mod case;
mod coarse;
mod goal;
mod judge;
mod plan;
mod reserve;
mod room;
mod rows;
mod search;
mod sensitivity;
mod settled;
mod space;
mod stress;
#[cfg(test)]
mod tests;
mod trial;
mod trial_runner;
mod verdict;
mod why;

pub use bench::{EndedEarly, RecommendError};
pub use case::{Input, slow_down};
pub use goal::Goal;
pub use plan::Plan;
pub use rows::{Change, Row};
pub use sensitivity::Sensitivity;
pub use settled::{Rise, rise_of};
pub use space::{Point, Space};
pub use stress::{Stress, Stressed};
pub use trial_runner::TrialRunner;
pub use verdict::{Cause, Limit, Refusal, Verdict};
pub use why::{Effect, Why};

pub(crate) use beside::with_beside;

pub use crate::stable::RESERVE;

use bench::Bench;
use innosim_scenario::{Overrides, Scenario, Source};
use search::{Found, REDO_SIZES};
use verdict::{Decision, FAR, LARGER_REDO};

/// What is asked.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    /// The scenario.
    pub source: Source<'a>,
    /// Changes to it, which hold for all runs.
    pub common: Overrides,
    /// What "best" means.
    pub goal: Goal,
    /// Whether the redo log may change.
    pub redo: bool,
    /// Replications of what could be the answer.
    pub replications: u32,
    /// Whether settings far from the present one are run too, once, whatever the search finds near it.
    pub far: bool,
}

/// What is answered.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The scenario with its present setting.
    pub scenario: Scenario,
    /// How settings are spelt for its model.
    pub space: Space,
    /// How long runs are, and why.
    pub plan: Plan,
    /// The present setting.
    pub current: Row,
    /// Every setting that was tried, in rising order.
    pub candidates: Vec<Row>,
    /// What comes of it.
    pub verdict: Verdict,
    /// The best of them; the present setting where nothing else may be recommended.
    pub best: Row,
    /// What the best gains and costs against the present setting.
    pub why: Why,
    /// Settings as good as the best within the grain of the goal.
    pub plateau: Vec<Point>,
    /// What the answer depends on.
    pub sensitivity: Vec<Sensitivity>,
    /// A setting near the best that holds in every case of the sensitivity, if the best does not.
    pub safer: Option<Row>,
    /// The present and the best setting under what they must survive.
    pub stressed: Vec<Stressed>,
    /// The present capacities with twice the redo log, where nothing else may be recommended.
    pub larger_redo: Option<Row>,
    /// Most that twice the redo log of the best would gain, a share of the goal, where larger ones were asked for and left out as that is
    /// too little.
    pub redo_gains_at_most: Option<f64>,
    /// As good as the best with the fewest writes, but without the reserve.
    pub fewest_writes: Option<Row>,
    /// The best that leaves a reserve, where that costs so much that the answer leaves none.
    pub with_reserve: Option<Row>,
    /// Inputs to be measured first, the one that matters most first.
    pub measure_first: Vec<Input>,
    /// Runs made.
    pub runs: usize,
    /// Those of them that ended before their planned length.
    pub ended_early: EndedEarly,
    /// Why runs that could have been flows of the coarse tier were made exactly, if some were: one reason.
    pub coarse_refused: Option<String>,
    /// Stages of which runs were left out because the time was over, in order.
    pub left_out: Vec<String>,
    /// Simulated seconds of all runs.
    pub simulated_s: f64,
}

/// A setting in the search, as who shows it must know it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Setting {
    pub(crate) space: Space,
    pub(crate) plan: Plan,
    pub(crate) point: Point,
}

/// Searches for the best setting.
///
/// # Errors
/// [`RecommendError`] if the scenario is wrong, has no setting to vary, or a run fails.
pub fn recommend(question: &Question<'_>, execute: &dyn TrialRunner) -> Result<Answer, RecommendError> {
    let show_nothing = |_: &Setting, _: &dyn TrialRunner| Ok(None::<()>);
    recommend_and_show(question, execute, &show_nothing).map(|(answer, _)| answer)
}

/// The same, with what `show` makes of the present setting and, if it is another one, the best. Threads that the search leaves idle
/// begin that as soon as the setting is known.
pub(crate) fn recommend_and_show<T: Send>(
    question: &Question<'_>,
    execute: &dyn TrialRunner,
    show: &Show<'_, T>,
) -> Result<(Answer, Vec<T>), RecommendError> {
    let bench = Bench::open(question, execute)?;
    let now = setting(&bench, bench.current());
    let (searched, present) = with_beside(
        execute,
        || search_and_show(question, bench, execute, show),
        |searched| searched.as_ref().is_ok_and(|(answer, _)| answer.plan == now.plan),
        |beside| show(&now, beside),
    );
    let (answer, best) = searched?;
    // Longer runs than at first.
    let present =
        if answer.plan == now.plan { present? } else { show(&Setting { plan: answer.plan.clone(), ..now }, execute)? };
    Ok((answer, present.into_iter().chain(best).collect()))
}

/// Makes something of a setting, if it can in time.
type Show<'a, T> = dyn Fn(&Setting, &dyn TrialRunner) -> Result<Option<T>, RecommendError> + Sync + 'a;

fn setting(bench: &Bench<'_>, point: Point) -> Setting {
    Setting { space: bench.space().clone(), plan: bench.plan().clone(), point }
}

/// Searches, and shows the best setting if it is not the present one.
fn search_and_show<T: Send>(
    question: &Question<'_>,
    mut bench: Bench<'_>,
    execute: &dyn TrialRunner,
    show: &Show<'_, T>,
) -> Result<(Answer, Option<T>), RecommendError> {
    let (found, with_reserve) = reserve::search(&mut bench)?;
    let likely = setting(&bench, found.best);
    let now = bench.current();
    let (answer, shown) = with_beside(
        execute,
        || answer(question, bench, found, with_reserve),
        |answer| answer.as_ref().is_ok_and(|answer| answer.best.point == likely.point),
        |beside| if likely.point == now { Ok(None) } else { show(&likely, beside) },
    );
    let answer = answer?;
    let shown = match answer.best.point {
        best if best == likely.point => shown?,
        best if best == now => None,
        point => show(&Setting { point, ..likely }, execute)?,
    };
    Ok((answer, shown))
}

/// What is answered with the setting that was found.
fn answer(
    question: &Question<'_>,
    mut bench: Bench<'_>,
    found: Found,
    with_reserve: Option<Point>,
) -> Result<Answer, RecommendError> {
    let tried = bench.points();
    let Decision { best, mut verdict, what_if, larger_redo } = verdict::decide(&mut bench, found.best, with_reserve)?;
    let row = |point: Point| Row::of(&bench, point);
    let missing = || match bench.left_out() {
        [] => RecommendError::Nothing { problem: "no run of the best setting".to_owned() },
        _ => RecommendError::OutOfTime,
    };
    let current = row(bench.current()).ok_or_else(missing)?;
    let mut best = row(best).ok_or_else(missing)?;
    let mut why = Why::of(&current, &best);
    if verdict == Verdict::Try && why.gained.is_empty() {
        verdict = Verdict::Keep(format!("{} gains nothing that can be measured", best.point.io_capacity_max));
        best = current.clone();
        why = Why::of(&current, &best);
    }
    let verdict = verdict::in_time(&bench, verdict, best.point);
    let fewest_writes = judge::fewest_writes(&bench, &tried, best.point);
    let redo_gains_at_most = if question.redo { search::redo_gains_at_most(&bench, best.point) } else { None };
    let mut shown = vec![current.point, best.point];
    shown.dedup();
    Ok(Answer {
        why,
        safer: what_if.safer.and_then(row),
        candidates: bench.points().into_iter().filter(|&point| Some(point) != larger_redo).filter_map(row).collect(),
        larger_redo: larger_redo.and_then(row),
        redo_gains_at_most,
        fewest_writes: fewest_writes.and_then(row),
        with_reserve: with_reserve.filter(|_| verdict == Verdict::Try && !best.has_reserve()).and_then(row),
        stressed: bench.stressed(&shown),
        current,
        best,
        verdict,
        plateau: found.plateau,
        sensitivity: what_if.cases,
        measure_first: what_if.measure_first,
        runs: bench.runs(),
        ended_early: bench.ended_early(),
        left_out: bench.left_out().to_vec(),
        coarse_refused: bench.coarse_refused().map(str::to_owned),
        simulated_s: bench.simulated_s(),
        plan: bench.plan().clone(),
        space: bench.space().clone(),
        scenario: bench.into_scenario(),
    })
}

impl Answer {
    /// Why nothing is recommended; `None` if something is, be it to keep the present setting.
    pub fn refused(&self) -> Option<&str> {
        match &self.verdict {
            Verdict::Refused(refusal) => Some(&refusal.why),
            Verdict::Try | Verdict::Keep(_) => None,
        }
    }

    /// Whether something else than the I/O capacity is the limit.
    pub fn limit(&self) -> Option<Limit> {
        match &self.verdict {
            Verdict::Refused(Refusal { cause: Cause::Limit(limit), .. }) => Some(*limit),
            _ => None,
        }
    }

    /// What was left out because the time was over, and what it would have told, as a sentence; `None` if nothing was.
    pub fn left_out_in_words(&self) -> Option<String> {
        let told: Vec<&str> = self.left_out.iter().map(|stage| told_by(stage)).collect();
        (!told.is_empty())
            .then(|| format!("The time was over before all runs were made. More time would tell {}", told.join("; ")))
    }

    /// Statements to type; none where nothing is to be changed.
    pub fn statements(&self) -> Vec<String> {
        if self.verdict == Verdict::Try { self.space.statements(self.best.point) } else { Vec::new() }
    }
}

/// The best setting alone, without what it depends on; `None` if none is sound. A third of the runs of [`recommend`], for who asks
/// in many worlds.
///
/// # Errors
/// As [`recommend`].
pub fn best_setting(question: &Question<'_>, execute: &dyn TrialRunner) -> Result<Option<Point>, RecommendError> {
    let mut bench = Bench::open(question, execute)?;
    let Found { best, .. } = search::search(&mut bench)?;
    Ok(judge::is_answer(&bench, best).then_some(best))
}

/// What the runs of a stage tell.
fn told_by(stage: &str) -> &'static str {
    match stage {
        "coarse" => "settings further from the present one",
        "fine" => "settings between those shown",
        "replicate" => "the intervals of the best settings, by more runs of each",
        "stress" => "whether a surge of load or an age at its limit is survived",
        LARGER_REDO => "what twice the redo log gains",
        REDO_SIZES => "what larger redo logs gain: none, or not all, were tried",
        FAR => "whether settings far from the present one do alike",
        _ => "whether the answer holds with the working set or the device a little off",
    }
}
