//! A device of which fio measured a part: the rest is a shipped profile's.
//!
//! The profile is the one whose device comes nearest to what fio measured: the medians of the good jobs, simulated on each.
//! What fio did not measure is simulated on it as a job of fio, and the device is fitted to all jobs together.
//!
//! Simplifications: a profile that is near in what was measured may be far off in the rest, which is why the rest is named. Of the
//! profile only times count, not its burst credits. A cap on bytes shows in large writes alone: where those are the
//! profile's, it is not known.

use super::{quantile_us, run, simulate};
use innosim_core::storage::DeviceSpec;
use innosim_scenario::{
    Diagnostics, FioDevice, FioEvidence, FioJob, FioLatency, JobToRun, device_of, profile_device, profile_names,
};

/// Length of a simulated job, seconds.
const LENGTH_S: f64 = 5.0;
/// Length of a job that is simulated to find the nearest profile, seconds.
const LOOK_S: f64 = 1.0;
/// Probabilities of the quantiles, those that fio prints.
const PROBABILITIES: [f64; 19] =
    [0.0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.995, 0.999, 0.9995, 0.9999, 1.0];
const SEED: u64 = 1;

/// A device of fio's good jobs and, for the rest, of a profile.
#[derive(Debug, Clone)]
pub struct Completed {
    /// The device.
    pub device: FioDevice,
    /// What is taken from a profile, and its name.
    pub taken: Vec<JobToRun>,
    /// See `taken`; `None` if fio measured all.
    pub profile: Option<String>,
}

/// Fits a device to the good jobs and to what `profile`, or else the nearest one, does in those that are missing.
///
/// # Errors
/// What is wrong with the jobs, or with a profile's name.
pub fn complete(evidence: &FioEvidence, profile: Option<&str>, cap: Option<&str>) -> Result<Completed, Diagnostics> {
    let taken = evidence.missing();
    let mut jobs = evidence.good.clone();
    let profile = if taken.is_empty() { None } else { profile.or_else(|| nearest(&jobs)) };
    if let Some((name, device)) = profile.and_then(|name| Some((name, profile_device(name)?))) {
        jobs.extend(taken.iter().map(|job| as_measured(*job, name, &device)));
    }
    let device = device_of(&jobs, cap)?;
    Ok(Completed { device, taken, profile: profile.map(str::to_owned) })
}

/// The profile whose device does the jobs most nearly as fio measured them; none if there are no jobs.
fn nearest(jobs: &[FioJob]) -> Option<&'static str> {
    if jobs.is_empty() {
        return None;
    }
    // Medians: behind a cap means are those of the cap.
    let far = |name: &str| -> f64 {
        let Some(device) = profile_device(name) else { return f64::INFINITY };
        let off = |job: &FioJob| {
            let measured = job.sync.as_ref().unwrap_or(&job.latency).quantile(0.5).max(0.1);
            let short = FioJob { runtime_s: LOOK_S, ..job.clone() };
            libm::log(simulate(&short, &device, SEED).p50_us.max(0.1) / measured).abs()
        };
        jobs.iter().map(off).sum()
    };
    profile_names().into_iter().min_by(|a, b| far(a).total_cmp(&far(b)))
}

/// The job as a profile's device does it, in the form of fio's output.
fn as_measured(job: JobToRun, profile: &str, device: &DeviceSpec) -> FioJob {
    let at_once = FioLatency { mean_us: 0.0, quantiles: vec![(0.0, 0.0), (1.0, 0.0)] };
    let asked = FioJob {
        name: format!("{job} of profile {profile}"),
        kind: job.kind,
        bytes: job.bytes,
        depth: job.depth,
        direct: !job.synced,
        runtime_s: LENGTH_S,
        operations: 0,
        iops: f64::INFINITY,
        latency: at_once.clone(),
        sync: job.synced.then(|| at_once.clone()),
        disk_writes: None,
    };
    let done = run(&asked, device, SEED);
    let latency = FioLatency {
        mean_us: done.latencies.iter().sum::<u64>() as f64 / done.latencies.len().max(1) as f64 / 1e3,
        quantiles: PROBABILITIES.map(|share| (share, quantile_us(&done.latencies, share))).to_vec(),
    };
    FioJob {
        operations: done.operations,
        iops: done.operations as f64 / (done.ns as f64 / 1e9),
        disk_writes: job.synced.then(|| (done.operations as f64 * (1.0 + device.sync_operations)) as u64),
        latency: if job.synced { at_once } else { latency.clone() },
        sync: job.synced.then_some(latency),
        ..asked
    }
}
