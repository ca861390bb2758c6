//! Standard output and standard error, neither of which may bring the program down when nobody reads them.

use crate::exit::{Done, Failure};
use crate::text_table::known_width;
use innosim_report::flowing;
use innosim_scenario::Diagnostic;
use serde_json::Value;
use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{ErrorKind, IsTerminal, Write};

/// Columns of a line where the terminal's width is not known.
const WIDTH: usize = 100;
/// Sentences are not made narrower.
const NARROWEST: usize = 40;
/// Columns that a text needs beside what it is about.
const ROOM: usize = 24;

/// Writes text to standard output.
pub(crate) fn print(text: &str) -> Done {
    let mut out = std::io::stdout().lock();
    out.write_all(harmless(text).as_bytes()).and_then(|()| out.flush()).map_err(unprinted)
}

/// Why standard output did not take something.
pub(crate) fn unprinted(error: std::io::Error) -> Failure {
    match error.kind() {
        ErrorKind::BrokenPipe => Failure::NoReader,
        _ => Failure::Input(format!("can't write to standard output: {error}")),
    }
}

/// Writes one JSON document to standard output.
pub(crate) fn print_json(value: &Value) -> Done {
    print(&(serde_json::to_string_pretty(value)? + "\n"))
}

/// Writes a line to standard error.
pub(crate) fn note(text: &str) {
    // Nobody is left to be told that nobody reads.
    let _ = writeln!(std::io::stderr().lock(), "{}", fitted(&harmless(text), stderr_width()));
}

/// Columns of the terminal that standard error is; `None` if it is none.
fn stderr_width() -> Option<usize> {
    terminal_size::terminal_size().filter(|_| std::io::stderr().is_terminal()).map(|(width, _)| usize::from(width.0))
}

/// The text with its sentences in lines of at most `width` columns: what goes on stands below its beginning. Lines that quote a
/// file or a command, which begin with blanks, stay whole.
fn fitted(text: &str, width: Option<usize>) -> String {
    let Some(width) = width else { return text.to_owned() };
    let fit = |line: &str| {
        let lead = line.find("= ").filter(|at| line[..*at].trim().is_empty()).map(|at| at + 2);
        match lead {
            _ if line.chars().count() <= width => line.to_owned(),
            Some(lead) => flowing(&line[lead..], &line[..lead], lead, width),
            None if line.starts_with(' ') => line.to_owned(),
            None => flowing(line, "", 2, width),
        }
    };
    text.lines().map(fit).collect::<Vec<String>>().join("\n")
}

/// The text with its control characters written out: names of files, and lines of other people's files, may command a
/// terminal.
fn harmless(text: &str) -> Cow<'_, str> {
    let commands = |c: char| c.is_control() && c != '\n' && c != '\t';
    if !text.contains(commands) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if commands(c) { plain.extend(c.escape_unicode()) } else { plain.push(c) }
    }
    Cow::Owned(plain)
}

/// Writes an error to standard error; the words `error` and `warning` stand out where colour is wanted.
pub(crate) fn note_error(text: &str) {
    let lines: Vec<String> = fitted(&harmless(text), stderr_width()).lines().map(highlighted).collect();
    // As above.
    let _ = writeln!(anstream::stderr().lock(), "{}", lines.join("\n"));
}

/// Writes the warnings of a scenario to standard error.
pub(crate) fn note_warnings(warnings: &[Diagnostic], quiet: bool) {
    if !quiet {
        warnings.iter().for_each(|warning| note_error(&format!("{warning}\n")));
    }
}

/// Colour for the whole program as `--color` of these words has it: help and errors of usage are written before the words are
/// understood. What is no choice is left to the usage's own check.
pub(crate) fn choose_color(words: &[OsString]) {
    // So `--color never` and `--color=never` read the same.
    let line: Vec<Cow<'_, str>> = words.iter().map(|word| word.to_string_lossy()).collect();
    let line = line.join("=") + "=";
    if line.contains("=--color=always=") {
        anstream::ColorChoice::Always.write_global();
    } else if line.contains("=--color=never=") {
        anstream::ColorChoice::Never.write_global();
    }
}

fn highlighted(line: &str) -> String {
    for (word, code) in [("error:", "\u{1b}[1;31m"), ("warning:", "\u{1b}[1;33m")] {
        if let Some(rest) = line.strip_prefix(word) {
            return format!("{code}{word}\u{1b}[0m{rest}");
        }
    }
    line.to_owned()
}

/// The command line, with the program's plain name.
pub(crate) fn command() -> String {
    let arguments = std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    shell_line(std::iter::once("innosim".to_owned()).chain(arguments))
}

/// The words of a command as a shell takes them.
pub(crate) fn shell_line(words: impl IntoIterator<Item = String>) -> String {
    let quoted = |word: String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@+".contains(c);
        if !word.is_empty() && word.chars().all(plain) { word } else { format!("'{}'", word.replace('\'', "'\\''")) }
    };
    words.into_iter().map(quoted).collect::<Vec<String>>().join(" ")
}

/// `text` in lines of at most 100 columns, fewer on a narrower terminal, each after `indent` blanks, with an end of line.
pub(crate) fn wrapped(text: &str, indent: usize) -> String {
    hanging(text, &" ".repeat(indent))
}

/// The same after `lead`, below which the other lines begin; below the whole of it where little room is left beside it.
pub(crate) fn hanging(text: &str, lead: &str) -> String {
    let width = known_width().map_or(WIDTH, |known| known.clamp(NARROWEST, WIDTH));
    let column = lead.chars().count();
    if column > 0 && column + ROOM > width && column + text.chars().count() > width {
        let below = " ".repeat(8);
        return format!("{}\n{}\n", lead.trim_end(), flowing(text, &below, below.len(), width));
    }
    flowing(text, lead, column, width) + "\n"
}

/// Figures and sentences in lines as wide as the terminal, if its width is known: what goes on stands below what its label, which
/// two blanks end, is followed by.
pub(crate) fn within_window(text: &str) -> String {
    let Some(width) = known_width().map(|known| known.max(NARROWEST)) else { return text.to_owned() };
    let fit = |line: &str| {
        if line.chars().count() <= width {
            return format!("{line}\n");
        }
        let label = line.trim_start().find("  ").map_or(0, |end| line.len() - line.trim_start().len() + end);
        let lead = line[label..].find(|c: char| c != ' ').map_or(0, |blanks| label + blanks);
        match lead {
            _ if !line.starts_with(' ') => flowing(line, "", 2, width) + "\n",
            lead if lead + ROOM <= width => flowing(&line[lead..], &line[..lead], lead, width) + "\n",
            _ => flowing(line, "  ", 4, width) + "\n",
        }
    };
    text.lines().map(fit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_commands_the_terminal() {
        assert_eq!(harmless("a\u{1b}[31m\tb\r\n"), "a\\u{1b}[31m\tb\\u{d}\n");
        assert!(matches!(harmless("plain \u{b1} 1\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn lines_stay_within_their_width() {
        let text = wrapped(&"word ".repeat(60), 4);
        assert!(text.lines().all(|line| line.len() <= WIDTH && line.starts_with("    word")), "{text}");
        assert_eq!(text.split_whitespace().count(), 60);
    }

    #[test]
    fn sentences_fit_the_terminal_and_quoted_lines_stay() {
        let source = format!("  1 | {}", "x".repeat(60));
        let text = format!("error: {}\n{source}\n   = help: {}", "word ".repeat(20), "word ".repeat(20));
        let fitted = fitted(&text, Some(40));
        assert!(fitted.lines().all(|line| line == source || line.len() <= 40), "{fitted}");
        assert!(fitted.contains("\n  word") && fitted.contains("\n     word"), "{fitted}");
        assert_eq!(super::fitted(&text, None), text);
    }

    #[test]
    fn a_text_goes_on_below_what_leaves_it_no_room() {
        let lead = format!("  {}  ", "x".repeat(WIDTH - ROOM));
        let text = hanging(&"word ".repeat(20), &lead);
        assert!(text.lines().count() == 3 && text.lines().all(|line| line.len() <= 108), "{text}");
        assert_eq!(hanging("short", "a  "), "a  short\n");
    }

    #[test]
    fn a_shell_gets_the_words_back() {
        let words = ["innosim", "a=1,2", "", "it's <here>"].map(str::to_owned);
        assert_eq!(shell_line(words), r"innosim a=1,2 '' 'it'\''s <here>'");
    }

    #[test]
    fn severity_stands_out_only_at_the_start_of_a_line() {
        assert_eq!(highlighted("  = help: no error: here"), "  = help: no error: here");
        assert!(highlighted("warning: x").starts_with("\u{1b}[1;33mwarning:\u{1b}[0m"));
    }
}
