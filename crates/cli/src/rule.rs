//! What a flushing rule in Rust is made of, from one place, so that a project needs no other crate.
//!
//! A rule implements [`AdaptiveFlushing`]: in each pass of the page cleaner it is shown a [`View`] of the server and answers
//! with a number of pages. A [`NativeRule`] is its name, its parameters and a function that makes a fresh one for each run.
//! A rule that panics, or asks for more pages than the buffer pool has, ends its run with an error that says where and what
//! it saw; other runs are kept. One that does not come back for a minute ends the program. A rule must be deterministic: no
//! clock, no random numbers of its own, no memory outside of itself. Then its results are the same bytes on every machine,
//! for any number of threads.

pub use innosim_core::kernel::time::{SimDuration, SimTime};
pub use innosim_core::seam::{AdaptiveFlushing, FlushGauges, FlushLists, Recommendation, RuleInput, View, WorkBefore};
pub use innosim_flush_models::registry::{ModelId, Settings};
pub use innosim_rules::{Measured, NativeRule, Parameter, Rule, RuleContext, Values, register};
