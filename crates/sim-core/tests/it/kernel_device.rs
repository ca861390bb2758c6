//! What a storage device promises: ceilings, flushes, burst credits, interference, the queue, and its accounting.

use innosim_core::kernel::random::Rng;
use innosim_core::kernel::sampler::DurationDist;
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::storage::{ArraySpec, BurstSpec, CapSpec, Device, DeviceInterval, DeviceSpec, Op, SPLIT_BYTES};
use proptest::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const PAGE: u64 = 16 * 1024;
const US: u64 = 1_000;
const MS: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;

fn fixed(us: f64) -> DurationDist {
    DurationDist::Fixed { us }
}

/// Reads of 100 µs, writes of 50 µs, sequential writes of 20 µs, syncs of 1 ms; 32 channels, 128 places, no ceiling.
fn plain() -> DeviceSpec {
    DeviceSpec {
        channels: 32,
        queue_depth: 128,
        random_read: fixed(100.0),
        random_write: fixed(50.0),
        sequential_write: fixed(20.0),
        sync: fixed(1_000.0),
        ..DeviceSpec::instant("plain")
    }
}

fn build(spec: &DeviceSpec) -> Device {
    Device::new(spec, Rng::stream(41, 0, "device"))
}

/// A program that keeps so many operations of any kind in flight.
struct Program {
    depth: usize,
    completions: BinaryHeap<Reverse<SimTime>>,
}

impl Program {
    fn new(spec: &DeviceSpec) -> Self {
        Program { depth: spec.queue_depth as usize, completions: BinaryHeap::new() }
    }

    /// An operation was submitted at `now`; when the next is.
    fn next(&mut self, now: SimTime, completion: SimTime) -> SimTime {
        self.completions.push(Reverse(completion));
        if self.completions.len() < self.depth { now } else { self.completions.pop().map_or(now, |first| first.0) }
    }
}

/// Keeps the queue full of `op` for `seconds`; operations a second.
fn saturate(spec: &DeviceSpec, op: Op, bytes: u64, seconds: u64) -> f64 {
    let mut device = build(spec);
    let mut program = Program::new(spec);
    let end = SimTime(seconds * SECOND);
    let (mut now, mut done) = (SimTime::ZERO, 0u64);
    while now < end {
        let completion = device.submit(now, op, bytes);
        done += u64::from(completion <= end);
        now = program.next(now, completion);
    }
    let report = device.report(end);
    assert!(report.utilization > 0.999 && report.utilization < 1.000_001, "{report:?}");
    done as f64 / seconds as f64
}

fn check_rate(rate: f64, expected: f64) {
    assert!((rate / expected - 1.0).abs() < 1e-3, "{rate} for {expected}");
}

#[test]
fn ceilings_are_met_under_saturation() {
    let noisy = DurationDist::Lognormal { mean_us: 300.0, cv: 0.5 };
    let base = DeviceSpec { random_read: noisy.clone(), random_write: noisy, ..plain() };
    let limited = DeviceSpec { write_iops: Some(30_000.0), ..base.clone() };
    check_rate(saturate(&limited, Op::RandomWrite, PAGE, 10), 30_000.0);
    let limited = DeviceSpec { read_iops: Some(70_000.0), ..base.clone() };
    check_rate(saturate(&limited, Op::RandomRead, PAGE, 10), 70_000.0);
    let bytes = 468.0 * 1024.0 * 1024.0;
    let limited = DeviceSpec { write_bytes_per_s: Some(bytes), write_iops: Some(40_000.0), ..base.clone() };
    check_rate(saturate(&limited, Op::RandomWrite, PAGE, 10), bytes / PAGE as f64);
    let limited = DeviceSpec { link_bytes_per_s: Some(bytes), read_bytes_per_s: Some(2.0 * bytes), ..base.clone() };
    check_rate(saturate(&limited, Op::RandomRead, PAGE, 10), bytes / PAGE as f64);
    let limited = DeviceSpec { write_bytes_per_s: Some(bytes), ..base };
    check_rate(saturate(&limited, Op::SequentialWrite, 128 * PAGE, 40), bytes / (128 * PAGE) as f64);
}

#[test]
fn channels_bound_what_nothing_else_does() {
    // 32 channels of 50 µs each.
    check_rate(saturate(&plain(), Op::RandomWrite, PAGE, 1), 640_000.0);
    let shallow = DeviceSpec { queue_depth: 4, ..plain() };
    let mut device = build(&shallow);
    let (mut now, mut n) = (SimTime::ZERO, 0u32);
    while now < SimTime(SECOND) {
        device.submit(now, Op::RandomWrite, PAGE);
        n += 1;
        now = device.admission_time(now, 1);
    }
    check_rate(f64::from(n), 80_000.0);
}

#[test]
fn alone_an_operation_takes_its_service_time() {
    let spec = DeviceSpec {
        read_iops: Some(50_000.0),
        write_iops: Some(30_000.0),
        write_bytes_per_s: Some(500e6),
        link_bytes_per_s: Some(600e6),
        ..plain()
    };
    let mut device = build(&spec);
    let mut now = SimTime(0);
    for _ in 0..1_000 {
        for (op, bytes, ns) in [
            (Op::RandomRead, PAGE, 100 * US),
            (Op::RandomWrite, PAGE, 50 * US),
            // The fixed time, then the transfer at the narrowest place: 1 MB at 500 MB/s.
            (Op::SequentialWrite, 1_000_000, 20 * US + 2 * MS),
            (Op::Sync, 0, MS),
        ] {
            let done = device.submit(now, op, bytes);
            assert_eq!(done.since(now).0, ns, "{op:?}");
            now = done;
        }
    }
    assert_eq!(device.outstanding(now), 0);
}

#[test]
fn a_barrier_waits_for_what_was_before_and_holds_what_comes_after() {
    let mut device = build(&DeviceSpec { sync_is_barrier: true, ..plain() });
    let at = |us: u64| SimTime(us * US);
    assert_eq!(device.submit(at(0), Op::RandomWrite, PAGE), at(50));
    assert_eq!(device.submit(at(0), Op::RandomRead, PAGE), at(100));
    // Waits for the read too, though channels are free.
    assert_eq!(device.submit(at(10), Op::Sync, 0), at(1_100));
    // Held, reads as well as writes.
    assert_eq!(device.submit(at(20), Op::RandomWrite, PAGE), at(1_150));
    assert_eq!(device.submit(at(20), Op::RandomRead, PAGE), at(1_200));
    // Joins the sync that has not started.
    assert_eq!(device.submit(at(30), Op::Sync, 0), at(1_100));
    // The first has started: this one comes after it and what was submitted meanwhile; later ones join it.
    assert_eq!(device.submit(at(200), Op::Sync, 0), at(2_200));
    assert_eq!(device.submit(at(300), Op::Sync, 0), at(2_200));
    assert_eq!(device.submit(at(1_199), Op::Sync, 0), at(2_200));
    assert_eq!(device.submit(at(1_200), Op::Sync, 0), at(3_200));
    assert_eq!(device.submit(at(5_000), Op::RandomWrite, PAGE), at(5_050));
    let totals = device.totals();
    assert_eq!((totals.syncs, totals.cache_flushes), (6, 3));
}

/// Four channels, writes of 100 us one after the other. A flush that goes first waits for the four writes in the drive, not for the
/// others in the queue. What was computed stands; what is submitted later comes after all of it and the flush. Between two flushes
/// what waits is sent, so that the second waits for it. A commit block waits for nothing.
#[test]
fn a_flush_that_goes_first_waits_for_what_is_in_the_drive() {
    let spec = DeviceSpec {
        channels: 4,
        queue_depth: 64,
        sync_is_barrier: true,
        sync_goes_first: true,
        write_iops: Some(10_000.0),
        ..plain()
    };
    let mut device = build(&spec);
    let at = |us: u64| SimTime(us * US);
    let written: Vec<SimTime> = (0..10).map(|_| device.submit(at(0), Op::RandomWrite, PAGE)).collect();
    assert_eq!((written[3], written[9]), (at(400), at(1_000)));
    assert_eq!(device.submit(at(10), Op::Sync, 0), at(1_400), "behind the fourth write");
    assert_eq!(device.submit(at(20), Op::RandomWrite, PAGE), at(2_100), "behind ten writes and the flush");
    assert_eq!(device.submit(at(500), Op::Sync, 0), at(2_400), "at once behind the first");
    assert_eq!(device.submit(at(600), Op::Sync, 0), at(2_400), "joins it");
    assert_eq!(device.submit(at(700), Op::RandomWrite, PAGE), at(3_200));
    assert_eq!(device.submit(at(2_400), Op::Sync, 0), at(4_200), "behind the write that has waited");
    assert_eq!(device.totals().cache_flushes, 3);
    // Alone it waits for nothing.
    assert_eq!(device.submit(at(10_000), Op::Sync, 0), at(11_000));
    assert_eq!(device.submit(at(10_500), Op::RandomWrite, PAGE), at(11_100));
    let queued: Vec<SimTime> = (0..10).map(|_| device.submit(at(20_000), Op::RandomWrite, PAGE)).collect();
    assert_eq!(queued[9], at(21_000));
    assert_eq!(device.submit_ahead(at(20_100), 4096), at(20_120));
    assert_eq!(
        device.submit(at(20_110), Op::SequentialWrite, 4096),
        at(21_200),
        "behind the ten, and the turn of the other"
    );
}

/// Four channels, a command of 100 us each: what follows a page write on the disk needs no command while that one waits in the queue,
/// behind four others or behind a cache flush, up to 512 KiB.
#[test]
fn adjacent_pages_become_one_write_while_they_wait() {
    let spec =
        DeviceSpec { channels: 4, merges_writes: true, sync_is_barrier: true, write_iops: Some(10_000.0), ..plain() };
    let mut device = build(&spec);
    let at = |us: u64| SimTime(us * US);
    let mut ends: Vec<SimTime> = vec![device.submit(at(0), Op::RandomWrite, PAGE)];
    ends.extend((0..3).map(|_| device.submit_adjacent(at(0), PAGE)));
    assert_eq!(ends, [at(100), at(200), at(300), at(400)], "in the drive at once");
    assert_eq!(device.submit(at(0), Op::RandomWrite, PAGE), at(500));
    assert_eq!(device.submit_adjacent(at(0), PAGE), at(500), "with the fifth, which waits");
    assert_eq!(device.outstanding(at(0)), 5);
    assert_eq!(device.submit_adjacent(at(150), PAGE), at(600), "the fifth was sent when the first was over");
    let totals = device.totals();
    assert_eq!((totals.random_writes, totals.write_pieces, totals.random_write_bytes), (7, 6, 7 * PAGE));
    // Behind a flush.
    assert_eq!(device.submit(at(10_000), Op::Sync, 0), at(11_000));
    assert_eq!(device.submit(at(10_100), Op::RandomWrite, PAGE), at(11_100));
    let merged = (0..31).all(|_| device.submit_adjacent(at(10_200), PAGE) == at(11_100));
    assert!(merged, "512 KiB in all");
    assert_eq!(device.submit_adjacent(at(10_200), PAGE), at(11_200), "too long");
    assert_eq!(device.submit_adjacent(at(11_050), PAGE), at(11_300), "the flush is over");
    // Bytes take their time all the same.
    let mut device = build(&DeviceSpec { write_bytes_per_s: Some(PAGE as f64 * 1e5), ..spec });
    let ends: Vec<SimTime> = (0..6).map(|_| device.submit(at(0), Op::RandomWrite, PAGE)).collect();
    let merged: Vec<SimTime> = (0..31).map(|_| device.submit_adjacent(at(0), PAGE)).collect();
    assert_eq!((ends[5], merged[30]), (at(600), at(600)), "37 pages take 370 us");
    assert_eq!(device.submit(at(0), Op::SequentialWrite, 64 * PAGE), at(1_010), "behind their bytes");
    // Under a cap each page counts.
    let cap = CapSpec {
        read_iops: None,
        write_iops: Some(1_000.0),
        read_bytes_per_s: None,
        write_bytes_per_s: None,
        slice_ns: 100 * MS,
    };
    let mut device = build(&DeviceSpec { cap: Some(cap), merges_writes: true, ..plain() });
    (0..101).for_each(|_| assert!(device.submit_adjacent(at(0), PAGE) > at(0)));
    assert_eq!(device.totals().write_pieces, 101);
}

#[test]
fn a_barrier_holds_the_ceilings_and_counts_as_busy() {
    let spec = DeviceSpec { sync_is_barrier: true, write_iops: Some(10_000.0), ..plain() };
    let mut device = build(&spec);
    device.submit(SimTime(0), Op::Sync, 0);
    let ends: Vec<u64> = (0..3).map(|_| device.submit(SimTime(500 * US), Op::RandomWrite, PAGE).0 / US).collect();
    assert_eq!(ends, [1_100, 1_200, 1_300]);
    let interval = device.take_interval(SimTime(2 * MS));
    assert!((interval.utilization - 0.65).abs() < 1e-9, "{interval:?}");
}

#[test]
fn a_queued_flush_delays_nothing_else() {
    let mut device = build(&plain());
    let at = |us: u64| SimTime(us * US);
    assert_eq!(device.submit(at(0), Op::Sync, 0), at(1_000));
    assert_eq!(device.submit(at(10), Op::RandomWrite, PAGE), at(60));
    // One waits for the running one, others join it while it waits.
    assert_eq!(device.submit(at(20), Op::Sync, 0), at(2_000));
    assert_eq!(device.submit(at(900), Op::Sync, 0), at(2_000));
    assert_eq!(device.submit(at(1_000), Op::Sync, 0), at(3_000));
    assert_eq!(device.totals().cache_flushes, 3);
    // It completes no sooner than the writes before it.
    let mut slow = build(&DeviceSpec { random_write: fixed(5_000.0), ..plain() });
    slow.submit(at(0), Op::RandomWrite, PAGE);
    assert_eq!(slow.submit(at(1), Op::Sync, 0), at(5_000));
    // Busy while a flush runs: 3 ms of 10.
    assert!((device.report(at(10_000)).utilization - 0.3).abs() < 1e-9);
}

#[test]
fn syncs_may_take_write_operations() {
    let spec = DeviceSpec { sync: fixed(10.0), write_iops: Some(1_000.0), sync_counts_as_write: true, ..plain() };
    let mut device = build(&spec);
    let mut now = SimTime::ZERO;
    for _ in 0..2_000 {
        now = device.submit(now, Op::Sync, 0);
        now = device.submit(now, Op::RandomWrite, PAGE);
    }
    check_rate(4_000.0 / now.as_secs_f64(), 1_000.0);
}

#[test]
fn burst_credits_run_out_on_time() {
    let burst = BurstSpec { baseline_iops: 3_000.0, burst_iops: 12_000.0, bucket_ops: 90_000.0, initial_ops: 90_000.0 };
    let spec = DeviceSpec { burst: Some(burst), ..plain() };
    let (mut device, mut program) = (build(&spec), Program::new(&spec));
    let mut now = SimTime::ZERO;
    let mut by_second = [0u64; 20];
    while now < SimTime(20 * SECOND) {
        // Reads and writes pay from the same bucket.
        let op = if by_second[0].is_multiple_of(2) { Op::RandomRead } else { Op::RandomWrite };
        let done = device.submit(now, op, PAGE);
        // A completion at the end of a second belongs to it.
        if let Some(n) = by_second.get_mut(((done.0 - 1) / SECOND) as usize) {
            *n += 1;
        }
        now = program.next(now, done);
    }
    // 90 000 credits at a net loss of 9000 a second: ten seconds.
    for (second, &n) in by_second.iter().enumerate() {
        let expected = if second < 10 { 12_000 } else { 3_000u64 };
        assert!(n.abs_diff(expected) <= 1, "second {second}: {n}");
    }
}

#[test]
fn reads_and_writes_slow_each_other() {
    let mut device = build(&DeviceSpec { read_write_interference: 3.0, ..plain() });
    for _ in 0..16 {
        device.submit(SimTime(0), Op::RandomWrite, PAGE);
    }
    // 16 of 128 places: a read takes 1 + 3 / 8 times as long; when the writes are done, its own time.
    assert_eq!(device.submit(SimTime(0), Op::RandomRead, PAGE), SimTime(137_500));
    assert_eq!(device.submit(SimTime(50 * US), Op::RandomRead, PAGE), SimTime(150 * US));
    let write = device.submit(SimTime(60 * US), Op::RandomWrite, PAGE).0 - 60 * US;
    assert_eq!(write, 50 * US + 50 * US * 3 * 2 / 128 + 1, "rounded to the nearest");
}

#[test]
fn writes_hold_the_flash_from_reads() {
    let mut device = build(&DeviceSpec { read_iops: Some(1_000.0), reads_a_page_written: 0.2, ..plain() });
    let read =
        |device: &mut Device, at_us: u64| device.submit(SimTime(at_us * US), Op::RandomRead, PAGE).0 - at_us * US;
    assert_eq!(read(&mut device, 0), 1_000 * US, "its own turn");
    device.submit(SimTime(2_000 * US), Op::RandomWrite, PAGE);
    device.submit(SimTime(2_000 * US), Op::SequentialWrite, 2 * PAGE);
    assert_eq!(read(&mut device, 2_000), 1_600 * US, "three pages hold it for a fifth of a turn each");
    assert_eq!(read(&mut device, 9_000), 1_000 * US, "once");
    device.submit(SimTime(20_000 * US), Op::SequentialWrite, 64 * PAGE);
    assert_eq!(read(&mut device, 20_000), 2_000 * US, "for no longer than a program");
}

/// At a steady rate of writes the share of dies that are busy is the share of the device's rate, and a read meets one of them for half
/// a program on average.
#[test]
fn reads_wait_for_programs_by_the_share_of_the_write_rate() {
    let spec =
        DeviceSpec { write_bytes_per_s: Some(100.0 * PAGE as f64 * 1e3), program_ns: MS, channels: 64, ..plain() };
    let mut device = build(&spec);
    let (mut waits, reads) = (0, 4_000);
    for at in (0..reads).map(|read| SimTime(read * 50 * US)) {
        device.submit(at, Op::RandomWrite, PAGE);
        waits += device.submit(at, Op::RandomRead, PAGE).since(at).0 - 100 * US;
    }
    // 20 pages a millisecond of 100: a fifth of the dies.
    let mean = waits as f64 / reads as f64;
    assert!((mean - 0.2 * 0.5 * MS as f64).abs() < 0.01 * MS as f64, "{mean} ns");
}

#[test]
fn reads_take_no_places_from_writes() {
    let mut device = build(&DeviceSpec { queue_depth: 4, ..plain() });
    for _ in 0..100 {
        device.submit(SimTime(0), Op::RandomRead, PAGE);
    }
    assert_eq!(device.admission_time(SimTime(0), 4), SimTime(0));
    let first = (0..4).map(|_| device.submit(SimTime(0), Op::RandomWrite, PAGE)).min().unwrap();
    assert_eq!(device.admission_time(SimTime(0), 1), first);
}

#[test]
fn large_operations_take_several_places() {
    let mut device = build(&DeviceSpec { queue_depth: 8, ..plain() });
    device.submit(SimTime(0), Op::SequentialWrite, 2 * SPLIT_BYTES + 1);
    assert_eq!(device.outstanding(SimTime(0)), 3);
    for _ in 0..4 {
        device.submit(SimTime(0), Op::RandomWrite, PAGE);
    }
    assert_eq!(device.admission_time(SimTime(0), 1), SimTime(0));
    device.submit(SimTime(0), Op::RandomWrite, PAGE);
    assert_eq!(device.outstanding(SimTime(0)), 8);
    assert_eq!(device.admission_time(SimTime(0), 1), SimTime(20 * US));
    assert_eq!(device.outstanding(SimTime(20 * US)), 5);
}

#[test]
fn intervals_add_up() {
    let spec = DeviceSpec { write_iops: Some(30_000.0), sync_is_barrier: true, ..plain() };
    let mut device = build(&spec);
    let mut rng = Rng::stream(42, 0, "intervals");
    let mut sum = DeviceInterval::default();
    for second in 0..20u64 {
        for i in 0..10_000u64 {
            let now = SimTime(second * SECOND + i * 100 * US);
            let op = [Op::RandomRead, Op::RandomWrite, Op::RandomWrite, Op::SequentialWrite][rng.below(4) as usize];
            device.submit(now, op, PAGE);
            if rng.below(100) == 0 {
                device.submit(now, Op::Sync, 0);
            }
        }
        let part = device.take_interval(SimTime((second + 1) * SECOND));
        assert!(part.utilization > 0.0 && part.utilization <= 1.0);
        sum.reads += part.reads;
        sum.writes += part.writes;
        sum.syncs += part.syncs;
        sum.read_bytes += part.read_bytes;
        sum.write_bytes += part.write_bytes;
        sum.queue_mean += part.queue_mean / 20.0;
    }
    let totals = *device.totals();
    assert_eq!(sum.reads, totals.random_reads);
    assert_eq!(sum.writes, totals.random_writes + totals.sequential_writes);
    assert_eq!(sum.syncs, totals.syncs);
    assert_eq!(sum.read_bytes, totals.random_reads * PAGE);
    assert_eq!(sum.write_bytes, sum.writes * PAGE);
    let report = device.report(SimTime(20 * SECOND));
    assert_eq!(report.arrivals, sum.reads + sum.writes + sum.syncs);
    assert!((report.mean_number - sum.queue_mean).abs() < 1e-9);
    let little = report.completions as f64 * report.mean_response_s / report.observed_s;
    assert!((little / report.mean_number - 1.0).abs() < 1e-3);
}

/// A hash of the completions of a mixed load. A change here changes the result of every run.
const PINNED_COMPLETIONS: u64 = 0x7b23_3c77_c922_7928;

#[test]
fn the_same_stream_gives_the_same_completions() {
    let spec = DeviceSpec {
        random_read: DurationDist::Exponential { mean_us: 90.0 },
        random_write: DurationDist::Lognormal { mean_us: 60.0, cv: 0.8 },
        sequential_write: DurationDist::Empirical { quantiles: vec![(0.0, 20.0), (0.9, 30.0), (1.0, 500.0)] },
        sync: DurationDist::Lognormal { mean_us: 800.0, cv: 0.3 },
        sync_is_barrier: true,
        write_iops: Some(31_234.5),
        link_bytes_per_s: Some(498_765_432.1),
        read_write_interference: 1.7,
        ..plain()
    };
    let run = || {
        let mut device = build(&spec);
        let mut rng = Rng::stream(43, 0, "load");
        let mut now = SimTime::ZERO;
        (0..100_000).fold(0xcbf2_9ce4_8422_2325u64, |hash, _| {
            now = device.admission_time(now + SimDuration(rng.below_u64(80 * US)), 1);
            let op = match rng.below(100) {
                0 => Op::Sync,
                1..=10 => Op::SequentialWrite,
                11..=40 => Op::RandomRead,
                _ => Op::RandomWrite,
            };
            let bytes = if op == Op::SequentialWrite { u64::from(rng.below(2_000_000)) } else { PAGE };
            (hash ^ device.submit(now, op, bytes).0).wrapping_mul(0x0000_0100_0000_01b3)
        })
    };
    assert_eq!(run(), run());
    assert_eq!(run(), PINNED_COMPLETIONS);
}

#[test]
fn a_specification_is_checked() {
    let bad = [
        (DeviceSpec { channels: 0, ..plain() }, "channels"),
        (DeviceSpec { random_read: fixed(-1.0), ..plain() }, "random_read: us"),
        (DeviceSpec { write_iops: Some(0.0), ..plain() }, "write_iops"),
        (DeviceSpec { link_bytes_per_s: Some(f64::NAN), ..plain() }, "link_bytes_per_s"),
        (DeviceSpec { read_write_interference: -0.1, ..plain() }, "read_write_interference"),
        (DeviceSpec { reads_a_page_written: 0.5, ..plain() }, "reads_a_page_written needs read_iops"),
        (DeviceSpec { program_ns: MS, ..plain() }, "program_us needs write_bytes_per_s"),
    ];
    for (spec, message) in bad {
        let error = spec.validate().unwrap_err();
        assert!(error.contains(message), "{error}");
    }
    let burst = BurstSpec { baseline_iops: 100.0, burst_iops: 50.0, bucket_ops: 10.0, initial_ops: 0.0 };
    assert!(burst.validate().unwrap_err().contains("burst_iops"));
    assert_eq!(plain().validate(), Ok(()));
}

/// The block in which a log ended is being programmed: the write that begins in it waits, others don't, and a flush waits for it.
#[test]
fn a_log_waits_for_its_last_block_alone() {
    let spec = DeviceSpec { rewrite_ns: 300 * US, sync_is_barrier: true, ..plain() };
    let mut device = build(&spec);
    let first = device.submit_to_log(SimTime(0), 4_096, None);
    assert_eq!(first, SimTime(20 * US));
    let again = device.submit_to_log(SimTime(30 * US), 4_096, Some(first));
    assert_eq!(again, SimTime(320 * US));
    assert_eq!(device.submit_to_log(SimTime(40 * US), 4_096, None), SimTime(60 * US), "another block");
    assert_eq!(device.submit(SimTime(50 * US), Op::RandomWrite, PAGE), SimTime(100 * US));
    assert_eq!(device.submit(SimTime(60 * US), Op::Sync, 0), SimTime(1_320 * US), "behind all of them");
    let late = SimTime(2 * MS);
    assert_eq!(device.submit_to_log(late, 4_096, Some(again)), late + SimDuration(20 * US), "programmed long ago");
    let mut takes_all = build(&DeviceSpec { rewrite_ns: 0, ..spec });
    assert_eq!(takes_all.submit_to_log(SimTime(30 * US), 4_096, Some(first)), SimTime(50 * US));
}

fn any_dist() -> impl Strategy<Value = DurationDist> {
    prop_oneof![
        (0.0..500.0f64).prop_map(fixed),
        (1.0..500.0f64).prop_map(|mean_us| DurationDist::Exponential { mean_us }),
        (1.0..500.0f64, 0.0..2.0f64).prop_map(|(mean_us, cv)| DurationDist::Lognormal { mean_us, cv }),
    ]
}

fn any_rate(low: f64, high: f64) -> impl Strategy<Value = Option<f64>> {
    proptest::option::of(low..high)
}

prop_compose! {
    fn any_spec()(
        (channels, queue_depth) in (1..40u32, 1..80u32),
        dists in [any_dist(), any_dist(), any_dist(), any_dist()],
        (sync_is_barrier, sync_counts_as_write) in (any::<bool>(), any::<bool>()),
        (read_iops, write_iops) in (any_rate(1e3, 1e6), any_rate(1e3, 1e6)),
        (read_bytes_per_s, write_bytes_per_s) in (any_rate(1e7, 1e10), any_rate(1e7, 1e10)),
        link_bytes_per_s in any_rate(1e7, 1e10),
        read_write_interference in prop_oneof![Just(0.0), 0.0..5.0f64],
        burst in proptest::option::of((1e3..1e4f64, 1.0..5.0f64, 1.0..1e3f64, 0.0..1.0f64)),
    ) -> DeviceSpec {
        let [random_read, random_write, sequential_write, sync] = dists;
        let burst = burst.map(|(baseline_iops, factor, bucket_ops, filled)| BurstSpec {
            baseline_iops, burst_iops: baseline_iops * factor, bucket_ops, initial_ops: bucket_ops * filled,
        });
        DeviceSpec {
            name: "any".to_owned(), channels, queue_depth, random_read, random_write, sequential_write, sync,
            sync_is_barrier, sync_goes_first: false, read_iops, write_iops, read_bytes_per_s, write_bytes_per_s, link_bytes_per_s,
            reads_a_page_written: 0.0, read_write_interference, sync_counts_as_write, burst, cap: None, sync_operations: 1.0,
            drain_ns: 0, rewrite_ns: 0, program_ns: 0, merges_writes: false, write_overhead_bytes: 0, inode_tick_ns: 0, unwritten_redo_bytes: 0, redo_map_block: false, seek_free_bytes: 0, array: None, at_depth: Vec::new(),
        }
    }
}

/// An operation as it went: when, what, how many bytes, until when.
#[derive(Debug, Clone, Copy)]
struct Done {
    at: u64,
    op: Op,
    bytes: u64,
    until: u64,
}

impl Done {
    fn is_write(&self) -> bool {
        matches!(self.op, Op::RandomWrite | Op::SequentialWrite)
    }

    fn pieces(&self) -> f64 {
        self.bytes.div_ceil(SPLIT_BYTES).max(1) as f64
    }
}

/// No window of submissions may complete sooner than `rate` allows its units (whole nanoseconds aside).
fn check_ceiling(done: &[Done], rate: Option<f64>, units: impl Fn(&Done) -> f64) {
    let Some(rate) = rate else { return };
    for from in 0..done.len() {
        let mut sum = 0.0;
        for one in done[from..].iter().filter(|one| units(one) > 0.0) {
            sum += units(one);
            let earliest = done[from].at as f64 + sum / rate * 1e9;
            assert!(one.until as f64 >= earliest * (1.0 - 1e-9) - 1.0, "{one:?} before {earliest}, {rate} a second");
        }
    }
}

fn check_syncs(spec: &DeviceSpec, done: &[Done]) {
    for (i, sync) in done.iter().enumerate().filter(|(_, one)| one.op == Op::Sync) {
        if !spec.sync_is_barrier {
            let before = done[..i].iter().filter(|one| one.is_write());
            assert!(before.clone().all(|one| one.until <= sync.until), "a write is later than {sync:?}");
            continue;
        }
        // Those that joined have the completion of the first.
        let first = done.iter().position(|one| one.op == Op::Sync && one.until == sync.until).unwrap_or(i);
        assert!(done[..first].iter().all(|one| one.until <= sync.until), "something is later than {sync:?}");
        assert!(done[first..].iter().all(|one| one.until >= sync.until), "something overtakes {sync:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_device_keeps_its_promises(
        spec in any_spec(),
        load in proptest::collection::vec((0..200_000u64, 0..20u32, 1..3_000_000u64), 1..150),
        hurry in 0..3u64,
    ) {
        prop_assert_eq!(spec.validate(), Ok(()));
        let mut device = build(&spec);
        let mut now = SimTime::ZERO;
        let mut done: Vec<Done> = Vec::new();
        for (gap, kind, large) in load {
            now = device.admission_time(now + SimDuration(gap * hurry), 1);
            let writes = done.iter().filter(|one| one.until > now.0 && one.op != Op::RandomRead);
            prop_assert!(writes.map(|one| one.pieces() as u32).sum::<u32>() < spec.queue_depth);
            let (op, bytes) = match kind {
                0..=5 => (Op::RandomRead, PAGE),
                6..=14 => (Op::RandomWrite, PAGE),
                15..=17 => (Op::SequentialWrite, large),
                _ => (Op::Sync, 0),
            };
            let until = device.submit(now, op, bytes);
            prop_assert!(until >= now);
            done.push(Done { at: now.0, op, bytes, until: until.0 });
            let pieces: u32 = done.iter().filter(|one| one.until > now.0).map(|one| one.pieces() as u32).sum();
            prop_assert_eq!(device.outstanding(now), pieces);
        }
        let only = |yes: bool, units: f64| if yes { units } else { 0.0 };
        check_ceiling(&done, spec.read_iops, |one| only(one.op == Op::RandomRead, one.pieces()));
        check_ceiling(&done, spec.write_iops, |one| only(one.is_write(), one.pieces()));
        check_ceiling(&done, spec.read_bytes_per_s, |one| only(one.op == Op::RandomRead, one.bytes as f64));
        check_ceiling(&done, spec.write_bytes_per_s, |one| only(one.is_write(), one.bytes as f64));
        check_ceiling(&done, spec.link_bytes_per_s, |one| one.bytes as f64);
        check_ceiling(&done, spec.burst.as_ref().map(|b| b.burst_iops), |one| only(one.op != Op::Sync, one.pieces()));
        check_syncs(&spec, &done);
        let end = done.iter().map(|one| one.until).max().unwrap_or(0).max(1);
        let report = device.report(SimTime(end));
        prop_assert_eq!(report.arrivals, report.completions);
        prop_assert!(report.utilization <= 1.0 + 1e-9, "{:?}", report);
        let area: f64 = done.iter().map(|one| one.pieces() * (one.until - one.at) as f64).sum();
        prop_assert!((report.mean_number - area / end as f64).abs() <= 1e-9 * report.mean_number.max(1.0));
    }
}

/// A page behind the last one costs its way under the head, not a seek; where nothing seeks, every page costs the same.
#[test]
fn a_page_near_the_last_one_needs_no_seek() {
    let disk = DeviceSpec {
        channels: 1,
        random_write: fixed(8_000.0),
        write_bytes_per_s: Some(160e6),
        seek_free_bytes: 64 * PAGE,
        ..plain()
    };
    let mut device = build(&disk);
    assert_eq!(device.seek_free_bytes(), 64 * PAGE);
    let mut done = device.submit(SimTime::ZERO, Op::RandomWrite, PAGE);
    assert_eq!(done, SimTime(8 * MS));
    for pages in [1, 1, 5] {
        let before = done;
        done = device.submit_near(SimTime::ZERO, pages * PAGE, PAGE);
        let passes = (pages * PAGE) as f64 / 160e6 * 1e9;
        assert!(
            (done.since(before).0 as f64 - passes).abs() < 1.0 + passes * 1e-6,
            "{pages}: {}",
            done.since(before).0
        );
    }
    let totals = device.totals();
    assert_eq!((totals.random_writes, totals.random_write_bytes), (4, 4 * PAGE));
    let no_rate = DeviceSpec { seek_free_bytes: PAGE, write_bytes_per_s: None, ..plain() };
    assert!(no_rate.validate().unwrap_err().contains("seek_free_bytes needs write_bytes_per_s"));
}

/// Behind a cache that a battery keeps, writes take no longer than to get there, until it is full; then they go at the rate of the disks.
#[test]
fn an_array_keeps_writes_until_its_cache_is_full() {
    let array = ArraySpec { cache_bytes: 4 << 20, strip_bytes: 4 * PAGE, head_bytes_per_s: 100e6 };
    let disks = DeviceSpec {
        channels: 2,
        random_write: fixed(5_000.0),
        sequential_write: fixed(100.0),
        link_bytes_per_s: Some(1e9),
        seek_free_bytes: 64 * PAGE,
        write_bytes_per_s: None,
        array: Some(array),
        sync_is_barrier: false,
        ..plain()
    };
    let mut device = build(&disks);
    let in_cache = |bytes: u64| SimDuration(100_000 + bytes);
    let fits = (4 << 20) / PAGE;
    for page in 0..fits {
        let done = device.submit(SimTime::ZERO, Op::RandomWrite, PAGE);
        assert_eq!(done, SimTime::ZERO + in_cache(PAGE), "page {page}");
    }
    // Two disks make room for two pages each 5 ms.
    let waits = [1, 1, 2, 2].map(|turn| SimTime(turn * 5 * MS) + in_cache(PAGE));
    assert_eq!([(); 4].map(|()| device.submit(SimTime::ZERO, Op::RandomWrite, PAGE)), waits);
    // The doublewrite waits for room as well, and costs the disks nothing.
    let batch = device.submit(SimTime::ZERO, Op::SequentialWrite, 4 * PAGE);
    assert_eq!(batch, SimTime(4 * 5 * MS) + in_cache(4 * PAGE));
    // The flush waits for what is not in the cache yet, and for no disk.
    assert!(device.submit(SimTime::ZERO, Op::Sync, 0) <= batch + SimDuration(5 * MS));
    let mut idle = build(&disks);
    idle.submit(SimTime::ZERO, Op::RandomWrite, PAGE);
    idle.submit_near(SimTime::ZERO, PAGE, PAGE);
    let report = idle.report(SimTime(10 * MS));
    assert_eq!(report.completions, 2);
    let sheet = DeviceSpec {
        cap: Some(CapSpec {
            read_iops: None,
            write_iops: Some(100.0),
            read_bytes_per_s: None,
            write_bytes_per_s: None,
            slice_ns: 100 * MS,
        }),
        ..disks
    };
    assert!(sheet.validate().unwrap_err().contains("array and cap"));
}
