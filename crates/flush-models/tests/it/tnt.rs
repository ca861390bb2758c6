//! What TNT's parts do to a run: passes of purge, memory, redo, the row cache. Invariants are verified at every event.

use crate::worlds::*;
use innosim_core::kernel::sampler::DurationDist;
use innosim_core::metrics::{RunOutput, SecondSample};
use innosim_core::workload::records::largest_redo;
use innosim_core::workload::{DrawSpec, DriveSpec};
use innosim_flush_models::registry::{ModelId, Value, build};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

const MIB: u64 = 1 << 20;

fn run(world: &World) -> RunOutput {
    let out = world.run_watched();
    check_run(world, &out);
    out
}

/// Sum of what `f` takes from the seconds after the tenth.
fn sum(out: &RunOutput, f: impl Fn(&SecondSample) -> u64) -> f64 {
    out.series.iter().skip(10).map(f).sum::<u64>() as f64
}

/// A load of some 1000 transactions a second.
fn load(secs: u64) -> World {
    let mut world = plain(ModelId::Tnt, secs);
    world.spec.workload.transactions[0].cpu = DurationDist::Exponential { mean_us: 4_000.0 };
    world
}

/// Changes of a few hot pages, and redo that never fills.
fn hot(secs: u64) -> World {
    let mut world = load(secs);
    world.spec.workload.access_classes[0].draw = DrawSpec::HotSpot { hot_pages: 0.05, hot_accesses: 0.9 };
    world.redo(8192 * MIB).set("tnt_buf_size", 1024 * MIB).set("ntse_system_io_capacity", 2_000)
}

#[test]
fn no_page_is_dirty_before_purge_comes_by() {
    let out = run(&hot(9).set("tnt_purge_interval", 6));
    assert!(out.series[..5].iter().all(|s| s.dirty_pages == 0 && s.transactions > 500), "{:?}", out.series[4]);
    assert!(out.series[6].dirty_pages > 1_000, "{:?}", out.series[6]);
}

/// Many changes of one record cost one merge: the less often purge comes by, the less redo its merges write.
#[test]
fn rare_passes_merge_fewer_records_a_transaction() {
    let runs = [1, 6, 18].map(|interval| run(&hot(50).set("tnt_purge_interval", interval)));
    let redo = runs.each_ref().map(|out| sum(out, |s| s.redo_generated_bytes) / sum(out, |s| s.transactions));
    println!("{redo:?}");
    assert!(redo.windows(2).all(|pair| pair[1] < 0.95 * pair[0]), "{redo:?}");
}

/// Memory for half a second of changes: transactions wait for purge, and never take more (the invariants say).
#[test]
fn a_full_buffer_stops_transactions_until_purge_has_emptied_it() {
    let small = load(24).redo(8192 * MIB).set("tnt_buf_size", MIB).set("tnt_purge_interval", 6);
    let out = run(&small);
    assert!(sum(&out, |s| s.wait_free) > 0.0 && out.series.iter().any(|s| s.transactions == 0));
    let large = run(&small.set("tnt_buf_size", 512 * MIB));
    assert!(
        sum(&large, |s| s.wait_free) == 0.0 && sum(&large, |s| s.transactions) > 2.0 * sum(&out, |s| s.transactions)
    );
}

/// Redo is used again only behind both passes; a larger log lets transactions go on meanwhile, and one that grows never
/// stops them.
#[test]
fn more_redo_stops_transactions_less() {
    let of = |mib: u64| load(30).redo(mib * MIB).set("ntse_system_io_capacity", 4_000);
    let runs = [8, 32, 2_048].map(|mib| run(&of(mib)));
    let tps = runs.each_ref().map(|out| sum(out, |s| s.transactions));
    let waits = runs.each_ref().map(|out| sum(out, |s| s.free_check_waits));
    println!("{tps:?} {waits:?}");
    assert!(tps[0] < 0.7 * tps[1] && tps[1] < tps[2] && waits[0] > 0.0 && waits[2] == 0.0);
    let ages = runs.each_ref().map(|out| out.series.iter().map(|s| s.checkpoint_age_bytes).max().unwrap_or(0));
    assert!(ages[0] <= 8 * MIB && ages[1] <= 32 * MIB, "{ages:?}");
    let grows = run(&of(8).with("ntse_log_overflow", Value::Switch(true)));
    assert!(sum(&grows, |s| s.free_check_waits) == 0.0 && sum(&grows, |s| s.transactions) > 0.95 * tps[2]);
}

/// Hot records of pages that do not fit are read once and stay: fewer page reads.
#[test]
fn a_row_cache_saves_reads_of_cold_pages() {
    let with = |cache_mib: u64| {
        let mut world = load(30);
        world.spec.workload.page_sets[0] = page_set(0, 20_000, 0.0);
        world.spec.workload.access_classes[0].draw = DrawSpec::HotSpot { hot_pages: 0.1, hot_accesses: 0.9 };
        world.redo(4096 * MIB).set("ntse_page_buf_size", 16 * MIB).set("ntse_rec_buf_size", cache_mib * MIB)
    };
    let runs = [0, 16, 256].map(|mib| run(&with(mib)));
    let reads = runs.each_ref().map(|out| sum(out, |s| s.pool_reads) / sum(out, |s| s.transactions));
    println!("reads a transaction: {reads:?}");
    assert!(reads[2] < 0.8 * reads[0] && reads[1] < reads[0]);
}

/// Two passes to a release keep twice as much redo, and nothing is used again too early (the invariants say).
#[test]
fn redo_is_released_by_every_second_pass() {
    let ages = [1, 4].map(|passes| {
        let quick = hot(30).set("ntse_system_io_capacity", 100_000).set("ntse_checkpoint_interval", 1);
        let out = run(&quick.set("tnt_purge_interval", 3).set("tnt_dump_interval", passes));
        sum(&out, |s| s.checkpoint_age_bytes)
    });
    assert!(ages[1] > 1.3 * ages[0], "{ages:?}");
}

/// Memory, redo and waits as small and as large as they may be, on a disk array that keeps up.
fn small_worlds() -> impl Strategy<Value = World> {
    let memory = (select(vec![1u64, 4, 16]), select(vec![1u64, 2, 8]), select(vec![0u64, 1, 4]));
    let redo = (select(vec![8u64, 12, 64]), any::<bool>());
    let waits = (select(vec![1u64, 5, 86_400]), select(vec![1u64, 5, 3_600]), select(vec![1u64, 3, 1_000_000]));
    let purge = (select(vec![1u64, 80, 99]), select(vec![50u64, 1_000]));
    let load = (
        select(vec![1u32, 8, 64]),
        select(vec![300u64, 2_000, 20_000]),
        select(vec![20.0, 400.0, 30_000.0, 400_000.0]),
    );
    (memory, redo, waits, purge, load, 0u64..3, any::<u64>()).prop_map(
        |(memory, redo, waits, purge, load, commit, seed)| {
            let mut world = plain(ModelId::Tnt, 45)
                .redo(redo.0 * MIB)
                .with("ntse_log_overflow", Value::Switch(redo.1 && seed % 4 == 0))
                .set("ntse_page_buf_size", memory.0 * MIB / 2)
                .set("tnt_buf_size", memory.1 * MIB / 2)
                .set("ntse_rec_buf_size", memory.2 * MIB / 2)
                .set("tnt_purge_interval", waits.0)
                .set("ntse_checkpoint_interval", waits.1)
                .set("tnt_dump_interval", waits.2)
                .set("tnt_purge_threshold", purge.0)
                .set("ntse_scavenger_pages", purge.1)
                .set("tnt_trx_flush_mode", commit)
                .set("ntse_system_io_capacity", 2_000);
            let workload = &mut world.spec.workload;
            workload.page_sets[0] = page_set(0, load.1, if seed % 2 == 0 { 1.0 } else { 0.0 });
            workload.drive = DriveSpec::Closed { clients: load.0, think: DurationDist::Fixed { us: 0.0 } };
            workload.transactions[0].cpu = DurationDist::Exponential { mean_us: 10_000.0 };
            workload.transactions[0].touches[1].redo_bytes = load.2;
            if seed % 3 == 0 {
                workload.access_classes[0].draw = DrawSpec::HotSpot { hot_pages: 0.1, hot_accesses: 0.9 };
            }
            world.spec.seed = seed;
            world
        },
    )
}

/// However long the intervals and however small the memory: who waits for room gets it, and transactions go on. A
/// transaction that needs more than all of the redo log is refused where settings and workload meet.
#[test]
fn small_pools_never_stand_still() {
    let config = Config { cases: 40, max_shrink_iters: 8, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let refused = std::cell::Cell::new(0);
    let result = runner.run(&small_worlds(), |world| {
        let model = build(&world.resolved()).unwrap();
        let records = model.config().records.unwrap();
        if records.least_redo_log(largest_redo(&world.spec.workload)) > model.writer_limits().hard_bytes {
            refused.set(refused.get() + 1);
            return Ok(());
        }
        let out = run(&world);
        let late: u64 = out.series[22..].iter().map(|s| s.transactions).sum();
        prop_assert!(late > 0, "no transaction ends in the second half: {:?}", out.series.last());
        Ok(())
    });
    let refused = refused.get();
    println!("{refused} of 40 worlds have transactions larger than their redo log");
    result.unwrap_or_else(|error| panic!("{error}"));
    assert!((1..20).contains(&refused), "{refused} refused");
}
