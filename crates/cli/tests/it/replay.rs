//! `innosim replay`: the table, the JSON document, the CSV files, what is refused.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use crate::common::{json, refused, stdout};
use std::fs;

const SHIPPED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../recordings/mysql97/uni4k-256-io2000");

#[test]
fn the_table_has_every_counter_and_says_what_counts_as_agreement() {
    let table = stdout(&["replay", SHIPPED]);
    assert!(
        table.contains("mysql97/uni4k-256-io2000 on mysql-9.7: 217 of 217 passes agree in every counter (100.0 %)"),
        "{table}"
    );
    for name in ["n_to_flush_requested", "pct_for_lsn", "pct_for_dirty", "avg_page_rate", "lsn_avg_rate"] {
        assert!(table.contains(&format!("buffer_flush_{name}")), "{table}");
    }
    assert!(table.contains("agree: within 1 percent point, 8 pages requested"), "{table}");
}

#[test]
fn json_and_csv_say_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let document = json(&["replay", SHIPPED, "--format", "json", "--out", out.to_str().unwrap()]);
    let one = &document["recordings"][0];
    assert_eq!((one["name"].as_str(), one["model"].as_str()), (Some("mysql97/uni4k-256-io2000"), Some("mysql-9.7")));
    assert_eq!(document["overall"]["match_rate"], 1.0);
    let csv = fs::read_to_string(out.join("mysql97-uni4k-256-io2000.csv")).unwrap();
    assert!(csv.starts_with("second,instant,age_bytes,buffer_flush_n_to_flush_requested,"), "{csv}");
    assert_eq!(csv.lines().count() as u64, 1 + one["passes"].as_u64().unwrap());
}

#[test]
fn what_is_no_recording_is_refused() {
    assert!(refused(&["replay", "no/such/folder"], 2).contains("there is no such file or folder"));
    let folder = tempfile::tempdir().unwrap();
    assert!(refused(&["replay", folder.path().to_str().unwrap()], 2).contains("there is no recording here"));
}
