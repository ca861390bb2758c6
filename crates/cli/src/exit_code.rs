//! How the program ends.
//!
//! | code | meaning |
//! |---|---|
//! | 0 | ran; also when the reader of its output went away |
//! | 1 | ran, but a check or an expectation failed |
//! | 2 | bad input or usage, or a result that can't be written |
//! | 130 | interrupted |

use crate::args::explain_usage;
use crate::exit::{Done, Failure};
use crate::output::{note_error, unprinted};
use std::io::Write;
use std::process::ExitCode;

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
