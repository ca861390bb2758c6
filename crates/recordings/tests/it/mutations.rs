//! No text makes a reader panic: texts of a corpus, each mutated many times, as the scenario's parsers are tested.
//!
//! `fuzz/` has the same bodies for a fuzzer; a text that made one fail is kept in `corpus/`.

#[path = "../../../scenario/tests/support/mutate.rs"]
mod mutate;

use innosim_recordings::fuzz_recording;
use mutate::each;

const HERE: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn status() {
    each(HERE, "status", 1_500, |text| {
        fuzz_recording(text);
    });
}

#[test]
fn prometheus() {
    each(HERE, "prometheus", 1_000, |text| {
        fuzz_recording(text);
    });
}

#[test]
fn innodb_status() {
    each(HERE, "innodb_status", 1_000, |text| {
        fuzz_recording(text);
    });
}

#[test]
fn sysbench() {
    each(HERE, "sysbench", 1_500, |text| {
        fuzz_recording(text);
    });
}

#[test]
fn page_ages() {
    each(HERE, "page_ages", 1_000, |text| {
        fuzz_recording(text);
    });
}

#[test]
fn iostat() {
    each(HERE, "iostat", 1_000, |text| {
        fuzz_recording(text);
    });
}

#[test]
fn counters() {
    each(HERE, "counters", 1_000, |text| {
        fuzz_recording(text);
    });
}

#[test]
fn vmstat() {
    each(HERE, "vmstat", 1_000, |text| {
        fuzz_recording(text);
    });
}

#[test]
fn exposition() {
    each(HERE, "exposition", 1_000, |text| {
        fuzz_recording(text);
    });
}

#[test]
fn error_log() {
    each(HERE, "error_log", 1_000, |text| {
        fuzz_recording(text);
    });
}

#[test]
fn mpstat() {
    each(HERE, "mpstat", 1_000, |text| {
        fuzz_recording(text);
    });
}

#[test]
fn hammerdb() {
    each(HERE, "hammerdb", 1_000, |text| {
        fuzz_recording(text);
    });
}

#[test]
fn mysql_summary() {
    each(HERE, "mysql_summary", 1_000, |text| {
        fuzz_recording(text);
    });
}
