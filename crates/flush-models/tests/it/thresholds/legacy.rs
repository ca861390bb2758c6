//! Formulas of 5.5, 5.6, 5.7 and Percona Server 5.5.

use super::PAGE;
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::seam::FlushLists;
use innosim_flush_models::averages::Averages;
use innosim_flush_models::legacy::adaptive::AdaptiveConfig;
use innosim_flush_models::legacy::io::io_capacity_at_startup;
use innosim_flush_models::legacy::log_margin::{
    LogLsns, MARGIN_55, MARGIN_56, MARGIN_57, Preflush, log_checkpoint_margin,
};
use innosim_flush_models::legacy::neighbors::flush_area;
use innosim_flush_models::legacy::redo_geometry::LogAges;
use innosim_flush_models::mysql55::master::{FlushReason, OneSecondInput, srv_master_one_second};
use innosim_flush_models::mysql56::adaptive::{self as mysql56, af_get_pct_for_dirty};
use innosim_flush_models::mysql57::commit_margin::{CommitMargin, log_margin_checkpoint_age};
use innosim_flush_models::mysql57::recommendation as mysql57;
use innosim_flush_models::percona55::methods::{ListLevel, ListTurnover, estimate, keep_average};

#[test]
fn the_share_of_dirty_pages_of_56_counts_from_one_percent() {
    assert_eq!(af_get_pct_for_dirty(0, 0, 5), 0);
    assert_eq!(af_get_pct_for_dirty(1, 0, 5), 100, "nothing may be dirty, and something is");
    assert_eq!(af_get_pct_for_dirty(1, 1, 5), 0, "one percent may be");
}

/// 5.5 to 5.7 refuse to start when the reserve, 786 432 bytes here, is half of the capacity.
#[test]
fn a_reserve_of_half_the_log_is_too_large() {
    assert!(LogAges::new(1_747_626 + 2_048, 1, PAGE, 0).is_err());
    let ages = LogAges::new(1_747_628 + 2_048, 1, PAGE, 0).unwrap();
    assert_eq!((ages.reserve, ages.log_group_capacity), (786_432, 1_572_866));
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

fn of_56_and_57() -> AdaptiveConfig {
    AdaptiveConfig {
        flushing_avg_loops: 30,
        io_capacity: 1_000,
        io_capacity_max: 1_000,
        max_dirty_pages_pct: 75.0,
        max_dirty_pages_pct_lwm: 0.0,
        adaptive_flushing: true,
        adaptive_flushing_lwm: 10,
        log_group_capacity: 1_000_000,
        max_modified_age_async: 800_000,
        high_checkpoint: false,
        percentages_alone_past_async: false,
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

fn pass_of_57(config: AdaptiveConfig, averages: Averages, seen: mysql57::Seen<'_>) -> mysql57::Recommended {
    let mut rule = mysql57::AdaptiveRule::new(config);
    rule.averages = averages;
    rule.pass(seen).unwrap().clone()
}

/// Slots of 5.7 follow the pages due where the age calls for more than 30 % of the I/O capacity, and are equal up to that.
#[test]
fn slots_of_57_are_uneven_above_30_percent() {
    let slots = |pct: u64| {
        let config = of_56_and_57();
        let age = (0..800_000).find(|&age| config.pct_for_lsn(age) == pct).unwrap();
        let averages = Averages { prev_lsn: 1, ..Default::default() };
        let seen = mysql57::Seen {
            cur_lsn: 1_000_000 + age,
            oldest_lsn: 1_000_000,
            now: SimTime::ZERO + SimDuration::from_secs(1),
            dirty_pct: 0.0,
            last_pages: 0,
            lists: &Uneven,
        };
        let got = pass_of_57(config, averages, seen);
        (got.n_pages, got.slots)
    };
    // 300 pages by age, none by the mean.
    assert_eq!(slots(30), (200, vec![100, 100]));
    assert_eq!(slots(31), (203, vec![301 * 203 / 300 + 1, 1]));
}

/// Percona Server 5.7 forgets the average and the pages due where the age reaches the async limit, and keeps to the maximum.
#[test]
fn percentages_alone_count_past_the_async_limit_of_percona_57() {
    let pages = |age: u64, io_capacity_max: u64| {
        let config = AdaptiveConfig {
            io_capacity_max,
            high_checkpoint: true,
            percentages_alone_past_async: true,
            ..of_56_and_57()
        };
        let averages = Averages { prev_lsn: 1, avg_page_rate: 600, ..Default::default() };
        let seen = mysql57::Seen {
            cur_lsn: 1_000_000 + age,
            oldest_lsn: 1_000_000,
            now: SimTime::ZERO + SimDuration::from_secs(1),
            dirty_pct: 0.0,
            last_pages: 0,
            lists: &Uneven,
        };
        pass_of_57(config, averages, seen).n_pages
    };
    // 99 % of the limit: 139 % of the capacity (99^2.5 / 700.5), 600 by the average, 300 due.
    assert_eq!(pages(799_999, 1_999), (1_390 + 600 + 300) / 3);
    // 100 %: 142 % of the capacity alone.
    assert_eq!(pages(800_000, 1_999), 1_420);
    assert_eq!(pages(800_000, 1_000), 1_000);
}

/// What is due counts up to twice `io_capacity_max`: 2000 pages of 33 333, of which a third is flushed.
#[test]
fn pages_due_of_57_count_up_to_a_limit() {
    struct Many;
    impl FlushLists for Many {
        fn instances(&self) -> u32 {
            1
        }
        fn pages_up_to(&self, _: u32, _: u64, cap: u64) -> u64 {
            cap.min(100_000)
        }
    }
    let averages = Averages { prev_lsn: 1, ..Default::default() };
    let seen = mysql57::Seen {
        cur_lsn: 1_000_001,
        oldest_lsn: 1_000_000,
        now: SimTime::ZERO + SimDuration::from_secs(1),
        dirty_pct: 0.0,
        last_pages: 0,
        lists: &Many,
    };
    let got = pass_of_57(of_56_and_57(), averages, seen);
    assert_eq!((got.n_by_age, got.n_by_age_capped, got.n_pages), (33_333, 2_000, 666));
}

/// Between the async and the sync limit user threads of 5.5 flush, later ones don't.
#[test]
fn threads_of_55_alone_flush_from_the_async_limit_on() {
    let ages = LogAges::new(512 << 20, 2, PAGE, 0).unwrap();
    let preflush = |age| {
        let lsns = LogLsns { lsn: 10_000_000_000, oldest_modification: 10_000_000_000 - age, last_checkpoint_lsn: 1 };
        [MARGIN_55, MARGIN_56, MARGIN_57].map(|rule| log_checkpoint_margin(&lsns, &ages, rule).preflush)
    };
    assert_eq!(preflush(ages.max_modified_age_async), [Preflush::None; 3]);
    let above = [Preflush::Async, Preflush::None, Preflush::None];
    assert_eq!([ages.max_modified_age_async + 1, ages.max_modified_age_sync].map(preflush), [above; 2]);
    assert_eq!(preflush(ages.max_modified_age_sync + 1), [Preflush::Sync; 3]);
}

/// A mini-transaction as large as the redo log waits for a checkpoint; a larger one goes on.
#[test]
fn a_mini_transaction_as_large_as_the_log() {
    let lsns = LogLsns { lsn: 1_001, oldest_modification: 1_000, last_checkpoint_lsn: 1_000 };
    assert!(matches!(log_margin_checkpoint_age(&lsns, 512, 512), CommitMargin::Checkpoint { .. }));
    assert_eq!(log_margin_checkpoint_age(&lsns, 513, 512), CommitMargin::TooLarge);
}

#[test]
fn a_pass_of_55_flushes_a_single_page() {
    let pass = |desired_rate| {
        let decision = srv_master_one_second(&OneSecondInput {
            dirty_pct: 1,
            max_dirty_pages_pct: 75,
            adaptive_flushing: true,
            desired_rate,
            pending_ios: 0,
            ios: 0,
            io_capacity: 1_000,
        });
        (decision.flush_reason, decision.flush_pages)
    };
    assert_eq!([0, 1].map(pass), [(FlushReason::None, 0), (FlushReason::Adaptive, 1)]);
}

/// Twice the async age makes each page due twice; one more is flushed. No pages make none due. Where old and new pages seem to be
/// fewer than those in the list (new ones under write count as their batch's oldest), nothing was flushed.
#[test]
fn keep_average_adds_up_the_lists() {
    let found = |lists: &[(u64, u64)]| {
        let list = |&(prev_count, blocks): &(u64, u64)| ListTurnover { new_blocks: 2, prev_count, blocks };
        let found = keep_average(3_000, 1_000, 1_000, 0, lists.iter().map(list));
        (found.n_flush, found.flushed_blocks_sum)
    };
    assert_eq!([found(&[]), found(&[(0, 2)]), found(&[(1, 3), (7, 9)])], [(0, 0), (5, 0), (25, 0)]);
    assert_eq!([found(&[(6, 8)]), found(&[(7, 8)]), found(&[(5, 8)])], [(17, 0), (16, 1), (17, 0)]);
}
