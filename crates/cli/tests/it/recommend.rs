//! `innosim recommend`, on runs of seconds: what it prints, not how good it is.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use crate::common::{innosim, json, refused, text};

const SHORT: [&str; 8] =
    ["recommend", "io-capacity-max-too-low", "--duration", "12s", "--replications", "2", "--set", "drive.clients=2"];

#[test]
fn json_does_not_depend_on_the_number_of_jobs() {
    let run = |jobs: &str| {
        let mut document = json(&[&SHORT[..], &["--format", "json", "--jobs", jobs, "--quiet"]].concat());
        document.as_object_mut().unwrap().remove("wall_s");
        document
    };
    let one = run("1");
    for name in ["current", "recommended"] {
        for field in
            ["innodb_io_capacity_max", "tps_mean", "latency_ms_p99", "write_bytes_per_day", "tps_mean_change_ci95"]
        {
            assert!(one[name][field].is_number(), "{name}.{field}: {}", one[name]);
        }
    }
    assert_eq!(one["current"]["innodb_io_capacity_max"], 600);
    assert_eq!(one["current"]["tps_mean_change"], 0.0);
    let candidates = one["candidates"].as_array().unwrap();
    assert!(candidates.len() >= 5 && candidates.iter().all(|row| row["regime"].is_string()), "{candidates:?}");
    assert!(one["sensitivity"].is_array());
    assert!(one["recommended"]["statements"][0].as_str().unwrap().starts_with("SET GLOBAL "));
    assert_eq!(one, run("2"));
}

#[test]
fn people_get_a_row_a_setting_and_the_statements() {
    let assert = innosim(&[&SHORT[..], &["--goal", "latency", "--quiet"]].concat()).success();
    let table = text(&assert.get_output().stdout);
    assert!(table.lines().any(|line| line.trim_start().starts_with("600  ") && line.contains("now")), "{table}");
    assert!(table.contains("Differences are to the present setting"), "{table}");
    assert!(table.contains("\nSET GLOBAL innodb_io_capacity") || table.contains("No recommendation yet: "), "{table}");
}

#[test]
fn mariadb_is_searched_with_and_without_its_redo_file() {
    for redo in [&[][..], &["--redo"]] {
        let document = json(&[&SHORT[..], &["--model", "mariadb-10.11", "--format", "json", "--quiet"], redo].concat());
        assert!(document["recommended"]["redo_bytes"].is_number(), "{document}");
    }
}

#[test]
fn what_is_not_sound_comes_without_statements() {
    let flood = ["--set", "drive.kind=open", "--set", "drive.rate=100000", "--format", "json", "--quiet"];
    let document = json(&[&SHORT[..], &flood].concat());
    let recommended = &document["recommended"];
    assert_eq!((&recommended["sound"], &recommended["statements"]), (&false.into(), &serde_json::json!([])));
}

#[test]
fn nothing_is_recommended_where_nothing_runs() {
    for set in ["workload.kind=idle", "drive.rate=0"] {
        let error = refused(
            &[
                "recommend",
                "redo-too-small",
                "--set",
                "drive.kind=open",
                "--set",
                "drive.clients=8",
                "--set",
                "drive.rate=0",
                "--set",
                set,
            ],
            2,
        );
        assert!(error.contains("has no transactions: every setting is as good"), "{error}");
    }
}

#[test]
fn mistakes() {
    assert!(refused(&["recommend", "io-capacity-max-too-lo"], 2).contains("did you mean"));
    assert!(refused(&["recommend", "redo-too-small", "--goal", "speed"], 2).contains("throughput"));
    assert!(refused(&["recommend", "redo-too-small", "--set", "innodb_io_capacity=ten"], 2).contains("allowed"));
}
