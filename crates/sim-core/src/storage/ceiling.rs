//! Limits on rates: a serial server that spaces operations, and burst credits.
//!
//! A device that does at most `r` operations a second under load behaves as if each operation passed a turnstile that
//! takes `1 / r`: an idle device lets one through at once and finishes it no sooner than `1 / r` later, a saturated
//! one finishes one every `1 / r`. The same holds for bytes. The turnstile holds no channel, so it limits the rate
//! without adding to the latency of an operation that takes longer than its turn anyway.
//!
//! Time is counted here in 2^-32 ns (in 128 bits), as `1 / r` is rarely whole: 30 000 operations a second are 33
//! 333.3... ns each, and rounding them would drift. The remaining error is below 10^-8 for any rate up to 10 GB/s, and
//! it is the same on every platform.
//!
//! Burst credits are a token bucket, as cloud volumes document it: the bucket fills at the baseline rate, an operation
//! takes one credit, and while there are credits operations are limited only by the burst rate. The bucket is kept as
//! the moment at which it would be full if nothing more came; an operation moves that moment by the time of one
//! credit, and has to wait while that would put it further away than an empty bucket needs (the generic cell rate
//! algorithm, ITU-T I.371). Source: the description of I/O credits of gp2 volumes in the Amazon EBS user guide.

use super::spec::BurstSpec;
use crate::kernel::time::SimTime;

/// Bits of a nanosecond's fraction.
const FRACTION_BITS: u32 = 32;

/// A moment or length of time in 2^-32 ns.
type Fine = u128;

fn fine(t: SimTime) -> Fine {
    Fine::from(t.0) << FRACTION_BITS
}

/// The first whole nanosecond at or after `t`.
fn whole(t: Fine) -> SimTime {
    SimTime(((t + ((1 << FRACTION_BITS) - 1)) >> FRACTION_BITS) as u64)
}

/// Length of one turn at `per_second` turns a second, in 2^-32 ns.
fn turn(per_second: f64) -> u64 {
    // At most 1 / r < 2^32 ns, a turn every four seconds, fits.
    (1e9 / per_second * (1u64 << FRACTION_BITS) as f64 + 0.5) as u64
}

/// A limit on operations or bytes a second.
#[derive(Debug, Clone)]
pub(crate) struct Ceiling {
    /// When the turnstile is free.
    free: Fine,
    /// Length of the turn of one unit.
    turn: u64,
    /// Sum of all turns so far, and of the times during which it was held.
    given: Fine,
}

impl Ceiling {
    /// A limit of `per_second` units a second.
    pub(crate) fn new(per_second: f64) -> Self {
        Ceiling { free: 0, turn: turn(per_second), given: 0 }
    }

    /// Takes the turns of `units` units from `now` on; returns their end.
    #[inline]
    pub(crate) fn take(&mut self, now: SimTime, units: u64) -> SimTime {
        self.take_time(now, Fine::from(self.turn) * Fine::from(units))
    }

    /// Takes the turns of `units` units, which are longer by `more_ns` together.
    #[inline]
    pub(crate) fn take_after(&mut self, now: SimTime, more_ns: u64, units: u64) -> SimTime {
        self.take_time(now, Fine::from(self.turn) * Fine::from(units) + fine(SimTime(more_ns)))
    }

    #[inline]
    fn take_time(&mut self, now: SimTime, cost: Fine) -> SimTime {
        self.given += cost;
        self.free = self.free.max(fine(now)) + cost;
        whole(self.free)
    }

    /// Length of the turns of `units` units, ns.
    #[inline]
    pub(crate) fn cost_ns(&self, units: u64) -> u64 {
        whole(Fine::from(self.turn) * Fine::from(units)).0
    }

    /// Lets nothing through between `now` and `until`, which lies after every turn given.
    pub(crate) fn hold(&mut self, now: SimTime, until: SimTime) {
        let from = self.free.max(fine(now));
        self.free = from.max(fine(until));
        self.given += self.free - from;
    }

    /// Sum of all turns given, ns.
    pub(crate) fn given_ns(&self) -> u64 {
        (self.given >> FRACTION_BITS) as u64
    }

    /// Time during which the turnstile was taken, up to `now`, ns.
    pub(crate) fn busy_ns(&self, now: SimTime) -> u64 {
        ((self.given - self.free.saturating_sub(fine(now))) >> FRACTION_BITS) as u64
    }
}

/// Burst credits.
#[derive(Debug, Clone)]
pub(crate) struct Burst {
    /// The burst rate.
    ceiling: Ceiling,
    /// Time in which one credit flows in.
    credit: u64,
    /// Time in which an empty bucket fills.
    bucket: Fine,
    /// When the bucket is full if nothing more comes.
    full_at: Fine,
    /// Until when operations wait for credits, and the sum of such times (as in [`Ceiling`]).
    waiting: (SimTime, u64),
}

impl Burst {
    /// The bucket at the start of a run.
    pub(crate) fn new(spec: &BurstSpec) -> Self {
        let credit = turn(spec.baseline_iops);
        let worth = |ops: f64| (ops * credit as f64) as Fine;
        // A bucket that holds less than one credit could never pay.
        let bucket = worth(spec.bucket_ops).max(Fine::from(credit));
        let full_at = bucket.saturating_sub(worth(spec.initial_ops));
        Burst { ceiling: Ceiling::new(spec.burst_iops), credit, bucket, full_at, waiting: (SimTime::ZERO, 0) }
    }

    /// Takes the credits of `ops` operations from `now` on; returns when they may complete.
    #[inline]
    pub(crate) fn take(&mut self, now: SimTime, ops: u64) -> SimTime {
        let paced = self.ceiling.take(now, ops);
        let cost = Fine::from(self.credit) * Fine::from(ops);
        let paid = (self.full_at + cost).saturating_sub(self.bucket).max(fine(paced));
        self.full_at = self.full_at.max(paid) + cost.min(self.bucket);
        let paid = whole(paid);
        if paid > paced {
            let (until, sum) = self.waiting;
            self.waiting = (paid, sum + paid.since(until.max(now)).0);
        }
        paid
    }

    /// Lets nothing through between `now` and `until`.
    pub(crate) fn hold(&mut self, now: SimTime, until: SimTime) {
        self.ceiling.hold(now, until);
    }

    /// Sum of all turns given at the burst rate, ns.
    pub(crate) fn given_ns(&self) -> u64 {
        self.ceiling.given_ns()
    }

    /// The larger of the time during which the burst rate was taken and that during which credits were waited for, up
    /// to `now`, ns.
    pub(crate) fn busy_ns(&self, now: SimTime) -> u64 {
        let (until, sum) = self.waiting;
        self.ceiling.busy_ns(now).max(sum - until.since(now).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_does_not_drift() {
        for rate in [30_000.0, 7.0, 999_983.0] {
            let mut ceiling = Ceiling::new(rate);
            let n = 10_000_000u64;
            for _ in 0..n - 1 {
                ceiling.take(SimTime::ZERO, 1);
            }
            let exact = (n as f64 / rate * 1e9).ceil();
            let error = ceiling.take(SimTime::ZERO, 1).0 as f64 - exact;
            assert!(error.abs() < 2.0 + exact * 1e-10, "{rate}: {error} ns");
        }
    }

    #[test]
    fn an_idle_ceiling_takes_one_turn() {
        let mut ceiling = Ceiling::new(1e6);
        assert_eq!(ceiling.take(SimTime(500), 1), SimTime(1_500));
        assert_eq!(ceiling.take(SimTime(600), 2), SimTime(3_500));
        assert_eq!(ceiling.busy_ns(SimTime(2_000)), 1_500);
        assert_eq!(ceiling.busy_ns(SimTime(9_000)), 3_000);
        ceiling.hold(SimTime(9_000), SimTime(10_000));
        assert_eq!(ceiling.take(SimTime(9_500), 1), SimTime(11_000));
        assert_eq!(ceiling.busy_ns(SimTime(10_500)), 4_500);
    }

    fn burst(initial_ops: f64) -> Burst {
        Burst::new(&BurstSpec { baseline_iops: 1_000.0, burst_iops: 5_000.0, bucket_ops: 10_000.0, initial_ops })
    }

    #[test]
    fn credits_last_as_long_as_they_should() {
        // 8000 credits, spent at 5000 and filled at 1000 a second, last two seconds: 10 000 operations.
        let mut burst = burst(8_000.0);
        let done: Vec<u64> = (0..12_000).map(|_| burst.take(SimTime::ZERO, 1).0).collect();
        assert_eq!(done[0], 200_000);
        assert_eq!(done[9_999], 2_000_000_000);
        assert_eq!(done[10_999], 3_000_000_000);
        assert_eq!(done[11_999], 4_000_000_000);
        // Busy all the time while saturated.
        assert_eq!(burst.ceiling.busy_ns(SimTime(1_000_000_000)), 1_000_000_000);
    }

    #[test]
    fn credits_flow_back_at_the_baseline() {
        let mut burst = burst(0.0);
        assert_eq!(burst.take(SimTime::ZERO, 1), SimTime(1_000_000));
        // Three idle seconds bring 3000 credits, which last 750 ms at a net loss of 4000 a second.
        let start = 3_001_000_000;
        let done: Vec<u64> = (0..5_000).map(|_| burst.take(SimTime(start), 1).0 - start).collect();
        assert_eq!(done[3_749], 750_000_000);
        assert_eq!(done[4_749], 1_750_000_000);
        // The bucket holds 10 000 credits, however long it is left alone.
        let start = 100_000_000_000;
        let done: Vec<u64> = (0..13_500).map(|_| burst.take(SimTime(start), 1).0 - start).collect();
        assert!(done[12_499].abs_diff(2_500_000_000) <= 200_000, "{}", done[12_499]);
        assert!(done[13_499].abs_diff(3_500_000_000) <= 1_000_000, "{}", done[13_499]);
    }
}
