//! innosim for Python: the compiled half of the package `innosim`.
//!
//! Here are the functions that the Python half (`innosim/__init__.py`) wraps: they take strings and give JSON and arrays. Runs are
//! made without Python's lock; a rule that is a Python function takes it for each pass.
//!
//! ```text
//!   case       a scenario with its rule          rule     a Python function in place of a rule      pass   what it sees
//!   simulate   runs, signals, threads            session  a run that waits for decisions
//!   result     summaries, series as arrays       many     comparisons and sweeps                      error  exceptions
//! ```

// What Python calls is documented there.
#![allow(missing_docs)]

mod case;
mod error;
mod many;
mod pass;
mod result;
mod rule;
mod session;
mod simulate;

use case::{Case, Given};
use error::{InnosimError, InnosimWarning, RuleError};
use innosim_flush_models::registry::ModelId;
use innosim_scenario::{Overrides, shipped};
use pyo3::prelude::*;
use result::{Ran, VERSION};
use simulate::all;
use std::time::Instant;

/// What all functions take that make runs: duration, seed, replications.
type Common = (Option<String>, Option<u64>, Option<u32>);

#[pyfunction]
fn run(
    py: Python<'_>,
    scenario: &str,
    model: Option<String>,
    set: Vec<String>,
    common: Common,
    rule: Option<Bound<'_, PyAny>>,
    how: (bool, Option<usize>),
) -> PyResult<Ran> {
    let ((duration, seed, replications), (check, jobs)) = (common, how);
    let overrides = Overrides { model, set, duration, seed, replications, ..Overrides::default() };
    let case = Case::load(py, scenario, overrides, &Given::of(rule.as_ref())?)?;
    let began = Instant::now();
    let ended = all(py, std::slice::from_ref(&case), check, jobs)?.pop().unwrap_or_default();
    let outputs = ended.into_iter().collect::<PyResult<Vec<_>>>()?;
    Ran::of(&case.scenario, outputs, began.elapsed())
}

/// Names of the server models.
#[pyfunction]
fn models() -> Vec<String> {
    ModelId::ALL.iter().map(|model| model.name().to_owned()).collect()
}

/// Names of the shipped scenarios with their titles.
#[pyfunction]
fn scenarios() -> Vec<(String, String)> {
    shipped().iter().map(|one| (one.name.to_owned(), one.title.clone())).collect()
}

/// Names of the shipped rules with what they do, in a line.
#[pyfunction]
fn rules() -> Vec<(String, String)> {
    let about = |rule: &innosim_rules::Rule| rule.story().lines().next().unwrap_or_default().to_owned();
    let named = innosim_rules::Rule::names().into_iter().filter_map(|name| innosim_rules::Rule::named(&name));
    named.map(|rule| (rule.name().to_owned(), about(&rule))).collect()
}

#[pymodule]
fn _innosim(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("__version__", VERSION)?;
    module.add("InnosimError", py.get_type::<InnosimError>())?;
    module.add("RuleError", py.get_type::<RuleError>())?;
    module.add("InnosimWarning", py.get_type::<InnosimWarning>())?;
    module.add_class::<pass::Pass>()?;
    module.add_class::<Ran>()?;
    module.add_class::<session::Session>()?;
    module.add_function(wrap_pyfunction!(run, module)?)?;
    module.add_function(wrap_pyfunction!(many::compare, module)?)?;
    module.add_function(wrap_pyfunction!(many::sweep, module)?)?;
    module.add_class::<many::SweepPlan>()?;
    module.add_function(wrap_pyfunction!(many::run_of_sweep, module)?)?;
    module.add_function(wrap_pyfunction!(models, module)?)?;
    module.add_function(wrap_pyfunction!(scenarios, module)?)?;
    module.add_function(wrap_pyfunction!(rules, module)?)
}
