//! Adaptive flushing of 8.0 and of MariaDB at its thresholds: where a share becomes another one, at what number of pages
//! counting ends, when the averages move.
//!
//! Mutation tests found that no vector looks there (docs/robustness.md). The expected values are worked out by hand, from the
//! formulas of the specification (`innodb-8.0.21` sections 4.3 and 4.4, `innodb-8.0.30` sections 4.2 and 4.3, `mariadb-10.11`
//! sections 4.2 and 5.1).

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::seam::{AdaptiveFlushing, FlushLists, RuleInput};
use innosim_flush_models::averages::Averages;
use innosim_flush_models::mariadb::adaptive as mariadb;
use innosim_flush_models::mysql80::adaptive::{
    AdaptiveConfig, AdaptiveRule, AgeFactor, FORM_8018, FORM_8021, FORM_8027, FORM_8030, Form, PassDetails, PassInput,
};
use std::cell::RefCell;

const CAPACITY: u64 = 100_000;

/// Flush lists of so many pages each, all of them due; and the caps with which somebody counted.
#[derive(Default)]
struct Lists {
    pages: Vec<u64>,
    caps: RefCell<Vec<u64>>,
    changes: Option<u64>,
}

impl Lists {
    fn of(pages: &[u64]) -> Self {
        Lists { pages: pages.to_vec(), ..Lists::default() }
    }
}

impl FlushLists for Lists {
    fn instances(&self) -> u32 {
        self.pages.len() as u32
    }

    fn pages_up_to(&self, instance: u32, _: u64, cap: u64) -> u64 {
        self.caps.borrow_mut().push(cap);
        self.pages[instance as usize].min(cap)
    }

    fn changes(&self) -> Option<u64> {
        self.changes
    }
}

fn config() -> AdaptiveConfig {
    AdaptiveConfig {
        flushing_avg_loops: 30,
        io_capacity: 200,
        io_capacity_max: 399,
        max_dirty_pages_pct: 90.0,
        max_dirty_pages_pct_lwm: 10.0,
        adaptive_flushing: true,
        adaptive_flushing_lwm: 10,
    }
}

/// A pass of a rule that has begun, at an age of so many thousandths of the capacity.
fn pass(form: Form, age: u64, lists: &Lists, sync: bool) -> PassDetails {
    let mut rule = AdaptiveRule::new(form, config());
    rule.averages.prev_lsn = 1;
    rule.pass(&input(age, lists, sync)).unwrap()
}

fn input(age: u64, lists: &Lists, sync: bool) -> PassInput<'_> {
    PassInput {
        cur_lsn: 1_000_000 + age * CAPACITY / 1_000,
        now: SimTime::ZERO + SimDuration::from_secs(1),
        oldest_lsn: 1_000_000,
        dirty_pct: 0.0,
        lists,
        rule: RuleInput {
            sync_limit_lsn: sync.then_some(1_050_000),
            last_pages: 0,
            limit_for_age_bytes: CAPACITY,
            free_check_capacity_bytes: CAPACITY,
        },
    }
}

/// With `io_capacity_max` less than twice `io_capacity` an age of 37 % calls for 30 % (37^1.5 / 7.5 = 30.008), one of 38 %
/// for 31 % (31.23). At 30 % all slots are alike, above that they follow what is due: 900 and 300 pages in three passes are
/// 301 and 101 with one to spare, of 400.
#[test]
fn slots_follow_what_is_due_above_30_percent() {
    for (form, even) in [(FORM_8021, 0), (FORM_8027, 1), (FORM_8030, 1)] {
        let lists = Lists::of(&[900, 300]);
        // (60 + 0 + 400) / 3 and (62 + 0 + 400) / 3 pages.
        let (at, above) = (pass(form, 370, &lists, false), pass(form, 380, &lists, false));
        assert_eq!((at.pct_for_lsn, at.n_pages, at.slots), (30, 153, vec![76 + even, 76 + even]), "{form:?}");
        let by_due = vec![301 * 154 / 400 + 1, 101 * 154 / 400 + 1];
        assert_eq!((above.pct_for_lsn, above.n_pages, above.slots), (31, 154, by_due), "{form:?}");
    }
}

/// Sync passes of 8.0.23 and later wait for the count of what is due, timed passes have a second for it.
#[test]
fn a_sync_pass_waits_for_its_count() {
    let counted = |form, sync| {
        let mut rule = AdaptiveRule::new(form, config());
        rule.averages.prev_lsn = 1;
        rule.pass(&input(500, &Lists::of(&[90, 30]), sync)).unwrap();
        rule.pages_counted()
    };
    assert_eq!([FORM_8021, FORM_8027, FORM_8030].map(|form| counted(form, true)), [0, 120, 120]);
    assert_eq!(counted(FORM_8030, false), 0);
}

#[test]
fn averages_over_whole_seconds_of_a_finer_clock() {
    let cuts = |form| AdaptiveRule::new(form, config()).cuts_seconds_off();
    assert_eq!([FORM_8018, FORM_8021, FORM_8027, FORM_8030].map(cuts), [false, true, true, false]);
}

/// From 8.0.23 on counting stops at 12 times what an instance may flush a second, in a sync pass at 4 times.
#[test]
fn counting_ends_where_a_pass_can_flush_no_more() {
    let caps = |form, sync| {
        let lists = Lists::of(&[1, 1]);
        pass(form, 500, &lists, sync);
        lists.caps.into_inner()
    };
    assert_eq!(caps(FORM_8030, false), [399 * 6, 399 * 6]);
    assert_eq!(caps(FORM_8030, true), [399 * 2, 399 * 2]);
    assert_eq!(caps(FORM_8021, false), [u64::MAX; 2]);
}

/// Lists that are as they were are not counted again; another target, or lists that don't say, are.
#[test]
fn what_is_due_is_counted_again_only_if_it_may_have_changed() {
    let passes = |changes: [Option<u64>; 2], ages: [u64; 2], sync: bool| {
        let lists = changes.map(|changes| Lists { changes, ..Lists::of(&[900, 300]) });
        let mut rule = AdaptiveRule::new(FORM_8030, config());
        rule.averages.prev_lsn = 1;
        let asked = |at: usize, rule: &mut AdaptiveRule| {
            let fresh = pass(FORM_8030, ages[at], &Lists::of(&[900, 300]), sync);
            assert_eq!(rule.pass(&input(ages[at], &lists[at], sync)), Some(fresh));
            lists[at].caps.borrow().len()
        };
        [asked(0, &mut rule), asked(1, &mut rule)]
    };
    assert_eq!(passes([Some(7); 2], [500, 500], false), [2, 0]);
    assert_eq!(passes([Some(7); 2], [500, 800], true), [2, 0], "the age alone asks nothing of the lists");
    assert_eq!(passes([Some(7), Some(8)], [500, 500], false), [2, 2]);
    assert_eq!(passes([None; 2], [500, 500], false), [2, 2]);
    let lists = Lists { changes: Some(7), ..Lists::of(&[900, 300]) };
    let mut rule = AdaptiveRule::new(FORM_8030, config());
    rule.averages.prev_lsn = 1;
    for (sync, asked) in [(false, 2), (true, 4), (true, 4), (false, 6)] {
        rule.pass(&input(500, &lists, sync)).unwrap();
        assert_eq!(lists.caps.borrow().len(), asked, "a sync pass has another target and another cap");
    }
}

/// What is due counts up to twice `io_capacity_max`. A sync pass takes that, and `io_capacity` at least; before 8.0.23 the
/// mean, within both.
#[test]
fn a_pass_takes_no_more_than_its_form_allows() {
    let pages = |form, due, sync| pass(form, 0, &Lists::of(&[due]), sync).n_pages;
    // In three passes each.
    assert_eq!(pages(FORM_8030, 3 * 600, false), 200);
    assert_eq!(pages(FORM_8030, 3 * 900, false), 798 / 3, "twice io_capacity_max, and nothing of the other two");
    assert_eq!([100, 200, 201, 900].map(|due| pages(FORM_8030, due, true)), [200, 200, 201, 798]);
    assert_eq!([300, 3 * 600, 3 * 900].map(|due| pages(FORM_8021, due, true)), [200, 200, 266]);
    assert_eq!([300, 3 * 600].map(|due| pages(FORM_8018, due, false)), [33, 200]);
    for (form, sync, most) in [(FORM_8021, false, 399), (FORM_8021, true, 399), (FORM_8030, false, 399)] {
        let mut rule = AdaptiveRule::new(form, config());
        (rule.averages.prev_lsn, rule.averages.avg_page_rate) = (1, 3_000);
        assert_eq!(rule.pass(&input(0, &Lists::of(&[1]), sync)).unwrap().n_pages, most, "{form:?}");
    }
}

/// Nothing is recommended where no redo was written since the averages last moved, but in a sync pass. From 8.0.21 on the
/// averages see such a pass all the same.
#[test]
fn a_pass_without_redo_recommends_nothing() {
    for (form, seen) in [(FORM_8018, (0, 0)), (FORM_8021, (1, 7)), (FORM_8030, (1, 7))] {
        let mut rule = AdaptiveRule::new(form, config());
        rule.averages.prev_lsn = 1_000_000;
        let lists = Lists::of(&[30]);
        let mut idle = input(0, &lists, false);
        idle.rule.last_pages = 7;
        assert_eq!(rule.pass(&idle), None, "{form:?}");
        assert_eq!((rule.averages.n_iterations, rule.averages.sum_pages), seen, "{form:?}");
        assert!(rule.pass(&input(0, &lists, true)).is_some(), "{form:?}");
    }
}

/// The low-water mark is 10 % of the age at which user threads stop, and counts from itself on; without adaptive flushing the
/// full age does.
#[test]
fn the_age_of_80_counts_from_its_marks_on() {
    let pct = |config: AdaptiveConfig, factor, age| config.pct_for_lsn(factor, age, CAPACITY, CAPACITY);
    let of = |age| pct(config(), AgeFactor::Integer, age);
    assert_eq!([9_999, 10_000, 37_900].map(of), [0, 4, 30]);
    assert_eq!(pct(config(), AgeFactor::Real, 37_900), 31, "37.9^1.5 / 7.5 = 31.1");
    let off = AdaptiveConfig { adaptive_flushing: false, ..config() };
    assert_eq!([99_999, 100_000].map(|age| pct(off, AgeFactor::Integer, age)), [0, 133]);
}

#[test]
fn the_share_of_dirty_pages_of_80_counts_from_its_marks_on() {
    assert_eq!([0.0, 9.99, 10.0, 91.0].map(|pct| config().pct_for_dirty(pct)), [0, 0, 10, 100]);
    let without =
        |max_dirty_pages_pct| AdaptiveConfig { max_dirty_pages_pct, max_dirty_pages_pct_lwm: 0.0, ..config() };
    assert_eq!([89.9, 90.0].map(|pct| without(90.0).pct_for_dirty(pct)), [0, 100]);
    assert_eq!(
        [0.0, 0.1].map(|pct| without(0.0).pct_for_dirty(pct)),
        [0, 100],
        "a limit of 0 is met by any dirty page"
    );
}

fn of_mariadb() -> mariadb::AdaptiveConfig {
    mariadb::AdaptiveConfig {
        flushing_avg_loops: 30,
        io_capacity: 200,
        io_capacity_max: 400,
        max_dirty_pages_pct: 90.0,
        max_dirty_pages_pct_lwm: 10.0,
        adaptive_flushing_lwm: 1.0,
        log_capacity: 1_000_000,
        max_modified_age_async: 100_000,
    }
}

fn second(s: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_secs(s)
}

/// Averages that have begun.
fn begun() -> Averages {
    Averages { prev_lsn: 500_000, prev_time: second(1), ..Averages::default() }
}

/// A pass at an age of 37 %, which calls for 60 % of `io_capacity` (2 * 37^1.5 / 7.5 = 60.02).
fn pass_of_mariadb(dirty_pct: f64, time_s: u64, lists: &Lists) -> mariadb::PassInput<'_> {
    let (cur_lsn, oldest_lsn, now) = (537_000, 500_000, second(time_s));
    mariadb::PassInput { cur_lsn, now, oldest_lsn, dirty_pages: 1_000, dirty_pct, last_pages: 60, lists }
}

/// The larger one of the age's share and that of the dirty pages counts, unless a mark is 0: then the whole of `io_capacity`.
#[test]
fn the_share_of_mariadb_is_the_larger_of_two() {
    let late = |dirty_pct, pct_lwm, max_dirty_pages_pct| {
        let (c, lists) = (mariadb::AdaptiveConfig { max_dirty_pages_pct, ..of_mariadb() }, Lists::of(&[0]));
        let input = pass_of_mariadb(dirty_pct, 2, &lists);
        let pass = mariadb::recommendation_late(&c, &mut begun(), &input, pct_lwm);
        // One page is always due.
        (pass.pct_for_lsn, pass.adaptive.unwrap().pct_for_dirty, pass.n_pages * 3)
    };
    assert_eq!(late(45.0, 10.0, 90.0), (60, 60, 120), "(120 + 0 + 1) / 3");
    assert_eq!(late(81.0, 10.0, 90.0), (60, 90, 180), "(180 + 0 + 1) / 3");
    assert_eq!(late(45.0, 0.0, 90.0), (60, 100, 201));
    assert_eq!(late(45.0, 10.0, 0.0), (60, 100, 201));
}

/// A pass counts `io_capacity_max` pages and takes a third of them, at least one; all three wishes together are cut too.
#[test]
fn mariadb_counts_as_many_pages_as_it_may_flush() {
    let late = |due, avg_page_rate| {
        let lists = Lists::of(&[due]);
        let mut averages = Averages { avg_page_rate, ..begun() };
        let pass = mariadb::recommendation_late(&of_mariadb(), &mut averages, &pass_of_mariadb(0.0, 2, &lists), 10.0);
        assert_eq!(lists.caps.into_inner(), [400]);
        (pass.adaptive.unwrap().pages_for_lsn, pass.n_pages)
    };
    assert_eq!([0, 5, 6, 900].map(|due| late(due, 0).0), [1, 1, 2, 133]);
    assert_eq!([946, 947, 950, 9_999].map(|rate| late(900, rate).1), [399, 400, 400, 400], "(120 + rate + 133) / 3");
}

/// They move after 30 passes or 30 seconds, by half of the way: 60 pages and 37 000 bytes of redo in 30 s are 2 and 1233 a
/// second.
#[test]
fn the_averages_of_mariadb_move_after_as_many_passes_or_seconds() {
    let after = |iterations: u64, seconds: u64| {
        let before = Averages { n_iterations: iterations, avg_page_rate: 100, lsn_avg_rate: 3_000, ..begun() };
        let lists = Lists::of(&[0]);
        let mut averages = before;
        mariadb::recommendation_late(&of_mariadb(), &mut averages, &pass_of_mariadb(0.0, 1 + seconds, &lists), 10.0);
        (averages.avg_page_rate, averages.lsn_avg_rate, averages.n_iterations, averages.sum_pages)
    };
    assert_eq!(after(28, 29), (100, 3_000, 29, 60));
    assert_eq!(after(28, 30), (51, 2_116, 0, 0));
    assert_eq!(after(29, 29), (51, 2_137, 0, 0), "37 000 / 29 = 1275");
    assert_eq!(after(29, 0), (80, 20_000, 0, 0), "no time counts as a second");
}
