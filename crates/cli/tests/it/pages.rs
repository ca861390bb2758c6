//! `innosim pages`: a data directory, its histogram, and a scenario that runs on it.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use crate::common::{innosim, json, refused, stdout};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A table of 2000 pages, the n-th of which was modified last at `lsn(n)`.
fn table(path: &Path, lsn: impl Fn(u64) -> u64) {
    const PAGE: usize = 16_384;
    let mut file = vec![0; 2001 * PAGE];
    for number in 0..=2000_u64 {
        let page = &mut file[number as usize * PAGE..][..PAGE];
        page[4..8].copy_from_slice(&(number as u32).to_be_bytes());
        page[16..24].copy_from_slice(&lsn(number).to_be_bytes());
        page[24..26].copy_from_slice(&if number == 0 { 8_u16 } else { 17_855 }.to_be_bytes());
        page[34..38].copy_from_slice(&7_u32.to_be_bytes());
        if number == 0 {
            page[38..42].copy_from_slice(&7_u32.to_be_bytes());
            page[54..58].copy_from_slice(&0x21_u32.to_be_bytes());
        }
    }
    fs::write(path, file).unwrap();
}

#[test]
fn a_histogram_becomes_a_load() {
    let dir = TempDir::new().unwrap();
    let data = dir.path().join("data");
    fs::create_dir(&data).unwrap();
    // The last GB of redo: 1000 pages in the last 10 MB, the others evenly before.
    table(
        &data.join("t.ibd"),
        |n| if n <= 1000 { 1_000_000_000 - n * 10_000 } else { 990_000_000 - (n - 1000) * 900_000 },
    );
    let histogram = dir.path().join("ages.json");
    let arguments = ["pages", data.to_str().unwrap(), "-o", histogram.to_str().unwrap()];
    let text = stdout(&arguments);
    assert!(text.contains("2,001 pages in 1 files") && text.contains("plain"), "{text}");
    assert!(fs::metadata(&histogram).unwrap().len() < 4096);
    let document = json(&[&arguments[..], &["--format", "json"]].concat());
    assert_eq!((&document["pages_by_content"]["index"], &document["files"]), (&2000.into(), &1.into()));

    let scenario = dir.path().join("load.toml");
    let device = "[device]\nprofile = \"nvme\"\n\n[drive]\nkind = \"open\"\nclients = 8\nrate = 500\n";
    let workload = "[workload]\nkind = \"spectrum\"\nhistogram = \"ages.json\"\nredo_bytes_per_transaction = 5000\n";
    fs::write(&scenario, format!("model = \"8.0\"\nduration = \"20s\"\nwarmup = \"0s\"\n\n{device}\n{workload}"))
        .unwrap();
    let out = dir.path().join("out");
    let run = ["run", scenario.to_str().unwrap(), "--quiet", "--check", "--out", out.to_str().unwrap()];
    innosim(&run).success();
    let resolved = fs::read_to_string(out.join("scenario.resolved.toml")).unwrap();
    assert!(resolved.contains("[[workload.bin]]") && !resolved.contains("histogram"), "{resolved}");
    let again = dir.path().join("again");
    let resolved = out.join("scenario.resolved.toml");
    innosim(&["run", resolved.to_str().unwrap(), "--quiet", "--out", again.to_str().unwrap()]).success();
    let series = |folder: &Path| fs::read_to_string(folder.join("series.csv")).unwrap();
    assert_eq!(series(&out), series(&again), "the resolved scenario runs to the same bytes");
}

#[test]
fn what_is_no_data_directory_is_refused() {
    let dir = TempDir::new().unwrap();
    let error = refused(&["pages", dir.path().to_str().unwrap()], 2);
    assert!(error.contains("no data file of InnoDB here") && error.contains("= help:"), "{error}");
    fs::write(dir.path().join("load.toml"), "model = \"8.0\"\n[workload]\nkind = \"spectrum\"\n").unwrap();
    let error = refused(&["run", dir.path().join("load.toml").to_str().unwrap()], 2);
    assert!(error.contains("neither bins nor a histogram"), "{error}");
    let text = "model = \"8.0\"\n[workload]\nkind = \"spectrum\"\nhistogram = \"load.toml\"\n";
    fs::write(dir.path().join("load.toml"), text).unwrap();
    let error = refused(&["run", dir.path().join("load.toml").to_str().unwrap()], 2);
    assert!(error.contains("no histogram of page ages"), "{error}");
}
