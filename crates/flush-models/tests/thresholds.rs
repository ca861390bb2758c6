//! Formulas where no vector of the specification looks: at their thresholds, and in surroundings that are rare.
//!
//! Mutation tests found these places (docs/robustness.md): somebody could have changed the number or the comparison, and
//! every vector would still have passed. The expected values are worked out by hand, from the formulas of the specification.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use innosim_core::config::{HistoryCut, PurgeWake, UndoSegments};
use innosim_core::kernel::time::SimDuration;
use innosim_core::seam::{FlushLists, WorkBefore};
use innosim_flush_models::legacy::adaptive::AdaptiveConfig as LegacyConfig;
use innosim_flush_models::legacy::io::io_capacity_at_startup;
use innosim_flush_models::legacy::neighbors::flush_area;
use innosim_flush_models::legacy::redo_geometry::LogAges;
use innosim_flush_models::mariadb::adaptive::{
    AdaptiveConfig, Averages, PassInput, dirty_pct, recommendation_early, recommendation_late,
};
use innosim_flush_models::mariadb::page_cleaner::{Branch, PassState, branch_early, need_lru, pass_late};
use innosim_flush_models::mariadb::redo_geometry::LogCapacity;
use innosim_flush_models::mysql55::lru::lru_search_distance;
use innosim_flush_models::mysql56::adaptive::{self as mysql56, af_get_pct_for_dirty};
use innosim_flush_models::mysql57::commit_margin::log_calculate_actual_len;
use innosim_flush_models::mysql57::log_write::{LogWrite, log_write_area};
use innosim_flush_models::mysql57::recommendation as mysql57;
use innosim_flush_models::mysql80::doublewrite_layout::DoublewriteLayout;
use innosim_flush_models::mysql80::free_check::checkpoint_to_request;
use innosim_flush_models::mysql80::redo_geometry_8030::FilesCapacity;
use innosim_flush_models::percona55::methods::{ListLevel, estimate};
use innosim_flush_models::percona80::lru_manager::adapt_sleep_ms;
use innosim_flush_models::purge::purge_config;
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

/// Eight pools have sixteen doublewrite instances: eight for each kind of flushing.
#[test]
fn doublewrite_instances_go_round() {
    let layout = DoublewriteLayout::new(8, 2, 4, 4);
    let of = |pool| (layout.lru_instance(pool), layout.flush_list_instance(pool));
    assert_eq!([of(0), of(7), of(8), of(9)], [(0, 8), (7, 15), (0, 8), (1, 9)]);
}

#[test]
fn the_share_of_dirty_pages_of_56_counts_from_one_percent() {
    assert_eq!(af_get_pct_for_dirty(0, 0, 5), 0);
    assert_eq!(af_get_pct_for_dirty(1, 0, 5), 100, "nothing may be dirty, and something is");
    assert_eq!(af_get_pct_for_dirty(1, 1, 5), 0, "one percent may be");
}

/// In 5.7 `buf_free` counts from the beginning of its block of 512 bytes.
#[test]
fn the_length_of_a_mini_transaction_counts_blocks() {
    assert_eq!(log_calculate_actual_len(507, 512), 507);
    assert_eq!(log_calculate_actual_len(508, 512), 508 + 16, "one block is completed");
    assert_eq!(log_calculate_actual_len(508, 0), 508 + 16);
}

#[test]
fn the_first_write_into_a_unit_fills_it() {
    let write = |file_offset_end| log_write_area(1_536 + 5, 2_560 - 7, 1 << 20, file_offset_end, 8_192);
    let whole = LogWrite { write_bytes: 1_024, pad_bytes: 0, buf_free: 505 };
    assert_eq!(write(16_384 + 1_024), whole, "it begins where the unit does");
    assert_eq!(write(16_384 + 512), LogWrite { write_bytes: 1_024 + 7_680, pad_bytes: 7_680, ..whole });
}

/// 5.5 to 5.7 refuse to start when the reserve, 786 432 bytes here, is half of the capacity.
#[test]
fn a_reserve_of_half_the_log_is_too_large() {
    assert!(LogAges::new(1_747_626 + 2_048, 1, PAGE, 0).is_err());
    let ages = LogAges::new(1_747_628 + 2_048, 1, PAGE, 0).unwrap();
    assert_eq!((ages.reserve, ages.log_group_capacity), (786_432, 1_572_866));
}

/// The same of MariaDB, whose 48 pages are 786 432 bytes too; its header has 12 288.
#[test]
fn half_the_log_must_be_left_in_mariadb() {
    assert_eq!(LogCapacity::new(1_747_626 + 12_288, PAGE), None);
    assert_eq!(LogCapacity::new(1_747_628 + 12_288, PAGE).unwrap().log_capacity, 1_572_866);
}

#[test]
fn io_capacity_is_doubled_as_long_as_that_is_a_number() {
    assert_eq!(io_capacity_at_startup(u64::MAX / 2, None).1, u64::MAX);
    assert_eq!(io_capacity_at_startup(u64::MAX / 2 - 1, None).1, u64::MAX - 3);
    assert_eq!(io_capacity_at_startup(u64::MAX / 3 + 1, None).1, 2 * (u64::MAX / 3 + 1));
}

#[test]
fn a_pool_of_fifteen_pages_has_no_neighbours() {
    assert_eq!([15, 16, 31, 64, 4_096].map(flush_area), [0, 1, 1, 2, 64]);
}

#[test]
fn the_error_log_of_55_warns_after_thirty_rounds() {
    assert_eq!([30, 31].map(|round| lru_search_distance(round, 1_000).log_warning), [false, true]);
}

/// Starved is a list with less than a hundredth of what it should have.
#[test]
fn an_lru_manager_does_not_sleep_while_starved() {
    let next = |free, flushed| adapt_sleep_ms(500, free, 10_000, 10_000, flushed);
    assert_eq!([next(99, 1), next(100, 1), next(99, 0)], [0, 450, 501]);
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

/// Pages of a pass that only the number of dirty pages calls for: early, late.
fn by_dirty_pages(max_dirty_pages_pct: f64, dirty_pages: u64, dirty_pct: f64) -> (u64, u64) {
    let input = PassInput {
        cur_lsn: 10_000,
        time_s: 5,
        oldest_lsn: 10_000,
        dirty_pages,
        dirty_pct,
        last_pages: 0,
        lists: &NothingDue,
    };
    let c = mariadb(max_dirty_pages_pct);
    let early = recommendation_early(&c, &mut Averages::default(), &input);
    let late = recommendation_late(&c, &mut Averages::default(), &input, 0.0);
    (early.n_pages, late.n_pages)
}

#[test]
fn mariadb_by_its_dirty_pages() {
    assert_eq!(by_dirty_pages(90.0, 100, 45.0), (100, 100), "no more than there are");
    assert_eq!(by_dirty_pages(90.0, 200, 45.0).1, 200);
    assert_eq!(by_dirty_pages(90.0, 1_000, 45.0), (200, 200), "half of the limit calls for 100 pages");
    assert_eq!(by_dirty_pages(9.0, 2_000, 90.0), (2_000, 400), "ten times the limit calls for 2000 pages");
    assert_eq!(by_dirty_pages(9.0, 2_001, 90.0), (200, 200));
    assert_eq!(by_dirty_pages(0.5, 3_000, 10.0), (4_000, 200), "a limit below 1 % divides in the early form alone");
    assert_eq!(by_dirty_pages(0.0, 2_000, 10.0), (2_000, 400), "no limit, no division");
    assert_eq!(by_dirty_pages(1.005, 1_995, 10.0).1, 200, "a limit above 1 % divides: 1990 pages");
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
    let passes = |s: PassState| (branch_early(&c, &s), pass_late(&c, &s));
    assert_eq!(passes(PassState { async_lsn: 9_001, ..s }), (limit(9_001), limit(9_001)));
    assert_eq!(passes(PassState { async_lsn: 9_000, ..s }), (Branch::Adaptive, Branch::Unemployed));
    assert_eq!(passes(s), (Branch::Unemployed, Branch::Unemployed), "5 % are dirty, and the mark is 10 %");
    assert_eq!(passes(PassState { dirty_pct: 10.0, ..s }), (Branch::Adaptive, Branch::Adaptive));
    let idle = PassState { activity_changed: false, cleaner_idle: true, ..s };
    let background = Branch::Background { n_pages: 200 };
    assert_eq!(passes(idle), (background, background));
    let unmarked = AdaptiveConfig { max_dirty_pages_pct_lwm: 0.0, ..c };
    assert_eq!([branch_early(&unmarked, &idle), pass_late(&unmarked, &idle)], [Branch::Unemployed, Branch::Unemployed]);
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

/// `estimate` in its zone, with 1600 bytes of redo a second: 1000 pages may each wait for 80 000 bytes more, so 20 are due, and a
/// single page of them is flushed too. A list without pages asks for none.
#[test]
fn estimate_adds_up_the_lists_that_have_pages() {
    let (lsn, max_age) = (1_050_000, 130_000);
    let list = |n_pages: u64| ListLevel { n_pages, sum_oldest_modification: u128::from(n_pages) * 1_000_000 };
    let pages = |redo: u64, lists: &[u64]| {
        let found = estimate(lsn, lsn - redo, 1_000_000, max_age, true, lists.iter().map(|&n| list(n)));
        (found.pages, found.lsn_limit)
    };
    assert_eq!(pages(1_600, &[1_000]), (20, 1_001_600));
    assert_eq!(pages(1_600, &[1_000, 0]), (20, 1_001_600));
    assert_eq!(pages(80, &[1_000]), (1, 1_000_080));
    assert_eq!(pages(79, &[1_000]), (0, 0));
}

fn purge_of(model: ModelId, settings: &[(&'static str, u64)]) -> innosim_core::config::PurgeConfig {
    let known = settings.iter().filter(|(name, _)| lookup(model, name).is_ok());
    let settings: BTreeMap<_, _> = known.map(|&(name, value)| (name, Value::Integer(value))).collect();
    purge_config(&Settings::resolve(model, &settings).unwrap()).unwrap()
}

#[test]
fn purge_has_each_servers_numbers() {
    let cut = |model| purge_of(model, &[]).cut;
    let by_segment = |with_one_more_call| HistoryCut::BySegment { rollback_segments: 128, with_one_more_call };
    assert_eq!(cut(ModelId::Mysql55), by_segment(false));
    assert_eq!(cut(ModelId::Mysql56), by_segment(true));
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

fn seen(dirty_pages: u64) -> Seen {
    Seen { dirty_pages, current_lsn: 0, short_of_redo: false }
}

/// TNT goes on from what was written before, and more than 75 % of the buffer is more than 75 %.
#[test]
fn the_pace_of_tnt() {
    let mut pace = Pace::new(1_000, 1_000);
    pace.starts_after(WorkBefore { redo_bytes_per_s: 7, pages_flushed_per_s: 300 });
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

fn of_56_and_57() -> LegacyConfig {
    LegacyConfig {
        flushing_avg_loops: 30,
        io_capacity: 1_000,
        io_capacity_max: 1_000,
        max_dirty_pages_pct: 75.0,
        max_dirty_pages_pct_lwm: 0.0,
        adaptive_flushing: true,
        adaptive_flushing_lwm: 10,
        log_group_capacity: 1_000_000,
        max_modified_age_async: 800_000,
    }
}

/// What the last round left undone reaches further, if redo has come on by more than half of its mean since.
#[test]
fn the_reach_of_56_grows_with_redo_beyond_half_of_its_mean() {
    let factor = |since: u64| {
        let mut state = mysql56::AdaptiveState {
            lsn_avg_rate: 1_000,
            prev_lsn: 400_000,
            last_lsn: 500_000,
            last_pages: 10,
            prev_pages: 35,
            ..Default::default()
        };
        let seen = mysql56::Seen { cur_lsn: 500_000 + since, oldest_lsn: 200_000, dirty_pct: 0 };
        let request = state.request(&of_56_and_57(), seen).unwrap();
        (request.age_factor, request.lsn_limit)
    };
    assert_eq!([500, 501].map(factor), [(0, 201_000), (3, 204_000)]);
}

/// Two lists, in one of which pages are due.
struct Uneven;

impl FlushLists for Uneven {
    fn instances(&self) -> u32 {
        2
    }

    fn pages_up_to(&self, instance: u32, _: u64, cap: u64) -> u64 {
        [900, 0][instance as usize].min(cap)
    }
}

/// Slots of 5.7 follow the pages due where the age calls for more than 30 % of the I/O capacity, and are equal up to that.
#[test]
fn slots_of_57_are_uneven_above_30_percent() {
    let slots = |pct: u64| {
        let config = of_56_and_57();
        let age = (0..800_000).find(|&age| config.pct_for_lsn(age) == pct).unwrap();
        let mut state = mysql57::RecommendationState { prev_lsn: 1, ..Default::default() };
        let seen = mysql57::Seen {
            cur_lsn: 1_000_000 + age,
            oldest_lsn: 1_000_000,
            time_s: 1,
            dirty_pct: 0.0,
            last_pages: 0,
            lists: &Uneven,
        };
        let got = state.recommend(&config, seen).unwrap();
        (got.n_pages, got.slots)
    };
    // 300 pages by age, none by the mean.
    assert_eq!(slots(30), (200, vec![100, 100]));
    assert_eq!(slots(31), (203, vec![301 * 203 / 300 + 1, 1]));
}
