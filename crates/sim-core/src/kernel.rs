//! The kernel: what any discrete-event simulation of queues needs, with nothing of databases in it.
//!
//! Time is integer nanoseconds ([`time`]). What is still to happen waits in one [`calendar`], which breaks ties by
//! order of scheduling, so that a run is one total order of events. Chance comes from named [`random`] streams and
//! reaches the models only through exact [`sampler`]s. Queues for a CPU or a device are not simulated event by event:
//! a FIFO [`station`] knows the completion of an operation the moment it is submitted. Lengths of time are kept in a
//! log-linear [`histogram`].
//!
//! Everything here is deterministic to the bit on every platform: integers where a sum is kept, IEEE basic operations
//! and the `libm` crate's functions where a real number is needed, never the platform's own logarithm or power.

pub mod calendar;
pub mod histogram;
mod population;
pub mod random;
pub mod run_queues;
pub mod sampler;
mod servers;
pub mod shared_station;
pub mod station;
mod station_report;
pub mod time;

pub(crate) use population::{Population, TAGS};
pub(crate) use servers::FreeTimes;
