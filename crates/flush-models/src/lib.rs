//! The servers of innosim.

pub mod mysql80;
pub mod registry;
