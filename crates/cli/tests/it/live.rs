//! The live check's script, as far as it can be tested without a server: its dry run, what it refuses, and that it leaves
//! nothing behind when a step fails. Fake programs stand for the real ones.

#![cfg(unix)]
// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

const CHECK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../live/check");

/// A program that is not the real one.
fn fake(folder: &Path, name: &str, script: &str) {
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Fakes of everything that the check calls; `server` is what mariadbd does.
fn fakes(folder: &Path, version: &str, server: &str) {
    for name in ["mariadb-install-db", "mariadb", "sysbench", "fio"] {
        fake(folder, name, "mkdir -p \"$FAKE_DATA\"");
    }
    let script =
        format!("case \"$*\" in *--version*) echo 'mariadbd  Ver {version}-MariaDB for Linux'; exit;; esac\n{server}");
    fake(folder, "mariadbd", &script);
}

fn check(programs: &Path, dir: &Path, options: &[&str]) -> Output {
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    Command::new("bash")
        .arg(CHECK)
        .args(["--innosim", env!("CARGO_BIN_EXE_innosim"), "--dir"])
        .arg(dir)
        .args(options)
        .env("PATH", path)
        .env("FAKE_DATA", dir.join("data"))
        .output()
        .unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_dry_run_prints_every_step_and_does_none() {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path().join("new");
    let output = check(place.path(), &dir, &["--dry-run", "--rates", "7,77"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let commands = String::from_utf8_lossy(&output.stdout).into_owned();
    for step in [
        "'--rw=randread'",
        "'--fdatasync=1'",
        "'mariadb-install-db' '--no-defaults'",
        "'--skip-networking'",
        "'--table-size=250000' '--rand-type=uniform' '--threads=4' 'prepare'",
        "'--rate=7' 'run'",
        "'--rate=77' 'run'",
        "recordings/furious'",
        "'calibrate'",
        "'validate'",
    ] {
        assert!(commands.contains(step), "{step} is not in:\n{commands}");
    }
    assert!(!dir.exists());
}

#[test]
fn a_dry_run_of_recovery_kills_under_each_load_and_starts_again() {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path().join("new");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../live/recovery");
    let run = |loads: &str| {
        Command::new("bash").arg(script).args(["--dry-run", "--loads", loads, "--dir"]).arg(&dir).output().unwrap()
    };
    let output = run("update,fill");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let commands = String::from_utf8_lossy(&output.stdout).into_owned();
    let starts = commands.matches("'--innodb-adaptive-flushing=OFF'").count();
    assert_eq!((commands.matches("'kill' '-9'").count(), starts), (2, 4), "{commands}");
    assert!(commands.contains("'--mysql-db=filled'"), "{commands}");
    assert!(!dir.exists());
    let refused = run("update,coffee");
    assert_eq!(refused.status.code(), Some(2));
    assert!(said(&refused).contains("'coffee'; give some of update,index,insert,write,fill"), "{}", said(&refused));
}

#[test]
fn a_dry_run_of_regret_asks_before_it_tries() {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path().join("new");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../live/regret");
    let run = |options: &[&str]| {
        Command::new("bash").arg(script).args(options).args(["--dry-run", "--dir"]).arg(&dir).output().unwrap()
    };
    let output = run(&["mysql-rate", "mariadb-lwm", "--settings", "400,3200"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let commands = String::from_utf8_lossy(&output.stdout).into_owned();
    let place_of = |text: &str| commands.find(text).unwrap_or_else(|| panic!("{text} is not in:\n{commands}"));
    assert!(place_of("recordings/asked'") < place_of("'--goal' 'latency'"));
    assert!(place_of("'--goal' 'writes'") < place_of("'innodb_io_capacity_max=400,3200'"));
    assert!(place_of("'innodb_io_capacity_max=400,3200'") < place_of("recordings/1-3200-64M'"));
    assert!(place_of("'--innodb-redo-log-capacity=64M'") < place_of("'--innodb-log-file-size=64M'"));
    assert!(!dir.exists());
    let refused = run(&["no-such-case"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(said(&refused).contains("there is no case no-such-case; there are: mariadb-limit"), "{}", said(&refused));
}

/// An answer to keep 3300, with 1100 units of work for the 1000 transactions of sysbench.
fn write_answer(write: &dyn Fn(&str, &str)) {
    write(
        "recordings/asked/sysbench.log",
        "1795796000.0 [ 1s ] thds: 16 tps: 1000.00 qps: 1000.00 lat (ms,99%): 9.00\n",
    );
    for goal in ["throughput", "latency", "writes"] {
        write(
            &format!("answer/{goal}/advice.json"),
            r#"{"status": "keep", "recommendation": {"innodb_io_capacity_max": 3300}, "load": {"units_per_s": 1100.0}}"#,
        );
    }
    write(
        "answer/curve/points.csv",
        "a,b,c,d,innodb_io_capacity_max,tps_mean,tps_mean_ci95,latency_ms_p99,latency_ms_p99_ci95,device_write_bytes_per_s,\
         device_write_bytes_per_s_ci95,flushes_per_trx,checkpoint_age_mean,regime\n,,,,400,1100,11,40,1,12000000,0,0.25,30000000,steady\n",
    );
}

/// Two settings, two runs of each, and an answer for the worse: the figures of `live/regret` are what these files say.
#[test]
fn figures_of_regret_are_those_of_the_runs() {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path();
    let write = |name: &str, text: &str| {
        let path = dir.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    for (name, p99, pages) in
        [("1-400-64M", 40, 300), ("2-400-64M", 44, 302), ("1-3200-64M", 120, 600), ("2-3200-64M", 132, 604)]
    {
        let mut log = String::new();
        let (mut samples, mut processes) = (String::new(), String::new());
        for second in 0..=20_u64 {
            let at = 1_795_796_000 + second;
            if second > 0 {
                log += &format!(
                    "{at}.0 [ {second}s ] thds: 16 tps: 1000.00 qps: 1000.00 (r/w/o: 0/0/0) lat (ms,99%): {p99}.00 err/s: 0.00\n"
                );
            }
            samples += &format!(
                "TS {at}.0\nInnodb_buffer_pool_pages_flushed\t{}\nInnodb_checkpoint_age\t30000000\n",
                pages * second
            );
            let ticks = 100 * second;
            processes += &format!(
                "TS {at}.0\ncpu {ticks} 0 0 {ticks} 0 0 0 0 0 0\nCOLUMN\tVALUE\nproc.mysqld_utime\t{}\nproc.mysqld_stime\t0\nproc.sysbench_cpu\t0\ncg.write_bytes\t{}\n",
                40 * second,
                pages * 40_000 * second
            );
        }
        log += &format!(
            "    transactions:                        20000  (1000.00 per sec.)\n         99th percentile:                       {p99}.00\n"
        );
        write(&format!("recordings/{name}/sysbench.log"), &log);
        write(&format!("recordings/{name}/samples.txt"), &samples);
        write(&format!("recordings/{name}/processes.txt"), &processes);
    }
    write_answer(&write);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../live/regret-figures");
    let figures = |arguments: &[&str]| {
        let Ok(output) = Command::new("python3").arg(script).args(arguments).output() else { return None };
        assert!(output.status.success(), "{}", said(&output));
        Some(String::from_utf8(output.stdout).unwrap())
    };
    let folder = dir.to_str().unwrap();
    let Some(tries) = figures(&["tries", &format!("{folder}/answer"), "400", "1600"]) else { return };
    assert_eq!(tries, "400 1600 3300\n");
    let report = figures(&["report", folder, "3200", "64M"]).unwrap();
    let result: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(dir.join("regret.json")).unwrap()).unwrap();
    let lost = |goal: &str| result["goals"][goal]["regret"]["lost"].as_f64().unwrap();
    assert!((lost("latency") - 2.0).abs() < 0.01 && lost("throughput") == 0.0, "{report}");
    assert!((lost("writes") - 1.0).abs() < 0.01, "{report}");
    let run = &result["runs"][0];
    assert!(
        (run["pages_per_trx"].as_f64().unwrap() - 0.3).abs() < 0.31 && run["cpus_of_others"].as_f64().unwrap() > 0.55,
        "{run}"
    );
    assert!(report.contains("| latency | keep | 3300 | 400 | 200.0 % | 10 %, **missed** |"), "{report}");
    for (figure, wanted) in [("tps", 1000.0), ("kb_per_trx", 12.0), ("pages_per_trx", 0.275)] {
        let predicted = result["predicted"]["400.0"][figure].as_f64().unwrap();
        assert!((predicted - wanted).abs() < 1e-9, "{figure}: {predicted}");
    }
}

#[test]
fn a_folder_that_holds_something_is_refused() {
    let place = tempfile::tempdir().unwrap();
    fakes(place.path(), "10.11.6", "exit 1");
    let dir = place.path().join("mine");
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("thesis.txt"), "precious").unwrap();
    let output = check(place.path(), &dir, &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("is there and not empty; give a new folder"), "{}", said(&output));
    assert_eq!(fs::read_to_string(dir.join("thesis.txt")).unwrap(), "precious");
}

#[test]
fn another_series_of_the_server_is_refused() {
    let place = tempfile::tempdir().unwrap();
    fakes(place.path(), "11.4.2", "exit 1");
    let output = check(place.path(), &place.path().join("new"), &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("not of the 10.11 series"), "{}", said(&output));
}

#[test]
fn a_server_that_does_not_start_leaves_no_data() {
    let place = tempfile::tempdir().unwrap();
    fakes(place.path(), "10.11.6", "echo 'no space left'; exit 1");
    let dir = place.path().join("new");
    let output = check(place.path(), &dir, &[]);
    let said = said(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("the server ended at once") && said.contains("no space left"), "{said}");
    assert!(said.contains("stopped at: starting a server"), "{said}");
    assert!(dir.join("server.log").exists() && !dir.join("data").exists());
}

#[test]
fn options_are_checked() {
    let place = tempfile::tempdir().unwrap();
    for (options, message) in [
        (["--seconds", "5"], "flushing takes 30 s"),
        (["--rates", "fast"], "give two whole numbers"),
        (["--calibrate-on", "heavy"], "give light, adaptive or furious"),
        (["--colour", "red"], "unknown option --colour"),
    ] {
        let output = check(place.path(), &place.path().join("new"), &options);
        assert_eq!(output.status.code(), Some(2), "{options:?}");
        assert!(said(&output).contains(message), "{}", said(&output));
    }
}

/// The recorder, beside a server that is none: what it says of the processes.
fn recorded_processes(clients: Option<&str>) -> String {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("out");
    fs::create_dir(&out).unwrap();
    if let Some(clients) = clients {
        fs::write(out.join("clients.pid"), clients).unwrap();
    }
    // Reads its statements, as the real one does, and answers with a version.
    fake(place.path(), "mariadb", "case \"$*\" in *--execute*) echo 10.11.19-MariaDB;; *) cat >/dev/null;; esac");
    let socket = place.path().join("socket");
    let _listens = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let output = Command::new("bash")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../live/record"))
        .args(["--seconds", "1", "--server-pid", &std::process::id().to_string(), "--socket"])
        .arg(&socket)
        .arg("--out")
        .arg(&out)
        .env("PATH", format!("{}:{}", place.path().display(), std::env::var("PATH").unwrap()))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    fs::read_to_string(out.join("processes.txt")).unwrap()
}

/// Nothing is not zero: a load generator that the recorder does not know may have taken any time.
#[test]
fn the_recorder_says_nothing_of_clients_that_it_does_not_know() {
    let unknown = recorded_processes(None);
    assert!(unknown.contains("proc.mysqld_utime") && !unknown.contains("proc.sysbench_cpu"), "{unknown}");
    let none_yet = recorded_processes(Some(""));
    assert!(none_yet.contains("proc.sysbench_cpu\t0\n"), "{none_yet}");
    let known = recorded_processes(Some(&format!("{}\n", std::process::id())));
    assert!(known.contains("proc.sysbench_cpu\t"), "{known}");
}
