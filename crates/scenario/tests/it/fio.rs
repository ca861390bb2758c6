//! `[device] fio`: what is taken, and what is said about files that don't determine a device.

#![allow(clippy::unwrap_used, reason = "helpers of tests: what fails here fails the test")]

use innosim_scenario::{Overrides, Scenario, Source, load, read_fio_jobs};
use std::fs;
use std::path::{Path, PathBuf};

const REST: &str = r#"
[workload]
kind = "sysbench-oltp-update-non-index"
table_size = 100000

[drive]
kind = "closed"
clients = 8
"#;

const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../recordings/fio");

/// The jobs that determine a device, copied into `folder`.
const ENOUGH: [&str; 6] = [
    "raw-randread16k_qd1",
    "raw-randread16k_qd16",
    "raw-randwrite16k_qd1",
    "raw-randwrite16k_qd16",
    "raw-seqwrite1m_qd4",
    "raw-redo4k_buffered_fdatasync",
];

fn scenario(folder: &Path, device: &str) -> Result<Scenario, String> {
    let path = folder.join("s.toml");
    fs::write(&path, format!("model = \"mysql-8.0.30\"\nduration = \"10s\"\n\n[device]\n{device}\n{REST}")).unwrap();
    load(Source::File(&path), &Overrides::default()).map_err(|errors| {
        let canonical = folder.canonicalize().unwrap();
        errors.to_string().replace(canonical.to_str().unwrap(), "DIR").replace(folder.to_str().unwrap(), "DIR")
    })
}

fn list(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}.json\"")).collect();
    format!("fio = [{}]", quoted.join(", "))
}

fn with_files() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(RECORDED).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
    }
    folder
}

#[test]
fn a_device_from_fio_resolves_without_the_files() {
    let folder = with_files();
    let device = format!("{}\nqueue_depth = 512\ncap = {{ write_iops = 3000, slice = \"20ms\" }}", list(&ENOUGH));
    let scenario = scenario(folder.path(), &device).unwrap();
    let data = &scenario.run.storage.data;
    assert_eq!((data.channels, data.queue_depth), (16, 512));
    assert!((1.0..1.2).contains(&data.sync_operations), "{}", data.sync_operations);
    let cap = data.cap.as_ref().unwrap();
    assert_eq!((cap.write_iops, cap.read_iops, cap.slice_ns), (Some(3000.0), None, 20_000_000));
    let text = scenario.to_resolved_toml("test");
    assert!(!text.contains("fio =") && text.contains("[[device.at_depth]]"), "{text}");
    let again = load(Source::Text { name: "again.toml", text: &text }, &Overrides::default()).unwrap();
    assert_eq!(again, scenario);
    assert_eq!(again.to_resolved_toml("test"), text);
}

/// Writes files of a job that is wrong in one way each.
fn write_wrong_files(folder: &Path) {
    let good = fs::read_to_string(folder.join("raw-randwrite16k_qd1.json")).unwrap();
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    write("empty.json", "");
    write("object.json", "{}");
    write("no-jobs.json", "{\"fio version\": \"fio-3.33\", \"jobs\": []}");
    write("cut.json", &good[..good.len() / 2]);
    write("error.json", &good.replace("\"error\": 0", "\"error\": 5"));
    write("short.json", &good.replace("\"runtime\": 12001", "\"runtime\": 900"));
    write("small.json", &good.replace("\"bs\": \"16k\"", "\"bs\": \"4k\""));
    write("cached.json", &good.replace("\"direct\": \"1\"", "\"direct\": \"0\""));
    write("mixed.json", &good.replace("\"rw\": \"randwrite\"", "\"rw\": \"randrw\""));
    write("blind.json", &good.replace("\"percentile\"", "\"percentage\""));
    let iops = good.lines().find(|line| line.trim().starts_with("\"iops\": ") && !line.contains(" 0.0")).unwrap();
    write("impossible.json", &good.replace(iops, "\"iops\": 1e300,"));
    write("falling.json", &good.replace("\"50.000000\": ", "\"50.000000\": 9"));
    let option = |name: &str, value: &str| {
        good.replace("\"bs\": \"16k\"", &format!("\"bs\": \"16k\",\n\"{name}\": \"{value}\""))
    };
    write("limited.json", &option("rate_iops", "500"));
    write("o-sync.json", &option("sync", "1"));
    write("sizes.json", &good.replace("\"bs\": \"16k\"", "\"bs\": \"16k,4k\""));
    write("reports.json", &format!("{good}\n{good}"));
    // Two jobs beside each other, as --group_reporting sums them: their latencies are the device's at twice the depth.
    let twice = fs::read_to_string(folder.join("raw-randwrite16k_qd16.json")).unwrap();
    let busy = twice.lines().find(|line| line.trim().starts_with("\"iops\": ") && !line.contains(" 0.0")).unwrap();
    write(
        "group.json",
        &twice.replace(busy, "\"iops\": 69000.5,").replace("\"iodepth\": \"16\"", "\"iodepth\": \"15\""),
    );
    write("other-side.json", &good.replacen("\"write\": {", "\"read\": { \"total_ios\": 77 }, \"write\": {", 1));
    let large = fs::read_to_string(folder.join("raw-seqwrite1m_qd4.json")).unwrap();
    write(
        "memory.json",
        &large.replace("\"direct\": \"1\"", "\"direct\": \"0\"").replace("\"bs\": \"1M\"", "\"bs\": \"2M\""),
    );
    fs::write(folder.join("latin1.json"), b"{\n\"jobs\": \"\xe9\"}").unwrap();
    fs::create_dir(folder.join("folder.json")).unwrap();
}

#[test]
fn fio_that_does_not_determine_a_device() {
    let folder = with_files();
    write_wrong_files(folder.path());
    let mut out = String::new();
    let mut section = |name: &str, device: &str| {
        let message = scenario(folder.path(), device).map_or_else(|message| message, |_| panic!("{name} is accepted"));
        out.push_str(&format!("## {name}\n\n{message}\n\n"));
    };
    section("only one depth of writes", &list(&["raw-randwrite16k_qd1"]));
    section("no syncs", &list(&ENOUGH[..5]));
    section("no list", "fio = 5");
    section("empty list", "fio = []");
    section("beside a profile", &format!("profile = \"nvme\"\n{}", list(&ENOUGH)));
    section("twice the same", &list(&[&ENOUGH[..], &["raw-randread16k_qd1"]].concat()));
    let wrong = [
        "missing",
        "folder",
        "latin1",
        "empty",
        "object",
        "no-jobs",
        "cut",
        "error",
        "short",
        "small",
        "cached",
        "mixed",
        "blind",
        "impossible",
        "falling",
        "limited",
        "o-sync",
        "sizes",
        "reports",
        "group",
        "other-side",
        "memory",
    ];
    for name in wrong {
        section(name, &list(&[&ENOUGH[..], &[name]].concat()));
    }
    section("slice too short", &format!("{}\ncap = {{ write_iops = 3000, slice = \"1us\" }}", list(&ENOUGH)));
    section("slice without a unit", &format!("{}\ncap = {{ write_iops = 3000, slice = 100 }}", list(&ENOUGH)));
    section("unknown key of the cap", &format!("{}\ncap = {{ writes = 3000 }}", list(&ENOUGH)));
    insta::assert_snapshot!("fio_that_does_not_determine_a_device", out);
}

#[test]
fn fio_is_read_as_fio_means_it() {
    let folder = with_files();
    let good = fs::read_to_string(folder.path().join("raw-randwrite16k_qd16.json")).unwrap();
    let read = |text: &str| {
        let path = folder.path().join("one.json");
        fs::write(&path, text).unwrap();
        read_fio_jobs(&[path]).unwrap_or_else(|errors| panic!("{errors}")).remove(0)
    };
    let job = read(&good);
    assert_eq!((job.depth, job.bytes), (16, 16 << 10));
    // An engine that does one operation after the other, fio's default, keeps no more in flight.
    for engine in ["\"ioengine\": \"psync\"", "\"engine\": \"\""] {
        assert_eq!(read(&good.replace("\"ioengine\": \"libaio\"", engine)).depth, 1, "{engine}");
    }
    assert_eq!(read(&good.replace("\"bs\": \"16k\"", "\"bs\": \"16kb,16kb\"")).bytes, 16 << 10);
    assert_eq!(read(&format!("fio: a remark\n{good}\nfio: done\n")).depth, 16);
    // fio 2 counted in microseconds.
    let old = read(&good.replace("clat_ns", "clat").replace("\"lat_ns\"", "\"lat\""));
    assert!((old.latency.mean_us / job.latency.mean_us - 1000.0).abs() < 1e-6, "{old:?}");
}

#[test]
fn our_files_are_read() {
    let files: Vec<PathBuf> = fs::read_dir(RECORDED).unwrap().map(|entry| entry.unwrap().path()).collect();
    let jobs = read_fio_jobs(&files).unwrap();
    assert_eq!(jobs.len(), files.len());
    let job = jobs.iter().find(|job| job.name == "cap-ssd-small-redo4k_buffered_fdatasync").unwrap();
    assert_eq!((job.bytes, job.depth, job.direct, job.operations), (4096, 1, false, 11_687));
    let sync = job.sync.as_ref().unwrap();
    assert!((sync.mean_us - 674.0).abs() < 1.0 && (sync.quantile(0.999) - 75_000.0).abs() < 10_000.0, "{sync:?}");
}
