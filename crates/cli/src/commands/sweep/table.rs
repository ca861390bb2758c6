//! The results of a sweep as a table, and what is best in words.

use super::Effort;
use super::layout::{Layout, Line};
use super::view::of_limit;
use crate::output::wrapped;
use crate::text_table::TextTable;
use innosim_experiments::sweep::{PointResult, Results};
use innosim_report::numbers::{count, percent, rate};

/// Heads of a row's figures; `>` for those that stand at the right.
pub(super) const HEADS: [&str; 7] = [">tps", ">\u{b1}", ">stalls s", ">age", ">largest", ">writes/trx", "regime"];
/// Heads of what a row in both tiers has besides.
const OFF_BY: [&str; 4] = [">tps off by", ">age off by", ">flushed off by", "exact regime"];
/// Most points that are printed.
const MOST_ROWS: usize = 100;

/// The whole text.
pub(super) fn render(results: &Results<'_>, effort: Option<&Effort>) -> String {
    let plan = results.plan;
    let mut text = format!("{}\n{}", plan.title, wrapped(&head(results, effort), 0));
    if plan.points.len() <= MOST_ROWS {
        text.push('\n');
        text.push_str(&rows(results));
    }
    text.push('\n');
    best(results).iter().for_each(|sentence| text.push_str(&wrapped(sentence, 0)));
    text
}

fn head(results: &Results<'_>, effort: Option<&Effort>) -> String {
    let plan = results.plan;
    let mut text = format!(
        "{}, seed {}, innosim {}: {} points, {} runs",
        plan.scenario,
        plan.seed,
        plan.innosim_version,
        count(plan.points.len() as f64),
        count(results.count() as f64)
    );
    if !results.missing.is_empty() {
        text.push_str(&format!(" ({} not there)", count(results.missing.len() as f64)));
    }
    if let Some(effort) = effort {
        let seconds = effort.wall.as_secs_f64();
        text.push_str(&format!(
            "; {} made in {} s ({} simulated s a second), {} were there already",
            count(effort.made as f64),
            rate(seconds),
            rate(effort.simulated_s / seconds.max(1e-9)),
            count(effort.reused as f64)
        ));
    }
    if results.at_rest() > 0 {
        text.push_str(&format!(
            "; {} ended at rest, with figures of the last turn of the checkpoint age, the others ran to their length",
            count(results.at_rest() as f64)
        ));
    }
    if plan.warm_copies {
        text.push_str(&format!(
            "; {} began from copies of a warm server, {} of them the same as another",
            count(results.begun_warm() as f64),
            count(results.twins().len() as f64)
        ));
    }
    if !plan.tier.is_exact() {
        text.push_str(&format!(
            "; {} in the coarse tier, which tells no latencies, {} of them with exact windows of their own",
            count(results.flows() as f64),
            count(results.with_own_windows() as f64)
        ));
    }
    for (why, runs) in results.why_exact() {
        text.push_str(&format!("; {} exact: {why}", count(runs as f64)));
    }
    text
}

fn rows(results: &Results<'_>) -> String {
    let plan = results.plan;
    let mut heads: Vec<String> = plan.dimensions.iter().map(|d| format!(">{}", d.name())).collect();
    heads.extend(HEADS.map(str::to_owned));
    let compared = results.points.iter().any(|result| result.off_by().is_some());
    heads.extend(OFF_BY.iter().filter(|_| compared).map(|head| (*head).to_owned()));
    let mut table = TextTable::new(&heads);
    for result in results.points.iter().filter(|result| !result.runs.is_empty()) {
        let at = &plan.points[result.point].at;
        let mut fields: Vec<String> = plan.dimensions.iter().zip(at).map(|(d, &i)| d.values[i].clone()).collect();
        fields.extend(figures(result));
        if compared {
            fields.extend(off_by(result));
        }
        table.row(fields);
    }
    table.render()
}

/// How far the coarse tier is off at a point.
fn off_by(result: &PointResult<'_>) -> [String; 4] {
    let Some(off) = result.off_by() else { return ["-"; 4].map(str::to_owned) };
    let share = |off: f64| format!("{:+.1} %", 100.0 * off);
    let regime = if off.same_regime { "the same" } else { "differs" };
    [share(off.tps), share(off.checkpoint_age), share(off.pages_flushed), regime.to_owned()]
}

/// The figures of a row.
pub(super) fn figures(result: &PointResult<'_>) -> [String; 7] {
    let mean = |metric| result.estimate(metric).mean;
    [
        rate(mean(|s| s.tps_mean)),
        result.throughput_half_width().map_or("-".to_owned(), rate),
        rate(mean(|s| s.stall_seconds)),
        percent(mean(|s| of_limit(s, s.checkpoint_age_mean))),
        percent(mean(|s| of_limit(s, s.checkpoint_age_max))),
        rate(mean(|s| s.flushes_per_trx)),
        result.regime().map_or("-".to_owned(), |regime| regime.to_string()),
    ]
}

/// The best of each line, and what is as good: a sentence a line.
pub(super) fn best(results: &Results<'_>) -> Vec<String> {
    let plan = results.plan;
    let layout = Layout::of(plan);
    let along = &plan.dimensions[layout.along];
    let value = |point: usize| along.values[plan.points[point].at[layout.along]].as_str();
    let sentence = |line: &Line| {
        let verdict = results.verdict(&line.points)?;
        let before = if line.label.is_empty() { String::new() } else { format!("{}: ", line.label) };
        let tps = results.points[verdict.best].estimate(|s| s.tps_mean).mean;
        let others: Vec<&str> = verdict.plateau.iter().filter(|p| **p != verdict.best).map(|p| value(*p)).collect();
        let plateau = match others.as_slice() {
            [] => String::new(),
            others => format!("; as good: {}", others.join(", ")),
        };
        let name = along.settings.join(" = ");
        let how = if verdict.sound {
            "without waves and stalls"
        } else {
            "(all run in waves, with stalls or by sync flushing)"
        };
        Some(format!("{before}most throughput {how} at {name} = {}: {} tps{plateau}", value(verdict.best), rate(tps)))
    };
    layout.lines.iter().filter_map(sentence).collect()
}
