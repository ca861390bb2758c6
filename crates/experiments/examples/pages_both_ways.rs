//! Shipped scenarios with pages kept one by one and counted: the table of docs/counting.md.
//!
//! ```text
//! cargo run --release -p innosim-experiments --example pages_both_ways -- [PART_OF_A_NAME] [SEEDS] [DURATION] [KEY=VALUE]...
//! ```
//!
//! 20 seeds and the scenarios' own durations (also by `-`), unless told otherwise. Exit code 1 if a figure differs.

use innosim_core::metrics::PagesKept;
use innosim_experiments::both_ways::{BothWays, Case, TOLERANCE, compare, kept};
use innosim_scenario::{Overrides, Source, load, shipped};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let part = arguments.first().map_or("", String::as_str);
    let Ok(seeds) = arguments.get(1).map_or("20", String::as_str).parse::<u32>() else {
        eprintln!("error: the second argument is the number of seeds, such as 20");
        return ExitCode::from(2);
    };
    let overrides = Overrides {
        duration: arguments.get(2).filter(|duration| *duration != "-").cloned(),
        replications: Some(seeds),
        set: [&["warmup=0s".to_owned()], arguments.get(3..).unwrap_or_default()].concat(),
        ..Overrides::default()
    };
    let mut rows: Vec<BothWays> = Vec::new();
    println!("scenario                              pages        regime                figures  worst");
    for scenario in shipped().iter().filter(|shipped| shipped.name.contains(part)) {
        let loaded = match load(Source::Shipped(scenario.name), &overrides) {
            Ok(loaded) => loaded,
            Err(errors) => {
                eprintln!("error: {errors}");
                return ExitCode::from(2);
            }
        };
        match kept(&loaded) {
            Ok(PagesKept::Individual) => {
                println!("{:<36}  individual: nothing to compare", scenario.name);
                continue;
            }
            Ok(_) => {}
            Err(error) => {
                eprintln!("error: {}: {error}", scenario.name);
                return ExitCode::from(1);
            }
        }
        match compare(&[Case::of(loaded)]) {
            Ok(found) => {
                found.iter().for_each(print_row);
                rows.extend(found);
            }
            Err(error) => {
                eprintln!("error: {}: {error}", scenario.name);
                return ExitCode::from(1);
            }
        }
    }
    let differing: usize = rows.iter().map(|row| row.differing().count()).sum();
    let figures: usize = rows.iter().map(|row| row.figures.len()).sum();
    println!("{differing} of {figures} figures differ by more than {:.1} % and more than chance.", 100.0 * TOLERANCE);
    if differing > 0 { ExitCode::from(1) } else { ExitCode::SUCCESS }
}

fn print_row(row: &BothWays) {
    let [one, other] = row.regimes();
    let regime = if one == other { one.name().to_owned() } else { format!("{} / {}", one.name(), other.name()) };
    let worst = row.figures.iter().filter_map(|figure| Some((figure.relative?.abs(), figure)));
    let worst = worst.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, figure)| {
        let (relative, half) = (figure.relative.unwrap_or(0.0), figure.half_width.unwrap_or(0.0));
        format!("{} {:+.2} % (± {:.2})", figure.name, 100.0 * relative, 100.0 * half)
    });
    println!(
        "{:<36}  {:<11}  {:<20}  {:>7}  {}",
        row.scenario,
        row.kept.name(),
        regime,
        row.figures.len(),
        worst.unwrap_or_default()
    );
    for figure in row.differing() {
        println!(
            "    differs: {}: {:.5} one by one, {:.5} counted, p = {:.4}",
            figure.name, figure.individual, figure.counted, figure.p_adjusted
        );
    }
}
