//! Both ways of keeping pages, beside each other: a scenario run with its pages kept one by one, and counted.
//!
//! The two engines draw different random numbers, so their runs differ as runs with other seeds do. They agree if no figure
//! differs by more than [`TOLERANCE`] and by more than chance: Student's test over the replications, corrected by Holm's rule
//! for all figures of all scenarios together. Figures are means, quantiles of the seconds (the distribution, not only its
//! mean), and for waves the first collapse and the period.

use crate::reproduce::Waves;
use crate::runner::{Job, in_parallel, run_one, run_until};
use innosim_core::metrics::{PagesKept, Regime, RunOutput, SecondSample, Summary};
use innosim_core::run_spec::{Pages, RunSpec};
use innosim_core::seam::AgeLimits;
use innosim_core::server::{RunError, Silent};
use innosim_scenario::Scenario;
use innosim_statistics::{Paired, holm, mean};

/// Relative difference that is none.
pub const TOLERANCE: f64 = 0.003;
/// Adjusted probabilities below this are not chance.
const SIGNIFICANT: f64 = 0.05;
/// Figures of a summary that are compared.
const FIGURES: &[&str] = &[
    "tps_mean",
    "latency_ms_mean",
    "latency_ms_p95",
    "latency_ms_p99",
    "checkpoint_age_mean",
    "dirty_pages_mean",
    "pages_flushed_per_s_mean",
    "pages_flushed_sync",
    "redo_bytes_per_trx",
    "data_fsyncs",
    "free_check_waits",
    "stall_seconds",
];
/// Quantiles of the seconds that are compared, with their names for throughput and for dirty pages.
const QUANTILES: [(f64, &str, &str); 3] = [
    (0.05, "tps of seconds, 5 %", "dirty pages of seconds, 5 %"),
    (0.5, "tps of seconds, 50 %", "dirty pages of seconds, 50 %"),
    (0.95, "tps of seconds, 95 %", "dirty pages of seconds, 95 %"),
];

/// One figure, both ways.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Its name.
    pub name: &'static str,
    /// Mean over the replications with pages one by one.
    pub individual: f64,
    /// Mean with counted pages.
    pub counted: f64,
    /// Difference as a share of the mean with pages one by one, if that is not 0.
    pub relative: Option<f64>,
    /// Half-width of its 95 % interval.
    pub half_width: Option<f64>,
    /// Probability of such a difference by chance, adjusted for all figures of all scenarios.
    pub p_adjusted: f64,
}

impl Figure {
    /// Whether the two agree.
    pub fn agrees(&self) -> bool {
        self.p_adjusted >= SIGNIFICANT || self.relative.is_some_and(|relative| relative.abs() <= TOLERANCE)
    }
}

/// A scenario, both ways.
#[derive(Debug, Clone)]
pub struct BothWays {
    /// Its name.
    pub scenario: String,
    /// How the counted runs kept their pages.
    pub kept: PagesKept,
    /// Regimes of the replications, one by one and counted.
    pub regimes: [Vec<Regime>; 2],
    /// Its figures.
    pub figures: Vec<Figure>,
}

impl BothWays {
    /// The figures that differ.
    pub fn differing(&self) -> impl Iterator<Item = &Figure> {
        self.figures.iter().filter(|figure| !figure.agrees())
    }

    /// The regime of most replications, one by one and counted.
    pub fn regimes(&self) -> [Regime; 2] {
        self.regimes.each_ref().map(|regimes| {
            let count = |regime: Regime| regimes.iter().filter(|other| **other == regime).count();
            regimes.iter().copied().max_by_key(|&regime| (count(regime), regime)).unwrap_or_default()
        })
    }
}

/// A scenario with what its counted runs are told, if that is something else than the scenario says: a test of the test.
#[derive(Debug, Clone)]
pub struct Case {
    /// The scenario; its replications are made.
    pub scenario: Scenario,
    /// What the counted runs are.
    pub counted: RunSpec,
}

impl Case {
    /// Both ways of the same.
    pub fn of(scenario: Scenario) -> Case {
        Case { counted: scenario.run.clone(), scenario }
    }
}

/// How a scenario's pages are kept where they are counted as far as they can be.
///
/// # Errors
/// [`RunError`] if an invariant broke in the second that this takes.
pub fn kept(scenario: &Scenario) -> Result<PagesKept, RunError> {
    let mut scenario = scenario.clone();
    scenario.run.pages = Pages::Counted;
    // Whether the data fit the pool to the end of the run decides, so that its length stays as it is.
    let enough = &mut |_: &[SecondSample], _: &AgeLimits| true;
    run_until(Job { scenario: &scenario, replication: 0 }, false, &mut Silent, enough).map(|output| output.pages)
}

/// Runs all replications of the cases both ways on the threads of the pool around the call.
///
/// # Errors
/// [`RunError`] of the first run that broke an invariant.
pub fn compare(cases: &[Case]) -> Result<Vec<BothWays>, RunError> {
    let runs: Vec<(&Case, Pages, u32)> = cases
        .iter()
        .flat_map(|case| {
            let replications = 0..case.scenario.replications;
            let both = move |replication| [Pages::Individual, Pages::Counted].map(|pages| (case, pages, replication));
            replications.flat_map(both)
        })
        .collect();
    let outputs: Result<Vec<RunOutput>, RunError> = in_parallel(&runs, |&(case, pages, replication)| {
        let plain = if pages == Pages::Counted { &case.counted } else { &case.scenario.run };
        let mut scenario = case.scenario.clone();
        scenario.run = RunSpec { pages, ..plain.clone() };
        run_one(Job { scenario: &scenario, replication }, false, &mut Silent)
    })
    .into_iter()
    .collect();
    let mut outputs = outputs?.into_iter();
    let mut rows: Vec<BothWays> = Vec::new();
    for case in cases {
        let (mut individual, mut counted) = (Vec::new(), Vec::new());
        for _ in 0..case.scenario.replications {
            individual.extend(outputs.next());
            counted.extend(outputs.next());
        }
        rows.push(both_ways(&case.scenario, &individual, &counted));
    }
    adjust(&mut rows);
    Ok(rows)
}

/// What is compared of a run: its summary, and what the seconds say beyond it.
type OneRun = (Summary, Vec<(&'static str, Option<f64>)>);

fn both_ways(scenario: &Scenario, individual: &[RunOutput], counted: &[RunOutput]) -> BothWays {
    let warmup_s = scenario.warmup.fixed_seconds().unwrap_or(0);
    let of = |outputs: &[RunOutput]| -> Vec<OneRun> {
        outputs.iter().map(|output| (Summary::of(output, warmup_s), of_series(&output.series, warmup_s))).collect()
    };
    let runs = [of(individual), of(counted)];
    let values = |way: usize, figure: &dyn Fn(&OneRun) -> Option<f64>| {
        runs[way].iter().map(figure).collect::<Option<Vec<f64>>>()
    };
    let figure = |name: &'static str, get: &dyn Fn(&OneRun) -> Option<f64>| {
        let (one, other) = (values(0, get)?, values(1, get)?);
        let paired = Paired::of(&other, &one);
        Some(Figure {
            name,
            individual: mean(&one)?,
            counted: mean(&other)?,
            relative: paired.relative(),
            half_width: paired.relative_half_width(),
            p_adjusted: if one == other { 1.0 } else { paired.p_value },
        })
    };
    let summed = FIGURES.iter().filter_map(|&name| figure(name, &|run| run.0.value(name)));
    let series = runs[0].first().map(|run| run.1.iter().map(|(name, _)| *name).collect()).unwrap_or_else(Vec::new);
    let of_seconds = series.into_iter().filter_map(|name| {
        figure(name, &|run| run.1.iter().find(|(own, _)| *own == name).and_then(|(_, value)| *value))
    });
    BothWays {
        scenario: scenario.name.clone(),
        kept: counted.first().map(|output| output.pages).unwrap_or_default(),
        figures: summed.chain(of_seconds).collect(),
        regimes: [0, 1].map(|way| runs[way].iter().map(|run| run.0.regime).collect()),
    }
}

/// What the seconds say beyond a summary.
fn of_series(series: &[SecondSample], warmup_s: u64) -> Vec<(&'static str, Option<f64>)> {
    let after = &series[(warmup_s as usize).min(series.len())..];
    let quantile = |share: f64, value: fn(&SecondSample) -> f64| {
        let mut values: Vec<f64> = after.iter().map(value).collect();
        values.sort_by(f64::total_cmp);
        values.get(((values.len() as f64 * share) as usize).min(values.len().saturating_sub(1))).copied()
    };
    let waves = Waves::of(series);
    let mut figures = vec![("first collapse, s", waves.first_collapse_s), ("period of waves, s", waves.period_s)];
    for (share, throughput, dirty) in QUANTILES {
        figures.push((throughput, quantile(share, |second| second.transactions as f64)));
        figures.push((dirty, quantile(share, |second| second.dirty_pages as f64)));
    }
    figures
}

/// Corrects for the number of comparisons.
fn adjust(rows: &mut [BothWays]) {
    let all: Vec<f64> = rows.iter().flat_map(|row| &row.figures).map(|figure| figure.p_adjusted).collect();
    let adjusted = holm(&all);
    for (figure, p) in rows.iter_mut().flat_map(|row| &mut row.figures).zip(adjusted) {
        figure.p_adjusted = p;
    }
}
