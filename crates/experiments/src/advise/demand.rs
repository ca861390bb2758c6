//! The recorded demand: work a second as it came, and how much of it the server does at a time.
//!
//! A load is taken to come whatever the server does (an open drive), with the server's connections as the limit. Where
//! its threads are all busy nearly all the time, it is they who make the load: then throughput is the server's to make,
//! and the drive is a closed loop of as many clients.

use innosim_recordings::{Recording, WORK};

/// Most pieces of the recorded demand.
const MOST_PIECES: usize = 600;
/// Pieces of demand are even if their means over this many seconds vary by less than this share.
const EVEN_OVER_S: f64 = 30.0;
const EVEN: f64 = 0.10;
/// Threads at work by the most that ever are, and their least number, from which on they make the load.
const PINNED: f64 = 0.6;
const FEWEST_PINNED: f64 = 4.0;
/// Connections of a server that doesn't say.
const UNKNOWN_CLIENTS: u32 = 64;
/// Fewest clients of an open drive: more than any server needs that is not saturated.
const FEWEST_CLIENTS: u32 = 8;

/// What the load asks for.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Demand {
    /// Beginning of each piece, seconds of the recording, with its work a second.
    pub(super) pieces: Vec<(f64, f64)>,
    /// Work a second over all.
    pub(super) mean: f64,
    /// Connections that do work at a time at most.
    pub(super) clients: u32,
    /// Clients whose waiting for the server makes the load, if it does.
    pub(super) closed: Option<u32>,
    /// Mean threads at work, the recorder's own not counted; `None` if not recorded.
    pub(super) running: Option<f64>,
}

impl Demand {
    /// The demand of a recording of an unknown load; `None` if it has no two samples of work.
    pub(super) fn of(recording: &Recording) -> Option<Demand> {
        let work = recording.series.column(WORK)?;
        let known: Vec<(f64, f64)> =
            recording.series.seconds.iter().copied().zip(work).filter(|(_, work)| work.is_finite()).collect();
        let (&(first, begun), &(last, done)) = (known.first()?, known.last()?);
        if last <= first {
            return None;
        }
        let step = ((last - first) / MOST_PIECES as f64).max(recording.series.median_step().unwrap_or(1.0)).max(1.0);
        let (running, closed) = threads(recording);
        Some(Demand {
            pieces: pieces(&known, step),
            mean: (done - begun) / (last - first),
            clients: connections(recording).unwrap_or(UNKNOWN_CLIENTS).max(FEWEST_CLIENTS),
            closed,
            running,
        })
    }

    /// Whether the demand is the same all the time.
    pub(super) fn is_even(&self) -> bool {
        let mut means: Vec<f64> = Vec::new();
        let (mut from, mut sum, mut count) = (self.pieces.first().map_or(0.0, |piece| piece.0), 0.0, 0.0);
        for (at, rate) in &self.pieces {
            if at - from >= EVEN_OVER_S && count > 0.0 {
                means.push(sum / count);
                (from, sum, count) = (*at, 0.0, 0.0);
            }
            (sum, count) = (sum + rate, count + 1.0);
        }
        if means.len() < 2 {
            return true;
        }
        let mean = means.iter().sum::<f64>() / means.len() as f64;
        let square = means.iter().map(|m| (m - mean) * (m - mean)).sum::<f64>() / means.len() as f64;
        mean <= 0.0 || square.sqrt() < EVEN * mean
    }
}

/// Work a second in steps.
fn pieces(known: &[(f64, f64)], step: f64) -> Vec<(f64, f64)> {
    let mut pieces = Vec::new();
    let (mut from, mut done) = known[0];
    for &(at, work) in &known[1..] {
        if at - from >= step - 1e-6 {
            pieces.push((from, ((work - done) / (at - from)).max(0.0)));
            (from, done) = (at, work);
        }
    }
    if pieces.is_empty() {
        let (at, work) = known[known.len() - 1];
        pieces.push((from, ((work - done) / (at - from).max(1e-9)).max(0.0)));
    }
    pieces
}

/// Mean threads at work without the one that asks, and their number if they are all busy nearly all the time.
fn threads(recording: &Recording) -> (Option<f64>, Option<u32>) {
    let Some(running) = recording.series.column("Threads_running") else { return (None, None) };
    let mut known: Vec<f64> = running.into_iter().filter(|threads| threads.is_finite()).collect();
    known.sort_by(f64::total_cmp);
    let Some(&most) = known.get(known.len() * 19 / 20) else { return (None, None) };
    let mean = (known.iter().sum::<f64>() / known.len() as f64 - 1.0).max(0.0);
    let clients = (most - 1.0).max(1.0);
    let pinned = mean >= FEWEST_PINNED && mean >= PINNED * clients;
    (Some(mean), pinned.then_some(clients as u32))
}

/// Connections, as far as recorded.
fn connections(recording: &Recording) -> Option<u32> {
    let most = |name: &str| {
        let values = recording.series.column(name)?;
        let most = values.into_iter().filter(|value| value.is_finite()).fold(0.0, f64::max);
        (most >= 1.0).then_some(most as u32)
    };
    most("Threads_connected").or_else(|| most("Threads_running"))
}
