//! Operations that were submitted and are not complete, in order of completion.
//!
//! A station knows completions in advance, so "how many are in the system at this moment" is a count of completions that
//! lie in the future. They are kept sorted in one array: completions that come off are skipped at the front, and a new
//! completion nearly always belongs near the end, a few places from it, since operations start in the order of
//! submission. A heap would cost as much on the way in and far more on the way out, and could not tell the k-th
//! completion from now.
//!
//! [`Population`] counts on top of it. The time-integral of the number in the system up to `t` is the sum of the
//! completions before `t`, minus the sum of the arrivals, plus `t` for each operation still inside: two additions for an
//! operation keep it exactly, in integers, clipped at any moment at which it is asked for. (The sums run modulo 2^64;
//! the integral itself, in operations times ns, is far below.)

use crate::kernel::station::StationReport;
use crate::kernel::time::SimTime;

/// An operation in flight.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flight {
    /// Completion, ns, in the upper bits, [`TAG_BITS`] bits of tag below.
    key: u64,
    /// Submission, ns.
    pub(crate) submitted: u64,
}

/// Bits of a tag. What is left for the time reaches 146 years.
const TAG_BITS: u32 = 2;

impl Flight {
    /// Completion, ns.
    #[inline]
    pub(crate) fn completion(&self) -> u64 {
        self.key >> TAG_BITS
    }

    /// What the owner said of it.
    #[inline]
    pub(crate) fn tag(&self) -> u8 {
        (self.key & ((1 << TAG_BITS) - 1)) as u8
    }
}

/// Operations in flight, in order of completion.
#[derive(Debug, Clone)]
pub(crate) struct InFlight {
    entries: Vec<Flight>,
    head: usize,
}

impl InFlight {
    /// Nothing in flight, with room for `operations` before anything is allocated.
    pub(crate) fn with_capacity(operations: usize) -> Self {
        InFlight { entries: Vec::with_capacity(2 * operations.max(32)), head: 0 }
    }

    /// Number of operations in flight (as of the last [`InFlight::retire`]).
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.entries.len() - self.head
    }

    /// Adds an operation.
    #[inline]
    pub(crate) fn push(&mut self, submitted: u64, completion: u64, tag: u8) {
        let entry = Flight { key: (completion << TAG_BITS) | u64::from(tag), submitted };
        if self.entries.len() == self.entries.capacity() && self.head * 2 >= self.entries.len() {
            self.compact();
        }
        let mut place = self.entries.len();
        self.entries.push(entry);
        let nearest = self.head.max(place.saturating_sub(16));
        while place > nearest && self.entries[place - 1].key > entry.key {
            self.entries[place] = self.entries[place - 1];
            place -= 1;
        }
        if place == nearest && place > self.head {
            place = self.make_room_far(entry.key, place);
        }
        self.entries[place] = entry;
    }

    /// Finds the place of `key` among the entries before `end` and shifts those behind it up to `end` by one.
    #[cold]
    fn make_room_far(&mut self, key: u64, end: usize) -> usize {
        let place = self.head + self.entries[self.head..end].partition_point(|other| other.key <= key);
        self.entries.copy_within(place..end, place + 1);
        place
    }

    /// Moves what is in flight to the front of the array.
    #[cold]
    fn compact(&mut self) {
        self.entries.copy_within(self.head.., 0);
        self.entries.truncate(self.entries.len() - self.head);
        self.head = 0;
    }

    /// Takes the next operation that is complete by `now`, ns.
    #[inline]
    pub(crate) fn retire(&mut self, now: u64) -> Option<Flight> {
        let entry = *self.entries.get(self.head)?;
        if entry.completion() > now {
            return None;
        }
        self.head += 1;
        if self.head == self.entries.len() {
            self.entries.clear();
            self.head = 0;
        }
        Some(entry)
    }

    /// The `k`-th completion from now, counted from 0, ns.
    #[inline]
    pub(crate) fn kth_completion(&self, k: usize) -> Option<u64> {
        self.entries.get(self.head + k).map(Flight::completion)
    }
}

/// The operations of a station over time: how many came, went and are inside.
#[derive(Debug, Clone)]
pub(crate) struct Population {
    inside: InFlight,
    arrivals: u64,
    completions: u64,
    /// Completions minus arrivals, ns, modulo 2^64.
    area: u64,
    /// Sum of the response times of what is complete, ns.
    responses: u64,
    /// Latest moment that was spoken of.
    now: u64,
    /// Integral and completions when the current interval began, and when that was.
    interval: (u64, u64, u64),
}

/// Changes of a [`Population`] over an interval.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PopulationInterval {
    /// Length of the interval, ns.
    pub(crate) length_ns: u64,
    /// Time-integral of the number in the system, operations times ns.
    pub(crate) number_ns: u64,
    /// Operations that completed.
    pub(crate) completions: u64,
}

impl Population {
    /// Nobody, with room for `operations` before anything is allocated.
    pub(crate) fn with_capacity(operations: usize) -> Self {
        let inside = InFlight::with_capacity(operations);
        Population { inside, arrivals: 0, completions: 0, area: 0, responses: 0, now: 0, interval: (0, 0, 0) }
    }

    /// Moves on to `now`, handing the tag of each operation that completes on the way to `left`.
    #[inline]
    pub(crate) fn advance(&mut self, now: SimTime, mut left: impl FnMut(u8)) {
        debug_assert!(now.0 >= self.now, "a station is spoken to in order of time: {now} after {}", SimTime(self.now));
        self.now = now.0;
        while let Some(flight) = self.inside.retire(now.0) {
            self.completions += 1;
            self.area = self.area.wrapping_add(flight.completion());
            self.responses += flight.completion() - flight.submitted;
            left(flight.tag());
        }
    }

    /// Adds an operation that arrives at the present moment and completes at `completion`.
    #[inline]
    pub(crate) fn arrive(&mut self, completion: SimTime, tag: u8) {
        self.arrivals += 1;
        self.area = self.area.wrapping_sub(self.now);
        self.inside.push(self.now, completion.0, tag);
    }

    /// Number of operations inside.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.inside.len()
    }

    /// The `k`-th completion from now, counted from 0.
    #[inline]
    pub(crate) fn kth_completion(&self, k: usize) -> Option<SimTime> {
        self.inside.kth_completion(k).map(SimTime)
    }

    /// Time-integral of the number inside up to the present moment, operations times ns.
    fn number_ns(&self) -> u64 {
        self.area.wrapping_add((self.inside.len() as u64).wrapping_mul(self.now))
    }

    /// What happened since the last call, up to the present moment.
    pub(crate) fn take_interval(&mut self) -> PopulationInterval {
        let (number, completions, start) = self.interval;
        self.interval = (self.number_ns(), self.completions, self.now);
        PopulationInterval {
            length_ns: self.now - start,
            number_ns: self.interval.0 - number,
            completions: self.completions - completions,
        }
    }

    /// The report of a station with this population, `busy_ns` busy time (mean of the servers, ns) up to now.
    pub(crate) fn report(&self, name: &str, servers: u32, busy_ns: f64) -> StationReport {
        let observed = (self.now as f64).max(1.0);
        StationReport {
            name: name.to_owned(),
            servers,
            arrivals: self.arrivals,
            completions: self.completions,
            utilization: busy_ns / observed,
            mean_number: self.number_ns() as f64 / observed,
            mean_response_s: self.responses as f64 / 1e9 / (self.completions.max(1)) as f64,
            observed_s: self.now as f64 / 1e9,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::random::Rng;

    #[test]
    fn agrees_with_a_sorted_list() {
        let mut rng = Rng::stream(5, 0, "in flight");
        for spread in [1, 40, 5_000] {
            let mut flights = InFlight::with_capacity(4);
            let mut plain: Vec<u64> = Vec::new();
            for now in 0..20_000u64 {
                for _ in 0..rng.below(3) {
                    let completion = now + rng.below_u64(spread);
                    flights.push(now, completion, (completion % 4) as u8);
                    plain.push(completion);
                }
                plain.sort_unstable();
                let due = plain.partition_point(|&c| c <= now);
                for expected in plain.drain(..due) {
                    let flight = flights.retire(now).unwrap();
                    assert_eq!(flight.completion(), expected);
                    assert_eq!(u64::from(flight.tag()), expected % 4);
                }
                assert!(flights.retire(now).is_none());
                assert_eq!(flights.len(), plain.len());
                assert_eq!(flights.kth_completion(plain.len() / 2), plain.get(plain.len() / 2).copied());
            }
        }
    }
}
