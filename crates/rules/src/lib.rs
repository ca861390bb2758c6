//! Adaptive flushing rules that are no server's own: from a script in a file, shipped with the program, or registered by
//! a program of one's own.
//!
//! To the machinery of a server every rule is a [`AdaptiveFlushing`](innosim_core::seam::AdaptiveFlushing): asked once a
//! pass of the page cleaner, it says how many pages the pass flushes, if it likes from which buffer pool instances, and
//! when the next pass begins. Where it comes from is this crate's business:
//!
//! ```text
//!   my_rule.rhai  ── Rule::from_script ──┐
//!   fixed-rate    ── Rule::named ────────┼──> Rule ── Rule::build(values, settings) ──> Box<dyn AdaptiveFlushing>
//!   Rust, register(NativeRule { .. }) ───┤     │
//!   another language, Rule::hosted ──────┘     │
//!                                              └ parameters: names, defaults, ranges
//! ```
//!
//! A script is an [`EmbeddedRule`], and so is a function of another language: it sees what a script sees within the same
//! bounds, but what else it does is its author's business. A script sees what a server's rule sees and no more, has no
//! files, no clock and no random numbers, a budget of operations a call and bounds on what it keeps. Whatever it does
//! wrong is a [`Fault`] with file and line, and
//! ends its run alone. The same script gives the same bytes on every machine: its numbers are IEEE doubles and checked
//! integers, its logarithms and powers come from `libm`.
//!
//! `docs/rules.md` is the handbook for people who write rules.

mod context;
mod decision;
mod embedded;
mod fault;
mod guarded;
mod measured;
mod native;
#[cfg(not(feature = "scripts"))]
mod no_scripts;
mod parameter;
mod register;
mod rule;
#[cfg(feature = "scripts")]
mod script;
mod see;
mod shipped;

pub use context::RuleContext;
pub use decision::FlushDecision;
pub use embedded::{Counted, EmbeddedRule, HostedRule, StartEmbedded};
pub use fault::Fault;
pub use guarded::{Asked, asked};
pub use measured::Measured;
pub use native::NativeRule;
pub use parameter::{Parameter, Values};
pub use register::{RegisterError, register};
pub use rule::{LONGEST_TEXT, Rule};
pub use see::{Capacity, See, over_instances};
pub use shipped::{ShippedRule, shipped};
