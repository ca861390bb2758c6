//! `innosim run --tier flow` and `--tier both`: the coarse tier, alone or next to the exact one.

use super::run_replications;
use crate::args::{RunArgs, RunFormat, Tier};
use crate::exit::{Done, Failure};
use crate::header::load_and_device;
use crate::interrupt;
use crate::out_dir::{OutDir, fill};
use crate::outcome::VERSION;
use crate::output::{note, print, print_json};
use crate::runner::failure;
use crate::text_table::TextTable;
use innosim_core::metrics::SecondSample;
use innosim_experiments::runner::Job;
use innosim_experiments::tiers::{TIER_FIGURES, TierFigures, run_flow, warmup_s};
use innosim_flow::{EXACT_S, FlowError, FlowOutput};
use innosim_report::numbers::{bytes, count};
use innosim_report::{write_file, write_json};
use innosim_scenario::Scenario;
use serde_json::{Map, Value, json};
use std::time::Instant;

/// What is left last.
const LAST: &str = "flow.json";

/// A flow, and how long it took.
pub(super) struct Flow {
    output: FlowOutput,
    wall_s: f64,
}

/// Refuses options of a run that the coarse tier has no use for.
pub(super) fn refuse_options(scenario: &Scenario, args: &RunArgs) -> Done {
    let given = [
        (scenario.replications > 1, "--replications"),
        (args.check, "--check"),
        (args.verbose, "--verbose"),
        (args.format == RunFormat::Sysbench, "--format sysbench"),
    ];
    let Some((_, option)) = given.into_iter().find(|(given, _)| *given) else { return Ok(()) };
    let help = format!("leave out {option}, or --tier");
    Err(Failure::Input(format!("{option} belongs to the exact tier\n  = help: {help}")))
}

/// Runs the coarse tier; none where it refuses, which is said.
pub(super) fn flow(scenario: &Scenario, quiet: bool) -> Result<Option<Flow>, Failure> {
    let began = Instant::now();
    let job = Job { scenario, replication: 0 };
    match run_flow(job, &interrupt::asked) {
        Ok(output) => Ok(Some(Flow { output, wall_s: began.elapsed().as_secs_f64() })),
        Err(FlowError::Refused(why)) => {
            if !quiet {
                note(&format!("The coarse tier refuses: {why}. The exact tier runs."));
            }
            Ok(None)
        }
        Err(FlowError::Run(error)) => Err(failure(job, &error)),
    }
}

/// Shows a flow, beside the exact run where that is asked for.
pub(super) fn show(scenario: &Scenario, flow: &Flow, args: &RunArgs, out: Option<&OutDir>) -> Done {
    let warmup_s = warmup_s(scenario);
    let Some(figures) = TierFigures::of(scenario, &flow.output.seconds, &flow.output.age_limits) else {
        let help = format!("give a --duration of more than {warmup_s}s");
        return Err(Failure::Input(format!("{}: nothing is left after the warm-up\n  = help: {help}", scenario.name)));
    };
    let exact = match args.tier {
        Tier::Both => {
            let began = Instant::now();
            let outputs = run_replications(scenario, args)?;
            let figures = outputs.first().and_then(|run| TierFigures::of(scenario, &run.series, &run.age_limits));
            figures.map(|figures| (figures, began.elapsed().as_secs_f64()))
        }
        Tier::Exact | Tier::Flow => None,
    };
    let document = document(scenario, flow, warmup_s, &figures, exact.as_ref());
    if let Some(out) = out {
        fill(out.path(), LAST, |dir| {
            write_file(&dir.join("flow.csv"), csv(&flow.output.seconds).as_bytes())?;
            write_file(&dir.join("scenario.resolved.toml"), scenario.to_resolved_toml(VERSION).as_bytes())?;
            write_json(&dir.join(LAST), &document)
        })?;
    }
    match args.format {
        RunFormat::Json => print_json(&document)?,
        _ => print(&for_people(scenario, flow, warmup_s, &figures, exact.as_ref()))?,
    }
    if let Some(out) = out {
        out.tell(args.common.quiet, "flow.csv, flow.json, scenario.resolved.toml");
    }
    Ok(())
}

/// A figure's name for people, and how it is written.
type Written = (&'static str, fn(f64) -> String);

const WRITTEN: [Written; TIER_FIGURES.len()] = [
    ("transactions/s", count),
    ("checkpoint age", bytes),
    ("dirty pages", count),
    ("pages flushed/s", count),
    ("by sync flushing/s", count),
    ("lowest 10 s, transactions/s", count),
    ("first collapse after, s", count),
    ("period of its waves, s", count),
];

fn for_people(
    scenario: &Scenario,
    flow: &Flow,
    warmup_s: u64,
    figures: &TierFigures,
    exact: Option<&(TierFigures, f64)>,
) -> String {
    let mut text = format!("{} on {}, coarse tier\n", scenario.name, scenario.model);
    load_and_device(scenario).iter().for_each(|line| text.push_str(&format!("{line}\n")));
    text.push('\n');
    let heads: &[&str] = if exact.is_some() { &["", ">flow", ">exact", ">flow is off by"] } else { &["", ">flow"] };
    let mut table = TextTable::new(heads);
    let written = |value: Option<f64>, how: fn(f64) -> String| value.map_or_else(|| "-".to_owned(), how);
    for ((_, of), (name, how)) in TIER_FIGURES.into_iter().zip(WRITTEN) {
        let mut row = vec![name.to_owned(), written(of(figures), how)];
        if let Some((exact, _)) = exact {
            row.push(written(of(exact), how));
            row.push(match (of(figures), of(exact)) {
                (Some(flow), Some(exact)) if exact > 0.0 => format!("{:+.1} %", (flow / exact - 1.0) * 100.0),
                _ => "-".to_owned(),
            });
        }
        table.row(row);
    }
    text.push_str(&table.render());
    text.push_str(&match exact {
        Some((exact, _)) => format!("Regime: {}, exact {}\n", figures.regime, exact.regime),
        None => format!("Regime: {}\n", figures.regime),
    });
    let seconds = flow.output.seconds.len();
    text.push_str(&format!(
        "\n{} s simulated, the first {} of them counted as warm-up; {} s and {} windows of {} s in all were simulated page by page. Latencies are the \
         exact tier's alone.\n",
        count(seconds as f64),
        count(warmup_s as f64),
        count(EXACT_S.min(seconds as u64) as f64),
        flow.output.windows_at_s.len(),
        count(flow.output.window_seconds as f64),
    ));
    if let Some((_, wall_s)) = exact {
        text.push_str(&format!("Flow {:.1} s, exact {wall_s:.1} s.\n", flow.wall_s));
    }
    text
}

fn document(
    scenario: &Scenario,
    flow: &Flow,
    warmup_s: u64,
    figures: &TierFigures,
    exact: Option<&(TierFigures, f64)>,
) -> Value {
    let of = |figures: &TierFigures| -> Value {
        let mut of: Map<_, _> =
            TIER_FIGURES.iter().map(|(name, of)| ((*name).to_owned(), json!(of(figures)))).collect();
        of.insert("regime".to_owned(), json!(figures.regime.name()));
        of.into()
    };
    let mut document = json!({
        "innosim_version": VERSION,
        "model": scenario.model.name(),
        "scenario": scenario.name,
        "seed": scenario.run.seed,
        "tier": "flow",
        "simulated_s": flow.output.seconds.len(),
        "warmup_s": warmup_s,
        "windows_at_s": flow.output.windows_at_s,
        "window_seconds": flow.output.window_seconds,
        "figures": of(figures),
    });
    if let Some((exact, _)) = exact {
        document["exact"] = of(exact);
    }
    document
}

/// A row a second.
fn csv(seconds: &[SecondSample]) -> String {
    let mut text = String::from(
        "second,transactions,checkpoint_age_bytes,oldest_page_age_bytes,dirty_pages,pages_flushed,sync_pages,free_check_waits\n",
    );
    for row in seconds {
        text.push_str(&format!(
            "{},{},{},{},{},{},{},{}\n",
            row.second,
            row.transactions,
            row.checkpoint_age_bytes,
            row.oldest_page_age_bytes,
            row.dirty_pages,
            row.pages_flushed,
            row.sync_pages,
            row.free_check_waits,
        ));
    }
    text
}
