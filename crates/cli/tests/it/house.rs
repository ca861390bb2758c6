//! Who may know whom: the arrows between the crates, as ARCHITECTURE.md draws them, and what the simulator depends on.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;

const CRATES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// What each crate may use of the others.
const ARROWS: [(&str, &[&str]); 16] = [
    ("browser-testing", &[]),
    ("sim-core", &[]),
    ("spectrum", &[]),
    ("statistics", &[]),
    ("html-assets", &[]),
    ("page-builder", &["html-assets"]),
    ("playground", &["sim-core", "flush-models", "scenario"]),
    ("flush-models", &["sim-core"]),
    ("rules", &["sim-core", "flush-models"]),
    ("same-bytes", &["sim-core", "scenario"]),
    ("scenario", &["sim-core", "flush-models", "rules", "spectrum"]),
    ("recordings", &["flush-models", "scenario", "spectrum"]),
    ("explain", &["sim-core"]),
    (
        "experiments",
        &["sim-core", "explain", "flush-models", "rules", "scenario", "recordings", "spectrum", "statistics"],
    ),
    ("report", &["sim-core", "explain", "html-assets", "statistics"]),
    (
        "cli",
        &[
            "sim-core",
            "explain",
            "flush-models",
            "scenario",
            "recordings",
            "experiments",
            "report",
            "rules",
            "spectrum",
            "statistics",
        ],
    ),
];

/// All that the simulator itself stands on.
const UNDER_SIM_CORE: [&str; 3] = ["libm", "prefetch-index", "serde"];

/// The dependencies of each crate, those of its tests left out; our own without `innosim-`, the simulator as `sim-core`.
fn dependencies() -> Result<BTreeMap<String, BTreeSet<String>>, Box<dyn Error>> {
    let mut dependencies = BTreeMap::new();
    for folder in fs::read_dir(CRATES)? {
        let folder = folder?;
        let manifest: toml::Table = fs::read_to_string(folder.path().join("Cargo.toml"))?.parse()?;
        let names =
            manifest.get("dependencies").and_then(toml::Value::as_table).into_iter().flat_map(|table| table.keys());
        let names = names.map(|name| name.replace("innosim-core", "sim-core").replace("innosim-", ""));
        dependencies.insert(folder.file_name().to_string_lossy().into_owned(), names.collect());
    }
    Ok(dependencies)
}

#[test]
fn dependencies_point_one_way() {
    let dependencies = dependencies().unwrap();
    let ours: BTreeSet<&str> = dependencies.keys().map(String::as_str).collect();
    assert_eq!(ours, ARROWS.iter().map(|(name, _)| *name).collect(), "a crate is missing in this test");
    for (name, allowed) in ARROWS {
        let used: Vec<_> = dependencies[name].iter().filter(|used| ours.contains(used.as_str())).collect();
        assert!(used.iter().all(|used| allowed.contains(&used.as_str())), "{name} uses {used:?}, may use {allowed:?}");
    }
}

#[test]
fn the_simulator_stands_on_little() {
    let under: Vec<String> = dependencies().unwrap().remove("sim-core").unwrap().into_iter().collect();
    assert_eq!(under, UNDER_SIM_CORE);
}
