//! Same seed, same bytes: a run is a function of its specification, and nothing else.

use crate::common::*;
use innosim_core::config::{CommitDurability, DataSync, DoublewriteConfig, RedoIo};
use innosim_core::kernel::time::SimDuration;
use innosim_core::run_spec::RunSpec;
use innosim_core::server::Stepping;
use innosim_core::storage::DeviceSpec;
use innosim_core::workload::DrawSpec;

/// The golden hash of [`golden`]. It is the same in debug and release and on every platform. Whoever changes it changes
/// every published result: a bump needs a line in the changelog that says what became different.
const GOLDEN: u64 = 0xf9a7_b938_1b7c_e56a;

/// A small run that uses everything: misses, LRU and list flushing, doublewrite, syncs, group commit, checkpoints.
fn golden() -> (TestServer, RunSpec) {
    let mut server = TestServer::new(3_000);
    server.flushing = Flushing::PagesPerSecond(800.0);
    server.checkpoints = Some(SimDuration::from_millis(100));
    server.stop_bytes = 4_000_000;
    server.hard_bytes = 6_000_000;
    (server.config.redo.commit, server.config.redo.io) = (CommitDurability::Sync, RedoIo::Buffered);
    server.config.data_sync = DataSync::EveryBatch;
    server.config.buffer_pool.instances = 2;
    server.config.doublewrite = DoublewriteConfig::PerInstance {
        batch_pages: 8,
        flush_list_segments: 2,
        lru_segments: 2,
        instances: 2,
        sync_file: true,
        fixed_bytes: None,
    };
    let touches = vec![touch(3, false, 0.0), touch(5, true, 123.4)];
    let mut spec = spec(10, 5_000, 4, exponential(700.0), touches, closed(12));
    spec.workload.access_classes[0].draw = DrawSpec::Zipf { theta: 0.7 };
    spec.workload.page_sets[0].resident_share = 0.4;
    spec.storage.redo = None;
    spec.storage.data = DeviceSpec {
        channels: 4,
        queue_depth: 32,
        random_read: exponential(90.0),
        random_write: exponential(70.0),
        sequential_write: exponential(40.0),
        sync: exponential(400.0),
        sync_is_barrier: true,
        write_iops: Some(12_000.0),
        read_write_interference: 0.4,
        ..instant_device()
    };
    (server, spec)
}

#[test]
fn the_same_run_gives_the_same_bytes() {
    let (server, spec) = golden();
    let (a, b) = (run(&server, &spec), run(&server, &spec));
    assert_eq!(a.event_hash, b.event_hash);
    assert_eq!((a.events, a.touches), (b.events, b.touches));
    assert_eq!(a.series, b.series);
    assert_eq!(a.stations, b.stations);
}

#[test]
fn another_seed_or_replication_is_another_run() {
    let (server, spec) = golden();
    let base = run(&server, &spec);
    let seed = run(&server, &RunSpec { seed: spec.seed + 1, ..spec.clone() });
    let replication = run(&server, &RunSpec { replication: 1, ..spec.clone() });
    let hashes = [base.event_hash, seed.event_hash, replication.event_hash];
    assert!(hashes[0] != hashes[1] && hashes[0] != hashes[2] && hashes[1] != hashes[2], "{hashes:x?}");
    assert_ne!(base.series, replication.series);
}

/// What only watches, or is never used, changes nothing.
#[test]
fn spectators_change_nothing() {
    let (server, spec) = golden();
    let base = run(&server, &spec);
    let unchecked = run(&server, &RunSpec { check: false, ..spec.clone() });
    assert_eq!((base.event_hash, &base.series), (unchecked.event_hash, &unchecked.series));
    let mut more = spec.clone();
    let mut class = more.workload.access_classes[0].clone();
    class.draw = DrawSpec::Uniform;
    more.workload.access_classes.push(class);
    let more = run(&server, &more);
    assert_eq!((base.event_hash, &base.series), (more.event_hash, &more.series));
}

/// Who steps through a run and looks into it sees the same run.
#[test]
fn a_run_in_steps_is_the_same_run() {
    let (server, spec) = golden();
    let whole = run(&server, &spec);
    let mut steps = Stepping::new(Box::new(server), &spec).with_rate_bands(&spec);
    let mut seconds = Vec::new();
    while let Some(row) = steps.second().unwrap() {
        let row = row.clone();
        let ring = steps.redo_ring();
        assert_eq!(ring.current_lsn - ring.checkpoint_lsn, row.checkpoint_age_bytes);
        let (coarse, fine) = (steps.dirty_by_age(1 << 40, 2), steps.dirty_by_age(10_000, 50));
        assert_eq!(coarse, [fine.iter().sum(), 0], "all are counted once, whatever the spans");
        assert!(coarse[0] > 0 && fine.iter().filter(|&&pages| pages > 0).count() > 1, "{fine:?}");
        let bands = steps.dirty_by_rate();
        let dirty: u64 = bands.iter().map(|band| band.dirty).sum();
        assert!(
            dirty > 0 && dirty <= row.dirty_pages && bands.iter().all(|band| band.dirty <= band.pages),
            "{bands:?}"
        );
        seconds.push(row);
    }
    assert_eq!(steps.second().unwrap(), None, "over is over");
    assert_eq!((steps.event_hash(), &seconds), (whole.event_hash, &whole.series));
    assert_eq!(steps.into_output().stations, whole.stations);
}

/// A shorter run is the beginning of a longer one.
#[test]
fn a_run_does_not_know_its_end() {
    let (server, spec) = golden();
    let long = run(&server, &spec);
    let short = run(&server, &RunSpec { duration: SimDuration::from_secs(4), ..spec });
    assert_eq!(short.series, long.series[..4]);
}

/// LSNs are positions: a server whose redo began at any other write-ahead area does the same, up to where LSNs end (2^63).
#[test]
fn where_lsns_begin_does_not_matter() {
    let (server, spec) = golden();
    let first = run(&server, &spec);
    for from in [1 << 32, 1 << 53, (1 << 62) + 8_192, (1 << 63) - (1 << 33)] {
        let mut later = server.clone();
        later.config.redo.start_lsn += from;
        let out = run(&later, &spec);
        assert!(out.series == first.series, "from {from} on it is another run");
    }
}

#[test]
fn the_golden_run_is_what_it_was() {
    let (server, spec) = golden();
    let out = run(&server, &spec);
    let sum = |f: fn(&innosim_core::metrics::SecondSample) -> u64| out.series.iter().map(f).sum::<u64>();
    let parts = [sum(|s| s.pool_reads), sum(|s| s.lru_pages + s.single_pages), sum(|s| s.dblwr_writes)];
    assert!(parts.iter().all(|&n| n > 100), "the run means to use everything: {parts:?}");
    assert_eq!(out.event_hash, GOLDEN, "{:#018x}; {} transactions", out.event_hash, sum(|s| s.transactions));
}
