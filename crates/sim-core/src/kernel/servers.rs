//! The servers of a FIFO station, as the times at which they become free.
//!
//! An operation of a FIFO queue with `c` servers starts on the server that becomes free first, or on arrival if one is
//! free by then. That needs the smallest of `c` times, replaced by the operation's completion. A heap would do; a
//! tournament does it without a branch that has to be guessed: each inner node of a binary tree over the servers keeps
//! the loser of the match there, the winner of all is apart, and a new time plays the matches on the way from its
//! server's leaf to the root, a minimum and a maximum each. (D. Knuth, The Art of Computer Programming, 5.4.1.)

use crate::kernel::time::SimTime;

/// Times at which the servers of a station become free.
#[derive(Debug, Clone)]
pub(crate) struct FreeTimes {
    servers: u32,
    /// The number of leaves is 2 to this power. A key is a time, ns, above this many bits of the server's number.
    bits: u32,
    /// Smallest key of all.
    winner: u64,
    /// Larger key of the match at each inner node, from 1, the root, on. Leaves without a server have `NOBODY`.
    losers: Vec<u64>,
    /// No server becomes free before this, ns, whatever its key says.
    floor: u64,
}

/// Key of a leaf without a server.
const NOBODY: u64 = u64::MAX;

impl FreeTimes {
    /// `servers` servers, at least one, all free from the start.
    pub(crate) fn new(servers: u32) -> Self {
        let servers = servers.max(1);
        let bits = servers.next_power_of_two().ilog2();
        FreeTimes { servers, bits, winner: 0, losers: Self::losers_at_equal_times(servers, 1 << bits), floor: 0 }
    }

    /// The losers' numbers when all servers are free at time 0: the lower number wins, so a node's loser is the first
    /// leaf of its right half.
    fn losers_at_equal_times(servers: u32, leaves: usize) -> Vec<u64> {
        let loser = |node: usize| {
            let depth = node.max(1).ilog2();
            let width = leaves >> depth;
            let server = (node.max(1) - (1 << depth)) * width + width / 2;
            if server < servers as usize { server as u64 } else { NOBODY }
        };
        (0..leaves).map(loser).collect()
    }

    /// The times, in no particular order, ns.
    fn times(&self) -> impl Iterator<Item = u64> + '_ {
        let keys = self.losers[1..].iter().chain(std::iter::once(&self.winner));
        keys.filter(|&&key| key != NOBODY).map(|key| (key >> self.bits).max(self.floor))
    }

    /// Number of servers.
    pub(crate) fn servers(&self) -> u32 {
        self.servers
    }

    /// When the first of the servers becomes free.
    #[inline]
    pub(crate) fn earliest(&self) -> SimTime {
        SimTime((self.winner >> self.bits).max(self.floor))
    }

    /// Serves an operation on the server that becomes free first, which is then free at `until`.
    #[inline]
    pub(crate) fn occupy_earliest(&mut self, until: SimTime) {
        debug_assert!(until.0.leading_zeros() > self.bits, "{until} is out of reach");
        let server = self.winner & ((1 << self.bits) - 1);
        let mut key = (until.0 << self.bits) | server;
        let mut node = (server as usize + self.losers.len()) >> 1;
        while node > 0 {
            let other = self.losers[node];
            self.losers[node] = key.max(other);
            key = key.min(other);
            node >>= 1;
        }
        self.winner = key;
    }

    /// Holds every server until `until`, which must not be earlier than any of them becomes free.
    /// Returns the sum over the servers of the time they are newly held, counted from `now` at the earliest, ns.
    pub(crate) fn occupy_all(&mut self, now: SimTime, until: SimTime) -> u64 {
        // A leaf without a server is far beyond `until` and adds nothing.
        let held = |key: u64| until.0.saturating_sub((key >> self.bits).max(self.floor.max(now.0)));
        let sum = self.losers[1..].iter().fold(held(self.winner), |sum, &key| sum + held(key));
        self.floor = until.0;
        sum
    }

    /// Work that is already given to the servers and lies after `now`: the sum over the servers, ns.
    pub(crate) fn work_after(&self, now: SimTime) -> u64 {
        self.times().map(|time| time.saturating_sub(now.0)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::random::Rng;

    #[test]
    fn the_winner_is_the_earliest() {
        let mut rng = Rng::stream(3, 0, "free times");
        for servers in [1, 2, 3, 7, 32, 33, 80] {
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
            let until = SimTime(now.0.max(*plain.iter().max().unwrap()) + 5);
            let held: u64 = plain.iter().map(|&t| until.0 - t.max(now.0)).sum();
            assert_eq!(free.occupy_all(now, until), held);
            assert_eq!(free.work_after(SimTime(until.0 - 1)), u64::from(servers));
        }
    }
}
