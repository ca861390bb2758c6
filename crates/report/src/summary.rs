//! `summary.json`: one object, its fields in a stable order.
//!
//! First which run it was, then the numbers over the time after warm-up. With several replications each number is a
//! mean and `NAME_ci95`, the half-width of its 95 % confidence interval, stands beside it; `regimes` counts what the
//! replications showed. Whole values are written as whole numbers, others with nine digits.

use crate::files::{ReportError, write_file};
use crate::identity::RunIdentity;
use crate::numbers::rounded;
use crate::replications::Replications;
use innosim_core::metrics::Summary;
use serde_json::{Map, Number, Value};
use std::path::Path;

/// The object of `summary.json`. `spread` is given when `summary` is the mean of several replications.
pub fn summary_object(
    identity: &RunIdentity,
    summary: &Summary,
    spread: Option<&Replications>,
) -> Result<Map<String, Value>, ReportError> {
    let mut object = Map::new();
    for (name, value) in fields(serde_json::to_value(identity)?) {
        object.insert(name, tidy(value));
    }
    for (name, value) in fields(serde_json::to_value(summary)?) {
        let half_width = spread.and_then(|s| s.half_width(&name));
        object.insert(name.clone(), tidy(value));
        if let Some(half) = half_width {
            object.insert(format!("{name}_ci95"), tidy(Value::from(half)));
        }
    }
    if let Some(spread) = spread.filter(|s| !s.ci95.is_empty()) {
        let counts = spread.regimes.iter().map(|(regime, n)| (regime.name().to_owned(), Value::from(*n)));
        object.insert("regimes".to_owned(), Value::Object(counts.collect()));
    }
    Ok(object)
}

/// The text of `summary.json`.
pub fn summary_json(
    identity: &RunIdentity,
    summary: &Summary,
    spread: Option<&Replications>,
) -> Result<String, ReportError> {
    Ok(serde_json::to_string_pretty(&summary_object(identity, summary, spread)?)? + "\n")
}

/// Writes `summary.json` to `path`.
pub fn write_summary_json(
    path: &Path,
    identity: &RunIdentity,
    summary: &Summary,
    spread: Option<&Replications>,
) -> Result<(), ReportError> {
    write_file(path, summary_json(identity, summary, spread)?.as_bytes())
}

fn fields(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// A number as it should stand in the file; anything else unchanged.
fn tidy(value: Value) -> Value {
    let Some(number) = value.as_f64().filter(|_| value.is_f64()).map(rounded) else { return value };
    // 2^53: up to here every whole number is exact.
    if number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0 {
        return Value::from(number as i64);
    }
    Number::from_f64(number).map_or(Value::Null, Value::Number)
}
