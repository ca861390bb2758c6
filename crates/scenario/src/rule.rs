//! `rule`: another adaptive flushing rule than the server's own, from a file or by name, and values of its parameters.
//!
//! ```text
//!   rule = "my_rule.rhai"            a file beside the scenario, or the name of a shipped or registered rule
//!   [rule]                           the same with values
//!   file = "my_rule.rhai"
//!   gain = 0.5
//! ```
//!
//! The text of the rule becomes part of the scenario as soon as its layer is read (`text`), so that a resolved scenario
//! needs no file beside it, and a rule of an upper layer replaces one of a lower layer whole. `"server"` stands for the
//! server's own rule.

use crate::diagnostic::{Problem, Report};
use crate::layered::Layered;
use crate::node::{Data, Entry, Node, Table};
use crate::resolved::{Resolved, number, quoted};
use crate::source::{SourceMap, Span};
use crate::suggest::did_you_mean;
use crate::text_file::read_text;
use innosim_flush_models::registry::Settings;
use innosim_rules::{Fault, Parameter, Rule, Values};
use std::path::Path;

/// The name of the server's own rule.
pub(crate) const SERVER: &str = "server";
const RULE: &str = "a rule is a script (docs/rules.md), or the name of a shipped one: `innosim rules` lists them";

/// A rule with the values of its parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct ChosenRule {
    /// The rule.
    pub rule: Rule,
    /// Its file, or the name that it goes by.
    pub file: String,
    /// Values that were given.
    pub values: Values,
}

/// Brings the `rule` of a layer into its one form, a table with `file` and, for a script, `text`.
pub(crate) fn prepare_rule(
    layer: &mut Table,
    folder: Option<&Path>,
    hosted: Option<&Rule>,
    sources: &mut SourceMap,
    report: &Report,
) {
    let Some(entry) = layer.entries.iter_mut().find(|entry| entry.key == "rule") else { return };
    if let Data::Text(_) = &entry.node.data {
        let at = entry.node.at;
        let node = std::mem::replace(&mut entry.node, Node { data: Data::Table(Table::empty(at)), at });
        if let Data::Table(table) = &mut entry.node.data {
            table.put(Entry { key: "file".to_owned(), key_at: at, node });
        }
    }
    let Data::Table(table) = &mut entry.node.data else { return };
    match text_of(table, folder, hosted, sources) {
        Ok(Some(text)) => table.put(text),
        Ok(None) => {}
        Err(problem) => report.add(problem),
    }
}

/// The entry `text` of a rule table: its own, as a source of its own, or that of the file which it names.
fn text_of(
    table: &mut Table,
    folder: Option<&Path>,
    hosted: Option<&Rule>,
    sources: &mut SourceMap,
) -> Result<Option<Entry>, Problem> {
    let Some(file) = table.entries.iter_mut().find(|entry| entry.key == "file") else { return Ok(None) };
    let Data::Text(name) = &mut file.node.data else { return Ok(None) };
    let at = file.node.at;
    let label = name.clone();
    if let Some(Entry { node: Node { data: Data::Text(text), .. }, .. }) = table.entry("text") {
        let text = text.clone();
        return Ok(Some(text_entry(&label, text, sources)));
    }
    if hosted.is_some() {
        // Whatever is named here, the rule of the program takes its place.
        return Ok(None);
    }
    let path = folder.map_or_else(|| Path::new(&label).to_path_buf(), |folder| folder.join(&label));
    if path.is_file() {
        let text = read_text(&path, RULE).map_err(|problem| problem.at(at))?;
        let label = path.display().to_string();
        if let Some(Entry { node: Node { data: Data::Text(name), .. }, .. }) =
            table.entries.iter_mut().find(|entry| entry.key == "file")
        {
            name.clone_from(&label);
        }
        return Ok(Some(text_entry(&label, text, sources)));
    }
    if label == SERVER {
        return Ok(None);
    }
    match Rule::named(&label) {
        Some(rule) => Ok(rule.text().map(|text| text_entry(&label, text.to_owned(), sources))),
        None => {
            let names = [Rule::names(), Rule::museum()].concat();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let what = if path.exists() { "is no file" } else { "is neither a file nor a shipped rule" };
            let problem = Problem::new(format!("rule `{}` {what}", path.display())).at(at);
            Err(problem.help(did_you_mean(&label, &names).unwrap_or_else(|| RULE.to_owned())))
        }
    }
}

fn text_entry(label: &str, text: String, sources: &mut SourceMap) -> Entry {
    let text = text.replace("\r\n", "\n");
    let source = sources.add_file(label, &text);
    let at = Span::whole(source, text.len());
    Entry { key: "text".to_owned(), key_at: at, node: Node { data: Data::Text(text), at } }
}

/// Reads the rule, checks it, and checks that the server takes one.
pub(crate) fn read_rule(
    layered: &Layered,
    settings: &Settings,
    sources: &SourceMap,
    report: &Report,
) -> Option<(ChosenRule, Resolved)> {
    let entry = layered.tree.entry("rule")?;
    let Data::Table(table) = &entry.node.data else {
        let problem = Problem::new(format!("`rule` is {}", entry.node.describe())).at(entry.node.at);
        report.add(problem.allowed("the path of a file or the name of a rule, or a table with `file`").help(RULE));
        return None;
    };
    let Some(file) = table.get("file") else {
        let problem = Problem::new("`rule` has values, and no rule that they are for").at(table.at);
        report.add(problem.help("name the rule: --rule FILE, or file = \"my_rule.rhai\" in [rule]"));
        return None;
    };
    let Data::Text(name) = &file.data else {
        let problem = Problem::new(format!("`rule.file` is {}", file.describe())).at(file.at);
        report.add(problem.allowed("a string").help(RULE));
        return None;
    };
    if layered.hosted.is_none() && name == SERVER && table.get("text").is_none() {
        if let Some(value) = table.entries.iter().find(|entry| entry.key != "file") {
            let problem = Problem::new(format!("the server's own rule has no parameter `{}`", value.key));
            report.add(problem.at(value.key_at).help("its parameters are the server's settings"));
        }
        return None;
    }
    let rule = layered.hosted.clone().or_else(|| checked(name, table, sources, report))?;
    let values = values(&rule, table, report);
    if report.has_errors() {
        return None;
    }
    if let Err(error) = rule.server(&values, settings) {
        report.add(Problem::new(format!("rule {name}: {}", error.problem)).at(file.at).help(error.help));
        return None;
    }
    if settings.model.is_mariadb() && settings.switch("innodb_adaptive_flushing") == Ok(false) {
        let problem = Problem::new(format!("rule {name} is never asked: innodb_adaptive_flushing is OFF")).at(file.at);
        report.add(problem.help("set innodb_adaptive_flushing = ON").into_warning());
    }
    let resolved = resolved(name, &rule, &values);
    Some((ChosenRule { rule, file: name.clone(), values }, resolved))
}

/// The rule of a table that names one.
fn checked(name: &str, table: &Table, sources: &SourceMap, report: &Report) -> Option<Rule> {
    let Some(text) = table.get("text") else { return Rule::named(name) };
    let Data::Text(script) = &text.data else {
        let problem = Problem::new(format!("`rule.text` is {}", text.describe())).at(text.at);
        report.add(problem.allowed("a string: the text of the rule"));
        return None;
    };
    match Rule::from_script(name, script) {
        Ok(rule) => Some(rule),
        Err(fault) => {
            report.add(problem_of(name, &fault, text.at, sources));
            None
        }
    }
}

/// A fault of a rule, at its line.
fn problem_of(name: &str, fault: &Fault, text: Span, sources: &SourceMap) -> Problem {
    let at = sources.at_line(text.source, fault.line, fault.column);
    Problem::new(format!("rule {name}: {}", fault.message)).at(at.unwrap_or(text)).help(fault.help.as_str())
}

/// Values of parameters that were given, each known and in its range.
fn values(rule: &Rule, table: &Table, report: &Report) -> Values {
    let mut values = Values::default();
    for entry in table.entries.iter().filter(|entry| !["file", "text"].contains(&entry.key.as_str())) {
        let Some(parameter) = rule.parameter(&entry.key) else {
            report.add(unknown(rule, entry));
            continue;
        };
        match entry.node.number().filter(|value| parameter.takes(*value)) {
            Some(value) => {
                values.0.insert(entry.key.clone(), value);
            }
            None => {
                let problem = Problem::new(format!("`rule.{}` is {}", entry.key, entry.node.describe()));
                let help = format!("it means: {}", parameter.help);
                report.add(problem.at(entry.node.at).allowed(parameter.allowed()).help(help));
            }
        }
    }
    values
}

fn unknown(rule: &Rule, entry: &Entry) -> Problem {
    let names: Vec<&str> = rule.parameters().iter().map(|parameter| parameter.name.as_str()).collect();
    let problem = Problem::new(format!("rule {} has no parameter `{}`", rule.name(), entry.key)).at(entry.key_at);
    let allowed = if names.is_empty() { "it declares none".to_owned() } else { names.join(", ") };
    problem.allowed(allowed).help(did_you_mean(&entry.key, &names).unwrap_or_default())
}

/// File, text and all values, defaults too.
fn resolved(name: &str, rule: &Rule, values: &Values) -> Resolved {
    let mut table = Resolved::default();
    table.value("file", quoted(name));
    if let Some(text) = rule.text() {
        table.value("text", quoted(text));
    }
    for parameter in rule.parameters() {
        let Parameter { name, .. } = parameter;
        table.value(name, number(values.of(parameter)));
    }
    table
}
