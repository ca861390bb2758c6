//! Block framing of the redo log: payload bytes (`sn`) and log sequence numbers (`lsn`).
//!
//! Redo is a sequence of payload bytes numbered by sn. On disk they lie in blocks of 512 bytes, 12 of header, 496 of
//! payload, 4 of trailer; the LSN counts all of them. Source: `innodb-8.0.21` section 0 (the framing is the same in
//! every version). No simplification.

/// Bytes in a redo block.
pub const BLOCK_BYTES: u64 = 512;
/// Payload bytes in a redo block.
pub const BLOCK_PAYLOAD_BYTES: u64 = 496;
/// Header bytes of a redo block.
pub const BLOCK_HEADER_BYTES: u64 = 12;

/// LSN of the payload position `sn`.
#[inline]
pub const fn lsn_of_sn(sn: u64) -> u64 {
    (sn / BLOCK_PAYLOAD_BYTES) * BLOCK_BYTES + sn % BLOCK_PAYLOAD_BYTES + BLOCK_HEADER_BYTES
}

/// Payload position of an LSN; an LSN in a header or trailer counts as the nearest payload end.
#[inline]
pub fn sn_of_lsn(lsn: u64) -> u64 {
    let in_block = (lsn % BLOCK_BYTES).clamp(BLOCK_HEADER_BYTES, BLOCK_HEADER_BYTES + BLOCK_PAYLOAD_BYTES);
    (lsn / BLOCK_BYTES) * BLOCK_PAYLOAD_BYTES + in_block - BLOCK_HEADER_BYTES
}

/// Start of the block that holds `lsn`.
#[inline]
pub const fn block_start(lsn: u64) -> u64 {
    lsn - lsn % BLOCK_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn framing_round_trips_over_payload() {
        for sn in (0..5000).chain(968_740_000_000..968_740_001_000) {
            assert_eq!(sn_of_lsn(lsn_of_sn(sn)), sn);
        }
    }

    #[test]
    fn headers_and_trailers_fold_to_payload_ends() {
        assert_eq!(sn_of_lsn(8192), 7936);
        assert_eq!(sn_of_lsn(8701), 8432);
        assert_eq!(sn_of_lsn(8715), 8432);
        assert_eq!(lsn_of_sn(8432), 8716);
    }

    /// Each of the 12 bytes of a header, and of the 4 of a trailer, is the end of the payload beside it.
    #[test]
    fn every_byte_of_a_block_has_its_payload() {
        for lsn in 1024..1536 {
            let in_block: u64 = lsn - 1024;
            assert_eq!(sn_of_lsn(lsn), 2 * 496 + in_block.clamp(12, 508) - 12, "{lsn}");
            assert_eq!(block_start(lsn), 1024);
        }
    }
}
