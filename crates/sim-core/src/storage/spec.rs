//! What a storage device is told to be: plain data, see [`crate::storage`] for what it means.

use crate::kernel::sampler::DurationDist;
use serde::{Deserialize, Serialize};

/// Lowest rate that can be kept exactly, a second.
const LEAST_RATE: f64 = 1.0;

/// Storage of the server: the data device, and where redo goes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StorageSpec {
    /// Data files and doublewrite files.
    pub data: DeviceSpec,
    /// A device of its own for the redo log; `None` shares the data device.
    pub redo: Option<DeviceSpec>,
}

/// One device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeviceSpec {
    /// Name of the profile, for people.
    pub name: String,
    /// Operations the device works on at a time.
    pub channels: u32,
    /// Operations that fit into the device's and the operating system's queue; a submitter waits for a place.
    pub queue_depth: u32,
    /// Time of one 16 KiB random read on an idle device.
    pub random_read: DurationDist,
    /// Time of one 16 KiB random write on an idle device.
    pub random_write: DurationDist,
    /// Fixed time of a sequential write (doublewrite, redo), before its transfer.
    pub sequential_write: DurationDist,
    /// Time of a cache flush once the operations before it are done.
    pub sync: DurationDist,
    /// Whether a cache flush waits for everything before it and holds everything after it (SATA's non-queued flush);
    /// otherwise it only takes its own time.
    pub sync_is_barrier: bool,
    /// Whether a cache flush that is a barrier waits only for the commands in the drive, ahead of what waits in the queue, and a
    /// journal's commit block goes ahead of it too.
    #[serde(default)]
    pub sync_goes_first: bool,
    /// Added to a cache flush that is a barrier and had to wait for operations before it: it is held back and sent again.
    #[serde(default)]
    pub drain_ns: u64,
    /// A write that begins in the block in which the write before it ended is complete no sooner than so long after that one:
    /// the drive is still programming the block.
    #[serde(default)]
    pub rewrite_ns: u64,
    /// A read of a die that is being programmed waits for the rest of the program, which takes so long; all dies together
    /// program `write_bytes_per_s`. 0 where reads don't wait.
    #[serde(default)]
    pub program_ns: u64,
    /// Whether page writes that follow each other become one operation while the first waits in the queue.
    #[serde(default)]
    pub merges_writes: bool,
    /// Ceiling of read operations a second; `None` for no ceiling.
    pub read_iops: Option<f64>,
    /// Ceiling of write operations a second; a sync counts as one where `sync_counts_as_write`.
    pub write_iops: Option<f64>,
    /// Operations of `read_iops` that 16 KiB of writes take: flash that is being programmed cannot be read.
    #[serde(default)]
    pub reads_a_page_written: f64,
    /// Ceiling of reads, bytes a second.
    pub read_bytes_per_s: Option<f64>,
    /// Ceiling of writes, bytes a second.
    pub write_bytes_per_s: Option<f64>,
    /// Bytes that each write counts more under that ceiling: commands take time on the link as well.
    #[serde(default)]
    pub write_overhead_bytes: u64,
    /// Ceiling of reads and writes together, bytes a second (the link).
    pub link_bytes_per_s: Option<f64>,
    /// Factor on the time of a read for a full queue of writes (and of a write for a full queue of reads): 0 for none.
    pub read_write_interference: f64,
    /// Whether a sync takes one operation of `write_iops`.
    pub sync_counts_as_write: bool,
    /// Burst credits of a cloud volume.
    pub burst: Option<BurstSpec>,
    /// Caps in front of the device, handed out in slices.
    #[serde(default)]
    pub cap: Option<CapSpec>,
    /// Operations of the cap that a sync takes: 1 for the cache flush, more where the file system writes as well.
    #[serde(default = "one")]
    pub sync_operations: f64,
    /// Tick of the kernel's clock where a sync also writes the inode of a file whose time of modification has changed
    /// (ext4 without a journal), ns; 0 where it does not.
    #[serde(default)]
    pub inode_tick_ns: u64,
    /// Redo that goes to files which were allocated but never written, from the start on, bytes.
    #[serde(default)]
    pub unwritten_redo_bytes: u64,
    /// Whether the map of such a file lies in a block of its own, which a sync that enters a new area writes.
    #[serde(default)]
    pub redo_map_block: bool,
    /// A page write at most so many bytes behind the one before it needs no seek: it takes the time in which these
    /// bytes pass under the head. 0 for a device that does not seek.
    #[serde(default)]
    pub seek_free_bytes: u64,
    /// The disks are an array behind a controller that keeps writes in a cache: `channels` of them work at a time.
    #[serde(default)]
    pub array: Option<ArraySpec>,
    /// Measured times by operations in flight; they replace the distributions above for their kind of operation.
    #[serde(default)]
    pub at_depth: Vec<DepthTimes>,
}

/// An array of disks behind a controller whose write cache a battery keeps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArraySpec {
    /// Writes that the controller keeps, bytes.
    pub cache_bytes: u64,
    /// Adjacent bytes on one disk, before the next disk has the following ones.
    pub strip_bytes: u64,
    /// Rate at which bytes pass under the head of one disk, a second.
    pub head_bytes_per_s: f64,
}

fn one() -> f64 {
    1.0
}

/// Caps on a volume: budgets of operations and bytes for each slice of time. `None` for no cap.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CapSpec {
    /// Reads a second.
    pub read_iops: Option<f64>,
    /// Writes a second; syncs count among them.
    pub write_iops: Option<f64>,
    /// Bytes read a second.
    pub read_bytes_per_s: Option<f64>,
    /// Bytes written a second.
    pub write_bytes_per_s: Option<f64>,
    /// Length of a slice, ns.
    pub slice_ns: u64,
}

/// Kinds of operations whose times can be measured by depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimedOp {
    /// A page read.
    RandomRead,
    /// A page write.
    RandomWrite,
    /// A write behind the last one: redo, doublewrite.
    SequentialWrite,
}

/// Times of one kind of operation of one size, measured with a number of operations in flight.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DepthTimes {
    /// The kind.
    pub op: TimedOp,
    /// Size of an operation, bytes.
    pub bytes: u64,
    /// Operations in flight, this one included; at least 1.
    pub depth: f64,
    /// (probability, µs), both rising; the first probability is 0, the last 1.
    pub quantiles: Vec<(f64, f64)>,
}

/// Burst credits: operations beyond `baseline_iops` are paid from a bucket that fills at the baseline rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BurstSpec {
    /// Operations a second that are always available, and the rate at which the bucket fills.
    pub baseline_iops: f64,
    /// Operations a second while credits last.
    pub burst_iops: f64,
    /// Size of the bucket, operations.
    pub bucket_ops: f64,
    /// Credits at the start, operations.
    pub initial_ops: f64,
}

impl DeviceSpec {
    /// A device that does one operation at a time in no time, without any limit: something to start from.
    pub fn instant(name: &str) -> Self {
        let at_once = DurationDist::Fixed { us: 0.0 };
        DeviceSpec {
            name: name.to_owned(),
            channels: 1,
            queue_depth: 1,
            random_read: at_once.clone(),
            random_write: at_once.clone(),
            sequential_write: at_once.clone(),
            sync: at_once,
            sync_is_barrier: false,
            sync_goes_first: false,
            drain_ns: 0,
            rewrite_ns: 0,
            program_ns: 0,
            merges_writes: false,
            read_iops: None,
            write_iops: None,
            reads_a_page_written: 0.0,
            read_bytes_per_s: None,
            write_bytes_per_s: None,
            write_overhead_bytes: 0,
            link_bytes_per_s: None,
            read_write_interference: 0.0,
            sync_counts_as_write: false,
            burst: None,
            cap: None,
            sync_operations: 1.0,
            inode_tick_ns: 0,
            unwritten_redo_bytes: 0,
            redo_map_block: false,
            seek_free_bytes: 0,
            array: None,
            at_depth: Vec::new(),
        }
    }

    /// Makes the whole device faster by `factor` (slower if below 1): times are divided by it, rates multiplied. What a
    /// device counts or holds (places, credits, operations a sync takes) and the kernel's clocks stay as they are.
    pub fn speed_up(&mut self, factor: f64) {
        // Without `..`: a new field must be sorted in here.
        let DeviceSpec {
            name: _,
            channels: _,
            queue_depth: _,
            random_read,
            random_write,
            sequential_write,
            sync,
            sync_is_barrier: _,
            sync_goes_first: _,
            drain_ns: _,
            rewrite_ns,
            program_ns,
            merges_writes: _,
            read_iops,
            write_iops,
            reads_a_page_written: _,
            read_bytes_per_s,
            write_bytes_per_s,
            write_overhead_bytes: _,
            link_bytes_per_s,
            read_write_interference: _,
            sync_counts_as_write: _,
            burst,
            cap,
            sync_operations: _,
            inode_tick_ns: _,
            unwritten_redo_bytes: _,
            redo_map_block: _,
            seek_free_bytes: _,
            array,
            at_depth,
        } = self;
        for time in [random_read, random_write, sequential_write, sync] {
            time.speed_up(factor);
        }
        for time in [rewrite_ns, program_ns] {
            *time = (*time as f64 / factor + 0.5) as u64;
        }
        for DepthTimes { op: _, bytes: _, depth: _, quantiles } in at_depth {
            quantiles.iter_mut().for_each(|(_, us)| *us /= factor);
        }
        for rate in [read_iops, write_iops, read_bytes_per_s, write_bytes_per_s, link_bytes_per_s].into_iter().flatten()
        {
            *rate = scaled(*rate, factor);
        }
        if let Some(burst) = burst {
            burst.speed_up(factor);
        }
        if let Some(cap) = cap {
            cap.speed_up(factor);
        }
        if let Some(ArraySpec { cache_bytes: _, strip_bytes: _, head_bytes_per_s }) = array {
            *head_bytes_per_s = scaled(*head_bytes_per_s, factor);
        }
    }

    /// Checks that the numbers make a device: at least one channel and one place in the queue, valid distributions,
    /// rates above 0. The message says what is wrong.
    pub fn validate(&self) -> Result<(), String> {
        if self.channels == 0 || self.queue_depth == 0 {
            return Err("channels and queue_depth must be at least 1".to_owned());
        }
        if !(0.0..=1000.0).contains(&self.reads_a_page_written) {
            return Err(format!("reads_a_page_written must be from 0 to 1000, not {}", self.reads_a_page_written));
        }
        if self.reads_a_page_written > 0.0 && self.read_iops.is_none() {
            return Err("reads_a_page_written needs read_iops, of which it is a part".to_owned());
        }
        if self.program_ns > 0 && self.write_bytes_per_s.is_none() {
            return Err("program_us needs write_bytes_per_s, the rate at which all flash is programmed".to_owned());
        }
        let times = [
            ("random_read", &self.random_read),
            ("random_write", &self.random_write),
            ("sequential_write", &self.sequential_write),
            ("sync", &self.sync),
        ];
        for (name, dist) in times {
            dist.validate().map_err(|error| format!("{name}: {error}"))?;
        }
        let rates = [
            ("read_iops", self.read_iops),
            ("write_iops", self.write_iops),
            ("read_bytes_per_s", self.read_bytes_per_s),
            ("write_bytes_per_s", self.write_bytes_per_s),
            ("link_bytes_per_s", self.link_bytes_per_s),
        ];
        for (name, rate) in rates {
            rate.map_or(Ok(()), |rate| check_rate(name, rate))?;
        }
        if !(0.0..=1000.0).contains(&self.read_write_interference) {
            return Err(format!(
                "read_write_interference must be from 0 to 1000, not {}",
                self.read_write_interference
            ));
        }
        self.burst.as_ref().map_or(Ok(()), BurstSpec::validate)?;
        self.cap.as_ref().map_or(Ok(()), CapSpec::validate)?;
        if !(0.0..=100.0).contains(&self.sync_operations) {
            return Err(format!("sync_operations must be from 0 to 100, not {}", self.sync_operations));
        }
        self.array.as_ref().map_or(Ok(()), ArraySpec::validate)?;
        if self.array.is_some() && self.cap.is_some() {
            return Err("array and cap don't go together: what waits for a cap is in no cache yet".to_owned());
        }
        if self.seek_free_bytes > 0 && self.write_bytes_per_s.is_none() && self.array.is_none() {
            return Err(
                "seek_free_bytes needs write_bytes_per_s, the rate at which bytes pass under the head".to_owned()
            );
        }
        self.validate_depths()
    }

    /// Measured times need valid quantiles and, for each kind, the same depths at every size.
    fn validate_depths(&self) -> Result<(), String> {
        for point in &self.at_depth {
            let dist = DurationDist::Empirical { quantiles: point.quantiles.clone() };
            dist.validate().map_err(|error| format!("at_depth: {error}"))?;
            if !(1.0..=1e6).contains(&point.depth) || point.bytes == 0 {
                return Err(format!("at_depth: depth {} or bytes {} is out of range", point.depth, point.bytes));
            }
        }
        for op in [TimedOp::RandomRead, TimedOp::RandomWrite, TimedOp::SequentialWrite] {
            let depths_of = |bytes: u64| {
                let points = self.at_depth.iter().filter(|point| point.op == op && point.bytes == bytes);
                let mut depths: Vec<f64> = points.map(|point| point.depth).collect();
                depths.sort_by(f64::total_cmp);
                depths
            };
            let Some(first) = self.at_depth.iter().find(|point| point.op == op) else { continue };
            let depths = depths_of(first.bytes);
            if depths.windows(2).any(|pair| pair[0] == pair[1]) {
                return Err(format!("at_depth: {} bytes have a depth twice", first.bytes));
            }
            let of_op = self.at_depth.iter().filter(|point| point.op == op);
            if let Some(other) = of_op.into_iter().find(|point| depths_of(point.bytes) != depths) {
                return Err(format!("at_depth: {} bytes and {} bytes differ in depths", first.bytes, other.bytes));
            }
        }
        Ok(())
    }
}

impl ArraySpec {
    /// Checks that the cache holds a doublewrite batch, and that a strip holds a page.
    pub fn validate(&self) -> Result<(), String> {
        if !(4 << 20..=1 << 40).contains(&self.cache_bytes) {
            return Err(format!("array.cache_bytes must be from 4 MiB to 1 TiB, not {} bytes", self.cache_bytes));
        }
        if !(1 << 14..=1 << 30).contains(&self.strip_bytes) {
            return Err(format!("array.strip_bytes must be from 16 KiB to 1 GiB, not {} bytes", self.strip_bytes));
        }
        check_rate("array.head_bytes_per_s", self.head_bytes_per_s)
    }
}

impl StorageSpec {
    /// Makes all devices faster by `factor`, see [`DeviceSpec::speed_up`].
    pub fn speed_up(&mut self, factor: f64) {
        let StorageSpec { data, redo } = self;
        std::iter::once(data).chain(redo).for_each(|device| device.speed_up(factor));
    }
}

impl CapSpec {
    fn speed_up(&mut self, factor: f64) {
        let CapSpec { read_iops, write_iops, read_bytes_per_s, write_bytes_per_s, slice_ns: _ } = self;
        for rate in [read_iops, write_iops, read_bytes_per_s, write_bytes_per_s].into_iter().flatten() {
            *rate = scaled(*rate, factor);
        }
    }

    /// Checks that rates and slice can be kept.
    pub fn validate(&self) -> Result<(), String> {
        for (name, rate) in [
            ("cap.read_iops", self.read_iops),
            ("cap.write_iops", self.write_iops),
            ("cap.read_bytes_per_s", self.read_bytes_per_s),
            ("cap.write_bytes_per_s", self.write_bytes_per_s),
        ] {
            rate.map_or(Ok(()), |rate| check_rate(name, rate))?;
        }
        if !(1_000_000..=10_000_000_000).contains(&self.slice_ns) {
            return Err(format!("cap.slice must be from 1 ms to 10 s, not {} ns", self.slice_ns));
        }
        Ok(())
    }
}

impl BurstSpec {
    fn speed_up(&mut self, factor: f64) {
        let BurstSpec { baseline_iops, burst_iops, bucket_ops: _, initial_ops: _ } = self;
        *baseline_iops = scaled(*baseline_iops, factor);
        *burst_iops = scaled(*burst_iops, factor).max(*baseline_iops);
    }

    /// Checks that the bucket can hold and pay at least one operation, and that the burst is no slower than the
    /// baseline.
    pub fn validate(&self) -> Result<(), String> {
        check_rate("baseline_iops", self.baseline_iops)?;
        check_rate("burst_iops", self.burst_iops)?;
        if self.burst_iops < self.baseline_iops {
            return Err(format!(
                "burst_iops {} must be at least baseline_iops {}",
                self.burst_iops, self.baseline_iops
            ));
        }
        if !(1.0..=1e12).contains(&self.bucket_ops) {
            return Err(format!("bucket_ops must be from 1 to 10^12, not {}", self.bucket_ops));
        }
        if !(0.0..=self.bucket_ops).contains(&self.initial_ops) {
            return Err(format!("initial_ops must be from 0 to bucket_ops, not {}", self.initial_ops));
        }
        Ok(())
    }
}

/// A rate that stays one that can be kept.
fn scaled(rate: f64, factor: f64) -> f64 {
    (rate * factor).max(LEAST_RATE)
}

/// Rates from one a second to 10^12 a second can be kept exactly.
fn check_rate(name: &str, rate: f64) -> Result<(), String> {
    if (LEAST_RATE..=1e12).contains(&rate) {
        return Ok(());
    }
    Err(format!("{name} must be from 1 to 10^12 a second, not {rate}"))
}
