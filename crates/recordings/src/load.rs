//! What load was put on a server: the sysbench processes of a recording.

use std::fmt;

/// A sysbench script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Script {
    /// One of the `oltp_*` scripts, such as `oltp_write_only`.
    Oltp(String),
    /// Something else.
    Other(String),
    /// Its command line has an option that should be a number and is none: that option.
    Unclear(String),
    /// It is not recorded which.
    Unknown,
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Script::Oltp(name) | Script::Other(name) => f.write_str(name),
            Script::Unclear(_) | Script::Unknown => f.write_str("(unknown script)"),
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
    /// `--scale`, warehouses of each copy of the tables (tpcc).
    pub scale: u32,
    /// `--threads`.
    pub threads: u32,
    /// `--rate`, transactions a second; `None` for a closed loop.
    pub rate: Option<f64>,
    /// `--rand-type`.
    pub rand_type: String,
    /// `--rand-pareto-h`, if stated.
    pub rand_pareto_h: Option<f64>,
    /// `--rand-zipfian-exp`, if stated.
    pub rand_zipfian_exp: Option<f64>,
    /// `--time` with what runs before it without being counted (`--warmup-time`), seconds, if stated.
    pub seconds: Option<f64>,
    /// `--report-interval`, seconds, if stated.
    pub report_interval_s: Option<f64>,
    /// `--percentile` of its latencies, percent; `None` of several loads that differ.
    pub percentile: Option<f64>,
    /// Options by which its transactions are others than the script's own.
    pub changed: Vec<String>,
    /// Seconds since the load of the recording began.
    pub start_s: f64,
    /// The same.
    pub end_s: f64,
}

/// Why a command line says nothing about a load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CommandError {
    /// It is not sysbench's, or names no script.
    NotSysbench,
    /// An option is no number from 1 on.
    NoNumber(String),
}

impl LoadPhase {
    /// A load of sysbench's own defaults.
    pub(crate) fn of(script: Script) -> Self {
        LoadPhase {
            script,
            tables: 1,
            table_size: 10_000,
            scale: 100,
            threads: 1,
            rate: None,
            rand_type: "special".to_owned(),
            rand_pareto_h: None,
            rand_zipfian_exp: None,
            seconds: None,
            report_interval_s: None,
            percentile: Some(95.0),
            changed: Vec::new(),
            start_s: 0.0,
            end_s: 0.0,
        }
    }

    /// The option of its command line that should be a number and is none.
    pub(crate) fn unclear(&self) -> Option<&str> {
        match &self.script {
            Script::Unclear(option) => Some(option),
            _ => None,
        }
    }

    /// Takes script and options of a command line, with or without `sysbench` before it; threads, rate and times stay, as the log
    /// tells them. The error is a sentence.
    pub fn take_workload(&mut self, text: &str) -> Result<(), String> {
        let has_program = text.split_whitespace().any(|word| word.ends_with("sysbench"));
        let command = if has_program { text.to_owned() } else { format!("sysbench {text}") };
        let said = LoadPhase::parse(&command, self.start_s, self.end_s).map_err(|error| match error {
            CommandError::NotSysbench => {
                "--workload names no script\n  = help: --workload \"oltp_read_write --tables=20 --table-size=1000000\""
                    .to_owned()
            }
            CommandError::NoNumber(option) => format!("--workload: `{option}` needs a number from 1 up"),
        })?;
        let LoadPhase { threads, rate, report_interval_s, percentile, .. } = *self;
        *self = LoadPhase { threads, rate, report_interval_s, percentile, ..said };
        Ok(())
    }

    /// Reads a command line `sysbench SCRIPT --option=value ... run`; sysbench's own defaults where an option is
    /// absent.
    pub(crate) fn parse(command: &str, start_s: f64, end_s: f64) -> Result<Self, CommandError> {
        let mut words = command.split_whitespace().skip_while(|word| !word.ends_with("sysbench")).skip(1);
        // Options may stand before the script, and the script may be a path.
        let script = words.clone().find(|word| !word.starts_with('-')).ok_or(CommandError::NotSysbench)?;
        let script = script.rsplit('/').next().unwrap_or(script).trim_end_matches(".lua").to_owned();
        let script = if script.starts_with("oltp_") { Script::Oltp(script) } else { Script::Other(script) };
        let mut phase = LoadPhase { start_s, end_s, ..LoadPhase::of(script) };
        let mut warmup = 0.0;
        for word in words.by_ref() {
            let (name, value) = word.split_once('=').unwrap_or((word, "on"));
            let no_number = || CommandError::NoNumber(word.to_owned());
            let count = || value.parse::<u64>().ok().filter(|count| *count > 0).ok_or_else(no_number);
            let small = || u32::try_from(count()?).map_err(|_| no_number());
            let fraction = || value.parse::<f64>().ok().filter(|x| x.is_finite() && *x > 0.0).ok_or_else(no_number);
            match name.replace('_', "-").as_str() {
                "--tables" => phase.tables = small()?,
                "--table-size" => phase.table_size = count()?,
                "--scale" => phase.scale = small()?,
                "--threads" => phase.threads = small()?,
                "--rate" => {
                    let rate = value.parse::<f64>().ok().filter(|rate| rate.is_finite()).ok_or_else(no_number)?;
                    phase.rate = Some(rate).filter(|rate| *rate > 0.0);
                }
                // What is no number here decides nothing: the log says when a load ended.
                "--time" | "--max-time" => phase.seconds = fraction().ok(),
                "--warmup-time" => warmup = fraction().unwrap_or(0.0),
                "--report-interval" => phase.report_interval_s = fraction().ok(),
                "--percentile" => phase.percentile = fraction().ok().or(phase.percentile),
                "--rand-type" => phase.rand_type = value.to_owned(),
                "--rand-pareto-h" => phase.rand_pareto_h = Some(fraction()?),
                "--rand-zipfian-exp" => phase.rand_zipfian_exp = Some(fraction()?),
                option if changes_the_script(option, value) => phase.changed.push(word.to_owned()),
                _ => {}
            }
        }
        phase.seconds = phase.seconds.map(|seconds| seconds + warmup);
        Ok(phase)
    }
}

/// Options of the `oltp_*` scripts that say what a transaction does or how rows are drawn, with sysbench's defaults.
const OF_THE_SCRIPT: [(&str, &str); 16] = [
    ("--point-selects", "10"),
    ("--simple-ranges", "1"),
    ("--sum-ranges", "1"),
    ("--order-ranges", "1"),
    ("--distinct-ranges", "1"),
    ("--range-size", "100"),
    ("--range-selects", "on"),
    ("--index-updates", "1"),
    ("--non-index-updates", "1"),
    ("--delete-inserts", "1"),
    ("--skip-trx", "off"),
    ("--secondary", "off"),
    ("--create-secondary", "on"),
    ("--rand-spec-iter", "12"),
    ("--rand-spec-pct", "1"),
    ("--rand-spec-res", "75"),
];

/// Whether an option makes the script another one.
fn changes_the_script(option: &str, value: &str) -> bool {
    let same = |default: &str| match default {
        "on" => ["on", "true", "1"].contains(&value),
        "off" => ["off", "false", "0"].contains(&value),
        number => value == number,
    };
    OF_THE_SCRIPT.iter().any(|(name, default)| *name == option && !same(default))
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
        assert!(phase.changed.is_empty(), "{:?}", phase.changed);
    }

    #[test]
    fn options_that_make_it_another_script_are_kept() {
        let command = "sysbench oltp_write_only --skip_trx --index-updates=1 --non-index-updates=10 --rand-type=zipfian \
                       --rand-zipfian-exp=1.2 --range-selects=on --time=60 run";
        let phase = LoadPhase::parse(command, 0.0, 180.0).expect("a sysbench command");
        assert_eq!(phase.changed, ["--skip_trx", "--non-index-updates=10"]);
        assert_eq!((phase.rand_zipfian_exp, phase.rand_pareto_h), (Some(1.2), None));
    }

    #[test]
    fn other_programs_and_broken_numbers_are_no_load() {
        assert_eq!(LoadPhase::parse("pgbench -c 16", 0.0, 1.0), Err(CommandError::NotSysbench));
        for option in ["--threads=many", "--tables=$T", "--table-size=0", "--rate=x", "--threads=99999999999"] {
            let found = LoadPhase::parse(&format!("sysbench oltp_insert {option} run"), 0.0, 1.0);
            assert_eq!(found, Err(CommandError::NoNumber(option.to_owned())));
        }
    }
}
