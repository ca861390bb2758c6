//! The predicted side: what a run has where its recording has something.
//!
//! A recording may begin after its load, have gaps or samples that are far apart, and reports of throughput may be
//! rarer than samples. Figures of both sides are of the same instants and steps, so that what was not recorded counts on
//! neither.

use super::observed::Observed;
use super::{latency_metric, latency_of};
use innosim_core::metrics::{Regime, RegimeInput, RunOutput, SecondSample};
use innosim_recordings::Column;

/// Samples and reports up to this far apart show every second.
const EACH_SECOND_S: f64 = 1.5;

/// A figure of a simulated second.
type Figure = fn(&SecondSample) -> f64;

/// A run at the samples of a recording.
pub(super) struct Predicted<'a> {
    observed: &'a Observed,
    output: &'a RunOutput,
    series: Observed,
}

impl<'a> Predicted<'a> {
    pub(super) fn of(observed: &'a Observed, output: &'a RunOutput) -> Self {
        let seconds = &observed.seconds;
        let values = |figure: Figure| output.series.iter().map(figure).collect::<Vec<f64>>();
        let at = |figure: Figure| {
            let values = values(figure);
            seconds.iter().map(|second| interpolated(&values, *second)).collect::<Column>()
        };
        let over = |figure: Figure, length: &dyn Fn(usize) -> f64| {
            let sums = sums(&values(figure));
            seconds.iter().enumerate().map(|(i, second)| average(&sums, *second, length(i))).collect::<Column>()
        };
        let step = |i: usize| observed.steps[i];
        let series = Observed {
            seconds: seconds.clone(),
            steps: observed.steps.clone(),
            tps_interval: observed.tps_interval,
            age: at(|s| s.checkpoint_age_bytes as f64),
            oldest_age: Column::default(),
            flushed: over(|s| s.pages_flushed as f64, &step),
            dirty: at(|s| s.dirty_pages as f64),
            tps: over(|s| s.transactions as f64, &|_| observed.tps_interval),
            lsn: Column::default(),
            redo: over(|s| s.redo_generated_bytes as f64, &step),
            sync_pages: None,
            latency: over(latency_of(observed.percentile), &|_| observed.tps_interval),
            percentile: observed.percentile,
            waiting: if observed.waiting.is_empty() { Column::default() } else { at(|s| s.arrivals_waiting as f64) },
        };
        Predicted { observed, output, series }
    }

    /// Series at the samples, for pictures: gaps of the recording are not left out.
    pub(super) fn series(&self) -> &Observed {
        &self.series
    }

    /// A figure of a summary, over what was recorded.
    pub(super) fn value(&self, name: &str) -> Option<f64> {
        let Observed { age, dirty, flushed, redo, tps, .. } = &self.series;
        match name {
            "tps_mean" => where_known(tps, &self.observed.tps).mean(),
            "checkpoint_age_mean" => where_known(age, &self.observed.age).mean(),
            "checkpoint_age_max" => Some(self.largest_age()),
            "pages_flushed_per_s_mean" => self.series.mean_of_steps(&where_known(flushed, &self.observed.flushed)),
            "dirty_pages_mean" => where_known(dirty, &self.observed.dirty).mean(),
            // Where log sequence numbers are rarer than samples, the observed rate is that of the whole time.
            "redo_bytes_per_s" => self
                .series
                .mean_of_steps(&where_known(redo, &self.observed.redo))
                .or_else(|| self.series.mean_of_steps(redo)),
            "pages_flushed_sync" => Some(self.covered().iter().map(|second| second.sync_pages as f64).sum()),
            name if name == latency_metric(self.observed.percentile) => {
                where_known(&self.series.latency, &self.observed.latency).mean()
            }
            "stall_seconds" => self.thinned().stall_seconds(),
            _ => None,
        }
    }

    pub(super) fn sync_flushing(&self) -> bool {
        self.covered().iter().any(|second| second.sync_pages > 0)
    }

    /// By the rule that judges the recording, from throughput as it was sampled.
    pub(super) fn regime(&self) -> Regime {
        let mut all = RegimeInput::of_samples(self.covered(), &self.output.age_limits);
        if self.observed.waiting.is_empty() {
            // Of a queue that was not recorded the recording's regime knows nothing either.
            all.waiting.clear();
        }
        if self.shows_each_second() {
            return all.regime();
        }
        let thinned = self.thinned();
        let (tps, waiting) = (thinned.each_second(&thinned.tps), thinned.each_second(&thinned.waiting));
        RegimeInput { tps, waiting, ..all }.regime()
    }

    fn shows_each_second(&self) -> bool {
        let mut steps = self.observed.steps.clone();
        steps.sort_by(f64::total_cmp);
        let median = steps.get(steps.len() / 2).copied().unwrap_or(1.0);
        median.max(self.observed.tps_interval) <= EACH_SECOND_S
    }

    /// The simulated seconds that the recording covers, gaps included.
    fn covered(&self) -> &[SecondSample] {
        let (Some(first), Some(last)) = (self.observed.seconds.first(), self.observed.seconds.last()) else {
            return &[];
        };
        let from = (first - self.observed.steps[0]).round().max(0.0) as usize;
        let until = (last.ceil() as usize).min(self.output.series.len());
        &self.output.series[from.min(until)..until]
    }

    /// The largest age in the seconds that end at samples.
    fn largest_age(&self) -> f64 {
        let known = self.observed.age.timed(&self.observed.seconds);
        let at = |second: f64| self.output.series.get((second.round() as usize).saturating_sub(1));
        known.filter_map(|(second, _)| at(second)).map(|s| s.checkpoint_age_bytes as f64).fold(0.0, f64::max)
    }

    /// Throughput where it was recorded, of whole seconds: a stall of a second would be half of two.
    fn thinned(&self) -> Observed {
        let sums = sums(&self.output.series.iter().map(|s| s.transactions as f64).collect::<Vec<f64>>());
        let whole = self.observed.tps_interval.round().max(1.0);
        let tps: Column = self.observed.seconds.iter().map(|s| average(&sums, s.round().max(whole), whole)).collect();
        Observed {
            seconds: self.observed.seconds.clone(),
            steps: self.observed.steps.clone(),
            tps: where_known(&tps, &self.observed.tps),
            waiting: where_known(&self.series.waiting, &self.observed.waiting),
            tps_interval: whole,
            age: Column::default(),
            oldest_age: Column::default(),
            flushed: Column::default(),
            dirty: Column::default(),
            lsn: Column::default(),
            redo: Column::default(),
            sync_pages: None,
            latency: Column::default(),
            percentile: self.observed.percentile,
        }
    }
}

/// Values where the other series has one.
fn where_known(values: &Column, other: &Column) -> Column {
    values.with(other, |value, _| value)
}

/// A series whose first value stands at second 1, at any second; `None` of an empty one.
fn interpolated(values: &[f64], second: f64) -> Option<f64> {
    let (first, last) = (*values.first()?, *values.last()?);
    let place = second - 1.0;
    if place <= 0.0 {
        return Some(first);
    }
    let i = place.floor() as usize;
    Some(values.get(i + 1).map_or(last, |next| values[i] + (place - place.floor()) * (next - values[i])))
}

/// Sums of amounts of whole seconds up to each second, 0 first.
fn sums(amounts: &[f64]) -> Vec<f64> {
    let sums = amounts.iter().scan(0.0, |sum, amount| {
        *sum += amount;
        Some(*sum)
    });
    std::iter::once(0.0).chain(sums).collect()
}

/// Amount a second over the `length` seconds up to `second`, by the sums; outside the run its first and last seconds go
/// on. `None` of an empty one.
fn average(sums: &[f64], second: f64, length: f64) -> Option<f64> {
    let last = (sums.len() - 1) as f64;
    if last < 1.0 {
        return None;
    }
    let up_to = |second: f64| {
        let i = (second.floor() as usize).min(sums.len().saturating_sub(2));
        sums[i] + (second - i as f64) * (sums[i + 1] - sums[i])
    };
    let length = length.clamp(1e-3, last);
    let until = second.clamp(length, last);
    Some((up_to(until) - up_to(until - length)) / length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_at_the_end_of_their_second() {
        let values = [10.0, 20.0, 40.0];
        let at = |second| interpolated(&values, second);
        let expected = [10.0, 10.0, 15.0, 25.0, 40.0, 40.0].map(Some);
        assert_eq!([at(0.5), at(1.0), at(1.5), at(2.25), at(3.0), at(9.0)], expected);
    }

    #[test]
    fn amounts_are_averaged_over_the_time_that_a_sample_stands_for() {
        let sums = sums(&[10.0, 20.0, 40.0]);
        let over = |second, length| average(&sums, second, length);
        assert_eq!(
            [over(1.0, 1.0), over(1.5, 1.0), over(3.0, 2.0), over(2.5, 2.5)],
            [10.0, 15.0, 30.0, 20.0].map(Some)
        );
        assert_eq!([over(0.5, 1.0), over(9.0, 1.0)], [10.0, 40.0].map(Some), "outside the run");
    }
}
