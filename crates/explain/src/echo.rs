//! Falls that an earlier dense stretch of redo explains.
//!
//! A page is flushed once for each time that it becomes dirty, so what flushing has to do when the checkpoint passes a
//! stretch of redo is the number of pages that this stretch made dirty. That number is in the series: pages that became
//! dirty in a step = growth of the dirty pages + pages flushed. A load that starts on clean pages makes many dirty a byte
//! of redo, and fewer later, as most pages that it touches are dirty already. When the age is at its limit, redo goes on
//! as fast as its tail is flushed: where the tail lies in a dense stretch, throughput falls. The pages flushed then are
//! made dirty again together, and come due one turn of the redo later.
//!
//! Here the stretch that was due on the way to the lowest point of a fall is looked up by its log sequence numbers, and compared with the mean of all
//! redo before the fall. The redo of the fall itself is compared with that of the half turn before: the mean of all would still
//! hold the start of the load.

use crate::course::{Course, Track};
use crate::event::{Event, What};
use crate::throughput::Fall;

/// A stretch is dense if it made this many times as many pages dirty a byte as the mean: less is ripple.
const DENSE: f64 = 1.25;
/// Redo of a fall is dense, and comes due as an echo, if it made this many times as many pages dirty a byte as that of the half
/// turn before it.
const ECHO: f64 = 1.25;
/// A fall this share of a turn before or after the echo was due is taken for it.
const NEAR: f64 = 0.15;
/// Share of the turn over which density is averaged at least.
const WINDOW: f64 = 0.02;
/// Share of its limit that the age must have reached: below it nothing forces redo to wait for its tail.
const PRESSED: f64 = 0.9;
const MIB: f64 = 1_048_576.0;

/// Log sequence number, tail, and pages made dirty, at the end of each step.
struct Trail<'a> {
    course: &'a Course,
    lsn: &'a [f64],
    /// Log sequence number of the oldest dirty page.
    tail: Vec<f64>,
    /// Pages that became dirty since the load began.
    dirtied: Vec<f64>,
}

impl<'a> Trail<'a> {
    /// `None` where a series is missing or has gaps.
    fn of(course: &'a Course) -> Option<Trail<'a>> {
        let lsn = course.track(Track::Lsn)?;
        let age = course.track(Track::OldestAge).or_else(|| course.track(Track::CheckpointAge))?;
        let (dirty, flushed) = (course.track(Track::Dirty)?, course.track(Track::Flushed)?);
        let mut sum = course.dirty_at_start.map_or(0.0, |start| dirty[0] - start);
        let mut most = 0.0_f64;
        let mut dirtied = Vec::with_capacity(lsn.len());
        for i in 0..lsn.len() {
            let grown = if i > 0 { dirty[i] - dirty[i - 1] } else { 0.0 };
            // The first rate of a recording may be missing; nothing else may.
            let written = if i == 0 && flushed[i].is_nan() { 0.0 } else { flushed[i] * course.steps[i] };
            // Pages may be counted as flushed before they leave the dirty ones: ups and downs that must not add up.
            sum += grown + written;
            most = if sum.is_nan() { sum } else { most.max(sum) };
            dirtied.push(most);
        }
        let tail: Vec<f64> = lsn.iter().zip(age).map(|(lsn, age)| lsn - age).collect();
        let whole = dirtied.iter().chain(&tail).all(|v| v.is_finite());
        whole.then_some(Trail { course, lsn, tail, dirtied })
    }

    /// Number of the first step at whose end the log had reached `lsn`.
    fn step_of(&self, lsn: f64) -> Option<usize> {
        let i = self.lsn.partition_point(|at| *at < lsn);
        (i < self.lsn.len()).then_some(i)
    }

    /// Pages made dirty up to a log sequence number.
    fn dirtied_by(&self, lsn: f64) -> Option<f64> {
        let i = self.step_of(lsn)?;
        if i == 0 {
            return Some(self.dirtied[0] * (lsn / self.lsn[0].max(1.0)).clamp(0.0, 1.0));
        }
        let (from, to) = (self.lsn[i - 1], self.lsn[i]);
        let share = if to > from { (lsn - from) / (to - from) } else { 1.0 };
        Some(self.dirtied[i - 1] + share * (self.dirtied[i] - self.dirtied[i - 1]))
    }

    /// Pages made dirty a MiB of redo between two log sequence numbers.
    fn density(&self, from: f64, to: f64) -> Option<f64> {
        (to > from).then_some(())?;
        Some((self.dirtied_by(to)? - self.dirtied_by(from)?) / (to - from) * MIB)
    }

    fn second_of(&self, lsn: f64) -> Option<f64> {
        Some(self.course.seconds[self.step_of(lsn)?])
    }

    /// Number of the last step that is not after `second`.
    fn at(&self, second: f64) -> usize {
        self.course.seconds.partition_point(|s| *s <= second).saturating_sub(1)
    }
}

pub(crate) fn events(course: &Course, falls: &[Fall]) -> Vec<Event> {
    let Some(trail) = Trail::of(course) else { return Vec::new() };
    let mut events = Vec::new();
    // Falls that an echo explains.
    let mut echoes: Vec<f64> = Vec::new();
    for fall in falls.iter().filter(|fall| is_pressed(course, fall)) {
        let dense = due(&trail, fall);
        // What has no dense stretch behind it is no beginning of a chain of them.
        let next = echo(&trail, fall, falls).filter(|_| dense.is_some() || echoes.contains(&fall.at_s));
        if let Some(Event { what: What::EchoDue { next_fall_s: Some(next), .. }, .. }) = next {
            echoes.push(next);
        }
        events.extend(dense.into_iter().chain(next));
    }
    events
}

/// Whether the age was at its limit when throughput fell.
fn is_pressed(course: &Course, fall: &Fall) -> bool {
    let Some(age) = course.track(Track::CheckpointAge) else { return false };
    let limit = course.limits.async_bytes;
    let during = course.within(fall.at_s - crate::blocks::BLOCK_S, fall.over_s());
    limit > 0.0 && during.into_iter().any(|i| age[i] >= PRESSED * limit)
}

/// The stretch that came due in a fall, if it is dense.
fn due(trail: &Trail<'_>, fall: &Fall) -> Option<Event> {
    let (start, lowest) = (trail.at(fall.at_s), trail.at(fall.lowest_s));
    let turn = trail.lsn[start] - trail.tail[start];
    let from = trail.tail[start];
    let to = trail.tail[lowest].max(from + WINDOW * turn);
    if from < 0.0 {
        // Made before the load began: nothing is known of it.
        return None;
    }
    let (density, mean) = (trail.density(from, to)?, trail.density(0.0, trail.lsn[start])?);
    let what = What::DenseRedoDue {
        made_from_s: if from <= trail.lsn[0] { 0.0 } else { trail.second_of(from)? },
        made_until_s: trail.second_of(to)?,
        dirtied_per_mib: density,
        mean_dirtied_per_mib: mean,
    };
    (density >= DENSE * mean).then_some(Event { at_s: fall.at_s, what })
}

/// When the redo of a fall comes due itself, if it is dense.
fn echo(trail: &Trail<'_>, fall: &Fall, falls: &[Fall]) -> Option<Event> {
    // A fall of which half never came back goes on to the end.
    let over = fall.half_back_s.map_or(trail.tail.len() - 1, |second| trail.at(second));
    let start = trail.at(fall.at_s);
    let (from, to) = (trail.lsn[start], trail.lsn[over]);
    let turn = from - trail.tail[start];
    let (density, before) = (trail.density(from, to)?, trail.density((from - turn / 2.0).max(0.0), from)?);
    if density < ECHO * before {
        return None;
    }
    let end = trail.tail.len() - 1;
    let seen = trail.tail.iter().position(|tail| *tail >= from);
    let due_s = match seen {
        Some(i) => trail.course.seconds[i],
        None => {
            // The tail goes on as fast as the log did over the last half turn.
            let back = trail.step_of(trail.lsn[end] - turn / 2.0)?;
            let speed = (trail.lsn[end] - trail.lsn[back]) / (trail.course.seconds[end] - trail.course.seconds[back]);
            (speed > 0.0).then(|| trail.course.seconds[end] + (from - trail.tail[end]) / speed)?
        }
    };
    let near = NEAR * (due_s - fall.at_s);
    let next = falls.iter().find(|other| other.at_s > fall.at_s && (other.at_s - due_s).abs() <= near);
    let what = What::EchoDue {
        fall_s: fall.at_s,
        dirtied_per_mib: density,
        dirtied_per_mib_before: before,
        turn_bytes: turn,
        predicted: seen.is_none(),
        next_fall_s: next.map(|fall| fall.at_s),
    };
    Some(Event { at_s: due_s, what })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::course;

    /// Each other second pages that are counted as flushed are still dirty.
    #[test]
    fn pages_under_way_are_not_made_dirty_twice() {
        let dirty = |s: usize| 5000.0 + if s.is_multiple_of(2) { 2000.0 } else { 0.0 };
        let flushed = |s: usize| 1000.0 + if s.is_multiple_of(2) { 400.0 } else { -400.0 };
        let tracks: [(Track, &dyn Fn(usize) -> f64); 4] = [
            (Track::Lsn, &|s| 1e6 * s as f64),
            (Track::OldestAge, &|_| 1e6),
            (Track::Dirty, &dirty),
            (Track::Flushed, &flushed),
        ];
        let mut one = course(100, &tracks);
        one.dirty_at_start = Some(5000.0);
        let trail = Trail::of(&one).unwrap();
        let made = trail.dirtied[99] - trail.dirtied[0];
        assert!((made - 99_000.0).abs() <= 3500.0, "{made}");
        let gaps = course(
            100,
            &[tracks[0], tracks[1], tracks[2], (Track::Flushed, &|s| if s == 50 { f64::NAN } else { 1.0 })],
        );
        assert!(Trail::of(&gaps).is_none(), "what was written in a gap is not known");
    }
}
