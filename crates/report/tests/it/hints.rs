//! Each hint appears when the numbers show its cause, and only then.

use crate::synthetic::{Made, waves};
use innosim_core::metrics::{Regime, Summary};
use innosim_report::Report;
use innosim_report::hints::hint;

/// A sound run, changed by `change`; flushing is capped at 4000 pages a second.
fn sound(change: impl Fn(&mut Summary)) -> Made {
    let mut made = Made::of("A run", waves(60, 200));
    made.summary = Summary {
        tps_mean: 8000.0,
        regime: Regime::Steady,
        checkpoint_age_mean: 750.0,
        checkpoint_age_limit: 1000.0,
        pages_flushed_per_s_mean: 3000.0,
        flushes_per_trx: 0.4,
        device_utilization: 0.6,
        ..Summary::default()
    };
    change(&mut made.summary);
    made
}

/// Its hint.
fn hint_of(change: impl Fn(&mut Summary)) -> String {
    hint(&sound(change).report())
}

#[test]
fn less_flushing_is_advised_only_where_it_can_be_had() {
    let made = sound(|summary| summary.checkpoint_age_mean = 300.0);
    let report = || made.report();
    assert!(hint(&report()).contains("a lower innodb_io_capacity_max"));
    let rising = hint(&Report { age_rises: true, ..report() });
    assert!(rising.contains("still rising when the run ended") && !rising.contains("lower"), "{rising}");
    let lowest = hint(&Report { flushing_is_lowest: true, ..report() });
    assert!(lowest.contains("innodb_io_capacity_max at its least value") && !lowest.contains("lower"), "{lowest}");
}

#[test]
fn waits_that_did_not_happen_are_not_counted() {
    let waves = |summary: &mut Summary| summary.regime = Regime::Waves;
    let hint = hint_of(waves);
    assert!(hint.starts_with("Throughput moves with the checkpoint age: ") && !hint.contains(" 0 "), "{hint}");
}

#[test]
fn sound_runs_hear_about_their_age() {
    assert!(hint_of(|_| ()).contains("75 % of its limit without sync flushing: a balanced setting"));
    assert!(hint_of(|s| s.checkpoint_age_mean = 300.0).contains("30 % of its limit: pages are flushed earlier"));
    assert!(hint_of(|s| s.checkpoint_age_mean = 950.0).contains("little room for a spike"));
}

#[test]
fn trouble_comes_first() {
    let waves = hint_of(|s| {
        s.regime = Regime::Waves;
        s.sync_flush_seconds = 104.0;
        s.free_page_waits = 3.0;
    });
    assert!(
        waves.starts_with("Sync flushing ran in 104 s") && waves.contains("Raise innodb_io_capacity_max"),
        "{waves}"
    );
    let full = hint_of(|s| {
        s.regime = Regime::Waves;
        s.free_check_waits = 9.0;
        s.device_utilization = 0.98;
    });
    assert!(full.starts_with("User threads waited 9 times") && full.contains("98 % busy"), "{full}");
    assert!(!full.contains("Raise"), "{full}");
    assert!(hint_of(|s| s.device_utilization = 0.99).contains("The device is 99 % busy"));
    assert!(hint_of(|s| s.regime = Regime::Overloaded).contains("the queue does not drain"));
}

#[test]
fn the_cap_is_named_only_when_it_binds() {
    let bound = hint_of(|s| {
        s.pages_flushed_per_s_mean = 3990.0;
        s.checkpoint_age_mean = 950.0;
    });
    assert!(bound.contains("innodb_io_capacity_max = 4,000 caps flushing"), "{bound}");
    assert!(!hint_of(|s| s.pages_flushed_per_s_mean = 3990.0).contains("caps"));
}

#[test]
fn waits_name_their_cure() {
    assert!(hint_of(|s| s.free_page_waits = 12.0).contains("innodb_lru_scan_depth"));
    assert!(hint_of(|s| s.redo_waits = 12.0).contains("innodb_log_buffer_size"));
    assert!(hint_of(|s| s.tps_mean = 0.0).contains("No transaction finished"));
}

/// Figures of several replications are means.
#[test]
fn what_one_replication_of_three_had_is_not_said_to_be_nothing() {
    for (change, words) in [
        ((|s| s.free_page_waits = 1.0 / 3.0) as fn(&mut Summary), "waited 0.33 times for a free page"),
        (|s| s.redo_waits = 1.0 / 3.0, "was full 0.33 times"),
        (|s| s.sync_flush_seconds = 1.0 / 3.0, "Sync flushing ran in 0.33 s"),
    ] {
        let hint = hint_of(change);
        assert!(hint.contains(words), "{hint}");
    }
}
