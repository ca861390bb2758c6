//! CPU time that grows with the number of threads that run at once.
//!
//! Two threads of a core share it, clocks fall as more cores work, caches and memory are shared: the same work takes more CPU
//! time on a busy machine. The scenario says how much more by the share of the processors that are wanted
//! ([`CpuSlowdown`](crate::run_spec::CpuSlowdown)). Source: `machine-2026` section 2, read off read-only runs of ten servers,
//! whose latency is CPU time alone.
//!
//! Simplification: a piece of computing takes the factor of the moment at which it begins (errs towards pieces that are too
//! short as a crowd gathers, and too long as it disperses; the mean is right where the load is even).

use crate::kernel::time::SimDuration;
use crate::run_spec::CpuSlowdown;

/// Binary digits behind the point of a factor.
const FRACTION_BITS: u32 = 16;

/// The factor by the number of threads that run or wait for a processor, the one that begins included.
#[derive(Debug, Clone)]
pub(in crate::server) struct Slowdown {
    /// By threads, from one on; the last holds for more. Empty where nothing grows.
    factors: Vec<u64>,
}

impl Slowdown {
    /// The law on `cores` processors.
    pub(in crate::server) fn new(law: &CpuSlowdown, cores: u32) -> Self {
        let cores = f64::from(cores.max(1));
        let most = law.0.last().map_or(0.0, |(share, _)| (share * cores).ceil()) as u64;
        let fixed = |factor: f64| (factor * f64::from(1u32 << FRACTION_BITS) + 0.5) as u64;
        Slowdown { factors: (1..=most).map(|threads| fixed(law.at(threads as f64 / cores))).collect() }
    }

    /// Whether nothing grows.
    pub(in crate::server) fn is_none(&self) -> bool {
        self.factors.is_empty()
    }

    /// CPU time of `demand` while `others` run or wait.
    pub(in crate::server) fn of(&self, demand: SimDuration, others: u32) -> SimDuration {
        let at = (others as usize).min(self.factors.len().saturating_sub(1));
        let factor = self.factors.get(at).copied().unwrap_or(1 << FRACTION_BITS);
        SimDuration(((u128::from(demand.0) * u128::from(factor)) >> FRACTION_BITS) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_follows_the_curve_and_stays_at_its_ends() {
        let law = CpuSlowdown(vec![(0.25, 1.0), (0.5, 2.0), (1.0, 3.0)]);
        let slowdown = Slowdown::new(&law, 8);
        let us = [0, 1, 2, 3, 5, 7, 100].map(|others| slowdown.of(SimDuration(1_000), others).0);
        assert_eq!(us, [1_000, 1_000, 1_500, 2_000, 2_500, 3_000, 3_000]);
        let none = Slowdown::new(&CpuSlowdown::default(), 8);
        assert!(none.is_none());
        assert_eq!(none.of(SimDuration(7), 50), SimDuration(7));
    }
}
