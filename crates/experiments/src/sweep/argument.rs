//! An argument of `--vary`, and what is said of it: shown as it was typed.

use innosim_scenario::{Diagnostic, Place, Severity};
use std::ops::Range;

const FORMS: &str = "SETTING=FROM..TO:STEP, SETTING=FROM..TO:*FACTOR or SETTING=V1,V2,...";

/// The settings that an argument names.
pub(super) fn names_in(argument: &str) -> impl Iterator<Item = &str> {
    argument.split('=').next().unwrap_or_default().split('+').map(str::trim)
}

/// An error about a part of an argument.
pub(super) fn error(argument: &str, part: &str, message: String, help: String) -> Box<Diagnostic> {
    let start = argument.find(part).unwrap_or(0);
    Box::new(Diagnostic {
        severity: Severity::Error,
        message,
        place: Some(place(argument, start..start + part.len())),
        allowed: Some(FORMS.to_owned()),
        help: Some(help).filter(|text| !text.is_empty()),
    })
}

/// A part of an argument, by its bytes.
fn place(argument: &str, part: Range<usize>) -> Place {
    Place {
        file: "--vary".to_owned(),
        on_command_line: true,
        line: 1,
        column: argument[..part.start].chars().count() + 1,
        width: argument[part].chars().count().max(1),
        source_line: argument.replace('\t', " "),
    }
}

/// What is said of a value that varies is said of what was typed in one of the arguments.
pub(super) fn as_typed(mut diagnostic: Diagnostic, arguments: &[String]) -> Diagnostic {
    if let Some(said) = diagnostic.place.as_mut().filter(|place| place.on_command_line)
        && let Some((name, value)) = said.source_line.split_once('=')
        && let Some(argument) = arguments.iter().find(|argument| names_in(argument).any(|one| one == name))
    {
        let values = argument.find('=').map_or(0, |at| at + 1);
        let is_apart = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '.');
        let within = |from: usize, part: &str| {
            let mut found = argument[from..].match_indices(part).map(|(at, _)| from + at..from + at + part.len());
            found.find(|at| is_apart(&argument[at.end..]) && argument[..at.start].ends_with(['=', ',', '+', ' ']))
        };
        let part = match said.column {
            1 if said.width == name.chars().count() => within(0, name).or(Some(0..name.len())),
            1 => None,
            _ => within(values, value).or(Some(values..argument.len())),
        };
        *said = place(argument, part.unwrap_or(0..argument.len()));
    }
    diagnostic
}

#[cfg(test)]
mod tests {
    use crate::sweep::{Request, SweepError};

    fn request(vary: &str) -> Request {
        Request { scenario: "teaching/redo-too-small".to_owned(), vary: vec![vary.to_owned()], ..Request::default() }
    }

    /// Of a range the value itself was not typed.
    #[test]
    fn what_is_wrong_is_shown_as_it_was_typed() {
        for (vary, marked) in [
            ("drive.clients+drive.cleints=8,16", "drive.cleints"),
            ("innodb_io_capacity=50,200", "50"),
            ("innodb_io_capacity=10..50:20", "10..50:20"),
        ] {
            let Err(SweepError::Input(errors)) = request(vary).prepare() else { panic!("{vary} is good") };
            let place = errors[0].place.as_ref().expect("a place");
            let shown: String = place.source_line.chars().skip(place.column - 1).take(place.width).collect();
            assert_eq!((place.file.as_str(), place.source_line.as_str(), shown.as_str()), ("--vary", vary, marked));
        }
    }
}
