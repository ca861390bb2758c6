//! Syncs of data files: what a checkpoint may take as durable, and whose syncs are shared.

use crate::common::*;
use crate::crashes::{Crash, CrashPlan, DeviceCache, run_with_crashes};
use innosim_core::config::{BatchEnd, DataSync, SyncRound};
use innosim_core::kernel::time::SimDuration;
use innosim_core::metrics::{RunOutput, SecondSample};
use innosim_core::run_spec::RunSpec;
use innosim_core::storage::DeviceSpec;
use innosim_core::workload::PageSetSpec;

/// A device whose syncs take long beside its writes.
fn slow_to_sync() -> DeviceSpec {
    DeviceSpec { channels: 8, random_write: fixed(100.0), sync: fixed(20_000.0), ..instant_device() }
}

/// Crashes at every moment, on a device that loses what was not synced.
fn with_crashes(server: &TestServer, spec: &RunSpec) -> (RunOutput, Vec<Crash>) {
    let plan =
        CrashPlan { mean_interval: SimDuration::from_millis(1), seed: 1, cache: DeviceCache::Volatile, broken: None };
    run_with_crashes(Box::new(server.clone()), spec, plan).unwrap_or_else(|error| panic!("{error}"))
}

/// A server that takes a checkpoint whenever there is something new, at the oldest modification that it saw before it
/// synced its files. Its batches sync the files too: while such a sync is in progress, what it brings to the device is
/// neither in the flush list nor durable, and the checkpoint has to wait for it. Whether the thread that posts a batch syncs
/// it or an I/O thread is the same.
#[test]
fn a_checkpoint_waits_for_syncs_in_progress() {
    for batch_end in [BatchEnd::IoThread, BatchEnd::Poster] {
        let mut server = TestServer::new(40_000);
        server.flushing = Flushing::PagesPerSecond(1_000.0);
        server.checkpoints = Some(SimDuration::from_millis(3));
        (server.config.data_sync, server.config.batch_end) = (DataSync::EveryBatch, batch_end);
        server.config.write_io_threads = 4;
        let mut spec = spec(5, 4_000, 64, fixed(100.0), vec![touch(2, true, 200.0)], open(16, 2_000.0, true));
        spec.storage.data = slow_to_sync();
        let (_, crashes) = with_crashes(&server, &spec);
        assert!(crashes.len() > 1_000, "{} crashes", crashes.len());
        assert!(crashes.last().unwrap().checkpoint_lsn > 20_000, "checkpoints were taken");
    }
}

/// Sixteen threads stop at the age limit together, and pages of eight files have been written since the last checkpoint. Where
/// threads share syncs, one of them syncs each file once, and each sync is a cache flush. Where each thread syncs for itself
/// until no file is unsynced, sixteen requests at a time wait for flushes, and one flush on its way and one behind it serve them
/// all. No crash finds a checkpoint ahead of what is durable.
#[test]
fn threads_that_sync_for_themselves_sync_the_same_files_together() {
    let by = |sync_round: SyncRound| {
        let mut server = TestServer::new(40_000);
        server.flushing = Flushing::Everything;
        server.stop_bytes = 1_000;
        server.threads_take_checkpoints = true;
        (server.config.data_sync, server.config.sync_round) = (DataSync::AtCheckpoint, sync_round);
        let mut spec = spec(10, 500, 64, fixed(100.0), vec![touch(8, true, 200.0)], closed(16));
        let file = |number: u32| PageSetSpec { space_id: number, ..spec.workload.page_sets[0].clone() };
        spec.workload.page_sets = (0..8).map(file).collect();
        spec.workload.access_classes[0].page_sets = (0..8).collect();
        spec.storage.data = DeviceSpec { sync: fixed(1_000.0), ..slow_to_sync() };
        let (out, crashes) = with_crashes(&server, &spec);
        assert!(crashes.last().unwrap().checkpoint_lsn > 20_000, "checkpoints were taken");
        let flushes: u64 = out.disk.iter().map(|second| second.cache_flushes).sum();
        sum(&out, |s| s.data_fsyncs) as f64 / flushes as f64
    };
    let (shared, own) = (by(SyncRound::Listed), by(SyncRound::UntilNoneLeft));
    println!("{shared} and {own} syncs a cache flush");
    assert!((shared - 1.0).abs() < 0.01, "{shared}");
    assert!(own > 5.0 && own <= 16.0, "{own}");
}

/// Where files are synced before a checkpoint alone, pages that clients flush one by one are synced then too.
#[test]
fn a_checkpoint_syncs_what_clients_flushed_alone() {
    let mut server = flushing_alone(100, SimDuration::ZERO, false);
    server.checkpoints = Some(SimDuration::from_millis(3));
    server.config.data_sync = DataSync::AtCheckpoint;
    let mut spec = spec(5, 300, 64, fixed(500.0), vec![touch(1, true, 200.0)], closed(8));
    spec.workload.page_sets[0].resident_share = 0.3;
    spec.storage.data = slow_to_sync();
    let (out, crashes) = with_crashes(&server, &spec);
    assert!(sum(&out, |s| s.single_pages) > 100 && crashes.len() > 1_000);
    assert!(crashes.last().unwrap().checkpoint_lsn > 20_000, "checkpoints were taken");
}

/// Clients that flush pages of one file share its syncs: while one is in progress all that come wait for the next. With a
/// sync of 20 ms the file is synced 50 times a second at most, whatever the clients do.
#[test]
fn clients_that_flush_alone_share_syncs() {
    let mut server = flushing_alone(1_000, SimDuration::ZERO, false);
    server.config.data_sync = DataSync::EveryBatch;
    let mut spec = spec(20, 3_000, 64, fixed(500.0), vec![touch(1, true, 200.0)], closed(32));
    spec.workload.page_sets[0].resident_share = 0.3;
    spec.storage.data = DeviceSpec { channels: 64, ..slow_to_sync() };
    let (out, _) = with_crashes(&server, &spec);
    let (pages, syncs) = (sum(&out, |s| s.single_pages), sum(&out, |s| s.data_fsyncs));
    println!("{pages} pages, {syncs} syncs");
    assert!(syncs <= 20 * 50, "{syncs} syncs of 20 ms in 20 s");
    // Those who come while a sync is in progress go on together when the next is over, 40 ms later at most.
    assert!(pages > 32 * 20 * 25 * 8 / 10, "{pages} pages by 32 clients");
}

fn sum(out: &RunOutput, f: fn(&SecondSample) -> u64) -> u64 {
    out.series.iter().map(f).sum()
}
