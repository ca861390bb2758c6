//! Latencies are compared at the percentile at which the load generator reports them.

use innosim_core::metrics::SecondSample;
use innosim_recordings::Percentile;

/// Name of the mean over the reports.
pub(crate) const fn latency_metric(percentile: Percentile) -> &'static str {
    match percentile {
        Percentile::P95 => "latency_ms_p95_mean",
        Percentile::P99 => "latency_ms_p99_mean",
    }
}

/// The same percentile of a simulated second, ms.
pub(crate) fn latency_of(percentile: Percentile) -> fn(&SecondSample) -> f64 {
    match percentile {
        Percentile::P95 => |second| second.latency_ms_p95,
        Percentile::P99 => |second| second.latency_ms_p99,
    }
}
