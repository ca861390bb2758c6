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
    (Track::DeviceBusy, "busy share of the device"),
];

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
    if let Some(given) = course.warmup_given.filter(|_| course.counted_from_s > 0.0) {
        events.push(Event { at_s: course.counted_from_s, what: What::WarmedUp { given } });
    }
    events
}
