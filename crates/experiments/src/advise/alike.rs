//! Where the I/O capacity decides nothing: something else is the limit, and every setting that was tried does alike.
//!
//! A server whose checkpoint age stands at its limit flushes what the redo log demands, whatever `innodb_io_capacity_max` is: no
//! setting is sound, and none is better. That is an answer too: leave it as it is.

use crate::recommend::{Answer, Cause, Limit, Point, Refusal, Row, Verdict};
use innosim_core::workload::DriveSpec;

/// Largest setting by smallest from which on they span enough to say so.
const SPAN: f64 = 2.0;
/// Standard deviation of throughput over the settings, as a share of the mean, up to which they are alike: waves that come
/// and go make one run of a setting differ from another by as much.
const ALIKE: f64 = 0.03;
/// The same of the pages flushed a unit of work.
const ALIKE_FLUSHING: f64 = 0.10;
/// Seconds of stall beyond those of the present setting that are too many to be like it.
const MORE_STALLS_S: f64 = 5.0;
/// Scatter of the seconds that nobody sees.
const EVEN: f64 = 0.05;
/// Change of the scatter from the lowest setting to the highest that is a trend.
const TREND: f64 = 0.2;

/// Makes an answer into one to keep the present setting, if something else is the limit and all settings do alike; whether they
/// do. Where the age `falls_from_limit`, recorded and simulated, the redo log is the limit whatever the answer was.
pub(super) fn keep_if_alike(answer: &mut Answer, falls_from_limit: bool) -> bool {
    let Some((why, points)) = alike(answer, falls_from_limit) else { return false };
    answer.best = answer.current.clone();
    answer.fewest_writes = None;
    answer.with_reserve = None;
    answer.verdict = Verdict::Keep(why);
    answer.plateau = points;
    true
}

/// Why the setting decides nothing, as sentences, and the settings that do alike.
fn alike(answer: &Answer, falls_from_limit: bool) -> Option<(String, Vec<Point>)> {
    let limit = match &answer.verdict {
        Verdict::Refused(Refusal { cause: Cause::Limit(Limit::Load) | Cause::OutOfTime, .. }) => return None,
        Verdict::Refused(Refusal { cause: Cause::Limit(limit), .. }) => *limit,
        _ if falls_from_limit => Limit::Redo,
        _ => return None,
    };
    let rows = comparable(answer);
    let (first, last) = (rows.first()?, rows.last()?);
    let [low, high] = [first, last].map(|row| row.point.io_capacity_max);
    let throughput = Spread::of(&rows, "tps_mean")?;
    let flushing = Spread::of(&rows, "flushes_per_trx")?;
    let flushes_alike = flushing.deviation <= ALIKE_FLUSHING;
    if (high as f64) < SPAN * low as f64 || throughput.deviation > ALIKE || !(flushes_alike || falls_from_limit) {
        return None;
    }
    let name = answer.space.searched();
    let mut sentences = vec![
        format!("{}, and {name} decides next to nothing: throughput will hardly change with it", limit.in_words()),
        throughput.in_words(low, high),
    ];
    let pages = format!("{:.3} to {:.3} pages are flushed for each unit of work", flushing.least, flushing.most);
    sentences.push(match flushes_alike {
        true => pages,
        false => format!(
            "{pages}: how many, and what latency there is, depends on whether the age stands at its limit or has just fallen from it, \
             and the same setting can do either. The back-test does not tell when, so no setting is called better for it"
        ),
    });
    sentences.extend(scatter(&rows));
    if let Some(gain) = answer.larger_redo.as_ref().and_then(|row| row.change("tps_mean")?.relative) {
        sentences.push(format!("Twice the redo log: throughput {:+.1} %", 100.0 * gain));
    }
    Some((sentences.join(". "), rows.iter().map(|row| row.point).collect()))
}

/// The settings with the present redo log. Under a load that comes whatever the server does, throughput does not show what stalls:
/// there those about the present one that stall no more than it does.
fn comparable(answer: &Answer) -> Vec<&Row> {
    let now = &answer.current;
    let rows: Vec<&Row> = answer.candidates.iter().filter(|row| row.point.redo_bytes == now.point.redo_bytes).collect();
    if matches!(answer.scenario.run.workload.drive, DriveSpec::Closed { .. }) {
        return rows;
    }
    let stalls = |row: &&Row| row.mean("stall_seconds") > now.mean("stall_seconds") + MORE_STALLS_S;
    let at = rows.iter().position(|row| row.point == now.point).unwrap_or(0);
    let from = rows[..at].iter().rposition(stalls).map_or(0, |worse| worse + 1);
    let to = rows[at..].iter().position(stalls).map_or(rows.len(), |worse| at + worse);
    rows[from..to].to_vec()
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
    /// Throughput from the lowest setting to the highest, in words.
    fn in_words(&self, low: u64, high: u64) -> String {
        let Spread { least, most, mean, .. } = self;
        let half = 50.0 * (most - least) / mean;
        if half < 0.05 {
            return format!("From {low} to {high} it is {mean:.0} a second throughout");
        }
        format!("From {low} to {high} it is {least:.0} to {most:.0} a second (the mean, {mean:.0}, +-{half:.1} %)")
    }

    fn of(rows: &[&Row], metric: &str) -> Option<Spread> {
        let values: Vec<f64> = rows.iter().map(|row| row.mean(metric)).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let [least, most] = [f64::min, f64::max].map(|f| values.iter().copied().reduce(f));
        let square = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / values.len() as f64;
        Some(Spread { least: least?, most: most?, mean, deviation: square.sqrt() / mean }).filter(|_| mean > 0.0)
    }
}

/// How the scatter of the seconds goes with the setting, from the lowest to the highest.
fn scatter(rows: &[&Row]) -> Option<String> {
    let cv = |row: &&Row| row.mean("tps_cv");
    let (first, last) = (rows.first()?, rows.last()?);
    let (low, high) = (cv(first), cv(last));
    let trend = if high < (1.0 - TREND) * low {
        "falls as it rises"
    } else if high > (1.0 + TREND) * low {
        "rises with it"
    } else {
        "is as large at both ends"
    };
    let least = rows.iter().min_by(|a, b| cv(a).total_cmp(&cv(b)))?;
    if rows.iter().all(|row| cv(row) < EVEN) {
        return None;
    }
    let between = least.point != first.point && least.point != last.point;
    let between = if between {
        format!(", and least between them: {:.2} at {}", cv(least), least.point.io_capacity_max)
    } else {
        String::new()
    };
    Some(format!(
        "The scatter of the seconds (their standard deviation by their mean) {trend}: {low:.2} at {}, {high:.2} at {}{between}",
        first.point.io_capacity_max, last.point.io_capacity_max,
    ))
}

#[cfg(test)]
pub(super) mod tests {
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
        sync: bool,
    }

    impl TrialRunner for AtItsLimit {
        fn execute(&self, job: Job<'_>) -> Result<RunOutput, RunError> {
            let max = job.scenario.settings.integer("innodb_io_capacity_max").unwrap() as f64;
            let level = 1000.0 + self.gain * max;
            let second = |second: u64| {
                let low = if !self.sync {
                    0.9
                } else if max > 5000.0 {
                    0.45
                } else {
                    0.1
                };
                let share = if (second / 2).is_multiple_of(2) { low } else { 2.0 - low };
                SecondSample {
                    second,
                    transactions: (level * share) as u64,
                    pages_flushed: 100,
                    sync_flushing: self.sync,
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

    /// What comes of a search on such a server.
    pub(in super::super) fn ask(gain: f64, sync: bool) -> Answer {
        let question = Question {
            source: Source::Shipped("teaching/redo-too-small"),
            common: Overrides::default(),
            goal: Goal::Throughput,
            redo: false,
            replications: 2,
            far: true,
        };
        recommend(&question, &AtItsLimit { gain, sync }).unwrap()
    }

    #[test]
    fn settings_that_do_alike_are_left_alone() {
        let mut answer = ask(0.0, true);
        assert!(answer.limit().is_some(), "{:?}", answer.verdict);
        assert!(keep_if_alike(&mut answer, false) && answer.refused().is_none());
        let Verdict::Keep(why) = &answer.verdict else { panic!("{:?}", answer.verdict) };
        assert!(why.contains("throughput will hardly change") && why.contains("falls as it rises"), "{why}");
        assert_eq!(answer.plateau.len(), answer.candidates.len());
    }

    /// Settings far from the present one are among them.
    #[test]
    fn where_the_age_falls_from_its_limit_the_redo_log_is_the_limit_whatever_looks_better() {
        let found = ask(0.0, false);
        assert_eq!(found.limit(), None, "{:?}", found.verdict);
        assert!(!keep_if_alike(&mut found.clone(), false));
        let mut answer = found;
        assert!(keep_if_alike(&mut answer, true), "{:?}", answer.verdict);
        let Verdict::Keep(why) = &answer.verdict else { panic!("{:?}", answer.verdict) };
        assert!(why.starts_with("the redo log is the limit") && why.contains("From 600 to 7000"), "{why}");
        assert_eq!(answer.best.point, answer.current.point);
    }

    /// Whatever it is between the ends, the scatter's trend and its least are told in one sentence.
    #[test]
    fn the_least_scatter_is_named_where_it_lies_between_the_ends() {
        let mut answer = ask(0.0, true);
        let count = answer.candidates.len();
        for (index, row) in answer.candidates.iter_mut().enumerate() {
            let cv = if index == count / 2 { 0.06 } else { 0.4 - 0.3 * index as f64 / count as f64 };
            row.changes.iter_mut().filter(|change| change.metric == "tps_cv").for_each(|change| change.value.mean = cv);
        }
        let rows: Vec<&Row> = answer.candidates.iter().collect();
        let text = scatter(&rows).unwrap();
        assert!(text.contains("falls as it rises") && text.contains("and least between them: 0.06 at"), "{text}");
    }

    #[test]
    fn settings_that_differ_are_not() {
        let mut answer = ask(0.3, true);
        assert!(!keep_if_alike(&mut answer, true), "{:?}", answer.verdict);
    }
}
