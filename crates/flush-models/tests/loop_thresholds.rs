//! The loops of the servers at their thresholds: what a thread decides at exactly a limit, when it wakes, what it remembers.
//!
//! Each test plays the machine to one thread, step by step. Mutation tests found that no other test of a server's loop looks
//! there (docs/robustness.md). The expected values are worked out by hand, from the specification: `innodb-5.5` section 3,
//! `innodb-5.6` and `innodb-5.7` sections 2 and 3, `innodb-8.0.21` and `innodb-8.0.30` sections 2 to 4, `mariadb-10.11` section 5,
//! `percona` sections 1 and 2.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

mod steps;

use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::seam::{
    CheckpointerInput, CheckpointerNext, CleanerAction, CleanerInput, FlushGauges, FlushKind, FreeCheck, FreeCheckWait,
    LruWork, PassReport, ServerModel, View, WorkBefore,
};
use innosim_flush_models::legacy;
use innosim_flush_models::mysql80::instance::{buf_pool_get_8021, buf_pool_get_8030};
use innosim_flush_models::registry::ModelId;
use steps::{START, done, flush, server, until_ms, view};

const MIB: u64 = 1 << 20;

fn wait_ms(next: CheckpointerNext) -> (u64, bool) {
    match next {
        CheckpointerNext::Wait { timeout, on_cleaner_tick } => (timeout.0 / 1_000_000, on_cleaner_tick),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_server_begins_with_nothing_behind_it() {
    for &model in ModelId::ALL {
        let mut server = server(model, &[]);
        assert_eq!((server.gauges(), server.failure()), (FlushGauges::default(), None), "{model:?}");
        server.starts_after(WorkBefore { redo_bytes_per_s: 8_000, pages_flushed_per_s: 40 });
        // 5.5 remembers the redo of its last seconds, and pages of LRU batches alone.
        let pages = if matches!(model, ModelId::Mysql55 | ModelId::Percona55) { 0 } else { 40 };
        assert_eq!((server.gauges().lsn_avg_rate, server.gauges().avg_page_rate), (8_000, pages), "{model:?}");
    }
}

/// Extents of 64 pages go round, space by space; from 8.0.30 on the sum is mixed.
#[test]
fn pages_lie_in_the_instance_that_the_version_hashes_them_to() {
    let hash_of = |model| match model {
        ModelId::Mysql55 | ModelId::Percona55 | ModelId::Mysql56 | ModelId::Mysql57 => legacy::instance::buf_pool_get,
        ModelId::Mysql8021 | ModelId::Mysql8027 => buf_pool_get_8021,
        ModelId::Mariadb1011 | ModelId::Tnt => |_, _, _| 0,
        _ => buf_pool_get_8030,
    };
    let round = [("innodb_buffer_pool_size", "8G"), ("innodb_buffer_pool_instances", "8")];
    for &model in ModelId::ALL {
        let (server, hash): (_, fn(u32, u32, u32) -> u32) = (server(model, &round), hash_of(model));
        for (space, page) in (0..9).flat_map(|space| [0, 63, 64, 200, 640, 9_999].map(|page| (space, page))) {
            assert_eq!(server.instance_of(space, page), hash(space, page, 8), "{model:?}: {page} of {space}");
        }
    }
}

/// User threads look at the ages beyond the async limit in 5.5, the sync limit in 5.6 and 5.7, the maximum in MariaDB: from the
/// last checkpoint on, at the start and after each.
#[test]
fn user_threads_look_beyond_a_limit_from_the_last_checkpoint_on() {
    for model in [ModelId::Mysql55, ModelId::Mysql56, ModelId::Mysql57, ModelId::Mariadb1011] {
        let mut server = server(model, &[]);
        let limits = server.age_limits();
        let limit = match model {
            ModelId::Mysql55 => limits.async_bytes,
            ModelId::Mariadb1011 => limits.stop_bytes,
            _ => limits.sync_bytes,
        };
        assert!(limit > 0);
        assert_eq!(server.free_check_limit_lsn(), server.config().redo.start_lsn + limit, "{model:?}");
        server.checkpoint_published(&view(0));
        assert_eq!(server.free_check_limit_lsn(), START + limit, "{model:?}");
    }
    assert_eq!(server(ModelId::Tnt, &[]).free_check_limit_lsn(), u64::MAX, "the machine looks");
}

// 5.5

/// A server of 5.5 in its pass of second 1, that has seen activity since, with `change` made to what it sees.
fn pass_of_55(lines: &[(&str, &str)], change: impl Fn(View<'static>) -> View<'static>) -> CleanerAction {
    let all = [&[("innodb_io_capacity", "1000"), ("innodb_log_file_size", "512M")], lines].concat();
    let mut server = server(ModelId::Mysql55, &all);
    assert_eq!(until_ms(server.cleaner(&view(0), CleanerInput::Start)), 1_000);
    server.cleaner(&change(View { activity: 5, ..view(1_000) }), CleanerInput::Timeout)
}

/// Fewer than 3 % of 1000 reads, writes and syncs of redo in flight, and fewer than 5 % of it since the pass began, are low.
#[test]
fn a_pass_of_55_merges_while_io_is_low() {
    let merges = |change: fn(View<'static>) -> View<'static>| {
        matches!(pass_of_55(&[], change), CleanerAction::MergeChanges { pages: 50, wait: false })
    };
    assert!(merges(|v| View { pending_reads: 10, pending_writes: 18, redo_sync_in_progress: true, ..v }));
    assert!(!merges(|v| View { pending_reads: 10, pending_writes: 19, redo_sync_in_progress: true, ..v }));
    assert!(merges(|v| View { redo_writes: 9, page_reads: 20, page_writes: 20, ..v }));
    assert!(!merges(|v| View { redo_writes: 10, page_reads: 20, page_writes: 20, ..v }));
}

/// 7500 of 10 000 pages are 75 %, the limit; more than that flush all of the I/O capacity.
#[test]
fn a_pass_of_55_flushes_above_its_share_of_dirty_pages() {
    let off = [("innodb_adaptive_flushing", "OFF")];
    let pass = |dirty_pages| pass_of_55(&off, |v| View { dirty_pages, pending_reads: 1_000, ..v });
    assert_eq!([7_500, 7_599].map(|dirty| until_ms(pass(dirty))), [2_000, 2_000]);
    let request = flush(pass(7_600));
    assert_eq!((request.slots, request.lsn_limit, request.limit_on_tail_only), (vec![1_000], u64::MAX, false));
}

/// The same share sends the idle loop round without a look for activity.
#[test]
fn an_idle_server_of_55_flushes_above_its_share_of_dirty_pages() {
    let after_checkpoint = |dirty_pages| {
        let mut server = server(ModelId::Mysql55, &[("innodb_io_capacity", "1000"), ("innodb_purge_threads", "1")]);
        server.cleaner(&view(0), CleanerInput::Start);
        let v = View { dirty_pages, pending_reads: 1_000, ..view(1_000) };
        let mut action = server.cleaner(&v, CleanerInput::Timeout);
        let steps = [done(0, 0), CleanerInput::Merging { pages: 0 }, done(0, 0), CleanerInput::BatchesOver];
        let from = usize::from(!matches!(action, CleanerAction::Flush(_)));
        for input in &steps[from..] {
            action = server.cleaner(&v, *input);
        }
        assert_eq!(action, CleanerAction::Checkpoint { wait: true });
        server.cleaner(&v, CleanerInput::CheckpointTaken)
    };
    assert!(matches!(after_checkpoint(7_599), CleanerAction::WaitForWork { dirty_pages: u64::MAX, .. }));
    for dirty in [7_600, 9_000] {
        assert_eq!(flush(after_checkpoint(dirty)).slots, [1_000], "{dirty} dirty");
    }
}

fn of_percona(method: &str) -> Box<dyn ServerModel> {
    let lines = [
        ("innodb_adaptive_flushing_method", method),
        ("innodb_io_capacity", "1000"),
        ("innodb_log_file_size", "512M"),
        ("innodb_purge_threads", "1"),
    ];
    server(ModelId::Percona55, &lines)
}

/// Goes through passes until the round's checkpoint, with this share of dirty pages: seconds, and flushes of passes.
fn round_of(method: &str, dirty_pages: u64) -> (f64, usize) {
    let mut server = of_percona(method);
    let (mut now, mut flushes, mut input) = (0, 0, CleanerInput::Start);
    loop {
        let v = View { dirty_pages, activity: now + 1, pending_reads: 1_000, ..view(now) };
        input = match server.cleaner(&v, input) {
            CleanerAction::Wait { until, .. } => {
                now = until.whole_millis();
                CleanerInput::Timeout
            }
            CleanerAction::Flush(request) => {
                flushes += usize::from(request.kind == FlushKind::Adaptive);
                done(0, 0)
            }
            CleanerAction::MergeChanges { .. } => CleanerInput::Merging { pages: 0 },
            CleanerAction::Checkpoint { .. } => return (now as f64 / 1_000.0, flushes),
            other => panic!("{other:?}"),
        };
    }
}

/// A round has a hundred passes of a tenth; those that flush for the share of dirty pages take a second and the place of ten.
#[test]
fn a_round_of_keep_average_is_ten_seconds() {
    assert_eq!(round_of("keep_average", 1), (10.0, 0));
    assert_eq!(round_of("keep_average", 9_000), (9.1, 10), "the first begins after a tenth");
    assert_eq!(round_of("estimate", 9_000), (10.0, 10));
}

/// 900 pages over the async age of 760 392 301 bytes: a tenth's redo of 76 039 231 makes 90 of them due, and one more is
/// flushed; as far from the oldest page as redo has come. What the last round flushed itself does not count as others' work.
#[test]
fn keep_average_flushes_what_redo_makes_due() {
    let mut server = of_percona("keep_average");
    let at = |tenth: u64, redo: u64| View {
        current_lsn: START + redo,
        activity: tenth,
        pending_reads: 1_000,
        ..view(tenth * 100)
    };
    assert_eq!(until_ms(server.cleaner(&at(0, 0), CleanerInput::Start)), 100);
    assert_eq!(until_ms(server.cleaner(&at(1, 0), CleanerInput::Timeout)), 200, "the first pass remembers the lists");
    let request = flush(server.cleaner(&at(2, 76_039_231), CleanerInput::Timeout));
    assert_eq!((request.slots, request.lsn_limit), (vec![91], START + 76_039_231));
    assert!(request.limit_on_tail_only);
    assert_eq!(until_ms(server.cleaner(&at(2, 76_039_231), done(91, 0))), 300);
    let request = flush(server.cleaner(&at(3, 2 * 76_039_231), CleanerInput::Timeout));
    assert_eq!((request.slots, request.lsn_limit), (vec![91], START + 76_039_231));
}

/// Beyond half of the maximal age of 869 019 772 bytes a tenth of the I/O capacity, beyond three quarters all of it; the next pass
/// does not sleep.
#[test]
fn reflex_flushes_by_the_age() {
    let pass = |age| {
        let mut server = of_percona("reflex");
        server.cleaner(&view(0), CleanerInput::Start);
        let v = View { current_lsn: START + age, activity: 5, pending_reads: 1_000, ..view(1_000) };
        let action = server.cleaner(&v, CleanerInput::Timeout);
        let CleanerAction::Flush(request) = action else { return (0, until_ms(action)) };
        let next = server.cleaner(&View { activity: 6, ..v }, done(7, 0));
        (request.slots[0], if matches!(next, CleanerAction::Wait { .. }) { until_ms(next) } else { 1_000 })
    };
    let ages = [434_509_886, 434_509_887, 651_764_829, 651_764_830];
    assert_eq!(ages.map(pass), [(0, 2_000), (100, 1_000), (100, 1_000), (1_000, 1_000)]);
}

/// A batch that found an instance busy is tried again after 5 ms; one that did not is over.
#[test]
fn estimate_tries_again_what_was_busy() {
    let after = |busy_instances| {
        let mut server = of_percona("estimate");
        server.cleaner(&view(0), CleanerInput::Start);
        // Two passes, so that there was redo between them; the age is in the zone of this method.
        let v = |ms: u64, age| View { current_lsn: START + age, activity: ms, pending_reads: 1_000, ..view(ms) };
        let age = 500_000_000;
        let mut action = server.cleaner(&v(1_000, age), CleanerInput::Timeout);
        if let CleanerAction::Flush(_) = action {
            action = server.cleaner(&v(1_000, age), done(0, 0));
        }
        assert_eq!(until_ms(action), 2_000);
        let request = flush(server.cleaner(&v(2_000, age + 50_000_000), CleanerInput::Timeout));
        assert!(request.limit_on_tail_only, "{request:?}");
        let report = PassReport { busy_instances, ..PassReport::default() };
        until_ms(server.cleaner(&v(2_100, age + 50_000_000), CleanerInput::Done(report)))
    };
    assert_eq!([0, 1].map(after), [3_000, 2_105]);
}

// 5.6 and 5.7

/// A checkpoint in each second that 7 divides while there is activity, and in each second while there is none.
#[test]
fn the_master_thread_of_56_takes_checkpoints() {
    for model in [ModelId::Mysql56, ModelId::Mysql57] {
        let mut server = server(model, &[]);
        let mut at = |secs: u64, activity, input| {
            let action = server.checkpointer(&View { activity, ..view(secs * 1_000) }, input);
            assert!(!action.wake_cleaner);
            action.next
        };
        assert_eq!(wait_ms(at(0, 1, CheckpointerInput::Start)), (1_000, false));
        for secs in 1..=14 {
            let next = at(secs, secs, CheckpointerInput::Timeout);
            assert_eq!(next == CheckpointerNext::WriteOldest, secs % 7 == 0, "{secs}");
            if secs % 7 != 0 {
                assert_eq!(wait_ms(next), (1_000, false));
            }
        }
        assert_eq!(at(15, 14, CheckpointerInput::Timeout), CheckpointerNext::WriteOldest, "idle");
    }
}

/// An idle server goes on without sleep as long as its last turn flushed something and nothing is read.
#[test]
fn an_idle_cleaner_sleeps_while_pages_are_read() {
    for model in [ModelId::Mysql56, ModelId::Mysql57, ModelId::Mysql8021, ModelId::Mysql8030] {
        let sleeps = |pages, pending_reads| {
            let mut server = server(model, &[("innodb_buffer_pool_instances", "1")]);
            let (mut ms, mut input) = (0, CleanerInput::Start);
            loop {
                let action = server.cleaner(&view(ms), input);
                input = match action {
                    CleanerAction::Wait { .. } => {
                        ms = until_ms(action);
                        CleanerInput::Timeout
                    }
                    CleanerAction::SyncRedo => CleanerInput::RedoSynced,
                    CleanerAction::Flush(request) if request.kind == FlushKind::Background => break,
                    _ => done(0, 0),
                };
            }
            let v = View { pending_reads, ..view(ms + 100) };
            matches!(server.cleaner(&v, done(pages, 0)), CleanerAction::Wait { until, .. } if until > v.now)
        };
        assert_eq!([(0, 0), (7, 1), (7, 2)].map(|(pages, reads)| sleeps(pages, reads)), [true; 3], "{model:?}");
        // The coordinators of later servers begin a pass, which finds its second not over, and wait for that.
        assert_eq!(sleeps(7, 0), model != ModelId::Mysql56, "{model:?}");
    }
}

// 8.0

/// A server with a redo log of 1 GiB whose oldest page lies `age` back, at `ms`.
fn of_80(model: ModelId, age: u64) -> (Box<dyn ServerModel>, impl Fn(u64) -> View<'static>) {
    let lines = [("innodb_redo_log_capacity", "1G"), ("innodb_log_file_size", "512M")];
    let at = move |ms| View {
        current_lsn: START + age,
        written_lsn: START + age,
        durable_lsn: START + age,
        activity: ms,
        ..view(ms)
    };
    (server(model, &lines), at)
}

/// Every 10 ms, a checkpoint each second; beyond the sync limit the cleaner is woken, and a target that rose is looked at again
/// at once.
#[test]
fn the_checkpointer_of_8021_looks_every_10_ms() {
    let (mut server, at) = of_80(ModelId::Mysql8021, 1_000);
    let quiet = server.checkpointer(&at(0), CheckpointerInput::Start);
    assert_eq!((quiet.wake_cleaner, wait_ms(quiet.next)), (false, (10, false)));
    let sync = server.age_limits().sync_flush_start_bytes;
    let (mut server, at) = of_80(ModelId::Mysql8021, sync + 1);
    let looks = [(0, CheckpointerInput::Start), (1, CheckpointerInput::Timeout), (11, CheckpointerInput::Timeout)];
    let looks = looks.map(|(ms, input)| {
        let action = server.checkpointer(&at(ms), input);
        (action.wake_cleaner, wait_ms(action.next))
    });
    assert_eq!(looks, [(true, (1, false)), (true, (10, false)), (true, (10, false))]);
}

/// It waits a second; beyond the sync limit it wakes the cleaner and waits for a pass of it, a second at most, a millisecond
/// while the redo writer is inside its extra margin.
#[test]
fn the_checkpointer_of_8030_waits_for_the_cleaner() {
    let (mut server, at) = of_80(ModelId::Mysql8030, 1_000);
    let quiet = server.checkpointer(&at(0), CheckpointerInput::Start);
    assert_eq!((quiet.wake_cleaner, wait_ms(quiet.next)), (false, (1_000, false)));
    let sync = server.age_limits().sync_flush_start_bytes;
    for (inside, tick) in [(false, 1_000), (true, 1)] {
        let (mut server, at) = of_80(ModelId::Mysql8030, sync + 1_000);
        server.checkpointer(&at(0), CheckpointerInput::Start);
        server.writer_in_extra_margin(&at(0), inside);
        let woken = server.checkpointer(&at(100), CheckpointerInput::Event);
        assert_eq!((woken.wake_cleaner, wait_ms(woken.next)), (true, (tick, true)));
        if !inside {
            let event = server.checkpointer(&at(400), CheckpointerInput::Event);
            assert_eq!((event.wake_cleaner, wait_ms(event.next)), (false, (700, true)), "it waits on");
            // At the end of its wait it goes on: its event was set meanwhile, so another pass begins.
            let ended = server.checkpointer(&at(1_100), CheckpointerInput::Event);
            assert_eq!((ended.wake_cleaner, wait_ms(ended.next)), (true, (1_000, true)));
        }
    }
}

/// A checkpoint goes up to the oldest page less 2 MiB, for the order of flush lists is loose by as much.
#[test]
fn a_checkpoint_of_80_stays_behind_the_oldest_page() {
    for model in [ModelId::Mysql8021, ModelId::Mysql8027, ModelId::Mysql8030] {
        let (mut server, at) = of_80(model, 50_000_000);
        let v = |ms| View { oldest_modification_lsn: START + 40_000_001, ..at(ms) };
        server.checkpointer(&v(0), CheckpointerInput::Start);
        let mut due =
            (1_000..=8_000).step_by(1_000).map(|ms| server.checkpointer(&v(ms), CheckpointerInput::Timeout).next);
        let written = due.find(|next| matches!(next, CheckpointerNext::Write { .. }));
        assert_eq!(written, Some(CheckpointerNext::Write { lsn: START + 40_000_001 - 2 * MIB }), "{model:?}");
    }
}

/// A thread beyond the limit asks for a checkpoint once, and sleeps 100 us, 3 times, before its sleeps double.
#[test]
fn a_waiting_thread_of_80_asks_once() {
    for model in [ModelId::Mysql8021, ModelId::Mysql8030] {
        let (mut server, at) = of_80(model, 0);
        server.checkpointer(&at(0), CheckpointerInput::Start);
        let limit = server.free_check_limit_lsn();
        let mut wait = FreeCheckWait::default();
        assert_eq!(
            server.free_check(&View { current_lsn: limit, ..at(1) }, &mut wait),
            FreeCheck::Proceed,
            "{model:?}"
        );
        let beyond = View { current_lsn: limit + 512, ..at(1) };
        let sleeps: Vec<(u64, bool)> = (0..5)
            .map(|_| match server.free_check(&beyond, &mut wait) {
                FreeCheck::Sleep { duration, wake_checkpointer } => (duration.0 / 1_000, wake_checkpointer),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(sleeps, [(100, true), (100, false), (100, false), (200, false), (200, false)], "{model:?}");
        let other = server.free_check(&beyond, &mut FreeCheckWait::default());
        let FreeCheck::Sleep { wake_checkpointer: false, .. } = other else { panic!("{other:?}: asked for already") };
    }
}

// MariaDB

/// A log of 256 MiB: limits of 189 625 606 and 216 715 114 bytes; 1000 pages a pass.
fn of_mariadb(lines: &[(&str, &str)]) -> Box<dyn ServerModel> {
    let fixed = [
        ("innodb_buffer_pool_size", "4G"),
        ("innodb_log_file_size", "256M"),
        ("innodb_io_capacity", "400"),
        ("innodb_io_capacity_max", "1000"),
        ("innodb_lru_scan_depth", "1024"),
    ];
    server(ModelId::Mariadb1011, &[&fixed, lines].concat())
}

const FIRST_LIMIT: u64 = 189_625_606;
const SECOND_LIMIT: u64 = 216_715_114;

/// The cleaner after its first wait, awake, with redo of `age` since the checkpoint.
fn pass_of_mariadb(server: &mut dyn ServerModel, v: &View<'_>) -> CleanerAction {
    let first = server.cleaner(&view(0), CleanerInput::Start);
    assert_eq!(until_ms(first), 1_000);
    server.cleaner(v, CleanerInput::Timeout)
}

fn aged(ms: u64, age: u64) -> View<'static> {
    View { current_lsn: START + age, activity: ms, ..view(ms) }
}

/// LRU batches where free pages run short: up to what is left of the pass, in a list of more than 256 pages.
#[test]
fn a_pass_of_mariadb_looks_for_free_pages_after_its_list() {
    let after_list = |free_pages, lru_pages, free_page_wanted| {
        let mut server = of_mariadb(&[("innodb_lru_scan_depth", "500")]);
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

// TNT

/// Passes begin after the interval, a second's pages at a time; a pass is over when no page is older than its beginning.
#[test]
fn passes_of_tnt_begin_and_end() {
    let lines = [("ntse_checkpoint_interval", "10"), ("ntse_system_io_capacity", "1000"), ("ntse_page_buf_size", "1G")];
    let mut server = server(ModelId::Tnt, &lines);
    let at = |ms: u64, oldest| View {
        current_lsn: START + ms,
        oldest_modification_lsn: oldest,
        dirty_pages: 3_000,
        activity: ms,
        ..view(ms)
    };
    let step = |server: &mut dyn ServerModel, v: &View<'_>| {
        let request = flush(server.cleaner(v, CleanerInput::Timeout));
        let wait = server.cleaner(v, done(0, 0));
        (request.slots[0], request.lsn_limit, until_ms(wait))
    };
    server.cleaner(&at(0, START), CleanerInput::Start);
    assert_eq!(step(server.as_mut(), &at(9_999, START)), (0, u64::MAX, 10_999), "the interval is not over");
    assert_eq!(step(server.as_mut(), &at(10_000, START)), (0, START + 10_000, 10_999), "the second is not");
    let (pages, limit, until) = step(server.as_mut(), &at(10_999, START));
    assert!(pages >= 100 && (limit, until) == (START + 10_000, 11_999), "{pages} {limit} {until}");
    assert_eq!(server.gauges().n_to_flush_requested, pages);
    assert_eq!(step(server.as_mut(), &at(11_500, START)).0, 0, "half of a second later");
    // Its redo is needed as long as a page is older; then a checkpoint comes, and the next pass after ten seconds.
    let next = |server: &mut dyn ServerModel, v: &View<'_>| server.checkpointer(v, CheckpointerInput::Timeout).next;
    let written = |v| View { durable_lsn: u64::MAX, last_checkpoint_lsn: 8_192, ..v };
    server.records_merged(&at(0, START), u64::MAX);
    assert_eq!(step(server.as_mut(), &at(11_999, START + 9_999)).1, START + 10_000);
    assert_eq!(wait_ms(next(server.as_mut(), &written(at(11_999, START + 9_999)))), (1_000, true));
    step(server.as_mut(), &at(13_000, START + 10_000));
    let checkpoint = CheckpointerNext::Write { lsn: START + 10_000 };
    assert_eq!(next(server.as_mut(), &written(at(13_000, START + 10_000))), checkpoint);
    assert_eq!(step(server.as_mut(), &at(22_999, START + 20_000)).1, u64::MAX);
    assert_eq!(step(server.as_mut(), &at(23_000, START + 20_000)).1, START + 23_000);
}

/// Redo that is full begins a pass at once and has it go on at full speed; so does redo that is more than half full.
#[test]
fn tnt_hurries_when_redo_runs_short() {
    let lines = [
        ("ntse_checkpoint_interval", "10"),
        ("ntse_system_io_capacity", "1000"),
        ("ntse_page_buf_size", "1G"),
        ("ntse_log_file_size", "64M"),
        ("ntse_log_file_cnt_hwm", "4"),
        ("ntse_log_overflow", "OFF"),
    ];
    let pages = |redo: u64, full: bool, ms| {
        let mut server = server(ModelId::Tnt, &lines);
        server.cleaner(&view(0), CleanerInput::Start);
        if full {
            server.redo_is_full();
        }
        let v = View { current_lsn: START + redo, dirty_pages: 3, activity: 1, ..view(ms) };
        let request = flush(server.cleaner(&v, CleanerInput::Timeout));
        (request.slots[0], request.kind)
    };
    assert_eq!([0, 128 * MIB].map(|redo| pages(redo, false, 10_000)), [(100, FlushKind::Adaptive); 2]);
    assert_eq!(pages(128 * MIB + 1, false, 10_000), (1_000, FlushKind::Adaptive));
    assert_eq!(pages(0, true, 5_000), (1_000, FlushKind::Adaptive));
    assert_eq!(server(ModelId::Tnt, &lines).age_limits().stop_bytes, 256 * MIB);
}
