//! The page cleaner of MariaDB and threads that wait for it (`mariadb-10.11` section 5).

use super::steps::{START, done, flush, pass, requests, server, until_ms, view};
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::seam::{
    CleanerAction, CleanerInput, FlushGauges, FlushKind, FreeCheck, FreeCheckWait, LruWork, ServerModel, View,
};
use innosim_flush_models::registry::ModelId;

/// A log of 256 MiB, whose limits follow; 1000 pages a pass.
pub(crate) const OF_MARIADB: [(&str, &str); 5] = [
    ("innodb_buffer_pool_size", "4G"),
    ("innodb_log_file_size", "256M"),
    ("innodb_io_capacity", "400"),
    ("innodb_io_capacity_max", "1000"),
    ("innodb_lru_scan_depth", "500"),
];
pub(crate) const FIRST_LIMIT: u64 = 189_625_606;
pub(crate) const SECOND_LIMIT: u64 = 216_715_114;

fn of_mariadb(lines: &[(&str, &str)]) -> Box<dyn ServerModel> {
    server(ModelId::Mariadb1011, &[&OF_MARIADB, lines].concat())
}

/// The cleaner after its first wait, awake, with redo of `age` since the checkpoint.
fn pass_of_mariadb(server: &mut dyn ServerModel, v: &View<'_>) -> CleanerAction {
    let first = server.cleaner(&view(0), CleanerInput::Start);
    assert_eq!(until_ms(first), 1_000);
    server.cleaner(v, CleanerInput::Timeout)
}

/// With redo of `age` since the checkpoint and the oldest page.
pub(crate) fn aged(ms: u64, age: u64) -> View<'static> {
    View { current_lsn: START + age, activity: ms, ..view(ms) }
}

/// LRU batches where free pages run short: up to what is left of the pass, in a list of more than 256 pages.
#[test]
fn a_pass_of_mariadb_looks_for_free_pages_after_its_list() {
    let after_list = |free_pages, lru_pages, free_page_wanted| {
        let mut server = of_mariadb(&[]);
        let v = View { free_pages, lru_pages, ..aged(1_000, FIRST_LIMIT + 1_000) };
        let list = flush(pass_of_mariadb(server.as_mut(), &v));
        assert_eq!((list.slots, list.lsn_limit, list.over_writes), (vec![1_000], START + 1_000, true));
        match server.cleaner(&View { free_page_wanted, ..v }, done(300, 0)) {
            CleanerAction::Flush(request) => {
                assert_eq!((request.kind, request.over_writes), (FlushKind::LruOnly, true));
                Some(request.lru)
            }
            CleanerAction::Checkpoint { wait: true } => None,
            other => panic!("{other:?}"),
        }
    };
    let batch = Some(LruWork::Batch(700));
    assert_eq!([499, 500].map(|free| after_list(free, 5_000, false)), [batch, None]);
    assert_eq!([256, 257].map(|listed| after_list(499, listed, false)), [None, batch]);
    assert_eq!(after_list(500, 5_000, true), batch, "somebody waits for one");
}

/// A target is reached when no page is older: then it is forgotten, and what calls for the next pass is its age alone.
#[test]
fn targets_of_mariadb_are_forgotten_when_reached() {
    let next_pass = |oldest_above_target: i64| {
        let mut server = of_mariadb(&[]);
        let first = aged(1_000, FIRST_LIMIT + 1_000);
        assert_eq!(flush(pass_of_mariadb(server.as_mut(), &first)).lsn_limit, START + 1_000);
        let oldest_modification_lsn = (START + 1_000).saturating_add_signed(oldest_above_target);
        let after = View { oldest_modification_lsn, ..first };
        assert_eq!(server.cleaner(&after, done(300, 0)), CleanerAction::Checkpoint { wait: true });
        // The checkpoint brings the age below the limit, so that no mini-transaction raises the target again.
        let published = View { last_checkpoint_lsn: oldest_modification_lsn.min(START + 999) + 1, ..after };
        until_ms(server.cleaner(&published, CleanerInput::CheckpointTaken));
        match server.cleaner(&View { now: SimTime(2_000_000_000), ..published }, CleanerInput::Timeout) {
            CleanerAction::Flush(request) => Some(request.lsn_limit).filter(|&limit| limit != u64::MAX),
            _ => None,
        }
    };
    assert_eq!(next_pass(-1), Some(START + 1_000), "a page is older than the target");
    assert_eq!([0, 1].map(next_pass), [None, None]);
}

/// Beyond the second limit: free pages first if they are needed, 400 of them, then 1000 pages of the list, all writes waited for,
/// a checkpoint; again and again until the target is reached, a millisecond apart if it takes no time.
#[test]
fn furious_flushing_of_mariadb_ends_at_its_target() {
    let mut server = of_mariadb(&[]);
    let v = View { free_page_wanted: true, ..aged(1_000, SECOND_LIMIT + 1_000) };
    let target = START + SECOND_LIMIT + 1_000 - FIRST_LIMIT;
    let first = flush(pass_of_mariadb(server.as_mut(), &v));
    assert_eq!((first.kind, first.lru), (FlushKind::LruOnly, LruWork::Batch(400)));
    let list = flush(server.cleaner(&v, done(0, 9)));
    assert_eq!((list.kind, list.slots, list.lsn_limit), (FlushKind::Sync, vec![1_000], target));
    assert_eq!(server.cleaner(&v, done(1_000, 0)), CleanerAction::WaitForBatches);
    assert_eq!(server.cleaner(&v, CleanerInput::BatchesOver), CleanerAction::Checkpoint { wait: true });
    let after = |oldest_modification_lsn| {
        let mut server = of_mariadb(&[]);
        let v = aged(1_000, SECOND_LIMIT + 1_000);
        assert_eq!(flush(pass_of_mariadb(server.as_mut(), &v)).kind, FlushKind::Sync);
        server.cleaner(&v, done(1_000, 0));
        server.cleaner(&v, CleanerInput::BatchesOver);
        let published =
            View { oldest_modification_lsn, last_checkpoint_lsn: START + 2_000, ..aged(1_500, SECOND_LIMIT) };
        match server.cleaner(&published, CleanerInput::CheckpointTaken) {
            CleanerAction::Flush(request) => Some(request.kind),
            CleanerAction::WaitForWork { .. } => None,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!([target - 1, target, 0].map(after), [Some(FlushKind::Sync), None, None]);
}

/// A cleaner that comes round a third time in one instant would spin.
#[test]
fn a_cleaner_of_mariadb_does_not_spin() {
    let mut server = of_mariadb(&[]);
    let v = aged(1_000, SECOND_LIMIT + 1_000);
    pass_of_mariadb(server.as_mut(), &v);
    let mut round = || {
        server.cleaner(&v, done(0, 0));
        server.cleaner(&v, CleanerInput::BatchesOver);
        server.cleaner(&v, CleanerInput::CheckpointTaken)
    };
    assert_eq!([flush(round()).kind, flush(round()).kind], [FlushKind::Sync; 2]);
    let CleanerAction::Wait { until, wake_on_event: false } = round() else { panic!("no pause") };
    assert_eq!(until, SimTime(1_001_000_000));
}

/// A user thread beyond the second limit waits until no page is older than its target, has a checkpoint taken if there is none yet,
/// and sleeps 10 ms.
#[test]
fn a_waiting_thread_of_mariadb_goes_through_its_steps() {
    let mut server = of_mariadb(&[]);
    let v = aged(1_000, SECOND_LIMIT + 1_000);
    let mut wait = FreeCheckWait::default();
    assert_eq!(server.free_check(&v, &mut wait), FreeCheck::WaitForCleaner);
    let target = wait.lsn;
    assert!(target > START);
    let at = |oldest_modification_lsn, last_checkpoint_lsn| View { oldest_modification_lsn, last_checkpoint_lsn, ..v };
    let sleep = FreeCheck::Sleep { duration: SimDuration::from_millis(10), wake_checkpointer: false };
    assert_eq!(server.free_check(&at(target - 1, START), &mut wait), FreeCheck::WaitForCleaner);
    assert_eq!(server.free_check(&at(target, START), &mut wait), FreeCheck::Checkpoint { wait: true });
    assert_eq!(server.free_check(&at(target, START), &mut wait), sleep, "taken, however far it came");
    assert_eq!(server.free_check(&at(target, target), &mut wait), FreeCheck::Proceed);
    // Somebody else's checkpoint is as good; nothing dirty is as good as pages written.
    for (oldest, checkpoint, expected) in [(0, START, FreeCheck::Checkpoint { wait: true }), (target, target, sleep)] {
        let mut wait = FreeCheckWait::default();
        assert_eq!(server.free_check(&v, &mut wait), FreeCheck::WaitForCleaner);
        assert_eq!(server.free_check(&at(oldest, checkpoint), &mut wait), expected);
    }
}

/// Free pages are made as soon as fewer than half of the scan depth are left.
#[test]
fn a_cleaner_of_mariadb_does_not_sleep_while_free_pages_are_short() {
    let sleeps = |free_pages| {
        let mut server = of_mariadb(&[]);
        server.cleaner(&view(0), CleanerInput::Start);
        let v = View { free_pages, ..aged(1_000, 1_000) };
        assert_eq!(
            server.cleaner(&View { free_pages: 500, ..aged(1_000, 1_000) }, CleanerInput::Timeout),
            CleanerAction::Checkpoint { wait: true }
        );
        match server.cleaner(&v, CleanerInput::CheckpointTaken) {
            CleanerAction::WaitForWork { .. } => true,
            CleanerAction::WaitForBatches => false,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!([250, 249].map(sleeps), [true, false]);
}

/// A thread waits until the age is back at the limit that stops it; its mini-transaction has asked for more, the 334 956 bytes that
/// bring the age back to the first limit.
#[test]
fn a_waiting_thread_of_mariadb_raises_the_target_to_its_own() {
    let mut server = of_mariadb(&[("innodb_log_file_size", "4M")]);
    let limits = server.age_limits();
    let v = aged(1_000, limits.stop_bytes + 1);
    assert_eq!(server.free_check(&v, &mut FreeCheckWait::default()), FreeCheck::WaitForCleaner);
    let list = flush(server.cleaner(&v, CleanerInput::Start));
    assert_eq!((list.kind, list.lsn_limit), (FlushKind::Sync, START + limits.stop_bytes + 1 - limits.async_bytes));
}

/// The second recommendation at an age of 100 MB: 99 % by age (2 * 52^1.5 / 7.5), 400 pages of `innodb_io_capacity`, a third of
/// the 900 in the list, no mean; in three parts. Above a low-water mark 95.01 % of dirty pages are 105 % of the limit.
#[test]
fn gauges_of_mariadb_are_those_of_its_recommendation() {
    let gauges = |lines: &[(&str, &str)]| {
        let mut server = of_mariadb(lines);
        let v = |ms| View { dirty_pages: 9_500, ..aged(ms, 100_000_000) };
        pass(server.as_mut(), &view(0), CleanerInput::Start, (0, 0), &view(0));
        pass(server.as_mut(), &v(1_000), CleanerInput::Timeout, (0, 0), &v(1_000));
        assert_eq!(server.gauges(), FlushGauges::default(), "the first only remembers");
        let actions = pass(server.as_mut(), &v(2_000), CleanerInput::Timeout, (0, 0), &v(2_000));
        assert_eq!(requests(&actions)[0].slots, [server.gauges().n_to_flush_requested]);
        server.gauges()
    };
    let expected = |n_to_flush_requested, pct_for_dirty| FlushGauges {
        n_to_flush_requested,
        n_to_flush_by_age: 300,
        avg_page_rate: 0,
        lsn_avg_rate: 0,
        pct_for_dirty,
        pct_for_lsn: 99,
    };
    assert_eq!(gauges(&[]), expected(233, 100));
    assert_eq!(gauges(&[("innodb_max_dirty_pages_pct_lwm", "10")]), expected(240, 105));
}
