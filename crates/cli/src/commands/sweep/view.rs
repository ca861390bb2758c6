//! A sweep's results as its pictures need them.

use super::layout::{Layout, Line};
use innosim_core::metrics::Summary;
use innosim_experiments::sweep::{Plan, PointResult, Results};
use innosim_report::dashboard::sweep::{Band, Course, SweepAxis, SweepCurve, SweepFigures, SweepPoint, SweepView};
use innosim_report::numbers::count;
use innosim_statistics::Estimate;

const MIB: f64 = 1_048_576.0;

/// The pictures' view of `results`.
pub(super) fn view(results: &Results<'_>) -> SweepView {
    let plan = results.plan;
    let layout = Layout::of(plan);
    let all: Vec<usize> = (0..plan.points.len()).collect();
    let verdict = results.verdict(&all);
    let axes: Vec<SweepAxis> = plan.dimensions.iter().map(axis).collect();
    let along = layout.along;
    let curve = |line: Line| {
        let label = line.points.first().map_or(String::new(), |&point| others(&axes, along, &plan.points[point].at));
        curve(results, line.points, label)
    };
    let curves = layout.lines.into_iter().map(curve).collect();
    SweepView {
        title: plan.title.clone(),
        subtitle: subtitle(results),
        origin: format!("seed {} \u{b7} innosim {}", plan.seed, plan.innosim_version),
        axes,
        points: results.points.iter().map(|point| self::point(plan, point)).collect(),
        along,
        curves,
        best: verdict.as_ref().map(|v| v.best),
        plateau: verdict.map(|v| v.plateau).unwrap_or_default(),
    }
}

/// Scenario, models, length and number of runs.
fn subtitle(results: &Results<'_>) -> String {
    let plan = results.plan;
    let mut models: Vec<&str> = plan.points.iter().map(|point| point.model.as_str()).collect();
    models.sort_unstable();
    models.dedup();
    let models = if models.len() > 3 { format!("{} models", models.len()) } else { models.join(", ") };
    let seconds = plan.points.iter().map(|p| p.simulated_s).fold(0.0, f64::max);
    let runs = results.count();
    let each = runs as f64 / plan.points.len().max(1) as f64;
    let replications = if each.fract() == 0.0 { count(each) } else { format!("{each:.1}") };
    format!(
        "{} \u{b7} {models} \u{b7} {} points, {replications} run{} each, {}{} s simulated{}",
        plan.scenario,
        plan.points.len(),
        if each == 1.0 { "" } else { "s" },
        if plan.until_rest.is_some() { "at most " } else { "" },
        count(seconds),
        if plan.tier.is_exact() { "" } else { " in the coarse tier" }
    )
}

fn axis(dimension: &innosim_experiments::sweep::Dimension) -> SweepAxis {
    let plain = |value: &String| match value.parse::<u64>() {
        Ok(number) => count(number as f64),
        Err(_) => value.clone(),
    };
    SweepAxis {
        name: dimension.settings.join(" = "),
        labels: dimension.values.iter().map(plain).collect(),
        numbers: dimension.numbers(),
    }
}

/// Values on all axes but `along`, spelled as there.
fn others(axes: &[SweepAxis], along: usize, at: &[usize]) -> String {
    let others = axes.iter().zip(at).enumerate().filter(|(i, _)| *i != along);
    others.map(|(_, (axis, &at))| axis.labels[at].as_str()).collect::<Vec<&str>>().join(" \u{b7} ")
}

fn curve(results: &Results<'_>, points: Vec<usize>, label: String) -> SweepCurve {
    let verdict = results.verdict(&points);
    SweepCurve {
        label,
        best: verdict.as_ref().map(|v| v.best),
        plateau: verdict.map(|v| v.plateau).unwrap_or_default(),
        points,
    }
}

/// A share of the age limit; 0 where there is no limit.
pub(super) fn of_limit(summary: &Summary, age: f64) -> f64 {
    if summary.checkpoint_age_limit > 0.0 { age / summary.checkpoint_age_limit } else { 0.0 }
}

fn point(plan: &Plan, result: &PointResult<'_>) -> SweepPoint {
    let band = |metric: fn(&Summary) -> f64| {
        let Estimate { mean, half_width, .. } = result.estimate(metric);
        Band { mean, half_width }
    };
    let figures = result.regime().zip(result.runs.first()).map(|(regime, (_, first))| SweepFigures {
        tps: Band { half_width: result.throughput_half_width(), ..band(|s| s.tps_mean) },
        stall_seconds: band(|s| s.stall_seconds),
        age_mean: band(|s| of_limit(s, s.checkpoint_age_mean)),
        age_max: band(|s| of_limit(s, s.checkpoint_age_max)),
        writes: band(|s| s.flushes_per_trx),
        regime,
        course: Course {
            step_s: first.series.step_s as f64,
            seconds: first.simulated_s(&plan.points[result.point]),
            warmup_s: first.warmup_s as f64,
            tps: first.series.tps.clone(),
            flushed: first.series.flushed.clone(),
            age: first.series.age_mib.iter().map(|age| of_limit(&first.summary, age * MIB)).collect(),
        },
    });
    SweepPoint { at: plan.points[result.point].at.clone(), figures }
}
