//! The simulation kernel.

pub mod histogram;
pub mod sampler;
pub mod station;
pub mod time;
