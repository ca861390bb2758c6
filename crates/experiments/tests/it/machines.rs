//! The machines of published series: who gets the processors, what reads wait for.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use innosim_core::metrics::SecondSample;
use innosim_core::server::Silent;
use innosim_experiments::runner::{Job, run_one};
use innosim_scenario::{Overrides, Source, load};

/// The mean over the seconds after `warmup` of a run of `seconds` with so many clients.
fn mean(scenario: &str, clients: u32, (warmup, seconds): (u64, u64), amount: fn(&SecondSample) -> u64) -> f64 {
    let overrides = Overrides {
        duration: Some(format!("{seconds}s")),
        set: vec![format!("drive.clients={clients}"), format!("warmup={warmup}s")],
        ..Overrides::default()
    };
    let scenario = load(Source::Shipped(scenario), &overrides).unwrap();
    let output = run_one(Job { scenario: &scenario, replication: 0 }, false, &mut Silent).unwrap();
    let counted = output.series.iter().filter(|second| second.second > warmup);
    counted.map(|second| amount(second) as f64).sum::<f64>() / (seconds - warmup) as f64
}

/// The master thread of 5.5 purges before it flushes. Recorded with 32 threads: 25 MB/s written, 5 of it redo; with 64: redo alone,
/// since at its share of 12 processors it never gets done with purging.
#[test]
fn a_master_thread_with_too_small_a_share_never_comes_to_flush() {
    let flushed = |clients| mean("mariadb-2013/base", clients, (20, 120), |second| second.pages_flushed);
    let [few, many] = [32, 64].map(flushed);
    assert!((300.0..800.0).contains(&few), "32 clients: {few:.0} pages a second");
    assert!(many < 20.0, "64 clients: {many:.0} pages a second");
}

/// A cache flush of a SATA drive waits for the slowest read in it. Recorded: 586 transactions a second; with reads that all take
/// their mean time, 860.
#[test]
fn reads_of_uneven_length_hold_flushes_up() {
    let tps = mean("percona-2026/mysql-8.4.8-12g", 16, (60, 100), |second| second.transactions);
    assert!((500.0..760.0).contains(&tps), "{tps:.0} transactions a second");
}

/// A flusher that never rests writes the log's last block again with each sync, and waits until the drive has programmed it. By the counts
/// of writes and cache flushes recorded: some 2,400 redo syncs a second. Here the run begins; on a drive that takes the block at once, 5,000 and more.
#[test]
fn a_log_is_synced_no_more_often_than_the_drive_takes_its_last_block() {
    let syncs = mean("percona-2026/mysql-8.4.8-32g", 4, (20, 60), |second| second.redo_fsyncs);
    assert!((1_500.0..3_333.0).contains(&syncs), "{syncs:.0} redo syncs a second");
}
