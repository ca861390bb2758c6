//! The `innosim` program as a library: commands, progress, files, exit codes, and nothing else.
//!
//! A program of one's own has all of them with flushing rules written in Rust beside the shipped ones:
//!
//! ```no_run
//! use innosim_cli::rule::{AdaptiveFlushing, FlushGauges, NativeRule, Recommendation, RuleInput, View};
//!
//! /// The same number of pages in every second.
//! struct Steady(u64);
//!
//! impl AdaptiveFlushing for Steady {
//!     fn recommend(&mut self, view: &View<'_>, _input: RuleInput) -> Recommendation {
//!         Recommendation { n_pages: self.0.min(view.dirty_pages), slots: Vec::new() }
//!     }
//!     fn gauges(&self) -> FlushGauges {
//!         FlushGauges::default()
//!     }
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     innosim_cli::main_with([NativeRule {
//!         name: "steady".to_owned(),
//!         about: "500 pages in every pass".to_owned(),
//!         parameters: Vec::new(),
//!         build: |_| Box::new(Steady(500)),
//!     }])
//! }
//! ```
//!
//! `--rule steady` then works wherever a file does, in `bench-rules` too. `innosim new-rule NAME` makes such a project, with
//! a parameter and tests. [`main_with`] and what [`rule`] re-exports are the interface that such projects stand on.
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
//! stops reading (`innosim settings | head`) is no error. How the program ends is in `exit.rs`.

mod args;
mod commands;
mod exit;
mod exit_code;
mod header;
mod interrupt;
mod out_dir;
mod outcome;
mod output;
mod progress;
mod rule_watch;
mod runner;
mod show;
mod text_table;

pub mod rule;

use args::{Cli, Command};
use clap::FromArgMatches;
use exit::Failure;
use std::ffi::OsString;
use std::process::ExitCode;

/// The program as it is shipped. Give what it returns back from `main`.
pub fn main() -> ExitCode {
    main_with([])
}

/// The program with these rules known by their names, beside the shipped ones. Give what it returns back from `main`: 0 ran,
/// 1 ran but a check failed, 2 bad input (also a rule that can't be registered), 130 interrupted.
///
/// It reads the command line of the process, and what it prints is as of `innosim`.
pub fn main_with(rules: impl IntoIterator<Item = rule::NativeRule>) -> ExitCode {
    let mut watched = false;
    for rule in rules {
        if let Err(error) = innosim_rules::register(rule) {
            return exit_code::code_of(Err(Failure::Input(error.to_string())));
        }
        watched = true;
    }
    if watched {
        rule_watch::begin();
    }
    let words: Vec<OsString> = std::env::args_os().collect();
    output::choose_color(&words);
    if words.len() < 2 {
        output::note(&args::first_words());
        return ExitCode::from(2);
    }
    let words = match commands::bare::with_command(words) {
        Ok(words) => words,
        Err(failure) => return exit_code::code_of(Err(failure)),
    };
    let parsed = args::command().try_get_matches_from(words).and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => return exit_code::code_of_usage(&error),
    };
    args::note_old_name();
    let done = match &cli.command {
        Command::Run(args) => commands::run::run(args),
        Command::Compare(args) => commands::compare::run(args),
        Command::Sweep(args) => commands::sweep::run(args),
        Command::Merge(args) => commands::merge::run(args),
        Command::Recommend(args) => commands::recommend::run(args),
        Command::BenchRules(args) => commands::bench_rules::run(args),
        Command::Rules(args) => commands::rules::run(args),
        Command::NewRule(args) => commands::new_rule::run(args),
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
        Command::NewScenario(args) => commands::new_scenario::run(args),
        Command::Page(args) => commands::page::run(args),
        Command::Schema(_) => commands::meta::schema(),
        Command::Completions(args) => commands::meta::completions(args),
        Command::Man(args) => commands::meta::man(args),
    };
    exit_code::code_of(done)
}
