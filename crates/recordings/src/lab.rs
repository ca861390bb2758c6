//! The layout of our own recorder: a folder with `series.csv.gz` (a row a second) and `run.json` (settings, load,
//! notes).
//!
//! Columns are read as they come, whatever the version. Only the time axis `rel` is indispensable; an empty field is a
//! gap. `run.json` names counters that stayed 0 and have no column (`zero_columns`). The recorder makes new redo files
//! before each run; `new_redo` says if one did not.

use crate::{Cap, Data, LoadPhase, Recording, RecordingError, Series, Server};
use flate2::read::MultiGzDecoder;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The series of a recording.
pub(crate) const SERIES: &str = "series.csv.gz";
/// What was run.
pub(crate) const RUN: &str = "run.json";
/// Seconds on the axis of the load.
const TIME: &str = "rel";

/// Whether `folder` claims to be a recording.
pub(crate) fn is_lab(folder: &Path) -> bool {
    folder.join(RUN).is_file() || folder.join(SERIES).is_file()
}

/// Reads the recording in `folder`.
pub fn read_lab(folder: &Path) -> Result<Recording, RecordingError> {
    let path = folder.join(RUN);
    let text = fs::read_to_string(&path).map_err(|error| {
        RecordingError::new(&path, format!("can't be read: {error}"), format!("{RUN} says which server was recorded"))
    })?;
    let run: Value = serde_json::from_str(&text).map_err(|error| {
        RecordingError::new(&path, format!("is not JSON: {error}"), "copy the file again")
            .at_line(Some(error.line() as u64))
    })?;
    let server = Server::new(&need(&path, &run, "server")?, &need(&path, &run, "version")?);
    let series = read_series(&folder.join(SERIES), &run)?;
    let (phases, mut notes) = phases(&run, &series);
    notes.extend(text_at(&run, "notes").filter(|note| !note.is_empty()));
    Ok(Recording {
        name: name_of(folder),
        path: folder.to_owned(),
        server,
        variables: variables(&run),
        series,
        phases,
        cap: cap(&run),
        data: Data {
            clustered_pages: run["data_pages_clustered"].as_u64(),
            secondary_pages: run["data_pages_secondary"].as_u64(),
        },
        cpus: run["cpus"].as_u64().and_then(|cpus| u32::try_from(cpus).ok()),
        clean_start: run["clean_start"].as_bool(),
        new_redo: run["new_redo"].as_bool().unwrap_or(true),
        notes,
        remarks: Vec::new(),
        fio: Vec::new(),
    })
}

/// `mysql97/uni4k-256-io2000`.
pub(crate) fn name_of(folder: &Path) -> String {
    let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let parts: PathBuf = folder.components().rev().take(2).collect::<Vec<_>>().into_iter().rev().collect();
    parts.display().to_string()
}

fn text_at(run: &Value, key: &str) -> Option<String> {
    run[key].as_str().map(str::to_owned)
}

fn need(path: &Path, run: &Value, key: &str) -> Result<String, RecordingError> {
    text_at(run, key).ok_or_else(|| {
        let help = format!("{RUN} holds at least \"server\" and \"version\", both texts");
        RecordingError::new(path, format!("has no text `{key}`"), help)
    })
}

fn variables(run: &Value) -> BTreeMap<String, String> {
    let entries = run["variables"].as_object().into_iter().flatten();
    entries.filter_map(|(name, value)| Some((name.to_ascii_lowercase(), value.as_str()?.to_owned()))).collect()
}

fn cap(run: &Value) -> Cap {
    let number = |key: &str| run["cap"][key].as_f64().unwrap_or(0.0);
    Cap {
        name: text_at(run, "cap_name").unwrap_or_else(|| "raw".to_owned()),
        write_iops: number("wiops"),
        read_iops: number("riops"),
        write_bytes_per_s: number("wbps"),
        read_bytes_per_s: number("rbps"),
    }
}

/// The load generators, and remarks on those that are not understood.
fn phases(run: &Value, series: &Series) -> (Vec<LoadPhase>, Vec<String>) {
    let commands = run["sysbench"].as_array().map_or(&[][..], Vec::as_slice);
    let at = |key: &str, i: usize| run[key][i].as_f64();
    let last = series.seconds.last().copied().unwrap_or(0.0);
    let mut phases = Vec::new();
    let mut remarks = Vec::new();
    for (i, command) in commands.iter().enumerate() {
        let command = command.as_str().unwrap_or_default();
        let start = at("sysbench_start_rel", i).unwrap_or(0.0);
        let end = at("sysbench_end_rel", i).unwrap_or(last);
        match LoadPhase::parse(command, start, end) {
            Ok(phase) => phases.push(phase),
            Err(_) => remarks.push(format!("load generator {} is not understood: {command}", i + 1)),
        }
    }
    phases.sort_by(|a, b| a.start_s.total_cmp(&b.start_s));
    (phases, remarks)
}

fn read_series(path: &Path, run: &Value) -> Result<Series, RecordingError> {
    let broken = |problem: String| RecordingError::new(path, problem, "copy the file again, or record again");
    let file = File::open(path).map_err(|error| {
        RecordingError::new(path, format!("can't be read: {error}"), format!("{SERIES} holds the recorded counters"))
    })?;
    let mut text = String::new();
    MultiGzDecoder::new(file)
        .read_to_string(&mut text)
        .map_err(|error| broken(format!("can't be decompressed ({error}); is it cut off?")))?;
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let names: Vec<String> = reader
        .headers()
        .map_err(|error| broken(format!("has no header line: {error}")))?
        .iter()
        .map(str::to_owned)
        .collect();
    let Some(time) = names.iter().position(|name| name == TIME) else {
        let help = format!("the first line names the columns; `{TIME}` holds seconds since the load began");
        return Err(RecordingError::new(path, format!("has no column `{TIME}`"), help).at_line(Some(1)));
    };
    let mut columns = vec![Vec::new(); names.len()];
    for row in reader.records() {
        let row = row.map_err(|error| {
            let line = error.position().map(csv::Position::line);
            broken(format!("has a broken row: {error}")).at_line(line)
        })?;
        for (column, field) in columns.iter_mut().zip(row.iter()) {
            column.push(field.trim().parse().unwrap_or(f64::NAN));
        }
        check_time(path, &columns[time], &row, time)?;
    }
    let seconds = columns[time].clone();
    if seconds.is_empty() {
        return Err(broken("has no samples".to_owned()));
    }
    let zero =
        run["zero_columns"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    Ok(Series { seconds, columns: names.into_iter().zip(columns).collect(), zero })
}

/// Time must be there, and go on.
fn check_time(path: &Path, seconds: &[f64], row: &csv::StringRecord, time: usize) -> Result<(), RecordingError> {
    let (last, before) = (seconds[seconds.len() - 1], seconds.len().checked_sub(2).map(|i| seconds[i]));
    let line = row.position().map(csv::Position::line);
    let found = row.get(time).unwrap_or_default();
    if !last.is_finite() {
        let help = "each row needs its time in seconds";
        return Err(RecordingError::new(path, format!("`{TIME}` is `{found}`, not a number"), help).at_line(line));
    }
    if before.is_some_and(|before| last <= before) {
        let help = "rows stand in order of time, each later than the last";
        return Err(RecordingError::new(path, format!("`{TIME}` goes back to {found}"), help).at_line(line));
    }
    Ok(())
}
