//! Requests to the page cleaner: what the coordinator asks of the slots, and what user threads ask of the coordinator
//! (`innodb-5.7` sections 3.3 and 3.6).

use crate::legacy::io::min_n_per_instance;

/// Seconds of redo that a sync flush goes beyond what was asked for.
pub const SYNC_REACH: u64 = 3;

/// What the slots are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotRequests {
    /// Whether flush lists are flushed at all.
    pub list_flush: bool,
    /// Pages by slot; [`u64::MAX`] for all.
    pub slots: Vec<u64>,
}

/// `pc_request` for `min_n` pages ([`u64::MAX`] for all) with what the recommendation left in the slots.
pub fn pc_request(min_n: u64, slots: Vec<u64>) -> SlotRequests {
    match min_n_per_instance(min_n, slots.len() as u64) {
        u64::MAX => SlotRequests { list_flush: true, slots: vec![u64::MAX; slots.len()] },
        0 => SlotRequests { list_flush: false, slots: vec![0; slots.len()] },
        _ => SlotRequests { list_flush: true, slots },
    }
}

/// `buf_flush_request_force`: the pending target of sync flushing after a request for `new_oldest`.
pub fn buf_flush_request_force(pending_sync_lsn: u64, new_oldest: u64, lsn_avg_rate: u64) -> u64 {
    pending_sync_lsn.max(new_oldest + SYNC_REACH * lsn_avg_rate)
}
