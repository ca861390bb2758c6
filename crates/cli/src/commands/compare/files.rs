//! What a comparison leaves for scripts: one JSON document, a CSV with a row a run, a folder for each variant.

use super::Compared;
use crate::exit::Failure;
use crate::out_dir::OutDir;
use crate::outcome::VERSION;
use innosim_core::metrics::{RunOutput, Summary};
use innosim_experiments::compare::{HEADLINE, SilentChange, Variant, VariantFigures};
use innosim_flush_models::registry::ModelId;
use innosim_report::numbers::{compact, json_number, rounded};
use innosim_report::{Replications, ReportError, RunIdentity, summary::summary_object, write_file, write_series_csv};
use innosim_scenario::SettingRow;
use serde_json::{Map, Value, json};
use std::path::Path;

/// A folder for each variant, and the one around them. They go in this order, if nothing came into them.
pub(super) fn folders(dir: &Path, variants: &[Variant]) -> Result<(Vec<OutDir>, OutDir), Failure> {
    let all = OutDir::prepare(dir)?;
    let each: Result<Vec<OutDir>, Failure> =
        folder_names(variants).iter().map(|name| OutDir::prepare(&dir.join(name))).collect();
    Ok((each?, all))
}

/// Names for folders from the labels: letters, digits, `.` and `-`, no two alike.
fn folder_names(variants: &[Variant]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for variant in variants {
        let safe = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c.to_ascii_lowercase() } else { '-' };
        let text: String = variant.label.chars().map(safe).collect();
        let words: Vec<&str> = text.split('-').filter(|word| !word.is_empty()).collect();
        let base = words.join("-");
        let base = if base.trim_matches('.').is_empty() { "variant".to_owned() } else { base };
        let free = |name: &String| !names.contains(name);
        let numbered = (2..).map(|n| format!("{base}-{n}"));
        names.extend(std::iter::once(base.clone()).chain(numbered).find(free));
    }
    names
}

/// The files of one variant: the series of its first replication, and its scenario.
pub(super) fn write_variant(dir: &Path, variant: &Variant, outputs: &[RunOutput]) -> Result<(), ReportError> {
    write_file(&dir.join("scenario.resolved.toml"), variant.scenario.to_resolved_toml(VERSION).as_bytes())?;
    if let Some(first) = outputs.first() {
        write_series_csv(&dir.join("series.csv"), first)?;
    }
    Ok(())
}

/// A row a run: variant, model, replication, and every field of its summary.
pub(super) fn csv(compared: &Compared) -> Result<Vec<u8>, Failure> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let wrong = |error: csv::Error| Failure::Input(format!("can't put the runs into CSV: {error}"));
    let head = ["variant", "model", "settings", "seed", "replication", "regime"];
    writer.write_record(head.iter().chain(Summary::NAMES)).map_err(wrong)?;
    for (variant, figures) in compared.variants.iter().zip(&compared.comparison.variants) {
        for (replication, summary) in figures.summaries.iter().enumerate() {
            let mut row = vec![
                variant.label.clone(),
                variant.scenario.model.name().to_owned(),
                variant.set.join(" "),
                variant.scenario.run.seed.to_string(),
                replication.to_string(),
                summary.regime.name().to_owned(),
            ];
            row.extend(summary.values().map(|value| compact(value.value)));
            writer.write_record(row).map_err(wrong)?;
        }
    }
    writer.into_inner().map_err(|error| Failure::Input(format!("can't put the runs into CSV: {}", error.error())))
}

/// The comparison as one JSON document.
pub(super) fn document(compared: &Compared) -> Result<Value, Failure> {
    let first = compared.first();
    let each = compared.variants.iter().zip(&compared.comparison.variants);
    let variants: Result<Vec<Value>, Failure> =
        each.map(|(variant, figures)| of_variant(compared, variant, figures)).collect();
    let of_change = |change: &SilentChange| json!({ "setting": change.setting, "before": change.before, "after": change.after, "alone": change.alone });
    let changes: Vec<Value> = compared.changes.iter().map(of_change).collect();
    let of_removed = |(model, row): (ModelId, &SettingRow)| json!({ "model": model.name(), "setting": row.name, "value": row.value, "file": row.file, "line": row.line, "why": row.remark });
    let removed: Vec<Value> = compared.removed().into_iter().map(of_removed).collect();
    Ok(json!({
        "innosim_version": VERSION,
        "scenario": first.scenario.name,
        "title": first.scenario.title,
        "seed": first.scenario.run.seed,
        "replications": compared.replications(),
        "simulated_s": json_number(compared.simulated_s()),
        "warmup_s": compared.comparison.warmup_s,
        "warmup_converged": compared.comparison.warmup_converged,
        "wall_s": rounded(compared.wall_s),
        "baseline": first.label,
        "does_not_start_with": removed,
        "changes_silently": changes,
        "variants": variants?,
    }))
}

fn of_variant(compared: &Compared, variant: &Variant, figures: &VariantFigures) -> Result<Value, Failure> {
    let mut object = Map::new();
    object.insert("variant".to_owned(), json!(variant.label));
    object.insert("settings".to_owned(), json!(variant.set));
    object.insert("notes".to_owned(), json!(variant.notes));
    let runs = figures.summaries.len();
    let replications = Replications::of(&figures.summaries);
    let wall_s = compared.wall_s * runs as f64 / compared.outputs.iter().map(Vec::len).sum::<usize>().max(1) as f64;
    let identity = RunIdentity {
        innosim_version: VERSION.to_owned(),
        model: variant.scenario.model.name().to_owned(),
        scenario: variant.scenario.name.clone(),
        seed: variant.scenario.run.seed,
        replications: variant.scenario.replications,
        simulated_s: compared.simulated_s(),
        warmup_s: compared.comparison.warmup_s as f64,
        wall_s,
        speed: compared.simulated_s() * runs as f64 / wall_s.max(1e-9),
    };
    object.extend(summary_object(&identity, &replications.summary, (runs > 1).then_some(&replications))?);
    if !figures.differences.is_empty() {
        object.insert("differences".to_owned(), differences(figures));
    }
    Ok(Value::Object(object))
}

/// By name of the figure.
fn differences(figures: &VariantFigures) -> Value {
    let of = |metric: &&'static str| {
        let difference = figures.difference(metric)?;
        let value = json!({
            "mean": rounded(difference.mean),
            "ci95": difference.ci95.map(rounded),
            "relative": difference.relative.map(rounded),
            "p_adjusted": difference.p_adjusted.map(rounded),
            "significant": difference.significant,
        });
        Some(((*metric).to_owned(), value))
    };
    Value::Object(HEADLINE.iter().filter_map(of).collect())
}
