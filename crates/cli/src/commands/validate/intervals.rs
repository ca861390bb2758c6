//! How often stated intervals held, as a table and for scripts.

use crate::text_table::TextTable;
use innosim_experiments::reliability::{Claim, LEVEL, ModelError, of_predictions, of_recordings};
use innosim_experiments::validate::Validation;
use innosim_recordings::Recording;
use serde_json::{Value, json};

/// Every interval that is stated, and the model's own error.
pub(super) struct Intervals {
    claims: Vec<Claim>,
    model: Vec<ModelError>,
}

impl Intervals {
    /// Of these recordings and their predictions.
    pub(super) fn of(recordings: &[Recording], validations: &[Validation]) -> Self {
        let mut claims = of_recordings(recordings);
        let (model, of_model) = of_predictions(validations);
        claims.extend(of_model);
        Intervals { claims, model }
    }

    /// For people.
    pub(super) fn tables(&self) -> String {
        let mut text = format!("\nHow often stated intervals held that claim {:.0} %:\n", 100.0 * LEVEL);
        let mut table = TextTable::new(&["interval", "held against", ">held", ">of", ">share", "not held by"]);
        for claim in &self.claims {
            let (held, of) = (claim.held(), claim.cases.len());
            let share = if of == 0 { "-".to_owned() } else { format!("{:.0} %", 100.0 * held as f64 / of as f64) };
            let missed: Vec<&str> =
                claim.cases.iter().filter(|(_, held)| !held).map(|(name, _)| name.as_str()).collect();
            let missed = match &missed[..] {
                [first, _, ..] => format!("{first} and {} more", missed.len() - 1),
                few => few.concat(),
            };
            table.row(vec![claim.what.clone(), claim.against.into(), held.to_string(), of.to_string(), share, missed]);
        }
        text.push_str(&table.render());
        text.push_str("\nThe model's own error in nineteen of twenty predictions:\n");
        let mut table = TextTable::new(&["figure", ">predictions", ">at most"]);
        for error in &self.model {
            let half = match error.half_width {
                half if half.is_finite() => format!("{:.1} %", 100.0 * half),
                _ => "19 predictions tell".to_owned(),
            };
            table.row(vec![error.what.into(), error.predictions.to_string(), half]);
        }
        text.push_str(&table.render());
        text
    }

    /// For scripts.
    pub(super) fn json(&self) -> Value {
        let claim = |claim: &Claim| {
            let missed = claim.cases.iter().filter(|(_, held)| !held).map(|(name, _)| name);
            json!({
                "interval": claim.what,
                "against": claim.against,
                "held": claim.held(),
                "of": claim.cases.len(),
                "not_held": missed.collect::<Vec<_>>(),
            })
        };
        let model = |error: &ModelError| {
            let half_width = error.half_width.is_finite().then_some(error.half_width);
            json!({ "figure": error.what, "predictions": error.predictions, "half_width": half_width })
        };
        json!({
            "claimed": LEVEL,
            "intervals": self.claims.iter().map(claim).collect::<Vec<_>>(),
            "model_error": self.model.iter().map(model).collect::<Vec<_>>(),
        })
    }
}
