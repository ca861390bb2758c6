//! Errors as Python sees them: innosim's own messages, as exceptions.

use innosim_core::server::RunError;
use innosim_scenario::{Diagnostic, Scenario};
use pyo3::exceptions::{PyException, PyUserWarning};
use pyo3::prelude::*;
use pyo3::{PyErr, create_exception};
use std::ffi::CString;

create_exception!(
    innosim,
    InnosimError,
    PyException,
    "What innosim refuses, or what went wrong in a run; its text is the one that the program prints."
);

create_exception!(
    innosim,
    RuleError,
    InnosimError,
    "A flushing rule raised, or answered what no server could follow. The text names the rule, the second of the run and what \
     the rule saw; what it raised is the cause. `kept` has what came of the other runs of a comparison or sweep."
);

create_exception!(innosim, InnosimWarning, PyUserWarning, "A scenario runs, but perhaps not as its author thinks.");

/// The exception with this text, without the word that a terminal shows before it.
pub(crate) fn refused(text: impl ToString) -> PyErr {
    InnosimError::new_err(without(&text.to_string(), "error: "))
}

fn without(text: &str, word: &str) -> String {
    text.strip_prefix(word).unwrap_or(text).to_owned()
}

/// Why a run did not come to its end. `raised` is what its rule raised, if that was the reason.
pub(crate) fn of_run(
    py: Python<'_>,
    scenario: &Scenario,
    replication: u32,
    error: &RunError,
    raised: Option<PyErr>,
) -> PyErr {
    let text = format!("{}, seed {}, replication {replication}: {error}", scenario.name, scenario.run.seed);
    match (error, raised) {
        // Ctrl-C and an exit are no fault of the rule in which they came.
        (_, Some(raised)) if !raised.is_instance_of::<PyException>(py) => raised,
        (RunError::Rule { .. }, raised) => {
            let error = RuleError::new_err(text);
            error.set_cause(py, raised);
            error
        }
        (RunError::Invariant { .. } | RunError::Stopped { .. }, _) => refused(text),
    }
}

/// Says what is worth knowing of a scenario, as warnings at the line that called the package.
pub(crate) fn warn(py: Python<'_>, notes: &[Diagnostic]) -> PyResult<()> {
    for note in notes {
        let text = without(&note.to_string(), "warning: ").replace('\0', " ");
        // The package's own function is level 1, its caller 2.
        PyErr::warn(py, &py.get_type::<InnosimWarning>(), &CString::new(text)?, 2)?;
    }
    Ok(())
}
