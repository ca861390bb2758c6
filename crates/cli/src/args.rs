//! What the command line takes. The help texts here are also the man pages and the completions.

mod help;
mod new_scenario;
mod own_server;
mod rules;

pub(crate) use help::{command, explain_usage, first_words, note_old_name};
pub(crate) use new_scenario::{Changes, NewScenarioArgs, OneServer, ScenariosArgs};
pub(crate) use own_server::{AdviseArgs, CollectArgs, ExplainArgs, PagesArgs};
pub(crate) use rules::{BenchRulesArgs, NewRuleArgs, RulesArgs};

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use innosim_experiments::sweep::{MOST_REPLICATIONS, Shard};
use std::path::PathBuf;
use std::time::Duration;

/// Simulates InnoDB's page flushing and redo log: what checkpoint age, flushing, throughput and latency will do,
/// second by second, under a server's settings, a workload and a storage device.
#[derive(Debug, Parser)]
#[command(name = "innosim", version, long_version = env!("INNOSIM_LONG_VERSION"), max_term_width = 100, propagate_version = true)]
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
    /// Compare server models or settings on one scenario, with the same random numbers for each
    Compare(CompareArgs),
    /// Run a scenario under every combination of some settings, with curves and heat maps
    Sweep(SweepArgs),
    /// Join the folders of a sweep's shards
    Merge(MergeArgs),
    /// Search for the innodb_io_capacity_max (and redo size) to try first under a load that you describe
    Recommend(RecommendArgs),
    /// Show where flushing rules stand on a fixed suite of cases
    BenchRules(BenchRulesArgs),
    /// List the flushing rules that go by a name, or print one
    Rules(RulesArgs),
    /// Make a small Rust project for a flushing rule of one's own
    NewRule(NewRuleArgs),
    /// Run the published scenarios and print measured beside simulated figures
    Reproduce(ReproduceArgs),
    /// Feed recorded inputs to a model's flushing rule and compare with the server's own counters
    Replay(ReplayArgs),
    /// Make a scenario of a recording of a real server
    Calibrate(CalibrateArgs),
    /// Predict recordings of real servers and print predicted beside observed
    Validate(ValidateArgs),
    /// Fit a storage device to fio's output, and print measured beside simulated figures
    Device(DeviceArgs),
    /// Print a shell script that gathers a real server's settings and counters, read-only
    Collect(CollectArgs),
    /// Say what happened in a run or a recording, in sentences with times and numbers
    Explain(ExplainArgs),
    /// Read the page headers of a data directory or backup into a histogram of page ages
    #[command(name = "page-ages", alias = "pages")]
    Pages(PagesArgs),
    /// Read all files of a server in a folder and say which settings to try
    Advise(AdviseArgs),
    /// List the server models
    Models(ListArgs),
    /// List the settings of a model, or explain one
    Settings(SettingsArgs),
    /// List the shipped scenarios, or print one
    Scenarios(ScenariosArgs),
    /// Write a commented scenario with the settings of a my.cnf, to fill in the load
    NewScenario(NewScenarioArgs),
    /// Leave a page that teaches: the simulator in a browser, with lessons
    #[command(name = "lessons", alias = "page")]
    Page(PageArgs),
    /// Print the JSON Schema of scenarios, for editors
    Schema(ListArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print the manual page of the program or of a command, as roff
    Man(ManArgs),
}

/// Form of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    // Their names say it: a comment for each would take eight lines of every help.
    Human,
    Json,
}

/// What commands take that print a result.
#[derive(Debug, Args)]
pub(crate) struct Form {
    /// Form of the result
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
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

/// How finely a run is simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Tier {
    /// Page by page
    Exact,
    /// Dirty pages as cohorts, throughput from short exact windows: faster, without latencies (docs/flow.md)
    Flow,
    /// Both, next to each other
    Both,
}

/// How finely the runs of a search are simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SearchTier {
    /// Page by page
    Exact,
    /// In cohorts of pages with some exact seconds, where that is right (docs/flow.md); else page by page
    Flow,
}

/// What all commands that simulate take.
#[derive(Debug, Args)]
pub(crate) struct Common {
    /// Seed of all random numbers [default: the scenario's, 1 in shipped ones]
    #[arg(long, value_name = "N", value_parser = seed, allow_negative_numbers = true)]
    pub(crate) seed: Option<u64>,
    /// Runs at a time; results don't depend on it [default: one a core]
    #[arg(long, value_name = "N", value_parser = jobs)]
    pub(crate) jobs: Option<usize>,
    /// No progress, no remarks, no warnings
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// What commands take whose runs have the scenario's length.
#[derive(Debug, Args)]
pub(crate) struct Length {
    /// Simulated time of each run instead of the scenario's, with its unit: 600s, 10m, 1h30m
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) duration: Option<String>,
}

/// What commands take that read recordings.
#[derive(Debug, Args)]
pub(crate) struct RecordedServers {
    /// Model of the servers [default: by the version in their variables]
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
}

/// `innosim run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// A TOML file, or the name of a shipped scenario with or without its folder
    #[arg(value_name = "SCENARIO")]
    pub(crate) scenario: String,
    #[command(flatten)]
    pub(crate) server: OneServer,
    #[command(flatten)]
    pub(crate) length: Length,
    /// Runs with random numbers of their own; results become means with 95 % confidence intervals
    #[arg(long, value_name = "N", value_parser = replications, allow_negative_numbers = true)]
    pub(crate) replications: Option<u32>,
    /// Folder for summary.json, series.csv, scenario.resolved.toml, dashboard.svg and dashboard.png
    #[arg(long, short, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Verify the invariants at every event; exit code 1 if one breaks
    #[arg(long)]
    pub(crate) check: bool,
    /// Print all figures, not only those that answer most questions
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// How finely to simulate; where the coarse tier can't be right, the exact one runs and says why
    #[arg(long, value_enum, default_value_t = Tier::Exact)]
    pub(crate) tier: Tier,
    /// Form of the result
    #[arg(long, value_enum, default_value_t = RunFormat::Human)]
    pub(crate) format: RunFormat,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// `innosim sweep`.
#[derive(Debug, Args)]
pub(crate) struct SweepArgs {
    /// A TOML file with a scenario or a sweep, or the name of a shipped one
    #[arg(value_name = "SCENARIO", required_unless_present = "list")]
    pub(crate) scenario: Option<String>,
    /// What varies: a setting by its real name, `model`, or a scenario key by its dotted path; several joined by + take
    /// the same value. Values: FROM..TO:STEP, FROM..TO:*FACTOR or V1,V2,... Repeatable: all combinations are run
    #[arg(long, value_name = "SETTING=VALUES")]
    pub(crate) vary: Vec<String>,
    #[command(flatten)]
    pub(crate) server: OneServer,
    #[command(flatten)]
    pub(crate) length: Length,
    /// Runs of each point, with the same random numbers at every point; with --precision those before the first look
    #[arg(long, value_name = "N", value_parser = |text: &str| within(text, 1, MOST_REPLICATIONS))]
    pub(crate) replications: Option<u32>,
    /// Run each point until the 95 % interval of mean throughput is this narrow on either side: 1%
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) precision: Option<f64>,
    /// Most runs of a point under --precision
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = |text: &str| within(text, 2, MOST_REPLICATIONS))]
    pub(crate) max_replications: u32,
    /// End runs before their length when they are at rest: no more than SHARE of the redo stays in the checkpoint age, 10% if
    /// not said; `ended` in runs.csv says which did
    #[arg(long, value_name = "SHARE", value_parser = share, num_args = 0..=1, require_equals = true, default_missing_value = "10%")]
    pub(crate) until_rest: Option<f64>,
    /// With --until-rest: let points that differ only in settings that a server at work takes (SET GLOBAL) go on from copies of
    /// one warm server, and make runs that are the same only once; `warm_s` and `same_as` in runs.csv say which
    #[arg(long)]
    pub(crate) warm_copies: bool,
    /// How finely runs are simulated; points that the coarse tier refuses are run exactly all the same
    #[arg(long, value_enum, default_value_t = Tier::Exact, conflicts_with_all = ["until_rest", "warm_copies", "check"])]
    pub(crate) tier: Tier,
    /// Make only part K of N of the runs; `innosim merge` joins the parts
    #[arg(long, value_name = "K/N", value_parser = Shard::parse, default_value = "1/1", hide_default_value = true)]
    pub(crate) shard: Shard,
    /// Folder for runs.csv, points.csv and pictures; also keeps finished runs, so that the same command continues
    #[arg(long, short, value_name = "DIR", required_unless_present = "list")]
    pub(crate) out: Option<PathBuf>,
    /// Make all runs anew, also those that are in the folder already, be they of a different sweep
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Verify the invariants at every event; exit code 1 if one breaks, with all other runs kept
    #[arg(long)]
    pub(crate) check: bool,
    /// List the shipped sweeps
    #[arg(long, conflicts_with_all = ["scenario", "vary", "out"])]
    pub(crate) list: bool,
    #[command(flatten)]
    pub(crate) form: Form,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// `innosim merge`.
#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// Folders that `innosim sweep --shard` left
    #[arg(value_name = "DIR", required = true)]
    pub(crate) folders: Vec<PathBuf>,
    /// Folder for the joined result
    #[arg(long, short, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Join what is there even if runs are missing
    #[arg(long)]
    pub(crate) allow_missing: bool,
    #[command(flatten)]
    pub(crate) form: Form,
    #[command(flatten)]
    pub(crate) common: Unused,
}

/// `innosim page`.
#[derive(Debug, Args)]
pub(crate) struct PageArgs {
    /// Folder for the page
    #[arg(long, short, value_name = "DIR")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) form: Form,
    #[command(flatten)]
    pub(crate) common: Unused,
}

/// `innosim compare`.
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// A TOML file, or the name of a shipped scenario with or without its folder
    #[arg(value_name = "SCENARIO")]
    pub(crate) scenario: String,
    /// A server model to compare, such as mysql-8.0.30 or 8.4; repeatable
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Vec<String>,
    /// An upgrade from the first --model to the second: which defaults change silently, and what each does alone
    #[arg(long)]
    pub(crate) as_upgraded: bool,
    /// Settings to compare, under a label of their own; repeatable. With several models, each runs each variant
    #[arg(long, value_name = "LABEL:SETTING=VALUE,...")]
    pub(crate) variant: Vec<String>,
    /// A flushing rule to compare with the server's own, a script or a name of `innosim rules`; repeatable. Each model
    /// and each variant runs with each
    #[arg(long, value_name = "FILE")]
    pub(crate) rule: Vec<String>,
    #[command(flatten)]
    pub(crate) changes: Changes,
    #[command(flatten)]
    pub(crate) length: Length,
    /// Runs of each variant, from which intervals follow [default: the scenario's if several, else 3]
    #[arg(long, value_name = "N", value_parser = replications, allow_negative_numbers = true)]
    pub(crate) replications: Option<u32>,
    /// Folder for compare.json, compare.csv, compare.svg, compare.png, report.html, and a folder for each variant
    #[arg(long, short, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Verify the invariants at every event; exit code 1 if one breaks
    #[arg(long)]
    pub(crate) check: bool,
    #[command(flatten)]
    pub(crate) form: Form,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// `innosim recommend`.
#[derive(Debug, Args)]
pub(crate) struct RecommendArgs {
    /// A TOML file, or the name of a shipped scenario with or without its folder; without one, --my-cnf alone tells what
    /// can be told without a load
    #[arg(value_name = "SCENARIO", required_unless_present_any = ["my_cnf", "show_variables"])]
    pub(crate) scenario: Option<String>,
    /// What "best" means
    #[arg(long, value_enum, default_value_t = GoalName::Throughput)]
    pub(crate) goal: GoalName,
    /// Choose the size of the redo log too
    #[arg(long)]
    pub(crate) redo: bool,
    #[command(flatten)]
    pub(crate) server: OneServer,
    /// Simulated time of each run [default: the scenario's, at most the time in which the log wraps 2.5 times]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) duration: Option<String>,
    /// Runs of each setting that could be the answer
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = |text: &str| within(text, 1, 1000))]
    pub(crate) replications: u32,
    /// Most time that the search may take, with its unit: then it shows what it has
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = time_limit)]
    pub(crate) time_limit: Duration,
    /// Folder for recommendation.txt, recommendation.json and scenario.resolved.toml
    #[arg(long, short, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Make every run to its planned length, even if it is at rest before or depends on sync flushing
    #[arg(long)]
    pub(crate) whole_runs: bool,
    /// How finely runs are simulated
    #[arg(long, value_enum, default_value_t = SearchTier::Flow)]
    pub(crate) tier: SearchTier,
    /// Print a row for every setting that was tried
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) form: Form,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// What a recommendation is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GoalName {
    /// Most transactions a second, without stalls
    Throughput,
    /// Lowest 99th percentile of latency, at no more than 5 % less throughput than the best
    Latency,
    /// Fewest bytes written a transaction, at no more than 1 % less throughput than now
    Writes,
}

/// `innosim reproduce`.
#[derive(Debug, Args)]
pub(crate) struct ReproduceArgs {
    /// Folder of shipped scenarios, or the beginning of their names
    #[arg(value_name = "FOLDER", default_value = "percona-2020-08")]
    pub(crate) folder: String,
    /// Published series to reproduce, instead of a folder; --list names them
    #[arg(long, value_name = "NAME", conflicts_with = "folder")]
    pub(crate) series: Option<String>,
    /// Make only the runs of the series whose names begin so; repeatable. Marks are of whole series, and not judged then
    #[arg(long, value_name = "RUN", requires = "series", conflicts_with = "strict")]
    pub(crate) only: Vec<String>,
    /// List the series
    #[arg(long, conflicts_with_all = ["folder", "series"])]
    pub(crate) list: bool,
    /// Simulated time instead of the published one: quicker, and less comparable
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) duration: Option<String>,
    /// End smooth runs when they are at rest, begun with a full buffer pool; those with waves run whole
    #[arg(long)]
    pub(crate) until_rest: bool,
    /// Folder for reproduce.json and a folder for each run, as `innosim run --out` leaves it
    #[arg(long, short, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Folder with recorded courses of a series, RUN.csv or RUN.csv.gz: pictures show them over the simulated ones
    #[arg(long, value_name = "FOLDER", requires = "series", requires = "out")]
    pub(crate) recorded: Option<PathBuf>,
    /// Exit code 1 if a run misses: throughput by more than 5 %, checkpoint age by more than 8 %, or the regime
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) form: Form,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// `innosim replay`.
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// Recordings: files or folders of a kind that docs/recordings.md lists, or folders of such folders
    #[arg(value_name = "RECORDING", required = true)]
    pub(crate) recordings: Vec<PathBuf>,
    /// Folder for a CSV file a recording, a row a pass
    #[arg(long, short, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) servers: RecordedServers,
    #[command(flatten)]
    pub(crate) form: Form,
    /// No remarks
    #[arg(long, short)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) unused: NoDraws,
}

/// `innosim calibrate`.
#[derive(Debug, Args)]
pub(crate) struct CalibrateArgs {
    /// Recording: a file or folder of a kind that docs/recordings.md lists; several runs of one server are calibrated together
    #[arg(value_name = "RECORDING", required = true)]
    pub(crate) recordings: Vec<PathBuf>,
    /// What sysbench ran, where no command line was kept: "oltp_read_write --tables=20 --table-size=1000000"
    #[arg(long, value_name = "SCRIPT OPTIONS")]
    pub(crate) workload: Option<String>,
    /// Device: a file of `innosim device -o`, or a profile; the recording's cap is laid in front [default: fio's output next to
    /// the recording; else lab-virtual-disk, or for a benchmark without InnoDB's counters the profile that is nearest]
    #[arg(long, value_name = "FILE|PROFILE")]
    pub(crate) device: Option<String>,
    /// File for the scenario; must be given
    #[arg(long, short, value_name = "SCENARIO.toml")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) servers: RecordedServers,
    #[command(flatten)]
    pub(crate) form: Form,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// `innosim validate`.
#[derive(Debug, Args)]
pub(crate) struct ValidateArgs {
    /// Recordings: files or folders of a kind that docs/recordings.md lists, or folders of such folders
    #[arg(value_name = "RECORDING_OR_DIR", required_unless_present = "tiers")]
    pub(crate) recordings: Vec<PathBuf>,
    /// Run the shipped scenarios in both tiers instead, and print how far the coarse one is off (docs/flow.md)
    #[arg(long, conflicts_with_all = ["recordings", "calibrate_on", "device", "unknown_load"])]
    pub(crate) tiers: bool,
    /// With --tiers: replications of each scenario [default: 3]
    #[arg(long, value_name = "N", requires = "tiers", value_parser = |text: &str| within(text, 1, MOST_REPLICATIONS))]
    pub(crate) replications: Option<u32>,
    /// With --tiers: simulated time of each run [default: as the scenario says]
    #[arg(long, value_name = "TIME", requires = "tiers", allow_hyphen_values = true)]
    pub(crate) duration: Option<String>,
    /// Recording that all are calibrated on [default: for each another one of the same server and workload]
    #[arg(long, value_name = "RECORDING")]
    pub(crate) calibrate_on: Option<PathBuf>,
    /// Device: a file of `innosim device -o`, or a profile; each recording's cap is laid in front [default: fio's output beside
    /// the recording, else lab-virtual-disk]
    #[arg(long, value_name = "FILE|PROFILE")]
    pub(crate) device: Option<String>,
    /// Put aside what is known of the loads, and predict each from the write spectrum that another recording's counters tell
    #[arg(long)]
    pub(crate) unknown_load: bool,
    /// Tell besides how often the intervals held that this program states of recordings and predictions
    #[arg(long)]
    pub(crate) intervals: bool,
    /// Folder for validate.json and for each recording its trajectories, measured and predicted, a picture of them, and
    /// the scenario that was run
    #[arg(long, short, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) servers: RecordedServers,
    #[command(flatten)]
    pub(crate) form: Form,
    #[command(flatten)]
    pub(crate) common: Common,
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

/// `innosim device`.
#[derive(Debug, Args)]
pub(crate) struct DeviceArgs {
    /// Files that fio --output-format=json (or json+) wrote, a job each
    #[arg(value_name = "FIO.json", required = true)]
    pub(crate) fio: Vec<PathBuf>,
    /// Caps in front of the device, as in a scenario: '{ write_iops = 3000, write_bytes_per_s = "60MB" }'
    #[arg(long, value_name = "TOML")]
    pub(crate) cap: Option<String>,
    /// Shipped profile that says what the jobs leave open
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Files of fio that are compared with the device without being part of the fit; repeatable
    #[arg(long, value_name = "FIO.json", num_args = 1..)]
    pub(crate) against: Vec<PathBuf>,
    /// File for the device: the table `[device]` of a scenario
    #[arg(long = "out", alias = "output", short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) form: Form,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// Commands that list something.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    pub(crate) form: Form,
    #[command(flatten)]
    pub(crate) unused: Unused,
}

/// `innosim completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// Shell that completes
    pub(crate) shell: Shell,
    /// Form of the result; in JSON the script is a text
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) unused: Unused,
}

/// `innosim man`.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Command; the program itself if left out
    pub(crate) command: Option<String>,
    /// Form of the result; in JSON the page is a text
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
    /// Server model, such as mysql-8.0.30 or 8.4 [default: that of --show-variables, or mysql-8.0.30]
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Option file of a real server: what is understood, what has no effect, what is wrong
    #[arg(long, value_name = "PATH", conflicts_with = "name")]
    pub(crate) my_cnf: Option<PathBuf>,
    /// The same for the text of SHOW GLOBAL VARIABLES; lies over --my-cnf
    #[arg(long, value_name = "PATH", conflicts_with = "name")]
    pub(crate) show_variables: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) form: Form,
    #[command(flatten)]
    pub(crate) unused: Unused,
}

/// Options that every command takes, for scripts that give them to all; lists have no use for them.
#[derive(Debug, Args)]
pub(crate) struct Unused {
    #[command(flatten)]
    draws: NoDraws,
    /// No effect here
    #[arg(long, short, hide = true)]
    pub(crate) quiet: bool,
}

/// A number of threads.
fn jobs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(jobs @ 1..=1024) => Ok(jobs),
        _ => Err("give a whole number from 1 to 1024".to_owned()),
    }
}

/// A number of runs; the scenario says how many are too many.
fn replications(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| "give a whole number from 1 up".to_owned())
}

/// A number from `least` to `most`.
fn within(text: &str, least: u32, most: u32) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("give a whole number from {least} to {most}"))
}

/// A length of time above 0.
pub(crate) fn time_limit(text: &str) -> Result<Duration, String> {
    let ns = innosim_scenario::parse_duration(text)?;
    if ns > 0 { Ok(Duration::from_nanos(ns)) } else { Err("give a length above 0, such as 5m".to_owned()) }
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("give a whole number from 0 to {}", u64::MAX))
}

/// A share of 1, or a percentage with its sign.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    let percent = text.trim().strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok()).map(|p| p / 100.0);
    match percent.or_else(|| text.trim().parse().ok()) {
        Some(share) if share > 0.0 && share <= 0.5 => Ok(share),
        _ => Err("give a percentage above 0, up to 50%, such as 1%".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_declarations_are_sound() {
        command().debug_assert();
    }
}
