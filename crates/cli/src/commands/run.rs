//! `innosim run`: one scenario, one or several replications.

mod tier;

use super::explain::table;
use super::sweep::refuse_sweep;
use crate::args::{RunArgs, RunFormat, Tier};
use crate::exit::{Done, Failure};
use crate::header::threads_of;
use crate::interrupt;
use crate::out_dir::OutDir;
use crate::outcome::Outcome;
use crate::output::{note, note_warnings, print, within_window};
use crate::runner::{failure, refuse_too_short, run_with_bar};
use innosim_core::kernel::histogram::Histogram;
use innosim_core::metrics::{RunOutput, SecondSample};
use innosim_core::server::Observer;
use innosim_experiments::explain::events_of_run;
use innosim_experiments::runner::{Job, run_one};
use innosim_report::explanation::in_short;
use innosim_report::sysbench::{closing_statistics, interval_line};
use innosim_report::{render_all_figures, render_summary, too_short};
use innosim_scenario::{Overrides, Scenario, Source, load};
use std::ops::ControlFlow;
use std::time::Instant;

/// Seconds of an interval line.
const INTERVAL_S: u64 = 10;
/// Events that are told below the table.
const TOLD: usize = 4;

/// Runs a scenario.
pub(crate) fn run(args: &RunArgs) -> Done {
    let overrides = Overrides {
        duration: args.length.duration.clone(),
        replications: args.replications,
        ..args.server.overrides(&args.common)
    };
    refuse_sweep(&args.scenario)?;
    let scenario = load(Source::Named(&args.scenario), &overrides)?;
    refuse_too_short(&scenario)?;
    note_warnings(&scenario.notes, args.common.quiet);
    note_settings_files(&scenario, args.common.quiet);
    if args.format == RunFormat::Sysbench && scenario.replications > 1 {
        let help = "leave out --replications, or choose another --format";
        return Err(Failure::Input(format!("the sysbench format shows a single run\n  = help: {help}")));
    }
    if args.tier != Tier::Exact {
        tier::refuse_options(&scenario, args)?;
    }
    let out = args.out.as_deref().map(OutDir::prepare).transpose()?;
    interrupt::listen();
    if args.tier != Tier::Exact
        && let Some(flow) = tier::flow(&scenario, args.common.quiet)?
    {
        return tier::show(&scenario, &flow, args, out.as_ref());
    }
    let began = Instant::now();
    let outputs = match args.format {
        RunFormat::Sysbench => vec![run_as_sysbench(&scenario, args.check)?],
        RunFormat::Human | RunFormat::Json => run_replications(&scenario, args)?,
    };
    let Some(outcome) = Outcome::of(scenario, outputs, began.elapsed()) else { return Ok(()) };
    // What was found is told even where it can't be written.
    let written = out.as_ref().map_or(Ok(()), |out| out.write(&outcome));
    match args.format {
        RunFormat::Json => print(&outcome.summary_json()?)?,
        RunFormat::Human => print(&for_people(&outcome, args.verbose))?,
        RunFormat::Sysbench => print(&closing_statistics(&outcome.output))?,
    }
    written?;
    if let Some(out) = out {
        let files = "summary.json, series.csv, scenario.resolved.toml, dashboard.svg, dashboard.png";
        out.tell(args.common.quiet, files);
    }
    Ok(())
}

/// The verdict and its figures; of a run that is long enough to tell, what happened too.
fn for_people(outcome: &Outcome, verbose: bool) -> String {
    let report = outcome.report();
    let figures = if verbose { render_all_figures(&report) } else { render_summary(&report) };
    let figures = within_window(&figures);
    if too_short(&report).is_some() { figures } else { figures + what_happened(outcome).as_str() }
}

/// The few events that matter most, of the first replication.
fn what_happened(outcome: &Outcome) -> String {
    let events = events_of_run(&outcome.scenario, &outcome.output);
    let few = in_short(&events, TOLD);
    if few.is_empty() {
        return String::new();
    }
    let of = if outcome.scenario.replications > 1 { ", in the first replication" } else { "" };
    format!("\nWhat happened{of} (innosim explain tells all)\n{}", table(&few))
}

/// A line for each file of a real server's settings.
fn note_settings_files(scenario: &Scenario, quiet: bool) {
    for file in scenario.settings_files.iter().filter(|_| !quiet) {
        let option = file.kind.key().replace('_', "-");
        note(&format!("{} (innosim settings --{option} PATH --model {} lists them)", file.in_a_line(), scenario.model));
    }
}

fn run_replications(scenario: &Scenario, args: &RunArgs) -> Result<Vec<RunOutput>, Failure> {
    let jobs: Vec<Job<'_>> = Job::all(scenario).collect();
    run_with_bar(&scenario.name, &jobs, args.check, &args.common)
}

/// Prints a line each ten seconds as the run goes.
struct IntervalLines {
    threads: u32,
    seconds: Vec<SecondSample>,
    latency_ms_p95: f64,
    /// What printing came to.
    printed: Done,
}

impl IntervalLines {
    fn line(&mut self) -> ControlFlow<()> {
        if !self.seconds.is_empty() {
            self.printed = print(&(interval_line(self.threads, &self.seconds, self.latency_ms_p95) + "\n"));
            self.seconds.clear();
        }
        if self.printed.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Observer for IntervalLines {
    fn latencies(&mut self, since_ten: &Histogram) {
        self.latency_ms_p95 = since_ten.quantile(0.95).as_millis_f64();
    }

    fn second(&mut self, sample: &SecondSample) -> ControlFlow<()> {
        if interrupt::asked() {
            return ControlFlow::Break(());
        }
        self.seconds.push(sample.clone());
        if sample.second.is_multiple_of(INTERVAL_S) { self.line() } else { ControlFlow::Continue(()) }
    }

    fn go_on(&mut self) -> ControlFlow<()> {
        interrupt::go_on()
    }
}

fn run_as_sysbench(scenario: &Scenario, check: bool) -> Result<RunOutput, Failure> {
    let mut lines =
        IntervalLines { threads: threads_of(scenario), seconds: Vec::new(), latency_ms_p95: 0.0, printed: Ok(()) };
    let job = Job { scenario, replication: 0 };
    let ran = run_one(job, check, &mut lines).map_err(|error| failure(job, &error));
    let _ = lines.line();
    lines.printed?;
    ran
}
