//! The settings of a recorded server, and the age limits that follow.

use super::run::numbers;
use innosim_explain::Limits;
use innosim_flush_models::registry::{Settings, build};
use innosim_recordings::{Recording, understood_settings};
use std::collections::BTreeMap;

/// The settings that its model understands, and the age limits; what is not known is left out.
pub(super) fn settings_and_limits(recording: &Recording) -> (BTreeMap<String, f64>, Limits) {
    let resolved = recording.model().ok().and_then(|model| {
        let (values, _) = understood_settings(recording, model);
        Settings::resolve(model, &values).ok()
    });
    let of_model = resolved.as_ref().and_then(|settings| Some(build(settings).ok()?.age_limits()));
    let mut limits: Limits = of_model.unwrap_or_default().into();
    let published = |column: &str| {
        let values = recording.series.column(column)?;
        values.present().rev().find(|value| *value > 0.0)
    };
    if let Some(bytes) = published("m.log_max_modified_age_async") {
        limits.async_bytes = bytes;
    }
    if let Some(bytes) = published("m.log_max_modified_age_sync") {
        limits.sync_bytes = bytes;
    }
    (resolved.as_ref().map(numbers).unwrap_or_default(), limits)
}
