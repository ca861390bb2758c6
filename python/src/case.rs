//! A scenario as it was asked for, with the rule in it.

use crate::error::{refused, warn};
use crate::rule::{Raised, rule_of};
use innosim_rules::Rule;
use innosim_scenario::{Overrides, Scenario, Source, load_hosted};
use pyo3::prelude::*;

/// A rule that somebody gave.
#[derive(Debug, Default)]
pub(crate) struct Given {
    /// Its name or file.
    pub(crate) named: Option<String>,
    /// Or a Python object.
    pub(crate) hosted: Option<Rule>,
    /// What that raised.
    pub(crate) raised: Raised,
}

impl Given {
    /// The rule that an argument is.
    pub(crate) fn of(rule: Option<&Bound<'_, PyAny>>) -> PyResult<Given> {
        let raised = Raised::default();
        let Some(rule) = rule else { return Ok(Given::default()) };
        if let Ok(named) = rule.extract::<String>() {
            return Ok(Given { named: Some(named), ..Given::default() });
        }
        Ok(Given { hosted: Some(rule_of(rule, &raised)?), named: None, raised })
    }
}

/// A scenario to run.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) scenario: Scenario,
    /// Whether its rule is Python.
    pub(crate) hosted: bool,
    pub(crate) raised: Raised,
}

impl Case {
    /// Loads a scenario: a file, a shipped name, or the text of one.
    pub(crate) fn load(py: Python<'_>, scenario: &str, overrides: Overrides, given: &Given) -> PyResult<Case> {
        let overrides = Overrides { rule: given.named.clone(), ..overrides };
        let scenario = load_hosted(Source::typed(scenario), &overrides, given.hosted.as_ref()).map_err(refused)?;
        if scenario.run.duration.0 < 1_000_000_000 {
            let help = "give a `duration` of 1s or more";
            return Err(refused(format!("{}: a run is at least a second long\n  = help: {help}", scenario.name)));
        }
        warn(py, &scenario.notes)?;
        Ok(Case { scenario, hosted: given.hosted.is_some(), raised: given.raised.clone() })
    }
}
