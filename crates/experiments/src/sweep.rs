//! Many settings of one scenario: every combination, every replication, each run once.
//!
//! ```text
//!   --vary ..., a sweep file   dimension, file       what varies
//!           |
//!           v
//!         plan                 Plan                  points in order, each with the hash of its resolved scenario
//!           |
//!           v
//!        engine  <-------->  store                   runs what is missing; a finished run is a line of a journal
//!           |
//!           v
//!        results               Results               runs by point, estimates, best point and its plateau
//!           |
//!           v
//!        advice                Advice                what the numbers can't carry, in words
//! ```
//!
//! **Order.** Points are nested loops over the dimensions as given, the first the outermost; replications are the
//! innermost loop. A point's number, its runs' place in every table and a shard's part of the list follow from it.
//!
//! **Identity.** A run is known by the hash of its resolved scenario, seed, replication, whether it is checked, and a
//! hash of the program's sources. A run that is in the journal is not made again, whatever sweep made it. Results are a
//! function of the plan and the runs: not of the number of threads, of the order in which runs finished, of
//! interruptions, of shards. Wall time is therefore in none of them.

mod advice;
mod argument;
mod dimension;
mod engine;
mod file;
mod flows;
mod number;
mod plan;
mod record;
mod references;
mod results;
mod round;
mod shard;
mod shipped;
mod store;
mod succession;
mod sweep_runner;
mod tier;
mod warm;

pub use advice::{Advice, AdviceKind};
pub use dimension::Dimension;
pub use engine::{Failure, Made, run};
pub use file::{MOST_REPLICATIONS, SweepFile, find};
pub use plan::{Plan, Point, Prepared, Request, RunId};
pub use record::{BatchInterval, BegunWarm, Record, ThinSeries};
pub use results::{Metric, OffBy, PointResult, Results, Verdict};
pub use shard::Shard;
pub use shipped::{ShippedSweep, shipped};
pub use store::{Opened, Store, read_folder};
pub use sweep_runner::SweepRunner;
pub use tier::{MadeAs, SweepTier};

use innosim_scenario::{Diagnostic, Diagnostics};
use std::path::PathBuf;

/// Why a sweep can't be made or saved.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// Bad input, each with its place.
    #[error("{}", joined(.0))]
    Input(Vec<Diagnostic>),
    /// Bad input that has no single place.
    #[error("error: {message}\n  = help: {help}")]
    Usage {
        /// What is wrong.
        message: String,
        /// The likely fix.
        help: String,
    },
    /// Whoever asked for it asked to stop.
    #[error("error: stopped before all points were read")]
    Stopped,
    /// A file could not be read or written.
    #[error("error: can't {what} {}: {source}\n  = help: {help}", path.display())]
    Io {
        /// What was tried.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
        /// What to do.
        help: String,
    },
}

impl From<Diagnostics> for SweepError {
    fn from(errors: Diagnostics) -> SweepError {
        SweepError::Input(errors.into_iter().collect())
    }
}

impl SweepError {
    fn usage(message: impl Into<String>, help: impl Into<String>) -> SweepError {
        SweepError::Usage { message: message.into(), help: help.into() }
    }
}

fn joined(errors: &[Diagnostic]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<String>>().join("\n\n")
}
