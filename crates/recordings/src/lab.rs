//! The layout of our own recorder: a folder with `series.csv.gz` (a row a second) and `run.json` (settings, load,
//! notes).
//!
//! Columns are read as they come, whatever the version. Only the time axis `rel` is indispensable; an empty field is a
//! gap. `run.json` names counters that stayed 0 and have no column (`zero_columns`). The recorder makes new redo files
//! before each run; `new_redo` says if one did not. What the two files lack is looked for in the others of the folder
//! ([`complement`]).

mod complement;
mod files;

pub(crate) use complement::complement;

use crate::assemble::product_of;
use crate::{Cap, Data, LoadPhase, Recording, RecordingError, Series, Server};
use files::{Files, read_text};
use innosim_flush_models::registry::ServerVersion;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What was run.
const RUN: &str = "run.json";
/// Seconds on the axis of the load.
const TIME: &str = "rel";

/// Whether `folder` claims to be a recording.
pub(crate) fn is_lab(folder: &Path) -> bool {
    Files::of(folder).is_some()
}

/// Whether a file is one of the two that make its folder a recording.
pub(crate) fn is_of_lab(path: &Path) -> bool {
    path.parent().and_then(Files::of).is_some_and(|files| files.holds(path))
}

/// Whether a file of a folder that is a recording stands beside the two that make it one.
pub(crate) fn is_beside(folder: &Path, path: &Path) -> bool {
    Files::of(folder).is_some_and(|files| !files.holds(path))
}

/// Reads the recording in `folder`.
pub fn read_lab(folder: &Path) -> Result<Recording, RecordingError> {
    let Some(files) = Files::of(folder) else {
        let help = "a recording is a folder with series.csv.gz and run.json";
        return Err(RecordingError::new(folder, "there is no recording here", help));
    };
    let path = &files.run;
    let run: Value = serde_json::from_str(&read_text(path)?).map_err(|error| {
        RecordingError::new(path, format!("is not JSON: {error}"), "copy the file again")
            .at_line(Some(error.line() as u64))
    })?;
    let variables = variables(&run);
    let server = server(path, &run, &variables)?;
    let series = read_series(&files.series, &run)?;
    let (phases, mut remarks) = phases(&run, &series);
    if !run["cap"].is_object() {
        remarks.push(format!("{RUN} has no `cap`: the device is taken to have had none"));
    }
    Ok(Recording {
        name: name_of(folder),
        path: folder.to_owned(),
        server,
        variables,
        series,
        phases,
        cap: cap(&run),
        tps_is_of_steps: false,
        data: Data {
            clustered_pages: run["data_pages_clustered"].as_u64(),
            secondary_pages: run["data_pages_secondary"].as_u64(),
        },
        cpus: run["cpus"].as_u64().and_then(|cpus| u32::try_from(cpus).ok()),
        rotational: run["rotational"].as_bool().or_else(|| run["rotational"].as_u64().map(|flag| flag != 0)),
        file_system: None,
        page_ages: None,
        disk: None,
        slow_loops: Vec::new(),
        clean_start: run["clean_start"].as_bool(),
        new_redo: run["new_redo"].as_bool().unwrap_or(true),
        notes: text_at(&run, "notes").filter(|note| !note.is_empty()).into_iter().collect(),
        remarks,
        fio: Vec::new(),
    })
}

/// The server, by what the recorder called it or else by what it said of itself.
fn server(path: &Path, run: &Value, variables: &BTreeMap<String, String>) -> Result<Server, RecordingError> {
    let Some(version) = text_at(run, "version").or_else(|| variables.get("version").cloned()) else {
        let help =
            format!("{RUN} holds at least \"version\", what SELECT VERSION() says, which tells the server's model");
        return Err(RecordingError::new(path, "has no text `version`", help));
    };
    let comment = text_at(run, "version_comment").or_else(|| variables.get("version_comment").cloned());
    let comment = comment.unwrap_or_default();
    let own = product_of(&version, &comment);
    // A fork that says so is one, whatever the machine is called.
    let product = text_at(run, "server").filter(|called| own == "mysql" || called.contains(own));
    let product = product.as_deref().unwrap_or(own);
    let said = ServerVersion::of_product(product, &version, &comment);
    Ok(Server::new(product, &version, Some(&said)))
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

/// Settings as texts; a recorder of another make may have written them as numbers.
fn variables(run: &Value) -> BTreeMap<String, String> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(on) => Some(if *on { "ON" } else { "OFF" }.to_owned()),
        _ => None,
    };
    let entries = run["variables"].as_object().into_iter().flatten();
    entries.filter_map(|(name, value)| Some((name.to_ascii_lowercase(), text(value)?))).collect()
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

/// The load generators, and remarks on those that are not understood. The axis begins with the first of them; when
/// another one began must be said, since a load without it is another load.
fn phases(run: &Value, series: &Series) -> (Vec<LoadPhase>, Vec<String>) {
    let commands = run["sysbench"].as_array().map_or(&[][..], Vec::as_slice);
    let at = |key: &str, i: usize| run[key][i].as_f64();
    let mut phases = Vec::new();
    let mut remarks = Vec::new();
    for (i, command) in commands.iter().enumerate() {
        let command = command.as_str().unwrap_or_default();
        let Some(start) = at("sysbench_start_rel", i).or((commands.len() == 1).then_some(0.0)) else {
            remarks.push(format!("{RUN} does not say when load generator {} began (`sysbench_start_rel`)", i + 1));
            return (Vec::new(), remarks);
        };
        match LoadPhase::parse(command, start, start) {
            Ok(phase) => {
                let end = at("sysbench_end_rel", i).unwrap_or_else(|| end_of(&phase, series));
                phases.push(LoadPhase { end_s: end, ..phase });
            }
            Err(_) => remarks.push(format!("load generator {} is not understood: {command}", i + 1)),
        }
    }
    phases.sort_by(|a, b| a.start_s.total_cmp(&b.start_s));
    (phases, remarks)
}

/// When a load ended whose end was not written down: after its `--time`, or else with its last report.
fn end_of(phase: &LoadPhase, series: &Series) -> f64 {
    let last_report = || {
        let tps = series.column("sb.tps")?;
        Some(tps.timed(&series.seconds).next_back()?.0)
    };
    let stated = phase.seconds.map(|seconds| phase.start_s + seconds);
    stated.or_else(last_report).or(series.seconds.last().copied()).unwrap_or(phase.start_s)
}

fn read_series(path: &Path, run: &Value) -> Result<Series, RecordingError> {
    let broken = |problem: String| RecordingError::new(path, problem, "copy the file again, or record again");
    let text = read_text(path)?;
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
    Ok(Series { seconds, columns: each_once(path, names, columns)?, zero })
}

/// Columns by name; one that stands there twice must hold the same both times.
fn each_once(
    path: &Path,
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
) -> Result<BTreeMap<String, Vec<f64>>, RecordingError> {
    let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<u64>>();
    let mut by_name: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (name, column) in names.into_iter().zip(columns) {
        if by_name.get(&name).is_some_and(|other| bits(other) != bits(&column)) {
            let help = "leave one of them";
            let problem = format!("has two columns `{name}` that hold different values");
            return Err(RecordingError::new(path, problem, help).at_line(Some(1)));
        }
        by_name.insert(name, column);
    }
    Ok(by_name)
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
