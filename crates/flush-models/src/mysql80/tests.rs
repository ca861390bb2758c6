//! The machinery behind the seam: it never spins, and it does what the specification tells.

mod others;
mod progress;

use super::*;
use crate::registry::{ModelId, Value, build};
use innosim_core::config::{DataSync, DoublewriteConfig, FreePagePolicy};
use innosim_core::seam::{AdaptiveFlushing, CheckpointerNext, FlushLists, RuleInput};
use std::collections::BTreeMap;

const GIB: u64 = 1 << 30;
/// The models of this machinery.
const MODELS: [ModelId; 7] = [
    ModelId::Mysql8021,
    ModelId::Mysql8027,
    ModelId::Mysql8030,
    ModelId::Percona80,
    ModelId::Mysql84,
    ModelId::Percona84,
    ModelId::Mysql97,
];

/// Lists that always hold some pages.
struct Lists(u32, u64);

impl FlushLists for Lists {
    fn instances(&self) -> u32 {
        self.0
    }
    fn pages_up_to(&self, _instance: u32, _lsn: u64, cap: u64) -> u64 {
        self.1.min(cap)
    }
}

fn settings(model: ModelId, lines: &[(&'static str, Value)]) -> Settings {
    let mut all: BTreeMap<&'static str, Value> =
        [("innodb_buffer_pool_size", Value::Integer(4 * GIB)), ("innodb_log_file_size", Value::Integer(GIB / 2))]
            .into();
    all.extend(lines.iter().copied());
    Settings::resolve(model, &all).unwrap()
}

fn view(lists: &Lists, now: SimTime) -> View<'_> {
    View {
        now,
        current_lsn: 8204,
        written_lsn: 8204,
        durable_lsn: 8204,
        last_checkpoint_lsn: 8204,
        oldest_modification_lsn: 0,
        dirty_pages: 0,
        lru_pages: 200_000,
        free_pages: 60_000,
        activity: 0,
        ..View::at_rest(lists)
    }
}

/// `action`, or what comes after it where the redo is to be made durable first and is so at once.
fn redo_durable(server: &mut dyn ServerModel, view: &View<'_>, action: CleanerAction) -> CleanerAction {
    if action == CleanerAction::SyncRedo { server.cleaner(view, CleanerInput::RedoSynced) } else { action }
}

/// What the page cleaner does at the end of a second.
fn timed_out(server: &mut dyn ServerModel, view: &View<'_>) -> CleanerAction {
    let action = server.cleaner(view, CleanerInput::Timeout);
    redo_durable(server, view, action)
}

#[test]
fn a_server_that_was_idle_flushes_as_one_in_the_first_second_of_load() {
    let lists = Lists(8, 100);
    for (up_s, pages) in [(12, 2_000), (0, 0)] {
        let mut server = build(&settings(ModelId::Mysql97, &[("innodb_io_capacity", Value::Integer(2_000))])).unwrap();
        let at = |now, activity| View {
            up_before: SimDuration::from_secs(up_s),
            activity,
            dirty_pages: 2_000,
            oldest_modification_lsn: 8204,
            ..view(&lists, now)
        };
        let action = server.cleaner(&at(SimTime::ZERO, 0), CleanerInput::Start);
        let CleanerAction::Wait { until, .. } = action else { panic!("{action:?}") };
        let action = timed_out(server.as_mut(), &at(until, 4_000));
        let CleanerAction::Flush(request) = action else { panic!("{action:?}") };
        assert_eq!(request.slots.iter().sum::<u64>(), pages, "up for {up_s} s: {request:?}");
    }
}

#[test]
fn averages_begin_with_the_server_not_with_the_load() {
    let lists = Lists(8, 100);
    let rates = |up_s: u64| {
        let mut rule = Mysql80::adaptive_rule(&settings(ModelId::Mysql97, &[]), &mysql8030::PARTS_8030).unwrap();
        let mut rate_after = |second: u64| {
            let now = SimTime::ZERO + SimDuration::from_secs(second);
            let lsn = 8204 + second * 1_000_000;
            let view = View { up_before: SimDuration::from_secs(up_s), current_lsn: lsn, ..view(&lists, now) };
            let input = RuleInput {
                sync_limit_lsn: None,
                last_pages: 0,
                limit_for_age_bytes: GIB,
                free_check_capacity_bytes: GIB,
            };
            rule.recommend(&view, input);
            rule.gauges().lsn_avg_rate
        };
        (1..=40).map(&mut rate_after).collect::<Vec<_>>()
    };
    // Up for 12 s and idle, then 1 MB of redo a second: at 30 s of the server 18 MB, and half of the way to that mean.
    let early = rates(12);
    assert_eq!((early[16], early[17]), (0, 300_000));
    // Up for long: the first pass under load renews.
    assert_eq!(rates(999)[0], 500);
    let together = rates(0);
    assert_eq!((together[29], together[30]), (0, 500_000));
}

/// Of all releases: what was asked for does not count.
#[test]
fn averages_count_pages_really_flushed() {
    let lists = Lists(8, 1_000);
    for model in MODELS {
        let mut server = build(&settings(model, &[])).unwrap();
        let at = |now, s: u64| View {
            current_lsn: 8204 + s * 1_000_000,
            oldest_modification_lsn: 8204,
            dirty_pages: 8_000,
            activity: s,
            ..view(&lists, now)
        };
        let mut action = server.cleaner(&at(SimTime::ZERO, 0), CleanerInput::Start);
        let mut asked = 0;
        for s in 1..=45 {
            let CleanerAction::Wait { until, .. } = action else { unreachable!("{model} waits for its second to end") };
            action = timed_out(server.as_mut(), &at(until, s));
            let CleanerAction::Flush(request) = &action else { unreachable!("{model} is busy") };
            asked += request.slots.iter().sum::<u64>();
            let report = PassReport { list_pages: 10, ..Default::default() };
            action = server.cleaner(&at(until, s), CleanerInput::Done(report));
        }
        assert!(asked > 45 * 100, "{model}: {asked}");
        let rate = server.gauges().avg_page_rate;
        assert!((4..=6).contains(&rate), "{model}: half of the way from 0 to 10 pages a second, not {rate}");
    }
}

#[test]
fn a_sync_flush_that_finds_nothing_pauses() {
    for model in MODELS {
        let mut server = build(&settings(model, &[])).unwrap();
        let lists = Lists(8, 0);
        let stuck = |now| View {
            current_lsn: 8204 + GIB - (64 << 20),
            durable_lsn: 8204 + GIB - (64 << 20),
            oldest_modification_lsn: 9000,
            dirty_pages: 1,
            ..view(&lists, now)
        };
        let now = SimTime(5_000_000_000);
        server.checkpointer(&stuck(SimTime::ZERO), CheckpointerInput::Start);
        server.checkpointer(&stuck(now), CheckpointerInput::Event);
        let mut action = server.cleaner(&stuck(SimTime::ZERO), CleanerInput::Start);
        assert!(matches!(action, CleanerAction::Wait { .. }), "{model}: {action:?}");
        action = server.cleaner(&stuck(now), CleanerInput::Event);
        let mut passes = 0;
        while let CleanerAction::Flush(request) = &action {
            assert_eq!(request.kind, FlushKind::Sync, "{model}");
            passes += 1;
            action = server.cleaner(&stuck(now), CleanerInput::Done(PassReport::default()));
            action = redo_durable(server.as_mut(), &stuck(now), action);
        }
        assert_eq!(passes, 2, "{model}");
        assert_eq!(action, CleanerAction::Wait { until: now + SPIN_PAUSE, wake_on_event: false });
    }
}

#[test]
fn the_published_limits_of_20_gib_are_those_of_the_model() {
    let s = settings(ModelId::Mysql8021, &[("innodb_log_file_size", Value::Integer(10 * GIB))]);
    let limits = build(&s).unwrap().age_limits();
    assert_eq!(limits.async_bytes, 17_837_008_896);
    assert_eq!(limits.stop_bytes, 19_276_828_160);
    assert_eq!(limits.adaptive_full_bytes, 16_728_684_544);
    assert_eq!(limits.sync_flush_start_bytes, 18_002_756_740);
    assert_eq!(limits.adaptive_low_water_bytes, 1_927_682_816);
    let s = settings(ModelId::Mysql8030, &[("innodb_redo_log_capacity", Value::Integer(20 * GIB))]);
    let server = build(&s).unwrap();
    assert_eq!(server.age_limits().async_bytes, 16_679_326_720);
    assert_eq!(server.writer_limits().hard_bytes, 20_065_355_776);
}

/// Seconds after which a busy server of a model writes its first checkpoint.
fn first_checkpoint_s(model: ModelId) -> u64 {
    let lists = Lists(8, 0);
    let mut server = build(&settings(model, &[])).unwrap();
    let busy = |s: u64| View {
        activity: s,
        current_lsn: 100_000 + s,
        durable_lsn: 100_000,
        ..view(&lists, SimTime::ZERO + SimDuration::from_secs(s))
    };
    server.checkpointer(&busy(0), CheckpointerInput::Start);
    let writes = |s: &u64| {
        let action = server.checkpointer(&busy(*s), CheckpointerInput::Timeout);
        matches!(action.next, CheckpointerNext::Write { .. })
    };
    (1..20).find(writes).unwrap()
}

#[test]
fn checkpoints_of_a_busy_server_come_each_second_in_8021_and_seldom_later() {
    assert_eq!(MODELS.map(first_checkpoint_s), [1, 7, 7, 7, 7, 7, 7]);
}

#[test]
fn the_coordinator_of_8027_asks_for_the_sync_target_itself() {
    let lists = Lists(8, 0);
    let limits = build(&settings(ModelId::Mysql8027, &[])).unwrap().age_limits();
    let first_action = |model, age: u64| {
        let now = SimTime(5_000_000_000);
        let aged = View {
            current_lsn: 8204 + age,
            durable_lsn: 8204 + age,
            oldest_modification_lsn: 8204,
            dirty_pages: 1,
            ..view(&lists, now)
        };
        let mut server = build(&settings(model, &[])).unwrap();
        server.cleaner(&view(&lists, SimTime::ZERO), CleanerInput::Start);
        server.cleaner(&aged, CleanerInput::Event)
    };
    let kind = |action| if let CleanerAction::Flush(request) = action { Some(request.kind) } else { None };
    let above = limits.sync_flush_start_bytes + 1;
    assert_eq!(kind(first_action(ModelId::Mysql8027, above)), Some(FlushKind::Sync));
    assert_eq!(kind(first_action(ModelId::Mysql8027, above - (8 << 20))), Some(FlushKind::LruOnly));
    // No checkpointer has handed it a target.
    assert_eq!(kind(first_action(ModelId::Mysql8021, above)), Some(FlushKind::LruOnly));
}

#[test]
fn the_extra_margin_ratchets_in_8021_and_stops_everybody_in_8030() {
    let lists = Lists(8, 0);
    let now = view(&lists, SimTime::ZERO);
    let mut server = build(&settings(ModelId::Mysql8021, &[])).unwrap();
    let (stop, limit) = (server.age_limits().stop_bytes, server.free_check_limit_lsn());
    server.writer_in_extra_margin(&now, true);
    let raised = server.age_limits().stop_bytes;
    assert!(raised < stop);
    assert_eq!(server.free_check_limit_lsn(), limit, "the limit never falls");
    server.writer_in_extra_margin(&now, true);
    assert_eq!(server.age_limits().stop_bytes, raised, "once a visit");
    server.writer_in_extra_margin(&now, false);
    server.writer_in_extra_margin(&now, true);
    assert!(server.age_limits().stop_bytes < raised);

    let mut server = build(&settings(ModelId::Mysql8030, &[])).unwrap();
    let limit = server.free_check_limit_lsn();
    server.writer_in_extra_margin(&now, true);
    assert_eq!(server.free_check_limit_lsn(), limit, "until the next round of the governor");
    server.update_limits(&now);
    assert_eq!(server.free_check_limit_lsn(), 0);
    let stopped = server.free_check(&now, &mut FreeCheckWait::default());
    assert!(matches!(stopped, FreeCheck::Sleep { .. }));
    server.writer_in_extra_margin(&now, false);
    assert_eq!(server.free_check_limit_lsn(), limit);
}

/// A timed pass reads its sync limit, then syncs the redo: redo that comes meanwhile makes no sync pass of it.
#[test]
fn a_timed_pass_reads_its_sync_limit_before_it_syncs_redo() {
    let mut server = build(&settings(ModelId::Mysql8030, &[])).unwrap();
    let lists = Lists(8, 100);
    let at = |now, current_lsn| View {
        activity: 1,
        current_lsn,
        durable_lsn: current_lsn,
        oldest_modification_lsn: 9_000,
        dirty_pages: 100,
        ..view(&lists, SimTime(now))
    };
    let far = 8204 + server.age_limits().sync_bytes;
    server.cleaner(&at(0, 10_000), CleanerInput::Start);
    assert_eq!(server.cleaner(&at(1_000_000_000, 10_000), CleanerInput::Timeout), CleanerAction::SyncRedo);
    let action = server.cleaner(&at(1_001_000_000, far), CleanerInput::RedoSynced);
    assert!(matches!(&action, CleanerAction::Flush(request) if request.kind == FlushKind::Adaptive), "{action:?}");
    let next = server.cleaner(&at(1_002_000_000, far), CleanerInput::Done(PassReport::default()));
    assert!(matches!(&next, CleanerAction::Wait { .. }), "{next:?}");
    let woken = server.cleaner(&at(1_003_000_000, far), CleanerInput::Event);
    assert!(matches!(&woken, CleanerAction::Flush(request) if request.kind == FlushKind::Sync), "{woken:?}");
}

#[test]
fn a_stalled_user_asks_for_a_checkpoint_and_goes_on_once_it_is_there() {
    for model in MODELS {
        let mut server = build(&settings(model, &[])).unwrap();
        let lists = Lists(8, 0);
        let mut stalled = view(&lists, SimTime::ZERO);
        stalled.current_lsn = server.free_check_limit_lsn() + 1000;
        let mut wait = FreeCheckWait::default();
        let first = server.free_check(&stalled, &mut wait);
        let duration = SimDuration::from_micros(100);
        assert_eq!(first, FreeCheck::Sleep { duration, wake_checkpointer: true }, "{model}");
        let second = server.free_check(&stalled, &mut wait);
        assert_eq!(second, FreeCheck::Sleep { duration, wake_checkpointer: false }, "{model}");
        stalled.last_checkpoint_lsn += 1000;
        server.checkpointer(&stalled, CheckpointerInput::Written);
        assert_eq!(server.free_check(&stalled, &mut wait), FreeCheck::Proceed, "{model}");
        assert_eq!(wait, FreeCheckWait::default());
    }
}

#[test]
fn an_idle_server_flushes_instance_after_instance() {
    let lists = Lists(8, 0);
    let mut server = build(&settings(ModelId::Mysql8030, &[])).unwrap();
    let mut kinds = Vec::new();
    let mut redo_syncs = 0;
    let mut now = SimTime::ZERO;
    let mut action = server.cleaner(&view(&lists, now), CleanerInput::Start);
    for _ in 0..20 {
        action = match action {
            CleanerAction::Wait { until, .. } => {
                now = until;
                server.cleaner(&view(&lists, now), CleanerInput::Timeout)
            }
            CleanerAction::SyncRedo => {
                redo_syncs += 1;
                server.cleaner(&view(&lists, now), CleanerInput::RedoSynced)
            }
            CleanerAction::Flush(request) => {
                kinds.push(request.kind);
                let idle = request.kind == FlushKind::Background;
                assert_eq!(
                    (request.parallel, request.lru, request.slots[0]),
                    (!idle, if idle { LruWork::None } else { LruWork::ScanDepth }, if idle { 25 } else { 0 })
                );
                assert_eq!(redo_syncs, kinds.len(), "each pass first makes the redo durable");
                now = SimTime(kinds.len() as u64 * 1_000_000_000 + 1);
                let flushed = PassReport { list_pages: 5, ..Default::default() };
                server.cleaner(&view(&lists, now), CleanerInput::Done(flushed))
            }
            other => unreachable!("8.0 never asks for {other:?}"),
        };
    }
    assert_eq!(kinds[0], FlushKind::Adaptive, "the first second counts as active");
    assert!(kinds.len() > 3 && kinds[1..].iter().all(|kind| *kind == FlushKind::Background), "{kinds:?}");
}

#[test]
fn a_timed_pass_syncs_redo_from_8030_on() {
    let lists = Lists(8, 100);
    for (model, syncs) in [(ModelId::Mysql8021, false), (ModelId::Mysql8027, false), (ModelId::Mysql8030, true)] {
        let mut server = build(&settings(model, &[])).unwrap();
        let CleanerAction::Wait { until, .. } = server.cleaner(&view(&lists, SimTime::ZERO), CleanerInput::Start)
        else {
            unreachable!("{model} waits for its second to end")
        };
        let now = View { oldest_modification_lsn: 8204, activity: 1, ..view(&lists, until) };
        let action = server.cleaner(&now, CleanerInput::Timeout);
        assert_eq!(action == CleanerAction::SyncRedo, syncs, "{model}: {action:?}");
    }
}

#[test]
fn a_busy_8030_writes_checkpoints_every_7_seconds() {
    let lists = Lists(8, 0);
    let mut server = build(&settings(ModelId::Mysql8030, &[])).unwrap();
    let mut written = Vec::new();
    let mut checkpoint = 8204;
    let mut action = server.checkpointer(&view(&lists, SimTime::ZERO), CheckpointerInput::Start);
    let mut now = SimTime::ZERO;
    while now < SimTime(30_000_000_000) {
        let input = match action.next {
            CheckpointerNext::Wait { timeout, .. } => {
                now += timeout;
                CheckpointerInput::Timeout
            }
            CheckpointerNext::Write { lsn } => {
                checkpoint = lsn;
                written.push(now.whole_seconds());
                server.checkpoint_data_synced(&view(&lists, now));
                CheckpointerInput::Written
            }
            CheckpointerNext::WriteOldest => unreachable!("8.0 names the LSN"),
        };
        let lsn = 8204 + now.whole_seconds() * 1000;
        let busy = View {
            current_lsn: lsn,
            durable_lsn: lsn,
            last_checkpoint_lsn: checkpoint,
            activity: now.whole_seconds(),
            ..view(&lists, now)
        };
        action = server.checkpointer(&busy, input);
    }
    assert_eq!(written, [7, 14, 21, 28]);
}

#[test]
fn the_machine_follows_the_settings() {
    let lines = [
        ("innodb_flush_method", Value::Choice("O_DIRECT")),
        ("innodb_doublewrite_pages", Value::Integer(128)),
        ("innodb_page_cleaners", Value::Integer(8)),
    ];
    let server = build(&settings(ModelId::Mysql8021, &lines)).unwrap();
    let machine = server.config();
    assert_eq!(machine.buffer_pool.pages, 4 * GIB / PAGE_BYTES);
    assert_eq!((machine.buffer_pool.instances, machine.cleaner_threads, machine.aio_write_slots), (8, 8, 1024));
    assert_eq!(machine.data_sync, DataSync::EveryBatch);
    let nosync = build(&settings(ModelId::Mysql8021, &[("innodb_flush_method", Value::Choice("nosync"))])).unwrap();
    assert!(nosync.config().data_sync.follows_batches() && !nosync.config().data_sync.precedes_checkpoints());
    let expected = DoublewriteConfig::PerInstance {
        batch_pages: 128,
        flush_list_segments: 9,
        lru_segments: 9,
        instances: 8,
        sync_file: false,
        fixed_bytes: None,
    };
    assert_eq!(machine.doublewrite, expected);
    let detect = [("innodb_doublewrite", Value::Choice("DETECT_ONLY"))];
    let server = build(&settings(ModelId::Mysql8030, &detect)).unwrap();
    let DoublewriteConfig::PerInstance { fixed_bytes, sync_file, .. } = server.config().doublewrite else {
        panic!("doublewrite is on");
    };
    assert_eq!((fixed_bytes, sync_file), (Some(8192), true));
}

#[test]
fn percona_leaves_lru_work_to_its_managers() {
    let mut server = build(&settings(ModelId::Percona80, &[])).unwrap();
    let lists = Lists(8, 100);
    let at = |seconds| View {
        activity: seconds,
        current_lsn: 8204 + (seconds << 20),
        oldest_modification_lsn: 8204,
        dirty_pages: 800,
        ..view(&lists, SimTime(seconds * 1_000_000_000))
    };
    let mut action = server.cleaner(&at(0), CleanerInput::Start);
    assert!(matches!(action, CleanerAction::Wait { wake_on_event: true, .. }), "{action:?}");
    action = server.cleaner(&at(0), CleanerInput::Event);
    assert!(matches!(action, CleanerAction::Wait { .. }), "an early wake does nothing: {action:?}");
    action = timed_out(server.as_mut(), &at(2));
    let CleanerAction::Flush(request) = action else { panic!("{action:?}") };
    assert_eq!((request.kind, request.lru), (FlushKind::Adaptive, LruWork::None));
    let starved = LruManagerInput {
        instance: 3,
        free_pages: 0,
        lru_pages: 30_000,
        last: Some(PassReport { lru_pages: 100, ..PassReport::default() }),
    };
    assert_eq!(server.lru_manager(starved), SimDuration::ZERO);
    let idle = LruManagerInput { free_pages: 1024, last: Some(PassReport::default()), ..starved };
    assert_eq!(server.lru_manager(idle), SPIN_PAUSE);
    assert_eq!(server.lru_manager(LruManagerInput { instance: 4, ..idle }), SimDuration::from_secs(1));
    assert_eq!(server.free_page_pause(12), SimDuration::from_micros(128));
}

#[test]
fn percona_has_a_machine_of_its_own() {
    let build = |lines: &[_]| build(&settings(ModelId::Percona80, lines)).unwrap().config().clone();
    let default = build(&[]);
    assert_eq!(default.lru_managers, Some(SimDuration::from_secs(1)));
    let DoublewriteConfig::PerInstance { flush_list_segments, lru_segments, .. } = default.doublewrite else {
        panic!()
    };
    assert_eq!((flush_list_segments, lru_segments), (8, 8), "a file of one segment for each instance and kind");
    let waits = |machine: &MachineConfig| {
        matches!(machine.buffer_pool.free_pages, FreePagePolicy::SinglePage { waits_for_batch: true, .. })
    };
    assert!(waits(&default) && !waits(&build(&[("innodb_doublewrite", Value::Choice("OFF"))])));
    let backoff = build(&[("innodb_empty_free_list_algorithm", Value::Choice("backoff"))]);
    assert_eq!(backoff.buffer_pool.free_pages, FreePagePolicy::Pause { wakes_cleaner: false });
}

#[test]
fn the_age_factor_of_percona_is_a_setting() {
    let wanted = |factor| {
        let lines = [("innodb_cleaner_lsn_age_factor", Value::Choice(factor))];
        let mut server = build(&settings(ModelId::Percona80, &lines)).unwrap();
        let lists = Lists(8, 0);
        let limits = server.age_limits();
        let at = |seconds: u64| View {
            activity: seconds,
            current_lsn: 9000 + limits.adaptive_full_bytes / 2 + seconds,
            oldest_modification_lsn: 9000,
            dirty_pages: 800,
            ..view(&lists, SimTime(seconds * 1_000_000_000))
        };
        server.cleaner(&at(0), CleanerInput::Start);
        for second in 1..4 {
            if let CleanerAction::Flush(_) = timed_out(server.as_mut(), &at(second)) {
                server.cleaner(&at(second), CleanerInput::Done(PassReport::default()));
            }
        }
        server.gauges().pct_for_lsn
    };
    // Half of the age's limit; io_capacity_max is ten times io_capacity.
    assert_eq!((wanted("legacy"), wanted("high_checkpoint")), (471, 252));
}
