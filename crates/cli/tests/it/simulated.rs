//! Runs in this process, for tests of what is simulated. Tests of the program run the program.

use innosim_core::metrics::{RunOutput, Summary};
use innosim_core::server::Silent;
use innosim_experiments::runner::{Job, run_one, warmup_of};
use innosim_scenario::{Overrides, Source, load};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock};

/// A run that is over.
pub(crate) struct Simulated {
    /// The figures of `summary.json`.
    pub(crate) summary: Value,
    /// All that it left.
    pub(crate) output: RunOutput,
}

/// The run of a scenario, a name or a text. Each pair of scenario and overrides is run once, whichever tests ask for it.
pub(crate) fn simulated(scenario: &str, overrides: &Overrides) -> &'static Simulated {
    static RUNS: Mutex<BTreeMap<String, &'static OnceLock<Simulated>>> = Mutex::new(BTreeMap::new());
    let key = format!("{scenario} {overrides:?}");
    // A test that fails while it holds the lock leaves the runs as good as they were.
    let mut runs = RUNS.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let run: &'static OnceLock<Simulated> = runs.entry(key).or_insert_with(|| Box::leak(Box::default()));
    drop(runs);
    run.get_or_init(|| {
        let scenario = load(Source::typed(scenario), overrides).unwrap_or_else(|errors| panic!("{errors}"));
        let job = Job { scenario: &scenario, replication: 0 };
        let output = run_one(job, false, &mut Silent).unwrap_or_else(|error| panic!("{}: {error}", scenario.name));
        let summary = Summary::of(&output, warmup_of(&scenario, &output).seconds);
        Simulated { summary: serde_json::to_value(summary).expect("figures are numbers and names"), output }
    })
}

/// Summary of a scenario's run under these settings.
pub(crate) fn summary(scenario: &str, settings: &[&str]) -> &'static Value {
    &simulated(scenario, &set(settings)).summary
}

/// The same for another simulated time than the scenario's: as much as it takes to see what a test looks for.
pub(crate) fn shorter(scenario: &str, duration: &str, settings: &[&str]) -> &'static Value {
    &simulated(scenario, &Overrides { duration: Some(duration.to_owned()), ..set(settings) }).summary
}

/// These settings in place of the scenario's.
pub(crate) fn set(settings: &[&str]) -> Overrides {
    Overrides { set: settings.iter().map(|&setting| setting.to_owned()).collect(), ..Overrides::default() }
}

/// A figure of a summary.
pub(crate) fn number(summary: &Value, name: &str) -> f64 {
    summary[name].as_f64().unwrap_or_else(|| panic!("{name} of {summary}"))
}
