//! The operations of a station over time: how many came, went and are inside.
//!
//! A station knows completions in advance, so "how many are in the system at this moment" is a count of completions
//! that lie in the future, and nothing need happen at a completion. [`Population`] notes each operation in an array
//! and looks at the array only when it is asked or the array is full. Two kinds of question are told apart:
//!
//! - totals and time-integrals (once an interval): what is complete leaves the array, whatever its order, and adds its
//!   response time to a sum. The time-integral of the number inside is that sum plus the time spent so far by those
//!   still inside: exact, in integers, clipped at the moment of the question.
//! - "how many now, and when will there be fewer?" (a queue with a limited number of places): then the part of the
//!   array that was looked at is kept sorted by completion. A later operation nearly always belongs near its end, so
//!   sorting it in is a few moves; what is complete comes off at the front.
//!
//! A station that is never asked the second kind never sorts, and pays some two nanoseconds an operation.

use crate::kernel::station_report::StationReport;
use crate::kernel::time::SimTime;

/// An operation inside.
#[derive(Debug, Clone, Copy)]
struct Visit {
    /// Completion, ns, in the upper bits, [`TAG_BITS`] bits of tag below.
    key: u64,
    /// Submission, ns.
    submitted: u64,
}

/// Bits of a tag. What is left for the time reaches 146 years.
const TAG_BITS: u32 = 2;
/// Kinds of operations that are told apart.
pub(crate) const TAGS: usize = 1 << TAG_BITS;

impl Visit {
    #[inline]
    fn completion(self) -> u64 {
        self.key >> TAG_BITS
    }

    #[inline]
    fn tag(self) -> usize {
        (self.key & (TAGS as u64 - 1)) as usize
    }
}

/// The operations of a station over time: how many came, went and are inside.
#[derive(Debug, Clone, Default)]
pub(crate) struct Population {
    /// Operations that may be inside; those before `head` are gone, from there to `sorted` they are in order of
    /// completion.
    visits: Vec<Visit>,
    head: usize,
    sorted: usize,
    /// Length of the array at which it is swept next.
    limit: usize,
    /// Operations in the array by tag, gone ones that were not noticed yet included.
    by_tag: [u32; TAGS],
    arrivals: u64,
    /// Operations known to be complete, and the sum of their response times, ns.
    completions: u64,
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

/// Shortest array that is swept.
const SHORTEST: usize = 64;
/// How many times as long as after a sweep it is at the next: what is inside is looked at a third more often than it must be.
const SWEPT_AT: usize = 4;

impl Population {
    /// Nobody, with room for `operations` at a time before anything is allocated.
    pub(crate) fn with_capacity(operations: usize) -> Self {
        Population {
            visits: Vec::with_capacity(SWEPT_AT * operations + SHORTEST),
            limit: SHORTEST,
            ..Population::default()
        }
    }

    /// Moves on to `now`.
    #[inline]
    pub(crate) fn advance(&mut self, now: SimTime) {
        debug_assert!(now.0 >= self.now, "a station is spoken to in order of time: {now} after {}", SimTime(self.now));
        self.now = now.0;
    }

    /// Adds an operation that arrives at the present moment and completes at `completion`.
    #[inline]
    pub(crate) fn arrive(&mut self, completion: SimTime, tag: usize) {
        if self.visits.len() >= self.limit {
            self.sweep();
        }
        self.arrivals += 1;
        self.by_tag[tag % TAGS] += 1;
        self.visits.push(Visit { key: (completion.0 << TAG_BITS) | (tag % TAGS) as u64, submitted: self.now });
    }

    #[inline]
    fn leave(&mut self, visit: Visit) {
        self.completions += 1;
        self.responses += visit.completion() - visit.submitted;
        self.by_tag[visit.tag()] -= 1;
    }

    /// Takes what is complete off the front of the sorted part.
    #[inline]
    fn leave_in_order(&mut self) {
        while self.head < self.sorted && self.visits[self.head].completion() <= self.now {
            self.leave(self.visits[self.head]);
            self.head += 1;
        }
    }

    /// Drops what is complete and moves the rest to the front of the array.
    #[cold]
    fn sweep(&mut self) {
        self.leave_in_order();
        self.visits.copy_within(self.head..self.sorted, 0);
        let sorted = self.sorted - self.head;
        let (now, mut completions, mut responses, mut by_tag) = (self.now, 0, 0, [0; TAGS]);
        let mut kept = sorted;
        for place in self.sorted..self.visits.len() {
            let visit = self.visits[place];
            self.visits[kept] = visit;
            let gone = visit.completion() <= now;
            kept += usize::from(!gone);
            completions += u64::from(gone);
            responses += if gone { visit.completion() - visit.submitted } else { 0 };
            by_tag[visit.tag()] += u32::from(gone);
        }
        self.visits.truncate(kept);
        (self.completions, self.responses) = (self.completions + completions, self.responses + responses);
        self.by_tag.iter_mut().zip(by_tag).for_each(|(inside, gone)| *inside -= gone);
        (self.head, self.sorted) = (0, sorted);
        self.limit = (SWEPT_AT * kept).max(SHORTEST);
    }

    /// Drops what is complete and sorts the rest.
    #[inline]
    fn settle(&mut self) {
        self.leave_in_order();
        for i in self.sorted..self.visits.len() {
            let visit = self.visits[i];
            if visit.completion() <= self.now {
                self.leave(visit);
            } else {
                self.sort_in(visit);
            }
        }
        self.visits.truncate(self.sorted);
    }

    /// Adds `visit` to the sorted part, over the entry behind it.
    #[inline]
    fn sort_in(&mut self, visit: Visit) {
        let mut place = self.sorted;
        let nearest = self.head.max(place.saturating_sub(8));
        while place > nearest && self.visits[place - 1].key > visit.key {
            self.visits[place] = self.visits[place - 1];
            place -= 1;
        }
        if place == nearest && place > self.head {
            // Far from the end: by bisection.
            let far = self.head + self.visits[self.head..place].partition_point(|other| other.key <= visit.key);
            self.visits.copy_within(far..place, far + 1);
            place = far;
        }
        self.visits[place] = visit;
        self.sorted += 1;
    }

    /// Number of operations inside at the present moment.
    #[inline]
    pub(crate) fn inside(&mut self) -> usize {
        self.settle();
        self.visits.len() - self.head
    }

    /// Number of operations with `tag` inside at the present moment.
    #[inline]
    pub(crate) fn inside_with(&mut self, tag: usize) -> u32 {
        if self.by_tag[tag % TAGS] > 0 {
            self.settle();
        }
        self.by_tag[tag % TAGS]
    }

    /// Number of operations inside at the present moment that complete before `completion`.
    pub(crate) fn inside_before(&mut self, completion: SimTime) -> usize {
        self.settle();
        self.visits[self.head..].partition_point(|visit| visit.completion() < completion.0)
    }

    /// The earliest moment from now on at which fewer than `places` (at least one) operations are inside, those with
    /// `tag` not counted.
    #[inline]
    pub(crate) fn room_beside(&mut self, tag: usize, places: usize) -> SimTime {
        if self.visits.len() - self.head < places {
            return SimTime(self.now);
        }
        let inside = self.inside();
        let beside = self.by_tag[tag % TAGS] as usize;
        let Some(k) = (inside - beside).checked_sub(places) else { return SimTime(self.now) };
        let counted = &self.visits[self.head..];
        let leaves = if beside == 0 { counted.get(k) } else { counted.iter().filter(|v| v.tag() != tag).nth(k) };
        SimTime(leaves.map_or(self.now, |visit| visit.completion()))
    }

    /// Time-integral of the number inside up to the present moment, operations times ns.
    fn number_ns(&mut self) -> u64 {
        self.sweep();
        self.visits.iter().fold(self.responses, |sum, visit| sum + (self.now - visit.submitted))
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
    pub(crate) fn report(&mut self, name: &str, servers: u32, busy_ns: f64) -> StationReport {
        let number_ns = self.number_ns();
        let observed = (self.now as f64).max(1.0);
        StationReport {
            name: name.to_owned(),
            servers,
            arrivals: self.arrivals,
            completions: self.completions,
            utilization: busy_ns / observed,
            mean_number: number_ns as f64 / observed,
            mean_response_s: self.responses as f64 / 1e9 / (self.completions.max(1)) as f64,
            observed_s: self.now as f64 / 1e9,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::random::Rng;

    /// A list of (arrival, completion, tag) that is asked the slow way.
    struct Plain(Vec<(u64, u64, usize)>);

    impl Plain {
        fn inside(&self, now: u64) -> Vec<u64> {
            let mut inside: Vec<u64> = self.0.iter().map(|v| v.1).filter(|&c| c > now).collect();
            inside.sort_unstable();
            inside
        }

        fn number_ns(&self, now: u64) -> u64 {
            self.0.iter().map(|&(arrival, completion, _)| completion.min(now) - arrival).sum()
        }
    }

    #[test]
    fn agrees_with_a_plain_list() {
        let mut rng = Rng::stream(5, 0, "population");
        for (spread, questions) in [(1, 3), (40, 0), (40, 1), (40, 3), (700, 1), (700, 3), (700, 50)] {
            let mut population = Population::with_capacity(4);
            let mut plain = Plain(Vec::new());
            for instant in 0..2_500u64 {
                population.advance(SimTime(instant));
                for _ in 0..rng.below(3) {
                    let visit = (instant, instant + rng.below_u64(spread), rng.below(3) as usize);
                    population.arrive(SimTime(visit.1), visit.2);
                    plain.0.push(visit);
                }
                if questions > 0 && rng.below(questions) == 0 {
                    let inside = plain.inside(instant);
                    for places in [1, 3, 100] {
                        let mut counted: Vec<u64> =
                            plain.0.iter().filter(|v| v.1 > instant && v.2 != 1).map(|v| v.1).collect();
                        counted.sort_unstable();
                        let room = counted.len().checked_sub(places).map_or(instant, |k| counted[k]);
                        assert_eq!(population.room_beside(1, places), SimTime(room));
                    }
                    let of_tag = plain.0.iter().filter(|v| v.1 > instant && v.2 == 1).count();
                    assert_eq!(population.inside_with(1) as usize, of_tag);
                    assert_eq!(population.inside(), inside.len());
                }
                if rng.below(100) == 0 {
                    assert_eq!(population.number_ns(), plain.number_ns(instant));
                }
            }
            let last = plain.inside(2_499).len() as u64;
            let report = population.report("plain", 1, 0.0);
            assert_eq!((report.arrivals, report.completions), (plain.0.len() as u64, plain.0.len() as u64 - last));
        }
    }
}
