//! How long a published stall of MySQL 5.5 is on the machine that it was published of, as data sheets describe that.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use crate::common::stdout;

/// Published: four minutes. Rounded so, it is between three and a half and four and a half.
const PUBLISHED_S: f64 = 240.0;
/// Published: what the log was flushed up to less the last checkpoint, in the stall.
const PUBLISHED_AGE: f64 = 135_550_126_707.0 - 132_524_978_607.0;

/// The longest time in a row without a transaction, seconds, and the mean checkpoint age in it.
fn longest_stall(series: &str) -> (f64, f64) {
    let mut lines = series.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let place = |name: &str| names.iter().position(|other| *other == name).unwrap();
    let (tps, age) = (place("tps"), place("innodb_checkpoint_age"));
    let seconds: Vec<(f64, f64)> = lines
        .map(|line| {
            let fields: Vec<f64> = line.split(',').map(|field| field.parse().unwrap_or(0.0)).collect();
            (fields[tps], fields[age])
        })
        .collect();
    let stalls = seconds.split(|(tps, _)| *tps >= 1.0);
    let longest = stalls.max_by_key(|stall| stall.len()).unwrap();
    (longest.len() as f64, longest.iter().map(|(_, age)| age).sum::<f64>() / longest.len().max(1) as f64)
}

/// By the slower and the faster of the two sheets it is a third longer and a twentieth; this is the slower. What the sheets leave
/// open (the strip, how well the controller sorts) is worth a factor of 1.5.
#[test]
fn a_stall_of_55_is_as_long_as_the_disks_behind_a_cache_take() {
    let case = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/flushing-disaster-of-55.toml");
    let dir = tempfile::tempdir().unwrap();
    let rate = "device.array.head_bytes_per_s=60MB";
    stdout(&["run", case, "--set", rate, "-q", "-o", dir.path().to_str().unwrap()]);
    let (length, age) = longest_stall(&std::fs::read_to_string(dir.path().join("series.csv")).unwrap());
    println!("{length} s, age {:.0} MB", age / 1e6);
    assert!((age / PUBLISHED_AGE - 1.0).abs() < 0.01, "{age} for {PUBLISHED_AGE}");
    assert!(length > PUBLISHED_S / 1.2 && length < PUBLISHED_S * 1.5, "{length} s");
}
