//! `innosim collect`: the script under real shells, with a program `mysql` that answers as servers do.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use crate::common::{json, refused, stdout};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// Answers by the statement; `SERVER` says as which server, `COUNT` holds the number of samples so far.
const MYSQL: &str = r#"#!/bin/sh
for argument; do
    case $argument in
        --execute=*) statement=${argument#--execute=} ;;
        --socket=*) [ "$argument" = --socket=/there ] || { echo "ERROR 2002 (HY000): Can't connect" >&2; exit 1; } ;;
    esac
done
case $statement in
    *'SHOW GLOBAL STATUS'*LIKE*)
        n=$(($(cat "$COUNT") + 1))
        echo $n >"$COUNT"
        [ $n -le "${LAST:-9999}" ] || { echo "ERROR 2013 (HY000): Lost connection to server" >&2; exit 1; }
        ;;
esac
n=$(cat "$COUNT")
case $statement in
    *INNODB_METRICS*)
        [ "${PROCESS:-yes}" = yes ] || { echo "ERROR 1227 (42000): Access denied" >&2; exit 1; }
        case $SERVER,$statement in
            mariadb,*"status = 'enabled'"*) echo "ERROR 1054 (42S22): Unknown column" >&2; exit 1 ;;
        esac
        ;;
esac
case $statement in
    'SELECT VERSION()')
        case $SERVER in mysql57) echo 5.7.44-log ;; mysql84) echo 8.4.3 ;; *) echo 10.11.19-MariaDB-0+deb12u1 ;; esac ;;
    *'SHOW GLOBAL VARIABLES'*)
        printf 'Variable_name\tValue\ninnodb_buffer_pool_size\t134217728\ninnodb_io_capacity\t200\n'
        printf 'innodb_log_file_size\t50331648\nversion\t%s\n' "$(sh "$0" '--execute=SELECT VERSION()')" ;;
    *innodb_table_stats*) printf 'Data_length:\t1638400\nIndex_length:\t16384\n' ;;
    *"IN ('Innodb_lsn_current'"*)
        case $SERVER in
            mariadb) printf 'Innodb_lsn_current\t1\n' ;;
            mysql84) printf 'Innodb_redo_log_current_lsn\t1\n' ;;
        esac ;;
    *'SHOW GLOBAL STATUS'*LIKE*)
        printf 'Variable_name\tValue\nUptime\t%s\nCom_commit\t%s\nInnodb_buffer_pool_pages_dirty\t50\n' $((100 + n)) $((100 * n))
        printf 'Innodb_pages_written\t%s\nInnodb_buffer_pool_wait_free\t0\nInnodb_log_waits\t0\n' $((10 * n))
        case $SERVER in
            mariadb) printf 'Innodb_lsn_current\t%s\nInnodb_lsn_last_checkpoint\t%s\n' $((9000 * n)) $((8000 * n)) ;;
            mysql84) printf 'Innodb_redo_log_current_lsn\t%s\nInnodb_redo_log_checkpoint_lsn\t%s\n' $((9000 * n)) $((8000 * n)) ;;
        esac
        case $statement in
            *INNODB_METRICS*) printf 'NAME\tCOUNT\nbuffer_flush_sync_total_pages\t0\ntrx_rseg_history_len\t%s\n' $n ;;
        esac ;;
    *'SHOW ENGINE INNODB STATUS'*)
        [ "${PROCESS:-yes}" = yes ] || { echo "ERROR 1227 (42000): Access denied" >&2; exit 1; }
        printf 'InnoDB\t\t\n=====\n2026-11-24 21:00:00 0x7f INNODB MONITOR OUTPUT\n=====\n'
        printf -- '------------\nTRANSACTIONS\n------------\nHistory list length 12\n'
        printf 'MySQL thread id 9, query id 1 localhost root\nUPDATE secret SET card = four-nine-two-nine\nLOG\n'
        printf 'Log sequence number 7; SELECT secret\n'
        printf -- '---\nLOG\n---\nLog sequence number          %s\nLast checkpoint at  %s\n' $((9000 * n)) $((8000 * n))
        printf 'Pages flushed up to  %s\n1 log i/o done, 0.00 log i/o/second\n' $((8500 * n))
        printf -- '----------------------\nBUFFER POOL AND MEMORY\n----------------------\nBuffer pool size   8191\n'
        printf 'Modified db pages  50\nPages read 5, created 6, written 7\nEND OF INNODB MONITOR OUTPUT\n' ;;
    *INNODB_BUFFER_PAGE*) printf '128\t3\t1\t0\n4096\t20\t0\t2\n' ;;
    'SELECT @@innodb_page_size') echo 16384 ;;
    'SELECT @@hostname') uname -n ;;
    'SELECT @@datadir') echo /tmp ;;
    'SELECT @@pid_file') echo "${PID_FILE:-/nowhere}" ;;
    *) [ -n "$statement" ] || exit 1 ;;
esac
"#;

/// A folder with the script, the client, and what they need.
struct Place {
    dir: TempDir,
    server: &'static str,
}

impl Place {
    fn new(server: &'static str) -> Place {
        let dir = tempfile::tempdir().unwrap();
        let bin = dir.path().join("bin");
        fs::create_dir(&bin).unwrap();
        let mysql = bin.join("mysql");
        fs::write(&mysql, MYSQL).unwrap();
        fs::set_permissions(&mysql, fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(dir.path().join("count"), "0").unwrap();
        fs::write(dir.path().join("collect.sh"), stdout(&["collect", "--duration", "2s", "--interval", "1"])).unwrap();
        Place { dir, server }
    }

    fn out(&self) -> PathBuf {
        self.dir.path().join("out")
    }

    /// The script with these arguments, before those of the client.
    fn run(&self, shell: &str, arguments: &[&str], environment: &[(&str, &str)], client: &[&str]) -> Output {
        Command::new(shell)
            .current_dir(self.dir.path())
            .arg("collect.sh")
            .args(["-o", "out"])
            .args(arguments)
            .arg("--")
            .args(client)
            .env("MYSQL", self.dir.path().join("bin/mysql"))
            .env("SERVER", self.server)
            .env("COUNT", self.dir.path().join("count"))
            .envs(environment.iter().copied())
            .output()
            .unwrap()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.out().join(name)).unwrap_or_default()
    }

    fn explained(&self) -> serde_json::Value {
        json(&["explain", self.out().to_str().unwrap(), "--format", "json", "--quiet"])
    }
}

fn error(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn is_there(shell: &str) -> bool {
    Path::new("/bin").join(shell).exists() || Path::new("/usr/bin").join(shell).exists()
}

#[test]
fn every_server_gives_a_folder_that_is_read() {
    for (shell, server, model) in
        [("sh", "mysql57", "mysql-5.7"), ("dash", "mysql84", "mysql-8.4"), ("bash", "mariadb", "mariadb-10.11")]
    {
        if !is_there(shell) {
            continue;
        }
        let place = Place::new(server);
        let ended = place.run(shell, &["-b"], &[], &["--socket=/there"]);
        assert!(ended.status.success(), "{shell}: {}", error(&ended));
        assert_eq!(error(&ended), "", "{shell}");
        let samples = place.read("samples.txt");
        assert_eq!(samples.matches("TS ").count(), 3, "{shell}: {samples}");
        // Without a log sequence number in the status, each sample has the longer text.
        let texts =
            samples.lines().filter(|line| line.ends_with("INNODB MONITOR OUTPUT") && !line.contains("END")).count();
        assert_eq!(texts, if server == "mysql57" { 3 } else { 1 }, "{shell}: {samples}");
        for file in fs::read_dir(place.out()).unwrap() {
            let text = fs::read_to_string(file.unwrap().path()).unwrap();
            assert!(!text.contains("secret") && !text.contains("four-nine"), "{shell}: {text}");
        }
        let ages: serde_json::Value = serde_json::from_str(&place.read("page-ages.json")).unwrap();
        assert_eq!(ages["younger_than"], serde_json::json!([[128, 3, 1, 0], [4096, 20, 0, 2]]));
        assert_eq!((&ages["pages_of_size"]["16384"], &ages["format"]), (&26.into(), &"innosim-page-ages".into()));
        let explained = place.explained();
        assert_eq!((&explained["kind"], &explained["model"]), (&"recording".into(), &model.into()), "{shell}");
        assert!(explained["events"].as_array().unwrap().iter().any(|event| event["what"] == "regime_of_all"));
    }
}

#[test]
fn caps_of_the_servers_control_group_are_kept() {
    let place = Place::new("mariadb");
    // This process stands for the server: its groups are real, their caps are not.
    let pid_file = place.dir.path().join("server.pid");
    fs::write(&pid_file, format!("{}\n", std::process::id())).unwrap();
    let cgroups = place.dir.path().join("cgroup");
    let mut expected = Vec::new();
    for line in fs::read_to_string("/proc/self/cgroup").unwrap().lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next().unwrap(), fields.next().unwrap());
        let (folder, file, cap) = match controllers {
            "blkio" => (format!("blkio{path}"), "blkio.throttle.write_iops_device", "254:0 3000"),
            "" => {
                (path.trim_start_matches('/').to_owned(), "io.max", "254:0 rbps=max wbps=60000000 riops=max wiops=3000")
            }
            _ => continue,
        };
        fs::create_dir_all(cgroups.join(&folder)).unwrap();
        fs::write(cgroups.join(&folder).join(file), format!("{cap}\n")).unwrap();
        expected.push(format!("cap {file}: {cap}"));
    }
    let paths = [("PID_FILE", pid_file.to_str().unwrap()), ("CGROUPS", cgroups.to_str().unwrap())];
    let ended = place.run("sh", &[], &paths, &[]);
    assert!(ended.status.success(), "{}", error(&ended));
    let host = place.read("host.txt");
    assert!(!expected.is_empty() && expected.iter().all(|line| host.contains(line)), "{expected:?} in {host}");
}

#[test]
fn without_privileges_less_is_there_and_it_is_said() {
    let place = Place::new("mariadb");
    let ended = place.run("sh", &["-b"], &[("PROCESS", "no")], &[]);
    assert!(ended.status.success(), "{}", error(&ended));
    let said = place.read("collected.txt");
    for what in ["not there: INNODB_METRICS", "not there: SHOW ENGINE INNODB STATUS", "not there: ages of pages"] {
        assert!(said.contains(what), "{said}");
    }
    assert!(!place.out().join("page-ages.json").exists());
    assert_eq!(place.explained()["kind"], "recording", "MariaDB's status has the log sequence number");
}

#[test]
fn a_server_that_goes_away_leaves_what_was_there() {
    let place = Place::new("mariadb");
    let ended = place.run("sh", &["-d", "3"], &[("LAST", "2")], &[]);
    assert!(ended.status.success(), "{}", error(&ended));
    assert!(place.read("collected.txt").contains("samples: 2, missed: 2"), "{}", place.read("collected.txt"));
    assert!(place.read("errors.txt").contains("Lost connection"));
}

#[test]
fn mistakes_are_told_and_leave_nothing() {
    let place = Place::new("mariadb");
    let refused_with = |arguments: &[&str], client: &[&str], why: &str| {
        let ended = place.run("sh", arguments, &[], client);
        assert_eq!(ended.status.code(), Some(2), "{why}: {}", error(&ended));
        assert!(error(&ended).contains(why), "{why}: {}", error(&ended));
        assert!(!place.out().exists(), "{why}");
    };
    refused_with(&["-d", "soon"], &[], "-d is 'soon'; give whole seconds from 1 up");
    refused_with(&["-i", "9"], &[], "-i 9 is longer than -d 2");
    refused_with(&["--socket=x"], &[], "options of the client come after --");
    refused_with(&["-d"], &[], "is '--'; give whole seconds");
    refused_with(&[], &["--socket=/not/there"], "the server does not answer");
    fs::create_dir(place.out()).unwrap();
    fs::write(place.out().join("mine.txt"), "mine").unwrap();
    let ended = place.run("sh", &[], &[], &[]);
    assert!(error(&ended).contains("out is not empty") && place.read("mine.txt") == "mine", "{}", error(&ended));
}

#[test]
fn the_script_says_how_it_is_used_and_parses_everywhere() {
    let place = Place::new("mariadb");
    let help = Command::new("sh").current_dir(place.dir.path()).args(["collect.sh", "-h"]).output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    assert!(
        help.contains("Usage: sh collect.sh") && help.contains("(default 2)") && !help.contains("set -u"),
        "{help}"
    );
    for shell in ["sh", "dash", "bash"].into_iter().filter(|shell| is_there(shell)) {
        let checked = Command::new(shell).args(["-n", "collect.sh"]).current_dir(place.dir.path()).status().unwrap();
        assert!(checked.success(), "{shell}");
    }
}

#[test]
fn the_command_refuses_what_makes_no_samples() {
    assert!(refused(&["collect", "--duration", "5s", "--interval", "10s"], 2).contains("longer than --duration"));
    assert!(refused(&["collect", "--duration", "soon"], 2).contains("give whole seconds"));
    let document = json(&["collect", "--format", "json"]);
    assert_eq!((&document["duration_s"], &document["interval_s"]), (&600.into(), &5.into()));
    assert_eq!(document["script"].as_str().unwrap(), stdout(&["collect"]));
}
