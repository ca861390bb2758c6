//! Spans of time in which something went on: sync flushing, waits.

use crate::course::{Course, Track};
use crate::event::{Event, Waits, What};

/// Pauses up to this long don't end a span, seconds; in a long course, up to [`PAUSE_SHARE`] of it.
const PAUSE_S: f64 = 10.0;
/// The same as a share of the course, so that there are some dozens of spans at most.
const PAUSE_SHARE: f64 = 0.02;

/// A span of time in which something went on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Span {
    /// Beginning of its first step, seconds.
    pub(crate) from_s: f64,
    /// End of its last step, seconds.
    pub(crate) to_s: f64,
    /// Of this, the steps in which it went on, seconds.
    pub(crate) seconds: f64,
}

/// The spans in which `is` holds.
pub(crate) fn spans(course: &Course, is: impl Fn(usize) -> bool) -> Vec<Span> {
    let pause = PAUSE_S.max(PAUSE_SHARE * course.end_s());
    let mut spans: Vec<Span> = Vec::new();
    for i in (0..course.seconds.len()).filter(|&i| is(i)) {
        let (to_s, step) = (course.seconds[i], course.steps[i]);
        match spans.last_mut() {
            Some(span) if to_s - step - span.to_s <= pause => {
                span.to_s = to_s;
                span.seconds += step;
            }
            _ => spans.push(Span { from_s: to_s - step, to_s, seconds: step }),
        }
    }
    spans
}

pub(crate) fn events(course: &Course) -> Vec<Event> {
    let mut events = sync_flushing(course);
    for (waits_for, track) in [
        (Waits::Checkpoint, Track::CheckpointWaits),
        (Waits::FreePage, Track::FreePageWaits),
        (Waits::LogBuffer, Track::LogWaits),
    ] {
        let Some(values) = course.track(track) else { continue };
        for span in spans(course, |i| values[i] > 0.0) {
            let waits = course.amount(track, course.within(span.from_s, span.to_s)).unwrap_or(0.0);
            let what = What::Waited { waits_for, until_s: span.to_s, seconds: span.seconds, waits };
            events.push(Event { at_s: span.from_s, what });
        }
    }
    events
}

fn sync_flushing(course: &Course) -> Vec<Event> {
    let Some(sync) = course.track(Track::SyncPages) else { return Vec::new() };
    let event = |span: Span| {
        let at = course.within(span.from_s, span.to_s);
        let on: Vec<usize> = at.clone().filter(|&i| sync[i] > 0.0).collect();
        let pages = course.amount(Track::SyncPages, at).unwrap_or(0.0);
        let busy = course.track(Track::DeviceBusy);
        let device_busy = busy.map(|busy| on.iter().map(|&i| busy[i]).sum::<f64>() / on.len().max(1) as f64);
        let what = What::SyncFlushing {
            until_s: span.to_s,
            seconds: span.seconds,
            pages,
            pages_per_s: pages / span.seconds,
            device_busy: device_busy.filter(|busy| busy.is_finite()),
        };
        Event { at_s: span.from_s, what }
    };
    spans(course, |i| sync[i] > 0.0).into_iter().map(event).collect()
}
