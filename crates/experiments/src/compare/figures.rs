//! What came out of a comparison: means with intervals, paired differences to the first variant.
//!
//! Intervals are 95 % by Student's t. Differences of the headline figures carry a p-value adjusted by Holm's rule over
//! all of them, variants and figures together: what is called significant holds for the whole table at once.

use super::Variant;
use crate::runner::warmup_of;
use innosim_core::metrics::{Regime, RunOutput, Summary};
use innosim_statistics::{Estimate, Paired, holm};
use serde::Serialize;

/// Figures whose differences are tested, by their name in a summary.
pub const HEADLINE: &[&str] = &[
    "tps_mean",
    "latency_ms_p95",
    "latency_ms_p99",
    "stall_seconds",
    "checkpoint_age_mean",
    "dirty_pages_mean",
    "pages_flushed_per_s_mean",
    "flushes_per_trx",
];

/// Adjusted p-values below this are called significant.
const SIGNIFICANT: f64 = 0.05;

/// Difference of a headline figure to the first variant's.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// Name of the figure.
    pub metric: &'static str,
    /// Mean difference over the replications.
    pub mean: f64,
    /// Half-width of its 95 % interval; `None` for a single replication.
    pub ci95: Option<f64>,
    /// Mean difference as a share of the first variant's mean; `None` if that is 0.
    pub relative: Option<f64>,
    /// Probability of such a difference by chance, adjusted for all differences of the comparison; `None` for a single
    /// replication.
    pub p_adjusted: Option<f64>,
    /// Whether the adjusted probability is below 5 %.
    pub significant: bool,
}

/// Figures of one variant.
#[derive(Debug, Clone)]
pub struct VariantFigures {
    /// Summary of each replication.
    pub summaries: Vec<Summary>,
    /// Most frequent regime; of equally frequent ones the most troubled.
    pub regime: Regime,
    /// Differences to the first variant, in the order of [`HEADLINE`]; empty for the first itself.
    pub differences: Vec<Difference>,
}

impl VariantFigures {
    /// Mean and interval of the figure `name`.
    pub fn estimate(&self, name: &str) -> Estimate {
        Estimate::of(&self.values(name))
    }

    /// The difference of the headline figure `metric` to the first variant's.
    pub fn difference(&self, metric: &str) -> Option<&Difference> {
        self.differences.iter().find(|difference| difference.metric == metric)
    }

    /// The figure `name` of each replication.
    pub fn values(&self, name: &str) -> Vec<f64> {
        self.summaries.iter().filter_map(|summary| summary.value(name)).collect()
    }
}

/// What came out of a comparison.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// Seconds that all figures leave out.
    pub warmup_s: u64,
    /// Whether every run was seen to settle (or the warm-up was given).
    pub warmup_converged: bool,
    /// In the order of the variants.
    pub variants: Vec<VariantFigures>,
}

impl Comparison {
    /// Figures of `outputs`, which hold for each of the `variants` its replications.
    pub fn of(variants: &[Variant], outputs: &[Vec<RunOutput>]) -> Comparison {
        let (warmup_s, warmup_converged) = common_warmup(variants, outputs);
        let mut figures: Vec<VariantFigures> = outputs
            .iter()
            .map(|runs| {
                let summaries: Vec<Summary> = runs.iter().map(|run| Summary::of(run, warmup_s)).collect();
                VariantFigures { regime: usual_regime(&summaries), summaries, differences: Vec::new() }
            })
            .collect();
        compare_with_first(&mut figures);
        Comparison { warmup_s, warmup_converged, variants: figures }
    }
}

/// The longest warm-up that any run needs.
fn common_warmup(variants: &[Variant], outputs: &[Vec<RunOutput>]) -> (u64, bool) {
    let (mut seconds, mut converged) = (0, true);
    for (variant, runs) in variants.iter().zip(outputs) {
        for warmup in runs.iter().map(|run| warmup_of(&variant.scenario, run)) {
            seconds = seconds.max(warmup.seconds);
            converged &= warmup.converged;
        }
    }
    (seconds, converged)
}

fn usual_regime(summaries: &[Summary]) -> Regime {
    let count = |regime: Regime| summaries.iter().filter(|s| s.regime == regime).count();
    summaries.iter().map(|s| s.regime).max_by_key(|&regime| (count(regime), regime)).unwrap_or_default()
}

fn compare_with_first(figures: &mut [VariantFigures]) {
    let Some((first, others)) = figures.split_first_mut() else { return };
    for other in &mut *others {
        other.differences = HEADLINE.iter().map(|metric| difference(metric, other, first)).collect();
    }
    let all = || others.iter().flat_map(|other| &other.differences).filter_map(|d| d.p_adjusted);
    let mut adjusted = holm(&all().collect::<Vec<f64>>()).into_iter();
    for difference in others.iter_mut().flat_map(|other| &mut other.differences) {
        if difference.p_adjusted.is_some() {
            difference.p_adjusted = adjusted.next();
        }
        difference.significant = difference.p_adjusted.is_some_and(|p| p < SIGNIFICANT);
    }
}

/// A difference with its p-value not adjusted yet.
fn difference(metric: &'static str, other: &VariantFigures, first: &VariantFigures) -> Difference {
    let paired = Paired::of(&other.values(metric), &first.values(metric));
    Difference {
        metric,
        mean: paired.difference.mean,
        ci95: paired.difference.half_width,
        relative: paired.relative(),
        p_adjusted: paired.difference.half_width.map(|_| paired.p_value),
        significant: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(tps: &[f64]) -> VariantFigures {
        let summaries: Vec<Summary> =
            tps.iter().map(|&tps_mean| Summary { tps_mean, regime: Regime::Steady, ..Summary::default() }).collect();
        VariantFigures { regime: usual_regime(&summaries), summaries, differences: Vec::new() }
    }

    #[test]
    fn differences_are_paired_and_corrected() {
        let mut three =
            [figures(&[100.0, 200.0, 300.0]), figures(&[101.0, 202.0, 303.0]), figures(&[90.0, 191.0, 290.0])];
        compare_with_first(&mut three);
        assert!(three[0].differences.is_empty());
        let up = three[1].difference("tps_mean").unwrap();
        assert_eq!((up.mean, up.relative), (2.0, Some(0.01)));
        // 16 differences: p = 0.0742 becomes 1, and p = 0.00116 becomes 0.0186.
        assert_eq!((up.p_adjusted, up.significant), (Some(1.0), false));
        let down = three[2].difference("tps_mean").unwrap();
        assert!((down.mean + 29.0 / 3.0).abs() < 1e-9);
        assert!(down.significant && (down.p_adjusted.unwrap() - 0.0190).abs() < 5e-4, "{down:?}");
    }

    #[test]
    fn a_single_replication_claims_nothing() {
        let mut two = [figures(&[100.0]), figures(&[150.0])];
        compare_with_first(&mut two);
        let up = two[1].difference("tps_mean").unwrap();
        assert_eq!((up.mean, up.ci95, up.p_adjusted, up.significant), (50.0, None, None, false));
    }

    #[test]
    fn the_usual_regime_is_the_frequent_one_and_in_doubt_the_worse() {
        let of = |regimes: &[Regime]| {
            usual_regime(&regimes.iter().map(|&regime| Summary { regime, ..Summary::default() }).collect::<Vec<_>>())
        };
        assert_eq!(of(&[Regime::Steady, Regime::Waves, Regime::Steady]), Regime::Steady);
        assert_eq!(of(&[Regime::Steady, Regime::Waves]), Regime::Waves);
    }
}
