//! What kind of run it was, by a rule.
//!
//! The rule looks at the time after warm-up and takes the first line that holds:
//!
//! | regime | when |
//! |---|---|
//! | `overloaded` | the queue of an open drive grows to the end (each quarter's median above the one before it, by a second's worth of work in all), or never falls below a second's worth of work in the last half |
//! | `idle` | less than one transaction a second |
//! | `waves` | there was pressure from the checkpoint age, and throughput swings slowly, stalls quickly or is nothing in most seconds |
//! | `rippled` | the 10-second medians vary by more than 4 %, and by more than the noise within blocks explains, or the seconds of most blocks scatter by more than 25 %, or most seconds are without a transaction |
//! | `steady` | otherwise |
//!
//! *Pressure*: sync flushing ran, a user thread had to wait for a checkpoint, or the checkpoint age reached the age at
//! which sync flushing starts. A swing without it is the workload's own (a step, a spike) and counts as a ripple. A
//! recording that shows throughput alone can't tell, and is judged by throughput alone.
//!
//! *Swings slowly*: over the 10-second medians (max - min) / mean is above 0.25, and the medians, smoothed by a running
//! median of three, turn at least once: a move of a fifth of the mean, then a move of as much the other way. A step or
//! a late warm-up makes one move and so no wave. The move must also be four times the noise of a block's median, as the
//! scatter within blocks shows it: throughput of ten transactions a second swings by chance.
//!
//! *Stalls quickly*: furious flushing can stop the server for a second or two every few seconds, and the 10-second
//! medians don't see it. At least three separate stalls that take 2 % of the seconds count as waves too. A stalled
//! second has less than half the median, and less than chance allows. Only with pressure known from the series: dips in
//! a recording may come from the monitoring.
//!
//! The thresholds are judgement. On published runs of MySQL 8.0 on a SATA SSD they leave room on both sides: the runs
//! called waves by their author swing by 0.36 to 0.69 in any window of a thousand seconds or more after the ramp, the
//! smooth ones by 0.04 to 0.21.

use super::order::{mean, median, quantile, standard_deviation};
use crate::metrics::SecondSample;
use crate::seam::AgeLimits;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Seconds in the blocks whose medians are looked at.
pub const BLOCK_S: usize = 10;
/// Least (max - min) / mean of the 10-second medians in waves.
const WAVE_SWING: f64 = 0.25;
/// Least move between turning points in waves, as a share of the mean.
const WAVE_MOVE: f64 = 0.20;
/// Least move between turning points in waves, in standard errors of a block's median.
const WAVE_NOISE: f64 = 4.0;
/// Least number of separate stalls in quick waves.
const STALLS: usize = 3;
/// Least share of stalled seconds in quick waves.
const STALL_SHARE: f64 = 0.02;
/// Least coefficient of variation of the 10-second medians in a rippled run.
const RIPPLE_CV: f64 = 0.04;
/// The same in standard errors of a block's median.
const RIPPLE_NOISE: f64 = 1.5;
/// Least standard deviation of the seconds of the typical block in a rippled run, as a share of the mean.
const SCATTER_CV: f64 = 0.25;
/// The same in standard deviations that chance explains.
const SCATTER_CHANCE: f64 = 3.0;
/// Below this many transactions a second, mean, a server is idle.
const IDLE_TPS: f64 = 1.0;

/// What kind of run it was. The [module page](self) has the rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Regime {
    /// Next to no transactions.
    #[default]
    Idle,
    /// Throughput holds a level.
    Steady,
    /// Throughput varies, without the checkpoint age forcing it down and up.
    Rippled,
    /// Throughput collapses and recovers as the checkpoint age meets its limit.
    Waves,
    /// Work arrives faster than it is done.
    Overloaded,
}

impl Regime {
    /// The name in `summary.json`.
    pub const fn name(self) -> &'static str {
        match self {
            Regime::Idle => "idle",
            Regime::Steady => "steady",
            Regime::Rippled => "rippled",
            Regime::Waves => "waves",
            Regime::Overloaded => "overloaded",
        }
    }
}

impl fmt::Display for Regime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What the rule looks at: series without warm-up, a value a second. A recording fills in what it has.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RegimeInput {
    /// Transactions a second.
    pub tps: Vec<f64>,
    /// Transactions waiting at the end of each second, of an open drive; empty if unknown or closed.
    pub waiting: Vec<f64>,
    /// Whether the checkpoint age put pressure on the server (module page); `None` if unknown.
    pub pressure: Option<bool>,
}

impl RegimeInput {
    /// From simulated seconds, warm-up already left out.
    pub fn of_samples(samples: &[SecondSample], limits: &AgeLimits) -> RegimeInput {
        let start = limits.sync_flush_start_bytes;
        let pressed = |s: &SecondSample| {
            s.sync_flushing || s.free_check_waits > 0 || (start > 0 && s.oldest_page_age_bytes >= start)
        };
        RegimeInput {
            tps: samples.iter().map(|s| s.transactions as f64).collect(),
            waiting: samples.iter().map(|s| s.arrivals_waiting as f64).collect(),
            pressure: Some(samples.iter().any(pressed)),
        }
    }

    /// Applies the rule.
    pub fn regime(&self) -> Regime {
        let level = mean(&self.tps);
        if self.overloaded(level) {
            Regime::Overloaded
        } else if level < IDLE_TPS {
            Regime::Idle
        } else if median(&self.tps) == 0.0 {
            if self.pressure == Some(false) { Regime::Rippled } else { Regime::Waves }
        } else if self.swings_slowly() || self.stalls_quickly() {
            Regime::Waves
        } else if self.ripples() {
            Regime::Rippled
        } else {
            Regime::Steady
        }
    }

    fn overloaded(&self, level: f64) -> bool {
        let quarter = self.waiting.len() / 4;
        if quarter == 0 {
            return false;
        }
        // At least ten, so that a trickle of transactions that queue by chance is no overload.
        let second_of_work = level.max(10.0);
        let medians: Vec<f64> = self.waiting.chunks_exact(quarter).take(4).map(median).collect();
        let grows = medians.windows(2).all(|pair| pair[1] > pair[0]) && medians[3] - medians[0] >= second_of_work;
        let last_half = &self.waiting[self.waiting.len() / 2..];
        grows || last_half.iter().all(|&w| w >= second_of_work)
    }

    fn swings_slowly(&self) -> bool {
        let medians = block_medians(&self.tps);
        let level = mean(&medians);
        let swing = quantile(&medians, 1.0) - quantile(&medians, 0.0);
        let least_move = (WAVE_MOVE * level).max(WAVE_NOISE * median_noise(&self.tps));
        self.pressure != Some(false) && swing > WAVE_SWING * level && moves(&running_median(&medians), least_move) >= 2
    }

    fn stalls_quickly(&self) -> bool {
        let typical = median(&self.tps);
        // Four standard deviations of a Poisson count.
        let chance = typical - 4.0 * typical.sqrt();
        let stalled: Vec<bool> = self.tps.iter().map(|&t| t < typical / 2.0 && t < chance).collect();
        let seconds = stalled.iter().filter(|&&s| s).count();
        let separate = stalled.windows(2).filter(|pair| pair[1] && !pair[0]).count();
        self.pressure == Some(true) && separate >= STALLS && seconds as f64 >= STALL_SHARE * self.tps.len() as f64
    }

    fn ripples(&self) -> bool {
        let medians = block_medians(&self.tps);
        let spread = standard_deviation(&medians);
        let moves = spread > RIPPLE_CV * mean(&medians) && spread > RIPPLE_NOISE * median_noise(&self.tps);
        moves || self.seconds_scatter()
    }

    /// Whether single seconds are far apart in most blocks, by more than chance.
    fn seconds_scatter(&self) -> bool {
        let (level, scatter) = (mean(&self.tps), typical_scatter(&self.tps));
        scatter > SCATTER_CV * level && scatter > SCATTER_CHANCE * level.sqrt()
    }
}

/// Medians over consecutive blocks of [`BLOCK_S`] seconds. A last block that is not full is left out, unless it is the
/// only one.
pub fn block_medians(per_second: &[f64]) -> Vec<f64> {
    if per_second.len() < BLOCK_S {
        return per_second.chunks(BLOCK_S).map(median).collect();
    }
    per_second.chunks_exact(BLOCK_S).map(median).collect()
}

/// Standard deviation of the seconds of the typical block, by their quartiles.
fn typical_scatter(per_second: &[f64]) -> f64 {
    let scatter = |block: &[f64]| (quantile(block, 0.75) - quantile(block, 0.25)) / 1.349;
    median(&per_second.chunks_exact(BLOCK_S).map(scatter).collect::<Vec<f64>>())
}

/// Standard error of a block's median as the scatter within blocks shows it: of the typical block, so that a few blocks
/// in which the level itself moves don't count as noise.
fn median_noise(per_second: &[f64]) -> f64 {
    // 1.2533 = sqrt(pi / 2), the price of a median against a mean.
    1.2533 * typical_scatter(per_second) / (BLOCK_S as f64).sqrt()
}

/// Running median of three; at the ends, of two.
fn running_median(values: &[f64]) -> Vec<f64> {
    (0..values.len()).map(|i| median(&values[i.saturating_sub(1)..(i + 2).min(values.len())])).collect()
}

/// Number of moves between turning points, each of at least `least`, in turn up and down.
fn moves(values: &[f64], least: f64) -> usize {
    let Some(&first) = values.first() else { return 0 };
    let (mut low, mut high) = (first, first);
    let mut count = 0;
    let mut last_up = None;
    for &v in values {
        low = low.min(v);
        high = high.max(v);
        let down = last_up != Some(false) && high - v >= least;
        let up = last_up != Some(true) && v - low >= least;
        if down || up {
            count += 1;
            last_up = Some(up);
            (low, high) = (v, v);
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(tps: impl Fn(usize) -> f64, pressure: Option<bool>) -> RegimeInput {
        RegimeInput { tps: (0..600).map(tps).collect(), waiting: Vec::new(), pressure }
    }

    /// 100 s at 1000 tps, 100 s at 400 tps, and so on.
    fn square(s: usize) -> f64 {
        if (s / 100).is_multiple_of(2) { 1000.0 } else { 400.0 }
    }

    /// A small generator of uniform 0..1 that has no use beyond this test.
    fn scatter(s: usize) -> f64 {
        let x = (s as u64).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let x = (x ^ (x >> 31)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (x >> 40) as f64 / (1u64 << 24) as f64
    }

    #[test]
    fn waves_need_pressure() {
        assert_eq!(input(square, Some(true)).regime(), Regime::Waves);
        assert_eq!(input(square, None).regime(), Regime::Waves);
        assert_eq!(input(square, Some(false)).regime(), Regime::Rippled);
    }

    #[test]
    fn one_step_is_no_wave() {
        let step = |s| if s < 300 { 1000.0 } else { 600.0 };
        assert_eq!(input(step, Some(true)).regime(), Regime::Rippled);
        let ramp = |s| 500.0 + s as f64;
        assert_eq!(input(ramp, Some(true)).regime(), Regime::Rippled);
    }

    #[test]
    fn small_swings_ripple_and_smaller_ones_are_steady() {
        // 10 s medians of 1000 and 1000 + d: cv = d / 2 / (1000 + d / 2); 4 % at d = 83.3.
        let swing = |d: f64| move |s: usize| if (s / 50).is_multiple_of(2) { 1000.0 } else { 1000.0 + d };
        assert_eq!(input(swing(90.0), Some(true)).regime(), Regime::Rippled);
        assert_eq!(input(swing(80.0), Some(true)).regime(), Regime::Steady);
    }

    #[test]
    fn noise_of_few_transactions_is_steady() {
        let noisy = |s| (scatter(s) * 21.0).floor();
        let medians = block_medians(&input(noisy, None).tps);
        assert!(standard_deviation(&medians) > RIPPLE_CV * mean(&medians), "the noise is worth guarding against");
        assert_eq!(input(noisy, Some(true)).regime(), Regime::Steady);
    }

    #[test]
    fn seconds_that_alternate_are_no_steady_line() {
        let alternate = |low: f64| move |s: usize| if s.is_multiple_of(2) { low } else { 1000.0 };
        assert_eq!(input(alternate(600.0), Some(false)).regime(), Regime::Rippled);
        assert_eq!(input(alternate(900.0), Some(false)).regime(), Regime::Steady);
    }

    #[test]
    fn quick_stalls_under_pressure_are_waves() {
        // Two stalled seconds of every 20: 10 %, and no 10 s median sees them.
        let stalls = |s| if s % 20 < 2 { 10.0 } else { 1000.0 };
        assert_eq!(input(stalls, Some(true)).regime(), Regime::Waves);
        assert_eq!(input(stalls, Some(false)).regime(), Regime::Steady);
        assert_eq!(input(stalls, None).regime(), Regime::Steady);
    }

    #[test]
    fn nothing_done_is_idle_unless_work_waits() {
        assert_eq!(input(|_| 0.0, Some(false)).regime(), Regime::Idle);
        assert_eq!(RegimeInput::default().regime(), Regime::Idle);
        let stuck = RegimeInput { waiting: (0..600).map(|s| s as f64 * 5.0).collect(), ..input(|_| 0.0, None) };
        assert_eq!(stuck.regime(), Regime::Overloaded);
    }

    #[test]
    fn a_queue_that_drains_is_no_overload() {
        let growing = RegimeInput { waiting: (0..600).map(|s| s as f64 * 10.0).collect(), ..input(|_| 1000.0, None) };
        assert_eq!(growing.regime(), Regime::Overloaded);
        let drains =
            RegimeInput { waiting: (0..600).map(|s| (s % 200) as f64 * 10.0).collect(), ..input(|_| 1000.0, None) };
        assert_eq!(drains.regime(), Regime::Steady);
        let pinned = RegimeInput { waiting: vec![5000.0; 600], ..input(|_| 1000.0, None) };
        assert_eq!(pinned.regime(), Regime::Overloaded);
    }

    #[test]
    fn moves_by_hand() {
        assert_eq!(moves(&[5.0, 9.0, 1.0, 6.0, 5.0, 6.0], 4.0), 3);
        assert_eq!(moves(&[5.0, 6.0, 7.0, 8.0, 9.0], 4.0), 1);
        assert_eq!(moves(&[9.0, 7.0, 5.0, 3.0, 1.0, 2.0], 4.0), 1);
        assert_eq!(moves(&[], 1.0), 0);
    }

    #[test]
    fn blocks_by_hand() {
        let mut v = vec![1.0; 10];
        v.extend([2.0; 10]);
        v.extend([99.0; 9]);
        assert_eq!(block_medians(&v), [1.0, 2.0]);
        assert_eq!(block_medians(&[3.0, 5.0]), [4.0]);
        assert!(block_medians(&[]).is_empty());
    }
}
