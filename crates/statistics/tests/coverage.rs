//! 95 % intervals cover a mean that is known in 93 to 97 % of 2000 tries.

use innosim_core::kernel::random::Rng;
use innosim_core::kernel::sampler::{StandardExponential, StandardNormal};
use innosim_statistics::{Estimate, Paired, Precision, batch_means};

const TRIES: u32 = 2000;

/// Share of tries whose interval holds `truth`.
fn coverage(truth: f64, estimate: impl Fn(&mut Rng) -> Estimate) -> f64 {
    let hits = (0..TRIES)
        .filter(|try_number| {
            let e = estimate(&mut Rng::stream(20_260_101, *try_number, "coverage"));
            (e.low()..=e.high()).contains(&truth)
        })
        .count();
    hits as f64 / f64::from(TRIES)
}

fn assert_honest(name: &str, coverage: f64) {
    assert!((0.93..=0.97).contains(&coverage), "{name}: {coverage}");
}

/// Waits in an M/M/1 queue with half of its capacity used, from an empty start: Lindley's recursion. Their mean is 1
/// service time in the long run.
fn waits(rng: &mut Rng, count: usize) -> Vec<f64> {
    let exponential = StandardExponential::new();
    let mut wait = 0.0_f64;
    (0..count)
        .map(|_| {
            wait = (wait + exponential.sample(rng) - 2.0 * exponential.sample(rng)).max(0.0);
            wait
        })
        .collect()
}

#[test]
fn of_a_few_normal_values() {
    let normal = StandardNormal::new();
    let few = |rng: &mut Rng, n: u32| (0..n).map(|_| 7.0 + normal.sample(rng)).collect::<Vec<f64>>();
    assert_honest("three", coverage(7.0, |rng| Estimate::of(&few(rng, 3))));
    assert_honest("ten", coverage(7.0, |rng| Estimate::of(&few(rng, 10))));
}

#[test]
fn of_replications_of_a_queue() {
    let run = |rng: &mut Rng| Estimate::of(&waits(rng, 4000)[1000..]).mean;
    assert_honest("M/M/1", coverage(1.0, |rng| Estimate::of(&(0..10).map(|_| run(rng)).collect::<Vec<f64>>())));
}

#[test]
fn of_batches_in_one_long_run() {
    let long = |rng: &mut Rng| {
        batch_means(&waits(rng, 21_000)[1000..]).map_or(0.0..=0.0, |b| b.estimate.low()..=b.estimate.high())
    };
    let hits = (0..TRIES).filter(|n| long(&mut Rng::stream(3, *n, "batches")).contains(&1.0)).count();
    assert_honest("batch means", hits as f64 / f64::from(TRIES));
}

#[test]
fn of_paired_differences_with_common_luck() {
    let normal = StandardNormal::new();
    let pairs = |rng: &mut Rng| {
        let luck: Vec<f64> = (0..8).map(|_| 10.0 * normal.sample(rng)).collect();
        let with =
            |rng: &mut Rng, shift: f64| luck.iter().map(|l| l + shift + normal.sample(rng)).collect::<Vec<f64>>();
        Paired::of(&with(rng, 2.0), &with(rng, 0.0)).difference
    };
    assert_honest("paired", coverage(2.0, pairs));
}

#[test]
fn of_replications_until_precise_enough() {
    let normal = StandardNormal::new();
    // Wanted half-widths that take about 12, 20 and 65 replications.
    for relative in [0.065, 0.05, 0.025] {
        let precision = Precision { relative, first: Precision::FIRST, limit: 200 };
        let sequential = |rng: &mut Rng| {
            let mut values = Vec::new();
            loop {
                let wanted = precision.wanted(&values) as usize;
                if wanted == values.len() {
                    return Estimate::of(&values);
                }
                values.resize_with(wanted, || 10.0 + normal.sample(rng));
            }
        };
        assert_honest("sequential", coverage(10.0, sequential));
    }
}
