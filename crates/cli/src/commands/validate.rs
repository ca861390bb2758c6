//! `innosim validate`: recordings predicted from others, beside what was measured.

mod intervals;
mod picture;
mod tiers;

pub(super) use picture::overlay;

use crate::args::{Format, ValidateArgs};
use crate::commands::calibrate::{device_named, the_one};
use crate::commands::replay::{recordings_in, remark_settings};
use crate::exit::{Done, Failure};
use crate::interrupt::{self, UntilAsked};
use crate::out_dir::{OutDir, fill};
use crate::outcome::VERSION;
use crate::output::{note, print, print_json, wrapped};
use crate::runner::pool;
use crate::text_table::TextTable;
use innosim_core::metrics::RunOutput;
use innosim_experiments::advise::{Prepared, prepare};
use innosim_experiments::runner::{Job, run_many};
use innosim_experiments::validate::{Metric, Overall, Task, Trajectory, Validation, compare, tasks};
use innosim_recordings::Column;
use innosim_report::numbers::{bytes, count};
use innosim_report::{ReportError, write_file, write_json};
use innosim_scenario::{Overrides, Scenario};
use intervals::Intervals;
use serde_json::{Map, Value, json};
use std::path::Path;

/// What is left last: where it is, the rest is there too.
const LAST: &str = "validate.json";

/// Predicts recordings.
pub(crate) fn run(args: &ValidateArgs) -> Done {
    if args.tiers {
        return tiers::run(args);
    }
    let recordings = recordings_in(&args.recordings, args.servers.model.as_deref(), args.common.quiet)?;
    remark_settings(&recordings, args.common.quiet);
    let source = args.calibrate_on.as_deref();
    let source = source.map(|path| the_one(path, args.servers.model.as_deref(), args.common.quiet)).transpose()?;
    let device = device_named(args.device.as_deref())?;
    let overrides = Overrides { seed: args.common.seed, ..Overrides::default() };
    let (prepared, unprepared) = match args.unknown_load {
        true => prepare(&recordings, source.as_ref(), &device, &overrides),
        false => (Vec::new(), Vec::new()),
    };
    let (tasks, mut left_out) = match args.unknown_load {
        true => (prepared.iter().map(Prepared::task).collect(), unprepared),
        false => tasks(&recordings, source.as_ref(), &device, &overrides),
    };
    if tasks.is_empty() {
        return Err(Failure::Input(left_out.join("\n")));
    }
    let out = args.out.as_deref().map(OutDir::prepare).transpose()?;
    interrupt::listen();
    let (mut validations, mut outputs, mut scenarios) = (Vec::new(), Vec::new(), Vec::new());
    for (result, task) in predictions(&tasks, args)?.into_iter().zip(&tasks) {
        match result {
            Ok((validation, output)) => {
                validations.push(validation);
                outputs.push(output);
                scenarios.push(&task.scenario);
            }
            Err(_) if interrupt::asked() => return Err(Failure::Interrupted),
            Err(why) => left_out.push(why),
        }
    }
    if !args.common.quiet {
        left_out.iter().for_each(|why| note(&format!("left out: {why}")));
    }
    let overall = Overall::of(&validations);
    let intervals = args.intervals.then(|| Intervals::of(&recordings, &validations));
    let mut document = document(&validations, &overall, &left_out);
    if let (Some(intervals), Value::Object(document)) = (&intervals, &mut document) {
        document.insert("intervals".to_owned(), intervals.json());
    }
    if let Some(out) = &out {
        fill(out.path(), LAST, |dir| {
            picture::write(dir, &validations, &outputs)?;
            write_files(dir, &validations, &scenarios, &document)
        })?;
    }
    match args.form.format {
        Format::Json => print_json(&document),
        Format::Human => {
            print(&tables(&validations, &overall))?;
            intervals.map_or(Ok(()), |intervals| print(&intervals.tables()))
        }
    }
}

/// A prediction beside its recording, and the run that it is.
type Prediction = (Validation, RunOutput);

fn predictions(tasks: &[Task<'_>], args: &ValidateArgs) -> Result<Vec<Result<Prediction, String>>, Failure> {
    let jobs: Vec<Job<'_>> = tasks.iter().map(|task| Job { scenario: &task.scenario, replication: 0 }).collect();
    let outputs = pool(args.common.jobs)?.install(|| run_many(&jobs, false, &UntilAsked, |_, output| output));
    let compared = outputs.into_iter().zip(tasks).map(|(output, task)| {
        let output = output.map_err(|error| format!("{}: {error}", task.recording.name))?;
        Ok((compare(task, &output)?, output))
    });
    Ok(compared.collect())
}

/// `validate.json`, and for each recording its trajectories as CSV and the scenario that was run.
fn write_files(
    folder: &Path,
    validations: &[Validation],
    scenarios: &[&Scenario],
    document: &Value,
) -> Result<(), ReportError> {
    for (validation, scenario) in validations.iter().zip(scenarios) {
        let file = |extension: &str| folder.join(format!("{}.{extension}", stem(validation)));
        write_file(&file("csv"), csv(&validation.trajectories).as_bytes())?;
        write_file(&file("toml"), scenario.to_resolved_toml(VERSION).as_bytes())?;
    }
    write_json(&folder.join(LAST), document)
}

/// Name of a recording's files, without what follows the point.
fn stem(validation: &Validation) -> String {
    // A whole path would begin with a dash, or hide the file.
    validation.recording.replace(['/', '\\'], "-").trim_start_matches(['-', '.']).to_owned()
}

/// Trajectories, a row a sample.
pub(super) fn csv(trajectories: &[Trajectory]) -> String {
    let mut text = String::from("second");
    for trajectory in trajectories {
        text.push_str(&format!(",{0}_observed,{0}_predicted", trajectory.name));
    }
    text.push('\n');
    let seconds = trajectories.first().map_or(&[][..], |trajectory| &trajectory.seconds);
    for (i, second) in seconds.iter().enumerate() {
        text.push_str(&second.to_string());
        for trajectory in trajectories {
            let text_of = |column: &Column| column.at(i).map_or_else(String::new, |value| value.to_string());
            text.push_str(&format!(",{},{}", text_of(&trajectory.observed), text_of(&trajectory.predicted)));
        }
        text.push('\n');
    }
    text
}

fn tables(validations: &[Validation], overall: &Overall) -> String {
    let mut text = String::new();
    for validation in validations {
        text.push_str(&format!(
            "{} on {}, calibrated on {}\n",
            validation.recording, validation.model, validation.calibrated_on
        ));
        let mut table = TextTable::new(&["metric", ">observed", ">predicted", ">error"]);
        for metric in &validation.metrics {
            let [observed, predicted] = [metric.observed, metric.predicted].map(|value| number(metric.name, value));
            table.row(vec![metric.name.into(), observed, predicted, error_text(metric)]);
        }
        text.push_str(&table.render());
        let errors: Vec<String> = validation
            .trajectories
            .iter()
            .filter_map(|trajectory| Some(format!("{} {:.1} %", trajectory.name, 100.0 * trajectory.nrmse()?)))
            .collect();
        text.push_str(&format!("  nrmse: {}\n", errors.join(", ")));
        let (observed, predicted) = validation.regime;
        text.push_str(&format!("  regime: {observed}, predicted {predicted}\n"));
        if validation.closed_loop && !validation.cpu_is_known {
            let caveat = format!(
                "{} does not tell the CPU demand, on which the throughput of a closed loop depends; `innosim calibrate` \
                 says why and what to record",
                validation.calibrated_on
            );
            text.push_str(&wrapped(&caveat, 2));
        }
        text.push('\n');
    }
    text.push_str("Errors of all, and nrmse of the checkpoint age:\n");
    text.push_str(&errors_of_all(validations));
    let recordings = if overall.recordings == 1 { "recording" } else { "recordings" };
    text.push_str(&format!("\nOver {} {recordings}:\n", overall.recordings));
    let mut table = TextTable::new(&["median absolute error, or share", ">reached", ">mark", ""]);
    for (mark, reached) in &overall.reached {
        let limit = format!("{} {:.0} %", if mark.at_most { "<=" } else { ">=" }, 100.0 * mark.limit);
        let (figure, verdict) = match reached {
            Some(figure) => (format!("{:.1} %", 100.0 * figure), if mark.met(*figure) { "met" } else { "missed" }),
            None => ("-".to_owned(), ""),
        };
        table.row(vec![mark.name.into(), figure, limit, verdict.into()]);
    }
    text.push_str(&table.render());
    text
}

/// A row a recording.
fn errors_of_all(validations: &[Validation]) -> String {
    let mut table =
        TextTable::new(&["recording", ">tps", ">age", ">flushed", ">dirty", ">redo", ">nrmse", "regime", "predicted"]);
    for validation in validations {
        let error =
            |name: &str| validation.metrics.iter().find(|m| m.name == name).map_or_else(String::new, error_text);
        let names =
            ["tps_mean", "checkpoint_age_mean", "pages_flushed_per_s_mean", "dirty_pages_mean", "redo_bytes_per_s"];
        let mut row = vec![validation.recording.clone()];
        row.extend(names.map(error));
        let nrmse = validation.trajectories.first().and_then(Trajectory::nrmse);
        row.push(nrmse.map_or_else(String::new, |nrmse| format!("{:.1} %", 100.0 * nrmse)));
        row.extend([validation.regime.0, validation.regime.1].map(|regime| regime.name().to_owned()));
        table.row(row);
    }
    table.render()
}

/// A figure with the unit that its name tells.
fn number(name: &str, value: f64) -> String {
    if name.starts_with("checkpoint_age") || name.starts_with("redo_bytes") { bytes(value) } else { count(value) }
}

/// An error in percent.
pub(super) fn error_text(metric: &Metric) -> String {
    metric.error().map_or_else(|| "-".to_owned(), |error| format!("{:+.1} %", 100.0 * error))
}

fn document(validations: &[Validation], overall: &Overall, left_out: &[String]) -> Value {
    let reached: Map<String, Value> = overall
        .reached
        .iter()
        .map(|(mark, figure)| {
            let met = figure.map(|figure| mark.met(figure));
            (mark.name.to_owned(), json!({ "reached": figure, "mark": mark.limit, "met": met }))
        })
        .collect();
    json!({
        "innosim_version": env!("CARGO_PKG_VERSION"),
        "recordings": validations.iter().map(of_validation).collect::<Vec<_>>(),
        "overall": { "recordings": overall.recordings, "median_absolute_error_or_share": reached },
        "left_out": left_out,
    })
}

fn of_validation(validation: &Validation) -> Value {
    let metrics: Map<String, Value> = validation
        .metrics
        .iter()
        .map(|metric| {
            let value = json!({ "observed": metric.observed, "predicted": metric.predicted, "error": metric.error() });
            (metric.name.to_owned(), value)
        })
        .collect();
    let trajectories: Map<String, Value> = validation
        .trajectories
        .iter()
        .map(|trajectory| (trajectory.name.to_owned(), json!({ "nrmse": trajectory.nrmse() })))
        .collect();
    json!({
        "name": validation.recording,
        "model": validation.model.name(),
        "calibrated_on": validation.calibrated_on,
        "closed_loop": validation.closed_loop,
        "cpu_demand_known": validation.cpu_is_known,
        "load_changes": validation.load_changes,
        "metrics": metrics,
        "trajectories": trajectories,
        "regime": { "observed": validation.regime.0.name(), "predicted": validation.regime.1.name() },
        "sync_flushing": { "observed": validation.sync_flushing.0, "predicted": validation.sync_flushing.1 },
    })
}
