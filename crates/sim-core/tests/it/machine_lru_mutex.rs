//! Clients that compete for the mutexes of the LRU lists, against closed forms of one or two stations and a closed loop.

use crate::common::*;
use innosim_core::config::FreePagePolicy;
use innosim_core::kernel::time::SimDuration;
use innosim_core::metrics::RunOutput;
use innosim_core::run_spec::LruMutexSpec;

const POOL: u64 = 2_000;
const DATA: u64 = 100_000;
/// CPU time of a transaction, µs.
const CPU_US: f64 = 10.0;
/// A transaction takes the mutex to find a clean page to evict, as no page cleaner does it, and to put its page in the list.
const ACQUISITIONS: f64 = 2.0;

/// Each transaction reads a page that is nearly never there, off a device that takes no time.
fn reading(clients: u32, instances: u32, lru_mutex: LruMutexSpec) -> RunOutput {
    let mut server = TestServer::new(POOL);
    server.config.buffer_pool.instances = instances;
    let mut spec = spec(4, DATA, 64, fixed(CPU_US), vec![touch(1, false, 0.0)], closed(clients));
    spec.workload.page_sets[0].resident_share = 0.0;
    spec.cpu.lru_mutex = lru_mutex;
    run(&server, &spec)
}

/// Once the pool is full: before, a page takes the mutex once.
fn throughput(out: &RunOutput) -> f64 {
    batch_means(out, 2, 1, |s| s.transactions as f64).0
}

fn mutex(hold_us: u64, per_waiter_us: u64) -> LruMutexSpec {
    let us = SimDuration::from_micros;
    LruMutexSpec { hold: us(hold_us), per_waiter: us(per_waiter_us), spin_share: 0.0 }
}

/// 98 of 100 transactions read a page. The rest of the loop takes less time than the queue, so the mutex is never free.
#[test]
fn throughput_of_one_list_is_that_of_its_mutex() {
    let missing = 1.0 - POOL as f64 / DATA as f64;
    for clients in [16, 64] {
        let at_mutex = throughput(&reading(clients, 1, mutex(50, 0))) * missing;
        check_share("reads a second", at_mutex, 1e6 / (ACQUISITIONS * 50.0), 0.01);
    }
}

/// Of `n` clients one has the mutex, one computes, and the others make each cycle longer.
#[test]
fn each_waiting_thread_makes_a_cycle_longer() {
    let missing = 1.0 - POOL as f64 / DATA as f64;
    for clients in [16, 64] {
        let cycle_us = 50.0 + 10.0 * f64::from(clients - 2);
        let at_mutex = throughput(&reading(clients, 1, mutex(50, 10))) * missing;
        check_share("reads a second", at_mutex, 1e6 / (ACQUISITIONS * cycle_us), 0.01);
    }
}

/// Two lists do the work of two stations of a closed network, whose clients choose at random: at least what exponential times
/// give, `n / (n + 1)` of twice one's, as these are constant.
#[test]
fn two_lists_do_twice_as_much() {
    let (clients, one) = (32, throughput(&reading(32, 1, mutex(50, 0))));
    let two = throughput(&reading(clients, 2, mutex(50, 0)));
    let least = f64::from(clients) / f64::from(clients + 1);
    assert!((least..=1.001).contains(&(two / (2.0 * one))), "{two} for {one}");
}

/// A client alone never waits, and meets no event more.
#[test]
fn who_is_alone_waits_for_nobody() {
    let (free, alone) = (reading(1, 1, LruMutexSpec::default()), reading(1, 1, mutex(4, 1)));
    assert_eq!(free.event_hash, alone.event_hash);
    assert_eq!(throughput(&free), throughput(&alone));
}

/// A batch deals with the tail in order: clients have taken the clean pages from there, and until those that they left are prepared
/// for writing, the batch frees none. So more than the one client that woke the page cleaner flush a page alone.
#[test]
fn what_clients_left_at_the_tail_comes_before_free_pages() {
    let alone = |lru_mutex| {
        let mut server = flushing_alone(POOL, SimDuration::from_millis(10), true);
        (server.wakes, server.flushing) = (true, Flushing::PagesPerSecond(0.0));
        let FreePagePolicy::SinglePage { first_scan, .. } = &mut server.config.buffer_pool.free_pages else { panic!() };
        *first_scan = 20;
        let touches = vec![touch(4, false, 0.0), touch(1, true, 50.0)];
        let mut spec = spec(10, DATA, 64, fixed(5_000.0), touches, closed(16));
        spec.workload.page_sets[0].resident_share = 0.0;
        spec.cpu.lru_mutex = lru_mutex;
        spec.cpu.page_checksum = SimDuration::from_micros(100);
        let out = run(&server, &spec);
        let passes = server.passes.lock().expect("one thread").len() as f64;
        out.series.iter().map(|s| s.single_pages).sum::<u64>() as f64 / passes
    };
    let (at_once, in_order) = (alone(LruMutexSpec::default()), alone(mutex(1, 0)));
    assert!(in_order > 3.0 * at_once && in_order > 5.0, "{at_once} and {in_order} pages a pass");
}

/// Threads that wait use their share of a processor each: of 16 one has the mutex, and one computes for a tenth of each cycle.
#[test]
fn waiting_threads_use_processors() {
    let spinning = LruMutexSpec { spin_share: 0.25, ..mutex(50, 0) };
    let busy = |spec| reading(16, 1, spec).stations[0].utilization * 64.0;
    let (with, without) = (busy(spinning), busy(mutex(50, 0)));
    check_share("processors that spin", with - without, 0.25 * (15.0 - CPU_US / (ACQUISITIONS * 50.0)), 0.01);
}
