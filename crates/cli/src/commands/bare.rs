//! `innosim FILE` without a command: the one that such a file is for, or a word on which to use.

use crate::args::Cli;
use crate::exit::Failure;
use crate::output::{note, shell_line};
use clap::CommandFactory;
use innosim_recordings::{FileKind, inventory, look_at};
use std::ffi::OsString;
use std::path::Path;

/// The command line with the command that its first word, a file or folder, is for; as it is, if it begins with a command
/// or an option, or if there is no such file.
pub(crate) fn with_command(mut words: Vec<OsString>) -> Result<Vec<OsString>, Failure> {
    let Some(first) = words.get(1).filter(|first| !first.to_string_lossy().starts_with('-')) else { return Ok(words) };
    let known = Cli::command().get_subcommands().any(|command| command.get_name() == first.to_string_lossy());
    let path = Path::new(first);
    if known || first == "help" || !path.exists() {
        return Ok(words);
    }
    let command = command_for(path)?;
    let line = words.iter().skip(1).map(|word| word.to_string_lossy().into_owned());
    let command_words = command.iter().map(|word| (*word).to_owned());
    note(&shell_line(std::iter::once("innosim".to_owned()).chain(command_words).chain(line)));
    words.splice(1..1, command.iter().map(OsString::from));
    Ok(words)
}

/// The command for a file or a folder.
fn command_for(path: &Path) -> Result<&'static [&'static str], Failure> {
    let name = path.display();
    let not_alone = |holds: &str, help: &str| Err(Failure::Input(format!("{name}: {holds}\n  = help: {help}")));
    if path.is_dir() {
        let files = inventory(path).map_err(|error| Failure::Input(error.to_string()))?;
        let has_samples = files.iter().any(|file| matches!(file.kind, FileKind::Samples | FileKind::Broken));
        let is_result = path.join("scenario.resolved.toml").is_file();
        return if has_samples || is_result {
            Ok(&["explain"])
        } else {
            let help =
                "docs/what-do-you-have.md leads from files to commands; of a data directory: innosim page-ages DIR";
            not_alone("holds no samples of a server", help)
        };
    }
    if path.extension().is_some_and(|ending| ending == "toml") {
        return Ok(&["run"]);
    }
    let found = look_at(path);
    match found.kind {
        FileKind::Samples | FileKind::Broken => Ok(&["explain"]),
        FileKind::Options => Ok(&["settings", "--my-cnf"]),
        FileKind::Beside if found.holds.contains("variables") => Ok(&["settings", "--show-variables"]),
        FileKind::Beside if found.holds.contains("fio") => Ok(&["device"]),
        FileKind::Beside => {
            not_alone(&found.holds, "put it into a folder with samples of the server, and: innosim advise FOLDER")
        }
        FileKind::Other => not_alone(&found.holds, "docs/what-do-you-have.md leads from files to commands"),
    }
}
