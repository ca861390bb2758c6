//! A published scenario, whole: 5.6 million pages, some 8000 transactions a second, page by page.
//!
//! The throughput that criterion prints is in simulated seconds a second (`elem/s`). Each sample begins with an empty buffer
//! pool and includes building the server. Marks: 2000 simulated seconds a second on one core, under 2 bytes of structures a
//! page while the data set fits the pool.

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
const SECONDS: u64 = 60;

fn scenario() -> Scenario {
    let overrides = Overrides { duration: Some(format!("{SECONDS}s")), ..Overrides::default() };
    match load(Source::Shipped(SCENARIO), &overrides) {
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

fn whole_run(c: &mut Criterion) {
    let scenario = scenario();
    let output = simulate(&scenario);
    println!(
        "{SCENARIO}: {:.2} bytes of structures a page, {} pages; events hash {:016x}",
        output.page_structure_bytes as f64 / output.pages_total.max(1) as f64,
        output.pages_total,
        output.event_hash
    );
    let mut group = c.benchmark_group("run");
    group.sample_size(10);
    group.throughput(Throughput::Elements(SECONDS));
    group.bench_function("7000-bpi32", |b| b.iter(|| black_box(simulate(&scenario))));
    group.finish();
}

criterion_group!(run, whole_run);
criterion_main!(run);
