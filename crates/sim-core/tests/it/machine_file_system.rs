//! What a sync costs through the journal of a file system: writes, cache flushes and time of a transaction, against the
//! counts and sums that the rules give for one client.

use crate::common::*;
use innosim_core::config::{BinaryLogConfig, CommitDurability, RedoIo, RedoPipeline};
use innosim_core::kernel::time::SimDuration;
use innosim_core::run_spec::{FileSystemKind, FileSystemSpec, RunSpec};
use innosim_core::storage::DeviceSpec;

const SYNC_US: f64 = 1000.0;
const WRITE_US: f64 = 100.0;

/// Clients that each change a page and commit, with a binary log that is synced each time.
fn committing(kind: FileSystemKind, fdatasync: bool, barrier: bool, clients: u32) -> RunSpec {
    let mut spec = spec(20, 6_400, 1_000, fixed(20.0), vec![touch(1, true, 100.0)], closed(clients));
    spec.storage.redo = Some(DeviceSpec {
        channels: 8,
        queue_depth: 64,
        sync: fixed(SYNC_US),
        sequential_write: fixed(WRITE_US),
        sync_is_barrier: barrier,
        ..instant_device()
    });
    spec.file_system = FileSystemSpec { kind, tick: SimDuration::from_millis(1), fdatasync };
    spec.binary_log = Some(BinaryLogConfig {
        sync_every: 1,
        grouped: true,
        bytes_per_transaction: 200.0,
        in_redo: false,
        leader_asks_for_redo: false,
    });
    spec
}

fn durable() -> TestServer {
    let mut server = TestServer::new(10_000);
    server.config.redo.commit = CommitDurability::Sync;
    server.config.redo.io = RedoIo::Buffered;
    server.config.redo.pipeline = RedoPipeline::CommittingThread;
    server
}

/// Transactions a second; writes and cache flushes of each.
fn measured(spec: &RunSpec) -> (f64, f64, f64) {
    let out = run(&durable(), spec);
    let rows = || out.series.iter().zip(&out.disk).skip(2);
    let transactions: f64 = rows().map(|(second, _)| second.transactions as f64).sum();
    let writes: f64 = rows().map(|(_, disk)| disk.writes as f64).sum();
    let flushes: f64 = rows().map(|(_, disk)| disk.cache_flushes as f64).sum();
    (transactions / rows().count() as f64, writes / transactions, flushes / transactions)
}

/// The binary log grows: its sync is its data and a commit, three writes and two flushes of ext4. Redo keeps its size: one write and
/// one flush by fdatasync, whose request counts as a write of no bytes, and a commit in its place by fsync, as the clock has ticked
/// since the last. XFS writes one record between two flushes. A device with forced unit access needs no flush behind the
/// commit block. On a real ext4 4800 calls of `fdatasync` for a file without changes, by 16 threads, were 4800 writes of no
/// bytes and 1146 flushes in `/proc/diskstats`.
#[test]
fn writes_and_flushes_of_a_transaction_are_those_of_the_rules() {
    use FileSystemKind::{Ext4Ordered, None, Xfs};
    let cases = [
        (None, false, true, 4.0, 2.0),
        (Ext4Ordered, true, true, 5.0, 3.0),
        (Ext4Ordered, false, true, 6.0, 4.0),
        (Xfs, true, true, 4.0, 3.0),
        (Xfs, false, true, 4.0, 4.0),
        (Ext4Ordered, true, false, 5.0, 2.0),
    ];
    for (kind, fdatasync, barrier, writes, flushes) in cases {
        let (_, made, flushed) = measured(&committing(kind, fdatasync, barrier, 1));
        let name = format!("{kind:?}, fdatasync {fdatasync}, barrier {barrier}");
        check_share(&format!("{name}: writes"), made, writes, 0.01);
        check_share(&format!("{name}: flushes"), flushed, flushes, 0.01);
    }
}

/// One client waits for one step after the other: its time is their sum.
#[test]
fn a_transaction_takes_the_sum_of_its_writes_and_flushes() {
    // 20 us of its own, 15 for each write to the page cache, 8 to wake up after the redo sync, 25 to wake the thread that commits
    // and 25 to be woken by it.
    let own = 20.0 + 15.0 + 8.0 + 15.0;
    let (tps, ..) = measured(&committing(FileSystemKind::Ext4Ordered, true, true, 1));
    check_share("fdatasync", 1e6 / tps, own + 50.0 + 4.0 * WRITE_US + 3.0 * SYNC_US, 0.01);
    let (tps, ..) = measured(&committing(FileSystemKind::Ext4Ordered, false, true, 1));
    check_share("fsync", 1e6 / tps, own + 100.0 + 6.0 * WRITE_US + 4.0 * SYNC_US, 0.01);
}

/// A coarse clock leaves most redo syncs of a fast device without a commit.
#[test]
fn without_a_tick_fsync_commits_nothing() {
    let mut spec = committing(FileSystemKind::Ext4Ordered, false, true, 1);
    spec.file_system.tick = SimDuration::from_secs(1_000);
    let (_, writes, flushes) = measured(&spec);
    check_share("writes", writes, 5.0, 0.01);
    check_share("flushes", flushes, 3.0, 0.01);
}

/// Commits of many clients share journal commits and flushes.
#[test]
fn clients_share_commits() {
    let (alone, ..) = measured(&committing(FileSystemKind::Ext4Ordered, false, true, 1));
    let (tps, writes, flushes) = measured(&committing(FileSystemKind::Ext4Ordered, false, true, 40));
    assert!(tps > 8.0 * alone, "{tps} of {alone}");
    assert!(writes < 1.0 && flushes < 0.8, "{writes} writes, {flushes} flushes");
}
