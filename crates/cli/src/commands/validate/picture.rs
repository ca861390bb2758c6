//! Predicted over observed: a picture for each recording.

use super::{error_text, number, stem};
use crate::outcome::VERSION;
use innosim_core::metrics::RunOutput;
use innosim_experiments::validate::Validation;
use innosim_report::{Overlay, OverlayRun, ReportError, write_overlay};
use std::path::Path;

/// Figures under the names.
const FIGURES: [(&str, &str); 4] = [
    ("tps_mean", "tps"),
    ("checkpoint_age_mean", "checkpoint age"),
    ("pages_flushed_per_s_mean", "pages flushed/s"),
    ("dirty_pages_mean", "dirty pages"),
];

/// Writes `NAME.svg` and `NAME.png` for each.
pub(super) fn write(folder: &Path, validations: &[Validation], predicted: &[RunOutput]) -> Result<(), ReportError> {
    for (validation, predicted) in validations.iter().zip(predicted) {
        let observed = validation.observed_run(predicted);
        write_overlay(folder, &stem(validation), &overlay(validation, &observed, predicted))?;
    }
    Ok(())
}

/// A recording beside its prediction.
pub(in crate::commands) fn overlay<'a>(
    validation: &Validation,
    observed: &'a RunOutput,
    predicted: &'a RunOutput,
) -> Overlay<'a> {
    let metric = |name: &str| validation.metrics.iter().find(|metric| metric.name == name);
    let measured = |name| metric(name).map_or_else(String::new, |metric| number(name, metric.observed));
    let said =
        |name| metric(name).map_or_else(String::new, |m| format!("{} ({})", number(name, m.predicted), error_text(m)));
    let figures = |of: &dyn Fn(&'static str) -> String, regime: &str| -> Vec<String> {
        FIGURES.iter().map(|(name, _)| of(name)).chain([regime.to_owned()]).collect()
    };
    let run = |label: &str, about: String, figures, output, recorded| OverlayRun {
        label: label.to_owned(),
        about,
        figures,
        output,
        recorded,
    };
    let about = format!("calibrated on {}", validation.calibrated_on);
    Overlay {
        title: validation.recording.clone(),
        subtitle: format!("a real server beside {}", validation.model.name()),
        origin: format!("innosim {VERSION}"),
        heads: FIGURES.iter().map(|(_, head)| *head).chain(["regime"]).collect(),
        runs: vec![
            run("observed", String::new(), figures(&measured, validation.regime.0.name()), observed, true),
            run("predicted", about, figures(&said, validation.regime.1.name()), predicted, false),
        ],
        warmup_s: 0.0,
        remark: "Figures are means over the load; thick lines are medians over 10 s.".to_owned(),
        latency: false,
    }
}
