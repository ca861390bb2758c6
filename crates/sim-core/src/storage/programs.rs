//! Flash that is being programmed: how long a read waits for it.
//!
//! A drive with a safe write buffer acknowledges a write before it programs the flash. All dies together program
//! `write_bytes_per_s`, the most that the drive writes; each program keeps one die busy for `program_ns`. So the share of dies that are busy at a moment is
//! the share of the last `program_ns` in which bytes were handed to the flash at that rate. A read goes to any die: with that
//! share as its probability it meets a program, and waits for the rest of it, evenly between nothing and all.
//!
//! A read occupies its place in the drive meanwhile. A cache flush that drains the drive thus waits for the slowest of the
//! reads.
//!
//! Simplifications: the share is that at the submission of the read; a drive that suspends programs for reads lets them wait
//! less (errs towards longer waits); garbage collection adds programs and erasures (errs towards shorter waits).

use super::spec::DeviceSpec;
use crate::kernel::random::Rng;
use crate::kernel::time::{SimDuration, SimTime};
use std::collections::VecDeque;

/// The programs of a drive.
#[derive(Debug, Clone)]
pub(super) struct Programs {
    /// Length of one, ns.
    length: u64,
    ns_per_byte: f64,
    /// Stretches of time in which bytes go to the flash, in order, ns: beginning and end.
    stretches: VecDeque<(u64, u64)>,
}

impl Programs {
    /// The programs of a device as `spec` describes it; nothing if reads don't wait for them.
    pub(super) fn new(spec: &DeviceSpec) -> Option<Programs> {
        let rate = spec.write_bytes_per_s.filter(|_| spec.program_ns > 0)?;
        Some(Programs { length: spec.program_ns, ns_per_byte: 1e9 / rate, stretches: VecDeque::new() })
    }

    /// A write that was submitted at `at` is complete at `complete`: its bytes go to the flash after those before it.
    pub(super) fn written(&mut self, at: SimTime, complete: SimTime, bytes: u64) {
        self.forget(at);
        let ns = (bytes as f64 * self.ns_per_byte + 0.5) as u64;
        match self.stretches.back_mut() {
            Some((_, end)) if *end >= complete.0 => *end += ns,
            _ => self.stretches.push_back((complete.0, complete.0 + ns)),
        }
    }

    /// How long a read that is submitted at `at` waits for the program of its die.
    pub(super) fn wait(&mut self, at: SimTime, rng: &mut Rng) -> SimDuration {
        self.forget(at);
        let since = at.0.saturating_sub(self.length);
        let within = |&(from, until): &(u64, u64)| until.min(at.0).saturating_sub(from.max(since));
        let busy: u64 = self.stretches.iter().map(within).sum();
        if busy == 0 {
            return SimDuration::ZERO;
        }
        let share = busy as f64 / self.length as f64;
        let u = rng.uniform_f64();
        if u < share { SimDuration((u / share * self.length as f64) as u64) } else { SimDuration::ZERO }
    }

    /// Leaves stretches out whose programs are over.
    fn forget(&mut self, at: SimTime) {
        while self.stretches.front().is_some_and(|(_, until)| until + self.length <= at.0) {
            self.stretches.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: u64 = 1_000;

    /// 100 bytes a microsecond, programs of a millisecond.
    fn programs() -> Programs {
        let spec =
            DeviceSpec { write_bytes_per_s: Some(100e6), program_ns: 1_000 * US, ..DeviceSpec::instant("drive") };
        Programs::new(&spec).unwrap()
    }

    /// Mean wait of reads at a moment, and the share of them that wait, us.
    fn reads(programs: &Programs, at_us: u64) -> (f64, f64) {
        let mut rng = Rng::stream(1, 0, "programs");
        let n = 20_000;
        let waits: Vec<f64> =
            (0..n).map(|_| programs.clone().wait(SimTime(at_us * US), &mut rng).0 as f64 / US as f64).collect();
        assert!(waits.iter().all(|wait| *wait < 1_000.0), "no longer than a program");
        let waiting = waits.iter().filter(|wait| **wait > 0.0).count();
        (waits.iter().sum::<f64>() / f64::from(n), waiting as f64 / f64::from(n))
    }

    #[test]
    fn a_read_waits_for_the_share_of_dies_that_program() {
        let mut programs = programs();
        // 300 us of work for the flash from 1000 us on, in two writes.
        programs.written(SimTime(0), SimTime(1_000 * US), 20_000);
        programs.written(SimTime(0), SimTime(1_100 * US), 10_000);
        for (at_us, share) in [(1_000, 0.0), (1_100, 0.1), (1_300, 0.3), (2_000, 0.3), (2_200, 0.1), (2_300, 0.0)] {
            let (mean, waiting) = reads(&programs, at_us);
            assert!((waiting - share).abs() < 0.01, "at {at_us} us {waiting} of the reads wait");
            assert!((mean - share * 500.0).abs() < 10.0, "at {at_us} us a read waits {mean} us");
        }
    }

    #[test]
    fn programs_that_are_over_are_forgotten() {
        let mut programs = programs();
        for write in 0..1_000 {
            programs.written(SimTime(write * 500 * US), SimTime(write * 500 * US), 1_000);
        }
        assert!(programs.stretches.len() <= 4, "{}", programs.stretches.len());
        let off = DeviceSpec { write_bytes_per_s: Some(100e6), ..DeviceSpec::instant("drive") };
        assert!(Programs::new(&off).is_none());
    }
}
