//! The page cleaner and the waiting user threads, step by step against the rules, and worlds that try to stop the
//! clock.

use super::*;
use crate::registry::{ModelId, Value, build};
use innosim_core::config::{DataSync, DoublewriteConfig, RedoIo};
use innosim_core::kernel::time::SimTime;
use innosim_core::seam::{FlushKind, FlushLists, LruWork, PassReport};
use std::collections::BTreeMap;

const MIB: u64 = 1 << 20;
const START_LSN: u64 = super::redo_geometry::LOG_HEADER_BYTES;

/// A list that always holds some pages.
struct Lists(u64);

impl FlushLists for Lists {
    fn instances(&self) -> u32 {
        1
    }
    fn pages_up_to(&self, _instance: u32, _lsn: u64, cap: u64) -> u64 {
        self.0.min(cap)
    }
}

fn settings(lines: &[(&'static str, Value)]) -> Settings {
    let mut all: BTreeMap<&'static str, Value> = [
        ("innodb_buffer_pool_size", Value::Integer(4096 * MIB)),
        ("innodb_log_file_size", Value::Integer(256 * MIB)),
        ("innodb_io_capacity", Value::Integer(2000)),
        ("innodb_io_capacity_max", Value::Integer(4000)),
    ]
    .into();
    all.extend(lines.iter().copied());
    Settings::resolve(ModelId::Mariadb1011, &all).unwrap()
}

fn server(lines: &[(&'static str, Value)]) -> Box<dyn ServerModel> {
    build(&settings(lines)).unwrap()
}

/// A server that has written `age` bytes since its checkpoint, with the oldest page just after it.
fn view(lists: &Lists, secs: u64, age: u64) -> View<'_> {
    View {
        now: SimTime(secs * 1_000_000_000),
        current_lsn: START_LSN + age,
        written_lsn: START_LSN + age,
        durable_lsn: START_LSN + age,
        last_checkpoint_lsn: START_LSN,
        oldest_modification_lsn: if age == 0 { 0 } else { START_LSN + 1 },
        dirty_pages: if age == 0 { 0 } else { 20_000 },
        lru_pages: 142_000,
        free_pages: 117_000,
        activity: secs,
        ..View::at_rest(lists)
    }
}

/// The flush that an action asks for: kind, pages, limit, LRU work.
fn flush(action: &CleanerAction) -> Option<(FlushKind, u64, u64, LruWork)> {
    match action {
        CleanerAction::Flush(r) => Some((r.kind, r.slots[0], r.lsn_limit, r.lru)),
        _ => None,
    }
}

fn done(pages: u64) -> CleanerInput {
    CleanerInput::Done(PassReport { list_pages: pages, ..PassReport::default() })
}

/// A server whose cleaner has found nothing to do on a dirty list, and its wait.
fn idle_server(lines: &[(&'static str, Value)]) -> (Box<dyn ServerModel>, CleanerAction) {
    let mut server = server(lines);
    let lists = Lists(500);
    assert!(matches!(server.cleaner(&view(&lists, 0, 0), CleanerInput::Start), CleanerAction::WaitForWork { .. }));
    let young = view(&lists, 1, MIB);
    assert_eq!(server.cleaner(&young, CleanerInput::Timeout), CleanerAction::Checkpoint { wait: true });
    let wait = server.cleaner(&young, CleanerInput::CheckpointTaken);
    (server, wait)
}

#[test]
fn with_the_default_mark_an_idle_cleaner_sleeps_until_a_limit() {
    let (_, wait) = idle_server(&[]);
    let CleanerAction::WaitForWork { until, dirty_pages, lsn } = wait else { panic!("{wait:?}") };
    assert_eq!(until, SimTime::NEVER);
    assert_eq!(lsn, START_LSN + 189_625_606 + 1, "the first limit of a log of 256 MiB");
    assert_eq!(dirty_pages, 259_000 * 9 / 10 + 1);
}

#[test]
fn with_a_mark_it_looks_each_second_and_wakes_at_the_mark() {
    let (_, wait) = idle_server(&[("innodb_max_dirty_pages_pct_lwm", Value::Real(10.0))]);
    let CleanerAction::WaitForWork { until, dirty_pages, .. } = wait else { panic!("{wait:?}") };
    assert_eq!((until, dirty_pages), (SimTime(2_000_000_000), 25_901));
}

/// The first pass past the limit flushes what brings the age back to it; then passes are a second apart.
#[test]
fn past_the_first_limit_a_pass_a_second_brings_the_age_back() {
    let (mut server, _) = idle_server(&[]);
    let lists = Lists(500);
    let past = view(&lists, 100, 190 * 1_000_000);
    let pass = server.cleaner(&past, CleanerInput::Event);
    let limit = past.current_lsn - 189_625_606;
    assert_eq!(flush(&pass), Some((FlushKind::Background, 4000, limit, LruWork::None)));
    assert_eq!(server.cleaner(&past, done(4)), CleanerAction::Checkpoint { wait: true });
    let after = View { last_checkpoint_lsn: limit, oldest_modification_lsn: limit, ..past };
    let wait = server.cleaner(&after, CleanerInput::CheckpointTaken);
    let CleanerAction::WaitForWork { until, dirty_pages: u64::MAX, lsn: u64::MAX } = wait else { panic!("{wait:?}") };
    assert_eq!(until, SimTime(101_000_000_000), "not idle: a second, whatever mini-transactions do");
}

#[test]
fn furious_flushing_goes_on_until_its_target_is_reached() {
    let (mut server, _) = idle_server(&[]);
    let lists = Lists(500);
    let past = view(&lists, 100, 217 * 1_000_000);
    let target = past.current_lsn - 189_625_606;
    let pass = server.cleaner(&past, CleanerInput::Event);
    assert_eq!(flush(&pass), Some((FlushKind::Sync, 4000, target, LruWork::None)));
    assert_eq!(server.cleaner(&past, done(4000)), CleanerAction::WaitForBatches);
    assert_eq!(server.cleaner(&past, CleanerInput::BatchesOver), CleanerAction::Checkpoint { wait: true });
    let later = view(&lists, 101, 217 * 1_000_000);
    assert!(flush(&server.cleaner(&later, CleanerInput::CheckpointTaken)).is_some(), "at once");
    assert_eq!(server.cleaner(&later, done(4000)), CleanerAction::WaitForBatches);
    assert_eq!(server.cleaner(&later, CleanerInput::BatchesOver), CleanerAction::Checkpoint { wait: true });
    let reached = View { last_checkpoint_lsn: target, oldest_modification_lsn: target, ..later };
    let wait = server.cleaner(&reached, CleanerInput::CheckpointTaken);
    assert!(matches!(wait, CleanerAction::WaitForWork { .. }), "{wait:?}");
}

/// With `innodb_flush_sync = OFF` the same age makes an ordinary pass.
#[test]
fn without_flush_sync_the_furious_target_is_a_limit_like_the_other() {
    let (mut server, _) = idle_server(&[("innodb_flush_sync", Value::Switch(false))]);
    let lists = Lists(500);
    let past = view(&lists, 100, 217 * 1_000_000);
    let pass = server.cleaner(&past, CleanerInput::Event);
    assert_eq!(flush(&pass), Some((FlushKind::Background, 4000, past.current_lsn - 189_625_606, LruWork::None)));
}

/// Between the low-water mark and the limit a cleaner that is awake asks for a recommendation; at first io_capacity.
#[test]
fn above_the_mark_of_dirty_pages_flushing_is_adaptive() {
    let mark = ("innodb_max_dirty_pages_pct_lwm", Value::Real(10.0));
    for (lines, kind) in [
        (vec![mark], FlushKind::Adaptive),
        (vec![mark, ("innodb_adaptive_flushing", Value::Switch(false))], FlushKind::Background),
    ] {
        let (mut server, _) = idle_server(&lines);
        let lists = Lists(500);
        let at = View { dirty_pages: 26_000, ..view(&lists, 7, 12_000_000) };
        assert_eq!(flush(&server.cleaner(&at, CleanerInput::Event)), Some((kind, 2000, u64::MAX, LruWork::None)));
    }
}

/// Whether the cleaner has seen all activity as the run begins.
fn begun(activity_unseen: bool) -> Box<dyn ServerModel> {
    let mut server = server(&[("innodb_max_dirty_pages_pct_lwm", Value::Real(10.0))]);
    server.starts_after(WorkBefore { activity_unseen, ..WorkBefore::default() });
    server
}

/// The wait of a cleaner that is idle.
fn wait(action: &CleanerAction) -> (SimTime, u64, u64) {
    match action {
        CleanerAction::WaitForWork { until, dirty_pages, lsn } => (*until, *dirty_pages, *lsn),
        other => panic!("{other:?}"),
    }
}

/// It finds nothing to do, and from then on each page would wake it: it sees at once that the age has come to its mark.
#[test]
fn pages_that_become_dirty_wake_an_idle_cleaner() {
    let (mut server, lists) = (begun(false), Lists(500));
    let clean = View { current_lsn: START_LSN + 16, ..view(&lists, 0, 0) };
    let (until, dirty_pages, _) = wait(&server.cleaner(&clean, CleanerInput::Start));
    assert_eq!((until, dirty_pages), (SimTime::NEVER, 1));
    let first = View { dirty_pages: 1, ..view(&lists, 5, 5_000) };
    assert_eq!(
        server.cleaner(&first, CleanerInput::Event),
        CleanerAction::Checkpoint { wait: true },
        "no idle flushing"
    );
    let mark = redo_geometry::LogCapacity::new(256 * MIB, 16_384).unwrap().log_capacity / 10;
    let (until, dirty_pages, lsn) = wait(&server.cleaner(&first, CleanerInput::CheckpointTaken));
    assert_eq!((until.whole_seconds(), dirty_pages, lsn), (6, 25_901, START_LSN + 1 + mark + 1));
    // Pages became dirty meanwhile: the server was no idle one.
    let more = View { dirty_pages: 900, ..view(&lists, 6, MIB) };
    assert_eq!(server.cleaner(&more, CleanerInput::Timeout), CleanerAction::Checkpoint { wait: true });
    server.cleaner(&more, CleanerInput::CheckpointTaken);
    let at_mark = View { dirty_pages: 2_000, ..view(&lists, 6, mark + 2) };
    assert_eq!(flush(&server.cleaner(&at_mark, CleanerInput::Event)).map(|flush| flush.0), Some(FlushKind::Adaptive));
}

/// Until it has flushed as an idle server does.
#[test]
fn pages_do_not_wake_it_while_there_is_activity_that_it_has_not_seen() {
    let (mut server, lists) = (begun(true), Lists(500));
    let (until, dirty_pages, lsn) = wait(&server.cleaner(&view(&lists, 0, 0), CleanerInput::Start));
    assert_eq!((until, dirty_pages), (SimTime::NEVER, 25_901), "a tenth of the pool");
    assert!(lsn > START_LSN + 100 * MIB, "{lsn}");
    let full = View { dirty_pages: 26_000, ..view(&lists, 20, 40 * MIB) };
    assert_eq!(flush(&server.cleaner(&full, CleanerInput::Event)).map(|flush| flush.0), Some(FlushKind::Adaptive));
    server.cleaner(&full, done(500));
    let young = View { dirty_pages: 9_000, ..view(&lists, 21, MIB) };
    server.cleaner(&young, CleanerInput::CheckpointTaken);
    server.cleaner(&young, CleanerInput::Timeout);
    let (_, dirty_pages, _) = wait(&server.cleaner(&young, CleanerInput::CheckpointTaken));
    assert_eq!(dirty_pages, 25_901, "still");
    let busy = View { dirty_pages: 9_500, ..view(&lists, 22, 2 * MIB) };
    let pass = flush(&server.cleaner(&busy, CleanerInput::Timeout));
    assert_eq!(pass, Some((FlushKind::Background, 2000, u64::MAX, LruWork::None)), "though pages became dirty");
    server.cleaner(&busy, done(9_500));
    let clean = View { dirty_pages: 0, oldest_modification_lsn: 0, ..busy };
    server.cleaner(&clean, CleanerInput::CheckpointTaken);
    server.cleaner(&clean, CleanerInput::Timeout);
    assert_eq!(wait(&server.cleaner(&clean, CleanerInput::CheckpointTaken)).1, 1, "now the first page does");
}

/// Who flushed before goes on with its averages at once; who has not begins with what the share of dirty pages asks for.
#[test]
fn adaptive_flushing_goes_on_with_its_averages() {
    let asked = |before: Option<WorkBefore>| {
        let mut server = server(&[("innodb_max_dirty_pages_pct_lwm", Value::Real(10.0))]);
        before.into_iter().for_each(|before| server.starts_after(before));
        let lists = Lists(500);
        server.cleaner(&view(&lists, 0, 0), CleanerInput::Start);
        let old = view(&lists, 9, 40 * MIB);
        flush(&server.cleaner(&old, CleanerInput::Event)).map(|flush| flush.1)
    };
    assert_eq!(asked(None), Some(2000));
    assert_eq!(asked(Some(WorkBefore::default())), Some((2000 + 500 / 3) / 3));
    let before = WorkBefore { redo_bytes_per_s: 1_000_000, pages_flushed_per_s: 300, ..WorkBefore::default() };
    assert_eq!(asked(Some(before)), Some((2000 + 300 + 500 / 3) / 3));
}

#[test]
fn an_idle_server_flushes_io_capacity_in_every_other_pass() {
    let (mut server, _) = idle_server(&[("innodb_max_dirty_pages_pct_lwm", Value::Real(10.0))]);
    let lists = Lists(500);
    let at = |secs| view(&lists, secs, MIB);
    let pass = server.cleaner(&at(3), CleanerInput::Timeout);
    assert_eq!(flush(&pass), Some((FlushKind::Background, 2000, u64::MAX, LruWork::None)));
    server.cleaner(&at(3), done(2000));
    server.cleaner(&at(3), CleanerInput::CheckpointTaken);
    assert_eq!(server.cleaner(&at(4), CleanerInput::Timeout), CleanerAction::Checkpoint { wait: true }, "unemployed");
    server.cleaner(&at(4), CleanerInput::CheckpointTaken);
    assert!(flush(&server.cleaner(&at(5), CleanerInput::Timeout)).is_some());
}

#[test]
fn a_user_thread_without_a_free_page_gets_an_lru_batch_after_all_writes() {
    let (mut server, _) = idle_server(&[]);
    let lists = Lists(500);
    let starved = View { free_page_wanted: true, free_pages: 0, lru_pages: 259_000, ..view(&lists, 5, MIB) };
    assert_eq!(server.cleaner(&starved, CleanerInput::Event), CleanerAction::WaitForBatches);
    let batch = server.cleaner(&starved, CleanerInput::BatchesOver);
    assert_eq!(flush(&batch), Some((FlushKind::LruOnly, 0, u64::MAX, LruWork::Batch(4000))));
    assert_eq!(server.cleaner(&starved, done(0)), CleanerAction::Checkpoint { wait: true });
    let next = server.cleaner(&starved, CleanerInput::CheckpointTaken);
    assert_eq!(next, CleanerAction::WaitForBatches, "no wait while somebody waits");
}

/// `log_free_check`: wait for pages, take a checkpoint, sleep 10 ms, look again.
#[test]
fn a_user_thread_waits_until_its_own_lsn_is_within_the_limit() {
    let mut server = server(&[]);
    let lists = Lists(500);
    let max = 216_714_978;
    assert_eq!(server.free_check_limit_lsn(), START_LSN + max);
    let mut wait = FreeCheckWait::default();
    assert_eq!(server.free_check(&view(&lists, 1, max), &mut wait), FreeCheck::Proceed);
    let full = view(&lists, 1, max + 5_000);
    assert_eq!(server.free_check(&full, &mut wait), FreeCheck::WaitForCleaner);
    let target = START_LSN + 5_000;
    assert_eq!(wait.lsn, target);
    let close = View { oldest_modification_lsn: target - 1, ..full };
    assert_eq!(server.free_check(&close, &mut wait), FreeCheck::WaitForCleaner);
    let flushed = View { oldest_modification_lsn: target, ..full };
    assert_eq!(server.free_check(&flushed, &mut wait), FreeCheck::Checkpoint { wait: true });
    let taken = View { last_checkpoint_lsn: target, ..flushed };
    server.checkpoint_published(&taken);
    assert_eq!(server.free_check_limit_lsn(), target + max);
    let sleep = FreeCheck::Sleep { duration: SimDuration::from_millis(10), wake_checkpointer: false };
    assert_eq!(server.free_check(&taken, &mut wait), sleep);
    assert_eq!(server.free_check(&taken, &mut wait), FreeCheck::Proceed);
}

#[test]
fn the_machine_is_built_as_the_settings_say() {
    let plain = server(&[]);
    let config = plain.config();
    assert_eq!((config.buffer_pool.instances, config.buffer_pool.pages, config.cleaner_threads), (1, 259_584, 1));
    assert_eq!((config.redo.framed, config.data_sync), (false, DataSync::EveryBatch));
    assert!(matches!(config.doublewrite, DoublewriteConfig::Shared { batch_pages: 128, sync_file: true, .. }));
    let off = server(&[("innodb_doublewrite", Value::Choice("OFF"))]);
    assert_eq!((off.config().data_sync, &off.config().doublewrite), (DataSync::AtCheckpoint, &DoublewriteConfig::Off));
    let nosync = server(&[("innodb_flush_method", Value::Choice("nosync"))]);
    assert_eq!((nosync.config().data_sync, nosync.config().redo.io), (DataSync::Never, RedoIo::NoSync));
    let limits = plain.age_limits();
    assert_eq!((limits.async_bytes, limits.stop_bytes), (189_625_606, 216_714_978));
}

/// A small reproducible generator for the tests.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

/// A world that stands still and answers everything at once must come to a wait that takes time.
#[test]
fn a_world_that_stands_still_comes_to_rest() {
    let mut dice = Dice(77);
    for round in 0..4000_u64 {
        let mark = Value::Real([0.0, 10.0, 50.0][dice.roll(3) as usize]);
        let lines = [("innodb_flush_sync", Value::Switch(round % 3 > 0)), ("innodb_max_dirty_pages_pct_lwm", mark)];
        let mut server = server(&lines);
        let lists = Lists(dice.roll(3) * 100);
        let age = dice.roll(250) * 1_000_000 + dice.roll(3);
        let frozen = View {
            oldest_modification_lsn: if age == 0 { 0 } else { dice.roll(2) * (START_LSN + dice.roll(age)) },
            dirty_pages: dice.roll(142_000),
            free_pages: dice.roll(3) * 1000,
            free_page_wanted: dice.roll(4) == 0,
            activity: dice.roll(3),
            pending_reads: dice.roll(2),
            ..view(&lists, dice.roll(4), age)
        };
        let frozen = View {
            dirty_pages: if frozen.oldest_modification_lsn == 0 { 0 } else { frozen.dirty_pages.max(1) },
            ..frozen
        };
        let mut action = server.cleaner(&frozen, CleanerInput::Start);
        let mut calls = 0;
        let mut event = true;
        loop {
            calls += 1;
            assert!(calls < 40, "{calls} calls in one instant: {frozen:?} {action:?}");
            action = match action {
                CleanerAction::Flush(_) => server.cleaner(&frozen, CleanerInput::Done(PassReport::default())),
                CleanerAction::WaitForBatches => server.cleaner(&frozen, CleanerInput::BatchesOver),
                CleanerAction::Checkpoint { .. } => server.cleaner(&frozen, CleanerInput::CheckpointTaken),
                CleanerAction::Purge => server.cleaner(&frozen, CleanerInput::Purged),
                CleanerAction::SyncRedo | CleanerAction::MergeChanges { .. } => {
                    unreachable!("MariaDB never asks for it")
                }
                CleanerAction::WaitForWork { until, dirty_pages, lsn } => {
                    let reached = frozen.dirty_pages >= dirty_pages || frozen.current_lsn >= lsn;
                    if std::mem::take(&mut event) || reached {
                        server.cleaner(&frozen, CleanerInput::Event)
                    } else {
                        assert!(until > frozen.now, "a wait that is over: {frozen:?}");
                        break;
                    }
                }
                CleanerAction::Wait { until, .. } => {
                    assert!(until > frozen.now);
                    break;
                }
            };
        }
    }
}
