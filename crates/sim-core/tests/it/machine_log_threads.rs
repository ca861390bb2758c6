//! The log threads of 8.0 and later and the stages of the binary log, against closed forms: how often the flusher syncs unasked,
//! when it sleeps, what a commit waits for, how groups overlap, how long a checkpoint waits for a writer that spins.

use crate::common::*;
use innosim_core::config::{BinaryLogConfig, CommitDurability, LogThreadsConfig, RedoIo};
use innosim_core::kernel::time::SimDuration;
use innosim_core::metrics::{RunOutput, SecondSample};
use innosim_core::run_spec::RunSpec;
use innosim_core::storage::DeviceSpec;
use innosim_core::workload::DriveSpec;

/// From setting an event to a thread that slept on it, one write of the log writer, and from a sync to a client, us.
const WAKE_UP: f64 = 50.0;
const WRITE: f64 = 5.5;
const COMMIT_WAKE_UP: f64 = 25.0;
/// Share of mini-transactions that the writer finds alone.
const ALONE: f64 = 0.77;

/// A server with log threads that spin from `spin_cpu_abs_lwm` percent of a processor on.
fn server(spin_cpu_abs_lwm: u64) -> TestServer {
    let mut server = TestServer::new(10_000);
    server.config.redo.commit = CommitDurability::Sync;
    server.config.redo.io = RedoIo::Buffered;
    server.config.redo.log_threads = Some(LogThreadsConfig { spin_cpu_abs_lwm, checkpoint_takes_writer_mutex: true });
    server
}

/// Transactions of 33 mini-transactions and 20 us, with a redo sync of `sync_us`.
fn load(secs: u64, cores: u32, sync_us: f64, drive: DriveSpec) -> RunSpec {
    let mut spec = spec(secs, 6_400, cores, fixed(20.0), vec![touch(15, true, 100.0)], drive);
    spec.storage.redo = Some(DeviceSpec { sync: fixed(sync_us), ..instant_device() });
    spec.cpu.log_writer_waits_per_s = Some(0.0);
    spec
}

/// A second, after the first three.
fn per_s(out: &RunOutput, f: fn(&SecondSample) -> u64) -> f64 {
    let kept = &out.series[3..];
    kept.iter().map(f).sum::<u64>() as f64 / kept.len() as f64
}

/// While it spins the flusher begins a sync as soon as the last one ends if a mini-transaction ended meanwhile, else a write after
/// the next one, with W of them a second: T + exp(-W T) (1/W + s) from sync to sync, whatever commits ask for.
#[test]
fn a_spinning_flusher_syncs_whatever_is_written() {
    for sync_us in [20.0, 60.0] {
        let out = run(&server(0), &load(10, 1_000, sync_us, open(200, 2_000.0, true)));
        let rate = ALONE * per_s(&out, |s| s.log_write_requests) / 1e6;
        let period = sync_us + libm::exp(-rate * sync_us) * (1.0 / rate + WRITE);
        check_share("syncs a second", per_s(&out, |s| s.redo_fsyncs), 1e6 / period, 0.05);
        assert_eq!(per_s(&out, |s| s.log_writer_waits), 0.0, "it never sleeps");
    }
}

/// Each sync of a flusher that never rests writes the log's last block again: a drive that takes 400 us to program it is synced as
/// often as that.
#[test]
fn a_spinning_flusher_waits_for_the_block_that_it_wrote_last() {
    let mut spec = load(10, 1_000, 20.0, open(200, 2_000.0, true));
    let redo = spec.storage.redo.take().unwrap();
    spec.storage.redo = Some(DeviceSpec { rewrite_ns: 400_000, ..redo });
    let out = run(&server(0), &spec);
    check_share("syncs a second", per_s(&out, |s| s.redo_fsyncs), 1e6 / 400.0, 0.03);
}

/// The threads sleep where requests for redo are more than a millisecond apart, or the server uses less CPU time than the limit.
#[test]
fn requests_and_cpu_time_decide_whether_the_threads_spin() {
    for (limit, per_second, spins) in [(0, 2_000.0, true), (0, 500.0, false), (100_000, 2_000.0, false)] {
        let out = run(&server(limit), &load(8, 1_000, 20.0, open(200, per_second, false)));
        let sleeps = per_s(&out, |s| s.log_writer_waits);
        assert_eq!(sleeps == 0.0, spins, "{sleeps} sleeps a second at {per_second} commits a second, limit {limit}");
        let syncs = per_s(&out, |s| s.redo_fsyncs) / per_second;
        assert_eq!(syncs > 5.0, spins, "{syncs} syncs a commit");
        let (interval, own) = (out.series[7].log_requests_interval_us as f64, 1e6 / per_second);
        assert!((own - 64.0..=own).contains(&interval), "{interval} us between requests, {own} in truth");
    }
}

/// Asleep, a commit wakes the writer and that the flusher: two wake-ups and a write before its sync, one after it.
#[test]
fn a_commit_wakes_sleeping_log_threads() {
    for sync_us in [200.0, 1_000.0] {
        let mut spec = load(10, 1_000, sync_us, DriveSpec::Closed { clients: 1, think: fixed(20_000.0) });
        spec.workload.transactions[0].touches = vec![touch(1, true, 100.0)];
        let latency = run(&server(0), &spec).latency_by_10s[0].quantile(0.5).as_millis_f64() * 1e3;
        check_share("a commit, us", latency, 20.0 + WAKE_UP + WRITE + WAKE_UP + sync_us + COMMIT_WAKE_UP, 0.03);
    }
}

fn binary_log() -> Option<BinaryLogConfig> {
    Some(BinaryLogConfig {
        sync_every: 1,
        grouped: true,
        leader_asks_for_redo: true,
        bytes_per_transaction: 200.0,
        in_redo: false,
    })
}

/// CPU time of the leader of a group, and of each transaction in the first and the last stage, us.
const LEADER: f64 = 14.0;
const MEMBER: f64 = 13.5;

/// A client alone is its own leader: redo written and synced once, events written, binary log synced, committed.
#[test]
fn a_commit_alone_goes_through_all_stages() {
    let mut server = server(0);
    server.config.redo.log_threads = None;
    let mut spec = load(10, 1_000, 500.0, closed(1));
    // So little redo that it hardly ever crosses the end of a write-ahead area, which takes another sync.
    spec.workload.transactions[0].touches = vec![touch(1, true, 10.0)];
    spec.binary_log = binary_log();
    let out = run(&server, &spec);
    // 15 us of a write to the page cache.
    let commit = 20.0 + 15.0 + 500.0 + COMMIT_WAKE_UP + LEADER + MEMBER + 500.0 + MEMBER;
    check_share("commits a second", per_s(&out, |s| s.transactions), 1e6 / commit, 0.01);
    check_share("redo syncs a commit", per_s(&out, |s| s.redo_fsyncs) / per_s(&out, |s| s.transactions), 1.0, 0.01);
    assert!(out.series[5].binlog_fsyncs.abs_diff(out.series[5].transactions) <= 1, "{:?}", out.series[5]);
}

/// While a group is in the sync stage the next has its redo synced, for which it may wait for the sync in progress too: the binary
/// log of 40 clients is synced more often than once in the time of both stages.
#[test]
fn stages_of_the_binary_log_overlap() {
    let mut server = server(0);
    server.config.redo.log_threads = None;
    let sync_us = 2_000.0;
    let mut spec = load(10, 1_000, sync_us, closed(40));
    spec.binary_log = binary_log();
    // Both logs lie on this device: it writes side by side, and flushes its cache in no time.
    spec.storage.redo = Some(DeviceSpec { channels: 4, sequential_write: fixed(sync_us), ..instant_device() });
    let out = run(&server, &spec);
    let syncs = per_s(&out, |s| s.binlog_fsyncs);
    let both_stages = 1e6 / (2.0 * sync_us);
    assert!(
        syncs > 1.15 * both_stages && syncs <= 1e6 / sync_us,
        "{syncs} syncs a second, {both_stages} without overlap"
    );
    let group = per_s(&out, |s| s.transactions) / syncs;
    assert!((10.0..=40.0).contains(&group), "{group} commits a group of 40 clients");
}

/// A server that checkpoints each tenth of a second and flushes all there is.
fn checkpointing(spin_cpu_abs_lwm: u64) -> TestServer {
    let mut server = server(spin_cpu_abs_lwm);
    server.flushing = Flushing::Everything;
    server.checkpoints = Some(SimDuration::from_millis(100));
    server
}

/// A writer that spins gives its mutex up once in 1024 writes, and on a busy machine the checkpointer gets it once in 30 times: it
/// waits for w = 30 * 1024 / writes a second, after each tenth of a second.
#[test]
fn a_checkpoint_waits_for_a_writer_that_spins() {
    let spec = load(60, 2, 20.0, open(200, 2_000.0, true));
    let out = run(&checkpointing(0), &spec);
    let writes = per_s(&out, |s| s.log_full_block_writes + s.log_partial_block_writes);
    let wait = 30.0 * 1_024.0 / writes;
    let share = per_s(&out, |s| s.checkpointer_wait_ms) / 1e3;
    check_share("share of the time", share, wait / (wait + 0.1), 0.05);
    let ages = |out: &RunOutput| per_s(out, |s| s.checkpoint_age_bytes) / per_s(out, |s| s.redo_generated_bytes);
    // At a second's end the checkpoint is as old as two waits on average, being old when it was chosen.
    assert!(ages(&out) > wait, "{} s of redo, waits of {wait} s", ages(&out));
    let mut free = checkpointing(0);
    free.config.redo.log_threads = Some(LogThreadsConfig { spin_cpu_abs_lwm: 0, checkpoint_takes_writer_mutex: false });
    for server in [checkpointing(100_000), free] {
        let out = run(&server, &spec);
        assert_eq!(per_s(&out, |s| s.checkpointer_wait_ms), 0.0);
        assert!(ages(&out) < 0.25, "{}", ages(&out));
    }
}

/// Sleeps of the writer that come from outside let the checkpointer through, at their rate.
#[test]
fn a_sleep_of_the_writer_lets_a_checkpoint_through() {
    let mut spec = load(60, 1_000, 20.0, open(200, 2_000.0, true));
    spec.cpu.log_writer_waits_per_s = Some(2.0);
    let out = run(&checkpointing(0), &spec);
    let share = per_s(&out, |s| s.checkpointer_wait_ms) / 1e3;
    check_share("share of the time", share, 0.5 / (0.5 + 0.1), 0.05);
}

/// On idle processors a wait takes a minute. Clients that stop for want of room let the writer fall asleep, which ends it: stalls
/// are short, and come again.
#[test]
fn clients_that_stop_let_the_checkpoint_through() {
    let mut server = checkpointing(0);
    server.stop_bytes = 1 << 20;
    let out = run(&server, &load(20, 1_000, 20.0, open(200, 2_000.0, true)));
    let waits = per_s(&out, |s| s.free_check_waits);
    assert!(waits > 0.5, "{waits} waits for room a second");
    check_share("transactions", per_s(&out, |s| s.transactions), 2_000.0, 0.03);
    assert!(out.series.iter().all(|s| s.checkpoint_age_bytes < 2 << 20));
}
