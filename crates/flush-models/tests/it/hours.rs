//! Random servers of every model for as long as is wanted, each from a seed of its own.
//!
//! ```text
//! HOURS=1 cargo test --release -p innosim-flush-models --test it hours:: -- --ignored --nocapture
//! ```
//!
//! Each case is looked at in four ways: the invariants of the machine hold at every event and the run goes on; whenever the
//! power fails, all is recovered; a shorter run is the beginning of a longer one; and who steps through it second by second
//! sees the same. A failure does not end the hour. It prints the command that replays it alone:
//!
//! ```text
//! HOURS_CASE=mysql-5.7/1234 cargo test -p innosim-flush-models --test it hours:: -- --ignored --nocapture
//! ```

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use crate::power_failures::CrashPlan;
use crate::worlds::power::worst_device;
use crate::worlds::*;
use innosim_core::config::PAGE_BYTES;
use innosim_core::kernel::time::SimDuration;
use innosim_core::workload::DriveSpec;
use innosim_flush_models::registry::ModelId;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The world of a seed; every fourth has the least of everything.
fn world(model: ModelId, seed: u64) -> World {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    match seed % 4 {
        0 => cramped_worlds(model).new_tree(&mut runner).unwrap().current(),
        _ => worlds(model).new_tree(&mut runner).unwrap().current(),
    }
}

fn goes_on(world: &World) {
    let out = world.run_watched();
    check_run(world, &out);
    // TNT with a full buffer or redo log waits for its next passes, as long as such a run takes.
    let wants = matches!(world.spec.workload.drive, DriveSpec::Closed { .. }) && world.model != ModelId::Tnt;
    // A page cleaner that neither adaptive nor sync flushing moves needs two seconds to see that the server is idle, and
    // only then writes: as long as the second half of a short run.
    if wants && !makes_progress(&out) {
        let mut longer = world.clone();
        longer.spec.duration = SimDuration::from_secs(20);
        check_progress(&longer.run_watched());
    }
}

fn is_recovered(world: &World, seed: u64) {
    let mean_interval = SimDuration::from_millis(1 + seed % 50);
    let plan = CrashPlan { mean_interval, seed, cache: worst_device(world), broken: None };
    let (_, crashes) = world.run_with_crashes(plan).unwrap_or_else(|error| panic!("{error}"));
    assert!(!crashes.is_empty());
}

fn begins_as_a_shorter_one(world: &World) {
    let mut shorter = world.clone();
    let half = world.spec.duration.0 / 2_000_000_000;
    shorter.spec.duration = SimDuration::from_secs(half.max(1));
    let (long, short) = (world.run().unwrap(), shorter.run().unwrap());
    assert_eq!(short.series, long.series[..short.series.len()]);
}

fn is_the_same_in_steps(world: &World) {
    let whole = world.run().unwrap();
    let mut stepping = world.stepping();
    let mut seconds = 0;
    while let Some(row) = stepping.second().unwrap() {
        assert_eq!(*row, whole.series[seconds]);
        _ = (stepping.redo_ring(), stepping.dirty_by_age(PAGE_BYTES, 50));
        stepping.forget();
        seconds += 1;
    }
    assert_eq!((seconds, stepping.event_hash()), (whole.series.len(), whole.event_hash));
}

fn look_at(model: ModelId, seed: u64) {
    let world = world(model, seed);
    goes_on(&world);
    // TNT is not made to be crashed.
    if model != ModelId::Tnt {
        is_recovered(&world, seed);
    }
    begins_as_a_shorter_one(&world);
    is_the_same_in_steps(&world);
}

/// The case that the environment names, if it names one: a model and a seed.
fn asked() -> Option<(ModelId, u64)> {
    let case = std::env::var("HOURS_CASE").ok()?;
    let (model, seed) = case.split_once('/').unwrap_or_else(|| panic!("HOURS_CASE is MODEL/SEED, not `{case}`"));
    Some((ModelId::parse(model).unwrap(), seed.parse().unwrap()))
}

#[test]
#[ignore = "takes as long as is wanted, an hour unless HOURS says otherwise"]
fn random_servers_for_hours() {
    if let Some((model, seed)) = asked() {
        println!("{:#?}", world(model, seed));
        return look_at(model, seed);
    }
    let hours: f64 = std::env::var("HOURS").map_or(1.0, |hours| hours.parse().unwrap());
    let until = Instant::now() + Duration::from_secs_f64(3_600.0 * hours);
    // Other worlds each time; a failure names its seed.
    let first = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() << 20;
    let (mut cases, mut failures) = (0u64, Vec::new());
    for seed in first.. {
        for &model in ModelId::ALL {
            if Instant::now() >= until {
                println!("{cases} cases from seed {first} on, {} failed", failures.len());
                assert!(failures.is_empty(), "replay each alone:\n{}", failures.join("\n"));
                return;
            }
            cases += 1;
            if catch_unwind(AssertUnwindSafe(|| look_at(model, seed))).is_err() {
                let test = "cargo test -p innosim-flush-models --test it hours:: -- --ignored --nocapture";
                failures.push(format!("HOURS_CASE={}/{seed} {test}", model.name()));
                println!("{}", failures[failures.len() - 1]);
            }
        }
    }
}

/// A seed is a world, always the same; and the looks themselves work.
#[test]
fn a_seed_says_it_all() {
    for (model, seed) in [(ModelId::Mysql8030, 4), (ModelId::Mysql56, 5)] {
        assert_eq!(format!("{:?}", world(model, seed)), format!("{:?}", world(model, seed)));
        look_at(model, seed);
    }
}
