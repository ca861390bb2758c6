//! Why a command may end before its end.

use innosim_experiments::sweep::SweepError;
use innosim_report::ReportError;
use innosim_scenario::Diagnostics;
use std::io;

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

/// What helps against an error of writing.
pub(crate) fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "make the folder first",
        io::ErrorKind::IsADirectory => "name a file, not a folder",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => "make room",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => "choose a place that you may write to",
        _ => "choose another place",
    }
}
