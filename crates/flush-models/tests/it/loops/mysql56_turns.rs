//! Turns of the page cleaner of 5.6, user threads at the margins, checkpoints (`innodb-5.6` sections 2 and 3).

use super::steps::{self, Lists, START, done, flush};
use innosim_core::config::{DataSync, DoublewriteConfig, FreePagePolicy, SharedCollecting};
use innosim_core::kernel::time::SimDuration;
use innosim_core::seam::{
    CheckpointerInput, CheckpointerNext, CleanerAction, CleanerInput, FlushKind, FreeCheck, FreeCheckWait, LruWork,
    PassReport, ServerModel, View,
};
use innosim_flush_models::legacy::redo_geometry::LogAges;
use innosim_flush_models::registry::ModelId;

/// Lists of which only the number matters.
const LISTS: Lists = Lists { instances: 8, pages: 10 };

/// A server with 4 GiB of pool and two redo files of 512 MiB.
fn server(lines: &[(&str, &str)]) -> Box<dyn ServerModel> {
    let fixed = [("innodb_buffer_pool_size", "4G"), ("innodb_log_file_size", "512M")];
    let mut server = steps::server(ModelId::Mysql56, &[&fixed, lines].concat());
    server.checkpoint_published(&view(0, 0, 0));
    server
}

/// Redo up to `age` beyond the checkpoint and the oldest page.
fn view(ms: u64, age: u64, activity: u64) -> View<'static> {
    steps::busy_view(ms, age, activity, &LISTS)
}

/// When a sleep ends that an event cannot end early.
fn until_ms(action: &CleanerAction) -> u64 {
    let (until_ms, woken_early) = steps::sleep_ms(action);
    assert!(!woken_early, "{action:?}");
    until_ms
}

#[test]
fn an_active_turn_serves_the_lru_tails_first_and_then_the_flush_lists() {
    let mut server = server(&[("innodb_flushing_avg_loops", "1")]);
    assert_eq!(until_ms(&server.cleaner(&view(0, 0, 0), CleanerInput::Start)), 1000);
    let request = flush(server.cleaner(&view(1000, 100_000_000, 1), CleanerInput::Timeout));
    assert_eq!((request.kind, request.lru, request.parallel), (FlushKind::LruOnly, LruWork::Chunks(100), false));
    assert_eq!(request.slots, vec![0; 8]);
    // The first call only remembers the LSN.
    assert_eq!(until_ms(&server.cleaner(&view(1100, 100_000_000, 2), done(0, 0))), 2000);
    let _ = server.cleaner(&view(2000, 300_000_000, 3), CleanerInput::Timeout);
    // LSN and age are those after the LRU work: 39 % of 760 MB give 324 % of 200 pages, half of it to 8 instances.
    let request = flush(server.cleaner(&view(2300, 300_000_000, 3), done(0, 7)));
    assert_eq!((request.kind, request.lru), (FlushKind::Adaptive, LruWork::None));
    assert_eq!(request.slots, vec![41; 8]);
    assert_eq!(request.lsn_limit, START + 100_000_000, "one averaged call of redo beyond the oldest page");
    assert_eq!(server.gauges().pct_for_lsn, 324);
    assert_eq!(server.gauges().n_to_flush_requested, 324);
    // The turn began at 2000: the next one begins at 3000, however long this one took.
    assert_eq!(until_ms(&server.cleaner(&view(2700, 310_000_000, 4), done(300, 0))), 3000);
}

#[test]
fn an_idle_server_flushes_without_sleep_until_a_batch_is_empty() {
    let mut server = server(&[("innodb_io_capacity", "1000")]);
    let _ = server.cleaner(&view(0, 0, 0), CleanerInput::Start);
    let request = flush(server.cleaner(&view(1000, 0, 0), CleanerInput::Timeout));
    assert_eq!((request.kind, request.slots), (FlushKind::Background, vec![125; 8]));
    let request = flush(server.cleaner(&view(1080, 0, 0), done(1000, 0)));
    assert_eq!(request.kind, FlushKind::Background, "back to back");
    assert_eq!(until_ms(&server.cleaner(&view(1090, 0, 0), done(0, 0))), 2080);
}

/// What a turn flushed, of its LRU tails or of the lists, lets a server that has become idle go on without sleep.
#[test]
fn a_turn_that_flushed_is_followed_at_once() {
    let next = |lru, list| {
        let mut server = server(&[]);
        let _ = server.cleaner(&view(0, 0, 0), CleanerInput::Start);
        let _ = server.cleaner(&view(1000, 100_000_000, 1), CleanerInput::Timeout);
        let _ = server.cleaner(&view(1100, 100_000_000, 2), done(0, 0));
        let _ = server.cleaner(&view(2000, 300_000_000, 3), CleanerInput::Timeout);
        let adaptive = flush(server.cleaner(&view(2300, 300_000_000, 3), done(0, lru)));
        assert_eq!(adaptive.kind, FlushKind::Adaptive);
        match server.cleaner(&view(2400, 300_000_000, 3), done(list, 0)) {
            CleanerAction::Flush(request) => Some(request.kind),
            other => {
                until_ms(&other);
                None
            }
        }
    };
    let at_once = Some(FlushKind::Background);
    assert_eq!([next(0, 0), next(1, 0), next(0, 1), next(1, 1)], [None, at_once, at_once, at_once]);
}

#[test]
fn a_turn_longer_than_a_second_is_followed_at_once() {
    let mut server = server(&[]);
    let _ = server.cleaner(&view(0, 0, 0), CleanerInput::Start);
    let _ = server.cleaner(&view(1000, 1_000, 1), CleanerInput::Timeout);
    let request = flush(server.cleaner(&view(2500, 2_000, 2), done(0, 900)));
    assert_eq!(request.kind, FlushKind::LruOnly, "the next turn, without sleep");
}

#[test]
fn a_user_thread_above_the_sync_limit_flushes_waits_and_goes_on() {
    let mut server = server(&[]);
    let sync = server.age_limits().sync_bytes;
    assert_eq!(server.free_check_limit_lsn(), START + sync);
    let mut wait = FreeCheckWait::default();
    let above = view(0, sync + 1_000, 1);
    let FreeCheck::Flush(request) = server.free_check(&above, &mut wait) else { panic!("it flushes") };
    assert_eq!((request.kind, request.lsn_limit), (FlushKind::Sync, START + 2_000), "twice the excess");
    assert_eq!(request.slots, vec![u64::MAX; 8]);
    // The flag is down: another thread slips through until a redo block is filled.
    assert_eq!(server.free_check(&above, &mut FreeCheckWait::default()), FreeCheck::Proceed);
    let next_block = view(0, sync + 1_600, 1);
    assert!(matches!(server.free_check(&next_block, &mut FreeCheckWait::default()), FreeCheck::Flush(_)));
    // The first thread waits for everybody's batches, then goes on.
    wait.report = PassReport { list_pages: 3, ..PassReport::default() };
    assert_eq!(server.free_check(&next_block, &mut wait), FreeCheck::WaitForBatches);
    let flushed = View { oldest_modification_lsn: START + 2_000, ..view(0, sync + 1_600, 1) };
    assert_eq!(server.free_check(&flushed, &mut wait), FreeCheck::Proceed);
    assert_eq!(wait, FreeCheckWait::default());
}

#[test]
fn a_user_thread_that_met_a_busy_instance_tries_again() {
    let mut server = server(&[]);
    let sync = server.age_limits().sync_bytes;
    let mut wait = FreeCheckWait::default();
    let above = view(0, sync + 1_000, 1);
    assert!(matches!(server.free_check(&above, &mut wait), FreeCheck::Flush(_)));
    wait.report.busy_instances = 1;
    assert_eq!(server.free_check(&above, &mut wait), FreeCheck::WaitForBatches);
    assert!(matches!(server.free_check(&above, &mut wait), FreeCheck::Flush(_)));
}

#[test]
fn an_old_checkpoint_makes_user_threads_take_one() {
    let mut server = server(&[]);
    let ages = LogAges::new(512 << 20, 2, 16_384, 0).unwrap();
    let young = |age| View { oldest_modification_lsn: START + age - 10, ..view(0, age, 1) };
    let mut wait = FreeCheckWait::default();
    // Between the async and the sync limit a thread starts one and goes on.
    let started = young(ages.max_checkpoint_age_async + 1);
    assert_eq!(server.free_check(&started, &mut wait), FreeCheck::Checkpoint { wait: false });
    assert_eq!(server.free_check(&started, &mut wait), FreeCheck::Proceed);
    // Beyond it waits, and looks again.
    let stopped = young(ages.max_checkpoint_age + 1);
    assert_eq!(server.free_check(&stopped, &mut wait), FreeCheck::Checkpoint { wait: true });
    assert_eq!(server.free_check(&stopped, &mut wait), FreeCheck::Checkpoint { wait: true });
    let taken = View { last_checkpoint_lsn: stopped.oldest_modification_lsn, ..stopped };
    server.checkpoint_published(&taken);
    assert_eq!(server.free_check(&taken, &mut wait), FreeCheck::Proceed);
    assert_eq!(server.free_check_limit_lsn(), taken.last_checkpoint_lsn + ages.max_modified_age_sync);
}

#[test]
fn checkpoints_come_every_seventh_second_or_in_each_idle_one() {
    let mut server = server(&[]);
    let mut taken = Vec::new();
    let start = server.checkpointer(&view(0, 0, 0), CheckpointerInput::Start);
    assert!(matches!(start.next, CheckpointerNext::Wait { .. }));
    for second in 1..=20 {
        let activity = second.min(15);
        let now = view(second * 1000, 0, activity);
        if server.checkpointer(&now, CheckpointerInput::Timeout).next == CheckpointerNext::WriteOldest {
            taken.push(second);
            let next = server.checkpointer(&now, CheckpointerInput::Written).next;
            assert!(matches!(next, CheckpointerNext::Wait { .. }));
        }
    }
    assert_eq!(taken, [7, 14, 16, 17, 18, 19, 20]);
}

#[test]
fn the_machine_follows_the_settings() {
    let machine = server(&[("innodb_lru_scan_depth", "500")]).config().clone();
    assert_eq!((machine.buffer_pool.instances, machine.cleaner_threads), (8, 1));
    assert_eq!(
        machine.buffer_pool.free_pages,
        FreePagePolicy::SinglePage {
            first_scan: 499,
            sleep: SimDuration::from_millis(100),
            wakes_cleaner: false,
            waits_for_batch: true,
            clean_first: false
        }
    );
    let shared = DoublewriteConfig::Shared {
        batch_pages: 120,
        area_pages: 64,
        collecting: SharedCollecting::Together,
        sync_file: true,
    };
    assert_eq!((machine.doublewrite, machine.data_sync), (shared, DataSync::EveryBatch));
    let direct = server(&[("innodb_flush_method", "O_DIRECT_NO_FSYNC")]).config().clone();
    assert_eq!(direct.data_sync, DataSync::Never);
    assert!(matches!(direct.doublewrite, DoublewriteConfig::Shared { sync_file: false, .. }));
}
