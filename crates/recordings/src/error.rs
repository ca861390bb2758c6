//! What can be wrong with a recording.

use std::fmt;
use std::path::{Path, PathBuf};

/// A recording that can't be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordingError {
    /// The file or folder.
    pub path: PathBuf,
    /// The line, where one is to blame.
    pub line: Option<u64>,
    /// What was found.
    pub problem: String,
    /// What is allowed, the likely fix.
    pub help: String,
}

impl RecordingError {
    pub(crate) fn new(path: &Path, problem: impl Into<String>, help: impl Into<String>) -> Self {
        RecordingError { path: path.to_owned(), line: None, problem: problem.into(), help: help.into() }
    }

    pub(crate) fn at_line(self, line: Option<u64>) -> Self {
        RecordingError { line, ..self }
    }
}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}\n  = help: {}", self.problem, self.help)
    }
}

impl std::error::Error for RecordingError {}

/// What a recording lacks for a purpose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// Name of the recording.
    pub recording: String,
    /// What is missing, in words.
    pub what: String,
    /// What it is needed for.
    pub purpose: String,
    /// What to record.
    pub help: String,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: no {}, which {} needs\n  = help: {}", self.recording, self.what, self.purpose, self.help)
    }
}

impl std::error::Error for Missing {}
