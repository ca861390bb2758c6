//! The rules on made-up courses, whose story is known.

use super::*;
use innosim_core::metrics::Regime;
use std::collections::BTreeMap;

/// A course of a value a second for each track.
pub(crate) fn course(seconds: usize, tracks: &[(Track, &dyn Fn(usize) -> f64)]) -> Course {
    let values = |of: &dyn Fn(usize) -> f64| (1..=seconds).map(of).collect::<Vec<f64>>();
    Course {
        origin: Origin::Simulated,
        seconds: (1..=seconds).map(|s| s as f64).collect(),
        steps: vec![1.0; seconds],
        tracks: tracks.iter().map(|(track, of)| (*track, values(of))).collect(),
        limits: Limits { async_bytes: 1e9, sync_bytes: 1.1e9, stop_bytes: 1.2e9, sync_flush_start_bytes: 1.1e9 },
        settings: BTreeMap::from([("innodb_io_capacity_max".to_owned(), 2000.0)]),
        clients: Some(16),
        dirty_at_start: Some(0.0),
        counted_from_s: 0.0,
        warmup_given: None,
        cpu_busy_mean: Some(0.5),
        unit: "transactions",
        closed_loop: Some(true),
    }
}

fn names(events: &[Event]) -> Vec<String> {
    let name = |event: &Event| serde_json::to_value(event).unwrap()["what"].as_str().unwrap().to_owned();
    events.iter().map(name).collect()
}

/// A server of `pages` pages, of which every transaction touches ten by chance and writes 5 kB of redo, with clients that
/// do `most` transactions a second if nothing holds them, and `flush` pages flushed a second, oldest first.
fn waves(seconds: usize, pages: f64, most: f64, flush: f64) -> Course {
    const REDO: f64 = 5000.0;
    const LIMIT: f64 = 1e9;
    let (mut lsn, mut tail, mut dirty) = (0.0, 0.0, 0.0);
    // (redo from, to, pages that it made dirty)
    let mut list: std::collections::VecDeque<(f64, f64, f64)> = std::collections::VecDeque::new();
    let mut rows: Vec<[f64; 6]> = Vec::new();
    for _ in 0..seconds {
        let mut left = flush;
        while let Some(first) = list.front_mut().filter(|_| left > 0.0) {
            let taken = left.min(first.2);
            let share = taken / first.2.max(1e-9);
            first.0 += share * (first.1 - first.0);
            (first.2, left, dirty) = (first.2 - taken, left - taken, dirty - taken);
            tail = first.0;
            if first.2 < 1e-6 {
                tail = first.1;
                list.pop_front();
            }
        }
        let room = LIMIT - (lsn - tail);
        let tps = most.min((room / REDO).max(0.0));
        let made = (pages - dirty) * (1.0 - (-10.0 * tps / pages).exp());
        list.push_back((lsn, lsn + tps * REDO, made));
        (lsn, dirty) = (lsn + tps * REDO, dirty + made);
        let at_limit = if lsn - tail >= 0.99 * LIMIT { 1.0 } else { 0.0 };
        rows.push([tps, lsn, lsn - tail, dirty, flush - left, at_limit * (flush - left)]);
    }
    let column = |i: usize| rows.iter().map(|row| row[i]).collect::<Vec<f64>>();
    let tracks = [Track::Tps, Track::Lsn, Track::CheckpointAge, Track::Dirty, Track::Flushed, Track::SyncPages];
    Course {
        tracks: tracks.into_iter().zip((0..6).map(column)).collect(),
        limits: Limits {
            async_bytes: 0.99 * LIMIT,
            sync_bytes: LIMIT,
            stop_bytes: LIMIT,
            sync_flush_start_bytes: LIMIT,
        },
        ..course(seconds, &[])
    }
}

#[test]
fn a_quiet_run_has_a_quiet_story() {
    let quiet =
        course(600, &[(Track::Tps, &|_| 1000.0), (Track::CheckpointAge, &|_| 3e8), (Track::Flushed, &|_| 500.0)]);
    let events = explain(&quiet);
    assert_eq!(names(&events), ["load_started", "highest_age", "regime_of_all", "busy", "would_change"]);
    assert!(
        matches!(events[4].what, What::WouldChange { reason: Reason::RoomLeft, value: 1333.0, .. }),
        "{:?}",
        events[4]
    );
    assert!(explain(&course(0, &[])).is_empty());
}

#[test]
fn the_cold_start_comes_due_and_echoes() {
    let events = explain(&waves(1200, 200_000.0, 4000.0, 2000.0));
    let falls: Vec<f64> =
        events.iter().filter(|e| matches!(e.what, What::ThroughputFell { .. })).map(|e| e.at_s).collect();
    let due = events.iter().find(|e| matches!(e.what, What::DenseRedoDue { .. })).expect("a dense stretch");
    let What::DenseRedoDue { made_from_s, dirtied_per_mib, mean_dirtied_per_mib, .. } = due.what else {
        unreachable!()
    };
    assert_eq!(due.at_s, falls[0]);
    assert!(made_from_s < 30.0 && dirtied_per_mib > 1.25 * mean_dirtied_per_mib, "{due:?}");
    let echo = events.iter().find(|e| matches!(e.what, What::EchoDue { fall_s, .. } if fall_s == falls[0]));
    let What::EchoDue { next_fall_s, predicted, turn_bytes, .. } = echo.expect("an echo").what else { unreachable!() };
    assert!(!predicted && (0.8e9..=1.05e9).contains(&turn_bytes), "{echo:?}");
    assert_eq!(next_fall_s, Some(falls[1]), "{falls:?} {echo:?}");
}

#[test]
fn an_echo_after_the_end_is_predicted_where_it_comes() {
    let whole = explain(&waves(1200, 200_000.0, 4000.0, 2000.0));
    let falls: Vec<f64> =
        whole.iter().filter(|e| matches!(e.what, What::ThroughputFell { .. })).map(|e| e.at_s).collect();
    // It ends a little before the second fall.
    let end = (0.15 * falls[0] + 0.85 * falls[1]) as usize;
    let events = explain(&waves(end, 200_000.0, 4000.0, 2000.0));
    let echo = events.iter().find(|e| matches!(e.what, What::EchoDue { predicted: true, .. })).expect("a prediction");
    assert!((echo.at_s - falls[1]).abs() < 0.2 * (falls[1] - falls[0]), "{} for {falls:?}", echo.at_s);
}

#[test]
fn limits_are_met_once_a_time() {
    // Twice above the async limit, with a ripple on it; never above the others.
    let age = |s: usize| match s {
        100..200 => 1e9 + if s.is_multiple_of(2) { -1e6 } else { 1e6 },
        400..450 => 1.05e9,
        _ => 5e8,
    };
    let events = explain(&course(600, &[(Track::Tps, &|_| 1000.0), (Track::CheckpointAge, &age)]));
    let reached: Vec<&Event> = events.iter().filter(|e| matches!(e.what, What::LimitReached { .. })).collect();
    let expected =
        What::LimitReached { limit: LimitName::Async, limit_bytes: 1e9, times: 2, seconds: 100.0, last_s: 449.0 };
    assert_eq!((reached.len(), reached[0].at_s, &reached[0].what), (1, 101.0, &expected));
}

#[test]
fn a_fall_says_what_was_there_with_it() {
    let tps = |s: usize| if (200..260).contains(&s) { 300.0 } else { 1000.0 };
    let waits = |s: usize| if (200..260).contains(&s) { 7.0 } else { 0.0 };
    let events = explain(&course(600, &[(Track::Tps, &tps), (Track::FreePageWaits, &waits)]));
    let falls: Vec<&Event> = events.iter().filter(|e| matches!(e.what, What::ThroughputFell { .. })).collect();
    let [fall] = falls[..] else { panic!("{falls:?}") };
    let What::ThroughputFell { from_tps, to_tps, share, half_back_s, free_page_waits, sync_flushing_s, .. } = fall.what
    else {
        unreachable!()
    };
    assert_eq!((from_tps, to_tps, share), (1000.0, 300.0, 0.7));
    assert!((190.0..=200.0).contains(&fall.at_s) && half_back_s.is_some_and(|s| (260.0..=270.0).contains(&s)));
    assert_eq!((free_page_waits, sync_flushing_s), (Some(420.0), None), "what is not known is not called none");
    assert!(names(&events).contains(&"waited".to_owned()));
}

#[test]
fn a_load_that_asks_for_less_is_no_fall() {
    let asked = |s: usize| if s <= 300 { 1000.0 } else { 400.0 };
    let served = explain(&course(600, &[(Track::Tps, &asked), (Track::Offered, &asked)]));
    assert!(!names(&served).contains(&"throughput_fell".to_owned()), "{served:?}");
    let step = What::LoadChanged { from_tps: 1000.0, to_tps: 400.0 };
    assert!(served.contains(&Event { at_s: 300.0, what: step }), "{served:?}");
    // A server that does half of what is asked fell.
    let half = |s: usize| if s <= 300 { 1000.0 } else { 200.0 };
    let fell = explain(&course(600, &[(Track::Tps, &half), (Track::Offered, &asked)]));
    assert!(names(&fell).contains(&"throughput_fell".to_owned()));
}

#[test]
fn a_cap_that_was_asked_for_before_the_limit_was_met_is_pointed_to() {
    let sync = |s: usize| if s > 40 { 3000.0 } else { 0.0 };
    for (asked, expected) in [(2000.0, "innodb_io_capacity_max"), (900.0, "innodb_log_file_size")] {
        let requested = move |s: usize| if s > 30 { asked } else { 100.0 };
        let mut pressed = course(
            200,
            &[
                (Track::Tps, &|_| 1000.0),
                (Track::SyncPages, &sync),
                (Track::Flushed, &sync),
                (Track::Requested, &requested),
            ],
        );
        pressed.settings.insert("innodb_log_file_size".to_owned(), 1e9);
        let events = explain(&pressed);
        let first = events
            .iter()
            .find_map(|e| if let What::WouldChange { setting, .. } = e.what { Some(setting) } else { None });
        assert_eq!(first, Some(expected), "{events:?}");
    }
}

/// What makes room in the buffer pool is paced by no I/O capacity: less of it is no remedy.
#[test]
fn less_flushing_is_for_what_the_age_asks_for() {
    let lowered = |for_room: f64| {
        let tracks: [(Track, &dyn Fn(usize) -> f64); 5] = [
            (Track::Tps, &|_| 1000.0),
            (Track::CheckpointAge, &|_| 3e8),
            (Track::Flushed, &|_| 1000.0),
            (Track::LruPages, &|_| for_room),
            (Track::SinglePages, &|_| 100.0),
        ];
        let names_it = |e: &Event| matches!(e.what, What::WouldChange { reason: Reason::RoomLeft, .. });
        explain(&course(600, &tracks)).iter().any(names_it)
    };
    assert_eq!([0.0, 300.0, 700.0].map(lowered), [true, true, false]);
}

#[test]
fn noise_and_a_rise_are_no_fall() {
    let noisy = |s: usize| 1000.0 + 300.0 * ((s * 7919) % 13) as f64 / 13.0;
    let rising = |s: usize| 1000.0 + s as f64;
    for tps in [&noisy as &dyn Fn(usize) -> f64, &rising] {
        let events = explain(&course(600, &[(Track::Tps, tps)]));
        assert!(!names(&events).contains(&"throughput_fell".to_owned()), "{events:?}");
    }
}

#[test]
fn a_ceiling_is_told_by_what_was_asked_for() {
    let capped =
        course(300, &[(Track::Flushed, &|_| 1990.0), (Track::Requested, &|_| 2000.0), (Track::Dirty, &|_| 1e5)]);
    let events = explain(&capped);
    let Some(What::FlushingCapped { by, cap_pages_per_s, seconds, .. }) =
        events.iter().map(|e| &e.what).find(|w| matches!(w, What::FlushingCapped { .. }))
    else {
        panic!("{events:?}")
    };
    assert_eq!((*by, *cap_pages_per_s, *seconds), (Ceiling::IoCapacityMax, 2000.0, 300.0));
    // As many pages, but fewer were asked for: no ceiling.
    let asked = course(300, &[(Track::Flushed, &|_| 1990.0), (Track::Requested, &|_| 1500.0)]);
    assert!(!names(&explain(&asked)).contains(&"flushing_capped".to_owned()));
    // More was asked for than came: the device, or doublewrite where that was not full.
    for (busy, expected) in [(0.99, Ceiling::Device), (0.6, Ceiling::Doublewrite)] {
        let short = course(
            300,
            &[
                (Track::Flushed, &|_| 1200.0),
                (Track::Requested, &|_| 2000.0),
                (Track::Dirty, &|_| 1e5),
                (Track::DeviceBusy, &|_| busy),
                (Track::DoublewriteWrites, &|_| 100.0),
                (Track::DoublewritePages, &|_| 1200.0),
            ],
        );
        let events = explain(&short);
        let by = events.iter().find_map(|e| if let What::FlushingShort { by, .. } = e.what { Some(by) } else { None });
        assert_eq!(by, Some(expected));
    }
}

#[test]
fn stalls_idle_time_and_queues() {
    let stalling = |s: usize| if s.is_multiple_of(50) { 100.0 } else { 1000.0 };
    let events = explain(&course(600, &[(Track::Tps, &stalling)]));
    let stalls = events.iter().find(|e| matches!(e.what, What::Stalls { .. })).expect("stalls");
    assert_eq!(stalls.what, What::Stalls { until_s: 600.0, stalls: 12, seconds: 12.0, longest_s: 1.0 });
    let idle = |s: usize| if (301..=400).contains(&s) { 0.0 } else { 1000.0 };
    let events = explain(&course(600, &[(Track::Tps, &idle)]));
    assert!(
        events.iter().any(|e| e.at_s == 300.0 && e.what == What::Idle { until_s: 400.0, seconds: 100.0 }),
        "{events:?}"
    );
    let waiting = |s: usize| 20.0 * s as f64;
    let open =
        Course { closed_loop: Some(false), ..course(600, &[(Track::Tps, &|_| 1000.0), (Track::Waiting, &waiting)]) };
    let events = explain(&open);
    assert!(names(&events).contains(&"queue_grew".to_owned()));
    assert!(events.iter().any(|e| matches!(e.what, What::RegimeOfAll { regime: Regime::Overloaded, .. })));
}

/// The load sets in between two samples, or its clients come one after the other.
#[test]
fn a_recorded_load_that_sets_in_does_not_stall() {
    let stalls = |origin, low: &[usize]| {
        let tps = |s: usize| if low.contains(&s) { 100.0 } else { 1000.0 };
        let course = Course { origin, ..course(600, &[(Track::Tps, &tps)]) };
        explain(&course).into_iter().find_map(|e| match e.what {
            What::Stalls { stalls, .. } => Some(stalls),
            _ => None,
        })
    };
    assert_eq!(stalls(Origin::Recorded, &[1, 2]), None);
    assert_eq!(stalls(Origin::Recorded, &[1, 300]), Some(1));
    assert_eq!(stalls(Origin::Recorded, &[1, 2, 3]), Some(1), "a recording of an incident may begin in a stall");
    assert_eq!(stalls(Origin::Simulated, &[1]), Some(1));
}

#[test]
fn a_recording_says_what_it_lacks() {
    let bare = Course { origin: Origin::Recorded, ..course(60, &[(Track::Tps, &|_| 10.0)]) };
    let Some(What::NotRecorded { figures }) = explain(&bare).into_iter().map(|e| e.what).next() else { panic!() };
    assert!(figures.contains(&"pages of sync flushing") && !figures.contains(&"throughput"), "{figures:?}");
}

#[test]
fn nothing_breaks_on_gaps_and_odd_values() {
    let mut state = 1_u64;
    let mut draw = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as usize
    };
    let all = [
        Track::Tps,
        Track::Lsn,
        Track::CheckpointAge,
        Track::OldestAge,
        Track::Dirty,
        Track::Flushed,
        Track::SyncPages,
        Track::LruPages,
        Track::SinglePages,
        Track::Requested,
        Track::CheckpointWaits,
        Track::FreePageWaits,
        Track::LogWaits,
        Track::DoublewritePages,
        Track::DoublewriteWrites,
        Track::DeviceBusy,
        Track::CpuBusy,
        Track::Waiting,
        Track::Offered,
        Track::DeviceActive,
        Track::Stopped,
    ];
    for _ in 0..300 {
        let n = 1 + draw() % 200;
        let mut odd = course(n, &[]);
        for track in all {
            if draw() % 4 > 0 {
                let scale = [1.0, 1e3, 1e9][draw() % 3];
                let holes = 1 + draw() % 10;
                let value = |_| if draw() % holes == 1 { f64::NAN } else { scale * (draw() % 100) as f64 / 50.0 };
                odd.tracks.insert(track, (0..n).map(value).collect());
            }
        }
        odd.steps.iter_mut().for_each(|step| *step = 1.0 + (draw() % 20) as f64);
        odd.seconds = odd
            .steps
            .iter()
            .scan(0.0, |sum, step| {
                *sum += step;
                Some(*sum)
            })
            .collect();
        let events = explain(&odd);
        assert!(!serde_json::to_string(&events).unwrap().is_empty());
    }
}

#[test]
fn a_shortage_of_free_pages_is_named_and_rules_out_less_flushing() {
    let collapsed = course(
        400,
        &[
            (Track::Tps, &|_| 2000.0),
            (Track::CheckpointAge, &|_| 3e8),
            (Track::Flushed, &|_| 8000.0),
            (Track::SinglePages, &|s| if s > 100 { 6000.0 } else { 50.0 }),
            (Track::LruPages, &|_| 400.0),
            (Track::FreePages, &|s| if s > 100 { 32.0 } else { 8000.0 }),
            (Track::FreePageSearch, &|s| if s > 100 { 650_000.0 } else { 1000.0 }),
        ],
    );
    let events = explain(&collapsed);
    let short = events.iter().find(|e| matches!(e.what, What::FreePagesShort { .. })).expect("a shortage");
    let What::FreePagesShort { until_s, free_pages, searched_per_s, single_pages_per_s, .. } = short.what else {
        unreachable!()
    };
    assert_eq!((short.at_s, until_s, free_pages), (100.0, 400.0, Some(32.0)));
    assert_eq!((searched_per_s, single_pages_per_s), (Some(650_000.0), Some(6000.0)));
    assert!(!names(&events).contains(&"would_change".to_owned()), "{events:?}");
    // The same age and flushing without the shortage has room.
    let mut roomy = collapsed.clone();
    roomy.tracks.remove(&Track::SinglePages);
    roomy.tracks.remove(&Track::FreePageSearch);
    assert!(names(&explain(&roomy)).contains(&"would_change".to_owned()));
}

#[test]
fn a_checkpoint_that_lags_behind_the_oldest_page_is_named() {
    let stands = |s: usize| (120..300).contains(&s);
    let age = move |s: usize| if stands(s) { 2e8 + 5e6 * (s - 120) as f64 } else { 2e8 };
    let lagging = course(
        600,
        &[
            (Track::Tps, &|_| 1000.0),
            (Track::Lsn, &|s| 5e6 * s as f64),
            (Track::CheckpointAge, &age),
            (Track::OldestAge, &|_| 1.9e8),
        ],
    );
    let events = explain(&lagging);
    let lag = events.iter().find(|e| matches!(e.what, What::CheckpointLags { .. })).expect("a lag");
    let What::CheckpointLags { until_s, peak_s, lag_bytes, oldest_page_age_bytes, .. } = lag.what else {
        unreachable!()
    };
    assert_eq!((until_s, peak_s, oldest_page_age_bytes), (299.0, 299.0, 1.9e8));
    assert!((lag_bytes - (1e7 + 5e6 * 179.0)).abs() < 1.0 && (130.0..145.0).contains(&lag.at_s), "{lag:?}");
    // A checkpoint every seven seconds lags by seven seconds of redo.
    let well = course(
        600,
        &[
            (Track::Lsn, &|s| 5e6 * s as f64),
            (Track::CheckpointAge, &|s| 4e7 + 5e6 * (s % 7) as f64),
            (Track::OldestAge, &|_| 4e7),
        ],
    );
    assert!(!names(&explain(&well)).contains(&"checkpoint_lags".to_owned()));
}
