//! From fio's jobs to a device.
//!
//! **Random reads and writes.** A closed loop at depth `q` gives the distribution of latencies at `q` in flight; it
//! becomes one point of `at_depth`. fio itself spends time between operations, so that on average fewer than `q` are in
//! flight: by Little's law `X * R` of them, `X` operations a second with a mean latency `R`; an operation meets `1 + (q
//! - 1) * X * R / q`, itself included.
//!
//! **Sequential writes** (redo, doublewrite). A small size comes from direct writes of at most 16 KiB, a large one from
//! those of at least 64 KiB. Where a depth was not measured, times are those at the nearest measured one, scaled as
//! random writes scale between the two depths, and large ones at least in proportion to the depth (with fewer in flight a device
//! does no more); beyond the deepest measured large write, in just that proportion, as bandwidth is then what limits.
//!
//! **Syncs.** The time of a cache flush is the latency of fdatasync after a buffered write, less the mean time of the
//! small direct write that fdatasync does first; or the latency of fdatasync after a direct write as it is. What the
//! disk wrote beyond the job's own writes is the file system's; the operations a sync takes of a cap follow.
//!
//! **Caps** show in the jobs that ran behind them, and are lifted first ([`super::throttle`]).

use super::job::{FioJob, FioLatency, JobKind, JobToRun};
use super::throttle::{lift_cap, sync_operations};
use crate::diagnostic::Problem;
use innosim_core::kernel::sampler::DurationDist;
use innosim_core::storage::{DepthTimes, DeviceSpec, TimedOp};

/// Page size of InnoDB, bytes.
const PAGE: u64 = 16_384;
/// Shortest useful job.
const SHORTEST_S: f64 = 5.0;
const FEWEST_OPERATIONS: u64 = 500;
/// The same for large writes, whose time is mostly their transfer: behind a cap there are few of them.
const FEWEST_LARGE: u64 = 200;
/// Operations in flight that a job shows by Little's law, of its depth at most; a little more is rounding.
const MOST_IN_FLIGHT: f64 = 1.1;
/// Depth that a busy page cleaner reaches easily.
const DEEP: u32 = 16;
/// A large write: its size, and the depth at which it is measured.
const LARGE: (u64, u32) = (1 << 20, 4);
/// A write that is synced.
const SYNCED: u64 = 4096;
/// Places in the queues of device and operating system.
const QUEUE_DEPTH: u32 = 1024;

/// What fio is to be run with, for messages.
const COMMON: &str = "fio --output-format=json --output=NAME.json --name=NAME --filename=FILE --size=8G --ioengine=libaio \
                      --time_based --runtime=30";

/// The device, or what is wrong or missing.
pub(super) fn fit(jobs: &[FioJob]) -> Result<DeviceSpec, Problem> {
    for (index, job) in jobs.iter().enumerate() {
        check(job, &jobs[..index])?;
    }
    let missing = missing(&not_measured(jobs));
    let (jobs, cap) = lift_cap(jobs);
    let random = |kind: JobKind| {
        let mut chosen: Vec<&FioJob> = jobs.iter().filter(|job| job.kind == kind && job.sync.is_none()).collect();
        chosen.sort_by_key(|job| job.depth);
        chosen
    };
    let (reads, writes) = (random(JobKind::RandomRead), random(JobKind::RandomWrite));
    let sequential = random(JobKind::SequentialWrite);
    let syncing: Vec<&FioJob> = jobs.iter().filter(|job| job.sync.is_some() && job.depth == 1).collect();
    let large: Vec<&FioJob> = sequential.iter().copied().filter(|job| job.bytes >= 4 * PAGE).collect();
    let sync_job = syncing.iter().copied().max_by_key(|job| (!job.direct, job.bytes == 4096, job.bytes));
    let Some(sync_job) = sync_job.filter(|_| missing.is_empty()) else {
        return Err(Problem::new("these jobs of fio don't determine a device").help(missing.join("; and ")));
    };
    let small = small_write(&jobs, &writes[0].latency);
    let mut at_depth = points(TimedOp::RandomRead, &reads);
    at_depth.extend(points(TimedOp::RandomWrite, &writes));
    at_depth.extend(sequential_points(&small, &large, &writes));
    let dist = |latency: &FioLatency| DurationDist::Empirical { quantiles: latency.with_its_mean() };
    let deepest = reads.iter().chain(&writes).map(|job| job.depth).max().unwrap_or(1);
    let sync = sync_time(sync_job, small.1.mean_us);
    let spec = DeviceSpec {
        channels: deepest,
        queue_depth: QUEUE_DEPTH.max(deepest),
        random_read: dist(&reads[0].latency),
        random_write: dist(&writes[0].latency),
        sequential_write: dist(&small.1),
        sync: DurationDist::Empirical { quantiles: sync },
        sync_operations: sync_operations(sync_job),
        seek_free_bytes: 0,
        cap,
        at_depth,
        ..DeviceSpec::instant("fio")
    };
    spec.validate().map_err(|why| Problem::new(format!("fio's figures make no device: {why}")))?;
    Ok(spec)
}

/// The jobs that are of use together, and why others are not.
pub(super) fn select(jobs: Vec<FioJob>) -> (Vec<FioJob>, Vec<Problem>) {
    let (mut good, mut left_out) = (Vec::new(), Vec::new());
    for job in jobs {
        match check(&job, &good) {
            Ok(()) => good.push(job),
            Err(problem) => left_out.push(problem),
        }
    }
    (good, left_out)
}

/// Refuses a job that is too short, of another page size, or the same as one of those `before` it.
fn check(job: &FioJob, before: &[FioJob]) -> Result<(), Problem> {
    let fewest = if job.bytes >= 4 * PAGE { FEWEST_LARGE } else { FEWEST_OPERATIONS };
    if job.runtime_s < SHORTEST_S || job.operations < fewest {
        let message = format!(
            "{}: {} operations in {:.1} s are too few for percentiles",
            job.name, job.operations, job.runtime_s
        );
        return Err(Problem::new(message).help("run it for half a minute: --time_based --runtime=30"));
    }
    let in_flight = job.iops * job.latency.mean_us / 1e6;
    if in_flight > MOST_IN_FLIGHT * f64::from(job.depth) && job.sync.is_none() {
        let message = format!(
            "{}: {:.0} operations a second of {:.0} us each are {in_flight:.1} in flight, and its depth is {}",
            job.name, job.iops, job.latency.mean_us, job.depth
        );
        let help = "are these several jobs that ran beside each other, summed by --group_reporting? Run one at a time";
        return Err(Problem::new(message).help(help));
    }
    let random = matches!(job.kind, JobKind::RandomRead | JobKind::RandomWrite);
    if random && job.bytes != PAGE {
        let message = format!("{}: random operations of {} bytes", job.name, job.bytes);
        return Err(Problem::new(message).help("InnoDB reads and writes pages: use --bs=16k"));
    }
    if !job.direct && job.sync.is_none() && job.kind != JobKind::SequentialRead {
        let what = if random { "random operations" } else { "sequential writes" };
        let message = format!("{}: {what} through the page cache", job.name);
        return Err(Problem::new(message).help("that measures memory: use --direct=1"));
    }
    let same = |other: &&FioJob| {
        (other.kind, other.bytes, other.depth, other.direct) == (job.kind, job.bytes, job.depth, job.direct)
            && other.sync.is_some() == job.sync.is_some()
    };
    match before.iter().find(same) {
        Some(other) => {
            let message = format!("{} and {} measure the same", other.name, job.name);
            Err(Problem::new(message).help("leave one of the two out"))
        }
        None => Ok(()),
    }
}

/// The jobs without which a device is not determined.
pub(super) fn not_measured(jobs: &[FioJob]) -> Vec<JobToRun> {
    let mut wanted = Vec::new();
    for kind in [JobKind::RandomWrite, JobKind::RandomRead] {
        let depths = || jobs.iter().filter(|job| job.kind == kind && job.sync.is_none()).map(|job| job.depth);
        let job = |depth| JobToRun { kind, bytes: PAGE, depth, synced: false };
        wanted.extend((!depths().any(|depth| depth == 1)).then(|| job(1)));
        wanted.extend((!depths().any(|depth| depth >= DEEP)).then(|| job(DEEP)));
    }
    let writes = |job: &&FioJob| job.kind == JobKind::SequentialWrite && job.sync.is_none();
    if !jobs.iter().filter(writes).any(|job| job.bytes >= 4 * PAGE) {
        let (bytes, depth) = LARGE;
        wanted.push(JobToRun { kind: JobKind::SequentialWrite, bytes, depth, synced: false });
    }
    if !jobs.iter().any(|job| job.sync.is_some() && job.depth == 1) {
        wanted.push(JobToRun { kind: JobKind::SequentialWrite, bytes: SYNCED, depth: 1, synced: true });
    }
    wanted
}

/// What to measure, a sentence each.
fn missing(jobs: &[JobToRun]) -> Vec<String> {
    let mut missing = Vec::new();
    let any = |kind: JobKind, synced: bool| jobs.iter().any(|job| (job.kind, job.synced) == (kind, synced));
    let random =
        [(JobKind::RandomWrite, "randwrite", "writes"), (JobKind::RandomRead, "randread", "reads")].into_iter();
    for (_, mode, what) in random.filter(|(kind, ..)| any(*kind, false)) {
        missing.push(format!(
            "random {what} at depth 1 and at least {DEEP}, better 1, 4, 16 and 64: {COMMON} --direct=1 --rw={mode} --bs=16k \
             --iodepth=N"
        ));
    }
    if any(JobKind::SequentialWrite, false) {
        missing.push(format!("sequential writes: {COMMON} --direct=1 --rw=write --bs=1M --iodepth=4"));
    }
    if any(JobKind::SequentialWrite, true) {
        missing.push(format!("syncs: {COMMON} --rw=write --bs=4k --fdatasync=1 --ioengine=psync"));
    }
    missing
}

/// Operations that an operation of a closed loop meets in flight, itself included.
fn met(job: &FioJob) -> f64 {
    let queue = f64::from(job.depth);
    let busy = (job.iops * job.latency.mean_us / 1e6 / queue).clamp(0.0, 1.0);
    1.0 + (queue - 1.0) * busy
}

fn points(op: TimedOp, jobs: &[&FioJob]) -> Vec<DepthTimes> {
    let point =
        |job: &&FioJob| DepthTimes { op, bytes: job.bytes, depth: met(job), quantiles: job.latency.with_its_mean() };
    jobs.iter().map(point).collect()
}

/// Size and latency of a small write at depth 1: of direct writes if there are any, else of a random write of a page.
fn small_write(jobs: &[FioJob], page: &FioLatency) -> (u64, FioLatency) {
    let small = |job: &&FioJob| {
        job.kind == JobKind::SequentialWrite && job.direct && job.depth == 1 && job.bytes <= PAGE && job.bytes >= 4096
    };
    let best = jobs.iter().filter(small).min_by_key(|job| (job.sync.is_some(), job.bytes));
    best.map_or_else(|| (PAGE, page.clone()), |job| (job.bytes, job.latency.clone()))
}

/// Sequential writes of a small and a large size on one set of depths.
fn sequential_points(small: &(u64, FioLatency), large: &[&FioJob], writes: &[&FioJob]) -> Vec<DepthTimes> {
    let bytes = large.iter().map(|job| job.bytes).max().unwrap_or(1 << 20);
    let large: Vec<&FioJob> = large.iter().copied().filter(|job| job.bytes == bytes).collect();
    let mut depths: Vec<f64> = writes.iter().chain(&large).map(|job| met(job)).collect();
    depths.sort_by(f64::total_cmp);
    depths.dedup_by(|a, b| (*a - *b).abs() < 0.5);
    let mut points = Vec::new();
    for depth in depths {
        let ratio = load(writes, depth) / load(writes, 1.0);
        points.push(sequential(small.0, depth, scaled(&small.1, ratio)));
        let nearest = large.iter().min_by(|a, b| (met(a) - depth).abs().total_cmp(&(met(b) - depth).abs()));
        let Some(nearest) = nearest else { continue };
        let own = met(nearest);
        // With fewer in flight a device does no more than with many: their time falls by their number at most.
        let in_proportion = depth / own;
        let like_pages = load(writes, depth) / load(writes, own);
        let ratio = if depth > own + 0.5 { in_proportion } else { like_pages.max(in_proportion) };
        points.push(sequential(bytes, depth, scaled(&nearest.latency, ratio)));
    }
    points
}

fn sequential(bytes: u64, depth: f64, quantiles: Vec<(f64, f64)>) -> DepthTimes {
    DepthTimes { op: TimedOp::SequentialWrite, bytes, depth, quantiles }
}

fn scaled(latency: &FioLatency, ratio: f64) -> Vec<(f64, f64)> {
    latency.with_its_mean().into_iter().map(|(probability, us)| (probability, us * ratio)).collect()
}

/// Mean latency of a random write with `depth` in flight, µs, between the measured depths.
fn load(writes: &[&FioJob], depth: f64) -> f64 {
    let (Some(first), Some(last)) = (writes.first(), writes.last()) else { return 1.0 };
    if depth <= met(first) {
        return first.latency.mean_us;
    }
    for pair in writes.windows(2) {
        let (below, above) = (met(pair[0]), met(pair[1]));
        if depth <= above && above > below {
            let share = (depth - below) / (above - below);
            return pair[0].latency.mean_us + (pair[1].latency.mean_us - pair[0].latency.mean_us) * share;
        }
    }
    last.latency.mean_us * depth / met(last)
}

/// Quantiles of the time of a cache flush, µs.
fn sync_time(job: &FioJob, write_us: f64) -> Vec<(f64, f64)> {
    let Some(sync) = &job.sync else { return vec![(0.0, 0.0), (1.0, 0.0)] };
    // A buffered write reaches the disk in the sync; at least a tenth of the sync is the flush.
    let write_us = if job.direct { 0.0 } else { write_us };
    sync.with_its_mean().into_iter().map(|(probability, us)| (probability, (us - write_us).max(us * 0.1))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(kind: JobKind, bytes: u64, depth: u32, us: f64) -> FioJob {
        let iops = f64::from(depth) * 1e6 / us;
        let latency = FioLatency { mean_us: us, quantiles: vec![(0.0, us), (1.0, us)] };
        FioJob {
            name: "job".to_owned(),
            kind,
            bytes,
            depth,
            direct: true,
            runtime_s: 30.0,
            operations: (iops * 30.0) as u64,
            iops,
            latency,
            sync: None,
            disk_writes: None,
        }
    }

    /// Pages whose time grows sixteen times with their number, and four large writes at a time that take 5.5 ms: one alone takes
    /// a quarter of that at least, whatever a page alone takes.
    #[test]
    fn a_large_write_alone_is_no_faster_than_its_share_of_the_bandwidth() {
        let writes = [job(JobKind::RandomWrite, PAGE, 1, 31.0), job(JobKind::RandomWrite, PAGE, 16, 500.0)];
        let large = job(JobKind::SequentialWrite, 1 << 20, 4, 5_500.0);
        let small = small_write(&writes, &writes[0].latency);
        let points = sequential_points(&small, &[&large], &writes.each_ref());
        let us = |depth: f64| {
            let at = |point: &&DepthTimes| point.bytes == 1 << 20 && (point.depth - depth).abs() < 0.5;
            points.iter().find(at).unwrap().quantiles[0].1
        };
        assert!((us(4.0) - 5_500.0).abs() < 1.0 && (us(16.0) - 22_000.0).abs() < 1.0, "{points:?}");
        assert!((us(1.0) - 1_375.0).abs() < 1.0, "{}", us(1.0));
    }
}
