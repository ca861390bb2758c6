//! The checkpoint of TNT.

use super::steps::{START, done, flush, server, until_ms, view, wait_ms};
use innosim_core::seam::{
    CheckpointerInput, CheckpointerNext, CleanerAction, CleanerInput, FlushKind, ServerModel, View,
};
use innosim_flush_models::registry::ModelId;

const MIB: u64 = 1 << 20;

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
        assert!(
            matches!(wait, CleanerAction::Wait { wake_on_event: true, .. }),
            "who finds no free page ends it: {wait:?}"
        );
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

/// A pass is over as soon as nothing is dirty.
#[test]
fn a_pass_of_tnt_ends_when_nothing_is_dirty() {
    let mut server = server(ModelId::Tnt, &[("ntse_checkpoint_interval", "10")]);
    let v = |ms, oldest_modification_lsn| View { oldest_modification_lsn, activity: ms, ..view(ms) };
    let mut limit = |ms, oldest_after| {
        let request = flush(server.cleaner(&v(ms, START), CleanerInput::Timeout));
        server.cleaner(&v(ms, oldest_after), done(0, 0));
        request.lsn_limit
    };
    // The first pass goes on while a page is older than its beginning; the next one begins ten seconds after its end.
    assert_eq!(
        [(10_000, START - 1), (11_000, 0), (12_000, 0)].map(|(ms, oldest)| limit(ms, oldest)),
        [START, START, u64::MAX]
    );
}
