//! The threads of the servers at their thresholds: what a thread decides at exactly a limit, when it wakes, what it remembers
//! from pass to pass.
//!
//! Each test plays the machine to one thread, step by step. Mutation tests found that no other test of a server's threads looks
//! there (docs/robustness.md). The expected values are worked out by hand, from the specification.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

mod coordinators;
mod every_server;
mod mariadb;
mod mariadb_memory;
mod mariadb_mistakes;
mod mysql55;
mod mysql56;
mod mysql56_turns;
mod mysql57_passes;
mod mysql80;
mod newer_models;
mod percona55;
mod steps;
mod tnt;
