//! fio's jobs against a simulated device.
//!
//! A job is a closed loop: so many operations are kept in flight, each followed by the next, and after a write perhaps
//! by a sync. The device alone is simulated, no server. Between operations fio itself takes time, which is what is left
//! of `depth / operations a second` beyond the measured latencies; it is taken over as it was measured.
//!
//! Operations are submitted for the job's length, in whole seconds; those in flight at its end are waited for, and
//! count for the latencies alone. A buffered write goes to the disk in its sync, so its sync is a write and a flush; a
//! direct one has its own latency.

mod completed;

pub use completed::{Completed, complete};

use innosim_core::kernel::random::Rng;
use innosim_core::kernel::time::SimTime;
use innosim_core::storage::{Device, DeviceSpec, Op};
use innosim_scenario::{FioJob, FioLatency, JobKind};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Figures of a job, measured or simulated. Latencies are those of the sync where there is one, else of the operation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct JobFigures {
    /// Operations a second, without syncs.
    pub iops: f64,
    /// Mean latency, µs.
    pub mean_us: f64,
    /// Median latency, µs.
    pub p50_us: f64,
    /// 99 % latency, µs.
    pub p99_us: f64,
}

/// A job as it was measured and as it was simulated.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JobComparison {
    /// Name of the job.
    pub name: String,
    /// As fio measured it.
    pub measured: JobFigures,
    /// As the simulated device did it.
    pub simulated: JobFigures,
}

impl JobComparison {
    /// Relative errors in the order of the fields: (simulated - measured) / measured.
    pub fn errors(&self) -> [f64; 4] {
        let error = |simulated: f64, measured: f64| (simulated - measured) / measured.max(1e-9);
        let (s, m) = (&self.simulated, &self.measured);
        [error(s.iops, m.iops), error(s.mean_us, m.mean_us), error(s.p50_us, m.p50_us), error(s.p99_us, m.p99_us)]
    }
}

/// Simulates `job` on the device and sets the figures side by side.
pub fn compare(job: &FioJob, device: &DeviceSpec, seed: u64) -> JobComparison {
    JobComparison { name: job.name.clone(), measured: measured(job), simulated: simulate(job, device, seed) }
}

/// What fio says of a job.
pub fn measured(job: &FioJob) -> JobFigures {
    let latency: &FioLatency = job.sync.as_ref().unwrap_or(&job.latency);
    JobFigures {
        iops: job.iops,
        mean_us: latency.mean_us,
        p50_us: latency.quantile(0.5),
        p99_us: latency.quantile(0.99),
    }
}

/// The job on a simulated device.
pub fn simulate(job: &FioJob, device: &DeviceSpec, seed: u64) -> JobFigures {
    let Simulated { operations, ns, latencies } = run(job, device, seed);
    figures(operations, ns, &latencies)
}

/// What a simulated job did.
pub(crate) struct Simulated {
    /// Operations that ended in time.
    pub(crate) operations: u64,
    /// Length, ns.
    pub(crate) ns: u64,
    /// Latencies, ns, from the shortest to the longest.
    pub(crate) latencies: Vec<u64>,
}

/// Runs the job on the device.
pub(crate) fn run(job: &FioJob, device: &DeviceSpec, seed: u64) -> Simulated {
    let mut device = Device::new(device, Rng::stream(seed, 0, "fio"));
    let host_ns = (host_us(job) * 1e3) as u64;
    let end = (job.runtime_s.floor().max(1.0) * 1e9) as u64;
    let mut waiting: BinaryHeap<Reverse<(u64, u32, Step)>> =
        (0..job.depth).map(|slot| Reverse((0, slot, Step::Operation))).collect();
    let mut latencies = Vec::new();
    let mut operations = 0u64;
    while let Some(Reverse((now, slot, step))) = waiting.pop() {
        match step {
            Step::Operation if now >= end => {}
            Step::Operation => {
                let done = device.submit(SimTime(now), op(job.kind), job.bytes).0;
                if job.sync.is_none() {
                    latencies.push(done - now);
                    operations += u64::from(done <= end);
                    waiting.push(Reverse((done + host_ns, slot, Step::Operation)));
                } else {
                    let since = if job.direct { done } else { now };
                    waiting.push(Reverse((done, slot, Step::Sync { since })));
                }
            }
            Step::Sync { since } => {
                let done = device.submit(SimTime(now), Op::Sync, 0).0;
                latencies.push(done - since);
                operations += u64::from(done <= end);
                waiting.push(Reverse((done + host_ns, slot, Step::Operation)));
            }
        }
    }
    latencies.sort_unstable();
    Simulated { operations, ns: end, latencies }
}

/// What a slot of the loop does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Operation,
    Sync { since: u64 },
}

fn op(kind: JobKind) -> Op {
    match kind {
        JobKind::RandomRead | JobKind::SequentialRead => Op::RandomRead,
        JobKind::RandomWrite => Op::RandomWrite,
        JobKind::SequentialWrite => Op::SequentialWrite,
    }
}

/// Time of fio itself from the end of an operation to the next one, µs.
fn host_us(job: &FioJob) -> f64 {
    let turn = f64::from(job.depth) / job.iops * 1e6;
    let waited = job.latency.mean_us + job.sync.as_ref().map_or(0.0, |sync| sync.mean_us);
    // A buffered write is fio's own work: it copies into memory.
    let copied = if job.sync.is_some() && !job.direct { job.latency.mean_us } else { 0.0 };
    (turn - waited).max(0.0) + copied
}

/// The latency that a share of all, sorted, does not exceed, µs.
pub(crate) fn quantile_us(latencies: &[u64], share: f64) -> f64 {
    let rank = (share * latencies.len() as f64) as usize;
    latencies.get(rank.min(latencies.len().saturating_sub(1))).copied().unwrap_or(0) as f64 / 1e3
}

fn figures(operations: u64, ns: u64, latencies: &[u64]) -> JobFigures {
    let at = |share: f64| quantile_us(latencies, share);
    let sum: u64 = latencies.iter().sum();
    JobFigures {
        iops: operations as f64 / (ns as f64 / 1e9),
        mean_us: sum as f64 / latencies.len().max(1) as f64 / 1e3,
        p50_us: at(0.5),
        p99_us: at(0.99),
    }
}
