//! A simulated run as a course.

use crate::runner::warmup_of;
use innosim_core::metrics::{RunOutput, SecondSample};
use innosim_core::workload::{DriveSpec, RateSegment};
use innosim_explain::{Course, Event, Track, What, explain};
use innosim_flush_models::registry::{ModelId, Settings, Value};
use innosim_scenario::{Scenario, Warmup};
use std::collections::BTreeMap;

/// Name of the station that stands for the processors.
const PROCESSORS: &str = "CPU";

/// The course of a run.
pub fn course_of_run(scenario: &Scenario, output: &RunOutput) -> Course {
    let mut course = course_of_samples(scenario, output);
    let processors = output.stations.iter().find(|station| station.name == PROCESSORS);
    course.cpu_busy_mean = processors.map(|station| station.utilization);
    course
}

/// What happened in a run, and what the server would write about it to its error log.
pub fn events_of_run(scenario: &Scenario, output: &RunOutput) -> Vec<Event> {
    let mut events = explain(&course_of_run(scenario, output));
    events.extend(loops_said(scenario.model, output));
    events
}

/// The loops of the page cleaner that MySQL 5.7 and later, and Percona Server of these versions, call too slow.
fn loops_said(model: ModelId, output: &RunOutput) -> Option<Event> {
    let name = model.name();
    let says =
        ["mysql-5.7", "percona-5.7", "mysql-8", "percona-8", "mysql-9"].iter().any(|with| name.starts_with(with));
    let longest = output.slow_loops.iter().max_by(|a, b| a.seconds.total_cmp(&b.seconds)).filter(|_| says)?;
    let what = What::LoopsSaid {
        loops: output.slow_loops.len() as u32,
        at_s: longest.at_s,
        longest_s: longest.seconds,
        flushed: longest.flushed as f64,
        evicted: longest.evicted as f64,
        before_8: name.ends_with("-5.7"),
    };
    Some(Event { at_s: longest.at_s, what })
}

/// The course of a run of which the rows are left, as `run --out` leaves them.
pub fn course_of_samples(scenario: &Scenario, output: &RunOutput) -> Course {
    let samples: &[SecondSample] = &output.series;
    let limits = scenario.build_model().age_limits();
    let warmup = warmup_of(scenario, output);
    let (clients, closed) = match scenario.run.workload.drive {
        DriveSpec::Closed { clients, .. } => (clients, true),
        DriveSpec::Open { clients, .. } => (clients, false),
    };
    let mut course = Course::of_samples(samples, limits);
    if let DriveSpec::Open { rate, .. } = &scenario.run.workload.drive {
        let offered = samples.iter().map(|sample| rate_at(rate, sample.second as f64 - 0.5));
        course.tracks.insert(Track::Offered, offered.collect());
    }
    Course {
        settings: numbers(&scenario.settings),
        clients: Some(clients),
        // A start in the middle of the work may have dirty pages, of which the rows don't tell the number.
        dirty_at_start: scenario.run.dirty_start.is_none_or(|start| start.share == 0.0).then_some(0.0),
        counted_from_s: warmup.seconds as f64,
        warmup_given: Some(matches!(scenario.warmup, Warmup::Fixed(_))),
        closed_loop: Some(closed),
        ..course
    }
}

/// The rate of a schedule at a time, transactions a second.
fn rate_at(segments: &[RateSegment], second: f64) -> f64 {
    let Some(segment) = segments.iter().rev().find(|segment| segment.start_s <= second) else { return 0.0 };
    let into = second - segment.start_s;
    if into >= segment.ramp_s {
        return segment.to_per_s;
    }
    segment.from_per_s + (segment.to_per_s - segment.from_per_s) * into / segment.ramp_s
}

/// The settings that are numbers.
pub(super) fn numbers(settings: &Settings) -> BTreeMap<String, f64> {
    let number = |value: &Value| match *value {
        Value::Integer(value) => Some(value as f64),
        Value::Real(value) => Some(value),
        _ => None,
    };
    settings.values.iter().filter_map(|(name, value)| Some(((*name).to_owned(), number(value)?))).collect()
}
