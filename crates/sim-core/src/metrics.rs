//! What a run leaves.

mod series;

pub use series::{RunOutput, SecondSample};
