//! What the commands about a server of one's own take: gathering its files, reading them, and advising.

use super::{
    Changes, Common, Form, Format, GoalName, Length, NoDraws, RecordedServers, SearchTier, Unused, time_limit, within,
};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// `innosim collect`.
#[derive(Debug, Args)]
pub(crate) struct CollectArgs {
    /// How long the script samples, unless its option -d says otherwise: 600s, 10m, 1h
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = whole_seconds)]
    pub(crate) duration: u32,
    /// Time from sample to sample, unless its option -i says otherwise
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = whole_seconds)]
    pub(crate) interval: u32,
    /// Form of the result; in JSON the script is a text
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) unused: Unused,
}

/// `innosim explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// A scenario as `run` takes it, a folder that `run --out` left, or a recording of a kind that docs/recordings.md lists
    #[arg(value_name = "SCENARIO|RESULT|RECORDING")]
    pub(crate) what: String,
    /// Try the settings that the events point to, each in a run of its own
    #[arg(long = "try")]
    pub(crate) try_settings: bool,
    /// Server model instead of the scenario's or of the recording's version
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    #[command(flatten)]
    pub(crate) changes: Changes,
    #[command(flatten)]
    pub(crate) length: Length,
    /// Form of the result; JSON has every event with its figures
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// `innosim page-ages`.
#[derive(Debug, Args)]
pub(crate) struct PagesArgs {
    /// Data directory of a server that is shut down, a snapshot of one, or a physical backup, unpacked
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// File for the histogram: a few kilobytes of numbers, no names and no rows
    #[arg(long = "out", alias = "output", short, value_name = "HISTOGRAM.json")]
    pub(crate) output: Option<PathBuf>,
    /// Log sequence number that ages are counted back from [default: the last checkpoint's or the newest page's]
    #[arg(long, value_name = "LSN")]
    pub(crate) lsn: Option<u64>,
    /// Read it although a server has it open: what is dirty in its memory is missed
    #[arg(long)]
    pub(crate) running: bool,
    #[command(flatten)]
    pub(crate) form: Form,
    /// No remarks
    #[arg(long, short)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) unused: NoDraws,
}

/// `innosim advise`.
#[derive(Debug, Args)]
pub(crate) struct AdviseArgs {
    /// Folder of a server's files: samples of SHOW GLOBAL STATUS, SHOW GLOBAL VARIABLES, and what else docs/recordings.md lists
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    /// What "best" means
    #[arg(long, value_enum, default_value_t = GoalName::Throughput)]
    pub(crate) goal: GoalName,
    /// Load to advise for, as a multiple of the recorded one
    #[arg(long, value_name = "FACTOR", default_value = "1", value_parser = load_factor)]
    pub(crate) load: f64,
    /// Device: a file of `innosim device -o`, or a profile [default: fio's output in the folder, else profiles are tried]
    #[arg(long, value_name = "FILE|PROFILE")]
    pub(crate) device: Option<String>,
    /// Choose the size of the redo log too
    #[arg(long)]
    pub(crate) redo: bool,
    /// A server setting that is to be changed anyway, or a scenario key by its dotted path; the back-test stays with what was
    /// recorded. Repeatable
    #[arg(long = "set", value_name = "SETTING=VALUE")]
    pub(crate) set: Vec<String>,
    /// Simulated time of each run of the search [default: by the time in which the redo log wraps]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) duration: Option<String>,
    /// Runs of each setting that could be the answer
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = |text: &str| within(text, 1, 1000))]
    pub(crate) replications: u32,
    /// Advise although the back-test failed
    #[arg(long)]
    pub(crate) anyway: bool,
    /// Most time that all of it may take, with its unit: then it shows what it has
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = time_limit)]
    pub(crate) time_limit: Duration,
    /// How finely the runs of the search are simulated
    #[arg(long, value_enum, default_value_t = SearchTier::Flow)]
    pub(crate) tier: SearchTier,
    /// Print a row for every setting that was tried
    #[arg(long)]
    pub(crate) all: bool,
    /// Folder for report.html, advice.json, advice.txt, the scenario and the back-test's series
    #[arg(long, short, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) servers: RecordedServers,
    #[command(flatten)]
    pub(crate) form: Form,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// A multiple of the recorded load.
fn load_factor(text: &str) -> Result<f64, String> {
    let factor: f64 = text.parse().map_err(|_| "it is no number; 1.5 is half as much again".to_owned())?;
    if (0.01..=100.0).contains(&factor) { Ok(factor) } else { Err("a number from 0.01 to 100".to_owned()) }
}

/// Whole seconds with or without a unit: `600`, `600s`, `10m`, `1h`.
fn whole_seconds(text: &str) -> Result<u32, String> {
    let text = text.trim();
    let (number, times) = match text.as_bytes().last() {
        Some(b's') => (&text[..text.len() - 1], 1),
        Some(b'm') => (&text[..text.len() - 1], 60),
        Some(b'h') => (&text[..text.len() - 1], 3600),
        _ => (text, 1),
    };
    let seconds = number.parse::<u32>().ok().and_then(|number| number.checked_mul(times));
    seconds
        .filter(|seconds| (1..=604_800).contains(seconds))
        .ok_or_else(|| "give whole seconds, from 1s to 168h, such as 600s, 10m or 1h".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        let all = ["600", "600s", "10m", "1h", " 5s "].map(|text| whole_seconds(text).ok());
        assert_eq!(all, [Some(600), Some(600), Some(600), Some(3600), Some(5)]);
        for bad in ["", "0", "0s", "1.5m", "-5", "5x", "99999h", "é"] {
            assert!(whole_seconds(bad).is_err(), "{bad}");
        }
    }
}
