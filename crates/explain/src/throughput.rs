//! Falls of throughput and their ends, stalls, idle time, a queue that grows.
//!
//! A fall is a move between turning points of the ten-second medians: a fifth of the mean level or more, and four times
//! what the scatter within blocks explains. That is what the regime calls a wave's move, so that waves and falls agree.

use crate::blocks::{Block, blocks, median, median_noise};
use crate::course::{Course, Origin, Track};
use crate::event::{Event, What};
use crate::spans::{Span, spans};

/// Least move of a fall, as a share of the mean level.
const MOVE: f64 = 0.20;
/// Least move of a fall, in standard errors of a block's median.
const NOISE: f64 = 4.0;
/// A fall begins where throughput was last within this share of the way down from its high.
const SHOULDER: f64 = 0.25;
/// A load is served if this share of what it asks for is done.
const SERVED: f64 = 0.9;
/// Fewest steps of which a median is worth looking at.
const LEAST_STEPS: usize = 30;
/// Steps in which a recorded load sets in.
const SETTING_IN: usize = 2;
/// Shortest time without a transaction that is idle, seconds.
const IDLE_S: f64 = 5.0;
/// A queue grows if it gains this many seconds of work over half the course or more.
const QUEUE_SECONDS: f64 = 1.0;

/// A fall of throughput.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fall {
    /// End of the last block before it, seconds.
    pub(crate) at_s: f64,
    /// Median of that block.
    pub(crate) from_tps: f64,
    /// Lowest median.
    pub(crate) to_tps: f64,
    /// End of the lowest block.
    pub(crate) lowest_s: f64,
    /// End of the first block after it that is half-way up again.
    pub(crate) half_back_s: Option<f64>,
}

impl Fall {
    /// Where the fall is over: half-way back, or at its lowest.
    pub(crate) fn over_s(&self) -> f64 {
        self.half_back_s.unwrap_or(self.lowest_s)
    }
}

/// All falls, in order.
pub(crate) fn falls(course: &Course) -> Vec<Fall> {
    let blocks = blocks(course, Track::Tps);
    let level = blocks.iter().map(|b| b.median).sum::<f64>() / blocks.len().max(1) as f64;
    let least = (MOVE * level).max(NOISE * median_noise(&blocks));
    if level <= 0.0 || blocks.len() < 3 {
        return Vec::new();
    }
    let lows = legs_down(&blocks, least);
    let fall = |(n, &(high, low)): (usize, &(usize, usize))| {
        let next_low = lows.get(n + 1).map_or(blocks.len(), |&(_, low)| low);
        fall_of(&blocks, high, low, next_low)
    };
    lows.iter().enumerate().map(fall).filter(|fall| !is_all_that_was_asked(course, fall)).collect()
}

/// Whether an open drive asked for no more than was done at the lowest: then the load fell, not the server.
fn is_all_that_was_asked(course: &Course, fall: &Fall) -> bool {
    let lowest = course.within(fall.lowest_s - crate::blocks::BLOCK_S, fall.lowest_s);
    course.mean(Track::Offered, lowest).is_some_and(|asked| fall.to_tps >= SERVED * asked)
}

/// Blocks at the top and at the bottom of each move down of at least `least`.
fn legs_down(blocks: &[Block], least: f64) -> Vec<(usize, usize)> {
    let mut legs = Vec::new();
    let (mut high, mut low) = (0, 0);
    let mut falling = false;
    for i in 0..blocks.len() {
        let value = blocks[i].median;
        if falling {
            if value < blocks[low].median {
                low = i;
            } else if value - blocks[low].median >= least {
                legs.push((high, low));
                (falling, high) = (false, i);
            }
        } else if value >= blocks[high].median {
            high = i;
        } else if blocks[high].median - value >= least {
            (falling, low) = (true, i);
        }
    }
    if falling {
        legs.push((high, low));
    }
    legs
}

fn fall_of(blocks: &[Block], high: usize, low: usize, until: usize) -> Fall {
    let drop = blocks[high].median - blocks[low].median;
    let shoulder = blocks[high].median - SHOULDER * drop;
    let start = (high..low).rev().find(|&i| blocks[i].median >= shoulder).unwrap_or(high);
    let half = blocks[low].median + drop / 2.0;
    let back = blocks[low..until].iter().find(|block| block.median >= half);
    Fall {
        at_s: blocks[start].to_s,
        from_tps: blocks[start].median,
        to_tps: blocks[low].median,
        lowest_s: blocks[low].to_s,
        half_back_s: back.map(|block| block.to_s),
    }
}

pub(crate) fn events(course: &Course, falls: &[Fall]) -> Vec<Event> {
    let mut events: Vec<Event> = falls.iter().map(|fall| described(course, fall)).collect();
    events.extend(stalls(course, falls));
    events.extend(idle(course));
    events.extend(queue(course));
    events
}

fn described(course: &Course, fall: &Fall) -> Event {
    // The block in which throughput gave way begins before its median tells.
    let during = course.within(fall.at_s - crate::blocks::BLOCK_S, fall.over_s());
    let seconds_with = |track| {
        let values = course.track(track)?;
        Some(during.clone().filter(|&i| values[i] > 0.0).map(|i| course.steps[i]).sum::<f64>())
    };
    let limit = course.limits.async_bytes;
    let highest = course
        .track(Track::CheckpointAge)
        .filter(|_| limit > 0.0)
        .map(|age| age[during.clone()].iter().copied().filter(|age| age.is_finite()).fold(0.0, f64::max) / limit);
    let what = What::ThroughputFell {
        from_tps: fall.from_tps,
        to_tps: fall.to_tps,
        share: 1.0 - fall.to_tps / fall.from_tps,
        lowest_s: fall.lowest_s,
        half_back_s: fall.half_back_s,
        sync_flushing_s: seconds_with(Track::SyncPages),
        checkpoint_waits: course.amount(Track::CheckpointWaits, during.clone()),
        free_page_waits: course.amount(Track::FreePageWaits, during.clone()),
        log_waits: course.amount(Track::LogWaits, during.clone()),
        age_share_of_limit: highest,
        stopped_s: seconds_with(Track::Stopped).unwrap_or(0.0),
    };
    Event { at_s: fall.at_s, what }
}

/// Seconds below half the median, outside of falls and of time that nobody wanted work in.
fn stalls(course: &Course, falls: &[Fall]) -> Option<Event> {
    let tps = course.track(Track::Tps).filter(|tps| tps.len() >= LEAST_STEPS)?;
    let typical = median(tps[course.within(course.counted_from_s, course.end_s())].iter().copied());
    // Four standard deviations of a Poisson count: less is chance.
    let least = (typical / 2.0).min(typical - 4.0 * typical.sqrt());
    let stopped = course.track(Track::Stopped);
    let in_a_fall = |s: f64| falls.iter().any(|fall| s > fall.at_s && s <= fall.over_s());
    // A load that sets in between two samples does not stall.
    let sets_in = tps.iter().position(|rate| *rate >= least).filter(|steps| *steps <= SETTING_IN);
    let begun = sets_in.filter(|_| course.origin == Origin::Recorded).unwrap_or(0);
    let is = |i: usize| {
        let s = course.seconds[i];
        let wanted = stopped.is_none_or(|stopped| stopped[i] == 0.0);
        i >= begun && s > course.counted_from_s && tps[i] < least && wanted && !in_a_fall(s)
    };
    // Separate stalls: neighbouring steps alone belong together.
    let mut runs: Vec<Span> = Vec::new();
    for i in (0..tps.len()).filter(|&i| is(i)) {
        let (to_s, step) = (course.seconds[i], course.steps[i]);
        match runs.last_mut() {
            Some(run) if to_s - step <= run.to_s + 1e-6 => (run.to_s, run.seconds) = (to_s, run.seconds + step),
            _ => runs.push(Span { from_s: to_s - step, to_s, seconds: step }),
        }
    }
    let (first, last) = (runs.first()?, runs.last()?);
    let what = What::Stalls {
        until_s: last.to_s,
        stalls: runs.len() as u32,
        seconds: runs.iter().map(|run| run.seconds).sum(),
        longest_s: runs.iter().map(|run| run.seconds).fold(0.0, f64::max),
    };
    Some(Event { at_s: first.from_s, what })
}

fn idle(course: &Course) -> Vec<Event> {
    let Some(tps) = course.track(Track::Tps) else { return Vec::new() };
    let long = spans(course, |i| tps[i] == 0.0)
        .into_iter()
        .filter(|s| s.seconds >= IDLE_S && s.seconds >= 0.9 * (s.to_s - s.from_s));
    long.map(|s| Event { at_s: s.from_s, what: What::Idle { until_s: s.to_s, seconds: s.seconds } }).collect()
}

/// A queue that is longer at the end than it was, quarter after quarter.
fn queue(course: &Course) -> Option<Event> {
    let waiting = course.track(Track::Waiting)?;
    let counted = course.within(course.counted_from_s, course.end_s());
    let quarter = counted.len() / 4;
    if quarter == 0 {
        return None;
    }
    let start = counted.start;
    let medians: Vec<f64> =
        (0..4).map(|q| median(waiting[start + q * quarter..start + (q + 1) * quarter].iter().copied())).collect();
    let work = course.mean(Track::Tps, counted)?.max(10.0) * QUEUE_SECONDS;
    let grows = medians.windows(2).all(|pair| pair[1] > pair[0]) && medians[3] - medians[0] >= work;
    let (from_waiting, to_waiting) = (waiting[start], *waiting.last()?);
    grows.then(|| Event {
        at_s: course.seconds[start],
        what: What::QueueGrew { until_s: course.end_s(), from_waiting, to_waiting },
    })
}
