//! The present and the advised setting in one run each, second by second: what a page shows.

use super::{AdviseError, Request};
use crate::recommend::{Answer, Point, RecommendError, TrialRunner};
use crate::runner::{Job, in_parallel, warmup_of};
use innosim_core::metrics::RunOutput;
use innosim_scenario::{Overrides, Scenario, Source, load};

/// A run of one setting under the load that was searched.
#[derive(Debug, Clone)]
pub struct Course {
    /// The setting.
    pub point: Point,
    /// What was run.
    pub scenario: Scenario,
    /// Its series.
    pub output: RunOutput,
    /// Seconds that figures leave out.
    pub warmup_s: u64,
}

/// Runs the present setting and, if it is another one, the best: the first replication of the search once more.
pub(super) fn courses(
    request: &Request<'_>,
    text: &str,
    answer: &Answer,
    runner: &dyn TrialRunner,
) -> Result<Vec<Course>, AdviseError> {
    let mut points = vec![answer.current.point, answer.best.point];
    points.dedup();
    let scenario = |point: &Point| {
        let overrides = Overrides { seed: request.seed, set: answer.space.overrides(*point), ..Overrides::default() };
        let mut scenario =
            load(Source::Text { name: &request.recording.name, text }, &overrides).map_err(RecommendError::Scenario)?;
        answer.plan.apply(&mut scenario, point.redo_bytes as f64 / answer.current.point.redo_bytes.max(1) as f64);
        Ok::<Scenario, AdviseError>(scenario)
    };
    let scenarios: Vec<Scenario> = points.iter().map(scenario).collect::<Result<_, _>>()?;
    let seconds = scenarios.iter().map(|scenario| scenario.run.duration.whole_seconds()).sum();
    runner.stage("courses for the page", scenarios.len(), seconds);
    let outputs = in_parallel(&scenarios, |scenario| runner.execute(Job { scenario, replication: 0 }));
    let mut courses = Vec::new();
    for ((point, scenario), output) in points.into_iter().zip(scenarios).zip(outputs) {
        let failed =
            |error| RecommendError::Run { setting: answer.space.overrides(point).join(", "), replication: 0, error };
        let output = output.map_err(failed)?;
        let warmup_s = warmup_of(&scenario, &output).seconds;
        courses.push(Course { point, scenario, output, warmup_s });
    }
    Ok(courses)
}
