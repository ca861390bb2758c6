//! Adaptive flushing of Percona Server 5.5, method by method (`percona` sections 1 and 2).

use super::steps::{Lists, ONE, START, done, flush, server, until_ms, view};
use innosim_core::seam::{CleanerAction, CleanerInput, FlushKind, FlushLists, PassReport, ServerModel, View};
use innosim_flush_models::registry::ModelId;

fn of_percona(method: &str) -> Box<dyn ServerModel> {
    of_percona_with(method, &[])
}

fn of_percona_with(method: &str, more: &[(&str, &str)]) -> Box<dyn ServerModel> {
    let lines = [
        ("innodb_adaptive_flushing_method", method),
        ("innodb_io_capacity", "1000"),
        ("innodb_log_file_size", "512M"),
        ("innodb_purge_threads", "1"),
    ];
    server(ModelId::Percona55, &[&lines, more].concat())
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

/// Redo of a tenth of a second that makes a tenth of the pages due: the async age is 760 392 301 bytes.
const TENTH_OF_AGE: u64 = 76_039_231;

/// What `keep_average` flushes, tenth by tenth of a second, with so many tenths of redo, of dirty pages in the pool and in
/// the list; each flush finds all that it asks for.
fn tenths_of_keep_average(tenths: &[(u64, u64, &'static Lists)]) -> Vec<u64> {
    let mut server = of_percona("keep_average");
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
    let at = |redo, dirty| (redo, dirty, &ONE);
    assert_eq!(tenths_of_keep_average(&[at(0, 1), at(1, 9_000), at(2, 1), at(3, 1)]), [0, 1_000, 0, 91]);
    assert_eq!(tenths_of_keep_average(&[at(0, 1), at(1, 7_599)]), [0, 91]);
}

/// A flush for the share of dirty pages is a pass of a second in every method, however long it takes of that second.
#[test]
fn a_pass_for_dirty_pages_is_a_second_in_keep_average() {
    let mut server = of_percona("keep_average");
    let v = |ms| View { dirty_pages: 9_000, activity: ms, pending_reads: 1_000, ..view(ms) };
    assert_eq!(until_ms(server.cleaner(&v(0), CleanerInput::Start)), 100);
    flush(server.cleaner(&v(100), CleanerInput::Timeout));
    assert_eq!(until_ms(server.cleaner(&v(400), done(1_000, 0))), 1_100);
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
        // The next pass begins at once, and flushes again.
        let next = server.cleaner(&View { activity: 6, ..v }, done(7, 0));
        assert_eq!(flush(next).slots, request.slots);
        (request.slots[0], 1_000)
    };
    let ages = [434_509_886, 434_509_887, 651_764_829, 651_764_830];
    assert_eq!(ages.map(pass), [(0, 2_000), (100, 1_000), (100, 1_000), (1_000, 1_000)]);
}

#[test]
fn reflex_flushes_nothing_while_nothing_is_dirty() {
    let mut server = of_percona("reflex");
    server.cleaner(&view(0), CleanerInput::Start);
    let clean = View { oldest_modification_lsn: 0, dirty_pages: 0, activity: 1, pending_reads: 1_000, ..view(1_000) };
    assert_eq!(until_ms(server.cleaner(&clean, CleanerInput::Timeout)), 2_000);
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
        let next = server.cleaner(&v(2_100, age + 50_000_000), CleanerInput::Done(report));
        assert!(matches!(next, CleanerAction::Wait { wake_on_event: false, .. }), "{next:?}");
        until_ms(next)
    };
    assert_eq!([0, 1].map(after), [3_000, 2_105]);
}

/// Only a flush of the method itself is tried again where an instance was busy.
#[test]
fn a_flush_for_dirty_pages_is_not_tried_again() {
    let mut server = of_percona("estimate");
    let v = View { dirty_pages: 9_000, activity: 1, pending_reads: 1_000, ..view(1_000) };
    server.cleaner(&view(0), CleanerInput::Start);
    assert_eq!(flush(server.cleaner(&v, CleanerInput::Timeout)).lsn_limit, u64::MAX);
    let busy = CleanerInput::Done(PassReport { busy_instances: 1, ..PassReport::default() });
    assert_eq!(until_ms(server.cleaner(&v, busy)), 2_000);
}

/// Each list is looked at by its own number, with its pages under write: 1200 pages over ten times the redo of a tenth of a second
/// are 120, and one more.
#[test]
fn keep_average_looks_at_every_list() {
    struct Two;
    impl FlushLists for Two {
        fn instances(&self) -> u32 {
            2
        }
        fn listed(&self, _: u32) -> u64 {
            100
        }
        fn pages_up_to(&self, instance: u32, _: u64, cap: u64) -> u64 {
            [900, 300][instance as usize].min(cap)
        }
    }
    let two = [("innodb_buffer_pool_size", "2G"), ("innodb_buffer_pool_instances", "2")];
    let mut server = of_percona_with("keep_average", &two);
    let at = |tenth: u64| View {
        current_lsn: START + tenth * TENTH_OF_AGE,
        activity: tenth,
        pending_reads: 1_000,
        lists: &Two,
        ..view(tenth * 100)
    };
    server.cleaner(&at(0), CleanerInput::Start);
    assert_eq!(until_ms(server.cleaner(&at(1), CleanerInput::Timeout)), 200);
    assert_eq!(flush(server.cleaner(&at(2), CleanerInput::Timeout)).slots, [61, 61]);
}
