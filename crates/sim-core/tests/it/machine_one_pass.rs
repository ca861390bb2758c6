//! One pass of the page cleaner over lists that nobody else touches: what it takes from them, page for page.
//!
//! Mutation tests found that no other short test counts a pass (docs/robustness.md). Sources: `innodb-5.5` section 5,
//! `innodb-5.6` section 4.2, `innodb-8.0.21` section 5.2, `mariadb-10.11` section 5.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use crate::common::*;
use innosim_core::config::{FlushNeighbors, LruWritten};
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::metrics::RunOutput;
use innosim_core::seam::{
    AgeLimits, CheckpointerAction, CheckpointerInput, CleanerAction, CleanerInput, FlushGauges, FlushKind,
    FlushRequest, FreeCheck, FreeCheckWait, LruWork, PassReport, ServerModel, View, WorkBefore, WriterLimits,
};
use innosim_core::server::{Server, Silent};
use innosim_core::workload::{DriveSpec, RateSegment};
use std::sync::{Arc, Mutex};

/// What the one pass saw and reported.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Seen {
    dirty: u64,
    free: u64,
    report: PassReport,
}

/// A server whose cleaner does one request, half a second after the start.
struct OnePass {
    rest: TestServer,
    request: FlushRequest,
    /// The limit lies so far above the oldest page, if there is one.
    limit_above_oldest: Option<u64>,
    seen: Arc<Mutex<Seen>>,
}

impl ServerModel for OnePass {
    fn starts_after(&mut self, before: WorkBefore) {
        self.rest.starts_after(before);
    }

    fn config(&self) -> &innosim_core::config::MachineConfig {
        self.rest.config()
    }

    fn instance_of(&self, space_id: u32, page_no: u32) -> u32 {
        self.rest.instance_of(space_id, page_no)
    }

    fn age_limits(&self) -> AgeLimits {
        self.rest.age_limits()
    }

    fn writer_limits(&self) -> WriterLimits {
        self.rest.writer_limits()
    }

    fn writer_in_extra_margin(&mut self, view: &View<'_>, inside: bool) {
        self.rest.writer_in_extra_margin(view, inside);
    }

    fn free_check_limit_lsn(&self) -> u64 {
        self.rest.free_check_limit_lsn()
    }

    fn free_check(&mut self, view: &View<'_>, wait: &mut FreeCheckWait) -> FreeCheck {
        self.rest.free_check(view, wait)
    }

    fn cleaner(&mut self, view: &View<'_>, input: CleanerInput) -> CleanerAction {
        let mut seen = self.seen.lock().unwrap();
        match input {
            CleanerInput::Start => {
                let until = view.now + SimDuration::from_millis(500);
                return CleanerAction::Wait { until, wake_on_event: false };
            }
            CleanerInput::Timeout => {
                (seen.dirty, seen.free) = (view.dirty_pages, view.free_pages);
                let limit = self.limit_above_oldest.map_or(u64::MAX, |above| view.oldest_modification_lsn + above);
                return CleanerAction::Flush(FlushRequest { lsn_limit: limit, ..self.request.clone() });
            }
            CleanerInput::Done(report) => seen.report = report,
            other => panic!("{other:?} was never asked for"),
        }
        CleanerAction::Wait { until: SimTime::NEVER, wake_on_event: false }
    }

    fn checkpointer(&mut self, view: &View<'_>, input: CheckpointerInput) -> CheckpointerAction {
        self.rest.checkpointer(view, input)
    }

    fn gauges(&self) -> FlushGauges {
        self.rest.gauges()
    }
}

/// 950 pages in 1000 frames, of which 200 are to be free; pages are modified for a tenth of a second, so many in all.
fn one_pass(
    modified: u64,
    written: LruWritten,
    request: FlushRequest,
    limit_above_oldest: Option<u64>,
) -> (Seen, RunOutput) {
    let mut rest = TestServer::new(1_000);
    rest.config.buffer_pool.lru_written = written;
    one_pass_of(rest, modified, request, limit_above_oldest)
}

fn one_pass_of(
    mut rest: TestServer,
    modified: u64,
    request: FlushRequest,
    limit_above_oldest: Option<u64>,
) -> (Seen, RunOutput) {
    rest.config.buffer_pool.lru_scan_depth = 200;
    let seen = Arc::new(Mutex::new(Seen::default()));
    let server = OnePass { rest, request, limit_above_oldest, seen: seen.clone() };
    let rate = |start_s, per_s| RateSegment { start_s, ramp_s: 0.0, from_per_s: per_s, to_per_s: per_s };
    let per_s = modified as f64 * 10.0;
    let drive = DriveSpec::Open { clients: 1, rate: vec![rate(0.0, per_s), rate(0.1, 0.0)], poisson: false };
    let spec = spec(1, 950, 4, fixed(1.0), vec![touch(1, true, 500.0)], drive);
    let out = Server::new(Box::new(server), &spec).run(&mut Silent).unwrap_or_else(|error| panic!("{error}"));
    let seen = *seen.lock().unwrap();
    (seen, out)
}

fn lru(work: LruWork) -> FlushRequest {
    FlushRequest { lru: work, ..FlushRequest::list(FlushKind::LruOnly, vec![0]) }
}

/// List pages, LRU pages and freed pages of a pass over lists in which nearly all pages are dirty.
fn of_dirty_pages(request: FlushRequest, written: LruWritten) -> (u64, u64, u64) {
    let (seen, _) = one_pass(9_000, written, request, None);
    assert!(seen.dirty > 900 && seen.free == 50, "{seen:?}");
    (seen.report.list_pages, seen.report.lru_pages, seen.report.evicted_pages)
}

/// However many batches of 64 pages that makes.
#[test]
fn a_pass_takes_as_many_pages_as_it_is_asked_for() {
    for pages in [1, 63, 64, 65, 300] {
        let list = FlushRequest::list(FlushKind::Adaptive, vec![pages]);
        assert_eq!(of_dirty_pages(list, LruWritten::Freed), (pages, 0, 0));
        assert_eq!(of_dirty_pages(lru(LruWork::Flush(pages)), LruWritten::Stays), (0, pages, 0));
        let (list, flushed, _) = of_dirty_pages(lru(LruWork::Batch(pages)), LruWritten::Stays);
        assert_eq!((list, flushed), (0, pages));
    }
}

/// Pages are freed up to the scan depth of free ones, 150 here; 5.5 frees none.
#[test]
fn clean_pages_are_freed_up_to_the_scan_depth() {
    let freed = |work| {
        let report = one_pass(0, LruWritten::Stays, lru(work), None).0.report;
        (report.lru_pages, report.evicted_pages)
    };
    let works = [LruWork::ScanDepth, LruWork::Chunks(100), LruWork::Batch(120), LruWork::Flush(120)];
    assert_eq!(works.map(freed), [(0, 150), (0, 150), (0, 150), (0, 0)]);
}

/// From 5.7 on a batch looks at as many pages as the scan depth, clean or dirty, or stops when so many are free.
#[test]
fn a_batch_of_57_looks_at_the_scan_depth() {
    let looked_at = |modified| {
        let report = one_pass(modified, LruWritten::Stays, lru(LruWork::ScanDepth), None).0.report;
        assert!(report.lru_pages > 0, "{report:?}");
        (report.lru_pages + report.evicted_pages, report.evicted_pages)
    };
    let (few, freed) = looked_at(100);
    assert!(few < 200 && freed == 150, "{few}, {freed} of them freed");
    assert!([400, 9_000].map(looked_at).iter().all(|&(seen, freed)| seen == 200 && freed < 150));
}

/// 5.6 flushes a hundred pages and waits for them; the next chunk frees them, and flushes a hundred more. As many chunks as the
/// scan depth has hundreds.
#[test]
fn a_batch_of_56_frees_what_its_chunks_flushed() {
    let (list, flushed, freed) = of_dirty_pages(lru(LruWork::Chunks(100)), LruWritten::Stays);
    // One page was never modified.
    assert_eq!((list, flushed, freed), (0, 200, 101));
}

/// The batch of MariaDB leaves what it has written for the next pass, unless it is freed as soon as it is written.
#[test]
fn a_batch_of_mariadb_does_not_free_its_own_pages() {
    let batch = |written| of_dirty_pages(lru(LruWork::Batch(300)), written);
    assert_eq!(batch(LruWritten::Stays), (0, 300, 1));
    let (_, flushed, _) = batch(LruWritten::Freed);
    assert!((150..300).contains(&flushed), "150 of {flushed} were enough");
}

/// A limit between the oldest page and the next stops a pass after one; where it is looked at only as a batch begins, after that
/// batch.
#[test]
fn the_limit_of_55_is_looked_at_as_a_batch_begins() {
    let pages = |limit_on_tail_only| {
        let request = FlushRequest { limit_on_tail_only, ..FlushRequest::list(FlushKind::Adaptive, vec![100]) };
        one_pass(9_000, LruWritten::Stays, request, Some(1)).0.report.list_pages
    };
    assert_eq!([false, true].map(pages), [1, 64]);
}

/// Neighbours count among the pages of a pass; a page whose neighbours before it fill the pass is one more. Those that lie beside
/// each other are fewer than those of the area, and a batch of the LRU list takes old ones alone.
#[test]
fn neighbors_fill_up_a_pass() {
    let pass = |neighbors, modified, request: FlushRequest| {
        let mut rest = TestServer::new(1_000);
        rest.config.flush_neighbors = neighbors;
        rest.config.buffer_pool.lru_written = LruWritten::Stays;
        let (seen, out) = one_pass_of(rest, modified, request, None);
        let taken_along = out.series.iter().map(|second| second.neighbor_pages).sum::<u64>();
        (seen.report.list_pages + seen.report.lru_pages, taken_along)
    };
    let list = |pages| FlushRequest::list(FlushKind::Adaptive, vec![pages]);
    for neighbors in [FlushNeighbors::Area, FlushNeighbors::Contiguous] {
        // Nearly all are dirty: ten that come before the oldest in its area, and then that one; of an area of 64 pages all, and
        // of the next one 36 before its own.
        assert_eq!([10, 100].map(|pages| pass(neighbors, 9_000, list(pages))), [(11, 10), (101, 99)], "{neighbors:?}");
    }
    // A quarter of the pages are dirty.
    let along = |neighbors, request: &FlushRequest| pass(neighbors, 300, request.clone()).1;
    for request in [list(100), lru(LruWork::Flush(100))] {
        let [none, contiguous, area] =
            [FlushNeighbors::None, FlushNeighbors::Contiguous, FlushNeighbors::Area].map(|n| along(n, &request));
        assert!(none == 0 && 10 < contiguous && 2 * contiguous < area, "{none}, {contiguous}, {area}");
    }
    let [of_list, of_lru] = [list(100), lru(LruWork::Flush(100))].map(|r| along(FlushNeighbors::Contiguous, &r));
    assert!(of_lru < of_list, "{of_lru} old ones, {of_list} of any age");
}

/// Ten million pages counted one after the other take longer than what is left of the run, a million do not.
#[test]
fn slots_wait_until_the_coordinator_has_counted() {
    let flushed = |pages_counted| {
        let request = FlushRequest { pages_counted, ..FlushRequest::list(FlushKind::Sync, vec![64]) };
        let (_, out) = one_pass(9_000, LruWritten::Stays, request, None);
        out.series[0].pages_flushed
    };
    assert_eq!([0, 1_000_000, 10_000_000].map(flushed), [64, 64, 0]);
}
