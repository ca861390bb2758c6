//! Data that outgrows the pool: who makes free pages, one LRU batch at a time, threads that begin late.

use crate::common::*;
use innosim_core::config::{
    BatchEnd, DataSync, DoublewriteConfig, FlushNeighbors, FreePagePolicy, LruWritten, RedoIo, SharedCollecting,
};
use innosim_core::kernel::time::SimDuration;
use innosim_core::metrics::{RunOutput, SecondSample};
use innosim_core::run_spec::RunSpec;
use innosim_core::storage::DeviceSpec;
use innosim_core::workload::{AccessClassSpec, DrawSpec, PageSetSpec, TouchSpec};

/// Pages of the pool and of the data.
const POOL: u64 = 4_000;
const DATA: u64 = 20_000;

/// Every transaction modifies one page of five times as many as the pool holds.
fn missing(secs: u64, clients: u32, data: DeviceSpec) -> RunSpec {
    let mut spec = spec(secs, DATA, 1_000, exponential(500.0), vec![touch(1, true, 50.0)], closed(clients));
    spec.workload.page_sets[0].resident_share = 0.15;
    spec.storage.data = data;
    spec
}

fn sum(out: &RunOutput, from: usize, f: fn(&SecondSample) -> u64) -> f64 {
    out.series[from..].iter().map(f).sum::<u64>() as f64
}

/// A batch of the scan depth takes as long as its writes, and the next begins at the cleaner's first look after that.
#[test]
fn an_lru_batch_begins_when_the_last_one_is_over() {
    let mut server = TestServer::new(POOL);
    server.flushing = Flushing::PagesPerSecond(0.0);
    server.config.buffer_pool.free_pages = FreePagePolicy::Pause { wakes_cleaner: false };
    let slow = DeviceSpec { channels: 256, random_write: fixed(95_000.0), ..instant_device() };
    let out = run(&server, &missing(20, 64, slow));
    let pages = sum(&out, 5, |s| s.lru_pages) / 15.0;
    // 100 pages, writes of 95 ms, a look each 10 ms.
    assert!((900.0..1_053.0).contains(&pages), "{pages} LRU pages a second");
}

/// However many clients find the margin short, one batch is made for all of them: no more pages are written than frames
/// are used.
#[test]
fn clients_share_an_lru_batch() {
    let mut server = TestServer::new(POOL);
    server.config.buffer_pool.free_pages =
        FreePagePolicy::Margin { margin: 50, extra: 100, search: 300, sleep: SimDuration::from_millis(500) };
    server.config.buffer_pool.lru_written = LruWritten::MovedToTail;
    server.config.batch_end = BatchEnd::Poster;
    server.config.doublewrite = DoublewriteConfig::Shared {
        batch_pages: 128,
        area_pages: 64,
        collecting: SharedCollecting::OneThread,
        sync_file: false,
    };
    let disk = DeviceSpec {
        channels: 16,
        random_read: fixed(500.0),
        random_write: fixed(1_000.0),
        sequential_write: fixed(2_000.0),
        ..instant_device()
    };
    let out = run(&server, &missing(20, 64, disk));
    let (written, read) = (sum(&out, 5, |s| s.lru_pages), sum(&out, 5, |s| s.pool_reads));
    check_share("pages written a page read", written / read, 1.0, 0.05);
    let most = out.series[5..].iter().map(|s| s.lru_pages as f64 - s.pool_reads as f64).fold(0.0, f64::max);
    assert!(most < 400.0, "{most} pages more than were read in one second");
}

/// Threads that make free pages begin when rows appended outgrow the pool, though they had nothing to do at the start.
#[test]
fn lru_managers_begin_when_the_data_has_outgrown_the_pool() {
    let mut server = TestServer::new(POOL);
    server.config.lru_managers = Some(SimDuration::from_millis(100));
    server.config.buffer_pool.free_pages = FreePagePolicy::Pause { wakes_cleaner: false };
    let mut spec = spec(30, 64, 1_000, exponential(1_000.0), vec![touch(1, true, 50.0)], closed(8));
    spec.workload.access_classes[0].draw = DrawSpec::Append { points: 1, rows_per_page: 10, home_points: 0 };
    let out = run(&server, &spec);
    let began = out.series.iter().position(|s| s.lru_pages > 0).expect("LRU pages are written");
    assert!(began > 3, "in second {began}");
    // A batch of 100 pages a second, and 10 rows a page.
    check_share("transactions a second after that", out.series[29].transactions as f64, 1_000.0, 0.01);
}

/// The sleep of such a thread counts from the beginning of its batch, so writes that take nearly as long do not slow it down.
#[test]
fn an_lru_manager_sleeps_for_what_its_batch_leaves() {
    let mut server = TestServer::new(POOL);
    server.config.lru_managers = Some(SimDuration::from_millis(100));
    server.config.buffer_pool.free_pages = FreePagePolicy::Pause { wakes_cleaner: false };
    let mut spec = spec(30, 64, 1_000, exponential(1_000.0), vec![touch(1, true, 50.0)], closed(8));
    spec.workload.access_classes[0].draw = DrawSpec::Append { points: 1, rows_per_page: 10, home_points: 0 };
    // A batch of 100 pages takes 0.8 s, and the sleep is a second.
    spec.storage.data = DeviceSpec { random_write: fixed(8_000.0), ..instant_device() };
    spec.storage.data.channels = 1;
    let out = run(&server, &spec);
    let later = sum(&out, 15, |s| s.transactions) / 15.0;
    check_share("transactions a second", later, 1_000.0, 0.08);
}

/// A client that flushes a page alone waits for the redo that its page had when it took it, not for what others add: the sync in
/// progress and the next are enough, though more pages are modified between two syncs than the log remembers.
#[test]
fn a_client_that_flushes_alone_is_not_held_up_by_redo_of_others() {
    let mut server = flushing_alone(1_000, SimDuration::ZERO, false);
    server.config.redo.io = RedoIo::Buffered;
    let miss = TouchSpec { class: 1, probability: 0.01, ..touch(1, true, 50.0) };
    let mut spec = spec(10, 500, 64, fixed(10_000.0), vec![touch(100, true, 5.0), miss], closed(32));
    spec.workload.page_sets.push(PageSetSpec {
        name: "cold".to_owned(),
        space_id: 6,
        pages: 3_000,
        resident_share: 0.15,
        freed: false,
    });
    let cold = AccessClassSpec { name: "cold".to_owned(), page_sets: vec![1], draw: DrawSpec::Uniform };
    spec.workload.access_classes.push(cold);
    spec.storage.redo = Some(DeviceSpec { sync: fixed(200_000.0), ..instant_device() });
    let out = run(&server, &spec);
    let modified = sum(&out, 0, |s| s.transactions) * 100.0 / 10.0;
    assert!(modified * 0.2 > 16_384.0, "{modified} modifications a second");
    assert!(sum(&out, 5, |s| s.single_pages) > 20.0, "pages are flushed alone");
    let longest = out.series[5..].iter().map(|s| s.latency_ms_max).fold(0.0, f64::max);
    assert!(longest < 900.0, "{longest} ms: two syncs of 200 ms and the client's own work");
}

/// The flush lists go on beside LRU batches where each thread waits for its batch and its sync, though the batch of one
/// is over and its place taken by another's while it still waits.
#[test]
fn flush_lists_go_on_beside_lru_batches_without_doublewrite() {
    let mut server = TestServer::new(POOL);
    server.flushing = Flushing::PagesPerSecond(2_000.0);
    (server.config.buffer_pool.instances, server.config.cleaner_threads) = (4, 4);
    (server.config.batch_end, server.config.data_sync) = (BatchEnd::Poster, DataSync::EveryBatch);
    let slow_sync = DeviceSpec { random_write: fixed(50.0), sync: fixed(500.0), ..instant_device() };
    let out = run(&server, &missing(30, 16, slow_sync));
    let of_lists: Vec<u64> = out.series.iter().map(|s| s.adaptive_pages).collect();
    assert!(of_lists[5..].iter().all(|pages| *pages > 0), "{of_lists:?}");
    assert!(sum(&out, 5, |s| s.lru_pages) > 0.0, "there were LRU batches beside them");
}

/// Where neighbours go over the number of pages of a slot, the page that is too many is written at once too: nobody waits
/// for it until the next pass.
#[test]
fn a_page_beyond_the_number_of_a_slot_is_not_left_under_write() {
    let mut server = TestServer::new(1_000);
    server.flushing = Flushing::PagesPerSecond(400.0);
    server.config.flush_neighbors = FlushNeighbors::Area;
    server.config.batch_end = BatchEnd::IoThread;
    server.config.doublewrite = DoublewriteConfig::PerInstance {
        batch_pages: 4,
        flush_list_segments: 8,
        lru_segments: 8,
        instances: 1,
        sync_file: false,
        fixed_bytes: None,
    };
    let device = DeviceSpec { random_write: fixed(50.0), sequential_write: fixed(50.0), ..instant_device() };
    let mut spec = spec(20, 900, 1_000, fixed(100.0), vec![touch(1, true, 50.0)], open(64, 2_000.0, false));
    spec.storage.data = device;
    let out = run(&server, &spec);
    let longest = out.series[2..].iter().map(|s| s.latency_ms_max).fold(0.0, f64::max);
    assert!(longest < 5.0, "a transaction took {longest} ms");
}

/// A client that is to flush a page frees a clean one instead if it meets it first (5.7 and later): as many pages are
/// dirty as are changed. In 5.6 it flushes one each time, and hardly any dirty page is left.
#[test]
fn who_would_flush_a_page_frees_a_clean_one_that_it_meets_first() {
    let dirty_share = |clean_first| {
        let mut spec = missing(10, 8, instant_device());
        spec.workload.transactions[0].touches = vec![touch(4, false, 0.0), touch(1, true, 50.0)];
        let out = run(&flushing_alone(POOL, SimDuration::from_millis(10), clean_first), &spec);
        sum(&out, 5, |s| s.dirty_pages) / 5.0 / POOL as f64
    };
    let (clean_first, dirty_first) = (dirty_share(true), dirty_share(false));
    assert!(clean_first > 0.15, "{clean_first} of the pool is dirty");
    assert!(dirty_first < 0.01, "{dirty_first} of the pool is dirty");
}

/// A client sleeps before it looks for a page to flush, not with the page under write, where others would wait for it.
#[test]
fn nobody_sleeps_with_a_page_under_write() {
    let slow = DeviceSpec { channels: 256, random_write: fixed(5_000.0), ..instant_device() };
    let mut spec = spec(20, 60, 1_000, exponential(500.0), vec![touch(1, true, 50.0)], closed(80));
    spec.workload.page_sets[0].resident_share = 0.5;
    spec.storage.data = slow;
    let out = run(&flushing_alone(40, SimDuration::from_secs(1), true), &spec);
    // 20 of 60 pages are missing, and 40 frames are written in 5 ms each: at most 24 000 transactions a second.
    let per_s = sum(&out, 5, |s| s.transactions) / 15.0;
    assert!((5_000.0..24_000.0).contains(&per_s), "{per_s} transactions a second");
}

/// A search that finds nothing keeps nobody else from searching, other than from 5.6 on; and what an LRU batch has
/// written is free for all who wait (5.5).
#[test]
fn clients_of_55_search_though_others_found_nothing() {
    let mut server = TestServer::new(100);
    server.flushing = Flushing::PagesPerSecond(5_000.0);
    server.config.buffer_pool.free_pages =
        FreePagePolicy::Margin { margin: 5, extra: 10, search: 20, sleep: SimDuration::from_millis(500) };
    server.config.buffer_pool.lru_written = LruWritten::MovedToTail;
    server.config.batch_end = BatchEnd::Poster;
    let mut spec = spec(20, 130, 1_000, exponential(500.0), vec![touch(1, true, 50.0)], closed(80));
    spec.workload.page_sets[0].resident_share = 0.5;
    spec.storage.data = DeviceSpec { channels: 256, random_write: fixed(100.0), ..instant_device() };
    let out = run(&server, &spec);
    let waits = sum(&out, 5, |s| s.wait_free) / sum(&out, 5, |s| s.pool_reads);
    assert!(waits < 0.0008, "{waits} rounds without a free page for each page read");
}
