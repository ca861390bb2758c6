//! What the shipped scenarios claim, held against what they do.
//!
//! Each scenario's opening comment tells a story and a setting that changes it; each test runs both. The published cases
//! run long enough for the first collapse of the waves; the whole comparison is `innosim reproduce --strict`.

use crate::simulated::{number, shorter, simulated, summary};
use innosim_core::metrics::SecondSample;
use innosim_scenario::Overrides;
use serde_json::Value;

/// A figure of each second.
fn series(scenario: &str, duration: Option<&str>, figure: fn(&SecondSample) -> u64) -> Vec<f64> {
    let overrides = Overrides { duration: duration.map(str::to_owned), ..Overrides::default() };
    simulated(scenario, &overrides).output.series.iter().map(|second| figure(second) as f64).collect()
}

/// Share of `part` in all flushed pages.
fn share(summary: &Value, part: &str) -> f64 {
    number(summary, part) / (number(summary, "pages_flushed_adaptive") + number(summary, "pages_flushed_sync"))
}

#[test]
fn too_small_a_redo_log_is_flushed_in_panic_and_a_larger_one_is_not() {
    let small = shorter("redo-too-small", "150s", &[]);
    let large = shorter("redo-too-small", "150s", &["innodb_redo_log_capacity=4G"]);
    assert!(share(small, "pages_flushed_sync") > 0.3, "{small}");
    assert_eq!(number(large, "pages_flushed_sync"), 0.0, "{large}");
    assert!(number(large, "flushes_per_trx") < number(small, "flushes_per_trx"), "more redo, fewer page writes");
}

#[test]
fn too_low_a_capacity_leaves_the_work_to_sync_flushing() {
    let low = shorter("io-capacity-max-too-low", "160s", &[]);
    let enough = shorter("io-capacity-max-too-low", "160s", &["innodb_io_capacity_max=4000"]);
    assert!(share(low, "pages_flushed_sync") > 0.5, "{low}");
    assert!(share(enough, "pages_flushed_sync") < 0.2, "{enough}");
}

#[test]
fn too_high_a_capacity_makes_commits_wait_behind_page_writes() {
    let high = summary("io-capacity-max-too-high", &[]);
    let fit = summary("io-capacity-max-too-high", &["innodb_io_capacity_max=1500", "innodb_io_capacity=750"]);
    let ratio = number(high, "latency_ms_p95") / number(fit, "latency_ms_p95");
    assert!(ratio > 1.5, "95 % latency: {} and {}", high["latency_ms_p95"], fit["latency_ms_p95"]);
}

#[test]
fn a_small_doublewrite_batch_caps_flushing_below_what_is_asked_for() {
    let flushed =
        |settings: &[&str]| number(shorter("doublewrite-batch-too-small", "120s", settings), "pages_flushed_per_s_p95");
    let (small, large) = (flushed(&[]), flushed(&["innodb_doublewrite_pages=128"]));
    assert!(large > 1.2 * small, "{small} pages a second with small batches, {large} with large ones");
}

#[test]
fn a_spike_is_noticed_late_and_the_redo_log_lasts_so_long() {
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
    let flushed = series("activity-spike", None, |second| second.pages_flushed);
    let (before, early, late) = (mean(&flushed[80..100]), mean(&flushed[100..120]), mean(&flushed[130..160]));
    assert!(early < 1.3 * before && late > 1.6 * before, "{before} {early} {late}");
    let age = series("activity-spike", None, |second| second.checkpoint_age_bytes);
    assert!(mean(&age[150..160]) > 2.5 * mean(&age[90..100]), "{age:?}");
    let sync = |capacity: &str| {
        let capacity = format!("innodb_redo_log_capacity={capacity}");
        number(summary("activity-spike", &[&capacity]), "pages_flushed_sync")
    };
    assert_eq!(sync("512M"), 0.0, "it lasts");
    assert!(sync("128M") > 10_000.0, "this one does not");
}

#[test]
fn an_idle_server_flushes_on() {
    let idle = summary("idle-server", &[]);
    assert!(number(idle, "pages_flushed_background") > 0.0, "{idle}");
}

/// What takes minutes.
mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run long"]
    fn a_published_wave_collapses_when_its_redo_is_full_and_a_smooth_run_does_not() {
        let wave = series("wave-2000-4000", Some("850s"), |second| second.transactions);
        let before = wave[550..650].iter().sum::<f64>() / 100.0;
        let lowest = wave[650..850].iter().copied().fold(f64::MAX, f64::min);
        assert!(before > 9_000.0 && lowest < before / 2.0, "{before} before the collapse, {lowest} in it");
        let smooth = series("7000-bpi32", Some("850s"), |second| second.transactions);
        let lowest = smooth[550..850].iter().copied().fold(f64::MAX, f64::min);
        assert!(lowest > 4_000.0, "the smooth run falls to {lowest}");
    }
}
