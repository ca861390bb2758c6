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

#[test]
fn a_status_that_a_browser_ran_into_one_line() {
    let page =
        format!("Storage engines\nInnoDB\n[ Variables | Buffer Pool | InnoDB Status ]\n{}\n", in_one_line(STATUS));
    says(
        "page.txt",
        &page,
        &["explain"],
        &["The checkpoint age is 371 MiB", "226,537 pages are dirty: 43 %", "952 pages written"],
    );
}

fn in_one_line(text: &str) -> String {
    let padding = format!("---TRANSACTION 421, not started {}", "0 lock struct(s) ".repeat(60));
    format!("{} {padding}", text.split_whitespace().collect::<Vec<&str>>().join(" "))
}

#[test]
fn the_log_section_alone() {
    let log = "mysql> show engine innodb status\\G\n.....\nLOG\n---\nLog sequence number 25939870000\nLog flushed up to   \
               25939870000\nPages flushed up to 25739870000\nLast checkpoint at  25539870000\n0 pending log flushes, 0 pending chkp \
               writes\n......\n";
    says(
        "bug.txt",
        log,
        &["explain", "--model", "5.7"],
        &["The checkpoint age is 381 MiB", "Limits of the age by its size"],
    );
}

#[test]
fn a_status_that_powershell_wrote() {
    let units: Vec<u8> = std::iter::once(0xfeff).chain(STATUS.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("status.txt");
    fs::write(&file, units).unwrap();
    let out = crate::common::stdout(&["explain", file.to_str().unwrap(), "--quiet"]);
    assert!(out.contains("The checkpoint age is 371 MiB"), "{out}");
}

#[test]
fn a_status_in_a_web_page_and_an_indented_one() {
    let html = STATUS.replace('&', "&amp;").replace('\'', "&#39;").replace('<', "&lt;");
    says("page.html", &format!("<pre>{html}</pre>\n"), &["explain"], &["The checkpoint age is 371 MiB"]);
    let indented: String = STATUS.lines().map(|line| format!("    {line}\n")).collect();
    says("question.txt", &indented, &["explain"], &["The checkpoint age is 371 MiB"]);
}

#[test]
fn a_status_that_was_cut_off() {
    let cut = &STATUS[..STATUS.len() * 7 / 10];
    says("ticket.txt", cut, &["explain"], &["The checkpoint age is 371 MiB"]);
}

#[test]
fn options_of_a_compose_file_and_of_a_process_list() {
    let compose = "services:\n  mysql:\n    image: mysql:8.0\n    command: >\n      --character-set-server=utf8mb4\n      \
                   --innodb-buffer-pool-size=1G\n      --innodb-io-capacity=800\n";
    says(
        "compose.yml",
        compose,
        &[],
        &["innosim settings --my-cnf", "innodb_io_capacity 800", "innodb_buffer_pool_size 1G"],
    );
    let process = "mysql 1234 12.0 45.1 9876543 4567890 ? Ssl Mar01 812:11 /usr/sbin/mysqld --daemonize --innodb_io_capacity=1000\n";
    says("ps.txt", process, &["settings", "--my-cnf"], &["innodb_io_capacity 1000"]);
}

#[test]
fn a_parameter_group_and_a_tuners_knobs() {
    let group = r#"{"Parameters": [{"ParameterName": "innodb_io_capacity", "ParameterValue": "2000", "Source": "user"},
        {"ParameterName": "max_connections", "ParameterValue": "{DBInstanceClassMemory/12582880}"}]}"#;
    says("group.json", group, &[], &["innosim settings --my-cnf", "innodb_io_capacity 2000"]);
    let knobs =
        r#"[{"name": "innodb_io_capacity_max", "value": 20000}, {"name": "innodb_lru_scan_depth", "value": 9000}]"#;
    says("knobs.json", knobs, &["recommend", "--my-cnf"], &["innodb_io_capacity_max = 20,000"]);
}

#[test]
fn an_age_beyond_the_log_in_an_error_log() {
    let log: String = (0..5)
        .map(|i| {
            format!(
                "2026-03-02 10:0{i}:37 0 [ERROR] InnoDB: The age of the last checkpoint is 8{i}000000, which exceeds the log capacity \
                 76365799.\n"
            )
        })
        .collect();
    says(
        "mariadb.err",
        &log,
        &["explain"],
        &["checkpoint age, up to 80 MiB, is beyond what its redo log holds, 73 MiB"],
    );
}

#[test]
fn page_cleaner_messages_as_json_and_behind_a_containers_name() {
    let message = |i: u32| format!("Page cleaner took 420{i}ms to flush 1874 and evict 0 pages");
    let json: String = (0..5)
        .map(|i| {
            format!(
                "{{\"prio\":3,\"err_code\":11953,\"msg\":\"{}\",\"time\":\"2026-03-02T10:0{i}:00.000001Z\"}}\n",
                message(i)
            )
        })
        .collect();
    let container: String = (0..5)
        .map(|i| format!("mysql-0 mysql 2026-03-02T10:0{i}:00.000001Z 0 [Note] [MY-011953] [InnoDB] {}\n", message(i)))
        .collect();
    for log in [json, container] {
        says("mysqld.err", &log, &["explain"], &["5 loops of the page cleaner took up to 4.2 s and wrote 446 pages"]);
    }
}

#[test]
fn counters_in_a_box_and_metrics_below_each_other() {
    let boxed = "mysql> show global status;\n+---+---+\n| Variable_name | Value |\n+---+---+\n| Innodb_buffer_pool_pages_dirty | 226537 |\n\
                 | Innodb_buffer_pool_pages_total | 524288 |\n| Innodb_lsn_current | 25939870000 |\n| Innodb_lsn_last_checkpoint | \
                 25551070000 |\n+---+---+\n4 rows in set\n";
    says("forum.txt", boxed, &["explain"], &["The checkpoint age is 371 MiB", "226,537 pages are dirty: 43 %"]);
    let rows = [
        ("log_lsn_current", 25_939_870_000_u64),
        ("log_lsn_last_checkpoint", 25_551_070_000),
        ("buffer_pool_pages_dirty", 226_537),
    ];
    let metrics: String = rows
        .iter()
        .enumerate()
        .map(|(i, (name, count))| {
            format!("{} {}. row {}\nNAME: {name}\nCOUNT: {count}\n", "*".repeat(27), i + 1, "*".repeat(27))
        })
        .collect();
    says("metrics.txt", &metrics, &["explain"], &["The checkpoint age is 371 MiB"]);
}

#[test]
fn the_log_of_an_old_sysbench() {
    let lines: String = (1..=10)
        .map(|i| {
            format!(
                "[{:4}s] threads: 64, tps: {}.50, reads/s: 12715.39, writes/s: 3624.44 response time: 108.68ms (99%)\n",
                i * 10,
                900 + i
            )
        })
        .collect();
    let log = format!(
        "sysbench 0.5:  multi-threaded system evaluation benchmark\n\nNumber of threads: 64\n\nThreads started!\n\n{lines}"
    );
    says("res.txt", &log, &["explain"], &["The load starts with 64 threads", "906 transactions"]);
}

#[test]
fn a_throughput_of_two_to_the_64th_is_a_gap() {
    let line = |t: u32, tps: &str| {
        format!("[{t:4}s] threads: 16, tps: {tps}, reads: 1.0, writes: 1.0, response time: 5.10ms (95%)\n")
    };
    let lines: String = (1..=10).map(|t| line(t, "1400.50")).collect();
    let log =
        format!("sysbench 0.5:  multi-threaded\n\nThreads started!\n\n{lines}{}", line(11, "18446744073709551.61"));
    says("sysbench.log", &log, &["explain"], &["1 of its figures are impossible", "1,40"]);
}

#[test]
fn a_csv_of_metrics_in_either_case() {
    let rows: String = (0..30)
        .map(|t| format!("{},{},25539870000,226537\n", 1_700_000_000 + t, 25_939_870_000_u64 + t * 1_000_000))
        .collect();
    let csv = format!("ts,LOG_LSN_CURRENT,LOG_LSN_LAST_CHECKPOINT,BUFFER_POOL_PAGES_DIRTY\n{rows}");
    says("metrics.csv", &csv, &["explain", "--model", "8.0"], &["226,537 pages are dirty"]);
}

#[test]
fn a_status_that_mysqlsh_printed_as_json() {
    let status = serde_json::json!({ "hasData": true, "rows": [{ "Type": "InnoDB", "Name": "", "Status": format!("\n{STATUS}") }] });
    says(
        "status.json",
        &status.to_string(),
        &["explain"],
        &["The checkpoint age is 371 MiB", "226,537 pages are dirty"],
    );
}

#[test]
fn settings_in_a_configmap_a_role_and_a_parameter_group_of_terraform() {
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: mysql\ndata:\n  my.cnf: |\n    [mysqld]\n    \
               innodb_buffer_pool_size = 12G\n    innodb_io_capacity = 3000\n";
    says(
        "map.yaml",
        map,
        &[],
        &["innosim settings --my-cnf", "innodb_buffer_pool_size 12G", "innodb_io_capacity 3000"],
    );
    let role = "mysql_config_file: /etc/my.cnf\nmysql_innodb_log_file_size: 1G\nmysql_innodb_io_capacity: 3000\n";
    says("role.yml", role, &["settings", "--my-cnf"], &["innodb_log_file_size 1G", "innodb_io_capacity 3000"]);
    let group = "resource \"aws_db_parameter_group\" \"m\" {\n  family = \"mysql8.0\"\n  parameter {\n    name  = \
                 \"innodb_io_capacity\"\n    value = \"3000\"\n  }\n}\n";
    says("group.tf", group, &["settings", "--my-cnf"], &["innodb_io_capacity 3000"]);
    let kept = r#"{"Version": 2, "mysql_dynamic_variables": {"innodb_io_capacity": {"Value": "3000", "Metadata": {"User": "root"}}}}"#;
    says("mysqld-auto.cnf", kept, &["settings", "--my-cnf"], &["innodb_io_capacity 3000"]);
}

#[test]
fn variables_in_csv_and_in_xml() {
    let csv = "\"Variable_name\",\"Value\"\n\"innodb_io_capacity\",\"2000\"\n\"version\",\"10.6.18-MariaDB-log\"\n";
    says("v.csv", csv, &["settings", "--show-variables"], &["read for mariadb-10.6", "innodb_io_capacity 2000"]);
    let field = |name: &str, value: &str| {
        format!(
            "  <row>\n\t<field name=\"Variable_name\">{name}</field>\n\t<field name=\"Value\">{value}</field>\n  </row>\n"
        )
    };
    let rows = field("innodb_io_capacity", "2000") + field("version", "8.0.36").as_str();
    let xml = format!("<?xml version=\"1.0\"?>\n<resultset statement=\"show global variables\">\n{rows}</resultset>\n");
    says("v.xml", &xml, &["settings", "--show-variables"], &["read for mysql-8.0.30", "innodb_io_capacity 2000"]);
}

#[test]
fn the_courses_of_tpcc_mysql_and_ycsb() {
    let lines: String = (1..=12)
        .map(|i| format!("  {}, trx: {}, 95%: 7.1, 99%: 15.6, max_rt: 53.7, 1|2\n", i * 10, 12_000 + i))
        .collect();
    let tpcc = format!("*** ###easy### TPC-C Load Generator ***\n [connection]: 32\nMEASURING START.\n\n{lines}");
    says("tpcc.log", &tpcc, &["explain"], &["counts new orders", "with 32 threads", "1,201 transactions a second"]);
    let lines: String = (1..=12)
        .map(|i| format!("2026-02-11 10:14:12:029 {}0 sec: {}0000 operations; 1000 current ops/sec; est\n", i, i))
        .collect();
    let ycsb = format!("Command line: -threads 16 -s -t\nYCSB Client 0.17.0\n{lines}");
    says(
        "ycsb.log",
        &ycsb,
        &["explain"],
        &["counts YCSB's operations", "with 16 threads", "1,000 transactions a second"],
    );
    // A mean has no course, and so no regime.
    let mean = "Vuser 1:Timing test period of 5 in minutes\nVuser 1:64 Active Virtual Users configured\n\
                Vuser 1:TEST RESULT : System achieved 12000 NOPM from 27600 MySQL TPM\n";
    let all = said("hammerdb.log", mean, &["explain"]);
    assert!(all.contains("460 transactions a second") && !all.contains("Regime"), "{all}");
}

#[test]
fn reports_of_little_use_are_called_by_their_name() {
    let tuner = " >>  MySQLTuner 2.2.12\n[--] Skipped\n[OK] Currently running supported MySQL version 8.0.36\n[!!] Ratio InnoDB redo log \
                 capacity / InnoDB Buffer pool size (1.22%): 512.0M / 8.0G should be equal to 25%\n";
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("tuner.txt"), tuner).unwrap();
    fs::write(place.path().join("status.txt"), STATUS).unwrap();
    let assert = innosim(&["explain", place.path().to_str().unwrap()]).success();
    let out = text(&assert.get_output().stdout);
    assert!(out.contains(" on mysql-8.0.30: ") && out.contains("until the async limit"), "{out}");
    let sar = "Linux 6.1.0 (db1) \t02/11/2026 \t_x86_64_\t(16 CPU)\n\n10:14:01          DEV       tps     rkB/s     wkB/s   areq-sz    \
               aqu-sz     await     %util\n10:14:02      nvme0n1   5100.00   1600.00  90000.00   17.96      2.10      0.41     81.00\n";
    says("sar.txt", sar, &["explain"], &["is sar's report", "iostat -dxmt 1"]);
    let slap =
        "Benchmark\n\tRunning for engine innodb\n\tAverage number of seconds to run all queries: 12.345 seconds\n";
    says("slap.txt", slap, &["explain"], &["is mysqlslap's report"]);
    let crash = "2026-03-02T09:10:03.310000Z 1 [Note] [MY-013086] [InnoDB] Starting to parse redo log at lsn = 81234567890, whereas \
                 checkpoint_lsn = 81234567912 and start_lsn = 81234567680\n2026-03-02T09:10:30.310000Z 1 [Note] [MY-012550] [InnoDB] Doing \
                 recovery: scanned up to log sequence number 81623567890\n";
    says("mysqld.err", crash, &["explain"], &["is an error log", "its crash recovery read 371 MiB of redo"]);
}

#[test]
fn error_logs_of_different_years_are_not_put_on_one_axis() {
    let place = tempfile::tempdir().unwrap();
    let line = |time: &str| {
        format!("{time}Z 0 [Note] [MY-011953] [InnoDB] Page cleaner took 4218ms to flush 1874 and evict 0 pages\n")
    };
    fs::write(place.path().join("old.err"), line("2018-06-11T22:40:05.113391")).unwrap();
    fs::write(place.path().join("new.err"), line("2026-03-02T09:14:11.120933")).unwrap();
    let assert = innosim(&["explain", place.path().to_str().unwrap()]).success();
    let (out, said) = (text(&assert.get_output().stdout), text(&assert.get_output().stderr));
    assert!(out.contains("A loop of the page cleaner took") || out.contains("1 loop"), "{out}");
    assert!(said.contains("old.err: its messages end 2820 days before those of new.err begin"), "{said}");
    // One log of many months: days and hours.
    let both = line("2026-01-02T09:14:11.120933") + line("2026-03-02T09:14:11.120933").replace("1874", "3").as_str();
    says("long.err", &both, &["explain"], &["59 d 0 h A loop of 4.2 s wrote or evicted 3 pages"]);
}

/// What a chart, a parameter group, a server that has not started yet and dstat leave.
#[test]
fn values_of_a_chart_formulas_of_rds_and_what_mysqld_would_start_with() {
    let chart = "auth:\n  rootPassword: x\nprimary:\n  configuration: |-\n    [mysqld]\n    innodb_buffer_pool_size=3G\n    innodb_io_capacity=600\n    port=3306\n    [client]\n    port=3306\n";
    let group = r#"{"Parameters": [{"ParameterName": "innodb_buffer_pool_size", "ParameterValue": "{DBInstanceClassMemory*3/4}"}]}"#;
    let help = "mysqld  Ver 8.0.36 for Linux on x86_64 (MySQL Community Server - GPL)\n\nVariables (--variable-name=value)\nand boolean options \
                {FALSE|TRUE}  Value (after reading options)\n------------ -------------\ninnodb-adaptive-flushing    FALSE\n\
                innodb-io-capacity          700\ninnodb-io-capacity-max      18446744073709551615\n\nTo see what values\n";
    let dstat = "\"Dstat 0.7.4 CSV output\"\n\"Host:\",\"db7\",,,,\"User:\",\"root\"\n\"system\",\"dsk/total\",\n\"time\",\"read\",\"writ\"\n12-03 10:00:01,1.0,2.0\n";
    says(
        "values.yaml",
        chart,
        &["settings", "--my-cnf"],
        &["Understood (2)", "innodb_io_capacity 600", "No effect in the model"],
    );
    says("rds.json", group, &["settings", "--my-cnf"], &["it is a formula of RDS: write what it comes to"]);
    says(
        "help.txt",
        help,
        &["settings", "--show-variables"],
        &["innodb_adaptive_flushing OFF", "innodb_io_capacity 700", "Understood (2)"],
    );
    says("dstat.csv", dstat, &["explain"], &["is dstat's table", "iostat -dxmt 1"]);
}
