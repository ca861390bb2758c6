//! `[drive]`: what makes transactions start.
//!
//! A closed loop has clients that start a transaction when the last one is done. An open loop has a rate, which may
//! move in steps and ramps and be overlaid by spikes; it is resolved to pieces that are straight lines. Either may be
//! stopped for a while ([`stops`]).

mod stops;

use crate::diagnostic::{Problem, Report};
use crate::node::Table;
use crate::resolved::Resolved;
use crate::section::Section;
use innosim_core::workload::{DriveSpec, RateSegment, StopSpec};
use stops::read_stops;

/// What `[drive]` says.
pub(crate) struct ReadDrive {
    pub(crate) spec: DriveSpec,
    pub(crate) stops: Vec<StopSpec>,
    pub(crate) resolved: Resolved,
}

/// Reads `[drive]` of a server with so many pages of buffer pool; reports and returns some drive if it is wrong.
pub(crate) fn read_drive(table: &Table, pool_pages: u64, report: &Report) -> ReadDrive {
    let Some((kind, mut section)) = Section::open_variant(table, "drive", "drive", report) else {
        return ReadDrive { spec: no_drive(), stops: Vec::new(), resolved: Resolved::default() };
    };
    let clients = section.count("clients");
    let spec = if kind == "closed" {
        DriveSpec::Closed { clients, think: section.distribution("think") }
    } else {
        let poisson = section.switch("poisson");
        let rate = read_rate(&mut section);
        section.resolved.tables("segment", rate.iter().map(resolved_segment).collect());
        DriveSpec::Open { clients, rate, poisson }
    };
    let stops = read_stops(&mut section, pool_pages);
    ReadDrive { spec, stops, resolved: section.resolved }
}

/// A drive under which nothing happens.
pub(crate) fn no_drive() -> DriveSpec {
    let rate = vec![RateSegment { start_s: 0.0, ramp_s: 0.0, from_per_s: 0.0, to_per_s: 0.0 }];
    DriveSpec::Open { clients: 1, rate, poisson: false }
}

fn resolved_segment(segment: &RateSegment) -> Resolved {
    let mut resolved = Resolved::default();
    for (key, value) in [
        ("start_s", segment.start_s),
        ("ramp_s", segment.ramp_s),
        ("from_per_s", segment.from_per_s),
        ("to_per_s", segment.to_per_s),
    ] {
        resolved.value(key, crate::resolved::number(value));
    }
    resolved
}

fn read_rate(section: &mut Section<'_>) -> Vec<RateSegment> {
    if section.has("segment") {
        for key in ["rate", "step", "spike"] {
            if section.has(key) {
                let problem = Problem::new(format!("`drive.{key}` stands beside `drive.segment`"));
                section.report.add(problem.at(section.at_key(key)).help("keep one of the two"));
            }
        }
        return read_segments(section);
    }
    if !section.has("rate") && !section.has("step") {
        let problem = Problem::new("an open drive has no rate").at(section.at());
        section.report.add(problem.help("add rate = 1000 (transactions a second), or a list of [[drive.step]]"));
    }
    let initial = section.optional_real("rate").unwrap_or(0.0);
    let steps = read_steps(section, initial);
    let rate = lay_spikes(section, steps);
    section.resolved = section.resolved.only(&["kind", "clients", "poisson"]);
    rate
}

fn read_segments(section: &mut Section<'_>) -> Vec<RateSegment> {
    let mut segments: Vec<RateSegment> = Vec::new();
    for mut one in section.sections("segment") {
        let segment = RateSegment {
            start_s: one.real("start_s"),
            ramp_s: one.real("ramp_s"),
            from_per_s: one.real("from_per_s"),
            to_per_s: one.real("to_per_s"),
        };
        check_order(&one, "start_s", segments.last().map(|last| last.start_s), segment.start_s);
        segments.push(segment);
    }
    if segments.first().is_none_or(|first| first.start_s != 0.0) {
        segments.insert(0, RateSegment { start_s: 0.0, ramp_s: 0.0, from_per_s: 0.0, to_per_s: 0.0 });
    }
    segments
}

fn read_steps(section: &Section<'_>, initial: f64) -> Vec<RateSegment> {
    let mut segments = vec![RateSegment { start_s: 0.0, ramp_s: 0.0, from_per_s: initial, to_per_s: initial }];
    for mut step in section.sections("step") {
        let start_s = seconds(step.duration("at"));
        let rate = step.real("rate");
        let ramp_s = seconds(step.duration("ramp"));
        let before = segments[segments.len() - 1];
        if start_s == 0.0 && segments.len() == 1 {
            segments.clear();
        } else {
            check_order(&step, "at", Some(before.start_s), start_s);
        }
        let from_per_s = if ramp_s > 0.0 { rate_at(before, start_s) } else { rate };
        segments.push(RateSegment { start_s, ramp_s, from_per_s, to_per_s: rate });
    }
    segments
}

fn check_order(section: &Section<'_>, name: &str, before: Option<f64>, start: f64) {
    if before.is_some_and(|before| start <= before) {
        let problem = Problem::new(format!("`{}` is {start} s, not after the one before it", section.path_of(name)));
        section
            .report
            .add(problem.at(section.at_key(name)).help("put them in order of time, each later than the last"));
    }
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

/// The rate at a time within or after a segment.
fn rate_at(segment: RateSegment, at_s: f64) -> f64 {
    let passed = at_s - segment.start_s;
    if segment.ramp_s <= 0.0 || passed >= segment.ramp_s {
        return segment.to_per_s;
    }
    segment.from_per_s + (segment.to_per_s - segment.from_per_s) * (passed / segment.ramp_s).max(0.0)
}

/// Overlays the spikes: during one its rate holds, after it the schedule goes on where it would be.
fn lay_spikes(section: &Section<'_>, mut segments: Vec<RateSegment>) -> Vec<RateSegment> {
    let mut last_end = None;
    for mut spike in section.sections("spike") {
        let start_s = seconds(spike.duration("at"));
        let length_s = seconds(spike.duration("length"));
        let rate = spike.real("rate");
        if length_s <= 0.0 {
            spike.refuse_no_time("length", "give it a length above 0, such as \"20s\"");
            continue;
        }
        if last_end.is_some_and(|end| start_s < end) {
            let problem = Problem::new(format!("`{}` lies before the end of the spike before it", spike.path_of("at")));
            section.report.add(problem.at(spike.at_key("at")).help("put spikes in order of time, none into another"));
            continue;
        }
        let end_s = start_s + length_s;
        last_end = Some(end_s);
        segments = with_spike(&segments, start_s, end_s, rate);
    }
    segments
}

fn with_spike(segments: &[RateSegment], start_s: f64, end_s: f64, rate: f64) -> Vec<RateSegment> {
    let in_force = segments.iter().rev().find(|segment| segment.start_s <= end_s).copied();
    let spike = RateSegment { start_s, ramp_s: 0.0, from_per_s: rate, to_per_s: rate };
    let mut laid: Vec<RateSegment> = segments.iter().copied().filter(|segment| segment.start_s < start_s).collect();
    laid.push(spike);
    if let Some(segment) = in_force {
        let ramp_s = (segment.start_s + segment.ramp_s - end_s).max(0.0);
        let from_per_s = rate_at(segment, end_s);
        laid.push(RateSegment { start_s: end_s, ramp_s, from_per_s, to_per_s: segment.to_per_s });
    }
    laid.extend(segments.iter().copied().filter(|segment| segment.start_s > end_s));
    laid
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(start_s: f64, ramp_s: f64, from_per_s: f64, to_per_s: f64) -> RateSegment {
        RateSegment { start_s, ramp_s, from_per_s, to_per_s }
    }

    #[test]
    fn a_spike_covers_a_ramp_that_then_goes_on() {
        let schedule = [segment(0.0, 0.0, 100.0, 100.0), segment(10.0, 10.0, 100.0, 200.0)];
        assert_eq!(
            with_spike(&schedule, 5.0, 15.0, 900.0),
            [segment(0.0, 0.0, 100.0, 100.0), segment(5.0, 0.0, 900.0, 900.0), segment(15.0, 5.0, 150.0, 200.0)]
        );
    }

    #[test]
    fn a_spike_between_steps_leaves_them_alone() {
        let schedule = [segment(0.0, 0.0, 100.0, 100.0), segment(50.0, 0.0, 300.0, 300.0)];
        assert_eq!(
            with_spike(&schedule, 20.0, 30.0, 900.0),
            [
                segment(0.0, 0.0, 100.0, 100.0),
                segment(20.0, 0.0, 900.0, 900.0),
                segment(30.0, 0.0, 100.0, 100.0),
                segment(50.0, 0.0, 300.0, 300.0)
            ]
        );
    }
}
