//! The scenario that `innosim new-scenario` fills, and whether somebody filled in the rest.

use innosim_scenario::Scenario;

/// The scenario with places to fill.
pub(super) const TEMPLATE: &str = include_str!("template.toml");
/// Keys of the template that say which load it is.
const OF_THE_LOAD: [&str; 4] = ["workload.kind", "workload.tables", "workload.table_size", "drive.clients"];

/// Whether a scenario is one of this command's in which nobody has described a load yet.
pub(crate) fn has_examples_load(scenario: &Scenario) -> bool {
    let examples = |path: &&str| {
        let key = format!("{} = ", path.rsplit('.').next().unwrap_or(path));
        let line = TEMPLATE.lines().find_map(|line| line.strip_prefix(&key)).unwrap_or_default();
        Some(line.split('#').next().unwrap_or_default().trim().trim_matches('"').to_owned())
    };
    scenario.story.contains("marked FILL IN") && OF_THE_LOAD.iter().all(|path| scenario.written(path) == examples(path))
}
