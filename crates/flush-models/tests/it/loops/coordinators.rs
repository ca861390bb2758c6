//! What the page cleaners of 5.6 to 8.0 have in common (`innodb-5.6` and `innodb-5.7` section 3, `innodb-8.0.21` section 4.2).

use super::steps::{LOG_OF_1_GIB, START, done, flush, kinds, pass, probed, requests, server, until_ms, view};
use innosim_core::kernel::time::SimDuration;
use innosim_core::seam::{CheckpointerInput, CleanerAction, CleanerInput, FlushKind, FreeCheckWait, View, WorkBefore};
use innosim_flush_models::registry::ModelId;

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

const COORDINATORS: [ModelId; 4] = [ModelId::Mysql57, ModelId::Mysql8021, ModelId::Mysql8027, ModelId::Mysql8030];

/// An idle coordinator that flushed something does not wait, unless pages are read: a sync request is served at once then, and
/// else after the wait (`innodb-5.7` section 3.4, `innodb-8.0.21` section 4.2).
#[test]
fn reads_keep_an_idle_coordinator_from_a_sync_pass() {
    for model in COORDINATORS {
        let next = |report: CleanerInput, pending_reads| {
            let mut server = server(model, &LOG_OF_1_GIB);
            let (mut ms, mut input) = (0, CleanerInput::Start);
            loop {
                let action = server.cleaner(&view(ms), input);
                input = match action {
                    CleanerAction::Flush(request) if request.kind == FlushKind::Background => break,
                    CleanerAction::Wait { .. } => {
                        ms = until_ms(action);
                        CleanerInput::Timeout
                    }
                    CleanerAction::SyncRedo => CleanerInput::RedoSynced,
                    _ => done(0, 0),
                };
            }
            // Redo beyond the sync limit: a user thread, or the checkpointer of 8.0.21, asks for it.
            let current_lsn = START + server.age_limits().sync_bytes.max(900_000_000);
            let v = View { current_lsn, written_lsn: current_lsn, durable_lsn: current_lsn, pending_reads, ..view(ms) };
            server.checkpointer(&v, CheckpointerInput::Start);
            server.free_check(&v, &mut FreeCheckWait::default());
            match server.cleaner(&v, report) {
                CleanerAction::Flush(request) => Some(request.kind),
                CleanerAction::Wait { .. } => None,
                other => panic!("{other:?}"),
            }
        };
        let reports = [done(7, 0), done(0, 7), done(7, 7)];
        assert_eq!(reports.map(|report| next(report, 0)), [Some(FlushKind::Sync); 3], "{model:?}");
        assert_eq!([1, 2].map(|reads| next(done(7, 0), reads)), [None; 2], "{model:?}");
        assert_eq!(next(done(0, 0), 0), None, "{model:?}: it flushed nothing");
    }
}

/// After a sync pass the next one does not wait. The instant at which the second ends is part of it, and the pass serves the LRU
/// lists alone; after it the pass is the second's adaptive one.
#[test]
fn the_last_instant_of_a_second() {
    for model in [ModelId::Mysql8021, ModelId::Mysql8027, ModelId::Mysql8030] {
        let after_sync = |ms| {
            let mut server = server(model, &LOG_OF_1_GIB);
            let current_lsn = START + server.age_limits().sync_flush_start_bytes + 100_000_000;
            let at =
                |ms| View { current_lsn, written_lsn: current_lsn, durable_lsn: current_lsn, activity: ms, ..view(ms) };
            server.checkpointer(&at(0), CheckpointerInput::Start);
            assert_eq!(until_ms(server.cleaner(&at(0), CleanerInput::Start)), 1_000);
            assert_eq!(flush(server.cleaner(&at(500), CleanerInput::Event)).kind, FlushKind::Sync);
            let reached = View { oldest_modification_lsn: current_lsn, last_checkpoint_lsn: current_lsn, ..at(ms) };
            let mut action = server.cleaner(&reached, done(7, 0));
            if action == CleanerAction::SyncRedo {
                action = server.cleaner(&reached, CleanerInput::RedoSynced);
            }
            flush(action).kind
        };
        assert_eq!(
            [999, 1_000, 1_001].map(after_sync),
            [FlushKind::LruOnly, FlushKind::LruOnly, FlushKind::Adaptive],
            "{model:?}"
        );
    }
}

/// A rule's pages go to the instances as it says, or in equal parts; one page is one for each.
#[test]
fn instances_get_what_a_rule_recommends() {
    let two = [("innodb_buffer_pool_size", "2G"), ("innodb_buffer_pool_instances", "2")];
    for model in [ModelId::Mysql56, ModelId::Mysql57, ModelId::Mysql8021, ModelId::Mysql8030] {
        let slots = |n_pages, slots: &[u64]| {
            let (mut server, _) = probed(model, &two, n_pages, slots);
            pass(server.as_mut(), &view(0), CleanerInput::Start, (0, 0), &view(0));
            let v = View { activity: 1, ..view(1_000) };
            let actions =
                pass(server.as_mut(), &v, CleanerInput::Timeout, (0, 0), &View { activity: 1, ..view(1_100) });
            let adaptive = requests(&actions).into_iter().find(|request| request.kind == FlushKind::Adaptive);
            adaptive.map(|request| request.slots.clone())
        };
        assert_eq!(slots(7, &[]), Some(vec![4, 4]), "{model:?}");
        assert_eq!(slots(7, &[5, 2]), Some(vec![5, 2]), "{model:?}");
        assert_eq!(slots(1, &[]), Some(vec![1, 1]), "{model:?}");
        let nothing = slots(0, &[]);
        assert_eq!(nothing.is_none(), model == ModelId::Mysql56, "{model:?}: later servers serve their LRU lists");
    }
}

/// Pages of adaptive passes count, in the next one; those of LRU lists, of passes that an event began and of idle seconds don't.
#[test]
fn averages_count_the_pages_of_adaptive_passes() {
    for model in COORDINATORS {
        let (mut server, told) = probed(model, &LOG_OF_1_GIB, 400, &[]);
        let mut at = |ms, activity, input, report| {
            let v = |ms| View { activity, ..view(ms) };
            kinds(&pass(server.as_mut(), &v(ms), input, report, &v(ms + 10)))
        };
        at(0, 0, CleanerInput::Start, (0, 0));
        assert_eq!(at(1_000, 1, CleanerInput::Timeout, (300, 0)), [FlushKind::Adaptive], "{model:?}");
        assert_eq!(at(1_500, 2, CleanerInput::Event, (0, 5)), [FlushKind::LruOnly], "{model:?}");
        at(2_000, 2, CleanerInput::Timeout, (200, 0));
        // 8.0 counts as active for a second longer.
        at(3_100, 2, CleanerInput::Timeout, (200, 0));
        let idle: Vec<_> =
            (4..=5).flat_map(|second| at(second * 1_000 + 100, 2, CleanerInput::Timeout, (500, 0))).collect();
        assert!(idle.ends_with(&[FlushKind::Background]), "{model:?}: {idle:?}");
        at(6_100, 3, CleanerInput::Timeout, (1, 0));
        at(7_200, 4, CleanerInput::Timeout, (1, 0));
        let told = told.lock().unwrap().clone();
        assert_eq!((told[0], told[1]), (0, 300), "{model:?}");
        assert!(!told.contains(&500), "{model:?}: {told:?}");
    }
}

/// The first recommendation of a server only remembers where redo is. One that was up without load has it behind it when the load
/// begins; one that was at work has none behind it.
#[test]
fn the_first_recommendation_was_that_of_the_start() {
    for model in COORDINATORS {
        let recommends = |up_before_s, worked| {
            let mut server = server(model, &LOG_OF_1_GIB);
            if worked {
                server.starts_after(WorkBefore {
                    redo_bytes_per_s: 1,
                    pages_flushed_per_s: 1,
                    ..WorkBefore::default()
                });
            }
            let v = |ms, activity| View {
                current_lsn: START + ms,
                activity,
                up_before: SimDuration::from_secs(up_before_s),
                ..view(ms)
            };
            pass(server.as_mut(), &v(0, 0), CleanerInput::Start, (0, 0), &v(0, 0));
            // 8.0 counts as idle in the second in which the load begins.
            let mut second = |ms, activity| {
                pass(server.as_mut(), &v(ms, activity), CleanerInput::Timeout, (0, 0), &v(ms + 10, activity))
            };
            let all = [second(1_100, 1), second(2_200, 2)].concat();
            let adaptive = requests(&all).into_iter().find(|request| request.kind == FlushKind::Adaptive);
            adaptive.unwrap().slots[0] > 0
        };
        assert_eq!(
            [(10, false), (0, false), (10, true)].map(|(up, worked)| recommends(up, worked)),
            [true, false, false]
        );
    }
}
