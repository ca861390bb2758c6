//! What was written, as a tree: every key and value with its place. Nothing is checked here but TOML's own syntax.
//!
//! Layers (a file and the files it extends, the command line) are merged key by key, the upper one winning. Where the
//! upper layer states another `kind`, `profile` or `file` than the lower one, its table replaces the lower one as a whole: the
//! other keys of the lower table describe something else.

use crate::diagnostic::Problem;
use crate::source::Span;
use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

/// A value and where it was written.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) data: Data,
    pub(crate) at: Span,
}

/// A value. Numbers keep their text, so that no precision and no range is lost before they are checked.
#[derive(Debug, Clone)]
pub(crate) enum Data {
    Text(String),
    Integer(String),
    Float(String),
    Switch(bool),
    Time(String),
    List(Vec<Node>),
    Table(Table),
}

/// A table and where it begins.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub(crate) entries: Vec<Entry>,
    pub(crate) at: Span,
}

/// One key of a table with its value.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_at: Span,
    pub(crate) node: Node,
}

impl Node {
    /// What it is, for messages: `the string "x"`, `the number 3`, `a table`.
    pub(crate) fn describe(&self) -> String {
        match &self.data {
            Data::Text(text) => format!("the string {text:?}"),
            Data::Integer(text) | Data::Float(text) => format!("the number {text}"),
            Data::Switch(on) => format!("the switch {on}"),
            Data::Time(text) => format!("the date or time {text}"),
            Data::List(_) => "a list".to_owned(),
            Data::Table(_) => "a table".to_owned(),
        }
    }

    /// The value of a number.
    pub(crate) fn number(&self) -> Option<f64> {
        match &self.data {
            Data::Integer(text) | Data::Float(text) => text.replace('_', "").parse().ok(),
            _ => None,
        }
    }

    /// The text of a string, number, switch or date; none for lists and tables.
    pub(crate) fn scalar_text(&self) -> Option<String> {
        match &self.data {
            Data::Text(text) | Data::Integer(text) | Data::Float(text) | Data::Time(text) => Some(text.clone()),
            Data::Switch(on) => Some(on.to_string()),
            Data::List(_) | Data::Table(_) => None,
        }
    }
}

impl Table {
    /// A table without entries.
    pub(crate) fn empty(at: Span) -> Table {
        Table { entries: Vec::new(), at }
    }

    /// The entry with this key.
    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// The value of this key.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.node)
    }

    /// The value of this key if it is a table.
    pub(crate) fn table_mut(&mut self, key: &str) -> Option<&mut Table> {
        self.entries.iter_mut().find(|entry| entry.key == key).and_then(|entry| match &mut entry.node.data {
            Data::Table(table) => Some(table),
            _ => None,
        })
    }

    /// Takes the entry with this key out.
    pub(crate) fn remove(&mut self, key: &str) -> Option<Entry> {
        let index = self.entries.iter().position(|entry| entry.key == key)?;
        Some(self.entries.remove(index))
    }

    /// Adds an entry, merging tables, replacing any other value of the same key.
    pub(crate) fn put(&mut self, entry: Entry) {
        let Some(old) = self.entries.iter_mut().find(|old| old.key == entry.key) else {
            self.entries.push(entry);
            return;
        };
        old.key_at = entry.key_at;
        match (&mut old.node.data, entry.node.data) {
            (Data::Table(below), Data::Table(above)) => {
                below.lay(above);
                old.node.at = entry.node.at;
            }
            (_, data) => old.node = Node { data, at: entry.node.at },
        }
    }

    /// Lays `above` over this table.
    pub(crate) fn lay(&mut self, above: Table) {
        // A device is a profile or what fio measured.
        let (fio, profile) =
            (|table: &Table| table.get("fio").is_some(), |table: &Table| table.get("profile").is_some());
        let other_device = fio(&above) && (profile(self) || fio(self)) || profile(&above) && fio(self);
        // A rule of another file has other parameters.
        if other_device || ["kind", "profile", "file"].iter().any(|key| self.states_other(&above, key)) {
            *self = above;
            return;
        }
        for entry in above.entries {
            self.put(entry);
        }
        self.at = above.at;
    }

    fn states_other(&self, above: &Table, key: &str) -> bool {
        let text = |table: &Table| table.get(key).and_then(Node::scalar_text);
        match (text(self), text(above)) {
            (Some(below), Some(above)) => below != above,
            _ => false,
        }
    }
}

/// The tree of a TOML document, or everything that is wrong with its syntax.
pub(crate) fn parse(source: usize, text: &str) -> Result<Table, Vec<Problem>> {
    let (document, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        return Err(errors.iter().take(5).map(|error| syntax_problem(source, text, error)).collect());
    }
    let at = Span { source, start: 0, end: 0 };
    Ok(table(source, document.into_inner(), at))
}

fn syntax_problem(source: usize, text: &str, error: &toml::de::Error) -> Problem {
    let range = error.span().unwrap_or(text.len()..text.len());
    let mut message = error.message().replace('\n', "; ");
    if message.is_empty() {
        message.push_str("something is missing here");
    }
    let problem = Problem::new(format!("not TOML: {message}")).at(Span { source, start: range.start, end: range.end });
    if message.contains("duplicate key") {
        problem.help("each key can stand once in a table; keep one of the two")
    } else {
        problem.help("strings need quotes (\"10G\"), keys and values are joined by `=`, tables open with [name]")
    }
}

/// The value of a `--set`: TOML where it is TOML, otherwise a string without its quotes.
pub(crate) fn parse_argument_value(source: usize, text: &str, start: usize) -> Node {
    let at = Span { source, start, end: start + text.len() };
    match DeValue::parse(text) {
        Ok(value) => {
            let mut node = self::node(source, value);
            relocate(&mut node, at);
            node
        }
        Err(_) => Node { data: Data::Text(text.trim().to_owned()), at },
    }
}

/// Everything inside an argument is placed at the whole value.
fn relocate(node: &mut Node, at: Span) {
    node.at = at;
    match &mut node.data {
        Data::List(items) => items.iter_mut().for_each(|item| relocate(item, at)),
        Data::Table(table) => {
            table.at = at;
            for entry in &mut table.entries {
                entry.key_at = at;
                relocate(&mut entry.node, at);
            }
        }
        _ => {}
    }
}

fn table(source: usize, written: DeTable<'_>, at: Span) -> Table {
    let mut entries: Vec<Entry> = written
        .into_iter()
        .map(|(key, value)| Entry {
            key_at: Span { source, start: key.span().start, end: key.span().end },
            key: key.into_inner().into_owned(),
            node: node(source, value),
        })
        .collect();
    entries.sort_by_key(|entry| entry.key_at.start);
    Table { entries, at }
}

fn node(source: usize, written: Spanned<DeValue<'_>>) -> Node {
    let at = Span { source, start: written.span().start, end: written.span().end };
    let data = match written.into_inner() {
        DeValue::String(text) => Data::Text(text.into_owned()),
        DeValue::Integer(number) => Data::Integer(integer_text(&number)),
        DeValue::Float(number) => Data::Float(number.as_str().to_owned()),
        DeValue::Boolean(on) => Data::Switch(on),
        DeValue::Datetime(time) => Data::Time(time.to_string()),
        DeValue::Array(items) => Data::List(items.into_iter().map(|item| node(source, item)).collect()),
        DeValue::Table(entries) => Data::Table(table(source, entries, at)),
    };
    Node { data, at }
}

/// Decimal digits, whatever the radix was.
fn integer_text(number: &DeInteger<'_>) -> String {
    if number.radix() == 10 {
        return number.as_str().trim_start_matches('+').to_owned();
    }
    i128::from_str_radix(number.as_str(), number.radix()).map_or_else(|_| number.to_string(), |value| value.to_string())
}
