//! The change buffer: changes of pages that are not in memory cost no read until they are merged, and all are merged.

use crate::common::*;
use innosim_core::config::{ChangeBufferConfig, Merging};
use innosim_core::metrics::{RunOutput, SecondSample};
use innosim_core::run_spec::RunSpec;
use innosim_core::storage::DeviceSpec;
use innosim_core::workload::{Leaves, RateSegment, TouchSpec, UndoSpec};

const BUFFER: ChangeBufferConfig = ChangeBufferConfig {
    max_pages: 1_000,
    io_capacity: 400,
    inserts: true,
    marks: true,
    removals: true,
    merging: Merging::EachSecond,
};

/// Changes of a cold index of 6400 pages, 500 a second in the first `load_s` seconds.
fn cold_index(secs: u64, load_s: f64, buffer: Option<ChangeBufferConfig>) -> RunSpec {
    let change = TouchSpec { bufferable: true, ..touch(1, true, 100.0) };
    let mut spec = spec(secs, 6_400, 8, fixed(100.0), vec![change], open(64, 500.0, false));
    if let innosim_core::workload::DriveSpec::Open { rate, .. } = &mut spec.workload.drive {
        rate.push(RateSegment { start_s: load_s, ramp_s: 0.0, from_per_s: 0.0, to_per_s: 0.0 });
    }
    spec.workload.page_sets[0].resident_share = 0.0;
    spec.storage.data = DeviceSpec { channels: 8, random_read: fixed(100.0), ..instant_device() };
    spec.change_buffer = buffer;
    spec
}

fn sum(out: &RunOutput, f: fn(&SecondSample) -> u64) -> u64 {
    out.series.iter().map(f).sum()
}

/// With it, a busy server reads what it merges, 5 % of the I/O capacity, and the few pages that have no room for a change;
/// without, each page when it is first changed.
#[test]
fn a_buffered_change_needs_no_read() {
    let server = TestServer::new(20_000);
    let without = run(&server, &cold_index(8, 8.0, None));
    let with = run(&server, &cold_index(8, 8.0, Some(BUFFER)));
    let changes = 500.0 * 8.0;
    let distinct = 6_400.0 * (1.0 - libm::exp(-changes / 6_400.0));
    check_share("pages read without", sum(&without, |s| s.pool_reads) as f64, distinct, 0.02);
    let reads = sum(&with, |s| s.pool_reads);
    // 20 pages a second, 5 % of 400, and the rest of the last eight; 15 pages of 1000 have no room.
    let without_room = (distinct * 0.015) as u64;
    assert!((100..=8 * 27 + 2 * without_room).contains(&reads), "{reads} pages read with");
    assert_eq!(sum(&with, |s| s.transactions).abs_diff(sum(&without, |s| s.transactions)), 0);
}

/// Once the load is over the whole I/O capacity merges, and no change is left behind or merged twice. Redo of a
/// buffered change is written twice.
#[test]
fn every_change_is_merged_once() {
    let server = TestServer::new(20_000);
    let out = run(&server, &cold_index(40, 4.0, Some(BUFFER)));
    let changes = sum(&out, |s| s.transactions);
    let merged = sum(&out, |s| s.merged_changes);
    // The others met a page that a merge had already read.
    assert!(merged > changes * 9 / 10 && merged <= changes, "{merged} of {changes} changes merged");
    assert_eq!(sum(&out, |s| s.merged_changes), merged);
    assert_eq!(out.series[39].merged_changes, 0, "all is merged long before the end");
    // The whole I/O capacity, less the places that are drawn twice within a second: pages lie in some 700 stretches of
    // eight, of which 170 are drawn in the first second.
    let idle: Vec<u64> = out.series[6..10].iter().map(|s| s.pool_reads).collect();
    assert!(idle.iter().all(|read| (250..400).contains(read)), "{idle:?} pages merged a second while idle");
    let redo = sum(&out, |s| s.redo_generated_bytes) as f64 * 496.0 / 512.0;
    // Each page is read once, for its changes.
    let pages = sum(&out, |s| s.pool_reads);
    let (in_tree, first_of_page, merge, merge_of_page) = (10, 73, 51 + 70, 50);
    let theory = 100 * changes + merged * (in_tree + merge) + pages * (first_of_page + merge_of_page);
    check_share("redo", redo, theory as f64, 0.01);
}

/// A buffer that is full, or off, reads.
#[test]
fn a_full_buffer_reads() {
    let server = TestServer::new(20_000);
    let tiny = ChangeBufferConfig { max_pages: 1, io_capacity: 100, ..BUFFER };
    let out = run(&server, &cold_index(8, 8.0, Some(tiny)));
    let none = run(&server, &cold_index(8, 8.0, None));
    let share = sum(&out, |s| s.pool_reads) as f64 / sum(&none, |s| s.pool_reads) as f64;
    assert!(share > 0.8, "{share} of the reads without a buffer");
}

/// Pages that fill up at the same pace: who finds one full reads its neighbours too, those that are nearly full, so they
/// are read sooner than by a server that does not merge ahead.
#[test]
fn a_full_page_is_read_with_its_neighbours() {
    let server = TestServer::new(20_000);
    let reads = |merging| {
        // No background merging: 5 % of nothing.
        let buffer = ChangeBufferConfig { io_capacity: 0, merging, ..BUFFER };
        let mut spec = cold_index(15, 15.0, Some(buffer));
        spec.workload.page_sets[0].pages = 64;
        run(&server, &spec).series.iter().map(|s| s.pool_reads).collect::<Vec<_>>()
    };
    let (ahead, behind) = (reads(Merging::EachSecond), reads(Merging::Nobody));
    assert_eq!([&ahead, &behind].map(|reads| reads.iter().sum::<u64>()), [64, 64], "each page once");
    let mean_second =
        |reads: &[u64]| reads.iter().zip(0..).map(|(reads, second)| reads * second).sum::<u64>() as f64 / 64.0;
    let sooner = mean_second(&behind) - mean_second(&ahead);
    // 7.8 changes a page and second.
    assert!((0.1..2.0).contains(&sooner), "{sooner} s sooner: {ahead:?} and {behind:?}");
}

/// A removal waits only if the page is known to have another entry: of an index whose pages are each changed about once, purge reads
/// the pages of which an entry was marked, and none of those where one was marked and another inserted.
#[test]
fn purge_reads_a_page_that_might_be_empty_after_it() {
    let server = TestServer::new(20_000);
    let reads = |inserts| {
        // No background merging: 5 % of nothing.
        let mut spec = cold_index(8, 4.0, Some(ChangeBufferConfig { io_capacity: 0, ..BUFFER }));
        spec.purge = Some(crate::machine_purge::PURGE);
        let transaction = &mut spec.workload.transactions[0];
        transaction.undo = UndoSpec { bytes: 214.0, insert_bytes: 0.0, changed_rows: 1 };
        let touch = &mut transaction.touches[0];
        (touch.leaves, touch.purge_redo_bytes, touch.inserts) = (Leaves::Marked, 30.0, inserts);
        let out = run(&server, &spec);
        sum(&out, |s| s.pool_reads) as f64 / sum(&out, |s| s.transactions) as f64
    };
    let (marked, replaced) = (reads(false), reads(true));
    assert!(marked > 0.8 && replaced < 0.03, "{marked} and {replaced} reads a transaction");
}

/// Of an entry that is marked and another inserted beside it the mark alone waits where only marks are buffered, and the page is read;
/// where only insertions are, nothing waits.
#[test]
fn what_is_not_buffered_reads_the_page() {
    let server = TestServer::new(20_000);
    let merged = |inserts, marks| {
        let mut spec = cold_index(8, 8.0, Some(ChangeBufferConfig { inserts, marks, ..BUFFER }));
        let touch = &mut spec.workload.transactions[0].touches[0];
        (touch.leaves, touch.inserts) = (Leaves::Marked, true);
        let out = run(&server, &spec);
        let transactions = sum(&out, |s| s.transactions) as f64;
        [sum(&out, |s| s.pool_reads), sum(&out, |s| s.merged_changes)].map(|sum| sum as f64 / transactions)
    };
    let [all, marks, inserts] =
        [(true, true), (false, true), (true, false)].map(|(inserts, marks)| merged(inserts, marks));
    assert!(all[0] < 0.1, "{all:?}");
    assert!(marks[0] > 0.7 && (marks[1] - marks[0]).abs() < 0.01, "a mark for each page read: {marks:?}");
    assert!(inserts[0] > 0.7 && inserts[1] == 0.0, "{inserts:?}");
}
