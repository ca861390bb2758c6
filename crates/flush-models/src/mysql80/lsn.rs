//! LSN and SN: the two ways in which 8.0 counts redo.
//!
//! Redo is a sequence of payload bytes, numbered by `sn`. The log file holds it in blocks of 512 bytes with a header of
//! 12 and a trailer of 4 bytes; `lsn` counts all bytes of the blocks. Margins are counted in `sn`, distances between
//! marks in `lsn`, and comparing one with the other is part of the servers' behaviour (`innodb-8.0.21` section 0). The
//! framing itself is the machine's; here it has the names of the spec.

pub use innosim_core::redo::lsn::{
    BLOCK_BYTES as LOG_BLOCK_BYTES, BLOCK_HEADER_BYTES as LOG_BLOCK_HEADER_BYTES, block_start as align_down,
    lsn_of_sn as lsn, sn_of_lsn as sn,
};

/// The first LSN of a redo log, bytes.
pub const LOG_START_LSN: u64 = 8192;
/// Capacity of `recent_closed`, bytes: how far the flush lists may be out of order ("order lag").
pub const ORDER_LAG: u64 = 2 * 1024 * 1024;

/// `bytes` rounded up to whole log blocks.
pub const fn align_up(bytes: u64) -> u64 {
    bytes.div_ceil(LOG_BLOCK_BYTES) * LOG_BLOCK_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_in_sn_and_its_lsn_stop_the_same_positions() {
        for limit_sn in 7_900..9_500_u64 {
            let limit_lsn = lsn(limit_sn);
            for position in limit_lsn - 600..limit_lsn + 600 {
                assert_eq!(sn(position) > limit_sn, position > limit_lsn, "{position} against {limit_lsn}");
            }
        }
    }
}
