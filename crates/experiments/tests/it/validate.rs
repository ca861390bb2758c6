//! Calibration and prediction of shipped recordings, end to end.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use flate2::read::GzDecoder;
use innosim_core::server::Silent;
use innosim_experiments::calibrate::{Device, calibrate, scenario_toml};
use innosim_experiments::runner::{Job, run_one};
use innosim_experiments::validate::{Overall, Validation, choose, compare, tasks};
use innosim_recordings::{Recording, find, read_lab};
use innosim_scenario::{Overrides, Source, load};
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

fn shipped(name: &str) -> Recording {
    read_lab(&Path::new("../../recordings").join(name)).unwrap()
}

/// A shipped recording with another series: a head and rows of fields.
fn edited(name: &str, edit: impl FnOnce(&mut Vec<Vec<String>>)) -> Recording {
    let whole = Path::new("../../recordings").join(name);
    let mut text = String::new();
    let packed = File::open(whole.join("series.csv.gz")).unwrap();
    GzDecoder::new(packed).read_to_string(&mut text).unwrap();
    let mut rows: Vec<Vec<String>> = text.lines().map(|row| row.split(',').map(str::to_owned).collect()).collect();
    edit(&mut rows);
    let text: String = rows.iter().map(|row| row.join(",") + "\n").collect();
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join(name);
    fs::create_dir_all(&place).unwrap();
    fs::write(place.join("series.csv"), text).unwrap();
    fs::copy(whole.join("run.json"), place.join("run.json")).unwrap();
    find(&place).unwrap().remove(0)
}

fn place_of(head: &[String], column: &str) -> usize {
    head.iter().position(|name| name == column).unwrap()
}

/// A shipped recording with the rows alone that `keep` says yes to, by their number and second.
fn thinned(name: &str, keep: impl Fn(usize, f64) -> bool) -> Recording {
    edited(name, |rows| {
        let place = place_of(&rows[0], "rel");
        let mut number = 0;
        rows.retain(|row| {
            let kept = number == 0 || keep(number, row[place].parse().unwrap_or(0.0));
            number += 1;
            kept
        });
    })
}

/// A recording predicted from itself.
fn from_itself(recording: &Recording) -> Validation {
    let (tasks, left_out) =
        tasks(std::slice::from_ref(recording), Some(recording), &Device::default(), &Overrides::default());
    let task = tasks.first().unwrap_or_else(|| panic!("{left_out:?}"));
    let output = run_one(Job { scenario: &task.scenario, replication: 0 }, false, &mut Silent).unwrap();
    compare(task, &output).unwrap()
}

fn error_of(validation: &Validation, name: &str) -> f64 {
    validation.metrics.iter().find(|m| m.name == name).unwrap().error().unwrap()
}

#[test]
fn the_numbers_of_a_recording_are_those_of_its_counters() {
    let calibration = calibrate(&shipped("mysql97/uni4k-256-io2000")).unwrap();
    let redo = calibration.get("redo_bytes_per_transaction").unwrap();
    assert!((redo - 544.5).abs() < 1.0, "{redo}");
    assert_eq!(calibration.get("rows_per_page"), Some(73.0));
    // 307 us in all; 35 us of sysbench's are for sending at a rate; 1824 redo syncs, 1055 other syncs, 1397 pages and 4005
    // undo logs a second take the rest.
    assert!((calibration.dispatch_us - 35.0).abs() < 1.0, "{}", calibration.dispatch_us);
    assert!((calibration.get("cpu").unwrap() - 139.7).abs() < 2.0, "{:?}", calibration.get("cpu"));
    let operations = calibration.sync_operations.unwrap();
    assert!((operations.value - 1.33).abs() < 0.05, "{operations:?}");
}

#[test]
fn the_cpu_demand_is_known_of_a_busy_machine() {
    let cpu = |name: &str| calibrate(&shipped(name)).unwrap().get("cpu");
    // As the counters have it, 311 us at 4000 transactions a second and 310 at 1500 to 5500, and 551 at 300.
    let (steady, step) = (cpu("mysql56/uni4k-256-io2000").unwrap(), cpu("mysql56/step-256-io1000").unwrap());
    assert!((150.0..210.0).contains(&steady) && (steady / step - 1.0).abs() < 0.15, "{steady} and {step} us");
    assert_eq!(cpu("mysql97/low300-256-io200"), None);
}

/// A transaction takes 145 us by the counters where all rows are in memory and 293 where it misses 0.44 times. Reads, page
/// writes, syncs and threads that spin on the mutex of the LRU list are the difference.
#[test]
fn a_closed_loop_that_misses_tells_the_same_cpu_demand() {
    let of = |name: &str| calibrate(&shipped(name)).unwrap();
    let in_memory = of("mysql97/uniclosed-500k-256-io200-ssdmid");
    let missing = of("mysql97/iobound-192m-256-ssdmid");
    let (in_memory, missing) = (in_memory.get("cpu").unwrap(), missing.get("cpu").unwrap());
    assert!((missing / in_memory - 1.0).abs() < 0.1, "{in_memory} and {missing} us");
}

#[test]
fn neighbours_written_together_don_t_hide_what_syncs_cost() {
    let calibration = calibrate(&shipped("mysql55/uni4k-256-io2000-noaf")).unwrap();
    let operations = calibration.sync_operations.unwrap();
    assert!((1.05..1.3).contains(&operations.value), "{operations:?}");
}

/// The machine of 200 processors that the same load would leave idle.
#[test]
fn a_prediction_says_whether_its_calibration_tells_the_cpu_demand() {
    let predicted = [shipped("mysql97/wo-closed-256-ssdsmall")];
    let mut source = shipped("mysql97/wo-closed-256-ssdsmall-nodw");
    for (cpus, known) in [(source.cpus, true), (Some(200), false)] {
        source.cpus = cpus;
        let (tasks, left_out) = tasks(&predicted, Some(&source), &Device::default(), &Overrides::default());
        assert_eq!(tasks.iter().map(|task| task.cpu_is_known).collect::<Vec<_>>(), [known], "{left_out:?}");
    }
}

#[test]
fn a_cap_stands_in_front_of_the_device() {
    let recording = shipped("mysql97/wo-closed-256-ssdsmall");
    let fitted = Device::from_toml("channels = 4\ncap = { write_iops = 9 }\n[[at_depth]]\nbytes = 4096\n").unwrap();
    for (device, syncs) in [(Device::default(), false), (fitted, true)] {
        let text = scenario_toml(&recording, &calibrate(&recording).unwrap(), &device).unwrap();
        assert!(text.contains("cap = { write_iops = 3000, read_iops = 6000, write_bytes_per_s = 60000000,"), "{text}");
        assert!(!text.contains("write_iops = 9"), "{text}");
        // Where the device says when inodes are written, that is not read off the recording.
        assert_eq!(text.contains("\nsync_operations = 1.5"), syncs, "{text}");
        assert!(text.contains("\nunwritten_redo_bytes = 260046848 "), "{text}");
    }
}

#[test]
fn a_new_redo_file_of_mariadb_was_never_written() {
    let mut recording = shipped("mariadb/uni4k-256-io2000");
    let text =
        |recording: &Recording| scenario_toml(recording, &calibrate(recording).unwrap(), &Device::default()).unwrap();
    let new = text(&recording);
    assert!(new.contains("\nunwritten_redo_bytes = 268435456 ") && new.contains("\nredo_map_block = true "), "{new}");
    recording.new_redo = false;
    assert!(!text(&recording).contains("unwritten_redo_bytes"));
    recording.new_redo = true;
    recording.server = shipped("mysql56/uni4k-256-io2000").server;
    assert!(!text(&recording).contains("unwritten_redo_bytes"), "5.6 writes its files when it makes them");
}

#[test]
fn pages_of_secondary_indexes_are_those_in_memory() {
    let mut recording = shipped("mysql97/wo-closed-256-ssdsmall");
    let entries = |recording: &Recording| calibrate(recording).unwrap().get("index_entries_per_page").unwrap();
    // 142741 pages in the pool, 131968 of the clustered indexes; the statistics say 12763.
    assert_eq!(entries(&recording), (9.6e6_f64 / 10_773.0).round());
    recording.data.secondary_pages = Some(9_000);
    assert_eq!(entries(&recording), (9.6e6_f64 / 9_000.0).round(), "no more than the tables have");
}

#[test]
fn how_long_the_server_was_up_is_known_beforehand() {
    // Uptime 13 half a second before the load.
    let recording = shipped("mysql97/uni4k-256-io2000");
    let text = scenario_toml(&recording, &calibrate(&recording).unwrap(), &Device::default()).unwrap();
    assert!(text.contains("\nserver_up = \"11.0s\" ") || text.contains("\nserver_up = \"10.9s\" "), "{text}");
}

#[test]
fn a_clean_start_shows_the_write_working_set() {
    let calibration = calibrate(&shipped("mysql56/uni4k-256-io2000")).unwrap();
    assert!(calibration.undetermined.is_empty(), "{:?}", calibration.undetermined);
    // The first megabyte of redo dirties more pages than transactions: undo pages are clean too.
    let transactions = 1e6 / calibration.get("redo_bytes_per_transaction").unwrap();
    let first = calibration.working_set[0];
    assert!(first.pages > transactions && first.pages < 1.5 * transactions, "{first:?}, {transactions}");
    assert!(calibration.working_set.windows(2).all(|pair| pair[0].pages < pair[1].pages));
}

/// Processors looked at every ten seconds, from after the beginning of the load to before its end.
#[test]
fn rare_counters_count_between_their_readings() {
    let whole = calibrate(&shipped("mysql56/uni4k-256-io2000")).unwrap();
    let rare = edited("mysql56/uni4k-256-io2000", |rows| {
        for name in ["proc.mysqld_utime", "proc.mysqld_stime", "proc.sysbench_cpu"] {
            let place = place_of(&rows[0], name);
            let last = rows.len() - 30;
            let missing = |i: usize| i > 0 && (i % 10 != 3 || i < 40 || i > last);
            rows.iter_mut().enumerate().filter(|(i, _)| missing(*i)).for_each(|(_, row)| row[place].clear());
        }
    });
    let (rare, whole) = (calibrate(&rare).unwrap().get("cpu").unwrap(), whole.get("cpu").unwrap());
    assert!((rare / whole - 1.0).abs() < 0.1, "{rare} for {whole} us");
}

/// SHOW ENGINE INNODB STATUS printed twice, beside counters that were read each second.
#[test]
fn a_rare_status_hides_no_counter() {
    let name = "mysql97/uni4k-256-io2000";
    let rare = edited(name, |rows| {
        let place = place_of(&rows[0], "log.log_sequence_number");
        rows.iter_mut().enumerate().filter(|(i, _)| ![0, 50, 70].contains(i)).for_each(|(_, row)| row[place].clear());
    });
    let redo = |recording| calibrate(recording).unwrap().get("redo_bytes_per_transaction").unwrap();
    let (rare, whole) = (redo(&rare), redo(&shipped(name)));
    assert!((rare / whole - 1.0).abs() < 0.002, "{rare} for {whole} bytes");
}

#[test]
fn an_idle_machine_does_not_tell_the_cpu_demand() {
    let mut recording = shipped("mysql97/low300-256-io200");
    recording.cpus = Some(64);
    let calibration = calibrate(&recording).unwrap();
    assert_eq!(calibration.get("cpu"), None);
    assert!(calibration.undetermined[0].starts_with("CPU demand"), "{:?}", calibration.undetermined);
}

#[test]
fn a_machine_with_little_to_do_tells_its_own_cpu_demand_only() {
    let known = |cpus| {
        let mut recording = shipped("mariadb/uni4k-256-io2000");
        recording.cpus = Some(cpus);
        calibrate(&recording).unwrap()
    };
    let (busy, idle) = (known(2), known(4));
    assert!(busy.cpu_is_known && !idle.cpu_is_known && busy.get("cpu") == idle.get("cpu"));
    assert!(idle.undetermined[0].contains("busy for 24 % of the time"), "{:?}", idle.undetermined);
}

#[test]
fn threads_that_spin_hide_the_cpu_demand() {
    let mut recording = shipped("mysql80/step-192-io1000");
    let calibration = calibrate(&recording).unwrap();
    assert!(calibration.cpu_is_known, "0.4 processors of user time: {:?}", calibration.undetermined);
    recording.variables.insert("innodb_log_spin_cpu_abs_lwm".into(), "20".into());
    let spinning = calibrate(&recording).unwrap();
    assert!(!spinning.cpu_is_known);
    assert_eq!(spinning.get("cpu"), calibration.get("cpu"));
    assert!(spinning.undetermined[0].contains("innodb_log_writer_threads = OFF"), "{:?}", spinning.undetermined);
    // Without these threads nothing spins, and a sync takes less, so that more is left for transactions.
    recording.variables.insert("innodb_log_writer_threads".into(), "OFF".into());
    let without = calibrate(&recording).unwrap();
    assert!(without.cpu_is_known && without.get("cpu") > calibration.get("cpu"), "{:?}", without.parameters);
}

#[test]
fn a_scenario_of_a_step_has_the_sum_of_its_rates() {
    let mut recording = shipped("mysql56/step-256-io1000");
    recording.server.model = Some(innosim_flush_models::registry::ModelId::Mysql8030);
    let calibration = calibrate(&recording).unwrap();
    recording.variables.clear();
    let text = scenario_toml(&recording, &calibration, &Device::default()).unwrap();
    assert!(text.contains("rate = 1500.0\n") && text.contains("at = \"80s\"\nrate = 5500.0\n"), "{text}");
    assert!(text.contains("at = \"140s\"\nrate = 1500.0\n") && text.contains("clients = 32\n"), "{text}");
    load(Source::Text { name: "step", text: &text }, &Overrides::default()).unwrap();
}

#[test]
fn a_recording_is_never_calibrated_on_itself_nor_on_another_workload() {
    let all = find(Path::new("../../recordings/mysql97")).unwrap();
    for recording in &all {
        let source = choose(recording, &all).unwrap();
        assert_ne!(source.name, recording.name);
        assert_eq!(source.phases[0].script, recording.phases[0].script);
    }
}

#[test]
fn a_steady_run_is_predicted_from_a_light_one() {
    let recordings = [shipped("mysql97/uni4k-256-io2000"), shipped("mysql97/low300-256-io200")];
    let (tasks, left_out) = tasks(&recordings[..1], Some(&recordings[1]), &Device::default(), &Overrides::default());
    assert_eq!((tasks.len(), left_out.len()), (1, 0), "{left_out:?}");
    let output = run_one(Job { scenario: &tasks[0].scenario, replication: 0 }, false, &mut Silent).unwrap();
    let validation = compare(&tasks[0], &output).unwrap();
    let error = |name: &str| validation.metrics.iter().find(|m| m.name == name).unwrap().error().unwrap().abs();
    for (name, at_most) in [
        ("tps_mean", 0.02),
        ("redo_bytes_per_s", 0.03),
        ("checkpoint_age_mean", 0.06),
        ("dirty_pages_mean", 0.06),
        ("pages_flushed_per_s_mean", 0.06),
    ] {
        assert!(error(name) <= at_most, "{name}: {}", error(name));
    }
    assert_eq!(validation.regime.0, validation.regime.1);
    assert_eq!(validation.sync_flushing, (Some(false), false));
    assert!(validation.trajectories[0].nrmse().unwrap() < 0.08);
    assert_eq!(Overall::of(&[validation]).recordings, 1);
}

#[test]
fn what_can_not_be_predicted_is_left_out_with_a_reason() {
    let mut alone = shipped("mysql97/uni4k-256-io2000");
    let reason = |recording: &Recording| {
        let (tasks, left_out) = tasks(std::slice::from_ref(recording), None, &Device::default(), &Overrides::default());
        assert!(tasks.is_empty());
        left_out[0].clone()
    };
    assert!(reason(&alone).contains("nothing to calibrate on"));
    alone.phases[0].script = innosim_recordings::Script::Other("tpcc.lua".to_owned());
    assert!(reason(&alone).contains("the load tpcc.lua is not modelled"));
    alone.phases.clear();
    assert!(reason(&alone).contains("no description of the load, which validate needs"));
}

#[test]
fn a_warm_up_that_was_not_recorded_is_simulated_all_the_same() {
    // From a clean start the age would be a third too low.
    let late = thinned("mysql97/uni4k-256-io500", |_, second| second > 50.0);
    let text = scenario_toml(&late, &calibrate(&late).unwrap(), &Device::default()).unwrap();
    assert!(text.contains("\nduration = \"140s\"\n"), "{text}");
    let validation = from_itself(&late);
    assert!(validation.trajectories[0].seconds[0] > 50.0, "{:?}", validation.trajectories[0].seconds);
    for name in ["checkpoint_age_mean", "dirty_pages_mean", "pages_flushed_per_s_mean", "redo_bytes_per_s"] {
        assert!(error_of(&validation, name).abs() < 0.03, "{name}: {:+.3}", error_of(&validation, name));
    }
}

#[test]
fn steps_of_a_load_stand_where_they_were_if_its_beginning_was_not_recorded() {
    let late = thinned("mysql56/step-256-io1000", |_, second| second > 100.0);
    let text = scenario_toml(&late, &calibrate(&late).unwrap(), &Device::default()).unwrap();
    assert!(
        text.contains("at = \"80s\"\nrate = 5500.0\n") && text.contains("at = \"140s\"\nrate = 1500.0\n"),
        "{text}"
    );
}

#[test]
fn what_falls_into_a_gap_counts_on_neither_side() {
    let whole = from_itself(&shipped("mysql56/step-256-io1000"));
    let gap = from_itself(&thinned("mysql56/step-256-io1000", |_, second| !(80.0..140.0).contains(&second)));
    let every_5 = from_itself(&thinned("mysql56/step-256-io1000", |row, _| row % 5 == 0));
    for name in ["tps_mean", "checkpoint_age_mean", "dirty_pages_mean", "pages_flushed_per_s_mean", "redo_bytes_per_s"]
    {
        for (what, other) in [("a gap", &gap), ("samples 5 s apart", &every_5)] {
            let (with, without) = (error_of(other, name), error_of(&whole, name));
            assert!((with - without).abs() < 0.015, "{name} with {what}: {with:+.3}, without {without:+.3}");
        }
    }
}

#[test]
fn transactions_in_a_gap_are_not_guessed() {
    let redo = |recording: &Recording| calibrate(recording).unwrap().get("redo_bytes_per_transaction").unwrap();
    let whole = redo(&shipped("mysql56/step-256-io1000"));
    // The load changes within the gap.
    let gap = redo(&thinned("mysql56/step-256-io1000", |_, second| !(60.0..90.0).contains(&second)));
    assert!((gap / whole - 1.0).abs() < 0.01, "{gap} and {whole} bytes");
}

#[test]
fn a_load_that_begins_on_a_dirty_pool_starts_there() {
    let mut late = thinned("mysql97/uni4k-256-io500", |_, second| second > 60.0);
    late.phases[0].start_s = late.series.seconds[0];
    let text = scenario_toml(&late, &calibrate(&late).unwrap(), &Device::default()).unwrap();
    assert!(text.contains("\n[start] ") && text.contains("\ncheckpoint_age_bytes = "), "{text}");
    let validation = from_itself(&late);
    for name in ["checkpoint_age_mean", "dirty_pages_mean"] {
        assert!(error_of(&validation, name).abs() < 0.1, "{name}: {:+.3}", error_of(&validation, name));
    }
    let clean = shipped("mysql97/uni4k-256-io500");
    assert!(!scenario_toml(&clean, &calibrate(&clean).unwrap(), &Device::default()).unwrap().contains("[start]"));
}

/// With averages of nothing at the start the age would be a quarter too high.
#[test]
fn a_recording_that_begins_under_load_goes_on_from_its_averages() {
    let mut late = thinned("mysql97/uni4k-256-io2000", |_, second| second > 120.0);
    late.phases[0].start_s = late.series.seconds[0];
    let text = scenario_toml(&late, &calibrate(&late).unwrap(), &Device::default()).unwrap();
    assert!(text.contains("\nredo_bytes_per_s = 1995413\npages_flushed_per_s = 1280\n"), "{text}");
    let validation = from_itself(&late);
    for name in ["checkpoint_age_mean", "dirty_pages_mean", "pages_flushed_per_s_mean"] {
        assert!(error_of(&validation, name).abs() < 0.08, "{name}: {:+.3}", error_of(&validation, name));
    }
}

#[test]
fn a_copy_of_a_recording_is_no_partner() {
    let recording = shipped("mysql97/uni4k-256-io2000");
    let copy = thinned("mysql97/uni4k-256-io2000", |_, _| true);
    assert!(choose(&recording, &[copy]).is_none());
    let shorter = thinned("mysql97/uni4k-256-io500", |_, second| second < 100.0);
    assert!(choose(&recording, &[shorter]).is_some());
}

#[test]
fn a_partner_is_known_by_its_model_and_not_by_what_its_recorder_called_it() {
    let recording = shipped("mysql97/uni4k-256-io2000");
    let mut other = shipped("mysql97/uni4k-256-io500");
    other.server.product = "db-host-7".to_owned();
    assert!(choose(&recording, std::slice::from_ref(&other)).is_some());
    other.server.model = shipped("mysql84/uni3k-256-own").server.model;
    assert!(choose(&recording, std::slice::from_ref(&other)).is_none());
}
