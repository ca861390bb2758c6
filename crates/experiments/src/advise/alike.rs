//! Where the I/O capacity decides nothing: something else is the limit, and every setting that was tried does alike.
//!
//! A server whose checkpoint age stands at its limit flushes what the redo log demands, whatever `innodb_io_capacity_max` is: no
//! setting is sound, and none is better. That is an answer too: leave it as it is.

use crate::recommend::{Answer, Limit, Point, Row, Verdict};

/// Largest setting by smallest from which on they span enough to say so.
const SPAN: f64 = 2.0;
/// Standard deviation of throughput over the settings, as a share of the mean, up to which they are alike: waves that come
/// and go make one run of a setting differ from another by as much.
const ALIKE: f64 = 0.03;
/// The same of the pages flushed a unit of work.
const ALIKE_FLUSHING: f64 = 0.10;
/// Change of the scatter from the lower half of the settings to the upper that is a trend.
const TREND: f64 = 0.2;

/// Makes an answer that something else is the limit into one to keep the present setting, if all settings do alike; whether they
/// do.
pub(super) fn keep_if_alike(answer: &mut Answer) -> bool {
    let Some((why, points)) = alike(answer) else { return false };
    answer.verdict = Verdict::Keep(why);
    answer.plateau = points;
    true
}

/// Why the setting decides nothing, as sentences, and the settings that do alike.
fn alike(answer: &Answer) -> Option<(String, Vec<Point>)> {
    let limit = answer.limit().filter(|limit| *limit != Limit::Load)?;
    let here = |row: &&Row| row.point.redo_bytes == answer.current.point.redo_bytes;
    let rows: Vec<&Row> = answer.candidates.iter().filter(here).collect();
    let (first, last) = (rows.first()?, rows.last()?);
    let [low, high] = [first, last].map(|row| row.point.io_capacity_max);
    let throughput = Spread::of(&rows, "tps_mean")?;
    let flushing = Spread::of(&rows, "flushes_per_trx")?;
    if (high as f64) < SPAN * low as f64 || throughput.deviation > ALIKE || flushing.deviation > ALIKE_FLUSHING {
        return None;
    }
    let name = answer.space.searched();
    let mut sentences = vec![
        format!("{}, and {name} decides next to nothing: throughput will hardly change with it", limit.in_words()),
        format!(
            "From {low} to {high} it is {:.0} to {:.0} a second (the mean, {:.0}, +-{:.1} %), with {:.3} to {:.3} pages flushed for \
             each unit of work",
            throughput.least,
            throughput.most,
            throughput.mean,
            50.0 * (throughput.most - throughput.least) / throughput.mean,
            flushing.least,
            flushing.most
        ),
    ];
    sentences.extend(scatter(&rows));
    if let Some(gain) = answer.larger_redo.as_ref().and_then(|row| row.change("tps_mean")?.relative) {
        sentences.push(format!("Twice the redo log: throughput {:+.1} %", 100.0 * gain));
    }
    Some((sentences.join(". "), rows.iter().map(|row| row.point).collect()))
}

/// How a figure spreads over the settings.
struct Spread {
    least: f64,
    most: f64,
    mean: f64,
    /// Standard deviation, as a share of the mean.
    deviation: f64,
}

impl Spread {
    fn of(rows: &[&Row], metric: &str) -> Option<Spread> {
        let values: Vec<f64> = rows.iter().map(|row| row.mean(metric)).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let [least, most] = [f64::min, f64::max].map(|f| values.iter().copied().reduce(f));
        let square = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / values.len() as f64;
        Some(Spread { least: least?, most: most?, mean, deviation: square.sqrt() / mean }).filter(|_| mean > 0.0)
    }
}

/// How the scatter of the seconds goes with the setting.
fn scatter(rows: &[&Row]) -> Option<String> {
    let cv: Vec<f64> = rows.iter().map(|row| row.mean("tps_cv")).collect();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let half = cv.len() / 2;
    if half == 0 {
        return None;
    }
    let (lower, upper) = (mean(&cv[..half]), mean(&cv[cv.len() - half..]));
    let trend = if upper < (1.0 - TREND) * lower {
        "falls"
    } else if upper > (1.0 + TREND) * lower {
        "rises"
    } else {
        "does not follow the setting"
    };
    Some(format!(
        "The scatter of the seconds (their standard deviation by their mean) {trend}{}: {lower:.2} in the lower half of the settings, \
         {upper:.2} in the upper",
        if trend.starts_with("does") { "" } else { " as it rises" }
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recommend::{Goal, Question, TrialRunner, recommend};
    use crate::runner::Job;
    use innosim_core::metrics::{RunOutput, SecondSample};
    use innosim_core::seam::AgeLimits;
    use innosim_core::server::RunError;
    use innosim_scenario::{Overrides, Source};

    /// A server at its age limit, which flushes what the redo log demands; `gain` transactions a second for each page a second
    /// that it may flush. Above 5000 pages a second its waves are smaller.
    struct AtItsLimit {
        gain: f64,
    }

    impl TrialRunner for AtItsLimit {
        fn execute(&self, job: Job<'_>) -> Result<RunOutput, RunError> {
            let max = job.scenario.settings.integer("innodb_io_capacity_max").unwrap() as f64;
            let level = 1000.0 + self.gain * max;
            let second = |second: u64| {
                let low = if max > 5000.0 { 0.45 } else { 0.1 };
                let share = if (second / 2).is_multiple_of(2) { low } else { 2.0 - low };
                SecondSample {
                    second,
                    transactions: (level * share) as u64,
                    pages_flushed: 100,
                    sync_flushing: true,
                    redo_generated_bytes: 1_000_000,
                    checkpoint_age_bytes: 1_000_000,
                    ..SecondSample::default()
                }
            };
            Ok(RunOutput {
                series: (1..=job.seconds()).map(second).collect(),
                age_limits: AgeLimits { async_bytes: 1_000_000, stop_bytes: 1_200_000, ..AgeLimits::default() },
                ..RunOutput::default()
            })
        }
    }

    fn ask(gain: f64) -> Answer {
        let question = Question {
            source: Source::Shipped("teaching/redo-too-small"),
            common: Overrides::default(),
            goal: Goal::Throughput,
            redo: false,
            replications: 2,
        };
        recommend(&question, &AtItsLimit { gain }).unwrap()
    }

    #[test]
    fn settings_that_do_alike_are_left_alone() {
        let mut answer = ask(0.0);
        assert!(answer.limit().is_some(), "{:?}", answer.verdict);
        assert!(keep_if_alike(&mut answer) && answer.refused().is_none());
        let Verdict::Keep(why) = &answer.verdict else { panic!("{:?}", answer.verdict) };
        assert!(why.contains("throughput will hardly change") && why.contains("falls as it rises"), "{why}");
        assert_eq!(answer.plateau.len(), answer.candidates.len());
    }

    #[test]
    fn settings_that_differ_are_not() {
        let mut answer = ask(0.3);
        assert!(!keep_if_alike(&mut answer), "{:?}", answer.verdict);
    }
}
