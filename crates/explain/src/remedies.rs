//! Settings that the events point to, each with a value to try.
//!
//! A remedy is a place to look, not an answer: `innosim recommend` searches, and a what-if run tells.

use crate::course::{Course, Track};
use crate::event::{Ceiling, Event, Reason, Waits, What};
use crate::{flushing, free_pages};

/// Time before the age met its limit in which flushing is looked at, seconds.
const BEFORE_S: f64 = 10.0;
/// Flushing this close to its cap, asked for or done, stood at it.
const NEAR_CAP: f64 = 0.9;
/// Below this share of its limit the age leaves room.
const ROOMY: f64 = 0.6;
/// An age at rest is in the last third of the time at most this many times that of the middle third.
const RISING: f64 = 1.05;
/// Shortest course whose age can be called at rest, seconds.
const LEAST_S: f64 = 60.0;
/// What is raised is tried with this many times its present value.
const MORE: f64 = 1.5;
/// The batch of the doublewrite file that is tried: largest of MySQL 8.0.
const DOUBLEWRITE_PAGES: f64 = 128.0;
/// From this batch on, doublewrite is no likely bound.
const LARGE_BATCH: f64 = 64.0;

pub(crate) fn of(course: &Course, events: &[Event]) -> Vec<Event> {
    let mut remedies = Vec::new();
    let mut add = |setting: &'static str, times: f64, reason: Reason| {
        if let Some(present) = course.setting(setting).filter(|present| *present > 0.0) {
            let what = What::WouldChange { setting, present, value: (present * times).round(), reason };
            remedies.push(Event { at_s: course.end_s(), what });
        }
    };
    let pressed = first_pressure(events);
    if let Some(at_s) = pressed {
        if let Some((_, setting, _)) = flushing::cap(course).filter(|(_, _, cap)| near_cap(course, at_s, *cap)) {
            add(setting, MORE, Reason::CeilingBeforeLimit);
        }
        add(redo_setting(course), 2.0, Reason::AgeAtLimit);
    }
    let batch = course.setting("innodb_doublewrite_pages").filter(|pages| (1.0..LARGE_BATCH).contains(pages));
    let is_short = |event: &Event| matches!(event.what, What::FlushingShort { by: Ceiling::Doublewrite, .. });
    if let Some(batch) = batch.filter(|_| events.iter().any(is_short)) {
        add("innodb_doublewrite_pages", DOUBLEWRITE_PAGES / batch, Reason::DoublewriteShort);
    }
    let waited =
        |asked: Waits| events.iter().any(|e| matches!(e.what, What::Waited { waits_for, .. } if waits_for == asked));
    if waited(Waits::FreePage) {
        add("innodb_lru_scan_depth", 2.0, Reason::FreePageWaits);
    }
    if waited(Waits::LogBuffer) {
        add("innodb_log_buffer_size", 4.0, Reason::LogBufferFull);
    }
    // Less flushing would leave even fewer clean pages to take.
    let roomy = |event: &Event| {
        matches!(event.what, What::HighestAge { share, .. } if share < ROOMY) && !free_pages::is_short(events)
    };
    let is_roomy = events.iter().any(roomy) && flushes_for_the_age(course) && is_at_rest(course);
    if let Some((_, setting, _)) = flushing::cap(course).filter(|_| is_roomy) {
        add(setting, 1.0 / MORE, Reason::RoomLeft);
    }
    remedies
}

/// When the age was first felt: sync flushing, a wait for a checkpoint.
fn first_pressure(events: &[Event]) -> Option<f64> {
    let felt = |event: &&Event| {
        matches!(event.what, What::SyncFlushing { .. } | What::Waited { waits_for: Waits::Checkpoint, .. })
    };
    events.iter().find(felt).map(|event| event.at_s)
}

/// Whether flushing stood near its cap in the time before `at_s`.
fn near_cap(course: &Course, at_s: f64, cap: f64) -> bool {
    let before = course.within((at_s - BEFORE_S).max(0.0), at_s);
    let near = |pages: f64| pages >= NEAR_CAP * cap && pages <= cap / NEAR_CAP;
    // What was asked for tells earlier than what was done; where it is not known, what was done.
    let (asked, done) = (course.track(Track::Requested), course.track(Track::Flushed));
    match (asked, done) {
        (Some(asked), Some(done)) => before.into_iter().any(|i| near(asked[i]) && done[i] <= cap / NEAR_CAP),
        _ => course.mean(Track::Flushed, before).is_some_and(near),
    }
}

/// Whether pages are flushed, and more of them from the flush lists than to make room in the buffer pool, which no I/O capacity
/// paces.
fn flushes_for_the_age(course: &Course) -> bool {
    let mean = |track| course.mean(track, course.within(course.counted_from_s, course.end_s())).unwrap_or(0.0);
    let (all, for_room) = (mean(Track::Flushed), mean(Track::LruPages) + mean(Track::SinglePages));
    all > 1.0 && all > 2.0 * for_room
}

/// Whether the age rose no more in the last third of the counted time: what it comes to is seen.
fn is_at_rest(course: &Course) -> bool {
    let (from, end) = (course.counted_from_s, course.end_s());
    let third = (end - from) / 3.0;
    let age = |from: f64| course.mean(Track::CheckpointAge, course.within(from, from + third));
    let (middle, last) = (age(from + third), age(from + 2.0 * third));
    3.0 * third >= LEAST_S && matches!((middle, last), (Some(middle), Some(last)) if last <= RISING * middle)
}

/// The setting of the size of the redo log.
fn redo_setting(course: &Course) -> &'static str {
    let capacity = "innodb_redo_log_capacity";
    if course.setting(capacity).is_some() { capacity } else { "innodb_log_file_size" }
}
