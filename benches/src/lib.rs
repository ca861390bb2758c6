//! Benches of innosim. `cargo bench -p innosim-benches` measures; with `-- --test` each bench runs once, so that it
//! can't rot.
//!
//! - `kernel`: the three operations of which runs are made: an event through the calendar, a page drawn, a page through
//!   the flush list.
//! - `run`: a published scenario, whole; its throughput is in simulated seconds a second, and it says the hash of what happened.
