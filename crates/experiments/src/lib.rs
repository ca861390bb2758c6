//! Many runs: statistics over them, and the experiments that people make of them.
//!
//! | module | what it is |
//! |---|---|
//! | [`advise`] | from whatever was recorded of a server, its load not known, to the settings to try |
//! | [`calibrate`] | from a recording to a workload and a scenario |
//! | [`compare`] | one scenario in several variants: means with intervals, paired differences |
//! | [`explain`] | what happened in a run or a recording, and what it would have been under other settings |
//! | [`recommend`] | a search for the I/O capacity (and redo size) to try first |
//! | [`fio`] | fio's jobs against a simulated device, beside what fio measured |
//! | [`replay`] | a model's flushing rule alone, on recorded inputs, beside the server's own counters |
//! | [`tiers`] | a run in the coarse tier, and how far it is from the exact one |
//! | [`validate`] | recordings predicted from others, beside what was measured |
//! | [`reliability`] | how often stated intervals held |
//! | [`reproduce`] | runs beside published figures: errors, order, waves |
//! | [`rest`] | runs that end early, because they are at rest or live by sync flushing |
//! | [`rule_bench`] | flushing rules on a fixed suite, each beside the server's own |
//! | [`runner`] | runs (scenario, replication) pairs on all cores, results in order; the warm-up of a run |
//! | [`sweep`] | every combination of settings, each run once, saved as it ends, shared between machines |
//! | [`warm_start`] | runs that begin from the middle of another |
//!
//! Intervals, paired differences, correction for many comparisons are in the crate `innosim_statistics`.
//!
//! A run is one scenario with one replication number. It draws from random streams keyed by (seed, replication, name),
//! so that two scenarios with the same seed and replication meet the same arrivals and the same keys: differences
//! between them are taken pair by pair.

pub mod advise;
pub mod calibrate;
pub mod compare;
pub mod explain;
pub mod fio;
pub mod recommend;
pub mod reliability;
pub mod replay;
pub mod reproduce;
pub mod rest;
pub mod rule_bench;
pub mod runner;
mod stable;
pub mod sweep;
#[cfg(test)]
mod testing;
pub mod tiers;
pub mod validate;
pub mod warm_start;
