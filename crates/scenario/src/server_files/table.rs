//! What was made of a real server's settings, for people: a row for each statement of a file.

use super::{Models, read_one};
use crate::diagnostic::{Diagnostic, Diagnostics, Report};
use crate::node::{Entry, Table};
use crate::server::{Context, read_server};
use crate::source::{SourceMap, Span};
use innosim_flush_models::registry::{Host, ModelId, Settings};
use std::path::Path;

/// What kind of file settings come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingsFileKind {
    /// An option file of the server.
    MyCnf,
    /// The text of SHOW GLOBAL VARIABLES.
    ShowVariables,
}

impl SettingsFileKind {
    /// The key of `[server]` that names such a file.
    pub const fn key(self) -> &'static str {
        match self {
            SettingsFileKind::MyCnf => "my_cnf",
            SettingsFileKind::ShowVariables => "show_variables",
        }
    }
}

/// What became of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingStatus {
    /// The model takes it.
    Understood,
    /// The same setting is stated again further down.
    Superseded,
    /// The server may know it; it changes nothing in the model.
    NoEffect,
    /// The server does not start with it, as this version no longer has it; it is left out.
    Removed,
    /// The server would refuse it.
    Wrong,
}

impl SettingStatus {
    /// As results spell it.
    pub const fn name(self) -> &'static str {
        match self {
            SettingStatus::Understood => "understood",
            SettingStatus::Superseded => "superseded",
            SettingStatus::NoEffect => "no_effect",
            SettingStatus::Removed => "removed",
            SettingStatus::Wrong => "wrong",
        }
    }
}

/// One statement of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingRow {
    /// The setting, with underscores and without modifiers.
    pub name: String,
    /// Value as the server takes it.
    pub value: String,
    /// File, and line from 1.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// What became of it.
    pub status: SettingStatus,
    /// Why, or what is worth knowing; may be empty.
    pub remark: String,
}

/// A file of settings, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsFile {
    /// What it is.
    pub kind: SettingsFileKind,
    /// Its path, as it was opened.
    pub path: String,
    /// Its statements, those of included files in their place.
    pub rows: Vec<SettingRow>,
}

impl SettingsFile {
    /// Number of statements with this status.
    pub fn count(&self, status: SettingStatus) -> usize {
        self.rows.iter().filter(|row| row.status == status).count()
    }

    /// In a line: `my.cnf: 12 settings understood, 5 without effect in the model`.
    pub fn in_a_line(&self) -> String {
        let understood = self.count(SettingStatus::Understood);
        let settings = if understood == 1 { "setting" } else { "settings" };
        let no_effect = self.count(SettingStatus::NoEffect);
        format!("{}: {understood} {settings} understood, {no_effect} without effect in the model", self.path)
    }
}

/// What is said of the lines of an option file with which the server of `model` does not start; nothing without any.
pub fn removed_lines(model: ModelId, rows: &[SettingRow]) -> Option<String> {
    let removed = rows.iter().filter(|row| row.status == SettingStatus::Removed);
    let lines: Vec<String> = removed.map(|row| format!("{} (line {})", row.name, row.line)).collect();
    let what = if lines.len() == 1 { "this line, which is" } else { "these lines, which are" };
    (!lines.is_empty()).then(|| format!("{model} does not start with {what} left out here: {}", lines.join(", ")))
}

/// What files of settings come to for a model.
#[derive(Debug)]
pub struct SettingsReading {
    /// The files that could be read.
    pub files: Vec<SettingsFile>,
    /// Every setting of the model, if nothing is wrong.
    pub settings: Option<Settings>,
    /// What is wrong, or else what is worth knowing.
    pub diagnostics: Result<Vec<Diagnostic>, Diagnostics>,
}

/// Reads files of settings as a scenario for `model` would, on a host of `cores` hardware threads.
pub fn read_settings_files(model: ModelId, files: &[(SettingsFileKind, &Path)], cores: u32) -> SettingsReading {
    let mut sources = SourceMap::default();
    let report = Report::default();
    let models = Models { model, written_for: None };
    let mut table = Table::empty(Span { source: usize::MAX, start: 0, end: 0 });
    let mut read = Vec::new();
    let variables = files.iter().any(|(kind, _)| *kind == SettingsFileKind::ShowVariables);
    for (kind, path) in files {
        if let Some((file, entries)) = read_one(*kind, path, None, variables, models, &mut sources, &report) {
            entries.into_iter().for_each(|entry: Entry| table.put(entry));
            read.push(file);
        }
    }
    let context = Context {
        model,
        written_for: None,
        host: Host { logical_cpus: cores, memory_bytes: None },
        rotational: None,
        sources: &sources,
        report: &report,
    };
    let settings = read_server(Some(&table), table.at, &context);
    let diagnostics = report.finish(&sources);
    SettingsReading { files: read, settings, diagnostics }
}
