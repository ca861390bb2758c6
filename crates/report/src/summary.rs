//! `summary.json`: one object, its fields in a stable order.
//!
//! First which run it was, then the numbers over the time after warm-up. With several replications each number is a
//! mean and `NAME_ci95`, the half-width of its 95 % confidence interval, stands beside it; `regimes` counts what the
//! replications showed. Whole values are written as whole numbers, others with nine digits.

use crate::files::ReportError;
use crate::identity::RunIdentity;
use crate::numbers::tidy;
use crate::replications::Replications;
use innosim_core::metrics::Summary;
use serde_json::{Map, Value};

/// The object of `summary.json`. `spread` is given when `summary` is the mean of several replications.
pub fn summary_object(
    identity: &RunIdentity,
    summary: &Summary,
    spread: Option<&Replications>,
) -> Result<Map<String, Value>, ReportError> {
    let mut object = fields(tidy(serde_json::to_value(identity)?));
    for (name, value) in fields(tidy(serde_json::to_value(summary)?)) {
        let half_width = spread.and_then(|s| s.half_width(&name));
        object.insert(name.clone(), value);
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

fn fields(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
