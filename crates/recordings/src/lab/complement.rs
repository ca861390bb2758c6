//! What `series.csv.gz` and `run.json` lack and other files of the folder have, or the counters tell.

use crate::assemble::{command_lines, counter_of_transactions, lay_loads, variables};
use crate::formats::{Clock, LoadLog, Part, read_part};
use crate::{Column, LONG_STEP, LoadPhase, Quantity, Recording, RecordingError, Series};
use std::path::PathBuf;

/// Seconds since 1970 at each sample.
const WALL_CLOCK: &str = "t";
/// Ticks of /proc/stat a second.
const TICKS_A_SECOND: f64 = 100.0;
/// Ticks of all processors together.
const TICKS: [&str; 8] =
    ["cpu.user", "cpu.system", "cpu.idle", "cpu.iowait", "cpu.nice", "cpu.irq", "cpu.softirq", "cpu.steal"];
/// Those without which the sum would say nothing.
const INDISPENSABLE: usize = 3;

/// Fills in settings, load, throughput and processors where they are missing. The files `beside` are read only then.
pub(crate) fn complement(
    recording: &mut Recording,
    beside: impl Iterator<Item = PathBuf>,
) -> Result<(), RecordingError> {
    if reports_are_closer_than_samples(recording) {
        count_transactions(recording, "samples are rarer than sysbench's reports");
    }
    let has_settings = recording.variables.keys().any(|name| name.starts_with("innodb_"));
    let has_throughput = recording.get(Quantity::Tps).is_some();
    if !has_settings || recording.phases.is_empty() || !has_throughput {
        let parts: Vec<Part> =
            beside.map(|file| read_part(&file)).collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
        if !has_settings {
            recording.variables.extend(variables(&parts));
        }
        recording.cpus = recording.cpus.or_else(|| parts.iter().find_map(|part| part.cpus));
        if recording.phases.is_empty() || !has_throughput {
            take_logs(recording, &parts, has_throughput);
        }
    }
    if recording.get(Quantity::Tps).is_none() {
        count_transactions(recording, "sysbench's reports are not there");
    }
    recording.cpus = recording.cpus.or_else(|| processors(&recording.series));
    Ok(())
}

/// Loads and throughput from logs of sysbench whose lines have the time of day.
fn take_logs(recording: &mut Recording, parts: &[Part], has_throughput: bool) {
    let Some(zero) = time_of_zero(&recording.series) else { return };
    let timed = parts.iter().filter(|part| part.clock == Clock::Unix).flat_map(|part| &part.loads);
    let mut loads: Vec<LoadLog> =
        timed.filter_map(|log| Some(LoadLog { start: Some(log.start? - zero), ..log.clone() })).collect();
    if loads.is_empty() {
        return;
    }
    command_lines(parts, &mut loads);
    let (phases, columns) = (recording.phases.clone(), recording.series.columns.clone());
    lay_loads(recording, &loads);
    if !phases.is_empty() {
        recording.phases = phases;
    }
    if has_throughput {
        recording.series.columns = columns;
    } else {
        recording.tps_is_of_steps = true;
    }
    recording.remarks.push("sysbench's log stands in for what the other two files lack of the load".to_owned());
}

/// Seconds since 1970 at which the axis has its zero.
fn time_of_zero(series: &Series) -> Option<f64> {
    let wall = series.column(WALL_CLOCK)?;
    let mut zeros: Vec<f64> = wall.timed(&series.seconds).map(|(second, wall)| wall - second).collect();
    zeros.sort_by(f64::total_cmp);
    zeros.get(zeros.len() / 2).copied()
}

/// Whether most of sysbench's reports fell between two samples and are lost.
fn reports_are_closer_than_samples(recording: &Recording) -> bool {
    let step = recording.series.median_step().unwrap_or(0.0);
    recording.get(Quantity::Tps).is_some() && step > LONG_STEP * recording.tps_interval_s()
}

/// `derived.tps` in place of reports: the growth of the statement that the script commits with.
fn count_transactions(recording: &mut Recording, why: &str) {
    let counter = |phase: &LoadPhase| counter_of_transactions(&phase.script);
    let Some(first) = recording.phases.first().and_then(counter) else { return };
    if recording.phases.iter().any(|phase| counter(phase) != Some(first)) {
        return;
    }
    if let Some(counted) = recording.series.column(first) {
        let tps = counted.rates(&recording.series.seconds);
        recording.series.columns.remove("sb.tps");
        recording.series.put("derived.tps", &tps);
        recording.remarks.push(format!("{why}: transactions are counted by {first}"));
    }
}

/// Processors of the machine, by the ticks that it counts.
fn processors(series: &Series) -> Option<u32> {
    let columns: Vec<Option<Column>> = TICKS.iter().map(|name| series.column(name)).collect();
    if columns[..INDISPENSABLE].iter().any(Option::is_none) {
        return None;
    }
    let ticks = Column::sum(&columns.into_iter().flatten().collect::<Vec<Column>>())?;
    let processors = (ticks.growth_per_s(&series.seconds)? / TICKS_A_SECOND).round();
    (processors >= 1.0).then_some(processors as u32)
}
