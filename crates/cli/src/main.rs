//! The `innosim` program: commands, progress, files, exit codes, and nothing else.
//!
//! What is simulated comes from `innosim-scenario`, how it looks from `innosim-report`. Here the two are joined:
//!
//! ```text
//!   args      ->  commands/*  ->  runner (replications on all cores)  ->  out_dir, output
//!                                    |  progress, interrupt
//!                                    v
//!                                 outcome: what is reported of a run
//! ```
//!
//! Standard output carries the result and nothing else; progress, remarks and errors go to standard error. A reader that
//! stops reading (`innosim settings | head`) is no error. How the program ends is in [`exit`].

mod args;
mod commands;
mod exit;
mod interrupt;
mod out_dir;
mod outcome;
mod output;
mod progress;
mod runner;
mod text_table;

use args::{Cli, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return exit::code_of_usage(&error),
    };
    let done = match &cli.command {
        Command::Run(args) => commands::run::run(args),
        Command::Compare(args) => commands::compare::run(args),
        Command::Sweep(args) => commands::sweep::run(args),
        Command::Merge(args) => commands::merge::run(args),
        Command::Recommend(args) => commands::recommend::run(args),
        Command::BenchRules(args) => commands::bench_rules::run(args),
        Command::Rules(args) => commands::rules::run(args),
        Command::Reproduce(args) => commands::reproduce::run(args),
        Command::Replay(args) => commands::replay::run(args),
        Command::Calibrate(args) => commands::calibrate::run(args),
        Command::Validate(args) => commands::validate::run(args),
        Command::Device(args) => commands::device::run(args),
        Command::Collect(args) => commands::collect::run(args),
        Command::Explain(args) => commands::explain::run(args),
        Command::Pages(args) => commands::pages::run(args),
        Command::Advise(args) => commands::advise::run(args),
        Command::Models(args) => commands::models::run(args),
        Command::Settings(args) => commands::settings::run(args),
        Command::Scenarios(args) => commands::scenarios::run(args),
        Command::Page(args) => commands::page::run(args),
        Command::Schema(_) => commands::meta::schema(),
        Command::Completions(args) => commands::meta::completions(args),
        Command::Man(args) => commands::meta::man(args),
    };
    exit::code_of(done)
}
