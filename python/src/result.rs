//! What came of a run: its summary, and its series as arrays.

use crate::error::refused;
use innosim_core::metrics::{RunOutput, Summary, WarmupEstimate};
use innosim_experiments::runner::warmup_of;
use innosim_report::summary::summary_object;
use innosim_report::{Replications, RunIdentity, SeriesColumn, series_columns};
use innosim_scenario::Scenario;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::time::Duration;

/// Version of the package, which is that of the program.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What came of a scenario and its replications.
#[pyclass(frozen, module = "innosim._innosim")]
#[derive(Debug)]
pub(crate) struct Ran {
    /// The text of `summary.json`.
    #[pyo3(get)]
    summary_json: String,
    /// The scenario with everything written out.
    #[pyo3(get)]
    resolved_toml: String,
    /// Hash of the events of each replication.
    #[pyo3(get)]
    event_hashes: Vec<u64>,
    outputs: Vec<RunOutput>,
}

/// Which runs they were; `warmup_s` is what their figures leave out.
pub(crate) fn identity(scenario: &Scenario, outputs: &[RunOutput], warmup_s: u64, wall: Duration) -> RunIdentity {
    let simulated_s = scenario.run.duration.0 as f64 / 1e9;
    RunIdentity {
        innosim_version: VERSION.to_owned(),
        model: scenario.model.name().to_owned(),
        scenario: scenario.name.clone(),
        seed: scenario.run.seed,
        replications: scenario.replications,
        simulated_s,
        warmup_s: warmup_s as f64,
        wall_s: wall.as_secs_f64(),
        speed: simulated_s * outputs.len() as f64 / wall.as_secs_f64().max(1e-9),
    }
}

impl Ran {
    /// Of the outputs of all replications.
    pub(crate) fn of(scenario: &Scenario, outputs: Vec<RunOutput>, wall: Duration) -> PyResult<Ran> {
        let warmups: Vec<WarmupEstimate> = outputs.iter().map(|output| warmup_of(scenario, output)).collect();
        let summaries: Vec<Summary> =
            outputs.iter().zip(&warmups).map(|(output, warmup)| Summary::of(output, warmup.seconds)).collect();
        let replications = Replications::of(&summaries);
        let warmup_s = warmups.iter().map(|warmup| warmup.seconds).max().unwrap_or(0);
        let identity = identity(scenario, &outputs, warmup_s, wall);
        let spread = (outputs.len() > 1).then_some(&replications);
        let mut object = summary_object(&identity, &replications.summary, spread).map_err(refused)?;
        if let Some(first) = outputs.first() {
            object.insert("event_hash".to_owned(), format!("{:#018x}", first.event_hash).into());
        }
        Ok(Ran {
            summary_json: serde_json::to_string(&object).map_err(refused)?,
            resolved_toml: scenario.to_resolved_toml(VERSION),
            event_hashes: outputs.iter().map(|output| output.event_hash).collect(),
            outputs,
        })
    }

    fn output(&self, replication: usize) -> PyResult<&RunOutput> {
        self.outputs.get(replication).ok_or_else(|| {
            let last = self.outputs.len().saturating_sub(1);
            refused(format!("there is no replication {replication}; they are numbered from 0 to {last}"))
        })
    }
}

#[pymethods]
impl Ran {
    /// The series of a replication: an array for each column of `series.csv`. The arrays own what they hold.
    fn series<'py>(&self, py: Python<'py>, replication: usize) -> PyResult<Bound<'py, PyDict>> {
        let series = PyDict::new(py);
        for (name, column) in series_columns(self.output(replication)?) {
            match column {
                SeriesColumn::Whole(values) => series.set_item(name, PyArray1::from_vec(py, values))?,
                SeriesColumn::Real(values) => series.set_item(name, PyArray1::from_vec(py, values))?,
            }
        }
        Ok(series)
    }

    /// Hash of all that a replication leaves (its events, every second, its summary), as the pinned runs of the program have it.
    fn digest(&self, replication: usize) -> PyResult<u64> {
        innosim_same_bytes::hash_of(self.output(replication)?).map_err(refused)
    }

    /// Number of replications.
    fn __len__(&self) -> usize {
        self.outputs.len()
    }
}
