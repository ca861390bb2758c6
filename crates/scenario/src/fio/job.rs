//! One job of fio's output: what it did, at which depth, how fast, with which latencies.

use crate::diagnostic::{Problem, Report};
use crate::server_files::place_of;
use crate::source::Span;
use crate::units::parse_bandwidth;
use serde_json::Value;
use std::fmt;

/// No device does more operations a second.
const MOST_IOPS: f64 = 1e8;

/// What a job does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobKind {
    /// Reads at random places.
    RandomRead,
    /// Writes at random places.
    RandomWrite,
    /// Reads one after the other.
    SequentialRead,
    /// Writes one after the other.
    SequentialWrite,
}

impl JobKind {
    /// Whether it reads.
    pub(super) fn is_read(self) -> bool {
        matches!(self, JobKind::RandomRead | JobKind::SequentialRead)
    }
}

/// A job that fio has yet to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobToRun {
    /// What it does.
    pub kind: JobKind,
    /// Size of an operation, bytes.
    pub bytes: u64,
    /// Operations kept in flight.
    pub depth: u32,
    /// Whether each is written through the page cache and synced.
    pub synced: bool,
}

impl fmt::Display for JobToRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.synced {
            return f.write_str("syncs");
        }
        let what = match self.kind {
            JobKind::RandomRead => "random reads",
            JobKind::RandomWrite => "random writes",
            JobKind::SequentialRead => "sequential reads",
            JobKind::SequentialWrite => return f.write_str("large sequential writes"),
        };
        write!(f, "{what} at depth {}", self.depth)
    }
}

/// A distribution of latencies.
#[derive(Debug, Clone, PartialEq)]
pub struct FioLatency {
    /// Mean, µs.
    pub mean_us: f64,
    /// (probability, µs), both rising, from 0 to 1; linear in between.
    pub quantiles: Vec<(f64, f64)>,
}

/// A job of fio.
#[derive(Debug, Clone, PartialEq)]
pub struct FioJob {
    /// File without folder and extension; with the job's name if the file has several.
    pub name: String,
    /// What it does.
    pub kind: JobKind,
    /// Size of an operation, bytes.
    pub bytes: u64,
    /// Operations kept in flight.
    pub depth: u32,
    /// Whether it goes past the page cache.
    pub direct: bool,
    /// Length, s.
    pub runtime_s: f64,
    /// Operations, without syncs.
    pub operations: u64,
    /// Operations a second.
    pub iops: f64,
    /// Their latencies, from the end of their submission on; of sequential writes from its beginning on, as who writes
    /// redo or a doublewrite batch waits for all of it.
    pub latency: FioLatency,
    /// Latencies of the sync after each write, if there is one.
    pub sync: Option<FioLatency>,
    /// Writes that the disk saw, if the output says so.
    pub disk_writes: Option<u64>,
}

impl FioLatency {
    /// The quantile for a probability, µs.
    pub fn quantile(&self, probability: f64) -> f64 {
        let after = self.quantiles.partition_point(|(p, _)| *p < probability).min(self.quantiles.len() - 1);
        let (p1, us1) = self.quantiles[after];
        let (p0, us0) = self.quantiles[after.saturating_sub(1)];
        if p1 <= p0 { us1 } else { us0 + (us1 - us0) * ((probability - p0) / (p1 - p0)).clamp(0.0, 1.0) }
    }

    /// The quantiles, scaled so that the mean of the distribution that is linear between them is the measured one:
    /// linear pieces overstate the tail a little.
    pub(super) fn with_its_mean(&self) -> Vec<(f64, f64)> {
        let pieces = self.quantiles.windows(2);
        let linear: f64 = pieces.map(|pair| (pair[1].0 - pair[0].0) * (pair[0].1 + pair[1].1) / 2.0).sum();
        let scale = (self.mean_us / linear.max(1e-3)).clamp(0.8, 1.25);
        self.quantiles.iter().map(|(probability, us)| (*probability, us * scale)).collect()
    }

    /// The same, each longer by `us`.
    fn later_by(mut self, us: f64) -> FioLatency {
        self.mean_us += us;
        self.quantiles.iter_mut().for_each(|(_, quantile)| *quantile += us);
        self
    }

    /// From fio's object of latencies in units of `unit_ns`.
    fn of(object: &Value, unit_ns: f64) -> Option<FioLatency> {
        let number = |key: &str| object.get(key).and_then(Value::as_f64).filter(|value| value.is_finite());
        let (mean, min, max) = (number("mean")?, number("min")?, number("max")?);
        let mut points = vec![(0.0, min)];
        for (key, value) in object.get("percentile")?.as_object()? {
            points.push((key.parse::<f64>().ok()? / 100.0, value.as_f64()?));
        }
        points.push((1.0, max));
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points.dedup_by(|later, earlier| later.0 <= earlier.0);
        let mut highest = 0.0_f64;
        for (probability, ns) in &mut points {
            if !(0.0..=1.0).contains(probability) || !(0.0..=1e12).contains(ns) {
                return None;
            }
            highest = highest.max(*ns);
            *ns = highest;
        }
        if points.len() < 5 || mean <= 0.0 || points[0].0 != 0.0 || points[points.len() - 1].0 != 1.0 {
            return None;
        }
        let us = |time: f64| time * unit_ns / 1e3;
        let quantiles = points.iter().map(|(probability, time)| (*probability, us(*time))).collect();
        Some(FioLatency { mean_us: us(mean), quantiles })
    }
}

/// The jobs of a text. What is wrong is reported; jobs that can't be understood are left out.
pub(super) fn parse_jobs(source: usize, name: &str, text: &str, report: &Report) -> Vec<FioJob> {
    // fio prints remarks above its JSON at times.
    let start = text.find('{').unwrap_or(0);
    let at = Span { source, start, end: start };
    let wrong = |message: String, help: &str| report.add(Problem::new(message).at(at).help(help));
    // What stands behind the document is another program's, or the next of several reports.
    let mut documents = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
    let document: Value = match documents.next() {
        Some(Ok(document)) => document,
        None => {
            wrong("it is empty".to_owned(), super::WANTED);
            return Vec::new();
        }
        Some(Err(error)) => {
            let place = place_of(source, &text[start..], error.line(), error.column());
            let place = Span { start: start + place.start, end: start + place.end, ..place };
            report.add(Problem::new(format!("not JSON: {error}")).at(place).help(super::WANTED));
            return Vec::new();
        }
    };
    if matches!(documents.next(), Some(Ok(Value::Object(_)))) {
        wrong(
            "it holds several reports, of which only the last is of the whole job".to_owned(),
            "run the job without --status-interval",
        );
        return Vec::new();
    }
    let Some(written) = document.get("jobs").and_then(Value::as_array) else {
        wrong("it has no `jobs`, so it is not fio's output".to_owned(), super::WANTED);
        return Vec::new();
    };
    if written.is_empty() {
        wrong("its list of jobs is empty".to_owned(), super::WANTED);
    }
    let options = document.get("global options");
    let disk_writes = match document.get("disk_util").and_then(Value::as_array).map(Vec::as_slice) {
        Some([disk]) if written.len() == 1 => disk.get("write_ios").and_then(Value::as_u64),
        _ => None,
    };
    let alone = |job: &Value| option(job, options, "stonewall").is_some();
    let threads = |job: &Value| option(job, options, "numjobs").is_some_and(|number| number != "1");
    if written.len() > 1 && written.iter().any(threads) {
        wrong(
            format!(
                "it has {} entries for the threads of one job, so the figures of one are not the device's",
                written.len()
            ),
            "run the job again with --group_reporting",
        );
        return Vec::new();
    }
    if written.len() > 1 && !written[1..].iter().all(alone) {
        wrong(
            format!("its {} jobs ran beside each other, so the figures of one are not the device's", written.len()),
            "run one job a file, or add --stonewall to each",
        );
        return Vec::new();
    }
    let mut jobs = Vec::new();
    for job in written {
        let own = job.get("jobname").and_then(Value::as_str).unwrap_or("unnamed");
        let name = if written.len() > 1 { format!("{name}:{own}") } else { name.to_owned() };
        match read_job(job, options, name, disk_writes) {
            Ok(job) => jobs.push(job),
            Err(why) => wrong(format!("job {own}: {why}"), "leave the file out, or run the job again"),
        }
    }
    jobs
}

fn option<'a>(job: &'a Value, globals: Option<&'a Value>, name: &str) -> Option<&'a str> {
    let own = job.get("job options").and_then(|options| options.get(name));
    own.or_else(|| globals.and_then(|options| options.get(name))).and_then(Value::as_str)
}

/// Refuses percentiles that fall, which no distribution has.
fn rising(latency: &Value, what: &str) -> Result<(), String> {
    let written = latency.get("percentile").and_then(Value::as_object);
    let mut points: Vec<(f64, f64)> =
        written.into_iter().flatten().filter_map(|(key, value)| Some((key.parse().ok()?, value.as_f64()?))).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    match points.windows(2).find(|pair| pair[1].1 < pair[0].1) {
        Some(pair) => {
            let ((p0, ns0), (p1, ns1)) = (pair[0], pair[1]);
            Err(format!("percentiles of the {what} fall from {ns0} ns at {p0} % to {ns1} ns at {p1} %"))
        }
        None => Ok(()),
    }
}

/// fio's latencies, best first, and their unit in ns: fio 2 counted in microseconds.
const LATENCIES: [(&str, f64); 4] = [("clat_ns", 1.0), ("lat_ns", 1.0), ("clat", 1e3), ("lat", 1e3)];
/// Times of the submission, which are in `lat` and not in `clat`.
const SUBMISSIONS: [(&str, f64); 2] = [("slat_ns", 1.0), ("slat", 1e3)];

/// Whether an engine does one operation after the other whatever `iodepth` says; fio's default does.
fn keeps_one_in_flight(engine: Option<&str>) -> bool {
    const ONE: [&str; 7] = ["psync", "sync", "vsync", "pvsync", "pvsync2", "mmap", "splice"];
    ONE.contains(&engine.unwrap_or("psync"))
}

/// Size of an operation: `16k`, `16kb`, `16k,16k` (reads, writes, trims; one size only).
fn block_bytes(written: Option<&str>) -> Result<u64, String> {
    let Some(written) = written else { return Ok(4096) };
    let mut sizes = written.split(',').filter(|size| !size.is_empty());
    let (first, rest) = (sizes.next().unwrap_or(written), sizes);
    // fio counts in powers of two, also with a `b` behind.
    let plain = first.to_ascii_lowercase();
    let number = plain.strip_suffix('b').map_or(plain.as_str(), |plain| plain.strip_suffix('i').unwrap_or(plain));
    match parse_bandwidth(number) {
        Ok(value) if (1.0..=1e12).contains(&value) && rest.clone().all(|size| size == first) => Ok(value as u64),
        _ => Err(format!("bs={written} is not understood: give one size")),
    }
}

/// Mean time of a submission, µs; 0 with an engine that does not tell it apart.
fn submission_us(figures: &Value) -> f64 {
    let mean = |(key, unit_ns): &(&str, f64)| Some(figures.get(key)?.get("mean")?.as_f64()? * unit_ns / 1e3);
    SUBMISSIONS.iter().find_map(mean).filter(|us| (0.0..=1e9).contains(us)).unwrap_or(0.0)
}

/// Refuses a job that was held back, or whose writes are syncs.
fn runs_free<'a>(option: &impl Fn(&str) -> Option<&'a str>) -> Result<(), String> {
    for limit in ["rate", "rate_iops", "rate_min", "rate_iops_min", "thinktime"] {
        if let Some(value) = option(limit).filter(|value| *value != "0") {
            return Err(format!("{limit}={value} limits it, so its figures are not the device's; run it without"));
        }
    }
    if let Some(value) = option("sync").filter(|value| !["0", "none"].contains(value)) {
        return Err(format!(
            "sync={value} makes each write a sync, so it tells neither from the other; run it with fdatasync=1 instead"
        ));
    }
    Ok(())
}

/// Refuses a job that did more than operations of its own `side`: one that mixes them, or a group of several.
fn does_nothing_else(job: &Value, side: &str) -> Result<(), String> {
    let operations = |side: &str| job.get(side).and_then(|figures| figures.get("total_ios")).and_then(Value::as_f64);
    let other = ["read", "write", "trim"]
        .into_iter()
        .find(|other| *other != side && operations(other).is_some_and(|operations| operations > 0.0));
    match other {
        Some(other) => {
            Err(format!("it has operations of `{other}` beside those of `{side}`, so neither are the device's"))
        }
        None => Ok(()),
    }
}

fn read_job(job: &Value, globals: Option<&Value>, name: String, disk_writes: Option<u64>) -> Result<FioJob, String> {
    let option = |name: &str| option(job, globals, name);
    match job.get("error").and_then(Value::as_i64) {
        Some(0) | None => {}
        Some(code) => return Err(format!("it ended with error {code}")),
    }
    let mode = option("rw").or_else(|| option("readwrite")).unwrap_or("read");
    let (kind, side) = match mode.split(':').next().unwrap_or(mode) {
        "randread" => (JobKind::RandomRead, "read"),
        "randwrite" => (JobKind::RandomWrite, "write"),
        "read" => (JobKind::SequentialRead, "read"),
        "write" => (JobKind::SequentialWrite, "write"),
        other => return Err(format!("rw={other} can't be used: mixed jobs don't tell reads from writes")),
    };
    let whole = |name: &str, default: u64| match option(name) {
        None => Ok(default),
        Some(text) => match parse_bandwidth(text) {
            Ok(value) if (1.0..=1e12).contains(&value) => Ok(value as u64),
            _ => Err(format!("{name}={text} is not understood")),
        },
    };
    runs_free(&option)?;
    does_nothing_else(job, side)?;
    let bytes = block_bytes(option("bs").or_else(|| option("blocksize")))?;
    let in_flight = if keeps_one_in_flight(option("ioengine")) { 1 } else { whole("iodepth", 1)? };
    let depth = in_flight.saturating_mul(whole("numjobs", 1)?);
    let depth = u32::try_from(depth).ok().filter(|depth| *depth <= 65_536).ok_or("its depth is out of range")?;
    let figures = job.get(side).ok_or_else(|| format!("it has no figures of `{side}`"))?;
    let number =
        |key: &str| figures.get(key).and_then(Value::as_f64).filter(|value| value.is_finite() && *value >= 0.0);
    let (iops, operations) = (number("iops").unwrap_or(0.0), number("total_ios").unwrap_or(0.0));
    let runtime_s = number("runtime").unwrap_or(0.0) / 1e3;
    if iops < 1.0 || operations < 1.0 || runtime_s <= 0.0 {
        return Err(format!("it did no operations of its kind (rw={mode})"));
    }
    if iops > MOST_IOPS {
        return Err(format!("it states {iops:.3e} operations a second, more than any device does ({MOST_IOPS:.0e})"));
    }
    for object in LATENCIES.iter().filter_map(|(key, _)| figures.get(*key)) {
        rising(object, "latency")?;
    }
    if let Some(object) = job.get("sync").and_then(|sync| sync.get("lat_ns")) {
        rising(object, "latency of its syncs")?;
    }
    let latency =
        LATENCIES.iter().find_map(|(key, unit_ns)| Some((FioLatency::of(figures.get(*key)?, *unit_ns)?, *key)));
    let (latency, measured) = latency
        .ok_or("it has too few latency percentiles: leave clat_percentiles on, and percentile_list at its default")?;
    let latency = match kind {
        JobKind::SequentialWrite if measured.starts_with("clat") => latency.later_by(submission_us(figures)),
        _ => latency,
    };
    let syncs = ["fdatasync", "fsync"].iter().any(|name| option(name) == Some("1"));
    let sync = match job.get("sync").and_then(|sync| sync.get("lat_ns")).and_then(|object| FioLatency::of(object, 1.0))
    {
        Some(sync) if syncs => Some(sync),
        _ if syncs => return Err("it has no latency percentiles of its syncs".to_owned()),
        _ => None,
    };
    let direct = matches!(option("direct"), Some("1")) || option("buffered") == Some("0");
    let operations = operations as u64;
    Ok(FioJob { name, kind, bytes, depth, direct, runtime_s, operations, iops, latency, sync, disk_writes })
}
