//! The machinery behind the seam: the master thread's rounds, its idle loop, and the free check of user threads.

use super::*;
use crate::registry::{ModelId, Value, lookup, parse_value};
use innosim_core::config::{DoublewriteConfig, FlushNeighbors};
use innosim_core::kernel::time::SimTime;
use innosim_core::seam::{FlushKind, FlushLists, FlushRequest, PassReport};
use std::collections::BTreeMap;

const GIB: u64 = 1 << 30;

/// Lists of one length, oldest page first at a given LSN and the next ones a step apart.
struct Lists {
    first: u64,
    step: u64,
    count: u64,
}

impl FlushLists for Lists {
    fn instances(&self) -> u32 {
        1
    }
    fn listed(&self, _: u32) -> u64 {
        self.count
    }
    fn sum_of_oldest(&self, _: u32) -> u128 {
        (0..self.count).map(|k| u128::from(self.first + k * self.step)).sum()
    }
    fn pages_up_to(&self, _: u32, lsn: u64, cap: u64) -> u64 {
        (0..self.count).filter(|k| self.first + k * self.step <= lsn).count().min(cap as usize) as u64
    }
}

const NO_LISTS: Lists = Lists { first: 0, step: 0, count: 0 };

fn resolved(model: ModelId, lines: &[(&str, &str)]) -> Result<Settings, SettingsError> {
    let read = |(name, text): &(&str, &str)| {
        let setting = lookup(model, name).unwrap();
        (setting.name, parse_value(&setting, text).unwrap())
    };
    Settings::resolve(model, &lines.iter().map(read).collect::<BTreeMap<&'static str, Value>>())
}

fn server(model: ModelId, lines: &[(&str, &str)]) -> Mysql55 {
    Mysql55::build(&resolved(model, lines).unwrap()).unwrap()
}

/// A server with two files of 512M: limits at 760 392 301, 814 706 037, 841 862 905 and 869 019 772 bytes.
fn big_log() -> Mysql55 {
    server(ModelId::Mysql55, &[("innodb_log_file_size", "512M"), ("innodb_io_capacity", "1000")])
}

fn at(seconds: f64) -> SimTime {
    SimTime::ZERO + SimDuration((seconds * 1e9) as u64)
}

fn view(lists: &Lists, now: SimTime) -> View<'_> {
    View {
        now,
        current_lsn: 8204,
        last_checkpoint_lsn: 8204,
        lru_pages: 4000,
        free_pages: 4000,
        ..View::at_rest(lists)
    }
}

/// What the thread does next, for a list of steps.
fn name(action: &CleanerAction) -> String {
    match action {
        CleanerAction::Wait { until, .. } => format!("wait until {}", until.0 as f64 / 1e9),
        CleanerAction::Flush(request) => format!("flush {:?}", request.slots),
        CleanerAction::WaitForBatches => "wait for batches".to_owned(),
        CleanerAction::Purge => "purge".to_owned(),
        CleanerAction::MergeChanges { pages, wait } => format!("merge {pages}, wait {wait}"),
        CleanerAction::Checkpoint { wait } => format!("checkpoint, wait {wait}"),
        CleanerAction::SyncRedo => "sync redo".to_owned(),
        CleanerAction::WaitForWork { lsn, .. } => format!("sleep until LSN {lsn}"),
    }
}

/// What the thread does after `input` but for merging, which finds nothing.
fn after(server: &mut Mysql55, view: &View<'_>, input: CleanerInput) -> CleanerAction {
    match server.cleaner(view, input) {
        CleanerAction::MergeChanges { .. } => server.cleaner(view, CleanerInput::Merging { pages: 0 }),
        action => action,
    }
}

/// Answers the master thread's steps, each taking no time but its sleeps, until it has made `steps`.
fn steps(server: &mut Mysql55, steps: usize, activity: impl Fn(f64) -> u64, reads_a_second: u64) -> Vec<String> {
    let mut now = SimTime::ZERO;
    let mut input = CleanerInput::Start;
    let mut all = Vec::new();
    for _ in 0..steps {
        let seconds = now.0 as f64 / 1e9;
        let page_reads = (seconds * reads_a_second as f64) as u64;
        let action = server.cleaner(&View { activity: activity(seconds), page_reads, ..view(&NO_LISTS, now) }, input);
        all.push(name(&action));
        input = match action {
            CleanerAction::Wait { until, .. } => {
                now = until;
                CleanerInput::Timeout
            }
            CleanerAction::WaitForWork { .. } => {
                now += SimDuration::from_secs(100);
                CleanerInput::Event
            }
            CleanerAction::WaitForBatches => CleanerInput::BatchesOver,
            CleanerAction::Purge => CleanerInput::Purged,
            CleanerAction::MergeChanges { .. } => CleanerInput::Merging { pages: 0 },
            CleanerAction::Checkpoint { .. } => CleanerInput::CheckpointTaken,
            CleanerAction::SyncRedo => CleanerInput::RedoSynced,
            CleanerAction::Flush(_) => CleanerInput::Done(PassReport::default()),
        };
    }
    all
}

#[test]
fn a_busy_round_is_ten_seconds_and_three_flushes() {
    let all = steps(&mut big_log(), 16, |now| (now * 10.0) as u64 + 1, 50);
    let waits: Vec<String> = (1..=10).map(|s| format!("wait until {s}")).collect();
    assert_eq!(all[..10], waits);
    // I/O was low: the full capacity; then a tenth of it in any case.
    let rest =
        ["flush [1000]", "merge 50, wait false", "purge", "flush [100]", "checkpoint, wait true", "wait until 11"];
    assert_eq!(all[10..], rest);
}

#[test]
fn changes_are_merged_in_a_pass_with_little_other_io() {
    // 5 % of 1000 are 50 a second, 200 % of it 2000 in ten seconds.
    for (reads_a_second, merges, low_io) in [(49, true, true), (50, false, true), (200, false, false)] {
        let all = steps(&mut big_log(), 30, |now| (now * 10.0) as u64 + 1, reads_a_second);
        let merge = "merge 50, wait false";
        let passes = all.iter().position(|step| step == "wait until 10").unwrap();
        assert_eq!(all[..passes].iter().filter(|step| *step == merge).count(), if merges { 9 } else { 0 });
        let purge = all.iter().position(|step| step == "purge").unwrap();
        assert_eq!(all[purge - 1], merge, "with {reads_a_second} reads a second");
        assert_eq!(all[purge - 2] == "flush [1000]", low_io);
    }
}

#[test]
fn an_idle_server_flushes_without_sleep_and_is_suspended_when_clean() {
    let mut clean = big_log();
    let all = steps(&mut clean, 9, |_| 0, 0);
    assert_eq!(
        all,
        [
            "wait until 1",
            "merge 50, wait false",
            "purge",
            "merge 1000, wait true",
            "flush [1000]",
            "wait for batches",
            "checkpoint, wait true",
            "sleep until LSN 8205",
            "wait until 102"
        ]
    );
    let nothing = PassReport::default();
    let worked = [(0, PassReport { list_pages: 7, ..nothing }, "purge"), (3, nothing, "purge"), (0, nothing, "sleep")];
    for (pages, flushed, next) in worked {
        let mut idle = big_log();
        idle.cleaner(&view(&NO_LISTS, at(0.0)), CleanerInput::Start);
        let now = view(&NO_LISTS, at(1.0));
        let mut action = after(&mut idle, &now, CleanerInput::Timeout);
        let (merging, done) = (CleanerInput::Merging { pages }, CleanerInput::Done(flushed));
        for input in [CleanerInput::Purged, merging, done, CleanerInput::BatchesOver, CleanerInput::CheckpointTaken] {
            assert!(!matches!(action, CleanerAction::WaitForWork { .. }));
            action = idle.cleaner(&now, input);
        }
        // It goes on at once as long as there was anything to do.
        assert!(name(&action).starts_with(next), "{action:?} after {pages} pages merged, {flushed:?}");
    }
}

#[test]
fn the_desired_rate_follows_redo_and_dirty_pages() {
    let mut server = big_log();
    let mut lsn = 10_000_000;
    for _ in 0..25 {
        server.monitor(&View { current_lsn: lsn, ..view(&NO_LISTS, at(0.0)) });
        lsn += 8_000_000;
    }
    lsn -= 8_000_000;
    after(&mut server, &view(&NO_LISTS, at(0.0)), CleanerInput::Start);
    let busy = View {
        current_lsn: lsn,
        last_checkpoint_lsn: lsn,
        dirty_pages: 2_000,
        activity: 5,
        ..view(&NO_LISTS, at(1.0))
    };
    // 2000 pages x 8 MB/s over a capacity of 966 MB.
    let CleanerAction::Flush(request) = after(&mut server, &busy, CleanerInput::Timeout) else { panic!("no flush") };
    assert_eq!((request.slots, request.kind, request.lsn_limit), (vec![16], FlushKind::Adaptive, u64::MAX));
    assert_eq!(server.gauges().lsn_avg_rate, 8_000_000);
    let many = View { dirty_pages: 7_000, ..busy };
    after(&mut server, &many, CleanerInput::Done(PassReport::default()));
    let action = after(&mut server, &View { now: at(2.0), ..many }, CleanerInput::Timeout);
    assert_eq!(name(&action), "flush [1000]", "more than 75 % dirty");
}

/// A view with these ages, bytes.
fn aged(lists: &Lists, modified_age: u64, checkpoint_age: u64) -> View<'_> {
    let lsn = 50 * GIB;
    View {
        current_lsn: lsn,
        oldest_modification_lsn: lsn - modified_age,
        last_checkpoint_lsn: lsn - checkpoint_age,
        dirty_pages: 1000,
        ..view(lists, at(0.0))
    }
}

fn flush(answer: FreeCheck) -> FlushRequest {
    match answer {
        FreeCheck::Flush(request) => request,
        other => panic!("{other:?} instead of a flush"),
    }
}

#[test]
fn between_the_limits_one_user_thread_flushes_and_goes_on() {
    let mut server = big_log();
    let asks = aged(&NO_LISTS, 760_392_301 + 1_000_000, 770_000_000);
    let mut wait = FreeCheckWait::default();
    let request = flush(server.free_check(&asks, &mut wait));
    assert_eq!(request.lsn_limit, asks.oldest_modification_lsn + 1_000_000);
    assert!(request.limit_on_tail_only && request.slots == [u64::MAX] && request.kind == FlushKind::Sync);
    // Another thread comes meanwhile, finds the instance busy and goes on at once.
    let mut other = FreeCheckWait::default();
    flush(server.free_check(&asks, &mut other));
    other.report = PassReport { busy_instances: 1, ..PassReport::default() };
    assert_eq!(server.free_check(&asks, &mut other), FreeCheck::Proceed);
    let after = aged(&NO_LISTS, 760_000_000, 770_000_000);
    assert_eq!(server.free_check(&after, &mut wait), FreeCheck::Proceed);
    assert_eq!(server.free_check(&after, &mut FreeCheckWait::default()), FreeCheck::Proceed);
}

#[test]
fn beyond_the_sync_limit_every_user_thread_waits() {
    let mut server = big_log();
    let asks = aged(&NO_LISTS, 814_706_037 + 1_000_000, 820_000_000);
    let mut wait = FreeCheckWait::default();
    let request = flush(server.free_check(&asks, &mut wait));
    assert_eq!(request.lsn_limit, asks.oldest_modification_lsn + 2_000_000, "twice the excess");
    wait.report.busy_instances = 1;
    assert_eq!(server.free_check(&asks, &mut wait), FreeCheck::WaitForBatches);
    // Somebody else's batch was in its way, so it looks again, whatever others did to the flag.
    flush(server.free_check(&asks, &mut wait));
    wait.report.busy_instances = 0;
    assert_eq!(server.free_check(&asks, &mut wait), FreeCheck::WaitForBatches);
    assert_eq!(server.free_check(&aged(&NO_LISTS, 700_000_000, 820_000_000), &mut wait), FreeCheck::Proceed);
}

#[test]
fn an_old_checkpoint_is_taken_by_a_user_thread() {
    let mut server = big_log();
    let mut wait = FreeCheckWait::default();
    let asks = aged(&NO_LISTS, 1_000, 841_862_906);
    assert_eq!(server.free_check(&asks, &mut wait), FreeCheck::Checkpoint { wait: false });
    assert_eq!(server.free_check(&asks, &mut wait), FreeCheck::Proceed);
    let asks = aged(&NO_LISTS, 1_000, 869_019_773);
    assert_eq!(server.free_check(&asks, &mut wait), FreeCheck::Checkpoint { wait: true });
    assert_eq!(server.free_check(&aged(&NO_LISTS, 1_000, 1_000), &mut wait), FreeCheck::Proceed);
    server.checkpoint_published(&aged(&NO_LISTS, 1_000, 1_000));
    assert_eq!(server.free_check_limit_lsn(), 50 * GIB - 1_000 + 760_392_301);
}

#[test]
fn the_master_thread_can_be_caught_in_the_free_check() {
    let mut server = big_log();
    server.cleaner(&view(&NO_LISTS, at(0.0)), CleanerInput::Start);
    let full = View { now: at(1.0), ..aged(&NO_LISTS, 820_000_000, 830_000_000) };
    let action = server.cleaner(&full, CleanerInput::Timeout);
    assert!(matches!(&action, CleanerAction::Flush(request) if request.kind == FlushKind::Sync), "{action:?}");
    let action = server.cleaner(&full, CleanerInput::Done(PassReport::default()));
    assert_eq!(name(&action), "wait for batches");
}

#[test]
fn estimate_flushes_up_to_one_second_of_redo_and_tries_again_when_busy() {
    let lines = [("innodb_log_file_size", "512M"), ("innodb_adaptive_flushing_method", "estimate")];
    let mut server = server(ModelId::Percona55, &lines);
    let lists = Lists { first: 10 * GIB, step: 400_000, count: 1_000 };
    let seen = |now: f64, lsn| View {
        now: at(now),
        current_lsn: lsn,
        last_checkpoint_lsn: lsn,
        oldest_modification_lsn: lists.first,
        dirty_pages: lists.count,
        activity: (now * 100.0) as u64,
        ..view(&lists, at(now))
    };
    let lsn = 10 * GIB + 400_000_000;
    after(&mut server, &seen(0.0, lsn), CleanerInput::Start);
    // The first pass knows no earlier LSN.
    let action = after(&mut server, &seen(1.0, lsn), CleanerInput::Timeout);
    assert_eq!(name(&action), "wait until 2");
    let CleanerAction::Flush(request) = after(&mut server, &seen(2.0, lsn + 5_000_000), CleanerInput::Timeout) else {
        panic!("no flush")
    };
    // 1000 pages, on average 664 MB away from the limit, and 5 MB of redo.
    assert_eq!((request.slots[0], request.lsn_limit, request.pages_counted), (7, 10 * GIB + 5_000_000, 1_000));
    let busy = CleanerInput::Done(PassReport { busy_instances: 1, ..PassReport::default() });
    let action = after(&mut server, &seen(2.0, lsn + 5_000_000), busy);
    assert_eq!(name(&action), "wait until 2.005");
    let CleanerAction::Flush(again) = after(&mut server, &seen(2.005, lsn + 5_000_000), CleanerInput::Timeout) else {
        panic!("no second try")
    };
    assert_eq!((again.slots[0], again.pages_counted), (7, 0), "the lists are not gone through again");
}

#[test]
fn keep_average_decides_ten_times_a_second() {
    let lines = [("innodb_log_file_size", "512M"), ("innodb_adaptive_flushing_method", "keep_average")];
    let mut server = server(ModelId::Percona55, &lines);
    let lists = Lists { first: 10 * GIB, step: 1_000, count: 10_000 };
    let seen = |now: f64, lsn| View {
        current_lsn: lsn,
        last_checkpoint_lsn: lsn,
        oldest_modification_lsn: lists.first,
        activity: (now * 100.0) as u64,
        ..view(&lists, at(now))
    };
    let lsn = 10 * GIB + 10_000_000;
    assert_eq!(name(&after(&mut server, &seen(0.0, lsn), CleanerInput::Start)), "wait until 0.1");
    // The first round only remembers.
    assert_eq!(name(&after(&mut server, &seen(0.1, lsn), CleanerInput::Timeout)), "wait until 0.2");
    // Nothing entered, nothing left: 10 000 pages x 1 MB over 760 MB make 13, and one more.
    assert_eq!(name(&after(&mut server, &seen(0.2, lsn + 1_000_000), CleanerInput::Timeout)), "flush [14]");
    // It finds a batch under way: unlike `estimate` it leaves that to the next round.
    let busy = CleanerInput::Done(PassReport { busy_instances: 1, ..PassReport::default() });
    assert_eq!(name(&after(&mut server, &seen(0.2, lsn + 1_000_000), busy)), "wait until 0.3");
}

#[test]
fn keep_average_flushes_for_dirty_pages_once_a_second() {
    let lines = [("innodb_log_file_size", "512M"), ("innodb_adaptive_flushing_method", "keep_average")];
    let mut server = server(ModelId::Percona55, &lines);
    let dirty = |now: f64| View { dirty_pages: 7_000, activity: (now * 100.0) as u64, ..view(&NO_LISTS, at(now)) };
    assert_eq!(name(&after(&mut server, &dirty(0.0), CleanerInput::Start)), "wait until 0.1");
    let mut flushes = 0;
    let mut now = 0.1;
    loop {
        assert_eq!(name(&after(&mut server, &dirty(now), CleanerInput::Timeout)), "flush [200]", "at {now} s");
        flushes += 1;
        let action = after(&mut server, &dirty(now), CleanerInput::Done(PassReport::default()));
        let CleanerAction::Wait { until, .. } = action else { break };
        assert!(until.0.abs_diff(at(now + 1.0).0) < 10);
        now += 1.0;
    }
    assert_eq!(flushes, 10, "a round");
}

#[test]
fn settings_become_the_machine() {
    let machine = |model, lines: &[(&str, &str)]| server(model, lines).config().clone();
    let plain = machine(ModelId::Mysql55, &[]);
    assert_eq!((plain.buffer_pool.pages, plain.buffer_pool.instances), (8192, 1));
    assert_eq!(plain.flush_neighbors, FlushNeighbors::Area);
    assert!(matches!(plain.doublewrite, DoublewriteConfig::Shared { batch_pages: 128, area_pages: 64, .. }));
    assert_eq!(plain.aio_write_slots, 1024);
    assert_eq!(machine(ModelId::Mysql55, &[("innodb_use_native_aio", "OFF")]).aio_write_slots, 4);
    let percona = machine(ModelId::Percona55, &[("innodb_flush_neighbor_pages", "none"), ("innodb_doublewrite", "0")]);
    let take_mutex = [&plain, &percona].map(|server| server.buffer_pool.accesses_take_mutex);
    assert_eq!(take_mutex, [true, false], "the page hash of Percona Server has a latch of its own");
    assert_eq!((percona.flush_neighbors, percona.doublewrite), (FlushNeighbors::None, DoublewriteConfig::Off));
}

#[test]
fn a_redo_log_of_4g_is_refused() {
    let refused = |model, lines: &[(&str, &str)]| {
        let error = resolved(model, lines).unwrap_err();
        format!("{error}; {}", error.help)
    };
    let files = [("innodb_log_file_size", "2G")];
    assert_eq!(
        refused(ModelId::Mysql55, &files),
        "innodb_log_file_size: the redo log would be 4G (2 files); MySQL 5.5 refuses to start with 4G or more; lower \
         innodb_log_file_size to 2047M or less"
    );
    assert!(refused(ModelId::Mysql55, &[("innodb_log_file_size", "10G")]).contains("would be 20G"));
    assert!(resolved(ModelId::Percona55, &files).is_ok());
    assert!(refused(ModelId::Percona55, &[("innodb_log_file_size", "300G")]).contains("at most 512G"));
    let threads = refused(ModelId::Mysql55, &[("innodb_thread_concurrency", "70")]);
    assert!(threads.contains("refuses to start") && threads.contains("5373952 bytes"), "{threads}");
}

#[test]
fn later_settings_are_named_with_what_to_use() {
    let error = |model, name| lookup(model, name).unwrap_err();
    let max = error(ModelId::Mysql55, "innodb_io_capacity_max");
    assert_eq!(max.to_string(), "innodb_io_capacity_max: not a setting of mysql-5.5; it exists from MySQL 5.6");
    assert_eq!(max.suggestion, Some("innodb_io_capacity"));
    let neighbors = error(ModelId::Percona55, "innodb_flush_neighbors");
    assert_eq!(neighbors.suggestion, Some("innodb_flush_neighbor_pages"));
    assert!(error(ModelId::Mysql55, "innodb_adaptive_flushing_method").why.contains("Percona Server 5.5"));
    assert!(error(ModelId::Mysql55, "innodb_redo_log_capacity").why.contains("8.0.30"));
    // What later servers retired is known here, and does nothing.
    assert!(error(ModelId::Mysql55, "innodb_file_format").why.starts_with("no effect"));
    assert!(error(ModelId::Mysql8030, "innodb_file_format").why.contains("until MySQL 5.7"));
    assert!(error(ModelId::Mysql55, "innodb_undo_tablespaces").why.contains("from MySQL 5.6"));
}

#[test]
fn names_of_the_servers() {
    for (text, model) in [
        ("5.5", ModelId::Mysql55),
        ("5.5.9", ModelId::Mysql55),
        ("mysql-5.5", ModelId::Mysql55),
        ("percona-5.5", ModelId::Percona55),
        ("Percona Server 5.5", ModelId::Percona55),
        ("percona-server-5.5.41-37.0", ModelId::Percona55),
    ] {
        assert_eq!(ModelId::parse(text), Ok(model), "{text}");
    }
    assert_eq!(ModelId::parse("percona-5.6"), Ok(ModelId::Mysql56), "the nearest");
}
