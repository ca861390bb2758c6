//! Mechanisms of servers before 8.0 and of MariaDB, each against a closed form or bounds: redo written and synced by
//! the committing thread, the binary log, one doublewrite buffer for the whole server.

use crate::common::*;
use innosim_core::config::{
    BatchEnd, BinaryLogConfig, CommitDurability, DataSync, DoublewriteConfig, RedoIo, RedoPipeline, SharedCollecting,
};
use innosim_core::kernel::time::SimDuration;
use innosim_core::metrics::SecondSample;
use innosim_core::run_spec::{CpuScheduling, CpuSpec, RunSpec};
use innosim_core::storage::DeviceSpec;

fn committing(clients: u32, sync_us: f64) -> RunSpec {
    let mut spec = spec(20, 6_400, 1_000, fixed(20.0), vec![touch(1, true, 100.0)], closed(clients));
    spec.storage.redo = Some(DeviceSpec { sync: fixed(sync_us), ..instant_device() });
    spec
}

fn durable(pipeline: RedoPipeline) -> TestServer {
    let mut server = TestServer::new(10_000);
    server.config.redo.commit = CommitDurability::Sync;
    server.config.redo.io = RedoIo::Buffered;
    server.config.redo.pipeline = pipeline;
    server
}

fn throughput(server: &TestServer, spec: &RunSpec) -> f64 {
    batch_means(&run(server, spec), 1, 2, |s| s.transactions as f64).0
}

/// Without a writer thread a group is all that was appended when its leader writes: with equal clients that come back
/// together N commits share each sync but for the leader, which is the first to come back: N commits in two syncs.
#[test]
fn a_leader_writes_for_its_group() {
    let sync = 2e-3;
    for pipeline in [RedoPipeline::CommittingThread, RedoPipeline::LogMutex] {
        for clients in [2u32, 10, 40] {
            let mean = throughput(&durable(pipeline), &committing(clients, sync * 1e6));
            let (low, high) = (f64::from(clients) / (2.0 * (sync + 60e-6)), f64::from(clients) / sync);
            assert!((low..=high).contains(&mean), "{pipeline:?}, {clients} clients: {mean} not in {low}..{high}");
        }
    }
}

/// Without a writer thread nobody syncs but who commits: a transaction that waits for the pages it changes leaves its redo
/// unsynced until then. A flusher thread syncs whenever there is something to sync.
#[test]
fn without_a_flusher_thread_only_commits_sync() {
    let syncs_a_commit = |pipeline| {
        let mut server = durable(pipeline);
        server.config.buffer_pool.pages = 2_000;
        let mut spec = committing(1, 1e3);
        spec.workload.transactions[0].touches = vec![touch(8, true, 100.0)];
        spec.workload.page_sets[0].resident_share = 0.2;
        spec.storage.data = DeviceSpec { random_read: fixed(5e3), ..instant_device() };
        let out = run(&server, &spec);
        let total = |f: fn(&SecondSample) -> u64| out.series[2..].iter().map(f).sum::<u64>() as f64;
        total(|s| s.redo_fsyncs) / total(|s| s.transactions)
    };
    for pipeline in [RedoPipeline::CommittingThread, RedoPipeline::LogMutex] {
        let syncs = syncs_a_commit(pipeline);
        // Pages flushed to make room need durable redo too.
        assert!((1.0..1.8).contains(&syncs), "{pipeline:?}: {syncs} syncs a commit");
    }
    let syncs = syncs_a_commit(RedoPipeline::DedicatedThreads);
    assert!(syncs > 4.0, "{syncs} syncs a commit");
}

/// One client, whose next sync begins when the threads that the last one concerned have computed: three quarters of a
/// sync's CPU time if that is one certain thread, half if it is whichever runs first.
#[test]
fn whoever_runs_first_syncs_sooner() {
    let (sync, cpu) = (1e-3, 600e-6);
    for (pipeline, share) in [(RedoPipeline::CommittingThread, 0.75), (RedoPipeline::LogMutex, 0.5)] {
        let mut spec = committing(1, sync * 1e6);
        spec.cpu = CpuSpec { scheduling: CpuScheduling::Shared, sync: SimDuration::from_micros(600), ..spec.cpu };
        let mean = throughput(&durable(pipeline), &spec);
        // A transaction's own 20 us, 15 of the write to the page cache, 8 to wake up.
        check_share(&format!("{pipeline:?}"), mean, 1.0 / (sync + cpu * share + 43e-6), 0.01);
    }
}

/// In groups the binary log's sync is shared as the redo log's is; one by one it is a queue of its own: one transaction
/// a sync.
#[test]
fn the_binary_log_groups_commits_or_not() {
    let sync = 1e-3;
    let mut spec = committing(40, sync * 1e6);
    let log = |sync_every, grouped| {
        Some(BinaryLogConfig {
            sync_every,
            grouped,
            leader_asks_for_redo: false,
            bytes_per_transaction: 200.0,
            in_redo: false,
        })
    };
    let server = durable(RedoPipeline::CommittingThread);
    let without = throughput(&server, &spec);
    spec.binary_log = log(0, true);
    let unsynced = throughput(&server, &spec);
    spec.binary_log = log(1, true);
    let grouped = throughput(&server, &spec);
    spec.binary_log = log(1, false);
    let out = run(&server, &spec);
    let (one_by_one, _) = batch_means(&out, 1, 2, |s| s.transactions as f64);
    assert!(unsynced > 0.95 * without, "{unsynced} of {without}");
    assert!(grouped < 0.8 * without && grouped > 0.2 * without, "{grouped} of {without}");
    // The redo syncs of prepare and commit share the device with the binary log's.
    assert!(one_by_one < 1.0 / sync && one_by_one > 0.25 / sync, "{one_by_one} for a sync of {sync} s");
    let row = &out.series[10];
    assert!(row.binlog_fsyncs.abs_diff(row.transactions) <= 2, "{} syncs, {}", row.binlog_fsyncs, row.transactions);
}

/// Kept in the engine, the binary log is redo: a commit waits for one sync of two, and the events make the redo grow.
#[test]
fn a_binary_log_in_the_engine_saves_a_sync_of_each_commit() {
    let mut spec = committing(1, 500.0);
    let mut with = |in_redo| {
        spec.binary_log = Some(BinaryLogConfig { sync_every: 1, grouped: true, bytes_per_transaction: 200.0, in_redo });
        let out = run(&durable(RedoPipeline::CommittingThread), &spec);
        let sum = |f: fn(&innosim_core::metrics::SecondSample) -> u64| out.series.iter().map(f).sum::<u64>() as f64;
        let (commits, redo) = (sum(|s| s.transactions), sum(|s| s.redo_generated_bytes));
        (sum(|s| s.binlog_fsyncs) / commits, commits, redo / commits)
    };
    let (files_syncs, files, files_redo) = with(false);
    let (engine_syncs, engine, engine_redo) = with(true);
    check_share("syncs of its own", files_syncs, 1.0, 0.001);
    assert_eq!(engine_syncs, 0.0);
    assert!(engine > 1.5 * files, "{engine} commits with one sync, {files} with two");
    assert!(engine_redo > files_redo + 150.0, "{engine_redo} and {files_redo} bytes of redo a commit");
}

/// A binary log synced each tenth group has a tenth of the syncs.
#[test]
fn sync_binlog_counts_groups() {
    let mut spec = committing(1, 500.0);
    let log = |sync_every| {
        Some(BinaryLogConfig {
            sync_every,
            grouped: true,
            leader_asks_for_redo: false,
            bytes_per_transaction: 200.0,
            in_redo: false,
        })
    };
    let syncs_a_commit = |spec: &RunSpec| {
        let out = run(&durable(RedoPipeline::CommittingThread), spec);
        let sum = |f: fn(&innosim_core::metrics::SecondSample) -> u64| out.series.iter().map(f).sum::<u64>() as f64;
        sum(|s| s.binlog_fsyncs) / sum(|s| s.transactions)
    };
    spec.binary_log = log(1);
    check_share("each", syncs_a_commit(&spec), 1.0, 0.001);
    spec.binary_log = log(10);
    check_share("each tenth", syncs_a_commit(&spec), 0.1, 0.001);
}

/// One buffer of 120 pages: a cycle is two writes, a sync, the page writes on their channels, and the data file's sync;
/// nothing of the next batch overlaps it, whoever waits for its end.
#[test]
fn one_doublewrite_buffer_serializes_batches() {
    let (write, area, sync) = (100.0, 400.0, 700.0);
    for batch_end in [BatchEnd::IoThread, BatchEnd::Poster] {
        let mut server = TestServer::new(20_000);
        server.flushing = Flushing::Everything;
        server.config.doublewrite = DoublewriteConfig::Shared {
            batch_pages: 120,
            area_pages: 64,
            collecting: SharedCollecting::OneThread,
            sync_file: true,
        };
        server.config.data_sync = DataSync::EveryBatch;
        server.config.batch_end = batch_end;
        let mut spec = spec(10, 12_800, 1_000, fixed(0.0), vec![touch(4, true, 50.0)], closed(64));
        spec.workload.transactions[0].cpu = exponential(2_000.0);
        spec.storage.data = DeviceSpec {
            channels: 4,
            random_write: fixed(write),
            sequential_write: fixed(area),
            sync: fixed(sync),
            ..instant_device()
        };
        let out = run(&server, &spec);
        let prepare = 120.0 * 6.0;
        let cycle = (prepare + 2.0 * area + sync + 120.0 / 4.0 * write + sync) * 1e-6;
        let (pages, _) = batch_means(&out, 2, 2, |s| s.pages_flushed as f64);
        check_share(&format!("{batch_end:?}: pages a second"), pages, 120.0 / cycle, 0.03);
        let (batches, _) = batch_means(&out, 2, 2, |s| s.dblwr_writes as f64);
        check_share("batches a second", batches, 1.0 / cycle, 0.03);
    }
}

/// A buffer that collects ahead hides the collecting and what the poster does meanwhile.
#[test]
fn collecting_ahead_hides_the_collecting() {
    let pages_with = |collecting| {
        let mut server = TestServer::new(20_000);
        server.flushing = Flushing::Everything;
        server.config.doublewrite =
            DoublewriteConfig::Shared { batch_pages: 128, area_pages: 64, collecting, sync_file: true };
        let mut spec = spec(10, 12_800, 1_000, fixed(0.0), vec![touch(4, true, 50.0)], closed(64));
        spec.workload.transactions[0].cpu = exponential(1_000.0);
        spec.storage.data =
            DeviceSpec { channels: 64, random_write: fixed(300.0), sync: fixed(100.0), ..instant_device() };
        batch_means(&run(&server, &spec), 2, 2, |s| s.pages_flushed as f64).0
    };
    // Collecting 128 pages takes 768 us; sync and writes another 700.
    check_share("one after the other", pages_with(SharedCollecting::OneThread), 128.0 / 1_468e-6, 0.03);
    check_share("collecting ahead", pages_with(SharedCollecting::Ahead), 128.0 / 768e-6, 0.05);
}

/// Cleaners that fill one buffer together write fuller batches than cleaners that take turns: the pages of four are one
/// batch.
#[test]
fn cleaners_fill_the_doublewrite_buffer_together() {
    let run_with = |collecting| {
        let mut server = TestServer::new(20_000);
        server.config.buffer_pool.instances = 4;
        server.config.cleaner_threads = 4;
        server.flushing = Flushing::PagesPerSecond(1_200.0);
        server.config.doublewrite =
            DoublewriteConfig::Shared { batch_pages: 120, area_pages: 64, collecting, sync_file: true };
        server.config.data_sync = DataSync::EveryBatch;
        let mut spec = spec(20, 12_800, 1_000, fixed(0.0), vec![touch(4, true, 50.0)], closed(16));
        spec.workload.transactions[0].cpu = exponential(2_000.0);
        spec.storage.data = DeviceSpec {
            channels: 4,
            random_write: fixed(50.0),
            sequential_write: fixed(100.0),
            sync: fixed(200.0),
            ..instant_device()
        };
        let out = run(&server, &spec);
        let mean = |f: fn(&innosim_core::metrics::SecondSample) -> f64| batch_means(&out, 2, 2, f).0;
        let (pages, writes) = (mean(|s| s.pages_flushed as f64), mean(|s| s.dblwr_writes as f64));
        (pages, pages / writes, mean(|s| s.data_fsyncs as f64))
    };
    let (turns, together) = (run_with(SharedCollecting::OneThread), run_with(SharedCollecting::Together));
    println!("pages a second, pages a batch, data syncs: {turns:?} in turns, {together:?} together");
    // In turns some instances are passed over, as their last batch is not over yet.
    assert!(together.0 >= turns.0, "{together:?} {turns:?}");
    assert!(together.1 > 3.0 * turns.1, "pages a batch: {} together, {} in turns", together.1, turns.1);
    assert!(together.1 <= 120.0 && together.2 < turns.2, "{together:?} {turns:?}");
}

/// Transactions that write redo and change no page.
fn only_redo(sync_us: f64) -> RunSpec {
    let mut spec = committing(8, sync_us);
    spec.workload.transactions[0].touches = vec![touch(1, false, 0.0)];
    spec.workload.transactions[0].base_redo_bytes = 100.0;
    spec
}

/// One sync of half a second each second: before 5.7 nobody writes redo meanwhile, so commits that need their redo
/// written stand still.
#[test]
fn redo_is_not_written_while_it_is_synced() {
    let share = |pipeline| {
        let mut server = durable(pipeline);
        server.config.redo.commit = CommitDurability::Write;
        throughput(&server, &only_redo(500_000.0)) / throughput(&server, &only_redo(0.0))
    };
    check_share("log mutex", share(RedoPipeline::LogMutex), 0.5, 0.01);
    check_share("committing thread", share(RedoPipeline::CommittingThread), 1.0, 0.01);
}

/// The same while a checkpoint block is written, in 8.0 and MariaDB: a checkpoint each 50 ms, of which its sync takes
/// 50 more, and a redo sync of 50 ms each second, which nobody waits for.
#[test]
fn redo_is_not_written_while_a_checkpoint_block_is() {
    let share = |holds| {
        let mut server = durable(RedoPipeline::CommittingThread);
        server.config.redo.commit = CommitDurability::Write;
        server.config.redo.checkpoint_holds_writes = holds;
        server.config.redo.flush_timeout = SimDuration::from_millis(100);
        server.checkpoints = Some(SimDuration::from_millis(50));
        throughput(&server, &only_redo(50_000.0)) / throughput(&server, &only_redo(0.0))
    };
    let (held, free) = (share(true), share(false));
    println!("{held} held, {free} not");
    assert!((0.4..0.6).contains(&held) && free > 0.99, "{held} {free}");
}
