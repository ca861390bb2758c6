//! What the load began with, and where the counted time begins.

use crate::course::{Course, Origin, Track};
use crate::event::{Event, What};

/// Series that the rules use, and what people call them; for a recording, those that are missing are named.
const USED: [(Track, &str); 8] = [
    (Track::Tps, "throughput"),
    (Track::Lsn, "log sequence number"),
    (Track::CheckpointAge, "checkpoint age"),
    (Track::Dirty, "dirty pages"),
    (Track::Flushed, "pages flushed"),
    (Track::SyncPages, "pages of sync flushing"),
    (Track::Requested, "pages that adaptive flushing asked for"),
    (Track::DeviceActive, "activity of the device"),
];

/// Least step of a load, as a share of its highest rate.
const STEP: f64 = 0.1;

pub(crate) fn events(course: &Course) -> Vec<Event> {
    let mut events = Vec::new();
    let missing: Vec<&'static str> =
        USED.iter().filter(|(track, _)| course.track(*track).is_none()).map(|(_, name)| *name).collect();
    if course.origin == Origin::Recorded && !missing.is_empty() {
        events.push(Event { at_s: 0.0, what: What::NotRecorded { figures: missing } });
    }
    let what = What::LoadStarted {
        clients: course.clients,
        dirty_pages: course.dirty_at_start,
        throughput_counts: course.unit,
    };
    events.push(Event { at_s: 0.0, what });
    events.extend(changes_of_load(course));
    if let Some(given) = course.warmup_given.filter(|_| course.counted_from_s > 0.0) {
        events.push(Event { at_s: course.counted_from_s, what: What::WarmedUp { given } });
    }
    events
}

/// Steps of the rate that an open drive asks for; a ramp is none.
fn changes_of_load(course: &Course) -> Vec<Event> {
    let Some(offered) = course.track(Track::Offered) else { return Vec::new() };
    let least = STEP * offered.iter().copied().filter(|rate| rate.is_finite()).fold(0.0, f64::max);
    let step = |i: usize| {
        let (from_tps, to_tps) = (offered[i - 1], offered[i]);
        let what = What::LoadChanged { from_tps, to_tps };
        ((to_tps - from_tps).abs() >= least.max(f64::MIN_POSITIVE)).then(|| Event { at_s: course.seconds[i - 1], what })
    };
    (1..offered.len()).filter_map(step).collect()
}
