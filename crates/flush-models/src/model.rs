//! What a server says of itself to the registry. Each has one [`Model`], next to its code; the registry lists them.

use crate::purge::PurgeTraits;
use crate::replay::{Publishing, ReplayRule};
use crate::settings::{ModelId, Resolver, Servers, Settings, SettingsError};
use innosim_core::config::Merging;
use innosim_core::seam::{AdaptiveFlushing, ServerModel};

/// The machinery of some settings, with a rule in place of the server's adaptive flushing if one is given.
pub type Build = fn(&Settings, Option<Box<dyn AdaptiveFlushing>>) -> Result<Box<dyn ServerModel>, SettingsError>;

/// A shipped server model.
#[derive(Debug, Clone, Copy)]
pub struct Model {
    /// Its name, and its product and version.
    pub id: ModelId,
    /// The name for headings.
    pub title: &'static str,
    /// What it is, in a sentence or two.
    pub about: &'static str,
    /// The versions that it is taken for.
    pub stands_for: &'static [StandsFor],
    /// What of its rules was read in a source of these versions, and what else is known of it.
    pub read: &'static str,
    /// What is assumed from a neighbour; empty if nothing is.
    pub assumed: &'static str,
    /// Whether a rule may replace its adaptive flushing.
    pub takes_rule: bool,
    /// Its machinery.
    pub build: Build,
    /// What it derives, adjusts and refuses at start, after fixed defaults are filled in.
    pub at_start: fn(&mut Resolver<'_>) -> Result<(), SettingsError>,
    /// Its purge; `None` where it is of another kind.
    pub purge: Option<PurgeTraits>,
    /// CPU time of a record that purge removes, us (measured).
    pub purge_removal_us: u64,
    /// Whether commits go through the binary log in groups.
    pub groups_binary_log: bool,
    /// Who reads pages in order to merge their buffered changes.
    pub merging: Merging,
    /// Its flushing rule alone, for replay; `None` if it publishes no counters of its decisions, or has no such rule.
    pub replay: Option<fn(&Settings) -> Result<ReplayRule, SettingsError>>,
    /// How its counters relate to its passes.
    pub publishing: Publishing,
}

/// Versions that a model is taken for.
#[derive(Debug, Clone, Copy)]
pub struct StandsFor {
    /// Which.
    pub servers: Servers,
    /// What may differ there from the model; empty for versions that it was made of.
    pub differs: &'static str,
}

impl StandsFor {
    /// Versions that behave as the model, as far as is known.
    pub const fn exactly(servers: Servers) -> Self {
        StandsFor { servers, differs: "" }
    }

    /// Versions that have no model of their own, and what may differ.
    pub const fn nearly(servers: Servers, differs: &'static str) -> Self {
        StandsFor { servers, differs }
    }
}
