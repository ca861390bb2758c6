//! The museum of mistakes: each server as it was before a public fix fails in the scenario that shows it, and holds as it
//! is now.

use crate::simulated::{number, simulated};
use innosim_scenario::Overrides;
use serde_json::Value;

/// The scenario of a report, as the server is and as it was.
fn now_and_then(report: &str) -> (&'static Value, &'static Value) {
    for_so_long(report, None)
}

/// The same for another simulated time than the scenario's.
fn for_so_long(report: &str, duration: Option<&str>) -> (&'static Value, &'static Value) {
    let with_rule = |rule: Option<String>| {
        let overrides = Overrides { rule, duration: duration.map(str::to_owned), ..Overrides::default() };
        &simulated(&format!("museum/{report}"), &overrides).summary
    };
    (with_rule(None), with_rule(Some(report.to_owned())))
}

/// The mean checkpoint age as a share of the age at which flushing is no longer a choice.
fn age(summary: &Value) -> f64 {
    number(summary, "checkpoint_age_mean") / number(summary, "age_async_limit")
}

#[test]
fn mdev_24949_a_server_without_work_did_not_flush() {
    let (now, then) = now_and_then("mdev-24949");
    // A minute of the quiet before the warm-up ends, and a minute after it, at 500 pages a second.
    assert!(number(then, "dirty_pages_mean") > 2.0 * number(now, "dirty_pages_mean"), "{now} {then}");
    let flushed = |summary: &Value| number(summary, "pages_flushed_per_s_mean");
    assert!(flushed(now) > 100.0 && flushed(then) == 0.0, "{now} {then}");
}

#[test]
fn mdev_25093_adaptive_flushing_began_only_at_the_limit() {
    let (now, then) = now_and_then("mdev-25093");
    let reached = |summary: &Value| number(summary, "checkpoint_age_max") >= number(summary, "age_async_limit");
    assert!(!reached(now) && number(now, "pages_flushed_adaptive") > 0.0, "{now}");
    assert!(reached(then) && number(then, "pages_flushed_adaptive") == 0.0, "{then}");
}

#[test]
fn mdev_31939_the_recommendation_did_not_grow_with_the_age() {
    let (now, then) = now_and_then("mdev-31939");
    assert!(age(then) > age(now) + 0.15, "{} {}", age(now), age(then));
}

#[test]
fn mdev_33053_free_pages_were_made_when_there_were_none() {
    let (now, then) = now_and_then("mdev-33053");
    let waits = |summary: &Value| number(summary, "free_page_waits");
    assert!(waits(now) == 0.0 && waits(then) > 100.0, "{} {}", waits(now), waits(then));
}

#[test]
fn mdev_34265_furious_flushing_made_no_free_pages() {
    let (now, then) = for_so_long("mdev-34265", Some("30s"));
    let more = |name: &str, times: f64| number(then, name) > times * number(now, name);
    assert!(more("latency_ms_p99", 2.0) && more("latency_ms_max", 1.5), "{now} {then}");
    assert!(more("stall_seconds", 2.0) && !more("tps_10s_median_mean", 0.6), "{now} {then}");
    assert!(!more("tps_mean", 0.95), "{now} {then}");
}

#[test]
fn mdev_36226_flushing_for_the_age_starved_the_free_list() {
    let (now, then) = now_and_then("mdev-36226");
    let of = |name: &str| [number(now, name), number(then, name)];
    let (waits, stalls, longest) = (of("free_page_waits"), of("stall_seconds"), of("latency_ms_max"));
    assert!(waits[0] == 0.0 && waits[1] > 500.0, "{waits:?}");
    assert!(stalls[0] == 0.0 && stalls[1] >= 3.0 && longest[1] > 3.0 * longest[0], "{stalls:?} {longest:?}");
}
