//! `explain`: what happened in a run or a recording, found by the rules of the crate `innosim_explain`.
//!
//! | module | what it is |
//! |---|---|
//! | `run` | a simulated run as a course of events |
//! | `recorded` | a recording as one |
//! | `limits` | the settings of a recorded server, and its age limits |
//! | `what_if` | the settings that the events point to, tried: the same load with one setting changed |

mod limits;
mod recorded;
mod run;
mod snapshot;
mod what_if;

pub use recorded::{course_of_recording, events_of_recording, refused_settings};
pub use run::{course_of_run, course_of_samples, events_of_run};
pub(crate) use snapshot::redo_by_counters;
pub use snapshot::{model_of_layout, snapshot_of_recording};
pub use what_if::{Trial, changed, tried};
