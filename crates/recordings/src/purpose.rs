//! What each purpose needs of a recording, and what one lacks for it.

use crate::{LoadPhase, Missing, Quantity, Recording, Script};
use std::fmt;

/// What a recording is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// `innosim calibrate`: the workload of the recording.
    Calibrate,
    /// The same of a benchmark: throughput and what the device wrote, without the server's counters.
    Benchmark,
    /// `innosim replay`: the flushing rule on recorded inputs.
    Replay,
    /// `innosim validate`: predictions beside what was measured.
    Validate,
}

impl fmt::Display for Purpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Purpose::Calibrate | Purpose::Benchmark => "calibrate",
            Purpose::Replay => "replay",
            Purpose::Validate => "validate",
        })
    }
}

impl Purpose {
    /// The series that it can't do without.
    pub const fn quantities(self) -> &'static [Quantity] {
        match self {
            Purpose::Calibrate => &[Quantity::Tps, Quantity::Lsn],
            Purpose::Benchmark => &[Quantity::Tps],
            Purpose::Validate => {
                &[Quantity::Tps, Quantity::Lsn, Quantity::CheckpointLsn, Quantity::PagesWritten, Quantity::DirtyPages]
            }
            Purpose::Replay => &[
                Quantity::MetricsLsn,
                Quantity::OldestModification,
                Quantity::DirtyPages,
                Quantity::LruPages,
                Quantity::FreePages,
                Quantity::AdaptivePages,
                Quantity::NToFlushRequested,
                Quantity::PctForLsn,
            ],
        }
    }

    /// Whether it needs to know the load.
    const fn needs_load(self) -> bool {
        !matches!(self, Purpose::Replay)
    }

    /// Largest step between samples, seconds.
    const fn step_s(self) -> Option<f64> {
        match self {
            Purpose::Calibrate | Purpose::Benchmark => None,
            Purpose::Replay => Some(1.5),
            Purpose::Validate => Some(15.0),
        }
    }
}

impl Recording {
    /// All that it lacks for a purpose; nothing if it will do.
    pub fn missing(&self, purpose: Purpose) -> Vec<Missing> {
        let mut missing = Vec::new();
        let mut lacks = |what: &str, help: String| {
            missing.push(Missing {
                recording: self.name.clone(),
                what: what.to_owned(),
                purpose: purpose.to_string(),
                help,
            });
        };
        // Whoever names the model knows the server.
        let named = self.server.named;
        if self.server.version.is_empty() && !named {
            let help = "put SHOW GLOBAL VARIABLES beside it; its `version` says which model stands for the server";
            lacks("version of the server", help.to_owned());
        } else if !(self.has_settings() || named && purpose == Purpose::Replay) {
            let help = "put the text of SHOW GLOBAL VARIABLES beside it: the settings decide how the server flushes";
            lacks("settings of the server", help.to_owned());
        }
        if purpose.needs_load() {
            if self.phases.is_empty() {
                let help = "put sysbench's log and its command line (sysbench oltp_... --tables=8 ... run) beside it";
                lacks("description of the load", help.to_owned());
            } else if let Some(option) = self.phases.iter().find_map(LoadPhase::unclear) {
                let help = format!("write the number with which it ran in place of `{option}`");
                lacks(&format!("number above 0 in `{option}` of sysbench's command line"), help);
            } else if self.phases.iter().any(|phase| phase.script == Script::Unknown) {
                let help = "sysbench's log does not tell: name it: --workload \"oltp_read_write --tables=20 --table-size=1000000\", or put \
                            the command line (sysbench oltp_... --tables=8 ... run) into a file next to it";
                lacks("name of the script that sysbench ran", help.to_owned());
            }
        }
        // Without its numbers a load is not looked for in the counters.
        let is_unclear = self.phases.iter().any(|phase| phase.unclear().is_some());
        for quantity in purpose.quantities() {
            if self.get(*quantity).is_none() && !(is_unclear && *quantity == Quantity::Tps) {
                lacks(quantity.what(), quantity.where_to_find());
            }
        }
        if let (Some(limit), Some(step)) = (purpose.step_s(), self.series.median_step())
            && step > limit
        {
            lacks(
                &format!("samples {limit} s apart or closer (they are {step:.0} s apart)"),
                "sample each second".to_owned(),
            );
        }
        missing
    }

    /// Whether settings of InnoDB were recorded.
    pub fn has_settings(&self) -> bool {
        self.variables.keys().any(|name| name.starts_with("innodb_"))
    }

    /// The same as one text, if it lacks anything.
    pub fn check(&self, purpose: Purpose) -> Result<(), String> {
        let missing: Vec<String> = self.missing(purpose).iter().map(Missing::to_string).collect();
        if missing.is_empty() { Ok(()) } else { Err(missing.join("\n")) }
    }
}
