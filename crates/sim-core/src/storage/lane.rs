//! A lane of a device: the channels and ceilings that operations pass in the order in which they come.
//!
//! **Channels.** A lane works on `channels` operations at a time, first come, first served. An operation holds its
//! channel for its service time.
//!
//! **Ceilings.** Operations and bytes a second are limited by turnstiles that hold no channel (see [`super::ceiling`]).
//! An operation completes when its channel and each ceiling is through with it. Ceilings serve in the order of
//! submission.

use super::limits::Limits;
use super::loaded::LoadedTimes;
use super::spec::DeviceSpec;
use crate::kernel::random::Rng;
use crate::kernel::time::{SimDuration, SimTime};
use crate::kernel::{FreeTimes, Population};

/// Tag of reads and random writes among the operations of a lane.
pub(super) const RANDOM: usize = 0;
/// Tag of sequential writes among them.
pub(super) const SEQUENTIAL: usize = 1;

/// Parts of a lane that can be the busiest.
pub(super) const LANE_PARTS: usize = 7;

/// Channels and ceilings that operations pass in the order in which they come.
#[derive(Debug, Clone)]
pub(super) struct Lane {
    channels: FreeTimes,
    /// Time for which channels were given away or held, summed over them, ns.
    channel_time: u64,
    limits: Limits,
    /// What is in flight, where times depend on it.
    in_flight: Population,
}

impl Lane {
    /// Idle channels and ceilings of a device as `spec` describes it.
    pub(super) fn new(spec: &DeviceSpec) -> Lane {
        Lane {
            channels: FreeTimes::new(spec.channels),
            channel_time: 0,
            limits: Limits::new(spec),
            in_flight: Population::with_capacity(0),
        }
    }

    /// Serves an operation on the first free channel.
    #[inline]
    fn serve(&mut self, at: SimTime, service: SimDuration) -> SimTime {
        let end = self.channels.earliest().max(at) + service;
        self.channels.occupy_earliest(end);
        self.channel_time += service.0;
        end
    }

    /// Serves a read that comes at `at`, in `pieces` pieces; returns its completion.
    #[inline]
    pub(super) fn serve_read(&mut self, at: SimTime, service: SimDuration, pieces: u64, bytes: u64) -> SimTime {
        let served = self.serve(at, service);
        served.max(self.limits.pass_read(at, pieces, bytes))
    }

    /// Serves a write that comes at `at`, in `pieces` pieces; returns its completion.
    #[inline]
    pub(super) fn serve_write(&mut self, at: SimTime, service: SimDuration, pieces: u64, bytes: u64) -> SimTime {
        let served = self.serve(at, service);
        served.max(self.limits.pass_write(at, pieces, bytes))
    }

    /// When a sync that counts as a write is through the ceilings.
    pub(super) fn pass_sync(&mut self, at: SimTime) -> SimTime {
        self.limits.pass_sync(at)
    }

    /// Lets nothing begin until `end`.
    pub(super) fn hold(&mut self, at: SimTime, end: SimTime) {
        self.channel_time += self.channels.occupy_all(at, end);
        self.limits.hold(at, end);
    }

    /// Takes the turns of a write in `pieces` pieces that waits for none of them.
    pub(super) fn write_ahead(&mut self, at: SimTime, pieces: u64, bytes: u64) {
        self.limits.pass_write(at, pieces, bytes);
    }

    /// Takes the turns of bytes that a write has more; returns their end.
    pub(super) fn extend_write(&mut self, at: SimTime, bytes: u64) -> SimTime {
        self.limits.pass_write(at, 0, bytes)
    }

    /// Time of the transfer of `bytes` bytes of a write.
    #[inline]
    pub(super) fn write_transfer(&self, bytes: u64) -> SimDuration {
        SimDuration(self.limits.write_transfer_ns(bytes))
    }

    /// Number of channels.
    pub(super) fn channels(&self) -> u32 {
        self.channels.servers()
    }

    /// Counts an operation among those in flight, where times depend on them.
    #[inline]
    pub(super) fn enter(&mut self, completion: SimTime, tag: usize) {
        self.in_flight.arrive(completion, tag);
    }

    /// A time that depends on what is in flight at `at`, and on its channels.
    pub(super) fn loaded_time(
        &mut self,
        times: &LoadedTimes,
        rng: &mut Rng,
        at: SimTime,
        tag: usize,
        bytes: u64,
    ) -> SimDuration {
        self.in_flight.advance(at);
        let depth = (self.in_flight.inside_with(tag) + 1).min(self.channels.servers());
        times.sample(rng, depth, bytes)
    }

    /// Busy times of the parts up to `now`, ns. Behind a cap operations are known before they begin; then they count
    /// from when they are known.
    pub(super) fn busy_ns(&self, now: SimTime, capped: bool) -> [u64; LANE_PARTS] {
        let ahead = if capped { 0 } else { self.channels.work_after(now) };
        let channels = (self.channel_time - ahead) / u64::from(self.channels.servers());
        let [a, b, c, d, e, f] = if capped { self.limits.given_ns() } else { self.limits.busy_ns(now) };
        [channels, a, b, c, d, e, f]
    }
}
