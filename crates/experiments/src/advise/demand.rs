//! The recorded demand: work a second as it came, and how much of it the server does at a time.
//!
//! A load is taken to come whatever the server does (an open drive), with the server's connections as the limit. Where
//! its threads are all busy nearly all the time, it is they who make the load: then throughput is the server's to make,
//! and the drive is a closed loop of as many clients.

use innosim_recordings::{Quantity, Recording, WORK};

/// Most pieces of the recorded demand.
const MOST_PIECES: usize = 600;
/// Pieces of demand are even if their means over this many seconds vary by less than this share.
const EVEN_OVER_S: f64 = 30.0;
const EVEN: f64 = 0.10;
/// Demand below this share of the high one is none: before the work begins and after it ends.
const IDLE: f64 = 0.2;
/// Length of the busiest stretch, seconds.
const BUSIEST_S: f64 = 60.0;
/// Share of all reads from which on a pool that fills is full.
const NEARLY_ALL: f64 = 0.9;
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
    /// The same once the buffer pool was filled: until then reads hold a closed loop up.
    pub(super) settled: f64,
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
        let known: Vec<(f64, f64)> = work.timed(&recording.series.seconds).collect();
        let (&(first, begun), &(last, done)) = (known.first()?, known.last()?);
        if last <= first {
            return None;
        }
        let step = ((last - first) / MOST_PIECES as f64).max(recording.series.median_step().unwrap_or(1.0)).max(1.0);
        let (running, closed) = threads(recording);
        Some(Demand {
            pieces: pieces(&known, step),
            mean: (done - begun) / (last - first),
            settled: settled(recording, &known).unwrap_or((done - begun) / (last - first)),
            clients: connections(recording).unwrap_or(UNKNOWN_CLIENTS).max(FEWEST_CLIENTS),
            closed,
            running,
        })
    }

    /// The demand that settings must stand, work a second: the mean of the time from the first to the last real work, or
    /// that of the busiest minute where the demand moves.
    pub(super) fn level(&self) -> f64 {
        let mut rates: Vec<f64> = self.pieces.iter().map(|piece| piece.1).collect();
        rates.sort_by(f64::total_cmp);
        let high = rates.get(rates.len() * 9 / 10).copied().unwrap_or(0.0);
        let works = |piece: &&(f64, f64)| piece.1 >= IDLE * high;
        let Some(first) = self.pieces.iter().position(|piece| works(&piece)) else { return self.mean };
        let last = self.pieces.iter().rposition(|piece| works(&piece)).unwrap_or(first);
        let active = &self.pieces[first..=last];
        let mean = mean_of(active);
        if is_even(active, mean) { mean } else { busiest(active) }
    }
}

/// Work a second from when nearly all pages were read that ever are, if that is in the first half; reads that go on are
/// misses of a full pool, and belong to the load.
fn settled(recording: &Recording, work: &[(f64, f64)]) -> Option<f64> {
    let reads = recording.get(Quantity::BufferPoolReads)?;
    let reads: Vec<(f64, f64)> = reads.timed(&recording.series.seconds).collect();
    let (first, last) = (reads.first()?, reads.last()?);
    let filled = first.1 + NEARLY_ALL * (last.1 - first.1);
    let (from, _) = *reads.iter().find(|(_, reads)| *reads >= filled)?;
    let (end, done) = *work.last()?;
    let (start, begun) = *work.iter().find(|(second, _)| *second >= from)?;
    (start - first.0 < (last.0 - first.0) / 2.0).then(|| (done - begun) / (end - start))
}

fn mean_of(pieces: &[(f64, f64)]) -> f64 {
    pieces.iter().map(|piece| piece.1).sum::<f64>() / pieces.len().max(1) as f64
}

/// Whether means over half a minute hardly vary.
fn is_even(pieces: &[(f64, f64)], mean: f64) -> bool {
    let mut means: Vec<f64> = Vec::new();
    let mut begin = 0;
    for (i, piece) in pieces.iter().enumerate() {
        if piece.0 - pieces[begin].0 >= EVEN_OVER_S {
            means.push(mean_of(&pieces[begin..i]));
            begin = i;
        }
    }
    let square = means.iter().map(|m| (m - mean) * (m - mean)).sum::<f64>() / means.len().max(1) as f64;
    square.sqrt() < EVEN * mean
}

/// The largest demand that lasts for a minute.
fn busiest(pieces: &[(f64, f64)]) -> f64 {
    let last = pieces.last().map_or(0.0, |piece| piece.0);
    let window = |i: usize| {
        let from = pieces[i].0;
        let inside = pieces[i..].partition_point(|piece| piece.0 < from + BUSIEST_S);
        // A stretch at the end that is shorter says less.
        if i > 0 && last < from + BUSIEST_S - 1.5 { 0.0 } else { mean_of(&pieces[i..i + inside]) }
    };
    (0..pieces.len()).map(window).fold(0.0, f64::max)
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

/// Mean threads at work without the one that asks, and the clients of a closed loop: as the load generator's log tells them, or
/// else the threads if they are all busy nearly all the time and no log tells that the load came at a rate.
fn threads(recording: &Recording) -> (Option<f64>, Option<u32>) {
    let told = recording.closed_loop().then(|| recording.load_threads());
    let (running, pinned) = threads_at_work(recording);
    (running, told.or(pinned.filter(|_| !recording.kept_up_with_a_rate())))
}

/// Mean threads at work without the one that asks, and their number if they are all busy nearly all the time.
fn threads_at_work(recording: &Recording) -> (Option<f64>, Option<u32>) {
    let Some(running) = recording.series.column("Threads_running") else { return (None, None) };
    let mut known: Vec<f64> = running.present().collect();
    known.sort_by(f64::total_cmp);
    let Some(&most) = known.get(known.len() * 19 / 20) else { return (None, None) };
    let mean = (known.iter().sum::<f64>() / known.len() as f64 - 1.0).max(0.0);
    let clients = (most - 1.0).max(1.0);
    let pinned = mean >= FEWEST_PINNED && mean >= PINNED * clients;
    (Some(mean), pinned.then_some(clients as u32))
}

/// Connections, as far as recorded.
fn connections(recording: &Recording) -> Option<u32> {
    let running = || recording.series.largest("Threads_running").filter(|threads| *threads >= 1.0);
    recording.most_connections().or_else(|| running().map(|threads| threads as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demand(rate: impl Fn(u32) -> f64) -> Demand {
        let pieces: Vec<(f64, f64)> = (0..300).map(|s| (f64::from(s), rate(s))).collect();
        Demand { mean: mean_of(&pieces), settled: mean_of(&pieces), pieces, clients: 8, closed: None, running: None }
    }

    #[test]
    fn an_even_load_counts_while_it_works() {
        let with_idle_ends = demand(|s| if (20..250).contains(&s) { 1000.0 + f64::from(s % 7) } else { 3.0 });
        assert!((with_idle_ends.level() - 1003.0).abs() < 1.0, "{}", with_idle_ends.level());
    }

    #[test]
    fn a_load_that_moves_counts_at_its_busiest_minute() {
        let stepped = demand(|s| if (80..140).contains(&s) { 4000.0 } else { 1500.0 });
        assert!((stepped.level() - 4000.0).abs() < 100.0, "{}", stepped.level());
        assert_eq!(demand(|_| 0.0).level(), 0.0);
    }
}
