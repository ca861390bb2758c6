//! The calendar: every event that is still to happen, in order of time.
//!
//! A simulation is a loop around [`Calendar::pop`]. The contract is what makes a run reproducible: events come in order
//! of time, and events of the same instant come in the order in which they were scheduled, whatever the history of the
//! store. Scheduling before the event that was popped last would let time run backwards and is a bug of the caller.
//!
//! Two stores, by how far ahead an event is. The near future is a wheel of buckets, whose cost does not depend on how
//! many events are pending; what the wheel does not reach is a heap. The next event is the earlier of their first ones,
//! so no event ever moves from one to the other. Time and sequence number are one 128-bit key in both, and the order of
//! events is that of the keys: it does not depend on where an event is kept.
//!
//! The wheel's tick follows the run: half the mean time between two events of late, or more where so much is pending
//! that the wheel would not reach far enough. Beyond some thousand pending events its lists would be long, and all is
//! left to the heap. A run has some hundred: one for each client, background thread and timer, and none for a page.
//! Measured at 16 to 200 pending, taking an event and scheduling another is 1.5 to 2 times as fast as with the heap
//! alone. (Inlined by force, as below: a call that passes an event through memory costs as much as all the rest.)

mod heap;
mod wheel;

use crate::kernel::time::SimTime;
use heap::Heap;
use wheel::{BUCKETS, Wheel};

/// Events between two looks at the tick.
const EVENTS_BETWEEN_LOOKS: u32 = 1024;
/// The first tick: 2^14 ns = 16 us, half the time between events at 30 000 events a second.
const FIRST_TICK_BITS: u32 = 14;
/// Longest tick: 2^40 ns = 18 minutes.
const LONGEST_TICK_BITS: u32 = 40;
/// Most pending events with a wheel: its lists have eight events then.
const MOST_PENDING: u64 = 4 * BUCKETS as u64;

/// Events that are still to happen.
///
/// `E` is what an event says; small and `Copy`, as it is moved within the store.
#[derive(Debug, Clone)]
pub struct Calendar<E: Copy> {
    near: Wheel<E>,
    far: Heap<E>,
    next_sequence: u64,
    now: SimTime,
    /// Events until the next look at the tick, and when the last was.
    until_look: u32,
    last_look: SimTime,
}

impl<E: Copy> Calendar<E> {
    /// An empty calendar at the start of the run.
    pub fn new() -> Self {
        Calendar {
            near: Wheel::new(FIRST_TICK_BITS),
            far: Heap::new(),
            next_sequence: 0,
            now: SimTime::ZERO,
            until_look: EVENTS_BETWEEN_LOOKS,
            last_look: SimTime::ZERO,
        }
    }

    /// All events that are still to happen, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = E> + '_ {
        self.near.iter().chain(self.far.iter()).map(|(_, event)| event)
    }

    /// Adds `event` at `at`, behind all events already scheduled for that instant.
    ///
    /// `at` must not be before the time of the event popped last.
    #[inline]
    pub fn schedule(&mut self, at: SimTime, event: E) {
        debug_assert!(at >= self.now, "scheduled at {at}, but it is {} already", self.now);
        let key = (u128::from(at.0) << 64) | u128::from(self.next_sequence);
        self.next_sequence += 1;
        self.keep(key, event);
    }

    /// Puts an event where it belongs.
    #[inline(always)]
    fn keep(&mut self, key: u128, event: E) {
        let at = (key >> 64) as u64;
        if self.near.reaches(self.now.0, at) {
            self.near.push(at, key, event);
        } else {
            self.far.push(key, event);
        }
    }

    /// Takes the next event: the earliest, and among equals the one scheduled first.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<(SimTime, E)> {
        if self.until_look == 0 {
            self.look_at_the_tick();
        }
        self.until_look -= 1;
        let far = self.far.first().unwrap_or(u128::MAX);
        if let Some((at, event)) = self.near.pop_below(far, self.now.0) {
            self.now = SimTime(at);
            return Some((SimTime(at), event));
        }
        let (key, event) = self.far.pop()?;
        self.now = SimTime((key >> 64) as u64);
        Some((self.now, event))
    }

    /// Fits the tick to the time between events and to their number, if it is off by more than a factor of two.
    #[cold]
    fn look_at_the_tick(&mut self) {
        let passed = self.now.since(self.last_look).0;
        self.until_look = EVENTS_BETWEEN_LOOKS;
        self.last_look = self.now;
        let pending = self.len() as u64;
        // By Little's law an event is scheduled this many times the gap ahead on average; twice that should be near.
        let reach = (2 * pending).max(BUCKETS as u64 / 2);
        let tick = u128::from(passed) * u128::from(reach) / u128::from(EVENTS_BETWEEN_LOOKS) / BUCKETS as u128;
        let wanted = if pending > MOST_PENDING { 0 } else { tick.max(1).ilog2().min(LONGEST_TICK_BITS) };
        if wanted.abs_diff(self.near.tick_bits()) > 1 {
            let events: Vec<(u128, E)> = self.near.iter().chain(self.far.iter()).collect();
            self.near = Wheel::new(wanted);
            self.far.clear();
            events.into_iter().for_each(|(key, event)| self.keep(key, event));
        }
    }

    /// Time of the event popped last.
    #[inline]
    pub fn now(&self) -> SimTime {
        self.now
    }

    /// Number of events that are still to happen.
    pub fn len(&self) -> usize {
        self.near.len() + self.far.len()
    }

    /// Whether nothing is left to happen.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<E: Copy> Default for Calendar<E> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::random::Rng;

    #[test]
    fn events_come_in_order_of_time() {
        let mut calendar = Calendar::new();
        for at in [5, 3, 9, 1, 7] {
            calendar.schedule(SimTime(at), at);
        }
        assert_eq!(calendar.len(), 5);
        let order: Vec<u64> = std::iter::from_fn(|| calendar.pop().map(|(_, e)| e)).collect();
        assert_eq!(order, [1, 3, 5, 7, 9]);
        assert!(calendar.is_empty());
    }

    #[test]
    fn equal_times_come_in_order_of_scheduling() {
        let mut calendar = Calendar::new();
        for event in 0..100 {
            calendar.schedule(SimTime(if event % 2 == 0 { 10 } else { 20 }), event);
        }
        let order: Vec<u32> = std::iter::from_fn(|| calendar.pop().map(|(_, e)| e)).collect();
        let expected: Vec<u32> = (0..100).step_by(2).chain((1..100).step_by(2)).collect();
        assert_eq!(order, expected);
    }

    #[test]
    fn agrees_with_a_sorted_list() {
        let mut rng = Rng::stream(1, 0, "calendar test");
        let mut calendar = Calendar::new();
        let mut expected: Vec<(u64, u64)> = Vec::new();
        let mut now = 0;
        let mut sequence = 0;
        for _ in 0..20_000 {
            if rng.below(2) == 0 || expected.is_empty() {
                let at = now + rng.below_u64(50);
                calendar.schedule(SimTime(at), sequence);
                let place = expected.partition_point(|&other| other <= (at, sequence));
                expected.insert(place, (at, sequence));
                sequence += 1;
            } else {
                let (at, event) = calendar.pop().unwrap();
                assert_eq!((at.0, event), expected.remove(0));
                now = at.0;
            }
            assert_eq!(calendar.len(), expected.len());
        }
    }

    /// Takes and schedules at random; each event is checked against a sorted map.
    fn agrees_with_a_sorted_map(pending: usize, gaps: impl Fn(&mut Rng) -> u64) {
        let mut rng = Rng::stream(2, 0, "calendar map");
        let mut calendar = Calendar::new();
        let mut expected = std::collections::BTreeMap::new();
        let mut sequence = 0;
        for _ in 0..40_000 {
            while expected.len() < pending || rng.below(2) == 0 {
                let at = calendar.now().0 + gaps(&mut rng);
                calendar.schedule(SimTime(at), sequence);
                expected.insert((at, sequence), ());
                sequence += 1;
            }
            let (at, event) = calendar.pop().unwrap();
            assert_eq!(expected.pop_first().map(|(key, ())| key), Some((at.0, event)));
            while expected.len() > pending {
                let (at, event) = calendar.pop().unwrap();
                assert_eq!(expected.pop_first().map(|(key, ())| key), Some((at.0, event)));
            }
        }
        let mut left: Vec<u64> = calendar.iter().collect();
        left.sort_unstable();
        let mut all: Vec<u64> = expected.into_keys().map(|(_, event)| event).collect();
        all.sort_unstable();
        assert_eq!((calendar.len(), left), (all.len(), all));
    }

    #[test]
    fn the_order_does_not_depend_on_where_events_are_kept() {
        // Near and far, dense and sparse, ties and none; the rate changes on the way, so that the tick follows.
        agrees_with_a_sorted_map(50, |rng| {
            let bits = rng.below(36);
            rng.below_u64(1 << bits)
        });
        agrees_with_a_sorted_map(50, |rng| rng.below_u64(3) * 1_000_000_000);
        agrees_with_a_sorted_map(700, |rng| rng.below_u64(1_000_000));
        agrees_with_a_sorted_map(9_000, |rng| rng.below_u64(1_000));
        let turns = std::cell::Cell::new(0u64);
        agrees_with_a_sorted_map(30, |rng| {
            turns.set(turns.get() + 1);
            rng.below_u64(if (turns.get() / 7_000).is_multiple_of(2) { 100_000_000 } else { 2_000 })
        });
    }

    #[test]
    fn the_end_of_time_is_an_instant_too() {
        let mut calendar = Calendar::new();
        calendar.schedule(SimTime::NEVER, 2);
        calendar.schedule(SimTime::ZERO, 1);
        let order: Vec<u32> = std::iter::from_fn(|| calendar.pop().map(|(_, e)| e)).collect();
        assert_eq!((order, calendar.now()), (vec![1, 2], SimTime::NEVER));
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "already")]
    fn the_past_is_closed() {
        let mut calendar = Calendar::new();
        calendar.schedule(SimTime(10), ());
        calendar.pop();
        calendar.schedule(SimTime(9), ());
    }
}
