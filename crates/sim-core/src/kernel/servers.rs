//! The servers of a FIFO station, as the times at which they become free.
//!
//! An operation of a FIFO queue with `c` servers starts on the server that becomes free first, or on arrival if one is
//! free by then. That needs the smallest of `c` times, replaced by the operation's completion: the root of a binary
//! min-heap.

use crate::kernel::time::{SimDuration, SimTime};

/// Times at which the servers of a station become free: a binary min-heap, root first.
#[derive(Debug, Clone)]
pub(crate) struct FreeTimes {
    heap: Vec<u64>,
}

impl FreeTimes {
    /// `servers` servers, at least one, all free from the start.
    pub(crate) fn new(servers: u32) -> Self {
        FreeTimes { heap: vec![0; servers.max(1) as usize] }
    }

    /// Number of servers.
    pub(crate) fn servers(&self) -> u32 {
        self.heap.len() as u32
    }

    /// When the first of the servers becomes free.
    #[inline]
    pub(crate) fn earliest(&self) -> SimTime {
        SimTime(self.heap[0])
    }

    /// Serves an operation on the server that becomes free first, which is then free at `until`.
    #[inline]
    pub(crate) fn occupy_earliest(&mut self, until: SimTime) {
        let heap = self.heap.as_mut_slice();
        let mut hole = 0;
        loop {
            let left = 2 * hole + 1;
            let Some(&left_time) = heap.get(left) else { break };
            let (child, time) = match heap.get(left + 1) {
                Some(&right_time) if right_time < left_time => (left + 1, right_time),
                _ => (left, left_time),
            };
            if until.0 <= time {
                break;
            }
            heap[hole] = time;
            hole = child;
        }
        heap[hole] = until.0;
    }

    /// Holds every server until `until`, which must not be earlier than any of them becomes free.
    /// Returns the sum over the servers of the time they are newly held, counted from `now` at the earliest, ns.
    pub(crate) fn occupy_all(&mut self, now: SimTime, until: SimTime) -> u64 {
        let mut held = 0;
        for time in &mut self.heap {
            held += until.0.saturating_sub((*time).max(now.0));
            *time = until.0;
        }
        held
    }

    /// Work that is already given to the servers and lies after `now`: the sum over the servers, ns.
    pub(crate) fn work_after(&self, now: SimTime) -> u64 {
        self.heap.iter().map(|&time| time.saturating_sub(now.0)).sum()
    }

    /// Time until the first of the servers becomes free; zero if one is.
    #[inline]
    pub(crate) fn wait(&self, now: SimTime) -> SimDuration {
        self.earliest().since(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::random::Rng;

    #[test]
    fn the_root_is_the_smallest() {
        let mut rng = Rng::stream(3, 0, "free times");
        for servers in [1, 2, 3, 7, 32, 80] {
            let mut free = FreeTimes::new(servers);
            let mut plain = vec![0u64; servers as usize];
            for _ in 0..2_000 {
                let until = free.earliest().0 + rng.below_u64(1_000);
                free.occupy_earliest(SimTime(until));
                let first = plain.iter().copied().enumerate().min_by_key(|&(_, t)| t).unwrap().0;
                plain[first] = until;
                assert_eq!(free.earliest().0, *plain.iter().min().unwrap());
            }
            let now = SimTime(free.earliest().0 + 100);
            assert_eq!(free.work_after(now), plain.iter().map(|t| t.saturating_sub(now.0)).sum::<u64>());
        }
    }
}
