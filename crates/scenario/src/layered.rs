//! All layers of a scenario in one.

use crate::node::Table;
use crate::server_files::SettingsFile;
use innosim_rules::Rule;

/// All layers in one.
#[derive(Debug)]
pub(crate) struct Layered {
    pub(crate) tree: Table,
    /// Name of the scenario, from where it was found.
    pub(crate) name: String,
    /// Opening comment of the scenario's own text.
    pub(crate) story: String,
    /// The model that the scenario itself names, whatever the command line says.
    pub(crate) own_model: Option<String>,
    /// Files of settings that were read.
    pub(crate) settings_files: Vec<SettingsFile>,
    /// The rule of the program itself, if it brought one.
    pub(crate) hosted: Option<Rule>,
}
