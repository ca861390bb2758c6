//! What every model must pass: random servers in random surroundings, and the degenerate cases, with the invariants of
//! the machine verified at every event.
//!
//! A run fails if an invariant breaks, if nothing can happen any more, if simulated time stops (an event storm), if
//! events outnumber what happened by far, or if a server with work to do stands still.

use crate::pinned::Pin;
use crate::worlds::*;
use innosim_core::kernel::sampler::DurationDist;
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::metrics::{RunOutput, SecondSample};
use innosim_core::seam::WorkBefore;
use innosim_core::workload::{DrawSpec, DriveSpec, RateSegment, StopSpec};
use innosim_flush_models::registry::{Kind, ModelId, Settings, Value, build, lookup};
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestRunner};
use std::cell::Cell;
use std::collections::BTreeMap;

const MIB: u64 = 1 << 20;

/// Random cases for each model, unless the environment says otherwise (`PROPTEST_CASES`).
const CASES: u32 = 60;

fn random_worlds(model: ModelId) {
    run_all(&model.to_string(), worlds(model), CASES);
}

/// Runs random worlds, whose events are pinned by `name`.
fn run_all(name: &str, worlds: impl Strategy<Value = World>, cases: u32) {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let config =
        Config { cases: asked.unwrap_or(cases), max_shrink_iters: 4, failure_persistence: None, ..Config::default() };
    let rng = proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let pin = Cell::new(Pin::default());
    let result = runner.run(&worlds, |world| {
        let out = world.run_watched();
        pin.set(pin.get().with(&out));
        check_run(&world, &out);
        if is_busy(&world) {
            check_progress(&out);
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    if asked.is_none_or(|asked| asked == cases) {
        pin.get().check(name);
    }
}

/// Whether clients always have something to do, and something must happen within some seconds: TNT with a full buffer or redo
/// log waits for its next passes, as long as such a run takes (in longer ones it must go on: `tests/it/tnt.rs`).
fn is_busy(world: &World) -> bool {
    matches!(world.spec.workload.drive, DriveSpec::Closed { .. }) && world.model != ModelId::Tnt
}

/// A run that starts in the middle of the work goes on with the averages of what went on before. 5.5 counts only what LRU
/// batches flush.
#[test]
fn every_model_goes_on_from_its_averages() {
    for model in ModelId::ALL {
        let settings = Settings::resolve(*model, &BTreeMap::new()).unwrap();
        let mut server = build(&settings).unwrap();
        server.starts_after(WorkBefore {
            redo_bytes_per_s: 5_000_000,
            pages_flushed_per_s: 300,
            ..WorkBefore::default()
        });
        let gauges = server.gauges();
        let pages = if matches!(*model, ModelId::Mysql55 | ModelId::Percona55) { 0 } else { 300 };
        assert_eq!((gauges.lsn_avg_rate, gauges.avg_page_rate), (5_000_000, pages), "{model}");
    }
}

#[test]
fn random_worlds_of_mysql_55() {
    random_worlds(ModelId::Mysql55);
}

#[test]
fn random_worlds_of_percona_55() {
    random_worlds(ModelId::Percona55);
}

#[test]
fn random_worlds_of_56() {
    random_worlds(ModelId::Mysql56);
}

#[test]
fn random_worlds_of_57() {
    random_worlds(ModelId::Mysql57);
}

#[test]
fn random_worlds_of_percona_57() {
    random_worlds(ModelId::Percona57);
}

#[test]
fn random_worlds_of_8016() {
    random_worlds(ModelId::Mysql8016);
}

#[test]
fn random_worlds_of_8021() {
    random_worlds(ModelId::Mysql8021);
}

#[test]
fn random_worlds_of_8027() {
    random_worlds(ModelId::Mysql8027);
}

#[test]
fn random_worlds_of_8030() {
    random_worlds(ModelId::Mysql8030);
}

#[test]
fn random_worlds_of_percona_80() {
    random_worlds(ModelId::Percona80);
}

#[test]
fn random_worlds_of_84() {
    random_worlds(ModelId::Mysql84);
}

#[test]
fn random_worlds_of_percona_84() {
    random_worlds(ModelId::Percona84);
}

#[test]
fn random_worlds_of_97() {
    random_worlds(ModelId::Mysql97);
}

#[test]
fn random_worlds_of_mariadb_106() {
    random_worlds(ModelId::Mariadb106);
}

#[test]
fn random_worlds_of_mariadb() {
    random_worlds(ModelId::Mariadb1011);
}

#[test]
fn random_worlds_of_mariadb_114() {
    random_worlds(ModelId::Mariadb114);
}

#[test]
fn random_worlds_of_mariadb_123() {
    random_worlds(ModelId::Mariadb123);
}

#[test]
fn random_worlds_of_tnt() {
    random_worlds(ModelId::Tnt);
}

/// The least of everything, in every model.
#[test]
fn cramped_worlds_go_on() {
    for &model in ModelId::ALL {
        run_all(&format!("{model} cramped"), cramped_worlds(model), CASES / 4);
    }
}

/// A transaction that modifies first and reads afterwards, with no redo at its end: when it commits, its redo may have
/// been written or synced for somebody else, and nothing that is still to come would wake it.
#[test]
fn commits_whose_redo_is_out_already_end() {
    for flush in 0..=2 {
        let change = |mut world: World| {
            let kind = &mut world.spec.workload.transactions[0];
            kind.base_redo_bytes = 0.0;
            kind.touches.reverse();
            world.spec.workload.page_sets[0] = page_set(0, 20_000, 0.0);
            world.spec.workload.drive = DriveSpec::Closed { clients: 2, think: DurationDist::Fixed { us: 0.0 } };
            world.set("innodb_buffer_pool_size", 8 * MIB).set("innodb_flush_log_at_trx_commit", flush)
        };
        for_every_model(5, change, |world, out| {
            // With a pool of 8 MiB, TNT stops until its checkpoint has come round: it ends them all the same.
            let seconds = out.series[1..].iter().filter(|s| s.transactions > 0).count();
            let all = world.model != ModelId::Tnt;
            assert!(seconds > if all { 3 } else { 0 }, "{} with commit mode {flush}", world.model);
        });
    }
}

/// Runs `world` of every model and checks what must hold of any run.
fn for_every_model(secs: u64, change: impl Fn(World) -> World, mut then: impl FnMut(&World, &RunOutput)) {
    for &model in ModelId::ALL {
        let world = change(plain(model, secs));
        let out = world.run_watched();
        check_run(&world, &out);
        then(&world, &out);
    }
}

fn transactions(out: &RunOutput) -> u64 {
    out.series.iter().map(|s| s.transactions).sum()
}

/// No writes: no redo, no dirty page, no flush.
#[test]
fn readers_alone_write_nothing() {
    let change = |mut world: World| {
        let kind = &mut world.spec.workload.transactions[0];
        kind.touches.truncate(1);
        kind.base_redo_bytes = 0.0;
        world
    };
    for_every_model(5, change, |world, out| {
        let last = out.series.last().unwrap();
        assert!(transactions(out) > 10_000, "{}", world.model);
        assert_eq!((last.dirty_pages, last.checkpoint_age_bytes), (0, 0), "{}", world.model);
        let written: u64 = out.series.iter().map(|s| s.pages_flushed + s.redo_generated_bytes + s.redo_fsyncs).sum();
        assert_eq!(written, 0, "{}", world.model);
    });
}

/// One page: it is dirty or not, and the age never outgrows the log.
#[test]
fn a_data_set_of_one_page() {
    let change = |mut world: World| {
        world.spec.workload.page_sets[0].pages = 1;
        // TNT uses redo again only after a pass of purge and one of the checkpoint.
        let redo = if world.model == ModelId::Tnt { 1024 } else { 8 };
        world.redo(redo * MIB)
    };
    for_every_model(10, change, |world, out| {
        check_progress(out);
        assert!(out.series.iter().all(|s| s.dirty_pages <= 1), "{}", world.model);
        assert!(out.series[5..].iter().all(|s| s.transactions > 100), "{}: {:?}", world.model, out.series.last());
    });
}

/// The smallest redo log and a load that fills it in a moment: user threads stop again and again, nothing stands still.
#[test]
fn a_tiny_redo_log() {
    let change = |mut world: World| {
        world.spec.workload.transactions[0].touches[1].redo_bytes = 1_500.0;
        world.redo(8 * MIB)
    };
    for_every_model(10, change, |world, out| {
        match world.model {
            // Until purge and the checkpoint come round, there is no room.
            ModelId::Tnt => check_progress(out),
            _ => assert!(out.series[3..].iter().all(|s| s.transactions > 0), "{}", world.model),
        }
        let waits: u64 = out.series.iter().map(|s| s.free_check_waits).sum();
        assert!(waits > 0, "{}: the test means to fill the log", world.model);
        let limit = out.age_limits.stop_bytes + 8 * 8 * 1_500 * 2 + 4 * MIB;
        assert!(out.series.iter().all(|s| s.checkpoint_age_bytes < limit), "{}", world.model);
    });
}

/// The largest values of what limits flushing, and a redo log that never fills: nothing overflows, and the work gets
/// done.
#[test]
fn huge_capacities() {
    let change = |world: World| {
        let names = ["innodb_io_capacity", "innodb_io_capacity_max", "innodb_lru_scan_depth", "innodb_max_purge_lag"];
        names.into_iter().fold(world.redo(256 << 30), |world, name| match lookup(world.model, name).map(|s| s.kind) {
            Ok(Kind::Integer { max, .. }) => world.set(name, max),
            _ => world,
        })
    };
    for_every_model(5, change, |world, out| {
        assert!(out.series[1..].iter().all(|s| s.transactions > 1_000), "{}", world.model);
        assert_eq!(out.series.iter().map(|s| s.sync_pages).sum::<u64>(), 0, "{}", world.model);
    });
}

/// Every page is dirtied within a second, and the flush can't keep up: all pages stay dirty, the age grows.
#[test]
fn all_pages_dirty_quickly() {
    let change = |mut world: World| {
        world.spec.workload.page_sets[0].pages = 2_000;
        world.spec.workload.transactions[0].touches[1].max = 40;
        world.set("innodb_io_capacity", 100).set("innodb_io_capacity_max", 100).redo(4096 * MIB)
    };
    for_every_model(6, change, |world, out| {
        let last = out.series.last().unwrap();
        // A pass of TNT's purge merges what has changed by then.
        let most = if world.model == ModelId::Tnt { 1_800 } else { 1_900 };
        assert!(last.dirty_pages > most, "{}: {last:?}", world.model);
        assert!(last.pages_flushed <= 200, "{}: {last:?}", world.model);
    });
}

/// Every page is dirty when the run begins, and the redo log is as full as user threads let it become: the server gets
/// on.
#[test]
fn all_pages_dirty_at_the_start() {
    for age in [0.01, 0.9, 1.0] {
        let change = |mut world: World| {
            world.dirty = Some((1.0, age));
            world.redo(64 * MIB)
        };
        for_every_model(10, change, |world, out| {
            check_progress(out);
            let (first, limit) = (&out.series[0], out.age_limits.stop_bytes as f64);
            // A full log waits for the first checkpoint of TNT.
            let goes_on = |s: &SecondSample| s.transactions > 0 || world.model == ModelId::Tnt && age > 0.5;
            assert!(out.series[3..].iter().all(goes_on), "{} at {age}", world.model);
            assert!(out.series.iter().all(|s| s.dirty_pages <= 4_200), "{}: {first:?}", world.model);
            assert!(out.series.iter().any(|s| s.pages_flushed > 0) || age < 0.1, "{} at {age}", world.model);
            let most = out.series.iter().map(|s| s.checkpoint_age_bytes).max().unwrap_or(0) as f64;
            assert!(most < limit * 1.1 + 1e6, "{} at {age}: {most} of {limit}", world.model);
        });
    }
}

/// Half of the pages are dirty and nobody comes: the server flushes them as its idle rule says, `innodb_io_capacity` a
/// second where it looks once a second, that many again and again where it does not wait, and the checkpoint follows.
/// 5.6 does not wait either, but with one buffer pool instance the next batch meets the last one under way, flushes
/// nothing and so waits.
#[test]
fn a_dirty_server_without_load_drains() {
    let change = |mut world: World| {
        world.dirty = Some((0.5, 0.2));
        world.spec.workload.drive = DriveSpec::Open { clients: 8, rate: Vec::new(), poisson: false };
        world.set("innodb_io_capacity", 200).set("innodb_io_capacity_max", 400).redo(64 * MIB)
    };
    for_every_model(30, change, |world, out| {
        let dirty: Vec<_> = out.series.iter().map(|s| s.dirty_pages).collect();
        assert_eq!(transactions(out), 0);
        let last = out.series.last().unwrap();
        assert!(dirty.windows(2).all(|pair| pair[1] <= pair[0]), "{}: {dirty:?}", world.model);
        match world.model {
            // Without a mark for dirty pages it goes by the age, and down to innodb_adaptive_flushing_lwm of the redo log; by its
            // last pass, of up to a tenth of what was dirty at an age of 1.8 marks, below it.
            model if model.is_mariadb() => {
                let rest = last.checkpoint_age_bytes as f64 / out.age_limits.adaptive_low_water_bytes as f64;
                assert!((0.82..=1.0).contains(&rest), "{}: {rest}, {dirty:?}", world.model);
            }
            ModelId::Mysql55 | ModelId::Percona55 => {
                assert_eq!(last.dirty_pages, 0, "{}: {dirty:?}", world.model);
                let seconds = dirty.windows(2).filter(|pair| pair[1] < pair[0]).count();
                assert!(seconds <= 2, "{}: {dirty:?}", world.model);
            }
            // From its first checkpoint on, at its pace: from a tenth of the I/O capacity to all of it.
            ModelId::Tnt => {
                // It flushes neighbours: areas are as dirty as it falls out.
                assert!(dirty[3] == dirty[0] && (1_750..2_250).contains(&dirty[0]), "{dirty:?}");
                let steps = dirty[6..].windows(2).map(|pair| pair[0] - pair[1]).filter(|step| *step > 0);
                assert!(steps.clone().count() > 7 && steps.clone().all(|step| (20..=201).contains(&step)), "{dirty:?}");
            }
            _ => {
                assert_eq!(last.dirty_pages, 0, "{}: {dirty:?}", world.model);
                let steady = dirty.windows(2).skip(2).filter(|pair| pair[1] > 0);
                // A page more or less where a write ends as the second does.
                let a_second = |pair: &[u64]| (199..=201).contains(&(pair[0] - pair[1]));
                assert!(steady.clone().all(a_second), "{}: {dirty:?}", world.model);
                assert!(last.checkpoint_age_bytes < 100_000, "{}: {last:?}", world.model);
            }
        }
    });
}

/// Nothing arrives after two seconds: the server flushes what is dirty, and a checkpoint follows.
#[test]
fn an_idle_server_cleans_up() {
    let change = |mut world: World| {
        let segment = |start_s, per_s| RateSegment { start_s, ramp_s: 0.0, from_per_s: per_s, to_per_s: per_s };
        let rate = vec![segment(0.0, 300.0), segment(2.0, 0.0)];
        world.spec.workload.drive = DriveSpec::Open { clients: 8, rate, poisson: true };
        // With MariaDB's default of 0 an idle server stays dirty; below a mark it flushes in the background.
        let world = world.set("innodb_io_capacity", 1_000);
        match world.model {
            model if model.is_mariadb() => world.with("innodb_max_dirty_pages_pct_lwm", Value::Real(50.0)),
            _ => world,
        }
    };
    for_every_model(20, change, |world, out| {
        // TNT's pages become dirty when purge comes by.
        let dirty = out.series[..5].iter().map(|s| s.dirty_pages).max().unwrap_or(0);
        assert!(dirty > 500, "{}", world.model);
        let last = out.series.last().unwrap();
        assert_eq!(last.transactions, 0, "{}", world.model);
        if world.model == ModelId::Tnt {
            // At the pace of its checkpoint, which takes its time.
            assert!(last.dirty_pages < dirty / 2, "{}: {last:?}", world.model);
            return;
        }
        assert_eq!(last.dirty_pages, 0, "{}", world.model);
        assert!(last.checkpoint_age_bytes < 100_000, "{}: {last:?}", world.model);
        assert!(out.series.iter().map(|s| s.background_pages).sum::<u64>() > 0, "{}", world.model);
    });
}

/// Nothing ever arrives: nothing happens.
#[test]
fn a_server_without_load() {
    let change = |mut world: World| {
        world.spec.workload.drive = DriveSpec::Open { clients: 8, rate: Vec::new(), poisson: false };
        world
    };
    for_every_model(10, change, |world, out| {
        assert_eq!(transactions(out), 0);
        assert!(out.events < 10 * 1_000, "{}: {} events in 10 idle seconds", world.model, out.events);
        assert!(out.series.iter().all(|s| s.pages_flushed + s.redo_generated_bytes == 0), "{}", world.model);
    });
}

/// No transaction starts for 0.4 s of each second: the load loses that share, whether flushing goes on meanwhile or
/// not.
#[test]
fn a_load_that_is_stopped_again_and_again() {
    let transactions_of = |whole_server: Option<bool>| {
        let mut all = Vec::new();
        let change = |mut world: World| {
            let (first, length) = (SimTime(600_000_000), SimDuration::from_millis(400));
            let stop = |whole_server| StopSpec {
                first,
                length,
                per_gib: SimDuration::ZERO,
                every: SimDuration::from_secs(1),
                whole_server,
            };
            world.spec.workload.stops = whole_server.map(stop).into_iter().collect();
            world
        };
        for_every_model(5, change, |_, out| all.push(transactions(out) as f64));
        all
    };
    let free = transactions_of(None);
    for whole_server in [false, true] {
        for (stopped, free) in transactions_of(Some(whole_server)).into_iter().zip(&free) {
            assert!((0.5..0.7).contains(&(stopped / free)), "{stopped} of {free}");
        }
    }
}

/// A pool far smaller than the data: pages leave by the LRU list, free pages are waited for, and all goes on.
#[test]
fn a_pool_far_smaller_than_the_data() {
    let change = |mut world: World| {
        world.spec.workload.page_sets[0] = page_set(0, 20_000, 0.0);
        world.set("innodb_buffer_pool_size", 8 * MIB)
    };
    for_every_model(5, change, |world, out| {
        // TNT's changes need no page; it has a row cache, and stops for whole passes of its checkpoint (`tests/it/tnt.rs`).
        if world.model == ModelId::Tnt {
            return;
        }
        check_progress(out);
        assert!(out.series[2..].iter().all(|s| s.transactions > 0 && s.dirty_pages <= 512), "{}", world.model);
        let by_lru: u64 = out.series.iter().map(|s| s.lru_pages + s.single_pages).sum();
        assert!(by_lru > 0, "{}: the test means to run out of free pages", world.model);
    });
}

/// A device a thousand times slower than the load: throughput falls to what it carries, no more.
#[test]
fn a_very_slow_device() {
    let change = |mut world: World| {
        world.spec.storage.data = ssd(20_000.0, 50_000.0);
        world.spec.storage.data.sync_is_barrier = true;
        world.redo(8 * MIB)
    };
    for_every_model(10, change, |_, out| check_progress(out));
}

/// Inserts only: new pages need no read and are dirty from the start.
#[test]
fn inserts_only() {
    let change = |mut world: World| {
        world.spec.workload.access_classes[0].draw = DrawSpec::Append { points: 4, rows_per_page: 10, home_points: 0 };
        world.spec.workload.transactions[0].cpu = DurationDist::Fixed { us: 1_000.0 };
        world.with("innodb_doublewrite", Value::Choice("OFF"))
    };
    for_every_model(5, change, |world, out| {
        check_progress(out);
        assert!(out.pages_total > 4_096, "{}: pages are added", world.model);
        assert!(transactions(out) > 1_000, "{}", world.model);
    });
}

/// Without a doublewrite, threads that flush take no more pages at a time than they can post: with an LRU manager for each of
/// 64 instances and a slow device, what clients change is not under write for half a minute, most of that unposted.
#[test]
fn many_who_flush_take_what_they_can_post() {
    let mut world = plain(ModelId::Percona80, 6).redo(16 * MIB);
    world.spec.workload.page_sets[0] = page_set(0, 70_000, 1.0);
    world.spec.storage.data.channels = 1;
    world.spec.storage.data.random_write = DurationDist::Fixed { us: 540.0 };
    world.dirty = Some((1.0, 0.5));
    let world = world
        .with("innodb_doublewrite", Value::Choice("OFF"))
        .with("innodb_flush_method", Value::Choice("O_DIRECT_NO_FSYNC"))
        .set("innodb_buffer_pool_size", 1024 * MIB)
        .set("innodb_buffer_pool_instances", 64)
        .set("innodb_write_io_threads", 1)
        .set("innodb_io_capacity", 100)
        .set("innodb_flush_log_at_trx_commit", 2);
    let out = world.run_watched();
    let each: Vec<u64> = out.series.iter().map(|second| second.transactions).collect();
    let by_lru: u64 = out.series.iter().map(|second| second.lru_pages).sum();
    println!("{each:?} transactions, {by_lru} pages by LRU batches");
    assert!(each.iter().all(|&second| second > 0) && by_lru > 1_000, "{each:?}, {by_lru}");
}
