//! The summary against answers worked out by hand.

use super::*;
use crate::kernel::time::SimDuration;
use crate::seam::AgeLimits;

/// 40 seconds: 20 of warm-up with absurd values, then 100 tps but for one stalled second of 40.
fn output() -> RunOutput {
    let row = |second: u64| {
        let warm = second > 20;
        let transactions = match second {
            ..=20 => 1,
            30 => 40,
            _ => 100,
        };
        SecondSample {
            second,
            transactions,
            checkpoint_age_bytes: if warm { 1000 + second } else { 9_999_999 },
            dirty_pages: 50,
            pages_flushed: if warm { 200 } else { 77_777 },
            adaptive_pages: 150,
            sync_pages: 50,
            redo_generated_bytes: if warm { 1940 } else { 1 },
            log_waits: 2,
            device_utilization: 0.5,
            device_write_bytes: 4096,
            sync_flushing: second == 25,
            ..SecondSample::default()
        }
    };
    let mut warm = Histogram::new();
    (0..99).for_each(|_| warm.record(SimDuration::from_millis(10)));
    warm.record(SimDuration::from_millis(500));
    let mut cold = Histogram::new();
    cold.record(SimDuration::from_secs(60));
    RunOutput {
        series: (1..=40).map(row).collect(),
        latency_by_10s: vec![cold.clone(), cold, warm.clone(), warm],
        age_limits: AgeLimits { async_bytes: 2000, sync_bytes: 2200, stop_bytes: 2400, ..AgeLimits::default() },
        ..RunOutput::default()
    }
}

#[test]
fn throughput_by_hand() {
    let s = Summary::of(&output(), 20);
    assert_eq!(s.tps_mean, 97.0);
    // 19 x 3^2 + 57^2 = 3420 over 20 seconds: 171, whose root over the mean of 97.
    assert!((s.tps_cv - 171f64.sqrt() / 97.0).abs() < 1e-12);
    assert_eq!((s.tps_p01, s.tps_min, s.stall_seconds), (40.0, 40.0, 1.0));
    assert_eq!((s.tps_10s_median_mean, s.tps_10s_median_min, s.tps_10s_median_max), (100.0, 100.0, 100.0));
    assert_eq!(s.regime, Regime::Steady);
}

#[test]
fn a_stop_of_the_drive_is_no_stall() {
    let mut output = output();
    output.series[29].stopped = true;
    assert_eq!(Summary::of(&output, 20).stall_seconds, 0.0);
}

#[test]
fn latency_by_hand() {
    let s = Summary::of(&output(), 20);
    assert!((s.latency_ms_mean - 14.9).abs() < 1e-6);
    assert_eq!(s.latency_ms_max, 500.0);
    assert!((s.latency_ms_p95 - 10.0).abs() < 0.5, "{}", s.latency_ms_p95);
    assert!(s.latency_ms_p99 < 11.0);
}

#[test]
fn ages_redo_flushing_by_hand() {
    let s = Summary::of(&output(), 20);
    assert_eq!((s.checkpoint_age_mean, s.checkpoint_age_max), (1030.5, 1040.0));
    assert_eq!((s.checkpoint_age_limit, s.age_async_limit, s.age_sync_limit), (2000.0, 2000.0, 2200.0));
    assert_eq!((s.redo_bytes_per_s, s.redo_bytes_per_trx, s.redo_waits), (1940.0, 20.0, 40.0));
    assert_eq!((s.pages_flushed_per_s_mean, s.pages_flushed_adaptive, s.pages_flushed_sync), (200.0, 3000.0, 1000.0));
    assert!((s.flushes_per_trx - 200.0 / 97.0).abs() < 1e-12);
    assert_eq!((s.device_utilization, s.device_write_bytes_per_s, s.sync_flush_seconds), (0.5, 4096.0, 1.0));
}

#[test]
fn a_straddling_histogram_is_left_out() {
    let s = Summary::of(&output(), 15);
    assert_eq!(s.latency_ms_max, 500.0, "seconds 10 to 20 hold a minute-long one");
    let s = Summary::of(&output(), 35);
    assert_eq!(s.latency_ms_max, 500.0, "nothing but a straddling one is left");
}

#[test]
fn no_seconds_no_nan() {
    for warmup in [40, 1000] {
        let s = Summary::of(&output(), warmup);
        assert!(s.values().all(|v| v.value.is_finite()));
        assert_eq!((s.tps_mean, s.regime), (0.0, Regime::Idle));
    }
}

#[test]
fn names_follow_the_promise() {
    assert_eq!(Summary::NAMES.len(), 51);
    assert_eq!((Summary::NAMES[0], Summary::NAMES[37]), ("tps_mean", "device_write_bytes_per_s"));
    let s = Summary::of(&output(), 20);
    let again = Summary::from_fn(s.regime, |name| s.value(name).expect("known"));
    assert_eq!(again, s);
}

#[test]
fn mostly_standing_still_is_not_steady() {
    let mut output = output();
    for row in &mut output.series {
        row.transactions = if row.second % 4 == 0 { 20 } else { 0 };
    }
    let summary = Summary::of(&output, 20);
    assert_eq!((summary.stall_seconds, summary.regime), (15.0, Regime::Waves));
}
