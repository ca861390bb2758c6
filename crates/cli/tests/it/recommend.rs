//! `innosim recommend`, on runs of seconds: what it prints, not how good it is.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use crate::common::{innosim, json, refused, text};

const SHORT: [&str; 8] =
    ["recommend", "io-capacity-max-too-low", "--duration", "12s", "--replications", "2", "--set", "drive.clients=2"];

/// The document of a search that refuses to recommend: exit code 1.
fn refusal(args: &[&str]) -> serde_json::Value {
    let assert = innosim(args).code(1);
    let document: serde_json::Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    assert_eq!((&document["status"], &document["recommended"]), (&"refused".into(), &serde_json::Value::Null));
    assert!(document["refused"].is_string() && !document.to_string().contains("SET GLOBAL"), "{document}");
    document
}

#[test]
fn json_does_not_depend_on_the_number_of_jobs() {
    let run = |jobs: &str| {
        let mut document = refusal(&[&SHORT[..], &["--format", "json", "--jobs", jobs, "--quiet"]].concat());
        document.as_object_mut().unwrap().remove("wall_s");
        document
    };
    let one = run("1");
    for field in ["innodb_io_capacity_max", "tps_mean", "latency_ms_p99", "write_bytes_per_day", "tps_mean_change_ci95"]
    {
        assert!(one["current"][field].is_number(), "{field}: {}", one["current"]);
    }
    assert_eq!(one["current"]["innodb_io_capacity_max"], 600);
    assert_eq!(one["current"]["tps_mean_change"], 0.0);
    let candidates = one["candidates"].as_array().unwrap();
    assert!(candidates.len() >= 5 && candidates.iter().all(|row| row["regime"].is_string()), "{candidates:?}");
    assert!(one["sensitivity"].is_array());
    assert_eq!(one, run("2"));
}

#[test]
fn people_get_the_verdict_first_and_in_100_columns() {
    let assert = innosim(&[&SHORT[..], &["--goal", "latency", "--quiet", "--all"]].concat()).code(1);
    let text = text(&assert.get_output().stdout);
    assert!(
        text.contains("\nNo recommendation.\n") && text.contains("give --duration") || text.contains("Give --duration"),
        "{text}"
    );
    assert!(text.find("No recommendation") < text.find("pages/s") && !text.contains("SET GLOBAL"), "{text}");
    assert!(text.lines().any(|line| line.trim_start().starts_with("600 ") && line.contains("now")), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    assert!(text.contains("load: sysbench-oltp-update-non-index") && text.contains("not yours"), "{text}");
}

#[test]
fn mariadb_is_searched_with_and_without_its_redo_file() {
    for redo in [&[][..], &["--redo"]] {
        let args = [&SHORT[..], &["--model", "mariadb-10.11", "--format", "json", "--quiet"], redo].concat();
        assert!(refusal(&args)["current"]["redo_bytes"].is_number());
    }
}

#[test]
fn what_is_not_sound_comes_without_statements() {
    let flood = ["--set", "drive.kind=open", "--set", "drive.rate=100000", "--format", "json", "--quiet"];
    assert_eq!(refusal(&[&SHORT[..], &flood].concat())["current"]["sound"], false);
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

/// What takes minutes.
mod long {
    use super::*;

    /// A redo log that is too small comes with no I/O capacity that makes latency worse, and sync flushing that nobody feels
    /// with none at all.
    #[test]
    #[ignore = "long: .ci/run long"]
    fn a_limit_is_called_one_and_what_harms_nobody_stays() {
        let document = refusal(&["recommend", "redo-too-small", "--replications", "2", "--format", "json", "--quiet"]);
        assert_eq!(document["limit"], "redo_log", "{document}");
        assert!(document["larger_redo"]["tps_mean_change"].as_f64().unwrap() > 0.1, "{document}");
        let slow = ["recommend", "io-capacity-max-too-low", "--replications", "2", "--format", "json", "--quiet"];
        let document = json(&slow);
        assert_eq!(
            (&document["status"], &document["recommended"]["innodb_io_capacity_max"]),
            (&"keep".into(), &600.into())
        );
        assert_eq!(document["recommended"]["statements"], serde_json::json!([]));
        assert!(document["stressed"].as_array().unwrap().iter().all(|one| one["comes_through"] == true), "{document}");
    }
}
