//! A latch of the server that every statement passes, and that gets slower the more threads wait for it.
//!
//! Source: `machine-2026` section 4.1: read-only runs of MySQL 5.7.44, whose throughput falls from 128 threads on while two thirds of the
//! processors idle. Which latch it is, these runs don't tell; Percona Server 5.7 does not have it.
//!
//! Simplification: a transaction passes it once, for all its statements together (errs towards longer waits of single transactions; the
//! throughput of the latch is the same).

use crate::kernel::station::Station;
use crate::kernel::time::{SimDuration, SimTime};
use crate::run_spec::StatementLatchSpec;

/// The latch.
#[derive(Debug, Clone)]
pub(super) struct StatementLatch {
    spec: StatementLatchSpec,
    threads: Station,
}

impl StatementLatch {
    /// The latch, if passing it takes any time.
    pub(super) fn new(spec: StatementLatchSpec) -> Option<Self> {
        (spec.hold.0 > 0).then(|| StatementLatch { spec, threads: Station::new("statement latch", 1) })
    }

    /// How long it takes a transaction to pass beyond the hold itself, which is part of its CPU time.
    pub(super) fn pass(&mut self, now: SimTime) -> SimDuration {
        let waiting = u64::from(self.threads.outstanding(now));
        let passed = self.threads.submit(now, self.spec.hold + self.spec.per_waiter * waiting);
        SimDuration(passed.since(now).0 - self.spec.hold.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each that comes at the same moment waits for those before it, who make its own pass longer.
    #[test]
    fn each_waiting_thread_makes_a_pass_longer() {
        let us = SimDuration::from_micros;
        let spec = StatementLatchSpec { hold: us(40), per_waiter: us(1) };
        let mut latch = StatementLatch::new(spec).expect("it takes time");
        let now = SimTime::ZERO + us(7);
        assert_eq!([(); 4].map(|()| latch.pass(now)), [0, 41, 83, 126].map(us));
        assert_eq!(latch.pass(now + us(166)), us(0), "all have passed");
        assert!(StatementLatch::new(StatementLatchSpec::default()).is_none());
    }
}
