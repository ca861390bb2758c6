//! The draws of every sampler are pinned: a change here changes the result of every run, on some platform or on all.

use innosim_core::kernel::random::Rng;
use innosim_core::kernel::sampler::{DurationDist, DurationSampler, NuRand, Scatter, SysbenchPareto, Zipf};

/// A hash of ten thousand draws.
fn hash(name: &str, mut draw: impl FnMut(&mut Rng) -> u64) -> u64 {
    let mut rng = Rng::stream(1, 2, name);
    (0..10_000).fold(0xcbf2_9ce4_8422_2325, |h: u64, _| (h ^ draw(&mut rng)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[test]
fn draws_are_pinned() {
    let zipf = Zipf::new(6_500_000, 0.99);
    let pareto = SysbenchPareto::new(6_500_000, 0.2);
    let nurand = NuRand::new(8_191, 100_000);
    let scatter = Scatter::new(6_500_000, 7);
    let exponential = DurationSampler::new(&DurationDist::Exponential { mean_us: 80.0 });
    let lognormal = DurationSampler::new(&DurationDist::Lognormal { mean_us: 80.0, cv: 0.7 });
    let quantiles = vec![(0.0, 10.0), (0.5, 60.0), (0.99, 400.0), (1.0, 9_000.0)];
    let empirical = DurationSampler::new(&DurationDist::Empirical { quantiles });
    let hashes = [
        hash("zipf", |rng| zipf.sample(rng)),
        hash("pareto", |rng| pareto.sample(rng)),
        hash("nurand", |rng| u64::from(nurand.sample(rng))),
        hash("scatter", |rng| scatter.apply(rng.below_u64(scatter.len()))),
        hash("exponential", |rng| exponential.sample(rng).0),
        hash("lognormal", |rng| lognormal.sample(rng).0),
        hash("empirical", |rng| empirical.sample(rng).0),
    ];
    assert_eq!(hashes, PINNED);
}

const PINNED: [u64; 7] = [
    16689367296903581528,
    12040192804365395449,
    13623851353343731787,
    4833649404515494498,
    1758281624670683638,
    3484049786976230587,
    1388755897970116933,
];
