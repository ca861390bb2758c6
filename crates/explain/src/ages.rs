//! The checkpoint age at its limits.

use crate::course::{Course, Track};
use crate::event::{Event, LimitName, What};

/// An age is below its limit again from this share on: a ripple at the limit is one meeting.
const BELOW: f64 = 0.97;

pub(crate) fn events(course: &Course) -> Vec<Event> {
    let Some(age) = course.track(Track::CheckpointAge) else { return Vec::new() };
    let met = |(limit, bytes)| reached(course, age, limit, bytes);
    let mut events: Vec<Event> = course.limits.named().into_iter().filter_map(met).collect();
    if events.is_empty() && course.limits.async_bytes > 0.0 {
        events.extend(highest(course, age, course.limits.async_bytes));
    }
    events
}

/// When a limit was met.
fn reached(course: &Course, age: &[f64], limit: LimitName, limit_bytes: f64) -> Option<Event> {
    let (mut times, mut seconds, mut above) = (0, 0.0, false);
    let (mut first, mut last_s) = (None, 0.0);
    for (i, age) in age.iter().enumerate().filter(|(_, age)| age.is_finite()) {
        if *age >= limit_bytes {
            times += u32::from(!above);
            above = true;
            seconds += course.steps[i];
            first = first.or(Some(course.seconds[i]));
            last_s = course.seconds[i];
        } else if *age < BELOW * limit_bytes {
            above = false;
        }
    }
    Some(Event { at_s: first?, what: What::LimitReached { limit, limit_bytes, times, seconds, last_s } })
}

/// Where the age was highest.
fn highest(course: &Course, age: &[f64], limit_bytes: f64) -> Option<Event> {
    let known = age.iter().enumerate().filter(|(_, age)| age.is_finite());
    // The first of equals.
    let (i, &age_bytes) = known.max_by(|(i, a), (j, b)| a.total_cmp(b).then(j.cmp(i)))?;
    let what = What::HighestAge { age_bytes, limit_bytes, share: age_bytes / limit_bytes };
    Some(Event { at_s: course.seconds[i], what })
}
