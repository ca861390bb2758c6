//! `innosim compare`, on runs of seconds.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use crate::common::{SMALL, innosim, json, refused, stdout};
use serde_json::Value;
use std::fs;

const TWO: [&str; 8] =
    ["compare", SMALL, "--duration", "12s", "--variant", "as is:", "--variant", "more:innodb_redo_log_capacity=1G"];

#[test]
fn models_side_by_side() {
    let table =
        stdout(&["compare", SMALL, "--duration", "10s", "--model", "8.0.21", "--model", "8.0", "--model", "8.4"]);
    for model in ["mysql-8.0.21", "mysql-8.0.30", "mysql-8.4"] {
        assert!(table.lines().any(|line| line.starts_with(&format!("{model} ")) && line.contains('\u{b1}')), "{table}");
    }
    assert_eq!(table.matches("\n  difference").count(), 4, "{table}");
    assert!(table.contains("3 replications of 10 s"), "{table}");
    assert!(
        table.contains("mysql-8.0.21: innodb_redo_log_capacity is taken as innodb_log_file_size = 96M x 2"),
        "{table}"
    );
}

#[test]
fn json_has_means_intervals_and_paired_differences() {
    let document = json(&[&TWO[..], &["--format", "json", "--seed", "3"]].concat());
    assert_eq!(
        (&document["baseline"], &document["seed"], &document["replications"]),
        (&"as is".into(), &3.into(), &3.into())
    );
    let [first, second] = document["variants"].as_array().unwrap().as_slice() else { panic!("{document}") };
    assert!(first["differences"].is_null());
    assert_eq!(second["settings"][0], "innodb_redo_log_capacity=1G");
    for name in ["tps_mean", "tps_mean_ci95", "latency_ms_p99", "checkpoint_age_limit", "flushes_per_trx_ci95"] {
        assert!(second[name].is_number(), "{name}");
    }
    let difference = &second["differences"]["tps_mean"];
    let means = second["tps_mean"].as_f64().unwrap() - first["tps_mean"].as_f64().unwrap();
    assert!((difference["mean"].as_f64().unwrap() - means).abs() < 1e-3, "{difference}");
    assert!(difference["ci95"].as_f64().unwrap() > 0.0);
    assert_eq!(difference["significant"], difference["p_adjusted"].as_f64().unwrap() < 0.05);
}

#[test]
fn a_single_run_claims_no_interval() {
    let document = json(&[&TWO[..], &["--format", "json", "--replications", "1"]].concat());
    let difference = &document["variants"][1]["differences"]["tps_mean"];
    assert!(difference["mean"].is_number() && difference["ci95"].is_null(), "{difference}");
    assert_eq!(difference["significant"], false);
    let table = stdout(&[&TWO[..], &["--replications", "1"]].concat());
    assert!(!table.contains('\u{b1}') && table.contains("--replications 3"), "{table}");
}

#[test]
fn files_do_not_depend_on_the_number_of_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let run = |jobs: &str| {
        let out = folder.path().join(jobs);
        innosim(&[&TWO[..], &["--jobs", jobs, "--out", out.to_str().unwrap()]].concat()).success();
        let mut document: Value = serde_json::from_slice(&fs::read(out.join("compare.json")).unwrap()).unwrap();
        document.as_object_mut().unwrap().remove("wall_s");
        for variant in document["variants"].as_array_mut().unwrap() {
            variant.as_object_mut().unwrap().retain(|name, _| name != "wall_s" && name != "speed");
        }
        let files = ["compare.csv", "compare.svg", "compare.png", "as-is/series.csv", "more/series.csv"];
        let files = files.map(|name| fs::read(out.join(name)).unwrap());
        assert!(out.join("more/scenario.resolved.toml").is_file());
        (document, files)
    };
    let one = run("1");
    assert_eq!(one.1[0].iter().filter(|byte| **byte == b'\n').count(), 7, "a head and two variants of three runs");
    assert_ne!(one.1[3], one.1[4]);
    assert!(one == run("2"));
}

#[test]
fn a_variant_alone_runs_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    innosim(&[&TWO[..], &["--replications", "1", "--out", &path("both")]].concat()).success();
    let alone = ["run", SMALL, "--duration", "12s", "--set", "innodb_redo_log_capacity=1G", "--out", &path("alone")];
    innosim(&alone).success();
    assert_eq!(fs::read(path("both/more/series.csv")).unwrap(), fs::read(path("alone/series.csv")).unwrap());
}

#[test]
fn mistakes() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    for (name, arguments) in [
        ("unknown_model", &["--model", "8.0", "--model", "mysql-8.4x"][..]),
        ("one_variant_only", &["--variant", "more:innodb_redo_log_capacity=1G"]),
        ("no_label", &["--variant", "innodb_redo_log_capacity=1G", "--variant", "as is:"]),
        ("no_value", &["--variant", "as is:", "--variant", "more:innodb_redo_log_capacity"]),
        ("unknown_setting", &["--variant", "as is:", "--variant", "more:innodb_redo_log_capcity=1G,drive.client=3"]),
        ("not_in_that_model", &["--model", "8.0.21", "--model", "8.0", "--set", "innodb_redo_log_capacity=1G"]),
        ("two_lengths", &["--variant", "as is:", "--variant", "longer:duration=30s"]),
    ] {
        let tail = ["--out", out.to_str().unwrap()];
        let error = refused(&[&["compare", SMALL][..], arguments, &tail].concat(), 2);
        insta::assert_snapshot!(name, error);
        assert!(!out.exists(), "{name}: nothing half-written");
    }
    assert!(refused(&["compare", "no-such", "--model", "8.0", "--model", "8.4"], 2).contains("no shipped scenario"));
}

/// What an upgrade changes without a word in the option file, each change alone on the old version.
#[test]
fn an_upgrade_shows_what_changes_silently() {
    let upgrade = ["compare", SMALL, "--duration", "6s", "--replications", "1", "--as-upgraded", "--model", "8.0"];
    let document = json(&[&upgrade[..], &["--model", "8.4", "--format", "json"]].concat());
    let changes = document["changes_silently"].as_array().unwrap();
    let of = |name: &str| changes.iter().find(|change| change["setting"] == name).cloned().unwrap_or_default();
    let threads = of("innodb_purge_threads");
    assert_eq!((&threads["before"], &threads["after"]), (&"4".into(), &"1".into()));
    let alone = threads["alone"].as_str().unwrap();
    let variants = document["variants"].as_array().unwrap();
    let variant = variants.iter().find(|variant| variant["variant"] == alone).unwrap();
    assert_eq!((&variant["model"], &variant["settings"][0]), (&"mysql-8.0.30".into(), &alone.into()));
    assert_eq!(of("innodb_redo_log_capacity"), Value::Null, "what the scenario sets does not change");
    let table = stdout(&[&upgrade[..], &["--model", "8.4"]].concat());
    assert!(table.contains("changes silently") && table.contains("the whole upgrade"), "{table}");
    assert_eq!(
        table.matches("\n  difference").count(),
        2,
        "changes have no rows in the tables of the versions: {table}"
    );
    assert!(table.contains("mysql-8.0.30: Too short to tell: this load fills the redo log in "), "{table}");
    let refusal = refused(&["compare", SMALL, "--as-upgraded", "--model", "8.4"], 2);
    assert!(refusal.contains("--model 8.0 --model 8.4"), "{refusal}");
}

/// People upgrade with the option file that they have: what the new version no longer starts with heads the comparison.
#[test]
fn an_upgrade_of_an_old_option_file_says_what_the_new_version_does_not_start_with() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("my.cnf");
    let lines = "[mysqld]\ninnodb_buffer_pool_size=1G\nquery_cache_size=64M\ninnodb_file_format=Barracuda\nexpire_logs_days=7\n";
    std::fs::write(&file, lines).unwrap();
    let file = file.to_str().unwrap();
    let upgrade = ["compare", SMALL, "--duration", "3s", "--replications", "1", "--as-upgraded", "--my-cnf", file];
    let upgrade = [&upgrade[..], &["--model", "5.7", "--model", "8.0"]].concat();
    let document = json(&[&upgrade[..], &["--format", "json"]].concat());
    let removed = document["does_not_start_with"].as_array().unwrap();
    let named: Vec<_> =
        removed.iter().map(|row| (row["setting"].as_str().unwrap(), row["line"].as_u64().unwrap())).collect();
    assert_eq!(named, [("query_cache_size", 3), ("innodb_file_format", 4)]);
    assert_eq!((&removed[0]["model"], &removed[0]["value"]), (&"mysql-8.0.30".into(), &"64M".into()));
    let table = stdout(&upgrade);
    let head = "mysql-8.0.30 does not start with these lines of the option file; they are left out here:";
    assert_eq!(table.matches("does not start with").count(), 1, "{table}");
    assert!(table.find(head).unwrap() < table.find("changes silently").unwrap(), "{table}");
    assert!(table.contains("query_cache_size    64M        it exists until MySQL 5.7"), "{table}");
}
