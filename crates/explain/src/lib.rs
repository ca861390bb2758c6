//! What happened on a server, found by rules in its series.
//!
//! ```text
//!   Course (series, limits, settings)  --explain-->  [Event] (when, what, figures)
//! ```
//!
//! A [`Course`] is the same for a simulated run and for a recording; what was not recorded is not there, and no event is
//! made of it. An [`Event`] says only what its figures carry: "sync flushing ran from 764 s to 812 s", "throughput fell
//! by 70 %", "the redo that came due then had made twice as many pages dirty as the mean". Words are put to events
//! elsewhere; here are numbers alone.
//!
//! | module | finds |
//! |---|---|
//! | `start` | what the load began with, where the counted time begins |
//! | `ages` | the checkpoint age at its limits |
//! | `spans` | when sync flushing ran, when threads waited for a checkpoint, a free page, the log buffer |
//! | `throughput` | falls and their ends, stalls, idle time, a queue that grows |
//! | `echo` | falls that an earlier dense stretch of redo explains, and when the next is due |
//! | `flushing` | times in which flushing was at a setting's ceiling or fell short of what was asked, and why |
//! | `regimes` | the regime, and where it changed |
//! | `free_pages` | free pages that user threads make themselves; a checkpoint that lags behind the oldest dirty page |
//! | `limits` | whether device or processors were full |
//! | `remedies` | settings that the events point to |
//!
//! Thresholds stand beside the rules, with their reasons. They are judgement: an event is a place to look at.

mod ages;
mod blocks;
mod course;
mod echo;
mod event;
mod flushing;
mod free_pages;
mod limits;
mod regimes;
mod remedies;
mod slow_loops;
mod snapshot;
mod spans;
mod start;
#[cfg(test)]
mod tests;
mod throughput;

pub use course::{Course, Limits, Origin, Track};
pub use event::{Ceiling, Event, LimitName, PlaceOfWait, Rates, Reason, RedoSize, Stands, Waits, What};
pub use slow_loops::{Loop, explain_slow_loops};
pub use snapshot::{Pending, Snapshot, explain_snapshot};

/// Everything that the rules find, in the order of time; what holds for the whole comes at its end.
pub fn explain(course: &Course) -> Vec<Event> {
    if course.seconds.is_empty() {
        return Vec::new();
    }
    let mut events = start::events(course);
    events.extend(ages::events(course));
    events.extend(spans::events(course));
    let falls = throughput::falls(course);
    events.extend(throughput::events(course, &falls));
    events.extend(echo::events(course, &falls));
    events.extend(flushing::events(course));
    events.extend(free_pages::events(course));
    events.extend(regimes::changes(course));
    events.sort_by(|a, b| a.at_s.total_cmp(&b.at_s));
    let whole = [regimes::whole(course), limits::whole(course)];
    events.extend(whole.into_iter().flatten());
    let remedies = remedies::of(course, &events);
    events.extend(remedies);
    events
}
