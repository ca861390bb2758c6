//! Storage devices.

mod spec;

pub use spec::{BurstSpec, DeviceSpec, StorageSpec};
