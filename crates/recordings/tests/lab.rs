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
    assert!(tps[0].is_nan() && tps[2] == 100.5 && tps[3].is_nan(), "{tps:?}");
    assert_eq!(recording.get(Quantity::SyncPages), Some(vec![0.0; 4]), "a counter that stayed 0");
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
    assert!(refused(RUN, b"rel,sb.tps\n0,1\n").contains("can't be decompressed"));
    let column = refused(RUN, &gz("time,sb.tps\n0,1\n"));
    assert!(column.contains(":1: has no column `rel`"), "{column}");
    let backwards = refused(RUN, &gz("rel,sb.tps\n1,5\n0,6\n"));
    assert!(backwards.contains(":3: `rel` goes back to 0"), "{backwards}");
    let text = refused(RUN, &gz("rel,sb.tps\n1,5\nsoon,6\n"));
    assert!(text.contains("`rel` is `soon`, not a number"), "{text}");
    let ragged = refused(RUN, &gz("rel,sb.tps\n1,5\n2\n"));
    assert!(ragged.contains("has a broken row"), "{ragged}");
    assert!(refused(RUN, &gz("rel,sb.tps\n")).contains("has no samples"));
}

#[test]
fn a_broken_run_json_is_refused() {
    assert!(refused("{", &gz(SERIES)).contains("run.json:1: is not JSON"));
    assert!(refused("{\"version\": \"8.0.36\"}", &gz(SERIES)).contains("has no text `server`"));
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
        assert!(recording.series.len() > 100 && !recording.phases.is_empty(), "{}", recording.name);
        for quantity in [Quantity::Lsn, Quantity::CheckpointLsn, Quantity::DirtyPages, Quantity::PagesWritten] {
            recording.quantity(quantity, "anything").unwrap();
        }
    }
}
