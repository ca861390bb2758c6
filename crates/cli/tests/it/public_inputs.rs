//! Texts as bug reports, mailing lists and forums hold them: quoted, pasted from a client, cut out of a log. Each is written after
//! the kind, with numbers of our own, and what must come out of it stands next to it.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use crate::common::{innosim, text};
use std::fs;

const STATUS: &str = include_str!("../cases/status.txt");

/// What the program says of a file: standard output and standard error.
fn said(name: &str, content: &str, words: &[&str]) -> String {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join(name);
    fs::write(&file, content).unwrap();
    let of_folder = words.last() == Some(&"FOLDER");
    let path = if of_folder { place.path() } else { &file };
    let words: Vec<&str> = words.iter().copied().filter(|word| *word != "FOLDER").collect();
    let assert = innosim(&[&words[..], &[path.to_str().unwrap()]].concat());
    let output = assert.get_output();
    let all = format!("{}{}", text(&output.stdout), text(&output.stderr));
    // Lines are wrapped where the words fall.
    all.split_whitespace().collect::<Vec<&str>>().join(" ")
}

fn says(name: &str, content: &str, words: &[&str], expected: &[&str]) {
    let all = said(name, content, words);
    for sentence in expected {
        assert!(all.contains(sentence), "{name}: {sentence}\n{all}");
    }
}

#[test]
fn a_status_quoted_in_a_mail() {
    let quoted: String = STATUS.lines().map(|line| format!("> {line}\n")).collect();
    says("mail.txt", &quoted, &["explain"], &["The checkpoint age is 371 MiB", "226,537 pages are dirty: 43 %"]);
    let twice: String = STATUS.lines().map(|line| format!(">> {line}\r\n")).collect();
    says("mail.txt", &twice, &["explain"], &["The checkpoint age is 371 MiB"]);
}

#[test]
fn a_status_pasted_from_a_client() {
    let row = "*************************** 1. row ***************************\n  Type: InnoDB\n  Name: \n";
    let pasted = format!("mysql> show engine innodb status\\G\n{row}Status: {STATUS}1 row in set (0.01 sec)\n");
    says(
        "bug.txt",
        &pasted,
        &["explain"],
        &["The checkpoint age is 371 MiB", "Per second, means of 30 s: 952 pages written"],
    );
}

#[test]
fn the_same_status_twice_in_one_report() {
    let twice = format!("{STATUS}\n{STATUS}");
    says("bug.txt", &twice, &["explain"], &["1 sample that is not later than the one before", "age is 371 MiB"]);
}

#[test]
fn counters_pasted_into_a_forum() {
    let table = "mysql> show global status like 'innodb%';\n+--------------------------------+----------+\n\
                 | Variable_name                  | Value    |\n+--------------------------------+----------+\n\
                 | Innodb_buffer_pool_pages_data  | 498123   |\n| Innodb_buffer_pool_pages_dirty | 181222   |\n\
                 | Innodb_buffer_pool_pages_free  | 1024     |\n| Innodb_buffer_pool_pages_total | 524280   |\n\
                 | Innodb_pages_written           | 91822331 |\n+--------------------------------+----------+\n";
    let expected = ["181,222 pages are dirty: 35 % of the buffer pool", "1,024 pages are free", "What would tell more"];
    says("post.txt", table, &["explain"], &expected);
}

#[test]
fn an_option_file_of_windows() {
    let ini = "[mysqld]\r\nskip-log-bin\r\ninnodb_buffer_pool_size=12G\r\ninnodb_io_capacity = 1500\r\n";
    says("my.ini", ini, &["settings", "--my-cnf"], &["Understood (3)", "innodb_buffer_pool_size 12G", "1500"]);
}

#[test]
fn a_load_log_with_errors_between_its_lines() {
    let mut log = "sysbench 1.0.20\nNumber of threads: 32\n".to_owned();
    for second in [10, 20, 30, 40] {
        log.push_str(&format!("[ {second}s ] thds: 32 tps: 41{second}.00 qps: 1 lat (ms,95%): 12.08 err/s: 0.10\n"));
        log.push_str("FATAL: mysql_stmt_execute() returned error 1213 (Deadlock found when trying to get lock)\n");
    }
    says("run.log", &log, &["explain"], &["The load starts with 32 threads", "4,125 transactions a second"]);
}

#[test]
fn messages_cut_out_of_a_syslog() {
    let line = |time: &str, ms: u32, pages: u32| {
        format!(
            "Mar 13 {time} db1 mysqld[1187]: 2026-03-13T{time}.100000Z 0 [Note] InnoDB: page_cleaner: 1000ms intended \
             loop took {ms}ms. The settings might not be optimal. (flushed={pages} and evicted=0, during the time.)\n"
        )
    };
    let log = [line("10:00:01", 5211, 1024), line("10:01:19", 11_980, 9)].concat();
    let expected = ["197 pages a second", "78 s A loop of 12.0 s wrote or evicted 9 pages. No setting makes that"];
    says("syslog.txt", &log, &["explain"], &expected);
}

#[test]
fn reports_of_an_old_iostat() {
    let head = "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n           8.11    0.00    2.01   12.00    0.00   77.88\n";
    let row = "Device:         rrqm/s   wrqm/s     r/s     w/s    rkB/s    wkB/s avgrq-sz avgqu-sz   await  svctm  %util\n\
               sdb               0.00    12.00  210.00  365.00  3360.00 48640.00   180.90    21.40   37.10   1.66  95.60\n";
    let text = format!(
        "Linux 2.6.32-754.el6.x86_64 (db3) \t03/13/2026 \t_x86_64_\t(24 CPU)\n\n{}",
        format!("{head}\n{row}\n").repeat(4)
    );
    says(
        "io.txt",
        &text,
        &["advise", "FOLDER"],
        &["3 reports of iostat on sdb, number of processors", "missing: samples"],
    );
}

#[test]
fn an_export_of_a_dashboard() {
    let rows: String = (0..6).map(|i| format!("2026-03-13 10:00:{i}0,81234567{i},20122{i}\n")).collect();
    let csv = format!("\"Time\",\"innodb_checkpoint_age\",\"innodb_buffer_pool_pages_dirty\"\n{rows}");
    says(
        "grafana.csv",
        &csv,
        &["explain"],
        &["The load starts; 201,220 pages are dirty", "Not recorded, so nothing is said of it: throughput"],
    );
}

#[test]
fn two_statements_below_each_other() {
    let table = "MariaDB [(none)]> show variables like 'innodb_io%'; show variables like 'version%';\n\
                 | Variable_name          | Value |\n| innodb_io_capacity     | 800   |\n2 rows in set (0.001 sec)\n\
                 | Variable_name   | Value               |\n| version         | 10.11.6-MariaDB-log |\n\
                 | version_comment | MariaDB Server      |\n";
    says("v.txt", table, &["settings", "--show-variables"], &["read for mariadb-10.11", "innodb_io_capacity 800"]);
}
