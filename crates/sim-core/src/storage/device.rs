//! A storage device: completions computed at submission.
//!
//! **Service.** An operation holds one of the channels for a sampled time and passes the ceilings (see `lane`). The
//! distributions are for 16 KiB, and larger random operations differ only by the ceilings on bytes. A sequential write
//! holds its channel for its fixed time and then for its transfer at the narrowest of the write and link bandwidths.
//!
//! **Interference.** A read takes `1 + f * w` times as long, `w` being the share of the queue depth that writes in
//! flight occupy at its submission, and a write likewise with reads. The counts are exact: operations in flight are
//! kept in order of completion and leave the count at their completion.
//!
//! **Cache flushes** ([`Op::Sync`]). As a barrier (a SATA disk's FLUSH CACHE, which can't be queued with other
//! commands): a sync starts when everything submitted before is complete, and everything submitted later starts when
//! it is; one that finds commands on their way takes `drain` longer, as the host holds it back and sends it again. A sync that
//! is submitted while another one waits to start joins it and completes with it. This is how Linux
//! merges flushes (`block/blk-flush.c`): those that arrive while one is running wait and become one flush after it.
//! With `sync_goes_first` a flush waits only for the commands in the drive, as many as it has channels: the block layer puts it ahead
//! of its queue, and sends nothing until the drive is empty. Between two flushes it fills the drive again. A write that belongs
//! to a flush, the commit block of a journal, goes ahead of the queue as well ([`Device::submit_ahead`]). Completions
//! that were already computed stand; what is submitted later starts once all of them are over and the length of the flush has passed
//! as well. So the drive is emptied once for each flush, as in truth, but behind the queue (errs towards completions in
//! the queue that are early by the flushes that overtook them).
//! Not as a barrier (NVMe): one sync runs at a time on a unit of its own and delays nothing else; a sync that arrives
//! while another one waits to start joins it; and a sync completes no sooner than the writes submitted before it. A
//! sync covers what is complete when it is submitted: a submitter waits for its own writes first, as fsync does.
//!
//! **Programs** of the flash hold reads up (see [`super::programs`]): a read takes longer by what it waits for its die.
//!
//! **Blocks that are written again** ([`Device::submit_to_log`]). The redo log and the binary log end within a block, which the
//! next write contains once more. Flash can't be overwritten: while a drive programs the block, it does not take the next
//! version (`rewrite`). So a log that is synced again and again is written no more often than that, while two logs, or a log and a journal,
//! don't hold each other up.
//!
//! **The queue.** `queue_depth` writes and syncs fit in; a read, for which a thread waits, always does, so that readers
//! can't keep writers out. [`Device::submit`] does not block: a submitter of writes asks [`Device::admission_time`]
//! first and comes back then. What is larger than 512 KiB is split by the block layer and
//! counts as several operations, in the queue as under the ceilings on operations, though it completes as a whole.
//!
//! **Adjacent pages** ([`Device::submit_adjacent`]). With `merges_writes`, while a page write waits in the queue, the block layer merges one that follows
//! it on the disk into it: one command, one place in the queue, both complete together (`blk_mq_sched_bio_merge`).
//!
//! **Caps** stand in front of all this (see [`super::gate`]): an operation reaches the device when its cap lets it
//! pass. As a completion is computed at submission, reads and writes behind a cap have channels and ceilings of their
//! own, so that a read need not wait for a channel that a waiting write will use; reads and writes then don't compete
//! for these.
//!
//! **Seeks.** The time of a random write on a disk is a seek, half a turn and the transfer. A page a little behind the
//! one written before it lies on the same track, under a head that is there already: it is written when it comes by,
//! after the bytes between the two have passed at the write bandwidth ([`Device::submit_near`]). How far that reaches
//! is `seek_free_bytes`, about a track; which pages follow each other the submitter knows. A device without seeks has
//! 0.
//!
//! **Measured times.** Where the times of a kind of operation were measured at several depths (`at_depth`), they
//! replace its distribution, its transfer and the interference (see [`super::loaded`]).
//!
//! **An array** (`array`) is `channels` disks behind a controller with a write cache (see [`super::write_cache`]): a write is complete
//! when it lies there, in the time of a sequential write and its transfer over the link, and the disks work it off as above. A page near the one before it
//! needs no seek if it lies on the same strip of a disk; it passes under that disk's head.
//!
//! **Accounting** is exact and needs no events (see [`crate::kernel::station`]). The utilisation is that of the busiest
//! part: the channels (on average over them), each ceiling, the sync unit. While a barrier is pending or running, every
//! part counts as busy, for it can serve nothing else.
//!
//! Simplifications: the order is that of submission, without scheduler or NCQ reordering; only the page write submitted last is
//! merged with, and sequential writes never are (errs towards more commands); every seek is drawn from one
//! distribution, whatever its length, and reads always seek (errs towards a slower disk); files lie in one piece (errs
//! towards fewer seeks); garbage collection inside an SSD is not modelled beyond what the distributions and ceilings
//! say; merged syncs take places in the queue though the block layer holds them outside.

use super::gate::{Gate, ONE_OPERATION_BYTES, PARTS_OF_OPERATION};
use super::lane::{LANE_PARTS, Lane, RANDOM, SEQUENTIAL};
use super::loaded::LoadedTimes;
use super::programs::Programs;
use super::spec::{ArraySpec, DeviceSpec, TimedOp};
use super::totals::{DeviceInterval, DeviceTotals};
use super::write_cache::WriteCache;
use crate::kernel::random::Rng;
use crate::kernel::sampler::DurationSampler;
use crate::kernel::station::StationReport;
use crate::kernel::time::{SimDuration, SimTime};
use crate::kernel::{Population, TAGS};

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

/// Tags of operations in flight.
const READ: usize = 0;
const WRITE: usize = 1;
const SYNC: usize = 2;

/// Parts of a device that can be the busiest.
const PARTS: usize = 2 * LANE_PARTS + 3;

/// The cache flush that was scheduled last.
#[derive(Debug, Clone, Copy, Default)]
struct Flush {
    start: SimTime,
    end: SimTime,
    /// What is submitted later starts then.
    holds_until: SimTime,
    /// Sum of the lengths of all flushes, ns.
    given: u64,
}

/// The caps in front of a device.
#[derive(Debug, Clone)]
struct Caps {
    read: Option<Gate>,
    write: Option<Gate>,
    /// 1000ths of an operation that a sync takes.
    sync_parts: u64,
}

/// Measured times by what is in flight.
#[derive(Debug, Clone)]
struct Loaded {
    random_read: Option<LoadedTimes>,
    random_write: Option<LoadedTimes>,
    sequential_write: Option<LoadedTimes>,
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
    seek_free_bytes: u64,
    interference: f64,
    sync_is_barrier: bool,
    sync_goes_first: bool,
    drain: SimDuration,
    rewrite: SimDuration,
    merges_writes: bool,
    sync_counts_as_write: bool,

    /// Of everything; behind a cap, where writes may be waiting, of reads.
    lane: Lane,
    /// Of writes and syncs behind a cap.
    capped_lane: Option<Box<Lane>>,
    caps: Option<Caps>,
    loaded: Option<Box<Loaded>>,
    cache: Option<Box<WriteCache>>,
    array: Option<ArraySpec>,
    programs: Option<Box<Programs>>,
    flush: Flush,
    /// The page write that was submitted last, with those merged into it: its completion, and how many bytes it has.
    last_page: (SimTime, u64),
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
            seek_free_bytes: spec.seek_free_bytes,
            interference: spec.read_write_interference,
            sync_is_barrier: spec.sync_is_barrier,
            sync_goes_first: spec.sync_goes_first,
            drain: SimDuration(spec.drain_ns),
            rewrite: SimDuration(spec.rewrite_ns),
            merges_writes: spec.merges_writes,
            sync_counts_as_write: spec.sync_counts_as_write,
            lane: Lane::new(spec),
            capped_lane: spec.cap.as_ref().map(|_| Box::new(Lane::new(spec))),
            caps: spec.cap.as_ref().map(|cap| {
                let slice = SimDuration(cap.slice_ns);
                Caps {
                    read: Gate::new(cap.read_iops, cap.read_bytes_per_s, slice),
                    write: Gate::new(cap.write_iops, cap.write_bytes_per_s, slice),
                    sync_parts: (spec.sync_operations * PARTS_OF_OPERATION as f64 + 0.5) as u64,
                }
            }),
            loaded: Loaded::new(spec),
            cache: WriteCache::new(spec).map(Box::new),
            array: spec.array.clone(),
            programs: Programs::new(spec).map(Box::new),
            flush: Flush::default(),
            last_page: (SimTime::ZERO, 0),
            population: Population::with_capacity(2 * spec.queue_depth as usize),
            complete_at: [SimTime::ZERO; TAGS],
            totals: DeviceTotals::default(),
            interval_totals: DeviceTotals::default(),
            interval_busy: [0; PARTS],
        }
    }

    /// The random numbers that service times come from, where they stand.
    pub(crate) fn stream(&self) -> Rng {
        self.rng.clone()
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
                self.last_page = (self.submit_write(now, bytes, false, SimTime::ZERO), bytes);
                self.last_page.0
            }
            Op::SequentialWrite => self.submit_sequential(now, bytes, SimTime::ZERO),
            Op::Sync => self.submit_sync(now),
        }
    }

    #[inline]
    fn submit_read(&mut self, now: SimTime, bytes: u64) -> SimTime {
        self.totals.random_reads += 1;
        self.totals.read_bytes += bytes;
        let at = match &mut self.caps {
            Some(Caps { read: Some(gate), .. }) => gate.pass(now, operation_parts(bytes), bytes),
            _ => now,
        };
        let service = match self.loaded.as_deref() {
            Some(Loaded { random_read: Some(times), .. }) => {
                self.lane.loaded_time(times, &mut self.rng, at, RANDOM, bytes)
            }
            _ => {
                let service = self.random_read.sample(&mut self.rng);
                self.slowed(now, service, WRITE)
            }
        };
        let program = self.programs.as_deref_mut().map_or(SimDuration::ZERO, |all| all.wait(at, &mut self.rng));
        let pieces = pieces(bytes);
        let completion = self.lane.serve_read(at, service + program, pieces, bytes);
        if self.loaded.is_some() {
            self.lane.enter(completion, RANDOM);
        }
        self.enter(completion, READ, pieces);
        completion
    }

    /// How far behind the last one a page write needs no seek, bytes; 0 for a device that does not seek.
    #[inline]
    pub fn seek_free_bytes(&self) -> u64 {
        self.seek_free_bytes
    }

    /// Pages that lie together on one disk of an array; `None` where all pages that are near each other do.
    #[inline]
    pub(crate) fn strip_bytes(&self) -> Option<u64> {
        self.array.as_ref().map(|array| array.strip_bytes)
    }

    /// Whether a cache flush waits for all commands and holds the later ones.
    pub(crate) fn flush_is_barrier(&self) -> bool {
        self.sync_is_barrier
    }

    /// Submits a page write that begins `distance` bytes after the beginning of the one submitted before it, no more
    /// than [`Device::seek_free_bytes`]; returns its completion.
    pub fn submit_near(&mut self, now: SimTime, distance: u64, bytes: u64) -> SimTime {
        self.population.advance(now);
        self.totals.random_writes += 1;
        self.totals.random_write_bytes += bytes;
        let at = self.pass_write_cap(now, bytes);
        let lane = self.capped_lane.as_deref().unwrap_or(&self.lane);
        let service = match &self.array {
            Some(array) => SimDuration((distance as f64 * 1e9 / array.head_bytes_per_s + 0.5) as u64),
            None => lane.write_transfer(distance),
        };
        self.serve_write(at, service, bytes, false, SimTime::ZERO)
    }

    /// Submits a page write that begins where the one submitted before it ended; returns its completion. While that one waits in
    /// the queue of the block layer, the two become one operation, which takes no further command and no further place.
    pub fn submit_adjacent(&mut self, now: SimTime, bytes: u64) -> SimTime {
        self.population.advance(now);
        let (completion, merged) = self.last_page;
        let merges = self.merges_writes && self.is_bare() && merged + bytes <= SPLIT_BYTES;
        if !merges || !self.waits_in_queue(now, completion) {
            return self.submit(now, Op::RandomWrite, bytes);
        }
        self.totals.random_writes += 1;
        self.totals.random_write_bytes += bytes;
        let completion = completion.max(self.lane.extend_write(now, bytes));
        self.enter_write(now, completion, 0, bytes);
        self.last_page = (completion, merged + bytes);
        completion
    }

    /// Whether the queue of the block layer feeds the drive itself: no cap and no controller's cache lies between.
    fn is_bare(&self) -> bool {
        self.caps.is_none() && self.cache.is_none()
    }

    /// Whether an operation that is complete at `completion` is not in the drive yet: a flush holds it up, or others fill the channels.
    fn waits_in_queue(&mut self, now: SimTime, completion: SimTime) -> bool {
        let held = now < self.flush.holds_until && self.flush.holds_until < completion;
        self.sync_is_barrier && held || self.population.inside_before(completion) >= self.lane.channels() as usize
    }

    /// Submits a sequential write to a log; returns its completion. `before` is the completion of the log's last write, if this
    /// one begins in the block in which that one ended.
    pub fn submit_to_log(&mut self, now: SimTime, bytes: u64, before: Option<SimTime>) -> SimTime {
        self.population.advance(now);
        self.submit_sequential(now, bytes, before.map_or(SimTime::ZERO, |at| at + self.rewrite))
    }

    /// Submits a write that goes ahead of the queue of the block layer, where flushes do: it waits for nothing, and delays what is
    /// submitted later by its transfer.
    pub fn submit_ahead(&mut self, now: SimTime, bytes: u64) -> SimTime {
        if !self.sync_goes_first || !self.is_bare() {
            return self.submit(now, Op::SequentialWrite, bytes);
        }
        self.population.advance(now);
        let pieces = pieces(bytes);
        self.totals.sequential_writes += 1;
        self.totals.sequential_write_bytes += bytes;
        self.totals.write_pieces += pieces;
        let completion = now + self.write_time(now, bytes, true);
        self.lane.write_ahead(now, pieces, bytes);
        self.enter_write(now, completion, pieces, bytes);
        completion
    }

    #[inline]
    fn submit_sequential(&mut self, now: SimTime, bytes: u64, no_sooner: SimTime) -> SimTime {
        self.totals.sequential_writes += 1;
        self.totals.sequential_write_bytes += bytes;
        self.submit_write(now, bytes, true, no_sooner)
    }

    /// When a write passes its cap.
    #[inline]
    fn pass_write_cap(&mut self, now: SimTime, bytes: u64) -> SimTime {
        match &mut self.caps {
            Some(Caps { write: Some(gate), .. }) => gate.pass(now, operation_parts(bytes), bytes),
            _ => now,
        }
    }

    #[inline]
    fn submit_write(&mut self, now: SimTime, bytes: u64, sequential: bool, no_sooner: SimTime) -> SimTime {
        let at = self.pass_write_cap(now, bytes);
        // In a cache it takes its time below.
        let cached = sequential && self.cache.is_some();
        let service = if cached { SimDuration::ZERO } else { self.write_time(at, bytes, sequential) };
        self.serve_write(at, service, bytes, sequential, no_sooner)
    }

    /// A write that has passed its cap, on its channel and under the ceilings, complete at `no_sooner` at the earliest.
    #[inline]
    fn serve_write(
        &mut self,
        at: SimTime,
        service: SimDuration,
        bytes: u64,
        sequential: bool,
        no_sooner: SimTime,
    ) -> SimTime {
        let lane = self.capped_lane.as_deref_mut().unwrap_or(&mut self.lane);
        let pieces = pieces(bytes);
        self.totals.write_pieces += pieces;
        let completion = match self.cache.as_deref_mut() {
            Some(cache) => {
                let done = if sequential { at } else { lane.serve_write(at, service, pieces, bytes) };
                let entered = cache.admit(at, bytes, done);
                entered + self.sequential_write.sample(&mut self.rng) + cache.transfer(bytes)
            }
            None => lane.serve_write(at, service, pieces, bytes),
        };
        let completion = completion.max(no_sooner);
        if self.loaded.is_some() {
            lane.enter(completion, if sequential { SEQUENTIAL } else { RANDOM });
        }
        self.enter_write(at, completion, pieces, bytes);
        completion
    }

    /// Time for which a write holds its channel.
    #[inline]
    fn write_time(&mut self, at: SimTime, bytes: u64, sequential: bool) -> SimDuration {
        let lane = self.capped_lane.as_deref_mut().unwrap_or(&mut self.lane);
        match (self.loaded.as_deref(), sequential) {
            (Some(Loaded { random_write: Some(times), .. }), false) => {
                return lane.loaded_time(times, &mut self.rng, at, RANDOM, bytes);
            }
            (Some(Loaded { sequential_write: Some(times), .. }), true) => {
                return lane.loaded_time(times, &mut self.rng, at, SEQUENTIAL, bytes);
            }
            _ => {}
        }
        let service = if sequential {
            let fixed = self.sequential_write.sample(&mut self.rng);
            fixed + lane.write_transfer(bytes)
        } else {
            self.random_write.sample(&mut self.rng)
        };
        self.slowed(at, service, READ)
    }

    fn submit_sync(&mut self, now: SimTime) -> SimTime {
        self.totals.syncs += 1;
        let at = match &mut self.caps {
            Some(Caps { write: Some(gate), sync_parts, .. }) => gate.pass(now, *sync_parts, 0),
            _ => now,
        };
        if self.flush.start <= at {
            self.schedule_flush(at);
        }
        let completion =
            if self.sync_is_barrier { self.flush.end } else { self.flush.end.max(self.complete_at[WRITE]).max(at) };
        self.enter(completion, SYNC, 1);
        completion
    }

    /// Schedules a cache flush: as a barrier behind everything or, where it goes first, behind what is in the drive; otherwise behind
    /// the last flush.
    fn schedule_flush(&mut self, at: SimTime) {
        self.totals.cache_flushes += 1;
        let start = match (self.sync_is_barrier, self.sync_goes_first) {
            (true, true) => self.drained_at(),
            (true, false) => self.horizon(),
            (false, _) => self.flush.end,
        };
        let start = start.max(at);
        let drains = self.sync_is_barrier && self.population.inside() > 0;
        let mut end = start + self.sync.sample(&mut self.rng);
        if drains {
            end += self.drain;
        }
        if self.sync_counts_as_write {
            let lane = self.capped_lane.as_deref_mut().unwrap_or(&mut self.lane);
            end = end.max(lane.pass_sync(at));
        }
        let length = end.since(start);
        let holds_until =
            if self.sync_goes_first { self.horizon().max(self.flush.holds_until).max(at) + length } else { end };
        self.flush = Flush { start, end, holds_until, given: self.flush.given + length.0 };
        if self.sync_is_barrier {
            for lane in [Some(&mut self.lane), self.capped_lane.as_deref_mut()].into_iter().flatten() {
                lane.hold(at, holds_until);
            }
        }
    }

    /// When the commands that are in the drive now, as many as it has channels, are complete.
    fn drained_at(&mut self) -> SimTime {
        let outstanding = self.population.inside() - self.population.inside_with(SYNC) as usize;
        let in_drive = outstanding.min(self.lane.channels() as usize);
        if in_drive == 0 {
            return self.flush.end;
        }
        self.population.room_beside(SYNC, outstanding - in_drive + 1).max(self.flush.end)
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

    /// Counts a write that came at `at` into the queue; its bytes go to the flash.
    #[inline]
    fn enter_write(&mut self, at: SimTime, completion: SimTime, pieces: u64, bytes: u64) {
        if let Some(programs) = self.programs.as_deref_mut() {
            programs.written(at, completion, bytes);
        }
        self.enter(completion, WRITE, pieces);
    }

    /// Operations submitted and not complete at `now`, as places in the queue.
    #[inline]
    pub fn outstanding(&mut self, now: SimTime) -> u32 {
        self.population.advance(now);
        self.population.inside() as u32
    }

    /// The earliest moment from `now` on at which the queue has `places` places (at most its depth) for writes, if nothing
    /// else is submitted until then.
    #[inline]
    pub fn admission_time(&mut self, now: SimTime, places: u32) -> SimTime {
        self.population.advance(now);
        let others = self.queue_depth - (places as usize).clamp(1, self.queue_depth);
        self.population.room_beside(READ, others + 1)
    }

    /// Operations and bytes submitted since the start.
    pub fn totals(&self) -> &DeviceTotals {
        &self.totals
    }

    /// Busy times of the parts up to `now`, ns.
    fn busy_ns(&self, now: SimTime) -> [u64; PARTS] {
        let capped = self.caps.is_some();
        let mut busy = [0; PARTS];
        busy[..LANE_PARTS].copy_from_slice(&self.lane.busy_ns(now, capped));
        if let Some(lane) = &self.capped_lane {
            busy[LANE_PARTS..2 * LANE_PARTS].copy_from_slice(&lane.busy_ns(now, capped));
        }
        // As a barrier a flush is in the channels' time. Otherwise flushes follow each other without gaps while one
        // waits.
        if !self.sync_is_barrier {
            let ahead = if capped { 0 } else { self.flush.end.since(now).0 };
            busy[PARTS - 3] = self.flush.given - ahead;
        }
        if let Some(caps) = &self.caps {
            busy[PARTS - 2] = caps.read.as_ref().map_or(0, |gate| gate.busy_ns(now));
            busy[PARTS - 1] = caps.write.as_ref().map_or(0, |gate| gate.busy_ns(now));
        }
        busy
    }

    /// What happened since the last call (or the start) up to `now`.
    pub fn take_interval(&mut self, now: SimTime) -> DeviceInterval {
        self.population.advance(now);
        let changes = self.population.take_interval();
        let busy = self.busy_ns(now);
        let before = std::mem::replace(&mut self.interval_busy, busy);
        let busiest = busy.iter().zip(before).map(|(now, before)| now - before).max().unwrap_or(0);
        let old = std::mem::replace(&mut self.interval_totals, self.totals);
        let length = (changes.length_ns as f64).max(1.0);
        DeviceInterval {
            utilization: (busiest as f64 / length).min(1.0),
            queue_mean: changes.number_ns as f64 / length,
            ..self.totals.since(&old)
        }
    }

    /// What happened from the start up to `now`; operations are counted in pieces, as in the queue.
    pub fn report(&mut self, now: SimTime) -> StationReport {
        self.population.advance(now);
        let busiest = self.busy_ns(now).into_iter().max().unwrap_or(0);
        self.population.report(&self.name, self.lane.channels(), busiest as f64)
    }
}

impl Loaded {
    /// The times of `spec`; nothing if it has none.
    fn new(spec: &DeviceSpec) -> Option<Box<Loaded>> {
        let of = |op: TimedOp| LoadedTimes::new(spec.at_depth.iter().filter(|point| point.op == op));
        let loaded = Loaded {
            random_read: of(TimedOp::RandomRead),
            random_write: of(TimedOp::RandomWrite),
            sequential_write: of(TimedOp::SequentialWrite),
        };
        (!spec.at_depth.is_empty()).then(|| Box::new(loaded))
    }
}

/// 1000ths of an operation that a transfer counts under a cap.
fn operation_parts(bytes: u64) -> u64 {
    bytes.div_ceil(ONE_OPERATION_BYTES).max(1) * PARTS_OF_OPERATION
}

/// Pieces into which the block layer splits an operation of `bytes` bytes.
#[inline]
fn pieces(bytes: u64) -> u64 {
    if bytes <= SPLIT_BYTES { 1 } else { bytes.div_ceil(SPLIT_BYTES) }
}
