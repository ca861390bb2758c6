//! What the page cleaner of MariaDB remembers from pass to pass: targets, averages, whether it is idle (`mariadb-10.11`
//! section 5).

use super::mariadb::{FIRST_LIMIT, OF_MARIADB, SECOND_LIMIT};
use super::steps::{START, done, flush, kinds, pass, probed, requests, server, view};
use innosim_core::kernel::time::SimTime;
use innosim_core::seam::{
    CleanerAction, CleanerInput, FlushKind, FreeCheck, FreeCheckWait, ServerModel, View, WorkBefore,
};
use innosim_flush_models::registry::ModelId;

/// A server after its start.
fn of_mariadb(lines: &[(&str, &str)]) -> Box<dyn ServerModel> {
    let mut server = server(ModelId::Mariadb1011, &[&OF_MARIADB, lines].concat());
    server.cleaner(&view(0), CleanerInput::Start);
    server
}

/// With redo of `age` since START; pages from `oldest` on are dirty, and the checkpoint is there.
fn aged(ms: u64, age: u64, oldest: u64) -> View<'static> {
    let oldest = START + oldest;
    View {
        current_lsn: START + age,
        oldest_modification_lsn: oldest,
        last_checkpoint_lsn: oldest,
        activity: ms,
        ..view(ms)
    }
}

/// So many dirty pages that adaptive flushing is asked.
fn dirty(v: View<'static>) -> View<'static> {
    View { dirty_pages: 9_500, ..v }
}

/// Nothing is dirty, and the checkpoint is at the end of redo.
fn clean(v: View<'static>) -> View<'static> {
    View { oldest_modification_lsn: 0, dirty_pages: 0, last_checkpoint_lsn: v.current_lsn, ..v }
}

/// Averages count the pages of adaptive passes and of LRU batches, not those of a target nor of an idle second.
#[test]
fn averages_of_mariadb_count_lru_batches() {
    let lines = [&OF_MARIADB[..], &[("innodb_max_dirty_pages_pct_lwm", "10")]].concat();
    let (mut server, told) = probed(ModelId::Mariadb1011, &lines, 300, &[]);
    server.cleaner(&view(0), CleanerInput::Start);
    let mut at = |v: View<'static>, report, after: View<'static>| {
        kinds(&pass(server.as_mut(), &v, CleanerInput::Timeout, report, &after))
    };
    let busy = |ms| dirty(View { activity: ms, ..view(ms) });
    let short = || View { free_pages: 499, ..busy(1_000) };
    assert_eq!(at(short(), (300, 50), short()), [FlushKind::Adaptive, FlushKind::LruOnly]);
    assert_eq!(at(busy(2_000), (20, 0), busy(2_000)), [FlushKind::Adaptive]);
    let limit = FIRST_LIMIT + 1_000;
    assert_eq!(at(aged(3_000, limit, 0), (700, 0), aged(3_000, limit, limit)), [FlushKind::Background]);
    assert_eq!(at(busy(4_000), (30, 0), busy(4_000)), [FlushKind::Adaptive]);
    let idle = |ms| View { activity: 4_001, ..view(ms) };
    assert_eq!(at(idle(5_000), (0, 0), idle(5_000)), []);
    assert_eq!(at(idle(6_000), (400, 0), idle(6_000)), [FlushKind::Background]);
    assert_eq!(at(busy(7_000), (1, 0), busy(7_000)), [FlushKind::Adaptive]);
    assert_eq!(*told.lock().unwrap(), [0, 350, 20, 30]);
}

/// After furious flushing nothing counts.
#[test]
fn furious_flushing_of_mariadb_forgets_the_last_pages() {
    let (mut server, told) = probed(ModelId::Mariadb1011, &OF_MARIADB, 300, &[]);
    server.cleaner(&view(0), CleanerInput::Start);
    let busy = |ms| dirty(View { activity: ms, ..view(ms) });
    pass(server.as_mut(), &busy(1_000), CleanerInput::Timeout, (300, 0), &busy(1_000));
    let age = SECOND_LIMIT + 1_000;
    let furious = pass(server.as_mut(), &aged(2_000, age, 0), CleanerInput::Timeout, (900, 0), &aged(2_100, age, age));
    assert_eq!(kinds(&furious), [FlushKind::Sync]);
    pass(server.as_mut(), &busy(4_000), CleanerInput::Timeout, (1, 0), &busy(4_000));
    assert_eq!(*told.lock().unwrap(), [0, 0]);
}

/// A recommendation of no pages is no batch: a checkpoint ends the pass. One page is a batch.
#[test]
fn no_pages_of_mariadb_are_no_batch() {
    let pass_with = |pages| {
        let (mut server, _) = probed(ModelId::Mariadb1011, &OF_MARIADB, pages, &[]);
        server.cleaner(&view(0), CleanerInput::Start);
        let v = dirty(View { activity: 1, ..view(1_000) });
        pass(server.as_mut(), &v, CleanerInput::Timeout, (0, 0), &v)
    };
    let nothing = pass_with(0);
    let [CleanerAction::Checkpoint { wait: true }, CleanerAction::WaitForWork { .. }] = nothing[..] else {
        panic!("{nothing:?}")
    };
    assert_eq!(requests(&pass_with(1))[0].slots, [1]);
}

/// A pass that begins at its target, or past it, forgets it, even if it leaves nothing dirty. What follows is free to make free
/// pages alone, which comes only where no target is left.
#[test]
fn a_reached_target_of_mariadb_does_not_outlive_its_pass() {
    let age = FIRST_LIMIT + 1_000;
    let wants = |v| View { free_page_wanted: true, ..v };
    let last =
        |server: &mut dyn ServerModel| server.cleaner(&wants(aged(3_000, age + 9_000, age)), CleanerInput::Timeout);
    for reached in [1_000, 1_001] {
        let mut server = of_mariadb(&[]);
        let first = pass(server.as_mut(), &aged(1_000, age, 0), CleanerInput::Timeout, (9, 0), &aged(1_000, age, 999));
        assert_eq!(requests(&first)[0].lsn_limit, START + 1_000);
        let second = || dirty(aged(2_000, age, reached));
        let actions = pass(server.as_mut(), &second(), CleanerInput::Timeout, (9, 0), &clean(second()));
        assert_eq!(kinds(&actions), [FlushKind::Adaptive]);
        assert_eq!(last(server.as_mut()), CleanerAction::WaitForBatches, "reached at the beginning: {reached}");
        let mut server = of_mariadb(&[]);
        pass(server.as_mut(), &aged(1_000, age, 0), CleanerInput::Timeout, (9, 0), &aged(1_000, age, reached));
        assert_eq!(last(server.as_mut()), CleanerAction::WaitForBatches, "reached at the end: {reached}");
    }
}

/// A user thread asks for furious flushing while a pass is under way that leaves nothing dirty: there is nothing to be furious
/// about, and the idle cleaner sleeps without end.
#[test]
fn an_empty_list_of_mariadb_reaches_every_target() {
    let mut server = of_mariadb(&[]);
    let v = dirty(View { activity: 1, ..view(1_000) });
    assert_eq!(flush(server.cleaner(&v, CleanerInput::Timeout)).kind, FlushKind::Adaptive);
    let full = || aged(1_100, SECOND_LIMIT + 1_000, 0);
    assert_eq!(server.free_check(&full(), &mut FreeCheckWait::default()), FreeCheck::WaitForCleaner);
    let actions = pass(server.as_mut(), &clean(full()), done(900, 0), (0, 0), &clean(full()));
    let [CleanerAction::Checkpoint { wait: true }, CleanerAction::WaitForWork { until, .. }] = actions[..] else {
        panic!("{actions:?}")
    };
    assert_eq!(until, SimTime::NEVER);
}

/// A furious step that reaches the soft target forgets it, and goes on to its own.
#[test]
fn furious_steps_of_mariadb_forget_the_soft_target() {
    for reached in [1_000, 1_001] {
        let mut server = of_mariadb(&[]);
        let soft = FIRST_LIMIT + 1_000;
        pass(server.as_mut(), &aged(1_000, soft, 0), CleanerInput::Timeout, (9, 0), &aged(1_000, soft, 500));
        let hard = SECOND_LIMIT + 9_000;
        let mut step = |before: View<'static>, input, after: View<'static>| {
            assert_eq!(flush(server.cleaner(&before, input)).kind, FlushKind::Sync, "{reached}");
            server.cleaner(&before, done(900, 0));
            server.cleaner(&before, CleanerInput::BatchesOver);
            after
        };
        let v = step(aged(2_000, hard, 500), CleanerInput::Timeout, aged(2_100, hard, reached));
        let v = step(v, CleanerInput::CheckpointTaken, aged(2_200, hard, hard - FIRST_LIMIT));
        let needs_pages = View { free_page_wanted: true, ..v };
        assert_eq!(server.cleaner(&needs_pages, CleanerInput::CheckpointTaken), CleanerAction::WaitForBatches);
    }
}

/// A furious step with free pages to make leaves a cleaner that is awake.
#[test]
fn furious_flushing_of_mariadb_leaves_the_cleaner_awake() {
    let mut server = of_mariadb(&[]);
    let age = SECOND_LIMIT + 1_000;
    let v = View { free_page_wanted: true, ..aged(1_000, age, 0) };
    let actions = pass(server.as_mut(), &v, CleanerInput::Timeout, (900, 9), &aged(1_100, age, age));
    assert_eq!(kinds(&actions), [FlushKind::LruOnly, FlushKind::Sync]);
    let Some(CleanerAction::WaitForWork { dirty_pages: u64::MAX, until, .. }) = actions.last() else {
        panic!("{actions:?}")
    };
    assert_eq!(until.whole_millis(), 2_100);
}

/// A cleaner that found nothing sleeps without end. What wakes it is the low-water mark, or the limit where there is none; the
/// first dirty page where there is a mark and no activity that it has not seen.
#[test]
fn an_idle_cleaner_of_mariadb_is_woken_by_dirty_pages() {
    let wakes = |mark, activity_unseen| {
        let mut server =
            server(ModelId::Mariadb1011, &[&OF_MARIADB[..], &[("innodb_max_dirty_pages_pct_lwm", mark)]].concat());
        server.starts_after(WorkBefore { activity_unseen, ..WorkBefore::default() });
        server.cleaner(&view(0), CleanerInput::Start);
        let v = clean(view(1_000));
        let actions = pass(server.as_mut(), &v, CleanerInput::Timeout, (0, 0), &v);
        let [CleanerAction::Checkpoint { wait: true }, CleanerAction::WaitForWork { until, dirty_pages, .. }] =
            actions[..]
        else {
            panic!("{actions:?}")
        };
        assert_eq!(until, SimTime::NEVER, "{mark}");
        dirty_pages
    };
    assert_eq!(["0", "1", "10"].map(|mark| wakes(mark, false)), [9_000, 1, 1]);
    assert_eq!(["0", "1", "10"].map(|mark| wakes(mark, true)), [9_000, 100, 1_000]);
}

#[test]
fn mariadb_writes_redo_up_to_the_end_of_its_file() {
    assert_eq!(of_mariadb(&[]).writer_limits().hard_bytes, (256 << 20) - 12_288);
}
