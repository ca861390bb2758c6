//! The comparison as tables: throughput and ages, then the waves, then what they come to.

use super::Comparison;
use crate::outcome::VERSION;
use crate::output::wrapped;
use crate::text_table::TextTable;
use innosim_experiments::reproduce::{AGE_TOLERANCE, Order, Row, TPS_TOLERANCE};
use innosim_report::numbers::{compact, count, decimal, milliseconds, rate};

/// What stands where nothing was published or found.
const NOTHING: &str = "-";
/// The tolerances in words.
const BOUNDS: &str = "5 % in throughput, 8 % in checkpoint age, or waves where there are none";

/// The whole comparison.
pub(super) fn render(comparison: &Comparison) -> String {
    let mut text = head(comparison);
    text.push_str(&figures(&comparison.rows));
    text.push('\n');
    text.push_str(&ranges(&comparison.rows));
    if comparison.rows.iter().any(|row| row.published.has_waves() || row.waves.first_collapse_s.is_some()) {
        text.push('\n');
        text.push_str(&waves(&comparison.rows));
    }
    text.push('\n');
    text.push_str(&conclusions(comparison));
    text
}

/// How many runs are made for how many rows.
pub(super) fn runs(made: usize, rows: usize) -> String {
    if made == rows { format!("{rows} runs") } else { format!("{made} runs for {rows} rows") }
}

fn head(comparison: &Comparison) -> String {
    let mut sources: Vec<&str> = comparison.rows.iter().map(|row| row.published.source.as_str()).collect();
    sources.dedup();
    let seed = comparison.rows.first().map_or(0, |row| row.seed);
    let mut text = format!("Published: {}\n", sources.join("; "));
    text.push_str(&format!(
        "Simulated: innosim {VERSION}, seed {seed}, {}, {} s in {} s ({} times real time with {} at a time)\n",
        runs(comparison.made, comparison.rows.len()),
        count(comparison.simulated_s),
        rate(comparison.wall_s),
        rate(comparison.simulated_s / comparison.wall_s.max(1e-9)),
        comparison.jobs.min(comparison.made),
    ));
    if comparison.shortened {
        let (length, warmup) = comparison.rows.first().map_or((0.0, 0.0), |row| (row.simulated_s, row.warmup_s));
        text.push_str(&wrapped(
            &format!(
                "These runs are not as long as the published ones: {} s, figures over what follows the warm-up ({} s in the \
                 first run). Don't expect them to agree.",
                count(length),
                count(warmup)
            ),
            0,
        ));
    }
    let at_rest = comparison.rows.iter().filter(|row| row.at_rest).map(|row| format!("{} s", count(row.simulated_s)));
    let at_rest: Vec<String> = at_rest.collect();
    if !at_rest.is_empty() {
        let ended = format!(
            "{} runs ended at rest, after {}: their figures are over the last turn of the checkpoint age. The others ran to \
             their length.",
            at_rest.len(),
            at_rest.join(", ")
        );
        text.push_str(&wrapped(&ended, 0));
    }
    text.push('\n');
    text
}

fn figures(rows: &[Row]) -> String {
    let mut table =
        TextTable::new(&["run", ">tps", ">±", ">sim.", ">error", ">age", ">sim.", ">error", "regime", "sim."]);
    for row in rows {
        let mark = |wrong: bool| if wrong { " *" } else { "" };
        let age_error = row.age_error().map(|error| marked(error, AGE_TOLERANCE));
        table.row(vec![
            row.name.clone(),
            count(row.published.tps_10s_median_mean),
            row.published.tps_10s_median_mean_interval.map_or(NOTHING.to_owned(), count),
            count(row.simulated.tps_10s_median_mean),
            marked(row.tps_error(), TPS_TOLERANCE),
            row.published.checkpoint_age_gib.map_or(NOTHING.to_owned(), |age| decimal(age, 2)),
            decimal(row.age_gib(), 2),
            age_error.unwrap_or_else(|| format!("{NOTHING}  ")),
            row.published.regime.to_owned(),
            format!("{}{}", row.simulated.regime, mark(!row.regime_agrees())),
        ]);
    }
    let remark = format!(
        "tps: mean of the medians of 10 s; ±: half of its 95 % interval, from means of batches of 200 s; age: mean \
         checkpoint age, GiB; a regime that is published as steady may be rippled here. * is further off than {BOUNDS}.",
    );
    table.render() + wrapped(&remark, 0).as_str()
}

/// An error, with a mark if it is larger than `tolerance`.
fn marked(error: f64, tolerance: f64) -> String {
    format!("{}{}", signed_percent(error), if error.abs() > tolerance { " *" } else { "  " })
}

fn ranges(rows: &[Row]) -> String {
    let mut table =
        TextTable::new(&["run", ">mean tps", ">sim.", ">medians of 10 s", ">sim.", ">flush/s sim.", ">95 % sim."]);
    let range = |low: f64, high: f64| format!("{} to {}", count(low), count(high));
    for row in rows {
        let published = row.published.tps_10s_median_min.zip(row.published.tps_10s_median_max);
        table.row(vec![
            row.name.clone(),
            row.published.tps_mean.map_or(NOTHING.to_owned(), count),
            count(row.simulated.tps_mean),
            published.map_or(NOTHING.to_owned(), |(low, high)| range(low, high)),
            range(row.simulated.tps_10s_median_min, row.simulated.tps_10s_median_max),
            count(row.simulated.pages_flushed_per_s_mean),
            milliseconds(row.simulated.latency_ms_p95),
        ]);
    }
    let remark =
        "Mean tps: of all seconds. The published mean includes pauses that the monitoring caused. 95 %: latency.";
    table.render() + wrapped(remark, 0).as_str()
}

fn waves(rows: &[Row]) -> String {
    let mut table = TextTable::new(&["waves", ">first collapse", ">sim.", ">period", ">sim."]);
    let seconds = |value: Option<f64>| value.map_or(NOTHING.to_owned(), |value| format!("{} s", count(value)));
    for row in rows.iter().filter(|row| row.published.has_waves() || row.waves.first_collapse_s.is_some()) {
        table.row(vec![
            row.name.clone(),
            seconds(row.published.first_collapse_s),
            seconds(row.waves.first_collapse_s),
            seconds(row.published.wave_period_s),
            seconds(row.waves.period_s),
        ]);
    }
    let remark = "First collapse: the median of 10 s falls below half of the largest so far, after 300 s. Period: mean \
                  distance of the minima of throughput, smoothed over 61 s, between moves of a fifth of its mean.";
    table.render() + wrapped(remark, 0).as_str()
}

fn conclusions(comparison: &Comparison) -> String {
    let order = &comparison.order;
    let mut text = String::new();
    if let Some(correlation) = order.rank_correlation {
        text.push_str(&agreement(order, correlation));
    }
    let (all, misses) = (comparison.rows.len(), comparison.misses().len());
    let verdict = match misses {
        0 => format!("All {all} runs agree: none is further off than {BOUNDS}."),
        _ => format!("{} of {all} runs agree: not further off than {BOUNDS}.", all - misses),
    };
    text.push_str(&wrapped(&verdict, 0));
    text
}

/// How far the order agrees, and what is out of order.
fn agreement(order: &Order, correlation: f64) -> String {
    let mut sentence = format!(
        "Order by throughput: {} of {} pairs of runs as published (Spearman's rank correlation {}); of the {} whose published means \
         differ by more than their ± together, {}.",
        order.pairs - order.swapped.len(),
        order.pairs,
        decimal(correlation, 2),
        order.told_apart,
        order.told_apart - order.swapped_though_told_apart(),
    );
    if !order.swapped.is_empty() {
        sentence.push_str(" The other way round:");
    }
    let mut text = wrapped(&sentence, 0);
    for pair in &order.swapped {
        let [gap, interval] = [pair.published_gap, pair.gap_interval].map(|share| decimal(share * 100.0, 1));
        text.push_str(&format!("  {} was {gap} % (± {interval} %) faster than {}\n", pair.faster, pair.slower));
    }
    text
}

/// A share as per cent, with its sign.
pub(super) fn signed_percent(share: f64) -> String {
    let text = decimal(share * 100.0, 1);
    if share > 0.0 && text != "0.0" { format!("+{text} %") } else { format!("{text} %") }
}

/// A number with as many digits as help.
pub(super) fn amount(value: f64) -> String {
    match value {
        value if value >= 100.0 => count(value),
        value if value.fract() == 0.0 => compact(value),
        value => decimal(value, 2),
    }
}
