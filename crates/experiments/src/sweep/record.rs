//! What is kept of a finished run: its summary, and its series in a few hundred points.

use super::plan::{Point, RunId};
use super::tier::MadeAs;
use crate::rest::{Early, turn_by_sync};
use crate::runner::warmup_of;
use innosim_core::metrics::{Regime, RunOutput, SecondSample, Summary, WarmupEstimate};
use innosim_flow::FlowOutput;
use innosim_scenario::Scenario;
use innosim_statistics::batch_means;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Most points of a series that is kept.
const SERIES_POINTS: u64 = 200;
const MIB: f64 = 1_048_576.0;

/// Figures that a run in the coarse tier tells.
const FLOW_TELLS: [&str; 20] = [
    "tps_mean",
    "tps_10s_median_mean",
    "tps_10s_median_min",
    "tps_10s_median_max",
    "stall_seconds",
    "redo_bytes_per_s",
    "redo_bytes_per_trx",
    "checkpoint_age_mean",
    "checkpoint_age_max",
    "checkpoint_age_limit",
    "age_async_limit",
    "age_sync_limit",
    "age_stop_limit",
    "dirty_pages_mean",
    "pages_flushed_per_s_mean",
    "pages_flushed_per_s_p95",
    "pages_flushed_adaptive",
    "pages_flushed_sync",
    "flushes_per_trx",
    "sync_flush_seconds",
];

/// A finished run; as JSON, the line of a journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Which run it was.
    pub id: RunId,
    /// How it ended, if that was before its planned length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub early: Option<Early>,
    /// If it began from a copy of a warm server: its first seconds are of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun_warm: Option<BegunWarm>,
    /// Whether it was made page by page.
    #[serde(default, skip_serializing_if = "MadeAs::is_exact")]
    pub made_as: MadeAs,
    /// Seconds left out at the start.
    pub warmup_s: u64,
    /// Whether the warm-up was given, or seen to end.
    pub warmup_converged: bool,
    /// Figures over the time after warm-up; those that a run in the coarse tier does not tell are not numbers.
    #[serde(flatten, with = "figures")]
    pub summary: Summary,
    /// How far throughput is known from this run alone.
    pub batches: Option<BatchInterval>,
    /// The course of the run.
    pub series: ThinSeries,
}

/// What is known of a run that began from a copy of a warm server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BegunWarm {
    /// How many of its seconds are of that server.
    pub shared_s: u64,
    /// Hash of all that happened: runs with the same one are the same.
    pub course: String,
}

/// The interval of mean throughput from batch means inside one run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BatchInterval {
    /// Half-width of the 95 % interval, transactions a second.
    pub half_width: f64,
    /// Whether the batches look independent, so that it can be believed.
    pub independent: bool,
}

/// A run's course as means over equal spans.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ThinSeries {
    /// Length of a span, seconds; the last one may be shorter.
    pub step_s: u64,
    /// Transactions a second.
    pub tps: Vec<f64>,
    /// Checkpoint age, MiB.
    pub age_mib: Vec<f64>,
    /// Pages flushed a second.
    pub flushed: Vec<f64>,
}

/// A summary with its numbers by name, so that one with more fields reads older lines not at all rather than wrongly.
mod figures {
    use super::{Deserialize, Map, Regime, Serialize, Summary, Value};
    use serde::{Deserializer, Serializer, de::Error};

    #[derive(Serialize, Deserialize)]
    struct Figures {
        regime: Regime,
        summary: Map<String, Value>,
    }

    pub(super) fn serialize<S: Serializer>(summary: &Summary, serializer: S) -> Result<S::Ok, S::Error> {
        let named = summary.values().map(|v| (v.name.to_owned(), Value::from(v.value))).collect();
        Figures { regime: summary.regime, summary: named }.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Summary, D::Error> {
        let Figures { regime, summary } = Figures::deserialize(deserializer)?;
        // What is no number is null in JSON.
        let figure =
            |name: &str| summary.get(name).and_then(|value| value.as_f64().or(value.is_null().then_some(f64::NAN)));
        match Summary::NAMES.iter().find(|name| figure(name).is_none()) {
            Some(missing) => Err(D::Error::missing_field(missing)),
            None => Ok(Summary::from_fn(regime, |name| figure(name).unwrap_or_default())),
        }
    }
}

impl Record {
    /// Of the run `id` of `scenario`. If it ended early, figures are over the time that says so.
    pub fn of(id: RunId, scenario: &Scenario, output: &RunOutput, early: Option<Early>) -> Record {
        let warmup = early.map_or_else(|| warmup_of(scenario, output), Early::warmup);
        Record::after(warmup, id, output, early)
    }

    /// Of a run whose first `shared_s` seconds are of the warm server that it began from, and in no figure. One that came to
    /// live by sync flushing did so later than from a cold start: its figures are over its last turn, if that lies in it as a whole.
    pub fn begun_warm(
        id: RunId,
        scenario: &Scenario,
        output: &RunOutput,
        early: Option<Early>,
        shared_s: u64,
    ) -> Record {
        let whole = || {
            let own = warmup_of(scenario, output);
            let seconds = output.series.len() as u64;
            let by_sync = turn_by_sync(&output.series).map(|turn_s| seconds - turn_s);
            WarmupEstimate { seconds: by_sync.unwrap_or(own.seconds).max(shared_s), ..own }
        };
        let begun_warm = BegunWarm { shared_s, course: format!("{:016x}", output.event_hash) };
        let record = Record::after(early.map_or_else(whole, Early::warmup), id, output, early);
        Record { begun_warm: Some(begun_warm), ..record }
    }

    /// Of a run in the coarse tier.
    pub(super) fn of_flow(id: RunId, scenario: &Scenario, flow: FlowOutput) -> Record {
        let made_as = MadeAs::Flow { own_windows: flow.windows_at_s.len() };
        let output = RunOutput { age_limits: flow.age_limits, series: flow.seconds, ..RunOutput::default() };
        let record = Record::after(warmup_of(scenario, &output), id, &output, None);
        let of = |name: &str| record.summary.value(name).filter(|_| FLOW_TELLS.contains(&name)).unwrap_or(f64::NAN);
        let summary = Summary::from_fn(record.summary.regime, of);
        // Its seconds scatter less than those of a server: they tell nothing of how far throughput is known.
        Record { made_as, summary, batches: None, ..record }
    }

    fn after(warmup: WarmupEstimate, id: RunId, output: &RunOutput, early: Option<Early>) -> Record {
        let WarmupEstimate { seconds: warmup_s, converged: warmup_converged } = warmup;
        let after: Vec<f64> =
            output.series.iter().filter(|s| s.second > warmup_s).map(|s| s.transactions as f64).collect();
        let batches = batch_means(&after)
            .and_then(|b| Some(BatchInterval { half_width: b.estimate.half_width?, independent: b.independent }));
        let summary = Summary::of(output, warmup_s);
        let series = ThinSeries::of(&output.series);
        Record {
            id,
            early,
            begun_warm: None,
            made_as: MadeAs::Exact,
            warmup_s,
            warmup_converged,
            summary,
            batches,
            series,
        }
    }

    /// Simulated seconds of the run of `point`, those that it shares included.
    pub fn simulated_s(&self, point: &Point) -> f64 {
        self.early.map_or(point.simulated_s, |early| early.simulated_s as f64)
    }

    /// Seconds that figures are over.
    pub fn counted_s(&self, point: &Point) -> f64 {
        self.simulated_s(point) - self.warmup_s as f64
    }
}

impl ThinSeries {
    /// The spans of one of its series that begin after so many seconds.
    pub(super) fn after(&self, seconds: u64, of: fn(&ThinSeries) -> &[f64]) -> &[f64] {
        of(self).get(seconds.div_ceil(self.step_s.max(1)) as usize..).unwrap_or(&[])
    }

    fn of(series: &[SecondSample]) -> ThinSeries {
        let step_s = (series.len() as u64).div_ceil(SERIES_POINTS).max(1);
        let means = |value: fn(&SecondSample) -> f64, decimals: f64| -> Vec<f64> {
            let mean = |part: &[SecondSample]| part.iter().map(value).sum::<f64>() / part.len() as f64;
            series.chunks(step_s as usize).map(|part| (mean(part) * decimals).round() / decimals).collect()
        };
        ThinSeries {
            step_s,
            tps: means(|s| s.transactions as f64, 10.0),
            age_mib: means(|s| s.checkpoint_age_bytes as f64 / MIB, 100.0),
            flushed: means(|s| s.pages_flushed as f64, 10.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rest::Ended;

    #[test]
    fn every_bit_survives_the_journal() {
        let mut x = 0.1_f64;
        let summary = Summary::from_fn(Regime::Waves, |_| {
            x = (x * 3.7 * (1.0 - x)).abs();
            x * 1e7
        });
        let batches = Some(BatchInterval { half_width: 1.0 / 3.0, independent: true });
        let series = ThinSeries { step_s: 5, tps: vec![0.1, 8000.3], age_mib: vec![1.0 / 7.0], flushed: vec![] };
        let id = RunId("ab".to_owned());
        let early = Some(Early { why: Ended::AtRest, simulated_s: 90, counted_s: 60 });
        let begun_warm = Some(BegunWarm { shared_s: 20, course: "00ff".to_owned() });
        let made_as = MadeAs::Flow { own_windows: 2 };
        let record =
            Record { id, early, begun_warm, made_as, warmup_s: 30, warmup_converged: false, summary, batches, series };
        let json = serde_json::to_string(&record).unwrap();
        let read = |json: &str| serde_json::from_str::<Record>(json).ok();
        assert_eq!(read(&json), Some(record.clone()));
        let whole = Record { early: None, begun_warm: None, made_as: MadeAs::Exact, ..record.clone() };
        assert_eq!(read(&serde_json::to_string(&whole).unwrap()), Some(whole));
        assert_eq!(read(&json.replace("tps_cv", "tps_xx")), None);
        assert_eq!(read(&json[..json.len() - 1]), None);
    }

    #[test]
    fn series_are_means_over_spans() {
        let series: Vec<SecondSample> =
            (1..=401).map(|second| SecondSample { second, transactions: second, ..SecondSample::default() }).collect();
        let thin = ThinSeries::of(&series);
        assert_eq!((thin.step_s, thin.tps.len()), (3, 134));
        assert_eq!((thin.tps[0], thin.tps[133]), (2.0, 400.5));
        assert_eq!(ThinSeries::of(&[]).step_s, 1);
    }
}
