//! Who may know whom: the arrows between the crates, as ARCHITECTURE.md draws them, and what the simulator depends on.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

const CRATES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// What each crate may use of the others.
const ARROWS: [(&str, &[&str]); 8] = [
    ("sim-core", &[]),
    ("statistics", &[]),
    ("flush-models", &["sim-core"]),
    ("scenario", &["sim-core", "flush-models"]),
    ("recordings", &["flush-models", "scenario"]),
    ("experiments", &["sim-core", "flush-models", "scenario", "recordings", "statistics"]),
    ("report", &["sim-core", "statistics"]),
    ("cli", &["sim-core", "flush-models", "scenario", "recordings", "experiments", "report", "statistics"]),
];

/// All that the simulator itself stands on.
const UNDER_SIM_CORE: [&str; 3] = ["libm", "prefetch-index", "serde"];

/// The dependencies of each crate, those of its tests left out; our own without `innosim-`, the simulator as `sim-core`.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let manifests = fs::read_dir(CRATES).unwrap().map(|folder| folder.unwrap());
    let of = |text: String| {
        let manifest: toml::Table = text.parse().unwrap();
        let names = manifest["dependencies"].as_table().unwrap().keys().cloned();
        names.map(|name| name.replace("innosim-core", "sim-core").replace("innosim-", "")).collect()
    };
    manifests
        .map(|folder| {
            let text = fs::read_to_string(folder.path().join("Cargo.toml")).unwrap();
            (folder.file_name().into_string().unwrap(), of(text))
        })
        .collect()
}

#[test]
fn dependencies_point_one_way() {
    let dependencies = dependencies();
    let ours: BTreeSet<&str> = dependencies.keys().map(String::as_str).collect();
    assert_eq!(ours, ARROWS.iter().map(|(name, _)| *name).collect(), "a crate is missing in this test");
    for (name, allowed) in ARROWS {
        let used: Vec<_> = dependencies[name].iter().filter(|used| ours.contains(used.as_str())).collect();
        assert!(used.iter().all(|used| allowed.contains(&used.as_str())), "{name} uses {used:?}, may use {allowed:?}");
    }
}

#[test]
fn the_simulator_stands_on_little() {
    let under: Vec<String> = dependencies().remove("sim-core").unwrap().into_iter().collect();
    assert_eq!(under, UNDER_SIM_CORE);
}
