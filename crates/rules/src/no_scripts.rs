//! In place of scripts where a program takes none (without the feature `scripts`): whatever looks like one is refused.

use crate::{Fault, Parameter, Values};
use innosim_core::seam::AdaptiveFlushing;
use innosim_flush_models::registry::Settings;
use std::convert::Infallible;

/// A script, of which there is none.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    pub(crate) text: String,
    pub(crate) story: String,
    pub(crate) parameters: Vec<Parameter>,
    never: Infallible,
}

impl Script {
    /// Refuses every text.
    pub(crate) fn compile(name: &str, _text: &str) -> Result<Script, Fault> {
        Err(Fault::new(format!("{name}: this program takes no flushing rules from scripts"))
            .help("run it with the program for the command line, innosim"))
    }

    pub(crate) fn start(&self, _name: &str, _values: &Values, _settings: &Settings) -> Box<dyn AdaptiveFlushing> {
        match self.never {}
    }
}
