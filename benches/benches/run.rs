//! A published scenario, whole: 5.6 million pages, some 8000 transactions a second, page by page.
//!
//! The throughput that criterion prints is in simulated seconds a second (`elem/s`). Each sample includes building the
//! server. The cold run begins with an empty buffer pool, as the scenario does, and runs through its fill; the warm one
//! begins with all pages in the pool, at full throughput. Marks: 500 simulated seconds a second on one core, later
//! 2000; under 16 bytes of structures a page.

// The macros of criterion make public items without documentation.
#![allow(missing_docs)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use innosim_core::metrics::RunOutput;
use innosim_core::server::{Server, Silent};
use innosim_scenario::{Overrides, Scenario, Source, load};
use std::hint::black_box;

/// The scenario on which the workload is calibrated.
const SCENARIO: &str = "percona-2020-08/7000-bpi32";
/// Simulated seconds of a sample.
const SECONDS: u64 = 400;

fn scenario(source: Source<'_>, set: &str) -> Scenario {
    let overrides =
        Overrides { duration: Some(format!("{SECONDS}s")), set: vec![set.to_owned()], ..Overrides::default() };
    match load(source, &overrides) {
        Ok(scenario) => scenario,
        Err(errors) => panic!("{errors}"),
    }
}

fn simulate(scenario: &Scenario) -> RunOutput {
    match Server::new(scenario.build_model(), &scenario.run).run(&mut Silent) {
        Ok(output) => output,
        Err(error) => panic!("{error}"),
    }
}

/// Measures a run, after saying what it is and what came out.
fn measure(c: &mut Criterion, group: &str, name: &str, scenario: &Scenario) {
    let output = simulate(scenario);
    println!(
        "{group}, {name}: {:.2} bytes of structures a page, {} pages; {} transactions; events hash {:016x}",
        output.page_structure_bytes as f64 / output.pages_total.max(1) as f64,
        output.pages_total,
        output.series.iter().map(|second| second.transactions).sum::<u64>(),
        output.event_hash
    );
    let mut group = c.benchmark_group(group);
    group.sample_size(10);
    group.throughput(Throughput::Elements(SECONDS));
    group.bench_function(name, |b| b.iter(|| black_box(simulate(scenario))));
    group.finish();
}

fn whole_run(c: &mut Criterion) {
    for (name, resident_share) in [("cold", "0.0"), ("warm", "1.0")] {
        let set = format!("workload.resident_share={resident_share}");
        measure(c, "run 7000-bpi32", name, &scenario(Source::Shipped(SCENARIO), &set));
    }
}

criterion_group!(run, whole_run);
criterion_main!(run);
