//! Stations and devices against queueing theory: open queues with known mean response times, closed networks by mean
//! value analysis, Little's law everywhere. All within three standard errors (batch means), with fixed seeds.

use innosim_core::kernel::calendar::Calendar;
use innosim_core::kernel::random::Rng;
use innosim_core::kernel::sampler::{DurationDist, DurationSampler};
use innosim_core::kernel::station::{Station, StationReport};
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::storage::{Device, DeviceSpec, Op};

/// Mean service time of all queues here, µs.
const SERVICE_US: f64 = 100.0;

fn exponential(mean_us: f64) -> DurationDist {
    DurationDist::Exponential { mean_us }
}

fn device_spec(channels: u32, service: &DurationDist) -> DeviceSpec {
    DeviceSpec {
        channels,
        queue_depth: 1 << 20,
        random_read: service.clone(),
        random_write: service.clone(),
        sequential_write: service.clone(),
        sync: service.clone(),
        ..DeviceSpec::instant("device")
    }
}

/// Mean of `batches` and its standard error.
fn mean_and_error(batches: &[f64]) -> (f64, f64) {
    let n = batches.len() as f64;
    let mean = batches.iter().sum::<f64>() / n;
    let variance = batches.iter().map(|b| (b - mean) * (b - mean)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
}

fn check_mean(name: &str, batches: &[f64], theory: f64) {
    let (mean, error) = mean_and_error(batches);
    assert!((mean - theory).abs() < 3.0 * error, "{name}: {mean} +- {error} for {theory}");
    assert!(error < 0.03 * theory, "{name}: the error {error} of {theory} is too large to tell anything");
}

/// Mean response time in µs of Poisson arrivals, by batches, with the load (share of the servers) `rho`.
fn open_queue(rho: f64, servers: u32, seed: u64, mut submit: impl FnMut(SimTime) -> SimTime) -> (Vec<f64>, SimTime) {
    const BATCHES: usize = 40;
    const BATCH: usize = 40_000;
    let gaps = DurationSampler::new(&exponential(SERVICE_US / rho / f64::from(servers)));
    let mut rng = Rng::stream(seed, 0, "arrivals");
    let mut now = SimTime::ZERO;
    let mut batches = Vec::new();
    for batch in 0..=BATCHES {
        let mut sum = 0;
        for _ in 0..BATCH {
            now += gaps.sample(&mut rng);
            sum += submit(now).since(now).0;
        }
        // The first batch starts empty.
        if batch > 0 {
            batches.push(sum as f64 / BATCH as f64 / 1e3);
        }
    }
    (batches, now)
}

/// Little's law: mean number = completions x mean response / time, up to the few operations in progress.
fn check_little(report: &StationReport, rho: f64) {
    let number = report.completions as f64 * report.mean_response_s / report.observed_s;
    assert!((number / report.mean_number - 1.0).abs() < 1e-3, "{report:?}");
    assert!((report.utilization - rho).abs() < 0.01, "{report:?}");
}

/// Checks a station and a device of the same kind against the mean response `theory_us`.
fn check_open(name: &str, servers: u32, service: &DurationDist, rho: f64, theory_us: f64) {
    let sampler = DurationSampler::new(service);
    let mut rng = Rng::stream(31, 0, name);
    let mut station = Station::new(name, servers);
    let (batches, end) = open_queue(rho, servers, 32, |now| station.submit(now, sampler.sample(&mut rng)));
    check_mean(name, &batches, theory_us);
    check_little(&station.report(end), rho);

    let mut device = Device::new(&device_spec(servers, service), Rng::stream(33, 0, name));
    let (batches, end) = open_queue(rho, servers, 34, |now| device.submit(now, Op::RandomWrite, 16_384));
    check_mean(name, &batches, theory_us);
    check_little(&device.report(end), rho);
}

#[test]
fn m_m_1() {
    for rho in [0.3, 0.7] {
        check_open("M/M/1", 1, &exponential(SERVICE_US), rho, SERVICE_US / (1.0 - rho));
    }
}

#[test]
fn m_d_1() {
    let rho = 0.7;
    let theory = SERVICE_US * (1.0 + rho / (2.0 * (1.0 - rho)));
    check_open("M/D/1", 1, &DurationDist::Fixed { us: SERVICE_US }, rho, theory);
}

#[test]
fn m_m_c() {
    for (servers, rho) in [(4u32, 0.8), (32, 0.9), (80, 0.7)] {
        // Erlang's C from his B by recursion.
        let offered = rho * f64::from(servers);
        let blocked = (1..=servers).fold(1.0, |b, c| offered * b / (f64::from(c) + offered * b));
        let waits = blocked / (1.0 - rho * (1.0 - blocked));
        let theory = SERVICE_US + waits * SERVICE_US / (f64::from(servers) * (1.0 - rho));
        check_open("M/M/c", servers, &exponential(SERVICE_US), rho, theory);
    }
}

#[test]
fn m_g_1_by_pollaczek_and_khinchine() {
    let (rho, cv) = (0.6, 1.3);
    let theory = SERVICE_US * (1.0 + rho * (1.0 + cv * cv) / (2.0 * (1.0 - rho)));
    check_open("M/G/1", 1, &DurationDist::Lognormal { mean_us: SERVICE_US, cv }, rho, theory);
}

/// Throughput per second and mean responses in seconds of a closed network of single-server FIFO stations with
/// exponential demands and a think time, by exact mean value analysis (Reiser, Lavenberg 1980).
fn mean_value_analysis(clients: u32, think_s: f64, demands_s: &[f64]) -> (f64, Vec<f64>) {
    let mut queues = vec![0.0; demands_s.len()];
    let mut result = (0.0, Vec::new());
    for n in 1..=clients {
        let responses: Vec<f64> = demands_s.iter().zip(&queues).map(|(d, q)| d * (1.0 + q)).collect();
        let throughput = f64::from(n) / (think_s + responses.iter().sum::<f64>());
        queues = responses.iter().map(|r| throughput * r).collect();
        result = (throughput, responses);
    }
    result
}

/// Simulates the same network; throughputs by batch and the reports of the stations.
fn closed_network(clients: u32, think_s: f64, demands_s: &[f64]) -> (Vec<f64>, Vec<StationReport>) {
    let samplers: Vec<DurationSampler> =
        demands_s.iter().map(|d| DurationSampler::new(&exponential(d * 1e6))).collect();
    let think = DurationSampler::new(&exponential(think_s * 1e6));
    let mut stations: Vec<Station> = demands_s.iter().map(|_| Station::new("station", 1)).collect();
    let mut rng = Rng::stream(35, clients, "closed network");
    // The event is the station that a client goes to next; behind the last it thinks.
    let mut calendar = Calendar::new();
    for _ in 0..clients {
        calendar.schedule(SimTime::ZERO + think.sample(&mut rng), 0);
    }
    let batch = SimDuration::from_secs(20);
    let (mut batches, mut cycles, mut end) = (Vec::new(), 0u32, SimTime::ZERO + batch);
    while batches.len() <= 40 {
        let Some((now, next)) = calendar.pop() else { unreachable!("clients never leave") };
        while now >= end {
            batches.push(f64::from(cycles) / batch.as_secs_f64());
            cycles = 0;
            end += batch;
        }
        if next == stations.len() {
            cycles += 1;
            calendar.schedule(now + think.sample(&mut rng), 0);
        } else {
            let service = samplers[next].sample(&mut rng);
            calendar.schedule(stations[next].submit(now, service), next + 1);
        }
    }
    let now = calendar.now();
    (batches.split_off(1), stations.iter_mut().map(|station| station.report(now)).collect())
}

#[test]
fn closed_networks_agree_with_mean_value_analysis() {
    for (clients, think_s, demands_s) in [
        (1, 0.001, vec![0.001]),
        (5, 0.01, vec![0.001]),
        (20, 0.01, vec![0.001, 0.0008]),
        (40, 0.005, vec![0.001, 0.001]),
    ] {
        let (throughput, responses) = mean_value_analysis(clients, think_s, &demands_s);
        let (batches, reports) = closed_network(clients, think_s, &demands_s);
        check_mean(&format!("{clients} clients"), &batches, throughput);
        for ((report, response), demand) in reports.iter().zip(&responses).zip(&demands_s) {
            assert!((report.mean_response_s / response - 1.0).abs() < 0.03, "{report:?} for {response}");
            assert!((report.mean_number / (throughput * response) - 1.0).abs() < 0.03, "{report:?}");
            check_little(report, throughput * demand);
        }
    }
}
