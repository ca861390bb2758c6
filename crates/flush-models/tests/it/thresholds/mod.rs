//! Formulas where no vector of the specification looks: at their thresholds, and in surroundings that are rare.
//!
//! Mutation tests found these places (docs/robustness.md): somebody could have changed the number or the comparison, and
//! every vector would still have passed. The expected values are worked out by hand, from the formulas of the specification.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

mod legacy;

use innosim_core::config::{HistoryCut, PurgeTimes, PurgeWake, UndoSegments, UndoTruncation};
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::seam::{FlushLists, LruManagerInput, PassReport, WorkBefore};
use innosim_flush_models::averages::Averages;
use innosim_flush_models::mariadb::adaptive::{AdaptiveConfig, PassInput, dirty_pct, recommendation_late};
use innosim_flush_models::mariadb::page_cleaner::{Branch, PassState, need_lru, pass_late};
use innosim_flush_models::mariadb::redo_geometry::LogCapacity;
use innosim_flush_models::mysql80::coordinator::{CoordinatorState, Top, WaitResult};
use innosim_flush_models::mysql80::doublewrite_layout::DoublewriteLayout;
use innosim_flush_models::mysql80::free_check::checkpoint_to_request;
use innosim_flush_models::mysql80::limits::dict_persist_margin;
use innosim_flush_models::mysql80::redo_geometry_8021::MaxAges;
use innosim_flush_models::mysql80::redo_geometry_8030::FilesCapacity;
use innosim_flush_models::percona80::lru_manager::{LruManagers, adapt_sleep_ms};
use innosim_flush_models::registry::purge_config;
use innosim_flush_models::registry::{ModelId, Settings, Value, lookup};
use innosim_flush_models::tnt::pace::{Pace, Seen};
use std::collections::BTreeMap;

const PAGE: u64 = 16_384;

/// Redo files of 8.0.30 with round numbers.
fn capacity() -> FilesCapacity {
    FilesCapacity {
        file_size: 262_144,
        next_file_earlier_margin: 26_624,
        hard_logical_capacity: 12_288_000,
        soft_logical_capacity: 10_240_000,
        adaptive_flush_max_age: 9_600_000,
        adaptive_flush_min_age: 8_960_000,
        aggressive_checkpoint_min_age: 9_920_000,
    }
}

/// The margin is cut to 55 % of the soft capacity, as sn: 11 000 blocks with 496 bytes each.
#[test]
fn the_concurrency_margin_of_8030_is_cut() {
    assert_eq!(capacity().concurrency_margin(100, PAGE), (5_456_000, false), "7 725 056 are wanted");
    // 4 pages for each of 20 threads, 4096, and 5 % of the soft capacity.
    assert_eq!(capacity().concurrency_margin(10, PAGE), (1_310_720 + 4_096 + 512_000, true));
}

/// A margin as large as its limit is what was wanted, and safe.
#[test]
fn a_concurrency_margin_at_its_limit_is_safe() {
    // 4 pages for each of 48 threads, 4096, and 5 % of the soft capacity.
    let wanted = 3_145_728 + 4_096 + 326_144;
    let of_8030 = |soft_logical_capacity, threads| {
        FilesCapacity { soft_logical_capacity, ..capacity() }.concurrency_margin(threads, PAGE)
    };
    assert_eq!(of_8030(6_523_904, 38), (wanted, true));
    assert_eq!(of_8030(6_523_904, 39), (wanted, false));
    // 4 pages for each of 12 threads, 8 more, and 5 % of what the writer may use.
    let wanted = 786_432 + 131_072 + 512_000;
    let of_8021 = |max_concurrency_margin| {
        let ages =
            MaxAges { lsn_capacity_for_writer: 10_240_000, max_concurrency_margin, ..MaxAges::new(1 << 24, 2, PAGE) };
        ages.concurrency_margin(2, PAGE)
    };
    assert_eq!([wanted, wanted - 1].map(of_8021), [(wanted, true), (wanted - 1, false)]);
}

/// With pages of 4120 bytes a split holds 40 tables, with one byte less 39: ((4120 - 120) / 50) / 2. A full one is followed by
/// another, and by one above both.
#[test]
fn the_margin_for_tables_counts_splits() {
    let splits = |page_size| (dict_persist_margin(39, page_size) - 80 * 39 - page_size / 2 * 3) / 500;
    assert_eq!([4_120, 4_119].map(splits), [1, 3]);
}

/// A margin of 4960 sn bytes is 5132 bytes of LSN. What it leaves is rounded down to blocks, and nothing is too little.
#[test]
fn a_margin_that_leaves_less_than_a_block_leaves_nothing() {
    let with_age = |adaptive_flush_min_age| FilesCapacity { adaptive_flush_min_age, ..capacity() }.limits(4_960, 0);
    assert_eq!(with_age(5_132 + 511), None);
    assert_eq!(with_age(5_132 + 512).unwrap().limit_for_age, 512);
}

/// A file of 262 144 bytes holds 260 096 bytes of redo behind its header.
#[test]
fn redo_files_of_8030_end_where_their_redo_does() {
    let end = |lsn| capacity().file_end_lsn(lsn, 8_704);
    assert_eq!(end(8_704), 8_704 + 260_096);
    assert_eq!(end(8_704 + 260_095), 8_704 + 260_096);
    assert_eq!(end(8_704 + 260_096), 8_704 + 2 * 260_096, "the first byte of the next file");
    assert_eq!(end(100), 8_704 + 260_096, "nothing lies before the first file");
}

#[test]
fn no_checkpoint_is_asked_for_that_would_be_the_first_lsn() {
    assert_eq!(checkpoint_to_request(8_192 + 1_000, 1_000), None);
    assert_eq!(checkpoint_to_request(8_192 + 1_001, 1_000), Some(8_193));
}

/// Eight pools have sixteen doublewrite instances, eight of them for LRU flushing.
#[test]
fn doublewrite_instances_go_round() {
    let layout = DoublewriteLayout::new(8, 2, 4, 4);
    assert_eq!([0, 7, 8, 9].map(|pool| layout.lru_instance(pool)), [0, 7, 0, 1]);
}

/// The same of MariaDB, whose 48 pages are 786 432 bytes too; its header has 12 288.
#[test]
fn half_the_log_must_be_left_in_mariadb() {
    assert_eq!(LogCapacity::new(1_747_626 + 12_288, PAGE), None);
    assert_eq!(LogCapacity::new(1_747_628 + 12_288, PAGE).unwrap().log_capacity, 1_572_866);
}

/// A second of the coordinator is over after its last instant where the pass does not wait, as in a row of passes that flush
/// synchronously; a pass that waits begins the next at that instant.
#[test]
fn a_second_without_a_wait_ends_after_its_last_instant() {
    let start = SimTime::ZERO;
    let end = start + SimDuration::from_secs(1);
    let after_sync = CoordinatorState { is_sync_flush: true, n_flushed: 5, ..CoordinatorState::new(start) };
    assert_eq!(after_sync.top(end, true, false), Top::GoOn(WaitResult::Event));
    assert_eq!(after_sync.top(SimTime(end.0 + 1), true, false), Top::GoOn(WaitResult::Timeout));
    let waiting = CoordinatorState { is_sync_flush: false, ..after_sync };
    assert_eq!(waiting.top(SimTime(end.0 - 1), true, false), Top::WaitUntil(end));
    assert_eq!(waiting.top(end, true, false), Top::GoOn(WaitResult::Timeout));
}

/// Starved is a list with less than a hundredth of what it should have.
#[test]
fn an_lru_manager_does_not_sleep_while_starved() {
    let next = |free, processed| adapt_sleep_ms(500, free, 10_000, 10_000, processed);
    assert_eq!([next(99, 1), next(100, 1), next(99, 0)], [0, 450, 501]);
}

/// A thread without sleep goes on as long as its batches flush or free pages, and else pauses for a millisecond instead of
/// spinning.
#[test]
fn an_lru_manager_without_sleep_pauses_when_it_finds_nothing() {
    let mut managers = LruManagers::new(1, 10_000);
    let mut next = |free_pages, lru_pages, evicted_pages| {
        let last = PassReport { lru_pages, evicted_pages, ..PassReport::default() };
        managers.next_sleep(LruManagerInput { instance: 0, free_pages, lru_pages: 10_000, last: Some(last) }).0 / 1_000
    };
    assert_eq!([(5, 5), (1, 0), (5, 0)].map(|(flushed, freed)| next(0, flushed, freed)), [0; 3]);
    // A tenth of the depth is free: the sleep stays what it is.
    assert_eq!([(0, 0), (0, 1), (3, 3)].map(|(flushed, freed)| next(1_000, flushed, freed)), [1_000, 0, 0]);
}

/// A batch that only freed clean pages is progress too: with its free list empty, a thread goes on without sleep. So it is
/// before the first batch.
#[test]
fn freed_pages_count_as_progress_of_an_lru_manager() {
    let next = |last: Option<PassReport>| {
        let mut managers = LruManagers::new(1, 10_000);
        let starved = LruManagerInput { instance: 0, free_pages: 0, lru_pages: 10_000, last };
        managers.next_sleep(starved).0 / 1_000_000
    };
    let freed = PassReport { evicted_pages: 1_000, ..PassReport::default() };
    assert_eq!([Some(freed), None, Some(PassReport::default())].map(next), [0, 0, 1_000]);
}

/// A list in which nothing is due.
struct NothingDue;

impl FlushLists for NothingDue {
    fn instances(&self) -> u32 {
        1
    }

    fn pages_up_to(&self, _: u32, _: u64, _: u64) -> u64 {
        0
    }
}

fn mariadb(max_dirty_pages_pct: f64) -> AdaptiveConfig {
    AdaptiveConfig {
        flushing_avg_loops: 30,
        io_capacity: 200,
        io_capacity_max: 400,
        max_dirty_pages_pct,
        max_dirty_pages_pct_lwm: 10.0,
        adaptive_flushing_lwm: 10.0,
        log_capacity: 1 << 30,
        max_modified_age_async: 1 << 29,
    }
}

/// Pages of a pass that only the number of dirty pages calls for.
fn by_dirty_pages(max_dirty_pages_pct: f64, dirty_pages: u64, dirty_pct: f64) -> u64 {
    let input = PassInput {
        cur_lsn: 10_000,
        now: SimTime::ZERO + SimDuration::from_secs(5),
        oldest_lsn: 10_000,
        dirty_pages,
        dirty_pct,
        last_pages: 0,
        lists: &NothingDue,
    };
    let c = mariadb(max_dirty_pages_pct);
    recommendation_late(&c, &mut Averages::default(), &input, 0.0).n_pages
}

#[test]
fn mariadb_by_its_dirty_pages() {
    assert_eq!(by_dirty_pages(90.0, 100, 45.0), 100, "no more than there are");
    assert_eq!(by_dirty_pages(90.0, 200, 45.0), 200);
    assert_eq!(by_dirty_pages(90.0, 1_000, 45.0), 200, "half of the limit calls for 100 pages");
    assert_eq!(by_dirty_pages(9.0, 2_000, 90.0), 400, "ten times the limit calls for 2000 pages");
    assert_eq!(by_dirty_pages(9.0, 2_001, 90.0), 200);
    assert_eq!(by_dirty_pages(0.5, 3_000, 10.0), 200, "a limit below 1 % does not divide");
    assert_eq!(by_dirty_pages(0.95, 2_050, 10.0), 200);
    assert_eq!(by_dirty_pages(0.0, 2_000, 10.0), 400, "no limit, no division");
    assert_eq!(by_dirty_pages(1.005, 1_995, 10.0), 200, "a limit above 1 % divides: 1990 pages");
}

#[test]
fn the_low_water_mark_of_mariadb_counts_from_itself_on() {
    let counts = |pct| mariadb(90.0).low_water_mark_that_counts(pct);
    assert_eq!([9.9, 10.0, 50.0].map(counts), [0.0, 10.0, 10.0]);
    assert_eq!([dirty_pct(50, 150, 50), dirty_pct(1, 0, 0)], [25.0, 100.0]);
}

/// Fewer free pages than half of the scan depth, in a list of more than 256 pages, or somebody waits for one.
#[test]
fn the_cleaner_of_mariadb_makes_free_pages_when_few_are_left() {
    let cases = [(false, 257, 511), (false, 257, 512), (false, 256, 0), (true, 0, 9_999), (false, 257, 0)];
    let needs = cases.map(|(wanted, listed, free)| need_lru(wanted, listed, free, 1_024));
    assert_eq!(needs, [true, false, false, true, true]);
}

fn pass_state() -> PassState {
    PassState {
        sync_lsn: 0,
        async_lsn: 0,
        flush_sync: true,
        adaptive_flushing: true,
        oldest_lsn: 9_000,
        cur_lsn: 10_000,
        dirty_pct: 5.0,
        activity_changed: true,
        cleaner_idle: false,
        pending_reads: 0,
        need_lru: false,
    }
}

/// A target is left while the oldest page lies below it; one that is reached calls for nothing.
#[test]
fn targets_of_mariadb_are_left_until_they_are_reached() {
    let (c, s) = (mariadb(90.0), pass_state());
    let limit = |lsn_limit| Branch::Limit { n_pages: 400, lsn_limit };
    let pass = |s: PassState| pass_late(&c, &s);
    assert_eq!(pass(PassState { async_lsn: 9_001, ..s }), limit(9_001));
    assert_eq!(pass(PassState { async_lsn: 9_000, ..s }), Branch::Unemployed);
    assert_eq!(pass(s), Branch::Unemployed, "5 % are dirty, and the mark is 10 %");
    assert_eq!(pass(PassState { dirty_pct: 10.0, ..s }), Branch::Adaptive);
    let idle = PassState { activity_changed: false, cleaner_idle: true, ..s };
    assert_eq!(pass(idle), Branch::Background { n_pages: 200 });
    let unmarked = AdaptiveConfig { max_dirty_pages_pct_lwm: 0.0, ..c };
    assert_eq!(pass_late(&unmarked, &idle), Branch::Unemployed);
    assert_eq!(pass_late(&c, &PassState { need_lru: true, ..s }), Branch::LruOnly);
    assert_eq!(pass_late(&c, &PassState { need_lru: true, async_lsn: 9_001, ..s }), limit(9_001));
}

/// An empty list has nothing to flush, however many pages of the pool are called dirty; but a target that is left makes a batch.
#[test]
fn an_empty_list_of_mariadb_has_work_while_a_target_is_left() {
    let empty = PassState { oldest_lsn: 0, dirty_pct: 50.0, ..pass_state() };
    let pass = |async_lsn| pass_late(&mariadb(90.0), &PassState { async_lsn, ..empty });
    assert_eq!([0, 9_000].map(pass), [Branch::Unemployed, Branch::Limit { n_pages: 400, lsn_limit: 9_000 }]);
}

fn purge_of(model: ModelId, settings: &[(&'static str, u64)]) -> innosim_core::config::PurgeConfig {
    let known = settings.iter().filter(|(name, _)| lookup(model, name).is_ok());
    let settings: BTreeMap<_, _> = known.map(|&(name, value)| (name, Value::Integer(value))).collect();
    purge_config(&Settings::resolve(model, &settings).unwrap()).unwrap()
}

#[test]
fn purge_has_each_servers_numbers() {
    let cut = |model| purge_of(model, &[]).cut;
    let by_segment =
        |rollback_segments, with_one_more_call| HistoryCut::BySegment { rollback_segments, with_one_more_call };
    assert_eq!(cut(ModelId::Mysql55), by_segment(127, false));
    assert_eq!(cut(ModelId::Mysql56), by_segment(128, true));
    let times = |model| purge_of(model, &[]).times;
    assert_eq!(times(ModelId::Mysql55), PurgeTimes { removal: 7_000, log: 9_000, call: 8_000, cut_log: 120 });
    assert_eq!(times(ModelId::Mysql56), PurgeTimes::OF_LOGS);
    assert_eq!(cut(ModelId::Mysql57), HistoryCut::All);
    let segments = |model| purge_of(model, &[]).undo_segments;
    assert_eq!(segments(ModelId::Mariadb1011), Some(UndoSegments { rollback_segments: 128, redo_bytes: 154 }));
    assert_eq!(segments(ModelId::Mysql84), None);
    let round = [("innodb_purge_threads", 4), ("innodb_purge_batch_size", 100)];
    let least = |model| purge_of(model, &round).delay.least_history;
    let models = [ModelId::Mysql56, ModelId::Mysql57, ModelId::Mysql8030, ModelId::Mariadb1011];
    assert_eq!(models.map(least), [0, 400, 400, 0]);
    // 10 MiB, and 16 MiB from 8.0.23 on.
    let pages = |model| purge_of(model, &[]).undo.initial_pages;
    let models = [ModelId::Mysql57, ModelId::Mysql8021, ModelId::Mysql8027, ModelId::Mysql8030, ModelId::Mariadb1011];
    assert_eq!(models.map(pages), [640, 640, 1_024, 1_024, 640]);
}

/// No undo tablespaces are known before 5.6. Up to 8.0.29 a new one blocks those who want it.
#[test]
fn undo_has_each_servers_numbers() {
    let undo = |model| purge_of(model, &[]).undo;
    assert_eq!(undo(ModelId::Mysql55).tablespaces, 0);
    let [shrinks, blocks, open] = [
        UndoTruncation::Shrinking,
        UndoTruncation::Replacement { blocks: true },
        UndoTruncation::Replacement { blocks: false },
    ];
    let models = [ModelId::Mysql57, ModelId::Mysql8021, ModelId::Mysql8027, ModelId::Mysql8030, ModelId::Mariadb1011];
    assert_eq!(
        models.map(|model| undo(model).truncation),
        [UndoTruncation::Checkpoints, blocks, blocks, open, shrinks]
    );
}

fn seen(dirty_pages: u64) -> Seen {
    Seen { dirty_pages, current_lsn: 0, short_of_redo: false }
}

/// TNT goes on from what was written before, and more than 75 % of the buffer is more than 75 %.
#[test]
fn the_pace_of_tnt() {
    let mut pace = Pace::new(1_000, 1_000);
    pace.starts_after(WorkBefore { redo_bytes_per_s: 7, pages_flushed_per_s: 300, ..WorkBefore::default() });
    assert_eq!((pace.avg_page_rate, pace.lsn_avg_rate), (300, 7));
    // 300 pages of the last second and half of a growth of 200: 400; the mean with 300.
    assert_eq!(pace.next(seen(200)), 350);
    // 350 less half of a shrinking by 100: 300; the mean with 300.
    assert_eq!(pace.next(seen(100)), 300);
    let all = |dirty| {
        let mut pace = Pace::new(1_000, 1_000);
        // It knows of the dirty pages: they don't grow any more.
        (0..12).for_each(|_| _ = pace.next(seen(dirty)));
        pace.next(seen(dirty))
    };
    assert_eq!([759, 760].map(all), [100, 500], "whole percents count, and the mean of before halves the wish");
    assert_eq!(
        Pace::new(10, 0).next(seen(1)),
        5,
        "a buffer without pages is full; the mean halves all of the capacity"
    );
}

/// Below ten pages a second there is no least number of pages: half of the growth is wished, half of that is written.
#[test]
fn the_pace_of_tnt_begins_at_nothing() {
    let first = |dirty| Pace::new(9, 1_000).next(seen(dirty));
    assert_eq!([0, 2, 3, 4].map(first), [0, 0, 0, 1]);
    // What shrinks by more than was written asks for nothing; half of the mean of one page a second is nothing.
    let mut pace = Pace::new(9, 1_000);
    assert_eq!(pace.next(seen(40)), 9);
    pace.starts_after(WorkBefore { redo_bytes_per_s: 0, pages_flushed_per_s: 1, ..WorkBefore::default() });
    assert_eq!(pace.next(seen(0)), 0);
}

/// 31 seconds of 29 pages are 899, of which a thirtieth is 29; half of the way there from nothing is 14. The next 31 seconds are
/// of 29 pages too, and the next half of the way leads to 21.
#[test]
fn the_means_of_tnt_count_from_nothing() {
    let mut pace = Pace::new(290, 1_000_000);
    let mut mean_after = |seconds: u64| {
        assert!((0..seconds).all(|_| pace.next(seen(0)) == 29));
        pace.avg_page_rate
    };
    assert_eq!([31, 1, 30, 1].map(&mut mean_after), [0, 14, 14, 21]);
}

#[test]
fn the_delay_of_rows_has_no_bound_in_55() {
    assert_eq!(purge_of(ModelId::Mysql55, &[]).delay.longest, None);
    let bounded = purge_of(ModelId::Mysql57, &[("innodb_max_purge_lag_delay", 5_000)]).delay.longest;
    assert_eq!(bounded, Some(SimDuration::from_millis(5)));
}

/// MariaDB looks for work of purge each second. Undo tablespaces are cut where there are two, one to work with while the other is
/// out of use.
#[test]
fn purge_is_woken_and_undo_is_cut() {
    let second = SimDuration::from_secs(1);
    assert_eq!(purge_of(ModelId::Mariadb1011, &[]).wake, PurgeWake::Timer(second));
    let cut = |tablespaces| {
        let truncates = [("innodb_undo_log_truncate", Value::Switch(true))];
        let own = [("innodb_undo_tablespaces", Value::Integer(tablespaces))];
        let settings: BTreeMap<_, _> = truncates.into_iter().chain(own).collect();
        purge_config(&Settings::resolve(ModelId::Mysql57, &settings).unwrap()).unwrap().undo.truncate_above_pages
    };
    assert_eq!([1, 2].map(cut), [None, Some((1 << 30) / PAGE)]);
}

/// 3000 more dirty pages after 30 seconds are a growth of 100 a second, of which half counts with half of what they just grew by.
/// Before, 1000 a second were written, the least; the mean of that and nothing is 516.
#[test]
fn the_pace_of_tnt_counts_growth_by_its_mean() {
    let mut pace = Pace::new(10_000, 1_000_000);
    assert!((0..31).all(|_| pace.next(seen(0)) == 1_000));
    let at = |dirty_pages, current_lsn| Seen { current_lsn, ..seen(dirty_pages) };
    assert_eq!(pace.next(at(3_000, 30_000)), 1_533, "1000 + (3000 + 100) / 2, the mean with 516");
    assert_eq!((pace.avg_page_rate, pace.lsn_avg_rate), (516, 1_000));
    assert_eq!([(); 2].map(|()| pace.next(at(3_000, 30_000))), [1_049, 1_000]);
    (0..28).for_each(|_| _ = pace.next(at(3_000, 30_000)));
    // 31 582 pages in thirty seconds are 1052 a second, with 516 before: 784.
    assert_eq!(pace.next(at(6_000, 90_000)), 1_667);
    assert_eq!((pace.avg_page_rate, pace.lsn_avg_rate), (784, 2_000));
}
