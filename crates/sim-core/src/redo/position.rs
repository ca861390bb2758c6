//! Positions in the redo log.

/// Positions in the redo log, bytes of LSN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RedoPosition {
    /// End of the last reserved redo.
    pub current_lsn: u64,
    /// Written to the file.
    pub written_lsn: u64,
    /// Synced.
    pub durable_lsn: u64,
}
