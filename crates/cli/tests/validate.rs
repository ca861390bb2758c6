//! `innosim calibrate` and `innosim validate`: files, tables, documents, what is refused.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

mod common;

use common::{innosim, json, refused, stdout};
use std::fs;

const SHIPPED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../recordings/mysql97");

fn recording(name: &str) -> String {
    format!("{SHIPPED}/{name}")
}

#[test]
fn a_calibrated_scenario_runs() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("light.toml");
    let file = file.to_str().unwrap();
    let table = stdout(&["calibrate", &recording("low300-256-io200"), "-o", file]);
    assert!(table.contains("redo_bytes_per_transaction") && table.contains("Not determined: CPU demand"), "{table}");
    let summary = json(&["run", file, "--duration", "20s", "--format", "json"]);
    assert_eq!(summary["model"], "mysql-9.7");
}

#[test]
fn validate_prints_the_promised_document_and_leaves_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let document = json(&[
        "validate",
        &recording("low300-256-io200"),
        "--calibrate-on",
        &recording("uni4k-256-io2000"),
        "--format",
        "json",
        "--out",
        out.to_str().unwrap(),
    ]);
    let one = &document["recordings"][0];
    assert_eq!(one["name"], "mysql97/low300-256-io200");
    assert_eq!(one["calibrated_on"], "mysql97/uni4k-256-io2000");
    for name in
        ["tps_mean", "checkpoint_age_mean", "checkpoint_age_max", "pages_flushed_per_s_mean", "dirty_pages_mean"]
    {
        let metric = &one["metrics"][name];
        assert!(metric["observed"].is_f64() && metric["predicted"].is_f64() && metric["error"].is_f64(), "{name}");
    }
    assert!(one["trajectories"]["checkpoint_age"]["nrmse"].is_f64());
    assert_eq!(one["regime"]["observed"], "steady");
    assert!(document["overall"].is_object());
    let csv = fs::read_to_string(out.join("mysql97-low300-256-io200.csv")).unwrap();
    assert!(csv.starts_with("second,checkpoint_age_observed,checkpoint_age_predicted,"), "{csv}");
    assert!(out.join("validate.json").is_file());
}

#[test]
fn mistakes_are_refused_and_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scenario.toml");
    let many = refused(&["calibrate", SHIPPED, "-o", file.to_str().unwrap()], 2);
    assert!(many.contains("holds more than one recording"), "{many}");
    let device = ["calibrate", &recording("low300-256-io200"), "--device", "floppy", "-o", file.to_str().unwrap()];
    assert!(refused(&device, 2).contains("floppy"));
    assert!(!file.exists());
    innosim(&["validate", "no/such/place"]).code(2);
}
