//! Runs by point, what they say together, and which point is best.

use super::plan::{Plan, Point, RunId};
use super::record::{Record, ThinSeries};
use super::tier::MadeAs;
use crate::stable::is_stable;
use innosim_core::metrics::{Regime, Summary};
use innosim_statistics::{Estimate, Paired, holm, mean};
use std::collections::BTreeMap;

/// Points within this share of the best throughput are on its plateau whatever the statistics say: nobody would choose
/// between them by throughput.
const PLATEAU: f64 = 0.01;

/// All runs of a plan that are there.
#[derive(Debug, Clone)]
pub struct Results<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// A result for each point.
    pub points: Vec<PointResult<'a>>,
    /// Runs that are wanted and not there: point, replication.
    pub missing: Vec<(usize, u32)>,
}

/// The runs of a point.
#[derive(Debug, Clone)]
pub struct PointResult<'a> {
    /// Which point.
    pub point: usize,
    /// Its runs with their replications, in order.
    pub runs: Vec<(u32, &'a Record)>,
    /// The exact runs beside those in the coarse tier, where both are wanted.
    pub exact: Vec<(u32, &'a Record)>,
}

/// How far runs of a point in the coarse tier are off, as shares of what the exact ones have, over seconds after the longer warm-up of the two.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OffBy {
    /// Transactions a second.
    pub tps: f64,
    /// Checkpoint age.
    pub checkpoint_age: f64,
    /// Pages flushed.
    pub pages_flushed: f64,
    /// Whether the regime is the same in all replications.
    pub same_regime: bool,
}

/// A figure of a run that experiments look at.
pub type Metric = fn(&Summary) -> f64;

/// Which point is best, and which are as good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The point with the highest mean throughput among those that run soundly, or among all if none does; of equals
    /// the first.
    pub best: usize,
    /// Whether it runs without waves and stalls, and does not live by sync flushing.
    pub sound: bool,
    /// Points whose throughput can't be told from the best, or is within 1 % of it, and which stall no more; in order,
    /// the best among them.
    pub plateau: Vec<usize>,
}

impl<'a> Results<'a> {
    /// Of `runs`, which may hold others too.
    pub fn of(plan: &'a Plan, runs: &'a BTreeMap<RunId, Record>) -> Results<'a> {
        let mut missing = Vec::new();
        let mut points = Vec::new();
        for point in 0..plan.points.len() {
            let find = |replication| runs.get(&plan.run_id(point, replication));
            let (wanted, _) = plan.replications_of(|r| find(r).map(|record| record.summary.tps_mean));
            let there = |replication| find(replication).map(|record| (replication, record));
            let exact = |r| plan.exact_run_id(point, r).and_then(|id| runs.get(&id)).map(|record| (r, record));
            let lacks = |r: &u32| plan.run_ids(point, *r).any(|(id, _)| !runs.contains_key(&id));
            missing.extend((0..wanted).filter(lacks).map(|r| (point, r)));
            let exact = (0..wanted).filter_map(exact).collect();
            points.push(PointResult { point, runs: (0..wanted).filter_map(there).collect(), exact });
        }
        Results { plan, points, missing }
    }

    /// Identities of all runs, in the order of the plan.
    pub fn ids(&self) -> Vec<RunId> {
        let all = |point: &'_ PointResult<'a>| {
            point.runs.iter().chain(&point.exact).map(|(_, record)| record.id.clone()).collect::<Vec<_>>()
        };
        self.points.iter().flat_map(all).collect()
    }

    /// Number of runs that are there.
    pub fn count(&self) -> usize {
        self.points.iter().map(|point| point.runs.len()).sum()
    }

    /// How many runs ended early, at rest.
    pub fn at_rest(&self) -> usize {
        self.points.iter().map(PointResult::at_rest).sum()
    }

    /// How many runs were made in the coarse tier.
    pub fn flows(&self) -> usize {
        self.made_as(|made_as| matches!(made_as, MadeAs::Flow { .. })).count()
    }

    /// How many of them had windows of their own.
    pub fn with_own_windows(&self) -> usize {
        self.made_as(|made_as| matches!(made_as, MadeAs::Flow { own_windows: 1.. })).count()
    }

    /// Why runs are exact that were to be made in the coarse tier, and how many are for that reason.
    pub fn why_exact(&self) -> BTreeMap<&'a str, usize> {
        let mut reasons = BTreeMap::new();
        for made_as in self.made_as(|_| true) {
            if let MadeAs::Refused { why } = made_as {
                *reasons.entry(why.as_str()).or_default() += 1;
            }
        }
        reasons
    }

    fn made_as(&self, which: fn(&MadeAs) -> bool) -> impl Iterator<Item = &'a MadeAs> {
        self.points
            .iter()
            .flat_map(|point| &point.runs)
            .map(|(_, record)| &record.made_as)
            .filter(move |made| which(made))
    }

    /// How many runs began from a copy of a warm server.
    pub fn begun_warm(&self) -> usize {
        let begun = |point: &PointResult<'_>| point.runs.iter().filter(|(_, run)| run.begun_warm.is_some()).count();
        self.points.iter().map(begun).sum()
    }

    /// For each run that is the same as one of an earlier point, byte by byte, the first such point: by point, replication.
    pub fn twins(&self) -> BTreeMap<(usize, u32), usize> {
        let mut firsts = BTreeMap::new();
        let mut twins = BTreeMap::new();
        for point in &self.points {
            for (replication, record) in &point.runs {
                let Some(begun) = &record.begun_warm else { continue };
                let first = *firsts.entry((*replication, &begun.course)).or_insert(point.point);
                if first != point.point {
                    twins.insert((point.point, *replication), first);
                }
            }
        }
        twins
    }

    /// The best point and its plateau `among` some points; `None` if none of them has a run.
    pub fn verdict(&self, among: &[usize]) -> Option<Verdict> {
        let tps = |p: &PointResult<'_>| p.estimate(|s| s.tps_mean).mean;
        let with_runs = || among.iter().map(|&point| &self.points[point]).filter(|p| !p.runs.is_empty());
        let sound = |p: &&PointResult<'_>| p.is_stable(&self.plan.points[p.point]);
        let any_sound = with_runs().any(|p| sound(&p));
        let with_runs = || with_runs().filter(|p| !any_sound || sound(p));
        let best = with_runs().max_by(|a, b| tps(a).total_cmp(&tps(b)).then(b.point.cmp(&a.point)))?;
        let best_tps = best.values(|s| s.tps_mean);
        let others: Vec<&PointResult<'_>> = with_runs().filter(|p| p.point != best.point).collect();
        let p_values: Vec<f64> =
            others.iter().map(|p| Paired::of(&p.values(|s| s.tps_mean), &best_tps).p_value).collect();
        let stalls = |p: &PointResult<'_>| p.stalled(&self.plan.points[p.point]);
        let replicated = best.runs.len() > 1;
        let mut plateau: Vec<usize> = others
            .iter()
            .zip(holm(&p_values))
            .filter(|(p, adjusted)| {
                let as_fast = tps(p) >= tps(best) * (1.0 - PLATEAU) || (replicated && *adjusted >= 0.05);
                as_fast && stalls(p) <= stalls(best)
            })
            .map(|(p, _)| p.point)
            .chain([best.point])
            .collect();
        plateau.sort_unstable();
        Some(Verdict { best: best.point, sound: any_sound, plateau })
    }
}

impl PointResult<'_> {
    /// Whether the server can be left to itself in every run.
    fn is_stable(&self, point: &Point) -> bool {
        self.runs.iter().all(|(_, record)| is_stable(&record.summary, record.counted_s(point)))
    }

    /// Share of the seconds that stalled: runs that end early have fewer.
    fn stalled(&self, point: &Point) -> f64 {
        let share = |record: &Record| record.summary.stall_seconds / record.counted_s(point).max(1.0);
        mean(&self.runs.iter().map(|(_, record)| share(record)).collect::<Vec<f64>>()).unwrap_or(0.0)
    }

    /// How far those of its runs that were made in the coarse tier are off; none without such a run beside an exact one.
    pub fn off_by(&self) -> Option<OffBy> {
        let exact = |replication: u32| self.exact.iter().find(|(other, _)| *other == replication);
        let in_flow = self.runs.iter().filter(|(_, record)| matches!(record.made_as, MadeAs::Flow { .. }));
        let pairs: Vec<(&Record, &Record)> =
            in_flow.filter_map(|(replication, flow)| Some((*flow, exact(*replication)?.1))).collect();
        let off = |of: fn(&ThinSeries) -> &[f64]| {
            let sums = pairs.iter().map(|(flow, exact)| {
                let warmup_s = flow.warmup_s.max(exact.warmup_s);
                let sum = |record: &Record| record.series.after(warmup_s, of).iter().sum::<f64>();
                [sum(flow), sum(exact)]
            });
            let [flow, exact] = sums.fold([0.0; 2], |[a, b], [c, d]| [a + c, b + d]);
            flow / exact - 1.0
        };
        (!pairs.is_empty()).then(|| OffBy {
            tps: off(|series| &series.tps),
            checkpoint_age: off(|series| &series.age_mib),
            pages_flushed: off(|series| &series.flushed),
            same_regime: pairs.iter().all(|(flow, exact)| flow.summary.regime == exact.summary.regime),
        })
    }

    /// Simulated seconds of a run, in the mean.
    pub fn simulated_s(&self, point: &Point) -> f64 {
        let seconds: Vec<f64> = self.runs.iter().map(|(_, record)| record.simulated_s(point)).collect();
        mean(&seconds).unwrap_or(point.simulated_s)
    }

    /// How many runs ended early, at rest.
    pub fn at_rest(&self) -> usize {
        self.runs.iter().filter(|(_, record)| record.early.is_some()).count()
    }

    /// A figure of each run.
    pub fn values(&self, metric: Metric) -> Vec<f64> {
        self.runs.iter().map(|(_, record)| metric(&record.summary)).collect()
    }

    /// A figure over the runs.
    pub fn estimate(&self, metric: Metric) -> Estimate {
        Estimate::of(&self.values(metric))
    }

    /// Half-width of throughput's interval: over the replications, or by batches inside a single run if those look
    /// independent.
    pub fn throughput_half_width(&self) -> Option<f64> {
        match self.runs.as_slice() {
            [(_, only)] => only.batches.filter(|b| b.independent).map(|b| b.half_width),
            _ => self.estimate(|s| s.tps_mean).half_width,
        }
    }

    /// The most frequent regime, of equally frequent ones the most troubled; `None` without a run.
    pub fn regime(&self) -> Option<Regime> {
        let regimes: Vec<Regime> = self.runs.iter().map(|(_, record)| record.summary.regime).collect();
        let count = |regime: Regime| regimes.iter().filter(|other| **other == regime).count();
        regimes.iter().copied().max_by_key(|regime| (count(*regime), *regime))
    }
}
