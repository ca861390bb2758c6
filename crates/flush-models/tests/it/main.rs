//! All tests of the servers from outside the crate, as one program: linking one is faster than linking many.

mod adaptive_thresholds;
mod conformance;
mod crashes;
mod endurance;
mod hours;
mod layers;
mod loops;
mod machines;
mod pinned;
#[path = "../../../sim-core/tests/crashes/mod.rs"]
mod power_failures;
mod relations;
mod support;
mod thresholds;
mod tnt;
mod variables;
mod vectors;
mod versions;
mod worlds;
