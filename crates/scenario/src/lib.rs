//! What people write, made into a checked and resolved scenario.
//!
//! A scenario is a TOML text: a server model with its settings, a host, a storage device, a workload and what drives
//! it. `docs/scenario-format.md` and `docs/scenario-workloads.md` describe it for people, [`json_schema`] for editors.
//!
//! ```text
//!   file, or shipped text           what was written                      what was resolved
//!   + the files it extends   ---->  a tree of values, each  ---------->   Scenario
//!   + a real server's settings      with its place                        every unit converted, every default
//!   + the command line                                                    filled in, every field valid
//!   + the device profile
//!   source, layers, server_files, overrides   node                             section, device, drive, workloads, server
//! ```
//!
//! Only the second stage reaches the simulator; [`Scenario::to_resolved_toml`] writes it out as a scenario that runs
//! again to the same bytes. Between the two stands one declaration for each key ([`key`](self) tables in the modules):
//! name, values, default, meaning. The checks, the schema and the page of documentation all read it.
//!
//! Mistakes are collected and reported together, each as a [`Diagnostic`] with file, line, source line, what was found,
//! what is allowed and the likely fix. Nothing here panics on any input.
//!
//! This crate reads files, and nothing else of the outside world: no clock, no terminal, no environment.

mod device;
mod diagnostic;
mod distribution;
mod drive;
mod file_system;
mod fio;
mod fio_device;
mod host;
mod key;
mod layered;
mod layers;
mod node;
mod not_a_scenario;
mod overrides;
mod published;
mod resolved;
mod rule;
mod scenario;
mod scenario_keys;
mod schema;
mod section;
mod server;
mod server_files;
mod shipped;
mod source;
mod start;
mod suggest;
mod text_file;
mod units;
pub mod workloads;

pub use device::{profile_device, profile_names};
pub use diagnostic::{Diagnostic, Diagnostics, Severity};
#[doc(hidden)]
pub use fio::fuzz_fio;
pub use fio::{FioEvidence, FioJob, FioLatency, JobKind, JobToRun, read_fio_jobs};
pub use fio_device::{FioDevice, device_of};
pub use layers::shipped_text;
pub use not_a_scenario::{is_option_file, option_file_help};
pub use overrides::{Overrides, ServerFiles};
pub use published::Published;
pub use rule::ChosenRule;
pub use scenario::{Scenario, Warmup, load, load_hosted};
pub use schema::json_schema;
pub use server_files::{
    SettingRow, SettingStatus, SettingsFile, SettingsFileKind, SettingsReading, as_option_file, as_rows,
    read_settings_files, redo_sizes_out_of_force, removed_lines, server_of_variables, show_pair,
};
#[doc(hidden)]
pub use server_files::{fuzz_option_file, fuzz_show_variables};
pub use shipped::{ShippedScenario, shipped};
pub use source::Place;
pub use suggest::did_you_mean;
pub use text_file::{from_utf16, is_utf16};
pub use units::{in_one_line, parse_duration};

use std::path::Path;

/// Where a scenario comes from.
#[derive(Debug, Clone, Copy)]
pub enum Source<'a> {
    /// What a person typed: the path of a file if there is one, otherwise the name of a shipped scenario, with or
    /// without folder and `.toml`.
    Named(&'a str),
    /// A file.
    File(&'a Path),
    /// A shipped scenario.
    Shipped(&'a str),
    /// A text; relative paths in it are relative to the working directory.
    Text {
        /// Name for messages.
        name: &'a str,
        /// TOML.
        text: &'a str,
    },
}

impl<'a> Source<'a> {
    /// What a program was given: the text of a scenario if it has several lines, otherwise what [`Source::Named`] takes.
    pub fn typed(text: &'a str) -> Source<'a> {
        if text.contains('\n') { Source::Text { name: "scenario", text } } else { Source::Named(text) }
    }
}
