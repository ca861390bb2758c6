//! `innosim calibrate` and `innosim validate`: files, tables, documents, what is refused.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use crate::common::{innosim, json, refused, stdout};
use std::fs;
use std::path::Path;

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
    assert!(table.contains("redo_bytes_per_transaction") && table.contains("sync_operations"), "{table}");
    assert!(table.contains("CPU demand:"), "300 transactions a second leave the machine idle: {table}");
    let summary = json(&["run", file, "--duration", "20s", "--format", "json"]);
    assert_eq!(summary["model"], "mysql-9.7");
}

/// Thirteen recordings of five servers, each predicted from what the counters of another one tell.
#[test]
fn loads_that_only_their_counters_tell_are_predicted_within_the_marks() {
    let servers =
        ["mariadb", "mysql56", "mysql57", "mysql80", "mysql8028"].map(|server| recording(&format!("../{server}")));
    let mut arguments = vec!["validate", "--unknown-load", "-q", "--format", "json"];
    arguments.extend(servers.iter().map(String::as_str));
    let validated = json(&arguments);
    let recordings = validated["recordings"].as_array().unwrap();
    let wrong: Vec<_> =
        recordings.iter().filter(|one| one["regime"]["observed"] != one["regime"]["predicted"]).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let overall = &validated["overall"];
    assert_eq!(overall["recordings"], 13);
    let figures = overall["median_absolute_error_or_share"].as_object().unwrap();
    let told: Vec<&String> = figures.iter().filter(|(_, figure)| figure["met"] == true).map(|(name, _)| name).collect();
    assert!(figures.values().all(|figure| figure["met"] != false), "{figures:?}");
    for name in
        ["checkpoint_age_mean", "pages_flushed_per_s_mean", "dirty_pages_mean", "redo_bytes_per_s", "regime_right"]
    {
        assert!(told.iter().any(|other| *other == name), "{name}: {figures:?}");
    }
}

/// Only what is refused is told where no scenario is long enough, so that this takes no time.
#[test]
fn tiers_take_no_recordings_and_refuse_short_runs() {
    let text = stdout(&["validate", "--tiers", "--duration", "100s"]);
    assert!(text.contains("are refused and run exactly"), "{text}");
    assert!(refused(&["validate", "--tiers", "recordings"], 2).contains("--tiers"));
    assert!(refused(&["validate"], 2).contains("RECORDING_OR_DIR"));
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
    let svg = fs::read_to_string(out.join("mysql97-low300-256-io200.svg")).unwrap();
    assert!(svg.contains("observed") && svg.contains("predicted") && !svg.contains("Latency"), "{}", svg.len());
    assert!(out.join("mysql97-low300-256-io200.png").is_file());
}

#[test]
fn a_fitted_device_is_taken_from_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let [device, scenario] = ["device.toml", "scenario.toml"].map(|name| folder.path().join(name));
    let fio = |name: &str| format!("{SHIPPED}/../fio/{name}.json");
    let jobs = ["raw-randread16k_qd1", "raw-randread16k_qd16", "raw-randwrite16k_qd1", "raw-randwrite16k_qd16"];
    let jobs = jobs.into_iter().chain(["raw-seqwrite1m_qd1", "raw-redo4k_buffered_fdatasync"]).map(fio);
    let (device, scenario) = (device.to_str().unwrap().to_owned(), scenario.to_str().unwrap().to_owned());
    let fit: Vec<String> =
        ["device".to_owned()].into_iter().chain(jobs).chain(["-o".to_owned(), device.clone()]).collect();
    stdout(&fit.iter().map(String::as_str).collect::<Vec<_>>());
    stdout(&["calibrate", &recording("wo-closed-256-ssdsmall"), "--device", &device, "-o", &scenario]);
    let text = fs::read_to_string(&scenario).unwrap();
    assert!(text.contains("[[device.at_depth]]") && text.contains("cap = { write_iops = 3000,"), "{text}");
    fs::write(&device, "[drive]\nclients = 3\n").unwrap();
    let problem =
        refused(&["calibrate", &recording("wo-closed-256-ssdsmall"), "--device", &device, "-o", &scenario], 2);
    assert!(problem.contains("innosim device"), "{problem}");
}

#[test]
fn recordings_of_one_name_are_told_apart_and_one_named_twice_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let copied = |place: &str| {
        let place = folder.path().join(place).join("mysql97/low300-256-io200");
        fs::create_dir_all(&place).unwrap();
        for name in ["series.csv.gz", "run.json"] {
            fs::copy(recording("low300-256-io200").clone() + "/" + name, place.join(name)).unwrap();
        }
        place.to_str().unwrap().to_owned()
    };
    let (one, two) = (copied("a"), copied("b"));
    let names = |paths: &[&str]| -> Vec<String> {
        let document = json(&[&["replay"], paths, &["--format", "json"]].concat());
        let recordings = document["recordings"].as_array().unwrap();
        recordings.iter().map(|recording| recording["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&[&one, &format!("{one}/../low300-256-io200")]), ["mysql97/low300-256-io200"]);
    assert_eq!(names(&[&one, &two]), [one.clone(), two.clone()]);
}

/// A copy of a shipped recording in `folder` whose run.json is edited; its path.
fn edited(folder: &Path, name: &str, edit: impl Fn(&mut serde_json::Value)) -> String {
    let place = folder.join(name);
    fs::create_dir(&place).unwrap();
    fs::copy(recording(name) + "/series.csv.gz", place.join("series.csv.gz")).unwrap();
    let run = fs::read_to_string(recording(name) + "/run.json").unwrap();
    let mut run: serde_json::Value = serde_json::from_str(&run).unwrap();
    edit(&mut run);
    fs::write(place.join("run.json"), run.to_string()).unwrap();
    place.to_str().unwrap().to_owned()
}

#[test]
fn a_closed_loop_is_told_to_rest_on_a_cpu_demand_that_nobody_knows() {
    let folder = tempfile::tempdir().unwrap();
    let (predicted, source) = (recording("wo-closed-256-ssdsmall"), "wo-closed-256-ssdsmall-nodw");
    for (cpus, said) in [(2, false), (200, true)] {
        let place = folder.path().join(cpus.to_string());
        fs::create_dir(&place).unwrap();
        let source = edited(&place, source, |run| run["cpus"] = cpus.into());
        let table = stdout(&["validate", &predicted, "--calibrate-on", &source]);
        assert_eq!(table.contains("does not tell the CPU demand"), said, "{table}");
    }
}

#[test]
fn a_recorded_setting_that_no_model_takes_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let deep = |run: &mut serde_json::Value| run["variables"]["innodb_lru_scan_depth"] = "deep".into();
    let place = edited(folder.path(), "low300-256-io200", deep);
    let file = folder.path().join("scenario.toml");
    let calibrate = ["calibrate", &place, "-o", file.to_str().unwrap()];
    let said = String::from_utf8(innosim(&calibrate).success().get_output().stderr.clone()).unwrap();
    assert!(said.contains("innodb_lru_scan_depth = deep: ") && said.contains("left at its default"), "{said}");
}

#[test]
fn mistakes_are_refused_and_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scenario.toml");
    let many = refused(&["calibrate", SHIPPED, "-o", file.to_str().unwrap()], 2);
    assert!(many.contains("are of different servers or loads"), "{many}");
    let many = refused(&["validate", &recording("low300-256-io200"), "--calibrate-on", SHIPPED], 2);
    assert!(many.contains("holds more than one recording"), "it took the last of them: {many}");
    let device = ["calibrate", &recording("low300-256-io200"), "--device", "floppy", "-o", file.to_str().unwrap()];
    let unknown = refused(&device, 2);
    assert!(unknown.starts_with("error: --device floppy: there is no such profile or file"), "{unknown}");
    assert!(unknown.contains("lab-virtual-disk") && unknown.contains("nvme"), "{unknown}");
    let place = folder.path().join("recording");
    fs::create_dir(&place).unwrap();
    for name in ["mysqladmin.txt", "variables.txt"] {
        let from = concat!(env!("CARGO_MANIFEST_DIR"), "/../recordings/tests/formats");
        fs::copy(std::path::Path::new(from).join(name), place.join(name)).unwrap();
    }
    fs::write(place.join("run.sh"), "sysbench oltp_insert --tables=0 --table-size=0 --threads=0 run\n").unwrap();
    let zero = refused(&["calibrate", place.to_str().unwrap(), "-o", file.to_str().unwrap()], 2);
    assert!(zero.contains("`--tables=0`") && zero.matches("error:").count() == 1, "{zero}");
    assert!(!file.exists());
    innosim(&["validate", "no/such/place"]).code(2);
}

/// The intervals that are stated, and how often they held.
#[test]
fn intervals_are_held_against_other_samples() {
    let text = stdout(&["validate", &format!("{SHIPPED}/../mysql56"), "--intervals", "-q"]);
    let rows: Vec<&str> = text.split("How often stated intervals held").nth(1).unwrap().lines().collect();
    let row =
        |begins: &str| rows.iter().find(|row| row.starts_with(begins)).unwrap_or_else(|| panic!("{begins}: {text}"));
    assert!(row("redo a transaction  ").contains("the second half"), "{text}");
    assert!(row("prediction: checkpoint age").contains("errors of the other servers"), "{text}");
    assert!(row("checkpoint age").contains("3  19 predictions tell"), "three recordings tell no model error: {text}");
}
