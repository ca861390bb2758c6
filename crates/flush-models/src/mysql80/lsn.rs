//! LSN and SN: the two ways in which 8.0 counts redo.
//!
//! Redo is a sequence of payload bytes, numbered by `sn`. The log file holds it in blocks of 512 bytes with a header of
//! 12 and a trailer of 4 bytes; `lsn` counts all bytes of the blocks. Margins are counted in `sn`, distances between
//! marks in `lsn`, and comparing one with the other is part of the servers' behaviour (spec 8.0.21, section 0).

/// Bytes of a log block.
pub const LOG_BLOCK_BYTES: u64 = 512;
/// Bytes of a log block's header.
pub const LOG_BLOCK_HEADER_BYTES: u64 = 12;
/// Bytes of a log block's trailer.
pub const LOG_BLOCK_TRAILER_BYTES: u64 = 4;
/// Payload bytes of a log block.
pub const LOG_BLOCK_DATA_BYTES: u64 = LOG_BLOCK_BYTES - LOG_BLOCK_HEADER_BYTES - LOG_BLOCK_TRAILER_BYTES;
/// The first LSN of a redo log, bytes.
pub const LOG_START_LSN: u64 = 8192;
/// Capacity of `recent_closed`, bytes: how far the flush lists may be out of order ("order lag").
pub const ORDER_LAG: u64 = 2 * 1024 * 1024;

/// The LSN of payload byte `sn`; never inside a header or a trailer.
pub const fn lsn(sn: u64) -> u64 {
    sn / LOG_BLOCK_DATA_BYTES * LOG_BLOCK_BYTES + sn % LOG_BLOCK_DATA_BYTES + LOG_BLOCK_HEADER_BYTES
}

/// The payload byte at `lsn`; positions inside a header count as the block's first byte, inside a trailer as the
/// next's.
pub const fn sn(lsn: u64) -> u64 {
    let block = lsn / LOG_BLOCK_BYTES * LOG_BLOCK_DATA_BYTES;
    let offset = lsn % LOG_BLOCK_BYTES;
    if offset < LOG_BLOCK_HEADER_BYTES {
        block
    } else if offset > LOG_BLOCK_BYTES - LOG_BLOCK_TRAILER_BYTES {
        block + LOG_BLOCK_DATA_BYTES
    } else {
        block + offset - LOG_BLOCK_HEADER_BYTES
    }
}

/// `bytes` rounded down to whole log blocks.
pub const fn align_down(bytes: u64) -> u64 {
    bytes / LOG_BLOCK_BYTES * LOG_BLOCK_BYTES
}

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
