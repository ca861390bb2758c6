//! Rules written in Rust, outside this repository: a program of one's own registers them by name before it runs a
//! command, and they are rules like any other.

use crate::{Parameter, Rule, Values};
use innosim_core::seam::AdaptiveFlushing;
use innosim_flush_models::registry::Settings;
use std::sync::{Mutex, PoisonError};

/// What a rule is built from.
#[derive(Debug, Clone, Copy)]
pub struct RuleContext<'a> {
    /// Settings of the server that it runs in.
    pub settings: &'a Settings,
    parameters: &'a [Parameter],
    values: &'a Values,
}

impl<'a> RuleContext<'a> {
    pub(crate) fn new(settings: &'a Settings, parameters: &'a [Parameter], values: &'a Values) -> Self {
        RuleContext { settings, parameters, values }
    }

    /// Value of a parameter that the rule declares; `None` for any other name.
    pub fn parameter(&self, name: &str) -> Option<f64> {
        self.parameters.iter().find(|parameter| parameter.name == name).map(|parameter| self.values.of(parameter))
    }
}

/// A rule written in Rust.
#[derive(Debug, Clone)]
pub struct NativeRule {
    /// Name, as in `--rule NAME`: small letters, digits and `-`.
    pub name: String,
    /// What it does, in a line.
    pub about: String,
    /// What it leaves open.
    pub parameters: Vec<Parameter>,
    /// Makes a fresh one for a run.
    pub build: fn(&RuleContext<'_>) -> Box<dyn AdaptiveFlushing>,
}

/// Why a rule can't be registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisterError(pub String);

impl std::fmt::Display for RegisterError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for RegisterError {}

static REGISTERED: Mutex<Vec<NativeRule>> = Mutex::new(Vec::new());

/// Makes a rule known under its name for the rest of the program's life.
///
/// # Errors
/// [`RegisterError`] for a name that is none or is taken, and for parameters that are wrong.
pub fn register(rule: NativeRule) -> Result<(), RegisterError> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if rule.name.is_empty() || !rule.name.chars().all(plain) {
        let text = format!("{:?} is no name of a rule: it has small letters, digits and `-`", rule.name);
        return Err(RegisterError(text));
    }
    if Rule::named(&rule.name).is_some() {
        return Err(RegisterError(format!("there is a rule `{}` already", rule.name)));
    }
    for (i, parameter) in rule.parameters.iter().enumerate() {
        let checked = parameter.clone().checked(&rule.parameters[..i]);
        checked.map_err(|fault| RegisterError(format!("rule `{}`: {}", rule.name, fault.message)))?;
    }
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner).push(rule);
    Ok(())
}

/// The registered rule of this name.
pub(crate) fn registered(name: &str) -> Option<NativeRule> {
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner).iter().find(|rule| rule.name == name).cloned()
}

/// Names of all registered rules, in the order in which they came.
pub(crate) fn names() -> Vec<String> {
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner).iter().map(|rule| rule.name.clone()).collect()
}
