//! What the command line takes. The help texts here are also the man pages and the completions.

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Examples:
  innosim scenarios                      what there is to run
  innosim run redo-too-small --out out   a small one, with pictures
  innosim run my.toml --set innodb_io_capacity_max=8000
  innosim reproduce --out out            published runs beside their simulation

Exit codes: 0 ran, 1 ran but a check or expectation failed, 2 bad input or usage, 130 interrupted.";

/// Simulates InnoDB's page flushing and redo log: what checkpoint age, flushing, throughput and latency will do,
/// second by second, under a server's settings, a workload and a storage device.
#[derive(Debug, Parser)]
#[command(name = "innosim", version, after_help = AFTER_HELP, max_term_width = 100, propagate_version = true)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a scenario and say what happened
    Run(RunArgs),
    /// Run the published scenarios and print measured beside simulated figures
    Reproduce(ReproduceArgs),
    /// Feed recorded inputs to a model's flushing rule and compare with the server's own counters
    Replay(ReplayArgs),
    /// List the server models
    Models(ListArgs),
    /// List the settings of a model, or explain one
    Settings(SettingsArgs),
    /// List the shipped scenarios
    Scenarios(ListArgs),
    /// Print the JSON Schema of scenarios, for editors
    Schema,
    /// Print a completion script for a shell
    Completions {
        /// Shell that completes
        shell: Shell,
    },
    /// Print the manual page of the program or of a command, as roff
    Man {
        /// Command; the program itself if left out
        command: Option<String>,
    },
}

/// Form of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Tables and sentences
    Human,
    /// One JSON document
    Json,
}

/// Form of a run's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RunFormat {
    /// A table and a sentence about what was seen
    Human,
    /// One JSON document
    Json,
    /// A line each 10 s and closing statistics, as sysbench prints them
    Sysbench,
}

/// What all commands that simulate take.
#[derive(Debug, Args)]
pub(crate) struct Common {
    /// Seed of all random numbers [default: the scenario's, 1 in shipped ones]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Runs at a time; results don't depend on it [default: one a core]
    #[arg(long, value_name = "N", value_parser = jobs)]
    pub(crate) jobs: Option<usize>,
    /// No progress, no remarks, no warnings
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// `innosim run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// A TOML file, or the name of a shipped scenario with or without its folder
    #[arg(value_name = "SCENARIO")]
    pub(crate) scenario: String,
    /// Server model instead of the scenario's, such as mysql-8.0.30 or 8.0
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// A server setting by its real name, or a scenario key by its dotted path (drive.clients=32); repeatable
    #[arg(long = "set", value_name = "SETTING=VALUE")]
    pub(crate) set: Vec<String>,
    /// Simulated time instead of the scenario's, with its unit: 600s, 10m, 1h30m
    #[arg(long, value_name = "TIME")]
    pub(crate) duration: Option<String>,
    /// Runs with random numbers of their own; results become means with 95 % confidence intervals
    #[arg(long, value_name = "N")]
    pub(crate) replications: Option<u32>,
    /// Folder for summary.json, series.csv, scenario.resolved.toml, dashboard.svg and dashboard.png
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Verify the invariants at every event; exit code 1 if one breaks
    #[arg(long)]
    pub(crate) check: bool,
    /// Form of the result
    #[arg(long, value_enum, default_value_t = RunFormat::Human)]
    pub(crate) format: RunFormat,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// `innosim reproduce`.
#[derive(Debug, Args)]
pub(crate) struct ReproduceArgs {
    /// Folder of shipped scenarios, or the beginning of their names
    #[arg(value_name = "FOLDER", default_value = "percona-2020-08")]
    pub(crate) folder: String,
    /// Simulated time instead of the published one: quicker, and less comparable
    #[arg(long, value_name = "TIME")]
    pub(crate) duration: Option<String>,
    /// Folder for reproduce.json and a folder for each run, as `innosim run --out` leaves it
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Exit code 1 if a run misses: throughput by more than 5 %, checkpoint age by more than 8 %, or the regime
    #[arg(long)]
    pub(crate) strict: bool,
    /// Form of the result
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// `innosim replay`.
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// Recordings: folders with series.csv.gz and run.json, or folders of such folders
    #[arg(value_name = "RECORDING", required = true)]
    pub(crate) recordings: Vec<PathBuf>,
    /// Folder for a CSV file a recording, a row a pass
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Form of the result
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
    /// No remarks
    #[arg(long, short)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) unused: NoDraws,
}

/// Options that every command takes, for commands that draw no random numbers and need no threads.
#[derive(Debug, Args)]
pub(crate) struct NoDraws {
    /// No effect here
    #[arg(long, hide = true)]
    seed: Option<u64>,
    /// No effect here
    #[arg(long, hide = true, value_parser = jobs)]
    jobs: Option<usize>,
}

/// Commands that list something.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Form of the result
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) unused: Unused,
}

/// `innosim settings`.
#[derive(Debug, Args)]
pub(crate) struct SettingsArgs {
    /// One setting, explained
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Server model, such as mysql-8.0.30 or 8.4 [default: mysql-8.0.30]
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Form of the result
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) unused: Unused,
}

/// Options that every command takes, for scripts that give them to all; lists have no use for them.
#[derive(Debug, Args)]
pub(crate) struct Unused {
    /// No effect here
    #[arg(long, hide = true)]
    seed: Option<u64>,
    /// No effect here
    #[arg(long, hide = true, value_parser = jobs)]
    jobs: Option<usize>,
    /// No effect here
    #[arg(long, short, hide = true)]
    quiet: bool,
}

/// A number of threads.
fn jobs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(jobs @ 1..=1024) => Ok(jobs),
        _ => Err("give a whole number from 1 to 1024".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_declarations_are_sound() {
        Cli::command().debug_assert();
    }
}
