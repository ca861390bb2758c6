//! The threads of 8.0 (`innodb-8.0.21` and `innodb-8.0.30` sections 2 to 4).

use super::steps::{LOG_OF_1_GIB, START, done, flush, pass, requests, server, settings, view, wait_ms};
use innosim_core::seam::{
    CheckpointerInput, CheckpointerNext, CleanerInput, FlushKind, FreeCheck, FreeCheckWait, LiveSettings, ServerModel,
    View, WorkBefore,
};
use innosim_flush_models::registry::ModelId;

const MIB: u64 = 1 << 20;

/// A server of 8.0 whose redo lies `age` beyond the checkpoint and the oldest page.
fn aged_80(age: u64, ms: u64) -> View<'static> {
    let current_lsn = START + age;
    View { current_lsn, written_lsn: current_lsn, durable_lsn: current_lsn, activity: ms, ..view(ms) }
}

fn checkpointer_ms(
    server: &mut dyn ServerModel,
    v: &View<'_>,
    input: CheckpointerInput,
) -> (bool, Option<(u64, bool)>) {
    let action = server.checkpointer(v, input);
    let wait = match action.next {
        CheckpointerNext::Wait { timeout, on_cleaner_tick } => Some((timeout.0 / 1_000_000, on_cleaner_tick)),
        _ => None,
    };
    (action.wake_cleaner, wait)
}

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

/// The checkpointer waits a second for a pass of the cleaner. If nobody asked for anything meanwhile, it then waits for its own
/// second, though the target stands (`innodb-8.0.21` section 2.4).
#[test]
fn the_checkpointer_of_8027_wakes_the_cleaner_once_a_pass() {
    for model in [ModelId::Mysql8027, ModelId::Mysql8030] {
        let mut server = server(model, &LOG_OF_1_GIB);
        let age = server.age_limits().sync_flush_start_bytes + 1_000;
        let v = |ms| aged_80(age, ms);
        checkpointer_ms(server.as_mut(), &v(0), CheckpointerInput::Start);
        let woken = checkpointer_ms(server.as_mut(), &v(100), CheckpointerInput::Event);
        assert_eq!(woken, (true, Some((1_000, true))), "{model:?}");
        let over = checkpointer_ms(server.as_mut(), &v(300), CheckpointerInput::CleanerTick);
        assert_eq!(over, (false, Some((1_000, false))), "{model:?}");
    }
}

/// A thread beyond the limit asks for a checkpoint that dirty pages hold back. Without sync flushing the checkpointer looks again
/// and again until it is written.
#[test]
fn the_checkpointer_of_8027_looks_again_while_a_request_is_open() {
    let lines = [&LOG_OF_1_GIB[..], &[("innodb_flush_sync", "OFF")]].concat();
    for model in [ModelId::Mysql8027, ModelId::Mysql8030] {
        let mut server = server(model, &lines);
        let age = server.age_limits().stop_bytes + 50_000;
        let v = |ms| aged_80(age, ms);
        let quiet = checkpointer_ms(server.as_mut(), &v(0), CheckpointerInput::Start);
        assert_eq!(quiet, (false, Some((1_000, false))), "{model:?}");
        server.free_check(&v(1), &mut FreeCheckWait::default());
        for ms in [1, 2] {
            let open = checkpointer_ms(server.as_mut(), &v(ms), CheckpointerInput::Event);
            assert_eq!(open, (false, Some((1, false))), "{model:?}");
        }
        let flushed = View { oldest_modification_lsn: START + age, ..v(3) };
        assert_eq!(checkpointer_ms(server.as_mut(), &flushed, CheckpointerInput::Timeout), (false, None), "{model:?}");
        // What was asked for is 50 000 bytes beyond the last one.
        let written = |more| View { last_checkpoint_lsn: START + more, ..v(4) };
        let mut after = |more| checkpointer_ms(server.as_mut(), &written(more), CheckpointerInput::Written).1;
        assert_eq!([49_999, 50_000].map(|more| after(more) == Some((1_000, false))), [false, true], "{model:?}");
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

/// The redo writer in its extra margin asks for a checkpoint as far as one can go.
#[test]
fn the_writer_of_80_asks_for_a_checkpoint() {
    for model in [ModelId::Mysql8027, ModelId::Mysql8030] {
        let written = |inside| {
            let mut server = server(model, &LOG_OF_1_GIB);
            let v = |ms| View { oldest_modification_lsn: START + 9_000_000, ..aged_80(10_000_000, ms) };
            checkpointer_ms(server.as_mut(), &v(0), CheckpointerInput::Start);
            server.writer_in_extra_margin(&v(10), inside);
            checkpointer_ms(server.as_mut(), &v(20), CheckpointerInput::Event).1.is_none()
        };
        assert_eq!([false, true].map(written), [false, true], "{model:?}");
    }
}

/// Up to 8.0.29 each visit of the redo writer to its extra margin makes the margin of threads a fifth larger (`innodb-8.0.21`
/// section 1).
#[test]
fn visits_to_the_extra_margin_stop_threads_earlier() {
    for model in [ModelId::Mysql8021, ModelId::Mysql8027] {
        let lines = [&LOG_OF_1_GIB[..], &[("innodb_thread_concurrency", "8")]].concat();
        let mut server = server(model, &lines);
        let mut stop = |inside| {
            server.writer_in_extra_margin(&view(0), inside);
            server.age_limits().stop_bytes
        };
        let [outside, first, stays, left, second] = [false, true, true, false, true].map(&mut stop);
        assert!(outside > first && first > second, "{model:?}: {outside}, {first}, {second}");
        assert_eq!((first, first), (stays, left), "{model:?}");
    }
}

/// Redo of three mean seconds beyond the target belongs to a sync pass (`innodb-8.0.21` section 4.2).
#[test]
fn sync_passes_of_80_reach_three_seconds_beyond() {
    for model in [ModelId::Mysql8021, ModelId::Mysql8027, ModelId::Mysql8030] {
        let limit = |redo_bytes_per_s| {
            let mut server = server(model, &LOG_OF_1_GIB);
            server.starts_after(WorkBefore { redo_bytes_per_s, pages_flushed_per_s: 0, ..WorkBefore::default() });
            let age = server.age_limits().sync_flush_start_bytes + 100_000_000;
            server.checkpointer(&aged_80(age, 0), CheckpointerInput::Start);
            server.cleaner(&aged_80(age, 0), CleanerInput::Start);
            flush(server.cleaner(&aged_80(age, 500), CleanerInput::Event)).lsn_limit
        };
        assert_eq!(limit(1_000_000) - limit(0), 3_000_000, "{model:?}");
    }
}

/// Sync passes follow each other without a pause as long as they flush anything.
#[test]
fn sync_passes_of_80_follow_each_other() {
    for model in [ModelId::Mysql8027, ModelId::Mysql8030] {
        let mut server = server(model, &LOG_OF_1_GIB);
        let v = aged_80(server.age_limits().sync_flush_start_bytes + 100_000_000, 500);
        server.cleaner(&aged_80(0, 0), CleanerInput::Start);
        let mut input = CleanerInput::Event;
        for _ in 0..4 {
            let request = flush(server.cleaner(&v, input));
            assert!(
                request.kind == FlushKind::Sync && request.reset_event && request.parallel,
                "{model:?}: {request:?}"
            );
            input = done(1, 0);
        }
    }
}

/// An idle second flushes its share of the I/O capacity, 2 pages of 200 for one percent; a share of 0 flushes none.
#[test]
fn an_idle_second_of_80_flushes_its_share() {
    for model in [ModelId::Mysql8021, ModelId::Mysql8030] {
        let pages = |share| {
            let lines = [("innodb_idle_flush_pct", share), ("innodb_io_capacity", "200")];
            let mut server = server(model, &[&LOG_OF_1_GIB[..], &lines].concat());
            pass(server.as_mut(), &view(0), CleanerInput::Start, (0, 0), &view(0));
            // It counts as active for its first second.
            pass(server.as_mut(), &view(1_000), CleanerInput::Timeout, (0, 0), &view(1_000));
            let idle = pass(server.as_mut(), &view(2_100), CleanerInput::Timeout, (0, 0), &view(2_100));
            requests(&idle).iter().map(|request| request.slots[0]).sum::<u64>()
        };
        assert_eq!(["0", "1", "100"].map(pages), [0, 2, 200], "{model:?}");
    }
}

/// A request of an idle second forgets the flush event that was set before.
#[test]
fn an_idle_second_of_80_resets_the_event() {
    let mut server = server(ModelId::Mysql8030, &LOG_OF_1_GIB);
    pass(server.as_mut(), &view(0), CleanerInput::Start, (0, 0), &view(0));
    pass(server.as_mut(), &view(1_000), CleanerInput::Timeout, (0, 0), &view(1_000));
    let idle = pass(server.as_mut(), &view(2_100), CleanerInput::Timeout, (0, 0), &view(2_100));
    let [request] = requests(&idle)[..] else { panic!("{idle:?}") };
    assert_eq!((request.kind, request.reset_event, request.parallel), (FlushKind::Background, true, false));
}

/// Nobody asks for a checkpoint: one comes a second after the last one.
#[test]
fn the_checkpointer_of_8021_writes_each_second() {
    let mut server = server(ModelId::Mysql8021, &LOG_OF_1_GIB);
    let v = |ms| View { oldest_modification_lsn: START + 9_000_000, ..aged_80(10_000_000, ms) };
    checkpointer_ms(server.as_mut(), &v(0), CheckpointerInput::Start);
    let mut waits = |ms| checkpointer_ms(server.as_mut(), &v(ms), CheckpointerInput::Timeout).1;
    assert_eq!([999, 1_000].map(&mut waits), [Some((10, false)), None]);
}

/// A copy goes on with other capacities: 300 pages in an idle second; in an active one with 95 % of the pages dirty 312 pages of
/// the share, 300 that are due and no mean, in three parts. With 200 it would be 169.
#[test]
fn a_copy_of_a_server_of_80_has_its_own_io_capacity() {
    for model in [ModelId::Mysql8021, ModelId::Mysql8030] {
        let lines = [("innodb_io_capacity", "200"), ("innodb_idle_flush_pct", "100")];
        let mut old = server(model, &[&LOG_OF_1_GIB[..], &lines].concat());
        let at = |ms, activity| View { current_lsn: START + ms, dirty_pages: 9_500, activity, ..view(ms) };
        pass(old.as_mut(), &at(0, 0), CleanerInput::Start, (0, 0), &at(0, 0));
        pass(old.as_mut(), &at(1_000, 1), CleanerInput::Timeout, (0, 0), &at(1_000, 1));
        let pages = |server: &mut dyn ServerModel| {
            [(2_100, 2), (3_200, 2), (4_300, 2)].map(|(ms, activity)| {
                let actions = pass(server, &at(ms, activity), CleanerInput::Timeout, (0, 0), &at(ms, activity));
                requests(&actions)[0].slots[0]
            })
        };
        let live = old.live_settings().unwrap();
        let mut copy = old.with_live(LiveSettings { io_capacity: 300, io_capacity_max: 600, ..live }).unwrap();
        let even = u64::from(model == ModelId::Mysql8030);
        assert_eq!(pages(copy.as_mut()), [204 + even, 204 + even, 300], "{model:?}");
        assert_eq!(pages(old.as_mut()), [169 + even, 169 + even, 200], "{model:?}");
    }
}

/// The log of the model's own kind decides whether many threads are safe: 8 GiB, or 96 MiB.
#[test]
fn a_redo_log_may_be_too_small_for_its_threads() {
    let warns = |model, name, size| {
        let notes = settings(model, &[("innodb_thread_concurrency", "1000"), (name, size)]).notes;
        notes.iter().any(|note| note.text.contains("unsafe"))
    };
    for (model, name) in
        [(ModelId::Mysql8027, "innodb_log_file_size"), (ModelId::Mysql8030, "innodb_redo_log_capacity")]
    {
        assert_eq!(["48M", "4G"].map(|size| warns(model, name, size)), [true, false], "{model:?}");
    }
}
