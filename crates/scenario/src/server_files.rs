//! `my_cnf` and `show_variables` of `[server]`: the settings of a real server, taken from what its people have.
//!
//! Both are read into statements, a name and a value each with its line ([`option_file`], [`show_variables`]); each
//! statement is judged against the model ([`judge`]), and what the model understands is laid under the table's own
//! keys:
//!
//! ```text
//!   model's default  <  my_cnf  <  show_variables  <  keys of [server]  <  --set
//! ```
//!
//! From there on such a setting is like any other, except that every remark about it points into the file it came from.

mod elsewhere;
mod judge;
mod option_file;
mod show_variables;
mod table;

pub use elsewhere::{as_option_file, as_rows};
pub use judge::redo_sizes_out_of_force;
pub(crate) use show_variables::place_of;
pub use show_variables::show_pair;
pub use table::{
    SettingRow, SettingStatus, SettingsFile, SettingsFileKind, SettingsReading, read_settings_files, removed_lines,
};

use crate::diagnostic::{Problem, Report};
use crate::node::{Data, Entry, Table};
use crate::source::{SourceMap, Span};
use innosim_flush_models::registry::{ModelId, ServerVersion, normal_name};
use judge::{BINARY_LOG, Judge};
use option_file::Groups;
use std::path::{Path, PathBuf};

/// A setting as a file states it.
#[derive(Debug, Clone)]
pub(crate) struct Statement {
    /// Name as written.
    pub(crate) name: String,
    pub(crate) name_at: Span,
    /// Value, if there is one, and where it stands.
    pub(crate) value: Option<(String, Span)>,
}

/// The models that settings are read for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Models {
    /// The model that is to run.
    pub(crate) model: ModelId,
    /// The model that the scenario itself names, if the command line names another.
    pub(crate) written_for: Option<ModelId>,
}

/// Takes the names of files out of a table of settings and puts what the files say under the table's own keys.
///
/// Without a model (it is missing or misspelt, which is reported elsewhere) the files are not read.
pub(crate) fn lay_files(
    server: &mut Table,
    folder: Option<&Path>,
    models: Option<Models>,
    sources: &mut SourceMap,
    report: &Report,
) -> Vec<SettingsFile> {
    let named: Vec<(SettingsFileKind, Entry)> = [SettingsFileKind::MyCnf, SettingsFileKind::ShowVariables]
        .into_iter()
        .filter_map(|kind| Some((kind, server.remove(kind.key())?)))
        .collect();
    let Some(models) = models else { return Vec::new() };
    let mut files = Vec::new();
    let variables = named.iter().any(|(kind, _)| *kind == SettingsFileKind::ShowVariables);
    let binary_log_stated = variables || server.entries.iter().any(|entry| entry.key.replace('-', "_") == BINARY_LOG);
    let mut below = Table::empty(server.at);
    for (kind, entry) in named {
        let Data::Text(path) = &entry.node.data else {
            let problem = Problem::new(format!("`server.{}` is {}", kind.key(), entry.node.describe()));
            report.add(problem.at(entry.node.at).allowed("a string: the path of a file"));
            continue;
        };
        let path = folder.map_or_else(|| PathBuf::from(path), |folder| folder.join(path));
        let place = Some(entry.node.at);
        if let Some((file, entries)) = read_one(kind, &path, place, binary_log_stated, models, sources, report) {
            entries.into_iter().for_each(|entry| below.put(entry));
            files.push(file);
        }
    }
    for entry in std::mem::take(&mut server.entries) {
        below.put(entry);
    }
    server.entries = below.entries;
    files
}

/// Reads one file and judges what it says. `place` is where the file is named, if it is named in a text;
/// `binary_log_stated`: whether something that wins over the file says if there is a binary log.
fn read_one(
    kind: SettingsFileKind,
    path: &Path,
    place: Option<Span>,
    binary_log_stated: bool,
    models: Models,
    sources: &mut SourceMap,
    report: &Report,
) -> Option<(SettingsFile, Vec<Entry>)> {
    let statements = match kind {
        SettingsFileKind::MyCnf => option_file::read(path, place, &Groups::of(models.model), sources, report)?,
        SettingsFileKind::ShowVariables => show_variables::read(path, place, sources, report)?,
    };
    let judge = Judge { kind, models, sources, report };
    let (rows, mut entries) = judge.all(statements);
    if !binary_log_stated {
        // No line of the file is to blame.
        entries.extend(judge.silence(&entries, place));
    }
    Some((SettingsFile { kind, path: path.display().to_string(), rows }, entries))
}

/// What server the text of SHOW GLOBAL VARIABLES in a file is of, if it says so.
pub fn server_of_variables(path: &Path) -> Option<ServerVersion> {
    let (mut sources, report) = (SourceMap::default(), Report::default());
    let statements = show_variables::read(path, None, &mut sources, &report)?;
    let last = |name: &str| statements.iter().rev().find(|statement| normal_name(&statement.name) == name);
    ServerVersion::of_variables(|name| last(name)?.value.as_ref().map(|(value, _)| value.as_str()))
}

/// The statements of an option file's text, for a model: what a fuzzer calls.
#[doc(hidden)]
pub fn fuzz_option_file(model: ModelId, text: &str) -> usize {
    let (mut sources, report) = (SourceMap::default(), Report::default());
    let statements = option_file::parse_alone(text, &Groups::of(model), &mut sources, &report);
    let models = Models { model, written_for: None };
    let judge = Judge { kind: SettingsFileKind::MyCnf, models, sources: &sources, report: &report };
    let rows = judge.all(statements).0.len();
    let said = report.finish(&sources).map_or_else(|errors| errors.to_string(), |notes| format!("{notes:?}"));
    rows + said.len()
}

/// The same for the text of SHOW GLOBAL VARIABLES.
#[doc(hidden)]
pub fn fuzz_show_variables(model: ModelId, text: &str) -> usize {
    let (mut sources, report) = (SourceMap::default(), Report::default());
    let source = sources.add_file("variables.txt", text);
    let statements = show_variables::parse(source, text, &report);
    let models = Models { model, written_for: None };
    let judge = Judge { kind: SettingsFileKind::ShowVariables, models, sources: &sources, report: &report };
    let rows = judge.all(statements).0.len();
    let said = report.finish(&sources).map_or_else(|errors| errors.to_string(), |notes| format!("{notes:?}"));
    rows + said.len()
}
