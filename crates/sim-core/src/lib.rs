//! The machine of innosim.

pub mod config;
pub mod kernel;
pub mod metrics;
pub mod run_spec;
pub mod seam;
pub mod storage;
pub mod workload;
