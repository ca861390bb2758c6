//! What a rule is built from.

use crate::{Parameter, Values};
use innosim_flush_models::registry::Settings;

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
