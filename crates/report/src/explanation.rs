//! What happened, in sentences: the words for the events that the crate `innosim_explain` finds.
//!
//! A sentence says what its event's figures say, no more: that sync flushing ran while throughput fell, not that it was
//! the reason; what is a reason (threads that waited) is in the figures. Events of one kind that come again and again are
//! summed up after the first few; JSON has all of them.

mod falls;
mod settings;
mod whole;

use crate::numbers::{bytes, count, percent, rate};
use innosim_explain::{Ceiling, Event, LimitName, Waits, What};
use std::mem::{Discriminant, discriminant};

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
        let at = if event.what.is_of_the_whole() { String::new() } else { seconds(event.at_s) };
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
        let kind = Kind::of(event);
        let before = told.iter().position(|(other, _)| *other == kind).unwrap_or_else(|| {
            told.push((kind, 0));
            told.len() - 1
        });
        told[before].1 += 1;
        let left: Vec<&Event> = events[i..].iter().filter(|other| Kind::of(other) == kind).collect();
        let n = told[before].1;
        if event.what.is_of_the_whole() || n < TOLD || (n == TOLD && left.len() == 1) {
            sentences.push(Sentence::of(event));
        } else if n == TOLD {
            sentences.push(Sentence { at: seconds(event.at_s), text: summed_up(&left) });
        }
    }
    sentences
}

/// The few that matter most, in the order of time: what `run` prints below its table.
pub fn in_short(events: &[Event], most: usize) -> Vec<Sentence> {
    let mut chosen: Vec<(u8, usize)> = Vec::new();
    let mut seen: Vec<Kind> = Vec::new();
    for (i, event) in events.iter().enumerate() {
        let (rank, kind) = (weight(&event.what), Kind::of(event));
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
        What::ThroughputFell { .. } => 8,
        What::EchoDue { .. } => 7,
        What::SyncFlushing { .. } | What::Idle { .. } => 6,
        What::FlushingCapped { .. } | What::FlushingShort { .. } => 5,
        What::DenseRedoDue { .. } | What::Waited { .. } | What::Stalls { .. } => 4,
        What::LimitReached { .. } | What::RegimeChanged { .. } => 3,
        What::LruFlushing { .. } | What::HighestAge { .. } => 2,
        _ => 0,
    }
}

/// Events of a kind are of the same variant, and waits for the same thing.
type Kind = (Discriminant<What>, Option<u8>);

trait KindOf {
    fn of(event: &Event) -> Self;
}

impl KindOf for Kind {
    fn of(event: &Event) -> Kind {
        let part = match event.what {
            What::Waited { waits_for, .. } => Some(waits_for as u8),
            What::LimitReached { limit, .. } => Some(limit as u8),
            _ => None,
        };
        (discriminant(&event.what), part)
    }
}

trait OfTheWhole {
    fn is_of_the_whole(&self) -> bool;
}

impl OfTheWhole for What {
    fn is_of_the_whole(&self) -> bool {
        matches!(
            self,
            What::RegimeOfAll { .. }
                | What::Busy { .. }
                | What::WouldChange { .. }
                | What::Tried { .. }
                | What::NotRecorded { .. }
                | What::LruFlushing { .. }
        )
    }
}

fn seconds(value: f64) -> String {
    format!("{} s", count(value))
}

/// What comes after the first few of a kind, in one sentence.
fn summed_up(events: &[&Event]) -> String {
    let n = events.len();
    let last = seconds(events.last().map_or(0.0, |event| event.at_s));
    let sum = |of: fn(&What) -> f64| count(events.iter().map(|event| of(&event.what)).sum::<f64>());
    match events[0].what {
        What::SyncFlushing { .. } => format!(
            "Sync flushing comes {n} times more until {last}, {} s in all.",
            sum(|w| if let What::SyncFlushing { seconds, .. } = w { *seconds } else { 0.0 })
        ),
        What::Waited { waits_for, .. } => format!(
            "User threads wait {} {n} times more until {last}: {} waits.",
            waited_for(waits_for),
            sum(|w| if let What::Waited { waits, .. } = w { *waits } else { 0.0 })
        ),
        What::ThroughputFell { .. } => {
            let share = |event: &&Event| if let What::ThroughputFell { share, .. } = event.what { share } else { 0.0 };
            let shares: Vec<f64> = events.iter().map(share).collect();
            let (least, most) =
                (shares.iter().copied().fold(1.0, f64::min), shares.iter().copied().fold(0.0, f64::max));
            format!("Throughput falls {n} times more until {last}, by {} to {}.", percent(least), percent(most))
        }
        What::FlushingCapped { setting, .. } => format!("Flushing stands at {setting} {n} times more until {last}."),
        What::FlushingShort { .. } => format!("Flushing falls short {n} times more until {last}."),
        What::LoadChanged { .. } => format!("The rate of the load steps {n} times more until {last}."),
        What::DenseRedoDue { .. } => format!("A dense stretch is due {n} times more until {last}."),
        What::EchoDue { .. } => format!("Echoes are due {n} times more, the last at about {last}."),
        What::RegimeChanged { .. } => format!("The regime changes {n} times more until {last}."),
        What::Idle { .. } => format!("No transaction ends {n} times more until {last}."),
        _ => format!("The same {n} times more until {last}."),
    }
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
        What::SyncFlushing { until_s, seconds: s, pages, pages_per_s, device_busy } => {
            let busy = device_busy
                .map_or(String::new(), |busy| format!("; the device's busiest part was {} busy", percent(busy)));
            format!(
                "Sync flushing runs in {} s until {}: {} pages, {} in each such second{busy}.",
                count(*s),
                seconds(*until_s),
                count(*pages),
                rate(*pages_per_s)
            )
        }
        What::Waited { waits_for, until_s, seconds: s, waits } => format!(
            "User threads wait {}: {} waits in {} s until {}.",
            waited_for(*waits_for),
            count(*waits),
            count(*s),
            seconds(*until_s)
        ),
        What::FlushingCapped { setting, cap_pages_per_s, pages_per_s, until_s, seconds: s, .. } => format!(
            "Flushing stands at its ceiling, {setting} = {}: {} pages/s, in {} s until {}.",
            count(*cap_pages_per_s),
            rate(*pages_per_s),
            count(*s),
            seconds(*until_s)
        ),
        What::FlushingShort { .. } => short(what),
        What::LruFlushing { pages, share, single_pages } => {
            let single = if *single_pages > 0.0 {
                format!(", {} of them one by one by user threads", count(*single_pages))
            } else {
                String::new()
            };
            format!(
                "{} of the pages flushed ({}) made room in the buffer pool{single}: data does not fit it.",
                percent(*share),
                count(pages + single_pages)
            )
        }
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

fn short(what: &What) -> String {
    let What::FlushingShort {
        by,
        asked_pages,
        pages_per_s,
        until_s,
        seconds: s,
        device_busy,
        cpu_busy,
        doublewrite_pages_per_write,
    } = what
    else {
        return String::new();
    };
    let busy = |name: &str, busy: Option<f64>| busy.map(|busy| format!("{name} {} busy", percent(busy)));
    let figures: Vec<String> =
        [busy("device", *device_busy), busy("processors", *cpu_busy)].into_iter().flatten().collect();
    let figures = figures.join(", ");
    let why = match by {
        Ceiling::Device => format!(" The device was full ({figures})."),
        Ceiling::Cpu => format!(" The processors were full ({figures})."),
        Ceiling::Doublewrite => format!(
            " The device was not full ({figures}); pages go through doublewrite, {} a batch, and its batches may be the limit.",
            rate(doublewrite_pages_per_write.unwrap_or(0.0))
        ),
        _ if figures.is_empty() => String::new(),
        _ => format!(" What the limit was, the figures don't tell ({figures})."),
    };
    format!(
        "Flushing falls short: {} pages asked for in a pass, {} a second done, in {} s until {}.{why}",
        count(*asked_pages),
        rate(*pages_per_s),
        count(*s),
        seconds(*until_s)
    )
}

#[cfg(test)]
mod tests;
