//! A run of the page: begun by a wish, advanced second by second, summed up at its end.

use crate::frame::append;
use crate::wish::{Controls, Wish};
use innosim_core::metrics::{Summary, detect_warmup};
use innosim_core::server::Stepping;
use innosim_scenario::{Diagnostics, Scenario};
use serde_json::{Value, json};

/// A run.
#[derive(Debug)]
pub struct Run {
    scenario: Scenario,
    command: String,
    controls: Controls,
    stepping: Option<Stepping>,
}

/// What a run that is over leaves.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// Hash of everything that happened.
    pub event_hash: u64,
    /// Its figures, as `summary.json` names them.
    pub summary: Summary,
}

impl Run {
    /// A run at its beginning.
    ///
    /// # Errors
    /// What the scenario's reader says about the wish.
    pub fn new(wish: &Wish) -> Result<Run, Diagnostics> {
        let scenario = wish.scenario()?;
        let stepping = Stepping::new(scenario.build_model(), &scenario.run).with_rate_bands(&scenario.run);
        Ok(Run { command: wish.command()?, controls: Controls::of(&scenario), stepping: Some(stepping), scenario })
    }

    /// What is known before it runs: knobs, notes, the scenario as TOML, the command that makes the same run.
    pub fn head(&self) -> Value {
        let notes: Vec<&str> = self.scenario.notes.iter().map(|note| note.message.as_str()).collect();
        json!({
            "controls": self.controls,
            "name": self.scenario.name,
            "title": self.scenario.title,
            "notes": notes,
            "command": self.command,
            "toml": self.scenario.to_resolved_toml(env!("CARGO_PKG_VERSION")),
            "buffer_pool_pages": self.scenario.build_model().config().buffer_pool.pages,
        })
    }

    /// Simulates so many seconds more and gives a row for each; fewer, or none, at the end. A run that an invariant
    /// would stop has none: they are not verified here.
    pub fn advance(&mut self, seconds: u32) -> Vec<f64> {
        let mut rows = Vec::new();
        let log_bytes = self.controls.redo_mib << 20;
        let Some(stepping) = &mut self.stepping else { return rows };
        for _ in 0..seconds {
            let Ok(Some(row)) = stepping.second() else { break };
            let row = row.clone();
            append(&row, stepping, log_bytes, &mut rows);
        }
        rows
    }

    /// Simulates what is left of it and sums it up; `None` if that was done already.
    pub fn finish(&mut self) -> Option<Finished> {
        let mut stepping = self.stepping.take()?;
        while let Ok(Some(_)) = stepping.second() {}
        let output = stepping.into_output();
        let warmup = self.scenario.warmup.fixed_seconds().unwrap_or_else(|| detect_warmup(&output.series).seconds);
        Some(Finished { event_hash: output.event_hash, summary: Summary::of(&output, warmup) })
    }
}

impl Finished {
    /// As an object: the summary's fields and the hash, spelt as the program spells it.
    pub fn json(&self) -> Value {
        let mut object = json!({ "event_hash": format!("{:#018x}", self.event_hash), "regime": self.summary.regime });
        for value in self.summary.values() {
            object[value.name] = value.value.into();
        }
        object
    }
}
