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
