//! The servers of innosim.

pub mod registry;
