//! Scores: figures of a rule in a case, beside those of the server's own rule.

use super::{Bench, RunFigures, SUITE, Trial};
use innosim_statistics::{Estimate, Paired};

/// A figure of a rule in a case, and how it compares with the server's own rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// Mean over the replications.
    pub mean: f64,
    /// Difference to the server's own rule as a share of that; `None` where that is 0.
    pub relative: Option<f64>,
    /// Half-width of its 95 % interval, paired.
    pub half_width: Option<f64>,
}

/// How a rule did in a case.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// The case.
    pub case: usize,
    /// The entrant.
    pub entrant: usize,
    /// Why there are no figures.
    pub failure: Option<String>,
    /// By name, in the order of [`Score::NAMES`]; empty if it failed.
    pub figures: Vec<(&'static str, Figure)>,
}

type Measure = fn(&RunFigures) -> f64;

/// How many pages were written for each that no rule could have spared.
const BOUND: &str = "distance_to_bound";

/// What is measured of each run.
const MEASURES: [(&str, Measure); 6] = [
    ("tps", |run| run.summary.tps_mean),
    ("latency_ms_p99", |run| run.summary.latency_ms_p99),
    ("stall_seconds", |run| run.summary.stall_seconds),
    ("page_writes_per_trx", |run| run.summary.flushes_per_trx),
    (BOUND, |run| run.written as f64 / run.least as f64),
    ("recovery_redo_bytes", |run| run.summary.checkpoint_age_mean),
];

impl Score {
    /// Names of the figures.
    pub const NAMES: [&'static str; 7] = [
        "tps",
        "latency_ms_p99",
        "stall_seconds",
        "page_writes_per_trx",
        BOUND,
        "recovery_redo_bytes",
        "tps_kept_on_slower_device",
    ];

    fn of(case: usize, entrant: usize, trial: &Trial, own: &Trial) -> Score {
        let mut score = Score { case, entrant, failure: trial.failure.clone(), figures: Vec::new() };
        if score.failure.is_some() || own.failure.is_some() {
            return score;
        }
        for (name, measure) in MEASURES {
            // A run that is shorter than its redo log forces no write: there is no bound to be far from.
            if name == BOUND && trial.runs.iter().chain(&own.runs).any(|run| run.least == 0) {
                continue;
            }
            let values = |trial: &Trial| trial.runs.iter().map(measure).collect::<Vec<f64>>();
            let (mine, theirs) = (values(trial), values(own));
            let paired = Paired::of(&mine, &theirs);
            let figure = Figure {
                mean: Estimate::of(&mine).mean,
                relative: paired.relative(),
                half_width: paired.relative_half_width(),
            };
            score.figures.push((name, figure));
        }
        if let (Some(mine), Some(theirs)) = (kept(trial), kept(own)) {
            let relative = (theirs != 0.0).then(|| mine / theirs - 1.0);
            score.figures.push(("tps_kept_on_slower_device", Figure { mean: mine, relative, half_width: None }));
        }
        score
    }

    /// A figure by its name.
    pub fn figure(&self, name: &str) -> Option<Figure> {
        self.figures.iter().find(|(known, _)| *known == name).map(|(_, figure)| *figure)
    }
}

/// Share of the throughput that is left on the slower device, under the same random numbers.
fn kept(trial: &Trial) -> Option<f64> {
    let (slower, usual) = (trial.slower.as_ref()?, trial.runs.first()?);
    (usual.summary.tps_mean > 0.0).then(|| slower.summary.tps_mean / usual.summary.tps_mean)
}

impl Bench {
    /// All scores, case by case, in the order of the entrants.
    pub fn scores(&self) -> Vec<Score> {
        let of_case = |case: usize| {
            let trials = &self.trials[case];
            trials.iter().enumerate().map(move |(entrant, trial)| Score::of(case, entrant, trial, &trials[0]))
        };
        (0..SUITE.len()).flat_map(of_case).collect()
    }
}

/// Where a rule stands over all cases.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// The entrant.
    pub entrant: usize,
    /// Cases with figures.
    pub cases: usize,
    /// Geometric mean over the cases of throughput relative to the server's own rule.
    pub tps: f64,
    /// The same of page writes a transaction.
    pub page_writes: f64,
    /// The same of the 99th percentile of latency.
    pub latency_p99: f64,
    /// Seconds of stall over all cases, mean of the replications.
    pub stall_seconds: f64,
    /// Geometric mean of the distance to the bound, over the cases that have one.
    pub distance: Option<f64>,
    /// Cases in which throughput is higher, and lower, than with the server's own rule, by more than the paired interval.
    pub wins: usize,
    /// See `wins`.
    pub losses: usize,
    /// The worst case of throughput, and how it compares there.
    pub worst: Option<(usize, f64)>,
}

/// Where each rule stands: those with figures in all cases first, in falling order of throughput.
pub fn standings(entrants: usize, scores: &[Score]) -> Vec<Standing> {
    let mut all: Vec<Standing> = (0..entrants).map(|entrant| standing(entrant, scores)).collect();
    all.sort_by(|a, b| (b.cases, b.tps).partial_cmp(&(a.cases, a.tps)).unwrap_or(a.entrant.cmp(&b.entrant)));
    all
}

fn standing(entrant: usize, scores: &[Score]) -> Standing {
    let mine: Vec<&Score> = scores.iter().filter(|s| s.entrant == entrant && !s.figures.is_empty()).collect();
    let relative = |name: &'static str| {
        mine.iter().filter_map(move |score| score.figure(name)?.relative).map(|relative| 1.0 + relative)
    };
    let tps = |score: &&&Score| score.figure("tps");
    let clear = |score: &&&Score| {
        tps(score).is_some_and(|figure| {
            figure.relative.zip(figure.half_width).is_some_and(|(r, half)| r.abs() > half && r.abs() > 0.001)
        })
    };
    let better = |score: &&&Score| tps(score).and_then(|figure| figure.relative).is_some_and(|r| r > 0.0);
    let of_case = |score: &&Score| Some((score.case, score.figure("tps")?.relative?));
    Standing {
        entrant,
        cases: mine.len(),
        tps: geometric(relative("tps")),
        page_writes: geometric(relative("page_writes_per_trx")),
        latency_p99: geometric(relative("latency_ms_p99")),
        stall_seconds: mine.iter().filter_map(|score| score.figure("stall_seconds")).map(|figure| figure.mean).sum(),
        distance: distances(&mine).next().is_some().then(|| geometric(distances(&mine))),
        wins: mine.iter().filter(clear).filter(better).count(),
        losses: mine.iter().filter(clear).filter(|score| !better(score)).count(),
        worst: mine.iter().filter_map(of_case).min_by(|a, b| a.1.total_cmp(&b.1)),
    }
}

fn distances<'a>(scores: &'a [&Score]) -> impl Iterator<Item = f64> + 'a {
    scores.iter().filter_map(|score| score.figure(BOUND)).map(|figure| figure.mean)
}

/// Geometric mean; 1 of nothing.
fn geometric(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for value in values {
        sum += libm::log(value.max(1e-9));
        count += 1.0;
    }
    if count == 0.0 { 1.0 } else { libm::exp(sum / count) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use innosim_core::metrics::Summary;

    fn trial(tps: &[f64], failure: Option<&str>) -> Trial {
        let run = |&tps: &f64| RunFigures {
            summary: Summary { tps_mean: tps, flushes_per_trx: 0.5, ..Summary::default() },
            written: 300,
            least: 100,
        };
        let runs: Vec<RunFigures> = tps.iter().map(run).collect();
        Trial {
            slower: runs.first().map(|first| run(&(first.summary.tps_mean * 0.8))),
            runs,
            failure: failure.map(str::to_owned),
        }
    }

    #[test]
    fn rules_stand_by_throughput_and_those_that_fail_below() {
        let (own, good) = (trial(&[100.0, 104.0, 99.0], None), trial(&[110.0, 114.5, 108.5], None));
        let bad = trial(&[200.0], Some("it gave up"));
        let scores: Vec<Score> =
            [&own, &good, &bad].iter().enumerate().map(|(entrant, trial)| Score::of(0, entrant, trial, &own)).collect();
        let stands = standings(3, &scores);
        assert_eq!(stands.iter().map(|s| s.entrant).collect::<Vec<_>>(), [1, 0, 2]);
        assert_eq!((stands[0].wins, stands[0].losses, stands[2].cases), (1, 0, 0));
        assert!(
            (stands[0].tps - 1.099).abs() < 0.001 && (stands[0].distance.unwrap() - 3.0).abs() < 1e-12,
            "{stands:?}"
        );
        let kept = scores[1].figure("tps_kept_on_slower_device").unwrap();
        assert!((kept.mean - 0.8).abs() < 1e-12);
        assert_eq!(scores[1].figures.len(), Score::NAMES.len());
        let mut short = good;
        short.runs[0].least = 0;
        let short = Score::of(0, 1, &short, &own);
        assert_eq!((short.figure(BOUND), standings(2, &[short])[0].distance), (None, None));
    }
}
