//! Help of the whole program: commands by what people come for, examples, and errors of usage that know the other commands.

use super::Cli;
use crate::output::note;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ColorChoice, Command, CommandFactory, value_parser};
use std::fmt::Write;

/// Commands by what people come for.
const GROUPS: &[(&str, &[&str])] = &[
    ("Your server", &["collect", "explain", "advise", "calibrate", "page-ages", "device"]),
    ("Try settings", &["new-scenario", "recommend", "run", "compare", "sweep", "merge"]),
    ("Learn", &["lessons", "scenarios", "settings", "models"]),
    ("Flushing rules", &["rules", "new-rule", "bench-rules"]),
    ("How far to trust it", &["reproduce", "validate", "replay"]),
    ("For editors and shells", &["schema", "completions", "man"]),
];

/// Old names of commands, which go on for a while.
const OLD_NAMES: &[(&str, &str)] = &[("page", "lessons"), ("pages", "page-ages")];

/// What stands below the help of the program and of its commands.
const EXAMPLES: &str = include_str!("examples.txt");

/// What stands below the help of a command, or of `innosim` itself.
fn examples(name: &str) -> &'static str {
    let mut sections = EXAMPLES.split("== ").filter_map(|section| section.split_once('\n'));
    sections.find(|(of, _)| *of == name).map_or("", |(_, text)| text.trim_end())
}

/// The command line, with its commands in groups.
pub(crate) fn command() -> Command {
    let command = Cli::command().after_help(examples("innosim")).mut_subcommands(|one| {
        let text = examples(one.get_name());
        if text.is_empty() { one } else { one.after_help(text) }
    });
    let groups = groups(&command);
    let color = Arg::new("color").long("color").value_name("WHEN").global(true).default_value("auto");
    let color = color.value_parser(value_parser!(ColorChoice)).hide_possible_values(true);
    let help = "Colour of errors and help: auto (on a terminal, unless NO_COLOR is set), always or never";
    command.arg(color.help(help)).help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}\nOptions:\n{{options}}{{after-help}}"
    ))
}

fn about(command: &Command, name: &str) -> String {
    command.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string).unwrap_or_default()
}

fn groups(command: &Command) -> String {
    let mut text = String::new();
    for (title, names) in GROUPS {
        let _ = writeln!(text, "{title}:");
        for name in *names {
            let _ = writeln!(text, "  {name:<13} {}", about(command, name));
        }
        text.push('\n');
    }
    text.trim_end_matches('\n').to_owned() + "\n"
}

/// What the program says if nothing is asked.
pub(crate) fn first_words() -> String {
    let command = Cli::command();
    let mut text = "innosim predicts how InnoDB settings change throughput, stalls and page writes.\n\n".to_owned();
    for (line, what) in [
        ("innosim collect > collect.sh", "record your server's load: the script only reads"),
        ("innosim advise FOLDER", "which settings to try under the load that was recorded"),
        ("innosim recommend --my-cnf my.cnf", "what the settings alone tell, and what is missing"),
        ("innosim run redo-too-small -o out", "a shipped scenario, with pictures (innosim scenarios)"),
        ("innosim lessons -o lessons", "the simulator in a browser, with lessons"),
    ] {
        let _ = writeln!(text, "  {line:<34} {what}");
    }
    let count = command.get_subcommands().count();
    let _ = write!(text, "\n`innosim --help` has all {count} commands, `innosim COMMAND --help` each with examples.");
    text
}

/// Says the new name of a command that was called by its old one.
pub(crate) fn note_old_name() {
    let first = std::env::args().nth(1).unwrap_or_default();
    if let Some((old, new)) = OLD_NAMES.iter().find(|(old, _)| *old == first) {
        note(&format!("note: `innosim {old}` is now called `innosim {new}`; the old name goes on for a version"));
    }
}

fn text_of(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text),
        _ => None,
    }
}

/// What to say of an error of usage instead of what the parser of the command line says.
pub(crate) fn explain_usage(error: &clap::Error) -> Option<String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    explain(error, &arguments)
}

fn explain(error: &clap::Error, arguments: &[String]) -> Option<String> {
    let command = arguments.first().map_or("", String::as_str);
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let unknown = text_of(error, ContextKind::InvalidArg)?;
            let unknown = unknown.split(['=', ' ']).next().unwrap_or(unknown);
            if unknown.starts_with('-') {
                other_commands_option(unknown, command)
            } else {
                setting_without_sign(unknown, arguments)
            }
        }
        ErrorKind::InvalidSubcommand if ["simulate", "sim", "test", "try"].contains(&command) => Some(format!(
            "error: there is no command `{command}`\n  = help: `innosim run SCENARIO` simulates; `innosim scenarios` lists what is there"
        )),
        ErrorKind::MissingRequiredArgument => {
            let missing = match error.get(ContextKind::InvalidArg) {
                Some(ContextValue::Strings(names)) => names.clone(),
                _ => Vec::new(),
            };
            missing.iter().any(|name| name == "<SCENARIO>").then(|| format!(
                "error: `innosim {command}` needs a scenario: settings, load and device\n  = help: `innosim scenarios` lists the shipped \
                 ones; `innosim new-scenario --my-cnf my.cnf` writes one with your server's settings"
            ))
        }
        _ => None,
    }
}

/// An option that this command does not have, and others do.
fn other_commands_option(unknown: &str, command: &str) -> Option<String> {
    let all = Cli::command();
    let long = unknown.strip_prefix("--")?;
    let has = |one: &&Command| {
        one.get_arguments().any(|argument| argument.get_long() == Some(long) && !argument.is_hide_set())
    };
    let owners: Vec<&str> = all.get_subcommands().filter(has).map(Command::get_name).collect();
    let owners = match owners.as_slice() {
        [] => return None,
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    };
    Some(format!(
        "error: {unknown} is no option of `innosim {command}`: it belongs to {owners}\n  = help: `innosim {command} --help` has the \
         options of {command}"
    ))
}

/// `--set NAME VALUE` in place of `--set NAME=VALUE`.
fn setting_without_sign(value: &str, arguments: &[String]) -> Option<String> {
    let at = arguments.windows(3).find(|three| three[0] == "--set" && !three[1].contains('=') && three[2] == value)?;
    Some(format!("error: --set takes SETTING=VALUE in one word\n  = help: write --set {}={value}", at[1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(arguments: &[&str]) -> String {
        let arguments: Vec<String> = arguments.iter().map(|text| (*text).to_owned()).collect();
        let words = std::iter::once("innosim".to_owned()).chain(arguments.iter().cloned());
        let error = command().try_get_matches_from(words).unwrap_err();
        explain(&error, &arguments).unwrap_or_else(|| error.to_string())
    }

    #[test]
    fn every_command_stands_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let all = Cli::command();
        let mut names: Vec<&str> = all.get_subcommands().map(Command::get_name).collect();
        grouped.sort_unstable();
        names.sort_unstable();
        assert_eq!(grouped, names);
    }

    #[test]
    fn an_option_of_other_commands_names_them() {
        assert!(
            told(&["run", "x", "--redo"])
                .contains("--redo is no option of `innosim run`: it belongs to recommend and advise")
        );
        assert!(told(&["recommend", "x", "--variant", "a:"]).contains("it belongs to compare"));
        assert!(
            told(&["run", "x", "--set", "innodb_io_capacity_max", "8000"])
                .contains("--set innodb_io_capacity_max=8000")
        );
        assert!(told(&["run"]).contains("innosim new-scenario"));
        assert!(told(&["simulate", "x"]).contains("innosim run"));
    }
}
