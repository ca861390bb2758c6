//! What is reported of a scenario that ran: its summary over the replications, and the run to draw.

use crate::header::{load_and_device, threads_of};
use innosim_core::metrics::{RunOutput, Summary, WarmupEstimate};
use innosim_experiments::recommend::rise_of;
use innosim_experiments::runner::warmup_of;
use innosim_flush_models::registry::{Kind, Settings, Value, lookup};
use innosim_report::numbers::bytes;
use innosim_report::{Replications, Report, ReportError, RunIdentity, summary::summary_object};
use innosim_scenario::Scenario;
use std::time::Duration;

/// Version of the program, as results carry it.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A scenario that ran.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The scenario.
    pub(crate) scenario: Scenario,
    /// Which run it was.
    pub(crate) identity: RunIdentity,
    /// Series of the first replication.
    pub(crate) output: RunOutput,
    /// Means over the replications.
    pub(crate) replications: Replications,
    warmup_converged: bool,
    /// Whether the checkpoint age of a replication was still rising at its end.
    age_rises: bool,
}

/// Whether the setting that bounds background flushing can't be lower.
fn flushing_is_lowest(settings: &Settings) -> bool {
    let names = ["innodb_io_capacity_max", "innodb_io_capacity"];
    let setting = names.into_iter().find_map(|name| lookup(settings.model, name).ok());
    setting.is_some_and(|setting| match (setting.kind, settings.get(setting.name)) {
        (Kind::Integer { min, .. }, Some(Value::Integer(value))) => value <= min,
        _ => false,
    })
}

impl Outcome {
    /// Of the `outputs` of all replications, of which there is at least one; `None` if there is none.
    ///
    /// A warm-up that is detected is detected for each replication by itself; the longest is reported.
    pub(crate) fn of(scenario: Scenario, outputs: Vec<RunOutput>, wall: Duration) -> Option<Outcome> {
        let warmups: Vec<WarmupEstimate> = outputs.iter().map(|output| warmup_of(&scenario, output)).collect();
        let summaries: Vec<Summary> =
            outputs.iter().zip(&warmups).map(|(output, warmup)| Summary::of(output, warmup.seconds)).collect();
        let simulated_s = scenario.run.duration.0 as f64 / 1e9;
        let wall_s = wall.as_secs_f64();
        let identity = RunIdentity {
            innosim_version: VERSION.to_owned(),
            model: scenario.model.name().to_owned(),
            scenario: scenario.name.clone(),
            seed: scenario.run.seed,
            replications: scenario.replications,
            simulated_s,
            warmup_s: warmups.iter().map(|warmup| warmup.seconds).max().unwrap_or(0) as f64,
            wall_s,
            speed: simulated_s * outputs.len() as f64 / wall_s.max(1e-9),
        };
        Some(Outcome {
            replications: Replications::of(&summaries),
            age_rises: outputs.iter().zip(&warmups).any(|(output, warmup)| rise_of(output, warmup.seconds).is_some()),
            warmup_converged: warmups.iter().all(|warmup| warmup.converged),
            output: outputs.into_iter().next()?,
            scenario,
            identity,
        })
    }

    /// Everything a reader wants to know of it.
    pub(crate) fn report(&self) -> Report<'_> {
        Report {
            identity: &self.identity,
            summary: &self.replications.summary,
            output: &self.output,
            replications: self.spread(),
            title: self.scenario.title.clone(),
            settings_line: settings_line(&self.scenario),
            load_and_device: load_and_device(&self.scenario),
            log_fill_s: log_fill_s(&self.scenario, &self.replications.summary),
            io_capacity_max: self.scenario.settings.integer("innodb_io_capacity_max").ok(),
            flushing_is_lowest: flushing_is_lowest(&self.scenario.settings),
            age_rises: self.age_rises,
            warmup_converged: self.warmup_converged,
        }
    }

    /// The spread over the replications, if there are several.
    pub(crate) fn spread(&self) -> Option<&Replications> {
        (self.scenario.replications > 1).then_some(&self.replications)
    }

    /// The text of `summary.json`; its hash is that of the first replication, whose series is shown too.
    pub(crate) fn summary_json(&self) -> Result<String, ReportError> {
        let mut object = summary_object(&self.identity, &self.replications.summary, self.spread())?;
        object.insert("event_hash".to_owned(), format!("{:#018x}", self.output.event_hash).into());
        Ok(serde_json::to_string_pretty(&object)? + "\n")
    }
}

/// What to say of runs that ended before the redo log was full once, with the age or the throughput still on the move.
pub(crate) fn too_short_to_tell(scenario: &Scenario, outputs: &[RunOutput]) -> Option<String> {
    let ran = outputs.iter().map(|output| {
        let warmup = warmup_of(scenario, output);
        let at_rest = warmup.converged && rise_of(output, warmup.seconds).is_none();
        (at_rest, log_fill_s(scenario, &Summary::of(output, warmup.seconds)))
    });
    let ran: Vec<(bool, Option<f64>)> = ran.collect();
    let fill = ran.iter().filter_map(|(_, fill)| *fill).reduce(f64::max)?;
    let simulated_s = scenario.run.duration.0 as f64 / 1e9;
    innosim_report::too_short_to_tell(simulated_s, fill, ran.iter().all(|(at_rest, _)| *at_rest))
}

/// Seconds in which the load fills the redo log; `None` if it makes no redo.
fn log_fill_s(scenario: &Scenario, summary: &Summary) -> Option<f64> {
    let redo = redo_bytes(&scenario.settings)? as f64;
    (summary.redo_bytes_per_s > 0.0).then(|| redo / summary.redo_bytes_per_s)
}

/// Bytes of the redo files.
pub(crate) fn redo_bytes(settings: &Settings) -> Option<u64> {
    let files = || {
        let size = settings.integer("innodb_log_file_size").ok()?;
        Some(size * settings.integer_or("innodb_log_files_in_group", 1).ok()?)
    };
    settings.integer("innodb_redo_log_capacity").ok().or_else(files)
}

/// The settings that matter most, on one line.
pub(crate) fn settings_line(scenario: &Scenario) -> String {
    let settings = &scenario.settings;
    let mut parts = Vec::new();
    for name in ["innodb_io_capacity", "innodb_io_capacity_max"] {
        if let Ok(value) = settings.integer(name) {
            parts.push(format!("{name}={value}"));
        }
    }
    if let Some(redo) = redo_bytes(settings) {
        parts.push(format!("redo {}", bytes(redo as f64)));
    }
    if let Ok(pool) = settings.integer("innodb_buffer_pool_size") {
        let instances = settings.integer_or("innodb_buffer_pool_instances", 1).unwrap_or(1);
        let split = if instances > 1 { format!(" in {instances} instances") } else { String::new() };
        parts.push(format!("pool {}{split}", bytes(pool as f64)));
    }
    parts.push(format!("{} threads", threads_of(scenario)));
    parts.join(", ")
}
