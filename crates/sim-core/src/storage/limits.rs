//! The ceilings of a device, side by side: an operation passes all that concern it.
//!
//! Flash that is being programmed cannot be read: a read takes, besides its own turn at the ceiling on reads, the time
//! for which the writes since the last read hold the flash (`reads_a_page_written`), but waits no longer than one
//! program takes. Writes don't wait for reads, since they go to the device's buffer first. Simplification: garbage
//! collection is part of that number.

use super::ceiling::{Burst, Ceiling};
use super::spec::DeviceSpec;
use crate::config::PAGE_BYTES;
use crate::kernel::time::SimTime;

/// What a program of a TLC flash page takes, about; a read waits for one at most.
const PROGRAM_NS: u64 = 1_000_000;

/// The limits of a device.
#[derive(Debug, Clone)]
pub(super) struct Limits {
    read_iops: Option<Ceiling>,
    write_iops: Option<Ceiling>,
    /// Time for which 16 KiB of writes hold the flash, ns.
    page_written_ns: u64,
    /// Time for which the writes since the last read hold it, ns.
    held_ns: u64,
    read_bytes: Option<Ceiling>,
    write_bytes: Option<Ceiling>,
    /// Bytes that each write counts more there.
    write_overhead_bytes: u64,
    link: Option<Ceiling>,
    burst: Option<Burst>,
}

impl Limits {
    pub(super) fn new(spec: &DeviceSpec) -> Self {
        Limits {
            read_iops: spec.read_iops.map(Ceiling::new),
            write_iops: spec.write_iops.map(Ceiling::new),
            page_written_ns: spec.read_iops.map_or(0, |iops| (spec.reads_a_page_written * 1e9 / iops + 0.5) as u64),
            held_ns: 0,
            read_bytes: spec.read_bytes_per_s.map(Ceiling::new),
            write_bytes: spec.write_bytes_per_s.map(Ceiling::new),
            write_overhead_bytes: spec.write_overhead_bytes,
            link: spec.link_bytes_per_s.map(Ceiling::new),
            burst: spec.burst.as_ref().map(Burst::new),
        }
    }

    /// Passes a read of `bytes` bytes in `pieces` pieces; returns the end of its last turn.
    #[inline]
    pub(super) fn pass_read(&mut self, now: SimTime, pieces: u64, bytes: u64) -> SimTime {
        let held = std::mem::take(&mut self.held_ns);
        let turn = self.read_iops.as_mut().map_or(SimTime::ZERO, |ceiling| ceiling.take_after(now, held, pieces));
        let own = turn.max(pass(&mut self.read_bytes, now, bytes));
        own.max(self.pass_common(now, pieces, bytes))
    }

    /// Passes a write of `bytes` bytes in `pieces` pieces; returns the end of its last turn.
    #[inline]
    pub(super) fn pass_write(&mut self, now: SimTime, pieces: u64, bytes: u64) -> SimTime {
        if self.page_written_ns > 0 {
            self.held_ns = (self.held_ns + self.page_written_ns * bytes / PAGE_BYTES).min(PROGRAM_NS);
        }
        let counted = bytes + self.write_overhead_bytes * pieces;
        let own = pass(&mut self.write_iops, now, pieces).max(pass(&mut self.write_bytes, now, counted));
        own.max(self.pass_common(now, pieces, bytes))
    }

    #[inline]
    pub(super) fn pass_common(&mut self, now: SimTime, pieces: u64, bytes: u64) -> SimTime {
        let link = pass(&mut self.link, now, bytes);
        match &mut self.burst {
            Some(burst) => burst.take(now, pieces).max(link),
            None => link,
        }
    }

    /// Passes a sync that counts as a write operation.
    pub(super) fn pass_sync(&mut self, now: SimTime) -> SimTime {
        let end = pass(&mut self.write_iops, now, 1);
        self.burst.as_mut().map_or(end, |burst| burst.take(now, 1).max(end))
    }

    /// Time of a transfer of `bytes` written bytes at the narrowest place, ns.
    #[inline]
    pub(super) fn write_transfer_ns(&self, bytes: u64) -> u64 {
        let cost = |ceiling: &Option<Ceiling>| ceiling.as_ref().map_or(0, |ceiling| ceiling.cost_ns(bytes));
        cost(&self.write_bytes).max(cost(&self.link))
    }

    /// Lets nothing through between `now` and `until`.
    pub(super) fn hold(&mut self, now: SimTime, until: SimTime) {
        let ceilings =
            [&mut self.read_iops, &mut self.write_iops, &mut self.read_bytes, &mut self.write_bytes, &mut self.link];
        for ceiling in ceilings.into_iter().flatten() {
            ceiling.hold(now, until);
        }
        if let Some(burst) = &mut self.burst {
            burst.hold(now, until);
        }
    }

    /// Sums of the turns given by the ceilings, ns.
    pub(super) fn given_ns(&self) -> [u64; 6] {
        let given = |ceiling: &Option<Ceiling>| ceiling.as_ref().map_or(0, Ceiling::given_ns);
        [
            given(&self.read_iops),
            given(&self.write_iops),
            given(&self.read_bytes),
            given(&self.write_bytes),
            given(&self.link),
            self.burst.as_ref().map_or(0, Burst::given_ns),
        ]
    }

    /// Busy times of the ceilings up to `now`, ns.
    pub(super) fn busy_ns(&self, now: SimTime) -> [u64; 6] {
        let busy = |ceiling: &Option<Ceiling>| ceiling.as_ref().map_or(0, |ceiling| ceiling.busy_ns(now));
        [
            busy(&self.read_iops),
            busy(&self.write_iops),
            busy(&self.read_bytes),
            busy(&self.write_bytes),
            busy(&self.link),
            self.burst.as_ref().map_or(0, |burst| burst.busy_ns(now)),
        ]
    }
}

#[inline]
fn pass(ceiling: &mut Option<Ceiling>, now: SimTime, units: u64) -> SimTime {
    match ceiling {
        Some(ceiling) => ceiling.take(now, units),
        None => SimTime::ZERO,
    }
}
