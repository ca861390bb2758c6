//! The present and the advised setting in one run each, second by second: what a page shows. They end as those of the search do,
//! once they are at rest.

use super::Request;
use crate::recommend::{Plan, Point, RecommendError, Setting, TrialRunner};
use crate::rest::{STILL, until_known};
use crate::runner::{Job, warmup_of};
use innosim_core::metrics::RunOutput;
use innosim_core::server::RunError;
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

/// Runs a setting if that is asked for: the first replication of the search once more. `None` if the time is over before.
pub(super) fn course(
    request: &Request<'_>,
    text: &str,
    setting: &Setting,
    runner: &dyn TrialRunner,
) -> Result<Option<Course>, RecommendError> {
    if !request.courses || runner.time_is_up() {
        return Ok(None);
    }
    let scenario = scenario(request, text, setting, None)?;
    runner.stage("course for the page", 1, scenario.run.duration.whole_seconds());
    let (space, point) = (&setting.space, setting.point);
    match run(&scenario, &setting.plan, runner) {
        Ok((output, warmup_s)) => Ok(Some(Course { point, scenario, output, warmup_s })),
        Err(RunError::Stopped { .. }) if runner.time_is_up() => Ok(None),
        Err(error) => Err(RecommendError::Run { setting: space.overrides(point).join(", "), replication: 0, error }),
    }
}

/// The scenario of the search with a setting, and another one besides (`NAME=VALUE`).
pub(super) fn scenario(
    request: &Request<'_>,
    text: &str,
    Setting { space, plan, point }: &Setting,
    besides: Option<&str>,
) -> Result<Scenario, RecommendError> {
    let set = [&request.set[..], &space.overrides(*point)].concat();
    let set = set.into_iter().chain(besides.map(str::to_owned)).collect();
    let overrides = Overrides { seed: request.seed, set, ..Overrides::default() };
    let mut scenario = load(Source::Text { name: &request.recording.name, text }, &overrides)?;
    plan.apply(&mut scenario, point.redo_bytes as f64 / space.current.redo_bytes.max(1) as f64);
    Ok(scenario)
}

/// A run, and the seconds of it that figures leave out.
pub(super) fn run(scenario: &Scenario, plan: &Plan, runner: &dyn TrialRunner) -> Result<(RunOutput, u64), RunError> {
    let (job, may) = (Job { scenario, replication: 0 }, plan.may_end_early(scenario));
    let any_reason = |_| true;
    let (output, early) = until_known(job.seconds(), 0, may, STILL, any_reason, |is_enough| match may {
        true => runner.execute_until(job, is_enough),
        false => runner.execute(job),
    })?;
    let warmup = early.map_or_else(|| warmup_of(scenario, &output), |early| early.warmup());
    Ok((output, warmup.seconds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::IsEnough;
    use innosim_core::metrics::SecondSample;
    use innosim_core::seam::AgeLimits;

    /// A server that is at rest from the first second on; its redo log turns in 200 s.
    struct AtRest;

    impl AtRest {
        fn seconds(job: Job<'_>, is_enough: &mut IsEnough<'_>) -> RunOutput {
            let age_limits = AgeLimits { async_bytes: 300_000_000, stop_bytes: 320_000_000, ..AgeLimits::default() };
            let mut series = Vec::new();
            for second in 1..=job.seconds() {
                series.push(SecondSample {
                    second,
                    transactions: 1_000,
                    pages_flushed: 100,
                    redo_generated_bytes: 1_000_000,
                    checkpoint_age_bytes: 200_000_000,
                    ..SecondSample::default()
                });
                if is_enough(&series, &age_limits) {
                    break;
                }
            }
            RunOutput { series, age_limits, ..RunOutput::default() }
        }
    }

    impl TrialRunner for AtRest {
        fn execute(&self, job: Job<'_>) -> Result<RunOutput, RunError> {
            Ok(AtRest::seconds(job, &mut |_, _| false))
        }

        fn execute_until(&self, job: Job<'_>, is_enough: &mut IsEnough<'_>) -> Result<RunOutput, RunError> {
            Ok(AtRest::seconds(job, is_enough))
        }
    }

    #[test]
    fn a_course_ends_once_it_is_at_rest() {
        let mut scenario = load(Source::Shipped("teaching/redo-too-small"), &Overrides::default()).unwrap();
        let by_turns =
            Plan { duration_s: 500, warmup_s: Some(300), warm_start: true, turn_s: Some(200.0), at_most_s: None };
        by_turns.apply(&mut scenario, 1.0);
        let (output, warmup_s) = run(&scenario, &by_turns, &AtRest).unwrap();
        let seconds = output.series.len() as u64;
        assert!((200..300).contains(&seconds) && seconds - warmup_s == 200, "{seconds} s, {warmup_s} left out");
        let its_own = Plan { turn_s: None, ..by_turns };
        assert_eq!(run(&scenario, &its_own, &AtRest).unwrap().0.series.len(), 500, "such a run is never cut");
    }
}
