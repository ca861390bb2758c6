//! `[server]`: the server's settings under their real names, as a my.cnf spells them.
//!
//! The registry of the models knows names, ranges and defaults; here its errors get their place in the scenario. A
//! setting that only the file's own model knows is left out, with a warning, when the command line asks for another
//! model, so that one scenario can be run with several.

mod never_fits;
mod redo_size;
mod to_tnt;

pub(crate) use never_fits::refuse_what_never_fits;

use crate::diagnostic::{Problem, Report};
use crate::node::{Entry, Table};
use crate::resolved::{Resolved, quoted};
use crate::source::{SourceMap, Span};
use innosim_flush_models::registry::{
    Host, Kind, ModelId, Setting, Settings, SettingsError, UnknownReason, Value, lookup, normal_name, parse_value,
    settings,
};
use std::collections::BTreeMap;

/// A setting whose meaning hangs on the disk.
const FLUSH_NEIGHBORS: &str = "innodb_flush_neighbors";

/// Settings that were written, by name.
type Explicit = BTreeMap<&'static str, Value>;

/// What is known besides the table.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    /// The model that is to run.
    pub(crate) model: ModelId,
    /// The model that the scenario itself names, if the command line names another.
    pub(crate) written_for: Option<ModelId>,
    /// What of its machine the server takes defaults from.
    pub(crate) host: Host,
    /// Whether the disk of the data files says that it rotates, if that is known.
    pub(crate) rotational: Option<bool>,
    pub(crate) sources: &'a SourceMap,
    pub(crate) report: &'a Report,
}

/// Reads the settings, fills in defaults, and checks that they go together. `root` is blamed where nothing was written.
pub(crate) fn read_server(table: Option<&Table>, root: Span, context: &Context<'_>) -> Option<Settings> {
    let mut explicit = BTreeMap::new();
    let entries = table.map_or(&[][..], |table| &table.entries);
    for entry in entries {
        if redo_size::is_carried_over(entry, entries, context) || to_tnt::is_carried_over(entry, context) {
            continue;
        }
        if let Some((name, value)) = read_setting(entry, context) {
            explicit.insert(name, value);
        }
    }
    redo_size::carry_over(entries, &mut explicit, context);
    to_tnt::carry_over(entries, &mut explicit, context);
    neighbors_by_the_disk(entries, &mut explicit, context);
    if context.report.has_errors() {
        return None;
    }
    match Settings::resolve_on(context.model, &explicit, context.host) {
        Ok(settings) => {
            report_notes(&settings, entries, context);
            Some(settings)
        }
        Err(error) => {
            context.report.add(combination_problem(&error, entries, root));
            None
        }
    }
}

/// A MariaDB flushes neighbours on a disk that says that it rotates, and takes the setting as 0 on any other, whatever
/// SHOW VARIABLES shows. Its default is 1; without a word of the disk the model's is 0.
fn neighbors_by_the_disk(entries: &[Entry], explicit: &mut Explicit, context: &Context<'_>) {
    let (true, Some(rotates)) = (context.model.is_mariadb(), context.rotational) else { return };
    if rotates {
        explicit.entry(FLUSH_NEIGHBORS).or_insert(Value::Integer(1));
        return;
    }
    let was = explicit.insert(FLUSH_NEIGHBORS, Value::Integer(0));
    if let (Some(Value::Integer(1..)), Some(entry)) = (was, entry_of(entries, FLUSH_NEIGHBORS))
        && context.sources.on_command_line(entry.key_at)
    {
        let problem =
            Problem::new("innosim takes innodb_flush_neighbors as 0: the device does not rotate").at(whole(entry));
        context
            .report
            .add(problem.help("so does the server; --set device.rotational=true says otherwise").into_warning());
    }
}

fn entry_of<'e>(entries: &'e [Entry], setting: &str) -> Option<&'e Entry> {
    entries.iter().find(|entry| entry.key == setting)
}

fn combination_problem(error: &SettingsError, entries: &[Entry], root: Span) -> Problem {
    let at = entry_of(entries, &error.setting).map_or(root, whole);
    Problem::new(format!("{}: {}", error.setting, error.problem)).at(at).help(error.help.as_str())
}

/// Key and value.
fn whole(entry: &Entry) -> Span {
    if entry.key_at.source != entry.node.at.source || entry.key_at.start > entry.node.at.end {
        return entry.node.at;
    }
    Span { end: entry.node.at.end, ..entry.key_at }
}

/// A buffer that may be larger than the redo log, and what says how large that is.
const LOG_BUFFER: &str = "innodb_log_buffer_size";
const SIZES_OF_REDO: [&str; 3] = ["innodb_redo_log_capacity", "innodb_log_file_size", "innodb_log_files_in_group"];

/// Remarks of the registry about settings that were written.
fn report_notes(settings: &Settings, entries: &[Entry], context: &Context<'_>) {
    for note in &settings.notes {
        if note.setting == FLUSH_NEIGHBORS && context.rotational.is_some() {
            continue;
        }
        // A rule holds for defaults too: what is too large beside a small redo log need not be written.
        let redo =
            || SIZES_OF_REDO.iter().filter(|_| note.setting == LOG_BUFFER).find_map(|name| entry_of(entries, name));
        if let Some(entry) = entry_of(entries, note.setting).or_else(redo) {
            let problem = Problem::new(format!("{}: {}", note.setting, note.text)).at(whole(entry));
            context.report.add(problem.into_warning());
        }
    }
    for change in &settings.adjustments {
        if let Some(entry) = entry_of(entries, change.setting) {
            let spell =
                |value| lookup(context.model, change.setting).map_or(String::new(), |s: Setting| s.spell(value));
            let message =
                format!("{}: the server uses {} instead of {}", change.setting, spell(change.to), spell(change.from));
            context.report.add(Problem::new(message).at(whole(entry)).help(change.why.as_str()).into_warning());
        }
    }
}

fn read_setting(entry: &Entry, context: &Context<'_>) -> Option<(&'static str, Value)> {
    let setting = match lookup(context.model, &entry.key) {
        Ok(setting) => setting,
        Err(unknown) => {
            let problem = Problem::new(format!("{}: {}", entry.key, unknown.why)).at(entry.key_at);
            context.report.add(match unknown.reason {
                UnknownReason::WithoutEffect => problem.help("it may stay; it changes nothing here").into_warning(),
                _ if is_of_the_files_model(entry, context) => {
                    // The same words for all models that don't have it, so that a comparison says them once.
                    let why = unknown.why.split_once("; ").map_or(unknown.why.as_str(), |(_, history)| history);
                    let message = format!("{} is dropped: {why}", entry.key);
                    Problem::new(message).at(entry.key_at).into_warning()
                }
                _ => problem.help(help_for_unknown(entry, &unknown.help)),
            });
            return None;
        }
    };
    let Some(text) = entry.node.scalar_text() else {
        let problem = Problem::new(format!("{} is {}", setting.name, entry.node.describe())).at(entry.node.at);
        context.report.add(problem.allowed(allowed(&setting)));
        return None;
    };
    match parse_value(&setting, &text) {
        Ok(value) => Some((setting.name, value)),
        Err(_) if is_of_the_files_model(entry, context) && is_good_there(entry, &text, context) => {
            let near = nearest(&setting, entry, &text, context);
            let taken = near.map_or("its default is taken".to_owned(), |v| format!("{} is taken", setting.spell(v)));
            let message = format!("{} = {} is not for {}", setting.name, text.trim(), context.model);
            let problem = Problem::new(message).at(entry.node.at).allowed(allowed(&setting));
            context.report.add(problem.help(taken).into_warning());
            near.map(|value| (setting.name, value))
        }
        Err(error) => {
            let message = format!("{} = {}: {}", setting.name, text.trim(), error.problem);
            let help = error.help.split("allowed: ").next().unwrap_or_default().trim_end_matches([' ', ',']).to_owned();
            context.report.add(Problem::new(message).at(entry.node.at).allowed(allowed(&setting)).help(help));
            None
        }
    }
}

/// The values that a setting takes, with their unit.
pub(crate) fn allowed(setting: &Setting) -> String {
    match setting.unit {
        "" | "bytes" => setting.allowed(),
        unit => format!("{} ({unit})", setting.allowed()),
    }
}

/// Whether the file's own model knows a setting that the model asked for on the command line doesn't.
fn is_of_the_files_model(entry: &Entry, context: &Context<'_>) -> bool {
    let known = context.written_for.is_some_and(|model| lookup(model, &entry.key).is_ok());
    known && !context.sources.on_command_line(entry.key_at)
}

/// Whether the file's own model takes a value.
fn is_good_there(entry: &Entry, text: &str, context: &Context<'_>) -> bool {
    let there = context.written_for.and_then(|model| lookup(model, &entry.key).ok());
    there.is_some_and(|setting| parse_value(&setting, text).is_ok())
}

/// What comes nearest, among the values of `setting`, to a number that the file's own model takes.
fn nearest(setting: &Setting, entry: &Entry, text: &str, context: &Context<'_>) -> Option<Value> {
    let there = lookup(context.written_for?, &entry.key).ok()?;
    match (setting.kind, parse_value(&there, text).ok()?) {
        (Kind::Integer { min, max }, Value::Integer(v)) => Some(Value::Integer(v.clamp(min, max))),
        (Kind::Bytes { min, max, step }, Value::Integer(v)) => {
            Some(Value::Integer((v.clamp(min, max) / step * step).max(min)))
        }
        (Kind::Real { min, max }, Value::Real(v)) => Some(Value::Real(v.clamp(min, max))),
        _ => None,
    }
}

fn help_for_unknown(entry: &Entry, help: &str) -> String {
    match crate::scenario_keys::home_of(&entry.key) {
        Some(path) => format!("it is a key of the scenario: {path}"),
        None => help.to_owned(),
    }
}

/// All settings as they were resolved, so that they resolve to the same values when they are set.
///
/// Left out are the sizes of redo files that the server ignores, and a default that the server tolerates but refuses
/// from a person (a log buffer larger than the redo log).
pub(crate) fn resolved_settings(resolved: &Settings, host: Host) -> Resolved {
    let mut explicit = resolved.values.clone();
    let is_default = |name: &str| lookup(resolved.model, name).is_ok_and(|s| s.default == resolved.get(s.name));
    if resolved.get("innodb_redo_log_capacity").is_some() {
        for name in ["innodb_log_file_size", "innodb_log_files_in_group"] {
            if is_default(name) {
                explicit.remove(name);
            }
        }
    }
    while let Err(refused) = Settings::resolve_on(resolved.model, &explicit, host) {
        let known = explicit.keys().copied().find(|name| *name == refused.setting && is_default(name));
        match known {
            Some(name) => explicit.remove(name),
            None => break,
        };
    }
    let mut table = Resolved::default();
    for setting in settings(resolved.model) {
        if let Some(value) = explicit.get(setting.name) {
            table.value(setting.name, toml_of(&setting, *value));
        }
    }
    table
}

fn toml_of(setting: &Setting, value: Value) -> String {
    match (setting.kind, value) {
        (Kind::Bytes { .. }, Value::Integer(_)) | (_, Value::Switch(_) | Value::Choice(_)) => {
            quoted(&setting.spell(value))
        }
        (_, Value::Integer(number)) => number.to_string(),
        (_, Value::Real(number)) => crate::resolved::number(number),
    }
}

/// Gives each setting its one spelling, so that layers meet; two spellings of one setting in a layer are a mistake.
pub(crate) fn normalize(table: &mut Table, report: &Report) {
    let mut seen: Vec<Entry> = Vec::new();
    for mut entry in std::mem::take(&mut table.entries) {
        let written = std::mem::take(&mut entry.key);
        entry.key = normal_name(&written);
        if seen.iter().any(|other| other.key == entry.key) {
            let problem = Problem::new(format!("{written} is set twice")).at(entry.key_at);
            report.add(problem.help("`-` and `_` are the same in names of settings; keep one of the two lines"));
        } else {
            seen.push(entry);
        }
    }
    table.entries = seen;
}
