//! Collecting pages at its thresholds: short runs on either side of a limit.

use crate::common::*;
use innosim_core::config::{BatchEnd, DoublewriteConfig, FlushNeighbors, FreePagePolicy, SharedCollecting};
use innosim_core::kernel::time::SimDuration;
use innosim_core::metrics::RunOutput;
use innosim_core::run_spec::LruMutexSpec;
use innosim_core::seam::{FlushKind, LruWork};
use innosim_core::storage::DeviceSpec;

/// Neighbours that two seconds of flushing took along, with so many pages in use.
fn neighbors(pages: u64, mode: FlushNeighbors) -> u64 {
    let mut server = TestServer::new(10_000);
    server.flushing = Flushing::PagesPerSecond(1_000.0);
    server.config.flush_neighbors = mode;
    let spec = spec(2, pages, 4, fixed(500.0), vec![touch(1, true, 50.0)], closed(1));
    let out = run(&server, &spec);
    assert!(out.series.iter().all(|s| s.pages_flushed > 300), "{:?}", out.series);
    out.series.iter().map(|s| s.neighbor_pages).sum()
}

/// From 512 pages in use on (`innodb-5.5` section 5.3), where the setting says so.
#[test]
fn neighbors_go_along_from_512_pages_in_use_on() {
    assert_eq!(neighbors(511, FlushNeighbors::Area), 0);
    let [area, contiguous] = [FlushNeighbors::Area, FlushNeighbors::Contiguous].map(|mode| neighbors(512, mode));
    assert!(area > contiguous && contiguous > 0, "{area} in the area, {contiguous} beside each other");
    assert_eq!(neighbors(1_000, FlushNeighbors::None), 0);
}

/// A write of a page.
const WRITE_MS: f64 = 10.0;

/// A second of a server that makes free pages by its LRU lists alone, with data of five times its 1000 frames, read by `reads` and
/// modified by one of the touches of each transaction.
fn short_of_frames(server: &mut TestServer, reads: u32) -> RunOutput {
    server.flushing = Flushing::PagesPerSecond(0.0);
    server.config.buffer_pool.free_pages = FreePagePolicy::Pause { wakes_cleaner: false };
    let touches = vec![touch(reads, false, 0.0), touch(1, true, 50.0)];
    let mut spec = spec(2, 5_000, 64, fixed(500.0), touches, closed(64));
    spec.workload.page_sets[0].resident_share = 0.19;
    let random_write = fixed(WRITE_MS * 1_000.0);
    spec.storage.data = DeviceSpec { channels: 4_096, random_write, sequential_write: fixed(0.0), ..instant_device() };
    run(server, &spec)
}

/// The passes of the second second, in which hardly any page is as it was at the start.
fn passes(server: &TestServer) -> Vec<Pass> {
    let passes = server.passes.lock().expect("one thread");
    let flushing: Vec<Pass> =
        passes.iter().skip(passes.len() / 2).copied().filter(|p| p.report.lru_pages > 0).collect();
    assert!(flushing.len() > 5, "{passes:?}");
    flushing
}

/// 5.6 flushes 100 pages of the tail and waits for their writes (`innodb-5.6` section 4.2), whatever part of them a batch of the
/// doublewrite holds, and whether it frees others on the way or takes along neighbours.
#[test]
fn a_chunk_is_written_before_its_slot_goes_on() {
    [8, 64, 128].into_iter().for_each(|batch_pages| assert_written(batch_pages, 0, FlushNeighbors::None, 100));
}

#[test]
fn a_chunk_with_neighbors_is_written_before_its_slot_goes_on() {
    [8, 64, 128].into_iter().for_each(|batch_pages| assert_written(batch_pages, 0, FlushNeighbors::Area, 100));
}

#[test]
fn a_chunk_that_frees_others_is_written_before_its_slot_goes_on() {
    [8, 64, 128].into_iter().for_each(|batch_pages| assert_written(batch_pages, 3, FlushNeighbors::None, 1));
}

fn assert_written(batch_pages: u32, reads: u32, neighbors: FlushNeighbors, least: u64) {
    let mut server = TestServer::new(1_000);
    server.lru = LruWork::Chunks(100);
    server.config.flush_neighbors = neighbors;
    server.config.doublewrite = DoublewriteConfig::PerInstance {
        batch_pages,
        flush_list_segments: 64,
        lru_segments: 64,
        instances: 1,
        sync_file: false,
        fixed_bytes: None,
    };
    short_of_frames(&mut server, reads);
    for pass in passes(&server) {
        assert!(pass.ms >= WRITE_MS && pass.under_write == 0, "batches of {batch_pages}: {pass:?}");
        assert!((least..=101).contains(&pass.report.lru_pages), "batches of {batch_pages}: {pass:?}");
    }
}

/// A chunk that ends short, as enough frames are free, is not gone on with, though clients have taken some of them meanwhile.
#[test]
fn a_chunk_that_ends_short_is_over() {
    let mut server = TestServer::new(1_000);
    server.lru = LruWork::Chunks(100);
    (server.config.batch_end, server.config.doublewrite) = (BatchEnd::Poster, shared(128));
    short_of_frames(&mut server, 3);
    assert!(passes(&server).iter().any(|pass| pass.report.lru_pages < 50));
    for pass in passes(&server) {
        assert!((WRITE_MS..2.0 * WRITE_MS).contains(&pass.ms), "{pass:?}");
    }
}

fn shared(batch_pages: u32) -> DoublewriteConfig {
    let collecting = SharedCollecting::OneThread;
    DoublewriteConfig::Shared { batch_pages, area_pages: batch_pages, collecting, sync_file: false }
}

/// Neighbours fill up what is left of an LRU batch, and one page goes beyond that: the one for which they were taken.
#[test]
fn neighbors_keep_to_the_number_of_an_lru_batch() {
    let mut server = TestServer::new(1_000);
    (server.lru, server.config.flush_neighbors) = (LruWork::Flush(10), FlushNeighbors::Area);
    let out = short_of_frames(&mut server, 0);
    assert!(out.series.iter().all(|s| s.neighbor_pages > 0 && s.lru_sync_pages == 0));
    let most = passes(&server).iter().map(|pass| pass.report.lru_pages).max();
    assert_eq!(most, Some(11));
}

/// A client may come to wait for a page while its batch is collected turn by turn. If others meanwhile fill the buffer that all
/// share, the page is written with the next batch, and the client still goes on.
#[test]
fn who_waits_for_a_page_that_is_left_for_the_next_batch_goes_on() {
    let mut server = TestServer::new(2_000);
    (server.config.buffer_pool.instances, server.config.cleaner_threads) = (4, 4);
    (server.lru, server.flushing) = (LruWork::Chunks(100), Flushing::PagesPerSecond(0.0));
    server.config.buffer_pool.free_pages = FreePagePolicy::Pause { wakes_cleaner: false };
    let (collecting, batch_pages) = (SharedCollecting::Together, 40);
    server.config.doublewrite =
        DoublewriteConfig::Shared { batch_pages, area_pages: batch_pages, collecting, sync_file: false };
    let mut spec = spec(4, 2_400, 64, fixed(50.0), vec![touch(1, true, 50.0)], closed(64));
    spec.cpu.lru_mutex = LruMutexSpec { hold: SimDuration::from_micros(20), ..LruMutexSpec::default() };
    let out = run(&server, &spec);
    assert!(out.series.iter().all(|s| s.lru_pages > 0 && s.transactions > 1_000), "{:?}", out.series);
}

/// LRU batches of a pass that flushes synchronously are counted with it, and apart.
#[test]
fn lru_pages_of_a_sync_pass_are_counted_apart() {
    let mut server = TestServer::new(1_000);
    server.kind = FlushKind::Sync;
    let out = short_of_frames(&mut server, 0);
    assert!(out.series.iter().all(|s| s.lru_pages > 0 && s.lru_sync_pages == s.lru_pages));
    assert!(out.series.iter().all(|s| s.sync_pages == s.lru_pages));
}

/// With one doublewrite buffer for all, the batches of two instances come one after the other.
#[test]
fn lru_batches_take_turns_at_the_buffer_of_the_server() {
    let mut server = TestServer::new(1_000);
    (server.config.buffer_pool.instances, server.config.cleaner_threads) = (2, 2);
    server.config.doublewrite = shared(128);
    short_of_frames(&mut server, 0);
    let both = passes(&server).into_iter().filter(|pass| pass.report.lru_pages > 110).collect::<Vec<Pass>>();
    assert!(both.len() > 5, "passes of two batches");
    for pass in both {
        assert!(pass.ms >= WRITE_MS, "the second batch waits for the write of the first: {pass:?}");
    }
}

/// A flush-list batch that ends short has seen all there is: its slot is over, though other pages become dirty while it is
/// written.
#[test]
fn a_short_batch_of_the_list_ends_its_slot() {
    let mut server = TestServer::new(10_000);
    server.flushing = Flushing::PagesPerSecond(1e6);
    (server.config.batch_end, server.config.doublewrite) = (BatchEnd::Poster, shared(128));
    let mut spec = spec(2, 100, 64, fixed(500.0), vec![touch(1, true, 50.0)], closed(64));
    let random_write = fixed(WRITE_MS * 1_000.0);
    spec.storage.data = DeviceSpec { channels: 4_096, random_write, sequential_write: fixed(0.0), ..instant_device() };
    run(&server, &spec);
    let passes = server.passes.lock().expect("one thread");
    let flushing: Vec<&Pass> = passes.iter().filter(|pass| pass.report.list_pages > 0).collect();
    assert!(flushing.len() > 20, "{passes:?}");
    for pass in flushing {
        assert!(pass.report.list_pages <= 100 && pass.ms < 2.0 * WRITE_MS, "{pass:?}");
    }
}
