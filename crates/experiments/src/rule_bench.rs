//! Rules on a fixed suite: each runs every case, with the same random numbers, and is compared pair by pair with the
//! server's own rule.
//!
//! ```text
//!   suite (cases, versioned)  x  rules  x  replications   and once more on a device 30 % slower
//!       │
//!       └─> Run each ── score: figures of a rule in a case, relative to the server's own ── standing over all cases
//! ```
//!
//! The figures are those of the time after warm-up, but for the distance to the bound, which takes the whole run: how
//! many pages the rule wrote for each that no rule could have spared (see `innosim_core::redo::LeastWrites`), counted on
//! the run's own modifications. A rule that fails in a case has no figures there, and stands below those that have all.

mod score;
mod suite;

pub use score::{Figure, Score, Standing, standings};
pub use suite::{Case, SUITE, SUITE_VERSION};

use crate::recommend::slow_down;
use crate::runner::{Watch, Watched, in_parallel};
use innosim_core::metrics::Summary;
use innosim_core::run_spec::RunSpec;
use innosim_core::server::{RunError, Server};
use innosim_scenario::{Diagnostics, Overrides, Scenario, Source, load};

/// Replications of a case on its own device.
pub const REPLICATIONS: u32 = 3;
/// How much slower the device of the test of robustness is.
pub const SLOWER: f64 = 0.3;
/// What makes a quick look of a case.
const QUICK: &[&str] = &["duration=12s", "warmup=4s"];
/// The rule that all are compared with: the server's own.
pub const OWN: &str = "server";

/// A rule that takes part: its name in results, and where it is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entrant {
    /// Name in results.
    pub name: String,
    /// File, or name of a shipped or registered rule.
    pub rule: String,
}

/// What is kept of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunFigures {
    /// Figures after warm-up.
    pub summary: Summary,
    /// Pages written over the whole run.
    pub written: u64,
    /// Pages that any rule would have had to write for the same modifications.
    pub least: u64,
}

/// A run of the bench.
#[derive(Debug, Clone)]
struct Task {
    case: usize,
    entrant: usize,
    replication: u32,
    slower: bool,
    scenario: Scenario,
}

/// How one rule did in one case.
#[derive(Debug, Clone)]
pub struct Trial {
    /// Its runs, replication by replication.
    pub runs: Vec<RunFigures>,
    /// Its run on the slower device.
    pub slower: Option<RunFigures>,
    /// Why it has no figures.
    pub failure: Option<String>,
}

/// What the bench found.
#[derive(Debug, Clone)]
pub struct Bench {
    /// Who took part, the server's own rule first.
    pub entrants: Vec<Entrant>,
    /// By case and entrant.
    pub trials: Vec<Vec<Trial>>,
    /// Seed.
    pub seed: u64,
    /// Whether it is only a quick look.
    pub quick: bool,
}

/// Why there is no result.
#[derive(Debug)]
pub enum BenchError {
    /// A rule can't be read, or a case can't take it.
    Scenario(Diagnostics),
    /// Somebody stopped the runs, or the simulator is at fault.
    Run(RunError),
}

/// Everything that is to run, checked.
#[derive(Debug)]
pub struct Prepared {
    entrants: Vec<Entrant>,
    tasks: Vec<Task>,
    seed: u64,
    quick: bool,
}

impl Prepared {
    /// Loads each case for each entrant. A `quick` look takes 12 s of each case, once: enough to see whether a rule runs
    /// everywhere, and no more.
    ///
    /// # Errors
    /// [`BenchError::Scenario`] for a rule that is none.
    pub fn load(entrants: Vec<Entrant>, seed: u64, quick: bool) -> Result<Prepared, BenchError> {
        let mut tasks = Vec::new();
        for (case, what) in SUITE.iter().enumerate() {
            for (entrant, who) in entrants.iter().enumerate() {
                let scenario = what.scenario(&who.rule, seed, quick).map_err(BenchError::Scenario)?;
                let one = |replication, slower| Task { case, entrant, replication, slower, scenario: scenario.clone() };
                let replications = if quick { 1 } else { REPLICATIONS };
                tasks.extend((0..replications).map(|replication| one(replication, false)));
                tasks.push(one(0, true));
            }
        }
        Ok(Prepared { entrants, tasks, seed, quick })
    }

    /// Simulated seconds of all runs.
    pub fn seconds(&self) -> u64 {
        self.tasks.iter().map(|task| task.scenario.run.duration.whole_seconds()).sum()
    }

    /// Makes all runs on the threads of the pool around it.
    ///
    /// # Errors
    /// [`BenchError::Run`] if `watch` stopped a run, or an invariant broke; a rule that fails is in the result.
    pub fn run(&self, watch: &impl Watch) -> Result<Bench, BenchError> {
        let ended = in_parallel(&self.tasks, |task| execute(task, watch));
        let empty = Trial { runs: Vec::new(), slower: None, failure: None };
        let mut trials = vec![vec![empty; self.entrants.len()]; SUITE.len()];
        for (task, ended) in self.tasks.iter().zip(ended) {
            let trial = &mut trials[task.case][task.entrant];
            match ended {
                Ok(figures) if task.slower => trial.slower = Some(figures),
                Ok(figures) => trial.runs.push(figures),
                Err(error @ RunError::Rule { .. }) => {
                    trial.failure.get_or_insert(format!("{}: {error}", SUITE[task.case].name));
                }
                Err(error) => return Err(BenchError::Run(error)),
            }
        }
        Ok(Bench { entrants: self.entrants.clone(), trials, seed: self.seed, quick: self.quick })
    }
}

fn execute(task: &Task, watch: &impl Watch) -> Result<RunFigures, RunError> {
    let mut spec = RunSpec { replication: task.replication, ..task.scenario.run.clone() };
    if task.slower {
        slow_down(&mut spec, SLOWER);
    }
    let server = Server::new(task.scenario.build_model(), &spec);
    let (output, least) = server.run_with_least_writes(&mut Watched(watch))?;
    Ok(RunFigures {
        summary: Summary::of(&output, task.scenario.warmup.fixed_seconds().unwrap_or(0)),
        written: output.series.iter().map(|second| second.pages_flushed).sum(),
        least,
    })
}

impl Case {
    /// The case with a rule.
    fn scenario(&self, rule: &str, seed: u64, quick: bool) -> Result<Scenario, Diagnostics> {
        let overrides = Overrides {
            model: self.model.map(str::to_owned),
            set: self.set.iter().chain(if quick { QUICK } else { &[] }).map(|set| (*set).to_owned()).collect(),
            seed: Some(seed),
            rule: Some(rule.to_owned()),
            ..Overrides::default()
        };
        load(Source::Text { name: self.name, text: self.text }, &overrides)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_loads_with_every_shipped_rule_and_outlasts_its_warm_up() {
        for case in SUITE {
            for rule in std::iter::once(OWN.to_owned()).chain(innosim_rules::Rule::names()) {
                let scenario =
                    case.scenario(&rule, 1, false).unwrap_or_else(|errors| panic!("{}: {errors}", case.name));
                // What a server of before 8.0 calls otherwise, or lacks, is told.
                let carried = |note: &str| note.contains("is taken as") || note.contains("is dropped");
                let unexpected: Vec<_> = scenario.notes.iter().filter(|note| !carried(&note.message)).collect();
                assert!(unexpected.is_empty(), "{}: {unexpected:?}", case.name);
                let warmup = scenario.warmup.fixed_seconds().unwrap();
                assert!(scenario.run.duration.whole_seconds() >= 2 * warmup, "{}", case.name);
            }
        }
        let mut names: Vec<&str> = SUITE.iter().map(|case| case.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), SUITE.len());
    }
}
