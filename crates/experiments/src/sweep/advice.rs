//! What the numbers can't carry, in words that say what to do about it.

use super::results::{PointResult, Results};
use innosim_core::metrics::Summary;

/// Busy share above which a device is called full.
const DEVICE_FULL: f64 = 0.95;
/// An interval wider than this share of the mean, on either side, is called wide.
const WIDE: f64 = 0.02;

/// A warning that teaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    /// What it is about.
    pub kind: AdviceKind,
    /// Points that it is about, in order.
    pub points: Vec<usize>,
    /// What was seen, why it matters, what to do.
    pub text: String,
}

/// What a warning is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AdviceKind {
    /// The warm-up was not seen to end.
    Warmup,
    /// The time after warm-up is less than one turn of the redo log.
    ShortRun,
    /// One run a point: no interval over replications.
    SingleRun,
    /// An interval is wide.
    WideInterval,
    /// The device is full.
    DeviceFull,
}

impl AdviceKind {
    /// Name for scripts.
    pub fn name(self) -> &'static str {
        match self {
            AdviceKind::Warmup => "warmup_not_converged",
            AdviceKind::ShortRun => "shorter_than_redo",
            AdviceKind::SingleRun => "single_run",
            AdviceKind::WideInterval => "wide_interval",
            AdviceKind::DeviceFull => "device_full",
        }
    }
}

impl Advice {
    /// All warnings about `results`, the gravest first.
    pub fn of(results: &Results<'_>) -> Vec<Advice> {
        [warmup, short_run, single_run, wide_interval, device_full].iter().filter_map(|rule| rule(results)).collect()
    }
}

/// Points for which `holds`, as advice made from their number out of how many and the rest of the sentence.
fn advice(
    results: &Results<'_>,
    kind: AdviceKind,
    holds: impl Fn(&PointResult<'_>) -> bool,
    text: impl Fn(&str) -> String,
) -> Option<Advice> {
    let with_runs = results.points.iter().filter(|p| !p.runs.is_empty());
    let points: Vec<usize> = with_runs.clone().filter(|p| holds(p)).map(|p| p.point).collect();
    let all = with_runs.count();
    let where_it_is = match points.as_slice() {
        [] => return None,
        [one] => format!("At {}", results.plan.label(*one)),
        some if some.len() == all => "At all points".to_owned(),
        some => format!("At {} of {all} points (first: {})", some.len(), results.plan.label(some[0])),
    };
    Some(Advice { kind, text: text(&where_it_is), points })
}

fn any(point: &PointResult<'_>, holds: impl Fn(&Summary) -> bool) -> bool {
    point.runs.iter().any(|(_, record)| holds(&record.summary))
}

fn warmup(results: &Results<'_>) -> Option<Advice> {
    let holds = |p: &PointResult<'_>| p.runs.iter().any(|(_, record)| !record.warmup_converged);
    advice(results, AdviceKind::Warmup, holds, |at| {
        format!(
            "{at} the run was too short to see its warm-up end: means may still hold a trend. Give a longer --duration, \
             or --set warmup=... if you know it."
        )
    })
}

fn short_run(results: &Results<'_>) -> Option<Advice> {
    let short = |p: &PointResult<'_>| {
        p.runs.iter().any(|(_, record)| {
            let s = &record.summary;
            let measured = s.redo_bytes_per_s * record.counted_s(&results.plan.points[p.point]);
            // One that ended early has gone once round its age, and shown that no wave is to come.
            record.early.is_none() && s.has_transactions() && s.age_stop_limit > 0.0 && measured < s.age_stop_limit
        })
    };
    advice(results, AdviceKind::ShortRun, short, |at| {
        format!(
            "{at} less redo was written after the warm-up than the log holds: waves come once a turn of the log and \
             can't be seen yet. Give a longer --duration."
        )
    })
}

fn single_run(results: &Results<'_>) -> Option<Advice> {
    advice(
        results,
        AdviceKind::SingleRun,
        |p| p.runs.len() == 1,
        |at| {
            format!(
                "{at} there is a single run, so that its luck can't be told from its settings; throughput's interval comes \
             from batches inside the run where these are independent. Give --replications 5 or --precision 1%."
            )
        },
    )
}

fn wide_interval(results: &Results<'_>) -> Option<Advice> {
    let half = |p: &PointResult<'_>| p.estimate(|s| s.tps_mean).relative_half_width().unwrap_or(0.0);
    let widest = results.points.iter().max_by(|a, b| half(a).total_cmp(&half(b)))?;
    let (share, runs) = (half(widest), widest.runs.len() as f64);
    let needed = (runs * (share / 0.01) * (share / 0.01)).ceil();
    advice(
        results,
        AdviceKind::WideInterval,
        |p| half(p) > WIDE,
        |at| {
            let cure = if needed <= 1000.0 {
                format!("About {needed} replications would bring it to 1 %.")
            } else {
                "Longer runs help more than further replications.".to_owned()
            };
            format!(
                "{at} throughput is known to no better than 2 % ({:.1} % at worst): don't rank settings that are closer. {cure}",
                share * 100.0
            )
        },
    )
}

fn device_full(results: &Results<'_>) -> Option<Advice> {
    advice(
        results,
        AdviceKind::DeviceFull,
        |p| any(p, |s| s.device_utilization >= DEVICE_FULL),
        |at| {
            format!(
                "{at} the device is full ({:.0} % busy or more): flushing competes with redo syncs and reads there, and the \
             device decides more than the settings do.",
                DEVICE_FULL * 100.0
            )
        },
    )
}
