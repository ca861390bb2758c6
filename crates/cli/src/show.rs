//! A result in the form that was asked for.

use crate::args::Format;
use crate::exit::Done;
use crate::output::{print, print_json};
use serde_json::Value;

/// Writes a result to standard output.
pub(crate) fn show(format: Format, document: &Value, text: &str) -> Done {
    match format {
        Format::Json => print_json(document),
        Format::Human => print(text),
    }
}
