//! Redo under load: syncs that page writes ask for, waits for the log buffer, waits for a redo file.

use crate::common::*;
use innosim_core::config::{CommitDurability, DoublewriteConfig, RedoFilesConfig, RedoIo};
use innosim_core::kernel::time::SimDuration;
use innosim_core::metrics::RunOutput;

/// Counts of the seconds after the first five, a second.
fn per_s(out: &RunOutput, f: fn(&innosim_core::metrics::SecondSample) -> u64) -> f64 {
    let kept = &out.series[5..];
    kept.iter().map(f).sum::<u64>() as f64 / kept.len() as f64
}

/// 100 000 modifications a second of a million pages, and commits that wait for no sync: a batch of four pages rarely has
/// one that was modified since the last sync. Redo is synced for these, each 16 384 modifications, and once a second; not for
/// each of the 100 batches a second.
#[test]
fn pages_flushed_without_synced_commits_do_not_sync_redo_each_time() {
    for commit in [CommitDurability::Write, CommitDurability::Lazy] {
        let mut server = TestServer::new(1_100_000);
        server.flushing = Flushing::PagesPerSecond(400.0);
        (server.config.redo.commit, server.config.redo.io) = (commit, RedoIo::Buffered);
        server.config.doublewrite = DoublewriteConfig::PerInstance {
            batch_pages: 4,
            flush_list_segments: 8,
            lru_segments: 8,
            instances: 1,
            sync_file: false,
            fixed_bytes: None,
        };
        let mut spec =
            spec(25, 1_000_000, 1_000, fixed(1_000.0), vec![touch(100, true, 50.0)], open(64, 1_000.0, false));
        spec.check = false;
        let out = run(&server, &spec);
        let (syncs, pages) = (per_s(&out, |s| s.redo_fsyncs), per_s(&out, |s| s.pages_flushed));
        check_share("pages flushed a second", pages, 400.0, 0.02);
        assert!((7.0..20.0).contains(&syncs), "{syncs} redo syncs a second with {commit:?}");
    }
}

/// 64 clients whose transactions need a tenth of the log buffer each: there is room for nine, and the others stand in line.
/// Each waits once, for as long as all others.
#[test]
fn clients_get_room_in_the_log_buffer_in_turn() {
    let mut server = TestServer::new(20_000);
    server.config.redo.log_buffer_bytes = 1 << 20;
    server.config.redo.commit = CommitDurability::Write;
    let transaction = vec![touch(100, true, 1_000.0)];
    let out = run(&server, &spec(10, 10_000, 1_000, fixed(100.0), transaction, closed(64)));
    let waits = per_s(&out, |s| s.log_waits) / per_s(&out, |s| s.transactions);
    assert!((0.5..=1.001).contains(&waits), "{waits} waits a transaction");
    let latency = &out.latency_by_10s[0];
    let (median, longest) = (latency.quantile(0.5).as_millis_f64(), latency.max().as_millis_f64());
    assert!(longest < 1.5 * median, "{longest} ms at most, half of them within {median} ms");
}

/// A redo log of 32 small files, whose checkpoint follows closely, under transactions that write `redo_bytes` of redo.
fn in_files(file_bytes: u64, redo_bytes: f64) -> RunOutput {
    let mut server = TestServer::new(2_000);
    server.flushing = Flushing::Everything;
    server.checkpoints = Some(SimDuration::from_millis(10));
    server.config.redo.commit = CommitDurability::Sync;
    server.config.redo.io = RedoIo::Buffered;
    server.config.redo.files = Some(RedoFilesConfig {
        file_bytes,
        first_lsn: 8_192,
        files: 32,
        round: SimDuration::from_millis(10),
        writer_wait: SimDuration::from_millis(100),
    });
    run(
        &server,
        &spec(10, 1_000, 1_000, fixed(1_000.0), vec![touch(100, true, redo_bytes / 100.0)], open(4, 20.0, false)),
    )
}

/// The governor makes files unused when the writer has a moment without work. A transaction longer than a file gives it none
/// where the last file begins within it: then all wait for 100 ms, though the checkpoint has left the other files long ago.
#[test]
fn a_burst_longer_than_a_redo_file_waits_for_the_next() {
    let longest = |file_bytes, redo_bytes| {
        let out = in_files(file_bytes, redo_bytes);
        let transactions = out.series.iter().map(|s| s.transactions).sum::<u64>();
        assert!((198..=201).contains(&transactions), "{transactions} transactions of 200");
        out.latency_by_10s[0].max().as_millis_f64()
    };
    let (short, long) = (longest(1 << 20, 100_000.0), longest(1 << 18, 600_000.0));
    assert!(short < 20.0, "{short} ms with transactions shorter than a file");
    assert!((100.0..220.0).contains(&long), "{long} ms with longer ones");
}
