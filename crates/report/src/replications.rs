//! Several replications of one run as one summary: means, and how far they can be trusted.
//!
//! Every number becomes its mean over the replications, extremes too: `tps_min` is the mean of the worst seconds, not
//! the worst of all, so that it doesn't fall just because more replications were run. Beside each stands the half-width
//! of its 95 % confidence interval by Student's t, which assumes the replications independent (they have random streams
//! of their own) and their means near normal. Limits are settings, not means, and get no interval.

use innosim_core::metrics::{Regime, Summary};
use innosim_statistics::Estimate;

/// What several replications say together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Replications {
    /// Mean of every number; the most frequent regime, of equally frequent ones the most troubled.
    pub summary: Summary,
    /// Half-widths of the 95 % confidence intervals, by name of the field; empty for a single replication.
    pub ci95: Vec<(&'static str, f64)>,
    /// How many replications showed each regime, in the order of [`Regime`].
    pub regimes: Vec<(Regime, usize)>,
}

impl Replications {
    /// Brings `runs` together. Of no runs, all is zero.
    pub fn of(runs: &[Summary]) -> Replications {
        let mut regimes: Vec<(Regime, usize)> = Vec::new();
        let mut seen: Vec<Regime> = runs.iter().map(|r| r.regime).collect();
        seen.sort();
        for group in seen.chunk_by(|a, b| a == b) {
            regimes.push((group[0], group.len()));
        }
        let regime = regimes.iter().max_by_key(|&&(regime, n)| (n, regime)).map_or(Regime::Idle, |&(regime, _)| regime);
        let moments: Vec<(&'static str, f64, f64)> = columns(runs);
        let mean_of = |name| moments.iter().find(|(n, ..)| *n == name).map_or(0.0, |&(_, mean, _)| mean);
        let ci95 = if runs.len() < 2 {
            Vec::new()
        } else {
            moments.iter().filter(|(n, ..)| !n.ends_with("_limit")).map(|&(n, _, half)| (n, half)).collect()
        };
        Replications { summary: Summary::from_fn(regime, mean_of), ci95, regimes }
    }

    /// Half-width of the 95 % confidence interval of the field `name`, if it has one.
    pub fn half_width(&self, name: &str) -> Option<f64> {
        self.ci95.iter().find(|(n, _)| *n == name).map(|&(_, half)| half)
    }
}

/// Name, mean and half-width of every field.
fn columns(runs: &[Summary]) -> Vec<(&'static str, f64, f64)> {
    let rows: Vec<Vec<f64>> = runs.iter().map(|r| r.values().map(|v| v.value).collect()).collect();
    let estimate = |i: usize| Estimate::of(&rows.iter().map(|row| row[i]).collect::<Vec<f64>>());
    let column = |(i, &name): (usize, &&'static str)| {
        let Estimate { mean, half_width, .. } = estimate(i);
        (name, mean, half_width.unwrap_or(0.0))
    };
    Summary::NAMES.iter().enumerate().map(column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(tps_mean: f64, regime: Regime) -> Summary {
        Summary { tps_mean, regime, age_async_limit: 7.0, ..Summary::default() }
    }

    #[test]
    fn by_hand() {
        // 98, 100, 102: standard deviation 2, standard error 2 / sqrt(3), t with 2 degrees 4.3027.
        let all = Replications::of(&[run(98.0, Regime::Waves), run(100.0, Regime::Steady), run(102.0, Regime::Waves)]);
        assert_eq!(all.summary.tps_mean, 100.0);
        assert!((all.half_width("tps_mean").unwrap() - 4.968_33).abs() < 1e-4);
        assert_eq!(all.half_width("age_async_limit"), None);
        assert_eq!(all.summary.regime, Regime::Waves);
        assert_eq!(all.regimes, [(Regime::Steady, 1), (Regime::Waves, 2)]);
    }

    #[test]
    fn one_run_is_itself_and_claims_no_interval() {
        let one = run(98.5, Regime::Rippled);
        let all = Replications::of(std::slice::from_ref(&one));
        assert_eq!(all.summary, one);
        assert!(all.ci95.is_empty());
    }

    #[test]
    fn a_tie_goes_to_the_worse() {
        assert_eq!(
            Replications::of(&[run(1.0, Regime::Steady), run(1.0, Regime::Waves)]).summary.regime,
            Regime::Waves
        );
    }
}
