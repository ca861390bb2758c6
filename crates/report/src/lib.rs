//! What people read after a run.
//!
//! A run leaves a [`RunOutput`]; the core makes a [`Summary`] of it. This crate turns the two into files and text, and
//! knows nothing of how they came to be:
//!
//! | what | for whom | where |
//! |---|---|---|
//! | `series.csv` | notebooks, plots | [`csv`] |
//! | `summary.json` | scripts | [`summary`] |
//! | the table after a run | a DBA at a terminal | [`table`], with the sentences of [`hints`] |
//! | what happened, in sentences | anyone who asks why | [`explanation`] |
//! | sysbench's lines | scripts that read sysbench | [`sysbench`] |
//! | `dashboard.svg`, `dashboard.png` | articles, talks, the eye | [`dashboard`] |
//! | `runs.csv`, `points.csv` of a sweep | notebooks | [`sweep`] |
//! | the same as Parquet, with the feature `parquet` | the same | `parquet` |
//! | pictures of a sweep | articles, talks, the eye | [`dashboard::sweep`] |
//! | `compare.svg`, `compare.png`: runs laid over each other | the same | [`dashboard`] |
//! | `report.html` of a comparison | anyone with a browser | [`explorer`] |
//! | `report.html` of an advice | the same | [`explorer`] after [`Block`]s |
//! | `report.html` of a sweep | the same | [`SweepPage`] |
//! | means over replications | anyone who compares | [`replications`] |
//!
//! Everything is a function of its arguments: the same run gives the same bytes, on any machine. Files are whole or not
//! there.

mod blocks;
pub mod csv;
pub mod dashboard;
pub mod explanation;
pub mod explorer;
mod files;
pub mod hints;
mod identity;
mod lines;
pub mod numbers;
mod page;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod replications;
mod rules_page;
mod sheet;
pub mod summary;
pub mod sweep;
mod sweep_page;
pub mod sysbench;
pub mod table;

pub use blocks::Block;
pub use csv::{SeriesColumn, series_columns, write_series_csv};
pub use dashboard::{Dashboard, Overlay, OverlayRun, write_dashboards, write_overlay};
pub use explorer::{Explorer, ExplorerRun, write_explorer};
pub use files::{ReportError, write_file, write_json};
pub use identity::RunIdentity;
pub use lines::flowing;
pub use page::Recipe;
pub use replications::Replications;
pub use rules_page::{RulesPage, RulesTable, write_rules_page};
pub use sweep_page::{SweepPage, write_sweep_page};
pub use table::{render_all_figures, render_summary, too_short, too_short_to_tell};

use innosim_core::metrics::{RunOutput, Summary};

/// A finished run with all that a reader wants to know of it.
#[derive(Debug, Clone)]
pub struct Report<'a> {
    /// Which run it was.
    pub identity: &'a RunIdentity,
    /// Its numbers; means, if there were several replications.
    pub summary: &'a Summary,
    /// Its series; of the first replication, if there were several.
    pub output: &'a RunOutput,
    /// Spread over the replications, if there were several.
    pub replications: Option<&'a Replications>,
    /// Title of the scenario.
    pub title: String,
    /// The settings that matter, on one line: `innodb_io_capacity_max=4000, redo 20 GiB, 56 threads`.
    pub settings_line: String,
    /// The load and the device that the run stands for, a line each.
    pub load_and_device: Vec<String>,
    /// Seconds in which the load fills the redo log, if it makes redo.
    pub log_fill_s: Option<f64>,
    /// `innodb_io_capacity_max` in pages a second, for models that have it.
    pub io_capacity_max: Option<u64>,
    /// Whether the setting that bounds background flushing has its least value.
    pub flushing_is_lowest: bool,
    /// Whether the checkpoint age was still rising when the run ended.
    pub age_rises: bool,
    /// Whether the warm-up was seen to end (or was given by the user).
    pub warmup_converged: bool,
}
