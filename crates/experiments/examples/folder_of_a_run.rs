//! A folder of a server's files, as `innosim advise` reads them, of a simulated run: the test of docs/advise.md that needs no
//! real server of the published size.
//!
//! ```text
//! cargo run --release -p innosim-experiments --example folder_of_a_run -- SCENARIO FOLDER [FROM_S] [TO_S] [EVERY_S]
//! ```
//!
//! The scenario runs from its start to second `TO_S` (3000). From `FROM_S` (1200) on its counters are written every `EVERY_S`
//! (5) seconds, in the form of a loop of `mysql -e 'SHOW GLOBAL STATUS; SHOW ENGINE INNODB STATUS\G'` on a server that does not
//! publish its log sequence number in the status. Beside them lie the settings and `lscpu`. What a server doesn't publish (its
//! tables and statements, what the workload costs) is not there; the device is named by `advise --device`.
//!
//! Simplification: in a closed loop without time to think all clients count as running.

use innosim_core::metrics::{RunOutput, SecondSample};
use innosim_core::workload::DriveSpec;
use innosim_experiments::runner::{Job, run_one};
use innosim_scenario::{Overrides, Scenario, Source, load};
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;

/// Seconds since 1970 of the beginning of the run, and the log sequence number there.
const BEGAN_S: u64 = 1_795_000_000;
const FIRST_LSN: u64 = 10_000_000_000;
/// Bytes of a page.
const PAGE_BYTES: u64 = 16_384;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (Some(name), Some(folder)) = (arguments.first(), arguments.get(1)) else {
        eprintln!("usage: folder_of_a_run SCENARIO FOLDER [FROM_S] [TO_S] [EVERY_S]");
        return ExitCode::from(2);
    };
    let number = |at: usize, usual: u64| arguments.get(at).map_or(Ok(usual), |text| text.parse::<u64>());
    let (Ok(from), Ok(to), Ok(every)) = (number(2, 1200), number(3, 3000), number(4, 5)) else {
        eprintln!("error: FROM_S, TO_S and EVERY_S are whole seconds");
        return ExitCode::from(2);
    };
    match leave(name, Path::new(folder), from..=to, every.max(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(1)
        }
    }
}

/// Runs the scenario and writes the folder.
fn leave(name: &str, folder: &Path, recorded: std::ops::RangeInclusive<u64>, every: u64) -> Result<(), String> {
    let overrides = Overrides {
        duration: Some(format!("{}s", recorded.end())),
        set: vec!["warmup=0s".to_owned()],
        ..Overrides::default()
    };
    let scenario = load(Source::Named(name), &overrides).map_err(|errors| errors.to_string())?;
    let mut silent = |_: &SecondSample| ControlFlow::Continue(());
    let output = run_one(Job { scenario: &scenario, replication: 0 }, false, &mut silent).map_err(|e| e.to_string())?;
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let write = |file: &str, text: String| {
        let path = folder.join(file);
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    write("variables.txt", variables(&scenario))?;
    write("lscpu.txt", format!("CPU(s):              {}\n", scenario.run.workload.cores))?;
    write("samples.txt", samples(&scenario, &output, recorded, every)?)
}

/// As `SHOW GLOBAL VARIABLES` prints them.
fn variables(scenario: &Scenario) -> String {
    let settings = &scenario.settings;
    let name = scenario.model.name();
    let version = name.rsplit_once('-').map_or(name, |(_, version)| version);
    let mut text = format!("Variable_name\tValue\nversion\t{version}\n");
    for (name, value) in &settings.values {
        let _ = writeln!(text, "{name}\t{value}");
    }
    text
}

/// Samples of the status and of the log's place in the engine's own report.
fn samples(
    scenario: &Scenario,
    output: &RunOutput,
    recorded: std::ops::RangeInclusive<u64>,
    every: u64,
) -> Result<String, String> {
    let pool = scenario.settings.integer("innodb_buffer_pool_size").map_err(|error| error.to_string())? / PAGE_BYTES;
    let clients = match scenario.run.workload.drive {
        DriveSpec::Closed { clients, .. } => u64::from(clients),
        DriveSpec::Open { .. } => return Err(format!("{} is no closed loop", scenario.name)),
    };
    let mut text = String::new();
    let (mut commits, mut written, mut reads, mut lsn, mut log) = (0, 0, 0, FIRST_LSN, 0);
    for second in &output.series {
        commits += second.transactions;
        written += second.pages_flushed;
        reads += second.pool_reads;
        lsn += second.redo_generated_bytes;
        log += second.redo_written_bytes;
        if !recorded.contains(&second.second) || !(second.second - recorded.start()).is_multiple_of(every) {
            continue;
        }
        let status = [
            ("Com_commit", commits),
            ("Innodb_buffer_pool_pages_data", pool - second.free_pages),
            ("Innodb_buffer_pool_pages_dirty", second.dirty_pages),
            ("Innodb_buffer_pool_pages_free", second.free_pages),
            ("Innodb_buffer_pool_pages_total", pool),
            ("Innodb_buffer_pool_reads", reads),
            ("Innodb_os_log_written", log),
            ("Innodb_pages_written", written),
            ("Threads_connected", clients + 1),
            ("Threads_running", clients + 1),
            ("Uptime", second.second),
        ];
        let _ = writeln!(text, "TS {}.000\nVariable_name\tValue", BEGAN_S + second.second);
        status.iter().for_each(|(name, value)| {
            let _ = writeln!(text, "{name}\t{value}");
        });
        let _ = writeln!(
            text,
            "=====================================\nINNODB MONITOR OUTPUT\n=====================================\n---\nLOG\n---\n\
             Log sequence number          {lsn}\nPages flushed up to          {}\nLast checkpoint at           {}\n\
             ----------------------------\nEND OF INNODB MONITOR OUTPUT\n============================",
            lsn - second.oldest_page_age_bytes,
            lsn - second.checkpoint_age_bytes
        );
    }
    Ok(text)
}
