//! Option files (my.cnf), as mysqld and mariadbd read them.
//!
//! Source: "Using Option Files" and "Program Option Modifiers" of the MySQL Reference Manual, "Configuring MariaDB with
//! Option Files" of the MariaDB documentation.
//!
//! Groups that the server does not read are skipped (`[client]`, `[mysqldump]`, another series' `[mysqld-8.4]`).
//! Comments begin with `#`, anywhere outside of quotes, or with `;` at the start of a line. Values may stand in single
//! or double quotes and hold escapes. `!include` and `!includedir` are followed, folders in the order of names, `*.cnf`
//! only.
//!
//! Differences: a relative path of an include is relative to the file that holds it, not to the server's working
//! directory; and an included file that is missing is an error, as what it says would be missed (servers pass it over
//! in silence), where a missing folder is a warning. Names can't be abbreviated.

use super::elsewhere::inside_yaml;
use super::{Statement, as_option_file};
use crate::diagnostic::{Problem, Report};
use crate::not_a_scenario::is_option_file;
use crate::source::{SourceMap, Span};
use crate::text_file::read_text;
use innosim_flush_models::registry::ModelId;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Longest chain of option files that include each other, as servers have it.
const MAX_DEPTH: usize = 10;

/// The groups that a server reads.
#[derive(Debug)]
pub(super) struct Groups {
    names: Vec<String>,
}

impl Groups {
    /// Those of a model's server.
    pub(super) fn of(model: ModelId) -> Groups {
        let (product, version) = model.name().split_once('-').unwrap_or((model.name(), ""));
        let series: Vec<&str> = version.split('.').take(2).collect();
        let series = series.join(".");
        let bases: &[&str] = if product == "mariadb" {
            &["mysqld", "server", "client-server", "mariadb", "mariadbd", "galera"]
        } else {
            &["mysqld", "server"]
        };
        let mut names: Vec<String> = bases.iter().map(|base| (*base).to_owned()).collect();
        for base in bases.iter().filter(|base| !["server", "client-server", "galera"].contains(base)) {
            names.push(format!("{base}-{series}"));
        }
        Groups { names }
    }

    fn reads(&self, group: &str) -> bool {
        self.names.iter().any(|name| name.eq_ignore_ascii_case(group))
    }
}

/// An option file being read, with what it includes.
struct Reader<'a> {
    groups: &'a Groups,
    sources: &'a mut SourceMap,
    report: &'a Report,
    statements: Vec<Statement>,
    /// The chain of files that led here, as they are and as they are shown.
    chain: Vec<(PathBuf, String)>,
    /// Groups that were seen and not read.
    skipped: Vec<String>,
    any_group: bool,
}

/// The statements of a file for the server, includes followed. Nothing if the file can't be read, which is reported.
pub(super) fn read(
    path: &Path,
    place: Option<Span>,
    groups: &Groups,
    sources: &mut SourceMap,
    report: &Report,
) -> Option<Vec<Statement>> {
    let text = match read_text(path, "give the path of an option file, such as my.cnf") {
        Ok(text) if is_option_file(&text) => inside_yaml(&text).unwrap_or(text),
        Ok(text) => as_option_file(&text).unwrap_or(text),
        Err(problem) => {
            report.add(Problem { at: place, ..problem });
            return None;
        }
    };
    let mut reader = Reader::new(groups, sources, report);
    reader.file(path, &text);
    reader.finish(place)
}

/// The statements of a text; includes are reported, as there is no folder.
pub(super) fn parse_alone(text: &str, groups: &Groups, sources: &mut SourceMap, report: &Report) -> Vec<Statement> {
    let mut reader = Reader::new(groups, sources, report);
    reader.file(Path::new("no-such-folder/my.cnf"), text);
    reader.finish(None).unwrap_or_default()
}

impl<'a> Reader<'a> {
    fn new(groups: &'a Groups, sources: &'a mut SourceMap, report: &'a Report) -> Reader<'a> {
        let (statements, chain, skipped) = (Vec::new(), Vec::new(), Vec::new());
        Reader { groups, sources, report, statements, chain, skipped, any_group: false }
    }

    /// Warns if there was nothing for the server.
    fn finish(self, place: Option<Span>) -> Option<Vec<Statement>> {
        if !self.any_group {
            let found = if self.skipped.is_empty() { "no group at all".to_owned() } else { self.skipped.join(", ") };
            let at = place.or_else(|| Some(Span { source: 0, start: 0, end: 0 }).filter(|_| !self.chain.is_empty()));
            let problem = Problem::new(format!("the option file has nothing for the server: it has {found}"));
            let wanted: Vec<String> = self.groups.names.iter().map(|name| format!("[{name}]")).collect();
            let of_mariadb = |group: &String| group.starts_with("[mariadb") || group.starts_with("[galera");
            let mut help = format!("the server reads {}", wanted.join(", "));
            if self.skipped.iter().any(of_mariadb) {
                help.push_str("; MariaDB reads the others: name its version, such as --model 10.11");
            }
            let problem = problem.help(help).into_warning();
            self.report.add(Problem { at, ..problem });
        }
        Some(self.statements)
    }

    fn file(&mut self, path: &Path, text: &str) {
        let label = path.display().to_string();
        let source = self.sources.add_file(&label, text);
        self.chain.push((path.canonicalize().unwrap_or_else(|_| path.to_path_buf()), label));
        let mut group: Option<bool> = None;
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            self.line(source, start, line, &mut group, path);
            start += line.len();
        }
        self.chain.pop();
    }

    /// One line. `group` says whether lines count for the server; nothing before the first group.
    fn line(&mut self, source: usize, start: usize, line: &str, group: &mut Option<bool>, path: &Path) {
        let lead = line.len() - line.trim_start().len();
        let text = line.trim();
        let at = Span { source, start: start + lead, end: start + lead + text.len() };
        match text.as_bytes().first() {
            None | Some(b'#' | b';') => {}
            Some(b'!') => self.include(text, at, path),
            Some(b'[') => match text[1..].split_once(']') {
                Some((name, _)) => {
                    let name = name.trim();
                    let read = self.groups.reads(name);
                    self.any_group |= read;
                    let shown = format!("[{name}]");
                    if !read && !self.skipped.contains(&shown) {
                        self.skipped.push(shown);
                    }
                    *group = Some(read);
                }
                None => {
                    let problem = Problem::new("the name of a group does not end").at(at);
                    self.report.add(problem.help("write it as [mysqld]"));
                    *group = Some(false);
                }
            },
            Some(_) => match group {
                Some(true) => self.statements.extend(statement(text, at)),
                Some(false) => {}
                None => {
                    let problem = Problem::new(format!("`{text}` stands before any group")).at(at);
                    self.report.add(problem.help("servers refuse such a file; put [mysqld] above it"));
                    *group = Some(false);
                }
            },
        }
    }

    fn include(&mut self, text: &str, at: Span, path: &Path) {
        let (word, wanted) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let wanted = wanted.trim();
        if !["!include", "!includedir"].contains(&word) || wanted.is_empty() {
            let problem = Problem::new(format!("`{text}` is no directive")).at(at);
            self.report.add(problem.allowed("!include FILE, !includedir FOLDER"));
            return;
        }
        let wanted = path.parent().map_or_else(|| PathBuf::from(wanted), |folder| folder.join(wanted));
        if word == "!include" {
            self.included(&wanted, at);
            return;
        }
        match option_files_in(&wanted) {
            Ok(files) => files.iter().for_each(|file| self.included(file, at)),
            Err(error) => {
                let message = format!("{}: the folder can't be read: {error}", wanted.display());
                let problem = Problem::new(message).at(at);
                self.report.add(if error.kind() == ErrorKind::NotFound {
                    missed(problem)
                } else {
                    problem.help(BRING)
                });
            }
        }
    }

    fn included(&mut self, path: &Path, at: Span) {
        let canonical = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        if self.chain.iter().any(|(seen, _)| *seen == canonical) || self.chain.len() >= MAX_DEPTH {
            let mut names: Vec<String> = self.chain.iter().map(|(_, label)| label.clone()).collect();
            names.push(path.display().to_string());
            let message = format!("option files include each other in a circle: {}", names.join(" -> "));
            self.report.add(Problem::new(message).at(at).help("take one of the !include lines out"));
            return;
        }
        match read_text(path, BRING) {
            Ok(text) => self.file(path, &text),
            Err(problem) => self.report.add(problem.at(at)),
        }
    }
}

/// What to do about an included file that can't be read.
const BRING: &str = "bring it along, or take the line out: its settings would be missed";

/// A file of another machine comes without the folders that it includes, which are often empty: a warning.
fn missed(problem: Problem) -> Problem {
    let help = "it is not on this machine; if it sets anything, such as innodb_buffer_pool_size or a flush method, that is \
                missed here: bring it along, or give the text of SHOW GLOBAL VARIABLES";
    problem.help(help).into_warning()
}

/// The option files in a folder, in the order of their names.
fn option_files_in(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "cnf") && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The statement that a line makes; nothing if only a comment is left of it.
fn statement(line: &str, at: Span) -> Option<Statement> {
    let text = line[..end_of_statement(line)].trim_end();
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name.trim_end(), Some(value)),
        None => (text, None),
    };
    if name.is_empty() && value.is_none() {
        return None;
    }
    let name_at = Span { end: at.start + name.len(), ..at };
    let value = value.map(|value| {
        let start = at.start + text.len() - value.trim_start().len();
        let span = Span { source: at.source, start, end: (at.start + text.len()).max(start) };
        (unquoted(value.trim()), if value.trim().is_empty() { name_at } else { span })
    });
    Some(Statement { name: name.to_owned(), name_at, value })
}

/// Where a comment begins that ends the line, or the line itself ends.
fn end_of_statement(line: &str) -> usize {
    let mut quote = None;
    let mut escaped = false;
    for (index, c) in line.char_indices() {
        match (quote, c) {
            (None, '#') => return index,
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open && !escaped => quote = None,
            _ => {}
        }
        escaped = quote.is_some() && c == '\\' && !escaped;
    }
    line.len()
}

/// A value without its quotes, escapes resolved.
fn unquoted(value: &str) -> String {
    let inner = ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote)).unwrap_or(value);
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            text.push(c);
            continue;
        }
        match rest.next() {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            Some('b') => text.push('\u{8}'),
            Some('s') => text.push(' '),
            Some('\\') | None => text.push('\\'),
            Some(other) => text.extend(['\\', other]),
        }
    }
    text
}
