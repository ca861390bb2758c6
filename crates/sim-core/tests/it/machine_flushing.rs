//! Dirty pages, ages and flushing of the whole machine against closed forms.
//!
//! Pages are drawn uniformly, so that each page of N is modified at the rate lambda = transactions a second / N, by a
//! Poisson process: occupancy formulas for a growing number of dirty pages, renewal theory for a balanced one.

use crate::common::*;
use innosim_core::config::{
    CommitDurability, DataSync, DoublewriteConfig, FlushNeighbors, LeavesFlushList, RedoPipeline, SyncHolds,
};
use innosim_core::kernel::time::SimDuration;
use innosim_core::run_spec::{CpuScheduling, CpuSpec, DirtyStart};
use innosim_core::seam::WorkBefore;
use innosim_core::storage::DeviceSpec;

/// Bytes of LSN for a byte of payload: 512-byte blocks with 496 bytes of payload.
const FRAMING: f64 = 512.0 / 496.0;

/// n uniform modifications over N pages dirty N (1 - (1 - 1/N)^n) pages; the variance is that of occupancy,
/// N (e^-a - (1 + a) e^-2a) with a = n / N.
#[test]
fn distinct_pages_of_a_window() {
    let pages = 20_000u64;
    let out =
        run(&TestServer::new(40_000), &spec(20, pages, 64, exponential(800.0), vec![touch(1, true, 60.0)], closed(4)));
    let total = pages as f64;
    let mut n = 0;
    for row in &out.series {
        n += row.transactions;
        let expected = total * (1.0 - libm::pow(1.0 - 1.0 / total, n as f64));
        let a = n as f64 / total;
        let deviation = (total * (libm::exp(-a) - (1.0 + a) * libm::exp(-2.0 * a))).sqrt();
        let off = row.dirty_pages as f64 - expected;
        println!(
            "{n} modifications: {} dirty, {expected:.1} expected, {:+.2} deviations",
            row.dirty_pages,
            off / deviation
        );
        assert!(off.abs() < 3.0 * deviation, "{off} at {expected}");
    }
    let share = out.series.last().unwrap().dirty_pages as f64 / total;
    assert!((0.9..0.999).contains(&share), "the run ends where the formula bends: {share}");
}

/// A start with D dirty pages over an age A and no load: f pages a second leave D - f t, whose oldest lies A (1 - f t /
/// D) back.
#[test]
fn a_dirty_start_drains() {
    let (dirty, age, flushed) = (6_000.0, 90_000_000u64, 500.0);
    let mut server = TestServer::new(40_000);
    server.flushing = Flushing::PagesPerSecond(flushed);
    server.checkpoints = Some(SimDuration::from_millis(50));
    let mut spec = spec(10, 20_000, 4, fixed(20.0), vec![touch(1, true, 200.0)], open(4, 0.0, false));
    spec.dirty_start = Some(DirtyStart { share: 0.3, checkpoint_age_bytes: age, before: WorkBefore::default() });
    let out = run(&server, &spec);
    for row in &out.series {
        let left = dirty - flushed * row.second as f64;
        assert!((row.dirty_pages as f64 - left).abs() <= flushed * 0.011, "{left}: {row:?}");
        let oldest = age as f64 * left / dirty;
        assert!((row.oldest_page_age_bytes as f64 - oldest).abs() < 0.002 * age as f64, "{oldest}: {row:?}");
        let since = (row.checkpoint_age_bytes as f64 - oldest) / age as f64;
        assert!((-0.001..0.006).contains(&since), "the checkpoint is up to 50 ms behind: {since}");
    }
    assert_eq!(out.series.iter().map(|s| s.redo_generated_bytes).sum::<u64>(), 0, "what was there is no new redo");
}

/// A server that takes written pages out of its flush list when it looks does the same work and counts the pages of its last pass
/// as dirty.
#[test]
fn written_pages_count_as_dirty_until_the_next_look() {
    let flushed = 500.0;
    let mut server = TestServer::new(40_000);
    server.flushing = Flushing::PagesPerSecond(flushed);
    let mut spec = spec(10, 20_000, 4, fixed(20.0), vec![touch(1, true, 200.0)], open(4, 1000.0, false));
    // The writes end when the page cleaner sleeps again.
    spec.storage.data = DeviceSpec { channels: 8, random_write: fixed(100.0), ..instant_device() };
    spec.dirty_start = Some(DirtyStart { share: 0.3, checkpoint_age_bytes: 90_000_000, before: WorkBefore::default() });
    let at_once = run(&server, &spec);
    server.config.buffer_pool.leaves_flush_list = LeavesFlushList::AtNextLook;
    let late = run(&server, &spec);
    let a_pass = flushed * 0.011;
    let mut more = 0;
    for (late, at_once) in late.series.iter().zip(&at_once.series) {
        assert_eq!((late.pages_flushed, late.transactions), (at_once.pages_flushed, at_once.transactions));
        assert_eq!(late.oldest_page_age_bytes, at_once.oldest_page_age_bytes);
        assert!((at_once.dirty_pages..=at_once.dirty_pages + a_pass as u64).contains(&late.dirty_pages));
        more += late.dirty_pages - at_once.dirty_pages;
    }
    assert!(more > 0);
}

/// Pages that are freed before their turn leave the flush list when a flush comes by, and nothing is written.
#[test]
fn freed_pages_are_dropped_unwritten() {
    let mut server = TestServer::new(40_000);
    server.flushing = Flushing::PagesPerSecond(500.0);
    server.checkpoints = Some(SimDuration::from_millis(50));
    let mut spec = spec(3, 20_000, 4, fixed(20.0), vec![touch(1, true, 200.0)], open(4, 0.0, false));
    spec.dirty_start = Some(DirtyStart { share: 0.3, checkpoint_age_bytes: 90_000_000, before: WorkBefore::default() });
    let written = run(&server, &spec);
    assert!(written.series.iter().all(|row| row.pages_flushed > 0 && row.dirty_pages > 0));
    spec.workload.page_sets[0].freed = true;
    let dropped = run(&server, &spec);
    for row in &dropped.series {
        assert_eq!((row.pages_flushed, row.dirty_pages, row.device_write_bytes), (0, 0, 0), "{row:?}");
        assert_eq!(row.checkpoint_age_bytes, 0);
    }
}

/// Flushing f pages a second from the tail: a page is clean for 1/lambda on average, then dirty for the window w, the
/// same for all pages as the list is a queue. So f = N / (w + 1/lambda), and D = f w = N (1 - f / (N lambda)).
#[test]
fn constant_flushing_balances() {
    let (pages, rate, flushed) = (20_000.0, 5_000.0, 2_000.0);
    let mut server = TestServer::new(40_000);
    server.flushing = Flushing::PagesPerSecond(flushed);
    server.checkpoints = Some(SimDuration::from_millis(50));
    let mut spec = spec(160, pages as u64, 64, fixed(20.0), vec![touch(1, true, 200.0)], open(32, rate, false));
    spec.storage.data = DeviceSpec { channels: 8, random_write: fixed(100.0), ..instant_device() };
    let out = run(&server, &spec);
    let lambda = rate / pages;
    let window = pages / flushed - 1.0 / lambda;
    let (got, _) = batch_means(&out, 60, 2, |s| s.pages_flushed as f64);
    check_share("flushed", got, flushed, 0.002);
    let (dirty, _) = batch_means(&out, 60, 2, |s| s.dirty_pages as f64);
    check_share("dirty pages", dirty, pages * (1.0 - flushed / (pages * lambda)), 0.01);
    let (redo, _) = batch_means(&out, 60, 2, |s| s.redo_generated_bytes as f64);
    check_share("redo rate", redo, rate * 200.0 * FRAMING, 0.001);
    let (age, _) = batch_means(&out, 60, 2, |s| s.oldest_page_age_bytes as f64);
    check_share("age / redo rate", age / redo, window, 0.01);
    let (checkpoint_age, _) = batch_means(&out, 60, 2, |s| s.checkpoint_age_bytes as f64);
    assert!((0.0..0.15).contains(&(checkpoint_age / redo - age / redo)), "{checkpoint_age} {age}");
    out.stations.iter().for_each(check_little);
}

/// Pages in are pages out: dirtied = flushed + still dirty, with every page dirtied counted by the formula above.
#[test]
fn the_device_sees_what_is_flushed() {
    let mut server = TestServer::new(40_000);
    server.flushing = Flushing::PagesPerSecond(1_000.0);
    let mut spec = spec(30, 20_000, 64, fixed(20.0), vec![touch(1, true, 200.0)], open(32, 3_000.0, false));
    spec.storage.data = DeviceSpec { channels: 8, random_write: fixed(100.0), ..instant_device() };
    let out = run(&server, &spec);
    let flushed: u64 = out.series.iter().map(|s| s.pages_flushed).sum();
    let bytes: u64 = out.series.iter().map(|s| s.device_write_bytes).sum();
    assert!(flushed > 25_000);
    assert!(bytes <= flushed * 16_384 && bytes + 64 * 16_384 >= flushed * 16_384, "{bytes} bytes for {flushed} pages");
}

/// One thread that gets pages ready, checksum included, flushes no more than it can compute.
#[test]
fn checksums_limit_a_thread() {
    let mut server = TestServer::new(40_000);
    server.flushing = Flushing::Everything;
    let mut spec = spec(10, 20_000, 4, fixed(20.0), vec![touch(1, true, 200.0)], open(4, 0.0, false));
    spec.dirty_start = Some(DirtyStart { share: 0.9, checkpoint_age_bytes: 90_000_000, before: WorkBefore::default() });
    spec.cpu = CpuSpec {
        scheduling: CpuScheduling::Shared,
        page_checksum: SimDuration::from_micros(994),
        ..CpuSpec::default()
    };
    let out = run(&server, &spec);
    // Besides the checksum 6 us a page for its lists and copy.
    let (flushed, _) = batch_means(&out, 1, 2, |s| s.pages_flushed as f64);
    check_share("flushed", flushed, 1e6 / (994.0 + 6.0), 0.02);
}

/// Where accesses to pages take the mutex that a flush batch holds, a processor loses of each wait what its threads leave of it, which
/// is the less the more they are; elsewhere nothing.
#[test]
fn accesses_wait_for_the_search_of_a_flush_list() {
    let (demand, wait, cores, clients) = (200e-6, 300e-6, 2, 16);
    for (takes_mutex, gap_us, scheduling) in [
        (false, 0, CpuScheduling::Balanced),
        (true, 0, CpuScheduling::Balanced),
        (true, 0, CpuScheduling::Shared),
        (true, 0, CpuScheduling::InTurns),
        (true, 20, CpuScheduling::Balanced),
        (true, 40, CpuScheduling::Balanced),
    ] {
        let mut server = TestServer::new(40_000);
        server.flushing = Flushing::PagesPerSecond(1_000.0);
        server.config.buffer_pool.accesses_take_mutex = takes_mutex;
        let mut spec = spec(10, 20_000, cores, fixed(demand * 1e6), vec![touch(1, true, 200.0)], closed(clients));
        spec.dirty_start =
            Some(DirtyStart { share: 0.9, checkpoint_age_bytes: 90_000_000, before: WorkBefore::default() });
        let (pool_mutex_wait, page_access_gap) = (SimDuration::from_micros(300), SimDuration::from_micros(gap_us));
        spec.cpu = CpuSpec { scheduling, pool_mutex_wait, page_access_gap, ..CpuSpec::default() };
        let out = run(&server, &spec);
        let (flushed, _) = batch_means(&out, 2, 2, |s| s.pages_flushed as f64);
        let (done, _) = batch_means(&out, 2, 2, |s| s.transactions as f64);
        let gets_on = gap_us as f64 * 1e-6 * f64::from(clients) / f64::from(cores);
        let lost = if takes_mutex { flushed * (wait - gets_on).max(0.0) } else { 0.0 };
        let label = format!("{scheduling:?}, {gap_us} us between accesses, taken: {takes_mutex}");
        check_share(&label, done, f64::from(cores) / demand * (1.0 - lost), 0.01);
        assert!(flushed > 900.0, "{label}: {flushed}");
    }
}

/// Pages of lists that are counted take 100 ns each from all threads where redo is written under the log mutex.
#[test]
fn writers_of_redo_wait_until_the_lists_are_counted() {
    for (pipeline, lost) in [(RedoPipeline::LogMutex, 2e-3), (RedoPipeline::DedicatedThreads, 0.0)] {
        let mut server = TestServer::new(40_000);
        server.config.redo.pipeline = pipeline;
        server.flushing = Flushing::PagesPerSecond(1.0);
        server.pages_counted = 20_000;
        let mut spec = spec(10, 20_000, 2, fixed(200.0), vec![touch(1, true, 200.0)], closed(16));
        spec.cpu = CpuSpec { scheduling: CpuScheduling::Balanced, ..CpuSpec::default() };
        let out = run(&server, &spec);
        let passes_per_s = server.passes.lock().expect("one thread").len() as f64 / out.series.len() as f64;
        let (done, _) = batch_means(&out, 2, 2, |s| s.transactions as f64);
        check_share(&format!("{pipeline:?}"), done, 2.0 / 200e-6 * (1.0 - lost * passes_per_s), 0.01);
        assert!(passes_per_s > 50.0, "{passes_per_s} passes");
    }
}

/// Neighbours that follow each other are one write where writes are simulated by threads, or wait in the device's queue, and no byte is
/// lost.
#[test]
fn adjacent_pages_are_written_at_once() {
    let writes_and_pages = |merges, write_us| {
        let mut server = TestServer::new(40_000);
        server.flushing = Flushing::PagesPerSecond(1_000.0);
        server.config.flush_neighbors = FlushNeighbors::Area;
        server.config.merges_adjacent_writes = merges;
        let mut spec = spec(10, 20_000, 4, fixed(20.0), vec![touch(1, true, 200.0)], open(4, 0.0, false));
        spec.dirty_start =
            Some(DirtyStart { share: 1.0, checkpoint_age_bytes: 90_000_000, before: WorkBefore::default() });
        spec.storage.data.random_write = fixed(write_us);
        spec.storage.data.merges_writes = true;
        let out = run(&server, &spec);
        let pages: u64 = out.series.iter().map(|s| s.pages_flushed).sum();
        let bytes: u64 = out.series.iter().map(|s| s.device_write_bytes).sum();
        assert!(pages > 5_000 && bytes.abs_diff(pages * 16_384) <= 64 * 16_384, "{bytes} bytes for {pages} pages");
        (out.stations[1].arrivals, pages)
    };
    let (alone, pages) = writes_and_pages(false, 0.0);
    assert!(alone.abs_diff(pages) <= 64, "{alone} writes of {pages} pages");
    let (merged, pages) = writes_and_pages(true, 0.0);
    assert!(merged * 5 < pages, "{merged} writes of {pages} pages");
    let (in_the_queue, pages) = writes_and_pages(false, 200.0);
    assert!(in_the_queue * 3 < pages, "{in_the_queue} writes of {pages} pages");
}

/// Without flushing the age grows by the redo rate until it meets the limit at stop / rate; then nothing moves, and the
/// redo in use stays below the hard capacity.
#[test]
fn redo_fills_up() {
    let (rate, payload) = (2_000.0, 500.0);
    let mut server = TestServer::new(40_000);
    server.stop_bytes = 10_000_000;
    server.hard_bytes = 10_100_000;
    server.checkpoints = Some(SimDuration::from_millis(20));
    let spec = spec(30, 20_000, 64, fixed(20.0), vec![touch(1, true, payload)], open(16, rate, false));
    let out = run(&server, &spec);
    let full = server.stop_bytes as f64 / (rate * payload * FRAMING);
    let done: u64 = out.series.iter().map(|s| s.transactions).sum();
    check_share("seconds until the log is full", done as f64 / rate, full, 0.002);
    for row in &out.series {
        let running = row.second as f64 <= full;
        let grown = row.second as f64 * rate * payload * FRAMING;
        assert!(row.checkpoint_age_bytes <= server.hard_bytes, "{row:?}");
        assert!(!running || (row.checkpoint_age_bytes as f64 / grown - 1.0).abs() < 0.002, "{row:?}");
        assert!(row.second as f64 <= full + 1.0 || row.transactions == 0, "{row:?}");
    }
    let last = out.series.last().unwrap();
    assert!(last.checkpoint_age_bytes >= server.stop_bytes && last.arrivals_waiting > 20_000);
}

/// A writer that meets its limit stops there, though transactions that change a large row each overshoot the free
/// check.
#[test]
fn the_writer_stops_at_the_capacity() {
    let mut server = TestServer::new(40_000);
    server.config.redo.commit = CommitDurability::Write;
    server.stop_bytes = 1_000_000;
    server.hard_bytes = 1_010_000;
    let mut spec = spec(10, 20_000, 64, exponential(500.0), vec![touch(50, true, 400.0)], closed(32));
    spec.workload.transactions[0].undo.changed_rows = 1;
    let out = run(&server, &spec);
    let last = out.series.last().unwrap();
    assert_eq!(last.transactions, 0);
    assert!(last.checkpoint_age_bytes > server.hard_bytes, "the test means to overshoot: {last:?}");
}

/// Pages a second that one instance flushes with batches of b pages.
fn ceiling(data_sync: DataSync, segments: u32, sync_us: f64) -> f64 {
    let mut server = TestServer::new(100_000);
    server.flushing = Flushing::Everything;
    server.config.data_sync = data_sync;
    server.config.doublewrite = DoublewriteConfig::PerInstance {
        batch_pages: 16,
        flush_list_segments: segments,
        lru_segments: segments,
        instances: 1,
        sync_file: false,
        fixed_bytes: None,
    };
    let mut spec = spec(20, 64_000, 64, fixed(100.0), vec![touch(4, true, 50.0)], open(64, 8_000.0, false));
    spec.storage.data = DeviceSpec {
        channels: 8,
        random_write: fixed(300.0),
        sequential_write: fixed(1_000.0),
        sync: fixed(sync_us),
        ..instant_device()
    };
    let out = run(&server, &spec);
    out.stations.iter().for_each(check_little);
    batch_means(&out, 10, 2, |s| s.pages_flushed as f64).0
}

/// One instance has one batch of b pages in flight: b / (t_doublewrite + t_data(b)) pages a second, t_data being two
/// rounds of the device's eight channels here.
#[test]
fn doublewrite_limits_flushing() {
    let pages = ceiling(DataSync::Never, 4, 5_000.0);
    check_share("no sync", pages, 16.0 / (1_000e-6 + 600e-6), 0.005);
}

/// With data syncs and one segment the sync comes on top; with segments to spare the next batch is written during the
/// sync, but the only I/O thread completes it after the sync: the longer of the two sets the pace.
#[test]
fn data_syncs_limit_flushing() {
    check_share("one segment", ceiling(DataSync::EveryBatch, 1, 900.0), 16.0 / 2_500e-6, 0.005);
    check_share("short sync", ceiling(DataSync::EveryBatch, 4, 900.0), 16.0 / 1_600e-6, 0.005);
    check_share("long sync", ceiling(DataSync::EveryBatch, 4, 5_000.0), 16.0 / 5_000e-6, 0.005);
}

/// A server that never syncs data files doesn't do so for checkpoints either.
#[test]
fn no_sync_means_none() {
    let mut server = TestServer::new(10_000);
    server.flushing = Flushing::PagesPerSecond(500.0);
    server.checkpoints = Some(SimDuration::from_millis(50));
    let out = run(&server, &spec(5, 6_400, 64, fixed(20.0), vec![touch(1, true, 200.0)], open(32, 1_000.0, false)));
    assert!(out.series.last().unwrap().checkpoint_age_bytes < 5_000 * 200, "checkpoints are written");
    assert_eq!(out.series.iter().map(|s| s.data_fsyncs).sum::<u64>(), 0);
}

/// Pages a second of LRU batches of 10, and reads a second, of clients that miss nearly always, and the share of the
/// processors that is busy, where threads spin for so long on a mutex that is taken.
fn lru_under(sync_holds: SyncHolds, mutex_spin: SimDuration) -> (f64, f64, f64) {
    let mut server = TestServer::new(4_000);
    server.flushing = Flushing::PagesPerSecond(0.0);
    server.config.data_sync = DataSync::EveryBatch;
    server.config.write_io_threads = 8;
    server.config.buffer_pool.lru_scan_depth = 1_000;
    server.config.buffer_pool.sync_holds = sync_holds;
    server.config.doublewrite = DoublewriteConfig::PerInstance {
        batch_pages: 10,
        flush_list_segments: 8,
        lru_segments: 8,
        instances: 1,
        sync_file: false,
        fixed_bytes: None,
    };
    let mut spec = spec(10, 64_000, 64, exponential(100.0), vec![touch(1, true, 50.0)], closed(64));
    spec.workload.page_sets[0].resident_share = 0.0;
    spec.storage.data = DeviceSpec { channels: 64, sync: fixed(2_000.0), ..instant_device() };
    spec.cpu = CpuSpec { mutex_spin, ..CpuSpec::default() };
    let out = run(&server, &spec);
    let lru = batch_means(&out, 2, 1, |s| s.lru_pages as f64).0;
    (lru, batch_means(&out, 2, 1, |s| s.pool_reads as f64).0, out.stations[0].utilization)
}

/// The thread that ends an LRU batch holds the mutex of the list until the data files are synced: the next batch cannot
/// end before, and nobody reads a page meanwhile. Without that reads go on.
#[test]
fn syncs_under_a_mutex_hold_up_who_needs_it() {
    let (alone, reads_alone, _) = lru_under(SyncHolds::Nothing, SimDuration::ZERO);
    let (held, reads_held, _) = lru_under(SyncHolds::LruList, SimDuration::ZERO);
    println!("LRU pages a second {alone} and {held}, reads {reads_alone} and {reads_held}");
    let ceiling = 10.0 / 2_000e-6;
    assert!(held <= ceiling && held > 0.4 * ceiling, "{held} of {ceiling}");
    assert!(reads_held < 0.5 * reads_alone, "{reads_held} of {reads_alone}");
}

/// Who finds the mutex taken spins: that takes CPU time and, with processors for all, no pages. Where nobody holds it
/// over a sync, nobody spins.
#[test]
fn waiting_for_the_mutex_takes_cpu_time() {
    let spin = SimDuration::from_micros(100);
    let (_, reads, busy) = lru_under(SyncHolds::LruList, SimDuration::ZERO);
    let (_, reads_spinning, busy_spinning) = lru_under(SyncHolds::LruList, spin);
    println!("{busy} busy with {reads} reads a second, {busy_spinning} with {reads_spinning} and spinning");
    assert!(busy_spinning > 1.1 * busy && reads_spinning > 0.9 * reads);
    let (_, _, alone) = lru_under(SyncHolds::Nothing, SimDuration::ZERO);
    assert_eq!(lru_under(SyncHolds::Nothing, spin).2, alone);
}

/// Open transactions with more redo together than the log has room for: each stops at the free check between two of its
/// changes, and the log never fills up so far that pages could not be written.
#[test]
fn large_transactions_leave_room_to_flush() {
    let mut server = TestServer::new(10_000);
    server.flushing = Flushing::Everything;
    server.checkpoints = Some(SimDuration::from_millis(10));
    (server.stop_bytes, server.hard_bytes) = (8 << 20, 10 << 20);
    // 300 clients of 120 kB each: 36 MB.
    let out = run(&server, &spec(20, 2_000, 1_000, fixed(900.0), vec![touch(1_000, true, 120.0)], closed(300)));
    assert!(out.series[5..].iter().all(|s| s.transactions > 50), "{:?}", out.series.last());
    assert!(out.series[5..].iter().all(|s| s.checkpoint_age_bytes < 9 << 20), "{:?}", out.series.last());
}
