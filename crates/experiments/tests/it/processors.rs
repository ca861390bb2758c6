//! Who gets the processors where threads outnumber them.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use innosim_core::server::Silent;
use innosim_experiments::runner::{Job, run_one};
use innosim_scenario::{Overrides, Source, load};

/// Pages flushed a second in the first two minutes of a published run, but for its first 20 s.
fn pages_flushed(clients: u32) -> f64 {
    let overrides = Overrides {
        duration: Some("120s".to_owned()),
        set: vec![format!("drive.clients={clients}"), "warmup=20s".to_owned()],
        ..Overrides::default()
    };
    let scenario = load(Source::Shipped("mariadb-2013/base"), &overrides).unwrap();
    let output = run_one(Job { scenario: &scenario, replication: 0 }, false, &mut Silent).unwrap();
    let counted = output.series.iter().filter(|second| second.second > 20);
    counted.map(|second| second.pages_flushed as f64).sum::<f64>() / 100.0
}

/// The master thread of 5.5 purges before it flushes. Recorded with 32 threads: 25 MB/s written, 5 of it redo; with 64: redo alone,
/// since at its share of 12 processors it never gets done with purging.
#[test]
fn a_master_thread_with_too_small_a_share_never_comes_to_flush() {
    let [few, many] = [32, 64].map(pages_flushed);
    assert!((300.0..800.0).contains(&few), "32 clients: {few:.0} pages a second");
    assert!(many < 20.0, "64 clients: {many:.0} pages a second");
}
