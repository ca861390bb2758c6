//! Every setting: what it is, and in which servers it has which values and default.
//!
//! Settings are declared by family of servers, in `declarations/*.toml`. A name that several families know is declared by each
//! of them, with its own help, range and default, for its own servers only; where the help is the same, once in `every_server`.
//!
//! ```toml
//! [[setting]]
//! name = "innodb_max_dirty_pages_pct"
//! unit = "%"
//! help = "What it does, in a sentence."
//! spans = [{ servers = "mysql 5.7..8.0", allowed = "0.0 to 99.999", default = "75" }]    # 5.7, and Percona Server 5.7
//! ```

use super::other_names::leave_it_out;
use super::server_list::ServerList;
use super::{Kind, ModelId, Setting, parse_value};
use serde::Deserialize;
use std::sync::LazyLock;

/// A setting over all servers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Declaration {
    pub(super) name: &'static str,
    /// Unit of whole and real numbers, `` for none.
    #[serde(default)]
    unit: &'static str,
    help: &'static str,
    #[serde(default)]
    long_help: &'static str,
    /// From or until which version it exists; for servers that don't know it.
    #[serde(default)]
    pub(super) history: &'static str,
    /// What to use where it doesn't exist.
    #[serde(default = "leave_it_out")]
    pub(super) instead: &'static str,
    spans: Vec<Span>,
}

/// Servers that agree on a setting's values and default.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Span {
    servers: ServerList,
    allowed: Kind,
    default: Option<&'static str>,
    /// The default in words, where it follows from other settings.
    #[serde(default)]
    derived: &'static str,
}

impl Declaration {
    /// The setting as `model` knows it.
    pub(super) fn setting(&self, model: ModelId) -> Option<Setting> {
        let span = self.spans.iter().find(|span| span.servers.include(model))?;
        let setting = Setting {
            name: self.name,
            kind: span.allowed,
            default: None,
            default_text: span.default.unwrap_or(span.derived),
            unit: self.unit,
            help: self.help,
            long_help: self.long_help,
        };
        let default = span.default.map(|text| match parse_value(&setting, text) {
            Ok(value) => value,
            Err(error) => unreachable!("default of {error}"),
        });
        Some(Setting { default, ..setting })
    }

    /// Whether earlier versions of `model`'s server have the setting.
    pub(super) fn began_before(&self, model: ModelId) -> bool {
        let mut servers = self.spans.iter().flat_map(|span| &span.servers.0);
        servers.any(|servers| servers.begin_before(model.product(), model.version()))
    }
}

/// Settings by family.
const FAMILIES: [&str; 8] = [
    include_str!("declarations/every_server.toml"),
    include_str!("declarations/mariadb.toml"),
    include_str!("declarations/mysql55.toml"),
    include_str!("declarations/mysql56.toml"),
    include_str!("declarations/mysql80.toml"),
    include_str!("declarations/percona.toml"),
    include_str!("declarations/purge.toml"),
    include_str!("declarations/tnt.toml"),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct Family {
    setting: Vec<Declaration>,
}

static DECLARATIONS: LazyLock<Vec<Declaration>> =
    LazyLock::new(|| FAMILIES.into_iter().flat_map(|text| super::read_table::<Family>(text).setting).collect());

/// All declarations.
pub(super) fn declarations() -> impl Iterator<Item = &'static Declaration> {
    DECLARATIONS.iter()
}

/// The declaration of `name`, as `model` knows it.
pub(super) fn setting(model: ModelId, name: &str) -> Option<Setting> {
    declarations().filter(|d| d.name == name).find_map(|d| d.setting(model))
}
