//! `innosim advise`: folders as people have them, made of shipped recordings, and what is missing or broken in others.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use crate::common::{innosim, json, refused};
use innosim_recordings::{Recording, find};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A shipped recording.
fn shipped(name: &str) -> Recording {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../recordings").join(name);
    find(&path).unwrap().remove(0)
}

/// Its counters as a loop of `date` and `mysql -e 'SHOW GLOBAL STATUS'` prints them: those of the status, and the log
/// sequence numbers where `innodb_status` says so.
fn samples(recording: &Recording, innodb_status: bool) -> String {
    let series = &recording.series;
    let column = |name: &str| series.column(name).map(|column| column.with_nan());
    let names: Vec<&str> = series.names().filter(|name| name.starts_with(|c: char| c.is_ascii_uppercase())).collect();
    let columns: Vec<(&str, Vec<f64>)> =
        names.into_iter().filter_map(|name| Some((name, series.column(name)?.with_nan()))).collect();
    let (lsn, checkpoint) = (column("log.log_sequence_number"), column("log.last_checkpoint_at"));
    let mut text = String::new();
    for i in 0..series.len() {
        text.push_str(&format!("TS {:.3}\nVariable_name\tValue\n", 1_795_000_000.0 + series.seconds[i]));
        for (name, values) in columns.iter().filter(|(_, values)| values[i].is_finite()) {
            text.push_str(&format!("{name}\t{}\n", values[i]));
        }
        if let (true, Some(lsn), Some(checkpoint)) = (innodb_status, &lsn, &checkpoint) {
            text.push_str(&format!(
                "=====\n2026-11-18 00:00:00 INNODB MONITOR OUTPUT\n=====\n---\nLOG\n---\nLog sequence number {}\n\
                 Last checkpoint at  {}\n-----\nEND OF INNODB MONITOR OUTPUT\n=====\n",
                lsn[i], checkpoint[i]
            ));
        }
    }
    text
}

fn variables(recording: &Recording) -> String {
    let mut text = String::from("Variable_name\tValue\n");
    for (name, value) in &recording.variables {
        text.push_str(&format!("{name}\t{value}\n"));
    }
    if !recording.variables.contains_key("version") {
        text.push_str(&format!("version\t{}\n", recording.server.version));
    }
    text
}

/// A folder with samples and settings of a shipped recording.
fn folder(name: &str) -> TempDir {
    let recording = shipped(name);
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("status.txt"), samples(&recording, true)).unwrap();
    fs::write(dir.path().join("variables.txt"), variables(&recording)).unwrap();
    dir
}

fn path(dir: &TempDir) -> &str {
    dir.path().to_str().unwrap()
}

#[test]
fn a_folder_of_samples_comes_to_settings() {
    let dir = folder("mysql56/uni4k-256-io500");
    let out = TempDir::new().unwrap();
    let out_path = out.path().join("advice");
    let advice = json(&[
        "advise",
        path(&dir),
        "--device",
        "lab-virtual-disk",
        "--quiet",
        "--format",
        "json",
        "--replications",
        "1",
        "--duration",
        "150s",
        "--out",
        out_path.to_str().unwrap(),
    ]);
    for key in ["found", "missing", "backtest", "current", "recommendation", "why", "interval"] {
        assert!(!advice[key].is_null(), "{key}: {advice}");
    }
    assert_eq!(advice["found"].as_array().unwrap().len(), 2);
    for metric in ["checkpoint_age_mean", "dirty_pages_mean", "pages_flushed_per_s_mean"] {
        let error = advice["backtest"][metric]["error"].as_f64().unwrap();
        assert!(error.abs() < 0.15, "{metric}: {error}");
    }
    assert_eq!(advice["current"]["innodb_io_capacity_max"], 1000);
    // No latency was recorded, so none is promised.
    assert!(advice["latency_is_predicted"] == false && advice["current"]["latency_ms_p99"].is_null(), "{advice}");
    assert!(
        advice["not_known"][0].as_str().unwrap().starts_with("Latency is not predicted"),
        "{}",
        advice["not_known"]
    );
    assert!(!advice["why"].as_str().unwrap().contains("latency"), "{}", advice["why"]);
    assert_eq!(advice["current"]["sound"], false, "it lives by sync flushing");
    let best = advice["recommendation"]["innodb_io_capacity_max"].as_u64().unwrap();
    assert_ne!(best, 1000, "not the present one");
    let why = advice["why"].as_str().unwrap();
    assert!(why.contains("1000") && why.contains(&best.to_string()), "{why}");
    let statements = advice["statements"].as_array().unwrap();
    assert!(statements.iter().any(|s| *s == format!("SET GLOBAL innodb_io_capacity_max = {best};")), "{statements:?}");
    for file in ["advice.json", "advice.txt", "scenario.toml", "backtest.csv", "report.html"] {
        assert!(out_path.join(file).is_file(), "{file}");
    }
    let page = fs::read_to_string(out_path.join("report.html")).unwrap();
    for part in
        ["The answer", "Back-test", "data:image/svg+xml,", &format!("best: {best}"), "now: 1000", "What happened"]
    {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.contains(&format!("SET GLOBAL innodb_io_capacity_max = {best};")) && !page.contains("src=\"http"));
    let scenario = out_path.join("scenario.toml");
    innosim(&["run", scenario.to_str().unwrap(), "--duration", "5s", "--quiet"]).success();
}

/// What is refused, and what the message must say.
#[test]
fn what_is_missing_is_named_with_the_statement_that_brings_it() {
    let whole = shipped("mysql56/uni4k-256-io2000");
    let dir = TempDir::new().unwrap();
    let file = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
    assert!(refused(&["advise", path(&dir)], 2).contains("is empty"));
    file("variables.txt", &variables(&whole));
    let error = refused(&["advise", path(&dir)], 2);
    assert!(error.contains("SHOW GLOBAL STATUS") && error.contains("variables.txt"), "{error}");
    file("status.txt", &samples(&whole, true));
    fs::remove_file(dir.path().join("variables.txt")).unwrap();
    let error = refused(&["advise", path(&dir)], 2);
    assert!(error.contains("mysql -e 'SHOW GLOBAL VARIABLES' > variables.txt"), "{error}");
    // Without its log sequence number this server's shipped counters don't tell the redo.
    file("variables.txt", &variables(&whole));
    file("status.txt", &samples(&whole, false));
    let error = refused(&["advise", path(&dir)], 2);
    assert!(error.contains("SHOW ENGINE INNODB STATUS"), "{error}");
    // The status a few times, beside a long record of the engine's own report.
    let first: String = samples(&whole, false).split("TS ").skip(1).take(8).map(|one| format!("TS {one}")).collect();
    let engine: String = {
        let lines = samples(&whole, true);
        let keep = |line: &&str| !line.contains('\t');
        lines.lines().filter(keep).map(|line| format!("{line}\n")).collect()
    };
    file("status.txt", &first);
    file("innodb-status.txt", &engine);
    let error = refused(&["advise", path(&dir)], 2);
    assert!(error.contains("there are 8 over") && !error.contains("sysbench"), "{error}");
    fs::remove_file(dir.path().join("innodb-status.txt")).unwrap();
    // An option file does not tell the version.
    fs::remove_file(dir.path().join("variables.txt")).unwrap();
    file("my.cnf", "[mysqld]\ninnodb_io_capacity = 200\n");
    file("status.txt", &samples(&whole, true));
    let error = refused(&["advise", path(&dir)], 2);
    assert!(error.contains("settings of my.cnf") && error.contains("--model NAME"), "{error}");
    fs::remove_file(dir.path().join("my.cnf")).unwrap();
    file("variables.txt", &variables(&whole));
    let few: String = samples(&whole, true).lines().take(200).map(|line| format!("{line}\n")).collect();
    file("status.txt", &few);
    let error = refused(&["advise", path(&dir)], 2);
    assert!(error.contains("20 samples over 60 s"), "{error}");
}

/// What is broken, and the files of the folder.
type Case = (&'static str, Vec<(&'static str, String)>);

/// Samples and settings of a good recording, and its version.
fn good() -> (String, String, String) {
    let good = shipped("mysql97/uni4k-256-io2000");
    (samples(&good, true), variables(&good), good.server.version)
}

/// Files that are missing, broken, or of something else.
fn broken_files() -> Vec<Case> {
    let (status, settings, version) = good();
    let idle: String = {
        let first: Vec<&str> = status.split("TS ").nth(1).unwrap().lines().skip(1).collect();
        (0..90).map(|i| format!("TS {}.000\n{}\n", 1_795_000_000 + i, first.join("\n"))).collect()
    };
    let without =
        |name: &str| status.lines().filter(|l| !l.starts_with(name)).map(|l| format!("{l}\n")).collect::<String>();
    let other_version = settings.replace(&version, "4.1.22");
    vec![
        ("a folder of noise", vec![("a", "\u{1}\u{2}noise".into()), ("b.txt", "hello\nworld\n".into())]),
        ("an empty file of samples", vec![("status.txt", String::new()), ("variables.txt", settings.clone())]),
        ("one sample", vec![("status.txt", status.split("TS ").nth(1).map(|s| format!("TS {s}")).unwrap())]),
        ("an idle server", vec![("status.txt", idle), ("variables.txt", settings.clone())]),
        ("no dirty pages", vec![("s", without("Innodb_buffer_pool_pages_dirty")), ("v", settings.clone())]),
        ("no pages written", vec![("s", without("Innodb_pages_written")), ("v", settings.clone())]),
        ("a version without a model", vec![("s", status.clone()), ("v", other_version)]),
        ("settings without a version", vec![("s", status.clone()), ("v", "innodb_io_capacity\t200\n".into())]),
        ("an unknown server", vec![("s", status.clone()), ("v", settings.replace(&version, "x.y"))]),
        (
            "samples without times",
            vec![("s", status.replace("TS ", "# ").replace("Uptime", "Upt")), ("v", settings.clone())],
        ),
        ("broken JSON", vec![("prom.json", "{\"status\":\"success\",\"data\":".into())]),
        ("a broken histogram", vec![("ages.json", "{\"format\":\"innosim-page-ages\"".into()), ("s", status.clone())]),
        ("fio's error", vec![("fio.json", "fio: failed to open".into())]),
        ("an html page", vec![("x.html", "<html><body>502</body></html>".into())]),
    ]
}

/// Counters that can't be, and files that are of no use alone.
fn broken_counters() -> Vec<Case> {
    let (status, settings, version) = good();
    let with = |name: &str, value: &str| {
        let line = |line: &str| if line.starts_with(name) { format!("{name}\t{value}\n") } else { format!("{line}\n") };
        status.lines().map(line).collect::<String>().replace("TS\t", "TS ")
    };
    let mut backwards: Vec<String> = status.split("TS ").skip(1).map(|sample| format!("TS {sample}")).collect();
    backwards.reverse();
    let backwards = backwards.concat();
    let iostat = "Device r/s rMB/s w/s wMB/s aqu-sz %util\nsda 0 0 12 4.1 1 40\n\n";
    vec![
        ("texts for numbers", vec![("s", with("Innodb_pages_written", "many")), ("v", settings.clone())]),
        ("no numbers", vec![("s", with("Innodb_buffer_pool_pages_dirty", "NaN")), ("v", settings.clone())]),
        ("fewer pages than none", vec![("s", with("Innodb_buffer_pool_pages_dirty", "-5")), ("v", settings.clone())]),
        ("a clean server", vec![("s", with("Innodb_buffer_pool_pages_dirty", "0")), ("v", settings.clone())]),
        ("all at one instant", vec![("s", with("TS", "1795000000.0")), ("v", settings.clone())]),
        ("times that run back", vec![("s", backwards), ("v", settings.clone())]),
        ("an option file alone", vec![("my.cnf", "[mysqld]\ninnodb_io_capacity = 200\n".into())]),
        ("fio alone", vec![("fio.json", "{\"fio version\": \"fio-3.33\", \"jobs\": []}".into())]),
        ("iostat alone", vec![("iostat.txt", iostat.repeat(3))]),
        ("JSON of iostat that is cut", vec![("i", "{\"sysstat\": {\"hosts\": [".into()), ("s", status.clone())]),
        ("Aurora", vec![("s", status.clone()), ("v", settings.replace(&version, "8.0.mysql_aurora.3.04.0"))]),
        (
            "a version alone",
            vec![("s", status.clone()), ("v", format!("Variable_name\tValue\nversion\t{}\n", version))],
        ),
        (
            "an error of Prometheus",
            vec![("p", "{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":\"x\"}".into())],
        ),
        (
            "nothing in Prometheus",
            vec![("p", "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[]}}".into())],
        ),
        ("samples that lie too deep", vec![("a/b/c/d/e/f/s", status.clone())]),
        (
            "a checkpoint ahead of the log",
            vec![("s", status.replace("Last checkpoint at  ", "Last checkpoint at  9")), ("v", settings.clone())],
        ),
    ]
}

/// Folders that are broken in some way: a clear error, exit code 2, and nothing on standard output.
#[test]
fn broken_folders_are_refused() {
    let cases = [broken_files(), broken_counters()].concat();
    assert!(cases.len() >= 30, "{}", cases.len());
    for (what, files) in cases {
        let dir = TempDir::new().unwrap();
        for (name, text) in files {
            let file = dir.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let assert = innosim(&["advise", path(&dir), "--quiet"]);
        let output = assert.get_output();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{what}: {error}");
        assert!(error.starts_with("error: ") && error.contains("help:"), "{what}: {error}");
        assert!(output.stdout.is_empty(), "{what}");
    }
    let error = refused(&["advise", "/nowhere/at/all"], 2);
    assert!(error.contains("there is no such file or folder"), "{error}");
    let error = refused(&["advise", ".", "--load", "0"], 2);
    assert!(error.contains("0.01 to 100"), "{error}");
    let many: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../recordings/mysql56");
    let error = refused(&["advise", many.to_str().unwrap()], 2);
    assert!(error.contains("more than one recording"), "{error}");
}

#[test]
fn too_little_is_told_to_scripts_too() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("variables.txt"), variables(&shipped("mysql56/uni4k-256-io2000"))).unwrap();
    let assert = innosim(&["advise", path(&dir), "--format", "json"]).code(2);
    let output = assert.get_output();
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["found"][0]["file"], "variables.txt");
    assert!(document["missing"][0]["statement"].as_str().unwrap().contains("SHOW GLOBAL STATUS"), "{document}");
    assert!(document["recommendation"].is_null());
}

/// A folder with settings alone lacks samples, and not the settings that it says it found.
#[test]
fn what_was_found_is_not_missing() {
    let folder = tempfile::tempdir().unwrap();
    let text = "Variable_name\tValue\nversion\t8.4.3\ninnodb_io_capacity\t200\ninnodb_buffer_pool_size\t134217728\n";
    fs::write(folder.path().join("variables.txt"), text).unwrap();
    let said = refused(&["advise", folder.path().to_str().unwrap()], 2);
    assert!(said.contains("3 variables"), "{said}");
    assert!(said.contains("missing: samples") && !said.contains("missing: settings"), "{said}");
}

/// What was known by then is shown, as the progress line promises.
#[test]
fn a_time_that_is_too_short_for_an_answer_shows_the_load() {
    let dir = folder("mysql97/uni4k-256-io2000");
    let assert = innosim(&["advise", path(&dir), "--time-limit", "1s", "--quiet"]).code(1);
    let output = assert.get_output();
    let [shown, said] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert!(said.contains("nothing is advised: The time limit was over"), "{said}");
    assert!(shown.contains("A unit of work is") && shown.contains("Found"), "{shown}");
}
