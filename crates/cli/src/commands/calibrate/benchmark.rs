//! Runs of a benchmark without InnoDB's counters, calibrated together: what was fitted, and what is left of each run.

use super::{document, table, write_scenario};
use crate::args::CalibrateArgs;
use crate::exit::{Done, Failure};
use crate::interrupt;
use crate::output::wrapped;
use crate::progress::Progress;
use crate::runner::{failure, pool};
use crate::show::show;
use crate::text_table::TextTable;
use innosim_core::metrics::RunOutput;
use innosim_experiments::calibrate::{Benchmark, BenchmarkFit, BenchmarkTask, Device, Figures};
use innosim_experiments::runner::{Job, Watched, in_parallel};
use innosim_recordings::{Purpose, Quantity, Recording, Script};
use innosim_report::numbers::count;
use serde_json::{Value, json};

/// A figure of a run, by name, and its unit.
type Column = (&'static str, fn(&Figures) -> Option<f64>);
const COLUMNS: [Column; 5] = [
    ("tps", |figures| Some(figures.tps)),
    ("write_bytes_per_s", |figures| figures.write_bytes_per_s),
    ("writes_per_s", |figures| figures.writes_per_s),
    ("flushes_per_s", |figures| figures.flushes_per_s),
    ("in_flight", |figures| figures.in_flight),
];

/// Whether a recording tells only throughput and the device: no log sequence number, or a load whose tables it does not count.
pub(super) fn is_one(recording: &Recording) -> bool {
    let is_tpcc = recording.phases.iter().any(|phase| phase.script == Script::Other("tpcc".to_owned()));
    let has_load = !recording.phases.is_empty() && recording.get(Quantity::Tps).is_some();
    has_load && (is_tpcc || recording.get(Quantity::Lsn).is_none() && recording.check(Purpose::Benchmark).is_ok())
}

/// Fits, and leaves the scenario of the run with most throughput.
pub(super) fn run(args: &CalibrateArgs, recordings: &[Recording], device: &Device) -> Done {
    interrupt::listen();
    let mut fit = BenchmarkFit::new(recordings, device).map_err(Failure::Input)?;
    loop {
        let tasks = fit.wanted().map_err(Failure::Input)?;
        if tasks.is_empty() {
            break;
        }
        fit.take(&simulated(args, &tasks)?);
    }
    let benchmark = fit.finish().map_err(Failure::Input)?;
    write_scenario(args, &benchmark.calibration.recording, &benchmark.scenario)?;
    show(args.form.format, &with_runs(&benchmark), &text(&benchmark))
}

fn simulated(args: &CalibrateArgs, tasks: &[BenchmarkTask]) -> Result<Vec<(RunOutput, u64)>, Failure> {
    let job = |task: &BenchmarkTask| Job { scenario: &task.scenario, replication: 0 }.seconds();
    let progress = Progress::new("calibration", tasks.iter().map(job).sum(), args.common.quiet);
    let one = |task: &BenchmarkTask| {
        let ended = task.run(&mut Watched(&progress));
        ended.map_err(|error| failure(Job { scenario: &task.scenario, replication: 0 }, &error))
    };
    let outputs = pool(args.common.jobs)?.install(|| in_parallel(tasks, one).into_iter().collect());
    progress.finish();
    outputs
}

fn text(benchmark: &Benchmark) -> String {
    let mut text = table(&benchmark.calibration);
    text.push_str(&format!("\n{}", wrapped(&format!("Device: {}", benchmark.device), 0)));
    text.push_str("\nMeasured, and simulated with these numbers:\n");
    let heads = [
        "run",
        ">threads",
        ">tps",
        ">error",
        ">MB/s",
        ">error",
        ">writes/s",
        ">error",
        ">flushes/s",
        ">error",
        ">in flight",
        ">error",
    ];
    let mut rows = TextTable::new(&heads);
    for run in &benchmark.runs {
        let mut cells = vec![run.name.clone(), run.threads.to_string()];
        for (name, figure) in COLUMNS {
            let (seen, simulated) = (figure(&run.measured), figure(&run.simulated));
            let value = match name {
                "write_bytes_per_s" => seen.map(|bytes| format!("{:.1}", bytes / 1e6)),
                "in_flight" => seen.map(|number| format!("{number:.1}")),
                _ => seen.map(count),
            };
            cells.push(value.unwrap_or_default());
            let error = seen.zip(simulated).filter(|(seen, _)| *seen > 0.0);
            cells.push(error.map_or_else(String::new, |(seen, sim)| format!("{:+.1} %", 100.0 * (sim / seen - 1.0))));
        }
        rows.row(cells);
    }
    text.push_str(&rows.render());
    let legend = "Error: simulated to measured. Fitted, as the mean over all runs: tps (of TPC-C bytes for each \
                  transaction, too). Device and file system were chosen by writes, flushes and operations in flight.";
    text.push_str(&wrapped(legend, 0));
    text
}

fn with_runs(benchmark: &Benchmark) -> Value {
    let figures = |figures: &Figures| -> Value {
        COLUMNS
            .iter()
            .map(|(name, figure)| ((*name).to_owned(), json!(figure(figures))))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let mut value = document(&benchmark.calibration);
    value["device"] = json!(benchmark.device);
    value["runs"] = benchmark
        .runs
        .iter()
        .map(|run| {
            json!({
                "name": run.name,
                "threads": run.threads,
                "measured": figures(&run.measured),
                "simulated": figures(&run.simulated),
            })
        })
        .collect();
    value
}
