//! `innosim calibrate`: from a recording to a scenario.

mod benchmark;

use crate::args::CalibrateArgs;
use crate::commands::replay::{recordings_in, remark_settings};
use crate::exit::{Done, Failure};
use crate::output::note;
use crate::show::show;
use crate::text_table::TextTable;
use innosim_experiments::calibrate::{Calibration, Device, Parameter, calibrate, scenario_toml};
use innosim_recordings::Recording;
use innosim_report::numbers::count;
use innosim_report::write_file;
use innosim_scenario::{Overrides, Source, load, profile_names};
use serde_json::{Value, json};
use std::path::Path;

/// Calibrates on one recording, or on the runs of a benchmark.
pub(crate) fn run(args: &CalibrateArgs) -> Done {
    for path in &args.recordings {
        super::explain::refuse_option_file(path)?;
    }
    let quiet = args.common.quiet;
    let mut recordings = recordings_in(&args.recordings, args.servers.model.as_deref(), quiet)?;
    remark_settings(&recordings, quiet);
    if args.out.is_none() {
        let help = "add -o my-server.toml: the scenario is written there";
        return Err(Failure::Input(format!("nothing says where the scenario goes\n  = help: {help}")));
    }
    if let Some(workload) = &args.workload {
        for phase in recordings.iter_mut().flat_map(|recording| &mut recording.phases) {
            phase.take_workload(workload).map_err(Failure::Input)?;
        }
    }
    let device = device_named(args.device.as_deref())?;
    if let [recording] = &recordings[..]
        && !benchmark::is_one(recording)
    {
        let calibration = calibrate(recording).map_err(Failure::Input)?;
        let text = scenario_toml(recording, &calibration, &device).map_err(Failure::Input)?;
        write_scenario(args, &recording.name, &text)?;
        return show(args.form.format, &document(&calibration), &table(&calibration));
    }
    benchmark::run(args, &recordings, &device)
}

/// Leaves the scenario, which must run.
fn write_scenario(args: &CalibrateArgs, name: &str, text: &str) -> Done {
    load(Source::Text { name, text }, &Overrides::default())?;
    let Some(out) = &args.out else { return Ok(()) };
    write_file(out, text.as_bytes())?;
    if !args.common.quiet {
        note(&format!("In {}: a scenario that `innosim run` takes", out.display()));
    }
    Ok(())
}

/// The recording at a path that must hold one.
pub(crate) fn the_one(path: &Path, model: Option<&str>, quiet: bool) -> Result<Recording, Failure> {
    let mut recordings = recordings_in(&[path.to_owned()], model, quiet)?;
    remark_settings(&recordings, quiet);
    match (recordings.pop(), recordings.is_empty()) {
        (Some(recording), true) => Ok(recording),
        _ => {
            let help = "name one of the folders in it";
            Err(Failure::Input(format!("{}: holds more than one recording\n  = help: {help}", path.display())))
        }
    }
}

/// The device that `--device` names: a file, or a shipped profile.
pub(crate) fn device_named(name: Option<&str>) -> Result<Device, Failure> {
    let Some(name) = name else { return Ok(Device::default()) };
    let path = Path::new(name);
    if !path.exists() {
        let profiles = profile_names();
        if profiles.contains(&name) {
            return Ok(Device::Profile(name.to_owned()));
        }
        let known = profiles.join(", ");
        let help = "name a profile, or a file as `innosim device FIO.json... -o FILE` writes it";
        return Err(Failure::Input(format!(
            "--device {name}: there is no such profile or file\n  = allowed: {known}\n  = help: {help}"
        )));
    }
    let refuse = |why: String| {
        let help = "`innosim device FIO.json... -o FILE` fits a device to fio's output and writes such a file";
        Failure::Input(format!("{name}: {why}\n  = help: {help}"))
    };
    let text = std::fs::read_to_string(path).map_err(|error| refuse(format!("can't be read: {error}")))?;
    Device::from_toml(&text).map_err(refuse)
}

fn table(calibration: &Calibration) -> String {
    let mut text = format!("{}: {}\n", calibration.recording, calibration.kind);
    let mut table = TextTable::new(&["parameter", ">value", ">+-", "unit", "from"]);
    for parameter in parameters(calibration).chain(&calibration.observed) {
        let digits = if parameter.value < 10.0 { 2 } else { 1 };
        let half = parameter.uncertainty.map_or_else(String::new, |half| format!("{half:.digits$}"));
        let value = format!("{:.digits$}", parameter.value);
        table.row(vec![parameter.name.into(), value, half, parameter.unit.into(), parameter.method.clone()]);
    }
    text.push_str(&table.render());
    if !calibration.working_set.is_empty() {
        text.push_str("\nWrite working set, measured from the clean start:\n");
        let mut table = TextTable::new(&[">redo MB", ">distinct pages"]);
        for window in &calibration.working_set {
            table.row(vec![count(window.redo_bytes / 1e6), count(window.pages)]);
        }
        text.push_str(&table.render());
    }
    for what in &calibration.undetermined {
        text.push_str(&format!("\nNot determined: {what}\n"));
    }
    text
}

/// What goes into the scenario.
fn parameters(calibration: &Calibration) -> impl Iterator<Item = &Parameter> {
    calibration.parameters.iter().chain(&calibration.sync_operations).chain(&calibration.crowding)
}

fn document(calibration: &Calibration) -> Value {
    let parameter = |parameter: &Parameter| {
        json!({
            "name": parameter.name,
            "value": parameter.value,
            "ci95": parameter.uncertainty,
            "unit": parameter.unit,
            "method": parameter.method,
        })
    };
    json!({
        "innosim_version": env!("CARGO_PKG_VERSION"),
        "recording": calibration.recording,
        "workload": calibration.kind,
        "parameters": parameters(calibration).map(parameter).collect::<Vec<_>>(),
        "observed": calibration.observed.iter().map(parameter).collect::<Vec<_>>(),
        "working_set": calibration
            .working_set
            .iter()
            .map(|window| json!({ "redo_bytes": window.redo_bytes, "distinct_pages": window.pages }))
            .collect::<Vec<_>>(),
        "undetermined": calibration.undetermined,
    })
}
