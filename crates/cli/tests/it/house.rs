//! Who may know whom: the arrows between the crates, as ARCHITECTURE.md lists them, and what the simulator depends on;
//! and that links between documents lead somewhere.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

const CRATES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// What each crate may use of the others.
const ARROWS: [(&str, &[&str]); 17] = [
    ("browser-testing", &[]),
    ("sim-core", &[]),
    ("spectrum", &[]),
    ("statistics", &[]),
    ("html-assets", &[]),
    ("page-builder", &["html-assets"]),
    ("playground", &["sim-core", "flush-models", "scenario"]),
    ("flush-models", &["sim-core"]),
    ("rules", &["sim-core", "flush-models"]),
    ("flow", &["sim-core"]),
    ("same-bytes", &["sim-core", "scenario"]),
    ("scenario", &["sim-core", "flush-models", "rules", "spectrum"]),
    ("recordings", &["flush-models", "scenario", "spectrum"]),
    ("explain", &["sim-core"]),
    (
        "experiments",
        &["sim-core", "explain", "flow", "flush-models", "rules", "scenario", "recordings", "spectrum", "statistics"],
    ),
    ("report", &["sim-core", "explain", "html-assets", "statistics"]),
    (
        "cli",
        &[
            "sim-core",
            "explain",
            "flow",
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

/// All markdown of the repository.
fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && name != "target" && name != "node_modules" {
            documents(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
}

/// Lines of a document that are not code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        in_code ^= fence;
        !in_code && !fence
    })
}

/// Anchors of the headings, as GitHub makes them: in lower case, punctuation left out, `-` for spaces, numbered from the
/// second of the same on.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    for heading in prose(text).filter(|line| line.starts_with('#')) {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        let anchor: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
        let numbered = (0..).map(|n| if n == 0 { anchor.clone() } else { format!("{anchor}-{n}") });
        let free = numbered.into_iter().find(|anchor| !anchors.contains(anchor)).unwrap();
        anchors.insert(free);
    }
    anchors
}

/// Targets of the links of a document.
fn links(text: &str) -> Vec<String> {
    let without_code = |line: &str| line.split('`').step_by(2).collect::<Vec<&str>>().join("`");
    let of_line = |line: &str| {
        let line = without_code(line);
        let targets = line.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
        targets.map(str::to_owned).collect::<Vec<String>>()
    };
    prose(text).flat_map(of_line).collect()
}

#[test]
fn links_lead_somewhere() {
    let root = Path::new(CRATES).join("..").canonicalize().unwrap();
    let mut found = Vec::new();
    documents(&root, &mut found);
    let (mut checked, mut broken) = (0, Vec::new());
    for document in &found {
        for link in links(&fs::read_to_string(document).unwrap()) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            checked += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let folder = document.parent().unwrap();
            let target = if file.is_empty() { document.clone() } else { folder.join(file) };
            let leads = target.exists()
                && (anchor.is_empty() || anchors(&fs::read_to_string(&target).unwrap_or_default()).contains(anchor));
            if !leads {
                broken.push(format!("{}: {link}", document.strip_prefix(&root).unwrap().display()));
            }
        }
    }
    assert!(checked > 100, "{checked} links are not all");
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
}

/// Pages of the book that its table of contents does not list can't be found.
#[test]
fn the_book_lists_every_page() {
    let docs = Path::new(CRATES).join("../docs").canonicalize().unwrap();
    let listed: BTreeSet<PathBuf> =
        links(&fs::read_to_string(docs.join("SUMMARY.md")).unwrap()).iter().map(|link| docs.join(link)).collect();
    let mut pages = Vec::new();
    documents(&docs, &mut pages);
    let missing: Vec<&PathBuf> =
        pages.iter().filter(|page| !page.ends_with("SUMMARY.md") && !listed.contains(*page)).collect();
    assert!(pages.len() > 30, "{} pages are not all", pages.len());
    assert!(missing.is_empty(), "docs/SUMMARY.md lists none of {missing:?}");
}
