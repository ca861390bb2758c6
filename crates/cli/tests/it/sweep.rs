//! `innosim sweep` and `innosim merge`: the same bytes whatever happens on the way.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use crate::common::{innosim, json, refused, signal, stdout, text};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// A scenario whose runs take a moment.
const TINY: &str = "extends = \"redo-too-small\"\n[workload]\ntables = 1\ntable_size = 60000\n[server]\n\
                    innodb_buffer_pool_size = \"128M\"\ninnodb_buffer_pool_instances = 1\n";

/// A folder with the scenario in it.
struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Desk {
        let desk = Desk(tempfile::tempdir().unwrap());
        fs::write(desk.path("tiny.toml"), TINY).unwrap();
        desk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A sweep of two settings, with results in the folder `out`.
    fn sweep(&self, out: &str, more: &[&str]) -> Vec<String> {
        let mut arguments: Vec<String> = vec!["sweep".into(), self.path("tiny.toml").display().to_string()];
        arguments.extend(
            ["--vary", "innodb_io_capacity_max=4000..8000:1000", "--vary", "drive.clients=4,8"].map(String::from),
        );
        arguments.extend(["--duration", "4s", "--quiet", "--out"].map(String::from));
        arguments.push(self.path(out).display().to_string());
        arguments.extend(more.iter().map(|text| (*text).to_owned()));
        if !more.contains(&"--replications") {
            arguments.extend(["--replications", "2"].map(String::from));
        }
        arguments
    }

    fn run(&self, out: &str, more: &[&str]) -> BTreeMap<String, Vec<u8>> {
        innosim(&borrowed(&self.sweep(out, more))).success();
        bytes_in(&self.path(out))
    }
}

fn borrowed(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

/// Every file of a folder.
fn bytes_in(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(path).unwrap())).collect()
}

fn assert_same(a: &BTreeMap<String, Vec<u8>>, b: &BTreeMap<String, Vec<u8>>) {
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    for (name, bytes) in a {
        assert!(bytes == &b[name], "{name} differs");
    }
}

#[test]
fn the_same_bytes_for_any_number_of_jobs_and_for_shards_merged() {
    let desk = Desk::new();
    let whole = desk.run("whole", &["--jobs", "1"]);
    let names: Vec<&str> = whole.keys().map(String::as_str).collect();
    for name in
        ["runs.csv", "points.csv", "report.html", "curves.svg", "curves.png", "heatmap.svg", "series.png", "sweep.json"]
    {
        assert!(names.contains(&name), "{names:?}");
    }
    assert_same(&whole, &desk.run("two", &["--jobs", "2"]));
    let mut merge = vec!["merge".to_owned()];
    for k in 1..=5 {
        let out = format!("part{k}");
        let part = desk.run(&out, &["--shard", &format!("{k}/5")]);
        assert_eq!(rows(&part["runs.csv"]), 4);
        merge.push(desk.path(&out).display().to_string());
    }
    merge.extend(["--quiet".to_owned(), "--out".to_owned(), desk.path("merged").display().to_string()]);
    innosim(&borrowed(&merge)).success();
    assert_same(&whole, &bytes_in(&desk.path("merged")));
}

/// The same load at a rate at which the redo log turns in minutes, so that runs come to rest.
#[test]
fn until_rest_runs_end_early_to_the_same_bytes_and_are_not_mixed_with_whole_ones() {
    let desk = Desk::new();
    let light =
        format!("{TINY}innodb_redo_log_capacity = \"192M\"\n[drive]\nkind = \"open\"\nclients = 8\nrate = 200\n");
    fs::write(desk.path("tiny.toml"), light.replace("[server]", "[server]\ninnodb_io_capacity = 400")).unwrap();
    let with = |out: &str, more: &[&str]| -> Vec<String> {
        let long = |a: &String| if a == "4s" { "500s".to_owned() } else { a.replace("clients=4,8", "clients=8") };
        desk.sweep(out, more).iter().map(long).collect()
    };
    let made = |out: &str, more: &[&str]| {
        innosim(&borrowed(&with(out, more))).success();
        bytes_in(&desk.path(out))
    };
    let one = made("one", &["--until-rest", "--jobs", "1"]);
    assert_same(&one, &made("two", &["--until-rest", "--jobs", "2"]));
    let csv = text(&one["runs.csv"]);
    assert!(csv.lines().next().unwrap().ends_with(",ended"), "{csv}");
    assert!(csv.lines().skip(1).all(|line| line.ends_with(",at_rest")), "{csv}");
    let result = json(&borrowed(&with("one", &["--until-rest", "--format", "json"])));
    assert_eq!((result["runs_reused"].as_u64(), result["ended_early"]["at_rest"].as_u64()), (Some(10), Some(10)));
    assert!(result["points"][0]["simulated_s"].as_f64().unwrap() < 400.0, "{}", result["points"][0]);
    let error = refused(&borrowed(&with("one", &[])), 2);
    assert!(error.contains("its options: --duration 500s --until-rest=0.1; of this one: --duration 500s"), "{error}");
    assert_same(&one, &bytes_in(&desk.path("one")));
    let error = refused(&borrowed(&with("one", &["--until-rest", "--warm-copies"])), 2);
    assert!(error.contains("--until-rest=0.1; of this one: --duration 500s --until-rest=0.1 --warm-copies"), "{error}");
    let error = refused(&borrowed(&with("none", &["--warm-copies"])), 2);
    assert!(error.contains("--warm-copies without --until-rest") && error.contains("add --until-rest"), "{error}");

    // At a rate at which runs take long enough beside a turn of the redo log.
    let warm = ["--until-rest", "--warm-copies", "--set", "drive.rate=1000"];
    let copies = made("copies", &[&warm[..], &["--jobs", "1"]].concat());
    assert_same(&copies, &made("copies two", &[&warm[..], &["--jobs", "2"]].concat()));
    let mut merge = vec!["merge".to_owned()];
    for k in 1..=3 {
        let part = format!("copies {k}");
        made(&part, &[&warm[..], &["--shard", &format!("{k}/3")]].concat());
        merge.push(desk.path(&part).display().to_string());
    }
    merge.extend(["--quiet".to_owned(), "--out".to_owned(), desk.path("copies merged").display().to_string()]);
    innosim(&borrowed(&merge)).success();
    assert_same(&copies, &bytes_in(&desk.path("copies merged")));
    let csv = text(&copies["runs.csv"]);
    assert!(csv.lines().next().unwrap().ends_with(",warm_s,same_as,ended"), "{csv}");
    let warm_s = |line: &str| -> u64 { line.rsplit(',').nth(2).unwrap().parse().unwrap() };
    assert!(csv.lines().skip(1).all(|line| warm_s(line) >= 120), "{csv}");
}

/// A sweep in the coarse tier, of the published server with all pages in memory.
fn coarse(desk: &Desk, out: &str, more: &[&str]) -> Vec<String> {
    let fixed =
        ["sweep", "7000-bpi32", "--set", "workload.resident_share=1", "--set", "warmup=100s", "--duration", "300s"];
    let mut all: Vec<String> = fixed.iter().chain(more).map(|text| (*text).to_owned()).collect();
    all.extend(["--quiet".to_owned(), "--out".to_owned(), desk.path(out).display().to_string()]);
    all
}

/// What windows tell is shared, and what comes of it does not depend on who is first.
#[test]
fn the_coarse_tier_gives_the_same_bytes_for_any_number_of_jobs() {
    let desk = Desk::new();
    let made = |out: &str, jobs: &str| {
        let vary = ["--vary", "innodb_io_capacity_max=7000..8000:1000", "--tier", "flow", "--jobs", jobs];
        innosim(&borrowed(&coarse(&desk, out, &vary))).success();
        bytes_in(&desk.path(out))
    };
    let one = made("one", "1");
    assert_same(&one, &made("two", "2"));
    let csv = text(&one["runs.csv"]);
    let heads: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let of = |line: &str, name: &str| -> String {
        line.split(',').nth(heads.iter().position(|head| *head == name).unwrap()).unwrap().to_owned()
    };
    for line in csv.lines().skip(1) {
        let told =
            ["tier", "own_windows", "why_exact", "latency_ms_p95", "tps_mean_batch_ci95"].map(|name| of(line, name));
        assert_eq!(told, ["flow", "0", "", "", ""], "{line}");
        assert!(of(line, "tps_mean").parse::<f64>().unwrap() > 7_000.0, "{line}");
    }
    let error = refused(&borrowed(&coarse(&desk, "one", &["--vary", "innodb_io_capacity_max=7000..8000:1000"])), 2);
    assert!(error.contains("--duration 300s --tier=flow; of this one:"), "{error}");
}

/// What the coarse tier refuses runs exactly and says why.
#[test]
fn points_that_the_coarse_tier_refuses_are_exact() {
    let desk = Desk::new();
    let result = json(&borrowed(&desk.sweep("short", &["--tier", "flow", "--replications", "1", "--format", "json"])));
    assert_eq!((result["flows"].as_u64(), result["runs"].as_u64()), (Some(0), Some(10)));
    let why = result["why_exact"].as_object().unwrap();
    assert!(why.keys().all(|why| why.contains("the run takes 4 s")), "{why:?}");
    assert_eq!(why.values().map(|runs| runs.as_u64().unwrap()).sum::<u64>(), 10);
    assert!(result["points"][0]["latency_ms_p95"].as_f64().unwrap() > 0.0);
    let error = refused(&borrowed(&desk.sweep("no", &["--tier", "flow", "--check"])), 2);
    assert!(error.contains("--check"), "{error}");
}

fn rows(csv: &[u8]) -> usize {
    text(csv).lines().count() - 1
}

/// Runs a sweep of `runs` runs undisturbed; then kills it `kills` times at random moments, lets it come to its end, and
/// compares every byte.
fn kill_and_compare(desk: &Desk, more: &[&str], runs: u64, kills: u32, longest_ms: u64) {
    let undisturbed = desk.run("undisturbed", more);
    let mut random = 20_261_121_u64;
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..kills {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut child = Command::new(assert_cmd::cargo::cargo_bin!("innosim"))
            .args(desk.sweep("killed", more))
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(20 + (random >> 33) % longest_ms));
        child.kill().unwrap();
        child.wait().unwrap();
        seen.insert(saved(desk, "killed"));
    }
    let there = saved(desk, "killed");
    let json_too = [more, &["--format", "json"]].concat();
    let result = json(&borrowed(&desk.sweep("killed", &json_too)));
    assert_eq!((result["runs_reused"].as_u64(), result["runs_made"].as_u64()), (Some(there), Some(runs - there)));
    assert_same(&undisturbed, &bytes_in(&desk.path("killed")));
    let again = json(&borrowed(&desk.sweep("killed", &json_too)));
    assert_eq!((again["runs_made"].as_u64(), again["missing"].as_u64()), (Some(0), Some(0)));
    eprintln!("killed {kills} times, with {seen:?} of {runs} runs saved");
}

/// Runs in a journal.
fn saved(desk: &Desk, out: &str) -> u64 {
    let journal = desk.path(out).join("runs.jsonl");
    fs::read(journal).unwrap_or_default().iter().filter(|byte| **byte == b'\n').count() as u64
}

#[test]
fn killed_at_any_moment_it_goes_on_to_the_same_bytes() {
    let desk = Desk::new();
    kill_and_compare(&desk, &[], 20, 12, 250);
    let fresh = json(&borrowed(&desk.sweep("killed", &["--format", "json", "--fresh"])));
    assert_eq!(fresh["runs_made"], 20);
}

#[test]
fn rows_are_those_of_single_runs() {
    let desk = Desk::new();
    let files = desk.run("out", &[]);
    let csv = text(&files["runs.csv"]);
    let fields = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<String>>();
    let mut lines = csv.lines().map(fields);
    let heads = lines.next().unwrap();
    let row = lines.next().unwrap();
    let value = |name: &str| row[heads.iter().position(|head| head == name).unwrap()].clone();
    assert_eq!(
        (value("innodb_io_capacity_max"), value("drive.clients"), value("replication")),
        ("4000".into(), "4".into(), "0".into())
    );
    let tiny = desk.path("tiny.toml").display().to_string();
    let settings = ["--set", "innodb_io_capacity_max=4000", "--set", "drive.clients=4"];
    let one = json(&[&["run", &tiny, "--duration", "4s", "--format", "json"][..], &settings].concat());
    for name in ["tps_mean", "latency_ms_p99", "checkpoint_age_mean", "warmup_s", "device_queue_mean"] {
        assert_eq!(value(name).parse::<f64>().unwrap(), one[name].as_f64().unwrap(), "{name}");
    }
    assert_eq!(value("regime"), one["regime"].as_str().unwrap());
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_finished_runs() {
    let desk = Desk::new();
    let mut arguments = desk.sweep("out", &["--jobs", "1"]);
    let at = arguments.iter().position(|a| a == "4s").unwrap();
    arguments[at] = "40s".to_owned();
    arguments.retain(|a| a != "--quiet");
    let child = Command::new(assert_cmd::cargo::cargo_bin!("innosim"))
        .args(&arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let journal = desk.path("out/runs.jsonl");
    while !fs::read(&journal).is_ok_and(|bytes| bytes.contains(&b'\n')) {
        std::thread::sleep(Duration::from_millis(10));
    }
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let error = text(&output.stderr);
    assert!(error.contains("runs are saved in") && error.contains("the same command continues"), "{error}");
    assert!(!desk.path("out/runs.csv").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_second_sweep_in_the_folder_is_refused_and_told_by_whom() {
    let desk = Desk::new();
    let long: Vec<String> = desk
        .sweep("out", &["--jobs", "1"])
        .iter()
        .map(|a| if a == "4s" { "2000s".to_owned() } else { a.clone() })
        .collect();
    let first = Command::new(assert_cmd::cargo::cargo_bin!("innosim"))
        .args(long)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !desk.path("out").join(format!("working.{}.tmp", first.id())).exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let error = refused(&borrowed(&desk.sweep("out", &[])), 2);
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let who =
        format!("another innosim works in {} (process {} on {}: ", desk.path("out").display(), first.id(), host.trim());
    signal(&first, "-KILL");
    first.wait_with_output().unwrap();
    assert!(error.contains(&who) && error.contains(" sweep "), "{error}");
    assert!(error.contains("give each shard a folder of its own"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_disk_that_fills_is_told_and_finished_runs_stay() {
    let desk = Desk::new();
    // No file of this shell's children may grow beyond 24 blocks of 512 bytes.
    let limited = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 24; exec \"$0\" \"$@\""])
        .arg(assert_cmd::cargo::cargo_bin!("innosim"))
        .args(desk.sweep("out", &["--jobs", "1"]))
        .output()
        .unwrap();
    let error = text(&limited.stderr);
    assert_eq!(limited.status.code(), Some(2), "{error}");
    assert!(error.contains("can't write") && error.contains("make room"), "{error}");
    let result = json(&borrowed(&desk.sweep("out", &["--format", "json"])));
    assert!(result["runs_reused"].as_u64().unwrap() > 0, "{}", result["runs_reused"]);
    assert_same(&desk.run("undisturbed", &[]), &bytes_in(&desk.path("out")));
}

#[test]
fn merge_wants_shards_of_one_sweep_and_all_of_them() {
    let desk = Desk::new();
    desk.run("one", &["--shard", "1/2"]);
    desk.run("other", &["--shard", "2/2", "--seed", "9"]);
    let path = |name: &str| desk.path(name).display().to_string();
    let error = refused(&["merge", &path("one"), "--out", &path("m")], 2);
    assert!(error.contains("10 of 20 runs are missing") && error.contains("drive.clients = 4"), "{error}");
    let error = refused(&["merge", &path("one"), &path("other"), "--out", &path("m")], 2);
    assert!(error.contains("different sweeps: seed 1 and 9"), "{error}");
    let error = refused(&["merge", &path("nothing"), "--out", &path("m")], 2);
    assert!(error.contains("innosim sweep --out"), "{error}");
    assert!(!desk.path("m").exists());
    stdout(&["merge", &path("one"), "--allow-missing", "--quiet", "--out", &path("m")]);
    assert_eq!(rows(&fs::read(desk.path("m/runs.csv")).unwrap()), 10);
}

#[test]
fn a_different_sweep_in_the_folder_is_neither_lost_nor_mixed() {
    let desk = Desk::new();
    let before = desk.run("out", &[]);
    let sweep = desk.sweep("out", &[]);
    let other = |more: &[&'static str]| [borrowed(&sweep), more.to_vec()].concat();
    for (more, words) in [
        (&["--seed", "9"][..], "its seed: 1; of this one: 9"),
        (&["--set", "innodb_io_capacity=500"], "its options: --duration 4s; of this one: --set innodb_io_capacity=500"),
    ] {
        let error = refused(&other(more), 2);
        assert!(error.contains("out holds a different sweep") && error.contains(words), "{error}");
        assert!(error.contains("there: innosim sweep ") && error.contains("give another folder"), "{error}");
    }
    assert_same(&before, &bytes_in(&desk.path("out")));
    let more = json(&borrowed(&desk.sweep("out", &["--replications", "3", "--format", "json"])));
    assert_eq!((more["runs_reused"].as_u64(), more["runs_made"].as_u64()), (Some(20), Some(10)));
    desk.run("part", &["--shard", "1/2", "--seed", "9"]);
    let path = |name: &str| desk.path(name).display().to_string();
    let error = refused(&["merge", &path("part"), "--allow-missing", "--out", &path("out")], 2);
    assert!(error.contains("out holds a different sweep"), "{error}");
    innosim(&other(&["--seed", "9", "--fresh"])).success();
    assert_eq!(rows(&fs::read(desk.path("out/runs.csv")).unwrap()), 20);
}

#[test]
fn sweeps_and_scenarios_point_to_each_others_command() {
    let out = tempfile::tempdir().unwrap().path().join("out").display().to_string();
    for command in ["run", "compare", "recommend"] {
        let error = refused(&[command, "doublewrite-pages"], 2);
        assert!(
            error.contains("is a sweep, not a scenario") && error.contains("`innosim sweep doublewrite-pages"),
            "{error}"
        );
        assert!(error.contains("name its scenario, percona-2020-08/7000-bpi32"), "{error}");
    }
    let error = refused(&["sweep", "redo-too-small", "--out", &out], 2);
    assert!(
        error.contains("is a scenario, and nothing varies") && error.contains("`innosim run redo-too-small`"),
        "{error}"
    );
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(&file, "scenario = \"doublewrite-pages\"\nvary = [\"drive.clients=1,2\"]").unwrap();
    let error = refused(&["sweep", file.path().to_str().unwrap(), "--out", &out], 2);
    assert!(error.contains("`doublewrite-pages` is a sweep, not a scenario"), "{error}");
    let error =
        refused(&["sweep", "redo-too-small", "--vary", "drive.clients=1", "--replications", "0", "--out", &out], 2);
    assert!(error.contains("give a whole number from 1 to 10000"), "{error}");
    let error = refused(&["sweep", "doublewrite-page", "--out", &out], 2);
    assert!(error.contains("no sweep and no scenario") && error.contains("did you mean doublewrite-pages?"), "{error}");
}

#[test]
fn mistakes_are_told_with_their_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "mine").unwrap();
    let out = folder.path().join("out").display().to_string();
    let file = file.display().to_string();
    let sweep = |more: &[&str]| {
        let arguments = [&["sweep", "redo-too-small", "--duration", "2s", "--out", &out][..], more].concat();
        refused(&arguments, 2)
    };
    let told = [
        sweep(&[]),
        sweep(&["--vary", "innodb_io_capcity_max=1000..2000:500"]),
        sweep(&["--vary", "innodb_io_capacity_max=2000..1000:500"]),
        sweep(&["--vary", "innodb_io_capacity_max=1000..2000:-500"]),
        sweep(&["--vary", "innodb_io_capacity_max=50..150:50"]),
        sweep(&["--vary", "drive.clients=1,2", "--shard", "3/2"]),
        sweep(&["--vary", "drive.clients=1,2", "--precision", "0"]),
        refused(&["sweep", "doublewrite-page", "--vary", "drive.clients=1", "--out", &out], 2),
        refused(&["sweep", "doublewrite-pages"], 2),
    ];
    insta::assert_snapshot!(told.join("\n"));
    assert!(
        refused(&["sweep", "redo-too-small", "--vary", "drive.clients=1", "--out", &file], 2).contains("is a file")
    );
    assert!(!Path::new(&out).exists());
}

#[test]
fn shipped_sweeps_are_listed_and_the_help_stays_as_it_is() {
    assert!(stdout(&["sweep", "--list"]).contains("io-capacity-and-redo"));
    assert!(json(&["sweep", "--list", "--format", "json"]).as_array().unwrap().len() >= 5);
    insta::assert_snapshot!("help_sweep", stdout(&["sweep", "-h"]));
    insta::assert_snapshot!("help_merge", stdout(&["merge", "-h"]));
}

/// What takes minutes.
mod long {
    use super::*;

    /// Both tiers beside each other, and shards merged.
    #[test]
    #[ignore = "long: .ci/run long"]
    fn points_of_a_sweep_are_off_by_little() {
        let desk = Desk::new();
        let vary = ["--vary", "innodb_io_capacity_max=6000..8000:1000", "--tier", "both"];
        innosim(&borrowed(&coarse(&desk, "whole", &vary))).success();
        let mut merge = vec!["merge".to_owned()];
        for k in 1..=2 {
            let part = format!("part{k}");
            innosim(&borrowed(&coarse(&desk, &part, &[&vary[..], &["--shard", &format!("{k}/2")]].concat()))).success();
            merge.push(desk.path(&part).display().to_string());
        }
        merge.extend(["--quiet".to_owned(), "--out".to_owned(), desk.path("merged").display().to_string()]);
        innosim(&borrowed(&merge)).success();
        assert_same(&bytes_in(&desk.path("whole")), &bytes_in(&desk.path("merged")));
        let result = json(&borrowed(&coarse(&desk, "whole", &[&vary[..], &["--format", "json"]].concat())));
        for point in result["points"].as_array().unwrap() {
            let off = |name: &str| point["off_by"][name].as_f64().unwrap().abs();
            assert!(off("tps") < 0.04 && off("checkpoint_age") < 0.03 && off("pages_flushed") < 0.03, "{point}");
        }
    }

    /// The same at full size.
    #[test]
    #[ignore = "long: .ci/run long"]
    fn two_hundred_runs_killed_twenty_times() {
        // Twenty replications of ten points.
        kill_and_compare(&Desk::new(), &["--replications", "20"], 200, 20, 1500);
    }
}
