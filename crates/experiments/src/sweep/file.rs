//! Sweeps in files: a scenario, what varies, how often and how long.
//!
//! ```toml
//! # The story: what is swept and what to look at.
//! title = "I/O capacity against redo"
//! scenario = "7000-bpi32"                  # a file beside this one, or a shipped scenario
//! vary = ["innodb_io_capacity_max=1000..12000:500", "innodb_log_file_size=10G,20G"]
//! set = ["drive.clients=56"]               # what all points share; may be left out, as what follows
//! duration = "5000s"
//! replications = 3
//! precision = "1%"                         # instead of a fixed number of replications
//! until_rest = "10%"                       # runs at rest end before their length
//! warm_copies = true                       # and begin from copies of a warm server
//! ```

use super::SweepError;
use super::shipped::shipped;
use serde::{Deserialize, Deserializer};
use std::path::Path;

/// A sweep as a file describes it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweepFile {
    /// Title for headings.
    #[serde(default)]
    pub title: String,
    /// A TOML file, or the name of a shipped scenario.
    pub scenario: String,
    /// What varies.
    pub vary: Vec<String>,
    /// What all points share.
    #[serde(default)]
    pub set: Vec<String>,
    /// Simulated time with its unit.
    pub duration: Option<String>,
    /// Runs of each point.
    #[serde(default, deserialize_with = "replications")]
    pub replications: Option<u32>,
    /// Wanted half-width of throughput's interval, such as `1%`.
    pub precision: Option<String>,
    /// If runs that are at rest end before their length: the share of the redo that may still stay in the age, such as `10%`.
    pub until_rest: Option<String>,
    /// Whether points that differ in settings that a server at work takes go on from copies of one warm server.
    #[serde(default)]
    pub warm_copies: bool,
}

/// Most runs of a point.
pub const MOST_REPLICATIONS: u32 = 10_000;

fn replications<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let number = i64::deserialize(deserializer)?;
    let allowed = u32::try_from(number).ok().filter(|number| (1..=MOST_REPLICATIONS).contains(number));
    allowed.map(Some).ok_or_else(|| {
        serde::de::Error::custom(format!("replications = {number}: give a whole number from 1 to {MOST_REPLICATIONS}"))
    })
}

/// The sweep with this name: a file, or a shipped sweep with or without `sweeps/` and `.toml`. `None` if the name is
/// neither, or a file that holds a scenario.
///
/// # Errors
/// A sweep that is not as it should be.
pub fn find(name: &str) -> Result<Option<SweepFile>, SweepError> {
    let path = Path::new(name);
    if path.is_file() {
        // A file that can't be read is told of when it is read as a scenario.
        let Ok(text) = std::fs::read_to_string(path) else { return Ok(None) };
        let Some(mut sweep) = parse(name, &text)? else { return Ok(None) };
        let beside = path.parent().map(|folder| folder.join(&sweep.scenario)).filter(|beside| beside.is_file());
        if let Some(beside) = beside {
            sweep.scenario = beside.display().to_string();
        }
        return Ok(Some(sweep));
    }
    let plain = name.trim_start_matches("./");
    let plain = plain.strip_prefix("scenarios/").unwrap_or(plain);
    let plain = plain.strip_prefix("sweeps/").unwrap_or(plain);
    let plain = plain.strip_suffix(".toml").unwrap_or(plain);
    match shipped().iter().find(|one| one.name == plain) {
        Some(one) => parse(one.name, one.text),
        None => Ok(None),
    }
}

/// Reads a sweep; `None` if the text has no `vary`, which makes a sweep of a scenario.
pub(super) fn parse(name: &str, text: &str) -> Result<Option<SweepFile>, SweepError> {
    let is_sweep = text.parse::<toml::Table>().is_ok_and(|table| table.contains_key("vary"));
    if !is_sweep {
        return Ok(None);
    }
    toml::from_str(text).map(Some).map_err(|error| {
        let message = format!("{name} is no sweep: {}", error.to_string().trim_end());
        SweepError::usage(
            message,
            "a sweep has title, scenario, vary, set, duration, replications, precision, until_rest, warm_copies",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_sweeps_or_scenarios() {
        let folder = tempfile::tempdir().unwrap();
        let (sweep, scenario) = (folder.path().join("sweep.toml"), folder.path().join("mine.toml"));
        std::fs::write(&sweep, "scenario = \"mine.toml\"\nvary = [\"drive.clients=1,2\"]").unwrap();
        std::fs::write(&scenario, "extends = \"redo-too-small\"").unwrap();
        let found = find(sweep.to_str().unwrap()).unwrap().unwrap();
        assert_eq!(found.scenario, scenario.display().to_string());
        assert_eq!(find(scenario.to_str().unwrap()).unwrap(), None);
        assert_eq!(find("redo-too-small").unwrap(), None);
    }

    #[test]
    fn a_misspelt_key_is_told() {
        let error = parse("x.toml", "scenario = \"a\"\nvary = []\nreplication = 3").unwrap_err().to_string();
        assert!(error.contains("replication") && error.contains("line 3"), "{error}");
        for number in ["0", "-3", "99999999999"] {
            let text = format!("scenario = \"a\"\nvary = []\nreplications = {number}");
            let error = parse("x.toml", &text).unwrap_err().to_string();
            assert!(
                error.contains(&format!("replications = {number}: give a whole number from 1 to 10000")),
                "{error}"
            );
        }
    }
}
