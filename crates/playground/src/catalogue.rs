//! What there is to choose from: stories, servers, devices.

use crate::frame::{AGES, FIELDS};
use innosim_core::workload::{FIRST_BAND_BYTES, RATE_BANDS};
use innosim_flush_models::registry::ModelId;
use innosim_scenario::{profile_names, shipped};
use serde_json::{Value, json};

/// Folder of the stories that are small enough to answer at once in a browser.
const TEACHING: &str = "teaching/";

/// Stories, models, devices, and the names of the numbers in a row.
pub fn catalogue() -> Value {
    let stories: Vec<Value> = shipped()
        .iter()
        .filter(|one| one.name.starts_with(TEACHING))
        .map(|one| json!({ "name": one.name, "title": one.title, "story": one.story }))
        .collect();
    let models: Vec<Value> =
        ModelId::INNODB.iter().map(|model| json!({ "name": model.name(), "title": model.title() })).collect();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "stories": stories,
        "models": models,
        "devices": profile_names(),
        "fields": FIELDS.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        "ages": AGES,
        "rates": { "bands": RATE_BANDS, "first_bytes": FIRST_BAND_BYTES },
    })
}
