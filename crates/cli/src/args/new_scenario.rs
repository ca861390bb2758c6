//! What the commands take that begin with the files a DBA has.

use super::{Common, Form, Format, Unused};
use clap::Args;
use innosim_scenario::Overrides;
use innosim_scenario::ServerFiles;
use std::path::PathBuf;

/// What is changed in a scenario: single keys, or a real server's settings and device in place of its own.
#[derive(Debug, Args)]
pub(crate) struct Changes {
    /// A server setting by its real name, or a scenario key by its dotted path (drive.clients=32), for all runs; repeatable
    #[arg(long = "set", value_name = "SETTING=VALUE")]
    pub(crate) set: Vec<String>,
    /// Option file of a real server, in place of the scenario's [server]; --set lies over it
    #[arg(long, value_name = "FILE")]
    pub(crate) my_cnf: Option<PathBuf>,
    /// The same for the text of SHOW GLOBAL VARIABLES; lies over --my-cnf
    #[arg(long, value_name = "FILE")]
    pub(crate) show_variables: Option<PathBuf>,
    /// Device in place of the scenario's: a profile such as nvme, or a file of `innosim device -o`
    #[arg(long, value_name = "FILE|PROFILE")]
    pub(crate) device: Option<String>,
}

impl Changes {
    /// These changes with the seed that is asked for.
    pub(crate) fn overrides(&self, common: &Common) -> Overrides {
        Overrides {
            set: self.set.clone(),
            seed: common.seed,
            server_files: self.files(),
            device: self.device.clone(),
            ..Overrides::default()
        }
    }

    /// The files that are named.
    pub(crate) fn files(&self) -> ServerFiles {
        ServerFiles { my_cnf: self.my_cnf.clone(), show_variables: self.show_variables.clone() }
    }
}

/// What commands take that run a scenario on one server, under one flushing rule.
#[derive(Debug, Args)]
pub(crate) struct OneServer {
    /// Server model instead of the scenario's, such as mysql-8.0.30 or 8.0
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Adaptive flushing rule instead of the server's own: a script, or a name of `innosim rules`. --set rule.NAME=VALUE
    /// sets a parameter of it
    #[arg(long, value_name = "FILE")]
    pub(crate) rule: Option<String>,
    #[command(flatten)]
    pub(crate) changes: Changes,
}

impl OneServer {
    /// All of this, with the seed that is asked for.
    pub(crate) fn overrides(&self, common: &Common) -> Overrides {
        Overrides { model: self.model.clone(), rule: self.rule.clone(), ..self.changes.overrides(common) }
    }
}

/// `innosim new-scenario`.
#[derive(Debug, Args)]
pub(crate) struct NewScenarioArgs {
    /// Option file of the server
    #[arg(long, value_name = "FILE", required_unless_present = "show_variables")]
    pub(crate) my_cnf: Option<PathBuf>,
    /// Text of SHOW GLOBAL VARIABLES; lies over --my-cnf
    #[arg(long, value_name = "FILE")]
    pub(crate) show_variables: Option<PathBuf>,
    /// Profile of the storage device
    #[arg(long, value_name = "PROFILE", default_value = "nvme", value_parser = profile)]
    pub(crate) device: String,
    /// Server model, such as mysql-8.0.30 or 8.4 [default: that of --show-variables, or mysql-8.0.30]
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// File for the scenario; standard output if left out
    #[arg(long, short, value_name = "SCENARIO.toml")]
    pub(crate) out: Option<PathBuf>,
    /// Form of the result; in JSON the scenario is a text
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) unused: Unused,
}

/// `innosim scenarios`.
#[derive(Debug, Args)]
pub(crate) struct ScenariosArgs {
    /// A shipped scenario, to be printed
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) form: Form,
    #[command(flatten)]
    pub(crate) unused: Unused,
}

fn profile(text: &str) -> Result<String, String> {
    let names = innosim_scenario::profile_names();
    if names.contains(&text) { Ok(text.to_owned()) } else { Err(format!("the profiles are {}", names.join(", "))) }
}
