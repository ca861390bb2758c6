//! The ceilings of a device, side by side: an operation passes all that concern it.

use super::ceiling::{Burst, Ceiling};
use super::spec::DeviceSpec;
use crate::kernel::time::SimTime;

/// The limits of a device.
#[derive(Debug, Clone)]
pub(super) struct Limits {
    read_iops: Option<Ceiling>,
    write_iops: Option<Ceiling>,
    read_bytes: Option<Ceiling>,
    write_bytes: Option<Ceiling>,
    link: Option<Ceiling>,
    burst: Option<Burst>,
}

impl Limits {
    pub(super) fn new(spec: &DeviceSpec) -> Self {
        Limits {
            read_iops: spec.read_iops.map(Ceiling::new),
            write_iops: spec.write_iops.map(Ceiling::new),
            read_bytes: spec.read_bytes_per_s.map(Ceiling::new),
            write_bytes: spec.write_bytes_per_s.map(Ceiling::new),
            link: spec.link_bytes_per_s.map(Ceiling::new),
            burst: spec.burst.as_ref().map(Burst::new),
        }
    }

    /// Passes a read of `bytes` bytes in `pieces` pieces; returns the end of its last turn.
    #[inline]
    pub(super) fn pass_read(&mut self, now: SimTime, pieces: u64, bytes: u64) -> SimTime {
        let own = pass(&mut self.read_iops, now, pieces).max(pass(&mut self.read_bytes, now, bytes));
        own.max(self.pass_common(now, pieces, bytes))
    }

    /// Passes a write of `bytes` bytes in `pieces` pieces; returns the end of its last turn.
    #[inline]
    pub(super) fn pass_write(&mut self, now: SimTime, pieces: u64, bytes: u64) -> SimTime {
        let own = pass(&mut self.write_iops, now, pieces).max(pass(&mut self.write_bytes, now, bytes));
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
