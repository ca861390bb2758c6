//! Names that are no settings of the shipped models, as `other_names.toml` lists them: those of other servers and versions,
//! and those that act on nothing modelled.

use super::ModelId;
use super::server_list::ServerList;
use serde::Deserialize;
use std::sync::LazyLock;

/// All of them.
pub(super) static OTHER_NAMES: LazyLock<OtherNames> =
    LazyLock::new(|| super::read_table(include_str!("other_names.toml")));

#[derive(Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub(super) struct OtherNames {
    elsewhere: Vec<Elsewhere>,
    without_effect: Vec<WithoutEffect>,
}

/// Names that exist only in other servers or versions.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Elsewhere {
    /// Those that do not have them.
    #[serde(default = "ServerList::innodb")]
    servers: ServerList,
    /// Whether earlier versions of these had them.
    #[serde(default)]
    removed: bool,
    names: Vec<&'static str>,
    /// From or until when, and where they exist.
    pub(super) history: &'static str,
    /// What to do instead.
    #[serde(default = "leave_it_out")]
    pub(super) instead: &'static str,
}

/// Names with one reason why they do nothing.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WithoutEffect {
    /// The only ones that have them.
    servers: Option<ServerList>,
    names: Vec<&'static str>,
    why: &'static str,
    /// Where they exist, for other servers.
    elsewhere: Option<&'static str>,
}

/// What to do with most names that mean nothing.
pub(super) fn leave_it_out() -> &'static str {
    "leave it out"
}

impl OtherNames {
    /// What to say of `name`, which `model` does not have.
    pub(super) fn elsewhere(&self, model: ModelId, name: &str) -> Option<&Elsewhere> {
        self.elsewhere.iter().find(|row| row.names.contains(&name) && row.servers.include(model))
    }

    /// Whether earlier versions of `model`'s server had `name`.
    pub(super) fn was_removed(&self, model: ModelId, name: &str) -> bool {
        let mut removed = self.elsewhere.iter().filter(|row| row.removed);
        removed.any(|row| row.names.contains(&name) && row.servers.include(model))
    }

    /// Why `name` does nothing in `model`, of names that mean something to servers of this family alone.
    pub(super) fn own_without_effect(&self, model: ModelId, name: &str) -> Option<&'static str> {
        let own = |row: &&WithoutEffect| row.servers.as_ref().is_some_and(|servers| servers.include(model));
        self.without_effect.iter().filter(own).find(|row| row.names.contains(&name)).map(|row| row.why)
    }

    /// Why `name` does nothing in any model.
    pub(super) fn without_effect(&self, name: &str) -> Option<&'static str> {
        let mut general = self.without_effect.iter().filter(|row| row.servers.is_none());
        general.find(|row| row.names.contains(&name)).map(|row| row.why)
    }

    /// Where `name` exists, of names that act on nothing in the one family that has them.
    pub(super) fn of_one_family(&self, name: &str) -> Option<&'static str> {
        self.without_effect.iter().find(|row| row.elsewhere.is_some() && row.names.contains(&name))?.elsewhere
    }
}
