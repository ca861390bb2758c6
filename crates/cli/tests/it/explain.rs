//! `innosim explain`: scenarios, results of runs, recordings, mistakes.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use crate::common::{json, refused, stdout};
use serde_json::Value;
use std::fs;

const RECORDINGS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../recordings");

fn events(document: &Value) -> &Vec<Value> {
    document["events"].as_array().unwrap()
}

fn all<'a>(document: &'a Value, what: &str) -> Vec<&'a Value> {
    events(document).iter().filter(|event| event["what"] == what).collect()
}

#[test]
fn a_shipped_scenario_reads_well() {
    let text = stdout(&["explain", "redo-too-small", "--quiet"]);
    assert!(text.starts_with("Redo log too small on mysql-8.0.30: what happened, since the load began\n\n"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let flowing = text.split_whitespace().collect::<Vec<_>>().join(" ");
    // Figures of a run move with the simulator; what happens in it does not.
    for part in [
        "0 s The load starts with 32 threads; no page is dirty.",
        "The checkpoint age reaches the async limit (log_max_modified_age_async), 149 MiB; ",
        "The checkpoint age reaches the sync limit (log_max_modified_age_sync), 160 MiB; ",
        "Sync flushing runs in ",
        "User threads wait for a younger checkpoint: ",
        "- Regime over the ",
        "- To look at: innodb_redo_log_capacity (192 MiB now, try 384 MiB): the age met its limit; ",
    ] {
        assert!(flowing.contains(part), "{part}: {text}");
    }
}

/// As `run` says it, of the scenario and of what a run left.
#[test]
fn too_short_a_run_has_no_regime() {
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().to_str().unwrap();
    let short = ["redo-too-small", "--duration", "5s", "--quiet"];
    stdout(&[&["run", "-o", folder], &short[..]].concat());
    for text in [stdout(&[&["explain"], &short[..]].concat()), stdout(&["explain", folder])] {
        assert!(
            text.contains("Too short to tell: this load fills the redo log in ") && !text.contains("Regime"),
            "{text}"
        );
    }
    let document = json(&["explain", folder, "--format", "json"]);
    assert!(document["too_short"].is_string() && all(&document, "regime_of_all").is_empty(), "{document:#}");
}

#[test]
fn a_ceiling_is_named() {
    let document = json(&["explain", "io-capacity-max-too-low", "--format", "json", "--quiet"]);
    // Flushing was at the setting when the age met its limit, and raising it is what is pointed to.
    let sync = all(&document, "sync_flushing");
    assert!(sync[0]["figures"]["seconds"].as_f64() > Some(100.0), "{document:#}");
    let first = all(&document, "would_change")[0];
    assert_eq!(
        (&first["figures"]["setting"], &first["figures"]["value"]),
        (&"innodb_io_capacity_max".into(), &900.into())
    );
    for event in events(&document) {
        assert!(event["at_s"].is_number() && event["what"].is_string() && event["figures"].is_object(), "{event}");
    }
    assert!(document["sentences"].as_array().unwrap().len() > 4);
}

#[test]
fn what_is_tried_says_what_came_of_it() {
    let document =
        json(&["explain", "io-capacity-max-too-low", "--duration", "120s", "--try", "--format", "json", "--quiet"]);
    let tried = all(&document, "tried");
    let pointed = all(&document, "would_change");
    assert_eq!(tried.len(), pointed.len(), "{document:#}");
    for (tried, pointed) in tried.iter().zip(&pointed) {
        assert_eq!(tried["figures"]["setting"], pointed["figures"]["setting"]);
        assert_eq!(tried["figures"]["value"], pointed["figures"]["value"]);
        assert!(tried["figures"]["tps"][1].as_f64() > Some(0.0));
    }
}

#[test]
fn a_result_tells_what_its_run_did() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let out = out.to_str().unwrap();
    let table = stdout(&["run", "redo-too-small", "--duration", "60s", "--quiet", "--out", out]);
    assert!(table.contains("\nWhat happened (innosim explain tells all)\n"), "{table}");
    let strip = |mut document: Value| {
        // Processors are not in the folder.
        document["events"].as_array_mut().unwrap().retain(|event| event["what"] != "busy");
        document["events"].take()
    };
    let of_run = json(&["explain", "redo-too-small", "--duration", "60s", "--format", "json", "--quiet"]);
    let of_result = json(&["explain", out, "--format", "json", "--quiet"]);
    assert_eq!(of_result["kind"], "result");
    assert_eq!(strip(of_result), strip(of_run));
    // A series that somebody cut is refused with its line.
    let series = folder.path().join("out/series.csv");
    let text = fs::read_to_string(&series).unwrap();
    fs::write(&series, text.replacen("\n7,", "\nseven,", 1)).unwrap();
    assert!(refused(&["explain", out], 2).contains("series.csv, line 8: `second` is `seven`"));
    assert!(refused(&["explain", out, "--set", "seed=2"], 2).contains("--set changes a scenario"));
}

#[test]
fn recordings_are_told_too() {
    for name in ["mariadb/uni4k-256-io2000", "mysql56/uni4k-256-io500", "mysql80/step-192-io1000"] {
        let text = stdout(&["explain", &format!("{RECORDINGS}/{name}"), "--quiet"]);
        insta::assert_snapshot!(name.replace('/', "_"), text);
    }
}

#[test]
fn mistakes_name_the_way_out() {
    assert!(refused(&["explain", "redo-too-smal"], 2).contains("did you mean"));
    let several = refused(&["explain", &format!("{RECORDINGS}/mariadb")], 2);
    assert!(several.contains("holds 4 recordings") && several.contains("give one of them"), "{several}");
    let recording = format!("{RECORDINGS}/mariadb/uni4k-256-io2000");
    assert!(refused(&["explain", &recording, "--try"], 2).contains("innosim calibrate"));
    assert!(refused(&["explain", &recording, "--duration", "5s"], 2).contains("--duration changes a scenario"));
    let compared = tempfile::tempdir().unwrap();
    for variant in ["a", "b"] {
        fs::create_dir(compared.path().join(variant)).unwrap();
        for file in ["series.csv", "scenario.resolved.toml"] {
            fs::write(compared.path().join(variant).join(file), "").unwrap();
        }
    }
    assert!(refused(&["explain", compared.path().to_str().unwrap()], 2).contains("holds the results of 2 runs"));
    let empty = tempfile::tempdir().unwrap();
    assert!(refused(&["explain", empty.path().to_str().unwrap()], 2).contains("there is no recording here"));
}
