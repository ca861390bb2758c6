//! `innosim run`: results, files, exit codes.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use crate::common::{SMALL, innosim, json, refused, signal, stdout, text};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const FILES: [&str; 5] = ["dashboard.png", "dashboard.svg", "scenario.resolved.toml", "series.csv", "summary.json"];

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn files_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn the_table_says_which_run_it_was() {
    let table = stdout(&["run", SMALL, "--duration", "20s", "--seed", "7"]);
    assert!(table.contains("teaching/redo-too-small on mysql-8.0.30, seed 7, 20 s"), "{table}");
    assert!(table.contains("Regime: "), "{table}");
}

#[test]
fn json_is_one_document_with_the_promised_names() {
    let summary =
        json(&["run", SMALL, "--duration", "20s", "--format", "json", "--set", "innodb_io_capacity_max=5000"]);
    for name in [
        "innosim_version",
        "model",
        "scenario",
        "seed",
        "replications",
        "simulated_s",
        "warmup_s",
        "wall_s",
        "speed",
        "tps_mean",
        "tps_10s_median_mean",
        "latency_ms_p99",
        "redo_bytes_per_trx",
        "checkpoint_age_mean",
        "pages_flushed_sync",
        "device_utilization",
        "regime",
        "event_hash",
    ] {
        assert!(!summary[name].is_null(), "{name}");
    }
}

#[test]
fn files_are_all_there_and_the_resolved_scenario_runs_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("new/first"), folder.path().join("second"));
    innosim(&["run", SMALL, "--duration", "20s", "--seed", "5", "--set", "drive.clients=8", "--out", path(&first)])
        .success();
    assert_eq!(files_in(&first), FILES);
    let resolved = first.join("scenario.resolved.toml");
    innosim(&["run", path(&resolved), "--out", path(&second)]).success();
    assert_eq!(fs::read(first.join("series.csv")).unwrap(), fs::read(second.join("series.csv")).unwrap());
    assert_eq!(fs::read(&resolved).unwrap(), fs::read(second.join("scenario.resolved.toml")).unwrap());
    let text = fs::read_to_string(resolved).unwrap();
    assert!(text.contains("seed = 5") && text.contains(env!("CARGO_PKG_VERSION")), "{text}");
}

#[test]
fn replications_do_not_depend_on_the_number_of_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let run = |jobs: &str| {
        let out = folder.path().join(jobs);
        let arguments = ["run", SMALL, "--duration", "15s", "--replications", "3", "--jobs", jobs, "--format", "json"];
        let mut summary = json(&[&arguments[..], &["--out", path(&out)]].concat());
        for name in ["wall_s", "speed"] {
            summary.as_object_mut().unwrap().remove(name);
        }
        let files = ["series.csv", "scenario.resolved.toml"].map(|name| fs::read(out.join(name)).unwrap());
        (summary, files)
    };
    let one = run("1");
    assert!(one.0["tps_mean_ci95"].as_f64().unwrap() > 0.0);
    assert_eq!(one, run("2"));
}

#[test]
fn invariants_hold() {
    innosim(&["run", SMALL, "--duration", "10s", "--check", "--quiet"]).success().stderr("");
}

#[test]
fn sysbench_lines_and_closing_statistics() {
    let out = stdout(&["run", SMALL, "--duration", "25s", "--format", "sysbench"]);
    for start in ["[ 10s ] thds: 32 tps: ", "[ 20s ] thds: 32 tps: ", "[ 25s ] thds: 32 tps: "] {
        assert_eq!(out.lines().filter(|line| line.starts_with(start)).count(), 1, "{out}");
    }
    assert!(out.contains("SQL statistics:") && out.contains("95th percentile:"), "{out}");
    let error = refused(&["run", SMALL, "--format", "sysbench", "--replications", "2"], 2);
    assert!(error.contains("single run"), "{error}");
}

#[test]
fn the_coarse_tier_leaves_its_document_and_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    // A tenth of the tables, for speed.
    let set = ["--set", "workload.resident_share=1", "--set", "workload.scale=10", "--set", "warmup=60s"];
    let run = ["run", "7000-bpi32", "--tier", "flow", "--duration", "310s", "--format", "json", "--out", path(&out)];
    let document = json(&[&run[..], &set].concat());
    assert_eq!((document["tier"].as_str(), document["simulated_s"].as_u64()), (Some("flow"), Some(310)));
    for name in ["tps", "checkpoint_age_bytes", "dirty_pages", "pages_flushed"] {
        assert!(document["figures"][name].as_f64().is_some_and(|figure| figure > 0.0), "{name}: {document}");
    }
    assert!(document["windows_at_s"].as_array().is_some_and(|windows| !windows.is_empty()), "{document}");
    assert_eq!(files_in(&out), ["flow.csv", "flow.json", "scenario.resolved.toml"]);
    let csv = fs::read_to_string(out.join("flow.csv")).unwrap();
    assert_eq!(csv.lines().count(), 311, "a head and a row a second");
}

#[test]
fn where_the_coarse_tier_refuses_the_exact_one_runs_and_says_why() {
    let assert = innosim(&["run", "redo-too-small", "--tier", "flow", "--duration", "20s"]).code(0);
    let told = text(&assert.get_output().stderr);
    assert!(told.contains("The coarse tier refuses: the run takes 20 s"), "{told}");
    assert!(text(&assert.get_output().stdout).contains("95 %"), "the table of the exact tier");
    let told = refused(&["run", "redo-too-small", "--tier", "flow", "--check"], 2);
    assert!(told.contains("--check belongs to the exact tier") && told.contains("leave out --check"), "{told}");
}

#[test]
fn mistakes_are_told_with_their_remedy() {
    for (arguments, remedy) in [
        (&["run", "redo-to-small"][..], "teaching/redo-too-small"),
        (&["run", SMALL, "--set", "innodb_io_capcity=2000"], "did you mean innodb_io_capacity?"),
        (&["run", SMALL, "--set", "innodb_io_capacity"], "SETTING=VALUE"),
        (&["run", SMALL, "--duration", "20"], "\"20s\""),
        (&["run", SMALL, "--duration", "10ms"], "1s or more"),
        (&["run", SMALL, "--model", "mysql-8.0.31x"], "mysql-8.0.30"),
    ] {
        let error = refused(arguments, 2);
        assert!(error.starts_with("error: ") && error.contains(remedy), "{arguments:?}: {error}");
    }
}

#[test]
fn control_characters_reach_neither_terminal_nor_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("s.toml"), folder.path().join("out"));
    fs::write(&file, format!("extends = \"{SMALL}\"\ntitle = \"red \\u001B[31m\\nhot\"\n")).unwrap();
    let table = stdout(&["run", path(&file), "--duration", "5s", "--out", path(&out)]);
    assert!(table.contains("red \\u{1b}[31m hot") && !table.contains('\u{1b}'), "{table}");
    let svg = fs::read_to_string(out.join("dashboard.svg")).unwrap();
    assert!(svg.contains("red \\u{1b}[31m hot") && !svg.contains('\u{1b}'));
    let error = refused(&["run", "\u{1b}]0;x\u{7}"], 2);
    assert!(error.contains("\\u{1b}]0;x\\u{7}") && !error.contains('\u{1b}'), "{error}");
}

#[test]
fn what_is_no_file_is_called_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let error = refused(&["run", path(folder.path())], 2);
    assert!(error.contains("is a folder, not a file"), "{error}");
    let error = refused(&["run", "/dev/null"], 2);
    assert!(error.contains("is a pipe or a device, not a file") && error.contains("put it into a file"), "{error}");
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_before_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "mine").unwrap();
    for out in [file.clone(), file.join("below")] {
        let error = refused(&["run", "7000-bpi32", "--out", path(&out)], 2);
        assert!(error.contains("file"), "{error}");
    }
    assert_eq!(fs::read_to_string(file).unwrap(), "mine");
    assert_eq!(files_in(folder.path()), ["file"]);
}

#[test]
fn a_reader_that_stops_reading_is_no_error() {
    for arguments in [&["settings"][..], &["run", SMALL, "--duration", "60s", "--format", "sysbench"]] {
        let mut child = Command::new(assert_cmd::cargo::cargo_bin!("innosim"))
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
        assert_eq!(text(&output.stderr), "", "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_nothing_behind() {
    for name in ["-INT", "-TERM", "-HUP"] {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        let mut child = Command::new(assert_cmd::cargo::cargo_bin!("innosim"))
            .args(["run", SMALL, "--duration", "100h", "--out", path(&out)])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        while !out.exists() {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        std::thread::sleep(std::time::Duration::from_millis(300));
        signal(&child, name);
        let status = child.wait().unwrap();
        assert_eq!(status.code(), Some(130), "{name}");
        assert!(files_in(folder.path()).is_empty(), "{name}");
    }
}

/// Two interrupts while the result is being written: it is there whole, and nothing else.
#[cfg(unix)]
#[test]
fn a_second_interrupt_while_writing_leaves_a_whole_result() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("innosim"))
        // Many rows, and little to do in each.
        .args(["run", SMALL, "--duration", "4000s", "-q", "--out", path(&out)])
        .args(["drive.kind=open", "drive.clients=8", "drive.rate=5"].iter().flat_map(|set| ["--set", set]))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let staging = out.join(format!(".innosim.{}.tmp", child.id()));
    while !staging.is_dir() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_micros(200));
    }
    signal(&child, "-INT");
    std::thread::sleep(std::time::Duration::from_millis(2));
    signal(&child, "-INT");
    let status = child.wait().unwrap();
    let there = files_in(&out);
    assert!(there.iter().all(|name| !name.starts_with(".innosim")), "{there:?}");
    for name in ["scenario.resolved.toml", "series.csv", "dashboard.svg", "summary.json"] {
        assert!(there.iter().any(|there| there == name), "{name} is missing: {there:?}");
    }
    assert!(matches!(status.code(), Some(0 | 130)), "{status:?}");
}

/// The program, whose files may not grow beyond so many blocks of 512 bytes.
#[cfg(unix)]
fn limited(blocks: u32, arguments: &[&str]) -> std::process::Output {
    std::process::Command::new("sh")
        .args(["-c", &format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"")])
        .arg(assert_cmd::cargo::cargo_bin!("innosim"))
        .args(arguments)
        .output()
        .unwrap()
}

/// Every file and folder below `dir`, with its bytes.
#[cfg(unix)]
fn contents(dir: &Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let paths = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<_> = paths
        .flat_map(|path| if path.is_dir() { contents(&path) } else { vec![(path.clone(), fs::read(path).unwrap())] })
        .collect();
    all.sort();
    all
}

#[cfg(unix)]
#[test]
fn a_disk_that_fills_leaves_what_was_there_and_no_part_of_a_result() {
    let folder = tempfile::tempdir().unwrap();
    let there = |name: &str| folder.path().join(name).display().to_string();
    let commands = [&["run", SMALL][..], &["compare", SMALL, "--variant", "a:", "--variant", "b:drive.clients=3"]];
    for command in commands {
        let with = |seed: &'static str, out: &str| {
            let more = ["-q", "--duration", "3s", "--seed", seed, "--out", out].map(str::to_owned);
            command.iter().map(|&one| one.to_owned()).chain(more).collect()
        };
        let run = |arguments: Vec<String>| limited(40, &arguments.iter().map(String::as_str).collect::<Vec<&str>>());
        let out = there(command[0]);
        let whole: Vec<String> = with("1", &out);
        innosim(&whole.iter().map(String::as_str).collect::<Vec<&str>>()).success();
        let before = contents(Path::new(&out));
        for place in [&out, &there("new/inside")] {
            let full = run(with("2", place));
            let error = text(&full.stderr);
            assert_eq!(full.status.code(), Some(2), "{error}");
            assert!(error.contains(&format!("can't write {place}/")) && error.contains("make room"), "{error}");
            assert!(error.contains("nothing of this result is left") && !error.contains(".innosim."), "{error}");
        }
        assert!(contents(Path::new(&out)) == before, "{command:?}");
        assert!(!folder.path().join("new").exists());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_standard_output_that_is_full_is_told() {
    for arguments in [&["models"][..], &["--help"], &["--version"], &["run", SMALL, "--duration", "2s", "-q"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = std::process::Command::new(assert_cmd::cargo::cargo_bin!("innosim"))
            .args(arguments)
            .stdout(full)
            .output()
            .unwrap();
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains("can't write to standard output: No space left"), "{error}");
    }
}

/// Whoever pipes a scenario, or types a letter, is not sent to names that merely hold it.
#[test]
fn a_dash_is_no_scenario() {
    assert!(refused(&["run", "-"], 2).contains("standard input is not read"));
    assert!(refused(&["run", "x"], 2).contains("`innosim scenarios` lists the shipped scenarios"));
}
