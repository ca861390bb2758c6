//! A setting that was tried, relative to the present one.

use super::bench::Bench;
use super::case::Case;
use super::judge::is_answer;
use super::space::Point;
use crate::stable::{RESERVE, headroom};
use innosim_core::metrics::{Regime, Summary};
use innosim_statistics::{Estimate, Paired};

/// Seconds of a day.
const DAY_S: f64 = 86_400.0;

/// A figure of a row: its name and how it follows from a summary.
type Figure = (&'static str, fn(&Summary) -> f64);

/// Figures of a row, in order.
const FIGURES: [Figure; 13] = [
    ("tps_mean", |s| s.tps_mean),
    ("tps_cv", |s| s.tps_cv),
    ("latency_ms_p95", |s| s.latency_ms_p95),
    ("latency_ms_p99", |s| s.latency_ms_p99),
    ("stall_seconds", |s| s.stall_seconds),
    ("sync_flush_seconds", |s| s.sync_flush_seconds),
    ("checkpoint_age_headroom", headroom),
    ("write_bytes_per_day", |s| s.device_write_bytes_per_s * DAY_S),
    ("recovery_s", |s| s.recovery_s),
    ("recovery_redo_bytes", |s| s.recovery_redo_bytes),
    ("recovery_pages", |s| s.recovery_pages),
    ("flushes_per_trx", |s| s.flushes_per_trx),
    ("pages_flushed_per_s_mean", |s| s.pages_flushed_per_s_mean),
];

/// A figure, and how it differs from the present setting's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// Name of the figure.
    pub metric: &'static str,
    /// Mean and interval.
    pub value: Estimate,
    /// Mean difference to the present setting, replication by replication.
    pub difference: Estimate,
    /// The same as a share of the present setting's; `None` if that is 0.
    pub relative: Option<f64>,
    /// Half-width of its 95 % interval; `None` for a single replication.
    pub relative_ci95: Option<f64>,
}

/// A setting that was tried.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The setting.
    pub point: Point,
    /// Runs of it.
    pub replications: usize,
    /// Whether all of them ran without stalls, waves and sync flushing.
    pub sound: bool,
    /// Whether it may be recommended, or stay: sound, with a reserve, and no worse than the present setting.
    pub is_answer: bool,
    /// The worst regime of them.
    pub regime: Regime,
    /// Its figures.
    pub changes: Vec<Change>,
}

impl Row {
    /// The row of a point that was run; `None` of one that was not.
    pub(super) fn of(bench: &Bench<'_>, point: Point) -> Option<Row> {
        let (trials, now) = (bench.trials(Case::AS_IS, point), bench.trials(Case::AS_IS, bench.current()));
        let regime = trials.iter().map(|trial| trial.regime).max()?;
        let changes = FIGURES.iter().map(|&(metric, figure)| {
            let values: Vec<f64> = trials.iter().map(figure).collect();
            let present: Vec<f64> = now.iter().map(figure).collect();
            let paired = Paired::of(&values, &present);
            Change {
                metric,
                value: Estimate::of(&values),
                difference: paired.difference,
                relative: paired.relative(),
                relative_ci95: paired.relative_half_width(),
            }
        });
        Some(Row {
            point,
            replications: trials.len(),
            sound: bench.is_stable(Case::AS_IS, point),
            is_answer: is_answer(bench, point),
            regime,
            changes: changes.collect(),
        })
    }

    /// Whether it leaves a tenth of the async limit in reserve.
    pub fn has_reserve(&self) -> bool {
        self.mean("checkpoint_age_headroom") >= RESERVE
    }

    /// The figure called `metric`.
    pub fn change(&self, metric: &str) -> Option<&Change> {
        self.changes.iter().find(|change| change.metric == metric)
    }

    /// Mean of the figure called `metric`; 0 if it has none.
    pub fn mean(&self, metric: &str) -> f64 {
        self.change(metric).map_or(0.0, |change| change.value.mean)
    }
}
