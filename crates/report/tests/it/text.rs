//! What is written as text, against snapshots.

use crate::synthetic::{Made, idle, noise, waves};
use innosim_core::metrics::Summary;
use innosim_report::summary::summary_object;
use innosim_report::sysbench::{closing_statistics, interval_line};
use innosim_report::{Replications, render_summary, write_series_csv};

fn made() -> Made {
    Made::of("sysbench-tpcc on a SATA SSD: waves", waves(1200, 300))
}

#[test]
fn table_of_waves() {
    insta::assert_snapshot!(render_summary(&made().report()));
}

#[test]
fn table_of_an_idle_server() {
    let made = Made::of("Nothing to do", idle(60));
    let mut report = made.report();
    report.settings_line.clear();
    report.warmup_converged = false;
    insta::assert_snapshot!(render_summary(&report));
}

#[test]
fn table_of_replications() {
    let mut made = made();
    let runs: Vec<Summary> = (0..5)
        .map(|i| {
            Summary::from_fn(made.summary.regime, |name| {
                let value = made.summary.values().find(|v| v.name == name).unwrap().value;
                if name.ends_with("_limit") { value } else { value * (0.98 + 0.04 * noise(i)) }
            })
        })
        .collect();
    let spread = Replications::of(&runs);
    made.identity.replications = 5;
    made.summary = spread.summary.clone();
    let mut report = made.report();
    report.replications = Some(&spread);
    insta::assert_snapshot!(render_summary(&report));
    let object = summary_object(&made.identity, &made.summary, Some(&spread)).unwrap();
    let json = serde_json::to_string_pretty(&object).unwrap() + "\n";
    insta::assert_snapshot!("summary_json_of_replications", json);
}

#[test]
fn summary_json_of_one_run() {
    let made = made();
    let object = summary_object(&made.identity, &made.summary, None).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&object).unwrap() + "\n");
}

#[test]
fn sysbench_lines() {
    let output = &made().output;
    let line = |block: usize| {
        let p95 = output.latency_by_10s[block].quantile(0.95).as_millis_f64();
        interval_line(56, &output.series[10 * block..10 * (block + 1)], p95)
    };
    let lines: Vec<String> = [0, 1, 2, 118, 119].into_iter().map(line).collect();
    insta::assert_snapshot!(lines.join("\n") + "\n" + &closing_statistics(output));
}

#[test]
fn sysbench_lines_have_their_columns() {
    let line = interval_line(56, &made().output.series[..3], 1.5);
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!((words[0], words[1], words[3], words[5], words[7]), ("[", "3s", "thds:", "tps:", "qps:"));
    assert_eq!(&words[11..13], ["lat", "(ms,95%):"]);
}

#[test]
fn series_head() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("series.csv");
    write_series_csv(&path, &made().output).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().count(), 1201);
    let head: Vec<&str> = text.lines().take(4).collect();
    insta::assert_snapshot!(head.join("\n"));
}

#[test]
fn json_fields_keep_the_promised_order() {
    let made = made();
    let object = summary_object(&made.identity, &made.summary, None).unwrap();
    let promised = "innosim_version, model, scenario, seed, replications, simulated_s, warmup_s, wall_s, speed, \
        tps_mean, tps_cv, tps_p01, tps_min, tps_10s_median_mean, tps_10s_median_min, tps_10s_median_max, stall_seconds, \
        latency_ms_mean, latency_ms_p95, latency_ms_p99, latency_ms_max, redo_bytes_per_s, redo_bytes_per_trx, \
        checkpoint_age_mean, checkpoint_age_max, checkpoint_age_limit, age_async_limit, age_sync_limit, \
        dirty_pages_mean, pages_flushed_per_s_mean, pages_flushed_per_s_p95, pages_flushed_adaptive, \
        pages_flushed_background, pages_flushed_sync, pages_flushed_lru, pages_flushed_single, pages_flushed_neighbor, \
        flushes_per_trx, doublewrite_pages, doublewrite_writes, data_fsyncs, redo_fsyncs, redo_waits, free_page_waits, \
        buffer_pool_reads, device_utilization, device_write_bytes_per_s, regime";
    let promised: Vec<&str> = promised.split(", ").collect();
    let names: Vec<&str> = object.keys().map(String::as_str).collect();
    assert_eq!(names[..promised.len()], promised);
}
