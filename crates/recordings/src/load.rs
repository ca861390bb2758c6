//! What load was put on a server: the sysbench processes of a recording.

use std::fmt;

/// A sysbench script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Script {
    /// One of the `oltp_*` scripts, such as `oltp_write_only`.
    Oltp(String),
    /// Something else.
    Other(String),
    /// It is not recorded which.
    Unknown,
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Script::Oltp(name) | Script::Other(name) => f.write_str(name),
            Script::Unknown => f.write_str("(unknown script)"),
        }
    }
}

/// One process of a load generator.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadPhase {
    /// What it ran.
    pub script: Script,
    /// `--tables`.
    pub tables: u32,
    /// `--table-size`, rows.
    pub table_size: u64,
    /// `--threads`.
    pub threads: u32,
    /// `--rate`, transactions a second; `None` for a closed loop.
    pub rate: Option<f64>,
    /// `--rand-type`.
    pub rand_type: String,
    /// Seconds since the load of the recording began.
    pub start_s: f64,
    /// The same.
    pub end_s: f64,
}

impl LoadPhase {
    /// Reads a command line `sysbench SCRIPT --option=value ... run`; sysbench's own defaults where an option is absent.
    pub(crate) fn parse(command: &str, start_s: f64, end_s: f64) -> Option<Self> {
        let mut words = command.split_whitespace().skip_while(|word| !word.ends_with("sysbench")).skip(1);
        // Options may stand before the script, and the script may be a path.
        let script = words.clone().find(|word| !word.starts_with('-'))?;
        let script = script.rsplit('/').next().unwrap_or(script).trim_end_matches(".lua");
        let mut phase = LoadPhase {
            script: if script.starts_with("oltp_") {
                Script::Oltp(script.to_owned())
            } else {
                Script::Other(script.to_owned())
            },
            tables: 1,
            table_size: 10_000,
            threads: 1,
            rate: None,
            rand_type: "special".to_owned(),
            start_s,
            end_s,
        };
        for word in words.by_ref() {
            let Some((name, value)) = word.split_once('=') else { continue };
            match name.replace('_', "-").as_str() {
                "--tables" => phase.tables = value.parse().ok()?,
                "--table-size" => phase.table_size = value.parse().ok()?,
                "--threads" => phase.threads = value.parse().ok()?,
                "--rate" => phase.rate = Some(value.parse().ok()?).filter(|rate: &f64| *rate > 0.0),
                "--rand-type" => phase.rand_type = value.to_owned(),
                _ => {}
            }
        }
        Some(phase)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_says_what_ran() {
        let command = "sysbench oltp_write_only --tables=8 --table-size=1200000 --threads=16 --rand-type=uniform run";
        let phase = LoadPhase::parse(command, 0.0, 180.0).expect("a sysbench command");
        assert_eq!(phase.script, Script::Oltp("oltp_write_only".to_owned()));
        assert_eq!((phase.tables, phase.table_size, phase.threads, phase.rate), (8, 1_200_000, 16, None));
        assert_eq!(phase.rand_type, "uniform");
    }

    #[test]
    fn other_programs_and_broken_numbers_are_no_load() {
        assert_eq!(LoadPhase::parse("pgbench -c 16", 0.0, 1.0), None);
        assert_eq!(LoadPhase::parse("sysbench oltp_insert --threads=many run", 0.0, 1.0), None);
    }
}
