//! Reading what people have. The files in `formats/` were made by the real programs against a MariaDB 10.11.19
//! (mysqladmin, pt-mext and pt-stalk 3.2, Prometheus with mysqld_exporter 0.14, sysbench 1.0.20) and shortened to some
//! counters.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use innosim_flush_models::registry::ModelId;
use innosim_recordings::{Purpose, Quantity, Recording, Script, find};
use std::fs;
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    Path::new("tests/formats").join(name)
}

fn one(path: &Path) -> Recording {
    let mut found = find(path).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(found.len(), 1, "{path:?}");
    found.pop().unwrap()
}

/// A folder with these files, and the recording in it.
fn folder(files: &[(&str, &str)]) -> Recording {
    let place = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(place.path().join(name), text).unwrap();
    }
    one(place.path())
}

fn text(name: &str) -> String {
    fs::read_to_string(fixture(name)).unwrap()
}

fn differences(values: &[f64]) -> Vec<f64> {
    values.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

#[test]
fn mysqladmin_and_pt_mext_agree_in_all_forms() {
    let absolute = one(&fixture("mysqladmin.txt"));
    // Of 14 samples the first three are before the load, whose statements commit by themselves.
    assert_eq!(absolute.series.len(), 11);
    assert_eq!(differences(&absolute.series.seconds), vec![1.0; 10], "from Uptime");
    for name in ["mysqladmin-r.txt", "mext.txt", "mext-r.txt"] {
        let other = one(&fixture(name));
        let n = other.series.len();
        assert!(n >= 8, "{name}: {n}");
        for quantity in [Quantity::Lsn, Quantity::CheckpointLsn, Quantity::DirtyPages, Quantity::PagesWritten] {
            let [a, b] = [&absolute, &other].map(|recording| recording.get(quantity).unwrap().with_nan());
            // The two were sampled by different processes: the same values, some a fraction of a second apart.
            let apart = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let most = if name == "mysqladmin-r.txt" { 200_000.0 } else { 0.0 };
            assert!(apart <= most, "{name} {quantity:?}: {apart}");
        }
    }
    let summed = one(&fixture("mext-r.txt"));
    assert_eq!(summed.remarks[0], "mext-r.txt: holds differences (-r), which were summed up");
}

#[test]
fn a_run_of_pt_stalk_is_put_together() {
    let recording = one(&fixture("pt-stalk"));
    assert_eq!(recording.server.model, Some(ModelId::Mariadb1011));
    assert_eq!(recording.cpus, Some(2));
    assert!(recording.variables.contains_key("innodb_io_capacity"));
    // Status by its Uptime, /proc/stat by seconds since 1970, InnoDB's status by its date, together on one axis.
    for column in ["Innodb_pages_written", "cpu.user", "log.log_sequence_number", "bp.modified_db_pages"] {
        let values = recording.series.column(column).unwrap_or_else(|| panic!("{column}: {:?}", recording.remarks));
        assert!(values.present().next().is_some(), "{column}");
    }
    assert_eq!(recording.remarks, Vec::<String>::new());
}

#[test]
fn a_log_of_sysbench_finds_its_place_by_the_counters() {
    let command = "#!/bin/sh\nsysbench --mysql-user=root \\\n  /usr/share/sysbench/oltp_update_non_index.lua --tables=2 \\\n  \
                   --table-size=20000 --rand-type=uniform run\n";
    let recording = folder(&[
        ("status.txt", &text("mysqladmin.txt")),
        ("sysbench.log", &text("sysbench.log")),
        ("variables.txt", &text("variables.txt")),
        ("run.sh", command),
    ]);
    let phase = &recording.phases[0];
    assert_eq!(phase.script, Script::Oltp("oltp_update_non_index".to_owned()));
    assert_eq!((phase.tables, phase.table_size, phase.threads, phase.rate), (2, 20_000, 2, Some(300.0)));
    assert_eq!((phase.start_s, phase.end_s), (0.0, 8.0));
    // Samples began three seconds before the load.
    assert!((-4.0..=-3.0).contains(&recording.series.seconds[0]), "{:?}", recording.series.seconds);
    let tps = recording.get(Quantity::Tps).unwrap();
    assert_eq!(tps.present().count(), 8, "{tps:?}");
    for purpose in [Purpose::Calibrate, Purpose::Validate] {
        assert_eq!(recording.missing(purpose), [], "{purpose}");
    }
    assert_eq!(
        recording.remarks,
        ["sysbench.log: has no times; placed where its throughput follows the counters of status.txt"]
    );
}

#[test]
fn times_that_nothing_ties_to_the_samples_are_not_called_missing() {
    let stamped: String = text("sysbench.log")
        .lines()
        .zip(1_795_000_000..)
        .map(|(line, second)| format!("{second}.0 {line}\n"))
        .collect();
    let recording = folder(&[("status.txt", &text("mysqladmin.txt")), ("sysbench.log", &stamped)]);
    let said = "sysbench.log: its times can't be compared with those of status.txt, which has no times of day; placed where \
                its throughput follows the counters of status.txt";
    assert_eq!(recording.remarks, [said]);
    let elsewhere = "# sysbench oltp_insert run\n1795000001.0 [ 1s ] thds: 3 tps: 50.00\n";
    let recording = folder(&[("status.txt", &text("mysqladmin.txt")), ("sysbench.log", elsewhere)]);
    assert!(recording.remarks[0].contains("print `TS`") && !recording.remarks[0].contains("ts %"), "{recording:?}");
}

#[test]
fn an_option_that_is_no_number_is_named() {
    for option in ["--tables=$T", "--threads=0"] {
        let command = format!("sysbench oltp_update_non_index {option} --rate=300 run\n");
        let status = ("status.txt", &text("mysqladmin.txt")[..]);
        let variables = ("variables.txt", &text("variables.txt")[..]);
        let with_log = folder(&[status, variables, ("sysbench.log", &text("sysbench.log")), ("command.txt", &command)]);
        let alone = folder(&[status, variables, ("command.txt", &command)]);
        for recording in [with_log, alone] {
            let said = recording.check(Purpose::Calibrate).unwrap_err();
            let what = format!("no number above 0 in `{option}` of sysbench's command line, which calibrate needs");
            assert!(said.contains(&what) && said.lines().count() == 2, "{said}");
        }
    }
}

#[test]
fn a_command_line_alone_makes_the_server_count_transactions() {
    let recording = folder(&[
        ("status.txt", &text("mysqladmin.txt")),
        ("command.txt", "sysbench oltp_update_non_index --tables=2 --table-size=20000 --threads=2 --rate=300 run\n"),
    ]);
    let tps = recording.get(Quantity::Tps).unwrap();
    let (start, end) = recording.load_window();
    assert_eq!(start, 0.0);
    assert!((8.0..=9.0).contains(&end), "{end}");
    assert_eq!(tps.present().sum::<f64>(), 1086.0, "what sysbench counted");
}

#[test]
fn prometheus_has_the_names_of_the_server() {
    let recording = one(&fixture("prometheus.json"));
    assert_eq!(recording.server.model, Some(ModelId::Mariadb1011));
    assert_eq!(differences(&recording.series.seconds), vec![1.0; 4]);
    let first = |column: &str| recording.series.column(column).and_then(|values| values.at(0));
    assert_eq!(first("Innodb_buffer_pool_pages_dirty"), Some(768.0));
    assert_eq!(first("Innodb_buffer_pool_pages_data"), Some(925.0));
    assert_eq!(first("m.log_lsn_buf_pool_oldest"), Some(44_776.0));
    assert_eq!(first("m.buffer_flush_pct_for_lsn"), Some(0.0));
    let lsn = recording.get(Quantity::Lsn).unwrap().with_nan();
    assert!(differences(&lsn).iter().all(|grown| *grown >= 0.0), "{lsn:?}");
}

/// The fixture's answer with each sample given `times` times over: the step is so much finer than the scrapes.
fn repeated(times: u32) -> String {
    let mut document: serde_json::Value = serde_json::from_str(&text("prometheus.json")).unwrap();
    for series in document["data"]["result"].as_array_mut().unwrap() {
        let values = series["values"].as_array().unwrap();
        let again = values.iter().flat_map(|pair| {
            let at = |i: u32| pair[0].as_f64().unwrap() + f64::from(i) / f64::from(times);
            (0..times).map(move |i| serde_json::json!([at(i), pair[1]]))
        });
        series["values"] = again.collect();
    }
    document.to_string()
}

#[test]
fn scrapes_that_a_fine_step_repeats_count_once() {
    let (once, again) = (one(&fixture("prometheus.json")), folder(&[("prometheus.json", &repeated(5))]));
    assert_eq!(again.series.seconds, once.series.seconds);
    assert_eq!(again.get(Quantity::Lsn), once.get(Quantity::Lsn));
    assert!(again.remarks[0].contains("20 samples that repeat the one before"), "{:?}", again.remarks);
}

#[test]
fn status_comes_in_every_layout_that_clients_print() {
    let rows = [("Uptime", "10"), ("Innodb_pages_written", "7"), ("Innodb_lsn_current", "900")];
    let bordered: String = rows.iter().map(|(name, value)| format!("| {name} | {value} |\n")).collect();
    let vertical: String = rows
        .iter()
        .map(|(name, value)| format!("*** 1. row ***\nVariable_name: {name}\n        Value: {value}\n"))
        .collect();
    let commas: String = rows.iter().map(|(name, value)| format!("\"{name}\",\"{value}\"\n")).collect();
    let capitals: String = rows.iter().map(|(name, value)| format!("{}\t{value}\n", name.to_uppercase())).collect();
    let metrics = "NAME\tSUBSYSTEM\tCOUNT\nbuffer_pool_pages_dirty\tbuffer\t5\n";
    for layout in [
        bordered,
        vertical,
        format!("\"Variable_name\",\"Value\"\n{commas}"),
        format!("VARIABLE_NAME\tVARIABLE_VALUE\n{capitals}INNODB_IO_CAPACITY\t300\n"),
    ] {
        let recording = folder(&[("status.txt", &format!("{layout}{metrics}"))]);
        assert_eq!(recording.get(Quantity::PagesWritten), Some(vec![7.0].into()), "{layout}");
        assert_eq!(recording.get(Quantity::Lsn), Some(vec![900.0].into()), "{layout}");
        assert_eq!(recording.series.column("m.buffer_pool_pages_dirty"), Some(vec![5.0].into()), "{layout}");
        let stated = recording.variables.get("innodb_io_capacity").map(String::as_str);
        assert_eq!(stated, layout.contains("INNODB_IO").then_some("300"));
    }
}

#[test]
fn files_that_follow_each_other_are_one_recording() {
    let sample = |second: u32| {
        format!("TS {}.0\nInnodb_lsn_current\t{}\nUptime\t{second}\n", 1_795_000_000 + second, second * 10)
    };
    let [first, second]: [String; 2] = [1..5, 5..8].map(|seconds| seconds.map(sample).collect());
    let second = second + "file system: xfs\nrotational: 0\ncap blkio.throttle.write_iops_device: 254:0 3000\n";
    let recording = folder(&[("b.txt", &first), ("a.txt", &second)]);
    assert_eq!(recording.get(Quantity::Lsn), Some((1..8).map(|second| Some(f64::from(second) * 10.0)).collect()));
    let machine = (recording.file_system.as_deref(), recording.rotational, recording.cap.write_iops);
    assert_eq!(machine, (Some("xfs"), Some(false), 3000.0), "what stands in the second alone");
    assert_eq!(recording.remarks, ["a.txt: goes on where b.txt ends"]);
}

#[test]
fn where_files_overlap_the_earlier_one_counts() {
    let sample = |second: u32, lsn: u32| {
        format!("TS {}.0\nInnodb_lsn_current\t{lsn}\nUptime\t{second}\n", 1_795_000_000 + second)
    };
    let first: String = (1..6).map(|second| sample(second, second * 10)).collect();
    // The second loop was started before the first one ended, half of the way through.
    let second: String = (4..9).map(|second| sample(second, second * 10 + 1)).collect();
    for [a, b] in [[&first, &second], [&second, &first]] {
        let recording = folder(&[("a.txt", a), ("b.txt", b)]);
        let lsn: Vec<f64> = (1..9).map(|second| f64::from(second * 10 + u32::from(second > 5))).collect();
        assert_eq!(recording.get(Quantity::Lsn), Some(lsn.into()));
        let [remark] = &recording.remarks[..] else { panic!("{:?}", recording.remarks) };
        assert!(remark.ends_with("ends, as the two overlap"), "{remark}");
    }
}

#[test]
fn throughput_of_a_rare_sample_is_that_of_all_intervals_before_it() {
    let sample = |second: u32| format!("TS {}.0\nUptime\t{second}\n", 1_795_000_000 + second);
    let status: String = (0..40).step_by(10).map(sample).collect();
    let line = |second: u32| format!("{}.0 [ {second}s ] thds: 3 tps: {}.00\n", 1_795_000_000 + second, 10 * second);
    let lines = |missing: std::ops::Range<u32>| -> String {
        (1..=30).filter(|second| !missing.contains(second)).map(line).collect()
    };
    let tps = |log: &str| folder(&[("status.txt", &status), ("load.log", log)]).get(Quantity::Tps).unwrap();
    assert_eq!(tps(&lines(0..0)).present().collect::<Vec<f64>>(), [55.0, 155.0, 255.0]);
    let with_gap = tps(&lines(11..21));
    assert_eq!((with_gap.at(1), with_gap.at(3)), (Some(55.0), Some(255.0)));
    assert!(with_gap.at(2).is_none(), "nothing is made up: {with_gap:?}");
}

#[test]
fn snapshots_of_innodb_status_of_several_versions() {
    let recording = one(&fixture("innodb-status.txt"));
    assert_eq!(recording.get(Quantity::Lsn), Some(vec![11_282_368.0].into()));
    assert_eq!(recording.get(Quantity::CheckpointLsn), Some(vec![44_760.0].into()));
    let percona = |time: &str, lsn: u64| {
        format!(
            "=====================================\n{time} INNODB MONITOR OUTPUT\n=====================================\n\
             ---\nLOG\n---\nLog sequence number {lsn}\nLog flushed up to   {lsn}\nLast checkpoint at  100\n\
             Max checkpoint age    80826164\nCheckpoint age target 78300347\n0 pending log writes, 0 pending chkp writes\n\
             ----------------------\nBUFFER POOL AND MEMORY\n----------------------\nDatabase pages     50\n\
             Modified db pages  7\nPages read 1, created 2, written 3\n----------------------------\n\
             END OF INNODB MONITOR OUTPUT\n============================\n"
        )
    };
    let samples = [percona("120607  9:02:34", 1000), percona("120607  9:03:04", 4000)];
    let series = samples.join("other lines\n");
    let recording = folder(&[("innodb.txt", &series)]);
    assert_eq!(recording.series.seconds, [0.0, 30.0]);
    assert_eq!(recording.get(Quantity::Lsn), Some(vec![1000.0, 4000.0].into()));
    assert_eq!(recording.series.column("log.max_checkpoint_age"), Some(vec![80_826_164.0; 2].into()));
    assert_eq!(recording.get(Quantity::PagesWritten), Some(vec![3.0; 2].into()));
    // `mysql --batch` writes the text in one line.
    let batch =
        format!("Type\tName\tStatus\nInnoDB\t\t{}\n", percona("2026-11-21 15:20:23 0x7f", 5).replace('\n', "\\n"));
    assert_eq!(folder(&[("innodb.txt", &batch)]).get(Quantity::Lsn), Some(vec![5.0].into()));
}

#[test]
fn what_lies_beyond_a_restart_of_the_server_is_left_out() {
    let block = |uptime: u32, written: u32| {
        format!("| Innodb_page_size | 16384 |\n| Innodb_pages_written | {written} |\n| Uptime | {uptime} |\n")
    };
    let text = [(500, 90), (510, 95), (3, 1), (13, 4)].map(|(uptime, written)| block(uptime, written)).concat();
    let recording = folder(&[("status.txt", &text)]);
    assert_eq!(recording.series.seconds, [0.0, 10.0]);
    assert_eq!(recording.get(Quantity::PagesWritten), Some(vec![90.0, 95.0].into()));
    assert!(recording.remarks[0].contains("started anew before sample 3"), "{:?}", recording.remarks);
    assert!(recording.remarks[1].contains("from 0 to 10 s (2 of 4 samples)"), "{:?}", recording.remarks);
    // With times the load goes on behind it.
    let stamped = |(i, (uptime, written)): (u32, (u32, u32))| {
        format!("TS {}.0\n{}", 1_795_000_000 + 10 * i, block(uptime, written).replace("| ", "").replace(" |", ""))
    };
    let samples = [(500, 90), (510, 95), (3, 1), (13, 4), (23, 9)];
    let text: String = (0..).zip(samples).map(stamped).collect::<String>().replace(' ', "\t").replace("TS\t", "TS ");
    let mut log = "# sysbench oltp_insert --tables=1 --table-size=10 --threads=3 run\n".to_owned();
    for second in 1..=38 {
        log.push_str(&format!("{}.0 [ {second}s ] thds: 3 tps: 50.00\n", 1_795_000_002 + second));
    }
    let recording = folder(&[("status.txt", &text), ("load.log", &log)]);
    assert_eq!(recording.get(Quantity::PagesWritten), Some(vec![1.0, 4.0, 9.0].into()));
    assert_eq!(recording.load_window(), (0.0, 20.0));
    assert_eq!(recording.remarks.len(), 1);
    assert!(recording.remarks[0].contains("20 s after the first"), "{:?}", recording.remarks);
}

#[test]
fn stamped_samples_and_a_stamped_log_share_a_clock() {
    let sample = |second: u32| {
        format!(
            "TS {}.5\nVariable_name\tValue\nInnodb_lsn_current\t{}\nUptime\t{second}\n",
            1_795_000_000 + second,
            second * 10
        )
    };
    let status: String = (10..20).map(sample).collect();
    let log = "# sysbench oltp_insert --tables=1 --table-size=10 --threads=3 run\n\
               1795000012.0 Number of threads: 3\n1795000013.4 [ 1s ] thds: 3 tps: 50.00\n1795000014.4 [ 2s ] thds: 3 tps: 70.00\n";
    let recording = folder(&[("status.txt", &status), ("load.log", log)]);
    assert_eq!(recording.series.seconds[..3], [-1.9, -0.9, 0.1]);
    let tps = recording.get(Quantity::Tps).unwrap();
    assert_eq!((tps.at(3), tps.at(4)), (Some(50.0), Some(70.0)), "{tps:?}");
    assert!(tps.at(0).is_none() && tps.at(6).is_none(), "{tps:?}");
}

#[test]
fn every_purpose_says_what_is_missing() {
    let recordings = [
        ("sysbench's log alone", one(&fixture("sysbench.log"))),
        ("mysqladmin alone", one(&fixture("mysqladmin.txt"))),
        ("pt-stalk", one(&fixture("pt-stalk"))),
        ("Prometheus", one(&fixture("prometheus.json"))),
    ];
    let mut text = String::new();
    for (title, recording) in recordings {
        for purpose in [Purpose::Calibrate, Purpose::Validate, Purpose::Replay] {
            text.push_str(&format!("== {title}: {purpose}\n"));
            recording.missing(purpose).iter().for_each(|missing| text.push_str(&format!("{missing}\n")));
        }
    }
    insta::assert_snapshot!(text);
}

#[test]
fn broken_files_are_refused_with_their_place() {
    let prometheus = text("prometheus.json");
    let instances = prometheus.replacen("127.0.0.1:19104", "db2:9104", 1);
    let twice = prometheus
        .replacen("\"job\": \"mysql\"", "\"job\": \"other\"", 1)
        .replace("version_info", "global_status_uptime");
    let ticks = |host: &str| {
        let metric =
            format!("\"__name__\":\"node_cpu_seconds_total\",\"mode\":\"user\",\"cpu\":\"0\",\"instance\":\"{host}\"");
        format!("{{\"metric\":{{{metric}}},\"values\":[[1.0,\"5\"],[2.0,\"6\"]]}},")
    };
    let hosts =
        prometheus.replacen("\"result\": [", &format!("\"result\": [{}{}", ticks("db1:9100"), ticks("db2:9100")), 1);
    assert_ne!(hosts, prometheus);
    let uptime = text("mysqladmin.txt").replace("| Uptime ", "| Downtime ");
    let cases = [
        ("no-times.txt", uptime),
        ("broken.log", "[ 1s ] thds: 4 tps: 5\n[ 2s ] thds: 4 tps: nan\n".to_owned()),
        ("cut.json", prometheus[..prometheus.len() / 2].to_owned()),
        ("instances.json", instances),
        ("twice.json", twice),
        ("hosts.json", hosts),
        (
            "error.json",
            r#"{"status":"error","errorType":"bad_data","error":"exceeded maximum resolution of 11,000 points"}"#
                .to_owned(),
        ),
        ("instant.json", r#"{"status":"success","data":{"resultType":"vector","result":[]}}"#.to_owned()),
        ("empty.json", r#"{"status":"success","data":{"resultType":"matrix","result":[]}}"#.to_owned()),
        ("other.txt", "Dear diary\n".to_owned()),
        ("closing.log", "sysbench 1.0.20\n\nRunning the test with following options:\nSQL statistics:\n".to_owned()),
        ("variables.txt", text("variables.txt")),
    ];
    let place = tempfile::tempdir().unwrap();
    let mut said = String::new();
    for (name, content) in cases {
        let path = place.path().join(name);
        fs::write(&path, content).unwrap();
        let error = find(&path).map(|_| ()).unwrap_err().to_string();
        said.push_str(&format!("{}\n\n", error.replace(&place.path().display().to_string(), "DIR")));
    }
    insta::assert_snapshot!(said);
}

/// Made by sysstat 12.6.1.
#[test]
fn caps_of_the_control_group_are_those_of_the_recording() {
    let samples = "TS 1795796024.0\nCOLUMN\tVALUE\ncg.write_ios\t5\nTS 1795796025.0\nCOLUMN\tVALUE\ncg.write_ios\t9\n";
    let limits = |host: &str| {
        let recording = folder(&[("processes.txt", samples), ("host.txt", host)]);
        let cap = recording.cap;
        (
            cap.name.clone(),
            [cap.write_iops, cap.read_iops, cap.write_bytes_per_s, cap.read_bytes_per_s],
            recording.rotational,
        )
    };
    let v1 = "CPU(s): 2\nrotational: 1\nscheduler: none [mq-deadline] kyber bfq\nfile system: ext4\nmount options: rw,relatime\n\
              cap blkio.throttle.read_iops_device: 254:0 6000\ncap blkio.throttle.write_iops_device: 254:0 3000\n\
              cap blkio.throttle.write_bps_device: 254:0 60000000\n";
    assert_eq!(limits(v1), ("control group".to_owned(), [3000.0, 6000.0, 60e6, 0.0], Some(true)));
    let v2 = "CPU(s): 2\nrotational: 0\ncap io.max: 254:0 rbps=max wbps=60000000 riops=max wiops=3000\n";
    assert_eq!(limits(v2), ("control group".to_owned(), [3000.0, 0.0, 60e6, 0.0], Some(false)));
    assert_eq!(limits("CPU(s): 2\n").0, "raw");
}

/// As `innosim collect` writes it, and alone in a file of that name.
#[test]
fn the_file_system_of_the_data_is_read() {
    let samples = "TS 1795796024.0\nCOLUMN\tVALUE\ncg.write_ios\t5\nTS 1795796025.0\nCOLUMN\tVALUE\ncg.write_ios\t9\n";
    let kind = |file: &str, text: &str| folder(&[("processes.txt", samples), (file, text)]).file_system;
    assert_eq!(kind("host.txt", "CPU(s): 2\nfile system: ext4\nmount options: rw,relatime\n").as_deref(), Some("ext4"));
    assert_eq!(kind("filesystem", "xfs\n").as_deref(), Some("xfs"));
    assert_eq!(kind("host.txt", "CPU(s): 2\n"), None);
}

#[test]
fn reports_of_iostat_tell_what_the_disk_does() {
    let status = |(unix, written): (&str, u32)| {
        format!("TS {unix}\nVariable_name\tValue\nInnodb_os_log_written\t{written}\nInnodb_pages_written\t{written}\n")
    };
    let status: String = [("1795569755.5", 10), ("1795569758", 20), ("1795569759", 30)].map(status).concat();
    let status = status.as_str();
    // Its clock has no zone; the nearest is taken.
    let with_times = folder(&[("status.txt", status), ("iostat.txt", &text("iostat.txt"))]);
    let disk = with_times.disk_use().unwrap();
    assert_eq!((disk.name.as_str(), disk.source), ("vda", "iostat"));
    assert_eq!(with_times.series.len(), 3, "the server's samples are the axis");
    assert_eq!(with_times.series.column("disk.wr_ios").unwrap().at(2), Some(0.0));
    assert_eq!(disk.reports.len(), 1, "between two samples of the server");
    let without = folder(&[("status.txt", status), ("iostat.json", &text("iostat.json"))]);
    let disk = without.disk_use().unwrap();
    assert_eq!((disk.reports.len(), without.series.column("disk.wr_ios")), (2, None), "two of three, and no times");
    assert_eq!(disk.mean(|report| report.reads), (66.0 + 358.0) / 2.0);
    assert!((disk.mean(|report| report.write_bytes) - 0.01 * 1_048_576.0).abs() < 1.0);
    assert!((disk.operation_ms().unwrap() - 1000.0 * 0.82 / 426.0).abs() < 1e-9, "{:?}", disk.operation_ms());
    let cut = text("iostat.json")[..600].to_owned();
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("iostat.json"), cut).unwrap();
    let error = find(&place.path().join("iostat.json")).unwrap_err().to_string();
    assert!(error.contains("is iostat's JSON, and broken") && error.contains("iostat -dxmt 1"), "{error}");
}
