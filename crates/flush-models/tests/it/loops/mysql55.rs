//! The master thread of 5.5 (`innodb-5.5` section 3).

use super::steps::{START, done, flush, server, until_ms, view};
use innosim_core::seam::{
    CleanerAction, CleanerInput, FlushGauges, FlushKind, FreeCheck, FreeCheckWait, PassReport, View,
};
use innosim_flush_models::registry::ModelId;

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

/// Fewer reads and writes in a round than twice the I/O capacity flush all of it, whatever went before the round; a tenth of it
/// follows in any case.
#[test]
fn a_round_of_55_counts_its_own_io() {
    let flushes = |reads: u64| {
        let lines = [("innodb_io_capacity", "1000"), ("innodb_log_file_size", "512M"), ("innodb_purge_threads", "1")];
        let mut server = server(ModelId::Mysql55, &lines);
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

/// What a thread of a server with two files of 512 MiB does at these ages of the oldest page and of the checkpoint, whose flush
/// finds so many instances busy. The limits are 760 392 301, 814 706 037, 841 862 905 and 869 019 772 bytes.
fn thread_of_55(modified_age: u64, checkpoint_age: u64, busy_instances: u64) -> [FreeCheck; 3] {
    let mut server = server(ModelId::Mysql55, &[("innodb_log_file_size", "512M")]);
    let current_lsn = START + checkpoint_age;
    let v = View { current_lsn, oldest_modification_lsn: current_lsn - modified_age, ..view(1) };
    let mut wait = FreeCheckWait::default();
    [(); 3].map(|()| {
        let answer = server.free_check(&v, &mut wait);
        if let FreeCheck::Flush(_) = answer {
            wait.report = PassReport { busy_instances, ..PassReport::default() };
        }
        answer
    })
}

/// A thread takes the checkpoint that it decided on before it flushed; beyond the sync limit it waits for all batches before, and
/// looks again if others were in its way. Not so below.
#[test]
fn a_thread_of_55_remembers_its_checkpoint() {
    let [goes_on, waits] = [false, true].map(|wait| FreeCheck::Checkpoint { wait });
    for (age, checkpoint) in [(850_000_000, goes_on.clone()), (870_000_000, waits)] {
        let [FreeCheck::Flush(_), then, last] = thread_of_55(age, age, 0) else { panic!("{age}") };
        assert_eq!((then, last), (FreeCheck::WaitForBatches, checkpoint), "{age}");
    }
    let disturbed = thread_of_55(850_000_000, 850_000_000, 1);
    let [FreeCheck::Flush(_), FreeCheck::WaitForBatches, FreeCheck::Flush(_)] = disturbed else {
        panic!("{disturbed:?}")
    };
    for busy_instances in [0, 1] {
        let [FreeCheck::Flush(_), then, last] = thread_of_55(800_000_000, 850_000_000, busy_instances) else {
            panic!()
        };
        assert_eq!((then, last), (goes_on.clone(), FreeCheck::Proceed));
        let [FreeCheck::Flush(_), then, _] = thread_of_55(800_000_000, 800_000_000, busy_instances) else { panic!() };
        assert_eq!(then, FreeCheck::Proceed);
    }
}

/// Gauges are means of twenty seconds: 65 pages of LRU batches, 143 bytes of redo.
#[test]
fn gauges_of_55_are_means_of_twenty_seconds() {
    let mut server = server(ModelId::Mysql55, &[]);
    server.monitor(&view(500));
    server.monitor(&View { current_lsn: START + 143, lru_pages_flushed: 65, ..view(1_500) });
    let expected = FlushGauges { lsn_avg_rate: 7, avg_page_rate: 3, ..FlushGauges::default() };
    assert_eq!(server.gauges(), expected);
}
