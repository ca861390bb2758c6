//! What is wrong with a rule, in words for the person who wrote it.

use std::fmt;

/// Something wrong with the text of a rule or with what it did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fault {
    /// Line in the rule's text, from 1; 0 if it is nowhere in particular.
    pub line: usize,
    /// Column in that line, characters from 1; 0 for the whole line.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// The likely fix; may be empty.
    pub help: String,
}

impl Fault {
    /// A fault without a place.
    pub fn new(message: impl Into<String>) -> Fault {
        Fault { message: message.into(), ..Fault::default() }
    }

    /// The same at a place.
    #[must_use]
    pub fn at(self, line: usize, column: usize) -> Fault {
        Fault { line, column, ..self }
    }

    /// The same with a likely fix.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Fault {
        Fault { help: help.into(), ..self }
    }

    /// `file:line:column: message`, as far as the place is known.
    pub fn in_file(&self, file: &str) -> String {
        match (self.line, self.column) {
            (0, _) => format!("{file}: {}", self.message),
            (line, 0) => format!("{file}:{line}: {}", self.message),
            (line, column) => format!("{file}:{line}:{column}: {}", self.message),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if self.help.is_empty() { Ok(()) } else { write!(f, "\n  = help: {}", self.help) }
    }
}

impl std::error::Error for Fault {}
