//! `reproduce.json`. Times in seconds, ages in GiB, errors as shares: (simulated - published) / published.

use super::Comparison;
use crate::outcome::VERSION;
use innosim_experiments::reproduce::{AGE_TOLERANCE, Row, Swapped, TPS_TOLERANCE};
use innosim_experiments::rest::Ended;
use innosim_report::numbers::rounded;
use serde_json::{Value, json};

/// The whole comparison.
pub(super) fn document(comparison: &Comparison) -> Value {
    let order = &comparison.order;
    let swapped: Vec<Value> = order.swapped.iter().map(swapped).collect();
    json!({
        "innosim_version": VERSION,
        "folder": comparison.folder,
        "as_long_as_published": !comparison.shortened && comparison.rows.iter().all(|row| !row.at_rest),
        "until_rest": comparison.until_rest,
        "simulated_s": comparison.simulated_s,
        "wall_s": rounded(comparison.wall_s),
        "speed": rounded(comparison.simulated_s / comparison.wall_s.max(1e-9)),
        "jobs": comparison.jobs,
        "runs_made": comparison.made,
        "tolerance": { "tps": TPS_TOLERANCE, "checkpoint_age": AGE_TOLERANCE },
        "runs": comparison.rows.iter().map(row).collect::<Vec<Value>>(),
        "order": {
            "rank_correlation": order.rank_correlation.map(rounded),
            "pairs": order.pairs,
            "told_apart": order.told_apart,
            "out_of_order": swapped,
        },
        "passed": comparison.misses().is_empty(),
    })
}

fn swapped(pair: &Swapped) -> Value {
    json!({
        "faster": pair.faster,
        "slower": pair.slower,
        "published_gap": rounded(pair.published_gap),
        "gap_interval": rounded(pair.gap_interval),
        "told_apart": pair.is_told_apart(),
    })
}

fn row(row: &Row) -> Value {
    let (published, simulated) = (&row.published, &row.simulated);
    json!({
        "run": row.name,
        "scenario": row.scenario,
        "seed": row.seed,
        "simulated_s": row.simulated_s,
        "ended": if row.at_rest { Ended::AtRest.name() } else { "planned" },
        "warmup_s": row.warmup_s,
        "published": {
            "source": published.source,
            "tps_10s_median_mean": published.tps_10s_median_mean,
            "tps_10s_median_mean_interval": published.tps_10s_median_mean_interval,
            "tps_mean": published.tps_mean,
            "tps_10s_median_min": published.tps_10s_median_min,
            "tps_10s_median_max": published.tps_10s_median_max,
            "checkpoint_age_gib": published.checkpoint_age_gib,
            "regime": published.regime,
            "first_collapse_s": published.first_collapse_s,
            "wave_period_s": published.wave_period_s,
        },
        "simulated": {
            "tps_10s_median_mean": rounded(simulated.tps_10s_median_mean),
            "tps_mean": rounded(simulated.tps_mean),
            "tps_10s_median_min": simulated.tps_10s_median_min,
            "tps_10s_median_max": simulated.tps_10s_median_max,
            "checkpoint_age_gib": rounded(row.age_gib()),
            "regime": simulated.regime,
            "first_collapse_s": row.waves.first_collapse_s,
            "wave_period_s": row.waves.period_s.map(rounded),
            "pages_flushed_per_s_mean": rounded(simulated.pages_flushed_per_s_mean),
            "latency_ms_p95": rounded(simulated.latency_ms_p95),
        },
        "errors": {
            "tps_10s_median_mean": rounded(row.tps_error()),
            "checkpoint_age_gib": row.age_error().map(rounded),
            "regime": !row.regime_agrees(),
        },
        "misses": row.misses,
    })
}
