//! The results of a sweep as one JSON document.

use super::Effort;
use super::layout::Layout;
use innosim_experiments::rest::Ended;
use innosim_experiments::sweep::{Advice, OffBy, PointResult, Results};
use innosim_report::Replications;
use innosim_report::numbers::{json_number, rounded};
use serde_json::{Map, Value, json};
use std::path::Path;

/// The document.
pub(super) fn document(results: &Results<'_>, effort: Option<&Effort>, dir: &Path) -> Value {
    let plan = results.plan;
    let mut document = json!({
        "innosim_version": plan.innosim_version,
        "scenario": plan.scenario,
        "title": plan.title,
        "seed": plan.seed,
        "vary": plan.dimensions.iter().map(|d| json!({ "settings": d.settings, "values": d.values })).collect::<Vec<_>>(),
        "runs": results.count(),
        "missing": results.missing.len(),
        "until_rest": plan.until_rest,
        "ended_early": { Ended::AtRest.name(): results.at_rest() },
        "warm_copies": plan.warm_copies,
        "begun_warm": results.begun_warm(),
        "same_as_another": results.twins().len(),
        "tier": plan.tier.name(),
        "flows": results.flows(),
        "with_own_windows": results.with_own_windows(),
        "why_exact": results.why_exact(),
        "points": results.points.iter().filter(|p| !p.runs.is_empty()).map(|p| point(results, p)).collect::<Vec<_>>(),
        "best": best(results),
        "warnings": Advice::of(results).iter().map(|advice| json!({
            "kind": advice.kind.name(),
            "points": advice.points.iter().map(|p| p + 1).collect::<Vec<_>>(),
            "text": advice.text,
        })).collect::<Vec<_>>(),
        "out": dir.display().to_string(),
    });
    if let (Some(effort), Some(fields)) = (effort, document.as_object_mut()) {
        let wall_s = effort.wall.as_secs_f64();
        fields.insert("runs_made".to_owned(), json!(effort.made));
        fields.insert("runs_simulated".to_owned(), json!(effort.made - effort.twins));
        fields.insert("simulated_s".to_owned(), json!(rounded(effort.simulated_s)));
        fields.insert("runs_reused".to_owned(), json!(effort.reused));
        fields.insert("wall_s".to_owned(), json!(rounded(wall_s)));
        fields.insert("speed".to_owned(), json!(rounded(effort.simulated_s / wall_s.max(1e-9))));
    }
    document
}

fn point(results: &Results<'_>, result: &PointResult<'_>) -> Value {
    let plan = results.plan;
    let point = &plan.points[result.point];
    let settings: Map<String, Value> = plan
        .columns
        .iter()
        .zip(&point.values)
        .map(|(name, value)| (name.clone(), value.parse::<f64>().map_or_else(|_| json!(value), json_number)))
        .collect();
    let together = Replications::of(&result.runs.iter().map(|(_, r)| r.summary.clone()).collect::<Vec<_>>());
    let mut fields = Map::new();
    fields.insert("point".to_owned(), json!(result.point + 1));
    fields.insert("settings".to_owned(), Value::Object(settings));
    fields.insert("model".to_owned(), json!(point.model));
    fields.insert("replications".to_owned(), json!(result.runs.len()));
    fields.insert("simulated_s".to_owned(), json_number(result.simulated_s(point)));
    fields.insert("ended_early".to_owned(), json!({ Ended::AtRest.name(): result.at_rest() }));
    fields.insert("regime".to_owned(), json!(together.summary.regime));
    if let Some(off) = result.off_by() {
        let OffBy { tps, checkpoint_age, pages_flushed, same_regime } = off;
        let off = json!({ "tps": tps, "checkpoint_age": checkpoint_age, "pages_flushed": pages_flushed, "same_regime": same_regime });
        fields.insert("off_by".to_owned(), off);
    }
    for value in together.summary.values() {
        fields.insert(value.name.to_owned(), json_number(value.value));
        if let Some(half) = together.half_width(value.name) {
            fields.insert(format!("{}_ci95", value.name), json_number(half));
        }
    }
    Value::Object(fields)
}

/// The best point of each line along the main setting, and those that are as good.
fn best(results: &Results<'_>) -> Vec<Value> {
    let line = |line: super::layout::Line| {
        let verdict = results.verdict(&line.points)?;
        Some(json!({
            "line": line.label,
            "point": verdict.best + 1,
            "plateau": verdict.plateau.iter().map(|p| p + 1).collect::<Vec<_>>(),
        }))
    };
    Layout::of(results.plan).lines.into_iter().filter_map(line).collect()
}
