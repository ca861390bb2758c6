//! What the answer depends on.
//!
//! Two inputs of a scenario are known least: how many different pages the load writes (the working set), and how fast
//! the device is under this mix. Each is moved to either side by as much as such numbers are usually off, and the best
//! setting is run again there beside its neighbours. The answer stands if the best setting stays sound and loses little
//! to a neighbour. If it does not, the nearest higher setting that is sound in every case is offered as the safer one.
//! If there is none near, or a neighbour gains much, the answer is refused: measuring that input comes first.

use super::bench::{Bench, RecommendError};
use super::plan::lengths;
use super::search::best_of;
use super::settled::Rise;
use super::space::{Point, step_at};
use innosim_core::kernel::sampler::DurationDist;
use innosim_core::run_spec::RunSpec;
use innosim_core::storage::DeviceSpec;

/// How far the number of pages is usually off, parts in a thousand.
const WORKING_SET_OFF: i32 = 100;
/// How far the speed of a device is usually off, parts in a thousand.
const DEVICE_OFF: i32 = 150;
/// An answer that loses this share of its goal to a neighbour does not stand.
const TOO_MUCH: f64 = 0.05;
/// Most steps above the best at which a safer setting is looked for.
const STEPS_UP: usize = 3;
/// Most that a safer setting may lose as the scenario stands.
const PRICE_OF_SAFETY: f64 = 0.10;

/// An input that is known only so well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Input {
    /// Pages that the load touches.
    WorkingSet,
    /// Service times and ceilings of the device.
    DeviceSpeed,
}

impl Input {
    /// Name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Input::WorkingSet => "write_working_set",
            Input::DeviceSpeed => "device_speed",
        }
    }

    /// How to measure it.
    pub const fn how_to_measure(self) -> &'static str {
        match self {
            Input::WorkingSet => {
                "the write working set: Innodb_buffer_pool_pages_dirty, Innodb_buffer_pool_pages_flushed and \
                 Innodb_os_log_written each second for as long as the redo log takes to turn once"
            }
            Input::DeviceSpeed => {
                "the device: random writes and reads of 16 KiB with syncs, for minutes (fio with --direct=1 --bs=16k \
                 --rw=randwrite --fsync), at the queue depth of the server"
            }
        }
    }
}

/// A scenario as it stands, or with one input moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Case {
    input: Option<Input>,
    /// How far it is moved, parts in a thousand.
    per_mille: i32,
}

impl Case {
    /// The scenario as it stands.
    pub(super) const AS_IS: Case = Case { input: None, per_mille: 0 };

    const MOVED: [Case; 4] = [
        Case { input: Some(Input::WorkingSet), per_mille: -WORKING_SET_OFF },
        Case { input: Some(Input::WorkingSet), per_mille: WORKING_SET_OFF },
        Case { input: Some(Input::DeviceSpeed), per_mille: -DEVICE_OFF },
        Case { input: Some(Input::DeviceSpeed), per_mille: DEVICE_OFF },
    ];

    fn factor(self) -> f64 {
        f64::from(1000 + self.per_mille) / 1000.0
    }

    /// Moves the input of a run.
    pub(super) fn apply(self, run: &mut RunSpec) {
        match self.input {
            None => {}
            Some(Input::WorkingSet) => {
                for set in &mut run.workload.page_sets {
                    set.pages = ((set.pages as f64 * self.factor()).round() as u64).max(1);
                }
            }
            Some(Input::DeviceSpeed) => {
                let devices = std::iter::once(&mut run.storage.data).chain(&mut run.storage.redo);
                devices.for_each(|device| speed_up(device, self.factor()));
            }
        }
    }
}

/// A device whose times are shorter and whose ceilings are higher by `factor`.
fn speed_up(device: &mut DeviceSpec, factor: f64) {
    for time in [&mut device.random_read, &mut device.random_write, &mut device.sequential_write, &mut device.sync] {
        match time {
            DurationDist::Fixed { us } => *us /= factor,
            DurationDist::Exponential { mean_us } | DurationDist::Lognormal { mean_us, .. } => *mean_us /= factor,
            DurationDist::Empirical { quantiles } => quantiles.iter_mut().for_each(|(_, us)| *us /= factor),
        }
    }
    let ceilings = [
        &mut device.read_iops,
        &mut device.write_iops,
        &mut device.read_bytes_per_s,
        &mut device.write_bytes_per_s,
        &mut device.link_bytes_per_s,
    ];
    ceilings.into_iter().flatten().for_each(|ceiling| *ceiling = (*ceiling * factor).max(1.0));
    if let Some(burst) = &mut device.burst {
        burst.baseline_iops = (burst.baseline_iops * factor).max(1.0);
        burst.burst_iops = (burst.burst_iops * factor).max(burst.baseline_iops);
    }
}

/// What became of the answer with one input moved.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensitivity {
    /// The input.
    pub input: Input,
    /// How far it was moved, a share of its value: -0.1 is 10 % less.
    pub change: f64,
    /// Whether the best setting runs without stalls and waves there.
    pub sound: bool,
    /// The best of the setting and its neighbours there.
    pub best_there: Point,
    /// What the setting loses to that, a share of its goal.
    pub loss: f64,
    /// Transactions a second of the setting there.
    pub tps: f64,
}

/// What the cases say together.
#[derive(Debug)]
pub(super) struct WhatIf {
    pub(super) cases: Vec<Sensitivity>,
    pub(super) safer: Option<Point>,
    pub(super) refused: Option<String>,
    pub(super) measure_first: Vec<Input>,
}

/// Runs `best` and its neighbours in every case.
pub(super) fn examine(bench: &mut Bench<'_>, best: Point) -> Result<WhatIf, RecommendError> {
    if let Some(rise) = bench.rise(best) {
        return Ok(WhatIf {
            cases: Vec::new(),
            safer: None,
            refused: Some(too_short(bench, best, rise)),
            measure_first: Vec::new(),
        });
    }
    if !bench.is_sound(Case::AS_IS, best) {
        return Ok(WhatIf {
            cases: Vec::new(),
            safer: None,
            refused: Some(none_is_sound(bench)),
            measure_first: vec![Input::WorkingSet, Input::DeviceSpeed],
        });
    }
    let around = around(bench, best);
    let wanted: Vec<(Case, Point)> =
        Case::MOVED.iter().flat_map(|&case| around.iter().map(move |&point| (case, point))).collect();
    bench.ensure("what if", &wanted, 1)?;
    let cases: Vec<Sensitivity> = Case::MOVED.iter().filter_map(|&case| of(bench, case, best, &around)).collect();
    let shaken = |s: &&Sensitivity| !s.sound || s.loss > TOO_MUCH;
    let mut measure_first: Vec<Input> = cases.iter().filter(shaken).map(|s| s.input).collect();
    measure_first.sort_by(|a, b| weight(&cases, *b).total_cmp(&weight(&cases, *a)));
    measure_first.dedup();
    let safer = if cases.iter().all(|s| s.sound) { None } else { safer(bench, best)? };
    let flips = cases.iter().filter(shaken).find(|s| s.sound || safer.is_none());
    let refused = flips.map(|s| reason(bench, s, best));
    Ok(WhatIf { cases, safer, refused, measure_first })
}

/// Says that no setting is an answer, and how far the search went.
fn none_is_sound(bench: &Bench<'_>) -> String {
    let largest = bench.points().iter().map(|point| point.redo_bytes).max().unwrap_or(0);
    let up_to = if largest > bench.current().redo_bytes {
        format!(", with redo logs of up to {} MiB,", largest >> 20)
    } else {
        String::new()
    };
    format!(
        "no setting that was tried{up_to} runs without stalls or sync flushing: the redo log is too small or the device too \
         slow for this load"
    )
}

/// Says that runs were too short, and how long they should be.
fn too_short(bench: &Bench<'_>, best: Point, rise: Rise) -> String {
    let mib = |bytes: f64| (bytes / 1_048_576.0).round();
    let plan = bench.plan();
    let enough_s = lengths(bench.turn_s(best)).0.max(2 * plan.duration_s);
    format!(
        "the checkpoint age of the best setting was still rising when its runs of {} s ended, from {} to {} MiB over the time \
         that counts. Until it is at rest, settings that flush too little look better than they are. Give --duration {enough_s}s, \
         which is about two and a half turns of the redo log or twice the present length",
        plan.duration_s,
        mib(rise.from_bytes),
        mib(rise.to_bytes)
    )
}

/// How much an input matters: the worst of its cases.
fn weight(cases: &[Sensitivity], input: Input) -> f64 {
    let of = |s: &Sensitivity| if s.sound { s.loss } else { 1.0 + s.loss };
    cases.iter().filter(|s| s.input == input).map(of).fold(0.0, f64::max)
}

/// The point and its neighbours a step away.
fn around(bench: &Bench<'_>, best: Point) -> Vec<Point> {
    let step = step_at(best.io_capacity_max as f64) as f64;
    let at = |steps: f64| bench.space().point(best.io_capacity_max as f64 + steps * step, best.redo_bytes);
    let mut points = vec![at(-1.0), best, at(1.0)];
    points.sort();
    points.dedup();
    points
}

fn of(bench: &Bench<'_>, case: Case, best: Point, around: &[Point]) -> Option<Sensitivity> {
    let mean = bench.mean(case, best)?;
    let best_there = best_of(bench, case, around);
    let there = bench.mean(case, best_there)?;
    let (score, top) = (bench.goal().score(&mean), bench.goal().score(&there));
    Some(Sensitivity {
        input: case.input?,
        change: f64::from(case.per_mille) / 1000.0,
        sound: bench.is_sound(case, best),
        best_there,
        loss: ((top - score) / top.abs().max(1e-9)).max(0.0),
        tps: mean.tps_mean,
    })
}

/// The nearest higher setting that is sound in every case, at a bearable price.
fn safer(bench: &mut Bench<'_>, best: Point) -> Result<Option<Point>, RecommendError> {
    let step = step_at(best.io_capacity_max as f64) as f64;
    for steps in 1..=STEPS_UP {
        let higher = bench.space().point(best.io_capacity_max as f64 + steps as f64 * step, best.redo_bytes);
        let cases = [&[Case::AS_IS], &Case::MOVED[..]].concat();
        let wanted: Vec<(Case, Point)> = cases.iter().map(|&case| (case, higher)).collect();
        bench.ensure("safer", &wanted, 1)?;
        if cases.iter().all(|&case| bench.is_sound(case, higher)) {
            let score = |point| bench.score(Case::AS_IS, point).unwrap_or(f64::MIN);
            let price = score(best) - score(higher);
            return Ok((price <= PRICE_OF_SAFETY * score(best).abs()).then_some(higher));
        }
    }
    Ok(None)
}

fn reason(bench: &Bench<'_>, shaken: &Sensitivity, best: Point) -> String {
    let off = (shaken.change.abs() * 100.0).round();
    let what = match (shaken.input, shaken.change > 0.0) {
        (Input::WorkingSet, true) => format!("a working set {off} % larger"),
        (Input::WorkingSet, false) => format!("a working set {off} % smaller"),
        (Input::DeviceSpeed, true) => format!("a device {off} % faster"),
        (Input::DeviceSpeed, false) => format!("a device {off} % slower"),
    };
    let name = bench.space().searched();
    let value = best.io_capacity_max;
    if shaken.sound {
        let other = shaken.best_there.io_capacity_max;
        let percent = (shaken.loss * 100.0).round();
        return format!("with {what}, {name} = {other} is {percent} % better than {value}");
    }
    format!("with {what}, {name} = {value} runs into stalls or sync flushing, and so do the next higher settings")
}

#[cfg(test)]
mod tests {
    use super::*;
    use innosim_scenario::{Overrides, Source, load};

    #[test]
    fn inputs_move_by_what_they_say() {
        let run = load(Source::Shipped("teaching/redo-too-small"), &Overrides::default()).unwrap().run;
        let moved = |case: Case| {
            let mut moved = run.clone();
            case.apply(&mut moved);
            moved
        };
        let [small, large, slow, fast] = Case::MOVED.map(moved);
        let pages = |run: &RunSpec| run.workload.page_sets.iter().map(|set| set.pages).sum::<u64>() as f64;
        assert!((pages(&large) / pages(&run) - 1.1).abs() < 1e-3 && (pages(&small) / pages(&run) - 0.9).abs() < 1e-3);
        let time = |run: &RunSpec| run.storage.data.random_write.mean_us();
        assert!((time(&slow) * 0.85 / time(&run) - 1.0).abs() < 1e-9 && time(&fast) < time(&run));
        let ceiling = |run: &RunSpec| run.storage.data.write_iops.unwrap();
        assert!((ceiling(&fast) / ceiling(&run) - 1.15).abs() < 1e-9);
        assert_eq!(moved(Case::AS_IS), run);
        for run in [&small, &large, &slow, &fast] {
            run.storage.data.validate().unwrap();
        }
    }
}
