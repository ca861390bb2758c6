//! Runs that could have ended early, beside what they were at their planned end: the table of docs/sweeps-cost.md.
//!
//! ```text
//! cargo run --release -p innosim-experiments --example until_rest -- [PART_OF_A_NAME] [STILL] [SETTING=VALUE]...
//! ```
//!
//! STILL is the share of the redo that may stay in the age of a run at rest, 0.1 unless told otherwise. Each shipped scenario runs whole once. What is known of it early is what its first seconds said by then: a run that ends
//! is the beginning of the one that goes on, byte by byte.

use innosim_core::metrics::{RunOutput, Summary};
use innosim_core::server::Silent;
use innosim_experiments::rest::{Early, STILL, ended, may_end_early};
use innosim_experiments::runner::{Job, in_parallel, run_until, warmup_of};
use innosim_scenario::{Overrides, Scenario, Source, load, shipped};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let part = arguments.first().map_or("", String::as_str);
    let Ok(still) = arguments.get(1).map_or(Ok(STILL), |share| share.parse::<f64>()) else {
        eprintln!("error: the second argument is a share, such as 0.1");
        return ExitCode::from(2);
    };
    let set = arguments.iter().skip(2).cloned().collect();
    let overrides = Overrides { set, ..Overrides::default() };
    let mut scenarios = Vec::new();
    for scenario in shipped().iter().filter(|shipped| shipped.name.contains(part)) {
        match load(Source::Shipped(scenario.name), &overrides) {
            Ok(loaded) => scenarios.push(loaded),
            Err(errors) => {
                eprintln!("error: {errors}");
                return ExitCode::from(2);
            }
        }
    }
    println!(
        "scenario                                       ended               tps   error   age, GiB   error   writes/trx   error  regime"
    );
    let rows = in_parallel(&scenarios, |scenario| {
        let row = row(scenario, still);
        eprintln!("{}", scenario.name);
        row
    });
    for row in rows {
        match row {
            Ok(text) => println!("{text}"),
            Err(text) => {
                eprintln!("error: {text}");
                return ExitCode::from(1);
            }
        }
    }
    ExitCode::SUCCESS
}

fn row(scenario: &Scenario, still: f64) -> Result<String, String> {
    let job = Job { scenario, replication: 0 };
    let mut early = None;
    let may = may_end_early(scenario);
    let output = run_until(job, false, &mut Silent, &mut |series, limits| {
        if may && early.is_none() {
            let known = ended(series, limits, still);
            early = known.map(|(why, counted_s)| Early { why, simulated_s: series.len() as u64, counted_s });
        }
        false
    })
    .map_err(|error| format!("{}: {error}", scenario.name))?;
    let whole = Summary::of(&output, warmup_of(scenario, &output).seconds);
    let Some(early) = early.filter(|early| early.simulated_s < job.seconds()) else {
        return Ok(format!("{:<45}  ran whole, {:>5} s  {}", scenario.name, job.seconds(), whole.regime));
    };
    let then = at(&output, early);
    let gib = |bytes: f64| bytes / (1_u64 << 30) as f64;
    let error = |one: f64, all: f64| if all == 0.0 { 0.0 } else { 100.0 * (one - all) / all };
    Ok(format!(
        "{:<45}  {:<13} {:>5} s  {:>6.0} {:>+6.2} %  {:>7.2}  {:>+6.2} %  {:>9.3}  {:>+6.2} %  {} / {}",
        scenario.name,
        early.why.name(),
        early.simulated_s,
        then.tps_mean,
        error(then.tps_mean, whole.tps_mean),
        gib(then.checkpoint_age_mean),
        error(then.checkpoint_age_mean, whole.checkpoint_age_mean),
        then.flushes_per_trx,
        error(then.flushes_per_trx, whole.flushes_per_trx),
        then.regime,
        whole.regime,
    ))
}

/// The summary of a run that ended there.
fn at(output: &RunOutput, early: Early) -> Summary {
    let mut output = output.clone();
    output.series.truncate(early.simulated_s as usize);
    output.latency_by_10s.truncate((early.simulated_s / 10) as usize);
    Summary::of(&output, early.simulated_s - early.counted_s)
}
