//! Which file of a folder gives the time axis, and from when to when a load lasted.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use innosim_recordings::{Quantity, Recording, WORK, find};
use std::fmt::Write;
use std::fs;
use std::path::Path;

const BEGAN: u32 = 1_777_487_071;

/// Transactions a second, which wander as real ones do; `second` is that of the load.
fn rate(second: f64) -> f64 {
    500.0 * (1.0 + 0.3 * (second / 7.0).sin() + 0.2 * (second / 2.3).cos())
}

/// Counters of INNODB_METRICS each second, from 10 s before a load of `length` seconds on.
fn counters(folder: &Path, length: u32, samples: u32) {
    let mut csv = "timestamp,trx_rw_commits,log_lsn_current,log_lsn_checkpoint_age,buffer_pool_pages_dirty,buffer_pages_written\n"
        .to_owned();
    let mut done = 0.0;
    for second in 0..samples {
        let into = f64::from(second) - 10.5;
        done += if into > 0.0 && into < f64::from(length) { rate(into) } else { 0.0 };
        writeln!(csv, "{}.014,{done:.0},{:.0},9000000,5000,{:.0}", BEGAN + second, 1e9 + 2_000.0 * done, 2.0 * done)
            .unwrap();
    }
    fs::write(folder.join("32g.innodb.csv"), csv).unwrap();
    let variables = "Variable_name\tValue\nversion\t9.7.0\ninnodb_io_capacity\t10000\n";
    fs::write(folder.join("variables.txt"), variables).unwrap();
}

fn read(folder: &Path) -> Recording {
    find(folder).unwrap().remove(0)
}

/// Throughput, disk and processors a second in one table without times, which has more rows than the counters.
#[test]
fn reports_without_times_go_to_the_counters_however_many_they_are() {
    let folder = tempfile::tempdir().unwrap();
    counters(folder.path(), 200, 190);
    let mut joined = "second,tps,latency_ms_p95,write_iops,cpu_user_pct,cpu_system_pct\n".to_owned();
    for second in 1..=200_u32 {
        writeln!(joined, "{second},{:.1},4.2,900,30.5,12.25", rate(f64::from(second) - 0.5)).unwrap();
    }
    fs::write(folder.path().join("32g.csv"), joined).unwrap();
    let recording = read(folder.path());
    assert!(recording.quantity(Quantity::Lsn, "test").is_ok(), "{:?}", recording.remarks);
    let of = |quantity| recording.quantity(quantity, "test").unwrap();
    let (reported, work) = (of(Quantity::Tps), recording.series.column("m.trx_rw_commits").unwrap());
    let counted = work.rates(&recording.series.seconds);
    let apart = reported.with(&counted, |reported, counted| (reported / counted - 1.0).abs());
    assert!(
        apart.present().count() > 170 && of(Quantity::DirtyPages).present().count() > 170,
        "{:?}",
        recording.remarks
    );
    assert!(apart.largest().unwrap() < 0.2, "they are laid where they belong");
    assert!(recording.remarks.iter().any(|r| r.contains("placed where its throughput")), "{:?}", recording.remarks);
    assert!(recording.phases.is_empty(), "nothing tells how many clients there were");
}

/// Of a load that nothing but its log or the counters tell, the seconds after its end are not part.
#[test]
fn what_follows_a_load_is_not_the_load() {
    for with_log in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        counters(folder.path(), 120, 190);
        if with_log {
            let mut log = String::new();
            for second in 1..=120_u32 {
                let tps = rate(f64::from(second) - 0.5);
                writeln!(
                    log,
                    "{}.5 [ {second}s ] thds: 8 tps: {tps:.2} qps: 9 (r/w/o: 6/2/1) lat (ms,95%): 4.2 err/s: 0.00 reconn/s: 0.00",
                    BEGAN + 10 + second
                )
                .unwrap();
            }
            fs::write(folder.path().join("sysbench.log"), log).unwrap();
        }
        let unknown = read(folder.path()).as_unknown_load().unwrap().recording;
        let (_, end) = unknown.load_window();
        let work = unknown.series.column(WORK).unwrap();
        let last = unknown.series.seconds.last().unwrap();
        assert!((118.0..=122.0).contains(&end) && end == *last, "log: {with_log}: ends at {end}, {last}");
        assert!(work.growth().unwrap() > 50_000.0);
    }
}
