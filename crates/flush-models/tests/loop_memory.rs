//! What the threads of the servers remember from pass to pass: targets, averages, lists, whose pages count.
//!
//! Each test plays the machine to one thread, step by step, as those of `loop_thresholds.rs` do. Mutation tests found these
//! places (docs/robustness.md). The expected values are worked out by hand, from the specification: `innodb-5.5` section 3,
//! `innodb-5.7` section 3.4, `innodb-8.0.21` section 4.2, `mariadb-10.11` section 5, `percona` section 2.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

mod steps;

use innosim_core::kernel::time::SimTime;
use innosim_core::seam::{
    AdaptiveFlushing, CheckpointerInput, CheckpointerNext, CleanerAction, CleanerInput, FlushGauges, FlushKind,
    FlushRequest, FreeCheck, FreeCheckWait, PassReport, Recommendation, RuleInput, ServerModel, View, WorkBefore,
};
use innosim_flush_models::registry::{ModelId, build_with_rule};
use std::sync::{Arc, Mutex};
use steps::{Lists, START, done, flush, server, settings, until_ms, view};

/// A rule that always recommends the same, and writes down what it is told of the pages flushed since it was asked last.
struct Probe {
    told: Arc<Mutex<Vec<u64>>>,
    recommends: Recommendation,
}

impl AdaptiveFlushing for Probe {
    fn recommend(&mut self, _: &View<'_>, input: RuleInput) -> Recommendation {
        self.told.lock().unwrap().push(input.last_pages);
        self.recommends.clone()
    }

    fn gauges(&self) -> FlushGauges {
        FlushGauges::default()
    }
}

/// A server that flushes by a probe, and what the probe is told.
fn probed(
    model: ModelId,
    lines: &[(&str, &str)],
    n_pages: u64,
    slots: &[u64],
) -> (Box<dyn ServerModel>, Arc<Mutex<Vec<u64>>>) {
    let told = Arc::new(Mutex::new(Vec::new()));
    let rule = Probe { told: told.clone(), recommends: Recommendation { n_pages, slots: slots.to_vec() } };
    (build_with_rule(&settings(model, lines), Box::new(rule)).unwrap(), told)
}

/// What the cleaner does from `input` on until it sleeps; its batches flush so many pages of the flush list and of the LRU
/// list, and leave what `after` shows.
fn pass(
    server: &mut dyn ServerModel,
    before: &View<'_>,
    mut input: CleanerInput,
    (list, lru): (u64, u64),
    after: &View<'_>,
) -> Vec<CleanerAction> {
    let (mut actions, mut v) = (Vec::new(), before);
    loop {
        let action = server.cleaner(v, input);
        input = match &action {
            CleanerAction::Flush(request) => {
                v = after;
                if request.kind == FlushKind::LruOnly { done(0, lru) } else { done(list, 0) }
            }
            CleanerAction::WaitForBatches => CleanerInput::BatchesOver,
            CleanerAction::Checkpoint { .. } => CleanerInput::CheckpointTaken,
            CleanerAction::SyncRedo => CleanerInput::RedoSynced,
            _ => CleanerInput::Start,
        };
        actions.push(action);
        if input == CleanerInput::Start {
            return actions;
        }
    }
}

fn requests(actions: &[CleanerAction]) -> Vec<&FlushRequest> {
    actions.iter().filter_map(|a| if let CleanerAction::Flush(request) = a { Some(request) } else { None }).collect()
}

fn kinds(actions: &[CleanerAction]) -> Vec<FlushKind> {
    requests(actions).iter().map(|request| request.kind).collect()
}

// 5.5 and Percona Server 5.5

fn of_55(model: ModelId, method: &str) -> Box<dyn ServerModel> {
    let lines = [
        ("innodb_adaptive_flushing_method", method),
        ("innodb_io_capacity", "1000"),
        ("innodb_log_file_size", "512M"),
        ("innodb_purge_threads", "1"),
    ];
    server(model, &lines)
}

/// Redo of a tenth of a second that makes a tenth of the pages due: the async age is 760 392 301 bytes.
const TENTH_OF_AGE: u64 = 76_039_231;

/// What `keep_average` flushes, tenth by tenth of a second, with so many tenths of redo, of dirty pages in the pool and in
/// the list; each flush finds all that it asks for.
fn tenths_of_keep_average(tenths: &[(u64, u64, &'static Lists)]) -> Vec<u64> {
    let mut server = of_55(ModelId::Percona55, "keep_average");
    let mut next = until_ms(server.cleaner(&view(0), CleanerInput::Start));
    let mut pages_of = |&(redo, dirty_pages, lists): &(u64, u64, &'static Lists)| {
        let current_lsn = START + redo * TENTH_OF_AGE;
        let v = View { current_lsn, dirty_pages, lists, activity: next, pending_reads: 1_000, ..view(next) };
        let action = server.cleaner(&v, CleanerInput::Timeout);
        let CleanerAction::Flush(request) = action else {
            next = until_ms(action);
            return 0;
        };
        next = until_ms(server.cleaner(&v, done(request.slots[0], 0)));
        request.slots[0]
    };
    tenths.iter().map(&mut pages_of).collect()
}

/// What others flushed is less to flush; what the last flush took itself is not others' work (`percona` section 2.2).
#[test]
fn keep_average_counts_what_others_flushed() {
    const fn pages(pages: u64) -> Lists {
        Lists { instances: 1, pages }
    }
    static AT: [Lists; 5] = [pages(900), pages(890), pages(810), pages(728), pages(708)];
    let tenths = [(0, 1, &AT[0]), (1, 1, &AT[1]), (2, 1, &AT[2]), (2, 1, &AT[3]), (3, 1, &AT[4])];
    // 89 are due and 10 are gone; 81 are due, and the 80 that are gone it took itself; there was no redo; 70 are due and 20
    // are gone. One more is flushed each time.
    assert_eq!(tenths_of_keep_average(&tenths), [0, 80, 82, 0, 51]);
}

/// After a flush for the share of dirty pages the method begins anew: it only remembers. At its limit of 75 % the share calls
/// for nothing yet.
#[test]
fn keep_average_forgets_while_another_reason_flushes() {
    let at = |redo, dirty| (redo, dirty, &steps::ONE);
    assert_eq!(tenths_of_keep_average(&[at(0, 1), at(1, 9_000), at(2, 1), at(3, 1)]), [0, 1_000, 0, 91]);
    assert_eq!(tenths_of_keep_average(&[at(0, 1), at(1, 7_599)]), [0, 91]);
}

/// A flush for the share of dirty pages is a pass of a second in every method, however long it takes of that second.
#[test]
fn a_pass_for_dirty_pages_is_a_second_in_keep_average() {
    let mut server = of_55(ModelId::Percona55, "keep_average");
    let v = |ms| View { dirty_pages: 9_000, activity: ms, pending_reads: 1_000, ..view(ms) };
    assert_eq!(until_ms(server.cleaner(&v(0), CleanerInput::Start)), 100);
    flush(server.cleaner(&v(100), CleanerInput::Timeout));
    assert_eq!(until_ms(server.cleaner(&v(400), done(1_000, 0))), 1_100);
}

/// Only a flush of the method itself is tried again where an instance was busy.
#[test]
fn a_flush_for_dirty_pages_is_not_tried_again() {
    let mut server = of_55(ModelId::Percona55, "estimate");
    let v = View { dirty_pages: 9_000, activity: 1, pending_reads: 1_000, ..view(1_000) };
    server.cleaner(&view(0), CleanerInput::Start);
    assert_eq!(flush(server.cleaner(&v, CleanerInput::Timeout)).lsn_limit, u64::MAX);
    let busy = CleanerInput::Done(PassReport { busy_instances: 1, ..PassReport::default() });
    assert_eq!(until_ms(server.cleaner(&v, busy)), 2_000);
}

#[test]
fn reflex_flushes_nothing_while_nothing_is_dirty() {
    let mut server = of_55(ModelId::Percona55, "reflex");
    server.cleaner(&view(0), CleanerInput::Start);
    let clean = View { oldest_modification_lsn: 0, dirty_pages: 0, activity: 1, pending_reads: 1_000, ..view(1_000) };
    assert_eq!(until_ms(server.cleaner(&clean, CleanerInput::Timeout)), 2_000);
}

/// Fewer reads and writes in a round than twice the I/O capacity flush all of it, whatever went before the round; a tenth of it
/// follows in any case.
#[test]
fn a_round_of_55_counts_its_own_io() {
    let flushes = |reads: u64| {
        let mut server = of_55(ModelId::Mysql55, "");
        let mut v = View { page_reads: 5_000, activity: 1, ..view(0) };
        let (mut input, mut flushes) = (CleanerInput::Start, Vec::new());
        loop {
            input = match server.cleaner(&v, input) {
                CleanerAction::Wait { until, wake_on_event: false } => {
                    v = View { now: until, page_reads: 5_000 + reads, activity: until.0, ..v };
                    CleanerInput::Timeout
                }
                CleanerAction::Flush(request) => {
                    flushes.extend((request.kind == FlushKind::Background).then_some(request.slots[0]));
                    done(0, 0)
                }
                CleanerAction::MergeChanges { .. } => CleanerInput::Merging { pages: 0 },
                CleanerAction::Checkpoint { .. } => return flushes,
                other => panic!("{other:?}"),
            };
        }
    };
    assert_eq!([1_999, 2_000].map(flushes), [vec![1_000, 100], vec![100]]);
}

/// An idle server goes on as long as it merged or flushed a single page.
#[test]
fn an_idle_server_of_55_sleeps_when_nothing_is_left() {
    let goes_on = |merged, flushed| {
        let lines = [("innodb_adaptive_flushing", "OFF"), ("innodb_purge_threads", "1")];
        let mut server = server(ModelId::Mysql55, &lines);
        let v = View { pending_reads: 1_000, ..view(1_000) };
        server.cleaner(&view(0), CleanerInput::Start);
        let mut action = server.cleaner(&v, CleanerInput::Timeout);
        let report = [CleanerInput::Merging { pages: merged }, done(flushed, 0)];
        for input in report.into_iter().chain([CleanerInput::BatchesOver, CleanerInput::CheckpointTaken]) {
            action = server.cleaner(&v, input);
        }
        match action {
            CleanerAction::MergeChanges { wait: true, .. } => true,
            CleanerAction::WaitForWork { .. } => false,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!([(0, 0), (0, 1), (1, 0)].map(|(merged, flushed)| goes_on(merged, flushed)), [false, true, true]);
}

// 5.6 to 8.0

const COORDINATORS: [ModelId; 4] = [ModelId::Mysql57, ModelId::Mysql8021, ModelId::Mysql8027, ModelId::Mysql8030];
const LOG_OF_1_GIB: [(&str, &str); 3] =
    [("innodb_redo_log_capacity", "1G"), ("innodb_log_file_size", "512M"), ("innodb_buffer_pool_instances", "1")];

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

/// After a sync pass the next one does not wait. The instant at which the second ends is part of it up to 8.0.29, and the pass
/// serves the LRU lists alone; from 8.0.30 on it is over, and the pass is the second's adaptive one.
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
        let at_the_end = if model == ModelId::Mysql8030 { FlushKind::Adaptive } else { FlushKind::LruOnly };
        assert_eq!(
            [999, 1_000, 1_001].map(after_sync),
            [FlushKind::LruOnly, at_the_end, FlushKind::Adaptive],
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

/// A thread that meets an old checkpoint has one taken, without waiting for it up to the maximal age, and again and again until
/// it is young enough beyond that. Others go on after the first, until a block of redo is full (`innodb-5.6` and `innodb-5.7`
/// section 2.3).
#[test]
fn threads_of_56_wait_for_checkpoints_beyond_the_maximal_age() {
    for model in [ModelId::Mysql56, ModelId::Mysql57] {
        let lines = [("innodb_log_file_size", "512M")];
        let max = server(model, &lines).age_limits().stop_bytes;
        // Redo ends where a block begins; all pages are young.
        let lsn = START.next_multiple_of(512) + 1_024_000_000;
        let aged = |current_lsn, age| View {
            current_lsn,
            oldest_modification_lsn: current_lsn,
            last_checkpoint_lsn: current_lsn - age,
            ..view(1)
        };
        let answers = |age, looks: [(u64, u64); 3]| {
            let mut server = server(model, &lines);
            let mut wait = FreeCheckWait::default();
            let first = server.free_check(&aged(lsn, age), &mut wait);
            let then = server.free_check(&aged(lsn, looks[0].1), &mut wait);
            let others = [looks[1], looks[2]]
                .map(|(more, age)| server.free_check(&aged(lsn + more, age), &mut FreeCheckWait::default()));
            let [same, later] = others;
            [first, then, same, later]
        };
        let [checkpoint, waits] = [false, true].map(|wait| FreeCheck::Checkpoint { wait });
        let go = FreeCheck::Proceed;
        let young = [(0, max), (511, max), (512, max)];
        assert_eq!(answers(max, young), [checkpoint.clone(), go.clone(), go.clone(), checkpoint], "{model:?}");
        let old = [(0, max + 1), (0, max + 1), (0, max + 1)];
        assert_eq!(answers(max + 1, old), [(); 4].map(|()| waits.clone()), "{model:?}");
        let taken = [(0, 0), (0, 0), (512, 0)];
        assert_eq!(answers(max + 1, taken), [waits, go.clone(), go.clone(), go], "{model:?}");
    }
}

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

/// Redo of three mean seconds beyond the target belongs to a sync pass (`innodb-8.0.21` section 4.2).
#[test]
fn sync_passes_of_80_reach_three_seconds_beyond() {
    for model in [ModelId::Mysql8021, ModelId::Mysql8027, ModelId::Mysql8030] {
        let limit = |redo_bytes_per_s| {
            let mut server = server(model, &LOG_OF_1_GIB);
            server.starts_after(WorkBefore { redo_bytes_per_s, pages_flushed_per_s: 0 });
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

// MariaDB

/// A log of 256 MiB: limits of 189 625 606 and 216 715 114 bytes; 1000 pages a pass.
const OF_MARIADB: [(&str, &str); 5] = [
    ("innodb_buffer_pool_size", "4G"),
    ("innodb_log_file_size", "256M"),
    ("innodb_io_capacity", "400"),
    ("innodb_io_capacity_max", "1000"),
    ("innodb_lru_scan_depth", "500"),
];
const FIRST_LIMIT: u64 = 189_625_606;
const SECOND_LIMIT: u64 = 216_715_114;

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
/// first dirty page where there is a mark and every commit was looked at.
#[test]
fn an_idle_cleaner_of_mariadb_is_woken_by_dirty_pages() {
    let wakes = |mark, activity| {
        let mut server = of_mariadb(&[("innodb_max_dirty_pages_pct_lwm", mark)]);
        let v = clean(View { activity, ..view(1_000) });
        let actions = pass(server.as_mut(), &v, CleanerInput::Timeout, (0, 0), &v);
        let [CleanerAction::Checkpoint { wait: true }, CleanerAction::WaitForWork { until, dirty_pages, .. }] =
            actions[..]
        else {
            panic!("{actions:?}")
        };
        assert_eq!(until, SimTime::NEVER, "{mark}");
        dirty_pages
    };
    assert_eq!(["0", "1", "10"].map(|mark| wakes(mark, 0)), [9_000, 1, 1]);
    assert_eq!(["0", "1", "10"].map(|mark| wakes(mark, 5)), [9_000, 100, 1_000]);
}

#[test]
fn mariadb_writes_redo_up_to_the_end_of_its_file() {
    assert_eq!(of_mariadb(&[]).writer_limits().hard_bytes, (256 << 20) - 12_288);
}
