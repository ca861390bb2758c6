//! Comparisons and sweeps: many runs, as documents and rows under the names of `compare.json` and `runs.csv`.

use crate::Common;
use crate::case::{Case, Given};
use crate::error::{refused, warn};
use crate::result::{Ran, VERSION, identity};
use crate::simulate::{Ended, Signals, all, one};
use innosim_core::metrics::{RunOutput, Summary};
use innosim_core::server::Observer;
use innosim_experiments::compare::{Comparison, Variant, VariantFigures};
use innosim_experiments::runner::warmup_of;
use innosim_experiments::sweep::{Prepared, Request, RunId};
use innosim_report::{Replications, summary::summary_object};
use innosim_scenario::{Overrides, Scenario};
use pyo3::prelude::*;
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

/// A variant of a comparison: label, model, settings, rule.
type Asked<'py> = (String, Option<String>, Vec<String>, Option<Bound<'py, PyAny>>);

/// A document, what came of each variant, and an error.
type Compared = (Option<String>, Vec<Option<Ran>>, Option<PyErr>);

/// The document of a comparison if all its runs came to their end, what came of each variant that did, and the first error.
#[pyfunction]
pub(crate) fn compare(
    py: Python<'_>,
    scenario: &str,
    asked: Vec<Asked<'_>>,
    common: Common,
    jobs: Option<usize>,
) -> PyResult<Compared> {
    let (duration, seed, replications) = common;
    let (mut variants, mut cases) = (Vec::new(), Vec::new());
    for (label, model, set, rule) in asked {
        let overrides = Overrides {
            model,
            set: set.clone(),
            duration: duration.clone(),
            seed,
            replications,
            ..Overrides::default()
        };
        let case = Given::of(rule.as_ref()).and_then(|given| Case::load(py, scenario, overrides, &given));
        let case = case.map_err(|error| refused(format!("variant `{label}`: {}", error.value(py))))?;
        variants.push(Variant { label, set, scenario: case.scenario.clone(), notes: Vec::new() });
        cases.push(case);
    }
    let began = Instant::now();
    let (outputs, error) = kept(all(py, &cases, false, jobs)?);
    let wall = began.elapsed();
    let document = match &error {
        None => Some(document(&variants, &outputs, wall)?),
        Some(_) => None,
    };
    let ran = cases.iter().zip(outputs).map(|(case, outputs)| {
        let whole = outputs.len() == case.scenario.replications as usize;
        whole.then(|| Ran::of(&case.scenario, outputs, wall)).transpose()
    });
    Ok((document, ran.collect::<PyResult<_>>()?, error))
}

/// The runs that came to their end, and the first error.
fn kept(ended: Ended) -> (Vec<Vec<RunOutput>>, Option<PyErr>) {
    let mut first = None;
    let mut good = |ran: PyResult<RunOutput>| match ran {
        Ok(output) => Some(output),
        Err(error) => {
            first.get_or_insert(error);
            None
        }
    };
    let outputs = ended.into_iter().map(|runs| runs.into_iter().filter_map(&mut good).collect()).collect();
    (outputs, first)
}

/// A comparison as one JSON document.
fn document(variants: &[Variant], outputs: &[Vec<RunOutput>], wall: Duration) -> PyResult<String> {
    let comparison = Comparison::of(variants, outputs);
    let of_variant = |((variant, figures), runs): ((&Variant, &VariantFigures), &Vec<RunOutput>)| {
        let replications = Replications::of(&figures.summaries);
        let wall = wall / u32::try_from(outputs.len()).unwrap_or(1).max(1);
        let identity = identity(&variant.scenario, runs, comparison.warmup_s, wall);
        let mut object = Map::new();
        object.insert("variant".to_owned(), json!(variant.label));
        object.insert("settings".to_owned(), json!(variant.set));
        let spread = (runs.len() > 1).then_some(&replications);
        object.extend(summary_object(&identity, &replications.summary, spread).map_err(refused)?);
        let differences = figures.differences.iter().map(|one| (one.metric.to_owned(), json!(one)));
        object.insert("differences".to_owned(), Value::Object(differences.collect()));
        Ok(Value::Object(object))
    };
    let each = variants.iter().zip(&comparison.variants).zip(outputs).map(of_variant);
    let document = json!({
        "innosim_version": VERSION,
        "scenario": variants.first().map(|first| &first.scenario.name),
        "baseline": variants.first().map(|first| &first.label),
        "warmup_s": comparison.warmup_s,
        "warmup_converged": comparison.warmup_converged,
        "variants": each.collect::<PyResult<Vec<Value>>>()?,
    });
    Ok(document.to_string())
}

/// The rows of a sweep, a row a run that came to its end, and the first error.
#[pyfunction]
pub(crate) fn sweep(
    py: Python<'_>,
    scenario: &str,
    vary: Vec<String>,
    model: Option<String>,
    set: Vec<String>,
    common: Common,
    how: (Option<Bound<'_, PyAny>>, Option<usize>),
) -> PyResult<(String, Option<PyErr>)> {
    let ((duration, seed, replications), (rule, jobs)) = (common, how);
    let given = Given::of(rule.as_ref())?;
    let (rule, hosted) = (given.named.clone(), given.hosted.clone());
    let scenario = scenario.to_owned();
    let overrides = Overrides { model, rule, set, duration, seed, replications, ..Overrides::default() };
    let prepared = planned(py, &Request { scenario, overrides, hosted, vary, ..Request::default() })?;
    let case = |scenario: &innosim_scenario::Scenario| {
        let mut scenario = scenario.clone();
        scenario.replications = prepared.plan.replications;
        Case { scenario, hosted: given.hosted.is_some(), raised: given.raised.clone() }
    };
    let cases: Vec<Case> = prepared.scenarios.iter().map(case).collect();
    let ended = all(py, &cases, false, jobs)?;
    let mut rows = Vec::new();
    let mut first = None;
    for (point, ended) in ended.into_iter().enumerate() {
        for (replication, ran) in ended.into_iter().enumerate() {
            match ran {
                Ok(output) => rows.push(row(&prepared, point, replication, &output)?),
                Err(error) => {
                    first.get_or_insert(error);
                }
            }
        }
    }
    Ok((Value::Array(rows).to_string(), first))
}

/// All points of a sweep, read and checked.
///
/// # Errors
/// What is wrong with a point, or what a signal raised meanwhile.
fn planned(py: Python<'_>, request: &Request) -> PyResult<Prepared> {
    let mut signals = Signals::default();
    let prepared = py.detach(|| request.prepare_while(&mut || signals.go_on().is_continue()));
    if let Some(raised) = signals.raised {
        return Err(raised);
    }
    let prepared = prepared.map_err(refused)?;
    warn(py, &prepared.notes)?;
    Ok(prepared)
}

/// A sweep whose runs are made elsewhere, each by its scenario.
#[pyclass(frozen, module = "innosim._innosim")]
#[derive(Debug)]
pub(crate) struct SweepPlan(Prepared);

#[pymethods]
impl SweepPlan {
    /// Reads and checks all points, as a sweep does before its first run.
    #[new]
    fn new(
        py: Python<'_>,
        scenario: String,
        vary: Vec<String>,
        model: Option<String>,
        set: Vec<String>,
        common: Common,
        rule: Option<String>,
    ) -> PyResult<SweepPlan> {
        let (duration, seed, replications) = common;
        let overrides = Overrides { model, rule, set, duration, seed, replications, ..Overrides::default() };
        planned(py, &Request { scenario, overrides, vary, ..Request::default() }).map(SweepPlan)
    }

    /// Identity, point and replication of every run, in the order of a sweep's rows.
    fn runs(&self) -> Vec<(String, usize, u32)> {
        let plan = &self.0.plan;
        let of_point = |point| {
            (0..plan.replications).map(move |replication| (plan.run_id(point, replication).0, point, replication))
        };
        (0..plan.points.len()).flat_map(of_point).collect()
    }

    /// The scenario of a point, written out.
    fn scenario(&self, point: usize) -> PyResult<String> {
        let scenario = self.0.scenarios.get(point).ok_or_else(|| refused(format!("there is no point {point}")))?;
        Ok(scenario.to_resolved_toml(VERSION))
    }

    /// The row of a run, of the figures that [`run_of_sweep`] gave.
    fn row(&self, point: usize, replication: u32, figures: &str) -> PyResult<String> {
        let Value::Object(figures) = serde_json::from_str(figures).map_err(refused)? else {
            return Err(refused("the figures of a run are no object"));
        };
        let mut row = head(&self.0, point, replication as usize);
        row.extend(figures);
        Ok(Value::Object(row).to_string())
    }
}

/// Makes a run of a sweep: its identity, as this package's sources have it, and its figures as JSON.
#[pyfunction]
pub(crate) fn run_of_sweep(py: Python<'_>, scenario: &str, replication: u32) -> PyResult<(String, String)> {
    let mut case = Case::load(py, scenario, Overrides::default(), &Given::default())?;
    let id = RunId::of(&case.scenario, replication);
    case.scenario.replications = 1;
    let ran = one(py, &case, replication)?;
    Ok((id.0, Value::Object(figures(&case.scenario, &ran)?).to_string()))
}

/// The row of a run.
fn row(prepared: &Prepared, number: usize, replication: usize, output: &RunOutput) -> PyResult<Value> {
    let mut row = head(prepared, number, replication);
    row.extend(figures(&prepared.scenarios[number], output)?);
    Ok(Value::Object(row))
}

/// What a row says of which run it is.
fn head(prepared: &Prepared, number: usize, replication: usize) -> Map<String, Value> {
    let point = &prepared.plan.points[number];
    let mut row = Map::new();
    row.insert("innosim_version".to_owned(), VERSION.into());
    row.insert("scenario".to_owned(), prepared.plan.scenario.as_str().into());
    row.insert("model".to_owned(), point.model.as_str().into());
    row.insert("point".to_owned(), (number + 1).into());
    let settings = prepared.plan.columns.iter().zip(&point.values).filter(|(name, _)| *name != "model");
    row.extend(settings.map(|(name, value)| (name.clone(), number_or_text(value))));
    row.insert("replication".to_owned(), replication.into());
    row.insert("seed".to_owned(), point.seed.into());
    row.insert("simulated_s".to_owned(), point.simulated_s.into());
    row
}

/// What came out of a run.
fn figures(scenario: &Scenario, output: &RunOutput) -> PyResult<Map<String, Value>> {
    let warmup = warmup_of(scenario, output);
    let mut figures = Map::new();
    figures.insert("warmup_s".to_owned(), warmup.seconds.into());
    figures.insert("warmup_converged".to_owned(), warmup.converged.into());
    if let Value::Object(summary) = serde_json::to_value(Summary::of(output, warmup.seconds)).map_err(refused)? {
        figures.extend(summary);
    }
    Ok(figures)
}

/// Values of settings are numbers where they look like it.
fn number_or_text(text: &str) -> Value {
    let whole = text.parse::<i64>().ok().map(Value::from);
    let real = || text.parse::<f64>().ok().filter(|real| real.is_finite()).map(Value::from);
    whole.or_else(real).unwrap_or_else(|| text.into())
}
