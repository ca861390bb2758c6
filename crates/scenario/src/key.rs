//! The declaration of a scenario key: one for each, read by the checks, the JSON Schema and the page of documentation.

use crate::suggest::join_or;

/// A key of a scenario table.
#[derive(Debug)]
pub(crate) struct Key {
    /// Name, as written.
    pub(crate) name: &'static str,
    /// Values that it takes.
    pub(crate) kind: Kind,
    /// What holds if it is left out.
    pub(crate) presence: Presence,
    /// What it means, with its unit.
    pub(crate) help: &'static str,
}

/// What holds if a key is left out.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Presence {
    /// It must be there.
    Required,
    /// This value, as TOML.
    Default(&'static str),
    /// Something that follows from the rest, in words.
    Otherwise(&'static str),
}

/// A choice of tables, told apart by their `kind`.
pub(crate) type Variants = &'static [(&'static str, &'static [Key])];

/// Values that a key takes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// Any string.
    Text,
    /// A list of strings.
    Names,
    /// A length of time with its unit.
    Duration,
    /// "auto", or a length of time with its unit.
    AutoDuration,
    /// A length of time, or a table that describes its distribution.
    Distribution,
    /// A whole number.
    Integer { min: u64, max: u64 },
    /// A number; `above` excludes `min` itself.
    Real { min: f64, max: f64, above: bool },
    /// A number from 1, or "none" for no ceiling.
    Ceiling,
    /// Bytes a second: a number, or a string such as "468MiB"; or "none" for no ceiling.
    Bandwidth,
    /// `true` or `false`.
    Switch,
    /// One of these names.
    OneOf(&'static [&'static str]),
    /// Pairs of numbers.
    Pairs,
    /// One table.
    Table(&'static [Key]),
    /// A list of tables.
    Tables(&'static [Key]),
    /// One table, described by its `kind`.
    Variant(Variants),
    /// The server's settings, which the registry of the models declares.
    Server,
    /// A flushing rule: its file or name, or a table with that and the values of its parameters.
    Rule,
}

impl Key {
    /// A key that must be there.
    pub(crate) const fn required(name: &'static str, kind: Kind, help: &'static str) -> Key {
        Key { name, kind, presence: Presence::Required, help }
    }

    /// A key with a default, written as TOML.
    pub(crate) const fn default(name: &'static str, kind: Kind, default: &'static str, help: &'static str) -> Key {
        Key { name, kind, presence: Presence::Default(default), help }
    }

    /// A key that may be left out; `otherwise` says what holds then.
    pub(crate) const fn optional(name: &'static str, kind: Kind, otherwise: &'static str, help: &'static str) -> Key {
        Key { name, kind, presence: Presence::Otherwise(otherwise), help }
    }
}

/// A whole number from `min` to `max`.
pub(crate) const fn whole(min: u64, max: u64) -> Kind {
    Kind::Integer { min, max }
}

/// A number from `min` to `max`.
pub(crate) const fn real(min: f64, max: f64) -> Kind {
    Kind::Real { min, max, above: false }
}

/// A number above 0, up to `max`.
pub(crate) const fn positive(max: f64) -> Kind {
    Kind::Real { min: 0.0, max, above: true }
}

impl Kind {
    /// The values that are allowed, in words.
    pub(crate) fn allowed(&self) -> String {
        match self {
            Kind::Text => "a string".to_owned(),
            Kind::Names => "a list of strings, such as [\"a\", \"b\"]".to_owned(),
            Kind::Duration => "a length of time with its unit, such as \"600s\" (ns, us, ms, s, m, h, d)".to_owned(),
            Kind::AutoDuration => "\"auto\", or a length of time with its unit, such as \"60s\"".to_owned(),
            Kind::Distribution => {
                "a length of time such as \"85us\", or a table such as { kind = \"lognormal\", mean_us = 85.0, cv = 0.5 }"
                    .to_owned()
            }
            Kind::Integer { min, max } => format!("a whole number from {min} to {max}"),
            Kind::Real { min, max, above: false } => format!("a number from {min} to {max}"),
            Kind::Real { min, max, above: true } => format!("a number above {min}, up to {max}"),
            Kind::Ceiling => "a number from 1 to 10^12, or \"none\" for no ceiling".to_owned(),
            Kind::Bandwidth => {
                "bytes a second, such as 60000000, \"468MiB\" or \"530MB\"; or \"none\" for no ceiling".to_owned()
            }
            Kind::Switch => "true or false".to_owned(),
            Kind::OneOf(names) => join_or(names),
            Kind::Pairs => "a list of pairs of numbers, such as [[0.0, 50.0], [1.0, 900.0]]".to_owned(),
            Kind::Table(_) | Kind::Variant(_) | Kind::Server => "a table".to_owned(),
            Kind::Rule => "the path of a file or the name of a rule, or a table with `file`".to_owned(),
            Kind::Tables(_) => "a list of tables".to_owned(),
        }
    }
}

/// Largest number of clients, threads or cores.
pub(crate) const MAX_THREADS: u64 = 65_536;
/// Most pages in a page set and in a whole data set: up to 21 bytes are kept of each where the pool holds them not all.
pub(crate) const MAX_PAGES: u64 = 1 << 28;
/// Highest rate, transactions or operations a second.
pub(crate) const MAX_RATE: f64 = 1e9;
/// Longest single service time, µs.
pub(crate) const MAX_SERVICE_US: f64 = 1e9;
