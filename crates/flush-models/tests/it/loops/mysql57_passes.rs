//! Passes of the coordinator of 5.7, sync requests and their deferral, user threads that poll (`innodb-5.7` sections 2 and 3).

use super::steps::{self, START, done, flush};
use innosim_core::config::{FreePagePolicy, LruWritten, RedoPipeline};
use innosim_core::kernel::time::SimDuration;
use innosim_core::seam::{
    CleanerAction, CleanerInput, FlushKind, FlushLists, FlushRequest, FreeCheck, FreeCheckWait, LruWork, ServerModel,
    View, WorkBefore,
};
use innosim_flush_models::legacy::redo_geometry::LogAges;
use innosim_flush_models::registry::ModelId;

/// How often a thread looks whether the pages it waits for are written.
const POLL: SimDuration = SimDuration::from_millis(10);

/// Lists with these pages up to any LSN, by instance.
struct Lists([u64; 4]);

impl FlushLists for Lists {
    fn instances(&self) -> u32 {
        4
    }
    fn pages_up_to(&self, instance: u32, _: u64, cap: u64) -> u64 {
        self.0[instance as usize].min(cap)
    }
}

const LISTS: Lists = Lists([900, 300, 0, 30]);

/// A server with 4 GiB of pool in four instances and two redo files of 512 MiB, whose averages move with each pass.
fn server(lines: &[(&str, &str)]) -> Box<dyn ServerModel> {
    let fixed = [
        ("innodb_buffer_pool_size", "4G"),
        ("innodb_buffer_pool_instances", "4"),
        ("innodb_log_file_size", "512M"),
        ("innodb_flushing_avg_loops", "1"),
    ];
    let mut server = steps::server(ModelId::Mysql57, &[&fixed, lines].concat());
    server.checkpoint_published(&view(0, 0, 0));
    server
}

/// Redo up to `age` beyond the checkpoint and the oldest page.
fn view(ms: u64, age: u64, activity: u64) -> View<'static> {
    steps::busy_view(ms, age, activity, &LISTS)
}

/// When a sleep ends that an event can end early.
fn until_ms(action: &CleanerAction) -> u64 {
    let (until_ms, woken_early) = steps::sleep_ms(action);
    assert!(woken_early, "{action:?}");
    until_ms
}

/// Two passes of an active server: the second one recommends.
fn warmed_up(lines: &[(&str, &str)], age: u64) -> (Box<dyn ServerModel>, FlushRequest) {
    let mut server = server(lines);
    assert_eq!(until_ms(&server.cleaner(&view(0, 0, 0), CleanerInput::Start)), 1000);
    let first = flush(server.cleaner(&view(1000, age - 1_000_000, 1), CleanerInput::Timeout));
    assert_eq!((first.kind, first.slots), (FlushKind::Adaptive, vec![0; 4]), "the first pass only remembers");
    assert_eq!(until_ms(&server.cleaner(&view(1010, age, 2), done(0, 0))), 2000);
    let second = flush(server.cleaner(&view(2000, age, 3), CleanerInput::Timeout));
    (server, second)
}

#[test]
fn slots_follow_the_pages_due_when_the_age_calls_for_much() {
    let (server, request) = warmed_up(&[], 300_000_000);
    assert_eq!((request.kind, request.lru, request.parallel), (FlushKind::Adaptive, LruWork::ScanDepth, true));
    assert_eq!((request.lsn_limit, request.reset_event), (u64::MAX, true));
    // 324 % of 200 pages, no average yet, a third of 1230 pages: (648 + 0 + 410) / 3.
    assert_eq!(server.gauges().n_to_flush_requested, 352);
    assert_eq!(server.gauges().n_to_flush_by_age, 410);
    assert_eq!(request.slots, [301, 101, 1, 11].map(|by_age| by_age * 352 / 410 + 1));
}

#[test]
fn slots_are_equal_when_the_age_calls_for_little() {
    let (server, request) = warmed_up(&[], 2_000_000);
    assert_eq!(server.gauges().pct_for_lsn, 0);
    assert_eq!(request.slots, [34; 4], "410 / 3 pages over four instances");
}

#[test]
fn an_event_within_the_second_starts_lru_batches_only() {
    let (mut server, _) = warmed_up(&[], 300_000_000);
    assert_eq!(until_ms(&server.cleaner(&view(2300, 300_000_000, 4), done(350, 0))), 3000);
    let request = flush(server.cleaner(&view(2500, 300_000_000, 5), CleanerInput::Event));
    assert_eq!((request.kind, request.slots), (FlushKind::LruOnly, vec![0; 4]));
    assert_eq!(until_ms(&server.cleaner(&view(2600, 300_000_000, 5), done(0, 40))), 3000);
}

#[test]
fn a_sync_request_is_served_at_once_by_a_coordinator_that_waits() {
    let (mut server, _) = warmed_up(&[], 300_000_000);
    let sync = server.age_limits().sync_bytes;
    let _ = server.cleaner(&view(2300, 300_000_000, 4), done(350, 0));
    let mut wait = FreeCheckWait::default();
    let above = view(2400, sync + 1_000, 5);
    assert_eq!(server.free_check(&above, &mut wait), FreeCheck::WakeCleaner { sleep: POLL });
    let request = flush(server.cleaner(&above, CleanerInput::Event));
    let reach = 3 * server.gauges().lsn_avg_rate;
    assert_eq!((request.kind, request.lsn_limit), (FlushKind::Sync, START + 1_000 + reach), "not doubled in 5.7");
    assert_eq!((request.slots, request.lru), (vec![u64::MAX; 4], LruWork::ScanDepth));
    // The thread polls until the pages are written.
    let poll = FreeCheck::Sleep { duration: POLL, wake_checkpointer: false };
    assert_eq!(server.free_check(&above, &mut wait), poll);
    let written = View { oldest_modification_lsn: START + 1_000, ..above };
    assert_eq!(server.free_check(&written, &mut wait), FreeCheck::Proceed);
    // The request is served: an event asks for LRU batches again.
    assert_eq!(until_ms(&server.cleaner(&view(2500, sync, 6), done(9, 0))), 3000);
    let request = flush(server.cleaner(&view(2600, sync, 7), CleanerInput::Event));
    assert_eq!(request.kind, FlushKind::LruOnly);
}

#[test]
fn a_sync_request_is_put_off_by_passes_that_overrun() {
    let (mut server, _) = warmed_up(&[], 300_000_000);
    let sync = server.age_limits().sync_bytes;
    let above = view(2400, sync + 1_000, 4);
    assert!(matches!(server.free_check(&above, &mut FreeCheckWait::default()), FreeCheck::WakeCleaner { .. }));
    // The pass that was under way ends late: the next is the timed one, and it drops the event.
    let request = flush(server.cleaner(&view(3400, sync + 1_000, 5), done(350, 0)));
    assert_eq!((request.kind, request.reset_event), (FlushKind::Adaptive, true));
    // The next pass ends in time; the coordinator waits, and only another signal makes it flush.
    assert_eq!(until_ms(&server.cleaner(&view(3900, sync + 1_000, 6), done(350, 0))), 4400);
    let request = flush(server.cleaner(&view(4000, sync + 1_000, 7), CleanerInput::Event));
    assert_eq!(request.kind, FlushKind::Sync);
}

#[test]
fn without_flush_sync_threads_wait_for_ordinary_passes() {
    let (mut server, _) = warmed_up(&[("innodb_flush_sync", "OFF")], 300_000_000);
    let above = view(2400, server.age_limits().sync_bytes + 1_000, 4);
    let answer = server.free_check(&above, &mut FreeCheckWait::default());
    assert_eq!(answer, FreeCheck::Sleep { duration: POLL, wake_checkpointer: false });
    let _ = server.cleaner(&above, done(350, 0));
    assert_eq!(flush(server.cleaner(&above, CleanerInput::Event)).kind, FlushKind::LruOnly);
}

#[test]
fn an_idle_server_flushes_its_capacity_once_a_second() {
    let mut server = server(&[("innodb_io_capacity", "1000")]);
    let _ = server.cleaner(&view(0, 0, 0), CleanerInput::Start);
    let request = flush(server.cleaner(&view(1000, 0, 0), CleanerInput::Timeout));
    assert_eq!((request.kind, request.slots, request.parallel), (FlushKind::Background, vec![250; 4], false));
    assert_eq!(until_ms(&server.cleaner(&view(1100, 0, 0), done(1000, 0))), 2000);
}

#[test]
fn redo_that_would_overwrite_itself_sleeps_and_takes_a_checkpoint() {
    let mut server = server(&[]);
    let capacity = LogAges::new(512 << 20, 2, 16_384, 0).unwrap().log_group_capacity;
    let full = view(0, capacity, 1);
    let mut wait = FreeCheckWait::default();
    let sleep = SimDuration::from_millis(100);
    assert_eq!(server.free_check(&full, &mut wait), FreeCheck::Sleep { duration: sleep, wake_checkpointer: false });
    assert_eq!(server.free_check(&full, &mut wait), FreeCheck::Checkpoint { wait: true });
    let room = View { oldest_modification_lsn: START + capacity / 2, ..view(0, capacity, 1) };
    let mut wait = FreeCheckWait::default();
    assert_eq!(server.free_check(&room, &mut wait), FreeCheck::Checkpoint { wait: true }, "a checkpoint is enough");
}

#[test]
fn the_machine_follows_the_settings() {
    let server = server(&[("innodb_page_cleaners", "3")]);
    let machine = server.config();
    assert_eq!((machine.cleaner_threads, machine.redo.pipeline), (3, RedoPipeline::CommittingThread));
    assert_eq!(machine.buffer_pool.lru_written, LruWritten::Freed);
    assert!(matches!(machine.buffer_pool.free_pages, FreePagePolicy::SinglePage { wakes_cleaner: true, .. }));
}

#[test]
fn a_start_in_the_middle_of_the_work_keeps_its_averages() {
    let mut server = server(&[]);
    server.starts_after(WorkBefore { redo_bytes_per_s: 5_000_000, pages_flushed_per_s: 300, ..WorkBefore::default() });
    let up = |ms| View { up_before: SimDuration::from_secs(100), ..view(ms, 100_000_000, ms) };
    server.cleaner(&up(0), CleanerInput::Start);
    for ms in [1_000, 2_000] {
        server.cleaner(&up(ms), CleanerInput::Timeout);
        assert_eq!((server.gauges().lsn_avg_rate, server.gauges().avg_page_rate), (5_000_000, 300), "at {ms} ms");
        server.cleaner(&up(ms), done(0, 0));
    }
}
