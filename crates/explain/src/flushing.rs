//! Times in which flushing was at a setting's ceiling or fell short of what was asked, and LRU flushing.

use crate::blocks::{Block, blocks, median};
use crate::course::{Course, Track};
use crate::event::{Ceiling, Event, What};
use crate::spans::{Span, spans};

/// Flushing this close to a setting stands at it.
const AT_CAP: f64 = 0.03;
/// Flushing falls short if this many times as much was asked for.
const SHORT: f64 = 1.15;
/// Busy share from which on a device or the processors are called full.
pub(crate) const FULL: f64 = 0.95;
/// Shortest time at a ceiling that is told, seconds.
const LEAST_S: f64 = 30.0;
/// LRU batches and single pages are told from this share of all pages flushed.
const LRU_SHARE: f64 = 0.05;

pub(crate) fn events(course: &Course) -> Vec<Event> {
    let blocks = blocks(course, Track::Flushed);
    let mut events: Vec<Event> = capped(course, &blocks).into_iter().chain(short(course, &blocks)).collect();
    events.extend(lru(course));
    events
}

/// Whether sync flushing ran in a block, which asks for no number of pages.
fn has_sync(course: &Course, block: &Block) -> bool {
    course.amount(Track::SyncPages, block.at.clone()).is_some_and(|pages| pages > 0.0)
}

/// The spans of a course that some of its blocks cover.
pub(crate) fn spans_of(course: &Course, some: &[&Block]) -> Vec<Span> {
    let long = |span: &Span| span.seconds >= LEAST_S;
    spans(course, |i| some.iter().any(|block| block.at.contains(&i))).into_iter().filter(long).collect()
}

/// The setting that bounds background flushing, and its value.
pub(crate) fn cap(course: &Course) -> Option<(Ceiling, &'static str, f64)> {
    let of = |by, name: &'static str| Some((by, name, course.setting(name)?));
    of(Ceiling::IoCapacityMax, "innodb_io_capacity_max").or_else(|| of(Ceiling::IoCapacity, "innodb_io_capacity"))
}

fn capped(course: &Course, blocks: &[Block]) -> Vec<Event> {
    let Some((by, setting, cap)) = cap(course) else { return Vec::new() };
    // Where it is known what was asked for, it must have been the whole of the cap.
    let asked =
        |block: &Block| course.mean(Track::Requested, block.at.clone()).is_none_or(|n| n >= (1.0 - AT_CAP) * cap);
    let at_cap = |block: &Block| {
        let mean = course.mean(Track::Flushed, block.at.clone()).unwrap_or(0.0);
        (mean - cap).abs() <= AT_CAP * cap && asked(block) && !has_sync(course, block)
    };
    let some: Vec<&Block> = blocks.iter().filter(|block| at_cap(block)).collect();
    let event = |span: Span| {
        let pages_per_s = course.mean(Track::Flushed, course.within(span.from_s, span.to_s)).unwrap_or(0.0);
        let what = What::FlushingCapped {
            by,
            setting,
            cap_pages_per_s: cap,
            pages_per_s,
            until_s: span.to_s,
            seconds: span.seconds,
        };
        Event { at_s: span.from_s, what }
    };
    spans_of(course, &some).into_iter().map(event).collect()
}

fn short(course: &Course, blocks: &[Block]) -> Vec<Event> {
    let asked = |block: &Block| course.mean(Track::Requested, block.at.clone()).unwrap_or(0.0);
    let done = |block: &Block| course.mean(Track::Flushed, block.at.clone()).unwrap_or(f64::INFINITY);
    let is_short =
        |block: &&Block| asked(block) >= SHORT * done(block) && done(block) >= 1.0 && !has_sync(course, block);
    // A request that was much larger than the dirty pages says nothing of what writing can do.
    let enough_dirty =
        |block: &&Block| course.mean(Track::Dirty, block.at.clone()).is_none_or(|d| d >= 2.0 * asked(block));
    let some: Vec<&Block> = blocks.iter().filter(is_short).filter(enough_dirty).collect();
    spans_of(course, &some).into_iter().map(|span| short_event(course, &some, span)).collect()
}

fn short_event(course: &Course, some: &[&Block], span: Span) -> Event {
    let inside: Vec<&&Block> =
        some.iter().filter(|b| b.from_s >= span.from_s - 1e-6 && b.to_s <= span.to_s + 1e-6).collect();
    let typical = |track| median(inside.iter().filter_map(|block| course.mean(track, block.at.clone())));
    let known = |value: f64| value.is_finite().then_some(value);
    let device_busy = known(typical(Track::DeviceBusy));
    let cpu_busy = known(typical(Track::CpuBusy)).or(course.cpu_busy_mean);
    let writes = typical(Track::DoublewriteWrites);
    let what = What::FlushingShort {
        by: why_short(device_busy, cpu_busy, writes > 0.0),
        asked_pages: typical(Track::Requested),
        pages_per_s: typical(Track::Flushed),
        until_s: span.to_s,
        seconds: span.seconds,
        device_busy,
        cpu_busy,
        doublewrite_pages_per_write: (writes > 0.0).then(|| typical(Track::DoublewritePages) / writes),
    };
    Event { at_s: span.from_s, what }
}

/// What the figures say of why writing fell short.
fn why_short(device: Option<f64>, cpu: Option<f64>, doublewrite: bool) -> Ceiling {
    match (device, cpu) {
        (Some(busy), _) if busy >= FULL => Ceiling::Device,
        (_, Some(busy)) if busy >= FULL => Ceiling::Cpu,
        (Some(_), _) if doublewrite => Ceiling::Doublewrite,
        _ => Ceiling::Unknown,
    }
}

fn lru(course: &Course) -> Option<Event> {
    let counted = course.within(course.counted_from_s, course.end_s());
    let all = course.amount(Track::Flushed, counted.clone())?;
    let pages = course.amount(Track::LruPages, counted.clone())?;
    let single_pages = course.amount(Track::SinglePages, counted).unwrap_or(0.0);
    let share = (pages + single_pages) / all.max(1.0);
    let what = What::LruFlushing { pages, share, single_pages };
    (share >= LRU_SHARE).then_some(Event { at_s: course.counted_from_s, what })
}
