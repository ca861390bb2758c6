//! The measured side: series over the load, and figures of them.

use super::Trajectory;
use innosim_core::metrics::{Regime, RegimeInput, RunOutput, SecondSample};
use innosim_recordings::{Missing, Quantity, Recording, rates};

/// Series of a recording over its load, one value a sample.
pub(super) struct Observed {
    /// Since the load began, without those in which the machine stood still.
    pub(super) seconds: Vec<f64>,
    /// Bytes.
    pub(super) age: Vec<f64>,
    /// Age of the oldest dirty page, bytes; empty if not recorded.
    oldest_age: Vec<f64>,
    /// Pages a second.
    pub(super) flushed: Vec<f64>,
    pub(super) dirty: Vec<f64>,
    pub(super) tps: Vec<f64>,
    /// Bytes a second.
    redo: Vec<f64>,
    /// Pages of sync flushing over the load.
    sync_pages: Option<f64>,
    /// Transactions waiting for a thread, of an open loop.
    waiting: Vec<f64>,
}

impl Observed {
    pub(super) fn of(recording: &Recording) -> Result<Self, Missing> {
        let purpose = "validate";
        let (start, end) = recording.load_window();
        let all = &recording.series.seconds;
        let frozen = recording.frozen();
        let at: Vec<usize> = (1..all.len()).filter(|&i| all[i] > start && all[i] <= end && !frozen[i]).collect();
        let lost = |i: usize| (1..i).filter(|&j| frozen[j]).map(|j| all[j] - all[j - 1]).sum::<f64>();
        let under_load = |values: &[f64]| -> Vec<f64> { at.iter().map(|&i| values[i]).collect() };
        let need = |quantity| recording.quantity(quantity, purpose);
        let lsn = need(Quantity::Lsn)?;
        let difference = |from: &[f64], to: &[f64]| -> Vec<f64> { from.iter().zip(to).map(|(a, b)| a - b).collect() };
        let oldest = recording.get(Quantity::OldestModification).map(|oldest| {
            let known = |(lsn, oldest): (&f64, &f64)| if *oldest > 0.0 { lsn - oldest } else { 0.0 };
            lsn.iter().zip(&oldest).map(known).collect::<Vec<f64>>()
        });
        let written = rates(all, &need(Quantity::PagesWritten)?);
        let sync = recording.get(Quantity::SyncPages).map(|sync| under_load(&sync));
        let growth = |values: &[f64]| match (values.first(), values.last()) {
            (Some(first), Some(last)) => last - first,
            _ => 0.0,
        };
        let waiting = recording.series.column("sb.queue").map_or_else(Vec::new, |queue| under_load(&queue));
        Ok(Observed {
            seconds: at.iter().map(|&i| all[i] - start - lost(i)).collect(),
            age: under_load(&difference(&lsn, &need(Quantity::CheckpointLsn)?)),
            oldest_age: oldest.map_or_else(Vec::new, |oldest| under_load(&oldest)),
            flushed: under_load(&written),
            dirty: under_load(&need(Quantity::DirtyPages)?),
            tps: under_load(&need(Quantity::Tps)?),
            redo: under_load(&rates(all, &lsn)),
            sync_pages: sync.map(|sync| growth(&sync)),
            waiting: if recording.closed_loop() { Vec::new() } else { waiting },
        })
    }

    /// Figures under the names of a summary.
    pub(super) fn metrics(&self) -> Vec<(&'static str, f64)> {
        let largest = self.age.iter().copied().filter(|age| age.is_finite()).fold(0.0, f64::max);
        let figures = [
            ("tps_mean", mean(&self.tps)),
            ("checkpoint_age_mean", mean(&self.age)),
            ("checkpoint_age_max", Some(largest)),
            ("pages_flushed_per_s_mean", mean(&self.flushed)),
            ("dirty_pages_mean", mean(&self.dirty)),
            ("redo_bytes_per_s", mean(&self.redo)),
            ("pages_flushed_sync", self.sync_pages),
            ("stall_seconds", self.stall_seconds()),
        ];
        figures.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }

    /// Seconds under half the median throughput.
    fn stall_seconds(&self) -> Option<f64> {
        let mut tps: Vec<f64> = self.tps.iter().copied().filter(|tps| tps.is_finite()).collect();
        tps.sort_by(f64::total_cmp);
        let median = *tps.get(tps.len() / 2)?;
        Some(tps.iter().filter(|tps| **tps < median / 2.0).count() as f64)
    }

    pub(super) fn sync_flushing(&self) -> Option<bool> {
        self.sync_pages.map(|pages| pages > 0.0)
    }

    /// The regime, by the rule that simulated runs are judged by; `sync_start` is the age of the oldest page at which
    /// sync flushing starts, bytes.
    pub(super) fn regime(&self, sync_start: f64) -> Regime {
        let finite = |values: &[f64]| values.iter().copied().filter(|value| value.is_finite()).collect::<Vec<f64>>();
        let at_limit = sync_start > 0.0 && self.oldest_age.iter().any(|age| *age >= sync_start);
        RegimeInput {
            tps: finite(&self.tps),
            waiting: finite(&self.waiting),
            pressure: Some(at_limit || self.sync_flushing() == Some(true)),
        }
        .regime()
    }
}

/// What was measured in the form of a run, to be drawn beside one: at each simulated second the last sample that is
/// there.
pub(super) fn as_run(trajectories: &[Trajectory], predicted: &RunOutput) -> RunOutput {
    let at = |name: &str, second: f64| -> u64 {
        let Some(trajectory) = trajectories.iter().find(|trajectory| trajectory.name == name) else { return 0 };
        let known = trajectory.observed[..trajectory.seconds.partition_point(|s| *s < second + 0.5)].iter();
        known.rev().find(|value| value.is_finite()).map_or(0, |value| value.max(0.0) as u64)
    };
    let sample = |beside: &SecondSample| {
        let second = beside.second as f64;
        SecondSample {
            second: beside.second,
            transactions: at("tps", second),
            checkpoint_age_bytes: at("checkpoint_age", second),
            dirty_pages: at("dirty_pages", second),
            pages_flushed: at("pages_flushed_per_s", second),
            age_async_bytes: beside.age_async_bytes,
            age_sync_bytes: beside.age_sync_bytes,
            ..SecondSample::default()
        }
    };
    RunOutput {
        series: predicted.series.iter().map(sample).collect(),
        age_limits: predicted.age_limits,
        ..RunOutput::default()
    }
}

/// Mean of the values that are there.
pub(super) fn mean(values: &[f64]) -> Option<f64> {
    let (n, sum) = values.iter().filter(|v| v.is_finite()).fold((0_u32, 0.0), |(n, sum), v| (n + 1, sum + v));
    (n > 0).then(|| sum / f64::from(n))
}
