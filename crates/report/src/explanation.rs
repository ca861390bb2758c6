//! What happened, in sentences: the words for the events that the crate `innosim_explain` finds.
//!
//! A sentence says what its event's figures say, no more: that sync flushing ran while throughput fell, not that it was
//! the reason; what is a reason (threads that waited) is in the figures. Events of one kind that come again and again are
//! summed up after the first few; JSON has all of them.

mod cleaning;
mod falls;
mod flushing;
mod repeated;
mod settings;
mod snapshot;
mod whole;

use crate::numbers::{bytes, count, percent};
use innosim_explain::{Event, LimitName, Waits, What};
use std::mem::{Discriminant, discriminant};

/// What one look at a server tells, as a pattern.
macro_rules! of_one_look {
    () => {
        What::AgeNow { .. }
            | What::LimitLeft { .. }
            | What::LimitsBySize { .. }
            | What::PrintedLimit { .. }
            | What::Pool { .. }
            | What::UnderWay { .. }
            | What::RatesNow { .. }
            | What::Rewritten { .. }
            | What::History { .. }
            | What::LongWait { .. }
            | What::LooksLike { .. }
            | What::RecordNext { .. }
    };
}

const DAY_S: f64 = 86_400.0;
/// Events of a kind that are told one by one.
const TOLD: usize = 4;

/// A sentence and its time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// When: `764 s`; empty for what holds for the whole.
    pub at: String,
    /// What.
    pub text: String,
}

impl Sentence {
    fn of(event: &Event) -> Sentence {
        let at = if is_of_the_whole(&event.what) { String::new() } else { seconds(event.at_s) };
        Sentence { at, text: text(&event.what) }
    }

    /// Time and text in one line.
    pub fn line(&self) -> String {
        if self.at.is_empty() { self.text.clone() } else { format!("{}: {}", self.at, self.text) }
    }
}

/// All events in sentences, in their order.
pub fn sentences(events: &[Event]) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    let mut told: Vec<(Kind, usize)> = Vec::new();
    for (i, event) in events.iter().enumerate() {
        let kind = kind_of(event);
        let before = told.iter().position(|(other, _)| *other == kind).unwrap_or_else(|| {
            told.push((kind, 0));
            told.len() - 1
        });
        told[before].1 += 1;
        let left: Vec<&Event> = events[i..].iter().filter(|other| kind_of(other) == kind).collect();
        let n = told[before].1;
        if is_of_the_whole(&event.what) || n < TOLD || (n == TOLD && left.len() == 1) {
            sentences.push(Sentence::of(event));
        } else if n == TOLD {
            sentences.push(Sentence { at: seconds(event.at_s), text: repeated::summed_up(&left) });
        }
    }
    sentences
}

/// The few that matter most, in the order of time: what `run` prints below its table.
pub fn in_short(events: &[Event], most: usize) -> Vec<Sentence> {
    let mut chosen: Vec<(u8, usize)> = Vec::new();
    let mut seen: Vec<Kind> = Vec::new();
    for (i, event) in events.iter().enumerate() {
        let (rank, kind) = (weight(&event.what), kind_of(event));
        // The first of a kind stands for it.
        if rank > 0 && !seen.contains(&kind) {
            seen.push(kind);
            chosen.push((rank, i));
        }
    }
    chosen.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    chosen.truncate(most);
    chosen.sort_by_key(|(_, i)| *i);
    chosen.into_iter().map(|(_, i)| Sentence::of(&events[i])).collect()
}

/// How much an event says to somebody who reads four lines; 0 if nothing that the table does not.
fn weight(what: &What) -> u8 {
    match what {
        What::QueueGrew { .. } => 9,
        What::FreePagesShort { .. } => 7,
        What::ThroughputFell { .. } => 8,
        What::EchoDue { .. } => 7,
        What::SyncFlushing { .. } | What::Idle { .. } | What::LoopsSaid { .. } => 6,
        What::FlushingCapped { .. } | What::FlushingShort { .. } | What::CheckpointLags { .. } => 5,
        What::DenseRedoDue { .. } | What::Waited { .. } | What::Stalls { .. } => 4,
        What::LimitReached { .. } | What::RegimeChanged { .. } => 3,
        What::LruFlushing { .. } | What::HighestAge { .. } => 2,
        _ => 0,
    }
}

/// Events of a kind are of the same variant, and waits for the same thing.
type Kind = (Discriminant<What>, Option<u8>);

fn kind_of(event: &Event) -> Kind {
    let part = match event.what {
        What::Waited { waits_for, .. } => Some(waits_for as u8),
        What::LimitReached { limit, .. } => Some(limit as u8),
        _ => None,
    };
    (discriminant(&event.what), part)
}

fn is_of_the_whole(what: &What) -> bool {
    matches!(
        what,
        What::RegimeOfAll { .. }
            | What::Busy { .. }
            | What::WouldChange { .. }
            | What::Tried { .. }
            | What::NotRecorded { .. }
            | What::LruFlushing { .. }
            | What::LoopsUnsaid { .. }
            | What::LoopsSaid { .. }
            | of_one_look!()
    )
}

fn seconds(value: f64) -> String {
    if value >= 2.0 * DAY_S {
        return format!("{} d {} h", count((value / DAY_S).floor()), count((value % DAY_S / 3600.0).floor()));
    }
    format!("{} s", count(value))
}

/// The sentence of an event.
fn text(what: &What) -> String {
    match what {
        What::LoadStarted { .. } | What::LoadChanged { .. } | What::WarmedUp { .. } | What::NotRecorded { .. } => {
            whole::start(what)
        }
        What::ThroughputFell { .. }
        | What::DenseRedoDue { .. }
        | What::EchoDue { .. }
        | What::Stalls { .. }
        | What::Idle { .. }
        | What::QueueGrew { .. } => falls::text(what),
        What::SyncFlushing { .. }
        | What::FlushingCapped { .. }
        | What::FlushingShort { .. }
        | What::LruFlushing { .. } => flushing::text(what),
        What::FreePagesShort { .. }
        | What::CheckpointLags { .. }
        | What::SlowLoops { .. }
        | What::StoodStill { .. }
        | What::LoopMadeRoom { .. }
        | What::LoopsSaid { .. }
        | What::LoopsUnsaid { .. } => cleaning::text(what),
        of_one_look!() => snapshot::text(what),
        What::RegimeChanged { .. } | What::RegimeOfAll { .. } | What::Busy { .. } => whole::text(what),
        What::WouldChange { .. } | What::Tried { .. } => settings::text(what),
        What::LimitReached { limit, limit_bytes, times, seconds: s, last_s } => {
            let often = if *times > 1 {
                format!("; {times} times in all, {} s at or above it, last at {}", count(*s), seconds(*last_s))
            } else {
                format!("; {} s at or above it", count(*s))
            };
            format!("The checkpoint age reaches {}, {}{often}.", limit_name(*limit), bytes(*limit_bytes))
        }
        What::HighestAge { age_bytes, limit_bytes, share } => format!(
            "The checkpoint age is at its highest: {}, {} of the async limit of {}.",
            bytes(*age_bytes),
            percent(*share),
            bytes(*limit_bytes)
        ),
        What::Waited { waits_for, until_s, seconds: s, waits } => format!(
            "User threads wait {}: {} waits in {} s until {}.",
            waited_for(*waits_for),
            count(*waits),
            count(*s),
            seconds(*until_s)
        ),
    }
}

fn limit_name(limit: LimitName) -> &'static str {
    match limit {
        LimitName::Async => "the async limit (log_max_modified_age_async)",
        LimitName::Sync => "the sync limit (log_max_modified_age_sync)",
        LimitName::Stop => "the age at which user threads stop",
    }
}

fn waited_for(waits: Waits) -> &'static str {
    match waits {
        Waits::Checkpoint => "for a younger checkpoint",
        Waits::FreePage => "for a free page",
        Waits::LogBuffer => "for space in the log buffer",
    }
}

#[cfg(test)]
mod tests;
