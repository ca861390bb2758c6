//! The measured side: series over the load, and figures of them.

use super::{Trajectory, latency_metric};
use innosim_core::metrics::{Regime, RegimeInput, RunOutput, SecondSample};
use innosim_recordings::{Column, LONG_STEP, Missing, Percentile, Quantity, Recording};

/// Longest time that a sample stands for, seconds.
const LONGEST_SAMPLE_S: f64 = 120.0;

/// Series over a load, one value a sample: what was recorded, or what a run has at the same instants.
pub(super) struct Observed {
    /// Since the load began, without those in which the machine stood still.
    pub(super) seconds: Vec<f64>,
    /// Since the sample before.
    pub(super) steps: Vec<f64>,
    /// Seconds before a sample that its throughput stands for.
    pub(super) tps_interval: f64,
    /// Bytes.
    pub(super) age: Column,
    /// Age of the oldest dirty page, bytes; empty if not recorded.
    pub(super) oldest_age: Column,
    /// Pages a second since the sample before.
    pub(super) flushed: Column,
    pub(super) dirty: Column,
    pub(super) tps: Column,
    pub(super) lsn: Column,
    /// Bytes a second since the sample before.
    pub(super) redo: Column,
    /// Pages of sync flushing over the load.
    pub(super) sync_pages: Option<f64>,
    /// Latency of a report at its percentile, ms; empty if not recorded.
    pub(super) latency: Column,
    pub(super) percentile: Percentile,
    /// Transactions waiting for a thread, of an open loop.
    pub(super) waiting: Column,
}

impl Observed {
    pub(super) fn of(recording: &Recording) -> Result<Self, Missing> {
        let purpose = "validate";
        let (start, end) = recording.load_window();
        let begun = recording.load_start();
        let all = &recording.series.seconds;
        let frozen = recording.frozen();
        let at: Vec<usize> = (1..all.len()).filter(|&i| all[i] > start && all[i] <= end && !frozen[i]).collect();
        let lost = |i: usize| (1..i).filter(|&j| frozen[j]).map(|j| all[j] - all[j - 1]).sum::<f64>();
        let under_load = |column: &Column| -> Column { at.iter().map(|&i| column.at(i)).collect() };
        let need = |quantity| recording.quantity(quantity, purpose);
        // A step that began before the load says nothing of the load alone.
        let of_load =
            |rates: &Column| -> Column { at.iter().map(|&i| rates.at(i).filter(|_| all[i - 1] >= begun)).collect() };
        let of_steps = |counter: &Column| of_load(&counter.rates(all));
        let tps = need(Quantity::Tps)?;
        let lsn = need(Quantity::Lsn)?;
        let oldest = recording.get(Quantity::OldestModification).map(|oldest| {
            let age = |lsn: f64, oldest: f64| if oldest > 0.0 { lsn - oldest } else { 0.0 };
            under_load(&lsn.with(&oldest, age))
        });
        let sync = recording.get(Quantity::SyncPages).map(|sync| under_load(&sync));
        let (percentile, latency) = recording.latency().unwrap_or_default();
        let waiting = recording.series.column("sb.queue").map_or_else(Column::default, |queue| under_load(&queue));
        Ok(Observed {
            seconds: at.iter().map(|&i| all[i] - begun - lost(i)).collect(),
            steps: at.iter().map(|&i| all[i] - all[i - 1]).collect(),
            tps_interval: recording.tps_interval_s(),
            age: under_load(&lsn.with(&need(Quantity::CheckpointLsn)?, |lsn, checkpoint| lsn - checkpoint)),
            oldest_age: oldest.unwrap_or_default(),
            flushed: of_steps(&need(Quantity::PagesWritten)?),
            dirty: under_load(&need(Quantity::DirtyPages)?),
            // Reports begin with the load, counters don't.
            tps: if recording.series.column("sb.tps").is_some() { under_load(&tps) } else { of_load(&tps) },
            redo: of_steps(&lsn),
            lsn: under_load(&lsn),
            sync_pages: sync.and_then(|sync| sync.growth()),
            latency: if latency.is_empty() { latency } else { under_load(&latency) },
            percentile,
            waiting: if recording.closed_loop() { Column::default() } else { waiting },
        })
    }

    /// Figures under the names of a summary.
    pub(super) fn metrics(&self) -> Vec<(&'static str, f64)> {
        let figures = [
            ("tps_mean", self.tps.mean()),
            ("checkpoint_age_mean", self.age.mean()),
            ("checkpoint_age_max", self.age.largest()),
            ("pages_flushed_per_s_mean", self.mean_of_steps(&self.flushed)),
            ("dirty_pages_mean", self.dirty.mean()),
            // Log sequence numbers that are rarer than the samples have no neighbours.
            ("redo_bytes_per_s", self.mean_of_steps(&self.redo).or_else(|| self.redo_over_all())),
            ("pages_flushed_sync", self.sync_pages),
            ("stall_seconds", self.stall_seconds()),
            (latency_metric(self.percentile), self.latency.mean()),
        ];
        figures.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }

    /// Mean of a rate over time: a long step counts for as long as it is.
    pub(super) fn mean_of_steps(&self, rates: &Column) -> Option<f64> {
        let known = rates.timed(&self.steps);
        let (grown, seconds) = known.fold((0.0, 0.0), |(sum, time), (step, rate)| (sum + rate * step, time + step));
        (seconds > 0.0).then(|| grown / seconds)
    }

    /// The reports that are there, each as often as the whole seconds that it stands for: the usual distance of
    /// samples, or of reports if those are rarer. A report after a gap stands for no more than others.
    pub(super) fn each_second(&self, values: &Column) -> Vec<f64> {
        let mut steps = self.steps.clone();
        steps.sort_by(f64::total_cmp);
        let usual = steps.get(steps.len() / 2).copied().unwrap_or(1.0);
        let step = |i: usize| if self.steps[i] > LONG_STEP * usual { usual } else { self.steps[i] };
        let length = |i: usize| step(i).max(self.tps_interval);
        let of_sample = |(i, value): (usize, f64)| {
            std::iter::repeat_n(value, length(i).round().clamp(1.0, LONGEST_SAMPLE_S) as usize)
        };
        values.placed().flat_map(of_sample).collect()
    }

    /// Seconds under half the median throughput, all of the load's counted.
    pub(super) fn stall_seconds(&self) -> Option<f64> {
        let mut tps = self.each_second(&self.tps);
        tps.sort_by(f64::total_cmp);
        let median = *tps.get(tps.len() / 2)?;
        Some(tps.iter().filter(|tps| **tps < median / 2.0).count() as f64)
    }

    /// Growth of the log sequence number a second, from the first sample that has one to the last.
    fn redo_over_all(&self) -> Option<f64> {
        let mut known = self.lsn.timed(&self.seconds);
        let (first, last) = (known.next()?, known.next_back()?);
        (last.0 > first.0).then(|| (last.1 - first.1) / (last.0 - first.0))
    }

    pub(super) fn sync_flushing(&self) -> Option<bool> {
        self.sync_pages.map(|pages| pages > 0.0)
    }

    /// The regime, by the rule that simulated runs are judged by; `sync_start` is the age of the oldest page at which
    /// sync flushing starts, bytes.
    pub(super) fn regime(&self, sync_start: f64) -> Regime {
        RegimeInput {
            tps: self.each_second(&self.tps),
            waiting: self.each_second(&self.waiting),
            pressure: self.pressure(sync_start),
        }
        .regime()
    }

    /// Whether the checkpoint age put pressure on the server, if the recording tells. The checkpoint is older than the
    /// oldest dirty page, so only an age below the limit is an answer where nothing else was recorded.
    fn pressure(&self, sync_start: f64) -> Option<bool> {
        let reached = |ages: &Column| sync_start > 0.0 && ages.present().any(|age| age >= sync_start);
        if reached(&self.oldest_age) || self.sync_flushing() == Some(true) {
            return Some(true);
        }
        let told = !self.oldest_age.is_empty() || self.sync_pages.is_some() || !reached(&self.age);
        told.then_some(false)
    }
}

/// What was measured in the form of a run, to be drawn beside one: at each simulated second the last sample that is
/// there.
pub(super) fn as_run(trajectories: &[Trajectory], predicted: &RunOutput) -> RunOutput {
    let at = |name: &str, second: f64| -> u64 {
        let Some(trajectory) = trajectories.iter().find(|trajectory| trajectory.name == name) else { return 0 };
        let known = trajectory.observed.timed(&trajectory.seconds).take_while(|(at, _)| *at < second + 0.5);
        known.last().map_or(0, |(_, value)| value.max(0.0) as u64)
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
