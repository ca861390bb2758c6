//! When throughput first collapses, and how far apart the collapses are.
//!
//! **First collapse**: the first second after 300 s at which the median throughput of the last ten seconds is below half
//! of the largest such median so far.
//!
//! **Period**: the mean distance between successive minima of the throughput, smoothed by a centred mean over 61 s, from
//! the first collapse on. A minimum counts when throughput then rises by a fifth of its mean over the run, and the next
//! one when it has fallen by as much again. So a ripple is no wave, and a single collapse has no period.
//!
//! The same two rules gave the figures in the `[published]` tables of the shipped scenarios, from the published series.

use innosim_core::metrics::{BLOCK_S, SecondSample};
use innosim_statistics::{mean, median};

/// Before this second a run only fills its buffer pool.
const NOT_BEFORE_S: usize = 300;
/// Seconds on each side in the centred mean.
const SMOOTHED_S: usize = 30;
/// Least rise and fall between minima, as a share of the mean.
const LEAST_MOVE: f64 = 0.2;

/// Waves of throughput, as far as there are any.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Waves {
    /// Time of the first collapse, seconds.
    pub first_collapse_s: Option<f64>,
    /// Mean time between two minima, seconds.
    pub period_s: Option<f64>,
}

impl Waves {
    /// The waves in a series.
    pub fn of(series: &[SecondSample]) -> Waves {
        let tps: Vec<f64> = series.iter().map(|sample| sample.transactions as f64).collect();
        let Some(collapse) = first_collapse(&tps) else { return Waves::default() };
        Waves { first_collapse_s: Some(collapse as f64), period_s: period(&tps, collapse) }
    }
}

fn first_collapse(tps: &[f64]) -> Option<usize> {
    let mut largest: f64 = 0.0;
    for end in BLOCK_S..=tps.len() {
        let median = median(&tps[end - BLOCK_S..end])?;
        largest = largest.max(median);
        if end > NOT_BEFORE_S && median < largest / 2.0 {
            return Some(end);
        }
    }
    None
}

fn period(tps: &[f64], collapse: usize) -> Option<f64> {
    let around = |i: usize| &tps[i.saturating_sub(SMOOTHED_S)..(i + SMOOTHED_S + 1).min(tps.len())];
    let smooth: Vec<f64> = (0..tps.len()).filter_map(|i| mean(around(i))).collect();
    let minima = minima(&smooth, collapse.saturating_sub(2 * SMOOTHED_S), LEAST_MOVE * mean(tps)?);
    let (first, last) = (minima.first()?, minima.last()?);
    (minima.len() > 1).then(|| (last - first) as f64 / (minima.len() - 1) as f64)
}

/// Places of the minima from `start` on, between moves of at least `least`.
fn minima(values: &[f64], start: usize, least: f64) -> Vec<usize> {
    let mut found = Vec::new();
    let (mut falling, mut extreme) = (true, start);
    for (i, &value) in values.iter().enumerate().skip(start) {
        let move_on = if falling { values[extreme] - value } else { value - values[extreme] };
        if move_on > 0.0 {
            extreme = i;
        } else if -move_on > least {
            if falling {
                found.push(extreme);
            }
            falling = !falling;
            extreme = i;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(tps: impl Fn(f64) -> f64) -> Vec<SecondSample> {
        (1..=4000)
            .map(|second| SecondSample { second, transactions: tps(second as f64) as u64, ..SecondSample::default() })
            .collect()
    }

    #[test]
    fn damped_waves_have_a_first_collapse_and_a_period() {
        // Down to a third at 800 s, less deep every 600 s.
        let waves = Waves::of(&series(|s| {
            let turn = (s - 800.0) / 600.0;
            let depth = if turn < -0.5 { 0.0 } else { 6700.0 / (1.0 + 0.2 * turn) };
            10_000.0 - depth * (-(((turn - turn.round()) * 600.0 / 60.0).powi(2))).exp()
        }));
        let collapse = waves.first_collapse_s.unwrap();
        assert!((750.0..810.0).contains(&collapse), "{collapse}");
        assert!((waves.period_s.unwrap() - 600.0).abs() < 10.0, "{waves:?}");
    }

    #[test]
    fn a_ripple_is_no_wave_and_one_collapse_has_no_period() {
        assert_eq!(Waves::of(&series(|s| 8000.0 + 900.0 * (s / 60.0).sin())), Waves::default());
        let once = Waves::of(&series(|s| if (900.0..1000.0).contains(&s) { 2000.0 } else { 8000.0 }));
        assert!(once.first_collapse_s.is_some() && once.period_s.is_none(), "{once:?}");
        assert_eq!(Waves::of(&[]), Waves::default());
    }
}
