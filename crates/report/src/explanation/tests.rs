use super::*;
use innosim_core::metrics::Regime;
use innosim_explain::{Ceiling, Reason};

fn at(at_s: f64, what: What) -> Event {
    Event { at_s, what }
}

fn sync(at_s: f64) -> Event {
    at(
        at_s,
        What::SyncFlushing {
            until_s: at_s + 30.0,
            seconds: 20.0,
            pages: 112_000.0,
            pages_per_s: 5600.0,
            device_busy: Some(0.71),
        },
    )
}

fn fall(at_s: f64) -> Event {
    at(
        at_s,
        What::ThroughputFell {
            from_tps: 11_400.0,
            to_tps: 3300.0,
            share: 0.71,
            lowest_s: at_s + 20.0,
            half_back_s: Some(at_s + 60.0),
            sync_flushing_s: Some(55.0),
            checkpoint_waits: Some(1234.0),
            free_page_waits: Some(0.0),
            log_waits: None,
            age_share_of_limit: Some(1.01),
            stopped_s: 0.0,
        },
    )
}

fn lines(events: &[Event]) -> String {
    sentences(events).iter().map(|sentence| sentence.line() + "\n").collect()
}

#[test]
#[allow(clippy::too_many_lines, reason = "a story with all that can happen, and how it reads")]
fn a_story_reads_well() {
    let story = [
        at(0.0, What::NotRecorded { figures: vec!["throughput", "dirty pages"] }),
        at(0.0, What::LoadStarted { clients: Some(56), dirty_pages: Some(0.0), throughput_counts: "commits" }),
        at(100.0, What::LoadChanged { from_tps: 1000.0, to_tps: 3000.0 }),
        at(300.0, What::WarmedUp { given: false }),
        at(
            500.0,
            What::FlushingCapped {
                by: Ceiling::IoCapacityMax,
                setting: "innodb_io_capacity_max",
                cap_pages_per_s: 4000.0,
                pages_per_s: 3998.0,
                until_s: 750.0,
                seconds: 250.0,
            },
        ),
        at(
            764.0,
            What::LimitReached {
                limit: LimitName::Async,
                limit_bytes: 17_835_000_000.0,
                times: 3,
                seconds: 90.0,
                last_s: 2000.0,
            },
        ),
        sync(764.0),
        fall(770.0),
        at(
            770.0,
            What::DenseRedoDue {
                made_from_s: 0.0,
                made_until_s: 95.0,
                dirtied_per_mib: 290.0,
                mean_dirtied_per_mib: 180.0,
            },
        ),
        at(
            1430.0,
            What::EchoDue {
                fall_s: 770.0,
                dirtied_per_mib: 230.0,
                dirtied_per_mib_before: 150.0,
                turn_bytes: 17e9,
                predicted: true,
                next_fall_s: None,
            },
        ),
        at(
            2000.0,
            What::RegimeOfAll {
                regime: Regime::Waves,
                tps_mean: 8429.0,
                throughput_counts: "commits",
                counted_s: 1700.0,
            },
        ),
        at(2000.0, What::Busy { device: Some(0.71), device_active: None, cpu: Some(0.4), device_full_s: 40.0 }),
        at(
            2000.0,
            What::WouldChange {
                setting: "innodb_log_file_size",
                present: 10_737_418_240.0,
                value: 21_474_836_480.0,
                reason: Reason::AgeAtLimit,
            },
        ),
        at(
            2000.0,
            What::Tried {
                setting: "innodb_io_capacity_max".to_owned(),
                present: 4000.0,
                value: 6000.0,
                tps: [8429.0, 8361.0],
                stall_seconds: [12.0, 0.0],
                sync_flush_seconds: [200.0, 0.0],
                latency_ms_p99: [30.0, 14.5],
                age_share_of_limit: [0.97, 0.9],
                flushes_per_trx: [0.5, 0.55],
                regime: [Regime::Waves, Regime::Rippled],
                age_was_rising: true,
            },
        ),
    ];
    insta::assert_snapshot!(lines(&story));
}

#[test]
fn what_comes_again_and_again_is_summed_up() {
    let many: Vec<Event> = (0..9).flat_map(|i| [sync(100.0 * f64::from(i)), fall(100.0 * f64::from(i))]).collect();
    let text = lines(&many);
    assert_eq!(text.lines().count(), 8, "{text}");
    assert!(text.contains("Sync flushing comes 6 times more until 800 s, 120 s in all."), "{text}");
    assert!(text.contains("Throughput falls 6 times more until 800 s, by 71 % to 71 %."), "{text}");
    // Exactly as many as are told one by one.
    assert_eq!(lines(&many[..8]).lines().count(), 8);
}

#[test]
fn the_few_that_matter_keep_their_order() {
    let story = [sync(764.0), fall(770.0), sync(900.0), fall(950.0), at(0.0, What::WarmedUp { given: true })];
    let few = in_short(&story, 4);
    assert_eq!(few.len(), 2, "one of each kind: {few:?}");
    assert!(few[0].text.starts_with("Sync flushing runs") && few[1].at == "770 s", "{few:?}");
    assert_eq!(in_short(&story, 1)[0].at, "770 s", "the fall matters most");
    assert!(in_short(&[], 4).is_empty());
}

#[test]
fn nothing_is_said_that_was_not_recorded() {
    let bare = at(
        10.0,
        What::FlushingShort {
            by: Ceiling::Unknown,
            asked_pages: 2000.0,
            pages_per_s: 900.0,
            until_s: 60.0,
            seconds: 50.0,
            device_busy: None,
            cpu_busy: None,
            doublewrite_pages_per_write: None,
        },
    );
    assert_eq!(
        lines(&[bare]),
        "10 s: Flushing falls short: 2,000 pages asked for in a pass, 900 a second done, in 50 s until 60 s.\n"
    );
}
