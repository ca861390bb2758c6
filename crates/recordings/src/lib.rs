//! Recordings of real servers, read into one typed model.
//!
//! ```text
//!   folder with series.csv.gz and run.json   --lab---------------------->  Recording  --quantity()-->  a time series
//!   files of mysqladmin, pt-stalk, sysbench  --formats-->  --assemble-->              --missing()--->  what a purpose lacks
//!   folder of such folders                   --find--------------------->  [Recording]
//!   data directory or backup                 --pages-------------------->  Pages: a histogram of page ages
//! ```
//!
//! A [`Recording`] keeps the server's own names: columns of SHOW GLOBAL STATUS as they are, counters of INNODB_METRICS
//! behind `m.`, SHOW ENGINE INNODB STATUS behind `log.` and `bp.`, sysbench behind `sb.`, /proc behind `cpu.` and
//! `proc.`. What a purpose needs is asked for as a [`Quantity`], which knows the names that the versions have for it;
//! an answer is a series with gaps, or a [`Missing`] that says what to record instead.
//!
//! This crate reads files and simulates nothing.

mod align;
mod assemble;
mod column;
mod disk;
mod disk_use;
mod error;
mod find;
mod formats;
mod idle;
mod inventory;
mod lab;
mod ladder;
mod latency;
mod load;
pub mod pages;
mod place;
mod purpose;
mod quantity;
mod recorded_quantity;
mod recording;
mod restart;
mod series;
mod unknown;
mod whole_seconds;

pub use column::Column;
pub use disk::{DiskReport, DiskReports};
pub use error::{Missing, RecordingError};
pub use find::find;
#[doc(hidden)]
pub use find::fuzz_recording;
pub use formats::{BUFFER_PAGE_QUERY, SlowLoop};
pub use inventory::{FileKind, FoundFile, inventory, look_at};
pub use lab::read_lab;
pub use latency::Percentile;
pub use load::{LoadPhase, Script};
pub use purpose::Purpose;
pub use quantity::Quantity;
pub use recording::{Cap, Data, Recording, Server, understood_settings};
pub use series::{LONG_STEP, Series};
pub use unknown::{INNODB_STATUS, SAMPLES, UnknownLoad, VARIABLES, WORK};
