//! A recording as events: of one or two samples those of a snapshot, else those of a course, with what the error log says.
//!
//! A recording as a course: what was recorded under load, at the instants of its samples.
//!
//! Nothing is made up: a counter that was not recorded has no series, and a value that is missing is a gap. Age limits
//! are those that the server's model computes from the recorded settings; where the server published
//! `log_max_modified_age_async` and `..._sync`, those. Without sysbench's reports throughput is counted by the server:
//! commits, or changed rows or statements where these commit by themselves.

use super::limits::settings_and_limits;
use super::snapshot::snapshot_of_recording;
use innosim_explain::{Course, Event, Loop, Origin, Track, explain, explain_slow_loops, explain_snapshot};
use innosim_flush_models::registry::{ModelId, Settings};
use innosim_recordings::{Column, Missing, Quantity, Recording, SlowLoop, understood_settings};
use std::collections::BTreeMap;

/// Columns that hold the checkpoint age itself, for recordings without a log sequence number.
const AGES: [&str; 3] = ["Innodb_checkpoint_age", "m.log_lsn_checkpoint_age", "m.innodb_checkpoint_age"];
/// Statements that change rows.
const STATEMENTS: [&str; 4] = ["Com_insert", "Com_update", "Com_delete", "Com_replace"];
/// Commits for each of them from which on the commits are the transactions: else statements commit by themselves.
const COMMITS_A_STATEMENT: f64 = 0.01;
/// Counters of the server that stand in for throughput, with what they count.
const WORK: [(&str, &[&str]); 5] = [
    ("commits", &["Com_commit"]),
    ("commits", &["m.trx_rw_commits"]),
    ("changed rows", &["Innodb_rows_inserted", "Innodb_rows_updated", "Innodb_rows_deleted"]),
    ("changed rows", &["m.dml_inserts", "m.dml_updates", "m.dml_deletes"]),
    ("statements that change rows", &STATEMENTS),
];
/// Ticks in which the processors were busy, and those in which they were not.
const BUSY: [&str; 6] = ["cpu.user", "cpu.system", "cpu.nice", "cpu.irq", "cpu.softirq", "cpu.steal"];
const NOT_BUSY: [&str; 2] = ["cpu.idle", "cpu.iowait"];

/// What all this is for, in messages.
const PURPOSE: &str = "explain";
/// Pages of flush-list batches and of LRU batches.
const LIST_PAGES: &str = "m.buffer_flush_batch_total_pages";
const LRU_PAGES: &str = "m.buffer_LRU_batch_flush_total_pages";

/// The course of a recording.
///
/// # Errors
/// What is missing, with how to record it: a checkpoint age, throughput, flushing or the activity of the device is the least.
pub fn course_of_recording(recording: &Recording) -> Result<Course, Missing> {
    let all = &recording.series.seconds;
    let (start, end) = recording.load_window();
    let begun = recording.load_start();
    let frozen = recording.frozen();
    // Only the server's counters need a sample before them: a load's log tells rates.
    let first = usize::from(!is_log_alone(recording));
    let at: Vec<usize> =
        (first..all.len()).filter(|&i| all[i] > begun && all[i] >= start && all[i] <= end && !frozen[i]).collect();
    let mut series = Recorded { recording, at: &at, tracks: BTreeMap::new() };
    let first = recording.sample_at_start().unwrap_or(0);
    series.ages(first);
    let dirty = recording.get(Quantity::DirtyPages);
    let dirty_at_start = dirty.as_ref().and_then(|dirty| dirty.at(first));
    series.put_if(Track::Dirty, dirty);
    series.put_if(Track::Requested, recording.get(Quantity::NToFlushRequested));
    let unit = series.throughput();
    series.rates();
    if [Track::CheckpointAge, Track::Tps, Track::Flushed, Track::DeviceActive]
        .iter()
        .all(|t| !series.tracks.contains_key(t))
    {
        // None of what the rules begin with; the age says most.
        recording.quantity(Quantity::Lsn, PURPOSE)?;
        recording.quantity(Quantity::CheckpointLsn, PURPOSE)?;
    }
    let (settings, limits) = settings_and_limits(recording);
    let clients: u32 = recording.phases.iter().map(|phase| phase.threads).max().unwrap_or(0);
    Ok(Course {
        origin: Origin::Recorded,
        seconds: at.iter().map(|&i| all[i] - begun).collect(),
        steps: at.iter().map(|&i| all[i] - i.checked_sub(1).map_or(begun, |before| all[before])).collect(),
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

/// Whether only a load generator's log tells the course.
fn is_log_alone(recording: &Recording) -> bool {
    recording.series.names().all(|name| ["sb.", "disk.", "cpu."].iter().any(|with| name.starts_with(with)))
        && recording.series.column("sb.tps").is_some()
}

/// Samples up to which a recording is a snapshot and no course.
const FEW: usize = 2;

/// Everything that a recording tells. `model`: whose limits a snapshot shows where its settings are not known.
///
/// # Errors
/// What is missing, with how to record it.
pub fn events_of_recording(recording: &Recording, model: Option<ModelId>) -> Result<Vec<Event>, Missing> {
    let samples = recording.series.len();
    let mut events = slow_loops(recording);
    if samples > FEW || is_log_alone(recording) {
        events.extend(explain(&course_of_recording(recording)?));
    } else if samples > 0 {
        events.extend(explain_snapshot(&snapshot_of_recording(recording, model)));
    }
    Ok(events)
}

/// What the error log says of slow loops, since the first message.
fn slow_loops(recording: &Recording) -> Vec<Event> {
    let first = recording.slow_loops.iter().map(|l| l.at).filter(|at| at.is_finite()).reduce(f64::min).unwrap_or(0.0);
    let since = |at: f64| if at.is_finite() { at - first } else { 0.0 };
    let one = |l: &SlowLoop| Loop { at_s: since(l.at), seconds: l.seconds, flushed: l.flushed, evicted: l.evicted };
    let loops: Vec<Loop> = recording.slow_loops.iter().map(one).collect();
    let cap = ["innodb_io_capacity_max", "innodb_io_capacity"].into_iter().find_map(|name| {
        let text = recording.variables.get(name)?;
        Some((name, text.parse().ok()?))
    });
    explain_slow_loops(&loops, cap)
}

/// Why the settings of a recording give no limits, if its model refuses them.
pub fn refused_settings(recording: &Recording) -> Option<String> {
    let model = recording.model().ok()?;
    let (values, _) = understood_settings(recording, model);
    Settings::resolve(model, &values).err().map(|error| format!("{error}; {}", error.help))
}

/// Series of a recording at the samples of its load.
struct Recorded<'a> {
    recording: &'a Recording,
    at: &'a [usize],
    tracks: BTreeMap<Track, Vec<f64>>,
}

/// A difference of two counters that never falls in truth, from samples in which one of them is ahead of the other by what is
/// under way: what it has reached for good. Cut off at 0 step by step, the ups and downs would add up.
fn only_grows(difference: &Column) -> Column {
    let mut least = f64::INFINITY;
    let back: Vec<Option<f64>> = difference
        .samples()
        .rev()
        .map(|sample| {
            least = least.min(sample?);
            Some(least)
        })
        .collect();
    back.into_iter().rev().collect()
}

impl Recorded<'_> {
    /// Tracks have NaN where a sample is missing.
    fn put(&mut self, track: Track, column: &Column) {
        let values = column.with_nan();
        self.tracks.insert(track, self.at.iter().map(|&i| values[i]).collect());
    }

    /// Redo, the checkpoint age and that of the oldest dirty page, as far as they were recorded.
    fn ages(&mut self, first: usize) {
        let Some(lsn) = self.recording.get(Quantity::Lsn) else {
            let age = AGES.iter().find_map(|name| self.recording.series.column(name));
            return self.put_if(Track::CheckpointAge, age);
        };
        let zero = lsn.samples().skip(first).flatten().next().unwrap_or(0.0);
        self.put(Track::Lsn, &lsn.map(|lsn| lsn - zero));
        if let Some(checkpoint) = self.recording.get(Quantity::CheckpointLsn) {
            self.put(Track::CheckpointAge, &lsn.with(&checkpoint, |lsn, at| lsn - at));
        }
        if let Some(oldest) = self.recording.get(Quantity::OldestModification) {
            let age = |lsn: f64, oldest: f64| if oldest > 0.0 { (lsn - oldest).max(0.0) } else { 0.0 };
            self.put(Track::OldestAge, &lsn.with(&oldest, age));
        }
    }

    /// Pages a second that no batch wrote: user threads flushed them one by one.
    fn single_pages(&self) -> Option<Column> {
        let series = &self.recording.series;
        let batches = Column::sum(&[series.column(LIST_PAGES)?, series.column(LRU_PAGES)?])?;
        let others = series.column("m.buffer_pages_written")?.with(&batches, |all, batches| all - batches);
        Some(only_grows(&others).rates(&series.seconds))
    }

    fn put_if(&mut self, track: Track, column: Option<Column>) {
        if let Some(column) = column {
            self.put(track, &column);
        }
    }

    /// Growth a second of a counter.
    fn rate_of(&self, column: &str) -> Option<Column> {
        Some(self.recording.series.column(column)?.rates(&self.recording.series.seconds))
    }

    /// Growth a second of the sum of all counters that are there; `None` if none is.
    fn rate_of_sum(&self, columns: &[&str]) -> Option<Column> {
        Column::sum(&columns.iter().filter_map(|column| self.rate_of(column)).collect::<Vec<Column>>())
    }

    /// Throughput, and what it counts.
    fn throughput(&mut self) -> &'static str {
        if let Some(tps) = self.recording.get(Quantity::Tps) {
            self.put(Track::Tps, &tps);
            return "transactions";
        }
        let of_statements = self.rate_of_sum(&STATEMENTS).and_then(|rate| rate.mean()).unwrap_or(0.0);
        for (unit, columns) in WORK {
            let Some(work) = self.rate_of_sum(columns) else { continue };
            let mean = work.mean().unwrap_or(0.0);
            if mean > 0.0 && mean >= COMMITS_A_STATEMENT * of_statements {
                self.put(Track::Tps, &work);
                return unit;
            }
        }
        "transactions"
    }

    fn rates(&mut self) {
        let of = |quantity| {
            let counter = self.recording.get(quantity)?;
            Some(counter.rates(&self.recording.series.seconds))
        };
        let (flushed, sync) = (of(Quantity::PagesWritten), of(Quantity::SyncPages));
        self.put_if(Track::Flushed, flushed);
        self.put_if(Track::SyncPages, sync);
        for (track, column) in [
            (Track::LruPages, LRU_PAGES),
            (Track::FreePageSearch, "m.buffer_LRU_single_flush_scanned"),
            (Track::FreePageWaits, "Innodb_buffer_pool_wait_free"),
            (Track::LogWaits, "Innodb_log_waits"),
            (Track::DoublewritePages, "Innodb_dblwr_pages_written"),
            (Track::DoublewriteWrites, "Innodb_dblwr_writes"),
        ] {
            let rate = self.rate_of(column);
            self.put_if(track, rate);
        }
        let single = self.single_pages();
        self.put_if(Track::SinglePages, single);
        self.put_if(Track::FreePages, self.recording.get(Quantity::FreePages));
        if let (Some(busy), Some(idle)) = (self.rate_of_sum(&BUSY), self.rate_of_sum(&NOT_BUSY)) {
            self.put(Track::CpuBusy, &busy.with(&idle, |busy, idle| busy / (busy + idle)));
        }
        // Milliseconds in which the device had work, a second.
        if let Some(io_ms) = self.rate_of("disk.io_ms") {
            self.put(Track::DeviceActive, &io_ms.map(|ms| (ms / 1000.0).min(1.0)));
        }
        if !self.recording.closed_loop() {
            self.put_if(Track::Offered, offered(self.recording));
            let queue = self.recording.series.column("sb.queue");
            self.put_if(Track::Waiting, queue);
        }
    }
}

/// Transactions a second that the load generators asked for at each sample; `None` if one of them had no rate.
fn offered(recording: &Recording) -> Option<Column> {
    let phases = &recording.phases;
    if phases.is_empty() || phases.iter().any(|phase| phase.rate.is_none()) {
        return None;
    }
    let at = |second: &f64| {
        let running = phases.iter().filter(|phase| phase.start_s < *second && *second <= phase.end_s);
        running.filter_map(|phase| phase.rate).sum::<f64>()
    };
    Some(recording.series.seconds.iter().map(|second| Some(at(second))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Batches count their pages when they end, and pages are counted as they are written.
    #[test]
    fn pages_under_way_are_not_flushed_one_by_one() {
        let apart = |pages: &dyn Fn(usize) -> f64| Column::from((0..100).map(pages).collect::<Vec<f64>>());
        let under_way = |i: usize| if i.is_multiple_of(3) { 400.0 } else { 0.0 };
        let none = only_grows(&apart(&under_way));
        assert!(none.growth().unwrap() <= 400.0, "{none:?}");
        let ten_a_second = only_grows(&apart(&|i| 10.0 * i as f64 + under_way(i)));
        assert!((ten_a_second.growth().unwrap() - 990.0).abs() <= 400.0, "{ten_a_second:?}");
        let gap = Column::from(vec![1.0, f64::NAN, 5.0]);
        assert_eq!(only_grows(&gap), gap);
    }
}
