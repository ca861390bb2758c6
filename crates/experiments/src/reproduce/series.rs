//! Series of published runs as data: scenarios with what was changed of them, the published figures, and how far off a
//! simulation may be. A file in `scenarios/series` is a series.

use innosim_core::config::PAGE_BYTES;
use innosim_core::metrics::{DiskSecond, RunOutput, SecondSample, Summary};
use innosim_scenario::{Diagnostics, Overrides, Scenario, Source, load};
use innosim_statistics::median;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

macro_rules! series {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!(env!("INNOSIM_SCENARIOS"), "/series/", $name, ".toml")))),*]
    };
}

const MIB: f64 = (1u64 << 20) as f64;

/// Names and texts of the series that come with the program.
pub const SERIES: &[(&str, &str)] = series![
    "percona-2026",
    "percona-2026-small-pools",
    "percona-2026-counters",
    "percona-2026-lru-lists",
    "percona-2020-07",
    "mariadb-2013"
];

/// A series of published runs.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// Title for headings.
    pub title: String,
    /// Where the figures were published.
    pub source: String,
    /// What the simulation is told of the runs.
    pub inputs: String,
    /// The scenario that all runs start from.
    pub scenario: String,
    /// Figures that are compared, with their marks.
    pub figures: BTreeMap<Figure, Tolerance>,
    /// The runs.
    #[serde(rename = "run")]
    pub runs: Vec<SeriesRun>,
}

/// One run of a series.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeriesRun {
    /// Its name.
    pub name: String,
    /// Another scenario than the series'.
    pub scenario: Option<String>,
    /// Runs of one group are compared with each other: whether they stand in the order that was published. A figure may have
    /// marks for one group alone.
    pub group: Option<String>,
    /// Another server model than the scenario's.
    pub model: Option<String>,
    /// Another length than the scenario's.
    pub duration: Option<String>,
    /// What else is changed, as `--set` takes it.
    #[serde(default)]
    pub set: Vec<String>,
    /// The published figures.
    pub published: BTreeMap<Figure, f64>,
}

/// Largest errors, as shares, that a series may have in a figure.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Tolerance {
    /// The runs for which the marks hold; all if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// In the median of its runs.
    pub median: Option<f64>,
    /// In its worst run.
    pub worst: Option<f64>,
}

/// A figure that is published and simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Figure {
    /// Mean of the medians of 10 s, transactions a second.
    Tps,
    /// Mean of all seconds, transactions a second.
    TpsMean,
    /// Their standard deviation as a share of that mean.
    TpsCv,
    /// Mean checkpoint age, 10^9 bytes.
    CheckpointAgeGb,
    /// Mean dirty pages.
    DirtyPages,
    /// Pages flushed a second, mean.
    PagesFlushedPerS,
    /// Of these by LRU batches of the page cleaner, mean.
    LruPagesPerS,
    /// By clients, one by one, mean.
    SinglePagesPerS,
    /// From the flush lists, mean.
    ListPagesPerS,
    /// Redo of a transaction, bytes of the log sequence number, mean.
    RedoBytesPerTransaction,
    /// Syncs of the redo log a second, mean.
    RedoSyncsPerS,
    /// Writes of the log writer a second, mean.
    RedoWritesPerS,
    /// The first second with less than half the throughput of the median second.
    StallStartS,
    /// Number of such seconds.
    StallS,
    /// Written to the device, 10^6 bytes a second, mean.
    WrittenMbPerS,
    /// Written to the disks, MiB a second, mean.
    WrittenMibPerS,
    /// Pages read from the disks, a second, mean.
    ReadsPerS,
    /// Writes that reach the disks, a second, mean.
    WritesPerS,
    /// Cache flushes of the disks a second, mean.
    FlushesPerS,
}

impl Figure {
    /// Head of its column.
    pub fn head(self) -> &'static str {
        match self {
            Figure::Tps | Figure::TpsMean => "tps",
            Figure::TpsCv => "cv",
            Figure::CheckpointAgeGb => "age, GB",
            Figure::DirtyPages => "dirty pages",
            Figure::PagesFlushedPerS => "flushed/s",
            Figure::LruPagesPerS => "LRU pages/s",
            Figure::SinglePagesPerS => "single pages/s",
            Figure::ListPagesPerS => "list pages/s",
            Figure::RedoBytesPerTransaction => "redo/trx",
            Figure::RedoSyncsPerS => "redo syncs/s",
            Figure::RedoWritesPerS => "redo writes/s",
            Figure::StallStartS => "stall at, s",
            Figure::StallS => "stalled, s",
            Figure::WrittenMbPerS => "MB/s",
            Figure::WrittenMibPerS => "MiB/s",
            Figure::ReadsPerS => "reads/s",
            Figure::WritesPerS => "writes/s",
            Figure::FlushesPerS => "flushes/s",
        }
    }

    /// Its value in a run; `None` if the run has none.
    pub fn simulated(self, summary: &Summary, output: &RunOutput, warmup_s: f64) -> Option<f64> {
        let counted = || output.series.iter().filter(|second| second.second as f64 > warmup_s);
        let seconds = counted().count().max(1) as f64;
        let mean = |amount: fn(&SecondSample) -> u64| counted().map(|s| amount(s) as f64).sum::<f64>() / seconds;
        let disk = |amount: fn(&DiskSecond) -> u64| {
            let both = output.series.iter().zip(&output.disk).filter(|(second, _)| second.second as f64 > warmup_s);
            both.map(|(_, disk)| amount(disk) as f64).sum::<f64>() / seconds
        };
        Some(match self {
            Figure::Tps => summary.tps_10s_median_mean,
            Figure::TpsMean => summary.tps_mean,
            Figure::TpsCv => summary.has_transactions().then_some(summary.tps_cv)?,
            Figure::WrittenMibPerS => disk(|disk| disk.write_bytes) / MIB,
            Figure::ReadsPerS => disk(|disk| disk.read_bytes) / PAGE_BYTES as f64,
            Figure::WritesPerS => disk(|disk| disk.writes),
            Figure::FlushesPerS => disk(|disk| disk.cache_flushes),
            Figure::CheckpointAgeGb => summary.checkpoint_age_mean / 1e9,
            Figure::DirtyPages => summary.dirty_pages_mean,
            Figure::PagesFlushedPerS => summary.pages_flushed_per_s_mean,
            Figure::LruPagesPerS => mean(|s| s.lru_pages),
            Figure::SinglePagesPerS => mean(|s| s.single_pages),
            Figure::ListPagesPerS => mean(|s| s.pages_flushed - s.lru_pages - s.single_pages),
            Figure::RedoBytesPerTransaction => summary.redo_bytes_per_trx,
            Figure::RedoSyncsPerS => summary.redo_fsyncs / seconds,
            Figure::RedoWritesPerS => mean(|s| s.log_full_block_writes + s.log_partial_block_writes),
            Figure::StallS => summary.stall_seconds,
            Figure::WrittenMbPerS => mean(|s| s.device_write_bytes) / 1e6,
            Figure::StallStartS => {
                let tps: Vec<f64> = counted().map(|second| second.transactions as f64).collect();
                let half = median(&tps)? / 2.0;
                counted().find(|second| (second.transactions as f64) < half)?.second as f64
            }
        })
    }
}

/// One run of a series beside what was published.
#[derive(Debug, Serialize)]
pub struct SeriesRow {
    /// Name of the run.
    pub run: String,
    /// The runs that it is compared with.
    pub group: Option<String>,
    /// Length of the run, seconds.
    pub simulated_s: f64,
    /// Seconds left out at the start.
    pub warmup_s: f64,
    /// Published figures.
    pub published: BTreeMap<Figure, f64>,
    /// Simulated figures.
    pub simulated: BTreeMap<Figure, f64>,
    /// Mean time between two requests for redo, us, where it leaves open whether the server's log threads sleep.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undecided_log_threads_us: Option<u64>,
    /// Threads up to which the server's throughput follows from the model, where the run has more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads_modelled: Option<u32>,
}

impl SeriesRow {
    /// (simulated - published) / published; `None` if one is missing, or only the published one is 0.
    pub fn error(&self, figure: Figure) -> Option<f64> {
        let (published, simulated) = (*self.published.get(&figure)?, *self.simulated.get(&figure)?);
        match (published == 0.0, simulated == 0.0) {
            (true, true) => Some(0.0),
            (true, false) => None,
            _ => Some((simulated - published) / published),
        }
    }
}

impl Series {
    /// The shipped series with this name; `None` if there is none.
    ///
    /// # Errors
    /// A series that is not as it should be.
    pub fn find(name: &str) -> Result<Option<Series>, toml::de::Error> {
        SERIES.iter().find(|(one, _)| *one == name).map(|(_, text)| toml::from_str(text)).transpose()
    }

    /// What is changed of the scenario for a run.
    pub fn overrides(run: &SeriesRun, duration: Option<&String>, seed: Option<u64>) -> Overrides {
        let mut set = run.set.clone();
        if duration.is_some() {
            set.push("warmup=\"auto\"".to_owned());
        }
        let duration = duration.or(run.duration.as_ref()).cloned();
        Overrides { model: run.model.clone(), set, duration, seed, ..Overrides::default() }
    }

    /// The scenario of a run.
    ///
    /// # Errors
    /// Whatever is wrong with it.
    pub fn scenario(&self, run: &SeriesRun, overrides: &Overrides) -> Result<Scenario, Diagnostics> {
        let name = run.scenario.as_ref().unwrap_or(&self.scenario);
        let mut scenario = load(Source::Shipped(name), overrides)?;
        scenario.name.clone_from(&run.name);
        Ok(scenario)
    }
}

/// Median and largest size of the errors of a figure in the runs of a group, or in all; `None` if it was compared in no run.
pub fn error_sizes(rows: &[SeriesRow], figure: Figure, group: Option<&str>) -> Option<(f64, f64)> {
    let of_group = rows.iter().filter(|row| group.is_none() || row.group.as_deref() == group);
    let sizes: Vec<f64> = of_group.filter_map(|row| row.error(figure)).map(f64::abs).collect();
    Some((median(&sizes)?, sizes.iter().copied().fold(0.0, f64::max)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_of_every_series_is_a_scenario_with_published_figures() {
        for (name, _) in SERIES {
            let series = Series::find(name).unwrap().unwrap();
            for run in &series.runs {
                let scenario = series.scenario(run, &Series::overrides(run, None, None));
                scenario.unwrap_or_else(|error| panic!("{name}, {}: {error}", run.name));
                assert!(run.published.keys().all(|figure| series.figures.contains_key(figure)), "{}", run.name);
                assert!(!run.published.is_empty(), "{}", run.name);
            }
            for group in series.figures.values().filter_map(|tolerance| tolerance.group.as_ref()) {
                assert!(series.runs.iter().any(|run| run.group.as_ref() == Some(group)), "{name}: {group}");
            }
        }
    }

    #[test]
    fn errors_are_shares_of_what_was_published() {
        let row = |published, simulated| SeriesRow {
            run: String::new(),
            group: Some(format!("simulated {simulated}")),
            simulated_s: 1.0,
            warmup_s: 0.0,
            published: [(Figure::StallS, published)].into(),
            simulated: [(Figure::StallS, simulated)].into(),
            undecided_log_threads_us: None,
            threads_modelled: None,
        };
        assert_eq!(row(100.0, 90.0).error(Figure::StallS), Some(-0.1));
        assert_eq!(row(0.0, 0.0).error(Figure::StallS), Some(0.0));
        assert_eq!(row(0.0, 90.0).error(Figure::StallS), None);
        let rows = [row(100.0, 90.0), row(100.0, 101.0), row(100.0, 104.0)];
        let (median, worst) = error_sizes(&rows, Figure::StallS, None).unwrap();
        assert!((median - 0.04).abs() < 1e-9 && (worst - 0.1).abs() < 1e-9, "{median} {worst}");
        let of_group = |group| error_sizes(&rows, Figure::StallS, Some(group));
        assert_eq!((of_group("simulated 90"), of_group("another")), (Some((0.1, 0.1)), None));
    }
}
