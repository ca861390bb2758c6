//! How the program ends.
//!
//! | code | meaning |
//! |---|---|
//! | 0 | ran; also when the reader of its output went away |
//! | 1 | ran, but a check or an expectation failed |
//! | 2 | bad input or usage, or a result that can't be written |
//! | 130 | interrupted |

use crate::args::explain_usage;
use crate::out_dir::remedy;
use crate::output::{note_error, unprinted};
use innosim_experiments::sweep::SweepError;
use innosim_report::ReportError;
use innosim_scenario::Diagnostics;
use std::io::Write;
use std::process::ExitCode;

/// Why a command ended before its end.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It ran, but a check or an expectation failed.
    Check(String),
    /// Bad input or usage, or a result that can't be written.
    Input(String),
    /// A scenario that is wrong; its diagnostics say how.
    Scenario(Diagnostics),
    /// Somebody pressed Ctrl-C.
    Interrupted,
    /// Nobody reads the output any more.
    NoReader,
}

/// What a command returns.
pub(crate) type Done = Result<(), Failure>;

impl From<Diagnostics> for Failure {
    fn from(errors: Diagnostics) -> Failure {
        Failure::Scenario(errors)
    }
}

impl From<ReportError> for Failure {
    fn from(error: ReportError) -> Failure {
        match &error {
            ReportError::Io { source, .. } => Failure::Input(format!("{error}\n  = help: {}", remedy(source))),
            _ => Failure::Input(error.to_string()),
        }
    }
}

impl From<SweepError> for Failure {
    fn from(error: SweepError) -> Failure {
        let text = error.to_string();
        // The word is put before it again when it is told.
        Failure::Input(text.strip_prefix("error: ").map_or_else(|| text.clone(), str::to_owned))
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Failure {
        Failure::Input(format!("the result can't be put into JSON: {error}"))
    }
}

/// Prints help, or what is wrong with the command line, and gives the exit code.
pub(crate) fn code_of_usage(error: &clap::Error) -> ExitCode {
    if let Some(told) = explain_usage(error) {
        note_error(&told);
        return ExitCode::from(2);
    }
    let printed = error.print().and_then(|()| std::io::stdout().flush());
    if error.use_stderr() {
        return ExitCode::from(2);
    }
    code_of(printed.map_err(unprinted))
}

/// Prints what went wrong and gives the exit code.
pub(crate) fn code_of(done: Done) -> ExitCode {
    match done {
        Ok(()) | Err(Failure::NoReader) => ExitCode::SUCCESS,
        Err(Failure::Check(what)) => {
            note_error(&format!("error: {what}"));
            ExitCode::from(1)
        }
        Err(Failure::Input(what)) => {
            // What a crate says of a scenario may begin so already.
            note_error(&format!("error: {}", what.strip_prefix("error: ").unwrap_or(&what)));
            ExitCode::from(2)
        }
        Err(Failure::Scenario(errors)) => {
            note_error(&errors.to_string());
            ExitCode::from(2)
        }
        Err(Failure::Interrupted) => {
            note_error("interrupted; unfinished runs left nothing behind");
            ExitCode::from(130)
        }
    }
}
