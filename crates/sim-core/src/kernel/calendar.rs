//! The calendar: every event that is still to happen, in order of time.
//!
//! A simulation is a loop around [`Calendar::pop`]. The contract is what makes a run reproducible: events come in order
//! of time, and events of the same instant come in the order in which they were scheduled, whatever the history of the
//! heap. Scheduling before the event that was popped last would let time run backwards and is a bug of the caller.
//!
//! The store is an implicit four-ary heap of (time, sequence number, event), the first two packed into one 128-bit key
//! so that a comparison is one comparison. Four children make the heap half as deep as a binary one and lie next to
//! each other in memory. An event that was popped leaves its place at the top to the next one that is scheduled, as
//! most events schedule another: one way through the heap instead of two. Calendar and ladder queues gain nothing at
//! the lengths that occur here, some hundred events: there is one for each client, background thread and timer, and
//! none for a page.

use crate::kernel::time::SimTime;

/// Children of a node of the heap.
const ARITY: usize = 4;

/// An event and when it happens.
#[derive(Debug, Clone, Copy)]
struct Entry<E> {
    /// Time in the upper half, sequence number in the lower.
    key: u128,
    event: E,
}

/// Events that are still to happen.
///
/// `E` is what an event says; small and `Copy`, as it is moved within the heap.
#[derive(Debug, Clone)]
pub struct Calendar<E: Copy> {
    heap: Vec<Entry<E>>,
    /// The first entry is that of the event popped last.
    vacant: bool,
    next_sequence: u64,
    now: SimTime,
}

impl<E: Copy> Calendar<E> {
    /// An empty calendar at the start of the run.
    pub fn new() -> Self {
        Self::with_capacity(256)
    }

    /// An empty calendar with room for `events` events before it allocates again.
    pub fn with_capacity(events: usize) -> Self {
        Calendar { heap: Vec::with_capacity(events), vacant: false, next_sequence: 0, now: SimTime::ZERO }
    }

    /// All events that are still to happen, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = E> + '_ {
        self.heap.iter().skip(usize::from(self.vacant)).map(|entry| entry.event)
    }

    /// Adds `event` at `at`, behind all events already scheduled for that instant.
    ///
    /// `at` must not be before the time of the event popped last.
    #[inline]
    pub fn schedule(&mut self, at: SimTime, event: E) {
        debug_assert!(at >= self.now, "scheduled at {at}, but it is {} already", self.now);
        let key = (u128::from(at.0) << 64) | u128::from(self.next_sequence);
        self.next_sequence += 1;
        let entry = Entry { key, event };
        if std::mem::take(&mut self.vacant) {
            return self.sift_down(entry);
        }
        self.heap.push(entry);
        let last = self.heap.len() - 1;
        Self::sift_up(&mut self.heap, last);
    }

    /// Takes the next event: the earliest, and among equals the one scheduled first.
    #[inline]
    pub fn pop(&mut self) -> Option<(SimTime, E)> {
        if std::mem::take(&mut self.vacant)
            && let Some(last) = self.heap.pop()
            && !self.heap.is_empty()
        {
            self.sift_down(last);
        }
        let first = *self.heap.first()?;
        self.vacant = true;
        self.now = SimTime((first.key >> 64) as u64);
        Some((self.now, first.event))
    }

    /// Puts `entry` into the hole at the root: the hole moves down along the smallest children to the bottom, then up
    /// to where `entry` belongs. It comes from the bottom and mostly belongs there, so comparing on the way down is
    /// wasted.
    #[inline]
    fn sift_down(&mut self, entry: Entry<E>) {
        let heap = self.heap.as_mut_slice();
        let mut hole = 0;
        loop {
            let first = hole * ARITY + 1;
            let smallest = match heap.get(first..first + ARITY) {
                Some([a, b, c, d]) => {
                    // By arithmetic, not by branches: which child is the smallest is a coin toss.
                    let (ab, cd) = (usize::from(b.key < a.key), usize::from(d.key < c.key));
                    let right = usize::from(c.key.min(d.key) < a.key.min(b.key));
                    first + ab + right * (2 + cd - ab)
                }
                _ => match smallest_of(heap.get(first..).unwrap_or_default()) {
                    Some(child) => first + child,
                    None => break,
                },
            };
            heap[hole] = heap[smallest];
            hole = smallest;
        }
        heap[hole] = entry;
        Self::sift_up(heap, hole);
    }

    /// Moves the entry at `hole` up to where it belongs.
    #[inline]
    fn sift_up(heap: &mut [Entry<E>], mut hole: usize) {
        let entry = heap[hole];
        while hole > 0 {
            let parent = (hole - 1) / ARITY;
            if heap[parent].key <= entry.key {
                break;
            }
            heap[hole] = heap[parent];
            hole = parent;
        }
        heap[hole] = entry;
    }

    /// Time of the event popped last.
    #[inline]
    pub fn now(&self) -> SimTime {
        self.now
    }

    /// Number of events that are still to happen.
    pub fn len(&self) -> usize {
        self.heap.len() - usize::from(self.vacant)
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

/// Position of the smallest of the last few children.
#[inline]
fn smallest_of<E>(children: &[Entry<E>]) -> Option<usize> {
    (0..children.len()).min_by_key(|&i| children[i].key)
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
