//! `innosim reproduce`, on runs much shorter than the published ones.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use crate::common::{innosim, json, refused, text};
use std::fs;

const SHORT: [&str; 4] = ["reproduce", "percona-2020-08/7000-bpi", "--duration", "12s"];

#[test]
fn rows_files_and_strictness() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let assert = innosim(&[&SHORT[..], &["--out", out.to_str().unwrap(), "--strict"]].concat()).code(1);
    let table = text(&assert.get_output().stdout);
    assert!(table.contains("Published: More on Checkpoints in InnoDB MySQL 8"), "{table}");
    assert!(table.lines().any(|line| line.starts_with("7000-bpi32 ")), "{table}");
    assert!(table.contains("not as long as the published ones"), "{table}");
    for file in ["series.csv", "summary.json", "scenario.resolved.toml", "dashboard.svg", "dashboard.png"] {
        assert!(out.join("7000-bpi32").join(file).is_file(), "{file}");
    }
    let document: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(out.join("reproduce.json")).unwrap()).unwrap();
    assert_eq!(document["runs"][0]["published"]["checkpoint_age_gib"], 13.66);
    assert_eq!(document["passed"], false);
}

#[test]
fn json_is_one_document() {
    let document = json(&[&SHORT[..], &["--format", "json", "--seed", "9"]].concat());
    let run = &document["runs"][0];
    assert_eq!((&run["run"], &run["seed"]), (&"7000-bpi32".into(), &9.into()));
    assert!(run["simulated"]["tps_10s_median_mean"].as_f64().unwrap() > 0.0);
    assert!(document["order"]["rank_correlation"].is_null());
}

/// A run that may end at rest begins with a full buffer pool, and says so in its recipe; one with published waves as it was.
#[test]
fn until_rest_fills_the_pool_of_smooth_runs() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let arguments =
        ["reproduce", "percona-2020-08/", "--duration", "11s", "--until-rest", "--out", out.to_str().unwrap()];
    innosim(&arguments).success();
    let resolved = |name: &str| fs::read_to_string(out.join(name).join("scenario.resolved.toml")).unwrap();
    assert!(resolved("7000-bpi32").contains("resident_share = 1"), "{}", resolved("7000-bpi32"));
    assert!(resolved("wave-2000-4000").contains("resident_share = 0"), "{}", resolved("wave-2000-4000"));
    let document: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(out.join("reproduce.json")).unwrap()).unwrap();
    let names: Vec<&str> = document["runs"].as_array().unwrap().iter().filter_map(|run| run["run"].as_str()).collect();
    assert_eq!(
        (names.len(), names[0], document["until_rest"].as_bool()),
        (9, "wave-2000-4000", Some(true)),
        "{names:?}"
    );
    assert_eq!(document["runs"][0]["ended"], "planned");
    // Two rows tell of the same run (what the adaptive hash index costs is not known here), which is made once.
    assert_eq!((&document["runs_made"], &document["simulated_s"]), (&8.into(), &88.0.into()));
    let series = |name: &str| fs::read_to_string(out.join(name).join("series.csv")).unwrap();
    assert_eq!(series("7000-dblwr128-ahi-on-bpi8"), series("7000-dblwr128-bpi8"));
    assert_ne!(series("7000-dblwr128-bpi8"), series("7000-bpi32"));
}

#[test]
fn a_folder_without_published_figures_is_refused() {
    let error = refused(&["reproduce", "teaching"], 2);
    assert!(error.contains("there are some in percona-2020-08"), "{error}");
}

/// A series runs to its JSON, in runs much shorter than the published ones.
fn runs_and_has(series: &str, run: &str, figure: &str, more: &[&str]) {
    let series = ["reproduce", "--series", series, "--duration", "3s", "--format", "json"];
    let document = json(&[&series, more].concat());
    let runs = document["runs"].as_array().unwrap();
    let one = runs.iter().find(|one| one["run"] == run).unwrap_or_else(|| panic!("{document}"));
    assert!(one["published"][figure].as_f64().unwrap() > 0.0, "{one}");
    assert!(one["simulated"][figure].as_f64().unwrap() > 0.0, "{one}");
    assert!(one["errors"][figure].is_number(), "{one}");
}

#[test]
fn series_of_other_years_run() {
    let folder = tempfile::tempdir().unwrap();
    let (recorded, out) = (folder.path().join("recorded"), folder.path().join("out"));
    fs::create_dir(&recorded).unwrap();
    fs::write(recorded.join("mysql-5.5.29-64.csv"), "second,tps,latency_ms_p95\n1,4000,9.5\n2,4100,9.4\n").unwrap();
    let pictures = ["--out", out.to_str().unwrap(), "--recorded", recorded.to_str().unwrap()];
    runs_and_has("mariadb-2013", "mysql-5.5.29-64", "written_mb_per_s", &pictures);
    let picture = fs::read_to_string(out.join("mysql-5.5.29-64.svg")).unwrap();
    let names = ["recorded", "simulated"].map(|name| picture.find(name).expect(name));
    assert!(names.is_sorted(), "what was recorded comes first, as in the pictures of `validate`");
    assert!(!out.join("mysql-5.5.29-256.svg").exists(), "neither a course nor a mean to draw");
    runs_and_has("percona-2020-07", "mysql-25g-nvme-io5000", "tps", &["--only", "mysql-25g"]);
}

#[test]
fn a_folder_without_a_recorded_course_is_refused_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let (empty, out) = (folder.path(), folder.path().join("out"));
    let recorded = |path: &str| {
        refused(&["reproduce", "--series", "mariadb-2013", "--recorded", path, "--out", out.to_str().unwrap()], 2)
    };
    let error = recorded(empty.to_str().unwrap());
    assert!(
        error.contains("holds the course of no run") && error.contains("such as mariadb-5.5.28a-64.csv"),
        "{error}"
    );
    fs::write(empty.join("mysql-5.5.29-64.csv"), "no recording").unwrap();
    assert!(recorded(empty.to_str().unwrap()).contains("mysql-5.5.29-64.csv"));
    assert!(!out.exists(), "nothing is left");
}

#[test]
fn series_are_listed_and_an_unknown_one_is_refused() {
    let list = text(&innosim(&["reproduce", "--list"]).success().get_output().stdout);
    for name in ["percona-2020 ", "percona-2026-counters", "percona-2020-07", "mariadb-2013"] {
        assert!(list.contains(name), "{list}");
    }
    let error = refused(&["reproduce", "--series", "percona-1999"], 2);
    assert!(error.contains("not a series") && error.contains("mariadb-2013"), "{error}");
    let error = refused(&["reproduce", "--series", "mariadb-2013", "--until-rest"], 2);
    assert!(error.contains("--until-rest") && error.contains("leave it out"), "{error}");
}

#[test]
fn a_series_can_be_made_in_part() {
    let part = ["reproduce", "--series", "mariadb-2013", "--duration", "3s", "--only", "mysql-5.5.29-1"];
    let document = json(&[&part[..], &["--only", "mariadb", "--format", "json"]].concat());
    let names: Vec<&str> = document["runs"].as_array().unwrap().iter().filter_map(|run| run["run"].as_str()).collect();
    assert_eq!(names, ["mariadb-5.5.28a-64", "mariadb-5.5.28a-256", "mysql-5.5.29-16"]);
    assert_eq!(document["passed"], serde_json::Value::Null, "marks are of whole series");
    assert!(text(&innosim(&part).success().get_output().stdout).contains("1 of the 8 runs of mariadb-2013"));
    let error = refused(&["reproduce", "--series", "mariadb-2013", "--only", "mysql-9"], 2);
    assert!(error.contains("--only mysql-9") && error.contains("mysql-5.5.29-64"), "{error}");
}

mod long {
    /// Its pools of 32 GiB take their time to fill.
    #[test]
    #[ignore = "long: .ci/run long"]
    fn the_series_of_counters_runs() {
        super::runs_and_has("percona-2026-counters", "mysql-9.7.0-32g-64", "checkpoint_age_gb", &[]);
    }
}
