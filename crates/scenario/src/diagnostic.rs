//! What is wrong with a scenario, said so that it can be mended: where, what was found, what is allowed, the likely
//! fix.
//!
//! Inside the crate a [`Problem`] points at a span; at the edge it becomes a [`Diagnostic`] with file, line, column and
//! source line. The text form is plain; colour is the business of the terminal program.
//!
//! ```text
//! error: innodb_io_capcity is not a setting of mysql-8.0.21
//!   --> busy.toml:7:1
//!    |
//!  7 | innodb_io_capcity = 2000
//!    | ^^^^^^^^^^^^^^^^^
//!    = help: did you mean innodb_io_capacity?
//! ```

use crate::source::{Place, SourceMap, Span};
use std::cell::RefCell;
use std::fmt;

/// Most errors that are told at once.
const MOST_TOLD: usize = 20;
/// Longest line of a source that is shown whole, characters.
const LONGEST_LINE: usize = 200;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The scenario can't be run.
    Error,
    /// The scenario runs, but perhaps not as its author thinks.
    Warning,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The setting or key, and what was found.
    pub message: String,
    /// Where it was written.
    pub place: Option<Place>,
    /// What is allowed.
    pub allowed: Option<String>,
    /// The likely fix.
    pub help: Option<String>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{severity}: {}", self.message)?;
        let mut indent = " ".to_owned();
        if let Some(place) = &self.place {
            indent = " ".repeat(place.line.to_string().len() + 1);
            write_place(f, place, &indent)?;
        }
        if let Some(allowed) = &self.allowed {
            write!(f, "\n{indent} = allowed: {allowed}")?;
        }
        if let Some(help) = &self.help {
            write!(f, "\n{indent} = help: {help}")?;
        }
        Ok(())
    }
}

fn write_place(f: &mut fmt::Formatter<'_>, place: &Place, indent: &str) -> fmt::Result {
    let (excerpt, marks) = excerpt(place);
    if place.on_command_line {
        write!(f, "\n{indent}--> command line, {}", place.file)?;
        write!(f, "\n{indent} |\n{indent} | {excerpt}\n{indent} | {marks}")
    } else {
        write!(f, "\n{indent}--> {}:{}:{}", place.file, place.line, place.column)?;
        write!(f, "\n{indent} |\n {} | {excerpt}\n{indent} | {marks}", place.line)
    }
}

/// The line of a place, or what of a long one is near it, and the marks below.
fn excerpt(place: &Place) -> (String, String) {
    let before = place.column.saturating_sub(1);
    let length = place.source_line.chars().count();
    if before > length {
        // The line was cut when the place was taken; what is meant comes after it.
        return (format!("{}\u{2026}", place.source_line), " ".repeat(length) + "^");
    }
    if length <= LONGEST_LINE {
        return (place.source_line.clone(), " ".repeat(before) + "^".repeat(place.width).as_str());
    }
    let start = before.saturating_sub(LONGEST_LINE / 2).min(length - LONGEST_LINE);
    let part: String = place.source_line.chars().skip(start).take(LONGEST_LINE).collect();
    let cut = |there: bool| if there { "\u{2026}" } else { "" };
    let excerpt = format!("{}{part}{}", cut(start > 0), cut(start + LONGEST_LINE < length));
    let width = place.width.min(LONGEST_LINE.saturating_sub(before - start)).max(1);
    (excerpt, " ".repeat(before - start + usize::from(start > 0)) + "^".repeat(width).as_str())
}

/// One or more things that are wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// A single one without a place.
    pub(crate) fn single(message: impl Into<String>, help: Option<String>) -> Diagnostics {
        Problem { help, ..Problem::new(message) }.into_diagnostics(&SourceMap::default())
    }

    /// The message of the first.
    pub(crate) fn first_message(&self) -> String {
        self.0.first().map(|first| first.message.clone()).unwrap_or_default()
    }

    /// The same with each changed by `change`.
    #[must_use]
    pub fn map(self, change: impl FnMut(Diagnostic) -> Diagnostic) -> Diagnostics {
        Diagnostics(self.0.into_iter().map(change).collect())
    }

    /// All of them; never empty.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.0.iter()
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.0.iter().take(MOST_TOLD).enumerate() {
            if index > 0 {
                write!(f, "\n\n")?;
            }
            write!(f, "{diagnostic}")?;
        }
        match self.0.len().saturating_sub(MOST_TOLD) {
            0 => Ok(()),
            more => write!(f, "\n\nand {more} more"),
        }
    }
}

impl std::error::Error for Diagnostics {}

/// Something wrong at a span: a [`Diagnostic`] in the making.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    pub(crate) severity: Severity,
    pub(crate) message: String,
    pub(crate) at: Option<Span>,
    pub(crate) allowed: Option<String>,
    pub(crate) help: Option<String>,
}

impl Problem {
    /// An error that is nowhere in particular yet.
    pub(crate) fn new(message: impl Into<String>) -> Problem {
        Problem { severity: Severity::Error, message: message.into(), at: None, allowed: None, help: None }
    }

    /// The same as a warning.
    pub(crate) fn into_warning(mut self) -> Problem {
        self.severity = Severity::Warning;
        self
    }

    /// Where it is.
    pub(crate) fn at(mut self, at: Span) -> Problem {
        self.at = Some(at);
        self
    }

    /// What is allowed.
    pub(crate) fn allowed(mut self, allowed: impl Into<String>) -> Problem {
        self.allowed = Some(allowed.into());
        self
    }

    /// The likely fix.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Problem {
        self.help = Some(help.into()).filter(|help| !help.is_empty());
        self
    }

    fn into_diagnostic(self, sources: &SourceMap) -> Diagnostic {
        Diagnostic {
            severity: self.severity,
            message: self.message,
            place: self.at.and_then(|at| sources.place(at)),
            allowed: self.allowed,
            help: self.help,
        }
    }

    /// As the only thing that is wrong.
    pub(crate) fn into_diagnostics(self, sources: &SourceMap) -> Diagnostics {
        Diagnostics(vec![self.into_diagnostic(sources)])
    }
}

/// Collects problems, so that all independent ones are reported at once.
#[derive(Debug, Default)]
pub(crate) struct Report {
    problems: RefCell<Vec<Problem>>,
}

impl Report {
    /// Adds a problem.
    pub(crate) fn add(&self, problem: Problem) {
        self.problems.borrow_mut().push(problem);
    }

    /// Errors so far.
    pub(crate) fn errors(&self) -> usize {
        self.problems.borrow().iter().filter(|problem| problem.severity == Severity::Error).count()
    }

    /// Whether there are errors so far.
    pub(crate) fn has_errors(&self) -> bool {
        self.errors() > 0
    }

    /// Warnings if there is nothing worse, otherwise the errors, in the order of the texts.
    pub(crate) fn finish(self, sources: &SourceMap) -> Result<Vec<Diagnostic>, Diagnostics> {
        let failed = self.has_errors();
        let mut problems = self.problems.into_inner();
        problems.retain(|problem| !failed || problem.severity == Severity::Error);
        problems.sort_by_key(|problem| problem.at.map_or((usize::MAX, 0), |at| (at.source, at.start)));
        let diagnostics = problems.into_iter().map(|problem| problem.into_diagnostic(sources)).collect();
        if failed { Err(Diagnostics(diagnostics)) } else { Ok(diagnostics) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(column: usize, source_line: &str) -> Diagnostic {
        let place = Place {
            file: "x.toml".to_owned(),
            on_command_line: false,
            line: 1,
            column,
            width: 3,
            source_line: source_line.to_owned(),
        };
        Diagnostic {
            severity: Severity::Error,
            message: "wrong".to_owned(),
            place: Some(place),
            allowed: None,
            help: None,
        }
    }

    #[test]
    fn of_a_long_line_what_is_near_is_shown() {
        for before in [0, 5, 90, 150, 5000, 9_997] {
            let line = format!("{}bad{}", "ä".repeat(before), "x".repeat(9_997 - before));
            let text = at(before + 1, &line).to_string();
            let shown: Vec<&str> = text.lines().collect();
            assert!(text.chars().count() < 600, "{text}");
            let marked: String =
                shown[3].chars().zip(shown[4].chars()).filter(|(_, mark)| *mark == '^').map(|pair| pair.0).collect();
            assert_eq!(marked, "bad");
        }
    }

    #[test]
    fn what_lies_beyond_a_line_that_was_cut_is_marked_at_its_end() {
        let text = at(100_005, "a = [[[[").to_string();
        assert!(text.ends_with(" 1 | a = [[[[\u{2026}\n   |         ^"), "{text}");
    }

    #[test]
    fn of_many_errors_the_first_are_told() {
        let text = Diagnostics(vec![at(1, "bad"); 1000]).to_string();
        assert_eq!(text.matches("error: wrong").count(), MOST_TOLD);
        assert!(text.ends_with("\n\nand 980 more"), "{text}");
    }
}
