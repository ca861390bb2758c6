//! The whole machine where it reduces to a queueing network with a known answer.
//!
//! Each test switches off all but one mechanism and states the formula. Throughput of random runs must agree within
//! three standard errors (batch means over two seconds each); deterministic cases must agree to the rounding of the
//! clock.

use crate::common::*;
use innosim_core::config::{CommitDurability, RedoIo};
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::metrics::RunOutput;
use innosim_core::run_spec::{CpuScheduling, CpuSlowdown, CpuSpec, OtherPrograms};
use innosim_core::storage::DeviceSpec;
use innosim_core::workload::{DriveSpec, StopSpec};

/// Clients that compute and think, scheduled in this way; the label says which.
fn computing_and_thinking(
    (clients, cores, think_us): (u32, u32, f64),
    scheduling: CpuScheduling,
) -> (String, RunOutput) {
    let think = if think_us == 0.0 { fixed(0.0) } else { exponential(think_us) };
    let drive = DriveSpec::Closed { clients, think };
    let mut spec = spec(100, 64, cores, exponential(1e3), vec![touch(1, false, 0.0)], drive);
    spec.cpu = CpuSpec { scheduling, ..CpuSpec::default() };
    (format!("{clients} clients on {cores} cores, {scheduling:?}"), run(&TestServer::new(1000), &spec))
}

/// N clients, c cores, exponential CPU demand D, think time Z: product form, X by convolution; R = N / X - Z. It is the same
/// first come, first served, and at equal shares of all cores.
#[test]
fn clients_on_cores_are_a_closed_network() {
    for (clients, cores, think_us) in [(1u32, 1u32, 0.0), (8, 1, 0.0), (8, 1, 9_000.0), (20, 4, 3_000.0), (6, 8, 500.0)]
    {
        let theory = closed_network(&[(1e-3, cores)], think_us / 1e6, clients as usize);
        let response = f64::from(clients) / theory - think_us / 1e6;
        for scheduling in [CpuScheduling::InTurns, CpuScheduling::Balanced] {
            let (label, out) = computing_and_thinking((clients, cores, think_us), scheduling);
            check_throughput(&label, &out, 2, theory);
            check_share("response", out.stations[0].mean_response_s, response, 0.02);
            assert_eq!(out.stations[0].servers, cores, "{label}");
            out.stations.iter().for_each(check_little);
        }
    }
}

/// With a queue for each core, which no thread leaves, each core is a closed network with its share of the clients: cores idle while
/// clients wait for another, and less is done.
#[test]
fn clients_that_stay_on_their_cores_do_less() {
    let (label, out) = computing_and_thinking((20, 4, 3_000.0), CpuScheduling::Shared);
    let alone = 4.0 * closed_network(&[(1e-3, 1)], 3e-3, 5);
    check_throughput(&label, &out, 2, alone);
    assert!(alone < 0.95 * closed_network(&[(1e-3, 4)], 3e-3, 20), "{alone}");
}

/// All reads miss (data set 1000 times the pool): CPU and device are a closed network of two stations with demands D
/// and V * S, V reads a transaction.
#[test]
fn a_read_workload_is_bound_by_its_device() {
    for (clients, channels, reads) in [(1u32, 1u32, 1u32), (16, 1, 3), (16, 4, 3), (64, 16, 10)] {
        let (demand, service) = (100e-6, 400e-6);
        let mut spec = spec(60, 640_000, 2, exponential(demand * 1e6), vec![touch(reads, false, 0.0)], closed(clients));
        spec.workload.page_sets[0].resident_share = 0.0;
        spec.storage.data = DeviceSpec { channels, random_read: exponential(service * 1e6), ..instant_device() };
        let out = run(&TestServer::new(640), &spec);
        let misses = 1.0 - 640.0 / 640_000.0;
        let theory =
            closed_network(&[(demand, 2), (service * f64::from(reads) * misses, channels)], 0.0, clients as usize);
        check_throughput(&format!("{clients} clients, {channels} channels, {reads} reads"), &out, 2, theory);
        let reads_done: u64 = out.series.iter().map(|s| s.pool_reads).sum();
        let transactions: u64 = out.series.iter().map(|s| s.transactions).sum();
        check_share("misses", reads_done as f64 / transactions as f64, f64::from(reads) * misses, 0.01);
        out.stations.iter().for_each(check_little);
    }
}

/// A read that takes no time on the device but CPU of the client: with processors shared and busy, throughput is cores
/// / (D + V C).
#[test]
fn reads_take_cpu_time_of_their_clients() {
    let (demand, read, reads) = (200e-6, 50e-6, 3u32);
    let mut spec = spec(20, 640_000, 2, fixed(demand * 1e6), vec![touch(reads, false, 0.0)], closed(16));
    spec.workload.page_sets[0].resident_share = 0.0;
    spec.cpu =
        CpuSpec { scheduling: CpuScheduling::Shared, page_read: SimDuration::from_micros(50), ..CpuSpec::default() };
    let out = run(&TestServer::new(640), &spec);
    let misses = 1.0 - 640.0 / 640_000.0;
    let theory = 2.0 / (demand + read * f64::from(reads) * misses);
    check_throughput("reads that compute", &out, 2, theory);
}

/// What other programs take is missing to the clients, however processors are shared.
#[test]
fn other_programs_take_what_they_take() {
    for (scheduling, cpus) in
        [(CpuScheduling::Shared, 0.5), (CpuScheduling::InTurns, 0.5), (CpuScheduling::Shared, 1.2)]
    {
        let mut spec = spec(20, 64, 2, fixed(200.0), vec![touch(1, false, 0.0)], closed(16));
        spec.cpu = CpuSpec { scheduling, ..CpuSpec::default() };
        spec.other_programs = vec![OtherPrograms { from: SimTime::ZERO, cpus }];
        let out = run(&TestServer::new(1000), &spec);
        let (got, _) = batch_means(&out, 2, 2, |s| s.transactions as f64);
        check_share(&format!("{scheduling:?} beside {cpus}"), got, (2.0 - cpus) / 200e-6, 0.01);
    }
}

/// Handing out transactions at a rate takes CPU time besides theirs; in a closed loop there is nothing to hand out.
#[test]
fn dispatching_takes_cpu_time_in_an_open_drive() {
    let (rate, demand, dispatch) = (2_000.0, 200e-6, 100e-6);
    let busy_and_done = |drive| {
        let mut spec = spec(20, 64, 2, fixed(demand * 1e6), vec![touch(1, false, 0.0)], drive);
        spec.cpu = CpuSpec {
            scheduling: CpuScheduling::Shared,
            dispatch: SimDuration::from_micros(100),
            ..CpuSpec::default()
        };
        let out = run(&TestServer::new(1000), &spec);
        (out.stations[0].utilization, batch_means(&out, 2, 2, |s| s.transactions as f64).0)
    };
    let (busy, done) = busy_and_done(open(16, rate, false));
    check_share("open utilisation", busy, rate * (demand + dispatch) / 2.0, 0.01);
    check_share("open throughput", done, rate, 0.01);
    let (_, done) = busy_and_done(closed(16));
    check_share("closed throughput", done, 2.0 / demand, 0.01);
}

/// Poisson arrivals below capacity: what arrives leaves, and the CPU is an M/M/c queue (Erlang's C).
#[test]
fn an_open_load_below_capacity_is_served() {
    let (rate, cores, demand) = (2_000.0, 4u32, 1.5e-3);
    let spec = spec(200, 64, cores, exponential(demand * 1e6), vec![touch(1, false, 0.0)], open(400, rate, true));
    let out = run(&TestServer::new(1000), &spec);
    check_throughput("open", &out, 2, rate);
    let offered = rate * demand;
    let blocked = (1..=cores).fold(1.0, |b, c| offered * b / (f64::from(c) + offered * b));
    let waits = blocked / (1.0 - offered / f64::from(cores) * (1.0 - blocked));
    let number = offered + waits * offered / (f64::from(cores) - offered);
    check_share("M/M/4 number", out.stations[0].mean_number, number, 0.03);
    check_share("M/M/4 utilisation", out.stations[0].utilization, offered / f64::from(cores), 0.01);
    assert_eq!(out.series.last().unwrap().arrivals_waiting, 0);
    out.stations.iter().for_each(check_little);
}

/// Above capacity the queue of an open drive grows by what is not served: nothing is lost.
#[test]
fn an_open_load_above_capacity_waits() {
    let spec = spec(20, 64, 1, fixed(1_000.0), vec![touch(1, false, 0.0)], open(3, 1_500.0, false));
    let out = run(&TestServer::new(1000), &spec);
    for row in &out.series[1..] {
        assert!(row.transactions.abs_diff(1_000) <= 1, "{row:?}");
        assert!(row.arrivals_waiting.abs_diff(500 * row.second) <= 5, "{row:?}");
    }
}

/// A stop of 1.5 s every 10 s.
fn stop(whole_server: bool) -> StopSpec {
    StopSpec {
        first: SimTime(5_250_000_000),
        length: SimDuration::from_millis(1_500),
        per_gib: SimDuration::ZERO,
        every: SimDuration::from_secs(10),
        whole_server,
    }
}

/// A closed loop loses the stops and nothing else; an open one makes them good, as far as its threads allow.
#[test]
fn no_transaction_starts_during_a_stop() {
    for whole_server in [false, true] {
        let stopped = |drive| {
            let mut spec = spec(60, 64, 1, fixed(1_000.0), vec![touch(1, false, 0.0)], drive);
            spec.workload.stops = vec![stop(whole_server)];
            run(&TestServer::new(1000), &spec)
        };
        let done =
            |out: &RunOutput, second: u64| out.series.iter().find(|row| row.second == second).unwrap().transactions;
        let closed_loop = stopped(closed(1));
        for (second, transactions) in
            [(5u64, 1_000u64), (6, 250), (7, 250), (8, 1_000), (15, 1_000), (16, 250), (17, 250)]
        {
            assert!(done(&closed_loop, second).abs_diff(transactions) <= 2, "second {second}");
        }
        let open_loop = stopped(open(4, 500.0, false));
        for (second, transactions) in [(5u64, 500u64), (6, 125), (7, 250), (8, 1_000), (9, 625), (10, 500)] {
            assert!(done(&open_loop, second).abs_diff(transactions) <= 6, "{second}: {}", done(&open_loop, second));
        }
    }
}

/// Page cleaners and the redo log go on while no transaction starts; when the whole server stands still they do not,
/// and the first second after it is like any other.
#[test]
fn a_stop_of_the_whole_server_stops_its_threads() {
    let stopped = |whole_server| {
        let touches = vec![touch(1, true, 100.0)];
        let mut spec = spec(30, 64_000, 64, fixed(10_000.0), touches, closed(1));
        spec.workload.stops = vec![StopSpec { length: SimDuration::from_secs(4), ..stop(whole_server) }];
        let mut server = TestServer::new(64_000);
        server.flushing = Flushing::PagesPerSecond(50.0);
        run(&server, &spec)
    };
    let flushed = |out: &RunOutput, second: u64| {
        out.series.iter().find(|row| row.second == second).map_or(0, |row| row.pages_flushed)
    };
    let (held, still) = (stopped(false), stopped(true));
    let within = |out: &RunOutput| (7..=9).map(|second| flushed(out, second)).sum::<u64>();
    assert!(within(&held) > 0, "the test means to have pages left to flush");
    assert_eq!(within(&still), 0);
    assert!(flushed(&still, 11) > 0);
}

fn committing(clients: u32, cpu_us: f64, sync_us: f64) -> innosim_core::run_spec::RunSpec {
    let mut spec = spec(20, 6_400, 1_000, fixed(cpu_us), vec![touch(1, true, 100.0)], closed(clients));
    spec.storage.redo = Some(DeviceSpec { sync: fixed(sync_us), ..instant_device() });
    spec
}

fn commit_server(commit: CommitDurability) -> TestServer {
    let mut server = TestServer::new(10_000);
    (server.config.redo.commit, server.config.redo.io) = (commit, RedoIo::Buffered);
    server
}

/// Group commit with sync time s and no CPU: always within N/(2s) .. N/s.
///
/// The deterministic case is exactly N/(2s): of the clients that a sync releases together the first to write redo has
/// it written alone, and the sync that starts then covers it alone; the others are written meanwhile and share the next
/// one; when that ends, the first one's next transaction waits for a sync of its own. So N commits take two syncs that
/// follow each other without a gap. One client alone waits for its own sync each time, and for two wake-ups.
#[test]
fn commits_share_syncs() {
    let sync = 2e-3;
    for clients in [2u32, 5, 40] {
        let out = run(&commit_server(CommitDurability::Sync), &committing(clients, 0.0, sync * 1e6));
        let (mean, _) = batch_means(&out, 1, 2, |s| s.transactions as f64);
        check_share(&format!("{clients} clients"), mean, f64::from(clients) / (2.0 * sync), 0.002);
    }
    let out = run(&commit_server(CommitDurability::Sync), &committing(1, 0.0, sync * 1e6));
    let (mean, _) = batch_means(&out, 1, 2, |s| s.transactions as f64);
    assert!((1.0 / (sync + 100e-6)..1.0 / sync).contains(&mean), "{mean}");
}

/// With random sync and CPU times group commit stays within its bounds, and no sync serves fewer than one commit.
#[test]
fn group_commit_has_bounds() {
    let sync = 2e-3;
    for clients in [4u32, 32] {
        let mut spec = committing(clients, 50.0, 0.0);
        spec.workload.transactions[0].cpu = exponential(50.0);
        spec.storage.redo = Some(DeviceSpec { sync: exponential(sync * 1e6), ..instant_device() });
        let out = run(&commit_server(CommitDurability::Sync), &spec);
        let (mean, error) = batch_means(&out, 1, 2, |s| s.transactions as f64);
        let (low, high) = (f64::from(clients) / (2.0 * sync + 300e-6), f64::from(clients) / sync);
        println!("{clients} clients: {mean:.1} +- {error:.1} in {low:.1}..{high:.1}");
        assert!((low - 3.0 * error..high + 3.0 * error).contains(&mean), "{mean} not in {low}..{high}");
        let syncs: u64 = out.series.iter().map(|s| s.redo_fsyncs).sum();
        let commits: u64 = out.series.iter().map(|s| s.transactions).sum();
        assert!(syncs <= commits && out.series.iter().all(|s| s.redo_fsyncs > 0));
    }
}

/// Modes 0 and 2 don't wait for the device, however slow its sync is.
#[test]
fn lazy_commits_do_not_wait_for_syncs() {
    let out = run(&commit_server(CommitDurability::Lazy), &committing(4, 1_000.0, 50_000.0));
    let (mean, _) = batch_means(&out, 1, 2, |s| s.transactions as f64);
    check_share("mode 0", mean, 4_000.0, 1e-3);
    let out = run(&commit_server(CommitDurability::Write), &committing(4, 1_000.0, 50_000.0));
    let (mean, _) = batch_means(&out, 1, 2, |s| s.transactions as f64);
    assert!((4_000.0 / 1.1..4_000.0).contains(&mean), "mode 2: {mean}");
}

/// A transaction larger than the log buffer fills what there is and waits for the writer, row by row: the redo never
/// passes what the files and the buffer hold, however large the transactions are.
#[test]
fn redo_never_passes_the_files_and_the_buffer() {
    const BUFFER: u64 = 1 << 20;
    const FILES: u64 = 8 << 20;
    for commit in [CommitDurability::Sync, CommitDurability::Write, CommitDurability::Lazy] {
        let mut server = commit_server(commit);
        server.config.redo.log_buffer_bytes = BUFFER;
        let mut spec = spec(10, 1_000, 8, fixed(1_000.0), vec![touch(4_000, true, 2_000.0)], closed(4));
        spec.storage.redo.as_mut().unwrap().sync = fixed(100.0);
        let free = run(&server, &spec);
        let written = free.series.iter().map(|s| s.redo_generated_bytes).sum::<u64>();
        assert!(written > 100 * FILES, "{commit:?}: transactions larger than the buffer get through, {written} bytes");
        // No checkpoint ever makes room.
        (server.hard_bytes, server.checkpoints) = (FILES, None);
        let stuck = run(&server, &spec);
        let age = stuck.series.last().unwrap().checkpoint_age_bytes;
        assert!((FILES..=FILES + BUFFER + 4_000).contains(&age), "{commit:?}: {age} bytes");
    }
}

/// Clients that do nothing but compute on 8 processors: with 4, half of them are wanted, and the same work takes twice the time; with
/// 16 all are, and it takes three times as long. So twice the processors do four thirds of the work.
#[test]
fn cpu_time_grows_with_the_threads_that_run() {
    for scheduling in [CpuScheduling::InTurns, CpuScheduling::Shared] {
        for (clients, factor) in [(4u32, 2.0), (16, 3.0)] {
            let mut spec = spec(10, 64, 8, fixed(1000.0), vec![touch(1, false, 0.0)], closed(clients));
            spec.cpu = CpuSpec { scheduling, ..CpuSpec::default() };
            spec.cpu_slowdown = CpuSlowdown(vec![(0.125, 1.0), (0.5, 2.0), (1.0, 3.0)]);
            let out = run(&TestServer::new(1000), &spec);
            let theory = f64::from(clients.min(8)) / (1e-3 * factor);
            let (tps, _) = batch_means(&out, 2, 2, |second| second.transactions as f64);
            check_share(&format!("{scheduling:?}, {clients} clients"), tps, theory, 0.02);
        }
    }
}
