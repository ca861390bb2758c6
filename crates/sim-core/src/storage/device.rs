//! A storage device: completions computed at submission.
//!
//! **Channels.** The device works on `channels` operations at a time, first come, first served. An operation holds its
//! channel for a sampled time; the distributions are for 16 KiB, and larger random operations differ only by the
//! ceilings on bytes. A sequential write holds its channel for its fixed time and then for its transfer at the
//! narrowest of the write and link bandwidths.
//!
//! **Ceilings.** Operations and bytes a second are limited by turnstiles that hold no channel (see
//! [`super::ceiling`]). An operation completes when its channel and each ceiling is through with it. Ceilings serve in
//! the order of submission.
//!
//! **Interference.** A read takes `1 + f * w` times as long, `w` being the share of the queue depth that writes in
//! flight occupy at its submission, and a write likewise with reads. The counts are exact: operations in flight are
//! kept in order of completion and leave the count at their completion.
//!
//! **Cache flushes** ([`Op::Sync`]). As a barrier (a SATA disk's FLUSH CACHE, which can't be queued with other
//! commands): a sync starts when everything submitted before is complete, and everything submitted later starts when
//! it is. A sync that is submitted while another one waits to start joins it and completes with it. This is how Linux
//! merges flushes (`block/blk-flush.c`): those that arrive while one is running wait and become one flush after it.
//! Not as a barrier (NVMe): one sync runs at a time on a unit of its own and delays nothing else; a sync that arrives
//! while another one waits to start joins it; and a sync completes no sooner than the writes submitted before it. A
//! sync covers what is complete when it is submitted: a submitter waits for its own writes first, as fsync does.
//!
//! **The queue.** `queue_depth` operations fit in. [`Device::submit`] does not block: a submitter asks
//! [`Device::admission_time`] first and comes back then. What is larger than 512 KiB is split by the block layer and
//! counts as several operations, in the queue as under the ceilings on operations, though it completes as a whole.
//!
//! **Accounting** is exact and needs no events (see [`crate::kernel::station`]). Bytes and operations count when they
//! are submitted. The utilisation is that of the busiest part: the channels (on average over them), each ceiling, the
//! sync unit. While a barrier is pending or running, every part counts as busy, for it can serve nothing else.
//!
//! Simplifications: the order is that of submission, without scheduler or NCQ reordering; a random write of any
//! address costs the same, so a disk's seeks are in the distribution; garbage collection inside an SSD is not modelled
//! beyond what the distributions and ceilings say; merged syncs take places in the queue though the block layer holds
//! them outside.

use super::ceiling::{Burst, Ceiling};
use super::spec::DeviceSpec;
use crate::kernel::random::Rng;
use crate::kernel::sampler::DurationSampler;
use crate::kernel::station::StationReport;
use crate::kernel::time::{SimDuration, SimTime};
use crate::kernel::{FreeTimes, Population, TAGS};

/// Largest operation that the block layer hands to a device in one piece, bytes.
pub const SPLIT_BYTES: u64 = 512 * 1024;

/// Kind of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    /// A page read.
    RandomRead,
    /// A page write.
    RandomWrite,
    /// A write behind the last one: redo, doublewrite.
    SequentialWrite,
    /// A cache flush.
    Sync,
}

/// Operations and bytes submitted to a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeviceTotals {
    /// Reads.
    pub random_reads: u64,
    /// Random writes.
    pub random_writes: u64,
    /// Sequential writes.
    pub sequential_writes: u64,
    /// Syncs asked for.
    pub syncs: u64,
    /// Cache flushes that the device does for them, as syncs share them.
    pub cache_flushes: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes of random writes.
    pub random_write_bytes: u64,
    /// Bytes of sequential writes.
    pub sequential_write_bytes: u64,
}

/// What a device saw in an interval.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DeviceInterval {
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub write_bytes: u64,
    /// Reads.
    pub reads: u64,
    /// Writes, random and sequential.
    pub writes: u64,
    /// Syncs asked for.
    pub syncs: u64,
    /// Busy share of the busiest part, 0..=1.
    pub utilization: f64,
    /// Mean number of operations in queue and service.
    pub queue_mean: f64,
}

/// Tags of operations in flight.
const READ: usize = 0;
const WRITE: usize = 1;
const SYNC: usize = 2;

/// Parts of a device that can be the busiest.
const PARTS: usize = 8;

/// The limits of a device.
#[derive(Debug, Clone)]
struct Limits {
    read_iops: Option<Ceiling>,
    write_iops: Option<Ceiling>,
    read_bytes: Option<Ceiling>,
    write_bytes: Option<Ceiling>,
    link: Option<Ceiling>,
    burst: Option<Burst>,
}

impl Limits {
    fn new(spec: &DeviceSpec) -> Self {
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
    fn pass_read(&mut self, now: SimTime, pieces: u64, bytes: u64) -> SimTime {
        let own = pass(&mut self.read_iops, now, pieces).max(pass(&mut self.read_bytes, now, bytes));
        own.max(self.pass_common(now, pieces, bytes))
    }

    /// Passes a write of `bytes` bytes in `pieces` pieces; returns the end of its last turn.
    #[inline]
    fn pass_write(&mut self, now: SimTime, pieces: u64, bytes: u64) -> SimTime {
        let own = pass(&mut self.write_iops, now, pieces).max(pass(&mut self.write_bytes, now, bytes));
        own.max(self.pass_common(now, pieces, bytes))
    }

    #[inline]
    fn pass_common(&mut self, now: SimTime, pieces: u64, bytes: u64) -> SimTime {
        let link = pass(&mut self.link, now, bytes);
        match &mut self.burst {
            Some(burst) => burst.take(now, pieces).max(link),
            None => link,
        }
    }

    /// Passes a sync that counts as a write operation.
    fn pass_sync(&mut self, now: SimTime) -> SimTime {
        let end = pass(&mut self.write_iops, now, 1);
        self.burst.as_mut().map_or(end, |burst| burst.take(now, 1).max(end))
    }

    /// Time of a transfer of `bytes` written bytes at the narrowest place, ns.
    #[inline]
    fn write_transfer_ns(&self, bytes: u64) -> u64 {
        let cost = |ceiling: &Option<Ceiling>| ceiling.as_ref().map_or(0, |ceiling| ceiling.cost_ns(bytes));
        cost(&self.write_bytes).max(cost(&self.link))
    }

    /// Lets nothing through between `now` and `until`.
    fn hold(&mut self, now: SimTime, until: SimTime) {
        let ceilings =
            [&mut self.read_iops, &mut self.write_iops, &mut self.read_bytes, &mut self.write_bytes, &mut self.link];
        for ceiling in ceilings.into_iter().flatten() {
            ceiling.hold(now, until);
        }
        if let Some(burst) = &mut self.burst {
            burst.hold(now, until);
        }
    }

    /// Busy times of the ceilings up to `now`, ns.
    fn busy_ns(&self, now: SimTime) -> [u64; 6] {
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

/// The cache flush that was scheduled last.
#[derive(Debug, Clone, Copy, Default)]
struct Flush {
    start: SimTime,
    end: SimTime,
    /// Sum of the lengths of all flushes, ns.
    given: u64,
}

/// A storage device.
#[derive(Debug, Clone)]
pub struct Device {
    name: String,
    rng: Rng,
    random_read: DurationSampler,
    random_write: DurationSampler,
    sequential_write: DurationSampler,
    sync: DurationSampler,
    queue_depth: usize,
    interference: f64,
    sync_is_barrier: bool,
    sync_counts_as_write: bool,

    channels: FreeTimes,
    /// Time for which channels were given away or held, summed over them, ns.
    channel_time: u64,
    limits: Limits,
    flush: Flush,
    population: Population,
    /// When every operation of a kind that was submitted so far is complete.
    complete_at: [SimTime; TAGS],

    totals: DeviceTotals,
    /// Totals and busy times when the current interval began.
    interval_totals: DeviceTotals,
    interval_busy: [u64; PARTS],
}

impl Device {
    /// An idle device as `spec`, which must be valid, describes it. Service times come from `rng`.
    pub fn new(spec: &DeviceSpec, rng: Rng) -> Self {
        debug_assert_eq!(spec.validate(), Ok(()), "a device is checked before it is built");
        Device {
            name: spec.name.clone(),
            rng,
            random_read: DurationSampler::new(&spec.random_read),
            random_write: DurationSampler::new(&spec.random_write),
            sequential_write: DurationSampler::new(&spec.sequential_write),
            sync: DurationSampler::new(&spec.sync),
            queue_depth: spec.queue_depth.max(1) as usize,
            interference: spec.read_write_interference,
            sync_is_barrier: spec.sync_is_barrier,
            sync_counts_as_write: spec.sync_counts_as_write,
            channels: FreeTimes::new(spec.channels),
            channel_time: 0,
            limits: Limits::new(spec),
            flush: Flush::default(),
            population: Population::with_capacity(2 * spec.queue_depth as usize),
            complete_at: [SimTime::ZERO; TAGS],
            totals: DeviceTotals::default(),
            interval_totals: DeviceTotals::default(),
            interval_busy: [0; PARTS],
        }
    }

    /// Submits an operation of `bytes` bytes (0 for a sync) at `now`; returns its completion.
    ///
    /// The moments of submissions and questions must not run backwards.
    #[inline]
    pub fn submit(&mut self, now: SimTime, op: Op, bytes: u64) -> SimTime {
        self.population.advance(now);
        match op {
            Op::RandomRead => self.submit_read(now, bytes),
            Op::RandomWrite => {
                self.totals.random_writes += 1;
                self.totals.random_write_bytes += bytes;
                let service = self.random_write.sample(&mut self.rng);
                self.submit_write(now, service, bytes)
            }
            Op::SequentialWrite => {
                self.totals.sequential_writes += 1;
                self.totals.sequential_write_bytes += bytes;
                let fixed = self.sequential_write.sample(&mut self.rng);
                let service = fixed + SimDuration(self.limits.write_transfer_ns(bytes));
                self.submit_write(now, service, bytes)
            }
            Op::Sync => self.submit_sync(now),
        }
    }

    #[inline]
    fn submit_read(&mut self, now: SimTime, bytes: u64) -> SimTime {
        self.totals.random_reads += 1;
        self.totals.read_bytes += bytes;
        let service = self.random_read.sample(&mut self.rng);
        let service = self.slowed(now, service, WRITE);
        let served = self.serve(now, service);
        let pieces = pieces(bytes);
        let completion = served.max(self.limits.pass_read(now, pieces, bytes));
        self.enter(completion, READ, pieces);
        completion
    }

    #[inline]
    fn submit_write(&mut self, now: SimTime, service: SimDuration, bytes: u64) -> SimTime {
        let service = self.slowed(now, service, READ);
        let served = self.serve(now, service);
        let pieces = pieces(bytes);
        let completion = served.max(self.limits.pass_write(now, pieces, bytes));
        self.enter(completion, WRITE, pieces);
        completion
    }

    fn submit_sync(&mut self, now: SimTime) -> SimTime {
        self.totals.syncs += 1;
        if self.flush.start <= now {
            self.schedule_flush(now);
        }
        let completion =
            if self.sync_is_barrier { self.flush.end } else { self.flush.end.max(self.complete_at[WRITE]).max(now) };
        self.enter(completion, SYNC, 1);
        completion
    }

    /// Schedules a cache flush: as a barrier behind everything, otherwise behind the last flush.
    fn schedule_flush(&mut self, now: SimTime) {
        self.totals.cache_flushes += 1;
        let start = if self.sync_is_barrier { self.horizon() } else { self.flush.end }.max(now);
        let mut end = start + self.sync.sample(&mut self.rng);
        if self.sync_counts_as_write {
            end = end.max(self.limits.pass_sync(now));
        }
        self.flush = Flush { start, end, given: self.flush.given + end.since(start).0 };
        if self.sync_is_barrier {
            self.channel_time += self.channels.occupy_all(now, end);
            self.limits.hold(now, end);
        }
    }

    /// Serves an operation on the first free channel.
    #[inline]
    fn serve(&mut self, now: SimTime, service: SimDuration) -> SimTime {
        let end = self.channels.earliest().max(now) + service;
        self.channels.occupy_earliest(end);
        self.channel_time += service.0;
        end
    }

    /// `service`, stretched by the operations of the kind `others` in flight.
    #[inline]
    fn slowed(&mut self, now: SimTime, service: SimDuration, others: usize) -> SimDuration {
        if self.interference == 0.0 || self.complete_at[others] <= now {
            return service;
        }
        let share = (f64::from(self.population.inside_with(others)) / self.queue_depth as f64).min(1.0);
        SimDuration((service.0 as f64 * (1.0 + self.interference * share) + 0.5) as u64)
    }

    /// When everything submitted so far is complete.
    fn horizon(&self) -> SimTime {
        let [a, b, c, d] = self.complete_at;
        a.max(b).max(c).max(d)
    }

    /// Counts an operation in `pieces` pieces into the queue.
    #[inline]
    fn enter(&mut self, completion: SimTime, tag: usize, pieces: u64) {
        self.complete_at[tag] = self.complete_at[tag].max(completion);
        for _ in 0..pieces {
            self.population.arrive(completion, tag);
        }
    }

    /// Operations submitted and not complete at `now`, as places in the queue.
    #[inline]
    pub fn outstanding(&mut self, now: SimTime) -> u32 {
        self.population.advance(now);
        self.population.inside() as u32
    }

    /// The earliest moment from `now` on at which the queue has `places` places (at most its depth), if nothing else is
    /// submitted until then.
    #[inline]
    pub fn admission_time(&mut self, now: SimTime, places: u32) -> SimTime {
        self.population.advance(now);
        let others = self.queue_depth - (places as usize).clamp(1, self.queue_depth);
        self.population.room_at(others + 1)
    }

    /// Operations and bytes submitted since the start.
    pub fn totals(&self) -> &DeviceTotals {
        &self.totals
    }

    /// Busy times of the parts up to `now`, ns.
    fn busy_ns(&self, now: SimTime) -> [u64; PARTS] {
        let channels = (self.channel_time - self.channels.work_after(now)) / u64::from(self.channels.servers());
        // As a barrier a flush is in the channels' time. Otherwise flushes follow each other without gaps while one
        // waits.
        let flush = if self.sync_is_barrier { 0 } else { self.flush.given - self.flush.end.since(now).0 };
        let [a, b, c, d, e, f] = self.limits.busy_ns(now);
        [channels, flush, a, b, c, d, e, f]
    }

    /// What happened since the last call (or the start) up to `now`.
    pub fn take_interval(&mut self, now: SimTime) -> DeviceInterval {
        self.population.advance(now);
        let changes = self.population.take_interval();
        let busy = self.busy_ns(now);
        let before = std::mem::replace(&mut self.interval_busy, busy);
        let busiest = busy.iter().zip(before).map(|(now, before)| now - before).max().unwrap_or(0);
        let old = std::mem::replace(&mut self.interval_totals, self.totals);
        let new = &self.totals;
        let length = (changes.length_ns as f64).max(1.0);
        DeviceInterval {
            read_bytes: new.read_bytes - old.read_bytes,
            write_bytes: new.random_write_bytes - old.random_write_bytes + new.sequential_write_bytes
                - old.sequential_write_bytes,
            reads: new.random_reads - old.random_reads,
            writes: new.random_writes - old.random_writes + new.sequential_writes - old.sequential_writes,
            syncs: new.syncs - old.syncs,
            utilization: busiest as f64 / length,
            queue_mean: changes.number_ns as f64 / length,
        }
    }

    /// What happened from the start up to `now`; operations are counted in pieces, as in the queue.
    pub fn report(&mut self, now: SimTime) -> StationReport {
        self.population.advance(now);
        let busiest = self.busy_ns(now).into_iter().max().unwrap_or(0);
        self.population.report(&self.name, self.channels.servers(), busiest as f64)
    }
}

/// Pieces into which the block layer splits an operation of `bytes` bytes.
#[inline]
fn pieces(bytes: u64) -> u64 {
    if bytes <= SPLIT_BYTES { 1 } else { bytes.div_ceil(SPLIT_BYTES) }
}
