//! Rules written in Rust, outside this repository: a program of one's own registers them by name before it runs a
//! command, and they are rules like any other.

use crate::{Parameter, RuleContext};
use innosim_core::seam::AdaptiveFlushing;
use std::sync::{Mutex, PoisonError};

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

static REGISTERED: Mutex<Vec<NativeRule>> = Mutex::new(Vec::new());

/// Keeps a rule for the rest of the program's life.
pub(crate) fn keep(rule: NativeRule) {
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner).push(rule);
}

/// The registered rule of this name.
pub(crate) fn registered(name: &str) -> Option<NativeRule> {
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner).iter().find(|rule| rule.name == name).cloned()
}

/// Names of all registered rules, in the order in which they came.
pub(crate) fn names() -> Vec<String> {
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner).iter().map(|rule| rule.name.clone()).collect()
}
