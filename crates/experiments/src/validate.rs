//! `validate`: recordings predicted from a calibration on another recording, beside what was measured.
//!
//! A prediction knows of its recording only what a person knows beforehand: settings, load, tables, device. The
//! workload's numbers come from a different recording of the same server and workload ([`choose`]); a recording that
//! has no such partner is left out and said so, unless it is calibrated on itself by name.
//!
//! Metrics are over the load: from its first second to its last, where the recording has samples, on both sides.
//! `error` = (predicted - observed) / observed, `nrmse` = root mean square error over the samples / observed mean. The
//! regime of both is found by the same rule (`metrics::regime`).

mod latency;
mod observed;
mod overall;
mod predicted;

pub use overall::{MARKS, Mark, Overall};

use crate::calibrate::{Calibration, Device, calibrate, load_of, scenario_toml};
use innosim_core::metrics::{Regime, RunOutput};
use innosim_flush_models::registry::ModelId;
use innosim_recordings::{Column, Purpose, Quantity, Recording};
use innosim_scenario::{Overrides, Scenario, Source, load};
pub(crate) use latency::{latency_metric, latency_of};
use observed::Observed;
use predicted::Predicted;

/// A measured figure and its prediction.
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    /// Name, as in a summary.
    pub name: &'static str,
    /// Measured.
    pub observed: f64,
    /// Predicted.
    pub predicted: f64,
}

impl Metric {
    /// Relative error; `None` where nothing was measured and something predicted.
    pub fn error(&self) -> Option<f64> {
        if self.observed == 0.0 {
            return (self.predicted == 0.0).then_some(0.0);
        }
        Some((self.predicted - self.observed) / self.observed)
    }
}

/// Two series over the load.
#[derive(Debug, Clone, PartialEq)]
pub struct Trajectory {
    /// Name of the series.
    pub name: &'static str,
    /// Seconds since the load began.
    pub seconds: Vec<f64>,
    /// Measured.
    pub observed: Column,
    /// Predicted, at the same seconds.
    pub predicted: Column,
}

impl Trajectory {
    /// Root mean square error / observed mean; `None` without samples.
    pub fn nrmse(&self) -> Option<f64> {
        let level = self.observed.mean()?;
        let square = self.observed.with(&self.predicted, |o, p| (p - o).powi(2)).mean()?;
        (level > 0.0).then(|| square.sqrt() / level)
    }
}

/// A predicted recording.
#[derive(Debug, Clone)]
pub struct Validation {
    /// Name of the recording.
    pub recording: String,
    /// Its model.
    pub model: ModelId,
    /// Recording that the workload's numbers come from.
    pub calibrated_on: String,
    /// Whether throughput was the server's to make.
    pub closed_loop: bool,
    /// Whether the recording that it is calibrated on tells the CPU demand, on which a closed loop depends.
    pub cpu_is_known: bool,
    /// Whether the load changed during the run.
    pub load_changes: bool,
    /// Figures.
    pub metrics: Vec<Metric>,
    /// Series.
    pub trajectories: Vec<Trajectory>,
    /// Measured and predicted regime.
    pub regime: (Regime, Regime),
    /// Whether sync flushing was seen (if the server counts it) and predicted.
    pub sync_flushing: (Option<bool>, bool),
}

impl Validation {
    /// What was measured, in the form of the run that predicts it.
    pub fn observed_run(&self, predicted: &RunOutput) -> RunOutput {
        observed::as_run(&self.trajectories, predicted)
    }
}

/// A prediction to be made.
#[derive(Debug)]
pub struct Task<'a> {
    /// What is predicted.
    pub recording: &'a Recording,
    /// Where the workload's numbers come from.
    pub calibrated_on: String,
    /// Whether that tells the CPU demand.
    pub cpu_is_known: bool,
    /// The scenario.
    pub scenario: Scenario,
}

/// The predictions that can be made, and why others can't.
pub fn tasks<'a>(
    recordings: &'a [Recording],
    calibrate_on: Option<&Recording>,
    device: &Device,
    overrides: &Overrides,
) -> (Vec<Task<'a>>, Vec<String>) {
    let mut tasks = Vec::new();
    let mut left_out = Vec::new();
    for recording in recordings {
        match task(recording, recordings, calibrate_on, device, overrides) {
            Ok(task) => tasks.push(task),
            Err(why) => left_out.push(why),
        }
    }
    (tasks, left_out)
}

fn task<'a>(
    recording: &'a Recording,
    all: &[Recording],
    calibrate_on: Option<&Recording>,
    device: &Device,
    overrides: &Overrides,
) -> Result<Task<'a>, String> {
    recording.check(Purpose::Validate)?;
    recording.model()?;
    let (kind, _) = load_of(recording)?;
    let source = match calibrate_on {
        Some(source) => source,
        None => choose(recording, all).ok_or_else(|| {
            format!(
                "{}: no other recording of {} ran {kind}, so there is nothing to calibrate on\n  = help: --calibrate-on \
                 RECORDING names one; its own path tests the mechanisms alone",
                recording.name, recording.server.product
            )
        })?,
    };
    let calibration: Calibration = calibrate(source)?;
    let text = scenario_toml(recording, &calibration, device)?;
    let scenario = load(Source::Text { name: &recording.name, text: &text }, overrides)
        .map_err(|problems| format!("{}: {problems}", recording.name))?;
    let cpu_is_known = calibration.cpu_is_known;
    Ok(Task { recording, calibrated_on: source.name.clone(), cpu_is_known, scenario })
}

/// The recording to calibrate on: another one of the same server and workload; the same kind of drive and the same
/// device if there is one, then one that tells the CPU demand, then the one whose redo a transaction is best
/// determined, then the first by name.
pub fn choose<'a>(recording: &Recording, all: &'a [Recording]) -> Option<&'a Recording> {
    let workload = load_of(recording).ok()?;
    // What the recorder called it matters only where no model tells.
    let same_server = |other: &Recording| match (other.server.model, recording.server.model) {
        (Some(other), Some(own)) => other == own,
        (None, None) => other.server.product == recording.server.product,
        _ => false,
    };
    let fits = |other: &&Recording| {
        !is_same_run(other, recording)
            && same_server(other)
            && load_of(other).is_ok_and(|(kind, phase)| {
                kind == workload.0 && phase.tables == workload.1.tables && phase.table_size == workload.1.table_size
            })
    };
    let distance = |other: &Recording| {
        u8::from(other.closed_loop() != recording.closed_loop()) + u8::from(other.cap != recording.cap)
    };
    let candidates = all.iter().filter(fits).map(|other| {
        let (no_cpu, spread) = what_is_unknown(other);
        ((distance(other), no_cpu), spread, other)
    });
    let best = candidates.min_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.name.cmp(&b.2.name)));
    best.map(|(_, _, other)| other)
}

/// Whether two recordings are one, under whatever paths: a run's log sequence numbers are its own.
fn is_same_run(a: &Recording, b: &Recording) -> bool {
    let numbers = |recording: &Recording| {
        let lsn = recording.get(Quantity::Lsn).unwrap_or_default();
        lsn.samples().map(|lsn| lsn.map(f64::to_bits)).collect::<Vec<Option<u64>>>()
    };
    a.path == b.path || a.series.seconds == b.series.seconds && numbers(a) == numbers(b)
}

/// Whether a recording leaves the CPU demand open, and the uncertainty of the redo of a transaction, relative: large
/// where the workload drifts.
fn what_is_unknown(recording: &Recording) -> (bool, f64) {
    let Ok(calibration) = calibrate(recording) else { return (true, f64::INFINITY) };
    let redo = calibration.parameters.first();
    let spread = redo.and_then(|redo| Some(redo.uncertainty? / redo.value)).unwrap_or(f64::INFINITY);
    (!calibration.cpu_is_known, spread)
}

/// Compares a finished run with its recording; the error is a sentence.
pub fn compare(task: &Task<'_>, output: &RunOutput) -> Result<Validation, String> {
    let recording = task.recording;
    let observed = Observed::of(recording).map_err(|missing| missing.to_string())?;
    let predicted = Predicted::of(&observed, output);
    let metrics = observed
        .metrics()
        .into_iter()
        .filter_map(|(name, observed)| Some(Metric { name, observed, predicted: predicted.value(name)? }))
        .collect();
    let sync_start = output.age_limits.sync_flush_start_bytes as f64;
    Ok(Validation {
        recording: recording.name.clone(),
        model: task.scenario.model,
        calibrated_on: task.calibrated_on.clone(),
        closed_loop: recording.closed_loop(),
        cpu_is_known: task.cpu_is_known,
        load_changes: recording.phases.len() > 1,
        metrics,
        trajectories: trajectories(&observed, predicted.series()),
        regime: (observed.regime(sync_start), predicted.regime()),
        sync_flushing: (observed.sync_flushing(), predicted.sync_flushing()),
    })
}

fn trajectories(observed: &Observed, predicted: &Observed) -> Vec<Trajectory> {
    let one = |name, observed_values: &Column, predicted: &Column| Trajectory {
        name,
        seconds: observed.seconds.clone(),
        observed: observed_values.clone(),
        predicted: predicted.clone(),
    };
    vec![
        one("checkpoint_age", &observed.age, &predicted.age),
        one("pages_flushed_per_s", &observed.flushed, &predicted.flushed),
        one("dirty_pages", &observed.dirty, &predicted.dirty),
        one("tps", &observed.tps, &predicted.tps),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_and_nrmse_by_hand() {
        let metric = Metric { name: "x", observed: 200.0, predicted: 190.0 };
        assert_eq!(metric.error(), Some(-0.05));
        assert_eq!(Metric { observed: 0.0, ..metric.clone() }.error(), None);
        let trajectory = Trajectory {
            name: "x",
            seconds: vec![1.0, 2.0, 3.0],
            observed: Column::from(vec![10.0, f64::NAN, 30.0]),
            predicted: Column::from(vec![13.0, 0.0, 26.0]),
        };
        assert_eq!(trajectory.nrmse(), Some((12.5_f64).sqrt() / 20.0));
    }
}
