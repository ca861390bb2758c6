//! Caps in front of a device: budgets of operations and bytes that are handed out in slices.
//!
//! Control groups of Linux (`block/blk-throttle.c`) and clouds cap a volume by a budget for each slice of time. While
//! the budget of a slice lasts, operations pass at once; then nothing passes until the next slice. A saturated volume
//! so serves a burst at the speed of the device behind the cap, then falls silent, which no smooth ceiling does: the
//! mean latency is what the rate implies, but the 99 % latency is nearly a slice.
//!
//! Rules, as the kernel has them. Slices are counted from the first operation after a slice of idleness. An operation
//! passes if it fits the budget of all slices since then, the running one included. One that does not waits: for
//! operations, until the slice begins in which it fits; for bytes, until the moment at which a steady stream would have
//! earned them. Operations pass in order: none overtakes one that waits, cache flushes included. What earlier slices
//! left over is kept for one slice.
//!
//! Reads and writes have a gate each. An operation counts once up to 1 MiB, the largest that the block layer builds,
//! however often it is split behind the gate. A cache flush is an operation without bytes.
//!
//! Simplifications: slices begin exactly when they are due (the kernel's timer is some milliseconds late at times).

use super::ceiling::Ceiling;
use crate::kernel::time::{SimDuration, SimTime};

/// Largest operation that counts as one, bytes.
pub(crate) const ONE_OPERATION_BYTES: u64 = 1 << 20;

/// Parts of an operation in which budgets are counted, as a cache flush may cost a fraction more than one.
pub(crate) const PARTS_OF_OPERATION: u64 = 1_000;

const NS_PER_S: u128 = 1_000_000_000;

/// A budget that grows steadily and is handed out in slices.
#[derive(Debug, Clone)]
struct Budget {
    /// Units a second.
    rate: u64,
    /// Units taken since the slices are counted.
    used: u64,
    /// The same rate as a steady stream, for accounting only.
    fluid: Ceiling,
}

impl Budget {
    fn new(per_second: f64, parts: u64) -> Budget {
        let rate = (per_second * parts as f64 + 0.5) as u64;
        Budget { rate: rate.max(1), used: 0, fluid: Ceiling::new(rate.max(1) as f64) }
    }

    /// Units earned in `ns`.
    fn earned(&self, ns: u64) -> u64 {
        (u128::from(self.rate) * u128::from(ns) / NS_PER_S) as u64
    }

    /// Time in which what is used and `units` more are earned, ns.
    fn earns_in(&self, units: u64) -> u64 {
        (u128::from(self.used + units) * NS_PER_S).div_ceil(u128::from(self.rate)) as u64
    }
}

/// The cap on reads or on writes.
#[derive(Debug, Clone)]
pub(crate) struct Gate {
    slice: u64,
    /// When the slices that are counted began, and when counting ends if nothing passes, ns.
    start: u64,
    expires: u64,
    /// When the last operation passed, ns.
    last: u64,
    operations: Option<Budget>,
    bytes: Option<Budget>,
}

impl Gate {
    /// A gate for `iops` operations and `bytes_per_s` bytes a second; nothing if there is no limit.
    pub(crate) fn new(iops: Option<f64>, bytes_per_s: Option<f64>, slice: SimDuration) -> Option<Gate> {
        if iops.is_none() && bytes_per_s.is_none() {
            return None;
        }
        let operations = iops.map(|rate| Budget::new(rate, PARTS_OF_OPERATION));
        let bytes = bytes_per_s.map(|rate| Budget::new(rate, 1));
        Some(Gate { slice: slice.0.max(1), start: 0, expires: 0, last: 0, operations, bytes })
    }

    /// When an operation passes that arrives at `now`. `parts` are 1000ths of an operation.
    pub(crate) fn pass(&mut self, now: SimTime, parts: u64, bytes: u64) -> SimTime {
        let mut at = now.0.max(self.last);
        if at == now.0 && now.0 >= self.expires {
            self.start = now.0;
            for budget in [&mut self.operations, &mut self.bytes].into_iter().flatten() {
                budget.used = 0;
            }
        }
        // Waiting for one budget can take the operation past the wait for the other, never the other way round.
        if let Some(budget) = &mut self.operations {
            budget.fluid.take(now, parts);
            let slices = budget.earns_in(parts).div_ceil(self.slice).max(1);
            at = at.max(self.start + (slices - 1) * self.slice);
        }
        if let Some(budget) = &mut self.bytes
            && bytes > 0
        {
            budget.fluid.take(now, bytes);
            let running = ((at - self.start) / self.slice + 1) * self.slice;
            if budget.used + bytes > budget.earned(running) {
                at = at.max(self.start + budget.earns_in(bytes));
            }
        }
        if let Some(budget) = &mut self.operations {
            budget.used += parts;
        }
        if let Some(budget) = &mut self.bytes {
            budget.used += bytes;
        }
        self.last = at;
        self.expires = at + self.slice;
        self.forget();
        SimTime(at)
    }

    /// Leaves slices that are over out of account, but for the last.
    fn forget(&mut self) {
        let over = (self.last - self.start) / self.slice;
        if over < 2 {
            return;
        }
        let forgotten = (over - 1) * self.slice;
        for budget in [&mut self.operations, &mut self.bytes].into_iter().flatten() {
            budget.used = budget.used.saturating_sub(budget.earned(forgotten));
        }
        self.start += forgotten;
    }

    /// Time during which a budget was in use, had it been a steady stream, up to `now`, ns.
    pub(crate) fn busy_ns(&self, now: SimTime) -> u64 {
        let busy = |budget: &Option<Budget>| budget.as_ref().map_or(0, |budget| budget.fluid.busy_ns(now));
        busy(&self.operations).max(busy(&self.bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn passes(gate: &mut Gate, now_ms: u64, count: u64, bytes: u64) -> Vec<u64> {
        (0..count).map(|_| gate.pass(SimTime(now_ms * MS), PARTS_OF_OPERATION, bytes).0 / MS).collect()
    }

    #[test]
    fn operations_pass_in_bursts() {
        let mut gate = Gate::new(Some(3_000.0), None, SimDuration::from_millis(100)).unwrap();
        let passed = passes(&mut gate, 7, 1_000, 16_384);
        for (index, at) in passed.iter().enumerate() {
            assert_eq!(*at, 7 + 100 * (index as u64 / 300), "operation {index}");
        }
        // After a slice of idleness the slices begin anew.
        assert_eq!(passes(&mut gate, 950, 301, 0)[300], 1_050);
    }

    #[test]
    fn nothing_overtakes() {
        let mut gate = Gate::new(Some(100.0), Some(1e6), SimDuration::from_millis(100)).unwrap();
        // 100 KB a slice: the second write waits until a stream would have earned it, and so does what follows.
        let at: Vec<u64> =
            [90_000, 40_000, 0, 0].iter().map(|bytes| gate.pass(SimTime(0), 1_000, *bytes).0 / MS).collect();
        assert_eq!(at, [0, 130, 130, 130]);
    }

    #[test]
    fn a_rate_is_kept_over_a_long_time() {
        for (iops, bytes) in [(Some(3_000.0), None), (None, Some(60e6)), (Some(777.0), Some(13e6))] {
            let mut gate = Gate::new(iops, bytes, SimDuration::from_millis(100)).unwrap();
            let mut now = SimTime(0);
            let mut count = 0u64;
            while now.0 < 20_000 * MS {
                now = gate.pass(now, PARTS_OF_OPERATION, 16_384);
                count += 1;
            }
            let rate = iops.unwrap_or(f64::INFINITY).min(bytes.unwrap_or(f64::INFINITY) / 16_384.0);
            let expected = rate * 20.0;
            assert!((count as f64 - expected).abs() < expected * 0.01, "{count} instead of {expected}");
            let busy = gate.busy_ns(now) as f64 / now.0 as f64;
            assert!((0.98..=1.0).contains(&busy), "{busy}");
        }
    }

    #[test]
    fn what_is_left_over_is_kept_for_a_slice() {
        let mut gate = Gate::new(Some(1_000.0), None, SimDuration::from_millis(100)).unwrap();
        // One operation each 50 ms keeps the slices counted; their budgets are not saved up.
        for at_ms in (0..2_000).step_by(50) {
            gate.pass(SimTime(at_ms * MS), PARTS_OF_OPERATION, 0);
        }
        let passed = passes(&mut gate, 1_999, 1_000, 0);
        let at_once = passed.iter().filter(|at| **at == 1_999).count();
        assert!((100..=300).contains(&at_once), "{at_once}");
    }
}
