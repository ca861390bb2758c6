//! The threads of 5.6 and 5.7 (`innodb-5.6` and `innodb-5.7` sections 2 and 3).

use super::steps::{START, done, probed, server, view, wait_ms};
use innosim_core::kernel::time::SimDuration;
use innosim_core::seam::{
    CheckpointerInput, CheckpointerNext, CleanerAction, CleanerInput, FlushKind, FreeCheck, FreeCheckWait, PassReport,
    View,
};
use innosim_flush_models::legacy::redo_geometry::LogAges;
use innosim_flush_models::registry::ModelId;

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

/// What a thread of a server with two files of 512 MiB does at an age of all pages and the checkpoint; `then` is what it sees after
/// its first answer.
fn thread(model: ModelId, age: u64, busy_instances: u64, then: fn(View<'static>) -> View<'static>) -> [FreeCheck; 3] {
    let mut server = server(model, &[("innodb_log_file_size", "512M")]);
    let v = || View { current_lsn: START + age, ..view(1) };
    let mut wait = FreeCheckWait::default();
    let first = server.free_check(&v(), &mut wait);
    wait.report = PassReport { busy_instances, ..PassReport::default() };
    let [second, third] = [(); 2].map(|()| server.free_check(&then(v()), &mut wait));
    [first, second, third]
}

/// Beyond the sync limit a thread of 5.6 flushes, waits for all batches, and looks again if others were in its way; else it takes
/// the checkpoint that it decided on before.
#[test]
fn a_thread_of_56_looks_again_where_it_was_disturbed() {
    let limits = server(ModelId::Mysql56, &[("innodb_log_file_size", "512M")]).age_limits();
    let at = |age, busy| {
        let [FreeCheck::Flush(_), FreeCheck::WaitForBatches, last] = thread(ModelId::Mysql56, age, busy, |v| v) else {
            panic!("{age}, {busy}")
        };
        last
    };
    assert_eq!(at(limits.sync_bytes + 1, 0), FreeCheck::Proceed);
    assert_eq!(at(limits.stop_bytes + 1, 0), FreeCheck::Checkpoint { wait: true });
    assert!(matches!(at(limits.sync_bytes + 1, 1), FreeCheck::Flush(_)));
}

/// One of 5.7 asks the cleaner, and polls until no page is older than its target: then comes its checkpoint. Nothing dirty is as
/// good as pages written.
#[test]
fn a_thread_of_57_waits_for_its_target() {
    let limits = server(ModelId::Mysql57, &[("innodb_log_file_size", "512M")]).age_limits();
    let sleep = FreeCheck::Sleep { duration: SimDuration::from_millis(10), wake_checkpointer: false };
    let checkpoint = FreeCheck::Checkpoint { wait: true };
    let at = |then| {
        let [FreeCheck::WakeCleaner { .. }, second, third] = thread(ModelId::Mysql57, limits.stop_bytes + 1, 0, then)
        else {
            panic!()
        };
        (second, third)
    };
    assert_eq!(at(|v| v), (sleep.clone(), sleep));
    let clean = at(|v| View { oldest_modification_lsn: 0, ..v });
    assert_eq!(clean.0, checkpoint);
    let written = at(|v| View { oldest_modification_lsn: v.current_lsn, ..v });
    assert_eq!(written.0, checkpoint);
}

/// A mini-transaction of a block that finds no room in the redo log, 966 363 956 bytes, sleeps 100 ms first where only old pages
/// would make some.
#[test]
fn a_mini_transaction_of_57_is_one_block() {
    let capacity = LogAges::new(512 << 20, 2, 16_384, 0).unwrap().log_group_capacity;
    let at = |age| thread(ModelId::Mysql57, age, 0, |v| v)[0].clone();
    assert!(matches!(at(capacity - 512), FreeCheck::WakeCleaner { .. }));
    assert_eq!(
        at(capacity - 511),
        FreeCheck::Sleep { duration: SimDuration::from_millis(100), wake_checkpointer: false }
    );
}

/// A rule of 5.6 is told what its last flush wrote; what is not flushed is nothing.
#[test]
fn a_rule_of_56_is_told_its_pages() {
    let told = |n_pages| {
        let (mut server, told) = probed(ModelId::Mysql56, &[], n_pages, &[]);
        let mut input = CleanerInput::Start;
        for (second, pages) in [(0, 0), (1, 300), (2, 7), (3, 0), (4, 0)] {
            let v = View { activity: second, ..view(second * 1_000) };
            loop {
                input = match server.cleaner(&v, input) {
                    CleanerAction::Flush(request) => match request.kind {
                        FlushKind::LruOnly => done(0, 5),
                        FlushKind::Adaptive => done(pages, 0),
                        _ => done(0, 0),
                    },
                    CleanerAction::Wait { .. } => break,
                    other => panic!("{other:?}"),
                };
            }
            input = CleanerInput::Timeout;
        }
        told.lock().unwrap().clone()
    };
    assert_eq!(told(400), [0, 300, 7, 0]);
    assert_eq!(told(0), [0; 4]);
}
