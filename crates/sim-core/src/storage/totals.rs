//! What a device counts: operations and bytes, since the start and by interval.
//!
//! They count when they are submitted, an operation as one however many pieces it is split into.

/// Operations and bytes submitted to a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeviceTotals {
    /// Reads.
    pub random_reads: u64,
    /// Random writes.
    pub random_writes: u64,
    /// Sequential writes.
    pub sequential_writes: u64,
    /// Writes of both kinds in the pieces that the block layer makes of them.
    pub write_pieces: u64,
    /// Syncs asked for.
    pub syncs: u64,
    /// Cache flushes that the device does for them, as syncs share them.
    pub cache_flushes: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes of random writes.
    pub random_write_bytes: u64,
    /// Bytes of sequential writes.
    pub sequential_write_bytes: u64,
}

/// What a device saw in an interval.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DeviceInterval {
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub write_bytes: u64,
    /// Reads.
    pub reads: u64,
    /// Writes, random and sequential.
    pub writes: u64,
    /// The same in pieces.
    pub write_pieces: u64,
    /// Cache flushes.
    pub cache_flushes: u64,
    /// Syncs asked for.
    pub syncs: u64,
    /// Busy share of the busiest part, 0..=1.
    pub utilization: f64,
    /// Mean number of operations in queue and service.
    pub queue_mean: f64,
}

impl DeviceTotals {
    /// What was submitted since the totals were `old`; utilisation and queue are not known here.
    pub(super) fn since(&self, old: &DeviceTotals) -> DeviceInterval {
        DeviceInterval {
            read_bytes: self.read_bytes - old.read_bytes,
            write_bytes: self.random_write_bytes - old.random_write_bytes + self.sequential_write_bytes
                - old.sequential_write_bytes,
            reads: self.random_reads - old.random_reads,
            writes: self.random_writes - old.random_writes + self.sequential_writes - old.sequential_writes,
            write_pieces: self.write_pieces - old.write_pieces,
            cache_flushes: self.cache_flushes - old.cache_flushes,
            syncs: self.syncs - old.syncs,
            ..DeviceInterval::default()
        }
    }
}
