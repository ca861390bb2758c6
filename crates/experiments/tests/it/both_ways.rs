//! Pages counted and kept one by one give the same figures, in short; and the comparison finds a rate that is 2 % off.
//! `examples/pages_both_ways.rs` is the long form.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use innosim_core::metrics::PagesKept;
use innosim_experiments::both_ways::{BothWays, Case, compare};
use innosim_scenario::{Overrides, Scenario, Source, load};

fn scenario(name: &str, duration: &str, replications: u32, set: &[&str]) -> Scenario {
    let overrides = Overrides {
        duration: Some(duration.to_owned()),
        replications: Some(replications),
        set: ["warmup=0s"].iter().chain(set).map(|&set| set.to_owned()).collect(),
        ..Overrides::default()
    };
    load(Source::Shipped(name), &overrides).unwrap()
}

fn differences(rows: &[BothWays]) -> Vec<String> {
    rows.iter().flat_map(|row| row.differing().map(|figure| format!("{}: {figure:?}", row.scenario))).collect()
}

#[test]
fn counted_pages_behave_as_single_ones() {
    let cold = ["workload.scale=2", "workload.resident_share=0.1"];
    // Waves: whole transactions become dirty at once, and many clients stand at the free check.
    let waves = [
        "workload.scale=10",
        "workload.resident_share=1",
        "innodb_log_file_size=300M",
        "innodb_io_capacity=1000",
        "innodb_io_capacity_max=2000",
    ];
    let cases = [
        scenario("teaching/activity-spike", "30s", 8, &[]),
        scenario("teaching/redo-too-small", "12s", 8, &["innodb_redo_log_capacity=60M"]),
        scenario("percona-2020-08/wave-2000-4000", "6s", 8, &cold),
        scenario("percona-2020-08/wave-2000-4000", "40s", 6, &waves),
    ]
    .map(Case::of);
    let rows = compare(&cases).unwrap();
    assert!(rows.iter().all(|row| row.kept != PagesKept::Individual && row.figures.len() > 10), "{rows:?}");
    assert_eq!(differences(&rows), [""; 0]);
    assert!(rows.iter().all(|row| row.regimes()[0] == row.regimes()[1]), "{rows:?}");
}

#[test]
fn a_rate_that_is_off_by_two_percent_is_found() {
    let mut case = Case::of(scenario("teaching/activity-spike", "30s", 8, &["workload.table_size=150000"]));
    for set in &mut case.counted.workload.page_sets {
        set.pages += set.pages / 50;
    }
    assert_ne!(differences(&compare(&[case]).unwrap()), [""; 0]);
}
