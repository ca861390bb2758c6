//! Jobs that ran behind a cap: what the cap is, and what the device behind it does.
//!
//! A cap hands out its budget in slices ([`innosim_core::storage`]). A closed loop at depth `q` behind it does its `X`
//! operations a second in bursts at the device's own speed; then all `q` in flight wait for the next slice. So `q / (X S)`
//! of its operations, `S` being a slice, take most of a slice, the others what the device takes, and nothing lies in
//! between: the percentiles jump. The mean tells how many lie beyond the jump, and so what `S` is. If it is a slice of the
//! kernel's (100 or 20 ms), the job was throttled: its rate is the cap's, and its latencies are those before the jump.
//!
//! Without this a wait for the budget, in which the whole disk is silent, would be a slow operation now and then, which
//! delays nothing but itself.

use super::job::{FioJob, FioLatency};
use innosim_core::storage::CapSpec;

/// Slices of control groups, µs: on disks that call themselves rotating, as virtual ones do, and on others.
const SLICES_US: [f64; 2] = [100_000.0, 20_000.0];
/// How far off a slice may come out, as a factor: percentiles are coarse where few operations wait.
const SLICE_WITHIN: f64 = 2.0;
/// Smallest factor between neighbouring percentiles that is a jump.
const JUMP: f64 = 8.0;
/// Part of a slice, at least, for which an operation beyond the jump waits.
const WAITS: f64 = 0.2;
/// Factor, at least, between the mean of all latencies and that before the jump: what the cap adds outweighs all else.
const SLOWER: f64 = 1.5;
/// Bytes from which on a write may be held back by a cap on bytes rather than on operations.
const LARGE: u64 = 65_536;
/// Share of the cap on bytes below which a job is not held back by it.
const BELOW_BYTES: f64 = 0.9;

/// The latencies of a throttled job as they are between the silences, and the slice.
struct Burst {
    latency: FioLatency,
    slice_us: f64,
}

/// The jobs as they are while the budget lasts, and the cap that shows in them.
pub(super) fn lift_cap(jobs: &[FioJob]) -> (Vec<FioJob>, Option<CapSpec>) {
    let bursts: Vec<Option<Burst>> = jobs.iter().map(burst).collect();
    let throttled: Vec<&FioJob> =
        jobs.iter().zip(&bursts).filter_map(|(job, burst)| burst.as_ref().map(|_| job)).collect();
    let slice_us = bursts.iter().flatten().map(|burst| burst.slice_us).reduce(f64::max);
    let [read_iops, read_bytes_per_s] = rates(&throttled, true);
    let [write_iops, write_bytes_per_s] = rates(&throttled, false);
    let cap = slice_us.map(|us| CapSpec {
        read_iops,
        write_iops,
        read_bytes_per_s,
        write_bytes_per_s,
        slice_ns: (us * 1e3) as u64,
    });
    let lifted = jobs.iter().zip(bursts).map(|(job, burst)| match burst {
        Some(burst) => at_speed(job, burst.latency),
        None => job.clone(),
    });
    (lifted.collect(), cap)
}

/// A job as it would have run without the cap.
fn at_speed(job: &FioJob, latency: FioLatency) -> FioJob {
    let mut job = job.clone();
    if job.sync.is_some() {
        job.sync = Some(latency);
    } else {
        job.iops = f64::from(job.depth) * 1e6 / latency.mean_us.max(1e-3);
        job.latency = latency;
    }
    job
}

/// Operations and bytes a second that the cap lets through.
fn rates(throttled: &[&FioJob], reads: bool) -> [Option<f64>; 2] {
    let side = throttled.iter().filter(|job| job.kind.is_read() == reads);
    let (large, small): (Vec<&FioJob>, Vec<&FioJob>) = side.copied().partition(|job| job.bytes >= LARGE);
    let bytes_of = |job: &&FioJob| job.iops * job.bytes as f64;
    let bytes = large.iter().map(bytes_of).reduce(f64::max);
    let operations = |job: &&FioJob| match job.sync {
        Some(_) => job.iops * (1.0 + sync_operations(job)),
        None => job.iops,
    };
    let by_operations = |job: &&&FioJob| bytes.is_none_or(|most| bytes_of(job) < BELOW_BYTES * most);
    let iops = small.iter().filter(by_operations).map(operations).reduce(f64::max);
    // Rounded, as the figures of a few seconds tell no more.
    [iops.map(f64::round), bytes.map(f64::round)]
}

/// What a job does between the silences; nothing if it was not throttled. Not every jump is the cap's: a write that ends before
/// its submission returns takes next to nothing, and others are late for reasons of the device. The widest that fits a slice is.
fn burst(job: &FioJob) -> Option<Burst> {
    let all = job.sync.as_ref().unwrap_or(&job.latency);
    let factor = |at: &usize| all.quantiles[at + 1].1 / all.quantiles[*at].1.max(1.0);
    // The first point is the fastest operation alone, no share of them.
    let mut jumps: Vec<usize> = (1..all.quantiles.len().saturating_sub(1)).filter(|at| factor(at) >= JUMP).collect();
    jumps.sort_by(|a, b| factor(b).total_cmp(&factor(a)));
    jumps.into_iter().find_map(|last| burst_before(job, all, last))
}

/// The same, if the cap's jump is the one after the percentile at `last`.
fn burst_before(job: &FioJob, all: &FioLatency, last: usize) -> Option<Burst> {
    let (before, beyond) = all.quantiles.split_at(last + 1);
    let (fast_us, slow_us) = (mean_of(before)?, mean_of(beyond)?);
    let waiting = (all.mean_us - fast_us) / (slow_us - fast_us);
    let slice_us = f64::from(job.depth) / (job.iops * waiting) * 1e6;
    let fits = |slice: &&f64| {
        (**slice / SLICE_WITHIN..=**slice * SLICE_WITHIN).contains(&slice_us)
            && (WAITS * **slice..=SLICE_WITHIN * **slice).contains(&slow_us)
    };
    let slice_us = *SLICES_US.iter().find(fits)?;
    let whole = before.last()?.0;
    let quantiles: Vec<(f64, f64)> = before.iter().map(|(probability, us)| (probability / whole, *us)).collect();
    (all.mean_us >= SLOWER * fast_us).then_some(Burst { latency: FioLatency { mean_us: fast_us, quantiles }, slice_us })
}

/// Mean of a piece of a distribution; nothing if the piece is empty.
fn mean_of(piece: &[(f64, f64)]) -> Option<f64> {
    let (first, last) = (piece.first()?, piece.last()?);
    if last.0 <= first.0 {
        return (piece.len() == 1 && first.1 > 0.0).then_some(first.1);
    }
    let area: f64 = piece.windows(2).map(|pair| (pair[1].0 - pair[0].0) * (pair[0].1 + pair[1].1) / 2.0).sum();
    Some(area / (last.0 - first.0))
}

/// Operations of a cap that a sync takes.
pub(super) fn sync_operations(job: &FioJob) -> f64 {
    let per_write = job.disk_writes.map_or(2.0, |writes| writes as f64 / job.operations.max(1) as f64);
    // Rounded: it is a ratio of two counts over slightly different times.
    ((per_write - 1.0).clamp(1.0, 3.0) * 1e3).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::super::job::JobKind;
    use super::*;

    /// Percentiles that fio prints.
    const PERCENTILES: [f64; 19] =
        [0.0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.995, 0.999, 0.9995, 0.9999, 1.0];

    /// A closed loop at a depth behind a cap of so many operations in slices of 100 ms, on a device that takes `fast_us`:
    /// in each slice as many operations as are in flight wait for what the slice leaves.
    fn behind_a_cap(kind: JobKind, bytes: u64, depth: u32, iops: f64, fast_us: f64) -> FioJob {
        let a_slice = iops * 0.1;
        let waiting = f64::from(depth) / a_slice;
        let silence_us = 100_000.0 - a_slice / f64::from(depth) * fast_us;
        let at = |p: f64| if p < 1.0 - waiting { fast_us * (0.9 + 0.2 * p) } else { silence_us };
        FioJob {
            name: "job".to_owned(),
            kind,
            bytes,
            depth,
            direct: true,
            runtime_s: 30.0,
            operations: (iops * 30.0) as u64,
            iops,
            latency: FioLatency {
                mean_us: (1.0 - waiting) * fast_us + waiting * silence_us,
                quantiles: PERCENTILES.iter().map(|p| (*p, at(*p))).collect(),
            },
            sync: None,
            disk_writes: None,
        }
    }

    #[test]
    fn the_cap_and_the_device_behind_it_are_told_apart() {
        let jobs = [
            behind_a_cap(JobKind::RandomWrite, 16_384, 1, 3_000.0, 60.0),
            behind_a_cap(JobKind::RandomWrite, 16_384, 16, 3_000.0, 400.0),
            behind_a_cap(JobKind::SequentialWrite, 1 << 20, 4, 57.0, 2_000.0),
        ];
        let (lifted, cap) = lift_cap(&jobs);
        let cap = cap.unwrap();
        assert_eq!((cap.write_iops, cap.read_iops, cap.slice_ns), (Some(3_000.0), None, 100_000_000));
        assert_eq!(cap.write_bytes_per_s, Some(57.0 * f64::from(1 << 20)));
        for (job, fast_us) in lifted.iter().zip([60.0, 400.0, 2_000.0]) {
            assert!((job.latency.mean_us / fast_us - 1.0).abs() < 0.1, "{}", job.latency.mean_us);
            assert_eq!(job.latency.quantiles.last().unwrap().0, 1.0);
        }
    }

    /// A write that ends before its submission returns has a latency of next to nothing: a jump too, and wider than the cap's.
    #[test]
    fn a_job_with_a_few_writes_that_took_no_time_is_lifted_all_the_same() {
        let mut job = behind_a_cap(JobKind::RandomWrite, 16_384, 16, 2_500.0, 1_000.0);
        job.latency.quantiles[0].1 = 1.5;
        let (lifted, cap) = lift_cap(std::slice::from_ref(&job));
        assert_eq!(cap.unwrap().write_iops, Some(2_500.0));
        let slowest = lifted[0].latency.quantiles.last().unwrap().1;
        assert!(slowest < 2_000.0, "no write waits {slowest} us in the device for what the cap holds back");
    }

    /// Of large writes two thirds wait for the next slice; the fastest took 3 us, and the jump from there fits a slice too.
    #[test]
    fn the_fastest_write_alone_is_no_burst() {
        let mut job = behind_a_cap(JobKind::SequentialWrite, 1 << 20, 4, 58.0, 2_000.0);
        job.latency.quantiles[0].1 = 3.1;
        let (lifted, cap) = lift_cap(std::slice::from_ref(&job));
        assert!(cap.is_some());
        let latency = &lifted[0].latency;
        assert!(
            latency.quantiles.iter().all(|(probability, us)| probability.is_finite() && *us < 4_000.0),
            "{latency:?}"
        );
    }

    #[test]
    fn a_long_tail_is_no_cap() {
        // One write in 2000 takes 30 ms, on a device that nobody holds back.
        let mut job = behind_a_cap(JobKind::RandomWrite, 16_384, 16, 30_000.0, 500.0);
        for (probability, us) in &mut job.latency.quantiles {
            *us = if *probability < 0.9995 { 500.0 } else { 30_000.0 };
        }
        job.latency.mean_us = 515.0;
        let (lifted, cap) = lift_cap(std::slice::from_ref(&job));
        assert_eq!((lifted, cap), (vec![job], None));
    }

    #[test]
    fn a_job_at_the_cap_on_bytes_tells_nothing_of_operations() {
        let jobs = [
            behind_a_cap(JobKind::RandomWrite, 16_384, 16, 3_600.0, 400.0),
            behind_a_cap(JobKind::SequentialWrite, 1 << 20, 4, 57.0, 2_000.0),
        ];
        assert_eq!(lift_cap(&jobs).1.unwrap().write_iops, None);
    }
}
