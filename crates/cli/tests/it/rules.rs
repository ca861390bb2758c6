//! Rules from files, end to end: what they change, how they travel, and how bad ones end.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use crate::common::json;
use std::fs;
use std::path::Path;

const SCENARIO: &str = r#"
model = "mysql-8.0.30"
duration = "8s"
warmup = "2s"

[server]
innodb_buffer_pool_size = "256M"
innodb_redo_log_capacity = "100M"
innodb_io_capacity = 2000
innodb_io_capacity_max = 4000

[host]
cores = 2

[device]
profile = "sata-ssd-s4510"

[workload]
kind = "sysbench-oltp-update-non-index"
tables = 1
table_size = 500000

[drive]
kind = "closed"
clients = 2
"#;

const RATE: &str = "// A rate.\nparam(\"pages\", 500, 0, 5000, \"pages a second\");\n\
                    fn pass(see, set) { min(see.dirty_pages, set.pages) }\n";

/// A folder with the scenario and a rule.
fn folder(rule: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("s.toml"), SCENARIO).unwrap();
    fs::write(folder.path().join("rate.rhai"), rule).unwrap();
    folder
}

/// Exit code, standard output and standard error in a folder.
fn ran(at: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = assert_cmd::cargo::cargo_bin_cmd!("innosim").current_dir(at).args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_rule_decides_and_runs_again_to_the_same_bytes_without_its_file() {
    let folder = folder(RATE);
    let at = folder.path();
    let set = ["run", "s.toml", "--rule", "rate.rhai", "--set", "rule.pages=700", "--quiet", "--out", "a"];
    let (code, _, error) = ran(at, &set);
    assert_eq!((code, error.as_str()), (0, ""));
    let series = fs::read_to_string(at.join("a/series.csv")).unwrap();
    let head: Vec<&str> = series.lines().next().unwrap().split(',').collect();
    let column = head.iter().position(|name| *name == "buffer_flush_n_to_flush_requested").unwrap();
    let requested: Vec<&str> = series.lines().skip(3).map(|row| row.split(',').nth(column).unwrap()).collect();
    assert!(requested.iter().all(|pages| *pages == "700"), "{requested:?}");
    // The file is gone; what was resolved holds it.
    fs::remove_file(at.join("rate.rhai")).unwrap();
    let (code, _, error) = ran(at, &["run", "a/scenario.resolved.toml", "--quiet", "--out", "b"]);
    assert_eq!((code, error.as_str()), (0, ""));
    for file in ["series.csv", "scenario.resolved.toml"] {
        assert_eq!(fs::read(at.join("a").join(file)).unwrap(), fs::read(at.join("b").join(file)).unwrap(), "{file}");
    }
}

#[test]
fn a_scenario_names_its_rule_and_an_upper_layer_another_one() {
    let folder = folder(RATE);
    let at = folder.path();
    fs::create_dir(at.join("sub")).unwrap();
    fs::write(at.join("sub/base.toml"), format!("rule = \"../rate.rhai\"\n{SCENARIO}")).unwrap();
    fs::write(at.join("over.toml"), "extends = \"sub/base.toml\"\n[rule]\npages = 900\n").unwrap();
    let resolved = |arguments: &[&str]| {
        let (code, _, error) = ran(at, &[&["run"], arguments, &["--duration", "2s", "--quiet", "--out", "o"]].concat());
        assert_eq!((code, error.as_str()), (0, ""));
        fs::read_to_string(at.join("o/scenario.resolved.toml")).unwrap()
    };
    assert!(resolved(&["over.toml"]).contains("\npages = 900.0\n"));
    assert!(resolved(&["over.toml", "--set", "rule.pages=40"]).contains("\npages = 40.0\n"));
    let other = resolved(&["over.toml", "--rule", "pi-age"]);
    assert!(other.contains("file = \"pi-age\"") && !other.contains("pages = 900"), "{other}");
    assert!(!resolved(&["over.toml", "--rule", "server"]).contains("[rule]"));
}

#[test]
fn mistakes_are_told_with_their_place() {
    let folder = folder("fn pass(see, set) {\n  see.age +\n}\n");
    let at = folder.path();
    let error = |arguments: &[&str]| {
        let (code, out, error) = ran(at, &[&["run", "s.toml", "--quiet"], arguments].concat());
        assert_eq!((code, out.as_str()), (2, ""), "{error}");
        error
    };
    insta::assert_snapshot!("syntax", error(&["--rule", "rate.rhai"]));
    insta::assert_snapshot!("no_such_rule", error(&["--rule", "hold-agge"]));
    let model = |name| ["--rule", "hold-age", "--model", name];
    for (arguments, words) in [
        (&["--rule", "hold-age", "--set", "rule.targett=0.5"][..], "did you mean target?"),
        (&["--rule", "hold-age", "--set", "rule.target=1.5"], "allowed: a number from 0.05 to 0.98; default 0.85"),
        (&model("5.5"), "mysql-5.5 takes no flushing rule of another kind"),
        (&["--set", "rule.target=0.5"], "`rule` has values, and no rule that they are for"),
        (&["--rule", "mdev-31939"], "mysql-8.0.30 never had the mistake mdev-31939"),
    ] {
        let text = error(arguments);
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn a_rule_that_goes_wrong_ends_its_runs_and_no_other() {
    let folder = folder("fn pass(see, set) {\n  if see.now > 3.5 { loop {} }\n  100\n}\n");
    let at = folder.path();
    let (code, out, error) = ran(at, &["run", "s.toml", "--rule", "rate.rhai", "--quiet", "--out", "o"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(!at.join("o").exists(), "nothing is left");
    assert!(error.contains("rate.rhai:1: more than 200000 operations in one call: an endless loop?"), "{error}");
    assert!(error.starts_with("error: s, seed 1, replication 0: at 4.") && error.contains("it saw: age "), "{error}");
    let (code, out, error) =
        ran(at, &["compare", "s.toml", "--rule", "pi-age", "--rule", "rate.rhai", "--replications", "2", "--quiet"]);
    assert_eq!(code, 2);
    assert!(out.contains("pi-age") && out.contains("server's own rule"), "{out}");
    assert!(
        error.contains("variant `rate`: s, seed 1, replication 0: at 4") && error.contains("rate.rhai:1"),
        "{error}"
    );
    let sweep = ["sweep", "s.toml", "--vary", "rule=pi-age,rate.rhai", "--quiet", "--out", "w"];
    let (code, _, error) = ran(at, &sweep);
    assert_eq!(code, 2);
    assert!(error.contains("1 of 2 runs failed, the others are kept") && error.contains("rate.rhai:1"), "{error}");
    assert_eq!(fs::read_to_string(at.join("w/runs.csv")).unwrap().lines().count(), 2);
}

#[test]
fn parameters_are_swept_like_settings() {
    let folder = folder(RATE);
    let at = folder.path();
    let sweep =
        ["sweep", "s.toml", "--rule", "rate.rhai", "--vary", "rule.pages=200..600:200", "--quiet", "--out", "w"];
    let (code, _, error) = ran(at, &sweep);
    assert_eq!((code, error.as_str()), (0, ""), "{error}");
    let runs = fs::read_to_string(at.join("w/runs.csv")).unwrap();
    assert!(runs.lines().next().unwrap().contains("rule.pages"), "{runs}");
    assert_eq!(runs.lines().count(), 4);
    let (code, _, error) =
        ran(at, &["sweep", "s.toml", "--rule", "rate.rhai", "--vary", "rule.pages=1,9e9", "--out", "x"]);
    assert_eq!(code, 2);
    assert!(error.contains("allowed: a number from 0 to 5000; default 500"), "{error}");
}

#[test]
fn every_server_from_5_6_takes_a_rule() {
    let folder = folder(RATE);
    let file = folder.path().join("s.toml");
    let rule = folder.path().join("rate.rhai");
    for model in ["5.6", "5.7", "mysql-8.0.21", "mysql-8.0.27", "percona-8.0", "9.7", "mariadb-10.11"] {
        let arguments = ["run", file.to_str().unwrap(), "--rule", rule.to_str().unwrap(), "--model", model];
        // MariaDB's page cleaner asks nobody from rest without a low-water mark of dirty pages, which is its default.
        let marks = if model.starts_with("maria") {
            ["innodb_adaptive_flushing_lwm=0", "innodb_max_dirty_pages_pct_lwm=0.001"]
        } else {
            ["innodb_adaptive_flushing=ON", "innodb_adaptive_flushing_lwm=10"]
        };
        let marks = ["--set", marks[0], "--set", marks[1]];
        let summary = json(&[&arguments[..], &marks, &["--check", "--quiet", "--format", "json"]].concat());
        let pages = summary["pages_flushed_adaptive"].as_f64().unwrap() / 6.0;
        assert!((400.0..=520.0).contains(&pages), "{model}: {pages} pages a second, {summary}");
    }
}

#[test]
fn rules_with_names_are_listed_and_printed() {
    let folder = tempfile::tempdir().unwrap();
    let (code, out, _) = ran(folder.path(), &["rules"]);
    assert_eq!(code, 0);
    insta::assert_snapshot!("rules", out);
    let (code, out, _) = ran(folder.path(), &["rules", "fixed-rate"]);
    assert!(code == 0 && out.contains("fn pass(see, set)"), "{out}");
    fs::write(folder.path().join("copy.rhai"), out).unwrap();
    fs::write(folder.path().join("s.toml"), SCENARIO).unwrap();
    let (code, _, error) = ran(folder.path(), &["run", "s.toml", "--rule", "copy.rhai", "--duration", "3s", "--quiet"]);
    assert_eq!((code, error.as_str()), (0, ""));
}

#[test]
fn the_bench_ranks_rules_and_keeps_the_others_when_one_fails() {
    let folder = folder("fn pass(see, set) {\n  if see.now > 3.5 { -1 } else { 100 }\n}\n");
    let at = folder.path();
    let bench = ["bench-rules", "--quick", "--only", "--rule", "hold-age", "--rule", "rate.rhai", "--quiet"];
    let (code, out, error) = ran(at, &[&bench[..], &["--format", "json", "--out", "b"]].concat());
    assert_eq!(code, 2, "{error}");
    assert!(error.contains("1 of 3 rules failed") && error.contains("rate.rhai:1: `pages` is -1"), "{error}");
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    let names: Vec<&str> = document["rules"].as_array().unwrap().iter().map(|r| r["name"].as_str().unwrap()).collect();
    assert_eq!((names.len(), names[2]), (3, "rate"));
    let scores = document["scores"].as_array().unwrap();
    assert_eq!(scores.len(), 3 * document["suite"]["cases"].as_array().unwrap().len());
    for score in scores.iter().filter(|score| score["rule"] != "rate") {
        let figure = |name: &str| score[name].as_f64().unwrap_or_else(|| panic!("{name} of {score}"));
        assert!(figure("tps") > 0.0 && figure("tps_kept_on_slower_device") > 0.3, "{score}");
        assert!(score.get("distance_to_bound").is_none(), "so short a run forces no write: {score}");
    }
    assert_eq!(fs::read_to_string(at.join("b/bench-rules.json")).unwrap(), out);
    let page = fs::read_to_string(at.join("b/bench-rules.html")).unwrap();
    assert!(page.contains("hold-age") && !page.contains("<script"), "no network and no script");
    let markdown = fs::read_to_string(at.join("b/bench-rules.md")).unwrap();
    assert!(markdown.starts_with("### Where each rule stands\n\n| rule | throughput | worst case |"), "{markdown}");
    assert!(markdown.lines().filter(|line| line.starts_with("| hold-age | ")).count() == 13, "{markdown}");
}

#[test]
fn the_bench_gives_the_same_bytes_for_any_number_of_threads() {
    let folder = folder(RATE);
    let bench = |jobs| {
        let arguments = ["bench-rules", "--quick", "--only", "--rule", "hold-age", "--format", "json", "--quiet"];
        let (code, out, error) = ran(folder.path(), &[&arguments[..], &["--jobs", jobs]].concat());
        assert_eq!((code, error.as_str()), (0, ""));
        out
    };
    assert_eq!(bench("1"), bench("2"));
}
