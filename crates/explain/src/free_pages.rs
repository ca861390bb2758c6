//! A shortage of free pages, and a checkpoint that lags behind the oldest dirty page.

use crate::blocks::{Block, blocks};
use crate::course::{Course, Track};
use crate::event::{Event, What};
use crate::flushing::spans_of;
use crate::spans::{Span, spans};

/// From this share of the pages flushed on, single pages of user threads are most of them.
const MOST: f64 = 0.5;
/// Pages looked at in search of a free one, for each that is flushed, from which on the search itself is the work.
const SEARCHED: f64 = 20.0;
/// Fewest pages a second of which that is said.
const LEAST_PAGES_PER_S: f64 = 10.0;
/// A checkpoint lags if the oldest dirty page is younger by this share of the checkpoint age, by this share of the limit,
/// and by the redo of this many seconds: a server that is well takes one every seven.
const LAG_SHARE: f64 = 0.25;
const LAG_OF_LIMIT: f64 = 0.05;
const LAG_S: f64 = 20.0;
/// Shortest lag that is told, seconds.
const LEAST_LAG_S: f64 = 20.0;

pub(crate) fn events(course: &Course) -> Vec<Event> {
    let mut events = shortages(course);
    events.extend(lags(course));
    events
}

/// Whether user threads found free pages by themselves for the most part of some time.
pub(crate) fn is_short(events: &[Event]) -> bool {
    events.iter().any(|event| matches!(event.what, What::FreePagesShort { .. }))
}

fn shortages(course: &Course) -> Vec<Event> {
    let blocks = blocks(course, Track::Flushed);
    let mean = |track, block: &Block| course.mean(track, block.at.clone());
    let short = |block: &&Block| {
        let flushed = mean(Track::Flushed, block).unwrap_or(0.0);
        let single = mean(Track::SinglePages, block).is_some_and(|single| single >= MOST * flushed);
        let searched = mean(Track::FreePageSearch, block).is_some_and(|pages| pages >= SEARCHED * flushed);
        flushed >= LEAST_PAGES_PER_S && (single || searched)
    };
    let some: Vec<&Block> = blocks.iter().filter(short).collect();
    let event = |span: Span| {
        let at = course.within(span.from_s, span.to_s);
        let mean = |track| course.mean(track, at.clone());
        let what = What::FreePagesShort {
            until_s: span.to_s,
            seconds: span.seconds,
            free_pages: course.track(Track::FreePages).map(|free| crate::blocks::median(at.clone().map(|i| free[i]))),
            searched_per_s: mean(Track::FreePageSearch),
            single_pages_per_s: mean(Track::SinglePages),
            lru_pages_per_s: mean(Track::LruPages),
            pages_per_s: mean(Track::Flushed).unwrap_or(0.0),
            cpu_busy: mean(Track::CpuBusy),
        };
        Event { at_s: span.from_s.max(0.0), what }
    };
    spans_of(course, &some).into_iter().map(event).collect()
}

fn lags(course: &Course) -> Vec<Event> {
    let (Some(age), Some(oldest)) = (course.track(Track::CheckpointAge), course.track(Track::OldestAge)) else {
        return Vec::new();
    };
    let lag = |i: usize| age[i] - oldest[i];
    let redo_per_s = redo_per_s(course);
    let least = (LAG_OF_LIMIT * course.limits.async_bytes).max(LAG_S * redo_per_s);
    let lags = |i: usize| oldest[i] > 0.0 && lag(i) >= LAG_SHARE * age[i] && lag(i) >= least;
    let event = |span: Span| {
        let peak = course.within(span.from_s, span.to_s).max_by(|&a, &b| lag(a).total_cmp(&lag(b)))?;
        let what = What::CheckpointLags {
            until_s: span.to_s,
            seconds: span.seconds,
            peak_s: course.seconds[peak],
            lag_bytes: lag(peak),
            age_bytes: age[peak],
            oldest_page_age_bytes: oldest[peak],
        };
        Some(Event { at_s: span.from_s, what })
    };
    let long = spans(course, lags).into_iter().filter(|span| span.seconds >= LEAST_LAG_S);
    if redo_per_s > 0.0 { long.filter_map(event).collect() } else { Vec::new() }
}

/// Redo a second over the course.
fn redo_per_s(course: &Course) -> f64 {
    let Some(lsn) = course.track(Track::Lsn) else { return 0.0 };
    let known: Vec<usize> = (0..lsn.len()).filter(|&i| lsn[i].is_finite()).collect();
    let (Some(&first), Some(&last)) = (known.first(), known.last()) else { return 0.0 };
    let seconds = course.seconds[last] - course.seconds[first];
    if seconds > 0.0 { (lsn[last] - lsn[first]) / seconds } else { 0.0 }
}
