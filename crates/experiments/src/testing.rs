//! What unit tests of several modules begin with.

use crate::runner::Job;
use innosim_core::metrics::{RunOutput, SecondSample};
use innosim_recordings::Recording;
use std::path::Path;

/// A recording of the repository, by its folder in `recordings`.
pub(crate) fn recorded(folder: &str) -> Recording {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../recordings");
    innosim_recordings::find(&all.join(folder)).unwrap().remove(0)
}

/// The whole run of a job, of these seconds, counted from 1.
pub(crate) fn run_of(job: Job<'_>, second: impl Fn(u64) -> SecondSample) -> RunOutput {
    RunOutput { series: (1..=job.seconds()).map(second).collect(), ..RunOutput::default() }
}
