//! Reading one table: each key is looked up by name, converted and checked against its declaration.
//!
//! A wrong value is reported and replaced by some valid one, so that reading goes on and every independent mistake is
//! found in one go; nobody uses the result once the report holds an error. Whatever is read is also noted as resolved
//! text, from which a scenario is written out again.

use crate::diagnostic::{Problem, Report};
use crate::key::{Key, Kind, Presence, keys, variants};
use crate::node::{Data, Entry, Node, Table, parse_argument_value};
use crate::resolved::{Resolved, number, quoted};
use crate::source::Span;
use crate::suggest::{did_you_mean, join_or};
use crate::units::{in_one_line, parse_bandwidth};
use std::borrow::Cow;

/// Earlier versions had a second way.
const ALWAYS_ONE_BY_ONE: &str = "every page is simulated one by one: leave the key out";

/// A table being read.
#[derive(Debug)]
pub(crate) struct Section<'a> {
    table: &'a Table,
    path: String,
    keys: &'static [Key],
    pub(crate) report: &'a Report,
    pub(crate) resolved: Resolved,
}

impl<'a> Section<'a> {
    /// Opens a table whose path is `path` ("" for the root) and reports the keys that it doesn't take: those that it takes are in
    /// the table `known` of `keys.toml`.
    pub(crate) fn open(table: &'a Table, known: &str, path: impl Into<String>, report: &'a Report) -> Self {
        let keys = keys(known);
        let section = Section { table, path: path.into(), keys, report, resolved: Resolved::default() };
        for entry in &table.entries {
            if !keys.iter().any(|key| key.name == entry.key) {
                report.add(section.unknown(entry));
            }
        }
        section
    }

    /// Opens the variant of `group` that the table's `kind` names; reports and returns nothing if there is none.
    pub(crate) fn open_variant(
        table: &'a Table,
        group: &str,
        path: impl Into<String>,
        report: &'a Report,
    ) -> Option<(&'static str, Self)> {
        let path = path.into();
        let variants = variants(group);
        let names: Vec<&str> = variants.iter().map(|(name, _)| *name).collect();
        let Some(node) = table.get("kind") else {
            let problem = Problem::new(format!("`{path}` has no `kind`")).at(table.at);
            report.add(problem.allowed(join_or(&names)).help(format!("add kind = \"{}\"", names[0])));
            return None;
        };
        let written = node.scalar_text().unwrap_or_default();
        let Some((name, keys)) = variants.iter().find(|(name, _)| *name == written) else {
            let problem = Problem::new(format!("`{path}.kind` is {}", node.describe())).at(node.at);
            let help = did_you_mean(&written, &names).unwrap_or_default();
            report.add(problem.allowed(join_or(&names)).help(help));
            return None;
        };
        let mut section = Section { table, path, keys, report, resolved: Resolved::default() };
        section.resolved.value("kind", quoted(name));
        for entry in &table.entries {
            if entry.key != "kind" && !keys.iter().any(|key| key.name == entry.key) {
                report.add(section.unknown(entry));
            }
        }
        Some((name, section))
    }

    fn unknown(&self, entry: &Entry) -> Problem {
        let names: Vec<&str> = self.keys.iter().map(|key| key.name).collect();
        let here = if self.path.is_empty() { "a scenario".to_owned() } else { format!("`{}`", self.path) };
        let problem = Problem::new(format!("{here} has no key `{}`", entry.key)).at(entry.key_at);
        let near = did_you_mean(&entry.key.replace('-', "_"), &names);
        let setting = entry.key.starts_with("innodb") && self.path.is_empty();
        let help = match near {
            _ if setting => "server settings stand in the table [server]".to_owned(),
            _ if entry.key == "pages" && self.path.is_empty() => ALWAYS_ONE_BY_ONE.to_owned(),
            Some(near) => near,
            None => String::new(),
        };
        let allowed = if names.is_empty() { "no keys".to_owned() } else { names.join(", ") };
        if help.is_empty() { problem.allowed(allowed) } else { problem.help(help) }
    }

    /// `table.key`, for messages.
    pub(crate) fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// Its own path, for messages.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Where the table begins.
    pub(crate) fn at(&self) -> Span {
        self.table.at
    }

    /// Where a key's value stands, or else the table.
    pub(crate) fn at_key(&self, name: &str) -> Span {
        self.table.get(name).map_or(self.table.at, |node| node.at)
    }

    /// Whether a key was written.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.table.get(name).is_some()
    }

    fn key(&self, name: &str) -> &'static Key {
        match self.keys.iter().find(|key| key.name == name) {
            Some(key) => key,
            None => unreachable!("`{name}` is not declared for `{}`", self.path),
        }
    }

    /// The value that was written, or the default. Reports a required key that is missing.
    fn node(&self, name: &str) -> Option<Cow<'a, Node>> {
        if let Some(node) = self.table.get(name) {
            return Some(Cow::Borrowed(node));
        }
        match self.key(name).presence {
            Presence::Default(toml) => {
                let mut node = parse_argument_value(self.table.at.source, toml, 0);
                node.at = self.table.at;
                Some(Cow::Owned(node))
            }
            Presence::Otherwise(_) => None,
            Presence::Required => {
                let key = self.key(name);
                let problem = Problem::new(format!("`{}` is missing", self.path_of(name))).at(self.table.at);
                self.report.add(problem.allowed(key.kind.allowed()).help(self.meaning(name)));
                None
            }
        }
    }

    /// The problem that a value is not what the key takes.
    pub(crate) fn refuse(&self, name: &str, node: &Node, why: &str) -> Problem {
        let mut message = format!("`{}` is {}", self.path_of(name), node.describe());
        if !why.is_empty() {
            message.push_str(": ");
            message.push_str(why);
        }
        Problem::new(message).at(node.at).allowed(self.key(name).kind.allowed())
    }

    /// What the key is for, as a hint to a value that makes sense.
    fn meaning(&self, name: &str) -> String {
        format!("it means: {}", self.key(name).help)
    }

    pub(crate) fn refuse_type<T>(&self, name: &str, node: &Node, help: &str) -> Option<T> {
        self.report.add(self.refuse(name, node, "").help(help));
        None
    }

    /// A string.
    pub(crate) fn text(&mut self, name: &str) -> Option<String> {
        let node = self.node(name)?;
        let text = match &node.data {
            Data::Text(text) => in_one_line(text),
            _ => return self.refuse_type(name, &node, "put it in quotes"),
        };
        self.resolved.value(name, quoted(&text));
        Some(text)
    }

    /// A string that may also be written as a bare number (`8.0`); it is not noted as resolved.
    pub(crate) fn loose_text(&self, name: &str) -> Option<(String, Span)> {
        let node = self.node(name)?;
        match node.scalar_text() {
            Some(text) => Some((text, node.at)),
            None => self.refuse_type(name, &node, "put it in quotes"),
        }
    }

    /// A list of strings, each with its place.
    pub(crate) fn names(&mut self, name: &str) -> Vec<(String, Span)> {
        let Some(node) = self.node(name) else { return Vec::new() };
        let Data::List(items) = &node.data else {
            return self.refuse_type(name, &node, "").unwrap_or_default();
        };
        let mut names = Vec::new();
        for item in items {
            match &item.data {
                Data::Text(text) => names.push((text.clone(), item.at)),
                _ => self.report.add(self.refuse(name, item, "an item of the list must be a string")),
            }
        }
        if items.is_empty() {
            self.report.add(self.refuse(name, &node, "it is empty").help("name at least one"));
        }
        let quoted: Vec<String> = names.iter().map(|(text, _)| quoted(text)).collect();
        self.resolved.value(name, format!("[{}]", quoted.join(", ")));
        names
    }

    /// `true` or `false`.
    pub(crate) fn switch(&mut self, name: &str) -> bool {
        let Some(node) = self.node(name) else { return false };
        let Data::Switch(on) = node.data else {
            return self.refuse_type(name, &node, "write true or false without quotes").unwrap_or_default();
        };
        self.resolved.value(name, on.to_string());
        on
    }

    /// One of the names that the key takes.
    pub(crate) fn choice(&mut self, name: &str) -> &'static str {
        let Kind::OneOf(names) = self.key(name).kind else { unreachable!("`{name}` is no choice") };
        let Some(node) = self.node(name) else { return names[0] };
        let written = node.scalar_text().unwrap_or_default();
        match names.iter().find(|name| **name == written) {
            Some(choice) => {
                self.resolved.value(name, quoted(choice));
                choice
            }
            None => {
                let help = did_you_mean(&written, names).unwrap_or_else(|| self.key(name).help.to_owned());
                self.refuse_type(name, &node, &help).unwrap_or(names[0])
            }
        }
    }

    /// A whole number; `None` if it is optional and left out, or wrong.
    pub(crate) fn optional_integer(&mut self, name: &str) -> Option<u64> {
        let Kind::Integer { min, max } = self.key(name).kind else { unreachable!("`{name}` is no whole number") };
        let node = self.node(name)?;
        let Data::Integer(text) = &node.data else {
            let quoted = matches!(&node.data, Data::Text(text) if text.trim().parse::<u64>().is_ok());
            let help = if quoted { "write the number without quotes" } else { "" };
            return self.refuse_type(name, &node, help);
        };
        match text.parse::<u64>() {
            Ok(value) if (min..=max).contains(&value) => {
                self.resolved.value(name, value.to_string());
                Some(value)
            }
            _ => self.refuse_type(name, &node, &self.meaning(name)),
        }
    }

    /// A whole number.
    pub(crate) fn integer(&mut self, name: &str) -> u64 {
        self.optional_integer(name).unwrap_or(1)
    }

    /// A whole number of 32 bits.
    pub(crate) fn count(&mut self, name: &str) -> u32 {
        u32::try_from(self.integer(name)).unwrap_or(u32::MAX)
    }

    /// A number; `None` if it is optional and left out, or wrong.
    pub(crate) fn optional_real(&mut self, name: &str) -> Option<f64> {
        let Kind::Real { min, max, above } = self.key(name).kind else { unreachable!("`{name}` is no number") };
        let node = self.node(name)?;
        let Some(value) = node.number() else {
            return self.refuse_type(name, &node, &as_a_number(&node).unwrap_or_default());
        };
        if !(min..=max).contains(&value) || (above && value <= min) {
            return self.refuse_type(name, &node, &self.meaning(name));
        }
        self.resolved.value(name, number(value));
        Some(value)
    }

    /// A number.
    pub(crate) fn real(&mut self, name: &str) -> f64 {
        self.optional_real(name).unwrap_or(1.0)
    }

    /// A ceiling: a number above 0, or "none".
    pub(crate) fn ceiling(&mut self, name: &str) -> Option<f64> {
        let node = self.node(name)?;
        let value = match &node.data {
            Data::Text(text) if text == "none" => {
                self.resolved.value(name, quoted("none"));
                return None;
            }
            Data::Text(text) if matches!(self.key(name).kind, Kind::Bandwidth) => match parse_bandwidth(text) {
                Ok(value) => value,
                Err(why) => {
                    self.report.add(self.refuse(name, &node, &why));
                    return None;
                }
            },
            _ => match node.number() {
                Some(value) => value,
                None => return self.refuse_type(name, &node, ""),
            },
        };
        if !(1.0..=1e12).contains(&value) {
            return self.refuse_type(name, &node, "write \"none\" for no ceiling");
        }
        self.resolved.value(name, number(value));
        Some(value)
    }

    /// The node of an optional table, list or distribution.
    pub(crate) fn raw(&self, name: &str) -> Option<Cow<'a, Node>> {
        self.node(name)
    }

    /// A table, empty if it may be left out and is.
    pub(crate) fn table(&self, name: &str) -> Option<&'a Table> {
        match self.table.get(name) {
            Some(Node { data: Data::Table(table), .. }) => Some(table),
            Some(other) => self.refuse_type(name, other, &format!("open it with [{}]", self.path_of(name))),
            None => {
                self.node(name);
                None
            }
        }
    }

    /// A table that may be left out, opened with the keys that its declaration names.
    pub(crate) fn section(&self, name: &str) -> Option<Section<'a>> {
        let Kind::Table(known) = self.key(name).kind else { unreachable!("`{name}` is no table") };
        Some(Section::open(self.table(name)?, known, self.path_of(name), self.report))
    }

    /// A list of tables, each opened with the keys that its declaration names: `drive.step[1]`, `drive.step[2]`.
    pub(crate) fn sections(&self, name: &str) -> impl Iterator<Item = Section<'a>> + use<'a> {
        let Kind::Tables(known) = self.key(name).kind else { unreachable!("`{name}` is no list of tables") };
        let (path, report) = (self.path_of(name), self.report);
        let tables = self.tables(name).into_iter().zip(1..);
        tables.map(move |(table, number)| Section::open(table, known, format!("{path}[{number}]"), report))
    }

    /// Reports that a length of time is none.
    pub(crate) fn refuse_no_time(&self, name: &str, help: &str) {
        let problem = Problem::new(format!("`{}` is no time at all", self.path_of(name))).at(self.at_key(name));
        self.report.add(problem.help(help));
    }

    fn tables(&self, name: &str) -> Vec<&'a Table> {
        let Some(node) = self.table.get(name) else {
            self.node(name);
            return Vec::new();
        };
        let help = format!("open each with [[{}]]", self.path_of(name));
        let Data::List(items) = &node.data else {
            return self.refuse_type(name, node, &help).unwrap_or_default();
        };
        let mut tables = Vec::new();
        for item in items {
            match &item.data {
                Data::Table(table) => tables.push(table),
                _ => self.report.add(self.refuse(name, item, "an item of the list must be a table").help(&help)),
            }
        }
        if items.is_empty() && matches!(self.key(name).presence, Presence::Required) {
            self.report.add(self.refuse(name, node, "it is empty").help(help));
        }
        tables
    }
}

/// How to write a number that is a string: in quotes, or spelled as TOML doesn't (`.5`, `5.`).
fn as_a_number(node: &Node) -> Option<String> {
    let Data::Text(text) = &node.data else { return None };
    let value = text.trim().parse::<f64>().ok().filter(|value| value.is_finite())?;
    Some(format!("write {} without quotes", number(value)))
}
