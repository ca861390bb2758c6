//! Each mistake of the past, beside the server of today.

use super::mariadb::{FIRST_LIMIT, OF_MARIADB, SECOND_LIMIT, aged};
use super::steps::{START, flush, kinds, pass, settings, view};
use innosim_core::seam::{CleanerAction, CleanerInput, FlushKind, ServerModel, View};
use innosim_flush_models::mariadb::mistakes::Mistake;
use innosim_flush_models::registry::{ModelId, build, build_with_mistake};

fn servers(mistake: Mistake, lines: &[(&str, &str)]) -> [Box<dyn ServerModel>; 2] {
    let settings = settings(ModelId::Mariadb1011, &[&OF_MARIADB, lines].concat());
    [build(&settings).unwrap(), build_with_mistake(&settings, mistake).unwrap()]
}

/// What each does in its pass of second 1.
fn passes(mistake: Mistake, lines: &[(&str, &str)], v: &View<'_>) -> [Vec<CleanerAction>; 2] {
    servers(mistake, lines).map(|mut server| {
        pass(server.as_mut(), &view(0), CleanerInput::Start, (0, 0), &view(0));
        pass(server.as_mut(), v, CleanerInput::Timeout, (1, 1), v)
    })
}

#[test]
fn they_have_names() {
    assert!(Mistake::all().all(|mistake| Mistake::parse(mistake.name()) == Some(mistake)));
    assert_eq!(Mistake::parse("mdev-1"), None);
}

#[test]
fn a_server_without_work_does_not_flush() {
    let background = servers(Mistake::Mdev24949, &[("innodb_max_dirty_pages_pct_lwm", "10")]).map(|mut server| {
        let v = |ms| View { dirty_pages: 100, ..view(ms) };
        let mut at = |ms, input| kinds(&pass(server.as_mut(), &v(ms), input, (1, 0), &v(ms)));
        at(0, CleanerInput::Start);
        at(1_000, CleanerInput::Timeout);
        at(2_000, CleanerInput::Timeout)
    });
    assert_eq!(background, [vec![FlushKind::Background], vec![]]);
}

#[test]
fn adaptive_flushing_does_not_begin_at_its_mark() {
    let [now, then] = passes(Mistake::Mdev25093, &[], &aged(1_000, 100_000_000));
    assert_eq!((kinds(&now), kinds(&then)), (vec![FlushKind::Adaptive], vec![]));
}

#[test]
fn the_recommendation_ignores_dirty_pages_and_age() {
    let pages = servers(Mistake::Mdev31939, &[("innodb_max_dirty_pages_pct_lwm", "10")]).map(|mut server| {
        let v = |ms| View { dirty_pages: 9_500, ..aged(ms, 100_000_000) };
        pass(server.as_mut(), &view(0), CleanerInput::Start, (0, 0), &view(0));
        pass(server.as_mut(), &v(1_000), CleanerInput::Timeout, (0, 0), &v(1_000));
        pass(server.as_mut(), &v(2_000), CleanerInput::Timeout, (0, 0), &v(2_000));
        server.gauges().n_to_flush_requested
    });
    assert_eq!(pages, [240, 233]);
}

#[test]
fn free_pages_are_made_only_when_somebody_waits() {
    let lru = |free_page_wanted| {
        let v = View { free_pages: 10, free_page_wanted, ..aged(1_000, 1_000) };
        passes(Mistake::Mdev33053, &[], &v).map(|actions| actions[0] == CleanerAction::WaitForBatches)
    };
    assert_eq!([false, true].map(lru), [[true, false], [true, true]]);
}

#[test]
fn furious_flushing_makes_no_free_pages_and_goes_to_the_end() {
    let age = SECOND_LIMIT + 1_000;
    let v = View { free_page_wanted: true, ..aged(1_000, age) };
    let first = servers(Mistake::Mdev34265, &[]).map(|mut server| {
        server.cleaner(&view(0), CleanerInput::Start);
        flush(server.cleaner(&v, CleanerInput::Timeout))
    });
    assert_eq!(first.each_ref().map(|request| request.kind), [FlushKind::LruOnly, FlushKind::Sync]);
    assert_eq!(first[1].lsn_limit, START + age);
}

/// A mistake is nothing but itself: the furious target of another is today's.
#[test]
fn one_mistake_is_not_another() {
    let v = aged(1_000, SECOND_LIMIT + 1_000);
    let targets = servers(Mistake::Mdev24949, &[]).map(|mut server| {
        server.cleaner(&view(0), CleanerInput::Start);
        flush(server.cleaner(&v, CleanerInput::Timeout)).lsn_limit
    });
    assert_eq!(targets, [START + SECOND_LIMIT + 1_000 - FIRST_LIMIT; 2]);
}
