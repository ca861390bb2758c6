//! The comparison as tables: throughput and ages, then the waves, then what they come to.

use super::Comparison;
use super::row::{AGE_TOLERANCE, Row, TPS_TOLERANCE};
use crate::outcome::VERSION;
use crate::output::wrapped;
use crate::text_table::TextTable;
use innosim_report::numbers::{count, decimal, rate};

/// What stands where nothing was published or found.
const NOTHING: &str = "-";

/// The whole comparison.
pub(super) fn render(comparison: &Comparison) -> String {
    let mut text = head(comparison);
    text.push_str(&figures(&comparison.rows));
    if comparison.rows.iter().any(|row| row.published.has_waves() || row.waves.first_collapse_s.is_some()) {
        text.push('\n');
        text.push_str(&waves(&comparison.rows));
    }
    text.push('\n');
    text.push_str(&conclusions(comparison));
    text
}

fn head(comparison: &Comparison) -> String {
    let mut sources: Vec<&str> = comparison.rows.iter().map(|row| row.published.source.as_str()).collect();
    sources.dedup();
    let seed = comparison.rows.first().map_or(0, |row| row.seed);
    let mut text = format!("Published: {}\n", sources.join("; "));
    text.push_str(&format!(
        "Simulated: innosim {VERSION}, seed {seed}, {} runs, {} s in {} s ({} times real time with {} at a time)\n",
        comparison.rows.len(),
        count(comparison.simulated_s),
        rate(comparison.wall_s),
        rate(comparison.simulated_s / comparison.wall_s.max(1e-9)),
        comparison.jobs.min(comparison.rows.len()),
    ));
    if comparison.shortened {
        let (length, warmup) = comparison.rows.first().map_or((0.0, 0.0), |row| (row.simulated_s, row.warmup_s));
        text.push_str(&wrapped(
            &format!(
                "These runs are not as long as the published ones: {} s, figures over what follows the warm-up (the first run's \
                 took {} s). The published figures are over the last 2000 s of 5000 s, so don't expect them to agree.",
                count(length),
                count(warmup)
            ),
            0,
        ));
    }
    text.push('\n');
    text
}

fn figures(rows: &[Row]) -> String {
    let mut table = TextTable::new(&[
        "run",
        ">tps",
        ">simulated",
        ">error",
        ">age GiB",
        ">simulated",
        ">error",
        ">10 s medians",
        ">flush/s",
        "regime",
        "simulated",
        "off",
    ]);
    for row in rows {
        let simulated = &row.simulated;
        table.row(vec![
            row.name.clone(),
            count(row.published.tps_10s_median_mean),
            count(simulated.tps_10s_median_mean),
            signed_percent(row.tps_error()),
            row.published.checkpoint_age_gib.map_or(NOTHING.to_owned(), |age| decimal(age, 2)),
            decimal(row.age_gib(), 2),
            row.age_error().map_or(NOTHING.to_owned(), signed_percent),
            format!("{} to {}", count(simulated.tps_10s_median_min), count(simulated.tps_10s_median_max)),
            count(simulated.pages_flushed_per_s_mean),
            row.published.regime.to_owned(),
            simulated.regime.to_string(),
            row.misses.join(", "),
        ]);
    }
    table.render()
}

fn waves(rows: &[Row]) -> String {
    let mut table = TextTable::new(&[
        "waves",
        ">first collapse",
        ">simulated",
        ">period",
        ">simulated",
        ">10 s medians",
        ">simulated",
    ]);
    let seconds = |value: Option<f64>| value.map_or(NOTHING.to_owned(), |value| format!("{} s", count(value)));
    for row in rows.iter().filter(|row| row.published.has_waves() || row.waves.first_collapse_s.is_some()) {
        let published = &row.published;
        let range = |low: f64, high: f64| format!("{} to {}", count(low), count(high));
        let medians = published.tps_10s_median_min.zip(published.tps_10s_median_max);
        table.row(vec![
            row.name.clone(),
            seconds(published.first_collapse_s),
            seconds(row.waves.first_collapse_s),
            seconds(published.wave_period_s),
            seconds(row.waves.period_s),
            medians.map_or(NOTHING.to_owned(), |(low, high)| range(low, high)),
            range(row.simulated.tps_10s_median_min, row.simulated.tps_10s_median_max),
        ]);
    }
    table.render()
}

fn conclusions(comparison: &Comparison) -> String {
    let order = &comparison.order;
    let mut text = String::new();
    if let Some(correlation) = order.rank_correlation() {
        text.push_str(&format!(
            "Order by throughput: {} of {} pairs of runs as published (rank correlation {})",
            order.pairs - order.swapped.len(),
            order.pairs,
            decimal(correlation, 2)
        ));
        text.push_str(if order.swapped.is_empty() { ".\n" } else { ". The other way round:\n" });
        for pair in &order.swapped {
            let gap = decimal(pair.published_gap * 100.0, 1);
            text.push_str(&format!("  {} was {gap} % faster than {}\n", pair.faster, pair.slower));
        }
    }
    let misses = comparison.misses().len();
    let bounds = format!(
        "throughput within {} %, checkpoint age within {} %, waves where there were waves",
        TPS_TOLERANCE * 100.0,
        AGE_TOLERANCE * 100.0
    );
    let verdict = match misses {
        0 => format!("All {} runs agree: {bounds}.", comparison.rows.len()),
        _ => format!("{} of {} runs agree: {bounds}.", comparison.rows.len() - misses, comparison.rows.len()),
    };
    text.push_str(&wrapped(&verdict, 0));
    text
}

fn signed_percent(share: f64) -> String {
    let text = decimal(share * 100.0, 1);
    if share > 0.0 && text != "0.0" { format!("+{text} %") } else { format!("{text} %") }
}
