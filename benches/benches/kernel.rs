//! The operations of which runs are made.
//!
//! Marks: an event through the calendar under 60 ns at a few thousand pending; a page drawn in about 10 ns, Zipf
//! included; a page in and out of the flush list in under 10 ns.

// The macros of criterion make public items without documentation.
#![allow(missing_docs)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use innosim_core::buffer_pool::{FlushList, PageRun};
use innosim_core::kernel::calendar::Calendar;
use innosim_core::kernel::random::Rng;
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::workload::DrawSpec;
use innosim_core::workload::access::{AccessClass, Places};
use innosim_core::workload::homes::Drawer;
use std::hint::black_box;

/// Pages of the set that is drawn from: some more than the published data set has.
const PAGES: u32 = 6_500_000;
/// Pages drawn at a time.
const DRAWS: usize = 256;

/// The hold operation: the next event is taken, and another is scheduled some time after it.
fn calendar_hold(c: &mut Criterion) {
    let mut group = c.benchmark_group("calendar_hold");
    group.throughput(Throughput::Elements(1));
    for pending in [64_u32, 1024, 16_384] {
        let mut rng = Rng::stream(1, 0, "calendar");
        let mut calendar = Calendar::new();
        for event in 0..pending {
            calendar.schedule(SimTime::ZERO + SimDuration(u64::from(rng.below(1_000_000))), event);
        }
        group.bench_function(BenchmarkId::from_parameter(pending), |b| {
            b.iter(|| {
                if let Some((at, event)) = calendar.pop() {
                    calendar.schedule(at + SimDuration(u64::from(rng.below(1_000_000))), event);
                }
            });
        });
    }
    group.finish();
}

fn page_draws(c: &mut Criterion) {
    let mut group = c.benchmark_group("page_draws");
    group.throughput(Throughput::Elements(DRAWS as u64));
    let draws = [
        ("uniform", DrawSpec::Uniform),
        ("zipf-0.99", DrawSpec::Zipf { theta: 0.99 }),
        ("pareto-0.2", DrawSpec::Pareto { h: 0.2 }),
        ("hot-spot", DrawSpec::HotSpot { hot_pages: 0.2, hot_accesses: 0.8 }),
    ];
    for (name, spec) in draws {
        let mut rng = Rng::stream(1, 0, name);
        let runs = vec![PageRun { first: 0, pages: PAGES }];
        let class = AccessClass::new(&spec, runs, &mut Places::default(), &mut rng);
        let who = Drawer { client: 0, home: 0 };
        let mut pages = [0; DRAWS];
        group.bench_function(name, |b| {
            b.iter(|| {
                class.fill(who, &mut rng, &mut pages);
                black_box(pages[DRAWS - 1])
            });
        });
    }
    group.finish();
}

/// A page becomes dirty at one end, another is flushed at the other.
fn flush_list(c: &mut Criterion) {
    let mut group = c.benchmark_group("flush_list");
    group.throughput(Throughput::Elements(1));
    let mut list = FlushList::default();
    let mut lsn = 0;
    for page in 0..1_000_000 {
        lsn += 100;
        list.push(page, lsn);
    }
    group.bench_function("push_and_pop", |b| {
        b.iter(|| {
            lsn += 100;
            list.push(7, lsn);
            black_box(list.pop())
        });
    });
    group.bench_function("count_up_to", |b| b.iter(|| black_box(list.count_up_to(black_box(lsn / 2), u64::MAX))));
    group.finish();
}

criterion_group!(kernel, calendar_hold, page_draws, flush_list);
criterion_main!(kernel);
