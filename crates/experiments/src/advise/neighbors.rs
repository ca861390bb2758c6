//! What flushing neighbours costs a server whose checkpoint age stands at its limit: one run of the present setting without.
//!
//! The flush of one old page takes the dirty pages of its extent along. They become dirty again together and come due together, one
//! turn of the redo log later: in waves, and with more writes. Neighbours save seeks, so only a device without a head is asked.

use super::courses::{run, scenario};
use super::{AdviseError, Request};
use crate::recommend::{Answer, RecommendError, Row, Setting, TrialRunner};
use innosim_core::config::FlushNeighbors;
use innosim_core::metrics::Summary;
use innosim_flush_models::registry::lookup;

/// The setting.
const SETTING: &str = "innodb_flush_neighbors";
/// A page write that takes longer moves a head, µs: half a turn of a fast disk takes twice as long.
const SEEKS_US: f64 = 1000.0;
/// Throughput gained, as a share, that is worth a change.
const GAIN: f64 = 0.02;
/// Throughput lost, as a share, that is none.
const LOSS: f64 = 0.005;
/// Factor on the 99 % latency that users do not feel.
const SLOWER: f64 = 1.1;
/// Share of the scatter of the seconds that a steady run keeps at most, and the scatter that nobody sees.
const STEADIER: f64 = 0.5;
const EVEN: f64 = 0.05;

/// The present setting with single pages flushed, compared to the same with neighbours.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WithoutNeighbors {
    /// Change of throughput, as a share.
    pub throughput: f64,
    /// Change of the pages flushed a second, as a share.
    pub flushed: f64,
    /// Standard deviation of the seconds by their mean: with neighbours, and without.
    pub scatter: [f64; 2],
    /// 99 % latency, ms: with neighbours, and without.
    latency_ms: [f64; 2],
}

impl WithoutNeighbors {
    fn new(now: &Row, then: &Summary) -> WithoutNeighbors {
        let change = |metric: &str, then: f64| then / now.mean(metric).max(f64::MIN_POSITIVE) - 1.0;
        WithoutNeighbors {
            throughput: change("tps_mean", then.tps_mean),
            flushed: change("pages_flushed_per_s_mean", then.pages_flushed_per_s_mean),
            scatter: [now.mean("tps_cv"), then.tps_cv],
            latency_ms: [now.mean("latency_ms_p99"), then.latency_ms_p99],
        }
    }

    /// Whether users gain by it.
    fn is_better(&self) -> bool {
        let [now, then] = self.scatter;
        let steadier = self.throughput >= -LOSS && now >= EVEN && then <= STEADIER * now;
        (self.throughput >= GAIN || steadier) && self.latency_ms[1] <= SLOWER * self.latency_ms[0]
    }

    /// What to type.
    pub const STATEMENT: &'static str = "SET GLOBAL innodb_flush_neighbors = 0;";

    /// What it brings, in words.
    pub fn sentence(&self) -> String {
        let [now, then] = self.scatter;
        format!(
            "Another setting does more: with innodb_flush_neighbors = 0 throughput changes by {:+.1} %, pages flushed by {:+.1} %, and \
             the scatter of the seconds is {then:.2} instead of {now:.2}. With neighbours, the pages of an extent are written together and \
             come due together again, in waves.",
            100.0 * self.throughput,
            100.0 * self.flushed
        )
    }
}

/// What comes of flushing single pages; `None` where the server does already, the device seeks, or users gain nothing.
pub(super) fn without(
    request: &Request<'_>,
    text: &str,
    answer: &Answer,
    runner: &dyn TrialRunner,
) -> Result<Option<WithoutNeighbors>, AdviseError> {
    let present = &answer.scenario;
    let flushes = present.build_model().config().flush_neighbors != FlushNeighbors::None;
    let is_set = request.set.iter().any(|set| set.starts_with(SETTING));
    let seeks = present.run.storage.data.random_write.mean_us() > SEEKS_US;
    if !flushes || is_set || seeks || lookup(present.model, SETTING).is_err() || runner.time_is_up() {
        return Ok(None);
    }
    let single = format!("{SETTING}=0");
    let now = Setting { space: answer.space.clone(), plan: answer.plan.clone(), point: answer.current.point };
    let scenario = scenario(request, text, &now, Some(&single))?;
    runner.stage("without neighbours", 1, scenario.run.duration.whole_seconds());
    let failed = |error| RecommendError::Run { setting: single.clone(), replication: 0, error };
    let (output, warmup_s) = run(&scenario, &now.plan, runner).map_err(failed)?;
    let found = WithoutNeighbors::new(&answer.current, &Summary::of(&output, warmup_s));
    Ok(Some(found).filter(WithoutNeighbors::is_better))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advise::outside::tests::recording;
    use crate::advise::tests::plain;
    use crate::recommend::{Goal, Question, recommend};
    use crate::runner::Job;
    use crate::testing::run_of;
    use innosim_core::kernel::histogram::Histogram;
    use innosim_core::kernel::sampler::DurationDist;
    use innosim_core::kernel::time::SimDuration;
    use innosim_core::metrics::{RunOutput, SecondSample};
    use innosim_core::server::RunError;
    use innosim_scenario::{Overrides, Source};

    /// Waves with neighbours, and `gain` more transactions a second without waves where single pages are flushed, with a latency
    /// of `latency_ms` for 10.
    struct Waves {
        gain: f64,
        latency_ms: u64,
    }

    const FASTER: Waves = Waves { gain: 50.0, latency_ms: 10 };

    impl TrialRunner for Waves {
        fn execute(&self, job: Job<'_>) -> Result<RunOutput, RunError> {
            let single = job.scenario.settings.integer(SETTING).is_ok_and(|value| value == 0);
            let (low, high) = if single { (1000.0 + self.gain, 1000.0 + self.gain) } else { (700.0, 1300.0) };
            let second = |second: u64| SecondSample {
                second,
                transactions: if second.is_multiple_of(2) { low } else { high } as u64,
                pages_flushed: if single { 90 } else { 100 },
                redo_generated_bytes: 1_000_000,
                ..SecondSample::default()
            };
            let mut latency = Histogram::new();
            latency.record(SimDuration::from_millis(if single { self.latency_ms } else { 10 }));
            let latency_by_10s = vec![latency; job.seconds().div_ceil(10) as usize];
            Ok(RunOutput { latency_by_10s, ..run_of(job, second) })
        }
    }

    const TEXT: &str = include_str!("../../../../scenarios/teaching/redo-too-small.toml");

    fn answer(runner: &Waves, neighbors: &str) -> Answer {
        let text = with_neighbors(neighbors);
        let source = Source::Text { name: "test", text: &text };
        let common = Overrides { duration: Some("300s".to_owned()), ..Overrides::default() };
        recommend(
            &Question { source, common, goal: Goal::Throughput, redo: false, replications: 1, far: false },
            runner,
        )
        .unwrap()
    }

    fn with_neighbors(neighbors: &str) -> String {
        TEXT.replace("[server]", &format!("[server]\ninnodb_flush_neighbors = {neighbors}"))
    }

    fn found(runner: &Waves, answer: &Answer, set: &[&str]) -> Option<WithoutNeighbors> {
        let recording = recording(&[], &[], "");
        let set = set.iter().map(|set| (*set).to_owned()).collect();
        without(&Request { set, ..plain(&recording) }, &with_neighbors("1"), answer, runner).unwrap()
    }

    #[test]
    fn single_pages_are_named_where_they_do_better() {
        let with = answer(&FASTER, "1");
        let better = found(&FASTER, &with, &[]).unwrap();
        assert!((better.throughput - 0.05).abs() < 1e-9 && (better.flushed + 0.10).abs() < 1e-9, "{better:?}");
        assert!((better.scatter[0] - 0.3).abs() < 0.01 && better.scatter[1] == 0.0, "{better:?}");
        assert!(better.sentence().contains("throughput changes by +5.0 %, pages flushed by -10.0 %"));
        assert!(found(&Waves { gain: 0.0, ..FASTER }, &with, &[]).is_some(), "as fast, and even");
        assert_eq!(found(&Waves { gain: -50.0, ..FASTER }, &with, &[]), None, "slower");
        assert_eq!(found(&Waves { latency_ms: 20, ..FASTER }, &with, &[]), None, "longer latency");
    }

    #[test]
    fn a_server_that_flushes_single_pages_or_a_disk_that_seeks_is_not_asked() {
        assert_eq!(found(&FASTER, &answer(&FASTER, "0"), &[]), None);
        let mut seeks = answer(&FASTER, "1");
        assert_eq!(found(&FASTER, &seeks, &["innodb_flush_neighbors=1"]), None, "somebody asked for it");
        seeks.scenario.run.storage.data.random_write = DurationDist::Fixed { us: 5000.0 };
        assert_eq!(found(&FASTER, &seeks, &[]), None);
    }
}
