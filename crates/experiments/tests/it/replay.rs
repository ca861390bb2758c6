//! The servers' own decisions, pass by pass, on the shipped recordings.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use innosim_experiments::replay::{ReplayReport, replay};
use innosim_recordings::read_lab;
use std::path::Path;

fn replayed(name: &str) -> ReplayReport {
    let recording = read_lab(&Path::new("../../recordings").join(name)).unwrap();
    replay(&recording).unwrap()
}

/// Lower bounds of what was reached: share of passes that agree in every counter, and passes judged.
#[track_caller]
fn agrees(name: &str, at_least: f64, of_passes: u64) {
    let report = replayed(name);
    let (matched, judged) = report.joint();
    assert!(judged >= of_passes, "{name}: only {judged} passes judged");
    let share = matched as f64 / judged as f64;
    assert!(share >= at_least, "{name}: {matched} of {judged}: {:#?}", report.counters);
}

#[test]
fn mysql_9_7_under_a_constant_rate() {
    agrees("mysql97/uni4k-256-io2000", 1.0, 215);
}

#[test]
fn mysql_9_7_under_a_light_load() {
    agrees("mysql97/low300-256-io200", 1.0, 115);
}

#[test]
fn mysql_9_7_on_a_saturated_device() {
    agrees("mysql97/wo-closed-256-ssdsmall", 0.94, 160);
    agrees("mysql97/wo-closed-256-ssdsmall-nodw", 1.0, 175);
}

/// Its batches are a share of the pool that counts, and are written between the decision and the sample.
#[test]
fn mysql_9_7_with_a_small_pool() {
    agrees("mysql97/iobound-192m-256-ssdmid", 1.0, 40);
}

#[test]
fn mysql_8_0_under_a_constant_rate_and_steps() {
    agrees("mysql80/uni2500-192-io1000", 1.0, 105);
    agrees("mysql80/step-192-io1000", 1.0, 105);
}

#[test]
fn mysql_5_7_under_a_constant_rate_and_steps() {
    agrees("mysql57/uni4k-256-io2000", 0.99, 155);
    agrees("mysql57/step-256-io1000", 1.0, 105);
}

#[test]
fn mysql_5_6_under_a_constant_rate() {
    agrees("mysql56/uni4k-256-io2000", 1.0, 210);
    agrees("mysql56/uni4k-256-io500", 1.0, 165);
}

#[test]
fn mysql_5_6_under_steps() {
    agrees("mysql56/step-256-io1000", 0.99, 212);
}

#[test]
fn mariadb_above_its_low_water_mark() {
    agrees("mariadb/uni4k-256-io2000-lwm10", 1.0, 210);
}

/// Without a low-water mark MariaDB flushes nothing until the age reaches its limit, and then without asking the rule.
#[test]
fn mariadb_without_a_low_water_mark_has_no_adaptive_pass() {
    let report = replayed("mariadb/uni4k-256-io2000");
    assert_eq!(report.joint(), (0, 0));
    assert!(report.seconds_without_pass > 200, "{}", report.seconds_without_pass);
}

#[test]
fn a_different_rule_of_5_6_or_mariadb_is_found_out() {
    for name in ["mysql56/uni4k-256-io2000", "mariadb/uni4k-256-io2000-lwm10"] {
        let mut recording = read_lab(&Path::new("../../recordings").join(name)).unwrap();
        recording.variables.insert("innodb_io_capacity_max".to_owned(), "6000".to_owned());
        let (matched, judged) = replay(&recording).unwrap().joint();
        assert!(matched * 3 < judged, "{name}: {matched} of {judged} agree with a wrong slope");
    }
}

#[test]
fn a_different_rule_is_found_out() {
    let mut recording = read_lab(Path::new("../../recordings/mysql97/uni4k-256-io2000")).unwrap();
    recording.variables.insert("innodb_io_capacity_max".to_owned(), "6000".to_owned());
    let (matched, judged) = replay(&recording).unwrap().joint();
    assert!(matched * 4 < judged, "{matched} of {judged} agree with a wrong slope");
}

#[test]
fn a_server_without_these_counters_is_refused_with_a_reason() {
    let mut recording = read_lab(Path::new("../../recordings/mysql55/uni4k-256-io2000")).unwrap();
    assert!(replay(&recording).unwrap_err().contains("mysql-5.5 publishes no counters of its decisions"));
    recording.server.model = Some(innosim_flush_models::registry::ModelId::Mysql8030);
    assert!(replay(&recording).unwrap_err().contains("which replay needs"));
}

/// A recording of ours as people write INNODB_METRICS: a row a sample, a column a counter, beside SHOW GLOBAL VARIABLES.
fn as_csv_of_counters(name: &str, left_out: &[&str]) -> tempfile::TempDir {
    let recording = read_lab(&Path::new("../../recordings").join(name)).unwrap();
    let series = &recording.series;
    let is_counter = |name: &&str| name.starts_with("m.") || name.starts_with("Innodb_");
    let plain = |name: &str| name.trim_start_matches("m.").to_owned();
    let names: Vec<&str> =
        series.names().filter(is_counter).filter(|name| !left_out.contains(&plain(name).as_str())).collect();
    let columns: Vec<Vec<f64>> = names.iter().map(|name| series.column(name).unwrap_or_default().with_nan()).collect();
    let in_capitals = |name: &&str| name.strip_prefix("m.").map_or((*name).to_owned(), str::to_ascii_uppercase);
    let heads: Vec<String> = names.iter().map(in_capitals).collect();
    let mut csv = format!("ts,{}\n", heads.join(","));
    for (i, second) in series.seconds.iter().enumerate() {
        csv.push_str(&format!("{:.0}", (1_777_487_564.0 + second) * 1000.0));
        for column in &columns {
            csv.push_str(&column.get(i).filter(|value| value.is_finite()).map_or(",".to_owned(), |v| format!(",{v}")));
        }
        csv.push('\n');
    }
    let mut variables = format!("version\t{}\n", recording.server.version);
    recording.variables.iter().for_each(|(name, value)| variables.push_str(&format!("{name}\t{value}\n")));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("metrics.csv"), csv).unwrap();
    std::fs::write(folder.path().join("vars.txt"), variables).unwrap();
    folder
}

#[test]
fn a_column_a_counter_replays_as_the_recording_itself() {
    let name = "mysql97/uni4k-256-io2000";
    let folder = as_csv_of_counters(name, &[]);
    let recording = innosim_recordings::find(folder.path()).unwrap().remove(0);
    let (matched, judged) = replay(&recording).unwrap().joint();
    // Gauges of SHOW GLOBAL STATUS were read a moment later; the load's ends are not known.
    assert!(judged > 200 && matched as f64 >= 0.95 * judged as f64, "{matched} of {judged}");
}

#[test]
fn a_counter_that_is_not_recorded_is_not_taken_for_zero() {
    let folder = as_csv_of_counters("mysql97/uni4k-256-io2000", &["buffer_flush_n_to_flush_by_age"]);
    let recording = innosim_recordings::find(folder.path()).unwrap().remove(0);
    let report = replay(&recording).unwrap();
    let (matched, judged) = report.joint();
    assert!(judged > 200 && matched as f64 >= 0.95 * judged as f64, "{matched} of {judged}");
    assert_eq!(report.counters[0].judged, 0, "the pages requested can't be compared");
    assert!(report.remarks.iter().any(|remark| remark.contains("by_age is not recorded")), "{:?}", report.remarks);
}

/// Without the count of batches their pages are not taken for it: one pass is counted in a second in which they grew.
#[test]
fn pages_are_no_passes() {
    let folder = as_csv_of_counters("mysql97/uni4k-256-io2000", &["buffer_flush_adaptive"]);
    let recording = innosim_recordings::find(folder.path()).unwrap().remove(0);
    let report = replay(&recording).unwrap();
    let (matched, judged) = report.joint();
    assert!(judged > 200 && matched as f64 >= 0.9 * judged as f64, "{matched} of {judged}");
    assert!(report.hidden_passes < judged, "{} passes that nobody saw", report.hidden_passes);
    assert!(report.remarks.iter().any(|remark| remark.contains("adaptive is not recorded")), "{:?}", report.remarks);
}
