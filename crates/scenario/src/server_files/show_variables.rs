//! The text of SHOW GLOBAL VARIABLES, in the forms in which people keep it.
//!
//! - lines `name<tab>value` (`mysql --batch`, pt-stalk's `-variables` files), with or without heads;
//! - the bordered table of the `mysql` client and of `mysqladmin variables`;
//! - the vertical form of `\G`;
//! - JSON: an object of names and values, or one that holds such an object under `"variables"`; or a list of rows, each
//!   with `Variable_name` and `Value`, as such or under `"rows"` (`mysqlsh --result-format=json`);
//! - quoted CSV and the XML of `mysql --xml`.
//!
//! Lines that are none of these (a timestamp of pt-stalk, `120 rows in set`) are passed over.

use super::{Statement, as_rows};
use crate::diagnostic::{Problem, Report};
use crate::source::{SourceMap, Span};
use crate::text_file::read_text;
use serde_json::Value;
use std::path::Path;

const WANTED: &str = "save what `mysql -e 'SHOW GLOBAL VARIABLES'` prints, and give the path of that file";

/// The variables that a file holds. Nothing if it can't be read, which is reported.
pub(super) fn read(
    path: &Path,
    place: Option<Span>,
    sources: &mut SourceMap,
    report: &Report,
) -> Option<Vec<Statement>> {
    match read_text(path, WANTED) {
        Ok(text) => {
            let text = as_rows(&text).unwrap_or(text);
            let source = sources.add_file(&path.display().to_string(), &text);
            Some(parse(source, &text, report))
        }
        Err(problem) => {
            report.add(Problem { at: place, ..problem });
            None
        }
    }
}

/// The variables that a text holds; reports a text without any.
pub(super) fn parse(source: usize, text: &str, report: &Report) -> Vec<Statement> {
    let statements = if is_json(text) {
        match serde_json::from_str::<Value>(text) {
            Ok(value) => from_json(source, text, &value),
            Err(error) => {
                let at = place_of(source, text, error.line(), error.column());
                report.add(Problem::new(format!("not JSON: {error}")).at(at).help(WANTED));
                return Vec::new();
            }
        }
    } else {
        from_lines(source, text)
    };
    if statements.is_empty() {
        let looks_like_options = text.lines().any(|line| line.trim_start().starts_with("[mysqld"));
        let help = if looks_like_options { "it looks like an option file: use my_cnf" } else { WANTED };
        let at = Span { source, start: 0, end: 0 };
        report.add(Problem::new("no variables are found in the text").at(at).help(help));
    }
    statements
}

/// Whether it begins as an object or a list of objects. A group of an option file begins with a bracket too.
fn is_json(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with('{') || text.strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with(['{', ']']))
}

/// The place that a JSON error names.
pub(crate) fn place_of(source: usize, text: &str, line: usize, column: usize) -> Span {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let start = (before + column.saturating_sub(1)).min(text.len());
    Span { source, start, end: start }
}

fn from_lines(source: usize, text: &str) -> Vec<Statement> {
    let mut statements = Vec::new();
    let mut vertical: Option<(String, Span)> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let at = |part: &str| {
            // `part` is a piece of `line`.
            let offset = part.as_ptr() as usize - line.as_ptr() as usize;
            Span { source, start: start + offset, end: start + offset + part.len() }
        };
        let trimmed = line.trim();
        if let Some(name) = trimmed.strip_prefix("Variable_name:") {
            vertical = Some((name.trim().to_owned(), at(name.trim())));
        } else if let (Some(value), Some((name, name_at))) = (trimmed.strip_prefix("Value:"), vertical.take()) {
            let value = Some((value.trim().to_owned(), at(value.trim())));
            statements.push(Statement { name, name_at, value });
        } else if let Some((name, value)) = show_pair(trimmed)
            && is_name(name)
            && name != "Variable_name"
        {
            let value = Some((value.to_owned(), at(value)));
            statements.push(Statement { name: name.to_owned(), name_at: at(name), value });
        }
        start += line.len();
    }
    statements
}

/// Name and value of a line of the bordered table or of batch output, as clients print SHOW VARIABLES and SHOW STATUS.
pub fn show_pair(line: &str) -> Option<(&str, &str)> {
    if let Some(inner) = line.strip_prefix('|') {
        let (name, value) = inner.strip_suffix('|')?.split_once('|')?;
        return Some((name.trim(), value.trim()));
    }
    match line.split_once('\t') {
        Some((name, value)) => Some((name.trim(), value.trim())),
        // A variable without a value, its tab trimmed away, is of no use.
        None => None,
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c))
}

fn from_json(source: usize, text: &str, value: &Value) -> Vec<Statement> {
    if let Some(rows) = rows_of(value) {
        return from_rows(source, text, rows);
    }
    let inner = value.get("variables").filter(|inner| inner.is_object());
    let mut from = if inner.is_some() { text.find("\"variables\"").unwrap_or(0) } else { 0 };
    let Some(object) = inner.unwrap_or(value).as_object() else { return Vec::new() };
    let mut statements = Vec::new();
    for (name, value) in object {
        let Some(value) = scalar(value) else { continue };
        let name_at = place_of_name(source, text, name, &mut from);
        statements.push(Statement { name: name.clone(), name_at, value: Some((value, name_at)) });
    }
    statements
}

/// The rows of a list, or of what holds one.
fn rows_of(value: &Value) -> Option<&Vec<Value>> {
    value.as_array().or_else(|| value.get("rows")?.as_array())
}

/// `[{"Variable_name": "innodb_io_capacity", "Value": "200"}, ...]`.
fn from_rows(source: usize, text: &str, rows: &[Value]) -> Vec<Statement> {
    let field = |row: &Value, key: &str| {
        let (_, value) = row.as_object()?.iter().find(|(name, _)| name.eq_ignore_ascii_case(key))?;
        scalar(value)
    };
    let mut from = 0;
    let mut statements = Vec::new();
    for row in rows {
        let value = field(row, "Value").or_else(|| field(row, "Variable_value"));
        let (Some(name), Some(value)) = (field(row, "Variable_name"), value) else { continue };
        let name_at = place_of_name(source, text, &name, &mut from);
        statements.push(Statement { name, name_at, value: Some((value, name_at)) });
    }
    statements
}

/// A value as the client prints it; nothing for one that is no single value.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(on) => Some(if *on { "ON" } else { "OFF" }.to_owned()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Where a name stands in JSON. Names keep their order, so each is looked for behind the last, which `from` remembers.
fn place_of_name(source: usize, text: &str, name: &str, from: &mut usize) -> Span {
    let quoted = format!("\"{name}\"");
    let start = text[*from..].find(&quoted).map_or(*from, |index| *from + index + 1);
    let name_at = Span { source, start, end: (start + name.len()).min(text.len()) };
    *from = if text.is_char_boundary(name_at.end) { name_at.end } else { *from };
    name_at
}
