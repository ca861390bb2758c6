//! Storage devices.
//!
//! A [`Device`] is a queue of operations in front of parallel channels, under ceilings on operations and bytes a
//! second. Everything a server writes to one drive goes through one of them (page reads, page writes, doublewrite,
//! redo, cache flushes), so that a burst of one delays the others by queueing and by nothing else. What a drive is, a
//! [`DeviceSpec`] says in numbers that a storage benchmark measures: latencies at queue depth 1, operations and bytes
//! a second under load, the time of a flush.
//!
//! The rules by which a completion is computed at submission stand at the head of `storage/device.rs`, what channels
//! and ceilings do at the head of `storage/lane.rs`, the way a limit on a rate is kept exactly at the head of
//! `storage/ceiling.rs`, caps that are handed out in slices at the head of `storage/gate.rs`, times that depend on
//! what is in flight at the head of `storage/loaded.rs`, flash that is being programmed at the head of `storage/programs.rs`, and the cache of a controller at the head of `storage/write_cache.rs`.

mod ceiling;
mod device;
mod gate;
mod lane;
mod limits;
mod loaded;
mod programs;
mod spec;
mod totals;
mod write_cache;

pub use device::{Device, Op, SPLIT_BYTES};
pub use spec::{ArraySpec, BurstSpec, CapSpec, DepthTimes, DeviceSpec, StorageSpec, TimedOp};
pub use totals::{DeviceInterval, DeviceTotals};
