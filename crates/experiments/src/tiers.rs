//! A run in the coarse tier ([`innosim_flow`]), its figures, and how far they are from those of the exact tier.
//!
//! Figures of both come from rows of a second, by the same functions. Latencies are the exact tier's alone.

use crate::reproduce::Waves;
use crate::runner::{Job, Watch, Watched, run_one};
use innosim_core::kernel::time::SimDuration;
use innosim_core::metrics::{Regime, RegimeInput, SecondSample};
use innosim_core::run_spec::RunSpec;
use innosim_core::seam::{AdaptiveFlushing, AgeLimits, ServerModel};
use innosim_flow::{FlowError, FlowOutput, Refused, Servers};
use innosim_flush_models::registry::build_with_rule;
use innosim_scenario::{Diagnostics, Overrides, Scenario, Source, Warmup, load, shipped};
use innosim_statistics::median;

/// Seconds that figures leave out where the scenario does not say.
const WARMUP_S: u64 = 60;

/// Servers of a scenario.
#[derive(Debug)]
pub(crate) struct ScenarioServers<'a>(pub(crate) &'a Scenario);

impl Servers for ScenarioServers<'_> {
    fn server(&self) -> Box<dyn ServerModel> {
        self.0.build_model()
    }

    fn with_rule(&self, rule: Box<dyn AdaptiveFlushing>) -> Option<Box<dyn ServerModel>> {
        build_with_rule(&self.0.settings, rule).ok()
    }
}

/// Why the coarse tier refuses a scenario, as far as that is known before it runs.
pub fn why_refused(scenario: &Scenario) -> Option<Refused> {
    innosim_flow::accepts(&ScenarioServers(scenario), &scenario.run).err()
}

/// Runs a job in the coarse tier, unless `stop` says so on the way.
///
/// # Errors
/// [`FlowError`]: what that tier refuses, and failures of its exact parts.
pub fn run_flow(job: Job<'_>, stop: &dyn Fn() -> bool) -> Result<FlowOutput, FlowError> {
    run_flow_off_by(1.0, job, stop)
}

/// The same with a throughput that is off by `factor` wherever it is read: shows whether a check sees it.
///
/// # Errors
/// As [`run_flow`].
pub fn run_flow_off_by(factor: f64, job: Job<'_>, stop: &dyn Fn() -> bool) -> Result<FlowOutput, FlowError> {
    let spec = RunSpec { replication: job.replication, ..job.scenario.run.clone() };
    innosim_flow::run(factor, &ScenarioServers(job.scenario), &spec, stop)
}

/// What both tiers tell of a run, as means over its seconds after the warm-up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TierFigures {
    /// Transactions a second.
    pub tps: f64,
    /// Checkpoint age, bytes.
    pub checkpoint_age_bytes: f64,
    /// Dirty pages.
    pub dirty_pages: f64,
    /// Pages flushed a second.
    pub pages_flushed: f64,
    /// Those of them by sync flushing.
    pub sync_pages: f64,
    /// Lowest mean throughput of ten seconds, transactions a second.
    pub lowest_tps: f64,
    /// Share of the seconds with less than half the median throughput.
    pub stalled_share: f64,
    /// What kind of run it was.
    pub regime: Regime,
    /// First collapse and period, from the beginning of the run.
    pub waves: Waves,
}

impl TierFigures {
    /// Figures of the seconds after a scenario's warm-up; none if there are none.
    pub fn of(scenario: &Scenario, rows: &[SecondSample], limits: &AgeLimits) -> Option<TierFigures> {
        let counted = rows.get(warmup_s(scenario) as usize..).filter(|rows| !rows.is_empty())?;
        let mean = |of: fn(&SecondSample) -> u64| counted.iter().map(of).sum::<u64>() as f64 / counted.len() as f64;
        let tens =
            counted.chunks_exact(10).map(|ten| ten.iter().map(|row| row.transactions as f64).sum::<f64>() / 10.0);
        let tps = mean(|row| row.transactions);
        let seconds: Vec<f64> = counted.iter().map(|row| row.transactions as f64).collect();
        let half = median(&seconds)? / 2.0;
        Some(TierFigures {
            tps,
            checkpoint_age_bytes: mean(|row| row.checkpoint_age_bytes),
            dirty_pages: mean(|row| row.dirty_pages),
            pages_flushed: mean(|row| row.pages_flushed),
            sync_pages: mean(|row| row.sync_pages),
            lowest_tps: tens.fold(tps, f64::min),
            stalled_share: seconds.iter().filter(|tps| **tps < half).count() as f64 / seconds.len() as f64,
            regime: RegimeInput::of_samples(counted, limits).regime(),
            waves: Waves::of(rows),
        })
    }
}

/// A figure: its name in JSON, and its value where a run has it.
pub type TierFigure = (&'static str, fn(&TierFigures) -> Option<f64>);

/// The figures that are shown, in their order.
pub const TIER_FIGURES: [TierFigure; 8] = [
    ("tps", |figures| Some(figures.tps)),
    ("checkpoint_age_bytes", |figures| Some(figures.checkpoint_age_bytes)),
    ("dirty_pages", |figures| Some(figures.dirty_pages)),
    ("pages_flushed", |figures| Some(figures.pages_flushed)),
    ("sync_pages", |figures| Some(figures.sync_pages)),
    ("lowest_tps", |figures| Some(figures.lowest_tps)),
    ("first_collapse_s", |figures| figures.waves.first_collapse_s),
    ("period_s", |figures| figures.waves.period_s),
];

/// Seconds that figures of a scenario leave out.
pub fn warmup_s(scenario: &Scenario) -> u64 {
    scenario.warmup.fixed_seconds().unwrap_or(WARMUP_S)
}

/// A shipped scenario in both tiers.
#[derive(Debug)]
pub struct TierCase {
    /// The scenario.
    pub scenario: Scenario,
    /// Whether its pages were put into memory for that, where it begins without them.
    pub warmed: bool,
}

/// A shipped scenario that the coarse tier refuses.
#[derive(Debug)]
pub struct RefusedCase {
    /// Its name.
    pub scenario: String,
    /// Why.
    pub why: Refused,
}

/// All shipped scenarios that the coarse tier may be right about, those that begin with an empty buffer pool begun with a full one;
/// and the others.
///
/// # Errors
/// [`Diagnostics`] of a scenario that does not load.
pub fn shipped_cases(common: &Overrides) -> Result<(Vec<TierCase>, Vec<RefusedCase>), Diagnostics> {
    let (mut cases, mut refused) = (Vec::new(), Vec::new());
    for one in shipped() {
        let mut scenario = load(Source::Shipped(one.name), &Overrides { duration: None, ..common.clone() })?;
        let as_it_is = why_refused(&scenario);
        let warmed = matches!(as_it_is, Some(Refused::ColdStart { .. }));
        if warmed || as_it_is.is_none() {
            scenario = load(Source::Shipped(one.name), common)?;
        }
        if warmed {
            scenario.run.workload.page_sets.iter_mut().for_each(|set| set.resident_share = 1.0);
            scenario.warmup = Warmup::Fixed(SimDuration::from_secs(WARMUP_S));
        }
        match why_refused(&scenario) {
            None => cases.push(TierCase { scenario, warmed }),
            Some(why) => refused.push(RefusedCase { scenario: scenario.name, why }),
        }
    }
    Ok((cases, refused))
}

/// One replication in both tiers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BothTiers {
    /// The coarse one.
    pub flow: TierFigures,
    /// The exact one.
    pub exact: TierFigures,
    /// Exact windows of the coarse one.
    pub windows: usize,
}

impl BothTiers {
    /// Runs both; none without a second after the warm-up.
    ///
    /// # Errors
    /// As [`run_flow`].
    pub fn run(job: Job<'_>, watch: &impl Watch) -> Result<Option<BothTiers>, FlowError> {
        let flow = run_flow(job, &|| watch.go_on().is_break())?;
        let exact = run_one(job, false, &mut Watched(watch))?;
        let figures = |rows: &[SecondSample], limits: &AgeLimits| TierFigures::of(job.scenario, rows, limits);
        let both = figures(&flow.seconds, &flow.age_limits).zip(figures(&exact.series, &exact.age_limits));
        Ok(both.map(|(flow_figures, exact)| BothTiers { flow: flow_figures, exact, windows: flow.windows_at_s.len() }))
    }
}

/// How far a figure of the coarse tier is off over some replications, as a share of the exact one's mean; none where one of them has
/// no such figure, or the exact one's is nothing.
pub fn error_of(pairs: &[BothTiers], figure: impl Fn(&TierFigures) -> Option<f64>) -> Option<f64> {
    let sum = |tier: fn(&BothTiers) -> &TierFigures| pairs.iter().map(|pair| figure(tier(pair))).sum::<Option<f64>>();
    let (flow, exact) = (sum(|pair| &pair.flow)?, sum(|pair| &pair.exact)?);
    (exact > 0.0).then(|| flow / exact - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(transactions: u64) -> SecondSample {
        SecondSample { transactions, pages_flushed: 10, ..SecondSample::default() }
    }

    fn figures(rows: &[SecondSample]) -> Option<TierFigures> {
        let set = vec!["warmup=10s".to_owned()];
        let scenario = load(Source::Shipped("redo-too-small"), &Overrides { set, ..Overrides::default() });
        TierFigures::of(&scenario.expect("a shipped scenario"), rows, &AgeLimits::default())
    }

    #[test]
    fn figures_are_those_after_the_warm_up() {
        let mut rows = vec![row(100); 40];
        rows[5] = row(0);
        rows[30] = row(49);
        let figures = figures(&rows).expect("seconds after the warm-up");
        assert!((figures.tps - (29.0 * 100.0 + 49.0) / 30.0).abs() < 1e-9, "{}", figures.tps);
        assert!((figures.lowest_tps - 94.9).abs() < 1e-9, "{}", figures.lowest_tps);
        assert!((figures.stalled_share - 1.0 / 30.0).abs() < 1e-9, "{}", figures.stalled_share);
    }

    #[test]
    fn nothing_is_told_of_a_run_that_only_warms_up() {
        assert_eq!(figures(&vec![row(100); 10]), None);
    }

    #[test]
    fn an_error_is_that_of_the_means() {
        let rows = vec![row(100); 40];
        let exact = figures(&rows).expect("seconds after the warm-up");
        let flow = TierFigures { tps: 103.0, ..exact };
        let pair = |flow, exact| BothTiers { flow, exact, windows: 1 };
        let pairs = [pair(flow, exact), pair(exact, exact)];
        let error = error_of(&pairs, |figures| Some(figures.tps)).expect("both have it");
        assert!((error - 0.015).abs() < 1e-9, "{error}");
        assert_eq!(error_of(&pairs, |figures| Some(figures.sync_pages)), None, "nothing of which it could be a share");
        assert_eq!(error_of(&pairs, |figures| figures.waves.period_s), None);
    }
}
