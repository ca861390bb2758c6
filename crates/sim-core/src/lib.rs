//! The machine of innosim: everything about a server that versions have in common, and the seam they fill in.
//!
//! # What it simulates
//!
//! A discrete-event simulation of InnoDB's page flushing and redo log: clients run transactions that touch pages and
//! write redo; dirty pages stand in flush lists by oldest modification; the page cleaner writes them through the
//! doublewrite to a storage device that redo syncs share; checkpoints follow the oldest dirty page; and user threads
//! stop when the redo log has no room. Every page is an entry of its own. Throughput is never an input of a closed
//! loop.
//!
//! # Contract of the kernel
//!
//! * Time is integer nanoseconds ([`kernel::time`]), LSNs are integer bytes. There is no floating-point clock.
//! * Events are handled in order of time; events of equal time in the order in which they were scheduled.
//! * A handler sees the whole state of its instant and may schedule events at that instant or later, never earlier.
//! * Randomness comes from named streams keyed by (seed, replication, name): a new stream disturbs no other.
//! * The same [`run_spec::RunSpec`] and version give the same output, bit for bit, in debug and release, on any
//!   machine: no platform transcendental functions, no hash iteration, no clock, no threads, no files.
//!
//! # Sources
//!
//! Modules name the specification that they follow, such as `innodb-8.0.21` section 2.3: `docs/fidelity.md` says what
//! these are, and has a row for every mechanism.
//!
//! # Layers, from the ground up
//!
//! ```text
//! kernel      time, calendar, random streams, samplers, stations, histograms
//! storage     devices          redo      LSN framing, writer          workload   access classes, arrivals
//! buffer_pool pages, flush lists, LRU
//! config, seam                 what a version decides
//! metrics                      series and summaries
//! server                       wires them, owns the event loop
//! ```

pub mod buffer_pool;
pub mod config;
pub mod kernel;
pub mod metrics;
pub mod redo;
pub mod run_spec;
pub mod seam;
pub mod server;
pub mod storage;
pub mod workload;
