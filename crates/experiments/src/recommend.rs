//! Which `innodb_io_capacity_max` to try first, and how sure that is.
//!
//! ```text
//!   pilot        a short run of the present setting: how long does the redo log last?   plan
//!   coarse       factors of 1.4 about the present setting, one run each                 search
//!   fine         the gap at the edge, then those beside the best, cut to a step         search
//!   replicate    the best few and the present setting again, with other random numbers  search
//!   what if      working set and device a little off: does the answer stand?            case, sensitivity
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
//! The answer is refused too if an error of the inputs within their usual uncertainty would turn it: then measuring is
//! worth more than setting.

mod bench;
mod case;
mod goal;
mod plan;
mod rows;
mod search;
mod sensitivity;
mod settled;
mod space;
#[cfg(test)]
mod tests;
mod trial;
mod why;

pub use bench::{EndedEarly, RecommendError, TrialRunner};
pub use case::{Input, slow_down};
pub use goal::Goal;
pub use plan::Plan;
pub use rows::{Change, Row};
pub use sensitivity::Sensitivity;
pub use settled::{Rise, rise_of};
pub use space::{Point, Space};
pub use why::{Effect, Why};

use bench::Bench;
use case::Case;
use innosim_scenario::{Overrides, Scenario, Source};
use search::Found;

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
    /// The best of them.
    pub best: Row,
    /// What the best gains and costs against the present setting.
    pub why: Why,
    /// Settings as good as the best within the grain of the goal.
    pub plateau: Vec<Point>,
    /// What the answer depends on.
    pub sensitivity: Vec<Sensitivity>,
    /// A setting near the best that holds in every case of the sensitivity, if the best does not.
    pub safer: Option<Row>,
    /// Why nothing should be set yet; `None` if the best can be tried.
    pub refused: Option<String>,
    /// Inputs to be measured first, the one that matters most first.
    pub measure_first: Vec<Input>,
    /// Runs made.
    pub runs: usize,
    /// Those of them that ended before their planned length.
    pub ended_early: EndedEarly,
    /// Simulated seconds of all runs.
    pub simulated_s: f64,
}

/// Searches for the best setting.
///
/// # Errors
/// [`RecommendError`] if the scenario is wrong, has no setting to vary, or a run fails.
pub fn recommend(question: &Question<'_>, execute: &dyn TrialRunner) -> Result<Answer, RecommendError> {
    let mut bench = Bench::open(question, execute)?;
    let Found { best, plateau } = search::search(&mut bench)?;
    let what_if = sensitivity::examine(&mut bench, best)?;
    let rows: Vec<Row> = bench.points().into_iter().filter_map(|point| Row::of(&bench, point)).collect();
    let row = |point: Point| rows.iter().find(|row| row.point == point).cloned();
    let missing = || RecommendError::Nothing { problem: "no run of the best setting".to_owned() };
    let current = row(bench.current()).ok_or_else(missing)?;
    let best = row(best).ok_or_else(missing)?;
    Ok(Answer {
        why: Why::of(&current, &best),
        current,
        best,
        safer: what_if.safer.and_then(row),
        candidates: rows,
        plateau,
        sensitivity: what_if.cases,
        refused: what_if.refused,
        measure_first: what_if.measure_first,
        runs: bench.runs(),
        ended_early: bench.ended_early(),
        simulated_s: bench.simulated_s(),
        plan: bench.plan().clone(),
        space: bench.space().clone(),
        scenario: bench.into_scenario(),
    })
}

/// The best setting alone, without what it depends on; `None` if none is sound. A third of the runs of [`recommend`], for who asks
/// in many worlds.
///
/// # Errors
/// As [`recommend`].
pub fn best_setting(question: &Question<'_>, execute: &dyn TrialRunner) -> Result<Option<Point>, RecommendError> {
    let mut bench = Bench::open(question, execute)?;
    let Found { best, .. } = search::search(&mut bench)?;
    Ok(bench.is_sound(Case::AS_IS, best).then_some(best))
}
