//! Purge: what transactions leave behind is purged once, by as many threads as there are, and costs redo once.

use crate::common::*;
use innosim_core::config::{
    CommitDurability, DmlDelay, HistoryCut, PurgeConfig, PurgeShares, PurgeTimes, PurgeWake, ReadView, RedoIo,
    RedoPipeline, UndoConfig, UndoSegments, UndoTruncation,
};
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::metrics::{RunOutput, SecondSample};
use innosim_core::run_spec::RunSpec;
use innosim_core::storage::DeviceSpec;
use innosim_core::workload::{DriveSpec, Leaves, RateSegment, StopSpec, TouchSpec, UndoSpec};

pub(crate) const PURGE: PurgeConfig = PurgeConfig {
    threads: 1,
    batch_pages: 300,
    shares: PurgeShares::InTurn,
    wake: PurgeWake::LongHistory,
    truncate_every: 128,
    cut: HistoryCut::All,
    delay: DmlDelay { max_lag: 0, offset: 0.5, least_history: 0, longest: None },
    resets_rows: false,
    undo: UndoConfig {
        tablespaces: 2,
        initial_pages: 640,
        truncate_above_pages: None,
        truncation: UndoTruncation::Replacement { blocks: false },
    },
    undo_segments: None,
    times: PurgeTimes::OF_LOGS,
};

fn at(s: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_secs(s)
}

/// Deletions of one record each, of 100 bytes of redo of which purge writes 30.
fn deletions(secs: u64, per_s: f64, purge: Option<PurgeConfig>) -> RunSpec {
    let mark = TouchSpec { leaves: Leaves::Marked, purge_redo_bytes: 30.0, ..touch(1, true, 100.0) };
    let mut spec = spec(secs, 4_000, 8, fixed(50.0), vec![mark], open(64, per_s, false));
    spec.workload.transactions[0].undo = UndoSpec { bytes: 214.0, insert_bytes: 0.0, changed_rows: 1 };
    spec.purge = purge;
    spec
}

fn sum(out: &RunOutput, f: fn(&SecondSample) -> u64) -> u64 {
    out.series.iter().map(f).sum()
}

/// The redo of a transaction and of its purge together is what it is without purge.
#[test]
fn redo_is_divided_not_added() {
    let server = TestServer::new(20_000);
    let with = run(&server, &deletions(10, 4_000.0, Some(PURGE)));
    let without = run(&server, &deletions(10, 4_000.0, None));
    let redo = |out: &RunOutput| sum(out, |s| s.redo_generated_bytes) as f64;
    check_share("redo of both", redo(&with), redo(&without), 0.001);
    assert_eq!(sum(&without, |s| s.history_list_length + s.purged_undo_pages), 0);
    // Purge that never gets on leaves its part unwritten.
    let mut held = deletions(10, 4_000.0, Some(PURGE));
    held.read_views = vec![ReadView { from: at(0), until: at(20) }];
    check_share("redo without purge's part", redo(&run(&server, &held)), redo(&without) * 0.7, 0.01);
}

/// The history of a purge that keeps up is short: it is cut off once it exceeds threads x batch size by some calls.
#[test]
fn a_purge_that_keeps_up_has_a_short_history() {
    let server = TestServer::new(20_000);
    let out = run(&server, &deletions(20, 4_000.0, Some(PURGE)));
    let longest = out.series.iter().map(|s| s.history_list_length).max().unwrap();
    assert!((1..600).contains(&longest), "{longest}");
    let purged = sum(&out, |s| s.purged_undo_pages);
    assert!(purged.abs_diff(sum(&out, |s| s.transactions)) < 400, "each undo log counts as a page: {purged}");
    // Four undo logs of 1400 a second each 128 calls: the calls are the two of each wait of 10 ms.
    let slow = run(&server, &deletions(20, 100.0, Some(PURGE)));
    let longest = slow.series.iter().map(|s| s.history_list_length).max().unwrap();
    assert!((40..150).contains(&longest), "{longest}");
}

/// Purged logs stay until the undo segments of all rollback segments are used up, and with no load for good (5.5, 5.6).
#[test]
fn a_history_cut_by_segment_breathes() {
    let server = TestServer::new(20_000);
    let cut = HistoryCut::BySegment { rollback_segments: 128, with_one_more_call: true };
    let mut spec = deletions(80, 400.0, Some(PurgeConfig { cut, ..PURGE }));
    let load = |start_s, per_s| RateSegment { start_s, ramp_s: 0.0, from_per_s: per_s, to_per_s: per_s };
    let rate = vec![load(0.0, 400.0), load(60.0, 0.0)];
    spec.workload.drive = DriveSpec::Open { clients: 64, rate, poisson: false };
    let out = run(&server, &spec);
    // 31 logs of 400 bytes until three quarters of a page are used.
    let full = 128 * 31;
    let history = |second: usize| out.series[second - 1].history_list_length;
    let longest = (1..=60).map(history).max().unwrap();
    assert!((full * 8 / 10..full + 400).contains(&longest), "{longest} of {full}");
    let falls = (2..=60).filter(|&second| history(second) + 1_500 < history(second - 1)).count();
    assert!((4..=6).contains(&falls), "24 000 logs, {full} at a time: {falls}");
    assert!((history(62)..=history(62) + 1).contains(&history(80)) && history(80) > 0, "{}", history(80));
}

/// Where calls take time, transactions that commit during them let the cut go on: the history of a thread that is woken for each
/// batch is the shorter the more commit a second (5.5).
#[test]
fn commits_during_its_calls_shorten_the_history() {
    let server = TestServer::new(20_000);
    let mean = |per_s: f64, times| {
        let cut = HistoryCut::BySegment { rollback_segments: 127, with_one_more_call: false };
        let wake = PurgeWake::Multiple(20);
        let purge = PurgeConfig { batch_pages: 20, wake, truncate_every: 1, cut, times, ..PURGE };
        let mut spec = deletions(60, per_s, Some(purge));
        // An undo log as `oltp_update_non_index` leaves it: nothing to visit.
        spec.workload.transactions[0].touches = vec![touch(1, true, 100.0)];
        spec.cpu.purge_change = SimDuration::from_micros(7);
        spec.workload.transactions[0].undo.bytes = 340.0;
        let out = run(&server, &spec);
        out.series[20..].iter().map(|s| s.history_list_length).sum::<u64>() as f64 / 40.0
    };
    let times = PurgeTimes { removal: 7_000, log: 9_000, call: 8_000, cut_log: 120 };
    let means = [500.0, 1_500.0, 4_000.0].map(|per_s| mean(per_s, times));
    assert!(means[1] < 0.8 * means[0] && means[2] < 0.8 * means[1], "{means:?}");
    let at_once = PurgeTimes { removal: 7, log: 0, call: 0, cut_log: 0 };
    assert!(mean(4_000.0, at_once) > 1.5 * means[2], "calls that take no time");
}

/// A coordinator that a timer wakes finds what was committed since (MariaDB); one that is woken at multiples purges at
/// once (5.5).
#[test]
fn purge_begins_when_it_is_woken() {
    let server = TestServer::new(20_000);
    let history = |wake| {
        let purge = PurgeConfig { wake, truncate_every: 1, ..PURGE };
        let out = run(&server, &deletions(20, 4_000.0, Some(purge)));
        check_share("purged", sum(&out, |s| s.purged_undo_pages) as f64, sum(&out, |s| s.transactions) as f64, 0.04);
        out.series[5..].iter().map(|s| s.history_list_length).sum::<u64>() as f64 / 15.0
    };
    let second = PurgeWake::Timer(SimDuration::from_secs(1));
    // Purging a second's logs takes 8 us each.
    check_share("half a second of commits but those", history(second), 4_000.0 * (0.5 - 4_000.0 * 8e-6), 0.01);
    assert!(history(PurgeWake::Multiple(20)) < 21.0);
}

/// Each purge frees the undo segments without a log, and as many are made anew as there are transactions until the
/// next, at most one in each rollback segment. Whoever asks for the engine's status starts one more purge (MariaDB).
#[test]
fn undo_segments_are_made_anew_after_each_purge() {
    let server = TestServer::new(20_000);
    let made_a_second = |per_s: f64, asked: Option<SimDuration>| {
        let wake = PurgeWake::Timer(SimDuration::from_secs(1));
        let redo = |undo_segments| {
            let purge = PurgeConfig { wake, truncate_every: 1, undo_segments, ..PURGE };
            let spec = RunSpec { engine_status_every: asked, ..deletions(41, per_s, Some(purge)) };
            run(&server, &spec).series[1..].iter().map(|s| s.redo_generated_bytes).sum::<u64>() as f64
        };
        // A block of 512 bytes holds 496 of them.
        let segments = UndoSegments { rollback_segments: 128, redo_bytes: 496 };
        (redo(Some(segments)) - redo(None)) / 512.0 / 40.0
    };
    let each_second = Some(SimDuration::from_secs(1));
    check_share("all are new", made_a_second(100.0, None), 100.0, 0.01);
    check_share("one in each rollback segment", made_a_second(600.0, None), 128.0, 0.03);
    check_share("two purges, a quarter of a second apart", made_a_second(300.0, each_second), 75.0 + 128.0, 0.03);
    check_share("two purges with much in between", made_a_second(1_000.0, each_second), 256.0, 0.05);
}

/// A thread looks up and removes one record after the other: missing pages bound it, and threads add up.
#[test]
fn missing_pages_bound_a_purge_thread() {
    let mut server = TestServer::new(1_000);
    server.flushing = Flushing::Everything;
    let lagging = |threads, shares| {
        let mut spec = deletions(20, 3_000.0, Some(PurgeConfig { threads, shares, ..PURGE }));
        spec.workload.page_sets[0].pages = 100_000;
        spec.workload.page_sets[0].resident_share = 0.0;
        spec.read_views = vec![ReadView { from: at(0), until: at(5) }];
        spec.storage.data = DeviceSpec { channels: 64, random_read: fixed(1_000.0), ..instant_device() };
        run(&server, &spec)
    };
    let rate = |out: &RunOutput| out.series[6..].iter().map(|s| s.purged_undo_pages).sum::<u64>() as f64 / 14.0;
    let one = lagging(1, PurgeShares::InTurn);
    // A millisecond for the page, 8 us of CPU, and now and then an undo page.
    check_share("logs a second of one thread", rate(&one), 980.0, 0.03);
    assert!(one.series[19].history_list_length > one.series[5].history_list_length + 20_000, "it falls behind");
    check_share("logs a second of four threads", rate(&lagging(4, PurgeShares::InTurn)), 4.0 * rate(&one), 0.1);
    let table = lagging(4, PurgeShares::ByTable);
    check_share("logs a second of four threads with one table", rate(&table), rate(&one), 0.03);
}

/// While a read view is open nothing that was committed after it is purged; undo pages pile up and are freed
/// afterwards.
#[test]
fn a_read_view_holds_purge_up() {
    let server = TestServer::new(40_000);
    let mut spec = deletions(40, 2_000.0, Some(PURGE));
    spec.read_views = vec![ReadView { from: at(10), until: at(20) }];
    let out = run(&server, &spec);
    let history = |second: usize| out.series[second - 1].history_list_length;
    assert!(history(10) < 600);
    check_share("history when the view closes", history(20) as f64, 20_000.0, 0.03);
    assert!(history(30) < 600, "{}", history(30));
    // 400 bytes each, 30 on a page of which three quarters are used.
    check_share("undo pages of the history", out.series[19].undo_pages as f64, 1_280.0, 0.0);
    let last = &out.series[39];
    assert_eq!(last.undo_pages, 1_280, "the tablespaces keep their size");
}

/// A view that would be opened while the whole server stands still is opened at the end of that.
#[test]
fn a_read_view_outlasts_a_stop() {
    let mut spec = deletions(40, 2_000.0, Some(PURGE));
    spec.read_views = vec![ReadView { from: at(10), until: at(20) }];
    let first = at(9) + SimDuration::from_millis(500);
    spec.workload.stops = vec![StopSpec {
        first,
        length: SimDuration::from_secs(1),
        per_gib: SimDuration::ZERO,
        every: SimDuration::ZERO,
        whole_server: true,
    }];
    let out = run(&TestServer::new(40_000), &spec);
    assert!(out.series[18].history_list_length > 15_000, "{:?}", out.series[18]);
    assert!(out.series[29].history_list_length < 600, "{:?}", out.series[29]);
}

/// Statements wait as long as the formula says, and throughput falls to what purge can do.
#[test]
fn statements_are_delayed_until_purge_keeps_up() {
    let server = TestServer::new(20_000);
    let mut spec = deletions(60, 1_000.0, Some(PURGE));
    spec.workload.drive = closed(20);
    spec.workload.transactions[0].cpu = fixed(1_000.0);
    spec.read_views = vec![ReadView { from: at(5), until: at(30) }];
    let delay = DmlDelay { max_lag: 5_000, offset: 0.5, least_history: 0, longest: Some(SimDuration::from_millis(30)) };
    spec.purge = Some(PurgeConfig { delay, ..PURGE });
    let out = run(&server, &spec);
    assert_eq!(out.series[4].dml_delay_us, 0);
    let held = &out.series[25];
    assert_eq!(held.dml_delay_us, 30_000, "{held:?}");
    check_share("20 clients, 31 ms each", held.transactions as f64, 20.0 / 0.031, 0.05);
    let after = &out.series[55];
    assert_eq!(after.dml_delay_us, 0, "{after:?}");
    assert!(after.transactions > 7_000, "{after:?}");
}

/// A tablespace that has grown too large is truncated once its history is purged; with checkpoints every page is
/// flushed.
#[test]
fn undo_tablespaces_are_truncated() {
    let mut server = TestServer::new(40_000);
    server.checkpoints = Some(SimDuration::from_millis(100));
    (server.stop_bytes, server.hard_bytes) = (1 << 40, 1 << 41);
    let truncating = |truncation, truncate_above_pages| {
        let undo = UndoConfig { truncation, truncate_above_pages, initial_pages: 100, ..PURGE.undo };
        let mut spec = deletions(40, 4_000.0, Some(PurgeConfig { undo, ..PURGE }));
        spec.read_views = vec![ReadView { from: at(5), until: at(20) }];
        spec.storage.data =
            DeviceSpec { channels: 8, random_write: fixed(200.0), sync: fixed(2_000.0), ..instant_device() };
        run(&server, &spec)
    };
    let grown = |out: &RunOutput| out.series.iter().map(|s| s.undo_pages).max().unwrap();
    let never = truncating(UndoTruncation::Checkpoints, None);
    assert_eq!((sum(&never, |s| s.undo_truncations), sum(&never, |s| s.pages_flushed)), (0, 0));
    // 60 000 undo logs of 400 bytes, 12 KiB of them on a page.
    check_share("undo pages at their most", grown(&never) as f64, 1_960.0, 0.03);
    for truncation in [
        UndoTruncation::Checkpoints,
        UndoTruncation::Replacement { blocks: true },
        UndoTruncation::Replacement { blocks: false },
        UndoTruncation::Shrinking,
    ] {
        let out = truncating(truncation, Some(500));
        assert_eq!(sum(&out, |s| s.undo_truncations), 2, "{truncation:?}");
        assert!(out.series[39].undo_pages < 300, "{truncation:?}: {:?}", out.series[39]);
        let flushed = sum(&out, |s| s.pages_flushed);
        assert_eq!(flushed > 4_000, truncation == UndoTruncation::Checkpoints, "{truncation:?}: {flushed}");
    }
}

/// Rows that were only inserted or updated are visited where transaction numbers are reset.
#[test]
fn rows_are_visited_where_their_numbers_are_reset() {
    let mut server = TestServer::new(10_000);
    server.flushing = Flushing::Everything;
    let flushed = |resets_rows| {
        let mut spec = deletions(30, 200.0, Some(PurgeConfig { resets_rows, ..PURGE }));
        spec.workload.transactions[0].touches[0].leaves = Leaves::Row;
        // Each page is flushed before purge comes, and dirty once more after it.
        spec.read_views = vec![ReadView { from: at(0), until: at(20) }];
        sum(&run(&server, &spec), |s| s.pages_flushed) as f64
    };
    // In the last ten seconds the purge of 4000 updates dirties 2530 distinct pages once more.
    let more = flushed(true) - flushed(false);
    assert!(more > 1_500.0, "{more}");
}

/// Ten deletions a second, each purged after its commit: a flusher thread syncs what purge writes, as it does all redo;
/// without one it waits for the next commit.
#[test]
fn a_flusher_thread_syncs_the_redo_of_purge() {
    let syncs = |pipeline| {
        let mut server = TestServer::new(20_000);
        (server.config.redo.commit, server.config.redo.io) = (CommitDurability::Sync, RedoIo::Buffered);
        server.config.redo.pipeline = pipeline;
        sum(&run(&server, &deletions(20, 10.0, Some(PURGE))), |s| s.redo_fsyncs)
    };
    let [with, without] = [RedoPipeline::DedicatedThreads, RedoPipeline::CommittingThread].map(syncs);
    assert!((380..=402).contains(&with) && (199..=202).contains(&without), "{with} and {without} syncs of 200 commits");
}
