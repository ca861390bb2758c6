//! Every setting: what it is, and in which servers it has which values and default.
//!
//! Settings are declared by family of servers, one file each. A name that several families know is declared by each of
//! them, with its own help, range and default, for its own servers only; where the help is the same, once in `every_server`.

mod every_server;
mod mariadb;
mod mysql55;
mod mysql56;
mod mysql80;
mod percona;
mod purge;
mod tnt;

use super::{Kind, ModelId, Servers, Setting, Value};

/// A setting over all servers.
#[derive(Debug)]
pub(super) struct Declaration {
    pub(super) name: &'static str,
    /// Unit of whole and real numbers, `` for none.
    pub(super) unit: &'static str,
    pub(super) help: &'static str,
    pub(super) long_help: &'static str,
    /// From or until which version it exists; for servers that don't know it.
    pub(super) history: &'static str,
    /// What to use where it doesn't exist.
    pub(super) instead: &'static str,
    pub(super) spans: &'static [Span],
}

/// Servers that agree on a setting's values and default.
#[derive(Debug)]
pub(super) struct Span {
    servers: &'static [Servers],
    kind: Kind,
    default: Option<Value>,
    default_text: &'static str,
}

impl Declaration {
    /// The setting as `model` knows it.
    pub(super) fn setting(&self, model: ModelId) -> Option<Setting> {
        let span = self.spans.iter().find(|span| span.servers.iter().any(|servers| model.is_of(*servers)))?;
        Some(Setting {
            name: self.name,
            kind: span.kind,
            default: span.default,
            default_text: span.default_text,
            unit: self.unit,
            help: self.help,
            long_help: self.long_help,
        })
    }

    /// Whether earlier versions of `model`'s server have the setting.
    pub(super) fn began_before(&self, model: ModelId) -> bool {
        let mut servers = self.spans.iter().flat_map(|span| span.servers);
        servers.any(|servers| servers.begin_before(model.product(), model.version()))
    }
}

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const TIB: u64 = 1 << 40;
const U32_MAX: u64 = u32::MAX as u64;

const fn integer(min: u64, max: u64) -> Kind {
    Kind::Integer { min, max }
}

const fn bytes(min: u64, max: u64, step: u64) -> Kind {
    Kind::Bytes { min, max, step }
}

/// The same values and default for `servers`.
const fn span(servers: &'static [Servers], kind: Kind, default: Value, default_text: &'static str) -> Span {
    Span { servers, kind, default: Some(default), default_text }
}

/// The same for a default that follows from other settings.
const fn derived(servers: &'static [Servers], kind: Kind, default_text: &'static str) -> Span {
    Span { servers, kind, default: None, default_text }
}

const fn whole(servers: &'static [Servers], min: u64, max: u64, default: u64, text: &'static str) -> Span {
    span(servers, integer(min, max), Value::Integer(default), text)
}

const fn size(servers: &'static [Servers], kind: Kind, default: u64, text: &'static str) -> Span {
    span(servers, kind, Value::Integer(default), text)
}

/// A declaration for settings that all models of a family know.
const fn everywhere(name: &'static str, unit: &'static str, spans: &'static [Span], help: &'static str) -> Declaration {
    Declaration { name, unit, help, long_help: "", history: "", instead: "", spans }
}

/// The same for those of which there is more to say.
const fn explained(
    name: &'static str,
    unit: &'static str,
    spans: &'static [Span],
    help: &'static str,
    long_help: &'static str,
) -> Declaration {
    Declaration { long_help, ..everywhere(name, unit, spans, help) }
}

/// Settings by family.
const FAMILIES: &[&[Declaration]] = &[
    every_server::DECLARATIONS,
    mariadb::DECLARATIONS,
    mysql55::DECLARATIONS,
    mysql56::DECLARATIONS,
    mysql80::DECLARATIONS,
    percona::DECLARATIONS,
    purge::DECLARATIONS,
    tnt::DECLARATIONS,
];

/// All declarations.
pub(super) fn declarations() -> impl Iterator<Item = &'static Declaration> {
    FAMILIES.iter().copied().flatten()
}

/// The declaration of `name`, as `model` knows it.
pub(super) fn setting(model: ModelId, name: &str) -> Option<Setting> {
    declarations().filter(|d| d.name == name).find_map(|d| d.setting(model))
}
