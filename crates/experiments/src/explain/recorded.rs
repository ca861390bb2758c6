//! A recording as a course: what was recorded under load, at the instants of its samples.
//!
//! Nothing is made up: a counter that was not recorded has no series, and a value that is missing is a gap. Age limits
//! are those that the server's model computes from the recorded settings; where the server published
//! `log_max_modified_age_async` and `..._sync`, those. Without sysbench's reports throughput is counted by the server:
//! commits, or changed rows where none is committed by a statement of its own.

use super::run::numbers;
use innosim_explain::{Course, Limits, Origin, Track};
use innosim_flush_models::registry::{Settings, build};
use innosim_recordings::{Missing, Quantity, Recording, rates, understood_settings};
use std::collections::BTreeMap;

/// Counters of the server that stand in for throughput, with what they count.
const WORK: [(&str, &[&str]); 2] = [
    ("commits", &["Com_commit"]),
    ("changed rows", &["Innodb_rows_inserted", "Innodb_rows_updated", "Innodb_rows_deleted"]),
];
/// Ticks in which the processors were busy, and those in which they were not.
const BUSY: [&str; 6] = ["cpu.user", "cpu.system", "cpu.nice", "cpu.irq", "cpu.softirq", "cpu.steal"];
const NOT_BUSY: [&str; 2] = ["cpu.idle", "cpu.iowait"];

/// The course of a recording.
///
/// # Errors
/// What is missing, with how to record it: a checkpoint age and throughput or flushing are the least.
pub fn course_of_recording(recording: &Recording) -> Result<Course, Missing> {
    let all = &recording.series.seconds;
    let (start, end) = recording.load_window();
    let begun = recording.load_start();
    let frozen = recording.frozen();
    let at: Vec<usize> = (1..all.len()).filter(|&i| all[i] > start && all[i] <= end && !frozen[i]).collect();
    let purpose = "explain";
    let lsn = recording.quantity(Quantity::Lsn, purpose)?;
    let checkpoint = recording.quantity(Quantity::CheckpointLsn, purpose)?;
    let mut series = Recorded { recording, at: &at, tracks: BTreeMap::new() };
    let first = recording.sample_at_start().unwrap_or(0);
    let zero = lsn[first..].iter().copied().find(|lsn| lsn.is_finite()).unwrap_or(0.0);
    series.put(Track::Lsn, lsn.iter().map(|lsn| lsn - zero).collect());
    series.put(Track::CheckpointAge, lsn.iter().zip(&checkpoint).map(|(lsn, at)| lsn - at).collect());
    if let Some(oldest) = recording.get(Quantity::OldestModification) {
        let age = |(lsn, oldest): (&f64, &f64)| if *oldest > 0.0 { (lsn - oldest).max(0.0) } else { 0.0 };
        series.put(Track::OldestAge, lsn.iter().zip(&oldest).map(age).collect());
    }
    let dirty = recording.get(Quantity::DirtyPages);
    let dirty_at_start = dirty.as_ref().map(|dirty| dirty[first]).filter(|pages| pages.is_finite());
    series.put_if(Track::Dirty, dirty);
    series.put_if(Track::Requested, recording.get(Quantity::NToFlushRequested));
    let unit = series.throughput();
    series.rates();
    let (settings, limits) = settings_and_limits(recording);
    let clients: u32 = recording.phases.iter().map(|phase| phase.threads).max().unwrap_or(0);
    Ok(Course {
        origin: Origin::Recorded,
        seconds: at.iter().map(|&i| all[i] - begun).collect(),
        steps: at.iter().map(|&i| all[i] - all[i - 1]).collect(),
        tracks: series.tracks,
        limits,
        settings,
        clients: (clients > 0).then_some(clients),
        dirty_at_start,
        counted_from_s: 0.0,
        warmup_given: None,
        cpu_busy_mean: None,
        unit,
        closed_loop: (!recording.phases.is_empty()).then(|| recording.closed_loop()),
    })
}

/// Series of a recording at the samples of its load.
struct Recorded<'a> {
    recording: &'a Recording,
    at: &'a [usize],
    tracks: BTreeMap<Track, Vec<f64>>,
}

impl Recorded<'_> {
    fn put(&mut self, track: Track, values: Vec<f64>) {
        self.tracks.insert(track, self.at.iter().map(|&i| values[i]).collect());
    }

    fn put_if(&mut self, track: Track, values: Option<Vec<f64>>) {
        if let Some(values) = values {
            self.put(track, values);
        }
    }

    /// Growth a second of a counter.
    fn rate_of(&self, column: &str) -> Option<Vec<f64>> {
        Some(rates(&self.recording.series.seconds, &self.recording.series.column(column)?))
    }

    /// Growth a second of the sum of all counters that are there; `None` if none is.
    fn rate_of_sum(&self, columns: &[&str]) -> Option<Vec<f64>> {
        let all: Vec<Vec<f64>> = columns.iter().filter_map(|column| self.rate_of(column)).collect();
        let sum = |i: usize| all.iter().map(|values| values[i]).sum::<f64>();
        (!all.is_empty()).then(|| (0..self.recording.series.len()).map(sum).collect())
    }

    /// Throughput, and what it counts.
    fn throughput(&mut self) -> &'static str {
        if let Some(tps) = self.recording.get(Quantity::Tps) {
            self.put(Track::Tps, tps);
            return "transactions";
        }
        for (unit, columns) in WORK {
            let Some(work) = self.rate_of_sum(columns) else { continue };
            if work.iter().any(|rate| *rate > 0.0) {
                self.put(Track::Tps, work);
                return unit;
            }
        }
        "transactions"
    }

    fn rates(&mut self) {
        let of = |quantity| {
            let counter = self.recording.get(quantity)?;
            Some(rates(&self.recording.series.seconds, &counter))
        };
        let (flushed, sync) = (of(Quantity::PagesWritten), of(Quantity::SyncPages));
        self.put_if(Track::Flushed, flushed);
        self.put_if(Track::SyncPages, sync);
        for (track, column) in [
            (Track::LruPages, "m.buffer_LRU_batch_flush_total_pages"),
            (Track::FreePageWaits, "Innodb_buffer_pool_wait_free"),
            (Track::LogWaits, "Innodb_log_waits"),
            (Track::DoublewritePages, "Innodb_dblwr_pages_written"),
            (Track::DoublewriteWrites, "Innodb_dblwr_writes"),
        ] {
            let rate = self.rate_of(column);
            self.put_if(track, rate);
        }
        if let (Some(busy), Some(idle)) = (self.rate_of_sum(&BUSY), self.rate_of_sum(&NOT_BUSY)) {
            let share = |(busy, idle): (&f64, &f64)| busy / (busy + idle);
            self.put(Track::CpuBusy, busy.iter().zip(&idle).map(share).collect());
        }
        // Milliseconds in which the device had work, a second.
        if let Some(io_ms) = self.rate_of("disk.io_ms") {
            self.put(Track::DeviceActive, io_ms.iter().map(|ms| (ms / 1000.0).min(1.0)).collect());
        }
        if !self.recording.closed_loop() {
            self.put_if(Track::Offered, offered(self.recording));
            let queue = self.recording.series.column("sb.queue");
            self.put_if(Track::Waiting, queue);
        }
    }
}

/// Transactions a second that the load generators asked for at each sample; `None` if one of them had no rate.
fn offered(recording: &Recording) -> Option<Vec<f64>> {
    let phases = &recording.phases;
    if phases.is_empty() || phases.iter().any(|phase| phase.rate.is_none()) {
        return None;
    }
    let at = |second: &f64| {
        let running = phases.iter().filter(|phase| phase.start_s < *second && *second <= phase.end_s);
        running.filter_map(|phase| phase.rate).sum::<f64>()
    };
    Some(recording.series.seconds.iter().map(at).collect())
}

/// The settings that its model understands, and the age limits; what is not known is left out.
fn settings_and_limits(recording: &Recording) -> (BTreeMap<String, f64>, Limits) {
    let resolved = recording.model().ok().and_then(|model| {
        let (values, _) = understood_settings(recording, model);
        Settings::resolve(model, &values).ok()
    });
    let of_model = resolved.as_ref().and_then(|settings| Some(build(settings).ok()?.age_limits()));
    let mut limits: Limits = of_model.unwrap_or_default().into();
    let published = |column: &str| {
        let values = recording.series.column(column)?;
        values.into_iter().rev().find(|value| value.is_finite() && *value > 0.0)
    };
    if let Some(bytes) = published("m.log_max_modified_age_async") {
        limits.async_bytes = bytes;
    }
    if let Some(bytes) = published("m.log_max_modified_age_sync") {
        limits.sync_bytes = bytes;
    }
    (resolved.as_ref().map(numbers).unwrap_or_default(), limits)
}
