//! Reading the layout of our own recorder: a small one made here, broken ones, and those that are shipped.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use flate2::Compression;
use flate2::write::GzEncoder;
use innosim_flush_models::registry::{ModelId, Value};
use innosim_recordings::{Quantity, Recording, find, read_lab, understood_settings};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

const SERIES: &str = "rel,sb.tps,Innodb_buffer_pool_pages_dirty,m.log_lsn_current\n\
                      -1.5,,0,5000\n-0.5,,0,5000\n0.5,100.5,40,9000\n1.5,,80,13000\n";
const RUN: &str = r#"{
  "server": "mysql", "version": "8.0.36", "cpus": 2, "clean_start": true, "cap_name": "ssd-small",
  "cap": {"wiops": 3000, "wbps": 60000000, "riops": 0, "rbps": 0},
  "variables": {"innodb_io_capacity": "2000", "innodb_io_capacity_max": "many", "innodb_doublewrite": "ON"},
  "sysbench": ["sysbench oltp_write_only --tables=8 --table-size=1000 --threads=4 --rand-type=uniform run"],
  "sysbench_start_rel": [0.0], "sysbench_end_rel": [1.4],
  "zero_columns": ["m.buffer_flush_sync_total_pages"], "notes": "made for a test"
}"#;

fn gz(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// A recording in `folder/server/run`.
fn write(folder: &Path, run: &str, series: &[u8]) -> PathBuf {
    let place = folder.join("server").join("run");
    fs::create_dir_all(&place).unwrap();
    fs::write(place.join("run.json"), run).unwrap();
    fs::write(place.join("series.csv.gz"), series).unwrap();
    place
}

fn good() -> Recording {
    let folder = tempfile::tempdir().unwrap();
    read_lab(&write(folder.path(), RUN, &gz(SERIES))).unwrap()
}

/// The message of a recording that is refused.
fn refused(run: &str, series: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    read_lab(&write(folder.path(), run, series)).unwrap_err().to_string()
}

#[test]
fn a_recording_is_read_with_its_gaps() {
    let recording = good();
    assert_eq!(recording.name, Path::new("server").join("run").display().to_string());
    assert_eq!(recording.server.model, Some(ModelId::Mysql8030));
    assert_eq!(recording.series.seconds, [-1.5, -0.5, 0.5, 1.5]);
    let tps = recording.get(Quantity::Tps).unwrap();
    assert!(tps.at(0).is_none() && tps.at(2) == Some(100.5) && tps.at(3).is_none(), "{tps:?}");
    assert_eq!(recording.get(Quantity::SyncPages), Some(vec![0.0; 4].into()), "a counter that stayed 0");
    assert_eq!((recording.cap.write_iops, recording.cap.name.as_str()), (3000.0, "ssd-small"));
    assert_eq!((recording.load_window(), recording.closed_loop()), ((0.0, 1.4), true));
    assert_eq!(recording.notes, ["made for a test"]);
}

#[test]
fn seconds_in_which_the_machine_stood_still_are_known() {
    let series = "rel,sb.tps,Innodb_pages_written,m.log_lsn_current\n\
                  -0.5,0,40,9000\n0.5,100,40,9000\n1.5,0,40,9000\n2.5,0,90,9000\n3.5,0,90,9000\n4.5,50,90,9500\n";
    let run = RUN.replace("[1.4]", "[4.0]");
    let folder = tempfile::tempdir().unwrap();
    let recording = read_lab(&write(folder.path(), &run, &gz(series))).unwrap();
    assert_eq!(
        recording.frozen(),
        [false, false, true, false, true, false],
        "a stall with pages written is the server's"
    );
    let open = run.replace("--threads=4", "--threads=4 --rate=100");
    let recording = read_lab(&write(folder.path(), &open, &gz(series))).unwrap();
    assert!(!recording.frozen().contains(&true), "an open loop may have nothing to do");
}

#[test]
fn a_recording_may_be_packed_or_not_and_called_otherwise() {
    let whole = good();
    let same = |files: &[(&str, &[u8])]| {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("server").join("run");
        fs::create_dir_all(&place).unwrap();
        files.iter().for_each(|(name, bytes)| fs::write(place.join(name), bytes).unwrap());
        let recording = find(folder.path()).unwrap().remove(0);
        assert_eq!((&recording.series.seconds, &recording.phases), (&whole.series.seconds, &whole.phases));
        find(&place.join(files[0].0)).unwrap();
    };
    let with_mark = format!("\u{feff}{}", SERIES.replace('\n', "\r\n"));
    same(&[("series.csv", SERIES.as_bytes()), ("run.json.gz", &gz(RUN))]);
    same(&[("series.csv.gz", with_mark.as_bytes()), ("run.json", RUN.as_bytes())]);
    same(&[("counters.csv.gz", &gz(SERIES)), ("about.json", RUN.as_bytes()), ("fio.json", b"{\"jobs\": []}")]);
}

#[test]
fn settings_may_be_numbers_and_the_server_is_known_by_its_version() {
    let run = RUN
        .replace("\"server\": \"mysql\", ", "")
        .replace("\"2000\"", "2000")
        .replace("\"innodb_doublewrite\": \"ON\"", "\"innodb_doublewrite\": false")
        .replace("\"8.0.36\"", "\"8.0.36-28\", \"version_comment\": \"Percona Server (GPL), Release 28\"");
    let folder = tempfile::tempdir().unwrap();
    let recording = read_lab(&write(folder.path(), &run, &gz(SERIES))).unwrap();
    assert_eq!(recording.server.model, Some(ModelId::Percona80));
    let (settings, _) = understood_settings(&recording, ModelId::Percona80);
    assert_eq!(settings.get("innodb_io_capacity"), Some(&Value::Integer(2000)));
    assert_eq!(settings.get("innodb_doublewrite"), Some(&Value::Choice("OFF")));
    let elsewhere = RUN
        .replace("\"version\": \"8.0.36\", ", "")
        .replace("\"variables\": {", "\"variables\": {\"version\": \"9.7.0\", ");
    let recording = read_lab(&write(folder.path(), &elsewhere, &gz(SERIES))).unwrap();
    assert_eq!(recording.server.model, Some(ModelId::Mysql97));
}

#[test]
fn the_end_of_a_load_is_known_by_its_time_but_not_the_start_of_a_second_one() {
    let read = |run: &str| {
        let folder = tempfile::tempdir().unwrap();
        read_lab(&write(folder.path(), run, &gz(SERIES))).unwrap()
    };
    let silent = RUN.replace("  \"sysbench_start_rel\": [0.0], \"sysbench_end_rel\": [1.4],\n", "");
    assert_eq!(read(&silent).load_window(), (0.0, 0.5), "the last report");
    assert_eq!(read(&silent.replace("--threads=4", "--threads=4 --time=1")).load_window(), (0.0, 1.0));
    let command = "\"sysbench oltp_insert run\"";
    let two = read(&silent.replace("\"sysbench\": [", &format!("\"sysbench\": [{command}, ")));
    assert!(two.phases.is_empty(), "{:?}", two.phases);
    assert!(
        two.remarks.iter().any(|r| r.contains("when load generator 1 began (`sysbench_start_rel`)")),
        "{:?}",
        two.remarks
    );
}

#[test]
fn what_the_two_files_lack_is_in_others_or_in_counters() {
    let series = "rel,t,Com_commit,cpu.user,cpu.system,cpu.idle,m.log_lsn_current\n\
                  -0.5,1795238380,0,0,0,0,5000\n\
                  0.5,1795238381,60,100,50,50,9000\n1.5,1795238382,160,200,100,100,13000\n";
    let read = |run: &str, beside: &[(&str, &str)]| {
        let folder = tempfile::tempdir().unwrap();
        let place = write(folder.path(), run, &gz(series));
        beside.iter().for_each(|(name, text)| fs::write(place.join(name), text).unwrap());
        find(folder.path()).unwrap().remove(0)
    };
    let counted = read(&RUN.replace("\"cpus\": 2, ", ""), &[]);
    assert_eq!(counted.get(Quantity::Tps).unwrap().with_nan()[1..], [60.0, 100.0]);
    assert!(counted.remarks[0].contains("counted by Com_commit"), "{:?}", counted.remarks);
    assert_eq!(counted.cpus, Some(2), "400 ticks in 2 s");

    let command = "sysbench oltp_write_only --tables=8 --threads=4 run";
    let log = format!("# {command}\n1795238381.6 [ 1s ] thds: 4 tps: 70.0\n1795238382.6 [ 2s ] thds: 4 tps: 90.0\n");
    let bare = "{\"version\": \"8.0.36\", \"variables\": {}}";
    let completed = read(
        bare,
        &[("sysbench.log", &log), ("variables.txt", "innodb_io_capacity\t700\ninnodb_buffer_pool_size\t1\n")],
    );
    assert_eq!(completed.variables.get("innodb_io_capacity").map(String::as_str), Some("700"));
    assert!(completed.remarks.iter().any(|remark| remark.contains("has no `cap`")), "{:?}", completed.remarks);
    let phase = &completed.phases[0];
    assert_eq!((phase.tables, phase.threads), (8, 4));
    // Zero is at 1795238380.5.
    assert!((phase.start_s - 0.1).abs() < 1e-6 && (phase.end_s - 2.1).abs() < 1e-6, "{phase:?}");
    assert_eq!(completed.get(Quantity::Tps).unwrap().at(2), Some(70.0));
}

#[test]
fn samples_rarer_than_reports_count_transactions() {
    let series = "rel,sb.tps,Com_commit,m.log_lsn_current\n-5,,0,5000\n0,,0,9000\n5,10,500,13000\n10,10,1000,14000\n";
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &RUN.replace("[1.4]", "[10.0]"), &gz(series));
    let recording = find(folder.path()).unwrap().remove(0);
    assert_eq!(recording.get(Quantity::Tps).unwrap().with_nan()[2..], [100.0, 100.0]);
    assert_eq!(recording.tps_interval_s(), 5.0);
    let spaced = RUN.replace("[1.4]", "[10.0]").replace("--threads=4", "--threads=4 --report-interval=5");
    write(folder.path(), &spaced, &gz(series));
    let recording = find(folder.path()).unwrap().remove(0);
    assert_eq!(recording.get(Quantity::Tps).unwrap().with_nan()[2..], [10.0, 10.0], "a report for each sample");
}

/// A latency of the load generator is that of a unit of work if as many were done as it reports.
#[test]
fn a_latency_is_of_the_work_that_the_load_generator_did() {
    let head = "rel,sb.tps,sb.lat_ms,Com_commit,Innodb_buffer_pool_pages_dirty,Innodb_pages_written,\
                m.log_lsn_current,m.log_lsn_last_checkpoint\n";
    let latency_of = |commits_a_second: u32| {
        let line = |i: u32| format!("{i},100,7.5,{},{},0,{},5000\n", commits_a_second * i, 10 + i, 5000 + 9000 * i);
        let series: String = std::iter::once(head.to_owned()).chain((0..90).map(line)).collect();
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), RUN, &gz(&series));
        let unknown = find(folder.path()).unwrap().remove(0).as_unknown_load().unwrap();
        unknown.recording.latency().map(|(_, ms)| ms)
    };
    assert_eq!(latency_of(100).and_then(|latency| latency.at(50)), Some(7.5));
    assert_eq!(latency_of(250), None, "others committed too");
}

/// One transaction that ends with COMMIT beside eight statements that commit by themselves: only the engine counts them all.
#[test]
fn work_of_a_mixed_load_is_counted_by_the_engine_where_it_counts() {
    let head = "rel,Com_commit,Com_update,m.trx_rw_commits,Innodb_buffer_pool_pages_dirty,Innodb_pages_written,\
                m.log_lsn_current,m.log_lsn_last_checkpoint\n";
    let unit_of = |engine: &dyn Fn(u32) -> String| {
        let line = |i: u32| format!("{i},{i},{},{},{},0,{},{}\n", 10 * i, engine(i), 10 + i, 5000 + 9000 * i, 5000);
        let series: String = std::iter::once(head.to_owned()).chain((0..90).map(line)).collect();
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), RUN, &gz(&series));
        let unknown = find(folder.path()).unwrap().remove(0).as_unknown_load().unwrap();
        let work = unknown.recording.series.column("derived.work").unwrap();
        (unknown.unit, work.at(89).unwrap() - work.at(0).unwrap())
    };
    let (unit, work) = unit_of(&|i| (9 * i).to_string());
    assert!(unit.contains("trx_rw_commits") && work == 801.0, "{unit}: {work}");
    let commits = ("transaction (Com_commit)".to_owned(), 89.0);
    assert_eq!(unit_of(&|_| "0".to_owned()), commits, "switched off");
    assert_eq!(unit_of(&|i| if i % 5 == 0 { (9 * i).to_string() } else { String::new() }), commits, "asked for rarely");
}

#[test]
fn a_load_that_began_before_the_recording_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let at = |start: &str| {
        let run = RUN.replace("[0.0]", start);
        let recording = read_lab(&write(folder.path(), &run, &gz(SERIES))).unwrap();
        (recording.load_start(), recording.load_window().0)
    };
    assert_eq!(at("[-60.0]"), (-60.0, -1.5));
    assert_eq!(at("[0.0]"), (0.0, 0.0));
    assert_eq!(at("[-90000.0]"), (-3601.5, -1.5), "no further back than an hour");
}

#[test]
fn what_is_missing_is_said_with_what_to_record() {
    let missing = good().quantity(Quantity::PctForLsn, "replay").unwrap_err().to_string();
    assert!(missing.contains("no buffer_flush_pct_for_lsn, which replay needs"), "{missing}");
    assert!(missing.contains("buffer_flush_pct_for_lsn of INNODB_METRICS"), "{missing}");
}

#[test]
fn variables_become_settings_and_nonsense_a_remark() {
    let (settings, remarks) = understood_settings(&good(), ModelId::Mysql8030);
    assert_eq!(settings.get("innodb_io_capacity"), Some(&Value::Integer(2000)));
    assert_eq!(settings.get("innodb_doublewrite"), Some(&Value::Choice("ON")));
    assert_eq!(remarks.len(), 1);
    assert!(remarks[0].starts_with("innodb_io_capacity_max = many"), "{remarks:?}");
}

#[test]
fn of_two_sizes_of_the_redo_log_the_one_in_force_is_understood() {
    let understood = |capacity: &str, size: &str| {
        let mut recording = good();
        for (name, value) in [("innodb_redo_log_capacity", capacity), ("innodb_log_file_size", size)] {
            recording.variables.insert(name.to_owned(), value.to_owned());
        }
        let (settings, _) = understood_settings(&recording, ModelId::Mysql8030);
        ["innodb_redo_log_capacity", "innodb_log_file_size"].map(|name| settings.contains_key(name))
    };
    assert_eq!(understood("104857600", "1073741824"), [false, true], "the capacity has its default");
    assert_eq!(understood("8589934592", "50331648"), [true, false]);
}

#[test]
fn broken_recordings_are_refused_with_their_place() {
    let whole = gz(&SERIES.repeat(50));
    let cut = refused(RUN, &whole[..whole.len() / 2]);
    assert!(cut.contains("series.csv.gz") && cut.contains("cut off"), "{cut}");
    let zstd = refused(RUN, b"\x28\xb5\x2f\xfd....");
    assert!(zstd.contains("compressed in a way that is not read") && zstd.contains("zstd -d"), "{zstd}");
    let column = refused(RUN, &gz("time,sb.tps\n0,1\n"));
    assert!(column.contains(":1: has no column `rel`"), "{column}");
    let backwards = refused(RUN, &gz("rel,sb.tps\n1,5\n0,6\n"));
    assert!(backwards.contains(":3: `rel` goes back to 0"), "{backwards}");
    let text = refused(RUN, &gz("rel,sb.tps\n1,5\nsoon,6\n"));
    assert!(text.contains("`rel` is `soon`, not a number"), "{text}");
    let ragged = refused(RUN, &gz("rel,sb.tps\n1,5\n2\n"));
    assert!(ragged.contains("has a broken row"), "{ragged}");
    let twice = refused(RUN, &gz("rel,sb.tps,sb.tps\n1,5,6\n"));
    assert!(twice.contains(":1: has two columns `sb.tps` that hold different values"), "{twice}");
    read_lab(&write(tempfile::tempdir().unwrap().path(), RUN, &gz("rel,sb.tps,sb.tps\n1,,\n2,5,5\n"))).unwrap();
    assert!(refused(RUN, &gz("rel,sb.tps\n")).contains("has no samples"));
}

#[test]
fn a_broken_run_json_is_refused() {
    assert!(refused("{", &gz(SERIES)).contains("run.json:1: is not JSON"));
    assert!(refused("{\"server\": \"mysql\"}", &gz(SERIES)).contains("has no text `version`"));
}

#[test]
fn a_missing_half_of_a_recording_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let place = write(folder.path(), RUN, &gz(SERIES));
    fs::remove_file(place.join("series.csv.gz")).unwrap();
    let message = find(folder.path()).unwrap_err().to_string();
    assert!(message.contains("series.csv.gz: can't be read"), "{message}");
}

#[test]
fn folders_without_recordings_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert!(find(folder.path()).unwrap_err().to_string().contains("there is no recording here"));
    assert!(find(&folder.path().join("nowhere")).unwrap_err().to_string().contains("there is no such file"));
}

#[test]
fn the_shipped_recordings_can_be_read() {
    let shipped = find(Path::new("../../recordings")).unwrap();
    assert!(shipped.len() >= 6, "{}", shipped.len());
    for recording in shipped {
        assert!(recording.series.len() > 60 && !recording.phases.is_empty(), "{}", recording.name);
        for quantity in [Quantity::Lsn, Quantity::CheckpointLsn, Quantity::DirtyPages, Quantity::PagesWritten] {
            recording.quantity(quantity, "anything").unwrap();
        }
    }
}
