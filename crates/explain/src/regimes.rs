//! The regime of the counted time, by the rule of the summary, and where it changed.

use crate::course::{Course, Track};
use crate::event::{Event, What};
use innosim_core::metrics::{Regime, RegimeInput};

/// Shortest window that is judged, seconds: a regime needs some dozens of blocks.
const LEAST_WINDOW_S: f64 = 300.0;
/// Windows of a course at most.
const WINDOWS: f64 = 6.0;

pub(crate) fn whole(course: &Course) -> Option<Event> {
    // One sample is a mean, which has no course.
    if course.within(course.counted_from_s, course.end_s()).len() < 2 {
        return None;
    }
    let regime = regime(course, course.counted_from_s, course.end_s())?;
    let tps_mean = course.mean(Track::Tps, course.within(course.counted_from_s, course.end_s()))?;
    let counted_s = course.end_s() - course.counted_from_s;
    Some(Event {
        at_s: course.end_s(),
        what: What::RegimeOfAll { regime, tps_mean, throughput_counts: course.unit, counted_s },
    })
}

/// Where a window's regime is another than that of the one before, and stays so in the next.
pub(crate) fn changes(course: &Course) -> Vec<Event> {
    let counted = course.end_s() - course.counted_from_s;
    let length = (counted / WINDOWS).max(LEAST_WINDOW_S);
    let n = (counted / length).floor() as usize;
    let judged: Vec<(f64, Regime)> = (0..n)
        .filter_map(|i| {
            let from = course.counted_from_s + i as f64 * length;
            Some((from, regime(course, from, from + length)?))
        })
        .collect();
    let mut events = Vec::new();
    let mut current = judged.first().map(|(_, regime)| *regime);
    for (i, &(from, to)) in judged.iter().enumerate() {
        let stays = judged.get(i + 1).is_none_or(|(_, next)| *next == to);
        if let Some(before) = current.filter(|before| *before != to && stays) {
            events.push(Event { at_s: from, what: What::RegimeChanged { from: before, to } });
            current = Some(to);
        }
    }
    events
}

fn regime(course: &Course, from_s: f64, to_s: f64) -> Option<Regime> {
    let tps = course.track(Track::Tps)?;
    let at = course.within(from_s, to_s);
    if at.is_empty() {
        return None;
    }
    let waiting = course.track(Track::Waiting).filter(|_| course.closed_loop == Some(false));
    let each_second = |values: &[f64]| -> Vec<f64> {
        let of_step = |i: usize| {
            let seconds = if values[i].is_finite() { course.steps[i].round().clamp(1.0, 120.0) as usize } else { 0 };
            std::iter::repeat_n(values[i], seconds)
        };
        at.clone().flat_map(of_step).collect()
    };
    let input = RegimeInput {
        tps: each_second(tps),
        waiting: waiting.map(each_second).unwrap_or_default(),
        pressure: pressure(course, at.clone()),
    };
    (!input.tps.is_empty()).then(|| input.regime())
}

/// Whether the age put pressure on the server, as far as it is known.
fn pressure(course: &Course, at: std::ops::Range<usize>) -> Option<bool> {
    let any = |track| course.track(track).map(|values| at.clone().any(|i| values[i] > 0.0));
    let start = course.limits.sync_flush_start_bytes;
    let old = course.track(Track::OldestAge).filter(|_| start > 0.0).map(|ages| at.clone().any(|i| ages[i] >= start));
    let told = [any(Track::SyncPages), any(Track::CheckpointWaits), old];
    if told.contains(&Some(true)) {
        return Some(true);
    }
    if told.iter().any(Option::is_some) {
        return Some(false);
    }
    // The checkpoint is older than the oldest page: only an age below the limit is an answer.
    let below = course.track(Track::CheckpointAge).filter(|_| start > 0.0)?;
    at.into_iter().all(|i| below[i].is_nan() || below[i] < start).then_some(false)
}
