//! The declaration of a scenario key: one for each, in `keys.toml`, read by the checks and the JSON Schema.

use crate::node::{Data, Entry, Table, parse};
use crate::suggest::join_or;
use std::sync::LazyLock;

/// A key of a scenario table.
#[derive(Debug, Clone)]
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
    /// One table, with the keys of this name.
    Table(&'static str),
    /// A list of such tables.
    Tables(&'static str),
    /// One table of this group, as its `kind` says.
    Variant(&'static str),
    /// The server's settings, which the registry of the models declares.
    Server,
    /// A flushing rule: its file or name, or a table with that and the values of its parameters.
    Rule,
}

/// A named table of keys.
type Keys = (&'static str, Vec<Key>);

/// What `keys.toml` lists.
#[derive(Default)]
struct Declared {
    tables: Vec<Keys>,
    /// Tables that are told apart by their `kind`.
    groups: Vec<(&'static str, Vec<Keys>)>,
}

static DECLARED: LazyLock<Declared> = LazyLock::new(|| {
    let mut declared = Declared::default();
    let tree = parse(0, include_str!("keys.toml")).unwrap_or_else(|problems| unreachable!("keys.toml: {problems:?}"));
    for entry in &tree.entries {
        let (name, table) = named(entry);
        if table.entries.iter().any(|row| matches!(&row.node.data, Data::Table(row) if row.get("help").is_some())) {
            declared.tables.push((name, read(table, &[])));
            continue;
        }
        let mut group: Vec<Keys> = Vec::new();
        for variant in &table.entries {
            let (name, table) = named(variant);
            group.push((name, read(table, &group)));
        }
        declared.groups.push((name, group));
    }
    declared
});

/// The keys of a table, by its name in `keys.toml`.
pub(crate) fn keys(table: &str) -> &'static [Key] {
    match DECLARED.tables.iter().find(|(name, _)| *name == table) {
        Some((_, keys)) => keys,
        None => unreachable!("no table `{table}` in keys.toml"),
    }
}

/// Tables that are told apart by their `kind`, with their keys, by the name of their group in `keys.toml`.
pub(crate) fn variants(group: &str) -> &'static [(&'static str, Vec<Key>)] {
    match DECLARED.groups.iter().find(|(name, _)| *name == group) {
        Some((_, variants)) => variants,
        None => unreachable!("no tables `{group}.*` in keys.toml"),
    }
}

fn named(entry: &Entry) -> (&'static str, &Table) {
    match &entry.node.data {
        Data::Table(table) => (entry.key.clone().leak(), table),
        _ => unreachable!("`{}` of keys.toml is no table", entry.key),
    }
}

/// The keys that a table lists, after those of the one of `group` that it is like; a key of the same name takes the place.
fn read(table: &Table, group: &[Keys]) -> Vec<Key> {
    let mut keys: Vec<Key> = Vec::new();
    for entry in &table.entries {
        if let Data::Text(like) = &entry.node.data {
            keys.extend(group.iter().filter(|(name, _)| name == like).flat_map(|(_, keys)| keys.iter().cloned()));
            continue;
        }
        let key = Key::read(entry);
        match keys.iter_mut().find(|known| known.name == key.name) {
            Some(known) => *known = key,
            None => keys.push(key),
        }
    }
    keys
}

impl Key {
    fn read(entry: &Entry) -> Key {
        let (name, row) = named(entry);
        let text = |of: &str| -> Option<&'static str> { Some(row.get(of)?.scalar_text()?.leak()) };
        let words = text("kind").unwrap_or_default();
        let kind = Kind::read(words).unwrap_or_else(|| unreachable!("`{name}` of keys.toml is of no kind: {words}"));
        let otherwise = text("otherwise").map_or(Presence::Required, Presence::Otherwise);
        let presence = text("default").map_or(otherwise, Presence::Default);
        Key { name, kind, presence, help: text("help").unwrap_or_default() }
    }
}

impl Kind {
    fn read(words: &'static str) -> Option<Kind> {
        let (first, rest) = words.split_once(' ').unwrap_or((words, ""));
        Some(match first {
            "text" => Kind::Text,
            "names" => Kind::Names,
            "duration" if rest.is_empty() => Kind::Duration,
            "duration" => Kind::AutoDuration,
            "distribution" => Kind::Distribution,
            "integer" => {
                let (min, max) = rest.split_once(" to ")?;
                Kind::Integer { min: min.parse().ok()?, max: max.parse().ok()? }
            }
            "number" => {
                let above = rest.strip_prefix("above ");
                let (min, max) = above.unwrap_or(rest).split_once(" to ")?;
                Kind::Real { min: min.parse().ok()?, max: max.parse().ok()?, above: above.is_some() }
            }
            "ceiling" => Kind::Ceiling,
            "bandwidth" => Kind::Bandwidth,
            "switch" => Kind::Switch,
            "one" => Kind::OneOf(rest.strip_prefix("of ")?.split(", ").collect::<Vec<_>>().leak()),
            "pairs" => Kind::Pairs,
            "table" => Kind::Table(rest),
            "tables" => Kind::Tables(rest),
            "variant" => Kind::Variant(rest),
            "server" => Kind::Server,
            "rule" => Kind::Rule,
            _ => return None,
        })
    }

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
